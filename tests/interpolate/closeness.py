"""Closeness of interpolants, relative to the largest value."""

from typing import Any

import numpy as np

from likewise import to_numpy

__all__ = ["near"]


def near(found: Any, expected: Any, rtol: float = 1e-13) -> None:
    """Compare shapes, kinds and values, relative to the largest; in single precision to its digits."""
    found, expected = to_numpy(found), np.asarray(expected)
    assert found.shape == expected.shape and found.dtype.kind == expected.dtype.kind
    if found.dtype.itemsize < expected.dtype.itemsize:
        rtol *= 1e9
    scale = np.max(np.nan_to_num(np.abs(expected)), initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)
