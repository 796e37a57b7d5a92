"""Means and expectiles, against SciPy's."""

import math
from typing import Any

import numpy as np
import pytest

from likewise import stats
from likewise.errors import ArgumentError, DegenerateDataWarning, NotSupported

from ..seeds import seeds
from .calls import compare

NAMES = (
    "expectile",
    "gmean",
    "hmean",
    "pmean",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6):
        compare(name, seed, lib)


def test_negative_numbers_have_no_power_mean() -> None:
    x = np.asarray([1.0, -1.0, 2.0])
    for f in (stats.hmean, lambda x: stats.pmean(x, 2)):
        with pytest.warns(DegenerateDataWarning, match="only defined if all elements"):
            assert math.isnan(float(f(x)))
    with pytest.raises(NotSupported):
        stats.pmean(x, math.inf)
    with pytest.raises(ArgumentError):
        stats.pmean(x, "2")


def test_an_expectile_solves_its_equation(rng: np.random.Generator) -> None:
    x, w = rng.normal(size=(4, 9)) + 1e6, rng.random((4, 9))
    for alpha in (0.05, 0.5, 0.9):
        t = stats.expectile(x, alpha, weights=w, axis=-1)[:, None]
        off = np.sum(w * np.abs((x <= t) - alpha) * (t - x), axis=-1)
        assert np.max(np.abs(off)) < 1e-8
    assert np.array_equal(stats.expectile(x, 1.0, axis=-1), np.max(x, axis=-1))
    assert np.array_equal(stats.expectile(x, 0.0, axis=-1), np.min(x, axis=-1))
    with pytest.raises(ArgumentError, match="alpha"):
        stats.expectile(x, 1.5)
