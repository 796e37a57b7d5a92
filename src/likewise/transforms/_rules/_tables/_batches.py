"""Batching rules of functions that move, select and join elements.

An index with arrays becomes one array of positions (`_positions`), with NumPy's rules for the order
of dimensions: the standard allows only indices of arrays, and with positions that include the batch
index every index becomes a ``take``.
"""

import math
from typing import Any

from ...._namespace import device
from ....errors import TransformError
from ....missing._at import _cast
from ....missing._segments import index_dtype
from ..._following._escapes import users_line
from ..._following._instructions import ELEMENTWISE, HOLE
from .._batching import axes, batched, elementwise_batched

__all__: list[str] = []

_shifted = axes  # where a setting has that name

ALL = slice(None)

elementwise_batched(*ELEMENTWISE)


def _flat(xp: Any, x: Any) -> Any:
    """Each lane as a vector."""
    return xp.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


def _wide(xp: Any, x: Any, ndim: int) -> Any:
    """Dimensions put in, so that a lane has `ndim`."""
    return xp.reshape(x, (x.shape[0], *(1,) * (ndim + 1 - x.ndim), *x.shape[1:]))


# -- moved -----------------------------------------------------------------------------------------


def _reshape(xp: Any, x: Any, shape: Any, copy: Any) -> Any:
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if -1 in sizes:  # another lane must not make up for what doesn't fit
        known = math.prod(n for n in sizes if n != -1)
        size = math.prod(x.shape[1:])
        if sizes.count(-1) > 1 or not known or size % known:
            raise ValueError(f"reshape: an array of shape {tuple(x.shape[1:])} to {shape}")
        sizes[sizes.index(-1)] = size // known
    return xp.reshape(x, (x.shape[0], *sizes), copy=copy)


def _expand_dims(xp: Any, x: Any, axis: Any) -> Any:
    more = len(axis) if isinstance(axis, tuple | list) else 1
    return xp.expand_dims(x, axis=axes(axis, x.ndim + more))


def _roll(xp: Any, x: Any, shift: Any, axis: Any) -> Any:
    if axis is None:
        return xp.reshape(xp.roll(_flat(xp, x), shift, axis=1), x.shape)
    return xp.roll(x, shift, axis=axes(axis, x.ndim))


def _tile(xp: Any, x: Any, repetitions: tuple[int, ...]) -> Any:
    ndim = max(x.ndim - 1, len(repetitions))
    times = (1,) * (ndim - len(repetitions)) + tuple(repetitions)
    return xp.tile(_wide(xp, x, ndim), (1, *times))


def _repeat(xp: Any, x: Any, repeats: Any, axis: Any) -> Any:
    if hasattr(repeats, "shape"):
        if repeats.shape[0] != 1:
            raise TransformError(
                f"repeat: lanes with different repeats have different shapes{users_line()} (vmap)"
            )
        repeats = repeats[0, ...]
    if axis is None:
        x = _flat(xp, x)
    return xp.repeat(x, repeats, axis=1 if axis is None else axes(axis, x.ndim))


def _broadcast_to(xp: Any, x: Any, shape: Any) -> Any:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return xp.broadcast_to(_wide(xp, x, len(shape)), (x.shape[0], *shape))


batched("reshape", _reshape)
batched("expand_dims", _expand_dims)
batched("squeeze", lambda xp, x, axis: xp.squeeze(x, axis=axes(axis, x.ndim)))
batched("permute_dims", lambda xp, x, axes: xp.permute_dims(x, (0, *_shifted(axes, x.ndim))))
batched(
    "moveaxis",
    lambda xp, x, source, destination: xp.moveaxis(
        x, axes(source, x.ndim), axes(destination, x.ndim)
    ),
)
batched("broadcast_to", _broadcast_to)
batched("flip", lambda xp, x, axis: xp.flip(x, axis=axes(axis, x.ndim)))
batched("roll", _roll)
batched("tile", _tile)
batched("repeat", _repeat, thin=True)

for _name in ("matrix_transpose", "linalg.matrix_transpose"):
    batched(_name, lambda xp, x: xp.matrix_transpose(_matrix(x)))


def _matrix(x: Any) -> Any:
    """A batch of matrices, or of stacks of them."""
    if x.ndim < 3:
        raise ValueError(f"a matrix was expected, got {x.ndim - 1} dimensions")
    return x


# -- joined and parted -----------------------------------------------------------------------------


def _concat(xp: Any, arrays: Any, axis: Any) -> Any:
    if axis is None:
        return xp.concat([_flat(xp, a) for a in arrays], axis=1)
    return xp.concat(list(arrays), axis=axes(axis, arrays[0].ndim))


def _diff(xp: Any, x: Any, prepend: Any, append: Any, axis: Any, n: int) -> Any:
    ends = {"prepend": prepend, "append": append}
    given = {k: a for k, a in ends.items() if a is not None}
    return xp.diff(x, axis=axes(axis, x.ndim), n=n, **given)


def _linspace(xp: Any, start: Any, stop: Any, num: int, dtype: Any, endpoint: bool) -> Any:
    # torch has no ranges between arrays, so by what a range is; the last one exactly.
    one = next(a for a in (start, stop) if hasattr(a, "dtype"))
    common = xp.result_type(start, stop)
    if not xp.isdtype(common, ("real floating", "complex floating")):
        common = xp.__array_namespace_info__().default_dtypes(device=device(one))["real floating"]
    start, stop = (
        xp.astype(a, common)
        if hasattr(a, "dtype")
        else xp.asarray([a], dtype=common, device=device(one))
        for a in (start, stop)
    )
    ndim = max(start.ndim, stop.ndim)
    start, stop = ((_wide(xp, a, ndim - 1)[:, None, ...]) for a in (start, stop))
    steps = xp.arange(num, dtype=common, device=device(one))
    steps = xp.reshape(steps, (1, num) + (1,) * (ndim - 1))
    out = start + steps * ((stop - start) / max(num - bool(endpoint), 1))
    if endpoint and num > 1:
        out = xp.where(steps == num - 1, stop, out)
    return out if dtype is None else xp.astype(out, dtype)


def _cross(xp: Any, x1: Any, x2: Any, axis: int) -> Any:
    ndim = max(x1.ndim, x2.ndim) - 1
    axis = axis if axis < 0 else axis - ndim
    return xp.linalg.cross(_wide(xp, x1, ndim), _wide(xp, x2, ndim), axis=axis)


batched("concat", _concat)
batched("stack", lambda xp, arrays, axis: xp.stack(arrays, axis=axes(axis, arrays[0].ndim + 1)))
batched("unstack", lambda xp, x, axis: tuple(xp.unstack(x, axis=axes(axis, x.ndim))))
batched("tril", lambda xp, x, k: xp.tril(_matrix(x), k=k))
batched("triu", lambda xp, x, k: xp.triu(_matrix(x), k=k))
batched("diff", _diff)
batched("linspace", _linspace, thin=True)
batched("linalg.diagonal", lambda xp, x, offset: xp.linalg.diagonal(_matrix(x), offset=offset))
batched(
    "linalg.trace",
    lambda xp, x, offset, dtype: xp.linalg.trace(_matrix(x), offset=offset, dtype=dtype),
)
batched("linalg.outer", lambda xp, x1, x2: x1[:, :, None] * x2[:, None, :], thin=True)
batched("linalg.cross", _cross)


# -- picked ----------------------------------------------------------------------------------------


def _entries(xp: Any, x: Any, index: Any, arrays: Any) -> list[Any]:
    """The entries of an index, arrays in their holes, for all dimensions of a lane."""
    ndim = x.ndim - 1
    left = iter(arrays)
    given = list(index) if isinstance(index, tuple) else [index]
    entries: list[Any] = []
    used = 0
    for entry in given:
        array = next(left) if entry is HOLE else entry
        if isinstance(array, bool):
            raise TransformError(
                f"a Python bool as an index has no rule for batches{users_line()} (vmap)"
            )
        if isinstance(array, list):
            array = xp.asarray(array, device=device(x))[None, ...]
        entries.append(array)
        if hasattr(array, "dtype") and array.dtype == xp.bool:
            used += array.ndim - 1  # without the lanes
        elif array is not None and array is not Ellipsis:
            used += 1
    if used > ndim:
        raise IndexError(f"got {used} indices for {ndim} dimensions")
    places = [k for k, e in enumerate(entries) if e is Ellipsis]
    if len(places) > 1:
        raise IndexError("an index can have one Ellipsis only")
    at = places[0] if places else len(entries)
    return entries[:at] + [ALL] * (ndim - used) + entries[at + 1 :]


def _without_masks(xp: Any, entries: list[Any]) -> list[Any]:
    """An array of integers for each dimension of a mask that all lanes share."""
    out: list[Any] = []
    for entry in entries:
        if hasattr(entry, "dtype") and entry.dtype == xp.bool:
            if entry.shape[0] != 1:
                raise TransformError(
                    "a mask that differs between lanes picks different numbers of elements"
                    f"{users_line()}, and a batch has one shape for all. Use "
                    "xp.where(mask, x, 0), a where= argument, or sums of products with the mask."
                )
            out += [a[None, ...] for a in xp.nonzero(entry[0, ...])]
        else:
            out.append(entry)
    return out


def _layout(entries: list[Any]) -> tuple[list[Any], int, tuple[int, ...]]:
    """The dimensions of the result: slices, None, and 'arrays' for those of the index arrays."""
    advanced = [k for k, e in enumerate(entries) if hasattr(e, "dtype") or isinstance(e, int)]
    shapes = [tuple(entries[k].shape[1:]) for k in advanced if hasattr(entries[k], "dtype")]
    ndim = max(map(len, shapes))
    order = [e for k, e in enumerate(entries) if k not in advanced]
    together = advanced[-1] - advanced[0] == len(advanced) - 1
    # NumPy: arrays that stand apart bring their dimensions to the front.
    at = advanced[0] if together else 0
    return order, at, (1,) * ndim


def _positions(xp: Any, x: Any, entries: list[Any], whole: bool) -> tuple[Any, tuple[int, ...]]:
    """Positions in an array whose first dimensions are one, and the dimensions left as they are.

    Negative entries count from the end, and those out of range point behind the whole array.
    """
    where = device(x)
    dtype = index_dtype(xp, where)
    shape = tuple(x.shape)
    kept: tuple[int, ...] = ()
    while not whole and entries and isinstance(entries[-1], slice) and entries[-1] == ALL:
        entries = entries[:-1]
        kept = (shape[-1], *kept)
        shape = shape[:-1]
    order, at, block = _layout(entries)
    ndim = len(order) + len(block)  # of a lane of the result
    after = len(order) - at
    strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    total = math.prod(shape)
    lane = xp.arange(shape[0], dtype=dtype, device=where) * strides[0]
    out = xp.reshape(lane, (shape[0],) + (1,) * ndim)
    outside: Any = False
    axis = passed = 0  # dimensions of x after the lanes, and of the result beside the arrays'
    for entry in entries:
        if entry is None:
            passed += 1
            continue
        axis += 1
        n, stride = shape[axis], strides[axis]
        if isinstance(entry, slice):
            r = range(n)[entry]
            picks = xp.arange(r.start, r.stop, r.step, dtype=dtype, device=where)
            behind = ndim - 1 - (passed if passed < at else passed + len(block))
            out = out + xp.reshape(picks * stride, (len(r),) + (1,) * behind)
            passed += 1
        elif isinstance(entry, int):
            if not -n <= entry < n:
                raise IndexError(f"index {entry} is out of range for an axis of size {n}")
            out = out + entry % n * stride
        else:
            i = xp.astype(entry, dtype)
            i = _wide(xp, i, len(block))
            i = xp.reshape(i, (*i.shape, *(1,) * after))
            i = xp.reshape(i, (i.shape[0], *(1,) * (ndim - i.ndim + 1), *i.shape[1:]))
            outside = outside | (i < -n) | (i >= n)
            out = out + xp.where(i < 0, i + n, i) * stride
    out = xp.where(outside, total, out)
    return out, kept


def _lanes(*arrays: Any) -> int:
    """The batch's size, if some come with size 1 in its place."""
    sizes = [a.shape[0] for a in arrays if hasattr(a, "shape")]
    return next((n for n in sizes if n != 1), 1)


def _basic(index: Any) -> tuple[Any, ...]:
    """An index without arrays, after the lanes."""
    entries = index if isinstance(index, tuple) else (index,)
    return (ALL, *entries) if any(e is ... for e in entries) else (ALL, *entries, ...)


def _is_basic(index: Any, indices: Any) -> bool:
    entries = index if isinstance(index, tuple) else (index,)
    return not indices and not any(isinstance(e, list) for e in entries)


def _getitem(xp: Any, x: Any, indices: Any, index: Any) -> Any:
    if _is_basic(index, indices):
        return x[_basic(index)]
    entries = _without_masks(xp, _entries(xp, x, index, indices))
    at, kept = _positions(xp, x, entries, False)
    rows = xp.reshape(x, (math.prod(x.shape[: x.ndim - len(kept)]), *kept))
    picked = xp.take(rows, xp.reshape(at, (-1,)), axis=0)
    return xp.reshape(picked, (*at.shape, *kept))


def _mask_of(xp: Any, indices: Any, index: Any) -> Any:
    """The mask of an index that is one mask and nothing else."""
    alone = not isinstance(index, tuple) or len(index) == 1
    return indices[0] if alone and len(indices) == 1 and indices[0].dtype == xp.bool else None


def _updated(xp: Any, op: str, x: Any, value: Any, indices: Any, index: Any) -> Any:
    """`setitem` or `index_add` for a batch; both are called the same way."""
    apply = getattr(xp, op)
    lanes = _lanes(x, value, *indices)
    if x.shape[0] != lanes:
        x = xp.broadcast_to(x, (lanes, *x.shape[1:]))
    value = _cast({"setitem": "set", "index_add": "add"}[op], x, value)[1]
    if value.ndim == 0:
        value = value[None]
    mask = _mask_of(xp, indices, index)
    if mask is not None:
        rest = x.ndim - mask.ndim
        if value.ndim == rest + 2 and value.shape[1] == 1:
            value = value[:, 0, ...]
        if value.ndim <= rest + 1:
            chosen = xp.reshape(mask, (*mask.shape, *(1,) * rest))
            value = _wide(xp, value, x.ndim - 1)
            return xp.where(chosen, value if op == "setitem" else x + value, x)
    if _is_basic(index, indices):
        shape = x[_basic(index)].shape
        return apply(x, _fitting(xp, value, len(shape)), index=_basic(index))
    entries = _without_masks(xp, _entries(xp, x, index, indices))
    at, kept = _positions(xp, x, entries, op == "setitem")
    rows = (math.prod(x.shape[: x.ndim - len(kept)]), *kept)
    value = xp.broadcast_to(_fitting(xp, value, at.ndim + len(kept)), (*at.shape, *kept))
    value = xp.reshape(value, (math.prod(at.shape), *kept))
    out = apply(xp.reshape(x, rows), value, xp.reshape(at, (-1,)), index=(HOLE,))
    return xp.reshape(out, x.shape)


def _fitting(xp: Any, value: Any, ndim: int) -> Any:
    """A value whose lanes line up with those of what is set; NumPy drops leading ones."""
    while value.ndim > ndim and value.shape[1] == 1:
        value = value[:, 0, ...]
    return _wide(xp, value, ndim - 1)


def _take(xp: Any, x: Any, indices: Any, axis: Any) -> Any:
    if axis is None and x.ndim != 2:
        raise ValueError("take: axis must be given unless x has one dimension")
    axis = 1 if axis is None else axes(axis, x.ndim)
    if indices.shape[0] == 1:
        return xp.take(x, indices[0, ...], axis=axis)
    return _getitem(xp, x, (indices,), (*(ALL,) * (axis - 1), HOLE))


batched("getitem", _getitem, thin=True)
batched("take", _take, thin=True)
batched(
    "take_along_axis",
    lambda xp, x, indices, axis: xp.take_along_axis(x, indices, axis=axes(axis, x.ndim)),
)
batched(
    "setitem",
    lambda xp, x, value, indices, index: _updated(xp, "setitem", x, value, indices, index),
    thin=True,
)
batched(
    "index_add",
    lambda xp, x, value, indices, index: _updated(xp, "index_add", x, value, indices, index),
    thin=True,
)
