"""Distances of two vectors of truth values, against SciPy's."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance as judge

from likewise.spatial import distance

NAMES = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")


@pytest.mark.parametrize("name", NAMES)
def test_booleans(lib: Any, name: str) -> None:
    f, w = getattr(distance, name), np.asarray([1.0, 0.5, 2.0])
    for u, v in itertools.product(itertools.product([False, True], repeat=3), repeat=2):
        if not any(u + v):
            continue  # of nothing the judges differ from version to version
        a, b = lib.asarray(np.asarray(u)), lib.asarray(np.asarray(v))
        for weights in ({}, {"w": w}):
            expected = getattr(judge, name)(np.asarray(u), np.asarray(v), **weights)
            got = f(a, b, **{k: lib.asarray(x) for k, x in weights.items()})
            np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-6, atol=1e-7)
