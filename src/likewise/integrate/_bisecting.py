"""Adaptive bisection with extrapolation, QAGS and QAGP of QUADPACK, for many integrals at once.

R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, QUADPACK, 1983. Each step halves
an interval of each problem: that of the largest error, or while extrapolation waits, that of the
largest error among the longer ones.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_concrete
from ..solving._driver import Method, iterate
from ..solving._outcome import Outcome
from ._kronrod import Estimate, estimated, extrapolated, rule_of
from ._weights import ruled, weighed, weighing

__all__ = ["FAILED", "Problems", "Way", "begun", "bisected", "concluded", "judged", "measured"]
__all__ += ["nodes_of", "placed"]

_TABLE = 20  # areas that are extrapolated
_WIDTHS = 4, 12  # intervals that are listed at first
_NOT_FINITE = 7
# How it ended, as QUADPACK has it; 0 is success.
FAILED = {
    1: "the limit of intervals was reached: raise limit, or give the places of difficulties in "
    "points",
    2: "rounding prevents the tolerance: the error may be larger than estimated",
    3: "the integrand behaves badly at some points: give them in points",
    4: "extrapolation doesn't converge because of rounding: the result is the best that was found",
    5: "the integral is probably divergent, or converges slowly",
    6: "a value of the integrand is not finite at a node",
    7: "the integral over a cycle of the weight did not converge",
}

Integrand = Callable[[Any, tuple[Any, ...]], Any]  # points (B, n) and arguments, to values (B, n)


class Way(NamedTuple):
    """Settings, which are the same for all problems."""

    nodes: int
    limit: int
    epsabs: float
    epsrel: float
    curved: bool  # whether limits may be infinite
    split: int = 0  # how many points there are
    row: bool = True  # whether the row may call the function with numbers
    weight: str = ""
    cycles: int = 0  # at most, of a wave on an infinite range; 0 for finite ranges
    moments: int = 50  # for the row


class Problems(NamedTuple):
    """Data of B problems."""

    bound: Any  # (B,) the finite end of a half-infinite range
    turn: Any  # (B,) 0 for finite limits, 1 or -1 for the direction to infinity, 2 for all numbers
    args: tuple[Any, ...]  # (B, 1) or (1, 1) each; other objects as they came
    more: tuple[Any, ...] = ()  # (B, ...) what the weight depends on
    least: Any = None  # (B,) the absolute tolerance, if it differs


class _State(NamedTuple):
    lo: Any  # (B, limit) of intervals, as the next four
    hi: Any
    value: Any
    error: Any  # -1 where there is no interval
    level: Any  # how often the first interval was halved
    last: Any  # the number of intervals
    area: Any
    errors: Any
    total: Any  # integral of the absolute value
    limit: Any  # of extrapolation
    doubt: Any  # its error
    table: Any  # (B, _TABLE) areas
    count: Any
    before: Any  # (B, 3) limits before
    turns: Any  # extrapolations
    idle: Any  # extrapolations without success
    depth: Any  # intervals of at most this level are long
    waits: Any  # whether long intervals are to be halved before the next extrapolation
    stops: Any  # whether there are to be no extrapolations any more
    long: Any  # sum of errors of long intervals
    goal: Any
    added: Any  # to the error if rounding is seen
    rough: Any
    faint: Any
    fainter: Any
    worse: Any
    code: Any
    status: Any


def placed(problems: Problems, t: Any, curved: bool) -> tuple[Any, Any]:
    """Return the points of places (B, n), and the derivatives of points with respect to places."""
    xp = array_namespace(t)
    one = xp.ones_like(t)
    if not curved:
        return t, one
    turn, bound = problems.turn[:, None], problems.bound[:, None]
    finite, both = turn == 0, turn == 2
    u = xp.where(finite | both, one, t)
    v = xp.where(both, t, xp.zeros_like(t))
    w = 1 - v * v
    x = xp.where(finite, t, xp.where(both, v / w, bound + turn * ((1 - u) / u)))
    return x, xp.where(finite, one, xp.where(both, (1 + v * v) / (w * w), 1 / (u * u)))


def nodes_of(lo: Any, hi: Any, nodes: Any) -> Any:
    """Return nodes of intervals (B, m), by those of [-1, 1], (B, m * n)."""
    half = (hi - lo) / 2
    places = (lo + half)[:, :, None] + half[:, :, None] * nodes
    return array_namespace(lo).reshape(places, (lo.shape[0], lo.shape[1] * nodes.shape[0]))


def measured(way: Way, fun: Integrand, problems: Problems, lo: Any, hi: Any, rule: Any) -> Estimate:
    """Return what is known of intervals (B, m), (B, m) each."""
    xp = array_namespace(lo)
    x, slope = placed(problems, nodes_of(lo, hi, rule[0]), way.curved)
    y = fun(x, problems.args)
    if way.curved:  # 0 is a node of the range of all numbers, and may be a singularity
        pole = (problems.turn[:, None] == 2) & (x == 0) & ~xp.isfinite(y)
        y = xp.where(pole, xp.zeros_like(y), y) * slope
    y = xp.reshape(y, (-1, rule[0].shape[0]))
    shape = tuple(lo.shape)
    lo, hi = xp.reshape(lo, (-1,)), xp.reshape(hi, (-1,))
    if way.split:  # there may be a singularity where points are the same
        y = xp.where((lo == hi)[:, None], xp.zeros_like(y), y)
    if way.weight:
        m = shape[1]
        more = tuple(xp.repeat(v, m, axis=0) if m > 1 else v for v in problems.more)
        found = weighed(y, ruled(way.weight, more, lo, hi, rule))
    else:
        found = estimated(y, (hi - lo) / 2, rule)
    return Estimate(*(xp.reshape(v, shape) for v in found))


def _wanted(way: Way, problems: Problems, area: Any) -> Any:
    xp = array_namespace(area)
    least = xp.full_like(area, way.epsabs) if problems.least is None else problems.least
    return xp.maximum(least, way.epsrel * xp.abs(area))


def judged(
    way: Way, problems: Problems, area: Any, errors: Any, total: Any, spread: Any, alone: bool
) -> tuple[Any, Any, Any]:
    """Return what is wanted, and how problems end that need no halves, or may have none."""
    xp = array_namespace(area)
    eps = float(xp.finfo(area.dtype).eps)
    whole = xp.zeros(tuple(area.shape), dtype=xp.int32, device=device(area))
    goal = _wanted(way, problems, area)
    good = errors <= goal
    if spread is not None:  # an error as large as what it is measured by tells nothing
        good = (good & (errors != spread)) | (errors == 0)
    rounded = (errors <= 100 * eps * total) & (errors > goal)
    code = xp.where(rounded, whole + 2, whole + (1 if alone else 0))
    finite = xp.isfinite(area)
    code = xp.where(finite, xp.where(good, whole, code), whole + _NOT_FINITE)
    return goal, code, good | (code != 0)


def begun(way: Way, problems: Problems, lo: Any, hi: Any, found: Estimate) -> _State:
    """The state of intervals (B, m) of which there are estimates."""
    xp, m = array_namespace(lo), lo.shape[1]
    value, error, size, spread = found
    where = device(lo)
    batch = lo.shape[0]
    lanes = xp.zeros_like(lo[:, 0])
    whole = xp.zeros((batch,), dtype=xp.int32, device=where)
    no = lanes != 0

    area, errors, total = (xp.sum(v, axis=1) for v in (value, error, size))
    goal, code, ends = judged(
        way, problems, area, errors, total, spread[:, 0] if m == 1 else None, way.limit <= m
    )
    table = xp.concat(
        [xp.zeros((batch, _TABLE - 1), dtype=lo.dtype, device=where), area[:, None]], axis=1
    )
    huge = xp.full_like(area, xp.inf)
    depth = whole + (0 if way.split else 1)
    if way.weight in ("cos", "sin"):  # no extrapolation before intervals are short
        waves = xp.abs((hi - lo)[:, 0] * problems.more[0]) / 8
        waves = xp.minimum(xp.maximum(waves, xp.ones_like(waves)), xp.full_like(waves, 2.0**30))
        depth = xp.maximum(depth, xp.astype(xp.ceil(xp.log2(waves)), xp.int32))
    return _State(
        lo,
        hi,
        value,
        error,
        xp.zeros((batch, m), dtype=xp.int32, device=where),
        whole + m,
        area,
        errors,
        total,
        area,
        huge,
        table,
        xp.where(depth > 1, whole, whole + 1),
        xp.zeros((batch, 3), dtype=lo.dtype, device=where),
        whole,
        whole,
        depth,
        no,
        no,
        errors,
        goal,
        lanes,
        no,
        whole,
        whole,
        whole,
        code,
        xp.where(ends, whole + Outcome.CONVERGED, whole),
    )


def bisected(way: Way, fun: Integrand, problems: Problems, first: _State) -> _State:
    """Halve intervals until each problem has ended."""
    rule = weighing(first.lo) if way.weight else rule_of(first.lo, way.nodes)

    def step(both: Any, s: Any) -> _State:
        return _step(way, fun, both[0], s, rule)

    method = Method(lambda both: both[1], step, lean=True)
    if not is_concrete(first.status):
        return iterate(method, (problems, _widened(first, way.limit)))
    # Few problems need many intervals.
    s = first
    for width in sorted({min(w, way.limit) for w in (*_WIDTHS, way.limit)}):
        if width > s.lo.shape[1] or width == way.limit:
            s = iterate(method, (problems, _widened(s, width)))
            xp = array_namespace(s.status)
            again = s.status == Outcome.AGAIN
            if not bool(xp.any(again)):
                break
            s = s._replace(status=xp.where(again, xp.zeros_like(s.status), s.status))
    return s


def _widened(s: _State, width: int) -> _State:
    """Lists with places for more intervals."""
    xp, more = array_namespace(s.lo), width - s.lo.shape[1]
    if more <= 0:
        return s

    def filled(a: Any, fill: float) -> Any:
        rest = xp.full((a.shape[0], more), fill, dtype=a.dtype, device=device(a))
        return xp.concat([a, rest], axis=1)

    lists = (filled(a, 0.0) for a in (s.lo, s.hi, s.value))
    lo, hi, value = lists
    return s._replace(
        lo=lo, hi=hi, value=value, error=filled(s.error, -1.0), level=filled(s.level, 0)
    )


def _step(way: Way, fun: Integrand, problems: Problems, s: _State, rule: Any) -> _State:
    xp = array_namespace(s.lo)
    eps = float(xp.finfo(s.lo.dtype).eps)
    places = xp.arange(s.lo.shape[1], dtype=xp.int32, device=device(s.lo))[None, :]
    none = xp.full_like(s.error, -1.0)
    open_to = xp.where(s.waits[:, None] & (s.level > s.depth[:, None]), none, s.error)
    here = places == xp.astype(xp.argmax(open_to, axis=1), xp.int32)[:, None]

    def taken(a: Any) -> Any:
        return xp.sum(xp.where(here, a, xp.zeros_like(a)), axis=1, dtype=a.dtype)

    lo, hi, value, error, level = map(taken, (s.lo, s.hi, s.value, s.error, s.level))
    middle = lo + (hi - lo) / 2
    if way.weight == "cauchy":  # between the pole and the farther end
        (c,) = problems.more
        inside = (xp.minimum(lo, hi) < c) & (c < xp.maximum(lo, hi))
        other = xp.where(xp.abs(c - lo) <= xp.abs(hi - c), hi, lo)
        middle = xp.where(inside, c + (other - c) / 2, middle)
    ends = xp.stack([lo, middle, hi], axis=1)
    both_halves = measured(way, fun, problems, ends[:, :2], ends[:, 1:], rule)
    a, b = (Estimate(*(v[:, i] for v in both_halves)) for i in (0, 1))
    new = places == s.last[:, None]

    def put(all_: Any, left: Any, right: Any) -> Any:
        return xp.where(here, left[:, None], xp.where(new, right[:, None], all_))

    both, wrong = a.value + b.value, a.error + b.error
    s = s._replace(
        lo=put(s.lo, lo, middle),
        hi=put(s.hi, middle, hi),
        value=put(s.value, a.value, b.value),
        error=put(s.error, a.error, b.error),
        level=put(s.level, level + 1, level + 1),
        last=s.last + 1,
        area=s.area + both - value,
        errors=s.errors + wrong - error,
    )
    # Rounding: halves that add to the same, or whose errors don't get smaller.
    one = xp.ones_like(s.faint)
    zero = xp.zeros_like(s.faint)
    known = (a.error != a.spread) & (b.error != b.spread)
    same = known & (xp.abs(value - both) <= 1e-5 * xp.abs(both)) & (wrong >= 0.99 * error)
    faint = s.faint + xp.where(same & ~s.waits, one, zero)
    fainter = s.fainter + xp.where(same & s.waits, one, zero)
    worse = s.worse + xp.where(known & (s.last > 10) & (wrong > error), one, zero)
    goal = _wanted(way, problems, s.area)
    rough = s.rough | (fainter >= 5)
    tiny = float(xp.finfo(lo.dtype).smallest_normal)
    ends_at = xp.maximum(xp.abs(lo), xp.abs(hi))
    narrow = ends_at <= (1 + 100 * eps) * (xp.abs(middle) + 1000 * tiny)
    code = xp.where((faint + fainter >= 10) | (worse >= 20), one * 2, s.code)
    code = xp.where(s.last >= way.limit, one, code)
    code = xp.where(narrow, one * 4, code)
    reached = s.errors <= goal
    finite = xp.isfinite(s.area)
    code = xp.where(reached, zero, xp.where(finite, code, one * _NOT_FINITE))
    ends = reached | (code != 0)
    s = s._replace(faint=faint, fainter=fainter, worse=worse, rough=rough, code=code)
    # At a success the sum is the result: nothing is extrapolated.
    s = s._replace(doubt=xp.where(reached, xp.full_like(s.doubt, xp.inf), s.doubt))
    s = s._replace(status=xp.where(ends, one * Outcome.CONVERGED, s.status))
    return _judged(way, problems, s, ends, error, level, wrong, goal)


def _judged(
    way: Way,
    problems: Problems,
    s: _State,
    ends: Any,
    error: Any,
    level: Any,
    wrong: Any,
    goal: Any,
) -> _State:
    """Decide whether to extrapolate, and which intervals are next."""
    xp = array_namespace(s.lo)
    one = xp.ones_like(s.last)
    going = ~ends & ~s.stops
    if way.weight not in ("", "cos", "sin"):  # rules that know the singularities
        full = ~ends & (s.last >= s.lo.shape[1])
        return s._replace(status=xp.where(full, one * Outcome.AGAIN, s.status))
    if not way.split:  # the first two areas are known before the first choice
        early = going & (s.last == 2) & (s.count == 1)
        s = s._replace(
            table=xp.where(early[:, None], _shifted(xp, s.table, s.area), s.table),
            count=xp.where(early, one * 2, s.count),
            long=xp.where(early, s.errors, s.long),
            goal=xp.where(early, goal, s.goal),
        )
        going = going & ~early
    long = s.long - error + xp.where(level + 1 <= s.depth, wrong, xp.zeros_like(wrong))
    long = xp.where(going, long, s.long)
    widest = xp.max(
        xp.where(s.level <= s.depth[:, None], s.error, xp.full_like(s.error, -1.0)), axis=1
    )
    largest = xp.max(s.error, axis=1)
    deep = widest < largest  # the next to be halved is short
    waits = s.waits | deep
    more = waits & ~s.rough & (long > s.goal) & (widest >= 0)
    extrapolates = going & waits & ~more
    s = s._replace(long=long, waits=xp.where(going, waits, s.waits))
    if not is_concrete(extrapolates) or bool(xp.any(extrapolates)):
        s = _extrapolated(way, problems, s, extrapolates)
    full = (s.status == Outcome.RUNNING) & (s.last >= s.lo.shape[1])
    return s._replace(status=xp.where(full, one * Outcome.AGAIN, s.status))


def _shifted(xp: Any, table: Any, new: Any) -> Any:
    return xp.concat([table[:, 1:], new[:, None]], axis=1)


def _extrapolated(way: Way, problems: Problems, s: _State, which: Any) -> _State:
    xp = array_namespace(s.lo)
    eps = float(xp.finfo(s.lo.dtype).eps)
    one, zero = xp.ones_like(s.last), xp.zeros_like(s.last)
    table = _shifted(xp, s.table, s.area)
    count = xp.minimum(s.count + 1, one * _TABLE)
    limit, error, settled, keep = extrapolated(table, count)
    turns = s.turns + 1
    change = xp.sum(xp.abs(limit[:, None] - s.before), axis=1)
    many = (turns >= 4) & (count >= 3)
    huge = xp.full_like(error, xp.inf)
    doubt = xp.where(settled, error, xp.where(many, change, huge))
    doubt = xp.maximum(doubt, 5 * eps * xp.abs(limit))
    before = xp.where(settled[:, None], s.before, _shifted(xp, s.before, limit))
    idle = s.idle + 1
    diverges = (idle > 5) & (s.doubt < 1e-3 * s.errors)
    better = doubt < s.doubt
    goal = _wanted(way, problems, limit)
    best = xp.where(better, doubt, s.doubt)
    done = (better & (best <= goal)) | diverges
    code = xp.where(diverges & ~(better & (best <= goal)), one * 5, s.code)
    new = s._replace(
        table=table,
        count=keep,
        before=before,
        turns=turns,
        idle=xp.where(better, zero, idle),
        limit=xp.where(better, limit, s.limit),
        doubt=best,
        added=xp.where(better, s.long, s.added),
        goal=xp.where(better, goal, s.goal),
        stops=s.stops | (keep == 1),
        waits=s.waits & ~s.waits,
        depth=s.depth + 1,
        long=s.errors,
        code=code,
        status=xp.where(done, one * Outcome.CONVERGED, s.status),
    )

    def chosen(now: Any, then: Any) -> Any:
        return xp.where(which[:, None] if now.ndim > 1 else which, now, then)

    changed = (
        *("table", "count", "before", "turns", "idle", "limit", "doubt", "added", "goal"),
        *("stops", "waits", "depth", "long", "code", "status"),
    )
    return s._replace(**{name: chosen(getattr(new, name), getattr(s, name)) for name in changed})


def concluded(s: _State) -> tuple[Any, Any, Any, Any]:
    """The result, its error, how it ended, and whether it is the sum, not an extrapolation."""
    xp = array_namespace(s.lo)
    one = xp.ones_like(s.last)
    total = xp.sum(s.value, axis=1)
    tried = xp.isfinite(s.doubt)
    trouble = tried & ((s.code != 0) | s.rough)
    doubt = s.doubt + xp.where(tried & s.rough, s.added, xp.zeros_like(s.added))
    code = xp.where(tried & s.rough & (s.code == 0), one * 3, s.code)
    zeros = (s.limit == 0) | (s.area == 0)
    # Of both the one with the smaller relative error.
    by_ratio = doubt * xp.abs(s.area) > s.errors * xp.abs(s.limit)
    by_sum = ~tried | (trouble & xp.where(zeros, doubt > s.errors, by_ratio))
    # An extrapolated result that is far from the sum tells that there is no integral, unless both
    # are small beside the integral of the absolute value.
    ratio = s.limit / xp.where(s.area == 0, xp.ones_like(s.area), s.area)
    small = xp.maximum(xp.abs(s.limit), xp.abs(s.area)) <= 0.01 * s.total
    far = (ratio < 0.01) | (ratio > 100) | (s.errors > xp.abs(s.area))
    code = xp.where(~by_sum & ~small & far & ~(trouble & (s.area == 0)), one * 6, code)
    code = xp.where(xp.isfinite(total), code, one * _NOT_FINITE)
    by_sum = by_sum | (code == _NOT_FINITE)
    # Without 3, which is another way to see rounding.
    return (
        xp.where(by_sum, total, s.limit),
        xp.where(by_sum, s.errors, doubt),
        xp.where(code > 2, code - 1, code),
        by_sum,
    )
