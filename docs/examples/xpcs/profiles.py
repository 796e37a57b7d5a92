"""Averages over the regions of a detector."""

from typing import Any

from likewise import array_namespace, asarray, result_type
from likewise.missing import safe_divide, segment_mean, segment_sum
from likewise.signal import welch

Array = Any


def bin_means(frames: Array, labels: Array, count: int, weights: Array | None = None) -> Array:
    """Average frames (n, rows, columns) over regions: (n, count); NaN where a region is empty.

    Weights (rows, columns) are the solid angle, the flat field, or 0 where a pixel is dead: what
    is read there then counts nowhere, NaN included.
    """
    xp = array_namespace(frames, labels)
    pixels = xp.matrix_transpose(xp.reshape(frames, (frames.shape[0], -1)))
    ids = xp.reshape(labels, (-1,))
    if weights is None:
        return xp.matrix_transpose(segment_mean(pixels, ids, count))
    dtype = result_type(frames, weights, 1.0)  # a mask may be booleans, or whole numbers of 8 bits
    flat = xp.astype(xp.reshape(weights, (-1, 1)), dtype)
    counted = xp.astype(pixels, dtype) * flat
    total = segment_sum(xp.where(flat == 0, xp.zeros_like(counted), counted), ids, count)
    mean = safe_divide(total, segment_sum(flat, ids, count), fill=float("nan"))
    return xp.matrix_transpose(mean)


def over_time(frames: Array, labels: Array, count: int, *, size: int = 64) -> Array:
    """Return the mean intensity (n, count) in each frame of a memory map, in pieces."""
    xp = array_namespace(labels)
    parts = [
        bin_means(asarray(frames[i : i + size], like=labels), labels, count)
        for i in range(0, frames.shape[0], size)
    ]
    return xp.concat(parts, axis=0)


def spectrum(intensity: Array, between: float, *, segment: int = 256) -> tuple[Array, Array]:
    """Return frequencies and the spectral density (f, count) of relative fluctuations over time.

    `between` is the time from one frame to the next; the density is in units of that time, and its
    integral over the frequencies the relative variance. Lines in it are of the beam or the pumps.
    """
    relative = intensity / array_namespace(intensity).mean(intensity, axis=0, keepdims=True) - 1
    segment = min(segment, intensity.shape[0])
    return welch(relative, fs=1 / between, nperseg=segment, axis=0)
