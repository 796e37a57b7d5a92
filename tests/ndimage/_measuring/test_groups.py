"""Sums and extremes of labelled groups, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, DtypeError, ShapeError

RNG = np.random.default_rng(33)
X = RNG.normal(size=(5, 6))
LABELS = RNG.integers(0, 5, (5, 6))
SUMS = ("sum_labels", "sum", "mean", "variance", "standard_deviation", "center_of_mass")
EXTREMES = ("minimum", "maximum", "median", "minimum_position", "maximum_position", "extrema")
INDEX = [3, 1, 1, 4, 2]


def flat(found: Any) -> list[Any]:
    """All numbers of nested tuples and lists, one array after the other."""
    if isinstance(found, list | tuple):
        return [v for part in found for v in flat(part)]
    return np.asarray(to_numpy(found), np.float64).reshape(-1).tolist()


def close(found: Any, expected: Any, tol: float = 1e-5) -> None:
    np.testing.assert_allclose(flat(found), flat(expected), rtol=tol, atol=tol)


@pytest.mark.parametrize("name", SUMS + EXTREMES)
def test_groups(xp: Any, name: str) -> None:
    ours, theirs = getattr(ndimage, name), getattr(judge, name)
    for x in (X, LABELS[::-1] * 3 - 4):
        close(ours(xp.asarray(x)), theirs(x))
        for index in (None, 2):
            close(ours(xp.asarray(x), xp.asarray(LABELS), index), theirs(x, LABELS, index))
        # Of equal elements of several groups SciPy may take any: different ones only.
        if x is X or name not in ("minimum_position", "maximum_position", "extrema"):
            found = ours(xp.asarray(x), xp.asarray(LABELS), xp.asarray(INDEX))
            close(found, theirs(x, LABELS, INDEX))


def test_any_call() -> None:
    """Routines and bodies: shapes, dtypes, labels of any kind that may be absent."""
    for _ in range(300):
        shape = tuple(RNG.integers(1, 6, RNG.integers(1, 4)))
        dtype = RNG.choice(["float64", "float32", "uint8", "int16", "int64"])
        count = int(np.prod(shape))
        x = RNG.permutation(count).reshape(shape).astype(dtype)
        labels = RNG.integers(-1, 4, shape).astype(RNG.choice(["int64", "int8", "float64"]))
        labels.flat[0] = 2
        present = np.unique(labels)
        index: Any = (None, 2, present, [*present.tolist(), 9], present.astype(int))
        index = index[RNG.integers(5)]
        if index is None and not (labels > 0).any():
            continue
        name = str(RNG.choice(SUMS + EXTREMES))
        absent = index is not None and 9 in np.atleast_1d(index)
        with np.errstate(all="ignore"):
            expected = getattr(judge, name)(x, labels, index)
        for ours in (getattr(ndimage, name), getattr(ndimage, name).generic):
            found = ours(x, labels, index)
            if absent and name == "median":
                assert np.isnan(found[-1])
                close(found[:-1], expected[:-1])
            else:
                close(found, expected, 1e-4 if dtype == "float32" else 1e-12)


def test_nothing_and_nan(xp: Any) -> None:
    x, labels = xp.asarray([1.0, np.nan, 3.0, 5.0]), xp.asarray([1, 1, 2, 2])
    close(ndimage.minimum(x, labels, xp.asarray([1, 2, 7])), [np.nan, 3.0, 0.0])
    close(ndimage.maximum(x, labels, xp.asarray([1, 2, 7])), [np.nan, 5.0, 0.0])
    close(ndimage.median(x, labels, xp.asarray([1, 2, 7])), [np.nan, 4.0, np.nan])
    close(ndimage.minimum_position(x, labels, xp.asarray([1, 2, 7])), [1, 2, 0])
    close(ndimage.minimum(x, labels, 7), 0.0)
    close(ndimage.maximum_position(x, labels, 7), 0)
    for name in ("mean", "variance", "standard_deviation", "median", "center_of_mass"):
        close(getattr(ndimage, name)(x, labels, 7), np.nan)
    close(ndimage.sum_labels(xp.asarray([]), xp.asarray([]), xp.asarray([1, 2])), [0.0, 0.0])
    close(ndimage.mean(x, labels, xp.asarray([], dtype=xp.int64)), [])


def test_complex_sums(xp: Any) -> None:
    z = xp.asarray(X + 1j * X[::-1])
    found = to_numpy(ndimage.mean(z, xp.asarray(LABELS), xp.asarray([1, 2])))
    expected = [(X + 1j * X[::-1])[k == LABELS].mean() for k in (1, 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="index is given, but no labels"):
        ndimage.mean(X, index=1)
    with pytest.raises(ShapeError, match="labels"):
        ndimage.maximum(X, LABELS[:2])
    with pytest.raises(DtypeError, match="real"):
        ndimage.median(X + 1j)
