"""Functions next to the elementary ones: exponentials less their first terms, cbrt and sinc."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from ..missing._calculus import _sinc as sine_over_itself
from ._function import elementwise, real
from ._polynomial import polynomial

__all__ = ["cbrt", "expm1", "exprel", "exprel_slope", "sinc"]


# -- exponentials ----------------------------------------------------------------------------------


@elementwise(
    derivatives=(lambda y, x: array_namespace(x).exp(x),),
    complex=True,
    numpy="numpy:expm1",
    torch="torch:expm1",
    when=real,
)
def expm1(x: A) -> A:
    """Return ``exp(x) - 1``, accurate near zero.

    Parameters
    ----------
    x : array
        Real or complex, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    DtypeError
        If `x` doesn't hold numbers.

    Notes
    -----
    The array API standard's function. For complex numbers, ``expm1(a) cos(b) - 2 sin(b / 2)^2`` and
    ``exp(a) sin(b)``, so that the real part loses digits only next to its zeros. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import expm1
    >>> expm1(np.asarray([-np.inf, 0.0, 1e-20]))
    array([-1.e+00,  0.e+00,  1.e-20])
    """
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, "complex floating"):
        return xp.expm1(x)
    a, b = xp.real(x), xp.imag(x)
    sine = xp.sin(0.5 * b)
    return xp.expm1(a) * xp.cos(b) - 2 * sine * sine + 1j * xp.exp(a) * xp.sin(b)


# The derivative of exprel is the sum of (k + 1) x^k / (k + 2)!. Where abs(x) < 1/2, what is left
# out is below 2^-56 of it.
_SLOPE = tuple((k + 1) / math.factorial(k + 2) for k in range(13))


def exprel_slope(y: Any, x: Any) -> Any:
    """The derivative of exprel, (exp(x) - exprel(x)) / x, which loses digits below 1/2."""
    xp = array_namespace(x)
    near = xp.abs(x) < 0.5
    series = polynomial(_SLOPE, xp.where(near, x, xp.zeros_like(x)))
    far = xp.where(near, xp.ones_like(x), x)
    # Above, exp(x) = x y + 1, as the exponential overflows before y does.
    below = x < 0
    one = xp.where(near, xp.ones_like(y), y)
    head = xp.where(below, xp.exp(xp.where(below, x, xp.zeros_like(x))) / far, one + 1 / far)
    return xp.where(near, series, head - one / far)


def _box(y: Any, x: Any) -> Any:
    """A result that isn't close to the largest number."""
    return y < 1e300


@elementwise(
    derivatives=(exprel_slope,),
    box=_box,
    usual=((-1e300, 690.0),),
    numpy="scipy.special:exprel",
    torch="scipy.special:exprel",
)
def exprel(x: A) -> A:
    """Return the relative error exponential, ``(exp(x) - 1) / x``.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; 1 at 0.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    ``expm1(x) / x``; where the exponential overflows, ``exp(x / 2) / x * exp(x / 2)``.
    Differentiable; the derivative is a series where ``abs(x) < 1/2``.

    Differs from SciPy: finite up to 716.35, where SciPy's is infinite from 709.79 on.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import exprel
    >>> exprel(np.asarray([-np.inf, 0.0, 1.0])).round(6)
    array([0.      , 1.      , 1.718282])
    """
    xp = array_namespace(x)
    zero = x == 0
    safe = xp.where(zero, xp.ones_like(x), x)
    large = x > (80.0 if x.dtype == xp.float32 else 700.0)
    power = xp.expm1(xp.where(large, 0.5 * x, x))
    found = power / safe * xp.where(large, power, 1.0)
    found = xp.where(zero, xp.ones_like(x), found)
    return xp.where(x == xp.inf, x, found)


# -- roots and sines -------------------------------------------------------------------------------


@elementwise(
    derivatives=(lambda y, x: 1 / (3 * y * y),),
    numpy="scipy.special:cbrt",
    torch="scipy.special:cbrt",
)
def cbrt(x: A) -> A:
    """Return the real cube root.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; negative where `x` is.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A power and a step of Newton's method, which halves its error. Subnormal numbers are
    scaled first. Differentiable; at 0 the derivative is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import cbrt
    >>> cbrt(np.asarray([-8.0, 0.0, 27.0]))
    array([-2.,  0.,  3.])
    """
    xp = array_namespace(x)
    size = xp.abs(x)
    ordinary = (size > 0) & (size < xp.inf)
    small = size < 8 * xp.finfo(x.dtype).smallest_normal
    a = xp.where(ordinary, xp.where(small, size * 2.0**60, size), xp.ones_like(x))
    root = a ** (1 / 3)
    root = root - (root - a / (root * root)) / 3
    root = xp.where(small, root * 2.0**-20, root)
    return xp.where(ordinary, xp.copysign(root, x), x)


# sinc'(x) / pi = sum of (-1)^k 2k (pi x)^(2k - 1) / (2k + 1)!, for abs(pi x) < 1.
_SINC = tuple((-1) ** k * 2 * k / math.factorial(2 * k + 1) for k in range(1, 10))


def _sinc_slope(y: Any, x: Any) -> Any:
    """(cos(pi x) - sinc(x)) / x, which loses digits near 0."""
    xp = array_namespace(x)
    t = math.pi * x
    near = xp.abs(t) < 1
    inner = xp.where(near, t, xp.zeros_like(t))
    far = xp.where(near, xp.ones_like(x), x)
    series = math.pi * inner * polynomial(_SINC, inner * inner)
    return xp.where(near, series, (xp.cos(math.pi * far) - y) / far)


@elementwise(
    derivatives=(_sinc_slope,), complex=True, numpy="numpy:sinc", torch="torch:sinc", when=real
)
def sinc(x: A) -> A:
    """Return ``sin(pi x) / (pi x)``, which is 1 at 0.

    Parameters
    ----------
    x : array
        Real or complex, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    DtypeError
        If `x` doesn't hold numbers.

    Notes
    -----
    `likewise.missing.sinc`, with a derivative that keeps its digits next to 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import sinc
    >>> sinc(np.asarray([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    return sine_over_itself(x)
