"""Mood's test of medians."""

from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, is_concrete, quiet
from ...errors import ArgumentError, ShapeError
from ...missing import nanquantile
from ...missing._axes import as_given
from ...special import chdtrc
from .._base._samples import POLICIES
from ._counts import divergence, lambda_power

__all__ = ["MedianTestResult", "median_test"]


class MedianTestResult(NamedTuple):
    """Hold the statistic, its p-value, the median of all and the table of counts."""

    statistic: Any
    pvalue: Any
    median: Any
    table: Any


def median_test(
    *samples: Any,
    ties: str = "below",
    correction: bool = True,
    lambda_: float | str | None = 1,
    nan_policy: str = "propagate",
) -> MedianTestResult:
    """Test whether several samples have one median: Mood.

    Parameters
    ----------
    *samples : array, shape (n,)
        Two or more, real, of any sizes.
    ties : {'below', 'above', 'ignore'}, optional
        What values count for that equal the median of all.
    correction : bool, optional
        Whether to take Yates's correction, of two samples.
    lambda_ : float or str, optional
        The statistic, as for `likewise.stats.power_divergence`. Default: Pearson's.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.

    Returns
    -------
    MedianTestResult
        ``statistic pvalue median table``; the table, of shape (2, number of samples), counts what
        is above the median, and below. NaN, if one is propagated.

    Raises
    ------
    ArgumentError
        If there are fewer than two samples, an option has another value, a sample is empty, or,
        where values can be read, the table has an empty row or column.
    ShapeError
        If a sample has other dimensions than one.

    Notes
    -----
    The table is tested as by `likewise.stats.chi2_contingency`. Not differentiable.

    Differs from SciPy: with propagated NaNs, the table holds NaN.

    Examples
    --------
    >>> from likewise.stats import median_test
    >>> found = median_test([1.0, 2.0, 3.0, 9.0], [4.0, 5.0, 6.0, 7.0, 8.0])
    >>> float(found.median), float(found.pvalue.round(4))
    (5.0, 0.7077)
    """
    name = "median_test"
    _plan.choice(name, "ties", ties, ("below", "above", "ignore"))
    _plan.choice(name, "nan_policy", nan_policy, POLICIES)
    if len(samples) < 2:
        raise ArgumentError(f"{name}: requires two or more samples, got {len(samples)}")
    power = lambda_power(name, lambda_)
    xp = array_namespace(*samples)
    names = [f"samples[{i}]" for i in range(len(samples))]
    data = _plan.common_floating(name, xp, names, *samples, real=True)
    for i, x in enumerate(data, 1):
        if x.ndim != 1:
            raise ShapeError(f"{name}: Sample {i} has {x.ndim} dimensions, it must have one")
        if not x.shape[0]:
            raise ArgumentError(f"{name}: Sample {i} is empty: it must hold a value")
    every = xp.concat(data)
    missing = xp.isnan(every)
    if nan_policy == "raise" and is_concrete(every) and bool(xp.any(missing)):
        raise ArgumentError(f"{name}: The input contains nan values, and nan_policy is 'raise'")
    with quiet(every):
        middle = nanquantile(every, 0.5)
        columns = []
        for x in data:
            above, below = x > middle, x < middle
            if ties == "below":
                below = below | (x == middle)
            elif ties == "above":
                above = above | (x == middle)
            columns.append(xp.stack([xp.sum(xp.astype(v, x.dtype)) for v in (above, below)]))
        table = xp.stack(columns, axis=1)
        if nan_policy == "propagate":
            lost = xp.any(missing)
            middle, table = (xp.where(lost, xp.nan, v) for v in (middle, table))
        _filled(name, table, middle)
        total = xp.sum(table)
        parts = xp.sum(table, axis=1, keepdims=True) * xp.sum(table, axis=0, keepdims=True)
        expected = parts / total
        observed = table
        if correction and len(data) == 2:
            gap = expected - table
            half = xp.minimum(xp.abs(gap), xp.full_like(gap, 0.5))
            observed = table + xp.sign(gap) * half
        statistic = xp.sum(divergence(observed, expected, power))
        pvalue = chdtrc(xp.full_like(statistic, len(data) - 1.0), statistic)
    return MedianTestResult(as_given(statistic), as_given(pvalue), as_given(middle), table)


def _filled(name: str, table: Any, middle: Any) -> None:
    """Refuse a table with an empty row or column, where values can be read."""
    xp = array_namespace(table)
    if not is_concrete(table):
        return
    rows, columns = xp.sum(table, axis=1), xp.sum(table, axis=0)
    for i, side in ((0, "below"), (1, "above")):
        if bool(rows[i] == 0):
            raise ArgumentError(f"{name}: All values are {side} the grand median ({middle})")
    if bool(xp.any(columns == 0)):
        raise ArgumentError(
            f"{name}: All values of a sample are equal to the grand median ({middle})"
        )
