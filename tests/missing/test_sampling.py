"""Logarithmic scales, differences and rounding against NumPy."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.missing import diff, geomspace, logspace
from likewise.missing import round as round_to
from likewise.testing import assert_close, check_function

RNG = np.random.default_rng(20260102)
START, STOP = np.asarray([0.5, 2.0, -1.0]), np.asarray([[1.0], [3.0]])
POSITIVE = np.asarray([0.5, 2.0, 3.0])


def fitting(lib: Any, x: Any) -> Any:
    """As given where the library has it, else single."""
    x = np.asarray(x)
    if lib.has_float64 or x.dtype.kind not in "fc":
        return x
    return x.astype("complex64" if x.dtype.kind == "c" else "float32")


def close(lib: Any, got: Any, expected: Any) -> None:
    rtol = 1e-13 if lib.has_float64 else 2e-6
    scale = np.max(np.abs(expected), initial=0.0)
    assert_close(got, fitting(lib, expected), rtol=rtol, atol=rtol * float(scale))


def same(lib: Any, got: Any, expected: Any) -> None:
    """Values and shapes, whatever the dtype."""
    np.testing.assert_array_equal(lib.to_numpy(got), np.asarray(expected))
    assert tuple(got.shape) == np.shape(expected)


def test_everywhere() -> None:
    check_function(
        lambda a, b, c: logspace(a, b, 4, False, c, axis=1),
        START,
        STOP,
        np.asarray(2.5),
        reference=lambda a, b, c: np.logspace(a, b, 4, False, c, axis=1),
        name="likewise.missing.logspace",
    )
    check_function(
        lambda a, b: geomspace(a, b, 5),
        POSITIVE,
        STOP,
        reference=lambda a, b: np.geomspace(a, b, 5),
        scalars=2,
        name="likewise.missing.geomspace",
    )
    check_function(
        lambda a, p: diff(a, 2, 0, prepend=p),
        RNG.normal(size=(4, 2)),
        RNG.normal(size=(1, 2)),
        reference=lambda a, p: np.diff(a, 2, 0, prepend=p),
        name="likewise.missing.diff",
    )
    check_function(
        lambda a: round_to(a, 1),
        np.asarray([[0.26, -1.234], [12.0, 3.13]]),
        reference=lambda a: np.round(a, 1),
        name="likewise.missing.round",
    )


# -- logarithmic scales ----------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_scales(lib: Any, axis: int, endpoint: bool) -> None:
    a, b, p = (lib.asarray(fitting(lib, x)) for x in (START, STOP, POSITIVE))
    expected = np.logspace(START, STOP, 5, endpoint, axis=axis)
    for way in (logspace, logspace.generic):
        close(lib, way(a, b, 5, endpoint, axis=axis), expected)
    expected = np.geomspace(POSITIVE, STOP, 5, endpoint, axis=axis)
    for way in (geomspace, geomspace.generic):
        close(lib, way(p, b, 5, endpoint, axis=axis), expected)


@pytest.mark.parametrize("num", [0, 1, 2])
def test_few_points(lib: Any, num: int) -> None:
    a = lib.asarray(fitting(lib, POSITIVE))
    for endpoint in (True, False):
        for way in (logspace, logspace.generic):
            close(lib, way(a, 3, num, endpoint), np.logspace(POSITIVE, 3, num, endpoint))
        for way in (geomspace, geomspace.generic):
            close(lib, way(a, 3, num, endpoint), np.geomspace(POSITIVE, 3, num, endpoint))


def test_bases(lib: Any) -> None:
    a = lib.asarray(fitting(lib, START))
    for base in (2, np.asarray([2.0, 3.0, 0.5]), np.asarray([[2.0], [3.0]])):
        given = lib.asarray(fitting(lib, base)) if isinstance(base, np.ndarray) else base
        for axis in (0, -1):
            expected = np.logspace(START, 3.0, 4, base=base, axis=axis)
            close(lib, logspace(a, 3.0, 4, base=given, axis=axis), expected)


def test_ends_are_exact(lib: Any) -> None:
    a, b = (fitting(lib, x) for x in (POSITIVE, 7.3 * POSITIVE))
    for way in (geomspace, geomspace.generic):
        got = lib.to_numpy(way(lib.asarray(a), lib.asarray(b), 7))
        np.testing.assert_array_equal(got[[0, -1]], [a, b])
        got = lib.to_numpy(way(lib.asarray(-a), lib.asarray(-b), 7))
        np.testing.assert_array_equal(got[[0, -1]], [-a, -b])


def test_spirals(lib: Any) -> None:
    a, b = np.asarray([1j, 1 + 1j, -2]), np.asarray([16j, -3 - 1j, 5j])
    x, y = lib.asarray(fitting(lib, a)), lib.asarray(fitting(lib, b))
    for way in (geomspace, geomspace.generic):
        close(lib, way(x, y, 5), np.geomspace(a, b, 5))
        close(lib, way(x, y, 5, False), np.geomspace(a, b, 5, False))
    real = lib.asarray(fitting(lib, np.asarray(1.0)))
    kind = "complex128" if lib.has_float64 else "complex64"
    close(lib, geomspace(real, -1.0, 5, dtype=kind), np.geomspace(1, -1, 5, dtype="complex128"))
    close(lib, logspace(x, 2.0, 3), np.logspace(a, 2.0, 3))


def test_where_scalars_go(lib: Any) -> None:
    """To the library that is asked for, or that of `like`; else to the default."""
    like = lib.asarray(np.ones(1, dtype="float32"))
    for func in (logspace, geomspace):
        found = func(1, 4, 3, like=like)
        assert likewise.library(found) == lib.library
        expected = getattr(np, func.__name__)(1, 4, 3)
        np.testing.assert_allclose(lib.to_numpy(found), expected, rtol=1e-6)
        assert likewise.library(func(1, 4, 3, namespace=lib.library)) == lib.library


def test_scalars_and_the_default() -> None:
    for func in (logspace, geomspace):
        with likewise.use("numpy", dtype="float32"):
            assert func(1, 3, 4).dtype == np.float32
        found = func(1, 3, 4)
        assert type(found) is np.ndarray and found.dtype == np.float64 and found.shape == (4,)
        assert func(1, 4, 4, dtype="int32").dtype == np.int32
        assert func(np.float32([1.0]), 3).dtype == np.float32
    assert logspace([0, 1], [2, 3], 2).tolist() == [[1.0, 10.0], [100.0, 1000.0]]


@pytest.mark.needs("torch")
def test_scales_move() -> None:
    import torch

    assert likewise.library(logspace(np.ones(2), 3, namespace="torch")) == "torch"
    assert likewise.library(geomspace(1, np.ones(2), like=torch.zeros(1))) == "torch"


def test_a_zero(lib: Any) -> None:
    """An error where values can be seen, NaN elsewhere."""
    x = lib.asarray(np.asarray([0.0, 1.0], dtype="float32"))
    if lib.jit or lib.library == "dask":
        with np.errstate(all="ignore"):
            got = lib.to_numpy(geomspace(x, 2.0, 3))
        assert np.isnan(got[1, 0]) and got[1, 1] == pytest.approx(2**0.5)
        return
    with pytest.raises(ArgumentError, match="geomspace: start must not be zero"):
        geomspace(x, 2.0, 3)


def test_scales_refused() -> None:
    for func in (logspace, geomspace):
        with pytest.raises(ArgumentError, match="num must not be negative"):
            func(1.0, 2.0, -1)
        with pytest.raises(ShapeError, match="axis must lie"):
            func(1.0, 2.0, 2, axis=1)
        with pytest.raises(ShapeError, match="broadcast"):
            func(np.ones(2), np.ones(3))
        with pytest.raises(ArgumentError, match="isn't a dtype"):
            func(1.0, 2.0, dtype="decimal")
        with pytest.raises(ArgumentError, match="either like or namespace"):
            func(1.0, 2.0, like=np.ones(1), namespace="numpy")
    with pytest.raises(ArgumentError, match="stop must not be zero"):
        geomspace(1.0, 0)


# -- differences -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_diff(lib: Any, n: int, dtype: str) -> None:
    a = np.asarray([[1, 0, 3], [0, 0, 7], [2, 5, 1]]).astype(dtype)
    x = lib.asarray(a)
    for axis in (0, -1):
        got = diff(x, n, axis)
        same(lib, got, np.diff(a, n, axis))
        assert got.dtype == x.dtype


def test_diff_with_more(lib: Any) -> None:
    a = np.asarray([[1, 5, 2], [4, 4, 0]])
    x, row = lib.asarray(a), lib.asarray(a[:1])
    same(lib, diff(x, prepend=0), np.diff(a, prepend=0))
    same(lib, diff(x, axis=0, append=row), np.diff(a, axis=0, append=a[:1]))
    got = diff(x, 2, 0, prepend=row, append=7)
    same(lib, got, np.diff(a, 2, 0, prepend=a[:1], append=7))
    same(lib, diff(x, 0, prepend=1), a)
    single = lib.asarray(a.astype("float32"))
    assert diff(single, prepend=0.5).dtype == lib.xp.float32
    assert diff(x, prepend=0).dtype == x.dtype
    flags = lib.asarray([True, False, False])
    same(lib, diff(flags, append=True), [True, False, True])
    same(lib, diff(lib.asarray(np.zeros((2, 0)))), np.zeros((2, 0)))
    nan = diff(lib.asarray(np.asarray([1.0, np.nan, 2.0, np.inf], dtype="float32")))
    same(lib, nan, [np.nan, np.nan, np.inf])


def test_diff_refuses() -> None:
    x = np.ones((2, 3))
    with pytest.raises(ArgumentError, match="n must not be negative"):
        diff(x, -1)
    with pytest.raises(ArgumentError, match="n must be an integer"):
        diff(x, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="at least one dimension"):
        diff(np.asarray(1.0))
    with pytest.raises(ShapeError, match="axis must lie"):
        diff(x, axis=2)
    with pytest.raises(ShapeError, match=r"prepend must be a number or have the shape of a"):
        diff(x, prepend=np.ones((3, 1)))


# -- rounding --------------------------------------------------------------------------------------

HALVES = np.asarray([0.5, 1.5, -2.5, 25.0, 1234.5678, -0.04, 0.0, -0.0])


def test_round_to_one_decimal(lib: Any) -> None:
    a = fitting(lib, HALVES)
    close(lib, round_to(lib.asarray(a), 1), np.round(a, 1))


@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 3])
def test_round(lib: Any, decimals: int) -> None:
    for x in (HALVES, HALVES[4], HALVES[:0], HALVES + 1j * HALVES[::-1]):
        a = fitting(lib, x)
        for way in (round_to, round_to.generic):
            close(lib, way(lib.asarray(a), decimals), np.round(a, decimals))
    strange = np.asarray([np.nan, np.inf, -np.inf], dtype="float32")
    same(lib, round_to(lib.asarray(strange), decimals), strange)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_round_integers(lib: Any, dtype: str) -> None:
    a = np.asarray([0, 5, 14, 15, 25, 35, 49, 50, 51, 99, 100]).astype(dtype)
    if dtype != "uint8":
        a = np.concatenate([a, -a])
    x = lib.asarray(a)
    for decimals in (2, 0, -1, -2, -3, -19):
        got = round_to(x, decimals)
        assert got.dtype == x.dtype
        same(lib, got, np.round(a, decimals) if decimals > -3 else np.zeros_like(a))


def test_round_large_integers(lib: Any) -> None:
    if lib.has_float64:
        n = 2**53 + 5
        same(lib, round_to(lib.asarray([n, -n]), -1), [-(-n // 10) * 10, -(n // 10 + 1) * 10])


def test_round_refuses() -> None:
    with pytest.raises(DtypeError, match="booleans"):
        round_to(np.asarray([True]))
    with pytest.raises(ArgumentError, match="decimals must be an integer"):
        round_to(np.ones(2), 0.5)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("decimals", [400, -400])
def test_round_beyond_the_range(lib: Any, decimals: int) -> None:
    # As NumPy, whose own power overflows, too.
    out = lib.to_numpy(round_to(lib.asarray([1.5, -2.25], "float32"), decimals))
    assert np.all(np.isnan(out)) and out.dtype == np.float32
    whole = lib.to_numpy(round_to(lib.asarray([15, -22], "int32"), decimals))
    assert whole.tolist() == ([15, -22] if decimals > 0 else [0, 0])
