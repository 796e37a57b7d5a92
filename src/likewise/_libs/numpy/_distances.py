"""SciPy's distances of pairs of points, in the points' dtype."""

from typing import Any

from scipy.spatial.distance import cdist

__all__ = ["distances"]


def distances(a: Any, b: Any, name: str) -> Any:
    return cdist(a, b, name).astype(a.dtype, copy=False)
