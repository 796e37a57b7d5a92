"""Derivatives of functions that move, select and join elements: the transposes of linear maps."""

import math
from typing import Any

from ...._namespace import device
from ....missing._segments import index_dtype
from ..._following._instructions import HOLE
from .._rules import bilinear, linear

__all__: list[str] = []

ALL = slice(None)


def _of(xp: Any, name: str) -> Any:
    """An instruction that is no function of the standard."""
    return getattr(xp, name)


def _zeros(xp: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros to put a cotangent into."""
    return xp.zeros(shape, dtype=g.dtype, device=device(g))


# -- moved -----------------------------------------------------------------------------------------


def _permuted(g: Any, xp: Any, axes: tuple[int, ...]) -> Any:
    places = [a % len(axes) for a in axes]
    return xp.permute_dims(g, tuple(places.index(i) for i in range(len(axes))))


def _rolled(g: Any, xp: Any, shift: Any, axis: Any) -> Any:
    back = tuple(-s for s in shift) if isinstance(shift, tuple | list) else -shift
    return xp.roll(g, back, axis=axis)


linear("reshape", lambda g, xp, x_shape: xp.reshape(g, x_shape))
linear("expand_dims", lambda g, xp, x_shape: xp.reshape(g, x_shape))
linear("squeeze", lambda g, xp, x_shape: xp.reshape(g, x_shape))
linear("permute_dims", _permuted)
linear("moveaxis", lambda g, xp, source, destination: xp.moveaxis(g, destination, source))
linear("matrix_transpose", lambda g, xp: xp.matrix_transpose(g))
linear("linalg.matrix_transpose", lambda g, xp: xp.matrix_transpose(g))
linear("broadcast_to", lambda g: g)  # what is broadcast is summed to the operand's shape anyway
linear("flip", lambda g, xp, axis: xp.flip(g, axis=axis))
linear("roll", _rolled)


# -- repeated --------------------------------------------------------------------------------------


def _untiled(g: Any, xp: Any, x_shape: tuple[int, ...], repetitions: tuple[int, ...]) -> Any:
    ndim = max(len(x_shape), len(repetitions))
    shape = (1,) * (ndim - len(x_shape)) + x_shape
    times = (1,) * (ndim - len(repetitions)) + tuple(repetitions)
    pairs = tuple(n for pair in zip(times, shape, strict=True) for n in pair)
    g = xp.sum(xp.reshape(g, pairs), axis=tuple(range(0, 2 * ndim, 2)), dtype=g.dtype)
    return xp.reshape(g, x_shape)


def _unrepeated(g: Any, xp: Any, x_shape: tuple[int, ...], repeats: Any, axis: Any) -> Any:
    if axis is None:
        size = math.prod(x_shape)
        return xp.reshape(_unrepeated(g, xp, (size,), repeats, 0), x_shape)
    axis %= len(x_shape)
    n = x_shape[axis]
    if isinstance(repeats, int):
        wide = (*x_shape[:axis], n, repeats, *x_shape[axis + 1 :])
        return xp.sum(xp.reshape(g, wide), axis=axis + 1, dtype=g.dtype)
    source = xp.repeat(xp.arange(n, dtype=repeats.dtype, device=device(repeats)), repeats)
    return _added_rows(xp, g, source, axis, x_shape)


def _added_rows(xp: Any, g: Any, indices: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """Slices of a cotangent along an axis, each added where it was taken from."""
    rest = shape[:axis] + shape[axis + 1 :]
    front = tuple(range(axis, axis + indices.ndim))
    g = xp.moveaxis(g, front, tuple(range(indices.ndim))) if axis else g
    out = _of(xp, "index_add")(_zeros(xp, g, (shape[axis], *rest)), g, indices, index=(HOLE,))
    return xp.moveaxis(out, 0, axis) if axis else out


linear("tile", _untiled)
linear("repeat", _unrepeated, None)


# -- joined and parted -----------------------------------------------------------------------------


def _part(g: Any, xp: Any, i: int, shapes: tuple[tuple[int, ...], ...], axis: Any) -> Any:
    """Return what of the cotangent of joined arrays belongs to one of them."""
    shape = shapes[i]
    if axis is None:
        sizes = [math.prod(s) for s in shapes[: i + 1]]
        axis = 0
    else:
        axis %= len(shape)
        sizes = [s[axis] for s in shapes[: i + 1]]
    start = sum(sizes[:-1])
    part = g[(*(ALL,) * axis, slice(start, start + sizes[-1]), ...)]
    return xp.reshape(part, shape)


def _stacked(g: Any, xp: Any, axis: int) -> Any:
    """The cotangent of all parts, of those of some."""
    some = next(c for c in g if c is not None)
    return xp.stack([xp.zeros_like(some) if c is None else c for c in g], axis=axis)


linear("concat", _part)
linear("stack", lambda g, i, axis: g[(*(ALL,) * (axis % g.ndim), i, ...)])
linear("unstack", _stacked)


# -- picked ----------------------------------------------------------------------------------------


def _ungot(g: Any, xp: Any, x_shape: tuple[int, ...], indices: Any, index: Any) -> Any:
    out = _zeros(xp, g, x_shape)
    if indices:
        return _of(xp, "index_add")(out, g, *indices, index=index)
    return _of(xp, "setitem")(out, g, index=index)


def _left(g: Any, xp: Any, indices: Any, index: Any) -> Any:
    """Return the old elements' part of the cotangent of an array with new ones."""
    return _of(xp, "setitem")(g, 0, *indices, index=index)


def _new(g: Any, xp: Any, x_shape: Any, value_shape: Any, indices: Any, index: Any) -> Any:
    """Return the new elements' part of the cotangent of an array that has them."""
    kept = _masked(g, xp, value_shape, indices, index)
    if kept is not None:
        return kept
    g = _of(xp, "getitem")(g, *indices, index=index)
    if not indices or any(i.dtype == xp.bool for i in indices):
        return g
    # An index may name an element twice; the cotangent is that of the value which remained.
    where = device(g)
    dtype = index_dtype(xp, where)
    number = xp.reshape(xp.arange(math.prod(g.shape), dtype=dtype, device=where), g.shape)
    last = _of(xp, "setitem")(
        xp.zeros(x_shape, dtype=dtype, device=where), number, *indices, index=index
    )
    return xp.where(_of(xp, "getitem")(last, *indices, index=index) == number, g, 0)


def _masked(g: Any, xp: Any, value_shape: Any, indices: Any, index: Any) -> Any:
    """The cotangent at a mask and 0 elsewhere, which is enough for a value that is one for all."""
    if len(indices) != 1 or indices[0].dtype != xp.bool:
        return None
    (mask,) = indices
    if isinstance(index, tuple) and len(index) != 1:
        return None
    rest = g.ndim - mask.ndim
    if len(value_shape) > rest and (len(value_shape) > rest + 1 or value_shape[0] != 1):
        return None
    return xp.where(xp.reshape(mask, tuple(mask.shape) + (1,) * rest), g, 0)


def _added(g: Any, xp: Any, value_shape: Any, indices: Any, index: Any) -> Any:
    kept = _masked(g, xp, value_shape, indices, index)
    if kept is not None:
        return kept
    entries = index if isinstance(index, tuple) else (index,)
    if all(e is HOLE for e in entries) and all(i.dtype != xp.bool for i in indices):
        return _rows(g, xp, indices)
    return _of(xp, "getitem")(g, *indices, index=index)


def _rows(g: Any, xp: Any, indices: Any) -> Any:
    """Pick from the first dimensions by arrays of integers; some libraries want all indexed."""
    flat: Any = 0
    for i, n in zip(indices, g.shape, strict=False):
        flat = xp.where(i < 0, i + n, i) + flat * n
    rest = tuple(g.shape[len(indices) :])
    rows = xp.reshape(g, (math.prod(g.shape[: len(indices)]), *rest))
    return xp.reshape(xp.take(rows, xp.reshape(flat, (-1,)), axis=0), (*flat.shape, *rest))


def _untaken(g: Any, xp: Any, x_shape: tuple[int, ...], indices: Any, axis: Any) -> Any:
    return _added_rows(xp, g, indices, 0 if axis is None else axis % len(x_shape), x_shape)


def _untaken_along(g: Any, xp: Any, x_shape: Any, indices: Any, axis: int) -> Any:
    axis %= len(x_shape)
    indices = xp.broadcast_to(indices, g.shape)
    last = tuple(g.shape[:axis]) + tuple(g.shape[axis + 1 :])
    rows = math.prod(last)
    n, m = x_shape[axis], g.shape[axis]
    row = xp.arange(rows, dtype=indices.dtype, device=device(indices))
    out = _of(xp, "index_add")(
        _zeros(xp, g, (rows, n)),
        xp.reshape(xp.moveaxis(g, axis, -1), (rows, m)),
        xp.reshape(row, (rows, 1)),
        xp.reshape(xp.moveaxis(indices, axis, -1), (rows, m)),
        index=(HOLE, HOLE),
    )
    return xp.moveaxis(xp.reshape(out, (*last, n)), -1, axis)


linear("getitem", _ungot, None)
linear("setitem", _left, _new, None)
linear("index_add", lambda g: g, _added, None)
linear("take", _untaken, None)
linear("take_along_axis", _untaken_along, None)
linear("tril", lambda g, xp, k: xp.tril(g, k=k))
linear("triu", lambda g, xp, k: xp.triu(g, k=k))


def _on_diagonal(g: Any, xp: Any, x_shape: tuple[int, ...], offset: int) -> Any:
    """Vectors on a diagonal of matrices, zeros elsewhere."""
    rows, columns = x_shape[-2:]
    where = xp.eye(rows, columns, k=offset, dtype=xp.bool, device=device(g))
    lead = tuple(g.shape[:-1])
    first = min(max(-offset, 0), rows)
    last = rows - first - g.shape[-1]
    parts = [_zeros(xp, g, (*lead, first)), g, _zeros(xp, g, (*lead, last))]
    g = xp.concat(parts, axis=-1)
    return xp.where(where, xp.reshape(g, (*lead, rows, 1)), 0)


def _traced(g: Any, xp: Any, x_shape: tuple[int, ...], offset: int) -> Any:
    where = xp.eye(*x_shape[-2:], k=offset, dtype=xp.bool, device=device(g))
    return xp.where(where, xp.reshape(g, (*g.shape, 1, 1)), 0)


linear("linalg.diagonal", _on_diagonal)
linear("linalg.trace", _traced)


# -- differences, ranges, products -----------------------------------------------------------------


def _undiff(g: Any, xp: Any, i: int, shapes: Any, axis: int, n: int) -> Any:
    """Differences of the cotangent, with zeros around it, for one of what was joined before."""
    axis %= len(shapes[0])
    joined = [k for k in (1, 0, 2) if k < len(shapes) and shapes[k] is not None]
    sizes = {k: shapes[k][axis] if shapes[k] else 1 for k in joined}
    if n == 0:  # then the array comes back, and nothing is joined to it
        return g if i == 0 else _zeros(xp, g, (*g.shape[:axis], sizes[i], *g.shape[axis + 1 :]))
    total = sum(sizes.values())
    shape = [*shapes[0][:axis], total, *shapes[0][axis + 1 :]]
    if total <= n:
        whole = _zeros(xp, g, tuple(shape))
    else:
        edge = _zeros(xp, g, (*shape[:axis], n, *shape[axis + 1 :]))
        whole = xp.diff(xp.concat([edge, g, edge], axis=axis), axis=axis, n=n)
        whole = -whole if n % 2 else whole
    start = sum(sizes[k] for k in joined[: joined.index(i)])
    return whole[(*(ALL,) * axis, slice(start, start + sizes[i]), ...)]


def _weights(xp: Any, g: Any, endpoint: bool) -> Any:
    """Return what part of the way from start to stop each number has gone."""
    n = g.shape[0]
    dtype = xp.real(g).dtype if xp.isdtype(g.dtype, "complex floating") else g.dtype
    steps = xp.arange(n, dtype=dtype, device=device(g)) / max(n - endpoint, 1)
    return xp.reshape(steps, (n,) + (1,) * (g.ndim - 1))


def _outer_pull(g: Any, xp: Any, other: Any, axis: int) -> Any:
    other = xp.expand_dims(other, axis=1 - axis)
    return xp.sum(g * other, axis=axis)


linear("diff", _undiff)
linear(
    "linspace",
    lambda g, xp, endpoint: xp.sum(g * (1 - _weights(xp, g, endpoint)), axis=0),
    lambda g, xp, endpoint: xp.sum(g * _weights(xp, g, endpoint), axis=0),
)
bilinear(
    "linalg.outer",
    lambda g, xp, x2: _outer_pull(g, xp, x2, 1),
    lambda g, xp, x1: _outer_pull(g, xp, x1, 0),
)
bilinear(
    "linalg.cross",
    lambda g, xp, x2, axis: xp.linalg.cross(_as(xp, x2, g), g, axis=axis),
    lambda g, xp, x1, axis: xp.linalg.cross(g, _as(xp, x1, g), axis=axis),
)


def _as(xp: Any, x: Any, g: Any) -> Any:
    """An operand as wide as the cotangent, so that axes count alike."""
    return xp.broadcast_to(x, g.shape)
