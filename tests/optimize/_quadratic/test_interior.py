"""The interior point: conditions of optimality, linear programmes, what has no solution."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.optimize._quadratic._interior import interior
from likewise.solving._outcome import Outcome

from .programmes import problems, residuals


def checked(lib: Any, data: tuple[Any, ...], linear: bool = False) -> Any:
    found = interior(*(None if linear and i == 0 else lib.asarray(v) for i, v in enumerate(data)))
    assert np.all(lib.to_numpy(found.outcome) == Outcome.CONVERGED)
    data = tuple(lib.to_numpy(lib.asarray(v)).astype(float) for v in data)
    x, y, z = (lib.to_numpy(v).astype(float) for v in (found.x, found.y, found.z))
    tol = 1e-9 if lib.has_float64 else 2e-3
    for rest in residuals((0 * data[0], *data[1:]) if linear else data, x, y, z, tol):
        assert np.max(rest) < tol
    return x


@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
@pytest.mark.long("jax-x32")
def test_conditions_of_optimality(lib: Any, rng: Any) -> None:
    checked(lib, problems(rng, 8, 3, 6))


@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
def test_semidefinite_matrices(lib: Any, rng: Any) -> None:
    h, g, a, low, high, lower, upper = problems(rng, 8, 4, 3)
    half = np.asarray([1.0, 1.0, 0.0, 0.0])
    lower, upper = np.maximum(lower, -9.0), np.minimum(upper, 9.0)
    checked(lib, (h * half * half[:, None], g, a, low, high, lower, upper))


@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
def test_linear_programmes_as_scipy(lib: Any, rng: Any) -> None:
    for m in (2, 6):  # fewer rows than unknowns, and more
        _, g, a, low, high, lower, upper = problems(rng, 6, 4, m)
        lower, upper = np.maximum(lower, -9.0), np.minimum(upper, 9.0)
        data = (np.zeros((6, 4, 4)), g, a, low, high, lower, upper)
        x = checked(lib, data, linear=True)
        for i in range(6):
            rows = scipy.optimize.LinearConstraint(a[i], low[i], high[i])
            bounds = scipy.optimize.Bounds(lower[i], upper[i])
            best = scipy.optimize.milp(g[i], constraints=rows, bounds=bounds)
            tol = 1e-9 if lib.has_float64 else 1e-3
            np.testing.assert_allclose(g[i] @ x[i], best.fun, rtol=tol, atol=tol)


@pytest.mark.xp_skip({"dask": "the kernels get computed blocks"})
def test_what_has_no_solution(lib: Any) -> None:
    h, g = np.zeros((5, 2, 2)), np.asarray([[1.0, 1.0]] * 5)
    a = np.asarray([[[1.0, 1.0], [1.0, -1.0]]] * 5)
    low, high = np.asarray([[1.0, 0.0]] * 5), np.asarray([[np.inf, 0.0]] * 5)
    lower, upper = np.full((5, 2), -np.inf), np.full((5, 2), np.inf)
    upper[1, 0] = 0.25  # the two are equal, and their sum is 1 or more
    g[2] = -1.0
    low[3, 0] = np.nan
    lower[4, 0], upper[4, 0] = 2.0, 1.0
    data = (h, g, a, low, high, lower, upper)
    told = [1, Outcome.INFEASIBLE, Outcome.UNBOUNDED, Outcome.NOT_FINITE, Outcome.INFEASIBLE]
    for linear in (False, True):
        found = interior(*(None if linear and v is h else lib.asarray(v) for v in data))
        assert lib.to_numpy(found.outcome).tolist() == told
        np.testing.assert_allclose(lib.to_numpy(found.x)[0], [0.5, 0.5], rtol=1e-5)
