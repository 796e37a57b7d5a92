"""Least squares and pseudoinverses, by singular values."""

import math
import warnings
from typing import Any, Literal, NamedTuple

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, device, is_concrete
from .._native import Lines, batches, native, public
from .._typing import A
from ..errors import ArgumentError, LinAlgWarning, ShapeError, _level
from ..missing._axes import as_given
from ._checks import adjoint, mirrored, right_side, square

__all__ = ["LstsqResult", "lstsq", "pinv", "pinvh"]


# -- least squares ---------------------------------------------------------------------------------


class LstsqResult(NamedTuple):
    """The solution of `lstsq`, with residues, rank and singular values.

    Attributes
    ----------
    x : array, shape (..., n, k) or (..., n)
        The solution of smallest norm.
    residues : array, shape (..., k) or (...)
        Sums of the squared residuals.
    rank : array of integers, shape (...)
        The number of singular values above the cutoff.
    s : array, shape (..., min(m, n))
        The singular values of `a`, the largest first.
    """

    x: Any
    residues: Any
    rank: Any
    s: Any


@public
def lstsq(
    a: A,
    b: A,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gelsd", "gelsy", "gelss"] | str | None = None,
) -> LstsqResult:
    """Find the least-squares solutions of ``a x = b`` that have the smallest norm.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex, of any rank.
    b : array, shape (..., m, k) or (m,)
        Right sides; a vector only if it has one dimension.
    cond : float, optional
        Singular values up to `cond` times the largest count as zero. Default: the dtype's
        epsilon times the larger of m and n.
    overwrite_a, overwrite_b, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.
    lapack_driver : {'gelsd', 'gelsy', 'gelss'}, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    LstsqResult
        ``x``, ``residues``, ``rank`` and ``s``; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ArgumentError
        If there is no such driver, or if `a` is one matrix that isn't finite, where values can be
        read. In a batch, and elsewhere, such a matrix gives NaN.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By the pseudoinverse, and a second decomposition for the singular values. Differentiable where
    the library's decomposition is, with the rank constant.

    Differs from SciPy: residues are returned for every shape and rank; the default of `cond` grows
    with the size of the matrix, as NumPy's does.

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
    if matrix.ndim < 2:
        raise ShapeError(f"lstsq: a must have shape (..., m, n), got {tuple(matrix.shape)}")
    if lapack_driver is not None:
        _plan.choice("lstsq", "lapack_driver", lapack_driver, ("gelsd", "gelsy", "gelss"))
    m, n = matrix.shape[-2:]
    right, vector = right_side("lstsq", tuple(matrix.shape[:-2]), m, right)
    _plan.extension("lstsq", xp, "linalg")
    rtol = float(xp.finfo(matrix.dtype).eps) * max(m, n) if cond is None else cond
    if 0 in matrix.shape:
        x, rank, s = _of_nothing(xp, matrix, right)
    else:
        matrix, bad = _finite("lstsq", xp, matrix)
        x, rank, s = _least_squares(matrix, right, rtol)
        if bad is not None:
            x = xp.where(bad[..., None, None], xp.nan, x)
            s = xp.where(bad[..., None], xp.nan, s)
    error = xp.abs(xp.matmul(matrix, x) - right)
    residues = xp.sum(error * error, axis=-2)
    if vector:
        x, residues = x[..., 0], residues[..., 0]
    return LstsqResult(x, as_given(residues), as_given(rank), s)


def _of_nothing(xp: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Zeros, where there are no equations, no unknowns or no matrices."""
    *batch, m, n = a.shape
    real = xp.real(a).dtype if _plan.is_complex(xp, a.dtype) else a.dtype
    return (
        xp.zeros((*b.shape[:-2], n, b.shape[-1]), dtype=a.dtype, device=device(a)),
        xp.zeros(tuple(batch), dtype=_integer(xp, a), device=device(a)),
        xp.zeros((*batch, min(m, n)), dtype=real, device=device(a)),
    )


def _finite(function: str, xp: Any, a: Any) -> tuple[Any, Any]:
    """Matrices for a singular value decomposition, which LAPACK may never end for infinities.

    Where values can be read, one matrix that isn't finite raises an error, and a warning counts
    those of a batch. Zeros replace them; the second result is the mask of them, or None.
    """
    finite = xp.isfinite(a)
    if is_concrete(a) and bool(xp.all(finite)):
        return a, None
    finite = xp.all(finite, axis=(-2, -1))
    if is_concrete(a):
        if a.ndim == 2:
            raise ArgumentError(
                f"{function}: a must be finite, got infinities or NaN. Replace them, say by "
                "likewise.missing.nan_to_num."
            )
        count = int(xp.count_nonzero(~finite))
        warnings.warn(
            f"{function}: {count} of {math.prod(finite.shape)} matrices are not finite; their "
            "results are NaN",
            LinAlgWarning,
            stacklevel=_level(),
        )
    return xp.where(finite[..., None, None], a, xp.zeros_like(a)), ~finite


def _one_matrix(a: Any, b: Any, rtol: float) -> bool:
    """one matrix."""
    return bool(a.ndim == 2 and b.ndim == 2)


def _in_blocks(a: Any, b: Any, rtol: float) -> Lines:
    xp, (m, n) = array_namespace(a), a.shape[-2:]
    real = xp.float32 if a.dtype in (xp.float32, xp.complex64) else xp.float64
    made = ((n, b.shape[-1]), a.dtype), ((), _integer(xp, a)), ((min(m, n),), real)
    return batches({0: (a, 2), 1: (b, 2)}, *made)


@native(
    numpy="likewise._libs.numpy._natives:lstsq",
    torch="likewise._libs.torch._natives:lstsq",
    when=_one_matrix,
    blocks=_in_blocks,
)
def _least_squares(a: Any, b: Any, rtol: float) -> tuple[Any, Any, Any]:
    xp = array_namespace(a)
    s = xp.linalg.svdvals(a)
    rank = xp.count_nonzero(s > rtol * s[..., :1], axis=-1)
    return xp.matmul(xp.linalg.pinv(a, rtol=rtol), b), rank, s


# -- pseudoinverses --------------------------------------------------------------------------------


@public
def pinv(
    a: A,
    *,
    atol: Any = None,
    rtol: Any = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> A | tuple[A, A]:
    """Compute pseudoinverses of matrices.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex, of any rank.
    atol, rtol : float or array, shape (...), optional
        Singular values up to ``atol + rtol * s``, where s is the largest, count as zero. Default:
        0, and the dtype's epsilon times the larger of m and n.
    return_rank : bool, optional
        Whether to return the numbers of nonzero singular values, too.
    check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., n, m), or a tuple of it and an array of integers, shape (...)
        The pseudoinverses, and their ranks.

    Raises
    ------
    ArgumentError
        If a tolerance is negative, or if `a` is one matrix that isn't finite, where values can be
        read. In a batch, and elsewhere, such a matrix gives NaN.
    ShapeError
        If `a` has fewer than two dimensions.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By singular value decomposition, with a second one for the ranks. Differentiable where the
    library's decomposition is, with the rank constant.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import pinv
    >>> pinv(np.asarray([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0. ]])
    """
    xp, x, atol, rtol = _plan_inverse("pinv", a, atol, rtol)
    *batch, m, n = x.shape
    if 0 in x.shape:
        out = xp.zeros((*batch, n, m), dtype=x.dtype, device=device(x))
        rank = xp.zeros(tuple(batch), dtype=_integer(xp, x), device=device(x))
        return (out, rank) if return_rank else out
    x, bad = _finite("pinv", xp, x)
    if atol is None and not return_rank:
        return _answer(xp, xp.linalg.pinv(x, rtol=rtol), None, bad)
    s = xp.linalg.svdvals(x)
    out = xp.linalg.pinv(x, rtol=rtol) if atol is None else _cut(xp, x, atol, rtol)
    rank = xp.count_nonzero(s > _cutoff(xp, s, atol, rtol), axis=-1)
    return _answer(xp, out, rank if return_rank else None, bad)


@public
def pinvh(
    a: A,
    atol: Any = None,
    rtol: Any = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> A | tuple[A, A]:
    """Compute pseudoinverses of Hermitian matrices.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real symmetric or complex Hermitian; only one triangle of each is read.
    atol, rtol : float or array, shape (...), optional
        Eigenvalues of magnitude up to ``atol + rtol * s``, where s is the largest, count as zero.
        Default: 0, and the dtype's epsilon times n.
    lower : bool, optional
        Whether the lower triangle is read.
    return_rank : bool, optional
        Whether to return the numbers of nonzero eigenvalues, too.
    check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., n, n), or a tuple of it and an array of integers, shape (...)
        The pseudoinverses, and their ranks.

    Raises
    ------
    ArgumentError
        As for `pinv`.
    ShapeError
        If the last two dimensions differ.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By eigenvectors. Differentiable where the library's decomposition is, with the rank constant.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import pinvh
    >>> pinvh(np.asarray([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    xp, x, atol, rtol = _plan_inverse("pinvh", a, atol, rtol)
    square("pinvh", x)
    if 0 in x.shape:
        rank = xp.zeros(tuple(x.shape[:-2]), dtype=_integer(xp, x), device=device(x))
        return (x, rank) if return_rank else x
    x, bad = _finite("pinvh", xp, mirrored(xp, x, lower, "her"))
    values, vectors = xp.linalg.eigh(x)
    size = xp.abs(values)
    kept = size > _cutoff(xp, size, atol, rtol)
    inverse = xp.where(kept, 1 / xp.where(kept, values, xp.ones_like(values)), 0.0)
    inverse = xp.astype(inverse, x.dtype, copy=False)[..., None, :]
    out = xp.matmul(vectors * inverse, adjoint(xp, vectors))
    return _answer(xp, out, xp.count_nonzero(kept, axis=-1) if return_rank else None, bad)


def _plan_inverse(function: str, a: Any, atol: Any, rtol: Any) -> tuple[Any, Any, Any, Any]:
    xp = array_namespace(a, atol, rtol)
    x: Any
    (x,) = _plan.common_floating(function, xp, ("a",), a)
    if x.ndim < 2:
        raise ShapeError(f"{function}: a must have shape (..., m, n), got {tuple(x.shape)}")
    _plan.extension(function, xp, "linalg")
    for name, tol in (("atol", atol), ("rtol", rtol)):
        if isinstance(tol, int | float) and not tol >= 0:
            raise ArgumentError(f"{function}: {name} must not be negative, got {tol!r}")
    if rtol is None:
        rtol = float(xp.finfo(x.dtype).eps) * max(x.shape[-2:])
    return xp, x, atol, rtol


def _integer(xp: Any, x: Any) -> Any:
    """The dtype of ranks: the library's default."""
    return default_floating(xp, device(x), kind="integral")


def _cutoff(xp: Any, sizes: Any, atol: Any, rtol: Any) -> Any:
    """Return the cutoff of each matrix, which broadcasts with rows of singular values."""
    out = xp.max(sizes, axis=-1) * rtol
    return (out if atol is None else out + atol)[..., None]


def _cut(xp: Any, x: Any, atol: Any, rtol: Any) -> Any:
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    kept = s > _cutoff(xp, s, atol, rtol)
    inverse = xp.where(kept, 1 / xp.where(kept, s, xp.ones_like(s)), 0.0)
    inverse = xp.astype(inverse, x.dtype, copy=False)[..., None, :]
    return xp.matmul(adjoint(xp, vh) * inverse, adjoint(xp, u))


def _answer(xp: Any, out: Any, rank: Any, bad: Any) -> Any:
    out = out if bad is None else xp.where(bad[..., None, None], xp.nan, out)
    return out if rank is None else (out, rank)
