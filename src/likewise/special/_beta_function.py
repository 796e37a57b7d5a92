"""The beta function, and quotients of gamma functions."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._digamma import digamma, digamma_difference
from ._function import by_region, elementwise, rarely
from ._gamma import gamma, rgamma
from ._gamma_parts import (
    gamma1p,
    gamma_quotient,
    log_gamma1p,
    sine_pi,
    stirling,
    turned,
)

__all__ = ["beta", "beta_itself", "betaln", "poch", "poch_box"]

# -- positive arguments ----------------------------------------------------------------------------


def _gamma1(x: Any, up: Any) -> Any:
    """gamma(x) where `up`, else its reciprocal, for x above 0."""
    xp = array_namespace(x)
    small = x < 1
    factor = xp.where(small, xp.where(up, 1 / x, x), xp.ones_like(x))
    return gamma1p(factor, xp.where(small, x, x - 1), up)


def _log_gamma1(x: Any) -> Any:
    xp = array_namespace(x)
    small = x < 1
    found = log_gamma1p(xp.where(small, x, x - 1))
    return xp.where(small, found - xp.log(x), found)


def _ordered(a: Any, b: Any) -> tuple[Any, Any]:
    xp = array_namespace(a, b)
    return xp.maximum(a, b), xp.minimum(a, b)


def _both_large(a: Any, b: Any) -> tuple[Any, Any]:
    """The factor and the exponent of beta(a, b) by Stirling's formulas, for a from b, b from 3 on.

    The powers of a / (a + b) and b / (a + b) are written so that a rounded sum does no harm.
    """
    xp = array_namespace(a, b)
    exponent = b * xp.log(b / (a + b)) - a * xp.log1p(b / a)
    rest = stirling(a) + stirling(b) - stirling(a + b)
    return xp.sqrt(2 * math.pi / b) * xp.sqrt(1 + b / a), exponent + rest


def _quotient(a: Any, b: Any) -> Any:
    """log(gamma(a) / gamma(a + b)), for a from 3 on."""
    return gamma_quotient(a, b) + b * (1 - array_namespace(a).log(a + b))


def _safe(a: Any) -> Any:
    return array_namespace(a).where(a < 3, 3.0, a)


def _beta_of_positive(c: Any, a: Any, b: Any, up: Any) -> Any:
    """c beta(a, b) for arguments above 0 where `up`, else c / beta(a, b).

    The result may be in range where one of the two factors isn't: powers are taken in two halves.
    """
    xp = array_namespace(a, b)
    a, b = _ordered(a, b)

    def small(c: Any, a: Any, b: Any, up: Any) -> Any:
        # gamma(b) is about 1 / b, which must not meet another factor next to the range's end.
        return c * (_gamma1(a, up) * _gamma1(a + b, ~up)) * _gamma1(b, up)

    def halves(c: Any, exponent: Any, up: Any) -> Any:
        half = xp.exp(0.5 * xp.where(up, exponent, -exponent))
        return c * half * half

    def mixed(c: Any, a: Any, b: Any, up: Any) -> Any:
        return halves(c * _gamma1(b, up), _quotient(_safe(a), b), up)

    def large(c: Any, a: Any, b: Any, up: Any) -> Any:
        factor, exponent = _both_large(_safe(a), _safe(b))
        return halves(c * xp.where(up, factor, 1 / factor), exponent, up)

    found = by_region((c, a, b, up), (a < 3, small), (b < 3, mixed), rest=large)
    edge = xp.where(up, xp.zeros_like(found), c * xp.inf)
    return xp.where(xp.isinf(a), xp.where(xp.isinf(b), xp.nan, edge), found)


def log_beta_positive(a: Any, b: Any) -> Any:
    """log(beta(a, b)) for arguments above 0."""
    xp = array_namespace(a, b)
    a, b = _ordered(a, b)

    def small(a: Any, b: Any) -> Any:
        return _log_gamma1(b) + (_log_gamma1(a) - _log_gamma1(a + b))

    def mixed(a: Any, b: Any) -> Any:
        return _log_gamma1(b) + _quotient(_safe(a), b)

    def large(a: Any, b: Any) -> Any:
        factor, exponent = _both_large(_safe(a), _safe(b))
        return xp.log(factor) + exponent

    found = by_region((a, b), (a < 3, small), (b < 3, mixed), rest=large)
    return xp.where(xp.isinf(a), xp.where(xp.isinf(b), xp.nan, -a), found)


# -- all arguments ---------------------------------------------------------------------------------


def _reflected(a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """beta(a, b) = factor beta(u, v)^power with u and v above 0, by DLMF 5.5.3."""
    xp = array_namespace(a, b)
    a, b = _ordered(a, b)
    sum_ = a + b
    n, m = xp.round(a), xp.round(b)
    sa, sb = sine_pi(a), sine_pi(b)
    ss = math.pi * turned(n + m, (a - n) + (b - m))[0]  # of a rounded sum it would be of less
    one, two, three = b > 0, (a > 0) & (sum_ > 0), a > 0
    # Both above 0; the lower one below, and the sum above or not; both below.
    factor = xp.where(
        one,
        xp.ones_like(sum_),
        xp.where(
            two, math.pi / (sb * a), xp.where(three, ss / sb, math.pi * ss / (sa * sb * (1 - sum_)))
        ),
    )
    u = xp.where(one, b, xp.where(three & ~two, a, 1 - b))
    v = xp.where(one, a, xp.where(two, sum_, xp.where(three, 1 - sum_, 1 - a)))
    return factor, u, v, one | (three & ~two)


def _at_poles(xp: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Where an argument is an integer not above 0; and the finite values there, if the sum is one.

    gamma(b) / gamma(a + b) is a limit then: beta(1 - a - b, b) (-1)^b for whole b.
    """
    a, b = _ordered(a, b)
    low, high = xp.floor(b) == b, xp.floor(a) == a
    pole = ((b <= 0) & low) | ((a <= 0) & high)
    finite = (b <= 0) & (b > -xp.inf) & low & (a > 0) & high & (1 - a - b > 0)
    sign = 1 - 2 * (a - 2 * xp.floor(0.5 * a))
    return pole, finite, sign


def beta_itself(a: Any, b: Any) -> Any:
    """The body of `beta`, for the bodies of others: no row answers."""
    xp = array_namespace(a, b)
    factor, u, v, up = _reflected(a, b)
    pole, finite, sign = _at_poles(xp, a, b)
    high = xp.maximum(a, b)
    u, v = xp.where(finite, 1 - a - b, u), xp.where(finite, high, v)
    factor, up = xp.where(finite, sign, factor), finite | up
    found = _beta_of_positive(factor, xp.where(u > 0, u, 1.0), xp.where(v > 0, v, 1.0), up)
    found = xp.where(pole & ~finite, xp.inf, found)
    return xp.where(xp.isnan(a) | xp.isnan(b), xp.nan, found)


def _slope(y: Any, a: Any, b: Any) -> Any:
    """y (digamma(a) - digamma(a + b)); next to zeros with 1 / gamma(a + b) by DLMF 5.5.3, so that
    further derivatives have their digits, too."""
    xp = array_namespace(a, b)
    there = xp.isfinite(a) & xp.isfinite(b)
    one, two = xp.where(there, a, 1.0), xp.where(there, b, 1.0)
    end, (high, low) = one + two, _ordered(one, two)  # the same for both slopes: computed once
    n, m = xp.round(high), xp.round(low)
    (s_high, _), (s_low, _) = turned(n, high - n), turned(m, low - m)
    s, c = turned(n + m, (high - n) + (low - m))
    own = xp.where(one >= two, s_high, s_low)  # 0 at a pole of gamma(a), and what has none there
    zero = (end < 0.5) & (xp.abs(s) < 0.5 * xp.abs(own)) & (s_low != 0)
    above = high > 0
    # gamma(a) gamma(b) gamma(1 - a - b), of arguments above 0.
    u = xp.where(zero, xp.where(above, high, 1 - high), 1.0)
    v = xp.where(zero, xp.where(above, 1 - end, 1 - low), 1.0)
    value, s_low = beta(u, v), xp.where(zero, s_low, 1.0)
    left = 1 / (xp.where(zero, s_high, 1.0) * s_low * value * xp.where(zero, 1 - end, 1.0))
    rest = xp.where(above, value / s_low, left)
    log = digamma(xp.where(zero, one, 1.0)) - digamma(xp.where(zero, 1 - end, 1.0))
    none = zero | (y == 0)  # by underflow, and at infinity
    found = -y * digamma_difference(xp.where(none, 1.0, a), xp.where(none, 1.0, b))
    return xp.where(zero, rest * (s * log + c), found)


def _box(y: Any, a: Any, b: Any) -> Any:
    """Arguments above 0 and up to 20."""
    return (a > 0) & (a <= 20) & (b > 0) & (b <= 20) & (y < 1e300)


def _log_box(y: Any, a: Any, b: Any) -> Any:
    """Arguments from 1e-10 to 10, or both from 1 to 60."""
    few = (a > 1e-10) & (a <= 10) & (b > 1e-10) & (b <= 10)
    more = (a >= 1) & (a <= 60) & (b >= 1) & (b <= 60)
    return few | more


@elementwise(
    derivatives=(_slope, lambda y, a, b: _slope(y, b, a)),
    numpy="scipy.special:beta",
    torch="scipy.special:beta",
    box=_box,
    usual=((1e-20, 20.0), (1e-20, 20.0)),
)
def beta(a: A, b: A | Numbers) -> A:
    """Return the beta function, ``gamma(a) gamma(b) / gamma(a + b)``.

    Parameters
    ----------
    a, b : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; infinite where an argument is 0 or a negative integer,
        unless the limit there is finite.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    The quotient itself where both arguments are below 3; else Stirling's formulas (DLMF 5.11.3),
    from which the large terms that cancel are removed first. So it keeps the digits that a sum of
    logarithms loses. Arguments below 0 are reflected (DLMF 5.5.3). Differentiable in both.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import beta
    >>> beta(np.asarray([0.5, 2.0, 1e-3]), 3.0).round(6)
    array([1.06666700e+00, 8.33330000e-02, 9.98501748e+02])
    """
    return beta_itself(a, b)


@elementwise(
    derivatives=(
        lambda y, a, b: -digamma_difference(a, b),
        lambda y, a, b: -digamma_difference(b, a),
    ),
    numpy="scipy.special:betaln",
    torch="scipy.special:betaln",
    box=_log_box,
    usual=((1e-9, 10.0), (1e-9, 10.0)),
)
def betaln(a: A, b: A | Numbers) -> A:
    """Return the logarithm of the magnitude of the beta function.

    Parameters
    ----------
    a, b : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `beta`. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import betaln
    >>> betaln(np.asarray([1.0, 400.0, 1e-8]), 900.0).round(6)
    array([  -6.802395, -804.306995,   18.420681])
    """
    xp = array_namespace(a, b)
    factor, u, v, up = _reflected(a, b)
    pole, finite, _ = _at_poles(xp, a, b)
    high = xp.maximum(a, b)
    u, v = xp.where(finite, 1 - a - b, u), xp.where(finite, high, v)
    value = log_beta_positive(xp.where(u > 0, u, 1.0), xp.where(v > 0, v, 1.0))
    plain = (a > 0) & (b > 0)
    found = xp.log(xp.abs(xp.where(plain, 1.0, factor))) + xp.where(up, value, -value)
    found = xp.where(pole, xp.where(finite, value, xp.inf), found)
    return xp.where(xp.isnan(a) | xp.isnan(b), xp.nan, found)


# -- quotients -------------------------------------------------------------------------------------


def _ratio(a: Any, m: Any) -> Any:
    """gamma(a + m) / gamma(a) for a and a + m above 0."""
    xp = array_namespace(a, m)
    low = xp.minimum(a, a + m) < 3

    def direct(a: Any, m: Any) -> Any:
        up = m == m
        return _gamma1(a + m, up) * _gamma1(a, ~up)

    def tail(a: Any, m: Any) -> Any:
        low = xp.minimum(a, a + m) < 3
        one, step = xp.where(low, 3.0, a), xp.where(low, 0.0, m)
        # Two powers, as one would leave the range before the other brings it back.
        half = 0.5 * step * (xp.log(one + step) - 1)
        return xp.exp(half - gamma_quotient(one, step)) * xp.exp(half)

    return by_region((a, m), (low, direct), rest=tail)


def _poch_slope(by_a: bool) -> Any:
    """y (digamma(a + m) - digamma(a)), or y digamma(a + m); next to zeros of 1 / gamma(a) with that
    by DLMF 5.5.3, so that further derivatives have their digits, too."""

    def slope(y: Any, a: Any, m: Any) -> Any:
        xp = array_namespace(a, m)
        there = xp.isfinite(a) & xp.isfinite(m)
        one, two = xp.where(there, a, 1.0), xp.where(there, m, 1.0)
        end, n, k = one + two, xp.round(one), xp.round(two)
        s, c = turned(n, one - n)
        s_end, c_end = turned(n + k, (one - n) + (two - k))
        right = end >= 0.5
        apart = right & (two > 0.25) | (xp.abs(s) < 0.5 * xp.abs(s_end))
        zero = there & (one < 0.5) & apart
        start = xp.where(zero, 1 - one, 1.0)
        # gamma(a + m) gamma(1 - a)
        whole = gamma(xp.where(right & zero, end, 1.0)) * gamma(xp.where(right, start, 1.0))
        left = zero & ~right
        rest = poch(xp.where(left, 1 - end, 1.0), xp.where(left, two, 0.0))
        rest = xp.where(right, whole, rest / xp.where(left, s_end, 1.0))
        log = digamma(xp.where(zero, end, 1.0))
        # A sum next to a pole has lost its digits: by DLMF 5.5.4, with both parts of it.
        lost = ~zero & (two == k) & (two < 0) & (end < 0.5) & (s != 0) & xp.isfinite(y)
        none = zero | lost | (y == 0)
        s_lost, s_end = xp.where(lost, s, 1.0), xp.where(lost, s_end, 1.0)
        back = xp.where(lost, 1 - one, 1.0)
        if by_a:
            turn = s * (log - digamma(start)) + c
            found = y * digamma_difference(xp.where(none, 1.0, a), xp.where(none, 1.0, m))
            move = turned(k, two - k)[0] / s_lost / s_end
            again = digamma_difference(back, xp.where(lost, -two, 1.0)) + move
        else:
            turn = s * log
            found = y * digamma(xp.where(none, 1.0, a + m))
            again = digamma(xp.where(lost, back - two, 1.0)) - c_end / s_end
        found = xp.where(lost, y * again, found)
        beyond = xp.isinf(rest)
        rest = xp.where((turn == 0) & beyond, 1.0, rest)
        found = xp.where(zero, rest * turn, found)
        # Where gamma(a + m) alone leaves the range.
        return found if by_a else xp.where(zero & beyond & (s != 0), y * log, found)

    return slope


def poch_box(y: Any, a: Any, m: Any) -> Any:
    """Arguments from 1e-8 to 12, or a whole second one from 0 to 24."""
    few = (a > 1e-8) & (a <= 12) & (m > 1e-8) & (m <= 12)
    whole = (a > 1e-8) & (a < 1e6) & (m >= 0) & (m <= 24) & (m % 1 == 0)
    return (few | whole) & (y > 1e-290) & (y < 1e300)


@elementwise(
    derivatives=(_poch_slope(True), _poch_slope(False)),
    numpy="scipy.special:poch",
    torch="scipy.special:poch",
    box=poch_box,
    usual=((1e-7, 12.0), (1e-7, 12.0)),
)
def poch(a: A, m: A | Numbers) -> A:
    """Return Pochhammer's symbol, the rising factorial ``gamma(a + m) / gamma(a)``.

    Parameters
    ----------
    a, m : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; 1 where `m` is 0.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Computed as `beta` is: a quotient, Stirling's formulas for large arguments, and reflection, so
    that factors may be of either sign. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import poch
    >>> poch(np.asarray([1.0, -3.0, 0.5]), 2.0).round(6)
    array([2.  , 6.  , 0.75])
    """
    xp = array_namespace(a, m)
    n, k = xp.round(m), xp.round(a)
    parity = 1 - 2 * (n - 2 * xp.floor(0.5 * n))
    # A sum below 0 may have lost what `a` is beside a pole; of a whole m, (-1)^m / poch(1 - a, -m).
    turned_back = (n == m) & (a > 0) & (a + m < 0.5)
    found = _rising(xp.where(turned_back, 1 - a, a), xp.where(turned_back, -m, m))
    found = xp.where(turned_back, parity / found, found)
    end = a + m
    first = (a <= 0) & (k == a)
    second = (end <= 0) & xp.where(n == m, k == a, xp.floor(end) == end)
    found = xp.where(second & ~first, xp.inf, xp.where(first & ~second, 0.0, found))
    found = xp.where((a == xp.inf) & (m > 0), xp.inf, xp.where((a == xp.inf) & (m < 0), 0.0, found))
    found = xp.where(m == 0, xp.ones_like(found), found)
    return xp.where(xp.isnan(a) | (m == -xp.inf) | xp.isnan(m), xp.nan, found)


def _rising(a: Any, m: Any) -> Any:
    """gamma(a + m) / gamma(a), but at poles."""
    xp = array_namespace(a, m)
    end: Any = a + m
    mirrored = (a <= 0) & (end <= 0)
    start = xp.where(mirrored, 1 - a - m, a)
    positive = (start > 0) & (start + m > 0)
    size = _ratio(xp.where(positive, start, 1.0), xp.where(positive, m, 1.0))
    n, k = xp.round(m), xp.round(a)
    parity = 1 - 2 * (n - 2 * xp.floor(0.5 * n))
    turn = turned(k, a - k)[0] / turned(k + n, (a - k) + (m - n))[0]
    turn = xp.where(n == m, parity, turn)
    found = xp.where(mirrored, turn * size, size)
    found = by_region(
        (a, end, found),
        (positive, lambda a, end, found: found),
        rest=lambda a, end, found: gamma(end) * rgamma(a),
    )
    beyond = xp.isinf(found) & (a < 3) & (end > 30) & (end < 340)
    return rarely((a, end), beyond, _by_halves, found)


def _by_halves(a: Any, end: Any) -> Any:
    """gamma(end) / gamma(a), where the first alone leaves the range (DLMF 5.5.5)."""
    xp = array_namespace(a, end)
    half = 0.5 * xp.where((end > 30) & (end < 340), end, 30.0)
    power = 2.0 ** (2 * half - 1) / math.sqrt(math.pi)
    return rgamma(a) * gamma(half) * power * gamma(half + 0.5)
