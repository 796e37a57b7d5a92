"""Functions of the user on the elements in a window, on lines, and on many windows at once."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral
from ..._native import Lines, native, public
from ...errors import ArgumentError, ImageError
from ...missing import sliding_window_view
from ...special._function import BLOCK, at_hand
from ...transforms import vmap
from .._base._arguments import MODES, axes_of, dtype_of, for_each, image, mode_of, number
from .._base._borders import extended
from .._base._dtypes import stored, working
from .._base._footprints import Window, window_of
from ._correlation import in_dtype
from ._extremes import bounded, by_axes, of_window
from ._uniform import one_axis, one_line, real

__all__ = ["generic_filter", "generic_filter1d", "vectorized_filter"]


@public
def generic_filter(
    input: Any,
    function: Callable[..., Any],
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Any = None,
) -> Any:
    """Call a function for each element with the elements in its window.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    function : callable
        ``function(window, *extra_arguments, **extra_keywords)`` returns a number; `window` is an
        array of the input's library (NumPy's of Dask images) with the elements in the window, in
        one dimension.
    size, footprint, output
        As for `minimum_filter`.
    mode : str, optional
        The elements beyond the borders, as for `correlate1d`.
    cval, origin
        As for `minimum_filter`.
    extra_arguments : sequence, optional
        More arguments of the function.
    extra_keywords : dict, optional
        More keyword arguments of the function.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        The function's results, with the shape of `input`.

    Raises
    ------
    DtypeError, ArgumentError, ImageError, NotSupported
        As for `minimum_filter`.

    Notes
    -----
    One call of the function an element; in a compiler or under a transform one call for all of
    them, by `vmap`; of Dask images by blocks. Windows of integers are in double precision.
    Differentiable if the function is. `vectorized_filter` takes a function of many windows.

    Differs from SciPy: windows of float32 are in float32, except by SciPy's routine; there is no
    ``LowLevelCallable`` but on NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import generic_filter
    >>> generic_filter(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), lambda w: w.max() - w.min(), size=3)
    array([6, 8, 8, 4, 8, 8, 9, 9])
    """
    name = "generic_filter"
    x = bounded(name, input)
    if not callable(function):
        raise ArgumentError(f"{name}: function must be callable, got {function!r}")
    number(name, "cval", cval)
    dtype, axes = dtype_of(name, x, output), axes_of(name, axes, x.ndim)
    window = window_of(name, size, footprint, axes, x.ndim, origin)
    if 0 in window.sizes:
        raise ImageError(f"{name}: size must be positive, got {size!r}")
    mode, xp = mode_of(name, mode), array_namespace(x)
    if 0 in x.shape:
        return stored(xp, x, dtype)
    sizes = window.sizes if window.cells is None else None
    more = tuple(extra_arguments), dict(extra_keywords or {})
    v = in_dtype(x, dtype)
    found = _each(v, function, sizes, window.cells, None, mode, cval, window.origins, *more)
    return stored(xp, found, dtype)


def _around(x: Any, function: Any, *rest: Any) -> Lines:
    return of_window(x, *rest)


@native(numpy="scipy.ndimage:generic_filter", when=real, blocks=_around)
def _each(
    x: Any,
    function: Any,
    sizes: Any,
    cells: Any,
    none: None,
    mode: str,
    cval: Any,
    origins: tuple[int, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    xp, kept = array_namespace(x), x.dtype
    sizes, modes = by_axes(x, sizes, cells, mode)
    window = Window(sizes, cells, origins)
    places, v = window.places, working(xp, x)
    for axis, (before, after) in window.reach.items():
        v = extended(xp, v, axis, before, after, modes[axis], cval)

    def of(w: Any) -> Any:
        inside, found = array_namespace(w), function(w, *args, **kwargs)
        if is_neutral(found):
            return inside.asarray(float(found), dtype=w.dtype, device=device(w))
        return inside.astype(inside.reshape(found, ()), w.dtype)

    def rows(part: Any) -> Any:
        return xp.reshape(_shifted(xp, part, sizes, places), (-1, len(places)))

    if x.ndim == 0 or not at_hand(x):
        found = vmap(of)(rows(v))
    else:  # by parts of an image, whose windows take a few megabytes
        count = max(1, 16 * BLOCK // (math.prod(x.shape[1:]) * len(places)))
        parts = [
            rows(v[i : min(i + count, x.shape[0]) + sizes[0] - 1, ...])
            for i in range(0, x.shape[0], count)
        ]
        found = xp.stack([of(part[i, :]) for part in parts for i in range(part.shape[0])])
    return stored(xp, xp.reshape(found, x.shape), kept)


def _shifted(xp: Any, v: Any, sizes: tuple[int, ...], places: list[tuple[int, ...]]) -> Any:
    ends = [m - n + 1 for m, n in zip(v.shape, sizes, strict=True)]
    parts = [v[tuple(slice(k, k + m) for k, m in zip(at, ends, strict=True))] for at in places]
    return xp.stack(parts, axis=-1)


@public
def generic_filter1d(
    input: Any,
    function: Callable[..., Any],
    filter_size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
) -> Any:
    """Call a function for each line along an axis.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions.
    function : callable
        ``function(line, out, *extra_arguments, **extra_keywords)`` gets a line of n elements that
        is extended by ``filter_size - 1``, and returns its n results, or writes them into `out`
        where arrays can be written into.
    filter_size : int
        The number of elements in the filter's window, at least 1.
    axis, output, mode, cval, origin
        As for `correlate1d`.
    extra_arguments, extra_keywords
        As for `generic_filter`.

    Returns
    -------
    array
        The lines of results, with the shape of `input`.

    Raises
    ------
    DtypeError, ArgumentError, ImageError, NotSupported
        As for `minimum_filter1d`.

    Notes
    -----
    One call of the function a line; in a compiler or under a transform one call for all of them, by
    `vmap`; of Dask images by blocks. Lines of integers are in double precision. Differentiable if
    the function is.

    Differs from SciPy: the function may return its results, as JAX's arrays can't be written into;
    lines of float32 are in float32, except by SciPy's routine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import generic_filter1d
    >>> def sums(line, out):
    ...     return line[:-1] + line[1:]
    >>> generic_filter1d(np.asarray([1.0, 2.0, 4.0, 8.0]), sums, 2)
    array([ 2.,  3.,  6., 12.])
    """
    name = "generic_filter1d"
    x, axis, size, dtype, mode, origin = one_axis(
        name, bounded(name, input), filter_size, axis, output, mode, origin
    )
    if not callable(function):
        raise ArgumentError(f"{name}: function must be callable, got {function!r}")
    number(name, "cval", cval)
    xp = array_namespace(x)
    if 0 in x.shape:
        return stored(xp, x, dtype)
    more = tuple(extra_arguments), dict(extra_keywords or {})
    found = _each_line(in_dtype(x, dtype), function, size, axis, None, mode, cval, origin, *more)
    return stored(xp, found, dtype)


def _along(x: Any, function: Any, *rest: Any) -> Lines:
    return one_line(x, *rest)


@native(numpy="likewise._libs.numpy._windows:generic_filter1d", when=real, blocks=_along)
def _each_line(
    x: Any,
    function: Any,
    size: int,
    axis: int,
    none: None,
    mode: str,
    cval: Any,
    origin: int,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    xp, kept, before = array_namespace(x), x.dtype, size // 2 + origin
    v = xp.moveaxis(working(xp, x), axis, -1)
    shape, n = v.shape, v.shape[-1]
    v = extended(xp, v, x.ndim - 1, before, size - 1 - before, mode, cval)

    def of(line: Any) -> Any:
        out = array_namespace(line).zeros((n,), dtype=line.dtype, device=device(line))
        found = function(line, out, *args, **kwargs)
        return out if found is None else found

    lines = xp.reshape(v, (-1, v.shape[-1]))
    if at_hand(x):
        found = xp.stack([of(lines[i, :]) for i in range(lines.shape[0])])
    else:
        found = vmap(of)(lines)
    return stored(xp, xp.moveaxis(xp.reshape(found, shape), -1, axis), kept)


@public
def vectorized_filter(
    input: Any,
    function: Callable[..., Any],
    *,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = None,
    origin: Any = None,
    axes: Any = None,
    batch_memory: float = 2**30,
) -> Any:
    """Call a function with the windows of all elements.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    function : callable
        ``function(windows, axis=axes)`` returns a result for each window, along the axes that it
        is told.
    size : int or sequence of int, optional
        The number of elements in the window, along all axes or each. This or `footprint` must be
        given.
    footprint : nested lists or array, optional
        As for `minimum_filter`; the function then gets the elements along the last axis.
    output : dtype, optional
        The dtype of the result. Default: that of the function.
    mode : str, optional
        As for `correlate1d`, or 'valid' for windows within the image only.
    cval : number, optional
        The elements beyond the borders in the mode 'constant', only. Default: 0.
    origin : int or sequence of int, optional
        The shift of the window, of all axes or of each.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.
    batch_memory : float, optional
        The largest memory in bytes of the windows of one call of the function.

    Returns
    -------
    array
        The function's results, with the shape of `input`; shorter by a window's size minus one in
        the mode 'valid'. Dimensions that the function adds are kept, if it is called once.

    Raises
    ------
    ArgumentError
        If arguments are missing, contradict each other or have wrong values, or the memory doesn't
        suffice for the windows along all but the first dimension.
    NotSupported
        If `output` is an array.

    Notes
    -----
    Windows are copies but on NumPy. Several calls are made only where arrays are in memory, by
    parts along the first dimension, batches first. Differentiable if the function is.

    Differs from SciPy: 'grid-mirror' is 'reflect', as everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import vectorized_filter
    >>> vectorized_filter(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), np.max, size=3)
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    name = "vectorized_filter"
    x = image(name, input)
    if not callable(function):
        raise ArgumentError(f"{name}: function must be callable, got {function!r}")
    if (size is None) == (footprint is None):
        raise ArgumentError(f"{name}: either size or footprint must be given, and not both")
    _plan.choice(name, "mode", mode, (*MODES, "valid"))
    mode = _SAME.get(mode, mode)
    if cval is not None and mode != "constant":
        raise ArgumentError(f"{name}: cval can be given only with mode='constant', got {mode!r}")
    if mode == "valid" and origin is not None and any(for_each(name, "origin", origin, 1)):
        raise ArgumentError(f"{name}: origin can't be given with mode='valid'")
    if not number(name, "batch_memory", batch_memory) > 0:
        raise ArgumentError(f"{name}: batch_memory must be positive, got {batch_memory!r}")
    dtype = None if output is None else dtype_of(name, x, output)
    given = tuple(range(-x.ndim, 0)) if axes is None else axes
    places = axes_of(name, axes, x.ndim)
    given = places if hasattr(given, "__index__") else tuple(given)
    window = window_of(name, size, footprint, tuple(range(len(places))), len(places), origin or 0)
    if min(window.sizes, default=1) < 1:
        raise ArgumentError(f"{name}: size must be positive integers, got {size!r}")
    if 0 in x.shape:
        return x
    xp, last = array_namespace(x), tuple(range(-len(places), 0))
    v = xp.moveaxis(x, places, last)
    found = _on_windows(
        v, function, window.sizes, window.cells, mode, cval or 0, window.origins, batch_memory
    )
    found = xp.moveaxis(found, last, given)
    return found if dtype is None else stored(xp, found, dtype)


_SAME = {"grid-mirror": "reflect", "grid-constant": "constant", "grid-wrap": "wrap"}


@native(numpy="likewise._libs.numpy._windows:vectorized_filter")
def _on_windows(
    x: Any,
    function: Any,
    sizes: tuple[int, ...],
    cells: Any,
    mode: str,
    cval: Any,
    origins: tuple[int, ...],
    most: float,
) -> Any:
    xp, last = array_namespace(x), tuple(range(-len(sizes), 0))
    window = Window(sizes, cells, origins)
    if mode != "valid":
        for axis, (before, after) in window.reach.items():
            x = extended(xp, x, x.ndim - len(sizes) + axis, before, after, mode, cval)
    places, lead = window.places, (1,) * (x.ndim - len(sizes))

    def of(part: Any) -> Any:
        if cells is None:
            return function(sliding_window_view(part, sizes, axis=last), axis=last)
        spots = [(*((0,) * len(lead)), *at) for at in places]
        return function(_shifted(xp, part, (*lead, *sizes), spots), axis=-1)

    if not sizes:
        return function(x, axis=())
    first = 1 if lead else sizes[0]
    n = x.shape[0] - first + 1
    kept = [m - w + 1 for m, w in zip(x.shape[1:], (*lead, *sizes)[1:], strict=True)]
    each = math.prod(kept) * len(places) * _bytes(x)
    rows = int(min(n, most // each)) if at_hand(x) and most < math.inf else n
    if rows < 1:
        raise ArgumentError(f"vectorized_filter: batch_memory must hold {each} bytes, got {most}")
    found = [of(x[i : min(i + rows, n) + first - 1, ...]) for i in range(0, n, rows)]
    return found[0] if len(found) == 1 else xp.concat(found, axis=0)


def _bytes(x: Any) -> int:
    """Return the size of an element."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "bool"):
        return 1
    integral = xp.isdtype(x.dtype, "integral")
    return int((xp.iinfo if integral else xp.finfo)(x.dtype).bits) // 8
