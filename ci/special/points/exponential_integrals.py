"""Points of the exponential integrals."""

import mpmath as mp
import numpy as np
from references import Spec, geometric, linear, near

POSITIVE = {
    "small": (geometric(1e-30, 0.1),),
    "ordinary": (linear(0.1, 6, 20),),
    "edge": (near(1.0, n=8),),
    "large": (linear(6, 700, 16),),
}
ORDERS = np.asarray([0.0, 1, 2, 3, 5, 12, 40, 1000])


def _expn(n, x):
    return mp.expint(int(n), x)


SPECS = {
    "exp1": Spec(mp.e1, POSITIVE, [lambda x: -mp.exp(-x) / x]),
    "expi": Spec(
        mp.ei,
        POSITIVE
        | {
            "zero": (0.37250741078136663 * (1 + near(0.0, n=10)),),
            "edges": (np.concatenate([near(e, n=4) for e in (6.0, 12.0, 24.0, 48.0)]),),
            "negative": (-geometric(1e-30, 700, 16),),
        },
        [lambda x: mp.exp(x) / x],
    ),
    "expn": Spec(
        _expn,
        {
            "small": (np.repeat(ORDERS, 3), np.tile(geometric(1e-30, 0.3, 6), 4)),
            "ordinary": (np.repeat(ORDERS, 4), np.tile(linear(0.3, 6, 16), 2)),
            "edges": (np.repeat(ORDERS, 2), np.tile([0.9999, 1.0, 1.0001, 3.0], 4)),
            "large": (np.repeat(ORDERS, 2), np.tile(linear(6, 600, 8), 2)),
        },
        [None, lambda n, x: -_expn(n - 1, x)],
    ),
}
