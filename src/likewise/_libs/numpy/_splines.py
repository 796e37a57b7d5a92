"""Splines of one row of knots in NumPy's doubles, by SciPy's compiled routines.

NotImplemented stands for what the body does.
"""

from typing import Any

import numpy as np
from scipy.linalg import lapack

try:
    from scipy.interpolate import _dierckx
except ImportError:  # other versions have other places for it
    _dierckx = None
try:
    from scipy.interpolate import _dfitpack
except ImportError:
    _dfitpack = None
try:
    from scipy.interpolate._fitpack import _insert
except ImportError:
    _insert = None
_FORTRAN: Any = _dfitpack
_VALUES: Any = getattr(_dierckx, "evaluate_spline", None)
_FUNCTIONS: Any = getattr(_dierckx, "evaluate_all_bspl", None)
_INTERVAL: Any = getattr(_dierckx, "find_interval", None)
_MATRIX: Any = getattr(_dierckx, "data_matrix", None)
_COLLOCATION: Any = getattr(_dierckx, "_coloc", None)
_SOLVES = {"f": lapack.dgbsv, "c": lapack.zgbsv}
_ORDERS: Any = {None: (), "not-a-knot": (), "clamped": (1,), "natural": (2,)}
_NONE: Any = ((), ())
_MOST = 5  # the degree up to which FITPACK's arrays are long enough
_FEW = 128  # points, up to which a dense system takes less time than a band with corners
_contiguous = np.ascontiguousarray


def values(x: Any, t: Any, c: Any, k: int, nu: int, mode: Any) -> Any:
    """Evaluate a spline, of coefficients (n, ...), at points of any shape."""
    if _VALUES is None or not x.size or not c.size:
        return NotImplemented
    n, shape = t.shape[0] - k - 1, x.shape
    if mode == "periodic":
        with np.errstate(all="ignore"):
            x = t[k] + (x - t[k]) % (t[n] - t[k])
        mode = False
    trailing = c.shape[1:]
    if c.shape[0] != n:
        c = c[:n]
    c = _contiguous(c)
    if c.dtype.kind == "c":
        c = c.view(float)
        out = _VALUES(
            _contiguous(t), c.reshape(n, -1), k, _contiguous(x).reshape(-1), nu, bool(mode)
        )
        return out.view(complex).reshape(shape + trailing)
    out = _VALUES(_contiguous(t), c.reshape(n, -1), k, _contiguous(x).reshape(-1), nu, bool(mode))
    return out.reshape(shape + trailing)


def tabled(x: Any, t: Any, c: Any, k: int, nu: int, ext: int) -> Any:
    """Evaluate a spline as FITPACK does outside of its knots."""
    n = t.shape[0] - k - 1
    if not (n > k and c.shape[0] >= n):
        return NotImplemented
    if not ext or (ext == 3 and nu):
        return values(x, t, c, k, nu, True)
    if _FORTRAN is None or k > _MOST or not x.size:
        return NotImplemented
    points = x.reshape(-1)
    if not -np.inf <= points.min():  # NaN, which would get a value
        return NotImplemented
    if nu:
        out, status = _FORTRAN.splder(t, c, k, points, nu, ext)
    else:
        out, status = _FORTRAN.splev(t, c, k, points, ext)
    return NotImplemented if status else out.reshape(x.shape)


def every_derivative(c: Any, t: Any, x: float, k: int) -> Any:
    """Return the value and all derivatives at a number between the knots."""
    if _FORTRAN is None or k > _MOST or not _whole(c, t, k):
        return NotImplemented
    out, status = _FORTRAN.spalde(t, c, k + 1, x)
    return NotImplemented if status else out


def _whole(c: Any, t: Any, k: int) -> bool:
    n = t.shape[0] - k - 1
    return bool(n > k and c.shape[0] >= n)


def interpolated(y: Any, x: Any, k: int, t: Any, ends: Any, given: bool) -> Any:
    """Return knots and coefficients of a spline through points."""
    m = x.shape[0]
    if k < 1 or (k == 1 and not given) or y.shape[0] != m or not y.size or m < 2:
        return NotImplemented
    if ends is None:
        left, right = _NONE
    elif ends.__class__ is str:
        if (left := _ORDERS.get(ends)) is None:
            return NotImplemented
        right = left
    else:
        try:
            left, right = (_ORDERS[e] for e in ends)
        except (KeyError, TypeError, ValueError):
            return NotImplemented
    first, last = x[0], x[-1]
    if not (x[1:] > x[:-1]).all() or not last - first < np.inf:
        return NotImplemented
    if given:
        size = t.shape[0] - k - 1
        if not (size >= m and size > k and t[k] <= first and last <= t[size]):
            return NotImplemented
        if not (t[1:] >= t[:-1]).all() or not t[-1] - t[0] < np.inf:
            return NotImplemented
        t = t.copy()
    elif left or right:
        t = np.empty(m + 2 * k)
        t[:k], t[m + k :], t[k : m + k] = first, last, x
    else:
        if m <= k:
            return NotImplemented
        t, h = np.empty(m + k + 1), (k + 1) // 2
        t[: k + 1], t[m:] = first, last
        t[k + 1 : m] = x[h : m - h] if k % 2 else (x[h + 1 : m - h] + x[h : m - h - 1]) / 2
    if t.shape[0] - k - 1 - m != len(left) + len(right):
        return NotImplemented
    c = _solved(y, x, t, k, left, right, sure=not given)
    # What isn't finite, the body looks at.
    return (t, c) if c is not NotImplemented and np.isfinite(c.sum()) else NotImplemented


def coefficients(y: Any, x: Any, t: Any, k: int, left: Any, right: Any) -> Any:
    """Return coefficients of a spline: of rows of `y`, the first and last are derivatives."""
    if not y.size:
        return NotImplemented
    return _solved(y, x, t, k, left, right, True)


def _solved(
    y: Any, x: Any, t: Any, k: int, left: Any, right: Any, rows: bool = False, sure: bool = False
) -> Any:
    """Solve for coefficients; values of derivatives are rows of `y`, or zeros.

    `sure` says that each point is where its B-spline isn't zero: SciPy writes nowhere else then.
    """
    n, first, x, t = t.shape[0] - k - 1, len(left), _contiguous(x), _contiguous(t)
    if _COLLOCATION is None or n <= k or max(left + right, default=0) > k:
        return NotImplemented
    m = n - first - len(right)
    if not sure:
        after = t[first + k + 1 : first + m + k + 1]
        inside = (x >= t[first : first + m]) & ((x < after) | ((after == t[n]) & (x == t[n])))
        if not inside.all():
            return NotImplemented
    bands = np.zeros((n, 3 * k + 1))
    _COLLOCATION(x, t, k, bands, first)
    ends = [*((i, x[0], nu) for i, nu in enumerate(left))]
    ends += [(n - len(right) + i, x[-1], nu) for i, nu in enumerate(right)]
    for i, point, nu in ends:
        at = _INTERVAL(t, k, float(point), k, False)
        if not i <= at <= i + k:
            return NotImplemented
        for j, v in enumerate(_FUNCTIONS(t, k, float(point), at, nu)):
            bands[at - k + j, 3 * k + i - at - j] = v
    trailing = y.shape[1:]
    if rows or not (left or right):
        right_side = y.reshape(n, -1) if trailing else y
    else:
        right_side = np.zeros((n, *trailing), y.dtype)
        right_side[first : n - len(right)] = y
        right_side = right_side.reshape(n, -1) if trailing else right_side
    kind = y.dtype.kind
    matrix = bands.T if kind == "f" else bands.astype(complex).T
    _, _, c, info = _SOLVES[kind](k, k, matrix, right_side, 1, 0)
    return NotImplemented if info else _contiguous(c).reshape((n, *trailing))


def periodic(y: Any, x: Any, t: Any, k: int) -> Any:
    """Return the coefficients of one period, of values (1, period, C)."""
    period = x.shape[1] - 1
    if _MATRIX is None or not k <= period <= _FEW or not y.size:
        return NotImplemented
    some, first, _ = _MATRIX(_contiguous(x[0, :-1]), _contiguous(t[0]), k, np.ones(period))
    matrix = np.zeros((period, period + k))
    matrix[np.arange(period)[:, None], first[:, None] + np.arange(k + 1)] = some
    matrix[:, :k] += matrix[:, period:]
    try:
        return np.linalg.solve(matrix[:, :period], y.reshape(period, -1)).reshape(y.shape)
    except np.linalg.LinAlgError:
        return NotImplemented


def derived(c: Any, t: Any, k: int, nu: int) -> Any:
    """Return knots of a derivative, and its coefficients with zeros up to as many."""
    if not _whole(c, t, k) or not nu <= k:
        return NotImplemented
    c = c[: t.shape[0] - k - 1]
    for _ in range(nu):
        gap = t[k + 1 : -1] - t[1 : -k - 1]
        if not gap.all():
            return NotImplemented
        c = (c[1:] - c[:-1]) * (k / gap)
        t, k = t[1:-1], k - 1
    out = np.zeros(t.shape, c.dtype)
    out[: c.shape[0]] = c
    return t.copy(), out


def integral(c: Any, t: Any, a: Any, b: Any, k: int, more: bool) -> Any:
    """Return the integral of a spline, zero outside or inside of its ends."""
    n = t.shape[0] - k - 1
    if _FORTRAN is None or k > _MOST or not (n > k and c.shape[0] >= n):
        return NotImplemented
    a, b = float(a), float(b)
    if more and not (t[k] <= a <= t[n] and t[k] <= b <= t[n]):
        return NotImplemented
    if c.ndim == 1 and c.dtype.kind == "f":
        return np.asarray(_FORTRAN.splint(t, c, k, a, b)[0])
    _, each = _FORTRAN.splint(t, np.zeros(n), k, a, b)
    return np.tensordot(each[:n], c[:n], 1)


def inserted(c: Any, t: Any, x: float, k: int, times: int) -> Any:
    """Return knots and coefficients with one more knot."""
    n = t.shape[0] - k - 1
    if times < 1 or _insert is None or k > _MOST or not _whole(c, t, k) or not t[k] <= x < t[n]:
        return NotImplemented
    t, c, status = _insert(0, t, c, k, x, times)
    if status:
        return NotImplemented
    c[n + times :] = 0
    return t, c


def zeros(c: Any, t: Any, size: int | None) -> Any:
    """Return the points between the ends where a cubic spline is zero, unless one is on a knot."""
    n = t.shape[0] - 4
    if size is not None or _FORTRAN is None or _VALUES is None or not _whole(c, t, 3):
        return NotImplemented
    c = _contiguous(c[:n])
    found = np.abs(_VALUES(_contiguous(t), c[:, None], 3, _contiguous(t[3 : n + 1]), 0, True))
    if not found.min() > 1e-9 * found.max():
        return NotImplemented
    out, count, status = _FORTRAN.sproot(t, c, 3 * n)
    return NotImplemented if status else out[:count].copy()
