"""Adaptive integrals of functions of one variable with arrays as values."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _plan
from .._creation import xp as default
from .._namespace import array_namespace, device, is_concrete, is_neutral, quiet, scalar
from .._native import public
from ..errors import ArgumentError, DtypeError, ShapeError
from ..solving._following import constants, is_open, recorded
from ..solving._function import Function
from ..solving._function import arguments as tuple_of
from ..solving._options import count, tolerance
from ..transforms import stop_gradient, vmap
from ._regions import (
    CONVERGED,
    NOT_FINITE,
    ROUNDED,
    Boxes,
    Way,
    cells,
    integrated,
    nodes_at,
    nodes_of,
    placed,
    ranges,
)

__all__ = ["QuadVecInfo", "quad_vec"]

_MESSAGES = (
    "Target precision reached.",
    "Target precision not reached: raise limit, or give the places of difficulties in points.",
    "Target precision could not be reached due to rounding error: raise epsrel or epsabs.",
    "Non-finite values encountered.",
)


class QuadVecInfo(NamedTuple):
    """Tell how an integral was found, and its parts."""

    success: Any
    status: Any
    neval: Any
    intervals: Any
    integrals: Any
    errors: Any

    @property
    def message(self) -> str:
        """Return what the status means, which is read."""
        return _MESSAGES[int(self.status)]


@public
def quad_vec(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    epsabs: float = 1e-200,
    epsrel: float | None = None,
    norm: Any = "2",
    cache_size: Any = 100e6,
    limit: int = 10000,
    workers: Any = 1,
    points: Any = None,
    quadrature: str | None = None,
    full_output: bool = False,
    *,
    args: Any = (),
) -> tuple[Any, ...]:
    """Integrate a function of one variable with an array as its value, adaptively.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array`` of any shape, real or complex. With limits that are numbers or
        NumPy's, `x` is a number, as long as the values are NumPy's or numbers. Else `x` is an array
        without dimensions, and `f` is mapped over points (`likewise.vmap`), so it can't branch on
        values.
    a, b : number or array, shape ()
        Limits, in any order, infinite ones, too.
    epsabs, epsrel : float, optional
        Converged when the estimated error is less than an eighth of
        ``max(epsabs, epsrel * norm(y))``. Default of `epsrel`: 1e-8, in single precision the square
        root of eps.
    norm : {'2', 'max'} or callable, optional
        The norm of values, in which errors are measured.
    cache_size : optional
        Has no effect.
    limit : int, optional
        The maximum number of intervals. In compiled code lists of so many intervals are made: give
        a small one there.
    workers : optional
        Has no effect.
    points : sequence of numbers, optional
        Places of difficulties, at which the first intervals end.
    quadrature : {'gk21', 'gk15', 'trapezoid'}, optional
        The rule: of Gauss and Kronrod with 21 nodes (the default for finite limits) or with 15, or
        of two trapezoids.
    full_output : bool, optional
        Whether to return `info`.
    args : tuple, optional
        Further arguments of `f`, which gets them unchanged.

    Returns
    -------
    y : array
        The integral, of the shape of a value.
    err : array, shape ()
        An estimate of the norm of its error.
    info : QuadVecInfo
        With `full_output`: `success`; `status`, 0 where it has converged, 1 where `limit` was
        reached, 2 for rounding, 3 for values that aren't finite, with its `message`; `neval`, the
        number of evaluations; and of each interval `intervals`, `integrals` and `errors`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If limits are not real, or arrays not of one library and device.
    ShapeError
        If a limit has dimensions, or values are not of one shape.
    ArgumentError
        If `norm` or `quadrature` is not one of these, or a limit or tolerance isn't a number.

    Notes
    -----
    QUADPACK's rules and their errors (R. Piessens et al., 1983), and bisection without
    extrapolation. In each step all intervals are halved that have to be. Infinite ranges are mapped
    to (0, 1). A first interval is always halved once.

    Differentiable twice with respect to finite limits, by the fundamental theorem, and with respect
    to `args` and what `f` closes over, under the integral sign, on the intervals that were found:
    another evaluation there, in compiled code on `limit` intervals.

    Differs from SciPy: points are mapped as above; `x` of other libraries; ends of intervals are in
    the coordinate of `f`; integrals of all intervals are returned.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import quad_vec
    >>> y, err = quad_vec(lambda x: x ** np.arange(4), 0.0, 2.0)
    >>> y.round(9)
    array([2.        , 2.        , 2.66666667, 4.        ])
    """
    name = "quad_vec"
    fun = Function(name, "f", f)
    rest = tuple_of(args)
    if quadrature not in (None, "gk21", "gk15", "trapezoid"):
        raise ArgumentError(
            f"{name}: quadrature must be 'gk21', 'gk15' or 'trapezoid', got {quadrature!r}: an "
            "unknown quadrature"
        )
    if not callable(norm) and norm not in (None, "2", "max"):
        raise ArgumentError(f"{name}: norm must be '2', 'max' or a function, got {norm!r}")
    relative = None if epsrel is None else tolerance(name, "epsrel", epsrel, 0.0)
    most = count(name, "limit", limit, 10000)
    low, high = _limits(name, a, b)
    xp = array_namespace(low)
    numbers = not is_open() and is_neutral(scalar(low[0, 0]))
    call: Any = _ByNumber(fun, rest) if numbers else _Mapped(fun, rest)
    with quiet(low):
        if not numbers and is_neutral(a) and is_neutral(b):
            low, high = _beside(low, high, fun.called(0.5, *rest))
            xp = array_namespace(low)
        where, curved, lo, hi, rule = _begun(low, high, points, quadrature)
        ahead = None
        if numbers:
            first = _first(call, rule, where, curved, lo, hi)
            if is_neutral(a) and is_neutral(b) and not _same(first[0], low):
                low, high = _beside(low, high, first[0])
                call, xp = _Mapped(fun, rest), array_namespace(low)
                where, curved, lo, hi, rule = _begun(low, high, points, quadrature)
            else:
                ahead = call.stacked(first, low)
        measure = _Norm(norm, call) if callable(norm) else norm or "max"
        way = Way(
            rule,
            1,
            tolerance(name, "epsabs", epsabs, 0.0),
            relative,
            most,
            measure,
            part=1 / 8,
            least=2,
            cap=128,
        )
        found = integrated(way, call, where, curved, (), lo, hi, ahead)
        y = found.value
        for end, side in ((high, 1), (low, -1)):
            if recorded(end):
                y = y + side * _at_end(call, end, stop_gradient(low), stop_gradient(high))
        error = found.error[0, 0] + found.rough[0]
        y = scalar(xp.reshape(y, call.wanted))
        if not full_output:
            return y, scalar(error)
        return y, scalar(error), _told(way, found, where, curved, lo.shape[1], call.wanted)


def _limits(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Limits (1, 1) of one library and dtype."""
    xp = default if is_neutral(a) and is_neutral(b) else array_namespace(a, b)
    made = _plan.common_floating(name, xp, ("a", "b"), a, b, real=True)
    for label, v in zip("ab", made, strict=True):
        if v.ndim:
            raise ShapeError(
                f"{name}: {label} must be a number, got an array of the shape {tuple(v.shape)}: "
                "quad and cubature take many limits"
            )
        if is_concrete(v) and bool(array_namespace(v).isnan(v)):
            raise ArgumentError(f"{name}: {label} must not be NaN: invalid integration bounds")
    low, high = constants(list(made))
    xp = array_namespace(low, high)
    return xp.reshape(low, (1, 1)), xp.reshape(high, (1, 1))


def _same(y: Any, like: Any) -> bool:
    return is_neutral(y) or not hasattr(y, "dtype") or type(y) is type(like)


def _beside(low: Any, high: Any, y: Any) -> tuple[Any, Any]:
    """Limits that are numbers, in the library of a value."""
    if is_neutral(y) or not hasattr(y, "dtype"):
        return low, high
    xp = array_namespace(y)
    dtype = None
    if xp.isdtype(y.dtype, "real floating"):
        dtype = y.dtype
    elif xp.isdtype(y.dtype, "complex floating"):
        dtype = xp.float32 if y.dtype == xp.complex64 else xp.float64
    return tuple(
        constants([xp.asarray([[float(v[0, 0])]], dtype=dtype, device=device(y))])[0]
        for v in (low, high)
    )


def _begun(low: Any, high: Any, points: Any, quadrature: str | None) -> tuple[Any, ...]:
    xp = array_namespace(low)
    known = is_concrete(low) and is_concrete(high)
    curved = not known or not bool(xp.all(xp.isfinite(low) & xp.isfinite(high)))
    where = ranges(stop_gradient(low), stop_gradient(high), curved)
    some = None
    if points is not None and len(points):
        some = xp.asarray([[float(p)] for p in points], dtype=low.dtype, device=device(low))
    lo, hi = cells(where, some, curved)
    rule = quadrature or ("gk15" if curved and known else "gk21")
    return where, curved, lo, hi, rule


# -- the integrand ---------------------------------------------------------------------------------


class _ByNumber:
    """Call a user's function of a number."""

    def __init__(self, function: Function, args: tuple[Any, ...]) -> None:
        self.function, self.args = function, args
        self.wanted: tuple[int, ...] = ()

    def each(self, x: Any) -> list[Any]:
        return [self.function.called(v, *self.args) for v in x[:, 0].tolist()]

    def stacked(self, values: list[Any], like: Any) -> Any:
        xp = array_namespace(like)
        made = [xp.asarray(v) for v in values]
        self.wanted = tuple(made[0].shape)
        for v in made:
            if tuple(v.shape) != self.wanted:
                raise ShapeError(
                    f"quad_vec: f must return arrays of one shape, got {self.wanted} and "
                    f"{tuple(v.shape)}"
                )
        return _flat(xp.stack(made), like)

    def __call__(self, x: Any, data: Any) -> Any:
        return self.stacked(self.each(x), x)


class _Mapped:
    """Map a user's function of an array without dimensions over points."""

    def __init__(self, function: Function, args: tuple[Any, ...]) -> None:
        self.function, self.args = function, args
        self.wanted: tuple[int, ...] = ()

    def __call__(self, x: Any, data: Any) -> Any:
        y = vmap(lambda v: self.function.called(v, *self.args))(x[:, 0])
        if not hasattr(y, "shape"):
            raise ShapeError(f"quad_vec: f must return one array, got {type(y).__name__}")
        self.wanted = tuple(y.shape[1:])
        return _flat(y, x)


def _flat(y: Any, like: Any) -> Any:
    xp = array_namespace(y)
    if not xp.isdtype(y.dtype, ("bool", "numeric")):
        raise DtypeError(f"quad_vec: f must return numbers, got {y.dtype}")
    if not xp.isdtype(y.dtype, ("real floating", "complex floating")):
        y = xp.astype(y, like.dtype)
    return xp.reshape(y, (y.shape[0], math.prod(y.shape[1:])))


class _Norm:
    """Call a user's norm of each of values (N, P)."""

    def __init__(self, fun: Callable[[Any], Any], call: Any) -> None:
        self.fun, self.call = fun, call

    def __call__(self, v: Any) -> Any:
        xp = array_namespace(v)
        rows = xp.reshape(v, (v.shape[0], *self.call.wanted))
        if isinstance(self.call, _Mapped):
            return vmap(self.fun)(rows)
        found = [float(self.fun(rows[i, ...])) for i in range(rows.shape[0])]
        real = xp.abs(v).dtype
        return xp.asarray(found, dtype=real, device=device(v))


def _first(call: _ByNumber, rule: str, where: Any, curved: bool, lo: Any, hi: Any) -> list[Any]:
    """Values at the nodes of the first intervals."""
    x, _ = placed(where, nodes_at(rule, lo, hi), curved)
    return call.each(x[0, ...])


def _at_end(call: Any, end: Any, a: Any, b: Any) -> Any:
    """Nothing, with the derivative of the integral in one of its limits: the integrand there."""
    xp = array_namespace(end)
    now = stop_gradient(end)
    inner = xp.where(xp.isfinite(a), a, xp.zeros_like(a))
    inner = inner + xp.where(xp.isfinite(a) & xp.isfinite(b), (b - a) / 2, xp.ones_like(a))
    finite = xp.isfinite(now)
    tried = stop_gradient(call(xp.where(finite, now, inner), ()))
    good = finite & xp.all(xp.isfinite(tried))
    zero = xp.zeros_like(now)
    by = xp.where(good, end, zero) - xp.where(good, now, zero)
    # Between both places, so that the second derivative is right.
    y = call(xp.where(good, now, inner) + by / 2, ())
    return (xp.astype(by, y.dtype) if by.dtype != y.dtype else by) * y


def _told(
    way: Way, found: Any, where: Any, curved: bool, m: int, wanted: tuple[int, ...]
) -> QuadVecInfo:
    xp = array_namespace(found.status)
    s: Boxes = found.boxes
    low, high = (placed(where, v, curved, ends=True)[0][0, :, 0] for v in (s.lo, s.hi))
    status = found.status[0]
    one = xp.ones_like(status)
    code = xp.where(
        status == CONVERGED,
        0 * one,
        xp.where(status == ROUNDED, 2 * one, xp.where(status == NOT_FINITE, 3 * one, one)),
    )
    neval = nodes_of(way.rule, 1) * (2 * found.last[0] - m)
    known = is_concrete(code)
    xp = array_namespace(s.value)
    return QuadVecInfo(
        bool(code == 0) if known else code == 0,
        int(code) if known else code,
        int(neval) if known else neval,
        xp.stack([low, high], axis=1),
        xp.reshape(s.value[0, ...], (s.lo.shape[1], *wanted)),
        s.error[0, :, 0],
    )
