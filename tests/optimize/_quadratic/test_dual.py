"""The dual active set: conditions of optimality, redundant, degenerate and contradictory rows."""

from typing import Any

import numpy as np
import pytest

from likewise.optimize._quadratic._dual import quadratic
from likewise.solving._outcome import Outcome


def residuals(data: tuple[Any, ...], x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """By how much stationarity, feasibility and complementarity fail, for each problem."""
    h, g, a, low, high, lower, upper = data
    pull = np.einsum("bij,bj->bi", h, x) + g - np.einsum("bji,bj->bi", a, y) - z
    value = np.concatenate([np.einsum("bij,bj->bi", a, x), x], axis=1)
    low, high = np.concatenate([low, lower], axis=1), np.concatenate([high, upper], axis=1)
    out = np.maximum(np.maximum(low - value, value - high), 0.0)
    force = np.concatenate([y, z], axis=1)
    side = np.where(force > 0, low, np.where(force < 0, high, value))
    away = np.where(np.abs(force) > 1e-9 * np.max(np.abs(force), axis=1)[:, None], value - side, 0)
    size = 1 + np.max(np.abs(force), axis=1)
    room = 1 + np.max(np.abs(x), axis=1)
    return (
        np.max(np.abs(pull), axis=1) / size,
        np.max(out, axis=1) / room,
        np.max(np.abs(away), axis=1) / room,
    )


def problems(rng: Any, count: int, n: int, m: int) -> tuple[Any, ...]:
    """Feasible problems with equalities, one- and two-sided rows, dependent rows and corners."""
    q = rng.normal(size=(count, n, n))
    h = np.einsum("bij,bkj->bik", q, q) + 0.1 * np.eye(n)
    g, a, x = 5 * rng.normal(size=(count, n)), rng.normal(size=(count, m, n)), rng.normal(size=n)
    if m > 3:
        a[::2, 1], a[::2, 2], a[::2, 3] = 3 * a[::2, 0], -a[::2, 0], a[::2, 0] - a[::2, 1]
    value, kind = np.einsum("bij,j->bi", a, x), rng.integers(0, 4, size=(count, m))
    room = rng.exponential(size=(2, count, m)) * (rng.uniform(size=(2, count, m)) > 0.4)
    low = np.where(kind == 0, value, np.where(kind == 3, -np.inf, value - room[0]))
    high = np.where(kind == 0, value, np.where(kind == 2, np.inf, value + room[1]))
    lower = np.where(rng.uniform(size=(count, n)) < 0.5, x, -np.inf)
    upper = np.where(rng.uniform(size=(count, n)) < 0.5, x + 0.5, np.inf)
    return h, g, a, low, high, lower, upper


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 6)])
def test_conditions_of_optimality(lib: Any, rng: Any, n: int, m: int) -> None:
    data = problems(rng, 12, n, m)
    found = quadratic(*(lib.asarray(v) for v in data))
    assert np.all(lib.to_numpy(found.outcome) == Outcome.CONVERGED)
    if not lib.has_float64:  # the sides as they came in float32
        data = tuple(lib.to_numpy(lib.asarray(v)).astype(float) for v in data)
    x, y, z = (lib.to_numpy(v).astype(float) for v in (found.x, found.y, found.z))
    tol = 1e-11 if lib.has_float64 else 2e-3
    for rest in residuals(data, x, y, z):
        assert np.max(rest) < tol


def test_more_and_larger_problems(rng: Any) -> None:
    for n, m in [(2, 9), (5, 3), (8, 12), (25, 30)]:
        data = problems(rng, 60, n, m)
        found = quadratic(*data)
        assert np.all(found.outcome == Outcome.CONVERGED)
        for rest in residuals(data, found.x, found.y, found.z):
            assert np.max(rest) < 1e-9


def test_without_rows_or_bounds(lib: Any) -> None:
    h, g = lib.asarray([[[2.0, 0.0], [0.0, 4.0]]]), lib.asarray([[-2.0, 4.0]])
    none = lib.asarray(np.zeros((1, 0)))
    found = quadratic(h, g, lib.asarray(np.zeros((1, 0, 2))), none, none)
    np.testing.assert_allclose(lib.to_numpy(found.x), [[1.0, -1.0]], rtol=1e-6)
    bounds = lib.asarray([[0.0, 0.0]]), lib.asarray([[0.5, np.inf]])
    found = quadratic(h, g, lib.asarray(np.zeros((1, 0, 2))), none, none, *bounds)
    np.testing.assert_allclose(lib.to_numpy(found.x), [[0.5, 0.0]], rtol=1e-6)
    np.testing.assert_allclose(lib.to_numpy(found.z), [[-1.0, 4.0]], rtol=1e-6)


def test_contradictions_and_what_is_not_finite(lib: Any) -> None:
    one = np.ones((5, 1))
    h = np.ones((5, 1, 1))
    h[3] = -1.0
    a = np.ones((5, 2, 1))
    low, high = np.asarray([[1.0, -np.inf]] * 5), np.asarray([[np.inf, 2.0]] * 5)
    high[1, 1] = 0.5  # above 1 and below 0.5
    low[2, 0] = np.nan
    low[4, 0] = high[4, 0] = 3.0  # equal to 3 and below 2
    found = quadratic(*(lib.asarray(v) for v in (h, one, a, low, high)))
    told = [1, Outcome.INFEASIBLE, Outcome.NOT_FINITE, Outcome.NOT_FINITE, Outcome.INFEASIBLE]
    assert lib.to_numpy(found.outcome).tolist() == told
    np.testing.assert_allclose(lib.to_numpy(found.x)[0], [1.0], rtol=1e-6)
