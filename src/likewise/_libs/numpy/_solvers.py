"""SciPy's solvers for one problem: what rows call where SciPy is installed.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

import math
from typing import Any

import numpy as np
import scipy.optimize
from scipy.linalg import lapack

from ...errors import LikewiseError

# The solvers' outcomes; of MINPACK's codes.
_CONVERGED, _BAD_BRACKET = 1, -3
_OF_MINPACK = {1: 3, 2: 4, 3: 3, 4: 2}
_OF_LEAST_SQUARES = {1: 2, 2: 3, 3: 4, 4: 5}
_EPS = float(np.finfo(np.float64).eps)
_FAR = float(np.finfo(np.float64).max) ** 0.25  # squares of what is smaller are numbers


def nnls(a: Any, b: Any, most: int) -> Any:
    try:
        x, rnorm = scipy.optimize.nnls(a, b, maxiter=most)
    except (ValueError, RuntimeError):  # not finite; too many steps
        return NotImplemented
    return x, np.asarray(rnorm)


def _of_the_user(error: ValueError) -> bool:
    """Tell if an error is of the user's function, or of what it returned, and not of SciPy."""
    return isinstance(error, LikewiseError) or bool(getattr(error, "__notes__", ()))


def bracketed(first: Any, lanes: Any, fun: Any, way: Any) -> Any:
    f = fun.of_numbers(lanes.args)
    a, b = (p.item() for p in lanes.points)
    solver = getattr(scipy.optimize, way.method)
    try:
        x, told = solver(
            lambda x: f(np.float64(x)), a, b, (), way.xtol, way.rtol, way.most, True, False
        )
    except ValueError as error:
        if _of_the_user(error):
            raise
        if "different signs" not in str(error):  # NaN on the way
            return NotImplemented
        counts = (_BAD_BRACKET, 2, 0)
        return np.asarray(np.nan), *(np.asarray(n, np.int32) for n in counts)
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
    value, gradient = objective.of_one(x0[0], row.gradient)
    found = scipy.optimize.minimize(
        value,
        x0[0],
        method=row.name,
        jac=gradient,
        bounds=bounds,
        options=options,
    )
    if not (found.success and np.isfinite(found.fun) and np.all(np.isfinite(found.x))):
        return NotImplemented
    gradient = np.asarray(found.jac)[None, :] if row.gradient else None
    counts = (_CONVERGED, found.nit, found.nfev, found.get("njev", 0))
    # Of a start that is a minimum SciPy has the identity in whole numbers.
    inverse = np.asarray(found.hess_inv, x0.dtype)[None, ...] if row.inverse else None
    return (
        found.x[None, :],
        np.asarray([found.fun]),
        gradient,
        *(np.asarray([n], np.int32) for n in counts),
        inverse,
    )


def fit(y: Any, asked: Any, how: Any) -> Any:
    one = how.alone(y, asked)
    if one is None:
        return NotImplemented
    weight, calls = one.weight, [0]

    def residuals(v: Any) -> Any:
        r = one.values(v.copy()) - y  # MINPACK writes to it
        return r if weight is None else r * weight

    def columns(v: Any) -> Any:
        calls[0] += 1
        c = one.columns(v.copy())
        return c if weight is None else c * weight

    ftol, xtol, gtol, most = one.tests
    with np.errstate(all="ignore"):
        try:
            x, *_, code = scipy.optimize.leastsq(
                residuals, one.start, (), columns, True, True, ftol, xtol, gtol, most
            )
            end = _polished(residuals, columns, x, one.start, xtol)
        except Exception:  # of the user's function: it will be raised again, and explained
            return NotImplemented
        if code not in _OF_MINPACK or end is None:
            return NotImplemented
        x, r, root = end
        rss, pcov = r @ r, root @ root.T
        chi2 = rss / (r.shape[0] - x.shape[0])
        if not one.absolute_sigma:
            pcov = pcov * chi2
        share = 1 - rss / _spread(y, weight)
    counts = (calls[0] - 1, _OF_MINPACK[code])
    return x, pcov, *map(np.asarray, (rss, chi2, share)), *(np.asarray(k, np.int32) for k in counts)


def _polished(residuals: Any, columns: Any, x: Any, start: Any, xtol: float) -> Any:
    """The end of Gauss and Newton's steps, residuals there, and a root of ``(J^T J)^-1``.

    Sums of squares, by which MINPACK ends, tell half the digits. None where these steps don't end,
    or the data don't determine the parameters well.
    """
    before = math.inf
    for _ in range(8):
        r, jac = residuals(x), columns(x)
        found = _root(jac, x, start)
        if found is None:
            return None
        root, unit = found
        move = root @ ((jac @ r) @ root)
        small = _length(move * unit) / (_length(x * unit) or 1.0)
        x, rate = x - move, 1.0 if before == math.inf else small / before
        slow = rate > 0.5 and before < math.inf  # it is rounding that is left, or no solution
        if slow or rate * small <= xtol:
            return (x, r, root) if small <= _EPS**0.5 else None
        before = small
    return None


def _length(v: Any) -> float:
    return math.sqrt(v @ v)


def _root(columns: Any, x: Any, start: Any) -> Any:
    """A root of ``(J^T J)^-1``, and the columns' norms; None where that is not well determined.

    That is where a change of some parameters by their own size changes little of what others do.
    """
    normal = columns @ columns.T
    norms = np.sqrt(normal.diagonal())
    effects = norms * np.maximum(np.abs(x), np.where(start == 0, 1.0, np.abs(start)))
    factor, info = lapack.dpotrf(normal / (norms[:, None] * norms), 1)
    if info:
        return None
    pivots = factor.diagonal()  # their squares are
    if not (pivots.min() > _EPS**0.125 and (pivots * effects).min() > _EPS**0.25 * effects.max()):
        return None
    return (lapack.dtrtri(factor, 1)[0] / norms).T, norms


def _spread(y: Any, weight: Any) -> Any:
    """The weighted sum of squares of the data around their mean; NaN where it is 0."""
    if weight is not None:
        mean = (weight @ (y * weight)) / (weight @ weight)
        off = (y - mean) * weight
    else:
        off = y - np.mean(y)
    spread = off @ off
    return spread if spread > 0 else np.nan


def root(x: Any, system: Any, row: Any, run: Any) -> Any:
    fun, jac = system.one[0], system.one[1](x[0])
    tol = run.xtol(x)
    found = scipy.optimize.root(fun, x[0], jac=jac, method="hybr", options={"xtol": tol})
    x, f = found.x, np.asarray(found.fun)
    calls = found.nfev
    if not (found.success and np.all(np.isfinite(f))):
        return NotImplemented
    if np.any(f):  # by Newton's next step it is a root, and better
        try:
            step = np.linalg.solve(jac(x), f)
        except np.linalg.LinAlgError:
            return NotImplemented
        if not _length(step) <= tol * _length(x):
            return NotImplemented
        beyond = fun(x - step)
        calls += 1
        if beyond @ beyond <= f @ f:
            x, f = x - step, beyond
    counts = (_CONVERGED, found.nfev, calls)
    return x[None, :], f[None, :], *(np.asarray([n], np.int32) for n in counts)


def least_squares(x: Any, system: Any, limits: Any, setting: Any, x_scale: Any, by_lm: bool) -> Any:
    fun, jac = setting.system.one[0], setting.system.one[1](x[0])
    ftol, xtol, gtol, most, _ = setting.tolerances
    method = "lm" if by_lm else "trf"
    try:
        found = scipy.optimize.least_squares(
            fun, x[0], jac, method=method, ftol=ftol, xtol=xtol, gtol=gtol, max_nfev=most
        )
    except ValueError as error:  # not finite, at the start or on the way
        if _of_the_user(error):
            raise
        return NotImplemented
    sizes = np.abs(np.concatenate([found.x, np.max(np.abs(found.jac), axis=0)]))
    ordinary = np.all((sizes == 0) | ((sizes < _FAR) & (sizes > 1 / _FAR)))
    if found.status not in _OF_LEAST_SQUARES or not (ordinary and np.isfinite(found.cost)):
        return NotImplemented
    level = np.max(np.abs(found.grad))
    # SciPy takes a trust region that is too small yet for convergence.
    sizes = np.linalg.norm(found.jac, axis=0) * _length(found.fun)
    if not (level < gtol or np.all(np.abs(found.grad) <= _EPS**0.25 * sizes)):
        return NotImplemented
    values = (found.x, found.cost, found.fun, found.jac, found.grad, level)
    mask = np.zeros((1, x.shape[1]), np.int32)
    counts = (found.nfev, found.njev or found.nfev, _OF_LEAST_SQUARES[found.status])
    return (
        *(np.asarray(v)[None, ...] for v in values),
        mask,
        *(np.asarray([n], np.int32) for n in counts),
    )
