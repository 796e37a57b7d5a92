"""Anderson and Darling's tests, against SciPy's."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats, to_numpy

FAMILIES = ("norm", "expon", "logistic", "gumbel_l", "gumbel_r")
VARIANTS = ("midrank", "right", "continuous")
RNG = np.random.default_rng(72)
X = RNG.gamma(2.0, size=(3, 15))


def theirs(function: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_scipys_values(xp: Any, family: str) -> None:
    found = stats.anderson(xp.asarray(X), family)
    tested = stats.anderson(xp.asarray(X), family, method="interpolate")
    for i, x in enumerate(X):
        expected = theirs(judge.anderson, x, family)
        close = 1e-6 if family == "logistic" else 1e-8  # SciPy stops when 1e-5 is reached
        np.testing.assert_allclose(float(found.statistic[i]), expected.statistic, rtol=close)
        np.testing.assert_allclose(np.asarray(found.critical_values), expected.critical_values)
        np.testing.assert_array_equal(
            np.asarray(found.significance_level), expected.significance_level
        )
        assert len(tuple(found)) == len(tuple(expected))
        params = expected.fit_result.params
        np.testing.assert_allclose(float(found.fit_result.params.scale[i]), params.scale, rtol=1e-5)
        np.testing.assert_allclose(
            float(found.fit_result.params.loc[i]), params.loc, rtol=1e-5, atol=1e-6
        )
        p = theirs(judge.anderson, x, family, method="interpolate").pvalue
        np.testing.assert_allclose(float(tested.pvalue[i]), p, rtol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.filterwarnings("ignore::likewise.errors.DegenerateDataWarning")
def test_samples_have_scipys_values(xp: Any, variant: str) -> None:
    given = [np.round(X * 2) / 2, X[:, :9] + 0.5, X[:, 2:8] * 1.5]
    found = stats.anderson_ksamp([xp.asarray(g) for g in given], variant=variant)
    for i in range(3):
        expected = theirs(judge.anderson_ksamp, [g[i] for g in given], variant=variant)
        np.testing.assert_allclose(float(found.statistic[i]), expected.statistic, rtol=1e-10)
        np.testing.assert_allclose(float(found.pvalue[i]), expected.pvalue, rtol=1e-10)
    older = stats.anderson_ksamp([g[0] for g in given], variant == "midrank")
    expected = theirs(judge.anderson_ksamp, [g[0] for g in given], variant == "midrank")
    np.testing.assert_allclose(older.critical_values, expected.critical_values, rtol=1e-12)
    np.testing.assert_allclose(older.significance_level, expected.pvalue, rtol=1e-10)


@pytest.mark.parametrize("rounds", [20, pytest.param(500, marks=pytest.mark.full)])
@pytest.mark.filterwarnings("ignore::likewise.errors.DegenerateDataWarning")
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(73)
    for _ in range(rounds):
        sizes = rng.integers(2, 12, size=int(rng.integers(2, 5)))
        given = [np.round(rng.normal(size=int(n)) * 3) / 3 for n in sizes]
        for variant in VARIANTS:
            found = stats.anderson_ksamp(given, variant=variant)
            expected = theirs(judge.anderson_ksamp, given, variant=variant)
            np.testing.assert_allclose(found, (expected.statistic, expected.pvalue), rtol=1e-9)
        x = rng.normal(size=int(rng.integers(5, 40))) + rng.random()
        for family in ("norm", "gumbel_r", "gumbel_l"):
            found = stats.anderson(x, family)
            expected = theirs(judge.anderson, x, family)
            np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-8)


def test_negative_numbers_are_not_exponential() -> None:
    x = np.asarray([-1.0, 2.0, 3.0, 4.0])
    expected = theirs(judge.anderson, x, "expon").statistic
    assert stats.anderson(x, "expon").statistic == expected == np.inf


def test_weibull_has_scipys_values(xp: Any) -> None:
    x = judge.weibull_min.rvs(2.6, 1.0, 2.0, size=(2, 80), random_state=np.random.default_rng(5))
    x = x.astype(str(xp.asarray([1.0]).dtype).rpartition(".")[2])
    found = stats.anderson(xp.asarray(x), "weibull_min")
    p = stats.anderson(xp.asarray(x), "weibull_min", method="interpolate").pvalue
    tol = 1e-3 if x.dtype == "float32" else 1e-9
    for i, row in enumerate(x.astype(float)):
        expected = theirs(judge.anderson, row, "weibull_min")
        due = theirs(judge.anderson, row, "weibull_min", method="interpolate").pvalue
        np.testing.assert_allclose(float(found.statistic[i]), expected.statistic, rtol=tol)
        np.testing.assert_allclose(to_numpy(found.critical_values)[i], expected.critical_values)
        np.testing.assert_allclose(float(p[i]), due, rtol=tol)


def test_what_is_refused() -> None:
    with pytest.raises(errors.ArgumentError, match="Invalid distribution"):
        stats.anderson(X, "cauchy")
    with pytest.raises(errors.ArgumentError, match="likelihood"):
        theirs(stats.anderson, np.asarray([0.1, 0.1, 0.2, 0.3, 5.0, 9.0]), "weibull_min")
    with pytest.raises(errors.ArgumentError, match="method"):
        stats.anderson(X, method="exact")
    with pytest.raises(errors.ArgumentError, match="distinct"):
        stats.anderson_ksamp([np.ones(4), np.ones(3)])
    with pytest.raises(errors.ShapeError, match="at least two"):
        stats.anderson_ksamp([X])
    with pytest.warns(errors.DegenerateDataWarning, match="floored"):
        stats.anderson_ksamp([np.arange(20.0), np.arange(20.0) + 30], variant="right")
