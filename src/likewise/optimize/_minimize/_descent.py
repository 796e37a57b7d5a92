"""Minimisation along directions of descent: what BFGS, L-BFGS-B and conjugate gradients share.

The loop evaluates the function once in its body, at each problem's own step. A problem whose search
ends there takes the step, learns from it, and begins a new search; the others search on. One whose
search fails starts afresh from the direction of steepest descent, and ends if that fails as well.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from .._steps._line_search import Search, advance, begin
from ._objective import Objective
from ._rounds import RUNNING, rounds

__all__ = [
    "CONVERGED",
    "MAXITER",
    "NOT_FINITE",
    "PRECISION",
    "UNBOUNDED",
    "Found",
    "Method",
    "descend",
]

CONVERGED, MAXITER, PRECISION, NOT_FINITE, UNBOUNDED = 0, 1, 2, 3, 4


class Found(NamedTuple):
    """Tells how each problem ended."""

    x: Any  # (B, p)
    f: Any  # (B,)
    g: Any  # (B, p)
    status: Any
    nit: Any
    nfev: Any
    njev: Any
    extra: Any  # the method's own


class Method(NamedTuple):
    """Knows how to remember, learn, and choose a direction."""

    begin: Callable[[Any], Any]  # of x; memory without knowledge
    learn: Callable[[Any, Any, Any, Any, Any], Any]  # of memory, direction, steps s, y, gradient
    direction: Callable[[Any, Any, Any], Any]  # of memory, x, gradient
    step: Callable[[Any, Any, Any], Any] | None  # of last step, last slope, slope; None: 1
    c1: float
    c2: float


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


def descend(
    objective: Objective,
    choose: Callable[[Objective], Method],
    x0: Any,
    gtol: float,
    ftol: float | None,
    maxiter: int,
    maxfun: int | None = None,
) -> Found:
    """Minimise from `x0` (B, p), within the objective's bounds."""
    xp = array_namespace(x0)
    nothing = xp.zeros_like(x0[:, 0])
    zero = xp.zeros_like(nothing, dtype=xp.int32)
    zeros, yes = xp.zeros_like(x0), nothing == 0
    # The first evaluation is the loop's, too, so that there is one to compile.
    start = _State(
        x0,
        nothing,
        zeros,
        zeros,
        begin(xp, nothing, nothing, nothing, nothing),
        x0,
        zeros,
        choose(objective).begin(x0),
        yes,
        zero + RUNNING,
        zero,
        zero,
    )

    def make(objective: Objective) -> Callable[[_State], _State]:
        method = choose(objective)
        lower, upper = objective.lower, objective.upper

        def body(state: _State) -> _State:
            return _step(xp, objective, method, state, lower, upper, gtol, ftol, maxiter, maxfun)

        return body

    end = rounds(objective, start, make)
    g = xp.where((end.status == NOT_FINITE)[:, None], xp.full_like(end.g, xp.nan), end.g)
    return Found(end.x, end.f, g, end.status, end.nit, end.nfev, end.nfev, end.memory)


def _step(
    xp: Any,
    objective: Objective,
    method: Method,
    state: _State,
    lower: Any,
    upper: Any,
    gtol: float,
    ftol: float | None,
    maxiter: int,
    maxfun: int | None,
) -> _State:
    running = state.status == RUNNING
    x1 = _inside(xp, state.x + state.search.step[:, None] * state.d, lower, upper)
    f1, g1 = objective.value_and_gradient(x1)
    usable = _finite(xp, f1, g1)
    slope = xp.sum(xp.where(usable[:, None], g1, xp.zeros_like(g1)) * state.d, axis=1)
    search, told = advance(xp, state.search, f1, slope, usable, method.c1, method.c2)
    x_low = xp.where(told.lower[:, None], x1, state.x_low)
    g_low = xp.where(told.lower[:, None], g1, state.g_low)
    f_low = search.f_low

    starts = state.nfev == 0
    good = told.good | starts
    failed = running & told.failed & ~starts
    taken = running & (good | told.best)
    x = xp.where(good[:, None], x1, x_low)
    x = xp.where(taken[:, None], x, state.x)
    f = xp.where(taken, xp.where(good, f1, f_low), state.f)
    g = xp.where(good[:, None], g1, g_low)
    g = xp.where((taken & (usable | ~starts))[:, None], g, state.g)
    length = xp.where(good, state.search.step, search.low)

    learnt = method.learn(state.memory, state.d, x - state.x, g - state.g, g)
    again = failed & ~state.fresh
    memory = _where(xp, taken & ~starts, learnt, state.memory)
    memory = _where(xp, again, method.begin(x), memory)
    fresh = xp.where(taken & ~starts, xp.zeros_like(taken), state.fresh | again)
    d, new, memory, fresh = _choose(
        xp, method, memory, fresh, x, f, g, lower, upper, length, state.search.slope0
    )
    renewed = taken | again

    nit = xp.where(taken & ~starts, state.nit + 1, state.nit)
    nfev = xp.where(running, state.nfev + 1, state.nfev)
    status = state.status
    status = xp.where(failed & state.fresh, xp.full_like(status, PRECISION), status)
    status = xp.where(running & starts & ~usable, xp.full_like(status, NOT_FINITE), status)
    endless = running & told.endless & ~starts
    status = xp.where(endless, xp.full_like(status, UNBOUNDED), status)
    over = nit >= maxiter
    if maxfun is not None:
        over = over | (nfev * objective.cost(int(x.shape[1])) >= maxfun)
    status = xp.where((status == RUNNING) & over, xp.full_like(status, MAXITER), status)
    done = _largest(xp, x, g, lower, upper) <= gtol
    if ftol is not None:
        top = xp.maximum(xp.maximum(xp.abs(f), xp.abs(state.f)), xp.ones_like(f))
        done = done | (~starts & (state.f - f <= ftol * top))
    done = taken & done & (status != NOT_FINITE)
    status = xp.where(done, xp.full_like(status, CONVERGED), status)
    return _State(
        x,
        f,
        g,
        xp.where(renewed[:, None], d, state.d),
        _where(xp, renewed, new, _where(xp, running, search, state.search)),
        xp.where((renewed | ~running)[:, None], x, x_low),
        xp.where((renewed | ~running)[:, None], g, g_low),
        _where(xp, renewed, memory, state.memory),
        xp.where(renewed, fresh, state.fresh),
        status,
        nit,
        nfev,
    )


def _choose(
    xp: Any,
    method: Method,
    memory: Any,
    fresh: Any,
    x: Any,
    f: Any,
    g: Any,
    lower: Any,
    upper: Any,
    last_step: Any,
    last_slope: Any,
) -> tuple[Any, Search, Any, Any]:
    """Directions, and searches along them; without memory where it leads upwards."""
    d = method.direction(memory, x, g)
    slope = xp.sum(g * d, axis=1)
    down = xp.all(xp.isfinite(d), axis=1) & (slope < 0)
    memory = _where(xp, down, memory, method.begin(x))
    fresh = fresh | ~down
    steepest = _inside(xp, x - g, lower, upper) - x
    d = xp.where(down[:, None], d, steepest)
    slope = xp.sum(g * d, axis=1)
    norm = xp.sqrt(xp.sum(d * d, axis=1))
    one = xp.ones_like(norm)
    short = xp.minimum(one, 1 / xp.where(norm > 0, norm, one))
    usual = one if method.step is None else method.step(last_step, last_slope, slope)
    search = begin(xp, xp.where(fresh, short, usual), f, slope, _room(xp, x, d, lower, upper))
    return d, search, memory, fresh


def _room(xp: Any, x: Any, d: Any, lower: Any, upper: Any) -> Any:
    """The longest steps along `d` that stay within the bounds."""
    far = float(xp.finfo(x.dtype).max) ** 0.5
    if lower is None:
        return xp.full_like(x[:, 0], far)
    room = xp.where(d > 0, upper - x, lower - x)
    steps = xp.where(d == 0, xp.full_like(x, far), room / xp.where(d == 0, xp.ones_like(d), d))
    return xp.clip(xp.min(steps, axis=1), 0.0, far)


def _inside(xp: Any, x: Any, lower: Any, upper: Any) -> Any:
    return x if lower is None else xp.minimum(xp.maximum(x, lower), upper)


def _largest(xp: Any, x: Any, g: Any, lower: Any, upper: Any) -> Any:
    """The largest element of the gradient, projected where it points out of the bounds."""
    if lower is not None:
        g = x - _inside(xp, x - g, lower, upper)
    return xp.max(xp.abs(g), axis=1)


def _finite(xp: Any, f: Any, g: Any) -> Any:
    return xp.isfinite(f) & xp.all(xp.isfinite(g), axis=1)


def _where(xp: Any, mask: Any, new: Any, old: Any) -> Any:
    """Take of each array in two tuples the rows of one or the other."""
    return type(old)(
        *(
            xp.where(xp.reshape(mask, (-1,) + (1,) * (b.ndim - 1)), a, b)
            for a, b in zip(new, old, strict=True)
        )
    )
