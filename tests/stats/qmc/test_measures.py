"""Measures of evenness, against SciPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats.qmc as judge

from likewise import errors, to_numpy
from likewise.stats import qmc
from likewise.stats.qmc import _measures
from likewise.transforms import grad

X = np.random.default_rng(3).random((12, 3))
METHODS = ("CD", "WD", "MD", "L2-star")


@pytest.mark.parametrize("method", METHODS)
def test_discrepancies_are_scipys(xp: Any, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = judge.discrepancy(X, method=method)
    np.testing.assert_allclose(float(qmc.discrepancy(xp.asarray(X), method=method)), expected)
    monkeypatch.setattr(_measures, "_BLOCK", 60)
    both = xp.asarray(np.stack([X, X**2]))
    found = to_numpy(qmc.discrepancy(both, method=method, iterative=True))
    expected = [judge.discrepancy(x, method=method, iterative=True) for x in (X, X**2)]
    np.testing.assert_allclose(found, expected)


def test_updates_are_scipys(xp: Any) -> None:
    before = qmc.discrepancy(xp.asarray(X[1:]), iterative=True)
    found = qmc.update_discrepancy(xp.asarray(X[0]), xp.asarray(X[1:]), before)
    np.testing.assert_allclose(float(found), judge.discrepancy(X))


@pytest.mark.xp_skip({"jax-x32": "its bounds are those of double precision"})
@pytest.mark.parametrize("method", ["mindist", "mst"])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_distances_are_scipys(xp: Any, method: str, metric: str) -> None:
    found = qmc.geometric_discrepancy(xp.asarray(X), method, metric)
    np.testing.assert_allclose(float(found), judge.geometric_discrepancy(X, method, metric))


@pytest.mark.filterwarnings("ignore:Sample contains:UserWarning")
@pytest.mark.parametrize("method", ["mindist", "mst"])
def test_points_that_occur_twice(method: str) -> None:
    x = np.concatenate([X, X[:4]])
    with pytest.warns(errors.LikewiseWarning, match="duplicate"):
        found = qmc.geometric_discrepancy(x, method)
    np.testing.assert_allclose(found, judge.geometric_discrepancy(x, method))


@pytest.mark.parametrize("reverse", [False, True])
def test_boxes_are_scipys(xp: Any, reverse: bool) -> None:
    low, high = np.asarray([-2.0, 0.0, 1.0]), np.asarray([6.0, 5.0, 1.5])
    x = judge.scale(X, low, high) if reverse else X
    found = qmc.scale(xp.asarray(x), xp.asarray(low), xp.asarray(high), reverse=reverse)
    np.testing.assert_allclose(to_numpy(found), judge.scale(x, low, high, reverse=reverse))


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_are_differences(xp: Any, method: str) -> None:
    found = to_numpy(grad(lambda x: qmc.discrepancy(x, method=method))(xp.asarray(X)))
    for at in ((0, 0), (5, 2), (11, 1)):
        step = np.zeros_like(X)
        step[at] = 1e-6
        higher, lower = (judge.discrepancy(X + s, method=method) for s in (step, -step))
        np.testing.assert_allclose(found[at], (higher - lower) / 2e-6, rtol=1e-4, atol=1e-8)


def test_what_is_refused() -> None:
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: qmc.discrepancy(X[0]), "not a 2D array"),
        (lambda: qmc.discrepancy(X + 0.5), "not in unit hypercube"),
        (lambda: qmc.discrepancy(X, method="XD"), "method"),
        (lambda: qmc.update_discrepancy(X[0, :2], X, 0.1), "broadcastable"),
        (lambda: qmc.update_discrepancy(X[0, 0], X, 0.1), "not a 1D array"),
        (lambda: qmc.update_discrepancy(X[0] + 1, X, 0.1), "x_new is not in unit"),
        (lambda: qmc.geometric_discrepancy(X[:1]), "at least two points"),
        (lambda: qmc.geometric_discrepancy(X, "max"), "method"),
        (lambda: qmc.scale(X[0], 0, 1), "not a 2D array"),
        (lambda: qmc.scale(X, [0, 0], [1, 1]), "sample dimension"),
        (lambda: qmc.scale(X, 1, 0), "not consistent"),
        (lambda: qmc.scale(X + 1, 0, 2), "not in unit hypercube"),
        (lambda: qmc.scale(X + 2, 0, 2, reverse=True), "out of bounds"),
    ]
    for call, words in cases:
        with pytest.raises((errors.ArgumentError, errors.ShapeError), match=words):
            call()


@pytest.mark.parametrize("rounds", [30, pytest.param(1500, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(5)
    for _ in range(rounds):
        n, d = int(rng.integers(2, 40)), int(rng.integers(1, 7))
        x = rng.random((n, d)).round(int(rng.integers(1, 9)))
        method, iterative = str(rng.choice(METHODS)), bool(rng.random() < 0.5)
        found = qmc.discrepancy(x, method=method, iterative=iterative)
        expected = judge.discrepancy(x, method=method, iterative=iterative)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
        start, d = int(rng.integers(0, 10**4)), int(rng.integers(1, 30))
        for ours, theirs in ((qmc.Sobol, judge.Sobol), (qmc.Halton, judge.Halton)):
            one, other = ours(d, scramble=False), theirs(d, scramble=False)
            one.fast_forward(start), other.fast_forward(start)
            if start:
                np.testing.assert_array_equal(one.random(n), other.random(n))
