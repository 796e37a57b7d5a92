"""Interpolation on grids as rows do it, for few points, without SciPy's checks.

NotImplemented stands for what the body does faster. SciPy's compiled steps are private: where a
version doesn't have them, its public objects do the work, or the body does.
"""

import functools
import math
from typing import Any

import numpy as np
from scipy.interpolate import NdBSpline

try:
    from scipy.interpolate._rgi_cython import evaluate_linear_2d, find_indices
except ImportError:
    evaluate_linear_2d = find_indices = None
try:
    from scipy.interpolate._dierckx import evaluate_ndbspline
except ImportError:
    evaluate_ndbspline = None

__all__ = ["linear", "nearest", "outside", "spline"]

_FEW = 1000  # points
_SMALL = 64  # numbers that Python compares in less time than NumPy begins


def linear(x: Any, v: Any, fill: Any, *grid: Any) -> Any:
    m = x.shape[0]
    if m > _FEW:
        return NotImplemented
    if len(grid) == 1:
        (g,) = grid
        if g.shape[0] < 2:
            return NotImplemented
        with np.errstate(all="ignore"):
            i, t = _cells(x[:, 0], g)
            return _filled(x, (1.0 - t) * v[i] + t * v[i + 1], fill, grid)
    if find_indices is None or not v.flags.writeable:
        return NotImplemented
    grid = tuple(map(np.ascontiguousarray, grid))  # as Cython takes them
    cells, parts = find_indices(grid, x.T)
    y = evaluate_linear_2d(v, cells, parts, grid, np.full(m, np.nan, dtype=v.dtype))
    return _filled(x, y, fill, grid)


def _cells(at: Any, g: Any) -> tuple[Any, Any]:
    i = g[1:-1].searchsorted(at, "right")
    low = g[i]
    return i, (at - low) / (g[i + 1] - low)


def nearest(x: Any, v: Any, fill: Any, *grid: Any) -> Any:
    if x.shape[0] > _FEW or any(g.shape[0] < 2 for g in grid) or v.dtype.kind not in "fc":
        return NotImplemented
    places = []
    with np.errstate(all="ignore"):
        for axis, g in enumerate(grid):
            i, t = _cells(x[:, axis], g)
            i += t > 0.5
            places.append(i)
    y = v[tuple(places)]
    if fill is None:
        lost = np.isnan(x)
        if lost.any():
            y[lost.any(axis=1)] = np.nan
        return y
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


@functools.lru_cache(maxsize=64)
def _steps(ks: Any, nu: Any, sizes: Any, shape: Any, wide: int) -> tuple[Any, ...]:
    """Return what SciPy's step takes beside numbers: sizes, degrees, orders, strides, and which
    coefficients are around a point; and how many numbers each has."""
    each = np.indices([k + 1 for k in ks]).reshape(len(ks), -1)
    trailing = math.prod(shape[len(ks) :]) * wide
    strides = [trailing]
    for n in shape[len(ks) - 1 : 0 : -1]:
        strides.insert(0, strides[0] * n)
    whole = (np.asarray(v, dtype=np.int64) for v in (sizes, ks, nu, [*strides, 1]))
    return *whole, np.ascontiguousarray(each.T, dtype=np.int64), trailing


def spline(x: Any, c: Any, fill: Any, ks: tuple[int, ...], nu: tuple[int, ...], *knots: Any) -> Any:
    if x.shape[0] > _FEW:
        return NotImplemented
    if evaluate_ndbspline is None or not c.size or not x.size:
        y = NdBSpline(knots, c, ks)(x, nu=nu)
    else:
        y = _evaluated(x, c, ks, nu, knots)
    if fill is None:
        return y
    inner = [t[k : t.shape[0] - k] for t, k in zip(knots, ks, strict=True)]
    return _filled(x, y, fill, inner)


def _evaluated(x: Any, c: Any, ks: Any, nu: Any, knots: Any) -> Any:
    d, sizes = len(ks), tuple([t.shape[0] for t in knots])
    lengths, degrees, orders, strides, around, each = _steps(
        ks, nu, sizes, c.shape, 2 if c.dtype.kind == "c" else 1
    )
    t = np.empty((d, max(sizes)))
    for axis, (g, n) in enumerate(zip(knots, sizes, strict=True)):
        t[axis, :n] = g
    flat = np.ascontiguousarray(c).view(float).reshape(-1)
    x = np.ascontiguousarray(x, dtype=float)
    y = evaluate_ndbspline(x, t, lengths, degrees, orders, True, flat, each, strides, around)
    return y.view(c.dtype).reshape(x.shape[0], *c.shape[d:])


def _filled(x: Any, y: Any, fill: Any, grid: Any) -> Any:
    if fill is None:
        return y
    low, high = np.asarray([g[0] for g in grid]), np.asarray([g[-1] for g in grid])
    inside = (x >= low) & (x <= high)
    if not inside.all():
        y[((x < low) | (x > high)).any(axis=1)] = fill
        y[np.isnan(x).any(axis=1)] = np.nan
    return y
