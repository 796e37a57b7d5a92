"""Exact distributions of Smirnov's statistic of two samples, by counts of lattice paths."""

import functools
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, namespace
from ...transforms import fori_loop

__all__ = ["of_table", "outside"]

_AT_ONCE = 200_000  # elements of a table's steps


def of_table(h: Any, n1: int, n2: int, sided: bool, dtype: Any) -> Any:
    """Return the probability of a difference of `h` / lcm or more, from a table if that is small.

    None if it is not.
    """
    table = _table(n1, n2, sided)
    if table is None:
        return None
    xp = array_namespace(h)
    values = xp.asarray(table, dtype=dtype, device=device(h))
    if h.ndim == 1:
        return xp.take(values, h, axis=0)
    return xp.reshape(xp.take(values, xp.reshape(h, (-1,)), axis=0), h.shape)


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def _table(n1: int, n2: int, sided: bool) -> Any:
    xp = namespace("numpy")
    if n1 == n2:
        return _equal_sizes(n1, sided)
    g = math.gcd(n1, n2)
    lcm = n1 // g * n2
    if lcm * max(n1, n2) > _AT_ONCE:
        return None
    return outside(xp.arange(lcm + 1) * g, n1, n2, n1, n2, sided, xp.float64).tolist()


def _equal_sizes(n: int, sided: bool) -> list[float]:
    """Return the probabilities of h = 0..n, by reflections of paths.

    B. V. Gnedenko, V. S. Korolyuk, Dokl. Akad. Nauk SSSR 80, 1951: C(2n, n - h) / C(2n, n) of one
    side, and their alternating sum over multiples of h of both.
    """
    one = [1.0]
    for j in range(n):
        one.append(one[-1] * (n - j) / (n + j + 1))
    if sided:
        return one
    both = (2 * sum(one[h :: 2 * h]) - 2 * sum(one[2 * h :: 2 * h]) for h in range(1, n + 1))
    return [1.0, *(min(p, 1.0) for p in both)]


def outside(h: Any, n1: Any, n2: Any, size1: int, size2: int, sided: bool, dtype: Any) -> Any:
    """Return the probability that a path of n1 and n2 steps leaves a band.

    Paths from (0, 0) to (n1, n2) leave where ``|i n2 - j n1| >= h``, or without the absolute value
    if `sided`. J. L. Hodges, Ark. Mat. 3, 1958. By diagonals, the part of the paths to (i, j) that
    left is a mean of those of the two places before, so that nothing overflows, and small
    probabilities keep their digits.

    Parameters
    ----------
    h : array of integers, shape (...)
        The bounds.
    n1, n2 : int or array of integers, shape (...)
        The sizes of the samples, at most `size1` and `size2`.
    """
    xp, where = array_namespace(h), device(h)
    i = xp.arange(size1 + 1, dtype=h.dtype, device=where)
    number = xp.astype(i, dtype)
    h = h[..., None]
    ones = xp.ones_like(h)
    n1, n2 = (n * ones if isinstance(n, int) else n[..., None] for n in (n1, n2))
    aim = i == n1
    zero = xp.zeros((*h.shape[:-1], size1 + 1), dtype=dtype, device=where)

    def step(d: Any, state: Any) -> Any:
        left, out = state
        j = d - i
        along = xp.astype(d * xp.ones_like(i), dtype)
        before = xp.concat([zero[..., :1], left[..., :-1]], axis=-1)
        left = (number * before + (along - number) * left) / along
        off = i * n2 - j * n1
        left = xp.where((off if sided else xp.abs(off)) >= h, 1.0, left)
        left = xp.where(j >= 0, left, 0.0)
        return left, xp.where(aim & (d == n1 + n2), left, out)

    start = xp.where((i == 0) & (h <= 0), 1.0, zero)
    _, out = fori_loop(1, size1 + size2 + 1, step, (start, zero))
    return xp.clip(xp.sum(out, axis=-1), None, 1.0)
