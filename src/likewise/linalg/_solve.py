"""Systems of equations and inverses, in closed form where matrices are small."""

import functools
from typing import Any

from .. import _plan
from .._namespace import array_namespace, quiet
from .._native import native, public
from .._typing import A
from ._checks import magnitude, right_side, square

__all__ = ["inv", "solve"]


def _adjugate(xp: Any, a: Any) -> tuple[Any, Any]:
    """Adjugates, and determinants with two dimensions of size 1, of matrices of 1 to 3 rows."""
    n = a.shape[-1]
    if n == 1:
        return xp.ones_like(a), a

    def at(i: int, j: int) -> Any:
        return a[..., i % n, j % n]

    def cofactor(i: int, j: int) -> Any:
        if n == 2:
            return at(i + 1, j + 1) if i == j else -at(i + 1, j + 1)
        straight = at(i + 1, j + 1) * at(i + 2, j + 2)
        return straight - at(i + 1, j + 2) * at(i + 2, j + 1)

    rows = [xp.stack([cofactor(i, j) for i in range(n)], axis=-1) for j in range(n)]
    adjugate = xp.stack(rows, axis=-2)
    determinant = xp.sum(a[..., 0, :] * adjugate[..., :, 0], axis=-1)
    return adjugate, determinant[..., None, None]


def _scaled(xp: Any, a: Any) -> tuple[Any, Any, Any]:
    """Matrices whose rows and columns have largest entries about 1, and the scales of both.

    Else determinants underflow, or overflow, of matrices that are far from singular.
    """
    rows = _scale(xp, a, -1)
    a = a / rows
    columns = _scale(xp, a, -2)
    return a / columns, rows, columns


def _scale(xp: Any, a: Any, axis: int) -> Any:
    size = magnitude(xp, a)
    parts = [
        size[..., :, i, None] if axis == -1 else size[..., i, None, :] for i in range(a.shape[-1])
    ]
    scale = functools.reduce(xp.maximum, parts)  # NumPy is slow along short axes
    scale = xp.where((scale > 0) & xp.isfinite(scale), scale, xp.ones_like(scale))
    return xp.astype(scale, a.dtype, copy=False)


@public
def solve(a: A, b: A) -> A:
    """Solve ``a x = b``, in closed form for up to three unknowns.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.
    b : array, shape (..., n, k) or (n,)
        Right sides; as in the standard's ``linalg.solve`` a vector only if it has one dimension.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ExtensionMissing
        If n is not 1, 2 or 3 and the namespace has no ``linalg``.

    Notes
    -----
    Up to n = 3 by Cramer's rule, elementwise over the batch, on rows and columns scaled by their
    largest entries; the error is that of the inverse, which grows with the condition number. Else
    the standard's ``linalg.solve``. Differentiable.

    Differs from NumPy: up to n = 3 a singular matrix gives infinities or NaN and spoils no other.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import solve
    >>> solve(np.asarray([[2.0, 0.0], [1.0, 1.0]]), np.asarray([2.0, 3.0]))
    array([1., 2.])
    """
    xp = array_namespace(a, b)
    matrix, right = _plan.common_floating("solve", xp, ("a", "b"), a, b)
    n = square("solve", matrix)
    right, vector = right_side("solve", tuple(matrix.shape[:-2]), n, right)
    if not 1 <= n <= 3:
        x = _plan.extension("solve", xp, "linalg").solve(matrix, right)
        return x[..., 0] if vector else x
    with quiet(right):
        x = _solved(matrix, right) if n > 1 else NotImplemented
        x = _by_cramer(matrix, right) if x is NotImplemented else x
    return x[..., 0] if vector else x


@native(numpy="likewise._libs.numpy._natives:solve", torch="likewise._libs.torch._natives:solve")
def _solved(a: Any, b: Any) -> Any:
    """By LAPACK, unless a matrix is singular."""
    return NotImplemented


def _by_cramer(a: Any, b: Any) -> Any:
    xp, n = array_namespace(a), a.shape[-1]
    a, rows, columns = _scaled(xp, a)
    b = b / rows
    adjugate, determinant = _adjugate(xp, a)
    terms = [adjugate[..., :, j, None] * b[..., j, None, :] for j in range(n)]
    return sum(terms[1:], start=terms[0]) / determinant / xp.matrix_transpose(columns)


@public
def inv(a: A) -> A:
    """Invert matrices, in closed form up to three rows.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.

    Returns
    -------
    array, shape (..., n, n)
        The inverses.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    ExtensionMissing
        If n is not 1, 2 or 3 and the namespace has no ``linalg``.

    Notes
    -----
    Up to n = 3 adjugate by determinant, elementwise over the batch, on rows and columns scaled by
    their largest entries; else the standard's ``linalg.inv``. Differentiable.

    Differs from NumPy: up to n = 3 a singular matrix gives infinities or NaN and spoils no other.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import inv
    >>> inv(np.asarray([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    xp = array_namespace(a)
    matrix: Any
    (matrix,) = _plan.common_floating("inv", xp, ("a",), a)
    if not 1 <= square("inv", matrix) <= 3:
        return _plan.extension("inv", xp, "linalg").inv(matrix)
    with quiet(matrix):
        found = _inverse(matrix)
        return _by_adjugate(matrix) if found is NotImplemented else found


@native(
    numpy="likewise._libs.numpy._natives:inv",
    torch="likewise._libs.torch._natives:inv",
    when=lambda a: a.shape[-1] > 1,
)
def _inverse(a: Any) -> Any:
    return _by_adjugate(a)


def _by_adjugate(a: Any) -> Any:
    xp = array_namespace(a)
    a, rows, columns = _scaled(xp, a)
    adjugate, determinant = _adjugate(xp, a)
    adjugate = adjugate / determinant / xp.matrix_transpose(columns)
    return adjugate / xp.matrix_transpose(rows)
