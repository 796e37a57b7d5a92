"""Downsampling after a lowpass filter."""

import functools
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ...errors import ArgumentError, DtypeError, ShapeError
from .._base._places import host
from .._design._conversions import zpk2sos
from .._design._fir import firwin
from .._design._iir import cheby1
from .._filtering._filtfilt import filtfilt, sosfiltfilt
from .._filtering._lfilter import lfilter
from .._filtering._sosfilt import sosfilt
from ._resample import resample_poly
from ._upfirdn import timed, upfirdn_along

__all__ = ["decimate"]

# Which filter, its coefficients as lists, and by how many samples signals are longer for it.
Filter = tuple[str, tuple[Any, ...], int]


@public
def decimate(
    x: Any,
    q: int,
    n: int | None = None,
    ftype: Literal["iir", "fir"] | Any = "iir",
    axis: int = -1,
    zero_phase: bool = True,
) -> Any:
    """Keep one of `q` samples, after a lowpass filter that prevents aliasing.

    Parameters
    ----------
    x : array, shape (..., m, ...)
        Real or complex samples along `axis`; other dimensions are a batch.
    q : int
        The factor. IIR filters work well up to 13; split larger factors into steps.
    n : int, optional
        The order of the filter. Default: 8 for 'iir', ``20 q`` for 'fir'.
    ftype : {'iir', 'fir'}, optional
        'iir': a Chebyshev filter of type I with ripples of 0.05 dB up to 0.8 of the new Nyquist
        frequency, as sections. 'fir': ``n + 1`` coefficients by a Hamming window, up to the new
        Nyquist frequency. Or a system such as SciPy's ``dlti``, which has ``dt``, ``to_zpk()`` and
        ``to_tf()``.
    axis : int, optional
        The time axis.
    zero_phase : bool, optional
        Whether to avoid a delay: an IIR filter runs forward and backward, an FIR filter is centred.

    Returns
    -------
    array
        ``ceil(m / q)`` samples along the axis, in the floating dtype of `x`.

    Raises
    ------
    ArrayTypeError, DtypeError
        If `x` is not a numeric array, or `q` or `n` is not an integer.
    ShapeError
        If there is no such axis, or it is empty, or too short to filter forward and backward, which
        needs more samples than three times the number of coefficients.
    ArgumentError
        If `q` or `n` is too small, or there is no such `ftype`.

    Notes
    -----
    IIR filters compute all samples, by `sosfiltfilt` or `sosfilt`; FIR filters compute only those
    that are kept, by `resample_poly` or `upfirdn`, with their cost and derivatives. Differentiable
    in `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import decimate
    >>> decimate(np.linspace(0.0, 1.0, 41), 10).round(3)
    array([-0.006,  0.255,  0.484,  0.76 ,  0.991])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("decimate", xp, ("x",), x)
    at = timed("decimate", x, axis)
    q, n = _integer("q", q, 1), None if n is None else _integer("n", n, 0)
    parts: Any
    if hasattr(ftype, "to_zpk") and getattr(ftype, "dt", None) is not None:
        kind, parts, edge = _of_system(ftype)
        names = ("x", "b", "a")[: 1 + len(parts)]
        x, *parts = _plan.common_floating("decimate", xp, names, x, *parts)
    else:
        _plan.choice("decimate", "ftype", ftype, ("iir", "fir"))
        if ftype == "fir" and q == 1:
            raise ArgumentError("decimate: q must be at least 2 for ftype 'fir', got 1")
        kind, parts, edge = _designed(ftype, q, n)
        parts = [xp.asarray(c, dtype=x.dtype, device=device(x)) for c in parts]
    m = x.shape[at]
    if kind == "fir" and zero_phase:
        return resample_poly(x, 1, q, axis=at, window=parts[0])
    if kind != "fir" and zero_phase and m <= edge:
        raise ShapeError(
            f"decimate: x must have more than {edge} samples along axis {at} for this filter, got "
            f"{m}. Choose a smaller n, ftype='fir' or zero_phase=False."
        )
    index = [slice(None)] * x.ndim
    if kind == "fir":
        y, index[at] = upfirdn_along(parts[0], x, 1, q, at, "constant", 0), slice(-(-m // q))
    else:
        index[at] = slice(None, None, q)
        forward: Any
        both: Any
        forward, both = (sosfilt, sosfiltfilt) if kind == "sos" else (lfilter, filtfilt)
        y = both(*parts, x, at, padlen=edge) if zero_phase else forward(*parts, x, at)
    return y[tuple(index)]


def _integer(name: str, value: Any, least: int) -> int:
    if not hasattr(value, "__index__"):
        raise DtypeError(f"decimate: {name} must be an integer, got {value!r}")
    found = int(value.__index__())
    if found < least:
        raise ArgumentError(f"decimate: {name} must be at least {least}, got {found}")
    return found


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def _designed(ftype: str, q: int, n: int | None) -> Filter:
    xp = host()
    if ftype == "fir":
        taps = firwin((20 * q if n is None else n) + 1, xp.asarray(1.0 / q), window="hamming")
        return "fir", (taps.tolist(),), 0
    order = 8 if n is None else n
    return _sections(cheby1(order, 0.05, xp.asarray(0.8 / q), output="sos"))


def _sections(sos: Any) -> Filter:
    """Return sections, and three times the number of coefficients of the whole filter."""
    spare = min(int((sos[:, 2] == 0).sum()), int((sos[:, 5] == 0).sum()))
    return "sos", (sos.tolist(),), 3 * (2 * sos.shape[0] + 1 - spare)


def _of_system(system: Any) -> Filter:
    """Return the filter of a SciPy system, as SciPy uses it."""
    xp, zpk = host(), system.to_zpk()
    z, p, k = (xp.asarray(v) for v in (zpk.zeros, zpk.poles, zpk.gain))
    if p.shape[0] and not any(v.dtype.kind == "c" and v.imag.any() for v in (p, k)):
        return _sections(zpk2sos(z, p, k))
    tf = system.to_tf()
    b, a = (xp.reshape(xp.asarray(c), (-1,)) for c in (tf.num, tf.den))
    if not p.shape[0]:
        return "fir", ((b / a[0]).tolist(),), 0
    return "ba", (b.tolist(), a.tolist()), 3 * max(b.shape[0], a.shape[0])
