"""Tests of the scales of two samples by ranks."""

import math
from typing import Any

from ..._namespace import array_namespace, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from .._base._exact import digits, null
from .._base._pvalues import Significance, both_tails, by_normal, direction
from .._base._ranks import alike
from .._base._samples import enough, filled, limited, nothing, samples
from .._base._warnings import tell_small
from ._rank_sums import defined, pooled

__all__ = ["ansari", "mood"]

_EXACT = 54  # observations of each sample up to which the test of Ansari and Bradley is exact


def mood(
    x: A,
    y: A,
    axis: int | tuple[int, ...] | None = 0,
    alternative: str = "two-sided",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether two samples have one scale: Mood's test.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    alternative : {'two-sided', 'less', 'greater'}, optional
        How the scale of `x` differs from that of `y` under the alternative.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    Significance
        With `statistic`, asymptotically normal, and `pvalue`; NaN, with a warning, of fewer than 3
        observations in all.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    With ties: Mielke, Technometrics 9, 1967. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import mood
    >>> z, p = mood(np.asarray([1.0, 9.0, 3.0]), np.asarray([4.0, 5.0, 6.0, 5.5]))
    >>> float(z.round(6)), float(p.round(6))
    (2.041241, 0.041227)
    """
    side = direction("mood", alternative)
    (a, b), back = samples("mood", axis, nan_policy, keepdims, x=x, y=y)
    m, n = a.x.shape[-1], b.x.shape[-1]
    if m + n < 3 or m == 0 or n == 0:
        if math.prod(a.x.shape[:-1]):
            tell_small(f"mood: {m} and {n} observations are too few: the result is NaN")
        nan = back(nothing(a))
        return Significance(nan, nan)
    xp, omit = array_namespace(a.x), not a.there is b.there is None
    if omit:
        enough("mood", a, b)
    z, p = _of_squares(filled(a, xp.nan), filled(b, xp.nan), omit, side)
    return Significance(back(z[..., 0]), back(p[..., 0]))


def _two(x: Any, y: Any, *options: Any) -> Lines:
    return batches({0: (x, 1), 1: (y, 1)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_two)
def _of_squares(x: Any, y: Any, omit: bool, side: int) -> tuple[Any, Any]:
    xp, size = array_namespace(x), x.shape[-1]
    ranks, sizes, _, m, n, undefined = pooled(x, y, omit)
    every = m + n
    with quiet(x):
        square = (ranks - (every + 1) / 2) ** 2
        more = sizes * sizes - 1
        # The mean, over tied places, of their squared distances from the middle.
        score = square + more / 12
        there = ~xp.isnan(xp.concat((x, y), axis=-1)) if omit else None
        same = alike(score, there)
        undefined = same if undefined is None else undefined | same
        score = score[..., :size]
        if omit:
            score = xp.where(xp.isnan(x), 0.0, score)
            undefined = undefined | (every < 3)
        statistic = xp.sum(score, axis=-1, keepdims=True) - m * (every * every - 1) / 12
        ties = more * (more - 3 + 60 * square)
        ties = xp.sum(xp.where(more > 0, ties, 0.0), axis=-1, keepdims=True)
        variance = m * n * (every + 1) * (every * every - 4) / 180
        variance = variance - m * n / (180 * every * (every - 1)) * ties
        z = statistic / xp.sqrt(variance)
        return defined(undefined, z, by_normal(z, side))


def ansari(
    x: A,
    y: A,
    alternative: str = "two-sided",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether two samples have one scale: the test of Ansari and Bradley.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    alternative, axis, nan_policy, keepdims : optional
        As for `mood`.

    Returns
    -------
    Significance
        With `statistic` and `pvalue`, exact if both samples have fewer than 55 observations and
        there are no ties, else asymptotic; NaN, with a warning, of empty samples.

    Raises
    ------
    ArgumentError, ShapeError
        As for `mood`.

    Notes
    -----
    Ansari and Bradley, Ann. Math. Stat. 31, 1960. Not differentiable.

    Differs from SciPy: each sample of a batch is exact or not by its own ties.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ansari
    >>> s, p = ansari(np.asarray([1.0, 9.0, 3.0]), np.asarray([4.0, 5.0, 6.0, 5.5]))
    >>> float(s), float(p.round(6))
    (4.0, 0.114286)
    """
    side = direction("ansari", alternative)
    (a, b), back = samples("ansari", axis, nan_policy, keepdims, x=x, y=y)
    if enough("ansari", a, b) is False:
        nan = back(nothing(a))
        return Significance(nan, nan)
    xp, omit = array_namespace(a.x), not a.there is b.there is None
    s, p = _from_ends(filled(a, xp.nan), filled(b, xp.nan), omit, side)
    return Significance(back(s[..., 0]), back(p[..., 0]))


@native(blocks=_two)
def _from_ends(x: Any, y: Any, omit: bool, side: int) -> tuple[Any, Any]:
    xp, size = array_namespace(x), x.shape[-1]
    ranks, sizes, _, m, n, undefined = pooled(x, y, omit)
    every = m + n
    score = xp.minimum(ranks, every - ranks + 1)
    if omit:
        score = xp.where(xp.isnan(xp.concat((x, y), axis=-1)), 0.0, score)
    statistic = xp.sum(score[..., :size], axis=-1, keepdims=True)
    odd = every % 2
    ties = xp.any(sizes > 1, axis=-1, keepdims=True)
    with quiet(x):
        # By the moments of the scores, in any case with their ties.
        mean = (every + 2) / 4 + odd / (4 * every)
        square = xp.sum(score * score, axis=-1, keepdims=True) / every - mean * mean
        variance = m * n * square / (every - 1.0)
        p = by_normal((m * mean - statistic) / xp.sqrt(variance), side)
        chosen = ~ties & (m <= _EXACT) & (n <= _EXACT)
        if not is_concrete(x) or bool(xp.any(chosen)):
            most = tuple(min(k.shape[-1], _EXACT) for k in (x, y))
            pair = tuple(k if isinstance(k, int) else limited(k, None, _EXACT) for k in (m, n))
            if omit or max(pair) <= _EXACT:
                found = null(_ways, pair, most)
                least = xp.floor((xp.zeros_like(statistic) + m + 1) ** 2 / 4)
                # The statistic is small where the scale of x is large.
                exact = both_tails(
                    statistic - least,
                    -side,
                    lambda k: found.at_most(xp.ceil(k)),
                    lambda k: found.at_least(xp.floor(k)),
                )
                p = xp.where(chosen, exact, p)
    return defined(undefined, statistic, p)


def _ways(m: int, n: int) -> tuple[int, ...]:
    """Return how many choices of `m` of m + n places have the least sum of scores, one more..."""
    every = m + n
    bits = 8 * (every // 8 + 1)  # of each count; polynomials are packed into integers
    counts = [1] + [0] * m
    for place in range(1, every + 1):
        score = min(place, every - place + 1)
        for k in range(min(m, place), 0, -1):
            counts[k] += counts[k - 1] << score * bits
    return digits(counts[m] >> (m + 1) ** 2 // 4 * bits, bits)
