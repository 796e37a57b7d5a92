"""Derivatives of the methods of the incomplete beta function in a, where `first`, else in b."""

import math
from typing import Any

from .._namespace import array_namespace
from . import _betainc_coefficients as table
from ._betainc_parts import (
    FRACTION,
    SERIES,
    centre,
    counter,
    expansions,
    exponent,
    log_first,
    log_of,
    oriented,
    prefactor,
    regions,
    single,
)
from ._function import by_region, repeated
from ._gamma_parts import digamma1p, digamma_step

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


def _log_slope(a: Any, b: Any, x: Any, y: Any, first: Any) -> Any:
    """The derivative of the logarithm of `prefactor`."""
    where = array_namespace(a, b).where
    c, d = where(first, a, b), where(first, b, a)
    return log_of(where(first, x, y), where(first, y, x)) + digamma_step(c, d)


def _by_series(a: Any, b: Any, x: Any, y: Any, first: Any) -> Any:
    """For a from 1 on."""
    xp = array_namespace(a, x)
    weight = xp.where(first, xp.ones_like(a), 0.0)

    def step(i: Any, carry: Any) -> Any:
        n, term, log, total, slope = carry
        term = term * ((a + b + n) * x / (a + 1 + n))
        log = log + 1 / (a + b + n) - weight / (a + 1 + n)
        return n + 1, term, log, total + term, slope + term * log

    one, both = xp.ones_like(a + x), xp.zeros_like(a + x + weight)
    start = (counter(0, a), one, both, one, both)
    total, slope = repeated(SERIES[single(a)], step, start)[3:]
    log = _log_slope(a, b, x, y, first) - weight / a
    return (total * log + slope) / a


def _by_small(a: Any, b: Any, x: Any, y: Any, first: Any) -> Any:
    """For a up to 1: of f (1 + a s), where s is the sum in `small` of the methods."""
    xp = array_namespace(a, b, x)
    weight = xp.where(first, xp.ones_like(a), 0.0)

    def step(i: Any, carry: Any) -> Any:
        n, term, moved, total, slope = carry
        moved = (moved * (n - b) - (1 - weight) * term) * (x / n)
        term = term * ((n - b) * x / n)
        over = 1 / (a + n)
        return (
            n + 1,
            term,
            moved,
            total + term * over,
            slope + (moved - weight * term * over) * over,
        )

    zero, both = xp.zeros_like(a + x), xp.zeros_like(a + x + weight)
    start = (counter(1, a), zero + 1, both, zero, both)
    total, slope = repeated(SERIES[single(a)], step, start)[3:]
    both = digamma1p(a + b) - 1 / (a + b)
    log = xp.where(first, xp.log(x) + (both - digamma1p(a)), digamma_step(b, a))
    return xp.exp(log_first(a, b, x)) * ((1 + a * total) * log + weight * total + a * slope)


def _by_fraction(a: Any, b: Any, x: Any, y: Any, first: Any) -> Any:
    xp = array_namespace(a, b, x, y)
    away = a * y - b * x + 1

    def step(i: Any, carry: Any) -> Any:
        n, below, slope, over = carry
        last = 1 / (a + (2 * n - 1))
        head = n * (b - n) * x * last
        moved = xp.where(first, -head * last, n * x * last)
        inner, ahead = away + n * (1 + y), (a + n) * over
        level = n + head + ahead * inner + below
        rise = xp.where(first, inner * (n + 1) * over * over + ahead * y, -ahead * x)
        rise = moved + rise + slope
        one, two, scale = a + (n - 1), a + b + (n - 1), x * last
        top = head * one * (two * scale)
        turn = xp.where(first, one + two * n * last, one)
        bent = moved * one * (two * scale) + head * scale * turn
        found = top / level
        return n - 1, found, (bent - found * rise) / level, last

    count, zero = FRACTION[single(a)], 0 * (away + a)
    both = xp.where(first, zero, zero)
    start = (counter(count, a), zero, both, 1 / (a + (2 * count + 1)) + zero)
    below, slope, over = repeated(count, step, start)[1:]
    whole = a * away * over + below
    rise = xp.where(first, away * over * over + a * y * over, -a * x * over) + slope
    return (_log_slope(a, b, x, y, first) - rise / whole) / whole


def _uniform(a: Any, b: Any, x: Any, y: Any, first: Any) -> Any:
    xp = array_namespace(a, b, x, y)
    rows = single(a)
    p, q, down, up = centre(a, b, x, y)
    m, v, over = a * q, q - p, 1 / (a * q)
    g = exponent(a, b, x, y)
    mean, flat = xp.sqrt(m), g == 0
    root = -xp.sqrt(2 * g)
    e = root / mean
    # Derivatives of g, of its root, of m, of e and of v.
    dg = -xp.log1p(xp.where(first, -down, up))
    at_mean = xp.where(first, -q, p) / mean
    droot = xp.where(flat, at_mean, dg / xp.where(flat, 1.0, root))
    dm = xp.where(first, q * q, p * p)
    de = droot / mean - 0.5 * e * dm * over
    dv = xp.where(first, -2 * q, 2 * p) / (a + b)
    tables = (table.C[rows], 1), (_E[rows], 0), (_V[rows], 0), (_OVER[rows], 1)
    value, in_e, in_v, in_over = expansions(tables, e, v, over)
    slope = in_e * de + in_v * dv - (in_over * over + 0.5 * value) * over * dm
    return xp.exp(-g) / math.sqrt(2 * math.pi) * (droot + (value * dg - slope) / mean)


def _by_quotient(a: Any, b: Any, x: Any, y: Any, first: Any) -> Any:
    near, _, _ = regions(a, b, x, y)
    return prefactor(a, b, x, y) * by_region(
        (a, b, x, y, first), (near, _by_series), rest=_by_fraction
    )


def tail_by_shape(a: Any, b: Any, x: Any, y: Any, by_a: Any) -> Any:
    """The derivative of the lower function in a where `by_a`, else in b."""
    xp = array_namespace(a, b, x, y)
    same, args = oriented(a, b, x, y)
    near, _, middle = regions(*args)
    first = same == by_a
    found = by_region(
        (*args, first),
        (near & (args[0] <= 1), _by_small),
        (middle, _uniform),
        rest=_by_quotient,
    )
    return xp.where(same, found, -found)
