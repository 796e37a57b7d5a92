"""Small positive definite systems, many at once, unrolled over columns, without extensions."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, describe, device, is_concrete, quiet
from .._native import Lines, batches, native, public
from .._typing import A
from ..errors import ArrayTypeError, ShapeError
from ._checks import adjoint, one_matrix, square
from ._singular import said

__all__ = ["cho_factor", "cho_solve", "cholesky", "cholesky_solved", "factored"]


@public
def cho_factor(
    a: A, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[A, bool]:
    """Factor positive definite matrices, ``a = c^H c``, or ``a = c c^H`` if `lower`.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real symmetric or complex Hermitian; only one triangle of each is read.
    lower : bool, optional
        Whether the lower triangle is read, and the factor is lower triangular, too.
    overwrite_a, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    c : array, shape (..., n, n)
        Triangular, with zeros in the other triangle. In a batch, a matrix that is not positive
        definite gives NaN, with one warning; the others are factored.
    lower : bool
        The argument `lower`, for `cho_solve`.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    LinAlgError
        If `a` is one matrix that is not positive definite, where values can be read.
    ArgumentError
        If that matrix isn't finite.

    Notes
    -----
    The right-looking algorithm (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed.,
    section 4.2.5) as n steps of elementwise functions over the whole batch: meant for n up to about
    ten. n^3 / 3 operations a matrix, which is read from memory n times. Differentiable.

    Differs from SciPy: zeros in the triangle that is not used; NaN in place of an error where
    values can't be read.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import cho_factor
    >>> cho_factor(np.asarray([[4.0, 2.0], [2.0, 5.0]]), lower=True)
    (array([[2., 0.],
           [1., 2.]]), True)
    """
    return factored("cho_factor", a, lower), lower


def factored(function: str, a: Any, lower: bool) -> Any:
    """Return the factors of matrices of which one triangle is read."""
    xp = array_namespace(a)
    (x,) = _plan.common_floating(function, xp, ("a",), a)
    square(function, x)
    return cholesky(x if lower else adjoint(xp, x), lower)


def cholesky(x: Any, lower: bool) -> Any:
    """Factor matrices from their lower triangles; the factor is transposed unless `lower`."""
    with quiet(x):
        out = _decomposed(x)
        if not (out.ndim == 2 and 0 not in out.shape and is_concrete(out) and _number(out[-1, -1])):
            out = said(out, x, why="not positive definite")
    return out if lower else adjoint(array_namespace(out), out)


def _number(x: Any) -> bool:
    """Tell if the last element, which is NaN with all others, is a number."""
    return bool(x == x)  # likewise: ignore[LW203]: values are at hand


def _large(a: Any, *args: Any) -> bool:
    """more than eight rows."""
    return bool(a.shape[-1] > 8)


def _elements(a: Any, *args: Any) -> bool:
    """matrices with elements."""
    return 0 not in a.shape


def _in_blocks(a: Any) -> Lines:
    return batches({0: (a, 2)}, (a.shape[-2:], a.dtype))


@native(
    blocks=_in_blocks,
    numpy="likewise._libs.numpy._natives:cholesky",
    torch="likewise._libs.torch._natives:cholesky",
    jax="likewise._libs.jax._natives:cholesky",
    when={"numpy": _elements, "torch": _elements, "jax": lambda a: _elements(a) and _large(a)},
)
def _decomposed(a: Any) -> Any:
    xp, n = array_namespace(a), a.shape[-1]
    cplx = _plan.is_complex(xp, a.dtype)
    rest: Any = a
    columns = []
    for k in range(n):
        pivot = rest[..., 0, 0]
        pivot = xp.real(pivot) if cplx else pivot
        positive = pivot > 0
        root = xp.sqrt(xp.where(positive, pivot, xp.ones_like(pivot)))
        root = xp.where(positive, root, xp.full_like(root, xp.nan))
        column = rest[..., :, 0] / root[..., None]
        if cplx:  # the imaginary part of the pivot is not read
            column = xp.concat([xp.astype(root, a.dtype)[..., None], column[..., 1:]], axis=-1)
        zeros = xp.zeros((*column.shape[:-1], k), dtype=a.dtype, device=device(a))
        columns.append(xp.concat([zeros, column], axis=-1))
        turned = xp.conj(column) if cplx else column
        rest = rest[..., 1:, 1:] - column[..., 1:, None] * turned[..., None, 1:]
    if not columns:
        return a
    out = xp.stack(columns, axis=-1)
    # One that isn't positive definite is NaN as a whole.
    bad = xp.isnan(out[..., -1:, -1:])
    rows = xp.arange(n, device=device(a))
    bad = bad & (rows[:, None] >= rows)
    return xp.where(bad, xp.full_like(out, xp.nan), out)


@public
def cho_solve(
    c_and_lower: tuple[A, bool], b: A, overwrite_b: bool = False, check_finite: bool = True
) -> A:
    """Solve ``a x = b`` for matrices factored by `cho_factor`.

    Parameters
    ----------
    c_and_lower : tuple of array, shape (..., n, n), and bool
        The result of `cho_factor`.
    b : array, shape (..., n, k) or (n,)
        Right sides; as in the array API standard, a vector only if it has one dimension.
    overwrite_b, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.

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
    c, rest = _plan.common_floating("cho_solve", xp, ("c", "b"), c, b)
    vector = rest.ndim == 1
    if vector:
        rest = rest[:, None]
    n = c.shape[-1]
    if c.ndim < 2 or rest.ndim < 2 or c.shape[-2] != n or rest.shape[-2] != n:
        raise ShapeError(
            "cho_solve: c (..., n, n) and b (..., n, k) were expected, got shapes "
            f"{tuple(c.shape)} and {tuple(b.shape)}"
        )
    batch = _plan.broadcast("cho_solve", c=tuple(c.shape[:-2]), b=tuple(rest.shape[:-2]))
    if 0 in c.shape or 0 in rest.shape:
        rest = xp.broadcast_to(rest, (*batch, *rest.shape[-2:]))
        return rest[..., 0] if vector else rest
    x = cholesky_solved(c if lower else adjoint(xp, c), rest)
    return x[..., 0] if vector else x


def cholesky_solved(c: Any, b: Any) -> Any:
    """Systems of lower factors solved, right sides being columns."""
    with quiet(b):
        return _cho_solved(c, b)


def _one_system(c: Any, b: Any) -> bool:
    """one matrix with elements, and right sides."""
    return b.ndim == 2 and one_matrix(c) and 0 not in b.shape


def _systems_in_blocks(c: Any, b: Any) -> Lines:
    return batches({0: (c, 2), 1: (b, 2)}, (b.shape[-2:], b.dtype))


@native(
    blocks=_systems_in_blocks,
    numpy="likewise._libs.numpy._lapack:cho_solve",
    torch="likewise._libs.torch._natives:cho_solve",
    jax="likewise._libs.jax._natives:cho_solve",
    when={"numpy": _one_system, "torch": _elements, "jax": _large},
)
def _cho_solved(c: Any, rest: Any) -> Any:
    xp, n = array_namespace(c), c.shape[-1]
    forward = []
    for k in range(n):
        y = rest[..., :1, :] / c[..., k : k + 1, k, None]
        rest = rest[..., 1:, :] - c[..., k + 1 :, k, None] * y
        forward.append(y)
    x = rest  # no rows
    turned = xp.conj(c) if _plan.is_complex(xp, c.dtype) else c
    for k in range(n - 1, -1, -1):
        known = xp.sum(turned[..., k + 1 :, k, None] * x, axis=-2, keepdims=True)
        x = xp.concat([(forward[k] - known) / turned[..., k : k + 1, k, None], x], axis=-2)
    return x
