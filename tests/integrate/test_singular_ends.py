"""Workload D5: integrands between turning points, singular as 1/sqrt(1 - x**2), by three rules."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.special as ss

from likewise import array_namespace, transforms
from likewise.integrate import gauss_chebyshev, gauss_lobatto, tanhsinh

PITCH = np.linspace(0.1, 0.9, 5)


def bounce(x: Any, k: Any) -> Any:
    """Elliptic integrals of the first kind are those of 0 to 1."""
    return 1 / array_namespace(x).sqrt((1 - x * x) * (1 - k * x * x))


@pytest.mark.parametrize("degree", [8, 16, 32, 64, 128])
def test_three_rules(degree: int) -> None:
    want = 2 * ss.ellipk(PITCH)
    k = PITCH[:, None]
    # Chebyshev's weight is the singularity.
    x, w = gauss_chebyshev(degree)
    found = np.sum(w / np.sqrt(1 - k * x * x), axis=1)
    # The error falls as the distance of the next singularity, 1 / sqrt(k), tells.
    rate = 1 / (1 / np.sqrt(PITCH) + np.sqrt(1 / PITCH - 1))
    assert np.all(np.abs(found - want) <= 20 * rate ** (2 * degree) + 1e-14)
    # Lobatto's rule has x = sin(pi t / 2), whose derivative takes the singularity away.
    t, w = gauss_lobatto(degree)
    x = np.sin(math.pi / 2 * t)
    found = np.sum(w * math.pi / 2 / np.sqrt(1 - k * x * x), axis=1)
    error = np.abs(found - want) / want
    assert np.all(error <= (1e-13 if degree >= 64 else 3 * math.exp(-degree / 4)))


def test_double_exponential() -> None:
    found = tanhsinh(bounce, -1.0, 1.0, args=(PITCH,))
    # The distance from 1 is rounded before the root is taken.
    assert np.allclose(found.integral, 2 * ss.ellipk(PITCH), rtol=3e-7)
    exact = tanhsinh(  # in the angle it has none
        lambda t, k: 1 / np.sqrt(1 - k * np.sin(t) ** 2), -math.pi / 2, math.pi / 2, args=(PITCH,)
    )
    assert np.allclose(exact.integral, 2 * ss.ellipk(PITCH), rtol=1e-13)
    assert np.all(exact.success)

    def total(k: Any) -> Any:
        xp = array_namespace(k)
        y = tanhsinh(
            lambda t, k: 1 / xp.sqrt(1 - k * xp.sin(t) ** 2), 0.0, math.pi / 2, args=(k,)
        ).integral
        return xp.sum(y)

    slope = (ss.ellipe(PITCH) / (1 - PITCH) - ss.ellipk(PITCH)) / (2 * PITCH)
    assert np.allclose(transforms.grad(total)(PITCH), slope, rtol=1e-11)
