"""Integrals of functions of one variable, one or many at once, with estimates of the error."""

import functools
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _plan
from .._namespace import array_namespace, is_concrete, is_lazy, is_neutral, quiet, scalar
from .._native import native, public
from ..errors import ArgumentError, IntegrationWarning, _level
from ..solving._blocks import lanes_in_blocks
from ..solving._driver import replaced, taken
from ..solving._elementwise import Lanes, plan_lanes
from ..solving._following import is_open, recorded
from ..solving._function import Function
from ..solving._options import count
from ..solving._running import compiled_of, compiles
from ..solving._stepping import whole
from ..transforms import stop_gradient
from ._bisecting import FAILED, Problems, Way, begun, bisected, concluded, judged, placed
from ._kronrod import estimated, rule_of

__all__ = ["Asked", "integral", "quad"]

_EPS = sys.float_info.epsilon
_HINT = (
    ". It is called with arrays of points, whose last axis are the nodes of an interval, and must "
    "return a value for each, f(x) elementwise; arrays of args have there an axis of 1. A constant "
    "is x * 0 + c"
)


class _Integrand:
    """Call a user's function of points (B, n) and arguments (B, 1) or (1, 1).

    For one problem, points have one dimension, and arguments none.
    """

    def __init__(self, name: str, func: Callable[..., Any], alone: bool) -> None:
        self.function = Function(name, "func", func, hint=_HINT)
        self.alone = alone

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the function's results on which a step depends."""
        return (self.alone,), True

    def plain(self, x: Any, args: tuple[Any, ...]) -> Any:
        """Call the function so that it can be differentiated."""
        if not self.alone:
            return self.function(x, *args, spread=0)
        rest = tuple(a[0, 0] if getattr(a, "ndim", 0) == 2 else a for a in args)
        return self.function(x[0, :], *rest, spread=0)[None, :]

    @whole
    def __call__(self, x: Any, args: tuple[Any, ...]) -> Any:
        return stop_gradient(self.plain(x, args))


@public
def quad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    full_output: Any = 0,
    epsabs: float | None = None,
    epsrel: float | None = None,
    limit: int = 50,
    points: Any = None,
    complex_func: bool = False,
) -> tuple[Any, ...]:
    """Integrate a function of one variable, adaptively, one problem or a batch.

    Parameters
    ----------
    func : callable
        ``func(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``:
        `x` holds the nodes of an interval of each problem, (B, n), and arrays of `args`, broadcast
        with the limits, are (B, 1). For one problem they are (n,) and (). For one problem of
        numbers on NumPy, `x` may also be one number.
    a, b : array or number
        Limits, of any shapes that broadcast; infinite ones, too.
    args : tuple, optional
        Arguments of `func`. Arrays broadcast with the limits, and are cast to the common floating
        dtype; `func` gets other objects, including Python's numbers, unchanged.
    full_output : bool, optional
        Whether to return what is known of each problem, and give no warning.
    epsabs, epsrel : float, optional
        A problem has converged when the estimated error is at most
        ``max(epsabs, epsrel * abs(y))``. Default: the square root of eps, 1.49e-8 in double
        precision.
    limit : int, optional
        The maximum number of intervals.
    points : sequence of numbers or arrays, optional
        Places of difficulties between finite limits, such as jumps. Arrays broadcast with the
        limits, so that each problem has places of its own.
    complex_func : bool, optional
        Whether `func` is complex: its real and imaginary parts are integrated one after the other.

    Returns
    -------
    y : array
        The integrals, of the broadcast shape.
    abserr : array
        Estimates of their absolute errors.
    infodict : dict
        With `full_output`: 'neval', the number of evaluations; 'last', that of intervals; 'ier', 0
        where it has converged, else SciPy's numbers, 1 to 5, and 6 for values that aren't finite;
        arrays of the shape of `y`. With `complex_func` such a dict for 'real' and for 'imag'.
    message : str
        With `full_output`, if a problem has not converged.

    Warns
    -----
    IntegrationWarning
        If a problem has not converged, without `full_output`, and the status can be read.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `func`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `func` returns another shape than that of `x`.
    ArgumentError
        If a tolerance can't be met, `limit` is below 1, or `points` come with infinite limits.

    Notes
    -----
    The algorithms QAGS, QAGI and QAGP of QUADPACK (R. Piessens et al., 1983): rules of Gauss and
    Kronrod of 21 nodes (15 if all ranges are infinite), bisection of the interval of the largest
    error, and Wynn's extrapolation. Each problem is bisected by itself, and those that have ended
    are dropped on eager host arrays, so what differs between problems must reach `func` through
    `args`. Infinite ranges are mapped to finite ones, by ``a + (1 - t) / t``, or by
    ``t / (1 - t**2)`` for all real numbers.

    Differentiable twice with respect to finite limits, by the fundamental theorem, and with respect
    to `args` and to what `func` closes over: under the integral sign, on the intervals that were
    found, without extrapolation. If `func` has singularities, the tolerance of the derivative is
    that of the sum over the intervals. Under `jit` derivatives cost `limit` intervals. On JAX,
    compiled code is reused if the trace of `func` is the same.

    Differs from SciPy: batches; no `weight`; fewer keys in `infodict`; the default tolerances in
    single precision; a batch gives one warning.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import quad
    >>> y, error = quad(lambda x, c: np.exp(-c * x), 0.0, np.inf, args=(np.asarray([1.0, 4.0]),))
    >>> y.round(9)
    array([1.  , 0.25])
    >>> bool(np.all(error < 1e-8))
    True
    """
    name = "quad"
    if complex_func:
        return _of_complex(
            func,
            lambda part: quad(part, a, b, args, True, epsabs, epsrel, limit, points),
            full_output,
        )
    y, error, code, last, evaluations = integral(
        name, func, a, b, args, Asked(epsabs, epsrel, limit, points)
    )
    told = {"neval": evaluations, "last": last, "ier": code}
    text = "" if is_lazy(code) else _message(code)
    if full_output:
        return (y, error, told, text) if text else (y, error, told)
    if text:
        warnings.warn(f"quad: {text}", IntegrationWarning, stacklevel=_level())
    return y, error


class Asked(NamedTuple):
    """The options of an integral."""

    epsabs: float | None = None
    epsrel: float | None = None
    limit: int = 50
    points: Any = None
    row: bool = True  # whether the row may call the function with numbers


def integral(
    name: str, func: Callable[..., Any], a: Any, b: Any, args: Any, asked: Asked
) -> tuple[Any, ...]:
    """Return integrals, errors, status, intervals and evaluations of a public function."""
    given = {"a": a, "b": b}
    if asked.points is not None:
        given |= {f"points[{i}]": p for i, p in enumerate(_listed(asked.points))}
    if type(a) is not float or type(b) is not float or args != () or len(given) > 2:
        few = asked.points is not None

        def of_block(ends: tuple[Any, ...], rest: tuple[Any, ...]) -> tuple[Any, ...]:
            some = asked._replace(points=ends[2:] if few else None)
            return integral(name, func, ends[0], ends[1], rest, some)

        found = lanes_in_blocks(name, of_block, given, args, {"func": func})
        if found is not None:
            return found
    lanes = plan_lanes(name, func, given, args)
    return _integrated(lanes.points[0], lanes, func, _way(name, lanes, (a, b), asked))


def _listed(points: Any) -> list[Any]:
    """Places of difficulties, numbers or arrays."""
    if getattr(points, "ndim", 1) == 0:
        return [points]
    return [points[i] for i in range(points.shape[0])] if hasattr(points, "ndim") else list(points)


def _of_complex(
    func: Callable[..., Any], integrate: Callable[..., tuple[Any, ...]], full_output: Any
) -> tuple[Any, ...]:
    def part(name: str) -> Callable[..., Any]:
        def call(x: Any, *args: Any) -> Any:
            out = func(x, *args)
            if hasattr(out, "shape") and not is_neutral(out):
                xp = array_namespace(out)
                if _plan.is_complex(xp, out.dtype):
                    return getattr(xp, name)(out)
                return out if name == "real" else out * 0
            return getattr(out, name)

        return call

    real, imag = (integrate(part(name)) for name in ("real", "imag"))
    y, error = real[0] + 1j * imag[0], real[1] + 1j * imag[1]
    if full_output:
        return y, error, {"real": real[1:], "imag": imag[1:]}
    for found in (real, imag):
        if len(found) > 3:
            warnings.warn(f"quad: {found[3]}", IntegrationWarning, stacklevel=_level())
    return y, error


def _message(code: Any) -> str:
    """Tell which problems have not converged; reads the status."""
    if is_neutral(code) or not code.ndim:
        return FAILED.get(int(code), "")  # likewise: ignore[LW203]: asked for without a status
    xp = array_namespace(code)
    wrong = int(xp.count_nonzero(code))  # likewise: ignore[LW203]: asked for without a status
    if not wrong:
        return ""
    worst = int(xp.max(code))  # likewise: ignore[LW203]: only where some failed
    return (
        f"{wrong} of {math.prod(code.shape)} integrals did not converge, the worst with status "
        f"{worst}: {FAILED[worst]}. full_output=True returns the status of each"
    )


def _way(name: str, lanes: Lanes, given: tuple[Any, Any], asked: Asked) -> Way:
    a, b = lanes.points[:2]
    epsabs, epsrel = asked.epsabs, asked.epsrel
    xp = array_namespace(a)
    eps = _EPS if a.dtype == xp.float64 else float(xp.finfo(a.dtype).eps)
    absolute = eps**0.5 if epsabs is None else float(epsabs)
    relative = eps**0.5 if epsrel is None else float(epsrel)
    if absolute <= 0 and relative < 50 * eps:
        raise ArgumentError(
            f"{name}: epsabs is {absolute!r}, and epsrel {relative!r} less than what rounding "
            f"allows, {50 * eps:.2g}: raise one of them"
        )
    most = count(name, "limit", asked.limit, 50, least=1)
    known, some, every = True, True, False  # whether ranges may be infinite, or all are
    if type(given[0]) is type(given[1]) is float:
        some = every = not (math.isfinite(given[0]) and math.isfinite(given[1]))
    elif is_concrete(a) and is_concrete(b):
        finite = xp.isfinite(a) & xp.isfinite(b)
        some = not bool(xp.all(finite))
        every = some and not bool(xp.any(finite))
    else:
        known = False
    if asked.points is not None:
        if known and some:
            raise ArgumentError(f"{name}: points need finite limits: split an infinite range there")
        some = every = False
    split = asked.points is not None
    return Way(15 if every else 21, most, absolute, relative, some, split, asked.row)


def _alone(first: Any, lanes: Lanes, func: Any, way: Way) -> bool:
    """one problem of float64 with numbers as arguments, outside of transforms."""
    numbers = all(type(v) in (float, int) for v in lanes.args)
    return way.row and numbers and lanes.alone() and not is_open()


@native(numpy="likewise._libs.numpy._integrals:quad", when=_alone)
def _integrated(first: Any, lanes: Lanes, func: Any, way: Way) -> tuple[Any, ...]:
    """Integrals, errors, status, intervals and evaluations."""
    xp = array_namespace(first)
    fun = _Integrand("quad", func, lanes.shape == ())
    args = tuple(v[:, None] if _is_array(v) else v for v in lanes.args)
    a, b, *points = lanes.points
    with quiet(first):
        bound, turn, sign, lo, hi = _ranges(xp, stop_gradient(a), stop_gradient(b), way)
        problems = Problems(bound, turn, tuple(map(_constant, args)))
        ends = _partition(xp, lo, hi, points)
        y, error, code, last, sums = _found(way, fun, problems, ends, args)
        y = sign * y
        if sums is not None:
            y = y + (sign * sums - stop_gradient(sign * sums))
        for end, side in ((b, 1), (a, -1)):
            if recorded(end):
                y = y + side * _at_end(xp, fun, end, args, (a, b))
    neval = way.nodes * (2 * last - (ends.shape[1] - 1))
    return tuple(_shaped(lanes, v) for v in (y, error, code, last, neval))


def _is_array(x: Any) -> bool:
    return getattr(x, "ndim", 0) > 0  # NumPy's scalars go to functions as they came


def _constant(x: Any) -> Any:
    return stop_gradient(x) if _is_array(x) else x


def _shaped(lanes: Lanes, x: Any) -> Any:
    out = lanes.shaped(x)
    return scalar(out) if not lanes.shape else out


def _ranges(xp: Any, a: Any, b: Any, way: Way) -> tuple[Any, ...]:
    """How points follow from places, the sign of the integral, and the ends of the places."""
    one, zero = xp.ones_like(a), xp.zeros_like(a)
    if not way.curved:
        return zero, zero, one, a, b
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    down, up = low == -xp.inf, high == xp.inf
    infinite = down | up
    sign = xp.where(infinite & (a > b), -one, one)
    turn = xp.where(down & up, 2 * one, xp.where(up, one, xp.where(down, -one, zero)))
    bound = xp.where(up & ~down, low, xp.where(down & ~up, high, zero))
    lo = xp.where(infinite, xp.where(down & up, -one, zero), a)
    hi = xp.where(infinite, one, b)
    empty = infinite & (a == b)
    bound = xp.where(empty, zero, bound)
    return bound, turn, sign, xp.where(empty, one / 2, lo), xp.where(empty, one / 2, hi)


def _partition(xp: Any, lo: Any, hi: Any, points: Any) -> Any:
    """The ends of the first intervals, (B, m + 1)."""
    if not points:
        return xp.stack([lo, hi], axis=1)
    some = xp.stack([stop_gradient(p) for p in points], axis=1)
    low, high = xp.minimum(lo, hi)[:, None], xp.maximum(lo, hi)[:, None]
    inside = xp.minimum(xp.maximum(xp.sort(some, axis=1), low), high)
    inside = xp.where((hi < lo)[:, None], xp.flip(inside, axis=1), inside)
    return xp.concat([lo[:, None], inside, hi[:, None]], axis=1)


def _found(
    way: Way, fun: _Integrand, problems: Problems, ends: Any, args: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Results, and sums over the intervals that can be differentiated, or None."""
    xp = array_namespace(ends)
    lo, hi = ends[:, :-1], ends[:, 1:]
    rule = rule_of(ends, way.nodes)
    parts, sums, asked = [], 0.0, False
    for i in range(lo.shape[1]):
        half = (hi[:, i] - lo[:, i]) / 2
        places = (lo[:, i] + half)[:, None] + half[:, None] * rule[0]
        x, weight = placed(problems, places, way.curved)
        y = fun.plain(x, args)
        asked = asked or recorded(y)
        if way.split:  # there may be a singularity where points are the same
            y = xp.where(half[:, None] == 0, xp.zeros_like(y), y)
        if way.curved:
            y = y * weight
        parts.append(estimated(stop_gradient(y), half, rule))
        if asked:
            sums = sums + xp.sum(y * rule[1], axis=1) * half
    if lo.shape[1] == 1 and is_concrete(parts[0].value):
        # Most integrals need no more than one interval, and no lists of intervals.
        (part,) = parts
        _, code, ended = judged(way, part.value, part.error, part.size, part.spread, way.limit == 1)
        one = xp.ones_like(code)
        found = part.value, part.error, xp.where(code > 2, code - 1, code), one
        if bool(xp.all(ended)):
            return *found, sums if asked else None
        if not asked:
            rest = functools.partial(_some, way, fun, problems, ends, part)
            return *replaced(found, ~ended, rest), None
    s = _more(way, fun, problems, begun(way, lo, hi, parts))
    y, error, code = concluded(s)
    if asked:
        most = s.lo.shape[1]
        if is_concrete(s.last) and 0 not in s.last.shape:
            most = int(xp.max(s.last))
        sums = 0.0
        for i in range(most):
            there = s.last > i  # else the first interval is another time, for nothing
            low, high = (xp.where(there, v[:, i], v[:, 0]) for v in (s.lo, s.hi))
            half = (high - low) / 2
            places = (low + half)[:, None] + half[:, None] * rule[0]
            half = xp.where(there, half, xp.zeros_like(half))
            x, weight = placed(problems, places, way.curved)
            sums = sums + xp.sum(fun.plain(x, args) * weight * rule[1], axis=1) * half
    return y, error, code, s.last, sums if asked else None


def _some(
    way: Way, fun: _Integrand, problems: Problems, ends: Any, part: Any, ids: Any
) -> tuple[Any, ...]:
    """Results of the problems of these numbers."""
    problems, ends, part = taken((problems, ends, part), ids)
    s = _more(way, fun, problems, begun(way, ends[:, :1], ends[:, 1:], [part]))
    return *concluded(s), s.last


def _more(way: Way, fun: _Integrand, problems: Problems, first: Any) -> Any:
    run = _compiled if compiles(first.lo) else bisected
    return run(way, fun, problems, first)


def _compiled(way: Way, fun: _Integrand, problems: Problems, first: Any) -> Any:
    moving = [i for i, v in enumerate(problems.args) if _is_array(v)]
    arrays = tuple(problems.args[i] for i in moving)

    def call(x: Any, *arrays: Any) -> Any:
        now = dict(zip(moving, arrays, strict=True))
        return fun.plain(x, tuple(now.get(i, v) for i, v in enumerate(problems.args)))

    x = first.lo[:, :1] + array_namespace(first.lo).zeros_like(rule_of(first.lo, way.nodes)[0])
    found, _ = compiled_of(
        x, _traced, way, [(call, (x, *arrays))], problems.bound, problems.turn, arrays, first
    )
    return found


def _traced(
    way: Way, functions: Any, bound: Any, turn: Any, arrays: tuple[Any, ...], first: Any
) -> Any:
    (call,) = functions
    with quiet(bound):
        fun = functools.partial(_as_constant, call)
        return bisected(way, fun, Problems(bound, turn, arrays), first)


def _as_constant(call: Any, x: Any, args: tuple[Any, ...]) -> Any:
    return stop_gradient(call(x, *args))


def _at_end(xp: Any, fun: _Integrand, end: Any, args: tuple[Any, ...], both: Any) -> Any:
    """Nothing, with the derivative of the integral in one of its limits: the integrand there."""
    now = stop_gradient(end)
    a, b = (stop_gradient(v) for v in both)
    inner = xp.where(xp.isfinite(a), a, xp.zeros_like(a))
    inner = inner + xp.where(xp.isfinite(a) & xp.isfinite(b), (b - a) / 2, xp.ones_like(a))
    finite = xp.isfinite(now)
    there = xp.where(finite, now, inner)
    tried = stop_gradient(fun.plain(there[:, None], tuple(map(_constant, args))))[:, 0]
    good = finite & xp.isfinite(tried)
    by = xp.where(good, end, xp.zeros_like(now)) - xp.where(good, now, xp.zeros_like(now))
    # Between both places, so that the second derivative is right.
    point = xp.where(good, now, inner) + by / 2
    return by * fun.plain(point[:, None], args)[:, 0]
