"""SciPy's HiGHS for one linear programme, and for each of those that ask for integers."""

import contextlib
import warnings
from typing import Any

import numpy as np
import scipy.optimize

from ...errors import OptimizeWarning, _level

# The solvers' outcomes, by SciPy's status. 5 and 6 are of 'revised simplex': it stopped early, or
# can't begin at x0.
_OUTCOMES = {0: 1, 1: -1, 2: -13, 3: -9, 4: -7, 5: -7, 6: -7}


def linprog(c: Any, a: Any, b: Any, lower: Any, upper: Any, key: Any, way: Any) -> Any:
    few = key[0]
    size = max(v.shape[0] for v in (c, a, b, lower, upper))
    found = []
    for i in range(size):
        c1, a1, b1, low, up = (v[i if v.shape[0] > 1 else 0] for v in (c, a, b, lower, upper))
        found.append(_one(c1, a1, b1, low, up, few, way))
    return tuple(np.stack(column) for column in zip(*found, strict=True))


def _one(c: Any, a: Any, b: Any, low: Any, up: Any, few: int, way: Any) -> tuple[Any, ...]:
    n, m = c.shape[0], b.shape[0]
    # HiGHS itself warns of options alone.
    plain = not way.options and way.method.startswith("highs")
    with contextlib.nullcontext([]) if plain else warnings.catch_warnings(record=True) as said:
        if not plain:
            warnings.simplefilter("always")
        told = scipy.optimize.linprog(
            c, a[:few], b[:few], a[few:], b[few:], np.stack([low, up], axis=1), way.method,
            way.callback, way.options, way.x0, way.integrality,
        )  # fmt: skip
    for one in said or ():
        if issubclass(one.category, scipy.optimize.OptimizeWarning):
            warnings.warn(f"linprog: {one.message}", OptimizeWarning, stacklevel=_level())
        elif one.category is not DeprecationWarning:  # that a method is old, the caller knows
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    x = _numbers(told.x, n)
    if told.status >= 2:
        x = np.full(n, np.nan)
    of = [told[k].marginals if k in told else None for k in ("ineqlin", "eqlin", "lower", "upper")]
    y = np.concatenate([_numbers(of[0], few), _numbers(of[1], m - few)])
    crossed, outcome = told.get("crossover_nit") or 0, _OUTCOMES[told.status]
    whole = (np.int32(k) for k in (told.nit, crossed, outcome, told.get("mip_node_count") or 0))
    bounds = (told.get(k, 0.0) for k in ("mip_dual_bound", "mip_gap"))
    numbers = (np.float64(np.nan if v is None else v) for v in bounds)
    return x, y, _numbers(of[2], n), _numbers(of[3], n), *whole, *numbers


def _numbers(x: Any, n: int) -> Any:
    return np.full(n, np.nan) if x is None else np.asarray(x, dtype=np.float64)


def milp(
    c: Any, a: Any, low: Any, high: Any, lower: Any, upper: Any, kinds: Any, options: Any
) -> Any:
    found: list[list[Any]] = [[] for _ in range(6)]
    for c1, *rows, below, above, kind in zip(c, a, low, high, lower, upper, kinds, strict=True):
        told = scipy.optimize.milp(
            c1, integrality=kind, bounds=(below, above), constraints=[tuple(rows)],
            options=dict(options),
        )  # fmt: skip
        parts = (
            _numbers(told.x, c1.shape[0]), told.fun, told.mip_node_count, told.mip_dual_bound,
            told.mip_gap, _OUTCOMES[told.status],
        )  # fmt: skip
        for column, part in zip(found, parts, strict=True):
            column.append(part)
    x, fun, nodes, *bounds, outcome = found
    return (
        np.reshape(np.asarray(x, dtype=c.dtype), c.shape), _or(fun, np.nan, c.dtype),
        _or(nodes, -1, np.int32), *(_or(v, np.nan, c.dtype) for v in bounds),
        np.asarray(outcome, dtype=np.int32),
    )  # fmt: skip


def _or(values: list[Any], none: float, dtype: Any) -> Any:
    return np.asarray([none if v is None else v for v in values], dtype=dtype)
