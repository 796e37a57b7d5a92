"""Sequential quadratic programmes, and constraints in all the forms in which they are given."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import optimize
from likewise.errors import (
    ArgumentError,
    ConstraintError,
    DerivativeWarning,
    OptimizeWarning,
    ShapeError,
)
from likewise.optimize import LinearConstraint, NonlinearConstraint, minimize
from likewise.transforms import grad, jacfwd

sys.path.insert(0, str(Path(__file__).parents[1]))
import cutest
from hock_schittkowski import PROBLEMS

TIGHT = {"ftol": 1e-12}
NO_BLOCKS = pytest.mark.xp_skip({"dask": "constraints in blocks are tested apart"})


def bowl(x: Any) -> Any:
    return (x[..., 0] - 1.0) ** 2 + (x[..., 1] - 2.5) ** 2


def forms(lib: Any) -> list[tuple[str, Any]]:
    """The same constraints: x0 + 2 x1 <= 3, x0 x1 = 0.5."""
    line = {"type": "ineq", "fun": lambda x: 3.0 - x[0] - 2.0 * x[1]}
    curve = {"type": "eq", "fun": lambda x, a: x[0] * x[1] - a, "args": (0.5,)}
    sloped = {**curve, "jac": lambda x, a: likewise.array_namespace(x).stack([x[1], x[0]])}
    matrix = LinearConstraint(lib.asarray([[1.0, 2.0]]), ub=3.0)
    curved = NonlinearConstraint(lambda x: x[0] * x[1], 0.5, 0.5)

    def both(x: Any) -> Any:
        return likewise.array_namespace(x).stack([x[0] + 2.0 * x[1], x[0] * x[1]])

    joint = NonlinearConstraint(both, lib.asarray([-np.inf, 0.5]), lib.asarray([3.0, 0.5]))
    return [
        ("dictionaries", [line, curve]),
        ("derivatives given", (line, sloped)),
        ("objects", [matrix, curved]),
        ("mixed", [matrix, curve]),
        ("one", joint),
    ]


def expected() -> Any:
    def slope(x: Any) -> Any:
        return np.asarray([2 * (x[0] - 1), 2 * (x[1] - 2.5)])

    found = scipy.optimize.minimize(
        bowl,
        [2.0, 0.5],
        jac=slope,
        method="SLSQP",
        options=TIGHT,
        constraints=[
            {"type": "ineq", "fun": lambda x: 3 - x[0] - 2 * x[1], "jac": lambda x: [-1.0, -2.0]},
            {"type": "eq", "fun": lambda x: x[0] * x[1] - 0.5, "jac": lambda x: [x[1], x[0]]},
        ],
    )
    return found.x


@NO_BLOCKS
def test_forms(lib: Any) -> None:
    want = expected()
    for name, known in forms(lib):
        for start in ([2.0, 0.5], [[2.0, 0.5], [1.5, 0.2], [3.0, 0.1]]):
            found = minimize(bowl, lib.asarray(start), constraints=known, options=TIGHT)
            got = np.reshape(lib.to_numpy(found.x), (-1, 2))
            np.testing.assert_allclose(got, np.broadcast_to(want, got.shape), atol=1e-7)
            assert np.all(lib.to_numpy(found.constr_violation) < 1e-9), name
            assert found.multipliers.shape == (*found.x.shape[:-1], 2)
            # The gradient is a combination of the rows' derivatives.
            x, y = got, np.reshape(lib.to_numpy(found.multipliers), (-1, 2))
            side = -1.0 if name in ("dictionaries", "derivatives given") else 1.0
            rows = np.stack([np.broadcast_to([side, 2 * side], x.shape), x[:, ::-1]], axis=1)
            slope = np.einsum("bm,bmp->bp", y, rows)
            np.testing.assert_allclose(slope, 2 * (x - [1.0, 2.5]), atol=1e-5)


@NO_BLOCKS
def test_each_problem_has_its_own_data(lib: Any) -> None:
    """Matrices, sides and, with vectorized, functions have the batch's dimensions."""
    matrix = np.asarray([[[1.0, 1.0]], [[1.0, -1.0]], [[2.0, 1.0]]])
    side, centre = np.asarray([[1.0], [0.5], [5.0]]), np.asarray([3.0, 1.0, 0.2])
    line = LinearConstraint(lib.asarray(matrix), lib.asarray(-np.inf), lib.asarray(side))
    far = lib.asarray(centre)
    disc = NonlinearConstraint(
        lambda x: likewise.array_namespace(x).sum(x * x, axis=-1) - far, -np.inf, 0.0
    )
    found = minimize(
        bowl, lib.asarray([0.1, 0.2]), constraints=[line, disc], vectorized=True, options=TIGHT
    )
    assert found.x.shape == (3, 2) and np.all(lib.to_numpy(found.success))
    for i in range(3):
        known = [
            {"type": "ineq", "fun": lambda x, i=i: side[i] - matrix[i] @ x},
            {"type": "ineq", "fun": lambda x, i=i: centre[i] - x @ x},
        ]
        alone = scipy.optimize.minimize(
            bowl, [0.1, 0.2], method="SLSQP", constraints=known, options=TIGHT
        )
        np.testing.assert_allclose(lib.to_numpy(found.x)[i], alone.x, atol=1e-6)


@NO_BLOCKS
def test_ends(lib: Any) -> None:
    """Infeasible, not finite, at a minimum: each has its status, and harms no other."""

    def fun(x: Any) -> Any:
        return x[0] ** 2 + x[1] ** 2

    rows = LinearConstraint(
        lib.asarray([[1.0, 1.0], [1.0, 1.0]]),
        lib.asarray([[1.0, -np.inf], [1.0, -np.inf], [1.0, -np.inf]]),
        lib.asarray([[np.inf, 0.0], [np.inf, 5.0], [np.inf, 5.0]]),
    )
    starts = lib.asarray([[0.3, 0.4], [2.0, 1.0], [np.nan, 1.0]])
    found = minimize(fun, starts, constraints=rows)
    assert lib.to_numpy(found.status).tolist() == [5, 0, 3]
    assert lib.to_numpy(found.success).tolist() == [False, True, False]
    np.testing.assert_allclose(lib.to_numpy(found.x)[1], [0.5, 0.5], atol=1e-6)
    assert lib.to_numpy(found.constr_violation)[0] > 0.4
    alone = minimize(
        fun,
        starts[0, :],
        constraints=LinearConstraint(rows.A, *(side[0, :] for side in (rows.lb, rows.ub))),
    )
    assert int(alone.status) == 5 and not alone.success and "contradict" in alone.message


def test_a_constraint_that_becomes_nan_is_no_way() -> None:
    root = {"type": "ineq", "fun": lambda x: likewise.array_namespace(x).sqrt(x[0]) - 0.5}
    for start in ([[4.0, 0.0], [1.0, 3.0]], [4.0, 0.0]):
        found = minimize(
            lambda x: 10 * x[0] + (x[1] - 1) ** 2,
            np.asarray(start),
            constraints=root,
            options=TIGHT,
        )
        got = np.reshape(found.x, (-1, 2))
        np.testing.assert_allclose(got, np.broadcast_to([0.25, 1.0], got.shape), atol=1e-6)
        assert np.all(found.success)


def test_redundant_rows() -> None:
    """The same equality twice, and one that is twice it."""
    rows = LinearConstraint([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]], [1.0, 1.0, 2.0], [1.0, 1.0, 2.0])
    for start in ([3.0, -1.0], [[3.0, -1.0], [0.0, 0.0]]):
        found = minimize(bowl, np.asarray(start), constraints=rows, options=TIGHT)
        assert np.all(found.success)
        got = np.reshape(found.x, (-1, 2))
        np.testing.assert_allclose(got, np.broadcast_to([-0.25, 1.25], got.shape), atol=1e-6)


def test_refusals() -> None:
    x = np.asarray([2.0, 0.5])
    cases: list[tuple[Any, type[Exception], str, Any]] = [
        (KeyError, ConstraintError, "no type defined", {"fun": bowl}),
        (TypeError, ConstraintError, "must be a string", {"type": 3, "fun": bowl}),
        (TypeError, ConstraintError, "must be a dictionary", [3]),
        (TypeError, ConstraintError, "must be a dictionary", 3),
        (ValueError, ArgumentError, "unknown constraint type", {"type": "le", "fun": bowl}),
        (ValueError, ArgumentError, "no function defined", {"type": "eq"}),
        (TypeError, ConstraintError, "must be callable", {"type": "eq", "fun": 3}),
        (ValueError, ArgumentError, "hess of", NonlinearConstraint(bowl, 0.0, 1.0, hess="none")),
        (ValueError, ArgumentError, "give them as bounds", optimize.Bounds(0, 1)),
        (ValueError, ShapeError, "a column for each", LinearConstraint([[1.0, 2.0, 3.0]], 0, 1)),
        (ValueError, ArgumentError, "sides of constraints cross", LinearConstraint([1.0, 2], 2, 1)),
        (
            *(ValueError, ArgumentError, "infeasible"),
            LinearConstraint([1.0, 1.0], 9.0, 10.0, keep_feasible=True),
        ),
        (ValueError, ShapeError, "a value for each", NonlinearConstraint(bowl, [0.0, 1.0], 2.0)),
    ]
    for kind, error, text, known in cases:
        with pytest.raises(error, match=text) as caught:
            minimize(bowl, x, constraints=known)
        assert isinstance(caught.value, kind)
    with pytest.raises(ShapeError, match="rows of A"):
        LinearConstraint(np.ones((2, 2)), [1.0, 2.0, 3.0])


@NO_BLOCKS
@pytest.mark.parametrize("rows", [1, 40])
def test_functions_of_the_whole_batch_see_all_of_it(lib: Any, rows: int) -> None:
    """Problems that have ended leave the batch, but not what functions get of it."""
    centres = np.random.default_rng(3).normal(size=(40, 2)) * 2.0
    far, shapes = lib.asarray(centres), set()

    def distance(x: Any) -> Any:
        shapes.add(tuple(x.shape))
        return likewise.array_namespace(x).sum((x - far) ** 2, axis=-1)

    def disc(x: Any) -> Any:
        shapes.add(tuple(x.shape))
        return 2.25 - likewise.array_namespace(x).sum(x * x, axis=-1)

    lengths = np.linalg.norm(centres, axis=1, keepdims=True)
    nearest = centres * np.minimum(1.0, 1.5 / lengths)
    start = np.where(np.arange(40)[:, None] % 3 == 0, [[0.3, 0.2]], nearest)
    matrix = np.broadcast_to([[[1.0, 1.0]]], (rows, 1, 2))
    line = LinearConstraint(lib.asarray(matrix[0] if rows == 1 else matrix), -10.0, 10.0)
    found = minimize(
        distance,
        lib.asarray(start),
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": disc}, line],
        vectorized=True,
        options=TIGHT,
    )
    np.testing.assert_allclose(lib.to_numpy(found.x), nearest, atol=1e-6)
    np.testing.assert_allclose(
        lib.to_numpy(found.multipliers)[:, 0],
        np.maximum(lengths[:, 0] / 1.5 - 1.0, 0.0),
        atol=1e-5,
    )
    nit = lib.to_numpy(found.nit)
    assert np.all(lib.to_numpy(found.success)) and np.max(nit) > np.median(nit)
    assert shapes == {(40, 2)}


def test_derivatives_of_whole_numbers() -> None:
    line = {"type": "ineq", "fun": lambda x: 3.0 - x[0] - 2.0 * x[1]}
    line["jac"] = lambda x: np.asarray([[-1, -2]])
    for start in ([2.0, 0.5], [[2.0, 0.5], [0.0, 0.0]]):
        found = minimize(bowl, np.asarray(start), constraints=line, vectorized=False, options=TIGHT)
        got = np.reshape(found.x, (-1, 2))
        np.testing.assert_allclose(got, np.broadcast_to([0.4, 1.3], got.shape), atol=1e-6)


@pytest.mark.parametrize("single", [True, False])
def test_a_constraint_without_a_value(single: bool) -> None:
    """Small steps are no minimum where values that aren't finite cut them off."""

    def row(x: Any) -> Any:
        return np.where(x[..., 0] < 1.5, np.nan, x[..., 0])

    start = np.asarray([2.0, 0.0] if single else [[2.0, 0.0], [3.0, 1.0]])
    far = {"type": "ineq", "fun": row}
    found = minimize(
        lambda x: (x[..., 0] - 1) ** 2 + (x[..., 1] - 2.5) ** 2,
        start,
        constraints=far,
        method="SLSQP",
        vectorized=True,
    )
    assert not np.any(found.success)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYLA"])
def test_a_constraint_with_a_buffer_of_its_own(method: str) -> None:
    """Values are kept from a call to the next, though the user's array for them is one."""
    room = np.zeros(2)

    def rows(x: Any) -> Any:
        room[0], room[1] = x[0] + x[1] - 1.0, x[1] - x[2] ** 2
        return room

    known = NonlinearConstraint(rows, [0.0, 0.0], [0.0, 1.0], jac="2-point")
    found = minimize(
        lambda x: x[0] ** 2 + 2 * x[1] ** 2 + x[2] ** 2,
        np.asarray([3.0, -1.0, 2.0]),
        constraints=known,
        method=method,
        jac="2-point" if method != "COBYLA" else None,
    )
    assert found.success
    np.testing.assert_allclose(found.x, [2 / 3, 1 / 3, 0.0], atol=1e-3)


def test_a_constraint_that_changes_its_shape() -> None:
    calls: list[int] = []

    def fun(x: Any) -> Any:
        calls.append(1)
        return x if len(calls) == 1 else x[:1]

    with pytest.raises(ShapeError, match=r"fun of constraints\[0\] must return"):
        minimize(bowl, np.asarray([2.0, 0.5]), constraints=[NonlinearConstraint(fun, 0.0, 1.0)])


def test_warnings() -> None:
    x, line = np.asarray([2.0, 0.5]), {"type": "ineq", "fun": lambda x: 3.0 - x[0] - 2.0 * x[1]}
    with pytest.warns(RuntimeWarning, match="does not use constraints"):
        minimize(bowl, x, method="BFGS", constraints=line)
    with pytest.warns(OptimizeWarning, match="key 'slope' of constraints has no effect"):
        minimize(bowl, x, constraints={**line, "slope": 3})
    branch = {"type": "ineq", "fun": lambda x: 3.0 - float(x[0]) - 2.0 * float(x[1])}
    with pytest.warns(DerivativeWarning, match="by differences"):
        found = minimize(bowl, x, constraints=branch, options=TIGHT)
    np.testing.assert_allclose(found.x, [0.4, 1.3], atol=1e-6)


@pytest.mark.parametrize("scheme", ["2-point", "3-point", "cs"])
def test_differences(scheme: str) -> None:
    curve = NonlinearConstraint(lambda x: x[0] * x[1], 0.5, 0.5, jac=scheme)
    found = minimize(
        bowl, np.asarray([2.0, 0.5]), jac=scheme, constraints=curve, options={"ftol": 1e-10}
    )
    exact = minimize(
        bowl,
        np.asarray([2.0, 0.5]),
        constraints=NonlinearConstraint(lambda x: x[0] * x[1], 0.5, 0.5),
        options=TIGHT,
    )
    np.testing.assert_allclose(found.x, exact.x, atol=1e-5)


def test_callback() -> None:
    seen: list[Any] = []
    line = {"type": "ineq", "fun": lambda x: 3.0 - x[0] - 2.0 * x[1]}
    found = minimize(bowl, np.asarray([2.0, 0.5]), constraints=line, callback=seen.append)
    assert len(seen) >= 2
    np.testing.assert_allclose(seen[-1], found.x, atol=1e-6)

    def stop(intermediate_result: Any) -> None:
        assert intermediate_result.multipliers.shape == (1,)
        raise StopIteration

    stopped = minimize(bowl, np.asarray([2.0, 0.5]), constraints=line, callback=stop)
    assert int(stopped.status) == 99


@NO_BLOCKS
def test_fmin_slsqp(lib: Any, capsys: Any) -> None:
    start = lib.asarray([2.0, 0.5])
    found = optimize.fmin_slsqp(
        *(lambda x, a: (x[0] - a) ** 2 + (x[1] - 2.5) ** 2, start),
        eqcons=[lambda x, a: x[0] * x[1] - a / 2],
        f_ieqcons=lambda x, a: 3.0 * a - x[:1] - 2.0 * x[1:],
        args=(1.0,),
        acc=1e-12,
        bounds=[(0.0, 5.0)] * 2,
        full_output=True,
    )
    np.testing.assert_allclose(lib.to_numpy(found[0]), expected(), atol=1e-7)
    assert len(found) == 5 and int(found[3]) == 0
    near = optimize.fmin_slsqp(bowl, start, iprint=0)
    np.testing.assert_allclose(lib.to_numpy(near), [1.0, 2.5], atol=1e-3)
    capsys.readouterr()
    optimize.fmin_slsqp(bowl, np.asarray([2.0, 0.5]))
    assert "converged" in capsys.readouterr().out


# -- derivatives -----------------------------------------------------------------------------------


def _solution(lib: Any, which: int, values: list[Any]) -> Any:
    """A minimum of the data: an argument, what functions close over, a side, a matrix, a bound."""
    shift, radius, side, slope, floor = values

    def fun(x: Any, a: Any) -> Any:
        return (x[0] - a) ** 2 + (x[1] - 2.5) ** 2 + 0.1 * x[0] ** 4 + (x[2] - x[0]) ** 2

    xp = likewise.array_namespace(*values)
    matrix = xp.stack([slope, slope * 0 + 1.0, slope * 0])[None, :]
    known = [
        LinearConstraint(matrix, -np.inf, side),
        NonlinearConstraint(lambda x: x[0] ** 2 + x[2] ** 2 - radius, -np.inf, 0.0),
    ]
    low = xp.stack([floor - 10, floor - 10, floor])
    found = minimize(
        *(fun, lib.asarray([0.2, 0.1, 1.0]), (shift,)),
        bounds=optimize.Bounds(low, np.inf),
        constraints=known,
        options={"ftol": 1e-14},
    )
    return found.x[0] + 2.0 * found.x[1] + 3.0 * found.x[2] + 0.5 * found.multipliers[0]


@pytest.mark.xp_skip(
    {
        "dask": "constraints in blocks are tested apart",
        "strict-no_float64": "differences over short steps need float64",
    }
)
@pytest.mark.parametrize("which", range(5))
def test_derivatives(lib: Any, which: int) -> None:
    """Of all data, each alone with the others closed over, against differences."""
    data = [1.3, 1.7, 2.0, 0.8, 1.15]

    def of(v: Any) -> Any:
        values = [lib.asarray(d) for d in data]
        return _solution(lib, which, [*values[:which], v, *values[which + 1 :]])

    got = float(lib.to_numpy(grad(of)(lib.asarray(data[which]))))
    step = 1e-4
    ends = [float(lib.to_numpy(of(lib.asarray(data[which] + s)))) for s in (step, -step)]
    np.testing.assert_allclose(got, (ends[0] - ends[1]) / (2 * step), atol=2e-5, rtol=1e-5)


def test_derivative_with_redundant_rows() -> None:
    """The same equality twice leaves the multipliers open, but not the solution."""

    def of(c: Any) -> Any:
        xp = likewise.array_namespace(c)
        rows = LinearConstraint(np.ones((2, 2)), xp.stack([c, c]), xp.stack([c, c]))
        return minimize(bowl, np.asarray([0.3, 0.2]), constraints=rows).x[0]

    np.testing.assert_allclose(grad(of)(np.asarray(1.0)), 0.5, atol=1e-6)


# -- the collection --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [7, 10, 24, 43, 64, 71, 100, 113])
def test_published_problems_as_a_batch(name: Any) -> None:
    problem = PROBLEMS[name]
    bounds = None
    if problem.bounded:
        bounds = optimize.Bounds(np.asarray(problem.lower), np.asarray(problem.upper))
    found = minimize(
        problem.fun,
        np.stack([np.asarray(problem.x0)] * 2),
        method="SLSQP",
        bounds=bounds,
        constraints=problem.constraints(),
        options={"ftol": 1e-12, "maxiter": 500},
    )
    scale = max(1.0, abs(problem.f))
    assert np.all(found.success) and np.all(np.abs(found.fun - problem.f) < 1e-8 * scale)
    assert max(problem.violation(x) for x in found.x) < 1e-9
    rows = [{**c, "jac": jacfwd(c["fun"])} for c in problem.constraints()]
    with np.errstate(all="ignore"):
        by_scipy = scipy.optimize.minimize(
            problem.fun,
            problem.x0,
            jac=grad(problem.fun),
            method="SLSQP",
            bounds=None if bounds is None else scipy.optimize.Bounds(bounds.lb, bounds.ub),
            constraints=rows,
            options={"ftol": 1e-12, "maxiter": 500},
        )
    assert int(found.nfev[0]) <= max(by_scipy.nfev + 1, 1.1 * by_scipy.nfev)


# -- how problems end ------------------------------------------------------------------------------


def test_infeasible_and_unbounded() -> None:
    """By the row and by the body; an end that changes nothing more is found soon."""
    for wanted, status in (("infeasible", 5), ("unbounded", 4)):
        every = [case.problem for case in cutest.HARD if case.kind == wanted]
        assert len(every) >= 3
        for problem in every:
            bounds = None
            if problem.bounded:
                bounds = optimize.Bounds(np.asarray(problem.lower), np.asarray(problem.upper))
            x0 = np.asarray(problem.x0, dtype=float)
            for start in (x0, np.stack([x0, x0 + 0.25])):
                found = minimize(
                    *(problem.fun, start),
                    method="SLSQP",
                    bounds=bounds,
                    constraints=problem.constraints(),
                    options={"ftol": 1e-12, "maxiter": 1000},
                )
                assert np.all(found.status == status), problem.name
                assert not np.any(found.success) and np.max(found.nfev) < 400, problem.name


@pytest.mark.parametrize("name", [55, 84])
def test_no_success_where_the_gradient_leads_on(name: int) -> None:
    """SciPy's steps end with success at points of these problems that are no minima."""
    problem = PROBLEMS[name]
    found = minimize(
        problem.fun,
        np.asarray(problem.x0),
        bounds=optimize.Bounds(np.asarray(problem.lower), np.asarray(problem.upper)),
        constraints=problem.constraints(),
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    at_bound = (found.x == problem.lower) | (found.x == problem.upper)
    rest = found.jac - found.bound_multipliers
    begin = 0
    for c in problem.constraints():
        rows = jacfwd(c["fun"])(found.x)
        rest = rest - found.multipliers[begin : begin + len(rows)] @ rows
        begin += len(rows)
    assert found.success and np.all(at_bound | (found.bound_multipliers == 0))
    assert np.max(np.abs(rest)) < 1e-6 * (1 + np.max(np.abs(found.jac)))


def test_what_is_not_finite_at_the_start() -> None:
    """The value there is told; one such problem harms no other."""
    wrong: list[Any] = [
        {"type": "ineq", "fun": lambda x: x[0] * np.nan},
        {"type": "eq", "fun": lambda x: x[0] * np.inf},
        {"type": "ineq", "fun": lambda x: x[0], "jac": lambda x: np.asarray([np.nan, 1.0])},
        LinearConstraint([[np.nan, 2.0]], -np.inf, 3.0),
        LinearConstraint([[1.0, 2.0]], np.nan, 3.0),
    ]
    for known in wrong:
        found = minimize(bowl, np.asarray([2.0, 0.5]), constraints=known)
        assert int(found.status) == 3 and float(found.fun) == 5.0
    side = np.asarray([[3.0], [np.nan], [2.0]])
    rows = LinearConstraint([[1.0, 2.0]], -np.inf, side)
    found = minimize(bowl, np.asarray([2.0, 0.5]), constraints=rows, options=TIGHT)
    assert found.status.tolist() == [0, 3, 0] and found.fun[1] == 5.0
    np.testing.assert_allclose(found.x[[0, 2]], [[0.4, 1.3], [0.2, 0.9]], atol=2e-6)


@pytest.mark.parametrize("kind", ["whole", "swapped", "read-only", "listed"])
def test_starts_and_sides_of_other_kinds(kind: str) -> None:
    make = {
        "whole": lambda v: np.asarray(v, dtype=np.int64),
        "swapped": lambda v: np.asarray(v, dtype=">f8"),
        "read-only": lambda v: np.broadcast_to(np.asarray(v, dtype=float), np.shape(v)),
        "listed": lambda v: v,
    }[kind]
    x0, matrix, side = make([2, 1]), make([[1, 2]]), make([3])
    found = minimize(bowl, x0, constraints=LinearConstraint(matrix, -np.inf, side), options=TIGHT)
    assert found.x.dtype == np.dtype("f8") and found.x.dtype.isnative
    np.testing.assert_allclose(found.x, [0.4, 1.3], atol=2e-6)
    np.testing.assert_array_equal(x0, [2, 1])


@NO_BLOCKS
def test_float32(lib: Any) -> None:
    curve = {"type": "eq", "fun": lambda x: x[0] * x[1] - 0.5}
    line = {"type": "ineq", "fun": lambda x: 3.0 - x[0] - 2.0 * x[1]}
    starts = lib.asarray([[2.0, 0.5], [10.0, 3.0]], dtype="float32")
    found = minimize(bowl, starts, constraints=[line, curve])
    assert found.x.dtype == found.multipliers.dtype == starts.dtype
    x = lib.to_numpy(found.x).astype(float)
    assert np.all(lib.to_numpy(found.success)) and np.max(np.abs(x[:, 0] * x[:, 1] - 0.5)) < 1e-5
    np.testing.assert_allclose(x, np.broadcast_to(expected(), x.shape), atol=1e-4)


@pytest.mark.parametrize("form", ["dictionary", "object"])
def test_step_of_differences(form: str) -> None:
    """The option is for constraints, too."""
    seen: list[Any] = []

    def fun(x: Any) -> Any:
        seen.append(np.asarray(x).copy())
        return x[0] * x[1] - 0.5

    known: Any = {"type": "eq", "fun": fun, "jac": "2-point"}
    if form == "object":
        known = NonlinearConstraint(fun, 0.0, 0.0, jac="2-point")
    x0 = np.asarray([2.0, 0.5])
    minimize(bowl, x0, constraints=known, options={"finite_diff_rel_step": 0.01, "maxiter": 2})
    steps = {tuple(np.round(x - x0, 12)) for x in seen[:4]}
    assert {(0.02, 0.0), (0.0, 0.005)} <= steps


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
@pytest.mark.parametrize("start", [0.0, 1e-12, 1e-9, 1e-6])
def test_differences_next_to_zero(method: str, start: float) -> None:
    """Steps of constraints' differences don't shrink with unknowns, or slopes would be lost."""
    seen: list[Any] = []

    def line(x: Any) -> Any:
        seen.append(np.array(x))
        return x[0] + x[1] - 1.0

    found = minimize(
        lambda x: (x[0] - 2.0) ** 2 + (x[1] - 1.0) ** 2,
        np.asarray([start, start]),
        method=method,
        constraints={"type": "eq", "fun": line, "jac": "2-point"},
    )
    np.testing.assert_allclose(found.x, [1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(found.multipliers, [-2.0], rtol=1e-5)
    steps = np.abs(np.asarray(seen) - start)
    assert np.all(steps[steps > 0][:2] > 1e-9)  # the first differences


def test_differences_as_many_as_scipy() -> None:
    """Functions that can't be followed are called about as often as SciPy calls them."""
    seen = [0]

    def fun(x: Any) -> float:
        seen[0] += 1
        return sum((float(a) - i) ** 2 for i, a in enumerate(x)) + 0.1 * float(x[0]) ** 4

    ball = {"type": "ineq", "fun": lambda x: 4.0 - sum(float(a) ** 2 for a in x)}
    x0 = np.zeros(12)
    theirs = scipy.optimize.minimize(fun, x0, method="SLSQP", constraints=ball)
    many, seen[0] = seen[0], 0
    with pytest.warns(DerivativeWarning):
        ours = minimize(fun, x0, method="SLSQP", constraints=ball)
    assert ours.success and seen[0] <= 1.1 * many + 20
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_kinks_by_differences_are_no_success(scale: float) -> None:
    """Differences at a kink lead uphill: an end above the start is none."""
    line = {"type": "ineq", "fun": lambda x: np.asarray([1.0 - float(x[0])])}
    with pytest.warns(DerivativeWarning):
        found = minimize(
            lambda x: scale * np.sqrt(sum(float(a) ** 2 for a in x)),
            np.zeros(25),
            method="SLSQP",
            constraints=line,
        )
    assert found.fun == 0.0 or not found.success


def test_minimum_at_a_kink() -> None:
    """A minimum where slopes jump, which no multipliers explain, ends soon, with status 2."""
    found = minimize(
        lambda x: abs(x[0]) + abs(x[1] - 1.0),
        np.asarray([3.0, 3.0]),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: x[0] - 1.0},
    )
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-7)
    assert found.status == 2 and found.nfev < 500
