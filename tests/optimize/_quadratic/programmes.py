"""Quadratic programmes at random, and by how much a point fails the conditions of optimality."""

from typing import Any

import numpy as np


def residuals(
    data: tuple[Any, ...], x: Any, y: Any, z: Any, least: float = 1e-9
) -> tuple[Any, Any, Any]:
    """By how much stationarity, feasibility and complementarity fail, for each problem.

    Smaller multipliers than `least`, relative to the largest, are rounding.
    """
    h, g, a, low, high, lower, upper = data
    pull = np.einsum("bij,bj->bi", h, x) + g - np.einsum("bji,bj->bi", a, y) - z
    value = np.concatenate([np.einsum("bij,bj->bi", a, x), x], axis=1)
    low, high = np.concatenate([low, lower], axis=1), np.concatenate([high, upper], axis=1)
    out = np.maximum(np.maximum(low - value, value - high), 0.0)
    force = np.concatenate([y, z], axis=1)
    side = np.where(force > 0, low, np.where(force < 0, high, value))
    away = np.where(np.abs(force) > least * np.max(np.abs(force), axis=1)[:, None], value - side, 0)
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
