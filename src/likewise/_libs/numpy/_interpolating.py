"""COBYLA and COBYQA of one problem by SciPy, with multipliers at the end.

NotImplemented stands for whatever is no plain success: the caller has another way.
"""

import math
import threading
from typing import Any

import numpy as np
import scipy.optimize

from ...errors import TransformError
from ._differences import differenced

__all__ = ["interpolating", "watched"]

_CONVERGED, _LIMIT = 1, -1
_MANY = 10**6  # evaluations, for which SciPy may keep memory
_FLAT = 30.0  # times the root of the last radius: what is left of the gradient, relative to it
_LEAST, _MOST = 1e-2, 0.3  # the bounds of that
_NEAR = 10.0  # of the last radius, how near to a side a row is active


class _Thread(threading.local):
    """Tell if this thread is in a search: within one, SciPy's COBYQA would wait for itself."""

    busy = False


_THREAD = _Thread()


def _odd(rows: Any) -> bool:
    """Tell if what is given has NaN, or a fixed unknown: SciPy ends in errors of its own, then."""
    x, low, high, matrix = rows.x0, rows.low, rows.high, rows.matrix
    if not np.isfinite(x).all() or (matrix is not None and not np.isfinite(matrix).all()):
        return True
    if low is not None and (np.isnan(low).any() or np.isnan(high).any()):
        return True
    return rows.lower is not None and bool((rows.lower == rows.upper).any())


def watched(fun: Any) -> tuple[Any, list[float]]:
    """Return the function of x, and the list of its values that aren't finite, as they come."""
    lost: list[float] = []

    def value(x: Any) -> Any:
        f = fun(x)
        if not math.isfinite(f):
            lost.append(f)
        return f

    return value, lost


def interpolating(x0: Any, problem: Any, objective: Any) -> Any:
    """Return the fields of the result of `minimize`, for one problem x0 (1, p)."""
    rows, x, known = problem.rows, x0[0], objective.constraints
    options = {name: value for name, value in problem.options.items() if value is not None}
    most = options.get("maxfev", options["maxiter"])
    if _THREAD.busy or most > _MANY or _odd(rows):
        return NotImplemented
    if options["f_target"] == -np.inf:  # which older releases of SciPy's COBYLA don't know
        del options["f_target"]
    fun = objective.of_one(x, False)[0]
    value, lost = watched(fun)  # SciPy has numbers of its own for them
    box, slope, limits = None, None, []
    lower, upper = np.full(x.size, -np.inf), np.full(x.size, np.inf)
    if rows.lower is not None:
        lower, upper = rows.lower[0], rows.upper[0]
        box = scipy.optimize.Bounds(lower, upper)
    if known is not None and known.count:
        exact = objective.with_exact_gradient()
        low, high = rows.low[0], rows.high[0]
        matrix = None if rows.matrix is None else rows.matrix[0]
        values, slopes = exact.constraints.of_one(x, matrix)
        try:
            _, slope = exact.of_one(x, True)
            slope(x), slopes(x)
        except TransformError:  # of what can't be followed: by differences, at the end alone
            slope, slopes = (differenced(f, lower, upper)[1] for f in (fun, values))
        linear = np.asarray(known.linear)
        curved = np.flatnonzero(~linear)
        if curved.size < linear.size:
            limits.append(scipy.optimize.LinearConstraint(matrix, low[linear], high[linear]))
        if curved.size:
            limits.append(
                scipy.optimize.NonlinearConstraint(
                    lambda x: values(x)[curved], low[curved], high[curved]
                )
            )
    _THREAD.busy = True
    try:
        found = scipy.optimize.minimize(
            value, x, method=problem.row.name, bounds=box, constraints=limits, options=options
        )
    finally:
        _THREAD.busy = False
    end = np.minimum(np.maximum(found.x, lower), upper)
    full = found.nfev >= most or found.get("nit", 0) >= options["maxiter"]
    if lost or not (np.isfinite(found.fun) and np.isfinite(end).all() and (found.success or full)):
        return NotImplemented
    status = _CONVERGED if found.success else _LIMIT
    # Of COBYLA, whose iterations aren't told, evaluations after the first set of points.
    nit = found.get("nit", max(found.nfev - x.size - 1, 0))
    y, z, worst = None, None, 0.0
    if slope is not None:
        at = values(end)
        if not np.isfinite(at).all():
            return NotImplemented
        worst = max(0.0, float(np.max(low - at)), float(np.max(at - high)))
        allowed = options.get("feasibility_tol", options.get("catol", 2.0**-26))
        if found.success and worst > allowed:
            return NotImplemented
        last = options["tol" if "tol" in options else "final_tr_radius"]
        g, jac = np.asarray(slope(end)), np.asarray(slopes(end))
        y, z = _multipliers(g, jac, at, low, high, end, lower, upper, last)
        # SciPy's steps end where no minimum is, too.
        flat = min(max(_LEAST, _FLAT * last**0.5), _MOST)
        left = np.abs(g - y @ jac - z).max()
        if found.success and not left <= flat * (1 + np.abs(g).max()):
            return NotImplemented
    counts = (status, nit, found.nfev, 0)
    return (
        end[None, :],
        np.asarray([found.fun]),
        None,
        *(np.asarray([n], np.int32) for n in counts),
        None,
        *(None if a is None else a[None, ...] for a in (y, z)),
        np.asarray([worst]),
    )


def _multipliers(
    g: Any, jac: Any, at: Any, low: Any, high: Any, x: Any, lower: Any, upper: Any, last: float
) -> tuple[Any, Any]:
    """The multipliers of constraints and bounds that are nearest to stationarity."""
    near = _NEAR * last * (1 + np.sqrt(np.add.reduce(jac * jac, 1)))
    below = np.concatenate([at - low <= near, x - lower <= _NEAR * last])
    above = np.concatenate([high - at <= near, upper - x <= _NEAR * last])
    matrix = np.concatenate([jac, np.eye(x.size)])
    y = np.zeros(below.size)
    active = np.flatnonzero(below | above)
    if active.size and np.isfinite(matrix).all() and np.isfinite(g).all():
        signs = np.where(above, -np.inf, 0.0)[active], np.where(below, np.inf, 0.0)[active]
        y[active] = scipy.optimize.lsq_linear(matrix[active].T, g, signs).x
    return y[: at.size], y[at.size :]
