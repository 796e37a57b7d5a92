"""The incomplete beta functions."""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._betainc_parts import (
    by_fraction,
    by_series,
    of_shapes,
    of_small,
    oriented,
    pick,
    power,
    powers,
    prefactor,
    regions,
    scaled,
    small,
    uniform,
)
from ._betainc_slopes import tail_by_shape
from ._digamma import digamma_difference
from ._function import at_hand, by_region, elementwise, no_derivative, pair

__all__ = ["betainc", "betainc_by_shape", "betainc_density", "betaincc", "tail", "tail_and_factor"]


def tail(a: Any, b: Any, x: Any, y: Any, lower: bool) -> Any:
    """The lower function, or the upper one, for a and b above 0, and x and y = 1 - x between 0 and
    1."""
    c, d = scaled(a, b)
    return tail_and_factor(c, d, x, y, lower, of_shapes(c, d))[0]


def tail_and_factor(
    a: Any, b: Any, x: Any, y: Any, lower: bool, shapes: tuple[Any, Any]
) -> tuple[Any, Any]:
    """A tail, and `prefactor`, by way of `of_shapes`. Of a tail next to 1 the other is computed."""
    xp = array_namespace(a, b, x, y)
    factor, rest = shapes
    log = power(a, b, x, y)
    front = factor * xp.exp(rest + log)
    same, args = oriented(a, b, x, y)
    near, high, middle = regions(*args)
    direct = same if lower else ~same
    other = high | near & ~direct & (args[0] <= 1)
    found = by_region(
        (*args, other, rest, log, front), (near, _near), (middle, _uniform), rest=_by_fraction
    )
    return xp.where(other == direct, 1 - found, found), front


def _near(a: Any, b: Any, x: Any, y: Any, other: Any, rest: Any, log: Any, front: Any) -> Any:
    if at_hand(a, b, x):
        return by_region((a, b, x, rest, front), (other, _small), rest=_by_series)
    total = powers(other, a, b, x)  # one loop for both
    return pick(other, of_small(a, b, x, rest, total), front * ((1 + total) / a))


def _small(a: Any, b: Any, x: Any, rest: Any, front: Any) -> Any:
    return small(a, b, x, rest)


def _by_series(a: Any, b: Any, x: Any, rest: Any, front: Any) -> Any:
    return front * by_series(a, b, x)


def _uniform(a: Any, b: Any, x: Any, y: Any, other: Any, rest: Any, log: Any, front: Any) -> Any:
    return uniform(a, b, log)


def _by_fraction(
    a: Any, b: Any, x: Any, y: Any, other: Any, rest: Any, log: Any, front: Any
) -> Any:
    return front * by_fraction(a, b, x, y)


def safe(a: Any, b: Any, x: Any) -> tuple[Any, Any, Any]:
    """Replace arguments outside of the domain, and shapes that are tiny relative to 1 and to the
    other shape, by the least shape that still counts as tiny. There the derivatives are those at 0,
    and the tail is proportional to the shape (`_share`). The value and all derivatives share these
    arguments, so a compiler reads their common part once."""
    xp = array_namespace(a, b, x)
    good = (a >= 0) & (b >= 0) & (a + b > 0) & xp.isfinite(a) & xp.isfinite(b)
    good = good & (x > 0) & (x < 1)
    least = xp.finfo(x.dtype).eps ** 2
    low, high = least * xp.where(b < 1, b, 1.0), least * xp.where(a < 1, a, 1.0)
    c, d = xp.where(a < low, low, a), xp.where(b < high, high, b)
    return xp.where(good, c, 1.0), xp.where(good, d, 1.0), xp.where(good, x, 0.5)


def _share(a: Any, c: Any) -> Any:
    """The ratio of a shape to the one that `safe` put in its place; 1 where it is the same."""
    return array_namespace(a, c).where(a < c, a / c, 1.0)


def _edges(a: Any, b: Any, x: Any, found: Any, lower: bool) -> Any:
    """Set the values at the edges as SciPy has them; NaN outside of the domain."""
    xp = array_namespace(a, b, x)
    zero, one = (0.0, 1.0) if lower else (1.0, 0.0)
    first, last = (b == 0) | xp.isinf(a), (a == 0) | xp.isinf(b)
    found = xp.where((x == 0) | first, zero, found)
    found = xp.where((x == 1) | (last & (x > 0)), one, found)
    outside = (a < 0) | (b < 0) | ~((x >= 0) & (x <= 1)) | (first & last)
    return xp.where(outside | xp.isnan(a) | xp.isnan(b), xp.nan, found)


# -- derivatives -----------------------------------------------------------------------------------


def _log_slope(first: Any, a: Any, b: Any, x: Any) -> Any:
    """The derivative of the density's logarithm in a where `first` is 1, else in b."""
    xp = array_namespace(first, a, b, x)
    by_a = first == 1
    log = xp.where(by_a, xp.log(x), xp.log1p(-x))
    return log + digamma_difference(xp.where(by_a, a, b), xp.where(by_a, b, a))


@elementwise(
    derivatives=(
        *pair(lambda first, y, a, b, x: y * _log_slope(first, a, b, x)),
        lambda y, a, b, x: y * ((a - 1) / x - (b - 1) / (1 - x)),
    )
)
def betainc_density(a: Any, b: Any, x: Any) -> Any:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b), the derivative of betainc in x."""
    xp = array_namespace(a, b, x)
    c, d, z = safe(a, b, x)
    found = prefactor(c, d, z, 1 - z) / z / (1 - z) * (_share(a, c) * _share(b, d))
    for end, one, two in ((0.0, a, b), (1.0, b, a)):
        at = xp.where(one < 1, xp.inf, xp.where(one == 1, two, 0.0))
        found = xp.where(x == end, at, found)
    found = xp.where(xp.isinf(a) | xp.isinf(b), 0.0, found)
    jump = (a == 0) & (x == 0) | (b == 0) & (x == 1)
    found = xp.where(((a == 0) | (b == 0)) & ~jump, 0.0, found)
    return xp.where((a + b > 0) & (a >= 0) & (b >= 0) & (x >= 0) & (x <= 1) & ~jump, found, xp.nan)


@elementwise(
    derivatives=(
        no_derivative("betainc: argument 'first' is no number"),
        no_derivative("betainc: there is no second derivative in a; take differences of the first"),
        no_derivative("betainc: there is no second derivative in b; take differences of the first"),
        lambda y, first, a, b, x: betainc_density(a, b, x) * _log_slope(first, a, b, x),
    )
)
def betainc_by_shape(first: Any, a: Any, b: Any, x: Any) -> Any:
    """The derivative of betainc in a where `first` is 1, in b where it is 0.

    For a shape at or next to 0 this is the limit, the derivative for a shape that is small relative
    to the other one.
    """
    xp = array_namespace(first, a, b, x)
    if a.ndim > 1 and a.shape[0] == b.shape[0] == x.shape[0] == 1:  # of both shapes
        a, b, x = a[0, ...], b[0, ...], x[0, ...]
    by_a = first == 1
    none, other = xp.where(by_a, a == 0, b == 0), xp.where(by_a, b == 0, a == 0)
    c, d, z = safe(a, b, x)
    k, m = scaled(c, d)
    found = tail_by_shape(k, m, z, 1 - z, by_a)[0] * (k / c)
    found = xp.where((x == 0) | (x == 1) | xp.isinf(a) | xp.isinf(b) | other, 0.0, found)
    inside = (a >= 0) & (b >= 0) & ~(none & other) & (x >= 0) & (x <= 1)
    jump = (a == 0) & (x == 0) | (b == 0) & (x == 1)
    return xp.where(inside & ~jump, found, xp.nan)


# -- the functions ---------------------------------------------------------------------------------


def lower_box(y: Any, a: Any, b: Any, x: Any) -> Any:
    """Parameters from 1e-3 to 1e6, no small whole one with a large one, nothing close to 0."""
    sums = (a % 1 == 0) & (a <= 11) & (b > 15) | (b % 1 == 0) & (b <= 11) & (a > 15)
    right = (a >= 1e-3) & (a <= 1e6) & (b >= 1e-3) & (b <= 1e6) & (sums == 0)
    inside = right & (x >= 1e-20) & ((x < 0.999999999) | (x == 1)) & (y > 1e-240)
    if inside is True:  # of one number
        return inside
    n = a + b  # a tail is less than exp(-2 (n + 1) (a / n - x)**2): Marchal and Arbel, 2017
    below = a - x * n
    none = (x == 0) | (below > 0) & (2 * (n + 1) * (below * below) > 750 * (n * n))
    return inside | right & (y == 0) & none


def upper_box(y: Any, a: Any, b: Any, x: Any) -> Any:
    """Parameters from 1e-3 to 1e6, no large one with just a small whole one; nothing close to 0."""
    sums = (a % 1 == 0) & (a <= 20) & (b > 15) | (b % 1 == 0) & (b <= 20) & (a > 15)
    right = (a >= 1e-3) & (a <= 1e6) & (b >= 1e-3) & (b <= 1e6) & ((sums == 0) | (a % 1 == b % 1))
    inside = right & (x >= 1e-9) & (y > 1e-240)
    if inside is True:
        return inside
    n = a + b
    above = x * n - a
    none = (x == 1) | (above > 0) & (2 * (n + 1) * (above * above) > 750 * (n * n))
    return inside | right & (y == 0) & none


@elementwise(
    derivatives=(
        *pair(lambda first, y, a, b, x: betainc_by_shape(first, a, b, x)),
        lambda y, a, b, x: betainc_density(a, b, x),
    ),
    numpy="scipy.special:betainc",
    torch="scipy.special:betainc",
    box=lower_box,
    usual=((0.05, 15.0), (0.05, 15.0), (1e-10, 0.99999)),
)
def betainc(a: A | Numbers, b: A | Numbers, x: A | Numbers) -> A:
    """Return the regularized incomplete beta function.

    It is the integral of ``t**(a - 1) (1 - t)**(b - 1)`` from 0 to `x` over ``beta(a, b)``.

    Parameters
    ----------
    a, b, x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype, between 0 and 1; NaN where `a` or `b` is negative, both are
        0 or infinite, or `x` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    A. R. DiDonato, A. H. Morris, ACM TOMS 18 (1992), 360, with fixed numbers of steps: a series
    (DLMF 8.17.8) near 0 and 1; Temme's expansion (DLMF 8.18.9) near the mean where
    ``a * b / (a + b)`` is at least 200; else the even part of the continued fraction DLMF 8.17.22,
    a loop of 100 steps (30 in float32). The factor in front is Loader's, whose large terms cancel
    beforehand for large `a` and `b`. Differentiable in all arguments; in `a` and `b` only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import betainc
    >>> betainc(2.0, 0.5, np.asarray([0.0, 0.5, 1.0])).round(6)
    array([0.      , 0.116117, 1.      ])
    """
    c, d, z = safe(a, b, x)
    return _edges(a, b, x, tail(c, d, z, 1 - z, True) * _share(b, d), True)


@elementwise(
    derivatives=(
        *pair(lambda first, y, a, b, x: -betainc_by_shape(first, a, b, x)),
        lambda y, a, b, x: -betainc_density(a, b, x),
    ),
    numpy="scipy.special:betaincc",
    torch="scipy.special:betaincc",
    box=upper_box,
    usual=((0.05, 15.0), (0.05, 15.0), (1e-9, 0.99999)),
)
def betaincc(a: A | Numbers, b: A | Numbers, x: A | Numbers) -> A:
    """Return the complement of the regularized incomplete beta function, ``1 - betainc(a, b, x)``.

    Parameters
    ----------
    a, b, x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype, between 0 and 1; NaN where `a` or `b` is negative, both are
        0 or infinite, or `x` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    `betainc` with `a` and `b` exchanged at ``1 - x``, which isn't rounded; for small `a` near 0, a
    separate series. Small results have all their digits. Differentiable in all arguments; in `a`
    and `b` only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import betaincc
    >>> betaincc(2.0, 50.0, np.asarray([0.0, 0.5, 1.0]))
    array([1.00000000e+00, 2.30926389e-14, 0.00000000e+00])
    """
    c, d, z = safe(a, b, x)
    return _edges(a, b, x, tail(c, d, z, 1 - z, False) * _share(a, c), False)
