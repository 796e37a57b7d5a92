"""Extension beyond the borders of an image."""

from typing import Any

from ..._namespace import device
from ...missing._axes import index_dtype

__all__ = ["extended", "source"]


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


def extended(
    xp: Any, x: Any, axis: int, before: int, after: int, mode: str, cval: Any = 0.0
) -> Any:
    """Return an array with so many elements more at both ends of an axis."""
    n = x.shape[axis]
    if n == 0 or before <= 0 >= after:
        return x
    parts = [x]
    for places, front in ((range(-before, 0), True), (range(n, n + after), False)):
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
    return xp.concat(parts, axis=axis)
