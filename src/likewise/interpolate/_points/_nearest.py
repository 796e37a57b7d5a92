"""The nearest of scattered points, and one function of all the ways between them."""

import math
from typing import Any

from ..._namespace import array_namespace
from ..._native import public
from ...errors import ArgumentError, NotSupported, ShapeError
from ...transforms import register_tree
from .._base._arguments import alike, reals, refuse_complex
from .._base._knots import finite
from .._base._points import in_pieces
from .._grids._interp1d import interp1d
from ._radial import squared_distances

__all__ = ["NearestNDInterpolator", "griddata"]

_NAME = "NearestNDInterpolator"


def _coordinates(function: str, name: str, given: Any, like: Any, d: int | None = None) -> Any:
    """Return points (..., d), of an array or of a tuple of coordinates that broadcast."""
    if isinstance(given, tuple) and len(given) == 1:
        given = given[0]
    many = isinstance(given, tuple)
    for part in given if many else (given,):
        refuse_complex(function, name, part)
    if many:
        names = ("values", *(name,) * len(given))
        parts = alike(function, names, like, *given)[1:]
        xp = array_namespace(*parts)
        points = xp.stack(xp.broadcast_arrays(*parts), axis=-1)
    else:
        points = alike(function, ("values", name), like, given)[1]
        if points.ndim < 2 and not (d and math.prod(points.shape) % d):
            points = array_namespace(points).reshape(points, (-1, d or 1))
    if d is not None and points.shape[-1] != d:
        raise ShapeError(
            f"{function}: number of dimensions in {name} does not match the points: they have "
            f"{d} coordinates, got shape {tuple(points.shape)}"
        )
    return points


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
        Accepted for SciPy's signature; ignored, as there is no tree.

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
    Each point is compared with all n, by squared distances in pieces that stay in the cache: for
    many points SciPy's tree is faster. Of points equally near the first is taken. Differentiable in
    values; slopes in points are zero.

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

    def __init__(self, x: Any, y: Any, rescale: bool = False, tree_options: Any = None) -> None:
        points = _coordinates(_NAME, "x", x, y)
        values, points = alike(_NAME, ("y", "x"), y, points)
        if points.ndim != 2 or not points.shape[0]:
            raise ShapeError(
                f"{_NAME}: invalid shape for input data points: x must have the shape (n, d), got "
                f"{tuple(points.shape)}"
            )
        if not values.ndim or values.shape[0] != points.shape[0]:
            raise ShapeError(
                f"{_NAME}: different number of values and points, got shapes "
                f"{tuple(values.shape)} and {tuple(points.shape)}"
            )
        finite(_NAME, "x", points)
        self.values, self.points, self.offset, self.scale = values, points, None, None
        if rescale:
            xp = array_namespace(points)
            self.offset = xp.mean(points, axis=0)
            extent = xp.max(points, axis=0) - xp.min(points, axis=0)
            self.scale = xp.where(extent > 0.0, extent, 1.0)
            self.points = (points - self.offset) / self.scale

    def __call__(self, *args: Any, distance_upper_bound: float = math.inf, **options: Any) -> Any:
        """Return the values at points.

        Parameters
        ----------
        *args
            One array of points (..., d), or d arrays of coordinates, which broadcast.
        distance_upper_bound : float, optional
            Points that have none nearer than this get NaN.
        **options
            ``workers`` and ``eps`` are ignored: results are exact; ``p`` must be 2.

        Returns
        -------
        array, shape (..., ...)
            The dimensions of the points, then the trailing ones of the values.

        Raises
        ------
        ShapeError, ArgumentError
            If points don't have d coordinates, or aren't finite.
        NotSupported
            If `options` has something else.
        """
        name = f"{_NAME}.__call__"
        other = {k: v for k, v in options.items() if k not in ("workers", "eps", "p")}
        if other or options.get("p", 2) != 2:
            raise NotSupported(
                f"{name}: nearest are points by Euclidean distance; of SciPy's options there are "
                f"distance_upper_bound, workers and eps, got {options}"
            )
        at = _coordinates(name, "xi", args, self.values, self.points.shape[1])
        values, at, points = alike(name, ("values", "xi", "x"), self.values, at, self.points)
        finite(name, "xi", at)
        xp = array_namespace(values, at, points)
        if self.scale is not None:
            offset, scale = reals(name, ("xi", "offset", "scale"), at, self.offset, self.scale)[1:]
            at = (at - offset) / scale
        rest = tuple(values.shape[1:])

        def piece(p: Any) -> Any:
            s = squared_distances(p, points)
            found = xp.take(values, xp.argmin(s, axis=1), axis=0)
            if distance_upper_bound == math.inf:
                return found
            far = xp.sqrt(xp.min(s, axis=1)) >= distance_upper_bound
            return xp.where(xp.reshape(far, (-1,) + (1,) * len(rest)), xp.nan, found)

        flat = xp.reshape(at, (-1, at.shape[-1]))
        found = in_pieces(piece, flat, points.shape[0] + math.prod(rest))
        return xp.reshape(found, (*at.shape[:-1], *rest))


def _flatten(f: NearestNDInterpolator) -> tuple[Any, Any]:
    return (f.points, f.values, f.offset, f.scale), None


def _unflatten(_: Any, leaves: tuple[Any, ...]) -> NearestNDInterpolator:
    made = object.__new__(NearestNDInterpolator)
    made.points, made.values, made.offset, made.scale = leaves
    return made


register_tree(NearestNDInterpolator, _flatten, _unflatten)


@public
def griddata(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    fill_value: Any = math.nan,
    rescale: bool = False,
) -> Any:
    """Interpolate values of scattered points, in one call.

    Parameters
    ----------
    points : array, shape (n,) or (n, d), or tuple of d arrays
        The points, or their coordinates.
    values : array, shape (n, ...)
        Values, real or complex.
    xi : array, shape (..., d), or tuple of d arrays
        Where they are interpolated. In one dimension: an array of any shape.
    method : {'linear', 'nearest', 'cubic'}, optional
        Default 'linear'. In more than one dimension only 'nearest'.
    fill_value : number, optional
        The value outside of the points in one dimension, but for 'nearest'. Default: NaN.
    rescale : bool, optional
        As for `NearestNDInterpolator`.

    Returns
    -------
    array
        The dimensions of `xi` (the last not counted), then the trailing ones of the values.

    Raises
    ------
    NotSupported
        If the method is 'linear' or 'cubic' in more than one dimension.
    ArgumentError, ShapeError, DtypeError
        If there is no such method, or as for `interp1d` and `NearestNDInterpolator`.

    Notes
    -----
    `interp1d` in one dimension, `NearestNDInterpolator` in others; differentiable as they are.

    Differs from SciPy: no triangles, so 'linear' and 'cubic' are of one dimension only.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import griddata
    >>> points = np.asarray([[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> print(griddata(points, np.asarray([1.0, 2.0, 3.0]), [[0.1, 1.8]], method="nearest"))
    [3.]
    """
    if method not in ("linear", "nearest", "cubic"):
        raise ArgumentError(
            f"griddata: Unknown interpolation method {method!r}: choose 'linear', 'nearest' or "
            "'cubic'"
        )
    points = _coordinates("griddata", "points", points, values)
    d = points.shape[-1]
    if d > 1:
        if method != "nearest":
            raise NotSupported(
                f"griddata: method={method!r} in {d} dimensions needs triangles, which aren't "
                "there. Use method='nearest', or RBFInterpolator, which is smooth"
            )
        return NearestNDInterpolator(points, values, rescale)(xi)
    if isinstance(xi, tuple):
        if len(xi) != 1:
            raise ShapeError(
                f"griddata: invalid number of dimensions in xi: points have one, got {len(xi)} "
                "coordinates"
            )
        xi = xi[0]
    fill = "extrapolate" if method == "nearest" else fill_value
    points = array_namespace(points).reshape(points, (-1,))
    return interp1d(points, values, method, 0, bounds_error=False, fill_value=fill)(xi)
