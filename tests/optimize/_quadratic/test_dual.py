"""The dual active set: conditions of optimality, redundant, degenerate and contradictory rows."""

from typing import Any

import numpy as np
import pytest

from likewise.optimize._quadratic._dual import quadratic
from likewise.solving._outcome import Outcome

from .programmes import problems, residuals


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 6)])
@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
def test_conditions_of_optimality(lib: Any, rng: Any, n: int, m: int) -> None:
    data = problems(rng, 12, n, m)
    found = quadratic(*(lib.asarray(v) for v in data))
    assert np.all(lib.to_numpy(found.outcome) == Outcome.CONVERGED)
    if not lib.has_float64:  # the sides as they came in float32
        data = tuple(lib.to_numpy(lib.asarray(v)).astype(float) for v in data)
    x, y, z = (lib.to_numpy(v).astype(float) for v in (found.x, found.y, found.z))
    tol = 1e-11 if lib.has_float64 else 2e-3
    for rest in residuals(data, x, y, z):
        assert np.max(rest) < tol


def test_more_and_larger_problems(rng: Any) -> None:
    for n, m in [(2, 9), (5, 3), (8, 12), (25, 30)]:
        data = problems(rng, 60, n, m)
        found = quadratic(*data)
        assert np.all(found.outcome == Outcome.CONVERGED)
        for rest in residuals(data, found.x, found.y, found.z):
            assert np.max(rest) < 1e-9


@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
def test_without_rows_or_bounds(lib: Any) -> None:
    h, g = lib.asarray([[[2.0, 0.0], [0.0, 4.0]]]), lib.asarray([[-2.0, 4.0]])
    none = lib.asarray(np.zeros((1, 0)))
    found = quadratic(h, g, lib.asarray(np.zeros((1, 0, 2))), none, none)
    np.testing.assert_allclose(lib.to_numpy(found.x), [[1.0, -1.0]], rtol=1e-6)
    bounds = lib.asarray([[0.0, 0.0]]), lib.asarray([[0.5, np.inf]])
    found = quadratic(h, g, lib.asarray(np.zeros((1, 0, 2))), none, none, *bounds)
    np.testing.assert_allclose(lib.to_numpy(found.x), [[0.5, 0.0]], rtol=1e-6)
    np.testing.assert_allclose(lib.to_numpy(found.z), [[-1.0, 4.0]], rtol=1e-6)


@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
def test_contradictions_and_what_is_not_finite(lib: Any) -> None:
    one = np.ones((5, 1))
    h = np.ones((5, 1, 1))
    h[3] = -1.0
    a = np.ones((5, 2, 1))
    low, high = np.asarray([[1.0, -np.inf]] * 5), np.asarray([[np.inf, 2.0]] * 5)
    high[1, 1] = 0.5  # above 1 and below 0.5
    low[2, 0] = np.nan
    low[4, 0] = high[4, 0] = 3.0  # equal to 3 and below 2
    found = quadratic(*(lib.asarray(v) for v in (h, one, a, low, high)))
    told = [1, Outcome.INFEASIBLE, Outcome.NOT_FINITE, Outcome.NOT_FINITE, Outcome.INFEASIBLE]
    assert lib.to_numpy(found.outcome).tolist() == told
    np.testing.assert_allclose(lib.to_numpy(found.x)[0], [1.0], rtol=1e-6)
