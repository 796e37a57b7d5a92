"""Least squares and pseudoinverses, by singular values."""

from typing import Any, NamedTuple

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._checks import adjoint, right_side, square

__all__ = ["LstsqResult", "lstsq", "pinv"]


# -- least squares ---------------------------------------------------------------------------------


class LstsqResult(NamedTuple):
    """The solution that `lstsq` found, and what is known of it.

    Attributes
    ----------
    x : array, shape (..., n, k) or (..., n)
        The solution of smallest norm.
    residuals : array, shape (..., k) or (...)
        Sums of the squared residuals.
    rank : array of integers, shape (...)
        How many singular values are above the cutoff.
    s : array, shape (..., min(m, n))
        The singular values of `a`, the largest first.
    """

    x: Any
    residuals: Any
    rank: Any
    s: Any


@public
def lstsq(a: A, b: A, rcond: float | None = None) -> LstsqResult:
    """Find the least-squares solutions of ``a x = b`` that have the smallest norm.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex, of any rank.
    b : array, shape (..., m, k) or (m,)
        Right sides; a vector only if it has one dimension.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero. Default: the dtype's
        epsilon times the larger of m and n.

    Returns
    -------
    LstsqResult
        ``x``, ``residuals``, ``rank`` and ``s``; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match, or m or n is zero.
    ArgumentError
        If `a` holds infinities or NaN, where values can be looked at; elsewhere such a matrix gives
        NaN.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    Through the pseudoinverse, and the singular values once more. Differentiable where the library's
    are, the rank being constant.

    Differs from NumPy: batches; the residuals are there whatever the shape and rank.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import lstsq
    >>> a = np.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> lstsq(a, np.asarray([1.0, 3.0, 5.0])).x.round(12)
    array([1., 2.])
    """
    xp = array_namespace(a, b)
    matrix, right = _plan.common_floating("lstsq", xp, ("a", "b"), a, b)
    if matrix.ndim < 2 or 0 in matrix.shape[-2:]:
        raise ShapeError(
            f"lstsq: a must have shape (..., m, n), neither zero, got {tuple(matrix.shape)}"
        )
    m, n = matrix.shape[-2:]
    right, vector = right_side("lstsq", tuple(matrix.shape[:-2]), m, right)
    _plan.extension("lstsq", xp, "linalg")
    rtol = float(xp.finfo(matrix.dtype).eps) * max(m, n) if rcond is None else rcond
    matrix, bad = _finite("lstsq", xp, matrix)
    x, rank, s = _least_squares(matrix, right, rtol)
    if bad is not None:
        x = xp.where(bad[..., None, None], xp.nan, x)
        s = xp.where(bad[..., None], xp.nan, s)
    error = xp.abs(xp.matmul(matrix, x) - right)
    residuals = xp.sum(error * error, axis=-2)
    if vector:
        x, residuals = x[..., 0], residuals[..., 0]
    return LstsqResult(x, residuals, rank, s)


def _finite(function: str, xp: Any, a: Any) -> tuple[Any, Any]:
    """Matrices for a singular value decomposition, which LAPACK may never end for infinities.

    Others are refused where values can be looked at. Elsewhere zeros stand for them, and the second
    result tells which they are; else it is None.
    """
    finite = xp.all(xp.isfinite(a), axis=(-2, -1))
    if not is_concrete(a):
        return xp.where(finite[..., None, None], a, xp.zeros_like(a)), ~finite
    if not bool(xp.all(finite)):
        raise ArgumentError(
            f"{function}: a must be finite, got infinities or NaN. Leave such matrices out, or "
            "replace them, say by likewise.missing.nan_to_num."
        )
    return a, None


def _one_matrix(a: Any, b: Any, rtol: float) -> bool:
    """one matrix."""
    return bool(a.ndim == 2 and b.ndim == 2)


@native(numpy="likewise._libs.numpy._natives:lstsq", when=_one_matrix)
def _least_squares(a: Any, b: Any, rtol: float) -> tuple[Any, Any, Any]:
    xp = array_namespace(a)
    s = xp.linalg.svdvals(a)
    rank = xp.count_nonzero(s > rtol * s[..., :1], axis=-1)
    return xp.matmul(xp.linalg.pinv(a, rtol=rtol), b), rank, s


# -- pseudoinverses --------------------------------------------------------------------------------


def pinv(a: A, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> A:
    """Compute pseudoinverses of matrices.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex, of any rank.
    rcond : float or array, shape (...), optional
        As `rtol`; NumPy's older name.
    hermitian : bool, optional
        Whether matrices are their own conjugate transposes; of these one triangle is read.
    rtol : float or array, shape (...), optional
        Singular values up to `rtol` times the largest count as zero. Default, as in the standard:
        the dtype's epsilon times the larger of m and n.

    Returns
    -------
    array, shape (..., n, m)
        The pseudoinverses.

    Raises
    ------
    ArgumentError
        If both `rcond` and `rtol` are given. If `a` holds infinities or NaN, where values can be
        looked at; elsewhere such a matrix gives NaN.
    ShapeError
        If `a` has fewer than two dimensions, or if it is hermitian and they differ.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    A singular value decomposition; of `hermitian` matrices, eigenvectors. Differentiable where the
    library's are, the rank being constant.

    Differs from NumPy: the default of `rtol`, where NumPy has 1e-15.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import pinv
    >>> pinv(np.asarray([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0. ]])
    """
    if rcond is not None and rtol is not None:
        raise ArgumentError("pinv: give either rtol or rcond, not both")
    rtol = rcond if rtol is None else rtol
    xp = array_namespace(a, rtol)
    x: Any
    (x,) = _plan.common_floating("pinv", xp, ("a",), a)
    if x.ndim < 2:
        raise ShapeError(f"pinv: a must have shape (..., m, n), got {tuple(x.shape)}")
    if hermitian:
        square("pinv", x)
    linalg = _plan.extension("pinv", xp, "linalg")
    *batch, m, n = x.shape
    if 0 in x.shape:
        return xp.zeros((*batch, n, m), dtype=x.dtype, device=device(x))
    if rtol is None:
        rtol = float(xp.finfo(x.dtype).eps) * max(m, n)
    x, bad = _finite("pinv", xp, x)
    out = _hermitian_inverse(xp, x, rtol) if hermitian else linalg.pinv(x, rtol=rtol)
    return out if bad is None else xp.where(bad[..., None, None], xp.nan, out)


def _hermitian_inverse(xp: Any, x: Any, rtol: Any) -> Any:
    values, vectors = xp.linalg.eigh(x)
    size = xp.abs(values)
    cutoff = rtol * xp.max(size, axis=-1)
    kept = size > cutoff[..., None]
    inverse = xp.where(kept, 1 / xp.where(kept, values, xp.ones_like(values)), 0.0)
    inverse = xp.astype(inverse, x.dtype)[..., None, :]
    return xp.matmul(vectors * inverse, adjoint(xp, vectors))
