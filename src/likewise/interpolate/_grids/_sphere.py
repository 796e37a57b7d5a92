"""Surfaces over grids of colatitudes and longitudes: `RectSphereBivariateSpline`."""

import math
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ..._native import native
from ...errors import ArgumentError, NotSupported, ShapeError
from ...linalg import lstsq, pinv, solve_banded
from .._base._arguments import reals
from .._base._basis import banded_rows, basis, intervals
from .._base._knots import finite
from .._bsplines._interpolating import make_interp_spline
from ._bivariate import BivariateSpline
from ._rectangles import STATUS, tree

__all__ = ["RectSphereBivariateSpline"]

_NAME = "RectSphereBivariateSpline"
_TURN = 2.0 * math.pi


class _Rows:
    """Hold the equations of points on a meridian, with knots 0 and pi four times."""

    def __init__(self, xp: Any, u: Any, inner: Any) -> None:
        self.xp, n = xp, inner.shape[0] + 4
        ends = [xp.full((4,), v, dtype=u.dtype, device=device(u)) for v in (0.0, math.pi)]
        self.t, self.count = xp.concat([ends[0], inner, ends[1]]), n
        at = intervals(xp, self.t[None, :], u[None, :], 3)
        self.first = at - 3
        self.values = xp.stack(basis(xp, self.t, u, at, 3), axis=-1)

    def column(self, i: int) -> Any:
        """Return what the coefficient of a number adds at the points, (m, 1)."""
        xp, i = self.xp, i % self.count
        total: Any = 0.0
        for j in range(4):
            v = self.values[:, j]
            total = total + xp.where(self.first + j == i, v, xp.zeros_like(v))
        return total[:, None]


class _Pole:
    """Hold what is known of a pole, and what is found: its value, and its slopes."""

    def __init__(self, way: int, value: Any, smooth: bool, flat: bool) -> None:
        self.way, self.value, self.smooth = way, value, smooth
        self.sloped = smooth and not flat
        self.slopes: Any = None

    def columns(self, rows: _Rows) -> tuple[Any, Any]:
        """Return what its value and a slope of 1 add at the points."""
        first = rows.column(0 if self.way > 0 else -1)
        if not self.smooth:
            return first, None
        second = rows.column(1 if self.way > 0 else -2)
        gap = rows.t[4] - rows.t[3] if self.way > 0 else rows.t[-5] - rows.t[-4]
        return first + second, second * (gap / 3.0)

    def given(self, rows: _Rows, v: Any) -> list[Any]:
        """Return the rows of coefficients that it gives, outermost first, at longitudes (1, m)."""
        xp = rows.xp
        value = xp.broadcast_to(xp.reshape(self.value, (1, 1)), v.shape)
        if not self.smooth:
            return [value]
        if self.slopes is None:
            return [value, value]
        gap = rows.t[4] - rows.t[3] if self.way > 0 else rows.t[-5] - rows.t[-4]
        a, b = self.slopes
        return [value, value + gap / 3.0 * (a * xp.cos(v) + b * xp.sin(v))]


def _find(xp: Any, u: Any, v: Any, r: Any, poles: tuple[_Pole, _Pole]) -> None:
    """Find what isn't known of the poles, by least squares with every other knot."""
    wanted = [(p, p.value is None) for p in poles if p.value is None or p.sloped]
    if not wanted:
        return
    rows, waves = _Rows(xp, u, u[2:-2:2]), (xp.cos(v), xp.sin(v))
    low, high = 1 + poles[0].smooth, rows.count - 1 - poles[1].smooth
    if high > low:
        inner = xp.concat([rows.column(i) for i in range(low, high)], axis=1)
        beside = pinv(inner)
    ones, parts = xp.ones_like(v), []

    def left(y: Any) -> Any:
        return y - inner @ (beside @ y) if high > low else y

    for p in poles:
        value, slope = p.columns(rows)
        if p.value is None:
            parts.append(value * ones)
        else:
            r = r - value * p.value
        if p.sloped:
            parts += [slope * w for w in waves]
    matrix = xp.stack([xp.reshape(left(y), (-1,)) for y in parts], axis=-1)
    found = lstsq(matrix, xp.reshape(left(r), (-1, 1))).x[:, 0]
    at = 0
    for p, lacking in wanted:
        if lacking:
            p.value, at = found[at], at + 1
        if p.sloped:
            p.slopes, at = (found[at], found[at + 1]), at + 2


def _ordinary(u: Any, *args: Any) -> bool:
    """double precision."""
    return bool(u.dtype == array_namespace(u).float64)


@native(
    numpy="likewise._libs.numpy._surfaces:sphere",
    torch="likewise._libs.numpy._surfaces:sphere",
    when=_ordinary,
)
def sphere(
    u: Any,
    v: Any,
    r: Any,
    r0: Any,
    r1: Any,
    smooth: tuple[bool, bool],
    exact: tuple[bool, bool],
    flat: tuple[bool, bool],
    s: float,
) -> tuple[Any, Any, Any, Any, Any]:
    """Return knots and coefficients, the sum of squared residuals, and a status."""
    if s > 0:
        raise NotSupported(
            f"{_NAME}: a surface near values (s > 0) is SciPy's alone, of doubles in memory. Set "
            "s=0, or convert with likewise.asarray(r, namespace='numpy')"
        )
    xp, m = array_namespace(u, v, r), u.shape[0]
    across = v[None, :]
    start, end = (
        _Pole(way, *known) for way, *known in zip((1, -1), (r0, r1), smooth, flat, strict=True)
    )
    _find(xp, u, across, r, (start, end))
    rows = _Rows(xp, u, u[1 - smooth[0] : m - 1 + smooth[1]])
    above, below = (p.given(rows, across) for p in (start, end))
    for i, c in enumerate(above):
        r = r - rows.column(i) * c
    for i, c in enumerate(below):
        r = r - rows.column(-1 - i) * c
    bands = banded_rows(xp, rows.values[None, ...], rows.first[None, :] - len(above), 3)
    c = xp.concat([*above, solve_banded((3, 3), bands[0, ...], r), *reversed(below)], axis=0)
    whole = xp.concat([v, v[:1] + _TURN])
    made = make_interp_spline(whole, xp.concat([c, c[:, :1]], axis=1), 3, None, "periodic", 1)
    zero = xp.zeros((), dtype=r.dtype, device=device(r))
    return rows.t, made.t, xp.matrix_transpose(made.c), zero, -1


def _pair(name: str, given: Any) -> tuple[bool, bool]:
    if not hasattr(given, "__len__"):
        return bool(given), bool(given)
    if len(given) != 2:
        raise ArgumentError(f"{_NAME}: {name} must be one of both poles, or a pair, got {given!r}")
    return bool(given[0]), bool(given[1])


class RectSphereBivariateSpline(BivariateSpline):
    """Interpolate values on a grid of colatitudes and longitudes of a sphere.

    Parameters
    ----------
    u : array, shape (n,)
        Colatitudes, ascending, above 0 and below pi.
    v : array, shape (m,)
        Longitudes, ascending, the first from -pi on and below pi, the last less than a turn from
        it: 4 or more.
    r : array, shape (n, m)
        Real values.
    s : float, optional
        The sum of squared residuals. Default 0: a spline through the values.
    pole_continuity : bool or pair of bool, optional
        Whether the surface has a tangential plane at u = 0 and at u = pi (default: it is
        continuous).
    pole_values : number or pair of numbers or None, optional
        Values at the poles. Default: found by least squares with every other knot.
    pole_exact : bool or pair of bool, optional
        Whether values at the poles are taken exactly; with s = 0 they are.
    pole_flat : bool or pair of bool, optional
        Whether slopes are zero at the poles; needs `pole_continuity`.

    Attributes
    ----------
    tck : tuple
        Knots along both axes, and coefficients, flattened.
    degrees : tuple of int
        (3, 3).
    fp : array of no dimensions
        The sum of squared residuals.
    v0 : array of no dimensions
        The first longitude.

    Raises
    ------
    ArgumentError, ShapeError
        If axes don't ascend or are outside of their ranges (where values can be read), shapes don't
        fit, there are too few points, or s isn't reached.
    NotSupported
        If s > 0 but for doubles of NumPy or on torch's CPU, where SciPy is; or in transforms.

    Notes
    -----
    P. Dierckx, Fast algorithms for smoothing data over a disc or a sphere using tensor product
    splines (Algorithms for Approximation, 1987): cubic splines, periodic in longitude, of which all
    coefficients at a pole are its value, and those beside it a plane. A banded system along
    meridians, then a cyclic one along parallels. Differentiable in values, axes and pole values.

    For s > 0, SciPy's routine runs. With `pole_continuity`, it gave other surfaces, or none, in
    another process (SciPy 1.17).

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; `grid=True` doesn't need ascending points. `integral` is that
    over both angles, as of a plane.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import RectSphereBivariateSpline
    >>> u, v = np.linspace(0.3, 2.8, 9), np.linspace(0.0, 5.6, 9)
    >>> f = RectSphereBivariateSpline(u, v, np.cos(u)[:, None] + 0.0 * v, pole_values=(1.0, -1.0))
    >>> print(f(1.0, [2.0, 3.0]).round(3), f.ev(0.0, 1.0).round(3))
    [[0.54 0.54]] 1.0
    """

    def __init__(
        self,
        u: Any,
        v: Any,
        r: Any,
        s: float = 0.0,
        pole_continuity: Any = False,
        pole_values: Any = None,
        pole_exact: Any = False,
        pole_flat: Any = False,
    ) -> None:
        smooth = _pair("pole_continuity", pole_continuity)
        exact, flat = _pair("pole_exact", pole_exact), _pair("pole_flat", pole_flat)
        if not hasattr(pole_values, "__getitem__") or not getattr(pole_values, "ndim", 1):
            pole_values = (pole_values, pole_values)
        if len(pole_values) != 2:
            raise ArgumentError(f"{_NAME}: pole_values must be one number, or a pair")
        if any(f and not c for f, c in zip(flat, smooth, strict=True)):
            raise ArgumentError(
                f"{_NAME}: if pole_continuity is False, so must be pole_flat. Set both"
            )
        if not s >= 0:
            raise ArgumentError(f"{_NAME}: s should be positive, or 0, got {s!r}")
        known = [i for i in range(2) if pole_values[i] is not None]
        names = ("u", "v", "r", *("pole_values",) * len(known))
        u, v, r, *given = reals(_NAME, names, u, v, r, *(pole_values[i] for i in known))
        xp = array_namespace(u, v, r, *given)
        u, v = (a if a.ndim == 1 else xp.reshape(a, (-1,)) for a in (u, v))
        if r.ndim != 2 or r.shape != (u.shape[0], v.shape[0]):
            which = "u" if r.ndim != 2 or r.shape[0] != u.shape[0] else "v"
            raise ShapeError(
                f"{_NAME}: {which} dimension of r must have same number of elements as {which}: "
                f"r must have the shape (u.size, v.size), got {tuple(r.shape)} for "
                f"{u.shape[0]} and {v.shape[0]}"
            )
        least = max(4 - len(known) - sum(flat), 1)
        if u.shape[0] < least or v.shape[0] < 4:
            raise ShapeError(
                f"{_NAME}: {least} colatitudes and 4 longitudes are needed, got {u.shape[0]} and "
                f"{v.shape[0]}"
            )
        _checked(xp, u, v)
        finite(_NAME, "r", r)
        values: list[Any] = [None, None]
        for i, value in zip(known, given, strict=True):
            finite(_NAME, "pole_values", value)
            values[i] = xp.reshape(value, ())
        tu, tv, c, self.fp, status = sphere(
            u, v, r, values[0], values[1], smooth, exact, flat, float(s)
        )
        if s > 0 and int(status) > 0:
            raise ArgumentError(f"{_NAME}: {STATUS[int(status)]}. Give a larger s")
        self.degrees, self.tck = (3, 3), (tu, tv, xp.reshape(c, (-1,)))

    @property
    def v0(self) -> Any:
        """The first longitude."""
        return self.tck[1][3]

    def __call__(
        self, theta: Any, phi: Any, dtheta: int = 0, dphi: int = 0, grid: bool = True
    ) -> Any:
        """Return values or derivatives on a grid, or at points.

        Parameters
        ----------
        theta, phi : array
            Colatitudes from 0 to pi, and longitudes, one-dimensional for a grid; else they
            broadcast. Longitudes outside of the turn that begins with `v0` are moved to its ends.
        dtheta, dphi : int, optional
            Orders of the derivatives.
        grid : bool, optional
            Whether they are the axes of a grid (default).

        Returns
        -------
        array, shape (theta.size, phi.size), or that of the points

        Raises
        ------
        ArgumentError, ShapeError
            If a colatitude is outside (where values can be read), an order is negative, or axes
            have more than one dimension.
        """
        name = f"{_NAME}.__call__"
        theta, phi = reals(name, ("t", "theta", "phi"), self.tck[0], theta, phi)[1:]
        xp = array_namespace(theta)
        if is_concrete(theta) and bool(xp.any((theta < 0.0) | (theta > math.pi))):
            raise ArgumentError(
                f"{name}: requested theta out of bounds: colatitudes must be from 0 to pi"
            )
        return super().__call__(theta, phi, dtheta, dphi, grid)

    def ev(self, theta: Any, phi: Any, dtheta: int = 0, dphi: int = 0) -> Any:
        """Return values or derivatives at points.

        Parameters
        ----------
        theta, phi : array
            Colatitudes and longitudes, which broadcast.
        dtheta, dphi : int, optional
            Orders of the derivatives.

        Returns
        -------
        array
        """
        return self(theta, phi, dtheta, dphi, grid=False)


def _checked(xp: Any, u: Any, v: Any) -> None:
    for name, a in (("u", u), ("v", v)):
        if is_concrete(a) and not bool(xp.all(a[1:] > a[:-1])):
            raise ArgumentError(
                f"{_NAME}: {name} must be strictly increasing. Sort it, and the values with it"
            )
    if is_concrete(u) and not bool((u[0] > 0.0) & (u[-1] < math.pi)):
        raise ArgumentError(
            f"{_NAME}: u should be between (0, pi): give values at the poles as pole_values"
        )
    if is_concrete(v) and not bool((v[0] >= -math.pi) & (v[0] < math.pi)):
        raise ArgumentError(f"{_NAME}: v[0] should be between [-pi, pi), got {float(v[0])}")
    if is_concrete(v) and not bool(v[-1] < v[0] + _TURN):
        raise ArgumentError(
            f"{_NAME}: v[-1] should be less than v[0] + 2pi: leave out what comes twice"
        )


tree(RectSphereBivariateSpline)
