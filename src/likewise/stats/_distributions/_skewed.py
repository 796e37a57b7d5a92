"""Skewed and mixed distributions of normal numbers: skewnorm, exponnorm, invgauss, norminvgauss."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import exponential, normal
from ...random._keys import split_in_two
from ...special import erf, erfcx, k1e, log_ndtr, ndtr
from ...special._function import elementwise
from ._continuous import Continuous
from ._normal import norm
from ._parameters import Parameter
from ._tails import over_nodes, tail

__all__ = ["exponnorm", "invgauss", "norminvgauss", "skewnorm"]

_HALF = math.sqrt(0.5)

# -- skewnorm --------------------------------------------------------------------------------------


def _wedge(h: Any, a: Any) -> Any:
    """The integral of exp(-h^2 (1 + s^2) / 2) / (1 + s^2) / pi over s from a on, for h and a from 0
    on: D. B. Owen's function (Ann. Math. Stat. 27, 1956, 1075) less that of all s."""
    xp = array_namespace(h, a)
    width = 1 / (h * h * a + h + 1 / (1 + a))

    def density(d: Any) -> Any:
        s = a + d
        return xp.exp(-h * h * d * (0.5 * d + a)) / (1 + s * s)

    front = xp.exp(-0.5 * h * h * (1 + a * a)) / math.pi
    return front * tail(density, xp.full_like(width, xp.inf), xp.where(h < 1e-4, 1.0, width))


@elementwise(
    derivatives=(
        lambda y, x, a: skew_density(x, a),
        lambda y, x, a: (
            -array_namespace(x, a).exp(-0.5 * x * x * (1 + a * a)) / (math.pi * (1 + a * a))
        ),
    )
)
def skew_cdf(x: Any, a: Any) -> Any:
    """The distribution function of `skewnorm`: sums of what is positive, in both tails."""
    xp = array_namespace(x, a)
    h, size = xp.broadcast_arrays(xp.abs(x), xp.abs(a))
    h = xp.where(h > 1e9, 1e9, h)  # no tail, and a square that is finite
    part = _wedge(h, size)
    part = xp.where(a < 0, 2 * ndtr(-h) - part, part)
    return xp.where(x > 0, erf(_HALF * h), 0.0) + part


def skew_density(x: Any, a: Any) -> Any:
    return 2 * norm._pdf(x) * ndtr(a * x)


class SkewNorm(Continuous):
    """The skew-normal distribution.

    Density ``2 phi(x) Phi(a x)``, with density and distribution function of `norm`, of any real
    `a`.

    Examples
    --------
    >>> from likewise.stats import skewnorm
    >>> round(float(skewnorm.cdf(0.5, 3.0)), 4)
    0.3893
    """

    name = "skewnorm"
    parameters = (Parameter("a"),)

    def _pdf(self, x: Any, a: Any) -> Any:
        return skew_density(x, a)

    def _logpdf(self, x: Any, a: Any) -> Any:
        return norm._logpdf(x) + log_ndtr(a * x) + math.log(2)

    def _cdf(self, x: Any, a: Any) -> Any:
        return skew_cdf(x, a)

    def _sf(self, x: Any, a: Any) -> Any:
        return skew_cdf(-x, -a)

    def _either(self, x: Any, shapes: tuple[Any, ...], lower: Any) -> Any:
        (a,) = shapes
        where = array_namespace(x, a).where
        return skew_cdf(where(lower, x, -x), where(lower, a, -a))

    def _moments(self, xp: Any, a: Any) -> Any:
        c = math.sqrt(2 / math.pi) * a / xp.sqrt(1 + a * a)
        v = 1 - c * c
        root = c / xp.sqrt(v)
        return c, v, 0.5 * (4 - math.pi) * root**3, 2 * (math.pi - 3) * root**4

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any) -> Any:
        one, two = split_in_two(key)
        root = xp.sqrt(1 + a * a)
        return (a * xp.abs(normal(one, shape, dtype)) + normal(two, shape, dtype)) / root


# -- exponnorm -------------------------------------------------------------------------------------


def _drop(y: Any, d: Any) -> Any:
    """erfcx(y) - erfcx(y + d) for d from 0 on: of near ones by an integral of the slope."""
    xp = array_namespace(y, d)
    near = (d < 0.7) & (y > -3)
    u, step = xp.where(near, y, 0.0), xp.where(near, d, 0.0)

    def slope(p: Any) -> Any:
        v = u + p * step
        return 1 / math.sqrt(math.pi) - v * erfcx(v)

    total = over_nodes(slope, u + step)
    safe = xp.where(near, 0.0, y)
    return xp.where(near, 2 * step * total, erfcx(safe) - erfcx(safe + xp.where(near, 1.0, d)))


def _log_drop(y: Any, d: Any) -> Any:
    """The logarithm of `_drop` for y from 3 on: of large ones by ``erfcx(y) sqrt(pi) = 1 / y -
    1 / (2 y**3) + ...``."""
    xp = array_namespace(y, d)
    large = y > 1e3
    u, v = 1 / xp.where(large, y, 1e3), 1 / xp.where(large, y + d, 1e3)
    far = xp.log(d) + xp.log(u) + xp.log(v) + xp.log1p(-0.5 * (u * u + u * v + v * v))
    near = xp.log(_drop(xp.where(large, 3.0, y), d))
    return xp.where(large, far - 0.5 * math.log(math.pi), near)


class ExponNorm(Continuous):
    """The distribution of the sum of a normal number and an exponential one of mean `K`.

    Density ``exp(1 / (2 K**2) - x / K) Phi(x - 1 / K) / K``; `K` is positive.

    Examples
    --------
    >>> from likewise.stats import exponnorm
    >>> round(float(exponnorm.sf(3.0, 1.5)), 4)
    0.1687
    """

    name = "exponnorm"
    parameters = (Parameter("K", 0.0),)

    def _log_part(self, x: Any, k: Any) -> Any:
        """log(K pdf)."""
        xp = array_namespace(x, k)
        left = x * k < 1
        z = _HALF * (1 / k - x)
        near = xp.log(erfcx(xp.where(left, z, 0.0))) - math.log(2) - 0.5 * x * x
        gap = xp.where(left, 0.0, x - 1 / k)
        return xp.where(left, near, (0.5 / k - x) / k + log_ndtr(gap))

    def _logpdf(self, x: Any, k: Any) -> Any:
        return self._log_part(x, k) - array_namespace(x, k).log(k)

    def _cdf(self, x: Any, k: Any) -> Any:
        xp = array_namespace(x, k)
        left = x < 2
        y = xp.where(left, -_HALF * x, 0.0)
        near = 0.5 * xp.exp(-0.5 * xp.where(left, x, 0.0) ** 2) * _drop(y, _HALF / k)
        # The difference of two functions that is left, as a sum.
        part = xp.exp(self._log_part(x, k))
        rise = (0.5 / k - x) / k
        mild = xp.abs(rise) < 1  # above, the tail is small, and the difference has its digits
        shift = xp.where(mild, ndtr(x - 1 / k), 0.0)
        close = (ndtr(1 / k - x) - ndtr(-x)) - xp.expm1(xp.where(mild, rise, 0.0)) * shift
        return xp.where(left, near, xp.where(mild, close, ndtr(x) - part))

    def _sf(self, x: Any, k: Any) -> Any:
        return ndtr(-x) + array_namespace(x, k).exp(self._log_part(x, k))

    def _logsf(self, x: Any, k: Any) -> Any:
        return array_namespace(x, k).logaddexp(log_ndtr(-x) + 0 * k, self._log_part(x, k))

    def _moments(self, xp: Any, k: Any) -> Any:
        var = 1 + k * k
        share = k * k / var
        return k, var, 2 * share * xp.sqrt(share), 6 * share * share

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, k: Any) -> Any:
        one, two = split_in_two(key)
        return normal(one, shape, dtype) + k * exponential(two, shape, dtype)


# -- invgauss --------------------------------------------------------------------------------------


class InvGauss(Continuous):
    """The inverse Gaussian distribution.

    Density ``exp(-(x / mu - 1)**2 / (2 x)) / sqrt(2 pi x**3)`` for x above 0; `mu`, the mean, is
    positive.

    Examples
    --------
    >>> from likewise.stats import invgauss
    >>> round(float(invgauss.cdf(1.0, 2.0)), 4)
    0.4901
    """

    name = "invgauss"
    parameters = (Parameter("mu", 0.0, closed=(False, True)),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, mu: Any) -> Any:
        xp = array_namespace(x, mu)
        end = x == 0
        x = xp.where(end, 1.0, x)
        found = -0.5 * (x / mu - 1) ** 2 / x - 1.5 * xp.log(x) - 0.5 * math.log(2 * math.pi)
        return xp.where(end, -xp.inf, found)

    def _parts(self, x: Any, mu: Any) -> Any:
        xp = array_namespace(x, mu)
        over = 1 / xp.sqrt(xp.where(x == 0, 1.0, x))
        r = (x / mu - 1) * over
        return xp, r, _HALF * (x / mu + 1) * over, over, 0.5 * xp.exp(-0.5 * r * r)

    def _cdf(self, x: Any, mu: Any) -> Any:
        xp, r, q, _, front = self._parts(x, mu)
        return xp.where(x == 0, 0.0, ndtr(r) + front * erfcx(q))

    def _sf(self, x: Any, mu: Any) -> Any:
        xp, r, q, over, front = self._parts(x, mu)
        by_slope = (r > 0) | (x > 4)
        y = xp.where(by_slope, _HALF * r, 0.0)
        near = front * _drop(y, math.sqrt(2) * over)
        found = xp.where(by_slope, near, ndtr(-r) - front * erfcx(q))
        return xp.where(x == 0, 1.0, found)

    def _logcdf(self, x: Any, mu: Any) -> Any:
        xp, r, q, _, _ = self._parts(x, mu)
        far = r < -5
        log = xp.log(0.5 * (erfcx(xp.where(far, -_HALF * r, 1.0)) + erfcx(xp.where(far, q, 1.0))))
        near = super()._logcdf(xp.where(far, mu, x), mu)
        return xp.where(x == 0, -xp.inf, xp.where(far, log - 0.5 * r * r, near))

    def _logsf(self, x: Any, mu: Any) -> Any:
        xp, r, _, over, _ = self._parts(x, mu)
        far = r > 5
        log = _log_drop(xp.where(far, _HALF * r, 5.0), math.sqrt(2) * xp.where(far, over, 1.0))
        near = super()._logsf(xp.where(far, mu, x), mu)
        return xp.where(far, log - math.log(2) - 0.5 * r * r, near)

    def _moments(self, xp: Any, mu: Any) -> Any:
        return mu, mu**3, 3 * xp.sqrt(mu), 15 * mu


# -- norminvgauss ----------------------------------------------------------------------------------


class NormInvGauss(Continuous):
    """The normal inverse Gaussian distribution.

    Density ``a K1(a sqrt(1 + x**2)) exp(sqrt(a**2 - b**2) + b x) / (pi sqrt(1 + x**2))``, with the
    Bessel function K1; abs(b) < a.

    Examples
    --------
    >>> from likewise.stats import norminvgauss
    >>> round(float(norminvgauss.mean(2.0, 1.0)), 4)
    0.5774
    """

    name = "norminvgauss"
    parameters = (Parameter("a", 0.0), Parameter("b"))

    def _valid(self, xp: Any, a: Any, b: Any) -> Any:
        return xp.abs(b) < a

    def _logpdf(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        s = xp.hypot(x, xp.ones_like(x))
        gamma = xp.sqrt((a - b) * (a + b))
        # a s - b x - gamma, times the same with + gamma.
        exponent = (a * x - b * s) ** 2 / (a * s - b * x + gamma)
        return xp.log(a * k1e(a * s) / (math.pi * s)) - exponent

    def _cdf(self, x: Any, a: Any, b: Any) -> Any:
        return self._sf(-x, a, -b)

    def _sf(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        x, a, b = xp.broadcast_arrays(x, a, b)
        gamma = xp.sqrt((a - b) * (a + b))
        upper = x > b / gamma
        y, c = xp.where(upper, x, -x), xp.where(upper, b, -b)
        slope = (a * y - c * xp.hypot(y, xp.ones_like(y))) / xp.hypot(y, xp.ones_like(y))
        spread = a / (gamma * xp.sqrt(gamma))
        width = 1 / (1 / spread + xp.where(slope > 0, slope, 0.0))
        found = tail(lambda d: self._pdf(y + d, a, c), xp.full_like(y, xp.inf), width)
        return xp.where(upper, found, 1 - found)

    def _moments(self, xp: Any, a: Any, b: Any) -> Any:
        gamma = xp.sqrt((a - b) * (a + b))
        skewness = 3 * b / (a * xp.sqrt(gamma))
        kurtosis = 3 * (1 + 4 * (b / a) ** 2) / gamma
        return b / gamma, a * a / gamma**3, skewness, kurtosis

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any, b: Any) -> Any:
        one, two = split_in_two(key)
        v = invgauss._draw(xp, one, shape, dtype, 1 / xp.sqrt((a - b) * (a + b)))
        return b * v + xp.sqrt(v) * normal(two, shape, dtype)


exponnorm = ExponNorm()
invgauss = InvGauss()
norminvgauss = NormInvGauss()
skewnorm = SkewNorm()
