"""Medians by exchanges, written once in the array standard for several libraries."""

from typing import Any

import likewise
from likewise import missing

# J. L. Smith, "Implementing median filters in XC4000E FPGAs", Xcell 23 (1996): after these, the
# fifth of nine is the median.
EXCHANGES = (
    *((1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3)),
    *((5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2)),
)


def median(image: Any, size: int = 3) -> Any:
    """Compute `smallimage.filters.median`, for calls that `sizes` accepts."""
    xp = likewise.array_namespace(image)
    h, w = image.shape[-2:]
    padded = missing.pad(image, [(0, 0)] * (image.ndim - 2) + [(1, 1), (1, 1)], mode="edge")
    nine = [padded[..., i : i + h, j : j + w] for i in range(size) for j in range(size)]
    for a, b in EXCHANGES:
        nine[a], nine[b] = xp.minimum(nine[a], nine[b]), xp.maximum(nine[a], nine[b])
    return nine[4]
