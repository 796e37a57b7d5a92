"""Distributions of Cramér and von Mises's statistics."""

import functools
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, namespace
from ...missing import bincount

__all__ = ["limiting_sf", "second_order", "two_samples"]

_INTERVALS, _NODES = 26, 20
_MOST = 9.0  # beyond, the probability is less than 1e-19


@_plan.of_settings
@functools.lru_cache(maxsize=1)
def _rule() -> tuple[list[float], list[float]]:
    """Return nodes and weights of the integrals between the roots of the sine, signs included."""
    places, weights = [], []
    for j in range(1, _INTERVALS + 1):
        for i in range(_NODES):
            u = math.cos(math.pi * (i + 0.5) / _NODES)
            at = (2 * j - 0.5) * math.pi + math.pi / 2 * u
            # Gauss and Chebyshev: the root of 1 - u^2 cancels those of the sine at both ends.
            smooth = math.sqrt((1 - u * u) * at / math.cos(math.pi / 2 * u))
            places.append(at * at / 2)
            weights.append((-1) ** (j + 1) * smooth / at * math.pi / _NODES)
    return places, weights


def limiting_sf(x: Any) -> Any:
    """Return the probability that the limit of the statistic is `x` or more.

    N. V. Smirnov, C. R. Acad. Sci. Paris 202, 1936: alternating integrals between the roots of a
    sine, which keep the digits of small probabilities.
    """
    xp, where = array_namespace(x), device(x)
    places, weights = (xp.asarray(v, dtype=x.dtype, device=where) for v in _rule())
    inside = xp.clip(x, 0.004, None)[..., None]
    found = xp.sum(weights * xp.exp(-places * inside), axis=-1)
    return xp.where(x < 0.004, 1.0, xp.clip(found, 0.0, 1.0))


def _bessel(z: Any, *orders: float) -> list[Any]:
    """Return exp(-z) times modified Bessel functions of the second kind of the orders, z > 0.

    The integral of exp(-z cosh(u)) cosh(order u) over u > 0 by the trapezoidal rule.
    """
    xp = array_namespace(z)
    count = 48
    far = xp.log(100 / z + 2)[..., None]
    u = (xp.arange(count, dtype=z.dtype, device=device(z)) + 0.5) / count * far
    body = xp.exp(-z[..., None] * (1 + xp.cosh(u))) * (far / count)
    return [xp.sum(body * xp.cosh(order * u), axis=-1) for order in orders]


def second_order(x: Any) -> Any:
    """Return what the distribution function has in addition to the limit's, times n.

    S. Csörgő, J. J. Faraway, J. R. Stat. Soc. B 58, 1996, equations 1.8 and 1.9.
    """
    xp = array_namespace(x)
    inside = xp.clip(x, 0.004, _MOST)
    terms = 14
    if is_concrete(x) and 0 not in x.shape:  # what follows is less than 1e-18
        terms = math.ceil((1 + math.sqrt(336 * float(xp.max(inside)))) / 4)
    total, root = xp.zeros_like(x), 2 * xp.sqrt(inside)
    one, two = inside**0.75, inside**1.25
    scale = math.sqrt(math.pi)
    for k in range(min(terms, 14)):
        low, middle, high = ((4 * k + i) / root for i in (1, 3, 5))
        found = [_bessel(y * y / 4, 0.25, 0.75, 1.25) for y in (low, middle, high)]
        e2 = [
            (y / 2) ** 1.5 * (a + b) / scale
            for y, (a, b, _) in zip((low, middle, high), found, strict=True)
        ]
        e3 = [
            (y / 2) ** 2.5 * (2 * a + 3 * b - c) / scale
            for y, (a, b, c) in zip((low, high), found[::2], strict=True)
        ]
        m, g, next_g = 2 * k + 1, math.gamma(k + 0.5), math.gamma(k + 1.5)
        part = (
            m * g * (e2[1] / (9 * one) + 7 * (e2[0] + e2[2]) / (144 * one))
            + (g * e3[0] / 72 + (m + 2) * next_g * e3[1] / 6) / two
        )
        total = total - part / (math.pi * math.factorial(k))
    return xp.where(x < 0.004, 0.0, total)


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def two_samples(n1: int, n2: int) -> tuple[list[int], list[float]]:
    """Return the possible values of a sum of squares, and probabilities of each or more.

    Y. Xiao, A. Gordon, A. Yakovlev, J. Stat. Softw. 17(8), 2006: values and their frequencies go
    from one place of a lattice to the next. The sum, of squared differences of the distribution
    functions times the least common multiple over all observations, is an integer.
    """
    lcm = n1 * n2 // math.gcd(n1, n2)
    a, b = lcm // n1, lcm // n2
    xp = namespace("numpy")
    none = xp.zeros(0, dtype=xp.int64), xp.zeros(0)
    column = [(xp.zeros(1, dtype=xp.int64), xp.ones(1)), *[none] * n1]
    for u in range(n2 + 1):
        below = none
        for v in range(n1 + 1):
            values, place = xp.unique_inverse(xp.concat([below[0], column[v][0]]))
            ways = bincount(place, weights=xp.concat([below[1], column[v][1]]))
            below = column[v] = (values + (a * v - b * u) ** 2, ways)
    values, ways = column[n1]
    more = xp.flip(xp.cumulative_sum(xp.flip(ways)))
    return values.tolist(), (more / math.comb(n1 + n2, n1)).tolist()
