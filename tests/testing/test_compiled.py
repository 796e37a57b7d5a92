"""Functions compiled for a test."""

import sys
from collections import namedtuple
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from likewise import is_lazy
from likewise._namespace import load
from likewise.testing._compiled import Counter, compiled, replacing

pytestmark = pytest.mark.needs("jax")
Pair = namedtuple("Pair", ["a", "b"])


def test_arrays_are_traced_and_the_rest_stays() -> None:
    import jax.numpy as jnp

    seen: list[Any] = []

    def func(x: Any, n: int, *, options: dict[str, Any]) -> Any:
        seen.append((is_lazy(x), is_lazy(options["y"]), n, options["mode"]))
        return Pair(x * n, {"sum": x + options["y"], "text": "kept"})

    counter = Counter()
    call = compiled(func, load("jax"), counter)
    out = call(jnp.ones(2), 3, options={"y": jnp.zeros(2), "mode": "full"})
    assert seen == [(True, True, 3, "full")]
    assert isinstance(out, Pair) and out.b["text"] == "kept"
    np.testing.assert_array_equal(np.asarray(out.a), [3.0, 3.0])
    np.testing.assert_array_equal(np.asarray(out.b["sum"]), [1.0, 1.0])
    assert counter.count == 1
    assert call.__name__ == "func"


def test_without_arrays_the_call_is_plain() -> None:
    counter = Counter()
    call = compiled(lambda n: n + 1, load("jax"), counter)
    assert call(2) == 3
    assert counter.count == 0


def test_inside_a_trace_the_call_is_plain() -> None:
    import jax
    import jax.numpy as jnp

    counter = Counter()
    call = compiled(lambda x: 2 * x, load("jax"), counter)
    assert jax.jit(call)(jnp.ones(2)).shape == (2,)
    assert counter.count == 0


def test_errors_come_through() -> None:
    import jax.numpy as jnp

    def refuse(x: Any) -> Any:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        compiled(refuse, load("jax"), Counter())(jnp.ones(2))


def test_private_modules_keep_their_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test reaches is replaced, and what the package under test uses inside isn't."""

    def f(x: Any) -> Any:
        return x

    f.__module__ = "apackage._room"
    names = ("apackage", "apackage.room", "apackage._room", "apackage.room._inner", "elsewhere")
    names += ("test_of_it",)
    modules = {name: ModuleType(name) for name in names}
    for name, module in modules.items():
        vars(module)["f"] = f
        monkeypatch.setitem(sys.modules, name, module)
    arguments = {"given": [f]}
    with replacing(modules["test_of_it"], arguments, ["apackage"], lambda function: "new"):
        found = {name for name, module in modules.items() if vars(module)["f"] == "new"}
        assert found == {"apackage", "apackage.room", "test_of_it"}
        assert arguments == {"given": ["new"]}
    assert all(vars(module)["f"] is f for module in modules.values())
    assert arguments == {"given": [f]}
