"""Rules of Gauss and Kronrod on intervals, and Wynn's extrapolation, for many problems at once.

R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, QUADPACK, 1983: the rules and
their estimates of the error; P. Wynn, MTAC 10 (1956) 91: the epsilon algorithm.
"""

import functools
import math
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_concrete
from ..solving._following import is_open
from ..transforms import fori_loop

__all__ = ["Estimate", "doubly_exponential", "estimated", "extrapolated", "rule_of"]

_RULES: dict[int, tuple[tuple[float, ...], ...]] = {
    21: (  # nodes above 0, weights of Kronrod and of Gauss
        (
            0.9956571630258081,
            0.9739065285171717,
            0.9301574913557082,
            0.8650633666889845,
            0.7808177265864169,
            0.6794095682990244,
            0.5627571346686047,
            0.4333953941292472,
            0.2943928627014602,
            0.14887433898163122,
            0.0,
        ),
        (
            0.011694638867371874,
            0.032558162307964725,
            0.054755896574351995,
            0.07503967481091996,
            0.0931254545836976,
            0.10938715880229764,
            0.12349197626206584,
            0.13470921731147334,
            0.14277593857706009,
            0.14773910490133849,
            0.1494455540029169,
        ),
        (
            0.06667134430868814,
            0.1494513491505806,
            0.21908636251598204,
            0.26926671930999635,
            0.29552422471475287,
        ),
    ),
    15: (  # nodes above 0, weights of Kronrod and of Gauss
        (
            0.9914553711208126,
            0.9491079123427585,
            0.8648644233597691,
            0.7415311855993945,
            0.5860872354676911,
            0.4058451513773972,
            0.20778495500789848,
            0.0,
        ),
        (
            0.022935322010529224,
            0.06309209262997856,
            0.10479001032225019,
            0.14065325971552592,
            0.1690047266392679,
            0.19035057806478542,
            0.20443294007529889,
            0.20948214108472782,
        ),
        (0.1294849661688697, 0.27970539148927664, 0.3818300505051189, 0.4179591836734694),
    ),
}


class Estimate(NamedTuple):
    """Hold what a rule says of B intervals, (B,) each."""

    value: Any
    error: Any
    size: Any  # the integral of the absolute value
    spread: Any  # of the absolute distance from the mean


def rule_of(like: Any, count: int) -> tuple[Any, Any, Any]:
    """Return nodes in ascending order, and the weights of Kronrod and of Gauss."""
    key = type(like), like.dtype, str(device(like)), count
    known = _KNOWN.get(key)
    if known is None:
        xp, where = array_namespace(like), device(like)
        known = tuple(xp.asarray(v, dtype=like.dtype, device=where) for v in _listed(count))
        if is_concrete(like) and all(map(is_concrete, known)) and not is_open():
            _KNOWN[key] = known
    return known


_KNOWN: dict[Any, tuple[Any, Any, Any]] = {}  # by class, dtype and device of eager arrays


@functools.cache
def _listed(count: int) -> tuple[list[float], list[float], list[float]]:
    half, kronrod, gauss = _RULES[count]
    nodes = [-x for x in half] + list(half[-2::-1])
    sparse = [0.0] * count
    n = count // 2
    sparse[1::2] = [*gauss, *gauss[::-1]] if n % 2 == 0 else [*gauss, *gauss[-2::-1]]
    return nodes, [*kronrod, *kronrod[-2::-1]], sparse


def estimated(y: Any, half: Any, rule: tuple[Any, Any, Any]) -> Estimate:
    """Integrals of values at the nodes of intervals, (B, n); `half` is half of their lengths."""
    xp = array_namespace(y)
    _, kronrod, gauss = rule
    mean = y @ kronrod
    length = abs(half)
    size = (abs(y) @ kronrod) * length
    spread = (abs(y - (mean / 2)[:, None]) @ kronrod) * length
    error = abs((mean - y @ gauss) * half)
    one = xp.ones_like(spread)
    zero = (spread == 0) | (error == 0)
    ratio = 200 * error / xp.where(zero, one, spread)
    error = xp.where(zero, error, spread * xp.minimum(one, ratio * xp.sqrt(ratio)))
    floor = (50 * float(xp.finfo(y.dtype).eps)) * size
    return Estimate(mean * half, xp.maximum(error, floor), size, spread)


def doubly_exponential(like: Any) -> tuple[Any, Any]:
    """Return distances of nodes from the nearer end of [-1, 1], and weights: of both ends.

    H. Takahasi, M. Mori, Publ. RIMS 9 (1974) 721: it converges with singularities at the ends, too.
    """
    xp, where = array_namespace(like), device(like)
    near, weights = xp.asarray(_DISTANCES, dtype=like.dtype, device=where), _WEIGHTS
    return near, xp.asarray([*weights, *weights], dtype=like.dtype, device=where)


def _doubly_exponential(count: int, most: float) -> tuple[list[float], list[float]]:
    step = most / count
    near, weights = [], []
    for i in range(count, -1, -1):
        t = -step * i
        large = math.exp(-math.pi * math.sinh(t))
        near.append(2 / (1 + large))
        slope = math.pi / 2 * math.cosh(t) * 4 * large / (1 + large) ** 2
        weights.append(step * slope * (0.5 if i == 0 else 1.0))
    return near, weights


_DISTANCES, _WEIGHTS = _doubly_exponential(40, 4.5)


def extrapolated(table: Any, count: Any) -> tuple[Any, Any, Any, Any]:
    """Extrapolate the last `count` of sequences (B, m) to their limits.

    Returns the limit, its error, whether the sequence has converged by itself, and how many of its
    members are to be kept.
    """
    xp = array_namespace(table)
    m = table.shape[1]
    there = xp.arange(m, device=device(table)) >= m - count[:, None]
    column = xp.where(there, table, xp.full_like(table, xp.nan))
    limit = table[:, -1]
    columns = column, xp.zeros_like(table), xp.full_like(table, xp.inf)
    found = limit, xp.full_like(limit, xp.inf), xp.zeros_like(limit) != 0, count, count >= 3
    carry = (*columns, *found)
    last = (m - 1) // 2 + 1
    if is_concrete(table):
        for i in range(1, last):
            carry = _two_columns(i, count, carry)
    else:
        carry = fori_loop(1, last, lambda i, now: _two_columns(i, count, now), carry)
    return carry[3:7]


def _before(a: Any) -> Any:
    """Return for each element of rows the one before."""
    xp = array_namespace(a)
    return xp.concat([xp.full_like(a[:, :1], xp.nan), a[:, :-1]], axis=1)


def _two_columns(i: Any, count: Any, carry: tuple[Any, ...]) -> tuple[Any, ...]:
    """Columns of the epsilon table, the newest element last, and what the last one tells."""
    column, before, west, limit, error, settled, keep, going = carry
    xp = array_namespace(column)
    eps = float(xp.finfo(column.dtype).eps)
    e0, e1, e2, w = column[:, -3], column[:, -2], column[:, -1], west[:, -3]
    there = going & (count >= 2 * i + 1)
    later, sooner = xp.abs(e2 - e1), xp.abs(e1 - e0)
    flat = later <= eps * xp.maximum(xp.abs(e2), xp.abs(e1))
    flat_before = sooner <= eps * xp.maximum(xp.abs(e1), xp.abs(e0))
    done = there & flat & flat_before
    sooner_column = _before(column)
    odd = _before(before) + 1 / (column - sooner_column)
    step = odd - _before(odd)
    new = sooner_column + 1 / step
    flat = flat | flat_before | (xp.abs(e1 - w) <= eps * xp.where(xp.isinf(w), e1 * 0, xp.abs(w)))
    irregular = flat | ~(xp.abs(step[:, -1] * e1) > 1e-4)
    good = there & ~done & ~irregular
    found = later + xp.abs(new[:, -1] - e2) + sooner
    better = good & (found <= error)
    limit = xp.where(better, new[:, -1], xp.where(done, e2, limit))
    error = xp.where(better, found, xp.where(done, later + sooner, error))
    keep = xp.where(there & ~done & irregular, xp.zeros_like(keep) + (2 * i - 1), keep)
    return new, odd, column, limit, error, settled | done, keep, good
