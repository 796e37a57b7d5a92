"""Probabilities of counts: Poisson's and binomial ones, and products of binomial coefficients.

Small counts, which are read, go by tables of factorials and of binomial coefficients: a handful of
operations, each of full accuracy. All others go by densities whose large terms cancel.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device
from ...special import digamma, gammaln, xlog1py, xlogy
from ...special._function import at_hand, elementwise
from ._densities import gamma_density, log_beta_density, log_gamma_density

__all__ = ["binomial", "drawn", "log_binomial", "log_drawn", "log_poisson", "poisson"]

_MOST = 170  # whose factorial is a double
_LARGEST = 60.0  # mean, whose powers are doubles
_LEAST = 1e-240  # results, below which a factor of them may have underflowed


def few(least: Sequence[Any], most: Any) -> bool:
    """Tell if counts are doubles that can be read, the least of them 0 and the greatest 170."""
    if not (most.dtype == "float64" and at_hand(most, *least)):
        return False
    good = functools.reduce(lambda a, b: a & b, (a >= 0 for a in least), most <= _MOST)
    return bool(array_namespace(good).all(good))  # likewise: ignore[LW203]: values are at hand


def _if_certain(found: Any) -> Any:
    """A result, or None, if an element of it has lost digits near the end of the range."""
    good = array_namespace(found).all(found > _LEAST)
    return found if bool(good) else None  # likewise: ignore[LW203]: values are at hand


@functools.lru_cache(maxsize=16)
def _factorials(xp: Any, where: Any) -> Any:
    values = [float(math.factorial(i)) for i in range(_MOST + 1)]
    return xp.asarray(values, dtype=xp.float64, device=where)


@functools.lru_cache(maxsize=16)
def _triangle(xp: Any, where: Any) -> Any:
    """Pascal's triangle, row by row, of as many columns as rows."""
    row = [1] + [0] * _MOST
    values: list[float] = []
    for _ in range(_MOST + 1):
        values += map(float, row)
        row = [1, *(a + b for a, b in itertools.pairwise(row))]
    return xp.asarray(values, dtype=xp.float64, device=where)


def _looked_up(table: Any, k: Any) -> Any:
    xp = array_namespace(k)
    places = xp.astype(k, xp.int64)
    if places.ndim == 1:
        return xp.take(table, places)
    return xp.reshape(xp.take(table, xp.reshape(places, (-1,))), k.shape)


def choices(n: Any, k: Any) -> Any:
    """The binomial coefficients of counts up to 170."""
    return _looked_up(_triangle(array_namespace(n), device(n)), n * (_MOST + 1.0) + k)


# -- Poisson ---------------------------------------------------------------------------------------


def _few_poisson(k: Any, mu: Any) -> Any:
    """The probability by factorials, or None."""
    if not few((k, _LARGEST - mu), k):
        return None
    xp = array_namespace(k, mu)
    return _if_certain(mu**k * xp.exp(-mu) / _looked_up(_factorials(xp, device(k)), k))


_POISSON = (
    lambda k, mu: array_namespace(mu).log(mu) - digamma(k + 1),
    lambda k, mu: (k - mu) / mu,
)


@elementwise(
    derivatives=[lambda y, k, mu, d=d: y * d(k, mu) for d in _POISSON],
    apart=True,
)
def poisson(k: Any, mu: Any) -> Any:
    """mu^k exp(-mu) / k!."""
    found = _few_poisson(k, mu)
    return gamma_density(k + 1, mu) if found is None else found


@elementwise(derivatives=[lambda y, k, mu, d=d: d(k, mu) for d in _POISSON], apart=True)
def log_poisson(k: Any, mu: Any) -> Any:
    """The logarithm of `poisson`."""
    found = _few_poisson(k, mu)
    if found is None:
        return log_gamma_density(k + 1, mu)
    return _log(found, lambda: xlogy(k, mu) - mu - gammaln(k + 1))


def _log(found: Any, other: Any) -> Any:
    """The logarithm of a probability; next to 1 by the sum of its terms."""
    xp = array_namespace(found)
    most = found > 0.5
    log = xp.log(found)
    any_ = bool(xp.any(most))  # likewise: ignore[LW203]: values are at hand
    return xp.where(most, other(), log) if any_ else log


# -- binomial --------------------------------------------------------------------------------------


def _few_binomial(k: Any, n: Any, p: Any) -> Any:
    m = n - k
    if not few((k, m), n):
        return None
    q = 1 - p
    lost = (1 - q) - p  # of q by rounding
    return _if_certain(choices(n, k) * p**k * (q**m * (1 + m * (lost / q))))


_BINOMIAL = (
    lambda k, n, p: digamma(n - k + 1) - digamma(k + 1) + array_namespace(p).log(p / (1 - p)),
    lambda k, n, p: digamma(n + 1) - digamma(n - k + 1) + array_namespace(p).log1p(-p),
    lambda k, n, p: k / p - (n - k) / (1 - p),
)


@elementwise(
    derivatives=[lambda y, k, n, p, d=d: y * d(k, n, p) for d in _BINOMIAL],
    apart=True,
)
def binomial(k: Any, n: Any, p: Any) -> Any:
    """The probability of k successes among n trials."""
    found = _few_binomial(k, n, p)
    return array_namespace(k, n, p).exp(_by_beta(k, n, p)) if found is None else found


@elementwise(derivatives=[lambda y, k, n, p, d=d: d(k, n, p) for d in _BINOMIAL], apart=True)
def log_binomial(k: Any, n: Any, p: Any) -> Any:
    """The logarithm of `binomial`."""
    found = _few_binomial(k, n, p)
    if found is None:  # powers where it may be next to 1
        power = array_namespace(k, n, p).where(k == 0, xlog1py(n, -p), xlogy(n, p))
        return array_namespace(power).where((k == 0) | (k == n), power, _by_beta(k, n, p))
    return _log(
        found, lambda: array_namespace(found).log(choices(n, k)) + xlogy(k, p) + xlog1py(n - k, -p)
    )


def _by_beta(k: Any, n: Any, p: Any) -> Any:
    """A beta density of p over n + 1."""
    xp = array_namespace(k, n, p)
    return log_beta_density(k + 1, n - k + 1, p) - xp.log(n + 1 + 0 * k)


# -- hypergeometric --------------------------------------------------------------------------------


def _few_drawn(k: Any, M: Any, n: Any, N: Any) -> Any:
    rest, other = N - k, M - n
    if not few((k, n - k, rest, other - rest), M):
        return None
    return _if_certain(choices(n, k) / choices(M, N) * choices(other, rest))


_DRAWN = (
    lambda k, M, n, N: (
        digamma(n - k + 1) - digamma(k + 1) + digamma(N - k + 1) - digamma(M - n - N + k + 1)
    ),
    lambda k, M, n, N: (
        digamma(M - n + 1) - digamma(M - n - N + k + 1) - digamma(M + 1) + digamma(M - N + 1)
    ),
    lambda k, M, n, N: (
        digamma(n + 1) - digamma(n - k + 1) - digamma(M - n + 1) + digamma(M - n - N + k + 1)
    ),
    lambda k, M, n, N: (
        digamma(N + 1) - digamma(M - N + 1) - digamma(N - k + 1) + digamma(M - n - N + k + 1)
    ),
)


@elementwise(
    derivatives=[lambda y, k, M, n, N, d=d: y * d(k, M, n, N) for d in _DRAWN],
    apart=True,
)
def drawn(k: Any, M: Any, n: Any, N: Any) -> Any:
    """The probability of k marked ones among N draws, of M with n marked."""
    found = _few_drawn(k, M, n, N)
    return array_namespace(k, M, n, N).exp(_by_binomial(k, M, n, N)) if found is None else found


@elementwise(derivatives=[lambda y, k, M, n, N, d=d: d(k, M, n, N) for d in _DRAWN], apart=True)
def log_drawn(k: Any, M: Any, n: Any, N: Any) -> Any:
    """The logarithm of `drawn`."""
    found = _few_drawn(k, M, n, N)
    if found is None:
        return _by_binomial(k, M, n, N)
    return _log(found, lambda: array_namespace(found).log(found))


def _by_binomial(k: Any, M: Any, n: Any, N: Any) -> Any:
    """One of three binomial probabilities with the same chance."""
    p = N / M
    rest = _by_beta(N - k, M - n + 0 * k, p)
    return _by_beta(k, n + 0 * k, p) + rest - _by_beta(N + 0 * k, M + 0 * k, p)
