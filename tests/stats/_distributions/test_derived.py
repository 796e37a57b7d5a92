"""Truncated distributions, mixtures and order statistics, against SciPy's."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import stats, to_numpy
from likewise.errors import ArgumentError, ShapeError
from likewise.stats import Mixture, order_statistic, truncate
from likewise.transforms import grad, jit

P = np.asarray([1e-6, 0.03, 0.3, 0.5, 0.8, 0.99, 1 - 1e-6])
WORDS = {"pdf": "pdf", "logpdf": "logpdf", "cdf": "cdf", "sf": "ccdf", "logcdf": "logcdf"}
WORDS |= {"logsf": "logccdf"}


def theirs(name: str, loc: float = 0.0, scale: float = 1.0, **shapes: float) -> Any:
    return loc + scale * judge.make_distribution(getattr(judge, name))(**shapes)


def ours(xp: Any, name: str, *args: float) -> Any:
    return getattr(stats, name)(*(xp.asarray(a, dtype=xp.float64) for a in args))


MIX = (("norm", (-2.0, 0.5), {}), ("norm", (3.0, 2.0), {}), ("gamma", (2.0, 0.5, 1.5), {"a": 2.0}))


def made(xp: Any, kind: str) -> tuple[Any, Any]:
    """Ours and SciPy's."""
    if kind == "truncated":
        return truncate(ours(xp, "norm", 1.0, 2.0), -1.0, 4.0), judge.truncate(
            theirs("norm", 1.0, 2.0), -1.0, 4.0
        )
    if kind == "half":
        return truncate(ours(xp, "gamma", 2.0, 1.0, 2.0), lb=6.0), judge.truncate(
            theirs("gamma", 1.0, 2.0, a=2.0), lb=6.0
        )
    if kind == "ordered":
        return order_statistic(ours(xp, "logistic", 1.0, 2.0), r=2, n=5), judge.order_statistic(
            theirs("logistic", 1.0, 2.0), r=2, n=5
        )
    if kind == "largest":
        return order_statistic(ours(xp, "expon", 0.0, 2.0), r=4, n=4), judge.order_statistic(
            theirs("expon", 0.0, 2.0), r=4, n=4
        )
    weights = [0.2, 0.5, 0.3]
    mine = Mixture(
        [ours(xp, n, *a) for n, a, _ in MIX], weights=xp.asarray(weights, dtype=xp.float64)
    )
    return mine, judge.Mixture(
        [theirs(n, *a[-2:], **s) for n, a, s in MIX], weights=np.asarray(weights)
    )


KINDS = ("truncated", "half", "ordered", "largest", "mixed")


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_scipys(xp: Any, kind: str) -> None:
    mine, other = made(xp, kind)
    x = other.icdf(P)
    for what, word in WORDS.items():
        expected = getattr(other, word)(x)
        found = to_numpy(getattr(mine, what)(xp.asarray(x)))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14, err_msg=what)
    for what, tail in {"ppf": "cdf", "isf": "sf"}.items():
        point = getattr(mine, what)(xp.asarray(P))
        back = to_numpy(getattr(mine, tail)(point))
        np.testing.assert_allclose(back, P, rtol=1e-9, err_msg=what)
        expected = getattr(other, "icdf" if what == "ppf" else "iccdf")(P)
        np.testing.assert_allclose(to_numpy(point), expected, rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_moments_are_scipys(kind: str) -> None:
    mine, other = made(np, kind)
    for what, word in {"std": "standard_deviation", "var": "variance"}.items():
        np.testing.assert_allclose(getattr(mine, what)(), getattr(other, word)(), rtol=1e-9)
    for what in ("mean", "median", "entropy"):
        expected = getattr(other, what)()
        if (kind, what) == ("mixed", "entropy"):  # SciPy integrates over the jump: 1e-8
            expected = 2.286717159769331  # scipy.integrate.quad, of each side of it
        np.testing.assert_allclose(getattr(mine, what)(), expected, rtol=1e-8)
    found = mine.stats("sk")
    expected = other.skewness(), other.kurtosis() - 3
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)
    for order in (1, 2, 3, 5):
        np.testing.assert_allclose(mine.moment(order), other.moment(order), rtol=1e-8)
    np.testing.assert_allclose(mine.expect(lambda x: x * x), mine.moment(2), rtol=1e-9)
    np.testing.assert_allclose(mine.support(), other.support())
    np.testing.assert_allclose(
        [mine.cdf(end) for end in mine.interval(0.9)], [0.05, 0.95], rtol=1e-10
    )


@pytest.mark.parametrize(
    ("low", "high"), [(40.0, 41.0), (-41.0, -40.0), (39.0, math.inf), (5.0, 6.0)]
)
def test_bounds_far_in_a_tail(low: float, high: float) -> None:
    mine, mirrored = truncate(stats.norm(0.0, 1.0), low, high), judge.truncnorm(low, high)
    x = mirrored.ppf([0.1, 0.5, 0.9])
    np.testing.assert_allclose(mine.ppf([0.1, 0.5, 0.9]), x, rtol=1e-12)
    np.testing.assert_allclose(mine.logpdf(x), mirrored.logpdf(x), rtol=1e-10)
    np.testing.assert_allclose(mine.cdf(x), mirrored.cdf(x), rtol=1e-10)
    np.testing.assert_allclose(mine.sf(x), mirrored.sf(x), rtol=1e-10)
    np.testing.assert_allclose(mine.mean(), mirrored.mean(), rtol=1e-12)


def test_tails_of_order_statistics() -> None:
    """Closed forms: the largest and the smallest of n."""
    x = np.asarray([-30.0, -8.0, 0.3, 9.0, 35.0])
    largest = order_statistic(stats.norm(0.0, 1.0), r=3, n=3)
    np.testing.assert_allclose(largest.cdf(x), judge.norm.cdf(x) ** 3, rtol=1e-12)
    np.testing.assert_allclose(largest.sf(x[3:]), 3 * judge.norm.sf(x[3:]), rtol=1e-12)
    smallest = order_statistic(stats.norm(0.0, 1.0), r=1, n=3)
    np.testing.assert_allclose(smallest.sf(x), judge.norm.sf(x) ** 3, rtol=1e-12)
    np.testing.assert_allclose(smallest.ppf(3e-200), judge.norm.ppf(1e-200), rtol=1e-12)


@pytest.mark.xp_skip({"torch": "its default dtype is of single precision"})
def test_batches(xp: Any) -> None:
    loc = xp.asarray([[0.0], [1.0]])
    x = xp.asarray([0.2, 0.7, 1.9])
    cut = truncate(stats.norm(loc, 1.0), xp.asarray([-1.0, 0.5, 2.5]), 3.0)
    found = to_numpy(cut.cdf(x))
    for i in range(2):
        for j, lb in enumerate((-1.0, 0.5, 2.5)):
            single = truncate(stats.norm(float(i), 1.0), lb, 3.0)
            np.testing.assert_allclose(found[i, j], single.cdf(float(x[j])), rtol=1e-13)
    order = order_statistic(stats.norm(0.0, 1.0), r=xp.asarray([1.0, 2.0, 3.0]), n=3.0)
    np.testing.assert_allclose(to_numpy(order.mean()), [-0.846284375, 0, 0.846284375], atol=1e-9)
    weights = xp.asarray([[0.2, 0.8], [1.0, 0.0]])
    two = Mixture([stats.norm(0.0, 1.0), stats.norm(5.0, 1.0)], weights=weights)
    np.testing.assert_allclose(to_numpy(two.mean()), [4.0, 0.0], atol=1e-12)


def test_parameters_outside_give_nan() -> None:
    norm = stats.norm(0.0, 1.0)
    assert np.isnan(truncate(norm, 2.0, 1.0).cdf(1.5))
    assert np.isnan(truncate(stats.norm(0.0, np.asarray(-1.0)), 0.0, 1.0).pdf(0.5))
    found = order_statistic(norm, r=np.asarray([1.0, 1.5, 4.0]), n=3).cdf(0.0)
    np.testing.assert_array_equal(np.isnan(found), [False, True, True])
    assert truncate(norm, 0.0, 1.0).cdf([-1.0, 0.0, 1.0, 2.0]).tolist() == [0.0, 0.0, 1.0, 1.0]


def test_refused() -> None:
    norm = stats.norm(0.0, 1.0)
    for wrong in (stats.norm, stats.poisson(3.0), 3):
        with pytest.raises(ArgumentError, match="continuous"):
            truncate(wrong)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="components"):
            Mixture([norm, wrong])  # type: ignore[list-item]
    for r, n in ((0, 3), (4, 3), (1.5, 3)):
        with pytest.raises(ArgumentError, match="1 <= r <= n"):
            order_statistic(norm, r=r, n=n)
    with pytest.raises(ArgumentError, match="at least one"):
        Mixture([])
    with pytest.raises(ShapeError, match="one for each of 2"):
        Mixture([norm, norm], weights=[1.0])
    for weights in ([0.5, 0.6], [1.5, -0.5], np.asarray([0.2, 0.2])):
        with pytest.raises(ArgumentError, match="add up to 1"):
            Mixture([norm, norm], weights=weights)
    with pytest.raises(TypeError, match="key"):
        truncate(norm, 0.0).rvs(3)


@pytest.mark.parametrize("kind", KINDS)
def test_draws(kind: str) -> None:
    mine, other = made(np, kind)
    numbers = mine.rvs(size=2000, key=5)
    assert judge.kstest(numbers, other.cdf).pvalue > 0.001
    np.testing.assert_array_equal(numbers, mine.rvs(size=2000, key=5))


def differences(function: Any, at: float) -> Any:
    h = 2e-3
    steps = [(function(at + k * h) - function(at - k * h)) / h for k in (1, 2, 3)]
    return 0.75 * steps[0] - 0.15 * steps[1] + steps[2] / 60


DERIVED = {
    "loc": lambda v: truncate(stats.norm(v, 1.3), 0.5),
    "scale": lambda v: truncate(stats.gamma(2.0, 0.1, v), 0.2, 3.0),
    "shape": lambda v: truncate(stats.gamma(v, 0.0, 1.0), 0.2, 3.0),
    "lb": lambda v: truncate(stats.norm(0.2, 1.3), v, 4.0),
    "ub": lambda v: truncate(stats.norm(0.2, 1.3), -1.0, 2 * v),
    "ordered": lambda v: order_statistic(stats.norm(v, 1.3), r=1, n=4),
    "ordered shape": lambda v: order_statistic(stats.gamma(v), r=4, n=4),
    "mixed": lambda v: Mixture([stats.norm(v, 1.0), stats.expon(0.0, v)], weights=[0.4, 0.6]),
    "weights": lambda v: Mixture([stats.norm(), stats.expon(0.2)], weights=[v, 1 - v]),
}


@pytest.mark.parametrize("which", DERIVED)
def test_derivatives_in_parameters(which: str) -> None:
    at = 0.4 if which == "weights" else 0.9
    x = np.asarray([0.95, 1.1, 1.7])
    calls = {
        "logpdf": lambda d: d.logpdf(x).sum(),
        "cdf": lambda d: d.cdf(x).sum(),
        "ppf": lambda d: d.ppf(np.asarray([0.2, 0.7])).sum(),
        "mean": lambda d: d.mean(),
    }
    for name, call in calls.items():

        def value(v: Any, call: Any = call) -> Any:
            return call(DERIVED[which](v))

        found = grad(value)(np.asarray(at))
        np.testing.assert_allclose(found, differences(value, at), rtol=1e-7, err_msg=name)


def test_derived_of_derived() -> None:
    mixture = Mixture([stats.norm(-30.0, 1.0), stats.laplace(30.0, 2.0)], weights=[0.3, 0.7])
    whole = truncate(mixture)
    np.testing.assert_allclose(whole.mean(), 12.0, rtol=1e-10)
    np.testing.assert_allclose(whole.var(), mixture.var(), rtol=1e-9)
    upper = truncate(mixture, 0.0)
    np.testing.assert_allclose(upper.mean(), 30.0, rtol=1e-6)
    np.testing.assert_allclose(
        order_statistic(truncate(stats.uniform(0.0, 2.0), 1.0), r=1, n=3).mean(), 1.25, rtol=1e-12
    )
    again = pickle.loads(pickle.dumps(mixture))
    assert isinstance(again, Mixture) and again.dist is mixture.dist
    assert [c.dist.name for c in again.components] == ["norm", "laplace"]
    assert again.weights == (0.3, 0.7)


def test_trees(lib: Any) -> None:
    """A derived distribution passes through jit."""
    xp = lib.xp if hasattr(lib, "xp") else lib
    x = xp.asarray([0.3, 0.6])
    cut = truncate(stats.norm(xp.asarray(0.1), xp.asarray(1.2)), xp.asarray(0.0), xp.asarray(1.0))
    found = jit(lambda d, x: d.cdf(x))(cut, x)
    np.testing.assert_allclose(to_numpy(found), to_numpy(cut.cdf(x)), rtol=1e-13)
