"""What is compiled for what functions say, and what isn't compiled again."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.optimize import curve_fit, least_squares, minimize, root
from likewise.solving import _running
from likewise.solving._running import compiled, small, threads, traced
from likewise.testing import count_compiles
from likewise.transforms import grad


def test_a_function_with_what_it_closes_over_apart(lib: Any) -> None:
    a, b = lib.asarray([1.0, 2.0]), lib.asarray([3.0, -1.0])

    def run(held: Any, x: Any) -> Any:
        return compiled(x, lambda x: {"y": held * x, "n": None}, x)[0]

    np.testing.assert_array_equal(lib.to_numpy(run(a, b)["y"]), [3.0, -2.0])
    np.testing.assert_array_equal(lib.to_numpy(run(b, b)["y"]), [9.0, 1.0])
    assert run(a, b)["n"] is None
    slope = grad(lambda h: likewise.array_namespace(h).sum(run(h, b)["y"]))(a)
    np.testing.assert_array_equal(lib.to_numpy(slope), [3.0, -1.0])


def test_work_is_small_by_all_its_arrays() -> None:
    assert small(np.ones(10), np.ones((100, 100))) and not small(np.ones(10), np.ones((300, 300)))
    assert threads(np.ones(1), 3) == 3


@pytest.mark.needs("jax")
def test_the_same_text_is_compiled_once() -> None:
    import jax.numpy as jnp

    def run(held: Any) -> Any:
        return compiled(held, lambda x: jnp.sin(x) * held, held)[0]

    run(jnp.ones(3))
    two = 2 * jnp.ones(3)
    with count_compiles():
        np.testing.assert_allclose(run(two), 2 * np.sin(2.0))


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    "solver",
    [
        "least_squares",
        *(pytest.param(s, marks=pytest.mark.full) for s in ("minimize", "root", "lm")),
    ],
)
def test_solvers_compile_nothing_in_a_second_call(solver: str) -> None:
    """Outside of jit, with the functions written anew, and other arrays in them."""
    import jax.numpy as jnp

    start = jnp.asarray([2.0, 0.5])

    def solve(a: Any) -> Any:
        if solver == "minimize":
            return minimize(lambda x: jnp.sum((x - a) ** 2), start).x
        if solver == "least_squares":
            return least_squares(lambda x: jnp.stack([x[0] - a[0], x[0] + x[1] - a[1]]), start).x
        method = "lm" if solver == "lm" else "newton"
        return root(lambda x: jnp.stack([x[0] - a[0], x[0] * x[1] - a[1]]), start, method=method).x

    first, other = jnp.asarray([1.0, 2.0]), jnp.asarray([3.0, -1.0])
    before = solve(first)
    with count_compiles():
        after = solve(other)
    expected = {
        "minimize": [3.0, -1.0],
        "least_squares": [3.0, -4.0],
        "root": [3.0, -1 / 3],
        "lm": [3.0, -1 / 3],
    }
    np.testing.assert_allclose(after, expected[solver], rtol=1e-5)
    assert not np.allclose(before, after)


POWER = 2.0


def raised(x: Any) -> Any:
    return x**POWER


@pytest.mark.needs("jax")
def test_a_function_that_its_code_spells_is_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import jax
    import jax.numpy as jnp

    calls: list[Any] = []
    x, held = jnp.ones(3), jnp.ones(3)

    def read(x: Any, of: Any) -> Any:
        def fun(v: Any) -> Any:
            calls.append(v)
            return of(v)

        return traced(x, fun, x, of=(of,))[0]

    first = read(x, raised)
    assert read(x + 1, raised) is first
    assert len(calls) == 1
    read(jnp.ones(4), raised)
    read(x.astype(jnp.float32), raised)
    assert len(calls) == 3
    with jax.default_matmul_precision("highest"):
        assert read(x, raised).text == first.text
    with likewise.prefer("generic"):
        assert read(x, raised) == first
    assert len(calls) == 5
    monkeypatch.setitem(globals(), "POWER", 3.0)
    assert read(x, raised) != first
    assert len(calls) == 6
    for _ in range(2):
        read(x, lambda v: v * held)  # an array from outside may be another one
    assert len(calls) == 8
    monkeypatch.setattr(_running._SAME, "size", 2)
    for k in range(1, 5):
        read(x, lambda v, k=k: v * k)
    assert len(_running._SAME) == 2


@pytest.mark.needs("jax")
def test_a_fit_sees_a_changed_global(monkeypatch: pytest.MonkeyPatch) -> None:
    import jax.numpy as jnp

    t = jnp.linspace(1.0, 2.0, 8)

    def fit() -> float:
        return float(curve_fit(lambda t, a: a * raised(t), t, 3 * t**2, [1.0])[0][0])

    assert fit() == pytest.approx(3.0, rel=1e-9)
    monkeypatch.setitem(globals(), "POWER", 0.0)
    assert fit() == pytest.approx(float(jnp.mean(3 * t**2)), rel=1e-9)
