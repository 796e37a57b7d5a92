"""SciPy's HiGHS for one linear programme, or for each of those that ask for integers."""

from typing import Any

import numpy as np
import scipy.optimize

# The solvers' outcomes, by SciPy's status.
_OUTCOMES = {0: 1, 1: -1, 2: -13, 3: -9, 4: -7}


def linprog(c: Any, a: Any, b: Any, lower: Any, upper: Any, key: Any, way: Any) -> Any:
    few = key[0]
    size = max(v.shape[0] for v in (c, a, b, lower, upper))
    found = []
    for i in range(size):
        c1, a1, b1, low, up = (v[i if v.shape[0] > 1 else 0] for v in (c, a, b, lower, upper))
        found.append(_one(c1, a1, b1, low, up, few, way))
    return {k: np.stack([f[k] for f in found]) for k in found[0]}


def _one(c: Any, a: Any, b: Any, low: Any, up: Any, few: int, way: Any) -> dict[str, Any]:
    n, m = c.shape[0], b.shape[0]
    told = scipy.optimize.linprog(
        c, a[:few], b[:few], a[few:], b[few:], np.stack([low, up], axis=1), way.method,
        way.callback, way.options, way.x0, way.integrality,
    )  # fmt: skip
    x = _numbers(told.x, n)
    if told.status in (2, 3, 4):
        x = np.full(n, np.nan)
    made = {"x": x, "nit": np.int32(told.nit), "outcome": np.int32(_OUTCOMES[told.status])}
    made["crossover_nit"] = np.int32(told.get("crossover_nit") or 0)
    of = [told[k].marginals if k in told else None for k in ("ineqlin", "eqlin", "lower", "upper")]
    made["y"] = np.concatenate([_numbers(of[0], few), _numbers(of[1], m - few)])
    made["low"], made["up"] = _numbers(of[2], n), _numbers(of[3], n)
    return made


def _numbers(x: Any, n: int) -> Any:
    return np.full(n, np.nan) if x is None else np.asarray(x, dtype=np.float64)
