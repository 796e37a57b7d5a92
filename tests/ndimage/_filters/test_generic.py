"""Filters with functions of the user, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import array_namespace, ndimage, to_numpy
from likewise.errors import ArgumentError, ImageError
from likewise.ndimage._base._arguments import MODES

from ..closeness import close

RNG = np.random.default_rng(40)
X = RNG.normal(size=(5, 4))


def spread(window: Any, factor: float = 1.0, *, shift: float = 0.0) -> Any:
    xp = array_namespace(window)
    return factor * (xp.max(window) - xp.min(window)) + window[0] + shift


def largest(windows: Any, axis: Any) -> Any:
    return array_namespace(windows).max(windows, axis=axis)


@pytest.mark.parametrize("mode", MODES)
def test_generic_filter(xp: Any, mode: str) -> None:
    for options in (
        {"size": (2, 3), "origin": (0, 1), "extra_arguments": (2.0,)},
        {"footprint": [[1, 0, 1], [0, 1, 0]], "extra_keywords": {"shift": 1.0}},
        {"size": 3, "axes": 0},
    ):
        options |= {"mode": mode, "cval": 0.5}
        found = ndimage.generic_filter(xp.asarray(X), spread, **options)
        expected = judge.generic_filter(X, spread, **options)
        close(found, expected)


def test_generic_filter1d(xp: Any) -> None:
    def returns(line: Any, out: Any, weight: float) -> Any:
        return line[:-2] + weight * line[1:-1] - line[2:]

    def writes(line: Any, out: Any, weight: float) -> None:
        out[...] = returns(line, out, weight)

    for axis, mode, origin in ((0, "mirror", 1), (-1, "constant", 0)):
        given: tuple[Any, ...] = (3, axis, None, mode, 0.5, origin, (2.0,))
        found = ndimage.generic_filter1d(xp.asarray(X), returns, *given)
        expected = judge.generic_filter1d(X, writes, *given)
        close(found, expected)
        bare = ndimage.generic_filter1d.generic(X, writes, *given)
        np.testing.assert_allclose(bare, expected, rtol=1e-12)


@pytest.mark.parametrize("mode", [*MODES, "valid"])
def test_vectorized_filter(xp: Any, mode: str) -> None:
    for options in (
        {"size": (2, 3)},
        {"footprint": [[1, 0, 1], [0, 1, 0]]},
        {"size": 2, "axes": 0, "batch_memory": 150},
    ):
        options |= {"mode": mode} | ({"cval": 0.5} if mode == "constant" else {})
        found = ndimage.vectorized_filter(xp.asarray(X), largest, **options)
        options["mode"] = "reflect" if mode == "grid-mirror" else mode
        expected = judge.vectorized_filter(X, np.max, **options)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-6)


def test_dimensions_that_the_function_adds() -> None:
    def both(windows: Any, axis: Any) -> Any:
        xp = array_namespace(windows)
        return xp.stack([xp.min(windows, axis=axis), xp.max(windows, axis=axis)])

    for function in (ndimage.vectorized_filter, ndimage.vectorized_filter.generic):
        low, high = function(X, both, size=3)
        np.testing.assert_array_equal(low, judge.minimum_filter(X, 3))
        np.testing.assert_array_equal(high, judge.maximum_filter(X, 3))


def test_integers() -> None:
    x = np.round(50 * X).astype("int16")
    for function in (ndimage.generic_filter, ndimage.generic_filter.generic):
        found = function(x, lambda w: w.sum() / 2, 3)
        expected = judge.generic_filter(x, lambda w: w.sum() / 2, 3)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="size must be positive"):
        ndimage.generic_filter(X, spread, 0)
    with pytest.raises(ArgumentError, match="either size or footprint"):
        ndimage.vectorized_filter(X, largest)
    with pytest.raises(ArgumentError, match="cval can be given only"):
        ndimage.vectorized_filter(X, largest, size=3, cval=1.0)
    with pytest.raises(ArgumentError, match="batch_memory must hold"):
        ndimage.vectorized_filter.generic(X, largest, size=3, batch_memory=10)


@pytest.mark.needs("dask")
def test_functions_of_numpy_on_blocks() -> None:
    import dask.array as da

    x = da.from_array(X, chunks=(3, 2))
    found = ndimage.generic_filter(x, np.mean, size=2)
    np.testing.assert_allclose(found.compute(), judge.generic_filter(X, np.mean, size=2))

    def sums(line: Any, out: Any) -> None:
        out[...] = line[:-1] + line[1:]

    found = ndimage.generic_filter1d(x, sums, 2)
    np.testing.assert_allclose(found.compute(), judge.generic_filter1d(X, sums, 2))
