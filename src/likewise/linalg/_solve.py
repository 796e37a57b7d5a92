"""Systems of equations and inverses, in closed form where matrices are small."""

import functools
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, device, quiet
from .._native import Lines, batches, native, of_one_kind, public
from .._typing import A
from ._banded import banded
from ._checks import adjoint, magnitude, mirrored, right_side, square
from ._cholesky import cholesky, cholesky_solved
from ._lu import factored, lu_solved
from ._singular import judged, said
from ._triangular import substituted

__all__ = ["inv", "of_singular", "solve"]


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
    """Scale matrices so that rows and columns have largest entries about 1; return the scales.

    Otherwise determinants of matrices far from singular underflow or overflow.
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


Structure = Literal[
    "general",
    "gen",
    "banded",
    "diagonal",
    "tridiagonal",
    "upper triangular",
    "lower triangular",
    "symmetric",
    "sym",
    "hermitian",
    "her",
    "positive definite",
    "pos",
]
_STRUCTURES = {
    None: "gen", "general": "gen", "gen": "gen", "banded": "gen",
    "diagonal": "diagonal", "tridiagonal": "tridiagonal",
    "upper triangular": "upper", "lower triangular": "lower",
    "symmetric": "sym", "sym": "sym", "hermitian": "her", "her": "her",
    "positive definite": "pos", "pos": "pos",
}  # fmt: skip


def _structure(function: str, assume_a: Any) -> str:
    if assume_a is not None:
        _plan.choice(function, "assume_a", assume_a, [s for s in _STRUCTURES if s])
    return _STRUCTURES[assume_a]


def _diagonal(xp: Any, a: Any, offset: int = 0) -> Any:
    """The elements a[i, i + offset], as rows."""
    n = a.shape[-1]
    flat = xp.reshape(a, (*a.shape[:-2], n * n))
    first = offset if offset > 0 else -offset * n
    stop = min(first + (n - abs(offset)) * (n + 1), n * n)
    return flat[..., first : stop : n + 1]


def _bands(xp: Any, a: Any) -> Any:
    """The three diagonals of matrices, as `solve_banded` takes them."""
    zero = xp.zeros((*a.shape[:-2], 1), dtype=a.dtype, device=device(a))
    up, low = _diagonal(xp, a, 1), _diagonal(xp, a, -1)
    rows = [xp.concat([zero, up], axis=-1), _diagonal(xp, a), xp.concat([low, zero], axis=-1)]
    return xp.stack(rows, axis=-2)


def _by_structure(a: Any, b: Any, kind: str, lower: bool) -> Any:
    """Solve systems of a known structure; NotImplemented where the general method applies."""
    a, b = of_one_kind(a, b)
    xp, n = array_namespace(a), a.shape[-1]
    if n == 0 or 0 in b.shape:
        return b
    if kind == "diagonal":
        return b / _diagonal(xp, a)[..., None]
    if kind == "tridiagonal":
        return banded(_bands(xp, a), b, 1, 1) if n > 1 else b / a
    if kind in ("upper", "lower"):
        return substituted(a, b, kind == "lower", False)
    if kind == "pos":
        return cholesky_solved(cholesky(a if lower else adjoint(xp, a), True), b)
    return NotImplemented


@public
def solve(
    a: A,
    b: A,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: Structure | str | None = None,
    transposed: bool = False,
) -> A:
    """Solve ``a x = b``, in closed form for up to three unknowns.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.
    b : array, shape (..., n, k) or (n,)
        Right sides; as in the array API standard, a vector only if it has one dimension.
    lower : bool, optional
        Which triangle of symmetric, Hermitian or positive definite matrices is read.
    overwrite_a, overwrite_b, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.
    assume_a : str, optional
        The structure of the matrices; elements outside of it are not read. One of 'general' (the
        default), 'diagonal', 'tridiagonal', 'upper triangular', 'lower triangular', 'symmetric',
        'hermitian' and 'positive definite', also as 'gen', 'sym', 'her' and 'pos'. 'banded' is
        treated as 'general'.
    transposed : bool, optional
        Whether to solve ``a^T x = b``.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ArgumentError
        If `assume_a` has none of these values, or `a` is one matrix that isn't finite.
    LinAlgError
        If `a` is one singular matrix, where values can be read.
    ExtensionMissing
        If n is not 1, 2 or 3, and the namespace has no ``linalg``, and `assume_a` doesn't name
        another way.

    Notes
    -----
    Up to n = 3 by Cramer's rule, elementwise over the batch, on rows and columns scaled by their
    largest entries; the error is that of the inverse, which grows with the condition number. Larger
    systems by the array API standard's ``linalg.solve``, or, for a given structure, by
    `solve_triangular`, `solve_banded` or `cho_factor`. Differentiable.

    Where values can be read, one singular matrix raises LinAlgError, and one that isn't finite
    ArgumentError; in a batch their solutions are NaN, with one warning, and the other systems are
    solved. Elsewhere (under jit, on a GPU, with Dask) their solutions are infinite or NaN. On
    NumPy, one matrix so ill-conditioned that the solution may have no correct digit gives a
    LinAlgWarning.

    Differs from SciPy: the structure is never guessed from values; `transposed` works for complex
    matrices, too.

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
    kind = _structure("solve", assume_a)
    if kind in ("sym", "her"):
        matrix = mirrored(xp, matrix, lower, kind)
    if transposed:
        matrix = xp.matrix_transpose(matrix)
        lower, kind = not lower, {"upper": "lower", "lower": "upper"}.get(kind, kind)
    if kind not in ("gen", "sym", "her"):
        with quiet(right):
            x = said(_by_structure(matrix, right, kind, lower), matrix, right)
        return x[..., 0] if vector else x
    if not 1 <= n <= 3:
        _plan.extension("solve", xp, "linalg")
        with quiet(right):
            x = _by_library(matrix, right)
        return x[..., 0] if vector else x
    with quiet(right):
        x = _by_cramer(matrix, right)
    return x[..., 0] if vector else x


def _in_blocks(a: Any, b: Any = None) -> Lines:
    if b is None:
        return batches({0: (a, 2)}, (a.shape[-2:], a.dtype))
    return batches({0: (a, 2), 1: (b, 2)}, (b.shape[-2:], b.dtype))


def _several(a: Any, *args: Any) -> bool:
    """more than one row."""
    return bool(a.shape[-1] > 1) and 0 not in a.shape and not any(0 in b.shape for b in args)


@native(
    numpy="likewise._libs.numpy._lapack:solve",
    torch="likewise._libs.torch._natives:solve",
    when=_several,
    blocks=_in_blocks,
)
def _by_library(a: Any, b: Any) -> Any:
    """Solve for more unknowns than Cramer's rule is used for."""
    try:
        x = array_namespace(a).linalg.solve(a, b)
    except Exception as error:
        if not of_singular(error):
            raise
        x = lu_solved(*factored(a), b, 0)
    return said(_of_finite(x, a), a, b)


@native(
    numpy="likewise._libs.numpy._lapack:inv",
    torch="likewise._libs.torch._natives:inv",
    when=_several,
    blocks=_in_blocks,
)
def _inverted(a: Any) -> Any:
    xp = array_namespace(a)
    try:
        x = xp.linalg.inv(a)
    except Exception as error:
        if not of_singular(error):
            raise
        eye = xp.eye(a.shape[-1], dtype=a.dtype, device=device(a))
        x = lu_solved(*factored(a), xp.broadcast_to(eye, a.shape), 0)
    return judged(said(_of_finite(x, a), a), a)


def _of_finite(x: Any, a: Any) -> Any:
    """Return NaN for matrices that aren't finite; LAPACK's answer to an infinity may be finite."""
    xp = array_namespace(a)
    finite = xp.all(xp.isfinite(a), axis=(-2, -1))[..., None, None]
    return xp.where(finite, x, xp.nan)


def of_singular(error: Exception) -> bool:
    """Tell if a library refused a whole batch because of one singular matrix."""
    return type(error).__name__.endswith("LinAlgError")


@native(
    numpy="likewise._libs.numpy._lapack:solve",
    torch="likewise._libs.torch._natives:solve",
    when=_several,
    blocks=_in_blocks,
)
def _by_cramer(matrix: Any, right: Any) -> Any:
    xp, n = array_namespace(matrix), matrix.shape[-1]
    a, rows, columns = _scaled(xp, matrix)
    b = right / rows
    adjugate, determinant = _adjugate(xp, a)
    terms = [adjugate[..., :, j, None] * b[..., j, None, :] for j in range(n)]
    x = sum(terms[1:], start=terms[0]) / determinant / xp.matrix_transpose(columns)
    return said(x, matrix, right)


@public
def inv(
    a: A,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: Structure | str | None = None,
    lower: bool = False,
) -> A:
    """Invert matrices, in closed form up to three rows.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.
    overwrite_a, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.
    assume_a, lower : optional
        The structure of the matrices, as for `solve`.

    Returns
    -------
    array, shape (..., n, n)
        The inverses.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    ArgumentError
        If there is no such `assume_a`, or `a` is one matrix that isn't finite.
    LinAlgError
        If `a` is one singular matrix, where values can be read.
    ExtensionMissing
        If n is not 1, 2 or 3, and the namespace has no ``linalg``, and `assume_a` doesn't name
        another way.

    Notes
    -----
    Up to n = 3 the adjugate over the determinant, elementwise over the batch, on rows and columns
    scaled by their largest entries; else the array API standard's ``linalg.inv``. Differentiable.

    Where values can be read, one singular matrix raises LinAlgError, one that isn't finite
    ArgumentError, and one so ill-conditioned that the inverse may have no correct digit gives a
    LinAlgWarning. In a batch the inverses of the first two are NaN, with one warning, and the
    others are computed. Elsewhere (under jit, on a GPU, with Dask) they are infinite or NaN.

    Differs from SciPy: the structure is never guessed from values.

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
    n, kind = square("inv", matrix), _structure("inv", assume_a)
    if kind in ("sym", "her"):
        matrix = mirrored(xp, matrix, lower, kind)
    elif kind != "gen":
        eye = xp.eye(n, dtype=matrix.dtype, device=device(matrix))
        with quiet(matrix):
            x = _by_structure(matrix, xp.broadcast_to(eye, matrix.shape), kind, lower)
            return said(x, matrix)
    if not 1 <= n <= 3:
        _plan.extension("inv", xp, "linalg")
        with quiet(matrix):
            return _inverted(matrix)
    with quiet(matrix):
        return _by_adjugate(matrix)


@native(
    numpy="likewise._libs.numpy._lapack:inv",
    torch="likewise._libs.torch._natives:inv",
    when=_several,
    blocks=_in_blocks,
)
def _by_adjugate(matrix: Any) -> Any:
    xp = array_namespace(matrix)
    a, rows, columns = _scaled(xp, matrix)
    adjugate, determinant = _adjugate(xp, a)
    adjugate = adjugate / determinant / xp.matrix_transpose(columns)
    return judged(said(adjugate / xp.matrix_transpose(rows), matrix), matrix)
