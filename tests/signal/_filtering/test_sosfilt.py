"""Sections of second order, run on signals, against SciPy and against long double."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, MixedLibrariesError, NotSupported, ShapeError
from likewise.signal import sosfilt, sosfilt_zi

from ..designs import close

RNG = np.random.default_rng(16)
SOS = scipy.signal.ellip(7, 1, 40, 0.2, output="sos")
SIZES = (1, 5, 99, 100, 101, 250)


def signals(dtype: str, *shape: int) -> Any:
    x = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if "complex" in dtype else 0)
    return x.astype(dtype)


def taken(lib: Any, out: Any, dtype: str) -> Any:
    out = out if isinstance(out, tuple) else (out,)
    assert all(likewise.library(y) == lib.library for y in out)
    got = tuple(lib.to_numpy(y) for y in out)
    single = {"float64": "float32", "complex128": "complex64"}
    assert {y.dtype for y in got} == {
        np.dtype(dtype if lib.has_float64 else single.get(dtype, dtype))
    }
    return got


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_equals_scipy(lib: Any, dtype: str) -> None:
    """The routine, where there is one, and the body, of blocks and pieces of blocks."""
    sos = SOS.astype("float32" if dtype == "float32" else "float64")
    sizes = (5,) if lib.library == "dask" else (101,) if lib.jit else SIZES
    for n in sizes:  # Dask's graph has a task for each step of a block
        x, zi = signals(dtype, 3, n), signals(dtype, len(SOS), 3, 2)
        ours = [lib.asarray(v) for v in (sos, x, zi)]
        expected = scipy.signal.sosfilt(sos.astype(float), x.astype(np.result_type(dtype, float)))
        close(taken(lib, sosfilt(*ours[:2]), dtype), expected, 1e-12)
        expected = scipy.signal.sosfilt(
            sos.astype(float), x.astype(np.result_type(dtype, float)), zi=zi
        )
        close(taken(lib, sosfilt(*ours[:2], zi=ours[2]), dtype), expected, 1e-12)
        if not lib.jit:
            close(taken(lib, sosfilt.generic(*ours[:2], zi=ours[2]), dtype), expected, 1e-12)


def test_axes_and_lists(lib: Any) -> None:
    if lib.library == "dask":
        return
    x, zi = RNG.normal(size=(2, 120, 3)), RNG.normal(size=(len(SOS), 2, 2, 3))
    for axis in (1, -2):
        got = sosfilt(lib.asarray(SOS), lib.asarray(x), axis=axis, zi=lib.asarray(zi))
        close(taken(lib, got, "float64"), scipy.signal.sosfilt(SOS, x, axis, zi), 1e-12)
    got = sosfilt(SOS.tolist(), lib.asarray(x[:1, :7, :1]), axis=1)
    close(taken(lib, got, "float64"), scipy.signal.sosfilt(SOS, x[:1, :7, :1], 1), 1e-12)


def test_nothing_to_filter(lib: Any) -> None:
    sos = lib.asarray(SOS)
    assert lib.to_numpy(sosfilt(sos, lib.asarray(np.ones((2, 0))))).shape == (2, 0)
    assert lib.to_numpy(sosfilt(sos, lib.asarray(np.ones((0, 4))))).shape == (0, 4)
    zi = lib.asarray(RNG.normal(size=(len(SOS), 2, 2)))
    y, zf = sosfilt(sos, lib.asarray(np.ones((2, 0))), zi=zi)
    assert lib.to_numpy(y).shape == (2, 0)
    close(lib.to_numpy(zf), lib.to_numpy(zi))


@pytest.mark.parametrize("complex_sections", [False, True])
def test_complex_and_unstable_sections(complex_sections: bool) -> None:
    sos = np.asarray([[1.0, 0.5, 0.2, 1.0, -2.5, 1.2], [0.3, 0.0, 0.0, 1.0, 0.5, 0.0]])
    if complex_sections:
        sos = SOS + 0.1j * SOS * (np.arange(6) != 3)
    x = RNG.normal(size=(2, 150))
    close(sosfilt.generic(sos, x), scipy.signal.sosfilt(sos, x), 1e-11)


def test_leading_batches(lib: Any) -> None:
    """A batch of signals by vmap is the same as by a leading dimension."""
    if lib.library == "dask":
        return
    x = lib.asarray(RNG.normal(size=(3, 130)))
    sos = lib.asarray(SOS)
    each = likewise.vmap(lambda v: sosfilt(sos, v))(x)
    close(lib.to_numpy(each), lib.to_numpy(sosfilt(sos, x)), 1e-12)


def worst(sos: Any, x: Any) -> tuple[float, float]:
    """The largest errors of the body and of SciPy against long double, relative to the largest."""
    long = x.astype(np.longdouble)
    for b0, b1, b2, _, a1, a2 in sos.astype(np.longdouble):
        y, s1, s2 = np.empty_like(long), 0, 0
        for i in range(long.shape[-1]):
            v = long[..., i]
            y[..., i] = w = b0 * v + s1
            s1, s2 = b1 * v - a1 * w + s2, b2 * v - a2 * w
        long = y
    size = np.max(np.abs(long))
    return tuple(
        float(np.max(np.abs(f(sos, x) - long)) / size)
        for f in (sosfilt.generic, scipy.signal.sosfilt)
    )


@pytest.mark.parametrize("kind, cutoff", [("low", 1e-3), ("high", 1e-3), ("low", 0.3)])
def test_no_worse_than_scipy(kind: str, cutoff: float) -> None:
    sos = scipy.signal.butter(16, cutoff, kind, output="sos")
    x = 1 + RNG.normal(size=(2, 3000))
    ours, theirs = worst(sos, x)
    assert ours < max(10 * theirs, 1e-15)
    assert ours < 1e-10


def test_a_slow_pole_adds_up_no_errors() -> None:
    """The longest memory, of one pole next to the circle: errors of one sign would add up."""
    ours, theirs = worst(np.asarray([[1e-5, 0, 0, 1, -(1 - 1e-5), 0]]), np.ones((1, 5000)))
    assert ours < max(10 * theirs, 1e-15)


def test_sections_of_another_order_in_memory(lib: Any) -> None:
    """SciPy's routine takes rows one by one, of one piece."""
    x, turned, gaps = RNG.normal(size=9), np.asfortranarray(SOS), np.repeat(SOS, 2, axis=0)[::2]
    for sos in (turned, gaps) if lib.library == "numpy" else (turned,):
        held = sos if lib.library == "numpy" else lib.asarray(sos)
        close(lib.to_numpy(sosfilt(held, lib.asarray(x))), scipy.signal.sosfilt(SOS, x))


@pytest.mark.full
def test_stays_stable_over_a_million_samples() -> None:
    sos = scipy.signal.butter(16, 1e-3, output="sos")
    y = sosfilt.generic(sos, np.ones(1_000_000))
    assert np.max(np.abs(y)) < 1.3
    np.testing.assert_allclose(y[-1000:], 1, rtol=1e-9)
    x = RNG.normal(size=1_000_000)
    close(sosfilt.generic(sos, x), scipy.signal.sosfilt(sos, x), 1e-10)


@pytest.mark.parametrize("place", [0, 120])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_stays_behind(lib: Any, place: int, value: float) -> None:
    """What comes before it is as it was, and so are other channels."""
    if lib.library == "dask":
        return
    x = RNG.normal(size=(2, 130))
    x[0, place] = value
    body = sosfilt if lib.jit else sosfilt.generic
    y = lib.to_numpy(body(lib.asarray(SOS), lib.asarray(x)))
    assert np.isnan(y[0, place:]).all()
    x[0, place] = 0
    expected = scipy.signal.sosfilt(SOS, x)
    close(y[0, :place], expected[0, :place], 1e-12)
    close(y[1], expected[1], 1e-12)


def test_derivatives(lib: Any) -> None:
    """In all arguments, of a random cotangent: against differences of SciPy's results."""
    if not lib.has_float64 or lib.jit or lib.library == "dask":
        return
    sos = SOS[1:3]
    x, zi = RNG.normal(size=(2, 130)), RNG.normal(size=(2, 2, 2))
    weights = RNG.normal(size=x.shape), RNG.normal(size=zi.shape)
    held = [lib.asarray(w) for w in weights]

    def loss(sos: Any, x: Any, zi: Any) -> Any:
        xp = likewise.array_namespace(sos, x, zi)
        y, zf = sosfilt(sos, x, zi=zi)
        return xp.sum(y * held[0]) + xp.sum(zf * held[1])

    def judge(*given: Any) -> Any:
        y, zf = scipy.signal.sosfilt(given[0], given[1], zi=given[2])
        return np.sum(y * weights[0]) + np.sum(zf * weights[1])

    given = (sos, x, zi)
    got = likewise.grad(loss, argnums=(0, 1, 2))(*map(lib.asarray, given))
    for i, g in enumerate(got):
        step = RNG.normal(size=given[i].shape) * 1e-6
        if i == 0:
            step[:, 3] = 0
        ahead, back = (
            [v + s * step if j == i else v for j, v in enumerate(given)] for s in (1, -1)
        )
        np.testing.assert_allclose(
            2 * np.sum(lib.to_numpy(g) * step), judge(*ahead) - judge(*back), rtol=1e-6, atol=1e-9
        )


def test_settled_states(lib: Any) -> None:
    zi = sosfilt_zi(lib.asarray(SOS))
    close(taken(lib, zi, "float64"), scipy.signal.sosfilt_zi(SOS))
    y, _ = scipy.signal.sosfilt(SOS, np.ones(5), zi=lib.to_numpy(zi).astype(float))
    np.testing.assert_allclose(y, y[0], rtol=1e-5)
    single = sosfilt_zi(lib.asarray(SOS.astype("float32")))
    assert lib.to_numpy(single).dtype == np.float32


X = np.ones(5)
BAD = {
    "columns": (lambda: sosfilt(np.ones((2, 5)), X), ShapeError, r"\(sections, 6\), got \(2, 5\)"),
    "dimensions": (lambda: sosfilt(SOS[None], X), ShapeError, r"\(sections, 6\)"),
    "leading": (lambda: sosfilt(2 * SOS, X), ArgumentError, "must be all ones. Divide each row"),
    "states": (lambda: sosfilt(SOS, X, zi=np.ones((4, 3))), ShapeError, r"\(4, 2\), for 4 sec"),
    "axis": (lambda: sosfilt(SOS, X, axis=1), ShapeError, r"axis must lie in \[-1, 0\]"),
    "number": (lambda: sosfilt(SOS, 1.0), ShapeError, "at least one dimension, got a number"),
    "whole": (lambda: sosfilt([[1, 0, 0, 1, 0, 0]], np.ones(3, int)), NotSupported, "integers or"),
    "settled": (lambda: sosfilt_zi(SOS[0]), ShapeError, r"\(sections, 6\), got \(6,\)"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("way", ["routine", "body"])
def test_bad_input_says_what_to_do(case: str, way: str) -> None:
    call, error, words = BAD[case]
    with likewise.prefer("generic" if way == "body" else ()), pytest.raises(error, match=words):
        call()


@pytest.mark.needs("array_api_strict")
def test_arrays_of_two_libraries_are_refused() -> None:
    import array_api_strict as strict

    with pytest.raises(MixedLibrariesError):
        sosfilt(strict.asarray(SOS), X)


def test_gains_too_far_apart_are_an_error() -> None:
    sos = [[1e-200, 0, 0, 1, -0.5, 0.1], [1e-200, 0, 0, 1, 0.5, 0.1], [1e300, 0, 0, 1, 0, 0]]
    with pytest.raises(ArgumentError, match="sosfilt: the gains"):
        sosfilt.generic(np.asarray(sos), np.ones(9))
