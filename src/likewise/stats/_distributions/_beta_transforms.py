"""Distributions of quotients of beta variables and their complements."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import gamma
from ...random._keys import split_in_two
from ...special import beta, betainc, betaincc, betainccinv, betaincinv
from ...special._function import at_hand
from ._continuous import Continuous
from ._densities import fisher_density, log_beta_density, log_fisher_density
from ._parameters import Parameter

__all__ = ["betaprime", "jf_skew_t"]


class _OfBeta(Continuous):
    """A rising function of a beta variable y: `_near` tells where y is less than its complement,
    and returns the lesser of both, `_odds` is the function of y and 1 - y."""

    parameters = (Parameter("a", 0.0), Parameter("b", 0.0))

    def _near(self, x: Any, a: Any, b: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _odds(self, y: Any, rest: Any, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def _of_tails(self, x: Any, a: Any, b: Any, lower: bool) -> Any:
        left, y = self._near(x, a, b)
        xp = array_namespace(x, y)
        if at_hand(left):
            first = bool(xp.any(left))  # likewise: ignore[LW203]: values are at hand
            if first == bool(xp.all(left)):  # likewise: ignore[LW203]: values are at hand
                tail = betainc if first == lower else betaincc
                return tail(a, b, y) if first else tail(b, a, y)
        p, q = xp.where(left, a, b), xp.where(left, b, a)
        return xp.where(left == lower, betainc(p, q, y), betaincc(p, q, y))

    def _cdf(self, x: Any, a: Any, b: Any) -> Any:
        return self._of_tails(x, a, b, True)

    def _sf(self, x: Any, a: Any, b: Any) -> Any:
        return self._of_tails(x, a, b, False)

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return self._odds(betaincinv(a, b, q), betainccinv(b, a, q), a, b)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        return self._odds(betainccinv(a, b, q), betaincinv(b, a, q), a, b)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, a: Any, b: Any) -> Any:
        one, two = split_in_two(key)
        g, h = gamma(one, a, shape, dtype), gamma(two, b, shape, dtype)
        return self._odds(g / (g + h), h / (g + h), a, b)


class BetaPrime(_OfBeta):
    """The beta prime distribution, of the quotient of two gamma variables.

    Density ``x**(a - 1) (1 + x)**(-a - b) / beta(a, b)`` for positive `x`; `a` and `b` are
    positive.

    Examples
    --------
    >>> from likewise.stats import betaprime
    >>> round(float(betaprime.cdf(1.0, 2.0, 3.0)), 4)
    0.6875
    """

    name = "betaprime"
    support_ends = (0.0, math.inf)

    def _logpdf(self, x: Any, a: Any, b: Any) -> Any:
        ratio = b / a
        return log_fisher_density(2 * a, 2 * b, x * ratio) + array_namespace(ratio).log(ratio)

    def _pdf(self, x: Any, a: Any, b: Any) -> Any:
        ratio = b / a
        return fisher_density(2 * a, 2 * b, x * ratio) * ratio

    def _near(self, x: Any, a: Any, b: Any) -> tuple[Any, Any]:
        left = x < 1
        return left, array_namespace(x).where(left, x, 1.0) / (1 + x)

    def _odds(self, y: Any, rest: Any, a: Any, b: Any) -> Any:
        return y / rest

    def _moments(self, xp: Any, a: Any, b: Any) -> Any:
        there = b > 2
        c = xp.where(there, b, 3.0)
        var = a * (a + c - 1) / ((c - 2) * (c - 1) ** 2)
        return None, xp.where(there, var, xp.inf), None, None

    def _raw_moment(self, xp: Any, order: int, a: Any, b: Any) -> Any:
        there = b > order
        c = xp.where(there, b, order + 1.0)
        product = 1.0
        for i in range(order):
            product = product * (a + i) / (c - 1 - i)
        return xp.where(there, product, xp.inf)


class JFSkewT(_OfBeta):
    """Jones and Faddy's skew t distribution (J. R. Stat. Soc. B 65, 2003, 159).

    Density in proportion to ``(1 + x / r)**(a + 1/2) (1 - x / r)**(b + 1/2)`` with
    ``r = sqrt(a + b + x**2)``; `a` and `b` are positive.

    Examples
    --------
    >>> from likewise.stats import jf_skew_t
    >>> round(float(jf_skew_t.cdf(1.0, 2.0, 3.0)), 4)
    0.9194
    """

    name = "jf_skew_t"

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return -self._isf(q, b, a)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        """By the first term of the beta distribution's function where its inverse is below all
        numbers."""
        xp = array_namespace(q, a, b)
        half = -0.5 / b
        far = q**half * (b * beta(b, a)) ** half
        low = far > 1e140
        p = xp.where(low, 0.5, q)
        near = self._odds(betainccinv(a, b, p), betaincinv(b, a, p), a, b)
        return xp.where(low, 0.5 * xp.sqrt(a + b) * far, near)

    def _of_tails(self, x: Any, a: Any, b: Any, lower: bool) -> Any:
        near, shape, over = self._middle(x, a, b)
        xp = array_namespace(near, shape)
        found, over = super()._of_tails(near, a, b, lower), over ** (-2 * shape)
        rest = xp.where(over < 1, 1 - (1 - found) * over, found)
        return xp.where((near < 0) == lower, found * over, rest)

    def _middle(self, x: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
        """x, or an end of the interval beyond which tails are powers; the shape of the nearer tail;
        and x over that end, at least 1."""
        xp = array_namespace(x, a, b)
        most = 1e100 * xp.sqrt(a + b)
        near = xp.where(x < -most, -most, xp.where(x > most, most, x))
        over = xp.where(x == near, 1.0, xp.abs(x) / most)
        return near, xp.where(x < 0, a, b), over

    def _logpdf(self, x: Any, a: Any, b: Any) -> Any:
        x, shape, over = self._middle(x, a, b)
        left, y = self._near(x, a, b)
        xp = array_namespace(x, y)
        own = log_beta_density(shape, xp.where(left, b, a), y) - (2 * shape + 1) * xp.log(over)
        root = xp.sqrt(a + b)
        r = xp.hypot(x, root + xp.zeros_like(x))
        return own - xp.log(r) + 2 * xp.log(root / r) - math.log(2)

    def _near(self, x: Any, a: Any, b: Any) -> tuple[Any, Any]:
        xp = array_namespace(x, a, b)
        left = x < 0
        size = xp.where(left, -x, x)
        root = xp.sqrt(a + b)
        r = xp.hypot(size, root + xp.zeros_like(size))
        return left, 0.5 * (root / r) * (root / (r + size))

    def _odds(self, y: Any, rest: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(y, rest)
        return 0.5 * (y - rest) * xp.sqrt((a + b) / (y * rest))

    def _raw_moment(self, xp: Any, order: int, a: Any, b: Any) -> Any:
        there = (2 * a > order) & (2 * b > order)
        p, q = xp.where(there, a, order + 0.0), xp.where(there, b, order + 0.0)
        total = sum(
            math.comb(order, k) * (-1) ** k * beta(p + (0.5 * order - k), q + (k - 0.5 * order))
            for k in range(order + 1)
        )
        found = (0.25 * (a + b)) ** (0.5 * order) / beta(p, q) * total
        return xp.where(there, found, xp.nan)


betaprime, jf_skew_t = BetaPrime(), JFSkewT()
