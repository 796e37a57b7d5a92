"""Decompositions with SciPy's names, by the standard's own functions."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, is_lazy
from .._native import public
from .._typing import A
from ..errors import ArgumentError, NotSupported, ShapeError
from ._checks import adjoint
from ._cholesky import factored

__all__ = ["cholesky", "norm", "null_space", "orth", "polar", "qr", "svd", "svdvals"]


def _matrix(function: str, name: str, a: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(a)
    (x,) = _plan.common_floating(function, xp, (name,), a)
    if x.ndim < 2:
        raise ShapeError(f"{function}: {name} must have shape (..., m, n), got {tuple(x.shape)}")
    return xp, x, _plan.extension(function, xp, "linalg")


@public
def svd(
    a: A,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """Decompose matrices by singular values, ``a = u diag(s) vh``.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.
    full_matrices : bool, optional
        Whether `u` and `vh` are square; else they have min(m, n) columns and rows.
    compute_uv : bool, optional
        Whether to return `u` and `vh`, besides the singular values.
    overwrite_a, check_finite, lapack_driver : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    u : array, shape (..., m, m) or (..., m, min(m, n))
    s : array, shape (..., min(m, n))
        Singular values, the largest first.
    vh : array, shape (..., n, n) or (..., min(m, n), n)

    Raises
    ------
    ShapeError
        If there are fewer than two dimensions.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By the library's routine. Differentiable where singular values differ, with
    ``full_matrices=False``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import svd
    >>> svd(np.asarray([[3.0, 0.0], [0.0, -2.0]]), compute_uv=False)
    array([3., 2.])
    """
    _, x, linalg = _matrix("svd", "a", a)
    if not compute_uv:
        return linalg.svdvals(x)
    return tuple(linalg.svd(x, full_matrices=bool(full_matrices)))


@public
def svdvals(a: A, overwrite_a: bool = False, check_finite: bool = True) -> A:
    """Compute the singular values of matrices.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.
    overwrite_a, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., min(m, n))
        The largest first.

    Raises
    ------
    ShapeError, ExtensionMissing
        As for `svd`.

    Notes
    -----
    Differentiable where singular values differ.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import svdvals
    >>> svdvals(np.asarray([[3.0, 0.0], [0.0, -2.0]]))
    array([3., 2.])
    """
    _, x, linalg = _matrix("svdvals", "a", a)
    found: A = linalg.svdvals(x)
    return found


@public
def qr(
    a: A,
    overwrite_a: bool = False,
    lwork: None = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    """Factor matrices into orthogonal and triangular ones, ``a = q r``.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.
    overwrite_a, lwork : optional
        Accepted for SciPy's signature; ignored.
    mode : {'full', 'r', 'economic'}, optional
        Square `q`; `r` alone; or `q` of min(m, n) columns.
    pivoting : bool, optional
        Only False is supported.
    check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    q : array, shape (..., m, m) or (..., m, min(m, n))
        Not with mode 'r'.
    r : array, shape (..., m, n) or (..., min(m, n), n)

    Raises
    ------
    ShapeError
        If there are fewer than two dimensions.
    ArgumentError
        If there is no such mode.
    NotSupported
        If `pivoting` is True.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By the library's routine. Differentiable with mode 'economic' if m >= n.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import qr
    >>> q, r = qr(np.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> abs(r).round(12)
    array([[5. , 2.2],
           [0. , 0.4]])
    """
    _plan.choice("qr", "mode", mode, ("full", "r", "economic"))
    if pivoting:
        raise NotSupported("qr: pivoting isn't supported")
    _, x, linalg = _matrix("qr", "a", a)
    q, r = linalg.qr(x, mode="reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


@public
def cholesky(a: A, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> A:
    """Compute Cholesky's factors of positive definite matrices.

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
    array, shape (..., n, n)
        Triangular: ``a = c^H c``, or ``a = c c^H`` if `lower`.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.

    Notes
    -----
    The factors of `cho_factor`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import cholesky
    >>> cholesky(np.asarray([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 1.],
           [0., 2.]])
    """
    found: A = factored("cholesky", a, lower)
    return found


@public
def polar(a: A, side: str = "right") -> tuple[A, A]:
    """Decompose matrices into unitary and semidefinite ones, ``a = u p`` or ``a = p u``.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.
    side : {'right', 'left'}, optional
        The side of `u` on which the semidefinite factor is.

    Returns
    -------
    u : array, shape (..., m, n)
        With orthonormal columns, or rows if m < n.
    p : array, shape (..., n, n), or (..., m, m) on the left
        Hermitian, positive semidefinite.

    Raises
    ------
    ShapeError, ExtensionMissing
        As for `svd`.
    ArgumentError
        If there is no such side.

    Notes
    -----
    From the singular value decomposition (N. J. Higham, SIAM J. Sci. Stat. Comput. 7, 1160, 1986).
    Differentiable where singular values differ.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import polar
    >>> polar(np.asarray([[0.0, -2.0], [3.0, 0.0]]))[1].round(12)
    array([[3., 0.],
           [0., 2.]])
    """
    _plan.choice("polar", "side", side, ("right", "left"))
    xp, x, linalg = _matrix("polar", "a", a)
    u, s, vh = linalg.svd(x, full_matrices=False)
    if side == "right":
        p = xp.matmul(adjoint(xp, vh) * xp.astype(s, x.dtype)[..., None, :], vh)
    else:
        p = xp.matmul(u * xp.astype(s, x.dtype)[..., None, :], adjoint(xp, u))
    return xp.matmul(u, vh), p


def _rank(function: str, xp: Any, s: Any, shape: Any, rcond: float | None) -> int:
    """Return how many singular values of one matrix aren't zero."""
    if len(shape) != 2:
        raise ShapeError(
            f"{function}: one matrix was expected, as ranks differ, got shape {tuple(shape)}"
        )
    if is_lazy(s):
        raise NotSupported(
            f"{function}: the rank of a matrix is looked at, and this one has no values (under "
            "jit, a transform, or on a lazy library)"
        )
    least = float(xp.finfo(s.dtype).eps) * max(shape) if rcond is None else rcond
    most = xp.max(s) if s.shape[0] else 0.0
    return int(xp.count_nonzero(s > least * most))  # likewise: host-scalar the rank


@public
def null_space(
    A: A,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> A:
    """Compute an orthonormal basis of the null space of a matrix.

    Parameters
    ----------
    A : array, shape (m, n)
        One matrix: the size of the result depends on its values.
    rcond : float, optional
        Singular values up to `rcond` times the largest one count as zero. Default: the dtype's
        epsilon times max(m, n).
    overwrite_a, check_finite, lapack_driver : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (n, k)
        Orthonormal columns.

    Raises
    ------
    ShapeError
        If `A` isn't one matrix.
    NotSupported
        If its values can't be read.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    From the singular value decomposition; the rank is read on the host. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import null_space
    >>> abs(null_space(np.asarray([[1.0, 1.0]]))).round(6)
    array([[0.707107],
           [0.707107]])
    """
    xp, x, linalg = _matrix("null_space", "A", A)
    _, s, vh = linalg.svd(x, full_matrices=True)
    rank = _rank("null_space", xp, s, x.shape, rcond)
    found: Any = adjoint(xp, vh[rank:, :])
    return found


@public
def orth(A: A, rcond: float | None = None) -> A:
    """Compute an orthonormal basis of the range of a matrix.

    Parameters
    ----------
    A : array, shape (m, n)
        One matrix: the size of the result depends on its values.
    rcond : float, optional
        As for `null_space`.

    Returns
    -------
    array, shape (m, k)
        Orthonormal columns; k is the rank.

    Raises
    ------
    ShapeError, NotSupported, ExtensionMissing
        As for `null_space`.

    Notes
    -----
    From the singular value decomposition; the rank is read on the host. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import orth
    >>> abs(orth(np.asarray([[2.0, 0.0], [0.0, 0.0]])))
    array([[1.],
           [0.]])
    """
    xp, x, linalg = _matrix("orth", "A", A)
    u, s, _ = linalg.svd(x, full_matrices=False)
    found: Any = u[:, : _rank("orth", xp, s, x.shape, rcond)]
    return found


@public
def norm(
    a: A,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> A:
    """Compute norms of vectors or matrices.

    Parameters
    ----------
    a : array
        Real or complex.
    ord : float, 'fro' or 'nuc', optional
        The order: for vectors any number; for matrices 1, -1, 2, -2, inf, -inf, 'fro' (Frobenius)
        or 'nuc' (the sum of singular values). Default: the root of the sum of squares.
    axis : int, pair of int or None, optional
        The axis of vectors, or the two axes of matrices. Default: the whole array, which has at
        most two dimensions if `ord` is given.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array
        Real.

    Raises
    ------
    ArgumentError
        If there is no norm of this order.
    ShapeError
        If axes are out of range, or `ord` is given for more than two dimensions without `axis`.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By the library's routines. Differentiable except where the norm is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import norm
    >>> norm(np.asarray([[3.0, 0.0], [4.0, 1.0]]), axis=0)
    array([5., 1.])
    """
    xp = array_namespace(a)
    (x,) = _plan.common_floating("norm", xp, ("a",), a)
    linalg = _plan.extension("norm", xp, "linalg")
    if axis is None:
        if ord is None:
            return _root(xp, linalg, x, keepdims)
        if x.ndim not in (1, 2):
            raise ShapeError(
                f"norm: with ord and without axis a must have one or two dimensions, got {x.ndim}"
            )
        axes = tuple(range(x.ndim))
    else:
        axes = _plan.axis_tuple("norm", "axis", axis, x.ndim)
    if isinstance(ord, str):
        known: tuple[Any, ...] = ("fro", "nuc") if len(axes) == 2 else ()
    else:
        known = (None, 1, -1, 2, -2, math.inf, -math.inf) if len(axes) == 2 else (ord,)
    if ord not in known or len(axes) not in (1, 2):
        of = "vectors" if len(axes) == 1 else "matrices"
        raise ArgumentError(f"norm: there is no norm of {of} along {axes} of order {ord!r}")
    if len(axes) == 1:
        found: Any = linalg.vector_norm(
            x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord
        )
        return found
    # The order of the two axes matters: rows and columns.
    first = axis if axis is not None else axes
    rows, columns = (k.__index__() % x.ndim for k in first)
    moved = xp.moveaxis(x, (rows, columns), (-2, -1))
    found = linalg.matrix_norm(moved, ord="fro" if ord is None else ord)
    for k in sorted((rows, columns)) if keepdims else ():
        found = xp.expand_dims(found, axis=k)
    return found


def _root(xp: Any, linalg: Any, x: Any, keepdims: bool) -> Any:
    out = linalg.vector_norm(xp.reshape(x, (-1,)))
    return xp.reshape(out, (1,) * x.ndim) if keepdims else out
