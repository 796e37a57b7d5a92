"""A threshold between dark and bright."""

from typing import Any

import likewise
from likewise import errors, missing

from .._images import images


@likewise.public(cases="smallimage._cases:threshold_otsu")
def threshold_otsu(image: Any, nbins: int = 256) -> Any:
    """Return the threshold that best separates dark and bright pixels.

    Parameters
    ----------
    image : array, shape (..., h, w)
        Real; all pixels together have one threshold. `likewise.vmap` maps over many images.
    nbins : int, optional
        The number of bins of the histogram.

    Returns
    -------
    array, shape ()
        The centre of a bin; larger pixels are bright. For an image with one value, that value, so
        no pixel is bright.

    Raises
    ------
    ValueError
        If a pixel isn't finite; if there are fewer numbers than bins between darkest and brightest.
        Under `likewise.jit` and `likewise.vmap`, and for lazy arrays, this may be unknown: then the
        result is meaningless.

    Notes
    -----
    Maximises the variance between the two classes (N. Otsu, IEEE Trans. Syst. Man Cybern. 9, 62,
    1979). Of equal maxima, the first is taken.
    """
    xp = likewise.array_namespace(image)
    (image,) = images("threshold_otsu", xp, image)
    if type(nbins) is not int or nbins < 2:
        raise ValueError(f"threshold_otsu: there are two bins at least, got nbins = {nbins!r}")
    return _threshold(image, nbins)


@likewise.native()
def _threshold(image: Any, nbins: int) -> Any:
    xp = likewise.array_namespace(image)
    try:
        counts, edges = missing.histogram(image, bins=nbins)
    except errors.ArgumentError:
        if not bool(xp.all(xp.isfinite(image))):
            raise ValueError(
                "threshold_otsu: every pixel must be finite; fill NaN and infinities before, by a "
                "median of what is around them, say"
            ) from None
        raise ValueError(
            f"threshold_otsu: the pixels' range is too narrow for nbins = {nbins}; give fewer"
        ) from None
    share = xp.astype(counts, image.dtype) / xp.sum(xp.astype(counts, image.dtype))
    centers = (edges[1:] + edges[:-1]) / 2
    level = (centers - centers[0]) / (centers[-1] - centers[0])  # so that no dtype overflows
    dark, moment = xp.cumulative_sum(share), xp.cumulative_sum(share * level)
    between = missing.safe_divide((moment[-1] * dark - moment) ** 2, dark * (1 - dark), fill=0.0)
    best = missing.take(centers, xp.argmax(between[:-1]))
    low, high = xp.min(image), xp.max(image)
    return xp.where(low == high, high, best)  # one value: bins on both sides of it
