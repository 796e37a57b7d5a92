"""Burr's distributions and others whose distribution function is a power of the logistic one."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import beta, digamma, log_expit, zeta
from ._forms import ByLogCdf, ByLogSf, log1mexp
from ._parameters import Parameter

__all__ = ["burr", "burr12", "fisk", "genlogistic", "kappa3", "mielke"]

_EULER, _ZETA3 = 0.5772156649015329, 1.2020569031595942


def _logit_of_log(log: Any) -> Any:
    """Return where the logarithm of the logistic function is `log`."""
    return log - log1mexp(log)


def _log_burr(x: Any, c: Any, d: Any) -> Any:
    """Return the logarithm of Burr's density; nothing large is subtracted in it."""
    xp = array_namespace(x, c, d)
    low = x < 1
    v = c * xp.log(x)
    power = xp.where(low, c * d - 1, -c - 1)
    at_zero = (x == 0) & (power == 0)  # of the power 0 of 0
    log = power * xp.log(xp.where(at_zero, 1.0, x))
    return xp.log(c) + xp.log(d) + log + (d + 1) * log_expit(xp.where(low, -v, v))


class _Power(ByLogCdf):
    """A distribution function ``x**(c d) / (1 + x**c)**d``; `_shapes` returns c and d."""

    def _shapes(self, *shapes: Any) -> tuple[Any, Any]:
        return shapes[0], shapes[1]

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        return _log_burr(x, *self._shapes(*shapes))

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        c, d = self._shapes(*shapes)
        return d * log_expit(c * array_namespace(x).log(x))

    def _of_logcdf(self, log: Any, *shapes: Any) -> Any:
        c, d = self._shapes(*shapes)
        return array_namespace(log).exp(_logit_of_log(log / d) / c)

    def _raw_moment(self, xp: Any, order: int, *shapes: Any) -> Any:
        c, d = self._shapes(*shapes)
        there = c > order
        part = order / xp.where(there, c, 2.0 * order)
        return xp.where(there, d * beta(1 - part, d + part), self.without_moment)

    without_moment = math.nan


class Burr(_Power):
    """Burr's distribution of type III.

    Density ``c d x**(-c - 1) / (1 + x**-c)**(d + 1)`` for positive `x`; `c` and `d` are positive.

    Examples
    --------
    >>> from likewise.stats import burr
    >>> round(float(burr.cdf(2.0, 3.0, 1.5)), 4)
    0.8381
    """

    name = "burr"
    parameters = (Parameter("c", 0.0), Parameter("d", 0.0))
    support_ends = (0.0, math.inf)


class Fisk(_Power):
    """The log-logistic distribution, Fisk's.

    Density ``c x**(c - 1) / (1 + x**c)**2`` for positive `x`; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import fisk
    >>> round(float(fisk.cdf(2.0, 3.0)), 4)
    0.8889
    """

    name = "fisk"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)

    def _shapes(self, *shapes: Any) -> tuple[Any, Any]:
        return shapes[0], array_namespace(shapes[0]).ones_like(shapes[0])

    def _sf(self, x: Any, c: Any) -> Any:
        return array_namespace(x).exp(self._logsf(x, c))

    def _logsf(self, x: Any, c: Any) -> Any:
        return log_expit(-c * array_namespace(x).log(x))

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 2 - xp.log(c)


class Mielke(_Power):
    """Mielke's Beta-Kappa distribution, Dagum's.

    Density ``k x**(k - 1) / (1 + x**s)**(1 + k / s)`` for positive `x`; `k` and `s` are positive.

    Examples
    --------
    >>> from likewise.stats import mielke
    >>> round(float(mielke.cdf(2.0, 4.5, 3.0)), 4)
    0.8381
    """

    name = "mielke"
    parameters = (Parameter("k", 0.0), Parameter("s", 0.0))
    support_ends = (0.0, math.inf)
    without_moment = math.inf

    def _shapes(self, *shapes: Any) -> tuple[Any, Any]:
        k, s = shapes
        return s, k / s


class Burr12(ByLogSf):
    """Burr's distribution of type XII, Singh and Maddala's.

    Density ``c d x**(c - 1) / (1 + x**c)**(d + 1)`` for positive `x`; `c` and `d` are positive.

    Examples
    --------
    >>> from likewise.stats import burr12
    >>> round(float(burr12.sf(2.0, 3.0, 1.5)), 4)
    0.037
    """

    name = "burr12"
    parameters = (Parameter("c", 0.0), Parameter("d", 0.0))
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, c: Any, d: Any) -> Any:
        xp = array_namespace(x, c, d)
        low = x < 1
        v = c * xp.log(x)
        power = xp.where(low, c - 1, -c * d - 1)
        log = power * xp.log(xp.where((x == 0) & (power == 0), 1.0, x))
        return xp.log(c) + xp.log(d) + log + (d + 1) * log_expit(xp.where(low, -v, v))

    def _logsf(self, x: Any, c: Any, d: Any) -> Any:
        return d * log_expit(-c * array_namespace(x).log(x))

    def _of_logsf(self, log: Any, c: Any, d: Any) -> Any:
        return array_namespace(log).exp(-_logit_of_log(log / d) / c)

    def _raw_moment(self, xp: Any, order: int, c: Any, d: Any) -> Any:
        there = c * d > order
        part = order / c
        return xp.where(there, d * beta(1 + part, xp.where(there, d - part, 1.0)), xp.nan)


class Kappa3(ByLogCdf):
    """The kappa distribution of three parameters.

    Density ``a (a + x**a)**(-1 / a - 1)`` for positive `x`; `a` is positive.

    Examples
    --------
    >>> from likewise.stats import kappa3
    >>> round(float(kappa3.cdf(2.0, 1.0)), 4)
    0.6667
    """

    name = "kappa3"
    parameters = (Parameter("a", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, a: Any) -> Any:
        xp = array_namespace(x, a)
        log = xp.log(a)
        return (1 + 1 / a) * log_expit(log - a * xp.log(x)) - log / a

    def _logcdf(self, x: Any, a: Any) -> Any:
        xp = array_namespace(x, a)
        return log_expit(a * xp.log(x) - xp.log(a)) / a

    def _pdf(self, x: Any, a: Any) -> Any:
        return self._powers(x, a, 1.0)

    def _cdf(self, x: Any, a: Any) -> Any:
        return self._powers(x, a, 0.0)

    def _powers(self, x: Any, a: Any, order: float) -> Any:
        """Density or distribution function by powers, which keep more digits than logarithms."""
        xp = array_namespace(x, a)
        low = x < 1
        y, z = xp.where(low, x, 1.0), xp.where(low, 1.0, x)
        near = (a + y**a) ** (-order - 1 / a) * (a if order else y)
        far = (1 + a * z**-a) ** (-order - 1 / a) * (a * z ** (-a - 1) if order else 1.0)
        return xp.where(low, near, far)

    def _ppf(self, q: Any, a: Any) -> Any:
        xp = array_namespace(q, a)
        return q * (a / -xp.expm1(a * xp.log(q))) ** (1 / a)

    def _of_logcdf(self, log: Any, a: Any) -> Any:
        xp = array_namespace(log, a)
        return xp.exp((_logit_of_log(a * log) + xp.log(a)) / a)

    def _raw_moment(self, xp: Any, order: int, a: Any) -> Any:
        there = a > order
        part = order / xp.where(there, a, 2.0 * order)
        return xp.where(there, a ** (part - 1) * beta(1 - part, 1 / a + part), xp.nan)


class GenLogistic(ByLogCdf):
    """The generalized logistic distribution of type I.

    Density ``c exp(-x) / (1 + exp(-x))**(c + 1)``; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import genlogistic
    >>> round(float(genlogistic.cdf(1.0, 2.0)), 4)
    0.5344
    """

    name = "genlogistic"
    parameters = (Parameter("c", 0.0),)

    def _logpdf(self, x: Any, c: Any) -> Any:
        return array_namespace(c).log(c) + c * log_expit(x) + log_expit(-x)

    def _logcdf(self, x: Any, c: Any) -> Any:
        return c * log_expit(x)

    def _of_logcdf(self, log: Any, c: Any) -> Any:
        return _logit_of_log(log / c)

    def _moments(self, xp: Any, c: Any) -> Any:
        var = math.pi**2 / 6 + zeta(2.0, c)
        skew = 2 * (_ZETA3 - zeta(3.0, c)) / (var * xp.sqrt(var))
        return _EULER + digamma(c), var, skew, (math.pi**4 / 15 + 6 * zeta(4.0, c)) / (var * var)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return digamma(c + 1) - xp.log(c) + (_EULER + 1)


burr, burr12, fisk, mielke = Burr(), Burr12(), Fisk(), Mielke()
genlogistic, kappa3 = GenLogistic(), Kappa3()
