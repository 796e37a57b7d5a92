"""Measurements of images."""

import math
from typing import Any

import likewise
from likewise import missing

from . import data
from ._images import images


@likewise.public(cases="smallimage._cases:radial_profile")
def radial_profile(image: Any, center: Any = None) -> Any:
    """Average images over rings of one pixel's width.

    Parameters
    ----------
    image : array, shape (..., h, w)
        Real.
    center : tuple of float, optional
        Row and column; by default the middle of the image.

    Returns
    -------
    array, shape (..., n)
        The mean of the pixels whose distance r from the centre has floor(r) = 0, 1, ..., n - 1; NaN
        where there are none.

    Notes
    -----
    Differentiable with respect to the image. Distances have the image's dtype: in float32, rings
    are exact up to some thousand pixels.
    """
    xp = likewise.array_namespace(image)
    (image,) = images("radial_profile", xp, image)
    h, w = image.shape[-2:]
    row, column = ((h - 1) / 2, (w - 1) / 2) if center is None else map(float, center)
    return _radial_profile(image, (row, column))


@likewise.native()
def _radial_profile(image: Any, center: tuple[float, float]) -> Any:
    xp = likewise.array_namespace(image)
    h, w = image.shape[-2:]
    reach = math.hypot(*(max(abs(c), abs(n - 1 - c)) for c, n in zip(center, (h, w), strict=True)))
    ring = xp.astype(xp.sqrt(data.distances(image, center)), xp.int32)
    pixels = xp.moveaxis(xp.reshape(image, (*image.shape[:-2], h * w)), -1, 0)
    means = missing.segment_mean(pixels, xp.reshape(ring, (-1,)), int(reach) + 1)
    return xp.moveaxis(means, 0, -1)
