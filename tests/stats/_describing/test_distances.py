"""Distances between distributions, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import stats
from likewise.errors import ArgumentError, ShapeError

from ..seeds import seeds
from .calls import compare

NAMES = (
    "energy_distance",
    "wasserstein_distance",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6):
        compare(name, seed, lib)


def test_a_batch_of_distances(lib: Any, rng: np.random.Generator) -> None:
    u, v = rng.normal(size=(3, 1, 6)), rng.normal(size=(2, 5))
    found = lib.to_numpy(stats.wasserstein_distance(lib.asarray(u), lib.asarray(v)))
    expected = [[scipy.stats.wasserstein_distance(a[0], b) for b in v] for a in u]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_refusals() -> None:
    x = np.ones(3)
    with pytest.raises(ArgumentError, match="can't be empty"):
        stats.energy_distance(x, np.ones(0))
    with pytest.raises(ShapeError, match="of the same size"):
        stats.energy_distance(x, x, np.ones(2))
    for w in (-x, 0 * x, x * np.inf):
        with pytest.raises(ArgumentError, match="weight"):
            stats.wasserstein_distance(x, x, w)
    assert stats.wasserstein_distance(np.asarray([1.0, np.inf]), x) == np.inf
