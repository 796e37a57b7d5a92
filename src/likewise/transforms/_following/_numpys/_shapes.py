"""NumPy's functions that move, join and part elements, where they are not the standard's."""

from itertools import pairwise
from typing import Any

from .... import missing
from ...._namespace import array_namespace, device
from ....errors import ArgumentError, TransformError
from .._escapes import users_line

__all__ = [
    "append",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "column_stack",
    "concatenate",
    "delete",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "dsplit",
    "dstack",
    "expand_dims",
    "flatten",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "insert",
    "ix_",
    "meshgrid",
    "ravel",
    "reshape",
    "reshaped",
    "rollaxis",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "transposed",
    "vsplit",
    "vstack",
]


def _ints(x: Any) -> tuple[int, ...]:
    return tuple(i.__index__() for i in x) if isinstance(x, list | tuple) else (x.__index__(),)


# -- shapes ----------------------------------------------------------------------------------------


def reshape(x: Any, shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """``xp.reshape``; of Fortran's order with ``xp.permute_dims`` before and after."""
    xp = array_namespace(x)
    shape = _ints(shape)
    if order == "F":
        return transpose(xp.reshape(transpose(x), shape[::-1]))
    _known_order("reshape", x, order)
    return xp.reshape(x, shape, copy=copy) if copy else xp.reshape(x, shape)


def _known_order(name: str, x: Any, order: str) -> None:
    """Refuse the order in memory where there may be several: which one isn't known here."""
    if order not in ("C", "F", "A", "K"):
        raise ArgumentError(f"numpy.{name}: order must be 'C', 'F', 'A' or 'K', got {order!r}")
    if order in ("A", "K") and x.ndim > 1:
        raise TransformError(
            f"numpy.{name}: order={order!r} follows the memory of an array of {x.ndim} dimensions, "
            f"which isn't known inside of a transform{users_line()}; write order='C' or order='F'"
        )


def reshaped(x: Any, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """``xp.reshape`` to a shape, or to integers."""
    one = shape[0] if len(shape) == 1 else list(shape)
    return reshape(x, one, order, copy)


def ravel(x: Any, order: str = "C") -> Any:
    """``xp.reshape`` to one dimension."""
    _known_order("ravel", x, order)
    return reshape(x, -1, order)


def flatten(x: Any, order: str = "C") -> Any:
    """``xp.reshape`` to one dimension, a copy."""
    _known_order("flatten", x, order)
    flat = reshape(x, -1, order)
    return array_namespace(x).astype(flat, x.dtype, copy=True)


def transpose(x: Any, axes: Any = None) -> Any:
    """``xp.permute_dims``; all the other way round if no axes are given."""
    axes = range(x.ndim)[::-1] if axes is None else axes
    return array_namespace(x).permute_dims(x, _ints(tuple(axes)))


def transposed(x: Any, *axes: Any) -> Any:
    """``xp.permute_dims`` to axes, or to integers."""
    return transpose(x, axes[0] if len(axes) == 1 and not _is_int(axes[0]) else axes or None)


def _is_int(x: Any) -> bool:
    return hasattr(x, "__index__")


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """``xp.permute_dims``."""
    axes = list(range(x.ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return transpose(x, axes)


def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """``xp.permute_dims``."""
    axis %= x.ndim
    start = start + x.ndim if start < 0 else start
    axes = [i for i in range(x.ndim) if i != axis]
    axes.insert(start - (axis < start), axis)
    return transpose(x, axes)


def expand_dims(x: Any, axis: Any) -> Any:
    """``xp.expand_dims``, for each axis."""
    axes = _ints(axis)
    n = x.ndim + len(axes)
    for i in axes:
        if not -n <= i < n:
            raise ArgumentError(f"numpy.expand_dims: axis {i} is out of range for {n} dimensions")
    xp = array_namespace(x)
    for i in sorted(i % n for i in axes):
        x = xp.expand_dims(x, axis=i)
    return x


def squeeze(x: Any, axis: Any = None) -> Any:
    """``xp.squeeze``; all axes of length 1 if none is given."""
    axes = tuple(i for i, n in enumerate(x.shape) if n == 1) if axis is None else _ints(axis)
    return array_namespace(x).squeeze(x, axis=axes)


def broadcast_arrays(*arrays: Any) -> Any:
    """``xp.broadcast_arrays``."""
    xp = array_namespace(*(a for a in arrays if hasattr(a, "dtype")))
    return xp.broadcast_arrays(*(xp.asarray(a) for a in arrays))


def tile(x: Any, repetitions: Any) -> Any:
    """``xp.tile``."""
    return array_namespace(x).tile(x, _ints(repetitions))


def fliplr(x: Any) -> Any:
    """``xp.flip`` along axis 1."""
    return array_namespace(x).flip(x, axis=1)


def flipud(x: Any) -> Any:
    """``xp.flip`` along axis 0."""
    return array_namespace(x).flip(x, axis=0)


def _atleast(n: int, arrays: Any, widen: Any) -> Any:
    xp = array_namespace(*(a for a in arrays if hasattr(a, "dtype")))
    arrays = [xp.asarray(a) for a in arrays]
    out = tuple(a if a.ndim >= n else xp.reshape(a, widen(tuple(a.shape))) for a in arrays)
    return out[0] if len(out) == 1 else out


def atleast_1d(*arrays: Any) -> Any:
    """``xp.reshape`` of a number to one element."""
    return _atleast(1, arrays, lambda shape: (1,))


def atleast_2d(*arrays: Any) -> Any:
    """``xp.reshape``, with axes of length 1 before."""
    return _atleast(2, arrays, lambda shape: (1,) * (2 - len(shape)) + shape)


def atleast_3d(*arrays: Any) -> Any:
    """``xp.reshape``, with axes of length 1 before and after."""
    return _atleast(3, arrays, lambda shape: (*((1,) if len(shape) < 2 else ()), *shape, 1, 1)[:3])


# -- joining ---------------------------------------------------------------------------------------


def _joined(arrays: Any, axis: Any, dtype: Any) -> Any:
    xp = array_namespace(*arrays)
    common = xp.result_type(*arrays) if dtype is None else dtype
    return xp.concat([xp.astype(a, common, copy=False) for a in arrays], axis=axis)


def concatenate(arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    """``xp.concat``."""
    return _joined(arrays, axis, dtype)


def stack(arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    """``xp.stack``."""
    xp = array_namespace(*arrays)
    common = xp.result_type(*arrays) if dtype is None else dtype
    return xp.stack([xp.astype(a, common, copy=False) for a in arrays], axis=axis)


def vstack(arrays: Any, dtype: Any = None) -> Any:
    """``xp.concat`` along axis 0 of what has two dimensions at least."""
    return _joined([atleast_2d(a) for a in arrays], 0, dtype)


def hstack(arrays: Any, dtype: Any = None) -> Any:
    """``xp.concat`` along axis 1, of one dimension along axis 0."""
    arrays = [atleast_1d(a) for a in arrays]
    return _joined(arrays, 0 if arrays[0].ndim == 1 else 1, dtype)


def dstack(arrays: Any) -> Any:
    """``xp.concat`` along axis 2 of what has three dimensions at least."""
    return _joined([atleast_3d(a) for a in arrays], 2, None)


def column_stack(arrays: Any) -> Any:
    """``xp.concat`` along axis 1, of one dimension as columns."""
    xp = array_namespace(*arrays)
    columns = [a if a.ndim >= 2 else xp.reshape(a, (-1, 1)) for a in arrays]
    return _joined(columns, 1, None)


def append(x: Any, values: Any, axis: Any = None) -> Any:
    """``xp.concat``, of all elements if the axis is None."""
    if axis is None:
        return _joined([ravel(x), ravel(values)], 0, None)
    return _joined([x, values], axis, None)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """``missing.diff``; numbers at the ends are arrays of NumPy's default dtype, and not weak."""
    xp = array_namespace(x)
    ends = [None if e is None else xp.asarray(e) for e in (prepend, append)]
    dtype = xp.result_type(x, *[e for e in ends if e is not None])
    x, *ends = (e if e is None else xp.astype(e, dtype, copy=False) for e in (x, *ends))
    return missing.diff(x, n=n, axis=axis, prepend=ends[0], append=ends[1])


# -- parting ---------------------------------------------------------------------------------------


def _parts(x: Any, places: list[int], axis: int) -> list[Any]:
    before = (slice(None),) * (axis % x.ndim)
    return [x[(*before, slice(a, b), ...)] for a, b in pairwise([0, *places, None])]


def array_split(x: Any, sections: Any, axis: int = 0) -> Any:
    """Slices ``x[a:b]``."""
    if not _is_int(sections):
        return _parts(x, list(_ints(tuple(sections))), axis)
    n = sections.__index__()
    least, more = divmod(x.shape[axis], n)
    return _parts(x, [i * least + min(i, more) for i in range(1, n)], axis)


def split(x: Any, sections: Any, axis: int = 0) -> Any:
    """Slices ``x[a:b]`` of equal length."""
    if _is_int(sections) and x.shape[axis] % sections:
        raise ArgumentError(
            f"numpy.split: {x.shape[axis]} elements can't be parted in {sections} equal parts"
        )
    return array_split(x, sections, axis)


def hsplit(x: Any, sections: Any) -> Any:
    """Slices along axis 1, of one dimension along axis 0."""
    return split(x, sections, 1 if x.ndim > 1 else 0)


def vsplit(x: Any, sections: Any) -> Any:
    """Slices along axis 0."""
    return split(x, sections, 0)


def dsplit(x: Any, sections: Any) -> Any:
    """Slices along axis 2."""
    return split(x, sections, 2)


def _places(name: str, at: Any, n: int) -> list[int]:
    """Positions along an axis, of integers or a slice."""
    if isinstance(at, slice):
        return list(range(*at.indices(n)))
    if hasattr(at, "ndim") and at.ndim:
        at = list(at)
    elements = at if isinstance(at, list | tuple) else [at]
    kinds = {getattr(getattr(i, "dtype", None), "kind", "i") for i in elements}
    if not kinds <= {"i", "u"} or any(isinstance(i, bool) for i in elements):
        raise TransformError(
            f"numpy.{name}: integers or a slice were expected, got {at!r}{users_line()}; for a "
            "mask write x[~mask]"
        )
    places = _ints(at if not isinstance(at, list) else tuple(at))
    if any(not -n <= i < n + (name == "insert") for i in places):
        raise IndexError(f"numpy.{name}: {places} are out of range for {n} elements")
    return [i + n if i < 0 else i for i in places]


def delete(x: Any, at: Any, axis: Any = None) -> Any:
    """``xp.concat`` of the slices between."""
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    gone = sorted(set(_places("delete", at, x.shape[axis])))
    before = (slice(None),) * (axis % x.ndim)
    ends = [-1, *gone, x.shape[axis]]
    parts = [x[(*before, slice(a + 1, b), ...)] for a, b in pairwise(ends)]
    return _joined(parts, axis, None)


def insert(x: Any, at: Any, values: Any, axis: Any = None) -> Any:
    """``xp.concat`` of slices, and of the values between."""
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    axis %= x.ndim
    places = _places("insert", at, x.shape[axis])
    xp = array_namespace(x)
    values = xp.asarray(values, dtype=x.dtype) if not hasattr(values, "dtype") else values
    values = xp.astype(values, x.dtype)
    values = xp.reshape(values, (1,) * (x.ndim - values.ndim) + tuple(values.shape))
    if not isinstance(at, slice | list | tuple) and not getattr(at, "ndim", 0):
        values = xp.moveaxis(values, 0, axis)
    shape = [*x.shape]
    shape[axis] = len(places) if len(places) != 1 else values.shape[axis]
    values = xp.broadcast_to(values, tuple(shape))
    if len(places) == 1:
        between = [values]
    else:
        order = sorted(range(len(places)), key=places.__getitem__)
        before = (slice(None),) * axis
        between = [values[(*before, slice(k, k + 1), ...)] for k in order]
    first, *rest = _parts(x, sorted(places), axis)
    parts = [first, *(part for pair in zip(between, rest, strict=True) for part in pair)]
    return xp.concat(parts, axis=axis)


# -- diagonals and grids ---------------------------------------------------------------------------


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """``xp.linalg.diagonal`` with the two axes moved to the end."""
    xp = array_namespace(x)
    return xp.linalg.diagonal(xp.moveaxis(x, (axis1, axis2), (-2, -1)), offset=offset)


def diag(x: Any, k: int = 0) -> Any:
    """``xp.linalg.diagonal`` of a matrix, ``xp.where`` to make one of a vector."""
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ArgumentError(f"numpy.diag: 1 or 2 dimensions were expected, got {x.ndim}")
    xp = array_namespace(x)
    n = x.shape[0] + abs(k)
    where = device(x)
    zeros = xp.zeros((abs(k),), dtype=x.dtype, device=where)
    line = xp.concat([zeros, x] if k > 0 else [x, zeros]) if k else x
    on = xp.eye(n, k=k, dtype=xp.bool, device=where)
    return xp.where(on, line, xp.zeros((), dtype=x.dtype, device=where))


def diagflat(x: Any, k: int = 0) -> Any:
    """``xp.where`` to make a matrix of all elements."""
    return diag(ravel(x), k)


def meshgrid(*arrays: Any, indexing: str = "xy") -> Any:
    """``xp.meshgrid``."""
    xp = array_namespace(*(a for a in arrays if hasattr(a, "dtype")))
    return tuple(xp.meshgrid(*(ravel(xp.asarray(a)) for a in arrays), indexing=indexing))


def ix_(*arrays: Any) -> Any:
    """``xp.reshape``, each along its own axis."""
    xp = array_namespace(*(a for a in arrays if hasattr(a, "dtype")))
    n = len(arrays)
    return tuple(
        xp.reshape(xp.asarray(a), tuple(-1 if i == k else 1 for i in range(n)))
        for k, a in enumerate(arrays)
    )
