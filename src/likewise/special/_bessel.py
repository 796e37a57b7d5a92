"""Bessel functions of orders 0 and 1.

Up to 5, each function is a smooth function times the distances of x from its zeros. The zeros are
stored to more than the working precision, so digits are kept next to them. Functions of the second
kind also contain the logarithm of x over the zero, times the function of the first kind (DLMF
10.8.1); y0 from 2.5 on is a polynomial times the distance from its second zero. Beyond 5, the
functions are the sine and the cosine of x with the factors P and Q of DLMF 10.17.3-4, which are
smooth in 25 / x^2; next to the infinitely many zeros there, the error is some units of the last
place of the argument. Coefficients are by ci/special/fit.py.
"""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from . import _bessel_fits as fits
from ._function import by_region, elementwise
from ._polynomial import polynomial, ratio
from ._two_parts import less

__all__ = ["j0", "j1", "y0", "y1"]

# J0 by its power series (DLMF 10.2.2) in x^2 / 4, where the product would accumulate roundings.
_J0_SERIES = tuple((-1) ** k / math.factorial(k) ** 2 for k in range(10))
_EDGE = 5.0  # beyond it P and Q are smooth enough
# Of J1 over x, half of that with a factor 1 / (k + 1).
_J1_SERIES = tuple(0.5 * c / (k + 1) for k, c in enumerate(_J0_SERIES))


# -- next to zeros ---------------------------------------------------------------------------------


def _squares(x: Any, zero: tuple[float, float]) -> Any:
    """The difference of the squares of x and of a zero."""
    return less(x, zero) * (x + sum(zero))


def _log_over(x: Any, zero: tuple[float, float]) -> Any:
    """The logarithm of x over a zero."""
    xp = array_namespace(x)
    off = less(x, zero) / sum(zero)
    close = xp.abs(off) < 0.5
    # A quotient of the tiniest numbers would lose digits.
    far = xp.where(x < 1e-30, xp.log(x) - math.log(sum(zero)), xp.log(x / sum(zero)))
    return xp.where(close, xp.log1p(off), far)


def _j0_near(x: Any) -> Any:
    xp = array_namespace(x)
    rest = polynomial(fits.J0, x * x * 0.08 - 1)
    found = _squares(x, fits.J0_ZERO) * _squares(x, fits.J0_SECOND) * rest
    return xp.where(xp.abs(x) < 1, polynomial(_J0_SERIES, 0.25 * x * x), found)


def _j1_over(x: Any) -> Any:
    """J1 over x."""
    rest = polynomial(fits.J1, x * x * 0.08 - 1)
    return _squares(x, fits.J1_ZERO) * _squares(x, fits.J1_SECOND) * rest


def _j1_near(x: Any) -> Any:
    return x * _j1_over(x)


def _y0_near(x: Any) -> Any:
    """Up to 2.5."""
    rest = _squares(x, fits.Y0_ZERO) * polynomial(fits.Y0, x * x * 0.32 - 1)
    return 2 / math.pi * _log_over(x, fits.Y0_ZERO) * _j0_near(x) + rest


def _y0_middle(x: Any) -> Any:
    return less(x, fits.Y0_SECOND) * polynomial(fits.Y0_MIDDLE, 0.8 * x - 3)


def _y1_near(x: Any) -> Any:
    xp = array_namespace(x)
    rest = _squares(x, fits.Y1_ZERO) * polynomial(fits.Y1, x * x * 0.08 - 1) / x
    found = 2 / math.pi * _log_over(x, fits.Y1_ZERO) * _j1_near(x) + rest
    return xp.where(x == 0, -xp.inf, found)


# -- far away --------------------------------------------------------------------------------------


def _far(x: Any, p: Any, q: Any, sine: bool) -> Any:
    """P (sin + cos) - Q (sin - cos) over sqrt(pi x), or P (sin - cos) + Q (sin + cos)."""
    xp = array_namespace(x)
    t = _EDGE / x
    above, beside = ratio(p[0], p[1], t * t), t * ratio(q[0], q[1], t * t)
    s, c = xp.sin(x), xp.cos(x)
    if sine:
        found = above * (s - c) + beside * (s + c)
    else:
        found = above * (s + c) - beside * (s - c)
    return found * math.pi**-0.5 / xp.sqrt(x)


def _j0_far(x: Any) -> Any:
    return _far(x, fits.P0, fits.Q0, False)


def _y0_far(x: Any) -> Any:
    return _far(x, fits.P0, fits.Q0, True)


def _j1_far(x: Any) -> Any:
    return _far(x, fits.P1, fits.Q1, True)


def _y1_far(x: Any) -> Any:
    return -_far(x, fits.P1, fits.Q1, False)


# -- derivatives -----------------------------------------------------------------------------------


def _j0_slope(y: Any, x: Any) -> Any:
    return -j1(x)


def _y0_slope(y: Any, x: Any) -> Any:
    return -y1(x)


def _j1_slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    near = xp.abs(x) < 1  # where the slope of a quotient would cancel
    rest = polynomial(_J1_SERIES, xp.where(near, 0.25 * x * x, 0.0))
    return j0(x) - xp.where(near, rest, y / xp.where(near, xp.ones_like(x), x))


def _y1_slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    return xp.where(x == 0, xp.inf, y0(x) - y / x)


# -- functions -------------------------------------------------------------------------------------


@elementwise(derivatives=(_j0_slope,), numpy="scipy.special:j0", torch="scipy.special:j0")
def j0(x: A) -> A:
    """Return the Bessel function of the first kind and order 0.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; NaN at infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    Up to 5, a polynomial times the distances from the zeros; beyond, an asymptotic form, whose
    error is relative to the next maximum, and to the change that rounding `x` makes.
    Differentiable, by `j1`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import j0
    >>> j0(np.asarray([0.0, 1.0, -20.0])).round(6)
    array([1.      , 0.765198, 0.167025])
    """
    a = array_namespace(x).abs(x)
    return by_region((a,), (a <= _EDGE, _j0_near), rest=_j0_far)


@elementwise(derivatives=(_j1_slope,), numpy="scipy.special:j1", torch="scipy.special:j1")
def j1(x: A) -> A:
    """Return the Bessel function of the first kind and order 1.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; NaN at infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `j0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import j1
    >>> j1(np.asarray([0.0, 1.0, -20.0])).round(6)
    array([ 0.      ,  0.440051, -0.066833])
    """
    xp = array_namespace(x)
    a = xp.abs(x)
    found = by_region((a,), (a <= _EDGE, _j1_near), rest=_j1_far)
    return found * xp.copysign(xp.ones_like(x), x)


@elementwise(derivatives=(_y0_slope,), numpy="scipy.special:y0", torch="scipy.special:y0")
def y0(x: A) -> A:
    """Return the Bessel function of the second kind and order 0.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; -inf at 0, NaN below and at infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `j0`. Differentiable, by `y1`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import y0
    >>> y0(np.asarray([0.0, 1.0, 20.0])).round(6)
    array([    -inf, 0.088257, 0.062641])
    """
    return by_region((x,), (x <= 2.5, _y0_near), (x <= _EDGE, _y0_middle), rest=_y0_far)


@elementwise(derivatives=(_y1_slope,), numpy="scipy.special:y1", torch="scipy.special:y1")
def y1(x: A) -> A:
    """Return the Bessel function of the second kind and order 1.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; -inf at 0, NaN below and at infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `j0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import y1
    >>> y1(np.asarray([0.0, 1.0, 20.0])).round(6)
    array([     -inf, -0.781213, -0.165512])
    """
    return by_region((x,), (x <= _EDGE, _y1_near), rest=_y1_far)
