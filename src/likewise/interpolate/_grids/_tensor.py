"""Tensor product splines of values on a grid, and of coefficients."""

import math
import operator
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, is_concrete
from ...errors import ArgumentError, ShapeError
from ...transforms import register_tree
from .._base._arguments import alike, orders_of
from .._base._basis import lowered
from ._evaluation import spline
from ._regular import beside, in_one, points_of, shared

__all__ = ["NdBSpline"]


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
    t : tuple of arrays, shapes (..., n1 + k1 + 1), ..., (..., nd + kd + 1)
        The knots along each axis, ascending. With more than one dimension, each spline of the batch
        has its own; those of one dimension are shared.
    c : array, shape (..., n1, ..., nd, ...)
        Coefficients, real or complex, the dimensions of the batch first; trailing dimensions share
        the knots.
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
        batch, knots = shared(name, "knots", knots)
        b = len(batch)
        if self.c.ndim < b + len(knots) or tuple(self.c.shape[:b]) != batch:
            raise ShapeError(
                f"{name}: Coefficients must be at least {b + len(knots)}-dimensional, a dimension "
                f"for each axis of knots after the batch {batch}, got shape {tuple(self.c.shape)}"
            )
        for i, (g, n) in enumerate(zip(knots, self.k, strict=True)):
            size = self.c.shape[b + i]
            if g.shape[-1] < 2 * n + 2 or g.shape[-1] - n - 1 != size:
                raise ShapeError(
                    f"{name}: Knots, coefficients and degree in dimension {i} are inconsistent: "
                    f"{size} coefficients of degree {n} need {size + n + 1} "
                    f"knots, and at least {2 * n + 2}, got shape {tuple(g.shape)}"
                )
            xp = array_namespace(g)
            if is_concrete(g) and not bool(
                xp.all(xp.isfinite(g)) & xp.all(g[..., 1:] >= g[..., :-1])
            ):
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
            The points, those of a batch with its dimensions first, or ones in their places; d
            numbers are one point, whose value has no dimension of points.
        nu : sequence of d int, optional
            Orders of derivatives along each axis.
        extrapolate : bool, optional
            Default: the spline's own.

        Returns
        -------
        array, shape (..., ...)
            The dimensions of the batch and of the points, then the trailing ones of the
            coefficients.
        """
        name, d, batch = "NdBSpline.__call__", len(self.t), tuple(self.t[0].shape[:-1])
        orders = (0,) * d if nu is None else orders_of(name, nu, d)
        x = points_of(name, xi, d, self.t[0], batch)
        c, x, *knots = beside(name, ("c", "xi", "t"), self.c, x, *self.t)
        xp, shape = array_namespace(c, x, *knots), tuple(x.shape)
        more = self.extrapolate if extrapolate is None else bool(extrapolate)
        fill = None if more else xp.nan
        if batch:
            knots, _, c, x = in_one(knots, (), c, x)
        elif len(shape) != 2:
            x = xp.reshape(x, (-1, d))
        y = spline(x, c, fill, self.k, orders, *knots)
        own = () if not batch and _is_one(xi, d) else shape[:-1]
        return xp.reshape(y, (*own, *c.shape[bool(batch) + d :]))

    def derivative(self, nu: Any) -> "NdBSpline":
        """Return the spline of a derivative.

        Parameters
        ----------
        nu : sequence of d int
            Orders along each axis; above its degree, the spline is zero.

        Returns
        -------
        NdBSpline
        """
        d, b = len(self.t), self.t[0].ndim - 1
        orders = orders_of("NdBSpline.derivative", nu, d)
        xp, c, knots, degrees = array_namespace(self.c, *self.t), self.c, list(self.t), list(self.k)
        for i, order in enumerate(orders):
            for _ in range(order):
                t, k = knots[i], degrees[i]
                if k == 0:
                    c = xp.zeros_like(c)
                    break
                c = xp.moveaxis(c, b + i, b)
                shape, size = tuple(c.shape), t.shape[-1]
                t = xp.reshape(t, (-1, size))
                flat = xp.reshape(c, (t.shape[0], shape[b], math.prod(shape[b + 1 :])))
                t, c, degrees[i] = lowered(xp, t, flat, k)
                c = xp.reshape(c, (*shape[:b], shape[b] - 1, *shape[b + 1 :]))
                c = xp.moveaxis(c, b, b + i)
                knots[i] = xp.reshape(t, (*shape[:b], size - 2))
        return _unflatten((tuple(degrees), self.extrapolate), (tuple(knots), c))


def _is_one(xi: Any, d: int) -> bool:
    """Tell whether these are the d numbers of one point."""
    if hasattr(xi, "ndim"):
        return bool(xi.ndim == 1 and xi.shape[0] == d)
    return len(xi) == d and not any(getattr(v, "ndim", hasattr(v, "__len__")) for v in xi)


def _flatten(f: NdBSpline) -> tuple[tuple[Any, ...], Any]:
    return (f.t, f.c), (f.k, f.extrapolate)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> NdBSpline:
    made = object.__new__(NdBSpline)
    made.k, made.extrapolate = fixed
    made.t, made.c = leaves
    return made


register_tree(NdBSpline, _flatten, _unflatten)
