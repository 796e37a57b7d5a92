"""Particles between magnetic mirrors: where they turn, and how long they take in between."""

from typing import Any

import numpy as np

from likewise import array_namespace, device
from likewise.integrate import gauss_chebyshev
from likewise.interpolate import CubicSpline, FourierInterpolator


def along(strength: Any, start: Any, twist: float, knots: int, turns: int) -> CubicSpline:
    """Return field strengths along lines of a torus, as one batch of splines.

    `strength` (n, m) has values on a grid of both angles. A line begins in the middle between two
    zeros, at a poloidal angle `start` (lines,), and gains `twist` for each unit of its way.
    """
    xp = array_namespace(strength, start)
    way = np.pi * xp.linspace(-1, 2 * turns - 1, knots, dtype=strength.dtype, device=device(start))
    places = xp.stack(xp.broadcast_arrays(start[:, None] + twist * way, way[None, :]), axis=-1)
    values = FourierInterpolator(strength, ndim=2)(places)
    return CubicSpline(xp.broadcast_to(way, values.shape), values)


def wells(field: CubicSpline, level: Any, most: int) -> tuple[Any, Any]:
    """Return where fields fall below a level, and where they come back, (lines, most) each.

    Behind the wells that there are stands NaN.
    """
    xp = array_namespace(level)
    level = xp.broadcast_to(level, field.x.shape[:1])
    ends = field.solve(level, extrapolate=False, size=2 * most + 1)
    outside = (field(field.x[:, 0]) > level)[:, None]  # where the line begins
    left = xp.where(outside, ends[:, :-1:2], ends[:, 1::2])
    return left, xp.where(outside, ends[:, 1::2], ends[:, 2::2])


def times(field: CubicSpline, left: Any, right: Any, level: Any, degree: int = 32) -> Any:
    """Return the integrals of ``1 / sqrt(1 - B / level)`` between mirrors."""
    xp = array_namespace(left, right, level)
    nodes, weights = gauss_chebyshev(degree, like=left)
    middle, half = (left + right) / 2, (right - left) / 2
    at = middle[..., None] + half[..., None] * nodes
    values = xp.reshape(field(xp.reshape(at, (at.shape[0], -1))), at.shape)
    bent = xp.sqrt((1 - nodes**2) / (1 - values / level))
    return half * xp.sum(weights * bent, axis=-1)
