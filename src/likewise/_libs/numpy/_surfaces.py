"""SciPy's surfaces of splines (FITPACK) as rows call them.

NotImplemented stands for what the body does.
"""

from typing import Any

import numpy as np
from scipy import interpolate

__all__ = ["exact", "scattered", "sphere", "values"]


def _surface(tx: Any, ty: Any, c: Any, degrees: Any) -> Any:
    made = object.__new__(interpolate.RectBivariateSpline)
    made.tck, made.degrees = (tx, ty, c), degrees
    return made


def values(x: Any, y: Any, tx: Any, ty: Any, c: Any, degrees: Any, orders: Any, grid: bool) -> Any:
    if not x.size or not y.size:
        return NotImplemented
    try:
        return _surface(tx, ty, c.reshape(-1), degrees)(x, y, *orders, grid)
    except ValueError:  # an axis that doesn't ascend
        return NotImplemented


def exact(x: Any, y: Any, z: Any, ends: Any, degrees: Any) -> Any:
    if not np.isfinite(z).all():
        return NotImplemented
    made = interpolate.RectBivariateSpline(x, y, z, list(ends), *degrees)
    sizes = [t.shape[0] - k - 1 for t, k in zip(made.tck[:2], degrees, strict=True)]
    return *made.tck[:2], made.tck[2].reshape(sizes)


def scattered(x: Any, y: Any, z: Any, w: Any, ends: Any, tx: Any, ty: Any, task: Any) -> Any:
    (kx, ky), m = task.degrees, x.shape[0]
    how = {"w": w, "kx": kx, "ky": ky, "eps": task.eps, "full_output": 1}
    how |= {name: float(v[0]) for name, v in zip(("xb", "xe", "yb", "ye"), ends, strict=True)}
    if task.s is None:
        knots = [
            np.concatenate([ends[2 * i]] * (k + 1) + [v] + [ends[2 * i + 1]] * (k + 1))
            for i, (v, k) in enumerate(zip((tx, ty), (kx, ky), strict=True))
        ]
        how |= {"task": -1, "tx": knots[0], "ty": knots[1]}
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
    return task.made(tx, ty, c, np.asarray(fp), np.asarray(status))


def sphere(
    u: Any, v: Any, r: Any, values: Any, smooth: Any, exact: Any, flat: Any, s: float
) -> Any:
    values = [None if a is None else float(a) for a in values]
    lost = (u, v, r, np.asarray(s), 3) if s > 0 else NotImplemented
    try:
        made = interpolate.RectSphereBivariateSpline(u, v, r, s, smooth, values, exact, flat)
    except ValueError:
        return lost
    (tu, tv, c), fp = made.tck, made.fp
    if tu[-1] == 0.0 or not np.isfinite(c).all():  # knots that FITPACK forgets
        return lost
    c = c.reshape(tu.shape[0] - 4, tv.shape[0] - 4)
    return tu, tv, c, np.asarray(fp), 0 if s > 0 else -1
