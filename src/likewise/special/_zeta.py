"""The zeta functions of Riemann and of Hurwitz, by Euler and Maclaurin's sum."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import by_region, elementwise, public_of_elements, rarely
from ._gamma_parts import digamma1p, log_gamma_far, sine_pi, stirling
from ._polynomial import polynomial

__all__ = ["hurwitz", "right_of_zero", "zeta", "zeta_over_first"]

# Coefficients by ``ci/special/gamma_coefficients.py``. Of Euler-Maclaurin: B_2k / (2k)!.
_SUM = (0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
        2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11,
        -3.3896802963225827e-13, 8.586062056277845e-15, -2.174868698558062e-16,
        5.5090028283602295e-18, -1.3954464685812522e-19)  # fmt: skip
# zeta(s) - 1 / (s - 1) on [-2, 1], in single and in double precision: 9.6e-10 and 9.2e-18.
_REGULAR = {
    True: (0.5000000000214931, 0.08106146515001596, -0.003178228416478964, -0.0007851836218996492,
           0.00012070475276047543, -1.958964362740961e-06, -1.311669501889946e-06,
           1.7668172293497e-07, 1.1999543438595398e-09),
    False: (0.5, 0.08106146679532727, -0.0031782279542921822, -0.0007851944770426528,
            0.00012070049942648715, -1.9408963200835366e-06, -1.3011460055281477e-06,
            1.6861582916575386e-07, -5.764689246584264e-09, -9.110259537647589e-10,
            1.4970866984024737e-10, -9.396803798869536e-12, -4.0175626412875287e-14,
            6.214494074197853e-14, -8.257240517245688e-15),
}  # fmt: skip


def _direct(x: Any) -> tuple[int, int]:
    """How many terms are added one by one, and how many of the asymptotic sum come after.

    Of (q + 7)^-s the sum's first term left out is about (s + 11)^24 / (2 pi (q + 7))^24, which is
    below 1e-16 of q^-s for all s and q.
    """
    return (5, 4) if x.dtype == array_namespace(x).float32 else (7, 12)


def zeta_over_first(s: Any, q: Any) -> Any:
    """zeta(s, q) q^s for s above 1 and q above 0 (DLMF 25.11.5, integrated by parts)."""
    xp = array_namespace(s, q)
    count, terms = _direct(s)

    total = xp.ones_like(s + q)
    for k in range(1, count):
        # Next to 1 the exponential is off by at most 1 / e of a unit; a power takes longer.
        total = total + xp.exp(s * xp.log(q / (q + k)))
    a = q + count
    last = (q / a) ** s  # the factor of what may be most of the sum
    term, over = s / a, 1 / (a * a)
    tail = 0.5 + a / (s - 1) + _SUM[0] * term
    for j in range(1, terms):
        term = term * over * ((s + (2 * j - 1)) * (s + 2 * j))
        tail = tail + _SUM[j] * term
    return total + xp.where(last == 0, xp.zeros_like(last), last * tail)


def _times_first(s: Any, q: Any, over: Any) -> Any:
    """Times q^-s: of large q, the power leaves the range before the product does."""
    xp = array_namespace(s, q)
    half = q ** (-0.5 * s)
    return xp.where(half == 0, xp.zeros_like(half), half * (half * over))


def _positive(s: Any, q: Any) -> Any:
    """zeta(s, q) for s above 1 and q above 0."""
    return _times_first(s, q, zeta_over_first(s, q))


def _slope_positive(s: Any, q: Any) -> Any:
    """The derivative of that in s, term by term."""
    xp = array_namespace(s, q)
    count, terms = _direct(s)
    total = -xp.log(q) * q ** (-s)
    for k in range(1, count):
        total = total - xp.log(q + k) * (q + k) ** (-s)
    a = q + count
    log, last = xp.log(a), a ** (-s)
    term, over = s / a, 1 / s
    whole = a / (s - 1)
    tail = -0.5 * log - whole * (log + 1 / (s - 1)) + _SUM[0] * term * (over - log)
    for j in range(1, terms):
        one, two = s + (2 * j - 1), s + 2 * j
        term = term * (one / a) * (two / a)
        over = over + 1 / one + 1 / two
        tail = tail + _SUM[j] * term * (over - log)
    return total + xp.where(last == 0, xp.zeros_like(last), last * tail)


def _turned(s: Any, q: Any, far: Any) -> Any:
    """For q below 0, where s must be a whole number; `far` is zeta(s, 1 - q).

    With q = d - m for a whole number m, the sum over all integers k of (d + k)^-s is d^-s +
    zeta(s, 1 + d) + (-1)^s zeta(s, 1 - d); what lies before q is taken off again, (-1)^s
    zeta(s, 1 - q). The distance d from the next integer is exact.
    """
    xp = array_namespace(s, q)
    d = q - xp.round(q)
    pole = d == 0
    d = xp.where(pole, 0.5 * xp.ones_like(d), d) + xp.zeros_like(s)
    sign = 1 - 2 * (s - 2 * xp.floor(0.5 * s))
    first = xp.abs(d) ** (-s)
    both = _positive(s, xp.stack([1 + d, 1 - d]))
    found = xp.where(d < 0, sign * first, first) + both[0, ...]
    found = found + sign * (both[1, ...] - far)
    found = xp.where(xp.floor(s) == s, found, xp.nan)
    return xp.where(pole, xp.inf, found)


def right_of_zero(q: Any) -> Any:
    """q, or that by which `hurwitz` reflects it."""
    return array_namespace(q).where(q <= 0, 1 - q, q)


def hurwitz(s: Any, q: Any, over: Any) -> Any:
    """zeta(s, q) on arrays of one dtype; `over` is `zeta_over_first` of s and `right_of_zero`."""
    xp = array_namespace(s, q)
    far = _times_first(s, right_of_zero(q), over)
    found = rarely((s, q, far), q <= 0, _turned, far)
    found = xp.where((q <= 0) & (xp.floor(q) == q), xp.inf, found)
    found = xp.where((s < 1) | ((s == xp.inf) & (q > 1)), xp.nan, found)
    found = xp.where(xp.isnan(q), xp.nan, found)
    return xp.where(s == 1, xp.inf, found)


def _by_s(y: Any, s: Any, q: Any) -> Any:
    xp = array_namespace(s, q)
    inside = (s > 1) & (q > 0) & (q < xp.inf)
    found = _slope_positive(xp.where(inside, s, 2.0), xp.where(inside, q, 1.0))
    return xp.where(inside, found, xp.where((s > 1) & (q == xp.inf), 0 * s, xp.nan))


def _by_q(y: Any, s: Any, q: Any) -> Any:
    return -s * zeta(s + 1, q)


def _two(s: Any, q: Any) -> Any:
    return hurwitz(s, q, zeta_over_first(s, right_of_zero(q)))


def _reflected(s: Any) -> Any:
    """zeta(s) below -2 (DLMF 25.4.1); the factor is split, it may leave the range before zeta."""
    xp = array_namespace(s)
    x = 1 - s
    x = xp.where(x < 3, xp.full_like(x, 3.0), x)
    half = (x / (2 * math.pi)) ** (0.5 * x) * xp.exp(-0.5 * x)
    factor = 2 * xp.sqrt(2 * math.pi / x) * xp.exp(stirling(x)) * half
    found = sine_pi(0.5 * s) * _positive(x, xp.ones_like(x)) * factor * half
    return xp.where(xp.floor(0.5 * s) == 0.5 * s, xp.zeros_like(s), found)


def _regular(s: Any) -> Any:
    return polynomial(_REGULAR[bool(s.dtype == array_namespace(s).float32)], s) + 1 / (s - 1)


def _one(x: Any) -> Any:
    xp = array_namespace(x)
    found = by_region(
        (x,),
        (x <= -2, _reflected),
        (x < 1, _regular),
        rest=lambda s: _positive(s, xp.ones_like(s)),
    )
    return xp.where(x == 1, xp.inf, xp.where(x == -xp.inf, xp.nan, found))


def _slope_of_one(y: Any, x: Any) -> Any:
    """Return the slope; below -2 by DLMF 25.4.1, the sine's zeros kept away from infinities."""
    xp = array_namespace(x)
    left, right = x < -2, x > 1
    s = xp.where(left, 1 - x, xp.where(right, x, 2.0))
    far = _slope_positive(s, xp.ones_like(s))
    centre = xp.where(left | right, xp.zeros_like(x), x)
    coefficients = _REGULAR[bool(x.dtype == xp.float32)]
    slopes = [k * c for k, c in enumerate(coefficients)][1:]
    near = polynomial(slopes, centre) - 1 / (centre - 1) ** 2
    there = xp.where(left, x, -3.0)
    half = 0.25 * (there - 4 * xp.round(0.25 * there))  # of a period
    sine, cosine = xp.sin(2 * math.pi * half), xp.cos(2 * math.pi * half)
    log = math.log(2 * math.pi)
    factor = 2 * xp.exp(log_gamma_far(1 - there) - (1 - there) * log)
    turned = 0.5 * math.pi * cosine + sine * (log - digamma1p(-there))
    bent = factor * (turned * zeta(s) - sine * far)
    return xp.where(left, bent, xp.where(right, far, near))


def _hurwitz_box(y: Any, s: Any, q: Any) -> Any:
    """A second argument above 0; huge first ones that SciPy has no number for aren't in it."""
    return (q > 0) & ((s < 1) | (s < 1e100) & (y == y))


def _riemann_box(y: Any, x: Any) -> Any:
    """Numbers from -10 on."""
    return x >= -10


_two.__name__ = _one.__name__ = "zeta"
_hurwitz = elementwise(
    derivatives=(_by_s, _by_q),
    numpy="scipy.special:zeta",
    torch="scipy.special:zeta",
    box=_hurwitz_box,
    usual=((1.0, 60.0), (1e-3, 1e6)),
)(_two)
_riemann = elementwise(
    step="riemann_zeta",
    derivatives=(_slope_of_one,),
    numpy="scipy.special:zeta",
    torch="scipy.special:zeta",
    box=_riemann_box,
    usual=((-10.0, 1e300),),
)(_one)


@public_of_elements
def zeta(x: A, q: A | Numbers | None = None) -> A:
    """Return the zeta function of Riemann, or that of Hurwitz: the sum of ``(k + q)**(-x)``.

    Parameters
    ----------
    x : array
        Real, any shape. With `q`, above 1.
    q : array, optional
        Real; broadcasts with `x`. Default: Riemann's function, which is Hurwitz's for ``q = 1`` and
        is defined for all `x`.

    Returns
    -------
    array
        Of the common floating dtype; infinite at ``x = 1`` and where `q` is 0 or a negative
        integer. With `q`, NaN where `x` is below 1, or where `q` is below 0 and `x` isn't a whole
        number.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Seven terms, and Euler and Maclaurin's sum (DLMF 25.11.5) with twelve Bernoulli numbers for the
    others; in float32 five and four. Below 0, `q` is reflected. Riemann's function is
    ``1 / (x - 1)`` and a polynomial on [-2, 1], and reflected below (DLMF 25.4.1). Differentiable
    in both arguments, in `x` where `q` is positive.

    Differs from SciPy: no complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import zeta
    >>> zeta(np.asarray([-1.0, 0.5, 2.0])).round(6)
    array([-0.083333, -1.460355,  1.644934])
    >>> zeta(np.asarray([2.0, 3.0]), 0.5).round(6)
    array([4.934802, 8.414398])
    """
    found: A = _riemann(x) if q is None else _hurwitz(x, q)
    return found
