"""Levenberg-Marquardt on any residuals, all problems of a batch together."""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from . import _marquardt as marquardt
from ._driver import Method, iterate
from ._loss import Rho, robust
from ._system import System

__all__ = ["by_levenberg_marquardt"]


class _Data(NamedTuple):
    """Holds what differs from problem to problem, which is the last axis."""

    unit: Any  # (p, B)
    low: Any  # (p, B), or None
    high: Any
    rounding: Any  # (B,)


def by_levenberg_marquardt(
    system: System,
    x0: Any,
    bounds: tuple[Any, Any] | None,
    rho: Rho | None,
    f_scale: float,
    tests: marquardt.Limits,
    whole: bool,
) -> marquardt.State:
    """The solver's last state from `x0`, (B, p), where `x` and `gradient` are (B, p), too.

    `whole`: the functions take all problems alone.
    """
    xp = array_namespace(x0)
    turn = xp.matrix_transpose

    def problem(data: _Data) -> marquardt.Problem:
        low, high = data.low, data.high
        limits = None if low is None else (turn(low), turn(high))
        of = _normal(system.within(limits), rho, f_scale)
        return marquardt.Problem(of, data.unit, low, high, data.rounding)

    def step(data: _Data, state: marquardt.State) -> marquardt.State:
        return marquardt.step(problem(data), state, tests, hand_over=False)

    start = turn(x0)
    one = xp.ones_like(start)
    low, high = (None, None) if bounds is None else map(turn, bounds)
    data = _Data(one, low, high, 0 * one[0, :])
    method = Method(lambda _: marquardt.fresh(start), step, axis=-1)
    end = iterate(method, data, tests.max_nfev + 1, whole=whole)
    return end._replace(x=turn(end.x), gradient=turn(end.gradient))


def _normal(system: System, rho: Rho | None, f_scale: float) -> Any:
    """Return half the sum of the losses, its gradient and the normal matrix of x, (p, B)."""

    def of(x: Any) -> tuple[Any, Any, Any]:
        xp = array_namespace(x)
        turn = xp.matrix_transpose
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

    return of
