"""Filters of Fourier transforms."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral
from ..._native import native, public
from ...errors import DtypeError, NotSupported
from ...special import j1
from .._base._arguments import beside, dtype_of, for_each, holds_arrays, image, integer
from .._base._dtypes import stored, usual

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]


@public
def fourier_gaussian(
    input: Any, sigma: Any, n: int = -1, axis: int = -1, output: Any = None
) -> Any:
    """Multiply a Fourier transform by that of a Gaussian.

    Parameters
    ----------
    input : array
        The transform, complex or real.
    sigma : float or sequence of float
        The standard deviation of the Gaussian in elements, of all axes or of each.
    n : int, optional
        The length of the image along `axis`, if the transform is that of real numbers there.
        Default: it is a complex one.
    axis : int, optional
        The axis of the transform of real numbers. Default: the last one.
    output : dtype, optional
        The dtype of the result, a floating one. Default: that of `input`, of integers float64.

    Returns
    -------
    array
        The filtered transform, with the shape of `input`.

    Raises
    ------
    ImageError
        If `sigma` is neither one nor one for each axis.
    DtypeError
        If `output` is no floating dtype.
    NotSupported
        If `output` is an array.

    Notes
    -----
    A product an element for each axis. Differentiable with respect to `input` and `sigma`.

    Differs from SciPy: factors are computed in the floating dtype of `input`, and those below
    exp(-50) aren't zero, except by SciPy's routine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import fourier_gaussian
    >>> fourier_gaussian(np.ones(4), 1).round(4)
    array([1.    , 0.2912, 0.0072, 0.2912])
    """
    return _scaled("fourier_gaussian", "sigma", _gaussian, input, sigma, n, axis, output)


@public
def fourier_uniform(input: Any, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> Any:
    """Multiply a Fourier transform by that of a box.

    Parameters
    ----------
    input : array
        The transform, complex or real.
    size : float or sequence of float
        The size of the box in elements, of all axes or of each.
    n, axis, output
        As for `fourier_gaussian`.

    Returns
    -------
    array
        The filtered transform, with the shape of `input`.

    Raises
    ------
    ImageError, DtypeError, NotSupported
        As for `fourier_gaussian`.

    Notes
    -----
    A product an element for each axis. Differentiable with respect to `input` and `size`. A size up
    to 0 keeps the zero frequency only.

    Differs from SciPy: factors are computed in the floating dtype of `input`, except by SciPy's
    routine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import fourier_uniform
    >>> fourier_uniform(np.ones(4), 2).round(4)
    array([1.    , 0.6366, 0.    , 0.6366])
    """
    return _scaled("fourier_uniform", "size", _uniform, input, size, n, axis, output)


@public
def fourier_ellipsoid(
    input: Any, size: Any, n: int = -1, axis: int = -1, output: Any = None
) -> Any:
    """Multiply a Fourier transform by that of an ellipsoid.

    Parameters
    ----------
    input : array
        The transform, complex or real, of up to three dimensions.
    size : float or sequence of float
        The size of the ellipsoid in elements, of all axes or of each.
    n, axis, output
        As for `fourier_gaussian`.

    Returns
    -------
    array
        The filtered transform, with the shape of `input`.

    Raises
    ------
    NotSupported
        If `input` has more than three dimensions, or `output` is an array.
    ImageError, DtypeError
        As for `fourier_gaussian`.

    Notes
    -----
    With r the frequencies' length, sin(r) / r in one dimension, 2 J1(r) / r in two, and
    3 (sin(r) - r cos(r)) / r^3 in three. Differentiable with respect to `input` and `size`.

    Differs from SciPy: as for `fourier_uniform`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import fourier_ellipsoid
    >>> fourier_ellipsoid(np.ones((2, 2)), 1).round(4)
    array([[1.    , 0.7217],
           [0.7217, 0.4977]])
    """
    return _scaled("fourier_ellipsoid", "size", _ellipsoid, input, size, n, axis, output)


@public
def fourier_shift(input: Any, shift: Any, n: int = -1, axis: int = -1, output: Any = None) -> Any:
    """Multiply a Fourier transform by that of a shift.

    Parameters
    ----------
    input : array
        The transform, complex or real.
    shift : float or sequence of float
        By how many elements the image is shifted, along all axes or each.
    n, axis
        As for `fourier_gaussian`.
    output : dtype, optional
        The dtype of the result, a complex one. Default: that of `input` if complex, of float32
        complex64, else complex128.

    Returns
    -------
    array
        The filtered transform, with the shape of `input`.

    Raises
    ------
    ImageError, DtypeError, NotSupported
        As for `fourier_gaussian`.

    Notes
    -----
    A complex product an element. Differentiable with respect to `input` and `shift`.

    Differs from SciPy: float32 becomes complex64; otherwise as for `fourier_uniform`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import fourier_shift
    >>> np.fft.ifft(fourier_shift(np.fft.fft([1.0, 2.0, 3.0, 4.0]), 1)).real.round(12)
    array([4., 1., 2., 3.])
    """
    return _scaled("fourier_shift", "shift", _shift, input, shift, n, axis, output)


def _scaled(
    function: str, name: str, step: Any, input: Any, values: Any, n: Any, axis: Any, output: Any
) -> Any:
    x = image(function, input)
    if step is _ellipsoid and x.ndim > 3:
        raise NotSupported(
            f"{function}: input must have up to 3 dimensions, got {x.ndim}. Filter parts of it."
        )
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    n = integer(function, "n", n)
    dtype = _dtype(function, x, output, step is _shift)
    is_known = is_neutral(values) and not holds_arrays(values)
    if is_known and _plan.kind_of(function, name, values) is not complex:
        given: Any = tuple(map(float, for_each(function, name, values, x.ndim)))
    else:
        given = beside(function, ("input", name), x, values)
        if given.shape not in ((), (x.ndim,)):
            for_each(function, name, [0.0] * given.shape[0], x.ndim)  # the error
    x = array_namespace(x).astype(x, dtype, copy=False)
    return x[...] if 0 in x.shape else step(x, given, n, axis)


def _dtype(function: str, x: Any, output: Any, shifts: bool) -> Any:
    """Return the dtype of a result: floating, and complex of a shift."""
    xp = array_namespace(x)
    known = xp.__array_namespace_info__().dtypes(device=device(x))
    kinds = ("complex floating",) if shifts else ("complex floating", "real floating")
    if output is None:
        if xp.isdtype(x.dtype, kinds):
            return x.dtype
        if x.dtype == xp.float32:
            return xp.complex64
        wide, narrow = ("complex128", "complex64") if shifts else ("float64", "float32")
        return known.get(wide, known.get(narrow))
    dtype = dtype_of(function, x, output)
    if not xp.isdtype(dtype, kinds) or (
        _plan.is_complex(xp, x.dtype) and not _plan.is_complex(xp, dtype)
    ):
        raise DtypeError(
            f"{function}: output must be a {'complex' if shifts else 'floating'} dtype that holds "
            f"the input, got {output!r}"
        )
    return dtype


def _numbers(x: Any, values: Any, *options: Any) -> bool:
    """settings that are numbers."""
    return type(values) is tuple and usual(x)


def _frequencies(x: Any, values: Any, n: int, axis: int) -> list[tuple[Any, Any, int]]:
    """Return the frequencies along each axis in its shape, its setting and the image's length."""
    xp = array_namespace(x)
    real = xp.real(x[..., :0]).dtype if _plan.is_complex(xp, x.dtype) else x.dtype
    if not isinstance(values, tuple):
        values = stored(array_namespace(x, values), values, real)  # as numbers would be
        one = values.ndim == 0
        values = [values if one else values[a] for a in range(x.ndim)]
    found = []
    for a, size in enumerate(x.shape):
        half = a == axis and n >= 0
        k = [i if half or i < (size + 1) // 2 else i - size for i in range(size)]
        shape = tuple(size if other == a else 1 for other in range(x.ndim))
        at = xp.reshape(xp.asarray(k, dtype=real, device=device(x)), shape)
        found.append((at, values[a], n if half else size))
    return found


@native(
    numpy="scipy.ndimage:fourier_gaussian",
    torch="scipy.ndimage:fourier_gaussian",
    cupy="cupyx.scipy.ndimage:fourier_gaussian",
    when=_numbers,
)
def _gaussian(x: Any, sigma: Any, n: int, axis: int) -> Any:
    xp = array_namespace(x)
    for k, s, size in _frequencies(x, sigma, n, axis):
        if k.shape != (1,) * x.ndim:
            t = s * (math.pi / size) * k
            x = x * xp.exp(-2.0 * t * t)
    return x


def _sinc(k: Any, t: Any) -> Any:
    """Return sin(k t) / (k t) for frequencies, 1 at k = 0; 0 elsewhere for t <= 0."""
    xp = array_namespace(k, t)
    zero = k == 0.0
    z = k * t
    some = z != 0.0
    ratio = xp.where(some, xp.sin(z) / xp.where(some, z, xp.ones_like(z)), xp.zeros_like(z))
    return xp.where(zero, xp.ones_like(z), xp.where(k * z > 0.0, ratio, xp.zeros_like(z)))


@native(
    numpy="scipy.ndimage:fourier_uniform",
    torch="scipy.ndimage:fourier_uniform",
    cupy="cupyx.scipy.ndimage:fourier_uniform",
    when=_numbers,
)
def _uniform(x: Any, sizes: Any, n: int, axis: int) -> Any:
    for k, s, size in _frequencies(x, sizes, n, axis):
        if k.shape != (1,) * x.ndim:
            x = x * _sinc(k, s * (math.pi / size))
    return x


@native(
    numpy="scipy.ndimage:fourier_ellipsoid",
    torch="scipy.ndimage:fourier_ellipsoid",
    cupy="cupyx.scipy.ndimage:fourier_ellipsoid",
    when=_numbers,
)
def _ellipsoid(x: Any, sizes: Any, n: int, axis: int) -> Any:
    xp = array_namespace(x)
    square: Any = 0.0
    for k, s, size in _frequencies(x, sizes, n, axis):
        t = s * (math.pi / (size or 1)) * k
        square = square + t * t
    zero = square == 0.0
    r = xp.sqrt(xp.where(zero, xp.ones_like(square), square))
    if x.ndim == 1:
        factor = xp.sin(r) / r
    elif x.ndim == 2:
        factor = 2.0 * j1(r) / r
    else:
        factor = 3.0 * (xp.sin(r) - r * xp.cos(r)) / (r * r * r)
    return x * xp.where(zero, xp.ones_like(factor), factor)


@native(
    numpy="scipy.ndimage:fourier_shift",
    torch="scipy.ndimage:fourier_shift",
    cupy="cupyx.scipy.ndimage:fourier_shift",
    when=_numbers,
)
def _shift(x: Any, shifts: Any, n: int, axis: int) -> Any:
    xp = array_namespace(x)
    for k, s, size in _frequencies(x, shifts, n, axis):
        if k.shape != (1,) * x.ndim:
            angle = s * (-2.0 * math.pi / size) * k
            x = x * (xp.astype(xp.cos(angle), x.dtype) + xp.astype(xp.sin(angle), x.dtype) * 1j)
    return x
