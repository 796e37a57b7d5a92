"""The distribution of a histogram, against SciPy's."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import array_namespace, stats, to_numpy
from likewise.errors import ArgumentError, NotSupported, ShapeError
from likewise.transforms import grad

COUNTS = [3.0, 0.0, 5.0, 2.0]
EDGES = [-1.0, 0.0, 0.5, 2.0, 2.5]
X = np.asarray([-2.0, -1.0, -0.3, 0.0, 0.2, 0.5, 1.1, 2.0, 2.4, 2.5, 3.0, np.nan])
Q = np.asarray([0.0, 0.1, 0.3, 0.5, 0.79, 0.8, 0.9, 1.0, -0.1, np.nan])


@pytest.mark.parametrize("density", [True, False])
def test_values_are_scipys(xp: Any, density: bool) -> None:
    ours = stats.rv_histogram((COUNTS, EDGES), density=density)
    theirs = judge.rv_histogram((np.asarray(COUNTS), np.asarray(EDGES)), density=density)
    x, q = xp.asarray(X), xp.asarray(Q)
    for what in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
        with np.errstate(divide="ignore"):
            expected = getattr(theirs, what)(0.3 + 2 * X, 0.3, 2.0)
        found = getattr(ours, what)(0.3 + 2 * x, 0.3, 2.0)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-13, atol=1e-15, err_msg=what)
    for what in ("ppf", "isf"):
        found = to_numpy(getattr(ours, what)(q, 0.3, 2.0))
        np.testing.assert_allclose(found, getattr(theirs, what)(Q, 0.3, 2.0), rtol=1e-13)


def test_moments_are_scipys() -> None:
    ours = stats.rv_histogram((np.asarray(COUNTS), np.asarray(EDGES)), density=False)
    theirs = judge.rv_histogram((np.asarray(COUNTS), np.asarray(EDGES)), density=False)
    for what in ("mean", "var", "std", "median", "entropy", "support"):
        expected = getattr(theirs, what)(loc=0.3, scale=2.0)
        np.testing.assert_allclose(getattr(ours, what)(loc=0.3, scale=2.0), expected, rtol=1e-13)
        expected = getattr(theirs, what)()
        np.testing.assert_allclose(getattr(ours, what)(), expected, rtol=1e-13)
    np.testing.assert_allclose(ours.stats(moments="sk"), theirs.stats(moments="sk"), rtol=1e-10)
    for order in (1, 2, 6):
        np.testing.assert_allclose(ours.moment(order), theirs.moment(order), rtol=1e-12)
    np.testing.assert_allclose(ours(0.3, 2.0).cdf(1.0), theirs(0.3, 2.0).cdf(1.0), rtol=1e-14)
    assert judge.kstest(ours.rvs(size=2000, key=3), theirs.cdf).pvalue > 0.001


def test_small_probabilities_keep_their_digits() -> None:
    ours = stats.rv_histogram(([1.0, 1.0, 1e-30], [0.0, 1.0, 2.0, 3.0]))
    np.testing.assert_allclose(ours.sf(2.5), 2.5e-31, rtol=1e-14)
    np.testing.assert_allclose(ours.isf(2.5e-31), 2.5, rtol=1e-14)


def test_library_of_the_histogram(xp: Any) -> None:
    ours = stats.rv_histogram((xp.asarray(COUNTS), xp.asarray(EDGES)), density=False)
    x = xp.asarray([0.2, 1.1])
    for found in (ours.cdf(x), ours.mean(), ours.cdf(1.0), ours.rvs(size=3, key=1)):
        assert array_namespace(found) is array_namespace(x)
    np.testing.assert_allclose(to_numpy(ours.cdf(x)), [0.3, 0.5], rtol=1e-6)
    np.testing.assert_allclose(float(ours.mean()), 0.925, rtol=1e-6)


def test_derivatives_in_location_and_argument() -> None:
    ours = stats.rv_histogram((COUNTS, EDGES), density=False)
    x = np.asarray([-0.4, 0.7, 2.2])
    np.testing.assert_allclose(grad(lambda x: ours.cdf(x).sum())(x), ours.pdf(x), rtol=1e-14)
    slope = grad(lambda loc: ours.cdf(x, loc).sum())(np.asarray(0.1))
    np.testing.assert_allclose(slope, -ours.pdf(x - 0.1).sum(), rtol=1e-13)


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="pair"):
        stats.rv_histogram([1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match="n counts and n \\+ 1 edges"):
        stats.rv_histogram(([1.0, 2.0], [0.0, 1.0]))
    with pytest.raises(ArgumentError, match="none"):
        stats.rv_histogram(([], [0.0]))
    with pytest.warns(RuntimeWarning, match="several widths"):
        stats.rv_histogram((COUNTS, EDGES))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = stats.rv_histogram(([1.0, 2.0], [0.0, 1.0, 2.0]))
    again = pickle.loads(pickle.dumps(same))
    assert again.cdf(1.5) == same.cdf(1.5)


@pytest.mark.needs("dask")
def test_of_arrays_in_blocks() -> None:
    import dask.array as da

    with pytest.raises(NotSupported, match="Compute it first"):
        stats.rv_histogram((da.asarray(COUNTS), da.asarray(EDGES)), density=False)
    ours = stats.rv_histogram((COUNTS, EDGES), density=False)
    x = np.asarray([-0.4, 0.7, 2.2])
    for name, given in (("pdf", x), ("cdf", x), ("ppf", [0.1, 0.7, 0.9])):
        found = getattr(ours, name)(da.asarray(given)).compute()
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, getattr(ours, name)(np.asarray(given)))


def test_expectations_are_exact_in_each_bin(xp: Any) -> None:
    ours = stats.rv_histogram((xp.asarray(COUNTS), xp.asarray(EDGES)), density=False)
    theirs = judge.rv_histogram((np.asarray(COUNTS), np.asarray(EDGES)), density=False)
    np.testing.assert_allclose(float(ours.expect(lambda x: 1 + 0 * x)), 1.0, rtol=1e-6)
    for loc, scale in ((0.0, 1.0), (0.3, 2.0)):
        found = float(ours.expect(lambda x: x**3, loc=loc, scale=scale))
        np.testing.assert_allclose(found, theirs.moment(3, loc=loc, scale=scale), rtol=1e-5)
    part = float(ours.expect(lambda x: x * x, lb=-0.5, ub=1.0, conditional=True))
    exact = (0.3 * 0.5**3 + 10 / 3 * 0.0 + 5 / 15 * (1 - 0.5**3)) / 3 / (0.15 + 1 / 6)
    np.testing.assert_allclose(part, exact, rtol=1e-5)
    many = to_numpy(
        ours.expect(lambda x: x, loc=xp.asarray([0.0, 1.0]), scale=xp.asarray([1.0, -1.0]))
    )
    np.testing.assert_allclose(many[0], 0.925, rtol=1e-5)
    assert np.isnan(many[1])


def test_what_is_made_of_a_histogram_is_exact_in_each_bin() -> None:
    ours = stats.truncate(stats.rv_histogram((COUNTS, EDGES), density=False)(), -0.5, 1.0)
    exact = (0.3 * -(0.5**2) / 2 + 1 / 3 * (1 - 0.5**2) / 2) / (0.15 + 1 / 6)
    np.testing.assert_allclose(ours.mean(), exact, rtol=1e-12)
