"""Levenberg-Marquardt for many small least-squares problems.

Scaling and tests: J. J. Moré, The Levenberg-Marquardt algorithm: implementation and theory, 1978.
Damping: H. B. Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05, section 2.
Bounds: projected steps on the free variables, as C. Kanzow, N. Yamashita, M. Fukushima,
Levenberg-Marquardt methods with strong local convergence properties for solving nonlinear
equations with convex constraints, 2004.

A step is the same sequence of functions for every problem, with no decision but by ``where``. The
problems don't meet, so that rows may come and go between steps, and one that fails spoils no other.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device
from ._normal_equations import products, quadratic, solved

__all__ = [
    "ADVICE",
    "CAREFUL",
    "INTERRUPTED",
    "RUNNING",
    "Limits",
    "Problem",
    "State",
    "careful_step",
    "fresh",
    "step",
]

CAREFUL = -9  # for the next kind of steps; nobody sees it
STALLED = -4
INTERRUPTED, RUNNING, NOT_FINITE, MAX_NFEV, GTOL, FTOL, XTOL = -3, -2, -1, 0, 1, 2, 3
ADVICE = {
    INTERRUPTED: "interrupted before it had ended, or had begun",
    STALLED: "no step lowers the sum of squares, whose gradient isn't 0: move p0 or rescale",
    NOT_FINITE: "data or model at p0 not finite, or too few valid data: check, mask, or move p0",
    MAX_NFEV: "max_nfev was reached: raise it, start closer, or rescale the model's parameters",
    GTOL: "converged: the residuals are orthogonal to the Jacobian's columns within gtol",
    FTOL: "converged: the sum of squares changes relatively by no more than ftol",
    XTOL: "converged: the parameters change relatively by no more than xtol",
}

_FIRST_DAMPING = 1e-4
_LONG = 60  # evaluations after which a problem wants more care
_PROBE = 0.1  # of a step: where the model's curvature is looked at
_BEND = 0.75  # of a step: the most that its correction for curvature may be, halved
_FORGET = 0.8  # how fast the scale of a parameter may fall from step to step
_ENOUGH = 1e-4  # of the predicted reduction: the least that an accepted step achieves
_ROUNDED = 100  # times rounding: residuals that are nothing else
_NOISE = 64  # times eps: relative changes of the cost below which its rounding decides


class Limits(NamedTuple):
    """When a problem has converged, and when it is given up."""

    ftol: float
    xtol: float
    gtol: float
    max_nfev: int


class State(NamedTuple):
    """Of each problem; all but the parameters in units of its own."""

    x: Any  # (B, p)
    cost: Any  # (B,), infinite before the first evaluation
    gradient: Any  # (B, p)
    normal: Any  # (B, p, p)
    scale: Any  # (B, p), the norms of the Jacobian's columns, with memory
    damping: Any  # (B,)
    growth: Any  # (B,), of the damping at the next bad step; 2 after a good one
    status: Any  # (B,)
    nfev: Any  # (B,)


class Problem(NamedTuple):
    """What a step evaluates, in units of each problem; and the bounds, (B, p) or None."""

    normal: Callable[[Any], tuple[Any, Any, Any]]
    """x -> half the sum of squares, its gradient, the normal matrix of the Jacobian."""
    unit: Any  # (B, p), of the parameters
    low: Any
    high: Any
    rounding: Any  # (B,), how large rounding makes the residuals
    # For careful steps alone:
    columns: Any = None
    """x -> residuals, (B, n), columns of their Jacobian, what a loss function makes of them."""
    residuals: Any = None
    """x -> residuals, and half the sum of squares."""


def fresh(x: Any) -> State:
    """Before the first evaluation at `x`, which the first step makes."""
    xp = array_namespace(x)
    count, p = x.shape
    where = device(x)
    one = xp.ones((count,), dtype=x.dtype, device=where)
    status = xp.zeros((count,), dtype=xp.int32, device=where)
    return State(
        x,
        xp.full_like(one, xp.inf),
        xp.zeros_like(x),
        xp.zeros((count, p, p), dtype=x.dtype, device=where),
        xp.zeros_like(x),
        _FIRST_DAMPING * one,
        2 * one,
        status + RUNNING,
        status,
    )


def step(problem: Problem, state: State, tests: Limits, hand_over: bool = True) -> State:
    """One evaluation of the model with its Jacobian, and what follows of it.

    With `hand_over` a problem that takes long, stalls, or comes to where a parameter has no effect,
    ends with CAREFUL.
    """
    x, cost, gradient, normal, scale, damping, growth, status, nfev = state
    xp = array_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    first = xp.isinf(cost)
    scale = _followed(xp, normal, scale, growth)
    held = _held(problem, x, gradient)
    move, aim = _aimed(xp, problem, x, normal, gradient, scale, damping, held)
    x1 = xp.where(first[:, None], x, aim)
    move = xp.where(first[:, None], xp.zeros_like(move), move)
    cost1, gradient1, normal1 = problem.normal(x1)
    usable = xp.isfinite(cost1) & xp.all(xp.isfinite(gradient1), axis=1)
    usable = usable & xp.all(xp.isfinite(normal1), axis=(1, 2))
    predicted = -xp.vecdot(gradient, move) - 0.5 * quadratic(normal, move)
    known = xp.where(first, xp.zeros_like(cost), cost)
    reduction = xp.where(first | ~usable, xp.zeros_like(cost), cost - cost1)
    # Where rounding decides about the change of the cost, the model of it is as good as exact.
    noise = _NOISE * eps * known
    fine = (predicted <= noise) & (xp.abs(reduction) <= noise)
    norms = _norms(xp, normal)
    judged = _Judged(move, predicted, reduction, usable, fine, known, gradient, norms)
    now, good, damping1, growth1 = _judge(xp, problem, state, scale, held, judged, tests)
    nfev1 = xp.where(status == RUNNING, nfev + 1, nfev)
    hard = ((nfev1 >= _LONG) & (now == RUNNING)) | (now == STALLED)
    # A step too far may end where a parameter has no effect any more.
    idle = xp.min(norms, axis=1) <= eps * xp.max(norms, axis=1)
    if hand_over:
        now = xp.where(hard | (idle & (now != RUNNING)), xp.full_like(now, CAREFUL), now)
    begun = xp.where(usable, xp.full_like(now, RUNNING), xp.full_like(now, NOT_FINITE))
    good = xp.where(first, (status == RUNNING) & usable, good)
    accepted = good[:, None]
    return State(
        xp.where(accepted, x1, x),
        xp.where(good, cost1, cost),
        xp.where(accepted, gradient1, gradient),
        xp.where(good[:, None, None], normal1, normal),
        xp.where(first[:, None], xp.zeros_like(scale), scale),
        xp.where(first, damping, damping1),
        xp.where(first, growth, growth1),
        _ended(xp, status, xp.where(first, begun, now), nfev1, tests),
        nfev1,
    )


def careful_step(problem: Problem, state: State, tests: Limits) -> State:
    """With geodesic acceleration, which sees where the model bends: one Jacobian, three models.

    M. K. Transtrum, J. P. Sethna, arXiv:1201.5885, section 5.
    """
    x, _, _, _, scale, damping, growth, status, nfev = state
    xp = array_namespace(x)
    r, columns, weigh = problem.columns(x)
    r_, columns_, twice = weigh(r, columns)
    columns_ = [xp.broadcast_to(c, r.shape) for c in columns_]
    gradient, normal = products(columns_, r_)
    cost = 0.5 * twice
    finite = xp.isfinite(cost) & xp.all(xp.isfinite(normal), axis=(1, 2))
    scale = _followed(xp, normal, scale, growth)
    held = _held(problem, x, gradient)
    velocity, aim = _aimed(xp, problem, x, normal, gradient, scale, damping, held)
    # The second derivative of the residuals along the velocity, from one more evaluation; where
    # rounding is all that it shows, none.
    probe, _ = problem.residuals(x + _PROBE * velocity * problem.unit)
    linear = sum((c * velocity[:, j : j + 1] for j, c in enumerate(columns)), xp.zeros_like(r))
    second = 2 / _PROBE * ((probe - r) / _PROBE - linear)
    shown = xp.sqrt(xp.vecdot(second, second)) > 4 / _PROBE**2 * problem.rounding
    second = xp.where(shown[:, None] & xp.isfinite(second), second, xp.zeros_like(second))
    bent, _ = products([xp.broadcast_to(c, r.shape) for c in columns], second)
    acceleration = 0.5 * _move(xp, normal, bent, scale, damping, held)
    length = _length(xp, velocity * scale)
    straight = 2 * _length(xp, acceleration * scale) <= _BEND * length
    aim = aim + acceleration * problem.unit
    if problem.low is not None:
        aim = xp.clip(aim, problem.low, problem.high)
    r1, cost1 = problem.residuals(aim)
    usable = xp.isfinite(cost1) & straight
    if weigh(r, [])[0] is r:  # without a loss the difference of the sums has no cancellation
        reduction = 0.5 * xp.sum((r - r1) * (r + r1), axis=1)
    else:
        reduction = cost - cost1
    reduction = xp.where(usable, reduction, xp.zeros_like(cost))
    predicted = 0.5 * quadratic(normal, velocity) + damping * length * length
    fine = xp.zeros_like(usable)
    move = velocity + acceleration
    norms = _norms(xp, normal)
    judged = _Judged(move, predicted, reduction, usable, fine, cost, gradient, norms)
    now, good, damping1, growth1 = _judge(xp, problem, state, scale, held, judged, tests)
    good = good & finite
    now = xp.where(finite, now, xp.full_like(now, NOT_FINITE))
    nfev1 = xp.where(status == RUNNING, nfev + 1, nfev)
    return State(
        xp.where(good[:, None], aim, x),
        cost,
        gradient,
        normal,
        scale,
        damping1,
        growth1,
        _ended(xp, status, now, nfev1, tests),
        nfev1,
    )


class _Judged(NamedTuple):
    """A step, and how the cost changed."""

    move: Any  # in units of the problem
    predicted: Any
    reduction: Any
    usable: Any
    fine: Any  # too near the solution to be judged
    cost: Any  # before the step
    gradient: Any
    norms: Any  # of the Jacobian's columns


def _judge(
    xp: Any, problem: Problem, state: State, scale: Any, held: Any, step: _Judged, tests: Limits
) -> tuple[Any, Any, Any, Any]:
    """What has come of a step: status, whether it is taken, damping and its growth."""
    x, damping, growth, status = state.x, state.damping, state.growth, state.status
    ratio = step.reduction / xp.where(step.predicted > 0, step.predicted, xp.ones_like(damping))
    ratio = xp.where(step.fine, xp.ones_like(ratio), ratio)
    ratio = xp.where(step.usable, ratio, -xp.ones_like(ratio))
    running = status == RUNNING
    good = running & (ratio > _ENOUGH) & (step.predicted >= 0)

    small = _length(xp, step.move * scale) <= tests.xtol * _length(xp, x / problem.unit * scale)
    limit = tests.ftol * step.cost
    flat = step.usable & (step.predicted <= limit) & (xp.abs(step.reduction) <= limit)
    flat = flat & (ratio <= 2)
    root = step.norms * xp.sqrt(2 * step.cost)[:, None]
    cosines = xp.abs(step.gradient) / xp.where(root > 0, root, xp.ones_like(root))
    if held is not None:
        cosines = xp.where(held, xp.zeros_like(cosines), cosines)
    steepest = xp.max(cosines, axis=1)
    level = steepest <= tests.gtol
    # A short step tells that the solution is near only where it isn't damping that makes it short.
    eps = float(xp.finfo(x.dtype).eps)
    left = xp.clip(step.cost - step.reduction, 0.0, None)
    rounded = steepest * xp.sqrt(2 * left) <= _ROUNDED * problem.rounding
    weight = damping[:, None] * scale * scale
    free = xp.all(weight <= step.norms * step.norms, axis=1)
    near = (steepest <= eps**0.25) | rounded | free

    # Nielsen: after a good step down to a third, after bad ones up by 2, 4, 8 ...
    q = 2 * xp.clip(ratio, 0.0, 1.5) - 1
    next_damping = xp.where(good, damping * xp.clip(1 - q * q * q, 1 / 3, 2.0), damping * growth)
    limits = xp.finfo(x.dtype)
    next_damping = xp.clip(
        next_damping, 1e4 * float(limits.smallest_normal), 1e-4 * float(limits.max)
    )
    next_growth = xp.where(good, xp.full_like(growth, 2.0), xp.clip(2 * growth, 4.0, 1e8))
    now = xp.where(small, xp.full_like(status, STALLED), xp.full_like(status, RUNNING))
    now = xp.where(small & near, xp.full_like(status, XTOL), now)
    now = xp.where(flat & near & ~small, xp.full_like(status, FTOL), now)
    now = xp.where(level, xp.full_like(status, GTOL), now)
    return (
        now,
        good,
        xp.where(running, next_damping, damping),
        xp.where(running, next_growth, growth),
    )


def _ended(xp: Any, status: Any, now: Any, nfev: Any, tests: Limits) -> Any:
    """The next status: what had ended stays; who has had enough evaluations ends."""
    now = xp.where((now == RUNNING) & (nfev >= tests.max_nfev), xp.full_like(now, MAX_NFEV), now)
    return xp.where(status == RUNNING, now, status)


def _norms(xp: Any, normal: Any) -> Any:
    return xp.sqrt(xp.stack([normal[:, j, j] for j in range(normal.shape[1])], axis=-1))


def _length(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.vecdot(v, v))


def _followed(xp: Any, normal: Any, scale: Any, growth: Any) -> Any:
    """The scale after a good step: that of the columns, down not at once."""
    followed = xp.maximum(_FORGET * scale, _norms(xp, normal))
    followed = xp.where(followed > 0, followed, xp.ones_like(followed))
    return xp.where((growth == 2)[:, None], followed, scale)


def _held(problem: Problem, x: Any, gradient: Any) -> Any:
    """Which parameters are at a bound and would leave it."""
    if problem.low is None:
        return None
    return ((x <= problem.low) & (gradient >= 0)) | ((x >= problem.high) & (gradient <= 0))


def _aimed(
    xp: Any,
    problem: Problem,
    x: Any,
    normal: Any,
    gradient: Any,
    scale: Any,
    damping: Any,
    held: Any,
) -> tuple[Any, Any]:
    """The step in units of the problem, and where it leads."""
    move = _move(xp, normal, gradient, scale, damping, held)
    aim = x + move * problem.unit
    if problem.low is None:
        return move, aim
    # What would leave the bounds goes to them, and the others' step takes account of that.
    over = (aim < problem.low) | (aim > problem.high)
    inside = xp.clip(aim, problem.low, problem.high)
    to_bound = xp.where(over, (inside - x) / problem.unit, xp.zeros_like(x))
    pull = gradient + xp.vecdot(normal, to_bound[:, None, :])
    rest = _move(xp, normal, pull, scale, damping, held | over)
    aim = xp.where(over, inside, xp.clip(x + rest * problem.unit, problem.low, problem.high))
    return (aim - x) / problem.unit, aim


def _move(xp: Any, normal: Any, gradient: Any, scale: Any, damping: Any, held: Any) -> Any:
    """The damped step, of the variables that aren't held."""
    slope = gradient / scale
    matrix = normal / (scale[:, :, None] * scale[:, None, :])
    if held is not None:
        slope = xp.where(held, xp.zeros_like(slope), slope)
        eye = xp.eye(slope.shape[1], dtype=slope.dtype, device=device(slope))
        matrix = xp.where(held[:, :, None] | held[:, None, :], eye, matrix)
    found = solved(matrix, damping, -slope) / scale
    return xp.where(xp.isfinite(found), found, xp.zeros_like(found))
