"""Smoothing splines: a compromise between residuals and curvature."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...linalg import solve_banded
from ._bspline import BSpline, known, numbers
from ._interpolating import clamped, given, through

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
        The smoothing, 0 or more: one for each spline of the batch.
    axis : int, optional
        The axis of `y`, after those of the batch, along `x` (default 0).

    Returns
    -------
    BSpline
        A natural spline with a knot at each point.

    Raises
    ------
    ArgumentError, ShapeError
        If there are fewer than 5 points, they aren't ascending, `lam` is negative or missing, or
        weights aren't positive.

    Notes
    -----
    C. H. Reinsch, Numer. Math. 10, 177 (1967): second derivatives solve a system of 5 diagonals,
    values follow, and the spline goes through these. Differentiable in points, values, weights and
    `lam`.

    Differs from SciPy: `lam` must be given; there is no search by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import make_smoothing_spline
    >>> x = np.linspace(0.0, 3.0, 9)
    >>> print(make_smoothing_spline(x, np.sin(x), lam=0.1)(np.asarray([0.5, 2.0])).round(4))
    [0.4835 0.8686]
    """
    if lam is None:
        raise ArgumentError(f"{_NAME}: lam must be given: there is no search by cross-validation")
    options = [lam] if w is None else [w, lam]
    names = ("x", "lam", "y") if w is None else ("x", "w", "lam", "y")
    x, *options, y = numbers(_NAME, names, x, *options, y)
    x, y, axis = given(_NAME, x, y, axis, True)
    xp, batch, n, lam = array_namespace(x, y), tuple(x.shape[:-1]), x.shape[-1], options[-1]
    if n < 5:
        raise ArgumentError(f"{_NAME}: ``x`` and ``y`` length must be at least 5, got {n}")
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
    w = xp.ones_like(x) if w is None else options[0]
    if tuple(w.shape) != tuple(x.shape):
        raise ShapeError(f"{_NAME}: w must have the shape of x, {tuple(x.shape)}, got {w.shape}")
    if known(~(w > 0)):
        raise ArgumentError(f"{_NAME}: Invalid vector of weights: all must be above 0")
    b, trailing = math.prod(batch), y.shape[x.ndim :]
    lam = xp.reshape(xp.broadcast_to(lam, batch), (b, 1))
    rows = xp.reshape(y, (b, n, math.prod(trailing)))
    fitted = _fitted(xp, xp.reshape(x, (b, n)), rows, xp.reshape(w, (b, n)), lam)
    fitted, t = xp.reshape(fitted, (*batch, n, *trailing)), clamped(xp, x, 3)
    ends = [(2, xp.zeros((*batch, *trailing), dtype=y.dtype, device=device(y)))]
    return BSpline.construct_fast(t, through(xp, x, fitted, t, 3, ends, ends), 3, True, axis)


def _fitted(xp: Any, x: Any, y: Any, w: Any, lam: Any) -> Any:
    """Return the values (b, n, C) of the spline at the points."""
    h = x[:, 1:] - x[:, :-1]
    left, right, free = 1 / h[:, :-1], 1 / h[:, 1:], lam / w
    middle = -(left + right)

    def curved(v: Any) -> Any:  # differences of slopes, (b, n - 2, C)
        slopes = (v[:, 1:, :] - v[:, :-1, :]) / h[:, :, None]
        return slopes[:, 1:, :] - slopes[:, :-1, :]

    main = left**2 * free[:, :-2] + middle**2 * free[:, 1:-1] + right**2 * free[:, 2:]
    one = (
        middle[:, :-1] * left[:, 1:] * free[:, 1:-2] + right[:, :-1] * middle[:, 1:] * free[:, 2:-1]
    )
    two = right[:, :-2] * left[:, 2:] * free[:, 2:-2]
    main, one = main + (h[:, :-1] + h[:, 1:]) / 3, one + h[:, 1:-1] / 6
    zeros = xp.zeros((x.shape[0], 2), dtype=x.dtype, device=device(x))
    gap = zeros[:, :1]
    bands = [
        xp.concat([zeros, two], axis=1),
        xp.concat([gap, one], axis=1),
        main,
        xp.concat([one, gap], axis=1),
        xp.concat([two, zeros], axis=1),
    ]
    bands, right = xp.stack(bands, axis=1), curved(y)
    if x.shape[0] == 1:
        second = solve_banded((2, 2), bands[0, ...], right[0, ...])[None, ...]
    else:
        second = solve_banded((2, 2), bands, right)
    gap = xp.zeros_like(y[:, :1, :])
    slopes = xp.concat([gap, second, gap], axis=1)
    slopes = (slopes[:, 1:, :] - slopes[:, :-1, :]) / h[:, :, None]
    forces = xp.concat([slopes, gap], axis=1) - xp.concat([gap, slopes], axis=1)
    return y - free[:, :, None] * forces
