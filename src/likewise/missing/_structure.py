"""Padding, windows, products, rotations, angles and comparisons, as NumPy has them."""

import math
from collections.abc import Sequence
from typing import Any, Literal

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, device, is_neutral
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._axes import as_given, index_dtype, is_floating, last_to, numeric

__all__ = [
    "allclose",
    "angle",
    "array_equal",
    "deg2rad",
    "isclose",
    "kron",
    "pad",
    "rad2deg",
    "rot90",
    "sliding_window_view",
]

Mode = Literal["constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap"]
_MODES = ("constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap")


# -- padding and windows ---------------------------------------------------------------------------


@public
def pad(
    array: A,
    pad_width: Any,
    mode: Mode | str = "constant",
    *,
    constant_values: float = 0,
    end_values: float = 0,
) -> A:
    """Add elements before and after an array.

    Parameters
    ----------
    array : array
        Of any dtype.
    pad_width : int, (before, after) or sequence of such pairs
        The number of elements to add: on both sides, before and after for all axes, or for each
        axis.
    mode : {'constant', 'edge', 'linear_ramp', 'reflect', 'symmetric', 'wrap'}, optional
        The elements to add. 'constant': `constant_values`; 'edge': the last element; 'linear_ramp':
        a ramp down to `end_values`; 'reflect', 'symmetric': the mirror image without or with the
        last element; 'wrap': the other end.
    constant_values, end_values : number, optional
        The constant, and the end of the ramp.

    Returns
    -------
    array
        Of the dtype of `array`.

    Raises
    ------
    ArgumentError
        If widths are negative or not of that form, or there is no such mode.
    ShapeError
        If an axis without elements is extended in another mode than 'constant'.

    Notes
    -----
    A copy for each axis that grows. Differentiable.

    Differs from NumPy: one constant and one end value for all sides; `mode` can't be a function or
    a statistic.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import pad
    >>> pad(np.asarray([1, 2, 3]), (2, 1), mode="reflect")
    array([3, 2, 1, 2, 3, 2])
    """
    xp = array_namespace(array)
    x = numeric("pad", xp, "array", array)
    _plan.choice("pad", "mode", mode, _MODES)
    widths = _widths(pad_width, x.ndim)
    if not widths:  # there is nothing to extend, whatever the width
        return xp.asarray(x, copy=True)
    for axis, ends in enumerate(widths):
        if mode != "constant" and x.shape[axis] == 0 and ends != (0, 0):
            raise ShapeError(f"pad: axis {axis} has no elements to extend it by, mode {mode!r}")
    if mode in ("constant", "linear_ramp"):
        names = {"constant": "constant_values", "linear_ramp": "end_values"}
        value = constant_values if mode == "constant" else end_values
        if is_neutral(value):
            _plan.fits("pad", names[mode], xp, value, x.dtype)
    if mode == "constant":
        return _pad_constant(x, widths, constant_values)
    if mode == "linear_ramp":
        return _pad_ramp(x, widths, end_values)
    return _pad_copies(x, widths, mode)


@native(
    numpy="likewise._libs.numpy._natives:pad_constant",
    torch="likewise._libs.torch._natives:pad_constant",
    jax="likewise._libs.jax._natives:pad_constant",
)
def _pad_constant(x: Any, widths: tuple[tuple[int, int], ...], value: Any) -> Any:
    xp = array_namespace(x)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            x = _between(xp, x, axis, before, after, value)
    return x


def _of_floating(x: Any, *args: Any) -> bool:
    """floating arrays; libraries round ramps of integers in ways of their own."""
    return is_floating(array_namespace(x), x)


@native(
    numpy="likewise._libs.numpy._natives:pad_ramp",
    when=_of_floating,
)
def _pad_ramp(x: Any, widths: tuple[tuple[int, int], ...], end: Any) -> Any:
    xp = array_namespace(x)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            x = _ramped(xp, x, axis, before, after, end)
    return x


def _near(x: Any, widths: tuple[tuple[int, int], ...], mode: str) -> bool:
    """floating arrays of one to three dimensions, and copies from once around."""
    if not 1 <= x.ndim <= 3 or not _of_floating(x) or mode == "symmetric":
        return False
    if mode == "edge":
        return True
    reach = 1 if mode == "reflect" else 0
    for pair, n in zip(widths, x.shape, strict=True):
        if pair[0] + reach > n or pair[1] + reach > n:
            return False
    return True


@native(
    numpy="numpy:pad",
    torch="likewise._libs.torch._natives:pad_copies",
    jax="jax.numpy:pad",
    when={"torch": _near},
)
def _pad_copies(x: Any, widths: tuple[tuple[int, int], ...], mode: str) -> Any:
    xp = array_namespace(x)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            n = x.shape[axis]
            low, high = _places(xp, x, n, -before, 0, mode), _places(xp, x, n, n, n + after, mode)
            low, high = (xp.take(x, i, axis=axis) for i in (low, high))
            x = xp.concat([low, x, high], axis=axis)
    return x


def _widths(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """A pair for each axis."""
    error = ArgumentError(
        "pad: pad_width must be an integer, a pair of them, or a pair for each of "
        f"{ndim} axes, none negative, got {pad_width!r}"
    )
    try:
        if hasattr(pad_width, "__index__"):
            pairs = [(pad_width.__index__(),) * 2] * ndim
        elif all(hasattr(w, "__index__") for w in pad_width):
            both = tuple(w.__index__() for w in pad_width)
            pairs = [both * 2 if len(both) == 1 else both] * ndim
        else:
            pairs = [tuple(w.__index__() for w in pair) for pair in pad_width]
            pairs = pairs * ndim if len(pairs) == 1 else pairs
    except (TypeError, AttributeError):
        raise error from None
    if len(pairs) != ndim or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise error
    return tuple((p[0], p[1]) for p in pairs)


def _between(xp: Any, x: Any, axis: int, before: int, after: int, value: Any) -> Any:
    def block(n: int) -> list[Any]:
        shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])
        return [xp.full(shape, value, dtype=x.dtype, device=device(x))] if n else []

    return xp.concat([*block(before), x, *block(after)], axis=axis)


def _places(xp: Any, x: Any, n: int, start: int, stop: int, mode: str) -> Any:
    """Tell which of n elements are copied to the places outside."""
    i = xp.arange(start, stop, dtype=index_dtype(xp, x), device=device(x))
    if mode == "edge" or n == 1:
        return xp.clip(i, 0, n - 1)
    if mode == "wrap":
        return i % n
    last = 2 * n - 1 if mode == "symmetric" else 2 * n - 2
    i = i % (2 * n if mode == "symmetric" else 2 * n - 2)
    return xp.where(i < n, i, last - i)


def _ramped(xp: Any, x: Any, axis: int, before: int, after: int, end: Any) -> Any:
    """Add ramps from the ends of an axis to a number; integers are rounded down."""
    x = xp.moveaxis(x, (axis,), (-1,)) if axis != x.ndim - 1 else x
    exact = xp.isdtype(x.dtype, "integral") and hasattr(end, "__index__")
    if is_floating(xp, x):
        dtype = x.dtype
    else:
        dtype = index_dtype(xp, x) if exact else default_floating(xp, device(x))

    def ramp(edge: Any, n: int) -> Any:
        k = xp.arange(n, dtype=dtype, device=device(x))
        edge = edge if edge.dtype == dtype else xp.astype(edge, dtype)
        if exact:
            rise, n = edge - int(end), max(n, 1)
            steep = rise // n  # apart, lest products overflow
            out = int(end) + steep * k + (rise - steep * n) * k // n
        else:
            out = end + (edge - end) * (k / max(n, 1))
            out = out if x.dtype == dtype else xp.floor(out)
        return out if x.dtype == dtype else xp.astype(out, x.dtype)

    low, high = ramp(x[..., :1], before), ramp(x[..., -1:], after)
    return last_to(xp.concat([low, x, xp.flip(high, axis=-1)], axis=-1), axis)


@public
def sliding_window_view(
    x: A, window_shape: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> A:
    """Return all windows of neighbouring elements, as new last axes.

    Parameters
    ----------
    x : array
        Of any dtype.
    window_shape : int or sequence of int
        The size w of the windows along each axis, at least 1.
    axis : int or sequence of int, optional
        The axes to slide along, of n elements. Default: all, each of which needs a size.

    Returns
    -------
    array
        A copy. The axes have n - w + 1 elements each; new axes at the end have w elements each.

    Raises
    ------
    ArgumentError
        If sizes are no positive integers, or their number isn't that of the axes.
    ShapeError
        If a window is longer than its axis.

    Notes
    -----
    Takes the memory of the input times the sizes of the windows. Differentiable.

    Differs from NumPy: a copy; axes are distinct.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import sliding_window_view
    >>> sliding_window_view(np.asarray([1, 2, 3, 4]), 3)
    array([[1, 2, 3],
           [2, 3, 4]])
    """
    xp = array_namespace(x)
    y = numeric("sliding_window_view", xp, "x", x)
    given: Any = window_shape
    sizes = tuple(given) if isinstance(given, tuple | list) else (given,)
    places: Any = tuple(range(y.ndim)) if axis is None else axis
    places = tuple(places) if isinstance(places, tuple | list) else (places,)
    _plan.axis_tuple("sliding_window_view", "axis", axis, y.ndim)
    if len(sizes) != len(places):
        raise ArgumentError(
            f"sliding_window_view: as many sizes as axes were expected, got {window_shape!r} for "
            f"{len(places)} axes"
        )
    ndim = y.ndim
    for window, place in zip(sizes, places, strict=True):
        place = place % ndim
        y = _windows(y, _window(y.shape[place], window), place)
    return y


def _window(n: int, window: Any) -> int:
    # A size that torch.compile has made a symbol is an int, and has no __index__.
    whole = isinstance(window, int) or hasattr(window, "__index__")
    if isinstance(window, bool) or not whole or window < 1:
        raise ArgumentError(
            f"sliding_window_view: window_shape must be positive integers, got {window!r}"
        )
    size = window if isinstance(window, int) else window.__index__()
    if n < size:
        raise ShapeError(f"sliding_window_view: window {window} is longer than the axis, got {n}")
    return size


@native(
    numpy="likewise._libs.numpy._natives:windows", torch="likewise._libs.torch._natives:windows"
)
def _windows(y: Any, window: int, a: int) -> Any:
    xp = array_namespace(y)
    y = xp.moveaxis(y, (a,), (-1,)) if a != y.ndim - 1 else y
    length = y.shape[-1] - window + 1
    j = xp.arange(length, dtype=index_dtype(xp, y), device=device(y))
    k = xp.arange(window, dtype=index_dtype(xp, y), device=device(y))
    index = xp.reshape(j[:, None] + k[None, :], (-1,))
    out = xp.reshape(xp.take(y, index, axis=-1), (*y.shape[:-1], length, window))
    return xp.moveaxis(out, (-2,), (a,)) if a != out.ndim - 2 else out


# -- products and rotations ------------------------------------------------------------------------


@public
def kron(a: A, b: Any) -> A:
    """Compute the Kronecker product: every element of one array times the other array.

    Parameters
    ----------
    a, b : array
        Of numbers; the one with fewer dimensions gets leading ones of size 1.

    Returns
    -------
    array
        Sizes are products of sizes; the dtype is the common one.

    Raises
    ------
    DtypeError
        If they don't hold numbers.

    Notes
    -----
    One multiplication per element. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import kron
    >>> kron(np.asarray([1, 10]), np.asarray([1, 2]))
    array([ 1,  2, 10, 20])
    """
    xp = array_namespace(a, b)
    return _kron(*_plan.common_numbers("kron", xp, ("a", "b"), a, b))


@native()
def _kron(x: Any, y: Any) -> Any:
    xp = array_namespace(x)
    ndim = max(x.ndim, y.ndim)
    s = (1,) * (ndim - x.ndim) + tuple(x.shape)
    t = (1,) * (ndim - y.ndim) + tuple(y.shape)
    if 0 in s or 0 in t:  # which Dask can't reshape
        shape = tuple(m * n for m, n in zip(s, t, strict=True))
        return xp.zeros(shape, dtype=x.dtype, device=device(x))
    x = xp.reshape(x, tuple(n for m in s for n in (m, 1)))
    y = xp.reshape(y, tuple(n for m in t for n in (1, m)))
    out = xp.logical_and(x, y) if x.dtype == xp.bool else x * y
    return xp.reshape(out, tuple(m * n for m, n in zip(s, t, strict=True)))


@public
def rot90(m: A, k: int = 1, axes: Sequence[int] = (0, 1)) -> A:
    """Rotate by quarter turns in the plane of two axes.

    Parameters
    ----------
    m : array
        Of at least two dimensions.
    k : int, optional
        The number of turns, from the first axis towards the second.
    axes : (int, int), optional
        Two different axes.

    Returns
    -------
    array
        The rotated array; it may share memory with `m`.

    Raises
    ------
    ArgumentError
        If `axes` aren't two different ones.
    ShapeError
        If one is out of range.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import rot90
    >>> rot90(np.asarray([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    xp = array_namespace(m)
    x = numeric("rot90", xp, "m", m)
    if len(_plan.axis_tuple("rot90", "axes", axes, x.ndim)) != 2:
        raise ArgumentError(f"rot90: axes must be two that differ, got {axes!r}")
    i, j = (a % x.ndim for a in axes)
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return xp.flip(x, axis=(i, j))
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    if turns == 1:
        return xp.permute_dims(xp.flip(x, axis=j), tuple(order))
    return xp.flip(xp.permute_dims(x, tuple(order)), axis=j)


# -- angles ----------------------------------------------------------------------------------------


@public
def angle(z: A, deg: bool = False) -> A:
    """Return the angle of complex numbers.

    Parameters
    ----------
    z : array
        Complex or real.
    deg : bool, optional
        Whether to return degrees instead of radians.

    Returns
    -------
    array
        Real, between -pi and pi.

    Raises
    ------
    DtypeError
        If `z` doesn't hold numbers.

    Notes
    -----
    Differentiable except at 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import angle
    >>> angle(np.asarray([1.0, 1j]), deg=True)
    array([ 0., 90.])
    """
    xp = array_namespace(z)
    (x,) = _plan.common_floating("angle", xp, ("z",), z, sized=False)
    return _angle(x, deg)


@native()
def _angle(x: Any, deg: bool) -> Any:
    xp = array_namespace(x)
    whole = _plan.is_complex(xp, x.dtype)
    out = xp.atan2(xp.imag(x), xp.real(x)) if whole else xp.atan2(xp.zeros_like(x), x)
    return as_given(out * (180 / math.pi) if deg else out)


@public
def deg2rad(x: A) -> A:
    """Convert degrees to radians.

    Parameters
    ----------
    x : array
        Real.

    Returns
    -------
    array
        Of the shape of `x`; floating dtypes are kept.

    Raises
    ------
    DtypeError
        If `x` is complex.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import deg2rad
    >>> deg2rad(np.asarray([0.0, 180.0]))
    array([0.        , 3.14159265])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("deg2rad", xp, ("x",), x, real=True, sized=False)
    return _times(x, math.pi / 180)


@public
def rad2deg(x: A) -> A:
    """Convert radians to degrees.

    Parameters
    ----------
    x : array
        Real.

    Returns
    -------
    array
        Of the shape of `x`; floating dtypes are kept.

    Raises
    ------
    DtypeError
        If `x` is complex.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import rad2deg
    >>> rad2deg(np.asarray([0.0, np.pi]))
    array([  0., 180.])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("rad2deg", xp, ("x",), x, real=True, sized=False)
    return _times(x, 180 / math.pi)


@native()
def _times(x: Any, factor: float) -> Any:
    return as_given(x * factor)


# -- comparisons -----------------------------------------------------------------------------------


@public
def isclose(a: A, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> A:
    """Tell which elements are equal within a tolerance, ``abs(a - b) <= atol + rtol * abs(b)``.

    Parameters
    ----------
    a, b : array
        Of numbers; they broadcast.
    rtol, atol : number, optional
        The relative and the absolute tolerance.
    equal_nan : bool, optional
        Whether NaNs count as equal.

    Returns
    -------
    array of bool
        An infinity is close only to one of the same sign.

    Raises
    ------
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    A few passes. Integers are compared as floating numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import isclose
    >>> isclose(np.asarray([1.0, 2.0]), np.asarray([1.0 + 1e-9, 2.1]))
    array([ True, False])
    """
    xp = array_namespace(a, b)
    x, y = _plan.compared("isclose", xp, ("a", "b"), a, b, floating=True)
    _plan.broadcast("isclose", a=tuple(x.shape), b=tuple(y.shape))
    return _isclose(x, y, rtol, atol, equal_nan)


@native(numpy="numpy:isclose")
def _isclose(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    xp = array_namespace(x)
    finite = xp.isfinite(x) & xp.isfinite(y)
    # Infinities are compared separately, as their differences are NaN.
    u, v = (xp.where(finite, z, xp.zeros_like(z)) for z in (x, y))
    close = xp.where(finite, xp.abs(u - v) <= atol + rtol * xp.abs(v), x == y)
    return as_given(close | (xp.isnan(x) & xp.isnan(y)) if equal_nan else close)


@public
def allclose(a: A, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> A:
    """Tell whether all elements are equal within a tolerance.

    Parameters
    ----------
    a, b, rtol, atol, equal_nan : array, array, number, number, bool
        As for `isclose`.

    Returns
    -------
    array of bool, shape ()
        An array, not Python's bool, so that it can be compiled; on NumPy, NumPy's bool.

    Raises
    ------
    ShapeError
        If shapes don't broadcast.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import allclose
    >>> bool(allclose(np.asarray([1.0, 2.0]), np.asarray([1.0, 2.0 + 1e-9])))
    True
    """
    xp = array_namespace(a, b)
    x, y = _plan.compared("allclose", xp, ("a", "b"), a, b, floating=True)
    _plan.broadcast("allclose", a=tuple(x.shape), b=tuple(y.shape))
    return _allclose(x, y, rtol, atol, equal_nan)


@native()
def _allclose(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    xp = array_namespace(x)
    return as_given(xp.all(_isclose(x, y, rtol, atol, equal_nan)))


@public
def array_equal(a1: A, a2: Any, equal_nan: bool = False) -> A:
    """Tell whether two arrays have the same shape and the same elements.

    Parameters
    ----------
    a1, a2 : array
        Of numbers.
    equal_nan : bool, optional
        Whether NaNs count as equal.

    Returns
    -------
    array of bool, shape ()
        An array, not Python's bool, so that it can be compiled; on NumPy, NumPy's bool.

    Raises
    ------
    DtypeError
        If they don't hold numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import array_equal
    >>> bool(array_equal(np.asarray([1, 2]), np.asarray([1, 2])))
    True
    """
    xp = array_namespace(a1, a2)
    if not is_neutral(a1) and not is_neutral(a2) and _other_integers(xp, a1, a2):
        return _integers_equal(xp, a1, a2)
    x, y = _plan.compared("array_equal", xp, ("a1", "a2"), a1, a2)
    return _array_equal(x, y, equal_nan)


def _other_integers(xp: Any, x: Any, y: Any) -> bool:
    one, two = getattr(x, "dtype", None), getattr(y, "dtype", None)
    if one is None or two is None or one == two:
        return False
    return bool(xp.isdtype(one, "integral") and xp.isdtype(two, "integral"))


def _integers_equal(xp: Any, x: Any, y: Any) -> Any:
    """Compare integers of two dtypes, which may have no common dtype that holds both."""
    signed = [v for v in (x, y) if xp.isdtype(v.dtype, "signed integer")]
    dtype = index_dtype(xp, x)
    out = _array_equal(xp.astype(x, dtype), xp.astype(y, dtype), False)
    if len(signed) == 1:  # what is too large for the signed dtype has become negative
        out = out & xp.all(signed[0] >= 0)
    return out


@native()
def _array_equal(x: Any, y: Any, equal_nan: bool) -> Any:
    xp = array_namespace(x)
    if tuple(x.shape) != tuple(y.shape):
        return as_given(xp.zeros((), dtype=xp.bool, device=device(x)))
    same = x == y
    if equal_nan and is_floating(xp, x):
        same = same | (xp.isnan(x) & xp.isnan(y))
    return as_given(xp.all(same))
