"""trust-constr: published optima, every library, statuses, estimates of second derivatives."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from scipy.sparse.linalg import LinearOperator

import likewise
from likewise.errors import ArgumentError, DerivativeWarning
from likewise.optimize import LinearConstraint, NonlinearConstraint, minimize
from likewise.optimize._minimize._byrd_omojokun import (
    Region,
    linearised,
    normal_step,
    tangential_step,
)

sys.path.insert(0, str(Path(__file__).parents[1]))
from hock_schittkowski import PROBLEMS

METHOD = "trust-constr"
# Equalities, inequalities, bounds, all of them, and one whose sides the barrier must not meet early.
SOLVED = [6, 10, 19, 24, 35, 43, 71, 74, 77]
INF = np.inf


def stacked(*rows: Any) -> Any:
    return likewise.array_namespace(*rows).stack(rows, axis=-1)


def banana(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def square(x: Any) -> Any:
    return x[0] ** 2 + x[1] ** 2


def bounds_of(problem: Any) -> Any:
    return np.stack([problem.lower, problem.upper], axis=-1) if problem.bounded else None


@pytest.mark.parametrize("name", SOLVED)
def test_published_optima(name: int) -> None:
    problem = PROBLEMS[name]
    found = minimize(
        problem.fun,
        np.asarray(problem.x0),
        method=METHOD,
        bounds=bounds_of(problem),
        constraints=problem.constraints(),
        options={"gtol": 1e-9, "maxiter": 100},
    )
    assert found.status == 0 and found.nit < 70
    assert abs(float(found.fun) - problem.f) < 1e-8 * max(1.0, abs(problem.f))
    assert problem.violation(found.x) < 1e-9
    assert found.constr_violation < 1e-8


@pytest.mark.long("dask", "strict-minimal")
def test_batch_on_every_library(lib: Any) -> None:
    """The nearest point of a disc, inside the bounds, and one start that isn't finite."""
    starts = [[-1.2, 1.0], [0.3, 0.1], [np.nan, 0.0], [2.0, 2.0]]
    rows = [
        {"type": "ineq", "fun": lambda x: 2 - x[0] ** 2 - x[1] ** 2},
        {"type": "eq", "fun": lambda x: x[0] - x[2]},
    ]
    found = minimize(
        lambda x: (x[0] - 3) ** 2 + (x[1] - 3) ** 2 + x[2] * 0,
        lib.asarray([[*start, 0.0] for start in starts]),
        method=METHOD,
        bounds=[(-4, 4), (-4, 0.6), (-4, 4)],
        constraints=rows,
    )
    assert lib.to_numpy(found.status).tolist() == [0, 0, 3, 0]
    a = np.sqrt(2 - 0.36)
    x, y, z = (
        lib.to_numpy(v)[[0, 1, 3]] for v in (found.x, found.multipliers, found.bound_multipliers)
    )
    tol = 1e-6 if lib.has_float64 else 5e-3
    np.testing.assert_allclose(x, [[a, 0.6, a]] * 3, atol=tol)
    slope = 2 * (3 - a) / (2 * a)  # of the disc
    np.testing.assert_allclose(y, [[slope, 0.0]] * 3, atol=10 * tol)
    np.testing.assert_allclose(z[:, 1], 2 * (0.6 - 3) + slope * 1.2, atol=10 * tol)
    assert np.all(lib.to_numpy(found.constr_violation)[[0, 1, 3]] <= tol)
    assert found.x.dtype == (lib.xp.float64 if lib.has_float64 else lib.xp.float32)


def test_statuses() -> None:
    """Of a batch: two sides that contradict, no minimum, and a problem beside them."""

    def row(x: Any) -> Any:
        return x[..., 0] + x[..., 1]

    low = np.asarray([[1.0, -INF], [-INF, -INF], [1.0, -INF]])
    high = np.asarray([[INF, 0.0], [0.0, 5.0], [INF, 5.0]])
    scale = np.asarray([1.0, 0.0, 1.0])
    found = minimize(
        lambda x: scale * (x[..., 0] ** 2 + x[..., 1] ** 2) + (1 - scale) * x[..., 0],
        np.asarray([[1.0, 5.0]] * 3),
        method=METHOD,
        constraints=NonlinearConstraint(lambda x: stacked(row(x), row(x)), low, high),
        vectorized=True,
    )
    assert found.status.tolist() == [5, 4, 0]
    np.testing.assert_allclose(found.x[2], [0.5, 0.5], atol=1e-6)
    assert found.constr_violation[0] > 0.4 and not found.success[0]


@pytest.mark.parametrize(
    ("fun", "sides"),
    [
        (lambda x: stacked(square(x)), (-1.0, -1.0)),
        (lambda x: stacked(x[0], x[0]), ([1, 2], [1, 2])),
    ],
)
def test_equalities_without_a_point(fun: Any, sides: Any) -> None:
    rows = NonlinearConstraint(fun, *sides)
    found = minimize(square, np.asarray([1.0, 5.0]), method=METHOD, constraints=rows)
    assert found.status == 5 and found.nit < 300


def test_redundant_equalities() -> None:
    rows = LinearConstraint([[1.0, 1.0], [2.0, 2.0]], [1, 2], [1, 2])
    found = minimize(square, np.asarray([1.0, 5.0]), method=METHOD, constraints=rows)
    assert found.success
    np.testing.assert_allclose(found.x, [0.5, 0.5], atol=1e-10)
    np.testing.assert_allclose([1, 2] @ found.multipliers, 1.0, atol=1e-8)


def test_a_fixed_variable_and_a_row_without_sides() -> None:
    rows = NonlinearConstraint(lambda x: stacked(x[1], x[0]), [-INF, 0], [INF, 9])
    found = minimize(
        banana, np.asarray([3.0, 3.0]), method=METHOD, constraints=rows, bounds=[(2, 2), (0, 9)]
    )
    assert found.success and found.x[0] == 2
    np.testing.assert_allclose(found.x[1], 4, atol=1e-7)
    np.testing.assert_allclose(found.bound_multipliers, [2.0, 0.0], atol=1e-4)


@pytest.mark.parametrize("hess", ["BFGS", "SR1", scipy.optimize.BFGS()])
def test_estimates(hess: Any) -> None:
    problem = PROBLEMS[71]
    found = minimize(
        problem.fun,
        np.asarray(problem.x0),
        method=METHOD,
        hess=hess,
        bounds=bounds_of(problem),
        constraints=problem.constraints(),
    )
    assert found.success
    assert abs(float(found.fun) - problem.f) < 1e-6


def test_derivatives_that_are_given_differenced_or_not_followed() -> None:
    def hess(x: Any) -> Any:
        a = 1200 * x[0] ** 2 - 400 * x[1] + 2
        return stacked(stacked(a, -400 * x[0]), stacked(-400 * x[0], 200 + 0 * x[0]))

    def slope(x: Any) -> Any:  # by numbers, which nothing follows
        a, b = float(x[0]), float(x[1])
        return np.asarray([-400 * a * (b - a * a) - 2 * (1 - a), 200 * (b - a * a)])

    rows = {"type": "ineq", "fun": lambda x: 1.5 - square(x)}
    x0 = np.asarray([-1.2, 1.0])
    expected = scipy.optimize.minimize(
        banana, x0, method="SLSQP", constraints=rows, options={"ftol": 1e-14}
    ).x
    by_hand = minimize(banana, x0, method=METHOD, hess=hess, constraints=rows)
    differenced = minimize(banana, x0, method=METHOD, jac="3-point", constraints=rows)
    with pytest.warns(DerivativeWarning, match="estimated, as with hess='BFGS'"):
        estimated = minimize(
            banana, x0, method=METHOD, jac=slope, constraints={**rows, "jac": lambda x: -2 * x}
        )
    for found in (by_hand, differenced, estimated):
        assert found.constr_violation <= 1e-8
        np.testing.assert_allclose(found.x, expected, atol=2e-5)
    assert by_hand.success and estimated.success


def test_bounds_hold_at_every_evaluation() -> None:
    seen: list[Any] = []

    def fun(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            seen.append(x.copy())
        return (x[0] - 2) ** 2 + (x[1] + 3) ** 2 - likewise.array_namespace(x).log(x[0])

    found = minimize(
        fun, np.asarray([-5.0, 9.0]), method=METHOD, bounds=[(0, 1), (-1, 2)], hess="BFGS"
    )
    assert found.success and len(seen) > 5
    assert np.all(np.asarray(seen) >= [0, -1]) and np.all(np.asarray(seen) <= [1, 2])
    np.testing.assert_allclose(found.x, [1, -1], atol=1e-7)


@pytest.mark.parametrize("linear", [True, False])
def test_rows_that_must_hold_wherever_fun_is_computed(linear: bool) -> None:
    seen: list[float] = []

    def fun(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            seen.append(float(x[0] + x[1]))
        return (x[0] - 2) ** 2 + (x[1] - 1) ** 2

    named = LinearConstraint([[1.0, 1.0]], -INF, 1.0, keep_feasible=True)
    if not linear:
        named = NonlinearConstraint(lambda x: x[0] + x[1], -INF, 1.0, keep_feasible=[True])
    other = NonlinearConstraint(lambda x: x[1] ** 2, 1e-4, 1.0)  # which a step may break
    found = minimize(fun, np.asarray([-3.0, 3.5]), method=METHOD, constraints=[named, other])
    assert found.success and len(seen) > 5 and max(seen) <= 1
    np.testing.assert_allclose(found.x, [0.99, 0.01], atol=1e-6)
    with pytest.raises(ArgumentError, match="constraint 0, which has keep_feasible=True"):
        minimize(fun, np.asarray([3.0, 3.5]), method=METHOD, constraints=[named, other])


def test_how_it_went() -> None:
    rows = [{"type": "ineq", "fun": lambda x: 1.5 - square(x)}]
    told: list[Any] = []

    def callback(intermediate_result: Any) -> None:
        told.append(intermediate_result)
        if intermediate_result.nit == 12:
            raise StopIteration

    x0 = np.asarray([0.3, -0.5])
    found = minimize(banana, x0, method=METHOD, constraints=rows)
    assert found.success and found.optimality <= 1.5e-8 and found.constr_violation == 0
    assert found.tr_radius > 0 and found.constr_penalty >= 1 and found.cg_niter >= found.nit
    assert 0 < found.barrier_parameter <= 1e-8
    ended = minimize(banana, x0, method=METHOD, constraints=rows, callback=callback)
    assert ended.status == 99 and [int(r.nit) for r in told] == list(range(1, 13))
    assert told[0].barrier_parameter > told[-1].barrier_parameter > found.barrier_parameter
    assert minimize(banana, x0, method="BFGS").optimality is None


def test_what_hess_may_be() -> None:
    x0 = np.asarray([1.0, 2.0])
    with pytest.raises(ArgumentError, match="hess must be callable, 'BFGS' or 'SR1'"):
        minimize(square, x0, method=METHOD, hess="DFP")
    with pytest.raises(ArgumentError, match="'trust-ncg' takes no estimate hess='BFGS'"):
        minimize(square, x0, method="trust-ncg", hess="BFGS")


def test_float32() -> None:
    rows = {"type": "eq", "fun": lambda x: x[0] ** 2 + x[1] ** 2 - 1.5}
    x0 = np.asarray([-1.2, 1.0], dtype=np.float32)
    found = minimize(banana, x0, method=METHOD, constraints=rows, bounds=[(-2, 2), (-2, 2)])
    assert found.x.dtype == found.multipliers.dtype == np.float32
    assert found.success and found.constr_violation < 1e-3


# -- the steps -------------------------------------------------------------------------------------


def test_steps_against_dense_algebra() -> None:
    rng = np.random.default_rng(5)
    a, slack = rng.normal(size=(2, 2, 3)), np.abs(rng.normal(size=(2, 2)))
    b, g = rng.normal(size=(2, 2)), rng.normal(size=(2, 5))
    root = rng.normal(size=(2, 5, 5))
    w = root @ np.swapaxes(root, 1, 2) + np.eye(5)
    far = np.full((2, 5), INF)
    wide = Region(np.full(2, 1e6), -far, far)
    matrix = linearised(a, slack)
    v = normal_step(matrix, b, wide, False)
    t, wt, _ = tangential_step(
        matrix, lambda v: np.einsum("bij,bj->bi", w, v), g, np.zeros((2, 5)), wide, np.full(2, True)
    )
    for k in range(2):
        full = np.concatenate([a[k], -np.diag(slack[k])], axis=1)
        np.testing.assert_allclose(v[k], -np.linalg.pinv(full) @ b[k], atol=1e-10)
        zero = np.zeros((2, 2))
        system = np.block([[w[k], full.T], [full, zero]])
        expected = np.linalg.solve(system, np.concatenate([-g[k], np.zeros(2)]))[:5]
        np.testing.assert_allclose(t[k], expected, atol=0.1)  # conjugate gradients end early
        np.testing.assert_allclose(full @ t[k], 0, atol=1e-12)
        np.testing.assert_allclose(wt[k], w[k] @ t[k], atol=1e-10)
    # Within a small ball and box.
    small = Region(np.full(2, 0.3), np.full((2, 5), -0.1), np.full((2, 5), 0.1))
    v = normal_step(matrix, b, small, True)
    before, after = np.linalg.norm(b, axis=1), np.linalg.norm(matrix.times(v) + b, axis=1)
    assert np.all(np.abs(v) <= 0.05 + 1e-12) and np.all(after < before)
    t, _, _ = tangential_step(
        matrix, lambda v: -v, g, v, small, np.full(2, True)
    )  # a negative curvature leads to the border
    assert np.all(np.abs(v + t) <= 0.1 + 1e-12)
    assert np.all(np.max(np.abs(v + t), axis=1) > 0.099)


def test_callbacks_as_scipy_has_them() -> None:
    """Callbacks take (x, state), and end the search by what is true; or x; or the result."""
    seen: list[Any] = []

    def stops(x: Any, state: Any) -> bool:
        seen.append((np.array(x), float(state.fun), float(state.tr_radius)))
        return bool(state.nit >= 3)

    limit = {"type": "ineq", "fun": lambda x: 1.0 - x[0] - x[1]}

    def run(callback: Any) -> Any:
        return minimize(
            lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
            np.asarray([0.5, 0.5]),
            method="trust-constr",
            constraints=limit,
            callback=callback,
        )

    found = run(stops)
    assert found.status == 99 and found.nit == 3 == len(seen)
    assert all(np.isfinite(f) and radius > 0 for _, f, radius in seen)
    np.testing.assert_array_equal(found.x, seen[-1][0])
    assert run(lambda x: None).success
    assert run(lambda intermediate_result: intermediate_result.nit > 1).nit == 2


def test_hessians_that_are_operators(capsys: Any) -> None:
    """Objective and constraints have them in SciPy's tutorial; `verbose` prints how it ended."""

    def curved(x: Any) -> Any:
        return LinearOperator((2, 2), matvec=lambda v: scipy.optimize.rosen_hess_prod(x, v))

    def bent(x: Any, y: Any) -> Any:
        return LinearOperator((2, 2), matvec=lambda v: np.asarray([2 * v[0] * (y[0] + y[1]), 0]))

    curve = NonlinearConstraint(
        lambda x: np.asarray([x[0] ** 2 + x[1], x[0] ** 2 - x[1]]),
        -np.inf,
        1.0,
        jac=lambda x: np.asarray([[2 * x[0], 1.0], [2 * x[0], -1.0]]),
        hess=bent,
    )
    found = minimize(
        scipy.optimize.rosen,
        np.asarray([0.5, 0.0]),
        method="trust-constr",
        jac=scipy.optimize.rosen_der,
        hess=curved,
        constraints=[LinearConstraint([[1, 2], [2, 1]], [-np.inf, 1], [1, 1]), curve],
        bounds=[(0, 1), (-0.5, 2.0)],
        options={"verbose": 1},
    )
    np.testing.assert_allclose(found.x, [0.41494531, 0.17010937], atol=1e-5)
    assert found.success and "converged" in capsys.readouterr().out
