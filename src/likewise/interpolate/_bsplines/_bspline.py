"""Splines in the B-spline basis."""

import math
import operator
from typing import Any

from ... import _plan
from ..._memo import PLAIN
from ..._namespace import array_namespace, device, is_concrete
from ..._native import native
from ...errors import ArgumentError, AxisError, IntegerError, NotSupported, ShapeError
from ...transforms import register_tree
from .._base._basis import basis, evaluated, intervals, lowered, raised
from .._base._knots import followed, mode_of, order_of
from .._piecewise._spline import CubicSpline
from ._conversions import coefficients_of
from ._knots import circle, clamped, not_a_knot

__all__ = [
    "BSpline",
    "checked",
    "degree",
    "first_axis",
    "integral",
    "known",
    "numbers",
    "plain",
    "row_form",
    "values",
]

_NAME = "BSpline"


def known(test: Any) -> bool:
    """Tell whether a condition holds for some element; False where values can't be read."""
    return is_concrete(test) and bool(array_namespace(test).any(test))


def degree(function: str, k: Any) -> int:
    """Return a degree as an integer of 0 or more."""
    try:
        k = operator.index(k)
    except TypeError:
        raise IntegerError(f"{function}: the degree k must be an integer, got {k!r}") from None
    if k < 0:
        raise ArgumentError(
            f"{function}: Spline order cannot be negative: k must be 0 or more, got {k}"
        )
    return int(k)


def numbers(function: str, names: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
    """Return arrays in one floating dtype, the last one complex if it is: all others are real."""
    xp = array_namespace(*given)
    *rest, last = given
    if getattr(last, "dtype", None) == xp.float64:
        return tuple(followed(xp, _plan.common_floating(function, xp, names, *given)))
    some = _plan.common_floating(function, xp, names[-1:], last)[0]
    if not _plan.is_complex(array_namespace(some), some.dtype):
        return tuple(followed(xp, _plan.common_floating(function, xp, names, *given, real=False)))
    part = xp.real(some)
    found = _plan.common_floating(function, xp, names, *rest, part, real=True)
    dtype = xp.complex64 if found[-1].dtype == xp.float32 else xp.complex128
    return tuple(followed(xp, (*found[:-1], xp.astype(some, dtype))))


def row_form(t: Any, c: Any) -> tuple[Any, Any]:
    """Return knots (b, n + k + 1) and coefficients (b, rows, C) of a batch of splines."""
    xp, batch = array_namespace(t, c), math.prod(t.shape[:-1])
    lead = t.ndim
    c = xp.reshape(c, (batch, c.shape[lead - 1], math.prod(c.shape[lead:])))
    return xp.reshape(t, (batch, t.shape[-1])), c


def points(function: str, t: Any, x: Any) -> Any:
    """Return points of a batch of splines, with its dimensions first."""
    lead = t.ndim - 1
    if not lead:
        return x
    xp, batch = array_namespace(t, x), tuple(t.shape[:-1])
    if x.ndim == 0:
        x = xp.reshape(x, (1,) * lead)
    if x.ndim < lead or any(i not in (1, n) for i, n in zip(x.shape[:lead], batch, strict=True)):
        raise ShapeError(
            f"{function}: points of a batch of splines must have its dimensions {batch}, or ones, "
            f"first, got shape {tuple(x.shape)}"
        )
    return xp.broadcast_to(x, (*batch, *x.shape[lead:]))


def values(function: str, t: Any, c: Any, k: int, x: Any, nu: int, extrapolate: Any) -> Any:
    """Return derivatives at points, (*batch, *rest of points, *trailing of c)."""
    return _values(points(function, t, x), t, c, k, nu, extrapolate)


def _doubles(x: Any, t: Any, c: Any, k: int, nu: int, extrapolate: Any) -> bool:
    """doubles, their coefficients complex or not, and one row of knots."""
    xp = array_namespace(x)
    if t.ndim != 1 or not (0 <= nu <= k and x.dtype == t.dtype == xp.float64):
        return False
    return bool(c.dtype == xp.float64 or c.dtype == xp.complex128)


def plain(*arrays: Any) -> bool:
    """Tell if arrays are of one library's own class, which a routine may take before any check."""
    first = arrays[0].__class__
    return first in PLAIN and all(x.__class__ is first for x in arrays)


@native(
    numpy="likewise._libs.numpy._splines:values",
    torch="likewise._libs.numpy._splines:values",
    when=_doubles,
)
def _values(x: Any, t: Any, c: Any, k: int, nu: int, extrapolate: Any) -> Any:
    """Return derivatives (*batch, ..., *trailing) at points (*batch, ...)."""
    xp, lead, trailing = array_namespace(t, c, x), t.ndim - 1, c.shape[t.ndim :]
    shape = x.shape
    x = xp.reshape(x, (math.prod(shape[:lead]), math.prod(shape[lead:])))
    t, c = row_form(t, c)
    c = c[:, : t.shape[1] - k - 1, :]
    if extrapolate == "periodic":
        start, end = t[:, k : k + 1], t[:, t.shape[1] - k - 1 : t.shape[1] - k]
        x = start + xp.remainder(x - start, end - start)
    if nu > k:
        t, c, k, nu = t[:, k:-k] if k else t, c[:, : c.shape[1] - k, :] * 0, 0, 0
    for _ in range(nu):
        t, c, k = lowered(xp, t, c, k)
    out = evaluated(x, t, c, k, extrapolate is True)
    return xp.reshape(out, (*shape, *trailing))


class BSpline:
    """A spline as a sum of B-splines, ``sum(c[j] B_j(x))``.

    Parameters
    ----------
    t : array, shape (..., n + k + 1)
        Knots, ascending. Leading dimensions are a batch: a spline for each.
    c : array, shape (..., n, ...)
        Coefficients, real or complex, the batch's dimensions first. More than n are not read. A
        list of arrays is stacked: ``BSpline(*tck, axis=1)`` of a curve's.
    k : int
        The degree.
    extrapolate : bool or 'periodic', optional
        Whether points outside of ``t[k]`` to ``t[n]`` are in the first or last polynomial (default)
        or give NaN; 'periodic' repeats the spline.
    axis : int, optional
        The axis of `c`, after those of the batch, that counts the coefficients (default 0).

    Attributes
    ----------
    t, k, extrapolate, axis
        As given.
    c : array, shape (..., n, ...)
        The coefficients, with their axis behind the batch's.
    tck : tuple
        ``(t, c, k)``.

    Raises
    ------
    ArgumentError, ShapeError, AxisError
        If there are fewer than ``2 k + 2`` knots, the knots aren't ascending or finite (where
        values can be read), or shapes don't fit.

    Notes
    -----
    C. de Boor, A Practical Guide to Splines (1978), chapter X: about ``2 k^2`` operations for a
    point, and ``k + 1`` for each coefficient's column. Derivatives are splines of differences of
    the coefficients. Differentiable in points, coefficients and knots, away from points on knots of
    full multiplicity.

    A tree of arrays (`likewise.transforms.register_tree`) of t and c: transforms take and return
    it.

    Differs from SciPy: batches of knots; float32 stays; objects don't change; the coefficients of
    derivatives and integrals aren't padded; `design_matrix` is dense.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import BSpline
    >>> spline = BSpline(np.asarray([0.0, 1, 2, 3, 4, 5, 6]), np.asarray([-1.0, 2, 0, -1]), 2)
    >>> print(spline(np.asarray([2.5, 3.5])))
    [1.375 0.125]
    >>> print(spline.integrate(2.0, 4.0).round(6))
    1.333333
    """

    t: Any
    c: Any
    k: int
    extrapolate: Any
    axis: int

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.k, self.extrapolate = degree(_NAME, k), mode_of(_NAME, extrapolate)
        if isinstance(c, list) and c and all(hasattr(v, "ndim") for v in c):  # as of splprep
            c = array_namespace(*c).stack(c)
        t, c = numbers(_NAME, ("t", "c"), t, c)
        self.t, self.c, self.axis = checked(_NAME, t, c, self.k, axis)

    @classmethod
    def construct_fast(
        cls, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0
    ) -> "BSpline":
        """Return a spline of arrays that are right, without checks.

        Parameters
        ----------
        t, c, k, extrapolate, axis
            As the attributes: floating arrays, the axis of `c` behind the batch's.
        """
        made = object.__new__(cls)
        made.t, made.c, made.k, made.extrapolate, made.axis = t, c, k, extrapolate, axis
        return made

    @property
    def tck(self) -> tuple[Any, Any, int]:
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return values or derivatives at points.

        Parameters
        ----------
        x : array
            Points of any shape; of a batch, its dimensions (or ones) first, or a number.
        nu : int, optional
            Which derivative (default 0).
        extrapolate : bool or 'periodic', optional
            Default: the spline's own.

        Returns
        -------
        array
            The shape of the points in place of the coefficients' axis.
        """
        name = "BSpline.__call__"
        more = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        nu = order_of(name, nu)
        if plain(x, self.t, self.c):
            found = _values.quick(x, self.t, self.c, self.k, nu, more)  # type: ignore[attr-defined]
            if found is not NotImplemented:
                return self._placed(found, x) if self.axis else found
        x, t, c = numbers(name, ("x", "t", "c"), x, self.t, self.c)
        return self._placed(values(name, t, c, self.k, x, nu, more), x)

    def _placed(self, out: Any, x: Any) -> Any:
        """Move the dimensions of points to the coefficients' axis."""
        lead = self.t.ndim - 1
        if not self.axis:
            return out
        own = max(x.ndim - lead, 0)
        order = list(range(lead, out.ndim))
        order = order[own : own + self.axis] + order[:own] + order[own + self.axis :]
        return array_namespace(out).permute_dims(out, (*range(lead), *order))

    @classmethod
    def basis_element(cls, t: Any, extrapolate: Any = True) -> "BSpline":
        """Return the B-spline of knots, of degree ``len(t) - 2``.

        Parameters
        ----------
        t : array, shape (..., k + 2)
            Knots, ascending.
        extrapolate : bool or 'periodic', optional
            Default True.

        Returns
        -------
        BSpline
        """
        name = f"{_NAME}.basis_element"
        xp = array_namespace(t)
        (t,) = followed(xp, _plan.common_floating(name, xp, ("t",), t, real=True))
        if t.ndim == 0 or t.shape[-1] < 2:
            raise ShapeError(f"{name}: t must hold 2 knots or more, got shape {tuple(t.shape)}")
        k = t.shape[-1] - 2
        ones = xp.ones((*t.shape[:-1], k), dtype=t.dtype, device=device(t))
        t = xp.concat([ones * (t[..., :1] - 1), t, ones * (t[..., -1:] + 1)], axis=-1)
        unit = xp.astype(xp.arange(2 * k + 1, device=device(t)) == k, t.dtype)
        return cls(t, xp.broadcast_to(unit, (*t.shape[:-1], 2 * k + 1)), k, extrapolate)

    @classmethod
    def from_power_basis(cls, pp: Any, bc_type: str = "not-a-knot") -> "BSpline":
        """Return a cubic spline in the B-spline basis.

        Parameters
        ----------
        pp : CubicSpline
            Of one row of breakpoints.
        bc_type : {'not-a-knot', 'natural', 'clamped', 'periodic'}, optional
            The conditions by which it was made (default 'not-a-knot'). They tell the knots.

        Returns
        -------
        BSpline

        Raises
        ------
        NotSupported
            If it is no CubicSpline.
        ArgumentError
            If there are no such conditions.

        Notes
        -----
        A coefficient is the blossom of one of the polynomials at the B-spline's inner knots
        (T. Lyche, K. Morken, Spline Methods, 2005, section 3.1).
        """
        name = f"{_NAME}.from_power_basis"
        if not isinstance(pp, CubicSpline) or pp.x.ndim != 1:
            raise NotSupported(
                f"{name}: Only CubicSpline objects of one row of breakpoints are accepted, got "
                f"{type(pp).__name__}. Call make_interp_spline of values"
            )
        if bc_type not in ("not-a-knot", "natural", "clamped", "periodic"):
            raise ArgumentError(
                f"{name}: Unknown boundary condition: {bc_type}. It must be 'not-a-knot', "
                "'natural', 'clamped' or 'periodic'"
            )
        xp, x, k = array_namespace(pp.c, pp.x), pp.x, pp.c.shape[0] - 1
        if bc_type == "periodic":
            t = circle(xp, x[None, :], k)[0, :]
        else:
            t = (not_a_knot if bc_type == "not-a-knot" else clamped)(xp, x, k)
        return cls.construct_fast(t, coefficients_of(pp.c, x, t), k, pp.extrapolate, pp.axis)

    @classmethod
    def design_matrix(cls, x: Any, t: Any, k: int, extrapolate: Any = False) -> Any:
        """Return the values of all B-splines at points, as a dense matrix (SciPy's is sparse).

        Parameters
        ----------
        x : array, shape (..., m)
            Points; a number is one.
        t : array, shape (..., n + k + 1)
            Knots.
        k : int
            The degree.
        extrapolate : bool or 'periodic', optional
            Whether points may be outside (default False).

        Returns
        -------
        array, shape (..., m, n)

        Raises
        ------
        ArgumentError
            If points are outside of ``t[k]`` to ``t[n]``, where values can be read.
        """
        name = f"{_NAME}.design_matrix"
        k, extrapolate = degree(name, k), mode_of(name, extrapolate)
        xp = array_namespace(x, t)
        x, t = followed(xp, _plan.common_floating(name, xp, ("x", "t"), x, t, real=True))
        knots(name, t, k)
        x = xp.reshape(x, (1,)) if x.ndim == 0 else x
        batch = _plan.broadcast(name, x=tuple(x.shape[:-1]), t=tuple(t.shape[:-1]))
        m, n = x.shape[-1], t.shape[-1] - k - 1
        x = xp.reshape(xp.broadcast_to(x, (*batch, m)), (-1, m))
        t = xp.reshape(xp.broadcast_to(t, (*batch, n + k + 1)), (-1, n + k + 1))
        start, end = t[:, k : k + 1], t[:, n : n + 1]
        if extrapolate == "periodic":
            x = start + xp.remainder(x - start, end - start)
        elif not extrapolate and known((x < start) | (x > end)):
            raise ArgumentError(
                f"{name}: Out of bounds w/ x: all points must be between t[k] and t[n], unless "
                "extrapolate=True"
            )
        at = intervals(xp, t, x, k)
        found = basis(xp, xp.reshape(t, (-1,)), xp.reshape(x, (-1,)), at, k)
        column = xp.arange(t.shape[0], dtype=at.dtype, device=device(t)) * (n + k + 1)
        first = xp.reshape(at, x.shape) - column[:, None] - k
        every = xp.arange(n, dtype=at.dtype, device=device(t))
        out: Any = 0.0
        for j, v in enumerate(found):
            v = xp.reshape(v, x.shape)[:, :, None]
            out = out + xp.where(first[:, :, None] + j == every, v, xp.zeros_like(v))
        return xp.reshape(out, (*batch, m, n))

    def derivative(self, nu: int = 1) -> "BSpline":
        """Return the derivative as a spline of lower degree.

        Parameters
        ----------
        nu : int, optional
            Which one (default 1); a negative one is an integral.

        Returns
        -------
        BSpline
        """
        if (nu := operator.index(nu)) < 0:
            return self.antiderivative(-nu)
        if nu > self.k:
            raise ArgumentError(
                f"{_NAME}.derivative: Order of derivative (n = {nu}) must be <= order of spline "
                f"(k = {self.k})"
            )
        t, k = self.t, self.k
        for i in range(nu):
            if known(t[..., 1 + k : -1 - i] == t[..., 1 + i : -k - 1]):
                raise ArgumentError(
                    f"{_NAME}.derivative: The spline has internal repeated knots and is not "
                    f"differentiable {nu} times. Its values have derivatives: call it with nu={nu}"
                )
        return self._other(lowered, nu, self.extrapolate)

    def antiderivative(self, nu: int = 1) -> "BSpline":
        """Return the integral from ``t[k]``, in the sense of splines, as one of higher degree.

        Parameters
        ----------
        nu : int, optional
            How often to integrate (default 1).

        Returns
        -------
        BSpline
            Of a periodic spline, one that isn't, nor extrapolated.
        """
        if (nu := operator.index(nu)) < 0:
            return self.derivative(-nu)
        more = False if self.extrapolate == "periodic" and nu else self.extrapolate
        return self._other(raised, nu, more)

    def _other(self, step: Any, count: int, extrapolate: Any) -> "BSpline":
        xp, k = array_namespace(self.t, self.c), self.k
        batch, trailing = self.t.shape[:-1], self.c.shape[self.t.ndim :]
        t, c = row_form(*followed(xp, (self.t, self.c)))
        c = c[:, : t.shape[1] - k - 1, :]
        for _ in range(count):
            t, c, k = step(xp, t, c, k)
        t = xp.reshape(t, (*batch, t.shape[1]))
        c = xp.reshape(c, (*batch, c.shape[1], *trailing))
        return type(self).construct_fast(t, c, k, extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two limits.

        Parameters
        ----------
        a, b : float or array, shape (...)
            The limits, of the batch's shape, or numbers.
        extrapolate : bool or 'periodic', optional
            Whether the spline goes on outside of its interval, or is zero there (False). Default:
            the spline's own.

        Returns
        -------
        array
            The shape of `c` without the coefficients' axis.
        """
        name = "BSpline.integrate"
        more = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        if plain(self.c, self.t) and a.__class__ is float is b.__class__ and more != "periodic":
            found = integral.quick(self.c, self.t, a, b, self.k, more)  # type: ignore[attr-defined]
            if found is not NotImplemented:
                return found
        a, b, t, c = numbers(name, ("a", "b", "t", "c"), a, b, self.t, self.c)
        return integral(c, t, a, b, self.k, more)

    def insert_knot(self, x: Any, m: int = 1) -> "BSpline":
        """Return the same spline with one more knot.

        Parameters
        ----------
        x : float or array of no dimensions
            The knot, between ``t[k]`` and ``t[n]``.
        m : int, optional
            How often (default 1).

        Returns
        -------
        BSpline

        Raises
        ------
        ArgumentError
            If the knot is outside, where values can be read, or `m` isn't positive.

        Notes
        -----
        W. Boehm, Computer Aided Design 12, 199 (1980).
        """
        name = f"{_NAME}.insert_knot"
        if (m := operator.index(m)) <= 0:
            raise ArgumentError(f"{name}: `m` must be positive, got m = {m}")
        xp, k = array_namespace(x, self.t, self.c), self.k
        x, t, c = numbers(name, ("x", "t", "c"), x, self.t, self.c)
        batch, trailing = t.shape[:-1], c.shape[t.ndim :]
        t, c = row_form(t, c)
        c, rest = c[:, : t.shape[1] - k - 1, :], c[:, t.shape[1] - k - 1 :, :]
        x = xp.broadcast_to(xp.reshape(x, (-1, 1)), (t.shape[0], 1))
        if known((x < t[:, k : k + 1]) | (x > t[:, c.shape[1] : c.shape[1] + 1])):
            raise ArgumentError(f"{name}: Cannot insert a knot outside of t[k] to t[n], got {x}")
        for _ in range(m):
            t, c = _inserted(xp, t, c, k, x, self.extrapolate == "periodic")
        c = xp.concat([c, rest], axis=1) if rest.shape[1] else c
        t = xp.reshape(t, (*batch, t.shape[1]))
        c = xp.reshape(c, (*batch, c.shape[1], *trailing))
        return type(self).construct_fast(t, c, k, self.extrapolate, self.axis)


def _one_of_doubles(c: Any, t: Any, *rest: Any) -> bool:
    """doubles, and one row of knots."""
    return bool(t.ndim == 1 and c.dtype == t.dtype == array_namespace(c).float64)


def _limited(c: Any, t: Any, a: Any, b: Any, k: int, more: Any) -> bool:
    """doubles, one row of knots, no period, and limits that are numbers."""
    if more == "periodic" or getattr(a, "ndim", 0) or getattr(b, "ndim", 0):
        return False
    return _one_of_doubles(c, t)


@native(
    numpy="likewise._libs.numpy._splines:integral",
    torch="likewise._libs.numpy._splines:integral",
    when=_limited,
)
def integral(c: Any, t: Any, a: Any, b: Any, k: int, more: Any) -> Any:
    """Return the integral of splines, which go on outside of their ends, or are zero there."""
    xp = array_namespace(t, c)
    whole = BSpline.construct_fast(t, c, k).antiderivative()
    start, end = t[..., k], t[..., t.shape[-1] - k - 1]
    wide = (..., *(None,) * (c.ndim - t.ndim))
    both = []
    for x in (a, b):
        x, turns = x + xp.zeros_like(start), None
        if more == "periodic":
            turns = xp.floor((x - start) / (end - start))
            x = start + xp.remainder(x - start, end - start)
        elif not more:
            x = xp.minimum(xp.maximum(x, start), end)
        found = values("", *whole.tck, x, 0, True)
        if turns is not None:
            ends = [values("", *whole.tck, v, 0, True) for v in (start, end)]
            found = found + turns[wide] * (ends[1] - ends[0])
        both.append(found)
    return both[1] - both[0]


def _inserted(xp: Any, t: Any, c: Any, k: int, x: Any, periodic: bool) -> tuple[Any, Any]:
    """Knots (b, n + k + 2) and coefficients (b, n + 1, C) with one more knot (b, 1)."""
    b, n = c.shape[:2]
    at = xp.reshape(intervals(xp, t, x, k), (b, 1))
    i = xp.arange(n + k + 2, dtype=at.dtype, device=device(t))[None, :]
    at = at - xp.arange(b, dtype=at.dtype, device=device(t))[:, None] * (n + k + 1)
    if periodic and known((at + 1 <= 2 * k) & (at + 1 >= n - k + 1)):
        raise ArgumentError(
            f"{_NAME}.insert_knot: Not enough internal knots: a periodic spline needs {k} of them "
            "on one side of the new one"
        )
    before, after = xp.concat([t, t[:, -1:]], axis=1), xp.concat([t[:, :1], t], axis=1)
    new = xp.where(i <= at, before, xp.where(i == at + 1, x, after))
    j = i[:, : n + 1]
    width = t[:, k : k + n + 1] - t[:, : n + 1]
    part = (x - t[:, : n + 1]) / xp.where(width == 0, xp.ones_like(width), width)
    part = xp.where(j <= at - k, xp.ones_like(part), part)
    part = xp.where(j > at, xp.zeros_like(part), part)[:, :, None]
    old, moved = xp.concat([c, c[:, -1:, :]], axis=1), xp.concat([c[:, :1, :], c], axis=1)
    c, t, n = part * old + (1 - part) * moved, new, n + 1
    if periodic and k:
        period = t[:, n : n + 1] - t[:, k : k + 1]
        low, high = at >= n - k, at <= 2 * k - 1
        start = xp.where(low, t[:, n - k : n] - period, t[:, :k])
        first = xp.where(low[:, :, None], c[:, n - k : n, :], c[:, :k, :])
        t, c = xp.concat([start, t[:, k:]], axis=1), xp.concat([first, c[:, k:, :]], axis=1)
        end = xp.where(high, t[:, k + 1 : 2 * k + 1] + period, t[:, n + 1 :])
        last = xp.where(high[:, :, None], c[:, :k, :], c[:, n - k :, :])
        t = xp.concat([t[:, : n + 1], end], axis=1)
        c = xp.concat([c[:, : n - k, :], last], axis=1)
    return t, c


def knots(function: str, t: Any, k: int) -> None:
    """Refuse knots that make no spline."""
    if t.ndim == 0:
        raise ShapeError(f"{function}: Knot vector must be one-dimensional: t has no dimensions")
    n = t.shape[-1] - k - 1
    if n < k + 1:
        raise ArgumentError(
            f"{function}: Need at least {2 * k + 2} knots for degree {k}, got {t.shape[-1]}"
        )
    if not is_concrete(t):
        return
    xp = array_namespace(t)
    if bool(xp.any(t[..., 1:] < t[..., :-1])):
        raise ArgumentError(
            f"{function}: Knots must be in a non-decreasing order: sort them with xp.sort(t)"
        )
    if not bool(xp.all(xp.isfinite(t))):
        raise ArgumentError(f"{function}: Knots should not have nans or infs: leave them out")
    if bool(xp.any(t[..., k] == t[..., n])):
        raise ArgumentError(
            f"{function}: Need at least two internal knots: t[k] and t[n] must differ"
        )


def checked(function: str, t: Any, c: Any, k: int, axis: int) -> tuple[Any, Any, int]:
    """Return knots, coefficients with their axis behind the batch's, and the axis."""
    knots(function, t, k)
    c, axis = first_axis(function, "c", t.shape[:-1], c, axis)
    n = t.shape[-1] - k - 1
    if c.shape[t.ndim - 1] < n:
        raise ShapeError(
            f"{function}: Knots, coefficients and degree are inconsistent: {t.shape[-1]} knots of "
            f"degree {k} need {n} coefficients, got {c.shape[t.ndim - 1]}"
        )
    return t, c, axis


def first_axis(function: str, name: str, batch: Any, c: Any, axis: int) -> tuple[Any, int]:
    """Return an array whose axis, counted after the batch's, is moved to be the first of these."""
    lead = len(batch)
    own = c.ndim - lead
    if own < 1 or tuple(c.shape[:lead]) != tuple(batch):
        more = f", the batch's {tuple(batch)} first" if lead else ""
        raise ShapeError(
            f"{function}: {name} must be at least 1-dimensional{more}, got shape {tuple(c.shape)}"
        )
    axis = operator.index(axis)
    if not -own <= axis < own:
        raise AxisError(f"{function}: axis {axis} is out of bounds for {name} of dimension {own}")
    axis %= own
    return (array_namespace(c).moveaxis(c, lead + axis, lead) if axis else c), axis


def _flatten(s: BSpline) -> tuple[tuple[Any, Any], Any]:
    return (s.t, s.c), (type(s), s.k, s.extrapolate, s.axis)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> BSpline:
    cls, k, extrapolate, axis = fixed
    made: BSpline = cls.construct_fast(*leaves, k, extrapolate, axis)
    return made


register_tree(BSpline, _flatten, _unflatten)
