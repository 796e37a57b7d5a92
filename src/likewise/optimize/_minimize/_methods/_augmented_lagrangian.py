"""The augmented Lagrangian of Powell, Hestenes and Rockafellar, for many unknowns and constraints.

R. Andreani, E. G. Birgin, J. M. Martinez, M. L. Schuverdt, On augmented Lagrangian methods with
general lower-level constraints, SIAM J. Optim. 18(4), 2007, algorithm 3.1: the bounds are kept by
the inner iterations, which are those of L-BFGS-B, here; the first penalty is that of E. G. Birgin,
J. M. Martinez, Practical Augmented Lagrangian Methods for Constrained Optimization, 2014, (12.1).
No matrix is made: what the constraints need is products of their transposed derivatives.

The rows ``low <= c <= high`` have the nearest values s of ``c - y / penalty`` between their sides;
the function that is minimised is ``f + penalty / 2 |c - y / penalty - s|^2``, and the multipliers
of its minimum are the next y. A body of the loop evaluates once. Where the inner iterations have
ended, the next body evaluates there again, renews multipliers and penalty, and begins anew.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....solving._driver import Method, tree_where
from ....solving._outcome import Outcome, outcomes
from .._descent import Ends, descend
from .._method import Found, Row, Rows, largest
from .._objective import Objective
from ._lbfgsb import remembering

__all__ = ["METHOD"]

_WORTH = 0.5  # of the violation, to which inner iterations must bring it
_MORE = 10.0  # times the penalty, where they don't
_ROUNDED = 1.0  # times the resolution: steps that lower values by less are of rounding
_STUCK = 3  # inner iterations in a row that end where they began
_FAR = 0.1  # a power of the dtype's largest number, which multipliers don't pass


class _Setting(NamedTuple):
    gtol: float
    ctol: float
    maxiter: int
    maxfun: int
    maxcor: int
    maxls: int
    initial_constr_penalty: float


class _State(NamedTuple):
    inner: Any  # the state of the inner iterations
    x: Any  # where they last ended
    f: Any
    g: Any
    c: Any
    y: Any  # multipliers
    z: Any  # of bounds
    penalty: Any
    enough: Any  # the projected gradient at which the inner iterations end
    missed: Any  # the violation, by parts that multipliers don't explain
    renews: Any  # (B,), whether the next body renews multipliers
    before: Any  # (B,), whether inner iterations have been
    last: Any  # (B,), the outcome to end with at the next renewal, or 0
    stuck: Any  # (B,), how many inner iterations in a row have ended where they began
    optimality: Any
    violation: Any
    status: Any
    nit: Any
    nfev: Any


class _Known(NamedTuple):
    """Hold an evaluation, and what was renewed by it."""

    f: Any
    g: Any
    c: Any
    y: Any
    penalty: Any
    missed: Any


class _Penalised:
    """Compute the augmented Lagrangian; the multipliers of problems that renew them are renewed."""

    def __init__(self, objective: Objective, setting: _Setting, problems: Rows, s: _State) -> None:
        self.objective, self.setting, self.problems, self.s = objective, setting, problems, s
        self.known: Any = None

    def cost(self, p: int) -> int:
        return self.objective.cost(p)

    def value_and_gradient(self, x: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
        xp, s = array_namespace(x), self.s
        rows: Any = self.objective.constraints
        f, g = self.objective.value_and_gradient(x, lower, upper)
        c = rows.values(x, self.problems.matrix)
        low, high = self.problems.low, self.problems.high
        fit = _between(xp, c - s.y / s.penalty[:, None], low, high)
        missed = _most(c - fit)
        new = s.y + s.penalty[:, None] * (fit - c)
        far = float(xp.finfo(f.dtype).max) ** _FAR
        y = xp.where((s.renews & s.before)[:, None], xp.clip(new, -far, far), s.y)
        penalty = self._penalty(f, c, missed)
        shifted = c - y / penalty[:, None]
        rest = shifted - _between(xp, shifted, low, high)
        self.known = _Known(f, g, c, y, penalty, missed)
        value = f + 0.5 * penalty * xp.sum(rest * rest, axis=1)
        weights = penalty[:, None] * rest
        return value, g + rows.weighted(x, weights, self.problems.matrix, lower, upper)

    def _penalty(self, f: Any, c: Any, missed: Any) -> Any:
        xp, s = array_namespace(f), self.s
        worse = s.renews & s.before & ~(missed <= _WORTH * s.missed)
        more = xp.where(worse & (missed > self.setting.ctol), _MORE * s.penalty, s.penalty)
        if self.setting.initial_constr_penalty > 0:
            return more
        away = c - _between(xp, c, self.problems.low, self.problems.high)
        one = xp.ones_like(f)
        size = xp.maximum(0.5 * xp.sum(away * away, axis=1), one)
        first = xp.clip(10 * xp.maximum(xp.abs(f), one) / size, 1e-6, 1e3)
        first = xp.where(xp.isfinite(first), first, one)
        return xp.where(s.renews & ~s.before, first, more)


def _most(v: Any) -> Any:
    """Return the largest magnitude of each row, 0 of none."""
    xp = array_namespace(v)
    none = xp.zeros((v.shape[0], 1), dtype=v.dtype, device=device(v))
    return xp.max(xp.concat([none, xp.abs(v)], axis=1), axis=1)


def _between(xp: Any, v: Any, low: Any, high: Any) -> Any:
    return xp.minimum(xp.maximum(v, low), high)


def _augmented_lagrangian(objective: Objective, **options: Any) -> Method:
    setting = _Setting(**options)
    if objective.constraints is None:
        ends = Ends(setting.gtol, setting.maxiter, maxfun=setting.maxfun, maxls=setting.maxls)
        return descend(objective, remembering(setting.maxcor), ends)

    def start(problems: Rows) -> _State:
        return _start(setting, problems)

    def step(problems: Rows, s: _State) -> _State:
        return _step(objective, setting, problems, s)

    return Method(start, step, _end)


def _end(s: _State) -> Found:
    return Found(s.x, s.f, s.g, s.status, s.nit, s.nfev, s.nfev, None, s.y, s.z, s.violation)


def _inward(xp: Any, inner: Any, problems: Rows) -> Any:
    """Return the slopes that bounds don't hold up."""
    x, g = inner.x, inner.g
    if problems.lower is None:
        return g
    held = ((x <= problems.lower) & (g > 0)) | ((x >= problems.upper) & (g < 0))
    return xp.where(held | (problems.lower == problems.upper), xp.zeros_like(g), g)


def _inner(objective: Any, setting: _Setting, enough: Any) -> Method:
    eps = float(array_namespace(enough).finfo(enough.dtype).eps)
    ends = Ends(enough, setting.maxiter, ftol=_ROUNDED * eps, maxls=setting.maxls)
    return descend(objective, remembering(setting.maxcor), ends)


def _start(setting: _Setting, problems: Rows) -> _State:
    xp, x0 = array_namespace(problems.x0), problems.x0
    zero = xp.zeros_like(x0[:, 0])
    inner = _inner(None, setting, zero).start(problems)
    penalty = setting.initial_constr_penalty if setting.initial_constr_penalty > 0 else 1.0
    counts = xp.zeros_like(inner.status)
    return _State(
        inner=inner,
        x=x0,
        f=zero,
        g=xp.zeros_like(x0),
        c=xp.zeros_like(problems.low),
        y=xp.zeros_like(problems.low),
        z=xp.zeros_like(x0),
        penalty=zero + penalty,
        enough=zero + max(setting.gtol, setting.gtol**0.5),
        missed=zero + xp.inf,
        renews=zero == 0,
        before=zero != 0,
        last=counts,
        stuck=counts,
        optimality=zero + xp.inf,
        violation=zero + xp.inf,
        status=counts + Outcome.RUNNING,
        nit=counts,
        nfev=counts,
    )


def _step(objective: Objective, setting: _Setting, problems: Rows, s: _State) -> _State:
    xp = array_namespace(s.x)
    penalised = _Penalised(objective, setting, problems, s)
    inner = _inner(penalised, setting, s.enough).step(problems, s.inner)
    known: _Known = penalised.known
    renews = s.renews
    now = s._replace(y=known.y, penalty=known.penalty)
    here = now._replace(
        x=s.inner.x,
        f=known.f,
        g=known.g,
        c=known.c,
        # The slope is that of the Lagrangian with its new multipliers.
        z=s.inner.g - _inward(xp, s.inner, problems),
        missed=known.missed,
        before=renews | s.before,
        optimality=xp.where(
            s.before,
            largest(s.inner.x, s.inner.g, problems, float("inf"), xp),
            xp.full_like(s.f, xp.inf),
        ),
        violation=_most(known.c - _between(xp, known.c, problems.low, problems.high)),
        enough=xp.maximum(0.1 * s.enough, xp.full_like(s.enough, setting.gtol)),
    )
    # The first inner iterations are as coarse as the others begin.
    here = here._replace(enough=xp.where(s.before, here.enough, s.enough))
    new = tree_where(0, renews, here, now)
    nit = s.nit + inner.nit - s.inner.nit
    nfev = s.nfev + 1
    first = renews & ~s.before
    lost = inner.status == Outcome.NOT_FINITE
    ended = inner.status != Outcome.RUNNING
    held = renews & (new.missed <= setting.ctol) & (new.violation <= setting.ctol)
    close = held & (new.optimality <= setting.gtol)
    endless = renews & (s.last == Outcome.UNBOUNDED)
    deep = endless & (new.violation <= setting.ctol)
    most = float(xp.finfo(s.f.dtype).eps) ** -0.75
    high = renews & (new.penalty > most)
    over = (nit >= setting.maxiter) | (nfev * objective.cost(int(s.x.shape[1])) >= setting.maxfun)
    status = outcomes(
        s.f,
        (renews & (s.last == Outcome.LIMIT), Outcome.LIMIT),
        (high, Outcome.INFEASIBLE),
        (high & (new.violation <= setting.ctol), Outcome.PRECISION),
        (deep, Outcome.UNBOUNDED),
        (held & (s.stuck >= _STUCK), Outcome.PRECISION),
        (close, Outcome.CONVERGED),
        (first & lost, Outcome.NOT_FINITE),
    )
    last = outcomes(
        s.f,
        (over, Outcome.LIMIT),
        (inner.status == Outcome.UNBOUNDED, Outcome.UNBOUNDED),
    )
    left = largest(inner.x, inner.g, problems, float("inf"), xp)
    near = 4 * float(xp.finfo(s.f.dtype).eps) * (1 + _most(s.x))
    stayed = (left > s.enough) & (_most(inner.x - s.x) <= near)
    stuck = xp.where(stayed, s.stuck + 1, xp.zeros_like(s.stuck))
    again = (ended | over) & ~first | (renews & ended)
    return new._replace(
        inner=_anew(xp, setting, problems, s, inner, again, known.penalty),
        renews=again,
        last=last,
        stuck=xp.where(ended, stuck, s.stuck),
        status=status,
        nit=nit,
        nfev=nfev,
    )


def _anew(
    xp: Any, setting: _Setting, problems: Rows, s: _State, inner: Any, again: Any, penalty: Any
) -> Any:
    """Begin inner iterations where they have ended."""
    fresh = _inner(None, setting, s.enough).start(problems._replace(x0=inner.x))
    fresh = fresh._replace(g=inner.g, nit=inner.nit)
    return tree_where(0, again, fresh, inner)


METHOD = Row(
    "augmented-Lagrangian",
    _augmented_lagrangian,
    {"gtol": 1e-5, "ctol": 1e-8, "maxiter": 15000, "maxfun": 50000, "maxcor": 10, "maxls": 40}
    | {"initial_constr_penalty": 0.0},
    bounded=True,
    constrained=True,
    vectors=lambda p, options: 12 * int(options["maxcor"]),
)
