"""Symmetric distributions in closed form, and those of their exponentials."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...optimize import find_root
from ...random import bernoulli, gamma
from ...random._keys import split_in_two
from ...special import boxcox, exprel, gammaincc, gammainccinv, xlogy
from ...special import gamma as gamma_function
from ...special._function import at_hand, looped
from ...transforms import stop_gradient
from ._continuous import Continuous
from ._densities import log_gamma_density
from ._forms import ByQuantile, Symmetric, log1mexp, lowest_below, over_probabilities
from ._gamma import gamma_entropy
from ._parameters import Parameter
from ._powers import just_below, log_linear

__all__ = ["dgamma", "dweibull", "foldcauchy", "hypsecant", "loglaplace", "tukeylambda"]

_EULER = 0.5772156649015329


class DoubleGamma(Symmetric):
    """The double gamma distribution.

    Density ``abs(x)**(a - 1) exp(-abs(x)) / (2 gamma(a))``; `a` is positive.

    Examples
    --------
    >>> from likewise.stats import dgamma
    >>> round(float(dgamma.cdf(1.0, 1.0)), 4)
    0.8161
    """

    name = "dgamma"
    parameters = (Parameter("a", 0.0),)
    breaks = 1

    def _breaks(self, *shapes: Any) -> tuple[Any, ...]:
        return (0.0,)

    def _logpdf(self, x: Any, a: Any) -> Any:
        return log_gamma_density(a, array_namespace(x).abs(x)) - math.log(2)

    def _tail(self, x: Any, a: Any) -> Any:
        return 0.5 * gammaincc(a, x)

    def _of_tail(self, q: Any, a: Any) -> Any:
        return gammainccinv(a, 2 * q)

    def _moments(self, xp: Any, a: Any) -> Any:
        var = a * (a + 1)
        return 0.0, var, 0.0, (a + 2) * (a + 3) / var - 3

    def _entropy(self, xp: Any, x: Any, a: Any) -> Any:
        return gamma_entropy(xp, a) + math.log(2)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any) -> Any:
        one, two = split_in_two(key)
        size = gamma(one, a, shape, dtype)
        return xp.where(bernoulli(two, 0.5, shape), size, -size)


class DoubleWeibull(Symmetric):
    """The double Weibull distribution.

    Density ``c / 2 abs(x)**(c - 1) exp(-abs(x)**c)``; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import dweibull
    >>> round(float(dweibull.cdf(1.0, 2.0)), 4)
    0.8161
    """

    name = "dweibull"
    parameters = (Parameter("c", 0.0),)
    breaks = 1

    def _breaks(self, *shapes: Any) -> tuple[Any, ...]:
        return (0.0,)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        size = xp.abs(x)
        return xp.log(0.5 * c) + xlogy(c - 1, size) - size**c

    def _tail(self, x: Any, c: Any) -> Any:
        return 0.5 * array_namespace(x, c).exp(-(x**c))

    def _log_tail(self, x: Any, c: Any) -> Any:
        return -math.log(2) - x**c

    def _of_tail(self, q: Any, c: Any) -> Any:
        return (-array_namespace(q).log(2 * q)) ** (1 / c)

    def _raw_moment(self, xp: Any, order: int, c: Any) -> Any:
        return 0.0 * c if order % 2 else gamma_function(1 + order / c)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return _EULER * (1 - 1 / c) - xp.log(c) + (1 + math.log(2))


class HypSecant(Symmetric):
    """The hyperbolic secant distribution.

    Density ``1 / (pi cosh(x))``.

    Examples
    --------
    >>> from likewise.stats import hypsecant
    >>> round(float(hypsecant.cdf(1.0)), 4)
    0.7756
    """

    name = "hypsecant"

    def _logpdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        size = xp.abs(x)
        return math.log(2 / math.pi) - size - xp.log1p(xp.exp(-2 * size))

    def _tail(self, x: Any) -> Any:
        xp = array_namespace(x)
        return 2 / math.pi * xp.atan(xp.exp(-x))

    def _log_tail(self, x: Any) -> Any:
        xp = array_namespace(x)
        far = x > 20  # where atan(t) is t
        near = xp.log(xp.atan(xp.exp(-xp.where(far, 0.0, x))))
        return math.log(2 / math.pi) + xp.where(far, -x, near)

    def _of_tail(self, q: Any) -> Any:
        xp = array_namespace(q)
        return -xp.log(xp.tan(0.5 * math.pi * q))

    def _moments(self, xp: Any) -> Any:
        return 0.0, 0.25 * math.pi**2, 0.0, 2.0

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(2 * math.pi)


class TukeyLambda(ByQuantile, Symmetric):
    """Tukey's lambda distribution.

    Quantiles ``(q**lam - (1 - q)**lam) / lam``, and ``log(q / (1 - q))`` for ``lam = 0``; `lam` is
    real. The support ends at ``1 / lam`` for positive `lam`.

    Examples
    --------
    >>> from likewise.stats import tukeylambda
    >>> round(float(tukeylambda.cdf(1.0, 0.14)), 4)
    0.7548
    """

    name = "tukeylambda"
    parameters = (Parameter("lam"),)
    open_ends = True

    def _fit_shapes(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """0.5, or what keeps data within the support if the scale is fixed: also those around a
        start of the location at their mean."""
        if "scale" not in fixed:
            return [0.5]
        loc = fixed["loc"] if "loc" in fixed else xp.mean(x, axis=-1)
        far = xp.max(xp.abs(x - loc[:, None]), axis=-1) / fixed["scale"]
        return [xp.minimum(0.9 / xp.maximum(far, xp.ones_like(far)), 0.0 * far + 0.5)]

    def _support(self, xp: Any, lam: Any) -> Any:
        end = xp.where(lam > 0, 1 / xp.where(lam > 0, lam, 1.0), xp.inf)
        return -end, end

    def _logpdf(self, x: Any, lam: Any) -> Any:
        xp = array_namespace(x, lam)
        log = self._log_tail(xp.abs(x), lam)
        one, two = (lam - 1) * log, (lam - 1) * log1mexp(log)
        most = xp.maximum(stop_gradient(one), stop_gradient(two))
        return -(most + xp.log(xp.exp(one - most) + xp.exp(two - most)))

    def _tail(self, x: Any, lam: Any) -> Any:
        return array_namespace(x, lam).exp(self._log_tail(x, lam))

    def _log_tail(self, x: Any, lam: Any) -> Any:
        """The root u = log(q) of ``boxcox(1 - q) - boxcox(q) = x``, which falls in u."""
        xp = array_namespace(x, lam)
        x, lam = xp.broadcast_arrays(x, lam)

        def gap(u: Any, x: Any, lam: Any) -> Any:
            v = log1mexp(u)
            return v * exprel(lam * v) - u * exprel(lam * u) - x

        def bound(s: Any) -> Any:
            """Solve ``-boxcox(q) = s`` for q; far below, if there is no solution."""
            there = lam * s < 1
            return xp.where(there, -log_linear(xp.where(there, s, 0.0), lam), -1000.0)

        half = math.log(0.5)
        low, high = bound(x - half * exprel(lam * half)), xp.minimum(bound(x), x * 0 + half)
        fixed = stop_gradient((x, lam))
        low, high = stop_gradient((low - 1e-3, high + 1e-9))

        def newton(u: Any, x: Any, lam: Any) -> Any:
            return gap(u, x, lam) / (xp.exp(lam * u) + xp.exp((lam - 1) * log1mexp(u) + u))

        def step(state: Any) -> Any:
            """Newton's step where it stays inside and is half of the last one, else a halving."""
            u, low, high, last, open_ = state
            move = newton(u, *fixed)
            low, high = xp.where(move > 0, u, low), xp.where(move < 0, u, high)
            good = (u + move >= low) & (u + move <= high) & (xp.abs(move) <= 0.5 * last)
            there = xp.where(open_, xp.where(good, u + move, 0.5 * (low + high)), u)
            last = xp.abs(there - u)
            return there, low, high, last, open_ & (last > near * (1 + xp.abs(u)))

        if at_hand(x, lam):
            near = 0.1 * float(xp.finfo(x.dtype).eps) ** 0.5
            start = (0.5 * (low + high), low, high, high - low, low < high)
            found = looped(lambda s: xp.any(s[4]), step, start)[0]
        else:
            found = find_root(gap, (low, high), args=fixed).x
        u = stop_gradient(xp.minimum(found, x * 0 + half))
        for _ in range(2):  # which have the implicit derivative
            u = u + newton(u, x, lam)
        return u

    def _of_tail(self, q: Any, lam: Any) -> Any:
        return boxcox(1 - q, lam) - boxcox(q, lam)

    def _moments(self, xp: Any, lam: Any) -> Any:
        return 0.0, None, 0.0, None

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        if i % 2 == 0:
            return 0.0
        lam = shapes[0]  # tails to the power 1 / lam
        there = lam > -1 / (i + 1)
        found = super()._known(xp, i, x, (xp.where(there, lam, 1.0),))
        return xp.where(there, found, xp.nan)

    def _entropy(self, xp: Any, x: Any, lam: Any) -> Any:
        return over_probabilities(
            x + 0.0 * lam, lambda p: 2 * xp.log(p ** (lam - 1) + (1 - p) ** (lam - 1))
        )


class LogLaplace(Continuous):
    """The log-Laplace distribution.

    Density ``c / 2 x**(c - 1)`` for `x` from 0 to 1, and ``c / 2 x**(-c - 1)`` beyond; `c` is
    positive. Of data just above loc the likelihood has no bound: fits return its maximum further
    below, and a loc just below the data where there is none.

    Examples
    --------
    >>> from likewise.stats import loglaplace
    >>> float(loglaplace.cdf(2.0, 2.0))
    0.875
    """

    name = "loglaplace"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, math.inf)
    breaks = 1

    def _breaks(self, c: Any) -> tuple[Any, ...]:
        return (1.0,)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """Laplace's median and mean deviation of the logarithms; loc is where these have the least
        cost below the data, or just below them: there the likelihood has no bound."""
        if "loc" not in fixed:
            low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
            s = self._below(xp, x, fixed)
            loc = low - xp.where(xp.isnan(s), 0.0, s)
            fixed = fixed | {"loc": xp.where(loc < low, loc, just_below(low, high))}
        far = x - fixed["loc"][..., None]
        logs = xp.log(xp.where(far > 0, far, xp.nan))
        scale = fixed.get("scale")
        if scale is None:
            ordered, n = xp.sort(logs, axis=-1), x.shape[-1]
            scale = xp.exp(0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2]))
        c = 1 / xp.mean(xp.abs(logs - xp.log(scale)[..., None]), axis=-1)
        return {"c": c, "scale": scale} | fixed

    def _below(self, xp: Any, x: Any, fixed: Any) -> Any:
        """How far loc is below the data at the lowest minimum of the cost, NaN if it has none."""
        n, at = x.shape[-1], [fixed[k][..., None] for k in ("scale", "c") if k in fixed]
        free = "scale" not in fixed

        def offs(gaps: Any, s: Any, *known: Any) -> tuple[Any, Any]:
            """Distances from the scale, which is the median's distance if it isn't fixed."""
            if not free:
                return gaps + s - known[0], known[0]
            ordered = xp.sort(gaps, axis=-1)
            middle = 0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2])[..., None]
            return gaps - middle, middle + s

        def c_and_sum(off: Any, scale: Any, *known: Any) -> tuple[Any, Any]:
            apart = xp.sum(xp.abs(xp.log1p(off / scale)), axis=-1, keepdims=True)
            return known[-1] if "c" in fixed else n / apart, apart

        def cost(gaps: Any, s: Any, *known: Any) -> Any:
            c, apart = c_and_sum(*offs(gaps, s, *known), *known)
            return xp.sum(xp.log(gaps + s), axis=-1, keepdims=True) + c * apart - n * xp.log(c)

        def slopes(gaps: Any, s: Any, *known: Any) -> tuple[Any, Any]:
            off, scale = offs(gaps, s, *known)
            c, _ = c_and_sum(off, scale, *known)
            sign, over = xp.sign(off), 1 / (gaps + s)
            moved = 1 / scale if free else 0.0
            first = xp.sum(sign * (over - moved), axis=-1, keepdims=True)
            second = xp.sum(sign * (over**2 - moved**2), axis=-1, keepdims=True)
            bend = -xp.sum(over**2, axis=-1, keepdims=True) - c * second
            slope = xp.sum(over, axis=-1, keepdims=True) + c * first
            return slope, bend if "c" in fixed else bend - (c * first) ** 2 / n

        s = lowest_below(x, cost, slopes, *at, inner=True)
        if free:
            return s
        # With a fixed scale the cost has a kink where that is the distance of one of the data.
        low = xp.min(x, axis=-1, keepdims=True)
        kinks = fixed["scale"][..., None] - (x - low)
        nearest = xp.argmin(xp.abs(kinks - s[..., None]), axis=-1)
        kink = xp.take_along_axis(kinks, nearest[..., None], axis=-1)
        lower = (kink > 0) & (cost(x - low, kink, *at) <= cost(x - low, s[..., None], *at))
        return xp.where(lower[..., 0], kink[..., 0], s)

    def _logpdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.log(0.5 * c) + xlogy(xp.where(x < 1, c, -c) - 1, x)

    def _tail(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        low = x < 1
        return low, 0.5 * xp.where(low, x, 1 / xp.where(low, 1.0, x)) ** c

    def _cdf(self, x: Any, c: Any) -> Any:
        low, p = self._tail(x, c)
        return array_namespace(p).where(low, p, 1 - p)

    def _sf(self, x: Any, c: Any) -> Any:
        low, p = self._tail(x, c)
        return array_namespace(p).where(low, 1 - p, p)

    def _ppf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        low = q < 0.5
        x = (2 * xp.where(low, q, 1 - q)) ** (1 / c)
        return xp.where(low, x, 1 / x)

    def _isf(self, q: Any, c: Any) -> Any:
        return 1 / self._ppf(q, c)

    def _moments(self, xp: Any, c: Any) -> Any:
        there = c > 2
        square = xp.where(there, c, 3.0) ** 2
        var = square * (2 * square + 1) / ((square - 4) * (square - 1) ** 2)
        return None, xp.where(there, var, xp.inf), None, None

    def _raw_moment(self, xp: Any, order: int, c: Any) -> Any:
        there = c > order
        square = xp.where(there, c, order + 1.0) ** 2
        return xp.where(there, square / (square - order * order), xp.inf)

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 1 + xp.log(2 / c)


class FoldCauchy(Continuous):
    """The folded Cauchy distribution, of the absolute value of a Cauchy variable around `c`.

    Density ``(1 / (1 + (x - c)**2) + 1 / (1 + (x + c)**2)) / pi`` for positive `x`; `c` is not
    negative.

    Examples
    --------
    >>> from likewise.stats import foldcauchy
    >>> round(float(foldcauchy.cdf(1.0, 1.0)), 4)
    0.3524
    """

    name = "foldcauchy"
    parameters = (Parameter("c", 0.0, math.inf, (True, False)),)
    support_ends = (0.0, math.inf)

    def _pdf(self, x: Any, c: Any) -> Any:
        return (1 / (1 + (x - c) ** 2) + 1 / (1 + (x + c) ** 2)) / math.pi

    def _over(self, x: Any, c: Any) -> Any:
        """The tangent of the distribution function times pi is 2 over this."""
        return 1 / x + (c - x) * (1 + c / x)

    def _cdf(self, x: Any, c: Any) -> Any:
        over = self._over(x, c)
        xp = array_namespace(over)
        return xp.atan2(2 * xp.ones_like(over), over) / math.pi

    def _sf(self, x: Any, c: Any) -> Any:
        over = self._over(x, c)
        xp = array_namespace(over)
        return xp.atan2(2 * xp.ones_like(over), -over) / math.pi

    def _ppf(self, q: Any, c: Any) -> Any:
        return self._of_cotangent(q, c, False)

    def _isf(self, q: Any, c: Any) -> Any:
        return self._of_cotangent(q, c, True)

    def _of_cotangent(self, q: Any, c: Any, upper: bool) -> Any:
        """The positive root of ``x**2 + 2 cot(pi q) x = 1 + c**2``."""
        xp = array_namespace(q, c)
        sine, cosine = xp.sin(math.pi * q), xp.cos(math.pi * q)
        cot = -cosine / sine if upper else cosine / sine
        square = 1 + c * c
        size = xp.abs(cot) + xp.hypot(cot, xp.sqrt(square) + xp.zeros_like(cot))
        return xp.where(cot > 0, square / size, size)

    def _moments(self, xp: Any, c: Any) -> Any:
        return math.inf, math.inf, math.nan, math.nan


dgamma, dweibull, hypsecant = DoubleGamma(), DoubleWeibull(), HypSecant()
foldcauchy, loglaplace, tukeylambda = FoldCauchy(), LogLaplace(), TukeyLambda()
