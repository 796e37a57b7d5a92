"""Distributions of the largest of several statistics that share an estimate of the variance."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...special import gammaln, ndtr

__all__ = [
    "dunnett_sf",
    "range_cdf",
    "range_pdf",
    "range_sf",
    "studentized_range_cdf",
    "studentized_range_pdf",
    "studentized_range_sf",
]

_NORMAL, _SCALES = 100, 100  # nodes of the trapezoidal rules, which converge geometrically
_FRONT = 1 / math.sqrt(2 * math.pi)


def _over_scales(
    df: Any, inner: Callable[[Any], Any], center: Any, width: Any, low: Any, high: Any
) -> Any:
    """Return the mean of a function of s = sqrt(chi2 / df), for arrays of one shape.

    The trapezoidal rule in t, where ``log(s) = center + width * sinh(t)`` goes from `low` to
    `high`. `inner` takes scales of shape (..., nodes).
    """
    xp = array_namespace(df)
    first, last = (xp.asinh((end - center) / width) for end in (low, high))
    step = ((last - first) / (_SCALES - 1))[..., None]
    t = first[..., None] + step * xp.arange(_SCALES, dtype=df.dtype, device=device(df))
    y = center[..., None] + width[..., None] * xp.sinh(t)
    # log of 2 (df/2)^(df/2) / Gamma(df/2) exp(-df/2), by Stirling's series where it cancels.
    half = df / 2
    many = half > 20
    big = xp.where(many, half, 20.0)
    square = big * big
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / big
    front = 0.5 * xp.log(big / (2 * math.pi)) - series
    some = xp.where(many, 1.0, half)
    front = math.log(2) + xp.where(many, front, some * xp.log(some) - some - gammaln(some))
    # exp(2 y) - 1 - 2 y, by its series where it cancels.
    near = xp.abs(y) < 0.5
    x = xp.where(near, 2 * y, 0.0)
    bend = xp.ones_like(x)
    for i in range(20, 2, -1):
        bend = 1 + bend * x / i
    far = xp.where(near, 1.0, 2 * y)
    bend = xp.where(near, 0.5 * x * x * bend, xp.expm1(far) - far)
    density = xp.exp((front + xp.log(width))[..., None] - 0.5 * df[..., None] * bend)
    return xp.sum(density * xp.cosh(t) * inner(xp.exp(y)) * step, axis=-1)


def _reach(df: Any) -> tuple[Any, Any]:
    """Return how far below and above its mode log(s) may be: beyond, it has less than 1e-18."""
    xp = array_namespace(df)
    reach = 42 / df
    return xp.sqrt(reach) + reach, xp.minimum(xp.sqrt(reach), 0.5 * xp.log(2 * reach + 7))


def _width(df: Any) -> Any:
    return 1 / array_namespace(df).sqrt(2 * df + 4)


def _upper(q: Any, df: Any, inner: Callable[[Any], Any]) -> Any:
    """Return the mean of a function of q s that falls like exp(-(q s)^2 / 4)."""
    xp = array_namespace(q)
    q, df = xp.where(q > 0, q, 1.0), xp.minimum(df, xp.full_like(df, 1e30))
    low, high = _reach(df)
    ratio = q / xp.sqrt(2 * df + 8)
    big = ratio > 1
    shrunk = 0.5 * xp.log1p(xp.where(big, 1 / ratio, ratio) ** 2)
    center = -shrunk - xp.where(big, xp.log(ratio), 0.0)
    high = xp.minimum(high, math.log(60) - xp.log(q))
    return _over_scales(df, inner, center, _width(df), center - low, high)


def _lower(q: Any, k: Any, df: Any, inner: Callable[[Any], Any]) -> Any:
    """Return the mean of a function of q s that rises like (q s)^(k - 1) at first."""
    xp = array_namespace(q)
    df = xp.minimum(df, xp.full_like(df, 1e30))
    # The mode of the density times (1 + 2 pi / (q s)^2)^((1 - k) / 2).
    a, square = 2 * math.pi, xp.minimum(q, xp.full_like(q, 10.0)) ** 2
    more = 1 + (k - 1) / df
    mode = 2 * a * more / (a - square + xp.sqrt((a - square) ** 2 + 4 * square * a * more))
    own = df + (k - 1) * a / (square * mode + a)
    center = 0.5 * xp.log(mode)
    low, high = center - _reach(df)[0], center + _reach(own)[1]
    return _over_scales(df, inner, center, _width(own), low, high)


def _over_least(w: Any, integrand: Callable[[Any, Any], Any]) -> Any:
    """Return the integral over z, the least of normal variables whose range is w, of its normal
    density times a function of z and w."""
    xp = array_namespace(w)
    w = xp.clip(w, 0.0, 60.0)[..., None]
    low, high = -w / 2 - 8, 8.5
    step = (high - low) / (_NORMAL - 1)
    z = low + step * xp.arange(_NORMAL, dtype=w.dtype, device=device(w))
    return xp.sum(xp.exp(-0.5 * z * z) * integrand(z, w), axis=-1) * step[..., 0] * _FRONT


def _between(z: Any, w: Any) -> Any:
    """Return the probability of a normal variable between z and z + w."""
    xp = array_namespace(z, w)
    near = w < 0.25
    some = ndtr(-z) - ndtr(-z - xp.where(near, 1.0, w))
    small = xp.where(near, w, 0.0)
    m = z + 0.5 * small
    square = 0.25 * small * small
    # Taylor's series about the middle: Hermite's polynomials over (2 j + 1)!
    before, now, total, power = xp.ones_like(m), m, xp.ones_like(m), 1.0
    for n in range(1, 12):
        before, now = now, m * now - n * before
        if n % 2:
            power = power * square
            total = total + power * now / math.factorial(n + 2)
    return xp.where(near, small * xp.exp(-0.5 * m * m) * _FRONT * total, xp.maximum(some, 0 * some))


def range_sf(w: Any, k: Any) -> Any:
    """Return the probability that the range of `k` normal variables is `w` or more.

    H. O. Hartley, Biometrika 32, 1942. What is integrated is the difference to 1, without
    cancellation, so that small probabilities keep their digits. `k` broadcasts with `w`.
    """
    xp = array_namespace(w)
    n = k if isinstance(k, int) else k[..., None]

    def integrand(z: Any, w: Any) -> Any:
        above = ndtr(-z)
        part = xp.clip(ndtr(-z - w) / above, None, 1.0)
        inside = xp.where(part < 1, (n - 1) * xp.log1p(-xp.where(part < 1, part, 0.0)), -xp.inf)
        return above ** (n - 1) * -xp.expm1(inside)

    return k * _over_least(w, integrand)


def range_cdf(w: Any, k: Any) -> Any:
    """Return the probability that the range of `k` normal variables is `w` or less."""
    n = k[..., None]
    return k * _over_least(w, lambda z, w: _between(z, w) ** (n - 1))


def range_pdf(w: Any, k: Any) -> Any:
    """Return the density of the range of `k` normal variables."""
    xp, n = array_namespace(w), k[..., None]

    def integrand(z: Any, w: Any) -> Any:
        inside = _between(z, w)
        some = inside > 0
        power = xp.where(some, inside, 1.0) ** (n - 2)
        return xp.where(some, power, 0.0) * xp.exp(-0.5 * (z + w) ** 2)

    return k * (k - 1) * _FRONT * _over_least(w, integrand)


def studentized_range_sf(q: Any, k: Any, df: Any) -> Any:
    """Return the probability that the studentized range of `k` normal variables is `q` or more.

    The arrays have one shape; `k` may be an integer.
    """
    xp = array_namespace(q)
    n = k if isinstance(k, int) else k[..., None]
    found = _upper(q, df, lambda s: range_sf(q[..., None] * s, n))
    return xp.clip(xp.where(q > 0, found, 1.0), 0.0, 1.0)


def studentized_range_cdf(q: Any, k: Any, df: Any) -> Any:
    """Return the probability that the studentized range of `k` normal variables is `q` or less."""
    xp = array_namespace(q)
    found = _lower(q, k, df, lambda s: range_cdf(q[..., None] * s, k[..., None]))
    return xp.clip(found, 0.0, 1.0)


def studentized_range_pdf(q: Any, k: Any, df: Any) -> Any:
    """Return the density of the studentized range of `k` normal variables."""
    xp = array_namespace(q)

    def inner(s: Any) -> Any:
        return s * range_pdf(q[..., None] * s, k[..., None])

    return xp.where(q > 4, _upper(q, df, inner), _lower(q, k, df, inner))


def dunnett_sf(t: Any, loads: Any, df: Any, sided: bool) -> Any:
    """Return the probability that the largest of Student's statistics is `t` or more.

    C. W. Dunnett, J. Am. Stat. Assoc. 50, 1955. The correlation of two is the product of their
    `loads`, shape (k,): given a common normal variable they are independent. Without `sided`, the
    largest absolute value. `t` and `df` have one shape.
    """
    xp = array_namespace(t)
    z = 18 * (xp.arange(_NORMAL, dtype=t.dtype, device=device(t)) / (_NORMAL - 1)) - 9
    weight = xp.exp(-0.5 * z * z) * (18 / (_NORMAL - 1) / math.sqrt(2 * math.pi))
    rest = xp.sqrt(1 - loads * loads)

    def beyond(s: Any) -> Any:
        bound = (t[..., None] * s)[..., None]
        total: Any = 0.0  # log of the probability of being inside
        for j in range(loads.shape[0]):
            out = ndtr((loads[j] * z - bound) / rest[j])
            if not sided:
                out = out + ndtr((-bound - loads[j] * z) / rest[j])
            total = total + xp.log1p(-xp.clip(out, None, 1 - 1e-15))
        return xp.sum(weight * -xp.expm1(total), axis=-1)

    # Below 0 it doesn't fall, and `_upper` goes over all scales.
    return xp.clip(_upper(xp.maximum(t, 0 * t) * math.sqrt(2), df, beyond), 0.0, 1.0)
