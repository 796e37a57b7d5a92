"""The search for a penalty whose sum of squared residuals is a given one, as FITPACK makes it."""

from collections.abc import Callable

__all__ = ["penalty"]

_Point = tuple[float, float]


def penalty(
    over: Callable[[float], float], p: float, low: float, high: float, close: float, steps: int
) -> tuple[int, float]:
    """Return a status and the p at which a function that falls is nearly zero.

    `low` is the function at 0, above zero, `high` that at infinity, below it. From a bracket on,
    each step is to the zero of a rational function (p + a) / (p + b) through three points.
    """
    below, above = (0.0, low), (-1.0, high)
    down = up = False
    for step in range(steps):
        here = over(p)
        if abs(here) < close:
            return 0, p
        if step == steps - 1:
            break
        if not down:
            if here - above[1] <= close:
                above = p, here
                p *= 0.04
                p = 0.9 * below[0] + 0.1 * above[0] if p <= below[0] else p
                continue
            down = here < 0
        if not up:
            if below[1] - here <= close:
                below = p, here
                p /= 0.04
                p = 0.1 * below[0] + 0.9 * above[0] if 0 <= above[0] <= p else p
                continue
            up = here > 0
        if here >= below[1] or here <= above[1]:
            return 2, p
        now = p, here
        p = _rational(below, now, above)
        below, above = (below, now) if here < 0 else (now, above)
    return 3, p


def _rational(
    low: tuple[float, float], now: tuple[float, float], high: tuple[float, float]
) -> float:
    (p1, f1), (p2, f2), (p3, f3) = low, now, high
    if p3 <= 0:  # at infinity
        return (p1 * (f1 - f3) * f2 - p2 * (f2 - f3) * f1) / ((f1 - f2) * f3)
    h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
    return -(p1 * p2 * h3 + p2 * p3 * h1 + p3 * p1 * h2) / (p1 * h1 + p2 * h2 + p3 * h3)
