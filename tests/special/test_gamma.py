"""The gamma function and its kin at their edges, and identities between them."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.errors import ArgumentError
from likewise.special import (
    beta,
    betaln,
    digamma,
    gamma,
    gammaln,
    gammasgn,
    multigammaln,
    poch,
    polygamma,
    rgamma,
    zeta,
)
from likewise.transforms import grad, vmap

EDGES = np.asarray([-np.inf, -300.5, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0, 40.0, 1e30, np.inf, np.nan])


def test_signs(lib: Any) -> None:
    x = np.asarray([-2.5, -1.5, -0.5, 0.5, 3.0, -2.0, np.nan], "float32")
    got = lib.to_numpy(gammasgn(lib.asarray(x)))
    np.testing.assert_array_equal(got, [-1.0, 1.0, -1.0, 1.0, 1.0, np.nan, np.nan])


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["gamma", "rgamma", "gammaln", "gammasgn", "digamma"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    for dtype in ["float32", "float64"] if lib.has_float64 else ["float32"]:
        with np.errstate(all="ignore"):
            expected = getattr(scipy.special, name)(EDGES.astype(dtype))
        got = lib.to_numpy(getattr(likewise.special, name).generic(lib.asarray(EDGES, dtype)))
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_integers_are_exact(lib: Any) -> None:
    n = np.arange(1, 11)
    got = lib.to_numpy(gamma.generic(lib.asarray(n.astype("float32"))))
    np.testing.assert_array_equal(got[:9], [1, 1, 2, 6, 24, 120, 720, 5040, 40320])


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["beta", "betaln", "poch", "zeta"])
def test_edges_of_two(lib: Any, name: str) -> None:
    import scipy.special

    x = np.asarray([-2.5, -2.0, -1.0, 0.5, 1.0, 3.0, 10.0], "float32")
    y = np.asarray([-1.5, 0.5, 1.0, 2.0, 3.0], "float32")[:, None]
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(x, y)
    got = lib.to_numpy(getattr(likewise.special, name).generic(lib.asarray(x), lib.asarray(y)))
    np.testing.assert_allclose(got, expected, rtol=3e-6, atol=1e-6)


def test_identities(rng: Any) -> None:
    x, y = rng.uniform(-5, 9, 400), rng.uniform(0.1, 9, 400)
    tight = {"rtol": 2e-12}
    np.testing.assert_allclose(gamma.generic(x + 1), x * gamma.generic(x), **tight)
    np.testing.assert_allclose(gamma.generic(x) * rgamma.generic(x), 1.0, **tight)
    np.testing.assert_allclose(
        gamma.generic(x) * gamma.generic(1 - x), np.pi / np.sin(np.pi * x), rtol=1e-11
    )
    np.testing.assert_allclose(
        digamma.generic(x + 1), digamma.generic(x) + 1 / x, rtol=1e-11, atol=1e-11
    )
    np.testing.assert_allclose(beta.generic(x, y), beta.generic(y, x), **tight)
    np.testing.assert_allclose(np.exp(betaln.generic(x, y)), np.abs(beta.generic(x, y)), rtol=1e-11)
    np.testing.assert_allclose(
        beta.generic(x, y + 1) + beta.generic(x + 1, y), beta.generic(x, y), rtol=1e-9
    )
    np.testing.assert_allclose(poch.generic(y, x) * poch.generic(y + x, -x), 1.0, rtol=1e-10)
    s = 1 + y
    np.testing.assert_allclose(zeta(s, y), zeta(s, y + 1) + y**-s, **tight)
    np.testing.assert_allclose(zeta(2.0, y), polygamma(1, y), **tight)


# By mpmath, with 40 digits.
RIEMANN = [
    (-171.5, 4.739302330550545e172),
    (-7.5, 0.00326903957260022),
    (-2.0, 0.0),
    (-1.0, -0.08333333333333333),
    (-0.5, -0.20788622497735457),
    (0.0, -0.5),
    (0.5, -1.4603545088095868),
    (0.999, -999.4228571557879),
    (1.001, 1000.5772884760116),
    (1.5, 2.612375348685488),
    (20.5, 1.0000006745156182),
]


def test_riemann(lib: Any, leave_out: Any) -> None:
    leave_out("float64", not lib.has_float64)
    s, expected = np.asarray(RIEMANN).T
    got = lib.to_numpy(zeta(lib.asarray(s)))
    np.testing.assert_allclose(got, expected, rtol=3e-14)
    assert np.isposinf(lib.to_numpy(zeta(lib.asarray(np.asarray([1.0])))))[0]
    slope = lib.to_numpy(grad(lambda s: likewise.array_namespace(s).sum(zeta(s)))(lib.asarray(s)))
    # zeta'(-2) = -zeta(3) / (4 pi^2); zeta'(0) = -log(2 pi) / 2.
    np.testing.assert_allclose(slope[2], -1.2020569031595942 / (4 * np.pi**2), rtol=1e-13)
    np.testing.assert_allclose(slope[5], -0.5 * np.log(2 * np.pi), rtol=1e-13)
    h = 1e-6
    middle = np.asarray([-7.5, -0.5, 0.5, 1.5])
    expected = (zeta(middle + h) - zeta(middle - h)) / (2 * h)
    np.testing.assert_allclose(slope[[1, 4, 6, 9]], expected, rtol=1e-5)


def test_slopes_at_poles(lib: Any) -> None:
    """1 / gamma is smooth where gamma has poles: its derivative at -n is (-1)^n n!."""
    x = lib.asarray(np.asarray([0.0, -1.0, -2.0, -3.0], "float32"))
    got = grad(lambda x: likewise.array_namespace(x).sum(rgamma(x)))(x)
    np.testing.assert_allclose(lib.to_numpy(got), [1.0, -1.0, 2.0, -6.0], rtol=1e-5)


def test_multigammaln(lib: Any) -> None:
    a = np.asarray([[2.0, 7.5], [0.3, 23.5]], "float32")
    got = lib.to_numpy(multigammaln(lib.asarray(a), 3))
    expected = 1.5 * np.log(np.pi) + sum(
        gammaln(np.where(a > 1, a, np.nan) - j / 2) for j in range(3)
    )
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert multigammaln(lib.asarray(a), 1.0).shape == (2, 2)
    for d in (0, 1.5, True):
        with pytest.raises(ArgumentError, match="d must be a positive integer"):
            multigammaln(lib.asarray(a), d)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("q", [[0.5, 2.0, 7.0], [0.5, -2.5, 7.0]])
def test_zeta_with_and_without_reflection(lib: Any, q: Any) -> None:
    """Where a library compiles, the reflection is a branch, taken if any element needs it."""
    import scipy.special

    s = np.asarray([3.0, 4.0, 2.0], "float32")
    expected = scipy.special.zeta(s.astype("float64"), q)
    args = lib.asarray(s), lib.asarray(np.asarray(q, "float32"))
    for func in (zeta, vmap(zeta)):
        np.testing.assert_allclose(lib.to_numpy(func(*args)), expected, rtol=2e-6)
