"""Optimal windows: Kaiser, Dolph-Chebyshev, Taylor, Slepian."""

import math
import warnings
from typing import Any

from ... import _plan
from ..._native import public
from ...errors import ArgumentError, DtypeError, LikewiseWarning, _level
from ...fft import fft, irfft, next_fast_len, rfft
from ...linalg import eigh_tridiagonal
from ...missing import sinc
from ...special import i0e
from .._base._places import follows_like, host, integer, number, target
from ._made import made

__all__ = ["chebwin", "dpss", "kaiser", "kaiser_bessel_derived", "taylor"]


@public
@follows_like
def kaiser(
    M: int, beta: float, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Kaiser window, which has a nearly optimal concentration in frequency.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    beta : float
        The shape: 0 gives `boxcar`; about 5 is like `hamming`, 6 like `hann`, 8.6 like `blackman`.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer, or `beta` is not a number.

    Notes
    -----
    J. F. Kaiser, Proc. IEEE Int. Symp. Circuits and Systems, 20 (1974). Computed on the host, in
    O(M) operations, for any `beta`. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import kaiser
    >>> kaiser(3, 2.0).round(6)
    array([0.438676, 1.      , 0.438676])
    """
    beta = number("kaiser", "beta", beta)
    return made("kaiser", M, sym, xp, device, lambda ns, m: _kaiser(ns, m, beta))


def _kaiser(ns: Any, m: int, beta: float) -> Any:
    """Compute a Kaiser window by scaled Bessel functions, which don't overflow."""
    middle = (m - 1) / 2
    x = (ns.arange(m, dtype=ns.float64) - middle) / middle
    root = ns.sqrt(1 - x * x)
    size = abs(beta)
    drop = -size * x * x / (1 + root)  # size * (root - 1), without cancellation
    return i0e(size * root) / i0e(ns.asarray(size)) * ns.exp(drop)


@public
@follows_like
def kaiser_bessel_derived(
    M: int, beta: float, *, sym: bool = True, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Kaiser-Bessel derived window, for the modified discrete cosine transform.

    Parameters
    ----------
    M : int
        The even number of points; below 1 the result is empty.
    beta : float
        The shape of the Kaiser window.
    sym : bool, optional
        Must be True.
    xp, device, like
        As for `kaiser`.


    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype. Squares of values half a length apart sum to
        1.

    Raises
    ------
    ArgumentError
        If `M` is odd or not an integer, `beta` is not a number, or `sym` is False.

    Notes
    -----
    M. Bosi and R. E. Goldberg, Introduction to Digital Audio Coding and Standards, Springer 2003,
    section 5.4. Computed on the host, in O(M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import kaiser_bessel_derived
    >>> kaiser_bessel_derived(4, 2.0).round(6)
    array([0.483392, 0.875404, 0.875404, 0.483392])
    """
    function = "kaiser_bessel_derived"
    if not sym:
        raise ArgumentError(f"{function}: sym must be True, as there is no other, got {sym!r}")
    beta, ns = number(function, "beta", beta), host()
    where = target(function, xp, device)
    if number(function, "M", M) < 1:
        return where.give(ns.ones(0))
    m = integer(function, "M", M)
    if m % 2:
        raise ArgumentError(f"{function}: M must be even, got {M!r}")
    sums = ns.cumulative_sum(_kaiser(ns, m // 2 + 1, beta))
    half = ns.sqrt(sums[:-1] / sums[-1])
    return where.give(ns.concat((half, ns.flip(half))))


@public
@follows_like
def chebwin(
    M: int, at: float, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Dolph-Chebyshev window, the narrowest one for a given level of sidelobes.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    at : float
        The attenuation of the sidelobes, in decibels.
    sym, xp, device, like
        As for `kaiser`.


    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype, with a maximum of 1.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer, or `at` is not a number.

    Warns
    -----
    LikewiseWarning
        If the attenuation is below 45 decibels, where the noise bandwidth of the window doesn't
        grow with the attenuation.

    Notes
    -----
    Computes the transform of a Chebyshev polynomial (C. L. Dolph, Proc. IRE 34, 335, 1946).
    Computed on the host, in O(M log M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import chebwin
    >>> chebwin(3, 50.0).round(6)
    array([0.503172, 1.      , 0.503172])
    """
    at = abs(number("chebwin", "at", at))
    if at < 45:
        warnings.warn(
            f"chebwin: at should be at least 45 decibel for spectra, got {at!r}: below, the noise "
            "bandwidth doesn't grow with it",
            LikewiseWarning,
            stacklevel=_level(),
        )
    return made("chebwin", M, sym, xp, device, lambda ns, m: _chebwin(ns, m, at))


def _chebwin(ns: Any, m: int, at: float) -> Any:
    order = m - 1
    beta = math.cosh(math.acosh(10 ** (at / 20)) / order)
    k = ns.arange(m, dtype=ns.float64)
    x = beta * ns.cos(math.pi * k / m)
    size = ns.abs(x)
    beyond = ns.cosh(order * ns.acosh(ns.maximum(size, ns.ones_like(x))))
    inside = ns.cos(order * ns.acos(ns.clip(x, -1.0, 1.0)))
    sign = ns.where(x < 0, -1.0 if order % 2 else 1.0, 1.0)
    values = ns.where(size > 1, sign * beyond, inside)
    if m % 2:
        half = ns.real(fft(values))[: (m + 1) // 2]
        w = ns.concat((ns.flip(half[1:]), half))
    else:
        half = ns.real(fft(values * ns.exp(1j * math.pi / m * k)))[1 : m // 2 + 1]
        w = ns.concat((ns.flip(half), half))
    return w / ns.max(w)


@public
@follows_like
def taylor(
    M: int,
    nbar: int = 4,
    sll: float = 30,
    norm: bool = True,
    sym: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return a Taylor window, which has nearly constant sidelobes near the main lobe.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    nbar : int, optional
        The number of nearly constant sidelobes next to the main lobe.
    sll : float, optional
        Their positive attenuation, in decibels.
    norm : bool, optional
        Whether to scale the maximum to 1 (between two points if `M` is even).
    sym, xp, device, like
        As for `kaiser`.


    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer, `nbar` is not a positive integer, or `sll` is negative.

    Notes
    -----
    W. G. Carrara, R. M. Majewski and R. S. Goodman, Spotlight Synthetic Aperture Radar, Artech
    House 1995, appendix D.2. Computed on the host, in O(nbar M) operations. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import taylor
    >>> taylor(5).round(6)
    array([0.332497, 0.772015, 1.      , 0.772015, 0.332497])
    """
    bars, sll = integer("taylor", "nbar", nbar, 1), number("taylor", "sll", sll)
    if sll < 0:
        raise ArgumentError(f"taylor: sll, an attenuation, must not be negative, got {sll!r}")
    weights = _taylor_weights(bars, sll)

    def values(ns: Any, m: int) -> Any:
        n = ns.arange(m, dtype=ns.float64)
        total, top = ns.ones(m), 1.0
        for k, weight in enumerate(weights, 1):
            total = total + 2 * weight * ns.cos(2 * math.pi * k * (n - m / 2 + 0.5) / m)
            top += 2 * weight
        return total / top if norm else total

    return made("taylor", M, sym, xp, device, values)


def _taylor_weights(nbar: int, sll: float) -> list[float]:
    a = (math.acosh(10 ** (sll / 20)) / math.pi) ** 2
    scale = nbar**2 / (a + (nbar - 0.5) ** 2)
    out = []
    for k in range(1, nbar):
        over = math.prod(1 - k * k / scale / (a + (j - 0.5) ** 2) for j in range(1, nbar))
        under = math.prod(1 - (k / j) ** 2 for j in range(1, nbar) if j != k)
        out.append((1 if k % 2 else -1) * over / (2 * under))
    return out


@public
@follows_like
def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: Any = None,
    return_ratios: bool = False,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return discrete prolate spheroidal (Slepian) sequences, optimally concentrated in a band.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    NW : float
        Half the bandwidth times the length, between 0 and M/2.
    Kmax : int, optional
        The number of sequences, the best ones first. Default: only the best, without the first
        axis.
    sym : bool, optional
        As for `kaiser`.
    norm : {2, 'approximate', 'subsample'}, optional
        The scaling: 2 for a sum of squares of 1; otherwise a maximum of 1, which for even lengths
        lies between two points and is computed by a formula or by a shift of half a point. Default:
        'approximate', or 2 if `Kmax` is given.
    return_ratios : bool, optional
        Whether to also return the fractions of energy in the band.
    xp, device, like
        As for `kaiser`.


    Returns
    -------
    v : array, shape (M,) or (Kmax, M)
        The sequences; even ones have a positive sum, odd ones start with a positive lobe.
    r : array, shape () or (Kmax,)
        The fractions, only with `return_ratios`.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer, `NW` is not between 0 and M/2, `Kmax` is not from 1 to
        `M`, or the norm is unknown.
    DtypeError
        If `Kmax` is not an integer.

    Notes
    -----
    Computes eigenvectors of a tridiagonal matrix (D. Slepian, Bell Syst. Tech. J. 57, 1371, 1978),
    by `likewise.linalg.eigh_tridiagonal` on the host: O(M**2) operations and more. Takes numbers;
    not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import dpss
    >>> dpss(3, 1.0).round(6)
    array([0.59307, 1.     , 0.59307])
    """
    if norm is None:
        norm = "approximate" if Kmax is None else 2
    if norm != 2:
        _plan.choice("dpss", "norm", norm, ("approximate", "subsample"))
    m, ns = integer("dpss", "M", M), host()
    where = target("dpss", xp, device)
    if Kmax is not None and not hasattr(Kmax, "__index__"):
        raise DtypeError(f"dpss: Kmax must be an integer, got {Kmax!r}")
    single, count = Kmax is None, 1 if Kmax is None else integer("dpss", "Kmax", Kmax, 1)
    if m <= 1:
        w, r = ns.ones(m), ns.ones(() if single else 1)
        return (where.give(w), where.give(r)) if return_ratios else where.give(w)
    width = number("dpss", "NW", NW)
    if not 0 < width < m / 2:
        raise ArgumentError(f"dpss: NW must be positive and less than M/2, {m / 2}, got {NW!r}")
    if count > m:
        raise ArgumentError(f"dpss: Kmax must be at most M, {m}, got {Kmax!r}")
    w, r = _slepian(ns, m if sym else m + 1, width, count, norm)
    w = w[0, :m] if single else w[:, :m]
    r = ns.asarray(r[0] if single else r)
    return (where.give(w), where.give(r)) if return_ratios else where.give(w)


def _slepian(ns: Any, m: int, width: float, count: int, norm: Any) -> tuple[Any, Any]:
    band = width / m
    n = ns.arange(m, dtype=ns.float64)
    diagonal = ((m - 1 - 2 * n) / 2) ** 2 * math.cos(2 * math.pi * band)
    beside = n[1:] * (m - n[1:]) / 2
    _, vectors = eigh_tridiagonal(diagonal, beside, select="i", select_range=(m - count, m - 1))
    w = ns.flip(ns.matrix_transpose(vectors), axis=0)
    signs = []
    for k in range(count):
        row = w[k, :]
        if k % 2:
            start = next(i for i in range(m) if row[i] ** 2 > max(1e-7, 1 / m))
            signs.append(1.0 if row[start] >= 0 else -1.0)
        else:
            signs.append(1.0 if ns.sum(row) >= 0 else -1.0)
    w = w * ns.asarray(signs)[:, None]
    # The share of energy in the band: the autocorrelation, summed with the sinc of the band.
    length = next_fast_len(2 * m - 1)
    spectrum = rfft(w, n=length)
    correlation = irfft(ns.abs(spectrum) ** 2, n=length)[:, :m]
    kernel = 4 * band * sinc(2 * band * n)
    ratios = correlation @ ns.where(n == 0, 2 * band, kernel)
    if norm == 2:
        return w, ratios
    w = w / ns.max(w)
    if m % 2 == 0:
        w = w * (m**2 / (m**2 + width) if norm == "approximate" else _half_a_point(ns, w[0, :], m))
    return w, ratios


def _half_a_point(ns: Any, row: Any, m: int) -> float:
    """Return 1 / (the value in the middle, between two points), by the transform."""
    s = rfft(row)
    k = ns.arange(1, m // 2 + 1, dtype=ns.float64)
    shifted = 2 * s[1:] * ns.exp(1j * math.pi * (1 - 1 / m) * k)
    return float(m / (ns.real(s[0]) + ns.sum(ns.real(shifted))))
