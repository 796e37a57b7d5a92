"""Tables of how often values occur together, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.stats.contingency as judge

from likewise import errors
from likewise.stats.contingency import crosstab
from likewise.transforms import jit

RNG = np.random.default_rng(9)
A, B, C = (RNG.integers(0, k, 60) for k in (3, 4, 2))


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-minimal": "it needs linalg, or shapes that depend on data",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("some", [(A,), (A, B), (A, B, C)], ids=len)
@pytest.mark.parametrize("levels", [None, ([2, 0], None, [0]), ([0, 1, 7], [3, 1], None)])
def test_as_scipy(xp: Any, some: Any, levels: Any) -> None:
    given = None if levels is None else levels[: len(some)]
    found = crosstab(*(xp.asarray(x) for x in some), levels=given)
    wanted = judge.crosstab(*some, levels=given)
    assert np.array_equal(np.asarray(found.count), wanted.count)
    for mine, theirs in zip(found.elements, wanted.elements, strict=True):
        assert np.array_equal(np.asarray(mine), np.asarray(theirs))


def test_traced() -> None:
    levels = [[0, 1, 2], [3, 1]]
    found = jit(lambda a, b: crosstab(a, b, levels=levels).count)(A, B)
    assert np.array_equal(found, judge.crosstab(A, B, levels=levels).count)


def test_refuses() -> None:
    with pytest.raises(TypeError, match="At least one"):
        crosstab()
    with pytest.raises(errors.ShapeError, match="same length"):
        crosstab([1, 2], [1, 2, 3])
    with pytest.raises(errors.ArgumentError, match="len"):
        crosstab([1, 2], levels=[None, None])
    with pytest.raises(errors.NotSupported, match="sparse"):
        crosstab([1, 2], [1, 2], sparse=True)
