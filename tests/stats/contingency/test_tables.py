"""Tables of counts, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
import scipy.stats.contingency as judge

from likewise import errors
from likewise.stats import chi2_contingency
from likewise.stats.contingency import association, expected_freq, margins, relative_risk

RNG = np.random.default_rng(6)
TABLES = [RNG.integers(1, 30, shape) for shape in ((2, 2), (3, 4), (2, 3, 2), (5,))]


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("table", TABLES, ids=lambda t: str(t.shape))
@pytest.mark.parametrize("lambda_", [None, 0, "neyman"])
@pytest.mark.parametrize("correction", [True, False])
def test_independence(xp: Any, table: Any, lambda_: Any, correction: bool) -> None:
    floats = table.astype(float)
    found = chi2_contingency(xp.asarray(floats), correction, lambda_)
    wanted = scipy.stats.chi2_contingency(table, correction, lambda_)
    assert np.allclose(np.asarray(found.statistic), wanted.statistic, rtol=1e-11)
    assert np.allclose(np.asarray(found.pvalue), wanted.pvalue, rtol=1e-11)
    assert found.dof == wanted.dof
    assert np.allclose(np.asarray(found.expected_freq), wanted.expected_freq)
    assert np.allclose(np.asarray(expected_freq(xp.asarray(floats))), judge.expected_freq(table))
    for mine, theirs in zip(margins(xp.asarray(table)), judge.margins(table), strict=True):
        assert np.array_equal(np.asarray(mine), theirs)


@pytest.mark.parametrize("method", ["cramer", "tschuprow", "pearson"])
def test_association(method: str) -> None:
    for correction in (True, False):
        found = association(TABLES[1], method, correction)
        assert np.isclose(found, judge.association(TABLES[1], method, correction), rtol=1e-12)


def test_relative_risk_of_numbers_is_that_of_arrays() -> None:
    for counts in ((27, 122, 44, 487), (0, 20, 3, 30), (2, 20, 0, 30), (0, 20, 0, 30)):
        numbers, arrays = relative_risk(*counts), relative_risk(*map(np.asarray, counts))
        assert np.array_equal(numbers.relative_risk, arrays.relative_risk, equal_nan=True)
        same = (numbers.confidence_interval(), arrays.confidence_interval())
        assert np.array_equal(*same, equal_nan=True)


def test_relative_risk() -> None:
    a, c = np.asarray([0, 0, 3, 5, 20]), np.asarray([0, 2, 0, 7, 1])
    found = relative_risk(a, 20, c, 30)
    low, high = found.confidence_interval(0.9)
    for i in range(5):
        wanted = judge.relative_risk(int(a[i]), 20, int(c[i]), 30)
        assert np.allclose(found.relative_risk[i], wanted.relative_risk, equal_nan=True)
        bounds = wanted.confidence_interval(0.9)
        assert np.allclose((low[i], high[i]), bounds, rtol=1e-12, equal_nan=True)


def test_refuses() -> None:
    with pytest.raises(errors.ArgumentError, match="nonnegative"):
        chi2_contingency([[1, -1], [2, 3]])
    with pytest.raises(errors.ArgumentError, match="size 0"):
        chi2_contingency(np.zeros((0, 2)))
    with pytest.raises(errors.ArgumentError, match="zero element"):
        chi2_contingency([[0, 0], [2, 3]])
    with pytest.raises(errors.ArgumentError, match="method"):
        chi2_contingency([[1, 1], [2, 3]], method=1)
    with pytest.raises(errors.DtypeError, match="integers"):
        association([[1.5, 2.0], [1.0, 1.0]])
    with pytest.raises(errors.ShapeError, match="2 dimensions"):
        association([1, 2])
    with pytest.raises(errors.ArgumentError, match="exceed"):
        relative_risk(5, 4, 1, 3)
    with pytest.raises(errors.ArgumentError, match="not less than"):
        relative_risk(-5, 4, 1, 3)
    with pytest.raises(errors.ArgumentError, match="confidence_level"):
        relative_risk(1, 4, 1, 3).confidence_interval(2)
    with pytest.raises(TypeError, match="integer"):
        relative_risk(1.5, 4, 1, 3)
