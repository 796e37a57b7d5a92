"""Analog lowpass prototypes: zeros, poles and gain for a cutoff of 1 rad/s, in Python's numbers.

Butterworth and Chebyshev filters as in T. W. Parks and C. S. Burrus, Digital Filter Design, Wiley
1987, chapter 7; elliptic ones by M. D. Lutovac, D. V. Tosic and B. L. Evans, Filter Design for
Signal Processing, Prentice Hall 2001, chapters 5 and 12.
"""

import functools
import math
from typing import TypeAlias

from ...errors import ArgumentError
from ._elliptic import ellipk, inverse_sc, jacobi, parameter_of_degree

__all__ = ["Zpk", "bessel", "butterworth", "chebyshev1", "chebyshev2", "elliptic", "excess"]

Zpk: TypeAlias = tuple[list[complex], list[complex], float]


def excess(decibel: float) -> float:
    """Return ``10**(decibel/10) - 1``, the square of a ripple."""
    return math.expm1(decibel * (math.log(10) / 10))


def _angles(n: int) -> list[float]:
    """Return the angles of the poles, from the negative real axis."""
    return [math.pi * m / (2 * n) for m in range(1 - n, n, 2)]


def _gain(z: list[complex], p: list[complex]) -> float:
    """Return the gain at which the response to a constant is one."""
    return (
        math.prod((-v for v in p), start=1 + 0j) / math.prod((-v for v in z), start=1 + 0j)
    ).real


def butterworth(n: int) -> Zpk:
    """Return poles on the unit circle."""
    return [], [complex(-math.cos(t), -math.sin(t)) for t in _angles(n)], 1.0


def chebyshev1(n: int, rp: float) -> Zpk:
    """Return poles on an ellipse, for a ripple of `rp` decibel below the cutoff."""
    if n == 0:
        return [], [], 10 ** (-rp / 20)
    mu = math.asinh(1 / math.sqrt(excess(rp))) / n
    p = [complex(-math.sinh(mu) * math.cos(t), -math.cosh(mu) * math.sin(t)) for t in _angles(n)]
    k = _gain([], p)
    return [], p, k if n % 2 else k / math.sqrt(1 + excess(rp))


def chebyshev2(n: int, rs: float) -> Zpk:
    """Return zeros and poles for a ripple of `rs` decibel above the cutoff."""
    if n == 0:
        return [], [], 1.0
    mu = math.asinh(math.sqrt(excess(rs))) / n
    z = [complex(0, 1 / math.sin(t)) for t in _angles(n) if t]
    p = [-1 / complex(math.sinh(mu) * math.cos(t), math.cosh(mu) * math.sin(t)) for t in _angles(n)]
    return z, p, _gain(z, p)


def elliptic(function: str, n: int, rp: float, rs: float) -> Zpk:
    """Return zeros and poles for ripples of `rp` below and `rs` decibel above the cutoff."""
    if n == 0:
        return [], [], 10 ** (-rp / 20)
    ripple = excess(rp)
    if n == 1:
        return [], [complex(-math.sqrt(1 / ripple))], math.sqrt(1 / ripple)
    m1 = ripple / excess(rs)
    if not 0 < m1 < 1:
        raise ArgumentError(
            f"{function}: the attenuation rs must exceed the ripple rp, and 10**(rs/10) be a "
            f"number, got rp={rp!r} and rs={rs!r} decibel"
        )
    m, complement = parameter_of_degree(n, m1)
    quarter = ellipk(complement)
    u = quarter * inverse_sc(1 / math.sqrt(ripple), m1) / (n * ellipk(1 - m1))
    sv, cv, dv = jacobi(u, complement, m)
    z, p = [], []
    for j in range(1 - n % 2, n, 2):
        s, c, d = jacobi(j * quarter / n, m, complement)
        if j:
            z.append(complex(0, 1 / (math.sqrt(m) * s)))
        p.append(-complex(c * d * sv * cv, s * dv) / (cv * cv + m * s * s * sv * sv))
    z += [v.conjugate() for v in z]
    p += [v.conjugate() for v in p if v.imag]
    k = _gain(z, p)
    return z, p, k if n % 2 else k / math.sqrt(1 + ripple)


# -- Bessel ----------------------------------------------------------------------------------------


def bessel(n: int, norm: str) -> Zpk:
    """Return the poles of the reverse Bessel polynomial, scaled by a norm."""
    if n == 0:
        return [], [], 1.0
    last = math.factorial(2 * n) // math.factorial(n) // 2**n
    p = list(_bessel_poles(n))
    if norm == "delay":
        return [], p, float(last)
    if norm == "phase":
        scale = math.exp(-math.log(last) / n)
        return [], [v * scale for v in p], 1.0
    scale = 1 / _half_power(p)
    p = [v * scale for v in p]
    return [], p, math.prod((-v for v in p), start=1 + 0j).real


def _half_power(p: list[complex]) -> float:
    """Return the frequency at which a filter of these poles passes half of the power."""
    target = math.log(2) / 2

    def loss(w: float) -> float:
        return sum(math.log(abs(1 - 1j * w / v)) for v in p) - target

    low, high = 0.0, 1.0
    while loss(high) < 0:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if loss(middle) < 0 else (low, middle)
    return middle


@functools.lru_cache(maxsize=64)
def _bessel_poles(n: int) -> tuple[complex, ...]:
    """Return the roots of the reverse Bessel polynomial, to double precision.

    Its coefficients are integers of up to hundreds of digits, and its roots are ill-conditioned. So
    the Ehrlich-Aberth iteration (O. Aberth, Math. Comp. 27, 339, 1973) uses integers, with 40 + 8 n
    bits after the binary point. It starts from points on an arc that approximate the roots.
    """
    bits = 80 + 8 * n
    coefficients = [
        math.factorial(2 * n - k) // (2 ** (n - k) * math.factorial(k) * math.factorial(n - k))
        for k in range(n + 1)
    ]
    one = 1 << bits
    x = []
    for k in range(n):
        t = 2 * (k + 0.5) / n - 1  # from +1 to -1 along the arc
        z = n * complex(-0.66 * (1 - 0.75 * t * t) - 0.3 / n, -0.88 * t)
        x.append((int(z.real * 2**40) << (bits - 40), int(z.imag * 2**40) << (bits - 40)))
    for _ in range(200):
        worst = 0
        for i in range(n):
            step = _aberth_step(coefficients, x, i, bits)
            x[i] = (x[i][0] - step[0], x[i][1] - step[1])
            worst = max(worst, abs(step[0]), abs(step[1]))
        if worst < one >> 70:
            break
    poles = sorted((complex(re / one, im / one) for re, im in x), key=lambda v: -v.imag)
    return tuple(
        complex((v.real + w.real) / 2, (v.imag - w.imag) / 2)
        for v, w in zip(poles, reversed(poles), strict=True)
    )


def _aberth_step(
    coefficients: list[int], x: list[tuple[int, int]], i: int, bits: int
) -> tuple[int, int]:
    """Return Newton's step for one root, corrected for the others, all in fixed point."""
    xr, xi = x[i]
    vr = vi = dr = di = 0
    for c in reversed(coefficients):
        dr, di = ((dr * xr - di * xi) >> bits) + vr, ((dr * xi + di * xr) >> bits) + vi
        vr, vi = ((vr * xr - vi * xi) >> bits) + (c << bits), (vr * xi + vi * xr) >> bits
    sr = si = 0
    for j, (yr, yi) in enumerate(x):
        if j != i:
            er, ei = _quotient(1 << bits, 0, xr - yr, xi - yi, bits)
            sr, si = sr + er, si + ei
    # value / (slope - value * sum)
    nr = dr - ((vr * sr - vi * si) >> bits)
    ni = di - ((vr * si + vi * sr) >> bits)
    return _quotient(vr, vi, nr, ni, bits)


def _quotient(ar: int, ai: int, br: int, bi: int, bits: int) -> tuple[int, int]:
    size = br * br + bi * bi or 1
    return ((ar * br + ai * bi) << bits) // size, ((ai * br - ar * bi) << bits) // size
