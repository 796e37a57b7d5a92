"""Random constrained problems: success only at feasible points where the gradient is explained."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import array_namespace
from likewise.optimize import Bounds, LinearConstraint, NonlinearConstraint, minimize

INF = float("inf")


class Row(NamedTuple):
    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]  # by hand, of NumPy's x (n,)
    low: float
    high: float
    matrix: Any  # (n,) of a linear one, or None


class Problem(NamedTuple):
    fun: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    rows: list[Row]
    lower: Any
    upper: Any
    starts: Any  # (3, n), the second one feasible
    feasible: bool
    as_dictionaries: bool


def line(a: list[float], x: Any) -> Any:
    return sum((c * x[..., k] for k, c in enumerate(a[1:], 1)), a[0] * x[..., 0])


def random_row(rng: Any, inside: Any) -> Row:
    """A row that `inside` fulfils, often on its edge."""
    n = inside.size
    kind = rng.choice(["line", "ball", "product", "exponential"])
    a, i, j = rng.normal(size=n), int(rng.integers(n)), int(rng.integers(n))
    listed, e = a.tolist(), np.eye(n)
    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    if kind == "line":
        value, slope = (lambda x: line(listed, x)), (lambda x: a)
    elif kind == "ball":
        centre = inside + a
        value, slope = (
            (lambda x: sum((x[..., k] - float(c)) ** 2 for k, c in enumerate(centre))),
            (lambda x: 2 * (x - centre)),
        )
    elif kind == "product":
        value, slope = (
            (lambda x: line(listed, x) + x[..., i] * x[..., j]),
            (lambda x: a + x[j] * e[i] + x[i] * e[j]),
        )
    else:
        value, slope = (
            (lambda x: line(listed, x) + array_namespace(x).exp(0.5 * x[..., i])),
            (lambda x: a + 0.5 * np.exp(0.5 * x[i]) * e[i]),
        )
    at, room = float(value(inside)), float(rng.choice([0.0, 0.5, 2.0]))
    sides = [(at, at), (at - room, INF), (-INF, at + room), (at - room - 0.1, at + 0.5)]
    low, high = sides[rng.choice(4, p=[0.25, 0.3, 0.3, 0.15])]
    return Row(value, slope, low, high, a if kind == "line" else None)


def random_problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    inside = rng.normal(size=n) * rng.choice([0.3, 1.0, 3.0])
    a, kind = rng.normal(size=(n, n)), rng.choice(["convex", "saddle", "waves", "flat"])
    q = {"convex": a @ a.T + 0.1 * np.eye(n), "flat": 0 * a}.get(kind, (a + a.T) / 2)
    c, w = rng.normal(size=n) * rng.choice([0.1, 1.0, 10.0]), rng.normal(size=n)
    fourth, wave = 0.1 * (kind != "convex"), 0.5 * (kind == "waves")
    scale = float(rng.choice([1.0, 1.0, 100.0, 0.01]))

    def fun(x: Any) -> Any:
        f = line(c.tolist(), x) + wave * array_namespace(x).sin(line((3 * w).tolist(), x))
        for k in range(n):
            f = f + 0.5 * x[..., k] * line(q[k].tolist(), x) + fourth * x[..., k] ** 4
        return scale * f

    def slope(x: Any) -> Any:
        return scale * (c + q @ x + 4 * fourth * x**3 + 3 * wave * np.cos(3 * w @ x) * w)

    rows: list[Row] = []
    for _ in range(rng.integers(1, 4)):
        row = random_row(rng, inside)
        if row.low == row.high and sum(r.low == r.high for r in rows) >= n:
            row = row._replace(high=INF)
        rows.append(row)
    lower, upper = np.full(n, -INF), np.full(n, INF)
    if rng.random() < 0.5:
        room = rng.choice([0.0, 0.5, 2.0], size=(2, n))
        lower = np.where(rng.random(n) < 0.5, inside - room[0], lower)
        upper = np.where(rng.random(n) < 0.5, inside + room[1], upper)
    feasible = bool(rng.random() < 0.85)
    if not feasible:
        rows.append(Row(lambda x: line(w.tolist(), x), lambda x: w, 1.0, INF, w))
        rows.append(Row(lambda x: line(w.tolist(), x), lambda x: w, -INF, -1.0, w))
    start = inside + rng.normal(size=n) * rng.choice([0.1, 1.0, 5.0])
    starts = np.stack([start, inside, start + 0.3])
    return Problem(fun, slope, rows, lower, upper, starts, feasible, bool(rng.random() < 0.3))


def constraints(problem: Problem, make: Any) -> list[Any]:
    found: list[Any] = []
    for value, _, low, high, matrix in problem.rows:
        if not problem.as_dictionaries and matrix is not None:
            found.append(LinearConstraint(make(matrix[None, :]), low, high))
        elif not problem.as_dictionaries:
            found.append(NonlinearConstraint(value, low, high))
        elif low == high:
            found.append({"type": "eq", "fun": lambda x, v=value, s=low: v(x) - s})
        else:
            if low > -INF:
                found.append({"type": "ineq", "fun": lambda x, v=value, s=low: v(x) - s})
            if high < INF:
                found.append({"type": "ineq", "fun": lambda x, v=value, s=high: s - v(x)})
    return found


def solve(problem: Problem, method: str, x0: Any, make: Any = np.asarray) -> Any:
    bounds = None
    if np.isfinite([problem.lower, problem.upper]).any():
        bounds = Bounds(make(problem.lower), make(problem.upper))
    known = constraints(problem, make)
    return minimize(problem.fun, make(x0), method=method, bounds=bounds, constraints=known)


def judged(problem: Problem, x: Any) -> tuple[float, float]:
    """The largest violation, and what near rows don't explain of the gradient."""
    g = problem.slope(x)
    sides = [(r.value(x), r.slope(x), r.low, r.high) for r in problem.rows]
    sides += list(zip(x, np.eye(x.size), problem.lower, problem.upper, strict=True))
    outside = max(max(low - v, v - high, 0.0) for v, _, low, high in sides)
    columns, ends = [], []
    for v, a, low, high in sides:
        near = 1e-3 * (1 + np.sum(np.abs(a * x)))
        below, above = v - low <= near, high - v <= near
        if below or above:
            columns.append(a / max(float(np.linalg.norm(a)), 1e-12))
            ends.append((-INF if above else 0.0, INF if below else 0.0))
    if columns:
        signs = tuple(np.transpose(ends))
        g = scipy.optimize.lsq_linear(np.stack(columns, axis=1), g, signs, tol=1e-13).fun
    return outside, float(np.max(np.abs(g)))


def check(problem: Problem, found: Any) -> None:
    x = np.reshape(np.asarray(found.x), (-1, problem.starts.shape[1]))
    for v, status, success in zip(x, *map(np.ravel, (found.status, found.success)), strict=True):
        assert bool(success) == (status == 0)
        if success:
            outside, rest = judged(problem, v)
            size = 1 + float(np.max(np.abs(problem.slope(v))))
            assert problem.feasible and outside < 1e-5 * (1 + np.max(np.abs(v)) ** 2)
            assert rest < 0.03 * size
        elif not problem.feasible:
            assert status == 5


@pytest.mark.parametrize("seed", range(10))
def test_slsqp(seed: int) -> None:
    """One problem by the row and by the body, and a batch of three starts."""
    problem = random_problem(seed)
    check(problem, solve(problem, "SLSQP", problem.starts[0]))
    if seed in (0, 1):
        check(problem, solve(problem, "SLSQP", problem.starts))
        with likewise.prefer("generic"):
            check(problem, solve(problem, "SLSQP", problem.starts[0]))


@pytest.mark.parametrize("seed", [1, 2])
def test_trust_constr(seed: int) -> None:
    problem = random_problem(seed)
    check(problem, solve(problem, "trust-constr", problem.starts[0]))


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "seed"),
    [("SLSQP", k) for k in range(100, 140)] + [("trust-constr", k) for k in range(100, 106)],
)
def test_more(method: str, seed: int) -> None:
    problem = random_problem(seed)
    check(problem, solve(problem, method, problem.starts[0]))
    check(problem, solve(problem, method, problem.starts))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "library",
    ["array_api_strict", pytest.param("torch", marks=pytest.mark.needs("torch"))],
)
def test_libraries(library: str, seed: int) -> None:
    xp, problem = importlib.import_module(library), random_problem(seed)
    found = solve(problem, "SLSQP", problem.starts, lambda v: xp.asarray(np.asarray(v)))
    check(problem, found)
