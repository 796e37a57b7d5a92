"""Windows on an image, whose elements stay in the cache on libraries that run at once."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..._namespace import array_namespace
from ..._native import Lines, along
from ...special._function import BLOCK, at_hand
from ._arguments import whole
from ._borders import extended, stretch
from ._dtypes import copied

__all__ = ["in_parts", "in_windows", "on_blocks"]

_PART = 8 * BLOCK


def in_windows(
    body: Callable[[Any], Any],
    x: Any,
    reach: Mapping[int, tuple[int, int]],
    modes: Mapping[int, str],
    cval: Any = 0.0,
    count: int = 1,
) -> Any:
    """Return a function's result for an image extended beyond its borders.

    Parameters
    ----------
    body : callable
        Gets the image, or a piece of it, with elements more at both ends of some axes, and returns
        an array without these. An image without elements is returned as it is.
    x : array
        The image.
    reach : dict
        By an axis, how many elements are added before and after; numbers below 0 take some away.
    modes : dict
        By an axis, the extension.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    count : int, optional
        How many arrays of a piece's size the function needs at a time, compared with its usual
        dozens.
    """
    xp = array_namespace(x)
    if 0 in x.shape:
        return x
    most = max(BLOCK // count, 64)
    if math.prod(x.shape) <= 2 * most or not at_hand(x):
        v = x
        for axis, (before, after) in reach.items():
            v = extended(xp, v, axis, before, after, modes[axis], cval)
        return copied(xp, body(x)) if v is x else body(v)
    shape = x.shape

    def cut(v: Any, axis: int, lead: int) -> Any:
        if axis == len(shape):
            return body(v)
        n, (before, after) = shape[axis], reach.get(axis, (0, 0))
        rows = max(1, most // (lead * math.prod(shape[axis + 1 :])))
        found = []
        for i in range(0, n, rows):
            j = min(i + rows, n)
            part = stretch(xp, v, axis, i - before, j + after, modes.get(axis, "nearest"), cval)
            found.append(cut(part, axis + 1, lead * (j - i)))
        return found[0] if len(found) == 1 else xp.concat(found, axis=axis)

    return cut(x, 0, 1)


def in_parts(body: Callable[[Any, int], Any], x: Any, axis: int, cut: bool = True) -> Any:
    """Return a function's arrays for parts of an array along an axis, if it may be cut.

    The function gets a part and where it starts; its results have the part's length along `axis`,
    counted from the end if it is negative.
    """
    n, size = x.shape[axis], math.prod(x.shape)
    if not cut or size <= 2 * _PART or not at_hand(x):
        return body(x, 0)
    xp, rows = array_namespace(x), max(1, _PART * n // size)
    at: list[Any] = [slice(None)] * x.ndim
    found = []
    for i in range(0, n, rows):
        at[axis] = slice(i, min(i + rows, n))
        found.append(body(x[tuple(at)], i))
    if not isinstance(found[0], tuple):
        return xp.concat(found, axis=axis)
    return tuple(xp.concat(parts, axis=axis) for parts in zip(*found, strict=True))


def on_blocks(x: Any, sizes: tuple[int, ...], modes: tuple[str, ...]) -> Lines:
    """Return how a filter with a window maps over blocks."""
    reach = {axis: n for axis, n in enumerate(sizes) if n > 1}
    within = {a: n for a, n in reach.items() if n <= x.shape[a] and not whole(modes[a])}
    return along(x, tuple(reach), margins=within)
