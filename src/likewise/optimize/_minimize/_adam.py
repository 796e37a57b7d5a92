"""Adam.

D. P. Kingma, J. Ba, Adam: a method for stochastic optimization, arXiv:1412.6980, algorithm 1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ._descent import CONVERGED, MAXITER, NOT_FINITE, Found
from ._objective import Objective
from ._rounds import RUNNING, rounds

__all__ = ["adam"]


class _State(NamedTuple):
    x: Any
    f: Any
    g: Any
    mean: Any
    square: Any
    fade: Any  # (B, 2), the betas to the power of the iteration
    status: Any
    nit: Any


def adam(
    objective: Objective,
    x0: Any,
    gtol: float,
    maxiter: int,
    learning_rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> Found:
    """Minimise from `x0` (B, p)."""
    xp = array_namespace(x0)
    f, g = objective.value_and_gradient(x0)
    zero = xp.zeros_like(f, dtype=xp.int32)

    def judged(f: Any, g: Any, nit: Any) -> Any:
        zero = xp.zeros_like(nit)
        finite = xp.isfinite(f) & xp.all(xp.isfinite(g), axis=1)
        status = xp.where(nit >= maxiter, zero + MAXITER, zero + RUNNING)
        status = xp.where(xp.max(xp.abs(g), axis=1) <= gtol, zero + CONVERGED, status)
        return xp.where(finite, status, zero + NOT_FINITE)

    def step(objective: Objective, s: _State) -> _State:
        running = s.status == RUNNING
        mean = beta1 * s.mean + (1 - beta1) * s.g
        square = beta2 * s.square + (1 - beta2) * s.g * s.g
        fade = xp.stack([beta1 * s.fade[:, 0], beta2 * s.fade[:, 1]], axis=1)
        root = xp.sqrt(square / (1 - fade[:, 1:])) + epsilon
        x = s.x - learning_rate * (mean / (1 - fade[:, :1])) / root
        row = running[:, None]
        x = xp.where(row, x, s.x)
        f, g = objective.value_and_gradient(x)
        f, g = xp.where(running, f, s.f), xp.where(row, g, s.g)
        nit = xp.where(running, s.nit + 1, s.nit)
        return _State(
            x, f, g, mean, square, fade, xp.where(running, judged(f, g, nit), s.status), nit
        )

    zeros = xp.zeros_like(x0)
    fade = xp.ones_like(xp.stack([f, f], axis=1))
    start = _State(x0, f, g, zeros, zeros, fade, judged(f, g, zero), zero)

    def make(objective: Objective) -> Callable[[_State], _State]:
        return lambda state: step(objective, state)

    end = rounds(objective, start, make)
    return Found(end.x, end.f, end.g, end.status, end.nit, end.nit + 1, end.nit + 1, None)
