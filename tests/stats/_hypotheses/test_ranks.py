"""Tests by ranks, against SciPy, enumeration, and the uniform p-values of a true hypothesis."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors, stats, to_numpy
from likewise.stats._base._exact import digits

from .._correlating.draws import compare, pick, sample
from ..seeds import seeds

SIDES = ("two-sided", "less", "greater")
TWO = ("ansari", "brunnermunzel", "mannwhitneyu", "mood", "ranksums", "wilcoxon")
SEVERAL = ("fligner", "friedmanchisquare", "kruskal")


def _options(rng: Any, name: str) -> dict[str, Any]:
    options = {"nan_policy": pick(rng, "propagate", "omit")}
    if name not in SEVERAL:
        options["alternative"] = pick(rng, *SIDES)
    if name == "wilcoxon":
        options["zero_method"] = pick(rng, "wilcox", "pratt", "zsplit")
        options["correction"] = pick(rng, True, False)
    if name in ("wilcoxon", "mannwhitneyu"):
        options["method"] = pick(rng, "auto", "auto", "exact", "asymptotic")
    if name == "mannwhitneyu":
        options["use_continuity"] = pick(rng, True, False)
    if name == "brunnermunzel":
        options["distribution"] = pick(rng, "t", "normal")
    if name == "fligner":
        options["center"] = pick(rng, "mean", "median", "trimmed")
    return options


def _one(name: str, seed: int, xp: Any = np) -> None:
    rng = np.random.default_rng([seed, *map(ord, name)])
    options = _options(rng, name)
    count = 2 if name in TWO else pick(rng, 3, 4)
    n = pick(rng, 0, 1, 2, 3, *range(4, 16), 20, 60)
    paired = name in ("friedmanchisquare", "wilcoxon")
    batch = pick(rng, (), (), (3,), (2, 1))
    sizes = [n if paired else max(0, n + int(rng.integers(-3, 4))) for _ in range(count)]
    if name == "mannwhitneyu" and rng.random() < 0.4:
        sizes[0] = pick(rng, 1, 3, 8)
    args = [sample(rng, *batch, m) for m in sizes]
    if options.get("center", "median") != "median":  # the last bit of a mean decides on ties
        args = [np.where(np.isnan(x), np.nan, rng.normal(size=x.shape)) for x in args]
    # SciPy's counts for the test of Ansari and Bradley are float32.
    rtol = 1e-6 if name == "ansari" else 1e-10
    compare(getattr(stats, name), getattr(scipy.stats, name), args, options, rtol=rtol, xp=xp)


@pytest.mark.xp_skip(
    {
        "strict-minimal": "it needs linalg, or shapes that depend on data",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("name", [*TWO, *SEVERAL])
def test_random_calls(xp: Any, name: str) -> None:
    for seed in seeds(xp, 8):
        _one(name, seed, xp)


@pytest.mark.full
@pytest.mark.parametrize("name", [*TWO, *SEVERAL])
def test_many_random_calls(name: str) -> None:
    for seed in range(600):
        _one(name, seed)


# -- exact distributions ---------------------------------------------------------------------------


def _tails(values: Sequence[float], value: float) -> tuple[float, float, float]:
    """The p-values of the three alternatives from all equally likely values."""
    below = sum(v <= value for v in values) / len(values)
    above = sum(v >= value for v in values) / len(values)
    return min(1.0, 2 * min(below, above)), below, above


@pytest.mark.parametrize("sizes", [(1, 4), (3, 3), (4, 5), (6, 2)])
def test_u_by_enumeration(sizes: tuple[int, int]) -> None:
    m, every = sizes[0], sum(sizes)
    chosen = [np.asarray(c) for c in itertools.combinations(range(every), m)]
    values = [float(c.sum() - m * (m - 1) / 2) for c in chosen]
    x = np.stack(chosen) * 1.0
    y = np.stack([np.setdiff1d(range(every), c) for c in chosen]) * 1.0
    for k, side in enumerate(SIDES):
        found = stats.mannwhitneyu(x, y, alternative=side, axis=1)
        assert list(found.statistic) == values
        assert list(found.pvalue) == [_tails(values, v)[k] for v in values]


@pytest.mark.parametrize("sizes", [(1, 4), (3, 3), (4, 5), (6, 2)])
def test_ansari_by_enumeration(sizes: tuple[int, int]) -> None:
    m, every = sizes[0], sum(sizes)
    chosen = [np.asarray(c) for c in itertools.combinations(range(every), m)]
    values = [float(np.minimum(c + 1, every - c).sum()) for c in chosen]
    x = np.stack(chosen) * 1.0
    y = np.stack([np.setdiff1d(range(every), c) for c in chosen]) * 1.0
    for k, side in enumerate(("two-sided", "greater", "less")):  # small: x has the larger scale
        found = stats.ansari(x, y, alternative=side, axis=1)
        assert list(found.statistic) == values
        assert list(found.pvalue) == [_tails(values, v)[k] for v in values]


@pytest.mark.parametrize("n", [2, 3, 6])
def test_kendall_by_enumeration(n: int) -> None:
    y = np.asarray(list(itertools.permutations(range(n)))) * 1.0
    pairs = list(itertools.combinations(range(n), 2))
    values = [float(sum(v[i] < v[j] for i, j in pairs)) for v in y]
    for k, side in enumerate(SIDES):
        found = stats.kendalltau(np.arange(n) * 1.0, y, alternative=side, axis=1)
        assert list(found.pvalue) == [_tails(values, v)[k] for v in values]


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("ranked", [[1, 2, 3, 4, 5, 6], [1, 1, 2, 3, 3, 3, 4], [0, 0, 1, 2, 2, 5]])
def test_signed_ranks_by_enumeration(ranked: list[float], zero_method: str) -> None:
    size = np.asarray(ranked) * 1.0
    signs = np.asarray(list(itertools.product((-1.0, 1.0), repeat=size.size)))
    d = signs * size
    ranks = scipy.stats.rankdata(size)
    if zero_method == "wilcox" and 0 in ranked:
        ranks = np.where(size > 0, scipy.stats.rankdata(np.where(size > 0, size, np.inf)), 0)
    half = ranks[size == 0].sum() / 2 if zero_method == "zsplit" else 0.0
    values = [float((ranks * (v > 0)).sum() + half) for v in d]
    for k, side in enumerate(SIDES):
        found = stats.wilcoxon(d, zero_method=zero_method, alternative=side, axis=1)
        if k:
            assert list(found.statistic) == values
        np.testing.assert_allclose(found.pvalue, [_tails(values, v)[k] for v in values], rtol=1e-14)


def test_counts_of_many() -> None:
    from likewise.stats._hypotheses import _rank_scales, _rank_sums, _signed_ranks

    assert sum(_rank_sums._ways(8, 40)) == math.comb(48, 8)
    assert sum(_rank_scales._ways(20, 31)) == math.comb(51, 20)
    assert sum(_signed_ranks._sums(50)) == 2**50
    assert digits(0x0203_0001, 8) == (1, 0, 3, 2)


def test_trend(xp: Any) -> None:
    rng = np.random.default_rng(5)
    kinds = list(itertools.product(("auto", "exact", "asymptotic"), (True, False)))
    rtol = 1e-12 if xp.variant.has_float64 else 1e-6
    for method, ties in kinds[: len(seeds(xp, 6))]:
        m, n = int(rng.integers(2, 8)), int(rng.integers(3, 7))
        data = rng.normal(size=(2, m, n))
        data = data.round() if ties else data
        order = rng.permutation(n) + 1
        found = stats.page_trend_test(
            xp.asarray(data), predicted_ranks=xp.asarray(order), method=method
        )
        for i, table in enumerate(data):
            expected = scipy.stats.page_trend_test(table, predicted_ranks=order, method=method)
            assert found.method == expected.method
            assert float(found.statistic[i]) == expected.statistic
            np.testing.assert_allclose(float(found.pvalue[i]), expected.pvalue, rtol=rtol)
    with pytest.raises(errors.ShapeError, match="2d array"):
        stats.page_trend_test(xp.arange(4.0))
    with pytest.raises(errors.ArgumentError, match="exactly once"):
        stats.page_trend_test(xp.zeros((2, 3)), predicted_ranks=xp.asarray([1, 1, 2]))


def test_trend_by_enumeration() -> None:
    rows = list(itertools.permutations((1, 2, 3)))
    data = np.asarray([(a, b) for a in rows for b in rows]) * 1.0
    values = [float(v) for v in (data.sum(1) * [1, 2, 3]).sum(-1)]
    found = stats.page_trend_test(data, ranked=True)
    assert list(found.statistic) == values
    assert list(found.pvalue) == [_tails(values, v)[2] for v in values]


# -- batches ---------------------------------------------------------------------------------------


def test_each_sample_of_a_batch_has_its_own_method() -> None:
    x = np.asarray([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 9.0]])
    y = np.asarray([[5.0, 6.0, 7.0, 8.0], [1.0, 6.0, 7.0, 9.0]])
    both = stats.mannwhitneyu(x, y, axis=1)
    one, other = (scipy.stats.mannwhitneyu(a, b) for a, b in zip(x, y, strict=True))
    np.testing.assert_allclose(both.pvalue, [one.pvalue, other.pvalue], rtol=1e-14)
    assert both.pvalue[0] == 2 / math.comb(8, 4)


def test_mood_of_equal_scores_is_undefined(xp: Any) -> None:
    """All tied, or two groups of one size, also with a NaN left out; a number more is enough."""
    for n in (9, 30):
        one, half = (xp.asarray(v, dtype=xp.float64) for v in ([1.0] * n, [0.0] * n + [1.0] * n))
        nan = xp.concat([half, xp.asarray([xp.nan], dtype=xp.float64)])
        for x, y in ((one, one), (one, 1 - one), (half, half), (nan, half)):
            assert np.isnan(float(stats.mood(x, y, nan_policy="omit").pvalue))
        p = float(stats.mood(half, half[1:]).pvalue)
        want = scipy.stats.mood(to_numpy(half), to_numpy(half[1:])).pvalue
        np.testing.assert_allclose(p, want, rtol=1e-6)


def test_bad_options_are_told() -> None:
    x = np.arange(5.0)
    for name in TWO[:-1]:
        with pytest.raises(errors.ArgumentError, match="alternative"):
            getattr(stats, name)(x, x, alternative="more")
    with pytest.raises(errors.ArgumentError, match="zero_method"):
        stats.wilcoxon(x, zero_method="none")
    with pytest.raises(errors.ArgumentError, match="two samples"):
        stats.kruskal(x)
    with pytest.raises(errors.ArgumentError, match="three samples"):
        stats.friedmanchisquare(x, x)
    with pytest.warns(errors.SmallSampleWarning):
        assert np.isnan(stats.mannwhitneyu(x, x[:0]).pvalue)
    with pytest.raises(errors.ShapeError):
        stats.wilcoxon(x, x[:3])


# -- true hypotheses -------------------------------------------------------------------------------

NULL = {
    "mannwhitneyu": (25, 30),
    "ranksums": (25, 30),
    "brunnermunzel": (60, 60),
    "mood": (40, 40),
    "ansari": (40, 45),
    "kruskal": (30, 30, 30),
    "fligner": (300, 300, 300),
    "friedmanchisquare": (80,) * 5,
}


@pytest.mark.full
@pytest.mark.parametrize("name", [*NULL, "wilcoxon", "pearsonr", "spearmanrho", "kendalltau"])
def test_p_values_of_a_true_hypothesis_are_uniform(name: str) -> None:
    rng = np.random.default_rng(32)
    sizes = NULL.get(name, (60, 60))
    args = [rng.normal(size=(10_000, n)) for n in sizes]
    p = getattr(stats, name)(*args, axis=1).pvalue
    # A discrete statistic has steps of this size at most.
    most = np.unique(p, return_counts=True)[1].max() / p.size
    values = np.sort(p)
    distance = np.abs(values - (np.arange(p.size) + 0.5) / p.size).max()
    assert distance < 1.95 / math.sqrt(p.size) + most, (name, distance, most)


def test_sizes_that_occur_give_the_same_as_all() -> None:
    from likewise.stats._base._exact import null
    from likewise.stats._hypotheses._rank_sums import _ways

    m, n = np.asarray([[2.0], [3.0]]), np.asarray([[4.0], [1.0]])
    found = null(_ways, (m, n), (4, 5)).at_least(np.asarray([[8.0], [2.0]]))
    one = null(_ways, (2, 4), (4, 5)).at_least(np.asarray([8.0]))
    other = null(_ways, (3, 1), (4, 5)).at_least(np.asarray([2.0]))
    assert [one[0], other[0]] == list(found[:, 0])
