"""Permutation tests, against SciPy's exact ones, and the law of the random ones."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.stats import permutation_test
from likewise.stats._resampling._exact import partitions, permutations

RNG = np.random.default_rng(2)
X, Y, Z = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4)), RNG.normal(size=4)


def difference(x: Any, y: Any, axis: int) -> Any:
    return x.mean(axis=axis) - y.mean(axis=axis)


def product(x: Any, y: Any, axis: int) -> Any:
    return (x * y).sum(axis=axis)


def spread(*samples: Any, axis: int) -> Any:
    return np.var(np.stack([x.mean(axis=axis) for x in samples]), axis=0)


def test_all_permutations_in_order() -> None:
    for n, count in [(1, 2), (3, 1), (4, 1), (3, 3)]:
        each = [list(itertools.permutations(range(n)))] * count
        wanted = np.asarray(list(itertools.product(*each)))
        assert np.array_equal(permutations(np.zeros(1), 0, len(wanted), n, count), wanted)
        assert np.array_equal(permutations(np.zeros(1), 1, len(wanted) - 1, n, count), wanted[1:])


@pytest.mark.parametrize("sizes", [(2, 3), (1, 1), (3, 3, 2), (1, 2, 1, 2)])
def test_all_partitions_once(sizes: tuple[int, ...]) -> None:
    wanted = {
        order
        for order in itertools.permutations(range(sum(sizes)))
        if all(
            list(group) == sorted(group)
            for group in (order[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(len(sizes)))
        )
    }
    found = partitions(np.zeros(1), 0, len(wanted), sizes)
    assert [tuple(row) for row in found] == sorted(wanted)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize(
    ("kind", "statistic", "data"),
    [
        ("independent", difference, (X, Y)),
        ("independent", spread, (X[:, :2], Y[:, :3], Z[:2])),
        ("pairings", product, (X[:, :3], Z[:3])),
        ("samples", difference, (X, Y)),
        ("samples", spread, (X, Y, Z)),
        ("samples", np.mean, (X,)),
    ],
)
def test_exact_as_scipy(kind: str, statistic: Any, data: Any, alternative: str) -> None:
    options = {"permutation_type": kind, "alternative": alternative, "axis": -1}
    options |= {"n_resamples": np.inf, "vectorized": True}
    found = permutation_test(data, statistic, **options)
    wanted = scipy.stats.permutation_test(data, statistic, **options)
    assert np.array_equal(found.null_distribution, wanted.null_distribution)
    assert np.array_equal(found.pvalue, wanted.pvalue)
    assert np.array_equal(found.statistic, wanted.statistic)
    pieces = permutation_test(data, statistic, batch=5, **options)
    assert np.array_equal(pieces.null_distribution, found.null_distribution)


@pytest.mark.parametrize(
    ("kind", "statistic", "data"),
    [
        ("independent", difference, (X, Y)),
        ("pairings", product, (X, Z)),
        ("samples", difference, (X, Y)),
        ("samples", spread, (X, Y, Z)),
    ],
)
def test_random_ones_have_the_exact_law(kind: str, statistic: Any, data: Any) -> None:
    data = [x[0] if x.ndim > 1 else x for x in data]
    exact = permutation_test(
        data, statistic, permutation_type=kind, n_resamples=np.inf, vectorized=True
    ).null_distribution
    count = min(len(exact), 1000)
    # More random ones than there are in all: by pieces of fewer.
    found = np.concatenate(
        [
            permutation_test(
                data,
                statistic,
                permutation_type=kind,
                n_resamples=count - 1,
                key=seed,
                vectorized=True,
            ).null_distribution
            for seed in range(20_000 // count)
        ]
    )
    values = np.unique(np.round(exact, 9))
    expected = np.asarray([np.isclose(exact, v, rtol=0, atol=2e-9).sum() for v in values])
    counts = np.asarray([np.isclose(found, v, rtol=0, atol=2e-9).sum() for v in values])
    assert counts.sum() == len(found)
    pvalue = scipy.stats.chisquare(counts, expected / expected.sum() * counts.sum()).pvalue
    assert pvalue > 1e-4


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
def test_equal_on_all_libraries(xp: Any) -> None:
    a, b = RNG.normal(size=12), RNG.normal(size=12)
    for kind in ("independent", "pairings", "samples"):
        wanted = permutation_test((a, b), difference, permutation_type=kind, n_resamples=150, key=3)

        def statistic(x: Any, y: Any, axis: int) -> Any:
            return xp.mean(x, axis=axis) - xp.mean(y, axis=axis)

        found = permutation_test(
            (xp.asarray(a), xp.asarray(b)),
            statistic,
            permutation_type=kind,
            n_resamples=150,
            key=3,
            batch=11,
        )
        assert np.allclose(np.asarray(found.null_distribution), wanted.null_distribution)
        assert np.allclose(np.asarray(found.pvalue), wanted.pvalue)


def test_a_statistic_without_axis() -> None:
    options = {"n_resamples": np.inf, "axis": 1}
    rows = permutation_test((X, Y), lambda x, y: float(x.mean() - y.mean()), **options)
    assert np.allclose(rows.pvalue, permutation_test((X, Y), difference, **options).pvalue)


@pytest.mark.parametrize(
    ("data", "options", "match"),
    [
        ((X,), {}, "at least two samples"),
        ((X, X), {"rng": 1}, "take key="),
        ((X, X[:1]), {"axis": 1, "n_resamples": 0}, "n_resamples"),
        ((X, X[:2]), {"permutation_type": "samples"}, "equal lengths"),
        ((X, X), {"permutation_type": "x"}, "permutation_type"),
        ((X, X), {"alternative": "x"}, "alternative"),
        ((np.zeros(60), np.zeros(60)), {"n_resamples": np.inf}, "set n_resamples"),
    ],
)
def test_bad_arguments(data: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(errors.ArgumentError, match=match):
        permutation_test(data, difference, **options)
