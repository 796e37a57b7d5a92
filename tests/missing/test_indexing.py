"""Indexing by number and by condition against NumPy; what is padded, against jax.numpy's rules."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.missing import (
    at,
    compress,
    flatnonzero,
    nonzero,
    put,
    put_along_axis,
    repeat,
    select,
    take,
    take_along_axis,
    unique,
)
from likewise.testing import assert_equal, check_function

X = np.arange(12.0).reshape(3, 4) ** 2
NEAR = np.asarray([[0, -1], [2, 1]])
FAR = np.asarray([0, -7, 9, 2, -1])
HOLES = np.asarray([[0, 1, 0], [2, 0, 3]])
GROWING = {"strict-minimal": "shapes depend on data", "jax-jit": "shapes depend on data"}
GROWING["dask"] = "sizes are not known"


def same(lib: Any, got: Any, expected: Any) -> None:
    """Values and shapes; NaN equals NaN."""
    np.testing.assert_array_equal(lib.to_numpy(got), np.asarray(expected), strict=False)
    assert tuple(got.shape) == np.shape(expected)


# -- by number -------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_take(lib: Any, axis: int | None) -> None:
    for way in (take, take.generic):
        same(lib, way(lib.asarray(X), lib.asarray(NEAR), axis), np.take(X, NEAR, axis))
        same(lib, way(lib.asarray(X), lib.asarray(-1), axis), np.take(X, -1, axis))
        for mode in ("clip", "wrap"):
            expected = np.take(X, FAR, axis, mode=mode)
            same(lib, way(lib.asarray(X), lib.asarray(FAR), axis, mode), expected)


def test_take_fills(lib: Any) -> None:
    """NaN, extremes of integers, True; negative numbers count from the end first."""
    index = lib.asarray([1, -1, 3, -4])

    def fill(x: Any) -> Any:
        return lib.to_numpy(take(lib.asarray(*x), index, mode="fill")).tolist()

    np.testing.assert_array_equal(fill([[1.0, 2.0, 3.0]]), [2.0, 3.0, np.nan, np.nan])
    assert fill([[1, 2, 3], "int32"]) == [2, 3, -(2**31), -(2**31)]
    assert fill([[1, 2, 3], "uint8"]) == [2, 3, 255, 255]
    assert fill([[False, False, False]]) == [False, False, True, True]
    got = take(lib.asarray(X), lib.asarray(FAR), 1, "fill", fill_value=5)
    expected = X[:, [0, 0, 0, 2, 3]].copy()
    expected[:, 1:3] = 5
    same(lib, got, expected)
    empty = lib.asarray(np.zeros((2, 0)))
    same(lib, take(empty, lib.asarray([0, 1]), 1, "fill"), np.full((2, 2), np.nan))


def test_take_along(lib: Any) -> None:
    index = np.asarray([[0, -1, 0, 2, 1]])
    a, i = lib.asarray(X), lib.asarray(index)
    same(lib, take_along_axis(a, i), np.take_along_axis(X, np.tile(index, (3, 1)), -1))
    same(
        lib,
        take_along_axis(a, lib.asarray([[2, 0, -3, -1]]), 0),
        np.take_along_axis(X, np.asarray([[2, 0, 0, 2]]), 0),
    )
    same(lib, take_along_axis(a, lib.asarray([[9], [-9], [1]]), 1, "clip"), [[9.0], [16.0], [81.0]])
    flat = np.asarray([5, 0, -1])
    same(lib, take_along_axis(a, lib.asarray(flat), None), np.take_along_axis(X, flat, None))
    same(lib, take_along_axis(a, lib.asarray([[5], [-1], [1]]), 1, "wrap"), [[1.0], [49.0], [81.0]])
    same(
        lib,
        take_along_axis(a, lib.asarray([[5], [-1], [1]]), 1, "fill"),
        [[np.nan], [49.0], [81.0]],
    )


def test_out_of_range(lib: Any) -> None:
    """An error where values can be seen, the nearest element elsewhere."""
    a, index = lib.asarray(X), lib.asarray([0, 4, -5])
    ways = (
        ("take", lambda: take(a, index, 1), X[:, [0, 3, 0]]),
        ("take_along_axis", lambda: take_along_axis(a, index[None, :], 1), X[:, [0, 3, 0]]),
    )
    for name, way, expected in ways:
        if lib.jit or lib.library == "dask":
            same(lib, way(), expected)
        else:
            for _ in range(3):  # the first is not remembered
                with pytest.raises(IndexError, match=f"^{name}: an index is out of range for an"):
                    way()
    with pytest.raises(IndexError, match="nothing to take along an axis of size 0"):
        take(lib.asarray(np.zeros(0)), lib.asarray([0]))


@pytest.mark.needs("torch")
def test_put_out_of_range() -> None:
    import torch

    for xp in (np, torch):
        with pytest.raises(IndexError, match="^put: an index is out of range for"):
            put(xp.zeros(3), xp.asarray([3]), 1.0)


def test_put_along_rows(lib: Any) -> None:
    index, values = [[0, -1], [2, 1], [1, 0]], [[5.0, 6.0]]
    expected = X.copy()
    np.put_along_axis(expected, np.asarray(index), values, 1)
    same(lib, put_along_axis(lib.asarray(X), lib.asarray(index), lib.asarray(values), 1), expected)


def test_put_along(lib: Any) -> None:
    a = lib.asarray(X)
    for index, values, axis in (
        ([[0, -1], [2, 1], [1, 0]], [[5.0, 6.0]], 1),
        ([[2, 0, -3, -1]], 7.0, 0),
        ([[2]], [[7.0, 8.0, 9.0, 1.0]], -2),
        ([5, 0, -1], [3.0, 2.0, 1.0], None),
    ):
        expected = X.copy()
        np.put_along_axis(expected, np.asarray(index), values, axis)
        new = lib.asarray(values) if isinstance(values, list) else values
        for way in (put_along_axis, put_along_axis.generic):  # type: ignore[attr-defined]
            same(lib, way(a, lib.asarray(index), new, axis), expected)
    same(lib, a, X)  # which is left as it is
    expected = X.copy()
    expected[[0, 1, 2], [3, 0, 1]] = 0.0
    same(lib, put_along_axis(a, lib.asarray([[9], [-9], [1]]), 0.0, 1, "clip"), expected)
    same(lib, put_along_axis(a, lib.asarray([[7], [-8], [5]]), 0.0, 1, "wrap"), expected)
    whole = lib.asarray([1, 2])
    got = put_along_axis(whole, lib.asarray([0]), lib.asarray([5.0]), 0)
    assert got.dtype == whole.dtype
    same(lib, got, [5, 2])
    same(lib, put_along_axis(whole, lib.asarray(np.zeros(0, int)), 1, 0), [1, 2])


def test_put_along_refuses() -> None:
    x, i = np.zeros((2, 3)), np.asarray([[0], [3]])
    for way in (put_along_axis, put_along_axis.generic):  # type: ignore[attr-defined]
        with pytest.raises(
            IndexError, match="put_along_axis: an index is out of range for an axis"
        ):
            way(x, i, 1.0, 1)
    with pytest.raises(ShapeError, match="put_along_axis: arr and indices must have equally many"):
        put_along_axis(x, i[0], 1.0, 1)
    with pytest.raises(ShapeError, match=r"values must broadcast to the places, of shape \(2, 1\)"):
        put_along_axis(x, i - 1, np.ones(3), 1)
    with pytest.raises(ArgumentError, match="put_along_axis: mode must be one of 'raise', 'clip'"):
        put_along_axis(x, i, 1.0, 1, "fill")


def test_put(lib: Any) -> None:
    for index, values, mode in (
        ([0, 5, -1], [1.0, 2.0], "raise"),
        ([[1, 2]], 7.0, "raise"),
        ([12, -13, 5], [1.0, 2.0, 3.0, 4.0], "wrap"),
        ([20, 1], [1.0, 2.0], "clip"),
    ):
        expected = X.copy()
        np.put(expected, index, values, mode)
        same(lib, put(lib.asarray(X), lib.asarray(index), values, mode), expected)
    n = lib.asarray([1, 2], "int32")
    assert put(n, lib.asarray([0]), lib.asarray([5])).dtype == n.dtype
    same(lib, put(n, lib.asarray(np.zeros(0, dtype=int)), 1), [1, 2])


def test_numbers_refused() -> None:
    x = np.ones(3)
    with pytest.raises(DtypeError, match="take: argument 'indices' must hold integers"):
        take(x, x)
    with pytest.raises(ArgumentError, match="take: mode must be one of 'raise', 'clip'"):
        take(x, 0, mode="ignore")
    with pytest.raises(ShapeError, match=r"axis must lie in \[-1, 0\]"):
        take(x, 0, axis=1)
    with pytest.raises(ShapeError, match="equally many dimensions"):
        take_along_axis(x, np.zeros((1, 1), dtype=int))
    with pytest.raises(ShapeError, match="broadcast"):
        take_along_axis(np.ones((2, 3)), np.zeros((3, 1), dtype=int))
    with pytest.raises(ArgumentError, match="put: there are 1 indices, but no values"):
        put(x, [0], [])


# -- by condition ----------------------------------------------------------------------------------


@pytest.mark.xp_skip(GROWING)
def test_as_many_as_there_are(lib: Any) -> None:
    a, x = lib.asarray(HOLES), lib.asarray(X[:, :3])
    for got, expected in zip(nonzero(a), np.nonzero(HOLES), strict=True):
        same(lib, got, expected)
    same(lib, flatnonzero(a), np.flatnonzero(HOLES))
    same(lib, compress(a[1, :], x, 1), np.compress(HOLES[1], X[:, :3], 1))
    same(lib, compress(lib.asarray([True, False]), x), [0.0])
    same(lib, repeat(x, lib.asarray([1, 0, 2]), 0), np.repeat(X[:, :3], [1, 0, 2], 0))


@pytest.mark.xp_skip(GROWING)
def test_native_equals_generic(lib: Any) -> None:
    odd = np.asarray([[0.0, -0.0, np.nan], [np.inf, 1.0, 0.0]])
    for x in (odd, odd[0], odd[:0], odd.astype(bool), np.asarray([[3, 0], [0, -1]])):
        a = lib.asarray(x)
        mask = lib.asarray(np.arange(x.shape[0]) % 2 == 1)
        calls: list[Any] = [(compress, mask, a, 0), (compress, mask, a)]
        calls += [(flatnonzero, a), (nonzero, a), (repeat, a, 2), (repeat, a, 3, -1)]
        for func, *args in calls:
            got, expected = func(*args), func.generic(*args)
            assert isinstance(got, tuple) == isinstance(expected, tuple)
            if not isinstance(got, tuple):
                got, expected = (got,), (expected,)
            for u, v in zip(got, expected, strict=True):
                assert type(u) is type(v)
                assert_equal(u, v)


@pytest.mark.parametrize("size", [0, 2, 5])
def test_padded(lib: Any, size: int) -> None:
    """The first ones, then what fills."""
    a, x = lib.asarray(HOLES), lib.asarray(X[:, :3])
    flat = np.flatnonzero(HOLES)[:size]
    same(lib, flatnonzero(a, size), np.pad(flat, (0, size - flat.size)))
    found = nonzero(a, size, -1)
    for got, expected in zip(found, np.divmod(flat, 3), strict=True):
        same(lib, got, np.pad(expected, (0, size - flat.size), constant_values=-1))
    some = X[:, [0, 2]][:, :size]
    expected = np.pad(some, ((0, 0), (0, max(size - 2, 0))), constant_values=7.0)
    same(lib, compress(a[1, :], x, 1, size, 7.0), expected)
    all_of = np.repeat(X[:, :3], [1, 0, 2], 0)
    expected = np.concatenate([all_of, all_of[-1:], all_of[-1:]])[:size]
    same(lib, repeat(x, lib.asarray([1, 0, 2]), 0, size), expected)
    none = lib.asarray(np.zeros(0))
    same(lib, flatnonzero(none, size, 9), np.full(size, 9))


def test_repeat(lib: Any) -> None:
    a = lib.asarray(X)
    same(lib, repeat(a, 2), np.repeat(X, 2))
    same(lib, repeat(a, 0, 1), np.repeat(X, 0, 1))
    same(lib, repeat(a, 2, -1, 8), np.repeat(X, 2, -1))
    same(lib, repeat(a, [3], 0, 9), np.repeat(X, 3, 0))


def test_select(lib: Any) -> None:
    x = lib.asarray(X)
    conditions, choices = [X < 10, X > 50], [X, X**2]
    own = [x < 10, x > 50]
    same(lib, select(own, [x, x**2], 3.0), np.select(conditions, choices, 3.0))
    same(lib, select(own, [x[:1, :], 5], x), np.select(conditions, [X[:1], 5], X))
    single = lib.asarray(X, "float32")
    assert select([own[0]], [single], 2.5).dtype == lib.xp.float32
    whole = lib.asarray([1, 2], "int32")
    assert_equal(select([whole > 1], [whole]), np.asarray([0, 2], dtype="int32"))
    same(lib, select([lib.asarray([True, False])], [1.0], 0.0), [1.0, 0.0])


def test_conditions_refused() -> None:
    x = np.ones(3)
    with pytest.raises(ShapeError, match="nonzero: x must have at least one dimension"):
        nonzero(np.asarray(1.0))
    with pytest.raises(ArgumentError, match="flatnonzero: size must not be negative"):
        flatnonzero(x, -1)
    with pytest.raises(ShapeError, match="compress: condition must have one dimension and at most"):
        compress(np.ones(4), x)
    with pytest.raises(ArgumentError, match="repeat: repeats must not be negative"):
        repeat(x, np.asarray([1, -1, 1]))
    with pytest.raises(ArgumentError, match="repeat: repeats must not be negative, got -1"):
        repeat(x, -1)
    with pytest.raises(ShapeError, match="one for each of the 3 elements"):
        repeat(x, np.asarray([1, 2]))
    with pytest.raises(DtypeError, match="'repeats' must hold integers"):
        repeat(x, x)
    with pytest.raises(ArgumentError, match="an empty axis can't give"):
        repeat(np.ones(0), 1, total_repeat_length=2)
    with pytest.raises(ArgumentError, match="as many choices as conditions"):
        select([x > 0], [])
    with pytest.raises(DtypeError, match="conditions must be booleans"):
        select([x], [x])
    with pytest.raises(ShapeError, match="broadcast"):
        select([x > 0], [np.ones(2)])
    with pytest.raises(ArgumentError, match="unique: size must not be negative"):
        unique(x, size=-1)
    with pytest.raises(ArgumentError, match="give a fill_value"):
        unique(np.ones(0), size=1)


# -- sets ------------------------------------------------------------------------------------------

SETS = {
    "nan": np.asarray([[3.0, np.nan, np.inf, 0.0], [np.nan, 3.0, -0.0, -np.inf]]),
    "integers": HOLES,
    "booleans": HOLES > 0,
    "scalar": np.asarray(2.0),
}


@pytest.mark.xp_skip(GROWING)
@pytest.mark.parametrize("case", [*SETS, "empty"])
def test_unique(lib: Any, case: str) -> None:
    x = SETS.get(case, np.zeros((2, 0)))
    for way in (unique, unique.generic):
        found = way(lib.asarray(x), True, True, True)
        for got, expected in zip(found, np.unique(x, True, True, True), strict=True):
            same(lib, got, expected)
        same(lib, way(lib.asarray(x)), np.unique(x))
        assert way(lib.asarray(x)).dtype == lib.asarray(x).dtype


@pytest.mark.parametrize("case", SETS)
@pytest.mark.parametrize("size", [1, 6])
def test_unique_padded(lib: Any, case: str, size: int) -> None:
    x = SETS[case]
    values, index, counts = (np.unique(x, True, True, True)[k][:size] for k in (0, 1, 3))
    pad = (0, size - values.size)
    got = unique(lib.asarray(x), True, True, True, size=size)
    same(lib, got[0], np.concatenate([values, np.repeat(values[:1], pad[1])]))
    same(lib, got[1], np.concatenate([index, np.repeat(index[:1], pad[1])]))
    same(lib, got[2], np.unique(x, return_inverse=True)[1])
    same(lib, got[3], np.pad(counts, pad))
    filled = unique(lib.asarray(x), size=size, fill_value=1)
    same(lib, filled, np.concatenate([values, np.full(pad[1], 1)]))


def test_unique_of_complex_numbers(lib: Any) -> None:
    x = np.asarray([1 + 2j, 1 - 1j, 0.5j, 1 + 2j])
    same(lib, unique(lib.asarray(x), size=3), np.unique(x))


# -- everywhere ------------------------------------------------------------------------------------

FUNCTIONS = {
    "take": (lambda x, i: take(x, i, 1), X, NEAR),
    "take-fill": (lambda x, i: take(x, i, 1, "fill", 0), X, FAR),
    "take_along_axis": (
        lambda x, i: take_along_axis(x, i),
        X,
        np.asarray([[0, -1], [1, 1], [2, 0]]),
    ),
    "put": (lambda x, i: put(x, i, 5.0), X, np.asarray([3, -1])),
    "put_along_axis": (
        lambda x, v: put_along_axis(x, [[0, -1], [1, 2], [2, 0]], v, 1),
        X,
        np.arange(6.0).reshape(3, 2),
    ),
    "nonzero": (lambda x: nonzero(x, 5), HOLES),
    "compress": (lambda c, x: compress(c, x, 1, 2), HOLES[1], X[:, :3]),
    "select": (lambda x: select([x < 10, x > 50], [x, x**2], 3.0), X),
    "repeat": (lambda x, r: repeat(x, r, 0, 4), X, np.asarray([1, 0, 2])),
    "unique": (lambda x: unique(x, True, True, True, size=5), np.asarray([3.0, 1.0, 4.0, 2.0])),
}
EXPECTED = {
    "take": np.take(X, NEAR, 1),
    "take-fill": np.where(np.isin(FAR, [-7, 9]), 0, np.take(X, FAR, 1, mode="wrap")),
    "take_along_axis": np.take_along_axis(X, np.asarray([[0, -1], [1, 1], [2, 0]]), -1),
    "put_along_axis": np.asarray(
        [[0.0, *X[0, 1:3], 1.0], [X[1, 0], 2.0, 3.0, X[1, 3]], [5.0, X[2, 1], 4.0, X[2, 3]]]
    ),
    "put": np.concatenate([X.ravel()[:3], [5.0], X.ravel()[4:-1], [5.0]]).reshape(3, 4),
    "nonzero": [np.asarray([0, 1, 1, 0, 0]), np.asarray([1, 0, 2, 0, 0])],
    "compress": X[:, [0, 2]],
    "select": np.select([X < 10, X > 50], [X, X**2], 3.0),
    "repeat": X[[0, 2, 2, 2]],
    "unique": [
        np.asarray([1.0, 2.0, 3.0, 4.0, 1.0]),
        np.asarray([1, 3, 0, 2, 1]),
        np.asarray([2, 0, 3, 1]),
        np.asarray([1, 1, 1, 1, 0]),
    ],
}


@pytest.mark.full
@pytest.mark.parametrize("name", FUNCTIONS)
def test_capabilities(name: str) -> None:
    func, *args = FUNCTIONS[name]
    check_function(
        func,
        *args,
        reference=EXPECTED[name],
        scalars=2,
        name=f"likewise.missing.{name.partition('-')[0]}",
    )


def test_unique_of_nothing(xp: Any, lib: Any) -> None:
    if lib.jit or lib.name in ("strict-minimal", "dask"):  # whose shapes don't depend on data
        return
    none = lib.asarray([], "float64" if lib.has_float64 else "float32")
    assert tuple(unique(none).shape) == (0,)
    for part in unique(none, return_index=True, return_inverse=True, return_counts=True):
        assert tuple(part.shape) == (0,)
    some = lib.asarray([1.0, 2.0], "float32")
    assert tuple(unique(some, size=0).shape) == (0,)
    values, counts = unique(some, return_counts=True, size=0)
    assert tuple(values.shape) == tuple(counts.shape) == (0,)


# -- beyond the range of indices -------------------------------------------------------------------


def test_large_unsigned_numbers(lib: Any) -> None:
    """They neither count from the end nor make NumPy subtract for ever."""
    bits = 64 if lib.has_float64 else 32
    values = [2**bits - 1, 2 ** (bits - 1), 1]
    index = lib.asarray(np.asarray(values, dtype=f"uint{bits}"), f"uint{bits}")
    x = lib.asarray([5.0, 6.0, 7.0])
    wrapped = [5.0 + n % 3 for n in values]
    for way in (take, take.generic, take_along_axis, take_along_axis.generic):
        same(lib, way(x, index, mode="clip"), [7.0, 7.0, 6.0])
        same(lib, way(x, index, mode="wrap"), wrapped)
        same(lib, way(x, index, mode="fill"), [np.nan, np.nan, 6.0])
    same(lib, put(x, index, 0.0, "clip"), [5.0, 0.0, 0.0])
    same(lib, put(x, index[:1], 0.0, "wrap"), [0.0, 6.0, 7.0])
    same(lib, take(x, lib.asarray([-(2**31), 2**31 - 1]), mode="wrap"), [6.0, 6.0])


def test_large_numbers_of_python() -> None:
    x = np.arange(3.0)
    same_values = np.testing.assert_array_equal
    same_values(take(x, [2**64 - 1, 2**63 + 1], mode="wrap"), [0.0, 0.0])
    same_values(take(x, -(2**63), mode="wrap"), 1.0)
    same_values(take(x, [-(2**80), 2**80], mode="clip"), [0.0, 2.0])
    for function in (
        take,
        take_along_axis,
        lambda x, i: put(x, i, 1.0),
        lambda x, i: at(x)[i].set(1.0),
    ):
        with pytest.raises(IndexError):
            function(x, [2**64 - 1])
        with pytest.raises(IndexError):
            function(x, np.asarray([2**64 - 1], dtype=np.uint64))
    with pytest.raises(ArgumentError, match="repeat: repeats must not be as large as 9"):
        repeat(x, np.asarray([2**64 - 1, 0, 0], dtype=np.uint64))
    with pytest.raises(ArgumentError, match="repeat: repeats must not be negative, got -1"):
        repeat(x, np.asarray([0, -1, 0]))


def test_unique_of_nothing_padded(lib: Any) -> None:
    none = lib.asarray([], "float32")
    assert lib.to_numpy(unique(none, size=2, fill_value=3.0)).tolist() == [3.0, 3.0]
    assert tuple(unique(none, size=0).shape) == (0,)
