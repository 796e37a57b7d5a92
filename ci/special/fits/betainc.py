"""The fit of the incomplete beta functions: erfcx, all of its right side by one quotient."""

import mpmath as mp
from fit import Fit

TITLE = "Coefficients of the incomplete beta functions"


def scaled(t):
    x = 1 / t - 1
    return mp.exp(x * x) * mp.erfc(x) / t


# As far as exp(-x^2) is above 0.
FITS = {
    f"ERFCX_{dtype}": Fit(scaled, (1 / most, 1), degree, "erfcx(x) / t, t = 1 / (1 + x)")
    for dtype, most, degree in (("DOUBLE", 29, (9, 9)), ("SINGLE", 12, (5, 4)))
}
