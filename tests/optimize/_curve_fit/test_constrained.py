"""Fits with constraints: SciPy's minima, eliminated parameters, derivatives, options, statuses."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise import array_namespace
from likewise.errors import ConstraintError, ConvergenceError, ShapeError
from likewise.optimize import LinearConstraint, NonlinearConstraint, curve_fit
from likewise.transforms import jit, vjp

T = np.linspace(0, 4, 30)
START = [1.0, 1.0, 0.0]


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t, a, k).exp(-k * t) + c


def area(p: Any) -> Any:
    return p[0] * p[1]


def data(rng: Any, *batch: int) -> Any:
    a = 2 + rng.uniform(-0.2, 0.2, size=(*batch, 1))
    return decay(T, a, 1.0, 0.3) + 0.05 * rng.normal(size=(*batch, 30))


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-6) -> None:
    tol = tol if lib.has_float64 else 3e-3
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tol, atol=tol)


def test_every_problem_of_a_batch_as_scipy(lib: Any, rng: Any) -> None:
    y = data(rng, 2, 2)
    total = np.asarray([[[1.9], [2.0]], [[2.1], [9.0]]])  # the last is no restriction
    rules = [
        LinearConstraint(lib.asarray(np.asarray([[1.0, 0.0, 1.0]])), -np.inf, lib.asarray(total)),
        NonlinearConstraint(area, -np.inf, 1.6),
    ]
    found = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), START, constraints=rules, full_output=True
    )
    assert np.all(lib.to_numpy(found.success))
    some = 0
    for i in np.ndindex(2, 2):
        best = scipy.optimize.minimize(
            lambda p, y=y[i]: 0.5 * np.sum((decay(T, *p) - y) ** 2), START, method="SLSQP",
            constraints=[
                {"type": "ineq", "fun": lambda p, i=i: total[i][0] - p[0] - p[2]},
                {"type": "ineq", "fun": lambda p: 1.6 - area(p)},
            ],
            options={"ftol": 1e-15, "maxiter": 300},
        )  # fmt: skip
        near(lib, found.popt[i], best.x, 1e-5)
        near(lib, found.rss[i], 2 * best.fun, 1e-8)
        near(lib, found.multipliers[i], -best.multipliers, 1e-4)
        some += np.sum(np.abs(best.multipliers) > 0.01)
    assert some >= 4


@pytest.mark.parametrize("absolute", [True, False])
def test_covariance_as_of_eliminated_parameters(lib: Any, rng: Any, absolute: bool) -> None:
    y, sigma = data(rng), rng.uniform(0.05, 0.1, size=30)
    given = {"sigma": lib.asarray(sigma), "absolute_sigma": absolute}
    sums = lib.asarray(np.asarray([[1.0, 0.0, 1.0], [2.0, 0.0, 2.0]]))  # one says nothing new
    rules = [
        LinearConstraint(sums, [2.0, 4.0], [2.0, 4.0]),
        NonlinearConstraint(area, -np.inf, 9.0),
    ]
    popt, pcov = curve_fit(decay, lib.asarray(T), lib.asarray(y), START, constraints=rules, **given)
    p, c = scipy.optimize.curve_fit(
        lambda t, a, k: decay(t, a, k, 2 - a), T, y, [1.0, 1.0], sigma, absolute
    )
    back = np.asarray([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    near(lib, popt, [*p, 2 - p[0]], 1e-5)
    near(lib, pcov, back @ c @ back.T, 1e-5)


def test_a_constraint_determines_what_the_data_do_not(rng: Any) -> None:
    def model(t: Any, a: Any, b: Any, k: Any) -> Any:
        return decay(t, a * b, k, 0.0)

    rule = NonlinearConstraint(lambda p: p[0] - p[1] ** 2, 0.0, 0.0)
    y = data(rng) - 0.3
    popt, pcov = curve_fit(model, T, y, [1.0, 1.0, 1.0], constraints=rule)
    p, c = scipy.optimize.curve_fit(lambda t, b, k: model(t, b**2, b, k), T, y, [1.0, 1.0])
    back = np.asarray([[2 * p[0], 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(popt, [p[0] ** 2, *p], rtol=1e-6)
    np.testing.assert_allclose(pcov, back @ c @ back.T, rtol=1e-4)
    loose = NonlinearConstraint(lambda p: p[0] - p[1] ** 2, -9.0, 9.0)
    end = curve_fit(model, T, y, [1.0, 1.0, 1.0], constraints=loose, full_output=True)
    assert np.all(np.isinf(end.pcov))


def test_fixed_parameters_losses_priors_and_masks(rng: Any) -> None:
    y = data(rng)
    y[4] = 30.0
    mask = np.arange(30) != 7
    found = curve_fit(
        decay, T, y, [1.0, 1.0, 0.2], fixed=[False, False, True], loss="soft_l1", f_scale=0.1,
        prior=([1.5, 1.0, 0.0], [0.1, np.inf, 1.0]), sigma=0.05, absolute_sigma=True, mask=mask,
        constraints={"type": "ineq", "fun": lambda p: 0.8 - area(p)}, full_output=True,
    )  # fmt: skip

    def cost(p: Any) -> Any:
        z = ((decay(T, *p, 0.2) - y) / 0.05 / 0.1)[mask] ** 2
        return 0.5 * np.sum(2 * (np.sqrt(1 + z) - 1)) * 0.01 + 0.5 * ((p[0] - 1.5) / 0.1) ** 2

    best = scipy.optimize.minimize(
        cost, [1.0, 1.0], method="SLSQP", options={"ftol": 1e-15},
        constraints={"type": "ineq", "fun": lambda p: 0.8 - area(p)},
    )  # fmt: skip
    np.testing.assert_allclose(found.popt, [*best.x, 0.2], rtol=1e-5)
    np.testing.assert_allclose(found.multipliers, best.multipliers, rtol=1e-4)
    assert found.multipliers[0] > 0.1
    assert np.all(found.pcov[2, :] == 0) and np.all(found.pcov[:2, :2] != 0)


def test_derivatives(lib: Any, rng: Any) -> None:
    if lib.library == "dask" or not lib.has_float64:  # differences need float64
        return
    y, total = data(rng, 2), np.asarray([2.0])
    weight = [rng.normal(size=s) for s in ((2, 3), (2, 3, 3), (2, 2))]
    scale = np.asarray(1.1)

    def solution(y: Any, total: Any, scale: Any) -> Any:
        rules = [
            LinearConstraint(np.asarray([[1.0, 0.0, 1.0]]), total, total),
            NonlinearConstraint(lambda p: area(p) * scale, -np.inf, 1.0),
        ]
        if lib.name != "numpy":
            rules[0] = LinearConstraint(lib.asarray(rules[0].A), total, total)
        end = curve_fit(
            lambda t, a, k, c: decay(t, a, k, c * scale), lib.asarray(T), y, START,
            constraints=rules, full_output=True,
        )  # fmt: skip
        return end.popt, end.pcov, end.multipliers

    given = tuple(map(lib.asarray, (y, total, scale)))
    out, pull = vjp(solution, *given)
    assert np.all(np.abs(lib.to_numpy(out[2])) > 1e-2)  # all are active
    slopes = pull(tuple(map(lib.asarray, weight)))
    for i, (a, slope) in enumerate(zip((y, total, scale), slopes, strict=True)):
        turn = rng.normal(size=a.shape)
        ends = []
        for h in (-1e-5, 1e-5):
            moved = (*given[:i], lib.asarray(np.asarray(a + h * turn)), *given[i + 1 :])
            parts = zip(weight, map(lib.to_numpy, solution(*moved)), strict=True)
            ends.append(sum(np.sum(w * v) for w, v in parts))
        expected = (ends[1] - ends[0]) / 2e-5
        np.testing.assert_allclose(np.sum(lib.to_numpy(slope) * turn), expected, rtol=2e-4)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_under_jit(rng: Any) -> None:
    import jax.numpy as jnp

    rule = NonlinearConstraint(area, -np.inf, 1.5)
    y = data(rng, 3).astype(np.float32)

    @jit
    def fit(y: Any) -> Any:
        return curve_fit(decay, jnp.asarray(T, dtype=y.dtype), y, START, constraints=rule)

    popt, pcov = fit(jnp.asarray(y))
    expected = curve_fit(decay, T.astype(np.float32), y, START, constraints=rule)
    np.testing.assert_allclose(popt, expected[0], rtol=2e-3)
    np.testing.assert_allclose(pcov, expected[1], rtol=2e-2, atol=1e-6)
    assert popt.dtype == np.float32


def test_any_scale(rng: Any) -> None:
    y, scale = data(rng), np.asarray([1e7, 1e-4, 1e7])
    rules = LinearConstraint([[1.0, 0.0, 1.0]], 2.0, 2.0)
    popt, pcov = curve_fit(decay, T, y, START, constraints=rules)
    rules = LinearConstraint([[1.0, 0.0, 1.0]], 2e7, 2e7)
    far = curve_fit(decay, T * 1e4, y * 1e7, START * scale, constraints=rules)
    np.testing.assert_allclose(far[0] / scale, popt, rtol=1e-6)
    np.testing.assert_allclose(far[1] / np.outer(scale, scale), pcov, rtol=1e-5)


@pytest.mark.needs("dask")
def test_differences_and_dask(rng: Any) -> None:
    import dask.array as da

    rule = NonlinearConstraint(area, -np.inf, 1.5)
    y = data(rng, 4)
    exact = curve_fit(decay, T, y, START, constraints=rule)
    other = curve_fit(decay, T, y, START, constraints=rule, jac="3-point")
    np.testing.assert_allclose(other[0], exact[0], rtol=1e-6)
    blocks = curve_fit(decay, T, da.from_array(y, chunks=(2, 30)), START, constraints=rule)
    np.testing.assert_allclose(blocks[0].compute(), exact[0], rtol=1e-9)


def test_failures(rng: Any) -> None:
    y = data(rng)
    never = NonlinearConstraint(lambda p: p[0] ** 2, -2.0, -1.0)
    with pytest.raises(ConvergenceError, match="constraints"):
        curve_fit(decay, T, y, START, constraints=never)
    end = curve_fit(decay, T, y, START, constraints=never, full_output=True)
    assert end.status == -5 and np.all(np.isnan(end.pcov)) and end.constr_violation > 0.9
    with pytest.raises(ConstraintError, match="constraints"):
        curve_fit(decay, T, y, START, constraints=3)
    with pytest.raises(ShapeError, match="column for each"):
        curve_fit(decay, T, y, START, constraints=LinearConstraint(np.ones((1, 2)), 0.0, 1.0))
    y = np.stack([y, y])
    y[0, 3] = np.nan
    rule = NonlinearConstraint(area, -np.inf, 1.5)
    end = curve_fit(decay, T, y, START, constraints=rule, full_output=True)
    assert end.status[0] == -1 and end.status[1] > 0


def test_derivatives_of_covariances(rng: Any) -> None:
    """By data where no row is active, and by a row's matrix, which turns the tangent space."""
    y, weight = data(rng, 2), rng.normal(size=(2, 3, 3))

    def told(y: Any, row: Any) -> Any:
        rule = LinearConstraint(row, -np.inf, np.asarray([[2.0], [9.0]]))
        end = curve_fit(decay, T, y, START, constraints=rule, full_output=True)
        return end.pcov

    row = np.asarray([[1.0, 0.2, 1.0]])
    given, (_, pull) = (y, row), vjp(told, y, row)
    for i, slope in enumerate(pull(weight)):
        turn = rng.normal(size=slope.shape)
        ends = []
        for h in (-1e-5, 1e-5):
            moved = (*given[:i], given[i] + h * turn, *given[i + 1 :])
            ends.append(np.sum(weight * told(*moved)))
        np.testing.assert_allclose(np.sum(slope * turn), (ends[1] - ends[0]) / 2e-5, rtol=2e-4)
