"""Somers's D, against SciPy's and pairs that are counted."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, to_numpy
from likewise.stats import somersd

RNG = np.random.default_rng(90)
TABLES = RNG.integers(0, 9, (5, 3, 4))


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_tables_have_scipys_values(xp: Any, alternative: str) -> None:
    found = somersd(xp.asarray(TABLES, dtype=xp.float64), alternative=alternative)
    each = [judge.somersd(t, alternative=alternative) for t in TABLES]
    np.testing.assert_allclose(to_numpy(found.statistic), [e.statistic for e in each], rtol=1e-13)
    np.testing.assert_allclose(to_numpy(found.pvalue), [e.pvalue for e in each], rtol=1e-11)
    assert found.correlation is found.statistic


@pytest.mark.parametrize("rounds", [10, pytest.param(300, marks=pytest.mark.full)])
def test_ranks_have_scipys_values(rounds: int) -> None:
    rng = np.random.default_rng(91)
    for _ in range(rounds):
        n = int(rng.integers(3, 30))
        x, y = rng.integers(0, int(rng.integers(2, 9)), (2, n)) / 2
        expected = judge.somersd(x, y)
        found = somersd(x, y)
        np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-13, atol=1e-16)
        np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-11)
        np.testing.assert_array_equal(found.table, expected.table)


def test_pairs_are_counted() -> None:
    x, y = RNG.integers(0, 4, (2, 25))
    dx, dy = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    assert abs(float(somersd(x, y).statistic) - np.sum(dx * dy) / np.sum(dx != 0)) < 1e-15


def test_one_row_is_nan_and_perfect_order_is_sure() -> None:
    assert np.isnan(somersd([[1, 2, 3]]).pvalue)
    found = somersd(np.diag([3, 4, 5]))
    assert float(found.statistic) == 1.0
    assert abs(float(found.pvalue) / judge.somersd(np.diag([3, 4, 5])).pvalue - 1) < 1e-12


def test_refuses() -> None:
    for bad, words in (
        ([[1, -2], [3, 4]], "non-negative"),
        ([[1.5, 2], [3, 4]], "integers"),
        ([[0, 0], [0, 4]], "At least two"),
        (3, "1D or 2D"),
        ([1, 2, 3], "give y"),
    ):
        with pytest.raises(errors.ArgumentError, match=words):
            somersd(bad)
    with pytest.raises(errors.ShapeError, match="same length"):
        somersd([1, 2, 3], [1, 2])
    with pytest.raises(errors.ArgumentError, match="alternative"):
        somersd(TABLES, alternative="more")
