"""LU factors with pivots, solutions and determinants."""

from typing import Any, Literal

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, describe, device, quiet
from .._native import Lines, batches, native, public
from .._typing import A
from ..errors import ArrayTypeError, DtypeError, ShapeError
from ._checks import adjoint, filled, magnitude, one_matrix, right_side, square, trans_of
from ._singular import zero_pivot
from ._triangular import substituted

__all__ = ["det", "factored", "lu", "lu_factor", "lu_solve", "lu_solved", "permutation", "rows_of"]


@public
def lu_factor(a: A, overwrite_a: bool = False, check_finite: bool = True) -> tuple[A, A]:
    """Factor matrices with partial pivoting, ``p a = l u``.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.
    overwrite_a, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    lu : array, shape (..., m, n)
        `u` on and above the diagonal, `l` without its ones below it.
    piv : array of integers, shape (..., min(m, n))
        In step i, row i was exchanged with row ``piv[i]``.

    Raises
    ------
    ShapeError
        If `a` has fewer than two dimensions.

    Notes
    -----
    Right-looking elimination (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., section
    3.4) as min(m, n) steps over the whole batch and all of each matrix: meant for small matrices.
    Differentiable.

    One singular matrix gives a LinAlgWarning, on NumPy and where the algorithm above runs.

    Differs from SciPy: `piv` has the default integer dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import lu_factor
    >>> lu, piv = lu_factor(np.asarray([[1.0, 2.0], [2.0, 8.0]]))
    >>> lu.tolist(), piv.tolist()
    ([[2.0, 8.0], [0.5, -2.0]], [1, 1])
    """
    xp = array_namespace(a)
    x: Any
    (x,) = _plan.common_floating("lu_factor", xp, ("a",), a)
    if x.ndim < 2:
        raise ShapeError(f"lu_factor: a must have shape (..., m, n), got {tuple(x.shape)}")
    with quiet(x):
        return factored(x)


def _integer(xp: Any, x: Any) -> Any:
    """The dtype of pivots: the library's default."""
    return default_floating(xp, device(x), kind="integral")


def _elements(a: Any) -> bool:
    """matrices with elements."""
    return 0 not in a.shape


def _in_blocks(x: Any) -> Lines:
    xp, (m, n) = array_namespace(x), x.shape[-2:]
    return batches({0: (x, 2)}, ((m, n), x.dtype), ((min(m, n),), xp.int64))


@native(
    blocks=_in_blocks,
    numpy="likewise._libs.numpy._lapack:lu_factor",
    torch="likewise._libs.torch._natives:lu_factor",
    jax="likewise._libs.jax._natives:lu_factor",
    when={"numpy": one_matrix, "torch": _elements, "jax": _elements},
)
def factored(x: Any) -> tuple[Any, Any]:
    xp = array_namespace(x)
    m, n = x.shape[-2:]
    rows = xp.arange(m, device=device(x))
    columns = xp.arange(n, device=device(x))
    pivots = []
    for k in range(min(m, n)):
        p = xp.argmax(magnitude(xp, x[..., k:, k]), axis=-1) + k
        x = _exchanged(xp, x, k, p)
        pivot = x[..., k : k + 1, k, None]
        column = x[..., :, k, None] / xp.where(pivot == 0, xp.ones_like(pivot), pivot)
        below = (rows > k)[:, None]
        column = xp.where(below, column, xp.zeros_like(column))
        row = x[..., k : k + 1, :]
        row = xp.where(columns > k, row, xp.zeros_like(row))
        x = xp.where(below & (columns == k), column, x - column * row)
        pivots.append(p)
    if pivots:
        zero_pivot(x)
        return x, xp.stack(pivots, axis=-1)
    return x, xp.zeros((*x.shape[:-2], 0), dtype=rows.dtype, device=device(x))


def _exchanged(xp: Any, x: Any, k: int, p: Any) -> Any:
    """Matrices with rows k and p, of each its own, exchanged."""
    rows = xp.arange(x.shape[-2], dtype=p.dtype, device=device(x))
    here = (rows == p[..., None])[..., None]
    kept = x[..., k : k + 1, :]
    other = xp.sum(xp.where(here, x, xp.zeros_like(x)), axis=-2, keepdims=True)
    return xp.where((rows == k)[:, None], other, xp.where(here, kept, x))


@public
def lu(
    a: A,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> Any:
    """Decompose matrices with partial pivoting, ``a = p l u``.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.
    permute_l : bool, optional
        Whether to return ``p l`` in place of `p` and `l`.
    overwrite_a, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.
    p_indices : bool, optional
        Whether `p` is an array of row indices, ``a = l[p] u``.

    Returns
    -------
    p : array, shape (..., m, m), or of integers, shape (..., m)
        Real; left out with `permute_l`.
    l : array, shape (..., m, min(m, n))
        Ones on the diagonal, zeros above it; with `permute_l`, in the permuted order of rows.
    u : array, shape (..., min(m, n), n)
        Zeros below the diagonal.

    Raises
    ------
    ShapeError
        If `a` has fewer than two dimensions.

    Notes
    -----
    The factors of `lu_factor`, separated; on NumPy, SciPy's routine. Differentiable. A singular
    matrix has factors, too, with a zero on the diagonal of `u`.

    Differs from SciPy: row indices have the default integer dtype; for a matrix without columns,
    `p` has its m rows.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import lu
    >>> p, l, u = lu(np.asarray([[1.0, 2.0], [2.0, 8.0]]))
    >>> p.tolist(), l.tolist(), u.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 1.0]], [[2.0, 8.0], [0.0, -2.0]])
    """
    xp = array_namespace(a)
    x: Any
    (x,) = _plan.common_floating("lu", xp, ("a",), a)
    if x.ndim < 2:
        raise ShapeError(f"lu: a must have shape (..., m, n), got {tuple(x.shape)}")
    return _lu(x, bool(permute_l), bool(p_indices))


def _more(a: Any, *args: Any) -> bool:
    """more than one element; of one complex SciPy's `p` is complex."""
    return 0 not in a.shape and a.shape[-2:] != (1, 1)


def _parts_in_blocks(x: Any, permute_l: bool, p_indices: bool) -> Lines:
    xp, (m, n) = array_namespace(x), x.shape[-2:]
    real = xp.float32 if x.dtype in (xp.float32, xp.complex64) else xp.float64
    order = ((m,), xp.int64) if p_indices else ((m, m), real)
    parts = ((m, min(m, n)), x.dtype), ((min(m, n), n), x.dtype)
    return batches({0: (x, 2)}, *parts) if permute_l else batches({0: (x, 2)}, order, *parts)


@native(numpy="likewise._libs.numpy._lapack:lu", when=_more, blocks=_parts_in_blocks)
def _lu(x: Any, permute_l: bool, p_indices: bool) -> Any:
    xp, (m, n) = array_namespace(x), x.shape[-2:]
    k = min(m, n)
    with quiet(x):
        packed, pivots = factored(x)
    order = permutation(pivots, m)
    one = xp.eye(m, k, dtype=x.dtype, device=device(x))
    lower, upper = xp.tril(packed[..., :k], k=-1) + one, xp.triu(packed[..., :k, :])
    if permute_l:
        return rows_of(xp, lower, xp.argsort(order, axis=-1)), upper
    if p_indices:
        return xp.argsort(order, axis=-1), lower, upper
    rows = xp.arange(m, dtype=order.dtype, device=device(x))
    real = xp.float32 if x.dtype in (xp.float32, xp.complex64) else xp.float64
    return xp.astype(rows[:, None] == order[..., None, :], real), lower, upper


@public
def lu_solve(
    lu_and_piv: tuple[A, A],
    b: A,
    trans: Literal[0, 1, 2, "N", "T", "C"] | int | str = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> A:
    """Solve ``a x = b`` for matrices factored by `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple of array, shape (..., n, n), and array of integers, shape (..., n)
        The result of `lu_factor`.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Solve with `a` (0, 'N'), its transpose (1, 'T') or its conjugate transpose (2, 'C').
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
    ArgumentError
        If `trans` has none of these values.

    Notes
    -----
    n exchanges and two substitutions. Differentiable. A singular matrix, with a zero on the
    diagonal of `u`, is not an error here, unlike in `solve` for more than three rows: its solution
    is infinite or NaN, as in SciPy, and the other systems are solved.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import lu_factor, lu_solve
    >>> lu_solve(lu_factor(np.asarray([[1.0, 2.0], [2.0, 8.0]])), np.asarray([3.0, 10.0]))
    array([1., 1.])
    """
    if not isinstance(lu_and_piv, tuple | list) or len(lu_and_piv) != 2:
        raise ArrayTypeError(
            "lu_solve: argument 'lu_and_piv' must be the pair that lu_factor returns, got a "
            f"{describe(lu_and_piv)}"
        )
    lu, piv = lu_and_piv
    xp = array_namespace(lu, piv, b)
    if not hasattr(piv, "dtype") or not _plan.is_dtype(xp, piv.dtype, "integral"):
        raise DtypeError(
            f"lu_solve: argument 'piv' must be an array of integers, got a {describe(piv)}"
        )
    factor, x = _plan.common_floating("lu_solve", xp, ("lu", "b"), lu, b)
    n = square("lu_solve", factor)
    pivots: Any = _plan.beside_blocks(xp, piv)
    if tuple(pivots.shape) != tuple(factor.shape[:-1]):
        raise ShapeError(
            f"lu_solve: piv must have shape {tuple(factor.shape[:-1])}, got {tuple(pivots.shape)}"
        )
    x, vector = right_side("lu_solve", tuple(factor.shape[:-2]), n, x)
    mode = trans_of("lu_solve", trans)
    with quiet(x):
        x = lu_solved(factor, pivots, x, mode)
    return x[..., 0] if vector else x


def _one_system(lu: Any, pivots: Any, b: Any, mode: int) -> bool:
    """one matrix with elements, and right sides."""
    return one_matrix(lu) and b.ndim == 2 and 0 not in b.shape


def _systems(lu: Any, pivots: Any, b: Any, mode: int) -> bool:
    """matrices and right sides with elements."""
    return filled(lu, b)


def _systems_in_blocks(factor: Any, pivots: Any, x: Any, mode: int) -> Lines:
    return batches({0: (factor, 2), 1: (pivots, 1), 2: (x, 2)}, (x.shape[-2:], x.dtype))


@native(
    blocks=_systems_in_blocks,
    numpy="likewise._libs.numpy._lapack:lu_solve",
    torch="likewise._libs.torch._natives:lu_solve",
    when={"numpy": _one_system, "torch": _systems},
)
def lu_solved(factor: Any, pivots: Any, x: Any, mode: int) -> Any:
    xp, n = array_namespace(factor), factor.shape[-1]
    if n == 0:
        return x
    order = permutation(pivots, n)
    if not mode:
        x = substituted(factor, rows_of(xp, x, order), True, True)
        return substituted(factor, x, False, False)
    t = adjoint(xp, factor) if mode == 2 else xp.matrix_transpose(factor)
    x = substituted(t, substituted(t, x, True, False), False, True)
    return rows_of(xp, x, xp.argsort(order, axis=-1))


def rows_of(xp: Any, x: Any, order: Any) -> Any:
    """Rows in another order, of each matrix its own."""
    return xp.take_along_axis(x, xp.broadcast_to(order[..., None], x.shape), axis=-2)


@native(jax="likewise._libs.jax._natives:permutation")
def permutation(pivots: Any, n: int) -> Any:
    """The order of the rows after all exchanges."""
    xp = array_namespace(pivots)
    order = xp.arange(n, dtype=pivots.dtype, device=device(pivots))
    order = xp.broadcast_to(order, (*pivots.shape[:-1], n))[..., None]
    for k in range(pivots.shape[-1]):
        order = _exchanged(xp, order, k, pivots[..., k])
    return order[..., 0]


@public
def det(a: A, overwrite_a: bool = False, check_finite: bool = True) -> A:
    """Compute determinants.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.
    overwrite_a, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (...)
        The determinants; 1 for matrices without rows.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.

    Notes
    -----
    The array API standard's ``linalg.det``; without that extension, the product of the pivots of
    `lu_factor`. Differentiable.

    Differs from SciPy: float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import det
    >>> round(float(det(np.asarray([[2.0, 1.0], [0.0, 4.0]]))), 12)
    8.0
    """
    xp = array_namespace(a)
    x: Any
    (x,) = _plan.common_floating("det", xp, ("a",), a)
    square("det", x)
    return _determinant(x)


@native()
def _determinant(x: Any) -> Any:
    xp, n = array_namespace(x), x.shape[-1]
    if hasattr(xp, "linalg"):
        return xp.linalg.det(x)
    lu, piv = lu_factor(x)
    steps = xp.arange(n, dtype=piv.dtype, device=device(x))
    odd = xp.sum(xp.astype(piv != steps, piv.dtype), axis=-1) % 2 == 1
    diagonal = xp.where(steps[:, None] == steps, lu, xp.ones_like(lu))
    product = xp.prod(xp.prod(diagonal, axis=-1), axis=-1)
    return xp.where(odd, -product, product)
