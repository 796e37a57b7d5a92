"""SciPy's interpolation on grids as rows call it, for few points, without its checks.

NotImplemented stands for what the body does faster, or this version of SciPy doesn't have.
"""

from typing import Any

import numpy as np
from scipy.interpolate import NdBSpline

try:
    from scipy.interpolate._rgi_cython import evaluate_linear_2d, find_indices
except ImportError:
    evaluate_linear_2d = find_indices = None

__all__ = ["linear", "outside", "spline"]

_FEW = 1000  # points
_SMALL = 64  # numbers that Python compares in less time than NumPy begins


def linear(x: Any, v: Any, fill: Any, *grid: Any) -> Any:
    m = x.shape[0]
    if m > _FEW or find_indices is None or not v.flags.writeable:
        return NotImplemented
    grid = tuple(map(np.ascontiguousarray, grid))  # as Cython takes them
    cells, parts = find_indices(grid, x.T)
    y = evaluate_linear_2d(v, cells, parts, grid, np.full(m, np.nan, dtype=v.dtype))
    return _filled(x, y, fill, grid)


def outside(x: Any, *grid: Any) -> Any:
    if x.size > _SMALL or x.ndim != 2:
        return NotImplemented
    for axis, (at, g) in enumerate(zip(x.T.tolist(), grid, strict=True)):
        low, high = float(g[0]), float(g[-1])
        for a in at:
            if not low <= a <= high:
                return np.asarray(axis)
    return np.asarray(len(grid))


def spline(x: Any, c: Any, fill: Any, ks: tuple[int, ...], nu: tuple[int, ...], *knots: Any) -> Any:
    if x.shape[0] > _FEW:
        return NotImplemented
    y = NdBSpline(knots, c, ks)(x, nu=nu)
    inner = [t[k : t.shape[0] - k] for t, k in zip(knots, ks, strict=True)]
    return _filled(x, y, fill, inner)


def _filled(x: Any, y: Any, fill: Any, grid: Any) -> Any:
    if fill is None:
        return y
    low, high = np.asarray([g[0] for g in grid]), np.asarray([g[-1] for g in grid])
    y[((x < low) | (x > high)).any(axis=1)] = fill
    y[np.isnan(x).any(axis=1)] = np.nan
    return y
