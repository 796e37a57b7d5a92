"""Filters over a neighbourhood of each pixel; the edges are extended by the last pixel."""

import math
from typing import Any

import likewise
from likewise import missing
from likewise.signal import convolve

from .._images import images


@likewise.public(cases="smallimage._cases:gaussian")
def gaussian(image: Any, sigma: float = 1.0, truncate: float = 4.0) -> Any:
    """Smooth images by a Gaussian.

    Parameters
    ----------
    image : array, shape (..., h, w)
        Real.
    sigma : float, optional
        Standard deviation, in pixels.
    truncate : float, optional
        The radius of the Gaussian, in standard deviations.

    Returns
    -------
    array, shape (..., h, w)
        Of the floating dtype of `image`, or the library's default one.

    Notes
    -----
    The discrete kernel and the edges are those of ``scipy.ndimage.gaussian_filter`` with
    ``mode="nearest"``. Differentiable. A NaN pixel makes all pixels within the Gaussian's radius
    NaN. If that is more than 16 pixels, compiled code may use Fourier transforms, and then the
    whole image is NaN.
    """
    xp = likewise.array_namespace(image)
    (image,) = images("gaussian", xp, image)
    if not (sigma > 0 and truncate > 0):
        raise ValueError(f"gaussian: sigma and truncate are above 0, got {sigma} and {truncate}")
    return _gaussian(image, float(sigma), float(truncate))


@likewise.native()
def _gaussian(image: Any, sigma: float, truncate: float) -> Any:
    reach = int(truncate * sigma + 0.5)
    terms = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(-reach, reach + 1)]
    total = sum(terms)
    kernel = likewise.asarray([t / total for t in terms], like=image, dtype=image.dtype)
    padded = missing.pad(image, _around(image, reach), mode="edge")
    how = {"mode": "valid", "method": "direct" if reach <= 16 else "auto"}
    rows = convolve(padded, kernel[:, None], axes=-2, **how)
    return convolve(rows, kernel, axes=-1, **how)


@likewise.public(cases="smallimage._cases:median")
def median(image: Any, size: int = 3) -> Any:
    """Replace each pixel by the median of the square around it.

    Parameters
    ----------
    image : array, shape (..., h, w)
        Real.
    size : int, optional
        The side of the square, an odd number of pixels.

    Returns
    -------
    array, shape (..., h, w)
        Of the floating dtype of `image`, or the library's default one.

    Notes
    -----
    The edges are those of ``scipy.ndimage.median_filter`` with ``mode="nearest"``. Needs memory for
    size**2 images. Differentiable where the medians are single pixels.
    """
    xp = likewise.array_namespace(image)
    (image,) = images("median", xp, image)
    if type(size) is not int or size < 1 or size % 2 == 0:
        raise ValueError(f"median: size is an odd number of pixels, got {size!r}")
    return _median(image, size)


@likewise.native()
def _median(image: Any, size: int) -> Any:
    padded = missing.pad(image, _around(image, size // 2), mode="edge")
    windows = missing.sliding_window_view(padded, (size, size), axis=(-2, -1))
    return missing.median(windows, axis=(-2, -1))


def _around(image: Any, n: int) -> list[tuple[int, int]]:
    return [(0, 0)] * (len(image.shape) - 2) + [(n, n), (n, n)]
