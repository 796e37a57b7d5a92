"""Sums over rings of NumPy images, by the public function's name and arguments."""

import functools
from typing import Any

import numpy as np


def radial_profile(image: Any, center: Any = None) -> Any:
    """Compute `smallimage.measure.radial_profile`, for calls that `sizes` accepts."""
    ring, counts = _rings(image.shape, None if center is None else tuple(map(float, center)))
    sums = np.bincount(ring, weights=image.ravel(), minlength=counts.size)
    means = np.full(counts.size, np.nan)
    return np.divide(sums, counts, out=means, where=counts > 0).astype(image.dtype)


@functools.lru_cache(maxsize=8)
def _rings(shape: tuple[int, int], center: Any) -> tuple[Any, Any]:
    h, w = shape
    row, column = ((h - 1) / 2, (w - 1) / 2) if center is None else center
    y, x = np.arange(h)[:, None] - row, np.arange(w) - column
    ring = np.sqrt(y**2 + x**2).astype(np.int64)
    return ring.ravel(), np.bincount(ring.ravel())
