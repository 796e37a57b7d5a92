"""Piecewise polynomials of one problem in NumPy's doubles: what rows call where SciPy is installed.

NotImplemented stands for what the body does.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import BPoly, BSpline, PPoly
from scipy.linalg import lapack

try:
    from scipy.interpolate import _dfitpack
except ImportError:  # other versions have other places for it
    _dfitpack = None
try:
    from scipy.interpolate import _dierckx
except ImportError:
    _dierckx = None
try:
    from scipy.interpolate._fitpack import _parcur
except ImportError:
    _parcur = None
try:
    from scipy.interpolate import make_splprep
except ImportError:
    make_splprep = None
_FORTRAN: Any = _dfitpack
_PLACES: Any = _dierckx if hasattr(_dierckx, "fpbacp") else None  # others have other arguments
_INTEGER = np.int32 if _FORTRAN is None else _FORTRAN.types.intvar.dtype
_FEW = 256  # numbers, up to which NumPy's calls take less time than SciPy's object
_PPOLY = PPoly.construct_fast
_BPOLY = BPoly.construct_fast
_BSPLINE = BSpline.construct_fast
_GTSV = lapack.dgtsv


def evaluated(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
    """Evaluate at points (p,), of coefficients (k, m, ...)."""
    if not v.size or not c.size:
        return NotImplemented
    if v.size * (c.size // (c.shape[0] * c.shape[1])) > _FEW:
        return _PPOLY(c, x, mode)(v, nu)
    k, m, first, last = c.shape[0], c.shape[1], x[0], x[-1]
    if k <= nu or k == 1 or first >= last:
        return NotImplemented
    if mode == "periodic":
        v = first + (v - first) % (last - first)
    index = x[1:-1].searchsorted(v, "right") if m > 1 else np.zeros(v.shape, np.int64)
    s = v - x[index]
    if c.ndim > 2:
        s = s.reshape((-1, *(1,) * (c.ndim - 2)))
    rows = c[:, index]
    with np.errstate(all="ignore"):
        if nu:
            out = np.zeros(rows.shape[1:])
            for j in range(k - nu):
                factor = 1.0
                for i in range(nu):
                    factor *= k - 1 - j - i
                out = out * s + factor * rows[j]
            if k - nu == 1:
                out = out + 0 * s
        else:
            out = rows[0]
            for j in range(1, k):
                out = out * s + rows[j]
    if mode is False:
        bad = ~((v >= first) & (v <= last))
        if bad.any():
            out[bad] = np.nan
    return out


def averaged(c: Any, x: Any, v: Any, nu: int, mode: Any) -> Any:
    """Evaluate coefficients of the Bernstein basis, (k, m, ...), at points (p,)."""
    if not v.size or not c.size or x[0] > x[-1] or nu >= c.shape[0]:
        return NotImplemented
    return _BPOLY(c, x, mode)(v, nu)


def integral(c: Any, x: Any, low: Any, high: Any, mode: Any, own: Any) -> Any:
    """Integrate between two points (1,), of coefficients (k, m, ...)."""
    if not c.size or x[0] > x[-1]:
        return NotImplemented
    of = _BPOLY if hasattr(own, "_basis") else _PPOLY
    return np.asarray(of(c, x, mode).integrate(low[0], high[0], mode))[None, ...]


def _hermite(h: Any, slope: Any, y: Any, d: Any) -> Any:
    out = np.empty((4, *slope.shape), d.dtype)
    left = d[:-1]
    t = (left + d[1:] - 2 * slope) / h
    np.divide(t, h, out=out[0])
    np.subtract((slope - left) / h, t, out=out[1])
    out[2], out[3] = left, y[:-1]
    return out


def _steps(x: Any, y: Any) -> tuple[Any, Any]:
    h = x[1:] - x[:-1]
    if y.ndim > 1:
        h = h.reshape((-1, *(1,) * (y.ndim - 1)))
    return h, (y[1:] - y[:-1]) / h


def monotone(x: Any, y: Any) -> Any:
    """Return coefficients of cubics that are monotone where the data are."""
    if x.shape[0] < 3:
        return NotImplemented
    h, m = _steps(x, y)
    sign = np.sign(m)
    h0, h1, m0, m1 = h[:-1], h[1:], m[:-1], m[1:]
    d = np.zeros(y.shape)
    w0, w1 = h0 + 2 * h1, 2 * h0 + h1
    with np.errstate(all="ignore"):
        mean = w0 / m0 + w1 / m1
        np.divide(w0 + w1, mean, out=d[1:-1], where=sign[:-1] * sign[1:] > 0)
    d[0] = _end(h[0], h[1], m[0], m[1])
    d[-1] = _end(h[-1], h[-2], m[-1], m[-2])
    return _hermite(h, m, y, d)


def _end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    if d.ndim == 0:
        d, m0, m1 = float(d), float(m0), float(m1)
        if d * m0 <= 0 and (m0 == 0 or d == 0 or (d > 0) != (m0 > 0)):
            return 0.0
        return 3 * m0 if (m0 > 0) != (m1 > 0) and abs(d) > 3 * abs(m0) else d
    over = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3 * np.abs(m0))
    d = np.where(over, 3 * m0, d)
    return np.where(np.sign(d) != np.sign(m0), 0.0, d)


def local(x: Any, y: Any, method: str) -> Any:
    """Return coefficients of cubics of Akima's slopes."""
    n = x.shape[0]
    if n < 3 or not y.size:
        return NotImplemented
    h, slope = _steps(x, y)
    m = np.empty((n + 3, *y.shape[1:]))
    m[2:-2] = slope
    m[1] = 2 * m[2] - m[3]
    m[0] = 2 * m[1] - m[2]
    m[-2] = 2 * m[-3] - m[-4]
    m[-1] = 2 * m[-2] - m[-3]
    w = np.abs(m[1:] - m[:-1])
    if method == "makima":
        w = w + 0.5 * np.abs(m[1:] + m[:-1])
    w1 = w[:-2]
    both = w[2:] + w1
    d = (m[3:] + m[:-3]) / 2
    weighty = both > 1e-9 * both.max()
    left = m[1:-2]
    if weighty.all():
        d = left + w1 / both * (m[2:-1] - left)
    else:
        share = np.divide(w1, both, out=np.zeros(both.shape), where=weighty)
        d = np.where(weighty, left + share * (m[2:-1] - left), d)
    return _hermite(h, slope, y, d)


def spline(x: Any, y: Any, kinds: tuple[int, int], first: Any, last: Any) -> Any:
    """Return coefficients of a cubic spline: its slopes by LAPACK's elimination with pivots."""
    n = x.shape[0]
    if n < 4 or not y.size:
        return NotImplemented
    h, m = _steps(x, y)
    step = h if h.ndim == 1 else x[1:] - x[:-1]
    main, low, up = np.empty(n), np.empty(n - 1), np.empty(n - 1)
    right = np.empty((n, *y.shape[1:]))
    np.add(step[:-1], step[1:], out=main[1:-1])
    main[1:-1] *= 2
    low[:-1], up[1:] = step[1:], step[:-1]
    np.multiply(h[1:], m[:-1], out=right[1:-1])
    right[1:-1] += h[:-1] * m[1:]
    right[1:-1] *= 3
    hs = step.tolist() if n < 64 else step
    main[0], up[0], right[0] = _edge(kinds[0], hs[0], hs[1], m[0], m[1], first, 1)
    main[-1], low[-1], right[-1] = _edge(kinds[1], hs[-1], hs[-2], m[-1], m[-2], last, -1)
    flat = right if y.ndim == 1 else right.reshape(n, -1)
    *_, found, info = _GTSV(low, main, up, flat, 1, 1, 1, 1)
    if info:
        return NotImplemented
    return _hermite(h, m, y, found if y.ndim == 1 else found.reshape(y.shape))


def _edge(kind: int, h0: Any, h1: Any, m0: Any, m1: Any, value: Any, way: int) -> Any:
    if kind == 0:
        both = h0 + h1
        return h1, both, ((h0 + 2 * both) * h1 * m0 + h0 * h0 * m1) / both
    if kind == 1:
        return 1.0, 0.0, value[0]
    return 2.0, 1.0, 3 * m0 - way * 0.5 * h0 * value[0]


def linear(x: Any, y: Any, v: Any, kind: Any, inside: bool) -> Any:
    """Interpolate lines, or take the values of knots."""
    n = x.shape[0]
    if n < 2 or not v.size:
        return NotImplemented
    if kind in ("linear", 1):
        if inside and y.ndim == 1:
            return np.interp(v, x, y)
        low = x[1:-1].searchsorted(v)
        high = low + 1
        x0, y0 = x[low], y[low]
        with np.errstate(all="ignore"):
            slope = (x[high] - x0), (v - x0)
            if y.ndim > 1:
                slope = tuple(s.reshape((-1, *(1,) * (y.ndim - 1))) for s in slope)
            return y0 + (y[high] - y0) / slope[0] * slope[1]
    if kind == "nearest" or kind == "nearest-up":
        half = x / 2.0
        return y[(half[1:] + half[:-1]).searchsorted(v, "left" if kind == "nearest" else "right")]
    if kind == "next":
        return y[x[:-1].searchsorted(v)]
    if kind == "previous":
        return y[x[1:].searchsorted(v, "right")]
    return NotImplemented


def curve(
    y: Any, x: Any, w: Any, start: Any, end: Any, s: Any, how: Any, earlier: Any = None
) -> Any:
    """Return knots, coefficients (n, C), the sum of squares, a status and where a search ended."""
    (m, count), (k, periodic, store, most, again) = y.shape, how
    s = float(s)
    if (
        _FORTRAN is None
        or not s >= 0
        or count == 0
        or most is not None
        or not _inside(x, start, end)
    ):
        return NotImplemented
    if again:
        return _again(y, x, w, float(start[0]), float(end[0]), s, k, periodic)
    if count > 1:
        return _several(y, x, w, float(start[0]), float(end[0]), s, k, periodic)
    if earlier is not None and not isinstance(earlier, _Work):
        return NotImplemented
    if store is not None and not periodic:
        return _kept(y[:, 0], x, w, (start[0], end[0]), s, k, earlier)
    t, wrk, iwrk = _stores(m, k, periodic)
    if periodic:
        n, c, fp, status = _FORTRAN.percur(0, x, y[:, 0], w, t, wrk, iwrk, k, s)
    else:
        ends = start[0], end[0]
        n, c, fp, status = _FORTRAN.curfit(0, x, y[:, 0], w, t, wrk, iwrk, *ends, k, s)
    return _told(x, t[:n], c[: n - k - 1], fp, status, None)


def represented(y: Any, x: Any, w: Any, k: int, s: Any, t: Any) -> Any:
    """Return knots, coefficients with zeros up to as many, the sum of squares and a status."""
    m = x.shape[0]
    if _FORTRAN is None or k.__class__ is not int or not 0 < k < 6 or not k < m == y.shape[0]:
        return NotImplemented
    if s is None:
        s = 0.0 if w is None else m - math.sqrt(2 * m)
    if w is None:
        w = np.ones(m)
    elif w.shape[0] != m:
        return NotImplemented
    if not s >= 0:
        return NotImplemented
    n = max(m + k + 1, 2 * k + 3)
    if t is None:
        whole, most = np.empty(n), n
    else:
        most = t.shape[0] + 2 * k + 2
        whole = np.empty(most)
        whole[k + 1 : most - k - 1] = t
        whole[: k + 1], whole[most - k - 1 :] = x[0], x[-1]
        n = max(n, most)
        s = 0.0
    work = np.empty(m * (k + 1) + n * (7 + 3 * k))
    kind, ends = 0 if t is None else -1, (x[0], x[-1])
    store = np.empty(most, _INTEGER)
    size, c, fp, status = _FORTRAN.curfit(kind, x, y, w, whole, work, store, *ends, k, s)
    if status > 0 or not math.isfinite(c[: size - k - 1].sum()):
        return NotImplemented
    c = c[:size]
    c[size - k - 1 :] = 0
    return whole[:size].copy(), c.copy(), np.asarray(fp), status if t is None else 0


def _told(x: Any, t: Any, c: Any, fp: float, status: int, work: Any) -> Any:
    if status >= 10 or not np.isfinite(c.sum() + t.sum() + x.sum()):
        return NotImplemented
    return t.copy(), c[:, None], np.asarray(fp), status, work


def _kept(y: Any, x: Any, w: Any, ends: Any, s: float, k: int, earlier: Any) -> Any:
    """Return a spline as SciPy's class finds it, whose search can go on."""
    if earlier is None:
        # FPCURF itself takes what makes no sense.
        if not (x[1:] >= x[:-1]).all() or not (w > 0).all():
            return NotImplemented
        data = _FORTRAN.fpcurf0(x, y, k, w=w, xb=ends[0], xe=ends[1], s=s)
    else:
        data = earlier.data
        data = _FORTRAN.fpcurf1(*_longer((*data[:6], s, *data[7:]), data[8].shape[0]))
    if data[-1] == 1:  # the arrays are full
        data = _FORTRAN.fpcurf1(*_longer(data, x.shape[0] + k + 1))
    n, t, c, fp, status = data[7], data[8], data[9], data[10], data[-1]
    return _told(x, t[:n], c[: n - k - 1], fp, status, _Work(data))


def _longer(data: Any, size: int) -> Any:
    """Return FITPACK's data with arrays of a size, which are written to."""
    t, c, fpint, nrdata = (np.resize(data[i], size) for i in (8, 9, 11, 12))
    return (*data[:8], t, c, data[10], fpint, nrdata, data[13])


def _inside(x: Any, start: Any, end: Any) -> bool:
    return bool(start[0] <= x[0] and end[0] >= x[-1])


@dataclass(frozen=True)
class _Work:
    """Hold what FITPACK keeps of a search."""

    data: Any


def _stores(m: int, k: int, periodic: bool) -> tuple[Any, Any, Any]:
    n = max(m + 2 * k if periodic else m + k + 1, 2 * k + 3)
    size = m * (k + 1) + n * (8 + 5 * k if periodic else 7 + 3 * k)
    return np.zeros(n), np.zeros(size), np.zeros(n, _INTEGER)


def _again(y: Any, x: Any, w: Any, start: float, end: float, s: float, k: int, per: bool) -> Any:
    """Return what SciPy's Python finds, which looks at residuals after each new knot."""
    if not s or make_splprep is None or per or not np.isfinite(y.sum() + x.sum()):
        return NotImplemented
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made, _ = make_splprep(y.T, u=x, w=w, ub=start, ue=end, k=k, s=s)
        except (ValueError, RuntimeWarning):
            return NotImplemented
    rest = w[:, None] * (y - _BSPLINE(made.t, made.c, k)(x))
    return made.t, made.c, np.asarray(np.vdot(rest, rest)), 0, None


def _several(
    y: Any, x: Any, w: Any, start: float, end: float, s: float, k: int, periodic: bool
) -> Any:
    """Return a curve as PARCUR finds it."""
    (m, count), none = y.shape, np.zeros(0)
    if count > 10 or _parcur is None:
        return NotImplemented
    if periodic:
        y = np.concatenate([y[:-1], y[:1]])
    n = max(m + 2 * k if periodic or s else m + k + 1, 2 * k + 3)
    found = _parcur(
        y.ravel(), w, x, start, end, k, 0, 1, s, none, n, none, none.astype(_INTEGER), periodic
    )
    t, c, more = found
    if more["ier"] > 9 or not np.isfinite(c.sum() + t.sum() + x.sum()):
        return NotImplemented
    c = c.reshape(count, -1).T
    return t, c[: t.shape[0] - k - 1], np.asarray(more["fp"]), more["ier"], None


def _factored(y: Any, x: Any, w: Any, t: Any, k: int) -> Any:
    n = t.shape[0] - k - 1
    w = np.ones(x.shape) if w is None else np.ascontiguousarray(w)
    x, y, t = (np.ascontiguousarray(v) for v in (x, y, t))
    weighted = y * w[:, None]
    a, first, size = _PLACES.data_matrix(x, t, k, w)
    _PLACES.qr_reduce(a, first, size, weighted)
    with np.errstate(all="ignore"):
        c, _, fp = _PLACES.fpback(a, size, x, y, t, k, w, weighted)
    main = np.abs(a[:n, 0])
    if not np.isfinite(c).all() or not main.min() > 1e-14 * main.max():
        return NotImplemented
    return c, fp


def nearest(y: Any, x: Any, w: Any, t: Any, k: int, times: int) -> Any:
    """Return the coefficients of least squares, by Givens' rotations."""
    if _PLACES is None or times == 0 or not y.size or x.shape[0] < t.shape[0] - k - 1:
        return NotImplemented
    if not 1 <= k <= 5 or _FORTRAN is None or _FORTRAN.fpchec(x, t, k):  # not determined, or so
        return NotImplemented
    if (x[1:] == x[:-1]).any() or not (w is None or w.all()):  # which it counts as points
        return NotImplemented
    found = _factored(y.reshape(y.shape[0], -1), x, w, t, k)
    return found if found is NotImplemented else found[0].reshape(-1, *y.shape[1:])


def least(y: Any, x: Any, w: Any, t: Any, k: int, periodic: bool) -> Any:
    """Return the spline of least squares with knots."""
    count, n = y.shape[1], t.shape[0]
    if _FORTRAN is None or count != 1 or n < 2 * k + 2 or not _inside(x, t[k:], t[n - k - 1 :]):
        return NotImplemented
    kept = t.copy()
    _, wrk, iwrk = _stores(max(x.shape[0], n), k, periodic)
    if periodic:
        _, c, fp, status = _FORTRAN.percur(-1, x, y[:, 0], w, kept, wrk, iwrk[:n], k, 0.0)
    else:
        ends = t[k], t[-1]
        _, c, fp, status = _FORTRAN.curfit(-1, x, y[:, 0], w, kept, wrk, iwrk[:n], *ends, k, 0.0)
    c = c[: n - k - 1]
    if status >= 10 or not np.isfinite(c.sum() + t.sum() + x.sum()):
        return NotImplemented
    return kept, c[:, None], np.asarray(fp), 0, None
