"""Eigenvalues of symmetric tridiagonal matrices."""

from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from .._native import Lines, batches, native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError

__all__ = ["eigh_tridiagonal"]

Driver = Literal["auto", "stemr", "stebz", "sterf", "stev", "stevd"]
_DRIVERS = ("auto", "stemr", "stebz", "sterf", "stev", "stevd")
_SELECTIONS = {"a": "a", "all": "a", "i": "i", "index": "i", "v": "v", "value": "v"}


@public
def eigh_tridiagonal(
    d: A,
    e: A,
    eigvals_only: bool = False,
    select: Literal["a", "i", "v"] | str = "a",
    select_range: tuple[float, float] | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: Driver | str = "auto",
) -> A | tuple[A, A]:
    """Compute eigenvalues and eigenvectors of real symmetric tridiagonal matrices.

    Parameters
    ----------
    d : array, shape (..., n)
        The diagonals, real.
    e : array, shape (..., n - 1)
        The diagonals next to the main ones, real.
    eigvals_only : bool, optional
        Whether to return only the eigenvalues.
    select : {'a', 'i', 'v'}, optional
        'a': all eigenvalues; 'i': those with indices from min to max of `select_range`, counted
        from 0; 'v': those in the interval (min, max], where values can be read.
    select_range : (min, max), optional
        The indices or the interval.
    check_finite, tol, lapack_driver : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    w : array, shape (..., m)
        The eigenvalues, the smallest first.
    v : array, shape (..., n, m)
        The eigenvectors as columns of length 1, with the library's signs; not if `eigvals_only`.

    Raises
    ------
    ShapeError
        If sizes don't match.
    DtypeError
        If `d` or `e` is complex.
    ArgumentError
        If `select` has none of these values, if the eigenvalues in an interval can't be counted
        because values can't be read, or if the counts of a batch differ. If there are infinities or
        NaN, where values can be read; elsewhere such a matrix gives NaN.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    The array API standard's ``linalg.eigh`` of the full matrices: O(n^3) operations and memory for
    n^2 elements, each. One matrix on NumPy is solved by SciPy's tridiagonal routine, in O(n^2)
    operations without eigenvectors. Differentiable; eigenvectors only where eigenvalues differ,
    which holds if `e` has no zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import eigh_tridiagonal
    >>> eigh_tridiagonal(np.full(3, 2.0), np.ones(2), eigvals_only=True).round(6)
    array([0.585786, 2.      , 3.414214])
    """
    xp = array_namespace(d, e)
    names = ("d", "e")
    main, beside = _plan.common_floating("eigh_tridiagonal", xp, names, d, e, real=True)
    _plan.choice("eigh_tridiagonal", "lapack_driver", lapack_driver, _DRIVERS)
    n = main.shape[-1] if main.ndim else 0
    if n == 0 or beside.ndim == 0 or beside.shape[-1] != n - 1:
        raise ShapeError(
            "eigh_tridiagonal: d (..., n) and e (..., n - 1) were expected, got shapes "
            f"{tuple(main.shape)} and {tuple(beside.shape)}"
        )
    batch = _plan.broadcast("eigh_tridiagonal", d=main.shape[:-1], e=beside.shape[:-1])
    kind, limits = _selection(select, select_range, n)
    _plan.extension("eigh_tridiagonal", xp, "linalg")
    if batch:
        main, beside = xp.broadcast_to(main, (*batch, n)), xp.broadcast_to(beside, (*batch, n - 1))
    main, beside, bad = _finite(xp, main, beside)
    found = _eigh(main, beside, bool(eigvals_only), kind, limits)
    if bad is None:
        return found
    if eigvals_only:
        return xp.where(bad[..., None], xp.nan, found)
    w, v = found
    return xp.where(bad[..., None], xp.nan, w), xp.where(bad[..., None, None], xp.nan, v)


def _selection(select: Any, given: Any, n: int) -> tuple[str, tuple[Any, Any] | None]:
    """Return the selection, 'a', 'i' or 'v', and its limits."""
    kind = _SELECTIONS.get(select.lower()) if isinstance(select, str) else None
    if kind is None:
        raise ArgumentError(
            f"eigh_tridiagonal: select must be one of 'a', 'i', 'v', got {select!r}"
        )
    if kind == "a":
        return kind, None
    pair = tuple(given) if isinstance(given, tuple | list) else ()
    number = "__index__" if kind == "i" else "__float__"
    if len(pair) != 2 or not all(hasattr(v, number) for v in pair) or pair[1] < pair[0]:
        words = "integers" if kind == "i" else "numbers"
        raise ArgumentError(
            f"eigh_tridiagonal: select_range must be two {words}, the smaller first, for select "
            f"{select!r}, got {given!r}"
        )
    if kind == "v":
        return kind, (float(pair[0]), float(pair[1]))
    low, high = (v.__index__() for v in pair)
    if low < 0 or high >= n:
        raise ArgumentError(
            f"eigh_tridiagonal: select_range must lie in [0, {n - 1}], got {given!r}"
        )
    return kind, (low, high)


def _finite(xp: Any, d: Any, e: Any) -> tuple[Any, Any, Any]:
    """Diagonals for LAPACK, which may never end for infinities, and which matrices had some.

    Where values can be read, these are an error, and the third result is None.
    """
    whole = xp.isfinite(d), xp.isfinite(e)
    if not (is_concrete(d) and is_concrete(e)):
        finite = xp.all(whole[0], axis=-1) & xp.all(whole[1], axis=-1)
        d, e = (xp.where(finite[..., None], v, xp.zeros_like(v)) for v in (d, e))
        return d, e, ~finite
    if not bool(xp.all(whole[0]) & xp.all(whole[1])):
        raise ArgumentError("eigh_tridiagonal: d and e must be finite, got infinities or NaN")
    return d, e, None


def _one_matrix(d: Any, *args: Any) -> bool:
    """one matrix of several rows, as SciPy's forgets the dtype of a single one."""
    return bool(d.ndim == 1 and d.shape[0] > 1)


def _in_blocks(d: Any, e: Any, eigvals_only: bool, kind: str, limits: Any) -> Lines:
    n = d.shape[-1]
    k = limits[1] + 1 - limits[0] if kind == "i" else n
    given, values = {0: (d, 1), 1: (e, 1)}, ((k,), d.dtype)
    return batches(given, values) if eigvals_only else batches(given, values, ((n, k), d.dtype))


@native(numpy="scipy.linalg:eigh_tridiagonal", when=_one_matrix, blocks=_in_blocks)
def _eigh(d: Any, e: Any, eigvals_only: bool, kind: str, limits: Any) -> Any:
    xp, matrix = array_namespace(d), _matrix(d, e)
    vectors = None
    if eigvals_only:
        values = xp.linalg.eigvalsh(matrix)
    else:
        values, vectors = xp.linalg.eigh(matrix)
    low, high = 0, d.shape[-1]
    if kind == "i":
        low, high = limits[0], limits[1] + 1
    elif kind == "v":
        low, high = (_count(xp, values, limit) for limit in limits)
    values = values[..., low:high]
    return values if vectors is None else (values, vectors[..., low:high])


def _matrix(d: Any, e: Any) -> Any:
    xp, n = array_namespace(d), d.shape[-1]
    i = xp.arange(n, device=device(d))
    offset = i[:, None] - i
    zero = xp.zeros((*d.shape[:-1], 1), dtype=d.dtype, device=device(d))
    low, up = xp.concat([zero, e], axis=-1), xp.concat([e, zero], axis=-1)
    out = xp.where(offset == 0, d[..., None], xp.zeros_like(d[..., None]))
    out = xp.where(offset == 1, low[..., None], out)
    return xp.where(offset == -1, up[..., None], out)


def _count(xp: Any, values: Any, limit: float) -> int:
    """Count the eigenvalues up to a limit, in each matrix."""
    if not is_concrete(values):
        raise ArgumentError(
            "eigh_tridiagonal: select 'v' needs values that can be looked at; select all, or by "
            "numbers ('i'), and mask what lies outside"
        )
    counts = xp.count_nonzero(values <= limit, axis=-1)
    low, high = (int(f(counts)) for f in (xp.min, xp.max)) if 0 not in counts.shape else (0, 0)
    if low != high:
        raise ArgumentError(
            f"eigh_tridiagonal: from {low} to {high} eigenvalues lie up to {limit} in the matrices "
            "of the batch, but the counts must be equal; select by numbers ('i')"
        )
    return low
