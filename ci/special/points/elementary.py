"""Points of the functions next to the elementary ones."""

import mpmath as mp
import numpy as np
from references import Spec, geometric, linear, near


def _boxcox(x, lmbda):
    return mp.expm1(lmbda * mp.log(x)) / lmbda if lmbda else mp.log(x)


def _huber(delta, r):
    return r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)


def _kl(x, y):
    with mp.extradps(40):  # of x close to y
        return x * mp.log(x / y) - x + y


SIGNS = {
    "tiny": (np.concatenate([geometric(1e-300, 1e-8), geometric(-1e-30, -1e-8)]),),
    "ordinary": (linear(-4, 4, 24),),
    "large": (linear(4, 80, 8),),
    "far left": (linear(-700, -4),),
}
PROBABILITIES = {
    "small": (geometric(1e-300, 0.1, 16),),
    "ordinary": (linear(0.1, 0.9, 20),),
    "half": (near(0.5),),
    "next to 1": (exact_one := 1 - geometric(1e-7, 0.1, 10),),
}
POSITIVE = {
    "small": (geometric(1e-300, 0.1, 16), geometric(1e-30, 0.1, 16, 1)),
    "ordinary": (linear(0.1, 5, 24), linear(0.1, 5, 24, 1)),
    "equal": (
        np.repeat([0.3, 1.0, 2.5, 700.0], 6),
        np.repeat([0.3, 1.0, 2.5, 700.0], 6)
        * (1 + np.tile([1e-15, -1e-11, 1e-8, -1e-5, 1e-3, -0.3], 4)),
    ),
    "large": (geometric(5, 1e300, 12), geometric(5, 1e30, 12, 1)),
}

SPECS = {
    "expit": Spec(lambda x: 1 / (1 + mp.exp(-x)), SIGNS),
    "log_expit": Spec(lambda x: -mp.log1p(mp.exp(-x)), SIGNS),
    "logit": Spec(lambda x: mp.log(x / (1 - x)), PROBABILITIES),
    "expm1": Spec(mp.expm1, SIGNS, [mp.exp]),
    "log1p": Spec(
        mp.log1p,
        {
            "tiny": SIGNS["tiny"],
            "next to -1": (-exact_one,),
            "ordinary": (linear(-0.9, 4, 24),),
            "large": (geometric(4, 1e300),),
        },
    ),
    "exprel": Spec(
        lambda x: mp.expm1(x) / x if x else mp.mpf(1), SIGNS | {"edge": (linear(709, 716.3),)}
    ),
    "cbrt": Spec(
        lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        {
            "small": (geometric(1e-307, 1e-3),),
            "ordinary": (linear(-50, 50, 20),),
            "large": (geometric(-50, -1e308),),
        },
    ),
    "sinc": Spec(
        lambda x: mp.sincpi(x),
        {
            "small": (geometric(1e-300, 0.3),),
            "ordinary": (linear(-3.7, 3.7, 24),),
            "zeros": (near(2.0, 1e-9),),
        },
        digits=(80, 140),
    ),
    "entr": Spec(
        lambda x: -x * mp.log(x),
        {
            "small": (geometric(1e-300, 0.1),),
            "ordinary": (linear(0.1, 5, 20),),
            "zero": (near(1.0),),
            "large": (geometric(5, 1e300),),
        },
    ),
    "xlog1py": Spec(
        lambda x, y: x * mp.log1p(y),
        POSITIVE | {"zero": (linear(-3, 3), geometric(-1e-300, -0.9))},
        digits=(400, 700),
    ),
    "xlogy": Spec(
        lambda x, y: x * mp.log(y),
        POSITIVE | {"one": (linear(-3, 3), near(1.0))},
    ),
    "rel_entr": Spec(lambda x, y: x * mp.log(x / y), POSITIVE, digits=(400, 700)),
    "kl_div": Spec(_kl, POSITIVE, [lambda x, y: mp.log(x / y), lambda x, y: 1 - x / y], (400, 700)),
    "boxcox": Spec(
        _boxcox,
        {
            "small": (geometric(1e-300, 0.5, 16), linear(-2, 4, 16)),
            "ordinary": (linear(0.5, 5, 24), linear(-4, 4, 24, 1)),
            "small lmbda": (linear(0.1, 9, 16), geometric(1e-300, 1e-3, 16)),
            "one": (near(1.0), linear(-3, 3)),
            "large": (geometric(5, 1e100), linear(-2, 2.5)),
        },
    ),
    "boxcox1p": Spec(
        lambda x, lmbda: _boxcox(1 + x, lmbda),
        {
            "tiny": (geometric(1e-300, 0.01), linear(-3, 3)),
            "ordinary": (linear(-0.9, 5, 24), linear(-4, 4, 24, 1)),
            "small lmbda": (linear(-0.5, 9, 16), geometric(1e-300, 1e-3, 16)),
            "large": (geometric(5, 1e100), linear(-2, 2.5)),
        },
        digits=(400, 800),
    ),
    "inv_boxcox": Spec(
        lambda y, lmbda: mp.exp(mp.log1p(lmbda * y) / lmbda),
        {
            "ordinary": (linear(0.1, 4, 24), linear(0.1, 3, 24, 1)),
            "small lmbda": (linear(-5, 9, 16), geometric(1e-200, 1e-3, 16)),
            "negative": (linear(-0.9, 0.3), linear(0.1, 1)),
        },
        digits=(300, 500),
    ),
    "huber": Spec(
        _huber,
        {"square": (linear(1, 3), linear(-0.9, 0.9)), "line": (linear(0.01, 1), linear(1.5, 50))},
    ),
    "pseudo_huber": Spec(
        lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1),
        {
            "small": (linear(0.1, 3), geometric(-1e-100, -1e-3)),
            "ordinary": (linear(0.1, 3, 20), linear(-5, 5, 20, 1)),
            "large": (geometric(1e-3, 1), geometric(10, 1e10)),
        },
        digits=(300, 500),
    ),
}
