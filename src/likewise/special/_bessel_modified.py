"""Modified Bessel functions of orders 0 and 1, plain and scaled by an exponential.

I up to 12 is a polynomial in x^2 with positive coefficients. Beyond 12 it is exp(x) / sqrt(x) times
a polynomial in 1 / x (DLMF 10.40.1); the part of I in exp(-x) is below 4e-11 of it there. The
scaled functions take this form from 3 on, with other coefficients, as a rounding error of x^2 would
count x / 2 times. K up to 1 is a polynomial in x^2 less log(x) I (DLMF 10.31), without
cancellation. Beyond 1 the logarithm is positive and would cancel, so K is exp(-x) / sqrt(x) times a
rational function of 1 / x (DLMF 10.40.2). Coefficients are by ci/special/fit.py.
"""

from typing import Any

from .._namespace import array_namespace
from .._typing import A
from . import _bessel_modified_fits as fits
from ._function import by_region, elementwise
from ._polynomial import polynomial, ratio

__all__ = ["i0", "i0e", "i1", "i1e", "k0", "k0e", "k1", "k1e"]

_EDGE = 12.0  # of the polynomials of I


# -- methods ---------------------------------------------------------------------------------------


def _i0_near(x: Any) -> Any:
    return polynomial(fits.I0, x * x * _EDGE**-2)


def _i1_near(x: Any) -> Any:
    return x * polynomial(fits.I1, x * x * _EDGE**-2)


def _far(coefficients: Any, a: Any) -> Any:
    """exp(-a) I(a), of a positive argument."""
    return polynomial(coefficients, 2 * _EDGE / a - 1) / array_namespace(a).sqrt(a)


def _middle(coefficients: Any, a: Any) -> Any:
    """The same from 3 to 12, where `_i0_near` times an exponential would be off by x / 2 units."""
    return polynomial(coefficients, 8 / a - 5 / 3) / array_namespace(a).sqrt(a)


def _in_halves(value: Any, a: Any) -> Any:
    """exp(a) times a value: the exponential overflows first."""
    half = array_namespace(a).exp(0.5 * a)
    return half * value * half


def _k0_near(x: Any) -> Any:
    log = array_namespace(x).log(x)
    return polynomial(fits.K0, x * x) - log * _i0_near(x)


def _k1_near(x: Any) -> Any:
    xp = array_namespace(x)
    found = 1 / x + (xp.log(x) * _i1_near(x) + x * polynomial(fits.K1, x * x))
    return xp.where(x == 0, xp.inf, found)


def _k_far(coefficients: Any, x: Any) -> Any:
    """exp(x) K(x)."""
    above, below = coefficients
    return ratio(above, below, 1 / x) / array_namespace(x).sqrt(x)


# -- derivatives -----------------------------------------------------------------------------------


def _derivative(coefficients: Any) -> tuple[float, ...]:
    return tuple(k * c for k, c in enumerate(coefficients))[1:]


_I0_SLOPE, _I1_SLOPE = _derivative(fits.I0_FAR), _derivative(fits.I1_FAR)


def _i_slope(slope: Any, y: Any, a: Any) -> Any:
    """The derivative of P(2 edge / a - 1) / sqrt(a): differences of both orders would cancel."""
    t = 2 * _EDGE / a
    return -(0.5 * y + t * polynomial(slope, t - 1) / array_namespace(a).sqrt(a)) / a


def _i0e_slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    a = xp.abs(x)
    near = a <= _EDGE
    far = _i_slope(_I0_SLOPE, y, xp.where(near, _EDGE * xp.ones_like(a), a))
    return xp.where(near, i1e(x) - xp.sign(x) * y, xp.sign(x) * far)


def _i1e_slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    a = xp.abs(x)
    near = a <= _EDGE
    far = _i_slope(_I1_SLOPE, xp.sign(x) * y, xp.where(near, _EDGE * xp.ones_like(a), a))
    rest = _over(y, x, xp.exp(-xp.where(near, a, 0.0)))
    return xp.where(near, i0e(x) - rest - xp.sign(x) * y, far)


def _i0_slope(y: Any, x: Any) -> Any:
    return i1(x)


def _k0_slope(y: Any, x: Any) -> Any:
    return -k1(x)


def _k1_slope(y: Any, x: Any) -> Any:
    return -k0(x) - y / array_namespace(x).abs(x)  # as of 0 at -0


def _i1_slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    return xp.where(xp.abs(y) == xp.inf, xp.inf, i0(x) - _over(y, x, 1.0))


def _over(y: Any, x: Any, scale: Any) -> Any:
    """y / x, of I1 times a scale; near 0 a polynomial, as the quotient's slope would cancel."""
    xp = array_namespace(x)
    near = xp.abs(x) < 1
    rest = polynomial(fits.I1, xp.where(near, x, 0.0) ** 2 * _EDGE**-2)
    return xp.where(near, scale * rest, y / xp.where(near, xp.ones_like(x), x))


def _k_slope(coefficients: Any, x: Any, near: Any) -> Any:
    """The derivative of A(1 / x) / B(1 / x) / sqrt(x), beyond 1; `near` elsewhere."""
    xp = array_namespace(x)
    above, below = coefficients
    safe = xp.where(x > 1, x, xp.ones_like(x))
    t = 1 / safe
    value, under = ratio(above, below, t), polynomial(below, t)
    slope = polynomial(_derivative(above), t) - value * polynomial(_derivative(below), t)
    far = -(0.5 * value + t * slope / under) / xp.sqrt(safe) / safe
    return xp.where(x > 1, far, near)


def _k0e_slope(y: Any, x: Any) -> Any:
    near = array_namespace(x).where(x == 0, -array_namespace(x).inf, y - k1e(x))
    return _k_slope(fits.K0_FAR, x, near)


def _k1e_slope(y: Any, x: Any) -> Any:
    near = y * (1 - 1 / array_namespace(x).abs(x)) - k0e(x)
    return _k_slope(fits.K1_FAR, x, near)


# -- the first kind --------------------------------------------------------------------------------


@elementwise(derivatives=(_i0_slope,), numpy="scipy.special:i0", torch="scipy.special:i0")
def i0(x: A) -> A:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite where it overflows, NaN at
        infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A polynomial up to 12, and an asymptotic form beyond. Differentiable, by `i1`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import i0
    >>> i0(np.asarray([0.0, 1.0, -20.0])).round(6)
    array([1.00000000e+00, 1.26606600e+00, 4.35582826e+07])
    """
    xp = array_namespace(x)
    a = xp.abs(x)
    return by_region(
        (a,), (a <= _EDGE, _i0_near), rest=lambda a: _in_halves(_far(fits.I0_FAR, a), a)
    )


@elementwise(
    derivatives=(_i0e_slope,),
    numpy="scipy.special:i0e",
    torch="scipy.special:i0e",
)
def i0e(x: A) -> A:
    """Return ``exp(-abs(x)) i0(x)``, of the modified Bessel function of order 0.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `i0`. Differentiable; at 0, where there is a kink, the derivative is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import i0e
    >>> i0e(np.asarray([0.0, 1.0, -2000.0])).round(6)
    array([1.      , 0.46576 , 0.008921])
    """
    xp = array_namespace(x)
    a = xp.abs(x)
    return by_region(
        (a,),
        (a <= 3, lambda a: xp.exp(-a) * _i0_near(a)),
        (a <= _EDGE, lambda a: _middle(fits.I0_MIDDLE, a)),
        rest=lambda a: _far(fits.I0_FAR, a),
    )


@elementwise(derivatives=(_i1_slope,), numpy="scipy.special:i1", torch="scipy.special:i1")
def i1(x: A) -> A:
    """Return the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite where it overflows, NaN at
        infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `i0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import i1
    >>> i1(np.asarray([0.0, 1.0, -20.0])).round(6)
    array([ 0.00000000e+00,  5.65159000e-01, -4.24549734e+07])
    """
    xp = array_namespace(x)
    a = xp.abs(x)
    found = by_region(
        (a,), (a <= _EDGE, _i1_near), rest=lambda a: _in_halves(_far(fits.I1_FAR, a), a)
    )
    return xp.where(x < 0, -found, found)


@elementwise(derivatives=(_i1e_slope,), numpy="scipy.special:i1e", torch="scipy.special:i1e")
def i1e(x: A) -> A:
    """Return ``exp(-abs(x)) i1(x)``, of the modified Bessel function of order 1.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `i0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import i1e
    >>> i1e(np.asarray([0.0, 1.0, -2000.0])).round(6)
    array([ 0.      ,  0.20791 , -0.008919])
    """
    xp = array_namespace(x)
    a = xp.abs(x)
    found = by_region(
        (a,),
        (a <= 3, lambda a: xp.exp(-a) * _i1_near(a)),
        (a <= _EDGE, lambda a: _middle(fits.I1_MIDDLE, a)),
        rest=lambda a: _far(fits.I1_FAR, a),
    )
    return xp.where(x < 0, -found, found)


# -- the second kind -------------------------------------------------------------------------------


@elementwise(derivatives=(_k0_slope,), numpy="scipy.special:k0", torch="scipy.special:k0")
def k0(x: A) -> A:
    """Return the modified Bessel function of the second kind and order 0.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A polynomial with a logarithm up to 1, and an asymptotic form beyond. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import k0
    >>> k0(np.asarray([0.0, 1.0, 20.0])).round(6)
    array([     inf, 0.421024, 0.      ])
    """
    xp = array_namespace(x)
    return by_region((x,), (x <= 1, _k0_near), rest=lambda x: xp.exp(-x) * _k_far(fits.K0_FAR, x))


@elementwise(
    derivatives=(_k0e_slope,),
    numpy="scipy.special:k0e",
    torch="scipy.special:k0e",
)
def k0e(x: A) -> A:
    """Return ``exp(x) k0(x)``, of the modified Bessel function of order 0.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `k0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import k0e
    >>> k0e(np.asarray([0.0, 1.0, 2000.0])).round(6)
    array([     inf, 1.144463, 0.028023])
    """
    xp = array_namespace(x)
    return by_region(
        (x,),
        (x <= 1, lambda x: xp.exp(x) * _k0_near(x)),
        rest=lambda x: _k_far(fits.K0_FAR, x),
    )


@elementwise(derivatives=(_k1_slope,), numpy="scipy.special:k1", torch="scipy.special:k1")
def k1(x: A) -> A:
    """Return the modified Bessel function of the second kind and order 1.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `k0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import k1
    >>> k1(np.asarray([0.0, 1.0, 20.0])).round(6)
    array([     inf, 0.601907, 0.      ])
    """
    xp = array_namespace(x)
    return by_region((x,), (x <= 1, _k1_near), rest=lambda x: xp.exp(-x) * _k_far(fits.K1_FAR, x))


@elementwise(
    derivatives=(_k1e_slope,),
    numpy="scipy.special:k1e",
    torch="scipy.special:k1e",
)
def k1e(x: A) -> A:
    """Return ``exp(x) k1(x)``, of the modified Bessel function of order 1.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `k0`. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import k1e
    >>> k1e(np.asarray([0.0, 1.0, 2000.0])).round(6)
    array([     inf, 1.636153, 0.02803 ])
    """
    xp = array_namespace(x)
    return by_region(
        (x,),
        (x <= 1, lambda x: xp.exp(x) * _k1_near(x)),
        rest=lambda x: _k_far(fits.K1_FAR, x),
    )
