"""Closeness of images: to rounding in the precision of a result."""

from typing import Any

import numpy as np

from likewise import to_numpy

__all__ = ["close"]


def close(found: Any, expected: Any) -> None:
    """Values alike, relative to the largest of them; integers and booleans are equal."""
    found, expected = to_numpy(found), np.asarray(expected)
    if found.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected)
        return
    tol = 1e-5 if found.dtype in (np.float32, np.complex64) else 1e-12
    largest = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=1.0))
    np.testing.assert_allclose(found, expected, rtol=tol, atol=tol * largest)
