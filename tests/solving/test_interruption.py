"""Ctrl-C goes on to the caller; only with `full_output` a batch returns what is done."""

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.optimize import (
    bisect,
    brenth,
    brentq,
    curve_fit,
    fixed_point,
    fminbound,
    least_squares,
    linear_sum_assignment,
    lsq_linear,
    minimize,
    minimize_scalar,
    newton,
    nnls,
    ridder,
    root,
    root_scalar,
    toms748,
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


def heron(x: Any) -> Any:
    return 0.5 * (x + 1.0 / x)


def decay(t: Any, a: Any, k: Any) -> Any:
    return a * array_namespace(t).exp(-k * t)


T = np.linspace(0.0, 3.0, 12)
DATA = decay(T, 1.0, 0.7)
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
    "minimize, callback": lambda s, n: minimize(
        lambda x: array_namespace(x).sum(rosenbrock(x) ** 2, axis=-1),
        s.reshape(-1, 2)[0] + 1.0,
        callback=until(n, lambda x: None),
    ),
    "trf, callback": lambda s, n: least_squares(rosenbrock, s, callback=until(n, lambda x: None)),
    "root, callback": lambda s, n: root(rosenbrock, s, callback=until(n, lambda x, f: None)),
    "fminbound": lambda s, n: fminbound(
        until(n, lambda x: (x - 1.0) ** 2), -s[..., 0], 3.0, full_output=True
    ),
    "fixed point, plain": lambda s, n: fixed_point(until(n, heron), s[..., 0], method="iteration"),
    "brentq, plain": lambda s, n: brentq(until(n, square), 0.0 * s[..., 0], s[..., 0]),
    "newton, plain": lambda s, n: newton(until(n, square), s[..., 0]),
    "curve_fit": lambda s, n: curve_fit(until(n, decay), T, s[..., :1] * DATA, [9.0, 1.0]),
    "curve_fit, threads": lambda s, n: curve_fit(
        until(n, decay), T, np.tile(s[..., :1], (40, 1)) * DATA, [9.0, 1.0], workers=2
    ),
}
KEPT: dict[str, Callable[[Any, int], Any]] = {
    "fixed point": lambda s, n: fixed_point(
        until(n, heron), s[..., 0], method="iteration", full_output=True
    ),
    "anderson": lambda s, n: fixed_point(
        until(n, lambda x: array_namespace(x).sqrt(x)), s, method="anderson", full_output=True
    ),
    **{
        f.__name__: lambda s, n, f=f: f(
            until(n, square), 0.0 * s[..., 0], s[..., 0], full_output=True, disp=False
        )[1]
        for f in (brentq, brenth, bisect, ridder, toms748)
    },
    "newton": lambda s, n: newton(until(n, square), s[..., 0], full_output=True, disp=False)[1],
    "curve_fit": lambda s, n: curve_fit(
        until(n, decay), T, s[..., :1] * DATA, [9.0, 1.0], full_output=True
    ),
}


@pytest.mark.parametrize("calls", [1, 2, 4])
@pytest.mark.parametrize("name", SOLVED)
def test_it_goes_on_to_the_caller(name: str, calls: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        SOLVED[name](STARTS, calls)


@pytest.mark.parametrize("name", KEPT)
def test_a_batch_keeps_what_is_done(name: str) -> None:
    found = KEPT[name](STARTS, 7)
    assert np.count_nonzero(~found.success) > 0 and "interrupted" in found.summary()


@pytest.mark.parametrize("name", sorted({*SOLVED, *KEPT} - {"curve_fit, threads"}))
def test_one_problem_ends(name: str) -> None:
    made = SOLVED.get(name) or KEPT[name]
    with pytest.raises(KeyboardInterrupt):
        made(STARTS[3], 2)


def test_the_solved_ones_are_solved() -> None:
    _, found = brentq(until(9, square), 0.0, FAR, full_output=True, disp=False)
    np.testing.assert_array_equal(found.status, [0] + [-5] * 6)
    assert found.root[0] == 1.0


def test_linear_problems(monkeypatch: Any) -> None:
    a = np.random.default_rng(3).normal(size=(5, 6, 8))
    step = _active_set._step
    monkeypatch.setattr(_active_set, "_step", until(2, step))
    found = nnls(a, np.ones((5, 6)), full_output=True)
    assert np.any(found.status == -2) and "interrupted" in found.summary()
    monkeypatch.setattr(_active_set, "_step", until(2, step))
    with pytest.raises(KeyboardInterrupt):
        lsq_linear(a, np.ones((5, 6)), (-0.1, 0.1))
    monkeypatch.setattr(_assignment, "_step", until(2, _assignment._step))
    with pytest.raises(KeyboardInterrupt):
        linear_sum_assignment(np.random.default_rng(3).normal(size=(3, 5, 5)))


def test_the_outermost_solver_ends() -> None:
    """One inside of its function doesn't take the interruption for its own."""

    inner = until(999, square)

    def outer(x: Any) -> Any:
        return brentq(inner, 0.0 * C, 3.0 + 0.0 * C, full_output=True)[0] - x**3

    _, found = brentq(outer, 0.0 * C, 9.0 * C, full_output=True, disp=False)
    np.testing.assert_array_equal(found.status, -5)


PRESSED = """
import signal, sys
import numpy as np
import likewise
from likewise.optimize import curve_fit
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job may ignore it
t = np.linspace(0.0, 4.0, 20)
y = np.exp(-t) + 0.3 * np.random.default_rng(1).normal(size=(100_000, 20))
told = []
def model(t, a, k, c):
    if not told:
        told.append(print("begun", flush=True))
    return a * np.exp(-k * t) + c
found = curve_fit(model, t, y, [1.0, 1.0, 0.0], full_output=sys.argv[1] == "full")
print(int(np.sum(found.status > 0)), int(np.sum(found.status == -3)), flush=True)
"""


@pytest.mark.parametrize("given", ["plain", "full"])
def test_a_real_signal(given: str) -> None:
    """Sent from outside, at a moment that nobody chose."""
    with subprocess.Popen(
        [sys.executable, "-c", PRESSED, given],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as run:  # fmt: skip
        assert run.stdout is not None and run.stdout.readline() == "begun\n"
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(timeout=120)
    if given == "plain":
        assert run.returncode == -signal.SIGINT and "KeyboardInterrupt" in errors
    else:
        done, left = map(int, out.split())
        assert left > 0 and done + left <= 100_000 and "KeyboardInterrupt" not in errors
