"""Second-order IIR filters that remove or keep one frequency, and combs of them."""

import math
from typing import Any, Literal

from ... import _plan
from ..._namespace import device, hooks_of, is_concrete
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError
from .._base._places import (
    Work,
    follows_like,
    host,
    number,
    one_number,
    place,
    rate,
    target,
    working,
)

__all__ = ["iircomb", "iirnotch", "iirpeak"]

Comb = Literal["notch", "peak"]


def in_namespace(function: str, work: Work, xp: Any, where: Any) -> Work:
    """Return the same `Work` with results for ``xp=`` and ``device=``, if these are given."""
    if xp is None and where is None:
        return work
    return work._replace(where=target(function, xp, where))


@public
@follows_like
def iirnotch(
    w0: A | float,
    Q: A | float,
    fs: float = 2.0,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> tuple[A, A]:
    """Design a second-order digital filter that removes one frequency.

    Parameters
    ----------
    w0 : float or 0-d array
        The frequency, in units of the Nyquist frequency or in those of `fs`.
    Q : float or 0-d array
        The quality factor: `w0` divided by the width at which the gain is 1/sqrt(2).
    fs : float, optional
        The sampling rate.
    xp : namespace, optional
        The library of the result if neither `w0` nor `Q` is an array. Default: the one that
        `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a : array, shape (3,)
        Numerator and denominator, with the library, device and precision of array arguments.

    Raises
    ------
    ArgumentError
        If `w0` is not between 0 and the Nyquist frequency, or `Q` or `fs` is not a positive number.
    DtypeError
        If `w0` or `Q` is complex.

    Notes
    -----
    S. J. Orfanidis, Introduction to Signal Processing, Prentice Hall 1996, equations 11.3.4 and
    11.3.20. Differentiable in array arguments; traced values are not checked.

    Examples
    --------
    >>> from likewise.signal import iirnotch
    >>> b, a = iirnotch(60.0, 30.0, fs=200.0)
    >>> b.round(6)
    array([0.969531, 0.599203, 0.969531])
    """
    return _single("iirnotch", w0, Q, fs, xp, device)


@public
@follows_like
def iirpeak(
    w0: A | float,
    Q: A | float,
    fs: float = 2.0,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> tuple[A, A]:
    """Design a second-order digital filter that keeps one frequency.

    Parameters
    ----------
    w0, Q, fs, xp, device, like
        As for `iirnotch`.


    Returns
    -------
    b, a : array, shape (3,)
        As from `iirnotch`.

    Raises
    ------
    ArgumentError
        As for `iirnotch`.

    Notes
    -----
    S. J. Orfanidis, Introduction to Signal Processing, Prentice Hall 1996, equations 11.3.4 and
    11.3.21. Differentiable as `iirnotch` is.

    Examples
    --------
    >>> from likewise.signal import iirpeak
    >>> b, a = iirpeak(0.5, 2.0)
    >>> b.round(6)
    array([ 0.292893,  0.      , -0.292893])
    """
    return _single("iirpeak", w0, Q, fs, xp, device)


def _single(function: str, w0: Any, Q: Any, fs: Any, namespace: Any, where: Any) -> tuple[Any, Any]:
    fs = rate(function, fs)
    if isinstance(w0, int | float) and isinstance(Q, int | float):  # design of numbers, quickly
        given = (
            place(function) if namespace is where is None else target(function, namespace, where)
        )
        _check(function, w0, Q, fs)
        return tuple(map(given.make, _coefficients(function, math, float(w0), float(Q), fs)))
    work = working(function, w0=w0, Q=Q)
    if work.where is not None:
        work = in_namespace(function, work, namespace, where)
    xp = work.xp
    w0, Q = one_number(function, xp, w0=work.arrays[0], Q=work.arrays[1])
    w0, Q = _plan.common_floating(function, xp, ("w0", "Q"), w0, Q, real=True)
    if is_concrete(w0) and is_concrete(Q):
        numbers = float(w0), float(Q)
        _check(function, *numbers, fs)
        if not (hooks_of(w0).recorded(w0) or hooks_of(Q).recorded(Q)):
            made = _coefficients(function, math, *numbers, fs)
            return tuple(work.give(xp.asarray(v, dtype=w0.dtype, device=device(w0))) for v in made)
    b, a = _coefficients(function, xp, w0, Q, fs)
    a[0] = xp.ones_like(a[1])
    return work.give(xp.stack(b)), work.give(xp.stack(a))


def _check(function: str, w0: float, Q: float, fs: float) -> None:
    if not 0 <= w0 <= fs / 2:
        raise ArgumentError(
            f"{function}: w0 must lie between 0 and {fs / 2!r}, the Nyquist frequency, got "
            f"{float(w0)!r}"
        )
    if not Q > 0:
        raise ArgumentError(f"{function}: Q must be positive, got {float(Q)!r}")


def _coefficients(function: str, xp: Any, w0: Any, Q: Any, fs: float) -> tuple[list[Any], ...]:
    """Return numerator and denominator; `xp` may be `math`."""
    angle = w0 * (2 * math.pi / fs)
    gain, cos = 1 / (1 + xp.tan(angle / Q / 2)), xp.cos(angle)
    if function == "iirnotch":
        b = [gain, -2 * gain * cos, gain]
    else:
        b = [1 - gain, 0 * gain, gain - 1]
    return b, [1.0, -2 * gain * cos, 2 * gain - 1]


@public
@follows_like
def iircomb(
    w0: float,
    Q: float,
    ftype: Comb | str = "notch",
    fs: float = 2.0,
    *,
    pass_zero: bool = False,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Design a digital filter that removes or keeps a frequency and its multiples.

    Parameters
    ----------
    w0 : float
        The spacing of the frequencies, which must divide `fs`.
    Q : float
        The quality factor: `w0` divided by the width of each at which the gain is 1/sqrt(2).
    ftype : {'notch', 'peak'}, optional
        Whether to remove or keep the frequencies.
    fs : float, optional
        The sampling rate.
    pass_zero : bool, optional
        Whether the filter passes a constant: notches then lie between the multiples, and peaks at
        the multiples; otherwise the reverse.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a : array, shape (fs/w0 + 1,)
        Numerator and denominator.

    Raises
    ------
    ArgumentError
        If `w0` is not between 0 and the Nyquist frequency or doesn't divide `fs`, `Q` is not
        positive, or the type is unknown.

    Notes
    -----
    S. J. Orfanidis, Introduction to Signal Processing, Prentice Hall 1996, section 11.5. Takes
    numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal import iircomb
    >>> b, a = iircomb(50.0, 25.0, fs=200.0)
    >>> b.round(6)
    array([ 0.940809,  0.      ,  0.      ,  0.      , -0.940809])
    """
    fs = rate("iircomb", fs)
    w0, Q = number("iircomb", "w0", w0), number("iircomb", "Q", Q)
    ftype = ftype.lower() if isinstance(ftype, str) else ftype
    _plan.choice("iircomb", "ftype", ftype, ("notch", "peak"))
    if not 0 < w0 < fs / 2:
        raise ArgumentError(
            f"iircomb: w0 must lie between 0 and {fs / 2!r}, the Nyquist frequency, got {w0!r}"
        )
    if not Q > 0:
        raise ArgumentError(f"iircomb: Q must be positive, got {Q!r}")
    n = round(fs / w0)
    if abs(w0 - fs / n) / fs > 1e-14:
        raise ArgumentError(
            f"iircomb: w0 must divide fs, {fs!r}, a whole number of times, got {w0!r}"
        )
    beta = math.tan(n * (2 * math.pi * w0 / fs / Q) / 4)
    far, near = (0.0, 1.0) if ftype == "peak" else (1.0, 0.0)
    sign = -1.0 if (ftype == "peak") == bool(pass_zero) else 1.0
    middle = [0.0] * (n - 1)
    b = [(far + near * beta) / (1 + beta), *middle, sign * (far - near * beta) / (1 + beta)]
    a = [1.0, *middle, sign * (1 - beta) / (1 + beta)]
    work = Work(host(), [], None, target("iircomb", xp, device))
    return work.give(host().asarray(b)), work.give(host().asarray(a))
