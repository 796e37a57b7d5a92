"""Knots and penalties of smoothing splines, found as in FITPACK's CURFIT, PARCUR and PERCUR."""

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ..._native import native
from ...errors import NotSupported
from ...transforms import stop_gradient
from ._bspline import values
from ._interpolating import periodic_through, through
from ._knots import around, circle, not_a_knot
from ._least_squares import equations, nearest
from ._penalty import penalty
from ._problems import Banded, Dense, problem

__all__ = ["Fit", "Options", "Search", "by_interval", "of_knots", "reaching", "smoothed", "split"]

_CLOSE = 0.001  # the relative difference of the sum of squared residuals from s
_STEPS = 20
_WORDS = (
    "splines with a sum of squares s > 0: the search for knots and for a penalty reads values, "
    "which it can't here. Give knots (splrep with task=-1 and t, or LSQUnivariateSpline), s=0, or "
    "call make_smoothing_spline with lam"
)


class Fit(NamedTuple):
    """Hold a spline with its sum of squared residuals and FITPACK's status."""

    t: Any
    c: Any  # (n, C)
    residual: Any
    status: int
    search: Any = None  # where it ended, for one that goes on with a smaller s


class State(NamedTuple):
    """Hold where a search for knots ended."""

    places: list[int]  # of inner knots among the points
    between: list[int]  # points between knots
    before: float  # the sum of squares with fewer knots
    first: float  # that without inner knots
    more: int  # knots put in last
    full: int  # inner knots at which one more is put in, or -1


@dataclass(frozen=True)
class Kept:
    """Hold a state that isn't among a step's results."""

    state: State


class Options(NamedTuple):
    """Hold how a search goes."""

    k: int
    periodic: bool = False
    store: int | None = None  # inner knots at which a search begins again with one more
    most: int | None = None  # inner knots at which it ends
    again: bool = False  # whether residuals are those of each new knot


def _most(m: int, how: Options) -> int:
    """Return the number of inner knots of interpolation."""
    return m - 2 if how.periodic else m - how.k - 1


def _ended(xp: Any, start: Any, inner: Any, end: Any, k: int) -> Any:
    return xp.concat([start] * (k + 1) + [inner] + [end] * (k + 1), axis=0)


def _knots(xp: Any, x: Any, start: Any, end: Any, how: Options, places: list[int]) -> Any:
    """Knots at some points; if they are as many as interpolation has, those of interpolation."""
    k = how.k
    if len(places) == _most(x.shape[0], how):
        if how.periodic:
            return circle(xp, x[None, :], k)[0, :]
        t = not_a_knot(xp, x, k)
        return _ended(xp, start, t[k + 1 : t.shape[0] - k - 1], end, k)
    inner = xp.take(x, xp.asarray(places, dtype=xp.int64, device=device(x)), axis=0)
    return around(xp, inner, start, end, k) if how.periodic else _ended(xp, start, inner, end, k)


def _doubles(*arguments: Any) -> bool:
    """doubles."""
    y, x = arguments[:2]
    return bool(y.dtype == x.dtype == array_namespace(x).float64)


@native(numpy="likewise._libs.numpy._interpolate:least", when=_doubles)
def of_knots(y: Any, x: Any, w: Any, t: Any, k: int, periodic: bool) -> Fit:
    """Return the spline of least squares with knots."""
    xp = array_namespace(x)
    if periodic:
        dense = Dense(xp, x, y, w, t, k, True)
        c, _ = dense.best()
        rest = dense.rest(c)
        return Fit(t, c, xp.sum(rest * rest), 0)
    found = equations(xp, x[None, :], y[None, :, :], w[None, :], t[None, :], k)
    c = nearest(y, x, w, t, k, 2)
    rest = found.y - found.fitted(c[None, :, :])
    return Fit(t, c, xp.sum(rest * rest), 0)


@native(numpy="likewise._libs.numpy._interpolate:curve", when=_doubles)
def smoothed(
    y: Any, x: Any, w: Any, start: Any, end: Any, s: Any, how: Options, earlier: Any = None
) -> Fit:
    """Return the spline with few knots whose weighted squared residuals sum up to s.

    Values (m, C), ends (1,).
    """
    xp, k, periodic = array_namespace(y, x), how.k, how.periodic
    target = stop_gradient(s) if hasattr(s, "shape") else s
    known = not hasattr(s, "shape") or is_concrete(target)
    if known and float(target) == 0:
        return _through(xp, y, x, start, end, how)
    a, b, v, low, high = (stop_gradient(v) for v in (x, y, w, start, end))
    if not known or not all(map(is_concrete, (a, b, v, low, high))):
        raise NotSupported(_WORDS)
    search = Search(xp, a, b, v, low, high, float(target), how)
    state, status, p, dense = search.run(earlier.state if isinstance(earlier, Kept) else None)
    if p is None and status == -1:
        return _through(xp, y, x, start, end, how)._replace(search=Kept(state))
    t = _knots(xp, x, start, end, how, state.places)
    made: Any = Dense(xp, x, y, w, t, k, periodic) if dense else Banded(xp, x, y, w, t, k)
    return _at(xp, made, t, p, s, target)._replace(status=status, search=Kept(state))


def _at(xp: Any, found: Any, t: Any, p: Any, s: Any, target: Any) -> Fit:
    """The spline of a penalty."""
    if p is None:
        c, _ = found.best()
    else:
        # The penalty keeps the sum of residuals where it is, whatever changes: its derivatives
        # are those of one step of Newton's method.
        c, slope = found.penalized(p)
        rest = found.rest(c)
        ways = -2 * xp.sum(rest * found.slopes(slope))
        total = xp.sum(rest * rest) - (s - target)
        p = p - (total - stop_gradient(total)) / stop_gradient(ways)
        c, _ = found.penalized(p)
    rest = found.rest(c)
    return Fit(t, c, xp.sum(rest * rest), 0)


def reaching(y: Any, x: Any, w: Any, t: Any, s: Any, k: int, periodic: bool) -> Fit:
    """Return the spline of knots whose weighted squared residuals sum up to s by a penalty."""
    xp, how = array_namespace(y, x), Options(k, periodic)
    target = stop_gradient(s) if hasattr(s, "shape") else s
    a, b, v = (stop_gradient(v) for v in (x, y, w))
    if t.shape[0] == 2 * k + 2:
        return of_knots(y, x, w, t, k, periodic)
    if not all(map(is_concrete, (a, b, v, t))):
        raise NotSupported(_WORDS)
    search = Search(xp, a, b, v, t[k : k + 1], t[-k - 1 : -k], float(target), how)
    _, _, squares, _ = search.tried(search.around([]))
    found, _, less, _ = search.tried(stop_gradient(t))
    first, over = (float(xp.sum(v)) for v in (squares, less))
    status, p, dense = search.penalty(found, stop_gradient(t), first, over - search.s)
    made: Any = Dense(xp, x, y, w, t, k, periodic) if dense else Banded(xp, x, y, w, t, k)
    return _at(xp, made, t, p, s, target)._replace(status=status)


def _through(xp: Any, y: Any, x: Any, start: Any, end: Any, how: Options) -> Fit:
    """The spline of interpolation."""
    k, m = how.k, x.shape[0]
    begin, none = Kept(State([], [m - 2], 0.0, 0.0, 0, -1)), xp.zeros_like(x[0])
    if how.periodic:
        closed = xp.concat([y[:-1, :], y[:1, :]], axis=0)
        made = periodic_through(xp, x, closed, k, 0)
        return Fit(made.t, made.c, none, -1, begin)
    t = _knots(xp, x, start, end, how, [0] * _most(m, how))
    return Fit(t, through(xp, x, y, t, k), none, -1, begin)


class Search:
    """The search for knots, then for a penalty, on values that can be read."""

    def __init__(
        self, xp: Any, x: Any, y: Any, w: Any, start: Any, end: Any, s: float, how: Options
    ) -> None:
        self.xp, self.data, self.ends, self.s, self.how = xp, (x, y, w), (start, end), s, how
        self.close = _CLOSE * s
        self.knots: list[Any] = []  # of each step

    def around(self, places: list[int]) -> Any:
        """Return knots at places."""
        return _knots(self.xp, self.data[0], *self.ends, self.how, places)

    def tried(self, t: Any) -> tuple[Any, Any, Any, float]:
        """Return a problem of knots, these, squares of its residuals, and that of the last point,
        if the spline is periodic."""
        xp, how, (x, y, w) = self.xp, self.how, self.data
        found, c = problem(xp, x, y, w, t, how.k, how.periodic)
        squares, last = xp.sum(found.rest(c) ** 2, axis=1), 0.0
        if how.periodic and how.again:
            rest = w[-1] * (y[-1, :] - values("", t, c, how.k, x[-1:], 0, True)[0, :])
            last = float(xp.sum(rest**2))  # likewise: ignore[LW203]: values are at hand
        elif how.periodic:
            last = float(squares[0])  # likewise: ignore[LW203]: values are at hand
        return found, t, squares, last

    def run(self, earlier: State | None) -> tuple[State, int, Any, bool]:
        """Return where the search ends, a status, a penalty or None, and which problem it was."""
        xp, how, s, close, m = self.xp, self.how, self.s, self.close, self.data[0].shape[0]
        k, most = how.k, _most(m, how)
        full = -1 if how.store is None else how.store
        state = State([], [m - 2], 0.0, 0.0, 0, full)
        if how.periodic:
            _, _, squares, _ = self.tried(self.around([]))
            first = float(xp.sum(squares))  # likewise: ignore[LW203]: values are at hand
            if first - s < close or not most:
                self.knots.append(self.around([]))
                return state, -2, None, True
            middle = (m + 1) // 2 - 1
            state = State([middle], [middle - 1, m - 2 - middle], first, first, 1, full)
        if earlier is not None:
            goes_on = earlier.places and earlier.first > s
            state = earlier if goes_on else state._replace(full=earlier.full)
        places, between, before, first, more, full = state
        places, between = list(places), list(between)
        while True:
            found, t, squares, last = self.tried(self.around(places))
            self.knots.append(t)
            total = float(xp.sum(squares))  # likewise: ignore[LW203]: values are at hand
            first = total if not places else first
            state, over = State(places, between, before, first, more, full), total - s
            if total != total:
                raise hooks_of(squares).linalg_error(
                    f"splines of degree {k} with {len(places)} inner knots aren't determined by "
                    "these points in their precision. Give a larger s, or a lower degree"
                )
            dense = isinstance(found, Dense)
            if abs(over) < close or (over < 0 and not places):
                return state, 0 if places else -2, None, dense
            if over < 0:
                return (state, *self.penalty(found, t, first, over))
            if how.most is not None and len(places) >= how.most:
                return state, 1, None, dense
            if len(places) == most:
                return state, -1, None, dense
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
            sums = by_interval(xp, squares, places, last)
            for i in range(more):
                new = split(places, between, sums)
                if len(places) in (most, full, how.most):
                    break
                if how.again and i < more - 1:
                    # As in SciPy, knots beyond the ends of a period stay as they are until then.
                    cut, at = k + 1 + new, places[new]
                    t = xp.concat([t[:cut], self.data[0][at : at + 1], t[cut:]], axis=0)
                    _, _, squares, last = self.tried(t)
                    sums = by_interval(xp, squares, places, last)

    def penalty(self, found: Any, t: Any, first: float, over: float) -> tuple[int, Any, bool]:
        """Return a status, a penalty, and whether by Dense: by Banded, if that is of use."""
        n = t.shape[0] - self.how.k - 1 - (self.how.k if self.how.periodic else 0)
        if isinstance(found, Banded):
            status, p = self._root(found, n / found.trace(), first, over)
            if not status:
                return status, p, False
            found = Dense(self.xp, *self.data, t, self.how.k, False)
        return (*self._root(found, n / found.trace(), first, over), True)

    def _root(self, found: Any, p: float, first: float, over: float) -> tuple[int, Any]:
        """Find the penalty of jumps that gives a sum of s, by rational interpolation."""

        def of(p: float) -> float:
            rest = found.rest(found.penalized(p)[0])
            total = self.xp.sum(rest * rest)
            return float(total) - self.s  # likewise: ignore[LW203]: values are at hand

        return penalty(of, p, first - self.s, over, self.close, _STEPS)


def by_interval(xp: Any, rest: Any, places: list[int], last: float = 0.0) -> list[float]:
    """Return sums of squares between knots, with that of one more point at the end; a point on a
    knot counts half on both sides."""
    cuts = [-1, *places, rest.shape[0]]
    halves = [0.0, *(0.5 * float(rest[i]) for i in places), 0.0]
    sums = []
    for j, (low, high) in enumerate(itertools.pairwise(cuts)):
        inner = float(xp.sum(rest[low + 1 : high]))  # likewise: ignore[LW203]: values are at hand
        sums.append(halves[j] + inner + halves[j + 1])
    sums[-1] += last
    return sums


def split(places: list[int], between: list[int], sums: list[float]) -> int:
    """Put a knot into the middle of the interval with the largest sum; return which one it is."""
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
    return best
