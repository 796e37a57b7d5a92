"""Test images."""

from typing import Any

import likewise
from likewise import interop


def disk(shape: tuple[int, int], radius: float, center: Any = None, *, like: Any = None) -> Any:
    """Draw a disk: 1 up to `radius` from `center`, 0 outside.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    radius : float
        In pixels.
    center : tuple of float, optional
        Row and column; by default the middle of the image.
    like : array, optional
        An array; the result has its library, device and dtype. Default: those of `likewise.use`.

    Returns
    -------
    array, shape `shape`
    """
    image = interop.zeros(shape, like=like)
    xp = likewise.array_namespace(image)
    square = distances(image, center)
    return xp.where(square <= radius**2, xp.ones_like(image), image)


def distances(image: Any, center: Any = None) -> Any:
    """Return the squared distance of each pixel from a point, in the image's library and dtype."""
    xp, where = likewise.array_namespace(image), likewise.device(image)
    h, w = image.shape[-2:]
    row, column = ((h - 1) / 2, (w - 1) / 2) if center is None else center
    y = xp.arange(h, dtype=image.dtype, device=where) - row
    x = xp.arange(w, dtype=image.dtype, device=where) - column
    return y[:, None] ** 2 + x**2
