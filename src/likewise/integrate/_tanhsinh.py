"""Integrals by double exponential quadrature, one or many at once: `tanhsinh`."""

import math
from collections.abc import Callable
from typing import Any, ClassVar, Generic

from .._namespace import array_namespace, describe, device, is_readable, quiet
from .._native import public
from .._plan import is_complex
from .._typing import A
from ..errors import ArgumentError, NotSupported
from ..solving._blocks import any_in_blocks, lanes_in_blocks
from ..solving._elementwise import Lanes, plan_lanes
from ..solving._following import is_open, recorded
from ..solving._options import count
from ..solving._outcome import Outcome
from ..solving._result import Result, result
from ..solving._running import compiled_of, compiles
from ..solving._sampled import Sampled, at_hand, flag, stopped, told
from ..transforms import stop_gradient
from ._carrying import carrying
from ._levels import Ranges, State, Way, differentiable, levels, started

__all__ = ["TanhSinhResult", "tanhsinh"]


@result
class TanhSinhResult(Result, Generic[A]):
    """Hold the results of `tanhsinh`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    integral : array, shape (...)
        The integrals; with ``log=True`` their logarithms.
    error : array, shape (...)
        Estimates of their absolute errors, or the logarithms of those; NaN before level 2.
    maxlevel, nfev : array of int32, shape (...)
        The highest level, -1 where none was needed; points at which the function was evaluated.
    status : array of int32, shape (...)
        0, converged; -2, maxlevel reached; -3, not finite; -4, ended by callback; 1, runs.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: -2,
        Outcome.NOT_FINITE: -3,
        Outcome.INTERRUPTED: -4,
        Outcome.RUNNING: 1,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.LIMIT: "maxlevel was reached: split the range where the integrand is difficult, "
        "raise maxlevel or the tolerances",
        Outcome.NOT_FINITE: "a limit, a value or the integral is not finite",
        Outcome.INTERRUPTED: "ended by callback",
    }

    integral: A
    error: A
    maxlevel: A
    nfev: A
    outcome: A


@public
def tanhsinh(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    args: Any = (),
    log: bool = False,
    maxlevel: int | None = None,
    minlevel: int = 2,
    atol: float | None = None,
    rtol: float | None = None,
    preserve_shape: bool = False,
    callback: Callable[[Any], Any] | None = None,
) -> TanhSinhResult[Any]:
    """Integrate a function of one variable by double exponential quadrature, one or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``:
        `x` holds the nodes of each problem, (B, n), and arrays of `args`, broadcast with the
        limits, are (B, 1). Values may be complex.
    a, b : array or number
        Limits, of any shapes that broadcast; infinite ones, too.
    args : tuple, optional
        Arguments of `f`. Arrays broadcast with the limits, and are cast to the common floating
        dtype; `f` gets other objects, including Python's numbers, unchanged.
    log : bool, optional
        Whether `f` returns the logarithm of the integrand. Tolerances and results are logarithms,
        too. A negative integrand has an imaginary part of pi.
    maxlevel, minlevel : int, optional
        The last and the first level, 10 and 2: each doubles the nodes, of which level 0 has 18.
    atol, rtol : float, optional
        A problem has converged when the estimated error is below ``atol`` or ``rtol`` times the
        integral. Default: 0, and ``eps**0.75``.
    preserve_shape : bool, optional
        Whether `f` gets `x` as (..., n), with the shape of the limits, and no problem is left out.
        It may return more leading dimensions, one integral for each.
    callback : callable, optional
        ``callback(res)``, called before the first and after each level with the results so far;
        StopIteration ends the integration.

    Returns
    -------
    TanhSinhResult
        ``integral, error, maxlevel, nfev, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `f`, are not floating and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `f` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range.
    NotSupported
        If a callback can't be called, because arrays have no values yet.

    Notes
    -----
    The rule converges fast where the integrand is smooth inside of the range, whatever it does at
    the ends: values there are not used. An estimate of the error compares three levels (D. H.
    Bailey, K. Jeyabalan, X. S. Li, Experimental Mathematics 14 (2005) 317). Infinite ranges are
    mapped to finite ones, by ``a + 1/t - 1``, or by ``t / (1 - t**2)``. Each problem ends by
    itself, and those that have ended are dropped on eager arrays, so what differs between problems
    must reach `f` through `args`.

    Differentiable with respect to finite limits, by the fundamental theorem where `f` is finite
    there, and to `args` and to what `f` closes over, under the integral sign on the levels that
    were needed. Under `jit` derivatives trace `f` once for each level. On JAX, compiled code is
    reused if the trace of `f` is the same. With ``log=True`` and limits without values, reversed
    limits are NaN unless `f` is complex.

    Differs from SciPy: `f` gets arrays of args as the common floating dtype, and real `x` where
    its values are complex; it is not called at the ends of the range.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import tanhsinh
    >>> found = tanhsinh(lambda x, p: x**p, 0.0, 1.0, args=(np.asarray([-0.5, 2.0]),))
    >>> found.integral.round(9)
    array([2.        , 0.33333333])
    >>> found.status
    array([0, 0], dtype=int32)
    """
    name = "tanhsinh"
    log, keeps = flag(name, "log", log), flag(name, "preserve_shape", preserve_shape)
    if callback is not None and not callable(callback):
        raise ArgumentError(f"{name}: callback must be callable, got {describe(callback)}")
    most = count(name, "maxlevel", maxlevel, 10)
    least = min(count(name, "minlevel", minlevel, 2), most)
    absolute = bound(name, "atol", atol, log, -math.inf if log else 0.0)
    relative = bound(name, "rtol", rtol, log, None)
    if any_in_blocks(a, b, args):
        if keeps or callback is not None:
            raise NotSupported(
                f"{name}: {'preserve_shape' if keeps else 'callback'} is not there for arrays in "
                "blocks, whose problems are computed apart: leave it out, and pass args"
            )
        found: Any = lanes_in_blocks(
            name,
            lambda ends, rest: tanhsinh(
                f,
                *ends,
                args=rest,
                log=log,
                maxlevel=most,
                minlevel=least,
                atol=absolute,
                rtol=relative,
            ),
            {"a": a, "b": b},
            args,
            {"f": f},
        )
        return found
    lanes = plan_lanes(name, f, {"a": a, "b": b}, args)
    return integrated(
        Sampled(name, f, lanes, keeps, True),
        lanes,
        (least, most),
        absolute,
        relative,
        log,
        callback,
    )


def bound(name: str, which: str, value: Any, log: bool, default: float | None) -> float | None:
    """Return a tolerance, which must not be negative or infinite."""
    if value is None:
        return default
    try:
        number = math.nan if isinstance(value, str | bytes | complex) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name}: {which} must be a real number, got {value!r}") from None
    if number != number and not isinstance(value, float):
        raise ArgumentError(f"{name}: {which} must be a real number, got {value!r}")
    if number == math.inf or (not log and not number >= 0):
        wish = "below positive infinity, as a logarithm" if log else "non-negative and finite"
        raise ArgumentError(f"{name}: {which} must be {wish}, got {value!r}")
    return number


def integrated(
    fun: Sampled,
    lanes: Lanes,
    span: tuple[int, int],
    atol: Any,
    rtol: Any,
    log: bool,
    callback: Any = None,
) -> TanhSinhResult[Any]:
    """Integrate a function of the problems' points."""
    a, b = lanes.points
    xp = array_namespace(a)
    low, high = stop_gradient(a), stop_gradient(b)
    if rtol is None:
        eps = float(xp.finfo(a.dtype).eps)
        rtol = 0.75 * math.log(eps) if log else eps**0.75
    with quiet(a):
        curved, turned = True, None
        if is_readable(low) and is_readable(high):
            finite = xp.all(xp.isfinite(low) & xp.isfinite(high))
            curved = not bool(finite)  # likewise: ignore[LW203]: values are at hand
            turned = bool(xp.any(high < low))  # likewise: ignore[LW203]: values are at hand
        way = Way(*span, atol, rtol, log, 3 if curved else 0)
        middle = _middle(xp, low, high, curved)
        y = fun.begun(middle)
        a, b, low, high = map(fun.each, (a, b, low, high))
        problems, same, sign = _ranges(xp, low, high, curved, stopped(fun.args))
        if curved and turned is not None:
            turn = xp.abs(problems.turn)
            for kind in (1, 2):
                if bool(xp.all(turn == kind)):  # likewise: ignore[LW203]: values are at hand
                    way = way._replace(curved=kind)
        first = started(way, problems, same, y)

        def finished(s: State) -> TanhSinhResult[Any]:
            total = _signed(xp, way, s.total, sign, turned)
            return _result(fun, total, s)

        tell = None
        if callback is not None:
            if is_open() or not at_hand(y, low, high):
                raise NotSupported(
                    f"{fun.function.function}: callback needs values after each level, got arrays "
                    "that have none (in a transform, or compiled). Leave it out"
                )
            tell = lambda s: told(callback, finished(s))  # noqa: E731
        drops = not fun.keeps and callback is None
        if compiles(low):
            s = _compiled(way, fun, problems, first)
        else:
            s = levels(way, fun, problems, first, drops, tell)
        found = finished(s)
        if fun.asked or recorded(a) or recorded(b):
            ends = Ranges(*problems[:4], fun.args)
            total = _followed(xp, way, fun, ends, s, (a, b), (low, high), sign)
            total = _signed(xp, way, total, sign, turned)
            found.integral = _shaped(fun, total)
    return found


def _shaped(fun: Sampled, x: Any) -> Any:
    return Lanes((), (), fun.shape).shaped(x)


def _result(fun: Sampled, total: Any, s: State) -> TanhSinhResult[Any]:
    return TanhSinhResult(*(_shaped(fun, v) for v in (total, s.error, s.level, s.nfev, s.status)))


def _signed(xp: Any, way: Way, total: Any, sign: Any, turned: bool | None) -> Any:
    """Integrals between reversed limits."""
    if not way.log:
        return total if turned is False else total * sign
    if turned is False:
        return total
    if is_complex(xp, total.dtype):
        return total + xp.astype(sign < 0, sign.dtype) * (math.pi * 1j)
    if turned:
        return total + xp.astype(sign < 0, sign.dtype) * (math.pi * 1j)
    return xp.where(sign < 0, xp.full_like(total, xp.nan), total)


def _middle(xp: Any, a: Any, b: Any, curved: bool) -> Any:
    """A point in each range."""
    if not curved:
        return a + (b - a) / 2
    down, up = xp.isinf(a), xp.isinf(b)
    zero = xp.zeros_like(a)
    inside = xp.where(down, b - xp.sign(b - a), xp.where(up, a + xp.sign(b - a), a + (b - a) / 2))
    return xp.where(down & up, zero, inside)


def _ranges(
    xp: Any, a: Any, b: Any, curved: bool, args: tuple[Any, ...]
) -> tuple[Ranges, Any, Any]:
    """How points follow from places, which ranges are empty, and the signs of the integrals."""
    one, zero = xp.ones_like(a), xp.zeros_like(a)
    same = a == b
    low, high = (
        xp.where(same, one, xp.where(b < a, b, a)),
        xp.where(same, one, xp.where(b < a, a, b)),
    )
    sign = xp.where(b < a, -one, one)
    if not curved:
        return Ranges(low, high, zero, zero, args), same, sign
    down, up = low == -xp.inf, high == xp.inf
    # An infinite range may also be of the other sign, as from inf to a number.
    both = down & up
    infinite = down | up
    turn = xp.where(both, 2 * one, xp.where(up, one, xp.where(down, -one, zero)))
    bound = xp.where(up & ~down, low, xp.where(down & ~up, high, zero))
    lo = xp.where(both, -one, xp.where(infinite, zero, low))
    hi = xp.where(infinite, one, high)
    return Ranges(lo, hi, bound, turn, args), same, sign


def _compiled(way: Way, fun: Sampled, problems: Ranges, first: State) -> State:
    args = problems.args
    moving = [i for i, v in enumerate(args) if hasattr(v, "shape")]
    arrays = tuple(args[i] for i in moving)

    def call(x: Any, *arrays: Any) -> Any:
        now = dict(zip(moving, arrays, strict=True))
        return fun.plain(x, tuple(now.get(i, v) for i, v in enumerate(args)))

    xp, lo = array_namespace(first.error), problems.lo
    x = lo[:, None] + xp.zeros((1, 16 * 2**way.least + 2), dtype=lo.dtype, device=device(lo))
    y = lo[:, None] + xp.zeros((1, 16 * 2**way.least), dtype=lo.dtype, device=device(lo))
    found, _ = compiled_of(
        lo,
        _traced,
        way,
        [(call, (x, *arrays)), (call, (y, *arrays))],
        *problems[:4],
        arrays,
        first,
    )
    return found


def _traced(
    way: Way,
    functions: Any,
    lo: Any,
    hi: Any,
    bound: Any,
    turn: Any,
    arrays: tuple[Any, ...],
    first: State,
) -> State:
    initial, later = functions
    width = 16 * 2**way.least + 2

    def fun(x: Any, args: tuple[Any, ...]) -> Any:
        return stop_gradient((initial if x.shape[1] == width else later)(x, *args))

    with quiet(lo):
        return levels(way, fun, Ranges(lo, hi, bound, turn, arrays), first)


def _followed(
    xp: Any,
    way: Way,
    fun: Sampled,
    problems: Ranges,
    s: State,
    ends: tuple[Any, Any],
    fixed: tuple[Any, Any],
    sign: Any,
) -> Any:
    """The integrals of ranges in order, which can be differentiated."""
    total = s.total
    if fun.asked:
        total = carrying(total, differentiable(way, fun.plain, problems, s, total))
    before = total
    for end, there, side in zip(ends, fixed, (-1, 1), strict=True):
        if not recorded(end):
            continue
        # Between both places, so that the second derivative is right.
        middle = _middle(xp, *fixed, way.curved > 0)
        tried = stop_gradient(fun.plain(_finite(xp, there, middle)[:, None], problems.args))[:, 0]
        good = xp.isfinite(there) & xp.isfinite(tried)
        by = xp.where(good, end, xp.zeros_like(there)) - xp.where(good, there, xp.zeros_like(there))
        point = xp.where(good, there, middle) + by / 2
        y = fun.plain(point[:, None], problems.args)[:, 0]
        by = side * sign * by
        if way.log:
            total = total + xp.log(1 + by * xp.exp(y - before))
        else:
            total = total + by * y
    return total


def _finite(xp: Any, x: Any, instead: Any) -> Any:
    return xp.where(xp.isfinite(x), x, instead)
