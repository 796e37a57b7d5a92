"""Points of the inverses of the incomplete beta functions, and of quantiles made of them.

They are found by Newton's method in mpmath: the logarithm of the lower function is concave in
log(x / (1 - x)), so that it gets there from below.
"""

import functools

import mpmath as mp
from points.betainc import both
from references import Spec, exact, geometric, linear, near


def _lower(a, b, odds):
    return both(a, b, odds / (1 + odds), 1 / (1 + odds))[0]


def _share(a, b, odds):
    """The derivative in log(odds)."""
    return mp.exp(a * mp.log(odds) - (a + b) * mp.log1p(odds) - _log_beta(a, b))


def _log_beta(a, b):
    with mp.extradps(20):
        return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def _newton(a, b, r, odds, least):
    for _ in range(300):
        found = _lower(a, b, odds)
        step = mp.log(r / found) * found / _share(a, b, odds)
        odds *= mp.exp(step)
        if abs(step) < least:
            return odds
    raise ValueError(f"Newton's method doesn't end: {a}, {b}, {r}")


@functools.cache
def _start(a, b, r):
    with mp.workdps(25):
        # The density is at most that of odds^(a - 1) / beta(a, b).
        odds = mp.exp((mp.log(r * a) + _log_beta(a, b)) / a)
        return _newton(a, b, r, odds, mp.mpf("1e-10"))


@functools.cache
def _root(a, b, r, digits):
    with mp.workdps(digits + 10):
        return _newton(a, b, r, _start(a, b, r), mp.mpf(10) ** (-digits // 2))


def _odds(a, b, p):
    """Return the odds x / (1 - x) at which the lower function is p."""
    if p == 1:  # of numbers of single precision
        return mp.nan
    if p > 0.5:
        return 1 / _root(b, a, 1 - p, mp.mp.dps)
    return _root(a, b, p, mp.mp.dps)


def _partials(inverse, function, count):
    """By differences of the function, of which this is the inverse in the last argument."""

    def partial(i):
        def of(*args):
            with mp.workdps(70):
                x = inverse(*args)
                density = _slope(lambda x: function(*args[:-1], x), x)
                if i == count:
                    return 1 / density
                some = list(args[:-1])
                moved = _slope(lambda v: function(*some[:i], v, *some[i + 1 :], x), args[i])
                return -moved / density

        return of

    return [partial(i) for i in range(count + 1)]


def _slope(function, x):
    h = mp.mpf(10) ** -22 * x
    return (function(x + h) - function(x - h)) / (2 * h)


def _spec(inverse, function, regions):
    return Spec(inverse, regions, _partials(inverse, function, len(regions["ordinary"]) - 1))


def _below_one(odds):
    """x, but next to 1, where it hasn't the digits of 1 - x, of which the derivatives are made."""
    return odds / (1 + odds) if odds < 1e5 else mp.nan


def _beta(a, b, p):
    return _below_one(_odds(a, b, p))


def _beta_complement(a, b, p):
    return _below_one(1 / _odds(b, a, p))


_LOW, _HIGH = geometric(0.3, 300, 14), geometric(0.3, 300, 14, 1)
BETA = {
    "ordinary": (linear(0.1, 20, 18), linear(0.2, 30, 18, 1), linear(0.01, 0.99, 18, 2)),
    "tiny": (_LOW, _HIGH, geometric(1e-290, 1e-9, 14, 2)),
    "next to 1": (_LOW, _HIGH, exact(1 - geometric(1e-15, 1e-2, 14, 3))),
    "small": (geometric(1e-3, 1, 14), geometric(1e-3, 1, 14, 1), linear(0.02, 0.98, 14, 2)),
    "large": (geometric(50, 1e5, 14), geometric(50, 1e5, 14, 1), geometric(1e-30, 0.98, 14, 2)),
    "one large": (geometric(0.1, 5, 14), geometric(50, 1e6, 14, 1), geometric(1e-10, 0.98, 14, 2)),
    "other large": (geometric(50, 1e6, 14), geometric(0.1, 5, 14, 1), linear(0.01, 0.99, 14, 2)),
}


def _student(df, p):
    """Solve P(t < -s) = p, half of the lower function at df / (df + s^2)."""
    if p == 0.5:
        return mp.nan
    size = mp.sqrt(df / _odds(df / 2, mp.mpf(1) / 2, 2 * min(p, 1 - p)))
    return -size if p < 0.5 else size


def _student_function(df, t):
    rest = df + t * t
    tail = both(df / 2, mp.mpf(1) / 2, df / rest, t * t / rest)[0] / 2
    return tail if t < 0 else 1 - tail


def _f(dfn, dfd, p):
    return _odds(dfn / 2, dfd / 2, p) * dfd / dfn


def _f_function(dfn, dfd, x):
    rest = dfd + dfn * x
    return both(dfn / 2, dfd / 2, dfn * x / rest, dfd / rest)[0]


STUDENT = {
    "ordinary": (linear(0.5, 30, 18), linear(0.01, 0.99, 18, 1)),
    "small df": (geometric(0.1, 1, 14), linear(0.03, 0.97, 14, 1)),
    "tiny": (geometric(1, 1e4, 14), geometric(1e-290, 1e-9, 14, 1)),
    "about 1/2": (geometric(0.3, 1e3, 14), near(0.5, 1e-12, 14)),
    "large df": (geometric(1e3, 9e7, 14), geometric(1e-30, 0.49, 14, 1)),
    "huge df": (geometric(1.1e8, 1e12, 14), geometric(1e-30, 0.49, 14, 1)),
}
F = {
    "ordinary": (linear(0.3, 30, 18), linear(0.4, 40, 18, 1), linear(0.01, 0.99, 18, 2)),
    "tiny": (_LOW, _HIGH, geometric(1e-290, 1e-9, 14, 2)),
    "next to 1": (_LOW, _HIGH, exact(1 - geometric(1e-15, 1e-2, 14, 3))),
    "large": (geometric(50, 1e5, 14), geometric(50, 1e5, 14, 1), geometric(1e-30, 0.98, 14, 2)),
    "one large": (geometric(0.1, 5, 14), geometric(50, 1e6, 14, 1), geometric(1e-10, 0.98, 14, 2)),
    "other large": (geometric(50, 1e6, 14), geometric(0.1, 5, 14, 1), linear(0.01, 0.99, 14, 2)),
}

SPECS = {
    "betaincinv": _spec(_beta, lambda a, b, x: both(a, b, x, 1 - x)[0], BETA),
    "betainccinv": _spec(_beta_complement, lambda a, b, x: both(a, b, x, 1 - x)[1], BETA),
    "stdtrit": _spec(_student, _student_function, STUDENT),
    "fdtri": _spec(_f, _f_function, F),
}
