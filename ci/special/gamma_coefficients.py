"""Print the coefficients of the gamma, digamma and zeta functions, and their errors.

    python ci/special/gamma_coefficients.py

Each is a rational function through the Chebyshev points of its interval, found by a linear system
in 60 digits; the error printed is the largest relative one on 400 points, before rounding.
"""

from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.dps = 60
ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683622"))


def near_gamma(t: Any) -> Any:
    """lgamma(1 + t) / (t (t - 1))."""
    if t == 0:
        return mp.euler
    if t == 1:
        return 1 - mp.euler
    return mp.loggamma(1 + t) / (t * (t - 1))


def near_digamma(t: Any) -> Any:
    """digamma(1 + t) over the distance from its zero."""
    return mp.digamma(1 + t) / (1 + t - ROOT)


def stirling(u: Any) -> Any:
    """x times what Stirling's formula for lgamma(x) leaves out, for u = 1 / x^2."""
    if u == 0:
        return mp.mpf(1) / 12
    x = 1 / mp.sqrt(u)
    with mp.extradps(40):
        return x * (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def tail(u: Any) -> Any:
    """x^2 (log(x) - 1 / (2 x) - digamma(x)), for u = 1 / x^2."""
    if u == 0:
        return mp.mpf(1) / 12
    x = 1 / mp.sqrt(u)
    with mp.extradps(40):
        return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / u


def rational(f: Callable[[Any], Any], low: Any, high: Any, above: int, below: int) -> Any:
    """Coefficients of degrees `above` and `below`, the constants first; and the error."""
    n = above + below + 1
    centre, half = (mp.mpf(high) + low) / 2, (mp.mpf(high) - low) / 2
    nodes = [centre - half * mp.cospi((2 * i + 1) / mp.mpf(2 * n)) for i in range(n)]
    matrix, right = mp.matrix(n, n), mp.matrix(n, 1)
    for i, t in enumerate(nodes):
        y = f(t)
        for j in range(above + 1):
            matrix[i, j] = t**j
        for j in range(below):
            matrix[i, above + 1 + j] = -y * t ** (j + 1)
        right[i] = y
    found = list(mp.lu_solve(matrix, right))
    p, q = found[: above + 1], [mp.mpf(1), *found[above + 1 :]]
    worst = mp.mpf(0)
    for i in range(401):
        t = low + (mp.mpf(high) - low) * i / 400
        y = f(t)
        worst = max(worst, abs(mp.polyval(p[::-1], t) / mp.polyval(q[::-1], t) / y - 1))
    return p, q, worst


def regular_zeta(s: Any) -> Any:
    """zeta(s) - 1 / (s - 1)."""
    return mp.euler if s == 1 else mp.zeta(s) - 1 / (s - 1)


# Name, function, interval, and the degrees in double and in single precision.
WANTED = (
    ("near", near_gamma, 0, 2, (8, 8), (4, 3)),
    ("stirling", stirling, 0, mp.mpf(1) / 9, (4, 4), (1, 1)),
    ("digamma", near_digamma, 0, 2, (6, 6), (4, 3)),
    ("tail", tail, 0, mp.mpf(1) / 9, (5, 5), (3, 1)),
    ("zeta", regular_zeta, -2, 1, (14, 0), (8, 0)),
)


def series() -> None:
    """Taylor's series of lgamma(1 + t) / t, and of Euler and Maclaurin's sum."""
    taylor = [-mp.euler, *((-1) ** k * mp.zeta(k) / k for k in range(2, 24))]
    print("loggamma next to 1:", ", ".join(repr(float(c)) for c in taylor))
    half = mp.mpf(5) / 2
    about = [mp.loggamma(half), mp.digamma(half)]
    about += [(-1) ** k * mp.zeta(k, half) / k for k in range(2, 48)]
    print("loggamma about 5/2:", ", ".join(repr(float(c)) for c in about))
    sums = [mp.bernoulli(2 * k) / mp.factorial(2 * k) for k in range(1, 13)]
    print("Euler-Maclaurin:", ", ".join(repr(float(c)) for c in sums))
    rest = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 9)]
    print("Stirling:", ", ".join(repr(float(c)) for c in rest))


def main() -> None:
    series()
    high = mp.mpf(float(ROOT))
    print("zero of digamma, less 1:", repr(float(high - 1)), repr(float(ROOT - high)))
    for name, f, low, end, *degrees in WANTED:
        for above, below in degrees:
            p, q, worst = rational(f, low, end, above, below)
            print(f"{name} ({above}, {below}), error {mp.nstr(worst, 2)}")
            for part in (p, q):
                if len(part) > 1:
                    print("    (" + ", ".join(repr(float(c)) for c in part) + "),")


if __name__ == "__main__":
    main()
