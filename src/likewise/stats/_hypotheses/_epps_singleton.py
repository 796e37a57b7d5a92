"""Epps and Singleton's test."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...special import chdtrc
from .._base._pvalues import Significance
from .._base._samples import enough, filled, nothing, samples
from .._base._warnings import tell_degenerate
from .._describing import iqr

__all__ = ["epps_singleton_2samp"]


def epps_singleton_2samp(
    x: A,
    y: A,
    t: Any = (0.4, 0.8),
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether two samples have one distribution, by their characteristic functions.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    t : sequence of float or array, shape (k,), optional
        The points where characteristic functions are compared, positive.
    axis : int, tuple of int or None, optional
        The observations' axes; None takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    Significance
        ``statistic`` and ``pvalue``. NaN of values that aren't finite, of samples whose quartiles
        are equal and, with a warning, of fewer than 5 observations.

    Raises
    ------
    ArgumentError, ShapeError
        If an option has another value, `t` isn't positive where it can be read, or shapes don't
        fit.

    Notes
    -----
    T. W. Epps, K. J. Singleton, J. Stat. Comput. Simul. 26 (1986) 177-203; continuous or discrete
    distributions. O(n log(n) + n k^2 + k^3). Differentiable where the covariance has full rank.

    Differs from SciPy: samples whose quartiles are equal give NaN, no error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import epps_singleton_2samp
    >>> x = np.asarray([-0.35, 2.55, 1.73, 0.73, 0.35, 2.69, 0.46, -0.94, -0.37, 12.07])
    >>> y = np.asarray([-1.15, -0.15, 2.48, 3.25, 3.71, 4.29, 5.0, 7.74, 8.38, 8.6])
    >>> found = epps_singleton_2samp(x, y)
    >>> float(found.statistic.round(4)), float(found.pvalue.round(6))
    (15.1631, 0.004375)
    """
    name = "epps_singleton_2samp"
    (a, b), back = samples(name, axis, nan_policy, keepdims, x=x, y=y)
    xp = array_namespace(a.x)
    points = xp.asarray(t, dtype=a.x.dtype, device=device(a.x)) if _plain(t) else t
    _, points = _plan.common_floating(name, xp, ("x", "t"), a.x, points, real=True)
    if points.ndim > 1:
        raise ShapeError(f"{name}: t must be 1d, but t.ndim equals {points.ndim}")
    if is_concrete(points) and bool(xp.any(points <= 0)):
        raise ArgumentError(f"{name}: t must contain positive elements only, got {t}")
    good = enough(name, a, b, least=5)
    if good is False:
        nan = back(nothing(a))
        return Significance(nan, nan)
    omit = a.there is not None or b.there is not None
    points = xp.astype(xp.reshape(points, (-1,)), a.x.dtype)
    found = _compared(filled(a, xp.nan), filled(b, xp.nan), points, omit)
    if good is not True:
        found = tuple(xp.where(good[..., None], v, xp.full_like(v, xp.nan)) for v in found)
    return Significance(*(back(v[..., 0]) for v in found))


def _plain(t: Any) -> bool:
    return not hasattr(t, "shape")


def _in_blocks(x: Any, y: Any, t: Any, omit: bool) -> Lines:
    return batches({0: (x, 1), 1: (y, 1)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_in_blocks)
def _compared(x: Any, y: Any, t: Any, omit: bool) -> tuple[Any, Any]:
    xp = array_namespace(x)
    bad, parts = xp.zeros_like(x[..., :1], dtype=xp.bool), []
    for z in (x, y):
        there = ~xp.isnan(z) if omit else xp.ones_like(z, dtype=xp.bool)
        bad = bad | xp.any(there & ~xp.isfinite(z), axis=-1, keepdims=True)
        parts.append((xp.where(there & xp.isfinite(z), z, xp.zeros_like(z)), there))
    both = xp.concat([xp.where(there, z, xp.full_like(z, xp.nan)) for z, there in parts], axis=-1)
    half = iqr(both, axis=-1, keepdims=True, nan_policy="omit" if omit else "propagate") / 2
    bad = bad | ~(half > 0)
    scaled = (t / xp.where(bad, xp.ones_like(half), half))[..., None]  # (..., k, 1)
    means, counts, total = [], [], xp.zeros_like(half)[..., None]
    for z, there in parts:
        weight = xp.astype(there, x.dtype)[..., None, :]
        n = xp.sum(weight, axis=-1, keepdims=True)
        angle = scaled * z[..., None, :]
        g = xp.concat([xp.cos(angle), xp.sin(angle)], axis=-2)
        mean = xp.sum(g * weight, axis=-1, keepdims=True) / n
        apart = (g - mean) * weight
        total = total + apart @ xp.matrix_transpose(apart) / (n * n)
        means.append(mean)
        counts.append(n[..., 0])
    n, m = counts
    every = n + m
    linalg = _plan.extension("epps_singleton_2samp", xp, "linalg")
    inverse = linalg.pinv(total * every[..., None])
    rank = xp.astype(linalg.matrix_rank(inverse), x.dtype)[..., None]
    if is_concrete(rank) and bool(xp.any(rank < 2 * t.shape[0])):
        tell_degenerate(
            "epps_singleton_2samp: the estimated covariance matrix does not have full rank, so "
            "that the test might not be consistent: choose other points t"
        )
    gap = means[0] - means[1]
    w = every * (xp.matrix_transpose(gap) @ inverse @ gap)[..., 0]
    with quiet(x):
        small = 1 / (1 + every**-0.45 + 10.1 * (n**-1.7 + m**-1.7))
    w = xp.where(xp.maximum(n, m) < 25, w * small, w)
    w = xp.where(bad, xp.full_like(w, xp.nan), w)
    return w, chdtrc(rank, w)
