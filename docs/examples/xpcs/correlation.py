"""g2 of frames on disk, and what is read off a two-time correlation."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from likewise import array_namespace, asarray, device
from likewise.errors import ArgumentError
from likewise.missing import median
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
