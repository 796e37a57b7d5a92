"""Segments and counting against NumPy in double precision."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from likewise.missing import (
    bincount,
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
)
from likewise.missing._segments import numbers
from likewise.testing import assert_close, assert_equal, check_function

FUNCTIONS = {
    "sum": (segment_sum, np.sum, 0.0),
    "prod": (segment_prod, np.prod, 1.0),
    "min": (segment_min, np.min, np.inf),
    "max": (segment_max, np.max, -np.inf),
    "mean": (segment_mean, np.mean, np.nan),
}
IDS = np.asarray([3, 0, -1, 3, 7, 1, 0, 3, 6, 1, 3])  # 2, 4 and 5 are empty, 7 is none of 7


def oracle(name: str, data: Any, ids: Any, size: int) -> Any:
    _, reduce, empty = FUNCTIONS[name]
    rows = [data[ids == k] for k in range(size)]
    blank = np.full(data.shape[1:], empty)
    return np.asarray([reduce(r, axis=0) if len(r) else blank for r in rows])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_segments_of_a_vector(lib: Any, name: str, rng: Any) -> None:
    data = rng.normal(size=11)
    got = FUNCTIONS[name][0](lib.asarray(data), lib.asarray(IDS), 7)
    assert_close(got, oracle(name, data, IDS, 7), rtol=None if lib.has_float64 else 1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(11,), (11, 2, 3)])
def test_equals_numpy(lib: Any, name: str, shape: tuple[int, ...], rng: Any) -> None:
    """The library's own way and the generic one."""
    func = FUNCTIONS[name][0]
    data = rng.normal(size=shape)
    expected = oracle(name, data, IDS, 7)
    for way in (func, func.generic):
        got = way(lib.asarray(data), lib.asarray(IDS), 7)
        assert_close(got, expected, rtol=None if lib.has_float64 else 1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32"])
def test_dtypes(lib: Any, name: str, dtype: str) -> None:
    func = FUNCTIONS[name][0]
    data = lib.asarray([1, 2, 1, 2, 3], dtype)
    for way in (func, func.generic):
        got = way(data, lib.asarray([0, 1, 1, 3, 0], "int32"), 4)
        if name == "mean" and dtype != "float32":
            info = lib.xp.__array_namespace_info__()
            assert got.dtype == info.default_dtypes(device=lib.device)["real floating"]
        else:
            assert got.dtype == data.dtype
        values = lib.to_numpy(got)
        np.testing.assert_allclose(
            values[[0, 1, 3]],
            oracle(name, np.asarray([1, 2, 1, 2, 3.0]), np.asarray([0, 1, 1, 3, 0]), 4)[[0, 1, 3]],
        )
        if name in ("min", "max") and dtype != "float32":
            info = np.iinfo(values.dtype)
            assert values[2] == (info.max if name == "min" else info.min)


@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
def test_complex(lib: Any, name: str, rng: Any) -> None:
    data = rng.normal(size=(11, 2)) + 1j * rng.normal(size=(11, 2))
    func = FUNCTIONS[name][0]
    for way in (func, func.generic):
        got = way(lib.asarray(data), lib.asarray(IDS), 7)
        expected = oracle(name, data, IDS, 7)
        assert_close(got, expected, rtol=None if lib.has_float64 else 1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_and_infinity_stay_in_their_segment(lib: Any, name: str) -> None:
    data = np.asarray([np.nan, 1.0, np.inf, 2.0, -np.inf])
    ids = np.asarray([0, 0, 1, 2, 3])
    func = FUNCTIONS[name][0]
    for way in (func, func.generic):
        got = lib.to_numpy(way(lib.asarray(data), lib.asarray(ids), 4))
        np.testing.assert_array_equal(got, [np.nan, np.inf, 2.0, -np.inf])


def test_mixed_scales(lib: Any) -> None:
    """Small segments between large ones keep their digits: no differences of cumulative sums."""
    data = np.asarray([1e30, 1.0, -3e30, 2.0, 1e30, 4.0, 1e-3])
    ids = np.asarray([0, 1, 0, 1, 2, 1, 3])
    for way in (segment_sum, segment_sum.generic):
        got = lib.to_numpy(way(lib.asarray(data), lib.asarray(ids), 4))
        assert got[1] == 7.0 and got[3] == got.dtype.type(1e-3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_empty(lib: Any, name: str) -> None:
    func, _, empty = FUNCTIONS[name]
    none = lib.asarray(np.zeros((0, 2)))
    ids = lib.asarray(np.zeros(0, dtype=int))
    for way in (func, func.generic):
        np.testing.assert_array_equal(lib.to_numpy(way(none, ids, 3)), np.full((3, 2), empty))
        assert way(none, ids, 0).shape == (0, 2)


def test_number_of_segments_is_found(lib: Any) -> None:
    data, ids = lib.asarray([1.0, 2.0, 4.0]), lib.asarray([2, 0, 2])
    if lib.jit or lib.library == "dask":
        with pytest.raises(ArgumentError, match="num_segments is needed"):
            segment_sum(data, ids)
    else:
        assert_close(segment_sum(data, ids), [2.0, 0.0, 5.0])


def test_refuses() -> None:
    x = np.ones(3)
    with pytest.raises(DtypeError, match="segment_sum: argument 'segment_ids' must hold integers"):
        segment_sum(x, x, 2)
    with pytest.raises(DtypeError, match="segment_max: argument 'data' must hold real numbers"):
        segment_max(x * 1j, np.arange(3), 3)
    with pytest.raises(DtypeError, match="must hold numbers"):
        segment_sum(x > 0, np.arange(3), 3)
    with pytest.raises(ShapeError, match=r"\(3,\) and \(2,\)"):
        segment_sum(x, np.arange(2), 3)
    with pytest.raises(ArgumentError, match="num_segments must not be negative, got -1"):
        segment_sum(x, np.arange(3), -1)
    with pytest.raises(ArrayTypeError, match="got None"):
        segment_sum(x, None, 3)


@pytest.mark.parametrize("name", ["prod", "min", "mean"])
def test_capabilities(name: str, rng: Any) -> None:
    func = FUNCTIONS[name][0]
    data = rng.normal(size=(11, 2))
    check_function(
        lambda data, ids: func(data, ids, 7),
        data,
        IDS,
        reference=lambda data, ids: oracle(name, data, ids, 7),
        name=f"likewise.missing.segment_{name}",
    )


@pytest.mark.needs("torch")
def test_gradient_of_a_product_with_a_zero() -> None:
    import torch

    for way, other in ((segment_prod, 5.0), (segment_prod.generic, np.inf)):
        x = torch.asarray([0.0, 3.0, other, 2.0], dtype=torch.float64, requires_grad=True)
        way(x, torch.asarray([0, 0, 1, 2]), 3)[::2].sum().backward()
        assert x.grad.tolist() == [3.0, 0.0, 0.0, 1.0]


# -- counting --------------------------------------------------------------------------------------


def test_bincount(lib: Any, rng: Any) -> None:
    x = rng.integers(0, 6, size=20)
    w = rng.normal(size=20)
    a, close = lib.asarray(x), {"rtol": None if lib.has_float64 else 1e-5, "atol": 1e-6}
    assert_equal(bincount(a, length=9), np.bincount(x, minlength=9), check_dtype=False)
    found = bincount(a, lib.asarray(w), length=9)
    assert_close(found, np.bincount(x, w, minlength=9), **close)


def test_both_ways_of_bincount(lib: Any, rng: Any) -> None:
    x = rng.integers(0, 6, size=20)
    w = rng.normal(size=20)
    a = lib.asarray(x)
    for way in (bincount, bincount.generic):
        seen = lib.library != "dask" and not (lib.jit and way is bincount)
        assert_equal(way(a, length=9), np.bincount(x, minlength=9), check_dtype=False)
        assert_equal(way(a, length=3), np.bincount(x)[:3], check_dtype=False)
        close = {"rtol": None if lib.has_float64 else 1e-5, "atol": 1e-6}
        assert_close(way(a, lib.asarray(w), length=9), np.bincount(x, w, minlength=9), **close)
        assert way(a, lib.asarray(w, "float32"), length=9).dtype == lib.xp.float32
        info = lib.xp.__array_namespace_info__().default_dtypes(device=lib.device)
        assert way(a, length=9).dtype == info["indexing"]
        assert way(a, lib.asarray(x), length=9).dtype == info["real floating"]
        if not seen:
            with pytest.raises(ArgumentError, match="length is needed"):
                way(a)
        else:
            assert_equal(way(a), np.bincount(x), check_dtype=False)
            assert_equal(way(a, minlength=11), np.bincount(x, minlength=11), check_dtype=False)
            assert way(lib.asarray(np.zeros(0, dtype=int)), minlength=2).shape == (2,)


def test_negative_numbers(lib: Any) -> None:
    """Refused where they can be seen, left out elsewhere."""
    x = lib.asarray([0, -1, 1])
    if lib.jit or lib.library == "dask":
        assert_equal(bincount(x, length=3), [1, 1, 0])
    else:
        with pytest.raises(ArgumentError, match="must not be negative"):
            bincount(x, length=3)
        for _ in range(3):
            with pytest.raises(ArgumentError, match="bincount: x must not be negative"):
                bincount(x)


def test_bincount_refuses() -> None:
    x = np.arange(3)
    with pytest.raises(DtypeError, match="bincount: argument 'x' must hold integers"):
        bincount(np.ones(3))
    with pytest.raises(ShapeError, match="must have one dimension"):
        bincount(np.ones((2, 2), dtype=int))
    with pytest.raises(ShapeError, match="weights must have the shape of x"):
        bincount(x, np.ones(2))
    with pytest.raises(ArgumentError, match="minlength must not be negative"):
        bincount(x, minlength=-1)
    with pytest.raises(ArgumentError, match="length must be an integer, got 1.5"):
        bincount(x, length=1.5)


@pytest.mark.full
def test_bincount_capabilities(rng: Any) -> None:
    check_function(
        lambda x, w: bincount(x, w, length=8),
        np.abs(IDS),
        rng.normal(size=11),
        reference=lambda x, w: np.bincount(x, w, minlength=8),
        scalars=1,
        name="likewise.missing.bincount",
    )


@pytest.mark.needs("torch")
def test_scattering_wherever_torch_can(rng: Any) -> None:
    """Rows that go nowhere make no difference, on a large array too."""
    import torch

    x, ids = rng.normal(size=5000), rng.integers(-3, 60, size=5000)
    got = segment_sum(torch.asarray(x), torch.asarray(ids), 50)
    expected = likewise.to_numpy(segment_sum.generic(np.asarray(x), ids, 50))
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean"])
def test_rows_without_elements(lib: Any, name: str) -> None:
    data = lib.asarray(np.zeros((7, 0)), "float32")
    ids = lib.asarray([0, 1, 0, 2, 3, 3, 1], "int64")
    out = lib.to_numpy(getattr(likewise.missing, f"segment_{name}")(data, ids, 4))
    assert out.shape == (4, 0) and out.dtype == np.float32


def test_numbers_alone() -> None:
    for x in (np.asarray(["a"]), np.asarray(["2026-11-22"], "datetime64[D]")):
        with pytest.raises(
            DtypeError, match="f: argument 'x' must hold numbers, got a numpy array"
        ):
            numbers("f", "x", np, x)
    for dtype in ("bool", "uint8", "float32", "float64", "complex64"):
        assert numbers("f", "x", np, np.ones(2, dtype)).dtype == dtype
