"""The conditions that a constrained minimum fulfils, for its derivatives.

R. Fletcher, Practical Methods of Optimization, 2nd ed., section 9.1: the gradient is a combination
of the normals of the active constraints; multipliers of the others are 0. A. V. Fiacco,
Introduction to Sensitivity and Stability Analysis in Nonlinear Programming, 1983: with the active
set held, the derivatives of solution and multipliers follow from these equations.
"""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...transforms import jvp, stop_gradient
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
    values, slopes = constraints.values_and_jacobian(x, matrix)
    bend = _bend(lambda x: gradient(x) - constraints.pulled(x, y, matrix), x, gradient(x))
    steep = xp.sum(slopes * slopes, axis=2)
    ratio = bend / xp.where((steep > 0) & xp.isfinite(steep), steep, 1.0)
    at_low, at_high = active(xp, values, y, low, high, ratio)
    held = None if lower is None else active(xp, x, z, lower, upper, bend)
    # Rows that depend on others leave multipliers open: so these are the nearest ones, nearly.
    little, known = float(xp.finfo(x.dtype).eps) ** 0.75 / ratio, y

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


def active(xp: Any, values: Any, y: Any, low: Any, high: Any, ratio: Any = 1.0) -> tuple[Any, Any]:
    """Tell what is held at its lower and at its upper side: its multiplier outweighs its room.

    `ratio` is that of the units of multipliers and rooms.
    """
    equal = low == high
    at_low = equal | ((y > 0) & ((values - low) * ratio <= y))
    return at_low, ~at_low & (y < 0) & ((high - values) * ratio <= -y)


def _bend(slope: Callable[[Any], Any], x: Any, g: Any) -> Any:
    """Return about how much slopes change by a step of 1, (B, 1): a number for the units of both.

    Of straight functions it is what changes the gradient `g` by a step as long as x.
    """
    xp = array_namespace(x)
    v = xp.cos(1.7 * xp.arange(int(x.shape[1]), dtype=x.dtype, device=device(x)) + 0.5)
    change = stop_gradient(jvp(slope, (x,), (xp.broadcast_to(v, x.shape),))[1])
    bend = xp.max(xp.abs(change), axis=1, keepdims=True) / xp.max(xp.abs(v))
    size = 1 + xp.max(xp.abs(x), axis=1, keepdims=True)
    least = xp.max(xp.abs(stop_gradient(g)), axis=1, keepdims=True) / size
    bend = xp.maximum(
        xp.where(xp.isfinite(bend), bend, 0.0), xp.where(xp.isfinite(least), least, 0.0)
    )
    return xp.where(bend > 0, bend, 1.0)
