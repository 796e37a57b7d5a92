"""Linear interpolation between scattered points, on triangles and their like."""

import copy
import math
from typing import Any

from ..._memo import PLAIN
from ..._namespace import array_namespace, is_neutral
from ..._native import native
from ...errors import ArgumentError, ShapeError
from ...interop import asarray
from ...transforms import register_tree
from .._base._arguments import alike
from .._base._knots import followed
from .._base._points import in_pieces
from ._coordinates import checked_values, coordinates, extents
from ._triangles import Kept, Triangulation, triangulated

__all__ = ["LinearNDInterpolator", "Triangular"]


class Triangular:
    """Hold values at points with triangles between them: what is called at points."""

    tri: Triangulation
    values: Any
    offset: Any
    scale: Any
    fill_value: Any
    kept: Kept

    def _make(self, function: str, points: Any, values: Any, rescale: bool) -> None:
        self.offset = self.scale = None
        self.kept = Kept()
        is_ours = isinstance(points, Triangulation)
        made = None if is_ours or not hasattr(points, "simplices") else points
        if rescale and (is_ours or made is not None):
            raise ArgumentError(
                f"{function}: Rescaling is not supported when passing a Delaunay triangulation as "
                "points. Scale the points before they are triangulated, and those of calls, too"
            )
        given = made.points if made is not None else points.points if is_ours else points
        if made is not None and not is_neutral(values):  # SciPy's is of NumPy's arrays
            xp = array_namespace(values)
            single = values.dtype in (xp.float32, xp.complex64)
            given = asarray(given, like=values, dtype=xp.float32 if single else None)
        at = coordinates(function, "points", given, values)
        self.values, at = alike(function, ("values", "points"), values, at)
        checked_values(function, self.values, at)
        if at.shape[1] < 2:
            raise ShapeError(
                f"{function}: input data must be at least 2-D, got points of one coordinate: use "
                "interp1d, or griddata, which does"
            )
        if is_ours:
            self.tri = points if at.dtype == given.dtype and at is given else points.moved(at)
            return
        if rescale:
            self.offset, self.scale = extents(at)
            at = (at - self.offset) / self.scale
        held = given if made is None else made.points
        self.tri = triangulated(function, at, held, made, rescale)

    @property
    def points(self) -> Any:
        """The points, scaled if asked for."""
        return self.tri.points

    def __call__(self, *args: Any) -> Any:
        """Return the values at points.

        Parameters
        ----------
        *args
            One array of points (..., d), or d arrays of coordinates, which broadcast.

        Returns
        -------
        array, shape (..., ...)
            The dimensions of the points, then the trailing ones of the values.

        Raises
        ------
        ShapeError, DtypeError
            If points don't have d coordinates, or are complex.
        """
        x: Any = args[0] if len(args) == 1 else None
        points, values = self.tri.points, self.values
        plain = type(x) is type(points) is type(values) and type(x) in PLAIN
        rest, k = tuple(values.shape[1:]), points.shape[1]
        if not (plain and x.dtype == points.dtype and x.ndim > 1 and x.shape[-1] == k):
            x, values = self._beside(args)
        elif self.offset is not None:
            x = (x - self.offset) / self.scale
        flat = x if x.ndim == 2 else array_namespace(x).reshape(x, (-1, k))
        found = _interpolated(flat, self if values is self.values else self._with(values))
        return found if x.ndim == 2 else array_namespace(x).reshape(found, (*x.shape[:-1], *rest))

    def _beside(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        name, points = f"{type(self).__name__}.__call__", self.tri.points
        at = coordinates(name, "xi", args, self.values, points.shape[1])
        names = ("values", "xi", "points", "offset", "scale")
        offset, scale = (0.0, 1.0) if self.offset is None else (self.offset, self.scale)
        values, at, _, offset, scale = alike(name, names, self.values, at, points, offset, scale)
        return at if self.offset is None else (at - offset) / scale, values

    def _with(self, values: Any) -> "Triangular":
        made = copy.copy(self)
        made.values, made.kept = values, Kept()
        return made

    def _held(self) -> tuple[Any, ...]:
        return ()

    def _at(
        self,
        tri: Triangulation,
        found: Any,
        corners: list[tuple[Any, Any]],
        values: Any,
        *held: Any,
    ) -> Any:
        raise NotImplementedError


@native(numpy="likewise._libs.numpy._triangles:interpolated")
def _interpolated(at: Any, f: Triangular) -> Any:
    """Return values at points (p, d)."""
    xp, values, rest = array_namespace(f.values, at, f.tri.points), f.values, f.values.ndim - 1
    tri, held = f.tri.beside(xp, at.dtype), followed(xp, f._held())
    ones = (-1,) + (1,) * rest

    def piece(at: Any) -> Any:
        found = tri.located(at)
        inside = xp.where(found < 0, 0, found)
        corners = [(p, xp.reshape(w, ones)) for p, w in tri.corners(inside, at)]
        y = f._at(tri, inside, corners, values, *held)
        return xp.where(xp.reshape(found < 0, ones), f.fill_value, y)

    return in_pieces(piece, at, math.prod(values.shape[1:]))


class LinearNDInterpolator(Triangular):
    """Interpolate scattered points linearly within triangles, or simplices of more dimensions.

    Parameters
    ----------
    points : array, shape (n, d), tuple of d arrays, or triangles
        The points, or their coordinates; or `tri` of another interpolator, or a
        `scipy.spatial.Delaunay`, whose triangles are used.
    values : array, shape (n, ...)
        Values, real or complex; trailing dimensions are a batch.
    fill_value : number, optional
        The value outside of the points' convex hull. Default: NaN.
    rescale : bool, optional
        Whether triangles are made between coordinates divided by their extent. Default: no.

    Attributes
    ----------
    points : array, shape (n, d)
        The points, scaled if asked for.
    values : array, shape (n, ...)
    tri : object
        The triangles, a tree of arrays, with `points`, `simplices` and `neighbors` as in SciPy.
        ``tri.moved(points)`` has the same triangles between other points.
    fill_value
        As given.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If shapes don't fit, points have one coordinate, are NaN or complex, or lie on a line (or
        plane), or there are too few: the last two are also a `scipy.spatial.QhullError`.
    NotSupported
        If points can't be read, as under `jit`, or SciPy isn't installed; if it is called with
        Dask's arrays, for which there is no walk: map it over their blocks.

    Warns
    -----
    HostCopyWarning
        If points on a GPU or of Dask are copied to the host.

    Notes
    -----
    Qhull makes the triangles, which are Delaunay's, on the host in double precision; it is in
    SciPy, and all else is in the standard. For `jit`, make an interpolator outside, and give its
    `tri` in place of points. A point walks to its simplex from one near it (O. Devillers,
    S. Pion, M. Teillaud, Walking in a Triangulation, 2002), in a few steps; under `jit` all points
    walk as long as the last one.

    Differentiable in values, where it is called, and in points, with the triangles as they are:
    where a derivative can't read points, by ``tri.moved(points)``. A tree of arrays
    (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import LinearNDInterpolator
    >>> points = np.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> f = LinearNDInterpolator(points, points[:, 0] + 2.0 * points[:, 1])
    >>> print(f([[0.5, 0.5], [0.2, 0.9], [3.0, 0.0]]))
    [1.5 2.  nan]
    """

    def __init__(
        self, points: Any, values: Any, fill_value: Any = math.nan, rescale: bool = False
    ) -> None:
        self.fill_value = fill_value
        self._make(type(self).__name__, points, values, rescale)

    def _at(
        self,
        tri: Triangulation,
        found: Any,
        corners: list[tuple[Any, Any]],
        values: Any,
        *held: Any,
    ) -> Any:
        xp = array_namespace(values)
        return sum(w * xp.take(values, place, axis=0) for place, w in corners)


def _flatten(f: LinearNDInterpolator) -> tuple[Any, Any]:
    return (f.tri, f.values, f.offset, f.scale, f.fill_value), None


def _unflatten(_: Any, leaves: tuple[Any, ...]) -> LinearNDInterpolator:
    made = object.__new__(LinearNDInterpolator)
    made.tri, made.values, made.offset, made.scale, made.fill_value = leaves
    made.kept = Kept()
    return made


register_tree(LinearNDInterpolator, _flatten, _unflatten)
