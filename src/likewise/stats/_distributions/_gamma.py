"""The gamma distribution, and those of its powers: chi2, chi, maxwell, nakagami, invgamma."""

import math
from typing import Any

from ..._namespace import array_namespace, device
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
    poch,
    xlogy,
    zeta,
)
from ._continuous import Continuous
from ._densities import gamma_density, log_gamma_density
from ._forms import ByLogMoments, log_rising
from ._parameters import Parameter

__all__ = ["chi", "chi2", "gamma", "gamma_entropy", "invgamma", "maxwell", "nakagami"]


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
    light = frozenset(("pdf", "logpdf"))
    closed_terms = True

    def _logpdf(self, x: Any, a: Any) -> Any:
        return log_gamma_density(a, x)

    def _pdf(self, x: Any, a: Any) -> Any:
        return gamma_density(a, x)

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

    def _fit_moments(self, xp: Any, x: Any, fixed: Any) -> Any:
        mean, var = xp.mean(x, axis=-1), xp.var(x, axis=-1)
        a, loc, scale = (fixed.get(name) for name in ("a", "loc", "scale"))
        if loc is None:
            if a is None:
                third = xp.mean((x - mean[..., None]) ** 3, axis=-1)
                a = 4 * var**3 / third**2 if scale is None else var / scale**2
            scale = xp.sqrt(var / a) if scale is None else scale
            return a, mean - a * scale, scale
        if scale is None:
            scale = var / (mean - loc) if a is None else (mean - loc) / a
        return (mean - loc) / scale if a is None else a, loc, scale

    def _fit_terms(self, xp: Any, z: Any, a: Any) -> Any:
        """The density next to that at z = a, where terms don't cancel if a is large."""
        n = z.shape[-1]
        ratio = z / a
        log, inverse = xp.log(ratio), 1 / z
        of_z, of_log, of_inverse, of_square, apart = (
            xp.sum(v, axis=-1, keepdims=True)
            for v in (z, log, inverse, inverse * inverse, log - (ratio - 1))
        )
        b, two = a - 1, xp.full_like(a, 2.0)
        return (
            a * apart - of_log + n * log_gamma_density(a, a),
            (of_log + n * (xp.log(a) - digamma(a)), b * of_inverse - n, b * n - of_z),
            (
                (-n * zeta(two, a), of_inverse, xp.full_like(a, n)),
                (-b * of_square, -b * of_inverse),
                (-b * n,),
            ),
        )

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """By mean and variance, and loc by the skewness, 2 / sqrt(a), but below the data."""
        mean, spread = xp.mean(x, axis=-1), xp.std(x, axis=-1)
        spread = xp.where(spread > 0, spread, 1.0)
        loc = fixed.get("loc")
        if loc is None:
            apart = (x - mean[:, None]) / spread[:, None]
            third = xp.mean(apart * apart * apart, axis=-1)
            far = mean - spread * 2 / xp.where(third > 0.02, third, 0.02)
            loc = xp.minimum(far, xp.min(x, axis=-1) - 0.01 * spread)
        mean = mean - loc
        mean = xp.where(mean > 0, mean, spread)
        return [
            fixed.get("a", mean * mean / (spread * spread)),
            loc,
            fixed.get("scale", spread * spread / mean),
        ]


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

    def _pdf(self, x: Any, df: Any) -> Any:
        return 0.5 * gamma_density(0.5 * df, 0.5 * x)

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


class InvGamma(Continuous):
    """The distribution of the inverse of a gamma number.

    Density ``x**(-a - 1) exp(-1 / x) / gamma(a)`` for x above 0; `a` is positive.

    Examples
    --------
    >>> from likewise.stats import invgamma
    >>> round(float(invgamma.median(3.0)), 4)
    0.374
    """

    name = "invgamma"
    parameters = (Parameter("a", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, a: Any) -> Any:
        xp = array_namespace(x, a)
        end = 1 / x == xp.inf
        y = 1 / xp.where(end, 1.0, x)
        return xp.where(end, -xp.inf, log_gamma_density(a, y) + 2 * xp.log(y))

    def _pdf(self, x: Any, a: Any) -> Any:
        xp = array_namespace(x, a)
        end = 1 / x == xp.inf
        y = 1 / xp.where(end, 1.0, x)
        return xp.where(end, 0.0, gamma_density(a, y) * y * y)

    def _cdf(self, x: Any, a: Any) -> Any:
        return gammaincc(a, 1 / x)

    def _sf(self, x: Any, a: Any) -> Any:
        return gammainc(a, 1 / x)

    def _ppf(self, q: Any, a: Any) -> Any:
        return 1 / gammainccinv(a, q)

    def _isf(self, q: Any, a: Any) -> Any:
        return 1 / gammaincinv(a, q)

    def _moments(self, xp: Any, a: Any) -> Any:
        m = [xp.where(a > k, a - k, 1.0) for k in (1, 2, 3, 4)]
        mean = xp.where(a > 1, 1 / m[0], xp.inf)
        var = xp.where(a > 2, 1 / (m[0] * m[0] * m[1]), xp.inf)
        skewness = xp.where(a > 3, 4 * xp.sqrt(m[1]) / m[2], xp.nan)
        kurtosis = xp.where(a > 4, 6 * (5 * a - 11) / (m[2] * m[3]), xp.nan)
        return mean, var, skewness, kurtosis

    def _entropy(self, xp: Any, x: Any, a: Any) -> Any:
        return gamma_entropy(xp, a) - 2 * digamma(a)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any) -> Any:
        return 1 / draw_gamma(key, a, shape, dtype)


class _Root(Continuous):
    """The root of ``y / r``, where y is a gamma number of shape a."""

    support_ends = (0.0, math.inf)

    def _gamma(self, x: Any, *shapes: Any) -> tuple[Any, Any]:
        """The shape, of the dtype of x, and r."""
        raise NotImplementedError

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        a, r = self._gamma(x, *shapes)
        tiny = x < _TINY  # whose square has not all digits
        huge = x > 1 / _TINY  # whose density is 0, even if its square is infinite
        y = xp.where(tiny | huge, 1.0, x)
        far = log_gamma_density(a, r * y * y) + xp.log(2 * r * y)
        small = xlogy(2 * a - 1, xp.where(tiny, x, 1.0))
        small = small + a * _log(xp, r) + math.log(2) - gammaln(a)
        return xp.where(tiny, small, xp.where(huge, -r * x * x, far))

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        a, r = self._gamma(x, *shapes)
        tiny = x < _TINY
        y = xp.where(tiny, 1.0, x)
        small = xp.exp(2 * a * xp.log(xp.where(tiny, x, 1.0)) + a * _log(xp, r) - gammaln(a + 1))
        return xp.where(tiny, small, gammainc(a, r * y * y))

    def _sf(self, x: Any, *shapes: Any) -> Any:
        a, r = self._gamma(x, *shapes)
        return gammaincc(a, r * x * x)

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        xp = array_namespace(q, *shapes)
        a, r = self._gamma(q, *shapes)
        y = gammaincinv(a, q) / r
        tiny = y < _TINY * _TINY
        log = xp.log(xp.where(tiny, q, 1.0)) + gammaln(a + 1)
        return xp.where(
            tiny, xp.exp(0.5 * (log / a - _log(xp, r))), xp.sqrt(xp.where(tiny, 1.0, y))
        )

    def _isf(self, q: Any, *shapes: Any) -> Any:
        a, r = self._gamma(q, *shapes)
        return array_namespace(q, *shapes).sqrt(gammainccinv(a, q) / r)

    def _log_moment(self, xp: Any, order: int, *shapes: Any) -> Any:
        a, r = self._gamma(shapes[0], *shapes)
        return log_rising(a, 0.5 * order) - 0.5 * order * _log(xp, r)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        a, r = self._gamma(xp.zeros((), dtype=dtype, device=device(key)), *shapes)
        return xp.sqrt(draw_gamma(key, a, shape, dtype) / r)


_TINY = 1e-18


def _log(xp: Any, r: Any) -> Any:
    return math.log(r) if isinstance(r, float) else xp.log(r)


class Chi(_Root, ByLogMoments):
    """The chi distribution, of the root of a chi-square number.

    Density ``x**(df - 1) exp(-x**2 / 2) / (2**(df / 2 - 1) gamma(df / 2))`` for x above 0; `df` is
    positive.

    Examples
    --------
    >>> from likewise.stats import chi
    >>> round(float(chi.mean(2)), 4)
    1.2533
    """

    name = "chi"
    parameters = (Parameter("df", 0.0),)

    def _gamma(self, x: Any, df: Any) -> Any:
        return 0.5 * df, 0.5

    def _moments(self, xp: Any, df: Any) -> Any:
        return math.sqrt(2) * poch(0.5 * df, 0.5), None, None, None

    def _entropy(self, xp: Any, x: Any, df: Any) -> Any:
        a = 0.5 * df
        return gamma_entropy(xp, a) - 0.5 * (math.log(2) + digamma(a))


class Maxwell(_Root):
    """Maxwell's distribution: chi with three degrees of freedom.

    Density ``sqrt(2 / pi) x**2 exp(-x**2 / 2)`` for x above 0.

    Examples
    --------
    >>> from likewise.stats import maxwell
    >>> round(float(maxwell.median()), 4)
    1.5382
    """

    name = "maxwell"

    def _gamma(self, x: Any) -> Any:
        return array_namespace(x).asarray(1.5, dtype=x.dtype, device=device(x)), 0.5

    def _pdf(self, x: Any) -> Any:
        return math.sqrt(2 / math.pi) * x * (x * array_namespace(x).exp(-0.5 * x * x))

    def _cdf(self, x: Any) -> Any:
        """Below 1 by the series ``1 + x**2 / 5 (1 + x**2 / 7 (...))``, where powers keep digits."""
        xp = array_namespace(x)
        near = x < 1
        y = xp.where(near, x, 0.5)
        square, total = y * y, 1.0
        for k in range(31, 3, -2):
            total = 1 + square / k * total
        small = self._pdf(y) * y * (total / 3)
        return xp.where(near, small, 1 - self._sf(xp.where(near, 1.0, x)))

    def _ppf(self, q: Any) -> Any:
        """In the lower tail with a step of Newton's method, by the powers of `_cdf`."""
        xp = array_namespace(q)
        x, low = super()._ppf(q), q < 0.1
        y = xp.where(low, x, 0.5)
        return xp.where(low, y - (self._cdf(y) - q) / self._pdf(y), x)

    def _moments(self, xp: Any) -> Any:
        v = 3 * math.pi - 8
        skewness = math.sqrt(2) * (32 - 10 * math.pi) / v**1.5
        kurtosis = (-12 * math.pi**2 + 160 * math.pi - 384) / v**2
        return 2 * math.sqrt(2 / math.pi), v / math.pi, skewness, kurtosis

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 0.5772156649015329 + 0.5 * math.log(2 * math.pi) - 0.5


class Nakagami(_Root, ByLogMoments):
    """Nakagami's distribution.

    Density ``2 nu**nu x**(2 nu - 1) exp(-nu x**2) / gamma(nu)`` for x above 0; `nu` is positive.

    Examples
    --------
    >>> from likewise.stats import nakagami
    >>> round(float(nakagami.median(2.0)), 4)
    0.9161
    """

    name = "nakagami"
    parameters = (Parameter("nu", 0.0),)

    def _gamma(self, x: Any, nu: Any) -> Any:
        return nu, nu

    def _moments(self, xp: Any, nu: Any) -> Any:
        return poch(nu, 0.5) / xp.sqrt(nu), None, None, None

    def _entropy(self, xp: Any, x: Any, nu: Any) -> Any:
        return gamma_entropy(xp, nu) - math.log(2) - 0.5 * (digamma(nu) + xp.log(nu))


chi = Chi()
chi2 = Chi2()
gamma = Gamma()
invgamma = InvGamma()
maxwell = Maxwell()
nakagami = Nakagami()
