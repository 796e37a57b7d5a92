"""Correlation in time of frames of photons."""

from typing import Any, NamedTuple

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, describe, device, is_concrete
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ArgumentError, DtypeError, ShapeError
from ..missing import bincount, segment_sum
from ..missing._axes import index_dtype, numeric
from ..missing._segments import integers
from ..transforms import map as over
from ._pieces import joined, summed
from ._places import whole

__all__ = ["g2_from_twotime", "multitau", "twotime"]

# So many numbers of a block stay in the cache of a processor while all lags are summed.
_CACHED = 2**17


class _Frames(NamedTuple):
    """Frames of shape (..., n, pixels), the label of each pixel, and the shape of the result."""

    x: Any
    ids: Any
    regions: int
    pixels: tuple[int, ...]
    dtype: Any


@public
def multitau(
    frames: A,
    labels: A | Numbers | None = None,
    num_labels: int | None = None,
    *,
    channels: int = 16,
    levels: int | None = None,
    axis: int = 0,
    chunk_size: int | None = None,
) -> tuple[A, A]:
    """Correlate intensities with later ones, at delays that grow in proportion.

    Parameters
    ----------
    frames : array, shape (..., n, pixels...)
        Intensities of n frames, real. Whole numbers of photons, of any width, are made floating
        block by block.
    labels : array of int, shape (pixels...), optional
        The region of each pixel; negative ones, and those not less than `num_labels`, count
        nowhere. Default: each pixel by itself.
    num_labels : int, optional
        How many regions there are. Default: one more than the largest label, which is looked at;
        where it can't be (jit, Dask, a GPU), the number is needed.
    channels : int, optional
        The delays of the first level: 0 to ``channels - 1`` frames. Each further level averages
        pairs of frames of the one before, and takes the delays from ``channels // 2`` on. Even.
    levels : int, optional
        How many levels. Default: as many as have at least `channels` frames. Delays without a pair
        of frames are left out.
    axis : int, optional
        The axis of time; what is before it are batches, what is after it pixels.
    chunk_size : int, optional
        How many pixels are worked on at once. Default: as many as fit a processor's cache; on a
        GPU, thousands are faster.

    Returns
    -------
    lags : array of int, shape (delays,)
        The delays, in frames.
    g2 : array, shape (..., delays, pixels...) or (..., delays, num_labels)
        The normalised correlation. NaN where nothing was counted.

    Raises
    ------
    ShapeError
        If there are no frames, or labels don't have the shape of the pixels.
    DtypeError
        If frames aren't real, or labels aren't integers.
    ArgumentError
        If `channels` isn't even and positive, `levels` or `chunk_size` isn't positive, or the
        number of labels is needed and missing.

    Notes
    -----
    With the symmetric normalisation (K. Schätzel, Quantum Opt. 2, 287, 1990),
    ``mean(I[t] I[t + lag]) / (mean(I[t]) mean(I[t + lag]))``, each mean over the pairs that there
    are at the delay. For a region, pixels are averaged in each of the three means before the
    division. The delay 0 holds the shot noise.

    O(channels n) operations a pixel, as products of matrices in blocks of pixels. Beyond the input,
    memory holds the result, once more while it is joined, and one block: for single pixels
    ``channels + 3`` frames a level at the usual number of levels, for regions next to nothing.
    Frames that are a view with gaps are copied once. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import multitau
    >>> slow = np.asarray([1.0, 1.0, 3.0, 3.0] * 8)
    >>> lags, g2 = multitau(slow, channels=4)
    >>> lags
    array([ 0,  1,  2,  3,  4,  6,  8, 12, 16, 24])
    >>> g2[:4].round(2)
    array([1.25, 1.01, 0.75, 0.99])
    """
    function = "multitau"
    found = _plan_frames(function, frames, labels, num_labels, axis)
    channels, n = whole(function, "channels", channels, 1), found.x.shape[-2]
    if channels % 2:
        raise ArgumentError(f"{function}: channels must be even, got {channels}")
    most = None if levels is None else whole(function, "levels", levels, 1)
    plan = tuple(_levels(n, channels, most))
    size = max(_CACHED // n, 1) if chunk_size is None else chunk_size
    size = whole(function, "chunk_size", size, 1)
    xp, where = array_namespace(found.x), device(found.x)
    lags = [lag * 2**k for k, its in enumerate(plan) for lag in its]
    delays = xp.asarray(lags, dtype=index_dtype(xp, found.x), device=where)
    if found.ids is not None:
        return delays, _of_regions(found.x, found.ids, found.regions, plan, size, found.dtype)
    g2 = _of_pixels(found.x, plan, size, found.dtype)
    return delays, xp.reshape(g2, (*g2.shape[:-1], *found.pixels))


@public
def twotime(
    frames: A, labels: A | Numbers | None = None, num_labels: int | None = None, *, axis: int = 0
) -> A:
    """Correlate each frame with each other one, averaged over the pixels of regions.

    Parameters
    ----------
    frames : array, shape (..., n, pixels...)
        As for `multitau`.
    labels : array of int, shape (pixels...), optional
        As for `multitau`. Default: all pixels are one region.
    num_labels : int, optional
        As for `multitau`.
    axis : int, optional
        As for `multitau`.

    Returns
    -------
    array, shape (..., num_labels, n, n), or (..., n, n) without labels
        ``mean(I[t1] I[t2]) / (mean(I[t1]) mean(I[t2]))``, means over the pixels of a region; NaN
        where nothing was counted. On the diagonal there is the shot noise.

    Raises
    ------
    ShapeError, DtypeError, ArgumentError
        As for `multitau`.

    Notes
    -----
    As by A. Madsen et al., New J. Phys. 12, 055001 (2010), with each frame's own mean. A product of
    matrices for each region: O(n^2 pixels) operations; memory for one region's frames and the
    result. Where labels can't be looked at (arguments of jit, a GPU), each region costs as much as
    all pixels; labels that a jitted function closes over can be looked at. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import twotime
    >>> frames = np.asarray([[[1.0, 3.0]], [[3.0, 1.0]], [[1.0, 3.0]]])
    >>> twotime(frames)
    array([[1.25, 0.75, 1.25],
           [0.75, 1.25, 0.75],
           [1.25, 0.75, 1.25]])
    """
    found = _plan_frames("twotime", frames, labels, num_labels, axis)
    if found.ids is None:
        return _twotime(found.x, found.dtype)
    return _twotime_of_regions(found.x, found.ids, found.regions, found.dtype)


@public
def g2_from_twotime(c: A) -> A:
    """Average two-time correlations over the times that have the same delay.

    Parameters
    ----------
    c : array, shape (..., n, n)
        From `twotime`.

    Returns
    -------
    array, shape (..., n)
        The mean of ``c[..., t, t + lag]`` over t, for the delays 0 to n - 1.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    DtypeError
        If `c` doesn't hold numbers.

    Notes
    -----
    O(n^2). A NaN reaches its own delay only. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import g2_from_twotime
    >>> g2_from_twotime(np.asarray([[2.0, 1.2, 1.0], [1.2, 2.2, 1.4], [1.0, 1.4, 1.8]]))
    array([2. , 1.3, 1. ])
    """
    xp = array_namespace(c)
    (c,) = _plan.common_floating("g2_from_twotime", xp, ("c",), c)
    if c.ndim < 2 or c.shape[-1] != c.shape[-2]:
        raise ShapeError(f"g2_from_twotime: c must have shape (..., n, n), got {tuple(c.shape)}")
    return _g2_from_twotime(c)


# -- checks ----------------------------------------------------------------------------------------


def _plan_frames(function: str, frames: Any, labels: Any, num_labels: Any, axis: Any) -> _Frames:
    xp = array_namespace(frames, labels)
    x = numeric(function, xp, "frames", frames, real=True)
    where = device(x)
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    pixels = tuple(x.shape[axis + 1 :])
    if x.shape[axis] == 0:
        raise ShapeError(f"{function}: needs at least one frame, got a {describe(frames)}")
    floating = xp.isdtype(x.dtype, "real floating")
    dtype = x.dtype if floating else default_floating(xp, where)
    if dtype not in (xp.float32, xp.float64):
        raise DtypeError(
            f"{function}: frames must be of float32, float64 or whole numbers, got a {describe(x)}"
        )
    count = 1
    for size in pixels:
        count *= size
    x = xp.reshape(x, (*x.shape[: axis + 1], count))
    if labels is None:
        if num_labels is not None:
            raise ArgumentError(f"{function}: num_labels is of labels, but there are none")
        return _Frames(x, None, 0, pixels, dtype)
    ids = integers(function, "labels", xp, labels, where)
    if tuple(ids.shape) != pixels:
        raise ShapeError(
            f"{function}: labels must have the shape of the pixels, {pixels}, got "
            f"{tuple(ids.shape)}"
        )
    return _Frames(
        x, xp.reshape(ids, (count,)), _count(function, xp, ids, num_labels), pixels, dtype
    )


def _count(function: str, xp: Any, ids: Any, num_labels: Any) -> int:
    if num_labels is not None:
        return whole(function, "num_labels", num_labels)
    if not is_concrete(ids):
        raise ArgumentError(
            f"{function}: num_labels is needed where labels can't be looked at; they came as a "
            f"{describe(ids)}"
        )
    return max(int(xp.max(ids)) + 1, 0) if 0 not in ids.shape else 0


def _levels(n: int, channels: int, most: int | None) -> Any:
    """Yield each level's delays, in its own frames."""
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


# -- work ------------------------------------------------------------------------------------------


@native()
def _of_pixels(x: Any, plan: Any, size: int, dtype: Any) -> Any:
    """Return g2 of each pixel, (..., delays, pixels)."""

    def block(y: Any) -> Any:
        both, before, after, pairs = _sums(y, plan, dtype)
        return array_namespace(y).matrix_transpose(_quotient(both * pairs, before * after))

    return joined(block, x, x.ndim - 1, size)


@native()
def _of_regions(x: Any, ids: Any, count: int, plan: Any, size: int, dtype: Any) -> Any:
    """Return g2 of each region, (..., delays, count)."""
    xp = array_namespace(x)
    delays = sum(map(len, plan))
    kept = xp.where((ids < 0) | (ids >= count), xp.full_like(ids, -1), ids)

    def block(y: Any, places: Any) -> Any:
        both, before, after, _ = _sums(y, plan, dtype)
        found = xp.moveaxis(xp.stack((both, before, after)), -2, 0)
        there = places >= 0
        mine = xp.take(kept, xp.where(there, places, xp.zeros_like(places)), axis=0)
        return segment_sum(found, xp.where(there, mine, xp.full_like(mine, -1)), count)

    shape = (count, 3, *x.shape[:-2], delays)
    first = xp.zeros(shape, dtype=dtype, device=device(x))
    total = summed(block, x, x.ndim - 1, size, first)
    pixels = xp.astype(bincount(kept + 1, length=count + 1)[1:], dtype)
    pairs = _pairs(xp, x.shape[-2], plan, total) * xp.reshape(pixels, (-1,) + (1,) * (x.ndim - 1))
    g2 = _quotient(total[:, 0, ...] * pairs, total[:, 1, ...] * total[:, 2, ...])
    return xp.moveaxis(g2, 0, -1)


def _sums(y: Any, plan: Any, dtype: Any) -> tuple[Any, Any, Any, Any]:
    """Return per pixel and delay the sums of products, of first and of second factors; and counts.

    Frames are (..., n, pixels), sums (..., pixels, delays).
    """
    xp = array_namespace(y)
    n, lead = y.shape[-2], (*y.shape[:-2], y.shape[-1])
    # Flattened, so that a pixel's frames are neighbours in memory.
    y = xp.reshape(xp.matrix_transpose(xp.astype(y, dtype, copy=False)), (-1,))
    y = xp.reshape(y, (*lead, n))
    found = []
    for k, lags in enumerate(plan):
        if k:
            m = n >> k
            y = 0.5 * (y[..., 0 : 2 * m : 2] + y[..., 1 : 2 * m : 2])
        found.append(_sums_of_level(xp, y, lags, len(plan[0])))
    both, before, after = (xp.concat(parts, axis=-1) for parts in zip(*found, strict=True))
    return both, before, after, _pairs(xp, n, plan, both)


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

    Rows of k frames times themselves and the next ones: the delays are the diagonals. Twice as many
    multiplications as needed, and several times faster than sums for each delay.
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
    return _along_diagonals(xp, both)[..., :k]


def _along_diagonals(xp: Any, c: Any) -> Any:
    """Return the sums of ``c[..., i, i + lag]`` at column lag; at the right, what is below.

    Row i begins one place earlier in rows that are one place longer, so that a delay is a column.
    """
    *lead, n, width = c.shape
    more = xp.zeros((*lead, n), dtype=c.dtype, device=device(c))
    flat = xp.concat((xp.reshape(c, (*lead, n * width)), more), axis=-1)
    return xp.sum(xp.reshape(flat, (*lead, n, width + 1)), axis=-2)


def _pairs(xp: Any, n: int, plan: Any, like: Any) -> Any:
    """Return how many pairs of frames there are at each delay."""
    pairs = [float((n >> k) - lag) for k, lags in enumerate(plan) for lag in lags]
    return xp.asarray(pairs, dtype=like.dtype, device=device(like))


def _quotient(x: Any, y: Any) -> Any:
    """Divide; NaN where the divisor is zero, also in derivatives' untaken branch."""
    xp = array_namespace(x, y)
    dark = y == 0
    return xp.where(dark, xp.full_like(x, float("nan")), x / xp.where(dark, xp.ones_like(y), y))


@native()
def _twotime(x: Any, dtype: Any) -> Any:
    return _products(x, dtype, float(x.shape[-1]))


@native()
def _twotime_of_regions(x: Any, ids: Any, count: int, dtype: Any) -> Any:
    xp = array_namespace(x)
    if count == 0:
        n = x.shape[-2]
        return xp.zeros((*x.shape[:-2], 0, n, n), dtype=dtype, device=device(x))
    if not is_concrete(ids):
        labels = xp.arange(count, dtype=ids.dtype, device=device(ids))
        return xp.moveaxis(over(lambda label: _masked(x, ids == label, dtype), labels), 0, -3)
    kept = xp.where((ids < 0) | (ids >= count), xp.full_like(ids, count), ids)
    order, sizes = xp.argsort(kept, stable=True), bincount(kept, length=count)
    found, stop = [], 0
    for label in range(count):
        start, stop = stop, stop + int(sizes[label])
        part = xp.take(x, order[start:stop], axis=-1)
        found.append(_products(part, dtype, float(stop - start)))
    return xp.stack(found, axis=-3)


def _masked(x: Any, mine: Any, dtype: Any) -> Any:
    xp = array_namespace(x)
    part = xp.where(mine, x, xp.zeros_like(x))
    return _products(part, dtype, xp.sum(xp.astype(mine, dtype)))


def _products(x: Any, dtype: Any, pixels: Any) -> Any:
    """Correlate frames, of which `pixels` pixels count; the others are zeros."""
    xp = array_namespace(x)
    y = xp.astype(x, dtype, copy=False)
    total = xp.sum(y, axis=-1, keepdims=True)
    both = xp.matmul(y, xp.matrix_transpose(y)) * pixels
    return _quotient(both, total * xp.matrix_transpose(total))


@native()
def _g2_from_twotime(c: Any) -> Any:
    xp, n = array_namespace(c), c.shape[-1]
    pairs = xp.astype(xp.arange(n, 0, -1, device=device(c)), c.dtype)
    return _along_diagonals(xp, xp.triu(c))[..., :n] / pairs
