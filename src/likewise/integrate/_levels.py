"""The levels of double exponential quadrature, for many integrals at once.

H. Takahasi, M. Mori, Publ. RIMS 9 (1974) 721: the rule; D. H. Bailey, K. Jeyabalan, X. S. Li,
Experimental Mathematics 14 (2005) 317: levels that halve the step, and the estimate of the error;
J. Vanherck, B. Sorée, W. Magnus, arXiv:2007.15057: where nodes end.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_readable
from ..solving._driver import joined, taken, tree_where
from ..solving._outcome import Outcome
from ..solving._sampled import at_hand
from ..transforms import cond, scan, stop_gradient, while_loop

__all__ = ["Ranges", "State", "Way", "differentiable", "levels", "logsumexp", "placed", "started"]

_BASE = 8  # steps of level 0 on each side
_PIECE = 2**15  # elements that stay in the cache
_LOG2 = math.log(2)

Integrand = Callable[[Any, tuple[Any, ...]], Any]  # points (B, n) and arguments, to values (B, n)


class Way(NamedTuple):
    """Settings, which are the same for all problems."""

    least: int
    most: int
    atol: float
    rtol: float
    log: bool
    curved: int  # 0 if limits are finite, 1 if one is infinite in each, 2 if both are, else 3


class Ranges(NamedTuple):
    """Data of B problems: places lie between finite ends, and points follow from places."""

    lo: Any  # (B,)
    hi: Any
    bound: Any  # the finite end of a half-infinite range
    turn: Any  # 0 for finite limits, 1 or -1 for the direction to infinity, 2 for all numbers
    args: tuple[Any, ...]  # (B, 1) or (1, 1) each; other objects as they came


class State(NamedTuple):
    total: Any  # (B,)
    before: Any  # one level before
    earlier: Any  # two levels before
    error: Any
    reach: Any  # (B, 2) the outermost valid places on the right and on the left, outwards
    edge: Any  # values there
    weight: Any  # and weights
    level: Any  # the last one, -1 before the first
    nfev: Any
    status: Any


def _step(dtype: Any, xp: Any) -> float:
    """The step of level 0: the last node is next to where the distance to the end underflows."""
    tiny = 4 * float(xp.finfo(dtype).smallest_normal)
    return math.asinh(math.log(2 / tiny - 1) / math.pi) / _BASE


@functools.lru_cache(maxsize=64)
def _listed(level: int, every: bool, base: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Distances of nodes from the end of [-1, 1], and weights, of a level, or of all up to it."""
    h = base / 2**level
    distances, weights = [], []
    for j in range(0 if every else 1, _BASE * 2**level + 1, 1 if every else 2):
        grown = math.pi / 2 * math.sinh(j * h)
        both = math.cosh(grown)
        distances.append(1 / (math.exp(grown) * both))
        # Node 0 belongs to both sides.
        weights.append(math.pi / 2 * math.cosh(j * h) / both**2 * (1 if j else 0.5))
    return tuple(distances), tuple(weights)


def _nodes(xp: Any, like: Any, level: int, every: bool) -> tuple[Any, Any]:
    return tuple(
        xp.asarray(v, dtype=like.dtype, device=device(like))
        for v in _listed(level, every, _step(like.dtype, xp))
    )


def _computed(xp: Any, t: Any) -> tuple[Any, Any]:
    """The same of parameters."""
    grown = math.pi / 2 * xp.sinh(t)
    both = xp.cosh(grown)
    return 1 / (xp.exp(grown) * both), math.pi / 2 * xp.cosh(t) / both / both


def placed(problems: Ranges, t: Any, curved: int = 3) -> tuple[Any, Any]:
    """Return the points of places (B, n), and the derivatives of points with respect to places."""
    xp = array_namespace(t)
    turn, bound = problems.turn[:, None], problems.bound[:, None]
    if curved == 1:
        return bound + turn * (1 / t - 1), 1 / (t * t)
    if curved == 2:
        w = 1 - t * t
        return t / w, (2 - w) / (w * w)
    one = xp.ones_like(t)
    finite, both = turn == 0, turn == 2
    u = xp.where(finite | both, one, t)
    v = xp.where(both, t, xp.zeros_like(t))
    w = 1 - v * v
    x = xp.where(finite, t, xp.where(both, v / w, bound + turn * (1 / u - 1)))
    return x, xp.where(finite, one, xp.where(both, (1 + v * v) / (w * w), 1 / (u * u)))


def logsumexp(x: Any, axis: Any = -1) -> Any:
    """Return ``log(sum(exp(x)))``, also of complex numbers."""
    xp = array_namespace(x)
    size = xp.real(x) if xp.isdtype(x.dtype, "complex floating") else x
    most = xp.max(size, axis=axis, keepdims=True)
    most = xp.where(xp.isfinite(most), most, xp.zeros_like(most))
    found = xp.log(xp.sum(xp.exp(x - most), axis=axis))
    return found + xp.squeeze(most, axis=axis)


def _size(way: Way, x: Any) -> Any:
    """The absolute value, or its logarithm."""
    xp = array_namespace(x)
    if not way.log:
        return xp.abs(x)
    return xp.real(x) if xp.isdtype(x.dtype, "complex floating") else x


def started(way: Way, problems: Ranges, same: Any, y: Any) -> State:
    """The state before the first level, of values in the middle."""
    xp, lo = array_namespace(y), problems.lo
    zero = xp.full_like(y, -xp.inf if way.log else 0.0)
    nan = xp.full_like(y, xp.nan)
    real = xp.full_like(lo, xp.nan)
    wrong = xp.isnan(lo) | xp.isnan(problems.hi) | xp.isnan(problems.bound)
    total = xp.where(wrong | xp.isnan(y), nan, zero)
    whole = xp.zeros(tuple(lo.shape), dtype=xp.int32, device=device(lo))
    status = xp.where(same, whole + Outcome.CONVERGED, whole)
    status = xp.where(xp.isnan(total) & ~same, whole + Outcome.NOT_FINITE, status)
    two = xp.zeros((lo.shape[0], 2), dtype=lo.dtype, device=device(lo))
    error = xp.where(same & ~xp.isnan(total), _size(way, zero) * xp.ones_like(lo), real)
    edge = xp.full((lo.shape[0], 2), xp.nan, dtype=y.dtype, device=device(lo))
    return State(total, nan, nan, error, two - xp.inf, edge, two, whole - 1, whole + 1, status)


class _Sums(NamedTuple):
    """Sums over the nodes of a level, or of a part of it."""

    some: tuple[Any, ...]  # sums over all nodes, every second and every fourth one
    largest: Any  # the largest term
    reach: Any
    edge: Any
    weight: Any


def _points(way: Way, p: Ranges, c: Any, w: Any) -> tuple[Any, Any, Any, Any]:
    """Places, points, weights, and what the integrand is multiplied by, (B, 2n) each."""
    xp = array_namespace(c)
    lo, hi = p.lo[:, None], p.hi[:, None]
    half = (hi - lo) / 2
    t = xp.concat([hi - half * c, lo + half * c], axis=1)
    inside = (t > lo) & (t < hi)
    weight = xp.where(inside, xp.concat([w, w], axis=0) * half, xp.zeros_like(t))
    t = xp.where(inside, t, lo + half)  # where nothing is at hand
    if not way.curved:
        return t, t, weight, None
    x, factor = placed(p, t, way.curved)
    return t, x, weight, factor


def _summed(
    way: Way, fun: Integrand, p: Ranges, s: State | _Sums, c: Any, w: Any, first: int
) -> _Sums:
    xp = array_namespace(c)
    t, x, weight, factor = _points(way, p, c, w)
    y = fun(x, p.args)
    if factor is not None:
        y = y + xp.log(factor) if way.log else y * factor
    n, rows = c.shape[0], t.shape[0]
    valid = xp.reshape(xp.isfinite(y) & (weight != 0), (rows, 2, n))
    t, y, weight = (xp.reshape(v, (rows, 2, n)) for v in (t, y, weight))
    numbers = xp.arange(n, dtype=xp.int64, device=device(c))
    last = xp.max(xp.where(valid, numbers, -1), axis=2, keepdims=True)
    at = xp.where(last < 0, 0, last)
    far, edge, light = (xp.take_along_axis(v, at, axis=2)[..., 0] for v in (t, y, weight))
    out = xp.asarray([1.0, -1.0], dtype=t.dtype, device=device(t)) * far
    more = (last[..., 0] >= 0) & (out > s.reach)
    reach, edge, light = (
        xp.where(more, new, old) for new, old in ((out, s.reach), (edge, s.edge), (light, s.weight))
    )
    y = xp.where(valid, y, edge[..., None])
    terms = y + xp.log(weight) if way.log else y * weight
    largest = xp.max(_size(way, terms), axis=(1, 2))
    some = [terms, *(terms[..., :: 2**i] for i in range(1, first + 1))]
    add = logsumexp if way.log else xp.sum
    found = tuple(add(xp.reshape(v, (rows, -1)), axis=1) for v in some)
    return _Sums(found, largest, reach, edge, light)


def _half(way: Way, x: Any) -> Any:
    return x - _LOG2 if way.log else x / 2


def _stepped(way: Way, s: State, sums: _Sums, k: Any, h: Any, first: int | None) -> State:
    """The state after a level; `first` are the levels that were skipped before it."""
    xp = array_namespace(s.total)
    scale = math.log if isinstance(h, float) else xp.log

    def by(v: Any, factor: int) -> Any:
        return v + scale(factor * h) if way.log else v * (factor * h)

    if first is None:
        part, old = by(sums.some[0], 1), _half(way, s.total)
        if way.log:
            part = logsumexp(xp.stack([part, old], axis=0), axis=0)
        else:
            part = part + old
        before, earlier = s.total, s.before
    else:
        both = [by(v, 2**i) for i, v in enumerate(sums.some)] + [xp.full_like(s.total, xp.nan)] * 2
        part, before, earlier = both[:3]
    edges = sums.edge + xp.log(sums.weight) if way.log else sums.edge * sums.weight
    limits = xp.finfo(sums.weight.dtype)
    error, relative = _judged(way, part, before, earlier, sums, edges, float(limits.eps))
    whole = xp.zeros_like(s.status)
    good = (relative < way.rtol) | (error < way.atol)
    if way.log:
        size = _size(way, part)
        finite = ~(xp.isnan(part) | (size == xp.inf))
    else:
        finite = xp.isfinite(part)
    status = xp.where(finite, whole, whole + Outcome.NOT_FINITE)
    return State(
        part,
        before,
        earlier,
        error,
        sums.reach,
        sums.edge,
        sums.weight,
        whole + k,
        s.nfev,
        xp.where(good, whole + Outcome.CONVERGED, status),
    )


def _judged(
    way: Way, total: Any, before: Any, earlier: Any, sums: _Sums, edges: Any, eps: float
) -> tuple[Any, Any]:
    """Estimates of the absolute and the relative error."""
    xp = array_namespace(total)
    border = xp.max(_size(way, edges), axis=1)
    size = _size(way, total)
    if way.log:
        least = size + math.log(eps)
        turned = [_turned(v) for v in (before, earlier)]
        d1, d2 = (
            _size(way, logsumexp(xp.stack([xp.astype(total, v.dtype), v], axis=0), axis=0))
            for v in turned
        )
        power = xp.where(d1 > -xp.inf, d1 * d1 / d2, xp.full_like(d1, -xp.inf))
        rest = 2 * d1, sums.largest + math.log(eps), border
    else:
        least = eps * size
        d1, d2 = xp.abs(total - before), xp.abs(total - earlier)
        some = d1 > 0
        safe = xp.where(some, d1, xp.ones_like(d1))
        power = xp.where(some, safe ** (xp.log(safe) / xp.log(d2)), xp.zeros_like(d1))
        rest = d1 * d1, eps * sums.largest, border
    error = functools.reduce(xp.maximum, (power, *rest, least))
    error = xp.minimum(error, d1)
    error = xp.where(xp.isnan(earlier), xp.full_like(error, xp.nan), error)
    return error, error - size if way.log else error / size


def _turned(x: Any) -> Any:
    """The logarithm of the negative."""
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, "complex floating"):
        x = xp.astype(x, xp.complex128 if x.dtype == xp.float64 else xp.complex64)
    return x + math.pi * 1j


def levels(
    way: Way,
    fun: Integrand,
    problems: Ranges,
    s: State,
    drops: bool = True,
    told: Callable[[State], bool] | None = None,
) -> State:
    """Go from level to level until each problem has ended.

    `drops`: whether problems that have ended may be left out; `told` is called with the state
    after each level, where values are at hand, and ends the iteration.
    """
    if not at_hand(s.status, s.total, *problems[:4]):
        return _together(way, fun, problems, s)
    halted = told is not None and told(s)
    ids: Any = None
    ended: list[tuple[Any, Any]] = []
    for k in range(way.least, way.most + 1):
        running = s.status == 0
        xp = array_namespace(running)
        left = int(xp.count_nonzero(running))  # likewise: ignore[LW203]: values are at hand
        if not left or halted:
            break
        size = running.shape[0]
        if left < size and drops:
            order = xp.argsort(xp.astype(~running, xp.int8), stable=True)
            stay, go = order[:left], order[left:]
            ids = xp.arange(size, device=device(running)) if ids is None else ids
            ended.append((xp.take(ids, go, axis=0), taken(s, go)))
            ids = xp.take(ids, stay, axis=0)
            problems, s = taken(problems, stay), taken(s, stay)
            new = _pieces(way, fun, problems, s, k)
        else:
            new = _pieces(way, fun, problems, s, k, whole=not drops)
            if left < size:
                new = tree_where(0, running, new, s)
        s = new
        halted = told is not None and told(s)
    xp = array_namespace(s.status)
    code = Outcome.INTERRUPTED if halted else Outcome.LIMIT
    s = s._replace(status=xp.where(s.status == 0, xp.full_like(s.status, code), s.status))
    if not ended:
        return s
    ended.append((ids, s))
    order = xp.argsort(xp.concat([i for i, _ in ended], axis=0))
    return taken(joined([part for _, part in ended]), order)


def _pieces(
    way: Way, fun: Integrand, problems: Ranges, s: State, k: int, whole: bool = False
) -> State:
    """One level, of as many problems at once as the cache holds."""
    size = s.status.shape[0]
    count = 2 * (_BASE * 2**k + 1) if k == way.least else _BASE * 2**k
    some = max(1, _PIECE // count)
    if whole or size <= some:
        return _level(way, fun, problems, s, k)
    parts = [slice(i, min(i + some, size)) for i in range(0, size, some)]
    return joined([_level(way, fun, taken(problems, i), taken(s, i), k) for i in parts])


def _level(way: Way, fun: Integrand, problems: Ranges, s: State, k: int) -> State:
    xp, lo = array_namespace(problems.lo), problems.lo
    first = min(k, 2) if k == way.least else None
    c, w = _nodes(xp, lo, k, k == way.least)
    sums = _summed(way, fun, problems, s, c, w, first or 0)
    s = s._replace(nfev=s.nfev + 2 * c.shape[0])
    return _stepped(way, s, sums, k, _step(lo.dtype, xp) / 2**k, first)


# -- without values --------------------------------------------------------------------------------


def _together(way: Way, fun: Integrand, problems: Ranges, s: State) -> State:
    """The same as one loop over levels, each a loop over parts of the size of the first level."""
    xp, lo = array_namespace(s.status, problems.lo), problems.lo
    new = _level(way, fun, problems, s, way.least)
    s = tree_where(0, s.status == 0, new, s)
    if way.most == way.least:
        return _limited(s)
    width = _BASE * 2**way.least
    odd = 2 * xp.arange(width, dtype=lo.dtype, device=device(lo)) + 1
    one = xp.ones((), dtype=xp.int32, device=device(lo))
    base = xp.zeros((), dtype=lo.dtype, device=device(lo)) + _step(lo.dtype, xp) / 2**way.least

    def part(i: Any, s: State, sums: _Sums, h: Any) -> _Sums:
        t = (odd + 2 * width * xp.astype(i, lo.dtype)) * h
        return _summed(way, fun, problems, sums, *_computed(xp, t), 0)

    def level(carry: Any) -> Any:
        k, parts, h, s = carry
        k, h = k + 1, h / 2

        def more(inner: Any) -> Any:
            i, sums = inner
            new = part(i, s, sums, h)
            some = sums.some[0], new.some[0]
            if way.log:
                total = logsumexp(xp.stack(some, axis=0), axis=0)
            else:
                total = some[0] + some[1]
            largest = xp.maximum(sums.largest, new.largest)
            return i + 1, new._replace(some=(total,), largest=largest)

        nothing = xp.full_like(s.total, -xp.inf if way.log else 0.0)
        least = xp.full_like(s.error, -xp.inf)
        begin = _Sums((nothing,), least, s.reach, s.edge, s.weight)
        _, sums = while_loop(lambda inner: inner[0] < parts, more, (0 * parts, begin))
        new = _stepped(way, s, sums, k, h, None)
        new = new._replace(nfev=s.nfev + 2 * width * parts)
        return k, 2 * parts, h, tree_where(0, s.status == 0, new, s)

    def going(carry: Any) -> Any:
        return (carry[0] < way.most) & xp.any(carry[3].status == 0)

    return _limited(while_loop(going, level, (one * way.least, one, base, s))[3])


def _limited(s: State) -> State:
    xp = array_namespace(s.status)
    code = xp.full_like(s.status, Outcome.LIMIT)
    return s._replace(status=xp.where(s.status == 0, code, s.status))


# -- derivatives -----------------------------------------------------------------------------------


def differentiable(way: Way, fun: Integrand, problems: Ranges, s: State, y: Any) -> Any:
    """The integrals again, on the levels that were needed, of a function that is followed."""
    lo = problems.lo
    xp = array_namespace(y, lo)
    base, width = _step(lo.dtype, xp), _BASE * 2**way.least
    begun = s.level >= way.least
    total = _part(way, fun, problems, begun, *_nodes(xp, lo, way.least, True))
    if is_readable(s.level):
        for k in range(way.least + 1, way.most + 1):
            needed = s.level >= k
            if not bool(xp.any(needed)):  # likewise: ignore[LW203]: values are at hand
                break
            total = _added(way, total, _part(way, fun, problems, needed, *_nodes(xp, lo, k, False)))
    else:
        # Parts of levels: the level, its first node and its step.
        parts = [
            (k, (2 * width * i + 1) * base / 2**k, base / 2**k)
            for k in range(way.least + 1, way.most + 1)
            for i in range(2 ** (k - way.least - 1))
        ]
        numbers = xp.arange(width, dtype=lo.dtype, device=device(lo))

        def body(total: Any, part: Any) -> Any:
            k, first, h = part
            needed = s.level >= k
            nodes = _computed(xp, first + 2 * h * numbers)
            total = cond(
                xp.any(needed),
                lambda v: _added(way, v, _part(way, fun, problems, needed, *nodes)),
                lambda v: v,
                total,
            )
            return total, None

        if parts:
            like = (s.level.dtype, lo.dtype, lo.dtype)
            columns = tuple(
                xp.asarray(column, dtype=dtype, device=device(lo))
                for column, dtype in zip(zip(*parts, strict=True), like, strict=True)
            )
            total = scan(body, total, columns)[0]
    h = base / 2 ** xp.astype(s.level, lo.dtype)
    total = total + xp.log(h) if way.log else total * h
    return xp.where(begun, total, xp.zeros_like(total))


def _added(way: Way, a: Any, b: Any) -> Any:
    return logsumexp(array_namespace(a, b).stack([a, b], axis=0), axis=0) if way.log else a + b


def _part(way: Way, fun: Integrand, problems: Ranges, needed: Any, c: Any, w: Any) -> Any:
    """The sum over some nodes, of the problems that need them."""
    _, x, weight, factor = _points(way, problems, c, w)
    if factor is not None:
        # Far away values vanish, and their derivatives may be 0 times infinity.
        xp = array_namespace(x)
        turn, bound = problems.turn[:, None], problems.bound[:, None]
        seen = stop_gradient(fun(x, problems.args))
        gone = (seen == (-xp.inf if way.log else 0)) | ~xp.isfinite(seen)
        far = (turn != 0) & ((gone & (xp.abs(x - bound) > 1)) | ~xp.isfinite(x * factor))
        x = xp.where(far, bound + xp.where(turn == 2, xp.zeros_like(turn), turn), x)
        weight = xp.where(far, xp.zeros_like(weight), weight)
        factor = xp.where(far, xp.ones_like(factor), factor)
    y = fun(x, problems.args)
    xp = array_namespace(y)
    good = xp.isfinite(y) & (weight != 0) & needed[:, None]
    if way.log:
        weight = xp.log(xp.where(good, weight, xp.ones_like(weight)))
        if factor is not None:
            weight = weight + xp.log(factor)
        return logsumexp(xp.where(good, y + weight, xp.full_like(y, -xp.inf)), axis=1)
    weight = weight if factor is None else weight * factor
    return xp.sum(xp.where(good, y * weight, xp.zeros_like(y)), axis=1)
