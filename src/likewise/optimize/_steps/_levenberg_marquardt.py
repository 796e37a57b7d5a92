"""Levenberg-Marquardt on any residuals, all problems of a batch together."""

from typing import Any

from ..._namespace import array_namespace, device
from ...transforms import while_loop
from . import _marquardt as marquardt
from ._loss import Rho, robust
from ._outcome import Outcome
from ._system import System

__all__ = ["STALLED", "by_levenberg_marquardt"]

STALLED = -4
_CODES = {
    Outcome.RUNNING: 0,
    Outcome.LIMIT: 0,
    Outcome.GRADIENT: 1,
    Outcome.COST: 2,
    Outcome.STEP: 3,
    Outcome.NOT_FINITE: -1,
    Outcome.STALLED: STALLED,
}


def by_levenberg_marquardt(
    system: System,
    x0: Any,
    bounds: tuple[Any, Any] | None,
    rho: Rho | None,
    f_scale: float,
    ftol: float,
    xtol: float,
    gtol: float,
    max_nfev: int,
) -> marquardt.State:
    """The solver's last state from `x0`, (B, p); status 0 where `max_nfev` was reached."""
    xp = array_namespace(x0)
    tests = marquardt.Limits(ftol, xtol, gtol, max_nfev)

    turn = xp.matrix_transpose

    def evaluate(x: Any) -> tuple[Any, Any, Any]:
        x = turn(x)
        f, jac = system.residuals(x), system.jacobian(x)
        cost = 0.5 * xp.sum(f * f, axis=1)
        if rho is not None:
            value, factor_r, factor_j = robust(rho, f, f_scale)
            cost = 0.5 * xp.sum(value, axis=1)
            f, jac = factor_r * f, factor_j[:, :, None] * jac
        normal = xp.matmul(xp.matrix_transpose(jac), jac)
        gradient = xp.matmul(f[:, None, :], jac)[:, 0, :]
        return cost, turn(gradient), xp.moveaxis(normal, 0, -1)

    low, high = (None, None) if bounds is None else map(turn, bounds)
    one = xp.ones_like(turn(x0))
    problem = marquardt.Problem(evaluate, one, low, high, 0 * one[0, :])

    def body(state: tuple[Any, marquardt.State]) -> tuple[Any, marquardt.State]:
        return state[0] + 1, marquardt.step(problem, state[1], tests, hand_over=False)

    count = xp.zeros((), dtype=xp.int32, device=device(x0))
    _, end = while_loop(
        lambda s: xp.any(s[1].status == Outcome.RUNNING) & (s[0] <= max_nfev),
        body,
        (count, marquardt.fresh(turn(x0))),
    )
    status = end.status
    for known, code in _CODES.items():
        status = xp.where(end.status == known, xp.full_like(status, code), status)
    return end._replace(x=turn(end.x), gradient=turn(end.gradient), status=status)
