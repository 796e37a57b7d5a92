"""Frequency responses of linear systems."""

import math
from typing import Any

from ..._namespace import array_namespace
from ..._native import public
from ...errors import ArgumentError
from ...missing import angle, unwrap
from .._base._places import host, read, vector
from .._design._analog_responses import freqs, freqs_zpk
from .._design._responses import freqz, freqz_zpk
from ._simulation import parts_of
from ._state_space import ss2tf

__all__ = ["bode", "dbode", "dfreqresp", "freqresp"]


def _polynomials(parts: tuple[Any, ...], function: str) -> tuple[Any, Any]:
    """Return one numerator and a denominator."""
    num, den = parts if len(parts) == 2 else ss2tf(*parts)
    rows = getattr(num, "ndim", 1) == 2
    if rows and num.shape[0] != 1:
        raise ArgumentError(f"{function}: the system must have one output, got {num.shape[0]}")
    return (num[0, :] if rows else num), den


@public
def freqresp(system: Any, w: Any = None, n: int = 10000) -> tuple[Any, Any]:
    """Return a continuous system's frequency response.

    Parameters
    ----------
    system
        As for `lsim`, with one input and one output.
    w : array, optional
        Frequencies in rad/s; by default `findfreqs` chooses `n`.
    n : int, optional
        The number of frequencies.

    Returns
    -------
    w, h : array
        As from `freqs`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `freqs`, and if the system has several outputs.

    Notes
    -----
    As for `freqs` and `freqs_zpk`.

    Examples
    --------
    >>> from likewise.signal import freqresp
    >>> freqresp(([1.0], [1.0, 1.0]), [1.0])[1]
    array([0.5-0.5j])
    """
    parts, _ = parts_of("freqresp", system)
    worN = n if w is None else w
    if len(parts) == 3:
        return freqs_zpk(*parts, worN=worN)
    return freqs(*_polynomials(parts, "freqresp"), worN=worN)


@public
def dfreqresp(system: Any, w: Any = None, n: int = 10000, whole: bool = False) -> tuple[Any, Any]:
    """Return a discrete system's frequency response.

    Parameters
    ----------
    system
        As for `dlsim`, with one input and one output.
    w : array, optional
        Frequencies in radians per sample; by default `n` up to half the sampling rate.
    n : int, optional
        The number of frequencies.
    whole : bool, optional
        Whether the frequencies go up to the sampling rate.

    Returns
    -------
    w, h : array
        As from `freqz`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `freqz`, and if the system has several outputs.

    Notes
    -----
    As for `freqz` and `freqz_zpk`.

    Examples
    --------
    >>> from likewise.signal import dfreqresp
    >>> dfreqresp(([1.0], [1.0, -0.5], True), [0.0])[1]
    array([2.+0.j])
    """
    parts, _ = parts_of("dfreqresp", system, True)
    worN = n if w is None else w
    if len(parts) == 3:
        return freqz_zpk(*parts, worN=worN, whole=whole)
    num, den = _polynomials(parts, "dfreqresp")
    where, (num, den) = read("dfreqresp", num=num, den=den)
    xp, most = host(), max(num.size, den.size)
    # Powers of z are delays if both begin with the same one.
    num, den = (where.give(xp.concat((xp.zeros(most - c.size), vector(xp, c)))) for c in (num, den))
    return freqz(num, den, worN=worN, whole=whole)


def _shown(h: Any) -> tuple[Any, Any]:
    """Return decibels and degrees."""
    xp = array_namespace(h)
    return 20.0 * xp.log10(xp.abs(h)), unwrap(angle(h)) * (180 / math.pi)


@public
def bode(system: Any, w: Any = None, n: int = 100) -> tuple[Any, Any, Any]:
    """Return the magnitude and the phase of a continuous system's frequency response.

    Parameters
    ----------
    system, w, n
        As for `freqresp`.

    Returns
    -------
    w : array
        Frequencies in rad/s.
    mag : array
        Magnitude in decibels.
    phase : array
        Unwrapped phase in degrees.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `freqresp`.

    Notes
    -----
    As for `freqresp`.

    Examples
    --------
    >>> from likewise.signal import bode
    >>> w, mag, phase = bode(([1.0], [1.0, 1.0]), [1.0])
    >>> mag.round(4), phase
    (array([-3.0103]), array([-45.]))
    """
    w, h = freqresp(system, w=w, n=n)
    return w, *_shown(h)


@public
def dbode(system: Any, w: Any = None, n: int = 100) -> tuple[Any, Any, Any]:
    """Return the magnitude and the phase of a discrete system's frequency response.

    Parameters
    ----------
    system, w, n
        As for `dfreqresp`.

    Returns
    -------
    w : array
        Frequencies in radians per unit of time.
    mag : array
        Magnitude in decibels.
    phase : array
        Unwrapped phase in degrees.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `dfreqresp`.

    Notes
    -----
    As for `dfreqresp`.

    Examples
    --------
    >>> from likewise.signal import dbode
    >>> w, mag, phase = dbode(([1.0], [1.0, -0.5], 0.1), [0.0])
    >>> mag.round(4)
    array([6.0206])
    """
    _, dt = parts_of("dbode", system, True)
    w, h = dfreqresp(system, w=w, n=n)
    return w / (1.0 if dt is True else float(dt)), *_shown(h)
