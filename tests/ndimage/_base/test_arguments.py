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


EYE = np.eye(3)
NOT_NUMBERS: dict[str, Any] = {
    "gaussian_filter: sigma must be a number": lambda: ndimage.gaussian_filter(EYE, None),
    "gaussian_filter: cval must be a number": lambda: ndimage.gaussian_filter(EYE, 1, cval="a"),
    "median_filter: cval must be a number": lambda: ndimage.median_filter(EYE, 3, cval=None),
    "maximum_filter: cval must be a number": lambda: ndimage.maximum_filter(EYE, 3, cval="a"),
    "laplace: cval must be a number": lambda: ndimage.laplace(EYE, cval="a"),
    "grey_erosion: cval must be a number": lambda: ndimage.grey_erosion(EYE, 3, cval="a"),
    "rotate: angle must be a number": lambda: ndimage.rotate(EYE, "a"),
    "shift: shift must be a number": lambda: ndimage.shift(EYE, None),
    "shift: cval must be a number": lambda: ndimage.shift(EYE, 1, cval="a"),
    "zoom: zoom must be a number": lambda: ndimage.zoom(EYE, [1, "a"]),
    "percentile_filter: percentile must be": lambda: ndimage.percentile_filter(EYE, "a", 3),
    "binary_erosion: border_value must": lambda: ndimage.binary_erosion(EYE, border_value="a"),
    "histogram: max must be a number": lambda: ndimage.histogram(EYE, 0, None, 2),
    "rotate: axes must be two integers": lambda: ndimage.rotate(EYE, 30, axes=1),
    "labeled_comprehension: func must be callable": lambda: ndimage.labeled_comprehension(
        EYE, None, None, 3, float, 0
    ),
}
BAD_NUMBERS: dict[str, Any] = {
    "gaussian_filter: sigma and truncate must be": lambda: ndimage.gaussian_filter(EYE, np.inf),
    "rotate: angle must be finite": lambda: ndimage.rotate(EYE, np.nan),
    "affine_transform: output_shape must hold sizes": lambda: ndimage.affine_transform(
        EYE, EYE, output_shape=(-3, 3)
    ),
    "gaussian_filter: sigma must not be negative or NaN, got nan": lambda: ndimage.gaussian_filter(
        EYE, np.nan
    ),
    "histogram: min and max must be numbers": lambda: ndimage.histogram(EYE, np.nan, 1, 2),
    "distance_transform_edt: sampling must hold": lambda: ndimage.distance_transform_edt(
        EYE, sampling=1j
    ),
    "zoom: zoom must be smaller": lambda: ndimage.zoom(EYE, 1e12),
    "generic_filter: function must be callable": lambda: ndimage.generic_filter(EYE, 3, 3),
    "correlate: weights must hold lists and arrays": lambda: ndimage.correlate(EYE, [[1], EYE[0]]),
}


@pytest.mark.parametrize("said", NOT_NUMBERS)
def test_what_is_no_number(said: str) -> None:
    with pytest.raises(TypeError, match=said):
        NOT_NUMBERS[said]()


@pytest.mark.parametrize("said", BAD_NUMBERS)
def test_numbers_without_a_meaning(said: str) -> None:
    with pytest.raises(ValueError, match=said):
        BAD_NUMBERS[said]()


def test_lists_that_hold_arrays(xp: Any) -> None:
    x, half = xp.asarray(EYE), xp.asarray(0.5)
    for found, expected in (
        (
            ndimage.affine_transform(x, [[half, 0.0], [0.0, half]], order=1),
            ndimage.affine_transform(EYE, [[0.5, 0.0], [0.0, 0.5]], order=1),
        ),
        (ndimage.fourier_gaussian(x, [half, 1.0]), ndimage.fourier_gaussian(EYE, [0.5, 1.0])),
        (ndimage.correlate1d(x, [half, 1.0]), ndimage.correlate1d(EYE, [0.5, 1.0])),
    ):
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-5, atol=1e-6)


HALVES: dict[str, Any] = {
    "gaussian_filter": (1,),
    "median_filter": (3,),
    "uniform_filter": (3,),
    "zoom": (1.5, None, 1),
    "sobel": (),
    "grey_erosion": (3,),
    "correlate": ([[1, 2], [3, 4]],),
    "fourier_gaussian": (1,),
    "binary_erosion": (),
    "label": (),
    "distance_transform_edt": (),
    "maximum": (),
    "spline_filter": (3, "float32"),
}


@pytest.mark.parametrize("name", HALVES)
def test_dtypes_that_scipy_lacks(name: str) -> None:
    function = getattr(ndimage, name)
    expected = function(X, *HALVES[name])
    for dtype in (np.float16, np.longdouble):
        found = function(X.astype(dtype), *HALVES[name])
        found, wanted = (v[0] if name == "label" else v for v in (found, expected))
        np.testing.assert_allclose(np.asarray(found, float), wanted, rtol=3e-3, atol=4e-3)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", HALVES)
def test_halves_of_torch(name: str) -> None:
    import torch

    function = getattr(ndimage, name)
    expected = function(X, *HALVES[name])
    for dtype in (torch.float16, torch.bfloat16):
        found = function(torch.asarray(X, dtype=dtype), *HALVES[name])
        found, wanted = (v[0] if name == "label" else v for v in (found, expected))
        np.testing.assert_allclose(np.asarray(found.double()), wanted, rtol=3e-2, atol=4e-2)


def test_splines_of_halves_need_a_dtype() -> None:
    with pytest.raises(DtypeError, match="Pass output"):
        ndimage.spline_filter(X.astype(np.float16))


@pytest.mark.needs("torch")
def test_sparse_images() -> None:
    import torch

    with pytest.raises(NotSupported, match="to_dense"):
        ndimage.gaussian_filter(torch.eye(3).to_sparse(), 1)
