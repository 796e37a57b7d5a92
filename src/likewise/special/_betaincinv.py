"""The inverses of the incomplete beta functions in x, by way of the odds x / (1 - x).

The smaller tail is inverted; where that is the upper one, (a, x) and (b, 1 - x) are exchanged. Odds
keep the digits of both x and 1 - x.
"""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._betainc import betainc_by_shape, betainc_density, tail_and_factor
from ._betainc_parts import exponent, log_beta, of_shapes, scaled, stacked
from ._function import at_hand, by_region, elementwise, pair, repeated
from ._gammaincinv import ratio_of_eta, small_start
from ._normal import quantile

__all__ = ["betainccinv", "betaincinv", "odds_of", "parts_of"]

# The starts are off by 0.2 at most, where the odds move as much as the tail does, and less where
# they move more. A step takes 0.2 to 1e-5, and that to 1e-20.
_STEPS = 2
_POWERS = 0.2  # of the series' second term
_SMALL = 0.5  # the shape from which on Temme's expansion is a start


def parts_of(odds: Any) -> tuple[Any, Any]:
    """x and 1 - x, with the digits of both."""
    xp = array_namespace(odds)
    y = 1 / (1 + odds)
    low = odds < 1
    return xp.where(low, odds * y, 1 / (1 + 1 / xp.where(low, 1.0, odds))), y


def _powers(a: Any, b: Any, log: Any) -> tuple[Any, Any]:
    """The odds as a power series of v = (P a beta(a, b))^(1 / a), and its second term over v:
    P = v^a (1 - a c v + ...) in the odds, with c = (a + b) / (a + 1)."""
    v = array_namespace(log).exp(log / a)
    second = v * ((a + b) / (a + 1))
    return second, v * (1 + second * (1 + second))


def _by_gamma(a: Any, b: Any, r: Any) -> Any:
    """For small b: a + (b - 1) / 2 times -log(x) is about distributed as gamma is (exactly for b =
    1)."""
    xp = array_namespace(a, b)
    found = small_start(xp.where(b < 1, b, 1.0), r, xp.ones_like(r))
    return 1 / xp.expm1(found / (a + 0.5 * (b - 1)))


def _of_eta(p: Any, q: Any, eta: Any) -> Any:
    """The odds of x, where p log(p / x) + q log(q / (1 - x)) is eta^2 / 2, for eta below 0: a
    series about p, else Newton's method on the root of it, in log(odds), from below."""
    xp = array_namespace(p, eta)
    root = xp.sqrt(p * q)
    e = eta / root
    near = e > -0.2
    s = xp.where(near, e, 0.0)
    away = root * root * s * (1 + s * ((q - p) / 3 + s * (1 - 13 * p * q) / 36))
    # As for the gamma distribution of x or of 1 - x: both are below the root.
    if at_hand(p, q, eta):
        below = p * ratio_of_eta(eta / xp.sqrt(p))
        above = q * ratio_of_eta(-eta / xp.sqrt(q))
    else:  # as one
        share = stacked(p, q)
        found = share * ratio_of_eta(stacked(eta, -eta) / xp.sqrt(share))
        below, above = found[0, ...], found[1, ...]
    inside = above < 1
    above = xp.where(inside, above, 0.5)
    below = xp.minimum(below, 1 - xp.finfo(p.dtype).eps)  # of p = 1, as rounded
    u = xp.log(below / (1 - below))
    u = xp.where(inside, xp.maximum(u, xp.log((1 - above) / above)), u)

    def step(_: Any, carry: Any) -> Any:
        (u,) = carry
        x, y = parts_of(xp.exp(u))
        found = -xp.sqrt(2 * exponent(p, q, x, y))
        return (u - (found - eta) * found / xp.where(near, 1.0, q * x - p * y),)

    u = repeated(4, step, (u,))[0]
    return xp.where(near, (p + away) / (q - away), xp.exp(u))


def _by_expansion(a: Any, b: Any, r: Any) -> Any:
    """Temme's expansion (A. Gil, J. Segura, N. M. Temme, Numer. Algorithms 74 (2017), 77, sec. 2):
    the normal distribution's eta, and a correction for the difference."""
    xp = array_namespace(a, b, r)
    n = a + b
    p, q = a / n, b / n
    root = xp.sqrt(p * q)
    eta = quantile(r) / xp.sqrt(n)
    near = eta > -0.05 * root
    safe = xp.where(near, 1.0, eta)

    def corrected(_: Any, carry: Any) -> Any:
        """A loop of two, as half the text for a compiler; the last correction isn't used."""
        odds = _of_eta(p, q, carry[1])
        x, y = parts_of(odds)
        ratio = xp.where(near, 1.0, root * eta / xp.where(near, 1.0, q * x - p * y))
        moved = xp.where(near, (p - q) / (3 * root), xp.log(ratio) / safe)
        return odds, xp.minimum(eta + moved / n, 0.6 * root)

    return repeated(2, corrected, (xp.zeros_like(eta), eta))[0]


def _start(a: Any, b: Any, r: Any, shapes: tuple[Any, Any]) -> Any:
    xp = array_namespace(a, r)
    log = log_beta(a, b, shapes)
    first, low = _powers(a, b, log + xp.log(a) + xp.log(r))
    last, high = _powers(b, a, log + xp.log(b) + xp.log1p(-r))
    small = (a < _SMALL) | ((a < 1) & (b < _SMALL))
    return by_region(
        (a, b, r, low, high),
        (first < _POWERS, lambda a, b, r, low, high: low),
        (last < _POWERS, lambda a, b, r, low, high: 1 / high),
        (small & (first < last), lambda a, b, r, low, high: low),
        (small, lambda a, b, r, low, high: 1 / high),
        (b < _SMALL, lambda a, b, r, *_: _by_gamma(a, b, r)),
        rest=lambda a, b, r, *_: _by_expansion(a, b, r),
    )


def odds_of(a: Any, b: Any, r: Any) -> Any:
    """x / (1 - x), of which the lower function is r, between 0 and 1/2.

    Steps of fourth order (A. S. Householder, 1970, of three derivatives) on the logarithm of the
    function, which is concave in the logarithm of the odds; its derivatives are elementary in x and
    the density.
    """
    xp = array_namespace(a, b, r)
    # Of a tiny second shape the tail is a multiple, and both may have few digits.
    tiny = (a > 1e-3) & (xp.maximum(b, r) < 2.0**30 * xp.finfo(r.dtype).smallest_normal)
    b, r = xp.where(tiny, 2.0**60 * b, b), xp.where(tiny, 2.0**60 * r, r)
    a, b = scaled(a, b)
    shapes = of_shapes(a, b)
    # From here on the start has all digits, and x has too few to determine the tail.
    few = a * (b / (a + b)) < 1 / xp.finfo(r.dtype).eps

    def step(_: Any, carry: Any) -> Any:
        (odds,) = carry
        x, y = parts_of(odds)
        found, front = tail_and_factor(a, b, x, y, True, shapes)
        off = (found - r) / r
        log = xp.where(xp.abs(off) < 0.5, xp.log1p(off), xp.log(found / r))
        first = front / found
        newton = -log / first
        second = a * y - b * x - first
        third = second * second - (a + b) * x * y - first * second
        bent = second * newton
        moved = newton * (1 + 0.5 * bent) / (1 + bent + third * newton * newton / 6)
        return (odds * xp.exp(xp.where(few & xp.isfinite(moved), moved, 0.0)),)

    return repeated(_STEPS, step, (_start(a, b, r, shapes),))[0]


def _inverse(a: Any, b: Any, p: Any, lower: bool) -> Any:
    xp = array_namespace(a, b, p)
    good = (a > 0) & (b > 0) & xp.isfinite(a) & xp.isfinite(b) & (p > 0) & (p < 1)
    a, b, r = (xp.where(good, v, s) for v, s in ((a, 1.0), (b, 1.0), (p, 0.25)))
    same = (r <= 0.5) if lower else (r > 0.5)
    odds = odds_of(xp.where(same, a, b), xp.where(same, b, a), xp.minimum(r, 1 - r))
    x, y = parts_of(odds)
    return xp.where(good, xp.where(same, x, y), xp.nan)


def _edges(a: Any, b: Any, p: Any, found: Any, lower: bool) -> Any:
    """Set the values at the edges as SciPy has them; NaN outside of the domain."""
    xp = array_namespace(a, b, p)
    zero, one = (0.0, 1.0) if lower else (1.0, 0.0)
    inside = (p > 0) & (p < 1)
    found = xp.where(inside & xp.isinf(b) & (a == 1), 0.0, found)
    found = xp.where(inside & xp.isinf(a) & (b == 1), 1.0, found)
    found = xp.where(p == 0, zero, xp.where(p == 1, one, found))
    return xp.where((a > 0) & (b > 0), found, xp.nan)


def _by_tail(a: Any, b: Any, x: Any) -> Any:
    """How x moves with the lower function; not at all where a shape is infinite."""
    xp = array_namespace(a, b)
    still = xp.isinf(a) | xp.isinf(b)
    return xp.where(still, 0 * x, 1 / xp.where(still, 1.0, betainc_density(a, b, x)))


def _moved(first: Any, a: Any, b: Any, x: Any) -> Any:
    """How x moves with a, or with b, where the function stays what it is."""
    xp = array_namespace(first, x)
    slope = betainc_by_shape(first, a, b, x)
    still = slope == 0
    return xp.where(still, 0.0, -slope / xp.where(still, 1.0, betainc_density(a, b, x)))


def _box(x: Any, a: Any, b: Any, y: Any) -> Any:
    """Parameters from 0.05 to 25, and an argument from 1e-10 on."""
    right = (a >= 0.05) & (a <= 25) & (b >= 0.05) & (b <= 25)
    return right & (y >= 1e-10) & (y < 1) & (x > 1e-240)


@elementwise(
    derivatives=(
        *pair(lambda first, x, a, b, y: _moved(first, a, b, x)),
        lambda x, a, b, y: _by_tail(a, b, x),
    ),
    numpy="scipy.special:betaincinv",
    torch="scipy.special:betaincinv",
    box=_box,
    usual=((0.05, 25.0), (0.05, 25.0), (1e-10, 0.999999)),
)
def betaincinv(a: A | Numbers, b: A | Numbers, y: A | Numbers) -> A:
    """Return the inverse of `betainc` in its last argument: `x`, where it is `y`.

    Parameters
    ----------
    a, b, y : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype, between 0 and 1. NaN where `y` isn't in [0, 1], or `a` or
        `b` is not positive or infinite; where one of them is 1 and the other infinite, the result
        is the limit, 0 or 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    A. Gil, J. Segura, N. M. Temme, Numer. Algorithms 74 (2017), 77: the start is a power series,
    the inverse for the gamma distribution, or Temme's expansion; then two steps of fourth order on
    the logarithm of the smaller tail, each of which costs as much as `betainc`. Differentiable in
    all arguments; in `a` and `b` only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import betaincinv
    >>> betaincinv(2.0, 0.5, np.asarray([0.0, 0.1, 0.5, 1.0])).round(6)
    array([0.      , 0.468123, 0.879385, 1.      ])
    """
    return _edges(a, b, y, _inverse(a, b, y, True), True)


@elementwise(
    derivatives=(
        *pair(lambda first, x, a, b, y: _moved(first, a, b, x)),
        lambda x, a, b, y: -_by_tail(a, b, x),
    ),
    numpy="scipy.special:betainccinv",
    torch="scipy.special:betainccinv",
    box=_box,
    usual=((0.05, 25.0), (0.05, 25.0), (1e-10, 0.999999)),
)
def betainccinv(a: A | Numbers, b: A | Numbers, y: A | Numbers) -> A:
    """Return the inverse of `betaincc` in its last argument: `x`, where it is `y`.

    Parameters
    ----------
    a, b, y : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype, between 0 and 1. NaN where `y` isn't in [0, 1], or `a` or
        `b` is not positive or infinite; where one of them is 1 and the other infinite, the result
        is the limit, 0 or 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `betaincinv`. Differentiable in all arguments; in `a` and `b` only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import betainccinv
    >>> betainccinv(2.0, 50.0, np.asarray([0.0, 1e-12, 0.5, 1.0])).round(6)
    array([1.      , 0.459997, 0.032691, 0.      ])
    """
    return _edges(a, b, y, _inverse(a, b, y, False), False)
