"""Linear algebra on many small matrices, without extensions where that is possible."""

import functools
from typing import Any, NamedTuple

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, describe, device, is_concrete, quiet
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError

__all__ = [
    "LstsqResult",
    "det",
    "inv",
    "lstsq",
    "lu_factor",
    "lu_solve",
    "pinv",
    "solve",
    "solve_triangular",
    "tridiagonal_solve",
]

_BLOCK = 8  # rows that are eliminated one by one; more are halved
_TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def _square(function: str, a: Any) -> int:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"{function}: a must have shape (..., n, n), got {tuple(a.shape)}")
    return int(a.shape[-1])


def _right_side(function: str, batch: tuple[int, ...], n: int, b: Any) -> tuple[Any, bool]:
    """The right sides as columns, broadcast to the batch, and whether a vector came."""
    vector = b.ndim == 1
    if b.ndim == 0 or b.shape[-1 if vector else -2] != n:
        raise ShapeError(
            f"{function}: b must have shape (..., {n}, k) or ({n},), got {tuple(b.shape)}"
        )
    b = b[:, None] if vector else b
    shape = _plan.broadcast(function, a=batch, b=tuple(b.shape[:-2]))
    return array_namespace(b).broadcast_to(b, (*shape, *b.shape[-2:])), vector


def _trans(function: str, trans: Any) -> int:
    if isinstance(trans, bool) or not isinstance(trans, int | str) or trans not in _TRANS:
        raise ArgumentError(
            f"{function}: trans must be one of 0, 1, 2, 'N', 'T', 'C', got {trans!r}"
        )
    return _TRANS[trans]


def _adjoint(xp: Any, a: Any) -> Any:
    out = xp.matrix_transpose(a)
    return xp.conj(out) if _plan.is_complex(xp, a.dtype) else out


def _magnitude(xp: Any, a: Any) -> Any:
    """Return the size that LAPACK compares pivots by."""
    if _plan.is_complex(xp, a.dtype):
        return xp.abs(xp.real(a)) + xp.abs(xp.imag(a))
    return xp.abs(a)


# -- triangular and tridiagonal systems ------------------------------------------------------------


@public
def solve_triangular(
    a: A, b: A, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False
) -> A:
    """Solve ``a x = b`` for triangular matrices.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex; the other triangle is not read.
    b : array, shape (..., n, k) or (n,)
        Right sides; as in the standard's ``linalg.solve`` a vector only if it has one dimension.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Solve with `a` (0, 'N'), its transpose (1, 'T') or its conjugate transpose (2, 'C').
    lower : bool, optional
        Whether `a` is lower triangular.
    unit_diagonal : bool, optional
        Whether the diagonal counts as ones and is not read.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ArgumentError
        If `trans` is none of those.

    Notes
    -----
    Substitution as n steps of elementwise functions over the whole batch, beyond eight rows by
    halves and matrix products; n^2 operations a right side. Differentiable.

    Differs from SciPy: a singular matrix gives infinities or NaN, not an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import solve_triangular
    >>> solve_triangular(np.asarray([[2.0, 1.0], [0.0, 4.0]]), np.asarray([4.0, 8.0]))
    array([1., 2.])
    """
    xp = array_namespace(a, b)
    t, c = _plan.common_floating("solve_triangular", xp, ("a", "b"), a, b)
    n = _square("solve_triangular", t)
    c, vector = _right_side("solve_triangular", tuple(t.shape[:-2]), n, c)
    mode = _trans("solve_triangular", trans)
    if mode:
        t = _adjoint(xp, t) if mode == 2 else xp.matrix_transpose(t)
        lower = not lower
    with quiet(c):
        x = _substituted(t, c, lower, unit_diagonal)
    return x[..., 0] if vector else x  # type: ignore[no-any-return]


def _one_large(a: Any, *args: Any) -> bool:
    """one matrix of more than eight rows, in double precision."""
    return a.ndim == 2 and a.shape[-1] > _BLOCK and bool(a.dtype == array_namespace(a).float64)


def _substituted(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    """A triangular system solved; the caller has quietened warnings."""
    if _one_large(a) and b.ndim == 2 and b.shape[-1]:
        x, info = _trtrs(a, b, int(lower), 0, int(unit))
        if info == 0:
            return x
    return _substitution(a, b, lower, unit)


@native(numpy="scipy.linalg.lapack:dtrtrs")
def _trtrs(a: Any, b: Any, lower: int, trans: int, unit: int) -> tuple[Any, int]:
    return None, 1


def _filled(a: Any, *args: Any) -> bool:
    """matrices and right sides with elements."""
    return 0 not in a.shape and 0 not in args[0].shape


@native(
    torch="likewise._libs._torch_natives:substitute",
    jax="likewise._libs._jax_natives:substitute",
    when=lambda a, b, lower, unit: _filled(a, b) and a.shape[-1] > _BLOCK,
)
def _substitution(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    return _substitute(array_namespace(a), a, b, lower, unit)


def _substitute(xp: Any, a: Any, b: Any, lower: bool, unit: bool) -> Any:
    n = a.shape[-1]
    if n <= _BLOCK:
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


@public
def tridiagonal_solve(dl: A, d: A, du: A, b: A) -> A:
    """Solve tridiagonal systems.

    Parameters
    ----------
    dl : array, shape (..., n)
        Below the diagonal, ``a[i, i - 1]``; the first entry is not read.
    d : array, shape (..., n)
        The diagonal.
    du : array, shape (..., n)
        Above the diagonal, ``a[i, i + 1]``; the last entry is not read.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.

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
    Parallel cyclic reduction (R. W. Hockney, C. R. Jesshope, Parallel Computers, 1981, section
    5.4.3): log2(n) steps over all rows at once, about 12 n log2(n) operations a right side.
    Differentiable. Nothing is pivoted: accurate for diagonally dominant and for positive definite
    matrices; others may give infinities or NaN.

    The arguments are those of ``jax.lax.linalg.tridiagonal_solve``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import tridiagonal_solve
    >>> ones = np.ones(3)
    >>> tridiagonal_solve(ones, 4 * ones, ones, np.asarray([5.0, 6.0, 5.0])).round(12)
    array([1., 1., 1.])
    """
    xp = array_namespace(dl, d, du, b)
    names = ("dl", "d", "du", "b")
    low, main, up, x = _plan.common_floating("tridiagonal_solve", xp, names, dl, d, du, b)
    n = main.shape[-1] if main.ndim else 0
    if any(v.ndim == 0 or v.shape[-1] != n for v in (low, main, up)):
        raise ShapeError(
            "tridiagonal_solve: dl, d and du must have shape (..., n), got "
            f"{tuple(low.shape)}, {tuple(main.shape)} and {tuple(up.shape)}"
        )
    diagonals = {"dl": low, "d": main, "du": up}
    batch = _plan.broadcast("tridiagonal_solve", **{k: v.shape[:-1] for k, v in diagonals.items()})
    x, vector = _right_side("tridiagonal_solve", batch, n, x)
    with quiet(x):
        x = _tridiagonal(low, main, up, x)
    return x[..., 0] if vector else x  # type: ignore[no-any-return]


def _tridiagonal(low: Any, main: Any, up: Any, x: Any) -> Any:
    if x.ndim == 2 and _one_large_system(main):
        found = _gtsv(low[1:], main, up[:-1], x)
        if found[-1] == 0:
            return found[-2]
    return _eliminated(low, main, up, x)


def _one_large_system(d: Any) -> bool:
    return d.ndim == 1 and d.shape[0] > 2 and bool(d.dtype == array_namespace(d).float64)


@native(numpy="scipy.linalg.lapack:dgtsv")
def _gtsv(low: Any, main: Any, up: Any, x: Any) -> tuple[Any, ...]:
    return None, 1


def _more_than_rows(low: Any, main: Any, up: Any, x: Any) -> bool:
    """more systems than rows, or few rows."""
    n, columns = main.shape[-1], x.shape[-1]
    batch = 1
    for k in x.shape[:-2]:
        batch *= k
    return bool(0 < n <= max(batch * columns, 8))


@native(numpy="likewise._libs._numpy_natives:tridiagonal", when=_more_than_rows)
def _eliminated(low: Any, main: Any, up: Any, x: Any) -> Any:
    return _cyclic(low, main, up, x)


def _systems(low: Any, main: Any, up: Any, x: Any) -> bool:
    """systems of several rows, and right sides."""
    return main.shape[-1] > 2 and 0 not in x.shape


@native(jax="likewise._libs._jax_natives:tridiagonal", when=_systems)
def _cyclic(low: Any, main: Any, up: Any, x: Any) -> Any:
    """Cyclic reduction."""
    xp, n = array_namespace(x), main.shape[-1]
    if n < 2:
        return x / main[..., None]
    low, main, up = low[..., None], main[..., None], up[..., None]
    low, up = _shifted(xp, low[..., 1:, :], 1, n), _shifted(xp, up[..., :-1, :], -1, n)
    s = 1
    while s < n:
        above, below = main[..., :-s, :], main[..., s:, :]
        p = _shifted(xp, -low[..., s:, :] / above, s, n)
        q = _shifted(xp, -up[..., :-s, :] / below, -s, n)
        x, main, low, up = (
            x + p * _moved(xp, x, s, n) + q * _moved(xp, x, -s, n),
            main + p * _moved(xp, up, s, n) + q * _moved(xp, low, -s, n),
            p * _moved(xp, low, s, n),
            q * _moved(xp, up, -s, n),
        )
        s *= 2
    return x / main


def _moved(xp: Any, v: Any, s: int, n: int) -> Any:
    """Rows moved down by `s` (up, if negative), with zeros where none comes from."""
    return _shifted(xp, v[..., :-s, :] if s > 0 else v[..., -s:, :], s, n)


def _shifted(xp: Any, v: Any, s: int, n: int) -> Any:
    """Rows filled up to `n` with zeros, before them if `s` is positive."""
    shape = (*v.shape[:-2], n - v.shape[-2], v.shape[-1])
    zeros = xp.zeros(shape, dtype=v.dtype, device=device(v))
    return xp.concat([zeros, v] if s > 0 else [v, zeros], axis=-2)


# -- closed forms ----------------------------------------------------------------------------------


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
    size = _magnitude(xp, a)
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
    >>> from likewise.missing import solve
    >>> solve(np.asarray([[2.0, 0.0], [1.0, 1.0]]), np.asarray([2.0, 3.0]))
    array([1., 2.])
    """
    xp = array_namespace(a, b)
    matrix, right = _plan.common_floating("solve", xp, ("a", "b"), a, b)
    n = _square("solve", matrix)
    right, vector = _right_side("solve", tuple(matrix.shape[:-2]), n, right)
    if not 1 <= n <= 3:
        x = _plan.extension("solve", xp, "linalg").solve(matrix, right)
        return x[..., 0] if vector else x  # type: ignore[no-any-return]
    with quiet(right):
        x = _solved(matrix, right) if n > 1 else NotImplemented
        x = _by_cramer(matrix, right) if x is NotImplemented else x
    return x[..., 0] if vector else x  # type: ignore[no-any-return]


@native(numpy="likewise._libs._numpy_natives:solve", torch="likewise._libs._torch_natives:solve")
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
    >>> from likewise.missing import inv
    >>> inv(np.asarray([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    xp = array_namespace(a)
    matrix: Any
    (matrix,) = _plan.common_floating("inv", xp, ("a",), a)
    if not 1 <= _square("inv", matrix) <= 3:
        return _plan.extension("inv", xp, "linalg").inv(matrix)  # type: ignore[no-any-return]
    with quiet(matrix):
        found = _inverse(matrix)
        return _by_adjugate(matrix) if found is NotImplemented else found  # type: ignore[no-any-return]


@native(
    numpy="likewise._libs._numpy_natives:inv",
    torch="likewise._libs._torch_natives:inv",
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


# -- factors with pivots ---------------------------------------------------------------------------


@public
def lu_factor(a: A) -> tuple[A, A]:
    """Factor matrices with partial pivoting, ``p a = l u``.

    Parameters
    ----------
    a : array, shape (..., m, n)
        Real or complex.

    Returns
    -------
    lu : array, shape (..., m, n)
        `u` on and above the diagonal, `l` without its ones below it.
    piv : array of integers, shape (..., min(m, n))
        Row i was exchanged with row ``piv[i]``, one after the other.

    Raises
    ------
    ShapeError
        If `a` has fewer than two dimensions.

    Notes
    -----
    Right-looking elimination (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., section
    3.4) as min(m, n) steps over the whole batch and all of each matrix: meant for small ones.
    Differentiable.

    Differs from SciPy: a singular matrix gives no warning; `piv` has the default integer dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import lu_factor
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
        if _one_large(x):
            lu, piv, info = _getrf(x)
            if info >= 0:
                return lu, xp.astype(piv, _integer(xp, x), copy=False)
        return _factored(x)


def _integer(xp: Any, x: Any) -> Any:
    """The dtype of pivots: the library's default."""
    return default_floating(xp, device(x), kind="integral")


@native(numpy="scipy.linalg.lapack:dgetrf")
def _getrf(x: Any) -> tuple[Any, Any, int]:
    return None, None, -1


@native(
    torch="likewise._libs._torch_natives:lu_factor",
    jax="likewise._libs._jax_natives:lu_factor",
    when=lambda a: 0 not in a.shape,
)
def _factored(x: Any) -> tuple[Any, Any]:
    xp = array_namespace(x)
    m, n = x.shape[-2:]
    rows = xp.arange(m, device=device(x))
    columns = xp.arange(n, device=device(x))
    pivots = []
    for k in range(min(m, n)):
        p = xp.argmax(_magnitude(xp, x[..., k:, k]), axis=-1) + k
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
def lu_solve(lu_and_piv: tuple[A, A], b: A, trans: int | str = 0) -> A:
    """Solve ``a x = b`` for matrices factored by `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple of array, shape (..., n, n), and array of integers, shape (..., n)
        What `lu_factor` returned.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Solve with `a` (0, 'N'), its transpose (1, 'T') or its conjugate transpose (2, 'C').

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ArgumentError
        If `trans` is none of those.

    Notes
    -----
    n exchanges and two substitutions. Differentiable. A singular matrix, of which `lu_factor` has a
    zero on the diagonal of `u`, is not an error here, unlike in `solve` for more than three rows:
    it gives infinities or NaN, as in SciPy, and spoils no other.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import lu_factor, lu_solve
    >>> lu_solve(lu_factor(np.asarray([[1.0, 2.0], [2.0, 8.0]])), np.asarray([3.0, 10.0]))
    array([1., 1.])
    """
    if not isinstance(lu_and_piv, tuple | list) or len(lu_and_piv) != 2:
        raise ArrayTypeError(
            "lu_solve: argument 'lu_and_piv' must be the pair that lu_factor returns, but got a "
            f"{describe(lu_and_piv)}"
        )
    lu, piv = lu_and_piv
    xp = array_namespace(lu, piv, b)
    if not hasattr(piv, "dtype") or not _plan.is_dtype(xp, piv.dtype, "integral"):
        raise DtypeError(
            f"lu_solve: argument 'piv' must be an array of integers, but got a {describe(piv)}"
        )
    factor, x = _plan.common_floating("lu_solve", xp, ("lu", "b"), lu, b)
    n = _square("lu_solve", factor)
    pivots: Any = piv
    if tuple(pivots.shape) != tuple(factor.shape[:-1]):
        raise ShapeError(
            f"lu_solve: piv must have shape {tuple(factor.shape[:-1])}, got {tuple(pivots.shape)}"
        )
    x, vector = _right_side("lu_solve", tuple(factor.shape[:-2]), n, x)
    mode = _trans("lu_solve", trans)
    with quiet(x):
        info = -1
        if _one_large(factor) and x.ndim == 2:
            found, info = _getrs(factor, pivots, x, mode)
        x = found if info == 0 else _lu_solved(factor, pivots, x, mode)
    return x[..., 0] if vector else x  # type: ignore[no-any-return]


@native(numpy="scipy.linalg.lapack:dgetrs")
def _getrs(lu: Any, pivots: Any, b: Any, mode: int) -> tuple[Any, int]:
    return None, -1


@native(torch="likewise._libs._torch_natives:lu_solve", when=lambda lu, p, b, m: _filled(lu, b))
def _lu_solved(factor: Any, pivots: Any, x: Any, mode: int) -> Any:
    xp, n = array_namespace(factor), factor.shape[-1]
    if n == 0:
        return x
    order = _permutation(pivots, n)
    if not mode:
        x = _substituted(factor, _rows_of(xp, x, order), True, True)
        return _substituted(factor, x, False, False)
    t = _adjoint(xp, factor) if mode == 2 else xp.matrix_transpose(factor)
    x = _substituted(t, _substituted(t, x, True, False), False, True)
    return _rows_of(xp, x, xp.argsort(order, axis=-1))


def _rows_of(xp: Any, x: Any, order: Any) -> Any:
    """Rows in another order, of each matrix its own."""
    return xp.take_along_axis(x, xp.broadcast_to(order[..., None], x.shape), axis=-2)


@native(jax="likewise._libs._jax_natives:permutation")
def _permutation(pivots: Any, n: int) -> Any:
    """The order of the rows after all exchanges."""
    xp = array_namespace(pivots)
    order = xp.arange(n, dtype=pivots.dtype, device=device(pivots))
    order = xp.broadcast_to(order, pivots.shape)[..., None]
    for k in range(pivots.shape[-1]):
        order = _exchanged(xp, order, k, pivots[..., k])
    return order[..., 0]


@public
def det(a: A) -> A:
    """Compute determinants.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.

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
    The standard's ``linalg.det``; without that extension the product of the pivots of
    `lu_factor`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import det
    >>> round(float(det(np.asarray([[2.0, 1.0], [0.0, 4.0]]))), 12)
    8.0
    """
    xp = array_namespace(a)
    x: Any
    (x,) = _plan.common_floating("det", xp, ("a",), a)
    n = _square("det", x)
    if hasattr(xp, "linalg"):
        return xp.linalg.det(x)  # type: ignore[no-any-return]
    lu, piv = lu_factor(x)
    steps = xp.arange(n, dtype=piv.dtype, device=device(x))
    odd = xp.sum(xp.astype(piv != steps, piv.dtype), axis=-1) % 2 == 1
    diagonal = xp.where(steps[:, None] == steps, lu, xp.ones_like(lu))
    product = xp.prod(xp.prod(diagonal, axis=-1), axis=-1)
    return xp.where(odd, -product, product)  # type: ignore[no-any-return]


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
    >>> from likewise.missing import lstsq
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
    right, vector = _right_side("lstsq", tuple(matrix.shape[:-2]), m, right)
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


@native(numpy="likewise._libs._numpy_natives:lstsq", when=_one_matrix)
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
    >>> from likewise.missing import pinv
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
        _square("pinv", x)
    linalg = _plan.extension("pinv", xp, "linalg")
    *batch, m, n = x.shape
    if 0 in x.shape:
        return xp.zeros((*batch, n, m), dtype=x.dtype, device=device(x))  # type: ignore[no-any-return]
    if rtol is None:
        rtol = float(xp.finfo(x.dtype).eps) * max(m, n)
    x, bad = _finite("pinv", xp, x)
    out = _hermitian_inverse(xp, x, rtol) if hermitian else linalg.pinv(x, rtol=rtol)
    return out if bad is None else xp.where(bad[..., None, None], xp.nan, out)  # type: ignore[no-any-return]


def _hermitian_inverse(xp: Any, x: Any, rtol: Any) -> Any:
    values, vectors = xp.linalg.eigh(x)
    size = xp.abs(values)
    cutoff = rtol * xp.max(size, axis=-1)
    kept = size > cutoff[..., None]
    inverse = xp.where(kept, 1 / xp.where(kept, values, xp.ones_like(values)), 0.0)
    inverse = xp.astype(inverse, x.dtype)[..., None, :]
    return xp.matmul(vectors * inverse, _adjoint(xp, vectors))
