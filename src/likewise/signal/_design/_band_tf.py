"""Band transformations and the bilinear transform of filters given by coefficients."""

import math
from typing import Any

from ..._native import public
from .._base._places import host, not_empty, number, one_dimension, rate, read, vector
from ._conversions import normalized

__all__ = ["bilinear", "lp2bp", "lp2bs", "lp2hp", "lp2lp"]


@public
def lp2lp(b: Any, a: Any, wo: float = 1.0) -> tuple[Any, Any]:
    """Transform an analog lowpass filter to another cutoff.

    Parameters
    ----------
    b, a : array, shape (m + 1,) and (n + 1,)
        Numerator and denominator, highest power first, of a lowpass filter with a cutoff of
        1 rad/s.
    wo : float, optional
        The cutoff, in rad/s.

    Returns
    -------
    b, a : array
        As from `normalize`.

    Raises
    ------
    ArgumentError
        If the denominator is zero, or the frequency is not a number.
    ShapeError
        If coefficients have more than one dimension.
    NotSupported
        If an argument is traced or records gradients; `lp2lp_zpk` is differentiable.

    Warns
    -----
    BadCoefficients
        As for `normalize`.

    Notes
    -----
    ``s`` becomes ``s/wo``, on the host, in O(n**2) operations. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import lp2lp
    >>> lp2lp([1.0], [1.0, 1.0], 3.0)
    (array([3.]), array([1., 3.]))
    """
    wo = number("lp2lp", "wo", wo)
    return _changed("lp2lp", b, a, [1.0, 0.0], [wo])


@public
def lp2hp(b: Any, a: Any, wo: float = 1.0) -> tuple[Any, Any]:
    """Transform an analog lowpass filter to a highpass filter.

    Parameters
    ----------
    b, a, wo
        As for `lp2lp`.

    Returns
    -------
    b, a : array
        As from `normalize`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lp2lp`.

    Warns
    -----
    BadCoefficients
        As for `normalize`.

    Notes
    -----
    ``s`` becomes ``wo/s``, on the host, in O(n**2) operations. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import lp2hp
    >>> lp2hp([1.0], [1.0, 1.0], 3.0)
    (array([1., 0.]), array([1., 3.]))
    """
    wo = number("lp2hp", "wo", wo)
    return _changed("lp2hp", b, a, [wo], [1.0, 0.0])


@public
def lp2bp(b: Any, a: Any, wo: float = 1.0, bw: float = 1.0) -> tuple[Any, Any]:
    """Transform an analog lowpass filter to a bandpass filter.

    Parameters
    ----------
    b, a
        As for `lp2lp`.
    wo, bw : float, optional
        Centre (the geometric mean of the edges) and width of the band, in rad/s.

    Returns
    -------
    b, a : array
        As from `normalize`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lp2lp`.

    Warns
    -----
    BadCoefficients
        As for `normalize`.

    Notes
    -----
    ``s`` becomes ``(s**2 + wo**2)/(s bw)``, on the host, in O(n**3) operations. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import lp2bp
    >>> lp2bp([1.0], [1.0, 1.0], 3.0, 2.0)
    (array([2., 0.]), array([1., 2., 9.]))
    """
    wo, bw = number("lp2bp", "wo", wo), number("lp2bp", "bw", bw)
    return _changed("lp2bp", b, a, [1.0, 0.0, wo * wo], [bw, 0.0])


@public
def lp2bs(b: Any, a: Any, wo: float = 1.0, bw: float = 1.0) -> tuple[Any, Any]:
    """Transform an analog lowpass filter to a bandstop filter.

    Parameters
    ----------
    b, a
        As for `lp2lp`.
    wo, bw : float, optional
        Centre (the geometric mean of the edges) and width of the stopband, in rad/s.

    Returns
    -------
    b, a : array
        As from `normalize`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lp2lp`.

    Warns
    -----
    BadCoefficients
        As for `normalize`.

    Notes
    -----
    ``s`` becomes ``s bw/(s**2 + wo**2)``, on the host, in O(n**3) operations. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import lp2bs
    >>> lp2bs([1.0], [1.0, 1.0], 3.0, 2.0)
    (array([1., 0., 9.]), array([1., 2., 9.]))
    """
    wo, bw = number("lp2bs", "wo", wo), number("lp2bs", "bw", bw)
    return _changed("lp2bs", b, a, [bw, 0.0], [1.0, 0.0, wo * wo])


@public
def bilinear(b: Any, a: Any, fs: float = 1.0) -> tuple[Any, Any]:
    """Transform an analog filter to a digital one by the bilinear transform.

    Parameters
    ----------
    b, a : array, shape (m + 1,) and (n + 1,)
        Numerator and denominator of an analog filter, highest power first.
    fs : float, optional
        The sampling rate, as an ordinary frequency. There is no prewarping.

    Returns
    -------
    b, a : array
        As from `normalize`, in powers of z, highest first.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lp2lp`, and if `fs` is not a positive number.

    Warns
    -----
    BadCoefficients
        As for `normalize`.

    Notes
    -----
    ``s`` becomes ``2 fs (z - 1)/(z + 1)``, on the host, in O(n**3) operations. Not differentiable;
    `bilinear_zpk` is.

    Examples
    --------
    >>> from likewise.signal import bilinear
    >>> b, a = bilinear([1.0], [1.0, 2.0], 3.0)
    >>> b, a
    (array([0.125, 0.125]), array([ 1. , -0.5]))
    """
    root = math.sqrt(2 * rate("bilinear", fs))
    return _changed("bilinear", b, a, [root, -root], [1 / root, 1 / root])


def _changed(
    function: str, b: Any, a: Any, over: list[float], under: list[float]
) -> tuple[Any, Any]:
    """Return the filter with ``over/under`` substituted for s."""
    xp = host()
    where, arrays = read(function, b=b, a=a)
    num, den = (vector(xp, x) for x in arrays)
    one_dimension(function, b=num, a=den)
    not_empty(function, b=num, a=den)
    lists = [_trimmed([v if v.imag else v.real for v in map(complex, x)]) for x in (num, den)]
    m = max(map(len, lists)) - 1
    made = (xp.asarray(_substituted(c, over, under, m)) for c in lists)
    num, den = normalized(function, *made)
    return where.give(num), where.give(den)


def _trimmed(c: list[Any]) -> list[Any]:
    """Return coefficients without zeros at the start, at least one."""
    first = next((i for i, v in enumerate(c) if v), len(c) - 1)
    return c[first:]


def _substituted(c: list[Any], over: list[float], under: list[float], m: int) -> list[Any]:
    """Return ``sum(c_e over**e under**(m - e))``, by Horner's rule in ``over/under``."""
    total: list[Any] = [c[0]]
    power = [1.0]
    for v in c[1:]:
        power = _times(power, under)
        total = _plus(_times(total, over), [v * p for p in power])
    for _ in range(m - len(c) + 1):
        total = _times(total, under)
    return total


def _times(p: list[Any], q: list[Any]) -> list[Any]:
    out = [0.0] * (len(p) + len(q) - 1)
    for i, v in enumerate(p):
        for j, w in enumerate(q):
            out[i + j] += v * w
    return out


def _plus(p: list[Any], q: list[Any]) -> list[Any]:
    n = max(len(p), len(q))
    p, q = [0.0] * (n - len(p)) + p, [0.0] * (n - len(q)) + q
    return [v + w for v, w in zip(p, q, strict=True)]
