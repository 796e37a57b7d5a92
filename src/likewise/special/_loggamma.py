"""The logarithm of the gamma function, analytic in the plane cut along the negative axis."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from ._digamma import digamma
from ._function import by_region, elementwise
from ._gamma_parts import HALF_LOG_2PI, log_gamma_far, log_gamma_near
from ._polynomial import polynomial

__all__ = ["loggamma"]

# Coefficients by ``ci/special/gamma_coefficients.py``: Taylor's series of loggamma(1 + t) / t,
# whose rest is below 1e-17 for abs(t) up to 0.2, Stirling's series (DLMF 5.11.1), and another
# of Taylor's.
_TAYLOR = (
    -0.5772156649015329, 0.8224670334241132, -0.40068563438653143, 0.27058080842778454,
    -0.20738555102867398, 0.1695571769974082, -0.1440498967688461, 0.12550966952474304,
    -0.11133426586956469, 0.1000994575127818, -0.09095401714582904, 0.083353840546109,
    -0.0769325164113522, 0.07143294629536133, -0.06666870588242046, 0.06250095514121304,
    -0.058823978658684585, 0.055555767627403614, -0.05263167937961666, 0.05000004769810169,
    -0.047619070330142226, 0.04545455629320467, -0.04347826605304026,
)  # fmt: skip
# Of loggamma(2.5 + t), whose rest is below 1e-16 for abs(t) up to 1.2.
_MIDDLE = (
    0.2846828704729192, 0.7031566406452432, 0.24517887805011743, -0.0393673419402879,
    0.009329410367385502, -0.0026146333292227614, 0.0008035683035655326, -0.0002615091483234197,
    8.842352064789512e-05, -3.071547269584968e-05, 1.088258420686863e-05, -3.9138807868675094e-06,
    1.4240972665702957e-06, -5.229945563057534e-07, 1.93519712819065e-07, -7.20541079563325e-08,
    2.6969103310573714e-08, -1.013942714378941e-08, 3.8267918975072416e-09,
    -1.4491674948039224e-09, 5.504172733427072e-10, -2.0961050636200893e-10, 8.00134398917395e-11,
    -3.060847395704183e-11, 1.1731781712973259e-11, -4.504602336246528e-12,
    1.7324290569049824e-12, -6.672756789423119e-13, 2.573694103932565e-13, -9.939553830404963e-14,
    3.8432305618767457e-14, -1.487684575810546e-14, 5.7647290891377966e-15, -2.23600265687048e-15,
    8.680914128803056e-16, -3.37314483521252e-16, 1.311775666909417e-16, -5.1052810759406125e-17,
    1.988370402410818e-17, -7.749539983782176e-18, 3.0223188665823156e-18,
    -1.1794410274998178e-18, 4.60543505040538e-19, -1.799332389179705e-19, 7.033752838745479e-20,
    -2.750978595764672e-20, 1.076469803607055e-20, -4.2142645346182796e-21,
)  # fmt: skip
_STIRLING = (0.08333333333333333, -0.002777777777777778, 0.0007936507936507937,
             -0.0005952380952380953, 0.0008417508417508417, -0.0019175269175269176,
             0.00641025641025641, -0.029550653594771242)  # fmt: skip
_LARGE = 7.0  # abs(real or imaginary part), from where Stirling's series has all digits


def _slope(y: Any, z: Any) -> Any:
    return _complex_digamma(z) if "complex" in str(z.dtype) else digamma(z)


def _complex_digamma(z: Any) -> Any:
    """By Stirling's series and recurrence; left of 0 reflected. May be differentiated as it is."""
    xp = array_namespace(z)
    left = xp.real(z) < 0
    w = xp.where(left, 1 - z, z)
    shift = xp.zeros_like(w)
    for _ in range(8):
        shift = shift + 1 / w
        w = w + 1
    u = 1 / (w * w)
    series = polynomial([(2 * k + 1) * c for k, c in enumerate(_STIRLING)], u)
    found = xp.log(w) - 0.5 / w - u * series - shift
    safe = xp.where(left, z - xp.round(xp.real(z)), 0.25)
    # 1 / tan, as the tangent overflows far from the axis.
    up = xp.imag(safe) >= 0
    turn = xp.exp(2j * math.pi * xp.where(up, safe, -safe))
    cot = 1j * (turn + 1) / (turn - 1)
    cot = xp.where(up, cot, -cot)
    return xp.where(left, found - math.pi * cot, found)


def _far(z: Any) -> Any:
    xp = array_namespace(z)
    w = 1 / z
    series = polynomial(_STIRLING, w * w) * w
    return (z - 0.5) * xp.log(z) - z + (HALF_LOG_2PI + series)


def _near_one(z: Any) -> Any:
    return (z - 1) * polynomial(_TAYLOR, z - 1)


def _near_two(z: Any) -> Any:
    xp = array_namespace(z)
    return xp.log(z - 1) + _near_one(z - 1)


def _between(z: Any) -> Any:
    return polynomial(_MIDDLE, z - 1.5) - array_namespace(z).log(z)


def _right(z: Any) -> Any:
    """By recurrence. In the upper half plane the product's argument grows by less than pi a step,
    so that it has gone around once more whenever its imaginary part becomes negative."""
    xp = array_namespace(z)
    product, turns = z, xp.zeros_like(xp.real(z))
    before = xp.imag(z) < 0
    for _ in range(6):
        z = z + 1
        product = product * z
        after = xp.imag(product) < 0
        turns = xp.where(after & ~before, turns + 1, turns)
        before = after
    return _far(z + 1) - (xp.log(product) + 2j * math.pi * turns)


def _log_sine_pi(z: Any) -> Any:
    """log(sin(pi z)) for imaginary parts that don't overflow the exponential."""
    xp = array_namespace(z)
    x, y = xp.real(z), math.pi * xp.imag(z)
    n = xp.round(x)
    sign = 1 - 2 * (n - 2 * xp.floor(0.5 * n))
    t = x - n
    # The cosine is exactly 0 at 1/2, and +0, which is the side that the turns are counted from.
    cosine = sign * xp.sin(math.pi * (0.5 - xp.abs(t))) + 0.0
    return xp.log(sign * xp.sin(math.pi * t) * xp.cosh(y) + 1j * (cosine * xp.sinh(y)))


def _left(z: Any) -> Any:
    """Reflected; of the sine's logarithm, the branch that makes the whole analytic."""
    xp = array_namespace(z)
    turn = xp.floor(0.5 * xp.real(z) + 0.25)
    w = xp.conj(1 - z)  # in the upper half plane
    mirror = by_region((w,), (xp.real(w) > _LARGE, _far), rest=_right_or_near)
    return math.log(math.pi) + 2j * math.pi * turn - _log_sine_pi(z) - xp.conj(mirror)


def _right_or_near(z: Any) -> Any:
    xp = array_namespace(z)
    return by_region(
        (z,),
        (xp.abs(z - 1) <= 0.2, _near_one),
        (xp.abs(z - 2) <= 0.2, _near_two),
        (xp.abs(z - 1.5) <= 1.2, _between),
        rest=_right,
    )


def _real(x: Any) -> Any:
    xp = array_namespace(x)

    def near(x: Any) -> Any:
        t = xp.where(x < 1, x, x - 1)
        return log_gamma_near(t) - xp.where(x < 1, xp.log(x), xp.zeros_like(x))

    return xp.where(x < 0, xp.nan, by_region((x,), (x < 3, near), rest=log_gamma_far))


def _box(y: Any, z: Any) -> Any:
    """Real numbers, and complex ones away from 1.46, where the function is small."""
    if isinstance(z, float) or getattr(z, "dtype", None) == "float64":
        return z == z
    return (z.real <= 0.5) | (z.real >= 2.6) | (abs(z.imag) >= 1.6)


@elementwise(
    derivatives=(_slope,),
    complex=True,
    box=_box,
    usual=((-1e308, 1e308),),
    numpy="scipy.special:loggamma",
    torch="scipy.special:loggamma",
)
def loggamma(z: A) -> A:
    """Return the logarithm of the gamma function, analytic except on the negative axis.

    Parameters
    ----------
    z : array
        Real or complex, any shape.

    Returns
    -------
    array
        Of the shape of `z` and its floating dtype. Real numbers give `gammaln`, and NaN below 0. On
        the branch cut, the sign of a zero imaginary part selects the side.

    Raises
    ------
    DtypeError
        If `z` doesn't hold numbers.

    Notes
    -----
    D. E. G. Hare, Computing the principal branch of log-Gamma, Journal of Algorithms 25 (1997),
    221: Stirling's series where the real part is above 7 or the imaginary part is beyond 7 in
    magnitude; Taylor's series next to 1 and 2 and about 1.5; recurrence to the right, counting how
    often the product goes around 0; reflection left of 0. The imaginary part is continuous, unlike
    that of ``log(gamma(z))``. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import loggamma
    >>> loggamma(np.asarray([1 + 1j, -0.5 + 0j])).round(6)
    array([-0.650923-0.30164j ,  1.265512-3.141593j])
    """
    xp = array_namespace(z)
    if xp.isdtype(z.dtype, "real floating"):
        return _real(z)
    x, y = xp.real(z), xp.imag(z)
    lower = xp.copysign(xp.ones_like(y), y) < 0
    z = xp.where(lower, xp.conj(z), z)
    far = (x > _LARGE) | (xp.abs(y) > _LARGE)
    found = by_region((z,), (far, _far), (x < 0, _left), rest=_right_or_near)
    found = xp.where(lower, xp.conj(found), found)
    pole = (y == 0) & (x <= 0) & (xp.floor(x) == x)
    return xp.where(pole, 1j * xp.full_like(x, xp.nan), found)  # no constant: torch writes "nanj"
