"""Piecewise polynomials in the power basis."""

import math
from typing import Any, Self

from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native
from ...errors import ArrayTypeError
from .._base._knots import gathered, mode_of, order_of, places
from ._pieces import Pieces

__all__ = ["PPoly", "column", "derived", "integrated"]


class PPoly(Pieces):
    """Piecewise polynomials in powers of the distance from the left breakpoint.

    On the interval from ``x[i]`` to ``x[i + 1]`` it is
    ``sum(c[m, i] * (v - x[i])**(k - 1 - m) for m in range(k))``.

    Parameters
    ----------
    c : array, shape (k, m, ...) or (k, *batch, m, ...)
        Coefficients, that of the highest power first; real or complex.
    x : array, shape (m + 1,) or (*batch, m + 1)
        Breakpoints, increasing or decreasing. With more than one dimension, each problem of the
        batch has its own.
    extrapolate : bool or 'periodic', optional
        Outside of the breakpoints, the first and the last polynomial (default), NaN, or the
        values of a periodic function.
    axis : int, optional
        Where the points' dimensions stand in results. Without a batch, `c` has the axes of `k` and
        `m` there, too.

    Attributes
    ----------
    c, x : array
    extrapolate : bool or 'periodic'
    axis : int

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If breakpoints aren't in order, where values can be read.
    DtypeError
        If breakpoints are complex.

    Notes
    -----
    A tree of arrays (`likewise.transforms.register_tree`) of `c` and `x`: transforms take and
    return it. Don't change its attributes. O(k + log m) operations a point, by Horner's rule.
    Differentiable in coefficients, breakpoints and points.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import PPoly
    >>> p = PPoly(np.asarray([[1.0, -1.0], [0.0, 1.0]]), np.asarray([0.0, 1.0, 2.0]))
    >>> p(np.asarray([0.5, 1.0, 1.5]))
    array([0.5, 1. , 0.5])
    >>> float(p.integrate(0.0, 2.0))
    1.0
    """

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return the values, or those of a derivative.

        Parameters
        ----------
        x : array
            Points. Of a batch, its dimensions come first (or ones), then any shape; a number is for
            all.
        nu : int, optional
            The order of the derivative.
        extrapolate : bool or 'periodic', optional
            As for the class, whose setting it replaces.

        Returns
        -------
        array
            In place of the axis of the intervals it has the dimensions of the points.

        Raises
        ------
        ShapeError
            If points don't fit the batch.
        ArgumentError
            If `nu` is negative: `antiderivative` is for integrals.
        """
        name = type(self).__name__
        mode = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        c, knots, v, shape = self._points(name, x)
        nu = order_of(name, nu)
        return self._placed(_evaluated(c, knots, v, nu, mode), shape)

    def derivative(self, nu: int = 1) -> Self:
        """Return a derivative, as a piecewise polynomial of lower degree.

        Parameters
        ----------
        nu : int, optional
            Its order; if negative, the antiderivative's.

        Returns
        -------
        PPoly
            Of this class.
        """
        if nu < 0:
            return self.antiderivative(-nu)
        return self._like(derived(self.c, nu.__index__()))

    def antiderivative(self, nu: int = 1) -> Self:
        """Return the antiderivative that is 0 at the first breakpoint and continuous.

        Parameters
        ----------
        nu : int, optional
            How often it is taken; if negative, the derivative is.

        Returns
        -------
        PPoly
            Of this class; it doesn't extrapolate, if this is periodic.
        """
        if nu <= 0:
            return self.derivative(-nu)
        c = integrated(self.c, self.x, nu.__index__())
        return self._like(c, None, False if self.extrapolate == "periodic" else None)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two bounds.

        Parameters
        ----------
        a, b : float or array
            The lower and the upper bound, or arrays of these of one shape.
        extrapolate : bool or 'periodic', optional
            As for the class, whose setting it replaces.

        Returns
        -------
        array
            Of the shape of a value at a point.

        Raises
        ------
        ShapeError
            If bounds don't fit the batch.
        """
        name = f"{type(self).__name__}.integrate"
        mode = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        ends = []
        for bound in (a, b):
            c, x, v, shape = self._points(name, bound)
            ends.append(self._placed(_primitive(c, x, v, mode), shape))
        return ends[1] - ends[0]

    def extend(self, c: Any, x: Any) -> Self:
        """Return it with more pieces, before the first or after the last.

        Parameters
        ----------
        c : array, shape (k, m2, ...)
            Their coefficients; if degrees differ, zeros are put before the fewer.
        x : array, shape (m2,)
            New breakpoints, all before the first or after the last.

        Returns
        -------
        PPoly
            Of this class.

        Raises
        ------
        ShapeError, ArgumentError
            If shapes don't fit, or new breakpoints aren't outside of and in order with the old.
        """
        return self._extended(c, x)

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: Any = None) -> Self:
        """Return a spline's polynomials.

        Parameters
        ----------
        tck : BSpline
            A function with attributes `t`, `c` and `k`.
        extrapolate : bool or 'periodic', optional
            As for the class.

        Returns
        -------
        PPoly

        Raises
        ------
        ArrayTypeError
            If it is no spline.
        """
        if not callable(tck) or not all(hasattr(tck, n) for n in "tck"):
            raise ArrayTypeError(
                f"{cls.__name__}.from_spline: tck must be a BSpline, got {type(tck).__name__}. Of "
                "knots, coefficients and a degree make one, by BSpline(*tck)"
            )
        xp = array_namespace(tck.t, tck.c)
        t, k = tck.t, int(tck.k)
        rows = [tck(t[..., :-1], nu=k - j) / math.factorial(k - j) for j in range(k + 1)]
        axis = getattr(tck, "axis", 0)
        if axis:
            rows = [xp.moveaxis(r, axis + t.ndim - 1, t.ndim - 1) for r in rows]
        mode = getattr(tck, "extrapolate", True) if extrapolate is None else extrapolate
        return cls.construct_fast(xp.stack(rows), t, mode, axis)

    @classmethod
    def from_bernstein_basis(cls, bp: Any, extrapolate: Any = None) -> Self:
        """Return the same function as a piecewise polynomial in the Bernstein basis.

        Parameters
        ----------
        bp : BPoly
            The function.
        extrapolate : bool or 'periodic', optional
            As for the class; default, that of `bp`.

        Returns
        -------
        PPoly

        Raises
        ------
        ArrayTypeError
            If it is no BPoly.
        """
        if getattr(bp, "_basis", "") != "Bernstein":
            raise ArrayTypeError(
                f"{cls.__name__}.from_bernstein_basis: a BPoly was expected, got "
                f"{type(bp).__name__}"
            )
        xp = array_namespace(bp.c, bp.x)
        k = bp.c.shape[0] - 1
        step = column(bp.x[..., 1:] - bp.x[..., :-1], bp.c[0])
        rows = []
        for power in range(k, -1, -1):
            total = 0 * bp.c[0]
            for a in range(power + 1):
                factor = (-1) ** (power - a) * math.comb(k, a) * math.comb(k - a, power - a)
                total = total + factor * bp.c[a]
            rows.append(total / step**power)
        mode = bp.extrapolate if extrapolate is None else extrapolate
        return cls.construct_fast(xp.stack(rows), bp.x, mode, bp.axis)


def column(v: Any, like: Any) -> Any:
    """Return an array with dimensions of one behind it, up to those of another."""
    return v[(..., *(None,) * (like.ndim - v.ndim))] if v.ndim < like.ndim else v


def _towards(xp: Any, x: Any, *arrays: Any) -> tuple[Any, ...]:
    """Return breakpoints, and what is compared with them, in increasing order."""
    if is_concrete(x) and bool(xp.all(x[..., -1] >= x[..., 0])):
        return x, *arrays
    down = x[..., -1:] < x[..., :1]
    return tuple(xp.where(down, -v, v) for v in (x, *arrays))


def wrapped(xp: Any, x: Any, v: Any) -> Any:
    """Return points in the period that breakpoints span."""
    first, last = x[..., :1], x[..., -1:]
    return first + xp.remainder(v - first, last - first)


def outside(xp: Any, x: Any, v: Any) -> Any:
    """Tell which points lie outside of the breakpoints."""
    x, v = _towards(xp, x, v)
    return ~((v >= x[..., :1]) & (v <= x[..., -1:]))


def _doubles(c: Any, x: Any, v: Any, nu: int, mode: Any) -> bool:
    """doubles, and one row of breakpoints."""
    xp = array_namespace(v)
    return bool(x.ndim == 1 and x.dtype == v.dtype == xp.float64 and c.dtype == x.dtype)


@native(numpy="likewise._libs.numpy._interpolate:evaluated", when=_doubles)
def _evaluated(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
    """Horner's rule, with coefficients (k, *batch, m, ...) and points (*batch, p)."""
    xp = array_namespace(c, x, v)
    if mode == "periodic":
        v = wrapped(xp, x, v)
    batch = tuple(x.shape[:-1])
    ordered, points = _towards(xp, x, v)
    index = places(ordered, points)
    s = v - gathered(xp, x, index, 0, batch)
    bad = xp.isnan(v) if mode is not False else outside(xp, x, v)
    k = c.shape[0]
    out = None
    with quiet(v):
        for j in range(k - nu):
            factor = math.perm(k - 1 - j, nu)
            row = gathered(xp, c[j, ...], index, 0, batch)
            row = row if factor == 1 else row * float(factor)
            s = column(s, row)
            out = row if out is None else out * s + row
    if out is None:
        out = 0 * gathered(xp, c[0, ...], index, 0, batch)
    return xp.where(column(bad, out), xp.asarray(xp.nan, dtype=out.dtype, device=device(out)), out)


def derived(c: Any, nu: int) -> Any:
    """Return the coefficients of a derivative."""
    xp, k = array_namespace(c), c.shape[0]
    if nu == 0:
        return c
    if nu >= k:
        return xp.zeros_like(c[:1, ...])
    factors = [float(math.perm(k - 1 - j, nu)) for j in range(k - nu)]
    return c[: k - nu, ...] * column(xp.asarray(factors, dtype=c.dtype, device=device(c)), c)


def integrated(c: Any, x: Any, nu: int) -> Any:
    """Return the coefficients of the continuous antiderivative that begins with 0."""
    xp, at = array_namespace(c, x), x.ndim - 1
    step = column(x[..., 1:] - x[..., :-1], c[0, ...])
    for _ in range(nu):
        k = c.shape[0]
        rows = [c[j, ...] / (k - j) for j in range(k)]
        total = rows[0] * step
        for row in rows[1:]:
            total = (total + row) * step
        inner = (slice(None),) * at
        first = xp.zeros_like(total[(*inner, slice(0, 1), ...)])
        sums = xp.cumulative_sum(total[(*inner, slice(0, -1), ...)], axis=at)
        c = xp.stack([*rows, xp.concat([first, sums], axis=at)])
    return c


def _primitive(c: Any, x: Any, v: Any, mode: Any) -> Any:
    """Return the antiderivative at points; of a periodic function, over all its periods."""
    xp = array_namespace(c, x, v)
    anti = integrated(c, x, 1)
    if mode != "periodic":
        return _evaluated(anti, x, v, 0, mode)
    first, period = x[..., :1], x[..., -1:] - x[..., :1]
    turns = xp.floor((v - first) / period)
    whole = _evaluated(anti, x, x[..., -1:], 0, True)
    rest = _evaluated(anti, x, v - turns * period, 0, True)
    return rest + column(turns, rest) * whole
