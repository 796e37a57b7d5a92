"""Smoothing splines: a compromise between residuals and curvature."""

import functools
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ...errors import ArgumentError, ShapeError
from .._base._systems import banded_system
from ._bspline import BSpline, known, numbers
from ._interpolating import given, through
from ._knots import clamped
from ._validating import best_smoothing

__all__ = ["make_smoothing_spline"]

_NAME = "make_smoothing_spline"


@public
def make_smoothing_spline(
    x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: int = 0
) -> BSpline:
    """Return the cubic spline with the least sum of squared residuals and squared curvature.

    It minimizes ``sum(w (y - f(x))^2) + lam integral(f''^2)``.

    Parameters
    ----------
    x : array, shape (..., n)
        Where, ascending, at least 5. Leading dimensions are a batch: a spline for each.
    y : array, shape (..., n, ...)
        Real values, the batch's dimensions first.
    w : array, shape (..., n), optional
        Positive weights of squared residuals. Default: ones.
    lam : float or array, shape (...)
        The smoothing, 0 or more: one for each spline of the batch. Default: that with the least
        score of generalized cross-validation (G. Wahba, Spline Models for Observational Data, 1990,
        chapter 4) between 0 and n, one for each column of `y`, too.
    axis : int, optional
        The axis of `y`, after those of the batch, along `x` (default 0).

    Returns
    -------
    BSpline
        A natural spline with a knot at each point.

    Raises
    ------
    ArgumentError, ShapeError
        If there are fewer than 5 points, they aren't ascending, `lam` is negative, or weights
        aren't positive.
    NotSupported
        Without `lam`, if values can't be read.

    Notes
    -----
    C. H. Reinsch, Numer. Math. 10, 177 (1967): second derivatives solve a system of 5 diagonals,
    values follow, and the spline goes through these. Differentiable in points, values, weights and
    `lam`; without `lam`, it follows them by the implicit function theorem. The search takes about
    ``20 n^2`` operations for each of some 30 values.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import make_smoothing_spline
    >>> x = np.linspace(0.0, 3.0, 9)
    >>> print(make_smoothing_spline(x, np.sin(x), lam=0.1)(np.asarray([0.5, 2.0])).round(4))
    [0.4835 0.8686]
    """
    some = {name: v for name, v in (("w", w), ("lam", lam)) if v is not None}
    x, *options, y = numbers(_NAME, ("x", *some, "y"), x, *some.values(), y)
    some = dict(zip(some, options, strict=True))
    x, y, axis = given(_NAME, x, y, axis, True)
    xp, batch, n, lam = array_namespace(x, y), tuple(x.shape[:-1]), x.shape[-1], some.get("lam")
    if n < 5:
        raise ArgumentError(f"{_NAME}: ``x`` and ``y`` length must be at least 5, got {n}")
    if lam is not None:
        if known(~(lam >= 0)):
            raise ArgumentError(
                f"{_NAME}: Regularization parameter should be non-negative: lam is {lam}"
            )
        _plan.broadcast(_NAME, x=batch, lam=tuple(lam.shape))
        if lam.ndim > len(batch):
            raise ShapeError(
                f"{_NAME}: lam must be a number, or have the shape of the batch, {batch}, got "
                f"{tuple(lam.shape)}"
            )
    w = some.get("w")
    w = xp.ones_like(x) if w is None else w
    if tuple(w.shape) != tuple(x.shape):
        raise ShapeError(f"{_NAME}: w must have the shape of x, {tuple(x.shape)}, got {w.shape}")
    if known(~(w > 0)):
        raise ArgumentError(f"{_NAME}: Invalid vector of weights: all must be above 0")
    b, trailing = math.prod(batch), y.shape[x.ndim :]
    rows = xp.reshape(y, (b, n, math.prod(trailing)))
    points, weights = xp.reshape(x, (b, n)), xp.reshape(w, (b, n))
    if lam is None:
        fitted = _validated(xp, points, rows, weights)
    else:
        lam = xp.reshape(xp.broadcast_to(lam, batch), (b, 1))
        fitted = _fitted(xp, points, rows, weights, lam)
    fitted, t = xp.reshape(fitted, (*batch, n, *trailing)), clamped(xp, x, 3)
    ends = [(2, xp.zeros((*batch, *trailing), dtype=y.dtype, device=device(y)))]
    return BSpline.construct_fast(t, through(xp, x, fitted, t, 3, ends, ends), 3, True, axis)


def _validated(xp: Any, x: Any, y: Any, w: Any) -> Any:
    """Return values (b, n, C), each problem and column with a smoothing of its own."""
    found = []
    for i in range(y.shape[0]):
        columns = []
        for j in range(y.shape[2]):
            a, b, v = x[i : i + 1, :], y[i : i + 1, :, j : j + 1], w[i : i + 1, :]
            score = functools.partial(_score, xp, a, b, v)
            lam = best_smoothing(_NAME, score, float(x.shape[1]))
            columns.append(_fitted(xp, a, b, v, xp.reshape(lam, (1, 1))))
        found.append(xp.concat(columns, axis=2) if columns else y[i : i + 1, ...])
    return xp.concat(found, axis=0) if found else y


def _score(xp: Any, x: Any, y: Any, w: Any, lam: Any) -> tuple[Any, Any]:
    """Return the sum of squared residuals, divided by the square of its degrees of freedom, times
    n, and the slope in lam, of one problem (1, n)."""
    n = x.shape[1]
    bands, right, parts = _system(xp, x, y, w, lam)
    whole, stiff = bands
    columns = [_dense(xp, v[0, ...]) for v in (whole - lam * stiff, stiff)]
    all_right = xp.concat([right[0, ...], *columns], axis=1)
    solved = banded_system((2, 2), whole[0, ...], all_right)
    second, plain, bent = solved[:, :1], solved[:, 1 : n - 1], solved[:, n - 1 :]
    free = (n - 2) - _plan.extension("make_smoothing_spline", xp, "linalg").trace(plain)
    free_slope = xp.sum(bent * xp.matrix_transpose(plain))
    slower = second - lam * xp.matmul(bent, second)
    rest = lam * parts(second[None, ...])
    slope = parts(slower[None, ...])
    total = xp.sum(rest * rest)
    rise = 2 * n * (xp.sum(rest * slope) - total * free_slope / free) / free**2
    return n * total / free**2, rise


def _dense(xp: Any, bands: Any) -> Any:
    """The matrix of 5 diagonals (5, n)."""
    n = bands.shape[1]
    i = xp.arange(n, device=device(bands))
    gap = i[:, None] - i[None, :]
    out = xp.zeros((n, n), dtype=bands.dtype, device=device(bands))
    for d in range(-2, 3):
        out = xp.where(gap == d, bands[d + 2, None, :], out)
    return out


def _fitted(xp: Any, x: Any, y: Any, w: Any, lam: Any) -> Any:
    """Return the values (b, n, C) of the spline at the points."""
    (bands, _), right, parts = _system(xp, x, y, w, lam)
    if x.shape[0] == 1:
        second = banded_system((2, 2), bands[0, ...], right[0, ...])[None, ...]
    else:
        second = banded_system((2, 2), bands, right)
    lam = lam[:, :, None] if hasattr(lam, "shape") else lam
    return y - lam * parts(second)


def _system(xp: Any, x: Any, y: Any, w: Any, lam: Any) -> tuple[Any, Any, Any]:
    """Return diagonals (b, 5, n - 2) of the equations of second derivatives, and of the part that
    grows with lam; right sides; and what second derivatives make of values, for each lam."""
    h = x[:, 1:] - x[:, :-1]
    left, right, free = 1 / h[:, :-1], 1 / h[:, 1:], 1 / w
    middle = -(left + right)

    def curved(v: Any) -> Any:  # differences of slopes, (b, n - 2, C)
        slopes = (v[:, 1:, :] - v[:, :-1, :]) / h[:, :, None]
        return slopes[:, 1:, :] - slopes[:, :-1, :]

    def parts(second: Any) -> Any:
        gap = xp.zeros_like(second[:, :1, :])
        slopes = xp.concat([gap, second, gap], axis=1)
        slopes = (slopes[:, 1:, :] - slopes[:, :-1, :]) / h[:, :, None]
        forces = xp.concat([slopes, gap], axis=1) - xp.concat([gap, slopes], axis=1)
        return free[:, :, None] * forces

    main = left**2 * free[:, :-2] + middle**2 * free[:, 1:-1] + right**2 * free[:, 2:]
    one = (
        middle[:, :-1] * left[:, 1:] * free[:, 1:-2] + right[:, :-1] * middle[:, 1:] * free[:, 2:-1]
    )
    two = right[:, :-2] * left[:, 2:] * free[:, 2:-2]
    zeros = xp.zeros((x.shape[0], 2), dtype=x.dtype, device=device(x))
    gap = zeros[:, :1]

    def five(main: Any, one: Any, two: Any) -> Any:
        bands = [
            xp.concat([zeros, two], axis=1),
            xp.concat([gap, one], axis=1),
            main,
            xp.concat([one, gap], axis=1),
            xp.concat([two, zeros], axis=1),
        ]
        return xp.stack(bands, axis=1)

    stiff = five(main, one, two)
    width = lam[:, :, None] if hasattr(lam, "shape") else lam
    soft = five((h[:, :-1] + h[:, 1:]) / 3, h[:, 1:-1] / 6, xp.zeros_like(two))
    return (soft + width * stiff, stiff), curved(y), parts
