"""Units of parameters and residuals in which squares neither overflow nor underflow."""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ._covariance import size
from ._model import Model, Rows

__all__ = ["Height", "Units", "far_from", "height", "measured", "ordinary", "plain", "unit"]


class Height(NamedTuple):
    """Hold the size of the data of each problem."""

    height: Any


def height(rows: Rows) -> Height:
    xp = array_namespace(rows.y)
    return Height(size(xp, rows.y if rows.weight is None else rows.y * rows.weight))


def unit(rows: Rows) -> Any:
    """Return the sizes of the parameters at the start, (p, B); 1 for those that have none."""
    xp, size = array_namespace(rows.start), array_namespace(rows.start).abs(rows.start)
    return xp.where((size > 0) & xp.isfinite(size), size, xp.ones_like(size))


class Units(NamedTuple):
    """Hold the units of parameters, (p, B), and of residuals, (B,)."""

    unit: Any
    height: Any


def ordinary(rows: Rows) -> Any:
    """Return whether products of data and parameters need no units, (B,)."""
    xp = array_namespace(rows.y)
    most = float(xp.finfo(rows.y.dtype).max) ** 0.125
    every = xp.concat([rows.unit, rows.height[None, :]], axis=0)
    return (xp.min(every, axis=0) > 1 / most) & (xp.max(every, axis=0) < most)


def plain(rows: Rows) -> bool:
    """Return whether all are ordinary."""
    return bool(array_namespace(rows.y).all(ordinary(rows)))  # likewise: ignore[LW203]: at hand


def measured(model: Model, x: Any, rows: Rows) -> Units:
    """Return units in which squares of residuals and columns at the start don't overflow.

    These are the units of the rows if they suffice, else units in which the sizes are 1.
    """
    xp = array_namespace(rows.y)
    far = float(xp.finfo(rows.y.dtype).max) ** 0.25
    bare = rows._replace(height=None, unit=None)
    r, columns = model.weighted(model.predictors(x, rows), bare, rows.start)
    left = xp.max(xp.abs(r), axis=1)
    height = xp.where(xp.isfinite(left) & (left / far > rows.height), left, rows.height)
    every = [xp.broadcast_to(c, r.shape) for c in model.every(columns, r)]
    tops = xp.stack([xp.max(xp.abs(c), axis=1) for c in every], axis=0)
    size = rows.unit / height * tops
    known = xp.isfinite(tops) & (tops > 0)
    unfit = known & ~((size < far) & (size > 1 / far))
    unit = height / xp.where(unfit, tops, xp.ones_like(tops))
    return Units(xp.where(unfit & xp.isfinite(unit) & (unit > 0), unit, rows.unit), height)


def far_from(new: Units, old: Units) -> Any:
    """Tell which problems' units have changed so much that squares may overflow."""
    xp = array_namespace(new.unit)
    near = float(xp.finfo(new.unit.dtype).max) ** 0.0625
    every = xp.concat([new.unit / old.unit, (new.height / old.height)[None, :]], axis=0)
    return (xp.max(every, axis=0) > near) | (xp.min(every, axis=0) < 1 / near)
