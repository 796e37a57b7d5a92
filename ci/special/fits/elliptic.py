"""Fits of the complete elliptic integrals."""

import mpmath as mp
from fit import Fit

TITLE = "Coefficients of the complete elliptic integrals"


def first(p):
    return (mp.ellipk(1 - p) - mp.log(4) + mp.log(p) / 2) / p


def second(p):
    return (mp.ellipe(1 - p) - 1) / p


def logarithm(p):
    return -mp.log(p)


# The limits at p = 0 are exact, so that nothing is off for tiny p.
FITS = {
    "K": Fit(
        first,
        (0, 1),
        (9, 9),
        "K(m) = log(4) - log(t) / 2 + t (a - b log(t)), t = 1 - m",
        weight=lambda p: mp.ellipk(1 - p) / p,
        second=logarithm,
    ),
    "E": Fit(
        second,
        (0, 1),
        (9, 9),
        "E(m) = 1 + t (a - b log(t)), t = 1 - m",
        weight=lambda p: mp.ellipe(1 - p) / p,
        second=logarithm,
    ),
}
