"""Profiles against counting in NumPy, and of an image that is known."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.testing import check_grads
from smallimage import data
from smallimage.measure import radial_profile
from smallimage.tests import assert_near


@pytest.mark.parametrize(
    ("shape", "center"), [((3, 8, 9), (3.5, 2.0)), ((70, 60), None), ((70, 60), (0, 6))]
)
def test_profile(xp: Any, shape: tuple[int, ...], center: Any) -> None:
    x = np.random.default_rng(1).normal(size=shape)
    h, w = shape[-2:]
    row, column = ((h - 1) / 2, (w - 1) / 2) if center is None else center
    ring = np.floor(np.hypot(*np.ogrid[-row : h - row - 0.5, -column : w - column - 0.5]))
    expected = [x[..., ring == n].mean(-1) for n in range(int(ring.max()) + 1)]
    found = radial_profile(xp.asarray(x), center)
    assert_near(found, np.stack(expected, axis=-1))


def test_a_disk(xp: Any) -> None:
    """It is made where another array is, of its dtype, and its profile falls from 1 to 0."""
    like = xp.astype(xp.asarray([0.0]), xp.float32)
    disk = data.disk((41, 41), 10, like=like)
    assert disk.dtype == xp.float32 and likewise.library(disk) == likewise.library(like)
    assert likewise.device(disk) == likewise.device(like)
    profile = radial_profile(disk)
    assert_near(profile[:10], np.ones(10, dtype=np.float32))
    assert_near(profile[11:], np.zeros(profile.shape[0] - 11, dtype=np.float32))


def test_rings_without_pixels(xp: Any) -> None:
    found = likewise.to_numpy(radial_profile(xp.asarray(np.ones((70, 60))), (-3, 30)))
    assert np.isnan(found[:3]).all() and np.array_equal(found[3:], np.ones(found.size - 3))


def test_derivatives_of_a_profile(xp: Any) -> None:
    check_grads(radial_profile, xp.asarray(np.random.default_rng(2).normal(size=(4, 3))))
