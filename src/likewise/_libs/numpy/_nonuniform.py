"""Transforms of points off a grid by finufft, where it is installed.

NotImplemented stands for values that it doesn't take.
"""

from typing import Any

import finufft
import numpy as np


def _ready(points: Any) -> bool:
    return all(np.isfinite(x).all() for x in points)


def _options(c: Any, sign: int, eps: float) -> dict[str, Any]:
    return {"isign": sign, "eps": max(eps, 3e-7 if c.dtype == np.complex64 else 1e-14)}


def first(c: Any, *rest: Any) -> Any:
    """Return modes (b, t, *sizes) of strengths (b, t, m) at points (b, m)."""
    *points, sizes, sign, eps = rest
    if not _ready(points):
        return NotImplemented
    out = np.empty((*c.shape[:2], *sizes), c.dtype)
    routine, given = getattr(finufft, f"nufft{len(sizes)}d1"), _options(c, sign, eps)
    for i in range(c.shape[0]):
        at = [np.ascontiguousarray(x[i]) for x in points]
        if c.shape[1] == 1:
            routine(*at, np.ascontiguousarray(c[i, 0]), out=out[i, 0], **given)
        else:
            routine(*at, np.ascontiguousarray(c[i]), out=out[i], **given)
    return out


def second(f: Any, *rest: Any) -> Any:
    """Return sums (b, t, m) of modes (b, t, ...) at points (b, m)."""
    *points, sign, eps = rest
    if not _ready(points):
        return NotImplemented
    out = np.empty((*f.shape[:2], points[0].shape[1]), f.dtype)
    routine, given = getattr(finufft, f"nufft{f.ndim - 2}d2"), _options(f, sign, eps)
    for i in range(f.shape[0]):
        at = [np.ascontiguousarray(x[i]) for x in points]
        if f.shape[1] == 1:
            routine(*at, np.ascontiguousarray(f[i, 0]), out=out[i, 0], **given)
        else:
            routine(*at, np.ascontiguousarray(f[i]), out=out[i], **given)
    return out
