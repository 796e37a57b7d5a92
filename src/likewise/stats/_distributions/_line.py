"""Put the support of a distribution on a line: x = sinh(u), a + exp(u), b - exp(-u), or between."""

import math
from typing import Any

from ..._namespace import array_namespace

__all__ = ["infinite", "place", "position"]


def infinite(end: Any) -> bool:
    """Tell if an end of a support is a number that is infinite."""
    return isinstance(end, float) and math.isinf(end)


def place(u: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return x of a support from a to b, and its derivative."""
    xp = array_namespace(u)
    if infinite(a):
        if infinite(b):
            return xp.sinh(u), xp.cosh(u)
        step = xp.exp(-u)
        return b - step, step
    if infinite(b):
        step = xp.exp(u)
        return a + step, step
    # The distance to the nearer end keeps its digits.
    e = xp.exp(-xp.abs(u))
    near, far = e / (1 + e), 1 / (1 + e)
    return xp.where(u < 0, a + (b - a) * near, b - (b - a) * near), (b - a) * near * far


def position(x: Any, a: Any, b: Any) -> Any:
    """Return u of an x inside of a support from a to b."""
    xp = array_namespace(x)
    if infinite(a):
        return xp.asinh(x) if infinite(b) else -xp.log(b - x)
    return xp.log(x - a) if infinite(b) else xp.log((x - a) / (b - x))
