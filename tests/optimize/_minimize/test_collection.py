"""The collection of Hock and Schittkowski, and constrained problems of CUTEst's, as they are typed."""

import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise import array_namespace, grad, jacfwd, vjp
from likewise.optimize import Bounds, minimize
from likewise.testing._variants import VARIANTS

sys.path.insert(0, str(Path(__file__).parent))
import cutest
from hock_schittkowski import PROBLEMS, Problem

# Each takes SciPy's SLSQP to another minimum than the book's, or to none, from the book's start.
ELSEWHERE = {2, 13, 16, 20, 25, 33, 54, 55, 59, 61, 84, 99, 103, "BT1", "BT7"}
QUICK = [7, 14, 24, 43, 71, 74, 83, 104, 113, "CB2", "BT12"]


def by_scipy(problem: Problem, ftol: float = 1e-12) -> Any:
    rows = [{**c, "jac": jacfwd(c["fun"])} for c in problem.constraints()]
    bounds = scipy.optimize.Bounds(problem.lower, problem.upper) if problem.bounded else None
    with np.errstate(all="ignore"):
        return scipy.optimize.minimize(
            problem.fun,
            np.asarray(problem.x0),
            jac=grad(problem.fun),
            method="SLSQP",
            bounds=bounds,
            constraints=rows,
            options={"ftol": ftol, "maxiter": 1000},
        )


def is_as_published(problem: Problem) -> bool:
    found = by_scipy(problem)
    scale = max(1.0, abs(problem.f))
    # SciPy ends with a violation of 1e-5 at problems whose rows are large, such as 101 to 103.
    return bool(
        abs(found.fun - problem.f) < 1e-6 * scale + 100 * problem.violation(found.x) * scale
        and problem.violation(found.x) < 1e-4
    )


def test_problems_are_as_published() -> None:
    assert all(is_as_published(PROBLEMS[name]) for name in QUICK)
    assert len([name for name in PROBLEMS if isinstance(name, int)]) == 105


@pytest.mark.full
def test_all_problems_are_as_published() -> None:
    found = {name for name, problem in PROBLEMS.items() if is_as_published(problem)}
    assert set(PROBLEMS) - found <= ELSEWHERE


@pytest.mark.parametrize("hard", cutest.HARD, ids=lambda hard: hard.problem.name)
def test_problems_that_have_a_minimum_have_this_one(hard: cutest.Hard) -> None:
    if hard.kind == "solved" and "twice" not in hard.problem.name:  # SciPy refuses dependent rows
        found = by_scipy(hard.problem)
        assert abs(found.fun - hard.problem.f) < 1e-8
        assert hard.problem.violation(found.x) < 1e-8
    elif hard.kind == "infeasible":
        assert not by_scipy(hard.problem).success


STATUSES = {"infeasible": 5, "unbounded": 4, "solved": 0}
TOLERANCES: dict[str, dict[str, Any]] = {
    "SLSQP": {"ftol": 1e-12},
    "trust-constr": {"maxiter": 300},
}
LONG = ("circle", "sides", "bounds", "as a bound", "everything", "programme", "logarithm")
ENDS = [
    pytest.param(
        method,
        case,
        id=f"{method}, {case.problem.name}",
        marks=[pytest.mark.full]
        if method == "trust-constr" and any(word in case.problem.name for word in LONG)
        else [],
    )
    for method in TOLERANCES
    for case in cutest.HARD
]


@pytest.mark.parametrize(("method", "case"), ENDS)
def test_hard_problems_end_with_their_status(method: str, case: cutest.Hard) -> None:
    problem = case.problem
    found = minimize(
        problem.fun,
        np.asarray(problem.x0, dtype=float),
        method=method,
        bounds=Bounds(problem.lower, problem.upper) if problem.bounded else None,
        constraints=problem.constraints(),
        options=TOLERANCES[method],
    )
    assert int(found.status) == STATUSES[case.kind]
    assert bool(found.success) == (case.kind == "solved")
    if case.kind == "solved":
        assert abs(float(found.fun) - problem.f) < 1e-7
        assert problem.violation(np.asarray(found.x)) < 1e-8


# -- derivatives of solutions ----------------------------------------------------------------------

# With strict complementarity, independent active rows and a regular matrix of the conditions.
REGULAR: list[int | str] = [10, 14, 35, 65, 71, 12, 18, 22, 24, 29, 31, 34, 36, 40, 43, 44, 53]
REGULAR += [63, 66, 73, 76, 78, 80, 83, 86, 100, 104, 113, "BT4", "CB2", "MIFFLIN1"]
# Those that run by default on libraries but NumPy; JAX compiles each for half a minute.
FEW: dict[str, tuple[int, ...]] = {
    "array_api_strict": (10, 14, 35, 65, 71),
    "torch": (10, 14, 35, 65, 71),
    "jax.numpy": (10,),
}


def box(problem: Problem) -> tuple[list[float], list[float]]:
    return [float(v) for v in problem.lower], [float(v) for v in problem.upper]


def perturbed(problem: Problem, slope: Any, equal: Any, least: Any, start: Any) -> Any:
    """The minimum where a linear term is added and the right-hand sides are moved."""
    rows: list[dict[str, Any]] = []
    if problem.counts[0]:
        rows.append({"type": "eq", "fun": lambda x: problem.equal(x) - equal})
    if problem.counts[1]:
        rows.append({"type": "ineq", "fun": lambda x: problem.least(x) - least})
    bounds = None
    if problem.bounded:
        xp = array_namespace(start)
        bounds = Bounds(*(xp.asarray(side, dtype=start.dtype) for side in box(problem)))
    found = minimize(
        lambda x: problem.fun(x) + array_namespace(x).sum(x * slope),
        start,
        method="SLSQP",
        bounds=bounds,
        constraints=rows,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


def differ(name: int | str, make: Any = np.asarray) -> tuple[float, float]:
    """A random cotangent times the derivative along a random direction, and by differences.

    The differences are of NumPy's solutions.
    """
    problem, rng = PROBLEMS[name], np.random.default_rng(1)
    n, (equal, least) = len(problem.x0), problem.counts
    data = np.zeros(n), np.zeros(equal), np.zeros(least)
    start = np.asarray(perturbed(problem, *data, np.asarray(problem.x0)))
    size = 1 + np.abs(start)
    sizes = (
        1 / size if problem.f == 0 else np.max(np.abs(grad(problem.fun)(start))) / size,
        np.abs(jacfwd(problem.equal)(start)) @ size if equal else data[1],
        np.abs(jacfwd(problem.least)(start)) @ size if least else data[2],
    )
    way = [rng.normal(size=d.shape) * s for d, s in zip(data, sizes, strict=True)]
    cotangent = rng.normal(size=n) / size

    def along(h: float) -> Any:
        return cotangent @ np.asarray(perturbed(problem, *(h * w for w in way), start))

    h = 1e-3
    by_differences = (8 * (along(h) - along(-h)) - along(2 * h) + along(-2 * h)) / (12 * h)
    _, pull = vjp(lambda *d: perturbed(problem, *d, make(start)), *(make(d) for d in data))
    slopes = [np.asarray(g) for g in pull(make(cotangent))]
    by_rule = sum(np.sum(w * g) for w, g in zip(way, slopes, strict=True))
    return float(by_rule), float(by_differences)


@pytest.mark.parametrize("name", REGULAR)
def test_derivatives_of_solutions(name: int | str) -> None:
    by_rule, by_differences = differ(name)
    assert abs(by_rule - by_differences) < 1e-5 * (1 + abs(by_differences))


@pytest.mark.parametrize(
    ("name", "library"),
    [
        pytest.param(
            *(name, library),
            marks=[pytest.mark.full] * (name not in FEW[library])
            + [pytest.mark.needs(word) for word in ("jax", "torch") if word in library],
        )
        for library in FEW
        for name in REGULAR
    ],
)
def test_derivatives_of_solutions_of_libraries(name: int | str, library: str) -> None:
    xp = importlib.import_module(library)
    with VARIANTS["jax"].active() if library == "jax.numpy" else contextlib.nullcontext():
        by_rule, by_differences = differ(name, lambda a: xp.asarray(np.asarray(a)))
    assert abs(by_rule - by_differences) < 1e-5 * (1 + abs(by_differences))


def test_derivatives_where_the_active_set_changes() -> None:
    """On either side the one of that side; where they meet, there is no derivative, and one of both."""

    def nearest(t: Any) -> Any:
        """The point of a <= 0 that is nearest to (t, 1): max(t, 0) is what is cut off."""
        row = {"type": "ineq", "fun": lambda x: -x[..., 0]}
        found = minimize(
            lambda x: (x[..., 0] - t) ** 2 + (x[..., 1] - 1) ** 2,
            np.asarray([-1.0, 0.0]),
            method="SLSQP",
            constraints=[row],
            options={"ftol": 1e-14},
        )
        return found.x[0]

    slopes = [float(grad(nearest)(np.asarray(t))) for t in (-0.5, -1e-3, 1e-3, 0.5)]
    np.testing.assert_allclose(slopes, [1, 1, 0, 0], atol=1e-9)
    assert -1e-9 <= float(grad(nearest)(np.asarray(0.0))) <= 1 + 1e-9
    for side, expected in ((-1, 1.0), (1, 0.0)):  # one-sided differences at the meeting point
        h = 1e-4 * side
        assert abs((nearest(np.asarray(h)) - nearest(np.asarray(0.0))) / h - expected) < 1e-6
