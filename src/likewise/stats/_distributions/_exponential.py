"""The exponential distribution and its kin: laplace, rayleigh, truncexpon, and Weibull's three."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...missing import median
from ...optimize import find_root
from ...random import exponential
from ...random import laplace as draw_laplace
from ...special import gamma as gamma_function
from ...special import gammaln, xlogy
from ._continuous import Continuous
from ._forms import ByLogMoments
from ._mirrored import Mirrored
from ._parameters import Parameter

__all__ = [
    "expon",
    "from_zero",
    "invweibull",
    "laplace",
    "log_less",
    "rayleigh",
    "truncexpon",
    "weibull_max",
    "weibull_min",
]

EULER = 0.57721566490153286


def from_zero(x: Any) -> Any:
    """x, and 0 where it is below."""
    return array_namespace(x).where(x < 0, 0.0, x)


def log_less(p: Any, log_p: Any) -> Any:
    """log(1 - exp(-p)) for p from 0 on, whose logarithm is known where p underflows."""
    xp = array_namespace(p)
    tiny, large = p < 1e-20, p > 1
    near = xp.log(-xp.expm1(-xp.where(tiny | large, 0.5, p)))
    far = xp.log1p(-xp.exp(-xp.where(large, p, 1.0)))
    return xp.where(tiny, log_p, xp.where(large, far, near))


class Expon(Continuous):
    """The exponential distribution.

    Density ``exp(-x)`` for x from 0 on; `scale` is the mean.

    Examples
    --------
    >>> from likewise.stats import expon
    >>> round(float(expon.sf(2.0, scale=4.0)), 4)
    0.6065
    """

    name = "expon"
    support_ends = (0.0, math.inf)
    whole = frozenset(("cdf", "sf"))

    def _pdf(self, x: Any) -> Any:
        return array_namespace(x).exp(-x)

    def _logpdf(self, x: Any) -> Any:
        return -x

    def _cdf(self, x: Any) -> Any:
        return -array_namespace(x).expm1(-from_zero(x))

    def _sf(self, x: Any) -> Any:
        return array_namespace(x).exp(-from_zero(x))

    def _logsf(self, x: Any) -> Any:
        return -x

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        low = xp.min(x, axis=-1)
        loc = fixed.get("loc", low)
        scale = fixed.get("scale", xp.mean(x, axis=-1) - loc)
        return loc, xp.where(loc <= low, scale, xp.nan)

    def _ppf(self, q: Any) -> Any:
        return -array_namespace(q).log1p(-q)

    def _isf(self, q: Any) -> Any:
        return -array_namespace(q).log(q)

    def _moments(self, xp: Any) -> Any:
        return 1.0, 1.0, 2.0, 6.0

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 1.0

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return exponential(key, shape, dtype)


class TruncExpon(Continuous):
    """The exponential distribution between 0 and `b`, which is positive.

    Density ``exp(-x) / (1 - exp(-b))``.

    Examples
    --------
    >>> from likewise.stats import truncexpon
    >>> round(float(truncexpon.mean(2.0)), 4)
    0.687
    """

    name = "truncexpon"
    parameters = (Parameter("b", 0.0),)

    def _support(self, xp: Any, b: Any) -> Any:
        return 0.0, b

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """The support ends at the data's ends, and b is where the mean is that of the data."""
        low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
        loc = fixed.get("loc", low)
        mean, width = xp.mean(x, axis=-1) - loc, xp.where(loc <= low, high - loc, xp.nan)
        if "b" in fixed:
            least = width / fixed["b"]
            found = {"loc": loc, "scale": xp.where(mean > least, mean, least)}
        elif "scale" in fixed:
            found = {"loc": loc, "b": width / fixed["scale"]}
        else:
            share = xp.where(mean < 0.4999 * width, mean / width, 0.4999)  # of 1/2: b is 0
            ends = xp.full_like(share, 1e-5), 1.1 / share
            b = find_root(lambda b, t: 1 / b - 1 / xp.expm1(b) - t, ends, args=(share,)).x
            found = {"b": b, "loc": loc, "scale": width / b}
        return found | fixed

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        found = self._fit_known(xp, x, fixed)
        return [found[p.name] for p in self._every]

    def _logpdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return -x - log_less(b, xp.log(b))

    def _cdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return xp.expm1(-x) / xp.expm1(-b)

    def _sf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return xp.exp(-x) * (xp.expm1(x - b) / xp.expm1(-b))

    def _logsf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return log_less(b - x, xp.log(b - x)) - x - log_less(b, xp.log(b))

    def _ppf(self, q: Any, b: Any) -> Any:
        xp = array_namespace(q, b)
        return -xp.log1p(q * xp.expm1(-b))

    def _isf(self, q: Any, b: Any) -> Any:
        xp = array_namespace(q, b)
        short = b < 1
        near = b - xp.log1p(q * xp.expm1(xp.where(short, b, 0.0)))
        far = -xp.log(xp.exp(-b) - q * xp.expm1(-b))
        return xp.where(short, near, far)

    def _entropy(self, xp: Any, x: Any, b: Any) -> Any:
        return log_less(b, xp.log(b)) + 1 - b / xp.expm1(b)


class Laplace(Continuous):
    """The Laplace distribution.

    Density ``exp(-abs(x)) / 2``.

    Examples
    --------
    >>> from likewise.stats import laplace
    >>> round(float(laplace.ppf(0.9)), 4)
    1.6094
    """

    name = "laplace"
    breaks = 1
    whole = frozenset(("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"))

    def _breaks(self) -> tuple[Any, ...]:
        return (0.0,)

    def _pdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return 0.5 * xp.exp(-xp.abs(x))

    def _logpdf(self, x: Any) -> Any:
        return -array_namespace(x).abs(x) - math.log(2)

    def _cdf(self, x: Any) -> Any:
        tail = self._pdf(x)
        return array_namespace(x).where(x > 0, 1 - tail, tail)

    def _sf(self, x: Any) -> Any:
        return self._cdf(-x)

    def _logcdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return xp.where(x > 0, xp.log1p(-self._pdf(x)), self._logpdf(x))

    def _logsf(self, x: Any) -> Any:
        return self._logcdf(-x)

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        low = q < 0.5
        y = xp.log(2 * xp.where(low, q, 1 - q))
        return xp.where(low, y, -y)

    def _isf(self, q: Any) -> Any:
        return -self._ppf(q)

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        loc = fixed["loc"] if "loc" in fixed else median(x, axis=-1)
        return loc, fixed.get("scale", xp.mean(xp.abs(x - loc[..., None]), axis=-1))

    def _moments(self, xp: Any) -> Any:
        return 0.0, 2.0, 0.0, 3.0

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(2) + 1

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return draw_laplace(key, shape, dtype)


class Rayleigh(Continuous):
    """The Rayleigh distribution.

    Density ``x exp(-x**2 / 2)`` for x above 0.

    Examples
    --------
    >>> from likewise.stats import rayleigh
    >>> round(float(rayleigh.median()), 4)
    1.1774
    """

    name = "rayleigh"
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any) -> Any:
        return array_namespace(x).log(x) - 0.5 * x * x

    def _pdf(self, x: Any) -> Any:
        return x * array_namespace(x).exp(-0.5 * x * x)

    def _cdf(self, x: Any) -> Any:
        return -array_namespace(x).expm1(-0.5 * x * x)

    def _sf(self, x: Any) -> Any:
        return array_namespace(x).exp(-0.5 * x * x)

    def _logcdf(self, x: Any) -> Any:
        return log_less(0.5 * x * x, 2 * array_namespace(x).log(x) - math.log(2))

    def _logsf(self, x: Any) -> Any:
        return -0.5 * x * x

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        return xp.sqrt(-2 * xp.log1p(-q))

    def _isf(self, q: Any) -> Any:
        xp = array_namespace(q)
        return xp.sqrt(-2 * xp.log(q))

    def _moments(self, xp: Any) -> Any:
        v = 4 - math.pi
        skewness = 2 * (math.pi - 3) * math.sqrt(math.pi) / v**1.5
        return math.sqrt(math.pi / 2), v / 2, skewness, 6 * math.pi / v - 16 / v**2

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 0.5 * EULER + 1 - 0.5 * math.log(2)


class WeibullMin(ByLogMoments):
    """Weibull's distribution of minima.

    Density ``c x**(c - 1) exp(-x**c)`` for x above 0; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import weibull_min
    >>> round(float(weibull_min.cdf(1.5, 2.0)), 4)
    0.8946
    """

    name = "weibull_min"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        return array_namespace(x, c).log(c) + xlogy(c - 1, x) - x**c

    def _pdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        none = x**c > 750  # beyond the least number
        y = xp.where(none, 1.0, x)
        return xp.where(none, 0.0, c * y ** (c - 1) * xp.exp(-(y**c)))

    def _cdf(self, x: Any, c: Any) -> Any:
        return -array_namespace(x, c).expm1(-(x**c))

    def _sf(self, x: Any, c: Any) -> Any:
        return array_namespace(x, c).exp(-(x**c))

    def _logcdf(self, x: Any, c: Any) -> Any:
        return log_less(x**c, c * array_namespace(x, c).log(x))

    def _logsf(self, x: Any, c: Any) -> Any:
        return -(x**c)

    def _ppf(self, q: Any, c: Any) -> Any:
        return (-array_namespace(q, c).log1p(-q)) ** (1 / c)

    def _isf(self, q: Any, c: Any) -> Any:
        return (-array_namespace(q, c).log(q)) ** (1 / c)

    def _moments(self, xp: Any, c: Any) -> Any:
        return gamma_function(1 + 1 / c), None, None, None

    def _log_moment(self, xp: Any, order: int, c: Any) -> Any:
        return gammaln(1 + order / c)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return EULER * (1 - 1 / c) - xp.log(c) + 1


class WeibullMax(Mirrored):
    """Weibull's distribution of maxima, of the negative of `weibull_min`.

    Density ``c (-x)**(c - 1) exp(-(-x)**c)`` for x below 0; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import weibull_max
    >>> round(float(weibull_max.cdf(-1.5, 2.0)), 4)
    0.1054
    """

    name = "weibull_max"
    parameters = (Parameter("c", 0.0),)


class InvWeibull(ByLogMoments):
    """Fréchet's distribution, of the inverse of `weibull_min`.

    Density ``c x**(-c - 1) exp(-x**-c)`` for x above 0; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import invweibull
    >>> round(float(invweibull.median(3.0)), 4)
    1.1299
    """

    name = "invweibull"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        safe = xp.where(x > 0, x, 1.0)
        found = xp.log(c) - (c + 1) * xp.log(safe) - safe ** (-c)
        return xp.where(x == 0, -xp.inf, xp.where(xp.isnan(x), x, found))

    def _pdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        none = x ** (-c) > 750  # beyond the least number
        y = xp.where(none, 1.0, x)
        return xp.where(none, 0.0, c * y ** (-c - 1) * xp.exp(-(y ** (-c))))

    def _cdf(self, x: Any, c: Any) -> Any:
        return array_namespace(x, c).exp(-(x ** (-c)))

    def _sf(self, x: Any, c: Any) -> Any:
        return -array_namespace(x, c).expm1(-(x ** (-c)))

    def _logcdf(self, x: Any, c: Any) -> Any:
        return -(x ** (-c))

    def _logsf(self, x: Any, c: Any) -> Any:
        return log_less(x ** (-c), -c * array_namespace(x, c).log(x))

    def _ppf(self, q: Any, c: Any) -> Any:
        return (-array_namespace(q, c).log(q)) ** (-1 / c)

    def _isf(self, q: Any, c: Any) -> Any:
        return (-array_namespace(q, c).log1p(-q)) ** (-1 / c)

    def _log_moment(self, xp: Any, order: int, c: Any) -> Any:
        there = c > order
        return xp.where(there, gammaln(1 - order / xp.where(there, c, 2.0 * order)), xp.inf)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 1 + EULER + EULER / c - xp.log(c)


expon = Expon()
invweibull = InvWeibull()
laplace = Laplace()
rayleigh = Rayleigh()
truncexpon = TruncExpon()
weibull_min = WeibullMin()
WeibullMax.of = weibull_min
weibull_max = WeibullMax()
