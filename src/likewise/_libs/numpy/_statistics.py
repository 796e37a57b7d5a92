"""Ranks and pairs in rows, for statistics."""

from typing import Any

import numpy as np


def ranked(x: Any) -> tuple[Any, Any]:
    """Rank by one sort and the places where sorted neighbours differ."""
    n, count = x.shape[-1], x.size
    if not count:
        return x, x
    order = x.argsort(-1)
    if count > n:
        order += np.arange(0, count, n).reshape(*x.shape[:-1], 1)
    order = order.reshape(-1)
    ordered = x.reshape(-1)[order]
    same = ordered[1:] == ordered[:-1]
    same[n - 1 :: n] = False
    ranks, sizes = np.empty(count, x.dtype), np.ones(count, x.dtype)
    if not same.any():
        place = np.empty(x.shape, x.dtype)
        place[...] = np.arange(1, n + 1)
        ranks[order] = place.reshape(-1)
    else:
        starts = np.flatnonzero(np.concatenate([[True], ~same]))
        size = np.diff(starts, append=count)
        ranks[order] = np.repeat(starts % n + (size + 1) / 2, size)
        sizes[order] = np.repeat(size, size)
    return ranks.reshape(x.shape), sizes.reshape(x.shape)


def pairs_in_order(x: Any, y: Any, *, body: Any = None) -> tuple[Any, Any]:
    """Compare each pair of a short row, in blocks of rows that fit the cache."""
    n = x.shape[-1]
    if not 0 < n <= 128:
        return body(x, y)
    batch = x.shape[:-1]
    a, b = x.reshape(-1, n), y.reshape(-1, n)
    both, against = np.empty((2, len(a)), x.dtype)
    step = max(1, 200_000 // (n * n))
    for i in range(0, len(a), step):
        u, v = a[i : i + step, :, None], b[i : i + step, :, None]
        over = u > u.swapaxes(1, 2)
        more = v > v.swapaxes(1, 2)
        both[i : i + step] = np.count_nonzero(over & more, axis=(1, 2))
        against[i : i + step] = np.count_nonzero(over & more.swapaxes(1, 2), axis=(1, 2))
    return (both - against).reshape(*batch, 1), against.reshape(*batch, 1)
