"""Tests of normality, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats

from .judged import agree, agrees, drawn

RNG = np.random.default_rng(66)
X = RNG.normal(size=(3, 24)) ** 2
NAMES = ("skewtest", "kurtosistest", "normaltest", "jarque_bera", "shapiro")
CLOSE = {"shapiro": 3e-7}  # SciPy's normal quantiles have nine digits there


@pytest.mark.parametrize("name", NAMES)
def test_each_has_scipys_values(xp: Any, name: str) -> None:
    found = getattr(stats, name)(xp.asarray(X), axis=1)
    agree(found, getattr(judge, name)(X, axis=1), rtol=CLOSE.get(name, 1e-10))


@pytest.mark.parametrize("name", ["skewtest", "kurtosistest"])
def test_alternatives(name: str) -> None:
    for alternative in ("less", "greater"):
        agrees(getattr(stats, name), getattr(judge, name), X, axis=1, alternative=alternative)


def test_shapiro_of_published_data() -> None:
    # Royston, J. R. Stat. Soc. C 44, 1995, table 1: weights of men, as in Shapiro and Wilk.
    weights = [148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]
    found = stats.shapiro(np.asarray(weights, dtype=float))
    assert round(float(found.statistic), 2) == 0.79
    assert float(found.pvalue) == pytest.approx(0.0067, abs=1e-4)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 11, 12, 200])
def test_shapiro_of_every_branch(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(20, n))
    agrees(stats.shapiro, judge.shapiro, x, axis=1, rtol=3e-7)


def test_warnings() -> None:
    with pytest.warns(errors.DegenerateDataWarning, match="range zero"):
        assert stats.shapiro(np.ones(5)).pvalue == 1
    with pytest.warns(errors.DegenerateDataWarning, match="N > 5000"):
        stats.shapiro(np.arange(5001.0))
    for name, least in (("skewtest", 8), ("kurtosistest", 5), ("normaltest", 8), ("shapiro", 3)):
        with pytest.warns(errors.SmallSampleWarning, match=f"{least} are needed"):
            assert np.isnan(getattr(stats, name)(np.arange(least - 1.0)).pvalue)


@pytest.mark.parametrize("rounds", [15, pytest.param(600, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(67)
    for _ in range(rounds):
        (x,), options = drawn(rng, 1)
        for name in NAMES:
            agrees(
                getattr(stats, name), getattr(judge, name), x, **options,
                rtol=CLOSE.get(name, 1e-9),
            )  # fmt: skip
