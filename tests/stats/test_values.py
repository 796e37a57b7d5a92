"""Values of functions whose other tests walk tables, or draw."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import stats, to_numpy

COUNTS = np.asarray([16.0, 18.0, 13.0, 14.0, 12.0, 11.0])


def test_chisquare_of_counts(xp: Any) -> None:
    found = stats.chisquare(xp.asarray(COUNTS, dtype=xp.float64))
    np.testing.assert_allclose([float(v) for v in found], judge.chisquare(COUNTS), rtol=1e-13)


def test_ttest_ind_from_stats_is_that_of_samples(xp: Any) -> None:
    given = (15.0, np.sqrt(87.5), 13, 12.0, np.sqrt(39.0), 11)
    arrays = [xp.asarray(v, dtype=xp.float64) for v in (given[0], given[3])]
    found = stats.ttest_ind_from_stats(arrays[0], *given[1:3], arrays[1], *given[4:])
    want = judge.ttest_ind_from_stats(*given)
    np.testing.assert_allclose([float(v) for v in found], tuple(want), rtol=1e-13)


@pytest.mark.xp_skip({"strict-minimal": "it needs linalg, or shapes that depend on data"})
def test_random_correlation_has_the_eigenvalues(xp: Any) -> None:
    values = xp.asarray([0.5, 0.8, 1.2, 1.5], dtype=xp.float64)
    found = to_numpy(stats.random_correlation.rvs(values, key=3))
    np.testing.assert_allclose(np.diag(found), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(found), to_numpy(values), rtol=1e-10)


def test_uniform_direction_is_of_length_one(xp: Any) -> None:
    found = stats.uniform_direction.rvs(3, size=5, key=2, like=xp.asarray(0.0, dtype=xp.float64))
    np.testing.assert_allclose(np.linalg.norm(to_numpy(found), axis=-1), 1.0, rtol=1e-12)


def test_two_points_make_a_line(xp: Any) -> None:
    found = stats.linregress(xp.asarray([4.0, 5.0]), xp.asarray([5.0, 2.0]))
    assert [float(found.slope), float(found.intercept), float(found.pvalue)] == [-3, 17, 0]


def test_ks_2samp_leaves_out_nans(xp: Any) -> None:
    x = xp.asarray([4.0, 5.0, 3.0, 1.0], dtype=xp.float32)
    y = xp.asarray([5.0, 2.0, float("nan")], dtype=xp.float32)
    found = stats.ks_2samp(x, y, nan_policy="omit")
    assert found.statistic.dtype == found.pvalue.dtype == xp.float32
    assert float(found.statistic) == judge.ks_2samp([4, 5, 3, 1], [5, 2]).statistic


def test_observations_of_several_axes_are_in_their_order() -> None:
    """By which ties are broken."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, (4, 3, 5)).astype(float), rng.normal(size=(4, 3, 5))
    for axis in ((2, 0), (0, 2), (2, 1, 0)):
        found = stats.chatterjeexi(x, y, axis=axis).statistic
        np.testing.assert_allclose(found, judge.chatterjeexi(x, y, axis=axis).statistic)


def test_one_observation_of_each_sample_is_not_compared() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stats.f_oneway([1.0, np.nan], [2.0], [3.0], nan_policy="omit")
    assert np.isnan(found.statistic) and np.isnan(found.pvalue)
