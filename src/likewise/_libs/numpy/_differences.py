"""Forward differences for SciPy's steps, of one problem's functions."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["differenced"]

_ROOT = float(np.finfo(np.float64).eps) ** 0.5


def differenced(
    fun: Callable[[Any], Any], lower: Any, upper: Any, relative: float | None = None
) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return a function of x (p,) that keeps its last value, and its slopes (..., p).

    Steps stay within bounds; they are relative to x where it is above 1, or of `relative` to x.
    """
    last: list[Any] = [None, None]

    def value(x: Any) -> Any:
        found = fun(x)
        last[:] = x.copy(), np.array(found)  # that may be a buffer of the user's
        return found

    def slopes(x: Any) -> Any:
        if last[0] is None or not np.array_equal(last[0], x):
            value(x)
        here, size = last[1], np.abs(x)
        size = np.maximum(size, 1.0) if relative is None else np.where(size == 0, 1.0, size)
        step = (_ROOT if relative is None else relative) * size
        below, above = x - lower, upper - x
        step = np.minimum(step, np.maximum(below, above))
        step = np.where((step > above) & (below > above), -step, step)
        ends = np.minimum(np.maximum(x + step, lower), upper)
        taken = ends - x
        out = np.zeros((*here.shape, x.size))
        for j in np.flatnonzero(taken):
            at = x.copy()  # the user may keep it
            at[j] = ends[j]
            out[..., j] = (fun(at) - here) / taken[j]
        return out

    return value, slopes
