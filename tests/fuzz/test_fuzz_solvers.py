"""Solvers on random problems, against SciPy and against known solutions."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.optimize import (
    find_root,
    linear_sum_assignment,
    lsq_linear,
    minimize,
    minimize_scalar,
    nnls,
    root_scalar,
)

pytestmark = [
    pytest.mark.full,
    pytest.mark.xp_skip({"dask": "the iterations look at values"}),
]


@pytest.fixture
def cases(lib: Any, leave_out: Any) -> Any:
    """Generators of random numbers, many on NumPy and some elsewhere."""
    leave_out("float64", not lib.has_float64)

    def some(many: int) -> Any:
        count = many if lib.library == "numpy" else max(many // 20, 2)
        return [np.random.default_rng(seed) for seed in range(count)]

    return some


def close(lib: Any, got: Any, expected: Any, tol: float = 1e-7) -> None:
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tol, atol=tol)


def matrix(rng: Any) -> tuple[Any, Any]:
    m, n = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    a = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-3, 4)
    if rng.random() < 0.2:
        a[:, int(rng.integers(n))] = 0.0
    if rng.random() < 0.2:
        a = np.round(a)
    b = rng.normal(size=m) * 10.0 ** rng.integers(-3, 4)
    return (a[::-1], b[::-1]) if rng.random() < 0.3 else (a, b)


def test_nnls(lib: Any, cases: Any) -> None:
    for rng in cases(1000):
        a, b = matrix(rng)
        x, norm = nnls(lib.asarray(a.copy()), lib.asarray(b.copy()))
        expected = scipy.optimize.nnls(a, b)[1]
        assert np.all(lib.to_numpy(x) >= 0)
        np.testing.assert_allclose(
            float(norm), expected, rtol=1e-6, atol=1e-7 * np.linalg.norm(b), err_msg=f"{a} {b}"
        )


def test_lsq_linear(lib: Any, cases: Any) -> None:
    for rng in cases(500):
        a, b = matrix(rng)
        n = a.shape[1]
        lower = np.where(rng.random(n) < 0.3, -np.inf, rng.normal(size=n) - 1)
        upper = np.where(rng.random(n) < 0.3, np.inf, np.maximum(lower, -3) + rng.random(n) + 0.1)
        found = lsq_linear(
            lib.asarray(a.copy()), lib.asarray(b.copy()), (lib.asarray(lower), lib.asarray(upper))
        )
        expected = scipy.optimize.lsq_linear(a, b, (lower, upper), tol=1e-14, method="bvls")
        x, mask = lib.to_numpy(found.x), lib.to_numpy(found.active_mask)
        assert np.all((x >= lower) & (x <= upper))
        assert np.all(x[mask < 0] == lower[mask < 0]) and np.all(x[mask > 0] == upper[mask > 0])
        assert float(found.cost) <= expected.cost * (1 + 1e-6) + 1e-13 * (b @ b)


def test_assignment(lib: Any, cases: Any) -> None:
    for rng in cases(1000):
        shape = tuple(int(n) for n in rng.integers(0, 7, 2))
        cost = rng.normal(size=shape) if rng.random() < 0.5 else rng.integers(0, 4, shape) * 1.0
        if rng.random() < 0.3:
            cost = np.where(rng.random(shape) < 0.1, 1e200, cost)
        largest = bool(rng.random() < 0.5)
        rows, columns = linear_sum_assignment(lib.asarray(cost), maximize=largest)
        rows, columns = lib.to_numpy(rows), lib.to_numpy(columns)
        expected = scipy.optimize.linear_sum_assignment(cost, maximize=largest)
        assert len(set(rows)) == len(set(columns)) == len(rows) == min(shape)
        np.testing.assert_allclose(cost[rows, columns].sum(), cost[expected].sum(), rtol=1e-12)


@pytest.mark.parametrize("method", ["brentq", "bisect"])
def test_roots_in_brackets(lib: Any, cases: Any, method: str) -> None:
    for rng in cases(200):
        c = float(rng.normal() * 10.0 ** rng.integers(-5, 4))
        low, high = c - rng.random() * 10.0 ** rng.integers(-3, 3), c + rng.random() + 1e-3

        def fun(x: Any, c: float = c) -> Any:
            return (x - c) ** 3 + 0.5 * (x - c)

        for found in (
            root_scalar(fun, bracket=(lib.asarray(low), lib.asarray(high)), method=method).root,
            find_root(fun, (lib.asarray(low), lib.asarray(high))).x,
        ):
            np.testing.assert_allclose(float(found), c, rtol=1e-10, atol=1e-10)


def test_minima_of_one_variable(lib: Any, cases: Any) -> None:
    for rng in cases(200):
        c, low = rng.normal(size=2)
        high = low + rng.random() * 3 + 0.01

        def fun(x: Any, c: float = float(c)) -> Any:
            return (x - c) ** 2 + 0.1 * (x - c) ** 4

        found = minimize_scalar(
            fun, bounds=(lib.asarray(low), lib.asarray(high)), options={"xatol": 1e-9}
        )
        np.testing.assert_allclose(float(found.x), np.clip(c, low, high), atol=1e-6)


@pytest.mark.parametrize("method", ["BFGS", "CG", "trust-ncg"])
def test_minimize(lib: Any, cases: Any, method: str) -> None:
    """Convex functions with known minima."""
    for rng in cases(60):
        p = int(rng.integers(1, 4))
        c, scale = rng.normal(size=p), 10.0 ** rng.uniform(-1, 1, p)
        start = rng.normal(size=p)
        weights, aim = lib.asarray(scale), lib.asarray(c)

        def fun(x: Any, weights: Any = weights, aim: Any = aim) -> Any:
            xp = likewise.array_namespace(x)
            return xp.sum(((x - aim) ** 2 + 0.1 * (x - aim) ** 4) * weights)

        found = minimize(fun, lib.asarray(start), method=method, tol=1e-8)
        close(lib, found.x, c, 1e-6)


def bounded_case(rng: Any) -> tuple[Any, Any, Any, Any]:
    """A convex function of few variables, of which the minimum is at bounds, near them, or free."""
    p = int(rng.integers(1, 5))
    root = rng.normal(size=(p, p))
    matrix, c = root @ root.T + 0.3 * np.eye(p), 2 * rng.normal(size=p)
    bend = float(rng.choice([0.0, 0.1, 1.0]))
    near = rng.choice([0.0, 1e-3, 0.1, 1.0], size=p) * rng.random(p)
    lower = c + 0.3 * rng.normal(size=p) - near
    upper = lower + rng.choice([1e-3, 0.1, 1.0, 5.0], size=p)
    lower = np.where(rng.random(p) < 0.25, -np.inf, lower)
    upper = np.where(rng.random(p) < 0.25, np.inf, upper)

    def fun(x: Any, matrix: Any = matrix, c: Any = c) -> Any:
        d = x - c
        square = likewise.array_namespace(x).sum(d * d)
        return d @ (matrix @ d) + bend * square * square

    start = np.clip(3 * rng.normal(size=p), lower, upper)
    return fun, (matrix, c), start, np.stack([lower, upper], axis=-1)


@pytest.mark.parametrize("method", ["L-BFGS-B", "Nelder-Mead"])
@pytest.mark.parametrize("tol", [None, 1e-8])
@pytest.mark.filterwarnings("ignore")
def test_minimize_within_bounds(lib: Any, cases: Any, method: str, tol: Any) -> None:
    """As near to the minimum as SciPy comes by the same method, and with its status."""
    for seed, rng in enumerate(cases(75)):
        fun, data, start, box = bounded_case(rng)
        jac = likewise.transforms.grad(fun)
        given = {"jac": jac} if method == "L-BFGS-B" else {}
        theirs = scipy.optimize.minimize(fun, start, method=method, bounds=box, tol=tol, **given)
        exact = scipy.optimize.minimize(
            fun, start, jac=jac, bounds=box, options={"ftol": 1e-16, "gtol": 1e-12}
        )
        args = tuple(lib.asarray(a.copy()) for a in data)
        found = minimize(
            fun, lib.asarray(start.copy()), args, method, bounds=lib.asarray(box.copy()), tol=tol
        )
        x = lib.to_numpy(found.x)
        assert np.all((x >= box[:, 0]) & (x <= box[:, 1]))
        ours, allowed = (np.max(np.abs(v - exact.x)) for v in (x, theirs.x))
        assert int(found.status) == theirs.status, seed
        # Where SciPy stops by luck at the very minimum, what the tolerances leave is enough.
        assert ours <= 10 * allowed + (1e-4 if tol is None else 1e-5), seed
