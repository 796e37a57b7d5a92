"""Jacobians and Hessians by finite differences: `jacobian`, `hessian`."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Generic

from .._namespace import array_namespace, device
from .._native import public
from .._typing import A
from ..errors import ConvergenceWarning, NotSupported, ShapeError, _level
from ..solving._blocks import any_in_blocks
from ..solving._elementwise import plan_lanes
from ..solving._result import Result, result
from ..solving._sampled import Sampled
from ..transforms import stop_gradient
from ._derivative import Options, settled, sided
from ._differences import ADVICE, STATUS, Found, differences

__all__ = ["HessianResult", "JacobianResult", "hessian", "jacobian"]


@result
class JacobianResult(Result, Generic[A]):
    """Hold the results of `jacobian`: arrays of the caller's library.

    Attributes
    ----------
    df, error : array, shape (n, m, ...)
        The derivatives, and estimates of their errors: the change of the last iteration.
    nit, nfev : array of int32, shape (n, m, ...)
        Iterations; points at which the function was evaluated.
    status : array of int32, shape (n, m, ...)
        0, converged; -1, the error grew; -2, maxiter reached; -3, not finite.
    """

    STATUS: ClassVar[dict[int, int]] = STATUS
    ADVICE: ClassVar[dict[int, str]] = ADVICE

    df: A
    error: A
    nit: A
    nfev: A
    outcome: A


@result
class HessianResult(Result, Generic[A]):
    """Hold the results of `hessian`: arrays of the caller's library.

    Attributes
    ----------
    ddf, error : array, shape (m, m, ...)
        The second derivatives, and estimates of their errors.
    nfev : array of int32, shape (m, m, ...)
        Points at which the function was evaluated.
    status : array of int32, shape (m, m, ...)
        0, converged; -1, the error grew; -2, maxiter reached; -3, not finite.
    """

    STATUS: ClassVar[dict[int, int]] = STATUS
    ADVICE: ClassVar[dict[int, str]] = ADVICE

    ddf: A
    error: A
    nfev: A
    outcome: A


@public
def jacobian(
    f: Callable[[Any], Any],
    x: Any,
    *,
    tolerances: Options = None,
    maxiter: int = 10,
    order: int = 8,
    initial_step: Any = 0.5,
    step_factor: float = 2.0,
    step_direction: Any = 0,
) -> JacobianResult[Any]:
    """Differentiate a function of several variables by finite differences, at one or many points.

    Parameters
    ----------
    f : callable
        ``f(x) -> array``, in functions of ``likewise.array_namespace(x)``: of points (m, ...), any
        number of dimensions after the first, to values (n, ...), or (...) for one value.
    x : array, shape (m, ...)
        Where the derivatives are wanted: m variables, of as many points as the rest has.
    tolerances, maxiter, order
        As in `derivative`.
    initial_step : array or number, optional
        As in `derivative`. Broadcasts with `x`.
    step_factor
        As in `derivative`.
    step_direction : array or number, optional
        As in `derivative`. Broadcasts with `x`.

    Returns
    -------
    JacobianResult
        ``df, error, nit, nfev, status, success``, of shape (n, m, ...), or (m, ...).

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `f`, are not real and of one library, device and dtype.
    ShapeError
        If `x` has no dimension, or `f` returns another shape.
    ArgumentError
        If an option is out of range.
    NotSupported
        If `x` comes in blocks.

    Notes
    -----
    Each variable is moved by itself, as `derivative` does it, with all others at `x`; `f` is called
    on (m, m, ..., k) points at once. An element takes ``order + 1`` evaluations, and two more in
    each iteration. Differentiable as `derivative` is. Where `f` can be followed,
    `likewise.transforms.jacobian` is exact.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.differentiate import jacobian
    >>> found = jacobian(lambda x: np.stack([x[0] * x[1], x[0] ** 2]), np.asarray([2.0, 3.0]))
    >>> found.df.round(9)
    array([[3., 2.],
           [4., 0.]])
    """
    made = _along(
        "jacobian",
        f,
        x,
        (tolerances, maxiter, order, step_factor),
        initial_step,
        step_direction,
    )
    return JacobianResult(made.df, made.error, made.nit, made.nfev, made.status)


def _along(
    name: str,
    f: Callable[[Any], Any],
    x: Any,
    options: tuple[Any, ...],
    initial_step: Any,
    step_direction: Any,
    nested: bool = False,
) -> Found:
    """Derivatives along each of the first axis of points."""
    if any_in_blocks(x):
        raise NotSupported(
            f"{name}: an array in blocks has its variables on the first axis: use map_blocks, or "
            "likewise.chunks, on the points"
        )
    lanes = plan_lanes(name, f, sided(name, x, initial_step, step_direction), ())
    if not lanes.shape:
        raise ShapeError(f"{name}: x must have at least one dimension, that of its variables")
    xp, (m, *rest) = array_namespace(*lanes.points), lanes.shape
    here = xp.reshape(lanes.points[0], (m, 1, *rest, 1))
    axes = xp.arange(m, device=device(here))
    own = xp.reshape(axes[:, None] == axes[None, :], (m, m, *(1,) * (len(rest) + 1)))

    def moved(points: Any) -> Any:
        """Evaluate at points that differ from x in the variable of their place."""
        space = array_namespace(points, here)
        return space.where(own, points[:, None, ...], here)

    kind = _Nested if nested else Sampled
    tolerances, maxiter, order, factor = options
    way = settled(name, lanes, tolerances, maxiter, order, factor, step_direction, True)
    fun = kind(name, _named(f, moved), lanes, True, False)
    return differences(fun, lanes, way)


def _named(f: Callable[[Any], Any], moved: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda points: f(moved(points))


class _Nested(Sampled):
    """Call a function that also tells how many evaluations it took for each of its values."""

    spent: Any = None

    def plain(self, x: Any, args: tuple[Any, ...]) -> Any:
        told: list[Any] = []
        inner = self.function.fun
        self.function.fun = lambda points: _kept(inner(points), told)
        try:
            out = super().plain(x, args)
        finally:
            self.function.fun = inner
        (count,) = told
        xp = array_namespace(count)
        self.spent = xp.sum(xp.reshape(count, tuple(out.shape)), axis=1, dtype=count.dtype)
        return out


def _kept(found: tuple[Any, Any], told: list[Any]) -> Any:
    told.append(stop_gradient(found[1]))
    return found[0]


@public
def hessian(
    f: Callable[[Any], Any],
    x: Any,
    *,
    tolerances: Options = None,
    maxiter: int = 10,
    order: int = 8,
    initial_step: Any = 0.5,
    step_factor: float = 2.0,
) -> HessianResult[Any]:
    """Find second derivatives of a function of several variables by finite differences.

    Parameters
    ----------
    f : callable
        ``f(x) -> array``, in functions of ``likewise.array_namespace(x)``: of points (m, ...), any
        number of dimensions after the first, to values (...).
    x : array, shape (m, ...)
        Where the derivatives are wanted: m variables, of as many points as the rest has.
    tolerances, maxiter, order
        As in `derivative`.
    initial_step : array or number, optional
        As in `derivative`. Broadcasts with `x`.
    step_factor
        As in `derivative`.

    Returns
    -------
    HessianResult
        ``ddf, error, nfev, status, success``, of shape (m, m, ...).

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError, NotSupported
        As `jacobian`.

    Warns
    -----
    ConvergenceWarning
        If 'rtol' is smaller than 100 times eps, which is used in its place.

    Notes
    -----
    The Jacobian of the gradient that `jacobian` finds, whose relative tolerance is a hundredth of
    that of the outer one. Both orders of two variables are computed: how far the result is from
    symmetric tells of its error. An element takes about ``(order + 5)**2`` evaluations.
    Differentiable as `derivative` is. Where `f` can be followed, `likewise.transforms.hessian` is
    exact.

    Differs from SciPy: `initial_step` may be an array, of which the inner derivatives, which have
    steps of their own at moved points, use the same.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.differentiate import hessian
    >>> found = hessian(lambda x: x[0] ** 2 * x[1], np.asarray([2.0, 3.0]))
    >>> found.ddf.round(6)
    array([[6., 4.],
           [4., 0.]])
    """
    name = "hessian"
    given = dict(tolerances or {})
    rtol = given.get("rtol")
    if any_in_blocks(x):
        _along(name, f, x, (tolerances, maxiter, order, step_factor), initial_step, 0)
    lanes = plan_lanes(name, f, sided(name, x, initial_step, 0), ())
    limits = array_namespace(*lanes.points).finfo(lanes.points[0].dtype)
    settled(name, lanes, tolerances, maxiter, order, step_factor, 0, True)
    eps = float(limits.eps)
    rtol = eps**0.5 if rtol is None else float(rtol)
    if 0 < rtol < 100 * eps:
        warnings.warn(
            f"{name}: rtol is {rtol!r}, below what differences of differences can tell: "
            f"{100 * eps:.2g} is used",
            ConvergenceWarning,
            stacklevel=_level(),
        )
        rtol = 100 * eps
    inner = given | {"rtol": rtol / 100}

    def gradient(points: Any) -> tuple[Any, Any]:
        step = initial_step
        if getattr(step, "ndim", 0) > 0 and step.ndim < points.ndim:
            xp = array_namespace(step)
            step = xp.reshape(step, (*step.shape, *(1,) * (points.ndim - step.ndim)))
        found = _along(name, f, points, (inner, maxiter, order, step_factor), step, 0)
        return found.df, found.nfev

    out = _along(
        name,
        gradient,
        x,
        (given | {"rtol": rtol}, maxiter, order, step_factor),
        initial_step,
        0,
        nested=True,
    )
    return HessianResult(out.df, out.error, out.nfev, out.status)
