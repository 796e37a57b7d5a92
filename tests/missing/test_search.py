"""Search in sorted rows against NumPy, row by row, on every library."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.missing import searchsorted
from likewise.testing import assert_close, check_function

INF, NAN = np.inf, np.nan
ROW = np.asarray([-INF, -1.0, 0.0, 0.0, 2.0, 2.0, INF, NAN, NAN])
SOUGHT = np.asarray([[0.0, -0.0, NAN, INF], [-INF, 2.0, 1.0, 9.0]])


def close(got: Any, expected: Any) -> None:
    """Of the default integer dtype, which is not narrow where floats are."""
    assert_close(got, expected, check_dtype=False)


def by_rows(a: Any, v: Any, side: str = "left") -> Any:
    batch = np.broadcast_shapes(a.shape[:-1], v.shape[:-1])
    a, v = (np.broadcast_to(z, (*batch, z.shape[-1])) for z in (a, v))
    out = np.empty(v.shape, dtype=int)
    for i in np.ndindex(batch):
        out[i] = np.searchsorted(a[i], v[i], side=side)
    return out


def test_one_row_everywhere() -> None:
    a, v = np.asarray([0.0, 1.5, 1.5, 4.0]), np.asarray([[1.5, 9.0], [-1.0, 2.0]])
    check_function(searchsorted, a, v, reference=np.searchsorted, scalars=1)


def test_rows_everywhere() -> None:
    a = np.sort(np.random.default_rng(1).normal(size=(2, 3, 7)), axis=-1)
    v = np.random.default_rng(2).normal(size=(2, 3, 4))
    check_function(searchsorted, a, v, kwargs={"side": "right"}, reference=by_rows)


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_row(xp: Any, side: str) -> None:
    for a in (ROW, ROW[:6], ROW[:1], ROW[:0]):
        expected = np.searchsorted(a, SOUGHT, side=side)
        close(searchsorted(xp.asarray(a), xp.asarray(SOUGHT), side), expected)
        for v in (2.0, 2):
            expected = np.asarray(np.searchsorted(a, v, side=side))
            close(searchsorted(xp.asarray(a), v, side), expected)


def test_each_row_in_its_own(xp: Any) -> None:
    a = np.asarray([[-1.0, 0.5, 0.5, 2.0, NAN], [0.0, 1.0, 2.0, 3.0, INF]])
    v = np.asarray([[0.5, -3.0, NAN], [3.0, 2.5, INF]])
    for side in ("left", "right"):
        close(searchsorted(xp.asarray(a), xp.asarray(v), side), by_rows(a, v, side))


@pytest.mark.parametrize("side", ["left", "right"])
def test_rows(xp: Any, side: str) -> None:
    rng = np.random.default_rng(5)
    for n in (0, 1, 2, 7, 8, 9):
        a = np.sort(np.where((z := rng.normal(size=(2, 3, n)).round(1)) > 1, NAN, z), axis=-1)
        v = rng.normal(size=(3, 5)).round(1)
        v[0, 0], v[1, 1] = NAN, INF
        close(searchsorted(xp.asarray(a), xp.asarray(v), side), by_rows(a, v, side))
        k = np.sort((10 * np.nan_to_num(a)).astype(int), axis=-1)
        w = (10 * np.nan_to_num(v, posinf=5)).astype(int)
        close(searchsorted(xp.asarray(k), xp.asarray(w), side), by_rows(k, w, side))


def test_sorter(xp: Any) -> None:
    a = np.asarray([[3.0, 1.0, 2.0], [0.0, 5.0, -1.0]])
    order = np.argsort(a, axis=-1)
    v = np.asarray([[1.5], [0.0]])
    expected = by_rows(np.sort(a, axis=-1), v)
    close(searchsorted(xp.asarray(a), xp.asarray(v), sorter=xp.asarray(order)), expected)
    got = searchsorted(xp.asarray(a[0]), xp.asarray(v), sorter=xp.asarray(order[0]))
    close(got, np.searchsorted(a[0], v, sorter=order[0]))


def test_dtypes(xp: Any) -> None:
    a = np.asarray([1, 2, 4])
    close(searchsorted(xp.asarray(a), 1.5), np.asarray(1))
    close(searchsorted(xp.asarray(a), [2, 3]), np.asarray([1, 2]))
    got = searchsorted(xp.asarray(a), xp.asarray(np.asarray([1.5, 4.0])))
    close(got, np.asarray([1, 2]))
    got = searchsorted(xp.asarray(a.astype(np.int8)), xp.asarray(np.asarray([300, 2])))
    close(got, np.asarray([3, 1]))


def test_native_equals_generic() -> None:
    for side in ("left", "right"):
        for a in (ROW, ROW[:0], ROW[:6].astype(np.float32)):
            got = searchsorted(a, SOUGHT.astype(a.dtype), side)
            expected = searchsorted.generic(a, SOUGHT.astype(a.dtype), side)  # type: ignore[attr-defined]
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_native_equals_generic_on_jax() -> None:
    import jax.numpy as jnp

    for side in ("left", "right"):
        for a in (ROW, ROW[:0], ROW[:6]):
            got = searchsorted(jnp.asarray(a), jnp.asarray(SOUGHT), side)
            generic = searchsorted.generic  # type: ignore[attr-defined]
            close(got, generic(jnp.asarray(a), jnp.asarray(SOUGHT), side))


def test_errors(xp: Any) -> None:
    a = xp.asarray(np.asarray([[1.0, 2.0], [3.0, 4.0]]))
    with pytest.raises(ArgumentError, match="side must be one of"):
        searchsorted(a, a, "middle")
    with pytest.raises(ShapeError, match="must broadcast"):
        searchsorted(a, xp.asarray(np.ones((3, 1))))
    with pytest.raises(ShapeError, match="were expected"):
        searchsorted(a, 1.0)
    with pytest.raises(ShapeError, match="sorter must have the shape"):
        searchsorted(a, a, sorter=xp.asarray(np.asarray([0, 1])))
    with pytest.raises(DtypeError):
        searchsorted(xp.asarray(np.asarray([1j, 2.0])), 1.0)
