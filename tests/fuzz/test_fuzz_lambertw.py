"""Lambert's W function at random numbers of all sizes, next to its branch point and its cuts.

SciPy is the judge of the branch, and mpmath of the digits.
"""

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

from likewise.special import lambertw

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

KINDS = {"any": (1e-300, 1e300), "ordinary": (1e-3, 1e3), "branch point": (1e-17, 0.5)}


def points(rng: Any, kind: str, count: int) -> Any:
    """In all directions; some of them on the axes or next to them."""
    radius = np.exp(rng.uniform(*np.log(KINDS[kind]), count))
    angle = rng.choice(np.arange(-4, 5) * (np.pi / 4), count) * rng.choice([0.0, 1.0], count)
    angle = np.where(rng.random(count) < 0.7, rng.uniform(-np.pi, np.pi, count), angle)
    z = radius * np.cos(angle) + 1j * radius * np.sin(angle)
    z = z - np.exp(-1) if kind == "branch point" else z
    return np.where(rng.random(count) < 0.1, z.real + 1e-30j, z)


def condition(w: Any) -> Any:
    return 1 + 1 / np.abs(1 + w)


@pytest.mark.parametrize("k", range(-5, 6))
@pytest.mark.parametrize("kind", KINDS)
def test_against_scipy(rng: Any, kind: str, k: int) -> None:
    z = points(rng, kind, 5000)
    expected = scipy.special.lambertw(z, k)
    known = np.isfinite(expected)  # SciPy's steps don't end at some points next to the branch point
    assert np.mean(known) > 0.99
    z, expected = z[known], expected[known]
    off = np.abs(lambertw(z, k) - expected) / np.abs(expected) / condition(expected)
    near = np.abs(z + np.exp(-1)) < 0.02  # where SciPy keeps half of the digits
    assert np.max(off[~near], initial=0.0) < 3e-15
    assert np.max(off[near], initial=0.0) < 1e-7
    single = z.astype("complex64")
    size = np.abs(single)
    single = single[(size > 1e-37) & (size < 1e37)]
    expected = scipy.special.lambertw(single.astype("complex128"), k)
    off = np.abs(lambertw(single, k) - expected) / np.abs(expected) / condition(expected)
    assert lambertw(single, k).dtype == np.complex64
    assert np.nanmax(off) < 6e-7


@pytest.mark.parametrize("kind", KINDS)
def test_against_mpmath(rng: Any, kind: str) -> None:
    z, k = points(rng, kind, 600), rng.integers(-5, 6, 600)
    found = lambertw(z, k)
    with mpmath.workdps(40):
        for a, n, w in zip(z, k, found, strict=True):
            true = mpmath.lambertw(mpmath.mpc(a), int(n))
            off = abs(mpmath.mpc(w) - true) / abs(true)
            assert off < 1.5e-15 * condition(complex(true)), (a, n)
            if kind == "branch point" and abs(a + np.exp(-1)) < 0.015 and abs(1 + w) < 1:
                assert off < 4e-16, (a, n)  # whatever the condition
