"""Powers and exponentials of integers: randint, planck, boltzmann, dlaplace, logser, zipf, zipfian,
skellam."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from ...special import exprel, pdtr, zeta
from ...special._function import at_hand
from ...transforms import jvp, while_loop
from ._discrete import Discrete
from ._masses import log_poisson, poisson
from ._parameters import Parameter
from ._tail_sums import by_slopes, series

__all__ = [
    "boltzmann",
    "dlaplace",
    "logser",
    "planck",
    "randint",
    "skellam",
    "zipf",
    "zipfian",
]


class RandInt(Discrete):
    """The uniform distribution of the integers from `low` to ``high - 1``.

    Examples
    --------
    >>> from likewise.stats import randint
    >>> float(randint.cdf(3, 2, 6))
    0.5
    """

    name = "randint"
    parameters = (Parameter("low", integer=True), Parameter("high", integer=True))
    usual = (0.0, 2.0)

    def _valid(self, xp: Any, low: Any, high: Any) -> Any:
        return high > low

    def _support(self, xp: Any, low: Any, high: Any) -> Any:
        return low, high - 1

    def _pmf(self, k: Any, low: Any, high: Any) -> Any:
        return 1 / (high - low + 0 * k)

    def _cdf(self, k: Any, low: Any, high: Any) -> Any:
        return (k - low + 1) / (high - low)

    def _sf(self, k: Any, low: Any, high: Any) -> Any:
        return (high - 1 - k) / (high - low)

    def _moments(self, xp: Any, low: Any, high: Any) -> Any:
        d = high - low
        kurtosis = -6 / 5 * (d * d + 1) / (d * d - 1)
        return 0.5 * (high + low - 1), (d * d - 1) / 12, 0 * d, kurtosis

    def _entropy(self, xp: Any, x: Any, low: Any, high: Any) -> Any:
        return x + xp.log(high - low)


class Planck(Discrete):
    """Planck's discrete exponential distribution: ``(1 - exp(-lambda_)) exp(-lambda_ k)``.

    Examples
    --------
    >>> from likewise.stats import planck
    >>> round(float(planck.sf(2, 0.5)), 6)
    0.22313
    """

    name = "planck"
    parameters = (Parameter("lambda_", 0.0),)
    support_ends = (0.0, math.inf)

    def _logpmf(self, k: Any, lambda_: Any) -> Any:
        xp = array_namespace(k, lambda_)
        return xp.log(-xp.expm1(-lambda_)) - lambda_ * k

    def _pmf(self, k: Any, lambda_: Any) -> Any:
        xp = array_namespace(k, lambda_)
        return -xp.expm1(-lambda_) * xp.exp(-lambda_ * k)

    def _cdf(self, k: Any, lambda_: Any) -> Any:
        return -array_namespace(k, lambda_).expm1(-lambda_ * (k + 1))

    def _sf(self, k: Any, lambda_: Any) -> Any:
        return array_namespace(k, lambda_).exp(-lambda_ * (k + 1))

    def _logsf(self, k: Any, lambda_: Any) -> Any:
        return -lambda_ * (k + 1)

    def _moments(self, xp: Any, lambda_: Any) -> Any:
        var = xp.exp(-lambda_) / xp.expm1(-lambda_) ** 2
        half = xp.cosh(0.5 * lambda_)
        return 1 / xp.expm1(lambda_), var, 2 * half, 4 + 2 * xp.cosh(lambda_)

    def _entropy(self, xp: Any, x: Any, lambda_: Any) -> Any:
        return x + lambda_ / xp.expm1(lambda_) - xp.log(-xp.expm1(-lambda_))


class Boltzmann(Discrete):
    """Boltzmann's distribution: Planck's, of the integers below `N`.

    Examples
    --------
    >>> from likewise.stats import boltzmann
    >>> round(float(boltzmann.pmf(0, 0.5, 4)), 6)
    0.455054
    """

    name = "boltzmann"
    parameters = (Parameter("lambda_", 0.0), Parameter("N", 0.0, integer=True))

    def _support(self, xp: Any, lambda_: Any, N: Any) -> Any:
        return 0.0, N - 1

    def _logpmf(self, k: Any, lambda_: Any, N: Any) -> Any:
        xp = array_namespace(k, lambda_, N)
        return xp.log(xp.expm1(-lambda_) / xp.expm1(-lambda_ * N)) - lambda_ * k

    def _cdf(self, k: Any, lambda_: Any, N: Any) -> Any:
        xp = array_namespace(k, lambda_, N)
        return xp.expm1(-lambda_ * (k + 1)) / xp.expm1(-lambda_ * N)

    def _sf(self, k: Any, lambda_: Any, N: Any) -> Any:
        xp = array_namespace(k, lambda_, N)
        share = xp.expm1(-lambda_ * (N - k - 1)) / xp.expm1(-lambda_ * N)
        return xp.exp(-lambda_ * (k + 1)) * share

    def _moments(self, xp: Any, lambda_: Any, N: Any) -> Any:
        z, last = xp.exp(-lambda_), xp.exp(-lambda_ * N)
        y, rest = -xp.expm1(-lambda_), -xp.expm1(-lambda_ * N)
        var = z / (y * y) - N * N * last / (rest * rest)
        ratio = rest / y
        two = z * ratio**2 - N * N * last
        skew = z * (1 + z) * ratio**3 - N**3 * last * (1 + last)
        four = z * (1 + 4 * z + z * z) * ratio**4 - N**4 * last * (1 + 4 * last + last * last)
        return z / y - N * last / rest, var, skew / (two * xp.sqrt(two)), four / (two * two)


class DLaplace(Discrete):
    """The discrete Laplace distribution: ``tanh(a / 2) exp(-a abs(k))``.

    Examples
    --------
    >>> from likewise.stats import dlaplace
    >>> round(float(dlaplace.pmf(0, 0.8)), 6)
    0.379949
    """

    name = "dlaplace"
    parameters = (Parameter("a", 0.0),)

    def _logpmf(self, k: Any, a: Any) -> Any:
        xp = array_namespace(k, a)
        return xp.log(xp.tanh(0.5 * a)) - a * xp.abs(k)

    def _pmf(self, k: Any, a: Any) -> Any:
        xp = array_namespace(k, a)
        return xp.tanh(0.5 * a) * xp.exp(-a * xp.abs(k))

    def _cdf(self, k: Any, a: Any) -> Any:
        xp = array_namespace(k, a)
        below = k < 0
        tail = xp.exp(a * xp.where(below, k, -k - 1)) / (1 + xp.exp(-a))
        return xp.where(below, tail, 1 - tail)

    def _sf(self, k: Any, a: Any) -> Any:
        return self._cdf(-k - 1, a)

    def _moments(self, xp: Any, a: Any) -> Any:
        e = xp.expm1(a)
        z = e + 1
        var = 2 * z / (e * e)
        fourth = 2 * z * (z * z + 10 * z + 1) / e**4
        return 0 * a, var, 0 * a, fourth / (var * var) - 3

    def _entropy(self, xp: Any, x: Any, a: Any) -> Any:
        return x + a / xp.sinh(a) - xp.log(xp.tanh(0.5 * a))


# The rule for integrals of exp(-v) over v > 0 (H. Takahasi, M. Mori, Publ. RIMS 9 (1974) 721-741).
_STEP = 0.08
_PLACES = [_STEP * i for i in range(-54, 56)]
_NODES = tuple(math.exp(s - math.exp(-s)) for s in _PLACES)
_WEIGHTS = tuple(
    _STEP * v * (1 + math.exp(-s)) * math.exp(-v) for s, v in zip(_PLACES, _NODES, strict=True)
)


class LogSer(Discrete):
    """The logarithmic series distribution: ``-p**k / (k log(1 - p))`` of k = 1, 2, ...

    The upper tail is an integral of ``exp(-v) / (1 - p exp(-v / (k + 1)))``, by the double
    exponential rule.

    Examples
    --------
    >>> from likewise.stats import logser
    >>> round(float(logser.pmf(2, 0.6)), 6)
    0.196444
    """

    name = "logser"
    parameters = (Parameter("p", 0.0, 1.0),)
    support_ends = (1.0, math.inf)

    def _logpmf(self, k: Any, p: Any) -> Any:
        xp = array_namespace(k, p)
        return k * xp.log(p) - xp.log(k) - xp.log(-xp.log1p(-p))

    def _logsf(self, k: Any, p: Any) -> Any:
        xp = array_namespace(k, p)
        like = k + p
        nodes = xp.asarray(_NODES, dtype=like.dtype, device=device(like))
        weights = xp.asarray(_WEIGHTS, dtype=like.dtype, device=device(like))
        log_p, m = (p**0 * xp.log(p) + 0 * k)[..., None], (k + 1 + 0 * p)[..., None]
        inner = xp.sum(weights / -xp.expm1(log_p - nodes / m), axis=-1)
        return xp.log(inner) + self._logpmf(k + 1, p)

    def _sf(self, k: Any, p: Any) -> Any:
        return array_namespace(k, p).exp(self._logsf(k, p))

    def _cdf(self, k: Any, p: Any) -> Any:
        return -array_namespace(k, p).expm1(self._logsf(k, p))

    def _logcdf(self, k: Any, p: Any) -> Any:
        return array_namespace(k, p).log(self._cdf(k, p))

    def _moments(self, xp: Any, p: Any) -> Any:
        q, r = 1 - p, -xp.log1p(-p)
        m1, m2 = p / (q * r), p / (q * q * r)
        m3 = p * (1 + p) / (q**3 * r)
        m4 = p / r * (1 / q**2 + 6 * p / q**3 + 6 * p * p / q**4)
        var = m2 - m1 * m1
        skew = (m3 - 3 * m1 * m2 + 2 * m1**3) / (var * xp.sqrt(var))
        kurtosis = (m4 - 4 * m3 * m1 + 6 * m2 * m1 * m1 - 3 * m1**4) / (var * var) - 3
        return m1, var, skew, kurtosis


_BLOCK = 32  # terms of a sum at once
_FEW = 1024  # elements, of which they stay in the cache
_DIRECT = 12  # terms before Euler's and Maclaurin's formula
_MOST = 64  # terms that are summed directly, where so few can be read
# B_2k / (2k)!
_EULER = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
)


def harmonic(xp: Any, a: Any, low: Any, high: Any) -> Any:
    """Return the sum of j**-a for j from low to high, by Euler's and Maclaurin's formula."""
    given = [x for x in (a, low, high) if hasattr(x, "shape")]
    few = at_hand(*given)
    if few:
        few = bool(xp.all(high < low + _MOST))  # likewise: ignore[LW203]: values are at hand
    terms = _MOST if few else _DIRECT
    steps = xp.arange(terms, dtype=high.dtype, device=device(high))
    j = low + xp.reshape(steps, (terms, *[1] * max(x.ndim for x in given)))
    total = xp.sum(xp.where(j <= high, j ** (-a), 0.0), axis=0)
    if few:
        return total
    first = low + _DIRECT
    more = first <= high
    last = xp.where(more, high + 0 * first, first + 0 * high)
    ends = xp.log(last / first)
    rest = first ** (1 - a) * ends * exprel((1 - a) * ends)
    rest = rest + 0.5 * (first ** (-a) + last ** (-a))
    factor = a
    for k, b in enumerate(_EULER):
        power = -a - (2 * k + 1)
        rest = rest + b * factor * (first**power - last**power)
        factor = factor * (a + 2 * k + 1) * (a + 2 * k + 2)
    return total + xp.where(more, rest, 0.0)


class Zipf(Discrete):
    """Zipf's (the zeta) distribution: ``k**-a / zeta(a)`` of k = 1, 2, ...; `a` is above 1.

    Examples
    --------
    >>> from likewise.stats import zipf
    >>> round(float(zipf.pmf(1, 2.0)), 6)
    0.607927
    """

    name = "zipf"
    parameters = (Parameter("a", 1.0),)
    support_ends = (1.0, math.inf)

    def _logpmf(self, k: Any, a: Any) -> Any:
        xp = array_namespace(k, a)
        return -a * xp.log(k) - xp.log(zeta(a, 1.0))

    def _cdf(self, k: Any, a: Any) -> Any:
        return harmonic(array_namespace(k, a), a, 1.0 + 0 * k, k) / zeta(a, 1.0)

    def _sf(self, k: Any, a: Any) -> Any:
        return zeta(a + 0 * k, k + 1) / zeta(a, 1.0)

    def _moments(self, xp: Any, a: Any) -> Any:
        m = []
        for order in (1, 2, 3, 4):
            good = a > order + 1
            some = xp.where(good, a - order, 2.0)
            m.append(xp.where(good, zeta(some, 1.0) / zeta(a, 1.0), xp.inf))
        var = xp.where(a > 3, m[1] - m[0] * m[0], xp.inf)
        root = xp.sqrt(var)
        skew = (m[2] - 3 * m[0] * m[1] + 2 * m[0] ** 3) / (var * root)
        kurtosis = m[3] - 4 * m[2] * m[0] + 6 * m[1] * m[0] ** 2 - 3 * m[0] ** 4
        kurtosis = kurtosis / (var * var) - 3
        return m[0], var, xp.where(a > 4, skew, xp.inf), xp.where(a > 5, kurtosis, xp.inf)

    def _entropy(self, xp: Any, x: Any, a: Any) -> Any:
        a = a + x
        value, slope = jvp(lambda s: zeta(s, 1.0), (a,), (xp.ones_like(a),))
        return xp.log(value) - a * slope / value


class Zipfian(Discrete):
    """Zipf's distribution of the integers from 1 to `n`: proportional to ``k**-a``, `a` from 0 on.

    Examples
    --------
    >>> from likewise.stats import zipfian
    >>> round(float(zipfian.pmf(1, 1.0, 4)), 6)
    0.48
    """

    name = "zipfian"
    parameters = (
        Parameter("a", 0.0, closed=(True, False)),
        Parameter("n", 0.0, integer=True),
    )

    def _support(self, xp: Any, a: Any, n: Any) -> Any:
        return 1.0, n

    def _logpmf(self, k: Any, a: Any, n: Any) -> Any:
        xp = array_namespace(k, a, n)
        return -a * xp.log(k) - xp.log(harmonic(xp, a, xp.ones_like(n), n))

    def _pmf(self, k: Any, a: Any, n: Any) -> Any:
        xp = array_namespace(k, a, n)
        return k ** (-a) / harmonic(xp, a, xp.ones_like(n), n)

    def _cdf(self, k: Any, a: Any, n: Any) -> Any:
        xp = array_namespace(k, a, n)
        return harmonic(xp, a, xp.ones_like(k), k) / harmonic(xp, a, xp.ones_like(n), n)

    def _sf(self, k: Any, a: Any, n: Any) -> Any:
        xp = array_namespace(k, a, n)
        return harmonic(xp, a, k + 1, n) / harmonic(xp, a, xp.ones_like(n), n)

    def _moments(self, xp: Any, a: Any, n: Any) -> Any:
        one = xp.ones_like(n)
        h = [harmonic(xp, a - i, one, n) for i in range(5)]
        m = [v / h[0] for v in h]
        var = m[2] - m[1] * m[1]
        skew = (m[3] - 3 * m[1] * m[2] + 2 * m[1] ** 3) / (var * xp.sqrt(var))
        kurtosis = m[4] - 4 * m[3] * m[1] + 6 * m[2] * m[1] ** 2 - 3 * m[1] ** 4
        return m[1], var, skew, kurtosis / (var * var) - 3


class Skellam(Discrete):
    """Skellam's distribution: the difference of two Poisson variables, of means `mu1` and `mu2`.

    Probabilities and tails are sums over the second variable, around the largest term.

    Examples
    --------
    >>> from likewise.stats import skellam
    >>> round(float(skellam.pmf(1, 3.0, 2.0)), 6)
    0.183023
    """

    name = "skellam"
    parameters = (Parameter("mu1", 0.0), Parameter("mu2", 0.0))

    def _logpmf(self, k: Any, mu1: Any, mu2: Any) -> Any:
        xp = array_namespace(k, mu1, mu2)
        k, mu1, mu2 = xp.broadcast_arrays(k, mu1, mu2)
        low = xp.where(k < 0, -k, xp.zeros_like(k))
        j = _peak(xp, k, mu1, mu2, low)
        first = log_poisson(j, mu2) + log_poisson(k + j, mu1)
        return first + xp.log(_around(self, j, k, low, mu1 * mu2))

    def _tails(self, xp: Any, k: Any, mu1: Any, mu2: Any) -> tuple[Any, Any]:
        """True where the lower tail is summed, else the upper one, mirrored; and the sum."""
        k, mu1, mu2 = xp.broadcast_arrays(k, mu1, mu2)
        lower = k < mu1 - mu2
        k = xp.where(lower, k, -k - 1)
        mu1, mu2 = xp.where(lower, mu1, mu2), xp.where(lower, mu2, mu1)
        low = xp.where(k < 0, -k, xp.zeros_like(k))
        peak = _peak(xp, k, mu1, mu2, low)
        peak = xp.where(peak > mu2, peak, mu2)
        start = xp.floor(peak - 12 * xp.sqrt(peak + 1) - 12)
        j = xp.where(start > low, start, low)
        return lower, xp.minimum(_convolved(self, j, k, peak, mu1, mu2), xp.ones_like(j))

    def _cdf(self, k: Any, mu1: Any, mu2: Any) -> Any:
        xp = array_namespace(k, mu1, mu2)
        lower, tail = self._tails(xp, k, mu1, mu2)
        return xp.where(lower, tail, 1 - tail)

    def _sf(self, k: Any, mu1: Any, mu2: Any) -> Any:
        xp = array_namespace(k, mu1, mu2)
        lower, tail = self._tails(xp, k, mu1, mu2)
        return xp.where(lower, 1 - tail, tail)

    def _logcdf(self, k: Any, mu1: Any, mu2: Any) -> Any:
        xp = array_namespace(k, mu1, mu2)
        lower, tail = self._tails(xp, k, mu1, mu2)
        return xp.where(lower, xp.log(tail), xp.log1p(-tail))

    def _logsf(self, k: Any, mu1: Any, mu2: Any) -> Any:
        xp = array_namespace(k, mu1, mu2)
        lower, tail = self._tails(xp, k, mu1, mu2)
        return xp.where(lower, xp.log1p(-tail), xp.log(tail))

    def _moments(self, xp: Any, mu1: Any, mu2: Any) -> Any:
        mean, var = mu1 - mu2, mu1 + mu2
        return mean, var, mean / (var * xp.sqrt(var)), 1 / var


@by_slopes(3)
def _around(row: Any, j: Any, k: Any, low: Any, m: Any) -> Any:
    """The sum of Skellam's terms, over the one at j."""
    xp = array_namespace(m)
    one, end = xp.ones_like(j), xp.full_like(j, xp.inf)
    up = series(xp, j, one, lambda i: m / ((i + 1) * (k + i + 1)), low, end)
    return up + series(xp, j, -one, lambda i: i * (k + i) / m, low, end) - 1


@by_slopes(3)
def _convolved(row: Any, j: Any, k: Any, peak: Any, mu1: Any, mu2: Any) -> Any:
    """The sum of probabilities of the second variable, from j on, times tails of the first."""
    xp = array_namespace(mu1)
    second, first = poisson(j, mu2), poisson(k + j, mu1)
    least = 0.25 * float(xp.finfo(j.dtype).eps)

    def goes_on(state: Any) -> Any:
        j, second, _, below, total = state
        return xp.any((j <= peak) | (second * below > least * total))

    def add(state: Any) -> Any:
        j, second, first, below, total = state
        total = total + second * below
        first = first * mu1 / (k + j + 1)
        return j + 1, second * mu2 / (j + 1), first, below + first, total

    below = pdtr(k + j, mu1)
    if math.prod(j.shape) <= _FEW and at_hand(j, k, peak, mu1, mu2):
        return _in_blocks(xp, j, k, peak, (mu1, mu2), (first, second, below), least)
    state = (j, second, first, below, xp.zeros_like(j))
    return while_loop(goes_on, add, state)[4]


def _in_blocks(xp: Any, j: Any, k: Any, peak: Any, mus: Any, terms: Any, least: float) -> Any:
    """`_convolved` of few elements, which are read, many terms at once."""
    steps = xp.arange(_BLOCK, dtype=j.dtype, device=device(j))
    steps = xp.reshape(steps, (_BLOCK, *[1] * j.ndim))
    first, second, below = terms
    total = second * below
    while True:
        at = j + steps + 1
        firsts = first * xp.cumulative_prod(mus[0] / (k + at), axis=0)
        seconds = second * xp.cumulative_prod(mus[1] / at, axis=0)
        belows = below + xp.cumulative_sum(firsts, axis=0)
        total = total + xp.sum(seconds * belows, axis=0)
        first, second, below = firsts[-1, ...], seconds[-1, ...], belows[-1, ...]
        j = j + _BLOCK
        on = (j <= peak) | (second * below > least * total)
        if not bool(xp.any(on)):  # likewise: ignore[LW203]: values are at hand
            return total


def _peak(xp: Any, k: Any, mu1: Any, mu2: Any, low: Any) -> Any:
    """The second variable of the largest term, stopped for derivatives by being whole."""
    root = xp.sqrt(k * k + 4 * mu1 * mu2)
    # The smaller root without cancellation.
    found = xp.where(k > 0, 2 * mu1 * mu2 / (root + xp.abs(k)), 0.5 * (root - k))
    found = xp.floor(found)
    return xp.where(found > low, found, low)


boltzmann = Boltzmann()
dlaplace = DLaplace()
logser = LogSer()
planck = Planck()
randint = RandInt()
skellam = Skellam()
zipf = Zipf()
zipfian = Zipfian()
