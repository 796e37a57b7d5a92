"""The error function and its kin."""

import mpmath as mp


def erf_over(s):
    """erf(x) / x of x^2."""
    x = mp.sqrt(s)
    return mp.erf(x) / x


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def far_erfcx(s):
    """x erfcx(x) of 1 / x^2."""
    x = 1 / mp.sqrt(s)
    return x * erfcx(x)


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def near_dawson(s):
    """dawsn(x) / x of x^2."""
    x = mp.sqrt(s)
    return dawson(x) / x


def far_dawson(s):
    """x dawsn(x) of 1 / x^2."""
    x = 1 / mp.sqrt(s)
    return x * dawson(x)


def quantile(r):
    """-ndtri(exp(-r^2)), by Newton's method."""
    x = mp.sqrt(2) * r
    while True:
        share = mp.erfc(x / mp.sqrt(2)) / 2
        step = (mp.log(share) + r * r) * share / mp.npdf(x)
        x += step
        if abs(step) < mp.mpf(10) ** (5 - mp.mp.dps):
            return x


def central(s):
    """ndtri(1/2 + q) / q of 0.425^2 - q^2, which keeps coefficients positive."""
    q = mp.sqrt(mp.mpf("0.180625") - s)
    return mp.sqrt(2) * mp.erfinv(2 * q) / q


TINY = 1e-12  # in place of 0, where a quotient isn't there
FITS = {
    "ERF_DOUBLE": (erf_over, TINY, 1, 5, 5, 1e-17),
    "ERF_SINGLE": (erf_over, TINY, 1, 2, 3, 1e-9),
    "ERFCX_DOUBLE": (erfcx, 0.5, 6, 7, 8, 6e-17),
    "ERFCX_SINGLE": (erfcx, 0.5, 6, 3, 4, 3e-8),
    "ERFCX_FAR_DOUBLE": (far_erfcx, TINY, 1 / 36, 4, 4, 2e-17),
    "ERFCX_FAR_SINGLE": (far_erfcx, TINY, 1 / 36, 2, 1, 1e-8),
    "DAWSON_DOUBLE": (near_dawson, TINY, 4, 7, 7, 3e-17),
    "DAWSON_SINGLE": (near_dawson, TINY, 4, 4, 4, 1e-8),
    "DAWSON_2_DOUBLE": (lambda t: dawson(2 + t), TINY, 1, 8, 8, 2e-17),
    "DAWSON_2_SINGLE": (lambda t: dawson(2 + t), TINY, 1, 4, 4, 1e-8),
    "DAWSON_3_DOUBLE": (lambda t: dawson(3 + t), TINY, 1.25, 8, 8, 2e-17),
    "DAWSON_3_SINGLE": (lambda t: dawson(3 + t), TINY, 1.25, 4, 4, 1e-8),
    "DAWSON_4_DOUBLE": (lambda t: dawson(4.25 + t), TINY, 2.25, 8, 8, 2e-17),
    "DAWSON_4_SINGLE": (lambda t: dawson(4.25 + t), TINY, 2.25, 3, 3, 3e-8),
    "DAWSON_FAR_DOUBLE": (far_dawson, TINY, 1 / 42.25, 5, 5, 1e-17),
    "DAWSON_FAR_SINGLE": (far_dawson, TINY, 1 / 42.25, 2, 2, 1e-9),
    "NDTRI_DOUBLE": (central, TINY, 0.180625 - TINY, 7, 7, 9e-17),
    "NDTRI_SINGLE": (central, TINY, 0.180625 - TINY, 3, 4, 3e-8),
    "NDTRI_TAIL_DOUBLE": (lambda t: quantile(1.6 + t), 0, 3.4, 7, 7, 2e-17),
    "NDTRI_TAIL_SINGLE": (lambda t: quantile(1.6 + t), 0, 3.4, 3, 3, 2e-8),
    "NDTRI_FAR_DOUBLE": (lambda t: quantile(5 + t), 0, 23, 7, 7, 6e-17),
    "NDTRI_FAR_SINGLE": (lambda t: quantile(5 + t), 0, 23, 3, 3, 2e-8),
}
