"""The conditions that a constrained minimum fulfils, for its derivatives.

R. Fletcher, Practical Methods of Optimization, 2nd ed., section 9.1: the gradient is a combination
of the normals of the active constraints; multipliers of the others are 0. A. V. Fiacco,
Introduction to Sensitivity and Stability Analysis in Nonlinear Programming, 1983: with the active
set held, the derivatives of solution and multipliers follow from these equations.
"""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace
from ...transforms import stop_gradient
from ._canonical import Constraints

__all__ = ["active", "optimality"]


def optimality(
    gradient: Callable[[Any], Any], constraints: Constraints, rows: Any, x: Any, y: Any, z: Any
) -> Callable[[Any], Any]:
    """Return a function of unknowns and multipliers (B, p + m) that is 0 at minima.

    `gradient` is the function's, with derivatives; `rows` has ``low, high, matrix, lower, upper``.
    Active constraints and bounds are those of the minima x (B, p), with multipliers y (B, m) of
    constraints and z (B, p) of bounds.
    """
    xp, p = array_namespace(x), int(x.shape[1])
    data = (rows.low, rows.high, rows.matrix, rows.lower, rows.upper)
    low, high, matrix, lower, upper = (None if a is None else stop_gradient(a) for a in data)
    values = stop_gradient(constraints.live_values(x, matrix))
    at_low, at_high = active(xp, values, y, low, high)
    held = None if lower is None else active(xp, x, z, lower, upper)
    # Rows that depend on others leave multipliers open: so these are the nearest ones, nearly.
    little, known = float(xp.finfo(x.dtype).eps) ** 0.75, y

    def residual(both: Any) -> Any:
        x, y = both[:, :p], both[:, p:]
        xp = array_namespace(both)
        slope = gradient(x) - constraints.pulled(x, y, rows.matrix)
        if held is not None:
            at_upper = xp.where(held[1], x - rows.upper, slope)
            slope = xp.where(held[0], x - rows.lower, at_upper)
        values = constraints.live_values(x, rows.matrix) + little * (y - known)
        above = xp.where(at_high, values - rows.high, y)
        return xp.concat([slope, xp.where(at_low, values - rows.low, above)], axis=1)

    return residual


def active(xp: Any, values: Any, y: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Tell what is held at its lower and at its upper side: its multiplier outweighs its room."""
    equal = low == high
    at_low = equal | ((y > 0) & (values - low <= y))
    return at_low, ~at_low & (y < 0) & (high - values <= -y)
