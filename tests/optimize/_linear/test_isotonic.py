"""Isotonic regression against SciPy's, in batches, with derivatives."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.optimize import isotonic_regression


@pytest.mark.parametrize("increasing", [True, False])
def test_isotonic_regression(lib: Any, rng: Any, increasing: bool) -> None:
    y = rng.normal(size=(3, 40)) + 0.05 * np.arange(40)
    w = rng.uniform(0.1, 2, 40)
    found = isotonic_regression(lib.asarray(y), weights=lib.asarray(w), increasing=increasing)
    expected = [
        scipy.optimize.isotonic_regression(row, weights=w, increasing=increasing).x for row in y
    ]
    tol = 1e-12 if lib.has_float64 else 1e-5
    out = lib.to_numpy(found.x)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)
    assert bool(lib.to_numpy(found.success).all()) and found.blocks is None


@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_blocks_of_one_problem(n: int, increasing: bool, rng: Any) -> None:
    """By SciPy's routine and by the body, of data some of which are equal, too."""
    for y, w in ((rng.normal(size=n), None), (rng.normal(size=n).round(), rng.uniform(0.1, 2, n))):
        options = {"weights": w, "increasing": increasing}
        expected = scipy.optimize.isotonic_regression(y, **options)
        for solve in (isotonic_regression, isotonic_regression.generic):
            found = solve(y, **options)
            np.testing.assert_allclose(found.x, expected.x, rtol=1e-12, atol=1e-14)
            np.testing.assert_array_equal(found.blocks, expected.blocks)
            np.testing.assert_allclose(found["weights"], expected.weights)
            assert found.status == 1 and isinstance(found.status, np.int32)


def test_one_problem_is_a_row() -> None:
    explained = likewise.explain(isotonic_regression, np.asarray([2.0, 1.0, 3.0]))
    assert explained.routine.endswith("_solvers:isotonic")


@pytest.mark.xp_skip({"dask": "blocks and weights have no known shape"})
@pytest.mark.parametrize("increasing", [True, False])
def test_of_nothing(lib: Any, increasing: bool) -> None:
    expected = scipy.optimize.isotonic_regression([], increasing=increasing)
    y = lib.asarray(np.zeros(0))
    found = isotonic_regression(y, increasing=increasing)
    assert found.x.shape == expected.x.shape and found.x.dtype == y.dtype
    np.testing.assert_array_equal(lib.to_numpy(found.blocks), expected.blocks)
    assert found.weights.shape == (0,) and int(found.status) == 1
    assert isotonic_regression([], increasing=increasing).x.shape == (0,)
    batch = isotonic_regression(lib.asarray(np.zeros((3, 0))), weights=y)
    assert batch.x.shape == (3, 0) and batch.status.shape == (3,) and batch.blocks is None
    assert isotonic_regression(lib.asarray(np.zeros((0, 3)))).x.shape == (0, 3)


def test_what_is_not_finite_spoils_no_other() -> None:
    y = np.asarray([[1.0, np.nan, 0.0], [2.0, 1.0, 3.0]])
    found = isotonic_regression(y)
    assert found.status.tolist() == [-1, 1] and np.all(np.isnan(found.x[0]))
    np.testing.assert_allclose(found.x[1], [1.5, 1.5, 3])


def test_derivative_is_of_the_means() -> None:
    y = np.asarray([1.0, 0.0, 3.0])
    jac = likewise.transforms.jacrev(lambda y: isotonic_regression(y).x)(y)
    np.testing.assert_allclose(jac, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])


def test_wrong_arguments() -> None:
    with pytest.raises(ArgumentError, match="weights must be positive"):
        isotonic_regression(np.ones(3), weights=np.asarray([1.0, 0.0, 1.0]))
    with pytest.raises(ShapeError, match="isotonic_regression: y and weights"):
        isotonic_regression(np.ones(3), weights=np.ones(2))
