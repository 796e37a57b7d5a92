"""The nearest background of each element, in standard functions."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from ...missing._axes import index_dtype
from ...transforms import map as for_parts
from ...transforms import while_loop
from .._base._borders import extended
from .._base._pieces import in_parts
from .._base._windows import places, slices, truth
from ._envelopes import lowest

__all__ = ["joined", "nearest_in_all", "nearest_in_lines", "nearest_in_steps"]

_PAIRS = 1 << 21  # pairs of elements that are compared at once
_AT_ONCE = 1 << 17  # elements of lines that are worked on at once


# -- Euclidean -------------------------------------------------------------------------------------


def nearest_in_lines(x: Any, sampling: Any) -> Any:
    """Return the indices of the nearest zero, one axis after the other."""
    xp, where = array_namespace(x), device(x)
    if 0 in x.shape:
        return xp.zeros((x.ndim, *x.shape), dtype=xp.int32, device=where)
    outside = truth(x)
    dtype, far, steps = _squares(xp, x, sampling)
    d, first = in_parts(
        lambda v, _: _along_first(xp, v, dtype, far, steps[0]), outside, x.ndim - 1, x.ndim > 1
    )
    found = [first]
    for axis in range(1, x.ndim):
        scale = _curvature(xp, far, steps[axis])
        k = _lowest(xp, d, axis, scale)
        if axis < x.ndim - 1:
            d = _raised(xp, d, k, axis, scale)
        else:
            del d  # memory
        found = [xp.take_along_axis(f, k, axis=axis) for f in found]
        found.append(xp.astype(k, xp.int32))
    none = xp.all(outside)
    return xp.stack([xp.where(none, -1 if i == 0 else 0, f) for i, f in enumerate(found)])


def _squares(xp: Any, x: Any, sampling: Any) -> tuple[Any, Any, list[Any]]:
    """Return the dtype of squared distances, a number above all of them, and the axes' steps."""
    known = xp.__array_namespace_info__().dtypes(device=device(x))
    largest = 1 + sum(n * n for n in x.shape)
    kind = index_dtype(xp, x)
    if sampling is None and 8 * largest < xp.iinfo(kind).max:
        return kind, largest, [1] * x.ndim
    dtype = known.get("float64", xp.float32)
    steps = (1.0,) * x.ndim if sampling is None else sampling
    steps = [xp.asarray(steps[i], dtype=dtype, device=device(x)) for i in range(x.ndim)]
    return dtype, 1 + 2 * sum((n * s) ** 2 for n, s in zip(x.shape, steps, strict=True)), steps


def _curvature(xp: Any, far: Any, step: Any) -> Any:
    """Return the square of a step; of 0 a number that is small beside all squared distances."""
    return 1 if isinstance(step, int) else xp.maximum(step * step, 1e-30 * far)


def _line(xp: Any, x: Any, axis: int, dtype: Any) -> Any:
    """Return indices along an axis, to broadcast with an image."""
    n = x.shape[axis]
    line = xp.arange(n, dtype=dtype, device=device(x))
    return xp.reshape(line, tuple(n if i == axis else 1 for i in range(x.ndim)))


def _along_first(xp: Any, outside: Any, dtype: Any, far: Any, step: Any) -> tuple[Any, Any]:
    """Return squared distances to the nearest zero along the first axis, and its index."""
    n = outside.shape[0]
    here = _line(xp, outside, 0, xp.int32)
    before = xp.where(outside, -2 * n, here)
    after = xp.where(outside, 3 * n, here)
    shift = 1
    while shift < n:  # twice as far each time
        before = xp.concat(
            [before[:shift, ...], xp.maximum(before[shift:, ...], before[:-shift, ...])], axis=0
        )
        after = xp.concat(
            [xp.minimum(after[:-shift, ...], after[shift:, ...]), after[-shift:, ...]], axis=0
        )
        shift *= 2
    k = xp.where(here - before <= after - here, before, after)
    some = (k >= 0) & (k < n)
    k = xp.where(some, k, here)
    way = xp.astype(k - here, dtype) * step
    return xp.where(some, way * way, xp.asarray(far, dtype=dtype, device=device(outside))), k


def _lowest(xp: Any, d: Any, axis: int, scale: Any) -> Any:
    """Return the k of the least ``d[k] + scale * (i - k)**2`` along an axis.

    Some lines of the image at a time, which stay in the cache.
    """
    lines = xp.moveaxis(d, axis, -1)
    shape, n = lines.shape, d.shape[axis]
    parts = _parts(math.prod(shape[:-1]), n)
    rows = xp.reshape(lines, (parts, -1, n))

    def part(v: Any) -> Any:
        return xp.astype(lowest(v, scale), xp.int32)

    k = part(rows[0, ...]) if parts == 1 else for_parts(part, rows)
    k = xp.moveaxis(xp.reshape(k, shape), -1, axis)
    return xp.astype(k, index_dtype(xp, d), copy=False)


def _raised(xp: Any, d: Any, k: Any, axis: int, scale: Any) -> Any:
    """Return ``d[k] + scale * (i - k)**2`` along an axis."""
    way = xp.astype(k - _line(xp, d, axis, k.dtype), d.dtype)
    return xp.take_along_axis(d, k, axis=axis) + way * way * scale


def _parts(rows: int, n: int) -> int:
    """Return in how many equal parts to cut the lines of an image; 1 if none are of a good size."""
    sizes = [m for m in range(1, rows + 1) if rows % m == 0 and m * n <= _AT_ONCE]
    most = max(sizes, default=rows)
    return rows // most if most * n >= _AT_ONCE // 16 else 1


# -- steps between neighbours ----------------------------------------------------------------------


def nearest_in_steps(x: Any, metric: Any) -> tuple[Any, Any]:
    """Return the least number of steps to a zero, and its indices: first forwards, then back."""
    xp, where = array_namespace(x), device(x)
    far = 2**30
    inside = truth(x)
    steps = far * xp.astype(inside, xp.int32)
    count = math.prod(x.shape)
    own = xp.reshape(xp.arange(count, dtype=xp.int32, device=where), x.shape)
    half = [(p, v) for p, v in list(places(metric))[: 3**x.ndim // 2] if v is not False]
    back = [(tuple(2 - k for k in p), v) for p, v in half]
    if count:
        for spots in (half, back):
            steps, own = _stepped(xp, steps, own, spots, far)
    found, size = [], count
    for n in x.shape:
        size //= max(n, 1)
        found.append((own // max(size, 1)) % max(n, 1))
    return xp.where(steps < far, steps, -1), xp.stack(found)


def _stepped(xp: Any, steps: Any, own: Any, spots: Any, far: int) -> tuple[Any, Any]:
    def wide(v: Any, beyond: int) -> Any:
        for axis in range(v.ndim):
            v = extended(xp, v, axis, 1, 1, "constant", beyond)
        return v

    def step(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        steps, own, _ = state
        before, shape = steps, steps.shape
        around, owners = wide(steps, far), wide(own, 0)
        for place, value in spots:
            at = slices(place, shape)
            more = around[at] + 1
            lower = more < steps
            lower = lower if value is True else lower & truth(value)
            steps, own = xp.where(lower, more, steps), xp.where(lower, owners[at], own)
        return steps, own, xp.any(steps != before)

    steps, own, _ = while_loop(lambda s: s[2], step, step((steps, own, None)))
    return steps, own


# -- all pairs -------------------------------------------------------------------------------------


def joined(xp: Any, total: Any, way: Any, metric: str) -> Any:
    """Return distances with the way along one more axis; squares for 'euclidean'."""
    way = way * way if metric == "euclidean" else xp.abs(way)
    if total is None:
        return way
    return xp.maximum(total, way) if metric == "chessboard" else total + way


def nearest_in_all(x: Any, metric: str, sampling: Any) -> Any:
    """Return the indices of the nearest zero: of all pairs of elements, some at a time."""
    xp, where = array_namespace(x), device(x)
    shape, count = x.shape, math.prod(x.shape)
    if not count:
        return xp.zeros((x.ndim, *shape), dtype=xp.int32, device=where)
    known = xp.__array_namespace_info__().dtypes(device=where)
    dtype = known.get("float64", xp.float32)
    lines = []
    for axis in range(x.ndim):
        line = xp.broadcast_to(_line(xp, x, axis, dtype), shape)
        lines.append(xp.reshape(line, (-1,)))
    inside = xp.reshape(truth(x), (-1,))
    far = xp.asarray(math.inf, dtype=dtype, device=where)
    some = max(1, _PAIRS // count)
    parts = []
    for start in range(0, count, some):
        total: Any = None
        for axis, line in enumerate(lines):
            way = line[start : min(start + some, count), None] - line[None, :]
            if sampling is not None:
                way = way * xp.asarray(sampling[axis], dtype=dtype, device=where)
            total = joined(xp, total, way, metric)
        parts.append(xp.argmin(xp.where(inside, far, total), axis=1))
    own = xp.astype(xp.concat(parts), xp.int32)
    found, size = [], count
    for n in shape:
        size //= n
        found.append(xp.reshape((own // size) % n, shape))
    return xp.stack(found)
