"""Distributions of extremes, and of what is beyond a threshold: Gumbel's, the generalised ones."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace
from ...random import gumbel
from ...special import exprel, gamma, gammaln
from ...special._function import elementwise
from ...special._log1p_less import log1p_over
from ._continuous import Continuous
from ._exponential import EULER, log_less
from ._forms import lowest_below, of_log_moments
from ._mirrored import Mirrored
from ._parameters import Parameter
from ._quadrature import mean_of

__all__ = ["genextreme", "genpareto", "gumbel_l", "gumbel_r", "pareto"]

_ZETA3 = 1.2020569031595942


@elementwise(derivatives=(lambda y, t: log1p_over(t),))
def log_quotient(t: Any) -> Any:
    """log(1 + t) / t, and 1 at 0."""
    xp = array_namespace(t)
    zero = t == 0
    safe = xp.where(zero, 1.0, t)
    return xp.where(zero, 1.0, xp.log1p(safe) / safe)


class GumbelR(Continuous):
    """Gumbel's distribution of maxima.

    Density ``exp(-x - exp(-x))``.

    Examples
    --------
    >>> from likewise.stats import gumbel_r
    >>> round(float(gumbel_r.ppf(0.99)), 4)
    4.6001
    """

    name = "gumbel_r"
    whole = frozenset(("cdf", "sf", "logcdf", "ppf", "isf"))

    def _logpdf(self, x: Any) -> Any:
        return -x - array_namespace(x).exp(-x)

    def _cdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return xp.exp(-xp.exp(-x))

    def _sf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return -xp.expm1(-xp.exp(-x))

    def _logcdf(self, x: Any) -> Any:
        return -array_namespace(x).exp(-x)

    def _logsf(self, x: Any) -> Any:
        return log_less(array_namespace(x).exp(-x), -x)

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        return -xp.log(-xp.log(q))

    def _isf(self, q: Any) -> Any:
        xp = array_namespace(q)
        return -xp.log(-xp.log1p(-q))

    def _moments(self, xp: Any) -> Any:
        return EULER, math.pi**2 / 6, 12 * math.sqrt(6) / math.pi**3 * _ZETA3, 12 / 5

    def _entropy(self, xp: Any, x: Any) -> Any:
        return EULER + 1

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return gumbel(key, shape, dtype)


class GumbelL(Mirrored):
    """Gumbel's distribution of minima, of the negative of `gumbel_r`.

    Density ``exp(x - exp(x))``.

    Examples
    --------
    >>> from likewise.stats import gumbel_l
    >>> round(float(gumbel_l.ppf(0.01)), 4)
    -4.6001
    """

    name = "gumbel_l"
    whole = frozenset(("cdf", "sf", "logsf", "ppf", "isf"))


class GenExtreme(Continuous):
    """The generalised distribution of extremes.

    Distribution function ``exp(-(1 - c x)**(1 / c))``, where ``c x`` is below 1, of any real `c`; 0
    means `gumbel_r`.

    Examples
    --------
    >>> from likewise.stats import genextreme
    >>> round(float(genextreme.isf(0.01, -0.1)), 4)
    5.841
    """

    name = "genextreme"
    parameters = (Parameter("c"),)

    def _support(self, xp: Any, c: Any) -> Any:
        end = 1 / xp.where(c == 0, 1.0, c)
        return xp.where(c < 0, end, -xp.inf), xp.where(c > 0, end, xp.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        z = _reduced(x, c)
        last = (c == 1) & (z == xp.inf)  # the end of an exponential distribution
        found = (c - 1) * xp.where(last, 0.0, z) - xp.exp(-z)
        return xp.where(z == -xp.inf, -xp.inf, found)

    def _cdf(self, x: Any, c: Any) -> Any:
        return gumbel_r._cdf(_reduced(x, c))

    def _sf(self, x: Any, c: Any) -> Any:
        return gumbel_r._sf(_reduced(x, c))

    def _logcdf(self, x: Any, c: Any) -> Any:
        return gumbel_r._logcdf(_reduced(x, c))

    def _logsf(self, x: Any, c: Any) -> Any:
        return gumbel_r._logsf(_reduced(x, c))

    def _ppf(self, q: Any, c: Any) -> Any:
        z = gumbel_r._ppf(q)
        return z * exprel(-c * z)

    def _isf(self, q: Any, c: Any) -> Any:
        z = gumbel_r._isf(q)
        return z * exprel(-c * z)

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        """Moments of (1 - w**c) / c, with an exponential w; by quadrature where c is near 0."""
        (c,) = shapes
        last = -1 / (i + 1)
        there, far = c > last, xp.abs(c) > 0.12
        c = xp.where(there & far, c, 1.0)
        if i == 0:
            found = (1 - gamma(1 + c)) / c
        else:
            _, found = of_log_moments(xp, *(gammaln(1 + k * c) for k in range(1, i + 2)))
            found = (
                found / (c * c) if i == 1 else found if i == 3 else xp.where(c < 0, found, -found)
            )
        near = self._by_quadrature(xp, i, x, (xp.where(far, 0.0, shapes[0]),))
        found = xp.where(there, xp.where(far, found, near), xp.nan)
        return xp.where(shapes[0] == last, xp.inf, found) if i < 2 else found

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Callable[[Any], Any]) -> Any:
        (c,) = shapes
        x = x + xp.zeros_like(c)
        quartiles = (gumbel_r._ppf(x + q) for q in (0.25, 0.5, 0.75))
        return mean_of(
            gumbel_r._pdf,
            lambda z: function(z * exprel(-c * z)),
            (-math.inf, math.inf),
            tuple(quartiles),
        )

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return EULER * (1 - c) + 1


def _reduced(x: Any, c: Any) -> Any:
    """-log(1 - c x) / c."""
    return x * log_quotient(-c * x)


class GenPareto(Continuous):
    """The generalised Pareto distribution.

    Density ``(1 + c x)**(-1 - 1 / c)`` for x from 0 on, where ``1 + c x`` is positive, of any real
    `c`; 0 means `expon`.

    Examples
    --------
    >>> from likewise.stats import genpareto
    >>> round(float(genpareto.isf(0.01, 0.1)), 4)
    5.8489
    """

    name = "genpareto"
    parameters = (Parameter("c"),)

    def _support(self, xp: Any, c: Any) -> Any:
        return 0.0, xp.where(c < 0, -1 / xp.where(c < 0, c, -1.0), xp.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        w = -self._logsf(x, c)
        last = (c == -1) & (w == xp.inf)  # the end of a uniform distribution
        return -(c + 1) * xp.where(last, 0.0, w)

    def _cdf(self, x: Any, c: Any) -> Any:
        return -array_namespace(x, c).expm1(self._logsf(x, c))

    def _sf(self, x: Any, c: Any) -> Any:
        return array_namespace(x, c).exp(self._logsf(x, c))

    def _logsf(self, x: Any, c: Any) -> Any:
        return -x * log_quotient(c * x)

    def _ppf(self, q: Any, c: Any) -> Any:
        w = -array_namespace(q, c).log1p(-q)
        return w * exprel(c * w)

    def _isf(self, q: Any, c: Any) -> Any:
        w = -array_namespace(q, c).log(q)
        return w * exprel(c * w)

    def _moments(self, xp: Any, c: Any) -> Any:
        a = [xp.where(c < 1 / k, 1 - k * c, 1.0) for k in (1, 2, 3, 4)]
        mean = xp.where(c < 1, 1 / a[0], xp.inf)
        var = xp.where(c < 1 / 2, 1 / (a[0] ** 2 * a[1]), xp.nan)
        skewness = xp.where(c < 1 / 3, 2 * (1 + c) * xp.sqrt(a[1]) / a[2], xp.nan)
        fourth = 3 * a[1] * (2 * c * c + c + 3) / (a[2] * a[3]) - 3
        return mean, var, skewness, xp.where(c < 1 / 4, fourth, xp.nan)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 1 + c


class Pareto(Continuous):
    """Pareto's distribution.

    Density ``b x**(-b - 1)`` for x from 1 on; `b` is positive.

    Examples
    --------
    >>> from likewise.stats import pareto
    >>> round(float(pareto.sf(10.0, 2.0)), 4)
    0.01
    """

    name = "pareto"
    parameters = (Parameter("b", 0.0),)
    support_ends = (1.0, math.inf)

    def _pdf(self, x: Any, b: Any) -> Any:
        return b * x ** (-b - 1)

    def _logpdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return xp.log(b) - (b + 1) * xp.log(x)

    def _cdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return -xp.expm1(-b * xp.log(x))

    def _sf(self, x: Any, b: Any) -> Any:
        return x ** (-b)

    def _logsf(self, x: Any, b: Any) -> Any:
        return -b * array_namespace(x, b).log(x)

    def _ppf(self, q: Any, b: Any) -> Any:
        xp = array_namespace(q, b)
        return xp.exp(-xp.log1p(-q) / b)

    def _isf(self, q: Any, b: Any) -> Any:
        return q ** (-1 / b)

    def _moments(self, xp: Any, b: Any) -> Any:
        a = [xp.where(b > k, b - k, 1.0) for k in (1, 2, 3, 4)]
        mean = xp.where(b > 1, b / a[0], xp.inf)
        var = xp.where(b > 2, b / (a[0] ** 2 * a[1]), xp.inf)
        skewness = xp.where(b > 3, 2 * (b + 1) / a[2] * xp.sqrt(a[1] / b), xp.nan)
        fourth = 6 * (b**3 + b * b - 6 * b - 2) / (b * a[2] * a[3])
        return mean, var, skewness, xp.where(b > 4, fourth, xp.nan)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """The end at the first of the data; how far loc is below by a search."""
        low = xp.min(x, axis=-1)
        if "loc" in fixed:
            return {} if "scale" in fixed else {"scale": _positive(low - fixed["loc"])}
        if "scale" in fixed:
            return {"loc": low - fixed["scale"]}
        n = x.shape[-1]

        def sums(gaps: Any, s: Any, *known: Any) -> tuple[Any, Any]:
            logs = xp.sum(xp.log1p(gaps / s), axis=-1, keepdims=True)
            return logs, known[0] if known else n / logs

        def cost(gaps: Any, s: Any, *known: Any) -> Any:
            logs, b = sums(gaps, s, *known)
            return (b + 1) * logs + n * xp.log(s) - n * xp.log(b)

        def slopes(gaps: Any, s: Any, *known: Any) -> tuple[Any, Any]:
            b, over = sums(gaps, s, *known)[1], n / s
            first = xp.sum(1 / (gaps + s), axis=-1, keepdims=True) - over
            second = over / s - xp.sum(1 / (gaps + s) ** 2, axis=-1, keepdims=True)
            bend = (b + 1) * second - over / s
            return (b + 1) * first + over, bend if known else bend - (b * first) ** 2 / n

        known = (fixed["b"][..., None],) if "b" in fixed else ()
        loc = low - lowest_below(x, cost, slopes, *known)
        return {"loc": loc, "scale": low - loc}

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        found = self._fit_known(xp, x, fixed) | fixed
        loc, scale = found["loc"], found["scale"]
        z = (x - loc[..., None]) / scale[..., None]
        b = found.get("b", 1 / xp.mean(xp.log(z), axis=-1))
        if "loc" in fixed and "scale" in fixed:  # else the support begins with the data
            scale = xp.where(xp.min(z, axis=-1) >= 1, scale, xp.nan)
        return b, loc, scale

    def _raw_moment(self, xp: Any, order: int, b: Any) -> Any:
        return xp.where(b > order, b / xp.where(b > order, b - order, 1.0), xp.inf)

    def _entropy(self, xp: Any, x: Any, b: Any) -> Any:
        return 1 + 1 / b - xp.log(b)


def _positive(width: Any) -> Any:
    """A scale, or NaN where data are outside of any support."""
    xp = array_namespace(width)
    return xp.where(width > 0, width, xp.nan)


genextreme = GenExtreme()
genpareto = GenPareto()
gumbel_r = GumbelR()
GumbelL.of = gumbel_r
gumbel_l = GumbelL()
pareto = Pareto()
