"""Shifted, zoomed and rotated images, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, ImageError, ShapeError
from likewise.ndimage._base._arguments import MODES
from likewise.transforms import grad

from ..closeness import close

RNG = np.random.default_rng(37)
X = RNG.normal(size=(22, 24))


@pytest.mark.parametrize("mode", MODES)
def test_bodies(mode: str) -> None:
    for order in range(6):
        options = {"order": order, "mode": mode, "cval": 0.6}
        for name, value, more in (
            ("shift", (0.4, -30.2), {}),
            ("shift", 2.0, {"prefilter": False}),
            ("zoom", (1.7, 0.6), {}),
            ("zoom", 1.0, {}),
            ("zoom", (1.0, 2.0), {"prefilter": False, "grid_mode": True}),
            ("zoom", (1.0, 3.0), {"prefilter": False, "grid_mode": True}),
            ("rotate", 25.0, {"reshape": False}),
            ("rotate", -130.0, {"prefilter": False}),
        ):
            call = getattr(ndimage, name).generic
            found = call(X, value, **options, **more)
            if more.get("grid_mode") and mode in ("constant", "wrap"):  # SciPy gives advice
                with pytest.warns(UserWarning, match="recommended"):
                    expected = judge.zoom(X, value, **options, **more)
            else:
                expected = getattr(judge, name)(X, value, **options, **more)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def test_values(xp: Any) -> None:
    x = X[:4, :5]
    for name, args in (("shift", (0.3,)), ("zoom", (1.4,)), ("rotate", (33.0,))):
        found = getattr(ndimage, name)(xp.asarray(x), *args, order=2)
        expected = getattr(judge, name)(x, *args, order=2)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("angle", [0, 90, -90, 180, 270, 45, -45, 135, 405, 30, 720])
def test_shapes_of_rotated_images(angle: int) -> None:
    x = RNG.normal(size=(4, 3, 7))
    for axes in ((1, 2), (2, 1), (0, 2), (-1, -3)):
        found = ndimage.rotate.generic(x, angle, axes, order=1)
        expected = judge.rotate(x, angle, axes, order=1)
        assert found.shape == expected.shape
        near = angle % 90 == 0  # right angles are exact: no element falls out by rounding
        if near:
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_dtypes_of_results() -> None:
    x = (40 * X).astype("int16")
    for name, value in (("shift", 0.5), ("zoom", 1.5), ("rotate", 20.0)):
        for output in (None, "uint8", "float32"):
            found = getattr(ndimage, name).generic(x, value, output=output)
            expected = getattr(judge, name)(x, value, output=output)
            assert found.dtype == expected.dtype
            close(found, expected)


def test_beyond_borders_of_integers() -> None:
    """`cval` is one, too, where elements are put around the image before the filter."""
    for x in (np.arange(6) - 2, np.arange(6) % 3 == 0):
        options = {"order": 3, "mode": "grid-constant", "cval": 1.6, "output": "float64"}
        found = ndimage.shift.generic(x, 0.7, **options)
        np.testing.assert_allclose(found, judge.shift(x, 0.7, **options), rtol=1e-9, atol=1e-11)


def test_derivatives_in_what_is_an_array() -> None:
    weights = RNG.normal(size=X.shape)

    def shifted(by: Any, of: Any = ndimage) -> Any:
        return (weights * of.shift(X, by, mode="nearest")).sum()

    def turned(angle: Any, of: Any = ndimage) -> Any:
        return (weights * of.rotate(X, angle, reshape=False, mode="grid-wrap")).sum()

    h, by = 1e-6, np.asarray([0.3, -1.2])
    for k, one in enumerate(np.eye(2)):
        expected = (shifted(by + h * one, judge) - shifted(by - h * one, judge)) / (2 * h)
        np.testing.assert_allclose(grad(shifted)(by)[k], expected, rtol=1e-6)
    expected = (turned(12.0 + h, judge) - turned(12.0 - h, judge)) / (2 * h)
    np.testing.assert_allclose(grad(turned)(np.asarray(12.0)), expected, rtol=1e-6)


def test_complex_numbers_on_edges() -> None:
    """SciPy leaves `grid_mode` out for complex numbers."""
    options = {"order": 2, "mode": "grid-wrap", "grid_mode": True}
    found = ndimage.zoom(X + 1j * X[::-1], 1.5, **options)
    np.testing.assert_allclose(found.real, judge.zoom(X, 1.5, **options), rtol=1e-9, atol=1e-11)


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="shift must be one value, or 2"):
        ndimage.shift(X, (1.0, 2.0, 3.0))
    with pytest.raises(ArgumentError, match="zoom must be finite"):
        ndimage.zoom(X, -1.0)
    with pytest.raises(ShapeError, match="two dimensions"):
        ndimage.rotate(X[0], 10.0)
    with pytest.raises(ArgumentError, match="axes must be two"):
        ndimage.rotate(X, 10.0, axes=(0,))
    with pytest.raises(ArgumentError, match="no value yet"):
        grad(lambda angle: ndimage.rotate(X, angle).sum())(np.asarray(10.0))
