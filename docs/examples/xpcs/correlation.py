"""g2 of frames on disk, and what is read off a two-time correlation."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from likewise import array_namespace, asarray, device
from likewise.errors import ArgumentError
from likewise.missing import median, safe_divide, segment_sum, take
from likewise.signal import multitau

Array = Any


def pieces(frames: Array, size: int, like: Array) -> Iterator[Array]:
    """Yield frames of a memory map, so many at a time, in the library and on the device of `like`.

    Whole numbers go as they are, so what crosses to a GPU is two bytes a pixel.
    """
    for start in range(0, frames.shape[0], size):
        yield asarray(frames[start : start + size], like=like)


def g2_from_file(
    frames: Array, labels: Array, count: int, *, channels: int = 16, size: int = 64
) -> tuple[Array, Array]:
    """Return delays in frames and g2 (delays, count) of a memory map (n, rows, columns).

    Labels are on the library and device that work. Beyond one piece of `size` frames, `channels`
    frames are held at each level.
    """
    levels = max((frames.shape[0] // channels).bit_length(), 1)
    parts = pieces(frames, size, labels)
    return multitau(parts, labels, count, channels=channels, levels=levels)


def check_frames(numbers: Array) -> None:
    """Raise if frames are missing: a delay of so many frames would not be the same time for all."""
    steps = array_namespace(numbers).diff(numbers)
    if bool(array_namespace(numbers).any(steps != 1)):
        at = int(array_namespace(numbers).argmax(abs(steps - 1)))
        raise ArgumentError(
            f"check_frames: after frame {int(numbers[at])} comes frame {int(numbers[at + 1])}: "
            "correlate the runs before and after it by themselves"
        )


class TwoTime(NamedTuple):
    """Numbers of matrices (..., n, n), one of each kind for each matrix."""

    mean: Array
    std: Array
    median: Array
    trace: Array


def whole_matrix(c: Array) -> Array:
    """Return the matrices of which only the upper triangle is stored, diagonal included."""
    xp = array_namespace(c)
    upper = xp.triu(c)
    return upper + xp.matrix_transpose(xp.triu(c, k=1))


def without_shot_noise(c: Array) -> Array:
    """Replace the diagonal, which holds the shot noise, by the mean of its neighbours.

    Those are c[t, t + 1] and c[t - 1, t]; at the ends there is one.
    """
    xp, n = array_namespace(c), c.shape[-1]
    places = xp.arange(n, device=device(c))
    later = places[None, :] - places[:, None]
    after = xp.sum(xp.where(later == 1, c, xp.zeros_like(c)), axis=-1)  # (..., n), 0 at the end
    before = xp.sum(xp.where(later == 1, c, xp.zeros_like(c)), axis=-2)  # 0 at the beginning
    many = xp.astype((places > 0), c.dtype) + xp.astype((places < n - 1), c.dtype)
    return xp.where(later == 0, ((after + before) / many)[..., None], c)


def statistics(c: Array) -> TwoTime:
    """Return mean, standard deviation, median and trace of each matrix."""
    xp = array_namespace(c)
    flat = xp.reshape(c, (*c.shape[:-2], -1))
    diagonal = flat[..., :: c.shape[-1] + 1]
    return TwoTime(
        xp.mean(flat, axis=-1),
        xp.std(flat, axis=-1),
        median(flat, axis=-1),
        xp.sum(diagonal, axis=-1),
    )


class Averaged(NamedTuple):
    """A mean and its standard error."""

    value: Array
    error: Array


def g2_by_pixel(
    frames: Array, labels: Array, count: int, *, channels: int = 16, rows: int = 8
) -> tuple[Array, Averaged]:
    """Return delays, and g2 (delays, count) with its standard error, each pixel by its own mean.

    As `g2_from_file`, but what pixels differ in, gains and the shape of the scattering, cancels in
    each of them, and how they scatter around the ring's mean is the error. It is low by one over
    all counts of a pixel; one without any is left out. All frames of so many rows of the detector
    are held at once.
    """
    xp, levels = array_namespace(labels), max((frames.shape[0] // channels).bit_length(), 1)
    found = []
    for start in range(0, frames.shape[1], rows):
        part = asarray(frames[:, start : start + rows], like=labels)
        lags, g2 = multitau(part, channels=channels, levels=levels)
        found.append(xp.reshape(g2, (g2.shape[0], -1)))
    return lags, over_members(xp.concat(found, axis=1), xp.reshape(labels, (-1,)), count)


def over_members(values: Array, labels: Array, count: int) -> Averaged:
    """Average (delays, pixels) over regions: (delays, count), with the standard error of each.

    Values that are NaN are left out. A region of one has no error: NaN.
    """
    xp = array_namespace(values, labels)
    rows = xp.matrix_transpose(values)
    known = xp.isfinite(rows)
    many = segment_sum(xp.astype(known, rows.dtype), labels, count)
    zero = xp.zeros_like(rows)
    mean = safe_divide(segment_sum(xp.where(known, rows, zero), labels, count), many, fill=xp.nan)
    own = take(mean, xp.where(labels < 0, xp.zeros_like(labels), labels), axis=0)
    off = segment_sum(xp.where(known, (rows - own) ** 2, zero), labels, count)
    error = xp.sqrt(safe_divide(off, many * (many - 1), fill=xp.nan))
    return Averaged(xp.matrix_transpose(mean), xp.matrix_transpose(error))


def over_runs(curves: Array) -> Averaged:
    """Average curves (runs, ...) of repeated measurements, with the standard error of the mean."""
    xp, runs = array_namespace(curves), curves.shape[0]
    if runs < 2:
        raise ArgumentError(f"over_runs: a standard error needs two runs at least, got {runs}")
    return Averaged(xp.mean(curves, axis=0), xp.std(curves, axis=0, correction=1) / math.sqrt(runs))
