"""The nearest of scattered points."""

import math
from typing import Any

from ..._namespace import array_namespace
from ..._native import native
from ...errors import ArgumentError
from ...transforms import register_tree
from .._base._arguments import alike, reals
from .._base._knots import finite
from .._base._points import in_pieces
from ._coordinates import checked_values, coordinates, extents
from ._radial import squared_distances
from ._triangles import Kept

__all__ = ["NearestNDInterpolator"]

_NAME = "NearestNDInterpolator"


class NearestNDInterpolator:
    """Take the value of the nearest of scattered points, in any number of dimensions.

    Parameters
    ----------
    x : array, shape (n, d), or tuple of d arrays
        The points, or their coordinates.
    y : array, shape (n, ...)
        Values, real or complex; trailing dimensions are a batch.
    rescale : bool, optional
        Whether distances are of coordinates divided by their extent. Default: no.
    tree_options : dict, optional
        Accepted for SciPy's signature; ignored.

    Attributes
    ----------
    points : array, shape (n, d)
        The points, scaled if asked for.
    values : array, shape (n, ...)

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If shapes don't fit, points aren't finite (where values can be read), or are complex.

    Notes
    -----
    Each point is compared with all n, by squared distances in pieces that stay in the cache, and of
    points equally near the first is taken; on NumPy, SciPy's tree finds one of them. Differentiable
    in values; slopes in points are zero.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; one coordinate is enough.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import NearestNDInterpolator
    >>> f = NearestNDInterpolator([[0.0, 0.0], [1.0, 1.0]], np.asarray([5.0, 7.0]))
    >>> print(f([[0.2, 0.1], [0.9, 0.3]]), f(0.9, 0.9))
    [5. 7.] 7.0
    """

    points: Any
    values: Any
    offset: Any
    scale: Any
    _kept: Kept

    def __init__(self, x: Any, y: Any, rescale: bool = False, tree_options: Any = None) -> None:
        points = coordinates(_NAME, "x", x, y)
        values, points = alike(_NAME, ("y", "x"), y, points)
        checked_values(_NAME, values, points)
        finite(_NAME, "x", points)
        self.values, self.points, self.offset, self.scale = values, points, None, None
        self._kept = Kept()
        if rescale:
            self.offset, self.scale = extents(points)
            self.points = (points - self.offset) / self.scale

    def __call__(
        self,
        *args: Any,
        distance_upper_bound: float = math.inf,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
    ) -> Any:
        """Return the values at points.

        Parameters
        ----------
        *args
            One array of points (..., d), or d arrays of coordinates, which broadcast.
        distance_upper_bound : float, optional
            Points that have none nearer than this get NaN.
        p : float, optional
            The norm of distances: 1, 2 (default), infinity, or another from 1 on.
        eps, workers : optional
            Accepted for SciPy's signature; ignored, as results are exact.

        Returns
        -------
        array, shape (..., ...)
            The dimensions of the points, then the trailing ones of the values.

        Raises
        ------
        ShapeError, ArgumentError
            If points don't have d coordinates, or aren't finite, or `p` is below 1.
        """
        name = f"{_NAME}.__call__"
        if not p >= 1.0:
            raise ArgumentError(f"{name}: p must be from 1 on, got {p!r}. The default is 2")
        at = coordinates(name, "xi", args, self.values, self.points.shape[1])
        values, at, points = alike(name, ("values", "xi", "x"), self.values, at, self.points)
        finite(name, "xi", at)
        xp = array_namespace(values, at, points)
        if self.scale is not None:
            offset, scale = reals(name, ("xi", "offset", "scale"), at, self.offset, self.scale)[1:]
            at = (at - offset) / scale
        rest, shape = tuple(values.shape[1:]), tuple(at.shape[:-1])
        at = xp.reshape(at, (-1, at.shape[-1]))
        index = _nearest(at, points, p, self._kept)
        found = xp.take(values, index, axis=0)
        if distance_upper_bound < math.inf:
            near = xp.take(points, index, axis=0)
            far = _distance(xp, at - near, p) >= distance_upper_bound
            found = xp.where(xp.reshape(far, (-1,) + (1,) * len(rest)), xp.nan, found)
        return xp.reshape(found, (*shape, *rest))


def _distance(xp: Any, steps: Any, p: float) -> Any:
    steps = xp.abs(steps)
    if p == math.inf:
        return xp.max(steps, axis=-1)
    return xp.sum(steps**p, axis=-1) ** (1.0 / p)


@native(numpy="likewise._libs.numpy._triangles:nearest")
def _nearest(at: Any, points: Any, p: float, kept: Kept) -> Any:
    """Return which of points (n, d) is the nearest to each of others (q, d)."""
    xp = array_namespace(at, points)

    def piece(q: Any) -> Any:
        if p == 2.0:
            return xp.argmin(squared_distances(q, points), axis=1)
        return xp.argmin(_distance(xp, q[:, None, :] - points, p), axis=1)

    return in_pieces(piece, at, points.shape[0] * (1 if p == 2.0 else at.shape[1]))


def _flatten(f: NearestNDInterpolator) -> tuple[Any, Any]:
    return (f.points, f.values, f.offset, f.scale), None


def _unflatten(_: Any, leaves: tuple[Any, ...]) -> NearestNDInterpolator:
    made = object.__new__(NearestNDInterpolator)
    made.points, made.values, made.offset, made.scale = leaves
    made._kept = Kept()
    return made


register_tree(NearestNDInterpolator, _flatten, _unflatten)
