"""The shift between two images."""

import math
from typing import Any

import likewise
from likewise import fft, missing

from ._images import images


@likewise.public(cases="smallimage._cases:phase_cross_correlation")
def phase_cross_correlation(reference: Any, moving: Any, upsample_factor: int = 1) -> Any:
    """Return the shift that aligns an image with another.

    Parameters
    ----------
    reference, moving : array, shape (..., h, w)
        Real, of one shape.
    upsample_factor : int, optional
        The resolution of the shift is a pixel divided by this.

    Returns
    -------
    array, shape (..., 2)
        The rows and columns by which `moving` must be shifted, periodically, to match `reference`.
        NaN if a pixel of either isn't finite.

    Notes
    -----
    The peak of the phase correlation, then of its Fourier series at finer points around that
    (M. Guizar-Sicairos et al., Opt. Lett. 33, 156, 2008).
    """
    xp = likewise.array_namespace(reference, moving)
    reference, moving = images("phase_cross_correlation", xp, reference, moving)
    if reference.shape != moving.shape:
        raise ValueError(
            "phase_cross_correlation: both images have one shape, got "
            f"{(*reference.shape,)} and {(*moving.shape,)}"
        )
    if type(upsample_factor) is not int or upsample_factor < 1:
        raise ValueError(
            f"phase_cross_correlation: upsample_factor is 1 or more, got {upsample_factor!r}"
        )
    return _shift(reference, moving, upsample_factor)


@likewise.native()
def _shift(reference: Any, moving: Any, factor: int) -> Any:
    xp = likewise.array_namespace(reference)
    h, w = reference.shape[-2:]
    product = fft.fftn(reference, axes=(-2, -1)) * xp.conj(fft.fftn(moving, axes=(-2, -1)))
    size = xp.abs(product)
    floor = 100 * xp.finfo(reference.dtype).eps * xp.max(size, axis=(-2, -1), keepdims=True)
    phases = product / xp.astype(xp.where(size > floor, size, xp.inf), product.dtype)
    surface = xp.abs(fft.ifftn(phases, axes=(-2, -1)))
    rows, columns = _peak(surface)
    found = [
        xp.astype(xp.where(at > n // 2, at - n, at), reference.dtype)
        for at, n in ((rows, h), (columns, w))
    ]
    if factor > 1:
        reach = math.ceil(0.75 * factor)
        steps = xp.arange(-reach, reach + 1, dtype=reference.dtype, device=likewise.device(size))
        near = [at[..., None] + steps / factor for at in found]
        waves = [_waves(xp, at, n, product.dtype) for at, n in zip(near, (h, w), strict=True)]
        finer = waves[0] @ phases @ xp.matrix_transpose(waves[1])
        found = [
            missing.take_along_axis(at, i[..., None], axis=-1)[..., 0]
            for at, i in zip(near, _peak(xp.abs(finer)), strict=True)
        ]
    # With NaN, the maximum would be the first pixel, an ordinary shift.
    unknown = xp.isnan(xp.sum(surface, axis=(-2, -1)))[..., None]
    return xp.where(unknown, xp.nan, xp.stack(found, axis=-1))


def _peak(image: Any) -> tuple[Any, Any]:
    """Return row and column of the largest pixel."""
    xp = likewise.array_namespace(image)
    w = image.shape[-1]
    at = xp.argmax(xp.reshape(image, (*image.shape[:-2], -1)), axis=-1)
    return at // w, at % w


def _waves(xp: Any, at: Any, n: int, dtype: Any) -> Any:
    """Return the Fourier series of n terms at points, (..., points, n)."""
    turns = at[..., None] * fft.fftfreq(n, like=at)
    return xp.exp(2j * math.pi * xp.astype(turns, dtype))
