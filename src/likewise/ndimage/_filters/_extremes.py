"""The smallest and the largest element in a window."""

import math
from typing import Any

from ..._namespace import array_namespace
from ..._native import Lines, native, public
from ...errors import ImageError
from .._base._arguments import axes_of, dtype_of, image, mode_of, modes_of, number
from .._base._dtypes import cast, copied, stored, working
from .._base._footprints import Window, window_of
from .._base._pieces import in_windows, on_blocks
from .._base._windows import running
from ._correlation import in_dtype
from ._uniform import around, one_axis, one_line, real

__all__ = [
    "bounded",
    "by_axes",
    "extreme",
    "in_window",
    "largest",
    "maximum_filter",
    "maximum_filter1d",
    "minimum_filter",
    "minimum_filter1d",
    "modes_in",
    "of_window",
    "smallest",
]


@public
def minimum_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Take the smallest of the elements in a window along one axis.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    size : int
        The number of elements in the window, at least 1.
    axis, output, mode, cval, origin
        As for `correlate1d`.

    Returns
    -------
    array
        The minima, with the shape of `input`.

    Raises
    ------
    DtypeError
        If `input` is complex.
    ArgumentError, ImageError, NotSupported
        As for `uniform_filter1d`.

    Notes
    -----
    About log2(size) minima an element, of shifted minima of 1, 2, 4, 8 ... elements. Differentiable
    where one element is the smallest.

    Differs from SciPy: NaN is the result of each window with NaN, except by SciPy's routine, where
    it depends on the order of the elements.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import minimum_filter1d
    >>> minimum_filter1d(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    return _along("minimum_filter1d", _minimum1d, input, size, axis, output, mode, cval, origin)


@public
def maximum_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Take the largest of the elements in a window along one axis.

    Parameters
    ----------
    input, size, axis, output, mode, cval, origin
        As for `minimum_filter1d`.

    Returns
    -------
    array
        The maxima, with the shape of `input`.

    Raises
    ------
    DtypeError, ArgumentError, ImageError, NotSupported
        As for `minimum_filter1d`.

    Notes
    -----
    As for `minimum_filter1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import maximum_filter1d
    >>> maximum_filter1d(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    return _along("maximum_filter1d", _maximum1d, input, size, axis, output, mode, cval, origin)


@public
def minimum_filter(
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
    """Take the smallest of the elements in a window in several dimensions.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    size : int or sequence of int, optional
        The number of elements in the window, along all axes or each; up to 1 leaves an axis alone.
        This or `footprint` must be given.
    footprint : nested lists or array, optional
        True for the elements that belong to the window, with a dimension for each of `axes`. Its
        values are read.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    mode : str or sequence of str, optional
        The elements beyond the borders, as for `correlate1d`, of all axes or of each; of all if the
        footprint isn't a box.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    origin : int or sequence of int, optional
        The shift of the window, of all axes or of each.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        The minima, with the shape of `input`.

    Raises
    ------
    DtypeError
        If `input` is complex.
    ArgumentError, ImageError, NotSupported
        As for `uniform_filter`, or if the footprint has no element, or no values that can be read.

    Notes
    -----
    A box is taken one axis after the other, as by `minimum_filter1d`; another footprint takes a
    minimum for each of its elements. Differentiable where one element is the smallest.

    Differs from SciPy: as for `minimum_filter1d`; `origin` of a footprint follows the order of
    `axes`, also where these are all of the image's.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import minimum_filter
    >>> minimum_filter(np.asarray([[4, 2, 7], [5, 9, 6]]), footprint=[[1, 1, 0]])
    array([[4, 2, 2],
           [5, 5, 6]])
    """
    return _extreme(
        "minimum_filter", smallest, input, size, footprint, output, mode, cval, origin, axes
    )


@public
def maximum_filter(
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
    """Take the largest of the elements in a window in several dimensions.

    Parameters
    ----------
    input, size, footprint, output, mode, cval, origin, axes
        As for `minimum_filter`.

    Returns
    -------
    array
        The maxima, with the shape of `input`.

    Raises
    ------
    DtypeError, ArgumentError, ImageError, NotSupported
        As for `minimum_filter`.

    Notes
    -----
    As for `minimum_filter`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import maximum_filter
    >>> maximum_filter(np.asarray([[4, 2, 7], [5, 9, 6]]), size=(1, 3))
    array([[4, 7, 7],
           [9, 9, 9]])
    """
    return _extreme(
        "maximum_filter", largest, input, size, footprint, output, mode, cval, origin, axes
    )


def bounded(function: str, input: Any) -> Any:
    """Return an image of real numbers, which have an order."""
    return image(function, input, real=True)


def _along(
    function: str,
    step: Any,
    input: Any,
    size: Any,
    axis: Any,
    output: Any,
    mode: Any,
    cval: Any,
    origin: Any,
) -> Any:
    x, axis, size, dtype, mode, origin = one_axis(
        function, bounded(function, input), size, axis, output, mode, origin
    )
    number(function, "cval", cval)
    v = in_dtype(x, dtype)
    found = step(v, size, axis, None, mode, cval, origin)
    return found if v.dtype == dtype else stored(array_namespace(x), found, dtype)


def _extreme(
    function: str,
    steps: tuple[Any, Any],
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
    window = window_of(function, size, footprint, axes, x.ndim, origin)
    modes = modes_in(function, mode, window, axes, x.ndim)
    number(function, "cval", cval)
    if window.cells is not None:
        cval = cast(array_namespace(x), x.dtype, cval)
    return extreme(steps, in_dtype(x, dtype), window, dtype, modes, cval)


def modes_in(function: str, mode: Any, window: Window, axes: tuple[int, ...], ndim: int) -> Any:
    """Return the mode of each axis, or the one mode where the window isn't a box."""
    if window.cells is None:
        return around(ndim, axes, (modes_of(function, mode, len(axes)), "nearest"))[0]
    if not isinstance(mode, str):
        raise ImageError(
            f"{function}: mode must be one mode for all axes where the footprint isn't a box, got "
            f"{mode!r}"
        )
    return mode_of(function, mode)


def extreme(
    steps: tuple[Any, Any], x: Any, window: Window, dtype: Any, modes: Any, cval: Any
) -> Any:
    """Return the smallest or the largest elements in a checked window, in a dtype."""
    xp, sizes = array_namespace(x), window.sizes
    if window.cells is not None:
        found = steps[0](x, None, window.cells, None, modes, cval, window.origins)
        return found if x.dtype == dtype else stored(xp, found, dtype)
    if max(sizes, default=0) < 2:
        return copied(xp, stored(xp, x, dtype))
    if x.dtype == dtype:
        return steps[0](x, sizes, None, None, modes, cval, window.origins)
    for axis, n in enumerate(sizes):  # integers wrap around after each axis
        if n > 1:
            found = steps[1](x, n, axis, None, modes[axis], cval, window.origins[axis])
            x = stored(xp, found, dtype)
    return x


def of_window(x: Any, sizes: Any, cells: Any, none: None, modes: Any, *rest: Any) -> Lines:
    """Return how a filter with a box or a footprint maps over blocks."""
    return on_blocks(x, *by_axes(x, sizes, cells, modes))


def by_axes(x: Any, sizes: Any, cells: Any, modes: Any) -> tuple[Any, Any]:
    """Return the sizes of a window and its modes by all axes."""
    modes = (modes,) * x.ndim if isinstance(modes, str) else modes
    if sizes is None:
        sizes = []
        for _ in range(x.ndim):
            sizes.append(len(cells))
            cells = cells[0]
        sizes = tuple(sizes)
    return sizes, modes


@native(
    numpy="scipy.ndimage:minimum_filter1d",
    torch="scipy.ndimage:minimum_filter1d",
    cupy="cupyx.scipy.ndimage:minimum_filter1d",
    when=real,
    blocks=one_line,
)
def _minimum1d(x: Any, size: int, axis: int, none: None, mode: str, cval: Any, origin: int) -> Any:
    return _by_doubling(x, "minimum", size, axis, mode, cval, origin)


@native(
    numpy="scipy.ndimage:maximum_filter1d",
    torch="scipy.ndimage:maximum_filter1d",
    cupy="cupyx.scipy.ndimage:maximum_filter1d",
    when=real,
    blocks=one_line,
)
def _maximum1d(x: Any, size: int, axis: int, none: None, mode: str, cval: Any, origin: int) -> Any:
    return _by_doubling(x, "maximum", size, axis, mode, cval, origin)


def _box(x: Any, sizes: Any, cells: Any, *options: Any) -> bool:
    """real numbers, and a box: CuPy takes a tuple of cells for sizes."""
    return cells is None and real(x)


@native(
    numpy="scipy.ndimage:minimum_filter",
    torch="scipy.ndimage:minimum_filter",
    cupy="cupyx.scipy.ndimage:minimum_filter",
    when={"numpy": real, "torch": real, "cupy": _box},
    blocks=of_window,
)
def _minimum(
    x: Any, sizes: Any, cells: Any, none: None, modes: Any, cval: Any, origins: tuple[int, ...]
) -> Any:
    return _in_window(x, "minimum", sizes, cells, modes, cval, origins)


@native(
    numpy="scipy.ndimage:maximum_filter",
    torch="scipy.ndimage:maximum_filter",
    cupy="cupyx.scipy.ndimage:maximum_filter",
    when={"numpy": real, "torch": real, "cupy": _box},
    blocks=of_window,
)
def _maximum(
    x: Any, sizes: Any, cells: Any, none: None, modes: Any, cval: Any, origins: tuple[int, ...]
) -> Any:
    return _in_window(x, "maximum", sizes, cells, modes, cval, origins)


smallest = _minimum, _minimum1d
largest = _maximum, _maximum1d


def _in_window(
    x: Any, name: str, sizes: Any, cells: Any, modes: Any, cval: Any, origins: tuple[int, ...]
) -> Any:
    if cells is None:
        for axis, (n, mode, o) in enumerate(zip(sizes, modes, origins, strict=True)):
            if n > 1:
                x = _by_doubling(x, name, n, axis, mode, cval, o)
        return x
    sizes, modes = by_axes(x, sizes, cells, modes)
    return in_window(x, Window(sizes, cells, origins), modes, cval, lambda v: _least(v, name))


def in_window(x: Any, window: Window, modes: Any, cval: Any, pick: Any) -> Any:
    """Return a function's result for the elements of a window, as a list of shifted images."""
    xp, kept = array_namespace(x), x.dtype
    x, cval = _ordered(xp, x, cval, wraps=True)
    places = window.places

    def body(v: Any) -> Any:
        ends = [m - n + 1 for m, n in zip(v.shape, window.sizes, strict=True)]
        shifted = [
            v[tuple(slice(k, k + m) for k, m in zip(place, ends, strict=True))] for place in places
        ]
        return pick(shifted)

    by_axis = dict(enumerate(modes))
    found = in_windows(body, x, window.reach, by_axis, cval, max(1, len(places) // 24))
    return stored(xp, found, kept)


def _least(shifted: list[Any], name: str) -> Any:
    choose = getattr(array_namespace(shifted[0]), name)
    found = shifted[0]
    for v in shifted[1:]:
        found = choose(found, v)
    return found


def _by_doubling(x: Any, name: str, size: int, axis: int, mode: str, cval: Any, origin: int) -> Any:
    """Return the extremes of `size` consecutive elements, from those of 1, 2, 4, 8 ... of them."""
    xp, kept, before = array_namespace(x), x.dtype, size // 2 + origin
    choose = getattr(xp, name)
    x, cval = _ordered(xp, x, cval, wraps=False)

    reach = {axis: (before, size - 1 - before)}
    found = in_windows(lambda v: running(choose, v, axis, size), x, reach, {axis: mode}, cval)
    return stored(xp, found, kept)


def _ordered(xp: Any, x: Any, cval: Any, *, wraps: bool) -> tuple[Any, Any]:
    """Return an image in a dtype that has an order, and the elements beyond its borders in it."""
    inside = cast(xp, x.dtype, cval)
    if not wraps and inside != cval and not (math.isfinite(cval) and inside == int(cval)):
        return working(xp, x), float(cval)
    return xp.astype(x, xp.uint8) if xp.isdtype(x.dtype, "bool") else x, inside
