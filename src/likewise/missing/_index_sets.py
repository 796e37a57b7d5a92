"""Indices of diagonals and triangles, raveled and unraveled indices, one-hot rows."""

import math
from collections.abc import Sequence
from typing import Any, Literal

from .. import _creation, _plan
from .._dtypes import default_floating
from .._namespace import (
    array_namespace,
    describe,
    device,
    is_concrete,
    is_neutral,
)
from .._native import of_one_kind, public
from .._typing import A, Numbers
from ..errors import ArgumentError, ArrayTypeError, ShapeError
from ._axes import as_given
from ._segments import index_dtype, integers, size_of

__all__ = [
    "diag_indices",
    "one_hot",
    "ravel_multi_index",
    "tril_indices",
    "triu_indices",
    "unravel_index",
]

_device = device  # the name of an argument, too


# -- diagonals and triangles -----------------------------------------------------------------------


def diag_indices(
    n: int, ndim: int = 2, *, namespace: str | None = None, device: Any = None, like: Any = None
) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of an array whose axes have equal sizes.

    Parameters
    ----------
    n : int
        The size of each axis.
    ndim : int, optional
        The number of axes.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result. Default: that of `like`, else the default namespace
        (`likewise.use`).
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object.
    like : array, optional
        An array; the result has its library and device.

    Returns
    -------
    tuple of array of int, shape (n,)
        One for each axis.

    Raises
    ------
    ArgumentError
        If a number is no integer or negative, or both `like` and `namespace` are given.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Examples
    --------
    >>> from likewise.missing import diag_indices
    >>> diag_indices(3)
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    n = size_of("diag_indices", "n", n)
    ndim = size_of("diag_indices", "ndim", ndim)
    xp, where = _creation.target("diag_indices", namespace, device, like)
    return (xp.arange(n, dtype=index_dtype(xp, where), device=where),) * ndim


def tril_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    namespace: str | None = None,
    device: Any = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    n : int
        The number of rows.
    k : int, optional
        The diagonal that bounds the triangle and belongs to it: above the main one if positive.
    m : int, optional
        The number of columns; as many as rows by default.
    namespace, device, like : optional
        The library and device of the result, as for `diag_indices`.

    Returns
    -------
    rows, columns : array of int, shape (count,)
        Row by row.

    Raises
    ------
    ArgumentError
        If a number is no integer, a size is negative, or both `like` and `namespace` are given.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Notes
    -----
    The count depends on the arguments alone, so this can be compiled. Under a compiler, and where
    the library has no data-dependent shapes, the row of each element is computed by a square root.

    Examples
    --------
    >>> from likewise.missing import tril_indices
    >>> tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    rows, diagonal, columns = _triangle("tril_indices", n, k, m)
    xp, where = _creation.target("tril_indices", namespace, device, like)
    return _indices(xp, where, rows, diagonal, columns, upper=False)


def triu_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    namespace: str | None = None,
    device: Any = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    n : int
        The number of rows.
    k : int, optional
        The diagonal that bounds the triangle and belongs to it: above the main one if positive.
    m : int, optional
        The number of columns; as many as rows by default.
    namespace, device, like : optional
        The library and device of the result, as for `diag_indices`.

    Returns
    -------
    rows, columns : array of int, shape (count,)
        Row by row.

    Raises
    ------
    ArgumentError
        If a number is no integer, a size is negative, or both `like` and `namespace` are given.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Notes
    -----
    As for `tril_indices`.

    Examples
    --------
    >>> from likewise.missing import triu_indices
    >>> triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    rows, diagonal, columns = _triangle("triu_indices", n, k, m)
    xp, where = _creation.target("triu_indices", namespace, device, like)
    return _indices(xp, where, rows, diagonal, columns, upper=True)


def _triangle(function: str, n: Any, k: Any, m: Any) -> tuple[int, int, int]:
    rows = size_of(function, "n", n)
    columns = rows if m is None else size_of(function, "m", m)
    try:
        diagonal = int(k.__index__())
    except (AttributeError, TypeError):
        raise ArgumentError(f"{function}: k must be an integer, got {k!r}") from None
    return rows, diagonal, columns


def _indices(xp: Any, where: Any, n: int, k: int, m: int, upper: bool) -> tuple[Any, Any]:
    """Rows and columns of an upper or a lower triangle."""
    i = xp.arange(n, dtype=index_dtype(xp, where), device=where)
    if is_concrete(i) and xp.__array_namespace_info__().capabilities()["data-dependent shapes"]:
        return _repeated(xp, i, k, m, upper)
    if not upper:
        return _lower(xp, where, n, k, m)
    # Rotated by 180 degrees it is a lower triangle, backwards.
    i, j = _lower(xp, where, n, m - n - k, m)
    return xp.flip(n - 1 - i, axis=0), xp.flip(m - 1 - j, axis=0)


def _repeated(xp: Any, i: Any, k: int, m: int, upper: bool) -> tuple[Any, Any]:
    """Repeat each row's index as often as it has elements."""
    first = k if upper else k + 1
    edge = i + first if first else i
    if not 0 <= first <= m - i.shape[0] + 1:
        edge = xp.clip(edge, 0, m)
    counts = m - edge if upper else edge
    before = xp.cumulative_sum(counts, dtype=i.dtype) - counts
    rows = xp.repeat(i, counts, axis=0)
    p = xp.arange(rows.shape[0], dtype=i.dtype, device=device(i))
    return rows, p - xp.repeat(before - edge if upper else before, counts, axis=0)


def _lower(xp: Any, where: Any, n: int, k: int, m: int) -> tuple[Any, Any]:
    """Rows and columns with column <= row + k, computed from the elements' positions."""
    above = min(max(-k, 0), n)  # rows without elements
    full = max(min(n, m - 1 - k), above)  # the first row with all m of them
    first = min(max(k + 1, 1), m)  # elements of the first row that has any
    height = full - above if m else 0
    rest = (n - full) * m
    dtype = index_dtype(xp, where)

    def count(size: int) -> Any:
        return xp.arange(size, dtype=dtype, device=where)

    i, j = _growing(xp, count(height * first + height * (height - 1) // 2), first)
    if not rest:
        return i + above, j
    p = count(rest)
    row = p // m
    return xp.concat([i + above, row + full]), xp.concat([j, p - row * m])


def _growing(xp: Any, p: Any, first: int) -> tuple[Any, Any]:
    """Rows and columns of elements p, if there are first + i in row i."""

    def start(row: Any) -> Any:
        return row * first + row * (row - 1) // 2

    # start(i) <= p < start(i + 1) is quadratic in i; rounding may miss it by one.
    b = first - 0.5
    root = xp.sqrt(b * b + 2 * xp.astype(p, default_floating(xp, device(p)))) - b
    row = xp.astype(xp.floor(root), p.dtype)
    row = xp.where(start(row) > p, row - 1, row)
    row = xp.where(start(row + 1) <= p, row + 1, row)
    return row, p - start(row)


# -- raveled indices -------------------------------------------------------------------------------


def _strides(function: str, xp: Any, name: str, dims: Any, order: str, where: Any) -> Any:
    """Sizes, how far apart neighbours are along each axis, and the number of elements."""
    _plan.choice(function, "order", order, ("C", "F"))
    sizes = tuple(size_of(function, name, d) for d in dims)
    total = math.prod(sizes)
    if total >> 31 and total > int(xp.iinfo(index_dtype(xp, where)).max):
        raise ArgumentError(f"{function}: {name} {sizes} are too large for the library's integers")
    strides, step = [], 1
    for size in reversed(sizes) if order == "C" else sizes:
        strides.append(step)
        step *= size
    return sizes, (strides[::-1] if order == "C" else strides), total


def _checked(function: str, xp: Any, index: Any, size: int, what: str) -> Any:
    """Indices in range: an error where values can be read, else the nearest."""
    if 0 in index.shape:
        return index
    if size == 0:
        raise IndexError(f"{function}: there are no elements{what}")
    if not is_concrete(index):
        return xp.clip(index, 0, size - 1)
    low, high = int(xp.min(index)), int(xp.max(index))
    if low < 0 or high >= size:
        raise IndexError(
            f"{function}: index {low if low < 0 else high} is out of range for size {size}{what}"
        )
    return index


@public
def ravel_multi_index(
    multi_index: Sequence[A] | A,
    dims: Sequence[int] | int,
    mode: Literal["raise", "clip", "wrap"] | str | Sequence[str] = "raise",
    order: Literal["C", "F"] | str = "C",
) -> A:
    """Turn indices of several axes into indices of the flattened array.

    Parameters
    ----------
    multi_index : sequence of array of int, or one array
        An array for each axis; they broadcast. A single array is split along its first axis.
    dims : sequence of int, or int
        The sizes of the axes, or of the only one.
    mode : {'raise', 'clip', 'wrap'} or sequence of these, optional
        The treatment of an index out of range, for all axes or for each. 'raise': an error, or the
        nearest index where values can't be read (jit, Dask, a GPU); 'clip': the nearest index;
        'wrap': the remainder by the size.
    order : {'C', 'F'}, optional
        Which axis runs fastest: the last, or the first.

    Returns
    -------
    array of int
        Of the common shape, and the library's dtype of indices.

    Raises
    ------
    IndexError
        In mode 'raise', if an index is negative or out of range; if there are no elements.
    DtypeError
        If indices are not integers.
    ShapeError
        If the number of arrays isn't that of the sizes, or shapes don't broadcast.
    ArgumentError
        If there is no such mode or order, a size is negative, or there are too many elements.

    Notes
    -----
    Differs from NumPy: IndexError instead of ValueError.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import ravel_multi_index
    >>> ravel_multi_index((np.asarray([0, 1]), np.asarray([2, 1])), (2, 3))
    array([2, 4])
    """
    function = "ravel_multi_index"
    parts: Any = multi_index
    if not isinstance(multi_index, list | tuple):
        array_namespace(parts)
        if not hasattr(parts, "ndim"):
            raise ArrayTypeError(
                f"{function}: argument 'multi_index' must be a sequence of arrays, or an array, "
                f"got a {describe(parts)}"
            )
        parts = [parts[i, ...] for i in range(parts.shape[0])] if parts.ndim else []
    every = (dims,) if hasattr(dims, "__index__") else dims
    xp = array_namespace(*parts)
    where = next((device(a) for a in parts if not is_neutral(a)), None)
    sizes, strides, _ = _strides(function, xp, "dims", every, order, where)
    if len(parts) != len(sizes) or not sizes:
        raise ShapeError(
            f"{function}: as many indices as dims were expected, and at least one, got "
            f"{len(parts)} and {len(sizes)}"
        )
    modes = (mode,) * len(sizes) if isinstance(mode, str) else tuple(mode)
    if len(modes) != len(sizes):
        raise ArgumentError(f"{function}: one mode or {len(sizes)} were expected, got {mode!r}")
    for how in {mode} if isinstance(mode, str) else modes:
        _plan.choice(function, "mode", how, ("raise", "clip", "wrap"))
    index = [
        integers(function, f"multi_index[{i}]", xp, a, where, n if how == "wrap" else None)
        for i, (a, n, how) in enumerate(zip(parts, sizes, modes, strict=True))
    ]
    if any(a.shape != index[0].shape for a in index):
        _plan.broadcast(function, **{f"index {i}": tuple(a.shape) for i, a in enumerate(index)})
    out: Any = None
    index = [*of_one_kind(*index)]
    for axis, (i, size, stride, how) in enumerate(zip(index, sizes, strides, modes, strict=True)):
        if how == "raise" or size == 0:
            i = _checked(function, xp, i, size, f" along axis {axis}")
        elif how == "clip":
            i = xp.clip(i, 0, size - 1)
        i = i * stride if stride != 1 else i
        out = i if out is None else out + i
    return as_given(out)


@public
def unravel_index(
    indices: A | Numbers, shape: Sequence[int] | int, order: Literal["C", "F"] | str = "C"
) -> tuple[A, ...]:
    """Turn indices of the flattened array into indices of several axes.

    Parameters
    ----------
    indices : array of int
        Of any shape.
    shape : sequence of int, or int
        The sizes of the axes, or of the only one.
    order : {'C', 'F'}, optional
        Which axis runs fastest: the last, or the first.

    Returns
    -------
    tuple of array of int
        One for each axis, of the shape of `indices`.

    Raises
    ------
    IndexError
        If an index is negative or out of range. Where values can't be read (jit, Dask, a GPU), the
        nearest index is taken.
    DtypeError
        If indices are not integers.
    ArgumentError
        If there is no such order, a size is negative, or there are too many elements.

    Notes
    -----
    A division and a multiplication for each axis.

    Differs from NumPy: IndexError instead of ValueError.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import unravel_index
    >>> unravel_index(np.asarray([2, 4]), (2, 3))
    (array([0, 1]), array([2, 1]))
    """
    function = "unravel_index"
    xp = array_namespace(indices)
    rest = integers(function, "indices", xp, indices)
    one = (shape,) if hasattr(shape, "__index__") else shape
    sizes, strides, total = _strides(function, xp, "shape", one, order, device(rest))
    rest = _checked(function, xp, rest, total, f" of shape {sizes}")
    if total == 0:
        return (as_given(rest),) * len(sizes)
    out: list[Any] = [None] * len(sizes)
    axes = range(len(sizes)) if order == "C" else range(len(sizes) - 1, -1, -1)
    for axis in axes:
        if axis == axes[-1]:
            out[axis] = rest
        elif sizes[axis] == 1:  # its stride may be that of the next axis
            out[axis] = xp.zeros_like(rest)
        else:
            out[axis] = rest // strides[axis]
            rest = rest - out[axis] * strides[axis]
    return tuple(map(as_given, out))


# -- rows of zeros and ones ------------------------------------------------------------------------


@public
def one_hot(x: A, num_classes: int, *, dtype: Any = None, axis: int = -1) -> A:
    """Turn class indices into one-hot rows: one at the index, zero elsewhere.

    Parameters
    ----------
    x : array of int
        Of any shape.
    num_classes : int
        The length of a row.
    dtype : dtype, optional
        Of the result. Default: the library's default floating dtype.
    axis : int, optional
        The position of the new axis in the result.

    Returns
    -------
    array
        With one more dimension. An index outside of [0, num_classes) gives a row of zeros.

    Raises
    ------
    DtypeError
        If `x` doesn't hold integers.
    ArgumentError
        If `num_classes` is no integer or negative.
    ShapeError
        If the axis is out of range.

    Notes
    -----
    One comparison per element of the result. The same as ``jax.nn.one_hot``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import one_hot
    >>> one_hot(np.asarray([0, 2, 3]), 3)
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    xp = array_namespace(x)
    index = integers("one_hot", "x", xp, x)
    where = device(index)
    n = size_of("one_hot", "num_classes", num_classes)
    axes = _plan.axis_tuple("one_hot", "axis", axis, index.ndim + 1)
    if len(axes) != 1:
        raise ArgumentError(f"one_hot: axis must be one integer, got {axis!r}")
    number = xp.arange(n, dtype=index.dtype, device=where)
    number = xp.reshape(number, (n, *(1,) * (index.ndim - axes[0])))
    hot = xp.expand_dims(index, axis=axes[0]) == number
    dtype = default_floating(xp, where) if dtype is None else dtype
    return hot if dtype == xp.bool else xp.astype(hot, dtype)
