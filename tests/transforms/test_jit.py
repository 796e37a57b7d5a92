"""Compiled functions, and what is said of compilations."""

import functools
import sys
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import ArgumentError, NotSupported
from likewise.transforms import compile_log, cond, grad, jit, register_tree, vmap

X = np.asarray([1.0, 2.0, 3.0])


@dataclass(frozen=True)
class Model:
    weight: Any
    bias: Any = None


class Box:
    def __init__(self, item: Any) -> None:
        self.item = item


register_tree(Box, lambda b: ((b.item,), None), lambda _, items: Box(*items))


@pytest.fixture(autouse=True)
def _quick_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch traces, and leaves out what makes code of it."""
    try:
        import torch
    except ImportError:
        return
    own = torch.compile
    monkeypatch.setattr(torch, "compile", lambda f, **options: own(f, backend="eager", **options))


def test_values(place: Any) -> None:
    def fun(tree: Any, *, scale: Any) -> Any:
        xp = array_namespace(tree["x"])
        return {"y": xp.sin(tree["x"]) * scale, "n": None}

    made = jit(fun)
    x = place.array(X)
    for _ in range(2):
        place.same(made({"x": x}, scale=x), {"y": np.sin(X) * X, "n": None})
    assert made.__name__ == "fun"
    place.same(jit(lambda x: x + 1)(x), X + 1)


def test_within_and_around_transforms(place: Any) -> None:
    cube = jit(lambda x: x**3)
    x = place.array(X)
    place.same(vmap(grad(cube))(x), 3 * X**2)
    if place.name != "torch-interpreted":  # dynamo does not look into the interpreter
        place.same(jit(lambda x: vmap(grad(lambda x: x**3))(x))(x), 3 * X**2)


@pytest.mark.parametrize("options", [{"static_argnums": 1}, {"static_argnames": ("n",)}])
def test_static_arguments(place: Any, options: Any) -> None:
    """By position or by name, whichever way they are given."""
    made = jit(lambda x, n, *, flip=False: -(x**n) if flip else x**n, **options)
    x = place.array(X)
    place.same(made(x, 2), X**2)
    place.same(made(x, n=3), X**3)
    both = jit(
        lambda x, n, *, flip=False: -(x**n) if flip else x**n,
        static_argnums=-1,
        static_argnames="flip",
    )
    place.same(both(x, 2, flip=True), -(X**2))


def test_no_such_argument() -> None:
    with pytest.raises(ArgumentError, match=r"static_argnums \(3,\) .* 1 positional"):
        jit(lambda x: x, static_argnums=3)
    with pytest.raises(ArgumentError, match="no argument 'z'"):
        jit(lambda x: x, static_argnames="z")


def test_structures(place: Any) -> None:
    """JAX knows neither dataclasses nor the classes registered here."""
    calls: list[int] = []

    def fun(model: Model, n: int, x: Any) -> Any:
        calls.append(1)
        return Model(model.weight * x, {"k": (Box(x**n), None)})

    made = jit(fun, static_argnums=1)
    x = place.array(X)
    for _ in range(2):
        out = made(Model(2 * x), 3, x)
        assert type(out) is Model
        place.same([out.weight, out.bias["k"][0].item], [2 * X * X, X**3])
    if place.name == "jax":
        assert len(calls) == 1
    place.same(made(Model(x), 2, x).bias["k"][0].item, X**2)
    only_out = jit(lambda x: Box(Model(x, None)))
    for _ in range(2):
        place.same(only_out(x).item, Model(X, None))
    place.same(jit(lambda x, b: b.item + x)(x, Box(x)), 2 * X)
    power = jit(lambda b, n: b.item**n, static_argnames="n")
    for n in (2, 3):
        place.same(power(Box(x), n=n), X**n)


def test_errors_of_the_function_stay(place: Any) -> None:
    def fun(x: Any) -> Any:
        raise TypeError("mine")

    if place.library != "torch":  # dynamo has its own
        with pytest.raises(TypeError, match="mine"):
            jit(fun)(place.array(X))


def test_eager_libraries_record() -> None:
    calls: list[int] = []
    with compile_log() as log:
        made = jit(lambda x: (calls.append(1), x)[1])
        made(np.asarray(X))
        made(np.asarray(X))
        made(X[:2])
    assert len(calls) == 2
    assert [c.reason for c in log] == ["the first", "args[0] was float64(3,) and is float64(2,)"]
    assert [c.library for c in log] == ["numpy", "numpy"]


# -- reasons ---------------------------------------------------------------------------------------


def test_numbers_that_change_are_named_where_each_is_followed() -> None:
    made = jit(lambda x, rate: x * rate)
    with compile_log() as log:
        for rate in (0.5, 0.5, 0.25, 1, np.asarray(0.5), np.asarray(0.25)):
            made(X, rate)
    assert [c.reason for c in log] == [
        "the first",
        "args[1] was the Python float 0.5 and is the Python float 0.25",
        "args[1] was the Python float 0.25 and is the Python int 1",
        "args[1] was the Python int 1 and is float64()",
    ]


@pytest.mark.needs("torch")
def test_reasons_of_one_library_at_a_time() -> None:
    import torch

    made = jit(lambda x: x * 2)
    with compile_log() as log:
        made(X)
        made(torch.ones(3, dtype=torch.float64))
        made(X[:2])
    assert [(c.library, c.number) for c in log] == [("numpy", 1), ("torch", 2), ("numpy", 3)]
    assert [c.reason for c in log[:2]] == ["the first", "the first"]
    assert log[2].reason == "args[0] was float64(3,) and is float64(2,)"


@pytest.mark.needs("jax")
def test_reasons_on_jax() -> None:
    import jax.numpy as jnp

    outside = [1.0]

    def fun(x: Any, n: int = 2, tree: Any = None) -> Any:
        return x**n * outside[0]

    made = jit(fun, static_argnames="n")
    x = jnp.ones(3, "float64")
    with compile_log() as log:
        made(x)
        made(x)
        made(jnp.ones(4, "float64"))
        made(jnp.ones(4, "float32"))
        made(x, n=3)
        made(x, tree={"a": [x]})
        made(x, tree={"a": [jnp.ones(2, "float64")]})
    assert [(c.function, c.library, c.number) for c in log] == [
        ("fun", "jax", n) for n in range(1, 7)
    ]
    reasons = [c.reason for c in log]
    assert reasons[0] == "the first"
    assert reasons[1] == "args[0] was float64(3,) and is float64(4,)"
    assert reasons[2] == "args[0] was float64(4,) and is float32(4,)"
    assert reasons[3] == "kwargs['n'] was not there and is 3"
    assert reasons[4] == "kwargs['tree']['a'][0] was not there and is float64(3,)"
    assert reasons[5] == "kwargs['tree']['a'][0] was float64(3,) and is float64(2,)"
    assert str(log[1]).startswith("fun, compilation 2 by jax: args[0]")


@pytest.mark.needs("jax")
def test_weak_types_and_what_is_not_seen() -> None:
    import jax
    import jax.numpy as jnp

    made = jit(lambda x: x * 2)
    with compile_log() as log:
        made(jnp.asarray(1.0, "float64"))
        made(jnp.asarray(1.0))
        with jax.numpy_dtype_promotion("strict"):
            made(jnp.asarray(1.0))
    assert log[1].reason == "args[0] was float64() and is float64(), weak"
    assert "nothing that the arguments show" in log[2].reason
    assert len(log) == 3
    model = jit(lambda m: m.weight * 2)
    with compile_log() as log:
        model(Model(jnp.ones(2)))
        model(Model(jnp.ones(2)))
        model(Model(jnp.ones(3)))
    assert len(log) == 2
    assert log[1].reason.startswith("args[0].weight was float64(2,)")


@pytest.mark.needs("torch")
def test_reasons_on_torch() -> None:
    import torch

    made = jit(lambda x, n: x**n, static_argnums=1)
    with compile_log() as log:
        made(torch.ones(3), 2)
        made(torch.ones(3), 2)
        made(torch.ones(3, dtype=torch.float64), 2)
        made(torch.ones(3), 3)
    reasons = [c.reason for c in log]
    assert [c.library for c in log] == ["torch"] * len(log)
    assert reasons[:2] == ["the first", "args[0] was torch.float32(3,) and is torch.float64(3,)"]
    assert "args[1] was 2 and is 3" in reasons[2]


def test_logs_within_logs() -> None:
    with compile_log() as outer:
        with compile_log() as inner:
            jit(lambda x: x)(np.ones(2))
        jit(lambda x: x)(np.ones(2))
    assert len(inner) == 1
    assert len(outer) == 2


@pytest.mark.needs("torch")
def test_one_graph_for_each_static_value_on_torch() -> None:
    import torch

    made = jit(lambda x, n: x**n + n, static_argnums=1)
    x = torch.ones(3)
    with compile_log() as log:
        for n in range(12):  # more than torch compiles of one function
            assert made(x, n).tolist() == [1 + n] * 3
            made(x, n)
    assert [c.reason for c in log[1:]] == [f"args[1] was {n - 1} and is {n}" for n in range(1, 12)]
    with pytest.raises(ArgumentError, match="hashable"):
        made(x, [1])


@pytest.mark.needs("torch")
def test_transforms_of_a_compiled_function_on_torch() -> None:
    import torch

    x = torch.asarray(X)
    made = jit(lambda x: array_namespace(x).sum(x**2))
    np.testing.assert_allclose(grad(made)(x), 2 * X)
    np.testing.assert_allclose(vmap(jit(lambda x: x**2))(x), X**2)
    np.testing.assert_allclose(made(x), np.sum(X**2))  # itself is compiled as before
    np.testing.assert_allclose(jit(grad(made))(x), 2 * X)


@pytest.mark.needs("torch")
def test_choice_by_value_under_torch_compile() -> None:
    import torch

    made = jit(lambda x: cond(x[0] > 0, lambda x: x, lambda x: -x, x))
    with pytest.raises(NotSupported, match="cond: torch has no control flow"):
        made(torch.asarray(X))


@pytest.mark.needs("jax")
def test_the_first_array_is_found_in_any_structure() -> None:
    import jax.numpy as jnp

    one = jnp.ones(2)
    with compile_log() as log:
        jit(lambda tree: tree["b"][1] + 1)({"a": 1, "b": (None, one)})
        jit(lambda m, k=None: m.weight)(Model(one))
        jit(lambda n, x: x)(2, Box(one))
    assert [c.library for c in log] == ["jax"] * 3


def test_many_kinds_from_several_threads(request: pytest.FixtureRequest) -> None:
    """The history of compilations is one for all threads."""
    request.addfinalizer(functools.partial(sys.setswitchinterval, sys.getswitchinterval()))
    sys.setswitchinterval(1e-6)
    compiled = jit(lambda x: array_namespace(x).sum(x))
    together, found = threading.Barrier(4), []

    def work(number: int) -> None:
        together.wait()
        for n in range(60):
            size = 1 + (n + 15 * number) % 60
            try:
                found.append(float(compiled(np.ones(size))) == size)
            except RuntimeError as error:
                found.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 240


@pytest.mark.parametrize("argnum", [0, -2])
def test_calls_do_not_look_through_static_arguments(argnum: int) -> None:
    class Settings:
        factor = 3.0

    looks = []
    register_tree(Settings, lambda s: (looks.append(s) or (), None), lambda *_: Settings())
    made = jit(lambda settings, x: settings.factor * x, static_argnums=argnum)
    settings = Settings()
    made(settings, X)
    looks.clear()  # what tells of a compilation may look
    np.testing.assert_array_equal(made(settings, 2 * X), 6 * X)
    assert not looks


def test_dicts_keep_their_order_in_replays() -> None:
    made = jit(lambda x: {"b": [x + 1, {}], "a": {"z": x + 2, "y'": x + 3}, 3: x})
    for _ in range(120):  # from some calls on, the program is a text
        out = made(X)
    assert list(out) == ["b", "a", 3] and list(out["a"]) == ["z", "y'"]
    np.testing.assert_array_equal(out["b"][0], X + 1)
    np.testing.assert_array_equal(out["a"]["z"], X + 2)
    np.testing.assert_array_equal(out["a"]["y'"], X + 3)
    assert out["b"][1] == {} and out[3].tolist() == X.tolist()
