"""The steps that methods with an approximate Jacobian share, and their line search.

Each iteration goes along minus the approximate inverse Jacobian times the residuals. A step of the
loop is one trial of every problem: where it takes enough off the sum of squares, the approximation
is renewed and gives the next direction; elsewhere the next trial is shorter (J. E. Dennis, R. B.
Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear Equations, 1996, section
6.3.2). Where none is long enough, the full step is taken, as the residuals may have to grow first.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, describe, device
from ...errors import ArgumentError
from ...solving._driver import Method, tree_where
from ...solving._options import count
from ...solving._outcome import Outcome, outcomes
from ...transforms import cond
from .._steps._system import System
from .._steps._trust_region import norm
from ._method import Root, Run

__all__ = ["OPTIONS", "USUAL", "Approximation", "number", "options_taken", "pace_of", "solved"]

_ENOUGH = 1e-4  # of the slope: the least that a trial achieves
_SHORTEST = 1e-2  # of the full step
USUAL = 2.0 ** (-52 / 3)  # SciPy's largest residual, of all dtypes
_IDLE = 10  # iterations that take less than a tenth off the residuals: rounding is in the way

OPTIONS: dict[str, Any] = {
    "nit": None, "maxiter": None, "maxfev": None, "fatol": None, "ftol": None, "xatol": None,
    "xtol": None, "tol_norm": None, "line_search": "armijo", "disp": False,
}  # fmt: skip


class Approximation(NamedTuple):
    """Define an approximate Jacobian, of which `memory` is a tree of arrays with B first."""

    start: Callable[[Any, Any], Any]  # x, f -> memory
    renewed: Callable[[Any, Any, Any, Any], Any]  # memory, f, and the changes of x and f -> memory
    # memory, x, f, and (B,) the relative error that does no harm -> direction
    direction: Callable[[Any, Any, Any, Any], Any]


class _State(NamedTuple):
    x: Any  # (B, p)
    fun: Any
    step: Any  # (B, p), the full one
    memory: Any
    share: Any  # (B,), of the step that is tried
    forced: Any  # (B,), whether the trial is taken, whatever it achieves
    first: Any  # (B,): the residuals' norm at the start
    error: Any  # (B,): of the direction
    best: Any  # (B,): the least norm of the residuals, to a tenth
    idle: Any  # (B,): iterations since then
    status: Any
    nit: Any
    nfev: Any


class _Rule(NamedTuple):
    fatol: float
    loose: float  # what does where rounding is in the way
    ftol: float
    xatol: float
    xtol: float
    norm: Callable[[Any], Any]
    nit: int | None
    maxiter: int
    maxfev: int | None
    searches: bool


def number(label: str, value: Any) -> float | None:
    """Return a number other than 0, or None."""
    if value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found) or found == 0:
        raise ArgumentError(f"root: {label} must be a number other than 0, got {value!r}")
    return found


def options_taken(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that all methods of this kind have, checked."""
    out = dict(options)
    for key in ("nit", "maxiter"):
        if out[key] is not None:
            out[key] = count("root", f"option {key!r}", out[key], 1, 1)
    out["maxfev"] = count("root", "option 'maxfev'", out["maxfev"], 0) or None
    for key in ("fatol", "ftol", "xatol", "xtol"):
        if out[key] is not None and out[key] != math.inf:
            out[key] = number(f"option {key!r}", out[key])
    if out["line_search"] is True:
        out["line_search"] = "armijo"
    if out["line_search"] not in (None, False, "armijo", "wolfe"):
        raise ArgumentError(
            "root: option 'line_search' must be 'armijo', 'wolfe', True, False or None, got "
            f"{out['line_search']!r}"
        )
    if out["tol_norm"] is not None and not callable(out["tol_norm"]):
        raise ArgumentError(
            f"root: option 'tol_norm' must be callable, got {describe(out['tol_norm'])}"
        )
    out["disp"] = bool(out["disp"])
    return out


def _largest(v: Any) -> Any:
    xp = array_namespace(v)
    return xp.max(xp.abs(v), axis=1)


def _by_rows(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a user's norm of one vector as one of rows."""

    def of(v: Any) -> Any:
        xp = array_namespace(v)
        found = [fun(v[i, :]) for i in range(v.shape[0])]
        made = [f if hasattr(f, "shape") else xp.asarray(f, dtype=v.dtype) for f in found]
        return xp.astype(xp.stack(made), v.dtype)

    return of


def _rule(x: Any, run: Run) -> _Rule:
    options = run.options
    eps = float(array_namespace(x).finfo(x.dtype).eps)
    given = run.tol if options["fatol"] is None else options["fatol"]
    own = options["tol_norm"]
    return _Rule(
        min(eps**0.5, USUAL) if given is None else given,
        max(eps**0.5, USUAL) if given is None else given,
        math.inf if options["ftol"] is None else options["ftol"],
        math.inf if options["xatol"] is None else options["xatol"],
        math.inf if options["xtol"] is None else options["xtol"],
        _largest if own is None else _by_rows(own),
        options["nit"],
        options["maxiter"] or 100 * (x.shape[1] + 1),
        options["maxfev"],
        bool(options["line_search"]),
    )


def _near(rule: _Rule, x: Any, f: Any, step: Any, first: Any, idle: Any = None) -> Any:
    """Tell which problems have converged."""
    level = rule.norm(f)
    zero = level == 0
    if rule.nit is not None:
        return zero
    near = level <= rule.fatol
    if idle is not None and rule.loose > rule.fatol:
        near = near | ((level <= rule.loose) & (idle >= _IDLE))
    if rule.ftol != math.inf:
        near = near & (level <= rule.ftol * first)
    if rule.xatol != math.inf and step is not None:
        near = near & (rule.norm(step) <= rule.xatol)
    if rule.xtol != math.inf and step is not None:
        near = near & (rule.norm(step) <= rule.xtol * rule.norm(x))
    steps = rule.xatol != math.inf or rule.xtol != math.inf
    return zero if steps and step is None else near | zero


def pace_of(x: Any, f: Any, alpha: float | None) -> Any:
    """Return minus the inverse Jacobian at the start, (B, 1): a first step of the start's size."""
    xp = array_namespace(x, f)
    length = norm(xp, f)
    one = xp.ones_like(length)
    if alpha is not None:
        return (alpha * one)[:, None]
    safe = xp.where(length > 0, length, one)
    pace = 0.5 * xp.maximum(norm(xp, x), one) / safe
    return xp.where(xp.isfinite(pace), pace, one)[:, None]


def solved(of: Approximation, system: System, x0: Any, run: Run) -> Root:
    """Solve ``residuals(x) = 0`` from `x0`, (B, p)."""
    xp = array_namespace(x0)
    rule = _rule(x0, run)
    f = system.residuals(x0)
    first = rule.norm(f)
    length = norm(xp, f)
    one = xp.ones_like(length)
    error = 1e-3 * one
    memory = of.start(x0, f)
    done = _near(rule, x0, f, None, first)
    lost = ~xp.isfinite(length)
    status = outcomes(length, (done, Outcome.CONVERGED), (lost, Outcome.NOT_FINITE))
    step = of.direction(memory, x0, f, xp.minimum(error, error * first))
    still = (status == Outcome.RUNNING) & (xp.max(xp.abs(step), axis=1) == 0)
    status = xp.where(still, xp.full_like(status, Outcome.STALLED), status)
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    begin = _State(
        x0, f, step, memory, one, one < 0, first, error, first, zero, status, zero, zero + 1
    )  # fmt: skip
    method = Method(lambda _: begin, lambda _, s: _tried(of, system, rule, s))
    end = run.iterate(method, (), moved=_moved)
    return Root(end.x, end.fun, end.status, end.nit, end.nfev)


def _moved(before: _State, after: _State) -> bool:
    xp = array_namespace(before.nit, after.nit)
    return bool(xp.any(after.nit > before.nit))


def _tried(of: Approximation, system: System, rule: _Rule, s: _State) -> _State:
    """Try a share of the step, and where it is good go on from there."""
    move = s.share[:, None] * s.step
    x = s.x + move
    f = system.residuals(x)
    xp = array_namespace(x, f)
    before, after = xp.sum(s.fun * s.fun, axis=1), xp.sum(f * f, axis=1)
    good = s.forced | (after <= (1 - _ENOUGH * s.share) * before)
    if not rule.searches:
        good = xp.ones_like(good)
    # The minimum of the parabola through the two values with the slope -before.
    bend = after - before * (1 - s.share)
    ideal = before * s.share * s.share / (2 * xp.where(bend > 0, bend, xp.ones_like(bend)))
    ideal = xp.where(xp.isfinite(ideal) & (bend > 0), ideal, xp.zeros_like(ideal))
    shorter = xp.minimum(xp.maximum(ideal, 0.1 * s.share), 0.5 * s.share)
    forced = ~good & (shorter < _SHORTEST)
    one = xp.ones_like(shorter)
    share = xp.where(good | forced, one, shorter)
    # What a renewed direction may leave of the residuals: S. C. Eisenstat, H. F. Walker, SIAM J.
    # Sci. Comput. 17(1), 1996, choice 2.
    level, last = rule.norm(f), rule.norm(s.fun)
    rate = 0.9 * (level / xp.where(last > 0, last, one)) ** 2
    safe = 0.9 * s.error * s.error
    error = xp.where(safe < 0.1, rate, xp.maximum(rate, safe))
    error = xp.minimum(xp.where(xp.isfinite(error), error, one), 0.9999 * one)
    error = xp.where(good, error, s.error)
    finite = xp.isfinite(after)
    used = good & finite

    def renewed(x: Any, f: Any, s: _State) -> tuple[Any, Any]:
        memory = of.renewed(s.memory, f, x - s.x, f - s.fun)
        memory = tree_where(0, used, memory, s.memory)
        step = of.direction(memory, x, f, xp.minimum(error, error * level))
        return memory, xp.where(used[:, None], step, s.step)

    here = xp.where(used[:, None], f, s.fun), xp.where(used[:, None], x, s.x)
    memory, step = cond(
        xp.any(used), renewed, lambda x, f, s: (s.memory, s.step), here[1], here[0], s
    )
    nit = xp.where(good, s.nit + 1, s.nit)
    less = level < 0.9 * s.best
    best = xp.where(good & less, level, s.best)
    idle = xp.where(good, xp.where(less, 0 * s.idle, s.idle + 1), s.idle)
    near = good & _near(rule, x, f, s.step, s.first, idle)
    late = nit >= (rule.maxiter if rule.nit is None else rule.nit)
    if rule.maxfev is not None:
        late = late | (s.nfev + 1 >= rule.maxfev)
    still = used & ~(xp.max(xp.abs(step), axis=1) > 0)
    status = outcomes(
        after,
        (late, Outcome.LIMIT),
        (still, Outcome.STALLED),
        (good & ~finite, Outcome.DIVERGED),
        (near, Outcome.CONVERGED),
    )
    x, f = xp.where(good[:, None], x, s.x), xp.where(good[:, None], f, s.fun)
    return _State(
        x, f, step, memory, share, forced, s.first, error, best, idle, status, nit, s.nfev + 1
    )  # fmt: skip
