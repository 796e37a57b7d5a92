"""The defaults of creation: `use` in all its forms, `xp`, the program's default, devices by name."""

import asyncio
import concurrent.futures
import contextlib
import contextvars
import importlib.util
import inspect
import os
import platform
import subprocess
import sys
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _default, use, xp
from likewise._namespace import installed, load
from likewise.errors import (
    ArgumentError,
    DeviceFallbackWarning,
    DeviceNotFound,
    DtypeError,
    LibraryNotInstalled,
    LikewiseWarning,
)
from likewise.signal import convolve

HERE = [name for name, known in _default.KNOWN.items() if known.host and installed(name)]
FIRST = ("numpy", "float64")
SINGLE = use("strict", dtype="float32")


def now() -> tuple[str, str]:
    """Library and dtype of what creation makes here."""
    x = xp.zeros(1)
    return likewise.library(x), likewise.to_numpy(x).dtype.name


# -- use -------------------------------------------------------------------------------------------


def test_nested_and_restored() -> None:
    assert now() == FIRST
    with use("strict"):
        assert now() == ("strict", "float64")
        with use(dtype="float32"):
            assert now() == ("strict", "float32")
            with use("numpy"):
                assert now() == ("numpy", "float32")
            assert now() == ("strict", "float32")
        assert now() == ("strict", "float64")
    assert now() == FIRST


def test_returns_itself() -> None:
    where = use("strict")
    with where as entered:
        assert entered is where


def test_restored_after_an_exception() -> None:
    with pytest.raises(KeyError), use("strict"):
        raise KeyError
    assert now() == FIRST


def test_reentrant() -> None:
    where = use("strict")
    with where:
        with use("numpy", dtype="float32"):
            with where:
                assert now() == ("strict", "float32")
            assert now() == ("numpy", "float32")
        with where:
            assert now() == ("strict", "float64")
        assert now() == ("strict", "float64")
    assert now() == FIRST


def test_one_object_in_two_threads_at_once() -> None:
    where = use("strict")
    barrier = threading.Barrier(2, timeout=20)

    def work() -> list[tuple[str, str]]:
        seen = []
        for _ in range(3):
            with where:
                barrier.wait()
                seen.append(now())
            barrier.wait()
            seen.append(now())
        return seen

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(work), pool.submit(work)]:
            assert future.result() == [("strict", "float64"), FIRST] * 3


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        (("nump",), {}, "no library 'nump'; there are numpy, cupy, torch, jax, dask, strict"),
        ((), {"dtype": "int32"}, "'float32' or 'float64', got 'int32'"),
        ((), {"dtype": np.float16}, "'float32' or 'float64', got 'float16'"),
    ],
    ids=["library", "dtype by name", "dtype"],
)
def test_spelling_mistakes_show_at_once(
    arguments: tuple[Any, ...], options: dict[str, Any], text: str
) -> None:
    with pytest.raises(ArgumentError, match=text):
        use(*arguments, **options)
    with pytest.raises(ArgumentError, match=text):
        likewise.set_default(*arguments, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float32"), "float32"], ids=str)
def test_dtype_in_any_spelling(dtype: Any) -> None:
    with use("strict", dtype=dtype):
        assert now() == ("strict", "float32")


def test_what_fails_on_entry_changes_nothing() -> None:
    with pytest.raises(DeviceNotFound), use("strict", device="gpu"):
        pass
    assert now() == FIRST
    assert _default.IN_USE.get() is None
    assert use._found.get() == ()


def using(*arguments: Any, **options: Any) -> Iterator[tuple[str, str]]:
    """A plain `use` around a ``yield``, which the caller sees."""
    with use(*arguments, **options):
        yield now()


@pytest.mark.parametrize("order", ["0101", "0110", "012012", "012102", "012210", "010212"])
def test_generators_stepped_in_turn_restore_what_was_before_all(order: str) -> None:
    with use("strict", dtype="float32"):
        steps = [using("numpy"), using(dtype="float64"), using("strict")]
        for i in order:
            next(steps[int(i)], None)
        assert now() == ("strict", "float32")
    assert now() == FIRST
    assert use._found.get() == ()


def test_left_first_the_inner_stays_in_use() -> None:
    outer, inner = using("strict"), using("numpy", dtype="float32")
    next(outer)
    next(inner)
    next(outer, None)
    assert now() == ("numpy", "float32")
    next(inner, None)
    assert now() == FIRST


def test_the_same_object_twice_and_left_in_turn() -> None:
    def f() -> Iterator[None]:
        with SINGLE:
            yield

    steps = f(), f()
    for one in steps * 2:
        next(one, None)
    assert now() == FIRST


def test_left_in_another_context_says_so() -> None:
    steps = using("strict")
    contextvars.copy_context().run(next, steps)
    with pytest.warns(LikewiseWarning, match="another thread or task than it was entered in"):
        next(steps, None)
    assert now() == FIRST


@pytest.mark.needs("jax")
def test_dtype_of_another_library_is_left_to_the_default() -> None:
    with load("jax").variant(False):
        with use("numpy", dtype="float64"):
            assert now() == ("numpy", "float64")
            with use("jax"):
                assert now() == ("jax", "float32")
            with pytest.raises(DtypeError, match="has no float64"), use("jax", dtype="float64"):
                pass
            assert now() == ("numpy", "float64")
        likewise.set_default("numpy", dtype="float64")
        likewise.set_default("jax")
        assert now() == ("jax", "float32")


def test_dtype_goes_on_where_the_library_has_it() -> None:
    with use("numpy", dtype="float32"), use("strict"):
        assert now() == ("strict", "float32")


# -- use as a decorator ----------------------------------------------------------------------------


def test_decorates_a_function() -> None:
    @SINGLE
    def f(a: int, *, b: int) -> tuple[Any, ...]:
        """Says where it runs."""
        return (a, b, *now())

    assert f(1, b=2) == (1, 2, "strict", "float32")
    assert (f.__name__, f.__doc__) == ("f", "Says where it runs.")
    assert str(inspect.signature(f)).startswith("(a: int, *, b: int)")
    assert now() == FIRST


def test_decorated_function_that_raises() -> None:
    @SINGLE
    def f() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        f()
    assert now() == FIRST


def test_decorated_generator_runs_in_its_own_context() -> None:
    @SINGLE
    def f() -> Iterator[tuple[str, str]]:
        yield now()
        with use("numpy"):
            yield now()
        yield now()

    seen = []
    for item in f():
        seen.append(item)
        assert now() == FIRST  # the caller sees nothing of it
        with use("numpy", dtype="float32"):
            assert now() == ("numpy", "float32")
    assert seen == [("strict", "float32"), ("numpy", "float32"), ("strict", "float32")]
    assert inspect.isgeneratorfunction(f)


def test_decorated_generators_interleaved() -> None:
    def f() -> Iterator[tuple[str, str]]:
        yield now()
        yield now()

    a, b = use("strict")(f)(), use("numpy", dtype="float32")(f)()
    assert [next(a), next(b), next(a), next(b)] == [
        ("strict", "float64"),
        ("numpy", "float32"),
        ("strict", "float64"),
        ("numpy", "float32"),
    ]
    assert now() == FIRST


def test_plain_use_around_a_yield_is_seen_by_the_caller() -> None:
    """As with every context variable in Python; the reason why `use` is a decorator as well."""

    def f() -> Iterator[None]:
        with use("strict"):
            yield

    generator = f()
    next(generator)
    assert now() == ("strict", "float64")
    with contextlib.suppress(StopIteration):
        next(generator)
    assert now() == FIRST


@SINGLE
def conversation() -> Any:
    """Answers what it is sent, catches what is thrown, and ends with a value."""
    log: list[Any] = []
    got = yield "ready"
    while got != "end":
        try:
            got = yield (got, *now())
        except KeyError as error:
            log.append((error.args[0], *now()))
            got = yield "caught"
    return log


def test_decorated_generator_send_throw_return() -> None:
    talk = conversation()
    assert next(talk) == "ready"
    assert talk.send(1) == (1, "strict", "float32")
    assert talk.throw(KeyError("k")) == "caught"
    assert talk.send(2) == (2, "strict", "float32")
    with pytest.raises(StopIteration) as end:
        talk.send("end")
    assert end.value.value == [("k", "strict", "float32")]
    with pytest.raises(StopIteration):
        next(talk)


def test_decorated_generator_passes_on_what_it_does_not_catch() -> None:
    talk = conversation()
    next(talk)
    with pytest.raises(ZeroDivisionError):
        talk.throw(ZeroDivisionError())
    with pytest.raises(StopIteration):
        next(talk)


def test_decorated_generator_that_raises() -> None:
    @SINGLE
    def f() -> Iterator[int]:
        yield 1
        raise KeyError(*now())

    generator = f()
    next(generator)
    with pytest.raises(KeyError) as caught:
        next(generator)
    assert caught.value.args == ("strict", "float32")
    assert now() == FIRST


def test_decorated_generator_close() -> None:
    closed = []

    @SINGLE
    def f() -> Iterator[int]:
        try:
            yield 1
        finally:
            closed.append(now())

    generator = f()
    next(generator)
    generator.close()  # type: ignore[attr-defined]
    assert closed == [("strict", "float32")]
    assert now() == FIRST


def test_decorated_generator_in_yield_from() -> None:
    def outer() -> Any:
        return (yield from conversation())

    talk = outer()
    next(talk)
    assert talk.send(3) == (3, "strict", "float32")
    with pytest.raises(StopIteration) as end:
        talk.send("end")
    assert end.value.value == []


def test_decorated_coroutine() -> None:
    @SINGLE
    async def f(a: int) -> tuple[Any, ...]:
        await asyncio.sleep(0)
        return (a, *now())

    async def main() -> list[Any]:
        return [await f(1), now(), *await asyncio.gather(f(2), plain(), f(3))]

    async def plain() -> tuple[str, str]:
        await asyncio.sleep(0)
        return now()

    inside = ("strict", "float32")
    assert asyncio.run(main()) == [(1, *inside), FIRST, (2, *inside), FIRST, (3, *inside)]
    assert inspect.iscoroutinefunction(f)


def test_decorated_async_generator() -> None:
    ended = []

    @SINGLE
    async def f() -> Any:
        try:
            got = yield now()
            await asyncio.sleep(0)
            try:
                yield (got, *now())
            except KeyError:
                yield ("caught", *now())
        finally:
            ended.append(now())

    async def main() -> list[Any]:
        steps = f()
        seen: list[Any] = [await anext(steps), now()]
        seen += [await steps.asend(7), now()]
        seen += [await steps.athrow(KeyError()), now()]
        await steps.aclose()
        return [*seen, now()]

    inside = ("strict", "float32")
    expected = [inside, FIRST, (7, *inside), FIRST, ("caught", *inside), FIRST, FIRST]
    assert asyncio.run(main()) == expected
    assert ended == [inside]
    assert inspect.isasyncgenfunction(f)


def test_decorated_async_generator_runs_out() -> None:
    @SINGLE
    async def f() -> AsyncIterator[tuple[str, str]]:
        yield now()
        yield now()

    async def main() -> list[Any]:
        return [(item, now()) async for item in f()]

    assert asyncio.run(main()) == [(("strict", "float32"), FIRST)] * 2


def test_decorated_async_generator_keeps_what_it_uses_inside() -> None:
    @SINGLE
    async def f() -> AsyncIterator[tuple[str, str]]:
        yield now()
        with use("numpy"):
            yield now()
            yield now()
        yield now()

    async def main() -> list[Any]:
        return [(item, now()) async for item in f()]

    seen = asyncio.run(main())
    assert [item for item, _ in seen] == [
        ("strict", "float32"),
        ("numpy", "float32"),
        ("numpy", "float32"),
        ("strict", "float32"),
    ]
    assert {outside for _, outside in seen} == {FIRST}


# -- threads and tasks -----------------------------------------------------------------------------


def in_thread(func: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(func()))
    thread.start()
    thread.join()
    return found[0]


def in_executor(func: Callable[[], Any]) -> Any:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(func).result()


def in_loop_executor(func: Callable[[], Any]) -> Any:
    async def main() -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, func)

    return asyncio.run(main())


@pytest.mark.parametrize("start", [in_thread, in_executor, in_loop_executor])
def test_threads_start_at_the_program_s_default(start: Callable[..., Any]) -> None:
    with use("strict", dtype="float32"):
        assert start(now) == FIRST
        likewise.set_default("strict")
        assert start(now) == ("strict", "float64")
        assert now() == ("strict", "float32")


def test_tasks_inherit() -> None:
    async def main() -> Any:
        with use("strict"):
            task = asyncio.create_task(child())
        assert now() == FIRST
        return await task

    async def child() -> tuple[str, str]:
        await asyncio.sleep(0)
        return now()

    assert asyncio.run(main()) == ("strict", "float64")


def test_tasks_interleave_with_one_object() -> None:
    where = use("strict", dtype="float32")

    async def child(turn: asyncio.Event, other: asyncio.Event) -> list[Any]:
        seen = [now()]
        for _ in range(2):
            with where:
                other.set()
                await turn.wait()
                turn.clear()
                seen.append(now())
            other.set()
            await turn.wait()
            turn.clear()
            seen.append(now())
        other.set()
        return seen

    async def main() -> list[Any]:
        a, b = asyncio.Event(), asyncio.Event()
        tasks = asyncio.gather(child(a, b), child(b, a))
        return await asyncio.wait_for(tasks, 20)

    inside = ("strict", "float32")
    assert asyncio.run(main()) == [[FIRST, inside, FIRST, inside, FIRST]] * 2
    assert now() == FIRST


# -- xp --------------------------------------------------------------------------------------------

# A creation call, and the kind of its result.
REAL: dict[str, Callable[[], Any]] = {
    "zeros": lambda: xp.zeros(3),
    "ones": lambda: xp.ones((2, 2)),
    "empty": lambda: xp.empty(3),
    "eye": lambda: xp.eye(2),
    "linspace": lambda: xp.linspace(0, 1, 5),
    "linspace by name": lambda: xp.linspace(0, 1, num=5),
    "full": lambda: xp.full(3, 0.1),
    "full by name": lambda: xp.full(shape=(3,), fill_value=0.1),
    "arange": lambda: xp.arange(0.0, 1.0, 0.3),
    "arange by name": lambda: xp.arange(0, stop=2.0),
    "asarray": lambda: xp.asarray([0.1, 0.2]),
    "asarray nested": lambda: xp.asarray([[1, 2], [0.5, 1]]),
    "asarray scalar": lambda: xp.asarray(0.1),
    "asarray empty": lambda: xp.asarray([]),
    "fftfreq": lambda: xp.fft.fftfreq(4),
    "rfftfreq": lambda: xp.fft.rfftfreq(4, d=0.1),
}
OTHER: dict[str, tuple[Callable[[], Any], str]] = {
    "full integer": (lambda: xp.full(3, 1), "integral"),
    "full boolean": (lambda: xp.full(3, True), "bool"),
    "arange": (lambda: xp.arange(3), "integral"),
    "asarray integers": (lambda: xp.asarray([1, 2]), "integral"),
    "asarray booleans": (lambda: xp.asarray([True]), "bool"),
    "zeros of a dtype": (lambda: xp.zeros(3, dtype=xp.int32), "integral"),
}


def dtype_name(x: Any) -> str:
    return likewise.to_numpy(x).dtype.name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("call", REAL)
@pytest.mark.parametrize("name", HERE)
def test_real_default(name: str, call: str, dtype: str) -> None:
    with use(name, dtype=dtype):
        x = REAL[call]()
    assert likewise.library(x) == name
    assert dtype_name(x) == dtype


@pytest.mark.parametrize(
    ("dtype", "expected"), [("float32", "complex64"), ("float64", "complex128")]
)
@pytest.mark.parametrize("name", HERE)
def test_complex_follows_the_real_default(name: str, dtype: str, expected: str) -> None:
    with use(name, dtype=dtype):
        made = [xp.full(2, 1j), xp.asarray([1, 2j]), xp.full(2, fill_value=1j)]
    assert [dtype_name(x) for x in made] == [expected] * 3


@pytest.mark.parametrize("call", OTHER)
@pytest.mark.parametrize("name", HERE)
def test_other_kinds_keep_the_library_s_dtype(name: str, call: str) -> None:
    make, kind = OTHER[call]
    with use(name):
        plain = make()
    with use(name, dtype="float32"):
        x = make()
    assert x.dtype == plain.dtype
    assert likewise.namespace(name).isdtype(x.dtype, kind)


@pytest.mark.parametrize("name", HERE)
def test_values_are_not_rounded_on_the_way(name: str) -> None:
    """torch's own 0.1 would be that of its default dtype, float32."""
    with use(name, dtype="float64"):
        made = [
            xp.asarray([0.1]),
            xp.full(1, 0.1),
            xp.asarray([[0.1]])[0, ...],
            xp.linspace(0.1, 1, 3)[:1],
            xp.arange(0.1, 1.0)[:1],
        ]
    assert [float(likewise.to_numpy(x)[0]) for x in made] == [0.1] * 5


@pytest.mark.parametrize("name", HERE)
def test_arrays_keep_their_dtype(name: str) -> None:
    x = likewise.asarray(np.ones(2, dtype="float32"), namespace=name)
    with use(name, dtype="float64"):
        assert dtype_name(xp.asarray(x)) == "float32"
        assert dtype_name(xp.zeros_like(x)) == "float32"


@pytest.mark.parametrize("name", HERE)
def test_device_by_name_on_every_library(name: str) -> None:
    plain = likewise.device(likewise.namespace(name).zeros(1))
    with use(name, device="cpu"):
        assert likewise.device(xp.zeros(1)) == plain
        assert likewise.device(xp.asarray([1.0])) == plain
    with use(name):
        assert likewise.device(xp.zeros(1, device="cpu")) == plain
        with pytest.raises(DeviceNotFound):
            xp.zeros(1, device="gpu:97")


def test_device_as_the_library_s_own_object() -> None:
    import array_api_strict as strict

    other = strict.Device("device1")
    with use("strict", device=other):
        assert xp.zeros(1).device == xp.fft.fftfreq(4).device == xp.asarray([1]).device == other
        assert xp.zeros(1, device="cpu").device == strict.Device("CPU_DEVICE")
        with use("numpy"):  # another library's object means nothing there
            assert now() == FIRST
        with use(dtype="float32"):
            assert xp.zeros(1).device == other


@pytest.mark.parametrize("name", [n for n in HERE if n == "jax"])
def test_no_float64_under_32_bits(name: str) -> None:
    code = (
        "import likewise\n"
        f"try: likewise.use({name!r}, dtype='float64').__enter__()\n"
        "except likewise.errors.DtypeError as error: print(error)"
    )
    text = outside(code, JAX_ENABLE_X64="0")
    assert text.startswith("use: jax has no float64 now; ")
    assert "jax.config.update('jax_enable_x64', True)" in text


def test_everything_else_is_the_library_s() -> None:
    with use("strict", dtype="float32"):
        plain = likewise.namespace("strict")
        assert xp.sum is plain.sum
        assert xp.linalg is plain.linalg
        assert xp.fft.rfft is plain.fft.rfft
        assert xp.pi == plain.pi
        assert dir(xp) == dir(plain)
        assert dir(xp.fft) == dir(plain.fft)
        with pytest.raises(AttributeError, match=r"'likewise strict' has no 'interp'"):
            xp.interp


def test_says_what_it_is() -> None:
    assert repr(xp) == "<likewise.xp: <likewise numpy: array API standard 2025.12> now>"
    with use("strict"):
        text = "<likewise.xp.fft: <likewise strict.fft: array API standard 2025.12> now>"
        assert repr(xp.fft) == text


def test_wrong_calls_are_the_library_s_to_refuse() -> None:
    with use("strict", dtype="float32"):
        for call in (lambda: xp.full(3), lambda: xp.asarray(), lambda: xp.zeros()):
            with pytest.raises(TypeError):
                call()


# -- algorithms look at arrays ---------------------------------------------------------------------


@pytest.mark.parametrize("other", HERE)
def test_algorithms_given_arrays_never_look_at_the_default(lib: Any, other: str) -> None:
    x, weights = [1.0, 2.0, 4.0], [1.0, 1.0]
    a = lib.asarray(x)
    with use(other, dtype="float32"):
        for kernel in (lib.asarray(weights), weights):
            out = lib.to_numpy(convolve(a, kernel, method="direct"))
            np.testing.assert_array_equal(out, [1, 3, 6, 4])
            assert out.dtype == ("float64" if lib.has_float64 else "float32")


@pytest.mark.parametrize("other", [n for n in HERE if n != "numpy"])
def test_fftconvolve_on_numpy_inside_another_library(other: str) -> None:
    from likewise.signal import fftconvolve

    with use(other, dtype="float32"):
        out = fftconvolve(np.asarray([1, 2, 4]), np.asarray([1, 1]))
    assert type(out) is np.ndarray
    assert out.dtype == np.float64
    np.testing.assert_allclose(out, [1, 3, 6, 4], rtol=1e-15)


@pytest.mark.parametrize("name", HERE)
def test_algorithms_given_lists_use_the_default(name: str) -> None:
    with use(name, dtype="float32"):
        out = convolve([1.0, 2.0], [1.0, 1.0], method="direct")
    assert likewise.library(out) == name
    assert dtype_name(out) == "float32"


# -- the program's default -------------------------------------------------------------------------


def test_set_and_reset_default() -> None:
    likewise.set_default("strict")
    likewise.set_default(dtype="float32")
    assert now() == ("strict", "float32")
    likewise.reset_default()
    assert now() == FIRST


def test_use_builds_on_the_program_s_default() -> None:
    likewise.set_default("strict", dtype="float32")
    with use("numpy"):
        assert now() == ("numpy", "float32")


def test_set_default_that_fails_changes_nothing() -> None:
    likewise.set_default("strict")
    with pytest.raises(DeviceNotFound):
        likewise.set_default("numpy", device="gpu")
    with pytest.raises(ArgumentError):
        likewise.set_default(memory_fraction=1.5)
    assert now() == ("strict", "float64")
    assert _default.current().memory_fraction == 0.5


def test_set_default_to_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    with pytest.raises(LibraryNotInstalled, match="pip install cupy-cuda13x"):
        likewise.set_default("cupy")
    assert now() == FIRST


def outside(code: str, **variables: str) -> str:
    """What a program prints under environment variables."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_environment_from_outside() -> None:
    text = outside(
        "import likewise; print(repr(likewise.xp.zeros(1)), likewise._default.current())",
        LIKEWISE_NAMESPACE="strict",
        LIKEWISE_DEVICE="gpu:3",
        LIKEWISE_DEVICE_FALLBACK="1",
        LIKEWISE_MEMORY_FRACTION="0.25",
    )
    assert text.startswith("Array([0.], dtype=array_api_strict.float64)")
    for part in ("namespace='strict'", "device='gpu:3'", "fallback=True", "fraction=0.25"):
        assert part in text


def test_environment_says_the_first_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_NAMESPACE", "strict")
    assert now() == ("strict", "float64")
    monkeypatch.delenv("LIKEWISE_NAMESPACE")
    assert now() == ("strict", "float64")  # it was read once
    monkeypatch.setenv("LIKEWISE_NAMESPACE", "strict")
    likewise.set_default("numpy")
    assert now() == FIRST
    likewise.reset_default()
    assert now() == ("strict", "float64")


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("LIKEWISE_NAMESPACE", "polars", "LIKEWISE_NAMESPACE must be one of numpy"),
        ("LIKEWISE_DEVICE_FALLBACK", "maybe", "LIKEWISE_DEVICE_FALLBACK must be 0 or 1"),
        ("LIKEWISE_MEMORY_FRACTION", "2", r"MEMORY_FRACTION must be in \(0, 1\], got '2'"),
        ("LIKEWISE_MEMORY_FRACTION", "half", r"MEMORY_FRACTION must be in \(0, 1\], got 'half'"),
    ],
)
def test_environment_that_makes_no_sense(
    variable: str, value: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    likewise.reset_default()
    with pytest.raises(ArgumentError, match=text):
        xp.zeros(1)


@pytest.mark.parametrize("value", ["", "0", "false", "No", "OFF"])
def test_environment_device_without_fallback(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_DEVICE", "gpu")
    monkeypatch.setenv("LIKEWISE_DEVICE_FALLBACK", value)
    likewise.reset_default()
    with pytest.raises(DeviceNotFound, match=r"numpy has no device 'gpu' here; .* there: cpu$"):
        xp.zeros(1)


@pytest.mark.parametrize("value", ["1", "true", "Yes", "ON"])
def test_environment_device_with_fallback(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One warning, at the line that first needs the device."""
    monkeypatch.setenv("LIKEWISE_DEVICE", "gpu")
    monkeypatch.setenv("LIKEWISE_DEVICE_FALLBACK", value)
    likewise.reset_default()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = xp.zeros(1)
        xp.ones(2), xp.asarray([1.0])
        with use(dtype="float32"):
            xp.zeros(3)
    assert likewise.device(x) == "cpu"
    assert [w.category for w in caught] == [DeviceFallbackWarning]
    assert "numpy has no device 'gpu' here" in str(caught[0].message)
    assert str(caught[0].message).endswith("; the CPU is used")
    assert caught[0].filename == __file__


def test_fallback_by_set_default() -> None:
    with pytest.warns(DeviceFallbackWarning) as caught:
        likewise.set_default("strict", device="gpu", device_fallback=True)
        xp.zeros(1)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(DeviceFallbackWarning, match="numpy has no device 'gpu'"):
        likewise.to_device(np.ones(1), "gpu")


# -- devices by name -------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["gpu:97", "gpu:x", "cpu:97", "cpu:-1", "cuda", "", "moon:1"])
@pytest.mark.parametrize("name", HERE)
def test_device_that_is_not_there(name: str, device: str) -> None:
    with pytest.raises(DeviceNotFound) as caught, use(name, device=device):
        pass
    text = str(caught.value)
    assert text.startswith(f"{name} has no device {device!r} here; ")
    assert "'cpu', 'gpu', 'gpu:1' or the library's own objects" in text
    for d in likewise.devices(name):
        assert str(d.device) in text
    assert isinstance(caught.value, ValueError)


_FAULTS = """
import resource
import numpy as np
from likewise.optimize import curve_fit
t = np.linspace(0.0, 1.0, 30)
y = np.exp(-t) * np.linspace(1.0, 2.0, 15000)[:, None]  # of 3.6 MB
fits = []
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    curve_fit(lambda t, a, k: a * np.exp(-k * t), t, y, [1.0, 0.5])
    fits.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(fits[-1])
"""


@pytest.mark.full
def test_freed_memory_is_kept(leave_out: Any) -> None:
    """The system doesn't clear the pages of a fit's arrays in each of its steps."""
    leave_out("glibc", platform.libc_ver()[0] != "glibc")
    # A step has more than ten such arrays of 900 pages each.
    assert int(outside(_FAULTS)) < 9000
