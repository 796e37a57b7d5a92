"""Derivatives of the methods of the incomplete beta function in either shape.

Each method gets `way`, True where the derivative in a is wanted, else that in b. It may have one
dimension more than the arguments, to give both derivatives; their common parts are computed once.
"""

import math
from typing import Any

from .._namespace import array_namespace
from . import _betainc_coefficients as table
from ._betainc_parts import (
    FRACTION,
    SERIES,
    centre,
    expansions,
    log_first,
    log_of,
    number,
    of_shapes,
    oriented,
    pick,
    power,
    regions,
    single,
)
from ._function import at_hand, by_region, repeated
from ._gamma_parts import digamma1p_step

__all__ = ["tail_by_shape"]


def _in_e(rows: Any) -> Any:
    return [[[n * c for c in p] for n, p in enumerate(row)][1:] or [[0.0]] for row in rows]


def _in_v(rows: Any) -> Any:
    """Differentiate by v: rows odd in v become even polynomials, even rows odd ones."""
    return [
        [
            [2 * j * c for j, c in enumerate(p)][1:] or [0.0]
            if n % 2
            else [(2 * j + 1) * c for j, c in enumerate(p)]
            for n, p in enumerate(row)
        ]
        for row in rows
    ]


def _in_over(rows: Any) -> Any:
    return [[[k * c for c in p] for p in row] for k, row in enumerate(rows)][1:]


_E, _V, _OVER = ({k: f(c) for k, c in table.C.items()} for f in (_in_e, _in_v, _in_over))


def _step(a: Any, b: Any, way: Any) -> Any:
    """digamma(1 + a + b) less digamma of 1 + one of them."""
    return digamma1p_step(pick(way, a, b), pick(way, b, a))


def _log_slope(a: Any, b: Any, x: Any, y: Any, way: Any) -> Any:
    """The derivative of the logarithm of `prefactor`."""
    c, d = pick(way, a, b), pick(way, b, a)
    return log_of(pick(way, x, y), pick(way, y, x)) + (d / c / (c + d) + _step(a, b, way))


def _powers(low: Any, a: Any, b: Any, x: Any, way: Any) -> tuple[Any, Any]:
    """`powers`, and its derivative."""

    def step(i: Any, carry: Any) -> Any:
        term, moved, total, slope = carry
        n = number(i, a) + 1
        over = 1 / (a + n)
        rise, below = first + n, x * pick(low, 1 / n, over)
        turn = pick(way, pick(low, 0.0, (1 - b) * over), sign)
        moved = (moved * rise + term * turn) * below
        term = term * (rise * below)
        if low is False:
            return term, moved, total + term, slope + moved
        weight = pick(low, over, 1.0)
        bent = moved - pick(low & way, term * over, 0.0)
        return term, moved, total + term * weight, slope + bent * weight

    one = array_namespace(a, x).ones_like(a + x)
    none = 0 * pick(way, one, one)
    first, sign = pick(low, -b, a + b - 1), pick(low, -one, one)
    start = (one, none, 0 * one, none)
    _, _, total, slope = repeated(SERIES[single(a)], step, start)
    return total, slope


def _of_series(a: Any, b: Any, x: Any, y: Any, way: Any, sums: tuple[Any, Any]) -> Any:
    """For a from 1 on; over `prefactor`, as by the fraction."""
    total, slope = 1 + sums[0], sums[1]
    return (total * (_log_slope(a, b, x, y, way) - pick(way, 1 / a, 0.0)) + slope) / a


def _of_small(a: Any, b: Any, x: Any, rest: Any, way: Any, sums: tuple[Any, Any]) -> Any:
    """For a up to 1: of f (1 + a s), where s is the sum in `small` of the methods."""
    xp, (total, slope) = array_namespace(a, b, x), sums
    first = xp.exp(log_first(a, b, x, rest))
    rise = _step(a, b, way) + pick(way, xp.log(x) - 1 / (a + b), a / b / (a + b))
    return first * ((1 + a * total) * rise + pick(way, total, 0.0) + a * slope)


def _near(
    a: Any, b: Any, x: Any, y: Any, rest: Any, log: Any, front: Any, small: Any, way: Any
) -> Any:
    if at_hand(a, b, x):
        arrays = a, b, x, y, rest, front, way
        return by_region(arrays, (small, _by_small), rest=_by_series)
    sums = _powers(small, a, b, x, way)  # one loop for both
    found = _of_series(a, b, x, y, way, sums)
    return pick(small, _of_small(a, b, x, rest, way, sums), front * found)


def _by_small(a: Any, b: Any, x: Any, y: Any, rest: Any, front: Any, way: Any) -> Any:
    return _of_small(a, b, x, rest, way, _powers(True, a, b, x, way))


def _by_series(a: Any, b: Any, x: Any, y: Any, rest: Any, front: Any, way: Any) -> Any:
    return front * _of_series(a, b, x, y, way, _powers(False, a, b, x, way))


def _by_fraction(
    a: Any, b: Any, x: Any, y: Any, rest: Any, log: Any, front: Any, small: Any, way: Any
) -> Any:
    away = a * y - b * x + 1
    count = FRACTION[single(a)]

    def step(i: Any, carry: Any) -> Any:
        below, over, slope = carry
        n = count - number(i, a)
        last = 1 / (a + (2 * n - 1))
        head = n * (b - n) * x * last
        inner, ahead = away + n * (1 + y), (a + n) * over
        level = 1 / (n + head + ahead * inner + below)
        one, two, scale = a + (n - 1), a + b + (n - 1), x * last
        found = head * one * (two * scale) * level
        moved = pick(way, -head * last, n * x * last)
        rise = pick(way, inner * (n + 1) * over * over + ahead * y, -ahead * x) + moved + slope
        turn = pick(way, one + two * n * last, one)
        bent = moved * one * (two * scale) + head * scale * turn - found * rise
        return found, last, bent * level

    zero = 0 * (away + a)
    start = (zero, 1 / (a + (2 * count + 1)) + zero, 0 * pick(way, zero, zero))
    below, over, slope = repeated(count, step, start)
    whole = a * away * over + below
    rise = pick(way, away * over * over + a * y * over, -a * x * over) + slope
    return front * ((_log_slope(a, b, x, y, way) - rise / whole) / whole)


def _uniform(
    a: Any, b: Any, x: Any, y: Any, rest: Any, log: Any, front: Any, small: Any, way: Any
) -> Any:
    xp = array_namespace(a, b, x, y)
    rows = single(a)
    p, q, down, up = centre(a, b, x, y)
    m, v, over = a * q, q - p, 1 / (a * q)
    g = -log
    mean, flat = xp.sqrt(m), g == 0
    root = -xp.sqrt(2 * g)
    e = root / mean
    tables = (table.C[rows], 1), (_E[rows], 0), (_V[rows], 0), (_OVER[rows], 1)
    value, in_e, in_v, in_over = expansions(tables, e, v, over)
    # Derivatives of g, of its root, of m, of e and of v.
    dg = -xp.log1p(pick(way, -down, up))
    droot = xp.where(flat, pick(way, -q, p) / mean, dg / xp.where(flat, 1.0, root))
    dm = pick(way, q * q, p * p)
    de = droot / mean - 0.5 * e * dm * over
    dv = pick(way, -2 * q, 2 * p) / (a + b)
    slope = in_e * de + in_v * dv - (in_over * over + 0.5 * value) * over * dm
    return xp.exp(log) / math.sqrt(2 * math.pi) * (droot + (value * dg - slope) / mean)


def tail_by_shape(a: Any, b: Any, x: Any, y: Any, by_a: Any) -> tuple[Any, Any]:
    """The derivative of the lower function in a where `by_a`, else in b; and `prefactor`."""
    xp = array_namespace(a, b, x, y)
    factor, rest = of_shapes(a, b)
    log = power(a, b, x, y)
    front = factor * xp.exp(rest + log)
    same, args = oriented(a, b, x, y)
    near, _, middle = regions(*args)
    small = near & (args[0] <= 1)
    arrays = (*args, rest, log, front, small, same == by_a)
    found = by_region(arrays, (near, _near), (middle, _uniform), rest=_by_fraction)
    # A quotient, as a compiler would otherwise write all this once for each that reads of it.
    return found / xp.where(same, xp.ones_like(a), -1.0), front
