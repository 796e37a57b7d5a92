"""The incomplete gamma functions (A. R. DiDonato, A. H. Morris, ACM TOMS 12 (1986), 377)."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ..transforms import jvp
from . import _gammainc_coefficients as table
from ._digamma import digamma
from ._elementary import exprel
from ._erf import erfcx
from ._function import by_region, elementwise, repeated
from ._gamma_parts import digamma1p, gamma1p, log_gamma_near, stirling
from ._log1p_less import less_log
from ._polynomial import polynomial

__all__ = ["gammainc", "gammainc_density", "gammaincc", "moved_by_a", "tail", "weight"]

# Temme's expansion holds all digits from here on, where abs(eta) is below 0.36.
_UNIFORM, _ETA = 20.0, 0.36
# Steps of the series and of the continued fraction: enough for their worst arguments, a = x = 20
# for the series (49 steps to 2^-53), and x = 1.1 for the fraction.
_SERIES = {True: 60, False: 110}
_FRACTION = {True: 30, False: 90}
_EXPONENTIAL = {True: 12, False: 22}


def _single(x: Any) -> bool:
    return bool(x.dtype == array_namespace(x).float32)


def _from_one(a: Any) -> tuple[Any, Any]:
    """gamma(a) = gamma(1 + t) / c for a below 3."""
    xp = array_namespace(a)
    small = a < 1
    return xp.where(small, a, a - 1), xp.where(small, a, xp.ones_like(a))


def weight(a: Any, x: Any) -> Any:
    """x^a exp(-x) / gamma(a). From 3 on by what Stirling's formula leaves of it."""
    xp = array_namespace(a, x)
    low = a < 3
    t, factor = _from_one(xp.where(low, a, xp.ones_like(a)))
    u = xp.where(low, xp.ones_like(x), x)
    small = gamma1p(factor * xp.where(low, x, u) ** xp.where(low, a, 1.0), t, t < 0)
    b = xp.where(low, 3.0, a)
    # Of mu next to -1 the logarithm is taken as it stands.
    away = u < 0.5 * b
    near = -b * less_log(xp.where(away, 0.0, (u - b) / b))
    exponent = xp.where(away, b * xp.log(xp.where(away, u, b) / b) + (b - u), near)
    large = xp.exp(exponent - stirling(b)) * xp.sqrt(b / (2 * math.pi))
    falling = xp.exp(-x)
    return xp.where(low, xp.where(falling == 0, 0.0, small * falling), large)


def _lower_series(a: Any, x: Any) -> tuple[Any, Any]:
    """Sums of x^n / ((a + 1) ... (a + n)) (DLMF 8.7.1), and its derivative in a."""
    xp = array_namespace(a, x)
    one, zero = xp.ones_like(a + x), xp.zeros_like(a + x)

    def step(n: Any, carry: Any) -> Any:
        b, term, log, total, slope = carry
        b = b + 1
        term, log = term * (x / b), log - 1 / b
        return b, term, log, total + term, slope + term * log

    out = repeated(_SERIES[_single(a)], step, (a + zero, one, zero, one, zero))
    return out[3], out[4]


def _upper_fraction(a: Any, x: Any) -> tuple[Any, Any]:
    """Return the denominator of gamma(a, x) = x^a exp(-x) / (x + 1 - a - ...) (DLMF 8.9.2), taken
    from its end, and its derivative in a."""
    xp = array_namespace(a, x)
    count = _FRACTION[_single(a)]
    base = x + (2 * count + 1) - a
    zero = xp.zeros_like(base)

    def step(i: Any, carry: Any) -> Any:
        n, f, slope = carry
        over = n * (n - a) / f
        moved = (-n - over * slope) / f
        n, base = n - 1, x + (2 * n - 1) - a
        return n, base - over, -1 - moved

    out = repeated(count, step, (zero + count, base, zero - 1))
    return out[1], out[2]


def _by_series(a: Any, x: Any) -> Any:
    """The lower function by its series, without the derivative, which costs as much again."""
    xp = array_namespace(a, x)
    least = xp.finfo(a.dtype).smallest_normal  # below it `a` has few digits, and the result is 1
    a = xp.where(a < least, least, a)

    def step(n: Any, carry: Any) -> Any:
        b, term, total = carry
        b = b + 1
        term = term * (x / b)
        return b, term, total + term

    zero = xp.zeros_like(a + x)
    total = repeated(_SERIES[_single(a)], step, (a + zero, zero + 1, zero + 1))[2]
    return weight(a, x) / a * total


def _by_fraction(a: Any, x: Any) -> Any:
    """The upper function by its fraction, without the derivative."""
    xp = array_namespace(a, x)
    count = _FRACTION[_single(a)]

    def step(i: Any, carry: Any) -> Any:
        n, f = carry
        over = n * (n - a) / f
        n = n - 1
        return n, x + (2 * n + 1) - a - over

    base = x + (2 * count + 1) - a
    out = repeated(count, step, (xp.zeros_like(base) + count, base))
    return weight(a, x) / out[1]


def _by_small(a: Any, x: Any) -> Any:
    """The upper function for x up to 1.1 and small a, where 1 less the lower one has no digits:
    1 - x^a / gamma(1 + a), and x^a / gamma(a) times the sum of -(-x)^n / (n! (a + n))."""
    xp = array_namespace(a, x)
    exponent = a * xp.log(x) - log_gamma_near(a)

    def step(i: Any, carry: Any) -> Any:
        n, term, total = carry
        n = n + 1
        term = term * (-x / n)
        return n, term, total + term / (a + n)

    zero = xp.zeros_like(a + x)
    total = repeated(_EXPONENTIAL[_single(a)], step, (zero, zero + 1, zero))[2]
    return -xp.expm1(exponent) - xp.exp(exponent) * a * total


def _eta_slope(eta: Any, mu: Any) -> Any:
    """mu / eta / (1 + mu), by the series of log(1 + mu) / eta: smooth at 0."""
    xp = array_namespace(eta)
    eta = xp.where(xp.abs(eta) < 0.4, eta, 0.0)
    log = polynomial(table.LOG[_single(eta)][0], eta)
    return log * exprel(eta * log) / (1 + mu)


@elementwise(derivatives=(_eta_slope,))
def _eta_of(mu: Any) -> Any:
    xp = array_namespace(mu)
    return xp.copysign(xp.sqrt(2 * less_log(mu)), mu)


def _eta(a: Any, x: Any) -> tuple[Any, Any]:
    """eta and a eta^2 / 2 (DLMF 8.12.1)."""
    xp = array_namespace(a, x)
    mu = (x - a) / a
    half = less_log(mu)
    return xp.copysign(xp.sqrt(2 * half), mu), a * half


def _sum(rows: Any, eta: Any, over: Any) -> Any:
    return polynomial([polynomial(row, eta) if len(row) > 1 else row[0] for row in rows], over)


def _uniform(a: Any, x: Any, sign: Any) -> Any:
    """The upper function (sign 1) or the lower one by Temme's expansion (DLMF 8.12.3, 8.12.7)."""
    xp = array_namespace(a, x)
    eta, g = _eta(a, x)
    rest = sign * _sum(table.C[_single(a)], eta, 1 / a) / xp.sqrt(2 * math.pi * a)
    # exp(-g) is taken out of both, and of the other tail's complement.
    tail = 0.5 * erfcx(xp.sqrt(g))
    small = xp.exp(-g) * (tail + rest)
    large = 1 - xp.exp(-g) * (tail - rest)
    return xp.where(sign * eta > 0, small, large)


def _regions(a: Any, x: Any) -> tuple[Any, Any, Any]:
    """Where each method is used: Temme's expansion, the lower function's series, and what the upper
    one has for small arguments; the fraction for all others."""
    xp = array_namespace(a, x)
    near = xp.abs(less_log((x - a) / a)) < 0.5 * _ETA * _ETA
    uniform = (a >= _UNIFORM) & near
    log = -0.4 / xp.log(xp.where(x < 0.5, x, 0.5))
    small = (x <= 1.1) & xp.where(x <= 0.5, a <= log, a <= 1.1 * x)
    lower = (x <= 1.1) & ~small | (x > 1.1) & (x < a)
    return uniform, lower, small


def tail(a: Any, x: Any, sign: Any) -> Any:
    """The upper function where the sign is 1, the lower one where it is -1, as arrays."""
    xp = array_namespace(a, x)
    uniform, lower, small = _regions(a, x)

    def by_series(a: Any, x: Any, sign: Any) -> Any:
        found = _by_series(a, x)
        return xp.where(sign > 0, 1 - found, found)

    def by_fraction(a: Any, x: Any, sign: Any) -> Any:
        found = _by_fraction(a, x)
        return xp.where(sign > 0, found, 1 - found)

    return by_region(
        (a, x, sign),
        (uniform, _uniform),
        (small & (sign > 0), lambda a, x, _: _by_small(a, x)),
        (lower | small, by_series),
        rest=by_fraction,
    )


def _edges(a: Any, x: Any, found: Any, lower: bool) -> Any:
    """Set the values at the edges as SciPy has them; NaN outside of the domain."""
    xp = array_namespace(a, x)
    zero, one = (0.0, 1.0) if lower else (1.0, 0.0)
    found = xp.where((x == 0) | xp.isinf(a), zero, found)
    found = xp.where((a == 0) | xp.isinf(x), one, found)
    outside = (a < 0) | (x < 0) | ((a == 0) & (x == 0)) | (xp.isinf(a) & xp.isinf(x))
    return xp.where(outside | xp.isnan(a) | xp.isnan(x), xp.nan, found)


def _outside(a: Any, x: Any) -> Any:
    """Tell where there is no derivative: outside of the domain, and where both are 0."""
    xp = array_namespace(a, x)
    return (a < 0) | (x < 0) | ((a == 0) & (x == 0)) | xp.isnan(a) | xp.isnan(x)


def _safe(a: Any, x: Any) -> tuple[Any, Any]:
    xp = array_namespace(a, x)
    good = (a > 0) & (x > 0) & xp.isfinite(a) & xp.isfinite(x)
    return xp.where(good, a, 1.0), xp.where(good, x, 1.0)


# -- derivatives -----------------------------------------------------------------------------------


@elementwise(
    derivatives=(
        lambda y, a, x: y * (array_namespace(x).log(x) - digamma(a)),
        lambda y, a, x: y * ((a - 1) / x - 1),
    )
)
def gammainc_density(a: Any, x: Any) -> Any:
    """x^(a - 1) exp(-x) / gamma(a), the derivative of gammainc in x."""
    xp = array_namespace(a, x)
    b, z = _safe(a, x)
    found = weight(b, z) / z
    found = xp.where(xp.isinf(x) | xp.isinf(a) | ((x == 0) & (a > 1)), 0.0, found)
    found = xp.where(x == 0, xp.where(a < 1, xp.inf, xp.where(a == 1, 1.0, found)), found)
    found = xp.where((a == 0) & (x > 0), 0.0, found)
    return xp.where(_outside(a, x), xp.nan, found)


def _uniform_by_a(a: Any, x: Any) -> Any:
    """The derivative of Temme's expansion of the lower function in a, over the weight."""
    xp = array_namespace(a, x)
    single = _single(a)
    eta = _eta_of((x - a) / a)
    rows, over = table.C[single], 1 / a
    slopes = [[n * c for n, c in enumerate(row)][1:] or [0.0] for row in rows]
    falls = [[-k * c for c in row] for k, row in enumerate(rows)]
    total = _sum(rows, eta, over)
    bent = _sum(slopes, eta, over) / (1 + eta * polynomial(rows[0], eta))  # times mu / eta
    moved = over * (_sum(falls, eta, over) - bent)
    log = eta * polynomial(table.LOG[single][0], eta)
    slope = polynomial(table.LOG[single][0], eta) + (log - 0.5 * over) * total + moved
    return -over * xp.exp(stirling(a)) * slope


def _series_by_a(a: Any, x: Any) -> Any:
    total, slope = _lower_series(a, x)
    xp = array_namespace(a, x)
    return (total * (xp.log(x) - digamma1p(a)) + slope) / a


def _fraction_by_a(a: Any, x: Any) -> Any:
    value, slope = _upper_fraction(a, x)
    xp = array_namespace(a, x)
    log = xp.log(x) - (digamma1p(a) - 1 / a)
    return -(log - slope / value) / value


def _by_a(a: Any, x: Any) -> Any:
    """The derivative of gammainc in a over the weight, by the series, the fraction and the
    expansion: for a quantile of tiny probability, both would underflow."""
    uniform, lower, small = _regions(a, x)
    return by_region(
        (a, x),
        (uniform, _uniform_by_a),
        (lower | small, _series_by_a),
        rest=_fraction_by_a,
    )


def _slope_by_a(a: Any, x: Any) -> Any:
    xp = array_namespace(a, x)
    least = xp.finfo(a.dtype).eps ** 2  # the limit at and next to 0
    b, z = _safe(xp.where(a < least, least, a), x)
    found = xp.where((x == 0) | xp.isinf(x) | xp.isinf(a), 0.0, weight(b, z) * _by_a(b, z))
    return xp.where(_outside(a, x), xp.nan, found)


def _moved_by_a(a: Any, x: Any) -> Any:
    xp = array_namespace(a, x)
    b, z = _safe(a, x)
    found = xp.where((x == 0) | xp.isinf(x), x, -z * _by_a(b, z))
    return xp.where((a <= 0) | (x < 0) | xp.isinf(a) | xp.isnan(a) | xp.isnan(x), xp.nan, found)


def _followed(text: Any) -> Any:
    """The derivative of a function in its first argument, by forward mode: there a `where` takes
    nothing from the branch that it doesn't choose."""

    def derivative(_: Any, a: Any, x: Any) -> Any:
        one = array_namespace(a).ones_like(a)
        return jvp(lambda a: text(a, x), (a,), (one,))[1]

    return derivative


@elementwise(
    derivatives=(
        _followed(_slope_by_a),
        lambda y, a, x: gammainc_density(a, x) * (array_namespace(x).log(x) - digamma(a)),
    )
)
def gammainc_by_a(a: Any, x: Any) -> Any:
    """The derivative of gammainc in a."""
    return _slope_by_a(a, x)


@elementwise(
    derivatives=(
        _followed(_moved_by_a),
        lambda y, a, x: digamma(a) - array_namespace(x).log(x) - y * ((a - 1) / x - 1),
    )
)
def moved_by_a(a: Any, x: Any) -> Any:
    """How x moves with a where gammainc stays what it is."""
    return _moved_by_a(a, x)


# -- the functions ---------------------------------------------------------------------------------


def lower_box(y: Any, a: Any, x: Any) -> Any:
    """A shape from 1e-8 to 1e5, and neither argument nor result close to 0."""
    right = (a >= 1e-8) & (a < 1e5)
    inside = right & (x >= 1e-12) & (y > 1e-290)
    if inside is True:  # of one number
        return inside
    below = a - x  # a tail is less than exp(-below**2 / (2 a))
    none = (x == 0) | (below > 0) & (below * below > 1500 * a)
    return inside | right & (y == 0) & none


def upper_box(y: Any, a: Any, x: Any) -> Any:
    """A shape from 1e-8 to 1e5, not just above 0.5, and a result that isn't close to 0."""
    right = (a >= 1e-8) & (a < 1e5) & ((a >= 0.53) | (a <= 0.5) | (x > 1.2))
    inside = right & (y > 1e-290)
    if inside is True:
        return inside
    above = x - a  # a tail is less than exp(-above**2 / (2 x))
    none = (above > 1500) & (above * (above - 1500) > 1500 * a)
    return inside | right & (y == 0) & none


@elementwise(
    derivatives=(
        lambda y, a, x: gammainc_by_a(a, x),
        lambda y, a, x: gammainc_density(a, x),
    ),
    numpy="scipy.special:gammainc",
    torch="scipy.special:gammainc",
    box=lower_box,
    usual=((1e-7, 20.0), (1e-12, 1e3)),
)
def gammainc(a: A, x: A | Numbers) -> A:
    """Return the regularized lower incomplete gamma function.

    It is the integral of ``t**(a - 1) exp(-t)`` from 0 to `x` over ``gamma(a)``.

    Parameters
    ----------
    a, x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype, between 0 and 1; NaN where one of them is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    A. R. DiDonato, A. H. Morris, ACM TOMS 12 (1986), 377: Temme's expansion (DLMF 8.12.3) where `a`
    is at least 20 and `x` close to it, a series (DLMF 8.7.1) below, and one less `gammaincc` above,
    in loops of 110 and 90 steps (60 and 30 in float32). The factor in front is computed from the
    remainder of Stirling's formula, which keeps its digits at large `a`. Differentiable in both
    arguments; in `a` only twice.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gammainc
    >>> gammainc(0.5, np.asarray([0.0, 1.0, 30.0])).round(6)
    array([0.      , 0.842701, 1.      ])
    """
    b, z = _safe(a, x)
    uniform, lower, small = _regions(b, z)
    found = by_region(
        (b, z),
        (uniform, lambda a, x: _uniform(a, x, -1.0)),
        # Next to the shape 0 it rounds to more.
        (lower | small, lambda a, x: array_namespace(x).minimum(_by_series(a, x), 1.0)),
        rest=lambda a, x: 1 - _by_fraction(a, x),
    )
    return _edges(a, x, found, True)


@elementwise(
    derivatives=(
        lambda y, a, x: -gammainc_by_a(a, x),
        lambda y, a, x: -gammainc_density(a, x),
    ),
    numpy="scipy.special:gammaincc",
    torch="scipy.special:gammaincc",
    box=upper_box,
)
def gammaincc(a: A, x: A | Numbers) -> A:
    """Return the regularized upper incomplete gamma function, ``1 - gammainc(a, x)``.

    Parameters
    ----------
    a, x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype, between 0 and 1; NaN where one of them is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammainc`; above the expansion's region by a continued fraction (DLMF 8.9.2), and for
    small `a` and `x` by a separate series. Small results have all their digits. Differentiable in
    both arguments; in `a` only twice.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gammaincc
    >>> gammaincc(0.5, np.asarray([0.0, 1.0, 30.0]))
    array([1.00000000e+00, 1.57299207e-01, 9.48573757e-15])
    """
    b, z = _safe(a, x)
    uniform, lower, small = _regions(b, z)
    found = by_region(
        (b, z),
        (uniform, lambda a, x: _uniform(a, x, 1.0)),
        (lower, lambda a, x: 1 - _by_series(a, x)),
        (small, _by_small),
        rest=_by_fraction,
    )
    return _edges(a, x, found, False)
