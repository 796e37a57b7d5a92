"""Choices, arrangements and factorials: SciPy's meaning, whole numbers exact."""

import math
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.errors import ArgumentError, DtypeError
from likewise.special import binom, comb, factorial, factorial2, perm
from likewise.transforms import grad

N = np.asarray([-3.0, -1.0, 0.0, 1.0, 4.0, 7.0, 10.0, 2.5])
K = np.asarray([-2.0, 0.0, 1.0, 3.0, 4.0, 0.5])[:, None]


@pytest.mark.parametrize("name", ["comb", "perm"])
def test_as_python_counts(lib: Any, name: str) -> None:
    n, k = [5, 7, 10, 3, 12], [2, 7, 3, 5, 0]
    args = (lib.asarray(np.asarray(a, "float32")) for a in (n, k))
    got = lib.to_numpy(getattr(likewise.special, name)(*args))
    np.testing.assert_array_equal(got, [getattr(math, name)(*a) for a in zip(n, k, strict=True)])


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["comb", "perm", "binom"])
def test_against_scipy(lib: Any, name: str) -> None:
    import scipy.special

    n, k = N.astype("float32"), K.astype("float32")
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(n, k)
        again = scipy.special.comb(n, k, repetition=True)
    got = lib.to_numpy(getattr(likewise.special, name).generic(lib.asarray(n), lib.asarray(k)))
    np.testing.assert_allclose(got, expected, rtol=2e-6)
    whole = (expected == np.round(expected)) & np.isfinite(expected)
    np.testing.assert_array_equal(got[whole], expected[whole])
    if name == "comb":
        found = lib.to_numpy(comb(lib.asarray(n), lib.asarray(k), repetition=True))
        np.testing.assert_allclose(found, again, rtol=2e-6)


def test_many_of_a_negative_number(lib: Any, leave_out: Any) -> None:
    """Where the factorial leaves the range; by mpmath, of 60 and of 120 digits."""
    leave_out("float64", not lib.has_float64)
    n, k = (
        lib.asarray(np.asarray(v))
        for v in ([-0.5, -0.5, -2.5, -(2.0**-10)], [300.0, 1e6, 401.0, 1e4])
    )
    values = [0.032559931334979676, 0.0005641895130240628, -6068.86769521446, 9.859405708189656e-08]
    # Stirling's powers: some units of a logarithm of up to 14 times a shape of 2.5.
    np.testing.assert_allclose(lib.to_numpy(binom(n, k)), values, rtol=1e-14)


def test_more_than_there_are(lib: Any) -> None:
    """Of a number that is not whole, more than it: by mpmath, of 60 digits and of 120.

    What the number is more than a whole one is lost in their difference.
    """
    n, k = [1e-20, 1e-20, 0.25, 2.5, 1.25], [3, 6, 1000, 100000, 4000]
    values = [3.33333322755e-21, -1.66666661378e-21, -3.62847461157e-5, -3.34537907638e-18]
    got = binom(*(lib.asarray(np.asarray(v, np.float32)) for v in (n, k)))
    np.testing.assert_allclose(lib.to_numpy(got), [*values, 2.00485953162e-9], rtol=2e-5)


def test_powers_beyond_the_range(lib: Any) -> None:
    n, k = [2.0**64, 1e30, 2e16], [2.0, 60.0, -40.5]
    got = binom(*(lib.asarray(np.asarray(v, np.float32)) for v in (n, k)))
    np.testing.assert_allclose(lib.to_numpy(got), [2.0**127, np.inf, 0], rtol=1e-5)


def test_integers(lib: Any) -> None:
    n = lib.asarray(np.arange(12))
    for func, ours in ((math.comb, comb), (math.perm, perm)):
        got = lib.to_numpy(ours(n, 3))
        assert got.dtype.kind == "f"
        np.testing.assert_array_equal(got, [func(i, 3) for i in range(12)])


@pytest.mark.parametrize("name", ["factorial", "factorial2"])
def test_factorials(lib: Any, name: str) -> None:
    func = getattr(likewise.special, name)
    n = np.arange(-3, 16)
    expected = [func(int(i), exact=True) for i in n]
    got = lib.to_numpy(func(lib.asarray(n)))
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    np.testing.assert_array_equal(got[:12], expected[:12])
    assert func(5) == {"factorial": 120, "factorial2": 15}[name]


@pytest.mark.needs("scipy")
def test_factorials_of_real_numbers() -> None:
    import scipy.special

    x = np.asarray([-2.5, -0.5, 0.0, 0.3, 4.0, 7.5, 300.0, np.nan])
    np.testing.assert_allclose(factorial(x), scipy.special.factorial(x), rtol=1e-13)
    for ours, theirs in (
        (factorial, scipy.special.factorial),
        (factorial2, scipy.special.factorial2),
    ):
        np.testing.assert_allclose(
            ours(x, extend="complex"), theirs(x, extend="complex"), rtol=1e-13
        )
    n = np.asarray([-1, 0, 7, 150, 300, 301])
    np.testing.assert_allclose(factorial2(n), scipy.special.factorial2(n), rtol=1e-13)


def test_exact() -> None:
    assert comb(60, 30, exact=True) == math.comb(60, 30)
    assert comb(3, 5, exact=True) == comb(-3, 2, exact=True) == 0
    assert comb(5, 3, exact=True, repetition=True) == 35
    assert comb(0, 0, exact=True, repetition=True) == 1
    assert perm(30, 20, exact=True) == math.perm(30, 20)
    assert perm(np.int64(4), 2.0, exact=True) == 12  # type: ignore[arg-type]
    assert factorial(30, exact=True) == math.factorial(30)
    assert factorial2(9, exact=True) == 945
    assert factorial(-1, exact=True) == factorial2(-4, exact=True) == 0


def test_what_is_refused(lib: Any) -> None:
    x = lib.asarray(np.asarray([3, 4]))
    for call in (
        lambda: comb(x, 2, exact=True),
        lambda: perm(x, 2, exact=True),
        lambda: factorial(x, exact=True),
    ):
        with pytest.raises(ArgumentError, match="with exact=True arguments must be Python's"):
            call()
    with pytest.raises(ArgumentError, match=r"must be whole numbers, got 2\.5"):
        comb(5, 2.5, exact=True)
    with pytest.raises(ArgumentError, match="extend='complex' for others; got both"):
        factorial(3, exact=True, extend="complex")
    with pytest.raises(ArgumentError, match="extend must be one of"):
        factorial(3, extend="no")
    with pytest.raises(DtypeError, match="factorial2: n must hold integers"):
        factorial2(lib.asarray(np.asarray([2.0], "float32")))


def test_slopes_at_zeros(lib: Any) -> None:
    """Where a choice is impossible, the coefficient goes through zero with a finite slope."""

    def total(n: Any, k: Any) -> Any:
        return likewise.array_namespace(n).sum(binom(n, k))

    n, k = np.asarray([2.0, 3.0, 4.0]), np.asarray([3.0, 5.0, -1.0])
    found = grad(total, (0, 1))(lib.asarray(n, "float32"), lib.asarray(k, "float32"))
    h = 1e-6
    expected = (
        (binom(n + h, k) - binom(n - h, k)) / (2 * h),
        (binom(n, k + h) - binom(n, k - h)) / (2 * h),
    )
    for got, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(lib.to_numpy(got), right, rtol=1e-4, atol=1e-6)
