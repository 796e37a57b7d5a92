"""Minima and maxima in windows, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, DtypeError, ImageError, LikewiseWarning
from likewise.ndimage._base._arguments import MODES
from likewise.transforms import vmap

RNG = np.random.default_rng(36)
X = RNG.normal(size=(5, 4))
CROSS = [[0, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("minimum_filter1d", (9, 0), {"origin": -2}),
        ("maximum_filter1d", (4, 1), {"origin": 1}),
        ("minimum_filter", ((2, 3),), {"origin": (-1, 1)}),
        ("maximum_filter", ((5, 1),), {}),
        ("minimum_filter", (), {"footprint": CROSS, "origin": (0, -1)}),
        ("maximum_filter", (), {"footprint": CROSS}),
    ],
)
def test_values(xp: Any, name: str, given: Any, options: dict[str, Any], mode: str) -> None:
    x = xp.asarray(X, dtype=xp.float32)
    options = options | {"mode": mode, "cval": 0.5}
    expected = getattr(judge, name)(to_numpy(x).astype(float), *given, **options)
    np.testing.assert_array_equal(to_numpy(getattr(ndimage, name)(x, *given, **options)), expected)


def test_integers_and_booleans(xp: Any) -> None:
    for given in (X > 0, np.round(50 * X).astype("int16")):
        for options in ({"size": 2}, {"footprint": CROSS}):
            kwargs: dict[str, Any] = {"mode": "constant", "cval": 1.5, **options}
            found = ndimage.maximum_filter(xp.asarray(given), **kwargs)
            expected = judge.maximum_filter(given, **kwargs)
            assert to_numpy(found).dtype == expected.dtype
            np.testing.assert_array_equal(to_numpy(found), expected)


def test_routines_and_bodies_agree_on_any_call() -> None:
    for _ in range(200):
        shape = tuple(RNG.integers(1, 7, RNG.integers(1, 4)))
        dtype = RNG.choice(["float64", "uint8", "int16", "bool"])
        x = (RNG.normal(size=shape) * 50).astype(dtype)
        options: dict[str, Any] = {"mode": str(RNG.choice(MODES)), "cval": RNG.choice([-3, 2.5])}
        size = tuple(map(int, RNG.integers(1, 6, len(shape))))
        if RNG.random() < 0.5:
            options["size"] = size
        else:
            options["footprint"] = RNG.random(size) < 0.6
            options["footprint"].flat[0] = True
        name = str(RNG.choice(["minimum_filter", "maximum_filter"]))
        found = getattr(ndimage, name).generic(x, **options)
        np.testing.assert_array_equal(found, getattr(judge, name)(x, **options))


def test_pieces_are_as_the_whole() -> None:
    x = RNG.normal(size=(3, 70, 300))
    for options in ({"size": (2, 7, 4)}, {"footprint": [CROSS]}):
        found = ndimage.minimum_filter.generic(x, mode="wrap", **options)
        np.testing.assert_array_equal(found, judge.minimum_filter(x, mode="wrap", **options))


def test_not_a_number_reaches_its_windows() -> None:
    x = np.asarray([1.0, np.nan, 3.0, 0.0])
    found = ndimage.maximum_filter1d.generic(x, 3)
    np.testing.assert_array_equal(found, [np.nan, np.nan, np.nan, 3.0])


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="size or footprint must be given"):
        ndimage.minimum_filter(X)
    with pytest.raises(ImageError, match="at least one element"):
        ndimage.minimum_filter(X, footprint=[[0, 0]])
    with pytest.raises(ImageError, match=r"footprint.ndim \(1\) must match"):
        ndimage.minimum_filter(X, footprint=[0, 1])
    with pytest.raises(ImageError, match="one mode for all axes"):
        ndimage.minimum_filter(X, footprint=CROSS, mode=("wrap", "wrap"))
    with pytest.raises(DtypeError, match="real numbers"):
        ndimage.maximum_filter1d(X + 1j, 3)
    with pytest.warns(LikewiseWarning, match="ignoring size because footprint is set"):
        ndimage.maximum_filter(X, 3, CROSS)
    with pytest.raises(ArgumentError, match="values that can be read"):
        vmap(lambda f: ndimage.maximum_filter(X, footprint=f))(np.asarray([CROSS]))
