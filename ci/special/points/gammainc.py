"""Points of the incomplete gamma functions."""

import mpmath as mp
import numpy as np
from references import Spec, exact, geometric, linear, rng


def _lower(a, x):
    """By the series of DLMF 8.7.1, with digits for what is next to 1."""
    with mp.extradps(140):
        a, x = +a, +x
        term = total = mp.mpf(1)
        n, least = 0, mp.mpf(10) ** -(mp.mp.dps + 5)
        while term > least * total or n < x - a:
            n += 1
            term *= x / (a + n)
            total += term
        return total * mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))


def _upper(a, x):
    with mp.extradps(140):
        return 1 - _lower(a, x)


def _density(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def _by_a(a, x):
    h = mp.mpf(10) ** -25 * a
    return (_lower(a + h, x) - _lower(a - h, x)) / (2 * h)


def _about(low, high, width, n=14, seed=0):
    """x within some standard deviations of a."""
    a = geometric(low, high, n, seed)
    return a, exact(a + np.sqrt(a) * rng(seed + 3).uniform(-width, width, n))


REGIONS = {
    "small": (geometric(1e-6, 2, 16), geometric(1e-6, 1.1, 16, 1)),
    "ordinary": (linear(0.1, 20, 20), linear(0.2, 30, 20, 1)),
    "fraction": (linear(0.1, 30, 14), linear(31, 90, 14, 1)),
    "series": (linear(20, 150, 14), linear(2, 14, 14, 1)),
    "close": _about(20, 200, 1.5),
    "uniform": _about(200, 3e4, 4),
    "edge of uniform": (linear(20, 120, 14), linear(20, 120, 14) * np.tile([0.68, 1.36], 7)),
}

SPECS = {
    "gammainc": Spec(_lower, REGIONS, [_by_a, _density]),
    "gammaincc": Spec(_upper, REGIONS, [lambda a, x: -_by_a(a, x), lambda a, x: -_density(a, x)]),
}
