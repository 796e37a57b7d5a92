"""Points of the complete elliptic integrals and of Spence's function."""

import mpmath as mp
from references import Spec, geometric, linear, near


def _slope(m):
    if m == 0:
        return mp.pi / 8
    return (mp.ellipe(m) - (1 - m) * mp.ellipk(m)) / (2 * m * (1 - m))


def _spence_slope(x):
    return mp.log(x) / (1 - x) if x != 1 else mp.mpf(-1)


MODULUS = {
    "small": (geometric(1e-30, 0.1),),
    "ordinary": (linear(-4, 0.95, 24),),
    "next to 1": (1 - geometric(1e-7, 0.1, 10),),
    "negative": (geometric(-4, -1e30, 14),),
}
SPECS = {
    "ellipk": Spec(mp.ellipk, MODULUS, [_slope]),
    "ellipe": Spec(
        mp.ellipe,
        MODULUS,
        [lambda m: (mp.ellipe(m) - mp.ellipk(m)) / (2 * m) if m else -mp.pi / 8],
    ),
    "ellipkm1": Spec(
        lambda p: mp.ellipk(1 - p),
        {
            "small": (geometric(1e-300, 0.1, 16),),
            "ordinary": (linear(0.1, 4, 20),),
            "edge": (near(1.0, n=8),),
            "large": (geometric(4, 1e30, 14),),
        },
        [lambda p: -_slope(1 - p)],
        digits=(400, 700),
    ),
    "spence": Spec(
        lambda x: mp.polylog(2, 1 - x).real,
        {
            "small": (geometric(1e-30, 0.25),),
            "ordinary": (linear(0.25, 4, 20),),
            "one": (near(1.0, 1e-7, n=8),),
            "large": (geometric(4, 1e30),),
        },
        [_spence_slope],
        digits=(90, 150),
    ),
}
