"""Points of the error function and its kin."""

import mpmath as mp
import numpy as np
from references import Spec, geometric, linear, near


def two():
    return 2 / mp.sqrt(mp.pi)


def _both(*parts):
    return np.concatenate(parts)


def _erfcx(x):
    if x > 1e4:  # mpmath overflows
        terms = [mp.fac2(2 * k - 1) / (-2 * x * x) ** k for k in range(90)]
        return mp.fsum(terms) / x / mp.sqrt(mp.pi)
    return mp.exp(x * x) * mp.erfc(x)


def _dawsn(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _log_ndtr(x):
    with mp.extradps(30):
        return mp.log1p(-_ndtr(-x)) if x > 0 else mp.log(_ndtr(x))


def _of_log(y):
    """ndtri(exp(y)) for y below log(1/2), by Newton's method."""
    x = -mp.sqrt(-2 * y)
    for _ in range(30):  # two precisions must agree, so that it need not be known to have ended
        share = _ndtr(x)
        step = (mp.log(share) - y) * share / mp.npdf(x)
        x -= step
        if abs(step) < abs(x) * mp.mpf(10) ** (8 - mp.mp.dps):
            break
    return x


def _ndtri(p):
    if abs(p - 0.5) < 0.3:
        return mp.sqrt(2) * mp.erfinv(2 * p - 1)
    return _of_log(mp.log(p)) if p < 0.5 else -_of_log(mp.log1p(-p))


def _ndtri_exp(y):
    with mp.extradps(30):
        p = mp.exp(y)
        if p < 0.2:
            return _of_log(y)
        return _ndtri(p) if p < 0.8 else -_of_log(mp.log(-mp.expm1(y)))


def _wofz(z):
    return mp.exp(-z * z) * mp.erfc(-1j * z)


def _voigt(x, sigma, gamma):
    z = (x + 1j * gamma) / (sigma * mp.sqrt(2))
    return _wofz(z).real / (sigma * mp.sqrt(2 * mp.pi))


def _by_line(x, sigma, gamma):
    scale = sigma * mp.sqrt(2)
    z = (x + 1j * gamma) / scale
    slope = 2j / mp.sqrt(mp.pi) - 2 * z * _wofz(z)
    return slope, z, scale * sigma * mp.sqrt(2 * mp.pi)


def _by_x(x, sigma, gamma):
    slope, _, scale = _by_line(x, sigma, gamma)
    return slope.real / scale


def _by_sigma(x, sigma, gamma):
    slope, z, scale = _by_line(x, sigma, gamma)
    return -_voigt(x, sigma, gamma) / sigma - (slope * z).real * mp.sqrt(2) / scale


def _by_gamma(x, sigma, gamma):
    slope, _, scale = _by_line(x, sigma, gamma)
    return -slope.imag / scale


TINY = _both(geometric(1e-300, 1e-8, 8), geometric(-1e-30, -1e-8, 8))
MIDDLE = linear(-2, 2, 30)
FRACTIONS = {
    "small": (geometric(1e-305, 1e-4, 20),),
    "ordinary": (linear(1e-4, 0.95, 30),),
    "half": (near(0.5),),
    "next to 1": (1 - geometric(1e-7, 0.1, 10),),
}


def _quadrant(low, high, n, seed=0):
    return geometric(low, high, n, seed), geometric(low, high, n, seed + 1)


SPECS = {
    "erf": Spec(
        mp.erf,
        {"tiny": (TINY,), "middle": (MIDDLE,), "large": (_both(linear(2, 7), [50.0]),)},
        [lambda x: two() * mp.exp(-x * x)],
    ),
    "erfc": Spec(
        mp.erfc,
        {
            "left": (linear(-7, -0.5),),
            "middle": (linear(-0.5, 2, 24),),
            "right": (linear(2, 26.4, 24),),
        },
        [lambda x: -two() * mp.exp(-x * x)],
    ),
    "erfcx": Spec(
        _erfcx,
        {
            "left": (linear(-26, -0.5),),
            "middle": (linear(-0.5, 2, 24),),
            "right": (linear(2, 30, 24),),
            "large": (geometric(30, 1e300),),
        },
        [lambda x: 2 * x * _erfcx(x) - two()],
        (60, 700),
    ),
    "erfi": Spec(
        mp.erfi,
        {
            "tiny": (TINY,),
            "middle": (MIDDLE,),
            "right": (linear(2, 26, 24),),
            "edge": (linear(26.6, 26.64),),
        },
        [lambda x: two() * mp.exp(x * x)],
    ),
    "dawsn": Spec(
        _dawsn,
        {
            "tiny": (TINY,),
            "middle": (MIDDLE,),
            "joints": (linear(2, 7, 40),),
            "large": (_both(geometric(7, 1e3, 10), geometric(-30, -1e30, 10)),),
        },
        [lambda x: 1 - 2 * x * _dawsn(x)],
    ),
    "erfinv": Spec(
        mp.erfinv,
        {
            "tiny": (TINY,),
            "ordinary": (linear(-0.9, 0.9, 24),),
            "next to 1": (1 - geometric(1e-15, 0.1, 16),),
        },
        [lambda y: mp.exp(mp.erfinv(y) ** 2) / two()],
    ),
    "erfcinv": Spec(
        lambda y: -_ndtri(y / 2) / mp.sqrt(2),
        {
            "small": (geometric(1e-305, 1e-4, 20),),
            "ordinary": (linear(1e-4, 1.9, 30),),
            "one": (near(1.0),),
            "next to 2": (2 - geometric(1e-15, 0.1, 16),),
        },
        [lambda y: -mp.exp((_ndtri(y / 2) ** 2) / 2) / two()],
    ),
    "wofz": Spec(
        _wofz,
        {
            "small": _quadrant(1e-10, 1, 30),
            "middle": (linear(-8, 8, 40), linear(0.01, 8, 40, 1)),
            "next to the axis": (linear(-15, 15, 40), geometric(1e-100, 1e-3, 40, 1)),
            "nodes": (
                np.arange(1, 25) * (np.sqrt(np.pi / 12) / 2),
                np.tile([0.0, 1e-9, 0.1, 0.5], 6),
            ),
            "below": (linear(-3, 3, 30), linear(-3, 0, 30, 1)),
            "large": (geometric(-15, -1e6, 20), geometric(0.1, 1e6, 20, 1)),
        },
        [lambda z: 2j / mp.sqrt(mp.pi) - 2 * z * _wofz(z)],
        (45, 80),
        complex=True,
    ),
    "voigt_profile": Spec(
        _voigt,
        {
            "ordinary": (linear(-5, 5, 40), linear(0.2, 3, 40, 1), linear(0, 3, 40, 2)),
            "narrow": (linear(-9, 9, 30), linear(0.7, 1, 30, 1), geometric(1e-60, 1e-3, 30, 2)),
            "wings": (geometric(8, 1e4, 20), linear(0.5, 1, 20, 1), geometric(1e-3, 1e3, 20, 2)),
        },
        [_by_x, _by_sigma, _by_gamma],
        (130, 170),
    ),
    "ndtr": Spec(
        _ndtr,
        {
            "left": (linear(-37, -2, 24),),
            "middle": (linear(-2, 2, 24),),
            "right": (linear(2, 9),),
        },
        [mp.npdf],
    ),
    "log_ndtr": Spec(
        _log_ndtr,
        {
            "far left": (geometric(-100, -1e4),),
            "left": (linear(-100, -1, 24),),
            "middle": (linear(-1, 2, 24),),
            "right": (linear(2, 37, 16),),
        },
        [lambda x: mp.npdf(x) / _ndtr(x)],
    ),
    "ndtri": Spec(_ndtri, FRACTIONS, [lambda p: 1 / mp.npdf(_ndtri(p))]),
    "ndtri_exp": Spec(
        _ndtri_exp,
        {
            "far left": (geometric(-700, -1e6),),
            "left": (linear(-700, -2, 30),),
            "middle": (linear(-2, -0.1, 30),),
            "right": (geometric(-0.1, -1e-300, 20),),
        },
        [lambda y: mp.exp(y) / mp.npdf(_ndtri_exp(y))],
    ),
}
