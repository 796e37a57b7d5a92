"""What a call derives from its arrays: library, namespace, dtype, device."""

import importlib
import importlib.util
import pickle
import subprocess
import sys
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import likewise
from likewise import _namespace, array_namespace, result_type
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    LibraryNotInstalled,
    MixedLibrariesError,
)

HERE = [n for n, k in _namespace.KNOWN.items() if k.host and _namespace.installed(n)]
NOT_STANDARD = {
    "ArrayAPIStrictFlags",
    "Device",
    "__version__",
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
}
# The standard's names as array-api-strict has them.
STANDARD = {
    "": set(strict.__all__) - NOT_STANDARD,
    "fft": set(strict.fft.__all__),
    "linalg": set(strict.linalg.__all__) | {"eig", "eigvals"},  # its __all__ forgets two it has
}


def on(module: str) -> Any:
    """The test gets the module as an argument, and is not run where that isn't installed."""
    found = [importlib.import_module(module)] if importlib.util.find_spec(module) else []
    return pytest.mark.parametrize(module, found, ids=lambda m: m.__name__)


class Wrapper:
    """An array of nobody's library, over one of any."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.asked = 0

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        self.asked += 1
        return array_namespace(self.array)


class Sub(np.ndarray):
    """A third party's subclass."""


def mixer(signal: Any, kernel: Any) -> Any:
    return array_namespace(signal, kernel)


def run(code: str) -> str:
    """What a program prints in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- which namespace -------------------------------------------------------------------------------


def test_is_the_library_s(lib: Any) -> None:
    x = lib.asarray([1.0, 2.0])
    own = likewise.namespace(lib.library)
    assert array_namespace(x) is own
    assert array_namespace(x, x + 1, x) is own


@pytest.mark.parametrize(
    "neutral",
    [True, 1, 1.5, 1j, None, [1.0], (1, 2)]
    + [t(1) for t in (np.bool_, np.int8, np.uint64, np.float32, np.longdouble, np.complex64)],
    ids=lambda x: type(x).__name__,
)
def test_neutral(neutral: Any) -> None:
    x = strict.ones(2)
    assert array_namespace(neutral, x) is array_namespace(x, neutral) is array_namespace(x)
    assert array_namespace(neutral).library == "numpy"
    with likewise.use("strict"):
        assert array_namespace(neutral).library == "strict"


def test_no_argument_means_the_default() -> None:
    assert array_namespace().library == "numpy"
    with likewise.use("strict"):
        assert array_namespace().library == "strict"


def test_numpy_s_scalars_are_neutral_before_numpy_was_met() -> None:
    """NumPy's classes become known with its file, which nothing has loaded yet here."""
    code = (
        "import numpy, array_api_strict as s\n"
        "from likewise import array_namespace as f, _namespace as n\n"
        "assert 'numpy' not in n._LOADED\n"
        "print(f(numpy.float64(2), s.ones(2)).library)"
    )
    assert run(code) == "strict"


def test_third_party_array_is_asked_each_time() -> None:
    a, b = Wrapper(np.ones(2)), Wrapper(strict.ones(2))
    for _ in range(2):
        assert array_namespace(a, np.ones(2)).library == "numpy"
        assert array_namespace(b, strict.ones(2)).library == "strict"
    assert (a.asked, b.asked) == (2, 2)
    assert Wrapper not in _namespace._CACHE
    with pytest.raises(MixedLibrariesError, match=r"'signal' is .*; argument 'kernel' is"):
        mixer(a, b)


def test_subclass_of_a_third_party() -> None:
    x = np.ones(2).view(Sub)
    assert array_namespace(x, np.ones(2)).library == "numpy"
    assert likewise.library(x) == "numpy"
    assert Sub not in _namespace._CACHE


def test_cache_holds_the_libraries_own_classes_alone(lib: Any) -> None:
    array_namespace(lib.asarray([1.0]), Wrapper(lib.asarray([1.0])))
    assert type(lib.asarray([1.0])) in _namespace._CACHE
    roots = {cls.__module__.partition(".")[0] for cls in _namespace._CACHE}
    assert roots <= set(_namespace._PACKAGES)


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [n for n in HERE if n not in ("numpy", "dask")])
def test_mixed_libraries(other: str) -> None:
    y = likewise.namespace(other).ones(3)
    with pytest.raises(MixedLibrariesError) as caught:
        mixer(np.ones((2, 3)), y)
    text = str(caught.value)
    assert text.startswith("mixer: arrays of one library were expected")
    assert "argument 'signal' is a numpy array of float64, shape (2, 3), on cpu" in text
    assert f"argument 'kernel' is a {other} array of " in text
    assert "shape (3,)" in text
    assert text.endswith("Convert with likewise.asarray(x, like=y).")


@pytest.mark.needs("dask")
def test_arrays_of_numpy_go_with_those_of_dask() -> None:
    x, y, z = (likewise.namespace(name).ones(3) for name in ("dask", "numpy", "strict"))
    for given in [(x, y), (y, x), (y, x, y), (2.0, y, x)]:
        assert likewise.array_namespace(*given) is likewise.namespace("dask")
    for given in [(x, z), (z, y), (x, y, z), (z, x, y)]:
        with pytest.raises(MixedLibrariesError):
            likewise.array_namespace(*given)


def test_mixed_libraries_without_names() -> None:
    """Called from a module's or a lambda's line, the arguments have numbers; scalars count."""
    call = lambda: array_namespace(2.0, np.ones(1), strict.ones(1))  # noqa: E731
    with pytest.raises(MixedLibrariesError, match=r"^array_namespace: .*") as caught:
        call()
    assert "argument number 2 is a numpy array" in str(caught.value)
    assert "argument number 3 is a strict array" in str(caught.value)


def test_mixed_libraries_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        mixer(np.ones(1), strict.ones(1))


REFUSED = {
    "masked": (np.ma.ones(3), "numpy.ma.MaskedArray", r"x\.filled\(np\.nan\)"),
    "matrix": (np.ones((1, 1)).view(np.matrix), "numpy.matrix", r"np\.asarray\(x\)"),
    "str": ("abc", "builtins.str: str 'abc'", "Make it an array first"),
    "bytes": (b"abc", "builtins.bytes", "Make it an array first"),
    "object": (object(), "builtins.object", "Make it an array first"),
    "dict": ({1: 2}, "builtins.dict", "Make it an array first"),
    "set": ({1, 2}, "builtins.set", "Make it an array first"),
    "class": (np.float64, "builtins.type", "Make it an array first"),
    "dtype": (np.dtype("f4"), "Float32DType", "Make it an array first"),
    "numpy str": (np.str_("abc"), "numpy.str_", "those that are numbers"),
    "date": (np.datetime64("2026-01-01"), "numpy.datetime64", "those that are numbers"),
}


@pytest.mark.parametrize("func", ["array_namespace", "library", "device", "is_lazy", "to_numpy"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_array(func: str, case: str) -> None:
    x, came, hint = REFUSED[case]
    with pytest.raises(ArrayTypeError, match=came) as caught:
        getattr(likewise, func)(x)
    assert isinstance(caught.value, TypeError)
    caught.match(hint)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_array_is_named(case: str) -> None:
    """By the function that was called and by its argument, wherever it stands."""
    with pytest.raises(ArrayTypeError, match=r"^mixer: argument 'kernel' must be a standard"):
        mixer(np.ones(2), REFUSED[case][0])


def test_refused_by_number_where_there_is_no_name() -> None:
    call = lambda: array_namespace(1, np.ones(1), "abc")  # noqa: E731
    with pytest.raises(ArrayTypeError, match=r"^array_namespace: argument number 3 must"):
        call()


@pytest.mark.parametrize("func", ["library", "device", "is_lazy"])
@pytest.mark.parametrize("x", [1.0, [1.0], None], ids=lambda x: type(x).__name__)
def test_neutral_is_no_array(func: str, x: Any) -> None:
    with pytest.raises(ArrayTypeError, match=f"^{func}: argument 'x' must be"):
        getattr(likewise, func)(x)


NUMPY_SCALAR = """
import numpy
import likewise
x = numpy.float64(1)
print(*(getattr(likewise, name)(x) for name in {names}))
"""


@pytest.mark.parametrize("names", [("library", "device", "is_lazy"), ("is_lazy", "library")])
def test_numpy_s_scalars_are_numpy_s(names: tuple[str, ...]) -> None:
    """Its own functions return them; whichever function is the first to see one."""
    answers = {"library": "numpy", "device": "cpu", "is_lazy": "False"}
    assert run(NUMPY_SCALAR.format(names=names)).split() == [answers[n] for n in names]


# -- tracers ---------------------------------------------------------------------------------------


@on("jax")
@pytest.mark.parametrize("transform", ["jit", "grad", "vmap"])
def test_jax_tracers(jax: Any, transform: str) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append(
            (
                likewise.library(x),
                likewise.is_lazy(x),
                likewise.device(x),
                result_type(x, 2.0) == x.dtype,
            )
        )
        xp = array_namespace(x, np.float32(2), 1.0)
        return xp.sum(xp.square(x))

    x = jax.numpy.asarray([1.0, 2.0], dtype="float32")
    out = getattr(jax, transform)(f)(x)
    expected = {"jit": 5.0, "grad": [2.0, 4.0], "vmap": [1.0, 4.0]}[transform]
    np.testing.assert_array_equal(np.asarray(out), np.asarray(expected, dtype="float32"))
    assert set(seen) == {("jax", True, None, True)}


@on("jax")
def test_jax_tracer_classes_are_remembered(jax: Any) -> None:
    classes = []
    jax.jit(lambda x: classes.append(type(x)) or array_namespace(x).sum(x))(jax.numpy.ones(2))
    assert _namespace._CACHE[classes[0]] is likewise.namespace("jax")


@on("torch")
def test_torch_compile(torch: Any) -> None:
    """One graph, not broken by the look at the namespace, device, dtype and library."""

    def f(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y, 2.0)
        if likewise.library(x) != "torch" or not likewise.is_lazy(x):
            return x
        z = xp.ones(3, dtype=result_type(x, 1.5), device=likewise.device(x))
        return xp.sum(xp.multiply(x, y)) + z

    x = torch.arange(3.0)
    assert torch.equal(f(x, x), x)  # a warm-up, and eager arrays are not lazy
    compiled = torch.compile(f, fullgraph=True, backend="eager")
    assert torch.equal(compiled(x, x), torch.full((3,), 6.0))


COLD = """
import torch
from likewise import array_namespace, device, is_lazy, library
f = torch.compile({code}, fullgraph=True, backend="eager")
print(f(torch.arange(3.0), torch.ones(3)).tolist())
"""


@on("torch")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("lambda x, y: array_namespace(x, y).multiply(x, y)", "[0.0, 1.0, 2.0]"),
        (
            "lambda x, y: x + y if (library(x), is_lazy(y), device(x).type) == "
            "('torch', True, 'cpu') else x",
            "[1.0, 2.0, 3.0]",
        ),
    ],
    ids=["namespace", "library"],
)
@pytest.mark.full
def test_torch_compile_cold(torch: Any, code: str, expected: str) -> None:
    """The first array that likewise ever meets is one that torch is compiling."""
    assert run(COLD.format(code=code)) == expected


@on("torch")
def test_torch_func(torch: Any) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append((array_namespace(x).library, likewise.library(x), likewise.is_lazy(x)))
        xp = array_namespace(x)
        return xp.sum(xp.square(x))

    x = torch.arange(4.0)
    assert torch.equal(torch.func.vmap(f)(x), x * x)
    assert torch.equal(torch.func.grad(f)(x), 2 * x)
    assert set(seen) == {("torch", "torch", True)}


@on("torch")
def test_torch_meta_is_lazy(torch: Any) -> None:
    assert likewise.is_lazy(torch.ones(2, device="meta"))


# -- the namespaces --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HERE)
def test_namespace_by_name(name: str) -> None:
    xp = likewise.namespace(name)
    assert xp.library == name
    assert array_namespace(xp.ones(1)) is xp
    assert xp.__array_api_version__ == "2025.12"
    assert repr(xp) == f"<likewise {name}: array API standard 2025.12>"
    assert repr(xp.fft) == f"<likewise {name}.fft: array API standard 2025.12>"


@pytest.mark.parametrize("name", HERE)
def test_pickling(name: str) -> None:
    xp = likewise.namespace(name)
    for space in (xp, xp.fft, xp.linalg):
        assert pickle.loads(pickle.dumps(space)) is space


@pytest.mark.parametrize("where", STANDARD)
@pytest.mark.parametrize("name", HERE)
def test_has_the_whole_standard(name: str, where: str) -> None:
    xp = likewise.namespace(name)
    space = getattr(xp, where) if where else xp
    assert {n for n in STANDARD[where] if not hasattr(space, n)} == set()


def test_a_name_that_the_library_lacks() -> None:
    text = r"^'likewise numpy\.linalg' has no 'eigh': the library doesn't offer it$"
    with pytest.raises(AttributeError, match=text):
        _namespace.Namespace("numpy", {}, ".linalg").eigh


@pytest.mark.parametrize("where", STANDARD)
@pytest.mark.parametrize("name", HERE)
def test_has_nothing_but_the_standard(name: str, where: str) -> None:
    xp = likewise.namespace(name)
    names = dir(getattr(xp, where) if where else xp)
    assert names == sorted(set(names))
    assert set(names) <= STANDARD[where]
    assert {n for n in STANDARD[where] if hasattr(getattr(xp, where) if where else xp, n)} <= {
        *names,
        "__array_api_version__",
    }


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("absent", ["interp", "ndarray", "Tensor", "linspac"])
def test_closed(name: str, absent: str) -> None:
    text = (
        f"^'likewise {name}' has no '{absent}': it isn't in the array API standard 2025.12; "
        "look in likewise.missing$"
    )
    with pytest.raises(AttributeError, match=text):
        getattr(likewise.namespace(name), absent)


def test_strict_s_flags_switch_extensions() -> None:
    xp = likewise.namespace("strict")
    with strict.ArrayAPIStrictFlags(enabled_extensions=("linalg",)):
        assert not hasattr(xp, "fft")
        assert "fft" not in dir(xp)
        assert "linalg" in dir(xp)
        assert xp.linalg.library == "strict"
        with pytest.raises(AttributeError, match="'fft' is switched off"):
            xp.fft
    assert xp.fft.library == "strict"
    assert {"fft", "linalg"} <= set(dir(xp))


def test_strict_met_while_its_extensions_are_off() -> None:
    code = (
        "import array_api_strict as s, likewise\n"
        "with s.ArrayAPIStrictFlags(enabled_extensions=()):\n"
        "    xp = likewise.array_namespace(s.ones(1)); print(hasattr(xp, 'fft'))\n"
        "print(hasattr(xp, 'fft'), hasattr(xp, 'linalg'))"
    )
    assert run(code).split() == ["False", "True", "True"]


def test_no_such_library() -> None:
    text = "no library 'polars'; there are numpy, cupy, torch, jax, dask, strict"
    with pytest.raises(ArgumentError, match=text):
        likewise.namespace("polars")


@pytest.mark.parametrize(
    ("name", "module", "install"),
    [
        ("cupy", "cupy", "cupy-cuda13x"),
        ("torch", "torch", "torch"),
        ("jax", "jax", "jax"),
        ("dask", "dask", "'dask[array]'"),
        ("strict", "array_api_strict", "array-api-strict"),
    ],
)
@pytest.mark.parametrize("way", ["namespace", "use", "asarray", "info", "devices"])
def test_library_that_is_not_installed(
    name: str, module: str, install: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_namespace, "_LOADED", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    calls = {
        "use": lambda: likewise.use(name).__enter__(),
        "asarray": lambda: likewise.asarray([1.0], namespace=name),
    }
    with pytest.raises(LibraryNotInstalled) as caught:
        calls.get(way, lambda: getattr(likewise, way)(name))()
    assert isinstance(caught.value, ImportError)
    assert f"{name!r} needs the package {module!r}" in str(caught.value)
    assert str(caught.value).endswith(f"pip install {install}")


# -- dtype, device, laziness, library --------------------------------------------------------------

# Arguments by dtype ('f4', an array) or as they are, and the result in words of the standard.
PROMOTIONS: dict[str, tuple[list[Any], str]] = {
    "one array": (["float32"], "float32"),
    "weak float": (["float32", 1.5], "float32"),
    "weak integer": (["float32", 3], "float32"),
    "weak complex": (["float32", 1j], "complex64"),
    "numpy scalar": (["float32", np.float64(2)], "float32"),
    "numpy complex scalar": (["float32", np.complex128(2)], "complex64"),
    "integers": (["int8", "int32"], "int32"),
    "signed and unsigned": (["int8", "uint8"], "int16"),
    "integer array with floating": (["int32", "float32"], "float32"),
    "boolean with floating": (["bool", "float32"], "float32"),
    "integer with weak integer": (["int8", 3], "int8"),
    "boolean with weak boolean": (["bool", True], "bool"),
    "integer with weak boolean": (["int8", True], "int8"),
    "real with complex": (["float32", "complex64"], "complex64"),
    "integer with complex": (["int32", "complex64"], "complex64"),
}


@pytest.mark.parametrize("case", PROMOTIONS)
def test_result_type(lib: Any, case: str) -> None:
    arguments, expected = PROMOTIONS[case]
    arrays = [lib.asarray([1], dtype=a) if isinstance(a, str) else a for a in arguments]
    for order in (arrays, arrays[::-1]):
        assert result_type(*order) == getattr(lib.xp, expected)


DEFAULTS: dict[str, tuple[list[Any], str]] = {
    "integer with weak float": (["int32", 1.5], "real floating"),
    "boolean with weak float": (["bool", 1.5], "real floating"),
    "boolean with weak integer": (["bool", 3], "integral"),
    "integer with weak complex": (["int32", 1j], "complex floating"),
}


@pytest.mark.parametrize("case", DEFAULTS)
def test_result_type_falls_to_the_library_s_default(lib: Any, case: str) -> None:
    (dtype, scalar), kind = DEFAULTS[case]
    x = lib.asarray([1], dtype=dtype)
    defaults = lib.xp.__array_namespace_info__().default_dtypes(device=likewise.device(x))
    assert result_type(x, scalar) == defaults[kind]


def test_result_type_of_dtypes(lib: Any) -> None:
    """A library's dtypes are classes, instances or strings of sorts; all serve beside an array."""
    x = lib.asarray([1], dtype="int8")
    assert result_type(x, lib.xp.int32) == lib.xp.int32
    assert result_type(x, lib.xp.float32) == lib.xp.float32
    assert result_type(lib.xp.complex64, x, 1.5) == lib.xp.complex64


@pytest.mark.parametrize(
    ("scalars", "expected"),
    [((1.0, 2), "float64"), ((1, 2), "int64"), ((True,), "bool"), ((1j, 1), "complex128")],
    ids=str,
)
def test_result_type_of_scalars_alone(scalars: tuple[Any, ...], expected: str) -> None:
    assert result_type(*scalars) == np.dtype(expected)
    with likewise.use("strict"):
        assert result_type(*scalars) == getattr(strict, expected)


def test_result_type_of_nothing() -> None:
    with pytest.raises(ArgumentError, match=r"^result_type: .* got nothing"):
        result_type()


@pytest.mark.parametrize("other", [[1.0], (1, 2), None, "float32"])
def test_result_type_of_what_is_none(lib: Any, other: Any) -> None:
    with pytest.raises(
        ArgumentError, match=r"^result_type: an array, dtype or scalar was expected"
    ):
        result_type(lib.asarray([1.0]), other)


def test_result_type_of_two_libraries() -> None:
    with pytest.raises(MixedLibrariesError, match=r"^result_type: "):
        result_type(np.ones(1), strict.ones(1))


def test_device(lib: Any) -> None:
    x = lib.asarray([1.0])
    where = likewise.device(x)
    if lib.device is not None:
        assert where == lib.device
    assert likewise.device(lib.xp.zeros(2, device=where)) == where


def test_device_of_a_third_party_array() -> None:
    x = Wrapper(np.ones(1))
    x.device = "moon"  # type: ignore[attr-defined]
    assert likewise.device(x) == "moon"


def test_is_lazy(lib: Any) -> None:
    assert likewise.is_lazy(lib.asarray([1.0])) is (lib.library == "dask")


def test_library(lib: Any) -> None:
    assert likewise.library(lib.asarray([1.0])) == lib.library
    assert likewise.library(Wrapper(lib.asarray([1.0]))) is None


def test_a_subclass_with_its_own_answer_is_asked() -> None:
    class Mine(np.ndarray):
        def __array_namespace__(self, *, api_version: Any = None) -> Any:
            return "mine"

    x = np.ones(3).view(Mine)
    assert array_namespace(x) == "mine"
    assert Mine not in _namespace._CACHE
    assert array_namespace(np.ones(3).view(type("Plain", (np.ndarray,), {}))).library == "numpy"


@pytest.mark.needs("jax")
def test_constants_under_jit_are_not_looked_at() -> None:
    """What JAX computes under jit of an array from outside is a tracer."""
    import jax
    import jax.numpy as jnp

    constant, seen = jnp.arange(3), []

    def look(x: Any) -> Any:
        seen.append(_namespace.is_concrete(constant))
        return 2.0 * x

    look(1.0)
    jax.vmap(look)(constant)
    jax.grad(look)(1.0)
    jax.jit(look)(1.0)
    jax.lax.scan(lambda carry, x: (look(carry), x), 1.0, constant)
    jax.jit(jax.vmap(look))(constant)
    assert seen == [True, True, True, False, False, False]


# -- what is installed -----------------------------------------------------------------------------

FOLDER = """
import os, sys, tempfile
where = tempfile.mkdtemp()
os.mkdir(os.path.join(where, "nosuchlib"))
sys.path.insert(0, where)
import likewise
from likewise import _namespace
_namespace.KNOWN["cupy"] = _namespace.KNOWN["cupy"]._replace(module="nosuchlib")
print(_namespace.installed("cupy"))
import nosuchlib
print(_namespace.installed("cupy"), [m.name for m in _namespace.loaded()])
try:
    likewise.use("cupy").__enter__()
except likewise.errors.LibraryNotInstalled as error:
    print(error)
"""


def test_a_folder_of_the_name_is_not_the_library() -> None:
    first, second, text = run(FOLDER).splitlines()
    assert first == "False"
    assert second.startswith("False [")
    assert "cupy" not in second
    assert "which isn't installed" in text


# -- threads ---------------------------------------------------------------------------------------

FIRST_TOUCH = """
import sys, threading
import likewise

sys.setswitchinterval(1e-5)
barrier, failed = threading.Barrier(8), []


def made(*values):
    return likewise.asarray(list(values), namespace={name!r})


def square(x):
    return likewise.array_namespace(x).sum(x * x)


def work(first):
    barrier.wait()
    try:
        first()
    except Exception as error:
        failed.append(repr(error))


firsts = [
    lambda: likewise.namespace({name!r}).zeros(2),
    lambda: likewise.optimize.root_scalar(lambda x: x * x - 2.0, bracket=(made(1.0), made(2.0))),
    lambda: likewise.optimize.BracketResult,
    lambda: likewise.grad(square)(made(1.0, 2.0)),
    lambda: likewise.vmap(square)(likewise.asarray([[1.0, 2.0]], namespace={name!r})),
    lambda: likewise.missing.cov(made(1.0, 2.0)),
    lambda: likewise.info({name!r}),
    lambda: likewise.to_numpy(made(1.0)),
]
threads = [threading.Thread(target=work, args=(first,)) for first in firsts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failed)
"""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n == "numpy" else pytest.mark.full) for n in HERE]
)
def test_eight_threads_touch_a_library_first(name: str) -> None:
    assert run(FIRST_TOUCH.format(name=name)) == "[]"
