"""COBYLA and COBYQA: published minima, statuses, derivatives."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.optimize import minimize
from likewise.transforms import grad

from .classical import LIMITED, PROBLEMS


@pytest.mark.share(2)
@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_constrained(name: str, method: str) -> None:
    """The published minimum, within constraints, by about as many values as SciPy."""
    fun, start, bounds, constraints, minimum = LIMITED[name]
    given: dict[str, Any] = {"method": method, "bounds": bounds, "constraints": constraints}
    theirs = scipy.optimize.minimize(fun, start, **given)
    x0 = np.asarray([start, start])
    found = minimize(fun, x0, **given)
    assert np.all(found.success) and np.all(found.constr_violation <= 2e-8)
    tol = 1e-6 if method == "COBYLA" else 1e-8
    np.testing.assert_allclose(found.fun, minimum, atol=tol * (1 + abs(minimum)))
    proof = 0 if method == "COBYLA" else 4 * len(start)  # two sets of points about the end
    assert found.nfev[0] <= 1.6 * theirs.nfev + 10 + proof
    if bounds is not None:
        lower, upper = (np.asarray(side, dtype=float) for side in zip(*bounds, strict=True))
        assert np.all((found.x >= np.nan_to_num(lower)) & ~(found.x > upper))


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_constraints_that_contradict(method: str, lib: Any) -> None:
    """No success where nothing fulfils them; other problems of the batch are unharmed."""
    if lib.library == "dask" or (method == "COBYQA" and not hasattr(lib.xp, "linalg")):
        return
    sides = lib.asarray([[-1.0], [2.0]])  # of x^2 + y^2, at most
    limit = scipy.optimize.NonlinearConstraint(
        lambda x: x[0] * x[0] + x[1] * x[1], lib.asarray([-np.inf]), sides
    )
    found = minimize(
        lambda x: x[0] + x[1], lib.asarray([[2.0, 2.0]] * 2), method=method, constraints=limit
    )
    assert lib.to_numpy(found.status).tolist() == [5, 0]
    np.testing.assert_allclose(
        lib.to_numpy(found.x)[1], [-1, -1], atol=1e-3 if lib.has_float64 else 2e-2
    )
    near = 1e-3 if lib.has_float64 else 5e-2
    np.testing.assert_allclose(lib.to_numpy(found.multipliers)[1], [-0.5], atol=near)


@pytest.mark.parametrize("way", [minimize, minimize.generic])
@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_ends_early(method: str, way: Any) -> None:
    """At a target, at a number of evaluations; with a variable that is fixed."""
    fun, start = PROBLEMS["Rosenbrock"]
    x0 = np.asarray(start)
    low = way(fun, x0, method=method, options={"f_target": 4.5})
    assert low.success and float(low.fun) <= 4.5 and low.nfev < 80
    count = {"COBYLA": "maxiter", "COBYQA": "maxfev"}[method]
    short = way(fun, x0, method=method, options={count: 8})
    assert short.status == 1 and short.nfev == 8 and np.isfinite(short.fun)
    fixed = way(fun, x0, method=method, bounds=[(-1.2, -1.2), (0, 3)], options={})
    assert fixed.success
    np.testing.assert_allclose(fixed.x, [-1.2, 1.44], atol=1e-4)


@pytest.mark.parametrize(
    ("name", "multipliers"), [("24", [0.75**0.5, 0.0, 0.5]), ("43", [1.0, 0.0, 2.0])]
)
@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_one_problem_goes_as_scipys(name: str, multipliers: Any, method: str) -> None:
    """By SciPy's routine, with multipliers, which SciPy doesn't give."""
    fun, start, bounds, constraints, minimum = LIMITED[name]
    given: dict[str, Any] = {"method": method, "bounds": bounds, "constraints": constraints}
    found = minimize(fun, np.asarray(start), **given)
    theirs = scipy.optimize.minimize(fun, start, **given)
    assert found.success and found.constr_violation <= 2e-8 and found.nfev == theirs.nfev
    np.testing.assert_allclose(found.fun, minimum, rtol=1e-6)
    np.testing.assert_allclose(found.multipliers, multipliers, atol=1e-3)
    np.testing.assert_allclose(found.bound_multipliers, 0.0, atol=1e-6)


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_a_search_within_a_search(method: str) -> None:
    """SciPy's COBYQA waits for itself there."""

    def outer(x: Any) -> Any:
        a = float(x[0])
        inner = minimize(lambda y: (y[0] - a) ** 2, np.asarray([0.5]), method=method)
        return np.asarray((a - 1.0) ** 2 + float(inner.fun))

    found = minimize(outer, np.asarray([0.0]), method=method, options={"maxiter": 40})
    np.testing.assert_allclose(found.x, 1.0, atol=1e-3)


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_derivative_of_a_constrained_minimum(method: str) -> None:
    """Of the nearest point of a disc: x = r c / |c|."""
    c = np.asarray([3.0, 4.0])

    def nearest(r: Any) -> Any:
        limit = {"type": "ineq", "fun": lambda x: r * r - x[0] * x[0] - x[1] * x[1]}
        return minimize(
            lambda x: (x[0] - 3.0) ** 2 + (x[1] - 4.0) ** 2,
            np.zeros(2),
            method=method,
            constraints=limit,
            tol=1e-8,
        ).x[1]

    np.testing.assert_allclose(grad(nearest)(np.asarray(2.0)), c[1] / 5, atol=1e-4)


@pytest.mark.parametrize(
    ("fun", "start", "row", "side"),
    [
        (lambda x: np.sum(x**2) * np.nan, [2.0, 0.0], [1.0, 1.0], 0.5),
        (lambda x: np.sum(x**2), [np.nan, 0.0], [1.0, 1.0], 0.5),
        (lambda x: np.sum(x**2), [2.0, 0.0], [1.0, np.nan], 0.5),
        (lambda x: np.sum(x**2), [2.0, 0.0], [1.0, 1.0], np.nan),
    ],
)
@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_what_is_not_finite(method: str, fun: Any, start: Any, row: Any, side: float) -> None:
    """SciPy takes some of it for large numbers, and ends in errors of others."""
    line = scipy.optimize.LinearConstraint([row], side, 3.0)
    found = minimize(fun, np.asarray(start), method=method, constraints=line)
    assert not found.success and found.status == 3
    assert np.isnan(found.constr_violation)


def test_a_slope_along_a_bound() -> None:
    """COBYLA: a steep slope that a bound holds up hides none that is free."""
    found = minimize(
        lambda x: (x[..., 0] - 1) ** 2 + 3 * (x[..., 1] - 2.5) ** 2,
        np.asarray([[0.5, 0.5], [0.9, 1.0], [0.0, 1.0]]),
        method="COBYLA",
        bounds=[(-2, 2), (0, 1)],
        vectorized=True,
    )
    assert np.all(found.success)
    np.testing.assert_allclose(found.x, np.ones((3, 2)), atol=2e-3)


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_an_unknown_that_is_fixed(method: str) -> None:
    line = {"type": "ineq", "fun": lambda x: x[..., 0] + x[..., 1] - 2.5}
    found = minimize(
        lambda x: x[..., 0] ** 2 + x[..., 1] ** 2,
        np.asarray([1.0, 0.5]),
        method=method,
        bounds=[(1, 1), (0, 2)],
        constraints=line,
    )
    assert found.success
    np.testing.assert_allclose(found.x, [1.0, 1.5], atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_success_in_a_valley(dtype: Any) -> None:
    """COBYQA goes on until it is at a minimum, also from starts where models mislead it."""
    fun, _ = PROBLEMS["Rosenbrock"]
    starts = np.asarray([[2.0, 2.0], [5.0, 5.0], [-3.0, 4.0], [0.0, 3.0]], dtype=dtype)
    found = minimize(fun, starts, method="COBYQA", options={"maxiter": 5000})
    slopes = np.asarray([grad(fun)(x) for x in found.x.astype(np.float64)])
    assert found.success.any()
    most = 0.2 if dtype is np.float32 else 1e-3
    assert np.abs(slopes[found.success]).max() < most


@pytest.mark.parametrize("way", [minimize, minimize.generic])
@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_no_success_beside_an_edge_that_was_seen(method: str, way: Any) -> None:
    """An end is no minimum beside points without a value, though all that are left have one."""

    def fun(x: Any) -> Any:
        return np.where(x[0] > 2, np.inf, -x[0]) + x[1] ** 2

    found = way(
        fun, np.ones(2), method=method, constraints={"type": "ineq", "fun": lambda x: 5 - x[0]}
    )
    assert not found.success or np.max(np.abs(found.x - np.asarray([2.0, 0.0]))) < 1e-3


@pytest.mark.parametrize("way", [minimize, minimize.generic])
@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_no_success_among_what_is_no_number(method: str, way: Any) -> None:
    """An end is no minimum where values next to it aren't finite."""

    def fun(x: Any) -> Any:
        return np.sum(x) * np.where(np.any(x != 1.0), np.nan, 1.0)

    for nothing in (fun, lambda x: np.sum(x) * np.nan):
        found = way(nothing, np.ones(2), method=method)
        assert not found.success


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_value_beside_a_constraint_that_is_nan(method: str) -> None:
    limit = {"type": "ineq", "fun": lambda x: x[0] * np.nan}
    found = minimize(lambda x: x[0] ** 2 + x[1] ** 2, [1.0, 1.0], method=method, constraints=limit)
    assert found.status == 3 and found.fun == 2.0 and np.isnan(found.maxcv)


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_within_bounds_alone_no_constraint_is_broken(method: str) -> None:
    found = minimize(lambda x: (x[0] - 3.0) ** 2, [0.5], method=method, bounds=[(0.0, 1.0)])
    assert found.success and found.maxcv == 0.0


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA", "SLSQP", "trust-constr"])
def test_equalities_that_contradict_each_other(method: str) -> None:
    rows = [
        {"type": "eq", "fun": lambda x: x[0] + x[1] - 1.0},
        {"type": "eq", "fun": lambda x: 2.0 * x[0] + 2.0 * x[1] - 3.0},
    ]
    found = minimize(lambda x: x[0] ** 2 + x[1] ** 2, [3.0, 1.0], method=method, constraints=rows)
    assert found.status == 5 and found.nfev < 100


def test_multipliers_of_what_is_not_followed() -> None:
    """They come from differences at the end; x is the nearest point of a disc."""
    calls = [0]

    def fun(x: Any) -> float:
        calls[0] += 1
        return (float(x[0]) - 3.0) ** 2 + (float(x[1]) - 4.0) ** 2

    disc = {"type": "ineq", "fun": lambda x: 4.0 - float(x[0]) ** 2 - float(x[1]) ** 2}
    found = minimize(fun, np.zeros(2), method="COBYLA", constraints=disc, tol=1e-6)
    np.testing.assert_allclose(found.x, [1.2, 1.6], atol=1e-4)
    np.testing.assert_allclose(found.multipliers, [1.5], atol=1e-3)
    assert calls[0] <= found.nfev + 5


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_single_precision_is_no_contradiction(method: str) -> None:
    """Rounding breaks rows by more than the tolerance of double precision."""
    starts = np.random.default_rng(0).uniform(-3, 3, (12, 2)).astype("f4")
    rows = [
        {"type": "ineq", "fun": lambda x: 1.0 - x[0] ** 2 - x[1] ** 2},
        {"type": "ineq", "fun": lambda x: np.float32(0.2) - x[0] + x[1]},
    ]
    found = minimize(
        lambda x: (x[0] - 1.0) ** 2 + (x[1] - 1.0) ** 2, starts, method=method, constraints=rows
    )
    assert found.x.dtype == np.float32 and np.all(found.success)
    np.testing.assert_allclose(found.x, 0.5**0.5, atol=5e-3)
    assert np.max(found.constr_violation) < 2e-6
