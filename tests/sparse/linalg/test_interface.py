"""Linear operators: products, adjoints, arithmetic, trees."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg as judge

from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, ArrayTypeError, ShapeError
from likewise.interop import to_numpy
from likewise.sparse.linalg import LinearOperator, aslinearoperator
from likewise.testing import assert_close

A = np.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
B = np.asarray([[1.0, -1.0], [0.5, 2.0], [3.0, 1.0]])
X, Y = np.asarray([1.0, -2.0, 0.5]), np.asarray([2.0, 3.0])


class Stretch(LinearOperator):
    """A diagonal, as a subclass."""

    def __init__(self, d: Any) -> None:
        super().__init__(d.dtype, (d.shape[0], d.shape[0]))
        self.d = d

    def _matvec(self, x: Any) -> Any:
        return self.d * x


def of_function(a: Any, **more: Any) -> LinearOperator:
    return LinearOperator(tuple(a.shape), lambda v: array_namespace(a, v).matmul(a, v), **more)


@pytest.mark.parametrize("made", [of_function, aslinearoperator])
def test_products(xp: Any, made: Any) -> None:
    """As the matrices', of vectors, columns and rows; transposes are exact without a function."""
    a, b = made(xp.asarray(A)), made(xp.asarray(B))
    x, y = xp.asarray(X), xp.asarray(Y)
    tol = 1e-12 if xp.variant.has_float64 else 1e-5

    def same(found: Any, want: Any) -> None:
        assert_close(found, want, rtol=tol, atol=tol)

    same(a.matvec(x), A @ X)
    same(a @ x, A @ X)
    same(a.rmatvec(y), A.T @ Y)
    same(a.H.matvec(y), A.T @ Y)
    same(a.T @ y, A.T @ Y)
    same(a.matmat(xp.asarray(B)), A @ B)
    same(a.rmatmat(xp.asarray(B.T[:, :2])), A.T @ B.T[:, :2])
    same(a.matvec(xp.asarray(np.stack([X, 2 * X, X]))), np.stack([X, 2 * X, X]) @ A.T)
    same(a.matvec(x[:, None]), (A @ X)[:, None])
    same((a @ b).matvec(y), A @ B @ Y)
    same((a @ b).H.matvec(y), B.T @ A.T @ Y)
    same((2 * a - a.T.H / 4).matvec(x), 1.75 * A @ X)
    same(((a @ b) ** 2).rmatvec(y), (A @ B @ A @ B).T @ Y)
    same((a + b.H).rmatvec(y), (A + B.T).T @ Y)


def test_complex(xp: Any) -> None:
    c = A + 1j * A[::-1]
    y = Y - 2j * Y[::-1]
    for made in (of_function, aslinearoperator):
        op = made(xp.asarray(c))
        tol = 1e-12 if xp.variant.has_float64 else 1e-5
        assert_close(op.rmatvec(xp.asarray(y)), c.conj().T @ y, rtol=tol, atol=tol)
        assert_close(op.T.matvec(xp.asarray(y)), c.T @ y, rtol=tol, atol=tol)
        assert_close((op * 2j).H.matvec(xp.asarray(y)), -2j * c.conj().T @ y, rtol=tol, atol=tol)


def test_subclasses_are_trees(xp: Any) -> None:
    """They go through transforms, with their arrays as leaves."""
    d = xp.asarray(X)
    op = Stretch(d)
    assert len(transforms.tree_leaves(op)) == 1
    found = transforms.jit(lambda op, v: (op @ op).rmatvec(v))(op, d)
    assert_close(found, X**3, rtol=1e-6)

    def loss(op: Any) -> Any:
        return array_namespace(op.d).sum((op.T @ op).matvec(d))

    assert_close(transforms.grad(lambda d: loss(Stretch(d)))(d), 2 * X * X, rtol=1e-5)


def test_dtypes_are_promoted(xp: Any) -> None:
    """Matrices, vectors and numbers have the dtype of the standard's `result_type`."""
    a = aslinearoperator(xp.asarray(B @ A))
    want = B @ A @ X
    x = xp.asarray(X)
    with_complex = xp.astype(x, xp.complex64) * 1j
    assert_close(a.matvec(with_complex), 1j * want, rtol=1e-5)
    assert_close(a.rmatvec(with_complex), 1j * (B @ A).T @ X, rtol=1e-5)
    assert_close((a + 1j * a).matvec(x), (1 + 1j) * want, rtol=1e-5)
    one = xp.asarray(1j, dtype=xp.complex64)
    assert (a * one).dtype == xp.result_type(a.dtype, xp.complex64)
    assert_close((a * one).matmat(x[:, None]), 1j * want[:, None], rtol=1e-5)
    whole = aslinearoperator(xp.asarray([[1, 2, 0], [0, 1, 1], [1, 0, 3]]))
    for found in (whole.matvec(x), whole.H.rmatvec(x), (whole @ a.H.H * 1).rmatvec(x)):
        assert found.dtype == x.dtype
    narrow = aslinearoperator(xp.astype(xp.asarray(B @ A), xp.float32))
    assert narrow.rmatmat(x[:, None]).dtype == x.dtype == (narrow + whole).matvec(x).dtype
    assert (narrow + whole).matvec(xp.astype(x, xp.float32)).dtype == xp.float32


def test_batches(xp: Any) -> None:
    many = np.stack([A, 2 * A])
    op = aslinearoperator(xp.asarray(many))
    v = np.stack([X, X])
    assert_close(op.matvec(xp.asarray(v)), np.stack([A @ X, 2 * A @ X]), rtol=1e-6)
    w = xp.asarray(np.stack([Y, Y]))
    assert_close(op.rmatvec(w), np.stack([A.T @ Y, 2 * A.T @ Y]), rtol=1e-6)
    rows = LinearOperator((2, 3, 3), lambda v: v * xp.asarray([[2.0], [3.0]]))
    assert_close(rows.rmatvec(xp.asarray(v)), v * np.asarray([[2.0], [3.0]]), rtol=1e-6)


def test_objects_of_scipy() -> None:
    sparse = scipy.sparse.csr_array(A)
    op = aslinearoperator(sparse)
    np.testing.assert_allclose(op @ X, A @ X)
    np.testing.assert_allclose(op.H @ Y, A.T @ Y)
    np.testing.assert_allclose(op.matmat(B), A @ B)
    other = aslinearoperator(judge.aslinearoperator(A))
    np.testing.assert_allclose(other.rmatvec(Y), A.T @ Y)
    np.testing.assert_allclose(Y @ other, Y @ A)
    np.testing.assert_allclose(to_numpy(np.eye(2) @ other), A)


def test_bad_input() -> None:
    op = aslinearoperator(A)
    with pytest.raises(ShapeError, match="dimension mismatch"):
        op.matvec(Y)
    with pytest.raises(ShapeError, match="shape mismatch"):
        op @ op
    with pytest.raises(ShapeError, match="cannot add"):
        op + op.T
    with pytest.raises(ShapeError, match="square"):
        op**2
    with pytest.raises(ArgumentError, match="Scalar"):
        op @ 2
    with pytest.raises(ArgumentError, match="scalar"):
        op / X
    with pytest.raises(ShapeError, match="invalid shape"):
        LinearOperator((3,), lambda v: v)
    with pytest.raises(ArgumentError, match="callable"):
        LinearOperator((3, 3), 4)
    with pytest.raises(ShapeError, match="user-defined"):
        LinearOperator((3, 3), lambda v: v[:2]).matvec(X)
    with pytest.raises(ArrayTypeError, match="not understood"):
        aslinearoperator("a")
    many = [aslinearoperator(np.ones((n, 3, 3))) for n in (1, 2, 5)]
    assert (many[0] + many[2]).shape == (many[2] @ many[0]).shape == (5, 3, 3)
    with pytest.raises(ShapeError, match="cannot add"):
        many[1] + many[2]
    with pytest.raises(ShapeError, match="cannot multiply"):
        many[1] @ many[2]
    with pytest.raises(ArgumentError, match="power"):
        many[0] ** 1.5
    np.testing.assert_allclose((many[0] ** np.int64(2)).matvec(X), [[-1.5] * 3])
    with pytest.raises(TypeError):
        op + 1

    class Empty(LinearOperator):
        pass

    with pytest.raises(ArgumentError, match="_matvec"):
        Empty(None, (2, 2))
