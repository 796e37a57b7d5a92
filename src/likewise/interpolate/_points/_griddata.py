"""One function of all the ways between scattered points."""

import math
from typing import Any

from ..._namespace import array_namespace
from ..._native import public
from ...errors import ArgumentError, ShapeError
from .._grids._interp1d import interp1d
from ._clough_tocher import CloughTocher2DInterpolator
from ._coordinates import coordinates
from ._linear import LinearNDInterpolator
from ._nearest import NearestNDInterpolator

__all__ = ["griddata"]


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
        Default 'linear'. 'cubic' is for one or two dimensions.
    fill_value : number, optional
        The value outside of the points, but for 'nearest'. Default: NaN.
    rescale : bool, optional
        Whether coordinates are divided by their extent. Default: no.

    Returns
    -------
    array
        The dimensions of `xi` (the last not counted), then the trailing ones of the values.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError, NotSupported
        If there is no such method, or as for `interp1d`, `NearestNDInterpolator`,
        `LinearNDInterpolator` and `CloughTocher2DInterpolator`.

    Warns
    -----
    HostCopyWarning
        If points on a GPU or of Dask are copied to the host, where triangles are made.

    Notes
    -----
    `interp1d` in one dimension, `NearestNDInterpolator`, `LinearNDInterpolator` and
    `CloughTocher2DInterpolator` in others; differentiable as they are. Under `jit` triangles can't
    be made: use the classes.

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
    at = coordinates("griddata", "points", points, values)
    d = at.shape[-1]
    if d == 2 or (d > 2 and method != "cubic"):
        if method == "nearest":
            return NearestNDInterpolator(at, values, rescale)(xi)
        kind = LinearNDInterpolator if method == "linear" else CloughTocher2DInterpolator
        return kind(points, values, fill_value, rescale=rescale)(xi)
    if d > 2:
        raise ArgumentError(
            f"griddata: Unknown interpolation method 'cubic' for {d} dimensional data: it is for "
            "one and two. Use 'linear', 'nearest', or RBFInterpolator, which is smooth"
        )
    if isinstance(xi, tuple):
        if len(xi) != 1:
            raise ShapeError(
                f"griddata: invalid number of dimensions in xi: points have one, got {len(xi)} "
                "coordinates"
            )
        xi = xi[0]
    fill = "extrapolate" if method == "nearest" else fill_value
    at = array_namespace(at).reshape(at, (-1,))
    return interp1d(at, values, method, 0, bounds_error=False, fill_value=fill)(xi)
