"""Triangular systems, many at once, without extensions."""

from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, quiet
from .._native import Lines, batches, native, public
from .._typing import A
from ._checks import BLOCK, adjoint, filled, one_matrix, right_side, square, trans_of
from ._singular import said

__all__ = ["solve_triangular", "substituted"]


@public
def solve_triangular(
    a: A,
    b: A,
    trans: Literal[0, 1, 2, "N", "T", "C"] | int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> A:
    """Solve ``a x = b`` for triangular matrices.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex; the other triangle is not read.
    b : array, shape (..., n, k) or (n,)
        Right sides; as in the array API standard, a vector only if it has one dimension.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Solve with `a` (0, 'N'), its transpose (1, 'T') or its conjugate transpose (2, 'C').
    lower : bool, optional
        Whether `a` is lower triangular.
    unit_diagonal : bool, optional
        Whether the diagonal counts as ones and is not read.
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
        If `trans` has none of these values, or `a` is one matrix that isn't finite.
    LinAlgError
        If `a` is one singular matrix, where values can be read.

    Notes
    -----
    Substitution in n steps of elementwise functions over the whole batch; more than eight rows are
    halved recursively, with matrix products. n^2 operations a right side. Differentiable.

    Where values can be read, a zero on the diagonal of one matrix is an error; in a batch the
    solution of that system is NaN, with one warning, and the others are solved.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import solve_triangular
    >>> solve_triangular(np.asarray([[2.0, 1.0], [0.0, 4.0]]), np.asarray([4.0, 8.0]))
    array([1., 2.])
    """
    xp = array_namespace(a, b)
    t, c = _plan.common_floating("solve_triangular", xp, ("a", "b"), a, b)
    n = square("solve_triangular", t)
    c, vector = right_side("solve_triangular", tuple(t.shape[:-2]), n, c)
    mode = trans_of("solve_triangular", trans)
    if mode:
        t = adjoint(xp, t) if mode == 2 else xp.matrix_transpose(t)
        lower = not lower
    with quiet(c):
        x = said(substituted(t, c, lower, unit_diagonal), t, c)
    return x[..., 0] if vector else x


def substituted(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    """Solve a triangular system, after the caller has silenced warnings."""
    return _substitution(a, b, lower, unit)


def _one_system(a: Any, b: Any, *args: Any) -> bool:
    """one matrix with elements, and right sides."""
    return one_matrix(a) and b.ndim == 2 and b.shape[-1] > 0


def _blocks(a: Any, b: Any, *args: Any) -> bool:
    """matrices of more than a block of rows, and right sides with elements."""
    return filled(a, b) and a.shape[-1] > BLOCK


def _in_blocks(a: Any, b: Any, lower: bool, unit: bool) -> Lines:
    return batches({0: (a, 2), 1: (b, 2)}, (b.shape[-2:], b.dtype))


@native(
    blocks=_in_blocks,
    numpy="likewise._libs.numpy._lapack:substitute",
    torch="likewise._libs.torch._natives:substitute",
    jax="likewise._libs.jax._natives:substitute",
    when={"numpy": _one_system, "torch": _blocks, "jax": _blocks},
)
def _substitution(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    return _substitute(array_namespace(a), a, b, lower, unit)


def _substitute(xp: Any, a: Any, b: Any, lower: bool, unit: bool) -> Any:
    n = a.shape[-1]
    if n <= BLOCK:
        return _substitute_rows(xp, a, b, lower, unit)
    h = n // 2
    if lower:
        top = _substitute(xp, a[..., :h, :h], b[..., :h, :], lower, unit)
        rest = b[..., h:, :] - xp.matmul(a[..., h:, :h], top)
        bottom = _substitute(xp, a[..., h:, h:], rest, lower, unit)
    else:
        bottom = _substitute(xp, a[..., h:, h:], b[..., h:, :], lower, unit)
        rest = b[..., :h, :] - xp.matmul(a[..., :h, h:], bottom)
        top = _substitute(xp, a[..., :h, :h], rest, lower, unit)
    return xp.concat([top, bottom], axis=-2)


def _substitute_rows(xp: Any, a: Any, b: Any, lower: bool, unit: bool) -> Any:
    n = a.shape[-1]
    rows = []
    for i in range(n):
        k = 0 if lower else n - 1 - i  # of the row, in what remains
        j = i if lower else k  # of the row, in a
        x = b[..., k : k + 1, :]
        if not unit:
            x = x / a[..., j : j + 1, j, None]
        others = slice(1, None) if lower else slice(None, k)
        column = a[..., j + 1 :, j, None] if lower else a[..., :j, j, None]
        b = b[..., others, :] - column * x
        rows.append(x)
    return xp.concat(rows if lower else rows[::-1], axis=-2) if rows else b
