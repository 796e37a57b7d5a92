"""Normal and Student's probabilities of rectangles.

Two and three variables: Plackett's identity, ``dP/dr`` is a density, integrated over the angle
whose sine is the correlation by Gauss and Legendre's rule (A. Genz, Statistics and Computing 14
(2004) 251-260; Z. Drezner, G. O. Wesolowsky, J. Stat. Comput. Simul. 35 (1990) 101-107, for
correlations near 1). More: A. Genz's separation of variables (J. Comput. Graph. Stat. 1 (1992)
141-149) over randomly shifted lattices.
"""

import functools
import itertools
import math
from typing import Any

from ..._namespace import array_namespace, device, is_concrete, quiet
from ...random import key as key_of
from ...random import uniform
from ...random._threefry import key_dtype
from ...special import gammaincinv, ndtr, ndtri

__all__ = [
    "bivariate",
    "correlation",
    "lattice",
    "probability",
    "scaled",
    "semidefinite",
    "steps",
    "trivariate",
]

_FAR = 38.4  # beyond it, a tail is below the smallest number
_STRONG = 0.925
_SHIFTS = 10
_FIRST = 512  # points per shift at first, and where errors can't be read
_FIXED = 4096
# Generators of the lattices, by ci/stats/lattice.py.
_GENERATORS = (
    0x00000001,
    0xD0DBC74D,
    0xE611828B,
    0xBE92A3E9,
    0x4E3F6D97,
    0x8513C7C5,
    0x504343A1,
    0xDDACE0FF,
    0xE1D657EB,
    0x488A6BC5,
    0x64F094AF,
    0xA8834613,
    0x06311D49,
    0x9CF5BD29,
    0xDBB77C11,
    0x0B579977,
    0x0684F217,
    0xF4DC4501,
    0xD24181C5,
    0x1945D03B,
    0x84E37577,
    0xABBC3901,
    0x3CE8EA3B,
    0x43488B9B,
)
_TINY = 1e-290


@functools.cache
def legendre(n: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return nodes and weights of Gauss and Legendre's rule on [-1, 1], by Newton's method."""
    nodes, weights = [], []
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        for _ in range(100):
            p, q = 1.0, x
            for k in range(2, n + 1):
                p, q = q, ((2 * k - 1) * x * q - (k - 1) * p) / k
            slope = n * (x * q - p) / (x * x - 1)
            step = q / slope
            x -= step
            if abs(step) < 1e-16:
                break
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope * slope))
    return tuple(nodes), tuple(weights)


@functools.cache
def _graded(n: int, panels: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Nodes and weights on [0, 1], in panels that shrink towards 1 by a factor of 4."""
    x, w = legendre(n)
    ends = [0.0, *(1 - 0.25**k for k in range(1, panels)), 1.0]
    parts = list(itertools.pairwise(ends))
    nodes = [a + (b - a) * (1 + t) / 2 for a, b in parts for t in x]
    return tuple(nodes), tuple((b - a) / 2 * v for a, b in parts for v in w)


def _arrays(xp: Any, like: Any, *values: Any) -> tuple[Any, ...]:
    return tuple(xp.asarray(list(v), dtype=like.dtype, device=device(like)) for v in values)


def bivariate(xp: Any, h: Any, k: Any, r: Any) -> Any:
    """Return P(X <= h, Y <= k) of standard normal X and Y of correlation r."""
    h, k = xp.clip(h, -_FAR, _FAR), xp.clip(k, -_FAR, _FAR)
    x, w = _arrays(xp, h + k, *legendre(20))
    weak = xp.abs(r) < _STRONG
    some = xp.where(weak, r, xp.zeros_like(r))
    half = 0.5 * xp.asin(some)
    sine = xp.sin(half[..., None] * (1 + x))
    hk, hs = h * k, 0.5 * (h * h + k * k)
    inner = xp.exp((sine * hk[..., None] - hs[..., None]) / (1 - sine * sine))
    found = ndtr(h) * ndtr(k) + half * xp.sum(w * inner, axis=-1) / (2 * math.pi)
    if is_concrete(weak) and bool(xp.all(weak)):
        return xp.clip(found, 0.0, 1.0)
    near = _near_one(xp, h, k, xp.where(weak, xp.ones_like(r), r), x, w)
    return xp.clip(xp.where(weak, found, near), 0.0, 1.0)


def _near_one(xp: Any, h: Any, k: Any, r: Any, x: Any, w: Any) -> Any:
    """The same for correlations near 1 or -1: what lacks to equal, or opposite, variables.

    Between r and 1 the density's leading terms in s^2 = 1 - r^2 are integrated exactly.
    """
    plus = r > 0
    k = xp.where(plus, k, -k)  # of the reflected variable
    hk, gap = h * k, xp.abs(h - k)
    square = xp.maximum((1 - r) * (1 + r), xp.zeros_like(r))
    is_one = square <= 0
    square = xp.where(is_one, xp.ones_like(r), square)
    s, b = xp.sqrt(square), gap * gap
    c, d = (4 - hk) / 8, (12 - hk) / 80
    lead = s * xp.exp(-0.5 * (b / square + hk))
    lead = lead * (1 - c * (b - square) * (1 - d * b) / 3 + c * d * square * square)
    small = hk < -100  # where the tail below is 0, and its factor too large
    tail = xp.exp(-0.5 * xp.where(small, xp.zeros_like(hk), hk)) * ndtr(-gap / s) * gap
    tail = math.sqrt(2 * math.pi) * tail * (1 - c * b * (1 - d * b) / 3)
    lead = lead - xp.where(small, xp.zeros_like(tail), tail)
    t = 0.25 * square[..., None] * (1 + x) ** 2
    root = xp.sqrt(1 - t)
    hk, b, c, d = (v[..., None] for v in (hk, b, c, d))
    plain = xp.exp(-0.5 * (b / t + hk))
    exact = xp.exp(-0.5 * b / t - hk / (1 + root)) / root
    rest = exact - plain * (1 + c * t * (1 + 5 * d * t))
    lack = (lead + 0.5 * s * xp.sum(w * rest, axis=-1)) / (2 * math.pi)
    lack = xp.where(is_one, xp.zeros_like(lack), lack)
    alike = ndtr(xp.minimum(h, k)) - lack
    # P(X <= h, -Z <= -k) of Z near X: of X between k and h, and what lacks.
    over = h > k
    low = xp.minimum(h, k)
    between = xp.where(low > 0, ndtr(-low) - ndtr(-h), ndtr(h) - ndtr(low))
    between = xp.where(over, between, xp.zeros_like(h))
    return xp.where(plus, alike, between + lack)


def trivariate(xp: Any, h: tuple[Any, Any, Any], r: tuple[Any, Any, Any]) -> Any:
    """Return P(X <= h) of three standard normal variables of correlations r12, r13, r23.

    From the pair of the strongest correlation and the third variable apart from it, along the path
    on which both other correlations' angles grow in proportion.
    """
    h1, h2, h3 = (xp.clip(v, -_FAR, _FAR) for v in h)
    r12, r13, r23 = r
    a12, a13, a23 = (xp.abs(v) for v in r)
    first = (a12 > a23) & (a12 >= a13)  # the pair 1, 2 becomes 2, 3
    second = (a13 > a23) & ~first
    h1, h2, h3, r12, r13, r23 = (
        xp.where(first, p, xp.where(second, q, v))
        for p, q, v in zip(
            (h3, h1, h2, r13, r23, r12),
            (h2, h1, h3, r12, r23, r13),
            (h1, h2, h3, r12, r13, r23),
            strict=True,
        )
    )
    apart = ndtr(h1) * bivariate(xp, h2, h3, r23)
    t, w = _arrays(xp, h1, *_graded(16, 12))
    angles = xp.asin(r12)[..., None], xp.asin(r13)[..., None]
    rest = tuple(v[..., None] for v in (h1, h2, h3, r23))
    part = _along(xp, t, angles, rest, swapped=False) + _along(xp, t, angles, rest, swapped=True)
    return xp.clip(apart + xp.sum(w * part, axis=-1) / (2 * math.pi), 0.0, 1.0)


def _along(xp: Any, t: Any, angles: Any, rest: Any, swapped: bool) -> Any:
    """The density of variables 1 and 2, times the conditional probability of the third."""
    (one, two), (h1, h2, h3, r23) = angles, rest
    if swapped:
        one, two, h2, h3 = two, one, h3, h2
    r12, cosine, r13 = xp.sin(t * one), xp.cos(t * one), xp.sin(t * two)
    square = xp.maximum(cosine * cosine, xp.full_like(cosine, _TINY))
    height = (h1 - h2) ** 2 + 2 * h1 * h2 * (1 - r12)
    density = one * xp.exp(-0.5 * height / square)
    volume = square * (1 - r23 * r23) - (r13 - r12 * r23) ** 2
    spread = xp.sqrt(square * xp.maximum(volume, xp.full_like(volume, _TINY)))
    off = h3 * square - (r13 - r12 * r23) * h1 - (r23 - r12 * r13) * h2
    return density * ndtr(off / spread)


def _corners(xp: Any, below: Any, limits: list[Any], lower: list[Any] | None) -> Any:
    """The probability of a rectangle from those below its corners."""
    if lower is None:
        return below(limits)
    total: Any = 0.0
    for number in range(1 << len(limits)):
        picked = [number >> i & 1 for i in range(len(limits))]
        value = below([lower[i] if p else limits[i] for i, p in enumerate(picked)])
        total = total - value if sum(picked) % 2 else total + value
    return total


def _between(low: Any, high: Any) -> Any:
    """The probability of an interval, from the tails that lose no digits."""
    xp = array_namespace(low, high)
    upper = xp.minimum(low, high) > 0
    return xp.where(upper, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))


def probability(
    xp: Any,
    high: Any,
    low: Any,
    cov: Any,
    maxpts: int,
    abseps: float,
    key: Any = None,
    df: Any = None,
) -> Any:
    """Return the probabilities of rectangles (..., d) around the centre; `low` may be None."""
    d = high.shape[-1]
    with quiet(high):
        sizes = [xp.sqrt(cov[..., i, i]) for i in range(d)]
        limits = [scaled(xp, high[..., i], sizes[i]) for i in range(d)]
        lower = None if low is None else [scaled(xp, low[..., i], sizes[i]) for i in range(d)]
        if df is None and d == 1:
            return ndtr(limits[0]) if lower is None else _between(lower[0], limits[0])
        pairs = [(i, j) for j in range(d) for i in range(j)]
        r = {(i, j): correlation(xp, cov[..., j, i], sizes[i] * sizes[j]) for i, j in pairs}
        if df is None and d == 2:
            return _corners(xp, lambda h: bivariate(xp, h[0], h[1], r[0, 1]), limits, lower)
        if df is None and d == 3:
            three = r[0, 1], r[0, 2], r[1, 2]
            three = tuple(xp.broadcast_to(v, (limits[0] + v).shape) for v in three)
            return _corners(xp, lambda h: trivariate(xp, tuple(h), three), limits, lower)
        factor = semidefinite(xp, r, d, limits[0])
        return lattice(xp, limits, lower, factor, maxpts, abseps, key, df)


def scaled(xp: Any, limit: Any, size: Any) -> Any:
    """Return limits over the standard deviation, of which 0 makes a variable certain."""
    certain = size <= 0
    ends = xp.where(limit < 0, -xp.inf, xp.full_like(limit, xp.inf))
    return xp.where(certain, ends, limit / xp.where(certain, xp.ones_like(size), size))


def correlation(xp: Any, cov: Any, size: Any) -> Any:
    """Return covariances over products of standard deviations; 0 of what is certain."""
    zero = size <= 0
    return xp.where(zero, 0.0, xp.clip(cov / xp.where(zero, xp.ones_like(size), size), -1.0, 1.0))


def semidefinite(xp: Any, r: Any, d: int, like: Any) -> list[list[Any]]:
    """Return Cholesky's factor of correlations, with zeros for variables that others determine."""
    least = 1e3 * float(xp.finfo(like.dtype).eps)
    rows: list[list[Any]] = []
    for j in range(d):
        row: list[Any] = []
        for i in range(j):
            rest = r[i, j] - sum((row[k] * rows[i][k] for k in range(i)), 0.0)
            pivot = rows[i][i]
            zero = pivot <= 0
            row.append(xp.where(zero, 0.0, rest / xp.where(zero, xp.ones_like(pivot), pivot)))
        left = 1 - sum((v * v for v in row), 0.0 * (r[0, 1] if d > 1 else 1.0))
        good = left > least
        root = xp.sqrt(xp.where(good, left, xp.ones_like(left)))
        rows.append([*row, xp.where(good, root, xp.zeros_like(root))])
    return rows


def lattice(
    xp: Any,
    limits: list[Any],
    lower: list[Any] | None,
    factor: list[list[Any]],
    maxpts: int,
    abseps: float,
    key: Any,
    df: Any,
) -> Any:
    """Return probabilities by lattices of points with ten random shifts.

    Where values can be read, points are doubled until three standard errors are below `abseps`, or
    there are `maxpts`; else there are 4,096 per shift. Each doubling adds the odd points of a
    lattice that is twice as fine.
    """
    like = limits[0]
    where, d = device(like), len(limits)
    count = d - (df is None)
    if key is None or isinstance(key, int):
        key = key_of(key or 0, like=like)
    shifts = uniform(key, (_SHIFTS, count), like.dtype, like=like)
    words = key_dtype(xp, where)
    vector = [*_GENERATORS[:count], *(f | 1 for f in steps(count)[len(_GENERATORS) :])]
    eager = is_concrete(like) and is_concrete(factor[-1][-1])
    totals: list[Any] = [0.0] * _SHIFTS
    stop = _FIRST if eager else _FIXED
    index = xp.arange(stop, dtype=words, device=where)
    while True:
        fine = (stop - 1).bit_length()
        shifted = xp.asarray(
            [z << (32 - fine) & 0xFFFFFFFF for z in vector], dtype=words, device=where
        )
        points = xp.astype((index[:, None] * shifted) & 0xFFFFFFFF, like.dtype) * 2.0**-32
        for s in range(_SHIFTS):
            u = points + shifts[s, :]
            u = xp.abs(2 * (u - xp.floor(u)) - 1)
            totals[s] = totals[s] + _separated(xp, u, limits, lower, factor, df)
        means = xp.stack([total / stop for total in totals])
        mean = xp.mean(means, axis=0)
        if not eager or 2 * stop * _SHIFTS > maxpts:
            return mean
        error = 3 * xp.std(means, axis=0, correction=1) / math.sqrt(_SHIFTS)
        if not bool(xp.any(error > abseps)):
            return mean
        index, stop = 2 * xp.arange(stop, dtype=words, device=where) + 1, 2 * stop


@functools.cache
def steps(count: int) -> tuple[int, ...]:
    """Return the fractions of square roots of primes, as words of 32 bits."""
    primes: list[int] = []
    n = 2
    while len(primes) < count:
        if all(n % p for p in primes):
            primes.append(n)
        n += 1
    return tuple(math.isqrt(p << 64) & 0xFFFFFFFF for p in primes)


def _separated(
    xp: Any, u: Any, limits: list[Any], lower: list[Any] | None, factor: Any, df: Any
) -> Any:
    """The sum, over points (n, count), of the product of conditional probabilities."""
    d = len(limits)
    ndim = max(v.ndim for v in (*limits, *factor[-1], *(lower or ())))
    if df is not None:
        ndim = max(ndim, df.ndim)
    columns = [xp.reshape(u[:, i], (-1, *[1] * ndim)) for i in range(u.shape[1])]
    scale: Any = 1.0
    if df is not None:  # Student's variables are normal ones over a chi variable's root mean square
        scale = xp.sqrt(2 * gammaincinv(0.5 * df, columns.pop()) / df)
    product: Any = 1.0
    known: list[Any] = []
    for i in range(d):
        mean = sum((factor[i][j] * known[j] for j in range(i)), 0.0)
        size = factor[i][i]
        high = ndtr(scaled(xp, limits[i] * scale - mean, size))
        low = 0.0 if lower is None else ndtr(scaled(xp, lower[i] * scale - mean, size))
        width = high - low
        product = product * width
        if i < d - 1:
            level = low + columns[i] * width
            known.append(xp.clip(ndtri(level), -_FAR, _FAR))
    return xp.sum(product, axis=0)
