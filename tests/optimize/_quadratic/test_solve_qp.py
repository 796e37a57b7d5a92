"""Quadratic programmes: closed forms, conditions of optimality, SciPy, derivatives, statuses."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.errors import ArgumentError, ShapeError
from likewise.optimize import solve_qp
from likewise.transforms import grad, jacobian, jacrev

P = np.asarray([[2.0, 0.0], [0.0, 2.0]])
METHODS = ["active-set", "interior-point"]


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-8) -> None:
    tol = tol if lib.has_float64 else 1e-3
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("method", METHODS)
def test_closed_forms(lib: Any, method: str) -> None:
    # The point of x + 2 y <= 3 that is nearest to (1, 5/2).
    P_, q = lib.asarray(P), lib.asarray([-2.0, -5.0])
    G, h = lib.asarray([[1.0, 2.0]]), lib.asarray([3.0])
    found = solve_qp(P_, q, G, h, lb=0.0, method=method)
    near(lib, found.x, [0.4, 1.3])
    near(lib, found.multipliers, [-1.2])
    near(lib, found.bound_multipliers, [0.0, 0.0])
    near(lib, found.fun, 0.4**2 + 1.3**2 - 0.8 - 6.5)
    assert found.success and found.status == 0
    # On the line x + y = 1 with x <= 1/4: 2 x = y' + z, 2 y = y'.
    one, side = lib.asarray([[1.0, 1.0], [2.0, 2.0]]), lib.asarray([1.0, 2.0])
    bound = lib.asarray([0.25, np.inf])
    found = solve_qp(P_, lib.asarray([0.0, 0.0]), A=one, b=side, ub=bound, method=method)
    near(lib, found.x, [0.25, 0.75])
    near(lib, found.bound_multipliers, [-1.0, 0.0])
    pull = lib.to_numpy(found.multipliers)
    np.testing.assert_allclose(pull[0] + 2 * pull[1], 1.5, rtol=1e-3)


def test_a_batch_with_shared_parts(lib: Any, rng: Any) -> None:
    q, h = rng.normal(size=(2, 3, 4)), rng.uniform(0.1, 1.0, size=(3, 5))
    root, G = rng.normal(size=(4, 4)), rng.normal(size=(5, 4))
    root = root @ root.T + np.eye(4)
    found = solve_qp(*map(lib.asarray, (root, q, G, h)), lb=-0.5)
    x, y = lib.to_numpy(found.x).astype(float), lib.to_numpy(found.multipliers).astype(float)
    z = lib.to_numpy(found.bound_multipliers).astype(float)
    tol = 1e-10 if lib.has_float64 else 1e-4
    np.testing.assert_allclose(x @ root + q, y @ G + z, rtol=tol, atol=tol)
    room = h - x @ G.T
    assert np.min(room) > -tol and np.max(y) <= 0 and np.max(np.abs(y * room)) < tol
    assert np.min(x) >= -0.5 and np.min(z) >= 0 and np.max(np.abs(z * (x + 0.5))) < tol
    assert found.x.shape == (2, 3, 4) and found.status.shape == (2, 3)


def test_as_scipy(rng: Any) -> None:
    n, m = 3, 4
    for _ in range(6):
        root = rng.normal(size=(n, n))
        P, q = root @ root.T + 0.1 * np.eye(n), rng.normal(size=n)
        G, h = rng.normal(size=(m, n)), rng.uniform(size=m)
        rows = {"type": "ineq", "fun": lambda x, G=G, h=h: h - G @ x, "jac": lambda x, G=G: -G}
        best = scipy.optimize.minimize(
            lambda x, P=P, q=q: 0.5 * x @ P @ x + q @ x, np.zeros(n), method="SLSQP",
            jac=lambda x, P=P, q=q: P @ x + q, constraints=[rows], options={"ftol": 1e-14},
        )  # fmt: skip
        for method in METHODS:
            found = solve_qp(P, q, G, h, method=method)
            np.testing.assert_allclose(found.fun, best.fun, rtol=1e-9, atol=1e-9)
        best = scipy.optimize.linprog(q, A_ub=G, b_ub=h, bounds=(-5.0, 5.0))
        for zero in (None, np.zeros((n, n))):
            found = solve_qp(zero, q, G, h, lb=-5.0, ub=5.0)
            np.testing.assert_allclose(found.fun, best.fun, rtol=1e-9)
            np.testing.assert_allclose(found.multipliers, best.ineqlin.marginals, atol=1e-8)


def test_every_problem_has_its_status(lib: Any) -> None:
    matrices = np.stack([P, P, 0 * P, -P, P, 0 * P + np.diag([1.0, 0.0])])
    q = np.asarray([[1.0, 1.0]] * 6)
    G, h = np.asarray([[[1.0, 1.0], [-1.0, -1.0]]] * 6), np.asarray([[2.0, 1.0]] * 6)
    h[1] = [1.0, -2.0]
    q[4, 0] = np.nan
    q[2] = [1.0, -1.0]  # falls along (-1, 1)
    found = solve_qp(*map(lib.asarray, (matrices, q, G, h)))
    assert lib.to_numpy(found.status).tolist() == [0, 2, 3, 6, 5, 0]
    near(lib, found.x[0, :], [-0.5, -0.5])
    near(lib, found.x[5, :], [0.0, -1.0], 1e-6)
    assert lib.to_numpy(found.constr_violation)[1] > 0.1
    found = solve_qp(*map(lib.asarray, (matrices, q, G, h)), method="active-set")
    assert lib.to_numpy(found.status).tolist() == [0, 2, 6, 6, 5, 6]
    assert "semidefinite" in found.summary()


def test_derivatives_of_every_argument(rng: Any) -> None:
    n = 3
    root = rng.normal(size=(n, n))
    data = {
        "P": root @ root.T + np.eye(n),
        "q": rng.normal(size=n),
        "G": rng.normal(size=(2, n)),
        "h": np.asarray([-1.0, 9.0]),
        "A": rng.normal(size=(1, n)),
        "b": np.asarray([0.5]),
        "lb": np.asarray([-3.0, -3.0, 0.3]),
        "ub": np.asarray([5.0, 5.0, 5.0]),
    }
    weights = rng.normal(size=n), rng.normal(size=3), rng.normal(size=n)

    def told(method: str, **some: Any) -> Any:
        found = solve_qp(**(data | some), method=method)
        assert found.status == 0
        parts = (found.x, found.multipliers, found.bound_multipliers)
        return sum((w * v).sum() for w, v in zip(weights, parts, strict=True)) + found.fun

    found = solve_qp(**data)
    assert found.multipliers[0] < -0.01 and found.multipliers[1] == 0
    for method in METHODS:
        for name, value in data.items():
            slope = grad(lambda v, name=name, method=method: told(method, **{name: v}))(value)
            turn = rng.normal(size=value.shape)
            step = 1e-5
            ends = (told(method, **{name: value + s * turn}) for s in (step, -step))
            up, down = ends
            np.testing.assert_allclose(
                np.sum(slope * turn), (up - down) / (2 * step), rtol=2e-5, atol=1e-6
            )


def test_no_success_where_single_precision_hides_a_broken_row() -> None:
    """These rows contradict each other, by 0.07 (double precision: status 2)."""
    P = [[8.36, -5.2, 0.57, -3.0], [-5.2, 5.66, 0.78, 3.68], [0.57, 0.78, 0.63, 1.03]]
    P.append([-3.0, 3.68, 1.03, 5.65])
    q, h = [-0.58, 1.75, -0.61, 1.09], [0.45, -0.2, 0.1, 0.48, 0.59, -0.22]
    G = [[0.09, 0.99, 0.85, 0.47], [0.69, 1.75, -1.28, 0.05], [-0.87, -1.01, 0.74, -1.01]]
    G += [[0.8, 0.05, 0.67, 1.31], [1.46, 0.47, 0.7, 0.95], [0.52, -1.13, -0.06, 1.86]]
    data = [np.asarray(v, "f4") for v in (P, q, G, h)]
    assert solve_qp(*data, method="active-set").status == 4
    assert solve_qp(*data).status == 2 == solve_qp(P, q, G, h).status


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e-8, 1.0), (1e-4, 1e6), (1e6, 1e-3)])
@pytest.mark.parametrize("method", METHODS)
def test_derivatives_in_any_units(method: str, units: tuple[float, float]) -> None:
    """A row of small numbers, or one beside large matrices, is active all the same."""
    of_row, of_matrix = units

    def solution(q: Any) -> Any:
        rows = np.full((1, 2), of_row), np.asarray([of_row])
        return solve_qp(of_matrix * 2.0 * np.eye(2), of_matrix * q, *rows, method=method).x

    slopes = jacrev(solution)(np.asarray([-2.0, -5.0]))
    np.testing.assert_allclose(slopes, [[-0.25, 0.25], [0.25, -0.25]], atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_in_units_of_unknowns(method: str, rng: Any) -> None:
    """Unknowns, rows and the objective in units of 1e-6 to 1e6, against all of them in 1."""
    for _ in range(4):
        root, q, G = rng.normal(size=(3, 3)), 2 * rng.normal(size=3), rng.normal(size=(3, 3))
        P, h, lb = root @ root.T + np.eye(3), rng.uniform(0.1, 0.8, 3), np.asarray([-1.0, -2, -0.4])
        s, f, r = 10 ** rng.uniform(-6, 6, 3), 10 ** rng.uniform(-4, 4), 10 ** rng.uniform(-4, 4, 3)

        def plain(q: Any, P: Any = P, G: Any = G, h: Any = h, lb: Any = lb) -> Any:
            return solve_qp(P, q, G, h, lb=lb).x

        def other(
            q: Any, P: Any = f * P / s / s[:, None], G: Any = r[:, None] * G / s, h: Any = r * h,
            lb: Any = lb * s, to: Any = f / s,
        ) -> Any:  # fmt: skip
            return solve_qp(P, to * q, G, h, lb=lb, method=method).x

        np.testing.assert_allclose(other(q) / s, plain(q), atol=1e-6)
        np.testing.assert_allclose(jacrev(other)(q) / s[:, None], jacrev(plain)(q), atol=1e-5)


def test_second_derivatives_and_dependent_rows() -> None:
    # The nearest point to (c, 0) on or below x = 1, which is stated three times: (1 - c)^2.
    G = np.asarray([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0]])

    def cost(c: Any) -> Any:
        h = c[1] * np.asarray([1.0, 2.0, 1.0])
        q = -2 * c[:1] * np.asarray([1.0, 0.0])
        return solve_qp(P, q, G, h).fun + c[0] * c[0]

    c = np.asarray([3.0, 1.0])
    np.testing.assert_allclose(grad(cost)(c), [4.0, -4.0], rtol=1e-10)
    np.testing.assert_allclose(jacobian(grad(cost))(c), [[2.0, -2.0], [-2.0, 2.0]], rtol=1e-9)
    # Two equalities that say the same: multipliers share the change.
    A = np.asarray([[1.0, 1.0], [1.0, 1.0]])

    def moved(b: Any) -> Any:
        return solve_qp(P, np.zeros(2), A=A, b=b * np.ones(2)).x[0]

    np.testing.assert_allclose(grad(moved)(np.asarray(1.0)), 0.5, rtol=1e-10)


def test_bad_arguments() -> None:
    q = np.zeros(2)
    with pytest.raises(ShapeError, match="P must have shape"):
        solve_qp(np.eye(3), q)
    with pytest.raises(ShapeError, match="belong together"):
        solve_qp(P, q, G=np.ones((1, 2)))
    with pytest.raises(ShapeError, match="h must have shape"):
        solve_qp(P, q, G=np.ones((1, 2)), h=np.ones(2))
    with pytest.raises(ArgumentError, match="method"):
        solve_qp(P, q, method="ellipsoid")
    with pytest.raises(ArgumentError, match="maxiter"):
        solve_qp(P, q, maxiter=0)
    assert solve_qp(P, q, lb=1.0, ub=0.0).status == 2
