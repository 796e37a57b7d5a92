"""Quantiles by Newton's method in a bracket: from one end of the support to the other."""

import numpy as np
import pytest

from likewise import stats
from likewise.transforms import jvp

CASES = {
    "exponnorm": (1.5,),
    "foldnorm": (0.0,),
    "invgauss": (5.0,),
    "norminvgauss": (1.25, 0.5),
    "rice": (6.0,),
    "skewnorm": (4.0,),
    "vonmises": (200.0,),
}
Q = np.asarray([1e-300, 1e-40, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.8, 0.999, 1 - 1e-9])


@pytest.mark.parametrize("name", CASES)
def test_a_quantile_has_its_probability(name: str) -> None:
    row, args = getattr(stats, name), CASES[name]
    x = row.ppf(Q[1:], *args)
    assert np.all(np.diff(x) > 0)
    np.testing.assert_allclose(row.cdf(x, *args), Q[1:], rtol=1e-11)
    if name != "vonmises":  # which ends at pi, next to which no number has such a tail
        np.testing.assert_allclose(row.sf(row.isf(Q, *args), *args), Q, rtol=1e-11)


def test_quantiles_on_a_circle_lie_in_one_turn() -> None:
    for kappa in (0.0, 0.1, 2.0, 40.0):
        x = stats.vonmises.ppf(Q, kappa)
        assert np.all((x >= -np.pi) & (x <= np.pi))
        np.testing.assert_allclose(stats.vonmises.cdf(x, kappa), Q, atol=1e-15)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("what", ["ppf", "isf"])
def test_quantiles_by_one_tail_are_those_by_both(name: str, what: str) -> None:
    quantile, args = getattr(getattr(stats, name), what), CASES[name]
    q = np.linspace(0.011, 0.989, 23)
    both = quantile(np.append(q, 1e-9), *args)[:-1]  # with one next to an end, both are evaluated
    np.testing.assert_allclose(quantile(q, *args), both, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("lam", [-3.0, -0.2, 0.0, 0.14, 1.0, 2.5])
def test_tukeylambda_has_the_same_root_traced(lam: float) -> None:
    x = stats.tukeylambda.ppf(np.linspace(0.01, 0.99, 15), lam)
    _, slope = jvp(lambda v: stats.tukeylambda.cdf(v, lam), (x,), (np.ones(15),))
    density = stats.tukeylambda.pdf(x, lam)  # by a loop that is not followed
    np.testing.assert_allclose(slope, density, rtol=1e-12)
    np.testing.assert_allclose(stats.tukeylambda.cdf(x, lam), np.linspace(0.01, 0.99, 15))
