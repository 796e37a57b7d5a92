"""Responses of analog filters to frequencies."""

import math
from collections.abc import Callable
from typing import Any

from ..._native import public
from ...errors import ArgumentError
from .._base._places import Work, host, not_empty, one_dimension, read, vector, working
from .._base._polynomials import value, value_of_roots
from ._conversions import tf2zpk
from ._responses import count_of

__all__ = ["findfreqs", "freqs", "freqs_zpk"]


@public
def freqs(
    b: Any, a: Any, worN: Any = 200, plot: Callable[[Any, Any], Any] | None = None
) -> tuple[Any, Any]:
    """Return the frequency response of an analog filter given by numerator and denominator.

    Parameters
    ----------
    b, a : array, shape (m + 1,) and (n + 1,)
        Coefficients, highest power first.
    worN : int, None or array, optional
        The number of frequencies, which `findfreqs` chooses; None is 200. Or an array of
        frequencies, in rad/s.
    plot : callable, optional
        Called with frequencies and response.

    Returns
    -------
    w : array
        Frequencies in rad/s.
    h : array
        The complex response. Both have the library, device and precision of the arguments.

    Raises
    ------
    ArgumentError
        If the number of frequencies is negative.
    ShapeError
        If coefficients aren't sequences.
    NotSupported
        If `worN` is no array and arguments are traced or record gradients.
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    Computes ``b(1j w) / a(1j w)`` by Horner's rule, in double precision if available.
    Differentiable in coefficients and given frequencies.

    Examples
    --------
    >>> from likewise.signal import freqs
    >>> w, h = freqs([1.0], [1.0, 1.0], worN=[0.0, 1.0])
    >>> h.round(6)
    array([1. +0.j , 0.5-0.5j])
    """
    work = _asked("freqs", {"b": b, "a": a}, worN, lambda n: findfreqs(b, a, n))
    xp, (b, a, w) = work.xp, work.arrays
    b, a, w = (vector(xp, x) for x in (b, a, w))
    one_dimension("freqs", b=b, a=a)
    not_empty("freqs", b=b, a=a)
    s = 1j * w
    w, h = work.give(w), work.give(value(xp, xp.flip(b), s) / value(xp, xp.flip(a), s))
    if plot is not None:
        plot(w, h)
    return w, h


@public
def freqs_zpk(z: Any, p: Any, k: Any, worN: Any = 200) -> tuple[Any, Any]:
    """Return the frequency response of an analog filter given by zeros, poles and gain.

    Parameters
    ----------
    z, p : array, shape (m,) and (n,)
        Zeros and poles.
    k : number
        Gain.
    worN
        As for `freqs`.

    Returns
    -------
    w, h : array
        As from `freqs`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported, ArrayTypeError, DtypeError, MixedDevicesError
        As for `freqs`.

    Notes
    -----
    Computes products of differences, O(n) operations per frequency. Differentiable.

    Examples
    --------
    >>> from likewise.signal import freqs_zpk
    >>> w, h = freqs_zpk([], [-1.0], 1.0, worN=[0.0, 1.0])
    >>> abs(h).round(6)
    array([1.      , 0.707107])
    """
    given = {"z": z, "p": p, "k": k}
    work = _asked("freqs_zpk", given, worN, lambda n: findfreqs(z, p, n, kind="zp"))
    xp, (z, p, k, w) = work.xp, work.arrays
    z, p, w = (vector(xp, x) for x in (z, p, w))
    one_dimension("freqs_zpk", z=z, p=p)
    s = 1j * w
    h = k * value_of_roots(xp, z, s) / value_of_roots(xp, p, s)
    return work.give(w), work.give(h)


def _asked(function: str, given: dict[str, Any], worN: Any, chosen: Callable[[int], Any]) -> Work:
    """Return the `Work`, with the frequencies as the last array."""
    count = count_of(200 if worN is None else worN)
    if count is not None and count < 0:
        raise ArgumentError(f"{function}: worN must not be negative, got {count}")
    return working(function, **given, worN=worN if count is None else chosen(count))


@public
def findfreqs(num: Any, den: Any, N: int, kind: str = "ba") -> Any:
    """Return frequencies that cover the features of an analog filter's response.

    Parameters
    ----------
    num, den : array
        Numerator and denominator, highest power first, or zeros and poles.
    N : int
        The number of frequencies.
    kind : {'ba', 'zp'}, optional
        Which of the two `num` and `den` are.

    Returns
    -------
    array, shape (N,)
        Frequencies in rad/s, equally spaced in their logarithm.

    Raises
    ------
    ArgumentError
        If `kind` is neither.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Uses SciPy's range: from below a tenth of the smallest pole or zero to above three times the
    largest one. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import findfreqs
    >>> findfreqs([1.0, 0.0], [1.0, 8.0, 25.0], 5)
    array([1.e-02, 1.e-01, 1.e+00, 1.e+01, 1.e+02])
    """
    xp = host()
    if kind not in ("ba", "zp"):
        raise ArgumentError(f"findfreqs: kind must be 'ba' or 'zp', got {kind!r}")
    where, (num, den) = read("findfreqs", num=num, den=den)
    num, den = vector(xp, num), vector(xp, den)
    z, p = (num, den) if kind == "zp" else tf2zpk(num, den)[:2]
    p = [complex(v) for v in p] or [-1000 + 0j]
    found = [v for v in p if v.imag >= 0]
    found += [v for v in map(complex, z) if abs(v) < 1e5 and v.imag >= 0]
    # Those at the origin count as at one.
    sides = [(abs(v.real + (abs(v) < 1e-10)), v.imag) for v in found]
    high = round(math.log10(max(3 * re + 1.5 * im for re, im in sides)) + 0.5)
    low = round(math.log10(0.1 * min(re + 2 * im for re, im in sides)) - 0.5)
    return where.give(10.0 ** xp.linspace(float(low), float(high), N))
