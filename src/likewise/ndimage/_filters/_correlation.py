"""Correlation and convolution with weights, in one dimension and in several."""

import itertools
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_neutral
from ..._native import Lines, along, native, public
from ...errors import ImageError
from .._base._arguments import (
    axes_of,
    beside,
    dtype_of,
    for_each,
    image,
    integer,
    mode_of,
    origin_of,
    whole,
)
from .._base._borders import extended
from .._base._dtypes import stored, working

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "correlated"]


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
    if is_neutral(weights) and _plan.kind_of(function, "weights", weights) is not complex:
        w: Any = tuple(map(float, weights)) if isinstance(weights, list | tuple) else ()
        one = isinstance(weights, list | tuple) and not any(
            isinstance(v, list | tuple) for v in weights
        )
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
    if output is not None:
        raise ImageError(f"{function}: output must be a complex dtype, got {output!r}")
    return xp.complex64 if dtype in (xp.float32, xp.bool) else xp.complex128


def _conjugate(w: Any) -> Any:
    return array_namespace(w).conj(w) if _complex(w) else w


def _along(
    function: str, x: Any, w: Any, axis: Any, dtype: Any, mode: Any, cval: Any, origin: Any
) -> Any:
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    origin = origin_of(function, origin, _size(w))
    return correlated(x, w, axis, dtype, mode_of(function, mode), cval, origin)


def _in_dtype(x: Any, dtype: Any) -> Any:
    """Return an image as it is filtered for a result of a dtype: with all of its digits."""
    xp = array_namespace(x)
    if x.dtype == dtype:
        return x
    if xp.isdtype(dtype, ("real floating", "complex floating")):
        return xp.astype(x, dtype)
    return working(xp, x)


def correlated(x: Any, w: Any, axis: int, dtype: Any, mode: str, cval: Any, origin: int) -> Any:
    """Correlate along an axis, checked: weights are an array, or a tuple of numbers."""
    x = _in_dtype(x, dtype)
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
        and not _complex(w)
    )


def _in_blocks(x: Any, w: Any, axis: int, none: None, mode: str, *rest: Any) -> Lines:
    return along(x, (axis,), margins={} if whole(mode) else {axis: _size(w)})


@native(
    numpy="scipy.ndimage:correlate1d",
    torch="scipy.ndimage:correlate1d",
    cupy="cupyx.scipy.ndimage:correlate1d",
    when=_plain,
    blocks=_in_blocks,
)
def _correlate1d(x: Any, w: Any, axis: int, none: None, mode: str, cval: Any, origin: int) -> Any:
    xp, n, size = array_namespace(x), x.shape[axis], _size(w)
    before = size // 2 + origin
    v = extended(xp, working(xp, x), axis, before, size - 1 - before, mode, cval)
    at: list[Any] = [slice(None)] * x.ndim
    total: Any = None
    for k in range(size):
        at[axis] = slice(k, k + n)
        part = w[k] * v[tuple(at)]
        total = part if total is None else total + part
    return stored(xp, total, x.dtype)


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
    A product for each weight and element; weights that are zero, and known, take none.
    Differentiable with respect to `input` and `weights`.

    Differs from SciPy: as for `correlate1d`.

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
    return _around("correlate", x, _conjugate(w), dtype, mode, cval, origin, axes)


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
    origins = [
        -integer("convolve", "origin", o) - 1 + n % 2
        for o, n in zip(for_each("convolve", "origin", origin, w.ndim), w.shape, strict=True)
    ]
    w = array_namespace(w).flip(w)
    return _around("convolve", x, w, dtype, mode, cval, origins, axes)


def _window(function: str, input: Any, weights: Any, output: Any) -> tuple[Any, Any, Any]:
    x = image(function, input)
    w = beside(function, ("input", "weights"), x, weights)
    return x, w, _result(function, x, w, output)


def _around(
    function: str, x: Any, w: Any, dtype: Any, mode: Any, cval: Any, origin: Any, axes: Any
) -> Any:
    axes = axes_of(function, axes, x.ndim)
    if w.ndim != len(axes) or 0 in w.shape:
        raise ImageError(
            f"{function}: weights must have a dimension of at least one element for each of "
            f"{len(axes)} axes, got the shape {tuple(w.shape)}"
        )
    mode = mode_of(function, mode)
    given = for_each(function, "origin", origin, len(axes))
    origins = tuple(origin_of(function, o, n) for o, n in zip(given, w.shape, strict=True))
    w, shifts = _in_all(w, axes, x.ndim), [0] * x.ndim
    for axis, o in zip(axes, origins, strict=True):
        shifts[axis] = o
    v = _in_dtype(x, dtype)
    found = _correlate(v, w, None, mode, cval, tuple(shifts))
    return found if v.dtype == dtype else stored(array_namespace(x), found, dtype)


def _in_all(w: Any, axes: tuple[int, ...], ndim: int) -> Any:
    """Return a window along axes, the first one along the first of the image's axes, as SciPy."""
    xp = array_namespace(w)
    sizes = iter(w.shape)
    return xp.reshape(w, tuple(next(sizes) if i in axes else 1 for i in range(ndim)))


def _with_image(x: Any, w: Any, none: None, mode: str, *rest: Any) -> Lines:
    reach = {axis: n for axis, n in enumerate(w.shape) if n > 1}
    return along(x, tuple(reach), margins={} if whole(mode) else reach)


@native(
    numpy="scipy.ndimage:correlate",
    torch="scipy.ndimage:correlate",
    cupy="cupyx.scipy.ndimage:correlate",
    when=_plain,
    blocks=_with_image,
)
def _correlate(x: Any, w: Any, none: None, mode: str, cval: Any, origins: tuple[int, ...]) -> Any:
    xp = array_namespace(x, w)
    v = working(xp, x)
    for axis, (size, origin) in enumerate(zip(w.shape, origins, strict=True)):
        before = size // 2 + origin
        v = extended(xp, v, axis, before, size - 1 - before, mode, cval)
    total: Any = None
    for place in itertools.product(*map(range, w.shape)):
        at = tuple(slice(k, k + n) for k, n in zip(place, x.shape, strict=True))
        part = w[place] * v[at]
        total = part if total is None else total + part
    return stored(xp, total, x.dtype)
