"""B-splines on a grid: their weights at a place, and the coefficients of those through an image."""

import math
from collections.abc import Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_concrete
from ..._native import Lines, along, native, public
from ...errors import DtypeError, ImageError
from .._base._arguments import complexified, dtype_of, image, integer, mode_of
from .._base._borders import extended
from .._base._dtypes import cast, copied, floating, stored, usual, working

__all__ = [
    "beyond",
    "blocks_of",
    "exact",
    "filtered",
    "name_of",
    "order_of",
    "padded",
    "spline_filter",
    "spline_filter1d",
    "weights",
]

# The zeros in the unit circle of the B-spline's transform: sum_k b(k) z^k = 0.
_POLES: dict[int, tuple[float, ...]] = {
    2: (math.sqrt(8.0) - 3.0,),
    3: (math.sqrt(3.0) - 2.0,),
    4: (-0.36134122590022017709, -0.013725429297339121360),
    5: (-0.43057534709997379185, -0.043096288203264653823),
}
PAD = 12  # elements before the filter, for the modes that have no closed form
_BLOCK = 1 << 15  # elements that stay in a core's cache with a few results


@public
def spline_filter1d(
    input: Any, order: int = 3, axis: int = -1, output: Any = None, mode: str = "mirror"
) -> Any:
    """Compute the coefficients of the spline through an image's elements along one axis.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    order : int, optional
        The order of the spline, from 0 to 5; the image itself for 0 and 1.
    axis : int, optional
        The axis. Default: the last one.
    output : dtype, optional
        The dtype of the result. Default: that of `input`, double precision for integers.
    mode : {'mirror', 'reflect', 'grid-wrap', ...}, optional
        The elements beyond the borders, as for `map_coordinates`. 'constant', 'wrap' and
        'grid-constant' are taken as 'mirror', 'nearest' as 'reflect'.

    Returns
    -------
    array
        The coefficients, with the shape of `input`.

    Raises
    ------
    ImageError
        If `order` isn't one of 0 to 5, or there is no such mode.
    NotSupported
        If `output` is an array.

    Notes
    -----
    The inverse of the B-spline's samples, ``(1 - z)^2 sum_k z^|k| input[i - k]`` for each pole z
    (P. Thevenaz, T. Blu, M. Unser, "Interpolation revisited", IEEE Trans. Med. Imaging 19, 2000).
    The sums are doubled until the powers of z are below rounding: 10 products an element for order
    3. Differentiable.

    Differs from SciPy: the result of float32 is float32; `output` can't be an array.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import spline_filter1d
    >>> spline_filter1d(np.asarray([0.0, 1.0, 0.0])).round(4)
    array([-1.,  2., -1.])
    """
    x = image("spline_filter1d", input)
    order = order_of("spline_filter1d", order)
    (axis,) = _plan.axis_tuple("spline_filter1d", "axis", axis, x.ndim)
    name = name_of(_result("spline_filter1d", x, output))
    return _spline_filter1d(x, order, axis, name, mode_of("spline_filter1d", mode))


@public
def spline_filter(input: Any, order: int = 3, output: Any = None, mode: str = "mirror") -> Any:
    """Compute the coefficients of the spline through an image's elements.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    order : int, optional
        The order of the spline, from 2 to 5.
    output, mode
        As for `spline_filter1d`.

    Returns
    -------
    array
        The coefficients, with the shape of `input`.

    Raises
    ------
    ImageError
        If `order` isn't one of 2 to 5, or there is no such mode.
    NotSupported
        If `output` is an array.

    Notes
    -----
    As for `spline_filter1d`, one axis after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import spline_filter
    >>> spline_filter(np.eye(2), 2).round(4)
    array([[ 2.5, -1.5],
           [-1.5,  2.5]])
    """
    x = image("spline_filter", input)
    order = order_of("spline_filter", order, 2)
    name = name_of(_result("spline_filter", x, output))
    return _spline_filter(x, order, name, mode_of("spline_filter", mode))


def order_of(function: str, order: Any, least: int = 0) -> int:
    """Return the order of a spline."""
    found = integer(function, "order", order)
    if not least <= found <= 5:
        raise ImageError(f"{function}: order must be one of {least} to 5, got {order!r}")
    return found


def name_of(dtype: Any) -> str:
    """Return a dtype's name, by which all libraries' routines know it."""
    return str(dtype).rpartition(".")[2].strip("'>")


def _result(function: str, x: Any, output: Any) -> Any:
    if output is None:
        if not usual(x):
            raise DtypeError(
                f"{function}: input must have a dtype of the standard, got {x.dtype}. Pass output, "
                "such as 'float32'."
            )
        return floating(array_namespace(x), x)
    return complex_of(function, x, output)


def complex_of(function: str, x: Any, output: Any) -> Any:
    """Return the dtype of a result, which is complex if the image is."""
    xp, dtype = array_namespace(x), dtype_of(function, x, output)
    if _plan.is_complex(xp, x.dtype) and not _plan.is_complex(xp, dtype):
        return complexified(function, xp, dtype, output)
    return dtype


def exact(sizes: Sequence[int], order: int, mode: str) -> bool:
    """Tell whether SciPy's filter is exact for sizes of an image.

    Before SciPy 1.18, 'reflect' is so where powers of poles are below rounding.
    """
    return order < 2 or mode not in ("reflect", "grid-mirror") or min(sizes, default=0) >= 22


def _plain_lines(x: Any, order: int, axis: int, output: str, mode: str) -> bool:
    """an image that isn't empty, and not so small that 'reflect' isn't exact."""
    known = exact(x.shape[axis : axis + 1], order, _alone(mode))
    return 0 not in x.shape and known and usual(x)


def _plain(x: Any, order: int, output: str, mode: str) -> bool:
    """an image that isn't empty, and not so small that 'reflect' isn't exact."""
    return 0 not in x.shape and exact(x.shape, order, _alone(mode)) and usual(x)


def _in_blocks(x: Any, order: int, axis: int, output: str, *rest: Any) -> Lines:
    return along(x, (axis,), dtype=getattr(array_namespace(x), output))


def _whole(x: Any, order: int, output: str, *rest: Any) -> Lines:
    return along(x, tuple(range(x.ndim)), dtype=getattr(array_namespace(x), output))


@native(
    numpy="scipy.ndimage:spline_filter1d",
    torch="scipy.ndimage:spline_filter1d",
    cupy="cupyx.scipy.ndimage:spline_filter1d",
    when=_plain_lines,
    blocks=_in_blocks,
)
def _spline_filter1d(x: Any, order: int, axis: int, output: str, mode: str) -> Any:
    xp = array_namespace(x)
    found = stored(xp, filtered(xp, working(xp, x), axis, order, mode), getattr(xp, output))
    return copied(xp, x) if found is x else found


@native(
    numpy="scipy.ndimage:spline_filter",
    torch="scipy.ndimage:spline_filter",
    cupy="cupyx.scipy.ndimage:spline_filter",
    when=_plain,
    blocks=_whole,
)
def _spline_filter(x: Any, order: int, output: str, mode: str) -> Any:
    xp = array_namespace(x)
    dtype = getattr(xp, output)
    for axis in range(x.ndim):  # results are kept in the dtype, as SciPy keeps them
        x = stored(xp, filtered(xp, working(xp, x), axis, order, mode), dtype)
    return stored(xp, x, dtype)


def beyond(mode: str) -> str:
    """Return the mode by which coefficients go on beyond the borders."""
    return "mirror" if mode in ("constant", "wrap") else mode


def _alone(mode: str) -> str:
    """Return the mode of the filter, of which some have none of their own."""
    return {"nearest": "reflect", "grid-constant": "mirror"}.get(mode, beyond(mode))


def filtered(xp: Any, x: Any, axis: int, order: int, mode: str) -> Any:
    """Return coefficients along an axis of a floating image."""
    if order < 2 or x.shape[axis] < 2:
        return x
    mode = _alone(mode)
    least = math.log(0.5) * (24 if x.dtype in (xp.float32, xp.complex64) else 53)
    poles = [(z, math.ceil(math.log2(least / math.log(-z)))) for z in _POLES[order]]
    reach = sum((1 << count) - 1 for _, count in poles)
    parts = [_sums(xp, b, axis, poles, reach, mode) for b in blocks_of(xp, x, axis)]
    if len(parts) == 1:
        return parts[0]
    return xp.concat(parts, axis=0 if axis else 1)


def blocks_of(xp: Any, x: Any, axis: int) -> list[Any]:
    """Return an image in blocks along an axis other than `axis`, to work on in the cache."""
    cut = 0 if axis else 1
    if not is_concrete(x) or x.ndim < 2:
        return [x]
    step = max(1, _BLOCK * x.shape[cut] // max(1, math.prod(x.shape)))
    starts = range(0, x.shape[cut], step)
    if len(starts) < 2:
        return [x]
    at = (slice(None),) * cut
    return [x[(*at, slice(i, min(i + step, x.shape[cut])), ...)] for i in starts]


def _sums(xp: Any, x: Any, axis: int, poles: list[tuple[float, int]], reach: int, mode: str) -> Any:
    """Sum powers of poles on both sides: y[i] += w y[i - m] with w = z^m, for m = 1, 2, 4..."""
    v = extended(xp, x, axis, reach, reach, mode)
    v = v * math.prod([(1.0 - z) ** 2 for z, _ in poles])
    at = (slice(None),) * axis
    for z, count in poles:
        for k in range(count):
            m, w = 1 << k, z ** (1 << k)
            front, back = v[(*at, slice(m, None), ...)], v[(*at, slice(None, -m), ...)]
            v = front + w * back
        for k in range(count):
            m, w = 1 << k, z ** (1 << k)
            front, back = v[(*at, slice(m, None), ...)], v[(*at, slice(None, -m), ...)]
            v = back + w * front
    return v


def padded(xp: Any, x: Any, axis: int, mode: str, cval: Any, dtype: Any) -> tuple[Any, int]:
    """Return an image before the filter along an axis, and the number of elements put before it.

    `dtype` is that of the image as it was given: of integers, `cval` becomes one, too.
    """
    if mode not in ("nearest", "grid-constant"):
        return x, 0
    if mode == "grid-constant" and xp.isdtype(dtype, "bool"):
        cval = float(cval != 0.0)
    elif mode == "grid-constant" and xp.isdtype(dtype, "integral"):
        cval = float(cast(xp, dtype, cval))
    return extended(xp, x, axis, PAD, PAD, mode, cval), PAD


def weights(xp: Any, u: Any, order: int) -> list[Any]:
    """Return the values of the order + 1 B-splines that aren't zero, at u in [0, 1) of a piece."""
    if order == 0:
        return []
    if order == 1:
        return [1.0 - u, u]
    v = 1.0 - u
    if order == 2:
        found = [0.5 * v * v, 0.5 * u * u]
        return [found[0], 1.0 - found[0] - found[1], found[1]]
    uu = u * u
    first, third, last = v * v * v / 6.0, uu * (0.5 * u - 1.0) + 2.0 / 3.0, uu * u / 6.0
    found = [first, third, 1.0 - first - third - last, last]
    for d in range(4, order + 1):  # the recursion of Cox and de Boor on whole numbers
        middle = [
            ((u + float(d - j)) * found[j - 1] + (float(1 + j) - u) * found[j]) / d
            for j in range(1, d)
        ]
        found = [v * found[0] / d, *middle, u * found[-1] / d]
    return found
