"""Random indices and orders: uniform, independent, the same on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise.random import key
from likewise.stats._resampling import _words


def indices(k: Any, start: int, rows: int, n: int) -> Any:
    """Return the indices in the tuples of the resamples."""
    size = _words.tuple_size(n)
    found = _words.tuples(k, start, rows, n)[..., None] // n ** np.arange(size)[::-1] % n
    return found.reshape(rows, -1)[:, :n]


def uniform(counts: Any) -> float:
    return float(scipy.stats.chisquare(np.ravel(counts)).pvalue)


@pytest.mark.parametrize("n", [2, 7, 24, 25, 100, 128, 129, 1000, 65537])
def test_indices_are_uniform(n: int) -> None:
    rows = max(64, 200_000 // n)
    found = indices(key(n), 0, rows, n)
    assert found.min() >= 0 and found.max() < n
    bins = found * min(n, 50) // n
    expected = np.bincount(np.arange(n) * min(n, 50) // n) * (found.size / n)
    assert scipy.stats.chisquare(np.bincount(bins.ravel()), expected).pvalue > 1e-4


def test_places_and_resamples_are_independent() -> None:
    n = 20
    found = indices(key(5), 0, 100_000, n)
    worst = 1.0
    for a, b in [(0, 1), (0, 2), (0, 3), (3, 11), (0, 19)]:
        worst = min(worst, uniform(np.bincount(found[:, a] * n + found[:, b], minlength=n * n)))
    for lag in (1, 2, 16, 64):
        pairs = found[:-lag, 4] * n + found[lag:, 4]
        worst = min(worst, uniform(np.bincount(pairs, minlength=n * n)))
    other = indices(key(6), 0, 100_000, n)
    worst = min(worst, uniform(np.bincount(found[:, 0] * n + other[:, 0], minlength=n * n)))
    assert worst > 1e-4


def test_orders_are_uniform() -> None:
    found = _words.orders(key(1), 0, 48_000, 4, 2)
    names, counts = np.unique(found @ [64, 16, 4, 1], return_counts=True)
    assert len(names) == 24 and uniform(counts) > 1e-4
    first = found[:, 0, 0] * 4 + found[:, 1, 0]
    assert uniform(np.bincount(first, minlength=16)) > 1e-4
    many = _words.orders(key(1), 0, 3, 5000)
    assert np.all(np.sort(many, axis=-1) == np.arange(5000))


def test_bits_are_fair() -> None:
    found = _words.bits(key(2), 0, 10_000, 10)
    assert abs(found.mean() - 0.5) < 4 * 0.5 / 100_000**0.5


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize(
    ("make", "args"),
    [
        (_words.tuples, (100,)),
        (_words.tuples, (30,)),
        (_words.tuples, (500,)),
        (_words.tuples, (70_000,)),
        (_words.orders, (40, 2)),
        (_words.orders, (3000,)),
        (_words.bits, (10,)),
    ],
)
def test_equal_on_all_libraries_and_for_all_pieces(xp: Any, make: Any, args: Any) -> None:
    rows = 3 if args[0] > 2000 else 150
    whole = make(key(3), 0, rows, *args)
    own = key(3, like=xp.zeros(1))
    found = np.concatenate(
        [np.asarray(make(own, start, min(2, rows - start), *args)) for start in range(0, rows, 2)]
    )
    assert np.array_equal(found, whole)


def test_counters_of_64_bits() -> None:
    k = key(4)
    start = (1 << 32) - 5
    whole = np.stack(_words._hashed(k, start, 10))
    parts = [_words._hashed(k, start, 5), _words._hashed(k, 1 << 32, 5)]
    assert np.array_equal(whole, np.concatenate([np.stack(p) for p in parts], axis=-1))
    assert not np.any(whole[:, 5:] == np.stack(_words._hashed(k, 0, 5)))
