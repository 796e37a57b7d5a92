"""Derivatives of images by differences and by Gaussians, and what is made of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace
from ..._native import Lines, native, public
from .._base._arguments import axes_of, dtype_of, for_each, image, modes_of, number
from .._base._dtypes import copied, stored, working
from .._base._pieces import on_blocks
from ._correlation import correlated
from ._gaussian import gaussian
from ._uniform import real

__all__ = [
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "prewitt",
    "sobel",
]


@public
def sobel(
    input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    """Take Sobel's difference along one axis, smoothed along all others.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    axis : int, optional
        The axis of the difference. Default: the last one.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    mode : str or sequence of str, optional
        The elements beyond the borders, as for `correlate1d`, of all axes or of each.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.

    Returns
    -------
    array
        The correlation with -1, 0, 1 along `axis`, and with 1, 2, 1 along each other one, with the
        shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    Differentiable.

    Differs from SciPy: as for `correlate1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import sobel
    >>> sobel(np.asarray([[1, 2, 4], [1, 3, 9]]))
    array([[ 5, 17, 12],
           [ 7, 27, 20]])
    """
    return _edges("sobel", _sobel, 2.0, input, axis, output, mode, cval)


@public
def prewitt(
    input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    """Take Prewitt's difference along one axis, summed along all others.

    Parameters
    ----------
    input, axis, output, mode, cval
        As for `sobel`.

    Returns
    -------
    array
        The correlation with -1, 0, 1 along `axis`, and with 1, 1, 1 along each other one, with the
        shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `sobel`.

    Notes
    -----
    As for `sobel`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import prewitt
    >>> prewitt(np.asarray([[1, 2, 4], [1, 3, 9]]))
    array([[ 4, 14, 10],
           [ 5, 19, 14]])
    """
    return _edges("prewitt", _prewitt, 1.0, input, axis, output, mode, cval)


def _edges(
    function: str, step: Any, middle: float, x: Any, axis: Any, output: Any, mode: Any, cval: Any
) -> Any:
    x = image(function, x)
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    dtype, modes = dtype_of(function, x, output), modes_of(function, mode, x.ndim)
    number(function, "cval", cval)
    if x.dtype == dtype:
        return step(x, axis, None, modes, cval)
    return _differences(x, middle, axis, dtype, modes, cval)


def _differences(
    x: Any, middle: float, axis: int, dtype: Any, modes: tuple[str, ...], cval: Any
) -> Any:
    x = correlated(x, (-1.0, 0.0, 1.0), axis, dtype, modes[axis], cval, 0)
    for other in range(x.ndim):
        if other != axis:
            x = correlated(x, (1.0, middle, 1.0), other, dtype, modes[other], cval, 0)
    return x


def _of_three(x: Any, axis: int, none: None, modes: tuple[str, ...], cval: Any) -> Lines:
    return on_blocks(x, (3,) * x.ndim, modes)


@native(
    numpy="scipy.ndimage:sobel",
    torch="scipy.ndimage:sobel",
    cupy="cupyx.scipy.ndimage:sobel",
    when=real,
    blocks=_of_three,
)
def _sobel(x: Any, axis: int, none: None, modes: tuple[str, ...], cval: Any) -> Any:
    return _differences(x, 2.0, axis, x.dtype, modes, cval)


@native(
    numpy="scipy.ndimage:prewitt",
    torch="scipy.ndimage:prewitt",
    cupy="cupyx.scipy.ndimage:prewitt",
    when=real,
    blocks=_of_three,
)
def _prewitt(x: Any, axis: int, none: None, modes: tuple[str, ...], cval: Any) -> Any:
    return _differences(x, 1.0, axis, x.dtype, modes, cval)


@public
def generic_laplace(
    input: Any,
    derivative2: Callable[..., Any],
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Any = None,
) -> Any:
    """Sum second derivatives along the axes, as a function gives them.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    derivative2 : callable
        ``derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)`` returns
        the second derivative along an axis; `output` is the dtype of the result.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    mode : str or sequence of str, optional
        The elements beyond the borders, as for `correlate1d`, of all axes or of each.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    extra_arguments : sequence, optional
        More arguments of the function.
    extra_keywords : dict, optional
        More keyword arguments of the function.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        The sum, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    Differentiable if the function is.

    Differs from SciPy: the function never gets an array as `output`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import correlate1d, generic_laplace
    >>> def second(x, axis, output, mode, cval):
    ...     return correlate1d(x, [1, -2, 1], axis, output, mode, cval)
    >>> generic_laplace(np.asarray([1, 4, 9, 16]), second)
    array([ 3,  2,  2, -7])
    """
    x, dtype, axes, modes = _each("generic_laplace", input, output, mode, axes)
    more = dict(extra_keywords or {})
    parts = [
        derivative2(x, axis, dtype, m, cval, *extra_arguments, **more)
        for axis, m in zip(axes, modes, strict=True)
    ]
    return _total(x, parts, dtype)


def _each(
    function: str, input: Any, output: Any, mode: Any, axes: Any
) -> tuple[Any, Any, tuple[int, ...], tuple[str, ...]]:
    x = image(function, input)
    dtype, axes = dtype_of(function, x, output), axes_of(function, axes, x.ndim)
    return x, dtype, axes, modes_of(function, mode, len(axes))


def _total(x: Any, parts: Sequence[Any], dtype: Any) -> Any:
    """Return a sum of derivatives, or the image where it has no axes."""
    xp = array_namespace(x)
    if not parts:
        return copied(xp, stored(xp, x, dtype))
    total = parts[0]
    for part in parts[1:]:
        total = total | part if part.dtype == xp.bool else total + part
    return stored(xp, total, dtype)


@public
def laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    """Sum second differences along the axes.

    Parameters
    ----------
    input, output, mode, cval, axes
        As for `generic_laplace`.

    Returns
    -------
    array
        The sum of correlations with 1, -2, 1, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    Differentiable.

    Differs from SciPy: as for `correlate1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import laplace
    >>> laplace(np.asarray([[1, 2, 4], [1, 3, 9]]))
    array([[  1,   2,   3],
           [  2,   3, -11]])
    """
    x, dtype, axes, modes = _each("laplace", input, output, mode, axes)
    number("laplace", "cval", cval)
    if x.dtype == dtype and x.ndim and axes == tuple(range(x.ndim)):
        return _laplace(x, None, modes, cval)
    return _second_differences(x, axes, dtype, modes, cval)


def _second_differences(
    x: Any, axes: tuple[int, ...], dtype: Any, modes: tuple[str, ...], cval: Any
) -> Any:
    each = zip(axes, modes, strict=True)
    parts = [correlated(x, (1.0, -2.0, 1.0), axis, dtype, m, cval, 0) for axis, m in each]
    return _total(x, parts, dtype)


def _around_three(x: Any, none: None, modes: tuple[str, ...], cval: Any) -> Lines:
    return on_blocks(x, (3,) * x.ndim, modes)


@native(
    numpy="scipy.ndimage:laplace",
    torch="scipy.ndimage:laplace",
    cupy="cupyx.scipy.ndimage:laplace",
    when=real,
    blocks=_around_three,
)
def _laplace(x: Any, none: None, modes: tuple[str, ...], cval: Any) -> Any:
    return _second_differences(x, tuple(range(x.ndim)), x.dtype, modes, cval)


@public
def gaussian_laplace(
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> Any:
    """Sum the second derivatives of an image that is smoothed by a Gaussian.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    sigma : float or sequence of float
        The standard deviation of the Gaussian in elements, of all axes or of each.
    output, mode, cval, axes
        As for `generic_laplace`; a derivative has its axis' mode at all borders.
    **kwargs
        `truncate` and `radius` of `gaussian_filter`.

    Returns
    -------
    array
        The sum, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `gaussian_filter`.

    Notes
    -----
    A Gaussian filter for each axis. Differentiable with respect to `input` and `sigma`.

    Differs from SciPy: as for `correlate1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import gaussian_laplace
    >>> gaussian_laplace(np.asarray([0.0, 0.0, 1.0, 0.0, 0.0]), 1).round(3)
    array([ 0.197,  0.002, -0.399,  0.002,  0.197])
    """
    parts, x, dtype = _smooth("gaussian_laplace", 2, input, sigma, output, mode, cval, axes, kwargs)
    return _total(x, parts, dtype)


def _smooth(
    function: str,
    order: int,
    input: Any,
    sigma: Any,
    output: Any,
    mode: Any,
    cval: Any,
    axes: Any,
    options: dict[str, Any],
) -> tuple[list[Any], Any, Any]:
    """Return derivatives of a smooth image along each axis, the image and the dtype."""
    x, dtype, axes, modes = _each(function, input, output, mode, axes)
    sigmas = for_each(function, "sigma", sigma, len(axes))
    unknown = set(options) - {"truncate", "radius"}
    if unknown:
        raise TypeError(f"{function}: unexpected keyword arguments: {', '.join(sorted(unknown))}")
    truncate, radius = options.get("truncate", 4.0), options.get("radius")
    parts = []
    for axis, m in zip(axes, modes, strict=True):
        orders = [order if other == axis else 0 for other in axes]
        parts.append(gaussian(function, x, sigmas, orders, dtype, m, cval, truncate, radius, axes))
    return parts, x, dtype


@public
def generic_gradient_magnitude(
    input: Any,
    derivative: Callable[..., Any],
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Any = None,
) -> Any:
    """Take the length of the gradient, as a function gives the derivatives.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    derivative : callable
        ``derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)`` returns
        the derivative along an axis; `output` is the dtype of the result.
    output, mode, cval, extra_arguments, extra_keywords, axes
        As for `generic_laplace`.

    Returns
    -------
    array
        The root of the sum of squares, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    Squares of integers wrap around, as SciPy's. Differentiable, if the function is, where the
    gradient isn't zero.

    Differs from SciPy: the function never gets an array as `output`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import generic_gradient_magnitude, sobel
    >>> generic_gradient_magnitude(np.asarray([[1.0, 2.0, 4.0], [1.0, 3.0, 9.0]]), sobel).round(2)
    array([[ 5.1 , 18.38, 20.  ],
           [ 7.07, 27.89, 25.61]])
    """
    x, dtype, axes, modes = _each("generic_gradient_magnitude", input, output, mode, axes)
    more = dict(extra_keywords or {})
    parts = [
        derivative(x, axis, dtype, m, cval, *extra_arguments, **more)
        for axis, m in zip(axes, modes, strict=True)
    ]
    return _length(x, parts, dtype)


def _length(x: Any, parts: list[Any], dtype: Any) -> Any:
    if not parts:
        return _total(x, parts, dtype)
    xp = array_namespace(x)
    total = working(xp, stored(xp, _squares(parts), dtype))
    return stored(xp, xp.sqrt(total), dtype)


def _squares(parts: list[Any]) -> Any:
    """Return the sum of squares of parts, which are taken out of the list: memory."""
    total: Any = None
    while parts:
        part = parts.pop(0)
        part = part * part
        if total is None:
            total = part
        elif part.dtype == array_namespace(part).bool:
            total = total | part
        else:
            total += part
    return total


@public
def gaussian_gradient_magnitude(
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> Any:
    """Take the length of the gradient of an image that is smoothed by a Gaussian.

    Parameters
    ----------
    input, sigma, output, mode, cval, axes, **kwargs
        As for `gaussian_laplace`.

    Returns
    -------
    array
        The root of the sum of squares, with the shape of `input`.

    Raises
    ------
    ArgumentError, ImageError, NotSupported
        As for `gaussian_filter`.

    Notes
    -----
    A Gaussian filter for each axis. Differentiable, with respect to `input` and `sigma`, where the
    gradient isn't zero.

    Differs from SciPy: axes of a batch aren't smoothed; otherwise as for `correlate1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import gaussian_gradient_magnitude
    >>> gaussian_gradient_magnitude(np.asarray([0.0, 0.0, 1.0, 0.0, 0.0]), 1).round(3)
    array([0.095, 0.241, 0.   , 0.241, 0.095])
    """
    function = "gaussian_gradient_magnitude"
    parts, x, dtype = _smooth(function, 1, input, sigma, output, mode, cval, axes, kwargs)
    return _length(x, parts, dtype)
