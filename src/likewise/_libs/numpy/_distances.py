"""SciPy's distances of truth values and distributions, and of pairs of points in their dtype."""

from typing import Any

import numpy as np
from scipy.spatial import distance as own

__all__ = ["distance", "distances", "distances_within", "jensenshannon", "matrix"]


def distance(u: Any, v: Any, name: str, *_: Any) -> Any:
    """Leave vectors of nothing, of which SciPy's versions think differently, to the body."""
    if not (u | v).any():
        return NotImplemented
    return np.float64(getattr(own, name)(u, v))


def distances(a: Any, b: Any, name: str) -> Any:
    return own.cdist(a, b, name).astype(a.dtype, copy=False)


def distances_within(x: Any, name: str) -> Any:
    return own.pdist(x, name).astype(x.dtype, copy=False)


def matrix(x: Any, m: int) -> Any:
    return own.squareform(x, checks=False) if m > 1 else NotImplemented


def jensenshannon(p: Any, q: Any, base: float | None) -> Any:
    """Leave what rounds below 0 to the body."""
    found = np.float64(own.jensenshannon(p, q, base))
    return found if found >= 0 else NotImplemented
