"""A few eigenvalues and singular values: against dense decompositions and differences."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise import array_namespace, transforms
from likewise.errors import (
    ArgumentError,
    ConvergenceError,
    ExtensionMissing,
    NotSupported,
    ShapeError,
)
from likewise.interop import to_numpy
from likewise.sparse.linalg import LinearOperator, eigsh, svds
from likewise.testing import assert_close

RNG = np.random.default_rng(8)
N = 24
G = RNG.normal(size=(N, N))
A, P = G + G.T, G @ G.T + N * np.eye(N)


@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
def test_eigenvalues(lib: Any, which: str) -> None:
    """Of matrices, with restarts; values are those wanted, and vectors fulfil the equation."""
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="eigh"):
            eigsh(lib.asarray(A), 2)
        return
    tol = 1e-9 if lib.has_float64 else 1e-3
    all_ = np.linalg.eigvalsh(A)
    order = {
        "LM": np.argsort(-abs(all_)), "SM": np.argsort(abs(all_)), "LA": np.argsort(-all_),
        "SA": np.argsort(all_), "BE": np.asarray([0, 1, N - 2, N - 1]),
    }  # fmt: skip
    want = np.sort(all_[order[which][:4]])
    w, v = eigsh(lib.asarray(A), 4, which=which, ncv=12)
    assert_close(w, want, rtol=tol, atol=tol)
    v = to_numpy(v)
    np.testing.assert_allclose(A @ v, v * want, atol=10 * tol)


def test_batches_operators_and_pairs(xp: Any) -> None:
    if not xp.variant.has_extensions:
        with pytest.raises(ExtensionMissing, match="eigh"):
            eigsh(xp.asarray(A), 2)
        return
    tol = 1e-9 if xp.variant.has_float64 else 1e-2
    many = np.stack([A, P])
    w = eigsh(xp.asarray(many), 2, which="LA", return_eigenvectors=False)
    assert_close(w, np.stack([np.linalg.eigvalsh(m)[-2:] for m in many]), rtol=tol, atol=tol)
    d = xp.asarray(np.arange(1.0, 12.0))
    w, v = eigsh(LinearOperator((11, 11), lambda x: d * x), 3, v0=xp.asarray(np.ones(11)))
    assert_close(w, np.asarray([9.0, 10.0, 11.0]), rtol=tol)
    pair = xp.asarray(A), xp.asarray(P)
    w, v = eigsh(pair[0], 2, pair[1], which="SA")
    want = scipy.linalg.eigvalsh(A, P)
    assert_close(w, want[:2], rtol=tol, atol=tol)
    v = to_numpy(v)
    np.testing.assert_allclose(v.T @ P @ v, np.eye(2), atol=10 * tol)
    w, v = eigsh(*pair[:1], 2, pair[1], 0.1)
    near = want[np.argsort(abs(want - 0.1))[:2]]
    assert_close(w, np.sort(near), rtol=tol, atol=tol)


def test_singular_values(xp: Any) -> None:
    if not xp.variant.has_extensions:
        with pytest.raises(ExtensionMissing, match="eigh"):
            eigsh(xp.asarray(A), 2)
        return
    tol = 1e-9 if xp.variant.has_float64 else 1e-2
    for a in (G[:, :9], G[:7], G[:, :8] + 1j * G[:, 8:16]):
        u, s, vh = svds(xp.asarray(a), 3)
        assert_close(s, np.linalg.svd(a)[1][2::-1], rtol=tol, atol=tol)
        u, s, vh = map(to_numpy, (u, s, vh))
        np.testing.assert_allclose(a @ vh.conj().T, u * s, atol=20 * tol)
        np.testing.assert_allclose(u.conj().T @ a, s[:, None] * vh, atol=20 * tol)
    s = svds(xp.asarray(G[:, :9]), 2, which="SM", return_singular_vectors=False)
    assert_close(s, np.linalg.svd(G[:, :9])[1][:-3:-1], rtol=1e3 * tol, atol=tol)


def test_derivatives(xp: Any) -> None:
    """Of values and of what doesn't depend on signs of vectors, along a change of A and M."""
    if not xp.variant.has_extensions:
        with pytest.raises(ExtensionMissing, match="eigh"):
            eigsh(xp.asarray(A), 2)
        return
    near = 1e-5 if xp.variant.has_float64 else 5e-2
    n = 7
    a, p, e, c = A[:n, :n], P[:n, :n], (G + G.T)[8 : 8 + n, 8 : 8 + n], np.cos(np.arange(n))

    def plain(t: float, pair: bool) -> float:
        w, v = scipy.linalg.eigh(a + t * e, p + t * np.eye(n) if pair else None)
        return float(np.sum(w[-2:] ** 2) + np.sum((c @ v[:, -2:]) ** 2))

    for pair in (False, True):

        def loss(t: Any, pair: bool = pair) -> Any:
            ns = array_namespace(t)
            M = t * xp.asarray(np.eye(n)) + xp.asarray(p) if pair else None
            w, v = eigsh(t * xp.asarray(e) + xp.asarray(a), 2, M, which="LA")
            parts = ns.sum(v * xp.asarray(c[:, None]), axis=0)
            return ns.sum(w * w) + ns.sum(parts * parts)

        want = (plain(0.1 + 1e-6, pair) - plain(0.1 - 1e-6, pair)) / 2e-6
        found = transforms.grad(loss)(xp.asarray(np.asarray(0.1)))
        assert_close(found, np.asarray(want), rtol=near, atol=near)

    def of_values(t: Any) -> Any:
        u, s, vh = svds(t * xp.asarray(G[:6, 5:10]) + xp.asarray(G[:6, :5]), 2)
        ns = array_namespace(s)
        return ns.sum(s * s * s) + ns.sum(ns.matmul(u, vh) * xp.asarray(G[8:14, :5]))

    def plain_values(t: float) -> float:
        u, s, vh = np.linalg.svd(G[:6, :5] + t * G[:6, 5:10], full_matrices=False)
        return float(np.sum(s[:2] ** 3) + np.sum((u[:, :2] @ vh[:2]) * G[8:14, :5]))

    want = (plain_values(0.1 + 1e-6) - plain_values(0.1 - 1e-6)) / 2e-6
    found = transforms.grad(of_values)(xp.asarray(np.asarray(0.1)))
    assert_close(found, np.asarray(want), rtol=near, atol=near)


def test_sigma_next_to_an_eigenvalue(lib: Any) -> None:
    if not lib.has_extensions:
        return
    all_ = np.linalg.eigvalsh(A)
    for off in (1e-6, 1e-10, 1e-13) if lib.has_float64 else (1e-3,):
        sigma = all_[10] + off
        want = np.sort(all_[np.argsort(abs(all_ - sigma))[:3]])
        w, v = eigsh(lib.asarray(A), 3, sigma=sigma)
        tol = 1e-10 if lib.has_float64 else 1e-4
        assert_close(w, want, rtol=tol, atol=tol)
        np.testing.assert_allclose(A @ to_numpy(v), to_numpy(v) * want, atol=1e4 * tol)


def test_all_but_one_of_a_complex_matrix() -> None:
    """SciPy's ARPACK has no more than n - 2 of them, and none from both ends."""
    for n in (2, 5):
        a = G[:n, :n] + 1j * (G[n : 2 * n, :n] - G[n : 2 * n, :n].T)
        a = a + a.conj().T
        w, v = eigsh(a, n - 1, which="LA")
        np.testing.assert_allclose(w, np.linalg.eigvalsh(a)[1:])
        np.testing.assert_allclose(a @ v, v * w, atol=1e-9)
    w = eigsh(a, 2, which="BE", return_eigenvectors=False)
    np.testing.assert_allclose(w, np.linalg.eigvalsh(a)[[0, -1]])


def test_bad_input() -> None:
    with pytest.raises(ArgumentError, match="k must be less"):
        eigsh(A, N)
    with pytest.raises(ArgumentError, match="k must be less"):
        svds(G[:3], 3)
    with pytest.raises(ArgumentError, match="return_singular_vectors"):
        svds(G, 3, return_singular_vectors="zz")
    with pytest.raises(ArgumentError, match="ncv"):
        eigsh(A, 3, ncv=3)
    with pytest.raises(ArgumentError, match="sigma must be"):
        eigsh(A, 3, sigma="a")
    with pytest.raises(ShapeError, match="v0"):
        eigsh(A, 3, v0=np.ones(3))
    with pytest.raises(ShapeError, match="v0"):
        eigsh(A, 3, v0=np.asarray(1.0))
    np.testing.assert_allclose(eigsh(A, 3, v0=[1.0] * N)[0], eigsh(A, 3)[0])
    with pytest.raises(ArgumentError, match="Minv is of no use without M"):
        eigsh(A, 3, Minv=np.eye(N))
    with pytest.raises(ArgumentError, match="OPinv is of no use without sigma"):
        eigsh(A, 3, OPinv=np.eye(N))
    with pytest.raises(ConvergenceError, match="sigma may be an eigenvalue"):
        eigsh(np.diag(np.arange(8.0)), 3, sigma=2.0)
    with pytest.raises(ArgumentError, match="which"):
        eigsh(A, 3, which="XX")
    with pytest.raises(NotSupported, match="mode"):
        eigsh(A, 3, mode="cayley")
    with pytest.raises(ConvergenceError, match="maxiter"):
        eigsh(A, 3, which="SM", ncv=5, maxiter=1)
    w = eigsh(np.stack([A, np.full((N, N), np.nan)]), 2, return_eigenvectors=False)
    assert np.isfinite(w[0]).all() and np.isnan(w[1]).all()
