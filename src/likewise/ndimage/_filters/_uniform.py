"""Means of the elements in a window."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace
from ..._native import Lines, native, public
from ...errors import ImageError
from .._base._arguments import (
    axes_of,
    dtype_of,
    for_each,
    image,
    integer,
    mode_of,
    modes_of,
    origin_of,
)
from .._base._dtypes import copied, stored, usual, working
from .._base._footprints import sizes_of
from .._base._pieces import in_windows, on_blocks
from ._correlation import in_dtype

__all__ = ["around", "real", "uniform_filter", "uniform_filter1d"]


@public
def uniform_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Take the mean of the elements in a window along one axis.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    size : int
        The number of elements in the window, at least 1.
    axis, output, mode, cval, origin
        As for `correlate1d`.

    Returns
    -------
    array
        The means, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`, or if `size` is below 1.

    Notes
    -----
    About log2(size) sums an element, of shifted sums of 1, 2, 4, 8 ... elements. Sums are in the
    floating dtype of `input`, of integers in double precision. Differentiable.

    Differs from SciPy: an infinity or NaN reaches only the windows that contain it, not all
    elements after it, except by SciPy's routine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import uniform_filter1d
    >>> uniform_filter1d(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([4, 3, 4, 1, 4, 6, 6, 3])
    """
    x, axis, size, dtype, mode, origin = one_axis(
        "uniform_filter1d", image("uniform_filter1d", input), size, axis, output, mode, origin
    )
    v = in_dtype(x, dtype)
    found = _uniform1d(v, size, axis, None, mode, cval, origin)
    return found if v.dtype == dtype else stored(array_namespace(x), found, dtype)


def one_axis(
    function: str, x: Any, size: Any, axis: Any, output: Any, mode: Any, origin: Any
) -> tuple[Any, int, int, Any, str, int]:
    """Return the checked arguments of a filter with a window along one axis."""
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    size = integer(function, "size", size)
    if size < 1:
        raise ImageError(f"{function}: size must be at least 1, got {size}")
    origin = origin_of(function, origin, size)
    return x, axis, size, dtype_of(function, x, output), mode_of(function, mode), origin


@public
def uniform_filter(
    input: Any,
    size: Any = 3,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Take the mean of the elements in a window in several dimensions.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    size : int or sequence of int, optional
        The number of elements in the window, along all axes or each; up to 1 leaves an axis alone.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    mode : str or sequence of str, optional
        The elements beyond the borders, as for `correlate1d`, of all axes or of each.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    origin : int or sequence of int, optional
        The shift of the window, of all axes or of each.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        The means, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `uniform_filter1d`.

    Notes
    -----
    One axis after the other, as by `uniform_filter1d`; results of integers lose their fraction
    after each axis. Differentiable.

    Differs from SciPy: as for `uniform_filter1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import uniform_filter
    >>> uniform_filter(np.eye(3), 3).round(3)
    array([[0.556, 0.333, 0.111],
           [0.333, 0.333, 0.333],
           [0.111, 0.333, 0.556]])
    """
    function = "uniform_filter"
    x = image(function, input)
    dtype, axes = dtype_of(function, x, output), axes_of(function, axes, x.ndim)
    sizes, modes = sizes_of(function, size, len(axes)), modes_of(function, mode, len(axes))
    shifts = for_each(function, "origin", origin, len(axes))
    origins = tuple(
        origin_of(function, o, n) if n > 1 else 0 for o, n in zip(shifts, sizes, strict=True)
    )
    if x.dtype == dtype and axes == tuple(sorted(axes)) and max(sizes, default=0) > 1:
        every = around(x.ndim, axes, (sizes, 1), (modes, "nearest"), (origins, 0))
        return _uniform(x, every[0], None, every[1], cval, every[2])
    xp, found = array_namespace(x), x
    for axis, n, m, o in zip(axes, sizes, modes, origins, strict=True):
        if n > 1:
            v = in_dtype(found, dtype)
            found = stored(xp, _uniform1d(v, n, axis, None, m, cval, o), dtype)
    return copied(xp, stored(xp, x, dtype)) if found is x else found


def around(ndim: int, axes: tuple[int, ...], *values: tuple[Any, Any]) -> list[tuple[Any, ...]]:
    """Return values along axes, with another one along all others, each as a tuple."""
    found = []
    for some, others in values:
        line = [others] * ndim
        for axis, v in zip(axes, some, strict=True):
            line[axis] = v
        found.append(tuple(line))
    return found


def real(x: Any, *options: Any) -> bool:
    """real numbers that SciPy has, and an image with elements."""
    kinds = ("integral", "real floating")
    return 0 not in x.shape and array_namespace(x).isdtype(x.dtype, kinds) and usual(x)


def one_line(x: Any, size: int, axis: int, none: None, mode: str, *rest: Any) -> Lines:
    """Return how a filter along one axis maps over blocks."""
    sizes = tuple(size if i == axis else 1 for i in range(x.ndim))
    return on_blocks(x, sizes, (mode,) * x.ndim)


@native(
    numpy="scipy.ndimage:uniform_filter1d",
    torch="scipy.ndimage:uniform_filter1d",
    cupy="cupyx.scipy.ndimage:uniform_filter1d",
    when=real,
    blocks=one_line,
)
def _uniform1d(x: Any, size: int, axis: int, none: None, mode: str, cval: Any, origin: int) -> Any:
    return _mean(x, size, axis, mode, cval, origin)


def _in_all(x: Any, sizes: Any, none: None, modes: Any, *rest: Any) -> Lines:
    return on_blocks(x, sizes, modes)


@native(
    numpy="scipy.ndimage:uniform_filter",
    torch="scipy.ndimage:uniform_filter",
    when=real,
    blocks=_in_all,
)
def _uniform(
    x: Any,
    sizes: tuple[int, ...],
    none: None,
    modes: tuple[str, ...],
    cval: Any,
    origins: tuple[int, ...],
) -> Any:
    for axis, (n, mode, o) in enumerate(zip(sizes, modes, origins, strict=True)):
        if n > 1:
            x = _mean(x, n, axis, mode, cval, o)
    return x


def _mean(x: Any, size: int, axis: int, mode: str, cval: Any, origin: int) -> Any:
    xp, before = array_namespace(x), size // 2 + origin

    def body(v: Any) -> Any:
        return stored(xp, _sums(v, axis, size) / size, kept)

    kept, x = x.dtype, working(xp, x)
    reach = {axis: (before, size - 1 - before)}
    return stored(xp, in_windows(body, x, reach, {axis: mode}, cval), kept)


def _sums(v: Any, axis: int, size: int) -> Any:
    """Return the sums of `size` consecutive elements, from sums of 1, 2, 4, 8 ... of them."""
    n = v.shape[axis] - size + 1
    at: list[Any] = [slice(None)] * v.ndim
    total, start, width = None, 0, 1
    while True:
        if size & width:
            at[axis] = slice(start, start + n)
            part = v[tuple(at)]
            total = part if total is None else total + part
            start += width
        width *= 2
        if width > size:
            return total
        at[axis] = slice(width // 2, None)
        rest = v[tuple(at)]
        at[axis] = slice(0, rest.shape[axis])
        v = v[tuple(at)] + rest
