"""Responses of digital filters to frequencies."""

import math
import warnings
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import describe, device, is_concrete, is_neutral
from ..._native import public
from ...errors import ArgumentError, LikewiseWarning, ShapeError, _level
from ...fft import rfft
from .._base._places import Work, not_empty, rate, vector, working
from .._base._polynomials import product, value, value_of_roots

__all__ = ["count_of", "freqz", "freqz_sos", "freqz_zpk", "group_delay", "sosfreqz"]


@public
def freqz(
    b: Any,
    a: Any = 1,
    worN: Any = 512,
    whole: bool = False,
    plot: Callable[[Any, Any], Any] | None = None,
    fs: float = 2 * math.pi,
    include_nyquist: bool = False,
) -> tuple[Any, Any]:
    """Return the frequency response of a digital filter given by numerator and denominator.

    Parameters
    ----------
    b, a : array, shape (n, ...)
        Coefficients by delay, along the first axis; the other axes broadcast with the frequencies,
        so shape (n, r, 1) gives r responses at once.
    worN : int, None or array, optional
        The number of frequencies, from 0 to half of `fs`; None is 512. Or an array of frequencies,
        in units of `fs`.
    whole : bool, optional
        Whether the frequencies go up to `fs`.
    plot : callable, optional
        Called with frequencies and response.
    fs : float, optional
        The sampling rate. By default frequencies are in radians per sample.
    include_nyquist : bool, optional
        Whether half of `fs` is the last of the frequencies, unless `whole`.

    Returns
    -------
    w : array
        Frequencies, in units of `fs`.
    h : array
        The complex response. Both have the library, device and precision of the arguments.

    Raises
    ------
    ArgumentError
        If the number of frequencies is negative, or `fs` is not a positive number.
    ShapeError
        If coefficients and frequencies don't broadcast.
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    Computes ``sum(b[k] exp(-1j k w)) / sum(a[k] exp(-1j k w))`` by Horner's rule, in double
    precision if available, with O(n) operations per frequency; a long `b` without `a` uses a
    Fourier transform. Differentiable in coefficients and frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import freqz
    >>> w, h = freqz([0.5, 0.5], worN=2)
    >>> h.round(6)
    array([1. +0.j , 0.5-0.5j])
    """
    fs = rate("freqz", fs)
    work, w = _asked("freqz", {"b": b, "a": a}, worN, whole, fs, include_nyquist)
    xp = work.xp
    b, a = (vector(xp, x) for x in work.arrays[:2])
    not_empty("freqz", b=b, a=a)
    h = None
    if _transformed(xp, b, a, worN, whole):
        length = 2 * (w.shape[0] - 1 if include_nyquist else w.shape[0])
        h = rfft(b, n=length)[: w.shape[0]] / a if length >= b.shape[0] else None
    if h is None:
        _plan.broadcast("freqz", b=b.shape[1:], worN=w.shape)
        _plan.broadcast("freqz", a=a.shape[1:], worN=w.shape)
        back = xp.exp(-1j * w)
        h = value(xp, b, back) / value(xp, a, back)
    w, h = work.give(w * (fs / (2 * math.pi))), work.give(h)
    if plot is not None:
        plot(w, h)
    return w, h


def _transformed(xp: Any, b: Any, a: Any, worN: Any, whole: bool) -> bool:
    """Tell whether a Fourier transform gives the response, and is faster."""
    return (
        count_of(worN) is not None
        and not whole
        and a.shape == (1,)
        and b.ndim == 1
        and b.shape[0] > 64
        and not _plan.is_complex(xp, b.dtype)
        and hasattr(xp, "fft")
    )


def count_of(worN: Any) -> int | None:
    """Return the number of frequencies; None if an array of them is given."""
    if worN is None:
        return 512
    if isinstance(worN, bool):
        return int(worN)
    if is_neutral(worN):
        return int(worN.__index__()) if hasattr(worN, "__index__") else None
    whole = getattr(worN, "ndim", 1) == 0 and "int" in str(worN.dtype) and is_concrete(worN)
    return int(worN) if whole else None


def _asked(
    function: str,
    given: dict[str, Any],
    worN: Any,
    whole: bool,
    fs: float,
    nyquist: bool = False,
    name: str = "worN",
) -> tuple[Work, Any]:
    """Return the `Work`, and the frequencies in radians per sample."""
    count = count_of(worN)
    if count is None:
        worN = worN.real if isinstance(worN, complex) else worN
        work = working(function, **given, **{name: worN})
        return work, vector(work.xp, work.arrays[-1]) * (2 * math.pi / fs)
    if count < 0:
        raise ArgumentError(f"{function}: {name} must not be negative, got {count}")
    work = working(function, **given)
    xp, like = work.xp, work.arrays[0]
    dtype = xp.real(like).dtype if _plan.is_complex(xp, like.dtype) else like.dtype
    if count == 0:
        return work, xp.zeros((0,), dtype=dtype, device=device(like))
    last = 2 * math.pi if whole else math.pi
    end = nyquist and not whole
    return work, xp.linspace(0.0, last, count, endpoint=end, dtype=dtype, device=device(like))


@public
def freqz_sos(
    sos: Any, worN: Any = 512, whole: bool = False, fs: float = 2 * math.pi
) -> tuple[Any, Any]:
    """Return the frequency response of second-order sections.

    Parameters
    ----------
    sos : array, shape (..., sections, 6)
        Numerators and denominators; the first coefficients of denominators must be one.
    worN, whole, fs
        As for `freqz`.

    Returns
    -------
    w, h : array
        As from `freqz`; `h` has the leading dimensions of `sos`, followed by those of `w`.

    Raises
    ------
    ShapeError
        If `sos` has a wrong shape, or no sections.
    ArgumentError
        As for `freqz`, and if a denominator's first coefficient is not one.

    Notes
    -----
    Computes the product of the sections' responses, which is accurate at high orders, where
    coefficients of 'ba' lose digits. Differentiable.

    Examples
    --------
    >>> from likewise.signal import butter, freqz_sos
    >>> w, h = freqz_sos(butter(8, 0.5, output="sos"), worN=2)
    >>> abs(h).round(6)
    array([1.      , 0.707107])
    """
    fs = rate("freqz_sos", fs)
    work, w = _asked("freqz_sos", {"sos": sos}, worN, whole, fs)
    xp, sos = work.xp, work.arrays[0]
    if sos.ndim == 1:
        sos = sos[None, :]
    if sos.ndim < 2 or sos.shape[-1] != 6 or sos.shape[-2] == 0:
        raise ShapeError(
            f"freqz_sos: sos must have the shape (..., sections, 6), with sections, got "
            f"{tuple(sos.shape)}"
        )
    if is_concrete(sos) and not bool(xp.all(sos[..., 3] == 1)):
        raise ArgumentError("freqz_sos: sos[..., 3] must be all ones. Divide each row by it.")
    c = xp.moveaxis(sos, -1, 0)
    c = xp.reshape(c, c.shape + (1,) * w.ndim)
    back = xp.exp(-1j * w)
    h = value(xp, c[:3, ...], back) / value(xp, c[3:, ...], back)
    h = xp.prod(h, axis=sos.ndim - 2)
    return work.give(w * (fs / (2 * math.pi))), work.give(h)


@public
def sosfreqz(
    sos: Any, worN: Any = 512, whole: bool = False, fs: float = 2 * math.pi
) -> tuple[Any, Any]:
    """Return the frequency response of second-order sections; an older name of `freqz_sos`.

    Parameters
    ----------
    sos, worN, whole, fs
        As for `freqz_sos`.

    Returns
    -------
    w, h : array
        As from `freqz_sos`.

    Raises
    ------
    ShapeError, ArgumentError
        As for `freqz_sos`.

    Notes
    -----
    As for `freqz_sos`.

    Examples
    --------
    >>> from likewise.signal import butter, sosfreqz
    >>> w, h = sosfreqz(butter(8, 0.5, output="sos"), worN=2)
    >>> abs(h).round(6)
    array([1.      , 0.707107])
    """
    return freqz_sos(sos, worN, whole, fs)


@public
def freqz_zpk(
    z: Any,
    p: Any,
    k: Any,
    worN: Any = 512,
    whole: bool = False,
    fs: float = 2 * math.pi,
) -> tuple[Any, Any]:
    """Return the frequency response of a digital filter given by zeros, poles and gain.

    Parameters
    ----------
    z, p : array, shape (n, ...)
        Zeros and poles, along the first axis; the other axes broadcast with the frequencies.
    k : number or array
        Gain, which broadcasts with the frequencies.
    worN, whole, fs
        As for `freqz`.

    Returns
    -------
    w, h : array
        As from `freqz`.

    Raises
    ------
    ArgumentError, ShapeError, ArrayTypeError, DtypeError, MixedDevicesError
        As for `freqz`.

    Notes
    -----
    Computes products of differences, O(n) operations per frequency. Differentiable.

    Examples
    --------
    >>> from likewise.signal import freqz_zpk
    >>> w, h = freqz_zpk([-1.0], [0.0], 0.5, worN=2)
    >>> abs(h).round(6)
    array([1.      , 0.707107])
    """
    fs = rate("freqz_zpk", fs)
    work, w = _asked("freqz_zpk", {"z": z, "p": p, "k": k}, worN, whole, fs)
    xp = work.xp
    z, p = (vector(xp, x) for x in work.arrays[:2])
    for name, x in (("z", z), ("p", p)):
        _plan.broadcast("freqz_zpk", **{name: x.shape[1:], "worN": w.shape})
    on = xp.exp(1j * w)
    h = work.arrays[2] * value_of_roots(xp, z, on) / value_of_roots(xp, p, on)
    return work.give(w * (fs / (2 * math.pi))), work.give(h)


@public
def group_delay(
    system: tuple[Any, Any], w: Any = 512, whole: bool = False, fs: float = 2 * math.pi
) -> tuple[Any, Any]:
    """Return the group delay of a digital filter: minus the derivative of its phase.

    Parameters
    ----------
    system : pair of arrays, shape (m,) and (n,)
        Numerator and denominator, by delay.
    w : int, None or array, optional
        The number of frequencies, or an array of them; as ``worN`` of `freqz`.
    whole, fs
        As for `freqz`.

    Returns
    -------
    w : array
        Frequencies, in units of `fs`.
    gd : array
        The delay in samples; 0 where it is singular, at zeros and poles on the unit circle.

    Raises
    ------
    ArgumentError, ArrayTypeError, DtypeError, MixedDevicesError
        As for `freqz`, and if `system` is not a pair.
    ShapeError
        If coefficients have more than one dimension.

    Warns
    -----
    LikewiseWarning
        If frequencies are at or near such a zero or pole (checked only if values are available).

    Notes
    -----
    J. O. Smith, Introduction to Digital Filters, 2007, section "Numerical computation of group
    delay". O(m + n) operations per frequency. Differentiable where it isn't singular.

    Examples
    --------
    >>> from likewise.signal import group_delay
    >>> w, gd = group_delay(([1.0, 1.0, 1.0, 1.0], 1.0), w=[0.5, 1.0])
    >>> gd.round(6)
    array([1.5, 1.5])
    """
    fs = rate("group_delay", fs)
    if not isinstance(system, tuple | list) or len(system) != 2:
        raise ArgumentError(
            f"group_delay: system must be a pair, numerator and denominator, got {describe(system)}"
        )
    work, w = _asked("group_delay", {"b": system[0], "a": system[1]}, w, whole, fs, name="w")
    xp = work.xp
    b, a = (vector(xp, x) for x in work.arrays[:2])
    if b.ndim != 1 or a.ndim != 1:
        raise ShapeError(
            "group_delay: numerator and denominator must have one dimension, got the shapes "
            f"{tuple(b.shape)} and {tuple(a.shape)}"
        )
    not_empty("group_delay", numerator=b, denominator=a)
    a = xp.conj(a) if _plan.is_complex(xp, a.dtype) else a
    c = product(xp, b, xp.flip(a))
    back = xp.exp(-1j * w)
    steps = xp.arange(c.shape[0], dtype=w.dtype, device=device(w))
    under = value(xp, c, back)
    singular = under == 0
    ratio = value(xp, c * steps, back) / xp.where(singular, xp.ones_like(under), under)
    gd = xp.real(ratio) - (a.shape[0] - 1)
    gd = xp.where(singular, xp.zeros_like(gd), gd)
    _warn_of_singular(xp, work.give(w * (fs / (2 * math.pi))), under)
    return work.give(w * (fs / (2 * math.pi))), work.give(gd)


def _warn_of_singular(xp: Any, w: Any, under: Any) -> None:
    if not is_concrete(under):
        return
    near = xp.abs(under) < 2e-15
    if bool(xp.any(near)):
        places = [round(float(w[i]), 3) for i in range(w.shape[0]) if w.ndim == 1 and bool(near[i])]
        warnings.warn(
            f"group_delay: at or near the frequencies {places} the filter has a zero or pole on "
            "the unit circle; the delay is singular there, and 0 is returned where it has no value",
            LikewiseWarning,
            stacklevel=_level(),
        )
