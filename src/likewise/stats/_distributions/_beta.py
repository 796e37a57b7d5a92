"""The beta distribution and Fisher's F."""

import math
from typing import Any

from ...random import beta as draw_beta
from ...random import gamma as draw_gamma
from ...random._keys import split_in_two
from ...special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    digamma,
    fdtr,
    fdtrc,
    fdtri,
    zeta,
)
from ._continuous import Continuous
from ._densities import beta_density, fisher_density, log_beta_density, log_fisher_density
from ._gamma import gamma_entropy
from ._parameters import Parameter

__all__ = ["beta", "f"]


class Beta(Continuous):
    """The beta distribution.

    Density ``x**(a - 1) (1 - x)**(b - 1) / B(a, b)`` for x between 0 and 1; `a`, `b` are positive.

    Examples
    --------
    >>> from likewise.stats import beta
    >>> round(float(beta.cdf(0.5, 2.0, 3.0)), 4)
    0.6875
    """

    name = "beta"
    parameters = (Parameter("a", 0.0), Parameter("b", 0.0))
    support_ends = (0.0, 1.0)
    whole = frozenset(("ppf", "isf"))
    light = frozenset(("pdf", "logpdf"))
    closed_terms = True

    def _logpdf(self, x: Any, a: Any, b: Any) -> Any:
        return log_beta_density(a, b, x)

    def _pdf(self, x: Any, a: Any, b: Any) -> Any:
        return beta_density(a, b, x)

    def _cdf(self, x: Any, a: Any, b: Any) -> Any:
        return betainc(a, b, x)

    def _sf(self, x: Any, a: Any, b: Any) -> Any:
        return betaincc(a, b, x)

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return betaincinv(a, b, q)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        return betainccinv(a, b, q)

    def _moments(self, xp: Any, a: Any, b: Any) -> Any:
        n = a + b
        p, q = a / n, b / n
        skewness = 2 * (q - p) * xp.sqrt(n + 1) / ((n + 2) * xp.sqrt(p * q))
        kurtosis = 6 * ((q - p) ** 2 * (n + 1) / (p * q) - (n + 2)) / ((n + 2) * (n + 3))
        return p, p * q / (n + 1), skewness, kurtosis

    def _fit_terms(self, xp: Any, z: Any, a: Any, b: Any) -> Any:
        """The density next to that at the mean, where terms don't cancel if shapes are large."""
        m, n = z.shape[-1], a + b
        p, q = a / n, b / n
        y = 1 - z
        low, high, left, right = z / p, y / q, 1 / z, 1 / y
        log_low, log_high = xp.log(low), xp.log(high)
        of_low, of_high, near_low, near_high, of_left, of_right, left_two, right_two = (
            xp.sum(v, axis=-1, keepdims=True)
            for v in (
                log_low,
                log_high,
                log_low - (low - 1),
                log_high - (high - 1),
                left,
                right,
                left * left,
                right * right,
            )
        )
        two = xp.full_like(a, 2.0)
        c, d, common = a - 1, b - 1, m * zeta(two, n)
        of_both, odds = digamma(n), of_right - m  # odds: of z / (1 - z)
        return (
            a * near_low + b * near_high - of_low - of_high + m * log_beta_density(a, b, p),
            (
                of_low + m * (xp.log(p) - digamma(a) + of_both),
                of_high + m * (xp.log(q) - digamma(b) + of_both),
                c * of_left - d * of_right,
                c * m - d * odds,
            ),
            (
                (common - m * zeta(two, a), common, of_left, xp.full_like(a, m)),
                (common - m * zeta(two, b), -of_right, -odds),
                (-c * left_two - d * right_two, -c * of_left - d * (right_two - of_right)),
                (-c * m - d * (right_two - of_right - odds),),
            ),
        )

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """The data's range and a little more, with the shapes that give mean and variance there."""
        low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
        margin = 0.02 * (high - low)
        margin = xp.where(margin > 0, margin, 1.0)
        loc = fixed.get("loc", low - margin)
        scale = fixed.get("scale", xp.maximum(high + margin - loc, margin))
        mean = (xp.mean(x, axis=-1) - loc) / scale
        size = mean * (1 - mean) * scale * scale / (xp.var(x, axis=-1) + margin**2 * 1e-6) - 1
        size = xp.maximum(size, xp.full_like(size, 0.1))
        return [fixed.get("a", mean * size), fixed.get("b", (1 - mean) * size), loc, scale]

    def _entropy(self, xp: Any, x: Any, a: Any, b: Any) -> Any:
        # By entropies of gamma numbers, in which nothing cancels where a or b is large.
        n = a + b
        one, two, both = (gamma_entropy(xp, v) for v in (a, b, n))
        return one + two - both - digamma(n)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any, b: Any) -> Any:
        return draw_beta(key, a, b, shape, dtype)


class Fisher(Continuous):
    """Fisher's F distribution.

    Density ``u**(dfn / 2) (1 - u)**(dfd / 2) / (x B(dfn / 2, dfd / 2))`` with ``u = dfn x / (dfn x
    + dfd)`` for x above 0; `dfn`, `dfd` are positive.

    Examples
    --------
    >>> from likewise.stats import f
    >>> round(float(f.isf(0.05, 3, 20)), 4)
    3.0984
    """

    name = "f"
    parameters = (Parameter("dfn", 0.0), Parameter("dfd", 0.0))
    support_ends = (0.0, math.inf)
    whole = frozenset(("ppf",))

    def _logpdf(self, x: Any, dfn: Any, dfd: Any) -> Any:
        return log_fisher_density(dfn, dfd, x)

    def _pdf(self, x: Any, dfn: Any, dfd: Any) -> Any:
        return fisher_density(dfn, dfd, x)

    def _cdf(self, x: Any, dfn: Any, dfd: Any) -> Any:
        return fdtr(dfn, dfd, x)

    def _sf(self, x: Any, dfn: Any, dfd: Any) -> Any:
        return fdtrc(dfn, dfd, x)

    def _ppf(self, q: Any, dfn: Any, dfd: Any) -> Any:
        return fdtri(dfn, dfd, q)

    def _isf(self, q: Any, dfn: Any, dfd: Any) -> Any:
        return 1 / fdtri(dfd, dfn, q)

    def _moments(self, xp: Any, n: Any, m: Any) -> Any:
        safe = [xp.where(m > k, m - k, 1.0) for k in (2, 4, 6, 8)]
        mean = xp.where(m > 2, m / safe[0], xp.inf)
        var = 2 * m * m * (n + m - 2) / (n * safe[0] ** 2 * safe[1])
        root = xp.where(m > 6, safe[1] / (n * (n + m - 2)), 1.0)
        skewness = (2 * n + m - 2) / safe[2] * xp.sqrt(8 * root)
        kurtosis = 1.5 * (8 + skewness * skewness * safe[2]) / safe[3]
        return (
            mean,
            xp.where(m > 4, var, xp.inf),
            xp.where(m > 6, skewness, xp.nan),
            xp.where(m > 8, kurtosis, xp.nan),
        )

    def _entropy(self, xp: Any, x: Any, n: Any, m: Any) -> Any:
        a, b = 0.5 * n, 0.5 * m
        one, two, both = (gamma_entropy(xp, v) for v in (a, b, a + b))
        return xp.log(b / a) + one + two - both - 2 * digamma(b) + digamma(a + b)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, n: Any, m: Any) -> Any:
        one, two = split_in_two(key)
        above = draw_gamma(one, 0.5 * n, shape, dtype) / n
        return above / (draw_gamma(two, 0.5 * m, shape, dtype) / m)


beta = Beta()
f = Fisher()
