"""augmented-Lagrangian: published optima, every library, statuses, many unknowns."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.optimize import LinearConstraint, NonlinearConstraint, minimize

sys.path.insert(0, str(Path(__file__).parents[1]))
from hock_schittkowski import PROBLEMS

METHOD = "augmented-Lagrangian"


def square(x: Any) -> Any:
    return x[0] ** 2 + x[1] ** 2


@pytest.mark.parametrize("name", [6, 10, 35, 43, 71, 77])
def test_published_optima(name: int) -> None:
    problem = PROBLEMS[name]
    bounds = np.stack([problem.lower, problem.upper], axis=-1) if problem.bounded else None
    found = minimize(
        problem.fun,
        np.asarray(problem.x0),
        method=METHOD,
        bounds=bounds,
        constraints=problem.constraints(),
        options={"gtol": 1e-7, "ctol": 1e-9},
    )
    assert found.status == 0
    assert abs(float(found.fun) - problem.f) < 1e-7 * max(1.0, abs(problem.f))
    assert problem.violation(found.x) < 1e-9 and found.constr_violation < 1e-8


@pytest.mark.long("dask", "strict-minimal")
def test_batch_on_every_library(lib: Any) -> None:
    starts = [[-1.2, 1.0], [np.nan, 0.0], [2.0, 2.0]]
    rows = [
        {"type": "ineq", "fun": lambda x: 2 - x[0] ** 2 - x[1] ** 2},
        LinearConstraint([[0.0, 1.0]], -np.inf, 0.6),
    ]
    if lib.library == "dask":
        rows = rows[:1]
    found = minimize(
        lambda x: (x[0] - 3) ** 2 + (x[1] - 3) ** 2,
        lib.asarray(starts),
        method=METHOD,
        constraints=rows,
    )
    assert lib.to_numpy(found.status).tolist() == [0, 3, 0]
    a = [np.sqrt(2 - 0.36), 0.6] if len(rows) == 2 else [1.0, 1.0]
    x, y = (lib.to_numpy(v)[[0, 2]] for v in (found.x, found.multipliers))
    tol = 1e-4 if lib.has_float64 else 1e-2
    np.testing.assert_allclose(x, [a] * 2, atol=tol)
    np.testing.assert_allclose(y[:, 0], (3 - a[0]) / a[0], atol=10 * tol)


def test_statuses() -> None:
    def row(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        total = x[..., 0] + x[..., 1]
        return xp.stack([total, total], axis=-1)

    low = np.asarray([[1.0, -np.inf], [-np.inf, -np.inf], [1.0, -np.inf]])
    high = np.asarray([[np.inf, 0.0], [0.0, 5.0], [np.inf, 5.0]])
    scale = np.asarray([1.0, 0.0, 1.0])
    found = minimize(
        lambda x: scale * (x[..., 0] ** 2 + x[..., 1] ** 2) + (1 - scale) * x[..., 0],
        np.asarray([[1.0, 5.0]] * 3),
        method=METHOD,
        constraints=NonlinearConstraint(row, low, high),
        vectorized=True,
    )
    assert found.status.tolist() == [5, 4, 0]
    np.testing.assert_allclose(found.x[2], [0.5, 0.5], atol=1e-5)


def test_limits() -> None:
    rows = {"type": "eq", "fun": lambda x: square(x) - 2}
    x0 = np.asarray([3.0, -1.0])
    for options in ({"maxiter": 3}, {"maxfun": 4}):
        found = minimize(
            lambda x: x[0] + x[1], x0, method=METHOD, constraints=rows, options=options
        )
        assert found.status == 1 and found.nfev <= 8
        value = found.x[0] ** 2 + found.x[1] ** 2 - 2
        np.testing.assert_allclose(found.constr_violation, abs(value))
        np.testing.assert_allclose(found.fun, found.x[0] + found.x[1])


def test_many_unknowns_without_a_matrix() -> None:
    """Least squares with sums that must be equal: no array has a row for each constraint."""
    n, m = 400, 20
    rng = np.random.default_rng(1)
    target = rng.normal(size=n)
    scale = 1 + rng.uniform(size=n)

    def fun(x: Any) -> Any:
        return likewise.array_namespace(x).sum(scale * (x - target) ** 2)

    def sums(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(xp.reshape(x, (m, n // m)), axis=1)

    found = minimize(
        fun,
        np.zeros(n),
        method=METHOD,
        constraints=[{"type": "eq", "fun": sums}],
        bounds=[(-1, 9)] * n,
    )
    assert found.success
    # The conditions of the minimum, group by group.
    slope = 2 * scale * (found.x - target)
    rest = np.reshape(slope, (m, -1)) - found.multipliers[:, None]
    free = np.reshape(found.x, (m, -1)) > -1 + 1e-9
    assert np.max(np.abs(rest[free])) < 1e-4 and np.all(rest[~free] > -1e-4)
    assert np.max(np.abs(sums(found.x))) < 1e-8 and np.any(~free)


def test_without_constraints_it_is_the_inner_method() -> None:
    x0 = np.asarray([3.0, -1.0])
    options = {"gtol": 1e-5, "maxiter": 15000}
    found = minimize(square, x0, method=METHOD, bounds=[(1, 4), (-2, 2)])
    other = minimize(
        square, x0, method="L-BFGS-B", bounds=[(1, 4), (-2, 2)], options={**options, "ftol": 0}
    )
    np.testing.assert_allclose(found.x, other.x)
    assert found.success and found.nfev <= other.nfev + 2


@pytest.mark.parametrize(
    "rows",
    [
        [(1.0, 0.0, 1.0), (-1.0, 0.0, 1.0)],
        [(1.0, 1.0, 1.0), (-1.0, -1.0, -0.5)],
    ],
)
def test_rows_that_contradict_each_other_end_soon(rows: Any) -> None:
    known = [{"type": "ineq", "fun": lambda x, r=r: r[0] * x[0] + r[1] * x[1] - r[2]} for r in rows]
    found = minimize(
        lambda x: x[0] ** 2 + x[1] ** 2, np.asarray([3.0, 1.0]), method=METHOD, constraints=known
    )
    assert found.status == 5 and found.nfev < 1000


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_an_edge_of_values_ends_soon(start: float) -> None:
    """No search that begins at the edge leads on."""
    found = minimize(
        lambda x: np.where(x[0] > 2.0, np.inf, -x[0]) + x[1] ** 2,
        np.asarray([start, start]),
        method=METHOD,
        constraints={"type": "ineq", "fun": lambda x: 5.0 - x[0]},
    )
    assert found.status == 2 and found.nfev < 1000 and found.x[0] > 1.999
