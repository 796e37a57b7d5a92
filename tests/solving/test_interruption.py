"""Ctrl-C in a batch keeps what is done; from one problem it goes on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.optimize import (
    fixed_point,
    least_squares,
    linear_sum_assignment,
    lsq_linear,
    minimize,
    minimize_scalar,
    nnls,
    root,
    root_scalar,
)
from likewise.optimize._linear import _active_set, _assignment

C = np.linspace(1.0, 5.0, 7)
FAR = np.concatenate([[1.0], np.full(6, 1e6)])  # the first is solved before the others


def until(calls: int, fun: Callable[..., Any]) -> Callable[..., Any]:
    """The function, in which somebody presses Ctrl-C at one of its calls."""
    left = [calls]

    def called(*args: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return fun(*args)

    return called


def square(x: Any) -> Any:
    return x * x - 1.0


def rosenbrock(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.stack([1.0 - x[..., 0], 10.0 * (x[..., 1] - x[..., 0] ** 2)], axis=-1)


STARTS = np.stack([FAR, FAR], axis=1)  # the first is the root

SOLVED: dict[str, Callable[[Any, int], Any]] = {
    "root": lambda s, n: root(until(n, rosenbrock), s, vectorized=True),
    "root lm": lambda s, n: root(until(n, rosenbrock), s, method="lm", vectorized=True),
    "trf": lambda s, n: least_squares(until(n, rosenbrock), s, vectorized=True),
    "lm": lambda s, n: least_squares(until(n, rosenbrock), s, method="lm", vectorized=True),
    "minimize": lambda s, n: minimize(
        until(n, lambda x: array_namespace(x).sum(rosenbrock(x) ** 2, axis=-1)),
        s,
        vectorized=True,
    ),
    "newton": lambda s, n: root_scalar(until(n, square), x0=s[..., 0]),
    "brentq": lambda s, n: root_scalar(until(n, square), bracket=(0.0 * s[..., 0], s[..., 0])),
    "brent": lambda s, n: minimize_scalar(until(n, lambda x: (x - 1.0) ** 2), (-s[..., 0], 3.0)),
    "chandrupatla": lambda s, n: minimize_scalar(
        until(n, lambda x: (x - 0.5) ** 2), (0.0, s[..., 0]), method="chandrupatla"
    ),
    "fixed point": lambda s, n: fixed_point(
        until(n, lambda x: 0.5 * (x + 1.0 / x)), s[..., 0], method="iteration", full_output=True
    ),
    "anderson": lambda s, n: fixed_point(
        until(n, lambda x: array_namespace(x).sqrt(x)), s, method="anderson", full_output=True
    ),
}


@pytest.mark.parametrize("name", SOLVED)
def test_a_batch_keeps_what_is_done(name: str) -> None:
    found = SOLVED[name](STARTS, 7)
    assert np.count_nonzero(~found.success) > 0 and "interrupted" in found.summary()


@pytest.mark.parametrize("name", SOLVED)
def test_one_problem_ends(name: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        SOLVED[name](STARTS[3], 4)


def test_the_solved_ones_are_solved() -> None:
    found = root_scalar(until(9, square), bracket=(0.0, FAR))
    np.testing.assert_array_equal(found.status, [0] + [-5] * 6)
    assert found.root[0] == 1.0


def test_no_search_follows_an_interrupted_one() -> None:
    """Nothing is called once more."""
    calls = [0]

    def far(x: Any) -> Any:
        calls[0] += 1
        if calls[0] == 6:
            raise KeyboardInterrupt
        return (x - 1e5) ** 2

    for method in ("brent", "chandrupatla"):
        calls[0] = 0
        found = minimize_scalar(far, (0.0, C), method=method)
        np.testing.assert_array_equal(found.status, -4)
        assert calls[0] <= 6


def test_linear_problems(monkeypatch: Any) -> None:
    a = np.random.default_rng(3).normal(size=(5, 6, 8))
    step = _active_set._step
    for solve in (
        lambda: nnls(a, np.ones((5, 6)), full_output=True),
        lambda: lsq_linear(a, np.ones((5, 6)), (-0.1, 0.1)),
    ):
        monkeypatch.setattr(_active_set, "_step", until(2, step))
        found = solve()
        assert np.any(found.status == -2) and "interrupted" in found.summary()


@pytest.mark.parametrize("method", ["BFGS", "Nelder-Mead", "trust-ncg"])
def test_parts_of_a_batch(method: str, monkeypatch: Any) -> None:
    """What is done is kept, and parts that were not begun are where they start."""
    calls, first = [0], STARTS[:2] * 0 + 1.5
    starts = np.concatenate([first, STARTS, STARTS])

    def fun(x: Any) -> Any:
        calls[0] += 1
        return array_namespace(x).sum(rosenbrock(x) ** 2, axis=-1)

    minimize(fun, first, method=method)
    alone, calls[0] = calls[0], 0
    monkeypatch.setattr("likewise._memory._LITTLE", 0)
    two = 40 * 2 * 8 * 2 + 999  # bytes for two or so at once
    monkeypatch.setattr("likewise._memory.memory_budget", lambda x: two)
    found = minimize(until(alone + 9, fun), starts, method=method)
    assert np.all(found.success[:1]) and found.status[-1] == 99 and found.nfev[-1] == 0
    np.testing.assert_array_equal(found.x[-1], starts[-1])
    assert np.isnan(found.fun[-1]) and "interrupted" in found.summary()
    assert calls[0] < alone + 9 + len(starts) and found.x.shape == starts.shape


def test_what_has_no_status_goes_on(monkeypatch: Any) -> None:
    monkeypatch.setattr(_assignment, "_step", until(2, _assignment._step))
    with pytest.raises(KeyboardInterrupt):
        linear_sum_assignment(np.random.default_rng(3).normal(size=(3, 5, 5)))


def test_the_outermost_solver_ends() -> None:
    """One inside of its function doesn't take the interruption for its own."""

    def outer(x: Any) -> Any:
        inner = root_scalar(until(5, square), x0=3.0 + 0.0 * C)
        return x - inner.root[0]

    found = root_scalar(until(99, outer), x0=C)
    np.testing.assert_array_equal(found.status, -5)
