"""Histograms, and functions of the user, of labelled groups, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import DtypeError, ImageError

RNG = np.random.default_rng(33)
X = RNG.normal(size=(5, 6)).round(1)
LABELS = RNG.integers(0, 5, (5, 6))


def test_histogram(xp: Any) -> None:
    x, labels = xp.asarray(X), xp.asarray(LABELS)
    for given, theirs in (
        ((), ()),
        ((labels,), (LABELS,)),
        ((labels, 2), (LABELS, 2)),
        ((labels, xp.asarray([3, 1, 4])), (LABELS, [3, 1, 4])),
    ):
        found = to_numpy(ndimage.histogram(x, -0.75, 1.25, 6, *given))
        expected = judge.histogram(X, -0.75, 1.25, 6, *theirs)
        if expected.dtype == object:
            expected = np.stack(list(expected))
        np.testing.assert_array_equal(found, expected)
    last = ndimage.histogram(xp.asarray([0.0, 1.0, 1.0, 2.0, np.nan]), 0, 1, 2)
    np.testing.assert_array_equal(to_numpy(last), [1, 2])


def test_comprehension(xp: Any) -> None:
    x, labels = xp.asarray(X), xp.asarray(LABELS)

    def spread(v: Any, at: Any = None) -> Any:
        found = xp.max(v) - xp.min(v)
        return found if at is None else found + xp.astype(at[0], xp.float64)

    def numpys(v: Any, at: Any = None) -> Any:
        return np.ptp(v) if at is None else np.ptp(v) + at.min()

    for both in (False, True):
        for index in (None, 2, 9, [3, 1, 4, 9]):
            given = xp.asarray(index) if isinstance(index, list) else index
            found = ndimage.labeled_comprehension(x, labels, given, spread, xp.float64, -1.5, both)
            expected = judge.labeled_comprehension(X, LABELS, index, numpys, float, -1.5, both)
            np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-12)
    found = ndimage.labeled_comprehension(x, None, None, spread, xp.float64, 0)
    np.testing.assert_allclose(to_numpy(found), np.ptp(X))


def test_errors() -> None:
    with pytest.raises(ImageError, match="bins"):
        ndimage.histogram(X, 0, 1, 0)
    with pytest.raises(ImageError, match="min not above max"):
        ndimage.histogram(X, 1, 0, 3)
    with pytest.raises(DtypeError, match="dtype"):
        ndimage.labeled_comprehension(X, LABELS, [1], np.max, object, None)
