"""Correlation in time of frames of photon counts."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ... import _plan
from ..._dtypes import default_floating
from ..._namespace import array_namespace, describe, device, is_concrete, library
from ..._native import Lines, batches, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, DtypeError, ShapeError
from ...missing import bincount
from ...missing._axes import index_dtype, numeric
from ...missing._segments import integers
from ...transforms import map as over
from .._base._places import integer
from ._multitau import Stream, along_diagonals, levels_of, of_pixels, of_regions, quotient, scale

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
    frames: A | Iterator[A],
    labels: A | Numbers | None = None,
    num_labels: int | None = None,
    *,
    channels: int = 16,
    levels: int | None = None,
    axis: int = 0,
    chunk_size: int | None = None,
) -> tuple[A, A]:
    """Correlate intensities in time, with delays of the multi-tau scheme.

    Parameters
    ----------
    frames : array, shape (..., n, pixels...)
        Real intensities of n frames. Integer counts of any width become floating block by block. Or
        an iterator of such arrays, the pieces of one series with any number of frames each, for
        data that don't fit in memory or are still being measured.
    labels : array of int, shape (pixels...), optional
        The region of each pixel; pixels with negative labels, or labels not less than `num_labels`,
        are ignored. Default: each pixel separately. An iterator needs labels.
    num_labels : int, optional
        The number of regions. Default: the largest label plus one. Required if labels have no
        values on the host (jit, Dask, a GPU).
    channels : int, optional
        The delays of the first level: 0 to ``channels - 1`` frames. Each further level averages
        pairs of frames of the previous level, and uses the delays from ``channels // 2`` on. Must
        be even.
    levels : int, optional
        The number of levels. Default: as many as have at least `channels` frames. Required for an
        iterator, whose length isn't known. Delays without a pair of frames are omitted.
    axis : int, optional
        The time axis; axes before it are batches, axes after it pixels.
    chunk_size : int, optional
        The number of pixels to process at once. Default: as many as fit in a processor's cache and
        in the memory limit in the notes; on a GPU, thousands are faster.

    Returns
    -------
    lags : array of int, shape (delays,)
        The delays, in frames.
    g2 : array, shape (..., delays, pixels...) or (..., delays, num_labels)
        The normalised correlation. NaN where no photons were counted.

    Raises
    ------
    ShapeError
        If there are no frames, labels don't have the shape of the pixels, or an iterator's arrays
        differ in more than the number of frames.
    DtypeError
        If frames aren't real, or labels aren't integers.
    ArgumentError
        If `channels` isn't even and positive, `levels` or `chunk_size` isn't positive, or labels,
        their number or `levels` are required and missing.

    Notes
    -----
    Uses the symmetric normalisation (K. Schätzel, Quantum Opt. 2, 287, 1990),
    ``mean(I[t] I[t + lag]) / (mean(I[t]) mean(I[t + lag]))``, with means over the pairs of frames
    at the delay. For a region, each of the three means is also over its pixels. The delay 0
    contains the shot noise.

    Takes O(channels n) operations per pixel, as matrix products of blocks of pixels. Besides the
    input, memory is at most ``channels + 3`` frames per level in the result's dtype, for the
    default number of levels; or, if larger, a megabyte or about four times the series of one pixel.
    For separate pixels it holds the result, a second copy while it is joined, or one block; for
    regions, one block; for an iterator, `channels` frames per level and a block, but not the last
    array of the iterator. Frames that are a view with gaps are copied once. A `chunk_size` that you
    set has no such limit. Differentiable.

    To process a file larger than memory, read it through a memory map, and send pieces to the
    desired library and device: ``multitau((asarray(frames[i : i + 64], like=labels) for i in
    range(0, n, 64)), labels, 36, levels=7)``. Pieces of a multiple of ``2 ** (levels - 1)`` frames
    are fastest.

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
    channels = integer(function, "channels", channels, 1)
    if channels % 2:
        raise ArgumentError(f"{function}: channels must be even, got {channels}")
    most = None if levels is None else integer(function, "levels", levels, 1)
    size = None if chunk_size is None else integer(function, "chunk_size", chunk_size, 1)
    if isinstance(frames, Iterator):
        return _of_stream(frames, labels, num_labels, channels, most, axis, size)
    found = _plan_frames(function, frames, labels, num_labels, axis)
    xp, n = array_namespace(found.x), found.x.shape[-2]
    plan = tuple(levels_of(n, channels, most))
    if size is None:
        held = 0 if found.ids is not None else sum(map(len, plan))
        room = max(((channels + 3) * len(plan) - held) * found.x.shape[-1], _CACHED)
        size = max(min(_CACHED // n, room // (4 * n + 6 * channels**2)), 1)
    delays = _delays(xp, found.x, plan)
    if found.ids is not None:
        return delays, of_regions(found.x, found.ids, found.regions, plan, size, found.dtype)
    g2 = of_pixels(found.x, plan, size, found.dtype)
    return delays, xp.reshape(g2, (*g2.shape[:-1], *found.pixels))


@public
def twotime(
    frames: A, labels: A | Numbers | None = None, num_labels: int | None = None, *, axis: int = 0
) -> A:
    """Correlate each frame with every other frame, averaged over the pixels of regions.

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
        where no photons were counted. The diagonal contains the shot noise.

    Raises
    ------
    ShapeError, DtypeError, ArgumentError
        As for `multitau`.

    Notes
    -----
    As A. Madsen et al., New J. Phys. 12, 055001 (2010), with the mean of each frame. Uses a matrix
    product for each region: O(n^2 pixels) operations, and memory for one region's frames and the
    result. If labels have no values on the host (arguments of jit, a GPU), each region costs as
    much as all pixels; labels that a jitted function closes over have values. Differentiable.

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
    """Average two-time correlations over all times with the same delay.

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
    O(n^2) operations. A NaN affects only its own delay. Differentiable.

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


def _of_stream(
    blocks: Iterator[Any],
    labels: Any,
    num_labels: int | None,
    channels: int,
    levels: int | None,
    axis: Any,
    size: int | None,
) -> tuple[Any, Any]:
    function, run, xp = "multitau", None, None
    if labels is None or levels is None:
        missing = "labels" if labels is None else "levels"
        raise ArgumentError(f"{function}: {missing} is needed where frames are an iterator")
    first: tuple[Any, ...] = ()
    for block in blocks:
        found = _plan_frames(function, block, labels, num_labels, axis)
        kind = library(found.x), found.dtype, found.x.shape[:-2], found.pixels, device(found.x)
        if run is None:
            first, num_labels, xp = kind, found.regions, array_namespace(found.x)
            m, pixels = found.x.shape[-2:]
            if size is None:
                each = 4 * (m + channels) + 6 * channels**2  # of numbers for a pixel
                size = max(min(4 * _CACHED, max(2 * levels * pixels, _CACHED)) // each, 1)
            dtype, ids = found.dtype, found.ids
            run = Stream(found.x, dtype, ids, num_labels, channels, levels, size)
        elif kind != first:
            raise ShapeError(
                f"{function}: all arrays of frames must be alike but for their number, got a "
                f"{describe(block)} after others of {first[1]}, batch {first[2]}, pixels {first[3]}"
            )
        run.add(found.x)
    if run is None:
        raise ShapeError(f"{function}: needs at least one frame, got an iterator without arrays")
    plan = tuple(levels_of(run.frames, channels, levels))
    return _delays(xp, run.ids, plan), run.g2(plan)


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


def _delays(xp: Any, like: Any, plan: Any) -> Any:
    """Return all levels' delays, in frames."""
    lags = [lag * 2**k for k, its in enumerate(plan) for lag in its]
    return xp.asarray(lags, dtype=index_dtype(xp, like), device=device(like))


def _count(function: str, xp: Any, ids: Any, num_labels: Any) -> int:
    if num_labels is not None:
        return integer(function, "num_labels", num_labels)
    if not is_concrete(ids):
        raise ArgumentError(
            f"{function}: num_labels is needed where labels can't be looked at; they came as a "
            f"{describe(ids)}"
        )
    return max(int(xp.max(ids)) + 1, 0) if 0 not in ids.shape else 0


# -- work ------------------------------------------------------------------------------------------


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
    """Correlate frames with `pixels` pixels; padding pixels are zeros."""
    xp = array_namespace(x)
    y, unit = xp.astype(x, dtype, copy=False), scale(x, axis=-1)
    y = y if unit is None else y * unit
    total = xp.sum(y, axis=-1, keepdims=True)
    both = xp.matmul(y, xp.matrix_transpose(y)) * pixels
    return quotient(both, total * xp.matrix_transpose(total))


def _diagonals_in_blocks(c: Any) -> Lines:
    return batches({0: (c, 2)}, (c.shape[-1:], c.dtype))


@native(blocks=_diagonals_in_blocks)
def _g2_from_twotime(c: Any) -> Any:
    xp, n = array_namespace(c), c.shape[-1]
    pairs = xp.astype(xp.arange(n, 0, -1, device=device(c)), c.dtype)
    return along_diagonals(xp, xp.triu(c))[..., :n] / pairs
