"""Piecewise polynomials of several variables, on grids of breakpoints."""

import math
import operator
from collections.abc import Sequence
from typing import Any, Self

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ...errors import ArgumentError, ShapeError
from ...transforms import register_tree
from .._base._knots import followed, one_axis, order_of, places
from ._pieces import column, outside
from ._ppoly import PPoly, derived, integrated

__all__ = ["NdPPoly"]


class NdPPoly:
    """Piecewise polynomials of several variables, in powers of distances from breakpoints.

    In the cell of ``x[0][i]``, ``x[1][j]``, ... it is the sum of
    ``c[m, n, ..., i, j, ...] * (v - x[0][i])**(k0 - 1 - m) * (w - x[1][j])**(k1 - 1 - n) * ...``.

    Parameters
    ----------
    c : array, shape (k0, ..., kn, m0, ..., mn, ...)
        Coefficients, those of the highest powers first; real or complex.
    x : sequence of array, shapes (m0 + 1,), ..., (mn + 1,)
        Breakpoints of each variable, increasing.
    extrapolate : bool, optional
        Outside of the breakpoints, the outermost polynomials (default), or NaN.

    Attributes
    ----------
    c : array
    x : tuple of array
    extrapolate : bool

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If breakpoints aren't in order, where values can be read.

    Notes
    -----
    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it. By
    Horner's rule in one variable after the other. Differentiable in coefficients, breakpoints and
    points.

    Differs from SciPy: float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import NdPPoly
    >>> x = np.asarray([0.0, 1.0])
    >>> p = NdPPoly(np.asarray([[2.0, 0.0], [0.0, 1.0]])[:, :, None, None], (x, x))  # 2 v w + 1
    >>> p(np.asarray([[0.5, 0.5], [1.0, 1.0]]))
    array([1.5, 3. ])
    >>> float(p.integrate([(0.0, 1.0), (0.0, 1.0)]))
    1.5
    """

    c: Any
    x: tuple[Any, ...]
    extrapolate: bool

    def __init__(self, c: Any, x: Sequence[Any], extrapolate: bool | None = None) -> None:
        xp, n = array_namespace(c, *x), len(x)
        names = ("c", *(f"x[{i}]" for i in range(n)))
        c, *ends = followed(xp, _plan.common_floating("NdPPoly", xp, names, c, *x))
        if any(v.ndim != 1 or v.shape[0] < 2 for v in ends):
            raise ShapeError(
                "NdPPoly: x arrays must all be 1-dimensional and contain at least 2 points, got "
                f"shapes {', '.join(str(tuple(v.shape)) for v in ends)}"
            )
        if c.ndim < 2 * n:
            raise ShapeError(
                f"NdPPoly: c must have at least 2*len(x)={2 * n} dimensions, got {tuple(c.shape)}"
            )
        if tuple(c.shape[n : 2 * n]) != tuple(v.shape[0] - 1 for v in ends):
            raise ShapeError(
                "NdPPoly: x and c do not agree on the number of intervals: c has shape "
                f"{tuple(c.shape)}, x have {', '.join(str(v.shape[0] - 1) for v in ends)}"
            )
        if _plan.is_complex(xp, c.dtype):
            xp = array_namespace(c)
            ends = [xp.real(v) if _plan.is_complex(xp, v.dtype) else v for v in ends]
        for v in ends:
            if is_concrete(v) and bool(array_namespace(v).any(v[1:] < v[:-1])):
                raise ArgumentError(
                    "NdPPoly: x-coordinates are not in increasing order. Sort them, and c with them"
                )
        self.c, self.x = c, tuple(ends)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)

    @classmethod
    def construct_fast(cls, c: Any, x: Any, extrapolate: bool | None = None) -> Self:
        """Return a piecewise polynomial of such arrays as it stores them, without any check."""
        made = object.__new__(cls)
        made.c, made.x = c, tuple(x)
        made.extrapolate = True if extrapolate is None else extrapolate
        return made

    def __call__(self, x: Any, nu: Any = None, extrapolate: bool | None = None) -> Any:
        """Return the values, or those of a derivative.

        Parameters
        ----------
        x : array, shape (..., n), or tuple of n arrays
            Points, or their coordinates, which broadcast.
        nu : sequence of n int, optional
            The orders of the derivative. Default: none.
        extrapolate : bool, optional
            As for the class, whose setting it replaces.

        Returns
        -------
        array
            The shape of the points, then that of one value.

        Raises
        ------
        ShapeError, ArgumentError
            If points or orders don't fit.
        """
        n, mode = len(self.x), self.extrapolate if extrapolate is None else bool(extrapolate)
        orders = [0] * n if nu is None else [order_of("NdPPoly", v) for v in nu]
        if len(orders) != n:
            raise ArgumentError(
                f"NdPPoly: invalid number of derivative orders nu, {len(orders)} for {n} variables"
            )
        at = self._points(x)
        xp = array_namespace(self.c, *self.x, *at)
        c, ends, at = followed(xp, (self.c, self.x, at))
        xp = array_namespace(c, *ends, *at)
        shape, trailing = tuple(at[0].shape), tuple(c.shape[2 * n :])
        flat = [xp.reshape(v, (-1,)) for v in at]
        index, bad, steps = None, None, []
        for v, knots in zip(flat, ends, strict=True):
            own = places(knots, v)
            steps.append(v - xp.take(knots, own))
            index = own if index is None else index * (knots.shape[0] - 1) + own
            off = xp.isnan(v) if mode else outside(xp, knots, v)
            bad = off if bad is None else bad | off
        c = xp.reshape(c, (*c.shape[:n], math.prod(c.shape[n : 2 * n]), *trailing))
        c = xp.take(c, index, axis=n)
        with quiet(c):
            for s, order in zip(steps, orders, strict=True):
                k, out = c.shape[0], None
                s = column(s, c[(0,) * (c.ndim - 1 - len(trailing)) + (slice(None), ...)])
                for j in range(k - order):
                    row = c[j, ...] * float(math.perm(k - 1 - j, order))
                    out = row if out is None else out * s + row
                c = 0 * c[0, ...] if out is None else out
        nan = xp.asarray(xp.nan, dtype=c.dtype, device=device(c))
        return xp.reshape(xp.where(column(bad, c), nan, c), (*shape, *trailing))

    def _points(self, x: Any) -> list[Any]:
        """Return the coordinates of points."""
        n = len(self.x)
        if isinstance(x, tuple):
            names = ("x", *tuple(f"x[{i}]" for i in range(len(x))))
            xp = array_namespace(self.x[0], *x)
            found = _plan.common_floating("NdPPoly", xp, names, self.x[0], *x, real=True)[1:]
            at = list(array_namespace(*found).broadcast_arrays(*found))
        else:
            xp = array_namespace(self.x[0], x)
            v = _plan.common_floating("NdPPoly", xp, ("x", "points"), self.x[0], x, real=True)[1]
            v = v[..., None] if n == 1 and v.ndim < 2 else v
            at = [v[..., i] for i in range(v.shape[-1])] if v.ndim else []
        if len(at) != n:
            raise ShapeError(
                f"NdPPoly: points must have {n} coordinates along their last dimension, got "
                f"{len(at)}"
            )
        return at

    def derivative(self, nu: Any) -> Self:
        """Return a derivative, as a piecewise polynomial of lower degrees.

        Parameters
        ----------
        nu : sequence of n int
            Its orders; those of antiderivatives, if negative.

        Returns
        -------
        NdPPoly
        """
        c, n = self.c, len(self.x)
        xp = array_namespace(c, *self.x)
        for axis, order in enumerate(map(operator.index, nu)):
            if order > 0:
                c = xp.moveaxis(derived(xp.moveaxis(c, axis, 0), order), 0, axis)
            elif order < 0:
                both = (axis, n + axis)
                moved = integrated(xp.moveaxis(c, both, (0, 1)), self.x[axis], -order)
                c = xp.moveaxis(moved, (0, 1), both)
        return self.construct_fast(c, self.x, self.extrapolate)

    def antiderivative(self, nu: Any) -> Self:
        """Return the antiderivative that is 0 at the first breakpoints and continuous.

        Parameters
        ----------
        nu : sequence of n int
            How often it is taken in each variable; orders of derivatives, if negative.

        Returns
        -------
        NdPPoly
        """
        return self.derivative([-operator.index(v) for v in nu])

    def integrate_1d(self, a: Any, b: Any, axis: int, extrapolate: bool | None = None) -> Any:
        """Return the integral over one variable.

        Parameters
        ----------
        a, b : float
            The lower and the upper bound.
        axis : int
            Which variable.
        extrapolate : bool, optional
            As for the class, whose setting it replaces.

        Returns
        -------
        NdPPoly or array
            Of the other variables; the integral itself, if there are none.
        """
        mode = self.extrapolate if extrapolate is None else bool(extrapolate)
        n = len(self.x)
        axis = one_axis("NdPPoly.integrate_1d", axis, n)
        xp = array_namespace(self.c)
        c = xp.moveaxis(self.c, (axis, n + axis), (0, 1))
        out = PPoly.construct_fast(c, self.x[axis], mode).integrate(a, b)
        if n == 1:
            return out
        return self.construct_fast(out, self.x[:axis] + self.x[axis + 1 :], mode)

    def integrate(self, ranges: Any, extrapolate: bool | None = None) -> Any:
        """Return the integral over all variables.

        Parameters
        ----------
        ranges : sequence of n pairs of float
            The lower and the upper bound of each.
        extrapolate : bool, optional
            As for the class, whose setting it replaces.

        Returns
        -------
        array

        Raises
        ------
        ArgumentError
            If there aren't as many pairs as variables.
        """
        if not hasattr(ranges, "__len__") or len(ranges) != len(self.x):
            raise ArgumentError(
                f"NdPPoly.integrate: Range not a sequence of correct length: {len(self.x)} pairs "
                f"are needed, got {ranges!r}"
            )
        left: Any = self
        for a, b in ranges:
            left = left.integrate_1d(a, b, 0, extrapolate)
        return left


def _flatten(p: NdPPoly) -> tuple[tuple[Any, ...], Any]:
    return (p.c, *p.x), p.extrapolate


def _unflatten(extrapolate: Any, leaves: tuple[Any, ...]) -> NdPPoly:
    return NdPPoly.construct_fast(leaves[0], leaves[1:], extrapolate)


register_tree(NdPPoly, _flatten, _unflatten)
