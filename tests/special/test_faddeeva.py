"""The Faddeeva function in all quadrants, and Voigt's profile with a width of zero."""

from typing import Any

import numpy as np
import pytest

from likewise.special import erfcx, voigt_profile, wofz
from likewise.transforms import grad


@pytest.mark.needs("scipy")
def test_quadrants(lib: Any, rng: Any) -> None:
    from scipy.special import wofz as reference

    z = rng.uniform(-4, 4, 60) + 1j * rng.uniform(-2, 4, 60)
    z = np.append(z, [0, 1e9, -1e20 + 1j, 1e200j, 0.3, -2.0])
    with np.errstate(over="ignore"):
        z = z.astype("complex128" if lib.has_float64 else "complex64")
    z = z[np.isfinite(z)]
    got = lib.to_numpy(wofz(lib.asarray(z)))
    assert got.dtype == z.dtype
    rtol = 1e-12 if lib.has_float64 else 1e-4
    assert np.max(np.abs(got / reference(z.astype("complex128")) - 1)) < rtol


def test_on_the_imaginary_axis(lib: Any) -> None:
    y = np.asarray([0.0, 0.3, 2.0, 9.0], "float32")
    got = lib.to_numpy(wofz(1j * lib.asarray(y.astype("complex64"))))
    np.testing.assert_allclose(got, erfcx(y.astype("float64")), rtol=1e-6)


def test_real_numbers_become_complex(lib: Any) -> None:
    got = lib.to_numpy(wofz(lib.asarray(np.asarray([0.0, 1.0], "float32"))))
    assert got.dtype == np.complex64
    np.testing.assert_allclose(got[1], np.exp(-1.0) + 0.6071577j, rtol=1e-6)


def test_widths_of_zero(lib: Any) -> None:
    x = np.asarray([0.0, 1.0, -2.0], "float32")
    for sigma, gamma, expected in [
        (0.0, 0.5, 0.5 / np.pi / (x * x + 0.25)),
        (0.5, 0.0, np.exp(-2 * x * x) / np.sqrt(2 * np.pi) / 0.5),
        (0.0, 0.0, [np.inf, 0.0, 0.0]),
    ]:
        got = lib.to_numpy(voigt_profile(lib.asarray(x), sigma, gamma))
        np.testing.assert_allclose(got, expected, rtol=2e-6)


def test_far_wings_have_derivatives(lib: Any, leave_out: Any) -> None:
    """Where w'(z) is what rounding leaves of two equal numbers: V falls as x^-2."""
    leave_out("float64", not lib.has_float64)
    x = lib.asarray(np.asarray(1e6))
    slope = grad(lambda x: voigt_profile(x, 1.0, 0.3))(x)
    value = voigt_profile(x, 1.0, 0.3)
    np.testing.assert_allclose(lib.to_numpy(slope) * 1e6, -2 * lib.to_numpy(value), rtol=1e-9)


def test_a_narrow_voigt_profile_some_sigma_away() -> None:
    """Values by Arb where both densities are seen, and errors once were 18 to 60 units."""
    points = [
        (80.16318186171246, 9.017214628884389, 1.265245847593625e-10, 6.521987292488832e-15),
        (1.4635731111457828, 0.16445081502270242, 0.001555811093971256, 0.00024055940695566603),
        (2.450672688497737, 0.28860702365111385, 0.030466312864456273, 0.0016867997598174117),
        (5.549269818491938, 0.4449310880021541, 4.378480251242174e-12, 4.6160916820541753e-14),
    ]
    *args, expected = np.asarray(points).T
    for func in (voigt_profile, voigt_profile.generic):  # type: ignore[attr-defined]
        np.testing.assert_allclose(func(*args), expected, rtol=1e-15)
