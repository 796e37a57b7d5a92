"""Wilcoxon's test of signed ranks."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from ...missing._axes import index_dtype
from ...solving._result import result
from .._base._exact import digits, null
from .._base._outcomes import Unpacked
from .._base._pvalues import both_tails, by_normal, direction
from .._base._ranks import ranked, tied
from .._base._samples import Rows, enough, filled, limited, nothing, samples
from .._resampling._methods import PermutationMethod, by_resampling, check_method

__all__ = ["WilcoxonResult", "wilcoxon"]

_EXACT = 50  # observations up to which 'auto' is exact, without ties and zeros
_SIGNS = 13  # up to which 'auto' takes the distribution over all signs, with them


@result
class WilcoxonResult(Unpacked):
    """Hold the result of Wilcoxon's test: unpacked, the statistic and its p-value.

    Attributes
    ----------
    statistic, pvalue : array
        The sum of ranks, and the probability of one as extreme under the null hypothesis.
    zstatistic : array or None
        The normal statistic, if the method is 'asymptotic'.
    """

    statistic: Any
    pvalue: Any
    zstatistic: Any = None


def wilcoxon(
    x: A,
    y: A | None = None,
    zero_method: str = "wilcox",
    correction: bool = False,
    alternative: str = "two-sided",
    method: str | PermutationMethod = "auto",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> WilcoxonResult:
    """Test whether differences are symmetric about zero: Wilcoxon's test of signed ranks.

    Parameters
    ----------
    x : array
        Differences, or the first sample, real; all dimensions but those of `axis` broadcast, and
        are a batch.
    y : array, optional
        The second sample.
    zero_method : {'wilcox', 'pratt', 'zsplit'}, optional
        Differences of zero are left out, have ranks that aren't summed, or ranks that are split.
    correction : bool, optional
        Whether the asymptotic p-value is corrected by 1/2.
    alternative : {'two-sided', 'less', 'greater'}, optional
        How the differences are shifted under the alternative.
    method : {'auto', 'exact', 'asymptotic'} or PermutationMethod, optional
        The p-value. 'exact' knows no ties. 'auto' takes it for up to 50 differences without ties
        and zeros; for up to 13 with them, the distribution over all signs; else 'asymptotic', which
        also gives `zstatistic`. A `PermutationMethod` changes signs.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out pairs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    WilcoxonResult
        With `statistic`: the sum of the ranks of positive differences, or of the smaller of both
        signs if 'two-sided'; `pvalue`; `zstatistic`. NaN, with a warning, of nothing.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Wilcoxon, Biometrics Bulletin 1, 1945; Pratt, J. Am. Stat. Assoc. 54, 1959; variances with
    zeros: Cureton, 1967. Not differentiable.

    Differs from SciPy: each sample of a batch has its own 'auto'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import wilcoxon
    >>> r, p = wilcoxon(np.asarray([6.0, 8.0, 14.0, 16.0, -2.0, 24.0]))
    >>> float(r), float(p)
    (1.0, 0.0625)
    """
    alternative = str(alternative).lower()
    side = direction("wilcoxon", alternative)
    zero_method = str(zero_method).lower()
    _plan.choice("wilcoxon", "zero_method", zero_method, ("wilcox", "pratt", "zsplit"))
    method = "asymptotic" if method == "approx" else method
    words = ("auto", "exact", "asymptotic")
    resampled = check_method("wilcoxon", method, PermutationMethod, words=words)
    if correction not in (True, False):
        raise ArgumentError(f"wilcoxon: correction must be True or False, got {correction!r}")
    given = {"x": x} if y is None else {"x": x, "y": y}
    rows, back = samples("wilcoxon", axis, nan_policy, keepdims, paired=True, **given)
    if enough("wilcoxon", rows[0]) is False:
        nan = back(nothing(rows[0]))
        return WilcoxonResult(nan, nan, nan if method == "asymptotic" else None)
    xp, omit = array_namespace(rows[0].x), rows[0].there is not None
    d = filled(rows[0], xp.nan)
    gone: Any = xp.isnan(d)
    if y is not None:
        with quiet(d):
            d = d - filled(rows[1], xp.nan)
            gone = gone | xp.isnan(filled(rows[1], xp.nan))
    way = "asymptotic" if resampled else str(method)
    found = _of_signs(d, gone, omit, zero_method, bool(correction), side, way)
    if resampled:

        def positive(d: Any, axis: int) -> Any:
            return _of_signs(d, xp.isnan(d), False, zero_method, False, 1, "asymptotic")[0][..., 0]

        held = Rows(d, rows[0].there)
        p = by_resampling("wilcoxon", method, (held,), positive, alternative, "samples")
        found = (found[0], p[..., None], found[2])
    statistic, p, z = (back(v[..., 0]) for v in found)
    return WilcoxonResult(statistic, p, z if method == "asymptotic" else None)


def _in_blocks(d: Any, gone: Any, *options: Any) -> Lines:
    return batches({0: (d, 1), 1: (gone, 1)}, *[((1,), d.dtype)] * 3)


@native(blocks=_in_blocks)
def _of_signs(
    d: Any,
    gone: Any,
    omit: bool,
    zero_method: str,
    correction: bool,
    side: int,
    method: str,
) -> tuple[Any, Any, Any]:
    xp, most = array_namespace(d), d.shape[-1]

    def total(values: Any) -> Any:
        return xp.sum(values, axis=-1, keepdims=True)

    zero = d == 0
    zeros = total(xp.astype(zero, d.dtype))
    held = xp.where(zero, xp.full_like(d, xp.nan), d) if zero_method == "wilcox" else d
    nan = xp.isnan(held)
    n = most - total(xp.astype(nan, d.dtype))
    ranks, sizes = ranked(xp.abs(held))
    plus = total(xp.where(d > 0, ranks, 0.0))
    minus = total(xp.where(d < 0, ranks, 0.0))
    half: Any = 0.0
    if zero_method == "zsplit":
        half = total(xp.where(zero, ranks, 0.0)) / 2
        plus, minus = plus + half, minus + half
    ties = xp.any(sizes > 1, axis=-1, keepdims=True) | (zeros > 0)
    p, z = None, xp.full_like(plus, xp.nan)
    with quiet(d):
        if method != "exact":
            z, p = _asymptotically(plus, n, zeros, sizes, zero_method, correction, side)
        if method == "exact" or (method == "auto" and (omit or most <= _EXACT)):
            chosen = None
            if method == "auto":
                size = most - total(xp.astype(gone, d.dtype)) if omit else most
                chosen = ~ties & (size <= _EXACT)
            if chosen is None or not is_concrete(d) or bool(xp.any(chosen)):
                limit = most if chosen is None else min(most, _EXACT)
                exact = _exactly(plus, n, limit, side)
                p = exact if chosen is None else xp.where(chosen, exact, p)
            if chosen is not None and (omit or most <= _SIGNS):
                chosen = ties & (size <= _SIGNS)
                if not is_concrete(d) or bool(xp.any(chosen)):
                    summed = xp.where(nan | zero, 0.0, ranks)
                    p = xp.where(chosen, _over_signs(summed, plus - half, side), p)
        statistic = xp.minimum(plus, minus) if side == 0 else plus
        if side == 0:
            z = -xp.abs(z)
        undefined = xp.any(gone, axis=-1, keepdims=True)
        if omit:
            undefined = xp.all(gone, axis=-1, keepdims=True)
        if not is_concrete(d) or bool(xp.any(undefined)):
            return tuple(xp.where(undefined, xp.nan, v) for v in (statistic, p, z))
        return statistic, p, z


def _asymptotically(
    plus: Any, n: Any, zeros: Any, sizes: Any, zero_method: str, correction: bool, side: int
) -> tuple[Any, Any]:
    """The normal statistic and its p-value."""
    xp = array_namespace(plus)
    mean, square, cubes = n * (n + 1) / 4, n * (n + 1) * (2 * n + 1), tied(sizes)
    if zero_method == "pratt":  # zeros count neither in the moments nor in the ties
        mean = mean - zeros * (zeros + 1) / 4
        square = square - zeros * (zeros + 1) * (2 * zeros + 1)
        cubes = cubes - zeros * (zeros * zeros - 1)
    deviation = xp.sqrt((square - cubes / 2) / 24)
    z = (plus - mean) / deviation
    if correction:
        z = z - (side or xp.sign(z)) * 0.5 / deviation
    return z, by_normal(z, side)


def _exactly(plus: Any, n: Any, limit: int, side: int) -> Any:
    """The p-value without ties, with which the sum of ranks is rounded to the safe side."""
    xp = array_namespace(plus)
    if is_concrete(n) and bool(xp.all(n == limit)):
        found = null(_sums, (limit,), (limit,))
    else:
        found = null(_sums, (limited(n, None, limit),), (limit,))
    return both_tails(
        plus, side, lambda k: found.at_most(xp.ceil(k)), lambda k: found.at_least(xp.floor(k))
    )


def _sums(n: int) -> tuple[int, ...]:
    """Return how many subsets of the numbers from 1 to `n` have the sum 0, 1, 2..."""
    bits = 8 * (n // 8 + 1)  # of each count, which are packed into one integer
    counts = 1
    for k in range(1, n + 1):
        counts += counts << k * bits
    return digits(counts, bits)


def _over_signs(ranks: Any, plus: Any, side: int) -> Any:
    """The p-value over all signs of up to 13 ranks that aren't 0, which may be half-integers."""
    xp, dtype = array_namespace(ranks), index_dtype(array_namespace(ranks), ranks)
    n, where = min(ranks.shape[-1], _SIGNS), device(ranks)
    twice = 2 * xp.sort(ranks, axis=-1, descending=True, stable=False)[..., :n]
    sums = xp.arange(n * (n + 1) + 1, dtype=dtype, device=where)
    share = xp.where(sums == 0, xp.ones_like(plus), xp.zeros_like(plus))  # (..., sums)
    for i in range(n):
        below = sums - xp.astype(twice[..., i : i + 1], dtype)
        moved = xp.take_along_axis(share, xp.maximum(below, xp.zeros_like(below)), axis=-1)
        share = (share + xp.where(below >= 0, moved, 0.0)) / 2
    sums = xp.astype(sums, ranks.dtype)

    def tail(chosen: Any) -> Any:
        return xp.sum(xp.where(chosen, share, 0.0), axis=-1, keepdims=True)

    return both_tails(2 * plus, side, lambda k: tail(sums <= k), lambda k: tail(sums >= k))
