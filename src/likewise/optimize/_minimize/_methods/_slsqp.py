"""SLSQP: sequential quadratic programmes, with a BFGS matrix of the Lagrangian.

D. Kraft, A software package for sequential quadratic programming, DFVLR-FB 88-28, 1988; S.-P. Han,
J. Optim. Theory Appl. 22, 1977, for the merit function, the value plus weighted violations; M. J.
D. Powell, A fast algorithm for nonlinearly constrained optimization calculations, Lecture Notes in
Mathematics 630, 1978, for the weights, for the damped update of the matrix, and for the relaxation
of constraints whose linear parts contradict each other: one more unknown, from 0 to 1, is the share
of the violations that a step leaves.

The body of the loop evaluates everything once, at the current step of each problem. Where that is
good enough, the next quadratic programme is solved; the others shorten their steps.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....missing import at as places
from ....solving._driver import Method, iterate
from ....solving._outcome import Outcome, outcomes
from ..._quadratic._dual import quadratic
from .._method import Found, Row, Rows, inside
from .._objective import Objective

__all__ = ["METHOD"]

_DECREASE = 0.1  # of what the slope promises: what a step must reach
_SHORTEST = 0.1  # of a step: the least that is left of it
_BACK = 0.2  # of a step to where something isn't finite
_TRIES = 11  # steps along a direction, before the last is taken anyway
_MOST = 60  # of them, if they lead to where something isn't finite
_DAMPED = 0.2  # of the curvature of the matrix: the least that is learnt
_PENALTY = 100.0  # of what a relaxed step leaves, at first
_PENALTIES = 5  # each ten times the last
_ROUNDING = 10.0  # times eps: how wrong values may be, relatively
_LOOSER = 2 / 3  # power of eps: what values say no more, where no step is lower
_PATIENCE = 50  # iterations without a tenth of the violation less
_FLAT = 30.0  # times the root of ftol: what is left of the gradient, relative to it
_LEAST = 1e-4  # the least of that
_FALLING = 0.1  # of the value: what it falls by in a step as long as x, if there is no minimum


class _Point(NamedTuple):
    x: Any  # (B, n)
    f: Any  # (B,)
    g: Any  # (B, n)
    c: Any  # (B, m)
    j: Any  # (B, m, n)
    apart: Any  # (B, m), violations


class _Way(NamedTuple):
    """Hold where a quadratic programme leads, and what it knows."""

    b: Any  # (B, n, n), the matrix
    plain: Any  # (B,): whether it is the first one
    d: Any  # (B, n)
    y: Any  # (B, m), multipliers
    z: Any  # (B, n)
    weights: Any  # (B, m), of violations
    slope: Any  # (B,), of the merit function
    penalty: Any  # (B,), of what a relaxed step leaves; 0 if it isn't relaxed
    gain: Any  # (B,), how far it is from being optimal
    level: Any  # (B,): whether the rows explain the gradient, whatever the matrix says
    status: Any  # CONVERGED: it is to be followed; PRECISION: it leads nowhere


class _State(NamedTuple):
    at: _Point
    way: _Way
    length: Any  # (B,), of the step along the way
    slope: Any  # (B,), what the step promises
    tries: Any
    cut: Any  # (B,), whether the step was longer, to where something isn't finite
    least: Any  # (B,), the sum of violations at best
    since: Any  # (B,), the iteration that found it, nearly
    status: Any
    nit: Any
    nfev: Any


class _Tests(NamedTuple):
    """Hold how much is nothing, (B,)."""

    f: Any  # of values
    c: Any  # of the sum of violations
    g: Any  # of what rows don't explain of the gradient


def _slsqp(objective: Objective, ftol: float, maxiter: int) -> Method:
    def step(problems: Rows, s: _State) -> _State:
        return _step(objective, ftol, maxiter, problems, s)

    return Method(_start, step, _end)


def _sides(problems: Rows) -> tuple[Any, Any]:
    """Return the sides of constraints; of none if there are none."""
    none = problems.x0[:, :0]
    return (none, none) if problems.low is None else (problems.low, problems.high)


def _start(problems: Rows) -> _State:
    x0, rows = problems.x0, _sides(problems)[0]
    xp = array_namespace(x0)
    rows, nothing, zeros = xp.zeros_like(rows), xp.zeros_like(x0[:, 0]), xp.zeros_like(x0)
    zero, yes = xp.zeros_like(nothing, dtype=xp.int32), nothing == 0
    # The first evaluation is the loop's, too, so that there is one to compile.
    at = _Point(x0, nothing, zeros, rows, rows[:, :, None] + zeros[:, None, :], rows)
    numbers = (nothing, nothing, nothing, yes, zero)
    way = _Way(_unit(x0), yes, zeros, rows, zeros, rows, *numbers)
    endless = xp.full_like(nothing, xp.inf)
    status = zero + Outcome.RUNNING
    return _State(at, way, nothing, nothing, zero, ~yes, endless, zero, status, zero, zero)


def _unit(x: Any) -> Any:
    xp = array_namespace(x)
    eye = xp.eye(int(x.shape[1]), dtype=x.dtype, device=device(x))
    return eye + xp.zeros_like(x)[:, :, None]


def _end(s: _State) -> Found:
    xp, at = array_namespace(s.at.x), s.at
    lost = s.status == Outcome.NOT_FINITE
    g = xp.where(lost[:, None], xp.full_like(at.g, xp.nan), at.g)
    worst = xp.max(at.apart, axis=1) if int(at.apart.shape[1]) else xp.zeros_like(at.f)
    worst = xp.where(lost, xp.full_like(worst, xp.nan), worst)
    counts = (s.status, s.nit, s.nfev, s.nfev)
    return Found(at.x, at.f, g, *counts, None, s.way.y, s.way.z, worst)


def _step(objective: Objective, ftol: float, maxiter: int, problems: Rows, s: _State) -> _State:
    xp = array_namespace(s.at.x)
    x1 = inside(s.at.x + s.length[:, None] * s.way.d, problems, xp)
    new = _evaluated(objective, problems, x1)
    usable = xp.isfinite(new.f)
    for a in new[2:]:
        usable = usable & xp.all(xp.isfinite(a), axis=tuple(range(1, a.ndim)))
    first, tries = s.nfev == 0, s.tries + 1
    rise = _merit(new, s.way.weights) - _merit(s.at, s.way.weights)
    promised = xp.where(tries >= _TRIES, xp.zeros_like(rise), _DECREASE * s.slope)
    noise = _noise(s.at, s.way.weights)
    lower = usable & (rise <= promised + noise)
    # Down the steepest way a step gets as short as it takes.
    good = (lower | (usable & (tries >= _TRIES) & ~s.way.plain)) & ~first
    taken = good | (usable & first)

    at = _chosen(xp, taken | first, new, s.at)
    tests, loose = (_tests(at, ftol, power) for power in (1.0, _LOOSER))
    # A direction along which nothing is lower says that the matrix is wrong.
    known = lower & ~first
    b = xp.where(known[:, None, None], _learnt(xp, s, new), _unit(x1))
    way = s.way._replace(b=b, plain=~known)
    way = _direction(problems, at, way, tests, taken & (s.status == Outcome.RUNNING))
    way = _chosen(xp, taken, way, s.way)

    one, nit = xp.ones_like(s.length), xp.where(taken, s.nit + 1, s.nit)
    share = _shorter(xp, s.slope, rise, usable)
    small = (xp.abs(new.f - s.at.f) <= tests.f) | (_length(xp, new.x - s.at.x) <= ftol)
    violated = xp.sum(at.apart, axis=1)
    still = lower & ~first & small & (s.way.penalty == 0) & ~s.cut
    still = still & (violated <= tests.c) & way.level
    optimal = taken & (way.gain <= tests.f) & (violated <= tests.c)
    near = (way.gain <= loose.f) & (violated <= loose.c)
    over = nit > maxiter
    lost = xp.where(taken, way.status == Outcome.PRECISION, tries >= _MOST)
    lost = lost | (~taken & (tries >= _TRIES) & near)
    # At a kink a short step down the steepest way gains what rounding does.
    lost = lost | (s.way.plain & lower & ~first & (tries >= _TRIES) & (rise >= -noise))
    astray = (lost | (over & (way.penalty > 0))) & (violated > loose.c)
    better = taken & (violated < 0.9 * s.least)
    least, since = xp.where(better, violated, s.least), xp.where(better, nit, s.since)
    astray = astray | ((nit - since >= _PATIENCE) & (least > loose.c))
    optimal = optimal | ((lost | (good & ~lower)) & near)
    eps = float(xp.finfo(at.f.dtype).eps)
    # Where rounding hides what a step is worth, but not what one as long as x would be.
    fall = way.gain * _length(xp, at.x) >= _FALLING * xp.abs(at.f) * _length(xp, way.d)
    hidden = (still | optimal) & fall & (at.f < -1 / eps)
    bottomless = (new.f == -xp.inf) | hidden | (taken & (at.f < -(eps**-2)))
    status = outcomes(
        at.f,
        (over, Outcome.LIMIT),
        (lost, Outcome.PRECISION),
        (astray, Outcome.INFEASIBLE),
        (bottomless, Outcome.UNBOUNDED),
        ((still | optimal) & ~hidden, Outcome.CONVERGED),
        (first & ~usable, Outcome.NOT_FINITE),
    )
    length = xp.where(taken, one, s.length * share)
    slope = xp.where(taken, way.slope, s.slope * share)
    tries = xp.where(taken, xp.zeros_like(tries), tries)
    cut = ~taken & (s.cut | ~usable)
    return _State(at, way, length, slope, tries, cut, least, since, status, nit, s.nfev + 1)


def _evaluated(objective: Objective, problems: Rows, x: Any) -> _Point:
    low, high = _sides(problems)
    xp, known, which = array_namespace(x), objective.constraints, problems.which
    some = which is not None and int(which.shape[0]) < int(problems.every.shape[1])
    # Functions of the whole batch get the others where they began.
    every = places(problems.every[0, ...])[which].set(x) if some else x
    found: tuple[Any, ...] = objective.value_and_gradient(every, problems.lower, problems.upper)
    if known is not None:
        found += known.values_and_jacobian(every, problems.matrix, problems.lower, problems.upper)
    if some:
        found = tuple(xp.take(a, which, axis=0) for a in found)
    if known is None:
        none = xp.zeros_like(low)
        found = (*found, none, none[:, :, None] + xp.zeros_like(x)[:, None, :])
    f, g, c, j = found
    apart = xp.maximum(xp.maximum(low - c, c - high), xp.zeros_like(c))
    return _Point(x, f, g, c, j, apart)


def _merit(at: _Point, weights: Any) -> Any:
    return at.f + array_namespace(at.f).sum(weights * at.apart, axis=1)


def _length(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.sum(v * v, axis=1))


def _times(a: Any, x: Any) -> Any:
    return array_namespace(a).matmul(a, x[:, :, None])[..., 0]


def _tests(at: _Point, ftol: float, power: float) -> _Tests:
    """Return tolerances, and what rounding makes of the values."""
    xp = array_namespace(at.f)
    rounding = _ROUNDING * float(xp.finfo(at.f.dtype).eps) ** power
    size = 1 + xp.max(xp.abs(at.g), axis=1)
    return _Tests(
        ftol + rounding * xp.abs(at.f),
        ftol + rounding * xp.sum(_parts(at), axis=1),
        max(_LEAST, _FLAT * ftol**0.5) * size,
    )


def _parts(at: _Point) -> Any:
    """Return the sizes of the constraints, and of what they are made of, (B, m)."""
    xp = array_namespace(at.c)
    return xp.abs(at.c) + xp.sum(xp.abs(at.j * at.x[:, None, :]), axis=2)


def _noise(at: _Point, weights: Any) -> Any:
    """Return what rounding makes of the merit function."""
    xp = array_namespace(at.f)
    seen = xp.where(at.apart > 0, weights * _parts(at), xp.zeros_like(weights))
    return float(xp.finfo(at.f.dtype).eps) * (xp.abs(at.f) + xp.sum(seen, axis=1))


def _shorter(xp: Any, slope: Any, rise: Any, usable: Any) -> Any:
    """Return the part of a step that is left of it: to the minimum of a parabola."""
    bend = 2 * (slope - rise)
    known = usable & (bend < 0)
    share = xp.where(known, slope, -_SHORTEST) / xp.where(known, bend, -xp.ones_like(bend))
    share = xp.clip(share, _SHORTEST, 1.0)
    return xp.where(usable, share, xp.full_like(share, _BACK))


def _learnt(xp: Any, s: _State, new: _Point) -> Any:
    """The matrix, updated by the change of the Lagrangian's gradient."""
    b, step = s.way.b, new.x - s.at.x
    weighted = xp.sum((new.j - s.at.j) * s.way.y[:, :, None], axis=1)
    u, bs = new.g - s.at.g - weighted, _times(b, step)
    su, sbs = xp.sum(step * u, axis=1), xp.sum(step * bs, axis=1)
    bent = sbs > 0
    least = _DAMPED * sbs
    short = bent & (su < least)
    part = (1 - _DAMPED) * sbs / xp.where(short, sbs - su, xp.ones_like(su))
    part = xp.where(short, part, xp.ones_like(part))[:, None]
    u, su = part * u + (1 - part) * bs, xp.where(short, least, su)
    one = xp.ones_like(su)
    more = u[:, :, None] * u[:, None, :] / xp.where(bent & (su > 0), su, one)[:, None, None]
    less = bs[:, :, None] * bs[:, None, :] / xp.where(bent, sbs, one)[:, None, None]
    changed = b + (more - less)
    good = bent & (su > 0) & xp.all(xp.isfinite(changed), axis=(1, 2))
    return xp.where(good[:, None, None], changed, b)


def _direction(problems: Rows, at: _Point, way: _Way, tests: _Tests, wanted: Any) -> _Way:
    """Solve the quadratic programmes, and where these are of no use, others."""
    xp = array_namespace(at.x)
    low, high = _sides(problems)
    below, above = low - at.c, high - at.c
    weights, violated = way.weights, xp.sum(at.apart, axis=1)
    signed = xp.where(above < 0, at.apart, -at.apart)
    nothing = float(xp.finfo(at.x.dtype).eps) ** _LOOSER

    def step(_: Any, w: _Way, relaxing: bool = True) -> _Way:
        running = w.status == Outcome.RUNNING
        relaxed = running & (w.penalty > 0)
        share = signed if relaxing else None
        left, found = _programme(problems, at, w, share, below, above, running)
        d, y, z = found[:3]
        sizes = xp.abs(y)
        # With a new matrix, weights are new.
        again = xp.where((w.plain & ~way.plain)[:, None], sizes, weights)
        now = xp.maximum(sizes, 0.5 * (again + sizes))
        fall = xp.sum(at.g * d, axis=1)
        slope = fall - (1 - left) * xp.sum(now * at.apart, axis=1)
        # What an active row misses of its side.
        missed = xp.abs(xp.where(y > 0, below, above))
        missed = xp.where(y == 0, xp.zeros_like(missed), missed)
        gain = xp.abs(fall) + xp.sum(sizes * missed, axis=1)
        solved, apart = found[3] == Outcome.CONVERGED, found[3] == Outcome.INFEASIBLE
        gain = xp.where(solved & ~relaxed, gain, xp.full_like(gain, xp.inf))
        optimal = (gain <= tests.f) & (violated <= tests.c)
        # A matrix that is much too large makes steps short where they lead on.
        level = xp.max(xp.abs(_times(w.b, d)), axis=1) <= tests.g
        misled = solved & optimal & ~level & ~w.plain
        # A relaxed step of no length: it is again relaxed, and if that is of no use, it is the end.
        idle = relaxed & solved & (_length(xp, d) <= nothing * (1 + _length(xp, at.x)))
        apart, solved = apart | idle, solved & ~idle
        follow = solved & (optimal | (slope < 0)) & ~misled
        # Constraints that contradict each other are relaxed, more and more; else the matrix is
        # the first one again.
        more = xp.where(relaxed, 10 * w.penalty, xp.full_like(w.penalty, _PENALTY))
        penalty = xp.where(apart, more, w.penalty)
        over = apart & (penalty > _PENALTY * 10.0**_PENALTIES)
        renewed = ~follow & ~apart
        status = outcomes(
            slope, (over | (renewed & w.plain), Outcome.PRECISION), (follow, Outcome.CONVERGED)
        )
        b = xp.where(renewed[:, None, None], _unit(at.x), w.b)
        return _Way(b, w.plain | renewed, d, y, z, now, slope, penalty, gain, level, status)

    none = xp.zeros_like(way.slope)
    begin = outcomes(none, (~wanted, Outcome.CONVERGED))
    first = step((), way._replace(penalty=none, status=begin), relaxing=False)
    first = first._replace(status=xp.where(wanted, first.status, begin))
    # All problems are at hand: none are dropped.
    found: _Way = iterate(Method(lambda _: first, step), (), _PENALTIES + 3, joint=True)
    lost = found.status == Outcome.LIMIT
    status = xp.where(lost, xp.full_like(found.status, Outcome.PRECISION), found.status)
    return found._replace(status=status)


def _programme(
    problems: Rows, at: _Point, w: _Way, signed: Any, below: Any, above: Any, wanted: Any
) -> tuple[Any, tuple[Any, Any, Any, Any]]:
    """Return what a step leaves of the violations, and the step, multipliers and outcome."""
    xp, n, m = array_namespace(at.x), int(at.x.shape[1]), int(at.c.shape[1])
    every = wanted[:, None]
    far = xp.full_like(at.x, xp.inf)
    b, g = w.b, xp.where(every, at.g, xp.zeros_like(at.g))
    lower = upper = None
    if problems.lower is not None:
        lower = xp.where(every, problems.lower - at.x, -far)
        upper = xp.where(every, problems.upper - at.x, far)
    none, endless = xp.zeros_like(at.f), xp.full_like(below, xp.inf)
    low, high = xp.where(every, below, -endless), xp.where(every, above, endless)
    if not m or signed is None:
        found = quadratic(b, g, at.j, low, high, lower, upper)
        return none, (found.x, found.y, found.z, found.outcome)
    # One more unknown: the share of the violations that is left, from 0 to 1.
    relaxed = w.penalty > 0
    column, row = xp.zeros_like(at.x)[:, :, None], xp.zeros_like(at.x)[:, None, :]
    corner = xp.where(relaxed, w.penalty, xp.ones_like(none))[:, None, None]
    b = xp.concat([xp.concat([b, column], axis=2), xp.concat([row, corner], axis=2)], axis=1)
    left = xp.where(relaxed[:, None], -signed, xp.zeros_like(signed))[:, :, None]
    one = xp.ones_like(corner)
    a = xp.concat([xp.concat([at.j, left], axis=2), xp.concat([row, one], axis=2)], axis=1)
    none, one = none[:, None], one[:, :, 0]
    low = xp.concat([low, none], axis=1)
    high = xp.concat([high, one], axis=1)
    if lower is not None:
        lower = xp.concat([lower, -xp.inf * one], axis=1)
        upper = xp.concat([upper, xp.inf * one], axis=1)
    found = quadratic(b, xp.concat([g, none], axis=1), a, low, high, lower, upper)
    share = xp.where(relaxed, found.x[:, n], none[:, 0])
    return share, (found.x[:, :n], found.y[:, :m], found.z[:, :n], found.outcome)


def _chosen(xp: Any, mask: Any, new: Any, old: Any) -> Any:
    """Take of each array in two tuples the rows of one or the other."""
    found = (
        xp.where(xp.reshape(mask, (-1,) + (1,) * (b.ndim - 1)), a, b)
        for a, b in zip(new, old, strict=True)
    )
    return type(old)(*found) if hasattr(old, "_fields") else tuple(found)


METHOD = Row(
    "SLSQP",
    _slsqp,
    {"ftol": 1e-6, "maxiter": 100},
    bounded=True,
    constrained=True,
    vectors=lambda p, options: 8 * p,
    usual=True,
    routine=True,
    some=True,
)
