"""Functions of an array, applied block by block along one axis."""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...missing._axes import index_dtype
from ...transforms import scan

__all__ = ["joined", "summed"]


def _places(x: Any, axis: int, size: int) -> tuple[Any, Any]:
    """Return the first index of each block, and the indices of the block that begins at 0."""
    xp = array_namespace(x)
    dtype, where = index_dtype(xp, x), device(x)
    starts = xp.arange(0, x.shape[axis], size, dtype=dtype, device=where)
    return starts, xp.arange(size, dtype=dtype, device=where)


def _without_gaps(xp: Any, x: Any) -> Any:
    """Return `x`, copied if it is a view with gaps, of which NumPy would copy all to take some."""
    return xp.reshape(xp.reshape(x, (-1,)), x.shape)


def joined(f: Callable[[Any], Any], x: Any, axis: int, size: int) -> Any:
    """Return ``f(x)``, if each part of it along the last axis depends on one part along `axis`.

    A loop takes `size` elements at a time, also in a compiler. So `x` is copied as a whole only if
    it is a view with gaps.
    """
    xp, n = array_namespace(x), x.shape[axis]
    if n <= size:
        return f(x)
    starts, within = _places(x, axis, size)
    x = _without_gaps(xp, x)

    def step(_: Any, start: Any) -> Any:
        places = xp.minimum(start + within, xp.full_like(within, n - 1))
        return None, f(xp.take(x, places, axis=axis))

    parts = scan(step, None, starts)[1]  # (blocks, ..., size)
    parts = xp.moveaxis(parts, 0, -2)
    return xp.reshape(parts, (*parts.shape[:-2], -1))[..., :n]


def summed(f: Callable[[Any, Any], Any], x: Any, axis: int, size: int, first: Any) -> Any:
    """Return the sum of ``f(part, places)`` over the parts of `x` along `axis`, and of `first`.

    Indices beyond the end are negative.
    """
    xp, n = array_namespace(x), x.shape[axis]
    starts, within = _places(x, axis, min(size, max(n, 1)))
    x = _without_gaps(xp, x)

    def step(total: Any, start: Any) -> Any:
        places = start + within
        there = places < n
        part = xp.take(x, xp.where(there, places, xp.zeros_like(places)), axis=axis)
        return total + f(part, xp.where(there, places, xp.full_like(places, -1))), None

    return scan(step, first, starts)[0] if n else first
