"""The incomplete beta functions at their edges, identities, and the distributions made of them."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.special import beta, betainc, betaincc

A = np.asarray([-1.0, 0.0, 0.3, 1.0, 30.0, np.inf, np.nan], "float32")
X = np.asarray([-0.1, 0.0, 0.25, 1.0, 1.1, np.inf, np.nan], "float32")


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["betainc", "betaincc"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    args = A, A[:, None], X[:, None, None]
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*(a.astype("float64") for a in args))
    got = lib.to_numpy(getattr(likewise.special, name).generic(*map(lib.asarray, args)))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def _points(rng: Any, n: int) -> tuple[Any, Any, Any]:
    a, b = 10 ** rng.uniform(-2, 4, n), 10 ** rng.uniform(-2, 4, n)
    p = a / (a + b)
    x = p + np.sqrt(p * (1 - p) / (a + b + 1)) * rng.uniform(-4, 4, n)
    return a, b, np.where((x > 0) & (x < 1), x, rng.uniform(0, 1, n))


def test_identities(rng: Any) -> None:
    a, b, x = _points(rng, 3000)
    lower, upper = betainc.generic(a, b, x), betaincc.generic(a, b, x)
    np.testing.assert_allclose(lower + upper, 1.0, rtol=4e-16 * 4)
    z = 2.0**-20 * np.round(2.0**20 * np.clip(x, 0.01, 0.99))  # 1 - z is exact
    np.testing.assert_allclose(
        betainc.generic(a, b, z), betaincc.generic(b, a, 1 - z), rtol=1e-15, atol=1e-300
    )
    a, b = np.minimum(a, 50), np.minimum(b, 50)
    jump = x**a * (1 - x) ** b / (a * beta(a, b))  # DLMF 8.17.20
    found = betainc.generic(a, b, x) - betainc.generic(a + 1, b, x)
    np.testing.assert_allclose(found, jump, rtol=1e-10, atol=1e-14)


def test_monotone_where_methods_change() -> None:
    """In x, also from one method to the next."""
    for a, b in (
        (0.3, 2.0),
        (1.5, 0.01),
        (3.0, 40.0),
        (199.0, 201.0),
        (201.0, 201.0),
        (900.0, 1e4),
    ):
        p = a / (a + b)
        near = p + np.sqrt(p * (1 - p) / (a + b)) * np.linspace(-12, 12, 4001)
        x = np.sort(np.concatenate([near, np.linspace(0, 1, 2001)]))
        x = x[(x > 0) & (x < 1)]
        for values in (betainc.generic(a, b, x), -betaincc.generic(a, b, x)):
            assert np.all(np.diff(values) >= -4e-15 * np.abs(values[1:])), (a, b)
