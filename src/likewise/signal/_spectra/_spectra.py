"""Power spectra: of one segment, averaged over segments, of two signals, and over time."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import Lines, Made, lines, native, public
from ..._typing import A
from ...errors import ShapeError
from ...missing import angle, median, unwrap
from .._base._places import complex_of, rate, real_of
from ._segments import (
    Cut,
    along,
    both_sides,
    cut,
    frequencies,
    integer,
    named,
    of_segments,
    one_side,
    padded,
    scale,
    spectra,
    times,
)

__all__ = ["coherence", "csd", "periodogram", "spectrogram", "welch"]

Scaling = Literal["density", "spectrum"]
Average = Literal["mean", "median"]
Mode = Literal["psd", "complex", "magnitude", "angle", "phase"]
Detrend = str | bool | Callable[[Any], Any] | None


class _Asked(NamedTuple):
    """Hold the arguments of all spectra except the signals."""

    fs: Any
    window: Any
    nperseg: Any
    noverlap: Any
    nfft: Any
    detrend: Any
    onesided: bool
    scaling: str
    average: str


def _signals(function: str, axis: Any, *signals: Any) -> tuple[Any, list[Any], int]:
    """Return the namespace, floating signals with time last, and the time axis of the result."""
    xp = array_namespace(*signals)
    names = ("x", "y")[: len(signals)]
    found = _plan.common_floating(function, xp, names, *signals)
    places = [along(function, axis, x) for x in found]
    # As arrays that a transform follows, if one of them is.
    out = [xp.moveaxis(xp.asarray(x), a, -1) for x, a in zip(found, places, strict=True)]
    shape = _plan.broadcast(
        function, **{k: tuple(x.shape)[:-1] for k, x in zip(names, out, strict=True)}
    )
    ndim = len(shape) + 1
    return xp, out, axis % ndim


def _averaged(
    function: str, signals: tuple[Any, ...], axis: Any, asked: _Asked, kind: str
) -> tuple[Any, Any]:
    """Return frequencies and a spectrum: of one signal, or the cross spectrum of two."""
    xp, found, place = _signals(function, axis, *signals)
    _plan.choice(function, "scaling", asked.scaling, ("density", "spectrum"))
    _plan.choice(function, "average", asked.average, ("mean", "median"))
    fs = rate(function, asked.fs)
    if any(0 in x.shape for x in found):
        nothing = _nothing(xp, found, place)
        return nothing, xp.astype(
            nothing, complex_of(xp, nothing.dtype)
        ) if kind == "csd" else nothing
    n = max(x.shape[-1] for x in found)
    found = [padded(xp, x, 0, n - x.shape[-1]) for x in found]
    onesided = bool(asked.onesided) and not any(_plan.is_complex(xp, x.dtype) for x in found)
    how = cut(
        function,
        xp,
        found[0],
        n,
        asked.window,
        asked.nperseg,
        asked.noverlap,
        asked.nfft,
        onesided,
        asked.detrend,
    )
    f = frequencies(xp, found[0], how.nfft, fs, onesided)
    powers = _powers(found[0], found[-1], kind, how, fs, asked.scaling, asked.average)
    if kind == "coherence":
        pxx, pyy, pxy = powers
        powers = (_square(xp, pxy) / pxx / pyy,)
    return f, xp.moveaxis(powers[0], -1, place)


def _nothing(xp: Any, found: list[Any], place: int) -> Any:
    shapes = {name: tuple(x.shape)[:-1] for name, x in zip("xy", found, strict=False)}
    shape = (*_plan.broadcast("csd", **shapes), min(x.shape[-1] for x in found))
    none = xp.zeros(shape, dtype=real_of(xp, found[0].dtype), device=device(found[0]))
    return xp.moveaxis(none, -1, place)


def _in_blocks(x: Any, y: Any, kind: str, how: Cut, *options: Any) -> Lines:
    xp, bins = array_namespace(x), how.nfft // 2 + 1 if how.onesided else how.nfft
    shape = (*_plan.broadcast(kind, x=x.shape[:-1], y=y.shape[:-1]), bins)
    labels, real = lines(len(shape), len(shape) - 1), real_of(xp, x.dtype)
    given = {k: labels[len(shape) - v.ndim :] for k, v in enumerate((x, y))}
    dtypes = {"welch": [real], "csd": [complex_of(xp, real)]}
    found = dtypes.get(kind, [real, real, complex_of(xp, real)])
    return Lines(given, [Made(shape, labels, d) for d in found])


@native(blocks=_in_blocks)
def _powers(
    x: Any, y: Any, kind: str, how: Cut, fs: float, scaling: str, average: str
) -> tuple[Any, ...]:
    """Return averages of squared magnitudes, of products, or of both."""
    xp = array_namespace(x)
    by = scale("spectrum", xp, how.win, fs, scaling)
    if how.onesided:
        by = by * both_sides(xp, how)
    a = spectra(xp, x, how)
    if kind == "welch":
        return (by * _mean(xp, _square(xp, a), average),)
    b = spectra(xp, y, how)
    both = by * _mean(xp, xp.conj(a) * b, average)
    if kind == "csd":
        return (both,)
    return (*(by * _mean(xp, _square(xp, z), average) for z in (a, b)), both)


def _square(xp: Any, z: Any) -> Any:
    return xp.real(z) ** 2 + xp.imag(z) ** 2


def _mean(xp: Any, x: Any, average: str) -> Any:
    """Average over the segments, the axis before the last."""
    n = x.shape[-2]
    if average == "mean" or n == 1:
        return xp.mean(x, axis=-2)
    if _plan.is_complex(xp, x.dtype):
        return _mean(xp, xp.real(x), average) + 1j * _mean(xp, xp.imag(x), average)
    # Of n squared magnitudes of noise, the median is less than the mean (B. Allen et al., Phys.
    # Rev. D 85, 122006, 2012, appendix B).
    bias = 1 + sum(1 / (2 * k + 1) - 1 / (2 * k) for k in range(1, (n - 1) // 2 + 1))
    return median(x, axis=-2) / bias


@public
def periodogram(
    x: A,
    fs: float = 1.0,
    window: Any = "boxcar",
    nfft: int | None = None,
    detrend: Detrend = "constant",
    return_onesided: bool = True,
    scaling: Scaling | str = "density",
    axis: int = -1,
) -> tuple[A, A]:
    """Estimate the power spectrum from the whole signal as one segment.

    Parameters
    ----------
    x : array
        A real or complex signal; integers become floating.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        A name, or a name with parameters, as for `get_window`; or the values of the window. None is
        'boxcar'.
    nfft : int, optional
        The length of the transform: a longer signal is cropped, a shorter one padded with zeros.
        Default: the length of the signal.
    detrend : {'constant', 'linear', False} or callable, optional
        As for `welch`.
    return_onesided : bool, optional
        Whether to return only nonnegative frequencies for real signals, with the power of both
        sides. Complex signals always give both sides.
    scaling : {'density', 'spectrum'}, optional
        Whether to return a density, per unit of frequency, or the power of a sine.
    axis : int, optional
        The time axis.

    Returns
    -------
    f : array, shape (k,)
        The frequencies, in the precision of the signal.
    Pxx : array, shape (..., k, ...)
        The real spectrum.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `welch`.

    Notes
    -----
    Calls `welch` with a single segment. Differentiable.

    Differs from SciPy: single precision stays single, also in the frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import periodogram
    >>> f, p = periodogram(np.sin(np.pi / 2 * np.arange(8)), scaling="spectrum")
    >>> f, p.round(6)
    (array([0.   , 0.125, 0.25 , 0.375, 0.5  ]), array([0. , 0. , 0.5, 0. , 0. ]))
    """
    xp = array_namespace(x)
    (signal,) = _plan.common_floating("periodogram", xp, ("x",), x)
    place = along("periodogram", axis, signal)
    n = signal.shape[place]
    if nfft is not None and n:
        nfft = integer("periodogram", "nfft", nfft, 1)
        if nfft < n:
            index = [slice(None)] * signal.ndim
            index[place] = slice(nfft)
            signal, n = signal[tuple(index)], nfft
    window = "boxcar" if window is None else window
    size = getattr(window, "shape", (n,)) if not named(window) else (n,)
    if n and tuple(size) != (n,):
        raise ShapeError(
            f"periodogram: the window must have the {n} points of the signal, got {tuple(size)}"
        )
    asked = _Asked(fs, window, n or None, 0, nfft, detrend, return_onesided, str(scaling), "mean")
    return _averaged("periodogram", (signal,), place, asked, "welch")


@public
def welch(
    x: A,
    fs: float = 1.0,
    window: Any = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    return_onesided: bool = True,
    scaling: Scaling | str = "density",
    axis: int = -1,
    average: Average | str = "mean",
) -> tuple[A, A]:
    """Estimate the power spectrum by averaging over overlapping segments.

    Parameters
    ----------
    x : array
        A real or complex signal; integers become floating.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        A name, or a name with parameters, as for `get_window`; or the values of the window, as an
        array of NumPy or of the library of `x`.
    nperseg : int, optional
        The length of the segments. Default: the length of the window's values, else the smaller of
        256 and the length of the signal.
    noverlap : int, optional
        The overlap of adjacent segments. Default: half.
    nfft : int, optional
        The length of the transforms; segments are padded with zeros. Default: `nperseg`.
    detrend : {'constant', 'linear', False} or callable, optional
        The trend to subtract from each segment: its mean, a straight line, or none; or a function
        that returns segments along the last axis without their trend.
    return_onesided : bool, optional
        Whether to return only nonnegative frequencies for real signals, with the power of both
        sides. Complex signals always give both sides.
    scaling : {'density', 'spectrum'}, optional
        Whether to return a density, per unit of frequency, or the power of a sine.
    axis : int, optional
        The time axis.
    average : {'mean', 'median'}, optional
        How to average segments; the median is corrected for its bias.

    Returns
    -------
    f : array, shape (k,)
        The frequencies, in the precision of the signal.
    Pxx : array, shape (..., k, ...)
        The real spectrum.

    Raises
    ------
    ArgumentError
        If lengths are not positive integers, `noverlap` is negative or not less than `nperseg`,
        `nfft` is less than `nperseg`, the window, trend, scaling or average is unknown, or `fs` is
        not positive.
    ShapeError
        If there is no such axis, or the window's values don't have one dimension, differ in number
        from `nperseg`, or are more than the signal's.
    ExtensionMissing
        If the namespace has no ``fft``.

    Warns
    -----
    SpectrumWarning
        If `nperseg` is larger than the length of the signal, which is then used.

    Notes
    -----
    All segments are transformed at once (P. D. Welch, IEEE Trans. Audio Electroacoust. 15, 70,
    1967): this takes about three times the memory of the segments. Differentiable, also in the
    values of a window.

    Differs from SciPy: single precision stays single, also in the frequencies; `noverlap` must not
    be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import welch
    >>> f, p = welch(np.sin(np.pi / 2 * np.arange(64)), nperseg=8, scaling="spectrum")
    >>> f, p.round(6) + 0.0
    (array([0.   , 0.125, 0.25 , 0.375, 0.5  ]), array([0.   , 0.125, 0.5  , 0.125, 0.   ]))
    """
    asked = _Asked(
        *(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, str(scaling), str(average))
    )
    return _averaged("welch", (x,), axis, asked, "welch")


@public
def csd(
    x: A,
    y: A,
    fs: float = 1.0,
    window: Any = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    return_onesided: bool = True,
    scaling: Scaling | str = "density",
    axis: int = -1,
    average: Average | str = "mean",
) -> tuple[A, A]:
    """Estimate the cross spectrum of two signals by averaging over segments.

    Parameters
    ----------
    x, y : array
        Real or complex signals; the shorter one is padded with zeros, other axes broadcast.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        A name, or a name with parameters, as for `get_window`; or the values of the window, as an
        array of NumPy or of the library of `x`.
    nperseg : int, optional
        The length of the segments. Default: the length of the window's values, else the smaller of
        256 and the length of the signal.
    noverlap : int, optional
        The overlap of adjacent segments. Default: half.
    nfft : int, optional
        The length of the transforms; segments are padded with zeros. Default: `nperseg`.
    detrend : {'constant', 'linear', False} or callable, optional
        The trend to subtract from each segment: its mean, a straight line, or none; or a function
        that returns segments along the last axis without their trend.
    return_onesided : bool, optional
        Whether to return only nonnegative frequencies for real signals, with the power of both
        sides. Complex signals always give both sides.
    scaling : {'density', 'spectrum'}, optional
        Whether to return a density, per unit of frequency, or the power of a sine.
    axis : int, optional
        The time axis.
    average : {'mean', 'median'}, optional
        How to average segments; the median is corrected for its bias.

    Returns
    -------
    f : array, shape (k,)
        The frequencies, in the precision of the signal.
    Pxy : array, shape (..., k, ...)
        The averages of ``conj(X) * Y``, complex; real if `x` and `y` are the same object.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `welch`, and if the signals' other axes don't broadcast.

    Warns
    -----
    SpectrumWarning
        If `nperseg` is larger than the length of the signal, which is then used.

    Notes
    -----
    As for `welch`.

    Differs from SciPy: as `welch`; if either signal is complex, both sides are returned, whereas
    SciPy refuses a real `x` with a complex `y`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import csd
    >>> t = np.pi / 2 * np.arange(64)
    >>> f, p = csd(np.sin(t), np.cos(t), nperseg=8, scaling="spectrum")
    >>> p.imag.round(6) + 0.0
    array([0.   , 0.125, 0.5  , 0.125, 0.   ])
    """
    asked = _Asked(
        *(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, str(scaling), str(average))
    )
    if y is x:
        return _averaged("csd", (x,), axis, asked, "welch")
    return _averaged("csd", (x, y), axis, asked, "csd")


@public
def coherence(
    x: A,
    y: A,
    fs: float = 1.0,
    window: Any = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    axis: int = -1,
) -> tuple[A, A]:
    """Estimate the squared coherence of two signals: ``abs(Pxy)**2 / (Pxx * Pyy)``.

    Parameters
    ----------
    x, y : array
        The signals, as for `csd`.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        A name, or a name with parameters, as for `get_window`; or the values of the window, as an
        array of NumPy or of the library of `x`.
    nperseg : int, optional
        The length of the segments. Default: the length of the window's values, else the smaller of
        256 and the length of the signal.
    noverlap : int, optional
        The overlap of adjacent segments. Default: half.
    nfft : int, optional
        The length of the transforms; segments are padded with zeros. Default: `nperseg`.
    detrend : {'constant', 'linear', False} or callable, optional
        The trend to subtract from each segment: its mean, a straight line, or none; or a function
        that returns segments along the last axis without their trend.
    axis : int, optional
        The time axis.

    Returns
    -------
    f : array, shape (k,)
        The frequencies, in the precision of the signal.
    Cxy : array, shape (..., k, ...)
        The coherence, from 0 to 1; 1 for a single segment; NaN where a signal has no power.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `csd`.

    Warns
    -----
    SpectrumWarning
        If `nperseg` is larger than the length of the signal, which is then used.

    Notes
    -----
    As for `welch`; the segments of each signal are transformed once.

    Differs from SciPy: as `csd`; if lengths differ, the shorter signal is padded with zeros for the
    powers, too, not only for the cross spectrum, so the coherence never exceeds 1.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import coherence
    >>> x = np.cos(np.arange(64.0) ** 2)
    >>> f, c = coherence(x, 2 * x, nperseg=8)
    >>> c.round(6)
    array([1., 1., 1., 1., 1.])
    """
    asked = _Asked(fs, window, nperseg, noverlap, nfft, detrend, True, "density", "mean")
    return _averaged("coherence", (x, y), axis, asked, "coherence")


@public
def spectrogram(
    x: A,
    fs: float = 1.0,
    window: Any = ("tukey_periodic", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    return_onesided: bool = True,
    scaling: Scaling | str = "density",
    axis: int = -1,
    mode: Mode | str = "psd",
) -> tuple[A, A, A]:
    """Compute the spectra of consecutive overlapping segments.

    Parameters
    ----------
    x : array
        A real or complex signal; integers become floating.
    fs : float, optional
        The sampling rate.
    window : str, tuple or array, optional
        A name, or a name with parameters, as for `get_window`; or the values of the window, as an
        array of NumPy or of the library of `x`.
    nperseg : int, optional
        The length of the segments. Default: the length of the window's values, else the smaller of
        256 and the length of the signal.
    noverlap : int, optional
        The overlap of adjacent segments. Default: an eighth.
    nfft : int, optional
        The length of the transforms; segments are padded with zeros. Default: `nperseg`.
    detrend : {'constant', 'linear', False} or callable, optional
        The trend to subtract from each segment: its mean, a straight line, or none; or a function
        that returns segments along the last axis without their trend.
    return_onesided : bool, optional
        Whether to return only nonnegative frequencies for real signals, with the power of both
        sides. Complex signals always give both sides.
    scaling : {'density', 'spectrum'}, optional
        Whether to return a density, per unit of frequency, or the power of a sine.
    axis : int, optional
        The time axis.
    mode : {'psd', 'complex', 'magnitude', 'angle', 'phase'}, optional
        Powers; or the transforms, their magnitudes, their angles ('angle'), or angles unwrapped
        along the frequencies ('phase').

    Returns
    -------
    f : array, shape (k,)
        The frequencies, in the precision of the signal.
    t : array, shape (s,)
        The times of the centres of the segments.
    Sxx : array, shape (..., k, ..., s)
        The spectra: frequencies along the time axis, segments along the last axis.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `welch`, and if the mode is unknown.

    Warns
    -----
    SpectrumWarning
        As for `welch`, and if a one-sided spectrum of complex numbers is requested.

    Notes
    -----
    As for `welch`; `ShortTimeFFT` can be inverted.

    Differs from SciPy: as `welch`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import spectrogram
    >>> f, t, s = spectrogram(np.arange(20.0) % 4, nperseg=8)
    >>> t, s.shape
    (array([ 4., 11.]), (5, 2))
    """
    _plan.choice("spectrogram", "mode", mode, ("psd", "complex", "magnitude", "angle", "phase"))
    _plan.choice("spectrogram", "scaling", scaling, ("density", "spectrum"))
    xp, (signal,), place = _signals("spectrogram", axis, x)
    fs = rate("spectrogram", fs)
    if 0 in signal.shape:
        nothing = xp.zeros(x.shape, dtype=real_of(xp, signal.dtype), device=device(signal))
        return nothing, nothing, nothing
    onesided = one_side("spectrogram", xp, signal, return_onesided)
    how = cut(
        *("spectrogram", xp, signal, signal.shape[-1], window, nperseg, noverlap, nfft),
        *(onesided, detrend, 8),
    )
    out = _in_time(signal, how, fs, str(scaling), str(mode))
    f = frequencies(xp, signal, how.nfft, fs, onesided)
    t = times(xp, signal, how, out.shape[-2], fs)
    # Frequencies in the place of time, segments last.
    return f, t, xp.moveaxis(xp.moveaxis(out, -2, -1), -2, place)


def _in_blocks_of_time(x: Any, how: Cut, fs: float, scaling: str, mode: str) -> Lines:
    return of_segments(x, how, (x.shape[-1] - how.nperseg) // how.hop + 1, mode == "complex")


@native(blocks=_in_blocks_of_time)
def _in_time(x: Any, how: Cut, fs: float, scaling: str, mode: str) -> Any:
    xp = array_namespace(x)
    by, z = scale("spectrogram", xp, how.win, fs, scaling), spectra(xp, x, how)
    if mode == "psd":
        if how.onesided:
            by = by * both_sides(xp, how)
        return by * _square(xp, z)
    if mode in ("complex", "magnitude"):
        z = z * xp.sqrt(by)
        return z if mode == "complex" else xp.abs(z)
    turned = angle(z)
    return turned if mode == "angle" else unwrap(turned, axis=-1)
