"""Peaks along ridges of a wavelet transform."""

import math
from collections.abc import Callable
from typing import Any

from ..._dtypes import default_floating
from ..._namespace import quiet
from ..._native import public
from ...errors import ArgumentError, ShapeError
from .._base._places import host, read, real_only
from .._convolving._convolution import convolve

__all__ = ["find_peaks_cwt"]

Wavelet = Callable[[Any, Any], Any]


@public
def find_peaks_cwt(
    vector: Any,
    widths: Any,
    wavelet: Wavelet | None = None,
    max_distances: Any = None,
    gap_thresh: float | None = None,
    min_length: int | None = None,
    min_snr: float = 1,
    noise_perc: float = 10,
    window_size: int | None = None,
) -> Any:
    """Find peaks that appear at many widths of a wavelet transform.

    Parameters
    ----------
    vector : array, shape (n,)
        The signal.
    widths : float or array, shape (m,)
        Ascending widths of wavelets, which cover those of the peaks.
    wavelet : callable, optional
        A function of a number of points and a width that returns the wavelet as a NumPy array.
        Default: the second derivative of a Gaussian.
    max_distances : array, shape (m,), optional
        The maximum distance of maxima at neighbouring widths that belong to one ridge. Default:
        ``widths / 4``.
    gap_thresh : float, optional
        The number of widths that a ridge may lack. Default: the first width.
    min_length : int, optional
        The minimum number of widths of a ridge. Default: a fourth of them.
    min_snr : float, optional
        The minimum signal-to-noise ratio of a ridge at its smallest width.
    noise_perc : float, optional
        The percentile of the surrounding values that counts as noise.
    window_size : int, optional
        The number of surrounding values. Default: a twentieth of all.

    Returns
    -------
    array, shape (k,)
        Indices of peaks, ascending, with the signal's library and device.

    Raises
    ------
    ShapeError
        If the signal isn't a sequence, or distances are fewer than widths.
    ArgumentError
        If there is no width, or one isn't positive.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    P. Du, W. A. Kibbe and S. M. Lin, Bioinformatics 22, 2059, 2006: maxima at each width are linked
    from the largest width to the smallest, and ridges that are long and above the noise are kept.
    Computes on the host. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import find_peaks_cwt
    >>> find_peaks_cwt(np.sin(np.arange(0.0, np.pi, 0.05)), np.arange(1, 10))
    array([32])
    """
    xp = host()
    given = {} if max_distances is None else {"max_distances": max_distances}
    where, (signal, sizes, *far) = read("find_peaks_cwt", vector=vector, widths=widths, **given)
    real_only("find_peaks_cwt", vector=signal, widths=sizes)
    sizes = xp.reshape(sizes, (-1,))
    if signal.ndim != 1 or signal.shape[0] == 0:
        raise ShapeError(
            f"find_peaks_cwt: vector must be a sequence that isn't empty, got {signal.shape}"
        )
    if sizes.shape[0] == 0 or not xp.all(sizes > 0):
        raise ArgumentError(f"find_peaks_cwt: widths must be positive, got {sizes.tolist()}")
    far = xp.reshape(far[0], (-1,)) if far else sizes / 4
    if far.shape[0] < sizes.shape[0]:
        raise ShapeError(
            f"find_peaks_cwt: max_distances must hold {sizes.shape[0]} numbers, one for each "
            f"width, got {far.shape[0]}"
        )
    rows = [_transformed(signal, wavelet or _derivative, float(v)) for v in sizes]
    gap = math.ceil(sizes[0]) if gap_thresh is None else gap_thresh
    least = math.ceil(len(rows) / 4) if min_length is None else min_length
    around = math.ceil(signal.shape[0] / 20) if window_size is None else int(window_size)
    found = []
    for ridge in _ridges(rows, far.tolist(), gap):
        if ridge.count >= least:
            noise = _noise(rows[0], ridge.place, around, noise_perc)
            with quiet(signal):
                low = abs(rows[ridge.row][ridge.place] / noise) < min_snr
            found += [] if low else [ridge.place]
    dtype = default_floating(where.xp, where.device, kind="integral")
    return where.xp.asarray(sorted(found), dtype=dtype, device=where.device)


def _derivative(count: float, width: float) -> Any:
    """Return the second derivative of a Gaussian, of the energy one."""
    xp = host()
    x = (xp.arange(math.ceil(count)) - (count - 1) / 2) ** 2 / width**2
    return 2 / (math.sqrt(3 * width) * math.pi**0.25) * (1 - x) * xp.exp(-x / 2)


def _transformed(signal: Any, wavelet: Wavelet, width: float) -> Any:
    """Return the signal's transform at one width."""
    xp = host()
    made = xp.asarray(wavelet(min(10 * width, signal.shape[0]), width))
    return convolve(signal, xp.conj(xp.flip(made)), mode="same")


class _Ridge:
    """Hold a ridge of maxima: row and index of the last one, their number, and missing rows."""

    def __init__(self, row: int, place: int) -> None:
        self.row, self.place, self.count, self.missed = row, place, 1, 0

    def join(self, row: int, place: int) -> None:
        """Take a maximum of a row below, or another one of the same row."""
        self.row, self.place, self.missed = row, place, 0
        self.count += 1


def _ridges(rows: list[Any], far: list[float], gap: float) -> list[_Ridge]:
    """Return the ridges, from the largest width with a maximum on to the smallest."""
    xp = host()
    ended: list[_Ridge] = []
    live: list[_Ridge] = []
    for row in range(len(rows) - 1, -1, -1):
        for ridge in live:
            ridge.missed += 1
        before = xp.asarray([ridge.place for ridge in live])
        for place in _maxima(rows[row]):
            apart = xp.abs(before - place)
            near = int(xp.argmin(apart)) if before.shape[0] else -1
            if near >= 0 and apart[near] <= far[row]:
                live[near].join(row, place)
            else:
                live.append(_Ridge(row, place))
        ended += [ridge for ridge in live if ridge.missed > gap]
        live = [ridge for ridge in live if ridge.missed <= gap]
    return ended + live


def _maxima(x: Any) -> list[int]:
    """Return the places of elements that are greater than both neighbours."""
    xp = host()
    above = (x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])
    return [int(k) + 1 for k in xp.nonzero(above)[0]]


def _noise(x: Any, place: int, size: int, percentile: float) -> float:
    """Return a percentile of the elements around an index."""
    half, odd = divmod(size, 2)
    some = host().sort(x[max(place - half, 0) : place + half + odd])
    at = percentile / 100 * (len(some) - 1)
    low, share = int(at), at - int(at)
    return float(some[low] if not share else some[low] + share * (some[low + 1] - some[low]))
