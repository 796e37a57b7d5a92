"""Coefficients of splines, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ImageError, NotSupported

RNG = np.random.default_rng(35)
X = RNG.normal(size=(23, 4))


@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("mode", ["mirror", "reflect", "grid-wrap", "wrap", "nearest"])
def test_coefficients(order: int, mode: str) -> None:
    found = ndimage.spline_filter1d.generic(X, order, 0, mode=mode)
    expected = judge.spline_filter1d(X, order, 0, mode=mode)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_all_axes(xp: Any) -> None:
    found = ndimage.spline_filter1d(xp.asarray(X), 3, axis=0)
    expected = judge.spline_filter1d(X, 3, axis=0)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-4, atol=1e-5)
    found = ndimage.spline_filter(xp.asarray(X), 4)
    np.testing.assert_allclose(to_numpy(found), judge.spline_filter(X, 4), rtol=1e-4, atol=1e-5)


def test_a_spline_of_few_elements_goes_through_them() -> None:
    """SciPy before 1.18 misses them in 'reflect'."""
    x = X[:3, :2]
    for function in (ndimage.map_coordinates, ndimage.map_coordinates.generic):
        for order in (2, 3, 4, 5):
            found = function(x, np.indices(x.shape), order=order, mode="reflect")
            np.testing.assert_allclose(found, x, rtol=1e-12, atol=1e-13)


def test_dtypes() -> None:
    for dtype, output in (("uint8", None), ("complex64", None), ("int16", "int32")):
        x = (50 * X).astype(dtype)
        options = {} if output is None else {"output": output}
        found = ndimage.spline_filter1d(x, 3, 0, **options)
        kind = output or ("complex64" if dtype == "complex64" else "float64")
        assert found.dtype == kind
        expected = judge.spline_filter1d(x, 3, 0, output=np.dtype(kind))
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_orders_without_a_filter() -> None:
    for order in (0, 1):
        np.testing.assert_array_equal(ndimage.spline_filter1d.generic(X, order), X)


def test_what_is_refused() -> None:
    with pytest.raises(ImageError, match="order must be one of 2 to 5"):
        ndimage.spline_filter(X, 1)
    with pytest.raises(RuntimeError, match="order must be one of 0 to 5"):
        ndimage.spline_filter1d(X, 6)
    with pytest.raises(ImageError, match="mode"):
        ndimage.spline_filter1d(X, mode="edge")
    with pytest.raises(NotSupported, match="output must be a dtype"):
        ndimage.spline_filter(X, output=X)
