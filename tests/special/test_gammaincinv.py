"""The inverses of the incomplete gamma functions at their edges, and that they are inverses."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.special import chdtri, gammainc, gammaincc, gammainccinv, gammaincinv
from likewise.transforms import grad, jvp

A = np.asarray([-1.0, 0.0, 0.3, 1.0, 30.0, np.inf, np.nan], "float32")
Y = np.asarray([-1.0, 0.0, 1e-30, 0.5, 0.9, 1.0, 1.5, np.inf, np.nan], "float32")[:, None]


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["gammaincinv", "gammainccinv"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    inside = (A == 0) & (Y > 0) & (Y < 1)  # where SciPy has NaN next to one, 0 next to the other
    with np.errstate(all="ignore"):
        expected = np.where(inside, np.nan, getattr(scipy.special, name)(A, Y))
    got = lib.to_numpy(getattr(likewise.special, name)(lib.asarray(A), lib.asarray(Y)))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-37)


@pytest.mark.needs("scipy")
def test_chdtri(lib: Any) -> None:
    import scipy.special

    v = np.asarray([-1.0, 0.3, 1.0, 2.7, 30.0], "float32")
    p = np.asarray([-0.1, 0.0, 1e-20, 0.5, 0.99, 1.0, 1.1], "float32")[:, None]
    got = lib.to_numpy(chdtri(lib.asarray(v), lib.asarray(p)))
    np.testing.assert_allclose(got, scipy.special.chdtri(v, p), rtol=1e-5)


@pytest.mark.parametrize("pair", [(gammainc, gammaincinv), (gammaincc, gammainccinv)])
def test_inverse_of_the_inverse(rng: Any, pair: Any) -> None:
    """To what rounding x changes of the tail, which at large a is much."""
    func, inverse = pair
    a, y = 10 ** rng.uniform(-2, 8, 3000), rng.uniform(size=3000)
    y[::3] = 10 ** rng.uniform(-290, 0, 1000)
    x = inverse.generic(a, y)
    a, x, y = (v[x > 1e-300] for v in (a, x, y))
    found = func.generic(a, x)
    density = x * likewise.special._gammainc.gammainc_density(a, x)
    # What x and a are rounded to counts in the tail as often.
    room = 4e-16 * (8 * y + density * (4 + np.abs(np.log(x))))
    assert np.all(np.abs(found - y) <= room)


def test_monotone_where_starts_change() -> None:
    """In y, also from one start to the next; the derivative tells how much rounding is."""
    y = np.concatenate([np.geomspace(1e-12, 1e-3, 800), np.linspace(2e-3, 0.999, 1500)])
    for a in (1e-3, 0.05, 0.3, 0.499, 0.5, 1.0, 19.9, 150.0, 1e5):
        for x, order in ((gammaincinv.generic(a, y), 1), (gammainccinv.generic(a, y), -1)):
            assert np.all(order * np.diff(x) >= -1e-14 * x[1:])


def test_complements() -> None:
    a, y = np.meshgrid([0.02, 0.7, 3.0, 80.0], np.arange(1, 64) / 64)
    upper = gammainccinv.generic(a, y)
    np.testing.assert_allclose(gammaincinv.generic(a, 1 - y), upper, rtol=1e-15)


def test_tiny_results_underflow() -> None:
    a, y = np.asarray([1e-5, 1e-3, 1e-300]), np.asarray([1e-5, 0.3, 0.999])
    np.testing.assert_array_equal(gammaincinv.generic(a, y), 0.0)


def test_derivatives_at_tiny_probabilities(lib: Any) -> None:
    """Where the density underflows that they are quotients of, in single precision."""
    a, y = (lib.asarray(np.asarray(v, "float32")) for v in (30.0, 1e-36))
    x = lib.to_numpy(gammaincinv(a, y))
    moved = lib.to_numpy(grad(gammaincinv)(a, y))
    steps = [gammaincinv.generic(30.0 + h, 1e-36) for h in (-1e-4, 1e-4)]
    np.testing.assert_allclose(moved, (steps[1] - steps[0]) / 2e-4, rtol=1e-4)
    assert np.isfinite(x)


def test_mixed_derivative(lib: Any) -> None:
    """By differences in y."""
    a, y = (lib.asarray(np.asarray(v, "float32")) for v in (2.0, 0.3))
    mixed = jvp(lambda y: grad(gammaincinv)(a, y), (y,), (y * 0 + 1,))[1]
    h = 1e-4
    slopes = [grad(gammaincinv)(np.asarray(2.0), np.asarray(0.3 + s)) for s in (-h, h)]
    np.testing.assert_allclose(lib.to_numpy(mixed), (slopes[1] - slopes[0]) / (2 * h), rtol=1e-3)
