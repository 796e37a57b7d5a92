"""P-values under the null hypothesis are uniform: 10,000 samples of each test in one call."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as special
import scipy.stats as judge

from likewise import stats

ROWS = 10_000

CONTINUOUS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "ttest_1samp": lambda x, y, z: stats.ttest_1samp(x, 0.0, axis=1),
    "ttest_rel": lambda x, y, z: stats.ttest_rel(x, y[:, :30], axis=1),
    "ttest_ind": lambda x, y, z: stats.ttest_ind(x, y, axis=1),
    "welch": lambda x, y, z: stats.ttest_ind(x, 2 * y, axis=1, equal_var=False),
    "f_oneway": lambda x, y, z: stats.f_oneway(x, y, z, axis=1),
    "bartlett": lambda x, y, z: stats.bartlett(x, y, z, axis=1),
    "alexandergovern": lambda x, y, z: stats.alexandergovern(x, y, z, axis=1),
    "levene": lambda x, y, z: stats.levene(x, y, z, center="mean", axis=1),
    "ks_1samp": lambda x, y, z: stats.ks_1samp(x, special.ndtr, axis=1),
    "cramervonmises": lambda x, y, z: stats.cramervonmises(x, special.ndtr, axis=1),
    "shapiro": lambda x, y, z: stats.shapiro(x, axis=1),
    "skewtest": lambda x, y, z: stats.skewtest(x, axis=1),
    "kurtosistest": lambda x, y, z: stats.kurtosistest(x, axis=1),
    "normaltest": lambda x, y, z: stats.normaltest(x, axis=1),
}
DISCRETE: dict[str, Callable[[Any, Any], Any]] = {
    "ks_2samp": lambda x, y: stats.ks_2samp(x, y, axis=1),
    "cramervonmises_2samp": lambda x, y: stats.cramervonmises_2samp(x[:, :12], y[:, :11], axis=1),
}
# Approximations of the null distribution, which are some percent off at these sizes.
NEARLY = {"levene": 0.05, "shapiro": 0.03, "normaltest": 0.05, "kurtosistest": 0.03}


@pytest.mark.full
@pytest.mark.parametrize("name", CONTINUOUS)
def test_p_values_are_uniform(name: str) -> None:
    rng = np.random.default_rng(75)
    x, y, z = (rng.normal(size=(ROWS, n)) for n in (30, 40, 25))
    p = CONTINUOUS[name](x, y, z).pvalue
    distance = judge.kstest(p, "uniform").statistic
    assert p.shape == (ROWS,)
    assert distance < max(1.95 / ROWS**0.5, NEARLY.get(name, 0.0))  # 1.95: once in a thousand


@pytest.mark.full
@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_p_values_are_exact(name: str) -> None:
    rng = np.random.default_rng(76)
    x, y = rng.normal(size=(ROWS, 30)), rng.normal(size=(ROWS, 37))
    p = DISCRETE[name](x, y).pvalue
    for level in (0.01, 0.05, 0.1, 0.3, 0.6):
        reached = p[p <= level].max()  # the largest p-value that there is below the level
        rate, error = (p <= reached * (1 + 1e-9)).mean(), (reached / ROWS) ** 0.5
        assert abs(rate - reached) < 4 * error
