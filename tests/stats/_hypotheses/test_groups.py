"""Tests of several samples, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats

from .judged import agree, agrees, drawn

RNG = np.random.default_rng(68)
X = [RNG.normal(size=(3, n)) * s for n, s in ((8, 1), (11, 2), (5, 1.5))]
CALLS = (
    ("f_oneway", {}),
    ("f_oneway", {"equal_var": False}),
    ("alexandergovern", {}),
    ("bartlett", {}),
    ("levene", {}),
    ("levene", {"center": "mean"}),
    ("levene", {"center": "trimmed", "proportiontocut": 0.2}),
)


@pytest.mark.parametrize(("name", "options"), CALLS)
def test_each_has_scipys_values(xp: Any, name: str, options: dict[str, Any]) -> None:
    found = getattr(stats, name)(*map(xp.asarray, X), axis=1, **options)
    agree(found, getattr(judge, name)(*X, axis=1, **options))


def test_constant_samples() -> None:
    for a, b in ((np.ones(3), np.ones(4) * 2), (np.ones(3), np.ones(3))):
        agrees(stats.f_oneway, judge.f_oneway, a, b)
        agrees(stats.bartlett, judge.bartlett, a, b)
        agrees(stats.levene, judge.levene, a, b)
        agrees(stats.alexandergovern, judge.alexandergovern, a, b)


@pytest.mark.parametrize("center", ["median", "mean", "trimmed"])
def test_fligner_of_constants_is_undefined(xp: Any, center: str) -> None:
    """Give NaN where rounding would be divided by rounding; with a NaN left out, too."""
    for n in (9, 20, 25, 30):
        x, y = xp.full((n,), 0.1, dtype=xp.float64), xp.full((n + 1,), 0.1, dtype=xp.float64)
        assert np.isnan(float(stats.fligner(x, y, center=center).pvalue))
    y = xp.where(xp.arange(31) == 3, xp.nan, y)
    found = stats.fligner(x, y, center=center, nan_policy="omit")
    assert np.isnan(float(found.pvalue))


def test_means_of_large_numbers_keep_their_digits() -> None:
    # As NIST's data sets SmLs07 to 09: 0.2 and 0.4 around means of 1e12 + 0.2 and more, F is 21.
    steps = np.asarray([0.2, -0.2] * 10)
    groups = [1e12 + 0.4 + 0.2 * k + steps / 2 for k in (0.0, 1.0, 1.0)]
    exact = [g - 1e12 for g in groups]  # no rounding: the numbers lie near each other
    expected = judge.f_oneway(*exact)
    agree(stats.f_oneway(*groups), expected, rtol=1e-9)


def test_what_is_refused() -> None:
    for name in ("f_oneway", "alexandergovern"):
        with pytest.raises(errors.ArrayTypeError):
            getattr(stats, name)(X[0])
    for name in ("bartlett", "levene"):
        with pytest.raises(errors.ArgumentError):
            getattr(stats, name)(X[0])
    with pytest.raises(errors.ArgumentError, match="center"):
        stats.levene(*X, center="mode")
    for name in ("f_oneway", "kruskal", "fligner"):  # one name for a sample in all errors
        with pytest.raises(errors.ArrayTypeError, match=r"samples\[1\]"):
            getattr(stats, name)(X[0], "word")
        with pytest.raises(errors.ArgumentError, match=r"samples\[1\]"):
            getattr(stats, name)(X[0], X[0] + np.nan, nan_policy="raise")
    with pytest.raises(errors.ArrayTypeError, match="equal_var"):
        stats.f_oneway(*X, equal_var="no")
    with pytest.warns(errors.SmallSampleWarning, match="length 1"):
        assert np.isnan(stats.f_oneway(np.ones(1), np.ones(1)).pvalue)


@pytest.mark.parametrize("rounds", [15, pytest.param(600, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(69)
    for _ in range(rounds):
        x, options = drawn(rng, int(rng.integers(2, 5)))
        sizes = [a.size if options["axis"] is None else a.shape[options["axis"]] for a in x]
        for name, more in CALLS:
            if name == "alexandergovern" and min(sizes) < 2:
                continue  # SciPy raises an error, or returns NaN with a warning
            if name == "f_oneway" and max(sizes) < 2:
                continue  # SciPy returns one NaN for all samples
            agrees(
                getattr(stats, name), getattr(judge, name), *x, **options, **more,
                rtol=1e-8, atol=1e-9,
            )  # fmt: skip
