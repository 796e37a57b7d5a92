"""Exact tests of two proportions that don't condition on both margins.

G. A. Barnard, Biometrika 34 (1947) 123-138; R. D. Boschloo, Statistica Neerlandica 24 (1970) 1-35.
The table is read; what follows is in double precision in memory, for all libraries.
"""

import math
from typing import Any

from ..._namespace import namespace, quiet
from ...errors import ArgumentError, NotSupported, ShapeError
from ...special import gammaln
from .._base._pvalues import Significance, direction
from ._exact_tables import of_number, one_table

__all__ = ["barnard_exact", "boschloo_exact"]

_ROUNDING = 1e-12  # statistics that differ by less, relatively, are equal
_NODES = 17  # in each step of the search for a maximum


def barnard_exact(
    table: Any, alternative: str = "two-sided", pooled: bool = True, n: int = 32
) -> Significance:
    """Test whether two proportions are equal, exactly, by Barnard's test with Wald's statistic.

    Parameters
    ----------
    table : array of counts, shape (2, 2)
        Each column is a sample; the first row holds the successes.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the first proportion differs from, is less or greater than the second.
    pooled : bool, optional
        Whether the statistic's variance is that of a common proportion.
    n : int, optional
        Has no effect: the search has its own number of points.

    Returns
    -------
    Significance
        ``statistic`` and ``pvalue``; NaN and 1 if a column is empty.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        If a value is negative or no whole number, an option or the shape is another, or the table
        is traced.

    Notes
    -----
    Barnard (1947). The p-value is the largest over the common proportion. It is found on a grid
    that is finer than a binomial distribution is wide, then around each high point, to 1e-12.
    O(c1 c2 sqrt(c1 + c2)) for columns of c1 and c2. The table is read.

    Differs from SciPy: all maxima are searched; statistics that are equal but for rounding count as
    equal, which makes the p-value of the example 0.1% larger; `n` has no effect.

    Examples
    --------
    >>> from likewise.stats import barnard_exact
    >>> found = barnard_exact([[7, 12], [8, 3]], alternative="less")
    >>> round(float(found.statistic), 4), round(float(found.pvalue), 6)
    (-1.8943, 0.034109)
    """
    name = "barnard_exact"
    side = direction(name, alternative)
    like, (a, b, c, d) = _read(name, table, n)
    if not (a + c and b + d):
        return Significance(of_number(like, math.nan), of_number(like, 1.0))
    xp = namespace("numpy")
    first, second = xp.arange(a + c + 1.0)[:, None], xp.arange(b + d + 1.0)
    p1, p2 = first / (a + c), second / (b + d)
    if pooled:
        p = (first + second) / (a + b + c + d)
        variance = p * (1 - p) * (1 / (a + c) + 1 / (b + d))
    else:
        variance = p1 * (1 - p1) / (a + c) + p2 * (1 - p2) / (b + d)
    with quiet(p1):
        wald = (p1 - p2) / xp.sqrt(variance)
    wald = xp.where(first * (b + d) == second * (a + c), 0.0, wald)
    own = float(wald[a, b])
    slack = _ROUNDING * abs(own) if math.isfinite(own) else 0.0
    if side:
        extreme = wald <= own + slack if side < 0 else wald >= own - slack
    else:
        extreme = xp.abs(wald) >= abs(own) - slack
    return Significance(of_number(like, own), of_number(like, _largest(extreme)))


def boschloo_exact(table: Any, alternative: str = "two-sided", n: int = 32) -> Significance:
    """Test whether two proportions are equal, exactly, by Boschloo's test.

    Parameters
    ----------
    table :
        As for `barnard_exact`.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the first proportion differs from, is less or greater than the second; for
        'two-sided' the p-value is twice the smaller one.
    n :
        As for `barnard_exact`.

    Returns
    -------
    Significance
        ``statistic``, the p-value of Fisher's test, and ``pvalue``; NaN if a column is empty.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `barnard_exact`.

    Notes
    -----
    Boschloo (1970): Fisher's p-values, which are sums of whole numbers here, order the tables;
    then as in `barnard_exact`. The table is read.

    Differs from SciPy: all maxima are searched; `n` has no effect.

    Examples
    --------
    >>> from likewise.stats import boschloo_exact
    >>> found = boschloo_exact([[74, 31], [43, 32]], alternative="greater")
    >>> round(float(found.statistic), 5), round(float(found.pvalue), 5)
    (0.04831, 0.03556)
    """
    name = "boschloo_exact"
    side = direction(name, alternative)
    like, (a, b, c, d) = _read(name, table, n)
    if not (a + c and b + d):
        return Significance(of_number(like, math.nan), of_number(like, math.nan))
    tables = _fisher(a + c, b + d)
    xp, found = namespace("numpy"), []
    for values in tables if not side else (tables[side > 0],):
        own = values[a][b]
        extreme = xp.asarray(values) <= own * (1 + _ROUNDING)
        found.append((_largest(extreme), own))
    pvalue, statistic = found[0] if len(found) == 1 or found[0][0] < found[1][0] else found[1]
    pvalue = pvalue if side else min(2 * pvalue, 1.0)
    return Significance(of_number(like, statistic), of_number(like, pvalue))


def _read(function: str, table: Any, n: Any) -> tuple[Any, list[int]]:
    if not n > 0:
        raise ArgumentError(
            f"{function}: Number of points `n` must be strictly positive, found {n!r}"
        )
    like, cells = one_table(function, table, read=True)
    if tuple(like.shape) != (2, 2):
        raise ShapeError(
            f"{function}: The input `table` must be of shape (2, 2), got {tuple(like.shape)}"
        )
    if not cells:
        raise NotSupported(
            f"{function}: table is read, and must have values: call it outside of jit and vmap"
        )
    return like, cells


def _fisher(m: int, n: int) -> tuple[list[list[float]], list[list[float]]]:
    """Return the one-sided p-values of all tables with columns of m and n counts."""
    less, more = ([[0.0] * (n + 1) for _ in range(m + 1)] for _ in range(2))
    mine, others = ([math.comb(k, i) for i in range(k + 1)] for k in (m, n))
    for s in range(m + n + 1):
        xs = range(max(0, s - n), min(m, s) + 1)
        total = math.comb(m + n, s)
        below = 0
        for x in xs:
            ways = mine[x] * others[s - x]
            more[x][s - x] = (total - below) / total
            below += ways
            less[x][s - x] = below / total
    return less, more


def _largest(extreme: Any) -> float:
    """Return the largest probability of a set of tables, bool, shape (m + 1, n + 1)."""
    xp = namespace("numpy")
    m, n = (k - 1 for k in extreme.shape)
    extreme = xp.astype(extreme, xp.float64)
    parts = []
    for k in (m, n):
        x = xp.arange(k + 1.0)
        parts.append((k, x, gammaln(x + 1) + gammaln(k - x + 1) - math.lgamma(k + 1)))

    def probability(angle: Any) -> Any:
        """Return it for proportions sin(angle)^2, 0 < angle < pi / 2, shape (...)."""
        p, q = 2 * xp.log(xp.sin(angle[..., None])), 2 * xp.log(xp.cos(angle[..., None]))
        one, two = (xp.exp(x * p + (k - x) * q - ways) for k, x, ways in parts)
        return xp.sum((one @ extreme) * two, axis=-1)

    step = 0.1 / math.sqrt(m + n)  # a binomial distribution has the width 0.5 / sqrt(m + n)
    count = math.ceil(math.pi / 2 / step)
    ends = max(float(extreme[0, 0]), float(extreme[-1, -1]))  # the proportions 0 and 1
    step = math.pi / 2 / count
    angle = (xp.arange(float(count)) + 0.5) * step
    found = probability(angle)
    best = float(xp.max(found))
    padded = xp.concat([xp.zeros(1), found, xp.zeros(1)])
    peak = (found >= padded[:-2]) & (found >= padded[2:]) & (found >= 0.98 * best)
    angle = angle[peak]
    spread = (xp.arange(float(_NODES)) / (_NODES - 1) * 2 - 1)[None, :]
    while step > 1e-7:
        near = xp.clip(angle[:, None] + step * spread, 1e-9, math.pi / 2 - 1e-9)
        values = probability(near)
        best = max(best, float(xp.max(values)))
        at = xp.argmax(values, axis=-1)[:, None]
        angle = xp.take_along_axis(near, at, axis=-1)[:, 0]
        step = step * 2 / (_NODES - 1)
    return min(max(best, ends), 1.0)
