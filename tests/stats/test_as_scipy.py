"""Semantics that SciPy's own test files ask for: dtypes, shapes, names of arguments, errors."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors, missing, random, stats, to_numpy

COORDINATES = [0.1, 0.4, 0.45, 0.9]


def test_an_axis_that_is_not_there_is_an_index_error(xp: Any) -> None:
    for axis in (2, (0, -3)):
        with pytest.raises(errors.AxisError, match="axis must lie in") as found:
            stats.skew(xp.zeros((2, 3), dtype=xp.float64), axis=axis)
        assert isinstance(found.value, IndexError | ValueError)
    assert issubclass(errors.AxisError, IndexError) and issubclass(errors.AxisError, ValueError)


def test_ends_of_integers_are_integers(xp: Any) -> None:
    big = 2**53 + 1 if "64" in str(xp.asarray(2).dtype) else 2**24 + 1
    x = xp.asarray([[big, 3], [5, big + 2]])
    for found, wanted in (
        (stats.tmin(x), [5, 3]),
        (stats.tmax(x, axis=1, keepdims=True), [[big], [big + 2]]),
        (stats.tmax(x, axis=None), big + 2),
    ):
        assert found.dtype == x.dtype
        assert np.array_equal(np.asarray(found), wanted)
    assert xp.isdtype(stats.tmin(x, 4).dtype, "real floating")
    with pytest.warns(errors.SmallSampleWarning):
        assert np.isnan(float(stats.tmin(x[:0, 0])))


def test_the_mode_of_nothing_has_a_floating_count(xp: Any) -> None:
    with pytest.warns(errors.SmallSampleWarning):
        found = stats.mode(xp.zeros((0, 2), dtype=xp.float64))
    assert found.count.dtype == found.mode.dtype and list(to_numpy(found.count)) == [0.0, 0.0]


def test_pearsons_samples_are_not_stretched(xp: Any) -> None:
    x = xp.asarray([[1.0, 2.0, 4.0]], dtype=xp.float64)
    with pytest.raises(errors.ShapeError, match="one size, got 3 and 1"):
        stats.pearsonr(x, x[:, :1], axis=1)
    both = stats.pearsonr(x, xp.concat([x, -x]), axis=1).statistic
    assert np.allclose(to_numpy(both), [1, -1])


@pytest.mark.parametrize("k", [10_079_999, 10_080_000, 10_079_990, 10_080_009])
def test_equally_likely_counts_of_many_trials(xp: Any, k: int) -> None:
    wanted = scipy.stats.binomtest(k, 21_000_000, 0.48).pvalue
    assert np.isclose(stats.binomtest(k, 21_000_000, 0.48).pvalue, wanted, rtol=1e-11)
    k_, n = (xp.asarray([v], dtype=xp.float64) for v in (k, 21_000_000))
    found = stats.binomtest(k_, n, xp.asarray([0.48], dtype=xp.float64)).pvalue
    assert np.allclose(to_numpy(found), wanted, rtol=1e-11)


def test_frozen_methods_have_scipys_arguments() -> None:
    frozen, scipys = stats.binom(5, 0.3), scipy.stats.binom(5, 0.3)
    for call in (
        lambda d: d.pmf(k=2),
        lambda d: d.logpmf(k=2),
        lambda d: d.cdf(x=2),
        lambda d: d.ppf(q=0.4),
        lambda d: d.isf(q=0.4),
    ):
        assert np.isclose(call(frozen), call(scipys))


def test_bins_as_scipy(xp: Any) -> None:
    x = xp.asarray(COORDINATES, dtype=xp.float64)
    found = missing.binned_statistic(x, None, "count", bins=2, range=[(0, 1)])
    assert list(to_numpy(found.statistic)) == [3, 1]
    assert np.allclose(to_numpy(found.bin_edges), [0, 0.5, 1])
    found = stats.binned_statistic_dd(COORDINATES, None, "count", bins=[[0, 0.5, 1]])
    assert list(to_numpy(found.statistic)) == [3, 1]
    found = stats.binned_statistic_dd(COORDINATES, x, "sum", bins=[[0, 0.5, 1]])
    assert np.allclose(to_numpy(found.statistic), [0.95, 0.9])
    with pytest.raises(errors.ArgumentError, match="numerically 0"):
        missing.binned_statistic(x, x, bins=[0.0, 0.5, 0.5])
    with pytest.raises(errors.ArgumentError, match="numerically 0"):
        stats.binned_statistic_2d(x, x, x, bins=[[0.0, 0.5, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match="each of the 2 axes"):
        stats.binned_statistic_2d(x, x, x, bins=[2])


def test_what_is_no_generator_is_told_first() -> None:
    with pytest.raises(errors.ArrayTypeError, match="rvs must be callable"):
        stats.monte_carlo_test(np.ones((2, 2)), [np.mean, None], np.mean)


def test_a_seed_is_a_key(xp: Any) -> None:
    kde = stats.gaussian_kde(xp.asarray(COORDINATES, dtype=xp.float64))
    by_seed, by_key = (
        to_numpy(kde.resample(3, key=k)) for k in (3, random.key(3, like=kde.dataset))
    )
    assert np.array_equal(by_seed, by_key)
    args = ([0.1, 0.2, 0.3, 0.4], None, np.eye(4) + 0.3)
    by_seed, by_key = (stats.multivariate_normal.cdf(*args, key=k) for k in (3, random.key(3)))
    assert by_seed == by_key != stats.multivariate_normal.cdf(*args)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("betaprime", (2.0, 3.0)),
        ("dgamma", (2.0,)),
        ("exponnorm", (1.0,)),
        ("f", (2.0, 3.0)),
        ("jf_skew_t", (2.0, 3.0)),
        ("loggamma", (2.0,)),
        ("nct", (3.0, 1.0)),
        ("norminvgauss", (2.0, 1.0)),
        ("rice", (1.0,)),
        ("skewnorm", (1.0,)),
    ],
)
def test_a_librarys_key_draws_there(xp: Any, name: str, args: tuple[float, ...]) -> None:
    key = random.key(1, like=xp.asarray(0.0))
    found = getattr(stats, name).rvs(*args, size=3, key=key)
    assert type(found) is type(key) and np.all(np.isfinite(to_numpy(found)))


def test_fits_of_uniform_numbers_are_their_ends(xp: Any) -> None:
    rows = np.random.default_rng(3).uniform(2.0, 5.0, (4, 9))
    x = xp.asarray(rows, dtype=xp.float64)
    for fixed in ({}, {"floc": 1.5}, {"fscale": 4.0}):
        found = stats.uniform.fit(x, axis=-1, **fixed)
        wanted = [scipy.stats.uniform.fit(row, **fixed) for row in rows]
        assert np.allclose(np.stack([to_numpy(v) for v in found], axis=-1), wanted, rtol=1e-14)
    for outside in ({"floc": 3.5}, {"fscale": 0.1}):
        assert np.all(np.isnan(to_numpy(stats.uniform.fit(x, axis=-1, **outside)[1])))


def test_rows_are_samples_of_anderson(xp: Any) -> None:
    x = xp.asarray([[1.0, 2.0, 3.5, 6.0], [2.5, 3.0, 7.0, 8.0]], dtype=xp.float64)
    with pytest.warns(UserWarning):
        wanted = scipy.stats.anderson_ksamp(to_numpy(x)).statistic
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.DegenerateDataWarning)
        found = stats.anderson_ksamp(x).statistic
    assert np.isclose(float(found), wanted)


def test_fits_of_anderson_tell_of_success() -> None:
    assert stats.anderson(np.asarray(COORDINATES), "logistic").fit_result.success
