"""Truncated normal numbers far out, where the error function has no digits left."""

from typing import Any

import numpy as np
import pytest

import likewise.random as lr

INTERVALS = [
    (2.0, 2.001),
    (2.0, np.inf),
    (5.0, 6.0),
    (8.0, np.inf),
    (30.0, 31.0),
    (-40.0, -38.0),
    (-np.inf, -9.05),
]


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("low", "high"), INTERVALS)
def test_follow_the_distribution(low: float, high: float, dtype: str) -> None:
    from scipy import stats

    x = lr.truncated_normal(lr.key(5), low, high, 20000, dtype).astype("float64")
    assert low < x.min() < x.max() < high
    assert len(np.unique(x)) > (3000 if dtype == "float32" else 19990)
    # Of the distance from the bound, which is exponential far out; rounding shows in float32.
    bound, sign = (low, 1) if low > 0 else (-high, -1)
    tail = stats.truncnorm(bound, -low if sign < 0 else high)
    assert stats.kstest(sign * x, tail.cdf).pvalue > 1e-4
    if dtype == "float64" and high - low > 0.1:
        part = lr.uniform(lr.key(5), 20000, dtype)
        wanted = tail.ppf(1 - part if sign < 0 else part)
        np.testing.assert_allclose(sign * x, wanted, rtol=2e-13)


def test_libraries_agree(lib: Any) -> None:
    key = lr.key(42, namespace=lib.library, device=lib.device)
    for dtype in ["float32", "float64"] if lib.has_float64 else ["float32"]:
        low, high = (np.asarray(side, dtype) for side in zip(*INTERVALS, strict=True))
        got = lib.to_numpy(
            lr.truncated_normal(key, lib.asarray(low), lib.asarray(high), (500, low.size))
        )
        wanted = lr.truncated_normal(lr.key(42), low, high, (500, low.size))
        assert got.dtype == wanted.dtype == dtype
        assert np.max(np.abs(got - wanted) / np.spacing(np.abs(wanted))) <= 4


def test_intervals_without_a_tail_are_as_before() -> None:
    """Beside a tail, too."""
    key = lr.key(1)
    alone = lr.truncated_normal(key, np.asarray([-1.0, -1.0]), 1.0, (50, 2))
    beside = lr.truncated_normal(key, np.asarray([-1.0, 5.0]), np.asarray([1.0, 6.0]), (50, 2))
    np.testing.assert_array_equal(alone[:, 0], beside[:, 0])
