"""Smallest, largest and middle elements of labelled groups, and where they are."""

import math
from typing import Any

from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, scalar
from ..._native import native, public
from ..._plan import is_complex
from ...missing._axes import index_dtype
from .._base._dtypes import usual
from ._groups import floating, grouped, is_index, single, taken
from ._sums import tuples

__all__ = [
    "extrema",
    "maximum",
    "maximum_position",
    "median",
    "minimum",
    "minimum_position",
]


@public
def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Find the smallest element of an image that carries each label.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    labels, index
        As for `sum_labels`.

    Returns
    -------
    array, of the shape of index
        Of the dtype of `input`; NaN if the group has a NaN, 0 for a label without elements.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.
    DtypeError
        If `input` is complex.

    Notes
    -----
    A binary search of each element's label among those of interest, and minima by segments.
    Differentiable with respect to `input`: the derivative is that of the first such element.

    Differs from SciPy: of several groups, too, a NaN makes the minimum NaN; of no elements it is 0
    for one group, too, where SciPy raises an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import minimum
    >>> minimum(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2, 5])
    array([1., 3., 0.])
    """
    return _chosen(*taken("minimum", input, labels, index, real=True), False)


@public
def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Find the largest element of an image that carries each label.

    Parameters
    ----------
    input, labels, index
        As for `minimum`.

    Returns
    -------
    array, of the shape of index
        As from `minimum`.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        As for `minimum`.

    Notes
    -----
    As for `minimum`.

    Differs from SciPy: as for `minimum`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import maximum
    >>> maximum(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2, 5])
    array([2., 3., 0.])
    """
    return _chosen(*taken("maximum", input, labels, index, real=True), True)


def _whole(x: Any, labels: Any, index: Any, *options: Any) -> bool:
    """one group of real numbers that has elements, or several whose labels are integers."""
    xp = array_namespace(x)
    if not usual(x):
        return False
    if not is_index(index):
        return single(x, labels, index)
    whole = all(xp.isdtype(a.dtype, "integral") for a in (labels, index))
    return whole and 0 not in (*x.shape, *labels.shape) and not is_complex(xp, x.dtype)


@native(
    numpy="likewise._libs.numpy._images:chosen",
    torch="likewise._libs.numpy._images:chosen",
    when=_whole,
)
def _chosen(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    return _at(x, labels, _place(x, labels, index, largest))


def _at(x: Any, labels: Any, place: Any) -> Any:
    """Return the elements at flat indices, 0 at negative ones."""
    xp = array_namespace(x)
    if labels is not None and x.shape != labels.shape:
        x, _ = xp.broadcast_arrays(x, labels)
    v = xp.reshape(x, (-1,))
    if not v.shape[0]:
        return scalar(xp.zeros(place.shape, dtype=x.dtype, device=device(x)))
    place = xp.asarray(place)
    at = xp.reshape(xp.where(place < 0, xp.zeros_like(place), place), (-1,))
    found = xp.reshape(xp.take(v, at, axis=0), place.shape)
    return scalar(xp.where(place < 0, xp.zeros_like(found), found))


@native(
    numpy="likewise._libs.numpy._images:place",
    torch="likewise._libs.numpy._images:place",
    when=_whole,
)
def _place(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    """Return the flat index of the first extreme element of each group, -1 for no elements."""
    v, group = grouped(x, labels, index)
    xp, n = array_namespace(v), v.shape[0]
    if v.dtype == xp.bool:
        v = xp.astype(v, xp.uint8)
    best = group.extreme(v, "maximum" if largest else "minimum")
    best = group.spread(best)
    hit = v == best
    if xp.isdtype(v.dtype, "real floating"):
        hit = hit | (xp.isnan(v) & xp.isnan(best))
    every = xp.arange(n, dtype=index_dtype(xp, v), device=device(v))
    found = group.extreme(xp.where(hit, every, xp.full_like(every, n)), "minimum")
    return group.given(xp.where(found < n, found, xp.full_like(found, -1)))


@public
def minimum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Find where the smallest element of an image that carries each label is.

    Parameters
    ----------
    input, labels, index
        As for `minimum`.

    Returns
    -------
    tuple of int array, or list of such tuples
        An index along each axis; for several labels of interest, a list of tuples. The first such
        element in C order, or the first NaN; zeros for a label without elements.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        As for `minimum`.

    Notes
    -----
    As for `minimum`, and once more for the places. Has no derivative.

    Differs from SciPy: of several smallest elements it is always the first; and as for `minimum`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import minimum_position
    >>> [int(i) for i in minimum_position(np.asarray([[3.0, 2.0], [1.0, 4.0]]))]
    [1, 0]
    """
    x, labels, index = taken("minimum_position", input, labels, index, real=True)
    return _coordinates(x, labels, _place(x, labels, index, False), is_index(index))


@public
def maximum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Find where the largest element of an image that carries each label is.

    Parameters
    ----------
    input, labels, index
        As for `minimum`.

    Returns
    -------
    tuple of int array, or list of such tuples
        As from `minimum_position`.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        As for `minimum`.

    Notes
    -----
    As for `minimum_position`.

    Differs from SciPy: as for `minimum_position`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import maximum_position
    >>> [int(i) for i in maximum_position(np.asarray([[3.0, 2.0], [1.0, 4.0]]))]
    [1, 1]
    """
    x, labels, index = taken("maximum_position", input, labels, index, real=True)
    return _coordinates(x, labels, _place(x, labels, index, True), is_index(index))


def _coordinates(x: Any, labels: Any, place: Any, several: bool) -> Any:
    """Return flat indices as indices along each axis, zeros for negative ones."""
    xp, found, shape = array_namespace(x), [], x.shape
    if labels is not None and labels.shape != shape:
        shape = xp.broadcast_arrays(x, labels)[0].shape
    place = xp.asarray(place)
    place = xp.where(place < 0, xp.zeros_like(place), place)
    for n in reversed(shape):
        found.append(place % max(n, 1))
        place = place // max(n, 1)
    return tuples(found[::-1], several)


@public
def extrema(input: Any, labels: Any = None, index: Any = None) -> tuple[Any, Any, Any, Any]:
    """Find the smallest and the largest element that carry each label, and where they are.

    Parameters
    ----------
    input, labels, index
        As for `minimum`.

    Returns
    -------
    minimum, maximum : array, of the shape of index
        As from `minimum` and `maximum`.
    minimum_position, maximum_position : tuple of int array, or list of such tuples
        As from `minimum_position`.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        As for `minimum`.

    Notes
    -----
    As for `minimum_position`, twice. The elements are differentiable with respect to `input`.

    Differs from SciPy: as for `minimum_position`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import extrema
    >>> low, high, at_low, at_high = extrema(np.asarray([[3.0, 2.0], [1.0, 4.0]]))
    >>> float(low), float(high), [int(i) for i in at_low]
    (1.0, 4.0, [1, 0])
    """
    x, labels, index = taken("extrema", input, labels, index, real=True)
    several = is_index(index)
    low, high = (_place(x, labels, index, largest) for largest in (False, True))
    return (
        _at(x, labels, low),
        _at(x, labels, high),
        _coordinates(x, labels, low, several),
        _coordinates(x, labels, high, several),
    )


@public
def median(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Compute the median of the elements of an image that carry each label.

    Parameters
    ----------
    input, labels, index
        As for `minimum`.

    Returns
    -------
    array, of the shape of index
        The middle element, or the average of the two in the middle; NaN if the group has a NaN, or
        no elements.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        As for `minimum`.

    Notes
    -----
    Two sorts. Differentiable with respect to `input`.

    Differs from SciPy: of several groups, too, a NaN or no elements give NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import median
    >>> median(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2, 5])
    array([1.5, 3. , nan])
    """
    return _median(*taken("median", input, labels, index, real=True))


def _alone(x: Any, labels: Any, index: Any) -> bool:
    """one group, whose median has the dtype of SciPy's."""
    xp = array_namespace(x)
    double = default_floating(xp, device(x)) == xp.float64
    return (
        usual(x)
        and single(x, labels, index)
        and (double or not xp.isdtype(x.dtype, ("bool", "integral")))
    )


@native(
    numpy="likewise._libs.numpy._images:median",
    torch="likewise._libs.numpy._images:median",
    when=_alone,
)
def _median(x: Any, labels: Any, index: Any) -> Any:
    v, group = grouped(x, labels, index)
    xp, n = array_namespace(v), v.shape[0]
    v = floating(v)
    ids, size = group.ids(v)
    if not n:
        return group.given(xp.full((size,), math.nan, dtype=v.dtype, device=device(v)))
    order = xp.argsort(v, stable=True)
    order = xp.take(order, xp.argsort(xp.take(ids, order, axis=0), stable=True), axis=0)
    ids = xp.take(ids, order, axis=0)
    every = xp.arange(size, dtype=ids.dtype, device=device(ids))
    first = xp.searchsorted(ids, every, side="left")
    stop = xp.searchsorted(ids, every, side="right")
    top = xp.full_like(first, n - 1)

    def at(place: Any) -> Any:
        place = xp.where(place < 0, xp.zeros_like(place), xp.minimum(place, top))
        return xp.take(v, xp.take(order, place, axis=0), axis=0)

    last = at(stop - 1)
    found = (at((first + stop - 1) // 2) + at((first + stop) // 2)) / 2
    return group.given(
        xp.where((stop > first) & (last == last), found, xp.full_like(found, math.nan))
    )
