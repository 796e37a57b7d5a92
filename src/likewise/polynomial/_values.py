"""The functions of one family that evaluate: one text, whose docstrings `_functions` completes."""

from collections.abc import Callable
from typing import Any

from .. import _plan
from .._namespace import array_namespace
from ..errors import ShapeError
from . import _steps as steps
from ._family import Family

__all__ = ["evaluating"]


def _at(function: str, x: Any, c: Any) -> tuple[Any, Any]:
    xp = array_namespace(x, c)
    x, c = steps.followed(xp, _plan.common_floating(function, xp, ("x", "c"), x, c))
    if c.ndim == 0:
        c = array_namespace(c).reshape(c, (1,))
    if not c.shape[0]:
        raise ShapeError(f"{function}: c has no coefficients, shape {tuple(c.shape)}")
    return x, c


def _several(function: str, f: Family, c: Any, grid: bool, *points: Any) -> Any:
    """Return the values at points, one coordinate after the other."""
    xp = array_namespace(c, *points)
    names = ("x", "y", "z")[: len(points)]
    found = _plan.common_floating(function, xp, (*names, "c"), *points, c)
    *at, c = steps.followed(xp, found)
    if not grid and len({tuple(p.shape) for p in at}) > 1:
        raise ShapeError(
            f"{function}: {', '.join(names)} are incompatible: they must have one shape, got "
            f"{', '.join(str(tuple(p.shape)) for p in at)}"
        )
    if c.ndim < len(at):
        raise ShapeError(
            f"{function}: c must have {len(at)} dimensions, at least, got shape {tuple(c.shape)}"
        )
    for i, p in enumerate(at):
        c = steps.clenshaw(f, p, c, grid or not i)
    return c


def _bases(function: str, f: Family, deg: Any, *points: Any) -> Any:
    xp = array_namespace(*points)
    names = ("x", "y", "z")[: len(points)]
    at = steps.followed(xp, _plan.common_floating(function, xp, names, *points))
    xp = array_namespace(*at)
    if len(deg) != len(at):
        raise ShapeError(f"{function}: deg must be a list of {len(at)} degrees, got {deg!r}")
    at = xp.broadcast_arrays(*at) if len(at) > 1 else at
    at = [xp.reshape(p, (1,)) if p.ndim == 0 else p for p in at]
    out = None
    for p, d in zip(at, deg, strict=True):
        v = steps.vandermonde(f, p, steps.degree_of(function, "deg", d))
        if out is not None:
            v = out[..., :, None] * v[..., None, :]
            v = xp.reshape(v, (*v.shape[:-2], v.shape[-2] * v.shape[-1]))
        out = v
    return out


def evaluating(f: Family) -> dict[str, Callable[..., Any]]:
    p = f.prefix

    def val(x: Any, c: Any, tensor: bool = True) -> Any:
        """Evaluate series of TITLE at points.

        Parameters
        ----------
        x : array
            Points, real or complex.
        c : array, shape (n, ...)
            Coefficients, that of the lowest degree first; further dimensions are of more series.
        tensor : bool, optional
            Whether each series is evaluated at each point (default); else the dimensions of series
            broadcast with those of the points.

        Returns
        -------
        array
            The shape of the series, then that of the points; or what they broadcast to.

        Raises
        ------
        ShapeError
            If there are no coefficients.

        Notes
        -----
        By the recurrence of Clenshaw, Math. Comp. 9, 118, 1955 (Horner's for powers): n operations
        a point. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxval
        >>> xxxval(np.asarray([0.5, 2.0]), np.asarray([3.0]))
        array([3., 3.])
        """
        x, c = _at(f"{p}val", x, c)
        return steps.value(x, c, p, bool(tensor))

    def val2d(x: Any, y: Any, c: Any) -> Any:
        """Evaluate series of products of two TITLE at points.

        Parameters
        ----------
        x, y : array
            Coordinates of the points, of one shape.
        c : array, shape (n, m, ...)
            Coefficients: ``c[i, j]`` of the degree i in x, j in y.

        Returns
        -------
        array
            The shape of the series, then that of the points.

        Raises
        ------
        ShapeError
            If shapes don't fit.

        Notes
        -----
        As `xxxval` for one coordinate after the other. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxval2d
        >>> xxxval2d(np.asarray([0.5]), np.asarray([2.0]), np.asarray([[3.0]]))
        array([3.])
        """
        return _several(f"{p}val2d", f, c, False, x, y)

    def val3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        """Evaluate series of products of three TITLE at points.

        Parameters
        ----------
        x, y, z : array
            Coordinates of the points, of one shape.
        c : array, shape (n, m, l, ...)
            Coefficients: ``c[i, j, k]`` of the degree i in x, j in y, k in z.

        Returns
        -------
        array
            The shape of the series, then that of the points.

        Raises
        ------
        ShapeError
            If shapes don't fit.

        Notes
        -----
        As `xxxval` for one coordinate after the other. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxval3d
        >>> one = np.ones(1)
        >>> xxxval3d(one, one, one, np.asarray([[[3.0]]]))
        array([3.])
        """
        return _several(f"{p}val3d", f, c, False, x, y, z)

    def grid2d(x: Any, y: Any, c: Any) -> Any:
        """Evaluate series of products of two TITLE on a grid.

        Parameters
        ----------
        x, y : array
            Coordinates of the grid's points.
        c : array, shape (n, m, ...)
            Coefficients: ``c[i, j]`` of the degree i in x, j in y.

        Returns
        -------
        array
            The shapes of the series, of `x`, and of `y`, one after the other.

        Raises
        ------
        ShapeError
            If `c` has too few dimensions.

        Notes
        -----
        As `xxxval` for one coordinate after the other. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxgrid2d
        >>> xxxgrid2d(np.ones(2), np.ones(3), np.asarray([[3.0]]))
        array([[3., 3., 3.],
               [3., 3., 3.]])
        """
        return _several(f"{p}grid2d", f, c, True, x, y)

    def grid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        """Evaluate series of products of three TITLE on a grid.

        Parameters
        ----------
        x, y, z : array
            Coordinates of the grid's points.
        c : array, shape (n, m, l, ...)
            Coefficients: ``c[i, j, k]`` of the degree i in x, j in y, k in z.

        Returns
        -------
        array
            The shapes of the series, of `x`, of `y`, and of `z`, one after the other.

        Raises
        ------
        ShapeError
            If `c` has too few dimensions.

        Notes
        -----
        As `xxxval` for one coordinate after the other. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxgrid3d
        >>> xxxgrid3d(np.ones(2), np.ones(3), np.ones(4), np.ones((1, 1, 1))).shape
        (2, 3, 4)
        """
        return _several(f"{p}grid3d", f, c, True, x, y, z)

    def vander(x: Any, deg: int) -> Any:
        """Evaluate TITLE of degrees 0 to `deg`, each by itself.

        Parameters
        ----------
        x : array
            Points, real or complex.
        deg : int
            The highest degree.

        Returns
        -------
        array, shape (..., deg + 1)
            The shape of the points, (1,) of a number, then the degrees: ``V @ c`` are the values
            of a series c.

        Raises
        ------
        ArgumentError
            If `deg` is negative.

        Notes
        -----
        By the three-term recurrence. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxvander
        >>> xxxvander(np.asarray([0.5, 2.0]), 0)
        array([[1.],
               [1.]])
        """
        return _bases(f"{p}vander", f, [deg], x)

    def vander2d(x: Any, y: Any, deg: Any) -> Any:
        """Evaluate products of two TITLE, each by itself.

        Parameters
        ----------
        x, y : array
            Coordinates of the points, which broadcast.
        deg : list of two int
            The highest degrees in x and y.

        Returns
        -------
        array, shape (..., (deg[0] + 1) * (deg[1] + 1))
            The shape of the points, then products, in the order of coefficients in C's order.

        Raises
        ------
        ArgumentError, ShapeError
            If a degree is negative, or there are not two.

        Notes
        -----
        Products of `xxxvander`. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxvander2d
        >>> xxxvander2d(np.ones(4), np.ones(4), [1, 2]).shape
        (4, 6)
        """
        return _bases(f"{p}vander2d", f, deg, x, y)

    def vander3d(x: Any, y: Any, z: Any, deg: Any) -> Any:
        """Evaluate products of three TITLE, each by itself.

        Parameters
        ----------
        x, y, z : array
            Coordinates of the points, which broadcast.
        deg : list of three int
            The highest degrees in x, y and z.

        Returns
        -------
        array, shape (..., (deg[0] + 1) * (deg[1] + 1) * (deg[2] + 1))
            The shape of the points, then products, in the order of coefficients in C's order.

        Raises
        ------
        ArgumentError, ShapeError
            If a degree is negative, or there are not three.

        Notes
        -----
        Products of `xxxvander`. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxvander3d
        >>> xxxvander3d(np.ones(4), np.ones(4), np.ones(4), [1, 2, 1]).shape
        (4, 12)
        """
        return _bases(f"{p}vander3d", f, deg, x, y, z)

    found = (val, val2d, val3d, grid2d, grid3d, vander, vander2d, vander3d)
    return {g.__name__: g for g in found}
