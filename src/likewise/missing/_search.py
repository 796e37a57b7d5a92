"""Binary search in many rows at once."""

from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from .._native import native, public
from .._typing import A
from ..errors import ShapeError
from ._axes import as_given, index_dtype, is_floating

__all__ = ["search_rows", "searchsorted"]


@public
def searchsorted(
    a: A, v: Any, side: Literal["left", "right"] | str = "left", sorter: Any = None
) -> A:
    """Find the indices at which elements would be inserted into sorted rows.

    Parameters
    ----------
    a : array, shape (..., n)
        Real; each row in ascending order (by `sorter` if there is one), NaNs last.
    v : array or number, shape (..., m)
        The elements. Of any shape if `a` has one dimension; otherwise the leading dimensions of
        both broadcast.
    side : {'left', 'right'}, optional
        Whether to insert before or after equal elements.
    sorter : array of integers, shape of `a`, optional
        Indices that sort the rows, as from ``argsort``.

    Returns
    -------
    array of the library's default integer dtype, shape (..., m)
        Indices from 0 to n.

    Raises
    ------
    ArgumentError
        If there is no such `side`.
    DtypeError
        If an argument is complex.
    ShapeError
        If shapes don't fit.

    Notes
    -----
    About log2(n) comparisons per element. Rows that are not sorted give meaningless indices. On
    every library, NaNs are larger than all numbers and equal to each other.

    Differs from NumPy: rows; int64 with uint64, which NumPy compares as floating numbers, is a
    DtypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import searchsorted
    >>> searchsorted(np.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.asarray([[2.5], [4.0]]))
    array([[2],
           [0]])
    """
    xp = array_namespace(a, v, sorter)
    _plan.choice("searchsorted", "side", side, ("left", "right"))
    a, v = _plan_search(xp, a, v)
    if sorter is not None and tuple(sorter.shape) != tuple(a.shape):
        raise ShapeError(
            f"searchsorted: sorter must have the shape of a, {tuple(a.shape)}, but has "
            f"{tuple(sorter.shape)}"
        )
    if a.ndim == 1:
        return _searchsorted(a, v, side, sorter)
    if sorter is not None:
        a = xp.take_along_axis(a, sorter, axis=-1)
    batch = _plan.broadcast("searchsorted", a=a.shape[:-1], v=v.shape[:-1])
    a = xp.broadcast_to(a, (*batch, a.shape[-1]))
    v = xp.broadcast_to(v, (*batch, v.shape[-1]))
    return search_rows(a, v, side)


def comparable(function: str, xp: Any, names: tuple[str, str], x: Any, y: Any) -> tuple[Any, Any]:
    """Return real arrays of one dtype in which they compare exactly."""
    one, two = _plan.compared(function, xp, names, x, y, real=True)
    if one.dtype == xp.bool:
        one, two = xp.astype(one, xp.uint8), xp.astype(two, xp.uint8)
    return one, two


def _plan_search(xp: Any, a: Any, v: Any) -> tuple[Any, Any]:
    a, v = comparable("searchsorted", xp, ("a", "v"), a, v)
    if a.ndim == 0 or (a.ndim > 1 and v.ndim == 0):
        raise ShapeError(
            "searchsorted: a (..., n) and v (..., m) were expected, got shapes "
            f"{tuple(a.shape)} and {tuple(v.shape)}"
        )
    return a, v


def _several(a: Any, v: Any, *args: Any) -> bool:
    """arrays to look for; of a number NumPy makes a number."""
    return v.ndim > 0


@native(numpy="numpy:searchsorted", jax="likewise._libs.jax._natives:searchsorted", when=_several)
def _searchsorted(a: Any, v: Any, side: str, sorter: Any) -> Any:
    xp = array_namespace(a)
    out = xp.asarray(_places(xp, a, v, side, sorter))
    return as_given(xp.astype(out, index_dtype(xp, a), copy=False))


def _places(xp: Any, a: Any, v: Any, side: str, sorter: Any) -> Any:
    if sorter is not None:
        a = xp.take(a, sorter)
    n = a.shape[0]
    if n == 0:
        return xp.zeros(v.shape, dtype=index_dtype(xp, a), device=device(a))
    if not is_floating(xp, a):
        return xp.searchsorted(a, v, side=side)
    strange = xp.isnan(v)
    if is_concrete(a) and not bool(xp.isnan(a[-1])):
        numbers = xp.full((), n, dtype=index_dtype(xp, a), device=device(a))
        out = xp.searchsorted(a, v, side=side)
    else:
        # For torch, a NaN is not larger than anything.
        some = xp.isnan(a)
        numbers = xp.sum(xp.astype(~some, index_dtype(xp, a)))
        out = xp.searchsorted(xp.where(some, xp.full_like(a, xp.inf), a), v, side=side)
        out = xp.minimum(out, numbers)
    return xp.where(strange, numbers if side == "left" else xp.full_like(out, n), out)


def search_rows(a: Any, v: Any, side: str) -> Any:
    """Places in rows (batch..., n) of elements (batch..., m), all at once, a bit at a time."""
    xp = array_namespace(a)
    n = a.shape[-1]
    place = xp.zeros_like(v, dtype=index_dtype(xp, a))
    if n == 0:
        return place
    strange = xp.isnan(v) if is_floating(xp, v) else None
    for bit in reversed(range(n.bit_length())):
        next = place + (1 << bit)
        inside = next <= n
        at = xp.where(inside, next - 1, xp.full_like(next, n - 1))
        found = xp.take_along_axis(a, at, axis=-1)
        before = found < v if side == "left" else found <= v
        if strange is not None:
            before = before | (strange & ~xp.isnan(found) if side == "left" else strange)
        place = xp.where(inside & before, next, place)
    return place
