"""Entropies, and products with logarithms, which are 0 where a factor is 0."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ..missing._safe import _xlogy as times_log
from ._function import by_region, elementwise, real
from ._log import log1p, one_more_log
from ._log1p_less import less_log1p_times

__all__ = ["entr", "kl_div", "rel_entr", "xlog1py", "xlogy"]


def _share(x: Any, y: Any) -> Any:
    """x / y, and 0 where both are."""
    xp = array_namespace(x, y)
    none = (x == 0) & (y == 0)
    return xp.where(none, xp.zeros_like(x), x) / xp.where(none, xp.ones_like(y), y)


@elementwise(
    derivatives=(lambda z, x, y: array_namespace(y).log(y), lambda z, x, y: _share(x, y)),
    complex=True,
    numpy="scipy.special:xlogy",
    torch="torch.special:xlogy",
    when={"torch": real},
)
def xlogy(x: A, y: A | Numbers) -> A:
    """Return ``x * log(y)``, and 0 where `x` is zero and `y` is not NaN.

    Parameters
    ----------
    x, y : array
        Real or complex; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    `likewise.missing.xlogy` with another derivative: with respect to `x` it is ``log(y)``, also
    where that is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import xlogy
    >>> xlogy(np.asarray([0.0, 2.0]), np.asarray([0.0, 0.5])).round(6)
    array([ 0.      , -1.386294])
    """
    return times_log(x, y)


@elementwise(
    derivatives=(lambda z, x, y: log1p(y), lambda z, x, y: _share(x, 1 + y)),
    complex=True,
    numpy="scipy.special:xlog1py",
    torch="torch.special:xlog1py",
    when={"torch": real},
)
def xlog1py(x: A, y: A | Numbers) -> A:
    """Return ``x * log1p(y)``, and 0 where `x` is zero and `y` is not NaN.

    Parameters
    ----------
    x, y : array
        Real or complex; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Differentiable. With respect to `x` the derivative is ``log1p(y)``, also where that is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import xlog1py
    >>> xlog1py(np.asarray([0.0, 2.0]), np.asarray([-1.0, 1e-20]))
    array([0.e+00, 2.e-20])
    """
    xp = array_namespace(x, y)
    log = one_more_log(xp, y)
    return xp.where((x == 0) & ~xp.isnan(y), xp.zeros_like(log), x * log)


@elementwise(
    derivatives=(lambda y, x: -1 - array_namespace(x).log(x),),
    numpy="scipy.special:entr",
    torch="torch.special:entr",
)
def entr(x: A) -> A:
    """Return the elementwise entropy, ``-x log(x)``.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; 0 at 0, -inf below.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    Differentiable where `x` is positive; at 0 the derivative is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import entr
    >>> entr(np.asarray([-1.0, 0.0, 0.5])).round(6)
    array([    -inf, 0.      , 0.346574])
    """
    xp = array_namespace(x)
    found = xp.where(x < 0, -xp.inf, -x * xp.log(x))
    return xp.where(x == 0, xp.zeros_like(x), found)


def _log_ratio(x: Any, y: Any) -> Any:
    """log(x / y) of numbers not below 0, from how much the larger is above the smaller: their
    difference is exact where they are close. Out of range, from the quotient of their roots."""
    xp = array_namespace(x, y)
    large, small = xp.maximum(x, y), xp.minimum(x, y)
    above = (large - small) / small
    wide = above == xp.inf
    root = xp.sqrt(large) * 2.0**-40 / xp.sqrt(small)
    log = xp.log1p(xp.where(wide, root, above))
    return xp.copysign(xp.where(wide, 2 * log + 80 * math.log(2), log), x - y)


_log_quotient = elementwise(derivatives=(lambda z, x, y: 1 / x, lambda z, x, y: -1 / y))(_log_ratio)


@elementwise(
    derivatives=(lambda z, x, y: 1 + _log_quotient(x, y), lambda z, x, y: -_share(x, y)),
    numpy="scipy.special:rel_entr",
    torch="scipy.special:rel_entr",
)
def rel_entr(x: A, y: A | Numbers) -> A:
    """Return the elementwise relative entropy, ``x log(x / y)``.

    Parameters
    ----------
    x, y : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; 0 where `x` is 0 and `y` is not negative, infinite where one
        of them is negative or only `y` is 0.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Where `x` and `y` are close, the logarithm is computed from their difference; where the quotient
    is out of range, as a difference of two logarithms. Differentiable in both arguments where both
    are positive.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import rel_entr
    >>> rel_entr(np.asarray([0.0, 0.5]), np.asarray([0.5, 0.25])).round(6)
    array([0.      , 0.346574])
    """
    return by_region(
        (x, y),
        ((x > 0) & (y > 0), lambda x, y: x * _log_ratio(x, y)),
        rest=lambda x, y: _outside(x, y, array_namespace(y).zeros_like(y)),
    )


def _outside(x: Any, y: Any, at_zero: Any) -> Any:
    """Return the values where not both are above 0."""
    xp = array_namespace(x, y)
    found = xp.where((x == 0) & (y >= 0), at_zero, xp.inf)
    return xp.where(xp.isnan(x) | xp.isnan(y), xp.nan, found)


def _kl_by_y(z: Any, x: Any, y: Any) -> Any:
    """(y - x) / y, and 1 where both are 0: of no x, it is y."""
    xp = array_namespace(x, y)
    none = (x == 0) & (y == 0)
    return xp.where(none, 1.0, y - x) / xp.where(none, 1.0, y)


def _apart(z: Any, x: Any, y: Any) -> Any:
    """Arguments above 0 that differ by a fifth or more."""
    return (x > 1e-100) & (x < 1e100) & (y > 1e-100) & (y < 1e100) & (abs(x - y) > 0.1 * (x + y))


@elementwise(
    derivatives=(lambda z, x, y: _log_quotient(x, y), _kl_by_y),
    numpy="scipy.special:kl_div",
    torch="scipy.special:kl_div",
    box=_apart,
)
def kl_div(x: A, y: A | Numbers) -> A:
    """Return the elementwise Kullback-Leibler divergence, ``x log(x / y) - x + y``.

    Parameters
    ----------
    x, y : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; `y` where `x` is 0 and `y` is not negative, infinite where
        one of them is negative or only `y` is 0.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Where they differ by less than a third, it is ``x (t - log1p(t))`` with ``t = (y - x) / x``, by
    the series of the inverse hyperbolic tangent, which gives all digits; SciPy's formula loses them
    there. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import kl_div
    >>> kl_div(np.asarray([0.0, 0.5, 1.0]), np.asarray([0.5, 0.25, 1 + 1e-9]))
    array([5.00000000e-01, 9.65735903e-02, 5.00000082e-19])
    """
    return by_region((x, y), ((x > 0) & (y > 0), _divergence), rest=lambda x, y: _outside(x, y, y))


def _divergence(x: Any, y: Any) -> Any:
    xp = array_namespace(x, y)
    d = y - x
    log = _log_ratio(x, y)
    product = x * log
    far = xp.where(product == xp.inf, x * (log - 1) + y, product + d)
    # Both for all elements: to pick those of a region takes longer.
    close = less_log1p_times(x, d, 0.5 * d / (0.5 * x + 0.5 * y))
    return xp.where(3 * xp.abs(d) < x, close, far)
