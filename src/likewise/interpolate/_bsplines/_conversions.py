"""Splines as piecewise polynomials, and from them."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from .._piecewise._ppoly import PPoly

__all__ = ["coefficients_of", "pieces"]


def pieces(spline: Any) -> PPoly:
    """Return the polynomials of a spline of one row of knots, between its ends."""
    t, k = spline.t, spline.k
    x = t[k : t.shape[0] - k]
    rows = [spline(x[:-1], nu=k - j) / math.factorial(k - j) for j in range(k + 1)]
    return PPoly.construct_fast(array_namespace(t).stack(rows, axis=0), x, True)


def coefficients_of(c: Any, x: Any, t: Any) -> Any:
    """Return coefficients (n, ...) of polynomials (k + 1, m, ...) on breakpoints (m + 1,).

    Each is the blossom of a polynomial, on whose interval the B-spline isn't zero, at its inner
    knots: a product of roots by their elementary symmetric functions.
    """
    xp, k = array_namespace(c, x, t), c.shape[0] - 1
    n = t.shape[0] - k - 1
    j = [min(max(i - 1, 0), x.shape[0] - 2) for i in range(n)]
    index = xp.asarray(j, dtype=xp.int64, device=device(x))
    at = xp.take(x, index, axis=0)
    sums = [xp.ones_like(at)]
    for r in range(1, k + 1):
        u = t[r : r + n] - at
        new = [sums[0], *(sums[i] + u * sums[i - 1] for i in range(1, len(sums))), u * sums[-1]]
        sums = new
    out: Any = None
    for power in range(k + 1):
        row = xp.take(c[k - power, ...], index, axis=0)
        factor = sums[power] / math.comb(k, power)
        part = row * xp.reshape(factor, (n, *(1,) * (row.ndim - 1)))
        out = part if out is None else out + part
    return out
