"""IIR filters of a given order and cutoff."""

import math
from typing import Any, Literal, NamedTuple

from ... import _plan
from ..._namespace import device, is_concrete, is_neutral
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError, DtypeError
from .._base._places import Work, complex_of, follows_like, host, number, order, rate, read, working
from .._base._polynomials import from_roots
from .._base._sections import sections
from ._band_zpk import to_band, to_digital
from ._butter_sections import butter_sections
from ._families import FAMILIES
from ._prototypes import Zpk

__all__ = [
    "bessel",
    "butter",
    "cheby1",
    "cheby2",
    "designed",
    "ellip",
    "family_of",
    "iirfilter",
]

_BANDS: dict[str, tuple[str, ...]] = {
    "lowpass": ("l", "low", "lowpass", "lp"),
    "highpass": ("h", "high", "highpass", "hp"),
    "bandpass": ("band", "bandpass", "pass", "bp"),
    "bandstop": ("bs", "bandstop", "bands", "stop"),
}
Ftype = Literal["butter", "cheby1", "cheby2", "ellip", "bessel"]
Norm = Literal["phase", "delay", "mag"]
Output = Literal["ba", "zpk", "sos"]
_OUTPUTS = ("ba", "zpk", "sos")


class _Asked(NamedTuple):
    """Hold the checked specification of a filter."""

    function: str
    n: int
    btype: str
    analog: bool
    family: str
    norm: str
    output: str
    fs: float | None


# -- public ----------------------------------------------------------------------------------------


@public
@follows_like
def butter(
    N: int,
    Wn: A | Any,
    btype: str = "low",
    analog: bool = False,
    output: Output | str = "ba",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design a Butterworth filter, which has a maximally flat passband.

    Parameters
    ----------
    N : int
        The order; bandpass and bandstop filters have twice as many poles.
    Wn : float, pair of floats, or array
        The cutoff, or the two edges of a band, at which the gain is 1/sqrt(2): for a digital filter
        in units of the Nyquist frequency (0 to 1), or in those of `fs`; for an analog filter in
        rad/s.
    btype : {'low', 'high', 'bandpass', 'bandstop'}, optional
        The kind of filter; SciPy's other spellings are accepted.
    analog : bool, optional
        Whether the filter is analog.
    output : {'ba', 'zpk', 'sos'}, optional
        Numerator and denominator; zeros, poles and gain; or second-order sections. Above an order
        of about 8, use sections for filtering: the coefficients of 'ba' lose too many digits.
    fs : float, optional
        The sampling rate, for digital filters only.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a : array, shape (n + 1,)
        For 'ba'.
    z, p, k : array, array, 0-d array
        For 'zpk'.
    sos : array, shape (sections, 6)
        For 'sos'; the section nearest to instability is the last.

        The result has the library, device and precision of `Wn` if it is an array, else those that
        `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If the order is not a nonnegative integer; a cutoff is not positive or, for a digital
        filter, not below the Nyquist frequency; the edges are not two ascending numbers; or the
        kind or output is unknown.
    DtypeError
        If `Wn` is complex.

    Notes
    -----
    Uses the analog prototype, a band transformation and the bilinear transform with prewarped
    cutoffs (T. W. Parks and C. S. Burrus, Digital Filter Design, Wiley 1987, chapter 7), on zeros
    and poles, in double precision if available. O(N**2) operations for 'ba' and 'sos', else O(N).

    If `Wn` is an array, it can be traced and differentiated; its values are then not checked. For
    derivatives, the order of the sections is constant.

    Examples
    --------
    >>> from likewise.signal import butter
    >>> b, a = butter(2, 0.5)
    >>> b.round(6), a.round(6)
    (array([0.292893, 0.585786, 0.292893]), array([ 1.      , -0.      ,  0.171573]))
    """
    return designed("butter", N, Wn, None, None, btype, analog, "butter", output, fs)


@public
@follows_like
def cheby1(
    N: int,
    rp: float,
    Wn: A | Any,
    btype: str = "low",
    analog: bool = False,
    output: Output | str = "ba",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design a Chebyshev filter of type I, which has ripples in the passband.

    Parameters
    ----------
    N : int
        The order.
    rp : float
        The ripple, in decibels: how far the passband may fall below 1.
    Wn : float, pair of floats, or array
        The cutoff or edges, at which the gain first falls below the ripple; units as for `butter`.
    btype, analog, output, fs
        As for `butter`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a; z, p, k; or sos
        As from `butter`.

    Raises
    ------
    ArgumentError, DtypeError
        As for `butter`, and if `rp` is not positive.
    NotSupported
        If `Wn` is traced or records gradients.

    Notes
    -----
    As for `butter`, with poles on an ellipse. Reads values and computes on the host, so it is not
    differentiable.

    Examples
    --------
    >>> from likewise.signal import cheby1
    >>> z, p, k = cheby1(2, 3.0, 0.5, output="zpk")
    >>> abs(p).round(6)
    array([0.672171, 0.672171])
    """
    return designed("cheby1", N, Wn, rp, None, btype, analog, "cheby1", output, fs)


@public
@follows_like
def cheby2(
    N: int,
    rs: float,
    Wn: A | Any,
    btype: str = "low",
    analog: bool = False,
    output: Output | str = "ba",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design a Chebyshev filter of type II, which has ripples in the stopband.

    Parameters
    ----------
    N : int
        The order.
    rs : float
        The minimum attenuation in the stopband, in decibels.
    Wn : float, pair of floats, or array
        The cutoff or edges, at which the gain first reaches the attenuation; units as for `butter`.
    btype, analog, output, fs
        As for `butter`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a; z, p, k; or sos
        As from `butter`.

    Raises
    ------
    ArgumentError, DtypeError
        As for `butter`, and if `rs` is not positive.
    NotSupported
        If `Wn` is traced or records gradients.

    Notes
    -----
    As for `cheby1`.

    Examples
    --------
    >>> from likewise.signal import cheby2
    >>> z, p, k = cheby2(3, 40.0, 0.5, output="zpk")
    >>> abs(z).round(6)
    array([1., 1., 1.])
    """
    return designed("cheby2", N, Wn, None, rs, btype, analog, "cheby2", output, fs)


@public
@follows_like
def ellip(
    N: int,
    rp: float,
    rs: float,
    Wn: A | Any,
    btype: str = "low",
    analog: bool = False,
    output: Output | str = "ba",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design an elliptic (Cauer) filter, the steepest for given ripples.

    Parameters
    ----------
    N : int
        The order.
    rp, rs : float
        The ripple of the passband and the minimum attenuation in the stopband, in decibels.
    Wn : float, pair of floats, or array
        The cutoff or edges, at which the gain first falls below the ripple; units as for `butter`.
    btype, analog, output, fs
        As for `butter`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a; z, p, k; or sos
        As from `butter`.

    Raises
    ------
    ArgumentError, DtypeError
        As for `butter`, and if `rp` is not positive or not below `rs`.
    NotSupported
        If `Wn` is traced or records gradients.

    Notes
    -----
    As for `cheby1`; elliptic functions use the arithmetic-geometric mean, the degree equation uses
    nomes (S. J. Orfanidis, Lecture notes on elliptic filter design, 2006).

    Examples
    --------
    >>> from likewise.signal import ellip
    >>> z, p, k = ellip(3, 1.0, 40.0, 0.5, output="zpk")
    >>> abs(z).round(6)
    array([1., 1., 1.])
    """
    return designed("ellip", N, Wn, rp, rs, btype, analog, "ellip", output, fs)


@public
@follows_like
def bessel(
    N: int,
    Wn: A | Any,
    btype: str = "low",
    analog: bool = False,
    output: Output | str = "ba",
    norm: Norm | str = "phase",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design a Bessel (Thomson) filter, which has a maximally flat delay.

    Parameters
    ----------
    N : int
        The order.
    Wn : float, pair of floats, or array
        The cutoff or edges, as `norm` defines it; units as for `butter`.
    btype, analog, output
        As for `butter`. The bilinear transform doesn't keep the delay flat.
    norm : {'phase', 'delay', 'mag'}, optional
        The meaning of `Wn`: the frequency at which the phase is half its final value, with the
        asymptotes of a Butterworth filter; the inverse delay of an analog lowpass filter; or the
        frequency at which the gain is 1/sqrt(2).
    fs : float, optional
        As for `butter`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a; z, p, k; or sos
        As from `butter`.

    Raises
    ------
    ArgumentError, DtypeError
        As for `butter`, and if the norm is unknown.
    NotSupported
        If `Wn` is traced or records gradients.

    Notes
    -----
    As for `cheby1`; the poles are the roots of reverse Bessel polynomials (W. E. Thomson, Proc. IEE
    96 III, 487, 1949), computed in long integers, so they are accurate to the last digit or two.

    Examples
    --------
    >>> from likewise.signal import bessel
    >>> z, p, k = bessel(2, 1.0, analog=True, norm="delay", output="zpk")
    >>> p.round(6)
    array([-1.5+0.866025j, -1.5-0.866025j])
    """
    _plan.choice("bessel", "norm", norm, FAMILIES["bessel"].norms)
    return designed("bessel", N, Wn, None, None, btype, analog, "bessel_" + norm, output, fs)


@public
@follows_like
def iirfilter(
    N: int,
    Wn: A | Any,
    rp: float | None = None,
    rs: float | None = None,
    btype: str = "band",
    analog: bool = False,
    ftype: Ftype | str = "butter",
    output: Output | str = "ba",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design an IIR filter of a family, an order and a cutoff.

    Parameters
    ----------
    N : int
        The order.
    Wn : float, pair of floats, or array
        The cutoff or edges; units as for `butter`, meaning as for the family.
    rp : float, optional
        The ripple of the passband in decibels, for 'cheby1' and 'ellip'.
    rs : float, optional
        The attenuation of the stopband in decibels, for 'cheby2' and 'ellip'.
    btype : {'bandpass', 'low', 'high', 'bandstop'}, optional
        The kind.
    analog : bool, optional
        As for `butter`.
    ftype : {'butter', 'cheby1', 'cheby2', 'ellip', 'bessel'}, optional
        The family; SciPy's other spellings are accepted.
    output, fs
        As for `butter`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    b, a; z, p, k; or sos
        As from `butter`.

    Raises
    ------
    ArgumentError, DtypeError
        As for `butter`, and if the family is unknown, or its ripple is missing or not positive.
    NotSupported
        If `Wn` is traced or records gradients, except for 'butter'.

    Notes
    -----
    As for the function of the family. Differentiable in an array `Wn` for 'butter'.

    Examples
    --------
    >>> from likewise.signal import iirfilter
    >>> b, a = iirfilter(1, 0.5, btype="high")
    >>> b.round(6)
    array([ 0.5, -0.5])
    """
    return designed("iirfilter", N, Wn, rp, rs, btype, analog, ftype, output, fs)


# -- the steps -------------------------------------------------------------------------------------


def designed(
    function: str,
    N: Any,
    Wn: Any,
    rp: Any,
    rs: Any,
    btype: Any,
    analog: bool,
    ftype: Any,
    output: Any,
    fs: Any,
) -> Any:
    """Return a filter for any of the functions above."""
    family, norm = family_of(function, ftype)
    asked = _Asked(
        function,
        order(function, N),
        _spelled(function, "btype", btype, _BANDS),
        bool(analog),
        family,
        norm,
        _output(function, output),
        None if fs is None else rate(function, fs),
    )
    traced = FAMILIES[family].traced and not is_neutral(Wn)
    if traced:
        work = working(function, Wn=Wn)
    else:
        where, arrays = read(function, Wn=Wn)
        work = Work(host(), arrays, None, where)
    edges = _edges(asked, work)
    z, p, k = _prototype(asked, rp, rs)
    return _finished(asked, work, edges, z, p, k, traced)


def family_of(function: str, ftype: Any) -> tuple[str, str]:
    """Return the family that a name means, and the norm of a Bessel filter."""
    found = _spelled(function, "ftype", ftype, {k: v.spellings for k, v in FAMILIES.items()})
    norms = FAMILIES[found].norms
    return found, ftype.lower().partition("_")[2] or norms[0] if norms else ""


def _spelled(function: str, name: str, value: Any, table: dict[str, tuple[str, ...]]) -> str:
    """Return the key of the table for a spelling, in upper or lower case."""
    if isinstance(value, str):
        for key, spellings in table.items():
            if value.lower() in spellings:
                return key
    known = [w for spellings in table.values() for w in spellings]
    _plan.choice(function, name, value, known)
    raise AssertionError(value)


def _output(function: str, output: Any) -> str:
    lower = output.lower() if isinstance(output, str) else output
    _plan.choice(function, "output", lower, _OUTPUTS)
    return str(lower)


def _edges(asked: _Asked, work: Work) -> Any:
    """Return one or two cutoffs in an array: relative to the Nyquist frequency, or in rad/s."""
    xp, (wn,) = work.xp, work.arrays
    function = asked.function
    if _plan.is_complex(xp, wn.dtype):
        raise DtypeError(f"{function}: Wn must hold real numbers, got complex ones")
    if asked.fs is not None and asked.analog:
        raise ArgumentError(
            f"{function}: fs must be None for an analog filter, whose Wn is in rad/s, got "
            f"{asked.fs!r}"
        )
    wn = xp.reshape(wn, (-1,))
    needed = 2 if asked.btype in ("bandpass", "bandstop") else 1
    if wn.shape[0] != needed:
        what = "the two edges of the band" if needed == 2 else "one cutoff"
        raise ArgumentError(
            f"{function}: Wn must be {what} for a {asked.btype} filter, got {wn.shape[0]} numbers"
        )
    if asked.fs is not None:
        wn = wn / (asked.fs / 2)
    if is_concrete(wn):
        _check_edges(asked, [float(wn[i]) for i in range(needed)])
    return wn


def _check_edges(asked: _Asked, wn: list[float]) -> None:
    limit = math.inf if asked.analog else 1.0
    half = 1.0 if asked.fs is None else asked.fs / 2
    if not all(0 < w < limit for w in wn):
        unit = "fs/2" if asked.fs is not None else "the Nyquist frequency; give fs for other units"
        upper = "finite" if asked.analog else f"below {half!r}, {unit}"
        raise ArgumentError(
            f"{asked.function}: Wn must be positive and {upper}, got "
            f"{[w * half for w in wn] if len(wn) > 1 else wn[0] * half}"
        )
    if len(wn) == 2 and not wn[0] < wn[1]:
        raise ArgumentError(
            f"{asked.function}: Wn[0] must be less than Wn[1], got {[w * half for w in wn]}"
        )


def _prototype(asked: _Asked, rp: Any, rs: Any) -> Zpk:
    """Return the analog lowpass filter of the family."""
    function = asked.function
    rp = None if rp is None else _ripple(function, "rp, the passband's ripple,", rp)
    rs = None if rs is None else _ripple(function, "rs, the stopband's attenuation,", rs)
    family, given = FAMILIES[asked.family], {"rp": rp, "rs": rs}
    for name in family.needs:
        value = given[name]
        if value is None:
            raise ArgumentError(
                f"{function}: {name} must be given for a filter of type {asked.family!r}, in "
                "decibel, got None"
            )
        if value == 0:
            raise ArgumentError(f"{function}: {name} must be positive, in decibel, got 0")
    return family.prototype(function, asked.n, rp, rs, asked.norm)


def _ripple(function: str, name: str, value: Any) -> float:
    found = number(function, name, value)
    if not 0 <= found < math.inf:
        raise ArgumentError(f"{function}: {name} must be positive, in decibel, got {value!r}")
    return found


def _finished(
    asked: _Asked,
    work: Work,
    edges: Any,
    zeros: list[complex],
    poles: list[complex],
    k: Any,
    traced: bool,
) -> Any:
    """Return the filter of the specified band from a prototype."""
    xp, where = work.xp, device(edges)
    dtype = complex_of(xp, edges.dtype)
    of_zeros = dtype if FAMILIES[asked.family].zeros else edges.dtype
    z = xp.asarray(zeros, dtype=of_zeros, device=where)
    p = xp.asarray(poles, dtype=dtype, device=where)
    k = xp.asarray(k, dtype=edges.dtype, device=where)
    if not asked.analog:
        edges = 4.0 * xp.tan(edges * (math.pi / 2))
    z, p, k = to_band(xp, z, p, k, edges, asked.btype)
    if not asked.analog:
        z, p, k = to_digital(xp, z, p, k, 2.0)
    if asked.output == "zpk":
        return work.give(z), work.give(p), work.give(k)
    if asked.output == "ba":
        b, a = from_roots(xp, z), xp.real(from_roots(xp, p))
        b = xp.real(b) if _plan.is_complex(xp, b.dtype) else b
        return work.give(k * b), work.give(a)
    if traced:
        return work.give(butter_sections(xp, z, p, k, asked.n, asked.btype, asked.analog))
    pairing = "minimal" if asked.analog else "nearest"
    zeros, poles = ([complex(v) for v in x] for x in (z, p))
    rows = sections(asked.function, zeros, poles, float(k), pairing, asked.analog)
    return work.give(xp.asarray(rows, dtype=edges.dtype))
