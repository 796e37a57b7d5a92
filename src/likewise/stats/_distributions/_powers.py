"""Distributions whose tail is a power or an exponential of one, in closed form."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import exp1, exprel, log_expit, xlogy
from ...transforms import stop_gradient
from ._continuous import log_tail
from ._forms import ByLogCdf, ByLogSf, log1mexp, lowest_below
from ._parameters import Parameter

__all__ = [
    "exponpow",
    "exponweib",
    "genhalflogistic",
    "gompertz",
    "just_below",
    "kappa4",
    "log_linear",
    "lomax",
    "powerlaw",
]


def _next_to(x: Any, toward: float) -> Any:
    """The next number, with the derivative of x."""
    xp = array_namespace(x)
    held = stop_gradient(x)
    return x + (xp.nextafter(held, xp.full_like(held, toward)) - held)


def just_below(low: Any, high: Any) -> Any:
    """The next place below data from low to high, with the derivative of low."""
    xp = array_namespace(low)
    tiny = float(xp.finfo(low.dtype).smallest_normal) * xp.maximum(high - low, xp.ones_like(low))
    return xp.minimum(_next_to(low, -math.inf), low - stop_gradient(tiny))  # of data from 0 on


class PowerLaw(ByLogCdf):
    """The power-function distribution.

    Density ``a x**(a - 1)`` for `x` from 0 to 1; `a` is positive.

    Examples
    --------
    >>> from likewise.stats import powerlaw
    >>> float(powerlaw.cdf(0.5, 2.0))
    0.25
    """

    name = "powerlaw"
    parameters = (Parameter("a", 0.0),)
    support_ends = (0.0, 1.0)

    def _logpdf(self, x: Any, a: Any) -> Any:
        return array_namespace(a).log(a) + xlogy(a - 1, x)

    def _logcdf(self, x: Any, a: Any) -> Any:
        return a * array_namespace(x).log(x)

    def _of_logcdf(self, log: Any, a: Any) -> Any:
        return array_namespace(log).exp(log / a)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
        if "loc" in fixed:
            wide = xp.where(low >= fixed["loc"], high - fixed["loc"], xp.nan)
            return {} if "scale" in fixed else {"scale": wide}
        # The likelihood grows without bound next to the first of the data, unless many lose by it.
        near = just_below(low, high)
        if "scale" in fixed:
            far = _next_to(high - fixed["scale"], math.inf)
        else:
            far = low - self._below(xp, x, high - low, fixed.get("a"))
        values = [self._cost(xp, x, high, loc, fixed) for loc in (near, far)]
        loc = xp.where(values[0] < values[1], near, far)
        return {"loc": loc} | ({} if "scale" in fixed else {"scale": high - loc})

    def _cost(self, xp: Any, x: Any, high: Any, loc: Any, fixed: Any) -> Any:
        """The negative log-likelihood over n of a loc below the data; infinite if it isn't."""
        scale = fixed.get("scale", high - loc)
        z = (x - loc[..., None]) / scale[..., None]
        inside = xp.all((z > 0) & (z <= 1), axis=-1)
        logs = xp.mean(xp.log(xp.where(inside[..., None], z, 0.5)), axis=-1)
        a = fixed.get("a", -1 / logs)
        return xp.where(inside, xp.log(scale) - xp.log(a) - (a - 1) * logs, xp.inf)

    def _below(self, xp: Any, x: Any, width: Any, a: Any) -> Any:
        """How far loc is below the data, which the support ends with."""
        n = x.shape[-1]

        def sums(gaps: Any, s: Any, width: Any, *known: Any) -> tuple[Any, Any]:
            logs = xp.sum(xp.log((gaps + s) / (width + s)), axis=-1, keepdims=True)
            return logs, known[0] if known else -n / logs

        def cost(gaps: Any, s: Any, width: Any, *known: Any) -> Any:
            logs, a = sums(gaps, s, width, *known)
            return n * xp.log(width + s) - n * xp.log(a) - (a - 1) * logs

        def slopes(gaps: Any, s: Any, width: Any, *known: Any) -> tuple[Any, Any]:
            a, over = sums(gaps, s, width, *known)[1], n / (width + s)
            first = xp.sum(1 / (gaps + s), axis=-1, keepdims=True) - over
            second = over / (width + s) - xp.sum(1 / (gaps + s) ** 2, axis=-1, keepdims=True)
            bend = (1 - a) * second - over / (width + s)
            return (1 - a) * first + over, bend if known else bend - (a * first) ** 2 / n

        known = () if a is None else (a[..., None],)
        return lowest_below(x, cost, slopes, width[..., None], *known)

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        found = self._fit_known(xp, x, fixed) | fixed
        loc, scale = found["loc"], found["scale"]
        z = (x - loc[..., None]) / scale[..., None]
        return found.get("a", -1 / xp.mean(xp.log(z), axis=-1)), loc, scale

    def _moments(self, xp: Any, a: Any) -> Any:
        skew = 2 * (1 - a) / (a + 3) * xp.sqrt((a + 2) / a)
        kurtosis = 6 * (((a - 1) * a - 6) * a + 2) / (a * (a + 3) * (a + 4))
        return a / (a + 1), a / ((a + 2) * (a + 1) ** 2), skew, kurtosis

    def _raw_moment(self, xp: Any, order: int, a: Any) -> Any:
        return a / (a + order)

    def _entropy(self, xp: Any, x: Any, a: Any) -> Any:
        return 1 - 1 / a - xp.log(a)


class Lomax(ByLogSf):
    """The Lomax distribution, Pareto's of the second kind.

    Density ``c / (1 + x)**(c + 1)`` for positive `x`; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import lomax
    >>> round(float(lomax.sf(1.0, 3.0)), 4)
    0.125
    """

    name = "lomax"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.log(c) - (c + 1) * xp.log1p(x)

    def _logsf(self, x: Any, c: Any) -> Any:
        return -c * array_namespace(x).log1p(x)

    def _of_logsf(self, log: Any, c: Any) -> Any:
        return array_namespace(log).expm1(-log / c)

    def _moments(self, xp: Any, c: Any) -> Any:
        one, two, three, four = (xp.where(c > n, c, n + 1.0) for n in (1, 2, 3, 4))
        skew = 2 * (three + 1) / (three - 3) * xp.sqrt((three - 2) / three)
        top = 6 * (((four + 1) * four - 6) * four - 2)
        return (
            xp.where(c > 1, 1 / (one - 1), xp.inf),
            xp.where(c > 2, two / ((two - 1) ** 2 * (two - 2)), xp.inf),
            xp.where(c > 3, skew, xp.nan),
            xp.where(c > 4, top / (four * (four - 3) * (four - 4)), xp.nan),
        )

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 1 + 1 / c - xp.log(c)


class ExponWeib(ByLogCdf):
    """The exponentiated Weibull distribution.

    Distribution function ``(1 - exp(-x**c))**a`` for positive `x`; `a` and `c` are positive.

    Examples
    --------
    >>> from likewise.stats import exponweib
    >>> round(float(exponweib.cdf(1.0, 2.0, 3.0)), 4)
    0.3996
    """

    name = "exponweib"
    parameters = (Parameter("a", 0.0), Parameter("c", 0.0))
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, a: Any, c: Any) -> Any:
        xp = array_namespace(x, a, c)
        y = x**c
        low = y < 1
        # (1 - exp(-y)) / y is a power series, and y a power of x.
        near = xlogy(a * c - 1, xp.where(low, x, 1.0)) + (a - 1) * xp.log(
            exprel(-xp.where(low, y, 1.0))
        )
        far = (a - 1) * log1mexp(-xp.where(low, 1.0, y)) + (c - 1) * xp.log(xp.where(low, 1.0, x))
        return xp.log(a) + xp.log(c) - y + xp.where(low, near, far)

    def _logcdf(self, x: Any, a: Any, c: Any) -> Any:
        xp = array_namespace(x, a, c)
        y = x**c
        low = y < 1
        small = xp.where(low, y, 1.0)
        near = c * xp.log(xp.where(low, x, 1.0)) + xp.log(exprel(-small))
        return a * xp.where(low, near, log1mexp(-xp.where(low, 1.0, y)))

    def _of_logcdf(self, log: Any, a: Any, c: Any) -> Any:
        xp = array_namespace(log, a, c)
        part = log / a
        low = part < -40  # where -log(1 - exp(part)) is exp(part), which may be below the least
        return xp.where(low, xp.exp(part / c), (-log1mexp(xp.where(low, -1.0, part))) ** (1 / c))


class ExponPow(ByLogSf):
    """The exponential power distribution.

    Survival function ``exp(1 - exp(x**b))`` for positive `x`; `b` is positive.

    Examples
    --------
    >>> from likewise.stats import exponpow
    >>> round(float(exponpow.cdf(1.0, 2.0)), 4)
    0.8206
    """

    name = "exponpow"
    parameters = (Parameter("b", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        y = x**b
        return xp.log(b) + xlogy(b - 1, x) + y - xp.expm1(y)

    def _logsf(self, x: Any, b: Any) -> Any:
        return -array_namespace(x).expm1(x**b)

    def _of_logsf(self, log: Any, b: Any) -> Any:
        return array_namespace(log).log1p(-log) ** (1 / b)


class Gompertz(ByLogSf):
    """The Gompertz distribution.

    Density ``c exp(x) exp(-c (exp(x) - 1))`` for positive `x`; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import gompertz
    >>> round(float(gompertz.sf(1.0, 0.5)), 4)
    0.4235
    """

    name = "gompertz"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.log(c) + x - c * xp.expm1(x)

    def _logsf(self, x: Any, c: Any) -> Any:
        return -c * array_namespace(x).expm1(x)

    def _of_logsf(self, log: Any, c: Any) -> Any:
        return array_namespace(log).log1p(-log / c)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        low = c < 50
        near, far = xp.where(low, c, 1.0), 1 / xp.where(low, 50.0, c)
        series = 1.0
        for n in range(20, 0, -1):
            series = 1 - n * far * series
        return 1 - xp.log(c) - xp.where(low, xp.exp(near) * exp1(near), far * series)


class GenHalfLogistic(ByLogSf):
    """The generalized half-logistic distribution.

    Survival function ``2 t / (1 + t)`` with ``t = (1 - c x)**(1 / c)``, for `x` from 0 to
    ``1 / c``; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import genhalflogistic
    >>> round(float(genhalflogistic.sf(0.5, 1.0)), 4)
    0.6667
    """

    name = "genhalflogistic"
    parameters = (Parameter("c", 0.0),)

    def _support(self, xp: Any, c: Any) -> Any:
        return 0.0, 1 / c

    def _logpdf(self, x: Any, c: Any) -> Any:
        e = log_linear(x, c)
        xp = array_namespace(e)
        held = xp.where((c == 1) & xp.isinf(e), 0.0, e)
        return math.log(2) - (1 - c) * held + 2 * log_expit(e)

    def _cdf(self, x: Any, c: Any) -> Any:
        e = log_linear(x, c)
        return array_namespace(e).tanh(0.5 * e)

    def _logcdf(self, x: Any, c: Any) -> Any:
        return log_tail(self._cdf(x, c), lambda: self._sf(x, c))

    def _logsf(self, x: Any, c: Any) -> Any:
        return math.log(2) + log_expit(-log_linear(x, c))

    def _sf(self, x: Any, c: Any) -> Any:
        t = array_namespace(x, c).exp(-log_linear(x, c))
        return 2 * t / (1 + t)

    def _ppf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        return -xp.expm1(-c * 2 * xp.atanh(q)) / c

    def _isf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        return -xp.expm1(-c * (xp.log1p(1 - q) - xp.log(q))) / c

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 2 - (2 * c + 1) * math.log(2)


def log_linear(x: Any, c: Any) -> Any:
    """Return ``-log(1 - c x) / c``, which is x of c = 0."""
    xp = array_namespace(x, c)
    u = -c * x
    near = xp.abs(u) < 1e-2
    small = xp.where(near, u, 0.0)
    series = 0.0
    for n in range(9, 0, -1):  # log(1 + u) / u
        series = 1 / n - small * series
    far = -xp.log1p(xp.where(near, 1.0, u)) / xp.where(near, 1.0, c)
    return xp.where(near, x * series, far)


def _of_log_linear(e: Any, c: Any) -> Any:
    """Return ``(1 - exp(-c e)) / c``, the inverse."""
    return e * exprel(-c * e)


class Kappa4(ByLogCdf):
    """The kappa distribution of four parameters (J. R. M. Hosking, IBM J. Res. Dev. 38, 1994, 251).

    Distribution function ``(1 - h (1 - k x)**(1 / k))**(1 / h)``, and its limits where `h` or `k`
    is 0; both are real. The ends of the support depend on them. Moments exist up to the order
    ``-1 / k`` for negative `k`, ``-1 / (h k)`` for negative `h` and positive `k`; SciPy has other
    bounds.

    Examples
    --------
    >>> from likewise.stats import kappa4
    >>> round(float(kappa4.cdf(0.5, 0.1, 0.0)), 4)
    0.5349
    """

    name = "kappa4"
    parameters = (Parameter("h"), Parameter("k"))
    open_ends = True

    def _support(self, xp: Any, h: Any, k: Any) -> Any:
        log = xp.log(xp.where(h > 0, h, 1.0))  # where the inner power is 1 / h
        near = xp.abs(k * log) < 1e-2
        some = xp.where(near, 1.0, k)
        far = (1 - xp.where(h > 0, h, 1.0) ** -some) / some
        low = xp.where(h > 0, xp.where(near, _of_log_linear(log, k), far), -xp.inf)
        low = xp.where((h <= 0) & (k < 0), 1 / xp.where(k < 0, k, -1.0), low)
        high = xp.where(k > 0, 1 / xp.where(k > 0, k, 1.0), xp.inf)
        return low, high

    def _logpdf(self, x: Any, h: Any, k: Any) -> Any:
        xp = array_namespace(x, h, k)
        e = log_linear(x, k)
        return -(1 - k) * e + (1 - h) * self._of_inner(xp, e, h)

    def _logcdf(self, x: Any, h: Any, k: Any) -> Any:
        return self._of_inner(array_namespace(x, h, k), log_linear(x, k), h)

    def _of_inner(self, xp: Any, e: Any, h: Any) -> Any:
        """The logarithm of ``1 - h exp(-e)`` over h; far below, where the exponential may be beyond
        all numbers, of its second term."""
        below = h < 0
        log = xp.log(xp.where(below, -h, 1.0)) - e
        far = below & (log > 40)
        near = -log_linear(xp.exp(-xp.where(far, 0.0, e)), h)
        return xp.where(far, log / xp.where(far, h, 1.0), near)

    def _of_logcdf(self, log: Any, h: Any, k: Any) -> Any:
        xp = array_namespace(log, h, k)
        u = h * log
        far = u > 40  # where exp(u) - 1 is exp(u), which may be beyond all numbers
        near = -xp.log(_of_log_linear(xp.where(far, 1.0, -log), h))
        e = xp.where(far, xp.log(xp.where(far, -h, 1.0)) - u, near)
        return _of_log_linear(e, k)

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        h, k = shapes  # tails that are powers, of which low moments exist
        upper, lower = k < 0, (h < 0) & (k > 0)
        most = xp.where(upper, -1 / xp.where(upper, k, 1.0), xp.inf)
        most = xp.where(lower, -1 / xp.where(lower, h * k, 1.0), most)
        return xp.where(i + 1 < most, super()._known(xp, i, x, shapes), xp.nan)


exponpow, exponweib, powerlaw, lomax = ExponPow(), ExponWeib(), PowerLaw(), Lomax()
genhalflogistic, gompertz, kappa4 = GenHalfLogistic(), Gompertz(), Kappa4()
