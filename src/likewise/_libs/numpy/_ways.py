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
