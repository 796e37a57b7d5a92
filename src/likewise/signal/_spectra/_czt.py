"""The chirp z-transform: a Fourier transform along any part of a spiral."""

import cmath
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace
from ..._namespace import device as device_of
from ..._native import Lines, along, native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...fft import next_fast_len
from .._base._places import complex_of, follows_like, host, number, target

__all__ = ["CZT", "ZoomFFT", "czt", "czt_points", "zoom_fft"]


class CZT:
    """Store the chirps of `czt` for repeated use with signals of one length.

    Parameters
    ----------
    n : int
        The number of elements of a signal.
    m : int, optional
        The number of points. Default: `n`.
    w : complex, optional
        The inverse ratio of consecutive points. Default: points around the whole circle.
    a : complex, optional
        The first point.

    Raises
    ------
    ArgumentError
        If `n` or `m` is not a positive integer, or `w` or `a` is not a number.

    Notes
    -----
    Call the object with an array (and ``axis=``) to get the result of `czt`. The chirps are
    computed on the host in double precision, with squares of indices reduced as integers, so they
    are accurate to the last digits at any length.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import CZT
    >>> CZT(4)(np.asarray([1.0, 0.0, -1.0, 0.0])).real.round(12) + 0.0
    array([0., 2., 0., 2.])
    """

    def __init__(self, n: int, m: int | None = None, w: Any = None, a: Any = 1 + 0j) -> None:
        self.n, self.m = _sizes("CZT", n, m)
        self.a = _number("CZT", "a", a)
        xp, m = host(), self.m
        k = _places(max(self.m, self.n))
        if w is None:
            self.w: complex = cmath.exp(-2j * math.pi / m)
            chirp = xp.exp(-1j * math.pi / m * ((k * k) % (2 * m)))
        else:
            self.w = _number("CZT", "w", w)
            chirp = xp.asarray(self.w, dtype=xp.complex128) ** (k * k / 2)
        start = xp.asarray(self.a, dtype=xp.complex128) ** -k[: self.n]
        self._set(chirp, start)

    def _set(self, chirp: Any, start: Any) -> None:
        xp, n, m = host(), self.n, self.m
        length = next_fast_len(n + m - 1)
        around = xp.concat((xp.flip(chirp[1:n]), chirp[:m]))
        kernel = xp.fft.fft(1 / around, n=length)
        self._held = start * chirp[:n], kernel, chirp[:m], length

    def __call__(self, x: A, *, axis: int = -1) -> A:
        function = type(self).__name__
        xp, x, axis = _planned(function, x, axis)
        if x.shape[axis] != self.n:
            raise ShapeError(
                f"{function}: CZT defined for length {self.n}, got {x.shape[axis]} elements along "
                f"axis {axis}"
            )
        return _transformed(function, xp, x, axis, self._held)

    def points(self) -> Any:
        """Return the points, as `czt_points` does.

        Returns
        -------
        array, shape (m,)
            The points, with the complex dtype and library that `likewise.use` sets.
        """
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """Store the chirps of `zoom_fft` for repeated use with signals of one length.

    Parameters
    ----------
    n : int
        The number of elements of a signal.
    fn : float or sequence of two
        The first and the last frequency; a single number means the range from 0.
    m : int, optional
        The number of frequencies. Default: `n`.
    fs : float, optional
        The sampling rate. With 2, the Nyquist frequency is 1.
    endpoint : bool, optional
        Whether to include the last frequency.

    Raises
    ------
    ArgumentError
        If `n` or `m` is not a positive integer, or `fn` is not one or two numbers.

    Notes
    -----
    As for `CZT`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import ZoomFFT
    >>> abs(ZoomFFT(4, [0.5, 1.5], 3, endpoint=True)(np.asarray([1.0, 0.0, -1.0, 0.0]))).round(12)
    array([2., 0., 2.])
    """

    def __init__(
        self, n: int, fn: Any, m: int | None = None, *, fs: float = 2, endpoint: bool = False
    ) -> None:
        self.n, self.m = _sizes("ZoomFFT", n, m)
        self.f1, self.f2 = _band("ZoomFFT", fn)
        self.fs = number("ZoomFFT", "fs", fs)
        xp = host()
        k = _places(max(self.m, self.n))
        width = (self.f2 - self.f1) / self.fs
        # With a single point and its end, there is no step.
        step = width / max(self.m - 1, 1) if endpoint else width / self.m
        self.w, self.a = (
            cmath.exp(-2j * math.pi * step),
            cmath.exp(2j * math.pi * self.f1 / self.fs),
        )
        start = xp.exp(-2j * math.pi * self.f1 / self.fs * k[: self.n])
        self._set(xp.exp(-1j * math.pi * step * (k * k)), start)


def _places(n: int) -> Any:
    xp = host()
    return xp.arange(n, dtype=xp.int64)


def _sizes(function: str, n: Any, m: Any) -> tuple[int, int]:
    def positive(name: str, value: Any) -> int:
        if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 1:
            raise ArgumentError(
                f"{function}: Invalid number of CZT data points: {name} must be a positive "
                f"integer, got {value!r}"
            )
        return int(value.__index__())

    first = positive("n", n)
    return first, first if m is None else positive("m", m)


def _number(function: str, name: str, value: Any) -> complex:
    try:
        return complex(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{function}: {name} must be one number, got {value!r}") from error


def _band(function: str, fn: Any) -> tuple[float, float]:
    values = fn.tolist() if hasattr(fn, "tolist") else fn
    values = list(values) if isinstance(values, list | tuple) else [values]
    if len(values) not in (1, 2):
        raise ArgumentError(f"{function}: fn must be a scalar or 2-length sequence, got {fn!r}")
    found = [number(function, "fn", f) for f in values]
    return (0.0, found[0]) if len(found) == 1 else (found[0], found[1])


def _planned(function: str, x: Any, axis: Any) -> tuple[Any, Any, int]:
    xp = array_namespace(x)
    (x,) = _plan.common_floating(function, xp, ("x",), x)
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise ArgumentError(f"{function}: axis must be one integer, got {axis!r}")
    return xp, x, _plan.axis_tuple(function, "axis", axis, x.ndim)[0]


@_plan.of_settings
def _chirps(n: int, m: int | None, w: Any, a: Any) -> Any:
    return CZT(n, m, w, a)._held


@_plan.of_settings
def _zoomed(n: int, fn: Any, m: int | None, fs: float, endpoint: bool) -> Any:
    return ZoomFFT(n, fn, m, fs=fs, endpoint=endpoint)._held


def _transformed(function: str, xp: Any, x: Any, axis: int, held: Any) -> Any:
    """Return a transform with the chirps of a `CZT`."""
    _plan.extension(function, xp, "fft")
    dtype, device = complex_of(xp, x.dtype), device_of(x)
    before, kernel, after, length = held
    chirps = [xp.asarray(c, dtype=dtype, device=device) for c in (before, kernel, after)]
    return _chirped(x, axis, chirps[0], chirps[1], chirps[2], length)


def _in_blocks(x: Any, axis: int, before: Any, kernel: Any, after: Any, length: int) -> Lines:
    return along(x, (axis,), [after.shape[0]], dtype=after.dtype)


@native(blocks=_in_blocks)
def _chirped(x: Any, axis: int, before: Any, kernel: Any, after: Any, length: int) -> Any:
    xp = array_namespace(x)
    n, m = before.shape[0], after.shape[0]
    x = xp.moveaxis(xp.astype(x, complex_of(xp, x.dtype)), axis, -1)
    spectrum = xp.fft.fft(x * before, n=length) * kernel
    out = xp.fft.ifft(spectrum, n=length)[..., n - 1 : n + m - 1] * after
    return xp.moveaxis(out, -1, axis)


@public
def czt(x: A, m: int | None = None, w: Any = None, a: Any = 1 + 0j, *, axis: int = -1) -> A:
    """Compute the z-transform at points on a spiral: ``sum_n x[n] z[k]**-n``.

    Parameters
    ----------
    x : array
        A real or complex signal; integers become floating.
    m : int, optional
        The number of points. Default: the number of elements.
    w : complex, optional
        The inverse ratio of consecutive points: ``z[k] = a w**-k``. Default: points around the
        whole circle, which give the result of `likewise.fft.fft`.
    a : complex, optional
        The first point.
    axis : int, optional
        The axis.

    Returns
    -------
    array, shape (..., m, ...)
        The transform, complex; single precision stays single.

    Raises
    ------
    ArgumentError
        If `m` is not a positive integer, the axis is empty, or `w` or `a` is not a number.
    ShapeError
        If there is no such axis.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    Uses two Fourier transforms of n + m - 1 points or a few more (L. R. Rabiner, R. W. Schafer, C.
    M. Rader, Bell Syst. Tech. J. 48, 1249, 1969), and the chirps of `CZT`. Away from the unit
    circle chirps grow, and so do errors. Differentiable in `x`; `w` and `a` must have values.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import czt
    >>> czt(np.asarray([1.0, 0.5, 0.25]), 2, a=2.0).real.round(12)
    array([1.3125, 0.8125])
    """
    xp, x, place = _planned("czt", x, axis)
    return _transformed("czt", xp, x, place, _chirps(x.shape[place], m, w, a))


@public
def zoom_fft(
    x: A, fn: Any, m: int | None = None, *, fs: float = 2, endpoint: bool = False, axis: int = -1
) -> A:
    """Compute the Fourier transform at equally spaced frequencies in a range.

    Parameters
    ----------
    x : array
        A real or complex signal; integers become floating.
    fn : float or sequence of two
        The first and the last frequency; a single number means the range from 0.
    m : int, optional
        The number of frequencies. Default: the number of elements.
    fs : float, optional
        The sampling rate. With 2, the Nyquist frequency is 1.
    endpoint : bool, optional
        Whether to include the last frequency.
    axis : int, optional
        The axis.

    Returns
    -------
    array, shape (..., m, ...)
        The transform, complex; single precision stays single.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `czt`, and if `fn` is not one or two numbers.

    Notes
    -----
    As for `czt`. More points interpolate the spectrum; they don't increase its resolution.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import zoom_fft
    >>> x = np.cos(2 * np.pi * 0.13 * np.arange(100))
    >>> abs(zoom_fft(x, [0.12, 0.14], 5, fs=1.0, endpoint=True)).round(1)
    array([ 0. , 31.4, 50. , 32.3,  0. ])
    """
    xp, x, place = _planned("zoom_fft", x, axis)
    held = _zoomed(x.shape[place], fn, m, fs, endpoint)
    return _transformed("zoom_fft", xp, x, place, held)


@public
@follows_like
def czt_points(
    m: int, w: Any = None, a: Any = 1 + 0j, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return the points of `czt`: ``a w**-k``.

    Parameters
    ----------
    m : int
        The number of points.
    w, a : complex, optional
        As for `czt`.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (m,)
        The points, complex.

    Raises
    ------
    ArgumentError
        If `m` is not a positive integer, or `w` or `a` is not a number.

    Examples
    --------
    >>> from likewise.signal import czt_points
    >>> czt_points(3, w=2.0)
    array([1.  +0.j, 0.5 +0.j, 0.25+0.j])
    """
    ns = host()
    m, _ = _sizes("czt_points", m, None)
    k, first = _places(m), _number("czt_points", "a", a)
    if w is None:
        points = first * ns.exp(2j * math.pi * k / m)
    else:
        ratio = ns.asarray(_number("czt_points", "w", w), dtype=ns.complex128)
        points = first * ratio**-k
    return target("czt_points", xp, device).give(points)
