"""Surfaces of tensor product splines: what all of them compute, and `bisplev`."""

import math
import operator
from collections.abc import Sequence
from typing import Any, Self

from ..._memo import PLAIN
from ..._namespace import array_namespace, device
from ..._native import native, public
from ...errors import ArgumentError, ShapeError
from .._base._arguments import orders_of, reals
from .._base._basis import evaluated, lowered, raised
from .._base._points import spread
from ._evaluation import spline

__all__ = ["BivariateSpline", "bisplev", "sized", "values"]


def _ordinary(
    x: Any, y: Any, tx: Any, ty: Any, c: Any, degrees: Any, orders: Any, grid: Any
) -> bool:
    """double precision, one surface, and derivatives below the degrees."""
    (kx, ky), (dx, dy) = degrees, orders
    if dx >= kx or dy >= ky or kx > 5 or ky > 5 or tx.ndim != 1:
        return False
    return bool(c.dtype == array_namespace(c).float64)


@native(
    numpy="likewise._libs.numpy._surfaces:values",
    torch="likewise._libs.numpy._surfaces:values",
    when=_ordinary,
)
def values(
    x: Any,
    y: Any,
    tx: Any,
    ty: Any,
    c: Any,
    degrees: tuple[int, int],
    orders: tuple[int, int],
    grid: bool,
) -> Any:
    """Return values of a surface of coefficients (n m,), on a grid of axes or at points (p,).

    Coordinates outside are moved to the border. Of a batch, all arrays have one dimension more.
    """
    xp = array_namespace(x, y, c)
    x, y = (_moved(xp, *axis) for axis in zip((x, y), (tx, ty), degrees, strict=True))
    c = sized(c, tx, ty, degrees)
    if not grid:
        return spline(xp.stack([x, y], axis=-1), c, None, degrees, orders, tx, ty)
    one = tx.ndim == 1
    if one:
        x, y, tx, ty, c = (v[None, ...] for v in (x, y, tx, ty, c))
    empty = 0 in (x.shape[-1], y.shape[-1])
    if empty or any(order > k for order, k in zip(orders, degrees, strict=True)):
        c = xp.zeros((*x.shape, y.shape[1]), dtype=c.dtype, device=device(c))
        return c[0, :, :] if one else c
    for a, t, k, order in zip((x, y), (tx, ty), degrees, orders, strict=True):
        for _ in range(order):
            t, c, k = lowered(xp, t, c, k)
        c = xp.matrix_transpose(evaluated(a, t, c, k, True))
    return c[0, :, :] if one else c


def sized(c: Any, tx: Any, ty: Any, degrees: tuple[int, int]) -> Any:
    """Return coefficients (..., n, m)."""
    sizes = (t.shape[-1] - k - 1 for t, k in zip((tx, ty), degrees, strict=True))
    return array_namespace(c).reshape(c, (*c.shape[:-1], *sizes))


def _moved(xp: Any, a: Any, t: Any, k: int) -> Any:
    """Return coordinates moved into the domain."""
    end = t.shape[-1] - k
    return xp.minimum(xp.maximum(a, t[..., k : k + 1]), t[..., end - 1 : end])


class BivariateSpline:
    """A tensor product spline of two variables: what all surfaces can compute.

    Surfaces are made by its subclasses: `SmoothBivariateSpline` and `LSQBivariateSpline` from
    scattered points, `RectBivariateSpline` from values on a grid.

    Attributes
    ----------
    tck : tuple
        Knots along both axes, shapes (..., n + kx + 1) and (..., m + ky + 1), and
        coefficients, (..., n m).
    degrees : tuple of int
    fp : array of no dimensions
        The sum of squared weighted residuals.

    Notes
    -----
    ``(kx + 1) (ky + 1)`` coefficients a point; on a grid, one axis after the other. Differentiable
    in points, knots and coefficients.

    A tree of arrays (`likewise.transforms.register_tree`) of tck and fp: transforms take and return
    it.

    Differs from SciPy: float32 stays; a grid's axes don't need to ascend.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import BivariateSpline, RectBivariateSpline
    >>> x = np.arange(5.0)
    >>> isinstance(RectBivariateSpline(x, x, x[:, None] * x), BivariateSpline)
    True
    """

    tck: tuple[Any, Any, Any]
    degrees: tuple[int, int]
    fp: Any

    @classmethod
    def _of(cls, tck: Any, degrees: tuple[int, int], fp: Any) -> Self:
        made = object.__new__(cls)
        made.tck, made.degrees, made.fp = tuple(tck), degrees, fp
        return made

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
        """Return values or derivatives on a grid, or at points.

        Parameters
        ----------
        x, y : array
            Coordinates, one-dimensional for a grid; else they broadcast. Those outside are moved to
            the border. Those of a batch have its dimensions first, or ones in their places; a
            number is shared.
        dx, dy : int, optional
            Orders of the derivatives.
        grid : bool, optional
            Whether x and y are the axes of a grid (default).

        Returns
        -------
        array, shape (..., x.size, y.size), or that of the points

        Raises
        ------
        ArgumentError, ShapeError
            If an order is negative, or axes have more than one dimension.
        """
        name = type(self).__name__
        tx, ty, c = self.tck
        plain = type(x) is type(y) is type(c) and type(x) in PLAIN
        if not plain or not (x.dtype == y.dtype == c.dtype and x.device == y.device == c.device):
            x, y, tx, ty, c = reals(name, ("x", "y", "t", "t", "c"), x, y, tx, ty, c)
        orders = orders_of(name, (dx, dy), 2) if dx or dy else (0, 0)
        return _values(name, x, y, tx, ty, c, self.degrees, orders, grid)

    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Any:
        """Return values or derivatives at points.

        Parameters
        ----------
        xi, yi : array
            Coordinates, which broadcast.
        dx, dy : int, optional
            Orders of the derivatives.

        Returns
        -------
        array
        """
        return self(xi, yi, dx, dy, grid=False)

    def integral(self, xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
        """Return the integral over a rectangle, as far as it lies in the domain.

        Parameters
        ----------
        xa, xb, ya, yb : number or array, shape (...)
            The ends along both axes, those of a batch with its dimensions.

        Returns
        -------
        array, shape (...)
        """
        name = f"{type(self).__name__}.integral"
        names = ("xa", "xb", "ya", "yb", "t", "t", "c")
        xa, xb, ya, yb, *knots, c = reals(name, names, xa, xb, ya, yb, *self.tck)
        xp, c = array_namespace(xa, xb, ya, yb, c), sized(c, knots[0], knots[1], self.degrees)
        batch = tuple(knots[0].shape[:-1])
        c, *knots = (xp.reshape(v, (-1, *v.shape[len(batch) :])) for v in (c, *knots))
        for ends, k, t in zip(((xa, xb), (ya, yb)), self.degrees, knots, strict=True):
            at = xp.stack([xp.broadcast_to(v, batch) for v in ends], axis=-1)
            at = _moved(xp, xp.reshape(at, (-1, 2)), t, k)
            high, sums, degree = raised(xp, t, c, k)
            found = evaluated(at, high, sums, degree, True)
            c = xp.matrix_transpose(found[:, 1:, :] - found[:, :1, :])
        return xp.reshape(c, batch)

    def partial_derivative(self, dx: int, dy: int) -> "BivariateSpline":
        """Return the spline of a derivative.

        Parameters
        ----------
        dx, dy : int
            Orders, at most the degrees less 1.

        Returns
        -------
        BivariateSpline
            Without `fp`, which is None.

        Raises
        ------
        ArgumentError
            If an order is negative, or as large as a degree.
        """
        name = f"{type(self).__name__}.partial_derivative"
        orders = orders_of(name, (dx, dy), 2)
        if orders == (0, 0):
            return self
        if any(order >= k for order, k in zip(orders, self.degrees, strict=True)):
            raise ArgumentError(
                f"{name}: order of derivative must be less than the degrees {self.degrees}, got "
                f"{orders}"
            )
        *knots, c = self.tck
        degrees, xp, batch = list(self.degrees), array_namespace(*self.tck), c.shape[:-1]
        c = sized(c, knots[0], knots[1], self.degrees)
        c = xp.reshape(c, (-1, *c.shape[len(batch) :]))
        for i, order in enumerate(orders):
            t, k = xp.reshape(knots[i], (-1, knots[i].shape[-1])), degrees[i]
            for _ in range(order):
                t, c, k = lowered(xp, t, c, k)
            knots[i], degrees[i] = xp.reshape(t, (*batch, t.shape[-1])), k
            c = xp.matrix_transpose(c)
        c = xp.reshape(c, (*batch, -1))
        return BivariateSpline._of((*knots, c), (degrees[0], degrees[1]), None)

    def get_knots(self) -> tuple[Any, Any]:
        """Return the knots along both axes.

        Returns
        -------
        tuple of two arrays
        """
        return self.tck[:2]

    def get_coeffs(self) -> Any:
        """Return the coefficients, flattened.

        Returns
        -------
        array, shape (n m,)
        """
        return self.tck[2]

    def get_residual(self) -> Any:
        """Return the sum of squared weighted residuals.

        Returns
        -------
        array of no dimensions, or None of a derivative
        """
        return self.fp


def _values(
    name: str,
    x: Any,
    y: Any,
    tx: Any,
    ty: Any,
    c: Any,
    degrees: tuple[int, int],
    orders: Any,
    grid: bool,
) -> Any:
    if tx.ndim > 1:
        return _of_batch(name, x, y, tx, ty, c, degrees, orders, grid)
    xp = array_namespace(x, y, c)
    if grid:
        if max(x.ndim, y.ndim) > 1:
            raise ShapeError(
                f"{name}: x and y must have one dimension for a grid, got shapes "
                f"{tuple(x.shape)} and {tuple(y.shape)}. Set grid=False for points"
            )
        x, y = (a if a.ndim else xp.reshape(a, (1,)) for a in (x, y))
        return values(x, y, tx, ty, c, degrees, orders, True)
    if x.shape != y.shape:
        x, y = xp.broadcast_arrays(x, y)
    shape = tuple(x.shape)
    if len(shape) != 1:
        x, y = xp.reshape(x, (-1,)), xp.reshape(y, (-1,))
    found = values(x, y, tx, ty, c, degrees, orders, False)
    return found if len(shape) == 1 else xp.reshape(found, shape)


def _of_batch(
    name: str,
    x: Any,
    y: Any,
    tx: Any,
    ty: Any,
    c: Any,
    degrees: tuple[int, int],
    orders: Any,
    grid: bool,
) -> Any:
    xp, batch = array_namespace(x, y, c), tuple(tx.shape[:-1])
    if not grid and x.shape != y.shape:
        x, y = xp.broadcast_arrays(x, y)
    (x, shape), (y, other) = (spread(name, xp, v, batch) for v in (x, y))
    if grid and max(len(shape), len(other)) > 1:
        raise ShapeError(
            f"{name}: x and y must have one dimension after those of the batch, {batch}, for a "
            "grid. Set grid=False for points"
        )
    x, y, tx, ty, c = (xp.reshape(v, (-1, v.shape[-1])) for v in (x, y, tx, ty, c))
    found = values(x, y, tx, ty, c, degrees, orders, grid)
    return xp.reshape(found, (*batch, *(found.shape[1:] if grid else shape)))


@public
def bisplev(x: Any, y: Any, tck: Sequence[Any], dx: int = 0, dy: int = 0) -> Any:
    """Return values or derivatives of a surface on a grid.

    Parameters
    ----------
    x, y : array, shapes (p,), (q,)
        The axes of the grid, or numbers. Those outside of the knots are moved to the border.
    tck : sequence
        Knots along both axes, coefficients, flattened, and the degrees, as from `bisplrep`.
    dx, dy : int, optional
        Orders of the derivatives, below the degrees.

    Returns
    -------
    array, shape (p, q)
        An axis of one number has no dimension: (q,) for one of x; (p, 1) for one of y alone, as in
        SciPy.

    Raises
    ------
    ArgumentError, ShapeError
        If an order isn't below the degree, or shapes don't fit.

    Notes
    -----
    As `BivariateSpline`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import bisplev
    >>> t = np.asarray([0.0, 0.0, 1.0, 1.0])
    >>> print(bisplev(np.asarray([0.5]), np.asarray([0.0, 0.5]), (t, t, np.arange(4.0), 1, 1)))
    [1.  1.5]
    """
    try:
        tx, ty, c, *degrees = tck
        kx, ky = map(operator.index, degrees)
    except (TypeError, ValueError):
        raise ArgumentError(
            "bisplev: tck must be two arrays of knots, one of coefficients, and two degrees, as "
            f"from bisplrep, got {type(tck).__name__}"
        ) from None
    for axis, order, k in (("x", dx, kx), ("y", dy, ky)):
        if not 0 <= order < k:
            raise ArgumentError(f"bisplev: 0 <= d{axis} = {order} < k{axis} = {k} must hold")
    x, y, tx, ty, c = reals("bisplev", ("x", "y", "tx", "ty", "c"), x, y, tx, ty, c)
    xp = array_namespace(x, y, c)
    sizes = (tx.shape[0] - kx - 1, ty.shape[0] - ky - 1)
    if math.prod(c.shape) != math.prod(sizes) or min(sizes) < 1:
        raise ShapeError(
            f"bisplev: these knots and degrees need {sizes[0]} times {sizes[1]} coefficients, got "
            f"shape {tuple(c.shape)}"
        )
    c = xp.reshape(c, (-1,))
    found = _values("bisplev", x, y, tx, ty, c, (kx, ky), orders_of("bisplev", (dx, dy), 2), True)
    if found.shape[0] != 1:
        return found
    return found[0, :] if found.shape[1] > 1 else found[0, 0]
