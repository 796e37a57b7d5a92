"""Cramér and von Mises's tests, against SciPy's."""

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
from likewise.stats._base._cramer import limiting_sf, two_samples
from likewise.stats._base._samples import samples

from .judged import agree, agrees, drawn

RNG = np.random.default_rng(70)
X, Y = RNG.normal(size=(3, 8)), np.round(RNG.normal(size=(3, 11)) * 2) / 2


def test_the_limit_has_published_quantiles() -> None:
    # Csörgő and Faraway, J. R. Stat. Soc. B 58, 1996, table 1, n infinite.
    x = np.asarray([0.02480, 0.11888, 0.46136, 0.74346, 1.16786])
    np.testing.assert_allclose(limiting_sf(x), [0.99, 0.5, 0.05, 0.01, 0.001], rtol=1e-4)


@pytest.mark.parametrize("sizes", [(2, 3), (4, 4), (5, 3), (2, 6)])
def test_frequencies_are_counted(sizes: tuple[int, int]) -> None:
    n1, n2 = sizes
    counts: dict[Fraction, int] = {}
    for first in itertools.combinations(range(n1 + n2), n1):
        steps = [k in first for k in range(n1 + n2)]
        off, total = Fraction(0), Fraction(0)
        for step in steps:
            off += Fraction(1, n1) if step else Fraction(-1, n2)
            total += off * off
        counts[total] = counts.get(total, 0) + 1
    values, sums = two_samples(n1, n2)
    ordered = sorted(counts)
    lcm = np.lcm(n1, n2)
    assert values == [int(v * int(lcm) ** 2) for v in ordered]
    for i, found in enumerate(sums):
        expected = Fraction(sum(counts[v] for v in ordered[i:]), comb(n1 + n2, n1))
        assert found == pytest.approx(float(expected), rel=1e-14)


def test_each_has_scipys_values(xp: Any) -> None:
    found = stats.cramervonmises(xp.asarray(X), lambda x: ndtr(x), axis=1)
    agree(found, judge.cramervonmises(X, special.ndtr, axis=1), atol=2e-7)
    for method in ("exact", "asymptotic"):
        found = stats.cramervonmises_2samp(xp.asarray(X), xp.asarray(Y), method, axis=1)
        agree(found, judge.cramervonmises_2samp(X, Y, method, axis=1), atol=2e-7)


def test_names_of_distributions() -> None:
    agrees(stats.cramervonmises, judge.cramervonmises, X[0], "norm", (0.1, 2.0), atol=2e-7)
    agrees(stats.kstest, judge.kstest, X[0], "norm", (0.1, 2.0))
    with pytest.raises(errors.ArgumentError, match="name of a distribution"):
        stats.kstest(X[0], "samples")
    assert callable(samples)


@pytest.mark.needs("jax")
def test_exact_values_of_sizes_that_are_not_known_are_refused() -> None:
    import jax

    x = jax.numpy.asarray(X[0])
    call = jax.jit(lambda x: stats.cramervonmises_2samp(x, x + 1, nan_policy="omit"))
    with pytest.raises(errors.NotSupported, match="asymptotic"):
        call(x)


@pytest.mark.parametrize("rounds", [10, pytest.param(400, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(71)
    for _ in range(rounds):
        (x, y), options = drawn(rng, 2, least=2)
        agrees(stats.cramervonmises, judge.cramervonmises, x, special.ndtr, **options, atol=1e-6)
        for method in ("exact", "asymptotic"):
            agrees(
                stats.cramervonmises_2samp, judge.cramervonmises_2samp, x, y, method, **options,
                atol=1e-6,
            )  # fmt: skip
