"""Restarts of fits that have ended at a point that may not be a minimum.

The first case: the data don't determine a parameter at the end, so it may be a saddle point.

An example is a sum of two exponentials whose rates have become equal: the gradient is 0, the
Jacobian is singular, but the sum of squares falls if the rates separate. The null space of the
Jacobian gives the direction: points along it are evaluated, near and far. A parameter without
effect may have moved to a value from which the sum of squares can't fall (two exponentials whose
fractions are not between 0 and 1). So the same is done from the point nearest to the start that is
as good. The steps restart from the lowest of all these points.

The second case: no step lowers the sum of squares, though its gradient isn't 0. The point is a
minimum within rounding if neither these points nor new steps are lower, and if the gradient is so
small that changing all parameters by their own size would hardly change the sum of squares.
Examples are a rate that has gone to infinity, or data that the model can't reach, so that its
derivative is 0.
"""

from typing import Any

from ..._namespace import array_namespace, device
from ...solving._outcome import Outcome
from .._steps._marquardt import Limits, Problem, State, fresh, relative, settled, step
from .._steps._normal_equations import solved

__all__ = ["onward"]

_FLAT = 1e-6  # relative change of the cost: below it a parameter has no effect
_STEPS = (0.5, -0.5, 0.1, -0.1, 0.02, -0.02)  # relative changes of parameters


def onward(
    problem: Problem,
    begin: Any,
    origin: Any,
    free: Any,
    stalled: Any,
    state: State,
    tests: Limits,
) -> State:
    """Make one evaluation: of a point around `begin`, or of a step from the best of these points.

    `begin`, where a fit has ended, `origin`, where it started, and `free`, 0 for fixed parameters,
    are (p, B). `stalled`, (B,), says that the fit failed; then the steps restart even if no point
    is lower.
    """
    xp = array_namespace(begin)
    found = problem.normal(state.aim)
    last = _count(begin.shape[0])
    search = _searched(xp, problem, begin, origin, free, state, found)
    walk = step(
        problem._replace(normal=lambda _: found),
        state,
        tests._replace(max_nfev=tests.max_nfev + last + 1),
        hand_over=False,
    )
    walk = walk._replace(status=settled(problem, walk))
    lower = xp.any(search.x != begin, axis=0)
    verdict = xp.where(stalled, xp.full_like(state.status, Outcome.STALLED), Outcome.STEP)
    verdict = settled(problem, search._replace(status=verdict))
    on = lower | (verdict == Outcome.STALLED)
    anew = fresh(search.x)
    anew = anew._replace(
        cost=xp.where(on, anew.cost, search.cost),
        normal=search.normal,
        status=xp.where(on, anew.status, verdict),
        nfev=search.nfev,
    )
    runs, searching, ended = state.status == Outcome.RUNNING, state.nfev < last, state.nfev == last
    fields = zip(state, search, anew, walk, strict=True)
    return State(
        *(xp.where(runs, xp.where(searching, b, xp.where(ended, c, d)), a) for a, b, c, d in fields)
    )


def _count(p: int) -> int:
    """Return the number of points, without the first, for p parameters."""
    return p * (2 * len(_STEPS) + 1)


def _searched(
    xp: Any, problem: Problem, begin: Any, origin: Any, free: Any, state: State, found: Any
) -> State:
    """Update the lowest point, the equally good point nearest to the start, and the next point.

    Points in order: the end; steps along its null space; one parameter after another moved back to
    the start; steps around the resulting point. In the state, `move` and `gain` are the centre of
    the steps and its cost; `normal` is its normal matrix.
    """
    cost, gradient, normal = found
    p = begin.shape[0]
    about = p * len(_STEPS)  # points about one
    eps = float(xp.finfo(begin.dtype).eps)
    k = state.nfev
    first = k == 0
    lower = first | (cost < (1 - eps**0.5) * state.cost)
    back = first | ((k > about) & (k <= about + p) & (cost <= (1 + _FLAT) * state.gain))
    base, level = xp.where(back, state.aim, state.move), xp.where(back, cost, state.gain)
    normal = xp.where(back, normal, state.normal)

    size = xp.abs(base) / problem.unit
    size = xp.where(size > eps**0.5, size, xp.ones_like(size))
    squares = relative(normal, size)
    size = size * problem.unit
    returning = (k >= about) & (k < about + p)
    place = xp.where(k < about, k, k - about - p)
    j = xp.where(returning, k - about, place // len(_STEPS))
    axes = xp.arange(p, dtype=k.dtype, device=device(k))[:, None]
    way = xp.astype(axes == j, begin.dtype)
    damping = xp.full_like(begin, eps**0.5)
    for _ in range(2):  # onto the null space; once leaves some of what is nearly in it
        way = damping * solved(squares, damping, way * free)
    way = way * free
    longest = xp.max(xp.abs(way), axis=0)
    way = way / xp.where(longest > 0, longest, xp.ones_like(longest))
    length = xp.zeros_like(cost)
    for i, t in enumerate(_STEPS):
        length = xp.where(place % len(_STEPS) == i, t, length)
    norm = xp.sum(way * way, axis=0)
    home = xp.sum((origin - base) / size * way, axis=0) / xp.where(norm > 0, norm, 1.0)
    aim = base + xp.where(returning, home, length) * way * size
    if problem.low is not None:
        aim = xp.clip(aim, problem.low, problem.high)
    return state._replace(
        x=xp.where(lower, state.aim, state.x),
        aim=xp.where(xp.isfinite(aim), aim, base),
        cost=xp.where(lower, cost, state.cost),
        gradient=xp.where(lower, gradient, state.gradient),
        move=base,
        gain=level,
        normal=normal,
        nfev=k + 1,
    )
