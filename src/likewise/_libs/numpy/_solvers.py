"""SciPy's solvers for one problem: what rows call where SciPy is installed.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from ...errors import LikewiseError
from ._differences import differenced
from ._interpolating import interpolating, watched
from ._sequential import sequential
from ._ways import by_minpack, works

# The solvers' outcomes.
_CONVERGED, _LIMIT, _BAD_BRACKET = 1, -1, -3
_LIMITS = {"Nelder-Mead": (1, 2), "Powell": (1, 2), "TNC": (3,)}  # statuses; of others 1
_OF_LEAST_SQUARES = {1: 2, 2: 3, 3: 4, 4: 5}
_OF_MINPACK = {1: 3, 2: 4, 3: 5, 4: 2}
_BY_PRODUCTS = "Newton-CG", "trust-krylov", "trust-ncg"
_BY_MATRICES = "dogleg", "trust-exact"
_EPS = float(np.finfo(np.float64).eps)
_LEFT = 1e-3  # a slope, relative to the value, beside which an end may be none
_STEEP = 1e-5  # a slope that is no minimum's
_FAR = float(np.finfo(np.float64).max) ** 0.25  # squares of what is smaller are numbers


def _of_the_user(error: ValueError) -> bool:
    """Tell if an error is of the user's function, or of what it returned, and not of SciPy."""
    return isinstance(error, LikewiseError) or bool(getattr(error, "__notes__", ()))


def _by_zeros(
    method: str, f: Any, a: float, b: float, xtol: float, rtol: float, most: int
) -> tuple[float, int, int, int]:
    """The root, evaluations, iterations, 0 if converged; with no more around SciPy's steps."""
    solver = getattr(scipy.optimize._zeros, f"_{method}")
    x, calls, steps, flag = solver(f, a, b, xtol, rtol, most, (), True, False)
    return x, calls, steps, flag


def _by_public(
    method: str, f: Any, a: float, b: float, xtol: float, rtol: float, most: int
) -> tuple[float, int, int, int]:
    """The same by SciPy's public functions."""
    x, told = getattr(scipy.optimize, method)(f, a, b, (), xtol, rtol, most, True, False)
    return x, told.function_calls, told.iterations, 0 if told.converged else -2


def _finds(way: Callable[..., Any]) -> bool:
    tests = (1e-9, 1e-12, 100)
    found = [way(m, lambda x: x - 0.7, 0.0, 2.0, *tests) for m in ("brentq", "brenth")]
    found.append(way("bisect", lambda x: x - 0.7, 0.0, 2.0, *tests))
    right = all(abs(x - 0.7) < 1e-8 and c >= 3 and n and not f for x, c, n, f in found)
    return right and way("brentq", lambda x: x - 0.7, 0.0, 2.0, 1e-9, 1e-12, 1)[3] != 0


_in_bracket = _by_zeros if works(_by_zeros, _finds) else _by_public


class _NotANumber(ValueError):
    """A function's value is NaN."""


def bracketed(first: Any, lanes: Any, fun: Any, way: Any) -> Any:
    f = fun.of_numbers(lanes.args)
    a, b = (p.item() for p in lanes.points)
    if not way.xtol > 0 or not way.rtol >= 4 * _EPS:
        return NotImplemented

    def value(x: float) -> float:
        y: float = f(np.float64(x))
        if y != y:
            raise _NotANumber
        return y

    try:
        x, calls, steps, flag = _in_bracket(way.method, value, a, b, way.xtol, way.rtol, way.most)
    except ValueError as error:
        if _of_the_user(error):
            raise
        if "different signs" not in str(error):
            return NotImplemented
        counts = (_BAD_BRACKET, 2, 0)
        return np.asarray(np.nan), *(np.asarray(n, np.int32) for n in counts)
    if flag:
        return NotImplemented
    counts = (_CONVERGED, calls, steps)
    return np.asarray(x), *(np.asarray(n, np.int32) for n in counts)


def minimized(x0: Any, problem: Any, objective: Any, teller: Any) -> Any:
    rows, row, options = problem.rows, problem.row, dict(problem.options)
    if row.constrained:
        return (sequential if row.gradient else interpolating)(x0, problem, objective)
    bounds = None
    if rows.lower is not None:
        bounds = scipy.optimize.Bounds(rows.lower[0], rows.upper[0])
    if rows.simplex is not None:
        options["initial_simplex" if "initial_simplex" in row.options else "direc"] = rows.simplex[
            0
        ]
    # -1 is SciPy's own, too, in the type of its default.
    own = {name: type(value)(-1) for name, value in row.options.items() if value == -1}
    options |= {name: value for name, value in own.items() if options[name] is None}
    if "subproblem_maxiter" in options:  # older releases have its default alone
        most = options.pop("subproblem_maxiter")
        options |= {"subproblem_maxiter": most} if most != row.options["subproblem_maxiter"] else {}
    fun, gradient = objective.of_one(x0[0], row.gradient)
    differs = row.gradient and gradient is None
    if differs and row.name in _BY_PRODUCTS + _BY_MATRICES:
        return NotImplemented
    if differs:
        sides = (np.full(x0.shape[1], side) for side in (-np.inf, np.inf))
        lower, upper = sides if bounds is None else (bounds.lb, bounds.ub)
        fun, gradient = differenced(fun, lower, upper, objective.diff_step)
        if row.name == "L-BFGS-B":  # whose limit is of all evaluations
            options["maxfun"] = options["maxfun"] // objective.cost(x0.shape[1])
    value, lost = watched(fun)
    hess = hessp = None
    if row.name in _BY_PRODUCTS + _BY_MATRICES:
        hess, hessp = objective.curvature_of_one(x0[0], row.name in _BY_MATRICES)
        if hess is None and row.name in _BY_MATRICES:
            return NotImplemented
    given = {"hess": hess, "hessp": hessp, "bounds": bounds, "options": options}
    try:
        found = scipy.optimize.minimize(value, x0[0], method=row.name, jac=gradient, **given)
    except ValueError as error:  # of matrices that aren't finite
        if _of_the_user(error):
            raise
        return NotImplemented
    # Where values alone are known, the other way would get no farther with as many more.
    full = not found.success and (differs or not row.gradient)
    full = full and found.status in _LIMITS.get(row.name, (1,))
    good = (found.success or full) and np.isfinite(found.fun) and np.all(np.isfinite(found.x))
    if not good or (row.gradient and "jac" not in found):  # if bounds hold all unknowns
        return NotImplemented
    gradient = np.asarray(found.jac)[None, :] if row.gradient else None
    if not (gradient is None or np.isfinite(gradient).all()):
        return NotImplemented
    # Lines that end next to what isn't finite may mislead it.
    if lost and not full and (row.name == "Powell" or (row.gradient and _steep(found, bounds))):
        return NotImplemented
    if row.name == "Newton-CG" and _straight(found, hess, hessp):
        return NotImplemented
    slopes = found.get("njev", found.nfev if row.gradient else 0)  # of TNC they come together
    slopes += found.get("nhev", 0) if hess or hessp else 0
    calls = found.nfev
    if differs:
        assert gradient is not None  # these methods have one
        calls += slopes * x0.shape[1]
        gradient = np.where(lower == upper, np.nan, gradient)
    counts = (_LIMIT if full else _CONVERGED, found.nit, calls, slopes)
    # Of a start that is a minimum SciPy has the identity in whole numbers.
    inverse = np.asarray(found.hess_inv, x0.dtype)[None, ...] if row.inverse else None
    return (
        found.x[None, :],
        np.asarray([found.fun]),
        gradient,
        *(np.asarray([n], np.int32) for n in counts),
        inverse,
        *(None,) * 8,
    )


def _steep(found: Any, bounds: Any) -> bool:
    """Tell if the gradient leads on, within bounds."""
    x, g = found.x, np.asarray(found.jac)
    if bounds is not None:
        held = ((x <= bounds.lb) & (g > 0)) | ((x >= bounds.ub) & (g < 0))
        g = np.where(held, 0.0, g)
    return bool(np.abs(g).max() > _LEFT * (1 + abs(found.fun)))


def _straight(found: Any, hess: Any, hessp: Any) -> bool:
    """Tell if Newton-CG ends on a slope: where that doesn't bend, its step is 0."""
    g = found.jac
    if np.abs(g).max() <= _STEEP:
        return False
    bent = g @ (hess(found.x) @ g if hess else hessp(found.x, g))
    return bool(bent <= 3 * _EPS)  # as SciPy compares them


def isotonic(y: Any, weights: Any, increasing: bool) -> Any:
    if not (np.isfinite(y).all() and np.isfinite(weights).all()):
        return NotImplemented
    found = scipy.optimize.isotonic_regression(y, weights=weights, increasing=increasing)
    return found.x, found.weights, found.blocks, np.int32(_CONVERGED)


def _length(v: Any) -> float:
    return math.sqrt(v @ v)


def _by_lm(fun: Any, jac: Any, x: Any, *tests: Any) -> tuple[Any, Any, int, int, int]:
    """The end of MINPACK's steps, the residuals, evaluations of both, the outcome or 0."""
    assert by_minpack is not None  # SciPy is there
    # MINPACK keeps its own residuals in the first array that it is given.
    end, told, code = by_minpack(lambda v: np.array(fun(v)), lambda v: jac(v).T, x, *tests)
    return end, told["fvec"], told["nfev"], told["njev"], _OF_MINPACK.get(code, 0)


def least_squares(x: Any, system: Any, limits: Any, setting: Any, x_scale: Any, by_lm: bool) -> Any:
    fun, jac = setting.system.one(x[0])
    ftol, xtol, gtol, most, _ = setting.tolerances
    try:
        if by_lm:
            end, f, calls, slopes, code = _by_lm(fun, jac, x[0], ftol, xtol, gtol, most)
            matrix = np.array(jac(end))  # that may be a buffer of the caller's
        else:
            found = scipy.optimize.least_squares(
                fun, x[0], jac, ftol=ftol, xtol=xtol, gtol=gtol, max_nfev=most
            )
            f, matrix = np.array(found.fun), np.array(found.jac)
            end, calls, slopes = found.x, found.nfev, found.njev
            code = _OF_LEAST_SQUARES.get(found.status, 0)
    except ValueError as error:  # not finite, at the start or on the way
        if _of_the_user(error):
            raise
        return NotImplemented
    grad, cost = f @ matrix, 0.5 * (f @ f)
    sizes = np.abs(np.concatenate([end, np.maximum.reduce(np.abs(matrix), 0)]))
    ordinary = np.all((sizes == 0) | ((sizes < _FAR) & (sizes > 1 / _FAR)))
    if not (code and ordinary and math.isfinite(cost)):
        return NotImplemented
    levels = np.abs(grad)
    level = np.maximum.reduce(levels)
    # SciPy takes a trust region that is too small yet for convergence.
    # Else the residuals that steps could take away are few in parts of all, or rounding of what the
    # unknowns make of them.
    norms = np.sqrt(np.add.reduce(matrix * matrix, 0))
    least = _EPS**0.25 * _length(f) + 10 * _EPS * _length(norms * end)
    if not (level < gtol or np.all(levels <= least * norms)):
        return NotImplemented
    values = (end, cost, f, matrix, grad, level)
    mask = np.zeros((1, x.shape[1]), np.int32)
    counts = (calls, slopes, code)
    return (
        *(np.asarray(v)[None, ...] for v in values),
        mask,
        *(np.asarray([n], np.int32) for n in counts),
    )
