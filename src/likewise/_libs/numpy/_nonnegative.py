"""One problem of least squares within bounds: by SciPy, by block pivoting, or without bounds.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

import math
from typing import Any

import numpy as np

from ._ways import solve, works

_EPS = float(np.finfo(np.float64).eps)
_TRIES = 3  # exchanges that may pass without fewer unknowns to be exchanged


def _by_public(a: Any, b: Any, most: int) -> tuple[Any, float, int]:
    """The solution, the norm of the residuals, 3 if there were too many steps."""
    try:
        return *scipy.optimize.nnls(a, b, maxiter=most), 1
    except RuntimeError:
        return None, math.nan, 3


def _by_steps(a: Any, b: Any, most: int) -> tuple[Any, float, int]:
    """The same, without SciPy's checks, which take as long as ten unknowns."""
    found: tuple[Any, float, int] = scipy.optimize._nnls._nnls(a, b, most)
    return found


def _finds(way: Any) -> bool:
    a, b = np.asarray([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.asarray([2.0, 1.0, -1.0])
    x, rnorm, told = way(a, b, 20)
    right = np.all(np.abs([*(x - [1.5, 0.0]), rnorm - 1.5**0.5]) < 1e-12)
    return bool(right) and told != 3 and way(np.eye(4), np.ones(4), 1)[2] == 3


def _by_scipy(a: Any, b: Any, most: int) -> Any:
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if not math.isfinite(np.add.reduce(a, None)) or not math.isfinite(np.add.reduce(b)):
        return NotImplemented
    x, rnorm, told = _way(a, b, most)
    return NotImplemented if told == 3 else (x, np.float64(rnorm))


@np.errstate(all="ignore")
def _by_pivoting(a: Any, b: Any, most: int) -> Any:
    """The same as the general body's first steps: J. Kim, H. Park, 2011, section 3.

    Of problems that are well determined, with as many data as unknowns or more.
    """
    m, n = a.shape
    norms, size = np.sqrt((a * a).sum(axis=0)), math.sqrt(b @ b)
    low, high = float(norms.min()), float(norms.max())
    if m < n or not (low > 0 and high < math.inf and 0 < size < math.inf):
        return NotImplemented
    unit = a / norms
    gram, right = unit.T @ unit, unit.T @ b
    free, fewest, tries = np.ones(n, np.bool_), n + 1, _TRIES
    for _ in range(min(most, 3 * n)):
        x = np.zeros(n)
        part = gram[free][:, free]
        x[free] = solve(part, right[free])
        gain = (b - unit @ x) @ unit
        wrong = np.where(free, x < 0, gain > 10 * m * _EPS * size)
        count = int(wrong.sum())
        if not count:
            break
        tries = _TRIES if count < fewest else tries - 1
        if tries < 0:
            return NotImplemented
        fewest, free = min(count, fewest), free ^ wrong
    else:
        return NotImplemented
    more = solve(part, gain[free])  # by the residuals: what the squares have lost
    found = x[free]
    sure = math.sqrt(more @ more) <= _EPS**0.5 * math.sqrt(found @ found)
    found = found + more
    if not (sure and np.all(found >= 0)):
        return NotImplemented
    x[free] = found
    rest = unit @ x - b
    return x / norms, np.float64(math.sqrt(rest @ rest))


_INTERIOR = 7  # the solvers' outcome


@np.errstate(all="ignore")
def lsq_linear(a: Any, right: Any, lower: Any, upper: Any, key: Any) -> Any:
    """The solution without bounds, if it is well determined and lies within them."""
    matrix, b = a[0], right[0]
    if not (np.isfinite(matrix).all() and np.isfinite(b).all()):
        return NotImplemented
    x, _, rank, sizes = np.linalg.lstsq(matrix, b, None)
    sure = rank == x.shape[0] and sizes[-1] > _EPS**0.5 * sizes[0]
    if not (sure and np.all((x > lower[0]) & (x < upper[0]))):
        return NotImplemented
    rest = matrix @ x - b
    return {
        "x": x[None, :],
        "cost": 0.5 * np.asarray([rest @ rest]),
        "fun": rest[None, :],
        "optimality": np.asarray([np.abs(rest @ matrix).max()]),
        "active_mask": np.zeros((1, x.shape[0]), np.int32),
        "nit": np.ones(1, np.int32),
        "outcome": np.full(1, _INTERIOR, np.int32),
    }


try:
    import scipy.optimize

    nnls = _by_scipy
    _way = _by_steps if works(_by_steps, _finds) else _by_public
except ModuleNotFoundError:
    nnls = _by_pivoting
