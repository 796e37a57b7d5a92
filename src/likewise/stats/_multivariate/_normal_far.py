"""Logarithms of normal probabilities far out, where the probabilities are below all numbers.

A. Genz's separation of variables (J. Comput. Graph. Stat. 1 (1992) 141-149) in logarithms, from
the least limit on, so that what follows is no further out than the one before. Two and three
variables: by the double exponential rule (H. Takahasi, M. Mori, Publ. RIMS 9 (1974) 721-741);
more: over a lattice.
"""

import math
from typing import Any

from ..._namespace import device, quiet
from ...special import log_expit, log_ndtr, ndtri_exp
from ._normal_cdf import correlation, scaled, semidefinite, steps

__all__ = ["log_probability"]

_NODES = {1: 129, 2: 65}  # of each variable's rule
_POINTS = 16384


def log_probability(xp: Any, high: Any, cov: Any) -> Any:
    """Return the logarithm of the probability below limits (..., d) around the centre."""
    d = high.shape[-1]
    with quiet(high):
        size = xp.sqrt(xp.linalg.diagonal(cov))
        limits = scaled(xp, high, size)
        if d == 1:
            return log_ndtr(limits[..., 0])
        both = correlation(xp, cov, size[..., :, None] * size[..., None, :])
        order = xp.argsort(limits, axis=-1, stable=True)
        limits = xp.take_along_axis(limits, order, axis=-1)
        square = (*limits.shape, d)
        both = xp.broadcast_to(both, square)
        rows, columns = (
            xp.broadcast_to(v, square) for v in (order[..., :, None], order[..., None, :])
        )
        both = xp.take_along_axis(xp.take_along_axis(both, rows, axis=-2), columns, axis=-1)
        pairs = {(i, j): both[..., i, j] for j in range(d) for i in range(j)}
        factor = semidefinite(xp, pairs, d, limits)
        logs, weight = _rule(xp, d - 1, limits)
        total = weight
        known: list[Any] = []
        for i in range(d):
            mean = sum((factor[i][j] * known[j] for j in range(i)), 0.0)
            part = log_ndtr(scaled(xp, limits[..., i] - mean, factor[i][i]))
            total = total + part
            if i < d - 1:
                known.append(ndtri_exp(part + logs[i]))
        most = xp.max(total, axis=0)
        most = xp.where(xp.isfinite(most), most, xp.zeros_like(most))
        return most + xp.log(xp.sum(xp.exp(total - most), axis=0))


def _rule(xp: Any, count: int, like: Any) -> tuple[list[Any], Any]:
    """Logarithms of points of the unit cube, a list of coordinates of shape (n, 1, ...), and of
    their weights."""
    where, shape = device(like), (-1, *(1,) * (like.ndim - 1))
    if count in _NODES:
        n = _NODES[count]
        t = xp.linspace(-4.2, 4.2, n, dtype=like.dtype, device=where)
        log = log_expit(math.pi * xp.sinh(t))
        weight = log + log_expit(-math.pi * xp.sinh(t))
        weight = weight + xp.log(xp.cosh(t)) + math.log(math.pi * 8.4 / (n - 1))
        if count == 1:
            return [xp.reshape(log, shape)], xp.reshape(weight, shape)
        grid = [xp.reshape(v, shape) for v in xp.meshgrid(log, log, indexing="ij")]
        return grid, xp.reshape(weight[:, None] + weight[None, :], shape)
    index = xp.arange(1, _POINTS + 1, dtype=xp.int64, device=where)
    points = []
    for step in steps(count):
        u = xp.astype((index * step) & 0xFFFFFFFF, like.dtype) * 2.0**-32
        u = xp.abs(2 * u - 1)
        points.append(xp.reshape(xp.log(xp.maximum(u, xp.full_like(u, 2.0**-33))), shape))
    return points, xp.full_like(points[0], -math.log(_POINTS))
