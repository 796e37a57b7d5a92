"""Poisson and binomial: distributions against SciPy's, equality across libraries, bad input."""

from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError


def make(lib: Any, seed: int = 42) -> Any:
    return lr.key(seed, namespace=lib.library, device=lib.device)


def fits(x: Any, pmf: Any) -> bool:
    """Chi-square over cells of at least 20 expected values, the rest in one."""
    from scipy import stats

    values = np.arange(x.min(), x.max() + 1)
    expected = x.size * pmf(values)
    keep = expected >= 20
    counts = np.asarray([np.sum(x == v) for v in values[keep]])
    counts = np.append(counts, x.size - counts.sum())
    expected = np.append(expected[keep], x.size - expected[keep].sum())
    if expected[-1] < 5:
        counts[-2] += counts[-1]
        expected[-2] += expected[-1]
        counts, expected = counts[:-1], expected[:-1]
    return bool(stats.chisquare(counts, expected * x.size / expected.sum()).pvalue > 1e-4)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lam", [0.2, 3.0, 9.99, 10.0, 40.0, 1000.0])
def test_poisson_fits(lam: float, dtype: str) -> None:
    from scipy import stats

    x = lr.poisson(lr.key(int(lam)), np.asarray(lam, dtype), 20000)
    assert x.dtype == "int64"
    assert fits(x, stats.poisson(lam).pmf)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (10, 0.5), (30, 0.9), (40, 0.25), (1000, 0.7), (100000, 0.001)]
)
def test_binomial_fits(n: int, p: float, dtype: str) -> None:
    from scipy import stats

    x = lr.binomial(lr.key(n), n, np.asarray(p, dtype), 20000)
    assert 0 <= x.min() <= x.max() <= n
    assert fits(x, stats.binom(n, p).pmf)


def test_large_means_keep_their_variance() -> None:
    x = lr.poisson(lr.key(0), 1e6, 20000)
    assert abs(x.mean() - 1e6) < 5 * 1e3 / np.sqrt(20000)
    assert abs(x.var() / 1e6 - 1) < 5 * np.sqrt(2 / 20000)


def test_libraries_agree(lib: Any) -> None:
    lam = np.asarray([0.5, 4.0, 30.0, 500.0], "float32")
    n, p = (
        np.asarray([5.0, 50.0, 400.0, 0.0], "float32"),
        np.asarray([0.5, 0.1, 0.7, 0.3], "float32"),
    )
    got = lib.to_numpy(lr.poisson(make(lib), lib.asarray(lam), (500, 4)))
    assert np.mean(got != lr.poisson(lr.key(42), lam, (500, 4))) <= 1e-3
    got = lib.to_numpy(lr.binomial(make(lib), lib.asarray(n), lib.asarray(p), (500, 4)))
    assert np.mean(got != lr.binomial(lr.key(42), n, p, (500, 4))) <= 1e-3


@pytest.mark.full
@pytest.mark.parametrize("name", ["torch", "jax", "strict"])
def test_at_most_one_in_ten_thousand_differs(name: str) -> None:
    key = lr.key(1, namespace=name)
    for lam in (np.float32(7.0), np.float32(300.0)):
        own = np.asarray(lam)
        got = likewise.to_numpy(lr.poisson(key, likewise.asarray(own, namespace=name), 200000))
        assert np.mean(got != lr.poisson(lr.key(1), own, 200000)) <= 1e-4


def test_scalars_are_computed_with_in_the_widest_dtype(lib: Any) -> None:
    """Whatever the library's default; without 64-bit types all is float32."""
    key, own = make(lib, 5), lr.key(5)
    mean = (lambda x: x) if lib.has_float64 else (lambda x: np.asarray(x, "float32"))
    for lam in (7.0, 1e5, 1e9):
        got = lib.to_numpy(lr.poisson(key, lam, 20000))
        assert np.mean(got != lr.poisson(own, mean(lam), 20000)) <= 1e-4
    got = lib.to_numpy(lr.binomial(key, 10**9, 0.5, 20000))
    assert np.mean(got != lr.binomial(own, 10**9, mean(0.5), 20000)) <= 1e-4
    if lib.has_float64:
        assert np.gcd.reduce(got) == 1


def test_edges(lib: Any) -> None:
    key = make(lib)
    assert np.all(lib.to_numpy(lr.poisson(key, 0.0, 5)) == 0)
    assert np.all(lib.to_numpy(lr.binomial(key, 7, 0.0, 5)) == 0)
    assert np.all(lib.to_numpy(lr.binomial(key, 7, 1.0, 5)) == 7)
    assert np.all(lib.to_numpy(lr.binomial(key, 0, 0.5, 5)) == 0)
    assert np.all(lib.to_numpy(lr.binomial(key, 500, 1.0, 5)) == 500)
    assert lib.to_numpy(lr.poisson(key, 3.0)).shape == ()
    assert lib.to_numpy(lr.poisson(key, 3.0, (0, 2))).shape == (0, 2)
    assert lib.to_numpy(lr.binomial(key, 3, 0.5, 2, "float32")).dtype == "float32"


def test_bad_input(lib: Any) -> None:
    key = make(lib)
    with pytest.raises(ArgumentError, match="poisson: lam must be finite and at least 0"):
        lr.poisson(key, -1.0)
    with pytest.raises(ArgumentError, match="binomial: n must be whole and at least 0"):
        lr.binomial(key, -1, 0.5)
    with pytest.raises(ArgumentError, match=r"binomial: p must be in \[0, 1\]"):
        lr.binomial(key, 1, 1.5)
    for call, message in (
        (lambda: lr.poisson(key, 1000.0, 3, "int8"), "lam must be at most 14 for counts of .*int8"),
        (lambda: lr.poisson(key, 1e30, 2), "lam must be at most [0-9]{10,19} for counts of "),
        (lambda: lr.binomial(key, 1e30, 0.5), "n must be at most [0-9]{10,19} for counts of "),
        (lambda: lr.binomial(key, 128, 0.5, 3, "int8"), "n must be at most 127 for counts of "),
        (lambda: lr.binomial(key, 2.5, 0.5), "n must be whole and at least 0, got 2.5"),
    ):
        with pytest.raises(ArgumentError, match=message):
            call()
    assert np.all(np.isfinite(lib.to_numpy(lr.poisson(key, 1e30, 2, "float32"))))
    bad = lib.asarray([-1.0, np.nan, 2.0])
    if likewise.is_lazy(bad):
        got = lib.to_numpy(lr.poisson(key, bad))
        np.testing.assert_array_equal(got[:2], [-1, -1])
        assert got[2] >= 0
        assert lib.to_numpy(lr.binomial(key, 4, bad))[0] == -1
        large = lib.asarray([1e30, 1e5])
        assert np.all(lib.to_numpy(lr.poisson(key, large, dtype="int8")) == 127)
        assert np.all(lib.to_numpy(lr.binomial(key, large, 0.5, dtype="int8")) == 127)
    elif not lib.jit:
        with pytest.raises(ArgumentError, match="poisson: lam must be finite"):
            lr.poisson(key, bad)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_bad_input_under_jit() -> None:
    import jax

    key = lr.key(0, namespace="jax")
    lam = np.asarray([-1.0, np.nan, 1e30, 1e5], "float32")
    for dtype, wanted in (("int8", [-1, -1, 127, 127]), ("uint8", [0, 0, 255, 255])):
        got = jax.jit(lambda lam, dtype=dtype: lr.poisson(key, lam, dtype=dtype))(lam)
        np.testing.assert_array_equal(np.asarray(got), wanted)
    got = jax.jit(lambda n: lr.binomial(key, n, 0.5, dtype="int8"))(lam)
    np.testing.assert_array_equal(np.asarray(got), [-1, -1, 127, 127])
    got = jax.jit(lambda n: lr.binomial(key, n, 1.0))(np.asarray([2.5], "float32"))
    np.testing.assert_array_equal(np.asarray(got), [2])


def test_many_trials_in_single_precision() -> None:
    """A product of two counts is beyond float32."""
    n = np.asarray(1e30, "float32")
    x = lr.binomial(lr.key(1), n, np.asarray(1e-28, "float32"), 4000, "float32")
    assert abs(x.mean(dtype="float64") - 100) < 4 * 10 / np.sqrt(4000)
    x = lr.binomial(lr.key(1), n, np.asarray(3e-10, "float32"), 4000, "float32")
    spread = (x.astype("float64") / 3e20 - 1).std() * np.sqrt(3e20)
    assert np.all(np.isfinite(x)) and spread < 1e4  # the grid of float32 is as wide


def test_deviance_near_and_far_from_the_mean() -> None:
    """Against the same in rationals' logarithm, where the difference of terms would cancel."""
    import math

    from likewise.random._counts import _deviance

    xp = likewise.namespace("numpy")
    for x, mean in ((100.0, 119.0), (100.0, 82.0), (1e6, 1.001e6), (40.0, 40.5), (3.0, 50.0)):
        v = (x - mean) / mean  # x log(x / mean) + mean - x = mean ((1 + v) log(1 + v) - v)
        if abs(v) < 0.3:
            terms = ((-1) ** k * v**k / (k * (k - 1)) for k in range(2, 90))
            wanted = mean * math.fsum(terms)
        else:
            wanted = x * math.log(x / mean) + mean - x
        got = _deviance(xp, np.asarray(x), np.asarray(mean))
        np.testing.assert_allclose(got, wanted, rtol=1e-10)
