"""Convolution and correlation against SciPy in double precision, on every library."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import scipy.signal

import likewise
from likewise._namespace import hooks_of
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    ExtensionMissing,
    MixedDevicesError,
    MixedLibrariesError,
    ShapeError,
)
from likewise.signal import convolve, correlate, fftconvolve
from likewise.testing import check_function

FUNCTIONS = {
    "fftconvolve": (fftconvolve, {}),
    "convolve-direct": (convolve, {"method": "direct"}),
    "convolve-auto": (convolve, {}),
    "correlate-fft": (correlate, {"method": "fft"}),
    "correlate-direct": (correlate, {"method": "direct"}),
}
NEEDS_FFT = ("fftconvolve", "correlate-fft")
SHAPES = [
    ((5,), (3,)),
    ((3,), (8,)),
    ((1,), (1,)),
    ((7,), (1,)),
    ((4, 6), (2, 3)),
    ((9, 2), (4, 2)),
]


def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    x = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def close(lib: Any, y: Any, expected: Any, dtype: str, tolerance: Any) -> None:
    out = lib.to_numpy(y)
    single = {"float64": "float32", "complex128": "complex64"}
    assert out.dtype == (dtype if lib.has_float64 else single.get(dtype, dtype))
    assert out.shape == expected.shape
    scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
    np.testing.assert_allclose(out, expected, rtol=0, atol=tolerance(out.dtype) * scale)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.share(2)
def test_equals_scipy(
    lib: Any, name: str, mode: str, dtype: str, rng: np.random.Generator, tolerance: Any
) -> None:
    if name in NEEDS_FFT and not lib.has_extensions:
        return  # refused: test_without_fft
    func, options = FUNCTIONS[name]
    for s1, s2 in SHAPES:
        a, b = draw(rng, s1, dtype), draw(rng, s2, dtype)
        wide = np.result_type(dtype, np.float64)
        expected = getattr(scipy.signal, func.__name__)(
            a.astype(wide), b.astype(wide), mode=mode, **options
        )
        close(
            lib, func(lib.asarray(a), lib.asarray(b), mode, **options), expected, dtype, tolerance
        )


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_batch_along_axes(
    lib: Any, name: str, mode: str, rng: np.random.Generator, tolerance: Any
) -> None:
    """Leading dimensions broadcast, each problem as SciPy's with one."""
    if name in NEEDS_FFT and not lib.has_extensions:
        return
    func, options = FUNCTIONS[name]
    a, b = rng.normal(size=(2, 3, 7)), rng.normal(size=(3, 4))
    one = getattr(scipy.signal, func.__name__)
    expected = np.asarray(
        [[one(a[i, j], b[j], mode=mode, **options) for j in range(3)] for i in range(2)]
    )
    got = func(lib.asarray(a), lib.asarray(b), mode, axes=-1, **options)
    close(lib, got, expected, "float64", tolerance)


def test_middle_axes(lib: Any, rng: np.random.Generator, tolerance: Any) -> None:
    a, b = rng.normal(size=(4, 2, 5)), rng.normal(size=(3, 1, 2))
    expected = scipy.signal.fftconvolve(a, b, axes=(0, 2))
    got = convolve(lib.asarray(a), lib.asarray(b), axes=(2, 0), method="direct")
    close(lib, got, expected, "float64", tolerance)
    if lib.has_extensions:
        got = fftconvolve(lib.asarray(a), lib.asarray(b), axes=(2, 0))
        close(lib, got, expected, "float64", tolerance)


def test_valid_with_sizes_of_one_both_ways(lib: Any, tolerance: Any) -> None:
    a, b = np.ones((1, 6)), np.arange(6.0).reshape(3, 2)
    expected = scipy.signal.fftconvolve(a, b, mode="valid")
    got = convolve(lib.asarray(a), lib.asarray(b), mode="valid")
    close(lib, got, expected, "float64", tolerance)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_empty_and_scalars_follow_scipy(lib: Any, name: str) -> None:
    func, options = FUNCTIONS[name]
    empty = func(lib.asarray(np.ones((0, 3))), lib.asarray(np.ones((2, 3))), **options)
    assert lib.to_numpy(empty).shape == (0,)
    product = func(lib.asarray(3.0), lib.asarray(2.0), **options)
    assert lib.to_numpy(product) == 6.0


def test_nan_stays_local_directly_and_spreads_by_fft(lib: Any) -> None:
    x = np.asarray([1.0, np.nan, 2.0, 3.0, 4.0, 5.0])
    direct = lib.to_numpy(convolve(lib.asarray(x), lib.asarray([1.0, 1.0]), method="direct"))
    assert np.isnan(direct).tolist() == [False, True, True, False, False, False, False]
    if lib.has_extensions:
        assert np.all(np.isnan(lib.to_numpy(fftconvolve(lib.asarray(x), lib.asarray([1.0, 1.0])))))


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    if dtype == "bool":
        return rng.random(shape) < 0.3
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def summed(a: Any, b: Any, mode: str) -> Any:
    """Sums of Python's integers, reduced to the bits of the dtype."""
    full = np.zeros([m + n - 1 for m, n in zip(a.shape, b.shape, strict=True)], object)
    for index in np.ndindex(*b.shape):
        place = tuple(slice(i, i + n) for i, n in zip(index, a.shape, strict=True))
        full[place] += a.astype(object) * int(b[index])
    starts: dict[str, Any] = {
        "full": lambda m, n: (0, m + n - 1),
        "same": lambda m, n: ((n - 1) // 2, m),
        "valid": lambda m, n: (min(m, n) - 1, abs(m - n) + 1),
    }
    kept = [starts[mode](m, n) for m, n in zip(a.shape, b.shape, strict=True)]
    out = full[tuple(slice(start, start + size) for start, size in kept)]
    return out > 0 if a.dtype == "bool" else (out % 2**64).astype("uint64").astype(a.dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64", "bool"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.share(2)
def test_integers_are_exact(lib: Any, name: str, dtype: str, rng: np.random.Generator) -> None:
    if dtype not in lib.xp.__array_namespace_info__().dtypes(device=lib.device):
        return
    func = {"convolve": convolve, "correlate": correlate}[name]
    for s1, s2 in [((40,), (7,)), ((5,), (9,)), ((6, 5), (3, 8))]:
        a, b = whole(rng, s1, dtype), whole(rng, s2, dtype)
        for mode, method in [
            ("full", "auto"),
            ("same", "fft"),
            ("valid", "direct"),
            ("same", "direct"),
        ]:
            if (mode == "valid" and s1 == (6, 5)) or (method == "fft" and not lib.has_extensions):
                continue
            expected = summed(a, b if name == "convolve" else np.flip(b), mode)
            got = func(lib.asarray(a), lib.asarray(b), mode, method)
            assert lib.to_numpy(got).dtype == dtype
            np.testing.assert_array_equal(lib.to_numpy(got), expected)


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_integers_by_transforms_at_their_limits(
    lib: Any, dtype: str, rng: np.random.Generator
) -> None:
    """The largest values make the largest sums; the digits are chosen for them."""
    if not lib.has_extensions or not lib.has_float64:
        return
    info = np.iinfo(dtype)
    for a in (np.full(3000, info.min, dtype), whole(rng, (3000,), dtype)):
        b = np.flip(a)[:2500].copy()
        got = lib.to_numpy(convolve(lib.asarray(a), lib.asarray(b), method="fft"))
        np.testing.assert_array_equal(got, np.convolve(a, b))


@pytest.mark.parametrize("bits", [7, 17, 20, 40])
def test_long_sequences_of_integers(lib: Any, bits: int, rng: np.random.Generator) -> None:
    """Small ones take one transform, and up to 17 bits are right to the last."""
    if lib.jit or not lib.has_float64:
        return
    x, y = (rng.integers(2**bits - 9, 2**bits, n) for n in (2000, 300))
    for dtype in ("int64", "int32", "uint64"):
        if (dtype == "int32" and bits > 30) or not hasattr(lib.xp, dtype):
            continue
        a, b = (v.astype(dtype) for v in (x, -y if dtype[0] == "i" else y))
        got = convolve(lib.asarray(a, dtype), lib.asarray(b, dtype), method="fft")
        np.testing.assert_array_equal(lib.to_numpy(got), np.convolve(a, b))


def test_integers_of_several_dtypes(lib: Any) -> None:
    a, b = lib.asarray([100, 100], "int8"), lib.asarray([200, 100], "uint8")
    out = lib.to_numpy(convolve(a, b))
    assert out.dtype == "int16" and out.tolist() == [20000, 30000, 10000]
    out = lib.to_numpy(correlate(a, lib.asarray([0.5, 1.0], "float32")))
    assert out.dtype == "float32" and out.tolist() == [100, 150, 50]
    out = lib.to_numpy(convolve(lib.asarray([True, False]), a))
    assert out.dtype == "int8" and out.tolist() == [100, 100, 0]
    assert lib.to_numpy(convolve(a, [2])).tolist() == [-56, -56]
    out = lib.to_numpy(convolve(lib.asarray(3), lib.asarray(4)))
    assert out.shape == () and out == 12
    out = lib.to_numpy(convolve(a[:0], b))
    assert out.shape == (0,) and out.dtype == "int16"


def test_integers_in_batches(lib: Any, rng: np.random.Generator) -> None:
    a, b = whole(rng, (4, 1, 9), "int32"), whole(rng, (3, 4), "int32")
    expected = [[np.convolve(x, y) for y in b] for x in a[:, 0, :]]
    for method in ("direct", "fft") if lib.has_extensions else ("direct",):
        got = lib.to_numpy(convolve(lib.asarray(a), lib.asarray(b), method=method, axes=-1))
        np.testing.assert_array_equal(got, expected)


def test_weak_scalars_and_lists(lib: Any) -> None:
    y = convolve(lib.asarray([1, 2, 3], "float32"), [0.5, 1.0])
    assert lib.to_numpy(y).dtype == np.float32
    y = convolve(lib.asarray([1, 2, 3], "float32"), [1j])
    assert lib.to_numpy(y).dtype == np.complex64


def test_lists_alone_use_the_default() -> None:
    assert likewise.library(fftconvolve([1.0, 2.0], [3.0])) == "numpy"
    with likewise.use("strict"):
        assert likewise.library(fftconvolve([1.0, 2.0], [3.0])) == "strict"


def test_large_direct_goes_by_blocks(lib: Any, monkeypatch: pytest.MonkeyPatch, rng: Any) -> None:
    monkeypatch.setattr("likewise.missing._convolution._BLOCK", 40)
    a, b = rng.normal(size=(6, 9)), rng.normal(size=(3, 7))
    got = convolve(lib.asarray(a), lib.asarray(b), method="direct")
    np.testing.assert_allclose(
        lib.to_numpy(got),
        scipy.signal.convolve2d(a, b),
        rtol=1e-4 if not lib.has_float64 else 1e-12,
    )


def test_inputs_are_untouched(lib: Any, rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(8,)), rng.normal(size=(3,))
    x, y = lib.asarray(a), lib.asarray(b)
    before = likewise.to_numpy(x, writable=True), likewise.to_numpy(y, writable=True)
    for func, options in FUNCTIONS.values():
        if lib.has_extensions or options:
            func(x, y, **(options if lib.has_extensions else {"method": "direct"}))
    np.testing.assert_array_equal(likewise.to_numpy(x), before[0])
    np.testing.assert_array_equal(likewise.to_numpy(y), before[1])


def test_without_fft(lib: Any) -> None:
    x = lib.asarray(np.ones(40))
    if lib.has_extensions:
        assert fftconvolve(x, x).shape == (79,)
        return
    for call in (fftconvolve, lambda a, b: convolve(a, b, method="fft")):
        with pytest.raises(ExtensionMissing, match=r"extension 'fft'"):
            call(x, x)
    np.testing.assert_allclose(lib.to_numpy(convolve(x, x))[:3], [1, 2, 3])


@pytest.mark.needs("dask")
def test_dask_stays_lazy() -> None:
    import dask.array as da

    x = da.ones((6, 20), chunks=(2, 20))
    with_dask = {
        "fft": fftconvolve(x, da.ones((1, 5)), axes=-1),
        "direct": convolve(x, da.ones((1, 5)), axes=-1, method="direct"),
    }
    for y in with_dask.values():
        assert isinstance(y, da.Array)
        assert y.chunks[0] == (2, 2, 2)
        np.testing.assert_allclose(y.compute()[0, :5], [1, 2, 3, 4, 5], rtol=1e-12)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_jax_jit_grad_vmap(rng: np.random.Generator) -> None:
    import jax
    import jax.numpy as jnp

    a, b, w = rng.normal(size=6), rng.normal(size=3), rng.normal(size=8)
    for func, options in FUNCTIONS.values():
        expected = getattr(scipy.signal, func.__name__)(a, b, **options)

        def run(x: Any, y: Any, func: Any = func, options: Any = options) -> Any:
            return func(x, y, **options)

        got = jax.jit(run)(jnp.asarray(a), jnp.asarray(b))
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-13)
        # The derivative of a bilinear function, by the function itself.
        gradient = jax.grad(lambda x, run=run: jnp.sum(run(x, jnp.asarray(b)) * w))(jnp.asarray(a))
        probe = rng.normal(size=6)
        along = np.sum(getattr(scipy.signal, func.__name__)(probe, b, **options) * w)
        np.testing.assert_allclose(np.sum(np.asarray(gradient) * probe), along, rtol=1e-11)
        many = jax.vmap(run, in_axes=(0, None))(jnp.asarray([a, 2 * a]), jnp.asarray(b))
        np.testing.assert_allclose(np.asarray(many)[1], 2 * expected, rtol=1e-12, atol=1e-13)


@pytest.mark.needs("torch")
@pytest.mark.full
def test_torch_compile_grad_vmap(rng: np.random.Generator) -> None:
    import torch

    a, b, w = (torch.asarray(rng.normal(size=n)) for n in (6, 3, 8))
    for func, options in FUNCTIONS.values():

        def run(x: Any, y: Any, func: Any = func, options: Any = options) -> Any:
            return func(x, y, **options)

        expected = run(a, b)
        compiled = torch.compile(run, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(a, b), expected, rtol=1e-12, atol=1e-13)
        x = a.clone().requires_grad_()
        torch.sum(run(x, b) * w).backward()
        probe = torch.asarray(rng.normal(size=6))
        along = torch.sum(run(probe, b) * w)
        torch.testing.assert_close(torch.sum(x.grad * probe), along, rtol=1e-11, atol=0)
        many = torch.func.vmap(run, in_dims=(0, None))(torch.stack([a, 2 * a]), b)
        torch.testing.assert_close(many[1], 2 * expected, rtol=1e-12, atol=1e-13)
        meta = run(a.to("meta"), b.to("meta"))
        assert meta.shape == (8,) and meta.device.type == "meta"


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "mixed libraries": (
        lambda f: f(np.ones(3), strict.ones(3)),
        MixedLibrariesError,
        "'in2' is a strict",
    ),
    "object dtype": (
        lambda f: f(np.asarray([1, "a"], object), np.ones(3)),
        DtypeError,
        "'in1' must hold numbers",
    ),
    "strings": (lambda f: f(np.asarray(["a"]), np.ones(3)), DtypeError, "'in1' must hold numbers"),
    "a string": (lambda f: f(np.ones(3), "abc"), ArrayTypeError, "'in2' must be a standard array"),
    "masked": (lambda f: f(np.ma.masked_array([1.0]), np.ones(3)), ArrayTypeError, "filled"),
    "matrix": (lambda f: f(np.matrix([[1.0]]), np.ones((1, 1))), ArrayTypeError, r"np\.asarray"),
    "None": (lambda f: f(None, np.ones(3)), ArrayTypeError, "'in1' must be an array, got None"),
    "ragged": (
        lambda f: f([[1.0], [1.0, 2.0]], np.ones(3)),
        ArrayTypeError,
        "'in1' must be an array or nested lists",
    ),
    "dimensions": (lambda f: f(np.ones((2, 3)), np.ones(3)), ShapeError, r"\(2, 3\) and \(3,\)"),
    "batch": (lambda f: f(np.ones((2, 3)), np.ones((4, 3)), axes=-1), ShapeError, "must broadcast"),
    "valid": (lambda f: f(np.ones((2, 5)), np.ones((4, 3)), "valid"), ShapeError, "'valid'"),
    "mode": (lambda f: f(np.ones(3), np.ones(3), "all"), ArgumentError, "'full', 'same', 'valid'"),
    "axes": (lambda f: f(np.ones(3), np.ones(3), axes=1), ShapeError, r"\[-1, 0\]"),
    "axes twice": (
        lambda f: f(np.ones((3, 3)), np.ones((3, 3)), axes=(0, 0)),
        ArgumentError,
        "distinct",
    ),
    "axes words": (lambda f: f(np.ones(3), np.ones(3), axes="x"), ArgumentError, "axes must be"),
    "no axes": (lambda f: f(np.ones(3), np.ones(3), axes=()), ArgumentError, "not empty"),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("func", ["fftconvolve", "convolve"])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(func: str, case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words) as caught:
        call({"fftconvolve": fftconvolve, "convolve": convolve}[func])
    assert str(caught.value).startswith(func + ":")


def test_other_floating_dtypes_are_refused() -> None:
    for dtype in ("float16", "longdouble", "clongdouble"):
        with pytest.raises(
            DtypeError, match="must be of float32, float64, complex64 or complex128"
        ):
            correlate(np.ones(3, dtype), np.ones(2, dtype))


def test_list_of_arrays_is_refused() -> None:
    with pytest.raises(ArrayTypeError, match=r"'in2' .* got a strict array of .* within a list"):
        convolve(np.ones(3), [strict.ones(1)])


def test_bad_method() -> None:
    with pytest.raises(ArgumentError, match="convolve: method must be one of 'auto'"):
        convolve(np.ones(3), np.ones(3), method="fast")


def test_mixed_devices() -> None:
    x = strict.ones(3, device=strict.Device("device1"))
    with pytest.raises(MixedDevicesError, match="'in1' and 'in2' must be on one device"):
        fftconvolve(strict.ones(3), x)


@pytest.mark.full
@pytest.mark.parametrize(
    ("func", "options"),
    [
        (fftconvolve, {"eager": {"strict-minimal": "needs the extension fft"}}),
        (convolve, {}),
        (correlate, {}),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_capabilities(func: Any, options: dict[str, Any], rng: np.random.Generator) -> None:
    a, b = rng.normal(size=7), rng.normal(size=3)
    check_function(func, a, b, reference=getattr(scipy.signal, func.__name__), **options)
    a, b = rng.normal(size=(2, 7)), rng.normal(size=(2, 3))
    expected = np.stack(
        [getattr(scipy.signal, func.__name__)(u, v) for u, v in zip(a, b, strict=True)]
    )
    options = options | {"name": f"likewise.signal.{func.__name__}, along an axis"}
    options["empty"] = "of no problems shape (0,) comes out, as SciPy has it"
    check_function(func, a, b, kwargs={"axes": -1}, reference=expected, batch=True, **options)


@pytest.mark.parametrize(
    "case",
    ["long by short", "alike", "same", "complex", "two dimensions", "few points", "batch"],
)
def test_auto_takes_the_cheaper_way(lib: Any, case: str) -> None:
    """By what each library declares, and by transforms where these are much cheaper."""
    if not lib.has_extensions or lib.jit:
        return
    shapes: dict[str, Any] = {
        "long by short": ((200_000,), (50,), None),
        "alike": ((20_000,), (20_000,), None),
        "same": ((20_000,), (20_000,), None),
        "complex": ((30_000,), (25_000,), None),
        "two dimensions": ((60, 60), (9, 9), None),
        "few points": ((130, 130), (4, 4), None),  # a transform of many costs more a point
        "batch": ((20, 3000), (1, 2000), -1),
    }
    s1, s2, axes = shapes[case]
    if case in ("long by short", "few points") and lib.library not in ("numpy", "torch"):
        return  # the other way is quicker there
    x, y = (
        np.ones(s1, dtype="complex64" if case == "complex" else "float32"),
        np.ones(s2, "float32"),
    )
    with likewise.trace_native() as log:
        convolve(lib.asarray(x), lib.asarray(y), "same" if case == "same" else "full", axes=axes)
    transformed = any(row.function == "fftconvolve" for row in log)
    assert transformed == (case != "long by short")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_auto_sums_where_scipy_does(lib: Any, mode: str) -> None:
    """One NaN reaches the sums it is part of, and a large number leaves those far away exact."""
    for s1, s2 in (((10, 10), (3, 3)), ((40, 1), (3, 1)), ((50,), (20,))):
        x, y = np.zeros(s1, dtype="float32"), np.ones(s2, dtype="float32")
        for value in (np.nan, 1e20):
            x[(5, *(5,) * (len(s1) - 1))[: len(s1)] if s1[-1] > 1 else (5, 0)] = value
            with np.errstate(invalid="ignore"):
                got = convolve(lib.asarray(x), lib.asarray(y), mode)
                expected = scipy.signal.convolve(x, y, mode, method="direct")
            np.testing.assert_array_equal(lib.to_numpy(got), expected)


def test_auto_sums_what_is_not_finite(lib: Any) -> None:
    """Where values can be looked at, also what is transformed else."""
    if lib.jit or not lib.has_extensions or lib.library == "dask":
        return
    x, y = np.ones((60, 50), dtype="float32"), np.ones((9, 9), dtype="float32")
    for value in (np.nan, np.inf):
        x[20, 20] = value
        for function in (convolve, correlate):
            with likewise.trace_native() as log:
                got = lib.to_numpy(function(lib.asarray(x), lib.asarray(y), "same"))
            assert any(row.function == "fftconvolve" for row in log)
            assert np.sum(~np.isfinite(got)) == 81
            assert np.isnan(value) or np.sum(np.isinf(got)) == 81


@pytest.mark.needs("torch")
def test_auto_leaves_it_to_the_row_to_look_at_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """For short sequences looking costs a third of the work, so it is done once."""
    x = likewise.namespace("torch").ones(100)
    expected = convolve(x, x[:4])  # the row has its routine now
    monkeypatch.setattr(type(hooks_of(x)), "viewable", None)
    np.testing.assert_array_equal(convolve(x, x[:4]).numpy(), expected.numpy())
    weighted = convolve(x.requires_grad_(), x.detach()[:4])  # which no routine of SciPy's takes
    assert weighted.requires_grad
    np.testing.assert_allclose(weighted.detach().numpy(), expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint64"])
def test_correlate_of_unsigned_integers(lib: Any, dtype: str) -> None:
    if not hasattr(lib.xp, dtype) or (dtype == "uint64" and not lib.has_float64):
        return
    x, y = np.asarray([200, 3, 50, 7], dtype=dtype), np.asarray([100, 2], dtype=dtype)
    got = lib.to_numpy(correlate(lib.asarray(x), lib.asarray(y)))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, scipy.signal.correlate(x, y))


@pytest.mark.needs("torch")
def test_unsigned_integers_of_torch() -> None:
    """PyTorch has no maximum of them."""
    import torch

    x, y = np.full(800, 2**32 - 3, "uint32"), np.full(700, 5, "uint32")
    for dtype in ("uint32", "uint64"):
        a, b = x.astype(dtype), y.astype(dtype)
        got = convolve(torch.from_numpy(a), torch.from_numpy(b), method="fft").numpy()
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, np.convolve(a, b))
