"""Largest elements, partitions, ranks and sorting by keys against NumPy and SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

import likewise
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from likewise.missing import argpartition, lexsort, partition, rankdata, topk
from likewise.testing import assert_close, check_function

NAN, INF = np.nan, np.inf
X = np.asarray([[3.0, -1.0, 2.5, 7.0, 0.5], [4.0, 1.5, -2.0, 8.0, 6.5], [0.0, 9.0, 5.0, 1.0, 2.0]])
TIES = np.asarray([[2.0, 1.0, 2.0, -INF, 1.0, 0.0, -0.0], [3.0, NAN, 3.0, INF, NAN, 1.0, 3.0]])
METHODS = ("average", "min", "max", "dense", "ordinal")


def largest_first(x: Any, axis: int = -1) -> Any:
    """Indices in descending order, NaNs first, equal elements in their order."""
    back = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return x.shape[axis] - 1 - back


# -- largest elements ------------------------------------------------------------------------------


@pytest.mark.full
def test_topk_everywhere() -> None:
    def reference(a: Any, k: int, axis: int) -> Any:
        order = np.take(largest_first(a, axis), np.arange(k), axis=axis)
        return np.take_along_axis(a, order, axis=axis), order

    check_function(topk, X, 2, kwargs={"axis": 0}, reference=reference)


def test_two_largest_in_rows(xp: Any) -> None:
    order = largest_first(TIES)[:, :2]
    values, indices = topk(xp.asarray(TIES), 2)
    assert_close(values, np.take_along_axis(TIES, order, axis=-1))
    assert_close(indices, order, check_dtype=False)


@pytest.mark.parametrize("axis", [0, -1])
def test_topk(xp: Any, axis: int) -> None:
    for x in (TIES, X, (10 * X).astype(int)):
        for k in (0, 1, x.shape[axis]):
            for largest in (True, False):
                order = largest_first(x, axis) if largest else x.argsort(axis, kind="stable")
                order = np.take(order, np.arange(k), axis=axis)
                values, indices = topk(xp.asarray(x), k, axis, largest=largest)
                assert_close(values, np.take_along_axis(x, order, axis=axis))
                assert_close(indices, order, check_dtype=False)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(
    "library",
    ["numpy", *(pytest.param(n, marks=pytest.mark.needs(n)) for n in ("torch", "jax"))],
)
@pytest.mark.share(3)
@pytest.mark.long("jax")
def test_native_topk_equals_generic(library: str, dtype: str, largest: bool) -> None:
    generic: Any = topk.generic  # type: ignore[attr-defined]
    rng = np.random.default_rng(11)
    for x in (rng.integers(0, 9, size=200), rng.normal(size=64), np.zeros(40)):
        cases = [x.astype(dtype)]
        if dtype != "int64":
            cases += [np.where(x == 3, NAN, x), np.where(x < 8, NAN, x), np.where(x < 9, INF, x)]
            cases += [np.where(x == 8, -0.0, 0.0), np.copysign(np.where(x > 5, NAN, x), x - 7)]
        for case in cases:
            case = case.astype(dtype)
            for k in (1, 3, case.size // 8):
                a = likewise.asarray(case, namespace=library)
                got, expected = topk(a, k, largest=largest), generic(a, k, largest=largest)
                for a, b in zip(got, expected, strict=True):
                    assert a.dtype == b.dtype
                    np.testing.assert_array_equal(likewise.to_numpy(a), likewise.to_numpy(b))


def test_topk_errors(xp: Any) -> None:
    x = xp.asarray(X)
    for k in (-1, 6, 1.5):
        with pytest.raises(ArgumentError, match=r"k must be an integer in \[0, 5\]"):
            topk(x, k)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="axis must lie in"):
        topk(x, 1, 2)
    with pytest.raises(ArgumentError, match="axis must be an integer"):
        topk(x, 1, None)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match="real numbers"):
        topk(xp.asarray(X + 1j), 1)


# -- partitions ------------------------------------------------------------------------------------


def is_partition(out: Any, x: Any, kth: list[int], axis: int) -> None:
    """What NumPy promises: the order of the rest is its own affair."""
    out, whole = np.moveaxis(out, axis, -1), np.moveaxis(np.sort(x, axis), axis, -1)
    np.testing.assert_array_equal(np.sort(out, -1), whole)
    for k in kth:
        np.testing.assert_array_equal(out[..., k], whole[..., k])
        np.testing.assert_array_equal(np.sort(out[..., :k], -1), whole[..., :k])


def test_partition_everywhere() -> None:
    # Of three elements in their order.
    x = np.sort(X, axis=0)
    check_function(partition, x, 1, kwargs={"axis": 0}, reference=np.partition)
    check_function(argpartition, x, 1, kwargs={"axis": 0}, reference=np.argpartition, compile=False)


def test_partition_in_rows(xp: Any, lib: Any) -> None:
    a = xp.asarray(TIES)
    is_partition(lib.to_numpy(partition(a, 2)), TIES, [2], -1)
    found = np.take_along_axis(TIES, lib.to_numpy(argpartition(a, 2)), axis=-1)
    is_partition(found, TIES, [2], -1)


def test_partition(xp: Any, lib: Any) -> None:
    for x in (TIES, X, (10 * X).astype(int), np.ones((0, 3))):
        for axis in (0, -1):
            n = x.shape[axis]
            for kth in ([0], [n - 1], [-1, 0]) if n else ():
                a = xp.asarray(x)
                is_partition(lib.to_numpy(partition(a, kth, axis)), x, [k % n for k in kth], axis)
                indices = lib.to_numpy(argpartition(a, kth, axis))
                assert indices.dtype.kind == "i"
                found = np.take_along_axis(x, indices, axis=axis)
                is_partition(found, x, [k % n for k in kth], axis)
    flat = lib.to_numpy(partition(xp.asarray(X), 7, axis=None))
    is_partition(flat, X.reshape(-1), [7], -1)


def test_partition_errors(xp: Any) -> None:
    for func in (partition, argpartition):
        for kth in (5, -6, [0, 9], 1.0):
            with pytest.raises(ArgumentError, match="kth must hold integers in"):
                func(xp.asarray(X), kth)  # type: ignore[arg-type]
        with pytest.raises(ShapeError):
            func(xp.asarray(np.asarray(1.0)), 0)
        with pytest.raises(DtypeError):
            func(xp.asarray(X + 1j), 0)


# -- several keys ----------------------------------------------------------------------------------


@pytest.mark.full
def test_lexsort_everywhere() -> None:
    a, b = np.asarray([[1, 0, 1, 0], [2, 2, 1, 1]]), np.asarray([[0.5, 2, 0.5, 1], [0, 1, 1, 0.0]])
    check_function(
        lambda x, y: lexsort((x, y)),
        a,
        b,
        reference=lambda x, y: np.lexsort((x, y)),
        name="likewise.missing.lexsort",
        grad=False,
    )


def test_lexsort_by_two_keys(xp: Any) -> None:
    keys = np.asarray([[3, 1, 2, 1, 0, 3], [1, 0, 1, 0, 1, 0]])
    assert_close(lexsort(xp.asarray(keys)), np.lexsort(keys), check_dtype=False)


def test_lexsort(xp: Any) -> None:
    rng = np.random.default_rng(2)
    keys = rng.integers(0, 3, size=(3, 4, 6))
    holes = np.where(keys == 2, NAN, keys)
    for k in (keys, holes, keys[:1], keys[..., :0]):
        for axis in (0, -1):
            assert_close(lexsort(xp.asarray(k), axis), np.lexsort(k, axis), check_dtype=False)
            parts = [xp.asarray(part) for part in k]
            assert_close(lexsort(parts, axis), np.lexsort(k, axis), check_dtype=False)
    mixed = (keys[0], keys[1].astype(np.int8), holes[2], keys[1] > 1)
    assert_close(lexsort([xp.asarray(k) for k in mixed]), np.lexsort(mixed), check_dtype=False)
    assert_close(lexsort(xp.asarray(np.asarray([1.0, 2.0]))), np.asarray(0), check_dtype=False)


def test_native_lexsort_equals_generic() -> None:
    keys = np.random.default_rng(4).integers(0, 3, size=(3, 50)).astype(float)
    keys[0, :9] = NAN
    generic: Any = lexsort.generic  # type: ignore[attr-defined]
    np.testing.assert_array_equal(lexsort(keys), generic(keys))


def test_lexsort_errors(xp: Any) -> None:
    with pytest.raises(ArgumentError, match="at least one key"):
        lexsort([])
    with pytest.raises(ShapeError, match="one shape"):
        lexsort([xp.asarray(X), xp.asarray(X[0])])
    with pytest.raises(ShapeError, match="axis must lie in"):
        lexsort(xp.asarray(X), 1)
    with pytest.raises(ShapeError, match="a dimension"):
        lexsort(xp.asarray(np.asarray(1.0)))
    with pytest.raises(DtypeError):
        lexsort(xp.asarray(X + 1j))


# -- ranks -----------------------------------------------------------------------------------------


def test_rankdata_everywhere() -> None:
    x = np.asarray([[2.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, -1.0]])
    check_function(rankdata, x, kwargs={"axis": -1}, reference=scipy.stats.rankdata, grad=False)


def test_ranks_in_rows(xp: Any) -> None:
    expected = scipy.stats.rankdata(TIES, axis=1, nan_policy="omit")
    assert_close(rankdata(xp.asarray(TIES), axis=1, nan_policy="omit"), expected)


@pytest.mark.parametrize("method", METHODS)
def test_rankdata(xp: Any, method: str) -> None:
    for axis in (None, 0, 1):
        for policy in ("propagate", "omit"):
            expected = scipy.stats.rankdata(TIES, method, axis=axis, nan_policy=policy)
            got = rankdata(xp.asarray(TIES), method, axis=axis, nan_policy=policy)
            assert_close(got, expected.astype(float))
    k = np.asarray([[2, 1, 2, 5], [0, 0, 0, -1]])
    expected = scipy.stats.rankdata(k, method, axis=1)
    assert_close(rankdata(xp.asarray(k), method, axis=1), expected, check_dtype=False)
    b = np.asarray([True, False, True])
    expected = scipy.stats.rankdata(b, method)
    assert_close(rankdata(xp.asarray(b), method), expected, check_dtype=False)
    assert rankdata(xp.asarray(np.ones((2, 0))), method, axis=1).shape == (2, 0)
    assert_close(rankdata(xp.asarray(np.asarray(3.0)), method), np.ones(1))


def test_native_ranks_equal_generic() -> None:
    generic: Any = rankdata.generic  # type: ignore[attr-defined]
    for x in (TIES.reshape(-1), X.reshape(-1), TIES[0], TIES[0, :1]):
        for policy in ("propagate", "omit"):
            got = rankdata(x, nan_policy=policy)
            np.testing.assert_array_equal(got, generic(x, nan_policy=policy))


def test_dtype_of_ranks(xp: Any, lib: Any) -> None:
    defaults = lib.xp.__array_namespace_info__().default_dtypes(device=lib.device)
    k = xp.asarray(np.asarray([2, 1, 2]))
    assert rankdata(k).dtype == defaults["real floating"]
    assert rankdata(k, "min").dtype == defaults["integral"]
    assert lib.to_numpy(rankdata(lib.asarray([2.0, 1.0], "float32"), "min")).dtype == np.float32


def test_rankdata_errors(xp: Any, lib: Any) -> None:
    x = xp.asarray(TIES)
    with pytest.raises(ArgumentError, match="method must be one of"):
        rankdata(x, "median")
    with pytest.raises(ArgumentError, match="nan_policy must be one of"):
        rankdata(x, nan_policy="skip")
    with pytest.raises(ShapeError, match="axis must lie in"):
        rankdata(x, axis=2)
    with pytest.raises(DtypeError):
        rankdata(xp.asarray(X + 1j))
    with pytest.raises(ArrayTypeError):
        rankdata(None)
    if is_concrete(x) and not lib.jit:
        with pytest.raises(ArgumentError, match="there are NaNs"):
            rankdata(x, nan_policy="raise")
    else:
        got = rankdata(x, axis=1, nan_policy="raise")
        assert_close(got, rankdata(x, axis=1))


def test_booleans(lib: Any) -> None:
    """The standard sorts numbers alone."""
    x = lib.asarray([True, False, True, False])
    for largest, values, places in ((True, [True] * 2, [0, 2]), (False, [False] * 2, [1, 3])):
        found, index = topk(x, 2, largest=largest)
        assert found.dtype == lib.xp.bool
        assert lib.to_numpy(found).tolist() == values
        assert lib.to_numpy(index).tolist() == places
    assert lib.to_numpy(partition(x, 1)).tolist() == [False, False, True, True]
    assert partition(x, 1).dtype == lib.xp.bool
    assert set(lib.to_numpy(argpartition(x, 1)).tolist()[:2]) == {1, 3}


def test_a_part_of_a_row_is_an_eighth() -> None:
    x = np.arange(16.0)
    told = [likewise.explain(topk, x, k).routine for k in (1, 2, 3)]
    assert told == ["likewise._libs.numpy._natives:topk"] * 2 + ["generic"]


def test_topk_of_integers_both_ways(lib: Any) -> None:
    x = np.random.default_rng(3).permutation(np.arange(-20, 20))  # of so many a part
    for largest, expected in ((True, [19, 18, 17]), (False, [-20, -19, -18])):
        values, places = topk(lib.asarray(x, "int32"), 3, largest=largest)
        np.testing.assert_array_equal(lib.to_numpy(values), expected)
        np.testing.assert_array_equal(x[lib.to_numpy(places)], expected)
