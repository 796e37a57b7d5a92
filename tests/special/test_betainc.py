"""The incomplete beta functions at their edges, identities, and the distributions made of them."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.special import bdtr, bdtrc, beta, betainc, betaincc, nbdtr, stdtr
from likewise.transforms import grad

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


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["stdtr", "fdtr", "fdtrc"])
def test_edges_of_distributions(lib: Any, name: str) -> None:
    import scipy.special

    shapes = np.asarray([-1.0, 0.0, 0.5, 2.0, 30.0, np.inf, np.nan], "float32")
    x = np.asarray([-np.inf, -3, -1e-20, 0, 1e-20, 0.5, 40, np.inf, np.nan], "float32")
    args = np.meshgrid(*[shapes] * (1 if name == "stdtr" else 2), x, copy=True)
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*(a.astype("float64") for a in args))
    got = lib.to_numpy(getattr(likewise.special, name).generic(*map(lib.asarray, args)))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-37)


def test_student_where_the_square_overflows(lib: Any) -> None:
    t = lib.asarray(np.asarray([-1e25, -3e36, 1e30], "float32"))
    got = lib.to_numpy(stdtr(lib.asarray(np.asarray(1.0, "float32")), t))
    np.testing.assert_allclose(got, [1 / (np.pi * 1e25), 1 / (np.pi * 3e36), 1.0], rtol=1e-5)
    slopes = grad(lambda df, t: stdtr(df, t), (0, 1))(
        *(lib.asarray(np.float32(v)) for v in (1, -1e25))
    )
    # Of log(gamma(1 + df / 2) / gamma((1 + df) / 2)) and of df log(df / t^2) / 2.
    expected = [-(np.log(1e25) + 0.5 - np.log(2)) / (np.pi * 1e25), 0.0]
    np.testing.assert_allclose([float(lib.to_numpy(s)) for s in slopes], expected, rtol=1e-4)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["bdtr", "bdtrc", "nbdtr"])
def test_counts(lib: Any, name: str) -> None:
    import scipy.special

    k = np.asarray([-2, -1, -0.5, 0, 0.5, 1, 2, 2.5, 3, 50, np.inf, np.nan], "float32")
    n = np.asarray([-1, -0.5, 0, 0.5, 1, 2, 2.75, 60, np.inf, np.nan], "float32")
    p = np.asarray([-0.1, 0, 0.25, 1, 1.1, np.nan], "float32")
    args = np.meshgrid(k, n, p)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's: of counts that aren't whole
        expected = getattr(scipy.special, name)(*(a.astype("float64") for a in args))
    got = lib.to_numpy(getattr(likewise.special, name)(*map(lib.asarray, args)))
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-37)


def total(x: Any) -> Any:
    return likewise.array_namespace(x).sum(x)


def test_derivatives_of_counts(lib: Any) -> None:
    """Also where all trials may succeed, and next to what is outside of the domain."""
    k, n, p = (lib.asarray(np.asarray(v, "float32")) for v in ([1, 4, -1], [4, 4, 4], [0.25] * 3))
    density = 12 * 0.25 * 0.75**2  # of the second success in four trials
    for func, expected in ((bdtr, [-density, 0, 0]), (bdtrc, [density, 0, 0])):
        kept = [True, True, func is bdtrc]
        got = lib.to_numpy(grad(lambda p, f=func: total(f(k, n, p)))(p))
        np.testing.assert_allclose(got[kept], np.asarray(expected)[kept], rtol=1e-5)
    got = lib.to_numpy(grad(lambda p: total(nbdtr(k[:1], n[:1], p)))(p[:1]))
    np.testing.assert_allclose(got, [20 * 0.25**3 * 0.75], rtol=1e-5)


def _points(rng: Any, n: int) -> tuple[Any, Any, Any]:
    a, b = 10 ** rng.uniform(-2, 4, n), 10 ** rng.uniform(-2, 4, n)
    p = a / (a + b)
    x = p + np.sqrt(p * (1 - p) / (a + b + 1)) * rng.uniform(-4, 4, n)
    return a, b, np.where((x > 0) & (x < 1), x, rng.uniform(0, 1, n))


def test_mixed_derivative_of_student(lib: Any) -> None:
    df, t = (lib.asarray(np.asarray(v, "float32")) for v in (3.0, 0.5))
    got = grad(lambda n: grad(stdtr, 1)(n, t))(df)

    def density(n: float) -> float:
        scale = math.lgamma(0.5 * n + 0.5) - math.lgamma(0.5 * n) - 0.5 * math.log(n * math.pi)
        return math.exp(scale - 0.5 * (n + 1) * math.log1p(0.25 / n))

    slope = (density(3.0 + 1e-4) - density(3.0 - 1e-4)) / 2e-4
    np.testing.assert_allclose(lib.to_numpy(got), slope, rtol=1e-4)


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


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    ("name", "most", "with_gradient"), [("betainc", 1800, 6500), ("betaincinv", 4000, 9500)]
)
def test_a_compiler_reads_no_more_than_it_must(name: str, most: int, with_gradient: int) -> None:
    """Operations, for each of which it takes about as long."""
    import jax

    func = getattr(likewise.special, name)
    both = jax.value_and_grad(lambda *args: jax.numpy.sum(func(*args)), (0, 1, 2))
    args = [jax.numpy.full(3, v, "float32") for v in (2.7, 1.4, 0.6)]
    for f, limit in ((func, most), (both, with_gradient)):
        assert jax.jit(f).lower(*args).as_text().count(" = ") <= limit
