"""Levenberg-Marquardt for many small least-squares problems.

Scaling, tests, the radius, and the damping after a step that was refused: J. J. Moré, The
Levenberg-Marquardt algorithm: implementation and theory, 1978. Damping otherwise: H. B. Nielsen,
Damping parameter in Marquardt's method, IMM-REP-1999-05, section 2.
Bounds: projected steps on the free variables, as C. Kanzow, N. Yamashita, M. Fukushima,
Levenberg-Marquardt methods with strong local convergence properties for solving nonlinear
equations with convex constraints, 2004.

A step is the same sequence of functions for every problem, with ``where`` for all decisions.
Problems are independent, so rows may be dropped and added between steps, and a failure doesn't
affect others.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...solving._outcome import Outcome
from ._normal_equations import diagonal, pivot, products, quadratic, solved
from ._trust_region import trust_region_step

__all__ = [
    "Limits",
    "Problem",
    "Solution",
    "State",
    "careful_step",
    "doubtful",
    "fresh",
    "relative",
    "settled",
    "step",
    "undetermined",
]

_FIRST_DAMPING = 1e-4
_FAR = 100.0  # times the size of x: the radius at first
_INSIDE = 0.9  # of the radius: the length of a step up to which it isn't bounded
_LONGER = 2.0  # than a step that was accepted: the most that the next one is
_SHORTER = 0.5  # of a step that was refused: the next one
_LONG = 60  # evaluations after which a problem wants more care
_PROBE = 0.1  # of a step: where the model's curvature is looked at
_BEND = 0.75  # of a step: the most that its correction for curvature may be, halved
_FORGET = 0.8  # how fast the scale of a parameter may fall from step to step
_ENOUGH = 1e-4  # of the predicted reduction: the least that an accepted step achieves
_ROUNDED = 100  # times rounding: residuals that are nothing else
_DIGITS = 1e3  # times eps of values: residuals that are next to nothing
_STEEP = 0.1  # of the cost: what parameters' sizes change by the gradient where it isn't level
_LEVEL = 64  # times the root of eps: relative changes of the cost that are next to nothing
_NOISE = 64  # times eps: relative changes of the cost below which its rounding decides


class Limits(NamedTuple):
    """Hold the tolerances and the limits of evaluations."""

    ftol: float
    xtol: float
    gtol: float
    max_nfev: int


class State(NamedTuple):
    """Hold the solver's variables, problems on the last axis; all but `x` and `aim` in units."""

    x: Any  # (p, B)
    aim: Any  # (p, B), what is tried next
    gain: Any  # (B,), what half the sum of squares is to lose by it
    move: Any  # (p, B), the step that leads there, in units of the problem
    cost: Any  # (B,), half the sum of squares at x; infinite before the first evaluation
    gradient: Any  # (p, B)
    normal: Any  # (p, p, B)
    scale: Any  # (p, B), the norms of the Jacobian's columns, with memory
    damping: Any  # (B,), or the radius of steps
    growth: Any  # (B,), of the damping at the next bad step; 2 after a good one
    status: Any  # (B,)
    nfev: Any  # (B,)


class Solution(NamedTuple):
    """Hold the end of the steps, problems on the last axis."""

    x: Any  # (p, B)
    cost: Any  # (B,), half the sum of squares at x
    gradient: Any  # (p, B), at x
    normal: Any  # (p, p, B), at x
    status: Any  # (B,)
    nfev: Any  # (B,)

    @classmethod
    def of(cls, state: State) -> "Solution":
        """Return the solution of a final state."""
        return cls(state.x, state.cost, state.gradient, state.normal, state.status, state.nfev)


class Problem(NamedTuple):
    """Hold the functions that a step evaluates, in each problem's units; bounds (p, B) or None."""

    normal: Callable[[Any], tuple[Any, Any, Any]]
    """x -> half the sum of squares, its gradient, the normal matrix of the Jacobian."""
    unit: Any  # (p, B), of the parameters
    low: Any
    high: Any
    rounding: Any  # (B,), how large rounding makes the residuals
    # For careful steps alone:
    columns: Any = None
    """x -> residuals, (B, n), columns of their Jacobian, what a loss function makes of them."""
    residuals: Any = None
    """x -> residuals, and half the sum of squares."""


def fresh(x: Any) -> State:
    """Return the state before the first evaluation at `x`, which the first step makes."""
    xp = array_namespace(x)
    p, count = x.shape
    where = device(x)
    one = xp.ones((count,), dtype=x.dtype, device=where)
    zero = xp.zeros_like(x)
    status = xp.zeros((count,), dtype=xp.int32, device=where)
    return State(
        x,
        x,
        0 * one,
        zero,
        xp.full_like(one, xp.inf),
        zero,
        xp.zeros((p, p, count), dtype=x.dtype, device=where),
        zero,
        _FIRST_DAMPING * one,
        2 * one,
        status,
        status,
    )


def step(
    problem: Problem, state: State, tests: Limits, hand_over: bool = True, ball: bool = False
) -> State:
    """Take a step: evaluate the model with its Jacobian, and update the state.

    With `ball`, steps are bounded by a radius, in place of damping: more work, fewer evaluations.

    With `hand_over`, a problem that takes long, stalls, or reaches a point where a parameter has no
    effect, ends as ``Outcome.AGAIN``.
    """
    x, aim, gain, before, cost, gradient, normal, scale, damping, growth, status, nfev = state
    xp = array_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    running, first = status == Outcome.RUNNING, xp.isinf(cost)
    cost1, gradient1, normal1 = problem.normal(aim)
    squares = diagonal(normal1)
    usable = xp.isfinite(cost1 + xp.sum(squares + gradient1 * gradient1, axis=0))
    # Where rounding decides about the change of the cost, the model of it is as good as exact.
    reduction, noise = cost - cost1, _NOISE * eps * cost
    fine = first | ((gain <= noise) & (xp.abs(reduction) <= noise))
    ratio = xp.where(fine, 1.0, reduction / gain)
    good = running & usable & (ratio > _ENOUGH) & (gain >= 0)
    slope, last = xp.sum(gradient * before, axis=0) if ball else None, scale
    size = _length(xp, x / problem.unit * scale)
    small = ~first & (_length(xp, before * scale) <= tests.xtol * size)
    limit = tests.ftol * cost
    flat = ~first & usable & (gain <= limit) & (xp.abs(reduction) <= limit) & (ratio <= 2)
    x = xp.where(good, aim, x)
    cost = xp.where(good, cost1, cost)
    gradient = xp.where(good, gradient1, gradient)
    normal = xp.where(good, normal1, normal)
    norms = xp.sqrt(diagonal(normal))
    kept = 1.0 if ball else _FORGET
    scale = xp.where(good, _followed(xp, norms, kept * scale), scale)
    held = _held(problem, x, gradient)
    length = _length(xp, before * (last if ball else scale))
    took = _Took(good, first, usable, ratio, reduction, slope, length, damping, growth)
    here = _Here(problem, x, cost, normal, gradient, scale, held)
    choose = _within_ball if ball else _by_damping
    bound, growth, damping, move, aim = choose(took, here)
    gain = -xp.sum(gradient * move, axis=0) - 0.5 * quadratic(normal, move)
    # A next step that changes neither the cost nor, but for their last digits, the parameters need
    # not be looked at. By the rate at which steps get shorter a tenth of xtol is left after it.
    length, size = _length(xp, move * scale), _length(xp, x / problem.unit * scale)
    sure = good & (xp.abs(gain) <= _NOISE * eps * cost) & (length <= eps**0.5 * size)
    rate = xp.maximum(10 * xp.max(xp.abs(move) / xp.abs(before), axis=0), 1e-3)
    rate = xp.where(first | ~(rate <= 1), 1.0, rate)
    small = small | (sure & (rate * length <= tests.xtol * size))
    flat = flat | (sure & (xp.abs(gain) <= tests.ftol * cost))
    reached = _Reached(x, small, flat, cost, cost, gradient, norms, scale, damping, held)
    now = _verdict(xp, problem, status, reached, tests, ~first if ball else None)
    nfev = xp.where(running, nfev + 1, nfev)
    if hand_over:
        hard = ((nfev >= _LONG) & (now == Outcome.RUNNING)) | (now == Outcome.STALLED)
        # A step too far may end where a parameter has no effect any more.
        idle = xp.min(norms, axis=0) <= eps * xp.max(norms, axis=0)
        now = xp.where(hard | (idle & (now != Outcome.RUNNING)), Outcome.AGAIN, now)
    now = xp.where(first & ~usable, Outcome.NOT_FINITE, now)
    x = xp.where(sure & (now > 0), aim, x)
    now = _ended(xp, status, now, nfev, tests)
    return State(x, aim, gain, move, cost, gradient, normal, scale, bound, growth, now, nfev)


class _Took(NamedTuple):
    """The outcome of the last step, (B,)."""

    good: Any
    first: Any  # there was none
    usable: Any
    ratio: Any  # of the reductions, the cost's to the model's
    reduction: Any
    slope: Any  # of the cost along it, for the radius
    length: Any  # in the scale
    bound: Any
    growth: Any


class _Here(NamedTuple):
    """The point from which a step is taken."""

    problem: Problem
    x: Any
    cost: Any
    normal: Any
    gradient: Any
    scale: Any
    held: Any


def _by_damping(took: _Took, here: _Here) -> tuple[Any, ...]:
    """Return the damping, its growth, the damping once more, and the next step.

    A step that is refused is followed by one half as long, or shorter; one that is accepted by one
    twice as long at most: where it has made a parameter idle the next would go anywhere.
    """
    xp = array_namespace(here.x)
    length = xp.where(took.good, _LONGER * took.length, _SHORTER * took.length)
    shorter = _damping_for(xp, length, took.bound, here)
    damping, growth = _damped(xp, took.good, took.first, took.ratio, took.bound, took.growth)
    long = ~took.first & (shorter > damping) & xp.isfinite(shorter)
    damping = xp.where(long, shorter, damping)
    return damping, growth, damping, *_aimed(xp, partial(_move, xp, damping), here)


def _within_ball(took: _Took, here: _Here) -> tuple[Any, ...]:
    """Return the radius of a ball, a mark, the damping that it makes, and the step in the ball.

    Moré, sections 4 and 6: a step that doesn't reach the boundary isn't damped, so that a point
    where the Jacobian is singular, or damping hinders, takes no more steps than need be.
    """
    xp = array_namespace(here.x)
    # Of a start whose size says nothing about that of the solution steps aren't bounded.
    far = _FAR * _length(xp, here.x / here.problem.unit * here.scale)
    far = xp.where(_FAR * _effect(here.problem, here) > _STEEP * here.cost, far, xp.inf)
    less = 0.5 * took.slope / (took.slope + took.reduction)
    less = xp.where(took.reduction >= 0, 0.5, xp.where(took.usable & (less >= 0.1), less, 0.1))
    shrunk = less * xp.minimum(took.bound, 10 * took.length)
    free = (took.ratio >= 0.75) | (took.length < _INSIDE * took.bound)
    radius = xp.where(free, 2 * took.length, took.bound)
    radius = xp.where(took.usable & (took.ratio > 0.25), radius, shrunk)
    radius = xp.where(took.first, far, radius)
    move, aim = _aimed(xp, partial(_in_ball, xp, radius), here)
    length = _length(xp, move * here.scale)
    radius = xp.where(took.first, xp.minimum(radius, length), radius)
    pull = xp.sum(here.gradient * move, axis=0) + quadratic(here.normal, move)
    damping = xp.maximum(-pull / xp.where(length > 0, length * length, 1.0), 0.0)
    return radius, xp.where(took.good, 2.0, 2 * took.growth), damping, move, aim


def _in_ball(xp: Any, radius: Any, here: _Here) -> Any:
    """The step that minimises the model within a ball, of the variables that aren't held."""
    slope, normal = here.gradient / here.scale, here.normal / here.scale[:, None, :] / here.scale
    if here.held is not None:
        slope, normal = _without(xp, here.held, slope, normal)
    rows = xp.moveaxis(normal, -1, 0), xp.matrix_transpose(slope)
    good = xp.all(xp.isfinite(rows[0]), axis=(1, 2)) & xp.all(xp.isfinite(rows[1]), axis=1)
    found = xp.matrix_transpose(trust_region_step(*rows, radius, good)) / here.scale
    return xp.where(good & xp.isfinite(found), found, 0.0)


def settled(problem: Problem, at: State) -> Any:
    """Return the status, a success where steps have stalled at a flat point.

    At a flat point, changing each parameter by its own size would, by the gradient, hardly change
    the cost, apart from rounding errors of the residuals in the gradient.
    """
    xp = array_namespace(at.x)
    rounded = _ROUNDED * problem.rounding * xp.sqrt(diagonal(at.normal))
    shown = xp.abs(at.gradient) > rounded
    least = _LEVEL * float(xp.finfo(at.x.dtype).eps) ** 0.5 * at.cost
    level = (at.status == Outcome.STALLED) & (_effect(problem, at, shown) <= least)
    return xp.where(level, xp.full_like(at.status, Outcome.STEP), at.status)


def undetermined(normal: Any, x: Any, unit: Any) -> Any:
    """Return where changing some parameters by their own size hardly changes the cost."""
    xp = array_namespace(normal)
    size = xp.maximum(xp.abs(x) / unit, xp.ones_like(x))
    return ~(pivot(relative(normal, size)) > float(xp.finfo(x.dtype).eps) ** 0.5)


def relative(normal: Any, size: Any) -> Any:
    """Return the normal matrix for relative changes of parameters, up to a factor."""
    xp = array_namespace(normal)
    normal = normal * size[:, None, :] * size
    top = xp.max(diagonal(normal), axis=0)
    return normal / xp.where(top > 0, top, xp.ones_like(top))


def doubtful(problem: Problem, at: Any, tests: Limits, left: float = 0.0) -> Any:
    """Return which successes are false, (B,): steps were short although the point isn't flat.

    There the normal matrix doesn't resolve some direction, along which damping makes steps short,
    for instance in a valley next to a pole of the model. By the gradient, changing each parameter
    by its own size would change the cost considerably. Residuals that are only rounding errors
    don't count, nor gradients up to `left` times their rounding error, for steps that end there.
    The gradient must be exact, because finite differences have a larger error at a minimum.
    """
    xp = array_namespace(at.x)
    eps = float(xp.finfo(at.x.dtype).eps)
    # What the parameters' sizes change, squared: rounding is in proportion to it.
    squares = xp.sum(diagonal(at.normal) * (at.x / problem.unit) ** 2, axis=0)
    shown = 2 * at.cost > (_DIGITS * eps) ** 2 * squares
    shown = shown & (xp.max(xp.abs(at.gradient), axis=0) > tests.gtol)
    steep = (_effect(problem, at) > _STEEP * at.cost + left * eps * squares) & shown
    short = (at.status > 0) & (at.status != Outcome.GRADIENT)
    return short & steep & undetermined(at.normal, at.x, problem.unit)


def _effect(problem: Problem, at: Any, of: Any = True) -> Any:
    """Return the change of the cost, by the gradient, if each parameter changes by its own size."""
    xp = array_namespace(at.x)
    held = _held(problem, at.x, at.gradient)
    if held is not None:
        of = of & ~held
    effect = xp.abs(at.gradient * at.x / problem.unit)
    return xp.sum(effect if of is True else xp.where(of, effect, 0.0), axis=0)


def careful_step(problem: Problem, state: State, tests: Limits) -> State:
    """Take a step with geodesic acceleration, which uses curvature: one Jacobian, three values.

    M. K. Transtrum, J. P. Sethna, arXiv:1201.5885, section 5.
    """
    x, *_, scale, damping, growth, status, nfev = state
    xp = array_namespace(x)
    r, columns, weigh = problem.columns(x)
    r_, columns_, twice = weigh(r, columns)
    columns_ = [xp.broadcast_to(c, r.shape) for c in columns_]
    gradient, normal = products(columns_, r_)
    cost = 0.5 * twice
    finite = xp.isfinite(cost) & xp.all(xp.isfinite(normal), axis=(0, 1))
    norms = xp.sqrt(diagonal(normal))
    scale = xp.where(growth == 2, _followed(xp, norms, _FORGET * scale), scale)
    held = _held(problem, x, gradient)
    here = _Here(problem, x, cost, normal, gradient, scale, held)
    velocity, aim = _aimed(xp, partial(_move, xp, damping), here)
    # The second derivative of the residuals along the velocity, from one more evaluation; where
    # rounding is all that it shows, none.
    probe, _ = problem.residuals(x + _PROBE * velocity * problem.unit)
    linear = sum((c * velocity[j, :, None] for j, c in enumerate(columns)), xp.zeros_like(r))
    second = 2 / _PROBE * ((probe - r) / _PROBE - linear)
    shown = xp.sqrt(xp.vecdot(second, second)) > 4 / _PROBE**2 * problem.rounding
    second = xp.where(shown[:, None] & xp.isfinite(second), second, 0.0)
    bent, _ = products([xp.broadcast_to(c, r.shape) for c in columns], second)
    acceleration = 0.5 * _move(xp, damping, here._replace(gradient=bent))
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
    reduction = xp.where(usable, reduction, 0.0)
    gain = 0.5 * quadratic(normal, velocity) + damping * length * length
    ratio = xp.where(usable, reduction / xp.where(gain > 0, gain, 1.0), -1.0)
    good = (status == Outcome.RUNNING) & finite & (ratio > _ENOUGH) & (gain >= 0)
    size = _length(xp, (velocity + acceleration) * scale)
    small = size <= tests.xtol * _length(xp, x / problem.unit * scale)
    limit = tests.ftol * cost
    flat = usable & (gain <= limit) & (xp.abs(reduction) <= limit) & (ratio <= 2)
    left = xp.maximum(cost - reduction, 0.0)
    reached = _Reached(x, small, flat, cost, left, gradient, norms, scale, damping, held)
    now = xp.where(finite, _verdict(xp, problem, status, reached, tests), Outcome.NOT_FINITE)
    damping, growth = _damped(xp, good, xp.zeros_like(good), ratio, damping, growth)
    nfev = xp.where(status == Outcome.RUNNING, nfev + 1, nfev)
    return state._replace(
        x=xp.where(good, aim, x),
        cost=cost,
        gradient=gradient,
        normal=normal,
        scale=scale,
        damping=damping,
        growth=growth,
        status=_ended(xp, status, now, nfev, tests),
        nfev=nfev,
    )


class _Reached(NamedTuple):
    """The point that a step has led to."""

    x: Any
    small: Any  # whether the step changes the parameters by no more than xtol
    flat: Any  # whether it changes the cost by no more than ftol
    cost: Any  # where the gradient was taken
    left: Any  # of it
    gradient: Any
    norms: Any  # of the Jacobian's columns
    scale: Any
    damping: Any
    held: Any


def _verdict(
    xp: Any, problem: Problem, status: Any, at: _Reached, tests: Limits, moved: Any = None
) -> Any:
    """Return the status of a problem that runs; after a step (`moved`) its gradient comes last."""
    root = at.norms * xp.sqrt(2 * at.cost)
    cosines = xp.abs(at.gradient) / xp.where(root > 0, root, 1.0)
    if at.held is not None:
        cosines = xp.where(at.held, 0.0, cosines)
    steepest = xp.max(cosines, axis=0)
    # A short step tells that the solution is near only where it isn't damping that makes it short.
    eps = float(xp.finfo(cosines.dtype).eps)
    rounded = steepest * xp.sqrt(2 * at.left) <= _ROUNDED * problem.rounding
    free = xp.all(at.damping * at.scale * at.scale <= at.norms * at.norms, axis=0)
    # Or where the Jacobian has become singular, and what residuals are left are along it.
    level = _effect(problem, at) <= tests.ftol * at.cost
    near = (steepest <= eps**0.25) | rounded | free | level
    now = xp.where(at.small, Outcome.STALLED, xp.full_like(status, Outcome.RUNNING))
    now = xp.where(at.flat & near, Outcome.COST, now)
    now = xp.where(at.small & near, Outcome.STEP, now)
    done = steepest <= tests.gtol
    if moved is not None:
        done = done & ~(moved & (now > Outcome.RUNNING))
    return xp.where(done, Outcome.GRADIENT, now)


def _damped(
    xp: Any, good: Any, first: Any, ratio: Any, damping: Any, growth: Any
) -> tuple[Any, Any]:
    """Nielsen's damping: after a good step down to a third, after bad ones up by 2, 4, 8 ..."""
    q = 2 * ratio - 1
    less = xp.where(first, 1.0, xp.maximum(1 - q * q * q, 1 / 3))
    least = 1e4 * float(xp.finfo(damping.dtype).smallest_normal)
    damping = xp.maximum(damping * xp.where(good, less, growth), least)
    return damping, xp.where(good, 2.0, 2 * growth)


def _damping_for(xp: Any, length: Any, damping: Any, here: _Here) -> Any:
    """Return the damping for a step of about a given length, by one Newton step from below.

    Moré, section 5, after M. D. Hebden. If damping is far below the eigenvalues, doubling it
    doesn't change the step.
    """
    move = _move(xp, damping, here)
    scaled = here.scale * here.scale * move
    pull = _move(xp, damping, here._replace(gradient=-scaled))
    squares = xp.sum(scaled * move, axis=0)
    return damping + squares / xp.sum(scaled * pull, axis=0) * (xp.sqrt(squares) / length - 1)


def _ended(xp: Any, status: Any, now: Any, nfev: Any, tests: Limits) -> Any:
    """Return the next status: finished problems keep theirs; a limit ends others."""
    now = xp.where((now == Outcome.RUNNING) & (nfev >= tests.max_nfev), Outcome.LIMIT, now)
    return xp.where(status == Outcome.RUNNING, now, status)


def _length(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.sum(v * v, axis=0))


def _followed(xp: Any, norms: Any, scale: Any) -> Any:
    """Return the scale after a good step: that of the columns, but at least this one."""
    followed = xp.maximum(scale, norms)
    return xp.where(followed > 0, followed, 1.0)


def _held(problem: Problem, x: Any, gradient: Any) -> Any:
    """Return a mask of parameters that are at a bound and would leave it."""
    if problem.low is None:
        return None
    return ((x <= problem.low) & (gradient >= 0)) | ((x >= problem.high) & (gradient <= 0))


def _aimed(xp: Any, move_from: Callable[[_Here], Any], here: _Here) -> tuple[Any, Any]:
    """The step in units of the problem, and where it leads."""
    problem, x, held = here.problem, here.x, here.held
    move = move_from(here)
    aim = x + move * problem.unit
    if problem.low is None:
        return move, aim
    # What would leave the bounds goes to them, and the others' step takes account of that.
    over = (aim < problem.low) | (aim > problem.high)
    inside = xp.clip(aim, problem.low, problem.high)
    to_bound = xp.where(over, (inside - x) / problem.unit, 0.0)
    pull = here.gradient + xp.sum(here.normal * to_bound, axis=1)
    rest = move_from(here._replace(gradient=pull, held=held | over))
    aim = xp.where(over, inside, xp.clip(x + rest * problem.unit, problem.low, problem.high))
    return (aim - x) / problem.unit, aim


def _move(xp: Any, damping: Any, here: _Here) -> Any:
    """The damped step, of the variables that aren't held."""
    slope, normal = here.gradient, here.normal
    if here.held is not None:
        slope, normal = _without(xp, here.held, slope, normal)
    found = solved(normal, damping * here.scale * here.scale, -slope)
    return xp.where(xp.isfinite(found), found, 0.0)


def _without(xp: Any, held: Any, slope: Any, normal: Any) -> tuple[Any, Any]:
    """Return gradient and normal matrix for which variables stay."""
    slope = xp.where(held, 0.0, slope)
    eye = xp.eye(slope.shape[0], dtype=slope.dtype, device=device(slope))
    return slope, xp.where(held[:, None, :] | held[None, :, :], eye[:, :, None], normal)
