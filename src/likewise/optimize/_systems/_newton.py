"""Newton's method with a line search for systems of equations, many at once.

J. E. Dennis, R. B. Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear
Equations, 1996: backtracking on half the sum of squares by quadratic interpolation (section 6.3.2),
a perturbed Gauss-Newton step where the Jacobian is singular (section 6.5), a largest step (section
7.2). A step of the loop is one trial of every problem; Jacobians are computed after accepted ones.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve, lu_factor, lu_solve, solve
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes, still_wanted
from ...transforms import cond
from .._steps._system import System
from .._steps._trust_region import dot, norm
from ._levenberg_marquardt import LM
from ._method import Root, Row, Run

__all__ = ["NEWTON", "newton"]

_ENOUGH = 1e-4  # of the slope: the least that a trial achieves
_SHORTEST = 1e-6  # of the full step
_LONGEST = 1e3  # times the size of the start, or 1


class _State(NamedTuple):
    x: Any  # (B, p)
    fun: Any  # (B, p)
    step: Any  # (B, p), the full one
    share: Any  # (B,), of it that is tried
    status: Any  # (B,)
    nit: Any
    nfev: Any


class _Rule(NamedTuple):
    tol: float
    maxiter: int
    maxfev: int | None


def _solved(xp: Any, jac: Any, f: Any) -> Any:
    if jac.shape[-1] <= 3:
        return solve(jac, f[:, :, None])[..., 0]
    if jac.shape[0] == 1:  # a single large matrix has quicker routines
        return lu_solve(lu_factor(jac[0, ...]), f[0, :])[None, :]
    return lu_solve(lu_factor(jac), f[:, :, None])[..., 0]


def _direction(system: System, x: Any, f: Any, longest: Any) -> Any:
    """Return Newton's step, or a damped Gauss-Newton step where the Jacobian is nearly singular."""
    xp = array_namespace(x)
    p, eps = x.shape[1], float(xp.finfo(x.dtype).eps)
    jac = system.jacobian(x)
    step = -_solved(xp, jac, f)
    left = xp.matmul(jac, step[:, :, None])[..., 0] + f
    size = norm(xp, step)
    exact = xp.isfinite(size) & (norm(xp, left) <= 0.1 * norm(xp, f))

    def perturbed(jac: Any, f: Any, step: Any) -> Any:
        turned = xp.matrix_transpose(jac)
        gram = xp.matmul(turned, jac)
        top = xp.max(xp.sum(xp.abs(gram), axis=-1), axis=-1)
        top = xp.where(top > 0, top, xp.ones_like(top)) * (p * eps) ** 0.5
        gram = gram + top[:, None, None] * xp.eye(p, dtype=x.dtype, device=device(x))
        right = xp.matmul(turned, f[:, :, None])
        other = -cho_solve(cho_factor(gram, lower=True), right)[..., 0]
        # A step that takes nothing off the residuals leads to no root: the sum of squares is flat.
        left = xp.matmul(jac, other[:, :, None])[..., 0] + f
        flat = norm(xp, left) > (1 - eps**0.5) * norm(xp, f)
        other = xp.where(flat[:, None], xp.full_like(other, xp.nan), other)
        return xp.where(exact[:, None], step, other)

    step = cond(xp.all(exact), lambda jac, f, step: step, perturbed, jac, f, step)
    size = norm(xp, step)
    cut = longest / xp.where(size > 0, size, xp.ones_like(size))
    return step * xp.where(size > longest, cut, xp.ones_like(cut))[:, None]


def newton(system: System, x0: Any, run: Run) -> Root:
    """Solve ``residuals(x) = 0`` from `x0`, (B, p), until the step is within xtol of x.

    If no step reduces the residuals, 'lm' starts from `x0`.
    """
    xp = array_namespace(x0)
    rule = _Rule(run.xtol(x0), int(run.options["maxiter"]), run.options["maxfev"])
    f = system.residuals(x0)
    size = norm(xp, x0)
    longest = _LONGEST * xp.maximum(size, xp.ones_like(size))
    step = _direction(system, x0, f, longest)
    status = _judged(rule, x0, f, step)
    zero = xp.zeros_like(status)
    first = _State(x0, f, step, xp.ones_like(longest), status, zero, zero + 1)
    method = Method(lambda _: first, lambda data, s: _step(system, rule, data[0], s), holds=True)
    end = run.iterate(method, (longest,))
    # The step that was small enough is known: it is taken, if it does no harm.
    x = end.x + end.step
    f = system.residuals(x)
    asked = end.status == Outcome.CONVERGED
    better = (asked & (dot(xp, f, f) <= dot(xp, end.fun, end.fun)))[:, None]
    nfev = xp.where(asked, end.nfev + 1, end.nfev)
    x, f = xp.where(better, x, end.x), xp.where(better, f, end.fun)
    found = Root(x, f, end.status, end.nit, nfev)
    lost = still_wanted(end.status, end.status == Outcome.STALLED)
    out: Root = cond(
        xp.any(lost), lambda end: _again(system, x0, run, lost, end), lambda end: end, found
    )
    return out


def _again(system: System, x0: Any, run: Run, lost: Any, end: Root) -> Root:
    """Solve by 'lm' from the start; use the result where it is a root."""
    xp = array_namespace(x0)
    start = xp.where(lost[:, None], x0, end.x)
    usual = run._replace(options=LM.options | {"maxfev": run.options["maxfev"]}, callback=None)
    other = LM.solve(system, start, usual)
    better = lost & (other.status == Outcome.CONVERGED)
    return Root(
        x=xp.where(better[:, None], other.x, end.x),
        fun=xp.where(better[:, None], other.fun, end.fun),
        status=xp.where(better, other.status, end.status),
        nit=xp.where(lost, end.nit + other.nit, end.nit),
        nfev=xp.where(lost, end.nfev + other.nfev, end.nfev),
    )


def _judged(rule: _Rule, x: Any, f: Any, step: Any) -> Any:
    """The status of problems that have just moved."""
    xp = array_namespace(x, f)
    cost = dot(xp, f, f)
    return outcomes(
        cost,
        (norm(xp, step) <= rule.tol * norm(xp, x), Outcome.CONVERGED),
        (~xp.all(xp.isfinite(step), axis=1), Outcome.STALLED),
        (cost == 0, Outcome.CONVERGED),
        (~xp.isfinite(cost), Outcome.NOT_FINITE),
    )


def _step(system: System, rule: _Rule, longest: Any, s: _State) -> _State:
    x = s.x + s.share[:, None] * s.step
    f = system.residuals(x)
    xp = array_namespace(x, f)
    running = s.status == Outcome.RUNNING
    before, after = dot(xp, s.fun, s.fun), dot(xp, f, f)
    good = running & (after <= (1 - 2 * _ENOUGH * s.share) * before)
    x = xp.where(good[:, None], x, s.x)
    f = xp.where(good[:, None], f, s.fun)
    step = cond(
        xp.any(good),
        lambda x, f, step: _direction(system, x, f, longest),
        lambda x, f, step: step,
        x,
        f,
        s.step,
    )
    step = xp.where(good[:, None], step, s.step)
    # The minimum of the parabola through the two values with the slope -before.
    bend = after - before * (1 - 2 * s.share)
    ideal = before * s.share * s.share / xp.where(bend > 0, bend, xp.ones_like(bend))
    ideal = xp.where(xp.isfinite(ideal) & (bend > 0), ideal, xp.zeros_like(ideal))
    shorter = xp.minimum(xp.maximum(ideal, 0.1 * s.share), 0.5 * s.share)
    share = xp.where(good, xp.ones_like(shorter), shorter)
    # Where no share of the step reduces anything: at a root, it is a matter of rounding.
    eps = float(xp.finfo(x.dtype).eps)
    tiny = norm(xp, s.step) <= eps**0.5 * norm(xp, s.x)
    lost = ~good & (shorter < _SHORTEST)
    now = xp.where(good, _judged(rule, x, f, step), s.status)
    code = outcomes(after, (tiny, Outcome.ROUNDED), otherwise=Outcome.STALLED)
    now = xp.where(lost, code, now)
    nit = xp.where(good, s.nit + 1, s.nit)
    late = nit >= rule.maxiter
    late = late if rule.maxfev is None else late | (s.nfev + 1 >= rule.maxfev)
    limit = outcomes(after, (late, Outcome.LIMIT))
    now = xp.where(now == Outcome.RUNNING, limit, now)
    return _State(
        x,
        f,
        step,
        xp.where(running, share, s.share),
        xp.where(running, now, s.status),
        nit,
        xp.where(running, s.nfev + 1, s.nfev),
    )


NEWTON = Row(
    "newton",
    newton,
    {"maxiter": 200, "maxfev": None, "xtol": None, "disp": False},
    jacobian=True,
    instead_of=("hybr",),
    taken=("col_deriv", "band", "eps", "factor", "diag"),
)
