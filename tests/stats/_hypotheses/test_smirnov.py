"""Kolmogorov's and Smirnov's tests, against SciPy's."""

import functools
import itertools
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
import scipy.special as special
import scipy.stats as judge

from likewise import errors, stats
from likewise.special import ndtr
from likewise.stats._base._kolmogorov import kolmogorov_sf, limiting_sf, smirnov_sf
from likewise.stats._base._paths import of_table, outside

from .judged import agree, agrees, drawn

ALL = ("statistic", "pvalue", "statistic_location", "statistic_sign")
RNG = np.random.default_rng(63)
X, Y = RNG.normal(size=(3, 8)), np.round(RNG.normal(size=(3, 11)) * 2) / 2


@pytest.mark.parametrize("n", [1, 2, 3, 10, 20, 140, 141, 500, 5000])
def test_distributions_of_one_sample_are_scipys(n: int) -> None:
    x = np.concatenate([RNG.random(60) * min(1, 3 / n**0.5), RNG.random(20)])
    x = np.concatenate([x, [-0.1, 0.0, 0.5 / n, 1 / n, (n - 1) / n, 1.0, 1.2]])
    for ours, theirs in ((smirnov_sf, judge.ksone.sf), (kolmogorov_sf, judge.kstwo.sf)):
        found = ours(x, n, n)
        np.testing.assert_allclose(found, theirs(x, n), rtol=2e-12, atol=2e-14)
        several = ours(x, np.full_like(x, n), n)
        np.testing.assert_allclose(several, found, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(limiting_sf(x * 3), judge.kstwobign.sf(x * 3), rtol=1e-12)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 4), (5, 5), (4, 6), (7, 3)])
def test_paths_are_counted(xp: Any, sizes: tuple[int, int]) -> None:
    n1, n2 = sizes
    total, most = comb(n1 + n2, n1), n1 * n2 + 1
    for sided in (False, True):
        counts = [0] * most
        for ups in itertools.combinations(range(n1 + n2), n1):
            i = j = reach = 0
            for k in range(n1 + n2):
                i, j = (i + 1, j) if k in ups else (i, j + 1)
                off = i * n2 - j * n1
                reach = max(reach, off if sided else abs(off))
            for h in range(reach + 1):
                counts[h] += 1
        expected = [float(Fraction(c, total)) for c in counts]
        h = xp.arange(most)
        found = outside(h, n1, n2, n1, n2, sided, xp.float64)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)
        sizes_of_each = [xp.full((most,), n, dtype=h.dtype) for n in sizes]
        found = outside(h, *sizes_of_each, n1 + 2, n2 + 1, sided, xp.float64)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)
        g = np.gcd(n1, n2)
        table = of_table(xp.arange(n1 * n2 // g + 1), n1, n2, sided, xp.float64)
        np.testing.assert_allclose(np.asarray(table), expected[:: int(g)], rtol=1e-14)


def test_paths_of_large_samples() -> None:
    # Sums of counts of such paths, or their quotients, don't fit into floating numbers.
    for n1, n2, share in ((1200, 1300, 0.05), (2000, 2001, 0.02), (2000, 2001, 0.12)):
        h = round(share * n1 * n2)
        g = int(np.gcd(n1, n2))
        expected = judge._stats_py._attempt_exact_2kssamp(
            n1, n2, g, h // g * g / (n1 * n2), "two-sided"
        )
        assert expected[0]
        found = outside(np.asarray([h // g * g]), n1, n2, n1, n2, False, np.float64)
        np.testing.assert_allclose(found, expected[2], rtol=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_each_has_scipys_values(xp: Any, alternative: str) -> None:
    same = functools.partial(agrees, xp=xp, axis=1, alternative=alternative, fields=ALL)
    for method in ("exact", "asymp"):
        same(stats.ks_2samp, judge.ks_2samp, X, Y, method=method)
    same(stats.kstest, judge.kstest, X, X[:, :5])
    for method in ("exact", "approx", "asymp"):
        given = stats.ks_1samp(
            xp.asarray(X), lambda x: ndtr(x), axis=1, alternative=alternative, method=method
        )
        expected = judge.ks_1samp(X, special.ndtr, axis=1, alternative=alternative, method=method)
        agree(given, expected, ALL)


def test_what_is_refused() -> None:
    with pytest.raises(errors.ArgumentError, match="by a key"):
        stats.kstest(judge.norm.rvs, judge.norm.cdf)
    with pytest.raises(errors.ArgumentError, match="alternative"):
        stats.ks_2samp(X, X, alternative="more")
    with pytest.raises(errors.ArgumentError, match="method"):
        stats.ks_1samp(X, special.ndtr, method="quick")


@pytest.mark.parametrize("rounds", [20, pytest.param(1500, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(64)
    for _ in range(rounds):
        (x, y), options = drawn(rng, 2)
        options["alternative"] = str(rng.choice(["two-sided", "less", "greater"]))
        method = str(rng.choice(["auto", "exact", "asymp"]))
        agrees(stats.ks_2samp, judge.ks_2samp, x, y, method=method, **options)
        agrees(
            stats.ks_1samp, judge.ks_1samp, x, special.ndtr, method=method, **options,
            rtol=1e-9, atol=1e-12,
        )  # fmt: skip
        if not np.isnan(x).any():
            agrees(stats.kstest, judge.kstest, x, special.ndtr, **options, fields=ALL)


def test_the_location_is_where_the_distance_is() -> None:
    rng = np.random.default_rng(65)
    for _ in range(50):
        x, y = np.round(rng.normal(size=9) * 2), np.round(rng.normal(size=6) * 2)
        found = stats.ks_2samp(x, y)
        distance = (x <= found.statistic_location).mean() - (y <= found.statistic_location).mean()
        assert abs(found.statistic_sign * found.statistic - distance) < 1e-15
