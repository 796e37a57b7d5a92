"""Linear programmes by an interior point of the self-dual embedding, many at once.

E. D. Andersen, K. D. Andersen, The MOSEK interior point optimizer for linear programming: an
implementation of the homogeneous algorithm, in High Performance Optimization, 2000, pages 197-232,
with the predictor and corrector of S. Mehrotra, SIAM J. Optim. 2(4), 1992 (S. J. Wright,
Primal-Dual Interior-Point Methods, 1997, chapter 10). The embedding always has a solution: with
tau > 0 it is an optimum, times tau, and with kappa > 0 a ray that proves that there is none.

Rows ``a x <= b`` come first, then ``a x == b``; a bound is infinite where there is none, so
problems of a batch may have different ones. *Sides* are the inequalities: lower bounds, upper
bounds, rows. Each has its distance `q` and its multiplier `t`. With ``w = t / q``, Newton's
equations are

    [-D  A'] [f]   [r]
    [ A  E ] [g] = [s],   D = w of both bounds,   E = 1 / w of rows <=, 0 of rows ==,

solved by Cholesky's factor of ``E + A D^-1 A'``, or of ``D + A' E^-1 A`` where that is smaller and
there is no equation. Small numbers stand in for the zeros of D and E (proximal points of unknowns
without bounds and of multipliers: M. P. Friedlander, D. Orban, Math. Program. Comput. 4, 2012), so
redundant rows need no care of their own.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete
from ...linalg import cho_factor, cho_solve
from ...solving._driver import Method, again, iterate, tree_where
from ...solving._outcome import Outcome, outcomes

__all__ = ["Found", "Programme", "interior"]

_SHARE = 0.9995  # of the way to the boundary
_PASSES = 2  # of scaling rows and columns
_FIXED = 1e20  # stands for the infinite weight of an unknown whose bounds are equal
_PATIENCE = 10  # steps without progress


class Programme(NamedTuple):
    """Hold problems: minimise c'x, first rows of a x <= b, then rows of a x == b, within bounds."""

    c: Any  # (B or 1, n)
    a: Any  # (B or 1, m, n)
    b: Any  # (B or 1, m)
    lower: Any  # (B or 1, n)
    upper: Any


class Found(NamedTuple):
    """Hold solutions; multipliers are the derivatives of the least value."""

    x: Any  # (B, n)
    y: Any  # (B, m), of the rows
    at: Any  # (B, n): -1, 0, 1, at the lower bound, between, at the upper bound
    tight: Any  # (B, m): rows that hold as equations
    nit: Any  # (B,)
    outcome: Any


class _Kind(NamedTuple):
    """Hold what is the same for all problems."""

    few: int  # rows <=
    upper: bool  # whether there may be upper bounds
    tol: float
    times: int  # corrections of Newton's steps


class _Task(NamedTuple):
    """Hold scaled problems, in which bounds that don't exist are 0."""

    p: Programme
    near: Any  # (B or 1, k) of 0 and 1: the sides that exist
    fixed: Any  # (B or 1, n)
    empty: Any  # (B or 1,): bounds that contradict each other


class _State(NamedTuple):
    x: Any  # (B, n)
    y: Any  # (B, rows ==)
    q: Any  # (B, k)
    t: Any  # (B, k)
    tau: Any  # (B,)
    kappa: Any
    best: Any  # (B,): the least error
    late: Any  # (B,): steps since
    status: Any
    nit: Any


class _Rest(NamedTuple):
    """Hold what is missing in the equations of the embedding."""

    d: Any  # (B, n)
    e: Any  # (B, rows ==)
    s: Any  # (B, k)
    g: Any  # (B,)


def interior(p: Programme, few: int, upper: bool, most: int) -> Found:
    """Solve problems whose first `few` rows are inequalities; without `upper` there are no upper
    bounds."""
    xp, n = array_namespace(*p), p.c.shape[1]
    eps = float(xp.finfo(p.c.dtype).eps)
    scaled, rows, columns, high, cost = _scaled(p)
    task, held = _posed(scaled, few, upper)
    fixed, tol = task.fixed, max(1e-10, 100 * eps)

    def by(times: int) -> Method:
        kind = _Kind(few, upper, tol, times)
        return Method(lambda v: _start(kind, v), lambda v, s: _step(kind, v, s))

    def doubted(new: _State, old: _State) -> _State:
        missing = xp.sum(new.x[:, n:], axis=1) > 10 * _loose(tol) * new.tau
        sure = missing & (new.status == Outcome.CONVERGED)
        empty = xp.full_like(old.status, Outcome.INFEASIBLE)
        return old._replace(status=xp.where(sure, empty, old.status))

    if is_concrete(p.c):  # a few that rounding stops go again, with care
        end = iterate(by(1), task, most)
        lost = end.status == Outcome.STALLED
        end = again(by(2), task, end, lost, lambda new, old: new)
        lost = (end.status == Outcome.STALLED) | (end.status == Outcome.UNBOUNDED)
        if p.a.shape[1] and xp.any(lost):  # a ray along which the value falls says nothing of rows
            end = again(by(2), _posed(_elastic(scaled, few), few, upper)[0], end, lost, doubted)
    else:
        end = iterate(by(2), task, most)
    x, tau = end.x, end.tau[:, None]
    x = xp.where(fixed, held, x / tau)
    y = xp.concat([-end.t[:, end.t.shape[1] - few :], end.y], axis=1) / tau
    near = end.q < end.t
    none = xp.zeros_like(end.nit)[:, None]
    at = xp.where(near[:, :n] | fixed, none - 1, none)
    if upper:
        at = xp.where(near[:, n : 2 * n] & ~fixed, none + 1, at)
    tight = xp.concat([near[:, near.shape[1] - few :], xp.ones_like(end.y, dtype=xp.bool)], axis=1)
    return Found(
        x * columns * high, y * rows * cost, at, tight, end.nit, end.status,
    )  # fmt: skip


def _posed(p: Programme, few: int, upper: bool) -> tuple[_Task, Any]:
    """Return scaled problems as tasks, and the values of unknowns whose bounds are equal."""
    xp = array_namespace(*p)
    fixed = p.lower == p.upper
    low_on, up_on = xp.isfinite(p.lower) & ~fixed, xp.isfinite(p.upper) & ~fixed
    held = xp.where(fixed & xp.isfinite(p.lower), p.lower, xp.zeros_like(p.lower))
    inner = p._replace(
        c=xp.where(fixed, xp.zeros_like(p.c), p.c),
        b=p.b - _times(p.a, held),
        lower=xp.where(low_on, p.lower, xp.zeros_like(held)),
        upper=xp.where(up_on, p.upper, xp.zeros_like(held)),
    )
    sides = [low_on, up_on] if upper else [low_on]
    near = [xp.astype(v, p.c.dtype) for v in sides]
    near.append(xp.ones_like(xp.broadcast_to(near[0][:, :1], (near[0].shape[0], few))))
    wrong = (p.lower > p.upper) | (p.lower == xp.inf) | (p.upper == -xp.inf)
    return _Task(inner, xp.concat(near, axis=1), fixed, xp.any(wrong, axis=1)), held


def _elastic(p: Programme, few: int) -> Programme:
    """Return the problems of the least sum of violations of rows, which have a solution."""
    xp, m = array_namespace(*p), p.a.shape[1]
    eye = xp.eye(m, dtype=p.c.dtype, device=device(p.c))[None, ...]
    more = xp.concat([-eye, eye[:, :, few:]], axis=2)

    def longer(v: Any, by: float) -> Any:
        return xp.concat([v, xp.full_like(v[:, :1], by) + 0 * more[:, 0, :]], axis=1)

    return Programme(
        longer(0 * p.c, 1.0),
        xp.concat([p.a, xp.zeros_like(p.a[:, :, :1]) + more], axis=2),
        p.b,
        longer(p.lower, 0.0),
        longer(p.upper, xp.inf),
    )


def _loose(tol: float) -> float:
    return float(tol**0.8)  # 1e-8 of 1e-10


def _scaled(p: Programme) -> tuple[Programme, Any, Any, Any, Any]:
    """Return scaled problems, and the scales of rows, of columns, of b and of c.

    Rows and columns get numbers up to 1: D. Ruiz, A scaling algorithm to equilibrate both rows and
    columns norms in matrices, RAL-TR-2001-034.
    """
    xp = array_namespace(*p)
    a = p.a
    rows, columns = xp.ones_like(a[:, :, 0]), xp.ones_like(xp.sum(a, axis=1))
    rows, columns = rows[:, :, None], columns[:, None, :]
    if 0 not in a.shape[1:]:
        for _ in range(_PASSES):
            size = xp.abs(a * rows * columns)
            rows = rows / _root(xp.max(size, axis=2, keepdims=True))
            columns = columns / _root(xp.max(size, axis=1, keepdims=True))
        a = a * rows * columns
    rows, columns = rows[:, :, 0], columns[:, 0, :]
    b, c = p.b * rows, p.c * columns
    lower, upper = p.lower / columns, p.upper / columns
    bounds = xp.concat([xp.where(xp.isfinite(v), v, 0 * columns) for v in (lower, upper)], axis=1)
    high, cost = _top(b), _top(c)
    high = xp.where(high > 0, high, _top(bounds))
    high, cost = (xp.where(v > 0, v, xp.ones_like(v))[:, None] for v in (high, cost))
    scaled = Programme(c / cost, a, b / high, lower / high, upper / high)
    return scaled, rows, columns, high, cost


def _root(size: Any) -> Any:
    xp = array_namespace(size)
    return xp.sqrt(xp.where((size > 0) & xp.isfinite(size), size, xp.ones_like(size)))


def _top(x: Any) -> Any:
    """Return the largest magnitude of each row."""
    xp = array_namespace(x)
    return xp.max(xp.abs(x), axis=1) if x.shape[1] else xp.sum(x, axis=1)


def _dot(x: Any, y: Any) -> Any:
    xp = array_namespace(x, y)
    return xp.sum(x * y, axis=1)


def _times(a: Any, x: Any) -> Any:
    xp = array_namespace(a, x)
    if a.shape[0] == 1:
        return xp.matmul(x, xp.matrix_transpose(a[0, ...]))
    return xp.matmul(a, x[:, :, None])[..., 0]


def _back(a: Any, y: Any) -> Any:
    xp = array_namespace(a, y)
    if a.shape[0] == 1:
        return xp.matmul(y, a[0, ...])
    return xp.matmul(y[:, None, :], a)[:, 0, :]


def _sides(kind: _Kind, p: Programme, x: Any, ax: Any, tau: Any) -> Any:
    """Return how far x is from each side of the problem times tau."""
    xp, tau = array_namespace(x), tau[:, None]
    parts = [x - p.lower * tau]
    if kind.upper:
        parts.append(p.upper * tau - x)
    parts.append((p.b * tau - ax)[:, : kind.few])
    return xp.concat(parts, axis=1)


def _of_bounds(kind: _Kind, v: Any, n: int, sign: float) -> Any:
    """Return the part of each unknown's lower side, plus or minus that of its upper side."""
    if not kind.upper:
        return v[:, :n]
    return v[:, :n] + sign * v[:, n : 2 * n]


def _rows(kind: _Kind, v: Any) -> Any:
    return v[:, v.shape[1] - kind.few :]


def _rest(kind: _Kind, task: _Task, s: _State) -> tuple[_Rest, Any, Any, Any, Any]:
    """Return what is missing; the values of both problems; A x; and A'y + t of bounds."""
    xp, p, n = array_namespace(s.x), task.p, s.x.shape[1]
    tau = s.tau[:, None]
    y = xp.concat([-_rows(kind, s.t), s.y], axis=1)
    ax = _times(p.a, s.x)
    pull = _back(p.a, y) + _of_bounds(kind, s.t, n, -1.0)
    pull = xp.where(task.fixed, xp.zeros_like(pull), pull)
    sides = (_sides(kind, p, s.x, ax, s.tau) - s.q) * task.near
    least, most = _dot(p.c, s.x), _dot(p.b, y) + _dot(p.lower, s.t[:, :n])
    if kind.upper:
        most = most - _dot(p.upper, s.t[:, n : 2 * n])
    e = (p.b * tau - ax)[:, kind.few :]
    return _Rest(p.c * tau - pull, e, sides, s.kappa + least - most), least, most, ax, pull


def _start(kind: _Kind, task: _Task) -> _State:
    xp, p = array_namespace(*task.p), task.p
    x = xp.zeros_like(p.c + p.lower + p.upper)
    x = x + xp.zeros_like(_top(p.b) + xp.sum(p.a, axis=(1, 2)))[:, None]
    one = xp.ones_like(x[:, 0])
    y = xp.zeros_like(x[:, :1]) + xp.zeros_like(p.b[:1, kind.few :])
    t = xp.zeros_like(x[:, :1]) + task.near
    numbers = xp.isfinite(_dot(p.c, p.c) + _dot(p.b, p.b) + xp.sum(p.a * p.a, axis=(1, 2)))
    numbers = numbers & ~xp.any(xp.isnan(p.lower) | xp.isnan(p.upper), axis=1)
    status = outcomes(one, (task.empty, Outcome.INFEASIBLE), (~numbers, Outcome.NOT_FINITE))
    nit = xp.zeros_like(status)
    return _State(x, y, xp.ones_like(t), t, one, one, xp.full_like(one, xp.inf), nit, status, nit)


def _small(x: Any) -> float:
    """Return what stands in for zeros in Newton's equations."""
    return float(float(array_namespace(x).finfo(x.dtype).eps) ** 0.625)


class _Newton(NamedTuple):
    """Hold a factor of Newton's equations."""

    p: Programme
    kind: _Kind
    d: Any  # (B, n)
    e: Any  # (B, m)
    wide: bool
    factor: Any
    scale: Any  # (B, m or n)

    @classmethod
    def of(cls, kind: _Kind, task: _Task, w: Any) -> "_Newton":
        xp, p = array_namespace(w), task.p
        m, n = p.a.shape[1:]
        small = _small(w)
        d = _of_bounds(kind, w, n, 1.0) + small
        d = xp.where(task.fixed, xp.full_like(d, _FIXED), d)
        e = 1 / _rows(kind, w)
        more = xp.full_like(d[:, :1], small) + xp.zeros_like(p.b[:1, kind.few :])
        e = xp.concat([e, more], axis=1)
        wide = m <= n or kind.few < m
        turned = xp.matrix_transpose(p.a)
        if wide:
            matrix, more = xp.matmul(p.a / d[:, None, :], turned), e
        else:
            matrix, more = xp.matmul(turned / e[:, None, :], p.a), d
        eye = xp.eye(matrix.shape[1], dtype=w.dtype, device=device(w))
        diagonal = xp.sum(matrix * eye, axis=2) + more
        scale = 1 / xp.sqrt(diagonal)
        ridge = 4 * float(xp.finfo(w.dtype).eps)
        matrix = matrix * scale[:, :, None] * scale[:, None, :]
        # The diagonal is 1.
        matrix = matrix + eye * (more * scale * scale + ridge)[:, :, None]
        return cls(p, kind, d, e, wide, cho_factor(matrix, lower=True), scale)

    def _inner(self, v: Any) -> Any:
        return self.scale * cho_solve(self.factor, (self.scale * v)[:, :, None])[..., 0]

    def solved(self, r: Any, s: Any, times: int = 0) -> tuple[Any, Any]:
        """Return f (B, n) and g (B, m), corrected so many times by what is missing."""
        a, d, e = self.p.a, self.d, self.e
        if self.wide:
            g = self._inner(s + _times(a, r / d))
            f = (_back(a, g) - r) / d
        else:
            f = self._inner(_back(a, s / e) - r)
            g = (s - _times(a, f)) / e
        if not times:
            return f, g
        f2, g2 = self.solved(r - _back(a, g) + d * f, s - _times(a, f) - e * g, times - 1)
        return f + f2, g + g2


def _step(kind: _Kind, task: _Task, s: _State) -> _State:
    p, near = task.p, task.near
    xp = array_namespace(s.x, *p)
    n, few = s.x.shape[1], kind.few
    rest = _rest(kind, task, s)[0]
    w = s.t / s.q
    newton, small = _Newton.of(kind, task, w), _small(w)
    count = xp.sum(near, axis=1) + 1
    mu = (_dot(s.q, s.t) + s.tau * s.kappa) / count

    weighted = w[:, :n] * p.lower
    if kind.upper:
        weighted = weighted + w[:, n : 2 * n] * p.upper
    h = p.c - weighted, p.b + xp.zeros_like(s.tau[:, None])
    ones = xp.ones_like(s.tau)

    def of(eta: Any, rc: Any) -> tuple[Any, Any, Any]:
        """Return the right sides, and what is known of dt."""
        known = rc / s.q - w * (eta[:, None] * rest.s)
        r = eta[:, None] * rest.d - _of_bounds(kind, known, n, -1.0)
        r = xp.where(task.fixed, xp.zeros_like(r), r)
        low = -_rows(kind, known) / _rows(kind, w)
        return known, r, xp.concat([low, eta[:, None] * rest.e], axis=1)

    def direction(eta: Any, rc: Any, rt: Any, known: Any, f: Any, g: Any) -> Any:
        gap = eta * rest.g + rt / s.tau + _dot(v, known)
        gap = gap + eta * (_dot(g2[:, few:], rest.e) - _dot(f2, rest.d))
        af = _times(p.a, f)
        side = _sides(kind, p, f, af, 0 * s.tau)
        gap = gap - 2 * (_dot(w * v, side) + small * (_dot(f2, f) + _dot(g2[:, few:], g[:, few:])))
        dtau = gap / (own + s.kappa / s.tau)
        dx, dy = f + dtau[:, None] * f2, g + dtau[:, None] * g2
        dax = af + dtau[:, None] * af2
        dq = near * (_sides(kind, p, dx, dax, dtau) + eta[:, None] * rest.s)
        # Multipliers of rows are known better than distances, which are differences.
        held = s.t.shape[1] - few
        dt = xp.concat([((rc - s.t * dq) / s.q)[:, :held], -dy[:, :few]], axis=1)
        return dx, dy[:, few:], dq, dt, dtau, (rt - s.kappa * dtau) / s.tau

    rc, rt = -s.q * s.t, -s.tau * s.kappa
    known, r, t = of(ones, rc)
    f2, g2 = newton.solved(h[0] + 0 * r, h[1], kind.times)
    af2 = _times(p.a, f2)
    v = _sides(kind, p, f2, af2, ones) * near
    own = _dot(w * v, v) + small * (_dot(f2, f2) + _dot(g2[:, few:], g2[:, few:]))
    way = direction(ones, rc, rt, known, *newton.solved(r, t))
    alpha = _far(s, way)
    gamma = (1 - alpha) ** 2 * xp.minimum(1 - alpha, 0.5 * ones)
    eta = 1 - gamma
    rc = (gamma * mu)[:, None] * near + rc - way[2] * way[3]
    rt = gamma * mu + rt - way[4] * way[5]
    known, r, t = of(eta, rc)
    way = direction(eta, rc, rt, known, *newton.solved(r, t, kind.times))
    alpha = xp.minimum(_SHARE * _far(s, way), ones)
    good = xp.isfinite(alpha) & xp.isfinite(_dot(way[0], way[0]) + way[4] + way[5])
    alpha = xp.where(good, alpha, 0 * ones)

    def moved(value: Any, by: Any) -> Any:
        by = xp.where(good[:, None] if by.ndim > 1 else good, by, xp.zeros_like(by))
        return value + (alpha[:, None] if by.ndim > 1 else alpha) * by

    new = s._replace(
        x=moved(s.x, way[0]), y=moved(s.y, way[1]), q=moved(s.q, way[2]), t=moved(s.t, way[3]),
        tau=moved(s.tau, way[4]), kappa=moved(s.kappa, way[5]), nit=s.nit + 1,
    )  # fmt: skip
    return _judged(kind, task, s, new, good)


def _far(s: _State, way: Any) -> Any:
    """Return how far the positive numbers stay so, at most 1."""
    xp = array_namespace(s.x)
    # with the largest relative loss
    t = xp.where(s.t > 0, s.t, xp.ones_like(s.t))  # 0 of sides that don't exist
    loss = -xp.concat([way[2] / s.q, way[3] / t], axis=1)
    most = xp.maximum(-way[4] / s.tau, -way[5] / s.kappa)
    most = xp.maximum(most, xp.max(loss, axis=1)) if loss.shape[1] else most
    return 1 / xp.maximum(most, xp.ones_like(most))


def _judged(kind: _Kind, task: _Task, before: _State, s: _State, good: Any) -> _State:
    """Return the state with its status, and with numbers around 1."""
    xp, p = array_namespace(s.x), task.p
    top = xp.maximum(s.tau, s.kappa)
    s = s._replace(
        x=s.x / top[:, None], y=s.y / top[:, None],
        q=xp.where(task.near > 0, s.q / top[:, None], s.q), t=s.t / top[:, None],
        tau=s.tau / top, kappa=s.kappa / top,
    )  # fmt: skip
    rest, least, most, ax, pull = _rest(kind, task, s)
    one = xp.ones_like(s.tau)
    primal = xp.maximum(_top(rest.e), _top(rest.s)) / s.tau
    dual = _top(rest.d) / s.tau
    gap = xp.abs(least - most) / (0.01 * s.tau + xp.abs(least))
    error = xp.maximum(xp.maximum(primal, dual), gap)
    won = error <= kind.tol
    # Rays, which prove that there is no solution.
    sides = _sides(kind, p, s.x, ax, 0 * s.tau) * task.near
    out = xp.maximum(_top(ax[:, kind.few :]), _top(xp.minimum(sides, xp.zeros_like(sides))))
    loose = _loose(kind.tol)
    apart = s.tau < s.kappa
    endless = apart & (least < 0) & (out <= loose * -least)
    empty = apart & (most > 0) & (_top(pull) <= loose * most)
    better = error < 0.9 * s.best
    late = xp.where(better, xp.zeros_like(s.late), s.late + 1)
    lost = ~good | ((s.best < 1e-5) & (error > 100 * s.best))  # rounding spoils the steps
    stalled = lost | (late >= _PATIENCE)
    near = stalled & (xp.where(lost, s.best, error) <= 100 * kind.tol)
    status = outcomes(
        one, (stalled, Outcome.STALLED), (near, Outcome.CONVERGED),
        (endless, Outcome.UNBOUNDED), (empty, Outcome.INFEASIBLE), (won, Outcome.CONVERGED),
    )  # fmt: skip
    new: _State = tree_where(0, lost, before, s)
    return new._replace(best=xp.minimum(error, s.best), late=late, status=status, nit=s.nit)
