"""Monte Carlo tests and power, against the laws that are known."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.random import normal
from likewise.special import ndtr
from likewise.stats import (
    BootstrapMethod,
    MonteCarloMethod,
    PermutationMethod,
    monte_carlo_test,
    norm,
    power,
)

X = np.random.default_rng(3).normal(size=(2, 16)) + 0.3


def mean(x: Any, axis: int) -> Any:
    return x.mean(axis=axis)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_as_scipy_with_the_same_numbers(alternative: str) -> None:
    def made() -> Any:
        rng = np.random.default_rng(5)
        return lambda size: rng.normal(size=size)

    options = {"alternative": alternative, "axis": 1, "n_resamples": 500}
    found = monte_carlo_test(X, made(), mean, **options)
    wanted = scipy.stats.monte_carlo_test(X, made(), mean, **options)
    assert np.array_equal(found.pvalue, wanted.pvalue)
    assert np.array_equal(found.null_distribution, wanted.null_distribution)
    assert np.array_equal(found.statistic, wanted.statistic)


def test_keys_on_all_libraries(xp: Any) -> None:
    def draw(size: Any, key: Any) -> Any:
        return normal(key, size, "float64")

    wanted = monte_carlo_test(X[0], draw, mean, n_resamples=300, key=4, batch=100)
    own = monte_carlo_test(
        xp.asarray(X[0]),
        draw,
        lambda x, axis: xp.mean(x, axis=axis),
        n_resamples=300,
        key=4,
        batch=100,
    )
    assert np.allclose(np.asarray(own.null_distribution), wanted.null_distribution)
    assert len(np.unique(wanted.null_distribution)) == 300
    exact = 2 * ndtr(-np.abs(X[0].mean()) * 4)
    assert abs(monte_carlo_test(X[0], draw, mean).pvalue - exact) < 0.02


def test_power_of_a_normal_test() -> None:
    def draw(size: Any, key: Any, loc: Any = 0.0) -> Any:
        return normal(key, size) + loc

    def test(x: Any, axis: int) -> Any:
        return 2 * ndtr(-np.abs(x.mean(axis=axis)) * x.shape[axis] ** 0.5)

    n, loc = np.asarray([4, 16]), np.asarray([[0.0], [0.5], [1.0]])
    level = np.asarray([0.05, 0.01])
    found = power(test, draw, n, significance=level, kwargs={"loc": loc}, n_resamples=4000, key=2)
    bound = scipy.stats.norm.isf(level / 2)[:, None, None]
    shift = loc * np.sqrt(n)
    exact = scipy.stats.norm.sf(bound - shift) + scipy.stats.norm.cdf(-bound - shift)
    assert found.power.shape == (2, 3, 2) and found.pvalues.shape == (3, 2, 4000)
    assert np.all(np.abs(found.power - exact) < 4 * np.sqrt(exact * (1 - exact) / 4000) + 1e-9)
    one = power(lambda x: test(x, 0), draw, 16, significance=0.05, n_resamples=50)
    assert one.pvalues.shape == (50,)


def test_methods() -> None:
    assert PermutationMethod(99, key=1)._asdict() == {"n_resamples": 99, "batch": None, "key": 1}
    assert BootstrapMethod().method == "BCa"
    assert MonteCarloMethod(batch=3).batch == 3
    with pytest.raises(errors.ArgumentError, match="exclusive"):
        MonteCarloMethod(rvs=normal, key=1)


def test_bad_arguments() -> None:
    def draw(size: Any) -> Any:
        return np.zeros(size)

    with pytest.raises(errors.ArgumentError, match="as many"):
        monte_carlo_test(X, [draw, draw], mean)
    with pytest.raises(errors.ArrayTypeError, match="rvs"):
        monte_carlo_test(X, 3, mean)
    with pytest.raises(errors.ArrayTypeError, match="statistic"):
        monte_carlo_test(X, draw, 3)
    with pytest.raises(errors.ArgumentError, match="key="):
        monte_carlo_test(X, draw, mean, rng=1)
    with pytest.raises(errors.ArgumentError, match="significance"):
        power(mean, draw, 3, significance=2.0)
    with pytest.raises(errors.ArgumentError, match="as many"):
        power(mean, [draw], 3)
    with pytest.raises(errors.ArrayTypeError, match="kwargs"):
        power(mean, draw, 3, kwargs=[1])


def test_distributions_draw() -> None:
    def statistic(x: Any, axis: int) -> Any:
        return np.mean(x, axis=axis)

    x = np.asarray([0.3, -0.2, 1.4, 0.9])
    found = monte_carlo_test(x, norm(0.0, 1.0).rvs, statistic, n_resamples=999, key=2)
    due = 2 * ndtr(-np.mean(x) * 2)
    assert abs(found.pvalue - due) < 0.06
