"""Toeplitz systems against SciPy's recursion, and against the matrices themselves."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise.errors import ExtensionMissing, LinAlgError, ShapeError
from likewise.linalg import solve_toeplitz

from .systems import compare, dtype_of


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 3, 7])
def test_solves_as_scipy(lib: Any, rng: Any, n: int, kind: str) -> None:
    imag = 1j if kind == "complex" else 0
    c, r, b = (rng.normal(size=n) + imag * rng.normal(size=n) for _ in range(3))
    c[0] += 4 * n
    b = np.stack([b, b[::-1]], axis=-1)
    ours = [lib.asarray(dtype_of(lib, v)) for v in (c, r, b)]
    if n > 3 and not lib.has_extensions:
        with pytest.raises(ExtensionMissing):
            solve_toeplitz((ours[0], ours[1]), ours[2])
        return
    compare(
        lib, solve_toeplitz((ours[0], ours[1]), ours[2]), scipy.linalg.solve_toeplitz((c, r), b)
    )
    compare(lib, solve_toeplitz(ours[0], ours[2]), scipy.linalg.solve_toeplitz(c, b))
    vector = solve_toeplitz((ours[0], ours[1]), ours[2][:, 0])
    compare(lib, vector, scipy.linalg.solve_toeplitz((c, r), b[:, 0]))


def test_batches(lib: Any, rng: Any) -> None:
    c, b = rng.normal(size=(2, 3)) + np.asarray([9.0, 0.0, 0.0]), rng.normal(size=(3, 1))
    got = solve_toeplitz(lib.asarray(dtype_of(lib, c)), lib.asarray(dtype_of(lib, b)))
    compare(lib, got, np.stack([scipy.linalg.solve_toeplitz(row, b) for row in c]))


def test_singular_minors(lib: Any) -> None:
    """The recursion stops at them; the matrix is regular."""
    c, b = np.asarray([0.0, 1.0, 2.0]), np.ones(3)
    expected = np.linalg.solve(scipy.linalg.toeplitz(c), b)
    compare(
        lib, solve_toeplitz(lib.asarray(dtype_of(lib, c)), lib.asarray(dtype_of(lib, b))), expected
    )


@pytest.mark.parametrize("minor", [1e-4, 1e-8, 1e-12, 1e-14, -1e-15])
@pytest.mark.parametrize("kind", ["float64", "complex128", "float32"])
@pytest.mark.parametrize("n", [4, 80])
def test_beside_singular_minors(minor: float, kind: str, n: int) -> None:
    """The recursion loses the digits that it divides by; the matrix is regular, and says no word."""
    rng = np.random.default_rng(n)
    c, r, *b = rng.normal(size=(4, n)) + (1j * rng.normal(size=(4, n)) if "c" in kind else 0)
    c[0], b = minor, np.stack(b, axis=-1)
    c, r, b = (x.astype(kind) for x in (c, r, b))
    a = scipy.linalg.toeplitz(c, r).astype("complex128")
    assert np.linalg.cond(a) < 300
    expected = np.linalg.solve(a, b)
    tol = 1e-5 if kind == "float32" else 1e-12
    found = solve_toeplitz((c, r), b)
    assert found.dtype == kind
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * np.abs(expected).max())
    np.testing.assert_allclose(
        solve_toeplitz((c, r), b[:, 0]), expected[:, 0], rtol=0, atol=tol * np.abs(expected).max()
    )


def test_refuses() -> None:
    one = np.ones(3)
    with pytest.raises(LinAlgError, match="solve_toeplitz: the matrix is singular"):
        solve_toeplitz(one, one)
    with pytest.raises(ShapeError, match="solve_toeplitz: c and r must have shape"):
        solve_toeplitz((one, one[:2]), one)
    with pytest.raises(ShapeError, match="solve_toeplitz: b must have shape"):
        solve_toeplitz(one, one[:2])
