"""Strictly convex quadratic programmes by a dual active set, many at once.

D. Goldfarb, A. Idnani, A numerically stable dual method for solving strictly convex quadratic
programs, Math. Programming 27, 1983: from the minimum without constraints, one violated row after
the other is made active; a row whose multiplier would change its sign is dropped on the way. Rows
that depend on active ones are exchanged for one of them, and if none can go, the rows contradict
each other. So neither redundant rows nor degenerate corners need care.

Unknowns are ``u = l' x`` with ``h = l l'``, and each row is divided by its norm there. A problem
holds the projector on what is orthogonal to its active rows, and their pseudoinverse; both change
by one outer product in each step, so a step is a few products of matrices and vectors of all
problems. At the end the solution is computed anew from both, and corrected once by its residuals.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, solve_triangular
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes

__all__ = ["METHOD", "Found", "Problem", "State", "quadratic"]


class Found(NamedTuple):
    """Solutions, with ``h x + g = a' y + z``; multipliers are positive at lower sides."""

    x: Any  # (B, n)
    y: Any  # (B, m): multipliers of rows
    z: Any  # (B, n): multipliers of bounds
    outcome: Any  # (B,): CONVERGED, INFEASIBLE, NOT_FINITE (also where h isn't definite), LIMIT
    nit: Any  # (B,)


class Problem(NamedTuple):
    rows: Any  # (B, k, n): a and the bounds, in terms of u, of norm 1
    low: Any  # (B, k)
    high: Any
    equal: Any  # (B, k)
    start: Any  # (B, n): the minimum without constraints


class State(NamedTuple):
    u: Any  # (B, n)
    y: Any  # (B, k)
    side: Any  # (B, k): 1, 0, -1: at the lower side, not active, at the upper side
    apart: Any  # (B, n, n): the projector
    inverse: Any  # (B, k, n): the transposed pseudoinverse of active rows; others are zero
    spare: Any  # (B, k): rows that follow from active ones, but for rounding
    hot: Any  # (B, k): 1 for the row that is being made active, with a sign: from which side
    status: Any
    nit: Any


def quadratic(
    h: Any,
    g: Any,
    a: Any,
    low: Any,
    high: Any,
    lower: Any = None,
    upper: Any = None,
    limit: int | None = None,
) -> Found:
    """Minimise ``x' h x / 2 + g' x`` with ``low <= a x <= high`` and ``lower <= x <= upper``.

    `h` is (B, n, n), positive definite, `a` (B, m, n), the others (B, n) or (B, m); sides may be
    infinite, and a row with equal sides is an equality. Bounds are None if there are none. If
    constraints contradict each other, x is some point that fulfils a part of them.
    """
    xp = array_namespace(h, g)
    m, n = int(a.shape[-2]), int(g.shape[-1])
    lower_l = cho_factor(h, lower=True)[0]
    eye = xp.broadcast_to(xp.eye(n, dtype=g.dtype, device=device(g)), h.shape)
    t = xp.matrix_transpose(solve_triangular(lower_l, eye, lower=True))  # x = t u
    start = -_times(xp.matrix_transpose(t), g)
    bounded = lower is not None
    if m + bounded == 0:
        x = _times(t, start)
        good = xp.all(xp.isfinite(x), axis=1)
        no = xp.zeros_like(good, dtype=xp.int32)
        status = outcomes(no, (good, Outcome.CONVERGED), otherwise=Outcome.NOT_FINITE)
        return Found(x, low, xp.zeros_like(x), status, no)
    rows = xp.matmul(a, t)
    if bounded:
        rows = xp.concat([rows, t], axis=1)
        low, high = xp.concat([low, lower], axis=1), xp.concat([high, upper], axis=1)
    norm = xp.sqrt(xp.sum(rows * rows, axis=2))
    norm = xp.where(norm > 0, norm, xp.ones_like(norm))
    rows = rows / norm[:, :, None]
    problem = Problem(rows, low / norm, high / norm, low == high, start)
    end = iterate(METHOD, problem, limit)

    # From the active rows alone, and corrected once by the residuals of the original problem.
    active = end.side != 0
    goal = xp.where(end.side > 0, problem.low, xp.where(end.side < 0, problem.high, 0 * norm))
    back = xp.matrix_transpose(end.inverse)
    u = _times(end.apart, start) + _times(back, goal)
    y = _times(end.inverse, u - start) / norm
    x = _times(t, u)
    for _ in range(1):
        ax, force = _times(a, x), _times(xp.matrix_transpose(a), y[:, :m])
        if bounded:
            ax, force = xp.concat([ax, x], axis=1), force + y[:, m:]
        rest = xp.where(active, goal - ax / norm, xp.zeros_like(goal))
        pull = _times(xp.matrix_transpose(t), force - _times(h, x) - g)
        du = _times(end.apart, pull) + _times(back, rest)
        x, y = x + _times(t, du), y + _times(end.inverse, du - pull) / norm
    wrong = (y * end.side < 0) & ~problem.equal
    y = xp.where(wrong, xp.zeros_like(y), y)
    z = xp.zeros_like(x)
    if bounded:
        z = y[:, m:]
        x = xp.where(end.side[:, m:] > 0, lower, xp.where(end.side[:, m:] < 0, upper, x))
    return Found(x, y[:, :m], z, end.status, end.nit)


def _times(a: Any, x: Any) -> Any:
    return array_namespace(a).matmul(a, x[:, :, None])[..., 0]


def _first(problem: Problem) -> State:
    rows, low, high, _, u = problem
    xp = array_namespace(rows, u)
    n = int(u.shape[1])
    eye = xp.broadcast_to(xp.eye(n, dtype=u.dtype, device=device(u)), (u.shape[0], n, n))
    eye = eye + xp.zeros_like(u)[:, :, None]
    none = xp.zeros_like(low)
    spare = xp.zeros_like(low, dtype=xp.bool)
    crossed = xp.any((low > high) | (low == xp.inf) | (high == -xp.inf), axis=1)
    sane = xp.all(xp.isfinite(u), axis=1) & xp.all((low == low) & (high == high), axis=1)
    sane = sane & xp.all(xp.isfinite(rows), axis=(1, 2))
    hot = _chosen(problem, u, none, spare)
    done = xp.all(hot == 0, axis=1)
    cases = ((done, Outcome.CONVERGED), (crossed, Outcome.INFEASIBLE), (~sane, Outcome.NOT_FINITE))
    status = outcomes(crossed, *cases)
    nit = xp.zeros_like(status)
    return State(u, none, none, eye, xp.zeros_like(rows), spare, hot, status, nit)


def _gaps(problem: Problem, u: Any) -> tuple[Any, Any, Any]:
    """By how much rows are below their lower sides, above their upper ones, and by rounding."""
    xp = array_namespace(u)
    value = _times(problem.rows, u)
    below, above = problem.low - value, value - problem.high
    size = xp.max(xp.abs(u), axis=1) + xp.max(xp.abs(problem.start), axis=1)
    side = xp.abs(xp.where(below > above, problem.low, problem.high))
    return below, above, 10 * float(xp.finfo(u.dtype).eps) * (side + size[:, None])


def _chosen(problem: Problem, u: Any, side: Any, spare: Any) -> Any:
    """The row that is violated most, equalities first, with the sign of its side."""
    xp = array_namespace(u)
    below, above, rounding = _gaps(problem, u)
    gap = xp.maximum(below, above)
    wanted = (gap > rounding) & (side == 0) & ~spare
    score = xp.where(wanted, gap, xp.zeros_like(gap))
    top = xp.max(score, axis=1, keepdims=True)
    score = xp.where(wanted & problem.equal, score + top, score)
    best = xp.argmax(score, axis=1)[:, None]
    index = xp.arange(int(gap.shape[1]), dtype=best.dtype, device=device(gap))
    one = xp.ones_like(gap)
    return xp.where(
        (index == best) & wanted, xp.where(below > above, one, -one), xp.zeros_like(gap)
    )


def _step(problem: Problem, s: State) -> State:
    """Towards one violated row, up to it or to where the multiplier of an active row is zero."""
    rows, equal = problem.rows, problem.equal
    xp = array_namespace(rows)
    parallel = float(xp.finfo(rows.dtype).eps) ** (2 / 3)
    zero, infinite = xp.zeros_like(s.y), xp.full_like(s.y, xp.inf)
    still, never = zero[:, 0], infinite[:, 0]
    hot = s.hot
    is_hot = hot != 0

    # The way, and how far it is to the row, or until an active row's multiplier is zero.
    c = xp.matmul(hot[:, None, :], rows)[:, 0, :]
    z = _times(s.apart, _times(s.apart, c))
    r = _times(s.inverse, c)
    along = xp.sum(z * z, axis=1)
    free = along > parallel**2
    below, above, rounding = _gaps(problem, s.u)
    gap = xp.where(hot > 0, below, above)
    distance = xp.maximum(xp.sum(xp.where(is_hot, gap, zero), axis=1), still)
    whole = xp.where(free, distance / xp.where(free, along, still + 1), never)
    loss = s.side * r
    blocks = (loss > parallel) & ~equal
    share = xp.maximum(s.side * s.y, zero) / xp.where(blocks, loss, zero + 1)
    share = xp.where(blocks, share, infinite)
    partial = xp.min(share, axis=1)
    far = xp.minimum(whole, partial)
    stuck = far == xp.inf
    far = xp.where(stuck, still, far)
    full, moved = whole <= partial, ~stuck
    # What the active rows' errors may amount to in a row that follows from them.
    growth = 10 + 10 * xp.sum(xp.abs(s.inverse), axis=(1, 2))
    spare = stuck & (distance <= growth * xp.sum(xp.where(is_hot, rounding, zero), axis=1))

    # The active rows: one more, or one less.
    first = xp.argmin(share, axis=1)[:, None]
    index = xp.arange(int(hot.shape[1]), dtype=first.dtype, device=device(hot))
    come, goes = (full & moved)[:, None] & is_hot, (~full)[:, None] & (index == first)
    w = xp.matmul(xp.where(goes, zero + 1, zero)[:, None, :], s.inverse)[:, 0, :]
    v = xp.where(full[:, None], z, w)
    length = xp.sum(v * v, axis=1)
    unit = v / xp.where(length > 0, length, still + 1)[:, None]
    unit = xp.where(moved[:, None], unit, xp.zeros_like(unit))
    signed = xp.where(full[:, None], -unit, unit)
    change = hot - r
    less = xp.where(full[:, None], change, -_times(s.inverse, w))
    inverse = s.inverse + less[:, :, None] * unit[:, None, :]
    inverse = xp.where(goes[:, :, None], xp.zeros_like(inverse), inverse)
    side = xp.where(come, hot, xp.where(goes, zero, s.side))
    u = xp.where(free[:, None], s.u + far[:, None] * z, s.u)
    y = xp.where(goes, zero, s.y + far[:, None] * change)

    ignored = s.spare | (is_hot & spare[:, None])
    following = _chosen(problem, u, side, ignored)
    following = xp.where((full | stuck)[:, None], following, hot)
    ended = (full | spare) & xp.all(following == 0, axis=1)
    long = s.nit >= 10 * (int(s.u.shape[1]) + int(hot.shape[1]))
    status = outcomes(
        ended,
        (long, Outcome.LIMIT),
        (ended, Outcome.CONVERGED),
        (stuck & ~spare, Outcome.INFEASIBLE),
    )
    apart = s.apart + signed[:, :, None] * v[:, None, :]
    return State(u, y, side, apart, inverse, ignored, following, status, s.nit + 1)


METHOD = Method(_first, _step)
