"""Means in windows, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage
from likewise.errors import ArgumentError, ImageError
from likewise.ndimage._base._arguments import MODES

from ..closeness import close

RNG = np.random.default_rng(35)
X = RNG.normal(size=(5, 4))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [1, 4, 11])
def test_along_one_axis(xp: Any, mode: str, size: int) -> None:
    options: dict[str, Any] = {"axis": 0, "mode": mode, "cval": 1.5, "origin": -(size // 3)}
    found = ndimage.uniform_filter1d(xp.asarray(X), size, **options)
    expected = judge.uniform_filter1d(X, size, **options)
    close(found, expected)


def test_in_several_dimensions(xp: Any) -> None:
    x = RNG.normal(size=(2, 5, 4))
    for options in (
        {"size": (3, 2), "axes": (2, 1), "mode": ("wrap", "constant"), "origin": (-1, 0)},
        {"size": 0, "axes": (0,)},
        {},
    ):
        found = ndimage.uniform_filter(xp.asarray(x), **options)
        expected = judge.uniform_filter(x, **options)
        close(found, expected)


def test_routines_and_bodies_agree_on_any_call() -> None:
    for _ in range(200):
        shape = tuple(RNG.integers(1, 7, RNG.integers(1, 4)))
        dtype = RNG.choice(["float64", "float32", "uint8", "int16", "int64"])
        x = (RNG.normal(size=shape) * 50).astype(dtype)
        size, mode = tuple(map(int, RNG.integers(1, 6, len(shape)))), str(RNG.choice(MODES))
        expected = judge.uniform_filter(x, size, mode=mode, cval=2.5)
        found = ndimage.uniform_filter.generic(x, size, mode=mode, cval=2.5)
        assert found.dtype == expected.dtype
        close(found, expected)


def test_pieces_are_as_the_whole() -> None:
    x = RNG.normal(size=(3, 70, 300))
    for axis in range(3):
        found = ndimage.uniform_filter1d.generic(x, 6, axis, mode="mirror", origin=2)
        expected = judge.uniform_filter1d(x, 6, axis, mode="mirror", origin=2)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


def test_infinity_stays_in_its_windows() -> None:
    x = np.asarray([1.0, np.inf, 1.0, 1.0, 1.0])
    found = ndimage.uniform_filter1d.generic(x, 3)
    np.testing.assert_array_equal(found, [np.inf, np.inf, np.inf, 1.0, 1.0])


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="size must be at least 1"):
        ndimage.uniform_filter1d(X, 0)
    with pytest.raises(ArgumentError, match="size must be an integer"):
        ndimage.uniform_filter(X, 2.5)
    with pytest.raises(ArgumentError, match="origin"):
        ndimage.uniform_filter(X, 3, origin=2)
