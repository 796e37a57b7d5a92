"""Minimisation by line searches, for BFGS, L-BFGS-B and conjugate gradients.

The body of the loop evaluates the function once, at the current step of each problem. If a
problem's line search ends there, it takes the step, updates its memory, and begins a new search;
the others continue. If a search fails, the problem restarts with steepest descent, and ends if that
fails as well.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes
from .._steps._line_search import Search, Told, advance, begin, longest
from ._method import Found, Rows, inside, largest
from ._objective import Objective

__all__ = ["Descent", "Ends", "descend"]


class Descent(NamedTuple):
    """Define a method's memory, its update, and its choice of direction."""

    begin: Callable[[Any], Any]  # of x; memory without knowledge
    learn: Callable[[Any, Any, Any, Any, Any], Any]  # of memory, direction, steps s, y, gradient
    direction: Callable[[Any, Rows, Any, Any], Any] | None  # of memory, problems, x, gradient
    c1: float
    c2: float
    step: Callable[[Any, Any, Any], Any] | None = None  # of last step and slope, slope; None: 1
    result: Callable[[Any], Any] = lambda memory: None  # what is told of memory at the end
    solve: Callable[[Rows, Any, Any, Any], tuple[Any, Any]] | None = None
    """In place of `direction`: of problems, x, gradient and a mask of the problems that need a
    direction; also returns how many products with the Hessian it took."""


class Ends(NamedTuple):
    """Hold the criteria by which a problem ends."""

    gtol: float
    maxiter: int
    norm: float = float("inf")
    ftol: float | None = None
    xrtol: float = 0.0
    xtol: float | None = None  # of the mean size of a step's elements
    maxfun: int | None = None
    maxls: int = 40


class _State(NamedTuple):
    x: Any
    f: Any
    g: Any
    d: Any
    search: Search
    x_low: Any  # the best point of the search, in full
    g_low: Any
    memory: Any
    fresh: Any  # whether memory has no knowledge
    status: Any
    nit: Any
    nfev: Any
    njev: Any


class _Point(NamedTuple):
    """Hold the point of a problem after an evaluation."""

    x: Any
    f: Any
    g: Any
    length: Any  # of the step that led here
    taken: Any  # whether it is a new point
    failed: Any  # whether the search has ended with nothing
    endless: Any
    usable: Any


def descend(objective: Objective, descent: Descent, ends: Ends) -> Method:
    """Return the steps within the problems' bounds, for the driver."""

    def step(problems: Rows, s: _State) -> _State:
        return _step(objective, descent, ends, problems, s)

    return Method(lambda problems: _start(descent, problems.x0), step, lambda s: _end(descent, s))


def _start(descent: Descent, x0: Any) -> _State:
    xp = array_namespace(x0)
    nothing = xp.zeros_like(x0[:, 0])
    zero, zeros = xp.zeros_like(nothing, dtype=xp.int32), xp.zeros_like(x0)
    # The first evaluation is the loop's, too, so that there is one to compile.
    search = begin(xp, nothing, nothing, nothing, nothing)
    memory, yes = descent.begin(x0), nothing == 0
    return _State(
        x0,
        nothing,
        zeros,
        zeros,
        search,
        x0,
        zeros,
        memory,
        yes,
        zero + Outcome.RUNNING,
        zero,
        zero,
        zero,
    )


def _end(descent: Descent, s: _State) -> Found:
    xp = array_namespace(s.x)
    lost = (s.status == Outcome.NOT_FINITE)[:, None]
    g = xp.where(lost, xp.full_like(s.g, xp.nan), s.g)
    return Found(s.x, s.f, g, s.status, s.nit, s.nfev, s.njev, descent.result(s.memory))


def _step(objective: Objective, descent: Descent, ends: Ends, problems: Rows, s: _State) -> _State:
    xp = array_namespace(s.x)
    x1 = inside(s.x + s.search.step[:, None] * s.d, problems, xp)
    f1, g1 = objective.value_and_gradient(x1, problems.lower, problems.upper)
    usable = xp.isfinite(f1) & xp.all(xp.isfinite(g1), axis=1)
    slope = xp.sum(xp.where(usable[:, None], g1, xp.zeros_like(g1)) * s.d, axis=1)
    search, told = advance(xp, s.search, f1, slope, usable, descent.c1, descent.c2, ends.maxls)
    x_low = xp.where(told.lower[:, None], x1, s.x_low)
    g_low = xp.where(told.lower[:, None], g1, s.g_low)
    point = _reached(xp, s, (x1, f1, g1), (x_low, search.f_low, g_low), search, told, usable)

    first = s.nfev == 0
    moved = point.taken & ~first
    again = point.failed & ~s.fresh
    learnt = descent.learn(s.memory, s.d, point.x - s.x, point.g - s.g, point.g)
    memory = _where(xp, moved, learnt, s.memory)
    memory = _where(xp, again, descent.begin(point.x), memory)
    fresh = (s.fresh & ~moved) | again
    nit, nfev = xp.where(moved, s.nit + 1, s.nit), s.nfev + 1
    renewed = point.taken | again
    status = _judged(xp, objective, ends, problems, s, point, nit, nfev)
    wanted = renewed & (status == Outcome.RUNNING)
    choice = _choose(xp, descent, problems, memory, fresh, point, s.search.slope0, wanted, again)
    d, new, memory, fresh, count = choice
    row = renewed[:, None]
    return _State(
        point.x,
        point.f,
        point.g,
        xp.where(row, d, s.d),
        _where(xp, renewed, new, search),
        xp.where(row, point.x, x_low),
        xp.where(row, point.g, g_low),
        _where(xp, renewed, memory, s.memory),
        xp.where(renewed, fresh, s.fresh),
        status,
        nit,
        nfev,
        s.njev + 1 + count,
    )


def _reached(
    xp: Any,
    s: _State,
    here: tuple[Any, Any, Any],
    low: tuple[Any, Any, Any],
    search: Search,
    told: Told,
    usable: Any,
) -> _Point:
    """Return the current, the search's lowest, or the previous point, with its values."""
    first = s.nfev == 0
    (x1, f1, g1), (x_low, f_low, g_low) = here, low
    # A value of minus infinity is the least there can be: what was lower on the way there is kept.
    fallen = (f1 == -xp.inf) & ~first
    good = (told.good & ~fallen) | first
    taken = good | told.best | (fallen & (f_low < search.f0))
    wide = good[:, None]
    x = xp.where(taken[:, None], xp.where(wide, x1, x_low), s.x)
    f = xp.where(taken, xp.where(good, f1, f_low), s.f)
    g = xp.where((taken & (usable | ~first))[:, None], xp.where(wide, g1, g_low), s.g)
    length = xp.where(good, s.search.step, search.low)
    # A good step as far as any search goes isn't the way to a minimum (in single precision).
    far = good & (s.search.step >= longest(xp, x))
    endless = (told.endless | fallen | far) & ~first
    return _Point(x, f, g, length, taken, told.failed & ~first, endless, usable)


def _judged(
    xp: Any,
    objective: Objective,
    ends: Ends,
    problems: Rows,
    s: _State,
    point: _Point,
    nit: Any,
    nfev: Any,
) -> Any:
    """Return the status of the problems."""
    first = s.nfev == 0
    x, f, g = point.x, point.f, point.g
    over = nit >= ends.maxiter
    if ends.maxfun is not None:
        over = over | (nfev * objective.cost(int(x.shape[1])) >= ends.maxfun)
    done = largest(x, g, problems, ends.norm, xp) <= ends.gtol
    if ends.ftol is not None:
        top = xp.maximum(xp.maximum(xp.abs(f), xp.abs(s.f)), xp.ones_like(f))
        done = done | (~first & ~point.endless & (s.f - f <= ends.ftol * top))
    if ends.xrtol:
        length = largest(x, x - s.x, problems._replace(lower=None), ends.norm, xp)
        size = largest(x, x, problems._replace(lower=None), ends.norm, xp)
        done = done | (~first & (length <= ends.xrtol * (ends.xrtol + size)))
    if ends.xtol is not None:
        moved = xp.sum(xp.abs(x - s.x), axis=1) <= int(x.shape[1]) * ends.xtol
        done = done | (~first & ~point.endless & moved)
    lost = first & ~point.usable
    return outcomes(
        f,
        (over, Outcome.LIMIT),
        (point.failed & s.fresh, Outcome.PRECISION),
        (point.endless, Outcome.UNBOUNDED),
        (point.taken & done, Outcome.CONVERGED),
        (lost, Outcome.NOT_FINITE),
    )


def _choose(
    xp: Any,
    descent: Descent,
    problems: Rows,
    memory: Any,
    fresh: Any,
    point: _Point,
    last_slope: Any,
    wanted: Any,
    again: Any,
) -> tuple[Any, Search, Any, Any, Any]:
    """Choose directions and begin searches; drop the memory where a direction goes uphill."""
    x, g = point.x, point.g
    count: Any = 0
    if descent.solve is not None:
        d, count = descent.solve(problems, x, g, wanted & ~again)
        d = xp.where(again[:, None], xp.zeros_like(d), d)
        fresh = again
    elif descent.direction is not None:
        d = descent.direction(memory, problems, x, g)
    slope = xp.sum(g * d, axis=1)
    down = xp.all(xp.isfinite(d), axis=1) & (slope < 0)
    memory = _where(xp, down, memory, descent.begin(x))
    fresh = fresh | ~down
    steepest = inside(x - g, problems, xp) - x
    d = xp.where(down[:, None], d, steepest)
    slope = xp.sum(g * d, axis=1)
    norm = xp.sqrt(xp.sum(d * d, axis=1))
    one = xp.ones_like(norm)
    short = xp.minimum(one, 1 / xp.where(norm > 0, norm, one))
    usual = one if descent.step is None else descent.step(point.length, last_slope, slope)
    first = xp.where(fresh, short, usual)
    search = begin(xp, first, point.f, slope, _room(xp, x, d, problems))
    return d, search, memory, fresh, count


def _room(xp: Any, x: Any, d: Any, problems: Rows) -> Any:
    """The longest steps along `d` that stay within the bounds."""
    far = longest(xp, x)
    if problems.lower is None:
        return xp.full_like(x[:, 0], far)
    room = xp.where(d > 0, problems.upper - x, problems.lower - x)
    steps = xp.where(d == 0, xp.full_like(x, far), room / xp.where(d == 0, xp.ones_like(d), d))
    return xp.clip(xp.min(steps, axis=1), 0.0, far)


def _where(xp: Any, mask: Any, new: Any, old: Any) -> Any:
    """Take of each array in two tuples the rows of one or the other."""
    return type(old)(
        *(
            xp.where(xp.reshape(mask, (-1,) + (1,) * (b.ndim - 1)), a, b)
            for a, b in zip(new, old, strict=True)
        )
    )
