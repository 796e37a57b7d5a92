"""Distributions of functions of a normal variable."""

import functools
import math
from typing import Any

from ..._namespace import array_namespace
from ...random import normal
from ...special import erf, erfc, erfcinv, erfinv, expit, log_ndtr, logit, ndtr, ndtri, ndtri_exp
from ._continuous import Continuous, log_tail
from ._distribution import of_raw
from ._forms import ByLogSf, ByNormal
from ._parameters import Parameter
from ._quadrature import mean_of

__all__ = [
    "crystalball",
    "fatiguelife",
    "foldnorm",
    "johnsonsb",
    "johnsonsu",
    "levy",
    "levy_l",
    "moyal",
    "powerlognorm",
]

_ROOT_TWO_PI = math.sqrt(2 * math.pi)
_LOG_ROOT_TWO_PI = math.log(_ROOT_TWO_PI)
_EULER, _ZETA3 = 0.5772156649015329, 1.2020569031595942


class JohnsonSU(ByNormal):
    """Johnson's unbounded distribution.

    ``a + b asinh(x)`` is normal; `a` is real, `b` positive.

    Examples
    --------
    >>> from likewise.stats import johnsonsu
    >>> round(float(johnsonsu.cdf(1.0, 0.5, 2.0)), 4)
    0.9882
    """

    name = "johnsonsu"
    parameters = (Parameter("a"), Parameter("b", 0.0))

    def _score(self, x: Any, a: Any, b: Any) -> Any:
        return a + b * array_namespace(x).asinh(x)

    def _log_slope(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return xp.log(b) - xp.log(xp.hypot(x, xp.ones_like(x)))

    def _pdf(self, x: Any, a: Any, b: Any) -> Any:
        xp, z = array_namespace(x, b), self._score(x, a, b)
        return xp.exp(-0.5 * z * z) * (b / _ROOT_TWO_PI) / xp.hypot(x, xp.ones_like(x))

    def _place(self, z: Any, a: Any, b: Any) -> Any:
        return array_namespace(z, a, b).sinh((z - a) / b)

    def _moments(self, xp: Any, a: Any, b: Any) -> Any:
        square = 1 / (b * b)
        w, less, turn = xp.exp(square), xp.expm1(square), a / b
        two = w * xp.cosh(2 * turn) + 1
        odd = 3 * xp.sinh(turn) + w * (w + 2) * xp.sinh(3 * turn)
        skew = -xp.sqrt(0.5 * w * less) * odd / (two * xp.sqrt(two))
        even = w * w * (((w + 2) * w + 3) * w * w - 3) * xp.cosh(4 * turn)
        even = even + 4 * w * w * (w + 2) * xp.cosh(2 * turn) + 3 + 6 * w
        return -xp.sqrt(w) * xp.sinh(turn), 0.5 * less * two, skew, 0.5 * even / two**2 - 3


class JohnsonSB(ByNormal):
    """Johnson's bounded distribution.

    ``a + b logit(x)`` is normal, for `x` from 0 to 1; `a` is real, `b` positive.

    Examples
    --------
    >>> from likewise.stats import johnsonsb
    >>> round(float(johnsonsb.cdf(0.6, 0.5, 2.0)), 4)
    0.9051
    """

    name = "johnsonsb"
    parameters = (Parameter("a"), Parameter("b", 0.0))
    support_ends = (0.0, 1.0)
    open_ends = True

    def _score(self, x: Any, a: Any, b: Any) -> Any:
        return a + b * logit(x)

    def _log_slope(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return xp.log(b) - xp.log(x) - xp.log1p(-x)

    def _pdf(self, x: Any, a: Any, b: Any) -> Any:
        z = self._score(x, a, b)
        return array_namespace(z).exp(-0.5 * z * z) * (b / _ROOT_TWO_PI) / x / (1 - x)

    def _place(self, z: Any, a: Any, b: Any) -> Any:
        return expit((z - a) / b)

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        """By the tail over logit(x) where b is small, which makes the density steep."""
        a, b = shapes
        wide, left = b < 1, a < 0
        size, slope = xp.where(left, -a, a), xp.where(wide, b, 0.5)
        x = x + xp.zeros_like(a + b)
        raw = [
            mean_of(
                lambda u: expit(u) * expit(-u) * ndtr(-size - slope * u),
                functools.partial(_power_slope, k),
                (-math.inf, math.inf),
                (x - 1.0, x, x + 1.0),
            )
            for k in range(1, i + 2)
        ]
        found = of_raw(xp, *raw)
        if i == 0:
            found = xp.where(left, 1 - found, found)
        elif i == 2:
            found = xp.where(left, -found, found)
        return xp.where(wide, found, super()._known(xp, i, x, (a, xp.where(wide, 1.0, b))))


def _power_slope(k: int, u: Any) -> Any:
    return k * expit(u) ** (k - 1)


class FatigueLife(ByNormal):
    """The fatigue-life distribution of Birnbaum and Saunders.

    ``(sqrt(x) - 1 / sqrt(x)) / c`` is normal, for positive `x`; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import fatiguelife
    >>> round(float(fatiguelife.cdf(2.0, 0.5)), 4)
    0.9214
    """

    name = "fatiguelife"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)
    open_ends = True

    def _score(self, x: Any, c: Any) -> Any:
        return (x - 1) / (c * array_namespace(x).sqrt(x))

    def _log_slope(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.log1p(x) - 1.5 * xp.log(x) - xp.log(2 * c)

    def _place(self, z: Any, c: Any) -> Any:
        xp = array_namespace(z, c)
        return xp.exp(2 * xp.asinh(0.5 * c * z))

    def _moments(self, xp: Any, c: Any) -> Any:
        s = c * c
        v = 5 * s + 4
        skew = 4 * c * (11 * s + 6) / (v * xp.sqrt(v))
        return 0.5 * s + 1, 0.25 * s * v, skew, 6 * s * (93 * s + 40) / (v * v)


class PowerLogNorm(ByLogSf):
    """The power log-normal distribution.

    Survival function ``ndtr(-log(x) / s)**c`` for positive `x`; `c` and `s` are positive.

    Examples
    --------
    >>> from likewise.stats import powerlognorm
    >>> round(float(powerlognorm.sf(1.0, 2.0, 0.5)), 4)
    0.25
    """

    name = "powerlognorm"
    parameters = (Parameter("c", 0.0), Parameter("s", 0.0))
    support_ends = (0.0, math.inf)
    open_ends = True

    def _logpdf(self, x: Any, c: Any, s: Any) -> Any:
        xp = array_namespace(x, c, s)
        log = xp.log(x)
        z = log / s
        own = xp.log(c / s) - log - 0.5 * z * z - _LOG_ROOT_TWO_PI
        return own + (c - 1) * log_ndtr(-z)

    def _logsf(self, x: Any, c: Any, s: Any) -> Any:
        return c * log_ndtr(-array_namespace(x).log(x) / s)

    def _of_logsf(self, log: Any, c: Any, s: Any) -> Any:
        return array_namespace(log, s).exp(-s * ndtri_exp(log / c))

    def _ppf(self, q: Any, c: Any, s: Any) -> Any:
        xp = array_namespace(q, c, s)
        lower = -xp.expm1(xp.log1p(-q) / c)  # of the normal distribution
        return xp.exp(s * ndtri(lower))


class FoldNorm(Continuous):
    """The folded normal distribution, of the absolute value of a normal variable with mean `c`.

    Density ``sqrt(2 / pi) cosh(c x) exp(-(x**2 + c**2) / 2)`` for positive `x`; `c` is not
    negative.

    Examples
    --------
    >>> from likewise.stats import foldnorm
    >>> round(float(foldnorm.cdf(1.0, 1.0)), 4)
    0.4772
    """

    name = "foldnorm"
    parameters = (Parameter("c", 0.0, math.inf, (True, False)),)
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return -0.5 * (x - c) ** 2 - _LOG_ROOT_TWO_PI + xp.log1p(xp.exp(-2 * c * x))

    def _cdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        near = x * (1 + c) < 1
        small = xp.where(near, x, 0.0)
        total = 0.0  # the integral of the density, by Gauss's rule with eight nodes
        for node, weight in _GAUSS:
            t = node * small
            total = total + weight * xp.exp(-0.5 * t * t) * xp.cosh(xp.where(near, c, 0.0) * t)
        close = (2 / _ROOT_TWO_PI) * small * xp.exp(-0.5 * c * c) * total
        return xp.where(near, close, ndtr(x - c) - ndtr(-x - c))

    def _sf(self, x: Any, c: Any) -> Any:
        return ndtr(c - x) + ndtr(-c - x)

    def _logsf(self, x: Any, c: Any) -> Any:
        return array_namespace(x, c).logaddexp(log_ndtr(c - x), log_ndtr(-c - x))

    def _moments(self, xp: Any, c: Any) -> Any:
        square = c * c
        peak = xp.exp(-0.5 * square) / _ROOT_TWO_PI
        mean = 2 * peak + c * erf(c / math.sqrt(2))
        var = square + 1 - mean * mean
        third = 2 * (mean * mean * mean - square * mean - peak)
        fourth = square * (square + 6) + 3 + 8 * peak * mean
        fourth = fourth + (2 * (square - 3) - 3 * mean * mean) * mean * mean
        return mean, var, third / (var * xp.sqrt(var)), fourth / (var * var) - 3

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, c: Any) -> Any:
        return xp.abs(normal(key, shape, dtype) + c)


# Nodes and weights of Gauss's rule between 0 and 1.
_GAUSS = (
    (0.019855071751231884, 0.05061426814518813),
    (0.10166676129318664, 0.11119051722668724),
    (0.2372337950418355, 0.15685332293894363),
    (0.4082826787521751, 0.18134189168918102),
    (0.5917173212478249, 0.18134189168918102),
    (0.7627662049581645, 0.15685332293894363),
    (0.8983332387068134, 0.11119051722668724),
    (0.9801449282487681, 0.05061426814518813),
)


class Levy(Continuous):
    """The Lévy distribution, of ``1 / z**2`` for a normal `z`.

    Density ``exp(-1 / (2 x)) / sqrt(2 pi x**3)`` for positive `x`.

    Examples
    --------
    >>> from likewise.stats import levy
    >>> round(float(levy.cdf(2.0)), 4)
    0.4795
    """

    name = "levy"
    support_ends = (0.0, math.inf)
    open_ends = True

    def _logpdf(self, x: Any) -> Any:
        return -1.5 * array_namespace(x).log(x) - 0.5 / x - _LOG_ROOT_TWO_PI

    def _pdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return xp.exp(-0.5 / x) / (xp.sqrt(2 * math.pi * x) * x)

    def _cdf(self, x: Any) -> Any:
        return erfc(array_namespace(x).sqrt(0.5 / x))

    def _sf(self, x: Any) -> Any:
        return erf(array_namespace(x).sqrt(0.5 / x))

    def _logcdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        t = xp.sqrt(0.5 / x)
        small = t < 0.5
        near = xp.log1p(-erf(xp.where(small, t, 0.0)))
        return xp.where(small, near, math.log(2) + log_ndtr(-1 / xp.sqrt(x)))

    def _logsf(self, x: Any) -> Any:
        t = array_namespace(x).sqrt(0.5 / x)
        return log_tail(erf(t), lambda: erfc(t))

    def _ppf(self, q: Any) -> Any:
        return 0.5 / erfcinv(q) ** 2

    def _isf(self, q: Any) -> Any:
        y = erfinv(q)
        return (math.sqrt(0.5) / y) ** 2

    def _moments(self, xp: Any) -> Any:
        return math.inf, math.inf, math.nan, math.nan

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 0.5 * (1 + 3 * _EULER + math.log(16 * math.pi))

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return 1 / normal(key, shape, dtype) ** 2


class LevyL(Levy):
    """The Lévy distribution of negative numbers.

    Density ``exp(1 / (2 x)) / sqrt(-2 pi x**3)`` for negative `x`.

    Examples
    --------
    >>> from likewise.stats import levy_l
    >>> round(float(levy_l.sf(-2.0)), 4)
    0.4795
    """

    name = "levy_l"
    support_ends = (-math.inf, 0.0)

    def _logpdf(self, x: Any) -> Any:
        return super()._logpdf(-x)

    def _pdf(self, x: Any) -> Any:
        return super()._pdf(-x)

    def _cdf(self, x: Any) -> Any:
        return super()._sf(-x)

    def _sf(self, x: Any) -> Any:
        return super()._cdf(-x)

    def _logcdf(self, x: Any) -> Any:
        return super()._logsf(-x)

    def _logsf(self, x: Any) -> Any:
        return super()._logcdf(-x)

    def _ppf(self, q: Any) -> Any:
        return -super()._isf(q)

    def _isf(self, q: Any) -> Any:
        return -super()._ppf(q)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return -super()._draw(xp, key, shape, dtype)


class Moyal(Continuous):
    """Moyal's distribution, of ``-log(z**2)`` for a normal `z`.

    Density ``exp(-(x + exp(-x)) / 2) / sqrt(2 pi)``.

    Examples
    --------
    >>> from likewise.stats import moyal
    >>> round(float(moyal.cdf(1.0)), 4)
    0.5442
    """

    name = "moyal"

    def _logpdf(self, x: Any) -> Any:
        return -0.5 * (x + array_namespace(x).exp(-x)) - _LOG_ROOT_TWO_PI

    def _cdf(self, x: Any) -> Any:
        return erfc(array_namespace(x).exp(-0.5 * x) * math.sqrt(0.5))

    def _sf(self, x: Any) -> Any:
        return erf(array_namespace(x).exp(-0.5 * x) * math.sqrt(0.5))

    def _logcdf(self, x: Any) -> Any:
        return math.log(2) + log_ndtr(-array_namespace(x).exp(-0.5 * x))

    def _logsf(self, x: Any) -> Any:
        xp = array_namespace(x)
        far = x > 80
        near = xp.log(self._sf(xp.where(far, 0.0, x)))
        return xp.where(far, 0.5 * math.log(2 / math.pi) - 0.5 * x, near)

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        return -2 * xp.log(math.sqrt(2) * xp.abs(erfcinv(q)))

    def _isf(self, q: Any) -> Any:
        return -2 * array_namespace(q).log(math.sqrt(2) * erfinv(q))

    def _moments(self, xp: Any) -> Any:
        skew = 28 * math.sqrt(2) * _ZETA3 / math.pi**3
        return math.log(2) + _EULER, 0.5 * math.pi**2, skew, 4.0

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 0.5 * (_EULER + 1 + math.log(4 * math.pi))

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return -2 * xp.log(xp.abs(normal(key, shape, dtype)))


class CrystalBall(Continuous):
    """The Crystal Ball distribution: normal above `-beta`, with a power for its lower tail.

    Density in proportion to ``exp(-x**2 / 2)`` for ``x > -beta``, else to
    ``exp(-beta**2 / 2) (1 - beta (x + beta) / m)**-m``; ``m > 1`` and `beta` is positive.

    Examples
    --------
    >>> from likewise.stats import crystalball
    >>> round(float(crystalball.cdf(0.0, 2.0, 3.0)), 4)
    0.5087
    """

    name = "crystalball"
    parameters = (Parameter("beta", 0.0), Parameter("m", 1.0))
    breaks = 1

    def _breaks(self, beta: Any, m: Any) -> tuple[Any, ...]:
        return (-beta,)

    def _areas(self, beta: Any, m: Any) -> Any:
        """The integrals below and above -beta of what the density is in proportion to."""
        xp = array_namespace(beta, m)
        return m * xp.exp(-0.5 * beta * beta) / (beta * (m - 1)), _ROOT_TWO_PI * ndtr(beta)

    def _left(self, x: Any, beta: Any, m: Any) -> Any:
        """Tell where the lower tail is, and return log(1 - beta (x + beta) / m) there."""
        xp = array_namespace(x, beta, m)
        left = x <= -beta
        return left, xp.log1p(xp.where(left, -(x + beta) * beta / m, 0.0))

    def _logpdf(self, x: Any, beta: Any, m: Any) -> Any:
        xp = array_namespace(x, beta, m)
        below, above = self._areas(beta, m)
        left, log = self._left(x, beta, m)
        y = xp.where(left, -0.5 * beta * beta - m * log, -0.5 * xp.where(left, 0.0, x) ** 2)
        return y - xp.log(below + above)

    def _cdf(self, x: Any, beta: Any, m: Any) -> Any:
        xp = array_namespace(x, beta, m)
        below, above = self._areas(beta, m)
        left, log = self._left(x, beta, m)
        part = xp.where(left, below * xp.exp(-(m - 1) * log), 0.0)
        rest = below + _ROOT_TWO_PI * (ndtr(x) - ndtr(-beta))
        return xp.where(left, part, rest) / (below + above)

    def _sf(self, x: Any, beta: Any, m: Any) -> Any:
        xp = array_namespace(x, beta, m)
        below, above = self._areas(beta, m)
        left, log = self._left(x, beta, m)
        rest = above - below * xp.expm1(-(m - 1) * log)
        return xp.where(left, rest, _ROOT_TWO_PI * ndtr(-x)) / (below + above)

    def _quantile_of(self, q: Any, rest: Any, beta: Any, m: Any) -> Any:
        """The quantile of q, given `rest`, which is 1 - q."""
        xp = array_namespace(q, beta, m)
        below, above = self._areas(beta, m)
        total = below + above
        left = q * total <= below
        share = xp.where(left, q * total / below, 1.0)
        tail = -beta - m / beta * xp.expm1(-xp.log(share) / (m - 1))
        p = xp.where(left, 0.5, rest * total / _ROOT_TWO_PI)
        upper = p <= 0.5
        p = xp.where(upper, p, (q * total - below) / _ROOT_TWO_PI + ndtr(-beta))
        z = ndtri(p)
        return xp.where(left, tail, xp.where(upper, -z, z))

    def _ppf(self, q: Any, beta: Any, m: Any) -> Any:
        return self._quantile_of(q, 1 - q, beta, m)

    def _isf(self, q: Any, beta: Any, m: Any) -> Any:
        return self._quantile_of(1 - q, q, beta, m)

    def _raw_moment(self, xp: Any, order: int, beta: Any, m: Any) -> Any:
        below, above = self._areas(beta, m)
        edge, there = xp.exp(-0.5 * beta * beta), m > order + 1
        m = xp.where(there, m, order + 2.0)
        # x = -beta - s: the integral of s**k (1 + s / g)**-m is g**(k + 1) beta(k + 1, m - k - 1).
        g, left, part = m / beta, 0.0, m / (beta * (m - 1))
        for k in range(order + 1):
            left = left + math.comb(order, k) * beta ** (order - k) * part
            part = part * g * (k + 1) / (m - k - 2) if k < order else part
        one, two = above, edge  # of x**0 and x**1, from -beta on
        for k in range(2, order + 1):
            one, two = two, (-beta) ** (k - 1) * edge + (k - 1) * one
        raw = ((-1) ** order * edge * left + two) / (below + above)
        return xp.where(there, raw, xp.inf)

    def _entropy(self, xp: Any, x: Any, beta: Any, m: Any) -> Any:
        below, above = self._areas(beta, m)
        rest = 0.5 * (above - beta * xp.exp(-0.5 * beta * beta))
        part = below * (0.5 * beta * beta + m / (m - 1)) + rest
        return xp.log(below + above) + part / (below + above)


crystalball, fatiguelife, foldnorm = CrystalBall(), FatigueLife(), FoldNorm()
johnsonsb, johnsonsu, powerlognorm = JohnsonSB(), JohnsonSU(), PowerLogNorm()
levy, levy_l, moyal = Levy(), LevyL(), Moyal()
