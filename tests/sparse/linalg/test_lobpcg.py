"""Eigenvalues at one end by locally optimal steps: against dense decompositions, and differences."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg

from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, ConvergenceWarning, ExtensionMissing, ShapeError
from likewise.interop import to_numpy
from likewise.sparse.linalg import LinearOperator, lobpcg
from likewise.testing import assert_close

RNG = np.random.default_rng(8)
N = 14
G = RNG.normal(size=(N, N))
A, P = G + G.T, G @ G.T + N * np.eye(N)
X = RNG.normal(size=(N, 3))


def lacks(lib: Any) -> bool:
    if lib.has_extensions:
        return False
    with pytest.raises(ExtensionMissing, match="eigh"):
        lobpcg(lib.asarray(A), lib.asarray(X))
    return True


@pytest.mark.parametrize("largest", [True, False])
def test_eigenvalues_of_pairs_in_batches(lib: Any, largest: bool) -> None:
    if lacks(lib):
        return
    tol = 1e-7 if lib.has_float64 else 1e-3
    many = np.stack([A, P])
    options = {"largest": largest, "maxiter": 150, "tol": tol}
    w, v = lobpcg(lib.asarray(many), lib.asarray(X), lib.asarray(P), **options)
    for i, a in enumerate(many):
        want = scipy.linalg.eigvalsh(a, P)
        want = want[::-1][:3] if largest else want[:3]
        np.testing.assert_allclose(to_numpy(w)[i], want, rtol=tol, atol=tol)
        u = to_numpy(v)[i]
        np.testing.assert_allclose(a @ u, P @ u * want, atol=100 * tol)
        np.testing.assert_allclose(u.T @ P @ u, np.eye(3), atol=100 * tol)


def test_preconditioner_constraints_and_histories(lib: Any) -> None:
    """Of functions of matrices, as fast as SciPy's; and of complex operators."""
    if lacks(lib):
        return
    d = np.arange(1.0, 41.0)
    start = np.random.default_rng(3).normal(size=(40, 3))
    c, guide = lib.asarray(d[:, None]), lib.asarray(1 / d[:, None])
    tol = 1e-7 if lib.has_float64 else 1e-3
    more = {"largest": False, "tol": tol, "maxiter": 40}
    kept = {"retLambdaHistory": True, "retResidualNormsHistory": True}

    def product(x: Any) -> Any:
        return c * x

    def precondition(x: Any) -> Any:
        return guide * x

    w, _, values, errors = lobpcg(product, lib.asarray(start), M=precondition, **more, **kept)
    np.testing.assert_allclose(to_numpy(w), d[:3], rtol=10 * tol)
    values, errors = to_numpy(values), to_numpy(errors)
    assert values.shape == errors.shape
    np.testing.assert_allclose(values[-1], d[:3], rtol=10 * tol)
    assert np.all(errors[-1] <= tol) and np.any(errors[-2] > tol)
    theirs = scipy.sparse.linalg.lobpcg(np.diag(d), start, M=np.diag(1 / d), **more, **kept)
    assert len(values) <= len(theirs[2])
    known = lib.asarray(np.eye(40)[:, :2])
    w = lobpcg(product, lib.asarray(start), M=precondition, Y=known, **more)[0]
    np.testing.assert_allclose(to_numpy(w), d[2:5], rtol=10 * tol)
    turn = np.diag(np.exp(1j * np.arange(N)))
    dense = turn @ A @ turn.conj().T
    w = lobpcg(lib.asarray(dense), lib.asarray(X + 0j), maxiter=150, tol=tol)[0]
    np.testing.assert_allclose(to_numpy(w), np.linalg.eigvalsh(dense)[:-4:-1], rtol=10 * tol)


def test_one_matrix_of_one_row(lib: Any) -> None:
    if lacks(lib):
        return
    w, v = lobpcg(lib.asarray([[2.0]]), lib.asarray([[3.0]]))
    assert_close(w, np.asarray([2.0]))
    assert_close(v**2, np.asarray([[1.0]]))


def test_more_columns_than_there_is_room_for() -> None:
    for k in (5, 7, N):
        w, v = lobpcg(A, RNG.normal(size=(N, k)), maxiter=200, tol=1e-9)
        np.testing.assert_allclose(w, np.linalg.eigvalsh(A)[::-1][:k], atol=1e-9)
        np.testing.assert_allclose(v.T @ v, np.eye(k), atol=1e-9)


def test_derivatives(xp: Any) -> None:
    """Of values, and of what doesn't depend on signs of vectors, along a change of A and B."""
    if lacks(xp.variant):
        return
    exact = xp.variant.has_float64
    n = 7
    a, p, e, c = A[:n, :n], P[:n, :n], (G + G.T)[n:, n:], np.cos(np.arange(n))

    def plain(t: float) -> float:
        w, v = scipy.linalg.eigh(a + t * e, p + t * np.eye(n))
        return float(np.sum(w[-2:] ** 2) + np.sum((c @ v[:, -2:]) ** 2))

    def loss(t: Any) -> Any:
        ns = array_namespace(t)
        b = t * xp.asarray(np.eye(n)) + xp.asarray(p)
        options = {"tol": 1e-9 if exact else 1e-4, "maxiter": 100}
        w, v = lobpcg(t * xp.asarray(e) + xp.asarray(a), xp.asarray(X[:n, :2]), b, **options)
        parts = ns.sum(v * xp.asarray(c[:, None]), axis=0)
        return ns.sum(w * w) + ns.sum(parts * parts)

    want = (plain(0.1 + 1e-6) - plain(0.1 - 1e-6)) / 2e-6
    found = transforms.grad(loss)(xp.asarray(np.asarray(0.1)))
    near = 1e-5 if exact else 5e-2
    assert_close(found, np.asarray(want), rtol=near, atol=near)


def test_bad_input_and_problems_that_do_not_converge() -> None:
    with pytest.raises(ShapeError, match="must hold columns"):
        lobpcg(A, X[:, 0])
    with pytest.raises(ShapeError, match="from 1 to n = 14 columns, got 0"):
        lobpcg(A, X[:, :0])
    with pytest.raises(ShapeError, match="incompatible"):
        lobpcg(A, X[:-1])
    with pytest.raises(ArgumentError, match="maxiter"):
        lobpcg(A, X, maxiter=-1)
    many = np.stack([A, A * np.nan])
    with pytest.warns(ConvergenceWarning, match="1 of 2 problems did not converge within 150"):
        w, _ = lobpcg(many, X, maxiter=150)
    np.testing.assert_allclose(w[0], np.linalg.eigvalsh(A)[:-4:-1], rtol=1e-9)
    with pytest.warns(ConvergenceWarning, match="give a preconditioner"):
        lobpcg(LinearOperator((N, N), lambda x: A @ x), X, maxiter=1)


@pytest.mark.filterwarnings("ignore::likewise.errors.ConvergenceWarning")
def test_no_values_without_vectors() -> None:
    """A start of 0, a B that isn't positive, data that aren't finite have no vectors."""
    for w, _ in (lobpcg(A, 0 * X), lobpcg(A, X, -P), lobpcg(np.nan * A, X)):
        assert np.isnan(w).all()
    for wrong in (X[:3], X[:, 0], [1.0] * N, RNG.normal(size=(N, N - 2))):
        with pytest.raises(ShapeError, match="Y must hold"):
            lobpcg(A, X, Y=wrong)
