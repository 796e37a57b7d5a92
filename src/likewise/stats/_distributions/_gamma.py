"""The gamma distribution, and those of its powers: chi2, chi, maxwell, nakagami, invgamma."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import gamma as draw_gamma
from ...special import (
    chdtr,
    chdtrc,
    chdtri,
    digamma,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
)
from ._continuous import Continuous
from ._densities import log_gamma_density
from ._parameters import Parameter

__all__ = ["chi2", "gamma"]


def gamma_entropy(xp: Any, a: Any) -> Any:
    """a + log(gamma(a)) + (1 - a) digamma(a); from 100 on by its expansion."""
    large = a >= 100
    n = xp.where(large, 1.0, a)
    m = xp.where(large, a, 100.0)
    u = 1 / m
    rest = u * (-1 / 3 + u * (-1 / 12 + u * (-1 / 90 + u * (1 / 120 + u * (1 / 210)))))
    far = 0.5 * (1 + math.log(2 * math.pi) + xp.log(m)) + rest
    return xp.where(large, far, n + gammaln(n) + (1 - n) * digamma(n))


class Gamma(Continuous):
    """The gamma distribution.

    Density ``x**(a - 1) exp(-x) / gamma(a)`` for x above 0; `a` is positive.

    Examples
    --------
    >>> from likewise.stats import gamma
    >>> round(float(gamma.ppf(0.5, 2.0, scale=3.0)), 4)
    5.035
    """

    name = "gamma"
    parameters = (Parameter("a", 0.0),)
    support_ends = (0.0, math.inf)
    whole = frozenset(("cdf", "sf", "ppf", "isf"))

    def _logpdf(self, x: Any, a: Any) -> Any:
        return log_gamma_density(a, x)

    def _cdf(self, x: Any, a: Any) -> Any:
        return gammainc(a, _from_zero(x))

    def _sf(self, x: Any, a: Any) -> Any:
        return gammaincc(a, _from_zero(x))

    def _ppf(self, q: Any, a: Any) -> Any:
        return gammaincinv(a, q)

    def _isf(self, q: Any, a: Any) -> Any:
        return gammainccinv(a, q)

    def _moments(self, xp: Any, a: Any) -> Any:
        return a, a, 2 / xp.sqrt(a), 6 / a

    def _entropy(self, xp: Any, x: Any, a: Any) -> Any:
        return gamma_entropy(xp, a)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any) -> Any:
        return draw_gamma(key, a, shape, dtype)

    def _fit_shapes(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """By mean and variance where loc is known, else by the skewness, 2 / sqrt(a)."""
        var = xp.var(x, axis=-1)
        if "loc" in fixed:
            mean = xp.mean(x, axis=-1) - fixed["loc"]
            found = mean * mean / xp.where(var > 0, var, 1.0)
        else:
            apart = x - xp.mean(x, axis=-1, keepdims=True)
            third = xp.mean(apart * apart * apart, axis=-1)
            found = 4 * var**3 / xp.where(third > 0, third * third, 1.0)
            found = xp.where(third > 0, found, 100.0)
        return [xp.clip(found, 0.1, 1e4)]


def _from_zero(x: Any) -> Any:
    return array_namespace(x).where(x < 0, 0.0, x)


class Chi2(Continuous):
    """The chi-square distribution.

    Density ``(x / 2)**(df / 2 - 1) exp(-x / 2) / (2 gamma(df / 2))`` for x above 0; `df` is
    positive.

    Examples
    --------
    >>> from likewise.stats import chi2
    >>> round(float(chi2.sf(3.84, 1)), 4)
    0.05
    """

    name = "chi2"
    parameters = (Parameter("df", 0.0),)
    support_ends = (0.0, math.inf)
    whole = frozenset(("cdf", "sf", "ppf", "isf"))

    def _logpdf(self, x: Any, df: Any) -> Any:
        return log_gamma_density(0.5 * df, 0.5 * x) - math.log(2)

    def _cdf(self, x: Any, df: Any) -> Any:
        return chdtr(df, _from_zero(x))

    def _sf(self, x: Any, df: Any) -> Any:
        return chdtrc(df, _from_zero(x))

    def _ppf(self, q: Any, df: Any) -> Any:
        return 2 * gammaincinv(0.5 * df, q)

    def _isf(self, q: Any, df: Any) -> Any:
        return chdtri(df, q)

    def _moments(self, xp: Any, df: Any) -> Any:
        return df, 2 * df, xp.sqrt(8 / df), 12 / df

    def _entropy(self, xp: Any, x: Any, df: Any) -> Any:
        return gamma_entropy(xp, 0.5 * df) + math.log(2)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, df: Any) -> Any:
        return 2 * draw_gamma(key, 0.5 * df, shape, dtype)


chi2 = Chi2()
gamma = Gamma()
