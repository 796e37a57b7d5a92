"""Fits of the modified Bessel functions of orders 0 and 1."""

import mpmath as mp
from fit import Fit

TITLE = "Coefficients of the modified Bessel functions of orders 0 and 1"


def scaled(bessel, order, sign, edge):
    """exp(-+x) sqrt(x) times the function, of t = edge / x."""

    def value(t):
        x = edge / t
        return mp.exp(sign * x) * mp.sqrt(x) * bessel(order, x)

    return value


def k0_rest(y):
    x = mp.sqrt(y)
    return mp.besselk(0, x) + mp.log(x) * mp.besseli(0, x)


def k1_rest(y):
    x = mp.sqrt(y)
    return (mp.besselk(1, x) - mp.log(x) * mp.besseli(1, x) - 1 / x) / x


def i1_over(t):
    x = 12 * mp.sqrt(t)
    return mp.besseli(1, x) / x


def far(order):
    """With its argument in the middle: all numbers get small, and nothing cancels."""
    inner = scaled(mp.besseli, order, -1, 12)
    about = f"exp(-x) sqrt(x) I{order}(x), t = 24 / x - 1"
    return Fit(lambda s: inner((1 + s) / 2), (-1, 1), 17, about)


def middle(order):
    """From 3 to 12, scaled, for the exponential of a rounded square of x would be off."""
    inner = scaled(mp.besseli, order, -1, 1)
    about = f"exp(-x) sqrt(x) I{order}(x), t = 8 / x - 5 / 3"
    return Fit(lambda s: inner((s + mp.mpf(5) / 3) / 8), (-1, 1), 25, about)


FITS = {
    "I0": Fit(lambda t: mp.besseli(0, 12 * mp.sqrt(t)), (0, 1), 22, "I0(x), t = (x / 12)^2"),
    "I1": Fit(i1_over, (0, 1), 21, "I1(x) / x, t = (x / 12)^2"),
    "I0_MIDDLE": middle(0),
    "I1_MIDDLE": middle(1),
    "I0_FAR": far(0),
    "I1_FAR": far(1),
    "K0": Fit(k0_rest, (0, 1), 7, "K0(x) + log(x) I0(x), t = x^2"),
    "K1": Fit(k1_rest, (0, 1), 7, "(K1(x) - log(x) I1(x) - 1 / x) / x, t = x^2"),
    "K0_FAR": Fit(scaled(mp.besselk, 0, 1, 1), (0, 1), (9, 9), "exp(x) sqrt(x) K0(x), t = 1 / x"),
    "K1_FAR": Fit(scaled(mp.besselk, 1, 1, 1), (0, 1), (9, 9), "exp(x) sqrt(x) K1(x), t = 1 / x"),
}
