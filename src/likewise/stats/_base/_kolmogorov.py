"""Distributions of Kolmogorov's and Smirnov's statistics of a sample of `n`.

The number `n` is an integer, or an array beside the statistics with `size` as its largest value.
"""

import functools
import math
from fractions import Fraction
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, namespace
from ...missing._axes import index_dtype

__all__ = ["kolmogorov_sf", "limiting_sf", "smirnov_sf"]

_EXACT = 140  # up to this number of observations the central part is exact
# log(m!) - m log(m) + m of m < 16, beyond which Stirling's series has all digits.
_FEW = [math.lgamma(m + 1) - (m and m * math.log(m)) + m for m in range(16)]


def smirnov_sf(x: Any, n: Any, size: int) -> Any:
    """Return the probability that the one-sided statistic is `x` or more.

    Z. W. Birnbaum, F. H. Tingey, Ann. Math. Stat. 22, 1951, equation 3.0: a sum of `n` positive
    terms. Binomial probabilities at their mode, with the rest as logarithms that vanish with x,
    keep all digits of a term.
    """
    xp = array_namespace(x)
    positive, x = x > 0, x[..., None]
    j = xp.arange(size, dtype=x.dtype, device=device(x))
    if isinstance(n, int):
        rest, mode = n - j, _like(x, _modes(n))
    else:
        n = n[..., None]
        rest = xp.clip(n - j, 1.0, None)
        mode = _stirling(n) - _stirling(j) - _stirling(rest)
    x = xp.where(x > 0, x, 0.5)
    part = x * n / rest
    inside = (part < 1) & (j < n)
    x, part = xp.where(inside, x, 0.5 / n), xp.where(inside, part, 0.5)
    power = j * xp.log1p(x * n / xp.clip(j, 1.0, None)) + rest * xp.log1p(-part)
    terms = x / (x + j / n) * xp.exp(power + mode)
    return xp.where(positive, xp.sum(xp.where(inside, terms, 0.0), axis=-1), 1.0)


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def _modes(n: int) -> Any:
    """Return the logarithms of binomial probabilities of j in n, where j / n is expected."""
    j = namespace("numpy").arange(n, dtype=float)
    return (_stirling(n + 0 * j) - _stirling(j) - _stirling(n - j)).tolist()


def _like(x: Any, constant: Any) -> Any:
    """Return numbers as an array of the library, device and dtype of `x`."""
    return array_namespace(x).asarray(constant, dtype=x.dtype, device=device(x))


def _stirling(m: Any) -> Any:
    """Return log(m!) - m log(m) + m of whole numbers."""
    xp = array_namespace(m)
    few = m < 16
    table = xp.asarray(_FEW, dtype=m.dtype, device=device(m))
    index = xp.reshape(xp.astype(xp.where(few, m, 0.0), index_dtype(xp, m)), (-1,))
    big = xp.where(few, 16.0, m)
    r = 1 / (big * big)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / big
    found = xp.reshape(xp.take(table, index, axis=0), m.shape)
    return xp.where(few, found, series + 0.5 * xp.log(2 * math.pi * big))


def kolmogorov_sf(x: Any, n: Any, size: int) -> Any:
    """Return the probability that the two-sided statistic is `x` or more.

    R. Simard, P. L'Ecuyer, J. Stat. Softw. 39(11), 2011, with their limits between: the matrix
    power of Marsaglia, Tsang and Wang; Pelz and Good's series for many observations; and twice the
    one-sided probability in the tail, where both sides together are out of the question.
    """
    xp = array_namespace(x)
    t = n * x
    center = (t * x <= 4) & (x < 0.5)
    middle: Any = None
    if size > _EXACT:
        few = n <= _EXACT
        body = (t * x < 2.2) & (x < 0.5)
        power = body & (t * xp.sqrt(xp.clip(x, 0.0, None)) <= 1.4) & (n <= 100_000)
        if isinstance(n, int):
            center, middle = power, body & ~power
        else:
            center, middle = xp.where(few, center, power), body & ~few & ~power
    out = xp.zeros_like(x)
    if _any(~center):
        out = 2 * smirnov_sf(x, n, size)
    if middle is not None and _any(middle):
        out = xp.where(middle, 1 - _pelz_good(xp.where(middle, x, 1 / n**0.5), n), out)
    if _any(center):
        out = xp.where(center, 1 - _matrix_power(xp.where(center, x, 0.5 / n), n, size), out)
    return xp.clip(out, 0.0, 1.0)


def _any(mask: Any) -> bool:
    return not is_concrete(mask) or bool(array_namespace(mask).any(mask))


def _matrix_power(x: Any, n: Any, size: int) -> Any:
    """Return the probability that the statistic is less than `x`.

    G. Marsaglia, W. W. Tsang, J. Wang, J. Stat. Softw. 8(18), 2003. All matrices have the size of
    the largest that there may be, centered; rows and columns beyond a row's own are zero.
    """
    xp, where = array_namespace(x), device(x)
    whole = index_dtype(xp, x)
    most = math.ceil(2 * min(size, _EXACT) ** 0.5)
    if size > _EXACT:
        central = math.ceil(1.2516 * min(size, 100_000) ** (1 / 3)) + 1
        most = central if isinstance(n, int) else max(most, central)
    over, toeplitz = (_like(x, c) for c in _factorials(most))
    places = xp.arange(1 - most, most, dtype=whole, device=where)
    k = xp.clip(xp.astype(xp.ceil(n * x), whole), 1, most)[..., None]
    h = xp.astype(k, x.dtype) - (n * x)[..., None]
    e = xp.arange(2 * most, dtype=x.dtype, device=where)
    powers = xp.concat([h**e * over, xp.clip(2 * h - 1, 0.0, None) ** e * over], axis=-1)
    index = [xp.clip(k + places, 0, None), xp.clip(k - places, 0, None), 2 * (most + k) - 1]
    found = xp.take_along_axis(powers, xp.concat(index, axis=-1), axis=-1)
    wide = 2 * most - 1
    column, row, corner = found[..., :wide], found[..., wide:-1], found[..., -1:]
    first, last = (xp.astype(places == c, x.dtype) for c in (1 - k, k - 1))
    active = xp.astype((places > -k) & (places < k), x.dtype)
    square = toeplitz - column[..., :, None] * first[..., None, :]
    square = square - last[..., :, None] * (row - corner * first)[..., None, :]
    square = square * (active[..., :, None] * active[..., None, :])

    # So that the power is n! / n^n of what it is in the paper, and never overflows.
    rest = 1.0
    if isinstance(n, int):
        factor, rest = _per_step(n)
        square = square * factor
    else:
        square = square * xp.exp(_stirling(n) / n - 1)[..., None, None]
    v = xp.broadcast_to(xp.astype(places == 0, x.dtype), (*x.shape, wide))
    bits = size.bit_length()
    for b in range(bits):
        if not isinstance(n, int):
            odd = xp.astype(n, whole) // 2**b % 2 == 1
            v = xp.where(odd[..., None], xp.matmul(square, v[..., None])[..., 0], v)
        elif n >> b & 1:
            v = xp.matmul(square, v[..., None])[..., 0]
        if b + 1 < bits:
            square = xp.matmul(square, square)
    return v[..., most - 1] * rest


@functools.lru_cache(maxsize=64)
def _per_step(n: int) -> tuple[float, float]:
    """Return the n-th root of n! / n^n, rounded, and what its n-th power lacks."""
    factor = math.exp(math.lgamma(n + 1) / n - math.log(n))
    if n > _EXACT:
        return factor, 1.0
    return factor, float(Fraction(math.factorial(n), n**n) / Fraction(factor) ** n)


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def _factorials(most: int) -> tuple[Any, Any]:
    """Return 1 / e! of e < 2 most, and the matrix of 1 / (i - j + 1)!, with 0 above."""
    xp = namespace("numpy")
    over = xp.asarray([1.0 / math.factorial(e) for e in range(2 * most)])
    i = xp.arange(2 * most - 1)
    lag = i[:, None] - i[None, :] + 1
    return over.tolist(), xp.where(lag >= 0, xp.take(over, xp.clip(lag, 0, None)), 0.0).tolist()


def _pelz_good(x: Any, n: Any) -> Any:
    """Return the probability by four terms of a series in 1 / sqrt(n).

    W. Pelz, I. J. Good, J. R. Stat. Soc. B 38(2), 1976, equations 6 to 9 of Simard and L'Ecuyer.
    """
    xp = array_namespace(x)
    root = n**0.5
    z = root * x
    z2, pi2 = z * z, math.pi**2
    z4, z6 = z2 * z2, z2 * z2 * z2
    k0 = k1 = k2 = k3 = xp.zeros_like(x)
    for i in range(1, 10):
        m2 = (2 * i - 1) ** 2
        q, p = xp.exp(-m2 * pi2 / (8 * z2)), pi2 * m2 / 4
        k0 = k0 + q
        k1 = k1 + q * (p - z2)
        k2 = k2 + q * (6 * z6 + 2 * z4 + p * (2 * z4 - 5 * z2) + p**2 * (1 - 2 * z2))
        k3 = k3 + q * (
            (p**3 * (5 - 30 * z2) + p**2 * (212 * z4 - 60 * z2) + p * (135 * z4 - 96 * z6))
            - 30 * z6
            - 90 * z4 * z4
        )
        even = xp.exp(-(i**2) * pi2 / (2 * z2)) * i**2
        k2 = k2 - 2 * pi2 * z4 * even
        k3 = k3 + 30 * z4 * even * (3 * z2 - pi2 * i**2) * pi2
    scale = math.sqrt(2 * math.pi)
    return (
        scale / z * k0
        + scale / (6 * z4) * k1 / root
        + scale / (72 * z6 * z) * k2 / n
        + scale / (6480 * z4 * z6) * k3 / (n * root)
    )


def limiting_sf(x: Any) -> Any:
    """Return the probability that Kolmogorov's limit, sqrt(n) D, is `x` or more."""
    xp = array_namespace(x)
    small = x < 1
    y = xp.where(small, xp.clip(x, 0.02, None), 1.0)
    below = sum(xp.exp(-((2 * i - 1) ** 2) * math.pi**2 / (8 * y * y)) for i in range(1, 5))
    z = xp.where(small, 1.0, x)
    above = sum((-1) ** (i - 1) * xp.exp(-2 * i * i * z * z) for i in range(1, 6))
    return xp.where(small, 1 - math.sqrt(2 * math.pi) / y * below, 2 * above)
