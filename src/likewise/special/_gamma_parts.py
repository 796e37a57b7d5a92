"""Parts of the gamma function and related ones: rational functions, and Stirling's formula.

``ci/special/gamma_coefficients.py`` computes the coefficients and the errors stated here.
"""

import math
from typing import Any

from .._namespace import array_namespace
from ._polynomial import ratio, ratio_slope
from ._two_parts import less

__all__ = [
    "HALF_LOG_2PI",
    "digamma1p",
    "digamma1p_step",
    "digamma_step",
    "gamma1p",
    "gamma_quotient",
    "log_gamma1p",
    "log_gamma_far",
    "log_gamma_near",
    "negative_integer",
    "sine_pi",
    "stirling",
    "stirling_step",
    "turned",
]

HALF_LOG_2PI = 0.9189385332046727
_ROOT_2PI = math.sqrt(2 * math.pi)

# lgamma(1 + t) / (t (t - 1)) for t in [0, 2], in single and in double precision: it has neither
# zeros nor poles there. Relative errors 1.6e-8 and 4e-18.
_NEAR = {
    True: (
        (0.5772156558764739, 0.6489242140026935, 0.16443199384691726, 0.0041370174200560765,
         -9.427363392889908e-05),
        (1.0, 1.5491176705401426, 0.673800572443747, 0.07572480888169994),
    ),
    False: (
        (0.5772156649015329, 1.795879018997928, 2.1865334418937055, 1.3226883681228077,
         0.4175253681048576, 0.06620652414372981, 0.004630212547046027, 0.00010318936786846241,
         1.54621296801624e-07),
        (1.0, 3.5361659629745215, 5.021257900661251, 3.6722217552107503, 1.4771004522959044,
         0.3239769173460576, 0.03613884447121401, 0.0017463681006452904, 2.4701852219090835e-05),
    ),
}  # fmt: skip
# x times the rest of Stirling's formula (DLMF 5.11.1) in 1 / x^2, for x from 3 on. The asymptotic
# series stays off by 1e-9 at 3; a quotient doesn't, as the function's singularities lie on the
# other side of zero. Errors 1.5e-7 and 8.6e-16, of a term that is at most 1/25 of the whole.
_STIRLING = {
    True: ((0.08333332066578021, 0.019454282798905907), (1.0, 0.26675985273564046)),
    False: (
        (0.08333333333333326, 0.6998240164053198, 1.4475495319750598, 0.7401533079759969,
         0.047949044061082816),
        (1.0, 8.431221530195907, 17.642111292169787, 9.39675554873276, 0.7707173798157785),
    ),
}  # fmt: skip
# digamma(1 + t) over the distance from its zero, which stands in two parts. 4.8e-9 and 3e-16.
_ROOT = (0.46163214496836225, 9.549995429965697e-17)
_DIGAMMA = {
    True: (
        (1.2503801315058023, 1.1731978108423127, 0.23998969578799056, 0.004183574229281992,
         -9.271090540786072e-05),
        (1.0, 1.6218194095912777, 0.698735082430871, 0.07640577100893307),
    ),
    False: (
        (1.250380137503405, 1.8306806696781515, 0.9226850001355458, 0.19609924040778487,
         0.01688739793666913, 0.0004441875132029205, 7.067106391699533e-07),
        (1.0, 2.147646103561495, 1.6041486371407185, 0.5323657731677113, 0.08080982920030369,
         0.005036402527057303, 8.985042099256068e-05),
    ),
}  # fmt: skip
# x^2 (log(x) - 1 / (2 x) - digamma(x)) in 1 / x^2 (DLMF 5.11.2), for x from 3 on. 1.2e-9, 8.2e-17.
_TAIL = {
    True: (
        (0.0833333332325284, 0.1164573234710491, -0.008514297292741606, 0.0018751406513075031),
        (1.0, 1.497487331396839),
    ),
    False: (
        (0.08333333333333333, 1.3463620620758885, 6.392426362415488, 10.294446380246114,
         4.787886709291544, 0.30119550402283257),
        (1.0, 16.256344744910482, 78.28713177592694, 130.63795807520523, 67.51238673230499,
         6.834300527125628),
    ),
}  # fmt: skip


def _single(x: Any) -> bool:
    return bool(x.dtype == array_namespace(x).float32)


def sine_pi(x: Any) -> Any:
    """sin(pi x), with all digits next to its zeros."""
    xp = array_namespace(x)
    n = xp.round(x)
    sign = 1 - 2 * (n - 2 * xp.floor(0.5 * n))
    return sign * xp.sin(math.pi * (x - n))


def turned(n: Any, d: Any) -> tuple[Any, Any]:
    """sin(pi (n + d)) / pi and cos(pi (n + d)), for whole n."""
    xp = array_namespace(n)
    more = xp.round(d)
    n, d = n + more, math.pi * (d - more)
    sign = 1 - 2 * (n - 2 * xp.floor(0.5 * n))
    return sign * xp.sin(d) / math.pi, sign * xp.cos(d)


def negative_integer(x: Any) -> Any:
    """Tell where x is an integer below 0: the gamma function has poles there."""
    return (x < 0) & (array_namespace(x).floor(x) == x)


def log_gamma_near(t: Any) -> Any:
    """log(gamma(1 + t)) for t in [0, 2]."""
    return t * (t - 1) * ratio(*_NEAR[_single(t)], t)


def stirling(x: Any) -> Any:
    """Return the remainder of Stirling's formula for log(gamma(x)), for x from 3 on."""
    return ratio(*_STIRLING[_single(x)], 1 / (x * x)) / x


def log_gamma_far(x: Any) -> Any:
    """log(gamma(x)) by Stirling's formula, for x from 3 on; the sum doesn't overflow early."""
    xp = array_namespace(x)
    return (x - 0.5) * (xp.log(x) - 1) + ((HALF_LOG_2PI - 0.5) + stirling(x))


def log_gamma1p(y: Any) -> Any:
    """log(gamma(1 + y)) for y from 0 on."""
    xp = array_namespace(y)
    near = y < 2
    far = xp.where(near, xp.full_like(y, 3.0), 1 + y)
    return xp.where(near, log_gamma_near(xp.where(near, y, xp.zeros_like(y))), log_gamma_far(far))


def gamma1p(c: Any, y: Any, up: Any) -> Any:
    """c gamma(1 + y) where `up`, else c / gamma(1 + y), for y from 0 on.

    The power is taken by halves, neither of which leaves the range before the result does.
    """
    xp = array_namespace(y)
    near = y < 2
    t = xp.where(near, y, xp.zeros_like(y))
    most = 60.0 if _single(y) else 250.0  # where all is infinite or zero
    x = xp.where(near, xp.full_like(y, 3.0), xp.where(y > most, most, y) + 1)
    half = x ** (0.5 * x - 0.25) * xp.exp(-0.5 * x)
    half = xp.where(near, xp.ones_like(half), xp.where(up, half, 1 / half))
    rest = xp.where(near, log_gamma_near(t), stirling(x))
    one = xp.ones_like(y)
    scale = xp.where(near, one, xp.where(up, _ROOT_2PI * one, 1 / _ROOT_2PI))
    return c * scale * xp.exp(xp.where(up, rest, -rest)) * half * half


def digamma1p(y: Any) -> Any:
    """The derivative of log(gamma(1 + y)), for y from 0 on."""
    xp = array_namespace(y)
    single, near = _single(y), y < 2
    t = xp.where(near, y, xp.zeros_like(y))
    x = xp.where(near, xp.full_like(y, 3.0), 1 + y)
    u = 1 / (x * x)
    far = xp.log(x) - (0.5 / x + u * ratio(*_TAIL[single], u))
    return xp.where(near, less(t, _ROOT) * ratio(*_DIGAMMA[single], t), far)


def gamma_quotient(a: Any, m: Any) -> Any:
    """log(gamma(a) / gamma(a + m)) - m (1 - log(a + m)), for a and a + m from 3 on.

    The large terms of Stirling's formulas cancel beforehand: the first logarithm is about -m, and m
    is exact.
    """
    xp = array_namespace(a, m)
    return (0.5 - a) * xp.log1p(m / a) + (stirling(a) - stirling(a + m))


def stirling_step(x: Any, a: Any) -> Any:
    """stirling(x + a) - stirling(x), with all digits of tiny `a`; x from 3 on."""
    end = x + a
    _, now, slope = ratio_slope(*_STIRLING[_single(x)], 1 / (end * end), 1 / (x * x))
    step = -a / (x * end)  # of 1 / x
    return slope * step * (1 / end + 1 / x) / end + now * step


def digamma_step(b: Any, a: Any) -> Any:
    """digamma(b + a) - digamma(b), for b and b + a above 0; with all digits of small `a`."""
    xp = array_namespace(a, b)
    end = b + a
    first = xp.where(xp.abs(a) < b, a / b / end, 1 / b - 1 / end)
    return first + digamma1p_step(b, a)


def digamma1p_step(b: Any, a: Any) -> Any:
    """digamma(1 + b + a) - digamma(1 + b), for b and b + a above 0: as `stirling_step`."""
    xp = array_namespace(a, b)
    x = b + 3
    end = x + a
    over, now = 1 / end, 1 / x
    u, w = over * over, now * now
    later, _, slope = ratio_slope(*_TAIL[_single(x)], u, w)
    step = -a * over * now  # of 1 / x
    rest = step * (over + now) * (later + w * slope)
    below = a / ((b + 1) * (b + 1 + a)) + a / ((b + 2) * (b + 2 + a))
    return xp.log1p(a * now) - 0.5 * step - rest + below
