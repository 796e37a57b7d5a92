"""JAX's functions where the standard wants another type of result or error."""

import numpy as np
import pytest

import likewise

pytestmark = pytest.mark.needs("jax")


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (1, 2, 3)), (-1, (2, 3, 1)), ((0, -1), (1, 2, 3, 1))]
)
def test_expand_dims(axis: int | tuple[int, ...], shape: tuple[int, ...]) -> None:
    xp = likewise.namespace("jax")
    assert xp.expand_dims(xp.ones((2, 3)), axis=axis).shape == shape


@pytest.mark.parametrize("axis", [3, -4, (0, 4), (-5, 0)])
def test_expand_dims_out_of_range(axis: int | tuple[int, ...]) -> None:
    xp = likewise.namespace("jax")
    with pytest.raises(IndexError, match="expand_dims"):
        xp.expand_dims(xp.ones((2, 3)), axis=axis)


def test_permute_dims_from_the_end() -> None:
    xp = likewise.namespace("jax")
    assert xp.permute_dims(xp.ones((2, 3, 4)), (-1, 0, 1)).shape == (4, 2, 3)


def test_searchsorted_gives_default_indices() -> None:
    xp = likewise.namespace("jax")
    default = xp.__array_namespace_info__().default_dtypes()["indexing"]
    found = xp.searchsorted(xp.asarray([1.0, 3.0]), xp.asarray([[0.0, 2.0]]), side="right")
    assert found.dtype == default
    np.testing.assert_array_equal(found, [[0, 1]])
    order = xp.asarray([1, 0])
    assert int(xp.searchsorted(xp.asarray([3.0, 1.0]), 2, sorter=order)) == 1


@pytest.mark.parametrize(
    ("dtype", "result"),
    [("int8", "int64"), ("uint8", "uint64"), ("int64", "int64"), ("float32", "float32")],
)
def test_cumulative_prod_of_small_integers(dtype: str, result: str) -> None:
    xp = likewise.namespace("jax")
    x = xp.full(9, 2, dtype=getattr(xp, dtype))
    found = xp.cumulative_prod(x, include_initial=True)
    assert found.dtype == getattr(xp, result)
    np.testing.assert_array_equal(found, 2 ** np.arange(10))
    assert xp.cumulative_prod(x, dtype=xp.float64).dtype == xp.float64


def test_tuples() -> None:
    xp = likewise.namespace("jax")
    x = xp.ones(2)
    assert isinstance(xp.__array_namespace_info__().devices(), tuple)
    assert isinstance(xp.meshgrid(x, x), tuple)
    assert isinstance(xp.broadcast_arrays(x, x), tuple)
