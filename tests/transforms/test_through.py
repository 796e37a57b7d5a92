"""One library's arrays compiled by another."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    LibraryNotInstalled,
    MixedLibrariesError,
    TransformError,
)
from likewise.transforms import compile_log, grad, jit, register_tree, scan, switch, vmap

pytestmark = pytest.mark.needs("jax", "torch", "array_api_strict")


@dataclass(frozen=True)
class Pair:
    first: Any
    second: Any


def waves(x: Any, n: int = 2) -> Any:
    xp = array_namespace(x)
    return {"sum": xp.sum(xp.sin(x) ** n), "x": (x, None)}


def aligned(n: int, offset: int = 0) -> Any:
    """Return numbers at a multiple of 64 bytes, and so many beyond."""
    memory = np.zeros(8 * n + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    x = memory[start : start + 8 * n].view(np.float64)
    x[:] = np.arange(n)
    return x


def host(place: str, values: Any) -> Any:
    if place == "numpy":
        return values
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))


@pytest.mark.parametrize("place", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values(place: str, dtype: Any) -> None:
    values = np.asarray([[0, 1, 2], [3, 5, 8]], dtype)
    x = host(place, values)
    out = jit(waves, compiler="jax", static_argnums=1)(x, 3)
    assert type(out["sum"]) is type(out["x"][0]) is type(x)
    assert out["x"][0].dtype == x.dtype
    assert out["x"][1] is None
    exact = np.sum(np.sin(values) ** 3)
    assert np.allclose(out["sum"], exact, rtol=1e-6 if dtype == np.float32 else 1e-14)
    assert np.array_equal(out["x"][0], values)


def test_inside_and_around_transforms() -> None:
    x = np.linspace(0.0, 1.0, 5)
    exact = 2 * np.sin(x) * np.cos(x)

    def total(x: Any) -> Any:
        return waves(x)["sum"]

    assert np.allclose(jit(grad(total), compiler="jax")(x), exact, rtol=1e-14)
    assert np.allclose(grad(jit(total, compiler="jax"))(x), exact, rtol=1e-14)
    import torch

    rows = vmap(jit(lambda r: r * r[0], compiler="jax"))(torch.asarray([[2.0, 3.0]]))
    assert rows.tolist() == [[4.0, 6.0]]


def test_arrays_of_the_compiler_and_none() -> None:
    import jax.numpy as jnp

    made = jit(lambda x: x + 1, compiler="jax")
    x = jnp.asarray([1.0], dtype=jnp.float32)
    assert type(made(x)) is type(x)
    assert made(x).dtype == x.dtype
    assert made(2) == 3
    assert made(x=np.ones(1)) == 2


def test_structures_and_loops() -> None:
    register_tree(Pair, lambda p: ((p.first, p.second), None), lambda _, xs: Pair(*xs))

    def run(pair: Any) -> Any:
        last, all_ = scan(lambda c, _: (c * pair.second, c), pair.first, length=3)
        return Pair(last, all_)

    out = jit(run, compiler="jax")(Pair(np.asarray(1.0), np.asarray(2.0)))
    assert out.first == 8.0
    assert out.second.tolist() == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("n", [2, 1000, 100_000, 200_000])
@pytest.mark.parametrize("offset", [0, 8, 4])
def test_memory_is_nobody_elses(n: int, offset: int) -> None:
    """Results share none with arguments or one another, and what comes later doesn't change them."""
    x = aligned(n, offset)
    made = jit(lambda x: (x, x[:], x.reshape((2, -1)), x * 2, x * 2), compiler="jax")
    for _ in range(3):
        out = made(x)
        before = [r.copy() for r in out]
        x += 1.0
        assert all(np.array_equal(a, b) for a, b in zip(out, before, strict=True))
        assert not any(np.shares_memory(r, x) for r in out)
        assert not any(np.shares_memory(out[i], out[j]) for i in range(5) for j in range(i))
    assert np.array_equal(before[3], 2 * (x - 1.0))


def test_large_arguments_in_threads() -> None:
    """They are copied into memory that is used again, and by one call at a time."""
    made = jit(lambda x, y: (x, x * 2 + y), compiler="jax")
    draws = [aligned(150_000 + k % 2, 8) + k for k in range(6)]

    def run(k: int) -> bool:
        first, second = made(draws[k], draws[k])
        return np.array_equal(first, draws[k]) and np.array_equal(second, 3 * draws[k])

    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(run, [*range(6)] * 4))


def test_views_and_byte_orders() -> None:
    made = jit(lambda x: x - 1, compiler="jax")
    x = np.arange(12.0).reshape(3, 4)
    for view in (x[::-1, ::2], x.T, np.broadcast_to(x[0], (2, 4)), x.astype(">f8"), x[:0]):
        out = made(view)
        assert out.dtype == np.float64
        assert np.array_equal(out, view - 1)
    x.flags.writeable = False
    assert np.array_equal(made(x), x - 1)


def test_writable() -> None:
    x = np.ones(3)
    out = jit(lambda x: x + 1, compiler="jax")(x)
    with pytest.raises(ValueError, match="read-only"):
        out[0] = 0.0
    out = jit(lambda x: x + 1, compiler="jax", writable=True)(x)
    out[0] = 0.0
    assert out.tolist() == [0.0, 2.0, 2.0]
    import torch

    tensor = jit(lambda x: x + 1, compiler="jax")(torch.ones(3))
    tensor[0] = 0.0
    assert tensor.tolist() == [0.0, 2.0, 2.0]


def test_what_is_compiled_is_told() -> None:
    made = jit(lambda x: x + 1, compiler="jax")
    with compile_log() as log:
        for n in (2, 2, 3):
            made(np.ones(n))
    assert [c.number for c in log] == [1, 2]
    assert "float64(2,) and is float64(3,)" in log[1].reason


def test_64_bits_whatever_jax_says() -> None:
    """In a process of its own, as its settings are those of the process."""
    code = (
        "import jax, numpy as np; from likewise.transforms import jit;"
        "jax.config.update('jax_enable_x64', False);"
        "out = jit(lambda x: x + 1e-12, compiler='jax')(np.ones(2));"
        "assert out.dtype == np.float64 and out[0] == 1 + 1e-12;"
        "assert jax.numpy.ones(1).dtype == 'float32'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


_raw = np.ones(3)


def _branch(x: Any) -> Any:
    return x if x[0] > 0 else -x


def _write(x: Any) -> Any:
    _raw[0] = x[0]
    return _raw


def _write_argument(x: Any) -> Any:
    x[0] = 1.0
    return x


def _keep(x: Any, kept: list[Any] = []) -> Any:  # noqa: B006 - what is tried
    kept.append(x * 2)
    return kept[0] + x


# A function, the expression that can't be followed, and the mend.
UNFOLLOWED = [
    (_branch, "x[0] > 0", "xp.where, cond or while_loop"),
    (_write, "_raw[0]", "missing.at(xp.asarray(raw))[i].set(x)"),
    (_write_argument, "x[0]", "missing.at(x)[i].set(value)"),
    (_keep, "_keep", "return it"),
    (lambda x: float(x[0]) * x, "float(x[0])", "Keep it an array"),
    (lambda x: x.item(), "x.item()", "Keep it an array"),
    (lambda x: np.sin(x), "np.sin(x)", "xp.f(x) in place of np.f(x)"),
    (lambda x: range(x[0].astype(int)), "range(x[0].astype(int))", "fori_loop"),
    (lambda x: x[x > 0], "x[x > 0]", "xp.where(mask, x, 0)"),
    (lambda x: x & x, "x & x", "xp.astype(x, dtype)"),
    (lambda x: x + np.ones(2), "x + np.ones(2)", "fits JAX's arrays"),
    (lambda x: x.fill(1), "x.fill", "fits JAX's arrays"),
    (lambda x: (x, "a"), "<lambda>", "register_tree"),
]


@pytest.mark.parametrize(("fun", "expression", "mend"), UNFOLLOWED)
def test_what_cannot_be_followed(fun: Any, expression: str, mend: str) -> None:
    """Our error names the line, what JAX said of it, and what to write."""
    made = jit(fun, compiler="jax")
    with pytest.raises(TransformError, match=r"^jit: compiler='jax' can't ") as caught:
        made(np.ones(3))
        made(np.ones((2, 3)))
    text = str(caught.value)
    assert f" {expression}" in text
    assert mend in text
    assert caught.value.__cause__ is not None  # JAX's own, to read on
    if expression not in ("_keep", "<lambda>"):  # which JAX refuses when it has returned
        assert f" of {__file__}, in {fun.__name__}): " in text


@pytest.mark.parametrize("setting", ["a", 2**70, object(), (1, "b")])
def test_arguments_that_are_none(setting: Any) -> None:
    made = jit(lambda x, setting: x, compiler="jax")
    with pytest.raises(ArgumentError, match=r"can't compile <lambda>: .* static_argnums"):
        made(np.ones(2), setting)


def test_a_static_argument_without_hash() -> None:
    made = jit(lambda x, setting: x, compiler="jax", static_argnums=1)
    with pytest.raises(ArgumentError, match=r"Non-hashable .* hashable, in static_argnums"):
        made(np.ones(2), [1])


def test_errors_of_the_function_are_its_own() -> None:
    def fails(x: Any) -> Any:
        raise TypeError("an array of a dtype that it doesn't like")

    for place in ("numpy", "torch"):
        with pytest.raises(TypeError, match="^an array of a dtype that") as caught:
            jit(fails, compiler="jax")(host(place, np.ones(2)))
        assert type(caught.value) is TypeError
    with pytest.raises(ArgumentError, match="at least one branch"):
        jit(lambda x: switch(0, [], x), compiler="jax")(np.ones(2))
    ours = jit(lambda x: jit(_branch, compiler="jax")(x), compiler="jax")
    with pytest.raises(TransformError, match=r"can't follow x\[0\] > 0"):
        ours(np.ones(2))


def test_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("xla", "strict"):
        with pytest.raises(ArgumentError, match=rf"jit: argument 'compiler' .*'jax'.*got '{name}'"):
            jit(waves, compiler=name)
    with pytest.raises(ArgumentError, match="'writable' goes with a compiler"):
        jit(waves, writable=True)
    made = jit(lambda x, y=0: x + y, compiler="jax")
    with pytest.raises(DtypeError, match="no dtype like"):
        made(np.ones(2, np.longdouble))
    with pytest.raises(DtypeError, match="no dtype like"):
        made(np.asarray(["a"]))
    import array_api_strict as strict

    with pytest.raises(ArrayTypeError, match="got a strict array"):
        made(strict.ones(2))
    with pytest.raises(MixedLibrariesError):
        made(np.ones(2), strict.ones(2))
    import torch

    with pytest.raises(ArrayTypeError, match=r"records gradients; use likewise\.grad"):
        made(torch.ones(2, requires_grad=True))
    monkeypatch.setattr("likewise._namespace._LOADED", {})
    monkeypatch.setattr("likewise._namespace.installed", lambda name: False)
    with pytest.raises(LibraryNotInstalled, match="jax"):
        jit(waves, compiler="jax")
