"""Levenberg-Marquardt for any residuals, for all problems of a batch at once."""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...transforms import cond
from . import _marquardt as marquardt
from ._loss import Rho, robust
from ._system import System

__all__ = ["Found", "by_levenberg_marquardt"]


class _Data(NamedTuple):
    """Hold the data that differ between problems, which are the last axis."""

    unit: Any  # (p, B)
    low: Any  # (p, B), or None
    high: Any
    rounding: Any  # (B,)


class _State(NamedTuple):
    """Hold the steps, and the best point with its values, so that no point is evaluated twice."""

    steps: marquardt.State
    at: Any  # (p, B)
    fun: Any  # (B, n)
    jac: Any  # (B, n, p)
    status: Any  # (B,)

    def by_row(self) -> set[str]:
        """Name the fields whose first axis is the problems."""
        return {"fun", "jac"}


class Found(NamedTuple):
    """Hold the end of the steps, one row per problem, without the loss in `fun` and `jac`."""

    x: Any  # (B, p)
    fun: Any  # (B, n)
    jac: Any  # (B, n, p)
    cost: Any  # (B,), half the sum of the losses
    gradient: Any  # (B, p)
    normal: Any  # (B, p, p)
    status: Any  # (B,)
    nfev: Any  # (B,)


def by_levenberg_marquardt(
    system: System,
    x0: Any,
    bounds: tuple[Any, Any] | None,
    rho: Rho | None,
    f_scale: float,
    tests: marquardt.Limits,
    joint: bool,
) -> Found:
    """Run the solver from `x0`, (B, p), within the limit of evaluations.

    With `joint`, the functions only take all problems together.
    """
    xp = array_namespace(x0)
    turn = xp.matrix_transpose

    def values(data: _Data, x: Any) -> tuple[Any, Any]:
        limits = None if data.low is None else (turn(data.low), turn(data.high))
        within = system.within(limits)
        return within.residuals(turn(x)), within.jacobian(turn(x))

    def stepped(data: _Data, before: marquardt.State, f: Any, jac: Any) -> marquardt.State:
        cost, gradient, normal = _normal(rho, f_scale, f, jac)
        found = cost, turn(gradient), xp.moveaxis(normal, 0, -1)
        problem = marquardt.Problem(lambda _: found, data.unit, data.low, data.high, data.rounding)
        return marquardt.step(problem, before, tests, hand_over=False, ball=True)

    def step(data: _Data, state: _State) -> _State:
        f, jac = values(data, state.steps.aim)
        steps = stepped(data, state.steps, f, jac)
        good = steps.growth == 2  # it grows at bad steps
        at = xp.where(good, state.steps.aim, state.at)
        f = xp.where(good[:, None], f, state.fun)
        jac = xp.where(good[:, None, None], jac, state.jac)
        return _State(steps, at, f, jac, steps.status)

    start = turn(x0)
    one = xp.ones_like(start)
    low, high = (None, None) if bounds is None else map(turn, bounds)
    data = _Data(one, low, high, 0 * one[0, :])
    f, jac = values(data, start)
    steps = stepped(data, marquardt.fresh(start), f, jac)
    first = _State(steps, start, f, jac, steps.status)
    end = iterate(Method(lambda _: first, step, axis=-1), data, tests.max_nfev, joint=joint)

    # The last step may lead where nobody has looked, as so little changes.
    moved = xp.any(end.steps.x != end.at, axis=0) & (end.steps.nfev < tests.max_nfev)
    x = xp.where(moved, end.steps.x, end.at)
    f, jac = cond(
        xp.any(moved), lambda x, f, jac: values(data, x), lambda x, f, jac: (f, jac),
        x, end.fun, end.jac,
    )  # fmt: skip
    nfev = xp.where(moved, end.steps.nfev + 1, end.steps.nfev)
    return Found(turn(x), f, jac, *_normal(rho, f_scale, f, jac), end.status, nfev)


def _normal(rho: Rho | None, f_scale: float, f: Any, jac: Any) -> tuple[Any, Any, Any]:
    """Half the sum of the losses, its gradient and the normal matrix."""
    xp = array_namespace(f)
    cost = 0.5 * xp.sum(f * f, axis=1)
    if rho is not None:
        value, factor_r, factor_j = robust(rho, f, f_scale)
        cost = 0.5 * xp.sum(value, axis=1)
        f, jac = factor_r * f, factor_j[:, :, None] * jac
    normal = xp.matmul(xp.matrix_transpose(jac), jac)
    return cost, xp.matmul(f[:, None, :], jac)[:, 0, :], normal
