"""Erosion and dilation of binary images, and what is made of them."""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device, is_concrete, is_neutral
from ..._native import Lines, Made, lines, native, public
from ..._plan import from_lists
from ...errors import ImageError
from ...missing._axes import index_dtype
from ...transforms import while_loop
from .._base._arguments import axes_of, dtype_of, image, integer, number
from .._base._borders import extended
from .._base._dtypes import copied, stored, usual
from .._base._windows import (
    cross,
    flipped,
    given,
    in_all,
    mirrored,
    origins_of,
    places,
    shape_of,
    slices,
    truth,
)

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "dilated",
]

_UNROLLED = 4  # iterations that are written out


@public
def binary_erosion(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Erode a binary image: keep the elements around which the structure fits into the image.

    Parameters
    ----------
    input : array
        Real numbers or booleans, of any number of dimensions; what differs from zero is True.
    structure : array, optional
        The structure, with a dimension for each of `axes`: what differs from zero belongs to it.
        Default: the element and its neighbours along the axes.
    iterations : int, optional
        How many times to erode. Below 1: until nothing changes.
    mask : array, optional
        Of the shape of `input`: elements where it is zero stay as they are.
    output : dtype, optional
        The dtype of the result. Default: bool.
    border_value : bool, optional
        The elements beyond the borders.
    origin : int or sequence of int, optional
        The shift of the structure, along all axes or each.
    brute_force : bool, optional
        Goes to SciPy's routine, and changes nothing of the result.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array of bool
        The eroded image, with the shape of `input`.

    Raises
    ------
    ArgumentError
        If `iterations` is not an integer, or the structure doesn't reach the element.
    DtypeError
        If `input` is complex.
    ImageError
        If the structure is empty or has other dimensions, or the mask has another shape; or the
        structure doesn't hold the element itself, where steps are repeated until nothing changes.
    NotSupported
        If `output` is an array.

    Notes
    -----
    An operation for each element of the structure, image and iteration; an image that no longer
    changes ends the iterations. Where values aren't known yet, iterations are a `while_loop`.
    Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_erosion
    >>> binary_erosion(np.asarray([0, 1, 1, 1, 0, 1])).astype(int)
    array([0, 0, 1, 0, 0, 0])
    """
    x, w, shifts, dtype = _taken("binary_erosion", input, structure, output, origin, axes)
    mask = _mask_of("binary_erosion", x, mask)
    times = integer("binary_erosion", "iterations", iterations)
    _check_end("binary_erosion", x, w, shifts, times)
    found = _erosion(
        x, w, times, mask, None, _border("binary_erosion", border_value), shifts, brute_force
    )
    return _in_dtype(found, dtype)


@public
def binary_dilation(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Dilate a binary image: put the structure around each of its elements.

    Parameters
    ----------
    input, structure, iterations, mask, output, border_value, origin, brute_force, axes
        As for `binary_erosion`.

    Returns
    -------
    array of bool
        The dilated image, with the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `binary_erosion`.

    Notes
    -----
    As for `binary_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_dilation
    >>> binary_dilation(np.asarray([0, 0, 1, 0, 0, 0])).astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    x, w, shifts, dtype = _taken("binary_dilation", input, structure, output, origin, axes)
    mask = _mask_of("binary_dilation", x, mask)
    times = integer("binary_dilation", "iterations", iterations)
    _check_end("binary_dilation", x, w, shifts, times)
    found = _dilation(
        x, w, times, mask, None, _border("binary_dilation", border_value), shifts, brute_force
    )
    return _in_dtype(found, dtype)


@public
def binary_opening(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Open a binary image: erode it, then dilate it, which removes what is smaller.

    Parameters
    ----------
    input, structure, iterations, output, origin, mask, border_value, brute_force, axes
        As for `binary_erosion`.

    Returns
    -------
    array of bool
        The opened image, with the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `binary_erosion`.

    Notes
    -----
    As for `binary_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_opening
    >>> binary_opening(np.asarray([0, 1, 1, 1, 0, 1])).astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    x, w, shifts, dtype = _taken("binary_opening", input, structure, output, origin, axes)
    mask = _mask_of("binary_opening", x, mask)
    times = integer("binary_opening", "iterations", iterations)
    _check_end("binary_opening", x, w, shifts, times)
    found = _opening(
        x, w, times, None, shifts, mask, _border("binary_opening", border_value), brute_force
    )
    return _in_dtype(found, dtype)


@public
def binary_closing(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Close a binary image: dilate it, then erode it, which fills what is smaller.

    Parameters
    ----------
    input, structure, iterations, output, origin, mask, border_value, brute_force, axes
        As for `binary_erosion`.

    Returns
    -------
    array of bool
        The closed image, with the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `binary_erosion`.

    Notes
    -----
    As for `binary_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_closing
    >>> binary_closing(np.asarray([0, 1, 0, 1, 0, 0])).astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    x, w, shifts, dtype = _taken("binary_closing", input, structure, output, origin, axes)
    mask = _mask_of("binary_closing", x, mask)
    times = integer("binary_closing", "iterations", iterations)
    _check_end("binary_closing", x, w, shifts, times)
    found = _closing(
        x, w, times, None, shifts, mask, _border("binary_closing", border_value), brute_force
    )
    return _in_dtype(found, dtype)


@public
def binary_hit_or_miss(
    input: Any,
    structure1: Any = None,
    structure2: Any = None,
    output: Any = None,
    origin1: Any = 0,
    origin2: Any = None,
    *,
    axes: Any = None,
) -> Any:
    """Find where one structure fits into a binary image, and another one into its background.

    Parameters
    ----------
    input : array
        Real numbers or booleans, of any number of dimensions; what differs from zero is True.
    structure1 : array, optional
        The structure that fits into the image. Default: as for `binary_erosion`.
    structure2 : array, optional
        The structure that misses the image. Default: what doesn't belong to `structure1`.
    output : dtype, optional
        The dtype of the result. Default: bool.
    origin1, origin2 : int or sequence of int, optional
        The shifts of both structures. Default of `origin2`: `origin1`.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array of bool
        With the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `binary_erosion`.

    Notes
    -----
    Elements beyond the borders belong to neither. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_hit_or_miss
    >>> binary_hit_or_miss(np.asarray([0, 1, 1, 0, 1, 0]), [0, 1, 1], [1, 0, 0]).astype(int)
    array([0, 1, 0, 0, 0, 0])
    """
    name = "binary_hit_or_miss"
    x, w1, shifts1, dtype = _taken(name, input, structure1, output, origin1, axes)
    w2, shifts2 = None, shifts1
    if structure2 is not None or origin2 is not None:
        if structure2 is None:
            structure2 = _without(cross(len(axes_of(name, axes, x.ndim))), structure1)
        second = origin1 if origin2 is None else origin2
        _, w2, shifts2, _ = _taken(name, x, structure2, None, second, axes)
    return _in_dtype(_hit_or_miss(x, w1, w2, None, shifts1, shifts2), dtype)


@public
def binary_propagation(
    input: Any,
    structure: Any = None,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Dilate a binary image within a mask until nothing changes.

    Parameters
    ----------
    input, structure, mask, output, border_value, origin, axes
        As for `binary_erosion`.

    Returns
    -------
    array of bool
        With the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `binary_erosion`.

    Notes
    -----
    As for `binary_erosion`, with as many iterations as the longest path within the mask has steps.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_propagation
    >>> mask = np.asarray([0, 1, 1, 1, 0, 1])
    >>> binary_propagation(np.asarray([0, 0, 0, 1, 0, 0]), mask=mask).astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    x, w, shifts, dtype = _taken("binary_propagation", input, structure, output, origin, axes)
    _check_end("binary_propagation", x, w, shifts, 0)
    mask = _mask_of("binary_propagation", x, mask)
    return _in_dtype(
        _propagation(x, w, mask, None, _border("binary_propagation", border_value), shifts), dtype
    )


@public
def binary_fill_holes(
    input: Any, structure: Any = None, output: Any = None, origin: Any = 0, *, axes: Any = None
) -> Any:
    """Fill the holes of a binary image: the background that isn't joined to the borders.

    Parameters
    ----------
    input, structure, output, origin, axes
        As for `binary_erosion`; the structure says which elements of the background are joined.

    Returns
    -------
    array of bool
        With the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `binary_erosion`.

    Notes
    -----
    As for `binary_propagation`, of the background from beyond the borders.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import binary_fill_holes
    >>> binary_fill_holes(np.asarray([[0, 1, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]])).astype(int)
    array([[0, 1, 1, 1],
           [0, 1, 1, 1],
           [0, 1, 1, 1]])
    """
    x, w, shifts, dtype = _taken("binary_fill_holes", input, structure, output, origin, axes)
    _check_end("binary_fill_holes", x, w, shifts, 0)
    return _in_dtype(_fill_holes(x, w, None, shifts), dtype)


# -- arguments -------------------------------------------------------------------------------------


def _taken(
    function: str, input: Any, structure: Any, output: Any, origin: Any, axes: Any
) -> tuple[Any, Any, tuple[int, ...], Any]:
    """Return the image, the structure along all axes or None for the usual one, shifts, dtype."""
    x = image(function, input, real=True)
    x = x if usual(x) else truth(x)
    axes = axes_of(function, axes, x.ndim)
    if structure is None:
        w = None if len(axes) == x.ndim else cross(len(axes))
        sizes: tuple[int, ...] = (3,) * len(axes)
    else:
        w = given(function, "structure", x, structure, bool)
        sizes = shape_of(w)
    if len(sizes) != len(axes) or 0 in sizes:
        raise ImageError(
            f"{function}: the structure must have a dimension of at least one element for each of "
            f"{len(axes)} axes, got the shape {sizes}"
        )
    if w is not None:
        w = in_all(w, axes, x.ndim)
    if len(axes) == x.ndim:  # a window has the image's order of axes
        axes = tuple(range(x.ndim))
    shifts = origins_of(function, origin, axes, sizes if w is None else shape_of(w))
    dtype = None if output is None else dtype_of(function, x, output)
    return x, w, shifts, dtype


def _check_end(function: str, x: Any, w: Any, shifts: tuple[int, ...], iterations: int) -> None:
    """Refuse structures with which steps may come back to an image, and never end."""
    if iterations < 1 and _centre(x, w, shifts) is False:
        raise ImageError(
            f"{function}: the structure must hold the element itself where steps are repeated "
            "until nothing changes, as they may go on forever. Set its element at the origin."
        )


def _centre(x: Any, w: Any, shifts: tuple[int, ...]) -> bool | None:
    """Tell if a structure holds the element that it is put around; None if it has no values yet."""
    w = cross(x.ndim) if w is None else w
    place = tuple(n // 2 + o for n, o in zip(shape_of(w), shifts, strict=True))
    if hasattr(w, "shape"):
        return bool(truth(w)[place]) if is_concrete(w) else None
    for k in place:
        w = w[k]
    return bool(w)


def _border(function: str, value: Any) -> int:
    return int(number(function, "border_value", value))


def _mask_of(function: str, x: Any, mask: Any) -> Any:
    """Return the mask as an array of the image's library, or None."""
    if mask is None:
        return None
    if is_neutral(mask):
        mask = from_lists(function, "mask", array_namespace(x), mask, device=device(x))
    else:
        mask = given(function, "mask", x, mask, bool)
    if mask.shape != x.shape:
        raise ImageError(
            f"{function}: the mask must have the shape of the image, {tuple(x.shape)}, got "
            f"{tuple(mask.shape)}"
        )
    return mask


def _without(usual: Any, structure: Any) -> Any:
    """Return the structure of all elements that don't belong to another one."""
    w = usual if structure is None else structure
    if isinstance(w, list | tuple):
        return tuple(_without(usual, v) for v in w)
    return ~truth(w) if hasattr(w, "shape") else not w


def _in_dtype(found: Any, dtype: Any) -> Any:
    return found if dtype is None else stored(array_namespace(found), found, dtype)


# -- steps: a row calls SciPy's function of the same name ------------------------------------------


def _plain(x: Any, w: Any, *options: Any) -> bool:
    """real numbers that SciPy has, and a structure of their library that is not larger."""
    # Repeated steps of SciPy's leave their memory where the structure is larger than the image.
    sizes = (3,) * x.ndim if w is None else shape_of(w)
    return (
        all(0 < k <= n for k, n in zip(sizes, x.shape, strict=True))
        and all(type(v) is type(x) for v in (w, *options) if hasattr(v, "shape"))
        and array_namespace(x).isdtype(x.dtype, ("bool", "integral", "real floating"))
    )


def _plain_arrays(x: Any, *options: Any) -> bool:
    """as on NumPy, with structures that are arrays."""
    nested = any(type(v) is tuple and v and type(v[0]) in (tuple, bool) for v in options)
    return not nested and _plain(x, *options)


def _ends(x: Any, w: Any, iterations: Any, *options: Any) -> bool:
    """as of one step, and steps that end."""
    shifts = next(o for o in options if type(o) is tuple)
    few = type(iterations) is int and iterations > 0
    return _plain(x, w, iterations, *options) and (few or _centre(x, w, shifts) is True)


def _ends_arrays(x: Any, w: Any, iterations: Any, *options: Any) -> bool:
    """as on NumPy, with structures that are arrays."""
    few = type(iterations) is int and iterations > 0
    return few and _plain_arrays(x, w, iterations, *options)


_ONCE = {"numpy": _plain, "torch": _plain, "cupy": _plain_arrays}
_WHEN = {"numpy": _ends, "torch": _ends, "cupy": _ends_arrays}


def _cut(x: Any, w: Any, iterations: int, mask: Any, place: int = 3) -> Lines:
    """Return how a step maps over blocks of a batch; without a mask, of the image, too."""
    sizes = (3,) * x.ndim if w is None else shape_of(w)
    reach = {axis: n * iterations for axis, n in enumerate(sizes) if n > 1}
    labels = lines(x.ndim, *reach)
    parts = {0: labels} if mask is None else {0: labels, place: labels}
    small = any(x.shape[axis] < n for axis, n in reach.items())
    margins = {} if small or mask is not None or iterations < 1 else reach
    return Lines(parts, Made(tuple(x.shape), labels, array_namespace(x).bool), margins)


def _simple(x: Any, w: Any, iterations: int, mask: Any, *rest: Any) -> Lines:
    return _cut(x, w, iterations, mask)


def _double(x: Any, w: Any, iterations: int, none: None, origin: Any, mask: Any, *r: Any) -> Lines:
    return _cut(x, w, 2 * iterations, mask, 5)


def _endless(x: Any, w: Any, mask: Any, *rest: Any) -> Lines:
    return _cut(x, w, 0, mask, 2)


def _filling(x: Any, w: Any, *rest: Any) -> Lines:
    return _cut(x, w, 0, None)


def _pair(x: Any, w1: Any, w2: Any, *rest: Any) -> Lines:
    first = _cut(x, w1, 1, None)
    if w2 is None or shape_of(w1) == shape_of(w2):
        return first
    axes = [axis for axis, n in enumerate(x.shape) if n > 1]  # those of both windows
    labels = lines(x.ndim, *axes)
    return Lines({0: labels}, Made(tuple(x.shape), labels, array_namespace(x).bool))


@native(
    numpy="scipy.ndimage:binary_erosion",
    torch="scipy.ndimage:binary_erosion",
    cupy="cupyx.scipy.ndimage:binary_erosion",
    when=_WHEN,
    blocks=_simple,
)
def _erosion(
    x: Any, w: Any, iterations: int, mask: Any, none: None, border: int, origins: Any, brute: bool
) -> Any:
    w = cross(x.ndim) if w is None else w
    return _iterated(truth(x), w, iterations, mask, border, origins, grow=False)


@native(
    numpy="scipy.ndimage:binary_dilation",
    torch="scipy.ndimage:binary_dilation",
    cupy="cupyx.scipy.ndimage:binary_dilation",
    when=_WHEN,
    blocks=_simple,
)
def _dilation(
    x: Any, w: Any, iterations: int, mask: Any, none: None, border: int, origins: Any, brute: bool
) -> Any:
    return _dilated(truth(x), w, iterations, mask, border, origins)


@native(
    numpy="scipy.ndimage:binary_opening",
    torch="scipy.ndimage:binary_opening",
    cupy="cupyx.scipy.ndimage:binary_opening",
    when=_WHEN,
    blocks=_double,
)
def _opening(
    x: Any, w: Any, iterations: int, none: None, origins: Any, mask: Any, border: int, brute: bool
) -> Any:
    w = cross(x.ndim) if w is None else w
    v = _iterated(truth(x), w, iterations, mask, border, origins, grow=False)
    return _dilated(v, w, iterations, mask, border, origins)


@native(
    numpy="scipy.ndimage:binary_closing",
    torch="scipy.ndimage:binary_closing",
    cupy="cupyx.scipy.ndimage:binary_closing",
    when=_WHEN,
    blocks=_double,
)
def _closing(
    x: Any, w: Any, iterations: int, none: None, origins: Any, mask: Any, border: int, brute: bool
) -> Any:
    w = cross(x.ndim) if w is None else w
    v = _dilated(truth(x), w, iterations, mask, border, origins)
    return _iterated(v, w, iterations, mask, border, origins, grow=False)


@native(
    numpy="scipy.ndimage:binary_hit_or_miss",
    torch="scipy.ndimage:binary_hit_or_miss",
    cupy="cupyx.scipy.ndimage:binary_hit_or_miss",
    when=_ONCE,
    blocks=_pair,
)
def _hit_or_miss(x: Any, w1: Any, w2: Any, none: None, origins1: Any, origins2: Any) -> Any:
    w1 = cross(x.ndim) if w1 is None else w1
    w2 = _without(None, w1) if w2 is None else w2
    hit = _iterated(truth(x), w1, 1, None, 0, origins1, grow=False)
    return hit & ~_iterated(truth(x), w2, 1, None, 0, origins2, grow=True)


@native(
    numpy="scipy.ndimage:binary_propagation",
    torch="scipy.ndimage:binary_propagation",
    cupy="cupyx.scipy.ndimage:binary_propagation",
    when=_WHEN,
    blocks=_endless,
)
def _propagation(x: Any, w: Any, mask: Any, none: None, border: int, origins: Any) -> Any:
    return _dilated(truth(x), w, -1, mask, border, origins)


@native(
    numpy="scipy.ndimage:binary_fill_holes",
    torch="scipy.ndimage:binary_fill_holes",
    cupy="cupyx.scipy.ndimage:binary_fill_holes",
    when=_WHEN,
    blocks=_filling,
)
def _fill_holes(x: Any, w: Any, none: None, origins: Any) -> Any:
    v = truth(x)
    return ~_dilated(v & ~v, w, -1, ~v, 1, origins)


# -- bodies ----------------------------------------------------------------------------------------


def dilated(x: Any, w: Any, iterations: int) -> Any:
    """Dilate by a structure along all axes, centred, with nothing beyond the borders."""
    return _dilation(x, w, iterations, None, None, 0, (0,) * x.ndim, False)


def _dilated(v: Any, w: Any, iterations: int, mask: Any, border: int, origins: Any) -> Any:
    w = cross(v.ndim) if w is None else w
    shifts = mirrored(origins, shape_of(w))
    return _iterated(v, flipped(w), iterations, mask, border, shifts, grow=True)


def _iterated(
    v: Any, w: Any, iterations: int, mask: Any, border: int, origins: Any, *, grow: bool
) -> Any:
    """Erode, or grow, so many times, or until nothing changes."""
    if 0 in v.shape:
        return v
    xp = array_namespace(v)
    w = truth(w) if hasattr(w, "shape") else w
    spots = [(place, value) for place, value in places(w) if value is not False]
    mask = None if mask is None else truth(mask)

    def once(v: Any) -> Any:
        return _moved(xp, v, shape_of(w), spots, mask, bool(border), origins, grow)

    if iterations < 1 and _centre(v, w, origins) is None:
        step = once

        def once(v: Any) -> Any:  # which ends; if the structure holds its centre, the same
            return v | step(v) if grow else v & step(v)

    if 1 <= iterations <= _UNROLLED:
        for _ in range(iterations):
            v = once(v)
        return copied(xp, v) if set(shape_of(w)) == {1} else v
    return _repeated(xp, once, v, iterations)


def _repeated(xp: Any, once: Callable[[Any], Any], v: Any, iterations: int) -> Any:
    def step(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        v, left, _ = state
        new = once(v)
        return new, left - 1, xp.any(new != v)

    def goes_on(state: tuple[Any, Any, Any]) -> Any:
        _, left, changed = state
        return changed & (left != 0)

    where = device(v)
    left = xp.asarray(max(iterations, 0), dtype=index_dtype(xp, v), device=where)
    return while_loop(goes_on, step, step((v, left, None)))[0]


def _moved(
    xp: Any,
    v: Any,
    sizes: tuple[int, ...],
    spots: list[tuple[tuple[int, ...], Any]],
    mask: Any,
    border: bool,
    origins: tuple[int, ...],
    grow: bool,
) -> Any:
    """Combine the elements that the structure covers: all of them, or any to grow."""
    e = v
    for axis, (n, origin) in enumerate(zip(sizes, origins, strict=True)):
        before = n // 2 + origin
        e = extended(xp, e, axis, before, n - 1 - before, "constant", border)
    total: Any = None
    for place, value in spots:
        part = e[slices(place, v.shape)]
        if value is not True:
            part = part & value if grow else part | ~value
        total = part if total is None else total | part if grow else total & part
    if total is None:
        total = xp.full_like(v, not grow)
    return total if mask is None else xp.where(mask, total, v)
