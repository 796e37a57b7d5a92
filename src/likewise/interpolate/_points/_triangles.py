"""Triangles between scattered points, and which of them a point lies in.

Qhull makes the triangles, on the host; to find them by a walk is in the standard.
"""

import functools
import math
import warnings
from typing import Any

from ..._namespace import (
    array_namespace,
    device,
    is_concrete,
    is_lazy,
    is_neutral,
    namespace,
    quiet,
)
from ..._native import native
from ...errors import ArgumentError, HostCopyWarning, NotSupported, ShapeError, _level
from ...interop import asarray, to_numpy
from ...linalg import inv
from ...missing._axes import index_dtype
from ...special._function import at_hand, looped
from ...transforms import register_tree, stop_gradient, tree_map
from .._base._knots import followed
from ._coordinates import extents

__all__ = ["Kept", "Triangulation", "triangulated"]

_BLOCK = 64  # simplices that are searched at once, if the walk didn't end


def _leanings(tri: "Triangulation") -> Any:
    """Return, for each side of a triangle, where the line between two centres crosses it."""
    xp, columns = array_namespace(tri.points), []
    for side in range(3):
        beside = tri.neighbors[:, side]
        corners = xp.take(
            tri.simplices, xp.where(beside < 0, xp.zeros_like(beside), beside), axis=0
        )
        centre = sum(xp.take(tri.points, corners[:, k], axis=0) for k in range(3)) / 3.0
        away = centre - tri.origins
        at = [xp.sum(tri.weights[:, i, :] * away, axis=1) for i in range(2)]
        at.append(1.0 - at[0] - at[1])
        opposite, one = at[side], at[(side + 1) % 3]
        part = 1.0 - 3.0 * opposite
        none = (beside < 0) | (part == 0.0) | xp.isnan(part)
        leaning = xp.where(none, 0.0, opposite - one) / xp.where(none, 1.0, part)
        columns.append(xp.where(beside < 0, -0.5, leaning))
    return xp.stack(columns, axis=1)


class Kept:
    """Hold what a routine made of arrays, for its next call. It isn't part of trees and pickles."""

    def __init__(self) -> None:
        self.of: Any = None
        self.made: Any = None

    def __reduce__(self) -> Any:
        return Kept, ()


@native(numpy="likewise._libs.numpy._triangles:delaunay")
def _delaunay(points: Any, function: str, made: Any, kept: Kept) -> Any:
    raise NotSupported(
        f"{function}: triangles come from Qhull, which is in SciPy: install it, and don't force "
        "the generic routine. Method 'nearest' and RBFInterpolator need no triangles"
    )


def _inverses(e: Any) -> tuple[Any, Any]:
    """Return inverse matrices, and which have none to rounding: theirs are NaN."""
    xp = array_namespace(e)
    with quiet(e):  # of flat ones
        found = _inverse(e)
    norms = [_norm(xp, stop_gradient(a)) for a in (e, found)]
    flat = ~(norms[0] * norms[1] * (1000.0 * xp.finfo(e.dtype).eps) < 1.0)
    if is_concrete(flat) and not bool(xp.any(flat)):
        return found, flat
    unit = xp.eye(e.shape[1], dtype=e.dtype, device=device(e))
    safe = _inverse(xp.where(flat[:, None, None], unit, e))
    return xp.where(flat[:, None, None], xp.nan, safe), flat


def _norm(xp: Any, a: Any) -> Any:
    d = a.shape[1]
    return functools.reduce(
        xp.maximum, [sum(xp.abs(a[:, i, j]) for i in range(d)) for j in range(d)]
    )


def _inverse(e: Any) -> Any:
    xp, d = array_namespace(e), e.shape[1]
    if d > 3:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of singular ones
            return inv(e)
    at = [[e[:, i, j] for j in range(d)] for i in range(d)]
    if d == 2:
        ((a, b), (c, f)) = at
        rows = [[f, -b], [-c, a]]
        det = a * f - b * c
    else:
        u, v = ((1, 2, 0), (2, 0, 1))
        rows = [
            [at[u[j]][u[i]] * at[v[j]][v[i]] - at[u[j]][v[i]] * at[v[j]][u[i]] for j in range(3)]
            for i in range(3)
        ]
        det = sum(at[0][j] * rows[j][0] for j in range(3))
    over = 1.0 / xp.where(det == 0.0, xp.finfo(det.dtype).smallest_normal, det)
    return xp.stack([xp.stack([x * over for x in row], axis=1) for row in rows], axis=1)


class Triangulation:
    """Hold the simplices (triangles, in the plane) between points.

    Attributes
    ----------
    points : array, shape (n, d)
    simplices : array of int, shape (m, d + 1)
        The corners of each simplex.
    neighbors : array of int, shape (m, d + 1)
        The simplex opposite to each corner, -1 for none.
    """

    points: Any
    simplices: Any
    neighbors: Any
    edges: Any
    weights: Any  # (m, d, d), of offsets to the last corner, which `origins` has
    origins: Any
    bounds: tuple[Any, Any]
    leanings: Any  # in the plane, of the lines between centres
    slack: Any  # how far outside a point may be, opposite to each corner; None: one for all
    _grid: tuple[Any, Any, Any, Any]  # a table of simplices, counts, the lowest corner, scales
    kept: Kept

    def __getattr__(self, name: str) -> Any:
        """Make arrays of what a routine has made, when one is asked for the first time."""
        if "kept" not in self.__dict__ or "simplices" in self.__dict__ or name.startswith("__"):
            raise AttributeError(name)
        self.take()
        return self.__dict__[name]

    def __getstate__(self) -> Any:
        return self.simplices is not None and self.__dict__

    def take(self) -> None:
        """Make arrays of what Qhull has made."""
        points = self.points
        simplices, neighbors, edges, *grid = self.kept.of()
        kind = index_dtype(array_namespace(points), points)
        self.simplices, self.neighbors, self.edges, *table = (
            _beside(a, points, kind) for a in (simplices, neighbors, edges, *grid[:2])
        )
        self._grid = (*table, *(_beside(a, points, points.dtype) for a in grid[2:]))
        self._measure()

    def moved(self, points: Any) -> "Triangulation":
        """Return the same simplices between other points, (n, d), which may be followed.

        Parameters
        ----------
        points : array, shape (n, d)
            So near to the old ones that no simplex turns over, which isn't checked.

        Returns
        -------
        Triangulation
            Differentiable in the points.
        """
        if tuple(points.shape) != tuple(self.points.shape):
            raise ShapeError(
                f"Triangulation.moved: there are points of shape {tuple(self.points.shape)}, got "
                f"{tuple(points.shape)}"
            )
        xp = array_namespace(points, self.points)
        made = object.__new__(Triangulation)
        whole = (points, self.simplices, self.neighbors, self.edges, self._grid)
        made.points, made.simplices, made.neighbors, made.edges, made._grid = followed(xp, whole)
        made.kept = Kept()
        made._measure()
        return made

    def beside(self, xp: Any, dtype: Any) -> "Triangulation":
        """Return the same in a precision, followed if a transform follows arrays of the call."""
        made: Triangulation = followed(xp, self)
        if made.points.dtype == dtype:
            return made
        return tree_map(
            lambda a: xp.astype(a, dtype) if xp.isdtype(a.dtype, "real floating") else a, made
        )

    def _measure(self) -> None:
        xp, (m, k) = array_namespace(self.points), self.simplices.shape
        corners = [xp.take(self.points, self.simplices[:, i], axis=0) for i in range(k)]
        self.origins = corners[-1]
        self.bounds = xp.min(self.points, axis=0), xp.max(self.points, axis=0)
        offsets = xp.stack([c - self.origins for c in corners[:-1]], axis=2)
        self.weights, flat = _inverses(offsets)
        self.slack, self.leanings = None, _leanings(self) if k == 3 else None
        if is_concrete(flat) and not bool(xp.any(flat)):
            return
        eps = xp.finfo(self.points.dtype).eps
        beside = xp.reshape(self.neighbors, (-1,))
        beside = xp.take(flat, xp.where(beside < 0, xp.zeros_like(beside), beside)) & (beside >= 0)
        flatter = xp.astype(xp.reshape(beside, (m, k)), self.points.dtype)
        self.slack = 100.0 * eps + (math.sqrt(eps) - 100.0 * eps) * flatter

    def corners(self, found: Any, at: Any) -> list[tuple[Any, Any]]:
        """Return the place of each corner of simplices, and its weight at points."""
        xp, d = array_namespace(at, self.points), at.shape[1]
        t, places = xp.take(self.weights, found, axis=0), xp.take(self.simplices, found, axis=0)
        weights = _applied(t, at - xp.take(self.origins, found, axis=0))
        return [(places[:, k], weights[k]) for k in range(d + 1)]

    def located(self, at: Any) -> Any:
        """Return the simplex of each point (p, d), -1 outside."""
        xp = array_namespace(at, self.points)
        return _Walk(self, xp)(stop_gradient(at))


def _applied(t: Any, away: Any) -> list[Any]:
    """Return the weights of all corners, of matrices (p, d, d) and offsets (p, d)."""
    d, last, found = away.shape[1], 1.0, []
    parts = [away[:, j] for j in range(d)]
    for i in range(d):
        weight = t[:, i, 0] * parts[0]
        for j in range(1, d):
            weight = weight + t[:, i, j] * parts[j]
        found.append(weight)
        last = last - weight
    return [*found, last]


class _Walk:
    """Find the simplices of points: from neighbour to neighbour, from a table's."""

    def __init__(self, tri: Triangulation, xp: Any) -> None:
        self.xp, self.slack, (self.m, self.k) = xp, tri.slack, tri.simplices.shape
        self.t, self.last = stop_gradient(tri.weights), stop_gradient(tri.origins)
        self.low, self.high = (stop_gradient(a) for a in tri.bounds)
        self.beside = xp.reshape(tri.neighbors, (-1,))
        self.eps = 100.0 * xp.finfo(self.t.dtype).eps
        self.grid = tri._grid
        self.most = 100 + 8 * math.isqrt(self.m)

    def __call__(self, at: Any) -> Any:
        xp = self.xp
        wide = self.eps * (self.high - self.low)
        within = xp.all((at >= self.low - wide) & (at <= self.high + wide), axis=1)
        at = xp.where(within[:, None], at, self.low)
        start = self.start(at)
        if not at_hand(at, self.t):
            found = looped(
                lambda c: xp.any(c[1]) & (c[2] < self.most),
                lambda c: (*self.step(at, c[0], c[1]), c[2] + 1),
                (start, within, 0),
            )
            found = xp.where(found[1], -2, found[0])
        else:
            found = xp.where(within, self.walked(at, start), -1)
        return xp.where(within, self.searched(at, found), -1)

    def start(self, at: Any) -> Any:
        xp, (table, counts, low, scale) = self.xp, self.grid
        cell: Any = 0
        for k in range(at.shape[1]):
            u = xp.astype((at[:, k] - low[k]) * scale[k], table.dtype)
            cell = cell * counts[k] + xp.clip(u, 0, counts[k] - 1)
        return xp.take(table, cell)

    def step(self, at: Any, found: Any, walks: Any) -> tuple[Any, Any]:
        """Return the next simplex of points that walk (-1 outside, -2 lost), and who walks on."""
        xp, here = self.xp, found
        if not at_hand(at):  # who stands still may be nowhere
            here = xp.where(found < 0, 0, found)
        weights = _applied(xp.take(self.t, here, axis=0), at - xp.take(self.last, here, axis=0))
        slack: Any = None if self.slack is None else xp.take(self.slack, here, axis=0)
        least, side = weights[0], xp.zeros_like(here)
        if slack is not None:
            least = least + slack[:, 0]
        for k in range(1, self.k):
            w = weights[k] if slack is None else weights[k] + slack[:, k]
            less = w < least
            least, side = xp.where(less, w, least), xp.where(less, k, side)
        outside = least < (-self.eps if slack is None else 0.0)
        after = xp.where(outside, xp.take(self.beside, here * self.k + side), here)
        if slack is not None:
            after = xp.where(xp.isnan(least), -2, after)
        if walks is None:
            return after, outside & (after >= 0)
        return xp.where(walks, after, found), walks & outside & (after >= 0)

    def walked(self, at: Any, found: Any) -> Any:
        """Return simplices of points in memory; those that have arrived are left aside."""
        xp = self.xp
        order = xp.arange(at.shape[0], dtype=found.dtype, device=device(found))
        places, ends = [], []
        for _ in range(self.most):
            found, walks = self.step(at, found, None)
            count = int(xp.sum(xp.astype(walks, found.dtype)))  # likewise: ignore[LW203]: at hand
            if not count:
                break
            if count < walks.shape[0]:
                by = xp.argsort(xp.astype(walks, xp.int8), descending=True, stable=True)
                stays, goes = by[count:], by[:count]
                places.append(xp.take(order, stays))
                ends.append(xp.take(found, stays))
                order, found = xp.take(order, goes), xp.take(found, goes)
                at = xp.take(at, goes, axis=0)
        else:
            found = xp.full_like(found, -2)
        if not places:
            return found
        places, ends = xp.concat([*places, order]), xp.concat([*ends, found])
        return xp.take(ends, xp.argsort(places))

    def searched(self, at: Any, found: Any) -> Any:
        """Return simplices of points that are lost, by a search of all."""
        xp = self.xp
        if self.slack is None and is_concrete(found) and not bool(xp.any(found == -2)):
            return found
        most = -(-self.m // _BLOCK)
        inside = xp.arange(_BLOCK, dtype=found.dtype, device=device(found))

        def step(carry: tuple[Any, Any]) -> tuple[Any, Any]:
            found, block = carry
            some = xp.clip(inside + block * _BLOCK, 0, self.m - 1)
            t, last = xp.take(self.t, some, axis=0), xp.take(self.last, some, axis=0)
            slack = None if self.slack is None else xp.take(self.slack, some, axis=0)
            good: Any = True
            away = at[:, None, :] - last
            rest: Any = 1.0
            for i in range(self.k):
                if i < self.k - 1:
                    w = xp.sum(away * t[:, i, :], axis=2)
                    rest = rest - w
                else:
                    w = rest
                good = good & (w >= (-self.eps if slack is None else -slack[:, i]))
            first = xp.take(some, xp.argmax(xp.astype(good, xp.int8), axis=1))
            return xp.where((found == -2) & xp.any(good, axis=1), first, found), block + 1

        found = looped(lambda c: xp.any(c[0] == -2) & (c[1] < most), step, (found, 0))[0]
        return xp.where(found < 0, -1, found)


def triangulated(
    function: str, points: Any, given: Any, made: Any = None, rescale: bool = False
) -> Triangulation:
    """Return the triangles of points (n, d).

    `given` has the same points, as the caller gave them, which can be read, and before they are
    scaled; `made` is SciPy's object of them, if there is one.
    """
    parts = [_on_host(function, p) for p in (given if isinstance(given, tuple) else (given,))]
    np = namespace("numpy")
    host = np.stack(np.broadcast_arrays(*parts), axis=-1) if len(parts) > 1 else parts[0]
    if host is not points:
        host = np.reshape(np.astype(host, np.float64), points.shape)
    if bool(np.any(np.isnan(host))):
        raise ArgumentError(
            f"{function}: Points cannot contain NaN. Leave out the points without coordinates"
        )
    if rescale:
        offset, scale = extents(host)
        host = (host - offset) / scale
    found = object.__new__(Triangulation)
    found.points, found.kept = points, Kept()
    _delaunay(host, function, made, found.kept)
    if host is not points:
        found.take()
    return found


def _on_host(function: str, x: Any) -> Any:
    held = stop_gradient(x) if not is_neutral(x) and is_lazy(x) else x
    try:
        host = to_numpy(held)
    except NotSupported as error:
        raise NotSupported(
            f"{function}: points have no values that could be read, as a transform follows them, "
            f"and triangles are made on the host. Make them outside, by f = {function}(points, "
            "values); inside, f.tri stands for points, and f.tri.moved(points) for points that are "
            "followed"
        ) from error
    if not is_neutral(x) and not is_concrete(held):
        warnings.warn(
            f"{function}: points are copied to the host, where Qhull makes triangles of them. Give "
            "`.tri` of an interpolator in place of points to make them once",
            HostCopyWarning,
            stacklevel=_level(),
        )
    return host


def _beside(host: Any, like: Any, dtype: Any) -> Any:
    made = asarray(host, like=like)
    return array_namespace(made).astype(made, dtype)


def _flatten(tri: Triangulation) -> tuple[Any, Any]:
    whole = (tri.points, tri.simplices, tri.neighbors, tri.edges, tri.weights, tri.origins)
    return (*whole, tri.slack, tri.leanings, *tri.bounds, *tri._grid), None


def _unflatten(_: Any, leaves: tuple[Any, ...]) -> Triangulation:
    made = object.__new__(Triangulation)
    made.points, made.simplices, made.neighbors, made.edges, made.weights, made.origins = leaves[:6]
    made.slack, made.leanings = leaves[6:8]
    made.bounds, made._grid = tuple(leaves[8:10]), tuple(leaves[10:])
    made.kept = Kept()
    return made


register_tree(Triangulation, _flatten, _unflatten)
