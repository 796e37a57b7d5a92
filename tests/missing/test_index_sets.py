"""Indices of diagonals and triangles, raveled and unraveled, and one-hot rows against NumPy."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.missing import (
    bincount,
    diag_indices,
    one_hot,
    ravel_multi_index,
    tril_indices,
    triu_indices,
    unravel_index,
)
from likewise.testing import assert_close, check_function

I = np.asarray([0, 2, 1, 2])  # noqa: E741
J = np.asarray([3, 0, 1, 3])
TRIANGLES = [(tril_indices, np.tril_indices), (triu_indices, np.triu_indices)]
SHAPES = [
    (4, 0, None),
    (4, 1, 3),
    (3, -1, 5),
    (3, -5, 2),
    (5, 9, 3),
    (0, 0, 3),
    (3, 0, 0),
    (4, -2, 6),
    (6, 2, 3),
    (2, 3, 8),
]


def both(func: Any, *args: Any) -> Any:
    """Of x: its elements at the rows and columns of a triangle."""
    xp = likewise.array_namespace(args[0])
    rows, columns = func(*args[1:], like=args[0])
    return xp.take(xp.reshape(args[0], (-1,)), rows * args[0].shape[1] + columns)


@pytest.mark.full
@pytest.mark.parametrize(("func", "reference"), TRIANGLES)
def test_triangles_everywhere(func: Any, reference: Any) -> None:
    check_function(
        lambda x: both(func, x, 5, 1, 7),
        np.arange(35.0).reshape(5, 7),
        reference=lambda x: x[reference(5, 1, 7)],
        name=f"likewise.missing.{func.__name__}",
    )


def test_diagonal_everywhere() -> None:
    check_function(
        lambda x: both(diag_indices, x, 3),
        np.arange(9.0).reshape(3, 3),
        reference=lambda x: x[np.diag_indices(3)],
        name="likewise.missing.diag_indices",
    )


@pytest.mark.parametrize("mode", ["raise", "wrap"])
def test_ravel_everywhere(mode: str) -> None:
    check_function(
        ravel_multi_index,
        (I, J),
        kwargs={"dims": (3, 4), "mode": mode},
        reference=lambda i, dims, mode: np.ravel_multi_index(i, dims, mode),
        scalars=4 if mode == "raise" else 0,  # smallest and largest index of both axes
        grad=False,
    )


def test_unravel_everywhere() -> None:
    check_function(
        unravel_index,
        I + J,
        kwargs={"shape": (2, 3)},
        reference=np.unravel_index,
        scalars=2,  # the smallest and the largest index
        grad=False,
    )


def test_one_hot_everywhere() -> None:
    check_function(one_hot, I, kwargs={"num_classes": 2}, reference=np.eye(3)[I][:, :2], grad=False)


@pytest.mark.parametrize("shape", SHAPES, ids=map(str, SHAPES))
def test_triangles(xp: Any, shape: Any) -> None:
    like = xp.asarray(1.0)
    for func, reference in TRIANGLES:
        for got, expected in zip(func(*shape, like=like), reference(*shape), strict=True):
            assert_close(got, expected, check_dtype=False)
            assert xp.isdtype(got.dtype, "signed integer")


@pytest.mark.needs("dask")
@pytest.mark.parametrize("n", [1000, 1001])
@pytest.mark.full
def test_roots_of_large_triangles(n: int) -> None:
    for func, reference in TRIANGLES:
        for m in (n, 17, 3 * n):
            got = func(n, 0, m, namespace="dask")
            for found, expected in zip(got, reference(n, 0, m), strict=True):
                np.testing.assert_array_equal(np.asarray(found), expected)


def test_diagonals(xp: Any) -> None:
    for n, ndim in ((3, 2), (0, 1), (2, 3), (2, 0)):
        got = diag_indices(n, ndim, like=xp.asarray(1))
        assert len(got) == ndim
        for found in got:
            assert_close(found, np.arange(n), check_dtype=False)


def test_where_they_are() -> None:
    with likewise.use("strict"):
        assert likewise.library(diag_indices(2)[0]) == "strict"
        assert likewise.library(tril_indices(2, namespace="numpy")[0]) == "numpy"
    assert likewise.library(triu_indices(2, like=likewise.namespace("strict").ones(1))[0]) == (
        "strict"
    )
    assert likewise.library(triu_indices(2, device="cpu")[0]) == "numpy"
    assert likewise.library(diag_indices(2, like=np.ones(1), device="cpu")[0]) == "numpy"
    with pytest.raises(ArgumentError, match="either like or namespace"):
        tril_indices(2, like=np.ones(1), namespace="numpy")


def test_sizes_are_checked() -> None:
    with pytest.raises(ArgumentError, match="tril_indices: n must not be negative"):
        tril_indices(-1)
    with pytest.raises(ArgumentError, match="triu_indices: m must be an integer"):
        triu_indices(2, 0, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="triu_indices: k must be an integer"):
        triu_indices(2, 0.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="diag_indices: ndim must not"):
        diag_indices(2, -1)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_ravel(xp: Any, mode: str, order: Any) -> None:
    more = 0 if mode == "raise" else 1
    for i, j, dims in (
        (I, J, (3, 4)),
        (I - 5 * more, J + 9 * more, (3, 4)),
        (I[:, None], J[:3], (3, 4)),
        (I[:0], J[:0], (3, 0)),
        (np.asarray(1), np.asarray(2), (3, 4)),
    ):
        got = ravel_multi_index((xp.asarray(i), xp.asarray(j)), dims, mode, order)
        if i.size == 0:
            assert got.shape == (0,)
            continue
        expected = np.ravel_multi_index((i, j), dims, mode, order)  # type: ignore[call-overload]
        assert_close(got, np.asarray(expected), check_dtype=False)
    together = xp.asarray(np.stack([I, J, I]))
    expected = np.ravel_multi_index((I, J, I), (3, 4, 3), order=order)
    assert_close(ravel_multi_index(together, (3, 4, 3), mode, order), expected, check_dtype=False)


def test_ravel_with_a_mode_for_each_axis(xp: Any) -> None:
    i, j = I - 4, J + 5
    got = ravel_multi_index((xp.asarray(i), xp.asarray(j)), (3, 4), ("wrap", "clip"))
    assert_close(got, np.ravel_multi_index((i, j), (3, 4), ("wrap", "clip")), check_dtype=False)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ["C", "F"])
def test_unravel(xp: Any, order: Any) -> None:
    index = np.asarray([[0, 5, 23], [7, 11, 12]])
    for x, shape in (
        (index, (2, 3, 4)),
        (index, (24,)),
        (index[0, 2], (4, 6)),
        (index[:0], (2, 0)),
    ):
        got = unravel_index(xp.asarray(x), shape, order)
        expected = [x, x] if x.size == 0 else np.unravel_index(x, shape, order)
        assert len(got) == len(expected)
        for found, wanted in zip(got, expected, strict=True):
            assert_close(found, np.asarray(wanted), check_dtype=False)


def test_unravel_undoes_ravel(xp: Any) -> None:
    i, j = xp.asarray(I), xp.asarray(J)
    for order in ("C", "F"):
        a, b = unravel_index(ravel_multi_index((i, j), (3, 4), order=order), (3, 4), order)
        assert_close(a, I, check_dtype=False)
        assert_close(b, J, check_dtype=False)


def test_out_of_range(lib: Any) -> None:
    """An error where values can be seen, the nearest index elsewhere."""
    x = lib.asarray(np.asarray([-2, 3, 12]))
    if lib.jit or lib.library == "dask":
        for got in (ravel_multi_index((x,), (5,)), unravel_index(x, (5,))[0]):
            assert_close(got, np.asarray([0, 3, 4]), check_dtype=False)
        return
    for bad in ([-1, 2], [1, 5]):
        x = lib.asarray(np.asarray(bad))
        with pytest.raises(IndexError, match="ravel_multi_index: index .* out of range for size 5"):
            ravel_multi_index((x,), (5,))
        with pytest.raises(IndexError, match="unravel_index: index .* out of range"):
            unravel_index(x, (5,))


def test_ravel_refuses() -> None:
    with pytest.raises(IndexError, match="there are no elements along axis 0"):
        ravel_multi_index((I,), (0,), "clip")
    with pytest.raises(IndexError, match="there are no elements"):
        unravel_index(I, (0, 2))
    with pytest.raises(ShapeError, match="as many indices as dims"):
        ravel_multi_index((I, J), (3,))
    with pytest.raises(ShapeError, match="ravel_multi_index: shapes must broadcast"):
        ravel_multi_index((I, J[:3]), (3, 4))
    with pytest.raises(DtypeError, match="must hold integers"):
        ravel_multi_index((I * 1.0,), (3,))
    with pytest.raises(ArgumentError, match="mode must be one of"):
        ravel_multi_index((I,), (3,), "fill")
    with pytest.raises(ArgumentError, match="one mode or 1"):
        ravel_multi_index((I,), (3,), ("clip", "clip"))
    with pytest.raises(ArgumentError, match="order must be one of"):
        unravel_index(I, (3,), "K")
    with pytest.raises(ArgumentError, match="too large"):
        unravel_index(I, (2**32, 2**32))
    with pytest.raises(ArgumentError, match="dims must not be negative"):
        ravel_multi_index((I,), (-3,))


def test_one_hot(xp: Any) -> None:
    x = np.asarray([[0, 2, -1], [3, 1, 7]])
    rows = np.concatenate([np.eye(4), np.zeros((1, 4))])
    expected = rows[np.where((x < 0) | (x > 3), 4, x)]
    for axis in (-1, 0, 1, -3):
        got = one_hot(xp.asarray(x), 4, axis=axis)
        assert_close(got, np.moveaxis(expected, -1, axis), check_dtype=False)
        assert xp.isdtype(got.dtype, "real floating")
    for dtype in (xp.int32, xp.bool, xp.complex64):
        assert one_hot(xp.asarray(x), 4, dtype=dtype).dtype == dtype
    small = xp.asarray(np.asarray([200, 3], dtype=np.uint8))
    assert_close(one_hot(small, 300), np.eye(300)[[200, 3]], check_dtype=False)
    assert one_hot(xp.asarray(x), 0).shape == (2, 3, 0)
    assert one_hot(xp.asarray(x[:0]), 2).shape == (0, 3, 2)
    assert_close(one_hot(xp.asarray(x[0, 1]), 3), np.asarray([0.0, 0.0, 1.0]), check_dtype=False)


def test_one_hot_refuses() -> None:
    with pytest.raises(DtypeError, match="must hold integers"):
        one_hot(np.ones(2), 3)
    with pytest.raises(ArgumentError, match="num_classes must not be negative"):
        one_hot(I, -1)
    with pytest.raises(ShapeError, match="axis must lie"):
        one_hot(I, 3, axis=2)
    with pytest.raises(ArgumentError, match="axis must be one integer"):
        one_hot(I, 3, axis=(0, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(4, 1), (1, 4, 1), (2, 1, 3), (1, 1), (4,), (1, 2, 1, 2, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_axes_of_size_one(lib: Any, shape: tuple[int, ...], order: Any) -> None:
    every = np.arange(np.prod(shape))
    found = unravel_index(lib.asarray(every), shape, order)
    for got, expected in zip(found, np.unravel_index(every, shape, order), strict=True):
        np.testing.assert_array_equal(lib.to_numpy(got), expected)
    np.testing.assert_array_equal(lib.to_numpy(ravel_multi_index(found, shape, order=order)), every)


def test_large_unsigned_indices(lib: Any) -> None:
    bits = 64 if lib.has_float64 else 32
    values = [2**bits - 1, 2 ** (bits - 1), 1]
    index = lib.asarray(np.asarray(values, dtype=f"uint{bits}"), f"uint{bits}")
    assert lib.to_numpy(ravel_multi_index((index,), (3,), "clip")).tolist() == [2, 2, 1]
    got = ravel_multi_index((index, index), (5, 3), ("clip", "wrap"))
    assert lib.to_numpy(got).tolist() == [12 + values[0] % 3, 12 + values[1] % 3, 4]


@pytest.mark.parametrize(
    "library", ["numpy", pytest.param("torch", marks=pytest.mark.needs("torch"))]
)
def test_indices_above_the_signed_maximum(library: str) -> None:
    index = likewise.asarray(np.asarray([2**64 - 1], dtype=np.uint64), namespace=library)
    with pytest.raises(IndexError, match="unravel_index: index .* is out of range"):
        unravel_index(index, (3, 4))
    with pytest.raises(IndexError, match="ravel_multi_index: index .* is out of range"):
        ravel_multi_index((index,), (3,))
    with pytest.raises(ArgumentError, match="bincount: the largest of 'x' is too large"):
        bincount(index)
    assert likewise.to_numpy(bincount(index, length=2)).tolist() == [0, 0]


def test_one_size_is_a_number(lib: Any) -> None:
    i = lib.asarray([2, 0])
    assert_close(ravel_multi_index((i,), 3), np.asarray([2, 0]))
    assert_close(unravel_index(i, 3)[0], np.asarray([2, 0]))
