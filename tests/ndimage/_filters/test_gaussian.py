"""Gaussian filters, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage
from likewise.errors import ArgumentError, ImageError
from likewise.transforms import grad

from ..closeness import close

RNG = np.random.default_rng(34)
X = RNG.normal(size=(5, 4))


@pytest.mark.parametrize("order", [0, 1, 2, 3, (0, 2)])
def test_values(xp: Any, order: Any) -> None:
    found = ndimage.gaussian_filter(xp.asarray(X), (0.7, 1.3), order, mode=("wrap", "nearest"))
    expected = judge.gaussian_filter(X, (0.7, 1.3), order, mode=("wrap", "nearest"))
    close(found, expected)


def test_one_axis(xp: Any) -> None:
    for options in ({"truncate": 2.0}, {"radius": 1}, {"axis": 0, "order": 1}):
        found = ndimage.gaussian_filter1d(xp.asarray(X), 0.9, **options)
        expected = judge.gaussian_filter1d(X, 0.9, **options)
        close(found, expected)


def test_axes_and_no_width() -> None:
    x = RNG.normal(size=(2, 5, 3))
    for sigma, axes in ((1.0, (1, 2)), ((0.0, 2.0), (0, 1)), (0.0, None), (1.0, ())):
        found = ndimage.gaussian_filter(x, sigma, axes=axes)
        np.testing.assert_allclose(found, judge.gaussian_filter(x, sigma, axes=axes), rtol=1e-12)
        assert found is not x


@pytest.mark.parametrize("order", [0, 1, 2])
def test_derivative_in_the_width(order: int) -> None:
    weights = RNG.normal(size=X.shape)

    def total(sigma: Any, by: Any = ndimage) -> Any:
        return (weights * by.gaussian_filter(X, sigma, order, radius=5)).sum()

    h = 1e-5
    by_differences = (total(1.2 + h, judge) - total(1.2 - h, judge)) / (2 * h)
    np.testing.assert_allclose(grad(total)(np.asarray(1.2)), by_differences, rtol=1e-7)


def test_what_is_refused() -> None:
    with pytest.raises(ArgumentError, match="sigma must not be negative"):
        ndimage.gaussian_filter(X, -1.0)
    with pytest.raises(ArgumentError, match="order"):
        ndimage.gaussian_filter1d(X, 1.0, order=-1)
    with pytest.raises(ArgumentError, match="radius"):
        ndimage.gaussian_filter1d(X, 1.0, radius=1.5)
    with pytest.raises(ImageError, match="sigma must be one value, or 2"):
        ndimage.gaussian_filter(X, (1.0, 2.0, 3.0))
