"""The bootstrap, against SciPy's intervals for the same distribution, and its own claims."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.random import key
from likewise.stats import bootstrap

from .test_words import indices

RNG = np.random.default_rng(1)
X, Y = RNG.gamma(2.0, size=30), RNG.normal(size=(3, 20))


class Fixed(np.random.Generator):
    """Make SciPy resample by our indices."""

    def __init__(self, seed: int, sizes: list[int]) -> None:
        super().__init__(np.random.PCG64(0))
        from likewise.random import split

        keys = split(key(seed), len(sizes))
        self.made = [indices(keys[i, :], 0, 499, n) for i, n in enumerate(sizes)]

    def integers(self, low: Any, high: Any = None, size: Any = None, **_: Any) -> Any:  # type: ignore[override]
        made = self.made.pop(0)
        assert (low, high, size) == (0, made.shape[1], made.shape)
        return made


def mean(x: Any, axis: int) -> Any:
    return x.mean(axis=axis)


def difference(x: Any, y: Any, axis: int) -> Any:
    return x.mean(axis=axis) - y.mean(axis=axis)


def slope(x: Any, y: Any, axis: int) -> Any:
    return (x * y).mean(axis=axis) / (y * y).mean(axis=axis)


@pytest.mark.parametrize("method", ["BCa", "percentile", "basic"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize(
    ("data", "statistic", "paired", "axis"),
    [
        ((X,), mean, False, 0),
        ((Y,), mean, False, 1),
        ((X, X[:12] + 1), difference, False, 0),
        ((Y, Y[:1, :] ** 2), slope, True, -1),
    ],
)
def test_as_scipy_with_the_same_indices(
    method: str, alternative: str, data: Any, statistic: Any, paired: bool, axis: int
) -> None:
    options = {"method": method, "alternative": alternative, "paired": paired, "axis": axis}
    sizes = [data[0].shape[axis]] if paired else [x.shape[axis] for x in data]
    found = bootstrap(data, statistic, n_resamples=499, key=3, **options)
    wanted = scipy.stats.bootstrap(data, statistic, n_resamples=499, rng=Fixed(3, sizes), **options)
    for name in ("bootstrap_distribution", "standard_error"):
        assert np.allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12)
    assert np.allclose(found.confidence_interval, wanted.confidence_interval, rtol=1e-11)


def test_equal_on_all_libraries_and_for_all_batches(xp: Any) -> None:
    wanted = bootstrap((X,), np.mean, n_resamples=200, key=7)

    def statistic(x: Any, axis: int) -> Any:
        return xp.mean(x, axis=axis)

    for batch in (None, 7):
        found = bootstrap((xp.asarray(X),), statistic, n_resamples=200, key=7, batch=batch)
        assert np.allclose(
            np.asarray(found.bootstrap_distribution), wanted.bootstrap_distribution, rtol=1e-13
        )
        for mine, theirs in zip(found.confidence_interval, wanted.confidence_interval, strict=True):
            assert np.allclose(np.asarray(mine), theirs, rtol=1e-10)


def test_a_statistic_of_rows(xp: Any) -> None:
    def statistic(x: Any) -> Any:
        return xp.stack([xp.mean(x), xp.max(x)])

    found = bootstrap((xp.asarray(Y),), statistic, n_resamples=20, axis=1, method="percentile")

    def vectorized(x: Any, axis: int) -> Any:
        return xp.stack([xp.mean(x, axis=axis), xp.max(x, axis=axis)])

    wanted = bootstrap((xp.asarray(Y),), vectorized, n_resamples=20, axis=1, method="percentile")
    assert found.bootstrap_distribution.shape == (2, 3, 20)
    assert np.allclose(
        np.asarray(found.bootstrap_distribution), np.asarray(wanted.bootstrap_distribution)
    )


def test_resamples_are_added() -> None:
    whole = bootstrap((X,), np.mean, n_resamples=300, key=1)
    part = bootstrap((X,), np.mean, n_resamples=100, key=1)
    more = bootstrap((X,), np.mean, n_resamples=200, key=1, bootstrap_result=part)
    assert np.array_equal(more.bootstrap_distribution, whole.bootstrap_distribution)
    again = bootstrap((X,), np.mean, n_resamples=0, bootstrap_result=part, method="basic")
    assert again.standard_error == part.standard_error


@pytest.mark.full
def test_intervals_cover_as_often_as_they_say() -> None:
    data = np.random.default_rng(0).normal(size=(4000, 40))
    for method in ("BCa", "percentile", "basic"):
        low, high = bootstrap(
            (data,), np.mean, axis=1, n_resamples=999, method=method, confidence_level=0.9
        ).confidence_interval
        assert 0.87 < np.mean((low < 0) & (high > 0)) < 0.91


def test_progress_is_told() -> None:
    told: list[Any] = []
    bootstrap((X,), np.mean, n_resamples=250, batch=100, progress=lambda *a: told.append(a))
    assert told == [(100, 250, "resamples"), (200, 250, "resamples"), (250, 250, "resamples")]


def test_degenerate_data_are_told() -> None:
    with pytest.warns(errors.DegenerateDataWarning, match="BCa confidence interval"):
        found = bootstrap((np.ones(10),), np.mean, n_resamples=50)
    assert np.all(np.isnan(found.confidence_interval))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"rng": 1}, "take key="),
        ({"random_state": 1}, "take key="),
        ({"batch": 0}, "batch"),
        ({"n_resamples": 1.5}, "n_resamples"),
        ({"n_resamples": 0}, "n_resamples must be positive"),
        ({"vectorized": 3}, "vectorized"),
        ({"paired": 2}, "paired"),
        ({"method": "x"}, "method"),
        ({"alternative": "x"}, "alternative"),
        ({"axis": 1.5}, "axis"),
        ({"progress": 3}, "progress"),
        ({"confidence_level": 2}, "confidence_level"),
        ({"bootstrap_result": 1}, "bootstrap_distribution"),
    ],
)
def test_bad_options(options: dict[str, Any], match: str) -> None:
    with pytest.raises(errors.ArgumentError, match=match):
        bootstrap((X,), np.mean, **options)


def test_bad_data() -> None:
    with pytest.raises(errors.ArgumentError, match="two or more observations"):
        bootstrap((np.ones(1),), np.mean)
    with pytest.raises(errors.ArgumentError, match="same length"):
        bootstrap((X, X[1:]), difference, paired=True)
    with pytest.raises(errors.ArgumentError, match="at least one sample"):
        bootstrap((), np.mean)
    with pytest.raises(errors.ArrayTypeError, match="sequence of samples"):
        bootstrap(3, np.mean)
    with pytest.raises(TypeError, match="foo"):
        bootstrap((X,), np.mean, foo=1)
