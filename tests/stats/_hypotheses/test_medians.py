"""Mood's test of medians, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import stats, to_numpy
from likewise.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(5)
SAMPLES = [np.round(RNG.normal(m, 1, n), 1) for m, n in ((0, 17), (0.4, 12), (1, 21))]


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize("ties", ["below", "above", "ignore"])
@pytest.mark.parametrize("lambda_", [1, "log-likelihood", 0.5])
@pytest.mark.parametrize("count", [2, 3])
def test_values_are_scipys(xp: Any, ties: str, lambda_: Any, count: int) -> None:
    given = [xp.asarray(x, dtype=xp.float64) for x in SAMPLES[:count]]
    for correction in (True, False):
        options = {"ties": ties, "lambda_": lambda_, "correction": correction}
        found = stats.median_test(*given, **options)
        expected = judge.median_test(*SAMPLES[:count], **options)
        np.testing.assert_allclose([float(v) for v in found[:3]], expected[:3], rtol=1e-12)
        np.testing.assert_array_equal(to_numpy(found.table), expected.table)


def test_nans() -> None:
    given = [SAMPLES[0], np.append(SAMPLES[1], np.nan)]
    found = stats.median_test(*given, nan_policy="omit")
    expected = judge.median_test(*given, nan_policy="omit")
    np.testing.assert_allclose(found[:3], expected[:3], rtol=1e-13)
    assert np.all(np.isnan(stats.median_test(*given)[:3]))
    with pytest.raises(ArgumentError, match="nan"):
        stats.median_test(*given, nan_policy="raise")


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="two or more"):
        stats.median_test([1.0])
    with pytest.raises(ArgumentError, match="empty"):
        stats.median_test([1.0], [])
    with pytest.raises(ShapeError, match="dimensions"):
        stats.median_test([1.0], [[1.0]])
    with pytest.raises(ArgumentError, match="ties"):
        stats.median_test([1.0], [2.0], ties="equal")
    with pytest.raises(ArgumentError, match="All values are below"):
        stats.median_test([1.0, 1.0], [1.0, 1.0])
    with pytest.raises(ArgumentError, match="All values are above"):
        stats.median_test([1.0, 1.0], [1.0, 1.0], ties="above")
    with pytest.raises(ArgumentError, match="equal to the grand median"):
        stats.median_test([1.0, 2.0, 3.0, 4.0], [2.5, 2.5], ties="ignore")
