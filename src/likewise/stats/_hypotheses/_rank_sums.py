"""Tests of two samples by sums of ranks."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from .._base._exact import digits, null
from .._base._pvalues import Significance, by_normal, by_student, direction
from .._base._ranks import ranked, tied
from .._base._samples import enough, filled, limited, nothing, samples
from .._base._warnings import tell_degenerate
from .._resampling._methods import PermutationMethod, by_resampling, check_method

__all__ = ["brunnermunzel", "defined", "mannwhitneyu", "pooled", "ranksums"]

_FEW = 8  # 'auto' is exact if one sample has no more observations, and there are no ties


def mannwhitneyu(
    x: A,
    y: A,
    use_continuity: bool = True,
    alternative: str = "two-sided",
    axis: int | tuple[int, ...] | None = 0,
    method: str | PermutationMethod = "auto",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether two samples have one distribution: the U test of Mann and Whitney.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    use_continuity : bool, optional
        Whether the asymptotic p-value is corrected by 1/2.
    alternative : {'two-sided', 'less', 'greater'}, optional
        How `x` is shifted against `y` under the alternative.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    method : {'auto', 'exact', 'asymptotic'} or PermutationMethod, optional
        The p-value: 'exact', which knows no ties, from counts; 'auto' takes it where a sample has
        up to 8 observations and there are no ties; a `PermutationMethod` permutes, also ties.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    Significance
        With `statistic`, which is U of `x`, and `pvalue`; NaN, with a warning, of empty samples.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Mann and Whitney, Ann. Math. Stat. 18, 1947. One sort; counts are kept for sizes. Not
    differentiable.

    Differs from SciPy: each sample of a batch has its own 'auto'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import mannwhitneyu
    >>> u, p = mannwhitneyu(np.asarray([1.0, 2.0, 4.0]), np.asarray([3.0, 5.0, 6.0]))
    >>> float(u), float(p.round(6))
    (1.0, 0.2)
    """
    alternative = alternative.lower() if isinstance(alternative, str) else alternative
    method = method.lower() if isinstance(method, str) else method
    side = direction("mannwhitneyu", alternative)
    words = ("auto", "exact", "asymptotic")
    resampled = check_method("mannwhitneyu", method, PermutationMethod, words=words)
    if use_continuity not in (True, False):
        raise ArgumentError(
            f"mannwhitneyu: use_continuity must be True or False, got {use_continuity!r}"
        )
    (a, b), back = samples("mannwhitneyu", axis, nan_policy, keepdims, x=x, y=y)
    if enough("mannwhitneyu", a, b) is False:
        nan = back(nothing(a))
        return Significance(nan, nan)
    xp, omit = array_namespace(a.x), not a.there is b.there is None
    way = "asymptotic" if resampled else str(method)
    u, p = _u_test(filled(a, xp.nan), filled(b, xp.nan), omit, bool(use_continuity), side, way)
    if resampled:

        def statistic(x: Any, y: Any, axis: int) -> Any:
            return _u_test(x, y, False, True, 1, "asymptotic")[0][..., 0]

        p = by_resampling("mannwhitneyu", method, (a, b), statistic, alternative)[..., None]
    return Significance(back(u[..., 0]), back(p[..., 0]))


def pooled(x: Any, y: Any, omit: bool) -> tuple[Any, ...]:
    """Rank both samples together, NaNs left out if `omit`.

    Returns
    -------
    ranks, sizes : array
        Of `ranked`, shape (..., m + n).
    within : array
        The ranks of `x`; 0 for those left out.
    m, n : int or array
        The sizes of the samples; arrays of shape (..., 1) if `omit`.
    undefined : array or None
        Whether there are NaNs that aren't left out, or nothing is left, shape (..., 1); None if it
        can be read that there are none.
    """
    xp = array_namespace(x)
    both = xp.concat((x, y), axis=-1)
    ranks, sizes = ranked(both)
    m: Any = x.shape[-1]
    n: Any = y.shape[-1]
    within, nan = ranks[..., :m], xp.isnan(both)
    if omit:
        there = xp.astype(~nan, x.dtype)
        within = within * there[..., :m]
        m, n = (xp.sum(v, axis=-1, keepdims=True) for v in (there[..., :m], there[..., m:]))
        return ranks, sizes, within, m, n, (m < 1) | (n < 1)
    undefined = xp.any(nan, axis=-1, keepdims=True)
    if is_concrete(x) and not bool(xp.any(undefined)):
        undefined = None
    return ranks, sizes, within, m, n, undefined


def defined(undefined: Any, *values: Any) -> tuple[Any, ...]:
    """Return the values, NaN where they are undefined."""
    if undefined is None:
        return values
    xp = array_namespace(undefined)
    return tuple(xp.where(undefined, xp.full_like(v, xp.nan), v) for v in values)


def _two(x: Any, y: Any, *options: Any) -> Lines:
    return batches({0: (x, 1), 1: (y, 1)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_two)
def _u_test(
    x: Any, y: Any, omit: bool, continuity: bool, side: int, method: str
) -> tuple[Any, Any]:
    xp, most = array_namespace(x), (x.shape[-1], y.shape[-1])
    _, sizes, within, m, n, undefined = pooled(x, y, omit)
    u = xp.sum(within, axis=-1, keepdims=True) - m * (m + 1) / 2
    other = m * n - u
    # The larger is the statistic of the test; by symmetry its upper tail is all that is needed.
    k = xp.maximum(u, other) if side == 0 else u if side > 0 else other
    p: Any = None
    chosen: Any = None
    with quiet(x):
        if method != "exact":
            every, ties = m + n, tied(sizes)
            scale = xp.sqrt(m * n / 12 * (every + 1 - ties / (every * (every - 1.0))))
            p = by_normal((k - m * n / 2 - (0.5 if continuity else 0.0)) / scale, 1)
            chosen = ties == 0
            if omit:
                chosen = chosen & (xp.minimum(m, n) <= _FEW)
        maybe = method == "exact" or (method == "auto" and (omit or min(most) <= _FEW))
        if maybe and (chosen is None or not is_concrete(x) or bool(xp.any(chosen))):
            counts = _ways_of_few if method == "auto" else _ways
            exact = null(counts, (m, n), most).at_least(xp.floor(k))
            p = exact if chosen is None else xp.where(chosen, exact, p)
        p = limited(p if side else 2 * p, None, 1.0)
    return defined(undefined, u, p)


def _ways(m: int, n: int) -> tuple[int, ...]:
    """Return how many orders of `m` and `n` observations have U = 0, 1, 2..."""
    m, n = min(m, n), max(m, n)
    bits = 8 * ((m + n) // 8 + 1)  # of each coefficient; polynomials are packed into integers
    counts = [1] * (m + 1)
    for j in range(1, n + 1):  # the largest is of the second sample, or before j of them
        for k in range(1, m + 1):
            counts[k] += counts[k - 1] << j * bits
    return digits(counts[m], bits)


def _ways_of_few(m: int, n: int) -> tuple[int, ...]:
    return _ways(m, n) if min(m, n) <= _FEW else (1,)


def ranksums(
    x: A,
    y: A,
    alternative: str = "two-sided",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether two samples have one distribution: Wilcoxon's test of rank sums.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    alternative, axis, nan_policy, keepdims : optional
        As for `mannwhitneyu`.

    Returns
    -------
    Significance
        With `statistic`, asymptotically normal, and `pvalue`; NaN, with a warning, of empty
        samples.

    Raises
    ------
    ArgumentError, ShapeError
        As for `mannwhitneyu`.

    Notes
    -----
    Wilcoxon, Biometrics Bulletin 1, 1945; without corrections for ties and continuity, as in SciPy.
    Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ranksums
    >>> z, p = ranksums(np.asarray([1.0, 2.0, 4.0]), np.asarray([3.0, 5.0, 6.0]))
    >>> float(z.round(6)), float(p.round(6))
    (-1.527525, 0.12663)
    """
    side = direction("ranksums", alternative)
    (a, b), back = samples("ranksums", axis, nan_policy, keepdims, x=x, y=y)
    if enough("ranksums", a, b) is False:
        nan = back(nothing(a))
        return Significance(nan, nan)
    xp, omit = array_namespace(a.x), not a.there is b.there is None
    _, _, within, m, n, undefined = pooled(filled(a, xp.nan), filled(b, xp.nan), omit)
    with quiet(a.x):
        every = m + n
        sums = xp.sum(within, axis=-1, keepdims=True)
        z = (sums - m * (every + 1) / 2) / (m * n * (every + 1) / 12) ** 0.5
        z, p = defined(undefined, z, by_normal(z, side))
    return Significance(back(z[..., 0]), back(p[..., 0]))


def brunnermunzel(
    x: A,
    y: A,
    alternative: str = "two-sided",
    distribution: str = "t",
    nan_policy: str = "propagate",
    *,
    axis: int | tuple[int, ...] | None = 0,
    keepdims: bool = False,
) -> Significance:
    """Test whether observations of two samples are equally likely to be the larger ones.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    alternative : {'two-sided', 'less', 'greater'}, optional
        How `x` is shifted against `y` under the alternative.
    distribution : {'t', 'normal'}, optional
        The distribution of the statistic.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    Significance
        With `statistic` and `pvalue`; NaN, with a warning, of empty samples.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Brunner and Munzel, Biometrical Journal 42, 2000. Variances may differ. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import brunnermunzel
    >>> w, p = brunnermunzel(np.asarray([1.0, 2.0, 4.0, 1.0]), np.asarray([3.0, 5.0, 6.0, 3.0]))
    >>> float(w.round(6)), float(p.round(6))
    (2.598076, 0.050299)
    """
    side = direction("brunnermunzel", alternative)
    _plan.choice("brunnermunzel", "distribution", distribution, ("t", "normal"))
    (a, b), back = samples("brunnermunzel", axis, nan_policy, keepdims, x=x, y=y)
    if enough("brunnermunzel", a, b) is False:
        nan = back(nothing(a))
        return Significance(nan, nan)
    xp, omit = array_namespace(a.x), not a.there is b.there is None
    w, p = _of_places(filled(a, xp.nan), filled(b, xp.nan), omit, side, distribution == "t")
    return Significance(back(w[..., 0]), back(p[..., 0]))


@native(blocks=_two)
def _of_places(x: Any, y: Any, omit: bool, side: int, student: bool) -> tuple[Any, Any]:
    xp, size = array_namespace(x), x.shape[-1]
    ranks, _, _, m, n, undefined = pooled(x, y, omit)

    def spread(own: Any, ranks: Any, count: Any) -> tuple[Any, Any]:
        """The mean rank among all, and the variance of ranks among all less those within."""
        beyond = ranks - ranked(own)[0]
        there = ~xp.isnan(own)
        if omit:
            ranks, beyond = (xp.where(there, v, 0.0) for v in (ranks, beyond))
        mean, off = (xp.sum(v, axis=-1, keepdims=True) / count for v in (ranks, beyond))
        off = beyond - off
        if omit:
            off = xp.where(there, off, 0.0)
        return mean, xp.sum(off * off, axis=-1, keepdims=True) / (count - 1.0)

    with quiet(x):
        xmean, xvar = spread(x, ranks[..., :size], m)
        ymean, yvar = spread(y, ranks[..., size:], n)
        a, b = m * xvar, n * yvar
        w = m * n * (ymean - xmean) / ((m + n) * xp.sqrt(a + b))
        if student:
            top = (a + b) ** 2
            bottom = sum(v * v / (xp.zeros_like(v) + k - 1) for v, k in ((a, m), (b, n)))
            if is_concrete(x) and bool(xp.any((top == 0) & (bottom == 0))):
                tell_degenerate(
                    "brunnermunzel: p-value cannot be estimated with `distribution='t'` because "
                    "degrees of freedom parameter is undefined (0/0): take distribution='normal'"
                )
            p = by_student(-w, top / bottom, side)
        else:
            p = by_normal(-w, side)
    return defined(undefined, w, p)
