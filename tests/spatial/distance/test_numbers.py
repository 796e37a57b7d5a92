"""Distances of two vectors of numbers, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance as judge

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.spatial import distance

MORE: dict[str, tuple[dict[str, Any], ...]] = {
    "minkowski": ({}, {"p": 3}, {"p": 1}, {"p": np.inf}, {"p": 2.5}),
    "correlation": ({}, {"centered": False}),
}
WEIGHED = (
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine"),
    *("euclidean", "hamming", "minkowski", "sqeuclidean"),
)


@pytest.mark.parametrize("name", WEIGHED)
def test_distances(lib: Any, name: str, rng: np.random.Generator) -> None:
    u, v = rng.normal(size=(2, 5)).round(1)
    v[1], u[2], v[2] = u[1], 0.0, 0.0
    w = np.asarray([1.0, 0.5, 2.0, 0.0, 3.0])
    tight = 1e-12 if lib.has_float64 else 2e-5
    for more in MORE.get(name, ({},)):
        for weights in ({}, {"w": w}):
            expected = getattr(judge, name)(u, v, **more, **weights)
            given = {k: lib.asarray(x) for k, x in weights.items()}
            got = getattr(distance, name)(lib.asarray(u), lib.asarray(v), **more, **given)
            np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tight, atol=tight)


def test_of_variances(lib: Any, rng: np.random.Generator) -> None:
    u, v = rng.normal(size=(2, 3))
    m = rng.normal(size=(3, 3))
    variances, inverse = np.asarray([0.5, 1.0, 2.0]), m @ m.T
    tight = 1e-12 if lib.has_float64 else 2e-5
    x, y = lib.asarray(u), lib.asarray(v)
    got = lib.to_numpy(distance.seuclidean(x, y, lib.asarray(variances)))
    np.testing.assert_allclose(got, judge.seuclidean(u, v, variances), rtol=tight)
    got = lib.to_numpy(distance.mahalanobis(x, y, lib.asarray(inverse)))
    np.testing.assert_allclose(got, judge.mahalanobis(u, v, inverse), rtol=tight)


def test_batches_and_derivatives(rng: np.random.Generator) -> None:
    u, v = rng.normal(size=(4, 1, 5)), rng.normal(size=(3, 5))
    found = distance.cosine(u, v)
    assert found.shape == (4, 3)
    np.testing.assert_allclose(found[2, 1], judge.cosine(u[2, 0], v[1]), rtol=1e-12)
    for name in ("euclidean", "cosine", "correlation", "minkowski", "canberra"):
        f, step = getattr(distance, name), 1e-6 * rng.normal(size=5)
        slope = likewise.grad(lambda x, f=f: f(x, v[1]))(v[0])
        expected = f(v[0] + step, v[1]) - f(v[0] - step, v[1])
        np.testing.assert_allclose((slope * step).sum() * 2, expected, rtol=1e-4, atol=1e-14)
        if name in ("euclidean", "minkowski"):
            np.testing.assert_array_equal(likewise.grad(lambda x, f=f: f(x, v[0]))(v[0]), 0)


def test_refuses() -> None:
    with pytest.raises(ShapeError, match="euclidean: u and v must be vectors of one length"):
        distance.euclidean(np.ones(2), np.ones(3))
    with pytest.raises(ArgumentError, match="minkowski: p must be a number above 0"):
        distance.minkowski(np.ones(2), np.ones(2), 0)
    with pytest.raises(ShapeError, match=r"cosine: w must have shape \(2,\)"):
        distance.cosine(np.ones(2), np.ones(2), np.ones(3))


def test_numbers_come_out_as_from_numpy() -> None:
    u, v, flags = (
        np.asarray([1.0, 0.5, 2.0]),
        np.asarray([0.5, 1.0, 1.5]),
        np.asarray([1, 0, 1]) > 0,
    )
    more = {"seuclidean": (v,), "mahalanobis": (np.eye(3),)}
    for name in distance.__all__:
        if name not in ("cdist", "pdist", "squareform"):
            func = getattr(distance, name)
            for f in (func, func.generic):
                assert type(f(u, v, *more.get(name, ()))) is np.float64, name
            if name not in more:
                assert type(func(flags, ~flags)) is np.float64, name
