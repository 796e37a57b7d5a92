"""Derivatives of the methods of the incomplete beta function in both shapes.

A method gets `ways`, and returns as many derivatives: True stands for that in a, False for that in
b, and an array for that in a where it holds, else in b. A loop carries all of them.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import array_namespace
from . import _betainc_coefficients as table
from ._betainc_parts import (
    FRACTION,
    SERIES,
    centre,
    counter,
    expansions,
    log_first,
    log_of,
    of_shapes,
    oriented,
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


Ways = Sequence[Any]


def _of(way: Any, in_a: Any, in_b: Any) -> Any:
    if isinstance(way, bool):
        return in_a if way else in_b
    return array_namespace(way).where(way, in_a, in_b)


def _steps(a: Any, b: Any, ways: Ways) -> list[Any]:
    """digamma(1 + a + b) less digamma of 1 + one of them."""
    return [digamma1p_step(_of(w, a, b), _of(w, b, a)) for w in ways]


def _by_series(a: Any, b: Any, x: Any, y: Any, ways: Ways) -> list[Any]:
    """For a from 1 on; over `prefactor`, as by the fraction."""

    def step(i: Any, carry: Any) -> Any:
        n, term, total, *rest = carry
        logs, slopes = rest[:many], rest[many:]
        over, under = 1 / (a + b + n), 1 / (a + 1 + n)
        term = term * ((a + b + n) * x * under)
        logs = [log + over - _of(w, under, 0.0) for log, w in zip(logs, ways, strict=True)]
        slopes = [s + term * log for s, log in zip(slopes, logs, strict=True)]
        return n + 1, term, total + term, *logs, *slopes

    many, one = len(ways), array_namespace(a, x).ones_like(a + x)
    start = (counter(0, a), one, one, *(0 * one for _ in (*ways, *ways)))
    total, *rest = repeated(SERIES[single(a)], step, start)[2:]
    return [
        (total * (_log_slope(a, b, x, y, k, w) - _of(w, 1 / a, 0.0)) + s) / a
        for w, k, s in zip(ways, _steps(a, b, ways), rest[many:], strict=True)
    ]


def _log_slope(a: Any, b: Any, x: Any, y: Any, step: Any, way: Any) -> Any:
    """The derivative of the logarithm of `prefactor`."""
    c, d = _of(way, a, b), _of(way, b, a)
    return log_of(_of(way, x, y), _of(way, y, x)) + (d / c / (c + d) + step)


def _by_small(a: Any, b: Any, x: Any, y: Any, rest: Any, *more: Any) -> list[Any]:
    """For a up to 1: of f (1 + a s), where s is the sum in `small` of the methods."""
    xp, ways = array_namespace(a, b, x), more[-1]

    def step(i: Any, carry: Any) -> Any:
        n, term, moved, total, *slopes = carry
        moved = (moved * (n - b) - term) * (x / n)  # by b
        term = term * ((n - b) * x / n)
        over = 1 / (a + n)
        slopes = [s + _of(w, -term * over, moved) * over for s, w in zip(slopes, ways, strict=True)]
        return n + 1, term, moved, total + term * over, *slopes

    zero = xp.zeros_like(a + x)
    start = (counter(1, a), zero + 1, zero, zero, *(zero for _ in ways))
    total, *slopes = repeated(SERIES[single(a)], step, start)[3:]
    first, log = xp.exp(log_first(a, b, x, rest)), xp.log(x)
    found = []
    for w, k, s in zip(ways, _steps(a, b, ways), slopes, strict=True):
        rise = k + _of(w, log - 1 / (a + b), a / b / (a + b))
        found.append(first * ((1 + a * total) * rise + _of(w, total, 0.0) + a * s))
    return found


def _by_fraction(a: Any, b: Any, x: Any, y: Any, ways: Ways) -> list[Any]:
    away = a * y - b * x + 1

    def step(i: Any, carry: Any) -> Any:
        n, below, over, *slopes = carry
        last = 1 / (a + (2 * n - 1))
        head = n * (b - n) * x * last
        inner, ahead = away + n * (1 + y), (a + n) * over
        level = 1 / (n + head + ahead * inner + below)
        one, two, scale = a + (n - 1), a + b + (n - 1), x * last
        found = head * one * (two * scale) * level
        bent = []
        for w, slope in zip(ways, slopes, strict=True):
            moved = _of(w, -head * last, n * x * last)
            rise = _of(w, inner * (n + 1) * over * over + ahead * y, -ahead * x) + moved + slope
            turn = _of(w, one + two * n * last, one)
            bent.append((moved * one * (two * scale) + head * scale * turn - found * rise) * level)
        return n - 1, found, last, *bent

    count, zero = FRACTION[single(a)], 0 * (away + a)
    start = (counter(count, a), zero, 1 / (a + (2 * count + 1)) + zero, *(zero for _ in ways))
    below, over, *slopes = repeated(count, step, start)[1:]
    whole = a * away * over + below
    found = []
    for w, k, slope in zip(ways, _steps(a, b, ways), slopes, strict=True):
        rise = _of(w, away * over * over + a * y * over, -a * x * over) + slope
        found.append((_log_slope(a, b, x, y, k, w) - rise / whole) / whole)
    return found


def _uniform(a: Any, b: Any, x: Any, y: Any, _: Any, log: Any, *more: Any) -> list[Any]:
    xp, ways = array_namespace(a, b, x, y), more[-1]
    rows = single(a)
    p, q, down, up = centre(a, b, x, y)
    m, v, over = a * q, q - p, 1 / (a * q)
    g = -log
    mean, flat = xp.sqrt(m), g == 0
    root = -xp.sqrt(2 * g)
    e = root / mean
    tables = (table.C[rows], 1), (_E[rows], 0), (_V[rows], 0), (_OVER[rows], 1)
    value, in_e, in_v, in_over = expansions(tables, e, v, over)
    found = []
    for w in ways:
        # Derivatives of g, of its root, of m, of e and of v.
        dg = -xp.log1p(_of(w, -down, up))
        droot = xp.where(flat, _of(w, -q, p) / mean, dg / xp.where(flat, 1.0, root))
        dm = _of(w, q * q, p * p)
        de = droot / mean - 0.5 * e * dm * over
        dv = _of(w, -2 * q, 2 * p) / (a + b)
        slope = in_e * de + in_v * dv - (in_over * over + 0.5 * value) * over * dm
        found.append(xp.exp(log) / math.sqrt(2 * math.pi) * (droot + (value * dg - slope) / mean))
    return found


def _by_quotient(a: Any, b: Any, x: Any, y: Any, *more: Any) -> list[Any]:
    front, near, ways = more[2:]
    found = _by_regions((a, b, x, y), ways, (near, _by_series), rest=_by_fraction)
    return [front * f for f in found]


def _single_way(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: method(*args[:-1], [args[-1]])[0]


def _by_regions(
    arrays: Any, ways: Ways, *regions: tuple[Any, Callable[..., Any]], rest: Any
) -> list[Any]:
    """`by_region`, of more than one result where all methods get all elements."""
    if len(ways) == 1:
        picked = [(inside, _single_way(method)) for inside, method in regions]
        return [by_region((*arrays, ways[0]), *picked, rest=_single_way(rest))]
    where = array_namespace(*arrays).where
    found = rest(*arrays, ways)
    for inside, method in reversed(regions):
        both = zip(method(*arrays, ways), found, strict=True)
        found = [where(inside, new, old) for new, old in both]
    return list(found)


def tail_by_shape(a: Any, b: Any, x: Any, y: Any, by_a: Any) -> tuple[Any, Any]:
    """The derivative of the lower function in a where `by_a`, else in b; and `prefactor`.

    Where values can be looked at, the one; elsewhere both are computed, which have most in common.
    """
    xp = array_namespace(a, b, x, y)
    factor, rest = of_shapes(a, b)
    log = power(a, b, x, y)
    front = factor * xp.exp(rest + log)
    same, args = oriented(a, b, x, y)
    near, _, middle = regions(*args)
    ways = [same == by_a] if at_hand(a, b, x, y, by_a) else [True, False]
    found = _by_regions(
        (*args, rest, log, front, near),
        ways,
        (near & (args[0] <= 1), _by_small),
        (middle, _uniform),
        rest=_by_quotient,
    )
    found = found[0] if len(ways) == 1 else xp.where(same == by_a, *found)
    return xp.where(same, found, -found), front
