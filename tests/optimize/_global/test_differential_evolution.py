"""Global minima by differential evolution, whose places are known."""

import math
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, ConstraintError, NotSupported, ShapeError
from likewise.optimize import (
    Bounds,
    LinearConstraint,
    NonlinearConstraint,
    differential_evolution,
)
from likewise.random import key
from likewise.transforms import grad

BOX = np.asarray([[-3.0, 4.0], [-5.0, 5.0]])


def ackley(x: Any) -> Any:
    xp = likewise.array_namespace(x)
    size = xp.sqrt(0.5 * xp.sum(x**2))
    waves = xp.exp(0.5 * xp.sum(xp.cos(2 * math.pi * x)))
    return 20 + math.e - 20 * xp.exp(-0.2 * size) - waves


def bowl(x: Any) -> Any:
    return ((x - 0.5) ** 2).sum()


@pytest.mark.parametrize("crossing", ["bin", "exp"])
@pytest.mark.parametrize(
    "kind", ["best1", "rand1", "best2", "rand2", "randtobest1", "currenttobest1"]
)
def test_strategies(kind: str, crossing: str) -> None:
    found = differential_evolution(ackley, BOX, strategy=kind + crossing, atol=1e-9, key=3)
    np.testing.assert_allclose(found.x, 0.0, atol=1e-7)
    assert found.success and found.status == 0 and found.fun < 1e-7
    assert found.nfev >= 30 * (found.nit + 1)


@pytest.mark.parametrize("init", ["latinhypercube", "sobol", "halton", "random"])
def test_first_populations(init: str) -> None:
    found = differential_evolution(ackley, BOX, init=init, maxiter=0, polish=False, key=1)
    assert found.population.shape == (32 if init == "sobol" else 30, 2)
    assert found.nit == 0 and not found.success and found.status == 1
    low, high = BOX[:, 0], BOX[:, 1]
    assert np.all((found.population >= low) & (found.population <= high))
    cells = np.floor((found.population - low) / (high - low) * 5)
    for column in cells.T:  # none of five parts is empty
        assert len(np.unique(column)) == 5
    if init == "latinhypercube":
        rank = np.floor((found.population - low) / (high - low) * 30 - 1e-9)
        assert all(len(np.unique(column)) == 30 for column in rank.T)
    values = [ackley(x) for x in found.population]
    np.testing.assert_allclose(found.population_energies, values)
    assert np.argmin(values) == 0 and found.fun == found.population_energies[0]


def test_given_population_and_first_point() -> None:
    points = np.linspace(-2, 2, 14).reshape(7, 2)
    found = differential_evolution(bowl, BOX, init=points, x0=[0.5, 0.5], maxiter=0, polish=False)
    assert found.fun < 1e-30 and found.population.shape == (7, 2)
    expected = sorted([0.5, *points[1:, 0]])
    np.testing.assert_allclose(sorted(found.population[:, 0]), expected, atol=1e-12)


def test_problems_of_a_batch_do_not_depend_on_others() -> None:
    boxes = np.stack([BOX, BOX + 0.5, BOX - 0.2])
    others = np.stack([BOX, 3 * BOX, 0.1 * BOX])
    some, more = (differential_evolution(ackley, b, tol=0.1, key=5) for b in (boxes, others))
    assert some.x.shape == (3, 2) and some.fun.shape == some.nit.shape == (3,)
    np.testing.assert_array_equal(some.population[0], more.population[0])
    assert some.nit[0] == more.nit[0]
    np.testing.assert_allclose(some.x, 0.0, atol=1e-6)


def test_same_numbers_on_other_libraries(xp: Any) -> None:
    box = xp.asarray(BOX)
    found = differential_evolution(ackley, box, maxiter=5, popsize=4, polish=False, key=7)
    expected = differential_evolution(ackley, BOX, maxiter=5, popsize=4, polish=False, key=7)
    assert type(found.x) is type(box)
    atol = 1e-9 if "64" in str(found.x.dtype) else 1.0
    np.testing.assert_allclose(likewise.to_numpy(found.population), expected.population, atol=atol)


def test_float32_stays() -> None:
    found = differential_evolution(ackley, BOX.astype("float32"), key=1, tol=1e-3)
    assert found.x.dtype == found.fun.dtype == found.population.dtype == np.float32
    np.testing.assert_allclose(found.x, 0.0, atol=1e-3)


def test_vectorized_functions() -> None:
    mapped = differential_evolution(bowl, BOX, key=2, maxiter=20, polish=False)

    def together(x: Any) -> Any:
        assert x.shape in ((2, 30), (2, 1))
        return ((x - 0.5) ** 2).sum(axis=0)

    found = differential_evolution(together, BOX, key=2, maxiter=20, polish=False, vectorized=True)
    np.testing.assert_allclose(found.population, mapped.population)


def test_data_of_each_problem() -> None:
    target = np.asarray([[0.5], [1.5]])

    def fun(x: Any, c: Any) -> Any:
        return ((x - c) ** 2).sum(axis=0)

    found = differential_evolution(
        fun, np.stack([BOX, BOX]), args=(target,), vectorized=True, key=1
    )
    np.testing.assert_allclose(found.x, np.broadcast_to(target, (2, 2)), atol=1e-6)


@pytest.mark.parametrize("batch", [False, True])
def test_functions_that_read_values(batch: bool) -> None:
    def fun(x: Any) -> float:
        return 1.0 if x[0] > 2 else math.hypot(float(x[0]), float(x[1]) - 1)

    box = np.stack([BOX, BOX]) if batch else BOX
    found = differential_evolution(fun, box, key=1, tol=1e-6)
    np.testing.assert_allclose(found.x, np.broadcast_to([0.0, 1.0], found.x.shape), atol=1e-5)


def test_whole_numbers() -> None:
    def fun(x: Any) -> Any:
        return ((x - np.asarray([1.4, 0.3])) ** 2).sum()

    found = differential_evolution(fun, BOX, integrality=[True, False], key=1)
    np.testing.assert_allclose(found.x, [1.0, 0.3], atol=1e-5)
    assert np.all(found.population[:, 0] == np.round(found.population[:, 0]))
    drawn = differential_evolution(
        fun, [(0.5, 3.5), (0, 1)], integrality=[1, 0], maxiter=0, popsize=60, polish=False
    )
    counts = np.unique(drawn.population[:, 0], return_counts=True)
    np.testing.assert_array_equal(counts[0], [1, 2, 3])
    assert counts[1].min() > 30  # each as often, at the ends as well
    with pytest.raises(ArgumentError, match="integer"):
        differential_evolution(fun, [(0.2, 0.8), (0, 1)], integrality=True)


def test_fixed_variables() -> None:
    held = differential_evolution(bowl, [(1.0, 1.0), (2.0, 2.0)])
    np.testing.assert_array_equal(held.x, [1.0, 2.0])
    found = differential_evolution(bowl, [(1.0, 1.0), (-1.0, 1.0)], key=1)
    np.testing.assert_allclose(found.x, [1.0, 0.5], atol=1e-6)
    assert found.population.shape == (15, 2)


def test_values_that_are_not_finite() -> None:
    def fun(x: Any) -> Any:
        return np.where(x[0] > 0, np.sum((x - 1) ** 2), np.nan)

    found = differential_evolution(fun, BOX, key=1)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-5)
    never = differential_evolution(lambda x: x[0] * np.nan, BOX, key=1, maxiter=3)
    assert not never.success and never.nit == 3


def test_callbacks_and_what_is_printed(capsys: Any) -> None:
    seen: list[Any] = []

    def told(x: Any, convergence: float) -> bool:
        seen.append((x, convergence))
        return len(seen) == 3

    found = differential_evolution(bowl, BOX, callback=told, disp=True, key=1)
    assert found.nit == len(seen) == 3 and found.status == 99 and not found.success
    np.testing.assert_allclose(found.x, 0.5, atol=1e-6)  # it is polished
    assert capsys.readouterr().out.count("differential_evolution step") == 3

    def by_name(intermediate_result: Any) -> None:
        seen.append(intermediate_result)
        raise StopIteration

    differential_evolution(bowl, BOX, callback=by_name, key=1)
    assert seen[-1].nit == 1 and seen[-1].fun == bowl(seen[-1].x)
    assert seen[-1].population.shape == (30, 2)
    assert seen[-1].success is True and seen[-1].message == "in progress"


def test_strategies_of_the_caller() -> None:
    def strategy(candidate: int, population: Any, rng: Any) -> Any:
        a, b = rng.integers(0, 30, 2)
        return population[0] + 0.6 * (population[a] - population[b])

    found = differential_evolution(bowl, BOX, strategy=strategy, maxiter=30, polish=False)
    np.testing.assert_allclose(found.x, 0.5, atol=1e-2)
    with pytest.raises(ArgumentError, match="strategy must have"):
        differential_evolution(bowl, BOX, strategy=lambda *a, **k: np.zeros(3))


def test_polishing_of_the_caller() -> None:
    def polish(fun: Any, x0: Any, bounds: Any, constraints: Any) -> Any:
        assert len(x0) == 2
        return likewise.optimize.minimize(fun, x0, method="Nelder-Mead", bounds=bounds)

    rough = differential_evolution(bowl, BOX, maxiter=2, polish=False)
    found = differential_evolution(bowl, BOX, maxiter=2, polish=polish)
    assert found.fun < 1e-6 < rough.fun and found.nfev > rough.nfev
    with pytest.raises(ArgumentError, match="polish must return"):
        differential_evolution(bowl, BOX, maxiter=2, polish=lambda fun, x0, **given: x0)


def test_derivatives_of_what_is_closed_over() -> None:
    def least(c: Any) -> Any:
        xp = likewise.array_namespace(c)

        def fun(x: Any) -> Any:
            return xp.sum((x - c) ** 2) + 0.3 * x[0] ** 2 * x[1] ** 2

        found = differential_evolution(fun, BOX, key=1, tol=1e-8)
        return found.x[0] + 2 * found.x[1] + 3 * found.fun

    c = np.asarray([0.7, 1.1])
    steps = 1e-4 * np.eye(2)
    differences = [(least(c + h) - least(c - h)) / 2e-4 for h in steps]
    np.testing.assert_allclose(grad(least)(c), differences, rtol=1e-2)


def test_keys() -> None:
    def run(**given: Any) -> Any:
        return differential_evolution(ackley, BOX, maxiter=3, polish=False, **given).population

    np.testing.assert_array_equal(run(key=4), run(key=key(4)))
    np.testing.assert_array_equal(run(), run(key=0))
    np.testing.assert_array_equal(run(key=4), run(rng=4))
    np.testing.assert_array_equal(run(key=4), run(seed=np.int64(4)))
    assert np.any(run(key=4) != run(key=5))


def valley(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


SQUARE = np.asarray([[0.0, 2.0], [0.0, 2.0]])
# x^2 + y <= 1.9: on the boundary 100 (1.9 - 2 x^2)^2 + (1 - x)^2 is least.
BELOW = NonlinearConstraint(lambda x: x[0] ** 2 + x[1], -np.inf, 1.9)
AT_BOUNDARY = [0.9746959, 0.9499672]


@pytest.mark.parametrize("vectorized", [False, True])
def test_constraints(vectorized: bool) -> None:
    found = differential_evolution(valley, SQUARE, constraints=BELOW, vectorized=vectorized, key=1)
    np.testing.assert_allclose(found.x, AT_BOUNDARY, atol=1e-6)
    assert found.success and len(found.constr) == 1 and found.constr[0].shape == (1,)
    assert found.maxcv == found.constr_violation < 1e-8
    both = differential_evolution(
        valley,
        SQUARE,
        constraints=(BELOW, LinearConstraint([1, 1], 1.2, 1.2), Bounds([0, 0], [0.5, 2])),
        vectorized=vectorized,
        key=1,
    )
    np.testing.assert_allclose(both.x, [0.5, 0.7], atol=1e-6)
    assert [c.shape for c in both.constr] == [(1,), (1,), (2,)] and both.success


def test_polished_points_hold_inequalities() -> None:
    # J. Lampinen, CEC 2002, problem 6: two circles meet in the minimum.
    def fun(x: Any) -> Any:
        return (x[0] - 10) ** 3 + (x[1] - 20) ** 3

    def circles(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        y = (x[1] - 5) ** 2
        return xp.stack([(x[0] - 5) ** 2 + y - 100, 82.81 - (x[0] - 6) ** 2 - y])

    limit = NonlinearConstraint(circles, 0, np.inf)
    found = differential_evolution(
        fun, [(13, 100), (0, 100)], strategy="rand1bin", constraints=limit, tol=1e-7, key=3
    )
    np.testing.assert_allclose(found.x, [14.095, 0.84296], atol=1e-4)
    assert found.success and np.all(circles(found.x) >= 0)


def test_whole_numbers_within_constraints() -> None:
    found = differential_evolution(
        lambda x: -(5 * x[0] + 4 * x[1]) + (x[2] - 0.5) ** 2,
        [(0, 10), (0, 10), (0, 1)],
        constraints=[
            {"type": "ineq", "fun": lambda x: 24 - 6 * x[0] - 4 * x[1]},
            {"type": "ineq", "fun": lambda x: 6 - x[0] - 2 * x[1]},
        ],
        integrality=[1, 1, 0],
        key=1,
    )
    np.testing.assert_allclose(found.x, [4, 0, 0.5], atol=1e-5)
    np.testing.assert_allclose(found.fun, -20)


def test_constraints_that_hold_nowhere() -> None:
    found = differential_evolution(
        valley, SQUARE, constraints=LinearConstraint([1, 1], 10.0), maxiter=30
    )
    assert not found.success and found.status == 2
    assert 6 <= found.maxcv < 6.1 and "maxcv" in found.message


@pytest.mark.parametrize("vectorized", [False, True])
def test_constraints_of_each_problem(vectorized: bool) -> None:
    line = LinearConstraint([1.0, 1], -np.inf, np.asarray([[1.0], [1.5]]))
    boxes = np.stack([SQUARE, SQUARE])
    found = differential_evolution(
        valley, boxes, constraints=[BELOW, line], vectorized=vectorized, key=1
    )
    assert np.all(found.success) and found.constr[1].shape == (2, 1)
    np.testing.assert_allclose(found.x.sum(axis=1), [1.0, 1.5], atol=1e-6)
    x = found.x[:, 0]  # the derivative of valley(x, c - x) is 0
    c = np.asarray([1.0, 1.5])
    slope = -200 * (c - x - x**2) * (1 + 2 * x) - 2 * (1 - x)
    np.testing.assert_allclose(slope, 0.0, atol=1e-3)


def test_constraints_that_read_values() -> None:
    def disc(x: Any) -> float:
        return math.hypot(float(x[0]), float(x[1])) if x[0] > 0 else float(x[1])

    found = differential_evolution(
        lambda x: -x.sum(), SQUARE, constraints=NonlinearConstraint(disc, 0, 1), key=2
    )
    np.testing.assert_allclose(found.x, math.sqrt(0.5), atol=1e-3)


def test_derivatives_with_constraints() -> None:
    def least(c: Any, **given: Any) -> Any:
        limit = NonlinearConstraint(lambda x: x[0] ** 2 + x[1], -np.inf, c)
        return differential_evolution(valley, SQUARE, constraints=limit, key=1, **given).x[0]

    c, h = np.asarray(1.9), 1e-3
    difference = (least(c + h) - least(c - h)) / (2 * h)
    np.testing.assert_allclose(grad(least)(c), difference, rtol=1e-2)
    with pytest.raises(NotSupported, match="polish"):
        grad(lambda c: least(c, polish=False))(c)


def test_constraints_on_other_libraries(xp: Any) -> None:
    found = differential_evolution(
        valley, xp.asarray(SQUARE), constraints=BELOW, key=1, maxiter=60, popsize=8
    )
    np.testing.assert_allclose(likewise.to_numpy(found.x), AT_BOUNDARY, atol=1e-3)


@pytest.mark.parametrize(
    ("error", "given"),
    [
        (ArgumentError, {"strategy": "best3bin"}),
        (ArgumentError, {"mutation": 2.5}),
        (ArgumentError, {"mutation": (0.1, np.nan)}),
        (ArgumentError, {"init": "latin"}),
        (ArgumentError, {"init": np.zeros((4, 2))}),
        (ArgumentError, {"init": np.zeros((5, 3))}),
        (ArgumentError, {"x0": [9.0, 0.0]}),
        (ArgumentError, {"rng": np.random.default_rng(1)}),
        (ArgumentError, {"seed": 1, "key": 2}),
        (ArgumentError, {"key": -1}),
        (ArgumentError, {"updating": "later"}),
        (ArgumentError, {"maxiter": -1}),
        (ArgumentError, {"bounds": [(0, np.inf), (0, 1)]}),
        (ArgumentError, {"bounds": [(2, 1), (0, 1)]}),
        (ArgumentError, {"bounds": [(0, 1), (None, 1)]}),
        (ArgumentError, {"bounds": [0, 1]}),
        (ShapeError, {"bounds": np.zeros((2, 3))}),
        (ShapeError, {"integrality": [1, 0, 1]}),
        (NotSupported, {"bounds": np.zeros((3, 2, 2)), "disp": True}),
        (TypeError, {"func": 3}),
        (TypeError, {"callback": 3}),
        (RuntimeError, {"func": lambda x: x}),
        (RuntimeError, {"func": lambda x: x[:, :1], "vectorized": True}),
        (ConstraintError, {"constraints": [1]}),
        (ShapeError, {"constraints": LinearConstraint([1.0, 1], np.zeros((3, 1)))}),
    ],
)
def test_bad_input(error: type[Exception], given: dict[str, Any]) -> None:
    with pytest.raises(error, match="differential_evolution"):
        differential_evolution(**{"func": bowl, "bounds": BOX, **given})
