"""Write ``special/_gammainc_coefficients.py``: Temme's expansion of the incomplete gamma functions.

    python ci/special/gammainc_coefficients.py

By DLMF 8.12.10, with power series in eta of 40 digits: c_0 = 1 / mu - 1 / eta, and
c_k = c_(k-1)' / eta + (-1)^k g_k / mu, where mu = eta + eta^2 / 3 + ... solves eta^2 / 2 = mu -
log(1 + mu). What adds less than 2e-18 (1e-9 in single precision) where abs(eta) <= 0.36 and a >= 20
is left out.
"""

from pathlib import Path
from typing import Any

import mpmath as mp

mp.mp.dps = 60
TARGET = Path(__file__).parents[2] / "src/likewise/special/_gammainc_coefficients.py"
TERMS, ORDERS = 60, 16
ETA, LEAST = mp.mpf("0.36"), 20


def mu_series() -> list[Any]:
    """mu / eta in eta. mu mu' = eta (1 + mu) gives one coefficient after the other."""
    m = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, TERMS + 2):
        known = mp.fsum(m[i] * m[n + 1 - i] for i in range(2, n))
        m.append((m[n - 1] - (n + 1) * known / 2) / (n + 1))
    return m[1:]


def reciprocal(p: list[Any]) -> list[Any]:
    out = [1 / p[0]]
    for n in range(1, len(p)):
        out.append(-mp.fsum(p[i] * out[n - i] for i in range(1, n + 1)) / p[0])
    return out


def stirling_coefficients() -> list[Any]:
    """g_k of gamma(a) = sqrt(2 pi / a) (a / e)^a (g_0 + g_1 / a + ...), from the logarithm's."""
    log = [mp.mpf(0)] * (ORDERS + 1)
    for j in range(1, ORDERS // 2 + 1):
        log[2 * j - 1] = mp.bernoulli(2 * j) / (2 * j * (2 * j - 1))
    g = [mp.mpf(1)]
    for n in range(1, ORDERS + 1):
        g.append(mp.fsum(i * log[i] * g[n - i] for i in range(1, n + 1)) / n)
    return g


def expansion() -> list[list[Any]]:
    """Rows of coefficients in eta, for each power of 1 / a."""
    over = reciprocal(mu_series())  # eta / mu
    g, rows = stirling_coefficients(), [over[1:]]
    for k in range(1, ORDERS):
        last = rows[-1]
        slope = [(n + 1) * last[n + 1] for n in range(len(last) - 1)]  # over eta: from power -1 on
        whole = [s + (-1) ** k * g[k] * o for s, o in zip(slope, over, strict=False)]
        assert abs(whole[0]) < mp.mpf(10) ** -30, (k, whole[0])
        rows.append(whole[1:])
    return rows


def kept(rows: list[list[Any]], least: float) -> list[list[float]]:
    out = []
    for k, row in enumerate(rows):
        sizes = [abs(c) * ETA**n * mp.mpf(LEAST) ** -k for n, c in enumerate(row)]
        last = max((n for n, s in enumerate(sizes) if s > least), default=-1)
        out.append([float(c) for c in row[: last + 1]])
    return [row for row in out if row]


def main() -> None:
    m = mu_series()
    logs = [mp.mpf(1)]  # log(1 + mu) / eta: its derivative mu' / (1 + mu) is eta / mu
    over = reciprocal(m)
    logs = [c / (n + 1) for n, c in enumerate(over)]
    rows = expansion()
    text = '"""Made by ci/special/gammainc_coefficients.py, which documents them."""\n\n'
    for name, table in (("C", rows), ("LOG", [logs])):
        text += f"{name} = {{\n"
        for single, least in ((True, 1e-9), (False, 2e-18)):
            text += f"    {single}: {tuple(tuple(r) for r in kept(table, least))!r},\n"
        text += "}\n"
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
