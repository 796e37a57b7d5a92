"""Methods of the incomplete beta function.

All take a, b, x and y = 1 - x, which a caller may know to more digits than 1 - x has. All methods
but `small` give the lower function; `oriented` exchanges (a, x) with (b, y) where the other tail is
to be computed.

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
from . import _betainc_fits as fits
from ._erf import erfcx
from ._function import at_hand, by_region, repeated
from ._gamma_parts import log_gamma_near, stirling, stirling_step
from ._log1p_less import less_log, less_log1p
from ._polynomial import polynomial, rational

__all__ = [
    "FRACTION",
    "SERIES",
    "by_fraction",
    "by_series",
    "centre",
    "expansions",
    "exponent",
    "log_beta",
    "log_first",
    "log_of",
    "number",
    "of_shapes",
    "of_small",
    "oriented",
    "pick",
    "power",
    "powers",
    "prefactor",
    "regions",
    "scaled",
    "single",
    "small",
    "stacked",
    "uniform",
]

_LEAST, _E = 200.0, 0.07  # of the expansion
_NEAR, _PRODUCT = 0.3, 1.0  # of the series
# Steps: of the series at worst for x = 0.3 and a + b = 5; of the fraction for a x = 1 and tiny b.
SERIES = {True: 24, False: 40}
FRACTION = {True: 30, False: 100}


def single(x: Any) -> bool:
    return bool(x.dtype == array_namespace(x).float32)


def number(i: Any, like: Any) -> Any:
    """A loop's counter as a number of the dtype of `like`."""
    return array_namespace(like).astype(i, like.dtype) if hasattr(i, "dtype") else float(i)


def pick(inside: Any, one: Any, other: Any) -> Any:
    """One of two, by a truth value or by an array of them."""
    if isinstance(inside, bool):
        return one if inside else other
    return array_namespace(inside).where(inside, one, other)


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
    if at_hand(a, b, x, y):
        return _deviance(a, -down, x / p) + _deviance(b, up, y / q)
    # Both as one, and their sum along an axis: a compiler computes that once, where it would write
    # all of this anew in each piece of code that reads of it.
    c, mu, part, mean = (stacked(*v) for v in ((a, b), (-down, up), (x, y), (p, q)))
    return array_namespace(c).sum(_deviance(c, mu, part / mean), axis=0)


def stacked(one: Any, two: Any) -> Any:
    xp = array_namespace(one, two)
    return xp.stack(xp.broadcast_arrays(one, two))


def scaled(a: Any, b: Any) -> tuple[Any, Any]:
    """The shapes, multiplied by one factor where both are tiny: only their quotient counts then,
    and their reciprocals would overflow."""
    xp = array_namespace(a, b)
    tiny = a + b < 2.0**30 * xp.finfo(a.dtype).smallest_normal
    return xp.where(tiny, 2.0**60 * a, a), xp.where(tiny, 2.0**60 * b, b)


def of_shapes(a: Any, b: Any) -> tuple[Any, Any]:
    """Take apart x^a y^b / beta(a, b): it is the first of these, which depend on the shapes alone,
    times the exponential of the second and of `power`.

    By Stirling's formulas; of the lower shape below 3 with differences of them that hold all digits
    for tiny ones, too, and gamma(b + 3) = b (b + 1) (b + 2) gamma(b).
    """
    xp = array_namespace(a, b)
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    large, tiny = low >= 3, low < 1
    x = xp.where(large, high, high + 3)
    rest = stirling_step(x, low)
    t = xp.where(large, 0.0, low / x)
    less = less_log1p(t)
    one, two = low / (high + 1), low / (high + 2)
    below = xp.log1p(xp.where(large, 0.0, one + two + one * two))
    near = log_gamma_near(xp.where(large, 0.0, xp.where(tiny, low, low - 1)))
    last = xp.where(large, stirling(xp.where(large, low, 3.0)), near)
    rest = rest - last - (xp.where(large, 0.0, x - 0.5) * less + 0.5 * t + below)
    share = high / (low + high)
    root = xp.sqrt(low / (2 * math.pi) * share)
    return xp.where(large, root, xp.where(tiny, low, 1.0) * share), rest


def log_beta(a: Any, b: Any, shapes: tuple[Any, Any]) -> Any:
    """log(beta(a, b)), by way of `of_shapes`."""
    xp = array_namespace(a, b)
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    large = low * xp.log(low / (low + high)) - high * xp.log1p(low / high)
    small = -low * xp.log(low + high + 3)
    factor, rest = shapes
    return xp.where(low >= 3, large, small) - rest - xp.log(factor)


def power(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The logarithm of (x / p)^a (y / (1 - p))^b; for a shape below 3 of (x c)^a y^b, where a is
    the lower one and c = a + b + 3."""
    xp = array_namespace(a, b)
    turned = a > b
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    u, v = xp.where(turned, y, x), xp.where(turned, x, y)
    return by_region((low, high, u, v), (low >= 3, _both_large), rest=_one_small)


def _both_large(a: Any, b: Any, x: Any, y: Any) -> Any:
    return -exponent(a, b, x, y)


def _one_small(a: Any, b: Any, x: Any, y: Any) -> Any:
    return a * array_namespace(x).log(x * (b + 3 + a)) + b * log_of(y, x)


def prefactor(a: Any, b: Any, x: Any, y: Any) -> Any:
    """x^a y^b / beta(a, b)."""
    xp = array_namespace(a, b, x, y)
    c, d = scaled(a, b)
    factor, rest = of_shapes(c, d)
    return xp.where(c == a, factor, 2.0**-60 * factor) * xp.exp(rest + power(c, d, x, y))


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
    """Return where the arguments aren't exchanged, and the arguments to work with.

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


def by_series(a: Any, b: Any, x: Any) -> Any:
    """DLMF 8.17.8, whose terms are positive; without `prefactor`."""
    return (1 + powers(False, a, b, x)) / a


def small(a: Any, b: Any, x: Any, rest: Any) -> Any:
    """The upper function for a up to 1 in the series' region, where 1 less the lower one has no
    digits: 1 - f and f times the rest of DLMF 8.17.7, sum of (1 - b)_n x^n / (n! (a + n))."""
    return of_small(a, b, x, rest, powers(True, a, b, x))


def of_small(a: Any, b: Any, x: Any, rest: Any, total: Any) -> Any:
    less = array_namespace(a).expm1(log_first(a, b, x, rest))
    return -less - (1 + less) * a * total


def powers(low: Any, a: Any, b: Any, x: Any) -> Any:
    """The sum in `small` where `low`, True, False or an array, else that in `by_series`."""

    def step(i: Any, carry: Any) -> Any:
        term, total = carry
        n = number(i, a) + 1
        term = term * ((first + n) * x / (last + n))
        return term, total + (term if low is False else term / pick(low, a + n, 1.0))

    zero = array_namespace(a, x).zeros_like(a + x)
    first, last = pick(low, -b, a + b - 1), pick(low, 0.0, a)
    return repeated(SERIES[single(a)], step, (zero + 1, zero))[1]


def log_first(a: Any, b: Any, x: Any, rest: Any) -> Any:
    """log(x^a / (a beta(a, b))) for a up to 1, with all digits of tiny a, too; `rest` is that of
    `of_shapes`."""
    xp = array_namespace(a, b, x)
    lower, c = a <= b, a + b + 3
    apart = xp.where(lower, 0.0, b * xp.log(xp.where(lower, 1.0, c)))
    return a * xp.log(x * xp.where(lower, c, 1.0)) + apart + (rest - xp.log1p(a / b))


def by_fraction(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The even part of DLMF 8.17.22 (TOMS 708, BFRAC), from its end; without `prefactor`."""
    away = a * y - b * x + 1
    count = FRACTION[single(a)]
    # At n: the rest of the fraction below, and 1 / (a + 2 n + 1).

    def step(i: Any, carry: Any) -> Any:
        below, over = carry
        n = count - number(i, a)
        last = 1 / (a + (2 * n - 1))
        first = n * (b - n) * x * last
        level = n + first + (a + n) * (away + n * (1 + y)) * over + below
        return first * (a + (n - 1)) * ((a + b + (n - 1)) * x * last) / level, last

    start = (0 * (away + a), 1 / (a + (2 * count + 1)) + 0 * away)
    below, over = repeated(count, step, start)
    return 1 / (a * away * over + below)


def uniform(a: Any, b: Any, log: Any) -> Any:
    """Temme's expansion (DLMF 8.18.9) below the mean, where `log` is `power`.

    The variables are those of ci/special/betainc_coefficients.py.
    """
    xp = array_namespace(a, b, log)
    m, v = a * (b / (a + b)), (b - a) / (a + b)
    g = -log
    (total,) = expansions([(table.C[single(a)], 1)], -xp.sqrt(2 * g / m), v, 1 / m)
    return xp.exp(log) * (0.5 * _erfcx(xp.sqrt(g)) - total / xp.sqrt(2 * math.pi * m))


def _erfcx(x: Any) -> Any:
    """erfcx for x from 0 on, by one quotient: a compiler reads three for the public one."""
    if at_hand(x):
        return erfcx(x)
    t = 1 / (1 + x)
    return t * rational(fits.ERFCX_SINGLE if single(x) else fits.ERFCX_DOUBLE, t)


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
    orders = max(len(rows) for rows, _ in tables)
    most = max(len(row) for rows, _ in tables for row in rows)
    last = max(len(p) for rows, _ in tables for row in rows for p in row)
    table = [
        [[_at(rows, k, n, j) for j in range(last)] for k in range(orders) for n in range(most)]
        for rows, _ in tables
    ]
    numbers = xp.asarray(table, dtype=e.dtype, device=device(e))
    shape = (len(tables), orders, most, last, *(1,) * v.ndim)
    in_v = xp.sum(xp.reshape(numbers, shape) * _powers(v * v, last), axis=3)
    of_e = _powers(e, most)
    odd = [[bool(n % 2 != even) for n in range(most)] for _, even in tables]
    where = xp.reshape(
        xp.asarray(odd, dtype=xp.bool, device=device(v)), (len(tables), 1, most, *(1,) * v.ndim)
    )
    in_e = xp.sum(in_v * (of_e * xp.where(where, v, 1.0)), axis=2)
    found = xp.sum(in_e * _powers(over, orders), axis=1)
    return [found[i, ...] for i in range(len(tables))]


def _at(rows: Any, k: int, n: int, j: int) -> float:
    """A coefficient, or 0 where there is none."""
    row = rows[k] if k < len(rows) else ()
    return float(row[n][j]) if n < len(row) and j < len(row[n]) else 0.0


def _powers(x: Any, count: int) -> Any:
    """1, x, x^2, ... along a first dimension, each as a product of x, x^2, x^4, ...: a compiler
    makes one piece of code of them."""
    xp = array_namespace(x)
    found, square = None, x
    for bit in range((count - 1).bit_length()):
        odd = [bool(n >> bit & 1) for n in range(count)]
        taken = xp.asarray(odd, dtype=xp.bool, device=device(x))
        factor = xp.where(xp.reshape(taken, (count, *(1,) * x.ndim)), square, 1.0)
        found = factor if found is None else found * factor
        square = square * square
    return xp.ones((1, *x.shape), dtype=x.dtype, device=device(x)) if found is None else found
