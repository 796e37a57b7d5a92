"""Bounds in all of SciPy's forms, and starts that are moved into them."""

import math
from typing import Any

from ... import _plan
from ..._namespace import describe, device, is_concrete
from ...errors import ArgumentError, ShapeError
from ...solving._blocks import Sides
from ...solving._options import ends, warned

__all__ = ["limits", "sides_of", "unknowns", "within"]


def limits(xp: Any, x: Any, bounds: Any) -> tuple[Any, Any] | None:
    """Return lower and upper bounds (..., p), of the dtype of x (..., p)."""
    if bounds is None:
        return None
    p = int(x.shape[-1])
    low, high = (
        _side(xp, x, side, none)
        for side, none in zip(sides_of(bounds, p), (-math.inf, math.inf), strict=True)
    )
    shape = _plan.broadcast("minimize", lower=tuple(low.shape), upper=tuple(high.shape))
    return xp.broadcast_to(low, shape), xp.broadcast_to(high, shape)


def unknowns(x0: Any) -> int:
    """Return the number of variables of a start, an array, a list or a number."""
    shape = getattr(x0, "shape", None)
    if shape is not None:
        return int(shape[-1]) if len(shape) else 1
    while isinstance(x0, list | tuple) and x0 and isinstance(x0[0], list | tuple):
        x0 = x0[0]
    return len(x0) if isinstance(x0, list | tuple) else 1


def sides_of(bounds: Any, p: int) -> tuple[Any, Any]:
    """Return what stands for the lower bounds, and for the upper ones."""
    if isinstance(bounds, Sides):
        return bounds
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return ends(bounds)
    if not hasattr(bounds, "shape"):
        return _pairs(bounds, p)
    shape = tuple(bounds.shape)
    if len(shape) >= 2 and shape[-1] == 2 and (shape[-2] in (1, p) or p == 2):
        return bounds[..., 0], bounds[..., 1]
    if len(shape) == 2 and shape == (2, p):
        return bounds[0, :], bounds[1, :]
    raise ShapeError(f"minimize: bounds must have shape (..., {p}, 2) or (2, {p}), got {shape}")


def _pairs(bounds: Any, p: int) -> tuple[Any, Any]:
    try:
        rows = [tuple(row) for row in bounds]
    except TypeError:
        rows = [()]
    if p != 2 and len(rows) == 2 and all(len(row) == p for row in rows):
        return list(rows[0]), list(rows[1])
    if any(len(row) != 2 for row in rows):
        raise ArgumentError(
            f"minimize: bounds must be pairs (min, max), one for each of the {p} variables, got "
            f"{describe(bounds)}"
        )
    return [a for a, _ in rows], [b for _, b in rows]


def _side(xp: Any, x: Any, side: Any, none: float) -> Any:
    """One side's bounds (..., p); `none` stands for None and NaN."""
    p = int(x.shape[-1])
    if isinstance(side, list | tuple):
        side = [none if v is None else v for v in side]
        if len(side) == p and all(type(v) is float and v == v for v in side):
            return xp.asarray(side, dtype=x.dtype, device=device(x))
    if not hasattr(side, "shape"):
        side = _plan.from_lists("minimize", "bounds", xp, side, dtype=x.dtype, device=device(x))
    made = _plan.common_floating("minimize", xp, ("x0", "bounds"), x, side, real=True)[1]
    if made.dtype != x.dtype:
        made = xp.astype(made, x.dtype)
    if made.ndim == 0 or made.shape[-1] == 1:
        made = xp.broadcast_to(made, (*made.shape[:-1], p))
    if made.shape[-1] != p:
        raise ShapeError(
            f"minimize: bounds must be given for each of the {p} variables of x0, got them "
            f"for {made.shape[-1]}"
        )
    return xp.where(xp.isnan(made), xp.full_like(made, none), made)


def within(xp: Any, x: Any, lower: Any, upper: Any, single: bool, told: bool) -> Any:
    """Return starts (B, p) within their bounds; with `told`, warn of starts outside."""
    if is_concrete(x) and is_concrete(lower) and is_concrete(upper):
        crossed = lower > upper
        if bool(xp.any(crossed)):
            raise ArgumentError(f"minimize: bounds cross: min > max, {_first(xp, crossed, single)}")
        outside = (x < lower) | (x > upper)
        if told and bool(xp.any(outside)):
            warned(
                f"minimize: x0 lies outside bounds, {_first(xp, outside, single)}, and was moved "
                "onto them"
            )
    return xp.minimum(xp.maximum(x, lower), upper)


def _first(xp: Any, bad: Any, single: bool) -> str:
    # Called where the values are at hand.
    row = xp.argmax(xp.astype(xp.any(bad, axis=1), xp.int32))
    row = int(row)  # likewise: ignore[LW203]: see above
    variable = xp.argmax(xp.astype(bad[row, :], xp.int32))
    variable = int(variable)  # likewise: ignore[LW203]: see above
    return f"for variable {variable}" + ("" if single else f" of problem {row}")
