"""Finite differences whose steps shrink until they agree, for many problems at once.

A formula of order 2n has 2n points beside x: for central differences x + h, x - h, x + h/c, ...,
with the step factor c, and on one side x + h, x + h/d, x + h/d**2, ... with its root d. So a step
that is smaller by the factor needs two new points, and both shift alike.
"""

import functools
import math
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_readable, quiet
from ..errors import NotSupported
from ..solving._driver import Method, iterate
from ..solving._elementwise import Lanes
from ..solving._following import is_open, recorded
from ..solving._outcome import Outcome, outcomes
from ..solving._running import compiled_of, compiles
from ..solving._sampled import Sampled, at_hand, stopped, told
from ..solving._watch import Watch
from ..transforms import stop_gradient

__all__ = ["ADVICE", "STATUS", "Found", "Way", "differences"]

STATUS = {
    Outcome.CONVERGED: 0,
    Outcome.DIVERGED: -1,
    Outcome.LIMIT: -2,
    Outcome.NOT_FINITE: -3,
    Outcome.INTERRUPTED: -4,
    Outcome.RUNNING: 1,
}
ADVICE = {
    Outcome.DIVERGED: "the error grew, as rounding does with smaller steps: allow a larger "
    "tolerance, or begin with a larger initial_step",
    Outcome.LIMIT: "maxiter was reached: raise it, or the tolerances",
    Outcome.NOT_FINITE: "a point, a step or a value is not finite: see step_direction and "
    "initial_step where the domain ends",
    Outcome.INTERRUPTED: "ended by callback",
}


class Way(NamedTuple):
    """Settings, which are the same for all problems."""

    terms: int  # half of the formula's order
    factor: float
    atol: float
    rtol: float
    most: int
    central: bool  # whether all differences are central
    keeps: bool  # whether problems are called together


class _Problems(NamedTuple):
    x: Any  # (B,)
    side: Any  # 0 for central differences, else the sign of steps
    begin: Any  # the step of the first iteration
    args: tuple[Any, ...]


class _State(NamedTuple):
    middle: Any  # (B,) the value at x
    values: Any  # (B, 2n) at the points of the formula
    step: Any  # (B,) the largest
    df: Any
    error: Any
    nit: Any
    nfev: Any
    status: Any


class Found(NamedTuple):
    """Hold the results, of the problems' shape."""

    df: Any
    error: Any
    nit: Any
    nfev: Any
    x: Any
    status: Any


class _Formula(NamedTuple):
    """Hold steps relative to the largest, and weights, (2n,) each."""

    steps: Any
    weights: Any
    sided_steps: Any
    sided_weights: Any
    sided_middle: float  # the weight of the value at x


def _weights(nodes: tuple[float, ...]) -> list[float]:
    """The derivatives at 0 of Lagrange's polynomials of 0 and of nodes, those of the nodes."""
    out = []
    for j, z in enumerate(nodes):
        others = (u / (u - z) for k, u in enumerate(nodes) if k != j)
        out.append(math.prod(others) / z)
    return out


@functools.lru_cache(maxsize=64)
def _formula(terms: int, factor: float) -> tuple[tuple[float, ...], ...]:
    root = math.sqrt(factor)
    both = [s * factor**-i for i in range(terms) for s in (1, -1)]
    side = [root**-j for j in range(2 * terms)]
    central = _weights(tuple(both))
    sided = _weights(tuple(side))
    middle = -math.fsum(1 / z for z in side)
    return tuple(both), tuple(central), tuple(side), tuple(sided), (middle,)


def _of(way: Way, like: Any) -> _Formula:
    xp = array_namespace(like)
    *four, (middle,) = _formula(way.terms, way.factor)
    steps, weights, sided_steps, sided_weights = (
        xp.asarray(v, dtype=like.dtype, device=device(like)) for v in four
    )
    return _Formula(steps, weights, sided_steps, sided_weights, middle)


def _points(way: Way, p: _Problems, step: Any, last: int = 0) -> Any:
    """The points (B, 2n), or the last of them."""
    xp, formula = array_namespace(step), _of(way, step)
    by = formula.steps[-last:][None, :]
    if not way.central:
        side = p.side[:, None]
        by = xp.where(side == 0, by, side * formula.sided_steps[-last:])
    return p.x[:, None] + by * step[:, None]


def _power(way: Way, nit: Any, like: Any) -> Any:
    """How small the step is after iterations."""
    xp = array_namespace(nit, like)
    return way.factor ** -xp.astype(nit, like.dtype)


def _estimated(way: Way, p: _Problems, middle: Any, values: Any, step: Any) -> Any:
    xp, formula = array_namespace(values), _of(way, step)
    pairs = xp.reshape(values, (values.shape[0], way.terms, 2))
    slopes = (pairs[..., 0] - pairs[..., 1]) * formula.weights[::2]
    total = xp.sum(slopes, axis=1) + 0 * middle
    if not way.central:
        sided = xp.sum(values * formula.sided_weights, axis=1) + formula.sided_middle * middle
        total = xp.where(p.side == 0, total, p.side * sided)
    return total / step


def _judged(way: Way, p: _Problems, s: _State, df: Any, old: Any) -> _State:
    xp = array_namespace(df)
    error = xp.abs(df - s.df)
    good = error < way.atol + way.rtol * xp.abs(df)
    finite = xp.isfinite(p.x) & xp.isfinite(df)
    status = outcomes(
        df,
        (error > 10 * old, Outcome.DIVERGED),
        (~finite, Outcome.NOT_FINITE),
        (good, Outcome.CONVERGED),
    )
    df = xp.where(finite | good, df, xp.full_like(df, xp.nan))
    return s._replace(df=df, error=error, nit=s.nit + 1, status=status)


def _first(way: Way, fun: Any, p: _Problems, s: _State) -> _State:
    values = fun(_points(way, p, s.step), p.args)
    df = _estimated(way, p, s.middle, values, s.step)
    s = s._replace(values=values, nfev=s.nfev + _spent(fun, 2 * way.terms))
    return _judged(way, p, s, df, s.error)


def _next(way: Way, fun: Any, p: _Problems, s: _State) -> _State:
    xp, step = array_namespace(s.step), s.step / way.factor
    if way.keeps:  # all have the points of those that run
        step = p.begin * _power(way, xp.max(s.nit), step)
    new = fun(_points(way, p, step, 2), p.args)
    values = xp.concat([s.values[:, 2:], new], axis=1)
    df = _estimated(way, p, s.middle, values, step)
    s = s._replace(values=values, step=step, nfev=s.nfev + _spent(fun, 2))
    return _judged(way, p, s, df, s.error)


def _spent(fun: Any, count: int) -> Any:
    """How many evaluations the last call of a function took, where it says so."""
    spent = getattr(fun, "spent", None)
    return count if spent is None else spent


def _run(
    way: Way,
    fun: Any,
    p: _Problems,
    s: _State,
    joint: bool = False,
    tell: Any = None,
) -> _State:
    watch = None if tell is None else Watch(None, 0)

    def seen(new: _State) -> _State:
        if tell is not None and watch is not None and tell(new):
            watch.stop()
        return new

    if tell is not None and tell(s):
        return s._replace(status=s.status + Outcome.INTERRUPTED)
    kept = s

    def start(both: Any) -> _State:
        return seen(_first(way, fun, both[0], both[1]))

    def step(both: Any, s: _State) -> _State:
        new = _next(way, fun, both[0], s)
        if tell is None:
            return new
        xp = array_namespace(s.status)
        going = s.status == Outcome.RUNNING

        def of(a: Any, b: Any) -> Any:
            return xp.where(going[:, None] if a.ndim > 1 else going, a, b)

        return seen(_State(*map(of, new, s)))

    # A function that keeps the shape of its problems is called on all of them.
    method = Method(start, step, lean=True)
    return iterate(method, (p, kept), way.most - 1, joint=joint or tell is not None, watch=watch)


def differences(
    fun: Sampled, lanes: Lanes, way: Way, callback: Any = None, made: Any = None
) -> Found:
    """Differentiate a function of the problems' points: x, the step, and its direction."""
    x, step, side = lanes.points
    xp = array_namespace(x)
    with quiet(x):
        middle = fun.begun(stop_gradient(x))
        spent = _spent(fun, 1)
        given, step, side = (fun.each(v) for v in (x, stop_gradient(step), stop_gradient(side)))
        side = xp.where(xp.isnan(side), side, xp.sign(side))
        step = xp.where(step > 0, step, xp.full_like(step, xp.nan))
        p = _Problems(stop_gradient(given), side, step, stopped(fun.args))
        none = xp.full_like(step, xp.nan)
        zero = xp.zeros(tuple(step.shape), dtype=xp.int32, device=device(step))
        room = xp.zeros((step.shape[0], 2 * way.terms), dtype=step.dtype, device=device(step))
        first = _State(middle, room, step, none, none, zero, zero + spent, zero)

        def finished(s: _State, df: Any = None) -> Found:
            df = s.df if df is None else df
            found = (df, s.error, s.nit, s.nfev, given, s.status)
            return Found(*map(Lanes((), (), fun.shape).shaped, found))

        tell = None
        if callback is not None:
            if is_open() or not at_hand(middle, step, side):
                raise NotSupported(
                    f"{fun.function.function}: callback needs values after each step, got arrays "
                    "that have none (in a transform, or compiled). Leave it out"
                )
            tell = lambda s: told(callback, made(finished(s)))  # noqa: E731
        if compiles(step) and not hasattr(fun, "spent"):
            s = _compiled(way, fun, p, first)
        else:
            s = _run(way, fun, p, first, way.keeps, tell)
        if not (fun.asked or recorded(given)):
            return finished(s)
        # The formula again, whose points and values can be followed.
        p = _Problems(given, side, step, fun.args)
        if way.keeps:
            values = _windows(way, fun, p, s)
        else:
            values = fun.plain(_points(way, p, s.step), fun.args)
        again = _estimated(way, p, middle, values, s.step)
        if not way.central:  # a formula of one side has the value at x
            _, _, _, _, (weight,) = _formula(way.terms, way.factor)
            at_x = fun.plain(given[:, None], fun.args)[:, 0] - middle
            sided = at_x * (weight * side) / s.step
            again = again + xp.where(side == 0, xp.zeros_like(sided), sided)
        there = xp.isfinite(s.df)
        change = xp.where(there, again - stop_gradient(again), xp.zeros_like(s.df))
        return finished(s, s.df + change)


def _windows(way: Way, fun: Sampled, p: _Problems, s: _State) -> Any:
    """The values of each problem's last iteration, of calls with the points of all."""
    xp = array_namespace(p.x, s.nit)
    most = way.most
    if is_readable(s.nit) and 0 not in s.nit.shape:
        most = max(1, int(xp.max(s.nit)))  # likewise: ignore[LW203]: values are at hand
    parts = [_points(way, p, p.begin)]
    parts += [_points(way, p, p.begin * way.factor**-k, 2) for k in range(1, most)]
    values = fun.plain(xp.concat(parts, axis=1), fun.args)
    first = 2 * xp.maximum(s.nit - 1, xp.zeros_like(s.nit))
    numbers = xp.arange(2 * way.terms, dtype=first.dtype, device=device(first))
    places = xp.astype(first[:, None] + numbers, xp.int64)
    return xp.take_along_axis(values, places, axis=1)


def _compiled(way: Way, fun: Sampled, p: _Problems, first: _State) -> _State:
    args = p.args
    moving = [i for i, v in enumerate(args) if hasattr(v, "shape")]
    arrays = tuple(args[i] for i in moving)

    def call(x: Any, *arrays: Any) -> Any:
        now = dict(zip(moving, arrays, strict=True))
        return fun.plain(x, tuple(now.get(i, v) for i, v in enumerate(args)))

    xp = array_namespace(p.x, first.step)
    many, two = p.x[:, None] + xp.zeros_like(first.values), p.x[:, None] + first.values[:, :2]
    found, _ = compiled_of(
        first.step,
        _traced,
        way,
        [(call, (many, *arrays)), (call, (two, *arrays))],
        p.x,
        p.side,
        p.begin,
        arrays,
        first,
    )
    out: _State = found
    return out


def _traced(
    way: Way,
    functions: Any,
    x: Any,
    side: Any,
    begin: Any,
    arrays: tuple[Any, ...],
    first: _State,
) -> _State:
    initial, later = functions

    def fun(x: Any, args: tuple[Any, ...]) -> Any:
        return stop_gradient((initial if x.shape[1] == 2 * way.terms else later)(x, *args))

    with quiet(x):
        return _run(way, fun, _Problems(x, side, begin, arrays), first)
