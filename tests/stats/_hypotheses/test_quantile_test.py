"""A test of a quantile, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.stats import quantile_test

RNG = np.random.default_rng(8)
X = np.round(RNG.normal(size=(4, 30)), 1)  # with ties


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize(("q", "p"), [(0.0, 0.5), (0.3, 0.75), (-9.0, 0.1), (9.0, 0.1)])
def test_as_scipy(xp: Any, alternative: str, q: float, p: float) -> None:
    batch = quantile_test(xp.asarray(X), q=q, p=p, alternative=alternative)
    bounds = batch.confidence_interval(0.9)
    for i, x in enumerate(X):
        wanted = scipy.stats.quantile_test(x, q=q, p=p, alternative=alternative)
        limits = wanted.confidence_interval(0.9)
        for found, at in (
            (batch, i),
            (quantile_test(xp.asarray(x), q=q, p=p, alternative=alternative), ()),
        ):
            assert int(found.statistic[at]) == wanted.statistic
            assert int(found.statistic_type[at]) == wanted.statistic_type
            assert np.isclose(float(found.pvalue[at]), wanted.pvalue, rtol=1e-12, atol=1e-300)
        for bound, limit in zip(bounds, limits, strict=True):
            assert float(bound[i]) == limit


def test_quantiles_and_shares_broadcast() -> None:
    q = np.asarray([0.0, 0.1, -0.2, 0.4])
    found = quantile_test(X, q=q, p=0.4)
    for i in range(4):
        wanted = scipy.stats.quantile_test(X[i], q=q[i], p=0.4)
        assert np.isclose(found.pvalue[i], wanted.pvalue, rtol=1e-12)
    short = quantile_test(X[0, :3], p=0.9)
    assert np.isnan(short.confidence_interval(0.99).high)
    assert "statistic_type=2" in repr(short)


def test_refuses() -> None:
    with pytest.raises(errors.ArgumentError, match="strictly between"):
        quantile_test(X, p=1.0)
    with pytest.raises(errors.ShapeError, match="shape"):
        quantile_test(1.0)
    with pytest.raises(errors.ArgumentError, match="alternative"):
        quantile_test(X, alternative="more")
    with pytest.raises(errors.ArgumentError, match="between 0 and 1"):
        quantile_test(X).confidence_interval(1.0)
    with pytest.raises(errors.ShapeError, match="q"):
        quantile_test(X, q=np.ones(3))
