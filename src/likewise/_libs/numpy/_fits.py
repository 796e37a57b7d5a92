"""One fit by SciPy's MINPACK, or, within bounds or without SciPy, by steps of our own.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

import math
from collections.abc import Sequence
from operator import mul, sub, truediv
from typing import Any

import numpy as np

from ._ways import by_minpack

# The solvers' outcomes, of MINPACK's codes.
_OF_MINPACK = {1: 3, 2: 4, 3: 3, 4: 2}
_EPS = float(np.finfo(np.float64).eps)
_NEAR = _EPS**0.5
_NEARER = _EPS**0.625
_ROUGH = 1e-6
_MOST = 10  # of those
_SURE = 0.1  # factors by which steps shrink for sure
_FAR = float(np.finfo(np.float64).max) ** 0.75  # squares of data of ordinary size are nearer to 1


class _Plain:
    """LAPACK's routines that are used here, by NumPy's functions."""

    @staticmethod
    def dpotrf(a: Any, lower: int) -> tuple[Any, int]:
        try:
            return np.linalg.cholesky(a), 0
        except np.linalg.LinAlgError:
            return a, 1

    @staticmethod
    def dtrtri(a: Any, lower: int) -> tuple[Any, int]:
        return np.tril(np.linalg.inv(a)), 0

    @staticmethod
    def dposv(a: Any, b: Any) -> tuple[Any, Any, int]:
        try:
            return a, np.linalg.solve(a, b), 0
        except np.linalg.LinAlgError:
            return a, b, 1


try:
    import scipy.linalg

    lapack: Any = scipy.linalg.lapack
except ModuleNotFoundError:
    lapack = _Plain


def fit(y: Any, asked: Any, how: Any) -> Any:
    one = how.alone(y, asked)
    if one is None:
        return NotImplemented
    weight, shape = one.weight, (one.start.shape[0], y.shape[0])
    points: list[Any] = []  # where derivatives were taken
    ftol, xtol, gtol, most = one.tests

    def residuals(v: Any) -> Any:
        r = one.values(v.copy()) - y  # MINPACK writes to it
        return r if weight is None else r * weight

    def columns(v: Any) -> Any:
        points.append(v.tolist())
        c = np.empty(shape)
        for k, column in enumerate(one.columns(v.copy())):
            c[k] = column
        return c if weight is None else c * weight

    with np.errstate(all="ignore"):
        try:
            if not all(map(math.isfinite, (np.add.reduce(asked.xdata, None), *one.start.tolist()))):
                return NotImplemented
            data = y if weight is None else y * weight
            if not (1 / _FAR < (square := data @ data) < _FAR or (square == 0 and not data.any())):
                return NotImplemented
            tests = max(ftol, _EPS**0.75), max(xtol, _NEAR), gtol, most
            if one.low is None and by_minpack is not None:
                tests = max(ftol, 4 * _EPS), max(xtol, _ROUGH), *tests[2:]
                x, told, code = by_minpack(residuals, columns, one.start, *tests)
                end = _polished(residuals, columns, x, told["fvec"], one, points=points)
            else:
                if one.low is None:
                    far = np.full_like(one.start, np.inf)
                    one = one._replace(low=-far, high=far)
                code, end = 1, _within(residuals, columns, one, tests)
        except Exception:  # of the user's function: it will be raised again, and explained
            return NotImplemented
        if code not in _OF_MINPACK or end is None or len(points) > most:
            return NotImplemented
        x, r, root = end
        rss, pcov = r @ r, root @ root.T
        if not math.isfinite(rss):
            return NotImplemented
        chi2 = rss / (r.shape[0] - x.shape[0])
        if not one.absolute_sigma:
            pcov = pcov * chi2
        share = 1 - rss / _spread(y, weight)
    counts = (len(points) - 1, _OF_MINPACK[code])
    return x, pcov, *map(np.asarray, (rss, chi2, share)), *(np.asarray(k, np.int32) for k in counts)


def _polished(
    residuals: Any,
    columns: Any,
    x: Any,
    r: Any,
    one: Any,
    free: Any = None,
    points: Sequence[list[float]] = (),
) -> Any:
    """The end of Gauss and Newton's steps, residuals there, and a root of ``(J^T J)^-1``.

    Sums of squares, by which MINPACK ends, tell half the digits. None where these steps don't end,
    or leave the bounds, or the data don't determine the parameters well. With `free`, a mask,
    others stay. `points`: where others came by, whose last step tells how these will converge.
    """
    start, xtol = one.start, one.tests.xtol
    before, root, part = math.inf, None, None
    last: list[float] = []
    units: list[float] = []
    for k in range(_MOST):
        jac = columns(x)
        if root is None or before > _NEARER:  # else it has all the digits that it will have
            root, units = _root(jac, x, start)
            part = root
            if free is not None and root is not None:
                part, _ = _root(jac[free], x[free], start[free])
            if part is None:
                return None
        if free is None:
            move = root @ ((jac @ r) @ root)
        else:
            move = np.zeros_like(x)
            move[free] = part @ ((jac[free] @ r) @ part)
        at = x.tolist()
        size = math.hypot(*map(mul, at, units)) or 1.0
        if k == 0 and (whence := [p for p in points[-2:] if p != at]):
            # If that was a short one, one more will be asked for.
            last = [*map(mul, map(sub, whence[-1], at), units)]
            before = math.hypot(*last) / size
        step, long = [*map(mul, move.tolist(), units)], math.hypot(*last)
        # They shrink by a factor, which their sum to the end knows (A. C. Aitken, 1926).
        factor = sum(map(mul, step, last)) / long / long if long else 0.0
        if abs(factor) < _SURE:
            move = move / (1 - factor)
        last = step
        small = math.hypot(*step) / size
        x, rate = x - move, 1.0 if before == math.inf else small / before
        slow = rate > 0.5 and k > 0  # it is rounding that is left, or no solution
        if small <= _NEARER and (slow or rate * small <= xtol):
            return x, r, root
        if slow:
            return None
        if one.low is not None and not np.all((x >= one.low) & (x <= one.high)):
            return None
        before, r = small, residuals(x)
    return None


def _length(v: Any) -> float:
    return math.sqrt(v @ v)


def _root(columns: Any, x: Any, start: Any) -> tuple[Any, list[float]]:
    """A root of ``(J^T J)^-1``, and the columns' norms; None where that is not well determined.

    That is where a change of some parameters by their own size changes little of what others do.
    """
    normal = columns @ columns.T
    norms = [*map(math.sqrt, normal.diagonal().tolist())]
    factor, info = lapack.dpotrf(normal, 1)
    if info:
        return None, norms
    pivots = factor.diagonal().tolist()
    sizes = [max(abs(a), abs(b) or 1.0) for a, b in zip(x.tolist(), start.tolist(), strict=True)]
    felt, most = min(map(mul, pivots, sizes)), max(map(mul, norms, sizes))
    if not (min(map(truediv, pivots, norms)) > _EPS**0.125 and felt > _EPS**0.25 * most):
        return None, norms
    return lapack.dtrtri(factor, 1)[0].T, norms


def _spread(y: Any, weight: Any) -> Any:
    """The weighted sum of squares of the data around their mean; NaN where it is 0."""
    if weight is not None:
        mean = (weight @ (y * weight)) / (weight @ weight)
        off = (y - mean) * weight
    else:
        off = y - np.add.reduce(y) / y.shape[0]
    spread = off @ off
    return spread if spread > 0 else np.nan


# -- within bounds ---------------------------------------------------------------------------------


def _within(residuals: Any, columns: Any, one: Any, tests: Any) -> Any:
    """Return what `_polished` does, of Levenberg and Marquardt's steps projected into bounds.

    As C. Kanzow, N. Yamashita, M. Fukushima, 2004: of the parameters that are free; what is on a
    bound, and drawn out, stays. H. B. Nielsen's damping.
    """
    ftol, xtol, _, most = tests
    low, high, x = one.low, one.high, one.start
    r = residuals(x)
    jac, cost, damping, rise, norms = columns(x), r @ r, 1e-3, 2.0, np.zeros_like(x)
    for _ in range(min(most, 200)):
        gradient, normal = jac @ r, jac @ jac.T
        norms = np.maximum(norms, np.sqrt(normal.diagonal()))
        free = ~_held(x, gradient, low, high)
        if not free.any():
            break
        part = normal[free][:, free] / np.multiply.outer(norms[free], norms[free])
        part[np.diag_indices_from(part)] += damping
        _, move, info = lapack.dposv(part, gradient[free] / norms[free])
        if info:
            return None
        aim = x.copy()
        aim[free] -= move / norms[free]
        aim = np.minimum(np.maximum(aim, low), high)
        step = aim - x
        expected = -(2 * gradient + normal @ step) @ step
        new = residuals(aim)
        lower = new @ new
        gain = (cost - lower) / expected if expected > 0 else -1.0
        small = _length(step * norms) <= xtol * _length(x * norms) or cost - lower <= ftol * cost
        if gain > 1e-4:
            x, r, cost, jac = aim, new, lower, columns(aim)
            damping, rise = damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), 2.0
        elif not math.isfinite(damping := damping * rise):
            return None
        else:
            rise *= 2
        if (gain > 1e-4 or expected <= ftol * cost) and small:
            break
    return _inside(residuals, columns, x, r, one)


def _held(x: Any, gradient: Any, low: Any, high: Any) -> Any:
    """Tell which parameters are on a bound and drawn out of it."""
    return ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))


def _inside(residuals: Any, columns: Any, x: Any, r: Any, one: Any) -> Any:
    """The end of the last steps, if that is a minimum between the bounds beyond all doubt."""
    held = _held(x, columns(x) @ r, one.low, one.high)
    end = _polished(residuals, columns, x, r, one, ~held if held.any() else None)
    if end is None:
        return None
    x, r, _ = end
    free = ~held
    if not np.all((x[free] > one.low[free]) & (x[free] < one.high[free])):
        return None
    if held.any():
        jac = columns(x)
        gradient, size = jac @ r, np.sqrt((jac @ jac.T).diagonal()) * _length(r)
        drawn = _held(x, gradient, one.low, one.high) & (np.abs(gradient) > _NEAR * size)
        if not np.all(drawn[held]):
            return None
    return end
