"""Filters by rank, of SciPy's routines."""

import math
from typing import Any

import numpy as np
from scipy import ndimage, signal

_QUICK = (np.float64, np.float32, np.uint8)  # for which there is a median of images


def ranked(x: Any, sizes: tuple[int, ...], around: Any, rank: int) -> Any:
    """Return elements of a rank; a NaN would spoil SciPy's far away."""
    if x.dtype.kind == "f" and np.isnan(x.min()):
        return NotImplemented
    whole = around is None or len(around) == math.prod(sizes)
    if x.ndim == 2 and whole and rank == math.prod(sizes) // 2 and x.dtype in _QUICK:
        return signal.medfilt2d(x, sizes)
    footprint = None
    if not whole:
        footprint = np.zeros(sizes, bool)
        footprint[tuple(np.asarray(around).T)] = True
    shape: Any = {"size": sizes} if whole else {"footprint": footprint}
    return ndimage.rank_filter(x, rank, mode="constant", **shape)
