"""t-tests, against SciPy's."""

import functools
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats

from .judged import agree, agrees, drawn

ALL = ("statistic", "pvalue", "df")
RNG = np.random.default_rng(61)
X, Y = RNG.normal(size=(3, 8)), RNG.normal(size=(3, 11)) + 0.5


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_each_has_scipys_values(xp: Any, alternative: str) -> None:
    same = functools.partial(agrees, xp=xp, axis=1, alternative=alternative, fields=ALL)
    same(stats.ttest_1samp, judge.ttest_1samp, X, 0.3)
    same(stats.ttest_rel, judge.ttest_rel, X, Y[:, :8])
    for options in ({}, {"equal_var": False}):
        same(stats.ttest_ind, judge.ttest_ind, X, Y, **options)


@pytest.mark.parametrize("equal_var", [True, False])
def test_trimming_has_scipys_values(xp: Any, equal_var: bool) -> None:
    for trim in (0.1, 0.25, 0.45):
        given = [xp.asarray(X), xp.asarray(Y)]
        found = stats.ttest_ind(*given, axis=1, trim=trim, equal_var=equal_var)
        expected = judge.ttest_ind(X, Y, axis=1, trim=trim, equal_var=equal_var)
        agree(found, expected, ALL)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_intervals_are_scipys(xp: Any, alternative: str) -> None:
    options = {"axis": 1, "alternative": alternative}
    found = stats.ttest_ind(xp.asarray(X), xp.asarray(Y), **options).confidence_interval(0.9)
    expected = judge.ttest_ind(X, Y, **options).confidence_interval(0.9)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-11)
    with pytest.raises(errors.ArgumentError, match="confidence_level"):
        stats.ttest_1samp(X, 0.0).confidence_interval(2)


def test_statistics_of_samples_are_enough() -> None:
    given = (1.0, 2.0, 10, np.asarray([1.5, 2.0, 3.0]), 2.5, np.asarray([1.0, 8.0, 12.0]))
    for equal_var in (True, False):
        agrees(stats.ttest_ind_from_stats, judge.ttest_ind_from_stats, *given, equal_var=equal_var)


def test_a_population_mean_for_each_sample() -> None:
    agrees(stats.ttest_1samp, judge.ttest_1samp, X, np.asarray([[0.1], [0.2], [0.3]]), axis=1)
    with pytest.raises(errors.ShapeError, match="must equal 1"):
        stats.ttest_1samp(X, X, axis=1)


def test_what_is_refused() -> None:
    with pytest.raises(errors.ArgumentError, match="Trimming"):
        stats.ttest_ind(X, X, trim=0.5)
    with pytest.raises(errors.ArgumentError, match="of likewise.stats"):
        stats.ttest_ind(X, X, method=judge.PermutationMethod())
    with pytest.raises(errors.ArgumentError, match="alternative"):
        stats.ttest_rel(X, X, alternative="more")
    with pytest.warns(errors.SmallSampleWarning):
        assert np.isnan(stats.ttest_ind(np.asarray([]), X[0]).pvalue)


@pytest.mark.parametrize("rounds", [20, pytest.param(1500, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(62)
    for _ in range(rounds):
        alternative = str(rng.choice(["two-sided", "less", "greater"]))
        (x, y), options = drawn(rng, 2)
        options |= {"alternative": alternative}
        more = {"equal_var": bool(rng.random() < 0.5)}
        if rng.random() < 0.3:
            more["trim"] = float(rng.choice([0.1, 0.2, 0.3]))
        agrees(stats.ttest_ind, judge.ttest_ind, x, y, **options, **more, fields=ALL)
        agrees(stats.ttest_1samp, judge.ttest_1samp, x, 0.2, **options, fields=ALL)
        (x, y), options = drawn(rng, 2, paired=True)
        agrees(stats.ttest_rel, judge.ttest_rel, x, y, **options, fields=ALL)


def test_equal_observations_are_told(xp: Any) -> None:
    same, none, other = xp.full((4,), 0.1), xp.zeros(4), xp.asarray([0.1, 0.2, 0.3, 0.4])
    for call in (
        lambda x: stats.ttest_1samp(x, 0.0),
        lambda x: stats.ttest_rel(x, none),
        lambda x: stats.ttest_ind(x, other, equal_var=False),
        lambda x: stats.ttest_ind(xp.stack([x, other]), other[None, :], axis=1),
        lambda x: stats.alexandergovern(x, other),
    ):
        with pytest.warns(RuntimeWarning, match="Precision loss"):
            call(same)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(other)
            call(none)  # whose mean is 0: nothing is lost
