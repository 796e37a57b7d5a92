"""Shifts that are known."""

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from smallimage.registration import phase_cross_correlation
from smallimage.tests import assert_near

NO_FFT = {"strict-minimal": "a namespace without the extension fft"}


@pytest.mark.xp_skip(NO_FFT)
@pytest.mark.parametrize("shift", [(0, 0), (3, -2), (-7, 5)])
def test_whole_pixels(xp: Any, shift: tuple[int, int]) -> None:
    x = np.random.default_rng(3).normal(size=(20, 17))
    moving = xp.asarray(np.roll(x, shift, (-2, -1)))
    found = phase_cross_correlation(xp.asarray(x), moving)
    assert_near(found, -np.asarray(shift, dtype=np.float64))


@pytest.mark.xp_skip(NO_FFT)
def test_many_images_and_parts_of_pixels(xp: Any) -> None:
    """Shifted by the theorem of Fourier, images come back to a tenth of a pixel."""
    x = ndimage.gaussian_filter(np.random.default_rng(4).normal(size=(3, 24, 21)), (0, 1, 1))
    shifts = np.asarray([(1.3, -2.7), (0.0, 0.4), (-5.1, 3.2)])
    moving = [
        np.fft.ifft2(ndimage.fourier_shift(np.fft.fft2(image), shift)).real
        for image, shift in zip(x, shifts, strict=True)
    ]
    found = phase_cross_correlation(xp.asarray(x), xp.asarray(np.stack(moving)), 10)
    assert_near(found, -shifts)


@pytest.mark.xp_skip(NO_FFT)
@pytest.mark.parametrize("factor", [1, 10])
def test_no_shift_of_what_is_not_a_number(xp: Any, factor: int) -> None:
    """One of two pairs has a pixel without a value."""
    x = np.random.default_rng(5).normal(size=(2, 9, 8))
    moving = np.roll(x, (2, -1), (-2, -1))
    x[1, 4, 5] = np.nan
    found = phase_cross_correlation(xp.asarray(x), xp.asarray(moving), factor)
    assert_near(found, np.asarray([[-2.0, 1.0], [np.nan, np.nan]]))


def test_two_shapes(xp: Any) -> None:
    x = xp.asarray(np.ones((4, 5)))
    with pytest.raises(ValueError, match=r"both images have one shape, got \(4, 5\) and \(4, 4\)"):
        phase_cross_correlation(x, x[:, :4])
