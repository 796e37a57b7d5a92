"""Moments and summaries, against SciPy's."""

import math
from typing import Any

import numpy as np
import pytest

from likewise import stats
from likewise.errors import ArgumentError, DegenerateDataWarning, SmallSampleWarning

from ..seeds import seeds
from .calls import compare

NAMES = (
    "describe",
    "kurtosis",
    "moment",
    "sem",
    "skew",
    "variation",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6):
        compare(name, seed, lib)


def test_what_is_nearly_constant_is_told() -> None:
    x = np.full(4, 1.1)
    for f in (stats.skew, stats.kurtosis, stats.describe, stats.zscore):
        with pytest.warns(DegenerateDataWarning, match="Precision loss occurred"):
            f(x)
    with pytest.warns(DegenerateDataWarning):
        assert math.isnan(float(stats.skew(x)))


def test_small_samples(lib: Any) -> None:
    with pytest.warns(SmallSampleWarning):
        assert math.isnan(float(stats.sem(lib.asarray(np.ones(1)))))
    assert float(stats.sem(lib.asarray(np.ones(1)), ddof=0)) == 0
    one_each = lib.asarray(np.ones((2, 1)))
    assert lib.to_numpy(stats.sem(one_each, ddof=0, axis=1)).tolist() == [0, 0]
    with pytest.warns(SmallSampleWarning):
        assert lib.to_numpy(stats.skew(lib.asarray(np.ones((0, 3))))).shape == (3,)
    with pytest.raises(ArgumentError, match="must not be empty"):
        stats.describe(lib.asarray(np.ones(0)))


@pytest.mark.parametrize("order", [1.5, -1, math.nan, math.inf, []])
def test_orders(order: Any) -> None:
    with pytest.raises(ArgumentError, match="order"):
        stats.moment(np.ones(3), order=order)
