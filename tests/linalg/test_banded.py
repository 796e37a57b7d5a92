"""Systems of a few diagonals against dense ones."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise.errors import ArgumentError, LinAlgError, ShapeError
from likewise.linalg import solve_banded, tridiagonal_solve
from likewise.testing import check_function

from .systems import agree, compare, dtype_of


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


def test_tridiagonal_without_rows(lib: Any) -> None:
    none, batch = lib.asarray([], "float32"), lib.asarray(np.zeros((2, 0)), "float32")
    assert tuple(tridiagonal_solve(none, none, none, none).shape) == (0,)
    right = lib.asarray(np.zeros((2, 0, 3)), "float32")
    assert tuple(tridiagonal_solve(batch, batch, batch, right).shape) == (2, 0, 3)
    ones = lib.asarray(np.ones(4))
    columns = lib.asarray(np.ones((4, 0)))  # LAPACK's routine would end the process
    assert tuple(tridiagonal_solve(ones, ones * 4, ones, columns).shape) == (4, 0)
    one = lib.asarray([2.0], "float32")
    assert float(lib.to_numpy(tridiagonal_solve(one, one, one, one))[0]) == 1.0


def test_one_large_system_goes_to_lapack() -> None:
    ones = np.ones(3)
    told = likewise.explain(tridiagonal_solve, ones, 4 * ones, ones, ones)
    assert told.routine == "likewise._libs.numpy._lapack:tridiagonal"
    for n, dtype in ((2, "float64"), (3, "float32")):
        few = np.ones(n, dtype)
        told = likewise.explain(tridiagonal_solve, few, 4 * few, few, few)
        assert told.routine == "likewise._libs.numpy._natives:tridiagonal"


def filled(ab: Any, below: int, above: int) -> Any:
    """The matrices, and their diagonals with NaN where nothing is read."""
    n = ab.shape[-1]
    a, ab = np.zeros((*ab.shape[:-2], n, n), dtype=ab.dtype), ab.copy()
    for t in range(below + above + 1):
        for j in range(n):
            i = j + t - above
            if 0 <= i < n:
                a[..., i, j] = ab[..., t, j]
            else:
                ab[..., t, j] = np.nan
    return a, ab


@pytest.mark.parametrize("widths", [(0, 0), (1, 1), (2, 1), (0, 2), (3, 0)])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_banded(lib: Any, rng: Any, widths: Any, kind: str) -> None:
    """Nothing is dominant, so that without pivots digits would be lost; some NaN is not read."""
    slow = lib.jit or lib.library == "dask"  # compiles, or makes a graph, of all steps
    if slow and (widths, kind) not in (((1, 1), "real"), ((0, 2), "complex")):
        return
    # Eager JAX compiles for each size.
    for n in (5,) if slow else (1, 5) if lib.library == "jax" else (1, 2, 5, 17):
        ab = rng.normal(size=(2, 1, sum(widths) + 1, n))
        ab = ab + 1j * rng.normal(size=ab.shape) if kind == "complex" else ab
        ab[..., widths[1], ::2] *= 1e-3 if min(widths) else 1
        a, ab = filled(ab, *widths)
        b = rng.normal(size=(3, n, 2))
        given = lib.asarray(dtype_of(lib, ab)), lib.asarray(dtype_of(lib, b))
        got = lib.to_numpy(solve_banded(widths, *given))
        assert got.shape == (2, 3, n, 2) and got.dtype == dtype_of(lib, ab).dtype
        scale = np.max(np.abs(a)) * np.max(np.abs(got), axis=(-2, -1), keepdims=True)
        tol = 1e-13 if lib.has_float64 else 1e-5
        assert np.max(np.abs(a @ got - b) / scale) < tol
        if slow:
            continue
        one = lib.to_numpy(solve_banded(widths, given[0][0, 0, ...], given[1][0, :, 0]))
        assert one.shape == (n,)
        assert np.max(np.abs(a[0, 0] @ one - b[0, :, 0])) < tol * scale[0, 0]


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # Dask, later
def test_banded_singular_and_empty(lib: Any, rng: Any) -> None:
    ab = rng.normal(size=(2, 3, 6)) + np.asarray([0.0, 4.0, 0.0])[:, None]
    a, _ = filled(ab, 1, 1)
    ab[1] = 0.0
    got = lib.to_numpy(solve_banded((1, 1), lib.asarray(ab), lib.asarray(np.ones(6))))
    np.testing.assert_allclose(got[0], np.linalg.solve(a[0], np.ones(6)), rtol=1e-4)
    assert not np.isfinite(got[1]).any()
    none = lib.asarray(np.ones((2, 3, 0)))
    assert solve_banded((1, 1), none, lib.asarray(np.ones((0, 4)))).shape == (2, 0, 4)
    assert solve_banded((1, 1), lib.asarray(ab), lib.asarray(np.ones((6, 0)))).shape == (2, 6, 0)


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # Dask, later
@pytest.mark.parametrize("widths", [(0, 0), (1, 0), (1, 1), (2, 1)])
def test_a_singular_system_has_no_part_of_a_solution(lib: Any, rng: Any, widths: Any) -> None:
    """NaN throughout, where elimination leaves finite numbers, infinities and NaN side by side."""
    below, above = widths
    ab = rng.normal(size=(9, below + above + 1, 8)) + 0.0
    ab[:, above, :] += 6.0
    for i in range(1, 9):
        ab[i, :, i - 1] = 0.0  # a column of zeros
    b = rng.normal(size=(8, 2))
    found = lib.to_numpy(solve_banded(widths, lib.asarray(ab), lib.asarray(b)))
    assert np.all(np.isfinite(found[0])) and np.all(np.isnan(found[1:]))
    one = lib.to_numpy(solve_banded(widths, lib.asarray(ab[0]), lib.asarray(b[:, 0])))
    assert np.all(np.isfinite(one))
    if lib.library not in ("jax", "dask"):
        with pytest.raises(LinAlgError, match="solve_banded: ab is singular"):
            solve_banded(widths, lib.asarray(ab[3]), lib.asarray(b[:, 0]))


def test_banded_refuses() -> None:
    ab, b = np.ones((3, 4)), np.ones(4)
    for pair in (1, (1,), (1.0, 1), (True, 1), "ab"):
        with pytest.raises(ArgumentError, match="l_and_u must be two integers"):
            solve_banded(pair, ab, b)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="l_and_u must not be negative"):
        solve_banded((-1, 3), ab, b)
    with pytest.raises(ShapeError, match=r"ab must have shape \(\.\.\., 4, n\)"):
        solve_banded((1, 2), ab, b)
    with pytest.raises(ShapeError, match="b must have shape"):
        solve_banded((1, 1), ab, np.ones(3))


@pytest.mark.full
def test_banded_everywhere(rng: Any) -> None:
    ab, b = rng.normal(size=(2, 3, 5)) + np.asarray([0, 5, 0])[:, None], rng.normal(size=(5, 1))
    check_function(
        lambda ab, b: solve_banded((1, 1), ab, b),
        ab,
        b,
        reference=lambda ab, b: np.linalg.solve(filled(ab, 1, 1)[0], b),
        name="likewise.linalg.solve_banded",
        tol={"float32": 1e-4},
    )


@pytest.mark.needs("jax", "torch")
@pytest.mark.full
def test_derivatives_of_banded_systems(rng: Any) -> None:
    """Against the dense solution's: entries outside of the matrix have none."""
    import jax
    import jax.numpy as jnp
    import torch

    ab, b, w = rng.normal(size=(3, 7)), rng.normal(size=7), rng.normal(size=7)
    a, _ = filled(ab, 1, 1)
    x, y = np.linalg.solve(a, b), np.linalg.solve(a.T, w)
    full, expected = -np.outer(y, x), np.zeros_like(ab)
    for t in range(3):
        for j in range(7):
            if 0 <= j + t - 1 < 7:
                expected[t, j] = full[j + t - 1, j]

    def value(ab: Any, b: Any, w: Any) -> Any:
        return array_namespace(ab).sum(w * solve_banded((1, 1), ab, b))

    got = jax.jit(jax.grad(value))(jnp.asarray(ab), jnp.asarray(b), jnp.asarray(w))
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)
    t = torch.asarray(ab, requires_grad=True)
    value(t, torch.asarray(b), torch.asarray(w)).backward()
    np.testing.assert_allclose(t.grad.numpy(), expected, rtol=1e-9, atol=1e-11)  # type: ignore[union-attr]
    found = likewise.grad(value)(ab, b, w)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 3, 9])
def test_routine_equals_generic_body(lib: Any, rng: Any, n: int, kind: str) -> None:
    if lib.library not in ("numpy", "torch"):
        return  # the bodies compile on JAX, for which linalg/test_rows.py is
    for batch in ((), (2,)):
        ab = rng.normal(size=(*batch, 4, n)) + np.asarray([0, 6, 0, 0])[:, None]
        ab = ab + 1j * rng.normal(size=ab.shape) if kind == "complex" else ab
        x, b = lib.asarray(dtype_of(lib, ab)), lib.asarray(dtype_of(lib, rng.normal(size=(n, 2))))
        body = solve_banded.generic((2, 1), x, b)  # type: ignore[attr-defined]
        agree(lib, solve_banded((2, 1), x, b), body)
        rows = [lib.asarray(dtype_of(lib, ab[..., i, :])) for i in range(3)]
        body = tridiagonal_solve.generic(*rows, b)  # type: ignore[attr-defined]
        agree(lib, tridiagonal_solve(*rows, b), body)
