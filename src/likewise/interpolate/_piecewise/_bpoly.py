"""Piecewise polynomials in the Bernstein basis."""

import itertools
import math
from collections.abc import Sequence
from typing import Any, Self

from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native
from ...errors import ArgumentError, ArrayTypeError, ShapeError
from .._base._knots import evenly, gathered, mode_of, places
from ._pieces import Pieces, column, doubles, outside, towards, wrapped

__all__ = ["BPoly"]


class BPoly(Pieces):
    """Piecewise polynomials in the Bernstein basis.

    On the interval from ``x[i]`` to ``x[i + 1]``, with ``t`` from 0 to 1 in it, it is
    ``sum(c[a, i] * comb(k, a) * t**a * (1 - t)**(k - a) for a in range(k + 1))``.

    Parameters
    ----------
    c : array, shape (k + 1, m, ...) or (k + 1, batch..., m, ...)
        Coefficients, real or complex.
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
    return it. Don't change its attributes. O(k^2 + log m) operations a point, by de Casteljau's
    averages. Differentiable in coefficients, breakpoints and points.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import BPoly
    >>> p = BPoly(np.asarray([[1.0], [2.0], [3.0]]), np.asarray([0.0, 1.0]))
    >>> p(np.asarray([0.0, 0.5, 1.0]))
    array([1., 2., 3.])
    >>> BPoly.from_derivatives([0.0, 1.0], [[0.0, 0.0], [1.0, 0.0]])([0.5])
    array([0.5])
    """

    _basis = "Bernstein"

    @staticmethod
    def _values(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
        return _evaluated(c, x, v, nu, mode)

    @staticmethod
    def _derived(c: Any, x: Any, nu: int) -> Any:
        xp = array_namespace(c, x)
        for _ in range(nu):
            k = c.shape[0] - 1
            if k == 0:
                return xp.zeros_like(c)
            c = k * (c[1:, ...] - c[:-1, ...]) / column(x[..., 1:] - x[..., :-1], c[0, ...])
        return c

    @staticmethod
    def _integrated(c: Any, x: Any, nu: int) -> Any:
        xp, at = array_namespace(c, x), x.ndim - 1
        for _ in range(nu):
            step = column(x[..., 1:] - x[..., :-1], c[0, ...])
            sums = xp.cumulative_sum(c, axis=0) * (step / c.shape[0])
            before = xp.cumulative_sum(sums[-1, ...], axis=at)
            zero = xp.zeros_like(sums[0, ...])
            inner = (slice(None),) * at
            first = zero[(*inner, slice(0, 1), ...)]
            start = xp.concat([first, before[(*inner, slice(0, -1), ...)]], axis=at)
            c = xp.concat([zero[None, ...], sums]) + start[None, ...]
        return c

    @staticmethod
    def _raised(c: Any, k: int) -> Any:
        xp = array_namespace(c)
        n, d = c.shape[0] - 1, k - c.shape[0]
        rows = []
        for a in range(k):
            total = xp.zeros_like(c[0, ...])
            for i in range(max(0, a - d), min(n, a) + 1):
                share = math.comb(n, i) * math.comb(d, a - i) / math.comb(n + d, a)
                total = total + share * c[i, ...]
            rows.append(total)
        return xp.stack(rows)

    @classmethod
    def from_power_basis(cls, pp: Any, extrapolate: Any = None) -> Self:
        """Return the same function as a piecewise polynomial in powers.

        Parameters
        ----------
        pp : PPoly
            The function.
        extrapolate : bool or 'periodic', optional
            As for the class; default, that of `pp`.

        Returns
        -------
        BPoly

        Raises
        ------
        ArrayTypeError
            If it is no PPoly.
        """
        if not isinstance(pp, Pieces) or hasattr(pp, "_basis"):
            raise ArrayTypeError(
                f"{cls.__name__}.from_power_basis: a PPoly was expected, got {type(pp).__name__}"
            )
        xp = array_namespace(pp.c, pp.x)
        k = pp.c.shape[0] - 1
        step = column(pp.x[..., 1:] - pp.x[..., :-1], pp.c[0, ...])
        rows = [xp.zeros_like(pp.c[0, ...])] * (k + 1)
        for power in range(k + 1):
            part = pp.c[k - power, ...] / math.comb(k, power) * step**power
            for j in range(power, k + 1):
                rows[j] = rows[j] + math.comb(j, power) * part
        mode = pp.extrapolate if extrapolate is None else extrapolate
        return cls.construct_fast(xp.stack(rows), pp.x, mode, pp.axis)

    @classmethod
    def from_derivatives(
        cls, xi: Any, yi: Any, orders: Any = None, extrapolate: Any = None
    ) -> Self:
        """Return the piecewise polynomial of given values and derivatives at the breakpoints.

        Parameters
        ----------
        xi : array, shape (n,)
            Breakpoints, increasing.
        yi : array, or list of arrays
            ``yi[i][j]`` is the derivative of order j at ``xi[i]``.
        orders : int or list of int, optional
            The degree, or that of each interval. Default: what all derivatives determine.
        extrapolate : bool or 'periodic', optional
            As for the class.

        Returns
        -------
        BPoly

        Raises
        ------
        ShapeError, ArgumentError
            If lengths differ, breakpoints don't increase, or a degree needs more derivatives.
        """
        name = f"{cls.__name__}.from_derivatives"
        parts = list(yi) if isinstance(yi, list | tuple) else [yi[i, ...] for i in range(len(yi))]
        flat = [v for p in parts for v in (p if isinstance(p, list | tuple) else [p])]
        xp = array_namespace(xi, *flat)
        made = [evenly(name, xp, ("xi", "yi"), xi, _stacked(xp, p)) for p in parts]
        x = made[0][0] if made else evenly(name, xp, ("xi",), xi)[0]
        if x.ndim != 1 or x.shape[0] != len(parts) or x.shape[0] < 2:
            raise ShapeError(
                f"{name}: xi and yi need to have the same length, of 2 at least, got "
                f"{tuple(x.shape)} and {len(parts)}"
            )
        if is_concrete(x) and not bool(xp.all(x[1:] > x[:-1])):
            raise ArgumentError(
                f"{name}: x coordinates are not in increasing order. Sort xi and yi"
            )
        m = x.shape[0] - 1
        chosen = list(orders) if isinstance(orders, Sequence) else [orders] * m
        if any(o is not None and o <= 0 for o in chosen):
            raise ArgumentError(f"{name}: Orders must be positive, got {orders!r}")
        ys = [y for _, y in made]
        pieces = []
        for i in range(m):
            first, last = ys[i], ys[i + 1]
            n1, n2 = first.shape[0], last.shape[0]
            if chosen[i] is not None:
                n = chosen[i] + 1
                n1 = min(n // 2, n1)
                n2 = min(n - n1, n2)
                n1 = min(n - n2, first.shape[0])
                if n1 + n2 != n:
                    raise ArgumentError(
                        f"{name}: Point {i} has {first.shape[0]} derivatives, point {i + 1} has "
                        f"{last.shape[0]} derivatives, but order {chosen[i]} requested"
                    )
            h = x[i + 1] - x[i]
            pieces.append(_between(h, first[:n1, ...], last[:n2, ...]))
        k = max(len(p) for p in pieces)
        c = [xp.stack(p) for p in pieces]
        c = [p if p.shape[0] == k else cls._raised(p, k) for p in c]
        mode = True if extrapolate is None else mode_of(name, extrapolate)
        return cls.construct_fast(xp.stack(c, axis=1), x, mode, 0)


@native(
    numpy="likewise._libs.numpy._interpolate:averaged",
    torch="likewise._libs.numpy._interpolate:averaged",
    when=doubles,
)
def _evaluated(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
    """De Casteljau's averages."""
    xp = array_namespace(c, x, v)
    c = BPoly._derived(c, x, nu)
    v = wrapped(xp, x, v) if mode == "periodic" else v
    batch = tuple(x.shape[:-1])
    index = places(*towards(xp, x, v))
    x0, x1 = (gathered(xp, part, index, 0, batch) for part in (x[..., :-1], x[..., 1:]))
    bad = xp.isnan(v) if mode is not False else outside(xp, x, v)
    rows = [gathered(xp, c[a, ...], index, 0, batch) for a in range(c.shape[0])]
    with quiet(v):
        t = column((v - x0) / (x1 - x0), rows[0])
        while len(rows) > 1:
            rows = [(1 - t) * p + t * q for p, q in itertools.pairwise(rows)]
    out = rows[0]
    nan = xp.asarray(xp.nan, dtype=out.dtype, device=device(out))
    return xp.where(column(bad, out), nan, out)


def _stacked(xp: Any, values: Any) -> Any:
    if isinstance(values, list | tuple) and any(hasattr(v, "dtype") for v in values):
        return xp.stack([xp.asarray(v) for v in values])
    return values


def _between(h: Any, first: Any, last: Any) -> list[Any]:
    """Return the coefficients of a polynomial of derivatives at both ends of an interval."""
    na, nb = first.shape[0], last.shape[0]
    n = na + nb
    start: list[Any] = []
    for q in range(na):
        part = first[q, ...] * (h**q / math.perm(n - 1, q))
        for j in range(q):
            part = part - (-1) ** (j + q) * math.comb(q, j) * start[j]
        start.append(part)
    end: list[Any] = []
    for q in range(nb):
        part = last[q, ...] * ((-1) ** q * h**q / math.perm(n - 1, q))
        for j in range(q):
            part = part - (-1) ** (j + q) * math.comb(q, j) * end[j]
        end.append(part)
    return start + end[::-1]
