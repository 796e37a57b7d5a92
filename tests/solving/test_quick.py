"""Users' functions and derivatives that routines call often, on Python's numbers: the same bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise.optimize import least_squares, minimize, root
from likewise.solving import _kept, _quick
from likewise.solving._quick import quick
from likewise.solving._spelled import spelled
from likewise.transforms._recordings._cache import Cache
from likewise.transforms._tree import flatten


def rosenbrock(x: Any, c: float = 100.0) -> Any:
    return c * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def circle(x: Any) -> Any:
    return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


def three(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.concat([10 * (x[1:] - x[:1] ** 2), xp.exp(x[:1]) - 1, xp.sum(x**3)[None]])


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Functions that nobody knows, and a list of those that were written."""
    monkeypatch.setattr(_quick, "_KNOWN", Cache(256))
    monkeypatch.setattr(_kept, "_KEPT", Cache(256))
    monkeypatch.setattr(_kept, "_SPELLED", Cache(256))
    monkeypatch.setattr(_quick, "_AFTER", 5)
    found: list[Any] = []
    own = _quick.on_arrays

    def noted(program: Any) -> Any:
        found.append(own(program))
        return found[-1]

    monkeypatch.setattr(_quick, "on_arrays", noted)
    return found


def parts(result: Any) -> list[Any]:
    return [np.asarray(x) for x in flatten(list(vars(result).values()))[0] if hasattr(x, "dtype")]


SOLVERS: dict[str, Callable[[Any], Any]] = {
    "Nelder-Mead": lambda x: minimize(rosenbrock, x, method="Nelder-Mead"),
    "BFGS": lambda x: minimize(rosenbrock, x, args=(50.0,), method="BFGS"),
    "L-BFGS-B": lambda x: minimize(rosenbrock, x, method="L-BFGS-B"),
    "root": lambda x: root(circle, x),
    "lm": lambda x: least_squares(three, x, method="lm"),
    "trf": lambda x: least_squares(three, x),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_have_the_same_bits(
    name: str, written: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    solve, times = SOLVERS[name], 0
    for _ in range(8):
        x = np.asarray([-1.2, 1.0]) + 0.4 * rng.normal(size=2)
        got = parts(solve(x))
        times += len(written)
        with monkeypatch.context() as context:
            context.setattr(_quick, "_AFTER", 10**9)
            context.setattr(_quick, "_KNOWN", Cache(256))
            context.setattr(_kept, "_KEPT", Cache(256))
            context.setattr(_kept, "_SPELLED", Cache(256))
            expected = parts(solve(x))
        for a, b in zip(got, expected, strict=True):
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes()
    assert times
    assert any(run is not None for run in written)


def test_a_function_is_another_with_other_numbers_and_states(written: list[Any]) -> None:
    c = 2.0
    x = np.asarray([1.5, -0.5])

    def fun(x: Any) -> Any:
        return array_namespace(x).sum(c * x**2)

    def made() -> Callable[[Any], Any]:
        return quick(fun, fun, x, spelled(fun))

    with np.errstate(all="ignore"):
        for _ in range(7):
            assert made()(x) == 5.0
        assert written
        assert made() is not fun
        c = 4.0
        assert made()(x) == 10.0
        c = 2.0
        assert made()(2 * x) == 20.0
    before = made()
    assert before(x) == 5.0  # in another error state, which another recording would know
    with np.errstate(all="ignore"):
        assert made() is not before


def test_what_is_not_known_is_called(written: list[Any]) -> None:
    x, calls = np.asarray([1.0, 2.0]), []

    def counted(x: Any) -> Any:
        calls.append(1)
        return rosenbrock(x)

    for _ in range(3):
        minimize(counted, x, method="Nelder-Mead")
        assert len(calls) > 50
        calls.clear()
    assert not written
    with likewise.use("strict"):
        y = likewise.xp.asarray([1.0, 2.0])
    assert quick(rosenbrock, rosenbrock, y, "known") is rosenbrock
    assert quick(rosenbrock, rosenbrock, x, None) is rosenbrock
