"""Distributions of powers and logarithms of gamma variables."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import gamma, uniform
from ...random._keys import split_in_two
from ...special import (
    digamma,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    polygamma,
)
from ._continuous import Continuous
from ._densities import log_gamma_density
from ._forms import ByLogMoments, log_rising
from ._gamma import Gamma, gamma_entropy
from ._parameters import Parameter

__all__ = ["erlang", "gengamma", "loggamma"]


class LogGamma(Continuous):
    """The log-gamma distribution, of the logarithm of a gamma variable.

    Density ``exp(c x - exp(x)) / gamma(c)``; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import loggamma
    >>> round(float(loggamma.cdf(0.0, 1.0)), 4)
    0.6321
    """

    name = "loggamma"
    parameters = (Parameter("c", 0.0),)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        low, high = x < -40, x > 300  # where exp(-exp(x)) is 1 or 0, next to exp(c x)
        near = x + log_gamma_density(c, xp.exp(xp.where(low | high, 0.0, x)))
        return xp.where(low | high, c * x - xp.exp(x) - gammaln(c), near)

    def _logcdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        low = x < -40
        near = super()._logcdf(xp.where(low, 0.0, x), c)
        return xp.where(low, c * x - gammaln(c + 1), near)

    def _cdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        low = x < -40
        far = xp.exp(c * xp.where(low, x, -40.0) - gammaln(c + 1))
        return xp.where(low, far, gammainc(c, xp.exp(xp.where(low, 0.0, x))))

    def _sf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        low = x < -40
        far = -xp.expm1(c * xp.where(low, x, -40.0) - gammaln(c + 1))
        return xp.where(low, far, gammaincc(c, xp.exp(xp.where(low, 0.0, x))))

    def _ppf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        return self._log_of(gammaincinv(c, q), xp.log(q), c)

    def _isf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        return self._log_of(gammainccinv(c, q), xp.log1p(-q), c)

    def _log_of(self, t: Any, log: Any, c: Any) -> Any:
        """log(t), also where t, whose distribution function has the logarithm `log`, underflows."""
        xp = array_namespace(t, c)
        low = t < 1e-17
        return xp.where(low, (log + gammaln(c + 1)) / c, xp.log(xp.where(low, 1.0, t)))

    def _moments(self, xp: Any, c: Any) -> Any:
        var = polygamma(1, c)
        skew = polygamma(2, c) / (var * xp.sqrt(var))
        return digamma(c), var, skew, polygamma(3, c) / (var * var)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        small = c < 1  # where the digamma functions of the other form cancel
        near, far = xp.where(small, c, 1.0), xp.where(small, 1.0, c)
        near = gammaln(near) + near * (1 - digamma(near))
        return xp.where(small, near, gamma_entropy(xp, far) - digamma(far))

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, c: Any) -> Any:
        one, two = split_in_two(key)  # of c + 1, as exp(x) of a small c underflows
        u = uniform(two, shape, dtype)
        u = xp.where(u > 0, u, 0.25 * float(xp.finfo(dtype).eps))
        return xp.log(gamma(one, c + 1, shape, dtype)) + xp.log(u) / c


class GenGamma(ByLogMoments):
    """The generalized gamma distribution, of a gamma variable to the power ``1 / c``.

    Density ``abs(c) x**(c a - 1) exp(-x**c) / gamma(a)`` for positive `x`; `a` is positive, `c`
    isn't 0.

    Examples
    --------
    >>> from likewise.stats import gengamma
    >>> round(float(gengamma.cdf(1.0, 1.0, 2.0)), 4)
    0.6321
    """

    name = "gengamma"
    parameters = (Parameter("a", 0.0), Parameter("c"))
    support_ends = (0.0, math.inf)

    def _valid(self, xp: Any, a: Any, c: Any) -> Any:
        return c != 0

    def _logpdf(self, x: Any, a: Any, c: Any) -> Any:
        xp = array_namespace(x, a, c)
        y = x**c
        plain = (y > 1e-8) & (y < 1e8)  # else nothing cancels
        log = xp.log(xp.where((x == 0) & (c * a == 1), 1.0, x))
        near = log_gamma_density(a, xp.where(plain, y, 1.0)) + (c - 1) * log
        far = (c * a - 1) * log - xp.where(plain, 0.0, y) - gammaln(a)
        beyond = (x == 0) & (c < 0)
        return xp.log(xp.abs(c)) + xp.where(plain, near, xp.where(beyond, -xp.inf, far))

    def _tails(self, x: Any, a: Any, c: Any, lower: bool) -> Any:
        xp = array_namespace(x, a, c)
        y = x**c
        same = (c > 0) == lower
        # Below the least number the tail is y**a over gamma(a + 1), and y a power of x.
        tiny = same & (y < float(xp.finfo(y.dtype).smallest_normal)) & (x > 0) & (x < xp.inf)
        power = xp.exp(a * c * xp.log(xp.where(tiny, x, 1.0)) - gammaln(a + 1))
        y = xp.where(tiny, 1.0, y)
        return xp.where(tiny, power, xp.where(same, gammainc(a, y), gammaincc(a, y)))

    def _cdf(self, x: Any, a: Any, c: Any) -> Any:
        return self._tails(x, a, c, True)

    def _sf(self, x: Any, a: Any, c: Any) -> Any:
        return self._tails(x, a, c, False)

    def _inverse(self, q: Any, a: Any, c: Any, lower: bool) -> Any:
        xp = array_namespace(q, a, c)
        same = (c > 0) == lower
        y = xp.where(same, gammaincinv(a, q), gammainccinv(a, q))
        # A gamma number below the least one, whose tail is its power over gamma(a + 1).
        tiny = same & (y < float(xp.finfo(y.dtype).smallest_normal))
        log = (xp.log(xp.where(tiny, q, 1.0)) + gammaln(a + 1)) / (a * c)
        return xp.where(tiny, xp.exp(log), xp.where(tiny, 1.0, y) ** (1 / c))

    def _ppf(self, q: Any, a: Any, c: Any) -> Any:
        return self._inverse(q, a, c, True)

    def _isf(self, q: Any, a: Any, c: Any) -> Any:
        return self._inverse(q, a, c, False)

    def _log_moment(self, xp: Any, order: int, a: Any, c: Any) -> Any:
        return log_rising(a, order / c)

    def _entropy(self, xp: Any, x: Any, a: Any, c: Any) -> Any:
        return gamma_entropy(xp, a) + (1 / c - 1) * digamma(a) - xp.log(xp.abs(c))

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any, c: Any) -> Any:
        return gamma(key, a, shape, dtype) ** (1 / c)


class Erlang(Gamma):
    """The Erlang distribution: a gamma distribution whose shape is meant to be an integer.

    Density ``x**(a - 1) exp(-x) / gamma(a)`` for positive `x`; `a` is positive. Differs from SciPy:
    other numbers than integers are taken without a warning.

    Examples
    --------
    >>> from likewise.stats import erlang
    >>> round(float(erlang.cdf(2.0, 3)), 4)
    0.3233
    """

    name = "erlang"


erlang = Erlang()
gengamma, loggamma = GenGamma(), LogGamma()
