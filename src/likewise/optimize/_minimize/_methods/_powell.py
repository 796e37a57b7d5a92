"""Powell's method of conjugate directions, without derivatives.

M. J. D. Powell, An efficient method for finding the minimum of a function of several variables
without calculating derivatives, Computer Journal 7, 1964, with the rule of W. H. Press et al.,
Numerical Recipes, 3rd ed., section 10.7, for the direction that a new one replaces.

A step of the loop is a search along one direction of each problem.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....solving._driver import Method
from ....solving._outcome import Outcome, outcomes
from ..._steps._line_minimum import Line, line_minimum
from .._method import Each, Found, Row, Rows, inside
from .._objective import Objective

__all__ = ["METHOD"]


class _State(NamedTuple):
    x: Any
    f: Any
    directions: Any  # (B, p, p)
    number: Any  # (B,), which direction is next; p is that of the whole round
    x1: Any  # the point that the round's direction begins at
    f1: Any  # the value at the round's start
    fall: Any  # the largest of the round
    best: Any  # the direction of that
    edge: Any  # whether some line ended next to what isn't finite
    status: Any
    nit: Any
    nfev: Any


def _powell(objective: Objective, xtol: float, ftol: float, maxiter: int, maxfev: int) -> Method:
    def start(problems: Rows) -> _State:
        return _start(objective, problems)

    def step(problems: Rows, s: _State) -> _State:
        moved, along, lower = _searched(objective, xtol, problems, s)
        return _turned(problems, s, moved, along, lower, ftol, maxiter, maxfev)

    return Method(start, step, _end)


def _start(objective: Objective, problems: Rows) -> _State:
    x = problems.x0
    f = objective.value(x)
    xp = array_namespace(f)
    directions = problems.simplex
    if directions is None:
        eye = xp.eye(x.shape[1], dtype=x.dtype, device=device(x))
        directions = xp.zeros_like(x)[:, :, None] + eye
    zero = xp.zeros_like(f, dtype=xp.int32)
    lost = xp.isnan(f) | ~xp.all(xp.isfinite(x), axis=1)
    status = outcomes(f, (lost, Outcome.NOT_FINITE), (f == -xp.inf, Outcome.UNBOUNDED))
    return _State(
        x, f, directions, zero, x, f, xp.zeros_like(f), zero, lost, status, zero, zero + 1
    )


def _end(s: _State) -> Found:
    xp = array_namespace(s.x)
    return Found(s.x, s.f, None, s.status, s.nit, s.nfev, xp.zeros_like(s.nit), None)


def _searched(
    objective: Objective, xtol: float, problems: Rows, s: _State
) -> tuple[_State, Any, Any]:
    """Search along the next direction; also return the step, and the direction's number as mask."""
    xp = array_namespace(s.x)
    p = int(s.x.shape[1])
    numbers = xp.arange(p, dtype=xp.int32, device=device(s.x))
    here = numbers == s.number[:, None]
    along = xp.sum(xp.where(here[:, :, None], s.directions, xp.zeros_like(s.directions)), axis=1)
    whole = s.number == p
    along = xp.where(whole[:, None], s.x - s.x1, along)
    low, high = _room(xp, s.x, along, problems)
    f1, f, fall = s.f1, s.f, s.fall

    def worth(g: Any) -> Any:
        """Tell if the round's direction is one to go on along, by the value beyond its end."""
        test = 2 * (f1 + g - 2 * f) * (f1 - f - fall) ** 2 - fall * (f1 - g) ** 2
        return (f1 > g) & (test < 0)

    def value(t: Any) -> Any:
        return objective.value(inside(s.x + t[:, None] * along, problems, xp))

    wanted = xp.any(along != 0, axis=1) & (s.status == Outcome.RUNNING)
    line = Line(s.f, low, high, wanted, worth, whole)
    t, g, count, edge = line_minimum(value, line, 100 * xtol, xtol)
    x = inside(s.x + t[:, None] * along, problems, xp)
    moved = s._replace(x=x, f=g, edge=s.edge | edge, nfev=s.nfev + count)
    return moved, t[:, None] * along, here


def _turned(problems: Rows, s: _State, moved: _State, along: Any, here: Any, *ends: Any) -> _State:
    """Go on to the next direction, or round."""
    xp = array_namespace(s.x)
    ftol, maxiter, maxfev = ends
    p = int(s.x.shape[1])
    whole, last = s.number == p, s.number == p - 1
    x, f, nfev = moved.x, moved.f, moved.nfev
    larger = ~whole & (s.f - f > s.fall)
    fall = xp.where(larger, s.f - f, s.fall)
    best = xp.where(larger, s.number, s.best)
    nit = xp.where(last, s.nit + 1, s.nit)

    # The round's direction is the last, and what was the last takes the place of the best one.
    numbers = xp.arange(p, dtype=xp.int32, device=device(x))
    fresh = (whole & xp.any(along != 0, axis=1))[:, None, None]
    end = s.directions[:, p - 1 :, :]
    directions = xp.where((numbers == s.best[:, None])[:, :, None], end, s.directions)
    directions = xp.where((numbers == p - 1)[:, None], along[:, None, :], directions)
    directions = xp.where(fresh, directions, s.directions)

    small = 2 * (s.f1 - f) <= ftol * (xp.abs(s.f1) + xp.abs(f)) + 1e-20
    status = outcomes(
        f,
        ((last & (nit >= maxiter)) | (nfev >= maxfev), Outcome.LIMIT),
        (last & small, Outcome.CONVERGED),
        (last & small & moved.edge, Outcome.PRECISION),  # along an edge values may fall
        (last & ~xp.isfinite(f), Outcome.NOT_FINITE),
        (f == -xp.inf, Outcome.UNBOUNDED),
    )
    zero = xp.zeros_like(f)
    return _State(
        x,
        f,
        directions,
        xp.where(whole, xp.zeros_like(s.number), s.number + 1),
        xp.where(whole[:, None], s.x, s.x1),
        xp.where(whole, f, s.f1),
        xp.where(whole, zero, fall),
        xp.where(whole, xp.zeros_like(best), best),
        moved.edge & ~whole,
        status,
        nit,
        nfev,
    )


def _room(xp: Any, x: Any, d: Any, problems: Rows) -> tuple[Any, Any]:
    """The shortest and the longest steps along `d` within the bounds."""
    if problems.lower is None:
        far = xp.full_like(x[:, 0], xp.inf)
        return -far, far
    safe = xp.where(d == 0, xp.ones_like(d), d)
    one, other = (problems.lower - x) / safe, (problems.upper - x) / safe
    far = xp.full_like(x, xp.inf)
    low = xp.where(d == 0, -far, xp.minimum(one, other))
    high = xp.where(d == 0, far, xp.maximum(one, other))
    zero = xp.zeros_like(x[:, 0])
    return xp.minimum(xp.max(low, axis=1), zero), xp.maximum(xp.min(high, axis=1), zero)


METHOD = Row(
    "Powell",
    _powell,
    {"xtol": 1e-4, "ftol": 1e-4, "maxiter": Each(1000), "maxfev": Each(1000), "direc": None},
    bounded=True,
    gradient=False,
    vectors=lambda p, options: 2 * p,
    routine=True,
)
