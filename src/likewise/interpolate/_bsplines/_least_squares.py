"""Splines of given knots that are nearest to data."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of
from ..._native import native, public
from ...errors import ArgumentError, ShapeError
from ...missing import searchsorted, segment_sum
from ...transforms import stop_gradient
from .._base._systems import banded_system
from ._bspline import BSpline, degree, first_axis, known, numbers
from ._interpolating import rows

__all__ = ["bands_of", "columns_of", "equations", "make_lsq_spline", "nearest", "solved"]

_NAME = "make_lsq_spline"


@public
def make_lsq_spline(
    x: Any,
    y: Any,
    t: Any,
    k: int = 3,
    w: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> BSpline:
    """Return the spline of given knots with the least weighted sum of squared residuals.

    Parameters
    ----------
    x : array, shape (..., m)
        Where, ascending. Leading dimensions are a batch: a spline for each.
    y : array, shape (..., m, ...)
        Values, real or complex, the batch's dimensions first.
    t : array, shape (..., n + k + 1)
        Knots, ascending, with all points between ``t[k]`` and ``t[n]``.
    k : int, optional
        The degree (default 3).
    w : array, shape (..., m), optional
        Weights of residuals, before these are squared. Default: ones.
    axis : int, optional
        The axis of `y`, after those of the batch, along `x` (default 0).
    check_finite : bool, optional
        Whether infinities and NaN are errors, where values can be read (default True).
    method : {'qr', 'norm-eq'}, optional
        'norm-eq' solves the normal equations; 'qr' (default) corrects their solution by that of the
        residuals, twice.

    Returns
    -------
    BSpline

    Raises
    ------
    ArgumentError, ShapeError
        If `x` or `t` isn't ascending, points are outside, or shapes don't fit.
    LinAlgError
        If one spline isn't determined by its points (Schoenberg's and Whitney's conditions); in a
        batch, and where values can't be read, it is NaN.

    Notes
    -----
    The normal equations have 2 k + 1 diagonals, so this takes about ``m k^2 + 60 n k^2``
    operations. What they lose by the squared condition, the corrections give back (A. Bjorck,
    Linear Algebra Appl. 88, 31, 1987) while the condition is below 1e7. Differentiable in points,
    values, knots and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import make_lsq_spline
    >>> x = np.linspace(0.0, 3.0, 9)
    >>> t = np.asarray([0.0, 0, 0, 0, 1.5, 3, 3, 3, 3])
    >>> print(make_lsq_spline(x, x**3 - x, t)(np.asarray([0.5, 2.0])).round(6))
    [-0.375  6.   ]
    """
    k = degree(_NAME, k)
    _plan.choice(_NAME, "method", method, ("qr", "norm-eq"))
    names = ("x", "t", "y") if w is None else ("x", "t", "w", "y")
    x, t, *some, y = numbers(_NAME, names, *((x, t, y) if w is None else (x, t, w, y)))
    if x.ndim == 0:
        raise ShapeError(f"{_NAME}: Expect x to be a 1-D sequence, got no dimensions")
    batch, m = tuple(x.shape[:-1]), x.shape[-1]
    y, axis = first_axis(_NAME, "y", batch, y, axis)
    xp = array_namespace(x, y)
    if m < k + 1:
        raise ArgumentError(f"{_NAME}: Need more x points: {k + 1} or more, got {m}")
    if t.ndim != x.ndim or tuple(t.shape[:-1]) != batch or t.shape[-1] < 2 * k + 2:
        raise ShapeError(
            f"{_NAME}: Expect t to be a 1D sequence of {2 * k + 2} knots or more, with the "
            f"dimensions of x's batch {batch} first, got shape {tuple(t.shape)}"
        )
    if y.shape[x.ndim - 1] != m or any(tuple(v.shape) != tuple(x.shape) for v in some):
        shapes = ", ".join(str(tuple(v.shape)) for v in (x, y, *some))
        raise ShapeError(f"{_NAME}: Shapes of x, y and w are incompatible: {shapes}")
    for name, v in zip(("x", "y", "t", "w"), (x, y, t, *some), strict=False):
        if check_finite and known(~xp.isfinite(v)):
            raise ArgumentError(
                f"{_NAME}: {name} must not contain infs or NaNs. Leave those points out, or give "
                "them a value and the weight 0"
            )
    for name, v in (("x", x), ("t", t)):
        if known(v[..., 1:] < v[..., :-1]):
            raise ArgumentError(
                f"{_NAME}: Expect {name} to be a 1D non-decreasing sequence: sort it"
            )
    if known((x[..., 0] < t[..., k]) | (x[..., -1] > t[..., -k - 1])):
        raise ArgumentError(
            f"{_NAME}: Out of bounds w/ x: all points must be between t[k] and t[n]"
        )
    if m < t.shape[-1] - k - 1:
        raise hooks_of(y).linalg_error(
            f"{_NAME}: {m} points don't determine the {t.shape[-1] - k - 1} coefficients of these "
            "knots. Leave knots out"
        )
    c = nearest(y, x, some[0] if some else None, t, k, 0 if method == "norm-eq" else 2)
    if not batch and known(~xp.isfinite(c)):
        raise hooks_of(c).linalg_error(
            f"{_NAME}: the points don't determine a spline of these knots (Schoenberg and "
            "Whitney): each B-spline needs a point of its own. Leave knots out"
        )
    return BSpline.construct_fast(t, c, k, True, axis)


class Equations(NamedTuple):
    """Hold the equations of least squares, times weights, and what normal equations they give."""

    values: Any  # (b, m, k + 1), factors in each equation
    first: Any  # (b m), the interval of each, flat in b rows of n - k
    index: Any  # (b m), their first coefficient, flat in b rows of n
    y: Any  # (b, m, C)
    bands: Any  # (b, 2 k + 1, n)

    def right(self, y: Any) -> Any:
        """Return sums of products with factors, (b, n, C)."""
        width = self.values.shape[2]
        each = self.values[..., :, None] * y[..., None, :]
        return columns_of(array_namespace(y), self.summed(each), width - 1)

    def summed(self, v: Any) -> Any:
        """Return sums over the points of an interval, (b, n - k, ...)."""
        b, count = self.bands.shape[0], self.bands.shape[2] - self.values.shape[2] + 1
        return _summed(array_namespace(v), v, self.first, b, count)

    def fitted(self, c: Any) -> Any:
        """Return values of the spline times weights, (b, m, C)."""
        xp = array_namespace(c)
        flat, out = xp.reshape(c, (-1, c.shape[2])), 0.0
        for j in range(self.values.shape[2]):
            found = xp.reshape(xp.take(flat, self.index + j, axis=0), self.y.shape)
            out = out + self.values[:, :, j, None] * found
        return out


def _summed(xp: Any, v: Any, first: Any, b: int, count: int) -> Any:
    flat = xp.reshape(v, (v.shape[0] * v.shape[1], *v.shape[2:]))
    return xp.reshape(segment_sum(flat, first, b * count), (b, count, *v.shape[2:]))


def equations(xp: Any, x: Any, y: Any, w: Any, t: Any, k: int) -> Equations:
    """Return the equations of points (b, m), values (b, m, C), weights (b, m) and knots."""
    (b, _), n = x.shape, t.shape[1] - k - 1
    values, first = rows(xp, x, t, k, [], [])
    if w is not None:
        values, y = values * w[:, :, None], y * xp.astype(w, y.dtype, copy=False)[:, :, None]
    start = xp.arange(b, dtype=first.dtype, device=device(first))[:, None]
    pieces, index = (xp.reshape(first + start * size, (-1,)) for size in (n - k, n))
    sums = _summed(xp, values[..., :, None] * values[..., None, :], pieces, b, n - k)
    bands = bands_of(xp, sums, k)
    return Equations(xp.astype(values, y.dtype, copy=False), pieces, index, y, bands)


def _doubles(y: Any, x: Any, *others: Any) -> bool:
    """doubles, and one row of knots."""
    return bool(x.ndim == 1 and y.dtype == x.dtype == array_namespace(x).float64)


@native(numpy="likewise._libs.numpy._interpolate:nearest", when=_doubles)
def nearest(y: Any, x: Any, w: Any, t: Any, k: int, times: int) -> Any:
    """Return the coefficients of least squares, corrected some times."""
    xp = array_namespace(y, x, t)
    batch, trailing = x.shape[:-1], y.shape[x.ndim :]
    b, m, n = math.prod(batch), x.shape[-1], t.shape[-1] - k - 1
    w = None if w is None else xp.reshape(w, (b, m))
    y = xp.reshape(y, (b, m, math.prod(trailing)))
    points = xp.reshape(x, (b, m)), xp.reshape(t, (b, n + k + 1))
    found = equations(xp, points[0], y, w, points[1], k)
    c = solved(found.bands, found.right(found.y))
    for _ in range(times):
        c = c + solved(found.bands, found.right(found.y - found.fitted(c)))
    fixed = stop_gradient((points[0], w, points[1]))
    enough = _determined(fixed[0], fixed[1], fixed[2], k)
    c = xp.where(enough[:, None, None], c, xp.asarray(xp.nan, dtype=c.dtype, device=device(c)))
    return xp.reshape(c, (*batch, n, *trailing))


def _determined(x: Any, w: Any, t: Any, k: int) -> Any:
    """Tell of each row (b, m) if B-splines of knots (b, n + k + 1) have points of their own.

    So Schoenberg and Whitney: the points that come again or have no weight do not count, and each
    function takes the first one where it isn't 0 that those before it left.
    """
    xp, n, (b, _) = array_namespace(x, t), t.shape[1] - k - 1, x.shape
    first = xp.ones_like(x[:, :1], dtype=xp.bool)
    if w is not None:
        first = w[:, :1] != 0.0
        x = _highest(xp, xp.where(w == 0.0, -xp.inf, x))
    new = xp.concat([first, x[:, 1:] > x[:, :-1]], axis=1)
    zero = xp.zeros((b, 1), dtype=xp.int64, device=device(x))
    counts = xp.concat([zero, xp.cumulative_sum(xp.astype(new, xp.int64), axis=1)], axis=1)
    below, upto = (
        xp.take_along_axis(counts, xp.astype(searchsorted(x, t, side=side), xp.int64), axis=1)
        for side in ("left", "right")
    )
    at, last = xp.arange(n, dtype=counts.dtype, device=device(x)), t[:, n : n + 1]
    jump = t[:, :n] == t[:, k : n + k]
    end = (t[:, 1 : n + 1] == last) & (t[:, k + 1 :] == last)
    if k:
        jump, end = jump & (t[:, :n] < last), end & (t[:, :n] < last)
    else:  # the last constant holds at the end, even if that is all it has
        end = end & (at == n - 1)
    start = xp.where(jump, below[:, :n], upto[:, :n])
    stop = xp.where(end, upto[:, k + 1 :], below[:, k + 1 :])
    return xp.all(_highest(xp, start - at) + at < stop, axis=1)


def _highest(xp: Any, v: Any) -> Any:
    """Return the largest entry up to each place of rows."""
    step = 1
    while step < v.shape[1]:
        v = xp.concat([v[:, :step], xp.maximum(v[:, step:], v[:, :-step])], axis=1)
        step *= 2
    return v


def solved(bands: Any, right: Any) -> Any:
    """Solve systems of as many diagonals above as below."""
    k = bands.shape[1] // 2
    if bands.shape[0] == 1:
        return banded_system((k, k), bands[0, ...], right[0, ...])[None, ...]
    return banded_system((k, k), bands, right)


def moved(xp: Any, v: Any, s: int, size: int) -> Any:
    """Entries (b, p, ...) from place s on, with zeros around them up to the size."""

    def zeros(many: int) -> Any:
        return xp.zeros((v.shape[0], many, *v.shape[2:]), dtype=v.dtype, device=device(v))

    return xp.concat([zeros(s), v, zeros(size - s - v.shape[1])], axis=1)


def columns_of(xp: Any, sums: Any, k: int) -> Any:
    """Right sides (b, n, C) of sums by interval (b, n - k, k + 1, C)."""
    n = sums.shape[1] + k
    out = moved(xp, sums[:, :, 0, :], 0, n)
    for s in range(1, k + 1):
        out = out + moved(xp, sums[:, :, s, :], s, n)
    return out


def bands_of(xp: Any, sums: Any, k: int) -> Any:
    """Normal equations by diagonals (b, 2 k + 1, n) of products by interval."""
    n = sums.shape[1] + k
    out = []
    for d in range(-k, k + 1):  # a[j + d, j], of functions s + d and s of an interval
        band: Any = 0.0
        for s in range(max(0, -d), k + 1 - max(0, d)):
            band = band + moved(xp, sums[:, :, s + d, s], s, n)
        out.append(band)
    return xp.stack(out, axis=1)
