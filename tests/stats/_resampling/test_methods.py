"""Objects of resampling as methods of tests: exact ones against SciPy's, drawn ones by chance."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats, to_numpy

RNG = np.random.default_rng(110)
X = RNG.normal(size=(2, 6))
Y = 0.4 * X + RNG.normal(size=(2, 6))
EVERY, THEIRS = (m.PermutationMethod(n_resamples=np.inf) for m in (stats, judge))
SOME = stats.PermutationMethod(n_resamples=199, key=4)
DRAWN = stats.MonteCarloMethod(n_resamples=9999, key=4)
TABLE = np.asarray([[2, 1, 1], [1, 3, 0]])

TESTS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "pearsonr": ("pearsonr", (X, Y), {}),
    "spearmanrho": ("spearmanrho", (X, Y), {}),
    "chatterjeexi": ("chatterjeexi", (X, Y), {}),
    "ttest_ind": ("ttest_ind", (X, Y), {}),
    "ttest_ind-welch": ("ttest_ind", (X, Y), {"equal_var": False}),
    "mannwhitneyu": ("mannwhitneyu", (X, np.round(Y)), {}),
    "wilcoxon": ("wilcoxon", (X,), {}),
    "wilcoxon-zeros": ("wilcoxon", (np.round(X), np.round(Y)), {"zero_method": "zsplit"}),
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def sides(name: str) -> list[dict[str, str]]:
    every = ("two-sided", "less", "greater")
    return [{}] if name == "chatterjeexi" else [{"alternative": a} for a in every]


@pytest.mark.parametrize("which", TESTS)
def test_exact_ones_are_scipys(which: str) -> None:
    name, given, options = TESTS[which]
    for side in sides(name):
        found = getattr(stats, name)(*given, axis=1, method=EVERY, **options, **side)
        expected = getattr(judge, name)(*given, axis=1, method=THEIRS, **options, **side)
        np.testing.assert_array_equal(found.pvalue, expected.pvalue)
        np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-13)


@pytest.mark.xp_skip({"strict-no_float64": "ranks of rounded numbers tie"})
@pytest.mark.parametrize("which", TESTS)
def test_each_library_draws_the_same(which: str, xp: Any) -> None:
    name, given, options = TESTS[which]
    arrays = (xp.asarray(x, dtype=xp.float64) for x in given)
    found = getattr(stats, name)(*arrays, axis=1, method=SOME, **options)
    expected = getattr(stats, name)(*given, axis=1, method=SOME, **options)
    np.testing.assert_array_equal(to_numpy(found.pvalue), expected.pvalue)


@pytest.mark.parametrize("name", ["pearsonr", "spearmanrho", "ttest_ind"])
def test_normal_samples_have_nearly_the_formulas_pvalue(name: str) -> None:
    x, y = RNG.normal(size=(2, 12))
    test = getattr(stats, name)
    assert abs(test(x, y, method=DRAWN).pvalue - test(x, y).pvalue) < 0.02


def test_users_numbers_are_drawn() -> None:
    def rvs(size: Any) -> Any:
        return np.random.default_rng(1).uniform(size=size)

    method = stats.MonteCarloMethod(n_resamples=999, rvs=(rvs, lambda size: 1 - rvs(size)))
    assert stats.pearsonr(X[0], Y[0], method=method).pvalue == 1 / 500  # each sample has r = -1


def test_samples_of_anderson_and_darling() -> None:
    samples = [X[0], Y[0][:4]]
    for variant in ("midrank", "right", "continuous"):
        found = stats.anderson_ksamp(samples, variant=variant, method=EVERY)
        expected = judge.anderson_ksamp(samples, variant=variant, method=THEIRS)
        assert float(found.pvalue) == expected.pvalue
    z = RNG.gumbel(size=12)
    found = stats.anderson(z, "gumbel_r", method=stats.MonteCarloMethod(n_resamples=499))
    other = stats.goodness_of_fit(stats.gumbel_r, z, n_mc_samples=499)
    assert float(found.pvalue) == float(other.pvalue)
    assert abs(float(found.statistic) - float(other.statistic)) < 1e-9


def test_tables_have_the_probability_of_all_with_their_margins() -> None:
    found = stats.chi2_contingency(TABLE, correction=False, method=EVERY)
    assert found.pvalue == pytest.approx(34 / 70, rel=1e-15)  # counted: of 8 choose 4 columns
    assert np.isnan(found.dof)
    exact = stats.fisher_exact(np.asarray([[3, 1], [1, 4]]))
    permuted = stats.fisher_exact(np.asarray([[3, 1], [1, 4]]), method=EVERY)
    assert float(permuted.pvalue) == pytest.approx(float(exact.pvalue), rel=1e-13)
    table = [[8, 2, 3], [1, 5, 4]]
    found, expected = stats.fisher_exact(table), judge.fisher_exact(table)
    assert abs(float(found.pvalue) - expected.pvalue) < 0.02
    assert float(found.statistic) == pytest.approx(expected.statistic, rel=1e-12)
    assert [float(v) for v in stats.fisher_exact([[8, 2, 3]])] == [1.0, 1.0]
    assert [float(v) for v in stats.fisher_exact(np.zeros((2, 3)))] == [1.0, 1.0]


def test_an_interval_by_the_bootstrap() -> None:
    x, y = RNG.normal(size=(2, 3, 25))
    ours = stats.pearsonr(x, y, axis=1).confidence_interval(0.9, stats.BootstrapMethod(key=2))
    theirs = judge.pearsonr(x, y, axis=1)
    bounds = theirs.confidence_interval(0.9, judge.BootstrapMethod(rng=2))
    np.testing.assert_allclose(ours.low, bounds.low, atol=0.04)
    np.testing.assert_allclose(ours.high, bounds.high, atol=0.04)
    less = stats.pearsonr(x[0], y[0], alternative="less")
    assert less.confidence_interval(0.9, stats.BootstrapMethod(key=2)).low == -1


def test_refuses() -> None:
    for name in ("pearsonr", "spearmanrho", "ttest_ind"):
        for bad in ("permutation", stats.BootstrapMethod(), 3):
            with pytest.raises(errors.ArgumentError, match="PermutationMethod"):
                getattr(stats, name)(X[0], Y[0], method=bad)
    for name in ("mannwhitneyu", "wilcoxon", "chatterjeexi"):
        with pytest.raises(errors.ArgumentError, match="'asymptotic'.*PermutationMethod"):
            getattr(stats, name)(X[0], Y[0], method=DRAWN)
    x = X[0].copy()
    x[2] = np.nan
    assert np.isnan(stats.pearsonr(x, Y[0], method=SOME).pvalue)
    with pytest.raises(errors.NotSupported, match="leave them out"):
        stats.pearsonr(x, Y[0], method=SOME, nan_policy="omit")
    with pytest.raises(errors.NotSupported, match="leave them out"):
        found = stats.pearsonr(x, Y[0], nan_policy="omit")
        found.confidence_interval(method=stats.BootstrapMethod())
    with pytest.raises(errors.ArgumentError, match="correction is False"):
        stats.chi2_contingency(TABLE, method=SOME)
    with pytest.raises(errors.ArgumentError, match="alternative"):
        stats.fisher_exact(TABLE, "less")
    rvs = stats.MonteCarloMethod(rvs=np.ones)
    with pytest.raises(errors.ArgumentError, match="rvs"):
        stats.fisher_exact(TABLE, method=rvs)
    with pytest.raises(errors.ArgumentError, match="rvs"):
        stats.anderson(X[0], method=rvs)
