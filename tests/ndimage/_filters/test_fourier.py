"""Filters of Fourier transforms, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import DtypeError, ImageError, NotSupported

RNG = np.random.default_rng(39)
NAMES = ["fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift"]


@pytest.mark.parametrize("name", NAMES)
def test_values(xp: Any, name: str) -> None:
    for shape in ((5,), (4, 6), (3, 4, 1)):
        z = RNG.normal(size=shape) + 1j * RNG.normal(size=shape)
        each = tuple(RNG.uniform(0.2, 1.5, len(shape)).tolist())
        for values, options in ((each, {}), (0.7, {"n": 7, "axis": 0}), (0.0, {})):
            function = getattr(ndimage, name)
            expected = getattr(judge, name)(z, values, **options)
            for found in (
                function(xp.asarray(z), values, **options),
                function(xp.asarray(z), xp.asarray(values), **options),
            ):
                np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_dtypes(name: str) -> None:
    x = RNG.normal(size=(4, 5))
    for given, output in ((x, None), (np.round(x).astype(int), None), (x, "complex64")):
        found = getattr(ndimage, name)(given, 0.8, output=output)
        expected = getattr(judge, name)(given, 0.8, output=np.complex64 if output else None)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_settings_leave_the_dtype() -> None:
    x = RNG.normal(size=(4, 5)).astype(np.float32)
    found = ndimage.fourier_uniform(x, np.asarray([1.5, 2.0]))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, judge.fourier_uniform(x, (1.5, 2.0)), rtol=1e-5)


def test_what_is_refused() -> None:
    with pytest.raises(NotSupported, match="up to 3 dimensions"):
        ndimage.fourier_ellipsoid(np.ones((1, 2, 2, 2)), 1.0)
    with pytest.raises(DtypeError, match="complex"):
        ndimage.fourier_shift(np.ones(4), 1.0, output="float64")
    with pytest.raises(ImageError, match="sigma must be one value, or 2"):
        ndimage.fourier_gaussian(np.ones((4, 4)), (1.0, 2.0, 3.0))
