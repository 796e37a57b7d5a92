"""The short-time Fourier transform, its inverse, and conditions for the inverse."""

from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, Made, lines, native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from .._base._places import complex_of, host, number, one_dimension, rate, read, real_of
from ._segments import (
    Cut,
    along,
    cut,
    frequencies,
    host_window,
    integer,
    named,
    of_segments,
    one_side,
    overlapped,
    padded,
    scale,
    spectra,
    times,
    warn,
    window_of,
)

__all__ = ["check_COLA", "check_NOLA", "istft", "stft"]

Boundary = Literal["even", "odd", "constant", "zeros"]
Scaling = Literal["spectrum", "psd"]


@public
def stft(
    x: A,
    fs: float = 1.0,
    window: Any = "hann_periodic",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: Boundary | str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: Scaling | str = "spectrum",
) -> tuple[A, A, A]:
    """Compute the Fourier transforms of overlapping segments, which `istft` inverts.

    Parameters
    ----------
    x : array
        A real or complex signal; integers become floating.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        A name, or a name with parameters, as for `get_window`; or the values of the window.
    nperseg, noverlap, nfft : int, optional
        The length of the segments, of their overlap (default: half), and of the transforms
        (default: `nperseg`).
    detrend : {'constant', 'linear', False} or callable, optional
        As for `welch`.
    return_onesided : bool, optional
        Whether to return only nonnegative frequencies for real signals.
    boundary : {'even', 'odd', 'constant', 'zeros', None}, optional
        How to extend the signal by half a segment at both ends, so that the first segment is
        centred on the first sample.
    padded : bool, optional
        Whether to pad with zeros at the end to a whole number of segments.
    axis : int, optional
        The time axis.
    scaling : {'spectrum', 'psd'}, optional
        Whether squared magnitudes are the power of a sine or a density.

    Returns
    -------
    f : array, shape (k,)
        The frequencies, in the precision of the signal.
    t : array, shape (s,)
        The times of the centres of the segments.
    Zxx : array, shape (..., k, ..., s)
        The transforms: frequencies along the time axis, segments along the last axis.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `welch`, and if the boundary is unknown, or the signal is too short for it.

    Warns
    -----
    SpectrumWarning
        As for `welch`, and if a one-sided transform of complex numbers is requested.

    Notes
    -----
    All segments are transformed at once (J. B. Allen, L. R. Rabiner, Proc. IEEE 65, 1558, 1977).
    Differentiable.

    Differs from SciPy: single precision stays single, also in frequencies and times.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import istft, stft
    >>> f, t, z = stft(np.arange(20.0), nperseg=8)
    >>> z.shape
    (5, 6)
    >>> istft(z, nperseg=8)[1][:4].round(12) + 0.0
    array([0., 1., 2., 3.])
    """
    _plan.choice("stft", "scaling", scaling, ("spectrum", "psd"))
    if boundary is not None:
        _plan.choice("stft", "boundary", boundary, ("even", "odd", "constant", "zeros"))
    xp = array_namespace(x)
    (signal,) = _plan.common_floating("stft", xp, ("x",), x)
    place, fs = along("stft", axis, signal), rate("stft", fs)
    if 0 in signal.shape:
        nothing = xp.real(signal) if _plan.is_complex(xp, signal.dtype) else signal
        return nothing, nothing, nothing
    signal = xp.moveaxis(signal, place, -1)
    onesided = one_side("stft", xp, signal, return_onesided)
    how = cut(
        *("stft", xp, signal, signal.shape[-1], window, nperseg, noverlap, nfft, onesided, detrend)
    )
    half = how.nperseg // 2
    if boundary in ("even", "odd") and half >= signal.shape[-1]:
        raise ShapeError(
            f"stft: boundary {boundary!r} takes more than {half} samples, got {signal.shape[-1]}"
        )
    out = _transformed(signal, how, fs, boundary, bool(padded), str(scaling))
    f = frequencies(xp, signal, how.nfft, fs, onesided)
    t = times(xp, signal, how, out.shape[-2], fs)
    if boundary is not None:
        t = t - how.nperseg / 2 / fs
    return f, t, xp.moveaxis(xp.moveaxis(out, -2, -1), -2, place)


def _in_blocks(
    x: Any, how: Cut, fs: float, boundary: str | None, fill: bool, scaling: str
) -> Lines:
    n = x.shape[-1] + (0 if boundary is None else how.nperseg // 2 * 2)
    n += -(n - how.nperseg) % how.hop % how.nperseg if fill else 0
    return of_segments(x, how, (n - how.nperseg) // how.hop + 1)


@native(blocks=_in_blocks)
def _transformed(
    x: Any, how: Cut, fs: float, boundary: str | None, fill: bool, scaling: str
) -> Any:
    xp = array_namespace(x)
    x = _extended(xp, x, how.nperseg // 2, boundary)
    if fill:
        x = padded(xp, x, 0, -(x.shape[-1] - how.nperseg) % how.hop % how.nperseg)
    scaling = "density" if scaling == "psd" else scaling
    return spectra(xp, x, how) * xp.sqrt(scale("stft", xp, how.win, fs, scaling))


def _extended(xp: Any, x: Any, n: int, boundary: str | None) -> Any:
    """Extend the last axis by `n` elements at both ends."""
    if boundary is None or not n:
        return x
    if boundary == "zeros":
        return padded(xp, x, n, n)
    size, first, last = x.shape[-1], x[..., :1], x[..., -1:]
    if boundary == "constant":
        shape = (*x.shape[:-1], n)
        before, after = xp.broadcast_to(first, shape), xp.broadcast_to(last, shape)
    else:
        before = xp.flip(x[..., 1 : n + 1], axis=-1)
        after = xp.flip(x[..., size - n - 1 : size - 1], axis=-1)
        if boundary == "odd":
            before, after = 2 * first - before, 2 * last - after
    return xp.concat([before, x, after], axis=-1)


@public
def istft(
    Zxx: A,
    fs: float = 1.0,
    window: Any = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: Scaling | str = "spectrum",
) -> tuple[A, A]:
    """Compute the signal whose `stft` equals, or is closest to, the given transforms.

    Parameters
    ----------
    Zxx : array
        The transforms, of at least two dimensions.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        As for `stft`.
    nperseg : int, optional
        The length of the segments. Default: from the number of frequencies, an even number if
        one-sided.
    noverlap, nfft : int, optional
        As for `stft`. Default of `nfft`: from the number of frequencies; `nperseg` if that is one
        more.
    input_onesided : bool, optional
        Whether the transforms have only nonnegative frequencies, of a real signal.
    boundary : bool, optional
        Whether the signal was extended at both ends; the extension is removed.
    time_axis, freq_axis : int, optional
        The axes of the segments and of the frequencies.
    scaling : {'spectrum', 'psd'}, optional
        As for `stft`.

    Returns
    -------
    t : array, shape (n,)
        The times of the samples.
    x : array, shape (..., n)
        The signal, real if one-sided. Its time axis replaces the axis of segments; the frequency
        axis is removed.

    Raises
    ------
    ArgumentError
        If the axes are the same, lengths are not positive integers, `noverlap` is not less than
        `nperseg`, or the window or scaling is unknown.
    ShapeError
        If there are fewer than two dimensions, or the window doesn't have `nperseg` values.
    ExtensionMissing
        If the namespace has no ``fft``.

    Warns
    -----
    SpectrumWarning
        If the squares of the window are zero at a sample, which is then undetermined; see
        `check_NOLA`.

    Notes
    -----
    Returns the least-squares solution (D. W. Griffin, J. S. Lim, IEEE Trans. Acoust. Speech Signal
    Process. 32, 236, 1984): the sum of the segments times the window, divided by the sum of the
    window's squares. Differentiable.

    Differs from SciPy: single precision stays single; for several signals, `t` has the times of the
    samples, whereas SciPy counts the signals.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import istft, stft
    >>> x = np.cos(np.arange(40.0) ** 2)
    >>> bool(np.allclose(istft(stft(x, nperseg=10)[2])[1], x))
    True
    """
    xp = array_namespace(Zxx)
    (z,) = _plan.common_floating("istft", xp, ("Zxx",), Zxx)
    if z.ndim < 2:
        raise ShapeError(f"istft: Zxx must have at least two dimensions, got {tuple(z.shape)}")
    _plan.choice("istft", "scaling", scaling, ("spectrum", "psd"))
    fs, onesided = rate("istft", fs), bool(input_onesided)
    freq, time = along("istft", freq_axis, z), along("istft", time_axis, z)
    if freq == time:
        raise ArgumentError(
            f"istft: time_axis and freq_axis must differ, got {time_axis!r} and {freq_axis!r}"
        )
    points = z.shape[freq]
    natural = 2 * (points - 1) if onesided else points
    nperseg = natural if nperseg is None else integer("istft", "nperseg", nperseg, 1)
    if nfft is None:
        nfft = nperseg if onesided and nperseg == natural + 1 else natural
    nfft = integer("istft", "nfft", nfft, 1)
    noverlap = nperseg // 2 if noverlap is None else integer("istft", "noverlap", noverlap, 0)
    if nfft < nperseg:
        raise ArgumentError(f"istft: nfft must be at least nperseg, got {nfft} and {nperseg}")
    if noverlap >= nperseg:
        raise ArgumentError(
            f"istft: noverlap must be less than nperseg, got {noverlap} and {nperseg}"
        )
    win = window_of("istft", xp, window, nperseg, z)
    if win.shape[0] != nperseg:
        raise ShapeError(f"istft: the window must have {nperseg} points, got {win.shape[0]}")
    _plan.extension("istft", xp, "fft")
    frames = xp.moveaxis(z, (time, freq), (-2, -1))
    how = Cut(win, nperseg, nperseg - noverlap, nfft, onesided, False)
    if named(window) or is_concrete(win):
        # More segments than reach from one end to the other add nothing that isn't there.
        count = min(frames.shape[-2], 2 * -(-nperseg // how.hop) + 1)
        some = count, how.hop, bool(boundary)
        if named(window):
            complete = _is_complete(window, nperseg, *some)
        else:
            complete = _complete(_norm(win, *some))
    else:
        complete = True
    x = _resynthesized(frames, how, fs, bool(boundary), str(scaling))
    if not complete:
        missing = "" if boundary else "; the boundary may be missing"
        warn(f"istft: the window leaves samples out (NOLA), which are not known{missing}")
    t = xp.arange(x.shape[-1], dtype=real_of(xp, x.dtype), device=device(x)) / fs
    return t, xp.moveaxis(x, -1, time - (freq < time))


@_plan.of_settings
def _is_complete(window: Any, nperseg: int, count: int, hop: int, boundary: bool) -> Any:
    return _complete(_norm(host_window("istft", window, nperseg), count, hop, boundary))


def _back_in_blocks(frames: Any, how: Cut, fs: float, boundary: bool, scaling: str) -> Lines:
    xp, labels = array_namespace(frames), lines(frames.ndim, frames.ndim - 2, frames.ndim - 1)
    n = (frames.shape[-2] - 1) * how.hop + how.nperseg
    n -= how.nperseg // 2 * 2 if boundary else 0
    dtype = (real_of if how.onesided else complex_of)(xp, frames.dtype)
    return Lines({0: labels}, Made((*frames.shape[:-2], n), labels[:-1], dtype))


@native(blocks=_back_in_blocks)
def _resynthesized(frames: Any, how: Cut, fs: float, boundary: bool, scaling: str) -> Any:
    xp = array_namespace(frames)
    if not _plan.is_complex(xp, frames.dtype):
        frames = xp.astype(frames, complex_of(xp, frames.dtype))
    back = xp.fft.irfft if how.onesided else xp.fft.ifft
    scaling = "density" if scaling == "psd" else scaling
    size = 1 / xp.sqrt(scale("istft", xp, how.win, fs, scaling))
    parts = back(frames, n=how.nfft)[..., : how.nperseg]
    x = overlapped(xp, parts * (how.win * size), how.hop)
    if boundary:
        x = x[..., how.nperseg // 2 : x.shape[-1] - how.nperseg // 2]
    norm = _norm(how.win, frames.shape[-2], how.hop, boundary)
    return x / xp.where(norm > 1e-10, norm, xp.ones_like(norm))


def _complete(norm: Any) -> bool:
    return bool(array_namespace(norm).all(norm > 1e-10))


def _norm(win: Any, count: int, hop: int, boundary: bool) -> Any:
    """Return the sum of squares of windows at distances of `hop`."""
    xp, n = array_namespace(win), win.shape[0]
    norm = overlapped(xp, xp.broadcast_to((win * win)[None, :], (count, n)), hop)
    return norm[n // 2 : norm.shape[0] - n // 2] if boundary else norm


# -- whether a window allows it --------------------------------------------------------------------


def check_COLA(window: Any, nperseg: int, noverlap: int, tol: float = 1e-10) -> bool:
    """Tell whether the sum of overlapping windows is constant.

    Parameters
    ----------
    window : str, tuple or array
        A name, or a name with parameters, as for `get_window`; or the values of the window.
    nperseg : int
        The length of the segments.
    noverlap : int
        The overlap of adjacent segments.
    tol : float, optional
        The maximum deviation of sums from their median.

    Returns
    -------
    bool
        True if the sum is constant.

    Raises
    ------
    ArgumentError
        If `nperseg` is not a positive integer, `noverlap` is negative or not less than `nperseg`,
        or the window is unknown.
    ShapeError
        If the window's values don't have one dimension, or differ in number from `nperseg`.

    Notes
    -----
    COLA stands for constant overlap-add. Reads values on the host.

    Examples
    --------
    >>> from likewise.signal import check_COLA
    >>> check_COLA("hann", 120, 60), check_COLA("hann", 120, 50)
    (True, False)
    """
    win, step = _overlap("check_COLA", window, nperseg, noverlap)
    xp, sums = host(), _sums(win, step)
    middle = xp.sort(sums)
    median = (middle[(step - 1) // 2] + middle[step // 2]) / 2
    return bool(xp.max(xp.abs(sums - median)) < number("check_COLA", "tol", tol))


def check_NOLA(window: Any, nperseg: int, noverlap: int, tol: float = 1e-10) -> bool:
    """Tell whether the sum of squares of overlapping windows is nowhere zero.

    Parameters
    ----------
    window, nperseg, noverlap
        As for `check_COLA`.
    tol : float, optional
        The minimum of the sums.

    Returns
    -------
    bool
        Whether `istft` can invert the transform.

    Raises
    ------
    ArgumentError, ShapeError
        As for `check_COLA`.

    Notes
    -----
    NOLA stands for nonzero overlap-add. Reads values on the host.

    Examples
    --------
    >>> from likewise.signal import check_NOLA
    >>> check_NOLA("boxcar", 120, 0), check_NOLA("hann", 120, 0)
    (True, False)
    """
    win, step = _overlap("check_NOLA", window, nperseg, noverlap)
    return bool(host().min(_sums(win * win, step)) > number("check_NOLA", "tol", tol))


def _overlap(function: str, window: Any, nperseg: Any, noverlap: Any) -> tuple[Any, int]:
    nperseg = integer(function, "nperseg", nperseg, 1)
    noverlap = integer(function, "noverlap", noverlap, 0)
    if noverlap >= nperseg:
        raise ArgumentError(
            f"{function}: noverlap must be less than nperseg, got {noverlap} and {nperseg}"
        )
    if named(window):
        return host_window(function, window, nperseg), nperseg - noverlap
    _, (win,) = read(function, window=window)
    one_dimension(function, window=win)
    if win.shape[0] != nperseg:
        raise ShapeError(f"{function}: the window must have {nperseg} points, got {win.shape[0]}")
    return win, nperseg - noverlap


def _sums(win: Any, step: int) -> Any:
    xp = host()
    win = padded(xp, win, 0, -win.shape[0] % step)
    return xp.sum(xp.reshape(win, (-1, step)), axis=0)
