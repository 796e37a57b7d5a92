"""Elliptic functions of Python floats, for elliptic filters.

Parameters m are those of M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions,
chapter 17. For parameters near 1, the complement 1 - m is passed as well, because it can't be
computed accurately from m.
"""

import math

__all__ = ["ellipk", "inverse_sc", "jacobi", "parameter_of_degree"]


def ellipk(complement: float) -> float:
    """Return the complete integral K for the parameter ``1 - complement``.

    By the arithmetic-geometric mean (Abramowitz and Stegun, 17.6).
    """
    a, b = 1.0, math.sqrt(complement)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (a + b)


def jacobi(u: float, m: float, complement: float) -> tuple[float, float, float]:
    """Return sn, cn and dn of a real argument, for a parameter and its complement.

    By the arithmetic-geometric mean (Abramowitz and Stegun, 16.4); dn as a sum of positive terms.
    """
    a, b, scale = 1.0, math.sqrt(complement), 1.0
    ratios = []
    while abs(a - b) > 1e-15 * a:
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        ratios.append(c / a)
        scale *= 2
    phi = scale * (a + b) / 2 * u
    for ratio in reversed(ratios):
        phi = (phi + math.asin(ratio * math.sin(phi))) / 2
    sn, cn = math.sin(phi), math.cos(phi)
    return sn, cn, math.sqrt(cn * cn + complement * sn * sn)


def inverse_sc(w: float, complement: float) -> float:
    """Return the real u with sn(u)/cn(u) = w, for the parameter ``1 - complement``.

    ``w RF(1, 1 + complement w**2, 1 + w**2)``, as follows from equation 4.1 of B. C. Carlson,
    Numerical computation of real or complex elliptic integrals, Numer. Algorithms 10, 13 (1995).
    """
    return w * _rf(1.0, 1 + complement * w * w, 1 + w * w)


def _rf(x: float, y: float, z: float) -> float:
    """Return Carlson's symmetric integral of the first kind, by duplication (section 2 there)."""
    while True:
        mean = (x + y + z) / 3
        dx, dy = 1 - x / mean, 1 - y / mean
        dz = -dx - dy
        if max(abs(dx), abs(dy), abs(dz)) < 1e-3:
            break
        step = math.sqrt(x * y) + math.sqrt(y * z) + math.sqrt(z * x)
        x, y, z = (x + step) / 4, (y + step) / 4, (z + step) / 4
    e2, e3 = dx * dy - dz * dz, dx * dy * dz
    series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44
    return series / math.sqrt(mean)


def parameter_of_degree(n: int, m1: float) -> tuple[float, float]:
    """Solve the degree equation; return the parameter m and its complement.

    Uses theta functions of the n-th root of the nome of `m1` (S. J. Orfanidis, Lecture notes on
    elliptic filter design, 2006, equations 37 and 39).
    """
    nome = math.exp(-math.pi * ellipk(m1) / ellipk(1 - m1) / n)
    two = sum(nome ** (k * (k + 1)) for k in range(_terms(nome)))
    three = 1 + 2 * sum(nome ** (k * k) for k in range(1, _terms(nome)))
    four = 1 + 2 * sum((-1) ** k * nome ** (k * k) for k in range(1, _terms(nome)))
    return 16 * nome * (two / three) ** 4, (four / three) ** 4


def _terms(nome: float) -> int:
    """Return how many powers of squares of a nome are significant."""
    return 2 + int(math.sqrt(-40 / math.log(nome)))
