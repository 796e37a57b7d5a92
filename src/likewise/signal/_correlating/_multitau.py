"""Sums of products of frames at multi-tau delays, for an array or a stream."""

from functools import reduce
from operator import add
from typing import Any

from ..._namespace import array_namespace, device
from ..._native import Lines, along, native
from ...missing import bincount, segment_sum
from ...transforms import stop_gradient
from .._base._pieces import joined, summed

__all__ = ["Stream", "along_diagonals", "levels_of", "of_pixels", "of_regions", "quotient", "scale"]


def levels_of(n: int, channels: int, most: int | None) -> Any:
    """Yield each level's delays, in frames of that level."""
    level = 0
    while level != most:
        m = n >> level
        if level and most is None and m < channels:
            return
        lags = tuple(range(channels // 2 if level else 0, min(channels, m)))
        if not lags:
            return
        yield lags
        level += 1


def _in_blocks(x: Any, plan: Any, size: int, dtype: Any) -> Lines:
    return along(x, (x.ndim - 2,), [sum(map(len, plan))], dtype=dtype)


@native(blocks=_in_blocks)
def of_pixels(x: Any, plan: Any, size: int, dtype: Any) -> Any:
    """Return g2 of each pixel, (..., delays, pixels)."""

    def block(y: Any) -> Any:
        both, before, after, pairs = _sums(y, plan, dtype, scale(y, axis=-2))
        return array_namespace(y).matrix_transpose(quotient(both * pairs, before * after))

    return joined(block, x, x.ndim - 1, size)


@native()
def of_regions(x: Any, ids: Any, count: int, plan: Any, size: int, dtype: Any) -> Any:
    """Return g2 of each region, (..., delays, count)."""
    xp = array_namespace(x)
    delays, unit = sum(map(len, plan)), scale(x)
    kept = xp.where((ids < 0) | (ids >= count), xp.full_like(ids, -1), ids)

    def block(y: Any, places: Any) -> Any:
        both, before, after, _ = _sums(y, plan, dtype, unit)
        found = xp.moveaxis(xp.stack((both, before, after)), -2, 0)
        there = places >= 0
        mine = xp.take(kept, xp.where(there, places, xp.zeros_like(places)), axis=0)
        return segment_sum(found, xp.where(there, mine, xp.full_like(mine, -1)), count)

    shape = (count, 3, *x.shape[:-2], delays)
    first = xp.zeros(shape, dtype=dtype, device=device(x))
    total = summed(block, x, x.ndim - 1, size, first)
    pixels = xp.astype(bincount(kept + 1, length=count + 1)[1:], dtype)
    pairs = _pairs(xp, x.shape[-2], plan, total) * xp.reshape(pixels, (-1,) + (1,) * (x.ndim - 1))
    g2 = quotient(total[:, 0, ...] * pairs, total[:, 1, ...] * total[:, 2, ...])
    return xp.moveaxis(g2, 0, -1)


def _sums(y: Any, plan: Any, dtype: Any, unit: Any) -> tuple[Any, Any, Any, Any]:
    """Return per pixel and delay the sums of products, of first and of second factors; and counts.

    Frames are (..., n, pixels), sums (..., pixels, delays).
    """
    xp, n = array_namespace(y), y.shape[-2]
    y = _by_pixel(xp, y, dtype, unit)
    found = []
    for k, lags in enumerate(plan):
        if k:
            m = n >> k
            y = 0.5 * (y[..., 0 : 2 * m : 2] + y[..., 1 : 2 * m : 2])
        found.append(_sums_of_level(xp, y, lags, len(plan[0])))
    both, before, after = (xp.concat(parts, axis=-1) for parts in zip(*found, strict=True))
    return both, before, after, _pairs(xp, n, plan, both)


def _by_pixel(xp: Any, y: Any, dtype: Any, unit: Any) -> Any:
    """Return frames (..., n, pixels) as (..., pixels, n), contiguous for each pixel."""
    *lead, n, pixels = y.shape
    y = xp.astype(y, dtype, copy=False)
    y = y if unit is None else y * unit
    return xp.reshape(xp.reshape(xp.matrix_transpose(y), (-1,)), (*lead, pixels, n))


def _sums_of_level(xp: Any, y: Any, lags: Any, channels: int) -> tuple[Any, Any, Any]:
    m, least, most = y.shape[-1], lags[0], lags[-1]
    # What all delays have in common is summed once; nothing is subtracted, so nothing cancels.
    sides = []
    for common, rest in (
        (y[..., : m - most], y[..., m - most :]),
        (y[..., most:], xp.flip(y[..., :most], axis=-1)),
    ):
        more = xp.cumulative_sum(rest, axis=-1, include_initial=True)[..., : most - least + 1]
        sides.append(xp.sum(common, axis=-1, keepdims=True) + xp.flip(more, axis=-1))
    return _products_of_level(xp, y, channels)[..., least : most + 1], sides[0], sides[1]


def _products_of_level(xp: Any, y: Any, k: int) -> Any:
    """Return the sums of ``y[t] y[t + lag]`` for k delays, as products of matrices.

    Multiplies rows of k frames by themselves and the next row: the delays are the diagonals. This
    takes twice the necessary multiplications, but is several times faster than sums for each delay.
    """
    *lead, m = y.shape
    blocks = -(-m // k)
    if blocks * k > m:
        rest = xp.zeros((*lead, blocks * k - m), dtype=y.dtype, device=device(y))
        y = xp.concat((y, rest), axis=-1)
    rows = xp.reshape(y, (*lead, blocks, k))
    turned = xp.matrix_transpose(rows)
    with_next = xp.matmul(turned[..., :-1], rows[..., 1:, :])
    both = xp.concat((xp.matmul(turned, rows), with_next), axis=-1)
    return along_diagonals(xp, both)[..., :k]


def along_diagonals(xp: Any, c: Any) -> Any:
    """Return the sums of ``c[..., i, i + lag]`` in column lag; lower diagonals are at the right.

    Reshaping to rows that are one element longer shifts row i by i places, so a delay is a column.
    """
    *lead, n, width = c.shape
    more = xp.zeros((*lead, n), dtype=c.dtype, device=device(c))
    flat = xp.concat((xp.reshape(c, (*lead, n * width)), more), axis=-1)
    return xp.sum(xp.reshape(flat, (*lead, n, width + 1)), axis=-2)


def _pairs(xp: Any, n: int, plan: Any, like: Any) -> Any:
    """Return how many pairs of frames there are at each delay."""
    pairs = [float((n >> k) - lag) for k, lags in enumerate(plan) for lag in lags]
    return xp.asarray(pairs, dtype=like.dtype, device=device(like))


def scale(x: Any, axis: int | None = None) -> Any:
    """Return a factor that brings the largest number near 1, so that products don't overflow.

    It is a power of two, so it causes no rounding; None for integers, which need no factor.
    """
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, "real floating") or 0 in x.shape:
        return None
    x = stop_gradient(x)
    over = {"axis": axis, "keepdims": axis is not None}
    most = xp.maximum(xp.max(x, **over), -xp.min(x, **over))
    # Smaller values are not scaled, as their reciprocals may be infinite.
    least = xp.full_like(most, float(xp.finfo(x.dtype).smallest_normal) * 4)
    usual = (most >= least) & (most <= 1 / least)  # so neither NaN nor infinite
    power = xp.round(-xp.log2(xp.where(usual, most, xp.ones_like(most))))
    return xp.pow(xp.full_like(power, 2.0), power)


def quotient(x: Any, y: Any) -> Any:
    """Divide, with NaN where the divisor is zero; derivatives elsewhere stay finite."""
    xp = array_namespace(x, y)
    dark = y == 0
    return xp.where(dark, xp.full_like(x, float("nan")), x / xp.where(dark, xp.ones_like(y), y))


# -- frames that come one block after another ------------------------------------------------------


class Stream:
    """Accumulate sums of products of frames with earlier ones, and store the last few per level.

    Stored frames are split by pixels, so that replacing old frames by new ones duplicates only one
    part at a time.
    """

    def __init__(
        self, first: Any, dtype: Any, ids: Any, count: int, channels: int, levels: int, size: int
    ):
        """`first` are frames (..., m, pixels) that set shape and scale; they are not added."""
        xp, where = array_namespace(first), device(first)
        self.channels, self.levels, self.count, self.dtype = channels, levels, count, dtype
        self.frames, self.unit = 0, scale(first)
        self.ids = xp.where((ids < 0) | (ids >= count), xp.full_like(ids, -1), ids)
        *lead, _, pixels = first.shape
        self.parts = [slice(i, min(i + size, pixels)) for i in range(0, pixels, size)]

        def kept(rows: int) -> tuple[list[Any], list[Any]]:
            last, odd = (
                xp.zeros((*lead, rows, m), dtype=dtype, device=where) for m in (channels, 0)
            )
            return [last] * levels, [odd] * levels

        self.kept = [kept(part.stop - part.start) for part in self.parts]
        self.regions = kept(count)
        self.totals: list[list[Any]] = [[0.0] * 3 for _ in range(levels)]

    def add(self, x: Any) -> None:
        """Add the next frames, (..., m, pixels)."""
        xp = array_namespace(x)
        series: Any = 0.0  # of the regions
        for i, part in enumerate(self.parts):
            y = _by_pixel(xp, x[..., part], self.dtype, self.unit)
            ids = self.ids[part]
            series = series + _over_pixels(y, ids, self.count)
            for k, (last, new) in enumerate(self._levels(y, *self.kept[i])):
                both = _products_with_earlier(xp, last, new)
                self.totals[k][0] = self.totals[k][0] + _over_pixels(both, ids, self.count)
        for k, (last, new) in enumerate(self._levels(series, *self.regions)):
            before, after = _earlier_and_later(xp, last, new, self.frames >> k)
            self.totals[k][1] = self.totals[k][1] + before
            self.totals[k][2] = self.totals[k][2] + after
        self.frames += x.shape[-2]

    def _levels(self, y: Any, last: list[Any], odd: list[Any]) -> Any:
        """Yield the stored frames of each level and the new ones, and store the new ones."""
        xp, c = array_namespace(y), self.channels
        for k in range(self.levels):
            if k:
                y = xp.concat((odd[k], y), axis=-1)
                pairs = 2 * (y.shape[-1] // 2)
                odd[k] = xp.astype(y[..., pairs:], y.dtype)  # a copy: a view holds all of it
                y = 0.5 * (y[..., 0:pairs:2] + y[..., 1:pairs:2])
            if y.shape[-1] == 0:
                return
            yield last[k], y
            m = y.shape[-1]
            last[k] = xp.concat((last[k][..., min(m, c) :], y[..., max(m - c, 0) :]), axis=-1)

    def g2(self, plan: Any) -> Any:
        """Return the correlation of each region so far, (..., delays, count)."""
        found = [
            [sums[..., lags[0] : lags[-1] + 1] for sums in self.totals[k]]
            for k, lags in enumerate(plan)
        ]
        xp = array_namespace(found[0][0])
        both, before, after = (xp.concat(parts, axis=-1) for parts in zip(*found, strict=True))
        pixels = xp.astype(bincount(self.ids + 1, length=self.count + 1)[1:], both.dtype)
        pairs = _pairs(xp, self.frames, plan, both) * pixels[:, None]
        return xp.matrix_transpose(quotient(both * pairs, before * after))


def _over_pixels(y: Any, ids: Any, count: int) -> Any:
    """Sum (..., pixels, m) over the pixels of each region."""
    xp = array_namespace(y)
    return xp.moveaxis(segment_sum(xp.moveaxis(y, -2, 0), ids, count), 0, -2)


def _products_with_earlier(xp: Any, last: Any, y: Any) -> Any:
    """Return the sums of ``y[t] y[t - lag]`` over new frames, for all delays of a level.

    As `_products_of_level`, but multiplies each row of frames by the previous row. Frames are
    processed singly if there is less than half a row.
    """
    *lead, m = y.shape
    c = last.shape[-1]
    if m <= c // 2:
        every = xp.concat((last, y), axis=-1)
        each = (y[..., j : j + 1] * every[..., j + 1 : j + c + 1] for j in range(m))
        return xp.flip(reduce(add, each), axis=-1)
    rows = -(-m // c)
    rest = xp.zeros((*lead, rows * c - m), dtype=y.dtype, device=device(y))
    every = xp.reshape(xp.concat((last, y, rest), axis=-1), (*lead, rows + 1, c))
    turned, new = xp.matrix_transpose(every), every[..., 1:, :]
    both = (xp.matmul(turned[..., 1:], new), xp.matmul(turned[..., :-1], new))
    return along_diagonals(xp, xp.concat(both, axis=-1))[..., :c]


def _earlier_and_later(xp: Any, last: Any, y: Any, before: int) -> tuple[Any, Any]:
    """Return the sums of ``y[t - lag]`` and of ``y[t]`` over pairs whose later frame is new."""
    c, m, where = last.shape[-1], y.shape[-1], device(y)
    lags, place = xp.arange(c, device=where), xp.arange(c + m, device=where)[:, None]
    earlier = (place >= c - lags) & (place < c - lags + m)
    later = place[:m, :] + before >= lags
    every = xp.concat((last, y), axis=-1)
    return (
        xp.matmul(every, xp.astype(earlier, y.dtype)),
        xp.matmul(y, xp.astype(later, y.dtype)),
    )
