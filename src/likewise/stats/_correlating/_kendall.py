"""Kendall's tau."""

import itertools
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from ...missing._axes import index_dtype
from .._base._exact import null
from .._base._pvalues import both_tails, by_normal, direction
from .._base._ranks import ranked
from .._base._samples import enough, filled, limited, nothing
from ._discordance import pairs_in_order
from ._pairs import SignificanceResult, pairs

__all__ = ["kendalltau"]

_EXACT = 33  # pairs up to which 'auto' is exact
_COUNTED = 170  # up to which permutations are counted; their shares from there


def kendalltau(
    x: A,
    y: A,
    *,
    nan_policy: str = "propagate",
    method: str = "auto",
    variant: str = "b",
    alternative: str = "two-sided",
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> SignificanceResult:
    """Test Kendall's tau: the correlation of the orders of two samples.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out pairs.
    method : {'auto', 'exact', 'asymptotic'}, optional
        The p-value: 'exact' of samples without ties, from counts of permutations; 'auto' takes it
        for up to 33 pairs, or if at most one pair, or all but one, is in order.
    variant : {'b', 'c'}, optional
        How ties are counted.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The sign of tau under the alternative.
    axis : int, tuple of int or None, optional
        The observations' axes; None, the default, takes all.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    SignificanceResult
        With `statistic` and `pvalue`. NaN of a constant sample and, with a warning, of fewer than 2
        observations.

    Raises
    ------
    ArgumentError
        If an option has another value, or 'exact' meets ties. Where values can't be read: a
        p-value of NaN of ties, and an error of 'exact' with more than 170 observations and
        nan_policy='omit'.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Pairs are counted by bits of ranks in log2(n) steps (on NumPy, each is compared up to n = 128,
    and SciPy's routine takes single rows from there, and all from n = 401).
    'exact' takes O(n^3) for the first sample of a size: 1 s for n = 400.
    Variances with ties: Kendall, Rank Correlation Methods, 1970. Not differentiable.

    Differs from SciPy: each sample of a batch has its own 'auto'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kendalltau
    >>> found = kendalltau(np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([1.0, 3.0, 2.0, 4.0]))
    >>> float(found.statistic.round(6)), float(found.pvalue.round(6))
    (0.666667, 0.333333)
    """
    side = direction("kendalltau", alternative)
    _plan.choice("kendalltau", "method", method, ("auto", "exact", "asymptotic"))
    _plan.choice("kendalltau", "variant", variant, ("b", "c"))
    (a, b), back = pairs("kendalltau", axis, nan_policy, keepdims, x=x, y=y)
    good = enough("kendalltau", a, least=2)
    if good is False:
        nan = back(nothing(a))
        return SignificanceResult(nan, nan)
    xp, omit = array_namespace(a.x), a.there is not None
    tau, p = _tau(filled(a, xp.nan), filled(b, xp.nan), omit, method, variant, side)
    if method == "exact" and is_concrete(p) and bool(xp.any(xp.isnan(p) & ~xp.isnan(tau))):
        raise ArgumentError("kendalltau: Ties found, exact method cannot be used: take 'auto'")
    return SignificanceResult(back(tau[..., 0]), back(p[..., 0]))


def _in_blocks(x: Any, y: Any, *options: Any) -> Lines:
    return batches({0: (x, 1), 1: (y, 1)}, ((1,), x.dtype), ((1,), x.dtype))


def _long(x: Any, y: Any, omit: bool, method: str, variant: str, side: int) -> bool:
    """more than 128 pairs, 400 of several rows, of which none is left out; not 'exact'"""
    n = x.shape[-1]
    plain = x.shape == y.shape and not omit and method != "exact"
    return plain and n > (128 if math.prod(x.shape) == n else 400)


@native(numpy="likewise._libs.numpy._kendall:kendall", when=_long, blocks=_in_blocks)
def _tau(x: Any, y: Any, omit: bool, method: str, variant: str, side: int) -> tuple[Any, Any]:
    xp = array_namespace(x)
    excess, against = pairs_in_order(x, y)
    n: Any = x.shape[-1]
    nan = xp.isnan(x) | xp.isnan(y)
    if omit:
        n = xp.sum(xp.astype(~nan, x.dtype), axis=-1, keepdims=True)
    every = n * (n - 1) / 2
    sizes = ranked(xp.stack((x, y)))[1]
    some = not is_concrete(x) or bool(xp.any(sizes > 1))
    zero = xp.zeros_like(excess)
    xtie = ytie = x0 = y0 = x1 = y1 = zero
    if some:
        (xtie, ytie), (x0, y0), (x1, y1) = ((v[0, ...], v[1, ...]) for v in _ties(sizes))
    with quiet(x):
        if variant == "b":
            tau = excess / xp.sqrt(every - xtie) / xp.sqrt(every - ytie)
        else:
            kinds = 1 / sizes
            kinds = xp.where(nan, xp.zeros_like(kinds), kinds) if omit else kinds
            kinds = xp.min(xp.round(xp.sum(kinds, axis=-1, keepdims=True)), axis=0)
            tau = 2 * excess / (n * n * (kinds - 1) / kinds)
        tau = limited(tau, -1.0, 1.0)
        undefined = (xtie == every) | (ytie == every)
        if not omit:
            undefined = undefined | xp.any(nan, axis=-1, keepdims=True)
        p: Any = None
        if method != "exact":
            m = n * (n - 1.0)
            var = (m * (2 * n + 5) - x1 - y1) / 18 + 2 * xtie * ytie / m
            var = var + x0 * y0 / (xp.zeros_like(x0) + 9 * m * (n - 2))
            p = by_normal(excess / xp.sqrt(var), side)
        if method != "asymptotic":
            ties = xtie + ytie > 0
            p = _exactly(x, n, every, against, ties, undefined, p, side)
        return tuple(xp.where(undefined, xp.full_like(v, xp.nan), v) for v in (tau, p))


def _ties(sizes: Any) -> tuple[Any, ...]:
    """Pairs in ties, and two sums over ties of Kendall's variance."""
    less = sizes - 1
    some = (less / 2, less * (sizes - 2), less * (2 * sizes + 5))
    return tuple(array_namespace(sizes).sum(v, axis=-1, keepdims=True) for v in some)


def _exactly(
    x: Any, n: Any, every: Any, against: Any, ties: Any, undefined: Any, other: Any, side: int
) -> Any:
    """The exact p-values of samples without ties; others, NaN if there are none, elsewhere."""
    xp = array_namespace(x)
    k, short, known = every - against, n <= _EXACT, other is not None
    extreme = (against <= 1) | (k <= 1)
    chosen = ~ties & ~undefined
    if known:
        chosen = chosen & (short | extreme)
    else:
        other = xp.full_like(k, xp.nan)
    if is_concrete(x) and not bool(xp.any(chosen)):
        return other
    most = x.shape[-1]
    limit = _EXACT if known else most
    if limit > _COUNTED and not isinstance(n, int) and not is_concrete(x):
        raise ArgumentError(
            "kendalltau: method 'exact' with nan_policy='omit' takes up to "
            f"{_COUNTED} observations where values can't be read, got {most}"
        )
    size, top = (n, most) if isinstance(n, int) else (limited(n, None, limit), min(most, limit))
    p = other
    if not isinstance(n, int) or n <= limit:
        found = null(_inversions, (size,), (top,))
        p = both_tails(k, side, found.at_most, found.at_least)
    if most > limit:
        where, dtype = device(x), x.dtype
        shares = [1 / math.factorial(min(i, 178)) for i in range(most + 1)]
        count = xp.zeros_like(k) + n
        index = xp.astype(count, index_dtype(xp, x))
        share = xp.asarray(shares, dtype=dtype, device=where)
        one = xp.ones_like(k)
        none_, single = (
            xp.reshape(xp.take(share, xp.reshape(index - i, (-1,)), axis=0), k.shape)
            for i in (0, 1)
        )

        def tail(k: Any) -> Any:
            return xp.where(k == 0, none_, xp.where(k == 1, single, one))

        far = both_tails(k, side, tail, lambda k: tail(every - k))
        p = xp.where(count > limit, far, p)
    return xp.where(chosen, p, other)


def _inversions(n: int) -> list[int] | list[float]:
    """Return how many permutations have 0, 1, 2... pairs out of order, or their shares."""
    if n > _COUNTED:
        return _shares(n)
    counts = [1]
    for j in range(2, n + 1):
        sums = list(itertools.accumulate(counts + [0] * (j - 1)))
        counts = [s - (sums[k - j] if k >= j else 0) for k, s in enumerate(sums)]
    return counts


def _shares(n: int) -> list[float]:
    """Return the shares of permutations with 0, 1, 2... pairs out of order: sums of `j` shares.

    They grow up to the middle, so that the differences of sums lose few digits there; the other
    half mirrors them.
    """
    shares = [1.0]
    for j in range(2, n + 1):
        size = j * (j - 1) // 2 + 1
        half = (size + 1) // 2
        sums = list(itertools.accumulate(shares[:half] + [0.0] * (half - len(shares))))
        shares = [s / j for s in sums[:j]]
        shares += [(s - t) / j for s, t in zip(sums[j:], sums, strict=False)]
        shares += shares[::-1] if size % 2 == 0 else shares[-2::-1]
    return shares
