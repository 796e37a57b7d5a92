"""Fixed points of one problem or a batch, by iteration, Steffensen's or Anderson's method."""

import math
from collections.abc import Callable
from typing import Any, ClassVar, Generic, Literal, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, quiet
from ..._native import public
from ..._typing import A
from ...errors import ShapeError
from ...solving._blocks import in_blocks, lanes_in_blocks
from ...solving._driver import Method, iterate
from ...solving._elementwise import Elementwise, Kernel, filled, implicit, plan_lanes, solve_lanes
from ...solving._following import constants
from ...solving._function import Function, arguments, carried
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome, outcomes
from ...solving._result import Result, insist, result
from ...solving._watch import keeping
from ...transforms import stop_gradient
from ._anderson import anderson

__all__ = ["FixedPointResult", "fixed_point"]


@result
class FixedPointResult(Result, Generic[A]):
    """Hold the results of `fixed_point`: arrays of the caller's library.

    Attributes
    ----------
    x : array
        The fixed points, or the last iterates.
    nfev, nit : array of int32
        Evaluations of the function; iterations. One entry per problem.
    status : array of int32
        0, converged; -2, maxiter reached; -3, not finite; -4, interrupted (in a batch).
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: -2,
        Outcome.NOT_FINITE: -3,
        Outcome.INTERRUPTED: -4,
    }

    x: A
    nfev: A
    nit: A
    outcome: A


@public
def fixed_point(
    func: Callable[..., Any],
    x0: A,
    args: Any = (),
    xtol: float = 1e-8,
    maxiter: int = 500,
    method: Literal["del2", "iteration", "anderson"] | str = "del2",
    *,
    memory: int = 5,
    full_output: bool = False,
) -> Any:
    """Find fixed points of a function, ``func(x) = x``, one problem or a batch.

    Parameters
    ----------
    func : callable
        ``func(x, *args) -> array``, in functions of ``likewise.array_namespace(x)``. For 'del2' and
        'iteration' it is elementwise; `x` and the arrays of `args`, broadcast with it, have one
        dimension. For 'anderson' `x` has the shape of `x0`, the function maps the vectors along its
        last axis, and gets `args` unchanged.
    x0 : array
        Start values: for 'anderson' of shape (..., p), else of any shape.
    args : tuple, optional
        Arguments of `func`. Arrays are cast to the common floating dtype, except for 'anderson'.
    xtol : float, optional
        A problem has converged when the step from x is less than `xtol` times x; for 'anderson'
        when the largest component of ``func(x) - x`` is at most `xtol` times the largest of x. At
        least 4 eps of the dtype.
    maxiter : int, optional
        Maximum number of iterations.
    method : {'del2', 'iteration', 'anderson'}, optional
        Steffensen's method (two evaluations per iteration), fixed-point iteration, or Anderson's
        acceleration of it, for vectors.
    memory : int, optional
        The number of steps that 'anderson' combines.
    full_output : bool, optional
        If True, return a `FixedPointResult`, which has a status for each problem. If False, a
        single problem that fails raises an error, and failures in a batch give a warning.

    Returns
    -------
    x : array
        The fixed points, or where the iterations ended.
    result : FixedPointResult
        In place of `x`, if `full_output`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `func`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `func` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range.
    ConvergenceError
        If a single problem did not converge, and `full_output` is False. Failures in a batch give a
        `ConvergenceWarning`. Under a transform or jit, and for lazy arrays, there is neither.

    Notes
    -----
    'del2': Steffensen's method with Aitken's extrapolation (R. L. Burden, J. D. Faires, Numerical
    Analysis, section 2.5). 'anderson': H. F. Walker, P. Ni, SIAM J. Numer. Anal. 49 (2011)
    1715-1735, with the small least-squares problems solved by normal equations; it stores `memory`
    arrays of the size of x, and multiplications grow with `memory` squared. Each problem converges
    separately. Except with 'anderson', finished problems are dropped on eager host arrays, so pass
    data that differ between problems through `args`, not through a closure. Fixed points are
    differentiable twice with respect to `args` and to arrays that `func` closes over, by the
    implicit function theorem. On JAX, `func` is traced in each call, and compiled code is reused if
    the trace is the same; Dask computes by blocks, and calls `func` on NumPy arrays. ('anderson'
    compiles in each call outside jax.jit.)

    Differs from SciPy: each problem converges separately, and failures in a batch give a warning;
    'anderson'; `full_output`; `func` is elementwise ('anderson' is for vectors).

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import array_namespace
    >>> from likewise.optimize import fixed_point
    >>> def func(x, c1, c2):
    ...     return array_namespace(x).sqrt(c1 / (x + c2))
    >>> fixed_point(func, [1.2, 1.3], args=([10.0, 12.0], [3.0, 5.0])).round(6)
    array([1.492033, 1.372281])
    """
    name = "fixed_point"
    _plan.choice(name, "method", method, ("del2", "iteration", "anderson"))

    def by_blocks(points: tuple[Any, ...], args: Any) -> Any:
        more: dict[str, Any] = {"memory": memory, "full_output": full_output}
        return fixed_point(func, points[0], args, xtol, maxiter, method, **more)

    users = {"func": func}
    if method == "anderson":
        blocks = in_blocks(name, by_blocks, {"x0": ((x0,), 1), "args": (args, None)}, users)
    else:
        blocks = lanes_in_blocks(name, by_blocks, {"x0": x0}, args, users)
    if blocks is not None:
        return blocks
    xtol = tolerance(name, "xtol", xtol, 1e-8)
    most = count(name, "maxiter", maxiter, 500)
    if method == "anderson":
        call = Function(name, "func", func)
        memory = count(name, "memory", memory, 5, 1)
        with keeping(full_output, x0):
            found = _of_vectors(name, call, x0, args, xtol, most, memory)
        return _told(found, full_output)
    lanes = plan_lanes(name, func, {"x0": x0}, args)
    fun = Elementwise(name, "func", func, lanes)
    xtol = max(xtol, 4 * float(array_namespace(lanes.points[0]).finfo(lanes.points[0].dtype).eps))
    way = (method, xtol, most)
    with keeping(full_output, *lanes.points):
        (x,), (code, nfev, nit) = solve_lanes(_kernel, way, [fun], lanes, 1, 3)
    x = implicit(fun, lanes, x, code == Outcome.CONVERGED, lambda v: v - fun.plain(v, lanes.args))
    return _told(FixedPointResult(*map(lanes.shaped, (x, nfev, nit, code))), full_output)


def _told(found: FixedPointResult[Any], full_output: bool) -> Any:
    """Return the full result, or only the fixed points."""
    if full_output:
        return found
    insist("fixed_point", found, "Their x is where they ended")
    return found.x


class _State(NamedTuple):
    x: Any
    status: Any
    nfev: Any
    nit: Any


def _kernel(way: tuple[str, float, int], fun: Elementwise) -> Callable[..., Kernel]:
    """``kernel(points, args)`` of the method."""
    method, xtol, most = way
    steps = _steffensen if method == "del2" else _plain
    return lambda points, args: steps(fun, points[0], args, xtol, most)


def _plain(fun: Elementwise, x0: Any, args: tuple[Any, ...], xtol: float, most: int) -> Any:
    def step(args: tuple[Any, ...], s: _State) -> _State:
        x = fun(s.x, args)
        return _State(x, _judged(x, s.x, xtol), s.nfev + 1, s.nit + 1)

    return _run(fun, x0, args, step, most)


def _steffensen(fun: Elementwise, x0: Any, args: tuple[Any, ...], xtol: float, most: int) -> Any:
    xp = array_namespace(x0)

    def step(args: tuple[Any, ...], s: _State) -> _State:
        once = fun(s.x, args)
        twice = fun(once, args)
        bend = twice - 2 * once + s.x
        move = (once - s.x) ** 2 / xp.where(bend == 0, xp.ones_like(bend), bend)
        x = xp.where(bend == 0, twice, s.x - move)
        return _State(x, _judged(x, s.x, xtol), s.nfev + 2, s.nit + 1)

    return _run(fun, x0, args, step, most)


def _judged(x: Any, before: Any, xtol: float) -> Any:
    xp = array_namespace(x, before)
    scale = xp.where(before == 0, xp.ones_like(before), xp.abs(before))
    near = xp.abs(x - before) < xtol * scale
    return outcomes(x, (near | (x == before), Outcome.CONVERGED))


def _run(fun: Elementwise, x0: Any, args: tuple[Any, ...], step: Any, most: int) -> Any:
    zero = filled(x0, 0)
    start = _State(x0, zero, zero, zero)
    end = iterate(Method(lambda _: start, step, value=lambda s: s.x), args, most, share=8)
    return (end.x,), (end.status, end.nfev, end.nit)


def _of_vectors(
    name: str, fun: Function, x0: Any, args: Any, xtol: float, most: int, memory: int
) -> FixedPointResult[Any]:
    args = tuple(constants(list(arguments(args))))
    xp = array_namespace(x0)
    (x,) = constants(list(_plan.common_floating(name, xp, ("x0",), x0, real=True)))
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ShapeError(
            f"{name}: method 'anderson' needs x0 of shape (..., p), got {tuple(x.shape)}"
        )
    xp = array_namespace(x)
    shape = tuple(x.shape)
    batch, p = shape[:-1], shape[-1]
    xtol = max(xtol, 4 * float(xp.finfo(x.dtype).eps))

    def rows(v: Any) -> Any:
        """The user's function of arrays of `shape`, as one of (B, p)."""
        out = fun(array_namespace(v).reshape(v, shape), *args)
        return array_namespace(out).reshape(out, tuple(v.shape))

    with quiet(x):
        flat = xp.reshape(stop_gradient(x), (math.prod(batch), p))
        found, code, nfev, nit = anderson(
            lambda v: stop_gradient(rows(v)), flat, xtol, most, min(memory, p)
        )
    found = carried(found, lambda v: v - rows(v), code == Outcome.CONVERGED, flat)
    out = (xp.reshape(a, batch) for a in (nfev, nit, code))
    return FixedPointResult(xp.reshape(found, shape), *out)
