"""Kendall's tau with weights."""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from ...missing._axes import index_dtype
from .._base._ranks import ranked, runs
from .._base._samples import enough, filled, limited, nothing
from ._discordance import changes, in_order, out_of_order
from ._pairs import SignificanceResult, pairs

__all__ = ["weightedtau"]

_FEW = 32  # observations up to which pairs are compared


def weightedtau(
    x: A,
    y: A,
    rank: bool | A | None = True,
    weigher: Callable[[int], float] | None = None,
    additive: bool = True,
    *,
    axis: int | tuple[int, ...] | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Return Kendall's tau of two samples, with larger weights of high ranks.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    rank : bool, array or None, optional
        The rank of each observation, whole, 0 for the highest: its index if False; in the
        descending order of `x`, then `y`, if None; True takes the mean of this tau and that of
        `y`, then `x`.
    weigher : callable, optional
        Returns the weight of a rank, a Python number; by default ``1 / (rank + 1)``.
    additive : bool, optional
        Whether a pair has the sum of its weights, or their product.
    axis : int, tuple of int or None, optional
        The observations' axes; None, the default, takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        'propagate' takes NaNs for smaller than all numbers; 'omit' leaves out pairs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    SignificanceResult
        With `statistic`, and a `pvalue` that is NaN. NaN of a constant sample and, with a warning,
        of fewer than 2 observations.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Vigna, "A weighted correlation index for rankings with ties", 2015; of more than 32 observations
    in log2(n) steps, for all samples at once. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import weightedtau
    >>> x, y = np.asarray([12.0, 2.0, 1.0, 12.0, 2.0]), np.asarray([1.0, 4.0, 7.0, 1.0, 0.0])
    >>> float(weightedtau(x, y).statistic.round(6))
    -0.56695
    """
    given: dict[str, Any] = {} if rank is None or isinstance(rank, bool) else {"rank": rank}
    rows, back = pairs("weightedtau", axis, nan_policy, keepdims, x=x, y=y, **given)
    if enough("weightedtau", rows[0], least=2) is False:
        nan = back(nothing(rows[0]))
        return SignificanceResult(nan, nan)
    xp, omit = array_namespace(rows[0].x), rows[0].there is not None
    n = rows[0].x.shape[-1]
    weigh = weigher or (lambda i: 1 / (i + 1))
    if given:
        ranks = rows[2].x
        if not is_concrete(ranks):
            raise ArgumentError("weightedtau: rank must have values that can be read here")
        most = int(xp.max(xp.where(xp.isnan(ranks), 0.0, ranks))) + 1
    else:
        most = n
    table = xp.asarray(
        [float(weigh(i)) for i in range(most)], dtype=rows[0].x.dtype, device=device(rows[0].x)
    )
    a, b = (filled(r, xp.nan) if omit else _numbers(r.x) for r in rows[:2])
    tau = None
    if given:
        tau = _weighted(a, b, table, ranks, omit, bool(additive))
    elif rank is False:
        ranks = xp.broadcast_to(xp.arange(n, dtype=a.dtype, device=device(a)), a.shape)
        if omit:
            ranks = xp.cumulative_sum(xp.astype(rows[0].there, a.dtype), axis=-1) - 1
        tau = _weighted(a, b, table, ranks, omit, bool(additive))
    else:
        tau = _weighted(a, b, table, None, omit, bool(additive))
        if rank is True:
            tau = (tau + _weighted(b, a, table, None, omit, bool(additive))) / 2
    tau = back(tau[..., 0])
    return SignificanceResult(tau, tau * xp.nan)


def _numbers(x: Any) -> Any:
    """The sample, or ranks of its elements with 0 for NaNs."""
    xp = array_namespace(x)
    nan = xp.isnan(x)
    if is_concrete(x) and not bool(xp.any(nan)):
        return x
    return xp.where(nan, xp.zeros_like(x), ranked(x)[0])


def _in_blocks(x: Any, y: Any, table: Any, ranks: Any, *options: Any) -> Lines:
    given = {0: (x, 1), 1: (y, 1)} | ({} if ranks is None else {3: (ranks, 1)})
    return batches(given, ((1,), x.dtype))


@native(blocks=_in_blocks)
def _weighted(x: Any, y: Any, table: Any, ranks: Any, omit: bool, additive: bool) -> Any:
    if x.shape[-1] <= _FEW:
        return _by_pairs(x, y, table, ranks, additive)
    xp, dtype = array_namespace(x), index_dtype(array_namespace(x), x)
    x, y, rank, order = in_order(x, y)
    there = xp.astype(~xp.isnan(x), x.dtype)
    size = xp.sum(there, axis=-1, keepdims=True)
    if ranks is None:
        place = xp.arange(x.shape[-1], dtype=x.dtype, device=device(x))
        ranks = size - 1 - place
    else:
        ranks = xp.take_along_axis(ranks, order, axis=-1)
    weight = _at(table, ranks) * there

    def within(differs: Any, weight: Any) -> Any:
        """The weights of pairs of elements in one run."""
        low, high = runs(differs)
        low, high = (xp.astype(k, dtype) for k in (low, high))
        sums = xp.cumulative_sum(weight, axis=-1, include_initial=True)
        group = xp.take_along_axis(sums, high, axis=-1) - xp.take_along_axis(sums, low, axis=-1)
        if additive:
            some = xp.astype(high - low - 1, weight.dtype) * weight
        else:
            some = xp.where(high - low > 1, weight * (group - weight) / 2, 0.0)
        return xp.sum(some, axis=-1, keepdims=True)

    total = xp.sum(weight, axis=-1, keepdims=True)
    if additive:
        every = (size - 1) * total
    else:
        every = (total * total - xp.sum(weight * weight, axis=-1, keepdims=True)) / 2
    order = xp.argsort(rank, axis=-1, stable=False)
    by_y = [xp.take_along_axis(z, order, axis=-1) for z in (y, weight)]
    xtie, both = within(changes(x), weight), within(changes(x) | changes(y), weight)
    ytie = within(changes(by_y[0]), by_y[1])
    excess = every - (xtie + ytie - both) - 2 * out_of_order(rank, weight, additive)
    with quiet(x):
        tau = excess / xp.sqrt(every - xtie) / xp.sqrt(every - ytie)
    return limited(tau, -1.0, 1.0)


def _at(table: Any, ranks: Any) -> Any:
    """Return the weights of ranks, which are whole and floating."""
    xp = array_namespace(table)
    index = limited(xp.where(xp.isnan(ranks), 0.0, ranks), 0.0, None)
    index = xp.reshape(xp.astype(index, index_dtype(xp, table)), (-1,))
    return xp.reshape(xp.take(table, index, axis=0), ranks.shape)


def _by_pairs(x: Any, y: Any, table: Any, ranks: Any, additive: bool) -> Any:
    xp = array_namespace(x)
    above = [z[..., None, :] > z[..., :, None] for z in (x, y)]  # [i, j]: of j and i
    below = [xp.matrix_transpose(z) for z in above]
    if ranks is None:
        place = xp.arange(x.shape[-1], device=device(x))
        later = ~below[1] & (place > place[:, None]) | above[1]
        first = above[0] | ~below[0] & later
        # NaNs, which are left out, are neither above nor below.
        first = first & ~xp.isnan(x)[..., None, :]
        ranks = xp.sum(xp.astype(first, x.dtype), axis=-1)
    there = xp.astype(~xp.isnan(x), x.dtype)
    weight = _at(table, ranks) * there

    def total(pairs: Any) -> Any:
        other = 1.0 if additive else weight[..., None, :]
        return xp.sum(weight * xp.sum(pairs * other, axis=-1), axis=-1, keepdims=True)

    a, b = (
        xp.astype(p, x.dtype) - xp.astype(q, x.dtype) for p, q in zip(above, below, strict=True)
    )
    with quiet(x):
        tau = total(a * b) / xp.sqrt(total(a * a)) / xp.sqrt(total(b * b))
    return limited(tau, -1.0, 1.0)
