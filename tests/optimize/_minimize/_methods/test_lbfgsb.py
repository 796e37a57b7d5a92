"""The parts of L-BFGS-B against a dense matrix: its model, the Cauchy point, the free minimum."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.optimize._minimize._methods import _lbfgsb as m

P, MAXCOR = 4, 3
INF = np.inf


def learned(xp: Any, steps: Any, changes: Any) -> Any:
    """The memory after steps (k, B, p) and changes of the gradient."""
    zeros = xp.zeros((steps.shape[1], MAXCOR, P), dtype=xp.float64)
    memory = m._Memory(zeros, zeros, xp.ones(steps.shape[1], dtype=xp.float64), zeros[:, :, 0])
    for s, y in zip(steps, changes, strict=True):
        memory = m._learn(memory, None, xp.asarray(s), xp.asarray(y), None)
    return memory


def dense(steps: Any, changes: Any) -> Any:
    """The matrix of one problem, by the BFGS formula from a multiple of the unit matrix."""
    steps, changes = steps[-MAXCOR:], changes[-MAXCOR:]
    y, s = changes[-1], steps[-1]
    b = np.eye(P) * (y @ y) / (s @ y)
    for s, y in zip(steps, changes, strict=True):
        b = b + np.outer(y, y) / (y @ s) - np.outer(b @ s, b @ s) / (s @ b @ s)
    return b


def drawn(seed: int, count: int, batch: int = 2) -> tuple[Any, Any, Any]:
    """Steps, the changes of the gradient of a quadratic function, and the dense matrices."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(batch, P, P))
    hessian = a @ np.swapaxes(a, 1, 2) + 0.1 * np.eye(P)
    steps = rng.normal(size=(count, batch, P))
    changes = (hessian @ steps[..., None])[..., 0]
    each = [dense(steps[:, i], changes[:, i]) for i in range(batch)]
    return steps, changes, np.stack(each)


def near(found: Any, expected: Any, rtol: float, atol: float) -> None:
    """The result is as near as double precision lets it be; single has a half of the digits."""
    wide = found.dtype == np.float64
    np.testing.assert_allclose(
        found, expected, rtol=rtol if wide else 1e-4, atol=atol if wide else 1e-5
    )


def held(x: Any) -> Any:
    return likewise.to_numpy(x)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_matrix(xp: Any, count: int) -> None:
    """Both with places left and with the first steps forgotten."""
    steps, changes, expected = drawn(count, count)
    memory = learned(xp, steps, changes)
    model = m._Model(memory)
    for column in range(P):
        v = np.zeros((2, P))
        v[:, column] = 1
        v = xp.asarray(v)
        found = model.theta[:, None] * v - model.transposed(model.middle(model.times(v)))
        near(held(found), expected[:, :, column], rtol=1e-10, atol=1e-10)
    g = np.random.default_rng(9).normal(size=(2, P))
    step = -np.linalg.solve(expected, g[..., None])[..., 0]
    near(held(m._two_loops(memory, xp.asarray(g))), step, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e-17, np.nan])
def test_changes_that_tell_nothing_are_not_learned(xp: Any, scale: float) -> None:
    """Of the first problem; the second goes on."""
    steps, changes, _ = drawn(0, 2)
    before = learned(xp, steps, changes)
    # Its change of the gradient is across the step, but for a little along it.
    s = np.asarray([[1.0, 0.0, 0.0, 0.0]] * 2)
    y = np.asarray([[scale, 1.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0]])
    after = m._learn(before, None, xp.asarray(s), xp.asarray(y), None)
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(held(old)[0], held(new)[0])
    assert float(after.theta[1]) == 2.5
    np.testing.assert_array_equal(held(after.filled)[1], [1, 1, 1])
    np.testing.assert_allclose(held(after.s)[1, -1], s[1] / np.sqrt(2))
    np.testing.assert_allclose(held(after.y)[1, -1], y[1] / np.sqrt(2))
    np.testing.assert_array_equal(held(after.s)[1, :-1], held(before.s)[1, 1:])


def first_minimum(b: Any, x: Any, g: Any, lower: Any, upper: Any) -> Any:
    """The first minimum of g'd + d'Bd/2 along the path of x - t g that ends at each bound."""
    bound = np.where(g > 0, lower, upper)
    with np.errstate(all="ignore"):
        ends = np.where(g == 0, INF, (x - bound) / g)
    t = 0.0
    for end in [*np.unique(ends[ends > 0]), INF]:
        direction = np.where(ends > t, -g, 0.0)
        d = np.where(ends <= t, bound, x - t * g) - x
        slope, bend = direction @ (g + b @ d), direction @ b @ direction
        if slope >= 0:
            break
        if t - slope / bend <= end:
            t -= slope / bend
            break
        t = end
    return np.where(ends <= t, bound, x - t * g), ends > t


BOUNDS = {
    "wide": ([-1e3] * P, [1e3] * P),
    "none": ([-INF] * P, [INF] * P),
    "near": ([-0.1] * P, [0.1] * P),
    "mixed": ([-0.05, -INF, -0.3, 0.0], [INF, 0.2, 0.3, 0.5]),
    "at them": ([0.0, -1.0, 0.0, -INF], [1.0, 0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_cauchy_point_and_the_minimum_over_what_is_free(xp: Any, bounds: str) -> None:
    """Of twenty problems at once; a part of the gradient is zero in some, equal in others."""
    batch = 20
    steps, changes, matrices = drawn(7, 4, batch)
    rng = np.random.default_rng(3)
    g = rng.normal(size=(batch, P)) * 10.0 ** rng.integers(-2, 2, (batch, 1))
    g[::4, 1] = 0.0
    g[1::4, 2] = g[1::4, 3]  # two bounds at once
    x = np.zeros((batch, P))
    lower, upper = (np.broadcast_to(np.asarray(b), (batch, P)).copy() for b in BOUNDS[bounds])
    model = m._Model(learned(xp, steps, changes))
    found, free = model.cauchy(*map(xp.asarray, (x, g, lower, upper)))
    expected = [first_minimum(*each) for each in zip(matrices, x, g, lower, upper, strict=True)]
    points = np.stack([point for point, _ in expected])
    near(held(found), points, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(held(free), [at for _, at in expected])

    r = g + (matrices @ points[..., None])[..., 0]
    among = held(free)
    moves = held(model.free_minimum(xp.where(free, xp.asarray(r), 0.0 * found), free))
    for b, at, right, move in zip(matrices, among, r, moves, strict=True):
        assert not np.any(move[~at])
        if np.any(at):
            wanted = -np.linalg.solve(b[np.ix_(at, at)], right[at])
            near(move[at], wanted, rtol=1e-8, atol=1e-10)


def test_the_direction_stays_within_and_leads_down(xp: Any) -> None:
    """It is the projected minimum, or where that leads up as far towards it as bounds allow."""
    batch = 300
    steps, changes, _ = drawn(11, 4, batch)
    rng = np.random.default_rng(5)
    g, x = rng.normal(size=(batch, P)), rng.uniform(-0.1, 0.1, size=(batch, P))
    lower, upper = np.full((batch, P), -0.1), np.full((batch, P), 0.1)
    model = m._Model(learned(xp, steps, changes))
    given = [xp.asarray(a) for a in (x, g, lower, upper)]
    cauchy, free = model.cauchy(*given)
    z = cauchy - given[0]
    r = given[1] + model.theta[:, None] * z - model.transposed(model.middle(model.times(z)))
    move = held(model.free_minimum(xp.where(free, r, 0.0 * r), free))
    found = held(model.direction(*given))
    cauchy = held(cauchy)
    projected = np.clip(cauchy + move, lower, upper) - x
    down = np.sum(projected * g, axis=1) < 0
    assert 0 < np.sum(~down) < batch
    near(found[down], projected[down], rtol=1e-7, atol=1e-14)
    for i in np.nonzero(~down)[0]:
        shares = [
            (b - c) / d
            for c, d in zip(cauchy[i], move[i], strict=True)
            for b in (-0.1, 0.1)
            if d != 0 and (b - c) / d >= 0
        ]
        share = min([1.0, *shares])
        near(found[i], cauchy[i] + share * move[i] - x[i], rtol=1e-7, atol=1e-12)
    assert np.all(np.sum(found * g, axis=1) < 0)
    rounding = 1e-14 if found.dtype == np.float64 else 1e-7
    assert np.all(np.abs(x + found) <= 0.1 + rounding)
