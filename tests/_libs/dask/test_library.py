"""What Dask does for a solver: a map over blocks, each with all of what they share."""

from typing import Any

import numpy as np
import pytest

from likewise._namespace import hooks_of
from likewise.transforms._blocks import Made

pytestmark = pytest.mark.needs("dask")


@pytest.mark.parametrize("chunks", [(4, 1), (2, 3), ((1, 3), 2)])
@pytest.mark.parametrize("lazily_shared", [False, True])
def test_a_map_over_blocks(chunks: Any, lazily_shared: bool) -> None:
    """Of a function that needs every column, and everything shared; a block is one call."""
    import dask
    import dask.array as da

    seen = []

    def fun(shared: Any, a: Any, b: Any) -> Any:
        seen.append((shared.shape, a.shape, b.shape))
        return a.sum(1), np.float32(1) * b * shared.sum(), np.ones((1, 2), np.int32)

    rng = np.random.default_rng(0)
    a, b, shared = rng.normal(size=(4, 3)), rng.normal(size=(4, 1)), rng.normal(size=(2, 5))
    x = da.from_array(a, chunks=chunks)
    of_all = da.from_array(shared, chunks=2) if lazily_shared else shared
    made = [
        Made(("row",), (), np.dtype("f8")),
        Made(("row", None), (1,), np.dtype("f8")),
        Made(("row", None), (2,), np.dtype("i4"), frozenset(["row"])),
    ]
    labels = [(None, None), ("row", None), ("row", None)]
    out = hooks_of(x).map_blocks(fun, [of_all, x, b], labels, made)
    assert not seen
    rows = x.chunks[0]
    assert [y.chunks for y in out] == [(rows,), (rows, (1,)), ((1,) * len(rows), (2,))]
    found = dask.compute(*out, scheduler="synchronous")
    assert [y.dtype for y in found] == [y.dtype for y in out] == [y._meta.dtype for y in out]
    np.testing.assert_allclose(found[0], a.sum(1))
    np.testing.assert_allclose(found[1], b * shared.sum())
    assert sorted(seen) == sorted(((2, 5), (n, 3), (n, 1)) for n in rows)


def test_complex_elements_are_set_without_a_warning() -> None:
    import dask.array as da

    x, values = np.arange(4) + 1j, np.asarray([2 + 3j, 1j])
    at = da.from_array(np.asarray([1, 2]))
    out = hooks_of(da.ones(1)).at_set(da.from_array(x), at, da.from_array(values))
    np.testing.assert_array_equal(out.compute(), [x[0], *values, x[3]])


@pytest.mark.parametrize(
    "index",
    [
        (..., 1, None, slice(None)),
        (None, -1, None, slice(None, None, -1)),
        (0, slice(None, None, -1)),
        (..., None),
        (slice(0, 1), ..., 0, None, None),
        None,
    ],
    ids=str,
)
@pytest.mark.parametrize("few", [False, True])
def test_basic_indices_are_set_as_numpy_sets_them(index: Any, few: bool) -> None:
    """Dask's own assignment knows no new axes, and takes a wrong axis after an integer."""
    import dask.array as da

    x = np.arange(18.0).reshape(2, 3, 3)
    value = np.asarray(100.0 + np.arange(x[index].size).reshape(x[index].shape))
    value = value[(0,) * (value.ndim - 1)] if few else value
    expected = x.copy()
    expected[index] = value
    for given in value, da.from_array(value):
        lazy = da.from_array(x, chunks=2)
        np.testing.assert_array_equal(hooks_of(lazy).at_set(lazy, index, given), expected)


def test_an_index_out_of_bounds_is_an_error() -> None:
    import dask.array as da

    x = da.zeros((2, 3))
    with pytest.raises(IndexError):
        hooks_of(x).at_set(x, (2, slice(None)), 1.0)
