"""Solvers for arrays in blocks: they run on the rows of all arrays, block by block."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._namespace import array_namespace, hooks_of

__all__ = ["Field", "comes_in_blocks", "in_blocks"]


class Field(NamedTuple):
    """Describe an array that a solver returns, without its first dimension."""

    shape: tuple[int, ...] = ()
    integer: bool = False  # int32, else of the dtype of the first array given


def comes_in_blocks(x: Any) -> bool:
    """Tell if an array comes in blocks."""
    return hooks_of(x).in_blocks


def in_blocks(
    solve: Callable[..., tuple[Any, ...]],
    arrays: Sequence[Any],
    fields: Sequence[Field | None],
    *shared: Any,
) -> tuple[Any, ...]:
    """Return ``solve(*shared, *arrays)``, an array (B, ...) or None for each field.

    `arrays` are (B, ...), or (1, ...) for all problems, or None; `shared` may be an array of any
    shape, or an object.
    """
    like = next(a for a in arrays if a is not None)
    library = hooks_of(like)
    if not library.in_blocks:
        return solve(*shared, *arrays)
    tails = [None if a is None else tuple(a.shape[1:]) for a in arrays]
    rows = max(a.shape[0] for a in arrays if a is not None)

    def packed(of_all: Any, *blocks: Any) -> Any:
        given = [_shaped(b, t) for b, t in zip(blocks, tails, strict=True)]
        first = next(a for a in given if a is not None)
        xp = array_namespace(first)
        found = [
            xp.astype(a, first.dtype)
            for a in solve(*(of_all,) * len(shared), *given)
            if a is not None
        ]
        return xp.concat([_shaped(a, (-1,)) for a in found], axis=1)

    widths = [0 if f is None else math.prod(f.shape) for f in fields]
    flat = [_shaped(a, (-1,)) for a in arrays]
    flat = [None if a is None else _of_all(a, rows) for a in flat]
    out = library.map_batches(packed, shared[0] if shared else None, flat, sum(widths))
    xp = array_namespace(out)
    every: list[Any] = []
    start = 0
    for field, width in zip(fields, widths, strict=True):
        if field is None:
            every.append(None)
            continue
        part = _shaped(out[:, start : start + width], field.shape)
        every.append(xp.astype(part, xp.int32) if field.integer else part)
        start += width
    return tuple(every)


def _of_all(a: Any, rows: int) -> Any:
    if a.shape[0] == rows:
        return a
    return array_namespace(a).broadcast_to(a, (rows, a.shape[1]))


def _shaped(a: Any, tail: tuple[int, ...] | None) -> Any:
    if a is None or tail is None:
        return None
    size = (math.prod(a.shape[1:]),)
    return array_namespace(a).reshape(a, (a.shape[0], *(size if tail == (-1,) else tail)))
