"""Linear algebra on batches of small matrices against NumPy and SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise import array_namespace
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, ExtensionMissing, ShapeError
from likewise.missing import (
    det,
    inv,
    lstsq,
    lu_factor,
    lu_solve,
    pinv,
    solve,
    solve_triangular,
    tridiagonal_solve,
)
from likewise.testing import assert_close, check_function

SIZES = [1, 2, 3]


def matrices(rng: np.random.Generator, *shape: int, kind: str = "real") -> Any:
    """Well-conditioned, and no two rows in the order of their pivots."""
    a = rng.normal(size=(*shape, shape[-1])) + 2 * np.eye(shape[-1])[::-1]
    return a + 1j * rng.normal(size=a.shape) if kind == "complex" else a


def dtype_of(lib: Any, x: Any) -> Any:
    """As given where the library has it, else single."""
    x = np.asarray(x)
    if lib.has_float64:
        return x
    return x.astype("complex64" if x.dtype.kind == "c" else "float32")


def rtol_of(lib: Any) -> float:
    return 1e-11 if lib.has_float64 else 1e-4


def compare(lib: Any, got: Any, expected: Any) -> None:
    scale = float(np.max(np.abs(expected), initial=1.0))
    rtol = rtol_of(lib)
    assert_close(got, dtype_of(lib, expected), rtol=rtol, atol=rtol * scale)


@pytest.mark.full
def test_triangular_everywhere(rng: Any) -> None:
    a, b = matrices(rng, 2, 3), rng.normal(size=(2, 3, 1))
    check_function(
        solve_triangular,
        a + 3 * np.eye(3),
        b,
        kwargs={"lower": True},
        reference=lambda a, b, lower: np.linalg.solve(np.tril(a), b),
        tol={"float32": 1e-4},
    )


@pytest.mark.parametrize("trans", [0, "T", 2])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_triangular(lib: Any, rng: Any, kind: str, trans: Any) -> None:
    for n, lower, unit in [(1, True, False), (4, True, True), (19, False, False), (4, False, True)]:
        a = matrices(rng, n, kind=kind) / n + 2 * np.eye(n)
        b = rng.normal(size=(n, 2))
        options = {"trans": trans, "lower": lower, "unit_diagonal": unit}
        expected = scipy.linalg.solve_triangular(a, b, **options)
        got = solve_triangular(
            lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, b)), **options
        )
        compare(lib, got, expected)


def test_triangular_broadcasts_and_is_empty(lib: Any, rng: Any) -> None:
    a = np.tril(matrices(rng, 2, 3)) + 3 * np.eye(3)
    b = dtype_of(lib, rng.normal(size=3))
    for unit in (False, True):
        t = a if not unit else np.tril(a, -1) + np.eye(3)
        got = solve_triangular(
            lib.asarray(dtype_of(lib, t)), lib.asarray(b), lower=True, unit_diagonal=unit
        )
        compare(lib, got, np.linalg.solve(t, b[:, None])[..., 0])
    empty = solve_triangular(lib.asarray(np.ones((2, 0, 0))), lib.asarray(np.ones((2, 0, 4))))
    assert empty.shape == (2, 0, 4)


def dense(dl: Any, d: Any, du: Any) -> Any:
    """Matrices of three diagonals."""
    n = d.shape[-1]
    a = d[..., None] * np.eye(n)
    a[..., np.arange(1, n), np.arange(n - 1)] = dl[..., 1:]
    a[..., np.arange(n - 1), np.arange(1, n)] = du[..., :-1]
    return a


@pytest.mark.full
def test_tridiagonal_everywhere(rng: Any) -> None:
    dl, d, du = rng.normal(size=(2, 4)), rng.normal(size=(2, 4)) + 6, rng.normal(size=(2, 4))
    check_function(
        tridiagonal_solve,
        dl,
        d,
        du,
        rng.normal(size=(2, 4, 1)),
        reference=lambda dl, d, du, b: np.linalg.solve(dense(dl, d, du), b),
    )


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17])
def test_tridiagonal(lib: Any, rng: Any, n: int) -> None:
    dl, du = rng.normal(size=(2, 3, n))
    d = rng.normal(size=(2, 1, n)) + 6
    b = rng.normal(size=(2, 1, n, 2))
    expected = np.linalg.solve(dense(*np.broadcast_arrays(dl, d, du)), b)
    dl[:, 0] = du[:, -1] = np.nan  # not read
    arrays = [lib.asarray(dtype_of(lib, v)) for v in (dl, d, du, b)]
    compare(lib, tridiagonal_solve(*arrays), expected)
    vector = lib.asarray(dtype_of(lib, b[0, 0, :, 0]))
    got = tridiagonal_solve(arrays[0][0, :], arrays[1][0, 0, :], arrays[2][0, :], vector)
    compare(lib, got, expected[0, 0, :, 0])


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


def test_refuses() -> None:
    ones = np.ones((2, 2))
    for func in (solve, solve_triangular):
        with pytest.raises(ShapeError, match=r"a must have shape \(\.\.\., n, n\)"):
            func(np.ones((2, 3)), np.ones(2))
        with pytest.raises(ShapeError, match=r"b must have shape \(\.\.\., 2, k\) or \(2,\)"):
            func(ones, np.ones(3))
        with pytest.raises(ShapeError, match="shapes must broadcast"):
            func(np.ones((3, 2, 2)), np.ones((4, 2, 1)))
    with pytest.raises(ShapeError, match=r"inv: a must have shape"):
        inv(np.ones(2))
    with pytest.raises(ArgumentError, match="trans must be one of"):
        solve_triangular(ones, np.ones(2), trans="X")
    with pytest.raises(ShapeError, match=r"dl, d and du must have shape"):
        tridiagonal_solve(np.ones(2), np.ones(3), np.ones(3), np.ones(3))


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5), (5, 3)])
def test_lu_is_lapacks(lib: Any, rng: Any, shape: Any, kind: str) -> None:
    a = rng.normal(size=(2, *shape)) + (1j * rng.normal(size=shape) if kind == "complex" else 0)
    x = lib.asarray(dtype_of(lib, a))
    lu, piv = lu_factor(x)
    pairs = [scipy.linalg.lu_factor(m) for m in a]
    compare(lib, lu, np.stack([p[0] for p in pairs]))
    assert lib.to_numpy(piv).tolist() == [p[1].tolist() for p in pairs]
    if shape[0] == shape[1]:
        b = rng.normal(size=(shape[0], 2))
        turned = np.swapaxes(a, 1, 2)
        cases: list[tuple[int | str, Any]] = [(0, a), ("T", turned), (2, turned.conj())]
        for trans, matrix in cases:
            got = lu_solve((lu, piv), lib.asarray(dtype_of(lib, b)), trans)
            compare(lib, got, np.linalg.solve(matrix, b))
        compare(lib, det(x), np.linalg.det(a))


def test_lu_of_singular_and_empty(lib: Any) -> None:
    a = np.asarray([[1.0, 2.0], [2.0, 4.0]])
    lu, piv = lu_factor(lib.asarray(a))
    assert lib.to_numpy(lu).tolist() == [[2.0, 4.0], [0.5, 0.0]]
    assert lib.to_numpy(piv).tolist() == [1, 1]
    assert float(det(lib.asarray(a))) == 0.0
    lu, piv = lu_factor(lib.asarray(np.ones((2, 0, 0))))
    assert lu.shape == (2, 0, 0) and piv.shape == (2, 0)


@pytest.mark.full
def test_lu_everywhere(rng: Any) -> None:
    a = matrices(rng, 3)
    check_function(
        lambda a, b: lu_solve(lu_factor(a), b),
        a,
        rng.normal(size=3),
        reference=np.linalg.solve,
        tol={"float32": 1e-4},
        name="likewise.missing.lu_solve",
    )


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (4, 4)])
def test_least_squares(lib: Any, rng: Any, shape: Any) -> None:
    a, b = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    deficient = a.copy()
    deficient[:, 1] = deficient[:, 0]
    x, right = lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, b))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="lstsq: needs the array API extension"):
            lstsq(x, right)
        return
    for matrix in (a, deficient):
        found = lstsq(lib.asarray(dtype_of(lib, matrix)), right)
        expected, _, rank, s = np.linalg.lstsq(matrix, b)
        compare(lib, found.x, expected)
        compare(lib, found.s, s)
        compare(lib, found.residuals, np.sum((matrix @ expected - b) ** 2, axis=0))
        assert int(found.rank) == rank
    compare(lib, lstsq(x, right[:, 0]).x, np.linalg.lstsq(a, b[:, 0])[0])


@pytest.mark.full
def test_least_squares_everywhere(rng: Any) -> None:
    check_function(
        lambda a, b: lstsq(a, b).x,
        rng.normal(size=(2, 4, 2)),
        rng.normal(size=(2, 4, 1)),
        reference=lambda a, b: np.linalg.pinv(a) @ b,
        eager={"strict-minimal": "there is no linalg"},
        tol={"float32": 1e-4},
        scalars=1,  # whether all is finite
        name="likewise.missing.lstsq",
    )


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
def test_pseudoinverses(lib: Any, rng: Any, shape: Any, kind: str) -> None:
    a = rng.normal(size=(2, *shape)) + (1j * rng.normal(size=shape) if kind == "complex" else 0)
    a[1, :, 1] = a[1, :, 0]
    x = lib.asarray(dtype_of(lib, a))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="pinv: needs the array API extension"):
            pinv(x)
        return
    rtol = 1e-10 if lib.has_float64 else 1e-4
    compare(lib, pinv(x, rtol), np.linalg.pinv(a, rtol=rtol))
    if lib.has_float64:
        compare(lib, pinv(x), np.linalg.pinv(a, rtol=None))
    each = np.asarray([0.5, 1e-3])
    compare(lib, pinv(x, rtol=lib.asarray(dtype_of(lib, each))), np.linalg.pinv(a, rtol=each))
    square = np.matmul(a, np.swapaxes(a, 1, 2).conj())
    got = pinv(lib.asarray(dtype_of(lib, square)), 1e-3, True)
    compare(lib, got, np.linalg.pinv(square, 1e-3, True))
    assert pinv(x[:, :0, :]).shape == (2, shape[1], 0)


@pytest.mark.full
def test_pseudoinverses_everywhere(rng: Any) -> None:
    minimal = {"strict-minimal": "there is no linalg"}
    a = rng.normal(size=(2, 3, 2))
    single, reads = {"float32": 1e-4}, 1  # whether all is finite
    check_function(
        pinv,
        a,
        reference=np.linalg.pinv,
        eager=minimal,
        tol=single,
        scalars=reads,
    )
    check_function(
        lambda a: pinv(a + transposed(a), hermitian=True),
        matrices(rng, 3),
        reference=lambda a: np.linalg.inv(a + a.T),
        eager=minimal,
        tol=single,
        scalars=reads,
        name="likewise.missing.pinv",
    )


def transposed(a: Any) -> Any:
    return array_namespace(a).matrix_transpose(a)


def test_pseudoinverses_refuse() -> None:
    with pytest.raises(ArgumentError, match="either rtol or rcond"):
        pinv(np.ones((2, 2)), 0.1, rtol=0.1)
    with pytest.raises(ShapeError, match=r"pinv: a must have shape \(\.\.\., m, n\)"):
        pinv(np.ones(2))
    with pytest.raises(ShapeError, match=r"pinv: a must have shape \(\.\.\., n, n\)"):
        pinv(np.ones((2, 3)), hermitian=True)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_matrices_that_lapack_may_never_end(lib: Any, rng: Any, bad: float) -> None:
    """An error where values can be looked at; NaN elsewhere, of these matrices alone."""
    if not lib.has_extensions:
        return
    a, b = rng.normal(size=(2, 5, 3)), np.ones((5, 1))
    a[1, 0, 0] = bad
    x, right = lib.asarray(a), lib.asarray(b)
    if is_concrete(x) and not lib.jit:
        for func in (lambda x: lstsq(x, right), lambda x: lstsq(x[1, ...], right), pinv):
            with pytest.raises(ArgumentError, match="a must be finite, got infinities or NaN"):
                func(x)
        with pytest.raises(ArgumentError, match="pinv: a must be finite"):
            pinv(x[:, :3, :], hermitian=True)
        return
    found = lstsq(x, right)
    compare(lib, found.x[0, ...], np.linalg.lstsq(a[0], b)[0])
    for part in (found.x, found.s, found.residuals, pinv(x), pinv(x[:, :3, :], hermitian=True)):
        values = lib.to_numpy(part)
        assert np.all(np.isfinite(values[0])) and np.all(np.isnan(values[1]))


def test_least_squares_refuse() -> None:
    for shape in ((3,), (0, 3), (3, 0), (2, 0, 3)):
        with pytest.raises(ShapeError, match=r"lstsq: a must have shape \(\.\.\., m, n\)"):
            lstsq(np.ones(shape), np.ones(3))
    with pytest.raises(ShapeError, match=r"lstsq: b must have shape"):
        lstsq(np.ones((3, 2)), np.ones(2))


def test_tridiagonal_without_rows(lib: Any) -> None:
    none, batch = lib.asarray([], "float32"), lib.asarray(np.zeros((2, 0)), "float32")
    assert tuple(tridiagonal_solve(none, none, none, none).shape) == (0,)
    right = lib.asarray(np.zeros((2, 0, 3)), "float32")
    assert tuple(tridiagonal_solve(batch, batch, batch, right).shape) == (2, 0, 3)
    one = lib.asarray([2.0], "float32")
    assert float(lib.to_numpy(tridiagonal_solve(one, one, one, one))[0]) == 1.0
