"""Eigenvalues and eigenvectors, by the array API standard's functions."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, hooks_of, is_concrete, quiet
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, NotSupported, ShapeError, _caller_of
from ._checks import adjoint, mirrored, square
from ._cholesky import cholesky
from ._singular import all_finite, refuse_infinite
from ._solve import of_singular
from ._triangular import solve_triangular

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


@public
def eigh(
    a: A,
    b: A | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: None = None,
    driver: str | None = None,
) -> Any:
    """Solve the eigenvalue problem ``a v = w v`` of Hermitian matrices, or ``a v = w b v``.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real symmetric or complex Hermitian; only one triangle of each is read.
    b : array, shape (..., n, n), optional
        Positive definite.
    lower : bool, optional
        Whether the lower triangles are read, of `b` too.
    eigvals_only : bool, optional
        Whether to return only the eigenvalues.
    overwrite_a, overwrite_b : bool, optional
        Accepted for SciPy's signature; ignored.
    type : {1, 2, 3}, optional
        With `b`: ``a v = w b v``, ``a b v = w v`` or ``b a v = w v``.
    check_finite : bool, optional
        Accepted for SciPy's signature; ignored.
    subset_by_index : pair of int, optional
        The first and the last of the eigenvalues that are returned, from 0 on.
    subset_by_value : None
        Not supported: the number of results depends on values.
    driver : str, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    w : array, shape (..., n)
        Eigenvalues, real, the smallest first.
    v : array, shape (..., n, n)
        Eigenvectors as columns; unitary, or with `b` such that ``v^H b v`` is the identity.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    ArgumentError
        If an option has none of the values above.
    NotSupported
        If `subset_by_value` is given.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    By the library's routine; with `b`, by the Cholesky factors of `b` (G. H. Golub, C. F. Van Loan,
    Matrix Computations, 4th ed., section 8.7.2). Differentiable where eigenvalues differ.

    Differs from SciPy: batches.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import eigh
    >>> eigh(np.asarray([[2.0, 1.0], [1.0, 2.0]]), eigvals_only=True)
    array([1., 3.])
    """
    return _hermitian("eigh", a, b, lower, eigvals_only, type, subset_by_index, subset_by_value)


def _hermitian(
    function: str,
    a: Any,
    b: Any,
    lower: bool,
    eigvals_only: bool,
    type: int,
    subset_by_index: Any,
    subset_by_value: Any,
) -> Any:
    names = ("a",) if b is None else ("a", "b")
    given = (a,) if b is None else (a, b)
    xp = array_namespace(*given)
    x, *rest = _plan.common_floating(function, xp, names, *given)
    n = square(function, x)
    linalg = _plan.extension(function, xp, "linalg")
    if type not in (1, 2, 3):
        raise ArgumentError(f"{function}: type must be 1, 2 or 3, got {type!r}")
    if subset_by_value is not None:
        raise NotSupported(f"{function}: subset_by_value isn't supported. Take subset_by_index.")
    chosen = _subset(function, subset_by_index, n)
    x = mirrored(xp, x, lower, "her")
    if not rest:
        if eigvals_only:
            return linalg.eigvalsh(x)[..., chosen]
        w, v = linalg.eigh(x)
        return w[..., chosen], v[..., :, chosen]
    if square(function, rest[0]) != n:
        raise ShapeError(
            f"{function}: a and b must be of one size, got {n} and {rest[0].shape[-1]}"
        )
    other = rest[0] if lower else adjoint(xp, rest[0])
    factor = cholesky(other, lower=True)
    if type == 1:
        half = solve_triangular(factor, x, lower=True)
        reduced = solve_triangular(factor, adjoint(xp, half), lower=True)
    else:
        reduced = xp.matmul(adjoint(xp, factor), xp.matmul(x, factor))
    w, y = linalg.eigh(mirrored(xp, reduced, True, "her"))
    if eigvals_only:
        return w[..., chosen]
    v = xp.matmul(factor, y) if type == 3 else solve_triangular(factor, y, trans="C", lower=True)
    return w[..., chosen], v[..., :, chosen]


def _subset(function: str, given: Any, n: int) -> slice:
    if given is None:
        return slice(None)
    pair = list(given) if isinstance(given, tuple | list) else [given]
    if len(pair) != 2 or not all(hasattr(k, "__index__") for k in pair):
        raise ArgumentError(
            f"{function}: subset_by_index must be a pair of integers, got {given!r}"
        )
    low, high = (k.__index__() for k in pair)
    if not 0 <= low <= high < n:
        raise ArgumentError(f"{function}: subset_by_index must lie in [0, {n - 1}], got {given!r}")
    return slice(low, high + 1)


@public
def eigvalsh(
    a: A,
    b: A | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: None = None,
    driver: str | None = None,
) -> A:
    """Compute the eigenvalues of Hermitian matrices, as `eigh` does.

    Parameters
    ----------
    a, b, lower, overwrite_a, overwrite_b, type, check_finite
        As for `eigh`.
    subset_by_index, subset_by_value, driver
        As for `eigh`.

    Returns
    -------
    array, shape (..., n)
        Real, the smallest first.

    Raises
    ------
    ShapeError, ArgumentError, NotSupported, ExtensionMissing
        As for `eigh`.

    Notes
    -----
    Differentiable where eigenvalues differ.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import eigvalsh
    >>> eigvalsh(np.asarray([[2.0, 1.0], [1.0, 2.0]]))
    array([1., 3.])
    """
    w: A = _hermitian("eigvalsh", a, b, lower, True, type, subset_by_index, subset_by_value)
    return w


@public
def eig(
    a: A,
    b: A | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Solve the eigenvalue problem ``a v = w v`` of square matrices, or ``a v = w b v``.

    Parameters
    ----------
    a : array, shape (..., n, n)
        Real or complex.
    b : array, shape (..., n, n), optional
        Nonsingular.
    left : bool, optional
        Whether to return left eigenvectors, ``vl^H a = w vl^H``; not with `b`.
    right : bool, optional
        Whether to return right eigenvectors.
    overwrite_a, overwrite_b, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.
    homogeneous_eigvals : bool, optional
        Only False is supported.

    Returns
    -------
    w : array, shape (..., n)
        Eigenvalues, complex, in the library's order.
    vl, vr : array, shape (..., n, n)
        The requested eigenvectors, as columns of norm 1, complex; the left ones first.

    Raises
    ------
    ShapeError
        If the last two dimensions differ.
    NotSupported
        If `left` is True with `b`, or `homogeneous_eigvals` is True.
    ExtensionMissing
        If the namespace has no ``linalg``.
    ArgumentError
        If a matrix isn't finite; LinAlgError if `b` is singular. Both where values can be read.

    Notes
    -----
    By the library's routine; with `b`, applied to ``b^-1 a``. Left eigenvectors are the inverse of
    the right ones, so they are infinite where a matrix has too few eigenvectors. JAX has no such
    routine on GPUs. Where eigenvalues differ, results that don't depend on an eigenvector's phase
    are differentiable.

    Differs from SciPy: batches; ``b`` must be nonsingular.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import eig
    >>> eig(np.asarray([[0.0, 1.0], [-1.0, 0.0]]))[0]
    array([0.+1.j, 0.-1.j])
    """
    xp, x, second, linalg = _general("eig", a, b)
    if homogeneous_eigvals or (left and b is not None):
        what = "homogeneous_eigvals" if homogeneous_eigvals else "left, with b,"
        raise NotSupported(f"eig: {what} isn't supported")
    if not (left or right):
        return _complex(xp, linalg.eigvals(x)) if b is None else pencil(x, second)
    found = linalg.eig(x if b is None else _reduced(x, second))
    w, v = (_complex(xp, one) for one in found)
    if b is not None:
        v = v / xp.linalg.vector_norm(v, axis=-2, keepdims=True)
    out = [w]
    if left:
        other = adjoint(xp, linalg.inv(v))
        out.append(other / linalg.vector_norm(other, axis=-2, keepdims=True))
    return (*out, v) if right else tuple(out)


@public
def eigvals(
    a: A,
    b: A | None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> A:
    """Compute the eigenvalues of square matrices, as `eig` does.

    Parameters
    ----------
    a, b
        As for `eig`.
    overwrite_a, check_finite, homogeneous_eigvals : bool, optional
        As for `eig`.

    Returns
    -------
    array, shape (..., n)
        Complex, in the library's order.

    Raises
    ------
    ShapeError, NotSupported, ExtensionMissing, ArgumentError, LinAlgError
        As for `eig`.

    Notes
    -----
    Differentiable where eigenvalues differ. One problem with `b` on NumPy uses SciPy's routine
    (QZ), if SciPy is installed: then a singular `b` gives infinities.

    Differs from SciPy: batches; elsewhere ``b`` must be nonsingular.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import eigvals
    >>> eigvals(np.asarray([[0.0, 1.0], [-1.0, 0.0]]))
    array([0.+1.j, 0.-1.j])
    """
    xp, x, second, linalg = _general("eigvals", a, b)
    if homogeneous_eigvals:
        raise NotSupported("eigvals: homogeneous_eigvals isn't supported")
    w: A = _complex(xp, linalg.eigvals(x)) if b is None else pencil(x, second)
    return w


def _alone(a: Any, b: Any) -> bool:
    """matrices without further dimensions."""
    return a.ndim == 2


@native(numpy="likewise._libs.numpy._lapack:pencil", when=_alone)
def pencil(a: Any, b: Any) -> Any:
    """The w of ``a v = w b v``."""
    xp = array_namespace(a, b)
    return _complex(xp, xp.linalg.eigvals(_reduced(a, b)))


def _reduced(a: Any, b: Any) -> Any:
    """Return ``b^-1 a``; raise an error if `b` is singular, where values can be read."""
    try:
        with quiet(a):
            x = array_namespace(a, b).linalg.solve(b, a)
    except Exception as error:
        if not of_singular(error):
            raise
    else:
        if not is_concrete(x) or all_finite(x):
            return x
    raise hooks_of(b).linalg_error(f"{_caller_of('linalg')[0]}: b is singular")


def _general(function: str, a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    names = ("a",) if b is None else ("a", "b")
    given = (a,) if b is None else (a, b)
    xp = array_namespace(*given)
    x, *rest = _plan.common_floating(function, xp, names, *given)
    n = square(function, x)
    linalg = _plan.extension(function, xp, "linalg")
    if rest and square(function, rest[0]) != n:
        sizes = f"{n} and {rest[0].shape[-1]}"
        raise ShapeError(f"{function}: a and b must be of one size, got {sizes}")
    for name, y in zip(names, (x, *rest), strict=True):
        refuse_infinite(function, name, y)
    return xp, x, rest[0] if rest else None, linalg


def _complex(xp: Any, x: Any) -> Any:
    if _plan.is_complex(xp, x.dtype):
        return x
    return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)
