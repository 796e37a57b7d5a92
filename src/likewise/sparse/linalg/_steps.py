"""Vectors of many problems, as rows."""

from typing import Any

from ..._namespace import array_namespace

__all__ = ["dot", "norm", "over", "times"]


def dot(a: Any, b: Any) -> Any:
    """Return the inner products of rows, of which the first are conjugated."""
    return array_namespace(a, b).vecdot(a, b, axis=-1)


def norm(a: Any) -> Any:
    """Return the Euclidean norms of rows."""
    xp = array_namespace(a)
    found = xp.vecdot(a, a, axis=-1)
    return xp.sqrt(xp.real(found) if xp.isdtype(found.dtype, "complex floating") else found)


def over(a: Any, b: Any) -> Any:
    """Return a / b, and 0 where b is 0."""
    xp = array_namespace(a, b)
    zero = b == 0
    found = a / xp.where(zero, xp.ones_like(b), b)
    return xp.where(zero, xp.zeros_like(found), found)


def times(a: Any, v: Any) -> Any:
    """Return rows, each multiplied by its own number."""
    return a[:, None] * v
