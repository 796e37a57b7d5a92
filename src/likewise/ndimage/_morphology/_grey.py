"""Erosion and dilation of grey images, and what is made of them."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ..._native import Lines, along, native, public
from ...errors import ArgumentError, DtypeError, ImageError
from .._base._arguments import (
    axes_of,
    dtype_of,
    for_each,
    image,
    integer,
    mode_of,
    modes_of,
    number,
    whole,
)
from .._base._borders import extended
from .._base._dtypes import cast, copied, stored, usual, working
from .._base._windows import (
    flipped,
    given,
    in_all,
    known,
    mirrored,
    origins_of,
    places,
    running,
    shape_of,
    slices,
    truth,
)

__all__ = [
    "black_tophat",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "morphological_gradient",
    "morphological_laplace",
    "white_tophat",
]


@public
def grey_erosion(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Erode a grey image: take the least element around each.

    Parameters
    ----------
    input : array
        Real numbers or booleans, of any number of dimensions.
    size : int or sequence of int, optional
        The size of a flat window, of all axes or of each. One of `size`, `footprint` and
        `structure` is required.
    footprint : array, optional
        The window, with a dimension for each of `axes`: what differs from zero belongs to it.
    structure : array, optional
        Numbers that are subtracted from the elements in the window (added in a dilation), of the
        shape of `footprint`; without a footprint all belong to the window.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    mode : str or sequence of str, optional
        The elements beyond the borders, as for `correlate1d`; of each axis only if the window is a
        block without a structure.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    origin : int or sequence of int, optional
        The shift of the window, along all axes or each.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        ``min_k (input[i + k - m // 2 - origin] - structure[k])``, with the shape of `input`.

    Raises
    ------
    ArgumentError
        If there is no window, it has no elements, or it doesn't reach the element.
    DtypeError
        If `input` is complex.
    ImageError
        If the window has other dimensions, or there is no such mode.
    NotSupported
        If `output` is an array.

    Notes
    -----
    A block takes two operations for each doubling of its sizes, another window one or two for each
    of its elements. Differentiable with respect to `input` and `structure`; of equal elements, the
    derivative is the library's.

    Differs from SciPy: `output` can't be an array, and results that lie between two images, such as
    those of an opening, have its dtype, too. `size` isn't used if there is a `footprint` or a
    `structure`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import grey_erosion
    >>> grey_erosion(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    g = _taken("grey_erosion", input, size, footprint, structure, output, mode, cval, origin, axes)
    return g.stored(_erosion(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def grey_dilation(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Dilate a grey image: take the largest element around each.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        ``max_k (input[i - k + m // 2 - origin] + structure[k])``, with the shape of `input`;
        m // 2 is (m - 1) // 2 for an even m.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`.

    Notes
    -----
    As for `grey_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import grey_dilation
    >>> grey_dilation(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    g = _taken("grey_dilation", input, size, footprint, structure, output, mode, cval, origin, axes)
    return g.stored(_dilation(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def grey_opening(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Open a grey image: erode it, then dilate it, which removes small bright parts.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        The opened image, with the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`.

    Notes
    -----
    As for `grey_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import grey_opening
    >>> grey_opening(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 2, 0, 1, 1, 1, 1, 0])
    """
    g = _taken("grey_opening", input, size, footprint, structure, output, mode, cval, origin, axes)
    return g.stored(_opening(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def grey_closing(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Close a grey image: dilate it, then erode it, which removes small dark parts.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        The closed image, with the shape of `input`.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`.

    Notes
    -----
    As for `grey_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import grey_closing
    >>> grey_closing(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([8, 8, 4, 4, 4, 9, 9, 9])
    """
    g = _taken("grey_closing", input, size, footprint, structure, output, mode, cval, origin, axes)
    return g.stored(_closing(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def morphological_gradient(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Subtract the eroded image from the dilated one, which shows edges.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        ``grey_dilation(input) - grey_erosion(input)``, with the shape of `input`; integers wrap
        around.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`; also DtypeError for booleans.

    Notes
    -----
    As for `grey_erosion`.

    Differs from SciPy: `output` has an effect.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import morphological_gradient
    >>> morphological_gradient(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([6, 8, 8, 4, 8, 8, 9, 9])
    """
    name = "morphological_gradient"
    g = _taken(
        name, input, size, footprint, structure, output, mode, cval, origin, axes, numbers=True
    )
    return g.stored(_gradient(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def morphological_laplace(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Add the dilated image to the eroded one, and subtract the image twice.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        ``grey_dilation(input) + grey_erosion(input) - 2 * input``, with the shape of `input`;
        integers wrap around.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`; also DtypeError for booleans.

    Notes
    -----
    As for `grey_erosion`.

    Differs from SciPy: `output` has an effect.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import morphological_laplace
    >>> morphological_laplace(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([ 6, -8,  8, -4,  8, -8, -9,  9])
    """
    name = "morphological_laplace"
    g = _taken(
        name, input, size, footprint, structure, output, mode, cval, origin, axes, numbers=True
    )
    return g.stored(_laplace(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def white_tophat(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Subtract the opened image from the image, which keeps small bright parts.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        ``input - grey_opening(input)``, with the shape of `input`; where they differ, of booleans.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`.

    Notes
    -----
    As for `grey_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import white_tophat
    >>> white_tophat(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([0, 6, 0, 3, 0, 8, 8, 0])
    """
    g = _taken("white_tophat", input, size, footprint, structure, output, mode, cval, origin, axes)
    return g.stored(_white(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


@public
def black_tophat(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Subtract the image from the closed image, which keeps small dark parts.

    Parameters
    ----------
    input, size, footprint, structure, output, mode, cval, origin, axes
        As for `grey_erosion`.

    Returns
    -------
    array
        ``grey_closing(input) - input``, with the shape of `input`; where they differ, of booleans.

    Raises
    ------
    ArgumentError, DtypeError, ImageError, NotSupported
        As for `grey_erosion`.

    Notes
    -----
    As for `grey_erosion`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import black_tophat
    >>> black_tophat(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([6, 0, 4, 0, 3, 0, 0, 9])
    """
    g = _taken("black_tophat", input, size, footprint, structure, output, mode, cval, origin, axes)
    return g.stored(_black(g.x, g.size, g.footprint, g.structure, None, g.mode, cval, g.origins))


# -- arguments -------------------------------------------------------------------------------------


class _Given(NamedTuple):
    x: Any
    size: Any  # of all axes, or None for a window
    footprint: Any
    structure: Any
    mode: Any
    origins: tuple[int, ...]
    dtype: Any

    def stored(self, found: Any) -> Any:
        """Return a result in the wanted dtype."""
        if self.x.dtype == self.dtype:
            return found
        return stored(array_namespace(found), found, self.dtype)


def _taken(
    function: str,
    input: Any,
    size: Any,
    footprint: Any,
    structure: Any,
    output: Any,
    mode: Any,
    cval: Any,
    origin: Any,
    axes: Any,
    *,
    numbers: bool = False,
) -> _Given:
    """Return the image, and its window along all axes."""
    x = image(function, input, real=True)
    dtype = dtype_of(function, x, output, real=True)
    axes = axes_of(function, axes, x.ndim)
    number(function, "cval", cval)
    xp = array_namespace(x)
    if xp.isdtype(dtype, "real floating"):
        x = x if x.dtype == dtype else xp.astype(x, dtype)
    if numbers and x.dtype == xp.bool:
        raise DtypeError(
            f"{function}: booleans can't be subtracted; convert input, to xp.uint8, say"
        )
    if size is not None and footprint is not None:
        warnings.warn(
            f"{function}: size isn't used, because there is a footprint", UserWarning, stacklevel=4
        )
    if footprint is None and structure is None:
        if size is None:
            raise ArgumentError(f"{function}: pass size, footprint or structure")
        return _block(function, x, size, mode, origin, axes, dtype)
    f = None if footprint is None else given(function, "footprint", x, footprint, bool)
    s = None if structure is None else given(function, "structure", x, structure, float)
    shapes = [shape_of(w) for w in (f, s) if w is not None]
    if shapes[0] != shapes[-1] or len(shapes[0]) != len(axes) or 0 in shapes[0]:
        raise ImageError(
            f"{function}: footprint and structure must have one shape, with a dimension of at "
            f"least one element for each of {len(axes)} axes; got {' and '.join(map(str, shapes))}"
        )
    if f is not None and s is None:
        values = known(f)
        if values is not None and not _some(values):
            raise ArgumentError(f"{function}: footprint must have an element, got zeros only")
        if values is not None and _all(values):
            return _block(function, x, shapes[0], mode, origin, axes, dtype)
    if not isinstance(mode, str):
        raise ImageError(
            f"{function}: mode must be one for all axes if the window is no block; got {mode!r}"
        )
    f, s = (None if w is None else in_all(w, axes, x.ndim) for w in (f, s))
    if len(axes) == x.ndim:  # a window has the image's order of axes
        axes = tuple(range(x.ndim))
    origins = origins_of(function, origin, axes, shape_of(s if f is None else f))
    return _Given(x, None, f, s, mode_of(function, mode), origins, dtype)


def _block(
    function: str, x: Any, size: Any, mode: Any, origin: Any, axes: tuple[int, ...], dtype: Any
) -> _Given:
    """Return a flat block, with its sizes along all axes."""
    sizes, modes = [1] * x.ndim, ["reflect"] * x.ndim
    each = (for_each(function, "size", size, len(axes)), modes_of(function, mode, len(axes)))
    for axis, n, m in zip(axes, *each, strict=True):
        sizes[axis], modes[axis] = integer(function, "size", n), m
        if sizes[axis] < 1:
            raise ImageError(f"{function}: size must be at least 1, got {n}")
    origins = origins_of(function, origin, axes, tuple(sizes))
    return _Given(x, tuple(sizes), None, None, tuple(modes), origins, dtype)


def _some(window: Any) -> bool:
    return any(map(_some, window)) if isinstance(window, tuple) else bool(window)


def _all(window: Any) -> bool:
    return all(map(_all, window)) if isinstance(window, tuple) else bool(window)


# -- steps: a row calls SciPy's function of the same name ------------------------------------------


def _plain(x: Any, size: Any, footprint: Any, structure: Any, *options: Any) -> bool:
    """real numbers that SciPy has, and windows of their library."""
    kinds = ("bool", "integral", "real floating")
    return (
        0 not in x.shape
        and all(type(v) is type(x) for v in (footprint, structure) if hasattr(v, "shape"))
        and array_namespace(x).isdtype(x.dtype, kinds)
        and usual(x)
    )


def _plain_arrays(x: Any, size: Any, footprint: Any, structure: Any, *options: Any) -> bool:
    """as on NumPy, with windows that are arrays."""
    return tuple not in map(type, (footprint, structure)) and _plain(x, size, footprint, structure)


_WHEN = {"numpy": _plain, "torch": _plain, "cupy": _plain_arrays}


def _around(x: Any, size: Any, f: Any, s: Any, none: None, mode: Any, *rest: Any) -> Lines:
    sizes = size or shape_of(s if f is None else f)
    reach = {axis: 2 * n for axis, n in enumerate(sizes) if n > 1}
    modes = mode if isinstance(mode, tuple) else (mode,)
    small = any(x.shape[axis] < n for axis, n in reach.items())
    return along(x, tuple(reach), margins={} if small or any(map(whole, modes)) else reach)


def _row(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    routine = f"scipy.ndimage:{name}"
    return native(numpy=routine, torch=routine, cupy=f"cupyx.{routine}", when=_WHEN, blocks=_around)


@_row("grey_erosion")
def _erosion(x: Any, *window: Any) -> Any:
    return _eroded(x, *window)


@_row("grey_dilation")
def _dilation(x: Any, *window: Any) -> Any:
    return _dilated(x, *window)


@_row("grey_opening")
def _opening(x: Any, *window: Any) -> Any:
    return _alike(x, _dilated(_eroded(_bytes(x, *window), *window), *window))


@_row("grey_closing")
def _closing(x: Any, *window: Any) -> Any:
    return _alike(x, _eroded(_dilated(_bytes(x, *window), *window), *window))


@_row("morphological_gradient")
def _gradient(x: Any, *window: Any) -> Any:
    return _dilated(x, *window) - _eroded(x, *window)


@_row("morphological_laplace")
def _laplace(x: Any, *window: Any) -> Any:
    return _dilated(x, *window) + _eroded(x, *window) - x - x


@_row("white_tophat")
def _white(x: Any, *window: Any) -> Any:
    v = _dilated(_eroded(_bytes(x, *window), *window), *window)
    return _difference(x, _alike(x, v))


@_row("black_tophat")
def _black(x: Any, *window: Any) -> Any:
    v = _eroded(_dilated(_bytes(x, *window), *window), *window)
    return _difference(_alike(x, v), x)


# -- bodies ----------------------------------------------------------------------------------------


def _difference(a: Any, b: Any) -> Any:
    return a ^ b if a.dtype == array_namespace(a).bool else a - b


def _bytes(x: Any, size: Any, f: Any, s: Any, *rest: Any) -> Any:
    """Return booleans beside a structure as bytes, which they stay between two steps."""
    xp = array_namespace(x)
    return xp.astype(x, xp.uint8) if x.dtype == xp.bool and s is not None else x


def _alike(x: Any, v: Any) -> Any:
    return truth(v) if x.dtype == array_namespace(x).bool else v


def _eroded(x: Any, size: Any, f: Any, s: Any, none: None, mode: Any, cval: Any, o: Any) -> Any:
    return _extreme(x, size, f, s, mode, cval, o, least=True)


def _dilated(x: Any, size: Any, f: Any, s: Any, none: None, mode: Any, cval: Any, o: Any) -> Any:
    origins = mirrored(o, size or shape_of(s if f is None else f))
    f, s = (None if w is None else flipped(w) for w in (f, s))
    return _extreme(x, size, f, s, mode, cval, origins, least=False)


def _extreme(
    x: Any, size: Any, f: Any, s: Any, mode: Any, cval: Any, origins: Any, *, least: bool
) -> Any:
    """Return the least or the largest element in the window, less or plus the structure."""
    if 0 in x.shape:
        return x
    xp = array_namespace(x)
    kind = x.dtype
    v, cval = _beside_cval(xp, x, mode, cval, size is not None)
    pick = xp.minimum if least else xp.maximum
    sizes = size or shape_of(s if f is None else f)
    modes = mode if isinstance(mode, tuple) else (mode,) * x.ndim
    for axis, (n, m, origin) in enumerate(zip(sizes, modes, origins, strict=True)):
        before = n // 2 + origin
        v = extended(xp, v, axis, before, n - 1 - before, m, cval)
        if size is not None:
            v = running(pick, v, axis, n)
    if size is None:
        v = _picked(xp, v, x.shape, f, s, least=least)
    v = copied(xp, v) if set(sizes) <= {1} else v
    return truth(stored(xp, v, xp.uint8)) if kind == xp.bool else stored(xp, v, kind)


def _beside_cval(xp: Any, x: Any, mode: Any, cval: Any, block: bool) -> tuple[Any, Any]:
    """Return an image, and the elements beyond its borders, in a dtype that has both."""
    x = xp.astype(x, xp.uint8) if x.dtype == xp.bool else x
    modes = mode if isinstance(mode, tuple) else (mode,)
    if xp.isdtype(x.dtype, "real floating") or not {"constant", "grid-constant"}.intersection(
        modes
    ):
        return x, cval
    ends, number = xp.iinfo(x.dtype), int(cval)  # cut off as C does, which changes no order
    if ends.min <= number <= ends.max:
        return x, number
    if block:
        return working(xp, x), cval
    return x, cast(xp, x.dtype, cval)


def _picked(xp: Any, v: Any, shape: Any, f: Any, s: Any, *, least: bool) -> Any:
    """Combine the elements at each place of a window.

    As in SciPy, the first number of a structure is added in double precision; the others are cast
    to an integer dtype, and sums wrap around in it.
    """
    pick = xp.minimum if least else xp.maximum
    values = dict(places(s, float)) if s is not None else {}
    total: Any = None
    for place, inside in places(_inside(f, s)):
        if inside is False:
            continue
        part = v[slices(place, shape)]
        if s is not None:
            step = -values[place] if least else values[place]
            if total is None or xp.isdtype(v.dtype, "real floating"):
                part = working(xp, part) + step
            else:
                part = working(xp, part + _wrapped(xp, step, v.dtype))
        if inside is not True:
            part = xp.where(truth(inside), part, _neutral(xp, part.dtype, least=least))
        total = part if total is None else pick(total, part)
    return total


def _wrapped(xp: Any, step: Any, dtype: Any) -> Any:
    """Return a number in an integer dtype, as C casts it."""
    if hasattr(step, "dtype"):
        return stored(xp, step, dtype)
    return cast(xp, dtype, step)


def _inside(f: Any, s: Any) -> Any:
    """Return the footprint, all places of the structure if there is none."""
    if f is not None:
        return f

    def ones(sizes: tuple[int, ...]) -> Any:
        return (ones(sizes[1:]),) * sizes[0] if sizes else True

    return ones(shape_of(s))


def _neutral(xp: Any, dtype: Any, *, least: bool) -> Any:
    if xp.isdtype(dtype, "real floating"):
        return float("inf") if least else -float("inf")
    ends = xp.iinfo(dtype)
    return ends.max if least else ends.min
