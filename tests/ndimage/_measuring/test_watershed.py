"""Watersheds, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import DtypeError, ImageError

RNG = np.random.default_rng(33)


def heights(shape: tuple[int, ...]) -> Any:
    """Heights whose differences between neighbours are hardly ever the same."""
    return RNG.integers(0, 2**16, shape).astype(np.uint16)


def test_watershed(xp: Any) -> None:
    for shape in ((9,), (4, 5), (3, 2, 4)):
        x = heights(shape)
        markers = np.zeros(shape, np.int64)
        markers.flat[[1, 6, 8]] = 2, -1, 5
        found = ndimage.watershed_ift(xp.asarray(x), xp.asarray(markers), output=xp.int32)
        assert found.dtype == xp.int32
        np.testing.assert_array_equal(to_numpy(found), judge.watershed_ift(x, markers))


def test_bodies_on_any_image() -> None:
    """Equal where no two paths have the same largest step."""
    for _ in range(200):
        shape = tuple(RNG.integers(1, 5, RNG.integers(1, 4)))
        x = heights(shape)
        markers = RNG.permutation(x.size).reshape(shape) - 2
        markers[np.abs(markers) > 2] = 0
        if not markers.any():
            continue
        structure = RNG.random((3,) * len(shape)) > RNG.random()
        found = ndimage.watershed_ift.generic(x, markers, structure)
        np.testing.assert_array_equal(found, judge.watershed_ift(x, markers, structure))


def test_a_flat_image() -> None:
    """Objects go before the background, the nearest one of several."""
    markers = np.zeros((1, 9), int)
    markers[0, 0], markers[0, -1] = -1, 3
    x = np.zeros((1, 9), np.uint8)
    found = ndimage.watershed_ift.generic(x, markers)
    np.testing.assert_array_equal(found, judge.watershed_ift(x, markers))
    markers[0, 0] = 2
    found = ndimage.watershed_ift.generic(x, markers)
    np.testing.assert_array_equal(found, [[2, 2, 2, 2, 3, 3, 3, 3, 3]])


def test_errors() -> None:
    x, markers = np.zeros((3, 4), np.uint8), np.zeros((3, 4), int)
    with pytest.raises(DtypeError, match="uint8 or uint16"):
        ndimage.watershed_ift(x.astype(float), markers)
    with pytest.raises(ImageError, match="shape of input"):
        ndimage.watershed_ift(x, markers[:2])
    for given, output in ((markers.astype(float), None), (markers, "uint8")):
        with pytest.raises(ImageError, match="signed integer"):
            ndimage.watershed_ift(x, given, output=output)
    with pytest.raises(ImageError, match="three elements"):
        ndimage.watershed_ift(x, markers, np.ones((3, 5)))
