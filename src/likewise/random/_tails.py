"""The normal distribution far out on one side, by inversion of the logarithm of its tail."""

import math
from typing import Any

from .._namespace import is_concrete
from ..special._erfinv import scaled_complement
from ..special._log import log_of_sum

__all__ = ["START", "is_tail", "tail_normal"]

START = 2.0  # nearer to 0, the error function separates the values well
_STEPS = 5
_REACH = 40.0  # the farthest that a fraction reaches beyond the bound
_FAR = 9.0
_TERMS = 10  # of the continued fraction: 1e-17 from _FAR on
_HALF_PI_ROOT = math.sqrt(math.pi / 2)


def is_tail(xp: Any, low: Any, high: Any) -> Any:
    """Tell which intervals lie in a tail; None if none does, where that is cheap to know."""
    found = (low >= START) | (high <= -START)
    known = is_concrete(low) and is_concrete(high) and is_concrete(found)
    return None if known and not bool(xp.any(found)) else found


def tail_normal(xp: Any, u: Any, low: Any, high: Any) -> Any:
    """Numbers between bounds of which one is beyond START, increasing in fractions u.

    With Q the upper tail, -log(Q(a + d) / Q(a)) is convex in d. Newton's method finds its inverse
    from above, without cancellation, however small Q is.
    """
    right = low >= START
    a = xp.where(right, low, -high)
    a = xp.maximum(a, xp.full_like(a, START))  # where there is no tail, the result isn't used
    width = xp.minimum(high - low, xp.full_like(a, _REACH))
    most = 1 - (2.0**-24 if u.dtype == xp.float32 else 2.0**-53)
    mills = _mills(xp, a)

    def log_ratio(d: Any, there: Any) -> Any:
        return d * (a + 0.5 * d) - xp.log(there / mills)

    mass = -xp.expm1(-log_ratio(width, _mills(xp, a + width)))
    share = xp.where(right, u, xp.clip(1 - u, 0.0, most))
    wanted = -log_of_sum(xp, -share * mass)
    d = xp.minimum(wanted * mills, 2 * wanted / (a + xp.sqrt(a * a + 2 * wanted)))
    for _ in range(_STEPS):
        there = _mills(xp, a + d)
        d = d - (log_ratio(d, there) - wanted) * there
        d = xp.maximum(d, xp.zeros_like(d))
    return xp.where(right, a + d, -(a + d))


def _mills(xp: Any, x: Any) -> Any:
    """The upper tail of the normal distribution over its density, from START on."""
    near = scaled_complement(xp.clip(x, START, _FAR) * math.sqrt(0.5)) * _HALF_PI_ROOT
    x = xp.maximum(x, xp.full_like(x, _FAR))
    far = x
    for k in range(_TERMS, 0, -1):
        far = x + k / far
    return xp.where(x > _FAR, 1 / far, near)
