"""Tensor product splines of values on a grid, and of coefficients."""

import operator
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, NotSupported, ShapeError
from ...transforms import register_tree
from .._base._arguments import alike, orders_of, reals
from .._base._knots import checked
from .._bsplines._basis import basis, evaluated, raised
from ._cells import Finder
from ._evaluation import coefficients, spline
from ._regular import points_of

__all__ = ["NdBSpline", "RectBivariateSpline"]


def _degrees(function: str, k: Any, d: int) -> tuple[int, ...]:
    ks = tuple(map(operator.index, k)) if hasattr(k, "__len__") else (operator.index(k),) * d
    if len(ks) != d or min(ks) < 0:
        raise ArgumentError(
            f"{function}: k must be a degree of 0 or more, or one for each of {d} axes, got {k!r}"
        )
    return ks


class NdBSpline:
    """A tensor product spline of any number of dimensions, of given knots and coefficients.

    Parameters
    ----------
    t : tuple of arrays, shapes (n1 + k1 + 1,), ..., (nd + kd + 1,)
        The knots along each axis, ascending.
    c : array, shape (n1, ..., nd, ...)
        Coefficients, real or complex; trailing dimensions are a batch.
    k : int or tuple of int
        The degree, of all axes or of each.
    extrapolate : bool, optional
        Whether points outside of the base intervals are in the outermost polynomials (default), or
        give NaN.

    Attributes
    ----------
    t, c, k, extrapolate
        As given, `k` as a tuple.

    Raises
    ------
    ArgumentError, ShapeError
        If shapes don't fit, or knots aren't ascending and finite (where values can be read).

    Notes
    -----
    ``prod(k + 1)`` coefficients a point; C. de Boor, A Practical Guide to Splines (1978), chapter
    XVII. Differentiable in points, coefficients and knots.

    A tree of arrays (`likewise.transforms.register_tree`) of t and c: transforms take and return
    it.

    Differs from SciPy: float32 stays; no `design_matrix`, which is sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import NdBSpline
    >>> t = np.asarray([0.0, 0, 1, 2, 2])
    >>> f = NdBSpline((t, t), np.arange(9.0).reshape(3, 3), 1)
    >>> print(f([[0.5, 1.5]]))
    [3.]
    """

    t: tuple[Any, ...]
    c: Any
    k: tuple[int, ...]
    extrapolate: bool

    def __init__(self, t: Sequence[Any], c: Any, k: Any, *, extrapolate: Any = None) -> None:
        name = "NdBSpline"
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        t = tuple(t)
        self.k = _degrees(name, k, len(t))
        self.c, *knots = alike(name, ("c", *("t",) * len(t)), c, *t)
        if self.c.ndim < len(knots):
            raise ShapeError(
                f"{name}: Coefficients must be at least {len(knots)}-dimensional, a dimension for "
                f"each axis of knots, got shape {tuple(self.c.shape)}"
            )
        for i, (g, n) in enumerate(zip(knots, self.k, strict=True)):
            if g.ndim != 1 or g.shape[0] < 2 * n + 2 or g.shape[0] - n - 1 != self.c.shape[i]:
                raise ShapeError(
                    f"{name}: Knots, coefficients and degree in dimension {i} are inconsistent: "
                    f"{self.c.shape[i]} coefficients of degree {n} need {self.c.shape[i] + n + 1} "
                    f"knots, and at least {2 * n + 2}, got shape {tuple(g.shape)}"
                )
            xp = array_namespace(g)
            if is_concrete(g) and not bool(xp.all(xp.isfinite(g)) & xp.all(g[1:] >= g[:-1])):
                raise ArgumentError(
                    f"{name}: Knots in dimension {i} must be finite and in a non-decreasing order. "
                    "Sort them"
                )
        self.t = tuple(knots)

    def __call__(self, xi: Any, *, nu: Any = None, extrapolate: Any = None) -> Any:
        """Return values or derivatives at points.

        Parameters
        ----------
        xi : array, shape (..., d)
            The points.
        nu : sequence of d int, optional
            Orders of derivatives along each axis.
        extrapolate : bool, optional
            Default: the spline's own.

        Returns
        -------
        array, shape (..., ...)
            The dimensions of the points, then the trailing ones of the coefficients.
        """
        name, d = "NdBSpline.__call__", len(self.t)
        orders = (0,) * d if nu is None else orders_of(name, nu, d)
        c, x, *knots = alike(
            name, ("c", "xi", *("t",) * d), self.c, points_of(name, xi, d, self.t[0]), *self.t
        )
        xp, shape = array_namespace(c, x, *knots), tuple(x.shape)
        more = self.extrapolate if extrapolate is None else bool(extrapolate)
        fill = None if more else xp.nan
        y = spline(xp.reshape(x, (-1, d)), c, fill, self.k, orders, *knots)
        return xp.reshape(y, (*shape[:-1], *c.shape[d:]))


def _flatten(f: NdBSpline) -> tuple[tuple[Any, ...], Any]:
    return (f.t, f.c), (f.k, f.extrapolate)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> NdBSpline:
    made = object.__new__(NdBSpline)
    made.k, made.extrapolate = fixed
    made.t, made.c = leaves
    return made


register_tree(NdBSpline, _flatten, _unflatten)

_RECT = "RectBivariateSpline"


class RectBivariateSpline:
    """Interpolate values on a grid of two axes by a tensor product spline.

    Parameters
    ----------
    x, y : array, shapes (n,), (m,)
        The axes, ascending.
    z : array, shape (n, m)
        Real values.
    bbox : sequence of 4 numbers, optional
        The ends of the domain, ``[xb, xe, yb, ye]``; None stands for those of the axes.
    kx, ky : int, optional
        Degrees from 1 to 5 (default 3).
    s : float, optional
        Must be 0: the spline goes through the values.
    maxit : int, optional
        Accepted for SciPy's signature; ignored, as there is no iteration.

    Attributes
    ----------
    tck : tuple
        Knots along both axes, and coefficients (n, m).
    degrees : tuple of int

    Raises
    ------
    ArgumentError, ShapeError
        If an axis isn't strictly ascending or has no more points than its degree, shapes don't fit,
        or the domain doesn't hold the axes (where values can be read).
    NotSupported
        If `s` isn't 0.

    Notes
    -----
    The spline of P. Dierckx, Curve and Surface Fitting with Splines (1993), chapter 5, for a
    smoothing of 0: knots at the points but those next to the ends, or between points for even
    degrees; banded systems along one axis, then along the other. Points outside are moved to the
    border. Differentiable in values, axes and points.

    A tree of arrays (`likewise.transforms.register_tree`) of knots and coefficients: transforms
    take and return it.

    Differs from SciPy: no smoothing; float32 stays; `grid=True` doesn't need ascending points.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import RectBivariateSpline
    >>> x, y = np.arange(5.0), np.arange(6.0)
    >>> f = RectBivariateSpline(x, y, x[:, None] ** 2 * y)
    >>> print(f.ev(1.5, 2.0).round(6), f(1.5, [2.0, 3.0], dx=1).round(6))
    4.5 [[6. 9.]]
    """

    tck: tuple[Any, Any, Any]
    degrees: tuple[int, ...]

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        bbox: Sequence[Any] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: float = 0,
        maxit: int = 20,
    ) -> None:
        if s != 0:
            raise NotSupported(
                f"{_RECT}: only s=0 is there, a spline through the values, got s={s!r}. For "
                "smoothing, use likewise.interpolate.make_smoothing_spline along each axis"
            )
        self.degrees = _degrees(_RECT, (kx, ky), 2)
        if not all(1 <= k <= 5 for k in self.degrees):
            raise ArgumentError(f"{_RECT}: kx and ky must be from 1 to 5, got {self.degrees}")
        xp = array_namespace(x, y, z)
        x, y, z = reals(_RECT, ("x", "y", "z"), x, y, z)
        if z.ndim != 2 or x.ndim != 1 or y.ndim != 1 or z.shape != (x.shape[0], y.shape[0]):
            raise ShapeError(
                f"{_RECT}: z must have the shape (x.size, y.size), got {tuple(z.shape)} for x of "
                f"shape {tuple(x.shape)} and y of shape {tuple(y.shape)}"
            )
        if len(bbox) != 4:
            raise ShapeError(f"{_RECT}: bbox must have 4 numbers or None, got {len(bbox)}")
        xp, knots = array_namespace(x, y, z), []
        for i, (name, g) in enumerate((("x", x), ("y", y))):
            k = self.degrees[i]
            checked(_RECT, g, k + 1)
            ends = [
                g[j : j + 1]
                if end is None
                else xp.asarray([float(end)], dtype=g.dtype, device=device(g))
                for j, end in zip((0, g.shape[0] - 1), bbox[2 * i : 2 * i + 2], strict=True)
            ]
            if is_concrete(g) and not bool(xp.all((ends[0] <= g[0]) & (g[-1] <= ends[1]))):
                raise ArgumentError(
                    f"{_RECT}: bbox must hold the axes, but not so that of {name}. Leave it out"
                )
            half = (k + 1) // 2
            inner = g if k % 2 else (g[1:] + g[:-1]) / 2.0
            inner = inner[half : inner.shape[0] - half]
            t = [xp.broadcast_to(end, (k + 1,)) for end in ends]
            knots.append(xp.concat([t[0], inner, t[1]]))
        self.tck = (*knots, coefficients(z, self.degrees, knots, x, y))

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
        """Return values or derivatives on a grid, or at points.

        Parameters
        ----------
        x, y : array
            Coordinates, one-dimensional for a grid; else they broadcast.
        dx, dy : int, optional
            Orders of the derivatives.
        grid : bool, optional
            Whether x and y are the axes of a grid (default).

        Returns
        -------
        array, shape (x.size, y.size), or that of the points
        """
        name = f"{_RECT}.__call__"
        orders = orders_of(name, (dx, dy), 2)
        *knots, c = self.tck
        x, y, *knots, c = reals(name, ("x", "y", "t", "t", "c"), x, y, *knots, c)
        xp = array_namespace(x, y, c)
        if not grid:
            x, y = xp.broadcast_arrays(x, y)
            at = xp.stack([self._moved(xp, a, i, knots) for i, a in enumerate((x, y))], axis=-1)
            found = spline(xp.reshape(at, (-1, 2)), c, None, self.degrees, orders, *knots)
            return xp.reshape(found, tuple(x.shape))
        for i, (a, k, t, order) in enumerate(zip((x, y), self.degrees, knots, orders, strict=True)):
            if a.ndim > 1:
                raise ShapeError(
                    f"{name}: x and y must have one dimension for a grid, got shape "
                    f"{tuple(a.shape)}. Set grid=False for points"
                )
            a = self._moved(xp, xp.reshape(a, (-1,)), i, knots)
            first = Finder(t[k : t.shape[0] - k], a.shape[0])(xp, a)
            total: Any = xp.zeros((a.shape[0], c.shape[1]), dtype=c.dtype, device=device(c))
            for j, w in enumerate(basis(xp, t, a, first + k, k, order) if order <= k else ()):
                total = total + w[:, None] * xp.take(c, first + j, axis=0)
            c = xp.matrix_transpose(total)
        return c

    def _moved(self, xp: Any, a: Any, i: int, knots: Sequence[Any]) -> Any:
        """Return coordinates moved into the domain."""
        return xp.minimum(xp.maximum(a, knots[i][0]), knots[i][-1])

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
        xa, xb, ya, yb : number
            The ends along both axes.

        Returns
        -------
        array, shape ()
        """
        *knots, c = self.tck
        names = ("xa", "xb", "ya", "yb", "t", "t", "c")
        xa, xb, ya, yb, *knots, c = reals(f"{_RECT}.integral", names, xa, xb, ya, yb, *knots, c)
        xp = array_namespace(xa, xb, ya, yb, c)
        for i, (ends, k, t) in enumerate(
            zip(((xa, xb), (ya, yb)), self.degrees, knots, strict=True)
        ):
            at = self._moved(xp, xp.reshape(xp.stack(ends), (1, 2)), i, knots)
            high, sums, degree = raised(xp, t[None, :], c[None, :, :], k)
            found = evaluated(at, high, sums, degree, True)[0, :, :]
            c = xp.matrix_transpose(found[1:, :] - found[:1, :])
        return c[0, 0]

    def partial_derivative(self, dx: int, dy: int) -> "RectBivariateSpline":
        """Return the spline of a derivative.

        Parameters
        ----------
        dx, dy : int
            Orders, at most the degrees less 1.

        Returns
        -------
        RectBivariateSpline
        """
        name = f"{_RECT}.partial_derivative"
        orders = orders_of(name, (dx, dy), 2)
        if any(order >= k for order, k in zip(orders, self.degrees, strict=True)):
            raise ArgumentError(
                f"{name}: order of derivative must be less than the degrees {self.degrees}, got "
                f"{orders}"
            )
        *knots, c = self.tck
        degrees, xp = list(self.degrees), array_namespace(c)
        for i, order in enumerate(orders):
            for _ in range(order):
                t, k = knots[i], degrees[i]
                gap = (t[1:-1][k:] - t[1:-1][:-k])[:, None]
                c = k * (c[1:, :] - c[:-1, :]) / gap
                knots[i], degrees[i] = t[1:-1], k - 1
            c = xp.matrix_transpose(c)
        return _rebuilt(tuple(degrees), ((*knots, c),))

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
        return array_namespace(self.tck[2]).reshape(self.tck[2], (-1,))

    def get_residual(self) -> float:
        """Return the sum of squared residuals, which is 0.

        Returns
        -------
        float
        """
        return 0.0


def _parts(f: RectBivariateSpline) -> tuple[tuple[Any, ...], Any]:
    return (f.tck,), f.degrees


def _rebuilt(degrees: Any, leaves: tuple[Any, ...]) -> RectBivariateSpline:
    made = object.__new__(RectBivariateSpline)
    made.degrees, (made.tck,) = degrees, leaves
    return made


register_tree(RectBivariateSpline, _parts, _rebuilt)
