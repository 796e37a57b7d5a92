"""Every form of index NumPy has, one lane and a batch, against NumPy and JAX."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import TransformError
from likewise.interop import to_numpy
from likewise.missing import at
from likewise.transforms import grad, vjp, vmap
from likewise.transforms._following._interpreter import interpreted

I = np.asarray([1, 0, 1])  # noqa: E741
J = np.asarray([[2], [-1]])
M = np.asarray([True, False])
ALL = slice(None)
X = np.random.default_rng(0).normal(size=(2, 3, 4, 2))
# What stands for a batched index of the same shape is another array of integers.
INDICES: dict[str, Any] = {
    "slice and array": (ALL, I),
    "array and slice": (I, slice(1, None)),
    "array and rest": I,
    "two together": (ALL, I, I),
    "two broadcast": (J // 2, I),
    "two apart": (I, ALL, I),
    "integer apart": (0, ALL, I),
    "integer beside": (ALL, 0, I),
    "Ellipsis": (..., I),
    "Ellipsis between": (I, ..., I),
    "None": (None, I, None),
    "None between": (I, None, I),
    "step": (slice(None, None, -1), I, slice(3, 0, -2)),
    "empty slice": (slice(1, 1), I),
    "of no dimensions": (np.asarray(1), ALL, I),
    "list": (ALL, [0, 2]),
    "mask and slice": (M, slice(0, 2)),
    "slice and mask": (ALL, np.asarray([True, False, True])),
    "mask and array": (M, np.asarray([0, 2])),
    "mask of two": (ALL, ALL, np.ones((4, 2), dtype=bool)),
    "basic": (slice(None, None, -1), None, ..., -1),
    "negative step": (..., slice(None, None, -2)),
    "empty array": (np.asarray([], dtype=int), ...),
}
NAMES = [pytest.param(i, id=n) for n, i in INDICES.items()]


def _entries(index: Any) -> list[Any]:
    return list(index) if isinstance(index, tuple) else [index]


@pytest.mark.parametrize("index", NAMES)
def test_gradients(index: Any) -> None:
    y, pull = vjp(lambda x: x[index] ** 2, X)
    np.testing.assert_array_equal(y, X[index] ** 2)
    g = np.random.default_rng(1).normal(size=y.shape)
    expected = np.zeros_like(X)
    np.add.at(expected, index, 2 * g * X[index])
    np.testing.assert_allclose(pull(g)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("index", NAMES)
def test_batches(index: Any) -> None:
    stack = np.stack([X, X[::-1] * 2, X + 1])
    np.testing.assert_array_equal(
        vmap(lambda x: x[index])(stack), np.stack([x[index] for x in stack])
    )
    shape = X[index].shape
    values = np.random.default_rng(2).normal(size=(3, *shape))
    expected = stack.copy()
    for x, v in zip(expected, values, strict=True):
        np.add.at(x, index, v)
    np.testing.assert_allclose(
        vmap(lambda x, v: at(x)[index].add(v))(stack, values), expected, rtol=1e-12
    )
    # The gradient of each lane for itself: zeros, to which a batch is added.
    expected = np.zeros_like(stack)
    for x, v in zip(expected, values, strict=True):
        np.add.at(x, index, v)
    found = vmap(lambda x, v: grad(lambda a: _sum(a[index] * v))(x))(stack, values)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def _sum(y: Any) -> Any:
    return likewise.array_namespace(y).sum(y)


UNIQUE = [
    pytest.param(i, id=n)
    for n, i in INDICES.items()
    if n not in ("slice and array", "array and slice", "array and rest", "step", "list")
    and not any(e is I for e in _entries(i))
]


@pytest.mark.parametrize(
    "index", [*UNIQUE, pytest.param((ALL, [0, 2], ALL, 1), id="list and integer")]
)
def test_batches_that_are_set(index: Any) -> None:
    stack = np.stack([X, X * 2, X + 1])
    values = np.random.default_rng(2).normal(size=(3, *X[index].shape))
    expected = stack.copy()
    for x, v in zip(expected, values, strict=True):
        x[index] = v
    np.testing.assert_array_equal(vmap(lambda x, v: at(x)[index].set(v))(stack, values), expected)
    expected = np.stack([X] * 3)
    for x, v in zip(expected, values, strict=True):
        x[index] = v
    found = vmap(lambda v: at(likewise.array_namespace(v).asarray(X))[index].set(v))(values)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("index", [p for p in NAMES if "mask" not in str(p.id)])
def test_indices_that_differ_between_lanes(index: Any) -> None:
    arrays = [np.asarray(e) for e in _entries(index) if hasattr(e, "dtype")]
    if not arrays:
        return
    rng = np.random.default_rng(3)
    lanes = [[rng.integers(-2, 2, size=a.shape) for a in arrays] for _ in range(3)]
    stacked = [np.stack(a) for a in zip(*lanes, strict=True)]

    def with_arrays(some: Any) -> Any:
        left = iter(some)
        full = [next(left) if hasattr(e, "dtype") else e for e in _entries(index)]
        return tuple(full) if isinstance(index, tuple) else full[0]

    expected = np.stack([X[with_arrays(lane)] for lane in lanes])
    found = vmap(lambda x, *i: x[with_arrays(i)], in_axes=(None, *(0 for _ in arrays)))(X, *stacked)
    np.testing.assert_array_equal(found, expected)
    batch = np.stack([X, X * 2, X + 1])
    found = vmap(lambda x, *i: x[with_arrays(i)])(batch, *stacked)
    expected = np.stack([x[with_arrays(i)] for x, i in zip(batch, lanes, strict=True)])
    np.testing.assert_array_equal(found, expected)
    # The first array differs between lanes, the others don't.
    others = lanes[0][1:]

    def shared(i: Any) -> Any:
        xp = likewise.array_namespace(i)
        return xp.asarray(X)[with_arrays([i, *map(xp.asarray, others)])]

    expected = np.stack([X[with_arrays([i, *others])] for i in stacked[0]])
    np.testing.assert_array_equal(vmap(shared)(stacked[0]), expected)


def test_out_of_range_is_an_error_in_every_lane() -> None:
    x, far = np.ones((2, 3)), np.asarray([[0], [3]])
    with pytest.raises(IndexError):
        vmap(lambda a, i: a[i])(x, far)
    with pytest.raises(IndexError):
        vmap(lambda a, i: a[i])(x, far - 6)
    with pytest.raises(IndexError):
        vmap(lambda a, i: at(a)[i].set(0.0))(x, far)
    with pytest.raises(IndexError):
        vmap(lambda a: a[3])(x)
    with pytest.raises(IndexError):
        vmap(lambda a: a[0, 0])(x)


def test_a_mask_that_differs_between_lanes() -> None:
    x = np.asarray([[1.0, -2.0], [-3.0, 4.0]])
    with pytest.raises(TransformError, match=r"line \d+ of .*test_indexing.py.*xp.where"):
        vmap(lambda a: a[a > 0])(x)
    np.testing.assert_array_equal(
        vmap(lambda a: at(a)[a < 0].set(0.0))(x), [[1.0, 0.0], [0.0, 4.0]]
    )
    np.testing.assert_array_equal(
        vmap(lambda a: at(a)[a < 0].add(10.0))(x), [[1.0, 8.0], [7.0, 4.0]]
    )

    def several(a: Any) -> Any:
        b = a * 1
        b[a < 0] = a
        return b

    with pytest.raises(TransformError, match="xp.where"):
        vmap(several)(x)


@pytest.mark.xp_skip({"dask": "a lazy array's index must be known"})
def test_the_value_that_remains_has_the_gradient(xp: Any) -> None:
    """Of a place that is set twice, on each library the value that is there afterwards."""
    x, v = xp.asarray([1.0, 2.0, 3.0]), xp.asarray([5.0, 7.0])
    i = xp.asarray([1, 1])
    with interpreted():
        y, pull = vjp(lambda a, b: at(a)[i].set(b), x, v)
        gx, gv = pull(xp.asarray([10.0, 20.0, 30.0]))
    remains = 20.0 * (to_numpy(v) == to_numpy(y)[1])
    np.testing.assert_array_equal(to_numpy(gv), remains)
    np.testing.assert_array_equal(to_numpy(gx), [10.0, 0.0, 30.0])


def test_empty_batch() -> None:
    x = np.ones((0, 3))
    i = np.asarray([1, 2])
    assert vmap(lambda a: a[i])(x).shape == (0, 2)
    assert vmap(lambda a: a[1:])(x).shape == (0, 2)
    assert vmap(lambda a: at(a)[i].set(1.0))(x).shape == (0, 3)
