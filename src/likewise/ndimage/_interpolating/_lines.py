"""Values of splines on a grid of coordinates along the axes: one axis after the other."""

from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device, is_neutral
from .._base._dtypes import copied, floating, working
from ._arguments import result
from ._evaluation import Taps, beside_borders, real_of, rounded, taps_at
from ._splines import blocks_of, filtered, padded

__all__ = ["along_axes", "each", "line", "resampled"]


def each(values: Any, count: int) -> list[Any]:
    """Return the elements of a tuple or an array, along its first axis; a number for each."""
    if isinstance(values, tuple):
        return list(values[:count])
    return [values[k, ...] if values.ndim else values for k in range(count)]


def line(x: Any, n: int) -> Any:
    """Return the coordinates of n elements, in double precision where there is one."""
    xp = array_namespace(x)
    dtype = floating(xp, xp.zeros((0,), dtype=xp.int32, device=device(x)))
    return xp.arange(0, n, dtype=dtype, device=device(x))


def resampled(
    x: Any,
    factors: Sequence[Any],
    shifts: Sequence[Any],
    shape: Sequence[int],
    output: str | None,
    order: int,
    mode: str,
    cval: Any,
    prefilter: bool,
    *,
    edges: bool = False,
) -> Any:
    """Evaluate an image at ``factor * k + shift`` along each axis.

    With `edges`, k and the result are measured from the edge of the first element, not its center.
    """
    half = 0.5 if edges else 0.0
    xp = array_namespace(x)
    if 0 in (*x.shape, *shape):
        return xp.full(tuple(shape), cval, dtype=result(xp, x, output), device=device(x))
    places: list[Any] = []
    through = prefilter or order < 2  # the spline goes through the elements
    for n, m, factor, shift in zip(x.shape, shape, factors, shifts, strict=True):
        known = is_neutral(factor) and is_neutral(shift)
        if known and through and n == m and factor == 1.0 and shift == 0.0:
            places.append(None)
        else:
            places.append((line(x, m) + half) * factor + (shift - half))
    xp = array_namespace(x, *(at for at in places if at is not None))
    y = along_axes(xp, x, places, order, mode, cval, prefilter)
    return rounded(xp, y, result(xp, x, output))


def along_axes(
    xp: Any, x: Any, places: Sequence[Any], order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """Evaluate an image at a grid of coordinates, given for each axis; None where all stay.

    Each sum runs along one axis.
    """
    masks, y = [], working(xp, x)
    for axis, place in enumerate(places):
        if place is None:
            continue
        shift = 0
        if prefilter and order > 1:
            y, shift = padded(xp, y, axis, mode, cval, x.dtype)
        taps = taps_at(xp, place + float(shift), y.shape[axis], order, mode, real_of(xp, y.dtype))
        parts = [
            _along(xp, b, axis, taps, order, mode, cval, prefilter) for b in blocks_of(xp, y, axis)
        ]
        y = parts[0] if len(parts) == 1 else xp.concat(parts, axis=0 if axis else 1)
        if taps.inside is not None:
            masks.append(xp.reshape(taps.inside, (-1,) + (1,) * (x.ndim - 1 - axis)))
    for inside in masks:
        y = xp.where(inside, y, cval)
    return copied(xp, y) if y is x else y


def _along(
    xp: Any, y: Any, axis: int, taps: Taps, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    if prefilter:
        y = filtered(xp, y, axis, order, mode)
    c = beside_borders(xp, y, axis, order, mode, cval)
    wide = (-1,) + (1,) * (y.ndim - 1 - axis)
    total: Any = None
    for k in range(order + 1):
        part = xp.take(c, taps.first + k, axis=axis)
        if taps.weights:
            part = part * xp.reshape(taps.weights[k], wide)
        total = part if total is None else total + part
    return total
