"""The nearest background of each element, in standard functions."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from ...missing._axes import index_dtype
from ...transforms import map as for_parts
from ...transforms import while_loop
from .._base._borders import extended
from ._windows import places, slices, truth

__all__ = ["joined", "nearest_in_all", "nearest_in_lines", "nearest_in_steps"]

_PAIRS = 1 << 21  # pairs of elements that are compared at once
_AT_ONCE = 1 << 16  # elements of rows that are worked on at once


# -- Euclidean -------------------------------------------------------------------------------------


def nearest_in_lines(x: Any, sampling: Any) -> Any:
    """Return the indices of the nearest zero, one axis after the other."""
    xp, where = array_namespace(x), device(x)
    if 0 in x.shape:
        return xp.zeros((x.ndim, *x.shape), dtype=xp.int32, device=where)
    outside = truth(x)
    dtype, far = _squares(xp, x, sampling)
    d, first = _along_first(xp, outside, dtype, far, sampling)
    found = [first]
    for axis in range(1, x.ndim):
        scale = 1 if sampling is None else xp.asarray(sampling[axis], dtype=dtype, device=where)
        d, k = _lowest(xp, d, axis, far, scale if sampling is None else scale * scale)
        found = [xp.take_along_axis(f, k, axis=axis) for f in found]
        found.append(xp.astype(k, xp.int32))
    none = xp.all(outside)
    made = [xp.where(none, -1 if i == 0 else 0, f) for i, f in enumerate(found)]
    return xp.stack([xp.astype(f, xp.int32, copy=False) for f in made])


def _squares(xp: Any, x: Any, sampling: Any) -> tuple[Any, Any]:
    """Return the dtype of squared distances, and a number that is larger than all of them."""
    known = xp.__array_namespace_info__().dtypes(device=device(x))
    largest = 1 + sum(n * n for n in x.shape)
    if sampling is None:
        for name, bits in (("int32", 30), ("int64", 62)):
            if name in known and largest < 2**bits:
                return known[name], largest
    return known.get("float64", xp.float32), math.inf


def _line(xp: Any, x: Any, axis: int, dtype: Any) -> Any:
    """Return indices along an axis, to broadcast with an image."""
    n = x.shape[axis]
    line = xp.arange(n, dtype=dtype, device=device(x))
    return xp.reshape(line, tuple(n if i == axis else 1 for i in range(x.ndim)))


def _along_first(xp: Any, outside: Any, dtype: Any, far: Any, sampling: Any) -> tuple[Any, Any]:
    """Return squared distances to the nearest zero along the first axis, and its index."""
    n = outside.shape[0]
    here = _line(xp, outside, 0, xp.int32)
    before = xp.where(outside, -2 * n, here)
    after = xp.where(outside, 3 * n, here)
    step = 1
    while step < n:  # twice as far each time
        before = xp.concat(
            [before[:step, ...], xp.maximum(before[step:, ...], before[:-step, ...])], axis=0
        )
        after = xp.concat(
            [xp.minimum(after[:-step, ...], after[step:, ...]), after[-step:, ...]], axis=0
        )
        step *= 2
    k = xp.where(here - before <= after - here, before, after)
    some = (k >= 0) & (k < n)
    k = xp.where(some, k, here)
    way = xp.astype(k - here, dtype)
    if sampling is not None:
        way = way * xp.asarray(sampling[0], dtype=dtype, device=device(outside))
    return xp.where(some, way * way, xp.asarray(far, dtype=dtype, device=device(outside))), k


def _lowest(xp: Any, d: Any, axis: int, far: Any, scale: Any) -> tuple[Any, Any]:
    """Return the least of ``d[k] + scale * (i - k)**2`` along an axis, and its k.

    Some rows of the image at a time, which stay in the cache and end when they are done.
    """
    count = _parts(d.shape)
    if count == 1:
        return _lowest_in_rows(xp, d, axis, far, scale)
    rows = xp.reshape(d, (count, d.shape[0] // count, *d.shape[1:]))
    low, k = for_parts(lambda part: _lowest_in_rows(xp, part, axis, far, scale), rows)
    return xp.reshape(low, d.shape), xp.reshape(k, d.shape)


def _parts(shape: tuple[int, ...]) -> int:
    """Return in how many equal parts to cut the rows of an image; 1 if none are of a good size."""
    row = math.prod(shape[1:])
    sizes = [n for n in range(1, shape[0] + 1) if shape[0] % n == 0 and n * row <= _AT_ONCE]
    rows = max(sizes, default=shape[0])
    return shape[0] // rows if rows * row >= _AT_ONCE // 16 else 1


def _lowest_in_rows(xp: Any, d: Any, axis: int, far: Any, scale: Any) -> tuple[Any, Any]:
    """Find the least of all rows at once.

    The parabola of r steps is that of r - 1 steps, and one more step of ``scale * (2 r - 1)`` to
    both sides. A step that changes nothing is the last, as those after it are higher.
    """
    where, kind = device(d), index_dtype(xp, d)
    n = d.shape[axis]

    def step(state: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        low, last, r, _ = state
        r = r + 1
        e = extended(xp, low, axis, 1, 1, "constant", far)
        at: list[Any] = [slice(None)] * d.ndim
        at[axis] = slice(0, n)
        left = e[tuple(at)]
        at[axis] = slice(2, n + 2)
        beside = xp.minimum(left, e[tuple(at)]) + xp.astype(2 * r - 1, d.dtype) * scale
        lower = beside < low
        return xp.where(lower, beside, low), xp.where(lower, r, last), r, xp.any(lower)

    r = xp.zeros((), dtype=xp.int32, device=where)
    last = xp.zeros_like(d, dtype=xp.int32)
    _, last, _, _ = while_loop(lambda s: s[3], step, step((d, last, r, None)))
    # The last step that changed an element tells how far its nearest one is, on one side of it.
    here, last = _line(xp, d, axis, kind), xp.astype(last, kind)
    lows = []
    for k in (here - last, here + last):
        inside = (k >= 0) & (k < n)
        k = xp.where(inside, k, here)
        way = xp.astype(last, d.dtype)
        found = xp.take_along_axis(d, k, axis=axis) + way * way * scale
        lows.append((xp.where(inside, found, xp.asarray(far, dtype=d.dtype, device=where)), k))
    (a, left), (b, right) = lows
    return xp.minimum(a, b), xp.where(a <= b, left, right)


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
