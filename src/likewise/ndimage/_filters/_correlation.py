"""Correlation and convolution with weights, in one dimension and in several."""

import itertools
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_neutral
from ..._native import Lines, native, public
from ...errors import ArgumentError, ImageError
from .._base._arguments import (
    axes_of,
    beside,
    complexified,
    dtype_of,
    for_each,
    holds_arrays,
    image,
    integer,
    mode_of,
    number,
    origin_of,
)
from .._base._dtypes import stored, usual, working
from .._base._pieces import in_windows, on_blocks
from .._base._windows import flipped, given, in_all, places, shape_of, slices

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "correlated", "in_dtype"]


@public
def correlate1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Correlate an image with weights along one axis.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    weights : array, shape (m,)
        The weights.
    axis : int, optional
        The axis. Default: the last one.
    output : dtype, optional
        The dtype of the result. Default: that of `input`, complex if `weights` are.
    mode : {'reflect', 'constant', 'nearest', 'mirror', 'wrap'}, optional
        The elements beyond the borders: the mirror image with the last element, `cval`, the last
        element, the mirror image without it, or the other end. 'grid-mirror', 'grid-constant' and
        'grid-wrap' are the same as 'reflect', 'constant' and 'wrap'.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    origin : int, optional
        The shift of the window: 0 centres it on the element, positive numbers shift it to the left.

    Returns
    -------
    array
        ``sum_k weights[k] * input[i + k - m // 2 - origin]``, with the shape of `input`.

    Raises
    ------
    ArgumentError
        If the window doesn't reach the element.
    ImageError
        If there are no weights, or no such mode.
    NotSupported
        If `output` is an array.

    Notes
    -----
    m products an element. Sums are computed in the floating dtype of `input`, of integers in double
    precision; results in integers lose their fraction, and wrap around. Differentiable with respect
    to `input` and `weights`.

    Differs from SciPy: `output` can't be an array; float32 is summed in float32 except by SciPy's
    routine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import correlate1d
    >>> correlate1d(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), [1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    x, w, dtype = _taken("correlate1d", input, weights, output)
    return _along("correlate1d", x, _conjugate(w), axis, dtype, mode, cval, origin)


@public
def convolve1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Convolve an image with weights along one axis.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    weights : array, shape (m,)
        The weights.
    axis, output, mode, cval, origin
        As for `correlate1d`.

    Returns
    -------
    array
        ``sum_k weights[k] * input[i - k + m // 2 - origin]``, with the shape of `input`; m // 2 is
        (m - 1) // 2 for an even m.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    As for `correlate1d`, which gets the weights from the last to the first.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import convolve1d
    >>> convolve1d(np.asarray([2, 8, 0, 4, 1, 9, 9, 0]), [1, 3])
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    x, w, dtype = _taken("convolve1d", input, weights, output)
    origin = -origin if _size(w) % 2 else -origin - 1
    w = w[::-1] if isinstance(w, tuple) else array_namespace(w).flip(w)
    return _along("convolve1d", x, w, axis, dtype, mode, cval, origin)


def _taken(function: str, input: Any, weights: Any, output: Any) -> tuple[Any, Any, Any]:
    """Return the image, the weights along one axis, as numbers or an array, and the dtype."""
    x = image(function, input)
    w: Any = ()
    is_known = is_neutral(weights) and not holds_arrays(weights)
    if is_known and _plan.kind_of(function, "weights", weights) is not complex:
        one = isinstance(weights, list | tuple) and not any(
            isinstance(v, list | tuple) for v in weights
        )
        w = tuple(map(float, weights)) if one else w
    else:
        w = beside(function, ("input", "weights"), x, weights)
        one = w.ndim == 1
    if not one or not _size(w):
        raise ImageError(f"{function}: weights must have one dimension and at least one element")
    return x, w, _result(function, x, w, output)


def _size(w: Any) -> int:
    return len(w) if isinstance(w, tuple) else int(w.shape[0])


def _complex(w: Any) -> bool:
    return not isinstance(w, tuple) and _plan.is_complex(array_namespace(w), w.dtype)


def _result(function: str, x: Any, w: Any, output: Any) -> Any:
    """Return the dtype of a result, which is complex if the weights are."""
    dtype, xp = dtype_of(function, x, output), array_namespace(x)
    if _plan.is_complex(xp, dtype) or not (_complex(w) or _plan.is_complex(xp, x.dtype)):
        return dtype
    return complexified(function, xp, dtype, output)


def _fits(function: str, x: Any, cval: Any) -> None:
    number(function, "cval", cval)
    if isinstance(cval, complex) and not _plan.is_complex(array_namespace(x), x.dtype):
        raise ArgumentError(f"{function}: cval must be real for a real input, got {cval!r}")


def _conjugate(w: Any) -> Any:
    return array_namespace(w).conj(w) if _complex(w) else w


def _along(
    function: str, x: Any, w: Any, axis: Any, dtype: Any, mode: Any, cval: Any, origin: Any
) -> Any:
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    origin = origin_of(function, origin, _size(w))
    _fits(function, x, cval)
    return correlated(x, w, axis, dtype, mode_of(function, mode), cval, origin)


def in_dtype(x: Any, dtype: Any) -> Any:
    """Return an image as it is filtered for a result of a dtype: with all of its digits."""
    xp = array_namespace(x)
    if x.dtype == dtype:
        return x
    if xp.isdtype(dtype, ("real floating", "complex floating")):
        return xp.astype(x, dtype)
    return working(xp, x)


def correlated(x: Any, w: Any, axis: int, dtype: Any, mode: str, cval: Any, origin: int) -> Any:
    """Correlate along an axis, checked: weights are an array, or a tuple of numbers."""
    x = in_dtype(x, dtype)
    if x.dtype == dtype:
        return _correlate1d(x, w, axis, None, mode, cval, origin)
    return stored(array_namespace(x), _correlate1d(x, w, axis, None, mode, cval, origin), dtype)


def _plain(x: Any, w: Any, *options: Any) -> bool:
    """real numbers that SciPy has, and weights that no transform follows."""
    kinds = ("integral", "real floating")
    return (
        type(w) in (tuple, type(x))
        and 0 not in x.shape
        and array_namespace(x).isdtype(x.dtype, kinds)
        and usual(x)
        and not _complex(w)
    )


def _plain_arrays(x: Any, w: Any, *options: Any) -> bool:
    """as on NumPy, with weights that are arrays."""
    return hasattr(w, "shape") and _plain(x, w)


def _in_blocks(x: Any, w: Any, axis: int, none: None, mode: str, *rest: Any) -> Lines:
    sizes = tuple(_size(w) if i == axis else 1 for i in range(x.ndim))
    return on_blocks(x, sizes, (mode,) * x.ndim)


@native(
    numpy="scipy.ndimage:correlate1d",
    torch="scipy.ndimage:correlate1d",
    cupy="cupyx.scipy.ndimage:correlate1d",
    when=_plain,
    blocks=_in_blocks,
)
def _correlate1d(x: Any, w: Any, axis: int, none: None, mode: str, cval: Any, origin: int) -> Any:
    xp, size, kept = array_namespace(x), _size(w), x.dtype
    before = size // 2 + origin

    def body(v: Any) -> Any:
        return stored(xp, _weighted(v, w, axis), kept)

    reach = {axis: (before, size - 1 - before)}
    found = in_windows(body, working(xp, x), reach, {axis: mode}, cval)
    return stored(xp, found, kept)


def _weighted(v: Any, w: Any, axis: int) -> Any:
    """Return the sum of weights times shifted arrays, two of each where weights are symmetric."""
    size = _size(w)
    n = v.shape[axis] - size + 1
    at: list[Any] = [slice(None)] * v.ndim

    def part(k: int) -> Any:
        at[axis] = slice(k, k + n)
        return v[tuple(at)]

    half, sign = size // 2, _symmetry(w)
    if size > 2 and sign and (size % 2 or sign > 0):
        total = w[half] * part(half) if size % 2 and sign > 0 else None
        for k in range(half):
            term = part(k) + part(size - 1 - k) if sign > 0 else part(k) - part(size - 1 - k)
            term *= w[k]  # into itself: what has just been computed is in the first cache
            if total is None:
                total = term
            else:
                total += term
        return total
    total = w[0] * part(0)
    for k in range(1, size):
        total += w[k] * part(k)
    return total


def _symmetry(w: Any) -> int:
    """Return 1 for weights that are numbers and symmetric, -1 for antisymmetric ones, 0 if not."""
    if not isinstance(w, tuple):
        return 0
    back = w[::-1]
    return 1 if w == back else -1 if w == tuple(-c for c in back) else 0


@public
def correlate(
    input: Any,
    weights: Any,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Correlate an image with weights in several dimensions.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    weights : array
        The weights, with a dimension for each of `axes`.
    output, mode, cval
        As for `correlate1d`.
    origin : int or sequence of int, optional
        The shift of the window, of all axes or of each.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        The sum over the window of weights times elements, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    A product for each weight and element. Differentiable with respect to `input` and `weights`.

    Differs from SciPy: as for `correlate1d`; and SciPy's routine leaves weights below 2.2e-16 out,
    so that NaN and infinities under zeros don't count. `origin` follows the order of `axes`, also
    where these are all of the image's.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import correlate
    >>> correlate(np.eye(3), [[0, 1], [1, 0]], mode="constant")
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    x, w, dtype = _window("correlate", input, weights, output)
    axes, origins = _in_order("correlate", x, w, axes, origin)
    return _around("correlate", x, _conjugate(w), dtype, mode, cval, origins, axes)


@public
def convolve(
    input: Any,
    weights: Any,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Convolve an image with weights in several dimensions.

    Parameters
    ----------
    input, weights, output, mode, cval, origin, axes
        As for `correlate`.

    Returns
    -------
    array
        The convolution, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    As for `correlate`, which gets the weights from the last to the first.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import convolve
    >>> convolve(np.eye(3), [[0, 1], [1, 0]], mode="constant")
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    x, w, dtype = _window("convolve", input, weights, output)
    axes, origins = _in_order("convolve", x, w, axes, origin)
    origins = [-o - 1 + n % 2 for o, n in zip(origins, shape_of(w), strict=True)]
    w = flipped(w)
    return _around("convolve", x, w, dtype, mode, cval, origins, axes)


def _in_order(
    function: str, x: Any, w: Any, axes: Any, origin: Any
) -> tuple[tuple[int, ...], list[int]]:
    """Return the axes of a window in ascending order, as weights have them, and their origins."""
    axes = axes_of(function, axes, x.ndim)
    shape = shape_of(w)
    if len(shape) != len(axes) or 0 in shape:
        raise ImageError(
            f"{function}: weights must have a dimension of at least one element for each of "
            f"{len(axes)} axes, got the shape {shape}"
        )
    shifts = for_each(function, "origin", origin, len(axes))
    pairs = sorted(zip(axes, (integer(function, "origin", o) for o in shifts), strict=True))
    return tuple(a for a, _ in pairs), [o for _, o in pairs]


def _window(function: str, input: Any, weights: Any, output: Any) -> tuple[Any, Any, Any]:
    x = image(function, input)
    if isinstance(weights, list | tuple) and _real_numbers(weights):
        w = given(function, "weights", x, weights, float)
    else:
        w = beside(function, ("input", "weights"), x, weights)
    return x, w, _result(function, x, w, output)


def _real_numbers(v: Any) -> bool:
    """Tell whether nested lists hold Python's real numbers, which stay settings."""
    return all(map(_real_numbers, v)) if isinstance(v, list | tuple) else type(v) in (int, float)


def _around(
    function: str,
    x: Any,
    w: Any,
    dtype: Any,
    mode: Any,
    cval: Any,
    origins: list[int],
    axes: tuple[int, ...],
) -> Any:
    mode = mode_of(function, mode)
    _fits(function, x, cval)
    for o, n in zip(origins, shape_of(w), strict=True):
        origin_of(function, o, n)
    w, shifts = in_all(w, axes, x.ndim), [0] * x.ndim
    for axis, o in zip(axes, origins, strict=True):
        shifts[axis] = o
    v = in_dtype(x, dtype)
    found = _correlate(v, w, None, mode, cval, tuple(shifts))
    return found if v.dtype == dtype else stored(array_namespace(x), found, dtype)


def _with_image(x: Any, w: Any, none: None, mode: str, *rest: Any) -> Lines:
    return on_blocks(x, shape_of(w), (mode,) * x.ndim)


@native(
    numpy="scipy.ndimage:correlate",
    torch="scipy.ndimage:correlate",
    cupy="cupyx.scipy.ndimage:correlate",
    when={"numpy": _plain, "torch": _plain, "cupy": _plain_arrays},
    blocks=_with_image,
)
def _correlate(x: Any, w: Any, none: None, mode: str, cval: Any, origins: tuple[int, ...]) -> Any:
    xp, kept, shape = array_namespace(x), x.dtype, shape_of(w)
    if isinstance(w, tuple):
        weights = list(places(w, float))
    else:
        weights = [(place, w[place]) for place in itertools.product(*map(range, shape))]

    def body(v: Any) -> Any:
        ends = tuple(m - n + 1 for m, n in zip(v.shape, shape, strict=True))
        total: Any = None
        for place, weight in weights:
            part = weight * v[slices(place, ends)]
            total = part if total is None else total + part
        return stored(xp, total, kept)

    pairs = enumerate(zip(shape, origins, strict=True))
    reach = {axis: (n // 2 + o, n - 1 - n // 2 - o) for axis, (n, o) in pairs}
    modes = dict.fromkeys(reach, mode)
    return stored(xp, in_windows(body, working(xp, x), reach, modes, cval), kept)
