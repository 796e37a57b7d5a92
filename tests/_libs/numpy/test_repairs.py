"""NumPy's functions that are mended: what NumPy's own give, and their errors."""

from typing import Any

import array_api_compat.numpy
import numpy as np
import pytest

from likewise._libs.numpy._repairs import REDUCTIONS, moveaxis, stack
from likewise._namespace import namespace

_VECTOR = np.arange(3.0)
_LISTS: list[Any] = [
    [np.float64(1), np.float64(2)],
    (np.asarray(1.0), np.float64(2)),
    [np.float32(1), np.float64(2)],
    [np.float32(1), 2.0],
    [True, np.bool_(False)],
    [np.int32(1), np.int32(2)],
    [np.complex64(1j), np.complex64(2)],
    [_VECTOR, _VECTOR[::-1]],
    [_VECTOR, np.arange(3)],
    [_VECTOR.astype(">f8"), _VECTOR.astype(">f8")],
    [np.empty(0), np.empty(0)],
    [np.ones((2, 3), order="F"), np.zeros((2, 3), order="F")],
    [np.arange(2000.0), np.arange(2000.0)],
    np.ones((2, 3)),
    [[1.0, 2.0], [3.0, 4.0]],
    ["a", "b"],
    [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")],
]


@pytest.mark.parametrize("arrays", _LISTS, ids=range(len(_LISTS)))
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack(arrays: Any, axis: int) -> None:
    if axis == 1 and np.ndim(arrays[0]) == 0:
        with pytest.raises(np.exceptions.AxisError):
            stack(arrays, axis=axis)
        return
    out, expected = stack(arrays, axis=axis), np.stack(arrays, axis=axis)
    assert (out.dtype, out.shape, out.strides) == (expected.dtype, expected.shape, expected.strides)
    assert out.tobytes() == expected.tobytes()
    assert out.flags.writeable and out.flags.owndata == expected.flags.owndata


@pytest.mark.parametrize("arrays", [[], [_VECTOR, np.ones(2)], [np.float64(1), _VECTOR], 3.0])
def test_stack_refuses_what_numpy_refuses(arrays: Any) -> None:
    with pytest.raises(Exception) as expected:  # whatever NumPy raises
        np.stack(arrays)
    with pytest.raises(expected.type, match=r"stack|shape|iter|len"):
        stack(arrays)


def test_stack_of_masked_arrays_is_numpys() -> None:
    arrays = [np.ma.masked_array(_VECTOR, mask=[True, False, False])] * 2
    assert type(stack(arrays)) is type(np.stack(arrays))


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (5,)])
def test_moveaxis(shape: tuple[int, ...]) -> None:
    x = np.arange(float(np.prod(shape))).reshape(shape)
    for source in range(-len(shape), len(shape)):
        for destination in range(-len(shape), len(shape)):
            out, expected = moveaxis(x, source, destination), np.moveaxis(x, source, destination)
            assert (out.shape, out.strides) == (expected.shape, expected.strides)
            assert out.base is x.base or out.base is x
    places = tuple(range(len(shape)))
    assert moveaxis(x, places, places[::-1]).shape == shape[::-1]
    with pytest.raises(np.exceptions.AxisError):
        moveaxis(x, len(shape), 0)


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint16", "float32", "float64", "c16"])
def test_reductions(name: str, dtype: str) -> None:
    ours, theirs = REDUCTIONS[name], getattr(np, name)
    x = (np.arange(24).reshape(2, 3, 4) % 5).astype(dtype)
    for a in (x, x[:, ::-1].T, x[0, 0, 0], np.asfortranarray(x), [[1.0, 2.0], [0.0, 3.0]]):
        axes: list[Any] = [None] if np.ndim(a) == 0 else [None, 0, -1, (0, 1)]
        for axis in axes:
            for keepdims in (False, True):
                got = ours(a, axis=axis, keepdims=keepdims)
                expected = theirs(a, axis=axis, keepdims=keepdims)
                assert (type(got), got.dtype) == (type(expected), expected.dtype)
                np.testing.assert_array_equal(got, expected)
    if name in ("sum", "prod"):
        assert ours(x, 0, np.complex128).dtype == np.complex128
    for wrong in (3, (0, 0)):
        with pytest.raises(Exception) as error:  # NumPy's
            theirs(x, axis=wrong)
        with pytest.raises(error.type):
            ours(x, axis=wrong)
    if name in ("max", "min"):
        with pytest.raises(ValueError, match="zero-size"):
            ours(x[:0])


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse"])
def test_unique_elements_are_those_of_array_api_compat(name: str) -> None:
    rng = np.random.default_rng(0)
    for x in (rng.integers(0, 9, (7, 4)), np.asarray([np.nan, 1.0, np.nan, 0.0]), np.asarray(3)):
        found = getattr(namespace("numpy"), name)(x)
        expected = getattr(array_api_compat.numpy, name)(x)
        assert found._fields == expected._fields
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b, strict=True)
