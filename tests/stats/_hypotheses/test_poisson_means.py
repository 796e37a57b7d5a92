"""A test of two Poisson means, against SciPy and sums over all outcomes."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.stats import poisson_means_test

SIDES = ("two-sided", "less", "greater")
CASES = [
    (0, 100, 3, 100, 0),
    (7, 20, 3, 15, 0),
    (5, 2, 9, 3, 0),
    (4, 1, 1, 2, 0.5),
    (2, 5, 2, 5, 0),
]


def signed_square(k1: int, n1: int, k2: int, n2: int, diff: Fraction) -> Fraction | None:
    """The statistic's square with its sign, exactly."""
    gap = Fraction(k1, n1) - Fraction(k2, n2) - diff
    spread = Fraction(k1, n1**2) + Fraction(k2, n2**2)
    return gap * abs(gap) / spread if spread else None if not gap else Fraction(-(10**20))


def by_outcomes(k1: int, n1: int, k2: int, n2: int, diff: float, alternative: str) -> float:
    gap = Fraction(diff)
    mean = float((k1 + k2 - gap * n1) / (n1 + n2))
    own = signed_square(k1, n1, k2, n2, gap)
    assert own is not None and mean > 0

    def density(k: int, m: float) -> float:
        return math.exp(k * math.log(m) - m - math.lgamma(k + 1))

    total = 0.0
    for a in range(60):
        for b in range(60):
            found = signed_square(a, n1, b, n2, gap)
            if found is None:
                continue
            if {
                "two-sided": abs(found) >= abs(own),
                "less": found <= own,
                "greater": found >= own,
            }[alternative]:
                total += density(a, n1 * (mean + diff)) * density(b, n2 * mean)
    return total


@pytest.mark.parametrize("alternative", SIDES)
def test_by_outcomes(xp: Any, alternative: str) -> None:
    args = [np.asarray(column, dtype=float) for column in zip(*CASES, strict=True)]
    *counts, diff = (xp.asarray(a) for a in args)
    found = poisson_means_test(*counts, diff=diff, alternative=alternative)
    for i, case in enumerate(CASES):
        wanted = by_outcomes(*case, alternative)
        assert np.isclose(float(found.pvalue[i]), wanted, rtol=1e-11)
        judge = scipy.stats.poisson_means_test(*case[:4], diff=case[4], alternative=alternative)
        assert np.isclose(float(found.statistic[i]), judge.statistic, rtol=1e-13)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("case", [(37, 8, 52, 16, 0), (300, 16, 201, 8, 0.5), (0, 1, 0, 1, 0)])
def test_as_scipy(alternative: str, case: tuple[Any, ...]) -> None:
    *counts, diff = case
    found = poisson_means_test(*counts, diff=diff, alternative=alternative)
    wanted = scipy.stats.poisson_means_test(*counts, diff=diff, alternative=alternative)
    assert np.allclose(found, tuple(wanted), rtol=1e-9, atol=5e-10)


def test_refuses() -> None:
    with pytest.raises(errors.DtypeError, match="integers"):
        poisson_means_test(1.5, 1, 2, 1)
    with pytest.raises(errors.ArgumentError, match="greater than or equal to 0"):
        poisson_means_test(-1, 1, 2, 1)
    with pytest.raises(errors.ArgumentError, match="equal to 0"):
        poisson_means_test(1, 1, 2, 1, diff=-1)
    with pytest.raises(errors.ArgumentError, match="greater than 0"):
        poisson_means_test(1, 0, 2, 1)
    with pytest.raises(errors.ArgumentError, match="alternative"):
        poisson_means_test(1, 1, 2, 1, alternative="more")
