"""Functions that NumPy has in another form: what rows of the algorithms call.

NotImplemented stands for values that NumPy refuses, and for which the caller has another way.
"""

import math
from typing import Any

import numpy as np

from ...errors import ArgumentError
from ._library import LIBRARY

_NAMESPACE = LIBRARY.namespace

# -- places ----------------------------------------------------------------------------------------


def _outside(ids: Any, size: int) -> bool:
    """Tell if an index is negative, which is very large without its sign, or not below `size`."""
    return bool(ids.size and ids.view(np.uint64).max() >= size)


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows joined by segment; those of no segment are left out."""
    if _outside(ids, size):
        inside = (ids >= 0) & (ids < size)
        ids, data = ids[inside], data[inside]
    shape, width = (size, *data.shape[1:]), math.prod(data.shape[1:])
    if data.ndim > 1:  # NumPy is quick along one dimension only
        ids, data = (ids[:, None] * width + np.arange(width)).reshape(-1), data.reshape(-1)
    total = size * width
    plain = op == "add" and math.copysign(1.0, initial) > 0  # it starts at 0.0, and never at -0.0
    if plain and data.dtype.kind == "f":
        out = np.bincount(ids, data, total).astype(data.dtype)
    elif plain and data.dtype.kind == "c":
        out = np.empty(total, data.dtype)
        out.real, out.imag = (np.bincount(ids, part, total) for part in (data.real, data.imag))
    else:
        out = np.full(total, initial, data.dtype)
        with np.errstate(all="ignore"):
            getattr(np, op).at(out, ids, data)
    return out.reshape(shape)


def tallied(x: Any, weights: Any, size: int) -> Any:
    """`bincount` of a given size."""
    if _outside(x, size):
        if x.min() < 0:
            raise ArgumentError("bincount: x must not be negative, but its smallest element is")
        inside = x < size
        x, weights = x[inside], None if weights is None else weights[inside]
    out = np.bincount(x, weights, size)
    return out if weights is None else out.astype(float, copy=False)  # of nothing, integers


def count(ids: Any, size: int) -> Any:
    if _outside(ids, size):
        ids = ids[(ids >= 0) & (ids < size)]
    return np.bincount(ids, minlength=size)


def at_update(x: Any, index: Any, value: Any, op: str) -> Any:
    out = np.array(x)
    with np.errstate(all="ignore"):
        getattr(np, op).at(out, index, value)
    return out


def put(x: Any, indices: Any, values: Any, mode: Any) -> Any:
    out = np.array(x)
    try:
        np.put(out, indices, values, mode)
    except IndexError:
        return NotImplemented  # and the generic body says what is wrong
    return out


def put_along_axis(x: Any, indices: Any, values: Any, axis: int) -> Any:
    out = np.array(x)
    try:
        np.put_along_axis(out, indices, values, axis)
    except IndexError:
        return NotImplemented
    return out


def isin(x: Any, y: Any, assume_unique: bool, invert: bool, kind: Any) -> Any:
    try:
        return np.isin(x, y, assume_unique, invert, kind=kind)
    except (MemoryError, RuntimeError):  # the numbers range too far for a table
        return NotImplemented


# -- ranks -----------------------------------------------------------------------------------------


def ranks(x: Any, method: str) -> Any:
    """Ranks in rows, by one sort and the places where sorted neighbours differ."""
    n = x.shape[-1]
    flat = x.reshape(-1)
    order = np.argsort(x, axis=-1, stable=method == "ordinal")
    order += np.arange(0, flat.size, n).reshape(*x.shape[:-1], 1)
    order = order.reshape(-1)
    place = np.arange(flat.size)
    if method != "ordinal":
        ordered = flat[order]
        differs = np.empty(flat.size, dtype=bool)
        np.not_equal(ordered[1:], ordered[:-1], out=differs[1:])
        differs[::n] = True
        starts = np.flatnonzero(differs)
        sizes = np.diff(starts, append=flat.size)
        if method == "dense":
            row = starts // n
            found = np.arange(starts.size) - np.searchsorted(row, row) + 1
        elif method == "min":
            found = starts % n + 1
        elif method == "max":
            found = starts % n + sizes
        else:
            found = starts % n + (sizes + 1) / 2
        place = np.repeat(found, sizes)
        if method == "average" and x.dtype.kind == "f":
            place = place.astype(x.dtype, copy=False)
    else:
        place = place % n + 1
    out = np.empty_like(place)
    out[order] = place
    return out.reshape(x.shape)


def topk(x: Any, k: int, largest: bool) -> Any:
    """By a partition, and a sort of all that is not behind its threshold; of rows, in turn."""
    if x.ndim > 1:
        return NotImplemented
    place = x.shape[0] - k if largest else k - 1
    threshold = np.partition(x, place)[place]
    if x.dtype.kind != "f":
        behind = x < threshold if largest else x > threshold
    elif largest:  # NaNs are in front of everything, or nothing but NaNs is
        behind = ~np.isnan(x) if np.isnan(threshold) else x < threshold
    else:
        behind = np.zeros(x.shape, bool) if np.isnan(threshold) else ~(x <= threshold)
    (candidates,) = np.nonzero(~behind)
    some = x[candidates]
    order = _NAMESPACE.argsort(some, descending=largest, stable=True)[:k]
    return some[order], candidates[order]


# -- without NaNs ----------------------------------------------------------------------------------


def nansum(x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
    return np.nansum(x, axis, dtype, None, keepdims)


def nanmean(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.nanmean(x, axis, None, None, keepdims)


def nan_to_num(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    return np.nan_to_num(x, True, nan, posinf, neginf)


# -- quotients and norms ---------------------------------------------------------------------------


def safe_divide(x: Any, y: Any, fill: Any) -> Any:
    """Divided everywhere, and put right where there are zeros."""
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.divide(x, y)
    return out if y.all() else np.where(y == 0, fill, out)[()]


def safe_norm(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """NumPy's norm along all axes, by a product of vectors, or along one or two."""
    axis: Any = None if len(axes) == x.ndim else axes
    return np.linalg.norm(x, None, axis, keepdims)


# -- bins, and elements by number ------------------------------------------------------------------

# What NumPy finds wrong is left to the generic bodies, whose errors name function and argument.


def _strange(edges: Any) -> bool:
    """Tell if there are NaNs among edges, which NumPy doesn't mind."""
    if edges.dtype.kind != "f" or not edges.size:
        return False
    largest = edges[edges.argmax()]  # a NaN, if there is one; the quickest way to see it
    return bool(largest != largest)


def digitize(x: Any, edges: Any, right: bool) -> Any:
    if _strange(edges):
        return NotImplemented
    try:
        return np.digitize(x, edges, right)
    except ValueError:
        return NotImplemented


def histogram(x: Any, bins: Any, limits: Any, density: bool, weights: Any) -> Any:
    if not isinstance(bins, int) and _strange(bins):
        return NotImplemented
    try:
        return np.histogram(x, bins, limits, density, weights)
    except ValueError:
        return NotImplemented


def bincount(x: Any, weights: Any, minlength: int) -> Any:
    if x.size and x.max() == np.iinfo(x.dtype).max:
        return NotImplemented  # the size overflows, and NumPy writes where it must not
    try:
        return np.bincount(x, weights, minlength)
    except ValueError:
        return NotImplemented


def take(x: Any, indices: Any, axis: Any, out: None, mode: str) -> Any:
    try:
        return x.take(indices, axis, None, mode)
    except IndexError:
        return NotImplemented


def places(mask: Any, size: int) -> Any:
    """Return the indices of the first elements that are true, and which of them exist."""
    found = mask.nonzero()[0][:size]
    out, there = np.zeros(size, found.dtype), np.zeros(size, np.bool)
    out[: len(found)] = found
    there[: len(found)] = True
    return out, there


def take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    try:
        return np.take_along_axis(x, indices, axis)
    except IndexError:
        return NotImplemented


def interp(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    return np.interp(x, xp, fp, left, right).astype(x.dtype, copy=False)


# -- padding and windows ---------------------------------------------------------------------------


def pad_constant(x: Any, widths: Any, value: Any) -> Any:
    return np.pad(x, widths, "constant", constant_values=value) if widths else x


def pad_ramp(x: Any, widths: Any, end: Any) -> Any:
    return np.pad(x, widths, "linear_ramp", end_values=end)


def windows(x: Any, window: int, axis: int) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x, window, axis).copy()


# -- linear algebra --------------------------------------------------------------------------------


def cholesky(a: Any) -> Any:
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return NotImplemented


def lstsq(a: Any, b: Any, rtol: Any) -> Any:
    x, _, rank, s = np.linalg.lstsq(a, b, rtol)
    return x, np.asarray(rank, dtype=np.int64), s


def tridiagonal(dl: Any, d: Any, du: Any, b: Any) -> Any:
    """Elimination from above, row by row over the whole batch."""
    n = d.shape[-1]
    upper: list[Any] = []
    x: list[Any] = []
    pivot = d[..., 0, None]
    x.append(b[..., 0, :] / pivot)
    for i in range(1, n):
        low = dl[..., i, None]
        upper.append(du[..., i - 1, None] / pivot)
        pivot = d[..., i, None] - low * upper[-1]
        x.append((b[..., i, :] - low * x[-1]) / pivot)
    for i in range(n - 2, -1, -1):
        x[i] = x[i] - upper[i] * x[i + 1]
    return np.stack(x, axis=-2)


def log_softmax(x: Any, axes: tuple[int, ...]) -> Any:
    """Leave the largest ones, whose exponential is 1, out of the sum: log1p has its digits."""
    top = x.max(axis=axes, keepdims=True)
    if not axes or not np.isfinite(top).all():
        return NotImplemented
    inner = x - top
    most, terms = inner == 0, np.exp(inner)
    terms[most] = 0
    largest = most.sum(axis=axes, keepdims=True, dtype=x.dtype)
    rest = terms.sum(axis=axes, keepdims=True)
    return inner - np.log1p(rest + (largest - 1))
