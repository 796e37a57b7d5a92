"""Distances to the background, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import array_namespace, ndimage, to_numpy
from likewise.errors import ArgumentError, ImageError, NotSupported
from likewise.transforms import grad

RNG = np.random.default_rng(35)
X = RNG.random((6, 9)) < 0.85


def distances(found: Any, sampling: Any, metric: str) -> Any:
    """The distances of elements to found ones."""
    way = np.abs(found - np.indices(found.shape[1:]))
    way = way * np.reshape(sampling, (-1,) + (1,) * (found.ndim - 1))
    if metric == "euclidean":
        return np.sqrt((way**2).sum(axis=0))
    return way.sum(axis=0) if metric == "taxicab" else way.max(axis=0)


@pytest.mark.parametrize("shape", [(6, 9), (7,), (3, 4, 5), (2, 1, 3, 4)])
def test_euclidean(xp: Any, shape: tuple[int, ...]) -> None:
    x = RNG.random(shape) < 0.85
    x[(0,) * len(shape)] = False
    for sampling in (None, 0.5, [1.5, 0.25, 2.0, 1.0][: len(shape)]):
        d, found = ndimage.distance_transform_edt(xp.asarray(x), sampling, return_indices=True)
        expected = judge.distance_transform_edt(x, sampling)
        np.testing.assert_allclose(to_numpy(d), expected, rtol=1e-6)
        found = to_numpy(found)
        assert found.dtype == np.int32
        assert not x[tuple(found)].any()
        steps = np.broadcast_to(1.0 if sampling is None else sampling, (len(shape),))
        np.testing.assert_allclose(distances(found, steps, "euclidean"), expected, rtol=1e-12)


def test_exact_to_the_last_digit() -> None:
    for part in (0.5, 0.9, 0.999, 1.0):
        x = RNG.random((300, 900)) < part  # in parts
        x[7, 11] = False
        expected = judge.distance_transform_edt(x)
        np.testing.assert_array_equal(ndimage.distance_transform_edt.generic(x), expected)
        np.testing.assert_array_equal(ndimage.distance_transform_edt(x), expected)


@pytest.mark.parametrize("metric", ["taxicab", "chessboard", [[1, 0, 1], [0, 1, 0], [0, 1, 0]]])
def test_steps(xp: Any, metric: Any) -> None:
    x = xp.asarray(X)
    given = xp.asarray(metric) if isinstance(metric, list) else metric
    d, found = ndimage.distance_transform_cdt(x, given, return_indices=True)
    # SciPy takes the bytes of integers for booleans.
    expected = judge.distance_transform_cdt(
        X, metric if isinstance(metric, str) else np.asarray(metric, dtype=bool)
    )
    assert to_numpy(d).dtype == np.int32
    np.testing.assert_array_equal(to_numpy(d), expected)
    assert not X[tuple(to_numpy(found))][expected >= 0].any()
    if isinstance(metric, str):
        np.testing.assert_array_equal(distances(to_numpy(found), 1, metric), expected)
    alone = ndimage.distance_transform_cdt(x, given, return_distances=False, return_indices=True)
    np.testing.assert_array_equal(to_numpy(alone).shape, (2, *X.shape))


@pytest.mark.parametrize("metric", ["euclidean", "Taxicab", "chessboard"])
def test_all_pairs(xp: Any, metric: str) -> None:
    for sampling in (None, (0.5, 2.0)):
        d, found = ndimage.distance_transform_bf(
            xp.asarray(X), metric, sampling, return_indices=True
        )
        expected = judge.distance_transform_bf(X, metric, sampling)
        np.testing.assert_allclose(to_numpy(d), expected, rtol=1e-6)
        steps = sampling if metric == "euclidean" and sampling else 1.0
        np.testing.assert_allclose(distances(to_numpy(found), steps, metric.lower()), expected)


def test_without_background(xp: Any) -> None:
    x = np.ones((3, 4))
    for name in ("edt", "cdt", "bf"):
        function = getattr(ndimage, f"distance_transform_{name}")
        d, found = function(xp.asarray(x), return_indices=True)
        expected = getattr(judge, f"distance_transform_{name}")(x, return_indices=True)
        if name == "bf" and to_numpy(d).dtype == np.float32:
            assert np.all(to_numpy(d) > 1e19)
        else:
            np.testing.assert_allclose(to_numpy(d), expected[0], rtol=1e-6)
        np.testing.assert_array_equal(to_numpy(found), expected[1])


def test_bodies_on_any_call() -> None:
    """Random shapes and backgrounds."""
    for _ in range(150):
        x = RNG.random(RNG.integers(1, 9, RNG.integers(1, 4))) < RNG.choice([0.5, 0.9, 0.97])
        steps = None if RNG.random() < 0.5 else RNG.integers(1, 9, x.ndim) / 4
        for name, args in (
            ("edt", (steps,)),
            ("cdt", (RNG.random((3,) * x.ndim) < 0.5,)),
            ("bf", ("euclidean", steps)),
        ):
            expected = getattr(judge, f"distance_transform_{name}")(x, *args)
            found = getattr(ndimage, f"distance_transform_{name}").generic(x, *args)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_derivative_in_the_sampling(lib: Any) -> None:
    xp = lib.xp
    steps = np.asarray([0.7, 1.6])

    def total(s: Any) -> Any:
        return array_namespace(s).sum(ndimage.distance_transform_edt(xp.asarray(X), s))

    found = to_numpy(grad(total)(xp.asarray(steps)))
    for k, h in ((0, np.asarray([1e-5, 0])), (1, np.asarray([0, 1e-5]))):
        above, below = (judge.distance_transform_edt(X, steps + s * h).sum() for s in (1, -1))
        np.testing.assert_allclose(found[k], (above - below) / 2e-5, rtol=1e-4)


def test_what_is_refused() -> None:
    for name in ("edt", "cdt", "bf"):
        function = getattr(ndimage, f"distance_transform_{name}")
        with pytest.raises(RuntimeError, match="at least one of"):
            function(X, return_distances=False)
        with pytest.raises(NotSupported, match="never written into"):
            function(X, distances=np.zeros(X.shape))
    with pytest.raises(ImageError, match="sampling"):
        ndimage.distance_transform_edt(X, [1, 2, 3])
    with pytest.raises(ImageError, match="sampling"):
        ndimage.distance_transform_edt(X, np.ones(3))
    with pytest.raises(ArgumentError, match="metric"):
        ndimage.distance_transform_cdt(X, "garbage")
    with pytest.raises(ValueError, match="sizes"):
        ndimage.distance_transform_cdt(X, [[1, 1], [1, 1]])
    with pytest.raises(RuntimeError, match="metric"):
        ndimage.distance_transform_bf(X, "garbage")
