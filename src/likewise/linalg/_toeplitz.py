"""Linear systems with Toeplitz matrices."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, quiet
from .._native import Lines, batches, native, public
from .._typing import A, Numbers
from ..errors import ShapeError
from ._checks import right_side
from ._matrices import toeplitz
from ._solve import solve

__all__ = ["solve_toeplitz"]


@public
def solve_toeplitz(c_or_cr: A | tuple[A, A | Numbers], b: A, check_finite: bool = True) -> A:
    """Solve ``a x = b`` for Toeplitz matrices, which are constant along diagonals.

    Parameters
    ----------
    c_or_cr : array, shape (..., n), or tuple of two
        The first column, or a tuple of the first column and the first row. The row's first element
        is not read. Default of the row: the conjugate of the column.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.
    check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ArgumentError, LinAlgError
        As for `solve`, where values can be read.
    ExtensionMissing
        If n is not 1, 2 or 3, and the namespace has no ``linalg``.

    Notes
    -----
    One matrix on NumPy is solved by SciPy's Levinson recursion, n sequential steps with O(n**2)
    operations, and corrected by its residual where that isn't small. Elsewhere, and where a leading
    principal minor is singular, `toeplitz` and `solve` take O(n**3) operations and the memory of
    the matrices. Differentiable.

    Differs from SciPy: `b` isn't flattened; a singular principal minor is no error, and a nearly
    singular one costs no digits; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import solve_toeplitz
    >>> solve_toeplitz(np.asarray([2.0, 1.0]), np.asarray([3.0, 3.0]))
    array([1., 1.])
    """
    name, given = "solve_toeplitz", c_or_cr
    c: Any
    row: Any
    c, row = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    if row is None:
        xp = array_namespace(c, b)
        c, x = _plan.common_floating(name, xp, ("c", "b"), c, b)
        row = xp.conj(c) if _plan.is_complex(xp, c.dtype) else c
    else:
        xp = array_namespace(c, row, b)
        c, row, x = _plan.common_floating(name, xp, ("c", "r", "b"), c, row, b)
    if c.ndim == 0 or row.ndim == 0 or c.shape[-1] != row.shape[-1]:
        raise ShapeError(
            f"{name}: c and r must have shape (..., n), got {tuple(c.shape)} and {tuple(row.shape)}"
        )
    batch = _plan.broadcast(name, c=tuple(c.shape[:-1]), r=tuple(row.shape[:-1]))
    x, vector = right_side(name, batch, c.shape[-1], x)
    with quiet(x):
        x = _solved(c, row, x)
    return x[..., 0] if vector else x


def _one(c: Any, r: Any, b: Any) -> bool:
    """one matrix with elements, and right sides."""
    return bool(c.ndim == r.ndim == 1 and b.ndim == 2 and 0 not in b.shape)


def _in_blocks(c: Any, r: Any, b: Any) -> Lines:
    return batches({0: (c, 1), 1: (r, 1), 2: (b, 2)}, (b.shape[-2:], b.dtype))


@native(numpy="likewise._libs.numpy._lapack:solve_toeplitz", when=_one, blocks=_in_blocks)
def _solved(c: Any, r: Any, b: Any) -> Any:
    return b if 0 in b.shape else solve(toeplitz(c, r), b)
