"""Points of the Bessel functions of orders 0 and 1, plain and modified."""

import mpmath as mp
import numpy as np
from references import Spec, geometric, linear, near

POSITIVE = {
    "small": (geometric(1e-300, 0.1, 14),),
    "ordinary": (linear(0.1, 12, 30),),
    "edges": (np.concatenate([near(1.0, n=6), near(12.0, n=6), near(5.0, n=6), near(2.5, n=4)]),),
}
SIGNS = {"negative": (-linear(0.01, 30, 10),)}
SECOND = POSITIVE | {"small": (geometric(1e-30, 0.1, 14),)}  # smaller takes mpmath minutes
GROWING = POSITIVE | SIGNS | {"large": (linear(12, 705, 14),)}
SCALED = {"large": (geometric(12, 1e30, 20),)}
WAVES = {"large": (geometric(12, 1e6, 24),)}


def _zeros(zero, order):
    """Next to the first zeros, where a double is nearest to them, and a bit off."""
    at = np.asarray([float(zero(order, k)) for k in (1, 2, 3, 4, 9)])
    off = np.asarray([0.0, 1e-13, -1e-9, 1e-5, -1e-3])
    points = np.concatenate([(at * (1 + d)) for d in off])
    return np.concatenate([points, points.astype(np.float32).astype(np.float64)])


def _over(y, x):
    return y / x if x else mp.mpf("0.5")


def _k(order, x):
    """By the trapezoidal rule for DLMF 10.32.9 from 2 to 400, where mpmath's own takes seconds."""
    if not 2 <= x < 400:
        return mp.besselk(order, x)
    with mp.extradps(10):
        digits = mp.mp.dps * mp.log(10)
        h = mp.pi**2 / (digits + x)
        count = int(mp.acosh(1 + digits / x) / h) + 2
        at = [k * h for k in range(1, count)]
        terms = (mp.exp(-x * mp.cosh(t)) * mp.cosh(order * t) for t in at)
        return h * (mp.exp(-x) / 2 + mp.fsum(terms))


def _modified(function, order, slope, sign=0):
    """Return a function times exp(sign abs(x)), and its derivative."""

    def value(x):
        return function(order, x) * mp.exp(sign * abs(x))

    def partial(x):
        return (slope(x) + sign * mp.sign(x) * function(order, x)) * mp.exp(sign * abs(x))

    return value, [partial]


def _i1(x):
    return mp.besseli(0, x) - _over(mp.besseli(1, x), x)


def _k1(x):
    return -_k(0, x) - _k(1, x) / x


def _spec(made, regions, digits=(60, 120)):
    return Spec(made[0], regions, made[1], digits)


def _i0(x):
    return mp.besseli(1, x)


def _k0(x):
    return -_k(1, x)


SPECS = {
    "i0": _spec(_modified(mp.besseli, 0, _i0), GROWING),
    "i1": _spec(_modified(mp.besseli, 1, _i1), GROWING),
    "i0e": _spec(_modified(mp.besseli, 0, _i0, -1), POSITIVE | SIGNS | SCALED),
    "i1e": _spec(_modified(mp.besseli, 1, _i1, -1), POSITIVE | SIGNS | SCALED),
    "k0": _spec(_modified(_k, 0, _k0), SECOND | {"large": (linear(12, 705, 14),)}),
    "k1": _spec(_modified(_k, 1, _k1), SECOND | {"large": (linear(12, 705, 14),)}),
    "k0e": _spec(_modified(_k, 0, _k0, 1), SECOND | SCALED),
    "k1e": _spec(_modified(_k, 1, _k1, 1), SECOND | SCALED),
    "j0": Spec(
        lambda x: mp.besselj(0, x),
        POSITIVE | WAVES | SIGNS | {"zeros": (_zeros(mp.besseljzero, 0),)},
        [lambda x: -mp.besselj(1, x)],
    ),
    "j1": Spec(
        lambda x: mp.besselj(1, x),
        POSITIVE | WAVES | SIGNS | {"zeros": (_zeros(mp.besseljzero, 1),)},
        [lambda x: mp.besselj(0, x) - _over(mp.besselj(1, x), x)],
    ),
    "y0": Spec(
        lambda x: mp.bessely(0, x),
        SECOND | WAVES | {"zeros": (_zeros(mp.besselyzero, 0),)},
        [lambda x: -mp.bessely(1, x)],
    ),
    "y1": Spec(
        lambda x: mp.bessely(1, x),
        SECOND | WAVES | {"zeros": (_zeros(mp.besselyzero, 1),)},
        [lambda x: mp.bessely(0, x) - mp.bessely(1, x) / x],
    ),
}
