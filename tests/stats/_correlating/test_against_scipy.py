"""Correlations and lines against SciPy: sizes from 0, ties, NaNs, axes and options."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

import likewise
from likewise import errors, stats, to_numpy
from likewise.transforms import jit

from ..seeds import seeds
from .draws import compare, pick, sample

LINE = ("slope", "intercept")
NAMES = (
    "chatterjeexi kendalltau linregress pearsonr pointbiserialr siegelslopes spearmanr spearmanrho "
    "theilslopes weightedtau"
).split()


def _options(rng: Any, name: str) -> dict[str, Any]:
    side = {"alternative": pick(rng, "two-sided", "less", "greater")}
    policy = {"nan_policy": pick(rng, "propagate", "omit")}
    return {
        "chatterjeexi": lambda: policy | {"y_continuous": pick(rng, True, False)},
        "kendalltau": lambda: (
            policy
            | side
            | {"method": pick(rng, "auto", "auto", "asymptotic", "exact")}
            | {"variant": pick(rng, "b", "c")}
        ),
        "linregress": lambda: policy | side,
        "pearsonr": lambda: side,
        "pointbiserialr": lambda: policy,
        "siegelslopes": lambda: policy | {"method": pick(rng, "hierarchical", "separate")},
        "spearmanr": lambda: policy | side,
        "spearmanrho": lambda: policy | side,
        "theilslopes": lambda: (
            policy | {"method": pick(rng, "joint", "separate"), "alpha": pick(rng, 0.95, 0.1)}
        ),
        "weightedtau": lambda: (
            policy
            | {"rank": pick(rng, True, False, None), "additive": pick(rng, True, False)}
            | {"weigher": pick(rng, None, lambda i: 1 / (i + 2) ** 2)}
        ),
    }[name]()


def _fields(name: str) -> tuple[str, ...]:
    return {
        "linregress": (*LINE, "rvalue", "pvalue", "stderr", "intercept_stderr"),
        "siegelslopes": LINE,
        "theilslopes": (*LINE, "low_slope", "high_slope"),
    }.get(name, ("statistic", "pvalue"))


def _one(name: str, seed: int, xp: Any = np) -> None:
    rng = np.random.default_rng([seed, NAMES.index(name)])
    n = pick(rng, 0, 1, 2, 3, *range(4, 40))
    batch = pick(rng, (), (), (3,), (2, 1))
    shapes = [(*batch, n), pick(rng, (*batch, n), (n,))]
    if name == "spearmanr":
        shapes = [(n,), (n,)]
    x, y = (sample(rng, *s) for s in shapes)
    if name == "chatterjeexi":  # SciPy's order of equal x is left to the sort
        x = rng.permuted(np.broadcast_to(np.arange(n) + 0.5, shapes[0]), axis=-1)
    axis = -1
    if len(batch) and rng.random() < 0.5 and y.ndim == x.ndim:
        axis = 0
        x, y = (np.moveaxis(v, -1, 0) for v in (x, y))
    if name in ("spearmanr",):
        axis = 0
    options = _options(rng, name)
    if name == "kendalltau" and n <= 5:  # of 2 pairs SciPy divides by 0
        options["method"] = "auto"
    if name in ("siegelslopes", "theilslopes", "weightedtau") and n == 0:
        return  # SciPy fails
    compare(
        getattr(stats, name),
        getattr(scipy.stats, name),
        (x, y),
        options,
        _fields(name),
        axis,
        rtol=1e-9,
        # SciPy rounds a correlation of ranks that is 1 to less.
        atol=1e-7 if name == "spearmanrho" else 1e-11,
        xp=xp,
    )


@pytest.mark.parametrize("name", NAMES)
def test_random_calls(xp: Any, name: str) -> None:
    for seed in seeds(xp, 8):
        _one(name, seed, xp)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_many_random_calls(name: str) -> None:
    for seed in range(600):
        _one(name, seed)


def test_matrices_of_spearman(xp: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(9, 3)).round(1), rng.normal(size=(9, 2))
    for x, y, axis in ((a, b, 0), (a, None, 0), (a.T, b.T, 1), (a, a, None)):
        given = [v if v is None else xp.asarray(v) for v in (x, y)]
        found, expected = stats.spearmanr(*given, axis=axis), scipy.stats.spearmanr(x, y, axis=axis)
        for got, want in zip(found, expected, strict=True):
            np.testing.assert_allclose(to_numpy(got), want, rtol=1e-12, atol=1e-12)
    a[2, 1] = np.nan
    for policy in ("propagate", "omit"):
        found = stats.spearmanr(xp.asarray(a), nan_policy=policy)
        expected = scipy.stats.spearmanr(a, nan_policy=policy)
        np.testing.assert_allclose(to_numpy(found.statistic), expected.statistic, rtol=1e-12)
        np.testing.assert_allclose(to_numpy(found.pvalue), expected.pvalue, rtol=1e-12, atol=1e-15)
    with pytest.raises(errors.ShapeError, match="1 or 2 dimensions"):
        stats.spearmanr(xp.zeros((2, 3, 4)))


def test_intervals_of_pearson(xp: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 3, 12))
    for side in ("two-sided", "less", "greater"):
        for level in (0.9, 0.5):
            found = stats.pearsonr(xp.asarray(x), xp.asarray(y), axis=1, alternative=side)
            want = scipy.stats.pearsonr(x, y, axis=1, alternative=side).confidence_interval(level)
            got = found.confidence_interval(level)
            np.testing.assert_allclose(to_numpy(got.low), want.low, rtol=1e-12)
            np.testing.assert_allclose(to_numpy(got.high), want.high, rtol=1e-12)


def test_warnings_and_errors() -> None:
    x, one = np.arange(5.0), np.ones(5)
    with pytest.warns(errors.ConstantInputWarning):
        assert np.isnan(stats.pearsonr(x, one).statistic)
    with pytest.warns(errors.NearConstantInputWarning):
        stats.pearsonr(x, one + 1e-13 * x)
    with pytest.raises(errors.ArgumentError, match="identical"):
        stats.linregress(one, x)
    with pytest.warns(errors.DegenerateDataWarning):
        found = stats.linregress(np.stack([one, x]), np.stack([x, x]), axis=1)
    assert np.isnan(found.slope[0]) and found.slope[1] == 1
    with pytest.warns(errors.SmallSampleWarning):
        alone = stats.linregress(np.asarray([1.0, np.nan]), x[:2], nan_policy="omit")
    assert np.isnan(alone.slope)
    with pytest.raises(errors.ShapeError, match="at least 2"):
        stats.pearsonr(x[:1], x[:1])
    with pytest.raises(errors.ShapeError, match="one size"):
        stats.kendalltau(x, x[:3])
    with pytest.raises(errors.ArgumentError, match="Ties found"):
        stats.kendalltau(one.round() * np.asarray([1, 1, 2, 3, 4]), x, method="exact")
    with pytest.warns(errors.SmallSampleWarning):
        assert np.isnan(stats.spearmanrho(x[:1], x[:1]).pvalue)


@pytest.mark.parametrize("policy", ["propagate", "omit"])
def test_exact_p_value_of_ties_that_cannot_be_seen_is_nan(xp: Any, policy: str) -> None:
    def both(x: Any, y: Any) -> Any:
        found = stats.kendalltau(x, y, method="exact", nan_policy=policy, axis=-1)
        return found.statistic, found.pvalue

    rng = np.random.default_rng(5)
    x, y = rng.permuted(np.tile(np.arange(9.0), (2, 3, 1)), axis=-1)
    x[1, 0] = x[1, 1]
    y[2, 3] = y[2, 4]
    found = jit(both)(xp.asarray(x[:1]), xp.asarray(y[:1]))
    if likewise.library(xp.zeros(1)) == "jax":
        found = jit(both)(xp.asarray(x), xp.asarray(y))
        taus = [scipy.stats.kendalltau(*rows).statistic for rows in zip(x, y, strict=True)]
        np.testing.assert_allclose(to_numpy(found[0]), taus, rtol=1e-6)
        assert np.isnan(to_numpy(found[1])[1:]).all()
    expected = scipy.stats.kendalltau(x[0], y[0], method="exact")
    np.testing.assert_allclose([float(v[0]) for v in found], expected, rtol=1e-6)


@pytest.mark.needs("dask")
def test_exact_kendall_of_ties_in_blocks() -> None:
    import dask.array as da

    x, y = (
        np.asarray([[1.0, 2.0, 2.0, 4.0], [1.0, 2.0, 3.0, 4.0]]),
        np.asarray([2.0, 1.0, 3.0, 4.0]),
    )
    rows = da.from_array(x, chunks=(1, 4))
    found = stats.kendalltau(rows, da.from_array(y), method="exact", axis=-1)
    expected = [scipy.stats.kendalltau(row, y) for row in x]
    np.testing.assert_allclose(found.statistic.compute(), [e.statistic for e in expected])
    np.testing.assert_allclose(found.pvalue.compute(), [np.nan, expected[1].pvalue])


def test_a_number_more_of_pairs_than_are_compared(xp: Any) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 60, size=(2, 2, 150)) * 1.0
    found = stats.kendalltau(xp.asarray(x), xp.asarray(y), axis=1)
    expected = [scipy.stats.kendalltau(a, b) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(to_numpy(found.statistic), [e.statistic for e in expected])
    np.testing.assert_allclose(to_numpy(found.pvalue), [e.pvalue for e in expected], rtol=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_kendall_of_many_is_exact(xp: Any, alternative: str) -> None:
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(2, 240))
    y = y + 0.4 * x
    given = {"method": "exact", "alternative": alternative}
    found = stats.kendalltau(xp.asarray(x), xp.asarray(y), **given)
    expected = scipy.stats.kendalltau(x, y, **given)
    np.testing.assert_allclose(float(found.pvalue), expected.pvalue, rtol=1e-5)
    if xp is np:
        x[3] = np.nan
        found = stats.kendalltau(x, y, nan_policy="omit", **given)
        expected = scipy.stats.kendalltau(np.delete(x, 3), np.delete(y, 3), **given)
        np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-9)
