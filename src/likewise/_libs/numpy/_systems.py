"""The root of one system of equations by SciPy's MINPACK, or, without SciPy, by Newton's steps.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._ways import solve, works

_CONVERGED = 1  # the solvers' outcome
_EPS = float(np.finfo(np.float64).eps)


def _length(v: Any) -> float:
    return math.sqrt(v @ v)


def _by_hybrj(fun: Any, jac: Any, x: Any, xtol: float) -> tuple[Any, Any, int, int]:
    """The end of MINPACK's steps, the values there, evaluations, MINPACK's code."""
    hybrj = scipy.optimize._minpack._hybrj
    x, told, code = hybrj(fun, jac, x.copy(), (), 1, 0, xtol, 100 * (len(x) + 1), 100.0, None)
    return x, told["fvec"], told["nfev"], code


def _by_root(fun: Any, jac: Any, x: Any, xtol: float) -> tuple[Any, Any, int, int]:
    """The same by SciPy's public function, with more around it."""
    found = scipy.optimize.root(fun, x, jac=jac, method="hybr", options={"xtol": xtol})
    return found.x, np.asarray(found.fun), found.nfev, found.status


def _finds(way: Callable[..., Any]) -> bool:
    jac = np.asarray([[2.0, 1.0], [0.0, 1.0]])
    x, f, calls, code = way(lambda v: jac @ v - 2, lambda v: jac, np.zeros(2), 1e-10)
    return code == 1 and calls > 1 and bool(np.all(np.abs([*(x - [0, 2]), *f]) < 1e-6))


def _by_newton(fun: Any, jac: Any, x: Any, xtol: float) -> tuple[Any, Any, int, int]:
    """The same by Newton's steps alone, as long as each halves the residuals."""
    f, length, enough = fun(x), math.inf, max(xtol, _EPS**0.5)
    square = f @ f
    for calls in range(2, 200):
        step = solve(jac(x), f)
        before, length, x = length, _length(step), x - step
        f, last = fun(x), square
        square = f @ f
        if not (length < before and square <= 0.25 * last):
            break  # also where there is no step
        if length <= enough * _length(x):  # the next one has all digits
            return x, f, calls, 1
    return x, f, 0, 0


try:
    import scipy.linalg
    import scipy.optimize

    _by_minpack = _by_hybrj if works(_by_hybrj, _finds) else _by_root
except ModuleNotFoundError:
    _by_minpack = _by_newton


def _solved(matrix: Any, right: Any) -> Any:
    """The solution; None where there is none."""
    if _by_minpack is not _by_newton:
        _, _, x, singular = scipy.linalg.lapack.dgesv(matrix, right)
    else:
        x = solve(matrix, right)
        singular = not math.isfinite(x @ x)
    return None if singular else x


def root(x: Any, system: Any, row: Any, run: Any) -> Any:
    start, tol = x[0], run.xtol(x)
    fun, jac = system.one(start)
    x, f, found, code = _by_minpack(fun, jac, start, tol)
    calls = found
    if code != 1 or not all(map(math.isfinite, f.tolist())):
        return NotImplemented
    if f.any():  # by Newton's next step it is a root, and better
        step = _solved(jac(x), f)
        if step is None or not _length(step) <= tol * _length(x):
            return NotImplemented
        beyond = fun(x - step)
        calls += 1
        if beyond @ beyond <= f @ f:
            x, f = x - step, beyond
    return x[None, :], f[None, :], *(np.asarray([n], np.int32) for n in (_CONVERGED, found, calls))
