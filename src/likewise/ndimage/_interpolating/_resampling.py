"""Shifted, zoomed and rotated images."""

import math
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, is_neutral, is_readable
from ..._native import Lines, along, native, public
from ...errors import ArgumentError, IntegerError, ShapeError
from .._base._arguments import axes_of, beside, for_each, number
from .._base._dtypes import copied, stored
from ._arguments import given, numbers, plain, real, result
from ._evaluation import at_points, rounded
from ._lines import each, resampled
from ._mapping import grid

__all__ = ["rotate", "shift", "zoom"]


@public
def shift(
    input: Any,
    shift: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Shift an image by any distance, with spline interpolation.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    shift : float or array, shape (n,)
        The shift in elements, along all axes or each.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    array
        The image at ``k - shift``, with the shape of `input`.

    Raises
    ------
    ImageError, NotSupported
        As for `map_coordinates`, and if `shift` has another number of values.

    Notes
    -----
    ``order + 1`` products an element and axis. Differentiable with respect to `input`, and to
    `shift` from order 1 on.

    Differs from SciPy: as for `map_coordinates`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import shift
    >>> shift(np.asarray([0.0, 4.0, 8.0, 4.0]), 0.5, order=1)
    array([0., 2., 6., 6.])
    """
    x, name, order, mode = given("shift", input, output, order, mode, cval)
    by = numbers("shift", "shift", x, shift)
    return _shift(x, by, name, order, mode, cval, bool(prefilter))


def _shift_whole(x: Any, by: Any, output: str | None, *rest: Any) -> Lines:
    still = {k for k, s in enumerate(by) if s == 0.0} if isinstance(by, tuple) else set()
    axes = tuple(k for k in range(x.ndim) if k not in still)
    return along(x, axes, dtype=result(array_namespace(x), x, output))


@native(
    numpy="likewise._libs.numpy._images:shift",
    torch="likewise._libs.numpy._images:shift",
    cupy="cupyx.scipy.ndimage:shift",
    when=plain,
    blocks=_shift_whole,
)
def _shift(
    x: Any, by: Any, output: str | None, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    back = [-s for s in each(by, x.ndim)]
    ones = (1.0,) * x.ndim
    return resampled(x, ones, back, x.shape, output, order, mode, cval, prefilter)


@public
def zoom(
    input: Any,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Any:
    """Zoom an image by spline interpolation.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    zoom : float or sequence of float
        The factor of all axes or of each. Sizes of the result are ``round(size * factor)``; the
        first and the last elements stay.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.
    grid_mode : bool, optional
        True if the edges of the first and last elements stay, not their centers. Modes that go with
        it are 'grid-constant', 'grid-wrap', 'reflect' and 'nearest'.

    Returns
    -------
    array
        The zoomed image.

    Raises
    ------
    ArgumentError
        If `zoom` has no value yet, as under `jit`: the shape depends on it.
    ImageError, NotSupported
        As for `map_coordinates`, and if `zoom` has another number of values.

    Notes
    -----
    ``order + 1`` products an element and axis. Differentiable with respect to `input`.

    Differs from SciPy: as for `map_coordinates`; `grid_mode` is for complex numbers, too; no advice
    about modes is given.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import zoom
    >>> zoom(np.asarray([0.0, 2.0, 4.0]), 2, order=1)
    array([0. , 0.8, 1.6, 2.4, 3.2, 4. ])
    """
    x, name, order, mode = given("zoom", input, output, order, mode, cval)
    by = tuple(_value("zoom", "zoom", f) for f in for_each("zoom", "zoom", zoom, x.ndim))
    if not all(math.isfinite(f) and f >= 0.0 for f in by):
        raise ArgumentError(f"zoom: zoom must be finite and not negative, got {zoom!r}")
    if math.prod(shape := _sizes(x, by)) >= 2**60:
        raise ArgumentError(f"zoom: zoom must be smaller: no memory holds the shape {shape}")
    if grid_mode:
        return _zoom_edges(x, by, name, order, mode, cval, bool(prefilter))
    return _zoom(x, by, name, order, mode, cval, bool(prefilter))


def _value(function: str, name: str, value: Any) -> float:
    """Return a setting that decides on a shape."""
    number(function, name, value)
    if not is_neutral(value) and not is_readable(value):
        raise ArgumentError(
            f"{function}: {name} decides on the shape of the result, and has no value yet, as "
            "under jit. Pass a Python number."
        )
    return float(value)


def _sizes(x: Any, factors: Sequence[float]) -> tuple[int, ...]:
    return tuple(round(n * f) for n, f in zip(x.shape, factors, strict=True))


def _zoom_whole(x: Any, by: tuple[float, ...], output: str | None, *rest: Any) -> Lines:
    axes = tuple(k for k, f in enumerate(by) if f != 1.0)
    sizes = [n for n, f in zip(_sizes(x, by), by, strict=True) if f != 1.0]
    return along(x, axes, sizes, dtype=result(array_namespace(x), x, output))


@native(
    numpy="scipy.ndimage:zoom",
    torch="scipy.ndimage:zoom",
    cupy="cupyx.scipy.ndimage:zoom",
    when=plain,
    blocks=_zoom_whole,
)
def _zoom(x: Any, by: tuple[float, ...], output: str | None, *rest: Any) -> Any:
    shape = _sizes(x, by)
    if set(by) == {1.0} and rest[-1]:
        return _same(x, output)
    factors = [(n - 1) / (m - 1) if m != 1 else 1.0 for n, m in zip(x.shape, shape, strict=True)]
    return resampled(x, factors, (0.0,) * x.ndim, shape, output, *rest)


@native(blocks=_zoom_whole)
def _zoom_edges(x: Any, by: tuple[float, ...], output: str | None, *rest: Any) -> Any:
    shape = _sizes(x, by)
    if set(by) == {1.0} and rest[-1]:
        return _same(x, output)
    factors = [n / m if m else 1.0 for n, m in zip(x.shape, shape, strict=True)]
    return resampled(x, factors, (0.0,) * x.ndim, shape, output, *rest, edges=True)


def _same(x: Any, output: str | None) -> Any:
    xp = array_namespace(x)
    return copied(xp, stored(xp, x, result(xp, x, output)))


@public
def rotate(
    input: Any,
    angle: Any,
    axes: Sequence[int] = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Rotate an image in the plane of two axes, with spline interpolation.

    Parameters
    ----------
    input : array
        Numbers, of at least two dimensions.
    angle : float or array, shape ()
        The angle in degrees.
    axes : pair of int, optional
        The plane's axes, in any order; all others are a batch.
    reshape : bool, optional
        True if the result has the size that holds all of the image, False for that of `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    array
        The rotated image.

    Raises
    ------
    ShapeError
        If `input` has fewer than two dimensions, or there are no such axes.
    ArgumentError
        If `axes` aren't two, or `angle` has no value yet, as under `jit`, and decides on the shape.
    ImageError, NotSupported
        As for `map_coordinates`.

    Notes
    -----
    ``(order + 1)^2`` products an element. Differentiable with respect to `input`, and to `angle`
    from order 1 on where `reshape` is False.

    Differs from SciPy: as for `map_coordinates`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import rotate
    >>> rotate(np.asarray([[1.0, 2.0, 3.0]]), 90, order=1)
    array([[3.],
           [2.],
           [1.]])
    """
    x, name, order, mode = given("rotate", input, output, order, mode, cval)
    if x.ndim < 2:
        raise ShapeError(f"rotate: input must have at least two dimensions, got {x.ndim}")
    plane = tuple(axes) if hasattr(axes, "__iter__") else None
    if plane is None:
        raise IntegerError(f"rotate: axes must be two integers, got {axes!r}")
    if len(plane) != 2:
        raise ArgumentError(f"rotate: axes must be two, got {axes!r}")
    plane = axes_of("rotate", plane, x.ndim)
    if is_neutral(angle) or reshape:
        by: Any = _value("rotate", "angle", angle)
        if not math.isfinite(by):
            raise ArgumentError(f"rotate: angle must be finite, got {angle!r}")
    else:
        by = real("rotate", "angle", beside("rotate", ("input", "angle"), x, angle))
    return _rotate(x, by, plane, bool(reshape), name, order, mode, cval, bool(prefilter))


def _turned(xp: Any, angle: Any) -> tuple[Any, Any]:
    """Return cosine and sine of degrees, exact for right angles that are numbers."""
    if not isinstance(angle, float):
        return xp.cos(angle * (math.pi / 180.0)), xp.sin(angle * (math.pi / 180.0))
    turns, rest = divmod(math.remainder(angle, 360.0) + 45.0, 90.0)
    t = math.radians(rest - 45.0)
    c, s = (
        (math.sqrt(0.5), math.copysign(math.sqrt(0.5), t))
        if abs(rest - 45.0) == 45.0
        else (
            math.cos(t),
            math.sin(t),
        )
    )
    return ((c, s), (-s, c), (-c, -s), (s, -c))[int(turns) % 4]


def _plane(x: Any, angle: Any, axes: tuple[int, ...], reshape: bool) -> tuple[int, int]:
    n, m = (x.shape[k] for k in sorted(axes))
    if not reshape:
        return n, m
    c, s = _turned(None, angle)
    ends = [(0.0, s * m, c * n, c * n + s * m), (0.0, c * m, -s * n, c * m - s * n)]
    first, last = (int(max(e) - min(e) + 0.5) for e in ends)
    return first, last


def _rotate_whole(
    x: Any, angle: Any, axes: tuple[int, ...], reshape: bool, output: str | None, *rest: Any
) -> Lines:
    size = _plane(x, angle, axes, reshape)
    return along(x, tuple(sorted(axes)), size, dtype=result(array_namespace(x), x, output))


def _turns(x: Any, angle: Any, *rest: Any) -> bool:
    """an image that isn't empty, an angle that is a number, and no small one with 'reflect'."""
    return isinstance(angle, float) and plain(x, *rest)


@native(
    numpy="scipy.ndimage:rotate",
    torch="scipy.ndimage:rotate",
    cupy="cupyx.scipy.ndimage:rotate",
    when=_turns,
    blocks=_rotate_whole,
)
def _rotate(
    x: Any,
    angle: Any,
    axes: tuple[int, ...],
    reshape: bool,
    output: str | None,
    order: int,
    mode: str,
    cval: Any,
    prefilter: bool,
) -> Any:
    xp = array_namespace(x) if isinstance(angle, float) else array_namespace(x, angle)
    plane = tuple(sorted(axes))
    shape = _plane(x, angle, axes, reshape)
    c, s = _turned(xp, angle)
    (n, m), (y0, x0) = (x.shape[k] for k in plane), ((k - 1) / 2.0 for k in shape)
    first, last = (n - 1) / 2.0 - (c * y0 + s * x0), (m - 1) / 2.0 - (c * x0 - s * y0)

    def coordinates(i: int, j: int) -> list[Any]:
        a, b = grid(x, shape, i, j)
        return [c * a + s * b + first, c * b - s * a + last]

    y = at_points(
        xp.moveaxis(x, plane, (0, 1)), 2, shape, coordinates, order, mode, cval, prefilter
    )
    return rounded(xp, xp.moveaxis(y, (0, 1), plane), result(xp, x, output))
