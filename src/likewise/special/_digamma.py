"""The logarithmic derivative of the gamma function, and that function's derivatives."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import _planned, by_region, elementwise, no_derivative, public
from ._gamma_parts import (
    digamma1p,
    digamma_step,
    gamma1p,
    log_gamma1p,
    negative_integer,
    turned,
)
from ._zeta import hurwitz, right_of_zero, zeta_over_first

__all__ = ["digamma", "digamma_difference", "polygamma", "psi"]


def _reflected(x: Any) -> Any:
    """digamma(1 - x) - pi / tan(pi x), below 0 (DLMF 5.5.4)."""
    xp = array_namespace(x)
    found = digamma1p(xp.abs(x)) - math.pi / xp.tan(math.pi * (x - xp.round(x)))
    return xp.where(negative_integer(x), xp.nan, found)


def _ahead(x: Any) -> Any:
    xp = array_namespace(x)
    found = digamma1p(xp.where(x < 1, x, x - 1))
    return xp.where(x < 1, found - 1 / x, found)


def _trigamma(y: Any, x: Any) -> Any:
    return polygamma(1, x)


def _next(y: Any, n: Any, x: Any) -> Any:
    return polygamma(n + 1, x)


@elementwise(derivatives=(_trigamma,), numpy="scipy.special:digamma", torch="scipy.special:digamma")
def digamma(x: A) -> A:
    """Return the derivative of the logarithm of the gamma function.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, with the opposite sign of that
        zero, and NaN at negative integers.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    On [1, 3], a rational function times the distance from the zero in this interval, so that all
    digits are right next to the zero; on [0, 1], ``digamma(1 + x) - 1 / x``; from 3 on, DLMF 5.11.2
    with a rational function for the series; below 0, reflection (DLMF 5.5.4). Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import digamma
    >>> digamma(np.asarray([0.5, 1.0, 100.0])).round(6)
    array([-1.96351 , -0.577216,  4.600162])
    """
    return by_region((x,), (x < 0, _reflected), rest=_ahead)


@public
def psi(z: A) -> A:
    """Return the derivative of the logarithm of the gamma function; another name of `digamma`.

    Parameters
    ----------
    z : array
        Real, any shape.

    Returns
    -------
    array
        ``digamma(z)``.

    Raises
    ------
    DtypeError
        If `z` doesn't hold real numbers.

    Notes
    -----
    Differentiable. Differs from SciPy: no complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import psi
    >>> psi(np.asarray([0.5, 1.0, 100.0])).round(6)
    array([-1.96351 , -0.577216,  4.600162])
    """
    return digamma(*_planned("psi", ("z",), (z,), False, ()))


def _box(y: Any, n: Any, x: Any) -> Any:
    """Orders from 0 to 60 of what is from 1e-3 to 1e4, or smaller ones to 20 up to 1e6."""
    right = (x >= 1e-3) & (n >= 0)
    few = (n <= 60) & (x <= 1e4) | (n <= 20) & (x <= 1e6)
    return right & ((n % 1 > 0) & (y != y) | few & (abs(y) < 1e300))


@elementwise(
    derivatives=(
        no_derivative("polygamma: has no derivative in n, which is a whole number"),
        _next,
    ),
    numpy="likewise._libs.numpy._whole:polygamma",
    box=_box,
)
def polygamma(n: A | Numbers, x: A) -> A:
    """Return a derivative of the digamma function.

    Parameters
    ----------
    n : array
        The order of the derivative: whole numbers, not negative.
    x : array
        Real; broadcasts with `n`.

    Returns
    -------
    array
        Of their common floating dtype; infinite at 0 and negative integers, except for ``n = 0``.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    ``(-1)**(n + 1) n! zeta(n + 1, x)`` (DLMF 5.15.1), and `digamma` for ``n = 0``. Differentiable
    in `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import polygamma
    >>> polygamma(1, np.asarray([0.5, 1.0])).round(6)
    array([4.934802, 1.644934])
    """
    xp = array_namespace(n, x)
    order = xp.where(n >= 1, n, xp.ones_like(n))
    sign = 2 * (n - 2 * xp.floor(0.5 * n)) - 1
    over = zeta_over_first(order + 1, right_of_zero(x))
    factor, values = gamma1p(xp.ones_like(order), order, order >= 0), hurwitz(order + 1, x, over)
    # Where the factorial or the powers leave the range, the first term is taken by logarithms.
    first = xp.exp(log_gamma1p(order) - (order + 1) * xp.log(x)) * over
    extreme = (x > 1) & (xp.isinf(factor) | (values < 4 * xp.finfo(x.dtype).smallest_normal))
    above = sign * xp.where(extreme, first, factor * values)
    above = xp.where(x == xp.inf, 0.0, above)
    whole = (n >= 0) & (xp.floor(n) == n)
    zero = by_region((x,), (x < 0, _reflected), rest=_ahead)
    return xp.where(n == 0, zero, xp.where(whole, above, xp.nan))


def digamma_difference(a: Any, b: Any) -> Any:
    """digamma(a + b) - digamma(a), accurate for small b; may be differentiated as it is.

    Above 0 by quotients of differences; where both are below 0, by DLMF 5.5.4, with the difference
    of the tangents as a quotient of sines. At poles of both, b is a whole number, and the infinite
    parts cancel.
    """
    xp = array_namespace(a, b)
    end = a + b
    below = (a <= 0) & (end <= 0)
    first, last = xp.floor(a) == a, xp.floor(end) == end
    start = xp.where(below, 1 - end, a)
    above, same = (start > 0) & (start + b > 0), b == 0
    apart = ~(above | same)
    step = digamma_step(xp.where(above, start, 1.0), xp.where(above, b, 0.0))
    far = digamma(xp.where(apart, end, 1.0)) - digamma(xp.where(apart, a, 1.0))
    plain = below & ~(first | last)
    n, m = xp.round(a), xp.round(b)
    (s, c), (t, d) = turned(n, a - n), turned(n + m, (a - n) + (b - m))
    s, t, move = xp.where(plain, s, 1.0), xp.where(plain, t, 1.0), turned(m, b - m)[0]
    turn = xp.where(xp.abs(move) < xp.abs(s), move / (s * t), c / s - d / t)
    step = xp.where(
        below, xp.where(plain, turn, xp.where(first & last, 0 * step, xp.nan)) - step, step
    )
    return xp.where(apart, far, step)
