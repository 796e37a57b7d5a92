"""SciPy's solvers for one problem: what rows call where SciPy is installed.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

from typing import Any

import numpy as np
import scipy.optimize

_CONVERGED = 1  # the solvers' outcome


def nnls(a: Any, b: Any, most: int) -> Any:
    try:
        x, rnorm = scipy.optimize.nnls(a, b, maxiter=most)
    except (ValueError, RuntimeError):  # not finite; too many steps
        return NotImplemented
    return x, np.asarray(rnorm)


def bracketed(first: Any, lanes: Any, fun: Any, way: Any) -> Any:
    f = fun.of_numbers(lanes.args)
    a, b = (p.item() for p in lanes.points)
    solver = getattr(scipy.optimize, way.method)
    try:
        x, told = solver(
            lambda x: f(np.float64(x)), a, b, (), way.xtol, way.rtol, way.most, True, False
        )
    except ValueError:  # no change of sign
        return NotImplemented
    if not told.converged:
        return NotImplemented
    counts = (_CONVERGED, told.function_calls, told.iterations)
    return np.asarray(x), *(np.asarray(n, np.int32) for n in counts)


def minimized(x0: Any, problem: Any, objective: Any, told: Any) -> Any:
    rows, row, options = problem.rows, problem.row, dict(problem.options)
    bounds = None
    if rows.lower is not None:
        bounds = scipy.optimize.Bounds(rows.lower[0], rows.upper[0])
    if rows.simplex is not None:
        options["initial_simplex"] = rows.simplex[0]
    found = scipy.optimize.minimize(
        objective.of_one(row.gradient),
        x0[0],
        method=row.name,
        jac=row.gradient or None,
        bounds=bounds,
        options=options,
    )
    if not (found.success and np.isfinite(found.fun) and np.all(np.isfinite(found.x))):
        return NotImplemented
    gradient = np.asarray(found.jac)[None, :] if row.gradient else None
    counts = (_CONVERGED, found.nit, found.nfev, found.get("njev", 0))
    inverse = found.hess_inv[None, ...] if row.inverse else None
    return (
        found.x[None, :],
        np.asarray([found.fun]),
        gradient,
        *(np.asarray([n], np.int32) for n in counts),
        inverse,
    )
