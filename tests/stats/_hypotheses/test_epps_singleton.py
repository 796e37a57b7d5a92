"""Epps and Singleton's test, against SciPy's."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats

from .judged import agree, agrees

RNG = np.random.default_rng(80)
X, Y = RNG.normal(size=(3, 12)), RNG.normal(size=(3, 31)) * 1.5


@pytest.mark.xp_skip(
    {
        "strict-minimal": "it needs linalg, or shapes that depend on data",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("t", [(0.4, 0.8), (0.3,), (0.2, 0.5, 1.1)])
def test_it_has_scipys_values(xp: Any, t: tuple[float, ...]) -> None:
    x, y = xp.asarray(X, dtype=xp.float64), xp.asarray(Y, dtype=xp.float64)
    found = stats.epps_singleton_2samp(x, y, t, axis=1)
    agree(found, judge.epps_singleton_2samp(X, Y, t, axis=1), rtol=1e-8)  # a near-singular matrix


def test_published_examples() -> None:
    # S. J. Goerg, J. Kaiser, Stata Journal 9, 2009, whose quartiles are others.
    x = [-0.35, 2.55, 1.73, 0.73, 0.35, 2.69, 0.46, -0.94, -0.37, 12.07]
    y = [-1.15, -0.15, 2.48, 3.25, 3.71, 4.29, 5.00, 7.74, 8.38, 8.60]
    found = stats.epps_singleton_2samp(x, y)
    assert abs(found.statistic - 15.14) < 0.03
    assert abs(found.pvalue - 0.00442) < 1e-4


def test_infinite_and_constant_samples_are_nan() -> None:
    x, y = X.copy(), Y.copy()
    x[0, 2], y[1, 3] = np.inf, np.nan
    found = stats.epps_singleton_2samp(x, y, axis=1)
    assert np.isnan(found.statistic).tolist() == [True, True, False]
    agree(stats.epps_singleton_2samp(x[2], y[2]), judge.epps_singleton_2samp(x[2], y[2]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(stats.epps_singleton_2samp([1.0] * 6, [1.0] * 7).pvalue)


def test_refuses_and_warns() -> None:
    with pytest.raises(errors.ArgumentError, match="positive elements only"):
        stats.epps_singleton_2samp(X[0], Y[0], (0.0, 1.0))
    with pytest.raises(errors.ShapeError, match="1d"):
        stats.epps_singleton_2samp(X[0], Y[0], [[0.3]])
    with pytest.warns(stats.SmallSampleWarning):
        stats.epps_singleton_2samp(X[0, :4], Y[0])
    with pytest.warns(stats.DegenerateDataWarning, match="full rank"):
        stats.epps_singleton_2samp([0.0, 1.0] * 6, [0.0, 1.0] * 5)


@pytest.mark.parametrize("rounds", [20, pytest.param(500, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(81)
    for i in range(rounds):
        x, y = (rng.standard_t(4, size=int(n)) for n in rng.integers(3, 60, 2))
        if i % 2:
            x[rng.random(x.shape) < 0.2] = np.nan
        for policy in ("propagate", "omit"):
            ours, theirs = stats.epps_singleton_2samp, judge.epps_singleton_2samp
            agrees(ours, theirs, x, y, nan_policy=policy, rtol=1e-7)
