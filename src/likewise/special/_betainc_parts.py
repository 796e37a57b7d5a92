"""Methods of the incomplete beta function.

All take a, b, x and y = 1 - x, which a caller may know to more digits than 1 - x has. Methods give
the lower function of its arguments, but `small`; `oriented` exchanges (a, x) with (b, y) where the
other tail is the one to compute.

Regions are fewer than in ACM TOMS 708 (A. R. DiDonato, A. H. Morris, 18 (1992), 360), as a fixed
number of steps holds all digits where a series has to stop for its length:

- series: (a + b) x <= 1 and x <= 0.3. Nearer to 0 the fraction needs more and more steps; beyond,
  the alternating series for small `a` loses digits.
- uniform: a b / (a + b) >= 200 and abs(e) <= 0.07, where the expansion has all digits and the
  fraction takes some sqrt(a b / (a + b)) steps.
- fraction: everywhere else, from 0 to the mean a / (a + b).
"""

import math
from typing import Any

from .._namespace import array_namespace, device
from . import _betainc_coefficients as table
from ._erf import erfcx
from ._function import at_hand, repeated
from ._gamma_parts import gamma_quotient, log_gamma_near, log_gamma_step, stirling
from ._log1p_less import less_log
from ._polynomial import columns, polynomial

__all__ = [
    "FRACTION",
    "SERIES",
    "by_fraction",
    "by_series",
    "centre",
    "counter",
    "expansion",
    "expansions",
    "exponent",
    "log_first",
    "log_of",
    "oriented",
    "prefactor",
    "regions",
    "single",
    "small",
    "uniform",
]

_LEAST, _E = 200.0, 0.07  # of the expansion
_NEAR, _PRODUCT = 0.3, 1.0  # of the series
# Steps: of the series at worst for x = 0.3 and a + b = 5; of the fraction for a x = 1 and tiny b.
SERIES = {True: 24, False: 40}
FRACTION = {True: 30, False: 100}


def single(x: Any) -> bool:
    return bool(x.dtype == array_namespace(x).float32)


def counter(n: float, like: Any) -> Any:
    return array_namespace(like).full((), float(n), dtype=like.dtype, device=device(like))


def log_of(x: Any, y: Any) -> Any:
    """log(x), with the digits of 1 - x next to 1."""
    xp = array_namespace(x, y)
    return xp.where(y < 0.5, xp.log1p(-xp.where(y < 0.5, y, 0.0)), xp.log(x))


# -- the factor in front ---------------------------------------------------------------------------


def _deviance(a: Any, mu: Any, ratio: Any) -> Any:
    """a (mu - log(1 + mu)); next to mu = -1 the logarithm is of 1 + mu = `ratio` as it stands."""
    xp = array_namespace(a)
    away = mu < -0.5
    near = less_log(xp.where(away, 0.0, mu))
    return a * xp.where(away, mu - xp.log(xp.where(away, ratio, 1.0)), near)


def centre(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """p = a / (a + b), 1 - p, (p - x) / p, (p - x) / (1 - p)."""
    total = a + b
    p, q = a / total, b / total
    away = a * y - b * x
    return p, q, away / a, away / b


def exponent(a: Any, b: Any, x: Any, y: Any) -> Any:
    """-log((x / p)^a (y / (1 - p))^b) (C. Loader, Fast and accurate computation of binomial
    probabilities (2000): nothing large is left of the sum)."""
    p, q, down, up = centre(a, b, x, y)
    return _deviance(a, -down, x / p) + _deviance(b, up, y / q)


def _both_large(a: Any, b: Any, x: Any, y: Any) -> Any:
    xp = array_namespace(a, b)
    rest = stirling(a + b) - stirling(a) - stirling(b)
    scale = xp.sqrt(a * (b / (a + b)) / (2 * math.pi))
    return scale * xp.exp(rest - exponent(a, b, x, y))


def _one_small(a: Any, b: Any, x: Any, y: Any) -> Any:
    """For a below 3. Of b below 3 the gamma functions are taken at b + 3."""
    xp = array_namespace(a, b)
    low, near = a < 1, b < 3
    total = a + b
    moved = b * (b + 1) * (b + 2) / (total * (total + 1) * (total + 2))
    far = xp.where(near, b + 3, b)
    rest = a * (xp.log(x * (far + a)) - 1) - gamma_quotient(far, a) + b * log_of(y, x)
    scale = xp.where(low, a, 1.0) * xp.where(near, moved, 1.0)
    return scale * xp.exp(rest - log_gamma_near(xp.where(low, a, a - 1)))


def prefactor(a: Any, b: Any, x: Any, y: Any) -> Any:
    """x^a y^b / beta(a, b)."""
    xp = array_namespace(a, b, x, y)
    turned = a > b
    low, high = xp.where(turned, b, a), xp.where(turned, a, b)
    u, v = xp.where(turned, y, x), xp.where(turned, x, y)
    large = low >= 3
    one = _one_small(xp.where(large, 1.0, low), high, u, v)
    both = _both_large(xp.where(large, low, 3.0), xp.where(large, high, 3.0), u, v)
    return xp.where(large, both, one)


# -- regions ---------------------------------------------------------------------------------------


def _is_near(a: Any, b: Any, x: Any) -> Any:
    return (x <= _NEAR) & ((a + b) * x <= _PRODUCT)


def regions(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Tell, for `oriented` arguments, where the series are used; where the lower function is about
    0.6 or more (by bounds of DLMF 5.6.4); and where the expansion is used."""
    total = a + b
    near = _is_near(a, b, x)
    high = (
        near
        & (a <= 1)
        & ((x * total) ** array_namespace(a).where(a < 1, a, 1.0) * (b / total) > 0.6)
    )
    return near, high, (a * (b / total) >= _LEAST) & ((a * y - b * x) / a <= _E * (b / total))


def oriented(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, tuple[Any, Any, Any, Any]]:
    """Return where the arguments are left as they are, and the arguments to work with.

    Near 0 and near 1 the one which is closer; else the one whose tail is below its mean.
    """
    xp = array_namespace(a, b, x, y)
    least = xp.minimum(x, y)
    same = xp.where(_is_near(a, b, least), x <= y, a * y >= b * x)
    return same, (
        xp.where(same, a, b),
        xp.where(same, b, a),
        xp.where(same, x, y),
        xp.where(same, y, x),
    )


# -- methods ---------------------------------------------------------------------------------------


def by_series(a: Any, b: Any, x: Any, y: Any) -> Any:
    """DLMF 8.17.8, whose terms are positive; without `prefactor`."""

    def step(i: Any, carry: Any) -> Any:
        n, term, total = carry
        term = term * ((a + b + n) * x / (a + 1 + n))
        return n + 1, term, total + term

    one = array_namespace(a, x).ones_like(a + x)
    total = repeated(SERIES[single(a)], step, (counter(0, a), one, one))[2]
    return total / a


def log_first(a: Any, b: Any, x: Any) -> Any:
    """log(x^a / (a beta(a, b))) for a up to 1, with all digits of tiny a, too."""
    step = log_gamma_step(b, a) - log_gamma_near(a)
    return a * array_namespace(x).log(x * (b + 3 + a)) + step


def small(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The upper function for a up to 1 in the series' region, where 1 less the lower one has no
    digits: 1 - f and f times the rest of DLMF 8.17.7, sum of (1 - b)_n x^n / (n! (a + n))."""
    xp = array_namespace(a, b, x)

    def step(i: Any, carry: Any) -> Any:
        n, term, total = carry
        term = term * ((n - b) * x / n)
        return n + 1, term, total + term / (a + n)

    zero = xp.zeros_like(a + x)
    total = repeated(SERIES[single(a)], step, (counter(1, a), zero + 1, zero))[2]
    log = log_first(a, b, x)
    return -xp.expm1(log) - xp.exp(log) * a * total


def by_fraction(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The even part of DLMF 8.17.22 (TOMS 708, BFRAC), from its end; without `prefactor`."""
    away = a * y - b * x + 1
    # At n: what is left of the fraction below, and 1 / (a + 2 n + 1).

    def step(i: Any, carry: Any) -> Any:
        n, below, over = carry
        last = 1 / (a + (2 * n - 1))
        first = n * (b - n) * x * last
        level = n + first + (a + n) * (away + n * (1 + y)) * over + below
        return n - 1, first * (a + (n - 1)) * ((a + b + (n - 1)) * x * last) / level, last

    count = FRACTION[single(a)]
    start = (counter(count, a), 0 * (away + a), 1 / (a + (2 * count + 1)) + 0 * away)
    below, over = repeated(count, step, start)[1:]
    return 1 / (a * away * over + below)


def uniform(a: Any, b: Any, x: Any, y: Any) -> Any:
    """Temme's expansion (DLMF 8.18.9, in the variables of ci/betainc_coefficients.py), below the
    mean."""
    xp = array_namespace(a, b, x, y)
    m, v = a * (b / (a + b)), (b - a) / (a + b)
    g = exponent(a, b, x, y)
    total = expansion(table.C[single(a)], -xp.sqrt(2 * g / m), v, 1 / m)
    return xp.exp(-g) * (0.5 * erfcx(xp.sqrt(g)) - total / xp.sqrt(2 * math.pi * m))


def expansion(rows: Any, e: Any, v: Any, over: Any, even: int = 1) -> Any:
    """Polynomials in e, v and 1 / m: at even powers of e odd ones in v, if `even` is 1."""
    return expansions([(rows, even)], e, v, over)[0]


def expansions(tables: Any, e: Any, v: Any, over: Any) -> list[Any]:
    """Several of them, which are one for a compiler."""
    if not at_hand(e, v, over):
        return _together(tables, e, v, over)
    square = v * v
    found = []
    for rows, even in tables:
        sums = []
        for row in rows:
            parts = [polynomial(p, square) if len(p) > 1 else p[0] for p in row]
            parts = [p * v if n % 2 != even else p for n, p in enumerate(parts)]
            sums.append(polynomial(parts, e) if len(parts) > 1 else parts[0])
        found.append(polynomial(sums, over))
    return found


def _together(tables: Any, e: Any, v: Any, over: Any) -> list[Any]:
    xp = array_namespace(e, v, over)
    size = max(len(rows) for rows, _ in tables)
    every = [(rows[k] if k < len(rows) else [], even) for rows, even in tables for k in range(size)]
    most = max(len(row) for row, _ in every)
    shape = (len(every), *(1,) * v.ndim)
    evens = [bool(even) for _, even in every]
    even = xp.reshape(xp.asarray(evens, dtype=xp.bool, device=device(v)), shape)
    square = v * v
    factors = xp.where(even, 1.0, v), xp.where(even, v, 1.0)  # at n, by whether it is odd
    out: Any = 0.0
    for n in reversed(range(most)):
        part = columns([row[n] if n < len(row) else [0.0] for row, _ in every], square)
        out = out * e + part * factors[1 - n % 2]
    found = []
    for k in range(len(tables)):
        sums = [out[k * size + i, ...] for i in range(size)]
        found.append(polynomial(sums, over))
    return found
