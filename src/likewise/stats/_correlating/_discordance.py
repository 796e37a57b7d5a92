"""Pairs of observations that two samples order differently: counts and sums of their weights."""

from typing import Any

from ..._namespace import array_namespace, device
from ..._native import Lines, batches, native
from ...missing._axes import index_dtype
from .._base._ranks import runs

__all__ = ["changes", "in_order", "out_of_order", "pairs_in_order"]


def _in_blocks(x: Any, y: Any) -> Lines:
    return batches({0: (x, 1), 1: (y, 1)}, ((1,), x.dtype), ((1,), x.dtype))


@native(numpy="likewise._libs.numpy._statistics:pairs_in_order", blocks=_in_blocks)
def pairs_in_order(x: Any, y: Any) -> tuple[Any, Any]:
    """Count the pairs of rows in order less those out of order, and those out of order.

    Ties are neither; NaNs, which stand in both, make no pairs. Shape (..., 1).
    """
    xp = array_namespace(x)
    x, y, rank, _ = in_order(x, y)

    def tied(differs: Any) -> Any:
        low, high = runs(differs)
        return xp.sum(high - low - 1, axis=-1, keepdims=True) // 2

    size = xp.sum(xp.astype(~xp.isnan(x), rank.dtype), axis=-1, keepdims=True)
    against = out_of_order(rank)
    ties = (
        tied(changes(x))
        + tied(changes(xp.sort(y, axis=-1, stable=False)))
        - tied(changes(x) | changes(y))
    )
    excess = size * (size - 1) // 2 - ties - 2 * against
    return xp.astype(excess, y.dtype), xp.astype(against, y.dtype)


def in_order(x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """Return rows in the order of x, then y; the ranks of y, ties in the order of x; the order."""
    xp = array_namespace(x)
    first = xp.argsort(x, axis=-1, stable=True)
    x, y = (xp.take_along_axis(z, first, axis=-1) for z in (x, y))
    second = xp.argsort(y, axis=-1, stable=True)
    x, y = (xp.take_along_axis(z, second, axis=-1) for z in (x, y))
    rank = xp.argsort(x, axis=-1, stable=True)
    x, y = (xp.take_along_axis(z, rank, axis=-1) for z in (x, y))
    order = xp.take_along_axis(first, xp.take_along_axis(second, rank, axis=-1), axis=-1)
    return x, y, xp.astype(rank, index_dtype(xp, x)), order


def changes(x: Any) -> Any:
    """Tell of all elements but the first of rows whether they differ from the one before."""
    return x[..., 1:] != x[..., :-1]


def out_of_order(rank: Any, weight: Any = None, additive: bool = True) -> Any:
    """Count the pairs out of order in rows that hold 0, 1, 2... in any order, or sum weights.

    A bit at a time, from the highest: elements whose ranks have the same higher bits stand
    together, and a 1 before a 0 is out of order. A pair's weight is the sum or the product of its
    elements' weights.
    """
    xp, n = array_namespace(rank), rank.shape[-1]
    place = xp.broadcast_to(xp.arange(n, dtype=rank.dtype, device=device(rank)), rank.shape)
    found = xp.zeros_like((rank if weight is None else weight)[..., :1])
    for b in reversed(range((n - 1).bit_length())):
        bit, start = (rank >> b) & 1, (rank >> (b + 1)) << (b + 1)

        def earlier(values: Any, start: Any = start) -> Any:
            before = xp.cumulative_sum(values, axis=-1) - values
            return before - xp.take_along_axis(before, start, axis=-1)

        before = earlier(bit)
        to = xp.where(bit == 1, start + (1 << b) + before, place - before)
        if weight is None:
            some: Any = before
        else:
            ones = xp.astype(bit, weight.dtype)
            some = earlier(ones * weight)
            some = some + xp.astype(before, weight.dtype) * weight if additive else some * weight
        found = found + xp.sum(xp.where(bit == 1, 0, some), axis=-1, keepdims=True)
        order = xp.argsort(to, axis=-1, stable=False)
        rank = xp.take_along_axis(rank, order, axis=-1)
        if weight is not None:
            weight = xp.take_along_axis(weight, order, axis=-1)
    return found
