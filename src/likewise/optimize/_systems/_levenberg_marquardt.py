"""Levenberg-Marquardt for systems of equations, also of more equations than unknowns."""

from typing import Any

from ..._namespace import array_namespace
from ...solving._outcome import Outcome, outcomes
from .._steps._levenberg_marquardt import by_levenberg_marquardt
from .._steps._marquardt import Limits
from .._steps._system import System
from ._method import Root, Row, Run

__all__ = ["LM"]


def _solve(system: System, x: Any, run: Run) -> Root:
    """Solve by the solver of curve_fit; at a root the residuals are zero up to rounding."""
    xp = array_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    usual = eps**0.75 if run.tol is None else float(run.tol)
    ftol, xtol, gtol = (run.options[k] or usual for k in ("ftol", "xtol", "gtol"))
    most = int(run.options["maxiter"] or 100 * (x.shape[1] + 1))
    most = min(most, run.options["maxfev"] or most)
    tests = Limits(ftol, xtol, gtol, most)
    found = by_levenberg_marquardt(system, x, None, None, 1.0, tests, run.joint)
    f, jac = found.fun, found.jac
    rows = xp.sqrt(xp.sum(jac * jac, axis=(1, 2)))
    reach = rows * (xp.sqrt(xp.sum(x * x, axis=1)) + xp.sqrt(xp.sum(found.x**2, axis=1)))
    zero = xp.sqrt(xp.sum(f * f, axis=1)) <= eps ** (2 / 3) * reach
    # At a root that rounding keeps it from reaching further, it stalls.
    stalled = found.status == Outcome.STALLED
    ended = (found.status > 0) | stalled
    code = outcomes(reach, (~stalled, Outcome.NO_ROOT), otherwise=Outcome.STALLED)
    code = xp.where(zero, xp.full_like(code, Outcome.CONVERGED), code)
    status = xp.where(ended, code, found.status)
    return Root(found.x, f, status, found.nfev - 1, found.nfev)


LM = Row(
    "lm",
    _solve,
    {"maxiter": None, "maxfev": None, "xtol": None, "ftol": None, "gtol": None, "disp": False},
    jacobian=True,
    more=True,
    taken=("col_deriv", "eps", "factor", "diag"),
)
