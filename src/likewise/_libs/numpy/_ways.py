"""Ways into NumPy and SciPy that aren't public: used where they do what they once did."""

from collections.abc import Callable
from typing import Any

import numpy as np


def works(way: Callable[..., Any], trial: Callable[[Callable[..., Any]], bool]) -> bool:
    """Tell if a way in passes a trial."""
    try:
        return trial(way)
    except Exception:  # another signature, fewer results or others
        return False


def _by_gufunc(matrix: Any, right: Any) -> Any:
    """The solution of equations, without checks, which take half the time; NaN if there is none."""
    return np.linalg._umath_linalg.solve1(matrix, right)


def by_numpy(matrix: Any, right: Any) -> Any:
    """Return the same by NumPy's public function."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return np.full_like(right, np.nan)


def _solves(way: Callable[..., Any]) -> bool:
    matrix, right = np.asarray([[2.0, 1.0], [1.0, 3.0]]), np.asarray([4.0, 7.0])
    with np.errstate(all="ignore"):
        none = way(np.ones((2, 2)), right)
    return bool(np.all(way(matrix, right) == by_numpy(matrix, right)) and np.all(none != none))


solve = _by_gufunc if works(_by_gufunc, _solves) else by_numpy


# -- MINPACK's least squares -----------------------------------------------------------------------


def _by_lmder(
    residuals: Any, columns: Any, x: Any, ftol: float, xtol: float, gtol: float, most: int
) -> tuple[Any, dict[str, Any], int]:
    """The end of MINPACK's steps, what it tells, MINPACK's code; no more around them."""
    lmder = scipy.optimize._minpack._lmder
    x, told, code = lmder(
        residuals, columns, x.copy(), (), 1, 1, ftol, xtol, gtol, most, 100.0, None
    )
    return x, told, code


def _by_leastsq(
    residuals: Any, columns: Any, x: Any, ftol: float, xtol: float, gtol: float, most: int
) -> tuple[Any, dict[str, Any], int]:
    """The same by SciPy's public function."""
    x, _, told, _, code = scipy.optimize.leastsq(
        residuals, x, (), columns, True, True, ftol, xtol, gtol, most
    )
    return x, told, code


def _fits(way: Callable[..., Any]) -> bool:
    jac = np.asarray([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    y = np.asarray([1.0, 2.0, 3.0])
    x, told, code = way(lambda v: v @ jac - y, lambda v: jac, np.zeros(2), 1e-8, 1e-8, 0.0, 100)
    counted = told["nfev"] > 1 and told["njev"] >= 1
    right = np.all(np.abs([*(x - y[:2]), *told["fvec"]]) < 1e-6)
    return 1 <= code <= 4 and counted and bool(right)


by_minpack: Callable[..., tuple[Any, dict[str, Any], int]] | None = None
try:
    import scipy.optimize

    by_minpack = _by_lmder if works(_by_lmder, _fits) else _by_leastsq
except ModuleNotFoundError:  # there are steps of our own
    pass
