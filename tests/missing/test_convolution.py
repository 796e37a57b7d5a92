"""Convolution of sequences against NumPy. Several axes: tests/signal."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError, ShapeError
from likewise.missing import convolve
from likewise.missing._convolution import sums
from likewise.testing import assert_close, check_function

DTYPES = ["float32", "complex64", "int32", "uint8", "bool"]


@pytest.mark.full
def test_everywhere(rng: Any) -> None:
    check_function(
        convolve,
        rng.normal(size=6),
        rng.normal(size=3),
        reference=np.convolve,
        tol={"float32": 1e-5},
    )


def test_convolve_with_a_longer_one(lib: Any) -> None:
    a, v = np.asarray([1.0, -2.0, 0.5], "float32"), np.asarray([3, 0, 1, 2, -1], "float32")
    assert_close(convolve(lib.asarray(a), lib.asarray(v)), np.convolve(a, v))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_convolve(lib: Any, rng: Any, dtype: str, mode: Any) -> None:
    for m, n in ((5, 1), (4, 7), (6, 6)):
        a, v = ((3 * rng.normal(size=k)).astype(int).astype(dtype) for k in (m, n))
        expected = np.convolve(a, v, mode)
        for way in (convolve, convolve.generic):
            assert_close(way(lib.asarray(a), lib.asarray(v), mode), expected)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_infinities_stay_where_they_belong(lib: Any, mode: Any) -> None:
    """No products with zeros beyond the ends."""
    a = np.asarray([np.inf, 1.0, 2.0, 3.0, np.nan, 4.0, 5.0], dtype="float32")
    for v in ([np.inf, 1.0, 2.0], [1.0, np.nan], [0.5, 0.25, np.inf]):
        k = np.asarray(v, dtype="float32")
        with np.errstate(invalid="ignore"):
            expected = np.convolve(a, k, mode)
            for way in (convolve, convolve.generic):
                got = lib.to_numpy(way(lib.asarray(a), lib.asarray(k), mode))
                np.testing.assert_array_equal(got, expected)


def test_goes_by_blocks(rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("likewise.missing._convolution._BLOCK", 12)
    monkeypatch.setattr("likewise.missing._convolution._FEW", 4)
    a, v = rng.normal(size=17), rng.normal(size=9)
    assert_close(convolve.generic(a, v), np.convolve(a, v))
    n = np.arange(17)
    assert_close(convolve.generic(n, n[:9]), np.convolve(n, n[:9]))


def test_kinds_together(lib: Any) -> None:
    single, whole = lib.asarray(np.ones(3, dtype="float32")), lib.asarray([1, 2])
    assert convolve(single, whole).dtype == lib.xp.float32
    assert convolve(single, 2.0).dtype == lib.xp.float32
    assert convolve(whole, lib.asarray([True])).dtype == whole.dtype
    assert lib.to_numpy(convolve(whole, [1, 10])).tolist() == [1, 12, 20]
    assert convolve(lib.asarray(2), 3).shape == (1,)


def test_refuses() -> None:
    x = np.ones(3)
    with pytest.raises(ShapeError, match="convolve: v must be a sequence"):
        convolve(x, np.ones(0))
    with pytest.raises(ShapeError, match="convolve: a must be a sequence"):
        convolve(np.ones((2, 2)), x)
    with pytest.raises(ArgumentError, match="mode must be one of"):
        convolve(x, x, "all")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_rows_each_with_its_own_kernel(lib: Any, rng: Any, mode: Any) -> None:
    a, v = rng.normal(size=(2, 3, 6)), rng.normal(size=(3, 4))
    if not lib.has_float64:
        a, v = a.astype("float32"), v.astype("float32")
    expected = np.stack([[np.convolve(x, k, mode) for x, k in zip(m, v, strict=True)] for m in a])
    got = lib.to_numpy(sums(lib.asarray(a), lib.asarray(v), mode, (-1,)))
    np.testing.assert_allclose(got, expected, rtol=1e-4 if a.dtype == "float32" else 1e-12)
