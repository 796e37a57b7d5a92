"""Odds ratios and their intervals, against SciPy's and sums of whole numbers."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats.contingency as judge

from likewise import errors, to_numpy
from likewise.stats.contingency import odds_ratio

TABLES = np.asarray(
    [
        [[7, 15], [58, 472]], [[0, 3], [4, 5]], [[3, 0], [4, 5]], [[0, 0], [3, 4]], [[4, 6], [1, 0]],
        [[1, 1], [1, 1]], [[2, 3], [0, 5]], [[200, 90], [40, 310]], [[1, 900], [700, 2]],
    ]
)  # fmt: skip


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize("kind", ["conditional", "sample"])
def test_a_batch_has_scipys_values(xp: Any, kind: str) -> None:
    found = odds_ratio(xp.asarray(TABLES), kind=kind)
    each = [judge.odds_ratio(t, kind=kind) for t in TABLES]
    single = found.statistic.dtype == xp.float32
    rtol, atol = (1e-4, 1e-9) if single else (3e-10, 2e-13)  # SciPy's solver ends at 1e-13
    with np.errstate(all="ignore"):
        expected = [e.statistic for e in each]
        np.testing.assert_allclose(to_numpy(found.statistic), expected, rtol=rtol, atol=atol)
        for alternative in ("two-sided", "less", "greater"):
            for level in (0.95, 0.3):
                low, high = found.confidence_interval(level, alternative)
                bounds = [e.confidence_interval(level, alternative) for e in each]
                np.testing.assert_allclose(
                    to_numpy(low), [b.low for b in bounds], rtol=rtol, atol=atol
                )
                np.testing.assert_allclose(
                    to_numpy(high), [b.high for b in bounds], rtol=rtol, atol=atol
                )


@pytest.mark.parametrize("table", [TABLES[0], TABLES[7]], ids=str)
def test_bounds_have_their_probability(table: Any) -> None:
    (a, b), (d, e) = table.tolist()

    def probabilities(ratio: float) -> tuple[float, float, float]:
        """Return the probability up to the observed count, that from it on, and the mean, exactly."""
        nc, low, high = Fraction(ratio), max(0, a - e), min(a + b, a + d)
        terms = [
            math.comb(a + b, x) * math.comb(d + e, a + d - x) * nc**x for x in range(low, high + 1)
        ]
        whole, at = sum(terms), a - low
        mean = sum(x * t for x, t in enumerate(terms, low)) / whole
        return float(sum(terms[: at + 1]) / whole), float(sum(terms[at:]) / whole), float(mean)

    found = odds_ratio(table)
    assert abs(probabilities(float(found.statistic))[2] / a - 1) < 1e-12
    low, high = found.confidence_interval(0.9)
    assert abs(probabilities(float(high))[0] - 0.05) < 1e-13
    assert abs(probabilities(float(low))[1] - 0.05) < 1e-13


def test_levels_of_none_and_all() -> None:
    found = odds_ratio(TABLES[0])
    assert tuple(map(float, found.confidence_interval(1.0))) == (0.0, math.inf)
    low, high = found.confidence_interval(0.0)
    assert float(low) < float(found.statistic) < float(high) < 4.3


def test_refuses() -> None:
    with pytest.raises(errors.ShapeError, match="Invalid shape"):
        odds_ratio([1, 2])
    with pytest.raises(errors.ArgumentError, match="array of integers"):
        odds_ratio([[1.0, 2.0], [3.0, 4.0]])
    for kind in ("sample", "conditional"):
        with pytest.raises(errors.ArgumentError, match="nonnegative"):
            odds_ratio([[1, -2], [3, 4]], kind=kind)
    with pytest.raises(errors.ArgumentError, match="kind"):
        odds_ratio([[1, 2], [3, 4]], kind="neither")
    with pytest.raises(errors.ArgumentError, match="confidence_level"):
        odds_ratio([[1, 2], [3, 4]]).confidence_interval(1.5)
    with pytest.raises(errors.ArgumentError, match="alternative"):
        odds_ratio([[1, 2], [3, 4]]).confidence_interval(0.5, "more")
