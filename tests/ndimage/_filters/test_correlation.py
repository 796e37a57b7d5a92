"""Correlation and convolution of images, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, ImageError, LikewiseWarning, NotSupported
from likewise.ndimage._base._arguments import MODES

from ..closeness import close

RNG = np.random.default_rng(33)
X = RNG.normal(size=(5, 4))
W = RNG.normal(size=(3, 2))


@pytest.mark.parametrize("mode", MODES)
def test_along_one_axis(xp: Any, mode: str) -> None:
    for name, axis, m, origin in (
        ("correlate1d", 0, 9, -2),  # a window larger than the image
        ("convolve1d", -1, 4, 1),
    ):
        w = W.reshape(-1).tolist() * 2
        found = getattr(ndimage, name)(xp.asarray(X), w[:m], axis, None, mode, 1.5, origin)
        expected = getattr(judge, name)(X, w[:m], axis, None, mode, 1.5, origin)
        close(found, expected)


@pytest.mark.parametrize("mode", MODES)
def test_around(xp: Any, mode: str) -> None:
    for name, origin in (("correlate", (-1, 0)), ("convolve", (1, -1))):
        x, w = xp.asarray(X), xp.asarray(W)
        found = getattr(ndimage, name)(x, w, None, mode, -0.5, origin)
        expected = getattr(judge, name)(X, W, None, mode, -0.5, origin)
        close(found, expected)


def test_routines_and_bodies_agree_on_any_call() -> None:
    """Random shapes, dtypes and windows; integers may differ by what rounding makes of a sum."""
    for _ in range(300):
        shape = tuple(RNG.integers(1, 7, RNG.integers(1, 4)))
        dtype = RNG.choice(["float64", "float32", "uint8", "int16", "int64"])
        x = (RNG.normal(size=shape) * 50).astype(dtype)
        w = RNG.integers(-3, 4, tuple(RNG.integers(1, 5, len(shape)))) / 4
        name, mode = RNG.choice(["correlate", "convolve"]), RNG.choice(MODES)
        expected = getattr(judge, name)(x, w, mode=mode, cval=2.0)
        found = getattr(ndimage, name).generic(x, w, mode=mode, cval=2.0)
        assert found.dtype == expected.dtype
        close(found, expected)


def test_complex_numbers(xp: Any) -> None:
    z, w = X + 1j * X[::-1], W[:, 0] + 1j * W[:, 1]
    for x, weights in ((z, w), (X, w), (z, w.real)):
        for name in ("correlate1d", "convolve1d"):
            found = getattr(ndimage, name)(xp.asarray(x), xp.asarray(weights))
            expected = getattr(judge, name)(x, weights)
            close(found, expected)


def test_dtypes_of_results(xp: Any) -> None:
    x = xp.asarray([[250, 3, 7, 90]], dtype=xp.uint8)
    given = to_numpy(x)
    for output in (None, "float32", "int16"):
        found = ndimage.correlate1d(x, [-1, 0, 1], output=output)
        expected = judge.correlate1d(given, [-1, 0, 1], output=output)
        assert to_numpy(found).dtype == expected.dtype
        np.testing.assert_array_equal(to_numpy(found), expected)


def test_a_real_dtype_for_complex_numbers() -> None:
    with pytest.warns(LikewiseWarning, match="promoting specified output dtype to complex"):
        found = ndimage.correlate1d(X, np.asarray([1j, 2.0]), output=np.float32)
    assert found.dtype == "complex64"
    with pytest.raises(ImageError, match="output must be a complex dtype"):
        ndimage.correlate1d(X, np.asarray([1j, 2.0]), output="float32")


def test_axes_may_be_an_array() -> None:
    x = RNG.normal(size=(2, 5, 3))
    found = ndimage.uniform_filter(x, 3, axes=np.asarray([1, 2]))
    np.testing.assert_allclose(found, judge.uniform_filter(x, 3, axes=(1, 2)), rtol=1e-12)


def test_axes_of_a_batch() -> None:
    x = RNG.normal(size=(2, 5, 3))
    for axes in ((0, 2), (2, 0), (-1, 1)):
        found = ndimage.correlate(x, W, axes=axes)
        np.testing.assert_allclose(found, judge.correlate(x, W, axes=axes), rtol=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="mode"):
        ndimage.correlate1d(X, [1, 2], mode="edge")
    with pytest.raises(RuntimeError, match="weights"):
        ndimage.correlate1d(X, [])
    with pytest.raises(ImageError, match="weights"):
        ndimage.correlate(X, [1.0, 2.0])
    with pytest.raises(ArgumentError, match="origin"):
        ndimage.correlate1d(X, [1, 2, 3], origin=2)
    with pytest.raises(ArgumentError, match="cval must be real"):
        ndimage.correlate(X, W, mode="constant", cval=1j)
    with pytest.raises(NotSupported, match="output must be a dtype"):
        ndimage.correlate1d(X, [1, 2], output=X)
