"""Integrals of functions times a weight, by modified moments, for many problems at once.

A function is interpolated at 25 and at 13 extrema of Chebyshev's polynomials, and the interpolant
times the weight integrated exactly (R. Piessens et al., QUADPACK, 1983). Where the weight is smooth
its values at 48 nodes of Gauss give the moments; where it isn't, recurrences do.
"""

import math
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_concrete
from ._kronrod import Estimate
from ._rules import gauss_legendre

__all__ = ["WEIGHTS", "Weighing", "prepared", "ruled", "weighed", "weighing"]

WEIGHTS = "cos sin alg alg-loga alg-logb alg-log cauchy".split()
_N = 24
_CIRCLE = [math.cos(math.pi * i / _N) for i in range(2 * _N)]
_CIRCLE[12] = _CIRCLE[36] = 0.0


class Weighing(NamedTuple):
    """Hold what turns weights into rules: of the fine one and of the coarse one, 25 each."""

    nodes: Any  # (25,) in descending order
    by_moments: Any  # (25, 50)
    gauss: Any  # (48,) nodes
    by_values: Any  # (48, 50)


def _matrix() -> list[list[float]]:
    """The weights of values in the moment k, rows, of both rules."""

    def weight(n: int, k: int, j: int) -> float:
        if k > n or j % (_N // n):
            return 0.0
        outer = (0.5 if k in (0, n) else 1.0) * (0.5 if j in (0, _N) else 1.0)
        return 2 / n * outer * _CIRCLE[j * k % (2 * _N)]

    return [[weight(n, k, j) for n in (_N, _N // 2) for j in range(_N + 1)] for k in range(_N + 1)]


_MATRIX = _matrix()


def weighing(like: Any) -> Weighing:
    """Return the matrices in the dtype of an array."""
    xp, where = array_namespace(like), device(like)
    matrix = xp.asarray(_MATRIX, dtype=like.dtype, device=where)
    nodes = xp.asarray(_CIRCLE[: _N + 1], dtype=like.dtype, device=where)
    gauss, weights = gauss_legendre(48, like=like)
    before, now = xp.ones_like(gauss), gauss
    rows = [before, now]
    for _ in range(_N - 1):
        before, now = now, 2 * gauss * now - before
        rows.append(now)
    values = xp.matmul(xp.stack(rows, axis=1) * weights[:, None], matrix)
    return Weighing(nodes, matrix, gauss, values)


def prepared(weight: str, a: Any, b: Any, wvar: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what the weights of B problems depend on, (B,) or (B, 25) each."""
    if not weight.startswith("alg"):
        return wvar
    return (a, b, *wvar, *_powers(wvar[0], -1.0), *_powers(wvar[1], 1.0))


def _powers(alpha: Any, side: float) -> tuple[Any, Any]:
    """Moments of the power of the distance from -1 (or 1), and of it times the logarithm."""
    xp = array_namespace(alpha)
    two, log = 2 ** (alpha + 1), math.log(2.0)
    m = [two / (alpha + 1)]
    d = [m[0] * (log - 1 / (alpha + 1))]
    m.append(m[0] * alpha / (alpha + 2))
    d.append(d[0] * alpha / (alpha + 2) + m[0] * 2 / (alpha + 2) ** 2)
    for k in range(2, _N + 1):
        below = (k - 1) * (k + alpha + 1)
        up = k * (k - alpha - 2)
        m.append(-(two + up * m[-1]) / below)
        d.append(-(two * log - k * m[-2] + up * d[-1]) / below - m[-1] / (k + alpha + 1))
    signs = [1.0 if side < 0 or k % 2 == 0 else -1.0 for k in range(_N + 1)]
    return tuple(
        xp.stack([v * s for v, s in zip(part, signs, strict=True)], axis=1) for part in (m, d)
    )


def weighed(y: Any, weights: Any) -> Estimate:
    """Integrals of values at the nodes (B, 25), by weights of both rules (B, 50)."""
    xp = array_namespace(y)
    fine, coarse = weights[:, : _N + 1], weights[:, _N + 1 :]
    value, other = xp.sum(y * fine, axis=1), xp.sum(y * coarse, axis=1)
    size = xp.sum(xp.abs(y * fine), axis=1)
    error = xp.maximum(xp.abs(value - other), float(xp.finfo(y.dtype).eps) * size)
    return Estimate(value, error, size, xp.full_like(size, -1.0))


def ruled(weight: str, more: tuple[Any, ...], lo: Any, hi: Any, by: Weighing) -> Any:
    """Return the weights of both rules on intervals (B,), (B, 50)."""
    half = (hi - lo) / 2
    if weight in ("cos", "sin"):
        return _waves(weight, more[0], lo + half, half, by)
    if weight == "cauchy":
        return _poles(more[0], lo + half, half, by)
    return _algebraic(weight, more, lo, hi, half, by)


def _waves(weight: str, omega: Any, middle: Any, half: Any, by: Weighing) -> Any:
    xp = array_namespace(half)
    wave = xp.cos if weight == "cos" else xp.sin
    places = middle[:, None] + half[:, None] * by.gauss
    found = xp.matmul(wave(omega[:, None] * places), by.by_values)
    p = omega * half
    fast = xp.abs(p) > _N
    if is_concrete(fast) and not bool(xp.any(fast)):
        return half[:, None] * found
    p = xp.where(fast, p, xp.full_like(p, 100.0))
    cos, sin = xp.cos(p), xp.sin(p)
    at_cos, at_sin = xp.cos(omega * middle), xp.sin(omega * middle)
    # Of cos p t for even k, of sin p t for odd k.
    zeroth = 2 * sin / p
    m = [zeroth, 2 * (sin / p - cos) / p]
    m.append(4 * (sin / p + 2 * (cos - sin / p) / (p * p)) - zeroth)
    for k in range(2, _N):
        edge = -2 / (k * k - 1)
        new = m[k] - edge * cos if k % 2 == 0 else edge * sin - m[k]
        m.append((k + 1) * (m[k - 1] / (k - 1) + 2 * new / p))
    even, odd = (at_cos, -at_sin) if weight == "cos" else (at_sin, at_cos)
    moments = xp.stack([v * (odd if k % 2 else even) for k, v in enumerate(m)], axis=1)
    found = xp.where(fast[:, None], xp.matmul(moments, by.by_moments), found)
    return half[:, None] * found


def _poles(c: Any, middle: Any, half: Any, by: Weighing) -> Any:
    xp = array_namespace(half)
    at = (c - middle) / half
    near = xp.abs(at) < 1.1
    far = xp.where(near, xp.full_like(at, 2.0), at)
    found = xp.matmul(1 / (by.gauss - far[:, None]), by.by_values)
    at = xp.where(near, at, xp.zeros_like(at))
    m = [xp.log(xp.abs((1 - at) / (1 + at)))]
    m.append(2 + at * m[0])
    for k in range(1, _N):
        more = 0.0 if k % 2 else 4 / (1 - k * k)
        m.append(2 * at * m[k] - m[k - 1] + more)
    by_moments = xp.matmul(xp.stack(m, axis=1), by.by_moments)
    return xp.where(near[:, None], by_moments, found)


def _algebraic(
    weight: str, more: tuple[Any, ...], lo: Any, hi: Any, half: Any, by: Weighing
) -> Any:
    a, b, alpha, beta, left, left_log, right, right_log = more
    xp = array_namespace(half)
    at_a, at_b = lo == a, hi == b
    log_a, log_b = weight in ("alg-loga", "alg-log"), weight in ("alg-logb", "alg-log")
    middle = (lo + half)[:, None]

    def power(distance: Any, exponent: Any, log: bool) -> Any:
        there = distance > 0
        safe = xp.where(there, distance, xp.ones_like(distance))
        found = safe ** exponent[:, None]
        return found * xp.log(safe) if log else found

    def from_a(x: Any) -> Any:
        return power(x - a[:, None], alpha, log_a)

    def from_b(x: Any) -> Any:
        return power(b[:, None] - x, beta, log_b)

    some = xp.where(half > 0, half, xp.ones_like(half))

    def at_end(exponent: Any, plain: Any, with_log: Any, log: bool) -> Any:
        moments = plain * xp.log(some)[:, None] + with_log if log else plain
        return xp.matmul((some**exponent)[:, None] * moments, by.by_moments)

    x = middle + half[:, None] * by.nodes
    places = middle + half[:, None] * by.gauss
    inside = xp.matmul(from_a(places) * from_b(places), by.by_values)
    rest_b, rest_a = from_b(x), from_a(x)
    first = at_end(alpha, left, left_log, log_a) * xp.concat([rest_b, rest_b], axis=1)
    last = at_end(beta, right, right_log, log_b) * xp.concat([rest_a, rest_a], axis=1)
    found = xp.where(at_a[:, None], first, xp.where(at_b[:, None], last, inside))
    return half[:, None] * found
