"""Piecewise polynomials in the power basis."""

import math
from typing import Any, Self

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native
from ...errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from .._base._basis import evaluated, lowered
from .._base._knots import evenly, followed, gathered, mode_of, places
from ._pieces import Pieces, column, doubles, outside, towards, wrapped
from ._roots import found_in, told

__all__ = ["PPoly"]


def _of_knots(function: str, t: Any, c: Any, k: int) -> tuple[Any, Any]:
    """Return coefficients (k + 1, m, ...) of the polynomials of a spline, and its knots."""
    t, c = evenly(function, array_namespace(t, c), ("t", "c"), t, c)
    if t.ndim != 1 or not c.ndim or not 0 < t.shape[0] - k - 1 <= c.shape[0]:
        raise ShapeError(
            f"{function}: knots must have one dimension, and {k + 1} more than the coefficients, "
            f"got shapes {tuple(t.shape)} and {tuple(c.shape)}"
        )
    xp, n, rows = array_namespace(t, c), t.shape[0] - k - 1, []
    knots, left, degree = t[None, :], xp.reshape(c[:n, ...], (1, n, math.prod(c.shape[1:]))), k
    for nu in range(k + 1):
        if nu:
            knots, left, degree = lowered(xp, knots, left, degree)
        row: Any = evaluated(t[None, :-1], knots, left, degree, True) / math.factorial(nu)
        rows.append(xp.reshape(row, (t.shape[0] - 1, *c.shape[1:])))
    return xp.stack(rows[::-1]), t


class PPoly(Pieces):
    """Piecewise polynomials in powers of the distance from the left breakpoint.

    On the interval from ``x[i]`` to ``x[i + 1]`` it is
    ``sum(c[m, i] * (v - x[i])**(k - 1 - m) for m in range(k))``.

    Parameters
    ----------
    c : array, shape (k, m, ...) or (k, batch..., m, ...)
        Coefficients, that of the highest power first; real or complex.
    x : array, shape (m + 1,) or (batch..., m + 1)
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

    @staticmethod
    def _values(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
        return _evaluated(c, x, v, nu, mode)

    @staticmethod
    def _derived(c: Any, x: Any, nu: int) -> Any:
        return derived(c, nu)

    @staticmethod
    def _integrated(c: Any, x: Any, nu: int) -> Any:
        return integrated(c, x, nu)

    @staticmethod
    def _raised(c: Any, k: int) -> Any:
        xp = array_namespace(c)
        zeros = xp.zeros((k - c.shape[0], *c.shape[1:]), dtype=c.dtype, device=device(c))
        return xp.concat([zeros, c], axis=0)

    def solve(
        self,
        y: float = 0.0,
        discontinuity: bool = True,
        extrapolate: Any = None,
        *,
        size: int | None = None,
    ) -> Any:
        """Return the points where a value is taken.

        Parameters
        ----------
        y : float or array, shape (batch..., ...), optional
            The value.
        discontinuity : bool, optional
            Whether breakpoints count where the function jumps over the value.
        extrapolate : bool or 'periodic', optional
            Whether to look outside of the breakpoints, too. Default: as the class. A periodic
            function is looked at in one period.
        size : int, optional
            The number of points to return, with NaN behind those that there are: what compiled
            code needs. Default: as many as there are, by a look at the values.

        Returns
        -------
        array, shape (batch..., ..., size)
            In the order of the pieces. Of a piece that is the value everywhere, its first point,
            then NaN.

        Raises
        ------
        DtypeError
            If coefficients are complex.
        ArgumentError
            If values can't be read, and there is no `size`.

        Notes
        -----
        Between its critical points, those of its derivative, each polynomial is monotone, and has
        one root or none, found by Newton's method in a bracket. Simple roots are differentiable.

        Differs from SciPy: of several functions an array filled up with NaN, not one of arrays.
        """
        name = f"{type(self).__name__}.solve"
        xp = array_namespace(self.c, self.x, y)
        c, x, v = followed(xp, (self.c, self.x, y))
        if _plan.is_complex(xp, c.dtype):
            raise DtypeError(
                f"{name}: Root finding is only for real-valued polynomials, got {c.dtype}. Solve "
                "for the real part, and look where the imaginary part is the same"
            )
        if size is None and not (is_concrete(c) and is_concrete(x)):
            raise ArgumentError(
                f"{name}: how many points there are isn't known here. Give the most that there may "
                "be, by size="
            )
        mode = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        b = x.ndim - 1
        c = xp.moveaxis(c, b + 1, -1)
        if not (isinstance(v, int | float) and v == 0):
            _, v = _plan.common_floating(name, xp, ("c", "y"), c, v, real=True)
            last = c[-1:, ...] - xp.broadcast_to(v[..., None], c.shape[1:])[None, ...]
            c = xp.concat([c[:-1, ...], last])
        x = xp.reshape(x, (*x.shape[:-1], *(1,) * (c.ndim - 2 - b), x.shape[-1]))
        value, mask = found_in(c, x, bool(discontinuity), mode is True)
        return told(value, mask, x, size)

    def roots(
        self, discontinuity: bool = True, extrapolate: Any = None, *, size: int | None = None
    ) -> Any:
        """Return the points where the function is 0, as `solve`.

        Parameters
        ----------
        discontinuity : bool, optional
            Whether breakpoints count where the function changes its sign by a jump.
        extrapolate : bool or 'periodic', optional
            Whether to look outside of the breakpoints, too. Default: as the class.
        size : int, optional
            The number of points to return, with NaN behind those that there are.

        Returns
        -------
        array, shape (batch..., ..., size)
            In the order of the pieces.

        Raises
        ------
        DtypeError
            If coefficients are complex.
        ArgumentError
            If values can't be read, and there is no `size`.
        """
        return self.solve(0.0, discontinuity, extrapolate, size=size)

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: Any = None) -> Self:
        """Return a spline's polynomials.

        Parameters
        ----------
        tck : BSpline or tuple
            A function with attributes `t`, `c` and `k`; or knots, coefficients and degree, as of
            `splrep`, with knots of one dimension.
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
        if isinstance(tck, tuple) and len(tck) == 3:
            c, t = _of_knots(f"{cls.__name__}.from_spline", *tck)
            return cls.construct_fast(c, t, True if extrapolate is None else extrapolate)
        if not callable(tck) or not all(hasattr(tck, n) for n in "tck"):
            raise ArrayTypeError(
                f"{cls.__name__}.from_spline: tck must be a BSpline, or a tuple of knots, "
                f"coefficients and degree, got {type(tck).__name__}"
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
        step = column(bp.x[..., 1:] - bp.x[..., :-1], bp.c[0, ...])
        rows = []
        for power in range(k, -1, -1):
            total = xp.zeros_like(bp.c[0, ...])
            for a in range(power + 1):
                factor = (-1) ** (power - a) * math.comb(k, a) * math.comb(k - a, power - a)
                total = total + factor * bp.c[a, ...]
            rows.append(total / step**power)
        mode = bp.extrapolate if extrapolate is None else extrapolate
        return cls.construct_fast(xp.stack(rows), bp.x, mode, bp.axis)


@native(
    numpy="likewise._libs.numpy._interpolate:evaluated",
    torch="likewise._libs.numpy._interpolate:evaluated",
    when=doubles,
)
def _evaluated(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
    """Horner's rule, with coefficients (k, *batch, m, ...) and points (*batch, p)."""
    xp = array_namespace(c, x, v)
    if mode == "periodic":
        v = wrapped(xp, x, v)
    batch = tuple(x.shape[:-1])
    ordered, points = towards(xp, x, v)
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
