"""Knots and penalties of smoothing splines, found as in FITPACK's CURFIT."""

import itertools
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ...errors import NotSupported
from ...linalg import cholesky
from ...transforms import stop_gradient
from ._interpolating import not_a_knot, through
from ._least_squares import Equations, bands_of, columns_of, equations, nearest, solved

__all__ = ["Fit", "State", "fitted", "of_knots"]

_CLOSE = 0.001  # the relative difference of the sum of squared residuals from s
_STEPS = 20


class Fit(NamedTuple):
    """Hold a spline with its sum of squared residuals and FITPACK's status."""

    t: Any
    c: Any
    residual: Any
    status: int
    search: Any = None  # where it ended, for one that goes on with a smaller s


def _ended(xp: Any, start: Any, inner: Any, end: Any, k: int) -> Any:
    ends = [xp.reshape(v, (1,)) for v in (start, end)]
    return xp.concat([ends[0]] * (k + 1) + [inner] + [ends[1]] * (k + 1), axis=0)


def _knots(xp: Any, x: Any, start: Any, end: Any, k: int, places: list[int]) -> Any:
    """Knots at some points; if they are as many as interpolation has, those of interpolation."""
    if len(places) == x.shape[0] - k - 1:
        t = not_a_knot(xp, x, k)
        return _ended(xp, start, t[k + 1 : t.shape[0] - k - 1], end, k)
    inner = xp.take(x, xp.asarray(places, dtype=xp.int64, device=device(x)), axis=0)
    return _ended(xp, start, inner, end, k)


def of_knots(x: Any, y: Any, w: Any, t: Any, k: int) -> Fit:
    """Return the spline of least squares with knots."""
    xp = array_namespace(x)
    found = equations(xp, x[None, :], y[None, :, None], w[None, :], t[None, :], k)
    c = nearest(xp, x, y, w, t, k)
    rest = found.y - found.fitted(c[None, :, None])
    return Fit(t, c, xp.sum(rest * rest), 0)


class State(NamedTuple):
    """Hold where a search for knots ended."""

    places: list[int]  # of inner knots among the points
    between: list[int]  # points between knots
    before: float  # the sum of squares with fewer knots
    first: float  # that without inner knots
    more: int  # knots put in last
    full: int  # inner knots at which one more is put in, or -1


def fitted(
    function: str,
    x: Any,
    y: Any,
    w: Any,
    start: Any,
    end: Any,
    k: int,
    s: float,
    earlier: State | None = None,
    store: int | None = None,
) -> Fit:
    """Return the spline with few knots whose weighted squared residuals sum up to s."""
    xp, m = array_namespace(x), x.shape[0]
    if s == 0:
        t = _knots(xp, x, start, end, k, [0] * (m - k - 1))
        begin = State([], [m - 2], 0.0, 0.0, 0, -1)
        return Fit(t, through(xp, x, y, t, k), xp.zeros_like(x[0]), -1, begin)
    a, b, v, low, high = (stop_gradient(v) for v in (x, y, w, start, end))
    if not all(map(is_concrete, (a, b, v, low, high))):
        raise NotSupported(
            f"{function}: the search for knots (s > 0) reads values, which it can't here. Give "
            "knots (task=-1 and t, or LSQUnivariateSpline), s=0, or call make_smoothing_spline "
            "with lam"
        )
    state, status, p = _search(xp, a, b, v, low, high, k, float(s), earlier, store)
    places = state.places
    t = _knots(xp, x, start, end, k, places)
    if p is None and status == -1:
        return fitted(function, x, y, w, start, end, k, 0)._replace(search=state)
    if p is None:
        return of_knots(x, y, w, t, k)._replace(status=status, search=state)
    problem = equations(xp, x[None, :], y[None, :, None], w[None, :], t[None, :], k)
    jumps = _jumps(xp, t, k)
    # The penalty keeps the sum of residuals where it is, whatever changes: its derivatives are
    # those of one step of Newton's method.
    c, slope = _penalized(problem, jumps, p)
    rest = problem.y - problem.fitted(c)
    ways = -2 * xp.sum(rest * problem.fitted(slope))
    total = xp.sum(rest * rest)
    p = p - (total - stop_gradient(total)) / stop_gradient(ways)
    c, _ = _penalized(problem, jumps, p)
    rest = problem.y - problem.fitted(c)
    return Fit(t, c[0, :, 0], xp.sum(rest * rest), status, state)


def _jumps(xp: Any, t: Any, k: int) -> Any:
    """Jumps of the k-th derivative at inner knots, (inner, k + 2), of B-splines from the same
    number on."""
    n = t.shape[0] - k - 1
    inner = n - k - 1
    scale = (n - k) / (t[n] - t[k])
    at = t[k + 1 : n]
    gaps = [at - t[i : i + inner] for i in range(2 * k + 3)]  # of the knots around each
    out = []
    for j in range(k + 2):
        product: Any = None
        for i in range(j, j + k + 2):
            if i != k + 1:
                product = gaps[i] if product is None else product * gaps[i] * scale
        out.append((t[j + k + 1 : j + k + 1 + inner] - t[j : j + inner]) / product)
    return xp.stack(out, axis=-1)


def _penalized(problem: Equations, jumps: Any, p: Any) -> tuple[Any, Any]:
    """Coefficients (1, n, 1) with jumps divided by p among the equations, and their slope in p."""
    xp, k = array_namespace(jumps), jumps.shape[1] - 2
    each = jumps[None, :, :]
    penalty = bands_of(xp, each[..., :, None] * each[..., None, :], k + 1)
    gap = xp.zeros_like(penalty[:, :1, :])
    bands = xp.concat([gap, problem.bands, gap], axis=1) + penalty / p**2

    def pulled(c: Any) -> Any:
        rows = jumps.shape[0]
        jump = sum(each[:, :, j, None] * c[:, j : j + rows, :] for j in range(k + 2))
        return columns_of(xp, each[..., None] * jump[:, :, None, :], k + 1)

    right = problem.right(problem.y)
    c = solved(bands, right)
    for _ in range(2):
        c = c + solved(bands, problem.right(problem.y - problem.fitted(c)) - pulled(c) / p**2)
    return c, solved(bands, 2 * pulled(c) / p**3)


def _search(
    xp: Any,
    x: Any,
    y: Any,
    w: Any,
    start: Any,
    end: Any,
    k: int,
    s: float,
    earlier: State | None,
    store: int | None,
) -> tuple[State, int, Any]:
    """Return where the search ends, a status, and a penalty, or None."""
    m, close = x.shape[0], _CLOSE * s
    state = State([], [m - 2], 0.0, 0.0, 0, -1 if store is None else store)
    if earlier is not None:
        goes_on = earlier.places and earlier.first > s
        state = earlier if goes_on else state._replace(full=earlier.full)
    places, between, before, first, more, full = state
    places, between = list(places), list(between)
    while True:
        t = _knots(xp, x, start, end, k, places)
        problem = equations(xp, x[None, :], y[None, :, None], w[None, :], t[None, :], k)
        c = solved(problem.bands, problem.right(problem.y))
        for _ in range(2):
            c = c + solved(problem.bands, problem.right(problem.y - problem.fitted(c)))
        rest = xp.reshape(problem.y - problem.fitted(c), (-1,))
        rest = rest * rest
        total = float(xp.sum(rest))  # likewise: ignore[LW203]: values are at hand
        first = total if not places else first
        state, over = State(places, between, before, first, more, full), total - s
        if total != total:
            raise hooks_of(x).linalg_error(
                f"splines of degree {k} with {len(places)} inner knots aren't determined by these "
                "points in their precision. Give a larger s, or a lower degree"
            )
        if abs(over) < close or (over < 0 and not places):
            return state, 0 if places else -2, None
        if over < 0:
            return (state, *_penalty(xp, problem, t, k, s, first, over))
        if len(places) == m - k - 1:
            return state, -1, None
        if len(places) == full:
            more, full = 1, -1
        elif not places:
            more = 1
        else:
            wanted = more * 2
            if before - total > close:
                wanted = int(more * over / (before - total))
            more = min(more * 2, max(wanted, more // 2, 1))
        before = total
        sums = _by_interval(xp, rest, places)
        for _ in range(more):
            _split(places, between, sums)
            if len(places) in (m - k - 1, full):
                break


def _by_interval(xp: Any, rest: Any, places: list[int]) -> list[float]:
    """Sums of squares between knots; a point on a knot counts half on both sides."""
    cuts = [-1, *places, rest.shape[0]]
    halves = [0.0, *(0.5 * float(rest[i]) for i in places), 0.0]
    sums = []
    for j, (low, high) in enumerate(itertools.pairwise(cuts)):
        inner = float(xp.sum(rest[low + 1 : high]))  # likewise: ignore[LW203]: values are at hand
        sums.append(halves[j] + inner + halves[j + 1])
    return sums


def _split(places: list[int], between: list[int], sums: list[float]) -> None:
    """Put a knot into the middle of the interval with the largest sum."""
    best, worst, begin, at = -1, 0.0, 0, 0
    for j, (count, total) in enumerate(zip(between, sums, strict=True)):
        if total > worst and count:
            best, worst, at = j, total, begin
        begin += count + 1
    count = between[best]
    half = count // 2 + 1
    places.insert(best, at + half)
    between[best : best + 1] = [half - 1, count - half]
    sums[best : best + 1] = [worst * (half - 1) / count, worst * (count - half) / count]


def _penalty(
    xp: Any,
    problem: Equations,
    t: Any,
    k: int,
    s: float,
    first: float,
    over: float,
) -> tuple[int, Any]:
    """Find the penalty of jumps that gives a sum of s, by rational interpolation."""
    n, close, jumps = t.shape[0] - k - 1, _CLOSE * s, _jumps(xp, t, k)
    low, high = (0.0, first - s), (-1.0, over)
    p = n / _trace(xp, problem.bands, k)
    down = up = False
    for step in range(_STEPS):
        c, _ = _penalized(problem, jumps, p)
        rest = problem.y - problem.fitted(c)
        here = float(xp.sum(rest * rest)) - s  # likewise: ignore[LW203]: values are at hand
        if abs(here) < close:
            return 0, p
        if step == _STEPS - 1:
            return 3, p
        if not down:
            if here - high[1] <= close:
                high = p, here
                p *= 0.04
                p = 0.9 * low[0] + 0.1 * high[0] if p <= low[0] else p
                continue
            down = here < 0
        if not up:
            if low[1] - here <= close:
                low = p, here
                p /= 0.04
                p = 0.1 * low[0] + 0.9 * high[0] if 0 <= high[0] <= p else p
                continue
            up = here > 0
        if here >= low[1] or here <= high[1]:
            return 2, p
        now = p
        p = _rational(low, (now, here), high)
        low, high = (low, (now, here)) if here < 0 else ((now, here), high)
    return 3, p


def _rational(low: Any, now: Any, high: Any) -> float:
    """The zero of the rational function (p + a) / (p + b) through three points."""
    (p1, f1), (p2, f2), (p3, f3) = low, now, high
    if p3 <= 0:  # at infinity
        return float((p1 * (f1 - f3) * f2 - p2 * (f2 - f3) * f1) / ((f1 - f2) * f3))
    h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
    return float(-(p1 * p2 * h3 + p2 * p3 * h1 + p3 * p1 * h2) / (p1 * h1 + p2 * h2 + p3 * h3))


def _trace(xp: Any, bands: Any, k: int) -> float:
    """The sum of the diagonal of the triangular factor."""
    n = bands.shape[2]
    i = xp.arange(n, device=device(bands))
    gap = i[:, None] - i[None, :]
    index = xp.reshape(xp.clip(gap + k, 0, 2 * k) * n + i[None, :], (-1,))
    dense = xp.reshape(xp.take(xp.reshape(bands, (-1,)), index, axis=0), (n, n))
    dense = xp.where(xp.abs(gap) <= k, dense, xp.zeros_like(dense))
    factor = cholesky(dense, lower=True)
    return float(xp.sum(xp.where(gap == 0, factor, xp.zeros_like(factor))))
