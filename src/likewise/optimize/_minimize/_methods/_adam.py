"""Adam.

D. P. Kingma, J. Ba, Adam: a method for stochastic optimization, arXiv:1412.6980, algorithm 1.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace
from ....solving._driver import Method
from ....solving._outcome import Outcome, outcomes
from .._method import Found, Row, Rows
from .._objective import Objective

__all__ = ["METHOD"]


class _State(NamedTuple):
    x: Any
    f: Any
    g: Any
    mean: Any
    square: Any
    fade: Any  # (B, 2), the betas to the power of the iteration
    status: Any
    nit: Any


def _adam(
    objective: Objective,
    gtol: float,
    maxiter: int,
    learning_rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> Method:
    def judged(f: Any, g: Any, nit: Any) -> Any:
        xp = array_namespace(f)
        return outcomes(
            f,
            (nit >= maxiter, Outcome.LIMIT),
            (xp.max(xp.abs(g), axis=1) <= gtol, Outcome.CONVERGED),
            ((f == -xp.inf) & (nit > 0), Outcome.UNBOUNDED),
        )

    def start(problems: Rows) -> _State:
        x = problems.x0
        f, g = objective.value_and_gradient(x)
        xp = array_namespace(x)
        zero, zeros = xp.zeros_like(f, dtype=xp.int32), xp.zeros_like(x)
        fade = xp.ones_like(xp.stack([f, f], axis=1))
        return _State(x, f, g, zeros, zeros, fade, judged(f, g, zero), zero)

    def step(problems: Rows, s: _State) -> _State:
        xp = array_namespace(s.x)
        mean = beta1 * s.mean + (1 - beta1) * s.g
        square = beta2 * s.square + (1 - beta2) * s.g * s.g
        fade = xp.stack([beta1 * s.fade[:, 0], beta2 * s.fade[:, 1]], axis=1)
        root = xp.sqrt(square / (1 - fade[:, 1:])) + epsilon
        x = s.x - learning_rate * (mean / (1 - fade[:, :1])) / root
        f, g = objective.value_and_gradient(x)
        return _State(x, f, g, mean, square, fade, judged(f, g, s.nit + 1), s.nit + 1)

    return Method(start, step, _end, value=lambda s: (s.f, s.g))


def _end(s: _State) -> Found:
    return Found(s.x, s.f, s.g, s.status, s.nit, s.nit + 1, s.nit + 1, None)


METHOD = Row(
    "Adam",
    _adam,
    {"gtol": 1e-5, "maxiter": 10000, "learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999}
    | {"epsilon": 1e-8},
)
