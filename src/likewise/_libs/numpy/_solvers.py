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
