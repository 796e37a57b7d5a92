"""Systems and inverses against NumPy in double precision."""

from typing import Any

import numpy as np
import pytest

from likewise.linalg import inv, solve
from likewise.testing import assert_close, check_function

from .systems import compare, dtype_of, matrices, rtol_of

SIZES = [1, 2, 3]


@pytest.mark.full
def test_closed_forms_everywhere(rng: Any) -> None:
    a = matrices(rng, 2, 3)
    check_function(
        solve, a, rng.normal(size=(2, 3, 1)), reference=np.linalg.solve, tol={"float32": 1e-4}
    )
    check_function(inv, a, reference=np.linalg.inv, tol={"float32": 1e-4})


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_closed_forms(lib: Any, rng: Any, n: int, kind: str) -> None:
    a = matrices(rng, 3, n, kind=kind) * np.asarray([1.0, 1e-15, 1e12])[:, None, None]
    b = dtype_of(lib, rng.normal(size=(2, 1, n, 2)))
    x = lib.asarray(dtype_of(lib, a))
    got = solve(x, lib.asarray(b))
    expected = np.linalg.solve(a, b)
    rtol = rtol_of(lib)
    for k in range(3):
        np.testing.assert_allclose(
            lib.to_numpy(got)[:, k] * np.abs(a[k]).max(),
            expected[:, k] * np.abs(a[k]).max(),
            rtol=rtol,
            atol=rtol,
        )
        np.testing.assert_allclose(
            lib.to_numpy(inv(x))[k] * np.abs(a[k]).max(),
            np.linalg.inv(a)[k] * np.abs(a[k]).max(),
            rtol=rtol,
            atol=rtol,
        )
    vector = dtype_of(lib, rng.normal(size=n))
    compare(lib, solve(x[0, ...], lib.asarray(vector)), np.linalg.solve(a[0], vector))


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_closed_forms_of_scaled_rows_and_columns(lib: Any, rng: Any, kind: str) -> None:
    """Their determinants underflow or overflow, though they are far from singular."""
    big = 1e170 if lib.has_float64 else 1e20
    rtol = rtol_of(lib)
    for n in (2, 3):
        a = matrices(rng, n, kind=kind)
        rows, columns = np.asarray([big, 1 / big, 1 / big])[:n], np.asarray([1.0, 1e5, 1e-5])[:n]
        x = lib.asarray(dtype_of(lib, a * rows[:, None] * columns))
        b = lib.asarray(dtype_of(lib, np.eye(n) * rows[:, None]))
        expected = np.linalg.inv(a)
        got = lib.to_numpy(inv.generic(x)) * columns[:, None] * rows  # type: ignore[attr-defined]
        np.testing.assert_allclose(got, expected, rtol=100 * rtol)
        got = lib.to_numpy(solve.generic(x, b)) * columns[:, None]  # type: ignore[attr-defined]
        np.testing.assert_allclose(got, expected, rtol=100 * rtol)
        # LAPACK, too, inverts diagonal matrices.
        plain = lib.asarray(dtype_of(lib, np.diag(rows)))
        np.testing.assert_allclose(lib.to_numpy(inv(plain)), np.diag(1 / rows), rtol=rtol)


def test_larger_matrices(rng: Any) -> None:
    a, b = matrices(rng, 2, 5), rng.normal(size=5)
    assert_close(solve(a, b), np.linalg.solve(a, b[:, None])[..., 0])
    assert_close(inv(a), np.linalg.inv(a))


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # Dask, later
def test_a_singular_matrix_spoils_no_other(lib: Any) -> None:
    a = np.asarray([np.ones((2, 2)), 2 * np.eye(2)])
    found = lib.to_numpy(inv(lib.asarray(a)))
    assert not np.isfinite(found[0]).any()
    np.testing.assert_allclose(found[1], np.eye(2) / 2)
