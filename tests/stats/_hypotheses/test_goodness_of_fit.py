"""Goodness of fit: statistics of SciPy's, p-values under the null hypothesis, wrong arguments."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, to_numpy
from likewise.stats import gamma, goodness_of_fit, norm

X = np.random.default_rng(1).normal(size=25)
POSITIVE = judge.gamma.rvs(3.0, size=30, random_state=2)


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize("statistic", ["ad", "ks", "cvm", "filliben"])
def test_statistics_and_p_values(xp: Any, statistic: str) -> None:
    x = xp.asarray(X, dtype=xp.float64)
    ours = goodness_of_fit(norm, x, statistic=statistic, n_mc_samples=999, key=1)
    theirs = judge.goodness_of_fit(judge.norm, X, statistic=statistic, n_mc_samples=999, rng=3)
    np.testing.assert_allclose(float(ours.statistic), theirs.statistic, rtol=1e-10)
    # Two estimates of one probability, each from 999 samples: four standard deviations apart.
    p = theirs.pvalue
    assert abs(float(ours.pvalue) - p) <= 4 * np.sqrt(2 * p * (1 - p) / 999) + 2e-3
    assert ours.null_distribution.shape == (999,)


def test_known_parameters() -> None:
    ours = goodness_of_fit(gamma, POSITIVE, known_params={"loc": 0.0}, n_mc_samples=99, key=1)
    theirs = judge.goodness_of_fit(judge.gamma, POSITIVE, known_params={"loc": 0}, n_mc_samples=9)
    np.testing.assert_allclose(ours.statistic, theirs.statistic, rtol=1e-5)
    known = {"a": 3.0, "loc": 0.0, "scale": 1.0}
    ours = goodness_of_fit(gamma, POSITIVE, known_params=known, n_mc_samples=99, statistic="ks")
    want = judge.ks_1samp(POSITIVE, judge.gamma(3.0).cdf).statistic
    np.testing.assert_allclose(to_numpy(ours.statistic), want, rtol=1e-12)


def test_a_statistic_of_the_users() -> None:
    found = goodness_of_fit(
        norm, X, statistic=lambda dist, x, axis: np.abs(x).max(axis=axis), n_mc_samples=99, key=4
    )
    assert found.statistic == np.abs(X).max() and 0.01 <= found.pvalue <= 1


def test_wrong_arguments() -> None:
    with pytest.raises(errors.ArrayTypeError, match="continuous distribution"):
        goodness_of_fit("norm", X)
    with pytest.raises(errors.ArgumentError, match="known_params names 'a'"):
        goodness_of_fit(norm, X, known_params={"a": 1.0})
    with pytest.raises(errors.ArgumentError, match="statistic"):
        goodness_of_fit(norm, X, statistic="xx")
    with pytest.raises(errors.ArgumentError, match="rng"):
        goodness_of_fit(norm, X, rng=1)


def test_parameters_that_are_fitted_already() -> None:
    """Samples are drawn with them, and with what fits beside them."""
    found = goodness_of_fit(norm, X, fit_params={"loc": 3.0}, n_mc_samples=19)
    loc, scale = (float(v) for v in found.fit_result.args)
    np.testing.assert_allclose([loc, scale], judge.norm.fit(X, floc=3.0), rtol=1e-12)
    free = goodness_of_fit(norm, X, n_mc_samples=19)
    assert found.statistic == free.statistic
