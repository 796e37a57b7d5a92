"""Exponential integrals: edges, recurrence, the order's refusal."""

import warnings
from typing import Any

import numpy as np
import pytest

import likewise
import likewise.special as special
from likewise.errors import TransformError
from likewise.special import exp1, expi, expn
from likewise.transforms import grad

NUMBERS = np.asarray([0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 95.0, 200.0], "float32")


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["exp1", "expi"])
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    got = lib.to_numpy(getattr(special, name)(lib.asarray(NUMBERS)))
    expected = getattr(scipy.special, name)(NUMBERS)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-37)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.needs("scipy")
def test_edges_of_orders(lib: Any) -> None:
    import scipy.special

    n = np.asarray([-1, 0, 1, 2, 50, 100000, np.nan, np.inf], "float32")[:, None]
    got = lib.to_numpy(expn(lib.asarray(n), lib.asarray(NUMBERS)))
    with warnings.catch_warnings():  # that NaN is no whole number
        warnings.simplefilter("ignore")
        expected = scipy.special.expn(n, NUMBERS)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-37)
    cut = lib.to_numpy(expn(lib.asarray(np.asarray([2.9], "float32")), 0.5))
    np.testing.assert_allclose(cut, scipy.special.expn(2, 0.5), rtol=1e-6)


def test_recurrence(lib: Any, rng: Any, leave_out: Any) -> None:
    """DLMF 8.19.12, and 6.6.1 between the two kinds: E1(x) and Ei(-x)."""
    leave_out("float64", not lib.has_float64)
    x = np.exp(rng.uniform(-9, 5, 200))
    n = np.asarray([1.0, 2, 7, 30])[:, None]
    here, ahead = (lib.to_numpy(expn(lib.asarray(k), lib.asarray(x))) for k in (n, n + 1))
    left = np.exp(-x)
    np.testing.assert_allclose((n * ahead + x * here) / left, np.ones((4, 200)), rtol=1e-13)
    first = lib.to_numpy(exp1(lib.asarray(x)))
    np.testing.assert_allclose(here[0], first, rtol=2e-14)
    np.testing.assert_allclose(lib.to_numpy(expi(lib.asarray(-x))), -first, rtol=5e-15)


def total(y: Any) -> Any:
    return likewise.array_namespace(y).sum(y)


def test_derivatives_of_orders(lib: Any) -> None:
    x = lib.asarray(np.asarray([0.4, 2.0, 9.0], "float32"))
    xp = likewise.array_namespace(x)
    for n in (0, 1, 4):
        got = grad(lambda x, n=n: total(expn(n, x)))(x)
        below = xp.exp(-x) * (1 + 1 / x) / x if n == 0 else expn(n - 1, x)
        np.testing.assert_allclose(lib.to_numpy(got), -lib.to_numpy(below), rtol=1e-5)
    with pytest.raises(TransformError, match="no derivative in n"):
        grad(lambda n: total(expn(n, x)))(x)


def test_beyond_the_exponential(leave_out: Any, lib: Any) -> None:
    """Ei is finite where exp(x) isn't any more."""
    leave_out("float64", not lib.has_float64)
    got = lib.to_numpy(expi(lib.asarray(np.asarray([712.0, 716.0, 717.0]))))
    assert np.isfinite(got[:2]).all() and got[2] == np.inf
    assert got[0] == pytest.approx(2.3216800841052e306, rel=1e-13)


@pytest.mark.full
@pytest.mark.needs("scipy")
def test_against_scipy(rng: Any) -> None:
    import scipy.special

    x = np.exp(rng.uniform(-20, 6, 20_000))
    n = np.floor(np.exp(rng.uniform(0, 6, 20_000))) - 1
    for got, theirs in (
        (exp1.generic(x), scipy.special.exp1(x)),
        (expn.generic(n, x), scipy.special.expn(n, x)),
    ):
        np.testing.assert_array_less(np.abs(got - theirs), 2e-15 * (1 + x) * theirs)
