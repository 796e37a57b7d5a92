"""Complete elliptic integrals and Spence's function: edges and identities."""

from typing import Any

import numpy as np
import pytest

import likewise.special as special
from likewise.special import ellipe, ellipk, ellipkm1, spence
from likewise.transforms import grad


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["ellipk", "ellipkm1", "ellipe", "spence"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    x = np.asarray([0.0, 1.0, -1.0, 1.5, np.inf, -np.inf, np.nan, 1e30, -1e30], "float32")
    expected = getattr(scipy.special, name)(x)
    got = lib.to_numpy(getattr(special, name)(lib.asarray(x)))
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_legendre(lib: Any, rng: Any, leave_out: Any) -> None:
    """DLMF 19.7.1: E K' + E' K - K K' = pi / 2."""
    leave_out("float64", not lib.has_float64)
    m = np.concatenate([rng.uniform(0, 1, 200), np.exp(rng.uniform(-30, 0, 100))])
    k, e, other = (lib.to_numpy(f(lib.asarray(m))) for f in (ellipk, ellipe, ellipkm1))
    rest = lib.to_numpy(ellipe(lib.asarray(1 - m)))
    np.testing.assert_allclose(e * other + rest * k - k * other, np.pi / 2, rtol=2e-14)


def test_means(lib: Any, rng: Any, leave_out: Any) -> None:
    """DLMF 19.8.5, by the arithmetic-geometric mean, of negative parameters too."""
    leave_out("float64", not lib.has_float64)
    m = -np.exp(rng.uniform(-9, 30, 200))
    a, b = np.ones(200), np.sqrt(1 - m)
    for _ in range(12):
        a, b = (a + b) / 2, np.sqrt(a * b)
    np.testing.assert_allclose(lib.to_numpy(ellipk(lib.asarray(m))), np.pi / 2 / a, rtol=2e-15)


def test_dilogarithm(lib: Any, rng: Any, leave_out: Any) -> None:
    """DLMF 25.12.4 and 25.12.6, whose terms aren't those of the method nearby."""
    leave_out("float64", not lib.has_float64)
    x = np.concatenate([rng.uniform(0.01, 0.99, 200), 10.0 ** -np.arange(1, 16)])
    here, there, over = (lib.to_numpy(spence(lib.asarray(z))) for z in (x, 1 - x, 1 / x))
    np.testing.assert_allclose(here + there + np.log(x) * np.log1p(-x), np.pi**2 / 6, rtol=1e-15)
    np.testing.assert_allclose(here + over, -(np.log(x) ** 2) / 2, rtol=1e-13, atol=1e-15)


def test_slopes_at_zero_and_one(lib: Any) -> None:
    """Where formulas are 0 / 0, and where the derivative is infinite."""
    zero, one = (lib.asarray(np.asarray(v, "float32")) for v in (0.0, 1.0))
    found = [
        float(lib.to_numpy(grad(f)(at)))
        for f, at in ((ellipk, zero), (ellipe, zero), (ellipkm1, one), (spence, one))
    ]
    np.testing.assert_allclose(found, [np.pi / 8, -np.pi / 8, -np.pi / 8, -1], rtol=1e-6)
    ends = [float(lib.to_numpy(grad(f)(at))) for f, at in ((ellipk, one), (ellipe, one))]
    np.testing.assert_array_equal(ends, [np.inf, -np.inf])
