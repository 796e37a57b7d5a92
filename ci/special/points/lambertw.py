"""Points of Lambert's W function: a complex number in two parts, and the branch."""

import math

import mpmath as mp
import numpy as np
from references import Spec, exact, geometric, linear, rng


def _value(z, k):
    """On the cuts, the side that a zero imaginary part of +0 tells."""
    return mp.mpc(mp.lambertw(z, int(k)))


def _slope(z, k):
    w = _value(z, k)
    return w / (z * (1 + w))


def _about(low, high, n, branches, seed):
    """Points at distances from the branch point, in all directions."""
    angle = rng(seed).uniform(-math.pi, math.pi, n)
    distance = np.exp(rng(seed + 1).uniform(math.log(low), math.log(high), n))
    x = exact(distance * np.cos(angle) - math.exp(-1))
    return x, exact(distance * np.sin(angle)), rng(seed + 2).choice(branches, n)


def _circles(low, high, n, branches, seed):
    angle = rng(seed).uniform(-math.pi, math.pi, n)
    radius = np.exp(rng(seed + 1).uniform(math.log(low), math.log(high), n))
    x, y = exact(radius * np.cos(angle)), exact(radius * np.sin(angle))
    return x, y, rng(seed + 2).choice(branches, n)


ALL = range(-5, 6)
SPECS = {
    "lambertw": Spec(
        _value,
        {
            "branch point": _about(1e-17, 0.02, 36, (-1, 0, 0, 1), 10),
            "around it": _about(0.02, 0.4, 36, (-1, 0, 0, 1), 20),
            "real, 0": (linear(-0.367, 20, 20), np.zeros(1), np.zeros(1)),
            "real, -1": (linear(-0.367, -1e-3, 20), np.zeros(1), np.full(1, -1)),
            "negative": (
                linear(-20, -0.37, 24),
                geometric(1e-30, 0.1, 24) * np.tile([0, 1, -1, 1], 6),
                rng(30).integers(-2, 3, 24),
            ),
            "small, 0": _circles(1e-300, 0.1, 20, (0,), 40),
            "small": _circles(1e-300, 0.1, 24, (-3, -1, 1, 2), 50),
            "middle": _circles(0.1, 20, 60, ALL, 60),
            "large": _circles(20, 1e300, 24, ALL, 70),
            "single": _circles(1e-30, 1e35, 30, ALL, 80),
            "far branches": _circles(1e-30, 1e30, 16, (-100000, -100, 77, 12345), 90),
        },
        [_slope, None],
        complex=True,
    ),
}
