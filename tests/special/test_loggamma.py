"""The complex logarithm of the gamma function."""

from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, device
from likewise.special import digamma, gammaln, loggamma
from likewise.transforms import grad


def points() -> Any:
    rng = np.random.default_rng(5)
    z = rng.uniform(-12, 12, 120) + 1j * rng.uniform(-10, 10, 120)
    near = np.asarray([1 + 1e-6j, 1.1 - 0.1j, 2 - 1e-6j, 1.9 + 0.15j, -0.5 + 1e-9j, -3.5 - 1e-9j])
    far = np.asarray([1e5 + 1e5j, -1e3 + 8j, 3e3 - 1j, 0.1 - 500j, 1e-9 + 1e-9j, -6.5 + 6.9j])
    return np.concatenate([z, near, far])


@pytest.mark.needs("scipy")
def test_some_points(lib: Any) -> None:
    import scipy.special

    z = np.asarray([1 + 1j, -2.5 + 0.5j, 10 - 3j, 0.1 - 50j, -6.5 + 6.9j], "complex64")
    got = lib.to_numpy(loggamma(lib.asarray(z)))
    assert got.dtype == "complex64"
    np.testing.assert_allclose(got, scipy.special.loggamma(z.astype("complex128")), rtol=1e-5)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_complex(lib: Any, dtype: str, leave_out: Any) -> None:
    import scipy.special

    leave_out("float64", dtype == "float64" and not lib.has_float64)
    kind = "complex128" if dtype == "float64" else "complex64"
    z = points().astype(kind)
    expected = scipy.special.loggamma(z.astype("complex128"))
    got = lib.to_numpy(loggamma.generic(lib.asarray(z)))
    assert got.dtype == kind
    condition = 1 + np.abs(z * scipy.special.digamma(z.astype("complex128")) / expected)
    error = np.abs(got - expected) / np.abs(expected) / condition
    assert np.max(error) < 8 * np.finfo(dtype).eps


def test_the_cut_and_the_poles(lib: Any) -> None:
    z = np.asarray([complex(-2.5, 0.0), complex(-2.5, -0.0), 0j, -3 + 0j], "complex64")
    got = lib.to_numpy(loggamma.generic(lib.asarray(z)))
    np.testing.assert_allclose(got[:2].imag, [-3 * np.pi, 3 * np.pi], rtol=1e-6)
    assert np.all(np.isnan(got[2:]))
    x = np.asarray([-0.5, 0.0, 0.3, 5.0, np.inf], "float32")
    real = lib.to_numpy(loggamma.generic(lib.asarray(x)))
    np.testing.assert_allclose(real, [np.nan, *gammaln(x[1:])], rtol=1e-5)


def test_derivatives(lib: Any) -> None:
    """Of the real part along both axes, by what digamma is on the right and by reflection."""
    x = lib.asarray(np.asarray([0.7, 4.5], "float32"))
    slope = grad(lambda x: array_namespace(x).sum(loggamma(x)))(x)
    np.testing.assert_allclose(lib.to_numpy(slope), digamma(np.asarray([0.7, 4.5])), rtol=1e-5)

    def real_part(x: Any) -> Any:
        xp = array_namespace(x)
        above = xp.asarray(0.75j, dtype=xp.complex64, device=device(x))
        return xp.sum(xp.real(loggamma(x + above)))

    at = np.asarray([0.7, -1.3])
    found = lib.to_numpy(grad(real_part)(lib.asarray(at, "float32")))
    h = 1e-6
    expected = (loggamma(at + h + 0.75j) - loggamma(at - h + 0.75j)).real / (2 * h)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
