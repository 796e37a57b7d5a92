"""Creation of windows: length, symmetry, and the place of the result."""

from collections.abc import Callable
from typing import Any

from .._base._places import Place, host, integer, target

__all__ = ["made", "placed"]


def made(
    function: str, M: Any, sym: bool, xp: Any, device: Any, values: Callable[[Any, int], Any]
) -> Any:
    """Return a window of M points, from a function that computes a symmetric one on the host."""
    return placed(function, M, sym, target(function, xp, device), values)


def placed(
    function: str, M: Any, sym: bool, where: Place, values: Callable[[Any, int], Any]
) -> Any:
    """Return a window as `made` does, in the place that its other arguments set."""
    m, ns = integer(function, "M", M), host()
    if m <= 1:
        return where.give(ns.ones(m))
    return where.give(values(ns, m if sym else m + 1)[:m])
