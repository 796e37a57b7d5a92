"""Least squares with constraints: SciPy's minima, batches, libraries, derivatives, statuses."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise import array_namespace
from likewise.errors import ConstraintError, ShapeError
from likewise.optimize import LinearConstraint, NonlinearConstraint, least_squares, minimize
from likewise.transforms import grad, jacrev

START = np.asarray([-1.2, 1.0])


def rosenbrock(x: Any) -> Any:
    return array_namespace(x).stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def norm(x: Any) -> Any:
    return x[0] ** 2 + x[1] ** 2


def near(lib: Any, got: Any, expected: Any, tol: float) -> None:
    tol = tol if lib.has_float64 else 2e-3
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tol, atol=tol)


def test_the_valley_within_a_circle(lib: Any) -> None:
    found = least_squares(
        rosenbrock, lib.asarray(START), constraints=NonlinearConstraint(norm, -np.inf, 1.0)
    )
    near(lib, found.x, [0.7864151509, 0.6176983125], 1e-7)  # SciPy's examples, of another norm
    near(lib, found.constr_violation, 0.0, 1e-9)
    assert found.success
    x, y = lib.to_numpy(found.x).astype(float), lib.to_numpy(found.multipliers).astype(float)
    near(lib, found.grad, 2 * x * y, 1e-6)
    assert y[0] < 0


def test_linear_rows_bounds_and_losses_as_scipy(rng: Any) -> None:
    for loss in ("linear", "soft_l1"):
        a, b = rng.normal(size=(7, 3)), 3 * rng.normal(size=7)
        rows = rng.normal(size=(2, 3))

        def cost(x: Any, a: Any = a, b: Any = b, loss: str = loss) -> Any:
            z = (a @ x + np.sin(x[0]) - b) ** 2
            return 0.5 * np.sum(z if loss == "linear" else 2 * (np.sqrt(1 + z) - 1))

        best = scipy.optimize.minimize(
            cost, np.zeros(3), bounds=[(-1.0, 0.5)] * 3, method="SLSQP",
            constraints=[
                {"type": "ineq", "fun": lambda x, rows=rows: 0.3 - rows[0] @ x},
                {"type": "eq", "fun": lambda x, rows=rows: rows[1] @ x - 0.1},
            ],
            options={"ftol": 1e-15, "maxiter": 300},
        )  # fmt: skip

        def residuals(x: Any, a: Any = a, b: Any = b) -> Any:
            return a @ x + np.sin(x[0]) - b

        found = least_squares(
            residuals, np.zeros(3), bounds=(-1.0, 0.5), loss=loss, ftol=1e-13, xtol=1e-13,
            constraints=[LinearConstraint(rows[:1], -np.inf, 0.3), LinearConstraint(rows[1:], 0.1, 0.1)],
        )  # fmt: skip
        np.testing.assert_allclose(found.cost, best.fun, rtol=1e-8)
        np.testing.assert_allclose(found.x, best.x, atol=1e-5)
        assert found.constr_violation < 1e-12 and found.success
        pull = found.grad - found.multipliers @ rows - found.bound_multipliers
        assert np.max(np.abs(pull)) < 1e-6 * np.max(np.abs(found.grad))


def test_every_problem_of_a_batch(lib: Any, rng: Any) -> None:
    rule = NonlinearConstraint(norm, -np.inf, 1.0)
    found = least_squares(rosenbrock, lib.asarray(rng.normal(size=(2, 3, 2))), constraints=rule)
    assert found.x.shape == (2, 3, 2) and found.multipliers.shape == (2, 3, 1)
    assert np.all(lib.to_numpy(found.status) > 0)
    near(lib, found.x, [[[0.7864151509, 0.6176983125]] * 3] * 2, 1e-7)


def test_every_problem_has_its_sides(rng: Any) -> None:
    high = np.asarray([[1.0], [0.5], [4.0], [-1.0]])
    rule = NonlinearConstraint(norm, -np.inf, high)
    found = least_squares(rosenbrock, rng.normal(size=(4, 2)), constraints=rule)
    assert (found.status > 0).tolist() == [True, True, True, False]
    assert found.status[3] == -5  # a norm of -1
    np.testing.assert_allclose(norm(found.x.T)[:3], [1.0, 0.5, 2.0], rtol=1e-7)
    assert found.multipliers[2] == 0


def test_derivatives_of_what_is_closed_over() -> None:
    def solution(c: Any) -> Any:
        def residuals(x: Any) -> Any:
            return array_namespace(x).stack([x[0] - c[0], x[1] - c[1], 0.3 * x[0] * x[1]])

        rule = NonlinearConstraint(lambda x: norm(x) * c[2], -np.inf, 1.0)
        found = least_squares(
            residuals, np.asarray([0.3, 0.4]), constraints=rule, ftol=1e-15, xtol=1e-15, gtol=1e-13
        )
        assert found.multipliers[0] < -0.1
        return found.x[0] + 2 * found.x[1] + found.multipliers[0] + found.cost

    c = np.asarray([1.5, 1.0, 0.9])
    slope = grad(solution)(c)
    for i in range(3):
        turn = 1e-5 * np.eye(3)[i]
        difference = (solution(c + turn) - solution(c - turn)) / 2e-5
        np.testing.assert_allclose(slope[i], difference, rtol=1e-5)


def test_derivatives_of_multipliers_of_bounds() -> None:
    """The slope at the bound x0 <= 1 / t is 2 (1 / t - 3 t)."""

    def told(t: Any) -> Any:
        xp = array_namespace(t)
        return least_squares(
            lambda x: xp.stack([2.0**0.5 * (x[0] - 3 * t), x[1] - t]),
            np.asarray([0.3, 0.4]),
            bounds=(-np.inf, xp.stack([1 / t, 9 * t])),
            constraints=LinearConstraint([[1.0, 1.0]], -9.0, 9.0),
        ).bound_multipliers

    np.testing.assert_allclose(told(np.asarray(2.0)), [2 * (0.5 - 6.0), 0.0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(jacrev(told)(np.asarray(2.0)), [-0.5 - 6.0, 0.0], atol=1e-6)


def test_bad_arguments() -> None:
    with pytest.raises(ConstraintError, match="constraints"):
        least_squares(rosenbrock, START, constraints=3)
    with pytest.raises(ShapeError, match="column for each"):
        least_squares(rosenbrock, START, constraints=LinearConstraint(np.ones((1, 3)), 0.0, 1.0))
    with pytest.raises(ShapeError, match="x0 is one problem"):
        rows = LinearConstraint(np.ones((4, 1, 2)), 0.0, 1.0)
        least_squares(rosenbrock, START, constraints=rows)
    broken = NonlinearConstraint(lambda x: x[0] * np.nan, 0.0, 1.0)
    assert least_squares(rosenbrock, START, constraints=broken).status == -1


def test_residuals_that_stay_large() -> None:
    # By Gauss-Newton steps alone, these two need more than 100 evaluations for each unknown.
    for seed in (15, 28):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(2, 6))
        n = p + int(rng.integers(1, 8))
        a, waves, b = rng.normal(size=(n, p)), rng.normal(size=(n, p)), 6 * rng.normal(size=n)
        row, start = rng.normal(size=(2, p))[0], rng.normal(size=p)

        def residuals(x: Any, a: Any = a, waves: Any = waves, b: Any = b) -> Any:
            xp = array_namespace(x)
            return xp.sum(a * x, axis=1) + 2 * xp.sin(xp.sum(waves * x, axis=1)) - b

        def curved(x: Any, row: Any = row) -> Any:
            xp = array_namespace(x)
            return xp.stack([xp.sum(x * x), xp.sum(row * x) * x[0]])

        rule = NonlinearConstraint(curved, [-np.inf, -1.0], [4.0, 1.0])
        found = least_squares(residuals, start, constraints=rule)
        assert found.success and found.nfev < 100 and found.constr_violation < 1e-9
        best = scipy.optimize.minimize(
            lambda x, r=residuals: 0.5 * np.sum(r(x) ** 2), found.x, method="SLSQP",
            constraints=scipy.optimize.NonlinearConstraint(curved, [-np.inf, -1.0], [4.0, 1.0]),
        )  # fmt: skip
        np.testing.assert_allclose(found.cost, best.fun, rtol=1e-6)


@pytest.mark.parametrize("method", ["least_squares", "augmented-Lagrangian"])
def test_bounds_and_equations_of_many_residuals(method: str) -> None:
    """The large workload of bounded least squares, small, with equations: against SciPy."""
    rng = np.random.default_rng(0)
    n, p = 60, 25
    J, truth = rng.normal(size=(n, p)) / np.sqrt(n), 0.5 * rng.normal(size=p)
    y = J @ truth + 0.1 * np.sin(J @ truth) + 0.01 * rng.normal(size=n)
    lower = np.where(np.arange(p) < 4, truth + 0.1, -np.inf)
    E = rng.normal(size=(3, p)) / np.sqrt(p)
    right = E @ np.maximum(truth, lower)

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        z = xp.matmul(xp.asarray(J), x)
        return z + 0.1 * xp.sin(z) - xp.asarray(y)

    def cost(x: Any) -> Any:
        return 0.5 * array_namespace(x).sum(fun(x) ** 2)

    start, bounds = np.maximum(0.0, lower + 0.1), np.stack([lower, np.full(p, np.inf)], axis=1)
    rows = LinearConstraint(E, right, right)
    if method == "least_squares":
        found = least_squares(fun, start, bounds=(lower, np.inf), constraints=rows)
        value = found.cost
    else:
        found = minimize(cost, start, method=method, bounds=bounds, constraints=rows)
        value = found.fun
    want = scipy.optimize.minimize(
        cost,
        start,
        method="SLSQP",
        bounds=bounds,
        constraints=scipy.optimize.LinearConstraint(E, right, right),
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success and np.all(found.x >= lower)
    assert np.max(np.abs(E @ found.x - right)) < 1e-7
    np.testing.assert_allclose(value, want.fun, rtol=1e-6)


def test_no_row_is_no_constraint() -> None:
    none = LinearConstraint(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    found = minimize(
        lambda x: (x * x).sum(), np.ones(2), method="augmented-Lagrangian", constraints=none
    )
    np.testing.assert_allclose(found.x, 0, atol=1e-6)
