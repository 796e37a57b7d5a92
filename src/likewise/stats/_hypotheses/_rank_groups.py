"""Tests of several samples by ranks."""

import itertools
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from ...special import chdtrc, ndtri
from .._base._pvalues import Significance
from .._base._ranks import alike, ranked, tied
from .._base._samples import Rows, enough, filled, nothing, samples

__all__ = ["fligner", "friedmanchisquare", "kruskal"]


def kruskal(
    *samples: A,
    nan_policy: str = "propagate",
    axis: int | tuple[int, ...] | None = 0,
    keepdims: bool = False,
) -> Significance:
    """Test whether samples have one distribution: the H test of Kruskal and Wallis.

    Parameters
    ----------
    *samples : array
        At least two samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    Significance
        With `statistic`, corrected for ties, and `pvalue` of its asymptotic chi-squared
        distribution; NaN, with a warning, of empty samples, and NaN if all observations are equal.

    Raises
    ------
    ArgumentError
        If an option has another value, or there are fewer than 2 samples.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Kruskal and Wallis, J. Am. Stat. Assoc. 47, 1952. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kruskal
    >>> h, p = kruskal(np.asarray([1.0, 3.0, 5.0]), np.asarray([2.0, 4.0, 6.0, 8.0]))
    >>> float(h.round(6)), float(p.round(6))
    (1.125, 0.288844)
    """
    rows, back = _groups("kruskal", samples, 2, axis, nan_policy, keepdims)
    if enough("kruskal", *rows) is False:
        nan = back(nothing(rows[0]))
        return Significance(nan, nan)
    omit = any(r.there is not None for r in rows)
    xp = array_namespace(rows[0].x)
    h, p = _of_ranks(xp.concat([filled(r, xp.nan) for r in rows], axis=-1), _ends(rows), omit)
    return Significance(back(h[..., 0]), back(p[..., 0]))


def _groups(
    function: str,
    groups: tuple[Any, ...],
    least: int,
    axis: Any,
    nan_policy: str,
    keepdims: bool,
    paired: bool = False,
) -> tuple[list[Rows], Any]:
    if len(groups) < least:
        raise ArgumentError(
            f"{function}: at least {('two', 'three')[least - 2]} samples are needed, got "
            f"{len(groups)}"
        )
    named = {f"samples[{i}]": x for i, x in enumerate(groups)}
    return samples(function, axis, nan_policy, keepdims, paired, **named)


def _ends(rows: list[Rows]) -> tuple[int, ...]:
    """Return the place of each sample's first element among all, and the number of all."""
    return tuple(itertools.accumulate((r.x.shape[-1] for r in rows), initial=0))


def _in_rows(x: Any, *options: Any) -> Lines:
    return batches({0: (x, 1)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_in_rows)
def _of_ranks(x: Any, ends: tuple[int, ...], omit: bool) -> tuple[Any, Any]:
    xp = array_namespace(x)
    ranks, sizes = ranked(x)
    there, counts, n, undefined = _counted(x, ends, omit)
    with quiet(x):
        off = ranks - (n + 1) / 2
        sums = _sums(off if there is None else xp.where(there, off, 0.0), ends)
        h = sum(s * s / k for s, k in zip(sums, counts, strict=True))
        h = h * (12 / (n * (n + 1.0))) / (1 - tied(sizes) / (n * (n * n - 1.0)))
        return _by_chi_squared(h, len(counts) - 1, undefined)


def _counted(x: Any, ends: tuple[int, ...], omit: bool) -> tuple[Any, list[Any], Any, Any]:
    """Tell which observations count, sizes, their sum, and where there is no result."""
    xp = array_namespace(x)
    nan = xp.isnan(x)
    if not omit:
        undefined = xp.any(nan, axis=-1, keepdims=True)
        return None, [b - a for a, b in itertools.pairwise(ends)], ends[-1], undefined
    counts = _sums(xp.astype(~nan, x.dtype), ends)
    undefined = counts[0] < 1
    for k in counts[1:]:
        undefined = undefined | (k < 1)
    return ~nan, counts, sum(counts), undefined


def _sums(values: Any, ends: tuple[int, ...]) -> list[Any]:
    """Sums over samples, shape (..., 1)."""
    xp = array_namespace(values)
    return [xp.sum(values[..., a:b], axis=-1, keepdims=True) for a, b in itertools.pairwise(ends)]


def _by_chi_squared(statistic: Any, df: int, undefined: Any) -> tuple[Any, Any]:
    xp = array_namespace(statistic)
    statistic = xp.where(undefined, xp.full_like(statistic, xp.nan), statistic)
    return statistic, chdtrc(float(df), statistic)


def friedmanchisquare(
    *samples: A,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether repeated samples have one distribution: Friedman's test.

    Parameters
    ----------
    *samples : array
        At least three samples of the same individuals, real; their shapes broadcast.
    axis, nan_policy, keepdims : optional
        As for `kruskal`. An individual with a NaN is left out.

    Returns
    -------
    Significance
        With `statistic`, corrected for ties, and `pvalue` of its asymptotic chi-squared
        distribution; NaN, with a warning, of empty samples.

    Raises
    ------
    ArgumentError
        If an option has another value, or there are fewer than 3 samples.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Friedman, J. Am. Stat. Assoc. 32, 1937. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import friedmanchisquare
    >>> x = np.asarray([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> s, p = friedmanchisquare(x[:, 0], x[:, 1], x[:, 2])
    >>> float(s), float(p.round(6))
    (3.5, 0.173774)
    """
    name = "friedmanchisquare"
    rows, back = _groups(name, samples, 3, axis, nan_policy, keepdims, paired=True)
    if enough(name, rows[0]) is False:
        nan = back(nothing(rows[0]))
        return Significance(nan, nan)
    xp, omit = array_namespace(rows[0].x), rows[0].there is not None
    s, p = _of_blocks(xp.stack([filled(r, xp.nan) for r in rows], axis=-1), omit)
    return Significance(back(s[..., 0]), back(p[..., 0]))


def _in_tables(x: Any, *options: Any) -> Lines:
    return batches({0: (x, 2)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_in_tables)
def _of_blocks(x: Any, omit: bool) -> tuple[Any, Any]:
    """Samples of shape (..., individuals, samples)."""
    xp, (n, k) = array_namespace(x), x.shape[-2:]
    ranks, sizes = ranked(x)
    nan = xp.any(xp.isnan(x), axis=-1, keepdims=True)
    off, count, undefined = ranks - (k + 1) / 2, n, xp.any(nan, axis=-2)
    cubes = tied(sizes)
    if omit:
        off, cubes = xp.where(nan, 0.0, off), xp.where(nan, 0.0, cubes)
        count = xp.sum(xp.astype(~nan, x.dtype), axis=-2)
        undefined = count < 1
    with quiet(x):
        sums = xp.sum(off, axis=-2)
        square = xp.sum(sums * sums, axis=-1, keepdims=True)
        ties = 1 - xp.sum(cubes, axis=-2) / (k * (k * k - 1.0) * count)
        return _by_chi_squared(12 / (k * (k + 1.0) * count) * square / ties, k - 1, undefined)


def fligner(
    *samples: A,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether samples have one variance: the test of Fligner and Killeen.

    Parameters
    ----------
    *samples : array
        At least two samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    center : {'median', 'mean', 'trimmed'}, optional
        From where distances are ranked.
    proportiontocut : float, optional
        The share of observations that 'trimmed' leaves out at each end before it takes the mean.
    axis, nan_policy, keepdims : optional
        As for `kruskal`.

    Returns
    -------
    Significance
        With `statistic` and `pvalue` of its asymptotic chi-squared distribution; NaN, with a
        warning, of empty samples.

    Raises
    ------
    ArgumentError
        If an option has another value, or there are fewer than 2 samples.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Conover, Johnson and Johnson, Technometrics 23, 1981, equation 2.1. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import fligner
    >>> s, p = fligner(np.asarray([1.0, 2.0, 3.0, 5.0]), np.asarray([1.0, 4.0, 8.0, 19.0]))
    >>> float(s.round(6)), float(p.round(6))
    (2.869141, 0.090293)
    """
    _plan.choice("fligner", "center", center, ("median", "mean", "trimmed"))
    if not 0 <= proportiontocut < 0.5 and center == "trimmed":
        raise ArgumentError(
            f"fligner: proportiontocut must be in [0, 0.5), got {proportiontocut!r}"
        )
    rows, back = _groups("fligner", samples, 2, axis, nan_policy, keepdims)
    if enough("fligner", *rows) is False:
        nan = back(nothing(rows[0]))
        return Significance(nan, nan)
    omit = any(r.there is not None for r in rows)
    xp = array_namespace(rows[0].x)
    x = xp.concat([filled(r, xp.nan) for r in rows], axis=-1)
    s, p = _of_distances(x, _ends(rows), omit, center, float(proportiontocut))
    return Significance(back(s[..., 0]), back(p[..., 0]))


@native(blocks=_in_rows)
def _of_distances(
    x: Any, ends: tuple[int, ...], omit: bool, center: str, cut: float
) -> tuple[Any, Any]:
    xp = array_namespace(x)
    there, counts, n, undefined = _counted(x, ends, omit)
    with quiet(x):
        parts = [x[..., a:b] for a, b in itertools.pairwise(ends)]
        distance = xp.concat(
            [xp.abs(v - _center(v, k, center, cut)) for v, k in zip(parts, counts, strict=True)],
            axis=-1,
        )
        score = ndtri(ranked(distance)[0] / (2 * (n + 1.0)) + 0.5)
        undefined = undefined | alike(score, there)
        if there is not None:
            score = xp.where(there, score, 0.0)
        mean = xp.sum(score, axis=-1, keepdims=True) / n
        off = score - mean
        if there is not None:
            off = xp.where(there, off, 0.0)
        variance = xp.sum(off * off, axis=-1, keepdims=True) / (n - 1.0)
        sums = _sums(off, ends)
        statistic = sum(s * s / k for s, k in zip(sums, counts, strict=True)) / variance
        return _by_chi_squared(statistic, len(counts) - 1, undefined)


def _center(x: Any, n: Any, center: str, cut: float) -> Any:
    """The median or the mean of a sample without what is cut from each end."""
    xp, most = array_namespace(x), x.shape[-1]
    if center == "mean" and isinstance(n, int):
        found = xp.sum(x, axis=-1, keepdims=True) / n
        ends = xp.min(x, axis=-1, keepdims=True), xp.max(x, axis=-1, keepdims=True)
        return xp.clip(found, *ends)  # exact of a constant
    x = xp.sort(x, axis=-1, stable=False)
    count = xp.zeros_like(x[..., :1]) + n
    low = xp.floor((count - 1) / 2) if center == "median" else xp.zeros_like(count)
    if center == "trimmed":
        low = xp.floor(cut * count)
    place = xp.arange(most, dtype=x.dtype, device=device(x))
    inside = (place >= low) & (place <= count - 1 - low)
    total = xp.sum(xp.where(inside, x, 0.0), axis=-1, keepdims=True)
    found, first = total / (count - 2 * low), x[..., :1]
    last = xp.max(xp.where(inside, x, first), axis=-1, keepdims=True)
    return xp.clip(found, first, last)
