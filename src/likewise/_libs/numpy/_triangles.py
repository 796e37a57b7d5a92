"""Qhull's triangles and SciPy's trees of points, on the host.

NotImplemented stands for what the body does.
"""

import functools
import warnings
from typing import Any

import numpy as np
from scipy.interpolate import CloughTocher2DInterpolator, LinearNDInterpolator, RBFInterpolator
from scipy.spatial import Delaunay, QhullError, cKDTree

from ...errors import ArgumentError

__all__ = [
    "NoTriangles",
    "closest",
    "delaunay",
    "interpolated",
    "nearest",
    "radial",
    "radial_at",
    "slopes",
]

_FEW = 1 << 8  # numbers that are compared in less time than a tree takes
_SOME = 1000  # points
_LOGARITHMS = 1 << 13


class NoTriangles(ArgumentError, QhullError):  # type: ignore[misc]
    """Points have no triangulation; also a QhullError of SciPy."""


def delaunay(points: Any, function: str, made: Any, kept: Any) -> Any:
    """Triangulate points (n, d) in double precision, unless SciPy's object of them is given.

    What is kept is the object, and how arrays are made of it.
    """
    try:
        kept.made = Delaunay(points) if made is None else made
    except QhullError as error:
        n, d = points.shape
        raise NoTriangles(
            f"{function}: {n} points have no triangulation in {d} dimensions. It needs at least "
            f"{d + 1} that don't lie on one {'line' if d == 2 else 'plane'}: leave out coordinates "
            "that follow from others, or use method 'nearest' or RBFInterpolator. Qhull says: "
            f"{str(error).strip().partition(chr(10))[0]}"
        ) from error
    kept.of = functools.partial(_described, kept.made)


def _described(made: Any) -> Any:
    """Return simplices, their neighbours, edges (2, e) in the plane, and a table of cells.

    The last are, for each cell of a grid over the points, a simplex near it; the numbers of cells
    along each axis; the lowest corner; and the cells' inverse widths.
    """
    points, simplices = made.points, made.simplices
    n, d = points.shape
    edges = np.zeros((2, 0), np.int64)
    if d == 2:
        first, other = made.vertex_neighbor_vertices
        edges = np.stack([np.repeat(np.arange(n), np.diff(first)), other]).astype(np.int64)
    m = simplices.shape[0]
    side = max(1, min(1024, round((m / 2.0) ** (1.0 / d))))
    low, high = points.min(axis=0), points.max(axis=0)
    scale = side / np.where(high > low, high - low, 1.0)
    centres = sum(points[simplices[:, k]] for k in range(d + 1)) / (d + 1)
    cells = ((centres - low) * scale).astype(np.int64).clip(0, side - 1)
    place = np.zeros(m, np.int64)
    for k in range(d):
        place = place * side + cells[:, k]
    table = np.full(side**d, -1, np.int64)
    table[place] = np.arange(m)
    last = np.maximum.accumulate(np.where(table >= 0, np.arange(table.size), 0))
    last[: place.min()] = place.min()
    whole = (simplices.astype(np.int64), made.neighbors.astype(np.int64), edges, table[last])
    return (*whole, np.full(d, side), low, scale)


def nearest(at: Any, points: Any, p: float, kept: Any) -> Any:
    """Return which point is the nearest, by a tree that is kept."""
    if at.size * points.shape[0] <= _FEW:
        return NotImplemented
    if kept.of is not points:
        kept.made, kept.of = cKDTree(points), points
    return kept.made.query(at, p=p)[1]


def interpolated(at: Any, f: Any) -> Any:
    """Interpolate few points; many are found faster by the body, which has a table."""
    made, values, kept = f.tri.kept.made, f.values, f.kept
    if made is None or at.shape[0] > _SOME or values.dtype.char not in "dD":
        return NotImplemented
    if kept.made is None:
        if hasattr(f, "grad"):
            kept.made = CloughTocher2DInterpolator(made, values, f.fill_value, np.inf)
            grad = f.grad.reshape(values.shape[0], 2, -1)
            kept.made.grad = np.ascontiguousarray(grad.swapaxes(1, 2))
        else:
            kept.made = LinearNDInterpolator(made, values, f.fill_value)
    return kept.made(at)


def slopes(values: Any, tri: Any, tol: float, maxiter: int) -> Any:
    """Return gradients (n, 2, ...) at points, by SciPy's sweeps, if they come to an end."""
    made = tri.kept.made
    if made is None or made.points.shape[1] != 2:
        return NotImplemented
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            grad = CloughTocher2DInterpolator(made, values, 0.0, tol, maxiter).grad
        except Warning:
            return NotImplemented
    n, *rest = values.shape
    return grad.reshape(n, -1, 2).swapaxes(1, 2).reshape(n, 2, *rest).astype(values.dtype)


def closest(at: Any, points: Any, k: int, kept: Any) -> Any:
    """Return which k points are the nearest, in their order, by a tree that is kept."""
    if kept.of is not points:
        kept.made, kept.of = cKDTree(points), points
    found = kept.made.query(at, k)[1].reshape(at.shape[0], k)
    return np.sort(found, axis=1)


def radial(
    y: Any, d: Any, smoothing: Any, kernel: str, epsilon: Any, powers: Any, kept: Any
) -> Any:
    """Solve for one interpolant; what SciPy doesn't solve, or warns of, is the body's."""
    if y.ndim != 2 or y.dtype.char != "d" or d.dtype.char != "d":
        return NotImplemented
    degree = len(powers[-1]) if powers else -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = RBFInterpolator(y, d, None, smoothing, kernel, epsilon, degree)
        except (np.linalg.LinAlgError, Warning):
            return NotImplemented
    if not hasattr(made, "_coeffs"):  # another version of SciPy
        return NotImplemented
    kept.made = made
    return made._shift, made._scale, made._coeffs


def radial_at(x: Any, y: Any, kernel: str, *args: Any) -> Any:
    """Evaluate what was solved here; logarithms of many are the body's, which are faster."""
    made = args[2].made
    many = x.shape[0] * y.shape[0] > _LOGARITHMS and kernel == "thin_plate_spline"
    return NotImplemented if made is None or many or x.dtype.char != "d" else made(x)
