"""Waveforms: sweeps, pulses, sawtooth and square waves, and an impulse."""

import math
from collections.abc import Callable
from typing import Any, Literal

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, device, is_concrete, is_neutral
from .._native import native, of_one_kind, public
from .._typing import A, Numbers
from ..errors import ArgumentError, ShapeError
from ..special import exprel
from ._base._places import Place, complex_of, follows_like, number, target

__all__ = ["chirp", "gausspulse", "sawtooth", "square", "sweep_poly", "unit_impulse"]

_SHORT = 64  # numbers that are quicker as a list


def _given(function: str, t: Any, **parameters: Any) -> tuple[Any, Any, list[Any]]:
    """Return the namespace, the times, and parameters: numbers as floats, arrays broadcast."""
    arrays = {name: v for name, v in parameters.items() if not _is_number(v)}
    xp = array_namespace(t, *arrays.values())
    t, *rest = _plan.common_floating(function, xp, ("t", *arrays), t, *arrays.values(), real=True)
    if rest:  # which also makes all of them arrays that a transform follows, where one is
        t, *rest = _alike(function, xp, ("t", *arrays), t, *rest)
    found = dict(zip(arrays, rest, strict=True))
    given = [found[k] if k in found else number(function, k, v) for k, v in parameters.items()]
    return xp, t, given


def _is_number(x: Any) -> bool:
    return is_neutral(x) and not isinstance(x, list | tuple)


def _alike(function: str, xp: Any, names: Any, *arrays: Any) -> Any:
    """Return arrays, all traced if one is, of one shape or, after the first, of shape ()."""
    if not any(v.shape for v in arrays[1:]):
        return of_one_kind(*arrays)
    _plan.broadcast(function, **{k: v.shape for k, v in zip(names, arrays, strict=True)})
    return xp.broadcast_arrays(*arrays)


def _holds(condition: Any) -> bool:
    """Tell whether a condition holds for any element, if values are available."""
    if isinstance(condition, bool):
        return condition
    return is_concrete(condition) and bool(array_namespace(condition).any(condition))


# -- sweeps ----------------------------------------------------------------------------------------


def _linear(t: Any, f0: Any, t1: Any, f1: Any, at_start: bool) -> Any:
    return t * (f0 + t * ((f1 - f0) / (2 * t1)))


def _quadratic(t: Any, f0: Any, t1: Any, f1: Any, at_start: bool) -> Any:
    if at_start:
        return t * (f0 + t * t * ((f1 - f0) / (3 * t1 * t1)))
    rise = (f1 - f0) / t1
    return t * (f0 + t * (rise - t * (rise / (3 * t1))))


def _logarithmic(t: Any, f0: Any, t1: Any, f1: Any, at_start: bool) -> Any:
    ratio, xp = f1 / f0, array_namespace(t)
    if not isinstance(ratio, float):
        return f0 * t * exprel(t * (xp.log(ratio) / t1))
    rate = math.log(ratio) / t1
    return xp.expm1(t * rate) * (f0 / rate) if rate else f0 * t


def _hyperbolic(t: Any, f0: Any, t1: Any, f1: Any, at_start: bool) -> Any:
    w = t * ((f0 - f1) / (f1 * t1))
    xp = array_namespace(w)
    constant = w == 0
    safe = xp.where(constant, xp.ones_like(w), w)
    # The logarithm of abs(1 + w), with all digits where w is small.
    ratio = xp.log1p(xp.maximum(safe, -2 - safe)) / safe
    return f0 * t * xp.where(constant, 1 - w / 2, ratio)


# Of each, its names, and the integral of the frequency from 0 to t.
_SWEEPS: tuple[tuple[tuple[str, ...], Callable[..., Any]], ...] = (
    (("linear", "lin", "li"), _linear),
    (("quadratic", "quad", "q"), _quadratic),
    (("logarithmic", "log", "lo"), _logarithmic),
    (("hyperbolic", "hyp"), _hyperbolic),
)
_SWEEP = {name: way for names, way in _SWEEPS for name in names}
Sweep = Literal["linear", "quadratic", "logarithmic", "hyperbolic"]


@public
def chirp(
    t: A | Numbers,
    f0: Any,
    t1: Any,
    f1: Any,
    method: Sweep | str = "linear",
    phi: Any = 0,
    vertex_zero: bool = True,
    *,
    complex: bool = False,
) -> A:
    """Return a cosine whose frequency changes from `f0` at time 0 to `f1` at time `t1`.

    Parameters
    ----------
    t : array
        Times, of any shape.
    f0, t1, f1 : float or array
        Frequencies in cycles per unit of time, and a time; arrays broadcast with `t`.
    method : {'linear', 'quadratic', 'logarithmic', 'hyperbolic'}, optional
        The frequency as a function of time: ``f0 + (f1 - f0) t / t1``; a parabola;
        ``f0 (f1 / f0)^(t / t1)``; or ``f0 f1 t1 / ((f0 - f1) t + f1 t1)``. SciPy's short spellings
        are accepted.
    phi : float or array, optional
        The phase at time 0, in degrees.
    vertex_zero : bool, optional
        Whether the parabola's vertex is at time 0; otherwise it is at `t1`.
    complex : bool, optional
        Whether to return ``exp(1j * phase)`` in place of the cosine.

    Returns
    -------
    array
        The wave, with the broadcast shape and the common floating dtype, or the complex dtype of
        its precision.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not real arrays of one library and device.
    ArgumentError
        If the method is unknown; or, if values are available, if `t1` is zero, or frequencies are
        not valid for the method: zero, or of opposite signs for 'logarithmic'.

    Notes
    -----
    The phase is 2 pi times the integral of the frequency from 0 to t, in a form that is accurate if
    `f0` and `f1` are nearly equal. In single precision its error is about ``f t 1e-7`` of a cycle.
    Elementwise. Differentiable in all arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import chirp
    >>> chirp(np.linspace(0.0, 1.0, 5), f0=1.0, t1=1.0, f1=3.0).round(3) + 0.0
    array([ 1.   , -0.383,  0.   , -0.383,  1.   ])
    """
    _plan.choice("chirp", "method", method, tuple(_SWEEP))
    _, t, (f0, t1, f1, phi) = _given("chirp", t, f0=f0, t1=t1, f1=f1, phi=phi)
    way = _SWEEP[method]
    if _holds(t1 == 0):
        raise ArgumentError("chirp: t1 must not be zero, got a zero")
    if way is _logarithmic and _holds(f0 * f1 <= 0):
        raise ArgumentError(
            "chirp: f0 and f1 must not be zero, and of one sign, for method 'logarithmic', got "
            f"f0 = {f0} and f1 = {f1}"
        )
    if way is _hyperbolic and _holds(f0 * f1 == 0):
        raise ArgumentError(
            f"chirp: f0 and f1 must not be zero for method 'hyperbolic', got f0 = {f0} and f1 = "
            f"{f1}"
        )
    return _swept(t, f0, t1, f1, method, phi, bool(vertex_zero), bool(complex))


@native()
def _swept(
    t: Any, f0: Any, t1: Any, f1: Any, method: str, phi: Any, vertex_zero: bool, complex: bool
) -> Any:
    xp = array_namespace(t)
    phase = math.tau * _SWEEP[method](t, f0, t1, f1, vertex_zero) + phi * (math.pi / 180)
    return xp.cos(phase) + 1j * xp.sin(phase) if complex else xp.cos(phase)


@public
def sweep_poly(t: A | Numbers, poly: Any, phi: Any = 0) -> A:
    """Return a cosine whose frequency is a polynomial of time.

    Parameters
    ----------
    t : array
        Times, of any shape.
    poly : array, shape (n,), or numpy.poly1d
        Coefficients in cycles per unit of time, highest power first.
    phi : float or array, optional
        The phase at time 0, in degrees.

    Returns
    -------
    array
        The wave, with the shape of `t` and the common floating dtype.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not real arrays of one library and device.
    ShapeError
        If `poly` isn't a sequence.

    Notes
    -----
    As `chirp`, by Horner's rule: n products per element. Differentiable in `t`, `poly` and `phi`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import sweep_poly
    >>> sweep_poly(np.linspace(0.0, 1.0, 5), [2.0, 1.0]).round(3) + 0.0
    array([ 1.   , -0.383,  0.   , -0.383,  1.   ])
    """
    poly1d = getattr(poly, "coeffs", None)
    poly = poly if poly1d is None else poly1d.tolist()
    if _is_number(poly):
        raise ShapeError(f"sweep_poly: poly must be a sequence, got {poly!r}")
    names, shift = ("t", "poly", "phi"), [] if _is_number(phi) else [phi]
    xp = array_namespace(t, poly, *shift)
    made: tuple[Any, ...] = _plan.common_floating(
        "sweep_poly", xp, names[: 2 + len(shift)], t, poly, *shift, real=True
    )
    times, factors, *shift = made
    if factors.ndim != 1:
        raise ShapeError(f"sweep_poly: poly must be a sequence, got shape {tuple(factors.shape)}")
    n = factors.shape[0]
    parts = [factors[i] for i in range(n)]
    if shift or not times.shape:  # else numbers of a vector meet the shape
        times, *parts = xp.broadcast_arrays(times, *shift, *parts)
    times, *parts = of_one_kind(times, *parts)
    angle = parts.pop(0) if shift else number("sweep_poly", "phi", phi)
    integral = xp.zeros_like(times)
    for i, c in enumerate(parts):
        integral = integral * times + c / (n - i)
    out: A = xp.cos(math.tau * integral * times + angle * (math.pi / 180))
    return out


# -- pulses ----------------------------------------------------------------------------------------


@public
def gausspulse(
    t: Any,
    fc: Any = 1000,
    bw: Any = 0.5,
    bwr: Any = -6,
    tpr: float = -60,
    retquad: bool = False,
    retenv: bool = False,
) -> Any:
    """Return a cosine with a Gaussian envelope.

    Parameters
    ----------
    t : array or 'cutoff'
        Times, of any shape; 'cutoff' returns the time at which the pulse falls below `tpr`.
    fc : float or array, optional
        The cosine's frequency, in cycles per unit of time; arrays broadcast with `t`.
    bw : float or array, optional
        The width of the spectrum, as a fraction of `fc`.
    bwr : float or array, optional
        The level at which `bw` is measured, negative, in decibels.
    tpr : float, optional
        The level for 'cutoff', negative, in decibels.
    retquad : bool, optional
        Whether to also return the sine with the envelope.
    retenv : bool, optional
        Whether to also return the envelope.

    Returns
    -------
    in_phase : array
        ``exp(-a t^2) cos(2 pi fc t)``, with the broadcast shape and the common floating dtype.
    quadrature : array
        Only with `retquad`.
    envelope : array
        Only with `retenv`.

        For 'cutoff', only a float is returned.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not real arrays of one library and device.
    ArgumentError
        If `fc` is negative, `bw` isn't positive, or `bwr` or `tpr` isn't negative (checked only if
        values are available); or if `t` is another string.

    Notes
    -----
    ``a = (pi fc bw)^2 / (-4 log(10^(bwr / 20)))``, so the Gaussian's transform has the level `bwr`
    at ``fc bw / 2``. Elementwise. Differentiable in all arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import gausspulse
    >>> gausspulse(np.asarray([0.0, 0.1, 0.2]), fc=5.0).round(3)
    array([ 1.   , -0.8  ,  0.409])
    >>> round(gausspulse("cutoff", fc=5.0), 3)
    0.556
    """
    if isinstance(t, str):
        if t != "cutoff":
            raise ArgumentError(f"gausspulse: t must be times or 'cutoff', got {t!r}")
        fc, bw, bwr = (
            number("gausspulse", k, v) for k, v in (("fc", fc), ("bw", bw), ("bwr", bwr))
        )
        a, level = _narrowness(fc, bw, bwr), number("gausspulse", "tpr", tpr)
        if not level < 0:
            raise ArgumentError(f"gausspulse: tpr must be negative, in decibel, got {tpr}")
        return math.sqrt(-level * math.log(10) / 20 / a) if a else math.inf
    xp, t, (fc, bw, bwr) = _given("gausspulse", t, fc=fc, bw=bw, bwr=bwr)
    envelope = xp.exp(t * t * -_narrowness(fc, bw, bwr))
    angle = t * (math.tau * fc)
    out = [envelope * xp.cos(angle)]
    out += [envelope * xp.sin(angle)] if retquad else []
    out += [envelope] if retenv else []
    return tuple(out) if len(out) > 1 else out[0]


def _narrowness(fc: Any, bw: Any, bwr: Any) -> Any:
    """Return a of the Gaussian exp(-a t^2)."""
    for name, wrong, kind, value in (
        ("fc", fc < 0, "at least 0", fc),
        ("bw", bw <= 0, "positive", bw),
        ("bwr", bwr >= 0, "negative, in decibel", bwr),
    ):
        if _holds(wrong):
            raise ArgumentError(f"gausspulse: {name} must be {kind}, got {value}")
    half = math.pi * fc * bw
    return half * half * 5 / (-math.log(10) * bwr)


# -- waves -----------------------------------------------------------------------------------------


def _cycle(function: str, t: Any, name: str, w: Any) -> tuple[Any, Any, Any, Any]:
    """Return the namespace, times in a cycle, the fraction, and NaN where it is invalid, else 0."""
    xp, t, (w,) = _given(function, t, **{name: w})
    w = xp.asarray(w, dtype=t.dtype, device=device(t)) if isinstance(w, float) else w
    nan = xp.asarray(math.nan, dtype=t.dtype, device=device(t))
    return xp, t % math.tau, w, xp.where((w >= 0) & (w <= 1), xp.zeros_like(w), nan)


@public
def sawtooth(t: A | Numbers, width: Any = 1) -> A:
    """Return a wave that rises from -1 to 1 and falls to -1 again, with a period of 2 pi.

    Parameters
    ----------
    t : array
        Times, of any shape.
    width : float or array, optional
        The rising fraction of a period, from 0 to 1: 1 for a sawtooth, 0.5 for a triangle. An array
        broadcasts with `t`.

    Returns
    -------
    array
        The wave, with the broadcast shape and the common floating dtype; NaN where `width` is not
        in [0, 1].

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not real arrays of one library and device.

    Notes
    -----
    Elementwise. Differentiable in `t` and an array `width`, except at the edges. A sampled wave
    has aliases of frequencies above the Nyquist frequency.

    Differs from SciPy: single precision stays single; if rounding moves a time just before 0 to the
    end of a cycle, a wave that only rises is 1 and not NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import sawtooth
    >>> sawtooth(np.asarray([0.0, 1.0, 2.0, 3.0, 4.0]) * (np.pi / 2), 0.5)
    array([-1.,  0.,  1.,  0., -1.])
    """
    xp, phase, w, valid = _cycle("sawtooth", t, "width", width)
    up = (phase < w * math.tau) | (w == 1)
    one = xp.ones_like(w)
    rising = phase / (math.pi * xp.where(up, w, one)) - 1
    falling = (math.pi * (w + 1) - phase) / (math.pi * xp.where(up, one, 1 - w))
    out: A = xp.where(up, rising, falling) + valid
    return out


@public
def square(t: A | Numbers, duty: Any = 0.5) -> A:
    """Return a square wave with a period of 2 pi: 1 for a part of it, then -1.

    Parameters
    ----------
    t : array
        Times, of any shape.
    duty : float or array, optional
        The fraction of a period with the value 1, from 0 to 1. An array broadcasts with `t`.

    Returns
    -------
    array
        The wave, with the broadcast shape and the common floating dtype; NaN where `duty` is not in
        [0, 1].

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not real arrays of one library and device.

    Notes
    -----
    Elementwise. The derivative is 0 except at the edges. A sampled wave has aliases of frequencies
    above the Nyquist frequency.

    Differs from SciPy: single precision stays single.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import square
    >>> square(np.asarray([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    array([ 1.,  1.,  1.,  1., -1., -1., -1.])
    """
    xp, phase, w, valid = _cycle("square", t, "duty", duty)
    out: A = 2 * xp.astype(phase < w * math.tau, phase.dtype) - 1 + valid
    return out


# -- an impulse ------------------------------------------------------------------------------------


@public
@follows_like
def unit_impulse(
    shape: int | tuple[int, ...],
    idx: Any = None,
    dtype: Any = float,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return an array of zeros with a single one.

    Parameters
    ----------
    shape : int or tuple of ints
        The shape.
    idx : int, tuple of ints, 'mid' or None, optional
        The index of the one: the same along all axes, one for each axis, or ``shape // 2``.
        Default: the first element.
    dtype : dtype, optional
        A dtype of the library, its name in the standard, or ``float``, ``complex``, ``int`` or
        ``bool`` for the library's default.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array

    Raises
    ------
    ArgumentError
        If sizes are not nonnegative integers, or the library has no such dtype.
    IndexError
        If an index is out of range.

    Notes
    -----
    Takes numbers; not differentiable. O(size) operations.

    Differs from SciPy: `idx` can't be a list of indices or a slice.

    Examples
    --------
    >>> from likewise.signal import unit_impulse
    >>> unit_impulse(5, "mid")
    array([0., 0., 1., 0., 0.])
    """
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(hasattr(n, "__index__") and n.__index__() >= 0 for n in sizes):
        raise ArgumentError(f"unit_impulse: shape must be nonnegative integers, got {shape!r}")
    sizes = tuple(int(n.__index__()) for n in sizes)
    where = target("unit_impulse", xp, device)
    ns, made = where.xp, _dtype(where, dtype)
    places = _at(sizes, idx)
    if len(sizes) == 1 and sizes[0] <= _SHORT:
        row = [0] * sizes[0]
        if row:
            row[places[0]] = 1
        return ns.asarray(row, dtype=made, device=where.device)
    one = ns.ones(sizes, dtype=ns.bool, device=where.device)
    for axis, i in enumerate(places):
        there = ns.arange(sizes[axis], device=where.device) == i
        one = one & ns.reshape(there, (-1,) + (1,) * (len(sizes) - axis - 1))
    return ns.astype(one, made)


def _at(sizes: tuple[int, ...], idx: Any) -> list[int]:
    """Return the nonnegative index along each axis."""
    if idx is None:
        idx = 0
    if isinstance(idx, str) and idx == "mid":
        idx = tuple(n // 2 for n in sizes)
    places = idx if isinstance(idx, tuple) else (idx,) * len(sizes)
    if len(places) != len(sizes) or not all(
        hasattr(i, "__index__") and -n <= i.__index__() < n
        for i, n in zip(places, sizes, strict=False)
    ):
        raise IndexError(
            f"unit_impulse: idx must be a place in an array of shape {sizes}, 'mid' or None, got "
            f"{idx!r}"
        )
    return [int(i.__index__()) % n for i, n in zip(places, sizes, strict=True)]


def _dtype(where: Place, dtype: Any) -> Any:
    xp = where.xp
    if dtype is float or dtype is None:
        return where.dtype
    if dtype is complex:
        return complex_of(xp, where.dtype)
    if dtype is int:
        return default_floating(xp, where.device, kind="integral")
    name = "bool" if dtype is bool else dtype
    found = getattr(xp, name, None) if isinstance(name, str) else name
    if found is None:
        raise ArgumentError(f"unit_impulse: dtype must be one of the library's, got {dtype!r}")
    return found
