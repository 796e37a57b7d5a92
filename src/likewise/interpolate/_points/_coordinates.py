"""Points of several coordinates, and values at them."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...errors import ShapeError
from .._base._arguments import alike, refuse_complex

__all__ = ["checked_values", "coordinates", "extents"]


def coordinates(function: str, name: str, given: Any, like: Any, d: int | None = None) -> Any:
    """Return points (..., d), of an array or of a tuple of coordinates that broadcast."""
    if isinstance(given, tuple) and len(given) == 1:
        given = given[0]
    many = isinstance(given, tuple)
    for part in given if many else (given,):
        refuse_complex(function, name, part)
    if many:
        names = ("values", *(name,) * len(given))
        parts = alike(function, names, like, *given)[1:]
        xp = array_namespace(*parts)
        points = xp.stack(xp.broadcast_arrays(*parts), axis=-1)
    else:
        points = alike(function, ("values", name), like, given)[1]
        if points.ndim < 2 and not (d and math.prod(points.shape) % d):
            points = array_namespace(points).reshape(points, (-1, d or 1))
    if d is not None and points.shape[-1] != d:
        raise ShapeError(
            f"{function}: number of dimensions in {name} does not match the points: they have "
            f"{d} coordinates, got shape {tuple(points.shape)}"
        )
    return points


def checked_values(function: str, values: Any, points: Any) -> None:
    """Refuse values and points whose shapes don't fit."""
    if points.ndim != 2 or not points.shape[0]:
        raise ShapeError(
            f"{function}: invalid shape for input data points: they must have the shape (n, d), "
            f"got {tuple(points.shape)}"
        )
    if not values.ndim or values.shape[0] != points.shape[0]:
        raise ShapeError(
            f"{function}: different number of values and points, got shapes "
            f"{tuple(values.shape)} and {tuple(points.shape)}"
        )


def extents(points: Any) -> tuple[Any, Any]:
    """Return the mean of points, and their extent along each axis, 1 where there is none."""
    xp = array_namespace(points)
    extent = xp.max(points, axis=0) - xp.min(points, axis=0)
    return xp.mean(points, axis=0), xp.where(extent > 0.0, extent, 1.0)
