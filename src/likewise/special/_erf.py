"""The error function, its complements and Dawson's integral, of real numbers.

One rational function a region, with coefficients by ``ci/special/coefficients.py``. W. J. Cody
(Math. Comp. 23, 1969, 631) divides erf and erfc in this way, and with K. A. Paciorek and H. C.
Thacher (Math. Comp. 24, 1970, 171) Dawson's integral; the bounds of the regions follow from the
degrees wanted.
"""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from . import _error_coefficients as c
from ._function import by_region, elementwise, in_double, in_single
from ._polynomial import polynomial, rational

__all__ = ["dawsn", "erf", "erfc", "erfcx", "erfcx_of", "erfi"]

_TWO = 2 / math.sqrt(math.pi)


def _gaussian(y: Any, x: Any) -> Any:
    return _TWO * array_namespace(x).exp(-x * x)


# 1 - 2 x dawsn(x) = -(1 / x^2 + 3 / (2 x^4) + 15 / (4 x^6) + ...) / 2, from DLMF 7.12.1.
_FAR_SLOPE = [math.prod(range(1, 2 * k + 2, 2)) / 2.0**k for k in range(13)]


def _difference(x: Any, far: Any, near: Any, sign: float) -> Any:
    """A derivative; beyond 12, where two terms would all but cancel, by the series in 1 / x^2."""
    xp = array_namespace(x)
    t = 1 / xp.where(far, x, 12 * xp.ones_like(x))
    t = t * t
    return xp.where(far, -t * polynomial(_FAR_SLOPE, sign * t), near)


def _erfcx_slope(y: Any, x: Any) -> Any:
    found = _difference(x, x > 12, (2 * x * y - _TWO) * (2 / _TWO), -1.0)
    return found * (_TWO / 2)


def _dawsn_slope(y: Any, x: Any) -> Any:
    far = array_namespace(x).abs(x) > 12
    return 0.5 * _difference(x, far, 2 - 4 * x * y, 1.0)


def _is_single(x: Any) -> bool:
    return bool(x.dtype == array_namespace(x).float32)


def _centre(x: Any) -> Any:
    """erf for abs(x) up to 1: a function of x^2 times x."""
    return x * rational((c.ERF_SINGLE if _is_single(x) else c.ERF_DOUBLE), x * x)


def _flank(x: Any) -> Any:
    """erfcx from 1/2 to 6, above which the reciprocal is the better variable."""
    return rational((c.ERFCX_SINGLE if _is_single(x) else c.ERFCX_DOUBLE), x)


def _far(x: Any) -> Any:
    """erfcx from 6 on (the similar series of DLMF 7.12.1 doesn't converge)."""
    t = 1 / x
    return t * rational((c.ERFCX_FAR_SINGLE if _is_single(x) else c.ERFCX_FAR_DOUBLE), t * t)


def erfcx_of(x: Any) -> Any:
    """erfcx for x from 1/2 on."""
    return by_region((x,), (x < 6, _flank), rest=_far)


@elementwise(
    derivatives=(_gaussian,),
    numpy="scipy.special:erf",
    torch="torch.special:erf",
    jax="jax.scipy.special:erf",
    when={"jax": in_single},
)
def erf(x: A) -> A:
    """Return the error function, 2 / sqrt(pi) times the integral of ``exp(-t**2)`` from 0 to `x`.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, in [-1, 1].

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A rational function of ``x**2`` up to 1, then ``1 - exp(-x**2) erfcx(x)``; from 6 on it is 1.
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import erf
    >>> erf(np.asarray([0.0, 0.5, np.inf])).round(6)
    array([0.    , 0.5205, 1.    ])
    """
    xp = array_namespace(x)
    size = xp.abs(x)

    def outside(x: Any) -> Any:
        s = xp.abs(x)
        return xp.copysign(1 - xp.exp(-s * s) * _flank(xp.minimum(s, xp.full_like(s, 6.0))), x)

    return by_region((x,), (size < 1, _centre), rest=outside)


@elementwise(
    derivatives=(lambda y, x: -_gaussian(y, x),),
    numpy="scipy.special:erfc",
    torch="torch.special:erfc",
    jax="jax.scipy.special:erfc",
    when={"jax": in_double},
)
def erfc(x: A) -> A:
    """Return the complementary error function, ``1 - erf(x)``.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, in [0, 2].

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    ``1 - erf(x)`` up to 1/2, where nothing cancels; ``exp(-x**2) erfcx(x)`` above. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import erfc
    >>> erfc(np.asarray([-np.inf, 0.0, 10.0]))
    array([2.00000000e+00, 1.00000000e+00, 2.08848758e-45])
    """
    xp = array_namespace(x)

    def right(x: Any) -> Any:
        return xp.exp(-x * x) * erfcx_of(x)

    def left(x: Any) -> Any:
        return 2 - right(-x)

    small = xp.abs(x) < 0.5
    return by_region((x,), (small, lambda x: 1 - _centre(x)), (x < 0, left), rest=right)


@elementwise(derivatives=(_erfcx_slope,), numpy="scipy.special:erfcx", torch="torch.special:erfcx")
def erfcx(x: A) -> A:
    """Return the scaled complementary error function, ``exp(x**2) erfc(x)``.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; inf where it overflows, below -26.6.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A rational function of `x` from 1/2 to 6, of ``1 / x**2`` above, and ``exp(x**2) (1 - erf(x))``
    or ``2 exp(x**2) - erfcx(-x)`` below. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import erfcx
    >>> erfcx(np.asarray([-1.0, 0.0, 1e10]))
    array([5.00898008e+00, 1.00000000e+00, 5.64189584e-11])
    """
    xp = array_namespace(x)

    def left(x: Any) -> Any:
        return 2 * xp.exp(x * x) - erfcx_of(-x)

    def centre(x: Any) -> Any:
        return xp.exp(x * x) * (1 - _centre(x))

    small = xp.abs(x) < 0.5
    return by_region((x,), (small, centre), (x < 0, left), (x < 6, _flank), rest=_far)


def _odd_box(y: Any, x: Any) -> Any:
    """Away from 0.008 to 0.019, where SciPy's approximation loses two digits, and from overflow."""
    size = abs(x)
    return ((size <= 0.008) | (size >= 0.019)) & (abs(y) < 1e300)


@elementwise(
    derivatives=(lambda y, x: _TWO * array_namespace(x).exp(x * x),),
    numpy="scipy.special:erfi",
    torch="scipy.special:erfi",
    box=_odd_box,
    usual=((0.019, 26.0),),
)
def erfi(x: A) -> A:
    """Return the imaginary error function, ``-1j * erf(1j * x)``.

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
    ``2 / sqrt(pi) exp(x**2) dawsn(x)``, the exponential in two factors, as it would overflow
    before the result does. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import erfi
    >>> erfi(np.asarray([0.0, 1.0, 5.0])).round(6)
    array([0.00000000e+00, 1.65042600e+00, 8.29827388e+09])
    """
    xp = array_namespace(x)
    root = xp.exp(0.5 * x * x)
    found = root * (_TWO * _dawson(x)) * root
    return xp.where(xp.isinf(x), x, found)


@elementwise(
    derivatives=(_dawsn_slope,),
    numpy="scipy.special:dawsn",
    torch="scipy.special:dawsn",
    box=_odd_box,
    usual=((0.019, 1e300),),
)
def dawsn(x: A) -> A:
    """Return Dawson's integral, ``exp(-x**2)`` times the integral of ``exp(t**2)`` from 0 to `x`.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, at most 0.5411.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    Rational functions: of ``x**2`` up to 2, of `x` between 2, 3, 4.25 and 6.5, of ``1 / x**2``
    above, where what the expansion at infinity lacks, ``exp(-x**2)``, is below rounding.
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import dawsn
    >>> dawsn(np.asarray([0.0, 1.0, 1e10]))
    array([0.00000000e+00, 5.38079507e-01, 5.00000000e-11])
    """
    return _dawson(x)


def _dawson(x: Any) -> Any:
    xp = array_namespace(x)
    single = _is_single(x)

    def near(x: Any) -> Any:
        return x * rational(c.DAWSON_SINGLE if single else c.DAWSON_DOUBLE, x * x)

    def between(start: float, way: Any) -> Any:
        def method(x: Any) -> Any:
            return xp.copysign(rational(way, xp.abs(x) - start), x)

        return method

    def far(x: Any) -> Any:
        t = 1 / x
        return t * rational(c.DAWSON_FAR_SINGLE if single else c.DAWSON_FAR_DOUBLE, t * t)

    size = xp.abs(x)
    return by_region(
        (x,),
        (size < 2, near),
        (size < 3, between(2.0, c.DAWSON_2_SINGLE if single else c.DAWSON_2_DOUBLE)),
        (size < 4.25, between(3.0, c.DAWSON_3_SINGLE if single else c.DAWSON_3_DOUBLE)),
        (size < 6.5, between(4.25, c.DAWSON_4_SINGLE if single else c.DAWSON_4_DOUBLE)),
        rest=far,
    )
