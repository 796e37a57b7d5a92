"""Networks of comparators that bring one of several numbers to its place in the order."""

import functools
from collections.abc import Iterator

__all__ = ["selection"]


def _sorting(n: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs that Batcher's merge exchange compares, so that n numbers are sorted.

    Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M.
    """
    top = 1 << max(n - 1, 1).bit_length() - 1
    p = top
    while p > 0:
        q, r, d = top, 0, p
        while True:
            for i in range(n - d):
                if i & p == r:
                    yield i, i + d
            if q == p:
                break
            d, q, r = q - p, q // 2, p
        p //= 2


@functools.cache
def selection(n: int, rank: int) -> tuple[tuple[int, int, bool, bool], ...]:
    """Return the comparators that bring the element of a rank, of n, to the place of that rank.

    Each has two places, and tells whether the smaller and the larger one are needed later.
    """
    needed, found = {rank}, []
    for i, j in reversed(list(_sorting(n))):
        low, high = i in needed, j in needed
        if low or high:
            found.append((i, j, low, high))
            needed |= {i, j}
    return tuple(reversed(found))
