"""Sets of numbers as arrays of distinct elements in ascending order."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ArgumentError
from ._axes import flat
from ._indexing import _plain, _sorted_groups, compress, unique
from ._segments import size_of

__all__ = ["intersect1d", "setdiff1d", "union1d"]


def _plan_sets(function: str, ar1: Any, ar2: Any, size: Any) -> tuple[Any, Any, Any, int | None]:
    """Namespace, flat arrays of one dtype, and the size."""
    xp = array_namespace(ar1, ar2)
    pair = _plan.common_numbers(function, xp, ("ar1", "ar2"), ar1, ar2)
    x, y = (flat(a, tuple(range(a.ndim))) for a in pair)
    return xp, x, y, None if size is None else size_of(function, "size", size)


def _filling(function: str, xp: Any, x: Any, value: Any) -> Any:
    return None if value is None else _plain(function, "fill_value", xp, x.dtype, value)


@public
def union1d(
    ar1: A, ar2: A | Numbers, *, size: int | None = None, fill_value: complex | None = None
) -> A:
    """Find the distinct elements that are in one of two arrays.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    size : int, optional
        How many elements are returned: the smallest ones, and `fill_value` for those that there
        aren't. Default: as many as there are, on libraries that allow shapes that depend on data
        (not under jit).
    fill_value : scalar, optional
        Default: the smallest element.

    Returns
    -------
    array, shape (count,) or (size,)
        In ascending order, of the common dtype; NaN is the last, and one element.

    Raises
    ------
    ArgumentError
        If `size` is negative, or both arrays are empty and `size` and no `fill_value` are given.

    Notes
    -----
    A stable sort. Differentiable where no element of one is one of the other.

    Differs from NumPy: `size` and `fill_value`, as in JAX; int64 beside uint64, which NumPy makes
    floating, is a DtypeError; beside float32 integers take it, and may be rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import union1d
    >>> union1d(np.asarray([3, 1]), np.asarray([2, 3]))
    array([1, 2, 3])
    """
    xp, x, y, size = _plan_sets("union1d", ar1, ar2, size)
    if size and x.shape[0] + y.shape[0] == 0 and fill_value is None:
        raise ArgumentError("union1d: of empty arrays nothing can fill; fill_value is needed")
    both = xp.concat([x, y])
    fill_value = _filling("union1d", xp, both, fill_value)
    if size == 0:
        return both[:0]
    return unique(both, size=size, fill_value=fill_value)


@public
def intersect1d(
    ar1: A, ar2: A | Numbers, *, size: int | None = None, fill_value: complex | None = None
) -> A:
    """Find the distinct elements that are in both of two arrays.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    size : int, optional
        As for `union1d`.
    fill_value : scalar, optional
        Default: the smallest element of the result, 0 if it has none.

    Returns
    -------
    array, shape (count,) or (size,)
        In ascending order, of the common dtype. NaN is in no array.

    Raises
    ------
    ArgumentError
        If `size` is negative.

    Notes
    -----
    A stable sort.

    Differs from NumPy: `size` and `fill_value`, as in JAX; no ``assume_unique`` and no
    ``return_indices``; int64 beside uint64 is a DtypeError; beside float32 integers take it,
    rounded, before they are compared.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import intersect1d
    >>> intersect1d(np.asarray([3, 1, 3]), np.asarray([2, 3]))
    array([3])
    """
    xp, x, y, size = _plan_sets("intersect1d", ar1, ar2, size)
    fill_value = _filling("intersect1d", xp, x, fill_value)
    if size is None:
        return _intersect(x, y)
    return _sized(xp, *_in_both(xp, x, y), size, fill_value)


@public
def setdiff1d(
    ar1: A, ar2: A | Numbers, *, size: int | None = None, fill_value: complex | None = None
) -> A:
    """Find the distinct elements that are in the first of two arrays and not in the second.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    size : int, optional
        As for `union1d`.
    fill_value : scalar, optional
        Default: the smallest element of the result, 0 if it has none.

    Returns
    -------
    array, shape (count,) or (size,)
        In ascending order, of the common dtype. As NaN is in no array, it stays, as one element.

    Raises
    ------
    ArgumentError
        If `size` is negative.

    Notes
    -----
    A stable sort. Differentiable where no element of one is one of the other.

    Differs from NumPy: the common dtype, where NumPy's is that of `ar1`; `size` and `fill_value`,
    as in JAX; no ``assume_unique``; int64 beside uint64 is a DtypeError; beside float32 integers
    take it, rounded, before they are compared.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import setdiff1d
    >>> setdiff1d(np.asarray([3, 1, 3, 4]), np.asarray([2, 3]))
    array([1, 4])
    """
    xp, x, y, size = _plan_sets("setdiff1d", ar1, ar2, size)
    fill_value = _filling("setdiff1d", xp, x, fill_value)
    if size is None:
        return _setdiff(x, y)
    return _sized(xp, *_in_first(xp, x, y), size, fill_value)


@native(numpy="numpy:intersect1d")
def _intersect(x: Any, y: Any) -> Any:
    values, wanted = _in_both(array_namespace(x), x, y)
    return compress(wanted, values)


@native(numpy="numpy:setdiff1d")
def _setdiff(x: Any, y: Any) -> Any:
    values, wanted = _in_first(array_namespace(x), x, y)
    return compress(wanted, values)


def _sorted_pair(xp: Any, x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """All elements in order; which end a value, which are of `x`, and which are followed by `y`'s.

    Of equal elements those of `x` are before those of `y`, as the sort is stable: so that for each
    value one place says whether both have it.
    """
    flat = xp.concat([x, y])
    order, new = _sorted_groups(xp, flat)
    first = order < x.shape[0]
    end = xp.concat([new[1:], xp.ones((1,), dtype=xp.bool, device=device(new))])
    follows = xp.concat([~first[1:], xp.zeros((1,), dtype=xp.bool, device=device(new))])
    return xp.take(flat, order, axis=0), end, first, follows


def _strange(xp: Any, values: Any) -> Any:
    if xp.isdtype(values.dtype, ("real floating", "complex floating")):
        return xp.isnan(values)
    return xp.zeros(values.shape, dtype=xp.bool, device=device(values))


def _in_both(xp: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Sorted elements, and which to take: the last one of `x` before one of `y`."""
    if x.shape[0] + y.shape[0] == 0:
        return x, x != x
    values, end, first, follows = _sorted_pair(xp, x, y)
    return values, first & follows & ~end & ~_strange(xp, values)


def _in_first(xp: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Sorted elements, and which to take: the last one, if it is of `x`."""
    if x.shape[0] + y.shape[0] == 0:
        return x, x != x
    values, end, first, follows = _sorted_pair(xp, x, y)
    return values, first & (end | (follows & _strange(xp, values)))


def _sized(xp: Any, values: Any, wanted: Any, size: int, fill_value: Any) -> Any:
    """The first elements that are wanted, and what fills."""
    if fill_value is not None:
        return compress(wanted, values, size=size, fill_value=fill_value)
    found = compress(wanted, values, size=size)
    if size == 0 or values.shape[0] == 0:
        return found
    there = xp.arange(size, device=device(found)) < xp.count_nonzero(wanted)
    return xp.where(there, found, found[:1])
