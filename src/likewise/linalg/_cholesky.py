"""Small positive definite systems, many at once, unrolled over columns, without extensions."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, describe, device, quiet
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, ArrayTypeError, ShapeError

__all__ = ["cho_factor", "cho_solve"]


@public
def cho_factor(a: A) -> tuple[A, bool]:
    """Factor real symmetric positive definite matrices, ``a = c c^T``.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real; only the lower triangles are read.

    Returns
    -------
    c : array, shape (..., n, n)
        Lower triangular. A matrix that is not positive definite gives NaN, and spoils no other.
    lower : bool
        True, for `cho_solve` and SciPy.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    DtypeError
        If `a` is complex.

    Notes
    -----
    The right-looking algorithm (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed.,
    section 4.2.5) as n steps of elementwise functions over the whole batch: meant for n up to
    about ten; n^3 / 3 operations a matrix, read from memory n times. Differentiable.

    Differs from SciPy: batches; real matrices only; no ``lower``: the result always is; NaN instead
    of an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import cho_factor
    >>> cho_factor(np.asarray([[4.0, 2.0], [2.0, 5.0]]))
    (array([[2., 0.],
           [1., 2.]]), True)
    """
    xp = array_namespace(a)
    (a,) = _plan.common_floating("cho_factor", xp, ("a",), a, real=True)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"cho_factor: a must have shape (..., n, n), got {tuple(a.shape)}")
    with quiet(a):
        out = _decomposed(a) if 0 not in a.shape else NotImplemented
        return (_unrolled(a) if out is NotImplemented else out), True


def _large(a: Any) -> bool:
    """more than eight rows."""
    return bool(a.shape[-1] > 8)


@native(
    numpy="likewise._libs.numpy._natives:cholesky",
    torch="likewise._libs.torch._natives:cholesky",
)
def _decomposed(a: Any) -> Any:
    """By LAPACK, unless it complains."""
    return _decomposed_large(a)


@native(jax="likewise._libs.jax._natives:cholesky", when=_large)
def _decomposed_large(a: Any) -> Any:
    return NotImplemented


def _unrolled(a: Any) -> Any:
    xp, n = array_namespace(a), a.shape[-1]
    rest: Any = a
    columns = []
    for k in range(n):
        pivot = rest[..., 0, 0]
        positive = pivot > 0
        root = xp.sqrt(xp.where(positive, pivot, xp.ones_like(pivot)))
        root = xp.where(positive, root, xp.full_like(root, xp.nan))
        column = rest[..., :, 0] / root[..., None]
        zeros = xp.zeros((*column.shape[:-1], k), dtype=a.dtype, device=device(a))
        columns.append(xp.concat([zeros, column], axis=-1))
        rest = rest[..., 1:, 1:] - column[..., 1:, None] * column[..., None, 1:]
    if not columns:
        return a
    out = xp.stack(columns, axis=-1)
    # One that isn't positive definite is NaN as a whole.
    bad = xp.isnan(out[..., -1:, -1:])
    rows = xp.arange(n, device=device(a))
    bad = bad & (rows[:, None] >= rows)
    return xp.where(bad, xp.full_like(out, xp.nan), out)


@public
def cho_solve(c_and_lower: tuple[A, bool], b: A) -> A:
    """Solve ``a x = b`` for matrices factored by `cho_factor`.

    Parameters
    ----------
    c_and_lower : tuple of array, shape (..., n, n), and bool
        What `cho_factor` returned.
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
    ArgumentError
        If the factor is not a lower one.

    Notes
    -----
    Forward and back substitution, 2 n^2 operations a right side. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import cho_factor, cho_solve
    >>> cho_solve(cho_factor(np.asarray([[4.0, 2.0], [2.0, 5.0]])), np.asarray([6.0, 7.0]))
    array([1., 1.])
    """
    if not isinstance(c_and_lower, tuple | list) or len(c_and_lower) != 2:
        raise ArrayTypeError(
            "cho_solve: argument 'c_and_lower' must be the pair that cho_factor returns, got a "
            f"{describe(c_and_lower)}"
        )
    c: Any
    c, lower = c_and_lower
    xp = array_namespace(c, b)
    rest: Any
    c, rest = _plan.common_floating("cho_solve", xp, ("c", "b"), c, b, real=True)
    if not lower:
        raise ArgumentError("cho_solve: a lower factor was expected, as from likewise's cho_factor")
    vector = rest.ndim == 1
    if vector:
        rest = rest[:, None]
    n = c.shape[-1]
    if c.ndim < 2 or rest.ndim < 2 or c.shape[-2] != n or rest.shape[-2] != n:
        raise ShapeError(
            "cho_solve: c (..., n, n) and b (..., n, k) were expected, got shapes "
            f"{tuple(c.shape)} and {tuple(b.shape)}"
        )
    _plan.broadcast("cho_solve", c=tuple(c.shape[:-2]), b=tuple(rest.shape[:-2]))
    info = 1
    with quiet(rest):
        if c.ndim == rest.ndim == 2 and n > 8 and c.dtype == xp.float64:
            x, info = _potrs(c, rest, 1)
        x = _cho_solved(c, rest) if info else x
    return x[..., 0] if vector else x


@native(numpy="scipy.linalg.lapack:dpotrs")
def _potrs(c: Any, b: Any, lower: int) -> tuple[Any, int]:
    return None, 1


@native(torch="likewise._libs.torch._natives:cho_solve", when=lambda c, b: 0 not in c.shape)
def _cho_solved(c: Any, rest: Any) -> Any:
    return _cho_solved_large(c, rest)


@native(jax="likewise._libs.jax._natives:cho_solve", when=lambda c, b: _large(c))
def _cho_solved_large(c: Any, rest: Any) -> Any:
    xp, n = array_namespace(c), c.shape[-1]
    forward = []
    for k in range(n):
        y = rest[..., :1, :] / c[..., k : k + 1, k, None]
        rest = rest[..., 1:, :] - c[..., k + 1 :, k, None] * y
        forward.append(y)
    x = rest  # no rows
    for k in range(n - 1, -1, -1):
        known = xp.sum(c[..., k + 1 :, k, None] * x, axis=-2, keepdims=True)
        x = xp.concat([(forward[k] - known) / c[..., k : k + 1, k, None], x], axis=-2)
    return x
