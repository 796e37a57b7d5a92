"""Tests of counts, combined and adjusted p-values, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import errors
from likewise.stats import chisquare, combine_pvalues, false_discovery_control, power_divergence

RNG = np.random.default_rng(5)
COUNTS = RNG.integers(1, 20, (4, 5)).astype(float)
EXPECTED = RNG.random((4, 5)) + 0.1
EXPECTED = EXPECTED / EXPECTED.sum(0) * COUNTS.sum(0)
P = RNG.random((3, 6)) * 0.98 + 0.01


def close(found: Any, wanted: Any) -> None:
    for a, b in zip(found, wanted, strict=True):
        assert np.allclose(np.asarray(a), b, rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("lambda_", [None, 0, -1, -0.5, "neyman", "cressie-read", 1.5])
@pytest.mark.parametrize("expected", [None, EXPECTED])
def test_power_divergence(xp: Any, lambda_: Any, expected: Any) -> None:
    own = None if expected is None else xp.asarray(expected)
    found = power_divergence(xp.asarray(COUNTS), own, 1, lambda_=lambda_)
    close(found, scipy.stats.power_divergence(COUNTS, expected, 1, lambda_=lambda_))


def test_degrees_of_freedom_and_missing_counts() -> None:
    ddof = np.asarray([0, 1, 2, 0, 1])
    close(chisquare(COUNTS, ddof=ddof), scipy.stats.chisquare(COUNTS, ddof=ddof))
    close(
        chisquare(COUNTS, EXPECTED, axis=None, sum_check=False),
        scipy.stats.chisquare(COUNTS, EXPECTED, axis=None),
    )
    holes = COUNTS.copy()
    holes[1, 2] = holes[3, 0] = np.nan
    for policy in ("omit", "propagate"):
        close(chisquare(holes, nan_policy=policy), scipy.stats.chisquare(holes, nan_policy=policy))
    with pytest.raises(errors.ArgumentError, match="sum of the observed"):
        chisquare(COUNTS, EXPECTED + 1)
    with pytest.raises(errors.ArgumentError, match="lambda_"):
        power_divergence(COUNTS, lambda_="x")


@pytest.mark.parametrize("method", ["fisher", "pearson", "mudholkar_george", "tippett", "stouffer"])
def test_combined(xp: Any, method: str) -> None:
    for axis in (0, 1, None):
        found = combine_pvalues(xp.asarray(P), method, axis=axis)
        close(found, scipy.stats.combine_pvalues(P, method, axis=axis))
    holes = P.copy()
    holes[0, 0] = np.nan
    found = combine_pvalues(holes, method, axis=1, nan_policy="omit")
    close(found, scipy.stats.combine_pvalues(holes, method, axis=1, nan_policy="omit"))


def test_weights_and_methods() -> None:
    weights = np.arange(1.0, 7.0)
    found = combine_pvalues(P, "stouffer", weights, axis=1)
    wanted = scipy.stats.combine_pvalues(P, "stouffer", weights[None, :], axis=1)
    close(found, wanted)
    with pytest.raises(errors.ArgumentError, match="method"):
        combine_pvalues(P, "x")


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("method", ["bh", "by"])
def test_adjusted(xp: Any, method: str) -> None:
    ties = np.asarray([[0.01, 0.01, 0.5, 0.5], [0.9, 0.03, 0.03, 1.0]])
    for data in (P, ties, P[:1, :1]):
        for axis in (0, 1, None):
            found = false_discovery_control(xp.asarray(data), axis=axis, method=method)
            wanted = scipy.stats.false_discovery_control(data, axis=axis, method=method)
            assert np.allclose(np.asarray(found), wanted, rtol=1e-13)


def test_adjusting_refuses() -> None:
    with pytest.raises(errors.ArgumentError, match="between 0 and 1"):
        false_discovery_control([0.1, 1.2])
    with pytest.raises(errors.ArgumentError, match="method"):
        false_discovery_control([0.1], method="x")
    with pytest.raises(errors.ArgumentError, match="axis"):
        false_discovery_control([0.1], axis=0.5)  # type: ignore[arg-type]
