"""Linear least squares within bounds by products with the matrix alone, many problems at once.

J. J. Moré, G. Toraldo, On the solution of large quadratic programming problems with bound
constraints, SIAM J. Optim. 1(1), 1991: a step along the projected gradient finds which unknowns are
on their bounds, and LSMR the minimum over the others, towards which a projected search goes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from ...sparse.linalg._bidiagonal import judged, lsmr_steps
from ...sparse.linalg._steps import dot, norm, over, times

__all__ = ["Found", "projected_lstsq"]

Map = Callable[[Any], Any]
_ROUGH = 1e-3  # the tolerance of minima while the unknowns on bounds still change
_DECREASE = 1e-2  # of what the slope promises
_HALVINGS = 40


class Found(NamedTuple):
    """Hold the solutions; also the state of the iteration."""

    x: Any  # (B, n)
    place: Any  # (B, n): -1, 0, 1, at the lower bound, free, at the upper
    gradient: Any  # (B, n)
    residual: Any  # (B, m): b - A x
    size: Any  # (B,): LSMR's estimate of A's norm
    settled: Any  # (B,): whether no unknown has come to a bound, or left one
    nit: Any  # (B,)
    status: Any  # (B,)


class _Setting(NamedTuple):
    forward: Map  # (B, n) -> (B, m)
    backward: Map
    b: Any
    lower: Any
    upper: Any
    tol: float
    steps: int


def projected_lstsq(
    forward: Map,
    backward: Map,
    b: Any,
    lower: Any,
    upper: Any,
    tol: float,
    most: int,
    steps: int,
) -> Found:
    """Minimise ``|A x - b|`` within the bounds, from the unbounded solution of least norm.

    A problem has converged if the gradient, apart from what points out of the bounds, is within
    `tol` of the norms of A and the residual, or the residual of those of A and x, and b. LSMR takes
    at most `steps` in each of `most` steps.
    """
    xp = array_namespace(b)
    task = _Setting(forward, backward, b, lower, upper, tol, steps)
    none = b[:, 0] * 0
    zero = xp.zeros_like(lower)
    x, size = _minimum(task, b, zero == 0, none + tol)
    inside = xp.clip(x, lower, upper)
    start = _at(task, inside, size, zero == 0, xp.zeros_like(none, dtype=xp.int32))
    return iterate(Method(lambda _: start, lambda _, s: _step(task, s)), (), most, joint=True)


def _minimum(task: _Setting, right: Any, free: Any, tol: Any) -> tuple[Any, Any]:
    """Return the least of ``|A p - right|`` over the free unknowns, and the norm of A."""
    xp = array_namespace(right)

    def masked(v: Any) -> Any:
        return xp.where(free, v, xp.zeros_like(v))

    test = judged(0.1 * tol, 0.1 * tol, 0.0, "normr")
    method = lsmr_steps(
        lambda v: task.forward(masked(v)), lambda u: masked(task.backward(u)), right, None, right,
        0.0, test,
    )  # fmt: skip
    end = iterate(method, (), task.steps, joint=True)
    return end.x, end.norma


def _at(task: _Setting, x: Any, size: Any, before: Any, nit: Any) -> Found:
    """Return the state at a point, judged. `before` tells which unknowns were free."""
    xp = array_namespace(x)
    r = task.b - task.forward(x)
    w = task.backward(r)
    low, high = (x <= task.lower) & (w <= 0), (x >= task.upper) & (w >= 0)
    free = ~(low | high)
    level = norm(xp.where(free, w, xp.zeros_like(w)))
    left = norm(r)
    good = (level <= task.tol * size * left) | (left <= task.tol * (norm(task.b) + size * norm(x)))
    zero = xp.zeros_like(x, dtype=xp.int32)
    place = xp.where(low, zero - 1, xp.where(high, zero + 1, zero))
    settled = xp.all(free == before, axis=1)
    known = xp.isfinite(level) & xp.isfinite(left)
    code = outcomes(
        level,
        (good, Outcome.CONVERGED),
        (good & xp.all(place == 0, axis=1), Outcome.INTERIOR),
        (~known, Outcome.NOT_FINITE),
    )
    return Found(x, place, -w, r, size, settled, nit, code)


def _step(task: _Setting, s: Found) -> Found:
    xp = array_namespace(s.x)
    free = s.place == 0
    way = xp.where(free, -s.gradient, xp.zeros_like(s.x))
    along = task.forward(way)
    # The step along the gradient to its least; where nothing changes any more it is of no use.
    share = over(dot(way, way), dot(along, along))
    x, r = _searched(task, s.x, s.residual, -s.gradient, times(share, way))
    # Over what is inside now.
    inside = (x > task.lower) & (x < task.upper)
    tol = xp.where(s.settled, xp.full_like(s.size, task.tol), xp.full_like(s.size, _ROUGH))
    p, size = _minimum(task, r, inside, xp.maximum(tol, xp.full_like(tol, task.tol)))
    x, r = _searched(task, x, r, xp.where(inside, task.backward(r), xp.zeros_like(x)), p)
    new = _at(task, x, xp.maximum(s.size, size), free, s.nit + 1)
    still = (new.status == 0) & xp.all(x == s.x, axis=1) & s.settled
    return new._replace(
        status=xp.where(still, xp.full_like(new.status, Outcome.STALLED), new.status)
    )


class _Search(NamedTuple):
    x: Any
    r: Any
    share: Any
    status: Any


def _searched(task: _Setting, x: Any, r: Any, descent: Any, way: Any) -> tuple[Any, Any]:
    """Halve a step, bent along the bounds, until the sum of squares falls as its slope says."""
    xp = array_namespace(x)

    def tried(share: Any) -> _Search:
        new = xp.clip(x + times(share, way), task.lower, task.upper)
        change = task.forward(new - x)
        fall = dot(change, 2 * r - change)  # of the sum of squares
        good = fall >= _DECREASE * dot(descent, new - x)
        good = good & (fall >= 0)
        return _Search(new, r - change, share, outcomes(fall, (good, Outcome.CONVERGED)))

    def step(_: Any, s: _Search) -> _Search:
        return tried(0.5 * s.share)

    first = tried(xp.ones_like(x[:, 0]))
    end = iterate(Method(lambda _: first, step), (), _HALVINGS, joint=True)
    found = (end.status == Outcome.CONVERGED)[:, None]
    return xp.where(found, end.x, x), xp.where(found, end.r, r)
