"""Envelopes of signals by the Fourier transform."""

from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import Lines, Made, along, native, public
from ...errors import ArgumentError, ShapeError
from .._base._places import real_of
from .._base._recursions import axis_of
from .._resampling._resample import resampled
from ._analytic import count

__all__ = ["envelope"]

Residual = Literal["lowpass", "all"]


@public
def envelope(
    z: Any,
    bp_in: tuple[int | None, int | None] = (1, None),
    *,
    n_out: int | None = None,
    squared: bool = False,
    residual: Residual | str | None = "lowpass",
    axis: int = -1,
) -> Any:
    """Return the envelope of a frequency band of a signal, and the residual outside the band.

    Parameters
    ----------
    z : array, shape (..., n, ...)
        Real or complex samples of a period along `axis`; other dimensions are a batch.
    bp_in : pair of int or None, optional
        The first frequency of the band and the one after its last, in periods per signal as in
        `likewise.fft.fftfreq`. They range from ``-(n // 2)`` to ``(n + 1) // 2``; None means these
        limits. Default: all positive frequencies.
    n_out : int, optional
        The number of samples of the result. Default: n.
    squared : bool, optional
        Whether to return the square of the envelope, which has fewer frequencies.
    residual : {'lowpass', 'all'} or None, optional
        The residual to return with the envelope: the signal's frequencies below the band, all
        frequencies outside it, or none. Default: 'lowpass'.
    axis : int, optional
        The time axis.

    Returns
    -------
    array, shape (2, ...) or (...)
        The envelope and the residual; both are complex if `z` is. Without a residual, only the
        envelope, which is real.

    Raises
    ------
    ArrayTypeError, DtypeError
        If `z` is not a numeric array.
    ShapeError
        If there is no such axis, or it is empty.
    ArgumentError
        If the band isn't two integers or None in order and in range, `n_out` isn't a positive
        integer, or the residual is unknown.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    The envelope is the magnitude of the band after a shift to frequency zero. For a real signal,
    the analytic signal is used (see `hilbert`), whose negative frequencies are zero. The frequency
    ``-n / 2`` of an even n, which has no positive counterpart, counts as negative. If `n_out` is
    less than the number of frequencies in the band, the highest are dropped. The residual is
    resampled to `n_out` samples as in `resample`. O(n log n + n_out log n_out) operations.
    Differentiable where the envelope isn't zero.

    Differs from SciPy: a band that ends with ``bp_in[1] = 0`` is not empty; with a band that starts
    with ``bp_in[0] = 0``, the residual 'all' is not zero.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import envelope
    >>> t = np.arange(8) * np.pi / 4
    >>> amplitude, mean = envelope(5 + (2 + np.cos(t)) * np.cos(2 * t))
    >>> amplitude.round(3)
    array([3.   , 2.707, 2.   , 1.293, 1.   , 1.293, 2.   , 2.707])
    >>> mean.round(3)
    array([5., 5., 5., 5., 5., 5., 5., 5.])
    """
    name = "envelope"
    xp = array_namespace(z)
    (z,) = _plan.common_floating(name, xp, ("z",), z)
    axis = axis_of(name, z, axis)
    n = z.shape[axis]
    if not n:
        raise ShapeError(f"{name}: z must have samples along axis {axis}, got {tuple(z.shape)}")
    band = _band(bp_in, n)
    num = n if n_out is None else count(name, "n_out", n_out)
    if residual is not None:
        _plan.choice(name, "residual", residual, ("lowpass", "all"))
    _plan.extension(name, xp, "fft")
    return _envelope(
        z, *band, num, bool(squared), None if residual is None else str(residual), axis
    )


def _band(bp_in: Any, n: int) -> tuple[int, int]:
    """Return the first frequency of a band, and the one after the last."""
    pair = isinstance(bp_in, tuple | list) and len(bp_in) == 2
    if not pair or not all(b is None or hasattr(b, "__index__") for b in bp_in):
        raise ArgumentError(f"envelope: bp_in must be two integers or None, got {bp_in!r}")
    first, last = bp_in
    start = -(n // 2) if first is None else first.__index__()
    stop = (n + 1) // 2 if last is None else last.__index__()
    if not -(n // 2) <= start < stop <= (n + 1) // 2:
        raise ArgumentError(
            f"envelope: bp_in must rise, from {-(n // 2)} to {(n + 1) // 2} for {n} samples, "
            f"got {bp_in!r}"
        )
    return start, stop


def _in_blocks(
    z: Any, start: int, stop: int, num: int, squared: bool, residual: str | None, axis: int
) -> Lines:
    real = real_of(array_namespace(z), z.dtype)
    found = along(z, (axis,), [num], dtype=real if residual is None else z.dtype)
    made: Any = found.made
    if residual is None:
        return found
    return found._replace(made=Made((2, *made.shape), (None, *made.labels), z.dtype))


@native(blocks=_in_blocks)
def _envelope(
    z: Any, start: int, stop: int, num: int, squared: bool, residual: str | None, axis: int
) -> Any:
    xp = array_namespace(z)
    z = xp.moveaxis(z, axis, -1)
    n, full = z.shape[-1], _plan.is_complex(xp, z.dtype)
    spectrum = xp.fft.fft(z) if full else _positive(xp, z)
    moved = xp.fft.ifft(_inside(xp, spectrum, start, stop, 1 if full else 2), n=num) * (num / n)
    out = xp.real(moved) ** 2 + xp.imag(moved) ** 2 if squared else xp.abs(moved)
    out = xp.moveaxis(out, -1, axis)
    if residual is None:
        return out
    kept = spectrum * _outside(xp, spectrum, start, stop, residual)
    rest = resampled(kept, num, z.ndim - 1) if full else _real(xp, kept, num)
    return xp.stack((xp.astype(out, z.dtype), xp.moveaxis(rest, -1, axis)), axis=0)


def _positive(xp: Any, z: Any) -> Any:
    """Return the spectrum of real samples with zeros at negative frequencies."""
    spectrum, n = xp.fft.rfft(z), z.shape[-1]
    shape = (*z.shape[:-1], n - n // 2 - 1)
    zeros = xp.zeros(shape, dtype=spectrum.dtype, device=device(z))
    return xp.concat((spectrum, zeros), axis=-1)


def _inside(xp: Any, spectrum: Any, start: int, stop: int, factor: int) -> Any:
    """Return the band of a spectrum from its first frequency on, scaling positive ones."""
    n = spectrum.shape[-1]
    parts = [
        spectrum[..., n + start : n + min(stop, 0)] if start < 0 else None,
        spectrum[..., :1] if start <= 0 < stop else None,
        spectrum[..., max(start, 1) : stop] * factor if stop > 1 else None,
    ]
    return xp.concat([part for part in parts if part is not None], axis=-1)


def _outside(xp: Any, spectrum: Any, start: int, stop: int, residual: str) -> Any:
    """Return a mask of the spectrum: one for frequencies in the residual, else zero."""
    n = spectrum.shape[-1]
    k = xp.arange(n, device=device(spectrum))
    k = xp.where(2 * k >= n, k - n, k)
    keep = k < start if residual == "lowpass" else (k < start) | (k >= stop)
    return xp.astype(keep, real_of(xp, spectrum.dtype))


def _real(xp: Any, spectrum: Any, num: int) -> Any:
    """Return real samples from positive frequencies; the last of an even number is shared."""
    n = spectrum.shape[-1]
    half = min(n, num) // 2
    low, last = spectrum[..., :half], spectrum[..., half : half + 1]
    if min(n, num) % 2 == 0 and num != n:
        last = last * (2.0 if num < n else 0.5)
    return xp.fft.irfft(xp.concat((low, last), axis=-1) * (num / n), n=num)
