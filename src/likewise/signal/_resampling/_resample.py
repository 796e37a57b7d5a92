"""Resampling by Fourier transforms, and by a filter."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, is_neutral
from ..._native import Lines, along, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, DtypeError, ShapeError
from ...fft import fftfreq
from ...missing import median
from .._base._places import host, integer
from .._design._fir import firwin
from ..windows import get_window
from ..windows._get_window import refused
from ._upfirdn import MODES, real_number, timed, upfirdn_along

__all__ = ["resample", "resample_poly", "resampled"]

Domain = Literal["time", "freq"]
_STATISTICS = ("maximum", "mean", "median", "minimum")


@public
def resample(
    x: A | Numbers,
    num: int,
    t: Any = None,
    axis: int = 0,
    window: Any = None,
    domain: Domain | str = "time",
) -> Any:
    """Resample a period to another number of samples by Fourier transforms.

    Parameters
    ----------
    x : array, shape (..., n, ...)
        Samples of a period along `axis`, or their transform; other dimensions are a batch.
    num : int
        The new number of samples.
    t : array, optional
        Times of the samples; only the first two are used.
    axis : int, optional
        The time axis.
    window : array, callable, str, float or tuple, optional
        A factor for the spectrum: n values in the order of `likewise.fft.fft`, a function of the
        frequencies ``fftfreq(n)``, or a window of `get_window`, centred at 0.
    domain : {'time', 'freq'}, optional
        Whether `x` holds samples, or their `likewise.fft.fft`.

    Returns
    -------
    x : array
        `num` samples along the axis, in the common floating dtype; complex if the domain is 'freq'.
    t : array, shape (num,)
        The times of the samples, if `t` is given.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not numeric arrays of one library and device.
    ShapeError
        If there is no such axis, it is empty, or a window has a wrong number of values.
    ArgumentError
        If `num` isn't a positive integer, or there is no such domain or window.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    Truncates the spectrum, or pads its middle with zeros; the value at the Nyquist frequency is
    split between both ends. O(n log n + num log num) operations. For signals that are not periodic,
    use `resample_poly`. Differentiable in `x`, `t` and an array `window`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import resample
    >>> resample(np.asarray([1.0, 0.0, -1.0, 0.0]), 8).round(3) + 0.0
    array([ 1.   ,  0.707,  0.   , -0.707, -1.   , -0.707,  0.   ,  0.707])
    """
    function = "resample"
    _plan.choice(function, "domain", domain, ("time", "freq"))
    num = integer(function, "num", num, 1)
    (window,) = beside(x, window) if hasattr(window, "shape") else (window,)
    given = hasattr(window, "shape") and not is_neutral(window)
    arrays = {"x": x, "window": window} if given else {"x": x}
    xp = array_namespace(*arrays.values())
    y, *rest = _plan.common_floating(function, xp, tuple(arrays), *arrays.values())
    at = timed(function, y, axis)
    n = y.shape[at]
    fft = _plan.extension(function, xp, "fft")
    weights = rest[0] if given else None
    if callable(window) and not given:
        weights = window(fftfreq(n, like=y))
    elif window is not None and not given:
        weights = _window(xp, fft, window, n, y)
    if weights is not None and tuple(weights.shape) != (n,):
        raise ShapeError(
            f"{function}: window must have a value for each of {n} frequencies, got the shape "
            f"{tuple(weights.shape)}"
        )
    if domain == "freq" and not _plan.is_complex(xp, y.dtype):
        y = xp.astype(y, xp.complex64 if y.dtype == xp.float32 else xp.complex128)
    out = _resample(y, num, None, at, weights, str(domain))
    return out if t is None else (out, _times(xp, t, out, n / num, num))


def _window(xp: Any, fft: Any, window: Any, n: int, x: Any) -> Any:
    values = _values(window, n)
    real = xp.float32 if x.dtype in (xp.float32, xp.complex64) else xp.float64
    return fft.fftshift(xp.asarray(values, dtype=real, device=device(x)))


def _times(xp: Any, t: Any, x: Any, factor: float, num: int) -> Any:
    """Return times from the first one on, with a scaled step."""
    real = xp.float32 if x.dtype in (xp.float32, xp.complex64) else xp.float64
    if is_neutral(t):
        t = xp.asarray(t, dtype=real, device=device(x))
    (t,) = _plan.common_floating("resample", xp, ("t",), t)
    if t.ndim != 1 or t.shape[0] < 2:
        raise ShapeError(f"resample: t must be at least two times, got shape {tuple(t.shape)}")
    steps = xp.arange(num, dtype=t.dtype, device=device(t))
    return t[0] + (t[1] - t[0]) * factor * steps


def resampled(spectrum: Any, num: int, axis: int) -> Any:
    """Return `num` samples from a transform in the order of `likewise.fft.fft`."""
    return _resample(spectrum, num, None, axis, None, "freq")


def _in_blocks(x: Any, num: int, t: None, axis: int, *options: Any) -> Lines:
    return along(x, (axis,), [num])


@native(torch="scipy.signal:resample", blocks=_in_blocks)
def _resample(x: Any, num: int, t: None, axis: int, window: Any, domain: str) -> Any:
    xp = array_namespace(x)
    x = xp.moveaxis(x, axis, -1)
    n, m = x.shape[-1], min(num, x.shape[-1])
    half = m // 2
    if domain == "time" and not _plan.is_complex(xp, x.dtype):
        spectrum = xp.fft.rfft(x)
        if window is not None:
            k = spectrum.shape[-1]
            folded = (window[1:k] + xp.flip(window)[: k - 1]) / 2
            spectrum = spectrum * xp.concat((window[:1], folded))
        low, high = spectrum[..., :half], spectrum[..., half : half + 1]
        if m % 2 == 0 and num != n:
            high = high * (2.0 if num < n else 0.5)
        out = xp.fft.irfft(xp.concat((low, high), axis=-1) * (num / n), n=num)
        return xp.moveaxis(out, -1, axis)
    spectrum = xp.fft.fft(x) if domain == "time" else x
    if window is not None:
        spectrum = spectrum * window
    rest = (m - 1) // 2  # how many negative frequencies are kept as they are
    low, middle = spectrum[..., : half + m % 2], spectrum[..., half : half + 1]
    parts = [low]
    zeros = num - m
    if m % 2 == 0:
        if num < n:
            parts.append(middle + spectrum[..., n - half : n - half + 1])
        elif num > n:
            parts += [middle / 2, _zeros(xp, x, zeros - 1, spectrum.dtype), middle / 2]
            zeros = 0
        else:
            parts.append(middle)
    parts += [_zeros(xp, x, zeros, spectrum.dtype), spectrum[..., n - rest :]]
    out = xp.fft.ifft(xp.concat(parts, axis=-1) * (num / n), n=num)
    return xp.moveaxis(out, -1, axis)


def _zeros(xp: Any, x: Any, n: int, dtype: Any) -> Any:
    return xp.zeros((*x.shape[:-1], n), dtype=dtype, device=device(x))


@public
def resample_poly(
    x: A | Numbers,
    up: int,
    down: int,
    axis: int = 0,
    window: Any = ("kaiser", 5.0),
    padtype: str = "constant",
    cval: float | None = None,
) -> A:
    """Change the sampling rate by ``up / down`` with a lowpass filter without delay.

    Parameters
    ----------
    x : array, shape (..., n, ...)
        Samples along `axis`; other dimensions are a batch.
    up, down : int
        Factors of the rate; only their quotient matters.
    axis : int, optional
        The time axis.
    window : str, tuple, list or array, optional
        The window of a filter with ``20 max(up, down) + 1`` coefficients; or the filter's
        coefficients, preferably symmetric and odd in number.
    padtype : str, optional
        The values beyond the ends: a mode of `upfirdn`, or 'mean', 'median', 'maximum' or 'minimum'
        of the samples along the axis.
    cval : float, optional
        The value for 'constant'. Default: 0.

    Returns
    -------
    array
        ``ceil(n up / down)`` samples along the axis, in the common floating dtype.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not numeric arrays of one library and device.
    ShapeError
        If there is no such axis, it is empty, or coefficients are not a non-empty sequence.
    ArgumentError
        If `up` or `down` is not an integer of at least 1, `padtype` or window is unknown, or `cval`
        is given with a `padtype` other than 'constant'.

    Notes
    -----
    Calls `upfirdn`, with its cost and derivatives, with the filter's coefficients times `up`, and
    removes the delay of half their number.

    Differs from SciPy: integers become floating even if the rate doesn't change.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import resample_poly
    >>> resample_poly(np.asarray([0.0, 1.0, 2.0, 3.0]), 2, 1, padtype="line").round(2) + 0.0
    array([0. , 0.5, 1. , 1.5, 2. , 2.5, 3. , 3.5])
    """
    function = "resample_poly"
    up, down = integer(function, "up", up, 1), integer(function, "down", down, 1)
    _plan.choice(function, "padtype", padtype, (*_STATISTICS, *MODES))
    if cval is not None and padtype != "constant":
        raise ArgumentError(f"{function}: cval has no part in padtype {padtype!r}, got {cval!r}")
    value = 0 if cval is None else real_number(function, "cval", cval)
    (window,) = beside(x, window) if hasattr(window, "shape") else (window,)
    given = isinstance(window, list) or (hasattr(window, "shape") and not is_neutral(window))
    arrays = {"x": x, "window": window} if given else {"x": x}
    xp = array_namespace(*arrays.values())
    y, *rest = _plan.common_floating(function, xp, tuple(arrays), *arrays.values())
    at = timed(function, y, axis)
    if given and (rest[0].ndim != 1 or 0 in rest[0].shape):
        raise ShapeError(
            f"{function}: window must be a sequence that isn't empty, got shape "
            f"{tuple(rest[0].shape)}"
        )
    common = math.gcd(up, down)
    up, down = up // common, down // common
    if up == down:
        return xp.asarray(y, copy=True)
    h = rest[0] if given else _lowpass(xp, y, max(up, down), window)
    if padtype not in _STATISTICS:
        return _without_delay(xp, h * up, y, up, down, at, padtype, value)
    if padtype != "mean" and _plan.is_complex(xp, y.dtype):
        raise DtypeError(
            f"{function}: padtype {padtype!r} needs real numbers, which have an order, got x of "
            f"{y.dtype}. Use 'mean', or one of {', '.join(map(repr, MODES))}."
        )
    background = _background(xp, y, at, padtype)
    out = _without_delay(xp, h * up, y - background, up, down, at, "constant", 0)
    return out + background


def _lowpass(xp: Any, x: Any, factor: int, window: Any) -> Any:
    """Return the coefficients of the lowpass filter, computed in double precision."""
    return xp.asarray(_designed(factor, window), dtype=x.dtype, device=device(x))


@_plan.of_settings
def _designed(factor: int, window: Any) -> Any:
    """Coefficients of the filter, as a list."""
    try:
        return _known(factor, window)
    except TypeError:  # of a window with a list in it
        return _known.__wrapped__(factor, window)


@functools.lru_cache(maxsize=64)
def _known(factor: int, window: Any) -> Any:
    cutoff = host().asarray(1.0 / factor)
    try:
        return firwin(20 * factor + 1, cutoff, window=window).tolist()
    except ArgumentError as error:
        raise ArgumentError(str(error).replace("firwin", "resample_poly", 1)) from error


@_plan.of_settings
def _values(window: Any, n: int) -> Any:
    try:
        return get_window(window, n, xp=host()).tolist()
    except ArgumentError as error:
        raise refused("resample", error) from error


def _background(xp: Any, x: Any, axis: int, padtype: str) -> Any:
    ways: dict[str, Callable[..., Any]] = {
        "maximum": xp.max,
        "mean": xp.mean,
        "median": median,
        "minimum": xp.min,
    }
    return ways[padtype](x, axis=axis, keepdims=True)


def _without_delay(
    xp: Any, h: Any, x: Any, up: int, down: int, axis: int, mode: str, cval: float
) -> Any:
    """Filter with padded coefficients, so that results are centred and have no delay."""
    n, taps, where = x.shape[axis], h.shape[0], device(h)
    results, centre = -(-n * up // down), (taps - 1) // 2
    before = down - centre % down
    first = (centre + before) // down
    least = (first + results - 1) * down - (n - 1) * up + 1  # coefficients, for so many results
    after = max(0, least - taps - before)
    zeros = [xp.zeros((k,), dtype=h.dtype, device=where) for k in (before, after)]
    h = xp.concat((zeros[0], h, zeros[1]))
    out = upfirdn_along(h, x, up, down, axis, mode, cval)
    index = [slice(None)] * x.ndim
    index[axis] = slice(first, first + results)
    return out[tuple(index)]
