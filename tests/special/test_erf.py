"""Edges of the error functions, and what ties them to one another."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.special import dawsn, erf, erfc, erfcx, erfi

EDGES = np.asarray([-np.inf, -40.0, -0.0, 0.0, 40.0, np.inf, np.nan])
NAMES = "dawsn erf erfc erfcx erfi".split()


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", NAMES)
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    x = EDGES.astype("float64" if lib.has_float64 else "float32")
    got = lib.to_numpy(getattr(likewise.special, name)(lib.asarray(x)))
    expected = getattr(scipy.special, name)(x)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_identities(rng: Any, dtype: str) -> None:
    x = rng.uniform(-5, 5, 300).astype(dtype)
    eps = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(erf(-x), -erf(x), rtol=0)
    np.testing.assert_allclose(erf.generic(x) + erfc.generic(x), 1.0, rtol=4 * eps)  # type: ignore[attr-defined]
    np.testing.assert_allclose(erfc.generic(x) + erfc.generic(-x), 2.0, rtol=4 * eps)  # type: ignore[attr-defined]
    scaled = erfcx.generic(x) * np.exp(-x * x)  # type: ignore[attr-defined]
    np.testing.assert_allclose(scaled, erfc.generic(x), rtol=60 * eps)  # type: ignore[attr-defined]
    product = 2 / np.sqrt(np.pi) * np.exp(x * x) * dawsn.generic(x)  # type: ignore[attr-defined]
    np.testing.assert_allclose(erfi.generic(x), product, rtol=60 * eps)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["erf", "erfc", "erfcx", "erfi"])
def test_monotone(name: str) -> None:
    """Also over the joints of regions, where neighbours are by different methods."""
    func = getattr(likewise.special, name).generic
    for joint in (0.5, 1.0, 2.0, 3.0, 4.25, 6.0, 6.5):
        x = joint * (1 + np.arange(-300, 300) * 1e-12)
        y = func(x)
        steps = np.diff(y) * (-1 if name in ("erfc", "erfcx") else 1)
        assert np.all(steps >= -2 * np.spacing(np.abs(y[1:]))), joint
