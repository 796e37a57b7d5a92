"""Nonlinear conjugate gradients.

J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., section 5.2: beta of Polak and Ribiere,
never negative, (5.44) and (5.45).
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ._descent import Method

__all__ = ["conjugate_gradients"]


class _Memory(NamedTuple):
    kept: Any  # (B, p), what the next direction keeps of the last


def conjugate_gradients(c1: float, c2: float) -> Method:
    """The method, for `descend`."""
    return Method(_begin, _learn, _direction, _first, c1, c2)


def _begin(x: Any) -> _Memory:
    return _Memory(array_namespace(x).zeros_like(x))


def _learn(memory: _Memory, d: Any, s: Any, y: Any, g: Any) -> _Memory:
    xp = array_namespace(g)
    before = g - y
    square = xp.sum(before * before, axis=1)
    beta = xp.sum(g * y, axis=1) / xp.where(square > 0, square, xp.ones_like(square))
    return _Memory(xp.maximum(beta, xp.zeros_like(beta))[:, None] * d)


def _direction(memory: _Memory, x: Any, g: Any) -> Any:
    return memory.kept - g


def _first(step: Any, slope_before: Any, slope: Any) -> Any:
    """The step that changes the value by as much as the last one, to first order: (3.59)."""
    xp = array_namespace(step)
    ratio = slope_before / xp.where(slope == 0, xp.ones_like(slope), slope)
    return step * xp.clip(ratio, 1e-3, 1e3)
