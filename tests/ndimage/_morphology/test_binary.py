"""Erosion, dilation and what is made of them, of binary images, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ArgumentError, DtypeError, ImageError, NotSupported

RNG = np.random.default_rng(33)
X = RNG.random((6, 7)) < 0.6
S = np.asarray([[0, 1], [1, 1], [1, 0]])
MASK = RNG.random((6, 7)) < 0.7
BOTH = ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing")


@pytest.mark.parametrize("name", BOTH)
def test_structures_masks_and_borders(xp: Any, name: str) -> None:
    for iterations, mask, border, origin in (
        (1, None, 0, (0, -1)),
        (3, MASK, 1, 0),
        (6, None, 1, 0),
    ):
        found = getattr(ndimage, name)(
            xp.asarray(X),
            xp.asarray(S),
            iterations,
            mask=None if mask is None else xp.asarray(mask),
            border_value=border,
            origin=origin,
        )
        expected = getattr(judge, name)(
            X, S, iterations, mask=mask, border_value=border, origin=origin, brute_force=True
        )
        assert found.dtype == xp.bool
        np.testing.assert_array_equal(to_numpy(found), expected)


def test_until_nothing_changes(xp: Any) -> None:
    for name, args in (
        ("binary_propagation", (None, MASK)),
        ("binary_fill_holes", (np.ones((3, 3)),)),
        ("binary_dilation", (None, -1, MASK)),
        ("binary_erosion", (None, 0)),
    ):
        given = [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        found = getattr(ndimage, name)(xp.asarray(X & MASK), *given)
        expected = getattr(judge, name)(X & MASK, *args)
        np.testing.assert_array_equal(to_numpy(found), expected)


def test_hit_or_miss(xp: Any) -> None:
    other = np.asarray([[1, 0, 0]])
    for args in ((None, None), (S, None), (S, other), (None, other)):
        given = [None if a is None else xp.asarray(a) for a in args]
        found = ndimage.binary_hit_or_miss(xp.asarray(X), *given)
        np.testing.assert_array_equal(to_numpy(found), judge.binary_hit_or_miss(X, *args))


def test_bodies_on_any_call() -> None:
    """Random shapes, structures, masks and shifts."""
    for _ in range(200):
        ndim = int(RNG.integers(1, 4))
        shape, sizes = RNG.integers(1, 7, ndim), RNG.integers(1, 5, ndim)
        x, s = RNG.random(shape) < 0.6, RNG.random(sizes) < 0.7
        name, turns = str(RNG.choice(BOTH)), int(RNG.integers(1, 7))
        options: dict[str, Any] = {
            "mask": RNG.random(shape) < 0.8 if RNG.random() < 0.5 else None,
            "border_value": int(RNG.integers(0, 2)),
            "origin": tuple(int(RNG.integers(-(n // 2), (n - 1) // 2 + 1)) for n in sizes),
        }
        # Without brute force, SciPy leaves its memory for structures larger than the image.
        expected = getattr(judge, name)(x, s, turns, brute_force=True, **options)
        np.testing.assert_array_equal(
            getattr(ndimage, name).generic(x, s.tolist(), turns, **options), expected
        )
        np.testing.assert_array_equal(getattr(ndimage, name)(x, s, turns, **options), expected)


def test_a_batch_and_dtypes_of_results() -> None:
    x = RNG.random((4, 3, 5)) < 0.7
    for name in BOTH:
        for axes in ((0, 2), (1,), (-1, -2)):
            found = getattr(ndimage, name)(x, axes=axes)
            np.testing.assert_array_equal(found, getattr(judge, name)(x, axes=axes))
    assert ndimage.binary_erosion(x, output=np.uint8).dtype == np.uint8


def test_structures(xp: Any) -> None:
    for rank, connectivity in ((0, 1), (1, 1), (2, 1), (3, 2), (3, 5), (2, 0)):
        found = ndimage.generate_binary_structure(rank, connectivity, like=xp.asarray(X))
        expected = judge.generate_binary_structure(rank, connectivity)
        np.testing.assert_array_equal(to_numpy(found), expected)
    for turns in (0, 1, 2, 4):
        found = ndimage.iterate_structure(xp.asarray(S), turns)
        np.testing.assert_array_equal(to_numpy(found), judge.iterate_structure(S, turns))
    found, origin = ndimage.iterate_structure(xp.asarray(S), 3, 1)
    assert origin == judge.iterate_structure(S, 3, 1)[1] == [3, 3]


def test_what_is_refused() -> None:
    with pytest.raises(RuntimeError, match="structure must have a dimension"):
        ndimage.binary_erosion(X, [1, 1])
    with pytest.raises(ImageError, match="structure"):
        ndimage.binary_dilation(X, np.ones((0, 3)))
    with pytest.raises(ImageError, match="mask"):
        ndimage.binary_opening(X, mask=MASK[1:])
    with pytest.raises(ArgumentError, match="origin"):
        ndimage.binary_closing(X, origin=2)
    with pytest.raises(ArgumentError, match="iterations"):
        ndimage.binary_erosion(X, iterations=1.5)
    with pytest.raises(DtypeError, match="real"):
        ndimage.binary_erosion(X + 1j)
    with pytest.raises(NotSupported, match="output must be a dtype"):
        ndimage.binary_fill_holes(X, output=X)


def test_steps_that_may_never_end(xp: Any) -> None:
    x, sides = xp.asarray(X), xp.asarray([[True, False, True]])
    around = xp.asarray([[True, True, True]])
    for call in (
        lambda w: ndimage.binary_dilation(x, w, iterations=0),
        lambda w: ndimage.binary_erosion(x, w, iterations=-1, border_value=1),
        lambda w: ndimage.binary_propagation(x, w),
        lambda w: ndimage.binary_fill_holes(x, w),
    ):
        assert call(around).shape == x.shape
        try:
            found = call(sides)
        except ImageError as error:
            assert "must hold the element itself" in str(error)
        else:  # a structure without values yet
            np.testing.assert_array_equal(to_numpy(found), to_numpy(call(around)))
    with pytest.raises(ImageError, match="must hold the element itself"):
        ndimage.binary_propagation(x, [[1, 0, 1]])
    with pytest.raises(ImageError, match="must hold the element itself"):
        ndimage.binary_propagation(x, origin=1)  # a corner of the usual structure
