"""The logarithm of 1 + x, and one in basic arithmetic, which gives the same on every library."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from ._function import elementwise, real
from ._polynomial import polynomial

__all__ = ["log1p", "log_of_sum", "natural_log", "one_more_log"]

# ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
_LN2_HIGH = {True: 0.693145751953125, False: 0.6931471803691238}
_LN2_LOW = {True: 1.4286068203094172e-06, False: 1.9082149292705877e-10}
# (log((1 + s) / (1 - s)) - 2 s) / s^3 as a polynomial in s^2, for abs(s) below 3 - 2 sqrt(2).
# Least squares of the relative error, weighted until even; 2e-9 and 5e-16.
_SERIES = {
    True: (0.66666666554, 0.40000122089, 0.28550797961, 0.233309904),
    False: (
        0.6666666666666669705,
        0.3999999999989913464,
        0.2857142862611304879,
        0.2222221111507723201,
        0.1818289042206852996,
        0.1533168215854155249,
        0.1461689949248561841,
    ),
}
_HALF_ROOT = 0.7071067811865476
_EXPONENTS = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)


@elementwise(
    derivatives=(lambda y, x: 1 / (1 + x),),
    complex=True,
    numpy="scipy.special:log1p",
    torch="torch:log1p",
    when={"torch": real},
)
def log1p(x: A) -> A:
    """Return the natural logarithm of one plus the argument, accurate near zero.

    Parameters
    ----------
    x : array
        Real or complex, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; -inf at -1. Real numbers below -1 give NaN; for
        complex ones there, the sign of a zero imaginary part selects the side of the branch cut.

    Raises
    ------
    ArrayTypeError, DtypeError
        If `x` is not an array of numbers.

    Notes
    -----
    The array API standard's function. For complex numbers ``a + bj``, the logarithm of the length
    of ``1 + a + bj``, and its angle. Where that length is about 1, the real part is half of
    ``log1p(2 a + a**2 + b**2)``, whose argument is computed in twice the precision, so digits are
    kept next to its zeros. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import log1p
    >>> log1p(np.asarray([0.0, 1e-20, 1.0])).round(20)
    array([0.00000000e+00, 1.00000000e-20, 6.93147181e-01])
    >>> log1p(np.asarray([1e-20j, -2.0])).round(20)
    array([0.+1.00000000e-20j, 0.+3.14159265e+00j])
    """
    return one_more_log(array_namespace(x), x)


def _square(xp: Any, x: Any) -> tuple[Any, Any]:
    """x^2 and its rounding error (T. J. Dekker, Numer. Math. 18, 1971, 224-242)."""
    product, split = x * x, x * (4097.0 if x.dtype == xp.float32 else 134217729.0)
    high = split - (split - x)
    low = x - high
    return product, ((high * high - product) + 2 * (high * low)) + low * low


def _sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b and its rounding error (D. E. Knuth, TAOCP 2, 4.2.2, theorem B)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _square_less_one(xp: Any, a: Any, b: Any) -> Any:
    """|1 + a + bj|^2 - 1 = 2 a + a^2 + b^2, in twice the precision, as next to 0 it cancels."""
    (one, lost_one), (two, lost_two) = _square(xp, a), _square(xp, b)
    squares, lost = _sum(one, two)
    total, rest = _sum(2 * a, squares)
    return total + (rest + (lost + (lost_one + lost_two)))


def one_more_log(xp: Any, x: Any) -> Any:
    """log(1 + x), real or complex."""
    if not xp.isdtype(x.dtype, "complex floating"):
        return xp.log1p(x)
    a, b = xp.real(x), xp.imag(x)
    lower = xp.copysign(xp.ones_like(b), b) < 0
    b = xp.abs(b)
    most = xp.maximum(xp.abs(a), b)
    huge = most > 0.25 * float(xp.finfo(x.dtype).max)
    scale = xp.where(huge, 0.25 * xp.ones_like(a), 1.0)
    length = xp.hypot(scale * (1 + a), scale * b)
    size = xp.log(length)
    size = xp.where(huge, size + math.log(4.0), size)
    near = ~huge & (xp.abs(length - 1) < 0.4)
    one, two = xp.where(near, a, xp.zeros_like(a)), xp.where(near, b, xp.zeros_like(b))
    size = xp.where(near, 0.5 * xp.log1p(_square_less_one(xp, one, two)), size)
    angle = xp.atan2(b, 1 + a)
    found = size + 1j * angle
    # A length without a direction; as a constant torch's compiler would write "nanj".
    lost = xp.isnan(angle) & (xp.isinf(a) | xp.isinf(b))
    found = xp.where(lost, xp.log(x), found)
    return xp.where(lower, xp.conj(found), found)


def log_of_sum(xp: Any, x: Any) -> Any:
    """log(1 + x) for any x, by `natural_log`: some 90 operations an element."""
    inner = xp.where((x > -1) & (x < xp.inf), x, xp.zeros_like(x))  # derivatives stay finite, too
    top = 64 if x.dtype == xp.float32 else 512
    found = natural_log(xp, 1 + inner, 32, top, inner)
    found = xp.where(x == -1, -xp.inf, found)
    found = xp.where(x == xp.inf, xp.inf, found)
    return xp.where((x < -1) | xp.isnan(x), xp.nan, found)


def natural_log(xp: Any, y: Any, down: int = 32, up: int = 0, less_one: Any = None) -> Any:
    """log(y) for y in [4^-down, 4^up), powers of two or 0; with ``up=0`` at most sqrt(2).

    ``less_one`` is y - 1 where that is known better than from the rounded y. y is scaled to
    [sqrt(1/2), sqrt(2)] by exact multiplications; the rest is the series of the inverse hyperbolic
    tangent, economised (W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980,
    chapter 5, has its like).
    """
    single, dtype = y.dtype == xp.float32, y.dtype
    e = xp.zeros_like(y)
    # Products with 0 and 1 in place of `where`, which libraries branch for.
    for k in _EXPONENTS:
        if k <= up:
            large = xp.astype(y >= 2.0**k, dtype)
            y = y * (large * 2.0**-k + (1 - large))
            e = e + large * k
        if k <= down:
            small = xp.astype(y < 2.0**-k, dtype)
            y = y * (small * (2.0**k - 1) + 1)
            e = e - small * k
    small = xp.astype(y < _HALF_ROOT, dtype)
    y = y + small * y
    e = e - small
    if up:
        large = xp.astype(y > 2 * _HALF_ROOT, dtype)
        y = y - large * (0.5 * y)
        e = e + large
    f = y - 1
    if less_one is not None:
        f = xp.where(e == 0, less_one, f)
    s = f / (f + 2)
    z = s * s
    half = 0.5 * f * f
    tail = s * (half + z * polynomial(_SERIES[single], z)) + e * _LN2_LOW[single]
    return e * _LN2_HIGH[single] - ((half - tail) - f)
