"""Fits of the exponential integrals."""

import mpmath as mp
from fit import Fit

TITLE = "Coefficients of the exponential integrals, and the zero of Ei"


def e1_scaled(t):
    x = 1 / t
    return mp.e1(x) * x * mp.exp(x)


def ei_scaled(x):
    return mp.ei(x) * x * mp.exp(-x)


def zero():
    return mp.findroot(mp.ei, mp.mpf("0.3725074107813666"))


def ei_rest(t):
    x, a = 6 * t, zero()
    return (mp.ei(x) - mp.log(x / a)) / (x - a)


def ei_up_to(edge, degree):
    """From half of it: there the argument in the middle leaves no cancellation."""
    about = f"x exp(-x) Ei(x) from {edge // 2} to {edge}, t = {2 * edge} / x - 3"
    return Fit(lambda s: ei_scaled(2 * edge / (3 + s)), (-1, 1), degree, about)


FITS = {
    "E1": Fit(lambda x: mp.e1(x) + mp.log(x), (0, 1), 14, "E1(x) + log(x), t = x", weight=mp.e1),
    "E1_FAR": Fit(e1_scaled, (0, 1), (10, 10), "x exp(x) E1(x), t = 1 / x"),
    "EI": Fit(ei_rest, (0, 1), 21, "(Ei(x) - log(x / a)) / (x - a), t = x / 6"),
    "EI_12": ei_up_to(12, 23),
    "EI_24": ei_up_to(24, 23),
    "EI_48": ei_up_to(48, 20),
    "EI_FAR": Fit(
        lambda s: ei_scaled(96 / (1 + s)), (-1, 1), 17, "x exp(-x) Ei(x), t = 96 / x - 1"
    ),
}
ZEROS = {"EI_ZERO": zero}
