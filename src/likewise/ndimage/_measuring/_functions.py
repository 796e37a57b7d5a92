"""Histograms, and functions of the user, of labelled groups."""

import itertools
import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ..._native import native, public
from ...errors import DtypeError, ImageError
from ...missing._axes import index_dtype
from ...missing._segments import count
from .._base._arguments import dtype_of, integer, number
from ._groups import grouped, taken, values

__all__ = ["histogram", "labeled_comprehension"]

_SEGMENTS = (
    "Functions with names, such as mean and median, have one result for each element of index; "
    "write others with likewise.missing.segment_sum and the like."
)


@public
def histogram(
    input: Any, min: float, max: float, bins: int, labels: Any = None, index: Any = None
) -> Any:
    """Count how many elements of an image that carry each label lie in each of some intervals.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    min, max : float
        The ends of all intervals, which are of one size.
    bins : int
        The number of intervals.
    labels, index
        As for `sum_labels`.

    Returns
    -------
    array of int, of the shape of index, with `bins` elements for each
        The counts; zeros for a label without elements.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.
    DtypeError
        If `input` is complex.
    ImageError
        If `bins` is less than 1, or `max` less than `min`.

    Notes
    -----
    Two binary searches and a sum by segments. The last interval has its upper end; NaNs are in
    none. Has no derivative.

    Differs from SciPy: several labels of interest give an array of counts with one row for each, in
    place of an array of arrays, with zeros in place of None.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import histogram
    >>> histogram(np.asarray([0.1, 0.2, 0.8, 0.9]), 0, 1, 2, [1, 1, 2, 1], [1, 2])
    array([[2, 1],
           [0, 1]])
    """
    x, labels, index = taken("histogram", input, labels, index, real=True)
    for name, end in (("min", min), ("max", max)):
        number("histogram", name, end)
    bins = integer("histogram", "bins", bins)
    if bins < 1:
        raise ImageError(f"histogram: bins must be at least 1, got {bins}")
    if not min <= max:
        raise ImageError(
            f"histogram: min and max must be numbers, min not above max; got {min!r} and {max!r}"
        )
    return _histogram(x, labels, index, float(min), float(max), bins)


@native()
def _histogram(x: Any, labels: Any, index: Any, low: float, high: float, bins: int) -> Any:
    v, group = grouped(x, labels, index)
    xp, (ids, size) = array_namespace(v), group.ids(v)
    where = device(v)
    known = xp.__array_namespace_info__().dtypes(device=where, kind="real floating")
    dtype = known.get("float64", xp.float32)
    v = xp.astype(v, dtype)
    # Python's numbers, as the libraries' `linspace` differ in the last digit.
    ends = [low + k * ((high - low) / bins) for k in range(bins)]
    edges = xp.asarray([*ends, high], dtype=dtype, device=where)
    place = xp.astype(xp.searchsorted(edges, v, side="right"), ids.dtype) - 1
    place = xp.where(v == edges[-1], xp.full_like(place, bins - 1), place)
    inside = (place >= 0) & (place < bins) & (ids < size)
    place = xp.where(inside, ids * bins + place, xp.full_like(place, size * bins))
    return group.given(xp.reshape(count(place, size * bins + 1)[: size * bins], (size, bins)))


@public
def labeled_comprehension(
    input: Any,
    labels: Any,
    index: Any,
    func: Callable[..., Any],
    out_dtype: Any,
    default: Any,
    pass_positions: bool = False,
) -> Any:
    """Apply a function to the elements of an image that carry each label.

    Parameters
    ----------
    input, labels, index
        As for `sum_labels`.
    func : callable
        A function of the elements with one label, an array of one dimension, that returns a number
        or an array of no dimensions.
    out_dtype : dtype
        The dtype of the result, if there are labels of interest.
    default : number
        The result for a label without elements; None is NaN.
    pass_positions : bool, optional
        Whether `func` gets the elements' flat indices, too.

    Returns
    -------
    array, of the shape of index
        The function's results; without `index`, its result for all elements with a label greater
        than zero, as it is.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.
    DtypeError
        If `out_dtype` is no dtype of the library.
    NotSupported
        If values can't be read, as under `jit`: sizes of the groups depend on them. There, write
        the function with `likewise.missing.segment_sum` and the like.

    Notes
    -----
    A stable sort by group, so that elements come in C order; the groups' sizes are read, and `func`
    is called for one after the other. As differentiable as `func` is.

    Differs from SciPy: `out_dtype` can't be object; elements come in C order for several labels,
    too; numbers of `index` that the dtype of `labels` can't hold are labels without elements.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import labeled_comprehension
    >>> x, labels = np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0]
    >>> labeled_comprehension(x, labels, [1, 2, 5], lambda v: v.max() - v.min(), float, -1)
    array([ 1.,  0., -1.])
    """
    x, labels, index = taken("labeled_comprehension", input, labels, index)
    if not callable(func):
        raise DtypeError(f"labeled_comprehension: func must be callable, got {func!r}")
    v, group = grouped(x, labels, index)
    xp, where, n = array_namespace(v), device(v), v.shape[0]
    positions = xp.arange(n, dtype=index_dtype(xp, v), device=where)
    if labels is None:
        return func(v, positions) if pass_positions else func(v)
    ids, size = group.ids(v)
    order = xp.argsort(ids, stable=True)
    every = xp.arange(size + 1, dtype=ids.dtype, device=where)
    found = xp.searchsorted(xp.take(ids, order, axis=0), every)
    ends = values("labeled_comprehension", found, _SEGMENTS).tolist()

    def applied(start: int, stop: int) -> Any:
        at = order[start:stop]
        part = xp.take(v, at, axis=0)
        return func(part, xp.take(positions, at, axis=0)) if pass_positions else func(part)

    if index is None:
        return applied(*ends)
    dtype = dtype_of("labeled_comprehension", x, out_dtype)
    results = []
    for start, stop in itertools.pairwise(ends):
        one = applied(start, stop) if stop > start else math.nan if default is None else default
        results.append(xp.astype(xp.asarray(one, device=where), dtype))
    made = xp.stack(results) if results else xp.zeros((0,), dtype=dtype, device=where)
    return group.given(made)
