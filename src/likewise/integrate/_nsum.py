"""Sums of series, one or many at once: `nsum`."""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, NamedTuple

from .._namespace import array_namespace, device, is_lazy, quiet
from .._native import public
from .._typing import A
from ..errors import ArgumentError, LikewiseError, NotSupported
from ..solving._blocks import any_in_blocks, lanes_in_blocks
from ..solving._driver import joined, taken
from ..solving._elementwise import Lanes, plan_lanes
from ..solving._options import count, table
from ..solving._outcome import Outcome, outcomes
from ..solving._result import Result, result
from ..solving._sampled import Sampled, flag
from ..transforms import stop_gradient
from ._levels import logsumexp
from ._tanhsinh import bound, integrated

__all__ = ["NSumResult", "nsum"]

_PIECE = 2**17  # elements that stay in the cache


@result
class NSumResult(Result, Generic[A]):
    """Hold the results of `nsum`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    sum, error : array, shape (...)
        The sums, and estimates of their absolute errors; with ``log=True`` their logarithms.
    nfev : array of int32, shape (...)
        Points at which the function was evaluated.
    status : array of int32, shape (...)
        0, converged; -1, limits or step make no sum; -2, the integral did not converge; -3, not
        finite; -4, the last term is above the tolerance.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.BAD_START: -1,
        Outcome.LIMIT: -2,
        Outcome.NOT_FINITE: -3,
        Outcome.PRECISION: -4,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.BAD_START: "a limit is not a number, or the step isn't positive and finite",
        Outcome.LIMIT: "the integral of the rest did not converge: the sum may be infinite",
        Outcome.NOT_FINITE: "a value or the sum is not finite",
        Outcome.PRECISION: "the last term is above the tolerance: raise maxterms or the "
        "tolerances, or sum the terms around the largest one apart",
    }

    sum: A
    error: A
    nfev: A
    outcome: A


class _Way(NamedTuple):
    terms: int
    atol: float
    rtol: float
    log: bool


@public
def nsum(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    step: Any = 1,
    args: Any = (),
    log: bool = False,
    maxterms: int = 2**20,
    tolerances: Mapping[str, float] | None = None,
) -> NSumResult[Any]:
    """Sum a function at equally spaced points, finitely or infinitely many, one sum or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``:
        `x` holds points of each problem, (B, n), and arrays of `args`, broadcast with the limits,
        are (B, 1). It must be smooth, not negative, and rise and fall once at most, also between
        the points.
    a, b : array or number
        The first point, and the limit of the last one, of any shapes that broadcast; infinite ones,
        too.
    step : array or number, optional
        The distance of the points. Broadcasts with the limits.
    args : tuple, optional
        Arguments of `f`. Arrays broadcast with the limits, and are cast to the common floating
        dtype; `f` gets other objects, including Python's numbers, unchanged.
    log : bool, optional
        Whether `f` returns the logarithms of the terms. Tolerances and results are logarithms, too.
    maxterms : int, optional
        The number of terms that are added directly at most.
    tolerances : dict, optional
        'atol', 'rtol': the terms are added until one is below ``atol + rtol * sum``. Default: 0,
        and the square root of eps.

    Returns
    -------
    NSumResult
        ``sum, error, nfev, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `f`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `f` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range.
    NotSupported
        If arrays have no values, under `jit`, `vmap` or other transforms.

    Notes
    -----
    Up to `maxterms` terms are added. Of longer sums, terms are added until they are small; the rest
    is between its integral and that with the next term, and the mean of both is added (integral
    test). Each problem has its own number of terms; the integrals are those of `tanhsinh`. How many
    terms there are depends on values, so `nsum` needs values. Differentiable with respect to `args`
    and to what `f` closes over, where values can be read: not under `jit` or `vmap`.

    Differs from SciPy: `f` gets arrays of args as the common floating dtype, and long sums in
    pieces; it is not called at NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import nsum
    >>> found = nsum(lambda k, p: 1 / k**p, 1.0, np.inf, args=(np.asarray([2.0, 4.0]),))
    >>> found.sum.round(9)
    array([1.64493407, 1.08232323])
    """
    name = "nsum"
    log = flag(name, "log", log)
    given = table(name, "tolerances", tolerances)
    for key in given:
        if key not in ("atol", "rtol"):
            raise ArgumentError(f"{name}: tolerances has {key!r}; there are 'atol', 'rtol'")
    atol = bound(name, "atol", given.get("atol"), log, -math.inf if log else 0.0)
    rtol = bound(name, "rtol", given.get("rtol"), log, None)
    most = count(name, "maxterms", maxterms, 2**20)
    if any_in_blocks(a, b, step, args):
        found: Any = lanes_in_blocks(
            name,
            lambda points, rest: nsum(
                f,
                points[0],
                points[1],
                step=points[2],
                args=rest,
                log=log,
                maxterms=most,
                tolerances=tolerances,
            ),
            {"a": a, "b": b, "step": step},
            args,
            {"f": f},
        )
        return found
    lanes = plan_lanes(name, f, {"a": a, "b": b, "step": step}, args)
    eps = float(array_namespace(*lanes.points).finfo(lanes.points[0].dtype).eps)
    if rtol is None:
        rtol = 0.5 * math.log(eps) if log else eps**0.5
    assert atol is not None
    return _summed(f, lanes, _Way(most, atol, rtol, log), eps)


def _summed(f: Callable[..., Any], lanes: Lanes, way: _Way, eps: float) -> NSumResult[Any]:
    a, b, step = (stop_gradient(p) for p in lanes.points)
    xp = array_namespace(a)
    fun = Sampled("nsum", f, lanes, False, False)
    with quiet(a):
        fun.begun(a)
        good = (b >= a) & xp.isfinite(step) & (step > 0)
        terms = xp.floor((b - a) / step)
        b = xp.where(xp.isfinite(terms), a + terms * step, b)
        direct = good & (terms + 1 <= way.terms)
        up = good & ~direct & xp.isfinite(a)
        down = good & ~direct & ~up & xp.isfinite(b)
        zero = xp.zeros_like(a) - (math.inf if way.log else 0.0)
        nothing = xp.where(b < a, zero, xp.full_like(a, xp.nan))
        whole = xp.zeros(tuple(a.shape), dtype=xp.int32, device=device(a))
        status = xp.where(b < a, whole + Outcome.CONVERGED, whole + Outcome.BAD_START)
        blank = nothing, nothing, whole, status
        ids: list[Any] = []
        parts: list[tuple[Any, ...]] = []

        def of_direct(a: Any, b: Any, step: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
            total, error, spent = _direct(
                fun, way, eps, a, step, xp.round((b - a) / step) + 1, args
            )
            seen = stop_gradient(total)
            wrong = ~xp.isfinite(seen)
            status = outcomes(seen, (wrong, Outcome.NOT_FINITE), otherwise=Outcome.CONVERGED)
            return total, error, spent, status

        def of_up(a: Any, b: Any, step: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
            return _bounded(f, fun, way, eps, a, b, step, args)

        def of_down(a: Any, b: Any, step: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
            return _bounded(lambda x, *v: f(-x, *v), fun, way, eps, -b, -a, step, args)

        def of_both(a: Any, b: Any, step: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
            both = _of_both(f, way.log)
            found = _bounded(both, fun, way, eps, xp.zeros_like(a), b, step, args)
            return *found[:2], 2 * found[2], found[3]

        kinds = (
            (~good, None),
            (direct, of_direct),
            (up, of_up),
            (down, of_down),
            (good & ~direct & ~up & ~down, of_both),
        )
        for mask, call in kinds:
            size = _read(xp.count_nonzero(mask))
            if not size:
                continue
            some = xp.argsort(xp.astype(~mask, xp.int8), stable=True)[:size]
            ids.append(some)
            given = taken((a, b, step, fun.args), some)
            parts.append(taken(blank, some) if call is None else call(*given))
        if ids:
            order = xp.argsort(xp.concat(ids, axis=0))
            total, error, spent, status = taken(joined(parts), order)
        else:
            total, error, spent, status = blank
        spent = xp.astype(spent, xp.int32) + 1
    return NSumResult(*map(lanes.shaped, (total, error, spent, status)))


def _read(number: Any) -> int:
    try:
        return int(number)  # likewise: ignore[LW203]: how many terms are added
    except (TypeError, RuntimeError, LikewiseError) as error:
        if not is_lazy(number):
            raise
        raise NotSupported(
            "nsum: how many terms there are depends on values, which can't be read under jit or "
            "vmap. Call it outside; problems go together as arrays of limits and args"
        ) from error


def _of_both(f: Callable[..., Any], log: bool) -> Callable[..., Any]:
    """The terms of both signs; that at 0 counts once."""

    def call(x: Any, *args: Any) -> Any:
        xp = array_namespace(x)
        up, down = f(x, *args), f(-x, *args)
        xp = array_namespace(x, up)
        if log:
            twice = logsumexp(xp.stack([up, down], axis=0), axis=0)
            return xp.where(x == 0, twice - math.log(2), twice)
        return xp.where(x == 0, (up + down) / 2, up + down)

    return call


def _direct(
    fun: Sampled, way: _Way, eps: float, a: Any, step: Any, terms: Any, args: tuple[Any, ...]
) -> tuple[Any, Any, Any]:
    """Sums of the first terms, their errors, and how many there are."""
    xp, size = array_namespace(a), a.shape[0]
    finite = xp.where(xp.isfinite(terms), terms, xp.zeros_like(terms))
    most = _read(xp.max(finite))
    width = max(1, min(most, _PIECE // size))
    total: Any = None
    for first in range(0, max(most, 1), width):
        numbers = first + xp.arange(width, dtype=a.dtype, device=device(a))[None, :]
        there = numbers < terms[:, None]
        x = xp.where(there, a[:, None] + numbers * step[:, None], a[:, None])
        y = fun.plain(x, args)
        y = xp.where(there, y, xp.full_like(y, -xp.inf if way.log else 0.0))
        part = logsumexp(y, axis=1) if way.log else xp.sum(y, axis=1)
        if total is None:
            total = part
        elif way.log:
            total = logsumexp(array_namespace(total).stack([total, part], axis=0), axis=0)
        else:
            total = total + part
    seen = stop_gradient(total)
    error = seen + math.log(eps) if way.log else eps * xp.abs(seen)
    return total, error, xp.astype(finite, xp.int32)


def _bounded(
    f: Callable[..., Any],
    asked: Sampled,
    way: _Way,
    eps: float,
    a: Any,
    b: Any,
    step: Any,
    args: tuple[Any, ...],
) -> tuple[Any, Any, Any, Any]:
    """Terms until they are small, and the integral of the rest, of sums that go on to the right."""
    xp, size = array_namespace(a), a.shape[0]
    flat = tuple(v[:, 0] if getattr(v, "ndim", 0) == 2 else v for v in args)

    def integral(low: Any) -> Any:
        lanes = Lanes((low, b), flat, (size,))
        sampled = Sampled("nsum", f, lanes, False, False)
        return integrated(sampled, lanes, (2, 10), way.atol, way.rtol, way.log)

    fun = Sampled("nsum", f, Lanes((a, b), flat, (size,)), False, False)
    whole = integral(a)
    least = stop_gradient(whole.integral)
    if way.log:
        tol = logsumexp(xp.stack([xp.zeros_like(least) + way.atol, least + way.rtol]), axis=0)
    else:
        tol = way.atol + way.rtol * least
    skip = whole.outcome == Outcome.NOT_FINITE
    tol = xp.where(skip, xp.full_like(tol, xp.nan), tol)
    counts = [2.0**i for i in range(way.terms.bit_length() - 1)] + [float(way.terms)]
    numbers = xp.asarray(counts, dtype=a.dtype, device=device(a))
    points = a[:, None] + numbers * step[:, None]
    values, after = fun(points, args), fun(points + step[:, None], args)
    large = (values > tol[:, None]) | (after > values)
    number = xp.sum(xp.astype(large, xp.int64), axis=1)
    short = number == len(counts)
    at = xp.minimum(number, xp.zeros_like(number) + (len(counts) - 1))
    terms = xp.take(numbers, at, axis=0)
    left, error, spent = _direct(fun, way, eps, a, step, terms, args)
    endless = stop_gradient(left) == xp.inf
    skip = skip | endless
    k = a + terms * step
    right = integral(xp.where(skip, xp.full_like(k, xp.nan), k))
    last = xp.take_along_axis(values, at[:, None], axis=1)[:, 0]
    ends = xp.isfinite(b)
    there = xp.any(ends)
    none = xp.full_like(last, -xp.inf if way.log else 0.0)
    end = none
    if _read(there):
        end = xp.where(ends, fun(xp.where(ends, b, a)[:, None], args)[:, 0], none)
    if asked.asked:
        followed = fun.plain(k[:, None], args)[:, 0]
        last = last + (followed - stop_gradient(followed))
    seen = stop_gradient(last)
    if way.log:
        by, half = xp.log(step), math.log(2)
        total = logsumexp(
            xp.stack([left, right.integral - by, last - half, end - half], axis=0), axis=0
        )
        above = logsumexp(xp.stack([error, right.error - by, seen - half], axis=0), axis=0)
        error = above + xp.log(-xp.expm1(end - half - above))
    else:
        total = left + right.integral / step + last / 2 + end / 2
        error = error + right.error / step + seen / 2 - end / 2
    status = xp.where(skip, whole.outcome, right.outcome)
    status = xp.where(endless, xp.full_like(status, Outcome.NOT_FINITE), status)
    status = xp.where((status > 0) & short, xp.full_like(status, Outcome.PRECISION), status)
    spent = spent + right.nfev + whole.nfev + 2 * len(counts) + xp.astype(ends, xp.int32)
    return total, error, spent, status
