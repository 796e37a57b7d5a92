"""Global minima by generalised simulated annealing with local searches."""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from ..._namespace import array_namespace, describe, device, quiet
from ..._native import public
from ...errors import ArgumentError, NotSupported
from ...missing import at
from ...solving._driver import Method, iterate, taken
from ...solving._following import readable
from ...solving._function import arguments, check_callable
from ...solving._options import count, table, tolerance
from ...solving._outcome import Outcome, outcomes
from ...solving._result import Result, result
from ...solving._running import compiled
from ._box import Box, box_of, numbers_of, plain
from ._draws import key_of, keys_for, uniforms
from ._ends import differentiable, minima
from ._values import Values

__all__ = ["DualAnnealingResult", "dual_annealing"]

_TAIL = 1e8  # the longest move
_LIMIT = 2**31 - 1
_MOVES = 5  # of a step, at most
_NAME = "dual_annealing"


@result
class DualAnnealingResult(Result):
    """Hold the results of `dual_annealing`: arrays, the batch's dimensions first.

    Attributes
    ----------
    x : array, shape (..., p)
        The lowest points.
    fun : array, shape (...)
        The values at `x`.
    status : array of int32, shape (...)
        0, all iterations were made; 1, maximum of evaluations reached; 3, no value was finite, or
        one is -inf; 99, ended by the callback.
    nit, nfev, njev : array of int32, shape (...)
        Iterations, and evaluations of `func` and of its gradient.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.NOT_FINITE: 3,
        Outcome.INTERRUPTED: 99,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "Maximum number of iteration reached",
        Outcome.LIMIT: "Maximum number of function call reached during annealing: raise maxfun",
        Outcome.NOT_FINITE: "no value was finite: check func and bounds",
        Outcome.INTERRUPTED: "callback function requested to stop early by returning True",
    }

    x: Any
    fun: Any
    outcome: Any
    nit: Any
    nfev: Any
    njev: Any


class _Problem(NamedTuple):
    lower: Any  # (B, p)
    upper: Any
    keys: Any  # (B, 2)
    state: Any  # where the annealing goes on


class _State(NamedTuple):
    x: Any  # (B, p)
    f: Any  # (B,)
    best_x: Any
    best: Any
    last_x: Any  # the lowest of the points to which the chain moved up, and its value
    last: Any
    improved: Any  # (B,), whether this chain has found a lowest point
    turn: Any  # moves so far, of which each draws its own numbers
    place: Any  # the move within the chain
    cooled: Any  # chains since the temperature was the first
    idle: Any  # chains without a lower point
    patience: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any


class _Settings(NamedTuple):
    maxiter: int
    first: float  # temperature
    least: float  # at which it starts again
    visit: float
    accept: float
    maxfun: int
    local: bool
    pauses: bool  # after chains that found a lower point


@public
def dual_annealing(
    func: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    maxiter: int = 1000,
    minimizer_kwargs: Mapping[str, Any] | None = None,
    initial_temp: float = 5230.0,
    restart_temp_ratio: float = 2e-5,
    visit: float = 2.62,
    accept: float = -5.0,
    maxfun: float = 1e7,
    rng: int | None = None,
    no_local_search: bool = False,
    callback: Callable[..., Any] | None = None,
    x0: Any = None,
    *,
    key: Any = None,
    seed: int | None = None,
) -> DualAnnealingResult:
    """Find a global minimum by annealing and local searches, of one problem or of a batch.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`: x of shape (p,) to a scalar array.
    bounds : sequence of (min, max), array of shape (..., p, 2), or object with lb, ub
        Finite bounds of each variable; leading dimensions are a batch of problems.
    args : tuple or one object, optional
        Further arguments of `func`, the same for all problems.
    maxiter : int, optional
        The number of iterations, chains of 2 p moves each.
    minimizer_kwargs : dict, optional
        Arguments of `minimize` for the local searches. Default: L-BFGS-B within the bounds, of at
        most 6 p iterations, but at least 100 and at most 1000.
    initial_temp : float, optional
        The first temperature, in (0.01, 5e4].
    restart_temp_ratio : float, optional
        The annealing starts anew from a random point below this share of `initial_temp`, in (0, 1).
    visit : float, optional
        The parameter of the distribution of moves, in (1, 3): the larger, the heavier its tails.
    accept : float, optional
        The parameter of the acceptance, in (-1e4, -5]: the lower, the fewer moves up are accepted.
    maxfun : int, optional
        A problem ends after so many evaluations.
    rng : int, optional
        A seed, in place of `key`. A generator is refused.
    no_local_search : bool, optional
        Whether to leave the local searches out.
    callback : callable, optional
        ``callback(x, f, context)`` whenever a lower point was found: `context` is 0 for a move, 1
        for a local search. True or StopIteration ends the search. For one problem.
    x0 : array, shape (..., p), optional
        The start.
    key : array, shape (2,), or int, optional
        A key (`likewise.random.key`), or a seed of one. Default: the seed 0.
    seed : int, optional
        As `rng`.

    Returns
    -------
    DualAnnealingResult
        x, fun, status, success, nit, nfev, njev, message.

    Raises
    ------
    ArgumentError
        If an option is out of range, bounds aren't finite or cross, or `rng` is no integer; if no
        value was finite, of one problem.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        If shapes don't fit, or an argument or a value is no real array of the right kind.
    NotSupported
        If arrays have no values (in jax.jit, vmap): the host sees which problems need a local
        search; and for a callback of a batch.

    Notes
    -----
    Y. Xiang, D. Y. Sun, W. Fan, X. G. Gong, Phys. Lett. A 233 (1997) 216-220; moves and acceptance
    by C. Tsallis, D. A. Stariolo, Physica A 233 (1996) 395-406. All problems of a batch move at
    once; the local searches of an iteration are one call of `minimize`. Each problem has a key of
    its own. A move costs a value and some 200 p operations.

    ``x`` and ``fun`` are differentiable with respect to `args` and to all arrays that `func` closes
    over, as those of `minimize` are.

    Differs from SciPy: batches; keys in place of generators, and the same search for the same
    arguments; the end by `maxfun` has a status of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import dual_annealing
    >>> def rastrigin(x):
    ...     return np.sum(x**2 - 10 * np.cos(2 * np.pi * x)) + 10 * x.shape[0]
    >>> found = dual_annealing(rastrigin, [(-5.12, 5.12)] * 2, maxiter=300)
    >>> bool(abs(found.x).max() < 1e-6), bool(found.fun < 1e-9)
    (True, True)
    """
    check_callable(_NAME, func, "func")
    if callback is not None:
        check_callable(_NAME, callback, "callback")
    settings = _settings(
        maxiter,
        initial_temp,
        restart_temp_ratio,
        visit,
        accept,
        maxfun,
        no_local_search,
        callback is not None,
    )
    box = box_of(_NAME, bounds, x0, args)
    sides = (box.lower, box.upper)
    x = None if box.x0 is None else plain(box.x0)
    box = Box(plain(box.lower), plain(box.upper), x, box.batch)
    xp, p = array_namespace(box.lower), int(box.lower.shape[1])
    if not readable(box.lower, box.upper):
        raise NotSupported(
            f"{_NAME}: the host sees which problems need a local search, got bounds "
            f"{describe(box.lower)}. Take differential_evolution"
        )
    if bool(xp.any(box.lower >= box.upper)):  # likewise: ignore[LW203]: values are at hand
        raise ArgumentError(f"{_NAME}: bounds must be min < max, got {describe(bounds)}")
    if callback is not None and not box.single:
        raise NotSupported(f"{_NAME}: callback is for one problem, got bounds {describe(bounds)}")
    options = table(_NAME, "minimizer_kwargs", minimizer_kwargs)
    if not options:
        most = min(max(6 * p, 100), 1000)
        options = {"method": "L-BFGS-B", "options": {"maxiter": most}}
    given = arguments(args)
    values = Values(_NAME, func, given)
    keys = keys_for(key_of(_NAME, key, rng, seed, box.lower), int(box.lower.shape[0]), box.single)

    def local(x: Any, some: tuple[Any, Any]) -> dict[str, Any]:
        return minima(func, given, x, None if "bounds" in options else some, box, options)

    with quiet(box.lower):
        s = _annealed(xp, values, box, keys, settings, local, callback)
    if box.single and bool(s.best[0] == xp.inf):  # likewise: ignore[LW203]: values are at hand
        raise ArgumentError(
            f"{_NAME}: no value of func was finite, at any of {int(s.nfev[0])} points: check func "
            "and bounds"
        )
    lost = xp.full_like(s.status, Outcome.NOT_FINITE)
    status = xp.where(xp.isfinite(s.best), s.status, lost)
    x, f = differentiable(_NAME, func, given, s.best_x, s.best, sides)
    fields = (x, f, status, s.nit, s.nfev, s.njev)
    return DualAnnealingResult(*map(box.shaped, fields))


def _settings(
    maxiter: Any,
    first: Any,
    ratio: Any,
    visit: Any,
    accept: Any,
    maxfun: Any,
    alone: bool,
    told: bool,
) -> _Settings:
    def within(name: str, value: Any, low: float, high: float, closed: bool = False) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not (low < number < high or (closed and number == high)):
            raise ArgumentError(
                f"{_NAME}: {name} has to be in range ({low}, {high}{']' if closed else ')'}, got "
                f"{value!r}"
            )
        return number

    first = within("initial_temp", first, 0.01, 5e4, True)
    return _Settings(
        count(_NAME, "maxiter", maxiter, 1000),
        first,
        first * within("restart_temp_ratio", ratio, 0, 1),
        within("visit", visit, 1, 3),
        within("accept", accept, -1e4, -5, True),
        int(min(tolerance(_NAME, "maxfun", maxfun, 1e7), _LIMIT)),
        not alone,
        not alone or told,
    )


def _annealed(
    xp: Any,
    values: Values,
    box: Box,
    keys: Any,
    settings: _Settings,
    local: Callable[..., dict[str, Any]],
    callback: Any,
) -> _State:
    """Return the last states: chains of moves, and local searches between them."""
    lower, upper = box.lower, box.upper
    s = _first(xp, values, lower, upper, keys, box.x0)
    method = _moves(values, settings)
    while True:
        running = s.status == Outcome.RUNNING
        if not bool(xp.any(running)):  # likewise: ignore[LW203]: values are at hand
            return s
        before = s
        some = s._replace(status=xp.where(running, Outcome.RUNNING, s.status))
        problems = _Problem(lower, upper, keys, some)
        s, _ = compiled(lower, lambda given: iterate(method, given), problems)
        if callback is not None and bool(s.best[0] < before.best[0]) and _told(callback, s, 0):
            return s._replace(status=xp.full_like(s.status, Outcome.INTERRUPTED))
        asks = s.status == Outcome.AGAIN
        if not bool(xp.any(asks)):  # likewise: ignore[LW203]: values are at hand
            return s
        before = s
        s = _searched(xp, s, asks, lower, upper, settings, local)
        if callback is not None and bool(s.best[0] < before.best[0]) and _told(callback, s, 1):
            return s._replace(status=xp.full_like(s.status, Outcome.INTERRUPTED))


def _told(callback: Callable[..., Any], s: _State, context: int) -> bool:
    try:
        return bool(callback(s.best_x[0, :], s.best[0], context))
    except StopIteration:
        return True


def _first(xp: Any, values: Values, lower: Any, upper: Any, keys: Any, x: Any) -> _State:
    zero = xp.zeros_like(lower[:, 0], dtype=xp.int32)
    if x is None:
        u = uniforms(keys, zero, int(lower.shape[1]), lower)
        x = lower + u * (upper - lower)
    elif bool(xp.any((x < lower) | (x > upper))):  # likewise: ignore[LW203]: values are at hand
        raise ArgumentError(f"{_NAME}: Some entries in x0 lay outside the specified bounds")
    f = _finite(xp, values, x)
    state = _State(
        *(x, f, x, f, x, f),
        zero == 0,
        *(zero + 1, zero, zero, zero, zero + 1000),
        *(zero, zero, zero + 1, zero),
    )
    return state


def _finite(xp: Any, values: Values, x: Any) -> Any:
    f = values.at(x[:, None, :])[:, 0]
    return xp.where(xp.isnan(f), xp.full_like(f, xp.inf), f)


def _moves(values: Values, settings: _Settings) -> Method:
    def start(problem: _Problem) -> _State:
        state: _State = problem.state
        return state

    def step(problem: _Problem, s: _State) -> _State:
        xp, p = array_namespace(s.x), int(s.x.shape[1])
        # Several moves are one step, whose numbers are drawn at once; a chain has 2 p moves.
        size = max(k for k in range(1, _MOVES + 1) if 2 * p % k == 0)
        turns = (
            s.turn[:, None] + xp.arange(size, dtype=s.turn.dtype, device=device(s.turn))[None, :]
        )
        u = uniforms(problem.keys, turns, 4 * p + 1, s.x)
        s = _moved(values, settings, problem, s, u[:, 0, :])
        for i in range(1, size):
            new = _moved(values, settings, problem, s, u[:, i, :])
            # One that has ended waits, as does one that began anew, for the next step.
            goes = (s.status == Outcome.RUNNING) & (s.place % size == i)
            kept = (
                xp.where(goes if a.ndim == 1 else goes[:, None], a, b)
                for a, b in zip(new, s, strict=True)
            )
            s = _State(*kept)
        return s

    return Method(start, step)


def _moved(values: Values, settings: _Settings, problem: _Problem, s: _State, u: Any) -> _State:
    """Return the states after a move with these numbers (B, 4 p + 1)."""
    xp, p = array_namespace(s.x), int(s.x.shape[1])
    lower, upper = problem.lower, problem.upper
    t = _temperature(xp, settings, s)
    # The first p moves change all variables, the others one each.
    steps = _visits(xp, settings, t, u[:, : 2 * p], u[:, 2 * p : 3 * p])
    places = xp.arange(p, dtype=xp.int32, device=device(s.place))[None, :]
    one = places == (s.place - p)[:, None]
    x = xp.where((s.place < p)[:, None] | one, _wrapped(xp, s.x + steps, lower, upper), s.x)
    again = t < settings.least
    anew = lower + u[:, 3 * p : 4 * p] * (upper - lower)
    x = xp.where(again[:, None], anew, x)
    f = _finite(xp, values, x)
    step = xp.astype(s.cooled, f.dtype) + 1
    cool = xp.where(again, xp.ones_like(t), t) / step
    power = 1 - settings.accept
    rise = xp.where(xp.isfinite(f - s.f), f - s.f, xp.full_like(f, xp.inf))
    base = 1 - power * rise / cool
    chance = xp.where(base > 0, xp.where(base > 0, base, xp.ones_like(base)) ** (1 / power), 0.0)
    down = f < s.f
    up = ~down & (u[:, 4 * p] <= chance) & ~again
    moved = down | up | again
    lowest = f < s.best
    first = s.place == 0
    improved = xp.where(first, s.cooled == 0, s.improved) | lowest
    idle = xp.where(first & ~again, s.idle + 1, s.idle)
    idle = xp.where(lowest, xp.zeros_like(idle), idle)
    now_x, now = xp.where(moved[:, None], x, s.x), xp.where(moved, f, s.f)
    kept = up & (idle >= s.patience) & (first | (now < s.last))
    ended = ~again & (s.place == 2 * p - 1)
    nit = xp.where(ended, s.nit + 1, s.nit)
    nfev = s.nfev + 1
    asks = ended & (improved | (idle >= s.patience)) & settings.pauses
    status = outcomes(
        f,
        (nit >= settings.maxiter, Outcome.CONVERGED),
        (nfev >= settings.maxfun, Outcome.LIMIT),
        (asks, Outcome.AGAIN),
    )
    return _State(
        now_x,
        now,
        xp.where(lowest[:, None], x, s.best_x),
        xp.where(lowest, f, s.best),
        xp.where(kept[:, None], now_x, s.last_x),
        xp.where(kept, now, s.last),
        improved,
        s.turn + 1,
        xp.where(ended | again, xp.zeros_like(s.place), s.place + 1),
        xp.where(again, xp.zeros_like(s.cooled), xp.where(ended, s.cooled + 1, s.cooled)),
        idle,
        s.patience,
        status,
        nit,
        nfev,
        s.njev,
    )


def _temperature(xp: Any, settings: _Settings, s: _State) -> Any:
    q = settings.visit - 1
    number = xp.astype(s.cooled, s.f.dtype) + 2
    return settings.first * (2**q - 1) / (number**q - 1)


def _visits(xp: Any, settings: _Settings, t: Any, u: Any, tails: Any) -> Any:
    """Return moves (B, p) of the distribution of Tsallis and Stariolo."""
    q, p = settings.visit, int(tails.shape[1])
    a = math.exp((4 - q) * math.log(q - 1))
    b = math.exp((2 - q) * math.log(2) / (q - 1))
    d = 1 / (q - 1) - 0.5
    e = math.pi * (1 - d) / math.sin(math.pi * (1 - d)) / math.gamma(2 - d)
    wide = math.sqrt(math.pi) * a / (b * (3 - q)) * t ** (1 / (q - 1))
    scale = (wide / e) ** ((q - 1) / (3 - q))
    radius = xp.sqrt(-2 * xp.log(1 - u[:, :p]))  # two normal numbers
    angle = 2 * math.pi * u[:, p:]
    x, y = radius * xp.cos(angle), radius * xp.sin(angle)
    away = xp.abs(y) ** ((q - 1) / (3 - q))
    none = away == 0
    moves = scale[:, None] * x / xp.where(none, xp.ones_like(away), away)
    moves = xp.where(none, xp.zeros_like(moves), moves)
    far = _TAIL * xp.where(moves > 0, tails, -tails)
    return xp.where(xp.abs(moves) > _TAIL, far, moves)


def _wrapped(xp: Any, x: Any, lower: Any, upper: Any) -> Any:
    """Return points that go on at the other bound where they leave at one."""
    width = upper - lower
    off = xp.remainder(x - lower, width)
    return xp.minimum(xp.maximum(lower + off, lower), upper)


def _searched(
    xp: Any,
    s: _State,
    asks: Any,
    lower: Any,
    upper: Any,
    settings: _Settings,
    local: Callable[..., dict[str, Any]],
) -> _State:
    """Return the states after local searches of the problems that ask for one."""
    best, last = s.improved & asks, asks & (s.idle >= s.patience)
    for which, from_best in ((best, True), (last & ~best, False)) if settings.local else ():
        index = numbers_of(which)
        if index.shape[0] == 0:
            continue
        now, sides = taken(s, index), (xp.take(lower, index, axis=0), xp.take(upper, index, axis=0))
        x, f = (now.best_x, now.best) if from_best else (now.last_x, now.last)
        found = local(x, sides)
        good = xp.all((found["x"] >= sides[0]) & (found["x"] <= sides[1]), axis=1)
        good = good & xp.isfinite(found["fun"]) & (found["fun"] < f)
        x, f = xp.where(good[:, None], found["x"], x), xp.where(good, found["fun"], f)
        lower_now = f < now.best
        zero = xp.zeros_like(now.idle)
        new = now._replace(
            best_x=xp.where(lower_now[:, None], x, now.best_x),
            best=xp.where(lower_now, f, now.best),
            x=xp.where(lower_now[:, None], x, now.x),
            f=xp.where(lower_now, f, now.f),
            nfev=now.nfev + found["nfev"],
            njev=now.njev + found["njev"],
            idle=xp.where(lower_now, zero, now.idle) if from_best else zero,
        )
        if not from_best:
            p = int(x.shape[1])
            new = new._replace(last_x=x, last=f, patience=zero + p)
        s = _State(*(at(a)[index].set(b) for a, b in zip(s, new, strict=True)))
    status = outcomes(
        s.best,
        (s.nit >= settings.maxiter, Outcome.CONVERGED),
        (s.nfev >= settings.maxfun, Outcome.LIMIT),
    )
    return s._replace(status=xp.where(asks, status, s.status))
