"""Dtypes of results: as SciPy takes them, and those of each library."""

from typing import Any

import numpy as np
import pytest

from likewise import ndimage, to_numpy
from likewise.errors import DtypeError, IntegerError, NotSupported

X = np.asarray([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]])
WAYS = [float, int, "f", "float32", np.float32, np.dtype(">f4"), np.uint8, "i", "uint16"]


@pytest.mark.parametrize("output", WAYS, ids=str)
def test_ways_to_name_a_dtype(output: Any) -> None:
    found = ndimage.uniform_filter(X, 1, output=output)
    assert found.dtype == np.dtype(output).newbyteorder("=")


def test_dtypes_of_the_library(xp: Any) -> None:
    x = xp.asarray(X, dtype=xp.float32)
    for dtype in (xp.float32, xp.int16, xp.uint8):
        found = ndimage.uniform_filter(x, 1, output=dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(to_numpy(found)[0, 0], 1 if dtype != xp.float32 else 1.5)


def test_what_is_refused(xp: Any) -> None:
    x = xp.asarray(X)
    with pytest.raises(NotSupported, match="never written into"):
        ndimage.uniform_filter(x, 3, output=x)
    with pytest.raises(DtypeError, match="output must be a dtype"):
        ndimage.uniform_filter(x, 3, output="word")
    with pytest.raises(IntegerError, match="axes must be integers"):
        ndimage.uniform_filter(x, 3, axes=1.5)
    with pytest.raises(TypeError, match="rank must be an integer"):
        ndimage.rank_filter(x, 0.5, 3)
