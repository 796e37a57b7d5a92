"""The conditions that a constrained minimum fulfils, for its derivatives.

R. Fletcher, Practical Methods of Optimization, 2nd ed., section 9.1: the gradient is a combination
of the normals of the active constraints; multipliers of the others are 0. A. V. Fiacco,
Introduction to Sensitivity and Stability Analysis in Nonlinear Programming, 1983: with the active
set held, the derivatives of solution and multipliers follow from these equations.
"""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...solving._following import columns
from ...transforms import stop_gradient
from ._canonical import Constraints

__all__ = ["active", "bends", "following", "optimality", "stiffness"]


def optimality(
    gradient: Callable[[Any], Any], constraints: Constraints, rows: Any, x: Any, y: Any, z: Any
) -> tuple[Callable[[Any], Any], Any]:
    """Return a function of unknowns and multipliers (B, p + m) that is 0 at minima.

    `gradient` is the function's, with derivatives; `rows` has ``low, high, matrix, lower, upper``.
    Active constraints and bounds are those of the minima x (B, p), with multipliers y (B, m) of
    constraints and z (B, p) of bounds. Also which constraints are active, (B, m).
    """
    xp, p = array_namespace(x), int(x.shape[1])
    data = (rows.low, rows.high, rows.matrix, rows.lower, rows.upper)
    low, high, matrix, lower, upper = (None if a is None else stop_gradient(a) for a in data)
    values, slopes = constraints.values_and_jacobian(x, matrix)

    def slope(x: Any) -> Any:
        return gradient(x) - constraints.pulled(x, y, matrix)

    hessian = stop_gradient(columns(slope, x))
    eye = xp.eye(p, dtype=x.dtype, device=device(x))
    bend = bends(xp.sum(hessian * eye, axis=2), stop_gradient(gradient(x)), x)
    stiff = stiffness(slopes, bend)
    at_low, at_high = active(xp, values, y, low, high, stiff)
    held = None if lower is None else active(xp, x, z, lower, upper, bend)
    # Rows that depend on others leave multipliers open: so these are the nearest ones, nearly.
    little, known = float(xp.finfo(x.dtype).eps) ** 0.75 / stiff, y

    def residual(both: Any) -> Any:
        x, y = both[:, :p], both[:, p:]
        xp = array_namespace(both)
        force = gradient(x) - constraints.pulled(x, y, rows.matrix)
        if held is not None:
            at_upper = xp.where(held[1], x - rows.upper, force)
            force = xp.where(held[0], x - rows.lower, at_upper)
        values = constraints.live_values(x, rows.matrix) + little * (y - known)
        above = xp.where(at_high, values - rows.high, y)
        return xp.concat([force, xp.where(at_low, values - rows.low, above)], axis=1)

    return residual, at_low | at_high


def active(xp: Any, values: Any, y: Any, low: Any, high: Any, ratio: Any) -> tuple[Any, Any]:
    """Tell what is held at its lower and at its upper side: its multiplier outweighs its room.

    `ratio` is that of the units of multipliers and rooms.
    """
    equal = low == high
    at_low = equal | ((y > 0) & ((values - low) * ratio <= y))
    return at_low, ~at_low & (y < 0) & ((high - values) * ratio <= -y)


def following(z: Any, slope: Any) -> Any:
    """Return multipliers z of bounds, (B, p), with the derivatives of what rows leave of slopes."""
    change = slope - stop_gradient(slope)
    xp = array_namespace(z, change)
    return z + xp.where(xp.isfinite(change), change, xp.zeros_like(change))


def bends(curve: Any, g: Any, x: Any) -> Any:
    """Return how much slopes change by a step of 1 along each axis, (B, p): a number for units.

    `curve` is the diagonal of the second derivatives. Of straight functions it is what changes the
    gradient `g` by a step as long as x; all are above 0.
    """
    xp = array_namespace(x)
    curve, least = xp.abs(curve), xp.abs(g) / (1 + xp.abs(x))
    none = xp.zeros_like(x)
    curve = xp.maximum(
        xp.where(xp.isfinite(curve), curve, none), xp.where(xp.isfinite(least), least, none)
    )
    most = xp.max(curve, axis=1, keepdims=True)
    return xp.where(curve > 0, curve, xp.where(most > 0, most, xp.ones_like(most)))


def stiffness(slopes: Any, bend: Any) -> Any:
    """Return about the multipliers (B, m) that move rows by 1, of their slopes (B, m, p)."""
    xp = array_namespace(bend)
    give = xp.sum(slopes * slopes / bend[:, None, :], axis=2)
    most = xp.max(bend, axis=1, keepdims=True)
    known = (give > 0) & xp.isfinite(give)
    return xp.where(known, 1 / xp.where(known, give, xp.ones_like(give)), most)
