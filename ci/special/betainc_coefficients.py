"""Write ``special/_betainc_coefficients.py``: Temme's expansion of the incomplete beta functions.

    python ci/special/betainc_coefficients.py

With p = a / (a + b), v = (b - a) / (a + b), m = a b / (a + b) and u = (x - p) / (p (1 - p)), let
e^2 / 2 = -log(x / p) / (1 - p) - log((1 - x) / (1 - p)) / p, of the sign of u. This is eta of
DLMF 8.18.10 over sqrt(p (1 - p)), with which the expansion becomes that of the incomplete gamma
functions as v tends to 1:

    I = erfc(-e sqrt(m / 2)) / 2 - exp(-m e^2 / 2) / sqrt(2 pi m) (d_0 + d_1 / m + ...).

The derivative of both sides in e gives d_0 = 1 / u - 1 / e and d_k = g_k / u + d_(k-1)' / e, where
g_k is what makes it finite at 0. All d_k are power series in e, whose coefficients are polynomials
in v: even ones at odd powers of e, odd ones at even powers. They are exact here, as fractions, and
checked against mpmath. What adds less than 2e-17 (1e-8 in single precision) where abs(e) <= 0.07
and m >= 200 is left out.
"""

from fractions import Fraction
from pathlib import Path

import mpmath as mp

TARGET = Path(__file__).parents[2] / "src/likewise/special/_betainc_coefficients.py"
TERMS, ORDERS = 22, 8
E, LEAST = 0.07, 200.0
Poly = list[Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


def add(p: Poly, q: Poly) -> Poly:
    n = max(len(p), len(q))
    return [s + t for s, t in zip(p + [ZERO] * (n - len(p)), q + [ZERO] * (n - len(q)))]  # noqa: B905


def times(p: Poly, q: Poly) -> Poly:
    out = [ZERO] * (len(p) + len(q) - 1)
    for i, s in enumerate(p):
        for j, t in enumerate(q):
            out[i + j] += s * t
    return out


def scaled(p: Poly, by: Fraction | int) -> Poly:
    return [c * by for c in p]


def total(ps: list[Poly]) -> Poly:
    out = [ZERO]
    for p in ps:
        out = add(out, p)
    return out


def u_series() -> list[Poly]:
    """u / e in e. u u' = e (1 + v u - (1 - v^2) u^2 / 4) gives one coefficient after the other."""
    minus_pq = [Fraction(-1, 4), ZERO, Fraction(1, 4)]
    u = [[ZERO], [ONE]]
    for n in range(2, TERMS + 2):
        square = total([times(u[i], u[n - 1 - i]) for i in range(1, n - 1)])
        right = add(times([ZERO, ONE], u[n - 1]), times(minus_pq, square))
        known = total([scaled(times(u[i], u[n + 1 - i]), n + 1 - i) for i in range(2, n)])
        u.append(scaled(add(right, scaled(known, -1)), Fraction(1, n + 1)))
    return u[1:]


def reciprocal(p: list[Poly]) -> list[Poly]:
    out = [[ONE]]
    for n in range(1, len(p)):
        out.append(scaled(total([times(p[i], out[n - i]) for i in range(1, n + 1)]), -1))
    return out


def expansion() -> list[list[Poly]]:
    """For each power of 1 / m, for each power of e, a polynomial in v."""
    over = reciprocal(u_series())  # e / u
    rows = [over[1:]]
    for _ in range(1, ORDERS):
        slope = [scaled(c, n) for n, c in enumerate(rows[-1])][1:]  # over e: from power -1 on
        g = scaled(slope[0], -1)
        whole = [add(s, times(g, o)) for s, o in zip(slope, over, strict=False)]
        assert not any(whole[0])
        rows.append(whole[1:])
    return rows


def check(rows: list[list[Poly]]) -> None:
    """The expansion at one point."""
    with mp.workdps(60):
        a, b, x = mp.mpf(9000), mp.mpf(23000), mp.mpf("0.277")
        p, v, m = a / (a + b), (b - a) / (a + b), a * b / (a + b)
        half = -(mp.log(x / p) / (1 - p) + mp.log((1 - x) / (1 - p)) / p)
        e = mp.sign(x - p) * mp.sqrt(2 * half)
        s = mp.fsum(
            mp.mpf(c.numerator) / c.denominator * v**j * e**n / m**k
            for k, row in enumerate(rows)
            for n, poly in enumerate(row)
            for j, c in enumerate(poly)
        )
        found = mp.erfc(-e * mp.sqrt(m / 2)) / 2 - mp.exp(-m * half) / mp.sqrt(2 * mp.pi * m) * s
        term, series, n = mp.mpf(1), mp.mpf(1), 0
        while term > mp.mpf(10) ** -40:  # DLMF 8.17.8
            term *= (a + b + n) / (a + 1 + n) * x
            series, n = series + term, n + 1
        exact = series * x**a * (1 - x) ** b / (a * mp.beta(a, b))
        assert abs(found / exact - 1) < mp.mpf(10) ** -28, mp.nstr(found / exact - 1)


def kept(rows: list[list[Poly]], least: float) -> list[list[list[float]]]:
    """Return of each polynomial the coefficients of v^0, v^2, ... or of v, v^3, ..."""
    out = []
    for k, row in enumerate(rows):
        short = []
        for n, poly in enumerate(row):
            odd = (n + 1) % 2
            assert not any(poly[1 - odd :: 2])
            mine = [float(c) for c in poly[odd::2]]
            size = E**n * LEAST**-k
            count = max((j + 1 for j, c in enumerate(mine) if abs(c) * size > least), default=0)
            short.append(mine[:count])
        while short and not short[-1]:
            short.pop()
        out.append([p or [0.0] for p in short])
    return [row for row in out if row]


def main() -> None:
    rows = expansion()
    check(rows)
    text = '"""Made by ci/special/betainc_coefficients.py, which documents them."""\n\nC = {\n'
    for single, least in ((True, 1e-8), (False, 2e-17)):
        text += f"    {single}: {tuple(tuple(map(tuple, r)) for r in kept(rows, least))!r},\n"
    TARGET.write_text(text + "}\n")


if __name__ == "__main__":
    main()
