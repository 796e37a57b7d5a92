"""Fits of the Bessel functions of orders 0 and 1: zeros, rests, moduli."""

import mpmath as mp
from fit import Fit

TITLE = "Zeros and coefficients of the Bessel functions of orders 0 and 1"
J, Y = mp.besselj, mp.bessely


def j_over_zeros(order):
    """Return what is left of J beside its first two zeros, and of J1 beside x, too."""

    def value(s):
        x = mp.sqrt(12.5 * (1 + s))
        a, b = (mp.besseljzero(order, k) for k in (1, 2))
        return J(order, x) / x**order / ((x * x - a * a) * (x * x - b * b))

    return value


def y0_rest(s):
    x = mp.sqrt(mp.mpf("3.125") * (1 + s))
    a = mp.besselyzero(0, 1)
    return (Y(0, x) - 2 / mp.pi * mp.log(x / a) * J(0, x)) / (x * x - a * a)


def y0_over_zero(s):
    x = mp.mpf("3.75") + mp.mpf("1.25") * s
    return Y(0, x) / (x - mp.besselyzero(0, 2))


def y1_rest(s):
    x = mp.sqrt(12.5 * (1 + s))
    a = mp.besselyzero(1, 1)
    return x * (Y(1, x) - 2 / mp.pi * mp.log(x / a) * J(1, x)) / (x * x - a * a)


def part(order, sine):
    """P and Q of DLMF 10.17.3-4, Q over 5 / x; exact, from both functions."""

    def value(t):
        x = 5 / mp.sqrt(t)
        angle = x - (2 * order + 1) * mp.pi / 4
        c, s = mp.cos(angle), mp.sin(angle)
        size = mp.sqrt(mp.pi * x / 2)
        if sine:
            return size * (Y(order, x) * c - J(order, x) * s) * x / 5
        return size * (J(order, x) * c + Y(order, x) * s)

    return value


def moduli(order):
    return {
        f"P{order}": Fit(part(order, False), (0, 1), (6, 6), f"P of order {order}, t = (5 / x)^2"),
        f"Q{order}": Fit(
            part(order, True), (0, 1), (7, 7), f"Q x / 5 of order {order}, t = (5 / x)^2"
        ),
    }


FITS = {
    "J0": Fit(
        j_over_zeros(0), (-1, 1), 12, "J0(x) over x^2 - a^2 and x^2 - b^2, t = x^2 / 12.5 - 1"
    ),
    "J1": Fit(
        j_over_zeros(1), (-1, 1), 12, "J1(x) over x, x^2 - a^2, x^2 - b^2, t = x^2 / 12.5 - 1"
    ),
    "Y0": Fit(
        y0_rest,
        (-1, 1),
        10,
        "(Y0(x) - 2 / pi log(x / a) J0(x)) / (x^2 - a^2), t = x^2 / 3.125 - 1",
    ),
    "Y0_MIDDLE": Fit(y0_over_zero, (-1, 1), 20, "Y0(x) / (x - a), t = x / 1.25 - 3"),
    "Y1": Fit(
        y1_rest,
        (-1, 1),
        13,
        "x (Y1(x) - 2 / pi log(x / a) J1(x)) / (x^2 - a^2), t = x^2 / 12.5 - 1",
    ),
    **moduli(0),
    **moduli(1),
}
ZEROS = {
    "J0_ZERO": lambda: mp.besseljzero(0, 1),
    "J0_SECOND": lambda: mp.besseljzero(0, 2),
    "J1_ZERO": lambda: mp.besseljzero(1, 1),
    "J1_SECOND": lambda: mp.besseljzero(1, 2),
    "Y0_ZERO": lambda: mp.besselyzero(0, 1),
    "Y0_SECOND": lambda: mp.besselyzero(0, 2),
    "Y1_ZERO": lambda: mp.besselyzero(1, 1),
}
