"""Fisher's exact test and the binomial test, against sums of exact fractions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.stats import binomtest, fisher_exact

SIDES = ("two-sided", "less", "greater")
RNG = np.random.default_rng(4)


def of_table(table: Any, alternative: str) -> float:
    (a, b), (c, d) = [[int(v) for v in row] for row in table]
    if 0 in (a + b, c + d, a + c, b + d):
        return 1.0
    first = range(max(0, a - d), min(a + b, a + c) + 1)
    ways = {x: math.comb(a + b, x) * math.comb(c + d, a + c - x) for x in first}
    kept = {
        "less": lambda x: x <= a,
        "greater": lambda x: x >= a,
        "two-sided": lambda x: ways[x] <= ways[a],
    }[alternative]
    return float(Fraction(sum(w for x, w in ways.items() if kept(x)), sum(ways.values())))


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-no_float64": "its bounds are those of double precision",
        "torch": "its default dtype is of single precision",
    }
)
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("most", [3, 12, 60, 300])
def test_fisher_by_enumeration(xp: Any, alternative: str, most: int) -> None:
    tables = RNG.integers(0, most, (60, 2, 2))
    found = fisher_exact(xp.asarray(tables), alternative)
    wanted = [of_table(t, alternative) for t in tables]
    assert np.allclose(np.asarray(found.pvalue), wanted, rtol=1e-14, atol=0)
    one = scipy.stats.fisher_exact(tables[0], alternative)
    assert np.allclose(np.asarray(found.statistic)[0], one.statistic, equal_nan=True)


@pytest.mark.parametrize("alternative", SIDES)
def test_one_table(xp: Any, alternative: str) -> None:
    """A lone small table goes by whole numbers."""
    for table in [*RNG.integers(0, 9, (30, 2, 2)), np.asarray([[90, 3], [11, 70]])]:
        found = fisher_exact(xp.asarray(table), alternative)
        assert math.isclose(found.pvalue, of_table(table, alternative), rel_tol=1e-6)
        batch = fisher_exact(xp.asarray(table[None]), alternative)
        for one, many in zip(found, batch, strict=True):
            assert np.allclose(float(one), float(many[0]), rtol=1e-6, equal_nan=True)
            assert one.dtype == many.dtype


def test_fisher_far_out() -> None:
    table = [[200, 0], [0, 200]]
    assert math.isclose(fisher_exact(table, "greater").pvalue, of_table(table, "greater"))


def test_fisher_refuses() -> None:
    with pytest.raises(errors.ArgumentError, match="nonnegative"):
        fisher_exact([[1, -1], [2, 3]])
    with pytest.raises(errors.ShapeError, match="2, 2"):
        fisher_exact([[[1, 1, 1], [2, 3, 1]]])
    with pytest.raises(errors.ArgumentError, match="alternative"):
        fisher_exact([[1, 1], [2, 3]], "more")
    with pytest.raises(errors.ArgumentError, match="method"):
        fisher_exact([[1, 1], [2, 3]], method=1)


def of_counts(k: int, n: int, p: float, alternative: str) -> float:
    q = Fraction(p)
    ways = [math.comb(n, j) * q**j * (1 - q) ** (n - j) for j in range(n + 1)]
    if alternative == "two-sided":
        kept = [w for w in ways if w <= ways[k] * (1 + Fraction(1, 10**7))]
    else:
        kept = ways[: k + 1] if alternative == "less" else ways[k:]
    return float(sum(kept))


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("p", [0.5, 0.125, 0.0, 1.0, 0.37])
def test_binomial_by_enumeration(xp: Any, alternative: str, p: float) -> None:
    k, n = [], []
    for size in (1, 2, 7, 16):
        k += range(size + 1)
        n += [size] * (size + 1)
    found = binomtest(xp.asarray(k), xp.asarray(n), p, alternative)
    wanted = [of_counts(a, b, p, alternative) for a, b in zip(k, n, strict=True)]
    dtype = np.asarray(found.pvalue).dtype
    rtol = 1e-13 if dtype == np.float64 else 1e-5
    assert np.allclose(np.asarray(found.pvalue), wanted, rtol=rtol, atol=1e-300)


@pytest.mark.parametrize("alternative", SIDES)
def test_one_count(xp: Any, alternative: str) -> None:
    """Numbers go by a search of their own."""
    for p in (0.0, 0.4, 0.5, 1.0):
        for k, n in ((0, 1), (2, 5), (5, 5), (7, 16), (60, 300)):
            found = binomtest(xp.asarray(k), xp.asarray(n), p, alternative).pvalue
            wanted = of_counts(k, n, p, alternative)
            rtol = 1e-13 * n if "64" in str(found.dtype) else 1e-4
            assert np.allclose(float(found), wanted, rtol=rtol, atol=0)
            found = binomtest(k, n, p, alternative).pvalue
            assert np.allclose(float(found), wanted, rtol=1e-13 * n, atol=0)


@pytest.mark.parametrize("method", ["exact", "wilson", "wilsoncc"])
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(("k", "n"), [(0, 5), (3, 20), (20, 20), (50, 100)])
def test_bounds_of_a_proportion(method: str, alternative: str, k: int, n: int) -> None:
    found = binomtest(k, n, 0.4, alternative).proportion_ci(0.9, method)
    wanted = scipy.stats.binomtest(k, n, 0.4, alternative).proportion_ci(0.9, method)
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.full
def test_binomial_as_scipy() -> None:
    for _ in range(1000):
        n = int(RNG.integers(1, 2000))
        k, p = int(RNG.integers(0, n + 1)), float(RNG.random())
        for side in SIDES:
            found, wanted = binomtest(k, n, p, side), scipy.stats.binomtest(k, n, p, side)
            assert np.isclose(found.pvalue, wanted.pvalue, rtol=1e-9, atol=1e-290)


def test_binomial_refuses() -> None:
    with pytest.raises(errors.ArgumentError, match="greater than n"):
        binomtest(6, 5)
    with pytest.raises(errors.ArgumentError, match="range"):
        binomtest(1, 5, 1.5)
    with pytest.raises(errors.ArgumentError, match=">= 0"):
        binomtest(-1, 5)
    with pytest.raises(TypeError, match="integer"):
        binomtest(1.5, 5)  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="method"):
        binomtest(1, 5).proportion_ci(method="x")
    with pytest.raises(errors.ArgumentError, match="confidence_level"):
        binomtest(1, 5).proportion_ci(2.0)
    assert "less" in repr(binomtest(np.asarray([1, 2]), 5, alternative="less"))
    assert binomtest(1, 5, alternative="less").alternative == "less"
    assert binomtest(1, 5).proportion_estimate == 0.2


def test_a_row_or_a_column_alone_is_certain(xp: Any) -> None:
    for table in ([[1, 2, 3]], [[1], [2], [3]], [[0, 0, 0], [0, 0, 0]]):
        found = fisher_exact(xp.asarray(table))
        assert float(found.statistic) == 1.0 and float(found.pvalue) == 1.0
