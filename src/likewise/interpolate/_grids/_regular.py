"""Interpolation on a grid of axes: `RegularGridInterpolator` and `interpn`."""

import math
from collections.abc import Sequence
from typing import Any

from ... import _plan
from ..._memo import PLAIN
from ..._namespace import array_namespace, is_concrete, is_neutral
from ..._native import public
from ...errors import ArgumentError, DtypeError, ShapeError
from ...transforms import register_tree
from .._base._arguments import alike, orders_of, reals, refuse_complex
from .._base._knots import finite
from .._bsplines._interpolating import not_a_knot
from ._evaluation import coefficients, linear, monotone, nearest, outside, spline

__all__ = ["RegularGridInterpolator", "beside", "in_one", "interpn", "points_of", "shared"]

_NAME = "RegularGridInterpolator"
_NAMES = ("values", "xi", "points")
_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
_LEGACY = {f"{name}_legacy": name for name in _DEGREES}
_METHODS = ("linear", "nearest", "slinear", "cubic", "quintic", "pchip", *_LEGACY)


def _method(function: str, method: Any) -> str:
    if method not in _METHODS:
        raise ArgumentError(
            f"{function}: Method '{method}' is not defined. Choose one of "
            f"{', '.join(map(repr, _METHODS[:6]))}"
        )
    return _LEGACY.get(method, method)


def _enough(function: str, grid: Sequence[Any], method: str) -> None:
    k = 3 if method == "pchip" else _DEGREES.get(method, 0)
    for i, g in enumerate(grid):
        if g.shape[-1] <= k:
            raise ShapeError(
                f"{function}: There are {g.shape[-1]} points in dimension {i}, but method {method} "
                f"requires at least {k + 1} points per dimension. Method 'linear' takes fewer"
            )


def beside(function: str, names: tuple[str, ...], v: Any, x: Any, *grid: Any) -> tuple[Any, ...]:
    """Return values, points and axes, of which all but the points are alike."""
    g = grid[0]
    plain = type(x) is type(v) is type(g) and type(x) in PLAIN
    if plain and x.dtype == g.dtype and x.device == g.device:
        return (v, x, *grid)
    return alike(function, (*names, *(names[-1],) * (len(grid) - 1)), v, x, *grid)


class RegularGridInterpolator:
    """Interpolate values on a grid of one or more axes, evenly spaced or not.

    Parameters
    ----------
    points : sequence of arrays, shapes (..., n1), ..., (..., nd)
        The axes of the grid, each ascending or descending. With more than one dimension, each
        problem of the batch has axes of its own; those of one dimension are shared.
    values : array, shape (..., n1, ..., nd, ...)
        Real or complex values, the dimensions of the batch first; trailing dimensions share the
        grid.
    method : {'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip'}, optional
        Default 'linear'. Splines are tensor products of degree 1, 3 or 5 with not-a-knot ends;
        'pchip' is a monotone cubic along the last axis, then along the one before it.
    bounds_error : bool, optional
        Whether points outside of the grid raise (default). Where values can't be read, they give
        NaN instead.
    fill_value : number or None, optional
        The value outside without `bounds_error`, NaN by default; None extrapolates.
    solver, solver_args : optional
        Accepted for SciPy's signature with splines; ignored, as systems are solved directly.

    Attributes
    ----------
    grid : tuple of arrays
        The axes, ascending.
    values : array
        The values, in the order of `grid`.
    method, bounds_error, fill_value
        As given.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        If an axis isn't strictly monotone (where values can be read), shapes don't fit, there is no
        such method, an axis is too short for it, values of splines or 'pchip' aren't finite, or
        `fill_value` is complex for real values.

    Notes
    -----
    A point needs the ``2^d`` corners of its cell, ``(k + 1)^d`` coefficients of splines of degree
    k, ``4^d`` values for 'pchip'. Coefficients come from banded systems along one axis after the
    other (C. de Boor, A Practical Guide to Splines, 1978, chapter XVII). Many points go in pieces
    that stay in the cache, and find their cells by a table of buckets. Differentiable in points
    (not 'nearest'), values and grid.

    A tree of arrays (`likewise.transforms.register_tree`) of grid, values and coefficients:
    transforms take and return it. Axes that can't be read count as ascending.

    Differs from SciPy: coefficients are exact to rounding, where SciPy's come from an iteration
    that stops at about 1e-5; float32 stays; integer values become floating, of 'nearest' and
    'pchip', too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import RegularGridInterpolator
    >>> x, y = np.asarray([0.0, 1.0, 2.0]), np.asarray([0.0, 10.0])
    >>> f = RegularGridInterpolator((x, y), x[:, None] + y)
    >>> print(f([[0.5, 5.0], [1.5, 2.0]]))
    [5.5 3.5]
    """

    grid: tuple[Any, ...]
    values: Any
    method: str
    bounds_error: bool
    fill_value: Any
    _spline: tuple[Any, ...]  # coefficients and knots, or None alone

    def __init__(
        self,
        points: Sequence[Any],
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = math.nan,
        *,
        solver: Any = None,
        solver_args: Any = None,
    ) -> None:
        own = _method(_NAME, method)
        if own not in _DEGREES and (solver is not None or solver_args):
            raise ArgumentError(
                f"{_NAME}: method={method!r} does not accept the 'solver' argument. Leave it out"
            )
        self.grid, self.values = _gridded(_NAME, points, values)
        _enough(_NAME, self.grid, own)
        self.method, self.bounds_error = method, bool(bounds_error)
        xp = array_namespace(self.values)
        some = _plan.is_complex(xp, self.values.dtype)
        if own == "pchip":
            _monotone(_NAME, self.values)
        self.fill_value = _fill(_NAME, fill_value, some)
        self._spline = (None,)
        if own in _DEGREES:
            finite(_NAME, "values", self.values)
            self._spline = _through(self.values, _DEGREES[own], *self.grid)

    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> Any:
        """Return the values at points.

        Parameters
        ----------
        xi : array, shape (..., d), or tuple of d arrays
            The points, or their coordinates along each axis, which broadcast. One dimension is
            taken as (m, d). Those of a batch have its dimensions first, or ones in their places; a
            single point is shared.
        method : str, optional
            Another method than the interpolator's.
        nu : sequence of d int, optional
            Orders of derivatives along each axis, for splines.

        Returns
        -------
        array, shape (..., ...)
            The dimensions of the batch and of the points, then the trailing ones of the values.

        Raises
        ------
        ArgumentError
            If a point lies outside, with `bounds_error` and where values can be read; or `nu` is
            given for another method than a spline.
        ShapeError
            If points don't have d coordinates.
        """
        name, d = f"{_NAME}.__call__", len(self.grid)
        knots: list[Any] = []
        own = _method(name, self.method if method is None else method)
        if method is not None:
            _enough(name, self.grid, own)
            if own == "pchip":
                _monotone(name, self.values)
            elif own in _DEGREES:
                finite(name, "values", self.values)
        orders = (0,) * d
        if nu is not None:
            if own not in _DEGREES:
                raise ArgumentError(
                    f"{name}: Can only compute derivatives for methods {', '.join(_DEGREES)}, got "
                    f"method={own!r}. For others, use likewise.grad"
                )
            orders = orders_of(name, nu, d)
        batch, grid = tuple(self.grid[0].shape[:-1]), list(self.grid)
        x = points_of(name, xi, d, self.grid[0], batch)
        k = _DEGREES.get(own)
        if k is None:
            v, x, *grid = beside(name, _NAMES, self.values, x, *grid)
        else:
            v, *knots = self._spline
            if not knots or own != _LEGACY.get(self.method, self.method):
                v, *knots = _through(self.values, k, *grid)
            v, x, *knots = beside(name, _NAMES, v, x, *knots)
            grid = [t[..., k : t.shape[-1] - k] for t in knots]
        shape, fill = tuple(x.shape), self.fill_value
        if batch:
            grid, knots, v, x = in_one(grid, knots, v, x)
        elif len(shape) != 2:
            x = array_namespace(x).reshape(x, (-1, d))
        if self.bounds_error:
            fill = None if _inside(name, x, grid) else math.nan
        if k is not None:
            y = spline(x, v, fill, (k,) * d, orders, *knots)
        else:
            y = _STEPS[own](x, v, fill, *grid)
        if not batch and len(shape) == 2:
            return y
        rest = v.shape[d + bool(batch) :]
        return array_namespace(y).reshape(y, (*shape[:-1], *rest))


def _monotone(function: str, v: Any) -> None:
    """Refuse values that have no monotone interpolant."""
    if _plan.is_complex(array_namespace(v), v.dtype):
        raise DtypeError(
            f"{function}: method 'pchip' takes real values, got {v.dtype}. Interpolate "
            "xp.real(values) and xp.imag(values)"
        )
    finite(function, "values", v)


_STEPS = {"linear": linear, "nearest": nearest, "pchip": monotone}


def _through(v: Any, k: int, *grid: Any) -> tuple[Any, ...]:
    """Return coefficients and knots of the spline through values."""
    xp = array_namespace(v, *grid)
    knots = [not_a_knot(xp, g, k) for g in grid]
    return (coefficients(v, (k,) * len(grid), knots, *grid), *knots)


def _gridded(function: str, points: Any, values: Any) -> tuple[tuple[Any, ...], Any]:
    """Return ascending axes and the values on them, checked."""
    points = tuple(points)
    for i, p in enumerate(points):
        refuse_complex(function, f"points[{i}]", p)
    if not points:
        raise ShapeError(f"{function}: points must hold an axis for each dimension, got none")
    v, *grid = alike(function, ("values", *("points",) * len(points)), values, *points)
    xp = array_namespace(v, *grid)
    batch, grid = shared(function, "points", grid)
    b = len(batch)
    if len(grid) + b > v.ndim:
        raise ShapeError(
            f"{function}: There are {len(grid)} point arrays{f' of a batch {batch}' * bool(b)}, "
            f"but values has {v.ndim} dimensions"
        )
    if tuple(v.shape[:b]) != batch:
        raise ShapeError(
            f"{function}: values must begin with the dimensions of the points' batch, {batch}, got "
            f"shape {tuple(v.shape)}"
        )
    for i, p in enumerate(grid):
        if v.shape[b + i] != p.shape[-1] or not p.shape[-1]:
            raise ShapeError(
                f"{function}: There are {p.shape[-1]} points and {v.shape[b + i]} values in "
                f"dimension {i}; at least one is needed, and as many of both"
            )
        if p.shape[-1] > 1 and is_concrete(p) and not bool(xp.all(p[..., 1:] > p[..., :-1])):
            down = xp.all(p[..., 1:] < p[..., :-1], axis=-1)
            if not bool(xp.all(down | xp.all(p[..., 1:] > p[..., :-1], axis=-1))):
                raise ArgumentError(
                    f"{function}: The points in dimension {i} must be strictly ascending or "
                    "descending. Sort them, and the values with them"
                )
            own = xp.reshape(down, (*batch, *(1,) * (v.ndim - b)))
            grid[i] = xp.where(down[..., None], xp.flip(p, axis=-1), p)
            v = xp.where(own, xp.flip(v, axis=b + i), v)
    return tuple(grid), v


def shared(function: str, name: str, grid: Sequence[Any]) -> tuple[tuple[int, ...], list[Any]]:
    """Return the dimensions of a batch of axes, and all axes with them."""
    batch: tuple[int, ...] = ()
    for i, g in enumerate(grid):
        if g.ndim == 0:
            raise ShapeError(f"{function}: The {name} in dimension {i} must be 1-dimensional")
        own = tuple(g.shape[:-1])
        if own and batch and own != batch:
            raise ShapeError(
                f"{function}: The {name} in dimension {i} must be 1-dimensional, or have the "
                f"dimensions of a batch {batch} first, got shape {tuple(g.shape)}"
            )
        batch = own or batch
    if not batch:
        return batch, list(grid)
    xp = array_namespace(*grid)
    return batch, [xp.broadcast_to(g, (*batch, g.shape[-1])) for g in grid]


def in_one(grid: Sequence[Any], knots: Sequence[Any], v: Any, x: Any) -> tuple[Any, ...]:
    """Return axes (b, n), values (b, ...) and points (b, p, d) of a batch."""
    xp, lead = array_namespace(v, x), grid[0].ndim - 1
    b = math.prod(grid[0].shape[:-1])
    grid = [xp.reshape(g, (b, g.shape[-1])) for g in grid]
    knots = [xp.reshape(t, (b, t.shape[-1])) for t in knots]
    many = math.prod(x.shape[lead:-1])
    x = xp.reshape(x, (b, many, x.shape[-1]))
    return grid, knots, xp.reshape(v, (b, *v.shape[lead:])), x


def _fill(function: str, value: Any, some: bool) -> Any:
    """Return a fill value as a number or None."""
    if value is None:
        return None
    if hasattr(value, "dtype"):
        value = complex(value) if "complex" in str(value.dtype) else float(value)
    if (isinstance(value, complex) and not some) or not isinstance(value, int | float | complex):
        raise ArgumentError(
            f"{function}: fill_value must be either 'None' or of a type compatible with values, "
            f"got {value!r}. Give a real number for real values"
        )
    return math.nan if value != value else value  # one object, which equals itself in tuples


def points_of(function: str, xi: Any, d: int, like: Any, batch: tuple[int, ...] = ()) -> Any:
    """Return points (..., d), those of a batch first; lists become arrays beside `like`."""
    if isinstance(xi, tuple) and len(xi) == 1:
        xi = xi[0]
    if isinstance(xi, tuple):
        parts = reals(function, ("points", *("xi",) * len(xi)), like, *xi)[1:]
        xi = array_namespace(*parts).stack(
            array_namespace(*parts).broadcast_arrays(*parts), axis=-1
        )
    elif is_neutral(xi):
        xi = reals(function, ("points", "xi"), like, xi)[1]
    refuse_complex(function, "xi", xi)
    if batch:
        if xi.ndim == 1 and xi.shape[0] == d:
            return array_namespace(xi).broadcast_to(xi, (*batch, d))
        own = tuple(xi.shape[: len(batch)])
        if xi.ndim <= len(batch) or any(n not in (1, m) for n, m in zip(own, batch, strict=True)):
            raise ShapeError(
                f"{function}: xi must begin with the dimensions of the batch, {batch}, or ones in "
                f"their places, got shape {tuple(xi.shape)}"
            )
        xi = array_namespace(xi).broadcast_to(xi, (*batch, *xi.shape[len(batch) :]))
    elif xi.ndim < 2:
        count = math.prod(xi.shape)
        if count % d:
            raise ShapeError(
                f"{function}: xi must be points of {d} coordinates, got {count} numbers in one "
                "dimension"
            )
        xi = array_namespace(xi).reshape(xi, (-1, d))
    if xi.shape[-1] != d:
        raise ShapeError(
            f"{function}: The requested sample points xi have dimension {xi.shape[-1]} but the "
            f"grid has dimension {d}: xi must have the shape (..., {d})"
        )
    return xi


def _inside(function: str, x: Any, grid: Sequence[Any]) -> bool:
    """Refuse points outside of the grid; False where values can't be read."""
    if not is_concrete(x) or not all(map(is_concrete, grid)):
        return False
    at = int(outside(x, *grid))  # likewise: ignore[LW203]: values are at hand
    if at < len(grid):
        g = grid[at]
        ends = f": the grid ends at {float(g[0])} and {float(g[-1])}" if g.ndim == 1 else ""
        raise ArgumentError(
            f"{function}: One of the requested xi is out of bounds in dimension {at}{ends}. "
            "Set bounds_error=False, which gives fill_value there; fill_value=None extrapolates"
        )
    return True


def _flatten(r: RegularGridInterpolator) -> tuple[tuple[Any, ...], Any]:
    return (r.grid, r.values, r._spline), (r.method, r.bounds_error, r.fill_value)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> RegularGridInterpolator:
    made = object.__new__(RegularGridInterpolator)
    made.method, made.bounds_error, made.fill_value = fixed
    made.grid, made.values, made._spline = leaves
    return made


register_tree(RegularGridInterpolator, _flatten, _unflatten)


@public
def interpn(
    points: Sequence[Any],
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = math.nan,
) -> Any:
    """Interpolate values on a grid at points, in one call.

    Parameters
    ----------
    points : sequence of arrays, shapes (..., n1), ..., (..., nd)
        The axes of the grid, each ascending or descending; leading dimensions are a batch.
    values : array, shape (..., n1, ..., nd, ...)
        Real or complex values.
    xi : array, shape (..., d), or tuple of d arrays
        The points, those of a batch with its dimensions first.
    method : str, optional
        As for `RegularGridInterpolator`, or 'splinef2d': a cubic spline of two axes and real
        values, which doesn't extrapolate.
    bounds_error, fill_value
        As for `RegularGridInterpolator`.

    Returns
    -------
    array
        The dimensions of the points, then the trailing ones of the values.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        As for `RegularGridInterpolator`.

    Notes
    -----
    As for `RegularGridInterpolator`, which is faster for several calls with the same values and
    a spline. Differentiable in points, values and grid.

    Differs from SciPy: as for `RegularGridInterpolator`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import interpn
    >>> x, y = np.asarray([0.0, 1.0, 2.0]), np.asarray([0.0, 10.0])
    >>> print(interpn((x, y), x[:, None] * y, [[0.5, 5.0]]))
    [2.5]
    """
    if method == "splinef2d":
        ndim = getattr(values, "ndim", 2)
        if ndim != 2 or len(points) != 2:
            raise ArgumentError(
                "interpn: The method splinef2d can only be used for values of two dimensions, on "
                "two axes. Use method='cubic'"
            )
        if not bounds_error and fill_value is None:
            raise ArgumentError(
                "interpn: The method splinef2d does not support extrapolation. Use method='cubic'"
            )
        method = "cubic"
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
