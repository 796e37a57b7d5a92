"""Trials: bernoulli, binom, geom, nbinom, betabinom, betanbinom."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import binomial as draw_binomial
from ...special import bdtr, bdtrc, betainc, betaincc, betaln, entr, xlog1py
from ...special._function import at_hand
from ...transforms import stop_gradient
from ._densities import beta_density, log_beta_density
from ._discrete import Discrete
from ._masses import binomial, log_binomial
from ._parameters import Parameter
from ._tail_sums import Summed

__all__ = ["bernoulli", "betabinom", "betanbinom", "binom", "geom", "nbinom"]

_CHANCE = Parameter("p", 0.0, 1.0, closed=(True, True))
_SUCCESS = Parameter("p", 0.0, 1.0, closed=(False, True))
_TRIALS = Parameter("n", 0.0, closed=(True, False), integer=True)


class Bernoulli(Discrete):
    """The Bernoulli distribution: 1 with probability `p`, else 0.

    Examples
    --------
    >>> from likewise.stats import bernoulli
    >>> float(bernoulli.pmf(1, 0.3))
    0.3
    """

    name = "bernoulli"
    parameters = (_CHANCE,)
    support_ends = (0.0, 1.0)

    def _pmf(self, k: Any, p: Any) -> Any:
        return array_namespace(k, p).where(k > 0, p + 0 * k, 1 - p)

    def _logpmf(self, k: Any, p: Any) -> Any:
        xp = array_namespace(k, p)
        return xp.where(k > 0, xp.log(p), xp.log1p(-p))

    def _cdf(self, k: Any, p: Any) -> Any:
        return 1 - p + 0 * k

    def _sf(self, k: Any, p: Any) -> Any:
        return p + 0 * k

    def _ppf(self, q: Any, p: Any) -> Any:
        xp = array_namespace(q, p)
        return xp.astype(q > 1 - p, q.dtype)

    def _isf(self, q: Any, p: Any) -> Any:
        xp = array_namespace(q, p)
        return xp.astype(q < p, q.dtype)

    def _moments(self, xp: Any, p: Any) -> Any:
        var = p * (1 - p)
        return p, var, (1 - 2 * p) / xp.sqrt(var), 1 / var - 6

    def _entropy(self, xp: Any, x: Any, p: Any) -> Any:
        return x + entr(p) + entr(1 - p)


class Binom(Discrete):
    """The binomial distribution: the successes among `n` trials, each of probability `p`.

    Examples
    --------
    >>> from likewise.stats import binom
    >>> round(float(binom.cdf(3, 10, 0.5)), 6)
    0.171875
    """

    name = "binom"
    parameters = (_TRIALS, _CHANCE)

    def _support(self, xp: Any, n: Any, p: Any) -> Any:
        return 0.0, n

    def _pmf(self, k: Any, n: Any, p: Any) -> Any:
        return binomial(k, n, p)

    def _logpmf(self, k: Any, n: Any, p: Any) -> Any:
        return log_binomial(k, n, p)

    def _cdf(self, k: Any, n: Any, p: Any) -> Any:
        return bdtr(k, n, p)

    def _sf(self, k: Any, n: Any, p: Any) -> Any:
        return bdtrc(k, n, p)

    def _moments(self, xp: Any, n: Any, p: Any) -> Any:
        var = n * p * (1 - p)
        return n * p, var, (1 - 2 * p) / xp.sqrt(var), 1 / var - 6 / n

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, n: Any, p: Any) -> Any:
        return xp.astype(draw_binomial(key, n, p, shape), dtype)


class Geom(Discrete):
    """The geometric distribution: the trials, of probability `p`, up to the first success.

    Examples
    --------
    >>> from likewise.stats import geom
    >>> round(float(geom.pmf(3, 0.5)), 12)
    0.125
    """

    name = "geom"
    parameters = (_SUCCESS,)
    support_ends = (1.0, math.inf)

    def _logpmf(self, k: Any, p: Any) -> Any:
        return xlog1py(k - 1, -p) + array_namespace(p).log(p)

    def _cdf(self, k: Any, p: Any) -> Any:
        return -array_namespace(k, p).expm1(xlog1py(k, -p))

    def _sf(self, k: Any, p: Any) -> Any:
        return array_namespace(k, p).exp(xlog1py(k, -p))

    def _logcdf(self, k: Any, p: Any) -> Any:
        return array_namespace(k, p).log(self._cdf(k, p))

    def _logsf(self, k: Any, p: Any) -> Any:
        return xlog1py(k, -p)

    def _moments(self, xp: Any, p: Any) -> Any:
        q = 1 - p
        return 1 / p, q / (p * p), (2 - p) / xp.sqrt(q), 6 + p * p / q

    def _entropy(self, xp: Any, x: Any, p: Any) -> Any:
        return x - xp.log(p) - xlog1py(1 - p, -p) / p


class NBinom(Discrete):
    """The negative binomial distribution: failures before the n-th success of probability `p`.

    `n` is positive, and needn't be whole.

    Examples
    --------
    >>> from likewise.stats import nbinom
    >>> float(nbinom.pmf(2, 3, 0.5))
    0.1875
    """

    name = "nbinom"
    parameters = (Parameter("n", 0.0), _SUCCESS)
    support_ends = (0.0, math.inf)

    def _pmf(self, k: Any, n: Any, p: Any) -> Any:
        if _whole(n):
            return binomial(n + 0 * k, n + k, p) * (n / (n + k))
        return beta_density(n + 0 * k, k + 1, p) * (p / (n + k))

    def _logpmf(self, k: Any, n: Any, p: Any) -> Any:
        xp = array_namespace(k, n, p)
        if _whole(n):
            return log_binomial(n + 0 * k, n + k, p) + xp.log(n / (n + k))
        return log_beta_density(n + 0 * k, k + 1, p) + xp.log(p) - xp.log(n + k)

    def _cdf(self, k: Any, n: Any, p: Any) -> Any:
        if _whole(n):  # at least n successes among n + k trials
            return bdtrc(n - 1 + 0 * k, n + k, p)
        return betainc(n + 0 * k, k + 1, p)

    def _sf(self, k: Any, n: Any, p: Any) -> Any:
        if _whole(n):
            return bdtr(n - 1 + 0 * k, n + k, p)
        return betaincc(n + 0 * k, k + 1, p)

    def _moments(self, xp: Any, n: Any, p: Any) -> Any:
        q = 1 - p
        var = n * q / (p * p)
        return n * q / p, var, (2 - p) / xp.sqrt(n * q), 6 / n + p * p / (n * q)


class BetaBinom(Summed):
    """The beta-binomial distribution: `n` trials whose probability is beta-distributed.

    `a` and `b`, positive, are the beta distribution's. Tails are sums of their terms.

    Examples
    --------
    >>> from likewise.stats import betabinom
    >>> round(float(betabinom.pmf(2, 4, 1.0, 1.0)), 12)
    0.2
    """

    name = "betabinom"
    parameters = (_TRIALS, Parameter("a", 0.0), Parameter("b", 0.0))

    def _support(self, xp: Any, n: Any, a: Any, b: Any) -> Any:
        return 0.0, n

    def _logpmf(self, k: Any, n: Any, a: Any, b: Any) -> Any:
        own, given, both = self._three(log_beta_density, k, n, a, b)
        return own + given - both - array_namespace(k, n, a, b).log(n + 1)

    def _pmf(self, k: Any, n: Any, a: Any, b: Any) -> Any:
        own, given, both = self._three(beta_density, k, n, a, b)
        return own / both * given / (n + 1)

    def _three(self, density: Any, k: Any, n: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
        """Densities of the successes, of the parameters and of both, whose quotient is the same at
        any x: here at the mean of the last."""
        x = stop_gradient((k + a) / (n + a + b))
        return density(k + 1, n - k + 1, x), density(a, b, x), density(k + a, n - k + b, x)

    def _ratios(self, xp: Any, n: Any, a: Any, b: Any) -> Any:
        def down(j: Any) -> Any:
            good = j > 0
            j = xp.where(good, j, 1.0)
            return xp.where(good, j * (n - j + b) / ((n - j + 1) * (j - 1 + a)), 0.0)

        def up(j: Any) -> Any:
            good = j < n
            left = xp.where(good, n - j, 1.0)
            return xp.where(good, left * (j + a) / ((j + 1) * (left - 1 + b)), 0.0)

        return down, up

    def _mean(self, xp: Any, n: Any, a: Any, b: Any) -> Any:
        return n * (a / (a + b))

    def _moments(self, xp: Any, n: Any, a: Any, b: Any) -> Any:
        s = a + b
        p, q = a / s, b / s
        var = n * (s + n) * p * q / (s + 1)
        skew = (s + 2 * n) * (b - a) / ((s + 2) * s) / xp.sqrt(var)
        top = s * (s - 1 + 6 * n) + 3 * a * b * (n - 2) + 6 * n * n
        top = top - 3 * p * b * n * (6 - n) - 18 * p * q * n * n
        below = n * a * b * (s + 2) * (s + 3) * (s + n)
        return n * p, var, skew, top * s * s * (1 + s) / below - 3


class BetaNBinom(Summed):
    """The beta-negative-binomial distribution: failures before the n-th success, whose probability
    is beta-distributed.

    `n` is whole, from 0 on; `a` and `b`, positive, are the beta distribution's. At most k failures,
    where so many are among the first n + k trials: tails are those of `betabinom`. A moment that
    doesn't exist is infinite, as SciPy's.

    Examples
    --------
    >>> from likewise.stats import betanbinom
    >>> round(float(betanbinom.pmf(2, 4, 3.0, 1.0)), 12)
    0.119047619048
    """

    name = "betanbinom"
    parameters = (_TRIALS, Parameter("a", 0.0), Parameter("b", 0.0))
    support_ends = (0.0, math.inf)

    def _logpmf(self, k: Any, n: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(k, n, a, b)
        some = n > 0
        m = xp.where(some, n + 0 * k, 1.0)
        found = betaln(a + m, b + k) - betaln(a, b) - xp.log(m + k) - betaln(m, k + 1)
        return xp.where(some, found, xp.where(k > 0, -xp.inf * xp.ones_like(m), 0 * m))

    def _tails(self, k: Any, shapes: Any, log: bool) -> Any:
        n, a, b = shapes
        return betabinom._tails(k, (n + k, b, a), log)

    def _moments(self, xp: Any, n: Any, a: Any, b: Any) -> Any:
        one, two, three, four = (xp.where(a > i, a - i, 1.0) for i in range(1, 5))
        m, c = n + a - 1, a + b - 1
        var = n * b * m * c / (two * one * one)
        skew = (m + n) * (b + c) / three / xp.sqrt(n * b * m * c / two)
        each = (a + 5) * b * c + 2 * one * one
        top = two * (one * one * (a * (a - 1) + 6 * b * c) + 3 * n * m * each)
        found = n * b / one, var, skew, top / (four * three * b * n * c * m) - 3
        return tuple(xp.where(a > i, v, math.inf) for i, v in enumerate(found, 1))


def _whole(n: Any) -> bool:
    """Tell if numbers can be read, and are whole."""
    # likewise: ignore[LW203]: values are at hand
    return at_hand(n) and bool(array_namespace(n).all(array_namespace(n).floor(n) == n))


bernoulli = Bernoulli()
binom = Binom()
geom = Geom()
nbinom = NBinom()
betabinom = BetaBinom()
betanbinom = BetaNBinom()
