"""Bessel functions of orders 0 and 1, plain and modified: edges, identities, zeros."""

from typing import Any

import numpy as np
import pytest

import likewise.special as special
from likewise.transforms import grad

MODIFIED = "i0 i0e i1 i1e k0 k0e k1 k1e".split()
PLAIN = "j0 j1 y0 y1".split()


def on(lib: Any, name: str, x: Any) -> Any:
    return lib.to_numpy(getattr(special, name)(lib.asarray(x)))


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", MODIFIED + PLAIN)
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    x = np.asarray([0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 1000.0, -1000.0], "float32")
    expected = getattr(scipy.special, name)(x)
    got = on(lib, name, x)
    np.testing.assert_allclose(got, expected, rtol=2e-5)
    zero = got == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


def test_wronskians(lib: Any, rng: Any, leave_out: Any) -> None:
    """DLMF 10.28.2 and 10.5.2, which tie both kinds and orders to each other."""
    leave_out("float64", not lib.has_float64)
    x = np.exp(rng.uniform(-7, 6, 300))
    i0, i1, k0, k1 = (on(lib, name, x) for name in ("i0e", "i1e", "k0e", "k1e"))
    np.testing.assert_allclose(x * (i0 * k1 + i1 * k0), 1.0, rtol=2e-15)
    j0, j1, y0, y1 = (on(lib, name, x) for name in PLAIN)
    np.testing.assert_allclose(np.pi / 2 * x * (j1 * y0 - j0 * y1), 1.0, rtol=1e-14)


def test_signs(lib: Any, rng: Any) -> None:
    x = np.abs(rng.normal(size=100)).astype("float32") * 20
    for name, sign in {"i0": 1, "i0e": 1, "i1": -1, "i1e": -1, "j0": 1, "j1": -1}.items():
        np.testing.assert_array_equal(on(lib, name, -x), sign * on(lib, name, x))


@pytest.mark.parametrize(
    ("name", "zero", "rest", "slope"),
    [
        ("j0", 2.404825557695773, -1.176691651530894e-16, -0.5191474972894667),
        ("j1", 3.8317059702075125, -1.5269184090088067e-16, -0.40275939570255297),
        ("y0", 0.8935769662791675, 2.659623153972038e-17, 0.8794208024971947),
        ("y1", 2.197141326031017, -4.825983587645496e-17, 0.5207864124022675),
    ],
)
def test_digits_at_the_first_zero(
    lib: Any, name: str, zero: float, rest: float, slope: float, leave_out: Any
) -> None:
    """At the double next to a zero, the value is what is left of it, to single precision."""
    leave_out("float64", not lib.has_float64)
    got = float(on(lib, name, np.asarray([zero]))[0])
    assert got == pytest.approx(-rest * slope, rel=1e-6)


def test_slopes_where_formulas_have_a_quotient(lib: Any) -> None:
    zero = lib.asarray(np.asarray(0.0, "float32"))
    wanted = {"i0": 0.0, "i0e": 0.0, "i1": 0.5, "i1e": 0.5, "j0": 0.0, "j1": 0.5}
    wanted |= dict.fromkeys(("k0", "k0e", "k1", "k1e"), -np.inf) | {"y0": np.inf, "y1": np.inf}
    for name, slope in wanted.items():
        assert float(lib.to_numpy(grad(getattr(special, name))(zero))) == slope, name


@pytest.mark.full
@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", MODIFIED + PLAIN)
def test_against_scipy(name: str, rng: Any) -> None:
    """Errors in units of the largest of the value and what a change of the argument makes."""
    import scipy.special

    x = np.exp(rng.uniform(-30, 6.5, 100_000))
    got, theirs = getattr(special, name).generic(x), getattr(scipy.special, name)(x)
    scale = np.abs(theirs)
    if name in PLAIN:
        # SciPy takes a multiple of pi / 4 off the argument, which rounds it.
        scale = np.maximum(scale, np.sqrt(2 / np.pi / np.maximum(x, 1)) * np.maximum(x, 1))
    elif not name.endswith("e"):
        scale = scale * (1 + x)
    assert np.max(np.abs(got - theirs) / scale) <= 4e-15
