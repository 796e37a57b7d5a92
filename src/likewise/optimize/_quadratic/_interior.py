"""Convex quadratic and linear programmes by an interior point, many at once.

S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2(4),
1992, for two-sided rows (J. Nocedal, S. Wright, Numerical Optimization, 2006, section 16.6), in
which the systems are damped by proximal terms in unknowns and multipliers (M. P. Friedlander, D.
Orban, A primal-dual regularized interior-point method for convex quadratic programs, Math. Program.
Comput. 4, 2012). So rows may depend on each other, and the matrix may be zero. Rows and unknowns
are scaled first (D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in
matrices, RAL-TR-2001-034). Multipliers or unknowns that grow without limit along a certificate show
that constraints contradict each other, or that there is no minimum.

At the end the solution of the rows that are active is computed; it is taken where it fulfils the
conditions of optimality better.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete, quiet
from ...linalg import cho_factor, cho_solve
from ...solving._driver import Method, again, iterate
from ...solving._outcome import Outcome, outcomes
from . import _dual
from ._dual import Found

__all__ = ["interior"]

_LIMIT = 100
_ROUNDS = 4  # of scaling
_STALE = 15  # steps without progress


class _Problem(NamedTuple):
    """Scaled; the k sides are those of the m rows, then those of the n unknowns."""

    h: Any  # (B, n, n), or None
    g: Any  # (B, n)
    a: Any  # (B, m, n)
    low: Any  # (B, k): zero where there is none, or if it is an equality's
    high: Any
    has_low: Any  # (B, k): is there a lower side, of what is no equality
    has_high: Any
    equal: Any  # (B, k)
    sane: Any  # (B,)
    crossed: Any  # (B,)

    def rows(self, x: Any) -> Any:
        """The rows' and the unknowns' values."""
        return array_namespace(x).concat([_times(self.a, x), x], axis=1)

    def pull(self, y: Any) -> Any:
        """Return what multipliers of rows and unknowns amount to in the gradient."""
        m = int(self.a.shape[1])
        return _times(array_namespace(y).matrix_transpose(self.a), y[:, :m]) + y[:, m:]

    def curved(self, x: Any) -> Any:
        return 0 * x if self.h is None else _times(self.h, x)


class _State(NamedTuple):
    x: Any  # (B, n)
    y: Any  # (B, k): multipliers of equalities; zero elsewhere
    from_low: Any  # (B, k): the distances from sides, 1 where there is none
    from_high: Any
    at_low: Any  # (B, k): the multipliers of sides, 0 where there is none
    at_high: Any
    error: Any  # (B,): the least so far of the largest relative residual
    stale: Any  # (B,): steps since
    status: Any
    nit: Any


def interior(
    h: Any,
    g: Any,
    a: Any,
    low: Any,
    high: Any,
    lower: Any = None,
    upper: Any = None,
    limit: int | None = None,
    tol: float | None = None,
) -> Found:
    """Minimise ``x' h x / 2 + g' x`` with ``low <= a x <= high`` and ``lower <= x <= upper``.

    `h` is (B, n, n), positive semidefinite, or None for zero, `a` (B or 1, m, n), the others (B, n)
    or (B, m); sides may be infinite, and a row with equal sides is an equality. Bounds are None if
    there are none. Outcomes: CONVERGED, INFEASIBLE, UNBOUNDED, STALLED, NOT_FINITE, LIMIT. `tol` is
    relative, of residuals and of the gap between the problem and its dual. Default: eps^0.55.
    """
    with quiet(g):
        return _solved(h, g, a, low, high, lower, upper, limit, tol)


def _solved(
    h: Any,
    g: Any,
    a: Any,
    low: Any,
    high: Any,
    lower: Any,
    upper: Any,
    limit: int | None,
    tol: float | None,
) -> Found:
    xp = array_namespace(g, a)
    m = int(a.shape[-2])
    eps = float(xp.finfo(g.dtype).eps)
    if lower is None:
        lower, upper = xp.full_like(g, -xp.inf), xp.full_like(g, xp.inf)
    sides = xp.concat([low, lower], axis=1), xp.concat([high, upper], axis=1)
    row, column, cost = _scales(h, g, a)
    scale = xp.concat([row + xp.zeros_like(low), 1 / column + xp.zeros_like(lower)], axis=1)
    bottom, top = sides[0] * scale, sides[1] * scale
    equal = sides[0] == sides[1]
    has_low, has_high = xp.isfinite(bottom) & ~equal, xp.isfinite(top) & ~equal
    zero = xp.zeros_like(bottom)
    sane = xp.all(xp.isfinite(g), axis=1) & xp.all(xp.isfinite(a), axis=(1, 2))
    sane = sane & xp.all((sides[0] == sides[0]) & (sides[1] == sides[1]), axis=1)
    if h is not None:
        sane = sane & xp.all(xp.isfinite(h), axis=(1, 2))
    crossed = (sides[0] > sides[1]) | (sides[0] == xp.inf) | (sides[1] == -xp.inf)
    problem = _Problem(
        None if h is None else cost[:, :, None] * column[:, :, None] * h * column[:, None, :],
        cost * column * g,
        row[:, :, None] * a * column[:, None, :],
        xp.where(has_low | equal, bottom, zero),
        xp.where(has_high | equal, top, zero),
        has_low,
        has_high,
        equal,
        sane,
        xp.any(crossed, axis=1),
    )
    tol = eps**0.55 if tol is None else tol

    def step(problem: _Problem, s: _State) -> _State:
        return _step(problem, s, tol)

    end = iterate(Method(_first, step), problem, _LIMIT if limit is None else limit)
    end = _told_apart(problem, end)
    x, y = _polished(problem, end)
    lower_end, upper_end = problem.low[:, m:], problem.high[:, m:]
    fixed, least, most = (v[:, m:] for v in (equal, has_low | equal, has_high | equal))
    x = xp.where(least & (x < lower_end), lower_end, x)
    x = xp.where(most & (x > upper_end), upper_end, x)
    x = x * column
    x = xp.where(fixed, lower, x)
    x = xp.where(least & (x < lower), lower, xp.where(most & (x > upper), upper, x))
    y = y * scale / cost
    bad = (end.status == Outcome.NOT_FINITE)[:, None]
    x = xp.where(bad, xp.full_like(x, xp.nan), x)
    return Found(x, y[:, :m], y[:, m:], end.status, end.nit)


def _times(a: Any, x: Any) -> Any:
    return array_namespace(a).matmul(a, x[:, :, None])[..., 0]


def _top(x: Any) -> Any:
    """The largest magnitude of each problem, zero where there is nothing."""
    xp = array_namespace(x)
    if 0 in x.shape[1:]:
        return xp.zeros((x.shape[0],), dtype=x.dtype, device=device(x))
    return xp.max(xp.abs(x), axis=tuple(range(1, x.ndim)))


def _scales(h: Any, g: Any, a: Any) -> tuple[Any, Any, Any]:
    """Factors of rows, of unknowns, and of the function, that make entries about one."""
    xp = array_namespace(g, a)
    row, column = xp.ones_like(a[:, :, 0]), xp.ones_like(a[:, 0, :] if a.shape[1] else g)

    def root(v: Any) -> Any:
        good = (v > 0) & xp.isfinite(v)
        return xp.where(good, 1 / xp.sqrt(xp.where(good, v, xp.ones_like(v))), xp.ones_like(v))

    for _ in range(_ROUNDS):
        size = xp.abs(row[:, :, None] * a * column[:, None, :])
        of_columns = xp.max(size, axis=1) if a.shape[1] else xp.zeros_like(column)
        if h is not None:
            curved = xp.abs(column[:, :, None] * h * column[:, None, :])
            of_columns = xp.maximum(of_columns, xp.max(curved, axis=1))
        row = row * root(xp.max(size, axis=2))
        column = column * root(of_columns)
    size = xp.max(xp.abs(column * g), axis=1)
    if h is not None:
        curved = xp.abs(column[:, :, None] * h * column[:, None, :])
        size = xp.maximum(size, xp.max(curved, axis=(1, 2)))
    cost = root(size * size)
    return row, column, cost[:, None]


def _factored(problem: _Problem, weight: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Return the solver of ``h dx - rows' dy = r``, ``rows dx + dy / weight = t``, damped.

    The weight is (B, k): zero for a row without effect, infinite for an equality.
    """
    h, a = problem.h, problem.a
    xp = array_namespace(weight, a)
    m, n = int(a.shape[1]), int(a.shape[2])
    eps = float(xp.finfo(weight.dtype).eps)
    damp = eps**0.6
    bounds = xp.minimum(weight[:, m:], xp.full_like(weight[:, m:], 1 / damp))
    acts, none = weight > 0, xp.zeros_like(weight)
    inert = ~acts[:, :m]
    one = xp.ones_like(weight[:, :m])
    inverse = xp.where(inert, one, 1 / xp.where(inert, one, weight[:, :m])) + damp
    if h is None and m < n:
        free = 1 / (bounds + damp)
        wide = xp.where(inert[:, :, None], xp.zeros_like(a), a)
        matrix = xp.matmul(wide * free[:, None, :], xp.matrix_transpose(wide))
        matrix = matrix + _diagonal(inverse)
        size = 1 / xp.sqrt(xp.sum(matrix * _diagonal(one), axis=2))
        scaled = size[:, :, None] * matrix * size[:, None, :] + 4 * eps * m * _diagonal(one)
        factor = cho_factor(scaled, lower=True)

        def solve(r: Any, t: Any) -> tuple[Any, Any]:
            right = xp.where(inert, 0 * t, t - _times(wide, free * r))
            dy = size * cho_solve(factor, (size * right)[:, :, None])[..., 0]
            return free * (r + _times(xp.matrix_transpose(wide), dy)), dy

    else:
        pull = xp.where(inert, 0 * one, 1 / inverse)
        back = xp.matrix_transpose(a)
        matrix = xp.matmul(back * pull[:, None, :], a) + _diagonal(bounds + damp)
        matrix = matrix if h is None else matrix + h
        diagonal = _diagonal(xp.ones_like(bounds))
        size = 1 / xp.sqrt(xp.sum(matrix * diagonal, axis=2))
        scaled = size[:, :, None] * matrix * size[:, None, :] + 4 * eps * n * diagonal
        factor = cho_factor(scaled, lower=True)

        def solve(r: Any, t: Any) -> tuple[Any, Any]:
            right = size * (r + _times(back, pull * t))
            dx = size * cho_solve(factor, right[:, :, None])[..., 0]
            return dx, pull * (t - _times(a, dx))

    def whole(r: Any, t: Any) -> tuple[Any, Any]:
        reached = bounds * t[:, m:]
        dx, dy = solve(r + reached, t[:, :m])
        return dx, xp.concat([dy, reached - bounds * dx], axis=1)

    def refined(r: Any, t: Any) -> tuple[Any, Any]:
        dx, dy = whole(r, t)
        lasting = xp.where(acts, 1 / xp.where(acts, weight, none + 1), none)
        for _ in range(1):
            more_r = r - problem.curved(dx) + problem.pull(dy)
            more_t = xp.where(acts, t - problem.rows(dx) - lasting * dy, none)
            more = whole(more_r, more_t)
            dx, dy = dx + more[0], dy + more[1]
        return dx, dy

    return refined


def _diagonal(v: Any) -> Any:
    xp = array_namespace(v)
    return v[:, :, None] * xp.eye(int(v.shape[1]), dtype=v.dtype, device=device(v))


def _first(p: _Problem) -> _State:
    xp = array_namespace(p.g, p.a)
    zero = xp.zeros_like(p.low)
    one, infinite = zero + 1, xp.full_like(zero, xp.inf)
    bounded = p.has_low | p.has_high
    weight = xp.where(p.equal, infinite, xp.where(bounded, one, zero))
    goal = xp.where(p.has_low, xp.maximum(p.low, zero), zero)
    goal = xp.where(p.has_high, xp.minimum(goal, p.high), goal)
    goal = xp.where(p.equal, p.low, goal)
    x, y = _factored(p, weight)(-p.g, goal)
    value = p.rows(x)
    from_low = xp.where(p.has_low, value - p.low, one)
    from_high = xp.where(p.has_high, p.high - value, one)
    out = xp.maximum(_top(xp.minimum(from_low, zero)), _top(xp.minimum(from_high, zero)))
    room = xp.maximum(1.5 * out, one[:, 0])[:, None]
    strength = xp.maximum(_top(xp.where(p.equal, zero, y)), one[:, 0])[:, None]
    at_low = xp.where(p.has_low, xp.maximum(y, zero) + strength, zero)
    at_high = xp.where(p.has_high, xp.maximum(-y, zero) + strength, zero)
    from_low = xp.where(p.has_low, xp.maximum(from_low, room), one)
    from_high = xp.where(p.has_high, xp.maximum(from_high, room), one)
    status = outcomes(p.sane, (p.crossed, Outcome.INFEASIBLE), (~p.sane, Outcome.NOT_FINITE))
    y = xp.where(p.equal, y, zero)
    far = xp.full_like(x[:, 0], xp.inf)
    none = xp.zeros_like(status)
    return _State(x, y, from_low, from_high, at_low, at_high, far, none, status, none)


def _step(p: _Problem, s: _State, tol: float) -> _State:
    xp = array_namespace(s.x)
    zero = xp.zeros_like(s.y)
    one, infinite = zero + 1, xp.full_like(zero, xp.inf)
    vl, vu, zl, zu = s.from_low, s.from_high, s.at_low, s.at_high
    value, curved = p.rows(s.x), p.curved(s.x)
    y = s.y + zl - zu
    pull = p.pull(y)
    rd = pull - curved - p.g
    rl = xp.where(p.has_low, value - vl - p.low, zero)
    ru = xp.where(p.has_high, p.high - value - vu, zero)
    re = xp.where(p.equal, p.low - value, zero)
    pairs = xp.sum(xp.where(p.has_low, one, zero) + xp.where(p.has_high, one, zero), axis=1)
    pairs = xp.maximum(pairs, one[:, 0])

    def gap(vl: Any, vu: Any, zl: Any, zu: Any) -> Any:
        return xp.sum(vl * zl + vu * zu, axis=1) / pairs

    mu = gap(vl, vu, zl, zu)
    status, error = _judged(p, s, value, curved, pull, y, (rd, rl, ru, re), mu * pairs, tol)

    weight = zl / vl + zu / vu
    weight = xp.where(p.equal, infinite, weight)
    solve = _factored(p, weight)
    plain = xp.where(p.equal | (weight <= 0), one, weight)
    nearer = p.has_low & ((zl * vu >= zu * vl) | ~p.has_high)

    def direction(tl: Any, tu: Any) -> tuple[Any, ...]:
        q = (tl - zl * rl) / vl - (tu - zu * ru) / vu
        dx, dy = solve(rd, xp.where(p.equal, re, q / plain))
        moved = p.rows(dx)
        dvl = xp.where(p.has_low, moved + rl, zero)
        dvu = xp.where(p.has_high, ru - moved, zero)
        dzl, dzu = (tl - zl * dvl) / vl, (tu - zu * dvu) / vu
        # What the damped system says of their difference goes to the nearer side.
        rest = xp.where(p.equal, zero, dy - dzl + dzu)
        dzl = dzl + xp.where(nearer, rest, zero)
        dzu = dzu - xp.where(p.has_high & ~nearer, rest, zero)
        return dx, xp.where(p.equal, dy, zero), dvl, dvu, dzl, dzu

    def room(*pairs: tuple[Any, Any]) -> Any:
        far = xp.full_like(mu, xp.inf)
        for v, dv in pairs:
            falls = dv < 0
            share = xp.where(falls, -v / xp.where(falls, dv, one), infinite)
            far = xp.minimum(far, xp.min(share, axis=1))
        return far

    dx, dy, dvl, dvu, dzl, dzu = direction(-vl * zl, -vu * zu)
    ap = xp.minimum(room((vl, dvl), (vu, dvu)), one[:, 0])[:, None]
    ad = xp.minimum(room((zl, dzl), (zu, dzu)), one[:, 0])[:, None]
    if p.h is not None:
        ap = ad = xp.minimum(ap, ad)
    affine = gap(vl + ap * dvl, vu + ap * dvu, zl + ad * dzl, zu + ad * dzu)
    centre = (affine / xp.where(mu > 0, mu, one[:, 0])) ** 3
    aim = (xp.clip(centre, 0.0, 1.0) * mu)[:, None]
    tl = xp.where(p.has_low, aim - vl * zl - dvl * dzl, zero)
    tu = xp.where(p.has_high, aim - vu * zu - dvu * dzu, zero)
    dx, dy, dvl, dvu, dzl, dzu = direction(tl, tu)
    near = 1 - xp.clip(0.1 * mu, 1e-4, 5e-3)
    ap = xp.minimum(near * room((vl, dvl), (vu, dvu)), one[:, 0])[:, None]
    ad = xp.minimum(near * room((zl, dzl), (zu, dzu)), one[:, 0])[:, None]
    if p.h is not None:
        ap = ad = xp.minimum(ap, ad)
    return _State(
        s.x + ap * dx,
        s.y + ad * dy,
        vl + ap * dvl,
        vu + ap * dvu,
        zl + ad * dzl,
        zu + ad * dzu,
        xp.minimum(error, s.error),
        xp.where(error < 0.9 * s.error, xp.zeros_like(s.stale), s.stale + 1),
        status,
        s.nit + 1,
    )


def _judged(
    p: _Problem,
    s: _State,
    value: Any,
    curved: Any,
    pull: Any,
    y: Any,
    residuals: tuple[Any, ...],
    gap: Any,
    tol: float,
) -> tuple[Any, Any]:
    """How a point stands: the status, and the largest relative residual."""
    xp = array_namespace(s.x)
    rd, rl, ru, re = residuals
    finite = xp.isfinite(gap) & xp.all(xp.isfinite(s.x), axis=1)
    primal = xp.maximum(xp.maximum(_top(rl), _top(ru)), _top(re))
    cost = xp.sum(s.x * (0.5 * curved + p.g), axis=1)
    side = xp.sum(p.low * (s.y + s.at_low) - p.high * s.at_high, axis=1)
    bend = xp.sum(s.x * curved, axis=1)
    error = primal / (1 + _top(value))
    error = xp.maximum(error, _top(rd) / (1 + xp.maximum(_top(curved), _top(pull))))
    error = xp.maximum(error, gap / (1 + xp.abs(cost)))
    error = xp.maximum(error, xp.abs(bend + xp.sum(s.x * p.g, axis=1) - side) / (1 + xp.abs(cost)))
    done = error <= tol
    # Multipliers that show that there is no point of such a size: sides would pull it over.
    size = 1 + xp.maximum(_top(value), xp.maximum(_top(p.low), _top(p.high)))
    no_point = (side > 0) & (_top(pull) * size <= tol**0.6 * side) & (primal > tol * size)
    # A way along which the function falls for ever.
    length = _top(s.x)
    leaves = xp.where(p.has_low, xp.maximum(-value, 0 * value), 0 * value)
    leaves = leaves + xp.where(p.has_high, xp.maximum(value, 0 * value), 0 * value)
    leaves = leaves + xp.where(p.equal, xp.abs(value), 0 * value)
    endless = (xp.sum(s.x * p.g, axis=1) < 0) & (length > 1 / tol**0.5)
    endless = endless & (_top(leaves) <= tol**0.5 * length) & (_top(curved) <= tol**0.5 * length)
    cases = (
        (s.stale >= _STALE, Outcome.STALLED),
        (endless, Outcome.UNBOUNDED),
        (no_point, Outcome.INFEASIBLE),
        (~finite, Outcome.NOT_FINITE),
        (done, Outcome.CONVERGED),
    )
    return outcomes(error, *cases), error


def _told_apart(p: _Problem, s: _State) -> _State:
    """Tell if there is a point at all, of problems that were not solved."""
    xp = array_namespace(s.x)
    which = p.sane & (s.status != Outcome.CONVERGED) & (s.status != Outcome.INFEASIBLE)
    if is_concrete(which) and not bool(
        xp.any(which)
    ):  # likewise: ignore[LW203]: values are at hand
        return s
    one = xp.ones_like(p.low)
    infinite = xp.full_like(one, xp.inf)
    eye = xp.zeros_like(p.g)[:, :, None] + _diagonal(p.g * 0 + 1)
    rows = xp.concat([p.a + xp.zeros_like(eye[:, :1, :]), eye], axis=1)
    norm = xp.sqrt(xp.sum(rows * rows, axis=2))
    norm = xp.where(norm > 0, norm, one)
    low = xp.where(p.has_low | p.equal, p.low / norm, -infinite)
    high = xp.where(p.has_high | p.equal, p.high / norm, infinite)
    start = xp.where(p.sane[:, None], xp.zeros_like(p.g), xp.nan)
    nearest = _dual.Problem(rows / norm[:, :, None], low, high, p.equal, start)

    def merged(new: _dual.State, old: _State) -> _State:
        none = new.status == Outcome.INFEASIBLE
        code = xp.full_like(old.status, Outcome.INFEASIBLE)
        return old._replace(status=xp.where(none, code, old.status))

    return again(_dual.METHOD, nearest, s, which, merged)


def _polished(p: _Problem, s: _State) -> tuple[Any, Any]:
    """The solution of the rows that are active, where it is better."""
    xp = array_namespace(s.x)
    y = s.y + s.at_low - s.at_high
    zero = xp.zeros_like(y)
    low = p.has_low & (s.at_low > s.from_low)
    high = p.has_high & (s.at_high > s.from_high) & ~low
    on = low | high | p.equal
    goal = xp.where(high, p.high, p.low)
    solve = _factored(p, xp.where(on, xp.full_like(zero, xp.inf), zero))
    x, force = s.x, xp.where(on, y, zero)
    for _ in range(3):
        rest = xp.where(on, goal - p.rows(x), zero)
        dx, dy = solve(p.pull(force) - p.curved(x) - p.g, rest)
        x, force = x + dx, xp.where(on, force + dy, zero)
    better = (_error(p, x, force) <= _error(p, s.x, y)) & (s.status == Outcome.CONVERGED)
    return xp.where(better[:, None], x, s.x), xp.where(better[:, None], force, y)


def _error(p: _Problem, x: Any, y: Any) -> Any:
    """By how much the conditions of optimality fail."""
    xp = array_namespace(x)
    value = p.rows(x)
    zero = xp.zeros_like(value)
    below = xp.where(p.has_low | p.equal, p.low - value, -zero - xp.inf)
    above = xp.where(p.has_high | p.equal, value - p.high, -zero - xp.inf)
    pull = _top(p.pull(y) - p.curved(x) - p.g)
    away = xp.where(y > 0, -below, xp.where(y < 0, -above, zero))
    away = xp.where(p.equal, zero, xp.minimum(xp.abs(away), xp.abs(y)))
    return pull + _top(xp.maximum(xp.maximum(below, above), zero)) + _top(away)
