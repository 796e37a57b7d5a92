"""The normal distribution, its logarithm, and their inverses, with those of the error function."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from . import _error_coefficients as c
from ._erf import erfc, erfcx, erfcx_of
from ._function import by_region, elementwise
from ._polynomial import rational

__all__ = ["erfcinv", "log_ndtr", "ndtr", "ndtri", "ndtri_exp", "quantile"]

_HALF = math.sqrt(0.5)
_ROOT_TWO = math.sqrt(2.0)
_ROOT_TWO_PI = math.sqrt(2 * math.pi)
_ROOT_PI = math.sqrt(math.pi)


def _density(y: Any, x: Any) -> Any:
    return array_namespace(x).exp(-0.5 * x * x) / _ROOT_TWO_PI


@elementwise(derivatives=(_density,), numpy="scipy.special:ndtr", torch="scipy.special:ndtr")
def ndtr(x: A) -> A:
    """Return the distribution function of the normal distribution.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, in [0, 1].

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    ``erfc(-x / sqrt(2)) / 2``, whose left tail has all digits. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import ndtr
    >>> ndtr(np.asarray([-20.0, 0.0, np.inf]))
    array([2.75362412e-89, 5.00000000e-01, 1.00000000e+00])
    """
    y: Any = -_HALF * x
    return 0.5 * erfc(y)


def _hazard(x: Any) -> Any:
    """The density over the distribution function."""
    return (2 / _ROOT_TWO_PI) / erfcx(-_HALF * x)


@elementwise(
    derivatives=(lambda y, x: _hazard(x),),
    numpy="scipy.special:log_ndtr",
    torch="torch.special:log_ndtr",
)
def log_ndtr(x: A) -> A:
    """Return the logarithm of the distribution function of the normal distribution.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, never above 0.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    ``log(erfcx(-x / sqrt(2)) / 2) - x**2 / 2`` below -1, as the distribution function underflows
    far from 0; from -1 to 0 ``log`` of the distribution function; above 0 ``log1p`` of minus the
    other tail. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import log_ndtr
    >>> log_ndtr(np.asarray([-1e3, 0.0, 10.0]))
    array([-5.00007827e+05, -6.93147181e-01, -7.61985302e-24])
    """
    return _log_ndtr(x)


def _log_ndtr(x: Any) -> Any:
    xp = array_namespace(x)

    def left(x: Any) -> Any:
        return xp.log(0.5 * erfcx_of(-_HALF * x)) - 0.5 * x * x

    def middle(x: Any) -> Any:
        return xp.log(0.5 * erfc(-_HALF * x))

    return by_region(
        (x,), (x < -1, left), (x < 0, middle), rest=lambda x: xp.log1p(-0.5 * erfc(_HALF * x))
    )


def _tail(r: Any) -> Any:
    """ndtri of exp(-r^2), r from 1.6 to 28."""
    single = r.dtype == array_namespace(r).float32
    near, far = (
        (c.NDTRI_TAIL_SINGLE, c.NDTRI_FAR_SINGLE)
        if single
        else (c.NDTRI_TAIL_DOUBLE, c.NDTRI_FAR_DOUBLE)
    )
    return -by_region(
        (r,), (r < 5, lambda r: rational(near, r - 1.6)), rest=lambda r: rational(far, r - 5)
    )


def _middle(q: Any) -> Any:
    """ndtri of 1/2 + q, for abs(q) up to 0.425."""
    single = q.dtype == array_namespace(q).float32
    return q * rational(c.NDTRI_SINGLE if single else c.NDTRI_DOUBLE, 0.180625 - q * q)


def quantile(p: Any) -> Any:
    """ndtri for p up to 1/2."""
    xp = array_namespace(p)

    def small(p: Any) -> Any:
        # The logarithm handles 0 and numbers outside of the domain.
        r = xp.sqrt(-xp.log(p))
        return xp.where(p == 0, -xp.inf, _tail(r))

    return by_region((p,), (p >= 0.075, lambda p: _middle(p - 0.5)), rest=small)


def _both(p: Any, upper: Any) -> Any:
    """ndtri, of p and of 1 - p, each exact where it is small."""
    xp = array_namespace(p)
    found = quantile(xp.minimum(p, upper))
    found = xp.where(p < 0.5, found, -found)
    return xp.where((p < 0) | (upper < 0) | xp.isnan(p), xp.nan, found)


@elementwise(
    derivatives=(lambda x, p: _ROOT_TWO_PI * array_namespace(x).exp(0.5 * x * x),),
    numpy="scipy.special:ndtri",
    torch="torch.special:ndtri",
)
def ndtri(y: A) -> A:
    """Return the quantile of the normal distribution, the inverse of `ndtr`.

    Parameters
    ----------
    y : array
        Probabilities, real.

    Returns
    -------
    array
        Of the shape of `y` and its floating dtype; -inf and inf at 0 and 1, NaN outside.

    Raises
    ------
    DtypeError
        If `y` doesn't hold real numbers.

    Notes
    -----
    Rational functions of ``(y - 1/2)**2`` between 0.075 and 0.925, and of ``sqrt(-log(y))`` outside
    (the regions of M. J. Wichura, Appl. Statist. 37, 1988, 477). Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import ndtri
    >>> ndtri(np.asarray([0.0, 1e-300, 0.5, 0.975])).round(6)
    array([      -inf, -37.047096,   0.      ,   1.959964])
    """
    return _both(y, 1 - y)


@elementwise(
    derivatives=(lambda x, y: -0.5 * _ROOT_PI * array_namespace(x).exp(x * x),),
    numpy="scipy.special:erfcinv",
    torch="scipy.special:erfcinv",
)
def erfcinv(y: A) -> A:
    """Return the inverse of the complementary error function.

    Parameters
    ----------
    y : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `y` and its floating dtype; inf and -inf at 0 and 2, NaN outside.

    Raises
    ------
    DtypeError
        If `y` doesn't hold real numbers.

    Notes
    -----
    ``-ndtri(y / 2) / sqrt(2)``. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import erfcinv
    >>> erfcinv(np.asarray([0.0, 1e-300, 1.0])).round(6)
    array([     inf, 26.20947, -0.     ])
    """
    half = 0.5 * y
    return -_HALF * _both(half, 1 - half)


def _exp_box(x: Any, y: Any) -> Any:
    """Logarithms from -1000 on."""
    return y > -1000


@elementwise(
    derivatives=(lambda x, y: 1 / _hazard(x),),
    numpy="scipy.special:ndtri_exp",
    torch="scipy.special:ndtri_exp",
    box=_exp_box,
    usual=((-999.0, 1e308),),
)
def ndtri_exp(y: A) -> A:
    """Return the quantile of the normal distribution at ``exp(y)``, the inverse of `log_ndtr`.

    Parameters
    ----------
    y : array
        Logarithms of probabilities, real.

    Returns
    -------
    array
        Of the shape of `y` and its floating dtype; -inf and inf at -inf and 0, NaN above.

    Raises
    ------
    DtypeError
        If `y` doesn't hold real numbers.

    Notes
    -----
    The rational functions of `ndtri`: of the logarithm in the left tail, of ``-expm1(y)`` in the
    right. Below -700, two steps of Newton's method from ``-sqrt(-2 y - log(-4 pi y))``.
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import ndtri_exp
    >>> ndtri_exp(np.asarray([-1e10, -1.0, -1e-20])).round(6)
    array([-1.41421356e+05, -3.37475000e-01,  9.26234000e+00])
    """
    xp = array_namespace(y)

    def by_newton(y: Any) -> Any:
        far = y < -1e30  # where the start has all digits, and its square leaves the range
        z = xp.where(far, -1e30, y)
        x = -xp.sqrt(-2 * z - xp.log(-4 * math.pi * z))
        for _ in range(2):
            scaled = 0.5 * erfcx_of(-_HALF * x)
            # log_ndtr(x) - y, over the density's share in it.
            x = x - (xp.log(scaled) - (0.5 * x * x + z)) * _ROOT_TWO_PI * scaled
        return xp.where(far, -math.sqrt(2.0) * xp.sqrt(-y), x)

    def by_tail(y: Any) -> Any:
        return _tail(xp.sqrt(-y))

    def by_middle(y: Any) -> Any:
        return _middle(xp.exp(y) - 0.5)

    def by_upper(y: Any) -> Any:
        return xp.where(y > 0, xp.nan, -quantile(-xp.expm1(y)))

    return by_region(
        (y,),
        (y < -700, by_newton),
        (y < -2.591, by_tail),
        (y < -0.5, by_middle),
        rest=by_upper,
    )
