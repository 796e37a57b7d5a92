"""Points of the inverses of the incomplete gamma functions, by Newton's method in mpmath.

The logarithm of either tail is concave in log(x), so that Newton's method on it gets there from
everywhere.
"""

import functools

import mpmath as mp
from references import Spec, exact, geometric, linear


def _tail(a, x, upper):
    """P(a, x) by the series of DLMF 8.7.1, and Q as 1 - P with digits for what is next to 1. Of
    large a, the density's integral instead."""
    if a > 3000:
        return _integral(a, x, upper)
    lost = 0 if not upper or x < a else max(0, -int(mp.log10(min(_density(a, x), 1))))
    with mp.extradps(20 + lost):
        term = total = 1 / mp.mpf(a)
        n, least = 0, mp.mpf(10) ** -(mp.mp.dps + 5)
        while term > least * total or n < x - a:
            n += 1
            term *= x / (a + n)
            total += term
        lower = total * mp.exp(a * mp.log(x) - x - mp.loggamma(a))
        return 1 - lower if upper else lower


def _integral(a, x, upper):
    """In steps of t = (u - x) / sqrt(a): log(u / x) and u - x are beside the density at x."""
    root, sign = mp.sqrt(a), 1 if upper else -1

    def density(t):
        s = sign * t * root / x
        return mp.exp((a - 1) * mp.log1p(s) - s * x)

    ends = [0, 1, 2, 4, 7, 11, 16, 22, 29]
    return _density(a, x) * root * mp.quad(density, ends)


def _density(a, x):
    with mp.extradps(20 + int(mp.log10(a + 1))):
        return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def _newton(a, r, upper, x, least):
    for _ in range(500):
        found = _tail(a, x, upper)
        step = mp.log(found / r) / (x * _density(a, x) / found)
        x *= mp.exp(step if upper else -step)
        if abs(step) < least:
            return x
    raise ValueError(f"Newton's method doesn't end: {a}, {r}")


@functools.cache
def _start(a, r, upper):
    with mp.workdps(25):
        # Bounds of the root on the side from which the steps don't overshoot: B. Laurent and
        # P. Massart, Ann. Statist. 28 (2000), 1302, lemma 1.
        far = mp.sqrt(-2 * a * mp.log(r))
        powers = mp.exp((mp.log(r) + mp.loggamma(a + 1)) / a)
        start = a + far - mp.log(r) if upper else max(powers, a - far)
        return _newton(a, r, upper, start, mp.mpf("1e-10"))


@functools.cache
def _root(a, r, upper, digits):
    with mp.workdps(digits + 10):
        return _newton(a, r, upper, _start(a, r, upper), mp.mpf(10) ** (-digits // 2))


def _inverse(a, y, upper):
    if y == 1:  # of numbers of single precision
        return mp.nan
    if y > 0.5:
        y, upper = 1 - y, not upper
    return _root(a, y, upper, mp.mp.dps)


def _by_a(a, y, upper):
    with mp.workdps(70):
        x = _inverse(a, y, upper)
        # The smaller tail has the digits.
        upper = upper == (y <= 0.5)
        h = mp.mpf(10) ** -22 * a
        slope = (_tail(a + h, x, upper) - _tail(a - h, x, upper)) / (2 * h)
        return (slope if upper else -slope) / _density(a, x)


def _by_y(a, y, upper):
    with mp.workdps(70):
        return (-1 if upper else 1) / _density(a, _inverse(a, y, upper))


def _spec(upper):
    near_one = geometric(1e-15, 1e-2, 16, 3)
    small = geometric(1e-6, 0.4, 24)
    share = small * geometric(1e-5 if upper else 0.01, 2, 24, 4)
    regions = {
        "tiny": (geometric(0.4, 200, 20), geometric(1e-300, 1e-9, 20, 1)),
        "ordinary": (linear(0.1, 20, 24), linear(0.01, 0.99, 24, 1)),
        "next to 1": (geometric(0.1, 200, 16), exact(1 - near_one)),
        "large a": (geometric(20, 3e3, 16), linear(0.001, 0.999, 16, 1)),
        "huge a": (geometric(3e3, 1e12, 16), geometric(1e-30, 0.8, 16, 1)),
        # Where x isn't tiny, Q is a few times a.
        "small a": (small, exact(share if upper else 1 - share)),
        "single": (geometric(0.5, 1e6, 16), geometric(1e-35, 0.9, 16, 5)),
    }
    return Spec(
        lambda a, y: _inverse(a, y, upper),
        regions,
        [lambda a, y: _by_a(a, y, upper), lambda a, y: _by_y(a, y, upper)],
    )


SPECS = {"gammaincinv": _spec(False), "gammainccinv": _spec(True)}
