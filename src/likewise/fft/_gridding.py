"""Sums over points on a finer grid: the kernel, spreading and gathering.

The kernel is that of Kaiser and Bessel, cut off after `width` steps of a grid that is twice as fine
as the modes need: J. A. Fessler and B. P. Sutton, IEEE Trans. Signal Process. 51, 560 (2003). In
each step it is a polynomial, of which a product of matrices gives the values for all points.
"""

import functools
import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_concrete, namespace
from ..missing._segments import index_dtype, segments
from ..special import i0e
from ..transforms import scan

__all__ = ["Kernel", "gathered", "spread"]

_PIECE = 1 << 17  # elements of one piece, which stay in the cache
_TRACED = 1 << 24  # the same where a loop would be recorded


class Kernel:
    """Hold the kernel's width and shape for a tolerance."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.beta = 2.31 * width if width > 3 else (2.2, 2.2, 2.26)[width - 1] * width

    def correction(self, xp: Any, angle: Any) -> Any:
        """Return one over the kernel's Fourier transform, for waves that turn so far in a step."""
        beta, x = self.beta, angle * (self.width / 2)
        s = xp.sqrt(beta * beta - x * x)
        # Of sinh(s) / i0(beta), without large numbers.
        top = xp.exp(-(x * x) / (s + beta)) * (1 - xp.exp(-2 * s)) / 2
        return s * (_scaled(beta) / self.width) / top

    def values(self, xp: Any, at: Any) -> Any:
        """Return values (..., width, p) at the steps around points, `at` in them from -1 to 1."""
        table = _table(self.width, self.beta)
        powers = [xp.ones_like(at), at]
        while len(powers) < len(table[0]):
            powers.append(powers[-1] * at)
        table = xp.asarray(table, dtype=at.dtype, device=device(at))
        return table @ xp.stack(powers, axis=-2)


@_plan.of_settings
def _scaled(beta: float) -> float:
    return float(i0e(namespace("numpy").asarray(beta)))


@_plan.of_settings
def _table(width: int, beta: float) -> list[list[float]]:
    return _fitted(width, beta)


@functools.lru_cache(maxsize=64)
def _fitted(width: int, beta: float) -> list[list[float]]:
    """Return the coefficients of each step's polynomial, from the constant on."""
    xp = namespace("numpy")
    count = width + 4
    nodes = xp.cos(math.pi * (xp.arange(count, dtype=xp.float64) + 0.5) / count)
    z = (2 * xp.arange(width, dtype=xp.float64)[:, None] + nodes + 1) / width - 1
    root = xp.sqrt((1 - z) * (1 + z))
    y = i0e(beta * root) * xp.exp(beta * (root - 1)) / _scaled(beta)
    powers = nodes[:, None] ** xp.arange(count, dtype=xp.float64)
    return xp.linalg.solve(powers, y.T).T.tolist()


def _placed(kernel: Kernel, points: Any, sizes: Any) -> tuple[list[Any], list[Any]]:
    """Return for each axis the steps (b, width, p) around points (b, p), and the kernel there."""
    xp, places, values = array_namespace(*points), [], []
    kind, w = index_dtype(xp, device(points[0])), kernel.width
    offsets = xp.arange(w, dtype=kind, device=device(points[0]))[:, None]
    for x, n in zip(points, sizes, strict=True):
        turns = x * (0.5 / math.pi)
        start = (turns - xp.floor(turns)) * n - w / 2
        cell = xp.floor(start)
        values.append(kernel.values(xp, 2 * (cell - start) + 1))
        cell = xp.astype(xp.where(cell == cell, cell, xp.zeros_like(cell)), kind) + 1
        cell = xp.where(cell < 0, cell + n, cell)
        index = cell[:, None, :] + offsets
        places.append(xp.where(index < n, index, index - n))
    return places, values


def _flat(places: list[Any], sizes: Any) -> Any:
    """Return indices (b, w, ..., w, p) of a flattened grid."""
    index, d = places[0], len(sizes)
    for axis in range(1, d):
        index = index[..., None, :] * sizes[axis]
        index = index + places[axis][(slice(None), *(None,) * axis, ...)]
    return index


def _weights(values: list[Any]) -> Any:
    out = values[0]
    for axis in range(1, len(values)):
        out = out[..., None, :] * values[axis][(slice(None), *(None,) * axis, ...)]
    return out


def _rows(like: Any, b: int, t: int, size: int, ndim: int) -> Any:
    """Return where the grid of each row begins, (b, t, 1, ...)."""
    xp = array_namespace(like)
    first = xp.arange(b * t, dtype=like.dtype, device=device(like)) * size
    return xp.reshape(first, (b, t) + (1,) * ndim)


def _most(kernel: Kernel, rows: int, d: int, like: Any, size: int = 0) -> int:
    """Return how many points make a piece, the work on grids of `size` elements considered."""
    limit = max(_PIECE, size) if is_concrete(like) else _TRACED
    return max(16, limit // (rows * kernel.width**d))


def spread(kernel: Kernel, c: Any, points: Any, sizes: tuple[int, ...]) -> Any:
    """Add real strengths (b, t, p) to grids (b, t, *sizes) around points (b, p)."""
    (b, t, count), d, total = c.shape, len(sizes), math.prod(sizes)
    xp = array_namespace(c, *points)

    def added(c: Any, points: Any) -> Any:
        places, values = _placed(kernel, points, sizes)
        index = _flat(places, sizes)[:, None, ...] + _rows(places[0], b, t, total, d + 1)
        some = c[(slice(None), slice(None), *(None,) * d, ...)] * _weights(values)[:, None, ...]
        return segments(xp.reshape(some, (-1,)), xp.reshape(index, (-1,)), b * t * total, "add", 0)

    most = _most(kernel, b * t, d, c, 4 * b * t * total)
    if count <= most:
        out = added(c, points)
    elif is_concrete(c):
        cuts = [slice(i, i + most) for i in range(0, count, most)]
        out = sum(added(c[..., i], [x[:, i] for x in points]) for i in cuts)
    else:
        zero = xp.zeros((b * t * total,), dtype=c.dtype, device=device(c))
        parts = (_split(xp, c, most), tuple(_split(xp, x, most) for x in points))
        out, _ = scan(lambda sums, part: (sums + added(*part), None), zero, parts)
    return xp.reshape(out, (b, t, *sizes))


def gathered(kernel: Kernel, grid: Any, points: Any) -> Any:
    """Sum real grids (b, t, *sizes) around points (b, p): numbers (b, t, p)."""
    (b, t, *sizes), count, d = grid.shape, points[0].shape[-1], grid.ndim - 2
    xp, total = array_namespace(grid, *points), math.prod(sizes)
    flat = xp.reshape(grid, (-1,))

    def summed(points: Any) -> Any:
        places, values = _placed(kernel, points, sizes)
        index = _flat(places, sizes)[:, None, ...] + _rows(places[0], b, t, total, d + 1)
        out = xp.reshape(xp.take(flat, xp.reshape(index, (-1,))), index.shape)
        for axis in range(d - 1, -1, -1):
            weights = values[axis][(slice(None), *(None,) * (axis + 1), ...)]
            out = xp.sum(out * weights, axis=-2)
        return out

    most = _most(kernel, b * t, d, grid)
    if count <= most:
        return summed(points)
    if is_concrete(grid) and is_concrete(points[0]):
        cuts = [slice(i, i + most) for i in range(0, count, most)]
        return xp.concat([summed([x[:, i] for x in points]) for i in cuts], axis=-1)
    parts = tuple(_split(xp, x, most) for x in points)
    _, out = scan(lambda carry, part: (carry, summed(part)), 0.0, parts)
    return xp.reshape(xp.moveaxis(out, 0, 2), (b, t, -1))[..., :count]


def _split(xp: Any, x: Any, most: int) -> Any:
    """Return pieces (k, ..., most) of numbers (..., p), filled up with zeros."""
    count = -(-x.shape[-1] // most)
    more = xp.zeros((*x.shape[:-1], count * most - x.shape[-1]), dtype=x.dtype, device=device(x))
    x = xp.reshape(xp.concat([x, more], axis=-1), (*x.shape[:-1], count, most))
    return xp.moveaxis(x, -2, 0)
