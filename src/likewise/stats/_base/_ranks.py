"""Ranks in rows, and how many observations are equal to each."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from ..._native import Lines, batches, native
from ...missing._axes import index_dtype

__all__ = ["ranked", "runs", "tied"]


def _in_blocks(x: Any) -> Lines:
    n = (x.shape[-1],)
    return batches({0: (x, 1)}, (n, x.dtype), (n, x.dtype))


@native(
    numpy="likewise._libs.numpy._statistics:ranked",
    torch="likewise._libs.numpy._statistics:ranked",
    blocks=_in_blocks,
)
def ranked(x: Any) -> tuple[Any, Any]:
    """Rank floating rows from 1, equal elements by their mean rank, and count the equal ones.

    NaNs come last, in any order, each one different: where they stand for what is left out, the
    ranks of the others are right, and so are sums over ties.

    Returns
    -------
    ranks, sizes : array
        Both of the shape and dtype of `x`: for each element its rank, and the number of elements
        that are equal to it, itself included.
    """
    xp = array_namespace(x)
    if 0 in x.shape:
        return x, x
    order = xp.argsort(x, axis=-1, stable=True)
    back = xp.argsort(order, axis=-1, stable=True)
    x = xp.take_along_axis(x, order, axis=-1)
    low, high = runs(x[..., 1:] != x[..., :-1])
    low, high = (xp.astype(xp.take_along_axis(k, back, axis=-1), x.dtype) for k in (low, high))
    return (low + high + 1) / 2, high - low


def runs(differs: Any) -> tuple[Any, Any]:
    """Return where the run of each element of sorted rows begins, and where it ends.

    `differs` tells of all elements but the first whether they differ from the one before; the
    results are integers, of one element more.
    """
    xp, where = array_namespace(differs), device(differs)
    batch, n = tuple(differs.shape[:-1]), differs.shape[-1] + 1
    dtype = index_dtype(xp, differs)
    first = xp.zeros((*batch, 1), dtype=dtype, device=where)
    group = xp.cumulative_sum(xp.concat([first, xp.astype(differs, dtype)], axis=-1), axis=-1)
    # The rows one behind the other, still in ascending order: one search for all.
    start = n * xp.arange(math.prod(batch), dtype=dtype, device=where)
    start = xp.reshape(start, first.shape)
    keys = xp.reshape(group + start, (-1,))

    def bound(side: str) -> Any:
        return xp.reshape(xp.searchsorted(keys, keys, side=side), group.shape) - start

    return bound("left"), bound("right")


def tied(sizes: Any) -> Any:
    """Return the sum of ``t**3 - t`` over groups of `t` equal elements, shape (..., 1)."""
    return array_namespace(sizes).sum(sizes * sizes - 1, axis=-1, keepdims=True)


def alike(scores: Any, there: Any) -> Any:
    """Tell where scores, not negative, differ by rounding only, shape (..., 1): the variance of
    their sum is 0. `there` tells which count, None that all do."""
    xp = array_namespace(scores)
    low, high = scores, scores
    if there is not None:
        low, high = xp.where(there, scores, xp.inf), xp.where(there, scores, 0.0)
    most = xp.max(high, axis=-1, keepdims=True)
    apart = most - xp.min(low, axis=-1, keepdims=True)
    return apart <= 8 * float(xp.finfo(scores.dtype).eps) * most
