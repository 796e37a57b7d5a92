"""Images at other coordinates, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, ImageError
from likewise.ndimage._base._arguments import MODES
from likewise.transforms import grad

RNG = np.random.default_rng(36)
X = RNG.normal(size=(5, 24))
AT = RNG.uniform(-30.0, 50.0, size=(2, 3, 7))
MATRIX = np.asarray([[0.9137, 0.2071], [-0.3119, 1.1073]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_bodies(order: int, mode: str) -> None:
    halves = np.round(AT * 2.0) / 2.0  # where nearest elements change, and splines meet
    x = X if mode not in ("reflect", "grid-mirror") else RNG.normal(size=(22, 24))
    for at in (AT, halves):
        for prefilter in (True, False):
            args = (x, at, None, order, mode, 0.7, prefilter)
            found = ndimage.map_coordinates.generic(*args)
            np.testing.assert_allclose(found, judge.map_coordinates(*args), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("mode", ["constant", "mirror", "grid-constant"])
def test_values(xp: Any, mode: str) -> None:
    at = RNG.uniform(-2.0, 6.0, size=(2, 9))
    for order in (0, 1, 3):
        found = ndimage.map_coordinates(xp.asarray(X), xp.asarray(at), None, order, mode, 0.7)
        expected = judge.map_coordinates(X, at, None, order, mode, 0.7)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-3, atol=1e-4)


def test_other_coordinates_than_numbers() -> None:
    at = np.asarray([[0.0, np.nan, 2.0], [1.0, 3.0, np.nan]])
    for mode in MODES:
        x = np.arange(625.0).reshape(25, 25)
        found = ndimage.map_coordinates.generic(x, at, None, 3, mode, -1.0)
        expected = judge.map_coordinates(x, at, None, 3, mode, -1.0)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def test_integers_are_rounded_and_stop_at_the_ends() -> None:
    x = np.asarray([0, 250, 0, 255, 255, 3], dtype="uint8")
    at = np.linspace(0.0, 5.0, 41)[None, :]
    for output in (None, "int8", "int64", "float32"):
        found = ndimage.map_coordinates.generic(x, at, output)
        expected = judge.map_coordinates(x, at, output)
        assert found.dtype == expected.dtype
        if output == "float32":
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-5)
        else:
            np.testing.assert_array_equal(found, expected)


def test_complex_numbers(xp: Any) -> None:
    z = X + 1j * X[::-1]
    at = RNG.uniform(0.0, 4.0, size=(2, 9))
    found = ndimage.map_coordinates(xp.asarray(z), xp.asarray(at))
    np.testing.assert_allclose(to_numpy(found), judge.map_coordinates(z, at), rtol=1e-3, atol=1e-4)


def test_matrices() -> None:
    shift = np.asarray([0.3, -0.7])
    wide = np.concatenate([MATRIX, shift[:, None]], axis=1)
    last = np.concatenate([wide, [[0.0, 0.0, 1.0]]])
    for args in (
        (MATRIX, shift),
        (MATRIX, 0.4, (4, 6)),
        (wide,),
        (last,),
        (np.asarray([0.7, 1.2]), shift, (4, 30)),
        (np.asarray([[0.5], [2.0]]), 0.0, (9,)),
    ):
        lists = (args[0].tolist(), *args[1:])
        expected = judge.affine_transform(X, *args, order=2, mode="mirror")
        for call in (ndimage.affine_transform, ndimage.affine_transform.generic):
            for given in (args, lists):
                found = call(X, *given, order=2, mode="mirror")
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_matrices_of_any_library(xp: Any) -> None:
    found = ndimage.affine_transform(xp.asarray(X), xp.asarray(MATRIX), 0.3, order=1)
    expected = judge.affine_transform(X, MATRIX, 0.3, order=1)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-3, atol=1e-4)


def test_functions_of_coordinates(xp: Any) -> None:
    def bent(at: Any, power: Any, scale: Any) -> Any:
        return at[0] ** power * 0.4, at[1] * scale + 0.01 * at[0], at[0] * 0.0

    x = RNG.normal(size=(4, 5, 2))
    options = {"extra_arguments": (2,), "extra_keywords": {"scale": 0.7}, "order": 1}
    found = ndimage.geometric_transform(xp.asarray(x), bent, (3, 6), **options)
    expected = judge.geometric_transform(x, bent, (3, 6), **options)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("mode", ["nearest", "mirror", "grid-wrap"])
def test_derivatives(order: int, mode: str) -> None:
    weights = RNG.normal(size=X.shape)
    image = X + 0.0

    def total(matrix: Any, offset: Any, by: Any = ndimage) -> Any:
        return (weights * by.affine_transform(image, matrix, offset, order=order, mode=mode)).sum()

    offset, step = np.asarray([0.3021, 0.2017]), RNG.normal(size=(2, 2))
    by_matrix, by_offset = grad(total, argnums=(0, 1))(MATRIX, offset)
    h = 1e-7
    ahead = total(MATRIX + h * step, offset + h * step[0], judge)
    behind = total(MATRIX - h * step, offset - h * step[0], judge)
    along = (by_matrix * step).sum() + (by_offset * step[0]).sum()
    np.testing.assert_allclose(along, (ahead - behind) / (2 * h), rtol=1e-5)


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="coordinates must have the shape"):
        ndimage.map_coordinates(X, AT[:1])
    with pytest.raises(ImageError, match="at least one dimension"):
        ndimage.map_coordinates(np.asarray(1.0), AT)
    with pytest.raises(TypeError, match="map_coordinates: coordinates must hold real numbers"):
        ndimage.map_coordinates(X, AT + 1j)
    with pytest.raises(RuntimeError, match="matrix must have the shape"):
        ndimage.affine_transform(X, np.eye(4))
    with pytest.raises(ArgumentError, match="last row"):
        ndimage.affine_transform(X, np.ones((3, 3)))
    with pytest.raises(ImageError, match="offset must be one number, or 2"):
        ndimage.affine_transform(X, MATRIX, np.zeros(3))
    with pytest.raises(ImageError, match="mapping must return 2"):
        ndimage.geometric_transform(X, lambda at: at[:1])


def test_coordinates_of_numpy_beside_other_images(xp: Any) -> None:
    at = RNG.uniform(0.0, 4.0, size=(2, 3, 2))
    found = ndimage.map_coordinates(xp.asarray(X), at, order=1)
    expected = judge.map_coordinates(X, at, order=1)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-4, atol=1e-5)
