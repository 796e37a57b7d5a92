"""The minimum order of an IIR filter for given edges and ripples."""

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import is_neutral
from ..._native import public
from ...errors import ArgumentError, DesignWarning, DtypeError, ShapeError, _level
from .._base._places import Place, follows_like, host, number, rate, read
from ._families import FAMILIES
from ._iir import Ftype, Output, designed, family_of

__all__ = ["buttord", "cheb1ord", "cheb2ord", "ellipord", "iirdesign"]


class _Task(NamedTuple):
    """Hold prewarped edges of a passband and a stopband, and the required losses."""

    function: str
    kind: int  # 1 to 4: lowpass, highpass, bandstop, bandpass
    passb: list[float]
    stopb: list[float]
    gpass: float
    gstop: float
    analog: bool
    fs: float | None
    where: Place


# -- public ----------------------------------------------------------------------------------------


@public
@follows_like
def buttord(
    wp: Any,
    ws: Any,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
    *,
    like: Any = None,
) -> tuple[int, Any]:
    """Return the minimum order of a Butterworth filter, and its cutoff.

    Parameters
    ----------
    wp, ws : float or pair of floats
        Edges of the passband and the stopband: for a digital filter in units of the Nyquist
        frequency, or in those of `fs`; for an analog filter in rad/s. A lowpass filter has
        ``wp < ws``, a highpass filter ``wp > ws``. With two edges each, a bandpass filter has `wp`
        inside `ws`, a bandstop filter outside.
    gpass : float
        The maximum loss in the passband, in decibels.
    gstop : float
        The minimum loss in the stopband, in decibels.
    analog : bool, optional
        Whether the filter is analog.
    fs : float, optional
        The sampling rate, for digital filters only.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    ord : int
        The order.
    wn : array, shape () or (2,)
        The cutoff for `butter`, with which the passband meets its limit exactly.

    Raises
    ------
    ArgumentError
        If losses are not positive or `gpass` exceeds `gstop`, edges are not positive or not below
        the Nyquist frequency, or `fs` is given for an analog filter.
    ShapeError
        If `wp` and `ws` are not both one number or both two.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    L. R. Rabiner and B. Gold, Theory and Application of Digital Signal Processing, Prentice Hall
    1975, section 4.13. For a bandstop filter the edges of the passband are moved to minimise the
    order. Computes on the host; not differentiable.

    Examples
    --------
    >>> from likewise.signal import buttord
    >>> n, wn = buttord(0.2, 0.3, 3.0, 40.0)
    >>> n, round(float(wn), 6)
    (11, 0.20004)
    """
    return _minimum("buttord", "butter", wp, ws, gpass, gstop, analog, fs)


@public
@follows_like
def cheb1ord(
    wp: Any,
    ws: Any,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
    *,
    like: Any = None,
) -> tuple[int, Any]:
    """Return the minimum order of a Chebyshev filter of type I, and its cutoff.

    Parameters
    ----------
    wp, ws, gpass, gstop, analog, fs
        As for `buttord`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    ord : int
        The order.
    wn : array, shape () or (2,)
        The cutoff for `cheby1`: the edge of the passband.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `buttord`.

    Notes
    -----
    As for `buttord`.

    Examples
    --------
    >>> from likewise.signal import cheb1ord
    >>> n, wn = cheb1ord(0.2, 0.3, 3.0, 40.0)
    >>> n, float(wn)
    (6, 0.2)
    """
    return _minimum("cheb1ord", "cheby1", wp, ws, gpass, gstop, analog, fs)


@public
@follows_like
def cheb2ord(
    wp: Any,
    ws: Any,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
    *,
    like: Any = None,
) -> tuple[int, Any]:
    """Return the minimum order of a Chebyshev filter of type II, and its cutoff.

    Parameters
    ----------
    wp, ws, gpass, gstop, analog, fs
        As for `buttord`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    ord : int
        The order.
    wn : array, shape () or (2,)
        The cutoff for `cheby2`, with which the passband meets its limit exactly.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `buttord`.

    Notes
    -----
    As for `buttord`.

    Examples
    --------
    >>> from likewise.signal import cheb2ord
    >>> n, wn = cheb2ord(0.2, 0.3, 3.0, 40.0)
    >>> n, round(float(wn), 6)
    (6, 0.274564)
    """
    return _minimum("cheb2ord", "cheby2", wp, ws, gpass, gstop, analog, fs)


@public
@follows_like
def ellipord(
    wp: Any,
    ws: Any,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
    *,
    like: Any = None,
) -> tuple[int, Any]:
    """Return the minimum order of an elliptic filter, and its cutoff.

    Parameters
    ----------
    wp, ws, gpass, gstop, analog, fs
        As for `buttord`.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    ord : int
        The order.
    wn : array, shape () or (2,)
        The cutoff for `ellip`: the edge of the passband.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `buttord`.

    Notes
    -----
    As for `buttord`.

    Examples
    --------
    >>> from likewise.signal import ellipord
    >>> n, wn = ellipord(0.2, 0.3, 3.0, 40.0)
    >>> n, float(wn)
    (4, 0.2)
    """
    return _minimum("ellipord", "ellip", wp, ws, gpass, gstop, analog, fs)


@public
@follows_like
def iirdesign(
    wp: Any,
    ws: Any,
    gpass: float,
    gstop: float,
    analog: bool = False,
    ftype: Ftype | str = "ellip",
    output: Output | str = "ba",
    fs: float | None = None,
    *,
    like: Any = None,
) -> Any:
    """Design the IIR filter of minimum order for given edges and ripples.

    Parameters
    ----------
    wp, ws, gpass, gstop, analog
        As for `buttord`; the passband must lie strictly inside or outside the stopband's edges.
    ftype : {'ellip', 'butter', 'cheby1', 'cheby2'}, optional
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
    ArgumentError, ShapeError, NotSupported
        As for `buttord` and `iirfilter`, and if the family has no choice of order, or the bands
        overlap.

    Notes
    -----
    `buttord` or its relatives give the order, `iirfilter` the filter. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import iirdesign
    >>> z, p, k = iirdesign(0.2, 0.3, 3.0, 40.0, output="zpk")
    >>> z.shape
    (4,)
    """
    family, _ = family_of("iirdesign", ftype)
    if FAMILIES[family].order is None:
        offered = ", ".join(repr(name) for name, row in FAMILIES.items() if row.order)
        raise ArgumentError(
            f"iirdesign: ftype must be one of {offered}, for which there is a choice of order, got "
            f"{ftype!r}. Use iirfilter."
        )
    task = _task("iirdesign", wp, ws, gpass, gstop, analog, fs, strict=True)
    n, wn = _order_and_cutoff(task, family)
    btype = ("lowpass", "highpass", "bandstop", "bandpass")[task.kind - 1]
    # An array decides library, device and precision.
    edges: Any = wn if is_neutral(wp) and is_neutral(ws) else task.where.give(host().asarray(wn))
    return designed("iirdesign", n, edges, gpass, gstop, btype, analog, ftype, output, fs)


# -- the steps -------------------------------------------------------------------------------------


def _task(
    function: str,
    wp: Any,
    ws: Any,
    gpass: Any,
    gstop: Any,
    analog: bool,
    fs: Any,
    strict: bool = False,
) -> _Task:
    """Return the arguments of all these functions, checked."""
    gpass, gstop = number(function, "gpass", gpass), number(function, "gstop", gstop)
    for name, loss in (("gpass", gpass), ("gstop", gstop)):
        if not loss > 0:
            raise ArgumentError(
                f"{function}: {name} should be larger than 0.0, in decibel, got {loss!r}"
            )
    if gpass > gstop:
        raise ArgumentError(
            f"{function}: gpass should be smaller than gstop, got {gpass!r} and {gstop!r} decibel"
        )
    where, arrays = read(function, wp=wp, ws=ws)
    if any(x.dtype.kind == "c" for x in arrays):
        raise DtypeError(f"{function}: wp and ws must hold real numbers, got complex ones")
    passb, stopb = ([float(v) for v in x.reshape(-1)] for x in arrays)
    if len(passb) != len(stopb) or len(passb) not in (1, 2):
        raise ShapeError(
            f"{function}: wp and ws must both be one number or both two, got {len(passb)} and "
            f"{len(stopb)}"
        )
    if fs is not None and analog:
        raise ArgumentError(f"{function}: fs must be None for an analog filter, got {fs!r}")
    half = 1.0 if fs is None else rate(function, fs) / 2
    limit = math.inf if analog else half
    if not all(0 < w < limit for w in passb + stopb):
        upper = (
            "finite" if analog else f"below {half!r}, {'fs/2' if fs else 'the Nyquist frequency'}"
        )
        raise ArgumentError(f"{function}: wp and ws must be positive and {upper}, got {wp}, {ws}")
    inside = len(passb) == 2 and (
        stopb[0] < passb[0] <= passb[1] < stopb[1] or passb[0] < stopb[0] <= stopb[1] < passb[1]
    )
    if strict and len(passb) == 2 and not inside:
        raise ArgumentError(
            f"{function}: the passband must lie strictly inside the stopband's edges or the other "
            f"way round, got wp={wp} and ws={ws}"
        )
    kind = 2 * len(passb) - 1 + (passb[0] >= stopb[0])
    if not analog:
        passb, stopb = ([math.tan(math.pi / 2 * w / half) for w in e] for e in (passb, stopb))
    return _Task(
        function, kind, passb, stopb, gpass, gstop, analog, None if fs is None else 2 * half, where
    )


def _minimum(
    function: str, family: str, wp: Any, ws: Any, gpass: Any, gstop: Any, analog: bool, fs: Any
) -> tuple[int, Any]:
    """Return order and cutoff of a family's filter."""
    task = _task(function, wp, ws, gpass, gstop, analog, fs)
    n, wn = _order_and_cutoff(task, family)
    return n, task.where.give(host().asarray(wn if len(wn) == 2 else wn[0]))


def _order_and_cutoff(task: _Task, family: str) -> tuple[int, list[float]]:
    """Return the order, and cutoffs in the units of the arguments."""
    row = FAMILIES[family]
    assert row.order is not None
    order = functools.partial(row.order, task.gpass, task.gstop)
    passb, nat = _natural(task, order)
    n = _ceil(task, order(nat))
    if n == 0:
        text = f"{task.function}: the order is zero: the edges or losses ask for no filter"
        if row.least > 0:
            raise ArgumentError(text)
        warnings.warn(text, DesignWarning, stacklevel=_level())
    if row.cutoff is not None:
        passb = _stretched(passb, row.cutoff(task.gpass, task.gstop, n), task.kind)
    return n, _unwarped(task, passb)


def _stretched(passb: list[float], ratio: float, kind: int) -> list[float]:
    """Return the edges for which the lowpass filter's is `ratio` times as high."""
    if kind == 1:
        return [ratio * passb[0]]
    if kind == 2:
        return [passb[0] / ratio]
    low, high = passb
    scale = 1 / ratio if kind == 3 else ratio
    root = math.sqrt(scale**2 * (high - low) ** 2 / 4 + high * low)
    return sorted(abs(sign * scale * (high - low) / 2 + root) for sign in (-1, 1))


def _stop_edge(passb: list[float], stopb: list[float]) -> float:
    """Return the nearer edge of a stopband, for the lowpass filter that becomes this one."""
    low, high = passb
    return min(abs(w * (low - high) / (w * w - low * high)) for w in stopb)


def _natural(task: _Task, order: Callable[[float], float]) -> tuple[list[float], float]:
    """Return the passband, and the stopband's edge of the lowpass filter that becomes this one."""
    passb, stopb = task.passb, task.stopb
    if task.kind == 1:
        nat = stopb[0] / passb[0]
    elif task.kind == 2:
        nat = passb[0] / stopb[0]
    elif task.kind == 3:
        low = _least(lambda w: order(_stop_edge([w, passb[1]], stopb)), passb[0], stopb[0] - 1e-12)
        high = _least(lambda w: order(_stop_edge([passb[0], w], stopb)), stopb[1] + 1e-12, passb[1])
        passb = [low, high]
        nat = _stop_edge(passb, stopb)
    else:
        nat = min(abs((w * w - passb[0] * passb[1]) / (w * (passb[0] - passb[1]))) for w in stopb)
    if not nat > 1:
        raise ArgumentError(
            f"{task.function}: the stopband must lie apart from the passband, but its nearest edge "
            f"is at {nat!r} of the passband's. Move wp and ws apart."
        )
    return passb, nat


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the minimizer of a function between two ends, to 1e-5 as in SciPy's search.

    By Brent's method: parabolas where they help, else golden sections (R. P. Brent, Algorithms for
    Minimization Without Derivatives, Prentice Hall 1973, chapter 5).
    """

    def of(w: float) -> float:
        try:
            return function(w)
        except (ValueError, ZeroDivisionError):  # outside of where there is such a filter
            return math.inf

    golden = (3 - math.sqrt(5)) / 2
    best = second = third = low + golden * (high - low)
    at_best = at_second = at_third = of(best)
    step = before = 0.0
    for _ in range(500):
        middle = (low + high) / 2
        tol = math.sqrt(2.2e-16) * abs(best) + 1e-5 / 3
        if abs(best - middle) <= 2 * tol - (high - low) / 2:
            break
        good = False
        if abs(before) > tol:
            r = (best - second) * (at_best - at_third)
            q = (best - third) * (at_best - at_second)
            p, q = (best - third) * q - (best - second) * r, 2 * (q - r)
            p, q = (-p if q > 0 else p), abs(q)
            before, last = step, before
            good = abs(p) < abs(q * last / 2) and q * (low - best) < p < q * (high - best)
            if good:
                step = p / q
                if best + step - low < 2 * tol or high - best - step < 2 * tol:
                    step = math.copysign(tol, middle - best)
        if not good:
            before = (low if best >= middle else high) - best
            step = golden * before
        point = best + (step if abs(step) >= tol else math.copysign(tol, step))
        at = of(point)
        if at <= at_best:
            low, high = (best, high) if point >= best else (low, best)
            third, at_third, second, at_second = second, at_second, best, at_best
            best, at_best = point, at
        else:
            low, high = (point, high) if point < best else (low, point)
            if at <= at_second or second == best:
                third, at_third, second, at_second = second, at_second, point, at
            elif at <= at_third or third in (best, second):
                third, at_third = point, at
    return best


def _ceil(task: _Task, value: float) -> int:
    if not math.isfinite(value):
        raise ArgumentError(
            f"{task.function}: no order is enough for these edges and losses, got gpass="
            f"{task.gpass!r} and gstop={task.gstop!r}"
        )
    return math.ceil(value)


def _unwarped(task: _Task, wn: list[float]) -> list[float]:
    """Return cutoffs in the units of the arguments."""
    if task.analog:
        return wn
    half = 1.0 if task.fs is None else task.fs / 2
    return [math.atan(w) * 2 / math.pi * half for w in wn]
