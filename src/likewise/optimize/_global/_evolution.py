"""Differential evolution: a population of points, of which each is mixed with others in each step.

R. Storn, K. Price, J. Global Optim. 11, 1997. The points are in the unit cube; all of a generation
are evaluated at once. With constraints, the rules of J. Lampinen, CEC 2002: what fulfils them is
better than what doesn't, and of two that don't, the one that violates none of them more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...missing import take_along_axis
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes
from ._draws import below, uniforms
from ._limits import Limits
from ._values import Values

__all__ = ["STRATEGIES", "Population", "Search", "best_of", "evolution", "scaled"]

# By SciPy's names: which points are drawn besides, and the mutant of them.
STRATEGIES: dict[str, tuple[int, Callable[..., Any]]] = {
    "best1": (2, lambda f, best, own, r: best + f * (r[0] - r[1])),
    "rand1": (3, lambda f, best, own, r: r[0] + f * (r[1] - r[2])),
    "rand2": (5, lambda f, best, own, r: r[0] + f * (r[1] + r[2] - r[3] - r[4])),
    "best2": (4, lambda f, best, own, r: best + f * (r[0] + r[1] - r[2] - r[3])),
    "randtobest1": (3, lambda f, best, own, r: r[0] + f * (best - r[0]) + f * (r[1] - r[2])),
    "currenttobest1": (2, lambda f, best, own, r: own + f * (best - own + r[0] - r[1])),
}


class Search(NamedTuple):
    """Hold the data that differ between problems, one row each."""

    lower: Any  # (B, p)
    upper: Any
    points: Any  # (B, S, p), the first population, in the unit cube
    keys: Any  # (B, 2)
    low: Any  # (B, m), sides of constraints; m = 0 without
    high: Any
    matrix: Any  # (B, k, p), of linear constraints


class Settings(NamedTuple):
    strategy: str
    maxiter: int
    tol: float
    atol: float
    mutation: tuple[float, float]
    recombination: float
    integral: tuple[bool, ...]


class Population(NamedTuple):
    points: Any  # (B, S, p) in the unit cube
    values: Any  # (B, S), infinite where constraints don't hold
    excess: Any  # (B, S, m), by how much constraints don't hold; m = 0 without
    keys: Any
    status: Any
    nit: Any
    nfev: Any


def scaled(xp: Any, u: Any, lower: Any, upper: Any, integral: tuple[bool, ...]) -> Any:
    """Return points between bounds (B, p) of points (B, S, p) in the unit cube."""
    low, high = lower[:, None, :], upper[:, None, :]
    x = 0.5 * (low + high) + (u - 0.5) * (high - low)
    if not any(integral):
        return xp.minimum(xp.maximum(x, low), high)
    whole = xp.asarray(list(integral), device=device(u))
    # A number has as much room as the others: from half before to half behind.
    wide = 0.5 * (low + high) + (u - 0.5) * (high - low + 1)
    x = xp.where(whole, xp.round(wide), x)
    return xp.minimum(xp.maximum(x, low), high)


def best_of(xp: Any, s: Any) -> Any:
    """Return the number of the best point of each problem, (B, 1)."""
    best = xp.argmin(s.values, axis=1, keepdims=True)
    if s.excess.shape[2]:
        total = xp.sum(s.excess, axis=2)
        least = xp.argmin(total, axis=1, keepdims=True)
        best = xp.where(xp.any(total <= 0, axis=1, keepdims=True), best, least)
    return best


def evolution(values: Values, settings: Settings, limits: Limits | None, custom: Any) -> Method:
    """Return the method; `custom` makes trials by a function of the caller."""

    def looked(search: Search, u: Any) -> tuple[Any, Any]:
        xp = array_namespace(u)
        x = scaled(xp, u, search.lower, search.upper, settings.integral)
        f = values.numbers(x)
        infinite = xp.full_like(f, xp.inf)
        f = xp.where(xp.isnan(f), infinite, f)
        if limits is None:
            return f, xp.zeros((*f.shape, 0), dtype=f.dtype, device=device(f))
        excess = limits.excess(search.low, search.high, search.matrix, x)
        return xp.where(xp.sum(excess, axis=2) > 0, infinite, f), excess

    def start(search: Search) -> Population:
        f, excess = looked(search, search.points)
        xp = array_namespace(f)
        zero = xp.zeros_like(f[:, 0], dtype=xp.int32)
        code = Outcome.LIMIT if settings.maxiter == 0 else Outcome.RUNNING
        counted = zero + int(f.shape[1])
        return Population(search.points, f, excess, search.keys, zero + code, zero, counted)

    def step(search: Search, s: Population) -> Population:
        xp = array_namespace(s.points)
        trial = _trials(xp, settings, s, custom, search)
        f, excess = looked(search, trial)
        if limits is None:
            better = f <= s.values
        else:
            good, before = (xp.sum(e, axis=2) <= 0 for e in (excess, s.excess))
            closer = ~good & xp.all(excess <= s.excess, axis=2)
            better = xp.where(good, ~before | (f <= s.values), closer)
        points = xp.where(better[:, :, None], trial, s.points)
        kept = xp.where(better, f, s.values)
        excess = xp.where(better[:, :, None], excess, s.excess)
        nit = s.nit + 1
        status = outcomes(
            nit,
            (nit >= settings.maxiter, Outcome.LIMIT),
            (_alike(xp, settings, kept), Outcome.CONVERGED),
        )
        nfev = s.nfev + int(s.values.shape[1])
        return Population(points, kept, excess, s.keys, status, nit, nfev)

    return Method(start, step)


def _alike(xp: Any, settings: Settings, values: Any) -> Any:
    """Tell where the values of a population are alike."""
    finite = xp.all(xp.isfinite(values), axis=1)
    safe = xp.where(finite[:, None], values, xp.zeros_like(values))
    mean = xp.mean(safe, axis=1)
    limit = settings.atol + settings.tol * xp.abs(mean)
    off = safe - mean[:, None]
    return finite & (xp.sqrt(xp.mean(off * off, axis=1)) <= limit)


def _trials(xp: Any, settings: Settings, s: Population, custom: Any, search: Search) -> Any:
    count, size, p = (int(n) for n in s.points.shape)
    if custom is not None:
        trial = custom(s, search)
        again = uniforms(s.keys, s.nit + 1, size * p, s.points)
        again = xp.reshape(again, (count, size, p))
        return xp.where((trial < 0) | (trial > 1), again, trial)
    name, crossing = settings.strategy[:-3], settings.strategy[-3:]
    others, mutant = STRATEGIES[name]
    width = 2 * p + others + 1
    u = uniforms(s.keys, s.nit + 1, size * width + 1, s.points)
    low, high = settings.mutation
    factor = (low + (high - low) * u[:, -1])[:, None, None]
    u = xp.reshape(u[:, :-1], (count, size, width))
    drawn = _different(xp, u[:, :, 2 * p : 2 * p + others], size)
    chosen = [_at(xp, s.points, i) for i in drawn]
    best = _at(xp, s.points, best_of(xp, s))
    mixed = mutant(factor, best, s.points, chosen)
    fill = below(u[:, :, -1], p)[:, :, None]
    places = xp.arange(p, dtype=xp.int32, device=device(u))
    crossed = u[:, :, :p] < settings.recombination
    if crossing == "bin":
        crossed = crossed | (places == fill)
    else:  # so many from `fill` on, until one isn't to be crossed
        ends = xp.astype(~crossed & (places > 0), xp.int32)
        run = xp.cumulative_sum(ends, axis=2) == 0
        crossed = take_along_axis(run, (places - fill + p) % p, axis=2)
    trial = xp.where(crossed, mixed, s.points)
    return xp.where((trial < 0) | (trial > 1), u[:, :, p : 2 * p], trial)


def _different(xp: Any, u: Any, size: int) -> list[Any]:
    """Return numbers (B, S) of points that differ from each other and from a point's own."""
    own = xp.arange(size, dtype=xp.int32, device=device(u))
    taken = [own[None, :]]  # in order
    out = []
    for j in range(int(u.shape[2])):
        number = below(u[:, :, j], size - 1 - j)
        for k in taken:
            number = number + xp.astype(number >= k, xp.int32)
        out.append(number)
        rest, ordered = number, []
        for k in taken:
            ordered.append(xp.minimum(k, rest))
            rest = xp.maximum(k, rest)
        taken = [*ordered, rest]
    return out


def _at(xp: Any, points: Any, index: Any) -> Any:
    """Return the points (B, n, p) of these numbers (B, n)."""
    count, size, p = (int(n) for n in points.shape)
    if count != 1:
        index = index + size * xp.arange(count, dtype=index.dtype, device=device(index))[:, None]
    found = xp.take(xp.reshape(points, (count * size, p)), xp.reshape(index, (-1,)), axis=0)
    return xp.reshape(found, (count, int(index.shape[1]), p))
