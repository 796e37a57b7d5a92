"""Gaussian filters and their derivatives."""

import functools
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, is_neutral
from ..._native import public
from ...errors import ArgumentError
from ...transforms import stop_gradient
from .._base._arguments import (
    axes_of,
    beside,
    dtype_of,
    for_each,
    image,
    integer,
    mode_of,
    modes_of,
    number,
)
from .._base._dtypes import copied, stored
from ._correlation import correlated

__all__ = ["gaussian_filter", "gaussian_filter1d"]


@public
def gaussian_filter1d(
    input: Any,
    sigma: Any,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Any:
    """Smooth an image by a Gaussian along one axis, or take a derivative of the smooth image.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    sigma : float
        The standard deviation of the Gaussian, in elements.
    axis : int, optional
        The axis. Default: the last one.
    order : int, optional
        The order of the derivative. Default: 0, the smooth image.
    output, mode, cval
        As for `correlate1d`.
    truncate : float, optional
        The Gaussian is cut off at so many standard deviations.
    radius : int, optional
        The Gaussian is cut off after so many elements, in place of `truncate`. Required where
        `sigma` has no value yet, as under `jit`.

    Returns
    -------
    array
        The filtered image, with the shape of `input`.

    Raises
    ------
    ArgumentError
        If `order` or `radius` is negative, or not an integer.
    ImageError, NotSupported
        As for `correlate1d`.

    Notes
    -----
    ``2 radius + 1`` products an element. Weights of derivatives are those of the Gaussian times
    Hermite polynomials. Differentiable with respect to `input` and `sigma`, for one radius.

    Differs from SciPy: as for `correlate1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import gaussian_filter1d
    >>> gaussian_filter1d(np.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), 1).round(4)
    array([1.427 , 2.0678, 3.    , 3.9322, 4.573 ])
    """
    x = image("gaussian_filter1d", input)
    (axis,) = _plan.axis_tuple("gaussian_filter1d", "axis", axis, x.ndim)
    dtype, mode = dtype_of("gaussian_filter1d", x, output), mode_of("gaussian_filter1d", mode)
    w = _weights("gaussian_filter1d", x, sigma, order, truncate, radius)
    return correlated(x, w, axis, dtype, mode, cval, 0)


@public
def gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    """Smooth an image by a Gaussian, or take derivatives of the smooth image.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    sigma : float or sequence of float
        The standard deviation of the Gaussian in elements, of all axes or of each.
    order : int or sequence of int, optional
        The order of the derivative, along all axes or each. Default: 0, the smooth image.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    mode : str or sequence of str, optional
        The elements beyond the borders, as for `correlate1d`, of all axes or of each.
    cval : number, optional
        The elements beyond the borders in the mode 'constant'.
    truncate : float, optional
        The Gaussian is cut off at so many standard deviations.
    radius : int or sequence of int, optional
        The Gaussian is cut off after so many elements, in place of `truncate`. Required where
        `sigma` has no value yet, as under `jit`.
    axes : int or sequence of int, optional
        The axes of the image; all others are a batch. Default: all.

    Returns
    -------
    array
        The filtered image, with the shape of `input`.

    Raises
    ------
    ArgumentError
        If an `order` or a `radius` is negative, or not an integer.
    ImageError
        If values are neither one nor one for each axis, or there is no such mode.
    NotSupported
        If `output` is an array.

    Notes
    -----
    One axis after the other, ``2 radius + 1`` products an element each; results of integers lose
    their fraction after each axis. An axis with `sigma` 0 is left alone. Differentiable with
    respect to `input` and `sigma`, for one radius.

    Differs from SciPy: as for `correlate1d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import gaussian_filter
    >>> gaussian_filter(np.eye(3), 1).round(3)
    array([[0.502, 0.329, 0.168],
           [0.329, 0.342, 0.329],
           [0.168, 0.329, 0.502]])
    """
    return gaussian(
        "gaussian_filter", input, sigma, order, output, mode, cval, truncate, radius, axes
    )


def gaussian(
    function: str,
    input: Any,
    sigma: Any,
    order: Any,
    output: Any,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
    axes: Any,
) -> Any:
    """Filter one axis after the other, in the name of a function."""
    x = image(function, input)
    dtype, axes = dtype_of(function, x, output), axes_of(function, axes, x.ndim)
    given = (for_each(function, n, v, len(axes)) for n, v in (("sigma", sigma), ("order", order)))
    sigmas, orders = given
    modes, radii = (
        modes_of(function, mode, len(axes)),
        for_each(function, "radius", radius, len(axes)),
    )
    number(function, "cval", cval)
    found = x
    for axis, s, n, m, r in zip(axes, sigmas, orders, modes, radii, strict=True):
        if is_neutral(number(function, "sigma", s)) and 0.0 <= float(s) <= 1e-15:
            continue
        found = correlated(found, _weights(function, x, s, n, truncate, r), axis, dtype, m, cval, 0)
    if found is x:
        xp = array_namespace(x)
        return copied(xp, stored(xp, x, dtype))
    return found


def _weights(function: str, x: Any, sigma: Any, order: Any, truncate: Any, radius: Any) -> Any:
    """Return weights along one axis: numbers, or an array if the deviation is one."""
    order = integer(function, "order", order)
    if order < 0:
        raise ArgumentError(f"{function}: order must not be negative, got {order}")
    known = is_neutral(number(function, "sigma", sigma))
    if known and not float(sigma) >= 0.0:
        raise ArgumentError(f"{function}: sigma must not be negative or NaN, got {sigma!r}")
    if radius is None:
        if not known and not is_concrete(sigma):
            raise ArgumentError(
                f"{function}: radius must be given where sigma has no value yet, as under jit: the "
                "number of weights depends on it. Pass radius=int(4 * largest + 0.5), say."
            )
        reach = float(number(function, "truncate", truncate)) * float(stop_gradient(sigma)) + 0.5
        if not math.isfinite(reach):
            raise ArgumentError(f"{function}: sigma and truncate must be finite, got {sigma!r}")
        radius = int(reach)
    if integer(function, "radius", radius) < 0:
        raise ArgumentError(f"{function}: radius must not be negative, got {radius}")
    if known:
        return _of_number(float(sigma), order, int(radius))
    return _of_array(beside(function, ("input", "sigma"), x, sigma), order, int(radius))


def _hermite(order: int) -> list[float]:
    """Return the factor of the derivative for each power of x / s, in units of s: (-1)^n He_n."""
    q = [1.0]
    for _ in range(order):
        slope = [k * q[k] for k in range(1, len(q))] + [0.0, 0.0]
        q = [slope[k] - (q[k - 1] if k else 0.0) for k in range(len(q) + 1)]
    return q


@functools.lru_cache(maxsize=256)
def _of_number(sigma: float, order: int, radius: int) -> tuple[float, ...]:
    at = [k / sigma for k in range(-radius, radius + 1)] if sigma else [0.0]
    phi = [math.exp(-0.5 * t * t) for t in at]
    total = math.fsum(phi)
    q = _hermite(order)
    factors = [sum(c * t**k for k, c in enumerate(q)) / (sigma or 1.0) ** order for t in at]
    # From the last to the first: a correlation with them is a convolution with the derivative.
    return tuple(p / total * f for p, f in zip(phi, factors, strict=True))[::-1]


def _of_array(sigma: Any, order: int, radius: int) -> Any:
    xp = array_namespace(sigma)
    t = xp.arange(-radius, radius + 1, dtype=sigma.dtype, device=device(sigma)) / sigma
    phi = xp.exp(-0.5 * t * t)
    factor = sum(c * t**k for k, c in enumerate(_hermite(order)))
    return xp.flip(phi / xp.sum(phi) * factor / sigma**order)
