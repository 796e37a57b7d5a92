"""A test of a quantile.

W. J. Conover, Practical Nonparametric Statistics, 3rd ed., Wiley, 1999, section 3.2.
"""

from dataclasses import field
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given, index_dtype
from ...solving._result import result
from .._base._outcomes import ConfidenceInterval
from .._base._pvalues import direction
from .._distributions import binom
from ._proportions import above, below

__all__ = ["QuantileTestResult", "quantile_test"]


@result
class QuantileTestResult:
    """Hold the result of `quantile_test`: a count, which one it is, and the p-value."""

    statistic: Any
    statistic_type: Any
    pvalue: Any
    _x: Any = field(repr=False)
    _p: Any = field(repr=False)
    _side: Any = field(repr=False)

    def __repr__(self) -> str:
        names = ("statistic", "statistic_type", "pvalue")
        return f"QuantileTestResult({', '.join(f'{n}={getattr(self, n)}' for n in names)})"

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return bounds of the quantile, which are observations; NaN where there are too few.

        Raises ArgumentError if the level isn't in (0, 1).
        """
        if not 0 < confidence_level < 1:
            raise ArgumentError(
                "confidence_interval: confidence_level must be a number between 0 and 1, "
                f"got {confidence_level}"
            )
        side = int(self._side)
        xp, n = array_namespace(self._x), self._x.shape[-1]
        x = xp.sort(self._x, axis=-1, stable=False)
        alpha = (1 - confidence_level) / (1 if side else 2)
        infinite = xp.full(x.shape[:-1], xp.inf, dtype=x.dtype, device=device(x))
        low = _at(xp, x, binom.ppf(alpha, n, self._p) - 1) if side >= 0 else -infinite
        high = _at(xp, x, binom.isf(alpha, n, self._p)) if side <= 0 else infinite
        return ConfidenceInterval(as_given(low), as_given(high))


def _at(xp: Any, x: Any, place: Any) -> Any:
    """Return sorted observations by their places, which may lie outside."""
    place = xp.asarray(place)
    inside = (place >= 0) & (place < x.shape[-1])
    index = xp.where(inside, place, xp.zeros_like(place))
    index = xp.astype(index, index_dtype(xp, x))[..., None]
    found = xp.take_along_axis(x, index, axis=-1)[..., 0]
    return xp.where(inside, found, xp.full_like(found, xp.nan))


def quantile_test(
    x: Any, *, q: Any = 0, p: Any = 0.5, alternative: str = "two-sided"
) -> QuantileTestResult:
    """Test whether a quantile has a value.

    Parameters
    ----------
    x : array, shape (..., n)
        The samples.
    q : float or array, optional
        The value under the null hypothesis. Arrays broadcast with the samples' batch.
    p : float or array, optional
        The share of the population below the quantile, in (0, 1).
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the quantile differs from, is less or greater than q.

    Returns
    -------
    QuantileTestResult
        ``statistic``: how many observations are at most q (``statistic_type`` 1) or less than q
        (2), whichever the p-value comes from; ``pvalue``; and ``confidence_interval()``.

    Raises
    ------
    ArgumentError, ShapeError
        If an option has another value, p isn't in (0, 1) where it is on the host, or shapes don't
        broadcast.

    Notes
    -----
    Conover (1999): the counts are binomial. O(n); the interval sorts. Differentiable in p.

    Differs from SciPy: takes a batch.

    Examples
    --------
    >>> from likewise.stats import quantile_test
    >>> found = quantile_test([0.3, 1.1, 2.0, 0.7, -0.4, 0.9], q=0.0, alternative="greater")
    >>> int(found.statistic), float(found.pvalue)
    (1, 0.109375)
    >>> low, high = found.confidence_interval(0.9)
    >>> float(low), float(high)
    (-0.4, inf)
    """
    name = "quantile_test"
    side = direction(name, alternative)
    xp = array_namespace(x, q, p)
    x, q, p = _plan.common_floating(name, xp, ("x", "q", "p"), x, q, p, real=True)
    xp = array_namespace(x)
    if not x.ndim:
        raise ShapeError(f"{name}: x must be an array of numbers of shape (..., n), got a number")
    if is_concrete(p) and not bool(xp.all((p > 0) & (p < 1))):
        raise ArgumentError(f"{name}: p must be a float strictly between 0 and 1, got {p}")
    batch = tuple(x.shape[:-1])
    if q.ndim or p.ndim or batch:
        batch = _plan.broadcast(name, x=batch, q=q.shape, p=p.shape)
        x = xp.broadcast_to(x, (*batch, x.shape[-1]))
        q, p = xp.broadcast_to(q, batch), xp.broadcast_to(p, batch)
    n = xp.full_like(p, float(x.shape[-1]))
    most, least = (
        xp.sum(xp.astype(found, x.dtype), axis=-1)
        for found in (x <= q[..., None], x < q[..., None])
    )
    with quiet(x):
        if side:
            pvalue = above(xp, least, n, p) if side < 0 else below(xp, most, n, p)
            first: Any = xp.full_like(p, float(side)) > 0
        else:
            greater, less = below(xp, most, n, p), above(xp, least, n, p)
            first = greater <= less
            pvalue = xp.minimum(2 * xp.where(first, greater, less), xp.ones_like(p))
    whole = index_dtype(xp, x)
    statistic = xp.astype(xp.where(first, most, least), whole)
    which = 2 - xp.astype(first, whole)
    statistic, which, pvalue = (as_given(v) for v in (statistic, which, pvalue))
    number = xp.asarray(float(side), dtype=x.dtype, device=device(x))
    return QuantileTestResult(statistic, which, pvalue, x, p, number)
