"""The logistic distribution and Cauchy's: on the line, on its half, and Cauchy's on the circle."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import expit, log_expit, logit
from ._continuous import Continuous
from ._parameters import Parameter

__all__ = ["cauchy", "halfcauchy", "halflogistic", "logistic", "wrapcauchy"]

_ZETA3 = 1.2020569031595942


class Logistic(Continuous):
    """The logistic distribution.

    Density ``exp(-x) / (1 + exp(-x))**2``.

    Examples
    --------
    >>> from likewise.stats import logistic
    >>> round(float(logistic.cdf(1.0)), 4)
    0.7311
    """

    name = "logistic"
    whole = frozenset(("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"))

    def _pdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        e = xp.exp(-xp.abs(x))
        return e / (1 + e) ** 2

    def _logpdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        y = -xp.abs(x)
        return y - 2 * xp.log1p(xp.exp(y))

    def _cdf(self, x: Any) -> Any:
        return expit(x)

    def _sf(self, x: Any) -> Any:
        return expit(-x)

    def _logcdf(self, x: Any) -> Any:
        return log_expit(x)

    def _logsf(self, x: Any) -> Any:
        return log_expit(-x)

    def _ppf(self, q: Any) -> Any:
        return logit(q)

    def _isf(self, q: Any) -> Any:
        return -logit(q)

    def _moments(self, xp: Any) -> Any:
        return 0.0, math.pi**2 / 3, 0.0, 6 / 5

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 2.0


class HalfLogistic(Continuous):
    """The distribution of the absolute value of a logistic number.

    Density ``2 exp(-x) / (1 + exp(-x))**2`` for x from 0 on.

    Examples
    --------
    >>> from likewise.stats import halflogistic
    >>> round(float(halflogistic.mean()), 4)
    1.3863
    """

    name = "halflogistic"
    support_ends = (0.0, math.inf)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """The density falls, so that loc is the first of the data."""
        return {} if "loc" in fixed else {"loc": xp.min(x, axis=-1)}

    def _pdf(self, x: Any) -> Any:
        return 2 * logistic._pdf(x)

    def _logpdf(self, x: Any) -> Any:
        return logistic._logpdf(x) + math.log(2)

    def _cdf(self, x: Any) -> Any:
        return array_namespace(x).tanh(0.5 * x)

    def _sf(self, x: Any) -> Any:
        return 2 * expit(-x)

    def _logsf(self, x: Any) -> Any:
        xp = array_namespace(x)
        small = x < 1
        near = xp.log1p(-xp.tanh(0.5 * xp.where(small, x, 0.0)))
        return xp.where(small, near, log_expit(-x) + math.log(2))

    def _ppf(self, q: Any) -> Any:
        return 2 * array_namespace(q).atanh(q)

    def _isf(self, q: Any) -> Any:
        xp = array_namespace(q)
        low = q < 0.5
        near = 2 * xp.atanh(1 - xp.where(low, 0.5, q))
        return xp.where(low, -logit(0.5 * xp.where(low, q, 0.5)), near)

    def _moments(self, xp: Any) -> Any:
        mean = 2 * math.log(2)
        var = math.pi**2 / 3 - mean**2
        third = 9 * _ZETA3 - 3 * mean * var - mean**3
        fourth = 7 * math.pi**4 / 15 - 36 * mean * _ZETA3 + 6 * mean**2 * var + 3 * mean**4
        return mean, var, third / var**1.5, fourth / var**2 - 3

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 2 - math.log(2)


class Cauchy(Continuous):
    """Cauchy's distribution.

    Density ``1 / (pi (1 + x**2))``.

    Examples
    --------
    >>> from likewise.stats import cauchy
    >>> round(float(cauchy.isf(0.01)), 4)
    31.8205
    """

    name = "cauchy"
    whole = frozenset(("pdf", "logpdf", "cdf", "sf"))

    def _pdf(self, x: Any) -> Any:
        return 1 / (math.pi * (1 + x * x))

    def _logpdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        size = xp.abs(x)
        far = size > 1
        large = xp.where(far, size, 1.0)
        near = xp.log1p(xp.where(far, 0.0, x) ** 2)
        return -xp.where(far, 2 * xp.log(large) + xp.log1p(large**-2.0), near) - math.log(math.pi)

    def _cdf(self, x: Any) -> Any:
        return self._sf(-x)

    def _sf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return xp.atan2(xp.ones_like(x), x) / math.pi

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        upper = q > 0.5
        t = xp.where(upper, 1 - q, q)
        outer = t < 0.25
        far = -1 / xp.tan(math.pi * xp.where(outer, t, 0.25))
        y = xp.where(outer, far, xp.tan(math.pi * (xp.where(outer, 0.25, t) - 0.5)))
        return xp.where(upper, -y, y)

    def _isf(self, q: Any) -> Any:
        return -self._ppf(q)

    def _moments(self, xp: Any) -> Any:
        return math.nan, math.nan, math.nan, math.nan

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(4 * math.pi)


class HalfCauchy(Continuous):
    """The distribution of the absolute value of a Cauchy number.

    Density ``2 / (pi (1 + x**2))`` for x from 0 on.

    Examples
    --------
    >>> from likewise.stats import halfcauchy
    >>> round(float(halfcauchy.cdf(1.0)), 4)
    0.5
    """

    name = "halfcauchy"
    support_ends = (0.0, math.inf)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """The density falls, so that loc is the first of the data."""
        return {} if "loc" in fixed else {"loc": xp.min(x, axis=-1)}

    def _pdf(self, x: Any) -> Any:
        return 2 * cauchy._pdf(x)

    def _logpdf(self, x: Any) -> Any:
        return cauchy._logpdf(x) + math.log(2)

    def _cdf(self, x: Any) -> Any:
        return array_namespace(x).atan(x) * (2 / math.pi)

    def _sf(self, x: Any) -> Any:
        return 2 * cauchy._sf(x)

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        low = q < 0.5
        near = xp.tan(0.5 * math.pi * xp.where(low, q, 0.5))
        return xp.where(low, near, 1 / xp.tan(0.5 * math.pi * (1 - xp.where(low, 0.5, q))))

    def _isf(self, q: Any) -> Any:
        xp = array_namespace(q)
        low = q < 0.5
        near = 1 / xp.tan(0.5 * math.pi * xp.where(low, q, 0.5))
        return xp.where(low, near, xp.tan(0.5 * math.pi * (1 - xp.where(low, 0.5, q))))

    def _moments(self, xp: Any) -> Any:
        return math.inf, math.inf, math.nan, math.nan

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(2 * math.pi)


class WrapCauchy(Continuous):
    """Cauchy's distribution, wrapped around a circle.

    Density ``(1 - c**2) / (2 pi (1 + c**2 - 2 c cos(x)))`` for x between 0 and 2 pi; 0 < c < 1.
    Random numbers lie between 0 and 2 pi with any loc and scale.

    Examples
    --------
    >>> from likewise.stats import wrapcauchy
    >>> round(float(wrapcauchy.cdf(1.0, 0.5)), 4)
    0.3256
    """

    name = "wrapcauchy"
    parameters = (Parameter("c", 0.0, 1.0),)
    support_ends = (0.0, 2 * math.pi)

    def _pdf(self, x: Any, c: Any) -> Any:
        s = array_namespace(x, c).sin(0.5 * x)
        return (1 - c) * (1 + c) / (2 * math.pi * ((1 - c) ** 2 + 4 * c * s * s))

    def _cdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.atan2(_scaled(x, c), xp.cos(0.5 * x)) / math.pi

    def _sf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.atan2(_scaled(x, c), -xp.cos(0.5 * x)) / math.pi

    def _ppf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        sine = xp.sin(math.pi * xp.where(q > 0.5, 1 - q, q))
        return 2 * xp.atan2((1 - c) / (1 + c) * sine, xp.cos(math.pi * q))

    def _isf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        sine = xp.sin(math.pi * xp.where(q > 0.5, 1 - q, q))
        return 2 * xp.atan2((1 - c) / (1 + c) * sine, -xp.cos(math.pi * q))

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return xp.log(2 * math.pi * (1 - c) * (1 + c))

    def _at_moved(self, xp: Any, z: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return super()._at_moved(xp, z, shapes, loc, scale) % (2 * math.pi)


def _scaled(x: Any, c: Any) -> Any:
    """sin(x / 2) (1 + c) / (1 - c), with all digits at both ends."""
    xp = array_namespace(x, c)
    near = xp.where(x < math.pi, x, 2 * math.pi - x)
    return xp.sin(0.5 * near) * (1 + c) / (1 - c)


cauchy = Cauchy()
halfcauchy = HalfCauchy()
halflogistic = HalfLogistic()
logistic = Logistic()
wrapcauchy = WrapCauchy()
