"""Relative extrema."""

from collections.abc import Callable
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing import nonzero
from ...missing._axes import numeric
from .._base._places import integer

__all__ = ["argrelextrema", "argrelmax", "argrelmin"]


@public
def argrelextrema(
    data: A,
    comparator: Callable[[Any, Any], Any],
    axis: int = 0,
    order: int = 1,
    mode: Literal["clip", "wrap"] | str = "clip",
    *,
    size: int | None = None,
) -> tuple[A, ...]:
    """Find the elements for which a comparison with all their neighbours is true.

    Parameters
    ----------
    data : array
        Real array of any shape.
    comparator : callable
        A function of two arrays of the library that returns where the first is more extreme, for
        instance ``xp.greater``.
    axis : int, optional
        The axis along which to compare neighbours.
    order : int, optional
        The number of neighbours on each side.
    mode : {'clip', 'wrap'}, optional
        Neighbours beyond the ends: the last element repeated, or the elements from the other end.
    size : int, optional
        The number of returned indices: the first ones, padded with -1. Required if values are not
        available (jit, Dask, a GPU).

    Returns
    -------
    tuple of array of int
        The indices for each dimension, as from ``nonzero``.

    Raises
    ------
    ShapeError
        If `data` has no dimensions.
    ArgumentError
        If `order` isn't an integer of at least 1, or the mode is unknown.

    Notes
    -----
    Makes 2 `order` comparisons. Flat tops are no extrema with ``greater``: see `find_peaks`.

    Differs from SciPy: `size`; no mode 'raise', which always raises an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import argrelextrema
    >>> argrelextrema(np.asarray([2, 1, 2, 3, 2, 0, 1, 0]), np.greater)
    (array([3, 6]),)
    """
    return _extrema("argrelextrema", data, comparator, axis, order, mode, size)


@public
def argrelmax(
    data: A,
    axis: int = 0,
    order: int = 1,
    mode: Literal["clip", "wrap"] | str = "clip",
    *,
    size: int | None = None,
) -> tuple[A, ...]:
    """Find the elements that are greater than all their neighbours.

    Parameters
    ----------
    data : array
        Real array of any shape.
    axis, order, mode, size : optional
        As for `argrelextrema`.

    Returns
    -------
    tuple of array of int
        As from `argrelextrema`.

    Raises
    ------
    ShapeError, ArgumentError
        As for `argrelextrema`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import argrelmax
    >>> argrelmax(np.asarray([2, 1, 2, 3, 2, 0, 1, 0]))
    (array([3, 6]),)
    """
    compare = array_namespace(data).greater
    return _extrema("argrelmax", data, compare, axis, order, mode, size)


@public
def argrelmin(
    data: A,
    axis: int = 0,
    order: int = 1,
    mode: Literal["clip", "wrap"] | str = "clip",
    *,
    size: int | None = None,
) -> tuple[A, ...]:
    """Find the elements that are less than all their neighbours.

    Parameters
    ----------
    data : array
        Real array of any shape.
    axis, order, mode, size : optional
        As for `argrelextrema`.

    Returns
    -------
    tuple of array of int
        As from `argrelextrema`.

    Raises
    ------
    ShapeError, ArgumentError
        As for `argrelextrema`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import argrelmin
    >>> argrelmin(np.asarray([2, 1, 2, 3, 2, 0, 1, 0]))
    (array([1, 5]),)
    """
    return _extrema("argrelmin", data, array_namespace(data).less, axis, order, mode, size)


def _extrema(
    function: str, data: Any, comparator: Any, axis: Any, order: Any, mode: str, size: Any
) -> tuple[Any, ...]:
    xp = array_namespace(data)
    x = numeric(function, xp, "data", data, real=True)
    if x.ndim == 0:
        raise ShapeError(f"{function}: data must have at least one dimension, got shape ()")
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    _plan.choice(function, "mode", mode, ("clip", "wrap"))
    if not callable(comparator):
        raise ArgumentError(f"{function}: comparator must be callable, got {comparator!r}")
    count = integer(function, "order", order, 1)
    n = x.shape[axis]
    found = xp.ones_like(x, dtype=xp.bool)
    ends = [_part(x, axis, k, k + 1) for k in ((0, n - 1) if n else ())]
    for shift in range(1, count + 1) if n else ():
        if mode == "wrap":
            others = [xp.roll(x, by, axis=axis) for by in (-shift, shift)]
        else:  # beyond the ends are the ends
            few = min(shift, n)
            first, last = ([end] * few for end in ends)
            others = [
                xp.concat((_part(x, axis, few, n), *last), axis=axis),
                xp.concat((*first, _part(x, axis, 0, n - few)), axis=axis),
            ]
        for other in others:
            found = found & comparator(x, other)
    return nonzero(found) if size is None else nonzero(found, size=size, fill_value=-1)


def _part(x: Any, axis: int, start: int, end: int) -> Any:
    return x[(*(slice(None),) * axis, slice(start, end), ...)]
