"""The number of problems to solve at once, chosen by cache size, call overhead and memory."""

from collections.abc import Callable
from typing import Any

from ..._memory import at_once, working_set
from ..._namespace import array_namespace, device, is_lazy
from ...solving._driver import joined, taken
from ...transforms import map as map_
from ._model import Rows

__all__ = ["FEW", "WIDE", "fitting", "in_portions", "portion", "widths"]

FEW = 64  # problems at once, at least, to make a function call worth its overhead
WIDE = 1 << 13  # in a compiled loop


def fitting(rows: Rows) -> int:
    """Return how many problems fit in memory, from the memory that their evaluation needs."""
    each = _bytes(rows) * (5 * int(rows.start.shape[0]) + 8)
    return at_once(rows.y, each, int(rows.y.shape[0]))


def widths(rows: Rows, compiled: bool) -> tuple[int, int]:
    """Return how many problems take ordinary steps at once, and how many careful ones."""
    count = int(rows.y.shape[0])
    if compiled:
        wide = min(WIDE, max(256, (1 << count.bit_length()) // 8))
        return min(wide, count), min(wide, max(256, wide // 16), count)
    most = working_set(rows.y)
    width = max(FEW, count if most is None else most // _bytes(rows))
    return width, width


def portion(count: int) -> int:
    """Return how many problems `in_portions` takes at once in what compiles."""
    return min(count, WIDE)


def _bytes(rows: Rows) -> int:
    """The size of a problem's data."""
    bits = int(array_namespace(rows.y).finfo(rows.y.dtype).bits)
    return max(1, int(rows.y.shape[1]) * bits // 8)


def in_portions(fun: Callable[..., Any], rows: Rows, *others: Any) -> Any:
    """Apply a function to a few problems at a time to limit memory; join its NamedTuples of arrays.

    `others` have the problems on the last axis.
    """
    xp = array_namespace(rows.y)
    count, traced = rows.y.shape[0], is_lazy(rows.y)
    width = WIDE if traced else widths(rows, False)[0]
    if count <= width:
        return fun(rows, *others)
    if not traced:
        parts = (slice(i, min(i + width, count)) for i in range(0, count, width))
        every = [fun(taken(rows, some, -1), *(a[..., some] for a in others)) for some in parts]
        return joined(every, -1)
    lanes = xp.arange(width, device=device(rows.y))

    def part(begin: Any) -> Any:
        some = xp.minimum(begin + lanes, count - 1)
        return fun(taken(rows, some, -1), *(xp.take(a, some, axis=-1) for a in others))

    found = map_(part, xp.arange(0, count, width, device=device(rows.y)))
    return type(found)(*(xp.reshape(a, (-1, *a.shape[2:]))[:count, ...] for a in found))
