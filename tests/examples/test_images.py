"""The example of images that moved or are out of focus, against the truth, on every library."""

from typing import Any

import numpy as np
import pytest
from images import alignment, focus, scenes

TRUTH = np.asarray([0.1, np.log(1.05), 1.5, -2.25])


def photographs(side: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    still = scenes.moved(side, 0.0, 1.0, (0.0, 0.0))
    moved = scenes.moved(side, TRUTH[0], np.exp(TRUTH[1]), (TRUTH[2], TRUTH[3]))
    one, other = (x + noise * rng.normal(size=x.shape) for x in (still, moved))
    return one, other


def test_the_scene_moves_as_it_says() -> None:
    """A cell at an element is where the affine map says, turned, scaled and shifted."""
    still, moved = photographs(60, 0.0)
    matrix, offset = alignment.affine(TRUTH, still.shape)
    at = np.asarray([25, 33])
    rows, columns = matrix @ at + offset
    unit = 100 / 60
    inverse = np.linalg.solve(matrix, np.asarray([30, 20]) - offset) * unit
    np.testing.assert_allclose(moved[30, 20], scenes.cells(*inverse), rtol=1e-12)
    assert np.hypot(rows - 25, columns - 33) > 1
    np.testing.assert_allclose(still[25, 33], scenes.cells(*(unit * at)), rtol=1e-12)


def test_alignment(lib: Any) -> None:
    """The truth to within errors, and NumPy's figures to rounding."""
    still, moved = photographs(48, 0.02)
    found = alignment.align(
        lib.asarray(still), lib.asarray(moved), lib.asarray(np.zeros(4)), (2.0,)
    )
    unknowns, errors = lib.to_numpy(found.unknowns), lib.to_numpy(found.errors)
    assert np.all(abs(unknowns - TRUTH) < 4 * errors) and np.all(errors < 0.1)
    here = alignment.align(still, moved, np.zeros(4), (2.0,))
    tolerance = 1e-9 if lib.has_float64 else 2e-3
    np.testing.assert_allclose(unknowns, here.unknowns, atol=tolerance)
    np.testing.assert_allclose(errors, here.errors, rtol=tolerance)


def test_focus(lib: Any) -> None:
    """Radii and blurs of discs, in a picture that was made of points a sixth of an element apart."""
    places, radii, blurs = np.asarray([(20.3, 21.6), (22.1, 58.4)]), (7.0, 8.5), (3.0, 1.2)
    picture = scenes.beads(80, places, np.asarray(radii), np.asarray(blurs))
    squares, corners = focus.cut(lib.asarray(picture), 36, 0.5)
    found = lib.to_numpy(focus.fit(squares))
    np.testing.assert_allclose(found[:, :2] + lib.to_numpy(corners), places, atol=0.03)
    np.testing.assert_allclose(found[:, 2], radii, atol=0.05)
    np.testing.assert_allclose(found[:, 3], blurs, atol=0.05)
    here = focus.fit(lib.to_numpy(squares))
    np.testing.assert_allclose(found, here, atol=1e-8 if lib.has_float64 else 5e-3)


@pytest.mark.parametrize("blur", [0.8, 4.0])
def test_a_disc_has_its_light(blur: float) -> None:
    """Its area, wherever it lies, as far as a disc drawn by elements has one."""
    unknowns = np.asarray([31.2, 32.7, 9.0, blur, 2.0, 0.25])
    light = np.sum(focus.disc(unknowns, 64) - 0.25)
    np.testing.assert_allclose(light, 2 * np.pi * 81, rtol=2e-3)
