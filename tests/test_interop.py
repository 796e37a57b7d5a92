"""From library to library, from device to device, and the record of it."""

import importlib
import importlib.util
import inspect
import logging
import math
import sys
from typing import Any, ClassVar

import array_api_strict as strict
import numpy as np
import pytest

import likewise
from likewise import (
    array_namespace,
    asarray,
    interop,
    missing,
    optimize,
    signal,
    to_device,
    to_numpy,
    trace_transfers,
)
from likewise._default import KNOWN
from likewise._namespace import installed
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DeviceNotFound,
    DtypeError,
    LibraryNotInstalled,
    NotSupported,
)

HERE = [n for n, k in KNOWN.items() if k.host and installed(n)]
DTYPES = ["bool", "int8", "int32", "uint8", "float32", "complex64", "float64", "complex128"]
CPU = strict.Device("CPU_DEVICE")
OTHER = strict.Device("device1")


def on(module: str) -> Any:
    """The test gets the module as an argument, and is not run where that isn't installed."""
    found = [importlib.import_module(module)] if importlib.util.find_spec(module) else []
    return pytest.mark.parametrize(module, found, ids=lambda m: m.__name__)


def line() -> int:
    """The caller's."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


class Foreign:
    """A standard array of nobody's library, which speaks DLPack."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.dtype, self.shape = self.values.dtype, self.values.shape

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return likewise.namespace("numpy")

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


# -- asarray ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", HERE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pair(lib: Any, target: str, dtype: str) -> None:
    values = np.asarray([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    x = lib.asarray(values)
    y = asarray(x, namespace=target)
    assert likewise.library(y) == target
    found = to_numpy(y)
    assert found.dtype == to_numpy(x).dtype
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("target", HERE)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,)], ids=str)
def test_every_pair_of_odd_shapes(lib: Any, target: str, shape: tuple[int, ...]) -> None:
    x = lib.asarray(np.ones(shape, dtype="float32"))
    y = asarray(x, namespace=target)
    assert tuple(y.shape) == shape
    assert to_numpy(y).dtype == "float32"


@pytest.mark.parametrize("target", HERE)
def test_layouts(target: str) -> None:
    """Transposed, reversed, strided, of the other byte order."""
    base = np.arange(12.0).reshape(3, 4)
    for x in (base.T, base[::-1], base[:, ::2], base.astype(base.dtype.newbyteorder())):
        np.testing.assert_array_equal(to_numpy(asarray(x, namespace=target)), x)


def test_an_array_that_fits_is_returned_as_it_is(lib: Any) -> None:
    x = lib.asarray([1.0, 2.0], dtype="float32")
    assert asarray(x) is x
    assert asarray(x, namespace=lib.library) is x
    assert asarray(x, like=x, dtype="float32") is x


def test_like(lib: Any) -> None:
    like = lib.asarray([1.0])
    for obj in (np.asarray([1, 2], dtype="int32"), strict.asarray([1, 2], dtype=strict.int32)):
        out = asarray(obj, like=like)
        np.testing.assert_array_equal(lib.to_numpy(out), [1, 2])
        assert out.dtype == lib.xp.int32


@pytest.mark.parametrize("obj", [2, 2.5, 1j, True, [1, 2.5], [[1], [2]], np.float32(2)], ids=str)
def test_scalars_and_lists(lib: Any, obj: Any) -> None:
    found = lib.to_numpy(asarray(obj, like=lib.asarray([1.0])))
    np.testing.assert_array_equal(found, np.asarray(obj))


def test_scalars_and_lists_alone_use_the_default() -> None:
    assert type(asarray([1.0])) is np.ndarray
    with likewise.use("strict", dtype="float32"):
        x = asarray([1.0])
        assert likewise.library(x) == "strict"
        assert x.dtype == strict.float32
        assert likewise.library(asarray(np.ones(1))) == "numpy"
        assert asarray([1.0], like=2.0).dtype == strict.float32


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64"])
def test_dtype_by_name_and_object(lib: Any, dtype: str) -> None:
    x, expected = lib.asarray([0.0, 2.0]), np.asarray([0, 2]).astype(dtype)
    for wanted in (dtype, getattr(lib.xp, dtype)):
        out = asarray(x, dtype=wanted)
        assert out.dtype == getattr(lib.xp, dtype)
        np.testing.assert_array_equal(lib.to_numpy(out), expected)
        made = asarray([0.0, 2.0], like=x, dtype=wanted) if dtype != "bool" else out
        assert made.dtype == getattr(lib.xp, dtype)


def test_a_foreign_array() -> None:
    x = Foreign([1.0, 2.0])
    out = asarray(x, namespace="strict")
    np.testing.assert_array_equal(to_numpy(out), [1, 2])
    assert likewise.library(out) == "strict"
    assert np.shares_memory(to_numpy(x), x.values)
    assert type(asarray([1, 2], like=x)) is np.ndarray


BAD_ASARRAY: dict[str, tuple[Any, dict[str, Any], type, str]] = {
    "both": ([1], {"like": np.ones(1), "namespace": "numpy"}, ArgumentError, "not both"),
    "none": (None, {}, ArrayTypeError, "^asarray: argument 'obj' must be an array, got None"),
    "str": ("abc", {}, ArrayTypeError, "^asarray: argument 'obj' must be"),
    "str to": ("abc", {"namespace": "strict"}, ArrayTypeError, "^asarray: argument 'obj' must be"),
    "masked": (np.ma.ones(2), {"namespace": "strict"}, ArrayTypeError, r"x\.filled"),
    "matrix": (np.ones((1, 1)).view(np.matrix), {}, ArrayTypeError, r"np\.asarray\(x\)"),
    "like": ([1], {"like": "abc"}, ArrayTypeError, "^asarray: argument 'like' must be"),
    "dtype": (np.ones(1), {"dtype": "int"}, ArgumentError, "'int' isn't a dtype of the array"),
    "function": (np.ones(1), {"dtype": "zeros"}, ArgumentError, "'zeros' isn't a dtype"),
    "library": ([1], {"namespace": "polars"}, ArgumentError, "no library 'polars'"),
    "device": ([1], {"namespace": "strict", "device": "gpu"}, DeviceNotFound, "no device 'gpu'"),
}


def test_like_an_array_that_a_transform_follows(lib: Any) -> None:
    """Lists and other arrays are constants to it."""
    x, other = lib.asarray([1.0, 2.0, 3.0]), lib.asarray([2.0, 0.5, 1.0])

    def product(y: Any) -> Any:
        xp = likewise.array_namespace(y)
        listed = asarray([4.0, 5.0, 6.0], like=y, dtype=y.dtype)
        return xp.sum(y * listed * asarray(other, like=y) * asarray(y, like=other))

    slope = likewise.grad(product)(x)
    assert np.allclose(lib.to_numpy(slope), [16.0, 10.0, 36.0], rtol=1e-6)
    twice = likewise.vmap(lambda y: y + asarray(np.ones(1), like=y))(x)
    assert likewise.library(twice) == lib.library
    assert np.array_equal(lib.to_numpy(twice), [[2.0], [3.0], [4.0]])


@pytest.mark.parametrize("case", BAD_ASARRAY)
def test_bad_asarray(case: str) -> None:
    obj, options, error, text = BAD_ASARRAY[case]
    with pytest.raises(error, match=text):
        asarray(obj, **options)


@pytest.mark.parametrize("target", ["numpy", "strict"])
def test_to_a_library_that_is_not_installed(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    x = asarray([1.0], namespace=target)
    with pytest.raises(LibraryNotInstalled, match="pip install cupy-cuda13x"):
        asarray(x, namespace="cupy")


# -- memory ----------------------------------------------------------------------------------------


@on("torch")
def test_numpy_and_torch_share_memory(torch: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    t = asarray(x, namespace="torch")
    assert t.data_ptr() == x.__array_interface__["data"][0]
    back = to_numpy(t)
    assert np.shares_memory(back, x)
    x[0, 0] = 7
    assert t[0, 0] == back[0, 0] == 7
    assert np.shares_memory(asarray(t, namespace="numpy"), x)


@on("torch")
def test_read_only_numpy_is_not_shared_writably(torch: Any) -> None:
    x = np.arange(4.0)
    x.flags.writeable = False
    t = asarray(x, namespace="torch")
    t[0] = 7
    assert x[0] == 0


def test_strict_shares_memory_and_keeps_it_read_only() -> None:
    x = np.arange(4.0)
    s = asarray(x, namespace="strict")
    assert np.shares_memory(to_numpy(s), x)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        asarray(x, namespace="strict")[0] = 7


@on("jax")
def test_jax_is_seen_by_numpy_without_a_copy(jax: Any) -> None:
    x = jax.numpy.arange(1000.0)
    view = to_numpy(x)
    assert view.__array_interface__["data"][0] == x.unsafe_buffer_pointer()
    assert not view.flags.writeable


@on("torch")
@on("jax")
def test_torch_cannot_write_into_jax(torch: Any, jax: Any) -> None:
    x = jax.numpy.arange(1000.0)
    asarray(x, namespace="torch")[:] = -1
    np.testing.assert_array_equal(np.asarray(x), np.arange(1000.0))


def test_writable_means_a_copy_of_its_own(lib: Any) -> None:
    values = np.arange(6.0).reshape(2, 3)
    x = lib.asarray(values)
    out = to_numpy(x, writable=True)
    assert out.flags.owndata
    assert out.flags.writeable
    out[:] = -1
    np.testing.assert_array_equal(lib.to_numpy(x), values)


def test_writable_copy_of_a_view() -> None:
    x = np.arange(6.0)
    for view in (x, x[::2], x.reshape(2, 3)):
        out = to_numpy(view, writable=True)
        assert out.flags.owndata
        assert not np.shares_memory(out, x)


# -- to_numpy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [3, 2.5, [1, 2], [[1.5], [2]], True, np.float32(2)], ids=str)
def test_to_numpy_of_scalars_and_lists(x: Any) -> None:
    out = to_numpy(x)
    assert type(out) is np.ndarray
    np.testing.assert_array_equal(out, np.asarray(x))
    assert out.dtype == np.asarray(x).dtype
    with likewise.use("strict", dtype="float32"):
        assert to_numpy(x).dtype == out.dtype


def test_to_numpy_of_none() -> None:
    with pytest.raises(ArrayTypeError, match=r"^to_numpy: argument 'x' must be an array, got None"):
        to_numpy(None)


@on("torch")
def test_torch_tensor_that_records_gradients(torch: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    np.testing.assert_array_equal(to_numpy(x), np.ones(3, dtype="float32"))
    assert x.requires_grad
    np.testing.assert_array_equal(to_numpy(torch.nn.Parameter(torch.ones(2))), np.ones(2))


@on("torch")
@pytest.mark.parametrize("target", HERE)
def test_torch_lazy_conjugates_and_negatives(torch: Any, target: str) -> None:
    x = torch.tensor([1 + 2j, 3 - 1j]).conj()
    assert x.is_conj()
    assert x.imag.is_neg()
    np.testing.assert_array_equal(to_numpy(asarray(x, namespace=target)), [1 - 2j, 3 + 1j])
    np.testing.assert_array_equal(to_numpy(asarray(x.imag, namespace=target)), [-2, 1])


@pytest.mark.needs("dask")
@on("dask")
def test_dask_is_computed(dask: Any) -> None:
    import dask.array as da

    x = da.ones((4, 3), chunks=2) + 1
    out = to_numpy(x)
    assert type(out) is np.ndarray
    np.testing.assert_array_equal(out, np.full((4, 3), 2.0))


@on("jax")
@pytest.mark.parametrize("target", ["numpy", "strict"])
def test_jax_tracers_have_no_values(jax: Any, target: str) -> None:
    with pytest.raises(NotSupported, match=r"^to_numpy: argument 'x' .* jax is tracing it"):
        jax.jit(lambda x: to_numpy(x))(jax.numpy.ones(2))
    with pytest.raises(NotSupported, match=r"^asarray: argument 'obj' .* jax is tracing it"):
        jax.grad(lambda x: asarray(x, namespace=target).sum())(jax.numpy.ones(2))


@on("torch")
def test_torch_without_values(torch: Any) -> None:
    with pytest.raises(NotSupported, match=r"^to_numpy: argument 'x' .* on the meta device"):
        to_numpy(torch.ones(2, device="meta"))
    with pytest.raises(NotSupported, match=r"^to_numpy: argument 'x' .* torch is tracing it"):
        torch.func.vmap(lambda x: torch.as_tensor(to_numpy(x)))(torch.ones(2))


# -- devices ---------------------------------------------------------------------------------------


def test_strict_s_devices() -> None:
    x = strict.asarray([1.0, 2.0], device=OTHER)
    np.testing.assert_array_equal(to_numpy(x), [1, 2])
    assert to_device(x, OTHER) is x
    assert to_device(x, "cpu").device == CPU
    assert to_device(x, CPU).device == CPU
    assert asarray(strict.ones(1), like=x).device == OTHER
    assert asarray(np.ones(1), like=x).device == OTHER
    assert asarray([1.0], like=x).device == OTHER
    assert asarray(np.ones(1), like=x, device="cpu").device == CPU
    assert asarray([1.0], namespace="strict", device=OTHER).device == OTHER
    assert asarray(x, dtype="float32").device == OTHER


@pytest.mark.parametrize("name", HERE)
def test_to_device_by_name(name: str) -> None:
    x = likewise.namespace(name).ones(2)
    out = to_device(x, "cpu")
    assert likewise.device(out) == likewise.device(x)
    assert likewise.library(out) == name
    with pytest.raises(DeviceNotFound, match=f"^{name} has no device 'gpu:97' here"):
        to_device(x, "gpu:97")


def test_bad_to_device() -> None:
    with pytest.raises(ArgumentError, match=r"^to_device: argument 'device' must name a device"):
        to_device(np.ones(1), None)
    with pytest.raises(ArrayTypeError, match=r"^to_device: argument 'x' must be .* got 2\.0"):
        to_device(2.0, "cpu")
    with pytest.raises(ArrayTypeError, match=r"^to_device: argument 'x' must be .* got None"):
        to_device(None, "cpu")
    with pytest.raises(ArrayTypeError, match=r"^to_device: argument 'x' must be .*MaskedArray"):
        to_device(np.ma.ones(1), "cpu")


# -- creation like an array ------------------------------------------------------------------------


def test_creation_like(lib: Any) -> None:
    like = lib.asarray([1.0], dtype="float32")
    made = {
        "zeros": (interop.zeros((2, 3), like=like), 0),
        "ones": (interop.ones((2, 3), like=like), 1),
        "full": (interop.full((2, 3), 7, like=like), 7),
    }
    for out, value in made.values():
        found = lib.to_numpy(out)
        np.testing.assert_array_equal(found, np.full((2, 3), value, dtype="float32"))
        assert found.dtype == "float32"
    out = interop.empty((2, 3), like=like)
    assert lib.to_numpy(out).shape == (2, 3)
    assert out.dtype == like.dtype


def test_creation_like_of_another_dtype_and_device(lib: Any) -> None:
    like = lib.asarray([1.0], dtype="float32")
    for dtype in ("int32", lib.xp.int32):
        out = interop.zeros(2, like=like, dtype=dtype)
        assert out.dtype == lib.xp.int32
        assert likewise.device(out) == likewise.device(like)
    out = interop.zeros(2, like=like, device="cpu")
    plain = likewise.device(likewise.asarray([1], namespace=lib.library, device="cpu"))
    assert likewise.device(out) == plain


@pytest.mark.parametrize("name", HERE)
def test_creation_without_an_array_uses_the_default(name: str) -> None:
    with likewise.use(name, dtype="float32"):
        for out in (interop.zeros(2), interop.ones(2, like=1.5), interop.full(2, 0.5)):
            assert likewise.library(out) == name
            assert out.dtype == likewise.namespace(name).float32
        out = interop.empty(2, dtype="int16", device="cpu")
        assert out.dtype == likewise.namespace(name).int16


def test_bad_creation() -> None:
    with pytest.raises(ArgumentError, match=r"^zeros: 'float' isn't a dtype"):
        interop.zeros(2, like=np.ones(1), dtype="float")
    with pytest.raises(DeviceNotFound):
        interop.ones(2, like=strict.ones(1), device="gpu")
    with pytest.raises(ArrayTypeError, match="argument 'like' must be"):
        interop.ones(2, like="abc")


@on("jax")
def test_creation_like_a_tracer(jax: Any) -> None:
    out = jax.jit(lambda x: interop.ones(3, like=x))(jax.numpy.zeros(2, dtype="float32"))
    np.testing.assert_array_equal(np.asarray(out), np.ones(3, dtype="float32"))
    assert out.dtype == "float32"


def test_same_library(lib: Any) -> None:
    x = lib.asarray([1.0])
    assert interop.same_library()
    assert interop.same_library(1.0, None, [2])
    assert interop.same_library(x, x + 1, 2.0, None)
    assert interop.same_library(x, np.ones(1)) is (lib.library == "numpy")
    with pytest.raises(ArrayTypeError, match=r"builtins.str"):
        interop.same_library(x, "abc")


# -- the record ------------------------------------------------------------------------------------

NUMBERS = np.asarray([1 + 2j, 3, 4])


def test_crossings_are_recorded_once() -> None:
    with trace_transfers() as log:
        x = asarray(NUMBERS, namespace="strict", device=OTHER)
        here = line() - 1
        to_numpy(x)
    assert [(t.source, t.target) for t in log] == [
        ("numpy:cpu", "strict:array_api_strict.Device('device1')"),
        ("strict:array_api_strict.Device('device1')", "numpy:cpu"),
    ]
    assert [t.nbytes for t in log] == [48, 48]
    assert [t.where for t in log] == [f"{__file__}:{here}", f"{__file__}:{here + 2}"]
    assert all(0 <= t.seconds < 60 for t in log)


@pytest.mark.parametrize("target", [n for n in HERE if n != "numpy"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64"])
def test_every_way_out_of_a_library_is_one_crossing(target: str, dtype: str) -> None:
    x = asarray(np.ones((2, 3), dtype=dtype), namespace=target)
    size = 6 * np.dtype(dtype).itemsize
    for other in HERE:
        with trace_transfers() as log:
            asarray(x, namespace=other)
        crossings = [(t.source.partition(":")[0], t.target.partition(":")[0]) for t in log]
        assert crossings == ([] if other == target else [(target, other)])
        assert all(t.nbytes == size for t in log)


def test_moves_between_devices_are_crossings() -> None:
    x = strict.ones(3, device=OTHER)
    with trace_transfers() as log:
        to_device(x, "cpu")
        to_device(x, OTHER)
    assert [(t.source, t.target) for t in log] == [
        (
            "strict:array_api_strict.Device('device1')",
            "strict:array_api_strict.Device('CPU_DEVICE')",
        )
    ]


def test_what_stays_is_no_crossing(lib: Any) -> None:
    x = lib.asarray([1.0])
    with trace_transfers() as log:
        asarray(x), asarray(x, like=x), asarray(x, dtype="float32"), asarray([1.0], like=x)
    assert log == []


def test_traces_nest_and_end() -> None:
    x = strict.ones(1)
    with trace_transfers() as outer:
        to_numpy(x)
        with trace_transfers() as inner:
            to_numpy(x)
        to_numpy(x)
    to_numpy(x)
    assert (len(outer), len(inner)) == (3, 1)  # the outer one sees all
    with pytest.raises(KeyError), trace_transfers() as log:
        raise KeyError
    to_numpy(x)
    assert log == []


def test_traced_through_an_algorithm_s_caller() -> None:
    """The line is the one outside likewise."""

    def mine(x: Any) -> Any:
        return to_numpy(x)

    with trace_transfers() as log:
        mine(strict.ones(1))
    lines, first = inspect.getsourcelines(mine)
    assert log[0].where == f"{__file__}:{first + len(lines) - 1}"


def test_crossings_over_the_threshold_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    x = strict.ones(2)
    with caplog.at_level(logging.DEBUG, logger="likewise.transfers"):
        with trace_transfers(threshold=math.inf):
            to_numpy(x)
        assert caplog.records == []
        with trace_transfers(threshold=0) as log:
            to_numpy(x)
    (record,) = caplog.records
    assert record.name == "likewise.transfers"
    assert record.levelno == logging.WARNING
    assert record.getMessage() == str(log[0])


def test_threshold_is_ten_milliseconds(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.009, 1.0, 1.011])
    monkeypatch.setattr("likewise.interop.time.perf_counter", lambda: next(clock))
    with caplog.at_level(logging.DEBUG, logger="likewise.transfers"), trace_transfers() as log:
        to_numpy(strict.ones(1))
        to_numpy(strict.ones(1))
    assert [t.seconds for t in log] == pytest.approx([0.009, 0.011])
    assert [r.getMessage() for r in caplog.records] == [str(log[1])]


def test_a_crossing_prints_itself() -> None:
    entry = interop.Transfer("numpy:cpu", "torch:cuda:0", 4096, 0.00125, "a.py:3")
    assert str(entry) == "numpy:cpu -> torch:cuda:0: 4096 bytes in 1.25 ms at a.py:3"


@pytest.mark.needs("jax")
def test_jax_copies() -> None:
    """Its arrays don't change: nobody else may write into their memory."""
    buffer = np.zeros(64 + 8 * 5, dtype=np.uint8)
    start = -buffer.ctypes.data % 64
    aligned = buffer[start : start + 40].view(np.float64)
    x = likewise.asarray(aligned, namespace="jax")
    aligned[:] = 1.0
    assert x.tolist() == [0.0] * 5


@pytest.mark.needs("jax")
def test_jax_without_64_bit_types_says_what_becomes_of_them() -> None:
    import jax

    with jax.enable_x64(False):
        with pytest.warns(likewise.errors.LikewiseWarning, match="int64 became int32"):
            likewise.asarray(np.asarray([2**40]), namespace="jax")
        with (
            pytest.warns(UserWarning),
            pytest.raises(likewise.errors.DtypeError, match=r"has no .*float64"),
        ):
            likewise.asarray(np.ones(2, np.float32), namespace="jax", dtype="float64")


def test_outer_trace_sees_what_the_inner_one_does() -> None:
    import array_api_strict as strict

    with likewise.trace_transfers() as outer, likewise.trace_transfers() as inner:
        likewise.asarray(strict.ones(3), namespace="numpy")
    assert len(outer) == 1 and outer == inner


def test_lists_of_other_things_are_refused() -> None:
    for bad in ([[1], [1, 2]], ["a"], [np.ma.masked_array([1.0], [True])], [None]):
        for call in (likewise.asarray, likewise.to_numpy):
            with pytest.raises(likewise.errors.ArrayTypeError, match="nested lists of numbers"):
                call(bad)


def test_devices_that_are_none() -> None:
    for call in (
        lambda: likewise.to_device(np.ones(2), 5),
        lambda: likewise.use("numpy", device=5).__enter__(),
    ):
        with pytest.raises(likewise.errors.DeviceNotFound, match="numpy has no device 5"):
            call()


@pytest.mark.parametrize("dtype", [object, "U1", "datetime64[s]"])
def test_arrays_of_other_things_are_refused(dtype: Any) -> None:
    for target in ("numpy", "strict"):
        with pytest.raises(likewise.errors.DtypeError, match="must hold numbers"):
            likewise.asarray(np.zeros(2, dtype), namespace=target)


# -- other objects with __array__ ------------------------------------------------------------------


class Table:
    """As those of pandas: no standard array, but it can become NumPy's."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=copy)


def test_to_numpy_of_an_object_with_array() -> None:
    values = np.asarray([1.0, 2.0], dtype=np.float32)
    out = likewise.to_numpy(Table(values))
    assert type(out) is np.ndarray
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, values)
    own = likewise.to_numpy(Table(values), writable=True)
    assert own.flags.writeable
    assert not np.shares_memory(own, values)


def test_to_numpy_of_an_object_that_holds_no_numbers() -> None:
    with pytest.raises(DtypeError, match="got a Table whose __array__ returns object"):
        likewise.to_numpy(Table(np.asarray(["a", 1], dtype=object)))


def test_to_numpy_of_an_unknown_object_on_a_gpu() -> None:
    class OnDevice(Table):
        __cuda_array_interface__: ClassVar[dict[str, Any]] = {}

    with pytest.raises(NotSupported, match="lives on a GPU, got a .*OnDevice"):
        likewise.to_numpy(OnDevice(np.ones(2)))


@pytest.mark.parametrize("x", [np.ma.masked_array([1.0]), np.datetime64("2020-01-01"), Table])
def test_to_numpy_still_refuses(x: Any) -> None:
    with pytest.raises(ArrayTypeError):
        likewise.to_numpy(x)


COEFFICIENTS = signal.butter(3, 0.3)
SECTIONS = signal.butter(3, 0.3, output="sos")
KNOTS = np.linspace(-3, 3, 7)
BESIDE: dict[str, Any] = {
    "sosfilt": lambda x: signal.sosfilt(SECTIONS, x),
    "sosfilt, zi": lambda x: signal.sosfilt(SECTIONS, x, zi=signal.sosfilt_zi(SECTIONS))[0],
    "lfilter": lambda x: signal.lfilter(*COEFFICIENTS, x),
    "filtfilt": lambda x: signal.filtfilt(*COEFFICIENTS, x),
    "sosfiltfilt": lambda x: signal.sosfiltfilt(SECTIONS, x),
    "upfirdn": lambda x: signal.upfirdn(np.hanning(9), x, 2),
    "resample_poly": lambda x: signal.resample_poly(x, 2, 3, window=np.hanning(9)),
    "resample": lambda x: signal.resample(x, 20, window=np.hanning(40)),
    "welch": lambda x: signal.welch(x, window=np.hanning(16), nperseg=16)[1],
    "interp": lambda x: missing.interp(x, KNOTS, KNOTS**2),
    "curve_fit": lambda x: optimize.curve_fit(
        lambda t, a: a * t, np.arange(40.0), x, np.ones(1), sigma=np.ones(40), bounds=(
            -np.ones(1), np.ones(1)
        )
    )[0],
    "least_squares": lambda x: optimize.least_squares(
        lambda v: v - 1, x[:2], bounds=(-9 * np.ones(2), 9 * np.ones(2))
    ).x,
    "minimize": lambda x: optimize.minimize(
        lambda v: array_namespace(v).sum((v - 1) ** 2), x[:2], bounds=np.asarray([[-9.0, 9.0]] * 2)
    ).x,
}  # fmt: skip


# Dask's graphs of steps over a signal are large; solvers look at values.
LARGE = ("sosfilt, zi", "filtfilt", "sosfiltfilt")
SOLVERS = ("curve_fit", "least_squares", "minimize")


@pytest.mark.parametrize(
    ("name", "library"),
    [
        pytest.param(
            *(name, n),
            marks=[
                pytest.mark.needs(n),
                *([pytest.mark.full] if n == "dask" and name in LARGE else []),
            ],
        )
        for name in BESIDE
        for n in ("strict", "torch", *(["dask"] if name not in SOLVERS else []))
    ],
)
def test_constants_of_numpys_go_to_the_data(name: str, library: str) -> None:
    x = np.random.default_rng(0).normal(size=40)
    data = likewise.asarray(x, namespace=library)
    with likewise.trace_transfers() as log:
        found = BESIDE[name](data)
    assert likewise.library(found) == library
    assert any(t.source.startswith("numpy") for t in log)
    np.testing.assert_allclose(likewise.to_numpy(found), BESIDE[name](x), rtol=1e-7, atol=1e-9)
