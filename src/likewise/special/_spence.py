"""Spence's function, the dilogarithm of 1 - x.

From 1/4 to 4 it is a series in log(x) with Bernoulli numbers (Lewin 1981, equation 1.75), which
converges to abs(log(x)) = 2 pi and has 13 terms there. Below, the reflection of DLMF 25.12.6 takes
it to 1 - x, above, the inversion of DLMF 25.12.4 takes it to 1 / x first; nearer to 1 their terms
would cancel.
"""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from ._function import by_region, elementwise
from ._polynomial import polynomial

__all__ = ["spence"]

_BERNOULLI = (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
    (43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6),
)  # fmt: skip
_SERIES = tuple(a / b / math.factorial(2 * k + 1) for k, (a, b) in enumerate(_BERNOULLI, 1))
_SIXTH = math.pi**2 / 6


def _li2(u: Any) -> Any:
    """Li2(1 - exp(-u))."""
    return u * (1 - u * (0.25 - u * polynomial(_SERIES, u * u)))


def _below(x: Any) -> Any:
    xp = array_namespace(x)
    log = xp.log1p(-x)
    first = xp.where(x == 0, xp.zeros_like(x), xp.log(x))
    return _SIXTH - first * log - _li2(-log)


def _above(x: Any) -> Any:
    xp = array_namespace(x)
    log, less = xp.log(x), xp.log1p(-1 / x)
    found = _li2(-less) - _SIXTH - log * (0.5 * log + less)
    return xp.where(x == xp.inf, xp.nan, found)  # as SciPy's


# log(1 + u) / u = 2 / (2 + u) (1 + s^2 / 3 + s^4 / 5 + ...), s = u / (2 + u); where abs(u) < 1/2,
# s^2 is below 1/9, and what is left out is below 2^-57.
_ODD = tuple(1 / (2 * k + 1) for k in range(18))


def _slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    near = xp.abs(x - 1) < 0.5
    u = xp.where(near, x - 1, xp.zeros_like(x))
    s = u / (2 + u)
    far = xp.where(near, xp.ones_like(x) * 2, x)
    return xp.where(near, -2 / (2 + u) * polynomial(_ODD, s * s), xp.log(far) / (1 - far))


@elementwise(derivatives=(_slope,), numpy="scipy.special:spence", torch="scipy.special:spence")
def spence(x: A) -> A:
    """Return Spence's function, the integral of ``log(t) / (1 - t)`` from 1 to `x`.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; NaN below 0 and at infinity.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A series in the logarithm, after reflections far from 1. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import spence
    >>> spence(np.asarray([0.0, 1.0, 2.0, 20.0])).round(6)
    array([ 1.644934,  0.      , -0.822467, -5.92784 ])
    """
    xp = array_namespace(x)
    return by_region((x,), (x < 0.25, _below), (x <= 4, lambda x: _li2(0 - xp.log(x))), rest=_above)
