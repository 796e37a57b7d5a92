"""Complete elliptic integrals of the first and second kind, of the parameter m = k^2.

With p = 1 - m up to 1 they are polynomials in p less log(p) times others, as their expansions at
p = 0 are (DLMF 19.12.1-2); a negative m is taken to p below 1 by DLMF 19.7.2.
Coefficients are by ci/special/fit.py.
"""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from . import _elliptic_fits as fits
from ._function import elementwise
from ._polynomial import polynomial

__all__ = ["ellipe", "ellipk", "ellipkm1"]


_LOG4 = math.log(4)


def _times(xp: Any, q: Any, log: Any) -> Any:
    """q log(q), which is 0 at 0."""
    return xp.where(q == 0, q, q * log)


def _first(p: Any) -> Any:
    """K(1 - p)."""
    xp = array_namespace(p)
    q = xp.where(p > 1, 1 / p, p)
    a, b = fits.K
    log = xp.log(p)  # not of q, which is subnormal where p is huge
    log = xp.where(p > 1, -log, log)
    found = _LOG4 - 0.5 * log + q * polynomial(a, q) - _times(xp, q, log) * polynomial(b, q)
    found = xp.where(p > 1, found / xp.sqrt(p), found)
    return xp.where(p == xp.inf, xp.zeros_like(p), found)


# The derivatives of K and E have m below a difference that vanishes with it. Up to 1/8 they are
# series (DLMF 19.5.1-2), of which 20 terms leave 8^-20.
_SQUARES = tuple((math.comb(2 * k, k) / 4**k) ** 2 for k in range(1, 21))
_FIRST = tuple(math.pi / 2 * k * c for k, c in enumerate(_SQUARES, 1))
_SECOND = tuple(math.pi / 2 * k / (1 - 2 * k) * c for k, c in enumerate(_SQUARES, 1))


def _by_series(m: Any, coefficients: Any, above: Any, below: Any) -> Any:
    """above / (2 m below), a series next to m = 0, and 0 at the end."""
    xp = array_namespace(m)
    near, end = xp.abs(m) < 0.125, m == -xp.inf
    series = polynomial(coefficients, xp.where(near, m, xp.zeros_like(m)))
    far = xp.where(near | end, xp.ones_like(m), m)
    found = xp.where(end, 0.0, 0.5 * above) / far / below
    return xp.where(near, series, found)


def _first_slope(y: Any, m: Any, p: Any) -> Any:
    xp = array_namespace(m)
    safe = xp.where(p == 0, xp.ones_like(p), p)
    found = _by_series(m, _FIRST, ellipe(m) - p * y, safe)
    return xp.where(p == 0, xp.inf, found)


def _second_slope(y: Any, m: Any) -> Any:
    return _by_series(m, _SECOND, y - ellipk(m), 1)


@elementwise(
    derivatives=(lambda y, m: _first_slope(y, m, 1 - m),),
    numpy="scipy.special:ellipk",
    torch="scipy.special:ellipk",
)
def ellipk(m: A) -> A:
    """Return the complete elliptic integral of the first kind, of the parameter `m`.

    Parameters
    ----------
    m : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `m` and its floating dtype; infinite at 1, NaN beyond.

    Raises
    ------
    DtypeError
        If `m` doesn't hold real numbers.

    Notes
    -----
    Two polynomials and a logarithm. Next to 1, `ellipkm1` takes ``1 - m``. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import ellipk
    >>> ellipk(np.asarray([-3.0, 0.0, 0.5, 1.0])).round(6)
    array([1.078258, 1.570796, 1.854075,      inf])
    """
    return _first(1 - m)


@elementwise(
    derivatives=(lambda y, p: -_first_slope(y, 1 - p, p),),
    numpy="scipy.special:ellipkm1",
    torch="scipy.special:ellipkm1",
)
def ellipkm1(p: A) -> A:
    """Return the complete elliptic integral of the first kind, of the parameter ``1 - p``.

    Parameters
    ----------
    p : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `p` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    DtypeError
        If `p` doesn't hold real numbers.

    Notes
    -----
    Two polynomials and a logarithm. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import ellipkm1
    >>> ellipkm1(np.asarray([0.0, 1e-20, 1.0])).round(6)
    array([      inf, 24.412145,  1.570796])
    """
    return _first(p)


@elementwise(
    derivatives=(_second_slope,), numpy="scipy.special:ellipe", torch="scipy.special:ellipe"
)
def ellipe(m: A) -> A:
    """Return the complete elliptic integral of the second kind, of the parameter `m`.

    Parameters
    ----------
    m : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `m` and its floating dtype; 1 at 1, NaN beyond.

    Raises
    ------
    DtypeError
        If `m` doesn't hold real numbers.

    Notes
    -----
    Two polynomials and a logarithm. Differentiable; at 1 the derivative is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import ellipe
    >>> ellipe(np.asarray([-3.0, 0.0, 0.5, 1.0])).round(6)
    array([2.422112, 1.570796, 1.350644, 1.      ])
    """
    xp = array_namespace(m)
    p = 1 - m
    q = xp.where(p > 1, 1 / p, p)
    a, b = fits.E
    found = 1 + (q * polynomial(a, q) - _times(xp, q, xp.log(q)) * polynomial(b, q))
    return xp.where(p > 1, xp.sqrt(p) * found, found)
