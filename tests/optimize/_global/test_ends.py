"""Annealing, hops, grids, boxes and samples: global minima whose places are known."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import direct as scipys
from scipy.optimize._dual_annealing import VisitingDistribution

import likewise
from likewise.errors import ArgumentError, NotSupported, ShapeError
from likewise.optimize import (
    LinearConstraint,
    NonlinearConstraint,
    basinhopping,
    brute,
    direct,
    dual_annealing,
    fmin,
    shgo,
)
from likewise.optimize._global._dual_annealing import _settings, _visits
from likewise.transforms import grad

BOX = np.asarray([[-4.0, 5.0], [-5.12, 4.5]])


def rastrigin(x: Any) -> Any:
    xp = likewise.array_namespace(x)
    return xp.sum(x**2 - 10 * xp.cos(2 * math.pi * x)) + 10 * x.shape[0]


def waves(x: Any) -> Any:
    xp = likewise.array_namespace(x)
    return xp.cos(14.5 * x[0] - 0.3) + (x[1] + 0.2) * x[1] + (x[0] + 0.2) * x[0]


LEAST = [-0.19506755, -0.1]


def bowl(x: Any) -> Any:
    return ((x - 0.5) ** 2).sum()


def read(x: Any) -> float:
    """A function that can't be traced."""
    return math.hypot(float(x[0]) - 0.5, float(x[1]) + 1) if x[0] > -3 else 9.0


SEARCHES = {
    "dual_annealing": lambda f, **given: dual_annealing(f, BOX, maxiter=120, key=2, **given),
    "direct": lambda f, **given: direct(f, BOX, **given),
    "shgo": lambda f, **given: shgo(f, BOX, n=700, **given),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_lowest_of_many_minima(name: str) -> None:
    found = SEARCHES[name](rastrigin)
    np.testing.assert_allclose(found.x, 0.0, atol=1e-4)
    assert found.success and found.fun < 1e-5 and found.nfev > 0


@pytest.mark.parametrize("name", SEARCHES)
def test_functions_that_read_values(name: str) -> None:
    np.testing.assert_allclose(SEARCHES[name](read).x, [0.5, -1.0], atol=1e-2)


@pytest.mark.parametrize("name", SEARCHES)
def test_values_that_are_not_finite(name: str) -> None:
    def fun(x: Any) -> Any:
        return np.where(x[0] > 0, bowl(x), np.nan)

    np.testing.assert_allclose(SEARCHES[name](fun).x, 0.5, atol=1e-3)


@pytest.mark.parametrize("name", [*SEARCHES, "basinhopping"])
def test_derivatives_of_what_is_closed_over(name: str) -> None:
    def least(c: Any) -> Any:
        xp = likewise.array_namespace(c)

        def fun(x: Any) -> Any:
            return xp.sum((x - c) ** 2) + 0.3 * x[0] ** 2 * x[1] ** 2

        if name == "basinhopping":
            found = basinhopping(fun, np.zeros(2), niter=1, minimizer_kwargs={"tol": 1e-9})
        else:
            found = SEARCHES[name](fun)
        return found.x[0] + 2 * found.x[1] + 3 * found.fun

    c = np.asarray([0.7, 1.1])
    # The conditions at the minimum: 2 (x - c) + 0.6 (x0 x1^2, x0^2 x1) = 0.
    x = c
    for _ in range(60):
        x = c - 0.3 * np.asarray([x[0] * x[1] ** 2, x[0] ** 2 * x[1]])
    h = 2 * np.eye(2) + 0.6 * np.asarray(
        [[x[1] ** 2, 2 * x[0] * x[1]], [2 * x[0] * x[1], x[0] ** 2]]
    )
    expected = np.linalg.solve(h, [2.0, 4.0]) - 6 * (x - c)
    np.testing.assert_allclose(grad(least)(c), expected, rtol=1e-2)


def test_batches_of_annealings() -> None:
    boxes = np.stack([BOX, 0.5 * BOX, BOX + 0.3])
    found = dual_annealing(rastrigin, boxes, maxiter=150, key=1)
    assert found.x.shape == (3, 2) and found.fun.shape == found.nfev.shape == (3,)
    np.testing.assert_allclose(found.x, 0.0, atol=1e-5)
    other = dual_annealing(rastrigin, boxes[:2][:, ::-1] * [[[1], [1]]], maxiter=3, key=1)
    assert np.all(other.nit == 3)


def test_options_of_annealing() -> None:
    seen: list[int] = []

    def told(x: Any, f: Any, context: int) -> bool:
        assert f == rastrigin(x)
        seen.append(context)
        return len(seen) == 3

    found = dual_annealing(rastrigin, BOX, callback=told, key=1)
    assert found.status == 99 and len(seen) == 3 and set(seen) <= {0, 1}
    few = dual_annealing(rastrigin, BOX, maxfun=20, no_local_search=True)
    assert few.status == 1 and few.nfev == 20 and not few.success
    alone = dual_annealing(bowl, BOX, maxiter=30, no_local_search=True, x0=[0.6, 0.4])
    assert alone.njev == 0 and alone.fun <= bowl(np.asarray([0.6, 0.4]))
    again = dual_annealing(bowl, BOX, maxiter=20, restart_temp_ratio=0.9, no_local_search=True)
    assert again.nit == 20 and again.nfev > 20 * 4  # it started anew
    with pytest.raises(ValueError, match="no value of func was finite"):
        dual_annealing(lambda x: x[0] * np.nan, BOX, maxiter=2)
    lost = dual_annealing(
        lambda x: np.where(x[0] > -3, bowl(x), np.nan), np.stack([BOX, BOX - 9]), maxiter=2
    )
    assert np.all(lost.status == [0, 3]) and np.all(lost.success == [True, False])


def test_moves_of_annealing_have_their_distribution() -> None:
    settings = _settings(1, 5230.0, 2e-5, 2.62, -5.0, 1e7, False, False)
    rng = np.random.default_rng(1)
    moves = _visits(
        np, settings, np.full(20000, 10.0), rng.random((20000, 2)), rng.random((20000, 1))
    )
    reference = np.random.default_rng(2)
    visiting = VisitingDistribution(np.zeros(1), np.ones(1), 2.62, reference)
    drawn = np.concatenate([visiting.visit_fn(10.0, 500) for _ in range(40)])
    levels = [0.1, 0.25, 0.5, 0.75, 0.9]
    ours, theirs = (np.quantile(np.log10(np.abs(m)), levels) for m in (moves, drawn))
    np.testing.assert_allclose(ours, theirs, atol=0.12)
    assert abs(np.mean(moves > 0) - 0.5) < 0.02


def test_hops() -> None:
    found = basinhopping(waves, [1.0, 1.0], key=1)
    np.testing.assert_allclose(found.x, LEAST, atol=1e-6)
    assert found.success and found.nit == 100 and found.minimization_failures == 0
    many = basinhopping(waves, np.asarray([[1.0, 1.0], [-2.0, 0.5]]), niter=60, key=1)
    np.testing.assert_allclose(many.x, [LEAST, LEAST], atol=1e-6)
    for one in (found, many):
        lowest = one.lowest_optimization_result
        np.testing.assert_array_equal(lowest.x, one.x)
        assert lowest.jac.shape == one.x.shape and np.all(abs(lowest.jac) < 1e-4)
        assert np.all(lowest.success) and np.all(lowest.nfev < one.nfev)
    cold = basinhopping(waves, [1.0, 1.0], niter=5, T=0, stepsize=1e-3)
    np.testing.assert_allclose(cold.x[1], -0.1, atol=1e-5)
    early = basinhopping(bowl, [1.0, 1.0], niter_success=3)
    assert early.nit <= 4
    simplex = {"method": "Nelder-Mead"}
    without = basinhopping(bowl, [1.0, 1.0], niter=2, minimizer_kwargs=simplex)
    assert without.lowest_optimization_result.jac is None
    within = basinhopping(
        bowl, [1.0, 1.0], niter=3, minimizer_kwargs={"bounds": [(0.7, 2), (0, 2)]}
    )
    np.testing.assert_allclose(within.x, [0.7, 0.5], atol=1e-6)


def test_hops_by_functions_of_the_caller(capsys: Any) -> None:
    class Step:
        stepsize = 0.4

        def __call__(self, x: Any) -> Any:
            return x + self.stepsize

    step, seen = Step(), []
    found = basinhopping(
        waves, [-2.0, 0.0], niter=12, take_step=step, interval=3, disp=True,
        accept_test=lambda f_new, f_old, x_new, x_old: "force accept",
        callback=lambda x, f, accept: seen.append((f, accept)),
    )  # fmt: skip
    assert found.nit == 12 and step.stepsize != 0.4
    assert [accept for _, accept in seen] == [True] * 13
    assert capsys.readouterr().out.count("basinhopping step") == 12
    found = basinhopping(waves, [0.0, 0.0], accept_test=lambda **k: False, niter=4)
    assert found.fun >= waves(np.asarray(LEAST)) and found.nit == 4
    found = basinhopping(waves, [0.0, 0.0], callback=lambda x, f, accept: True)
    assert found.status == 99 and found.nit == 1 and found.success  # as in SciPy
    assert found.message == "callback function requested stop early by returning True"
    lost = {"options": {"maxiter": 0}}  # no local search converges
    found = basinhopping(
        waves, [0.4, 0.0], callback=lambda x, f, accept: True, minimizer_kwargs=lost
    )
    assert found.status == 1 and not found.success
    with pytest.raises(ArgumentError, match="force accept"):
        basinhopping(waves, [0.0, 0.0], accept_test=lambda **k: "accept")


def test_grids() -> None:
    x, f, grid, values = brute(waves, (slice(-2, 2, 0.1), (-1, 1)), Ns=5, full_output=True)
    np.testing.assert_allclose(x, LEAST, atol=1e-3)
    assert grid.shape == (2, 40, 5) and values.shape == (40, 5) and f <= values.min()
    np.testing.assert_allclose(grid[0][:, 0], np.arange(-2, 2, 0.1), atol=1e-12)
    np.testing.assert_allclose(grid[1][0], np.linspace(-1, 1, 5))
    np.testing.assert_allclose(values[2, 3], waves(grid[:, 2, 3]))
    assert brute(lambda x: (x[0] - 0.3) ** 2, (slice(-1, 1, 21j),), finish=None) == pytest.approx(
        0.3
    )
    steps = brute(waves, ((-2, 2, 0.5), (-1, 1)), Ns=3, full_output=True, finish=None)[2]
    np.testing.assert_allclose(steps[0][:, 0], np.arange(-2, 2, 0.5))
    near = brute(waves, ((-2, 2), (-2, 2)), finish=fmin)
    np.testing.assert_allclose(near, LEAST, atol=1e-3)
    scaled = brute(lambda x, a: (a * x[0] - 1) ** 2, ((0, 2),), args=(np.float32(2),), finish=None)
    assert abs(scaled - 0.5) < 0.1


def test_grids_of_the_library_of_args(xp: Any) -> None:
    target = xp.asarray([0.5, -0.5])
    found = brute(lambda x, c: xp.sum((x - c) ** 2), [(-1, 1)] * 2, (target,), Ns=5, finish=None)
    assert type(found) is type(target) and found.dtype == target.dtype
    np.testing.assert_allclose(likewise.to_numpy(found), [0.5, -0.5])


@pytest.mark.parametrize("biased", [True, False])
def test_boxes_are_scipys(biased: bool) -> None:
    for fun, given in ((waves, {}), (bowl, {"len_tol": 1e-3}), (rastrigin, {"vol_tol": 1e-7})):
        found, known = (
            f(fun, BOX.tolist(), locally_biased=biased, **given) for f in (direct, scipys)
        )
        assert (found.status, found.nit, found.nfev) == (known.status, known.nit, known.nfev)
        np.testing.assert_allclose(found.fun, known.fun, rtol=1e-9)


@pytest.mark.parametrize("biased", [True, False])
def test_boxes(biased: bool) -> None:
    found = direct(waves, BOX, locally_biased=biased, f_min=waves(np.asarray(LEAST)), maxfun=9000)
    assert found.status == 3 and found.success
    np.testing.assert_allclose(found.x, LEAST, atol=1e-2)
    assert direct(bowl, BOX, locally_biased=biased, len_tol=1e-2, vol_tol=0).status == 5
    assert direct(bowl, BOX, locally_biased=biased, vol_tol=1e-3, len_tol=0).status == 4
    assert direct(bowl, BOX, locally_biased=biased, maxiter=3).status == 2
    limited = direct(rastrigin, BOX, locally_biased=biased, maxfun=50)
    assert limited.status == 1 and 50 < limited.nfev < 80 and not limited.success


def test_boxes_of_a_batch() -> None:
    boxes = np.stack([BOX, BOX + 1])
    found = direct(waves, boxes, maxfun=600)
    for i in range(2):
        alone = direct(waves, boxes[i], maxfun=600)
        np.testing.assert_allclose(found.x[i], alone.x, rtol=1e-14)
        assert found.nfev[i] == alone.nfev and found.status[i] == alone.status
    seen: list[Any] = []

    def told(x: Any) -> None:
        seen.append(x)
        if len(seen) == 2:
            raise StopIteration

    assert direct(waves, BOX, callback=told).status == 99 and len(seen) == 2


@pytest.mark.parametrize("method", ["simplicial", "sobol", "halton"])
def test_samples(method: str) -> None:
    found = shgo(
        lambda x: ((x**2 - 1) ** 2 + 0.1 * x).sum(), [(-2, 2)] * 2, n=64, sampling_method=method
    )
    assert found.success and found.status == 0
    low, high = -1.0122, 0.9873  # 4 x^3 - 4 x + 0.1 = 0
    np.testing.assert_allclose(found.x, low, atol=1e-3)
    for minimum in ([low, low], [low, high], [high, low], [high, high]):
        assert np.min(np.abs(found.xl - minimum).max(axis=1)) < 1e-3
    assert np.all(np.diff(found.funl) >= 0) and found.fun == found.funl[0]
    one = shgo(bowl, [(0, 1)] * 2, n=64, sampling_method=method, options={"local_iter": 1})
    assert one.xl.shape == (1, 2)


def test_samples_with_constraints() -> None:
    # Nocedal and Wright, example 16.4
    lines = [lambda x: x[0] - 2 * x[1] + 2, lambda x: 6 - x[0] - 2 * x[1]]
    found = shgo(
        lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2,
        [(0, 4), (0, 4)],
        constraints=[{"type": "ineq", "fun": line} for line in lines],
    )
    np.testing.assert_allclose(found.x, [1.4, 1.7], atol=1e-6)
    assert found.success
    never = shgo(bowl, [(0, 1)] * 2, constraints=LinearConstraint([1.0, 1], 5.0), n=16)
    assert never.status == 3 and not never.success

    def least(c: Any) -> Any:
        line = LinearConstraint([1.0, 1], -np.inf, c)
        return shgo(lambda x: ((x - 1) ** 2).sum(), [(0, 4)] * 2, constraints=line).x[0]

    np.testing.assert_allclose(grad(least)(np.asarray(1.0)), 0.5, rtol=1e-6)


def test_sampling_by_the_caller_and_values_with_gradients() -> None:
    def sample(n: int, p: int) -> Any:
        return np.random.default_rng(3).random((n, p))

    def both(x: Any) -> Any:
        return bowl(x), 2 * (x - 0.5)

    found = shgo(
        both, BOX, n=30, iters=None, sampling_method=sample, minimizer_kwargs={"jac": True}
    )
    np.testing.assert_allclose(found.x, 0.5, atol=1e-8)
    assert found.nit == 1 and found.nfev - found.nlfev == 30
    with pytest.raises(ShapeError, match="sampling_method"):
        shgo(bowl, BOX, sampling_method=lambda n, p: np.zeros((n, 3)))


def test_samples_of_which_no_point_is_feasible() -> None:
    def circle(x: Any) -> Any:
        return x[0] ** 2 + x[1] ** 2

    on = NonlinearConstraint(circle, 1.0, 1.0)
    found = shgo(lambda x: x[0] + x[1], [(-2, 2)] * 2, constraints=on, n=30)
    np.testing.assert_allclose(found.x, -np.sqrt(0.5), atol=1e-7)
    # No point of a lattice is in a disc of radius 0.1.
    within = {"type": "ineq", "fun": lambda x: 0.01 - circle(x - 0.3)}
    found = shgo(lambda x: x[0] + x[1], [(-2, 2)] * 2, constraints=within, n=16)
    np.testing.assert_allclose(found.x, 0.3 - 0.1 * np.sqrt(0.5), atol=1e-6)
    assert found.success


def test_sample_without_values() -> None:
    found = shgo(lambda x: x[0] * np.nan, BOX)
    assert found.status == 3 and not found.success and found.xl.shape == (0, 2)
    flat = shgo(lambda x: x[0] * 0 + 1.0, BOX)
    assert flat.fun == 1.0 and flat.status == 2 and not flat.success
    corners = shgo(bowl, [(0, 1)] * 2, n=4)  # all have the same value
    assert corners.success and corners.fun < 1e-12
    assert shgo(bowl, [(1, 1)] * 2, n=4).success


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ArgumentError, lambda: dual_annealing(bowl, BOX, visit=3.5)),
        (ArgumentError, lambda: dual_annealing(bowl, BOX, accept=1.0)),
        (ArgumentError, lambda: dual_annealing(bowl, BOX, initial_temp=0)),
        (ArgumentError, lambda: dual_annealing(bowl, BOX, restart_temp_ratio=1)),
        (ArgumentError, lambda: dual_annealing(bowl, [(1, 1)])),
        (ArgumentError, lambda: dual_annealing(bowl, BOX, x0=[9.0, 0.0])),
        (ArgumentError, lambda: dual_annealing(bowl, BOX, rng=np.random.default_rng(1))),
        (NotSupported, lambda: dual_annealing(bowl, np.stack([BOX, BOX]), callback=print)),
        (ArgumentError, lambda: basinhopping(bowl, [0.0], stepwise_factor=1.0)),
        (ArgumentError, lambda: basinhopping(bowl, [0.0], target_accept_rate=0.0)),
        (TypeError, lambda: basinhopping(bowl, [0.0], take_step=1)),
        (TypeError, lambda: basinhopping(bowl, [0.0], accept_test=1)),
        *((TypeError, lambda f=f: f(3, BOX)) for f in (basinhopping, brute, direct, shgo)),
        *(
            (TypeError, lambda f=f: f(bowl, BOX, callback=3))
            for f in (direct, dual_annealing, shgo)
        ),
        (NotSupported, lambda: basinhopping(bowl, np.zeros((2, 1)), disp=True)),
        (ArgumentError, lambda: brute(bowl, 3)),
        (ArgumentError, lambda: brute(bowl, [("a", "b")])),
        (ArgumentError, lambda: direct(bowl, BOX, eps=-1)),
        (ArgumentError, lambda: direct(bowl, BOX, vol_tol=2)),
        (ArgumentError, lambda: direct(bowl, BOX, locally_biased="yes")),
        (ArgumentError, lambda: direct(bowl, BOX[:, ::-1])),
        (NotSupported, lambda: direct(bowl, np.stack([BOX, BOX]), callback=print)),
        (ArgumentError, lambda: shgo(bowl, BOX, sampling_method="grid")),
        (ArgumentError, lambda: shgo(bowl, [(0, 1)] * 20)),
        (NotSupported, lambda: shgo(bowl, np.stack([BOX, BOX]))),
    ],
)
def test_bad_input(error: type[Exception], call: Any) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("name", ["basinhopping", "direct", "dual_annealing", "shgo"])
def test_on_other_libraries(xp: Any, lib: Any, name: str) -> None:
    calls = {
        "basinhopping": lambda box: basinhopping(bowl, box[:, 0], niter=2),
        "direct": lambda box: direct(bowl, box, maxiter=12),
        "dual_annealing": lambda box: dual_annealing(bowl, box, maxiter=2),
        "shgo": lambda box: shgo(bowl, box, n=9),
    }

    def bowl(x: Any) -> Any:
        return likewise.array_namespace(x).sum((x - 0.5) ** 2)

    box = xp.asarray(BOX)
    if lib.jit and name != "basinhopping":  # the host has no values
        with pytest.raises(NotSupported, match=name):
            calls[name](box)
        return
    found = calls[name](box)
    assert type(found.x) is type(box) and found.x.dtype == box.dtype
    np.testing.assert_allclose(likewise.to_numpy(found.x), 0.5, atol=2e-2)
