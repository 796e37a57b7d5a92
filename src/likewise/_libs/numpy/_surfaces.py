"""SciPy's surfaces of splines (FITPACK) as rows call them.

NotImplemented stands for what the body does.
"""

import operator
from typing import Any

import numpy as np
from scipy import interpolate

try:
    from scipy.interpolate import _dfitpack
except ImportError:
    _dfitpack = None

__all__ = ["exact", "scattered", "sphere", "values"]

_FORTRAN: Any = _dfitpack
_SMALL = 64  # numbers that Python compares in less time than NumPy begins


def _surface(tx: Any, ty: Any, c: Any, degrees: Any) -> Any:
    made = object.__new__(interpolate.RectBivariateSpline)
    made.tck, made.degrees = (tx, ty, c), degrees
    return made


def values(x: Any, y: Any, tx: Any, ty: Any, c: Any, degrees: Any, orders: Any, grid: bool) -> Any:
    if not x.size or not y.size:
        return NotImplemented
    if _FORTRAN is None:
        try:
            return _surface(tx, ty, c, degrees)(x, y, *orders, grid)
        except ValueError:  # an axis that doesn't ascend
            return NotImplemented
    if grid and not (_ascends(x) and _ascends(y)):
        return NotImplemented
    kx, ky = degrees
    if orders == (0, 0):
        found, status = (_FORTRAN.bispev if grid else _FORTRAN.bispeu)(tx, ty, c, kx, ky, x, y)
    else:
        step = _FORTRAN.parder if grid else _FORTRAN.pardeu
        found, status = step(tx, ty, c, kx, ky, *orders, x, y)
    return NotImplemented if status else found


def _ascends(x: Any) -> bool:
    """Tell whether no number is NaN, or below the one before."""
    if x.size > _SMALL:
        return bool((x[1:] >= x[:-1]).all())
    some = x.tolist()
    return all(map(operator.le, some, some[1:] or some))


def exact(x: Any, y: Any, z: Any, ends: Any, degrees: Any) -> Any:
    kx, ky = degrees
    if not np.isfinite(z).all():
        return NotImplemented
    if _FORTRAN is None:
        tx, ty, c = interpolate.RectBivariateSpline(x, y, z, list(ends), kx, ky).tck
    else:
        found = _FORTRAN.regrid_smth(x, y, z.reshape(-1), *ends, kx, ky, 0.0)
        nx, tx, ny, ty, c, _, status = found
        if status != -1:
            return NotImplemented
        tx, ty = tx[:nx], ty[:ny]
    sizes = tx.shape[0] - kx - 1, ty.shape[0] - ky - 1
    return tx, ty, c[: sizes[0] * sizes[1]].reshape(sizes)


def scattered(x: Any, y: Any, z: Any, w: Any, tx: Any, ty: Any, task: Any, *ends: Any) -> Any:
    (kx, ky), m = task.degrees, x.shape[0]
    how = {"w": w, "kx": kx, "ky": ky, "eps": task.eps, "full_output": 1}
    how |= {name: float(v[0]) for name, v in zip(("xb", "xe", "yb", "ye"), ends, strict=True)}
    if task.s is None:
        knots = [
            np.concatenate([ends[2 * i]] * (k + 1) + [v] + [ends[2 * i + 1]] * (k + 1))
            for i, (v, k) in enumerate(zip((tx, ty), (kx, ky), strict=True))
        ]
        most = [max(t.shape[0], 2 * k + 3) for t, k in zip(knots, (kx, ky), strict=True)]
        how |= {"task": -1, "tx": knots[0], "ty": knots[1], "nxest": most[0], "nyest": most[1]}
    else:
        most = [int(k + np.sqrt(3 * m)) if task.s == 0 else 2 * k + 3 for k in (kx, ky)]
        if any(n < k if task.s else n != k for n, k in zip(task.most, most, strict=True)):
            return NotImplemented  # bisplrep takes no such limits
        how |= {"s": task.s, "nxest": task.most[0], "nyest": task.most[1]}
    try:
        (tx, ty, c, *_), fp, status, _ = interpolate.bisplrep(x, y, z, **how)
    except ValueError:  # of some systems of lower rank
        return NotImplemented
    if status > 5:
        return NotImplemented
    c = np.asarray(c).reshape(tx.shape[0] - kx - 1, ty.shape[0] - ky - 1)
    if task.s is None:
        status = -status if status < -2 else c.size
    return tx, ty, c, np.asarray(fp), np.asarray(status)


def sphere(
    u: Any, v: Any, r: Any, r0: Any, r1: Any, smooth: Any, exact: Any, flat: Any, s: float
) -> Any:
    values = [None if a is None else float(a) for a in (r0, r1)]
    lost = (u, v, r, np.asarray(s), 3) if s > 0 else NotImplemented
    if s == 0 and None not in values and u.shape[0] - 2 + sum(smooth) == 0:
        return lost  # without inner knots, FITPACK forgets all
    try:
        made = interpolate.RectSphereBivariateSpline(u, v, r, s, smooth, values, exact, flat)
    except ValueError:
        return lost
    (tu, tv, c), fp = made.tck, made.fp
    if tu[-1] == 0.0 or not np.isfinite(c).all():
        return lost
    c = c.reshape(tu.shape[0] - 4, tv.shape[0] - 4)
    return tu, tv, c, np.asarray(fp), 0 if s > 0 else -1
