"""Linear programmes against SciPy's HiGHS, published optima and differences."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.errors import ArgumentError, ArrayTypeError, NotSupported, ShapeError
from likewise.optimize import LinprogResult, OptimizeWarning, linprog
from likewise.transforms import grad, jacobian

NETLIB = json.loads((Path(__file__).parent / "netlib.json").read_text())["problems"]


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-8) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    tol = tol if lib.has_float64 else 1e-3
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)


def some(rng: Any, size: int, m: int, n: int, equations: int = 0) -> dict[str, Any]:
    """Problems with one solution, which has as many zeros as it can have."""
    a, e = rng.normal(size=(size, m, n)), rng.normal(size=(size, equations, n))
    x = rng.uniform(0.5, 1.5, size=(size, n))
    y, z = -rng.uniform(size=(size, m)), rng.normal(size=(size, equations))
    return {
        "c": np.einsum("bij,bi->bj", a, y)
        + np.einsum("bij,bi->bj", e, z)
        + rng.uniform(0.1, 1.0, size=(size, n)),
        "A_ub": a,
        "b_ub": np.einsum("bij,bj->bi", a, x) + rng.uniform(size=(size, m)),
        "A_eq": e,
        "b_eq": np.einsum("bij,bj->bi", e, x),
    }


@pytest.mark.parametrize(("m", "n", "equations"), [(3, 6, 2), (7, 3, 0), (2, 5, 0)])
def test_batch_equals_scipy(lib: Any, rng: Any, m: int, n: int, equations: int) -> None:
    data = some(rng, 4, m, n, equations)
    bounds = np.stack([np.zeros((4, n)), np.full((4, n), np.inf)], axis=-1)
    bounds[:, 0, 1], bounds[1, 1, 0], bounds[2, 2, :] = 0.7, -np.inf, 0.25
    ours = linprog(**{k: lib.asarray(v) for k, v in data.items()}, bounds=lib.asarray(bounds))
    assert isinstance(ours, LinprogResult)
    expected = [
        scipy.optimize.linprog(**{k: v[i] for k, v in data.items()}, bounds=bounds[i])
        for i in range(4)
    ]
    np.testing.assert_array_equal(lib.to_numpy(ours.status), [e.status for e in expected])
    solved = [i for i, e in enumerate(expected) if e.status == 0]
    assert len(solved) > 1
    for i in solved:
        for name in ("x", "fun", "slack", "con"):
            near(lib, getattr(ours, name)[i, ...], getattr(expected[i], name))
        for name in ("ineqlin", "eqlin", "lower", "upper"):
            for field in ("residual", "marginals"):
                near(
                    lib,
                    getattr(getattr(ours, name), field)[i, ...],
                    getattr(getattr(expected[i], name), field),
                )


@pytest.mark.parametrize("problem", NETLIB, ids=[p["name"] for p in NETLIB])
def test_netlib(problem: Any) -> None:
    n, few = len(problem["c"]), problem["few"]
    a = np.zeros((len(problem["b"]), n))
    a[problem["rows"], problem["columns"]] = problem["values"]
    b, c = np.asarray(problem["b"], dtype=float), np.asarray(problem["c"], dtype=float)
    bounds = [(0, u) for u in problem.get("upper", [None] * n)]
    row = linprog(c, a[:few], b[:few], a[few:], b[few:], bounds)
    body = linprog(np.stack([c, 2 * c]), a[:few], b[:few], a[few:], b[few:], bounds)
    optimum = problem["optimum"]
    assert row.status == 0 and np.all(body.status == 0)
    np.testing.assert_allclose(row.fun, optimum, rtol=1e-8)
    np.testing.assert_allclose(body.fun, [optimum, 2 * optimum], rtol=1e-8)
    scale = 1 + np.abs(b).max()
    assert np.all(body.slack > -1e-8 * scale) and np.all(np.abs(body.con) < 1e-8 * scale)
    assert np.all(body.x >= 0)
    dual = b[:few] @ body.ineqlin.marginals[0] + b[few:] @ body.eqlin.marginals[0]
    upper = np.asarray([u or 0.0 for _, u in bounds])
    dual += body.upper.marginals[0] @ upper
    np.testing.assert_allclose(dual, optimum, rtol=1e-7)


def test_statuses_of_a_batch(lib: Any) -> None:
    """Infeasible, unbounded, not finite, redundant and degenerate problems beside a plain one."""
    c = lib.asarray([[1.0, 1.0]] * 3 + [[-1.0, 0.0]] + [[1.0, 2.0]] * 3)
    b = np.asarray(
        [[1.0, 2.0], [1.0, 3.0], [np.nan, 2.0], [1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [-1, -2]]
    )
    a = np.broadcast_to(np.asarray([[1.0, 1.0], [2.0, 2.0]]), (7, 2, 2)).copy()
    a[3] = [[0.0, 1.0], [0.0, 2.0]]
    found = linprog(c, A_eq=lib.asarray(a), b_eq=lib.asarray(b))
    assert lib.to_numpy(found.status).tolist() == [0, 2, 5, 3, 0, 0, 2]
    assert lib.to_numpy(found.success).tolist() == [True, False, False, False, True, True, False]
    x = lib.to_numpy(found.x)
    assert np.all(np.isnan(x[[1, 2, 3, 6]]))
    near(lib, found.fun[0], 1.0)
    near(lib, found.x[4, ...], [1.0, 0.0])
    near(lib, found.x[5, ...], [0.0, 0.0])


BOUNDS = [(0, None), (None, None), (-1, 3), (0.5, 0.5)]


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(i, marks=pytest.mark.full) for i in range(6, 200))]
)
def test_statuses_are_those_of_highs(seed: int) -> None:
    """Random problems, many without a solution, have unknowns that are free, fixed and bounded."""
    rng = np.random.default_rng(seed)
    n, few, more = rng.integers(1, 6), rng.integers(1, 6), rng.integers(0, 2)
    a, c = rng.integers(-3, 4, (8, few + more, n)) * 1.0, rng.integers(-2, 3, (8, n)) * 1.0
    a[:, :few] += rng.normal(size=(8, few, n)) * rng.integers(0, 2)
    b = np.sum(a * rng.uniform(0, 2, (8, 1, n)), axis=2) + rng.choice([0, 1, -0.5], (8, few + more))
    bounds = [BOUNDS[i] for i in rng.integers(0, 4, n)]
    found = linprog.generic(c, a[:, :few], b[:, :few], a[:, few:], b[:, few:], bounds)
    for i in range(8):
        rows = a[i, :few], b[i, :few], a[i, few:], b[i, few:]
        expected = scipy.optimize.linprog(c[i], *rows, bounds)
        status = expected.status
        if status == 2:  # HiGHS says so of some that are unbounded
            status = {0: 3, 2: 2}[scipy.optimize.linprog(0 * c[i], *rows, bounds).status]
        # Where rows leave a point alone rounding may stop it (4), which is no wrong answer.
        assert found.status[i] in ((status,) if seed < 6 else (status, 4))
        if found.success[i]:
            np.testing.assert_allclose(found.fun[i], expected.fun, rtol=1e-8, atol=1e-8)


def test_bounds_that_contradict_each_other_and_fixed_ones(lib: Any) -> None:
    bounds = np.asarray([[[0.0, 1.0], [2.0, 1.0]], [[0.5, 0.5], [0.0, 3.0]]])
    found = linprog(
        lib.asarray([1.0, -1.0]), lib.asarray([[1.0, 1.0]]), lib.asarray([2.0]),
        bounds=lib.asarray(bounds),
    )  # fmt: skip
    assert lib.to_numpy(found.status).tolist() == [2, 0]
    near(lib, found.x[1, ...], [0.5, 1.5])
    near(lib, found.lower.marginals[1, ...], [2.0, 0.0])
    near(lib, found.ineqlin.marginals[1, ...], [-1.0])


def test_without_rows(lib: Any) -> None:
    c = lib.asarray([[1.0, -2.0], [1.0, 2.0]])
    found = linprog(c, bounds=[(-1, 3), (None, 5)])
    assert lib.to_numpy(found.status).tolist() == [0, 3]
    near(lib, found.x[0, ...], [-1.0, 5.0])
    near(lib, found.upper.marginals[0, ...], [0.0, -2.0])


def test_neither_rows_nor_bounds(lib: Any) -> None:
    found = linprog(lib.asarray([[1.0, -2.0], [0.0, 0.0]]), bounds=(None, None))
    assert lib.to_numpy(found.status).tolist() == [3, 0]


def test_no_problems(lib: Any) -> None:
    found = linprog(
        lib.asarray(np.zeros((0, 3))), lib.asarray(np.ones((2, 3))), lib.asarray([1.0, 2.0])
    )
    assert tuple(found.x.shape) == (0, 3) and tuple(found.fun.shape) == (0,)


@pytest.mark.parametrize("name", ["c", "A_ub", "b_ub", "A_eq", "b_eq", "bounds"])
def test_derivatives(lib: Any, rng: Any, name: str) -> None:
    data = {k: v[0] for k, v in some(rng, 1, 3, 6, 2).items()}
    data["bounds"] = np.stack([np.full(6, 0.1), np.full(6, 1.1)], axis=-1)
    weight = rng.normal(size=6), rng.normal(size=3), rng.normal(size=2), rng.normal(size=6)

    def value(v: Any, of: Any, given: Any, w: Any) -> Any:
        found = of(**{**given, name: v})
        xp = lib.xp if of is linprog else np
        parts = (found.x, found.ineqlin.marginals, found.eqlin.marginals, found.lower.marginals)
        return sum(xp.sum(p * q) for p, q in zip(parts, w, strict=True))

    given = {k: lib.asarray(v) for k, v in data.items()}
    ours = grad(lambda v: value(v, linprog, given, [lib.asarray(w) for w in weight]))(given[name])
    expected = np.zeros_like(data[name])
    for i in np.ndindex(*expected.shape):
        step = np.zeros_like(expected)
        step[i] = 1e-5
        pair = [value(data[name] + s * step, scipy.optimize.linprog, data, weight) for s in (1, -1)]
        expected[i] = (pair[0] - pair[1]) / 2e-5
    near(lib, ours, expected, 1e-5)


def test_degenerate_derivatives_are_finite_and_the_values_right() -> None:
    """Twice the same row: the least value falls as by one, which least squares share."""
    a, b = np.asarray([[1.0, 1.0], [1.0, 1.0]]), np.asarray([1.0, 1.0])
    c = np.asarray([-1.0, -2.0])

    def value(b: Any, c: Any) -> Any:
        return linprog(c, a, b).fun

    got = grad(lambda t: value(b * t, c))(np.asarray(1.0))
    np.testing.assert_allclose(got, -2.0, atol=1e-8)
    np.testing.assert_allclose(grad(lambda c: value(b, c))(c), [0.0, 1.0], atol=1e-8)
    assert np.all(np.isfinite(jacobian(lambda b: linprog(c, a, b).x)(b)))


def test_deprecated_methods_and_options() -> None:
    c, a, b = np.asarray([-1.0, 4.0]), np.asarray([[-3.0, 1.0], [1.0, 2.0]]), np.asarray([6.0, 4.0])
    bounds = [(None, None), (-3, None)]
    for method in ("highs-ds", "highs-ipm"):
        np.testing.assert_allclose(linprog(c, a, b, bounds=bounds, method=method).fun, -22.0)
    with pytest.warns(DeprecationWarning, match="deprecated"):
        found = linprog(c, a, b, bounds=bounds, method="Simplex", options={"tol": 1e-9})
    np.testing.assert_allclose(found.fun, -22.0)
    with pytest.warns(OptimizeWarning, match="unrecognized"):
        linprog(np.stack([c, c]), a, b, bounds=bounds, options={"colour": 1})
    with pytest.warns(OptimizeWarning, match="x0 is used only"):
        linprog(c, a, b, bounds=bounds, x0=[1.0, 2.0])
    found = linprog(np.stack([c, c]), a, b, bounds=bounds, options={"maxiter": 2})
    assert found.status.tolist() == [1, 1] and np.all(np.isfinite(found.x))
    with pytest.raises(ValueError, match="method"):
        linprog(c, a, b, method="ellipsoid")
    with pytest.raises(ValueError, match="pairs"):
        linprog(c, a, b, bounds=[(1, 2), (3, 4, 5)])
    with pytest.warns(OptimizeWarning, match="linprog"):  # SciPy's warnings are of our class
        linprog(c, a, b, bounds=bounds, options={"time_limit": -1})
    with pytest.warns(DeprecationWarning) as told:  # SciPy says that it stopped early
        found = linprog(
            [1.0], bounds=(None, 1), method="revised simplex", options={"presolve": False}
        )
    assert found.status == 4 and not found.success and len(told) == 1
    with pytest.raises(NotImplementedError, match="callback"):
        linprog(c, a, b, callback=print)


def test_integers(lib: Any) -> None:
    c, a, b = [-1.0, -1.0], [[2.0, 1.0], [1.0, 3.0]], [4.5, 6.5]
    arrays = lib.asarray(c), lib.asarray(a), lib.asarray(b)
    if lib.name != "numpy":
        with pytest.raises(NotSupported, match="integrality"):
            linprog(*arrays, integrality=[1, 1])
        return
    found = linprog(np.stack([arrays[0]] * 2), *arrays[1:], integrality=[1, 1])
    expected = scipy.optimize.linprog(c, a, b, integrality=[1, 1])
    np.testing.assert_allclose(found.fun, [expected.fun] * 2)
    for name in ("mip_node_count", "mip_dual_bound", "mip_gap"):
        np.testing.assert_allclose(found[name], [expected[name]] * 2)
        assert linprog(*arrays)[name] == 0


def test_lists_and_errors() -> None:
    found = linprog([-1, 4], [[-3, 1], [1, 2]], [6, 4], bounds=[(None, None), (-3, None)])
    np.testing.assert_allclose(found.x, [10.0, -3.0])
    assert found["ineqlin"]["marginals"].shape == (2,) and "con" in found
    np.testing.assert_allclose(linprog(2.0, bounds=(1, None)).x, [1.0])
    with pytest.raises(ShapeError, match="A_ub"):
        linprog([1.0, 2.0], [[1.0, 2.0, 3.0]], [1.0])
    with pytest.raises(ShapeError, match="b_eq"):
        linprog([1.0, 2.0], A_eq=[[1.0, 2.0]], b_eq=[1.0, 2.0])
    with pytest.raises(ShapeError, match="bounds"):
        linprog([1.0, 2.0, 3.0], bounds=[(0, 1), (0, 1)])
    with pytest.raises(ArgumentError, match="inf, nan"):
        linprog([1.0, np.nan])
    with pytest.raises(ArgumentError, match="interpret bounds"):
        linprog([1.0], bounds=[("a", 1)])
    with pytest.raises(TypeError):
        linprog(None)
    with pytest.raises(NotSupported, match="toarray"):
        linprog([1.0, 2.0], scipy.sparse.csr_array(np.eye(2)), [1.0, 1.0])


def test_arguments_stay(rng: Any) -> None:
    data = some(rng, 2, 3, 4, 1)
    for v in data.values():
        v.flags.writeable = False
    kept = {k: v.copy() for k, v in data.items()}
    linprog(**data)
    for k, v in data.items():
        np.testing.assert_array_equal(v, kept[k])


def test_words_are_no_coefficients() -> None:
    with pytest.raises(ArrayTypeError, match="linprog: argument 'c' must be an array or a number"):
        linprog("a")
