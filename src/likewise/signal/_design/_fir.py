"""FIR filters by the window method, and Kaiser's rules for their windows."""

import itertools
import math
from typing import Any

from ... import _plan
from ..._namespace import device, is_concrete
from ..._native import public
from ...errors import ArgumentError, DtypeError, ShapeError
from .._base._places import follows_like, host, integer, number, rate, vector, working
from ..windows import get_window
from ..windows._get_window import refused

__all__ = ["firwin", "kaiser_atten", "kaiser_beta", "kaiserord"]

_BANDS = ("lowpass", "highpass", "bandpass", "bandstop")


@public
def kaiser_beta(a: float) -> float:
    """Return the parameter `beta` of a Kaiser window for an attenuation.

    Parameters
    ----------
    a : float
        The attenuation of the stopband and of the passband's ripple, positive, in decibels.

    Returns
    -------
    float

    Raises
    ------
    ArgumentError
        If `a` is not a number.

    Notes
    -----
    A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, Prentice Hall 1999, equation
    7.62. Takes a number; not differentiable.

    Examples
    --------
    >>> from likewise.signal import kaiser_beta
    >>> round(kaiser_beta(65.0), 6)
    6.20426
    """
    a = number("kaiser_beta", "a", a)
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21) if a > 21 else 0.0


@public
def kaiser_atten(numtaps: int, width: float) -> float:
    """Return the attenuation of an FIR filter designed with a Kaiser window.

    Parameters
    ----------
    numtaps : int
        The length of the filter.
    width : float
        The width of the transition, in units of the Nyquist frequency.

    Returns
    -------
    float
        The attenuation, in decibels.

    Raises
    ------
    ArgumentError
        If an argument is not a number.

    Notes
    -----
    A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, Prentice Hall 1999, equation
    7.63. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal import kaiser_atten
    >>> round(kaiser_atten(101, 0.1), 6)
    79.735392
    """
    taps = number("kaiser_atten", "numtaps", numtaps)
    return 2.285 * (taps - 1) * math.pi * number("kaiser_atten", "width", width) + 7.95


@public
def kaiserord(ripple: float, width: float) -> tuple[int, float]:
    """Return the length and the window parameter of an FIR filter with a Kaiser window.

    Parameters
    ----------
    ripple : float
        The largest deviation from the ideal response, in decibels; its sign is ignored.
    width : float
        The width of the transition, in units of the Nyquist frequency.

    Returns
    -------
    numtaps : int
        The length.
    beta : float
        The window's parameter.

    Raises
    ------
    ArgumentError
        If the ripple is below 8 decibels, where the rule doesn't apply, or the width is not
        positive.

    Notes
    -----
    A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, Prentice Hall 1999,
    equations 7.62 and 7.63. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal import kaiserord
    >>> numtaps, beta = kaiserord(65.0, 0.1)
    >>> numtaps, round(beta, 6)
    (81, 6.20426)
    """
    a, width = abs(number("kaiserord", "ripple", ripple)), number("kaiserord", "width", width)
    if a < 8:
        raise ArgumentError(
            f"kaiserord: ripple must be at least 8 decibel for Kaiser's formula, got {ripple!r}"
        )
    if not width > 0:
        raise ArgumentError(f"kaiserord: width must be positive, got {width!r}")
    return math.ceil((a - 7.95) / 2.285 / (math.pi * width) + 1), kaiser_beta(a)


@public
@follows_like
def firwin(
    numtaps: int,
    cutoff: Any,
    *,
    width: float | None = None,
    window: Any = "hamming",
    pass_zero: Any = True,
    scale: bool = True,
    fs: float | None = None,
    like: Any = None,
) -> Any:
    """Design an FIR filter of linear phase by the window method.

    Parameters
    ----------
    numtaps : int
        The length, which must be odd if the Nyquist frequency is in a passband.
    cutoff : float, sequence of floats, or array of at most one dimension
        Band edges, ascending, in units of the Nyquist frequency or in those of `fs`.
    width : float, optional
        The width of the transition in the same units, for which a Kaiser window is then used.
    window : str, float or tuple, optional
        As for `get_window`.
    pass_zero : {True, False, 'bandpass', 'lowpass', 'highpass', 'bandstop'}, optional
        Whether the first band passes (the others alternate); or the kind of filter.
    scale : bool, optional
        Whether to scale the response to 1 at 0, at the Nyquist frequency, or in the middle of the
        first passband.
    fs : float, optional
        The sampling rate.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (numtaps,)
        The coefficients, with the library, device and precision of `cutoff` if it is an array, else
        those that `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If cutoffs are missing, not ascending, not between 0 and the Nyquist frequency, or don't fit
        the kind; or if a filter of even length has the Nyquist frequency in a passband.
    ShapeError, DtypeError
        If cutoffs have more than one dimension, or are complex.

    Notes
    -----
    Multiplies ideal responses by the window (A. V. Oppenheim and R. W. Schafer, Discrete-Time
    Signal Processing, Prentice Hall 1999, section 7.2), in double precision if available.
    O(numtaps) operations per band. Differentiable in an array `cutoff`; traced values are not
    checked.

    Examples
    --------
    >>> from likewise.signal import firwin
    >>> firwin(3, 0.1).round(6)
    array([0.06799, 0.86402, 0.06799])
    """
    taps = integer("firwin", "numtaps", numtaps, 1)
    fs = rate("firwin", fs, 2.0)
    work = working("firwin", cutoff=cutoff)
    xp, edges = work.xp, vector(work.xp, work.arrays[0]) / (fs / 2)
    if _plan.is_complex(xp, edges.dtype):
        raise DtypeError("firwin: cutoff must hold real numbers, got complex ones")
    if edges.ndim > 1:
        raise ShapeError(
            f"firwin: cutoff must have at most one dimension, got the shape {tuple(edges.shape)}"
        )
    n = edges.shape[0]
    if is_concrete(edges):
        _check_cutoffs([float(edges[i]) for i in range(n)], fs / 2)
    passes = _passes_zero(pass_zero, n)
    top = (n % 2 == 0) == passes
    if top and taps % 2 == 0:
        raise ArgumentError(
            "firwin: numtaps must be odd for a filter that passes the Nyquist frequency, got "
            f"{taps}. Take one more or less."
        )
    if width is not None:
        attenuation = kaiser_atten(taps, number("firwin", "width", width) / (fs / 2))
        window = ("kaiser", kaiser_beta(attenuation))
    ends = [*([0.0] if passes else []), *(edges[i] for i in range(n)), *([1.0] if top else [])]
    where = device(edges)
    m = xp.arange(taps, dtype=edges.dtype, device=where) - (taps - 1) / 2
    h = sum(_ideal(xp, b, m) - _ideal(xp, a, m) for a, b in zip(ends[::2], ends[1::2], strict=True))
    h = h * xp.asarray(_values(window, taps), dtype=edges.dtype, device=where)
    if scale:
        left, right = ends[:2]
        middle = 0.0 if passes else 1.0 if top and n == 1 else (left + right) / 2
        h = h / xp.sum(h * xp.cos(math.pi * m * middle))
    return work.give(h)


@_plan.of_settings
def _values(window: Any, taps: int) -> Any:
    try:
        return get_window(window, taps, fftbins=False, xp=host()).tolist()
    except ArgumentError as error:
        raise refused("firwin", error) from error


def _ideal(xp: Any, edge: Any, m: Any) -> Any:
    """Return the impulse response of an ideal lowpass up to an edge."""
    origin = m == 0
    away = xp.sin(math.pi * edge * m) / (math.pi * xp.where(origin, xp.ones_like(m), m))
    return xp.where(origin, edge + xp.zeros_like(m), away)


def _check_cutoffs(edges: list[float], half: float) -> None:
    if not edges:
        raise ArgumentError("firwin: cutoff must hold at least one frequency, got none")
    shown = [e * half for e in edges]
    if not all(0 < e < 1 for e in edges):
        raise ArgumentError(
            f"firwin: cutoff must lie between 0 and {half!r}, the Nyquist frequency, got {shown}"
        )
    if any(b <= a for a, b in itertools.pairwise(edges)):
        raise ArgumentError(f"firwin: cutoff must increase, got {shown}")


def _passes_zero(pass_zero: Any, n: int) -> bool:
    """Tell whether the first band passes, from a kind or a bool."""
    if n == 0:
        raise ArgumentError("firwin: cutoff must hold at least one frequency, got none")
    if pass_zero is True or pass_zero is False:
        return bool(pass_zero)
    if not (isinstance(pass_zero, str) and pass_zero in _BANDS):
        raise ArgumentError(
            "firwin: pass_zero must be True, False, 'bandpass', 'lowpass', 'highpass' or "
            f"'bandstop', got {pass_zero!r}"
        )
    if (n == 1) != (pass_zero in ("lowpass", "highpass")):
        expected = "one frequency" if n > 1 else "at least two frequencies"
        raise ArgumentError(
            f"firwin: cutoff must hold {expected} for pass_zero={pass_zero!r}, got {n}"
        )
    return pass_zero in ("lowpass", "bandstop")
