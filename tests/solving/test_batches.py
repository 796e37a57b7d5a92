"""Steps of many problems that are recorded once and replayed for any number of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise.optimize import (
    curve_fit,
    fixed_point,
    least_squares,
    lsq_linear,
    minimize,
    nnls,
    root,
)
from likewise.optimize.elementwise import find_minimum, find_root
from likewise.solving import _batches, _few, _lanes
from likewise.solving._batches import Batches
from likewise.solving._lanes import OverLanes
from likewise.transforms._following._interpreter import interpreted

pytestmark = pytest.mark.xp_skip(
    {"dask": "it isn't recorded", "jax": "it isn't recorded, but compiled"}
)
T = np.linspace(0.0, 3.0, 15)


@pytest.fixture(autouse=True)
def _no_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve few problems as many."""
    monkeypatch.setattr(_few, "FEW", {})


@contextmanager
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take steps and call functions as they are."""
    with monkeypatch.context() as patch:
        patch.setattr(OverLanes, "__call__", OverLanes.fun)
        patch.setattr(Batches, "__call__", lambda self, *given: self.step(*given))
        yield


def decay(t: Any, a: Any, k: Any) -> Any:
    xp = array_namespace(t, k)
    return a * xp.exp(-k * t) + xp.where(t > 1.0, 0.1 * k, 0.1 * a)


def chain(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def equations(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.stack([x[0] ** 2 + x[1] ** 2 - 2, xp.exp(x[0]) - 1.3 * x[1]])


def rows(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum((x - 1.0) ** 2 * (1 + x**2), axis=-1)


def fits(xp: Any, rng: Any, n: int, **options: Any) -> Any:
    truth = rng.uniform(0.5, 2.0, size=(n, 2))
    y = decay(T, truth[:, :1], truth[:, 1:]) + 0.01 * rng.normal(size=(n, 15))
    if n > 3:
        y[1] = np.nan  # which fails
    made = curve_fit(
        decay, xp.asarray(T), xp.asarray(y), p0=[1.0, 1.0], full_output=True, **options
    )
    return made.popt, made.pcov, made.nfev, made.status


SOLVERS: dict[str, Callable[[Any, Any, int], Any]] = {
    "curve_fit": fits,
    "curve_fit, mapped": lambda xp, rng, n: fits(xp, rng, n, vectorized=False),
    "curve_fit, bounds": lambda xp, rng, n: fits(xp, rng, n, bounds=(0.0, 1.5)),
    "curve_fit, differences": lambda xp, rng, n: fits(xp, rng, n, jac="2-point"),
    "curve_fit, fixed": lambda xp, rng, n: fits(xp, rng, n, fixed=[False, True]),
    **{
        f"minimize, {method}": lambda xp, rng, n, method=method: minimize(
            chain, xp.asarray(rng.normal(size=(n, 2))), method=method, options={"maxiter": 8}
        )
        for method in ("BFGS", "L-BFGS-B", "Nelder-Mead", "trust-ncg")
    },
    "minimize, rows": lambda xp, rng, n: minimize(
        rows, xp.asarray(rng.normal(size=(n, 2))), vectorized=True, options={"maxiter": 8}
    ),
    "root": lambda xp, rng, n: root(equations, xp.asarray(rng.uniform(0.5, 2.0, size=(n, 2)))),
    "root, lm": lambda xp, rng, n: root(
        equations, xp.asarray(rng.uniform(0.5, 2.0, size=(n, 2))), method="lm"
    ),
    "least_squares": lambda xp, rng, n: least_squares(
        equations, xp.asarray(rng.uniform(0.5, 2.0, size=(n, 2)))
    ),
    "least_squares, bounds": lambda xp, rng, n: least_squares(
        equations, xp.asarray(rng.uniform(0.5, 2.0, size=(n, 2))), bounds=(0.0, 2.0)
    ),
    "fixed_point": lambda xp, rng, n: fixed_point(
        lambda x: array_namespace(x).cos(x), xp.asarray(rng.uniform(0.5, 1.0, size=n))
    ),
    "nnls": lambda xp, rng, n: nnls(
        xp.asarray(rng.normal(size=(n, 6, 3))), xp.asarray(rng.normal(size=(n, 6)))
    ),
    "lsq_linear": lambda xp, rng, n: lsq_linear(
        xp.asarray(rng.normal(size=(n, 6, 3))), xp.asarray(rng.normal(size=(n, 6))), (0.0, 1.0)
    ),
    "find_root": lambda xp, rng, n: find_root(
        lambda x, c: x**3 - c,
        (xp.zeros(n, dtype=xp.float64), xp.full((n,), 3.0)),
        args=(xp.asarray(rng.uniform(1.0, 9.0, size=n)),),
    ),
    "find_minimum": lambda xp, rng, n: find_minimum(
        lambda x, c: (x - c) ** 2,
        (xp.full((n,), -9.0), xp.zeros(n, dtype=xp.float64), xp.full((n,), 9.0)),
        args=(xp.asarray(rng.uniform(1.0, 3.0, size=n)),),
    ),
}


def leaves(found: Any) -> list[Any]:
    values = list(found.values()) if isinstance(found, dict) else [found]
    return [a for a in likewise.tree_leaves(values) if hasattr(a, "dtype")]


def compare(name: str, xp: Any, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare recorded batches of these sizes with unrecorded ones."""
    solve = SOLVERS[name]
    with interpreted():
        for n in sizes:
            with unrecorded(monkeypatch):
                expected = leaves(solve(xp, np.random.default_rng(n), n))
            found = leaves(solve(xp, np.random.default_rng(n), n))
            assert len(found) == len(expected) > 0
            for a, b in zip(found, expected, strict=True):
                assert a.dtype == b.dtype and a.shape == b.shape
                np.testing.assert_array_equal(likewise.to_numpy(a), likewise.to_numpy(b))


@pytest.mark.filterwarnings("ignore::likewise.errors.ConvergenceWarning")
@pytest.mark.long("strict", "torch")
@pytest.mark.parametrize("name", SOLVERS)
def test_recorded_steps_give_the_same_bits(
    name: str, xp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For numbers of problems above, between and below those that were traced."""
    compare(name, xp, (9, 9, 21, 4), monkeypatch)


@pytest.mark.filterwarnings("ignore::likewise.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", ["curve_fit", "root"])
def test_recorded_steps_on_every_library(
    name: str, xp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two solvers, by default."""
    compare(name, xp, (9, 9, 12), monkeypatch)


def test_steps_are_replayed(xp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second batch, of another size, traces neither the model nor a step."""
    _batches._KEPT.kept.clear()
    _lanes._KEPT.kept.clear()
    traces: list[int] = []
    monkeypatch.setattr(Batches, "trace", counted(Batches.trace, traces))
    monkeypatch.setattr(OverLanes, "record", counted(OverLanes.record, traces))
    with interpreted():
        for n in (40, 40, 30, 20):
            before = len(traces)
            fits(xp, np.random.default_rng(n), n)
            if n < 40:
                assert len(traces) == before > 0


def counted(method: Callable[..., Any], traces: list[int]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        traces.append(1)
        return method(*args)

    return call


def test_an_error_of_the_model_is_raised(xp: Any) -> None:
    """In a trace, in a replay, and where nothing is recorded."""
    for count in (1, 2, 3, 4, 5):
        left = [count]

        def model(t: Any, a: Any, k: Any, left: list[int] = left) -> Any:
            left[0] -= 1
            if left[0] <= 0:
                raise ZeroDivisionError("of the model")
            return decay(t, a, k)

        for _ in range(3):
            with pytest.raises(ZeroDivisionError, match="of the model"):
                curve_fit(
                    model,
                    xp.asarray(T),
                    xp.asarray(np.random.default_rng(0).normal(size=(8, 15))),
                    p0=[1.0, 1.0],
                )
            left[0] = count
