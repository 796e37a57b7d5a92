"""Points of the gamma function and its kin, the zeta function, the beta function and quotients."""

import mpmath as mp
import numpy as np
from references import Spec, exact, geometric, linear, near, rng

# Next to poles and zeros, on both sides, every second one exact in float32.
_POLES = np.concatenate([near(float(-n), 1e-8, 4, n) for n in range(1, 7)])
_POLES = _POLES[np.round(_POLES) != _POLES]


def _between(low, high, n=20, seed=0):
    """Numbers below 0, away from the integers."""
    whole = rng(seed).integers(low, high, n)
    return exact(whole + rng(seed + 1).uniform(0.05, 0.95, n))


GAMMA = {
    "tiny": (np.concatenate([geometric(1e-300, 1e-3, 8), geometric(-1e-30, -1e-3, 8)]),),
    "one to three": (linear(0.01, 3, 24),),
    "to ten": (linear(3, 10),),
    "large": (linear(10, 171),),
    "negative": (_between(-12, 0),),
    "far left": (_between(-165, -12, 12),),
    "poles": (_POLES,),
}
DIGAMMA_ZERO = 1.4616321449683622
LOGS = GAMMA | {
    "one": (near(1.0),),
    "two": (near(2.0),),
    "large": (geometric(10, 1e300),),
}


def _ranges(*pairs, n=16):
    """Points of two arguments; each pair is of ranges of logarithms."""
    return tuple(exact(np.exp(rng(7 * i).uniform(*np.log(p), n))) for i, p in enumerate(pairs, 1))


POSITIVE = {
    "small": _ranges((1e-2, 3), (1e-2, 3), n=20),
    "tiny": _ranges((1e-30, 1e-2), (1e-3, 30)),
    "moderate": _ranges((3, 100), (3, 100)),
    "unlike": _ranges((1e-3, 3), (10, 1e6)),
    "large": _ranges((10, 60), (1e3, 1e12)),
}
# Beside which a function hardly depends on what is negative.
_TINY = np.concatenate([geometric(1e-10, 0.1, 10), geometric(-1e-10, -0.1, 10, 1)])
_FAR_LEFT = _between(-60, -1, 20, 12)

MIXED = {
    "negative": (_between(-8, 0, 20, 3), exact(rng(5).uniform(0.1, 12, 20))),
    "both negative": (_between(-8, 0, 20, 4), _between(-6, 0, 20, 6)),
    "negative and tiny": (_FAR_LEFT, _TINY),
    "negative and large": (_between(-30, -10, 12, 14), geometric(100, 1e6)),
}


def _beta(a, b):
    return mp.beta(a, b)


def _betaln(a, b):
    return mp.log(abs(mp.beta(a, b)))


def _beta_slope(a, b):
    return mp.beta(a, b) * (mp.digamma(a) - mp.digamma(a + b))


def _poch(a, m):
    return mp.gammaprod([a + m], [a])


def _binom(n, k):
    return mp.gammaprod([n + 1], [k + 1, n - k + 1])


def _polygamma(n, x):
    return mp.polygamma(int(n), x)


def _rgamma_slope(x):
    return -mp.digamma(x) * mp.rgamma(x)


def _zeta(s, q):
    """Euler and Maclaurin's sum, with 80 terms before it: mpmath's own loses digits."""
    with mp.extradps(40):
        a = q + 80
        total = mp.fsum((q + k) ** -s for k in range(80)) + a ** (1 - s) / (s - 1) + a**-s / 2
        term = s / a ** (s + 1)
        for j in range(1, 61):
            total += mp.bernoulli(2 * j) / mp.factorial(2 * j) * term
            term *= (s + 2 * j - 1) * (s + 2 * j) / a**2
    return total


def _zeta_slope(s, q):
    h = mp.mpf(10) ** -30
    return (_zeta(s + h, q) - _zeta(s - h, q)) / (2 * h)


SPECS = {
    "gamma": Spec(mp.gamma, GAMMA, [lambda x: mp.gamma(x) * mp.digamma(x)]),
    "rgamma": Spec(mp.rgamma, GAMMA, [_rgamma_slope]),
    "gammaln": Spec(
        lambda x: mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x), LOGS, [mp.digamma]
    ),
    "digamma": Spec(
        mp.digamma, LOGS | {"zero": (near(DIGAMMA_ZERO),)}, [lambda x: mp.polygamma(1, x)]
    ),
    "polygamma": Spec(
        _polygamma,
        {
            "first": (np.ones(1), np.concatenate([geometric(1e-30, 0.1, 8), linear(0.1, 40, 16)])),
            "large": (np.asarray([1.0, 2, 3, 5] * 3), geometric(40, 1e20)),
            "higher": (exact(rng(8).integers(2, 9, 20)), linear(0.3, 30, 20)),
            "negative": (exact(rng(9).integers(1, 6, 20)), _between(-9, 0)),
            "order": (exact(rng(10).integers(9, 90, 16)), linear(0.6, 60, 16)),
        },
        [None, lambda n, x: mp.polygamma(int(n) + 1, x)],
    ),
    "zeta": Spec(
        _zeta,
        {
            "next to 1": (1 + geometric(1e-12, 0.5, 20), linear(0.1, 9, 20)),
            "ordinary": (linear(1.5, 10, 24), linear(0.1, 20, 24, 1)),
            "large s": (linear(10, 90, 16), linear(0.6, 100, 16, 1)),
            "large q": (linear(1.2, 12), geometric(100, 1e12)),
            "small q": (linear(1.2, 12), geometric(1e-12, 0.1)),
        },
        [_zeta_slope, lambda s, q: -s * _zeta(s + 1, q)],
    ),
    "beta": Spec(_beta, POSITIVE | MIXED, [_beta_slope, lambda a, b: _beta_slope(b, a)]),
    "betaln": Spec(
        _betaln,
        POSITIVE | MIXED | {"huge": _ranges((1e3, 1e12), (1e3, 1e12))},
        [
            lambda a, b: mp.digamma(a) - mp.digamma(a + b),
            lambda a, b: mp.digamma(b) - mp.digamma(a + b),
        ],
    ),
    "poch": Spec(
        _poch,
        {
            "small": (linear(0.1, 3, 20), linear(0.1, 8, 20, 1)),
            "moderate": (linear(3, 60, 16), linear(-2.9, 40, 16, 1)),
            "large": (geometric(60, 1e8, 16), linear(-4, 4, 16)),
            "negative": (_between(-8, 0, 20, 3), exact(rng(5).uniform(-5, 12, 20))),
            "negative and tiny": (_FAR_LEFT, _TINY),
            "whole": (exact(rng(6).uniform(-9, 9, 16)), exact(rng(7).integers(1, 9, 16))),
        },
        [
            lambda a, m: _poch(a, m) * (mp.digamma(a + m) - mp.digamma(a)),
            lambda a, m: _poch(a, m) * mp.digamma(a + m),
        ],
    ),
    "binom": Spec(
        _binom,
        {
            "whole": (exact(rng(1).integers(9, 60, 20)), exact(rng(2).integers(1, 9, 20))),
            "real": (linear(2, 40, 20), linear(0.1, 20, 20, 1)),
            "beyond": (linear(0.1, 3.9, 16), linear(5.1, 11.7, 16, 1)),
            "large": (geometric(100, 1e9, 16), linear(0.2, 8, 16)),
            "half": (linear(100, 900, 12), linear(49.5, 449.5, 12)),
            "negative": (_between(-6, 0, 16), exact(rng(3).integers(1, 12, 16))),
            "negative and tiny": (_FAR_LEFT, _TINY),
        },
        [
            lambda n, k: _binom(n, k) * (mp.digamma(n + 1) - mp.digamma(n - k + 1)),
            lambda n, k: _binom(n, k) * (mp.digamma(n - k + 1) - mp.digamma(k + 1)),
        ],
    ),
}
