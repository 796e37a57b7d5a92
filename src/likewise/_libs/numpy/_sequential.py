"""SLSQP of one problem: SciPy's compiled steps, with the functions that solvers call.

NotImplemented stands for whatever is no plain success: the caller has another way.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from ._differences import differenced
from ._ways import works

__all__ = ["sequential"]

_CONVERGED, _LIMIT = 1, -1
_FLAT = 30.0  # times the root of the tolerance: what is left of the gradient, relative to it
_LEAST = 1e-4  # the least of that


class Functions(NamedTuple):
    """Hold what is called; equalities come first among the rows."""

    value: Callable[[Any], Any]
    gradient: Callable[[Any], Any]
    rows: Callable[[Any], Any]  # (m,): 0, or at least 0
    normals: Callable[[Any], Any]  # (m, n)
    equal: int  # how many are 0
    total: int  # m


class End(NamedTuple):
    x: Any
    f: Any
    g: Any
    y: Any  # multipliers of the rows
    good: bool
    full: bool  # all iterations were taken
    nit: int
    nfev: int
    njev: int


def _by_steps(functions: Functions, x0: Any, lower: Any, upper: Any, ftol: float, most: int) -> End:
    """SciPy's compiled steps, and one more for the multipliers at the end."""
    step = scipy.optimize._slsqplib.slsqp
    value, gradient, rows, normals, equal, m = functions
    n, x = x0.size, x0.copy()
    state: dict[str, Any] = dict.fromkeys("alpha f0 gs h1 h2 h3 h4 t t0".split(), 0.0)
    state |= dict.fromkeys(("exact", "inconsistent", "reset", "iter", "line", "mode"), 0)
    state |= {"acc": ftol, "tol": 10.0 * ftol, "itermax": most, "m": m, "meq": equal, "n": n}
    size = n * (n + 1) // 2 + 3 * m * n - (m + 5 * n + 7) * equal + 9 * m + 8 * n * n + 35 * n
    size += equal * equal + 28 + (2 * n * (n + 1) if m == equal else 0)
    buffer, indices = np.zeros(max(size, 1)), np.zeros(m + 2 * n + 2, np.int32)
    mult, c, d = np.zeros(m + 2 * n + 2), np.zeros((max(1, m), n), order="F"), np.zeros(max(1, m))
    there = np.isfinite(lower), np.isfinite(upper)
    sides = np.where(there[0], lower, np.nan), np.where(there[1], upper, np.nan)
    bounded = bool(there[0].any() or there[1].any())
    f, g = float(value(x)), np.array(gradient(x))
    if m:
        c[...], d[...] = normals(x), rows(x)
    if not (math.isfinite(f) and np.isfinite(g).all() and np.isfinite(d).all()):
        return End(x, f, g, mult[:m], False, False, 0, 1, 1)
    nfev = njev = 1
    fresh = True
    while True:
        step(state, f, g, c, d, x, mult, *sides, buffer, indices)
        mode = state["mode"]
        if mode == 1:
            at = np.minimum(np.maximum(x, lower), upper) if bounded else x
            f, nfev, fresh = float(value(at)), nfev + 1, False
            if m:
                d[...] = rows(at)
        elif mode == -1:
            g, njev, fresh = np.array(gradient(x)), njev + 1, True
            if m:
                c[...] = normals(x)
        else:
            break
    good, nit, y = mode == 0, state["iter"], mult
    if good and not fresh:
        g, njev = np.array(gradient(x)), njev + 1
        if m:
            c[...] = normals(x)
        state["mode"], beyond, y = -1, x.copy(), mult.copy()
        step(state, f, g, c, d, beyond, y, *sides, buffer, indices)
    return End(x, f, g, y[:m], good, mode == 9, nit, nfev, njev)


def _by_public(
    functions: Functions, x0: Any, lower: Any, upper: Any, ftol: float, most: int
) -> End:
    """The same by SciPy's public function, with multipliers of the last but one point."""
    value, gradient, rows, normals, equal, m = functions

    def part(kind: str, some: slice) -> dict[str, Any]:
        return {"type": kind, "fun": lambda x: rows(x)[some], "jac": lambda x: normals(x)[some]}

    known = [part("eq", slice(0, equal))] * (equal > 0)
    known += [part("ineq", slice(equal, m))] * (m > equal)
    found = scipy.optimize.minimize(
        value,
        x0,
        jac=gradient,
        method="SLSQP",
        bounds=scipy.optimize.Bounds(lower, upper),
        constraints=known,
        options={"ftol": ftol, "maxiter": most},
    )
    good = bool(found.success) and (not m or "multipliers" in found)
    y = np.asarray(found.get("multipliers", np.zeros(m)))
    counts = (found.nit, found.nfev, found.njev + 1)
    return End(found.x, found.fun, np.array(gradient(found.x)), y, good, found.status == 9, *counts)


def _solves(way: Callable[..., Any]) -> bool:
    """Try a minimum on a line and at a bound."""
    functions = Functions(
        lambda x: (x[0] - 1.0) ** 2 + (x[1] - 2.0) ** 2 + x[0] * x[1],
        lambda x: np.asarray([2 * (x[0] - 1) + x[1], 2 * (x[1] - 2) + x[0]]),
        lambda x: np.asarray([x[0] + x[1] - 2.5, 5.0 - x[0] ** 2]),
        lambda x: np.asarray([[1.0, 1.0], [-2 * x[0], 0.0]]),
        1,
        2,
    )
    ends = np.asarray([-np.inf, -np.inf]), np.asarray([np.inf, 1.5])
    end = way(functions, np.asarray([3.0, 0.0]), *ends, 1e-12, 50)
    right = np.abs(end.x - [1.0, 1.5]).max() < 1e-6 and np.abs(end.y - [1.5, 0.0]).max() < 1e-6
    few = way(functions, np.asarray([3.0, 0.0]), *ends, 1e-12, 1)
    return bool(end.good and right and not few.good and end.nfev >= 2 and end.nit >= 1)


_way = _by_steps if works(_by_steps, _solves) else _by_public


def sequential(x0: Any, problem: Any, objective: Any) -> Any:
    """Return the fields of the result of `minimize`, for one problem x0 (1, p)."""
    rows, x, known = problem.rows, x0[0], objective.constraints
    value, gradient = objective.of_one(x, True)
    lower, upper = np.full(x.size, -np.inf), np.full(x.size, np.inf)
    if rows.lower is not None:
        lower, upper = rows.lower[0], rows.upper[0]

    def of_values(fun: Any, relative: Any) -> Any:
        return differenced(fun, lower, upper, relative)

    if gradient is None:
        value, gradient = of_values(value, objective.diff_step)
    if known is None or not known.count:
        functions = Functions(value, gradient, lambda x: (), lambda x: (), 0, 0)
        take, sign, low, high = np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0)
    else:
        low, high = rows.low[0], rows.high[0]
        if np.isnan(low).any() or np.isnan(high).any():
            return NotImplemented
        levels = list(enumerate(zip(low.tolist(), high.tolist(), strict=True)))
        equal = [i for i, (a, b) in levels if a == b]
        below = [i for i, (a, b) in levels if a != b and a > -math.inf]
        above = [i for i, (a, b) in levels if a != b and b < math.inf]
        take = np.asarray([*equal, *below, *above], np.intp)
        sign = np.ones(take.size)
        sign[len(equal) + len(below) :] = -1.0
        side = np.concatenate([low[equal], low[below], high[above]])
        values, slopes = known.of_one(x, None if rows.matrix is None else rows.matrix[0], of_values)
        functions = Functions(
            value,
            gradient,
            lambda x: sign * (values(x)[take] - side),
            lambda x: sign[:, None] * slopes(x)[take],
            len(equal),
            take.size,
        )
        if not (above or side.any()) and take.tolist() == list(range(low.size)):
            functions = functions._replace(rows=values, normals=slopes)
    end = _way(functions, x, lower, upper, problem.options["ftol"], problem.options["maxiter"])
    x = np.minimum(np.maximum(end.x, lower), upper)
    largest = float(np.abs(end.g).max())
    # By differences, the other way would get no farther.
    full = end.full and objective.differs
    sane = math.isfinite(end.f) and np.isfinite(x).all() and largest < math.inf
    if not ((end.good or full) and sane):
        return NotImplemented
    y, worst, z = np.zeros(low.size), 0.0, end.g
    if functions.total:
        np.add.at(y, take, sign * end.y)
        at = values(x)
        worst = float(np.maximum(low - at, at - high).max())
        if math.isnan(worst):
            return NotImplemented
        z = end.g - y @ slopes(x)
    if (
        objective.differs
        and not full
        and end.f > (begin := float(value(x0[0]))) + 1e-9 * abs(begin)
    ):
        # Differences at a kink lead uphill: no minimum, unless rows drove it there.
        first = values(x0[0]) if functions.total else low
        apart = np.maximum(low - first, first - high).max(initial=0.0)
        if apart <= max(worst, 0.0) + problem.options["ftol"]:
            return NotImplemented
    rest = z
    z = np.where(x <= lower, np.maximum(z, 0.0), np.where(x >= upper, np.minimum(z, 0.0), 0.0))
    flat = max(_LEAST, _FLAT * problem.options["ftol"] ** 0.5)
    if not full and not np.abs(rest - z).max() <= flat * (
        1.0 + largest
    ):  # it ends without a minimum, too
        return NotImplemented
    g = end.g
    if objective.differs:  # of a fixed unknown there is no difference
        g, z = (np.where(lower == upper, np.nan, a) for a in (g, z))
    calls = end.nfev + end.njev * (objective.cost(x.size) - 1)
    counts = (_LIMIT if full else _CONVERGED, end.nit, calls, end.njev)
    return (
        x[None, :],
        np.asarray([end.f]),
        g[None, :],
        *(np.asarray([n], np.int32) for n in counts),
        None,
        y[None, :],
        z[None, :],
        np.asarray([max(0.0, worst)]),
        *(None,) * 5,
    )
