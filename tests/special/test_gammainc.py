"""The incomplete gamma functions at their edges, identities, and the distributions made of them."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise import array_namespace
from likewise.special import gammainc, gammaincc, rgamma
from likewise.transforms import grad, jvp

A = np.asarray([-1.0, 0.0, 0.3, 1.0, 30.0, np.inf, np.nan], "float32")
X = np.asarray([-1.0, 0.0, 0.5, 25.0, 200.0, np.inf, np.nan], "float32")[:, None]


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(A, X)
    got = lib.to_numpy(getattr(likewise.special, name).generic(lib.asarray(A), lib.asarray(X)))
    size = np.abs(expected)
    kept = ~((size < 1e-37) & (size > 0))
    np.testing.assert_allclose(got[kept], expected[kept], rtol=1e-5)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["chdtr", "chdtrc", "gdtr", "pdtr", "pdtrc"])
def test_distributions(lib: Any, name: str) -> None:
    import scipy.special

    k = np.asarray([-1.0, 0.3, 1.0, 2.7, 30.0], "float32")
    x = np.asarray([-1.0, 0.0, 0.5, 25.0], "float32")[:, None]
    args = (np.float32(0.5) * np.ones_like(k), k, x) if name == "gdtr" else (k, x)
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*args)
    got = lib.to_numpy(getattr(likewise.special, name)(*map(lib.asarray, args)))
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-30)


def test_identities(rng: Any) -> None:
    a, x = 10 ** rng.uniform(-2, 3, 3000), 10 ** rng.uniform(-2, 3, 3000)
    lower, upper = gammainc.generic(a, x), gammaincc.generic(a, x)
    np.testing.assert_allclose(lower + upper, 1.0, rtol=4e-16 * 4)
    a = np.minimum(a, 100)
    jump = x**a * np.exp(-x) * rgamma(a + 1)  # DLMF 8.8.5
    found = gammainc.generic(a, x) - gammainc.generic(a + 1, x)
    np.testing.assert_allclose(found, jump, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_never_above_one(dtype: str) -> None:
    a, x = np.asarray([1e-20, 6.602347557560506e-10]), np.asarray([1.0, 2.0275875556308165e-07])
    assert np.all(gammainc.generic(a.astype(dtype), x.astype(dtype)) <= 1)


def test_monotone_where_methods_change() -> None:
    """In x, also from one method to the next."""
    for a in (0.5, 3.0, 19.99, 20.0, 35.0, 150.0, 1e4):
        x = a * np.linspace(0.3, 2.0, 4001)
        for values in (gammainc.generic(a, x), -gammaincc.generic(a, x)):
            assert np.all(np.diff(values) >= -2e-15 * np.abs(values[1:]))


# a, x, and the second derivative of gammainc in a by mpmath: series, fraction, Temme's expansion.
BENDS = np.asarray(
    [
        [2.7, 1.4, 0.14628055033559098],
        [0.3, 0.1, 2.051977506711674],
        [0.3, 5.0, -0.010111517753331838],
        [30.0, 29.0, 0.002489494231511442],
        [30.0, 60.0, -3.534937036753765e-06],
        [100.0, 98.0, 0.0007994645978663688],
        [1000.0, 1010.0, -0.00011887289008597825],
        [50.0, 20.0, 1.0729710192775639e-08],
    ]
)


def test_second_derivative_in_a(lib: Any) -> None:
    dtype = "float64" if lib.has_float64 else "float32"
    a, x, expected = BENDS.T
    given, at = lib.asarray(a.astype(dtype)), lib.asarray(x.astype(dtype))

    def slopes(a: Any) -> Any:
        xp = array_namespace(a)
        return grad(lambda a: xp.sum(gammainc(a, at)))(a)

    bends = jvp(slopes, (given,), (given * 0 + 1,))[1]
    rtol = 1e-10 if lib.has_float64 else 1e-3
    np.testing.assert_allclose(lib.to_numpy(bends), expected, rtol=rtol)


def test_mixed_derivative(lib: Any) -> None:
    a, x = (lib.asarray(np.asarray(v, "float32")) for v in (2.0, 1.5))
    mixed = jvp(lambda x: grad(gammainc)(a, x), (x,), (x * 0 + 1,))[1]
    density = 1.5 * np.exp(-1.5)
    expected = density * (np.log(1.5) - 0.42278433509846714)
    np.testing.assert_allclose(lib.to_numpy(mixed), expected, rtol=1e-4)
