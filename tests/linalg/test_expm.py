"""Exponentials of matrices, against mpmath's and SciPy's."""

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.linalg

import likewise
from likewise.errors import ShapeError
from likewise.linalg import expm


def exact(a: Any) -> Any:
    with mpmath.workdps(40):
        e = mpmath.expm(mpmath.matrix(a.tolist()), method="taylor")
        return np.asarray(e.tolist(), dtype=complex)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_expm(lib: Any, kind: str, rng: np.random.Generator) -> None:
    """Each matrix of a batch is scaled by its own norm."""
    if not hasattr(lib.xp, "linalg"):
        return
    a = rng.normal(size=(4, 3, 3)) * np.asarray([1e-3, 0.5, 3.0, 12.0])[:, None, None]
    if kind == "complex":
        a = a + 1j * rng.normal(size=a.shape)
    expected = np.stack([exact(m) for m in a])
    expected = expected if kind == "complex" else expected.real
    got = lib.to_numpy(expm(lib.asarray(a)))
    assert got.dtype.kind == ("c" if kind == "complex" else "f")
    size = np.max(np.abs(expected), axis=(1, 2), keepdims=True)
    tight = 1e-13 if lib.has_float64 else 2e-4
    np.testing.assert_allclose(got / size, expected / size, rtol=0, atol=tight)


def test_a_matrix_that_is_not_finite_spoils_no_other(lib: Any) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    a = np.asarray([[[0.0, 1.0], [-1.0, 0.0]], [[np.nan, 1.0], [2.0, 3.0]]])
    got = lib.to_numpy(expm(lib.asarray(a)))
    expected = [[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]]
    np.testing.assert_allclose(got[0], expected, rtol=1e-6)
    assert np.isnan(got[1]).all()


def test_derivative(rng: np.random.Generator) -> None:
    a, along = rng.normal(size=(2, 3, 3))
    got = likewise.jvp(expm, (a,), (along,))[1]
    expected = scipy.linalg.expm_frechet(a, along, compute_expm=False)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)


def test_refuses() -> None:
    with pytest.raises(ShapeError, match=r"expm: a must have shape \(\.\.\., n, n\)"):
        expm(np.ones((2, 3)))
