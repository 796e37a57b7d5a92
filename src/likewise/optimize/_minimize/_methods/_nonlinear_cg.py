"""Nonlinear conjugate gradients.

J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., section 5.2: beta of Polak and Ribiere,
never negative, (5.44) and (5.45).
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace
from ....solving._driver import Method
from .._descent import Descent, Ends, descend
from .._method import EACH, Row, Rows
from .._objective import Objective

__all__ = ["METHOD"]


class _Memory(NamedTuple):
    kept: Any  # (B, p), what the next direction keeps of the last


def _cg(objective: Objective, c1: float, c2: float, **ends: Any) -> Method:
    return descend(objective, Descent(_begin, _learn, _direction, c1, c2, _first), Ends(**ends))


def _begin(x: Any) -> _Memory:
    return _Memory(array_namespace(x).zeros_like(x))


def _learn(memory: _Memory, d: Any, s: Any, y: Any, g: Any) -> _Memory:
    xp = array_namespace(g)
    before = g - y
    square = xp.sum(before * before, axis=1)
    beta = xp.sum(g * y, axis=1) / xp.where(square > 0, square, xp.ones_like(square))
    return _Memory(xp.maximum(beta, xp.zeros_like(beta))[:, None] * d)


def _direction(memory: _Memory, problems: Rows, x: Any, g: Any) -> Any:
    return memory.kept - g


def _first(step: Any, slope_before: Any, slope: Any) -> Any:
    """The step that changes the value by as much as the last one, to first order: (3.59)."""
    xp = array_namespace(step)
    ratio = slope_before / xp.where(slope == 0, xp.ones_like(slope), slope)
    return step * xp.clip(ratio, 1e-3, 1e3)


METHOD = Row(
    "CG", _cg, {"gtol": 1e-5, "norm": float("inf"), "maxiter": EACH, "c1": 1e-4, "c2": 0.2}
)
