"""Sets of numbers as arrays of distinct elements in ascending order."""

from typing import Any, Literal, NamedTuple

from .. import _plan
from .._namespace import array_namespace, device
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ArgumentError
from ._axes import flat
from ._indexing import _places, _plain, _put_back, _sorted_groups, compress, unique
from ._search import searchsorted
from ._segments import size_of

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"]


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
    """Find the distinct elements of two arrays: their union.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    size : int, optional
        The number of elements to return: the smallest ones, padded with `fill_value`. Default: as
        many as there are, on libraries with data-dependent shapes (not under jit).
    fill_value : scalar, optional
        Default: the smallest element.

    Returns
    -------
    array, shape (count,) or (size,)
        In ascending order, of the common dtype; all NaNs are one element, the last.

    Raises
    ------
    ArgumentError
        If `size` is negative, or both arrays are empty and `size` and no `fill_value` are given.

    Notes
    -----
    A stable sort. Differentiable where the arrays have no common element.

    Differs from NumPy: `size` and `fill_value`, as in JAX; int64 with uint64, which NumPy makes
    floating, is a DtypeError; integers with float32 become float32 and may be rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import union1d
    >>> union1d(np.asarray([3, 1]), np.asarray([2, 3]))
    array([1, 2, 3])
    """
    xp, x, y, size = _plan_sets("union1d", ar1, ar2, size)
    if size and x.shape[0] + y.shape[0] == 0 and fill_value is None:
        raise ArgumentError("union1d: empty arrays have no element for padding; give a fill_value")
    both = xp.concat([x, y])
    fill_value = _filling("union1d", xp, both, fill_value)
    if size == 0:
        return both[:0]
    return unique(both, size=size, fill_value=fill_value)


@public
def intersect1d(
    ar1: A,
    ar2: A | Numbers,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: complex | None = None,
) -> Any:
    """Find the distinct elements that are in both of two arrays.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    assume_unique : bool, optional
        Whether the elements of each array are known to be distinct; saves a sort on NumPy.
    return_indices : bool, optional
        Whether to return the elements' first indices in each of the flattened arrays.
    size : int, optional
        As for `union1d`.
    fill_value : scalar, optional
        Default: the smallest element of the result, 0 if it has none.

    Returns
    -------
    values : array, shape (count,) or (size,)
        In ascending order, of the common dtype. NaN equals nothing, so it is never common.
    index1, index2 : array of int, shape (count,) or (size,)
        If requested; -1 for padding.

    Raises
    ------
    ArgumentError
        If `size` is negative.

    Notes
    -----
    A stable sort.

    Differs from NumPy: `size` and `fill_value`, as in JAX; int64 with uint64 is a DtypeError;
    integers with float32 are rounded to float32 before they are compared.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import intersect1d
    >>> intersect1d(np.asarray([3, 1, 3]), np.asarray([2, 3]), return_indices=True)
    (array([3]), array([0]), array([1]))
    """
    xp, x, y, size = _plan_sets("intersect1d", ar1, ar2, size)
    fill_value = _filling("intersect1d", xp, x, fill_value)
    if size is None:
        return _intersect(x, y, bool(assume_unique), bool(return_indices))
    pair = _sorted_pair(xp, x, y)
    wanted = pair.in_both(xp)
    values = _sized(xp, pair.values, wanted, size, fill_value)
    if not return_indices:
        return values
    places, found = _places(wanted, size)
    return values, *(xp.where(found, a, -1) for a in pair.firsts(xp, places, x.shape[0]))


@public
def setdiff1d(
    ar1: A,
    ar2: A | Numbers,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: complex | None = None,
) -> A:
    """Find the distinct elements that are in the first of two arrays and not in the second.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    assume_unique : bool, optional
        Whether the elements of each array are known to be distinct. The result then has the order
        of `ar1`.
    size : int, optional
        As for `union1d`.
    fill_value : scalar, optional
        Default: the first element of the result, 0 if it has none.

    Returns
    -------
    array, shape (count,) or (size,)
        In ascending order, or that of `ar1`; of the common dtype. NaN equals nothing, so it stays,
        as one element.

    Raises
    ------
    ArgumentError
        If `size` is negative.

    Notes
    -----
    A stable sort. Differentiable where the arrays have no common element.

    Differs from NumPy: the result has the common dtype, not that of `ar1`; `size` and `fill_value`,
    as in JAX; int64 with uint64 is a DtypeError; integers with float32 are rounded to float32
    before they are compared.

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
        return _setdiff(x, y, bool(assume_unique))
    return _sized(xp, *_in_first(xp, x, y, assume_unique), size, fill_value)


@public
def setxor1d(
    ar1: A,
    ar2: A | Numbers,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: complex | None = None,
) -> A:
    """Find the distinct elements that are in one of two arrays and not in the other.

    Parameters
    ----------
    ar1, ar2 : array
        Of any shape and dtype.
    assume_unique : bool, optional
        Whether the elements of each array are known to be distinct; saves a sort on NumPy.
    size : int, optional
        As for `union1d`.
    fill_value : scalar, optional
        Default: the smallest element of the result, 0 if it has none.

    Returns
    -------
    array, shape (count,) or (size,)
        In ascending order, of the common dtype. NaN equals nothing, so NaNs of both arrays stay, as
        one element.

    Raises
    ------
    ArgumentError
        If `size` is negative.

    Notes
    -----
    A stable sort. Differentiable where the arrays have no common element.

    Differs from NumPy: as `intersect1d` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import setxor1d
    >>> setxor1d(np.asarray([3, 1, 3]), np.asarray([2, 3]))
    array([1, 2])
    """
    xp, x, y, size = _plan_sets("setxor1d", ar1, ar2, size)
    fill_value = _filling("setxor1d", xp, x, fill_value)
    if size is None:
        return _setxor(x, y, bool(assume_unique))
    pair = _sorted_pair(xp, x, y)
    return _sized(xp, pair.values, pair.in_one(xp), size, fill_value)


@public
def isin(
    element: A | Numbers,
    test_elements: A | Numbers,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Literal["sort", "table"] | str | None = None,
) -> A:
    """Tell for each element whether it is in another array.

    Parameters
    ----------
    element : array
        Of any shape and dtype.
    test_elements : array
        The other array, of any shape.
    assume_unique : bool, optional
        Whether the elements of each array are known to be distinct; may be quicker on NumPy.
    invert : bool, optional
        Whether to return the negated result.
    kind : {'sort', 'table'}, optional
        How NumPy searches for integers and booleans: by sorting, or in a table of all numbers
        between the least and the greatest, which is fast and may be large. Default: chosen by their
        range. The result is the same; ignored on other libraries.

    Returns
    -------
    array of bool
        Of the shape of `element`. NaN equals nothing, so it is in no array.

    Raises
    ------
    ArgumentError
        If there is no such kind, or it is 'table' for other dtypes than integers and booleans.

    Notes
    -----
    For integers, the array API standard's ``isin``. Else a sort of `test_elements`, and a binary
    search for each element.

    Differs from NumPy: numbers of two dtypes are compared without rounding, in float64 at most,
    while NumPy may round float16, float32 and integers first.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import isin
    >>> isin(np.asarray([[1, 2], [3, 4]]), np.asarray([4, 2, 7]))
    array([[False,  True],
           [False,  True]])
    """
    xp = array_namespace(element, test_elements)
    names = "element", "test_elements"
    x, y = _plan.compared("isin", xp, names, element, test_elements)
    if kind is not None:
        _plan.choice("isin", "kind", kind, ("sort", "table"))
        if kind == "table" and not xp.isdtype(x.dtype, ("bool", "integral")):
            raise ArgumentError(f"isin: kind 'table' is for integers and booleans, got {x.dtype}")
    return _isin(x, flat(y, tuple(range(y.ndim))), bool(assume_unique), bool(invert), kind)


@native(numpy="numpy:intersect1d")
def _intersect(x: Any, y: Any, assume_unique: bool, return_indices: bool) -> Any:
    xp = array_namespace(x)
    pair = _sorted_pair(xp, x, y)
    wanted = pair.in_both(xp)
    if not return_indices:
        return compress(wanted, pair.values)
    places = xp.nonzero(wanted)[0]
    return xp.take(pair.values, places, axis=0), *pair.firsts(xp, places, x.shape[0])


@native(numpy="numpy:setdiff1d")
def _setdiff(x: Any, y: Any, assume_unique: bool) -> Any:
    values, wanted = _in_first(array_namespace(x), x, y, assume_unique)
    return compress(wanted, values)


@native(numpy="numpy:setxor1d")
def _setxor(x: Any, y: Any, assume_unique: bool) -> Any:
    xp = array_namespace(x)
    pair = _sorted_pair(xp, x, y)
    return compress(pair.in_one(xp), pair.values)


@native(numpy="likewise._libs.numpy._natives:isin")
def _isin(x: Any, y: Any, assume_unique: bool, invert: bool, kind: str | None) -> Any:
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "integral"):
        return xp.isin(x, y, invert=invert)
    n = y.shape[0]
    if 0 in (n, *x.shape):
        return xp.full(x.shape, invert, dtype=xp.bool, device=device(x))
    strange = _strange(xp, x)
    if x.dtype == xp.bool:
        x, y = (xp.astype(a, xp.uint8) for a in (x, y))
    elif xp.isdtype(x.dtype, "complex floating"):  # numbers of equal ones, which have an order
        both = xp.concat([xp.reshape(x, (-1,)), y])
        order, new = _sorted_groups(xp, both)
        both = _put_back(xp.cumulative_sum(xp.astype(new, order.dtype), dtype=order.dtype), order)
        x, y = xp.reshape(both[:-n], x.shape), both[-n:]
    y, flat_x = xp.sort(y, stable=False), xp.reshape(x, (-1,))
    place = xp.clip(searchsorted(y, flat_x), 0, n - 1)
    there = xp.reshape(xp.take(y, place, axis=0) == flat_x, x.shape) & ~strange
    return ~there if invert else there


class _Pair(NamedTuple):
    """All elements of two arrays in order.

    The sort is stable, so equal elements of the first array are before those of the second, and one
    place per value shows whether both have it.
    """

    values: Any
    order: Any  # where they were
    new: Any  # which begin a value
    first: Any  # which are of the first array
    strange: Any  # which are NaN, that equals nothing

    def in_both(self, xp: Any) -> Any:
        """Mark elements to take: the last one of the first array before one of the second."""
        if not self.new.shape[0]:  # where the standard has no slice that begins at 1
            return self.new
        follows = _shifted(xp, ~self.first[1:], last=False) & ~_shifted(xp, self.new[1:], last=True)
        return self.first & follows & ~self.strange

    def in_first(self, xp: Any) -> Any:
        """Mark elements to take: the last one, if it is of the first array."""
        if not self.new.shape[0]:
            return self.new
        end = _shifted(xp, self.new[1:], last=True)
        return self.first & (end | (_shifted(xp, ~self.first[1:], last=False) & self.strange))

    def in_one(self, xp: Any) -> Any:
        """Mark elements to take: the last if of the first array, and the first if of the second."""
        if not self.new.shape[0]:
            return self.new
        one = xp.ones((1,), dtype=xp.bool, device=device(self.new))
        after = xp.concat([one, self.first[:-1]])
        return self.in_first(xp) | (~self.first & (self.new | (after & self.strange)))

    def firsts(self, xp: Any, places: Any, count: int) -> tuple[Any, Any]:
        """Return the first places in both arrays of the common elements.

        The first array has `count` elements.
        """
        if self.order.shape[0] == 0:
            return places, places
        rank = xp.cumulative_sum(xp.astype(self.new, self.order.dtype), dtype=self.order.dtype)
        begin = xp.searchsorted(rank, xp.take(rank, places, axis=0))
        after = xp.minimum(places + 1, xp.full_like(places, self.order.shape[0] - 1))
        return xp.take(self.order, begin, axis=0), xp.take(self.order, after, axis=0) - count


def _sorted_pair(xp: Any, x: Any, y: Any) -> _Pair:
    both = xp.concat([x, y])
    order, new = _sorted_groups(xp, both)
    values = xp.take(both, order, axis=0) if both.shape[0] else both
    return _Pair(values, order, new, order < x.shape[0], _strange(xp, values))


def _shifted(xp: Any, rest: Any, last: bool) -> Any:
    """Shift a mask to the left by one element; the last gets `last`."""
    end = xp.full((1,), last, dtype=xp.bool, device=device(rest))
    return xp.concat([rest, end])


def _strange(xp: Any, values: Any) -> Any:
    if xp.isdtype(values.dtype, ("real floating", "complex floating")):
        return xp.isnan(values)
    return xp.zeros(values.shape, dtype=xp.bool, device=device(values))


def _in_first(xp: Any, x: Any, y: Any, assume_unique: bool) -> tuple[Any, Any]:
    """Elements, sorted unless they are distinct, and a mask of those to take."""
    if assume_unique:
        return x, _isin(x, y, True, True, None)
    pair = _sorted_pair(xp, x, y)
    return pair.values, pair.in_first(xp)


def _sized(xp: Any, values: Any, wanted: Any, size: int, fill_value: Any) -> Any:
    """The first elements that are wanted, and padding."""
    if fill_value is not None:
        return compress(wanted, values, size=size, fill_value=fill_value)
    found = compress(wanted, values, size=size)
    if size == 0 or values.shape[0] == 0:
        return found
    there = xp.arange(size, device=device(found)) < xp.count_nonzero(wanted)
    return xp.where(there, found, found[:1])
