"""Derivatives where NaNs are left out: those of the sample without them, and 0 at the NaNs."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import stats
from likewise.transforms import grad

X = np.asarray([1.0, 2.5, 0.3, np.nan, 4.0, 0.7, 3.1, 1.9])
Y = np.asarray([0.3, 2.0, 0.1, 1.0, 3.0, 1.5, 2.2, 0.9])
Z = np.asarray([1.4, 0.2, 2.6, 0.8])
THERE = ~np.isnan(X)

ONE: dict[str, Callable[..., Any]] = {
    name: getattr(stats, name)
    for name in (
        *("gmean", "hmean", "gstd", "circmean", "circvar", "circstd", "entropy", "skew"),
        *("kurtosis", "kstat", "kstatvar", "sem", "variation", "iqr"),
        *("median_abs_deviation", "tmean", "tvar", "tstd", "tsem", "expectile"),
    )
} | {
    "boxcox_llf": lambda x, **o: stats.boxcox_llf(0.5, x, **o),
    "chisquare": lambda x, **o: stats.chisquare(x, **o).statistic,
    "differential_entropy": stats.differential_entropy,
    "gzscore": lambda x, **o: stats.gzscore(x, **o)[0],
    "jarque_bera": lambda x, **o: stats.jarque_bera(x, **o).pvalue,
    "lmoment": lambda x, **o: stats.lmoment(x, 2, **o),
    "moment": lambda x, **o: stats.moment(x, 3, **o),
    "levene": lambda x, **o: stats.levene(x, Z, **o).pvalue,
    "f_oneway": lambda x, **o: stats.f_oneway(x, Z, **o).pvalue,
    "pmean": lambda x, **o: stats.pmean(x, 2.5, **o),
    "trim_mean": lambda x, **o: stats.trim_mean(x, 0.15, **o),
    "shapiro": lambda x, **o: stats.shapiro(x, **o).statistic,
    "ttest_1samp": lambda x, **o: stats.ttest_1samp(x, 0.4, **o).pvalue,
    "ttest_ind": lambda x, **o: stats.ttest_ind(x, Z, equal_var=False, **o).pvalue,
    "yeojohnson_llf": lambda x, **o: stats.yeojohnson_llf(0.5, x, **o),
    "zscore": lambda x, **o: stats.zscore(x, **o)[0],
    "bartlett": lambda x, **o: stats.bartlett(x, Z, **o).pvalue,
}
TWO: dict[str, Callable[..., Any]] = {
    "linregress": lambda x, y, **o: stats.linregress(x, y, **o).slope,
    "pearsonr": lambda x, y, **o: stats.pearsonr(x, y, **o).statistic,
    "siegelslopes": lambda x, y, **o: stats.siegelslopes(x, y, **o).slope,
    "theilslopes": lambda x, y, **o: stats.theilslopes(x, y, **o).slope,
    "ttest_rel": lambda x, y, **o: stats.ttest_rel(x, y, **o).pvalue,
}


def check(function: Callable[..., Any], *others: Any) -> None:
    short = tuple(y[THERE] for y in others)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = grad(lambda x: function(x, *others, nan_policy="omit"))(X)
        expected = grad(lambda x: function(x, *short))(X[THERE])
    assert np.all(np.isfinite(expected)) and np.any(expected != 0)
    np.testing.assert_allclose(found[THERE], expected, rtol=1e-9, atol=1e-12)
    assert np.all(found[~THERE] == 0)


@pytest.mark.parametrize("name", ONE)
def test_of_one_sample(name: str) -> None:
    check(ONE[name])


@pytest.mark.parametrize("name", TWO)
def test_of_two(name: str) -> None:
    check(TWO[name], Y)
