"""Nodes and weights of Gauss's rules, for `special.roots_*` and `integrate.gauss_*`.

They are those of orthogonal polynomials: eigenvalues of a tridiagonal matrix (G. H. Golub,
J. H. Welsch, Math. Comp. 23, 1969), improved by Newton's method with decimals, whose exponents have
no bounds, so that they are right to the last digit or nearly so.
"""

import functools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from typing import Any

from .._creation import target
from .._creation import xp as default
from .._dtypes import default_floating
from .._namespace import namespace
from ..errors import ArgumentError, IntegerError

__all__ = [
    "Rule",
    "chebyshev",
    "floats",
    "gegenbauer",
    "hermite",
    "hermitenorm",
    "jacobi",
    "laguerre",
    "legendre",
    "made",
    "number",
    "polished",
    "result",
    "scaled",
    "size",
]

Rule = tuple[tuple[float, ...], tuple[float, ...]]
_PI = Decimal("3.141592653589793238462643383279502884197")


def size(function: str, name: str, n: Any, least: int = 1) -> int:
    """Return a number of nodes."""
    if isinstance(n, float) and n.is_integer():
        n = int(n)
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise IntegerError(f"{function}: {name} must be an integer, got {n!r}")
    if n < least:
        raise ArgumentError(f"{function}: {name} must be at least {least}, got {n!r}")
    return int(n)


def polished(
    n: int, a: Callable[[int], Any], b: Callable[[int], Decimal], mass: Decimal
) -> list[tuple[Decimal, Decimal]]:
    """Nodes and weights; monic polynomials p(k+1) = (x - a(k)) p(k) - b(k) p(k-1)."""
    if n == 0:
        return []
    xp = namespace("numpy")
    shifts = [Decimal(a(k)) for k in range(n)]
    ratios = [b(k) if k else Decimal(0) for k in range(n)]
    side = xp.asarray([math.sqrt(r) for r in ratios[1:]])
    where = xp.arange(n)
    matrix = xp.zeros((n, n))
    matrix[where, where] = [float(v) for v in shifts]
    matrix[where[:-1], where[1:]] = matrix[where[1:], where[:-1]] = side
    starts = xp.linalg.eigvalsh(matrix).tolist()
    even = all(v == 0 for v in shifts)  # then nodes come in pairs
    norms = [Decimal(1)]
    for r in ratios[1:]:
        norms.append(norms[-1] * r)
    scales = [1 / v for v in norms]
    found: list[tuple[Decimal, Decimal]] = []
    for i, start in enumerate(starts):
        if even and i >= (n + 1) // 2:
            x, w = found[n - 1 - i]
            found.append((-x, w))
            continue
        x = Decimal(0) if even and 2 * i + 1 == n else Decimal(start)
        for _ in range(2):
            x, _ = _improved(x, shifts, ratios, None)
        _, total = _improved(x, shifts, ratios, scales)
        found.append((x, mass / total))
    return found


def _improved(
    x: Decimal, a: Sequence[Decimal], b: Sequence[Decimal], scales: Sequence[Decimal] | None
) -> tuple[Decimal, Decimal]:
    """Newton's step to a zero, or the sum of squares of the normed polynomials before it."""
    p0, p1, d0, d1 = Decimal(0), Decimal(1), Decimal(0), Decimal(0)
    if scales is not None:
        total = Decimal(0)
        for shift, ratio, scale in zip(a, b, scales, strict=True):
            total += p1 * p1 * scale
            p0, p1 = p1, (x - shift) * p1 - ratio * p0
        return x, total
    for shift, ratio in zip(a, b, strict=True):
        far = x - shift
        p0, p1, d0, d1 = p1, far * p1 - ratio * p0, d1, p1 + far * d1 - ratio * d0
    return x - p1 / d1, p1


def floats(pairs: Sequence[tuple[Decimal, Decimal]]) -> Rule:
    """Return nodes and weights as numbers."""
    return tuple(float(x) for x, _ in pairs), tuple(float(w) for _, w in pairs)


def _gamma(x: Decimal) -> Decimal:
    """The gamma function of a positive number, to 30 digits: Stirling's series."""
    below = Decimal(1)
    while x < 40:
        below *= x
        x += 1
    bernoulli = "1/12 -1/360 1/1260 -1/1680 1/1188 -691/360360 1/156 -3617/122400 43867/244188"
    total, power = Decimal(0), 1 / x
    for term in bernoulli.split():
        top, bottom = term.split("/")
        total += Decimal(top) / Decimal(bottom) * power
        power /= x * x
    more = (2 * _PI / x).ln() / 2 + x * (x.ln() - 1) + total
    return more.exp() / below


@functools.lru_cache(64)
def legendre(n: int) -> Rule:
    with localcontext(prec=34):
        return floats(polished(n, lambda k: 0, _of_legendre, Decimal(2)))


def _of_legendre(k: int) -> Decimal:
    return Decimal(k * k) / (4 * k * k - 1)


@functools.lru_cache(64)
def laguerre(n: int, alpha: float = 0.0) -> Rule:
    with localcontext(prec=34):
        c = Decimal(alpha)
        mass = _gamma(c + 1)
        return floats(polished(n, lambda k: 2 * k + 1 + c, lambda k: k * (k + c), mass))


@functools.lru_cache(64)
def hermite(n: int) -> Rule:
    with localcontext(prec=34):
        return floats(polished(n, lambda k: 0, lambda k: Decimal(k) / 2, _PI.sqrt()))


@functools.lru_cache(64)
def hermitenorm(n: int) -> Rule:
    with localcontext(prec=34):
        return floats(polished(n, lambda k: 0, Decimal, (2 * _PI).sqrt()))


@functools.lru_cache(64)
def jacobi(n: int, alpha: float, beta: float) -> Rule:
    with localcontext(prec=34):
        p, q = Decimal(alpha), Decimal(beta)
        s = p + q

        def shift(k: int) -> Decimal:
            if not k:
                return (q - p) / (s + 2)
            return (q * q - p * p) / ((2 * k + s) * (2 * k + s + 2))

        def ratio(k: int) -> Decimal:
            if k == 1:
                return 4 * (1 + p) * (1 + q) / ((2 + s) ** 2 * (3 + s))
            m = 2 * k + s
            return 4 * k * (k + p) * (k + q) * (k + s) / (m * m * (m + 1) * (m - 1))

        mass = 2 ** (s + 1) * _gamma(p + 1) * _gamma(q + 1) / _gamma(s + 2)
        return floats(polished(n, shift, ratio, mass))


@functools.lru_cache(64)
def gegenbauer(n: int, alpha: float) -> Rule:
    with localcontext(prec=34):
        c = Decimal(alpha)

        def ratio(k: int) -> Decimal:
            if k == 1:
                return 1 / (2 * (1 + c))
            return k * (k + 2 * c - 1) / (4 * (k + c) * (k + c - 1))

        mass = _PI.sqrt() * _gamma(c + Decimal("0.5")) / _gamma(c + 1)
        return floats(polished(n, lambda k: 0, ratio, mass))


def scaled(rule: Rule, by: float, more: float, weight: float) -> Rule:
    """Return a rule for other limits: nodes times `by` and `more`, weights times `weight`."""
    x, w = rule
    return tuple(v * by + more for v in x), tuple(v * weight for v in w)


def chebyshev(n: int, kind: int) -> Rule:
    """In closed form."""
    if kind == 1:
        nodes = [math.sin(math.pi * (2 * k - n + 1) / (2 * n)) for k in range(n)]
        return tuple(nodes), (math.pi / n,) * n
    m = n + 1
    nodes = [math.sin(math.pi * (2 * k - m) / (2 * m)) for k in range(1, m)]
    return tuple(nodes), tuple(math.pi / m * math.sin(math.pi * k / m) ** 2 for k in range(1, m))


def made(function: str, rule: Rule, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return a rule as arrays of the library that options name."""
    like, dtype = options["like"], options["dtype"]
    xp, where = target(function, options["namespace"], options["device"], like)
    if dtype is None:
        known = hasattr(like, "dtype") and xp.isdtype(like.dtype, "real floating")
        dtype = like.dtype if known else default_floating(xp, where)
        if like is None and options["namespace"] is None:
            dtype = default.asarray(0.5).dtype
    elif isinstance(dtype, str):
        dtype = getattr(xp, dtype, None)
    if dtype is None or not xp.isdtype(dtype, "real floating"):
        raise ArgumentError(
            f"{function}: dtype must be real and floating, got {options['dtype']!r}"
        )
    nodes, weights = (xp.asarray(list(v), dtype=dtype, device=where) for v in rule)
    return nodes, weights


def number(function: str, name: str, value: Any, good: Any, text: str) -> float:
    """Return a number for which `good` is true, as `text` says."""
    try:
        found = float(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{function}: {name} must be a number, got {value!r}") from error
    if not good(found) or not math.isfinite(found):
        raise ArgumentError(f"{function}: {name} must be {text}, got {value!r}")
    return found


def result(
    function: str, rule: Rule, mass: float | None, mu: bool, options: dict[str, Any]
) -> tuple[Any, ...]:
    """Return a rule as arrays, and the sum of its weights if asked for."""
    x, w = made(function, rule, options)
    return (x, w, math.fsum(rule[1]) if mass is None else mass) if mu else (x, w)
