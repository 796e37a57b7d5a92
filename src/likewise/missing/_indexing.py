"""Selecting elements by index or by condition."""

import math
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, describe, device, hooks_of, is_concrete, is_neutral
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ArgumentError, DtypeError, ShapeError
from ._at import put_at
from ._axes import as_given
from ._segments import index_dtype, integers, numbers, size_of

__all__ = [
    "compress",
    "flatnonzero",
    "nonzero",
    "put",
    "put_along_axis",
    "repeat",
    "select",
    "take",
    "take_along_axis",
    "unique",
]

Mode = Literal["raise", "clip", "wrap", "fill"]
Bounded = Literal["raise", "clip", "wrap"]
_MODES = ("raise", "clip", "wrap", "fill")


# -- by number -------------------------------------------------------------------------------------


@public
def take(
    x: A,
    indices: A | Numbers,
    axis: int | None = None,
    mode: Mode | str = "raise",
    fill_value: complex | None = None,
) -> A:
    """Take elements along an axis by their indices.

    Parameters
    ----------
    x : array
        Of any dtype.
    indices : array of int
        Of any shape. In the modes 'raise' and 'fill', negative indices count from the end.
    axis : int, optional
        Default: the elements of the flattened array.
    mode : {'raise', 'clip', 'wrap', 'fill'}, optional
        The treatment of an index out of range. 'raise': an error, or the nearest element where
        values can't be read (jit, Dask, a GPU); 'clip': the nearest element, the first for negative
        indices; 'wrap': the remainder by the size; 'fill': `fill_value`.
    fill_value : scalar, optional
        Default: NaN for floating dtypes, the smallest integer for signed ones, the largest for
        unsigned ones, True for booleans.

    Returns
    -------
    array
        Of the dtype of `x`, with the shape of `indices` in the place of the axis.

    Raises
    ------
    IndexError
        In mode 'raise', for an index out of range. Unless the mode is 'fill', also if the axis is
        empty and `indices` is not.
    DtypeError
        If `indices` are not integers.
    ShapeError, ArgumentError
        If there is no such axis or mode.

    Notes
    -----
    Differentiable with respect to `x`.

    Differs from NumPy: mode 'fill', as in JAX.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import take
    >>> take(np.asarray([1.0, 2.0, 4.0]), np.asarray([0, 5, -1]), mode="fill")
    array([ 1., nan,  4.])
    """
    xp = array_namespace(x, indices)
    array, index, axis = _plan_take("take", xp, x, indices, axis, mode)
    if mode == "fill":
        value = _filler("take", xp, array.dtype, fill_value)
        return _taken(xp, array, index, axis, mode, value)
    return _take(array, index, axis, None, mode)


def _plan_take(
    function: str, xp: Any, x: Any, indices: Any, axis: Any, mode: str
) -> tuple[Any, Any, Any]:
    _plan.choice(function, "mode", mode, _MODES)
    where = next((device(a) for a in (x, indices) if not is_neutral(a)), None)
    x = numbers(function, "x", xp, x, where)
    if axis is not None:
        (axis,) = one_axis(function, axis, x.ndim)
    size = math.prod(x.shape) if axis is None else x.shape[axis]
    # Wrapped here: NumPy's routines subtract the size as often as it takes.
    period = size if mode == "wrap" else None
    index = integers(function, "indices", xp, indices, device(x), period)
    if size == 0 and 0 not in index.shape and mode != "fill":
        raise IndexError(f"{function}: there is nothing to take along an axis of size 0")
    return x, index, axis


def one_axis(function: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """An axis that is not negative, as a tuple."""
    found = _plan.axis_tuple(function, "axis", axis, ndim)
    if len(found) != 1:
        raise ArgumentError(f"{function}: axis must be one integer, got {axis!r}")
    return found


def _in_range(function: str, xp: Any, index: Any, size: int) -> tuple[Any, str]:
    """Check indices where values can be read; return them, and the mode that remains.

    Two reductions are cheaper than clipping; NumPy's own routines make such checks by themselves.
    """
    if not is_concrete(index) or 0 in index.shape:
        return index, "raise"
    # Looks at truth values, which a recorded step finds again; at numbers it would not. Each look
    # waits for the device.
    low, high = xp.min(index), xp.max(index)
    if bool((low < -size) | (high >= size)):
        raise IndexError(f"{function}: an index is out of range for an axis of size {size}")
    return (index if bool(low >= 0) else xp.where(index < 0, index + size, index)), "known"


@native(numpy="likewise._libs.numpy._natives:take")
def _take(x: Any, indices: Any, axis: int | None, out: None, mode: str) -> Any:
    """`out` is there for NumPy's signature."""
    xp = array_namespace(x)
    if mode == "raise":
        size = math.prod(x.shape) if axis is None else x.shape[axis]
        indices, mode = _in_range("take", xp, indices, size)
    return _taken(xp, x, indices, axis, mode, None)


def _taken(xp: Any, x: Any, indices: Any, axis: int | None, mode: str, fill: Any) -> Any:
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    n, shape = x.shape[axis], tuple(indices.shape)
    flat, inside = _resolved(xp, xp.reshape(indices, (-1,)), n, mode)
    shape = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    if inside is None:
        return as_given(xp.reshape(xp.take(x, flat, axis=axis), shape))
    if n == 0:
        return as_given(xp.full(shape, fill, dtype=x.dtype, device=device(x)))
    out = xp.take(x, flat, axis=axis)
    around = (1,) * axis, (1,) * (x.ndim - axis - 1)
    inside = xp.reshape(inside, (*around[0], flat.shape[0], *around[1]))
    filled = xp.full((1,) * x.ndim, fill, dtype=x.dtype, device=device(x))
    return as_given(xp.reshape(xp.where(inside, out, filled), shape))


def _resolved(xp: Any, index: Any, n: int, mode: str) -> tuple[Any, Any]:
    """Numbers from 0 to n - 1, and in mode 'fill' which of them were in range."""
    if mode in ("known", "wrap"):
        return index, None
    if mode == "clip":
        return xp.clip(index, 0, max(n - 1, 0)), None
    inside = (index >= -n) & (index < n) if mode == "fill" else None
    index = xp.where(index < 0, index + n, index)
    return xp.clip(index, 0, max(n - 1, 0)), inside


def _filler(function: str, xp: Any, dtype: Any, value: Any) -> Any:
    """The number that mode 'fill' fills with."""
    if value is not None:
        return _plain(function, "fill_value", xp, dtype, value)
    if xp.isdtype(dtype, ("real floating", "complex floating")):
        return xp.nan
    if xp.isdtype(dtype, "bool"):
        return True
    info = xp.iinfo(dtype)
    return int(info.min) if int(info.min) < 0 else int(info.max)


def _plain(function: str, name: str, xp: Any, dtype: Any, value: Any) -> Any:
    """A Python number that fits a dtype; arrays stay arrays."""
    if not is_neutral(value):
        return value
    if isinstance(value, list | tuple):
        raise ArgumentError(f"{function}: {name} must be one number, got {value!r}")
    _plan.fits(function, name, xp, value, dtype)
    value = value.item() if hasattr(value, "item") else value
    # Libraries refuse integers of more than 64 bits.
    return value if xp.isdtype(dtype, ("bool", "integral")) else value * 1.0


@public
def take_along_axis(
    arr: A,
    indices: A | Numbers,
    axis: int | None = -1,
    mode: Mode | str = "raise",
    fill_value: complex | None = None,
) -> A:
    """Take elements along an axis, with separate indices for each row.

    Parameters
    ----------
    arr : array
        Of any dtype.
    indices : array of int
        Of as many dimensions as `arr`; sizes along the other axes broadcast.
    axis : int or None, optional
        The axis to take along; None for the flattened array, `indices` having one dimension.
    mode : {'raise', 'clip', 'wrap', 'fill'}, optional
        As for `take`.
    fill_value : scalar, optional
        As for `take`.

    Returns
    -------
    array
        Of the dtype of `arr`, and the size of `indices` along the axis.

    Raises
    ------
    IndexError, DtypeError, ArgumentError
        As for `take`.
    ShapeError
        If numbers of dimensions differ, or sizes don't broadcast.

    Notes
    -----
    Differentiable with respect to `arr`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import take_along_axis
    >>> x = np.asarray([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
    >>> take_along_axis(x, np.argmin(x, axis=-1, keepdims=True))
    array([[1.],
           [4.]])
    """
    xp = array_namespace(arr, indices)
    array, index, at_axis, _ = _plan_along("take_along_axis", xp, arr, indices, axis, mode)
    if mode == "fill":
        fill_value = _filler("take_along_axis", xp, array.dtype, fill_value)
    if mode == "raise":
        return _take_along_axis(array, index, at_axis)
    return _along(xp, array, index, at_axis, mode, fill_value)


def _plan_along(
    function: str, xp: Any, arr: Any, indices: Any, axis: Any, mode: str
) -> tuple[Any, Any, int, tuple[int, ...]]:
    """Array, numbers and axis of one number of dimensions, and the shape of what is there."""
    array, index, at_axis = _plan_take(function, xp, arr, indices, axis, mode)
    if at_axis is None:
        array, at_axis = xp.reshape(array, (-1,)), 0
    if array.ndim != index.ndim:
        raise ShapeError(
            f"{function}: arr and indices must have equally many dimensions, got shapes "
            f"{tuple(array.shape)} and {tuple(index.shape)}"
        )
    rest = [i for i, _ in enumerate(array.shape) if i != at_axis]
    shape = _plan.broadcast(
        function, arr=[array.shape[i] for i in rest], indices=[index.shape[i] for i in rest]
    )
    return array, index, at_axis, (*shape[:at_axis], index.shape[at_axis], *shape[at_axis:])


@native(numpy="likewise._libs.numpy._natives:take_along_axis")
def _take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    xp = array_namespace(x)
    indices, mode = _in_range("take_along_axis", xp, indices, x.shape[axis])
    return _along(xp, x, indices, axis, mode, None)


def _along(xp: Any, array: Any, index: Any, at_axis: int, mode: str, fill_value: Any) -> Any:
    ones = [list(array.shape), list(index.shape)]
    for shape in ones:
        shape[at_axis] = 1
    common = list(_plan.broadcast("take_along_axis", x=ones[0], indices=ones[1]))
    n = array.shape[at_axis]
    index, inside = _resolved(xp, index, n, mode)
    common[at_axis] = index.shape[at_axis]
    if inside is not None and n == 0:
        return xp.full(tuple(common), fill_value, dtype=array.dtype, device=device(array))
    index = xp.broadcast_to(index, tuple(common))
    common[at_axis] = n
    array = xp.broadcast_to(array, tuple(common))
    out = xp.take_along_axis(array, index, axis=at_axis)
    if inside is None:
        return out
    filled = xp.full((1,) * array.ndim, fill_value, dtype=array.dtype, device=device(array))
    return xp.where(inside, out, filled)


@public
def put(x: A, indices: A | Numbers, values: A | Numbers, mode: Bounded | str = "raise") -> A:
    """Return a copy of an array with values put at indices of the flattened array.

    Parameters
    ----------
    x : array
        Of any dtype; it is never written to.
    indices : array of int
        Indices into the flattened array, of any shape.
    values : array or scalar
        Repeated or cut to the number of `indices`; cast to the dtype of `x`.
    mode : {'raise', 'clip', 'wrap'}, optional
        As for `take`.

    Returns
    -------
    array
        `x` with the values. If an index occurs twice, it is undefined which of the values is put
        there.

    Raises
    ------
    IndexError, DtypeError, ArgumentError
        As for `take`; ArgumentError also if there are indices, but no values.

    Notes
    -----
    Differentiable with respect to `x` and the values.

    Differs from NumPy: the result is a new array.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import put
    >>> put(np.zeros(4), np.asarray([0, -1]), 5.0)
    array([5., 0., 0., 5.])
    """
    _plan.choice("put", "mode", mode, _MODES[:3])
    xp = array_namespace(x, indices, values)
    array, index, _ = _plan_take("put", xp, x, indices, None, mode)
    value = numbers("put", "values", xp, values, device(array), dtype=_weak(array, values))
    count, given = math.prod(index.shape), math.prod(value.shape)
    if count == 0:
        return xp.asarray(array, copy=True)
    if given == 0:
        raise ArgumentError(f"put: there are {count} indices, but no values")
    if value.dtype != array.dtype:
        value = xp.astype(value, array.dtype)
    return _put(array, index, value, mode)


@native(numpy="likewise._libs.numpy._natives:put")
def _put(x: Any, indices: Any, values: Any, mode: str) -> Any:
    xp = array_namespace(x)
    values, size = xp.reshape(values, (-1,)), math.prod(x.shape)
    index, given = xp.reshape(indices, (-1,)), values.shape[0]
    if given < index.shape[0]:
        values = xp.tile(values, (-(-index.shape[0] // given),))
    if mode == "raise":
        index, mode = _in_range("put", xp, index, size)
    index, _ = _resolved(xp, index, size, mode)
    out = put_at(xp.reshape(x, (-1,)), index, values[: index.shape[0]])
    return xp.reshape(out, x.shape)


@public
def put_along_axis(
    arr: A,
    indices: A | Numbers,
    values: A | Numbers,
    axis: int | None,
    mode: Bounded | str = "raise",
) -> A:
    """Return a copy of an array with values put along an axis, at separate indices for each row.

    Parameters
    ----------
    arr : array
        Of any dtype; it is never written to.
    indices : array of int
        Of as many dimensions as `arr`; sizes along the other axes broadcast.
    values : array or scalar
        Broadcasts to the shape of the indexed elements; cast to the dtype of `arr`.
    axis : int or None
        The axis to put along; None for the flattened array, `indices` having one dimension.
    mode : {'raise', 'clip', 'wrap'}, optional
        As for `take`.

    Returns
    -------
    array
        `arr` with the values. If an index occurs twice, it is undefined which of the values is put
        there.

    Raises
    ------
    IndexError, DtypeError, ArgumentError
        As for `take`.
    ShapeError
        If numbers of dimensions differ, or sizes don't broadcast.

    Notes
    -----
    Differentiable with respect to `arr` and the values.

    Differs from NumPy: the result is a new array; `mode`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import put_along_axis
    >>> x = np.asarray([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
    >>> put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 0.0, 1)
    array([[0., 1., 2.],
           [4., 0., 5.]])
    """
    function = "put_along_axis"
    _plan.choice(function, "mode", mode, _MODES[:3])
    xp = array_namespace(arr, indices, values)
    array, index, at_axis, shape = _plan_along(function, xp, arr, indices, axis, mode)
    value = numbers(function, "values", xp, values, device(array), dtype=_weak(array, values))
    if _plan.broadcast(function, indices=shape, values=value.shape) != shape:
        raise ShapeError(
            f"{function}: values must broadcast to the places, of shape {shape}, got shape "
            f"{tuple(value.shape)}"
        )
    if value.dtype != array.dtype:
        value = xp.astype(value, array.dtype)
    if mode == "clip":
        index, _ = _resolved(xp, index, array.shape[at_axis], mode)
    out = _put_along_axis(array, index, xp.broadcast_to(value, shape), at_axis)
    return xp.reshape(out, arr.shape) if axis is None and hasattr(arr, "shape") else out


@native(numpy="likewise._libs.numpy._natives:put_along_axis")
def _put_along_axis(x: Any, indices: Any, values: Any, axis: int) -> Any:
    xp, n = array_namespace(x), x.shape[axis]
    if 0 in values.shape:
        return xp.asarray(x, copy=True)
    index, mode = _in_range("put_along_axis", xp, indices, n)
    index, _ = _resolved(xp, index, n, mode)
    # Places in the flattened array, whose last axis runs fastest.
    flat, step = xp.zeros_like(index), 1
    for i in reversed(range(x.ndim)):
        size = x.shape[i]
        line = xp.arange(size, dtype=index.dtype, device=device(index))
        flat = flat + step * (index if i == axis else xp.reshape(line, _along_only(i, x.ndim)))
        step *= size
    out = put_at(xp.reshape(x, (-1,)), xp.reshape(flat, (-1,)), xp.reshape(values, (-1,)))
    return xp.reshape(out, x.shape)


def _along_only(axis: int, ndim: int) -> tuple[int, ...]:
    """The shape of an index along one axis alone."""
    return (*(1,) * axis, -1, *(1,) * (ndim - axis - 1))


def _weak(array: Any, value: Any) -> Any:
    """The dtype of numbers that are combined with an array; None for arrays."""
    return array.dtype if is_neutral(value) and value is not None else None


# -- by condition ----------------------------------------------------------------------------------


@public
def nonzero(x: A, size: int | None = None, fill_value: int = 0) -> tuple[A, ...]:
    """Find where an array is not zero.

    Parameters
    ----------
    x : array
        Of at least one dimension.
    size : int, optional
        The number of indices to return: the first ones, padded with `fill_value`. Default: as many
        as there are, on libraries with data-dependent shapes (not under jit).
    fill_value : int, optional
        The padding.

    Returns
    -------
    tuple of array
        The indices along each dimension, in the order of the flattened array.

    Raises
    ------
    ShapeError
        If `x` has no dimensions.
    ArgumentError
        If `size` is negative.

    Notes
    -----
    With `size`: cumulative counts, and a binary search for each index.

    Differs from NumPy: `size` and `fill_value`, as in JAX.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nonzero
    >>> nonzero(np.asarray([0.0, 3.0, 0.0, 5.0]), size=3, fill_value=-1)
    (array([ 1,  3, -1]),)
    """
    xp = array_namespace(x)
    array = numbers("nonzero", "x", xp, x)
    fill_value = _place("nonzero", xp, array, fill_value)
    if array.ndim == 0:
        raise ShapeError("nonzero: x must have at least one dimension, but is a scalar")
    if size is None:
        return _nonzero(array)
    flat, found = _places_of(array, size_of("nonzero", "size", size))
    out = []
    for n in reversed(array.shape):
        out.append(xp.where(found, flat % max(n, 1), xp.full_like(flat, fill_value)))
        flat = flat // max(n, 1)
    return tuple(reversed(out))


@native(numpy="numpy:nonzero")
def _nonzero(x: Any) -> tuple[Any, ...]:
    return tuple(array_namespace(x).nonzero(x))


@public
def flatnonzero(x: A, size: int | None = None, fill_value: int = 0) -> A:
    """Find where the flattened array is not zero.

    Parameters
    ----------
    x : array
        Of any shape.
    size : int, optional
        As for `nonzero`.
    fill_value : int, optional
        As for `nonzero`.

    Returns
    -------
    array, shape (count,) or (size,)
        Indices in ascending order.

    Raises
    ------
    ArgumentError
        If `size` is negative.

    Notes
    -----
    As for `nonzero`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import flatnonzero
    >>> flatnonzero(np.asarray([[0.0, 3.0], [0.0, 5.0]]))
    array([1, 3])
    """
    xp = array_namespace(x)
    array = numbers("flatnonzero", "x", xp, x)
    fill_value = _place("flatnonzero", xp, array, fill_value)
    if size is None:
        return _flatnonzero(array)
    flat, found = _places_of(array, size_of("flatnonzero", "size", size))
    return xp.where(found, flat, xp.full_like(flat, fill_value))


@native(numpy="numpy:flatnonzero")
def _flatnonzero(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.nonzero(xp.reshape(x, (-1,)))[0]


def _place(function: str, xp: Any, x: Any, value: Any) -> Any:
    return _plain(function, "fill_value", xp, index_dtype(xp, device(x)), value)


def _places_of(x: Any, size: int) -> tuple[Any, Any]:
    """Flat indices of the first elements that are not zero, and a mask of those that exist."""
    xp = array_namespace(x)
    return _places(xp.reshape(x if x.dtype == xp.bool else x != 0, (-1,)), size)


@native(numpy="likewise._libs.numpy._natives:places", jax="likewise._libs.jax._natives:places")
def _places(mask: Any, size: int) -> tuple[Any, Any]:
    xp = array_namespace(mask)
    where = device(mask)
    dtype = index_dtype(xp, where)
    if mask.shape[0] == 0:
        none = xp.zeros((size,), dtype=dtype, device=where)
        return none, xp.zeros((size,), dtype=xp.bool, device=where)
    counts = xp.cumulative_sum(xp.astype(mask, dtype), dtype=dtype)
    number = xp.arange(1, size + 1, dtype=dtype, device=where) + xp.zeros_like(counts[:1])
    # The sum above is for torch.func.vmap, which warns of operations that it must expand.
    found = number <= counts[-1:]
    place = xp.astype(xp.searchsorted(counts, number), dtype)
    return xp.where(found, place, xp.zeros_like(place)), found


@public
def compress(
    condition: A | Numbers,
    x: A | Numbers,
    axis: int | None = None,
    size: int | None = None,
    fill_value: complex | None = 0,
) -> A:
    """Take the slices along an axis for which a condition holds.

    Parameters
    ----------
    condition : array, shape (k,)
        Booleans, or numbers, where nonzero is True; k is at most the size of the axis.
    x : array
        Of any dtype.
    axis : int, optional
        Default: the elements of the flattened array.
    size : int, optional
        The number of slices to return: the first ones, padded with `fill_value`. Default: as for
        `nonzero`.
    fill_value : scalar, optional
        The padding.

    Returns
    -------
    array
        Of the dtype of `x`.

    Raises
    ------
    ShapeError
        If `condition` has not one dimension, or is longer than the axis.
    ArgumentError
        If `size` is negative.

    Notes
    -----
    Differentiable with respect to `x`.

    Differs from NumPy: `size` and `fill_value`, as in JAX; a condition that is too long is an error
    whatever its values.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import compress
    >>> x = np.asarray([1.0, 2.0, 3.0])
    >>> compress(x > 1.5, x)
    array([2., 3.])
    """
    xp = array_namespace(condition, x)
    where = next((device(a) for a in (x, condition) if not is_neutral(a)), None)
    array = numbers("compress", "x", xp, x, where)
    mask = numbers("compress", "condition", xp, condition, where)
    if axis is None:
        array, axis = _flat(array), 0
    (axis,) = one_axis("compress", axis, array.ndim)
    n = array.shape[axis]
    if mask.ndim != 1 or mask.shape[0] > n:
        raise ShapeError(
            f"compress: condition must have one dimension and at most the {n} elements of the "
            f"axis, got shape {tuple(mask.shape)}"
        )
    if size is None:
        return _compress(mask, array, axis)
    flat, found = _places_of(mask, size_of("compress", "size", size))
    flat = xp.where(found, flat, xp.full_like(flat, n))
    value = _filler("compress", xp, array.dtype, fill_value)
    return _taken(xp, array, flat, axis, "fill", value)


@native(numpy="numpy:compress")
def _compress(mask: Any, x: Any, axis: int) -> Any:
    xp = array_namespace(x)
    return xp.take(x, xp.nonzero(mask)[0], axis=axis)


def _flat(x: Any) -> Any:
    """Flatten an array; one with one dimension is returned itself."""
    return x if x.ndim == 1 else array_namespace(x).reshape(x, (-1,))


@public
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Choose between arrays, elementwise, by the first condition that holds.

    Parameters
    ----------
    condlist : sequence of array of bool
        The conditions.
    choicelist : sequence of array or scalar
        One choice per condition; all shapes broadcast.
    default : array or scalar, optional
        The value where no condition holds.

    Returns
    -------
    array
        Of the dtype to which the choices and the default promote; scalars are weak.

    Raises
    ------
    ArgumentError
        If the lists are empty, or differ in length.
    DtypeError
        If a condition isn't an array of booleans.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Differentiable with respect to the choices and the default.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import select
    >>> x = np.asarray([1.0, 2.0, 3.0])
    >>> select([x < 1.5, x > 2.5], [-x, x**2], 0.0)
    array([-1.,  0.,  9.])
    """
    conditions, choices = list(condlist), list(choicelist)
    if len(conditions) != len(choices) or not conditions:
        raise ArgumentError(
            f"select: as many choices as conditions were expected, and at least one, got "
            f"{len(choices)} and {len(conditions)}"
        )
    every = [*conditions, *choices, default]
    xp = array_namespace(*every)
    where = next((device(a) for a in every if not is_neutral(a)), None)
    masks = [numbers("select", "condlist", xp, c, where) for c in conditions]
    for mask in masks:
        if mask.dtype != xp.bool:
            raise DtypeError(f"select: conditions must be booleans, got a {describe(mask)}")
    names = [*(f"choicelist[{i}]" for i in range(len(choices))), "default"]
    values: list[Any] = [*choices, default]
    if all(is_neutral(v) for v in values):  # then the conditions determine the library
        values[-1] = numbers("select", "default", xp, values[-1], where)
    made = _plan.common_numbers("select", xp, names, *values)
    shape = _plan.broadcast(
        "select", **{f"array {i}": tuple(a.shape) for i, a in enumerate([*masks, *made])}
    )
    out = made[-1]
    for mask, value in zip(reversed(masks), reversed(made[:-1]), strict=True):
        out = xp.where(mask, value, out)
    return out if tuple(out.shape) == shape else xp.broadcast_to(out, shape)


# -- repetition and sets ---------------------------------------------------------------------------


@public
def repeat(
    x: A,
    repeats: A | Numbers,
    axis: int | None = None,
    total_repeat_length: int | None = None,
) -> A:
    """Repeat each element along an axis.

    Parameters
    ----------
    x : array
        Of any dtype.
    repeats : int or array of int
        The number of repetitions: one number for all, or an array with one number or one per
        element.
    axis : int, optional
        Default: the elements of the flattened array.
    total_repeat_length : int, optional
        The size of the result along the axis: a longer result is cut, a shorter one padded with the
        last element. Required under jit if `repeats` is an array.

    Returns
    -------
    array
        Of the dtype of `x`.

    Raises
    ------
    DtypeError
        If `repeats` are not integers.
    ArgumentError
        If a size is negative; if one of `repeats` is negative, where values can be read (elsewhere
        it counts as 0); if an empty axis must give elements.
    ShapeError
        If `repeats` does not have the size of the axis.

    Notes
    -----
    Differentiable with respect to `x`.

    Differs from NumPy: `total_repeat_length`, as in JAX.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import repeat
    >>> repeat(np.asarray([1.0, 2.0]), np.asarray([1, 2]), total_repeat_length=4)
    array([1., 2., 2., 2.])
    """
    xp = array_namespace(x, repeats)
    array = numbers("repeat", "x", xp, x)
    if axis is None:
        array, axis = _flat(array), 0
    (axis,) = one_axis("repeat", axis, array.ndim)
    n = array.shape[axis]
    total = total_repeat_length
    if total is not None:
        total = size_of("repeat", "total_repeat_length", total)
    if hasattr(repeats, "__index__") and is_neutral(repeats):
        each = size_of("repeat", "repeats", repeats)
        if total is None:
            return _repeat(array, each, axis)
        counts = xp.full((n,), each, dtype=index_dtype(xp, device(array)), device=device(array))
    else:
        counts = _plan_repeats(xp, array, repeats, n)
        if total is None:
            return xp.repeat(array, counts, axis=axis)
    if n == 0 and total:
        raise ArgumentError(f"repeat: an empty axis can't give {total} elements")
    if n == 0:
        return array
    return _repeated(array, counts, axis, total)


@native(jax="likewise._libs.jax._natives:repeat")
def _repeated(array: Any, counts: Any, axis: int, total: int) -> Any:
    xp = array_namespace(array)
    ends = xp.cumulative_sum(counts, dtype=counts.dtype)
    number = xp.arange(total, dtype=ends.dtype, device=device(array)) + xp.zeros_like(ends[:1])
    index = xp.clip(xp.searchsorted(ends, number, side="right"), 0, array.shape[axis] - 1)
    return xp.take(array, index, axis=axis)


@native(numpy="numpy:repeat")
def _repeat(x: Any, repeats: int, axis: int) -> Any:
    return array_namespace(x).repeat(x, repeats, axis=axis)


def _plan_repeats(xp: Any, array: Any, repeats: Any, n: int) -> Any:
    counts = integers("repeat", "repeats", xp, repeats, device(array))
    if counts.ndim > 1 or (counts.ndim == 1 and counts.shape[0] not in (1, n)):
        raise ShapeError(
            f"repeat: repeats must be one number or one for each of the {n} elements, got shape "
            f"{tuple(counts.shape)}"
        )
    if is_concrete(counts) and 0 not in counts.shape:
        low, high = int(xp.min(counts)), int(xp.max(counts))
        if low < 0:
            raise ArgumentError(f"repeat: repeats must not be negative, got {low}")
        if high * max(n, 1) > int(xp.iinfo(counts.dtype).max):
            raise ArgumentError(f"repeat: repeats must not be as large as {high}")
    elif not is_concrete(counts):
        counts = xp.maximum(counts, xp.zeros_like(counts))
    return xp.broadcast_to(counts, (n,)) if n != 1 or counts.ndim == 0 else counts


@public
def unique(
    x: A,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    *,
    size: int | None = None,
    fill_value: complex | None = None,
) -> Any:
    """Find the distinct elements of an array.

    Parameters
    ----------
    x : array
        Of any shape and dtype.
    return_index : bool, optional
        Whether to return the first index of each value in the flattened array.
    return_inverse : bool, optional
        Whether to return the index of each element among the values.
    return_counts : bool, optional
        Whether to return how often each value occurs.
    size : int, optional
        The number of values to return: the smallest ones, padded with `fill_value`. Default: as
        many as there are, on libraries with data-dependent shapes (not under jit).
    fill_value : scalar, optional
        Default: the smallest value.

    Returns
    -------
    values : array, shape (count,) or (size,)
        In ascending order; all NaNs are one value, the last.
    index : array, shape (count,) or (size,)
        If requested. For padding, the first index of the smallest value.
    inverse : array, shape of x
        If requested. If `size` is too small, indices may exceed it.
    counts : array, shape (count,) or (size,)
        If requested. 0 for padding.

    Raises
    ------
    ArgumentError
        If `size` is negative, or `x` is empty and `size` and no `fill_value` are given.

    Notes
    -----
    A stable sort. Only `values` is differentiable. By default the result is one array, otherwise a
    tuple.

    Differs from NumPy: `size` and `fill_value`, as in JAX; no `axis`. Unlike in the array API
    standard's ``unique_all``, NaNs are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import unique
    >>> x = np.asarray([3.0, 1.0, 3.0])
    >>> unique(x)
    array([1., 3.])
    >>> unique(x, return_counts=True, size=3, fill_value=np.nan)
    (array([ 1.,  3., nan]), array([1, 2, 0]))
    """
    xp = array_namespace(x)
    array = numbers("unique", "x", xp, x)
    flags = bool(return_index), bool(return_inverse), bool(return_counts)
    if size is None:
        return _unique(array, *flags)
    size = size_of("unique", "size", size)
    if math.prod(array.shape) == 0 and size and fill_value is None:
        raise ArgumentError("unique: an empty array has no element for padding; give a fill_value")
    if fill_value is not None:
        fill_value = _plain("unique", "fill_value", xp, array.dtype, fill_value)
    return _chosen_of(flags, _sized(xp, array, size, fill_value))


def _chosen_of(flags: tuple[bool, ...], found: tuple[Any, ...]) -> Any:
    """Return the requested arrays: one, or a tuple."""
    if not any(flags):
        return found[0]
    return (found[0], *(a for flag, a in zip(flags, found[1:], strict=True) if flag))


@native(numpy="numpy:unique")
def _unique(x: Any, return_index: bool, return_inverse: bool, return_counts: bool) -> Any:
    xp = array_namespace(x)
    if not (return_index or return_inverse or return_counts) and xp.isdtype(
        x.dtype, ("integral", "real floating")
    ):
        values = xp.sort(xp.reshape(x, (-1,)), stable=False)
        return xp.take(values, xp.nonzero(_first_of_each(xp, values))[0], axis=0)
    order, new = _sorted_groups(xp, xp.reshape(x, (-1,)))
    starts = xp.astype(xp.nonzero(new)[0], order.dtype)
    flags = return_index, return_inverse, return_counts
    return _chosen_of(flags, _grouped(xp, x, order, new, starts, None, return_inverse))


def _sized(xp: Any, x: Any, size: int, fill: Any) -> tuple[Any, ...]:
    n, where = math.prod(x.shape), device(x)
    if n == 0:
        none = xp.zeros((size,), dtype=index_dtype(xp, where), device=where)
        values = xp.full((size,), 0 if fill is None else fill, dtype=x.dtype, device=where)
        return values, none, xp.zeros(x.shape, dtype=none.dtype, device=where), none
    order, new = _sorted_groups(xp, xp.reshape(x, (-1,)))
    starts, found = _places(new, size + 1)
    starts = xp.where(found, starts, xp.full_like(starts, n))
    values, index, inverse, counts = _grouped(xp, x, order, new, starts[:-1], starts[-1:])
    found = found[:-1]
    if fill is None:
        filled = xp.take(xp.reshape(x, (-1,)), order[:1], axis=0)
    else:
        filled = xp.full((1,), fill, dtype=x.dtype, device=where)
    index = xp.where(found, index, order[:1])
    return xp.where(found, values, filled), index, inverse, counts


def _sorted_groups(xp: Any, flat: Any) -> tuple[Any, Any]:
    """The sorting order of the elements, and a mask of those that begin a new value in it."""
    if flat.dtype == xp.bool:
        flat = xp.astype(flat, xp.uint8)
    dtype = index_dtype(xp, device(flat))
    if flat.shape[0] == 0:
        none = xp.zeros((0,), dtype=dtype, device=device(flat))
        return none, none != 0
    if xp.isdtype(flat.dtype, "complex floating"):  # by real part, then imaginary part
        order = xp.argsort(xp.imag(flat), stable=True)
        order = xp.take(order, xp.argsort(xp.take(xp.real(flat), order, axis=0), stable=True))
    else:
        order = xp.argsort(flat, stable=True)
    return xp.astype(order, dtype), _first_of_each(xp, xp.take(flat, order, axis=0))


def _first_of_each(xp: Any, values: Any) -> Any:
    """Tell which of sorted elements differ from the one before; all NaNs are one."""
    if values.shape[0] == 0:  # where the standard has no slice that begins at 1
        return values != values
    differ = values[1:] != values[:-1]
    if xp.isdtype(values.dtype, ("real floating", "complex floating")):
        differ = differ & ~(xp.isnan(values[1:]) & xp.isnan(values[:-1]))
    first = xp.ones((1,), dtype=xp.bool, device=device(values))
    return xp.concat([first, differ])


def _grouped(
    xp: Any, x: Any, order: Any, new: Any, starts: Any, end: Any = None, places: bool = True
) -> tuple[Any, ...]:
    """Values, first places, inverse (if wanted) and counts of groups that begin at `starts`."""
    n = order.shape[0]
    inside = xp.clip(starts, 0, max(n - 1, 0))
    index = xp.take(order, inside, axis=0)
    values = xp.take(xp.reshape(x, (-1,)), index, axis=0)
    inverse = None
    if places:
        rank = xp.cumulative_sum(xp.astype(new, order.dtype), dtype=order.dtype) - 1
        inverse = xp.reshape(_put_back(rank, order), x.shape)
    if end is None:
        end = xp.full((1,), n, dtype=starts.dtype, device=device(starts))
    counts = xp.concat([starts, end])[1:] - starts
    return values, index, inverse, counts


def _put_back(values: Any, order: Any) -> Any:
    """Put the values of sorted elements back to the elements' original places."""
    out = hooks_of(values).at_set(values, order, values)
    if out is not NotImplemented:
        return out
    xp = array_namespace(values)
    return xp.take(values, xp.argsort(order, stable=True), axis=0)
