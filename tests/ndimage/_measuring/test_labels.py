"""Connected objects of images, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import DtypeError, ImageError, NotSupported, ShapeError

RNG = np.random.default_rng(33)


def snake(n: int) -> Any:
    """One long object that goes to and fro, with a comb beside it."""
    x = np.zeros((n, n), int)
    x[::2] = 1
    x[1::4, -1] = x[3::4, 0] = 1
    return x


@pytest.mark.parametrize("shape", [(), (0, 3), (9,), (6, 7), (3, 4, 5), (2, 3, 2, 3)])
def test_label(xp: Any, shape: tuple[int, ...]) -> None:
    for rank in {1, max(len(shape), 1)}:
        structure = judge.generate_binary_structure(len(shape), rank) if shape else None
        x = RNG.random(shape) > 0.5
        given = None if structure is None else xp.asarray(structure)
        found, number = ndimage.label(xp.asarray(x), given)
        expected, count = judge.label(x, structure)
        assert found.dtype == xp.int32
        assert int(number) == count
        np.testing.assert_array_equal(to_numpy(found), expected)


def test_bodies_on_any_image() -> None:
    for _ in range(300):
        shape = tuple(RNG.integers(1, 9, RNG.integers(1, 4)))
        x = RNG.random(shape) > RNG.random()
        half = RNG.random((3,) * len(shape)) > RNG.random()
        structure = half | half[(slice(None, None, -1),) * len(shape)]
        found, number = ndimage.label.generic(x, structure)
        expected, count = judge.label(x, structure)
        assert number == count
        np.testing.assert_array_equal(found, expected)


def test_a_long_object() -> None:
    for x in (snake(41), snake(41).T, np.tril(snake(40)), snake(40)[::-1, ::-1].T):
        np.testing.assert_array_equal(ndimage.label.generic(x)[0], judge.label(x)[0])


def test_dtypes_of_labels(xp: Any) -> None:
    x = xp.asarray([1.0, 0.0, np.nan, 0.0, -1.0])
    found, number = ndimage.label(x, output=xp.uint8)
    assert found.dtype == xp.uint8
    assert int(number) == 3
    many = xp.asarray([k % 2 for k in range(600)])
    with pytest.raises(ImageError, match="300 labels"):
        ndimage.label(many, output="uint8")


def test_errors() -> None:
    x = np.eye(4)
    for structure, match in (
        ([1, 1, 1], "as many dimensions"),
        (np.ones((3, 4)), "three elements"),
        ([[1, 1, 1], [0, 1, 0], [0, 0, 0]], "symmetric"),
    ):
        with pytest.raises(ImageError, match=match):
            ndimage.label(x, structure)
    with pytest.raises(DtypeError, match="real"):
        ndimage.label(x + 1j)
    with pytest.raises(NotSupported, match="output"):
        ndimage.label(x, output=np.zeros((4, 4), np.int32))
    for function in (ndimage.find_objects, ndimage.value_indices):
        with pytest.raises(DtypeError, match="integers"):
            function(x)


def test_boxes_and_places(xp: Any) -> None:
    for shape in ((7,), (4, 5), (2, 3, 4), (0, 2)):
        x = RNG.integers(-1, 6, shape)
        x = np.where(x == 3, 0, x)
        for most in (0, 2, 7):
            if x.size:
                assert ndimage.find_objects(xp.asarray(x), most) == judge.find_objects(x, most)
        for ignore in (None, 0):
            found = ndimage.value_indices(xp.asarray(x), ignore_value=ignore)
            expected = judge.value_indices(x, ignore_value=ignore)
            assert list(map(int, found)) == sorted(map(int, expected))
            for key, at in found.items():
                for ours, theirs in zip(at, expected[int(key)], strict=True):
                    np.testing.assert_array_equal(to_numpy(ours), theirs)


@pytest.mark.needs("jax")
def test_compiled() -> None:
    """Objects are measured in room for more than there are; what has no size says what to do."""
    import jax

    x = np.asarray([[2.0, 1.0, 0.0, 4.0], [0.0, 0.0, 0.0, 8.0], [16.0, 0.0, 0.0, 0.0]])

    def measured(x: Any) -> Any:
        labels, number = ndimage.label(x > 0.5)
        index = range(1, 5)
        place = ndimage.maximum_position(x, labels, index)
        return ndimage.sum_labels(x, labels, index), place, ndimage.mean(x, labels, index), number

    total, place, mean, number = jax.jit(measured)(jax.numpy.asarray(x))
    np.testing.assert_array_equal(total, [3, 12, 16, 0])
    np.testing.assert_array_equal(mean, [1.5, 6, 16, np.nan])
    assert [tuple(map(int, p)) for p in place[:3]] == [(0, 0), (1, 3), (2, 0)]
    assert int(number) == 3
    for function, match in (
        (ndimage.find_objects, "find_objects: .* minimum.coordinates"),
        (lambda v: ndimage.find_objects(v, max_label=2), "find_objects: .* minimum.coordinates"),
        (ndimage.value_indices, r"value_indices: .*nonzero\(arr == value, size="),
        (
            lambda v: ndimage.labeled_comprehension(v, v, [1], jax.numpy.sum, float, 0),
            "labeled_comprehension: .*segment_sum",
        ),
    ):
        with pytest.raises(NotSupported, match=match):
            jax.jit(function)(jax.numpy.asarray(x, dtype=int))


def test_boxes_as_arrays(xp: Any) -> None:
    """Least and largest coordinates are what `find_objects` has in slices."""
    labels = RNG.integers(0, 5, (6, 7)) * (RNG.random((6, 7)) < 0.3)
    index, boxes = range(1, 5), judge.find_objects(labels, max_label=4)
    for axis, n in enumerate(labels.shape):
        at = np.broadcast_to(np.expand_dims(np.arange(n), 1 - axis), labels.shape)
        for function, end in ((ndimage.minimum, "start"), (ndimage.maximum, "stop")):
            found = to_numpy(function(xp.asarray(at.copy()), xp.asarray(labels), index))
            due = [0 if b is None else getattr(b[axis], end) - (end == "stop") for b in boxes]
            np.testing.assert_array_equal(found, due)


@pytest.mark.needs("dask")
def test_objects_of_chunks() -> None:
    """However an image is cut, its labels are those of the whole; nothing is computed unasked."""
    import dask.array as da

    box = np.ones((3, 3), bool)
    for image, chunks, structure in (
        (snake(12), (5, 4), None),
        (RNG.random((9, 8)) < 0.5, (1, 3), box),
        (RNG.random((9, 8)) < 0.5, (4, 8), None),
        (np.eye(6) + np.eye(6)[::-1], (3, 3), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        (np.eye(6), (1, 1), box),
        (RNG.random((4, 5, 3)) < 0.4, (2, 2, 3), None),
        (RNG.random(11) < 0.5, 3, None),
        (np.zeros((4, 4)), 2, None),
        (np.zeros((0, 3)), 2, None),
        (np.ones(()), -1, None),
    ):
        found, number = ndimage.label(da.from_array(image, chunks=chunks), structure)
        assert isinstance(found, da.Array) and isinstance(number, da.Array)
        expected, many = judge.label(image, structure)
        assert found.dtype == found.compute().dtype == expected.dtype
        np.testing.assert_array_equal(found.compute(), expected)
        assert int(number.compute()) == many
    unknown = da.from_array(np.arange(6), chunks=2)
    with pytest.raises(ShapeError, match="compute_chunk_sizes"):
        ndimage.label(unknown[unknown > 1])
