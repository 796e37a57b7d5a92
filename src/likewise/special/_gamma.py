"""The gamma function, its reciprocal, logarithm and sign, and quotients of it."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from .._typing import A
from ..errors import ArgumentError
from ._digamma import digamma
from ._function import by_region, elementwise, public
from ._gamma_parts import (
    gamma1p,
    log_gamma1p,
    log_gamma_far,
    log_gamma_near,
    negative_integer,
    sine_pi,
)

__all__ = ["gamma", "gammaln", "gammasgn", "multigammaln", "rgamma"]


def _one_less(x: Any) -> Any:
    """The distance from 1, or from 0 below 1: gamma(1 + y) is computed for either."""
    xp = array_namespace(x)
    return xp.where(x < 0, -x, xp.where(x < 1, x, x - 1))


@elementwise(
    derivatives=(lambda y, x: y * digamma(x),),
    numpy="scipy.special:gamma",
    torch="scipy.special:gamma",
)
def gamma(x: A) -> A:
    """Return the gamma function, the integral of ``t**(x - 1) exp(-t)`` over positive `t`.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite, with the sign of `x`, at 0, and NaN at
        negative integers.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A rational function for the logarithm on [1, 3], to which [0, 1] is moved by
    ``gamma(1 + x) / x``; from 3 on Stirling's formula (DLMF 5.11.3) with a rational function for
    its rest; below 0 reflection (DLMF 5.5.3). Exact at integers as long as the result has at most
    15 digits (6 in float32). Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gamma
    >>> gamma(np.asarray([0.5, 1.0, 5.0])).round(6)
    array([ 1.772454,  1.      , 24.      ])
    """
    xp = array_namespace(x)
    factor = xp.where(x < 1, 1 / x, xp.ones_like(x))
    factor = xp.where(x < 0, math.pi / sine_pi(x), factor)
    found = gamma1p(factor, _one_less(x), x >= 0)
    exact = 5e5 if x.dtype == xp.float32 else 5e14
    whole = (x == xp.floor(x)) & (found < exact)
    found = xp.where(whole, xp.round(found), found)
    found = xp.where(negative_integer(x), xp.nan, found)
    return xp.where(x == 0, 1 / x, found)


def _reciprocal_slope(y: Any, x: Any) -> Any:
    """-digamma(x) / gamma(x); below 1/2 reflected, which is finite at the poles of both."""
    xp = array_namespace(x)
    left = x < 0.5
    up = 1 - xp.where(left, x, xp.zeros_like(x))
    turned = xp.cos(math.pi * (x - 2 * xp.round(0.5 * x))) - sine_pi(x) / math.pi * digamma(up)
    right = xp.where(left | (x == xp.inf), xp.ones_like(x), x)
    return xp.where(left, gamma(up) * turned, -digamma(right) * xp.where(left, xp.ones_like(y), y))


@elementwise(
    derivatives=(_reciprocal_slope,), numpy="scipy.special:rgamma", torch="scipy.special:rgamma"
)
def rgamma(x: A) -> A:
    """Return ``1 / gamma(x)``, which has no poles.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; 0 at 0 and at negative integers.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `gamma`. Differentiable everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import rgamma
    >>> rgamma(np.asarray([-1.0, 0.0, 0.5])).round(6)
    array([0.     , 0.     , 0.56419])
    """
    xp = array_namespace(x)
    factor = xp.where(x < 1, x, xp.ones_like(x))
    factor = xp.where(x < 0, sine_pi(x) / math.pi, factor)
    found = gamma1p(factor, _one_less(x), x < 0)
    return xp.where(negative_integer(x), xp.zeros_like(x), found)


def _log_reflected(x: Any) -> Any:
    """log(abs(gamma(x))) below 0."""
    xp = array_namespace(x)
    sine = xp.abs(sine_pi(x))
    over = xp.where(sine < 1e-30, math.log(math.pi) - xp.log(sine), xp.log(math.pi / sine))
    found = over - log_gamma1p(xp.abs(x))
    return xp.where(xp.floor(x) == x, xp.inf, found)


def _log_below_three(x: Any) -> Any:
    xp = array_namespace(x)
    found = log_gamma_near(xp.where(x < 1, x, x - 1))
    return xp.where(x < 1, found - xp.log(x), found)


@elementwise(
    derivatives=(lambda y, x: digamma(x),),
    numpy="scipy.special:gammaln",
    torch="scipy.special:gammaln",
)
def gammaln(x: A) -> A:
    """Return the logarithm of the magnitude of the gamma function.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0 and at negative integers.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    As for `gamma`. All digits are right next to 1 and 2, where the result is small. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gammaln
    >>> gammaln(np.asarray([1.0, 10.0, 1000.0])).round(6)
    array([   0.      ,   12.801827, 5905.220423])
    """
    xp = array_namespace(x)
    found = by_region((x,), (x < 0, _log_reflected), (x < 3, _log_below_three), rest=log_gamma_far)
    return xp.where(x == -xp.inf, x, found)


@elementwise(
    derivatives=(lambda y, x: array_namespace(x).zeros_like(x),),
    numpy="scipy.special:gammasgn",
    torch="scipy.special:gammasgn",
)
def gammasgn(x: A) -> A:
    """Return the sign of the gamma function.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype: -1 or 1, NaN at negative integers.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    The derivative is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gammasgn
    >>> gammasgn(np.asarray([-1.5, -0.5, 0.5]))
    array([ 1., -1.,  1.])
    """
    xp = array_namespace(x)
    n = xp.floor(x)
    found = 1 - 2 * (n - 2 * xp.floor(0.5 * n))
    found = xp.where(x > 0, xp.ones_like(x), found)
    found = xp.where(x == 0, xp.copysign(xp.ones_like(x), x), found)
    return xp.where(negative_integer(x) | xp.isnan(x), xp.nan, found)


@public
def multigammaln(a: A, d: int) -> A:
    """Return the logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : array
        Real, any shape.
    d : int
        The dimension, positive.

    Returns
    -------
    array
        Of the shape of `a` and its floating dtype; NaN where `a` is not above ``(d - 1) / 2``.

    Raises
    ------
    ArgumentError
        If `d` is not a positive integer.
    DtypeError
        If `a` doesn't hold real numbers.

    Notes
    -----
    ``d (d - 1) / 4 log(pi)`` and the sum of ``gammaln(a - j / 2)`` for j below `d` (R. J. Muirhead,
    Aspects of Multivariate Statistical Theory, 1982, theorem 2.1.12). Differentiable in `a`.

    Differs from SciPy: NaN in place of an error where `a` is too small.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import multigammaln
    >>> multigammaln(np.asarray([2.0, 23.5]), 3).round(6)
    array([  1.596313, 147.141749])
    """
    xp = array_namespace(a)
    (a,) = _plan.common_floating("multigammaln", xp, ("a",), a, real=True)
    if isinstance(d, bool) or (not isinstance(d, int) and int(d) != d) or d < 1:
        raise ArgumentError(f"multigammaln: d must be a positive integer, got {d!r}")
    d = int(d)
    half = 0.5 * xp.reshape(xp.arange(d, dtype=a.dtype, device=device(a)), (d,) + (1,) * a.ndim)
    inside = a > 0.5 * (d - 1)
    safe = xp.where(inside, a, xp.full_like(a, float(d)))
    found = xp.sum(gammaln(safe - half), axis=0) + 0.25 * d * (d - 1) * math.log(math.pi)
    return xp.where(inside, found, xp.nan)
