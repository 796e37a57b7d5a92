"""Points on logarithmic scales, differences, rounding."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, is_concrete, is_neutral, quiet
from .._namespace import device as device_of
from .._native import native, public
from .._standard import DTYPES
from .._typing import A, Numbers
from ..errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from ..interop import asarray
from ._axes import as_given
from ._segments import index_dtype, numbers, size_of

__all__ = ["diff", "geomspace", "logspace", "round"]

# -- logarithmic scales ----------------------------------------------------------------------------


def _plan_points(
    function: str, names: Any, values: list[Any], num: Any, axis: Any, options: dict[str, Any]
) -> tuple[Any, list[Any], int, int]:
    """Namespace, floating arrays, their number and the place of the new axis."""
    for name, value in zip(names, values, strict=True):
        if value is None:
            raise ArrayTypeError(
                f"{function}: argument {name!r} must be an array or a number, got None"
            )
    if any(option is not None for option in options.values()):
        if options["like"] is not None and options["namespace"] is not None:
            raise ArgumentError(f"{function}: give either like or namespace, not both")
        # If only scalars are given, the first one determines the library and device.
        alone = all(is_neutral(v) for v in values)
        values = [
            asarray(_floating(v), **options) if alone or not is_neutral(v) else v for v in values
        ]
    elif all(is_neutral(v) for v in values):
        values = [asarray(_floating(values[0])), *values[1:]]
    xp = array_namespace(*values)
    arrays = list(_plan.common_floating(function, xp, names, *values))
    count = size_of(function, "num", num)
    shape = _plan.broadcast(
        function, **{n: tuple(a.shape) for n, a in zip(names, arrays, strict=True)}
    )
    (place,) = _plan.axis_tuple(function, "axis", axis, len(shape) + 1)
    return xp, arrays, count, place


def _floating(value: Any) -> Any:
    """A number with a point, so that it becomes of the default floating dtype."""
    return float(value) if isinstance(value, int) else value


def _own_dtype(function: str, xp: Any, dtype: Any) -> Any:
    if not isinstance(dtype, str):
        return dtype
    if dtype not in DTYPES:
        raise ArgumentError(f"{function}: {dtype!r} isn't a dtype of the array API standard")
    return getattr(xp, dtype)


def _cast(xp: Any, x: Any, dtype: Any) -> Any:
    return x if dtype is None or x.dtype == dtype else xp.astype(x, dtype)


def _spread(xp: Any, start: Any, stop: Any, num: int, endpoint: bool) -> tuple[Any, Any]:
    """Evenly spaced points along a new first axis, and their numbers, which broadcast with them."""
    ndim = max(start.ndim, stop.ndim)
    where = device_of(start)
    counts = xp.arange(num, dtype=index_dtype(xp, where), device=where)
    counts = xp.reshape(counts, (num,) + (1,) * ndim)
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    y = start + xp.astype(counts, start.dtype) * step
    if endpoint and num > 1:
        y = xp.where(counts == num - 1, stop, y)
    return y, counts


def _first_to(xp: Any, x: Any, axis: int) -> Any:
    # torch.func has no rule for moveaxis of integers.
    return xp.moveaxis(x, (0,), (axis,)) if axis else x


@public
def logspace(
    start: A | Numbers,
    stop: A | Numbers,
    num: int = 50,
    endpoint: bool = True,
    base: A | Numbers = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    namespace: str | None = None,
    device: Any = None,
    like: Any = None,
) -> A:
    """Return numbers that are evenly spaced on a logarithmic scale.

    Parameters
    ----------
    start, stop : array or number
        Exponents of the first and of the last number, real or complex; they broadcast.
    num : int, optional
        The number of points.
    endpoint : bool, optional
        Whether ``base ** stop`` is the last of them; otherwise it would be the next.
    base : array or number, optional
        The base; it broadcasts with `start` and `stop`.
    dtype : dtype or str, optional
        The dtype of the result. Default: the common floating dtype of the arrays.
    axis : int, optional
        The position of the new axis in the result.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result. Default: that of `like`, else that of the arrays, else the
        default namespace (`likewise.use`).
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object.
    like : array, optional
        An array; the result has its library and device.

    Returns
    -------
    array
        With a new axis of size `num`.

    Raises
    ------
    ArgumentError
        If `num` is negative or no integer, if there is no such dtype, or both `like` and
        `namespace` are given.
    ShapeError
        If shapes don't broadcast, or there is no such axis.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Notes
    -----
    One power per element, computed in the floating dtype of the arrays and cast to `dtype` at the
    end. Differentiable with respect to `start`, `stop` and `base`.

    Examples
    --------
    >>> from likewise.missing import logspace
    >>> logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    """
    options = {"namespace": namespace, "device": device, "like": like}
    names = ("start", "stop", "base")
    values = [start, stop, base]
    xp, arrays, count, place = _plan_points("logspace", names, values, num, axis, options)
    own = _own_dtype("logspace", xp, dtype)
    first, last, base_array = arrays
    out = _logspace(first, last, count, bool(endpoint), base_array, None, place)
    return _cast(xp, out, own)


def _one_base(start: Any, stop: Any, num: int, endpoint: bool, base: Any, *args: Any) -> bool:
    """one base for all."""
    return bool(base.ndim == 0)


@native(numpy="numpy:logspace", when=_one_base)
def _logspace(
    start: Any, stop: Any, num: int, endpoint: bool, base: Any, dtype: None, axis: int
) -> Any:
    """`dtype` is there for NumPy's signature."""
    xp = array_namespace(start)
    y, _ = _spread(xp, start, stop, num, endpoint)
    if base.ndim >= y.ndim:  # the new axis is in front of what `base` broadcasts to
        y = xp.reshape(y, (num, *(1,) * (base.ndim + 1 - y.ndim), *y.shape[1:]))
    return _first_to(xp, xp.pow(base, y), axis)


@public
def geomspace(
    start: A | Numbers,
    stop: A | Numbers,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    *,
    namespace: str | None = None,
    device: Any = None,
    like: Any = None,
) -> A:
    """Return a geometric sequence: each number is the same multiple of the previous one.

    Parameters
    ----------
    start, stop : array or number
        The first and the last number, not zero; they broadcast. Real ones must have the same sign;
        complex ones lie on a logarithmic spiral.
    num : int, optional
        The number of points.
    endpoint : bool, optional
        Whether `stop` is the last of them; otherwise it would be the next.
    dtype : dtype or str, optional
        The dtype of the result. Default: the common floating dtype of the arrays.
    axis : int, optional
        The position of the new axis in the result.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result. Default: that of `like`, else that of the arrays, else the
        default namespace (`likewise.use`).
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object.
    like : array, optional
        An array; the result has its library and device.

    Returns
    -------
    array
        With a new axis of size `num`. The first number is exactly `start`, the last one exactly
        `stop`.

    Raises
    ------
    ArgumentError
        If there is a zero, where values can be read (elsewhere it gives NaN); if `num` is negative
        or no integer, if there is no such dtype, or both `like` and `namespace` are given.
    ShapeError
        If shapes don't broadcast, or there is no such axis.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Notes
    -----
    One power per element. Real numbers of different signs give NaN. Differentiable.

    Differs from NumPy: arrays of single precision give single precision.

    Examples
    --------
    >>> from likewise.missing import geomspace
    >>> geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    >>> geomspace(1j, 16j, 5)
    array([0. +1.j, 0. +2.j, 0. +4.j, 0. +8.j, 0.+16.j])
    """
    options = {"namespace": namespace, "device": device, "like": like}
    names = ("start", "stop")
    xp, arrays, count, place = _plan_points("geomspace", names, [start, stop], num, axis, options)
    for name, x in zip(names, arrays, strict=True):
        if is_concrete(x) and bool(xp.any(x == 0)):
            raise ArgumentError(f"geomspace: {name} must not be zero, got a zero")
    own = _own_dtype("geomspace", xp, dtype)
    inner = arrays[0].dtype
    if own is not None and xp.isdtype(own, "complex floating"):  # the spiral, then
        inner = xp.result_type(inner, own)
        arrays = [_cast(xp, a, inner) for a in arrays]
    out = _geomspace(arrays[0], arrays[1], count, bool(endpoint), inner, place)
    return _cast(xp, out, own)


@native(numpy="numpy:geomspace")
def _geomspace(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int) -> Any:
    """`dtype` is that of the arrays, which NumPy's routine would widen."""
    xp = array_namespace(start)
    if _plan.is_complex(xp, dtype):
        # Turned so that the first number is positive: no small parts where there are none.
        sign = start / xp.astype(xp.abs(start), dtype)
        first = xp.astype(xp.abs(start), dtype)
        y, counts = _spread(xp, xp.log(first), xp.log(stop / sign), num, endpoint)
        out = xp.exp(y) * sign
    else:
        sign = xp.sign(start)
        y, counts = _spread(xp, xp.log10(xp.abs(start)), xp.log10(stop / sign), num, endpoint)
        out = xp.pow(xp.full((), 10.0, dtype=dtype, device=device_of(start)), y) * sign
    out = xp.where(counts == 0, start, out)
    if endpoint and num > 1:
        out = xp.where(counts == num - 1, stop, out)
    return _first_to(xp, out, axis)


# -- differences -----------------------------------------------------------------------------------


@public
def diff(
    a: A,
    n: int = 1,
    axis: int = -1,
    prepend: A | Numbers | None = None,
    append: A | Numbers | None = None,
) -> A:
    """Compute the `n`-th differences of neighbours along an axis.

    Parameters
    ----------
    a : array
        Of any dtype, with at least one dimension.
    n : int, optional
        How often differences are taken; 0 returns `a`.
    axis : int, optional
        The axis.
    prepend, append : array or number, optional
        Elements to put before and after `a` along the axis: a number, or an array of the shape of
        `a` except along the axis.

    Returns
    -------
    array
        Smaller by `n` along the axis, or empty; of the common dtype. Unsigned integers wrap around;
        for booleans, the result is True where neighbours differ. `a` itself for ``n=0``.

    Raises
    ------
    ArgumentError
        If `n` is negative or no integer.
    ShapeError
        If `a` is a scalar, there is no such axis, or shapes don't match.

    Notes
    -----
    `n` passes. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import diff
    >>> diff(np.asarray([1, 2, 4, 7]), prepend=0)
    array([1, 1, 2, 3])
    """
    xp = array_namespace(prepend, a, append)
    order = size_of("diff", "n", n)
    given = {"prepend": prepend, "a": a, "append": append}
    given = {name: x for name, x in given.items() if x is not None or name == "a"}
    if len(given) == 1:
        arrays = {"a": numbers("diff", "a", xp, a)}
    else:
        made = _plan.common_numbers("diff", xp, tuple(given), *given.values())
        arrays = dict(zip(given, made, strict=True))
    x = arrays["a"]
    if x.ndim == 0:
        raise ShapeError("diff: a must have at least one dimension, but is a scalar")
    (axis,) = _plan.axis_tuple("diff", "axis", axis, x.ndim)
    if order == 0:
        return a if not is_neutral(a) else x
    if len(arrays) > 1:
        parts = [_beside(name, xp, x, part, axis) for name, part in arrays.items()]
        x = xp.concat(parts, axis=axis)
    if x.dtype != xp.bool:
        return xp.diff(x, axis=axis, n=order)
    before = (slice(None),) * axis
    for _ in range(min(order, x.shape[axis])):
        x = x[(*before, slice(1, None), ...)] != x[(*before, slice(None, -1), ...)]
    return x


def _beside(name: str, xp: Any, a: Any, part: Any, axis: int) -> Any:
    """Return the part before or after `a` in the shape of `a`, except along the axis."""
    rest = [n for i, n in enumerate(a.shape) if i != axis]
    if part.ndim == 0:
        return xp.broadcast_to(part, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
    if part.ndim != a.ndim or [n for i, n in enumerate(part.shape) if i != axis] != rest:
        raise ShapeError(
            f"diff: {name} must be a number or have the shape of a, {tuple(a.shape)}, except along "
            f"axis {axis}, but has {tuple(part.shape)}"
        )
    return part


# -- rounding --------------------------------------------------------------------------------------


@public
def round(a: A, decimals: int = 0) -> A:
    """Round to a number of decimals, with halves to even.

    Parameters
    ----------
    a : array
        Of numbers; real and imaginary parts of complex ones are rounded.
    decimals : int, optional
        The number of decimals; negative for digits before the point.

    Returns
    -------
    array
        Of the shape and dtype of `a`.

    Raises
    ------
    DtypeError
        If `a` holds booleans.
    ArgumentError
        If `decimals` is no integer.

    Notes
    -----
    Floating numbers are multiplied by the power of ten, rounded and divided again (first divided if
    `decimals` is negative). So rounding errors of the product may change the result, which is
    infinite or NaN if the product or the power overflows. Integers are rounded exactly; a multiple
    that the dtype can't hold wraps around. The derivative is 0.

    Differs from NumPy: integers beyond 2**53 are rounded exactly; booleans are an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import round
    >>> round(np.asarray([1.25, 1.35, -0.5]), 1)
    array([ 1.2,  1.4, -0.5])
    >>> round(np.asarray([15, 25, 26]), -1)
    array([20, 20, 30])
    """
    xp = array_namespace(a)
    x = numbers("round", "a", xp, a)
    if x.dtype == xp.bool:
        raise DtypeError("round: argument 'a' must hold numbers, got booleans")
    if not hasattr(decimals, "__index__"):
        raise ArgumentError(f"round: decimals must be an integer, got {decimals!r}")
    decimals = decimals.__index__()
    if x.dtype not in (xp.float64, xp.float32) and xp.isdtype(x.dtype, "integral"):
        if decimals >= 0:
            return as_given(xp.asarray(x, copy=True))
        return as_given(_round_integers(xp, x, 10**-decimals))
    return _round(x, decimals) if decimals else xp.round(x)


@native(numpy="numpy:round")
def _round(x: Any, decimals: int) -> Any:
    xp = array_namespace(x)
    # Beyond float64's range as NumPy, which ends in NaN.
    factor = 10.0 ** abs(decimals) if abs(decimals) < 309 else math.inf
    with quiet(x):
        if decimals > 0:
            return xp.round(x * factor) / factor
        return xp.round(x / factor) * factor


def _round_integers(xp: Any, x: Any, unit: int) -> Any:
    """Integers rounded to a multiple of an even number, halves to even multiples."""
    if unit > int(xp.iinfo(x.dtype).max):
        return xp.zeros_like(x)
    quotient = x // unit
    rest, half = x - quotient * unit, unit // 2
    up = (rest > half) | ((rest == half) & (quotient % 2 == 1))
    return (quotient + xp.astype(up, x.dtype)) * unit
