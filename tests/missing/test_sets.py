"""Sets against NumPy; what is padded, by the rules of `unique`."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError
from likewise.missing import intersect1d, isin, setdiff1d, setxor1d, union1d
from likewise.testing import check_function

NAN = np.nan
GROWING = {"strict-minimal": "shapes depend on data", "jax-jit": "shapes depend on data"}
GROWING["dask"] = "sizes are not known"
FUNCTIONS: dict[str, tuple[Any, Any]] = {
    "union1d": (union1d, np.union1d),
    "intersect1d": (intersect1d, np.intersect1d),
    "setdiff1d": (setdiff1d, np.setdiff1d),
    "setxor1d": (setxor1d, np.setxor1d),
}
PAIRS: dict[str, tuple[Any, Any]] = {
    "nan": ([3.0, NAN, 1.0, 3.0, -0.0, np.inf], [[NAN, 2.0], [3.0, 0.0]]),
    "nan in one": ([3.0, NAN, 1.0, NAN], [1.0, 5.0]),
    "integers": ([[5, 2, 2], [9, 7, 5]], [2, 3, 9]),
    "booleans": ([True, False, True], [True]),
    "complex": ([1 + 2j, 3, 1 - 1j, 1 + 2j], [3, 1 - 1j, 0.5j]),
    "equal": ([2.0, 1.0], [1.0, 2.0, 2.0]),
    "first empty": (np.zeros(0), [1.0, 1.0]),
    "second empty": ([1.0, 1.0, 0.0], np.zeros((2, 0))),
}


def same(lib: Any, got: Any, expected: Any) -> None:
    np.testing.assert_array_equal(lib.to_numpy(got), np.asarray(expected), strict=False)
    assert tuple(got.shape) == np.shape(expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_everywhere(name: str) -> None:
    func, reference = FUNCTIONS[name]
    x, y = np.asarray([3.0, 1.0, 4.0, 2.0]), np.asarray([2.5, 4.0, 3.0])
    values = reference(x, y)
    check_function(
        lambda x, y: func(x, y, size=6, fill_value=9.0),
        x,
        y,
        reference=np.concatenate([values, np.full(6 - values.size, 9.0)]),
        grad=False,  # a step makes equal elements differ
        name=f"likewise.missing.{name}",
    )


@pytest.mark.xp_skip(GROWING)
@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_many_as_there_are(lib: Any, name: str, case: str) -> None:
    func, reference = FUNCTIONS[name]
    x, y = (np.asarray(a) for a in PAIRS[case])
    for way in (func, func.generic):
        got = way(lib.asarray(x), lib.asarray(y))
        same(lib, got, reference(x, y))
        assert got.dtype == lib.asarray(x).dtype


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_padded(lib: Any, name: str, case: str) -> None:
    func, reference = FUNCTIONS[name]
    x, y = (np.asarray(a) for a in PAIRS[case])
    a, b = lib.asarray(x), lib.asarray(y)
    values = reference(x, y)
    first = values[0] if values.size else np.zeros((), dtype=values.dtype)
    for size in (0, 1, 10):
        for fill, filled in ((None, first), (True, np.ones((), dtype=values.dtype))):
            some = values[:size]
            expected = np.concatenate([some, np.full(size - some.size, filled)])
            same(lib, func(a, b, size=size, fill_value=fill), expected)


@pytest.mark.xp_skip(GROWING)
@pytest.mark.parametrize("case", PAIRS)
def test_what_is_promised(lib: Any, case: str) -> None:
    """With elements that are distinct; a difference keeps the order that they have."""
    x, y = (np.unique(a)[::-1] for a in PAIRS[case])
    a, b = lib.asarray(x), lib.asarray(y)
    for name in ("intersect1d", "setdiff1d", "setxor1d"):
        func, reference = FUNCTIONS[name]
        for way in (func, func.generic):
            same(lib, way(a, b, assume_unique=True), reference(x, y, assume_unique=True))


@pytest.mark.xp_skip(GROWING)
@pytest.mark.parametrize("case", PAIRS)
def test_where_they_were(lib: Any, case: str) -> None:
    x, y = (np.asarray(a) for a in PAIRS[case])
    for way in (intersect1d, intersect1d.generic):  # type: ignore[attr-defined]
        found = way(lib.asarray(x), lib.asarray(y), return_indices=True)
        for got, expected in zip(found, np.intersect1d(x, y, return_indices=True), strict=True):
            same(lib, got, expected)


@pytest.mark.parametrize("case", PAIRS)
def test_where_they_were_padded(lib: Any, case: str) -> None:
    x, y = (np.asarray(a) for a in PAIRS[case])
    expected = np.intersect1d(x, y, return_indices=True)
    for size in (0, 1, 4):
        found = intersect1d(
            lib.asarray(x), lib.asarray(y), return_indices=True, size=size, fill_value=True
        )
        for got, values, fill in zip(found, expected, (1, -1, -1), strict=True):
            some = values[:size]
            same(lib, got, np.concatenate([some, np.full(size - some.size, fill, some.dtype)]))


def test_difference_in_order_padded(lib: Any) -> None:
    x, y = lib.asarray([5, 9, 2, 7]), lib.asarray([9, 1])
    same(lib, setdiff1d(x, y, True, size=5), [5, 2, 7, 5, 5])


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.long("jax")
def test_isin(lib: Any, case: str) -> None:
    x, y = (np.asarray(a) for a in PAIRS[case])
    for a, b in ((x, y), (y, x)):
        for invert in (False, True):
            for way in (isin, isin.generic):  # type: ignore[attr-defined]
                got = way(lib.asarray(a), lib.asarray(b), invert=invert)
                assert got.dtype == lib.xp.bool
                same(lib, got, np.isin(a, b, invert=invert))


def test_isin_takes_numbers_and_kinds(lib: Any) -> None:
    whole, half = lib.asarray([2, 7, 2**24 + 1]), lib.asarray(np.asarray([2.0, 2**24], "float32"))
    told = 3 if lib.has_float64 else 2  # single precision need not tell the last from its neighbour
    same(lib, isin(whole, half)[:told], [True, False, False][:told])
    same(lib, isin(half, 2), [True, False])
    same(lib, isin(7, whole), True)
    for kind in ("sort", "table"):
        same(lib, isin(whole, [7, 8], kind=kind), [False, True, False])
    far = -(2**62) if lib.has_float64 else -(2**30)  # beyond a table, within the integers
    same(lib, isin(whole, [2, far], kind="table"), [True, False, False])


def test_isin_everywhere() -> None:
    x, y = np.asarray([3.0, 1.0, 4.0, 2.0]), np.asarray([2.5, 4.0, 3.0])
    check_function(
        lambda x, y: isin(x, y),
        x,
        y,
        reference=np.asarray([True, False, True, False]),
        grad=False,
        scalars=1,  # does NaN stand last
        name="likewise.missing.isin",
    )


def test_both_empty(lib: Any) -> None:
    none = lib.asarray(np.zeros(0))
    for func, _ in FUNCTIONS.values():
        same(lib, func(none, none, size=2, fill_value=3), [3.0, 3.0])
    same(lib, setdiff1d(none, none, size=1), [0.0])
    same(lib, isin(none, none), np.zeros(0, dtype=bool))
    for found in intersect1d(none, none, return_indices=True, size=1, fill_value=-1):
        same(lib, found, [-1])


def test_kinds_together(lib: Any) -> None:
    x, whole = lib.asarray(np.asarray([3, 1, 2], dtype="float32")), lib.asarray([2, 7])
    got = union1d(x, whole, size=4)
    assert got.dtype == lib.xp.float32
    same(lib, got, [1, 2, 3, 7])
    same(lib, setdiff1d(whole, [7, 8], size=1), [2])
    same(lib, intersect1d(whole, 7, size=1), [7])


def test_refuses() -> None:
    x = np.ones(2)
    for func, _ in FUNCTIONS.values():
        with pytest.raises(ArgumentError, match="size must not be negative"):
            func(x, x, size=-1)
    with pytest.raises(ArgumentError, match="isin: kind 'table' is for integers and booleans, got"):
        isin(x, x, kind="table")
    with pytest.raises(
        ArgumentError, match="isin: kind must be one of 'sort', 'table', got 'tree'"
    ):
        isin(x, x, kind="tree")
    with pytest.raises(ArgumentError, match="give a fill_value"):
        union1d(x[:0], x[:0], size=1)
