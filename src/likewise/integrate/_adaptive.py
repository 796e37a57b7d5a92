"""Integrals of functions of one variable, one or many at once, with estimates of the error."""

import functools
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _plan
from .._namespace import array_namespace, device, is_concrete, is_lazy, is_neutral, quiet, scalar
from .._native import native, public, switched
from ..errors import ArgumentError, IntegrationWarning, NotSupported, _level
from ..solving._blocks import lanes_in_blocks
from ..solving._driver import joined, replaced, taken
from ..solving._elementwise import Lanes, plan_lanes
from ..solving._few import by_one, few
from ..solving._following import is_open, recorded
from ..solving._function import Function
from ..solving._options import count
from ..solving._running import compiled_of, compiles
from ..solving._stepping import whole
from ..transforms import stop_gradient
from ._bisecting import (
    FAILED,
    Problems,
    Way,
    begun,
    bisected,
    concluded,
    judged,
    measured,
)
from ._carrying import carrying
from ._cycles import by_cycles, started, tail
from ._first import at_first
from ._followed import at_end, constant, is_array, moving, sums_of
from ._kronrod import rule_of
from ._rules import usual
from ._weights import WEIGHTS, prepared, weighing

__all__ = ["Asked", "integral", "quad"]

_PIECE = 2048  # problems at once, whose arrays stay in the cache
_EPS = sys.float_info.epsilon
_NUMBERS = float, int
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
    weight: str | None = None,
    wvar: Any = None,
    wopts: Any = None,
    maxp1: int = 50,
    limlst: int = 50,
    complex_func: bool = False,
) -> tuple[Any, ...]:
    """Integrate a function of one variable, adaptively, one problem or a batch.

    Parameters
    ----------
    func : callable
        ``func(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``:
        `x` holds the nodes of an interval of each problem, (B, n), and arrays of `args`, broadcast
        with the limits, are (B, 1). For one problem they are (n,) and (). For one problem of
        numbers on NumPy, and for a few of a batch that need more intervals, `x` and `args` may
        also be numbers.
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
    weight : {'cos', 'sin', 'alg', 'alg-loga', 'alg-logb', 'alg-log', 'cauchy'}, optional
        What `func` is multiplied by: ``cos(w * x)`` or ``sin(w * x)``, also for ranges that are
        all infinite at one end, in any order; ``(x - a)**alpha * (b - x)**beta``, without or with a
        factor ``log(x - a)``, ``log(b - x)`` or both, where a is the lower limit; or ``1 / (x -
        c)``, of which the principal value is taken.
    wvar : number, array or pair, optional
        w, (alpha, beta) above -1, or c; arrays broadcast with the limits.
    wopts : tuple, optional
        Nothing: moments of SciPy's, which are computed anew.
    maxp1 : int, optional
        A number of moments, for SciPy's routine on NumPy.
    limlst : int, optional
        The maximum number of cycles of a wave on infinite ranges, at least 3.
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
        where it has converged, else SciPy's numbers, 1 to 5 and 7, 6 for values not finite;
        arrays of the shape of `y`. With `complex_func` such a dict for 'real' and for 'imag'.
    message : str
        With `full_output`, if a problem has not converged.

    Warns
    -----
    IntegrationWarning
        If a problem has not converged, without `full_output`, and the status can be read; if
        `points` come with a weight, which are ignored.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `func`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `func` returns another shape than that of `x`.
    ArgumentError
        If a tolerance can't be met, `limit` is below 1, `points` come with infinite limits, a
        weight is unknown, or has infinite limits or numbers for which it has no integral.
    NotSupported
        For derivatives of a wave on an infinite range whose cycles don't alternate, such as of
        ``w = 0``; where values can't be read, they are NaN.

    Notes
    -----
    The algorithms QAGS, QAGI and QAGP of QUADPACK (R. Piessens et al., 1983): rules of Gauss and
    Kronrod of 21 nodes (15 if all ranges are infinite), bisection of the interval of the largest
    error, and Wynn's extrapolation. With a weight, QAWO, QAWF, QAWS and QAWC: the interpolant at 25
    extrema of Chebyshev's polynomials, times the weight, on each interval. Each problem is bisected
    by itself, and those that have ended are dropped on eager host arrays, where 2048 problems are
    integrated at once; so what differs between problems must reach `func` through `args`. Infinite
    ranges are mapped to finite ones, by ``a + (1 - t) / t``, or by ``t / (1 - t**2)`` for all real
    numbers.

    Differentiable twice with respect to finite limits, by the fundamental theorem, and with respect
    to `args` and to what `func` closes over: under the integral sign, on the intervals that were
    found; where extrapolation ended the run, by rules of Takahasi and Mori on each of them, for
    singularities at the ends. With a weight, differentiable in its numbers, too, and in limits by
    intervals that move with them; on infinite ranges, beyond the first cycles, under an alternating
    sum (H. Cohen et al., 2000), if that gives the integral. Under `jit` derivatives cost `limit`
    intervals. On JAX, compiled code is reused if the trace of `func` is the same.

    Differs from SciPy: batches; fewer keys in `infodict`; the
    default tolerances in single precision; a batch gives one warning.

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
            lambda part: quad(
                *(part, a, b, args, True, epsabs, epsrel, limit, points),
                *(weight, wvar, wopts, maxp1, limlst),
            ),
            full_output,
        )
    asked = Asked(epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1, limlst)
    known = _of_numbers(func, a, b, args, asked) if points is None else None
    if known is None:
        known = integral(name, func, a, b, args, asked)
    elif not (full_output or known[2]):
        return known[:2]
    y, error, code, last, evaluations = known
    told = {"neval": evaluations, "last": last, "ier": code}
    text = "" if is_lazy(code) else _message(code)
    if full_output:
        return (y, error, told, text) if text else (y, error, told)
    if text:
        warnings.warn(f"quad: {text}", IntegrationWarning, stacklevel=_level())
    return y, error


def _of_numbers(
    func: Callable[..., Any], a: Any, b: Any, args: Any, asked: "Asked"
) -> tuple[Any, ...] | None:
    """Return what the row finds for limits that are numbers, without a plan, or None."""
    if not (isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS)) or switched() is not None:
        return None
    a, b = float(a), float(b)
    infinite = not (math.isfinite(a) and math.isfinite(b))
    weight, points = asked.weight, (a, b)
    if weight is not None:
        points = (a, b, *_numbers(asked.wvar))
        if infinite or not _has_weight(weight, points):
            return None
    try:
        way = _way_of_numbers(
            *(asked.epsabs, asked.epsrel, asked.limit, infinite, weight, asked.maxp1)
        )
    except TypeError:  # options that aren't numbers
        return None
    lanes = Lanes(points, args if args.__class__ is tuple else (args,), ())
    found = _integrated.quick(usual(), lanes, func, way)  # type: ignore[attr-defined]
    return None if found is NotImplemented else found


def _numbers(wvar: Any) -> tuple[float, ...]:
    some = wvar if isinstance(wvar, tuple | list) else (wvar,)
    return tuple(map(float, some)) if all(isinstance(v, _NUMBERS) for v in some) else ()


def _has_weight(weight: Any, points: tuple[float, ...]) -> bool:
    """Tell if limits and a weight's numbers are what it needs."""
    a, b, *wvar = points
    if weight in ("cos", "sin", "cauchy"):
        return len(wvar) == 1 and (weight != "cauchy" or wvar[0] not in (a, b))
    return weight in WEIGHTS and len(wvar) == 2 and min(wvar) > -1


@functools.lru_cache(typed=True)
def _way_of_numbers(
    epsabs: Any, epsrel: Any, limit: Any, infinite: bool, weight: str | None, maxp1: Any
) -> Way:
    absolute, relative = _tolerances("quad", _EPS, epsabs, epsrel)
    most = count("quad", "limit", limit, 50, least=1)
    if weight is None:
        return Way(15 if infinite else 21, most, absolute, relative, infinite)
    moments = count("quad", "maxp1", maxp1, 50, least=1)
    return Way(25, most, absolute, relative, False, weight=weight, moments=moments)


class Asked(NamedTuple):
    """The options of an integral."""

    epsabs: float | None = None
    epsrel: float | None = None
    limit: int = 50
    points: Any = None
    weight: str | None = None
    wvar: Any = None
    wopts: Any = None  # moments of SciPy's, which are made anew
    maxp1: int = 50
    limlst: int = 50
    row: bool = True  # whether the row may call the function with numbers


def integral(
    name: str, func: Callable[..., Any], a: Any, b: Any, args: Any, asked: Asked
) -> tuple[Any, ...]:
    """Return integrals, errors, status, intervals and evaluations of a public function."""
    if asked.points is not None and asked.weight is not None:
        text = f"{name}: points go with no weight, and are ignored: split the range there"
        warnings.warn(text, IntegrationWarning, stacklevel=_level())
        asked = asked._replace(points=None)
    points = [] if asked.points is None else _listed(asked.points)
    wvar = _variables(name, asked)
    given = {"a": a, "b": b} | {f"points[{i}]": p for i, p in enumerate(points)}
    given |= {f"wvar[{i}]": v for i, v in enumerate(wvar)}
    if type(a) is not float or type(b) is not float or args != () or len(given) > 2:
        n = len(points) + 2

        def of_block(ends: tuple[Any, ...], rest: tuple[Any, ...]) -> tuple[Any, ...]:
            some = asked._replace(points=ends[2:n] or None)
            if wvar:
                some = some._replace(wvar=ends[n:] if len(wvar) > 1 else ends[n])
            return integral(name, func, ends[0], ends[1], rest, some)

        found = lanes_in_blocks(name, of_block, given, args, {"func": func})
        if found is not None:
            return found
    lanes = plan_lanes(name, func, given, args)
    return _integrated(lanes.points[0], lanes, func, _way(name, lanes, (a, b), asked))


def _variables(name: str, asked: Asked) -> list[Any]:
    weight, wvar = asked.weight, asked.wvar
    if weight is None:
        return []
    if weight not in WEIGHTS:
        raise ArgumentError(f"{name}: weight must be one of {WEIGHTS}, got {weight!r}")
    if not weight.startswith("alg"):
        if wvar is None:
            raise ArgumentError(f"{name}: weight {weight!r} needs its number in wvar, got None")
        return [wvar]
    pair = list(wvar) if isinstance(wvar, tuple | list) else _listed(wvar)
    if len(pair) != 2:
        raise ArgumentError(f"{name}: weight {weight!r} needs wvar=(alpha, beta), got {wvar!r}")
    return pair


def _listed(points: Any) -> list[Any]:
    """Places of difficulties, numbers or arrays."""
    if isinstance(points, _NUMBERS) or getattr(points, "ndim", 1) == 0:
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
    xp = array_namespace(a)
    eps = _EPS if a.dtype == xp.float64 else float(xp.finfo(a.dtype).eps)
    absolute, relative = _tolerances(name, eps, asked.epsabs, asked.epsrel)
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
    split = 0 if asked.points is None else len(_listed(asked.points))
    if split:
        if known and some:
            raise ArgumentError(f"{name}: points need finite limits: split an infinite range there")
        some = every = False
    if asked.weight is None:
        return Way(15 if every else 21, most, absolute, relative, some, split, asked.row)
    infinite = (known and some) or any(type(v) is float and math.isinf(v) for v in given)
    way = Way(
        *(25, most, absolute, relative, False, 0, asked.row, asked.weight),
        moments=count(name, "maxp1", asked.maxp1, 50, least=1),
    )
    _check_weight(name, lanes, way, infinite)
    if not infinite:
        return way
    if absolute <= 0:
        raise ArgumentError(
            f"{name}: an infinite range with a wave needs epsabs above 0, got {absolute!r}"
        )
    return way._replace(cycles=count(name, "limlst", asked.limlst, 50, least=3))


def _tolerances(name: str, eps: float, epsabs: Any, epsrel: Any) -> tuple[float, float]:
    usual = eps**0.5
    absolute, relative = (
        usual if v is None else _number(name, option, v)
        for option, v in (("epsabs", epsabs), ("epsrel", epsrel))
    )
    if absolute <= 0 and relative < 50 * eps:
        raise ArgumentError(
            f"{name}: epsabs is {absolute!r}, and epsrel {relative!r} less than what rounding "
            f"allows, {50 * eps:.2g}: raise one of them"
        )
    return absolute, relative


def _number(name: str, option: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: {option} must be a real number, got {value!r}") from None


def _check_weight(name: str, lanes: Lanes, way: Way, infinite: bool) -> None:
    weight = way.weight
    a, b, *wvar = lanes.points
    if infinite and weight not in ("cos", "sin"):
        raise ArgumentError(f"{name}: weight {weight!r} needs finite limits, got an infinite one")
    if not all(map(is_concrete, lanes.points)):
        return
    xp = array_namespace(a)
    if infinite and not bool(
        xp.all((xp.isfinite(a) & xp.isinf(b)) | (xp.isfinite(b) & xp.isinf(a)))
    ):
        raise ArgumentError(
            f"{name}: weight {weight!r} needs ranges that are all finite, or all with one infinite "
            "limit"
        )
    if weight == "cauchy" and bool(xp.any((wvar[0] == a) | (wvar[0] == b))):
        raise ArgumentError(
            f"{name}: with weight 'cauchy' the pole wvar must not be a limit: there is no integral"
        )
    if weight.startswith("alg") and not bool(xp.all((wvar[0] > -1) & (wvar[1] > -1))):
        raise ArgumentError(f"{name}: the exponents in wvar must be above -1: there is no integral")


def _alone(first: Any, lanes: Lanes, func: Any, way: Way) -> bool:
    """one problem of float64 with numbers as arguments, outside of transforms."""
    if lanes.shape or not way.row or is_open():
        return False
    for v in lanes.args:
        if not isinstance(v, _NUMBERS):
            return False
    return bool(first.dtype == array_namespace(first).float64)


@native(numpy="likewise._libs.numpy._integrals:quad", when=_alone)
def _integrated(first: Any, lanes: Lanes, func: Any, way: Way) -> tuple[Any, ...]:
    """Integrals, errors, status, intervals and evaluations."""
    found = None
    many = lanes.shape != () or not way.row  # of one problem, an integral within it is many
    if many and not (way.weight or way.split or is_open() or compiles(first)):
        found = at_first(way, _Integrand("quad", func, lanes.shape == ()), lanes)
    if found is None:
        found = _by_pieces(lanes, func, way)
    else:
        found, ended = found
        if ended is not None:
            found = replaced(found, ~ended, lambda ids: _others(taken(lanes, ids), func, way))
    return tuple(_shaped(lanes, v) for v in found)


def _others(lanes: Lanes, func: Any, way: Way) -> tuple[Any, ...]:
    """Results of problems that need more than one interval: a few by the row, one by one."""
    first = lanes.points[0]
    size = int(first.shape[0])
    if not way.row or few("quad", first, size, func) is None:
        return _by_pieces(lanes, func, way)
    xp, where = array_namespace(first), device(first)

    def listed(v: Any) -> list[Any]:
        if not is_array(v):
            return [v] * size
        return v.tolist() if v.shape[0] == size else v.tolist() * size

    points = list(zip(*map(listed, lanes.points), strict=True))
    args = list(zip(*map(listed, lanes.args), strict=True)) or [()] * size

    def alone(i: int) -> Any:
        return _integrated.quick(first, Lanes(points[i], args[i], ()), func, way)  # type: ignore[attr-defined]

    def packed(found: list[Any]) -> tuple[Any, ...]:
        rows = list(zip(*found, strict=True))
        values = (
            xp.asarray(list(map(float, v)), dtype=first.dtype, device=where) for v in rows[:2]
        )
        counts = (xp.asarray(list(map(int, v)), dtype=xp.int32, device=where) for v in rows[2:])
        return *values, *counts

    def together(ids: Any) -> tuple[Any, ...]:
        return _by_pieces(taken(lanes, xp.asarray(ids, device=where)), func, way)

    return by_one(size, alone, together, 2, packed=packed)


def _by_pieces(lanes: Lanes, func: Any, way: Way) -> tuple[Any, ...]:
    first = lanes.points[0]
    size = int(first.shape[0])
    if size <= _PIECE or not is_concrete(first):
        return _solved(lanes, func, way)
    parts = [_solved(taken(lanes, slice(i, i + _PIECE)), func, way) for i in range(0, size, _PIECE)]
    return joined(parts)


def _solved(lanes: Lanes, func: Any, way: Way) -> tuple[Any, ...]:
    xp = array_namespace(lanes.points[0])
    fun = _Integrand("quad", func, lanes.shape == ())
    args = tuple(v[:, None] if is_array(v) else v for v in lanes.args)
    a, b, *more = lanes.points
    constants = tuple(map(constant, args))
    with quiet(a):
        if way.cycles:
            return _cycled(way, fun, lanes, func, constants, args)
        ends, problems, sign = _begin(xp, tuple(map(stop_gradient, lanes.points)), way, constants)
        (y, error, code, last), followed = _found(way, fun, problems, ends, args, lanes)
        # No interval has no integral, whatever is there.
        empty, zero = ends[:, 0] == ends[:, -1], xp.zeros_like(y)
        y, error = xp.where(empty, zero, sign * y), xp.where(empty, zero, error)
        code = xp.where(empty, xp.zeros_like(code), code)
        sums = None
        if followed is not None:
            sums = (moving if way.weight else sums_of)(way, fun, problems, lanes, followed, args)
            sums = sign * sums
        for end, side in ((b, 1), (a, -1)):
            if recorded(end) and not way.weight:
                more = side * at_end(xp, fun, end, args, (a, b))
                sums = more if sums is None else sums + more
        if sums is not None:
            y = carrying(y, sums)
    neval = way.nodes * (2 * last - (ends.shape[1] - 1))
    return y, error, code, last, neval


def _cycled(
    way: Way,
    fun: _Integrand,
    lanes: Lanes,
    func: Any,
    constants: tuple[Any, ...],
    args: tuple[Any, ...],
) -> tuple[Any, ...]:
    a, b, omega = lanes.points
    xp = array_namespace(a)
    backward = stop_gradient(a) > stop_gradient(b)
    points = xp.where(backward, b, a), xp.where(backward, a, b), omega
    lanes = Lanes(points, lanes.args, lanes.shape)
    a, b, omega = map(stop_gradient, points)
    start, turn = started(a, b)
    x = start[:, None] + turn[:, None] * (1 + rule_of(a, 15)[0])
    followed = any(map(recorded, (*lanes.points, fun.plain(x, args))))
    moving = [i for i, v in enumerate(constants) if is_array(v)]
    arrays = tuple(constants[i] for i in moving)
    if compiles(a):
        call = _of_arrays(fun, constants, moving)
        found, _ = compiled_of(
            a, _traced_cycles, way, [(call, (x, *arrays))], (a, b), omega, arrays
        )
    else:
        found = by_cycles(way, fun, (a, b), omega, constants)
    y, error, *rest = found
    if followed:
        ends, turned, far = tail(way, fun, lanes.points, args)
        inner = Lanes((*ends, lanes.points[2]), lanes.args, lanes.shape)
        near = _solved(inner, func, way._replace(cycles=0))[0]
        sums = turned * (near + far)
        # It is another sum, which may not have the same limit.
        good = (abs(stop_gradient(sums) - y) <= 1000 * (error + way.epsabs)) | (y != y)
        if is_concrete(good) and not bool(xp.all(good)):
            raise NotSupported(
                "quad: derivatives of a wave over an infinite range need cycles that alternate, "
                "and these don't: integrate the derivative of func, or use stop_gradient"
            )
        change = sums - stop_gradient(sums)
        wrong = xp.where(good, xp.ones_like(change), change)
        y = y + xp.where(good, change, xp.sqrt(wrong * wrong))  # else not a number
    return xp.where(backward, -y, y), error, *rest


def _traced_cycles(way: Way, functions: Any, ends: Any, omega: Any, arrays: Any) -> Any:
    (call,) = functions
    with quiet(omega):
        return by_cycles(way, functools.partial(_as_constant, call), ends, omega, arrays)


def _begin(
    xp: Any, given: tuple[Any, ...], way: Way, args: tuple[Any, ...]
) -> tuple[Any, Problems, Any]:
    """The ends of the first intervals, the problems, and the sign of the integral."""
    a, b, *more = given
    if way.weight:
        low, high = xp.minimum(a, b), xp.maximum(a, b)
        sign = xp.where(a > b, -xp.ones_like(a), xp.ones_like(a))
        ends = [low, high]
        if way.weight.startswith("alg"):
            ends = [low, low + (high - low) / 2, high]
        problems = Problems(sign, sign, args, prepared(way.weight, low, high, tuple(more)))
        return xp.stack(ends, axis=1), problems, sign
    bound, turn, sign, lo, hi = _ranges(xp, a, b, way)
    return _partition(xp, lo, hi, more), Problems(bound, turn, args), sign


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
    way: Way, fun: _Integrand, problems: Problems, ends: Any, args: tuple[Any, ...], lanes: Lanes
) -> tuple[tuple[Any, ...], Any]:
    """Results, and the intervals to differentiate on, or None."""
    lo, hi = ends[:, :-1], ends[:, 1:]
    asked = bool(way.weight) and any(map(recorded, lanes.points))

    def first(x: Any, _: Any) -> Any:
        nonlocal asked
        y = fun.plain(x, args)
        asked = asked or recorded(y)
        return stop_gradient(y)

    rule = weighing(ends) if way.weight else rule_of(ends, way.nodes)
    parts = measured(way, first, problems, lo, hi, rule)
    if lo.shape[1] == 1 and is_concrete(parts.value):
        # Most integrals need no more than one interval, and no lists of intervals.
        value, error, total, spread = (v[:, 0] for v in parts)
        single = way.limit == 1
        _, code, ended = judged(way, problems, value, error, total, spread, single)
        xp = array_namespace(code)
        found = value, error, xp.where(code > 2, code - 1, code), xp.ones_like(code)
        if bool(xp.all(ended)):
            return found, (lo, hi, lo == lo, True) if asked else None
        if not asked:
            rest = functools.partial(_some, way, fun, problems, ends, parts)
            return replaced(found, ~ended, rest), None
    s = _more(way, fun, problems, begun(way, problems, lo, hi, parts))
    *ended, by_sum = concluded(s)
    if not asked:
        return (*ended, s.last), None
    xp, most = array_namespace(ends), int(s.lo.shape[1])
    if is_concrete(s.last) and 0 not in s.last.shape:
        most = int(xp.max(s.last))
    there = xp.arange(most, device=device(ends)) < s.last[:, None]
    # Where there is none, the first another time, for nothing.
    low, high = (xp.where(there, v[:, :most], v[:, :1]) for v in (s.lo, s.hi))
    # In compiled code nobody knows; integrals within integrals would need too many nodes.
    summed = bool(xp.all(by_sum)) if is_concrete(by_sum) else not way.row
    return (*ended, s.last), (low, high, there, summed)


def _some(
    way: Way, fun: _Integrand, problems: Problems, ends: Any, parts: Any, ids: Any
) -> tuple[Any, ...]:
    """Results of the problems of these numbers."""
    problems, ends, parts = taken((problems, ends, parts), ids)
    s = _more(way, fun, problems, begun(way, problems, ends[:, :1], ends[:, 1:], parts))
    return *concluded(s)[:3], s.last


def _more(way: Way, fun: _Integrand, problems: Problems, first: Any) -> Any:
    if not compiles(first.lo):
        return bisected(way, fun, problems, first)
    moving = [i for i, v in enumerate(problems.args) if is_array(v)]
    arrays = tuple(problems.args[i] for i in moving)
    call = _of_arrays(fun, problems.args, moving)
    xp = array_namespace(first.lo)
    x = first.lo[:, :1] + xp.zeros(
        (1, 2 * way.nodes), dtype=first.lo.dtype, device=device(first.lo)
    )
    more = problems._replace(args=arrays)
    found, _ = compiled_of(x, _traced, way, [(call, (x, *arrays))], more, first)
    return found


def _of_arrays(fun: _Integrand, args: tuple[Any, ...], moving: list[int]) -> Any:
    def call(x: Any, *arrays: Any) -> Any:
        now = dict(zip(moving, arrays, strict=True))
        return fun.plain(x, tuple(now.get(i, v) for i, v in enumerate(args)))

    return call


def _traced(way: Way, functions: Any, problems: Problems, first: Any) -> Any:
    (call,) = functions
    with quiet(problems.bound):
        return bisected(way, functools.partial(_as_constant, call), problems, first)


def _as_constant(call: Any, x: Any, args: tuple[Any, ...]) -> Any:
    return stop_gradient(call(x, *args))
