"""Solvers of one problem from random starts, replayed: each answer handed out again is the call's.

A log beside the recorder's own calls the user's function anew for each answer that it hands out, and
compares bits. So does each result with what comes of steps that aren't recorded.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, optimize
from likewise.optimize import curve_fit, fixed_point, least_squares, minimize, nnls, root
from likewise.optimize._minimize._methods import METHODS
from likewise.optimize._systems._root import _METHODS
from likewise.solving import _driver, _elementwise, _stepping
from likewise.transforms._recordings._cache import Cache
from likewise.transforms._tree import flatten

STARTS = 60  # of each solver, under --full
T = np.linspace(0.0, 3.0, 15)


def chain(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def residuals(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.concat((10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]))


def system(x: Any) -> Any:
    return x**3 - array_namespace(x).flip(x) + 0.1


def looking(x: Any) -> Any:
    """A function with two ways through it."""
    return chain(x) if x[0] > 0 else chain(x) + 0.5 * x[0] ** 2


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t).exp(-(k**2) * t) + c


def noisy(x: Any) -> Any:
    return decay(T, 2.0, 0.9, 0.3) + 0.1 * np.resize(np.sin(17 * x), T.shape)


def one(x: Any, a: Any) -> Any:
    return x**3 + x - a


def brackets(x: Any) -> tuple[Any, Any]:
    return np.asarray(-3.0 - abs(x[0])), np.asarray(3.0 + abs(x[1]))


def among(*names: str) -> Any:
    return names


def minimized(method: str, **more: Any) -> Callable[[Any], Any]:
    tried = {"maxiter": 50} if method != "adam" else {"maxiter": 30}
    return lambda x: minimize(more.get("fun", chain), x, method=method, options=tried,
                              bounds=more.get("bounds"))  # fmt: skip


SOLVERS: dict[str, Callable[[Any], Any]] = {
    **{f"minimize, {m}": minimized(m) for m in METHODS},
    **{f"minimize, {m}, looking": minimized(m, fun=looking) for m in METHODS},
    **{
        f"minimize, {m}, bounds": minimized(m, bounds=[(-3.0, 3.0)] * 6)
        for m, row in METHODS.items()
        if row.bounded
    },
    "minimize, differences": lambda x: minimize(chain, x, jac="3-point", options={"maxiter": 20}),
    "minimize, Hessian": lambda x: minimize(
        chain, x, method="trust-ncg", hessp=lambda x, p: 2 * p * (1 + x**2), options={"maxiter": 30}
    ),
    **{
        f"least_squares, {m}": lambda x, m=m: least_squares(residuals, x, method=m, max_nfev=50)  # type: ignore[misc]
        for m in among("trf", "lm")
    },
    "least_squares, bounds": lambda x: least_squares(
        residuals, x, bounds=(-4.0, 4.0), loss="soft_l1", max_nfev=50
    ),
    "least_squares, lsmr": lambda x: least_squares(
        residuals, x, tr_solver="lsmr", loss="cauchy", max_nfev=50
    ),
    "least_squares, differences": lambda x: least_squares(residuals, x, jac="2-point", max_nfev=50),
    **{
        f"root, {m}": lambda x, m=m: root(  # type: ignore[misc]
            (lambda x: x - 0.2 * system(x)) if m == "anderson" else system,
            x, method=m, options={"maxiter": 30},
        )
        for m in among(*_METHODS)
    },
    "fixed_point": lambda x: fixed_point(lambda v: array_namespace(v).cos(v) * 0.7, x[:1]),
    "fixed_point, iteration": lambda x: fixed_point(
        lambda v: array_namespace(v).cos(v) * 0.7, x[:1], method="iteration"
    ),
    "curve_fit": lambda x: curve_fit(decay, T, noisy(x), [1.0, 1.0, 0.2], full_output=True),
    "curve_fit, bounds": lambda x: curve_fit(
        decay, T, noisy(x), [1.0, 1.0, 0.2], bounds=([0.0] * 3, [4.0, 3.0, 0.5]), full_output=True
    ),
    "curve_fit, differences": lambda x: curve_fit(
        decay, T, noisy(x), [1.0, 1.0, 0.2], jac="2-point", full_output=True
    ),
    "nnls": lambda x: nnls(np.cos(np.outer(T, 1 + x**2)), np.sin(T), full_output=True),
    "lsq_linear": lambda x: optimize.lsq_linear(
        np.cos(np.outer(T, 1 + x**2)), np.sin(T), bounds=(-0.2, 0.3)
    ),
    **{
        f"root_scalar, {m}": lambda x, m=m: optimize.root_scalar(  # type: ignore[misc]
            lambda v: one(v, x[2]), bracket=brackets(x), method=m
        )
        for m in among("brentq", "chandrupatla")
    },
    **{
        f"root_scalar, {m}": lambda x, m=m: optimize.root_scalar(  # type: ignore[misc]
            lambda v: one(v, x[2]), x0=np.asarray(x[0]), method=m
        )
        for m in among("newton", "halley", "secant")
    },
    "minimize_scalar": lambda x: optimize.minimize_scalar(
        lambda v: (v - x[0]) ** 2 + 0.1 * v**4, bracket=(-4.0, 0.3, 5.0)
    ),
    "minimize_scalar, bounded": lambda x: optimize.minimize_scalar(
        lambda v: (v - x[0]) ** 2 + 0.1 * v**4, bounds=(-3.0, 3.0), method="bounded"
    ),
    "find_root": lambda x: optimize.find_root(one, brackets(x), args=(x[2],)),
}  # fmt: skip


def numbers(result: Any) -> list[Any]:
    parts: Any = vars(result).values() if hasattr(result, "__dict__") else result
    return [np.asarray(x) for x in flatten(list(parts))[0] if hasattr(x, "dtype")]


@pytest.mark.full
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.filterwarnings("ignore")
def test_replays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_stepping, "_KEPT", Cache(256))
    monkeypatch.setattr(_stepping, "_TEXT_AFTER", 2)
    monkeypatch.setattr(_elementwise, "on_numbers", lambda *known: None)
    monkeypatch.setattr(_stepping, "_INNER_AFTER", 20)
    known, run = _stepping.Log.call, _stepping.Stepping.taken
    replays = 0

    def checked(log: Any, method: Any, target: Any, args: Any) -> Any:
        before = len(log.found)
        out = known(log, method, target, args)
        if len(log.found) == before:
            with likewise.prefer("generic"):
                anew = method(target, *args)
            for a, b in zip(flatten(out)[0], flatten(anew)[0], strict=True):
                if not callable(a):  # a function that pulls cotangents back
                    np.testing.assert_array_equal(a, b)
        return out

    def counted(steps: Any, path: Any) -> Any:
        nonlocal replays
        out = run(steps, path)
        replays += 1
        return out

    monkeypatch.setattr(_stepping.Log, "call", checked)
    monkeypatch.setattr(_stepping.Stepping, "taken", counted)
    rng = np.random.default_rng(28)
    with likewise.prefer("generic"):
        for _ in range(STARTS):
            x = np.tile([-1.2, 1.0], 3) + 0.5 * rng.standard_normal(6)
            got = outcome(SOLVERS[name], x)
            with monkeypatch.context() as context:
                context.setattr(_driver, "stepping", lambda *given: None)
                expected = outcome(SOLVERS[name], x)
            for a, b in zip(got, expected, strict=True):
                np.testing.assert_array_equal(a, b)
    assert replays > STARTS // 2


def outcome(solve: Callable[[Any], Any], x: Any) -> list[Any]:
    """The arrays of a result, or what the error says."""
    try:
        return numbers(solve(x))
    except (likewise.errors.LikewiseError, RuntimeError) as error:
        return [str(error)]
