"""Ranks, medians and percentiles in windows, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, ImageError
from likewise.ndimage._base._arguments import MODES
from likewise.ndimage._filters._networks import selection

RNG = np.random.default_rng(37)
X = RNG.normal(size=(6, 7))


@pytest.mark.parametrize("n", [1, 2, 3, 9, 16, 25, 49])
def test_networks_select(n: int) -> None:
    """By the zero-one principle, what selects among zeros and ones does so among all numbers."""
    for rank in {0, n // 3, n // 2, n - 1}:
        for ones in range(n + 1):
            v = RNG.permuted(np.tile(np.arange(n) < ones, (50, 1)), axis=1).T
            row = list(v)
            for i, j, low, high in selection(n, rank):
                a, b = row[i], row[j]
                row[i] = a & b if low else None
                row[j] = a | b if high else None
            np.testing.assert_array_equal(row[rank], np.sort(v, axis=0)[rank])


@pytest.mark.parametrize("mode", MODES)
def test_values(xp: Any, mode: str) -> None:
    x = xp.asarray(X, dtype=xp.float32)
    x64 = to_numpy(x).astype(float)
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("rank_filter", (-3, (2, 3)), {"origin": (-1, 1)}),
        ("median_filter", (3,), {}),
        ("median_filter", (), {"footprint": [[1, 0, 1], [1, 1, 0]], "origin": (0, -1)}),
        ("percentile_filter", (70.0, (1, 4)), {}),
        ("percentile_filter", (100.0, 2), {}),
    ]
    for function, given, options in calls:
        options |= {"mode": mode, "cval": 0.5}
        found = getattr(ndimage, function)(x, *given, **options)
        expected = getattr(judge, function)(x64, *given, **options)
        np.testing.assert_array_equal(to_numpy(found), expected)


def test_routines_and_bodies_agree_on_any_call() -> None:
    for _ in range(200):
        shape = tuple(RNG.integers(1, 7, RNG.integers(2, 4)))
        x = (RNG.normal(size=shape) * 50).astype(RNG.choice(["float64", "uint8", "int16", "bool"]))
        mask = RNG.random(tuple(RNG.integers(1, 5, len(shape)))) < 0.6
        mask.flat[0] = True
        options: dict[str, Any] = {"mode": str(RNG.choice(MODES)), "cval": 2.5, "footprint": mask}
        rank = int(RNG.integers(mask.sum()))
        found = ndimage.rank_filter.generic(x, rank, **options)
        np.testing.assert_array_equal(found, judge.rank_filter(x, rank, **options))


def test_one_dimension() -> None:
    x = RNG.normal(size=40)
    for size in (4, 5, 13):
        for mode in MODES:
            windows = [
                [x[min(max(i + k - size // 2, 0), 39)] for k in range(size)] for i in range(40)
            ]
            found = ndimage.median_filter(x, size, mode="nearest")
            np.testing.assert_array_equal(found, np.sort(windows, axis=1)[:, size // 2])
            assert ndimage.median_filter(x, size, mode=mode).shape == x.shape


def test_large_windows_are_sorted() -> None:
    x = RNG.normal(size=(60, 50))
    found = ndimage.median_filter.generic(x, (11, 9))
    np.testing.assert_array_equal(found, judge.median_filter(x, (11, 9)))


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="one of 9 elements"):
        ndimage.rank_filter(X, 9, 3)
    with pytest.raises(ArgumentError, match="rank must be an integer"):
        ndimage.rank_filter(X, 1.0, 3)
    with pytest.raises(RuntimeError, match="percentile"):
        ndimage.percentile_filter(X, 101, 3)
    with pytest.raises(ImageError, match="one mode for all axes"):
        ndimage.median_filter(X, 3, mode=("wrap", "wrap"))


@pytest.mark.parametrize("cval", [np.inf, -np.inf, np.nan])
def test_borders_of_integer_images_that_are_not_finite(xp: Any, cval: float) -> None:
    x = np.arange(20, dtype=np.uint8).reshape(4, 5)
    options = {"mode": "constant", "cval": cval}
    for name, given in (("rank_filter", (1, 3)), ("median_filter", (3,))):
        found = getattr(ndimage, name)(xp.asarray(x), *given, **options)
        np.testing.assert_array_equal(to_numpy(found), getattr(judge, name)(x, *given, **options))
    least = ndimage.minimum_filter(xp.asarray(x), 3, mode="constant", cval=np.inf)
    np.testing.assert_array_equal(to_numpy(least), judge.minimum_filter(x, 3))


def test_windows_without_elements() -> None:
    with pytest.raises(ImageError, match="size must be positive, got 0"):
        ndimage.median_filter(np.ones(3), 0)
