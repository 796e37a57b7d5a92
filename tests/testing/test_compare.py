"""What differs is found, and said."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, ArrayTypeError
from likewise.testing import Variant, assert_close, assert_equal, tolerance


def test_equal_arrays(xp: Any) -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, xp.nan]])
    assert_close(x, x)
    assert_equal(x, x)
    assert_equal(x, np.asarray([[1.0, 2.0], [3.0, np.nan]]), check_dtype=False)
    assert_equal(xp.asarray([1, 2]) == 2, [False, True])
    assert_equal(xp.asarray(3), 3)


def test_reference_of_numpy_is_in_the_variant_s_precision(xp: Any) -> None:
    values = np.asarray([1.0, 2.0])
    assert_close(xp.asarray(values), values)
    assert_close(xp.asarray(values.astype("f4")), values, like=xp.asarray(values.astype("f4")))


def test_library(xp: Any, lib: Variant) -> None:
    """NumPy's result is wrong where the test runs on another library, and the other way round."""
    other = strict.ones(2) if lib.library != "strict" else np.ones(2)
    with pytest.raises(AssertionError, match="library"):
        assert_close(other, xp.ones(2))
    with pytest.raises(AssertionError, match="library"):
        assert_close(other, np.ones(2))
    if lib.library != "numpy":
        with pytest.raises(AssertionError, match="library: got numpy"):
            assert_close(np.ones(2), [1.0, 1.0])


def test_numpy_s_scalars_are_numpy_s() -> None:
    assert_close(np.float64(2.0), np.asarray(2.0))
    with pytest.raises(AssertionError, match="library: got numpy, expected strict"):
        assert_close(np.float64(2.0), strict.asarray(2.0))


def test_no_array() -> None:
    with pytest.raises(AssertionError, match="got float 2.0, expected an array"):
        assert_close(2.0, np.asarray(2.0))


def test_device() -> None:
    here, there = (strict.ones(2, device=strict.Device(d)) for d in ("CPU_DEVICE", "device1"))
    assert_close(there, there)
    with pytest.raises(AssertionError, match="device: got .*CPU_DEVICE.*, expected .*device1.*"):
        assert_close(here, there)


def test_dtype(xp: Any) -> None:
    x = xp.ones(2, dtype=xp.float32)
    with pytest.raises(AssertionError, match="dtype: got float32, expected int32"):
        assert_close(x, xp.ones(2, dtype=xp.int32))
    assert_close(x, xp.ones(2, dtype=xp.int32), check_dtype=False)


def test_shape(xp: Any) -> None:
    with pytest.raises(AssertionError, match=r"shape: got \(2,\), expected \(2, 1\)"):
        assert_equal(xp.ones(2), xp.ones((2, 1)))
    with pytest.raises(AssertionError, match=r"shape: got \(1,\), expected \(\)"):
        assert_equal(xp.ones(1), xp.asarray(1.0))


def test_values(xp: Any) -> None:
    x = xp.asarray([1.0, 2.0, 4.0])
    with pytest.raises(
        AssertionError, match=r"values: 1 of 3 differ, most at \[2\]: got 4.0, expected 4"
    ):
        assert_close(x, xp.asarray([1.0, 2.0, 4.1]))
    assert_close(x, xp.asarray([1.0, 2.0, 4.1]), rtol=0.05)
    assert_close(x, xp.asarray([1.0, 2.0, 4.1]), atol=0.2)
    with pytest.raises(AssertionError, match="values"):
        assert_close(x, xp.asarray([1.0, 2.0, xp.nan]))
    with pytest.raises(AssertionError, match="values"):
        assert_close(x, xp.asarray([1.0, 2.0, xp.inf]), rtol=10.0)


def test_tolerance_goes_with_the_dtype(xp: Any) -> None:
    for dtype, off in (("float32", 1e-4), ("float64", 1e-10)):
        x = xp.asarray([1.0], dtype=getattr(xp, dtype))
        if str(x.dtype).rpartition(".")[2] != dtype and dtype not in str(x.dtype):
            continue  # no such precision here
        assert_close(x * (1 + off / 1e3), x)
        with pytest.raises(AssertionError, match="values"):
            assert_close(x * (1 + off), x)
        with pytest.raises(AssertionError, match="values"):
            assert_equal(x * (1 + 2 * float(xp.finfo(x.dtype).eps)), x)


def test_tolerance_of_every_dtype() -> None:
    assert tolerance("float64") == tolerance(np.complex128) == np.finfo("f8").eps ** 0.75
    assert tolerance(strict.float32) == np.finfo("f4").eps ** 0.75
    assert tolerance("int32") == tolerance(bool) == 0


def test_unknown_library_is_refused() -> None:
    with pytest.raises(ArrayTypeError, match="Pass like=x"):
        assert_close(strict.ones(2), np.ones(2))
    assert_close(strict.ones(2), np.ones(2), like=strict.ones(1))
    with pytest.raises(AssertionError, match="library"):
        assert_close(np.ones(2), np.ones(2), like=strict.ones(1))


def test_negative_tolerances() -> None:
    with pytest.raises(ArgumentError, match="rtol=-1"):
        assert_close(np.ones(2), np.ones(2), rtol=-1)


def test_empty_and_wide_integers() -> None:
    assert_equal(np.ones((0, 3)), np.ones((0, 3)))
    with pytest.raises(AssertionError, match="values"):
        assert_equal(np.asarray([2**60]), np.asarray([2**60 + 1]))
    assert likewise.library(np.ones(1)) == "numpy"
