"""The p-values of statistics with a known distribution under the null hypothesis."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace
from ...special import fdtrc, ndtr, stdtr

__all__ = [
    "ALTERNATIVES",
    "Significance",
    "both_tails",
    "by_fisher",
    "by_normal",
    "by_student",
    "direction",
]

ALTERNATIVES = ("two-sided", "less", "greater")


class Significance(NamedTuple):
    """Hold a statistic and its p-value."""

    statistic: Any
    pvalue: Any


def direction(function: str, alternative: str) -> int:
    """Return 0 of 'two-sided', -1 of 'less', 1 of 'greater'; of other words an error."""
    _plan.choice(function, "alternative", alternative, ALTERNATIVES)
    return (0, -1, 1)[ALTERNATIVES.index(alternative)]


def by_normal(z: Any, side: int) -> Any:
    """Return the p-value of a statistic that is normal with mean 0 and variance 1."""
    if side:
        return ndtr(-side * z)
    return 2 * ndtr(-array_namespace(z).abs(z))


def by_student(t: Any, df: Any, side: int) -> Any:
    """Return the p-value of a statistic of Student's distribution."""
    if side:
        return stdtr(df, -side * t)
    return 2 * stdtr(df, -array_namespace(t).abs(t))


def by_fisher(dfn: float, dfd: Any, f: Any) -> Any:
    """Return the probability that a statistic of Fisher's distribution is `f` or more.

    For an even small `dfn` it is a sum of positive terms: DLMF 8.17.5, of a negative binomial.
    """
    if dfn not in (2.0, 4.0, 6.0, 8.0):
        return fdtrc(dfn, dfd, f)
    xp = array_namespace(f)
    t, half = dfn * f / dfd, dfd / 2
    x = xp.where(xp.isinf(t), xp.ones_like(t), t / (1 + t))
    term: Any = 1.0
    total: Any = 1.0
    for i in range(1, int(dfn) // 2):
        term = term * x * ((half + i - 1) / i)
        total = total + term
    return xp.exp(-half * xp.log1p(t)) * total


def both_tails(
    statistic: Any, side: int, cdf: Callable[[Any], Any], sf: Callable[[Any], Any]
) -> Any:
    """Return the p-value by the tails ``P(T <= t)`` and ``P(T >= t)``, which may be discrete."""
    if side:
        return sf(statistic) if side > 0 else cdf(statistic)
    xp = array_namespace(statistic)
    return xp.minimum(2 * xp.minimum(cdf(statistic), sf(statistic)), xp.ones_like(statistic))
