"""Points of the incomplete beta functions."""

import functools

import mpmath as mp
import numpy as np
from references import Spec, exact, geometric, linear, rng


def _front(a, b, x, y):
    return mp.exp(
        a * mp.log(x) + b * mp.log(y) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
    )


def _series(a, b, x, y):
    """DLMF 8.17.8."""
    term = total = mp.mpf(1)
    n, least = 0, mp.mpf(10) ** -(mp.mp.dps + 5)
    while term > least * total or n < 9:
        term *= (a + b + n) * x / (a + 1 + n)
        total += term
        n += 1
    return total * _front(a, b, x, y) / a


def _steps(a, b, x, y, n):
    """The continued fraction of DLMF 8.17.22, its even part, of n steps."""
    away, below = a * y - b * x + 1, mp.mpf(0)
    for m in range(n, 0, -1):
        first = m * (b - m) * x / (a + 2 * m - 1)
        level = m + first + (a + m) * (away + m * (1 + y)) / (a + 2 * m + 1) + below
        below = first * (a + m - 1) * (a + b + m - 1) * x / (a + 2 * m - 1) / level
    return a * away / (a + 1) + below


def _fraction(a, b, x, y):
    n, last = 64, None
    while True:
        found = _steps(a, b, x, y, n)
        if last is not None and abs(found - last) < abs(found) * mp.mpf(10) ** (5 - mp.mp.dps):
            return _front(a, b, x, y) / found
        n, last = 2 * n, found


def both(a, b, x, y):
    """The lower function and the upper one, the smaller with all its digits."""
    return _both(a, b, x, y, mp.mp.dps + 20)


@functools.cache
def _both(a, b, x, y, digits):
    with mp.workdps(digits):
        near = min(x, y) < 0.3 and (a + b) * min(x, y) < 1.5
        method = _series if near else _fraction
        if x <= y if near else a * y >= b * x:
            found = method(a, b, x, y)
            return found, 1 - found
        found = method(b, a, y, x)
        return 1 - found, found


def _lower(a, b, x):
    return both(a, b, x, 1 - x)[0]


def _upper(a, b, x):
    return both(a, b, x, 1 - x)[1]


def _density(a, b, x):
    with mp.extradps(40):
        return _front(a, b, x, 1 - x) / x / (1 - x)


def slope(function, a, b):
    """The derivative of a function of a number in direction of another."""
    with mp.workdps(80):
        h = mp.mpf(10) ** -25 * b
        return (function(a + h) - function(a - h)) / (2 * h)


def _by_a(a, b, x):
    return slope(lambda a: _lower(a, b, x), a, a)


def _by_b(a, b, x):
    return slope(lambda b: _lower(a, b, x), b, b)


def _about(a, b, width, seed=0):
    """x within some standard deviations of the mean."""
    p = a / (a + b)
    spread = np.sqrt(p * (1 - p) / (a + b + 1))
    x = p + spread * rng(seed + 3).uniform(-width, width, a.size)
    return a, b, np.clip(exact(x), 1e-3 * p, 1 - 2.0**-24)


REGIONS = {
    "ordinary": (linear(0.1, 20, 20), linear(0.2, 30, 20, 1), linear(0.02, 0.98, 20, 2)),
    "small": (geometric(1e-6, 2, 16), geometric(1e-6, 2, 16, 1), linear(0.01, 0.99, 16, 2)),
    "near 0": (geometric(1e-3, 5, 16), geometric(1e-3, 1e4, 16, 1), geometric(1e-8, 0.1, 16, 2)),
    "near 1": (
        geometric(1e-3, 1e4, 16),
        geometric(1e-3, 5, 16, 1),
        1 - geometric(1e-8, 0.1, 16, 2),
    ),
    "fraction": _about(geometric(2, 190, 16), geometric(2, 1e4, 16, 1), 3),
    "edge of the expansion": _about(geometric(150, 400, 14), geometric(150, 900, 14, 1), 3),
    "uniform": _about(geometric(250, 1e8, 14), geometric(250, 1e8, 14, 1), 4, 1),
    "tails": _about(geometric(5, 2000, 16), geometric(5, 2000, 16, 1), 30, 2),
}


def _student(n, t):
    tail = both(n / 2, mp.mpf(1) / 2, n / (n + t * t), t * t / (n + t * t))[0] / 2
    return tail if t < 0 else 1 - tail


def _student_density(n, t):
    beta = mp.loggamma(n / 2) + mp.loggamma(mp.mpf(1) / 2) - mp.loggamma((n + 1) / 2)
    return mp.exp(-(n + 1) / 2 * mp.log1p(t * t / n) - beta) / mp.sqrt(n)


def _fisher(m, n, x):
    with mp.extradps(20):
        return both(m / 2, n / 2, m * x / (n + m * x), n / (n + m * x))[0]


def _fisher_rest(m, n, x):
    with mp.extradps(20):
        return both(m / 2, n / 2, m * x / (n + m * x), n / (n + m * x))[1]


def _fisher_density(m, n, x):
    return _front(m / 2, n / 2, m * x / (n + m * x), n / (n + m * x)) / x


FISHER = {
    "ordinary": (linear(0.3, 40, 14), linear(0.3, 40, 14, 1), geometric(0.01, 20, 14, 2)),
    "small": (geometric(1e-3, 2, 12), geometric(1e-3, 2, 12, 1), geometric(1e-4, 1e4, 12, 2)),
    "large": (geometric(50, 5e3, 12), geometric(50, 5e3, 12, 1), linear(0.7, 1.4, 12, 2)),
    "tails": (linear(1, 30, 12), linear(1, 30, 12, 1), geometric(1e-9, 1e9, 12, 2)),
}
STUDENT = {
    "ordinary": (linear(0.3, 40, 18), linear(-9, 9, 18, 1)),
    "small": (geometric(1e-3, 1, 12), -geometric(1e-3, 1e5, 12, 1)),
    "near 0": (linear(0.5, 40, 12), geometric(1e-10, 0.1, 12, 1) * np.tile([1, -1], 6)),
    "tails": (linear(1, 19, 14), -geometric(1e2, 1e15, 14, 1)),
    "large": (geometric(100, 1e5, 14), linear(-9, 6, 14, 1)),
}

SPECS = {
    "betainc": Spec(_lower, REGIONS, [_by_a, _by_b, _density]),
    "betaincc": Spec(
        _upper,
        REGIONS,
        [lambda *p: -_by_a(*p), lambda *p: -_by_b(*p), lambda *p: -_density(*p)],
    ),
    "stdtr": Spec(
        _student, STUDENT, [lambda n, t: slope(lambda n: _student(n, t), n, n), _student_density]
    ),
    "fdtr": Spec(
        _fisher,
        FISHER,
        [
            lambda m, n, x: slope(lambda m: _fisher(m, n, x), m, m),
            lambda m, n, x: slope(lambda n: _fisher(m, n, x), n, n),
            _fisher_density,
        ],
    ),
    "fdtrc": Spec(
        _fisher_rest,
        FISHER,
        [
            lambda m, n, x: slope(lambda m: _fisher_rest(m, n, x), m, m),
            lambda m, n, x: slope(lambda n: _fisher_rest(m, n, x), n, n),
            lambda m, n, x: -_fisher_density(m, n, x),
        ],
    ),
}
