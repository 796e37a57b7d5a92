"""All permutations and partitions in lexicographic order, made from their numbers."""

import math
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device

__all__ = ["partitions", "permutations"]


def _numbers(like: Any, start: int, rows: int) -> Any:
    """Return start ... start + rows - 1 as indices."""
    xp = array_namespace(like)
    dtype = xp.__array_namespace_info__().default_dtypes(device=device(like))["indexing"]
    return xp.arange(start, start + rows, dtype=dtype, device=device(like))


def permutations(like: Any, start: int, rows: int, n: int, count: int = 1) -> Any:
    """Return permutations of n indices, `count` beside each other, shape (rows, count, n).

    In the order of `itertools.product` of `count` times `itertools.permutations`.
    """
    xp = array_namespace(like)
    number, each = _numbers(like, start, rows), math.factorial(n)
    digits = []
    for _ in range(count):
        digits.append(number % each)
        number = number // each
    number = xp.stack(digits[::-1], axis=-1)
    # Of the digits to the bases 1, 2 ... n, the last one is the first index; each further index is
    # one of the fewer that are left.
    places = [xp.zeros_like(number)]
    for base in range(2, n + 1):
        digit = number // math.factorial(base - 1) % base
        places = [digit, *(p + xp.astype(p >= digit, p.dtype) for p in places)]
    return xp.stack(places, axis=-1)


def partitions(like: Any, start: int, rows: int, sizes: Sequence[int]) -> Any:
    """Return all indices, in groups of given sizes that are in order each, shape (rows, sum)."""
    xp = array_namespace(like)
    number = _numbers(like, start, rows)
    left = sum(sizes)
    rest = xp.broadcast_to(_numbers(like, 0, left), (rows, left))
    found = []
    below = math.prod([math.comb(sum(sizes[i:]), k) for i, k in enumerate(sizes)])
    for size in sizes[:-1]:
        below //= math.comb(left, size)
        order = _combination(number // below, left, size)
        number = number % below
        rest = xp.take_along_axis(rest, order, axis=-1)
        found.append(rest[:, :size])
        rest, left = rest[:, size:], left - size
    return xp.concat([*found, rest], axis=-1)


def _combination(number: Any, n: int, k: int) -> Any:
    """Return the k chosen of n places in order, then the others, shape (rows, n)."""
    xp = array_namespace(number)
    open_places = xp.full_like(number, k)
    chosen = []
    for place in range(n):
        # So many combinations choose this place.
        table = [math.comb(n - place - 1, j - 1) if j else 0 for j in range(k + 1)]
        table = [min(c, (1 << 62)) for c in table]
        many = xp.take(xp.asarray(table, dtype=number.dtype, device=device(number)), open_places)
        here = number < many
        number = xp.where(here, number, number - many)
        open_places = open_places - xp.astype(here, number.dtype)
        chosen.append(here)
    left_out = xp.astype(~xp.stack(chosen, axis=-1), number.dtype)
    return xp.argsort(left_out, axis=-1, stable=True)
