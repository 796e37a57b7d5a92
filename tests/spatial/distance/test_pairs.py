"""Distances of all pairs, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance as judge

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.spatial.distance import _pairs, cdist, euclidean, jensenshannon, pdist, squareform
from likewise.spatial.distance._metrics import BOOLEAN, METRICS


def tight(lib: Any) -> float:
    return 1e-11 if lib.has_float64 else 1e-4


def points(metric: str, rng: np.random.Generator, *shape: int) -> Any:
    x = rng.normal(size=shape)
    if metric == "jensenshannon":
        return np.abs(x)
    return x > 0 if metric in BOOLEAN else x


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_all_pairs(
    lib: Any, metric: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, once: bool
) -> None:
    if metric == "mahalanobis" and not hasattr(lib.xp, "linalg"):
        return
    a, b = points(metric, rng, 7, 4), points(metric, rng, 5, 4)
    if metric in BOOLEAN:
        a[:, 0] = b[:, 0] = True
    expected, pairs = judge.cdist(a, b, metric), judge.pdist(a, metric)
    for block in (45,) if once else (_pairs._BLOCK, 45):  # at once, and in blocks of two rows
        monkeypatch.setattr(_pairs, "_BLOCK", block)
        got = lib.to_numpy(cdist(lib.asarray(a), lib.asarray(b), metric))
        np.testing.assert_allclose(got, expected, rtol=tight(lib), atol=tight(lib))
        got = lib.to_numpy(pdist(lib.asarray(a), metric))
        np.testing.assert_allclose(got, pairs, rtol=tight(lib), atol=tight(lib))
    weighted = metric in ("cosine", "jaccard") and not once
    for more in ({"w": np.asarray([1.0, 0.5, 2.0, 0.25])},) if weighted else ():
        given = {k: lib.asarray(x) for k, x in more.items()}
        got = lib.to_numpy(cdist(lib.asarray(a), lib.asarray(b), metric, **given))
        np.testing.assert_allclose(got, judge.cdist(a, b, metric, **more), rtol=tight(lib))


def test_batches_and_functions(lib: Any, rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, 4, 3)), rng.normal(size=(5, 3))
    got = lib.to_numpy(cdist(lib.asarray(a), lib.asarray(b)))
    np.testing.assert_allclose(got[1], judge.cdist(a[1], b), rtol=tight(lib))
    got = lib.to_numpy(pdist(lib.asarray(a), "minkowski", p=3))
    np.testing.assert_allclose(got[1], judge.pdist(a[1], "minkowski", p=3), rtol=tight(lib))
    own = lambda u, v: likewise.array_namespace(u).max((u - v) ** 2)  # noqa: E731
    got = lib.to_numpy(cdist(lib.asarray(a[0]), lib.asarray(b), own))
    np.testing.assert_allclose(got, judge.cdist(a[0], b, "chebyshev") ** 2, rtol=tight(lib))
    got = lib.to_numpy(pdist(lib.asarray(b), own))
    np.testing.assert_allclose(got, judge.pdist(b, "chebyshev") ** 2, rtol=tight(lib))
    np.testing.assert_allclose(cdist(b, b, euclidean), judge.cdist(b, b), atol=1e-12)


def test_digits_of_points_far_away() -> None:
    a = np.asarray([[1e8, 1e8], [1e8 + 1e-3, 1e8]])
    np.testing.assert_array_equal(cdist(a, a).round(6), judge.cdist(a, a).round(6))
    with likewise.prefer("generic"):
        np.testing.assert_array_equal(cdist(a, a), judge.cdist(a, a))


def test_forms(lib: Any, rng: np.random.Generator, once: bool) -> None:
    for m in (6,) if once else (2, 3, 6):
        y = rng.normal(size=m * (m - 1) // 2) ** 2
        matrix = lib.to_numpy(squareform(lib.asarray(y)))
        np.testing.assert_allclose(matrix, judge.squareform(y), rtol=1e-6)
        np.testing.assert_allclose(lib.to_numpy(squareform(lib.asarray(matrix))), y, rtol=1e-6)
    if not once:
        assert lib.to_numpy(squareform(lib.asarray(np.zeros(0)))).shape == (1, 1)


def test_jensenshannon(lib: Any, rng: np.random.Generator, once: bool) -> None:
    p, q = rng.uniform(size=(2, 4, 3))
    p[0, 1] = 0.0
    options: list[Any] = [{"base": 2.0}, {}, {"axis": 1, "keepdims": True}]
    for more in options[:1] if once else options:
        expected = judge.jensenshannon(p, q, **more)
        got = lib.to_numpy(jensenshannon(lib.asarray(p), lib.asarray(q), **more))
        good = np.isfinite(expected)
        np.testing.assert_allclose(got[good], expected[good], rtol=tight(lib) * 10)


def test_derivatives(rng: np.random.Generator) -> None:
    a, b, step = rng.normal(size=(3, 4, 2))
    b[0] = a[0]  # where the root has no slope
    w = rng.normal(size=(4, 4))
    f = lambda a: np.sum(cdist(a, b) * w)  # noqa: E731
    slope = likewise.grad(f)(a)
    assert np.isfinite(slope).all()
    w[0, 0] = 0.0
    slope = likewise.grad(f)(a)
    expected = (f(a + 1e-6 * step) - f(a - 1e-6 * step)) / 2e-6
    np.testing.assert_allclose((slope * step).sum(), expected, rtol=1e-6)


def test_refuses() -> None:
    with pytest.raises(ShapeError, match="cdist: XA and XB must have shapes"):
        cdist(np.ones((2, 2)), np.ones((2, 3)))
    with pytest.raises(ArgumentError, match="cdist: metric must be callable or one of"):
        cdist(np.ones((2, 2)), np.ones((2, 2)), "far")
    with pytest.raises(ArgumentError, match="metric 'cosine' takes w, got 'p'"):
        pdist(np.ones((2, 2)), "cosine", p=3)
    with pytest.raises(ShapeError, match="no number of points with 4 pairs"):
        squareform(np.ones(4))
    with pytest.raises(ArgumentError, match="must be symmetric"):
        squareform(np.asarray([[0.0, 1.0], [2.0, 0.0]]))
    with pytest.raises(ArgumentError, match="zeros in its diagonal"):
        squareform(np.ones((2, 2)))
