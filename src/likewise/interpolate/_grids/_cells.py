"""Cells of a grid around points, and the values at their corners."""

from collections.abc import Callable, Sequence
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ...missing import searchsorted
from ...missing._axes import index_dtype
from ...special._function import at_hand

__all__ = ["Finder", "corners"]

_MANY = 1 << 10  # points from which on a table of buckets is worth its time


class Finder:
    """Find the cell of each coordinate on an axis: 0 to n - 2; outside, the outermost one.

    Many coordinates start from a table of even buckets, each of which holds at most one knot; on
    axes that are too uneven for it, and for few, the search is binary. Of a batch of axes, (b, n),
    each coordinate comes with the number of its own.
    """

    def __init__(self, knots: Any, many: int) -> None:
        xp = array_namespace(knots)
        self.size = n = knots.shape[-1]
        self.table: Any = None
        if knots.ndim > 1:
            self.knots = xp.reshape(knots, (-1,))
            return
        self.knots, self.inner = knots, knots[1:-1]
        if many < _MANY or n < 4 or not at_hand(knots):
            return
        count = 4 * n
        edges = xp.linspace(0.0, 1.0, count + 1, dtype=knots.dtype, device=device(knots))
        table = searchsorted(self.inner, knots[0] + (knots[-1] - knots[0]) * edges, side="right")
        if is_concrete(table) and bool(xp.all(table[1:] - table[:-1] <= 1)):
            none = xp.asarray([xp.nan], dtype=knots.dtype, device=device(knots))
            self.table, self.last = table[:-1], float(count - 1)
            self.scale = count / (knots[-1] - knots[0])
            self.low = xp.concat([none, self.inner])
            self.high = xp.concat([self.inner, none])

    def knot(self, xp: Any, i: Any, which: Any = None) -> Any:
        """Return knots of numbers i, in the axes of the batch."""
        return xp.take(self.knots, i if which is None else i + which * self.size)

    def __call__(self, xp: Any, at: Any, which: Any = None) -> Any:
        if which is not None:
            most, found = self.size - 2, xp.zeros_like(which)
            step = 1 << max(most, 1).bit_length() >> 1
            while step:
                further = found + step
                knot = self.knot(xp, xp.minimum(further, most), which)
                found = xp.where((further <= most) & (knot <= at), further, found)
                step >>= 1
            return found
        if self.table is None:
            return searchsorted(self.inner, at, side="right")
        u = (at - self.knots[0]) * self.scale
        u = xp.minimum(xp.where(u > 0.0, u, 0.0), self.last)  # not NaN
        i = xp.take(self.table, xp.astype(u, index_dtype(xp, at)))
        more = xp.astype(at >= xp.take(self.high, i), i.dtype)
        return i + more - xp.astype(at < xp.take(self.low, i), i.dtype)


def corners(
    xp: Any,
    c: Any,
    base: Any,
    strides: Sequence[int],
    counts: Sequence[int],
    combine: Callable[[int, list[Any]], Any],
    offset: int = 0,
    axis: int = 0,
) -> Any:
    """Combine the values around points, the last axis innermost.

    Parameters
    ----------
    c : array, shape (n, ...)
        The values, of which the axes of the grid are flattened.
    base : array, shape (m,)
        Where the first corner of each point is.
    strides, counts : sequence of int
        For each axis of the grid: how far the next corner is, and how many there are.
    combine : callable
        Gets the number of an axis and the list of values along it.
    """
    if axis == len(strides):
        return xp.take(c[offset:, ...] if offset else c, base, axis=0)
    found = [
        corners(xp, c, base, strides, counts, combine, offset + j * strides[axis], axis + 1)
        for j in range(counts[axis])
    ]
    return combine(axis, found)
