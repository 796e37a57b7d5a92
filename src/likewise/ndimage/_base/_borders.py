"""Extension beyond the borders of an image."""

from typing import Any

from ..._namespace import device
from ...missing._axes import index_dtype

__all__ = ["extended", "source", "stretch"]


def source(i: int, n: int, mode: str) -> int | None:
    """Return the index, of n, of the element at place i, which may lie outside; None for `cval`.

    The modes are those of filters: 'wrap' and 'reflect' are 'grid-wrap' and 'grid-mirror'.
    """
    if 0 <= i < n:
        return i
    if mode in ("constant", "grid-constant"):
        return None
    if mode == "nearest":
        return min(max(i, 0), n - 1)
    if mode in ("wrap", "grid-wrap"):
        return i % n
    if mode == "mirror":
        if n == 1:
            return 0
        i %= 2 * n - 2
        return min(i, 2 * n - 2 - i)
    i %= 2 * n
    return min(i, 2 * n - 1 - i)


def stretch(xp: Any, x: Any, axis: int, start: int, stop: int, mode: str, cval: Any = 0.0) -> Any:
    """Return the elements from `start` to `stop` along an axis; both may lie outside."""
    n = x.shape[axis]
    inside: list[Any] = [slice(None)] * x.ndim
    inside[axis] = slice(min(max(start, 0), n), max(min(stop, n), 0))
    parts = [x if start <= 0 and stop >= n else x[tuple(inside)]]
    for places, front in ((range(start, min(0, stop)), True), (range(max(n, start), stop), False)):
        if not places:
            continue
        if mode in ("constant", "grid-constant"):
            shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
            part = xp.full(shape, cval, dtype=x.dtype, device=device(x))
        else:
            found = [source(i, n, mode) for i in places]
            index = xp.asarray(found, dtype=index_dtype(xp, x), device=device(x))
            part = xp.take(x, index, axis=axis)
        parts = [part, *parts] if front else [*parts, part]
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=axis)


def extended(
    xp: Any, x: Any, axis: int, before: int, after: int, mode: str, cval: Any = 0.0
) -> Any:
    """Return an array with so many elements more, or less, at both ends of an axis."""
    n = x.shape[axis]
    return x if n == 0 else stretch(xp, x, axis, -before, n + after, mode, cval)
