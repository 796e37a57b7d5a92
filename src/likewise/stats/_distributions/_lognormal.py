"""Distributions of functions of normal numbers: lognorm, halfnorm, powernorm."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import normal
from ...special import erf, erfinv, log_ndtr, ndtr, ndtri, ndtri_exp
from ._continuous import Continuous
from ._exponential import log_less
from ._normal import norm
from ._parameters import Parameter

__all__ = ["halfnorm", "lognorm", "powernorm"]


class LogNorm(Continuous):
    """The lognormal distribution.

    Density ``exp(-log(x)**2 / (2 s**2)) / (s x sqrt(2 pi))`` for x above 0; `s`, positive, is the
    standard deviation of the logarithm, and `scale` the exponential of its mean.

    Examples
    --------
    >>> from likewise.stats import lognorm
    >>> round(float(lognorm.sf(2.0, 0.5)), 4)
    0.0828
    """

    name = "lognorm"
    parameters = (Parameter("s", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, s: Any) -> Any:
        xp = array_namespace(x, s)
        end = x == 0
        log = xp.log(xp.where(end, 1.0, x))
        found = norm._logpdf(log / s) - log - xp.log(s)
        return xp.where(end, -xp.inf, found)

    def _pdf(self, x: Any, s: Any) -> Any:
        xp = array_namespace(x, s)
        end = x == 0
        x = xp.where(end, 1.0, x)
        return xp.where(end, 0.0, norm._pdf(xp.log(x) / s) / (s * x))

    def _cdf(self, x: Any, s: Any) -> Any:
        return ndtr(array_namespace(x, s).log(x) / s)

    def _sf(self, x: Any, s: Any) -> Any:
        return ndtr(-array_namespace(x, s).log(x) / s)

    def _logcdf(self, x: Any, s: Any) -> Any:
        return log_ndtr(array_namespace(x, s).log(x) / s)

    def _logsf(self, x: Any, s: Any) -> Any:
        return log_ndtr(-array_namespace(x, s).log(x) / s)

    def _ppf(self, q: Any, s: Any) -> Any:
        return array_namespace(q, s).exp(s * ndtri(q))

    def _isf(self, q: Any, s: Any) -> Any:
        return array_namespace(q, s).exp(-s * ndtri(q))

    def _moments(self, xp: Any, s: Any) -> Any:
        e = xp.expm1(s * s)
        kurtosis = e * (16 + e * (15 + e * (6 + e)))
        return xp.exp(0.5 * s * s), (1 + e) * e, xp.sqrt(e) * (3 + e), kurtosis

    def _entropy(self, xp: Any, x: Any, s: Any) -> Any:
        return 0.5 * (1 + math.log(2 * math.pi)) + xp.log(s)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, s: Any) -> Any:
        return xp.exp(s * normal(key, shape, dtype))


class HalfNorm(Continuous):
    """The distribution of the absolute value of a normal number.

    Density ``sqrt(2 / pi) exp(-x**2 / 2)`` for x from 0 on.

    Examples
    --------
    >>> from likewise.stats import halfnorm
    >>> round(float(halfnorm.cdf(1.0)), 4)
    0.6827
    """

    name = "halfnorm"
    support_ends = (0.0, math.inf)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """The density falls, so that loc is the first of the data."""
        return {} if "loc" in fixed else {"loc": xp.min(x, axis=-1)}

    def _pdf(self, x: Any) -> Any:
        return 2 * norm._pdf(x)

    def _logpdf(self, x: Any) -> Any:
        return norm._logpdf(x) + math.log(2)

    def _cdf(self, x: Any) -> Any:
        return erf(math.sqrt(0.5) * x)

    def _sf(self, x: Any) -> Any:
        return 2 * ndtr(-x)

    def _logsf(self, x: Any) -> Any:
        return log_ndtr(-x) + math.log(2)

    def _ppf(self, q: Any) -> Any:
        return math.sqrt(2) * erfinv(q)

    def _isf(self, q: Any) -> Any:
        return -ndtri(0.5 * q)

    def _moments(self, xp: Any) -> Any:
        skewness = math.sqrt(2) * (4 - math.pi) / (math.pi - 2) ** 1.5
        kurtosis = 8 * (math.pi - 3) / (math.pi - 2) ** 2
        return math.sqrt(2 / math.pi), 1 - 2 / math.pi, skewness, kurtosis

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 0.5 * math.log(math.pi / 2) + 0.5

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return xp.abs(normal(key, shape, dtype))


class PowerNorm(Continuous):
    """The distribution of the least of `c` normal numbers, for any positive `c`.

    Its survival function is that of `norm` to the power `c`.

    Examples
    --------
    >>> from likewise.stats import powernorm
    >>> round(float(powernorm.median(4.0)), 4)
    -0.9981
    """

    name = "powernorm"
    parameters = (Parameter("c", 0.0),)

    def _logpdf(self, x: Any, c: Any) -> Any:
        log = array_namespace(x, c).log(c)
        return log + norm._logpdf(x) + (c - 1) * log_ndtr(-x)

    def _cdf(self, x: Any, c: Any) -> Any:
        return -array_namespace(x, c).expm1(c * log_ndtr(-x))

    def _sf(self, x: Any, c: Any) -> Any:
        return array_namespace(x, c).exp(c * log_ndtr(-x))

    def _logcdf(self, x: Any, c: Any) -> Any:
        return log_less(-c * log_ndtr(-x), array_namespace(x, c).log(c) + log_ndtr(x))

    def _logsf(self, x: Any, c: Any) -> Any:
        return c * log_ndtr(-x)

    def _ppf(self, q: Any, c: Any) -> Any:
        return -ndtri_exp(array_namespace(q, c).log1p(-q) / c)

    def _isf(self, q: Any, c: Any) -> Any:
        return -ndtri_exp(array_namespace(q, c).log(q) / c)


halfnorm = HalfNorm()
lognorm = LogNorm()
powernorm = PowerNorm()
