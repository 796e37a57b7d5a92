"""Systems and inverses against NumPy in double precision."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError
from likewise.linalg import inv, solve
from likewise.testing import assert_close, check_function

from .systems import agree, compare, dtype_of, matrices, rtol_of

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


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
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


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # Dask, later
def test_a_singular_matrix_spoils_no_other(lib: Any) -> None:
    a = np.asarray([np.ones((2, 2)), 2 * np.eye(2)])
    found = lib.to_numpy(inv(lib.asarray(a)))
    assert not np.isfinite(found[0]).any()
    np.testing.assert_allclose(found[1], np.eye(2) / 2)


STRUCTURES = [
    "diagonal",
    "tridiagonal",
    "upper triangular",
    "lower triangular",
    "sym",
    "her",
    "pos",
]


def structured(a: Any, assume: str, lower: bool) -> Any:
    """The matrix that is read."""
    diagonal = a * np.eye(a.shape[-1])
    if assume == "diagonal":
        return diagonal
    if assume == "tridiagonal":
        return np.triu(np.tril(a, 1), -1)
    if "triangular" in assume:
        return np.triu(a) if assume[0] == "u" else np.tril(a)
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    turned = np.swapaxes(half, -1, -2)
    if assume == "sym":
        return half + turned + diagonal
    return half + turned.conj() + diagonal.real


@pytest.mark.parametrize("assume", STRUCTURES)
def test_known_structures(lib: Any, rng: Any, assume: str) -> None:
    """No more is read than is said to be there; transposed and of both triangles."""
    for n, kind in ((1, "real"), (3, "complex"), (5, "complex"), (9, "real")):
        if (lib.jit or lib.library == "dask") and n != 3:
            continue
        if not lib.has_extensions and n > 3 and assume in ("sym", "her"):
            continue
        a = matrices(rng, 2, n, kind=kind) + 4 * n * np.eye(n)
        b = dtype_of(lib, rng.normal(size=(n, 2)))
        x = lib.asarray(dtype_of(lib, a))
        for lower in (False, True) if not lib.jit else (True,):
            matrix = structured(a, assume, lower)
            got = solve(x, lib.asarray(b), lower, assume_a=assume)
            compare(lib, got, np.linalg.solve(matrix, b))
            turned = np.swapaxes(matrix, -1, -2)
            got = solve(x, lib.asarray(b), lower, assume_a=assume, transposed=True)
            compare(lib, got, np.linalg.solve(turned, b))
            compare(lib, inv(x, assume_a=assume, lower=lower), np.linalg.inv(matrix))


def test_the_upper_triangle_is_read_unless_lower_is_said(lib: Any) -> None:
    a, b = (
        lib.asarray(dtype_of(lib, [[4.0, 1.0], [9.0, 3.0]])),
        lib.asarray(dtype_of(lib, [5.0, 4.0])),
    )
    compare(lib, solve(a, b, assume_a="pos"), np.ones(2))
    compare(lib, inv(a, assume_a="pos"), np.asarray([[3.0, -1.0], [-1.0, 4.0]]) / 11)


def test_structures_refuse_and_are_empty(lib: Any) -> None:
    with pytest.raises(ArgumentError, match=r"solve: assume_a must be one of .*, got 'x'"):
        solve(np.eye(2), np.ones(2), assume_a="x")
    with pytest.raises(ArgumentError, match=r"inv: assume_a must be one of .*, got 'x'"):
        inv(np.eye(2), assume_a="x")
    for assume in STRUCTURES:
        if assume in ("sym", "her") and not lib.has_extensions:
            continue
        none = solve(lib.asarray(np.ones((0, 0))), lib.asarray(np.ones(0)), assume_a=assume)
        assert none.shape == (0,)


def test_the_general_way_by_all_its_names(rng: Any) -> None:
    a, b = matrices(rng, 5), rng.normal(size=5)
    for assume in (None, "general", "gen", "banded"):
        np.testing.assert_array_equal(solve(a, b, assume_a=assume), np.linalg.solve(a, b))
    np.testing.assert_allclose(solve(a, b, transposed=True), np.linalg.solve(a.T, b))


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 3, 9])
def test_routine_equals_generic_body(lib: Any, rng: Any, n: int, kind: str) -> None:
    if lib.library not in ("numpy", "torch"):
        return  # the bodies compile on JAX, for which linalg/test_rows.py is
    for batch in ((), (2,)):
        if n > 3 and not lib.has_extensions:
            continue
        a = lib.asarray(dtype_of(lib, matrices(rng, *batch, n, kind=kind)))
        b = lib.asarray(dtype_of(lib, rng.normal(size=(n, 2))))
        agree(lib, solve(a, b), solve.generic(a, b))  # type: ignore[attr-defined]
        agree(lib, inv(a), inv.generic(a))  # type: ignore[attr-defined]
