"""The inverses of the incomplete beta functions at their edges, and that they are inverses."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.errors import TransformError
from likewise.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    fdtri,
    gammainccinv,
    gammaincinv,
    ndtri,
    stdtrit,
)
from likewise.special._betainc import betainc_density
from likewise.transforms import grad

SHAPES = np.asarray([-1.0, 0.0, 0.3, 30.0, np.inf, np.nan], "float32")
Y = np.asarray([-1.0, 0.0, 1e-10, 0.5, 0.9, 1.0, 1.5, np.nan], "float32")


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["betaincinv", "betainccinv", "fdtri"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    a, b, y = np.meshgrid(SHAPES, SHAPES, Y)
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*(v.astype("float64") for v in (a, b, y)))
    got = lib.to_numpy(getattr(likewise.special, name)(*map(lib.asarray, (a, b, y))))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-30)


@pytest.mark.needs("scipy")
def test_edges_of_student(lib: Any) -> None:
    import scipy.special

    df, p = np.meshgrid(SHAPES, Y)
    with np.errstate(all="ignore"):
        expected = scipy.special.stdtrit(df.astype("float64"), p.astype("float64"))
    expected[(p == 0) & (df > 0)] = -np.inf  # SciPy's is inf
    got = lib.to_numpy(stdtrit(lib.asarray(df), lib.asarray(p)))
    np.testing.assert_allclose(got, expected, rtol=2e-5)


def shapes(rng: Any, n: int) -> Any:
    return 10 ** rng.uniform(-2, 6, n), 10 ** rng.uniform(-2, 6, n), rng.uniform(size=n)


@pytest.mark.parametrize("pair", [(betainc, betaincinv), (betaincc, betainccinv)])
def test_inverse_of_the_inverse(rng: Any, pair: Any) -> None:
    """To what rounding x changes of the tail."""
    func, inverse = pair
    a, b, y = shapes(rng, 3000)
    y[::3] = 10 ** rng.uniform(-290, 0, 1000)
    x = inverse.generic(a, b, y)
    kept = (x > 1e-300) & (x < 1)
    a, b, x, y = (v[kept] for v in (a, b, x, y))
    share = betainc_density(a, b, x) * x
    room = 4e-16 * (8 * y * (1 - np.log(y)) + share * (4 + np.abs(np.log(x))))
    assert np.all(np.abs(func.generic(a, b, x) - y) <= room)


def test_complements(rng: Any) -> None:
    a, b, _ = shapes(rng, 400)
    y = rng.integers(1, 64, 400) / 64
    x = betaincinv.generic(a, b, y)
    np.testing.assert_allclose(betainccinv.generic(a, b, 1 - y), x, rtol=2e-14)
    both = betaincinv.generic(b, a, 1 - y) + x
    np.testing.assert_allclose(both, 1.0, rtol=1e-14)


def test_monotone_where_starts_change() -> None:
    y = np.concatenate([np.geomspace(1e-12, 1e-3, 400), np.linspace(2e-3, 0.999, 800)])
    for a in (0.05, 0.49, 0.99, 3.0, 60.0, 2e4):
        for b in (0.05, 0.49, 1.0, 60.0):
            x = betaincinv.generic(a, b, y)
            assert np.all(np.diff(x) >= -1e-14 * x[1:])


def test_elementary_distributions() -> None:
    p = np.asarray([1e-300, 1e-9, 0.2, 0.5, 0.77, 1 - 1e-9])
    np.testing.assert_allclose(betaincinv.generic(7.0, 1.0, p), p ** (1 / 7), rtol=1e-13)
    below = -np.expm1(np.log1p(-p) / 7)
    np.testing.assert_allclose(betaincinv.generic(1.0, 7.0, p), below, rtol=1e-13)
    inner = p[1:-1]
    cauchy = -1 / np.tan(np.pi * inner)
    np.testing.assert_allclose(stdtrit.generic(1.0, inner), cauchy, rtol=1e-13, atol=1e-15)
    two = (2 * inner - 1) / np.sqrt(2 * inner * (1 - inner))
    np.testing.assert_allclose(stdtrit.generic(2.0, inner), two, rtol=1e-13)
    np.testing.assert_allclose(fdtri.generic(2.0, 2.0, inner), inner / (1 - inner), rtol=1e-13)


def test_limits() -> None:
    """Many degrees of freedom give the gamma and the normal distribution."""
    p = np.asarray([1e-200, 1e-3, 0.4, 0.9])
    x = betaincinv.generic(3.0, 1e14, p) * 1e14
    np.testing.assert_allclose(x, gammaincinv(3.0, p), rtol=1e-12)
    np.testing.assert_allclose(stdtrit.generic(1e18, p), ndtri(p), rtol=1e-15)
    # From one method to the other.
    below, above = stdtrit.generic(0.99999e8, p), stdtrit.generic(1.00001e8, p)
    np.testing.assert_allclose(below - above, below * (1 + below**2) * 5e-14, atol=3e-14)


def test_large_shapes_in_single_precision(lib: Any) -> None:
    """Where next to the mean a difference of logarithms has no digits."""
    a, b = np.asarray([583083.375, 203422.8, 3.2]), np.asarray([5.1, 1.54, 546636.0])
    y = np.asarray([0.26, 0.39, 0.75])
    args = [v.astype("float32") for v in (a, b, y)]
    got = lib.to_numpy(betaincinv(*map(lib.asarray, args)))
    expected = betaincinv.generic(*(v.astype("float64") for v in args))
    np.testing.assert_allclose(got, expected, rtol=3e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_one_shape_too_small_to_be_seen_in_the_other(dtype: str) -> None:
    p = np.asarray([1e-30, 1e-3, 0.4, 0.5, 0.9, 0.99], dtype)
    most = 300 if dtype == "float64" else 36
    a, b = np.meshgrid([0.7, 1.0, 20.0], [10.0**n for n in range(18, most, 11)])
    a, b = (v.astype(dtype)[..., None] for v in (a, b))
    for inverse, like in ((betaincinv, gammaincinv), (betainccinv, gammainccinv)):
        got = inverse.generic(a, b, p)
        np.testing.assert_allclose(got, like.generic(a, p) / b, rtol=100 * np.finfo(dtype).eps)


def test_far_tails_of_student() -> None:
    """Where the odds underflow, there is still t."""
    t = stdtrit.generic(1.0, np.asarray([1e-300, 1e-200]))
    np.testing.assert_allclose(t, [-1e300 / np.pi, -1e200 / np.pi], rtol=1e-12)
    # A power of the probability.
    near, far = stdtrit.generic(0.5, np.asarray([1e-20, 1e-100]))
    np.testing.assert_allclose(far / near, 1e160, rtol=1e-12)


def test_derivatives_at_the_centre(lib: Any) -> None:
    df, p = (lib.asarray(np.asarray(v, "float32")) for v in (4.0, 0.5))
    moved, slope = map(lib.to_numpy, grad(stdtrit, (0, 1))(df, p))
    assert moved == 0
    np.testing.assert_allclose(slope, 8 / 3, rtol=1e-5)  # the density is 3 / 8


def test_no_second_derivative_in_shapes(lib: Any) -> None:
    a, b, y = (lib.asarray(np.asarray(v, "float32")) for v in (2.0, 3.0, 0.3))
    with pytest.raises(TransformError, match="no second derivative in a"):
        grad(grad(betaincinv))(a, b, y)
