"""Frequencies in bins, and statistics of bins in several dimensions."""

import builtins
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, quiet
from ..._native import public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ShapeError
from ...missing import BinnedStatisticResult, binned_statistic
from ...missing._axes import as_given, index_dtype
from ...missing._histogram import (
    _bin,
    _edges,
    _for_each,
    _histogram,
    _plan_bins,
    _plan_limits,
    _plan_sample,
    _statistic,
    distinct,
    plan_statistic,
    stacked,
)
from ...missing._segments import numbers

__all__ = [
    "BinnedStatistic2dResult",
    "BinnedStatisticResult",
    "BinnedStatisticddResult",
    "CumfreqResult",
    "RelfreqResult",
    "binned_statistic",
    "binned_statistic_2d",
    "binned_statistic_dd",
    "cumfreq",
    "relfreq",
]


class CumfreqResult(NamedTuple):
    """Hold cumulative counts, the lowest edge, the width of bins, and the number outside."""

    cumcount: Any
    lowerlimit: Any
    binsize: Any
    extrapoints: Any


class RelfreqResult(NamedTuple):
    """Hold relative frequencies, the lowest edge, the width of bins, and the number outside."""

    frequency: Any
    lowerlimit: Any
    binsize: Any
    extrapoints: Any


class BinnedStatistic2dResult(NamedTuple):
    """Hold a statistic of each bin, edges along both axes, and the bin of each point."""

    statistic: Any
    x_edge: Any
    y_edge: Any
    binnumber: Any


class BinnedStatisticddResult(NamedTuple):
    """Hold a statistic of each bin, edges along all axes, and the bin of each point."""

    statistic: Any
    bin_edges: Any
    binnumber: Any


@public
def cumfreq(
    a: A,
    numbins: int = 10,
    defaultreallimits: tuple[float, float] | None = None,
    weights: A | Numbers | None = None,
) -> CumfreqResult:
    """Count numbers in equal bins and all bins below.

    Parameters
    ----------
    a : array
        Real; it is flattened.
    numbins : int, optional
        The number of bins.
    defaultreallimits : pair of float, optional
        The ends of the bins. Default: beyond the smallest and the largest number by
        ``(max - min) / (2 (numbins - 1))``.
    weights : array, optional
        The weight of each number, of the shape of `a`.

    Returns
    -------
    CumfreqResult
        ``cumcount``, of the floating dtype of `a`; ``lowerlimit``; ``binsize``; ``extrapoints``,
        how many numbers are outside.

    Raises
    ------
    ArgumentError
        If there are no bins; if there is one without limits; if limits are wrong.
    DtypeError, ShapeError
        Of complex data; if weights have another shape.

    Notes
    -----
    Cost as `likewise.missing.histogram`. Differentiable with respect to the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import cumfreq
    >>> cumfreq(np.asarray([1.0, 4.0, 2.0, 1.0, 3.0, 1.0]), numbins=4).cumcount
    array([3., 4., 5., 6.])
    """
    xp = array_namespace(a, weights)
    counts, *rest = _counted("cumfreq", xp, a, numbins, defaultreallimits, weights)
    return CumfreqResult(xp.cumulative_sum(counts), *rest)


@public
def relfreq(
    a: A,
    numbins: int = 10,
    defaultreallimits: tuple[float, float] | None = None,
    weights: A | Numbers | None = None,
) -> RelfreqResult:
    """Count numbers in equal bins, relative to their total.

    Parameters
    ----------
    a : array
        Real; it is flattened.
    numbins, defaultreallimits, weights : optional
        As for `cumfreq`.

    Returns
    -------
    RelfreqResult
        ``frequency``, counts over the first size of `a`; the rest as from `cumfreq`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `cumfreq`.

    Notes
    -----
    As for `cumfreq`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import relfreq
    >>> relfreq(np.asarray([2.0, 4.0, 1.0, 2.0]), numbins=2).frequency
    array([0.75, 0.25])
    """
    xp = array_namespace(a, weights)
    counts, *rest = _counted("relfreq", xp, a, numbins, defaultreallimits, weights)
    shape = getattr(a, "shape", None) or (len(a) if isinstance(a, list | tuple) else 1,)
    return RelfreqResult(counts / shape[0], *rest)


def _counted(
    function: str, xp: Any, a: Any, numbins: Any, limits: Any, weights: Any
) -> tuple[Any, ...]:
    """Counts in floating point, the lowest edge, the width of bins, the number outside."""
    x, w = _plan_sample(function, xp, "a", a, weights)
    x = xp.reshape(x, (-1,))
    bins = _plan_bins(function, xp, x, numbins)
    if not isinstance(bins, int):
        raise ArgumentError(f"{function}: numbins must be an integer, got {numbins!r}")
    if limits is not None:
        low, high = (
            xp.full((), v, dtype=x.dtype, device=device(x))
            for v in _plan_limits(function, xp, x, limits)
        )
    elif x.shape[0] == 0:
        low, high = (xp.full((), v, dtype=x.dtype, device=device(x)) for v in (0.0, 1.0))
    elif bins == 1:
        raise ArgumentError(f"{function}: one bin needs limits; give defaultreallimits=(low, high)")
    else:
        low, high = xp.min(x), xp.max(x)
        beyond = (high - low) / (2.0 * (bins - 1.0))
        low, high = low - beyond, high + beyond
    half = xp.where(low == high, xp.full_like(low, 0.5), xp.zeros_like(low))
    start, end = low - half, high + half
    width = (end - start) / bins
    inner = xp.arange(bins, dtype=x.dtype, device=device(x)) * width + start
    edges = xp.concat([inner, xp.reshape(end, (1,))])
    counts, _ = _histogram(x, edges, None, False, None if w is None else xp.reshape(w, (-1,)))
    outside = xp.sum(xp.astype((x < low) | (x > high), index_dtype(xp, x)))
    ends = (low, edges[1] - edges[0], outside)
    return (xp.astype(counts, x.dtype), *map(as_given, ends))


# -- statistics of bins ----------------------------------------------------------------------------


@public
def binned_statistic_2d(
    x: A,
    y: A | Numbers,
    values: A | Numbers | None,
    statistic: str | Callable[[A], Any] = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
) -> BinnedStatistic2dResult:
    """Compute a statistic of the values in each rectangle of a grid.

    Parameters
    ----------
    x, y : array, shape (n,)
        The coordinates. Real.
    values : array, shape (..., n), list of arrays, or None
        The values of the points. Real. None only for 'count'.
    statistic : {'mean', 'std', 'median', 'count', 'sum', 'min', 'max'} or function, optional
        The statistic. 'std' divides by the count. A function gets the values of one bin, as for
        `likewise.missing.binned_statistic`.
    bins : int, array, or sequence of two of these, optional
        The number of equal bins, or edges in increasing order, for both axes or for each.
    range : sequence of two tuples of float, optional
        The ends of equal bins along each axis. Default: the smallest and largest coordinate.
    expand_binnumbers : bool, optional
        Whether a point has a number for each axis, or one.

    Returns
    -------
    BinnedStatistic2dResult
        ``statistic``, of shape (..., nx, ny); ``x_edge``; ``y_edge``; ``binnumber``, of shape (n,)
        or (2, n), counted from 1 along each axis, with a bin below and one above.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `likewise.missing.histogram2d`; if there is no such statistic.
    NotSupported
        Of a function where values can't be read.

    Notes
    -----
    As for `likewise.missing.binned_statistic`, from which the differences from SciPy are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import binned_statistic_2d
    >>> x, y = np.asarray([0.1, 0.1, 0.1, 0.6]), np.asarray([2.1, 2.6, 2.1, 2.1])
    >>> edges = np.asarray([0.0, 0.5, 1.0]), np.asarray([2.0, 2.5, 3.0])
    >>> binned_statistic_2d(x, y, x, "count", bins=edges).statistic
    array([[2., 1.],
           [1., 0.]])
    """
    if (hasattr(bins, "ndim") and bins.ndim == 1) or (
        isinstance(bins, list | tuple) and len(bins) > 2
    ):
        bins = (bins, bins)
    stat, edges, ids = _binned(
        "binned_statistic_2d", [x, y], values, statistic, bins, range, expand_binnumbers, None
    )
    return BinnedStatistic2dResult(stat, edges[0], edges[1], ids)


@public
def binned_statistic_dd(
    sample: A,
    values: A | Numbers | None,
    statistic: str | Callable[[A], Any] = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
    binned_statistic_result: BinnedStatisticddResult | None = None,
) -> BinnedStatisticddResult:
    """Compute a statistic of the values in each box of a grid.

    Parameters
    ----------
    sample : array, shape (n, d), or sequence of d arrays
        The points. Real.
    values : array, shape (..., n), list of arrays, or None
        The values of the points. Real. None only for 'count'.
    statistic : {'mean', 'std', 'median', 'count', 'sum', 'min', 'max'} or function, optional
        The statistic. 'std' divides by the count. A function gets the values of one bin, as for
        `likewise.missing.binned_statistic`.
    bins : int, or sequence of int or array, optional
        The number of equal bins, or edges in increasing order; one number for all axes, or an entry
        for each.
    range : sequence of tuple of float, optional
        The ends of equal bins along each axis. Default: the smallest and largest coordinate.
    expand_binnumbers : bool, optional
        Whether a point has a number for each axis, or one.
    binned_statistic_result : BinnedStatisticddResult, optional
        An earlier result, without expanded numbers, whose edges and numbers to use.

    Returns
    -------
    BinnedStatisticddResult
        ``statistic``, of shape (..., n1, ..., nd); ``bin_edges``, a list; ``binnumber``, of shape
        (n,) or (d, n).

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `likewise.missing.histogramdd`; if there is no such statistic.
    NotSupported
        Of a function where values can't be read.

    Notes
    -----
    As for `binned_statistic_2d`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import binned_statistic_dd
    >>> points = np.asarray([[0.0, 0.0], [1.0, 2.0], [1.0, 1.5]])
    >>> binned_statistic_dd(points, np.asarray([1.0, 2.0, 4.0]), "sum", bins=2).statistic
    array([[1., 0.],
           [0., 6.]])
    """
    return BinnedStatisticddResult(
        *_binned(
            *("binned_statistic_dd", sample, values, statistic, bins, range),
            *(expand_binnumbers, binned_statistic_result),
        )
    )


def _binned(
    function: str,
    sample: Any,
    values: Any,
    statistic: Any,
    bins: Any,
    limits: Any,
    expand: bool,
    earlier: Any,
) -> tuple[Any, list[Any], Any]:
    plan_statistic(function, statistic)
    values = stacked(function, values)
    if isinstance(sample, list | tuple) and all(isinstance(v, int | float) for v in sample):
        decides = values if hasattr(values, "shape") else None
        xp = array_namespace(sample if decides is None else decides)
        where = None if decides is None else device(decides)
        sample = numbers(function, "sample", xp, sample, where)
    parts = list(sample) if isinstance(sample, list | tuple) else [sample]
    uncounted = values is None and statistic == "count"
    xp = array_namespace(*parts) if uncounted else array_namespace(*parts, values)
    names = tuple(f"sample[{i}]" for i in builtins.range(len(parts)))
    columns: list[Any] = list(_plan.common_floating(function, xp, names, *parts, real=True))
    if not isinstance(sample, list | tuple):
        points = columns[0] if columns[0].ndim > 1 else columns[0][:, None]
        if points.ndim != 2:
            raise ShapeError(f"{function}: sample must have shape (n, d), got {points.shape}")
        columns = [points[:, i] for i in builtins.range(points.shape[1])]
    d, n = len(columns), columns[0].shape[0] if columns and columns[0].ndim else 0
    data: Any = (
        columns[0] if uncounted else numbers(function, "values", xp, values, device(columns[0]))
    )
    (data,) = _plan.common_floating(function, xp, ("values",), data, real=True)
    if any(tuple(c.shape) != (n,) for c in columns) or data.ndim == 0 or data.shape[-1] != n:
        raise ShapeError(
            f"{function}: coordinates of one shape (n,) and values of shape (..., n) were "
            f"expected, got {[tuple(c.shape) for c in columns]} and {tuple(data.shape)}"
        )
    each = _for_each(function, "bins", bins, d)
    ends = [None] * d if limits is None else _for_each(function, "range", limits, d)
    edges: list[Any] = [] if earlier is None else list(earlier.bin_edges)
    every: Any = []
    for i, (column, some, pair) in enumerate(zip(columns, each, ends, strict=True)):
        if earlier is None:
            pair = None if pair is None else _plan_limits(function, xp, column, pair)
            own = _edges(function, xp, column, _plan_bins(function, xp, column, some), pair)
            edges.append(distinct(function, own))
        every.append(_bin(xp, column, edges[i]) + 1)
    sizes = [e.shape[0] - 1 for e in edges]
    ids, own, inside = 0, 0, True
    for found, size in zip(every, sizes, strict=True):
        ids, own = ids * (size + 2) + found, own * size + (found - 1)
        inside = inside & (found >= 1) & (found <= size)
    own = xp.where(inside, own, xp.full_like(own, -1))
    batch = tuple(data.shape[:-1])
    rows = xp.reshape(data, (math.prod(batch), n)).T
    with quiet(rows):
        out = _statistic(function, xp, own, rows, math.prod(sizes), statistic)
    ids = xp.stack(every) if expand and d > 1 else ids
    return xp.reshape(out.T, (*batch, *sizes)), edges, ids
