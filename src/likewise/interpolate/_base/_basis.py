"""The B-spline basis: de Boor's recurrence, for all points at once.

Knots have shape (b, n + k + 1), points (b, m), coefficients (b, n, ...): a batch of splines, of
which there is one mostly. The index of an interval counts in the flattened knots, so that rows of
the batch differ in it alone.
"""

import math
from typing import Any

from ..._memory import at_once
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, Made, native
from ...missing import searchsorted

__all__ = ["banded_rows", "basis", "evaluated", "intervals", "lowered", "raised", "widths"]

_BLOCK = 1 << 14  # points of which the arrays of the recurrence stay in a core's cache


def intervals(xp: Any, t: Any, x: Any, k: int) -> Any:
    """Return ``i`` with ``t[i] <= x < t[i + 1]`` for points, flat, from k to n - 1 in each row."""
    b, size = t.shape
    inner = t[:, k + 1 : size - k - 1]
    if b == 1:
        found = searchsorted(inner[0, :], x[0, :], side="right")
        return found + k
    found = searchsorted(inner, x, side="right")
    starts = xp.arange(b, dtype=found.dtype, device=device(t)) * size + k
    return xp.reshape(found + starts[:, None], (-1,))


def widths(xp: Any, t: Any, r: int) -> Any:
    """Return ``t[i + r] - t[i]``, and 1 where that is 0, of knots (..., n + k + 1)."""
    gap = t[..., r:] - t[..., :-r]
    return xp.where(gap == 0, xp.ones_like(gap), gap)


def basis(xp: Any, t: Any, x: Any, at: Any, k: int, nu: int = 0) -> list[Any]:
    """Return the k + 1 functions, or derivatives, that aren't zero at points of intervals `at`.

    `t` and `x` are flat; the functions are those of knots ``at - k`` to ``at``.
    """
    knots = {i: xp.take(t, at + i, axis=0) for i in range(1 - k, k + 1)}
    left = [x - knots[-i] for i in range(k)]
    right = [knots[i] - x for i in range(1, k + 1)]
    out = [xp.ones_like(x) if k else xp.where(xp.isnan(x), x, xp.ones_like(x))]
    for r in range(1, k + 1):
        gaps = [knots[j + 1] - knots[j + 1 - r] for j in range(r)]
        gaps = [xp.where(g == 0, xp.ones_like(g), g) for g in gaps]
        parts = [v / g for v, g in zip(out, gaps, strict=True)]
        if r > k - nu:  # the slope of the next degree
            parts = [r * v for v in parts]
            between = [parts[j - 1] - parts[j] for j in range(1, r)]
            out = [-parts[0], *between, parts[-1]]
            continue
        out = [right[0] * parts[0]]
        out += [left[r - j] * parts[j - 1] + right[j] * parts[j] for j in range(1, r)]
        out.append(left[0] * parts[-1])
    return out


def lowered(xp: Any, t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    """Return knots, coefficients (b, n - 1, C) and degree of the slope."""
    n = c.shape[1]
    gap = widths(xp, t[:, 1:-1], k)[:, : n - 1]
    return t[:, 1:-1], k * (c[:, 1:, :] - c[:, :-1, :]) / gap[:, :, None], k - 1


def raised(xp: Any, t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    """Return knots, coefficients (b, n + 1, C) and degree of the integral from the first knot."""
    gap = (t[:, k + 1 :] - t[:, : -k - 1])[:, : c.shape[1]]
    sums = xp.cumulative_sum(c * gap[:, :, None], axis=1, include_initial=True) / (k + 1)
    return xp.concat([t[:, :1], t, t[:, -1:]], axis=1), sums, k + 1


def _in_blocks(x: Any, t: Any, c: Any, k: int, extrapolate: bool) -> Lines:
    given = {0: (0, 1), 1: (0, None), 2: (0, None, 2)}
    return Lines(given, Made((*x.shape, c.shape[2]), (0, 1, 2), c.dtype))


@native(blocks=_in_blocks)
def evaluated(x: Any, t: Any, c: Any, k: int, extrapolate: bool) -> Any:
    """Return values (b, m, C) of splines at points (b, m); NaN outside without `extrapolate`."""
    xp = array_namespace(x, t, c)
    (b, m), n = x.shape, c.shape[1]
    at = intervals(xp, t, x, k)
    flat = xp.reshape(x, (-1,))
    first = at - k
    if b > 1:
        rows = xp.arange(b, dtype=at.dtype, device=device(t)) * (t.shape[1] - n)
        first = first - xp.reshape(xp.broadcast_to(rows[:, None], (b, m)), (-1,))
    one = c.shape[2] == 1
    c = xp.reshape(c, (b * n,) if one else (b * n, c.shape[2]))
    knots, count = xp.reshape(t, (-1,)), b * m
    block = _BLOCK if one else max(64, _BLOCK // max(c.shape[1], 1))
    most = (
        block
        if is_concrete(flat)
        else at_once(flat, 80 * max(1, math.prod(c.shape) // (b * n)), count)
    )
    most = max(int(most), 1)
    if count <= most:
        out = _sums(xp, knots, c, flat, at, first, k)
    else:
        parts = [
            _sums(xp, knots, c, flat[s], at[s], first[s], k)
            for s in (slice(i, min(i + most, count)) for i in range(0, count, most))
        ]
        out = xp.concat(parts, axis=0)
    out = xp.reshape(out, (b, m, 1 if one else c.shape[1]))
    if extrapolate:
        return out
    inside = (x >= t[:, k : k + 1]) & (x <= t[:, -k - 1 : t.shape[1] - k])
    return xp.where(inside[:, :, None], out, xp.nan)


def _sums(xp: Any, t: Any, c: Any, x: Any, at: Any, first: Any, k: int) -> Any:
    out: Any = None
    for j, values in enumerate(basis(xp, t, x, at, k)):
        part = xp.take(c, first + j, axis=0)
        part = part * (values if c.ndim == 1 else values[:, None])
        out = part if out is None else out + part
    return out


def banded_rows(xp: Any, values: Any, first: Any, k: int) -> Any:
    """Return square matrices by diagonals, (b, 2 k + 1, N), as `solve_banded` takes them.

    Row i of a matrix has values (b, N, k + 1) from column `first` (b, N) on.
    """
    b, n = first.shape
    j = xp.arange(n, dtype=first.dtype, device=device(first))
    d = xp.arange(2 * k + 1, dtype=first.dtype, device=device(first))
    i = xp.clip(d[:, None] + j[None, :] - k, 0, n - 1)
    start = xp.arange(b, dtype=first.dtype, device=device(first)) * n
    i = xp.reshape(i[None, :, :] + start[:, None, None], (-1,))
    s = xp.take(xp.reshape(first, (-1,)), i, axis=0)
    s = xp.reshape(j[None, None, :] - xp.reshape(s, (b, 2 * k + 1, n)), (-1,))
    there = (s >= 0) & (s <= k)
    found = xp.take(xp.reshape(values, (-1,)), i * (k + 1) + xp.clip(s, 0, k), axis=0)
    return xp.reshape(xp.where(there, found, xp.zeros_like(found)), (b, 2 * k + 1, n))
