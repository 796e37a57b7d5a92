"""Medians, percentiles and other elements of the sorted window."""

from typing import Any

from ..._namespace import array_namespace
from ..._native import Lines, native, public
from ...errors import ImageError
from .._base._arguments import axes_of, dtype_of, integer, number
from .._base._dtypes import cast, stored
from .._base._footprints import Window, window_of
from ._correlation import in_dtype
from ._extremes import (
    bounded,
    by_axes,
    extreme,
    in_window,
    largest,
    modes_in,
    of_window,
    smallest,
)
from ._networks import selection
from ._uniform import real

__all__ = ["median_filter", "percentile_filter", "rank_filter"]

# Windows of more elements are sorted: networks grow as n log(n)^2, and programs with them.
_FEW = 81


@public
def rank_filter(
    input: Any,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Take the element of a rank among the elements in a window.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    rank : int
        The place in the order, 0 for the smallest element; negative ranks count from the largest.
    size, footprint, output, mode, cval, origin, axes
        As for `minimum_filter`, with one mode for all axes where the element isn't an extreme.

    Returns
    -------
    array
        Elements of the windows, with the shape of `input`.

    Raises
    ------
    ImageError
        If there is no element of that rank.
    DtypeError, ArgumentError, NotSupported
        As for `minimum_filter`.

    Notes
    -----
    Windows of up to 81 elements go through a network of minima and maxima (Batcher's merge
    exchange; Knuth, The Art of Computer Programming 3, 5.2.2), without the comparators on which
    the rank doesn't depend: 113 for a median of 25. Larger ones are sorted. Differentiable where
    one element has the rank.

    Differs from SciPy: a footprint of one dimension that isn't a box has the rank among its own
    elements; `size` and `origin` follow the order of `axes`. Windows with NaN have undefined
    results in both.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import rank_filter
    >>> rank_filter(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), rank=-2, size=3)
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    rank = integer("rank_filter", "rank", rank)
    return _ranked(
        "rank_filter", lambda n: rank, input, size, footprint, output, mode, cval, origin, axes
    )


@public
def median_filter(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Take the median of the elements in a window.

    Parameters
    ----------
    input, size, footprint, output, mode, cval, origin, axes
        As for `rank_filter`.

    Returns
    -------
    array
        Of n elements in order that with the index n // 2, with the shape of `input`.

    Raises
    ------
    DtypeError, ArgumentError, ImageError, NotSupported
        As for `rank_filter`.

    Notes
    -----
    As for `rank_filter`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import median_filter
    >>> median_filter(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    return _ranked(
        "median_filter",
        lambda n: n // 2,
        input,
        size,
        footprint,
        output,
        mode,
        cval,
        origin,
        axes,
    )


@public
def percentile_filter(
    input: Any,
    percentile: float,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Take a percentile of the elements in a window.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    percentile : float
        The percentile p, from 0 to 100; negative ones have 100 added.
    size, footprint, output, mode, cval, origin, axes
        As for `rank_filter`.

    Returns
    -------
    array
        Of n elements in order that with the index ``int(n * p / 100)``, the last one for p = 100,
        with the shape of `input`.

    Raises
    ------
    ImageError
        If the percentile isn't from -100 to 100.
    DtypeError, ArgumentError, NotSupported
        As for `rank_filter`.

    Notes
    -----
    As for `rank_filter`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import percentile_filter
    >>> percentile_filter(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), percentile=20, size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    given = float(number("percentile_filter", "percentile", percentile))
    p = given + 100.0 if given < 0.0 else given
    if not 0.0 <= p <= 100.0:
        raise ImageError(
            f"percentile_filter: percentile must lie in [-100, 100], got {percentile!r}"
        )
    return _ranked(
        "percentile_filter",
        lambda n: n - 1 if p == 100.0 else int(n * p / 100.0),
        input,
        size,
        footprint,
        output,
        mode,
        cval,
        origin,
        axes,
    )


def _ranked(
    function: str,
    rank_of: Any,
    input: Any,
    size: Any,
    footprint: Any,
    output: Any,
    mode: Any,
    cval: Any,
    origin: Any,
    axes: Any,
) -> Any:
    x = bounded(function, input)
    dtype = dtype_of(function, x, output, real=True)
    axes = axes_of(function, axes, x.ndim)
    number(function, "cval", cval)
    window = window_of(function, size, footprint, axes, x.ndim, origin)
    if 0 in window.sizes:
        raise ImageError(f"{function}: size must be positive, got {size!r}")
    count = len(window.places)
    rank = rank_of(count)
    if not -count <= rank < count:
        raise ImageError(
            f"{function}: the rank must be one of {count} elements in the window, got {rank}"
        )
    rank %= count
    modes, v = modes_in(function, mode, window, axes, x.ndim), in_dtype(x, dtype)
    if window.cells is not None or 0 < rank < count - 1:
        cval = cast(array_namespace(x), x.dtype, cval)
    if rank == 0:
        return extreme(smallest, v, window, dtype, modes, cval)
    if rank == count - 1:
        return extreme(largest, v, window, dtype, modes, cval)
    if not isinstance(mode, str):
        raise ImageError(f"{function}: mode must be one mode for all axes, got {mode!r}")
    sizes = window.sizes if window.cells is None else None
    found = _rank(v, rank, sizes, window.cells, None, mode, cval, window.origins)
    return found if v.dtype == dtype else stored(array_namespace(x), found, dtype)


def _in_all(x: Any, rank: int, *rest: Any) -> Lines:
    return of_window(x, *rest)


def _several(x: Any, *rest: Any) -> bool:
    """real numbers in two dimensions or more, of an image with elements."""
    return x.ndim > 1 and real(x)


@native(
    numpy="scipy.ndimage:rank_filter",
    torch="scipy.ndimage:rank_filter",
    when=_several,
    blocks=_in_all,
)
def _rank(
    x: Any,
    rank: int,
    sizes: Any,
    cells: Any,
    none: None,
    mode: str,
    cval: Any,
    origins: tuple[int, ...],
) -> Any:
    sizes, modes = by_axes(x, sizes, cells, mode)
    return in_window(x, Window(sizes, cells, origins), modes, cval, lambda v: _pick(v, rank))


def _pick(shifted: list[Any], rank: int) -> Any:
    xp, v = array_namespace(shifted[0]), list(shifted)
    if len(v) > _FEW:
        return xp.sort(xp.stack(v, axis=-1), axis=-1)[..., rank]
    for i, j, low, high in selection(len(v), rank):
        a, b = v[i], v[j]
        if low:
            v[i] = xp.minimum(a, b)
        if high:
            v[j] = xp.maximum(a, b)
    return v[rank]
