"""Bins: the bin of each number, counts, and statistics of each bin."""

import builtins
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any, Generic, Literal, NamedTuple

from .. import _plan
from .._namespace import array_namespace, describe, device, is_concrete, is_lazy, is_neutral, quiet
from .._native import native, of_one_kind, public
from .._typing import A, Numbers
from ..errors import ArgumentError, DtypeError, NotSupported, ShapeError
from ..interop import to_numpy
from ._axes import as_given
from ._search import comparable
from ._segments import count, identity, index_dtype, means, numbers, segments

__all__ = [
    "BinnedStatisticResult",
    "binned_statistic",
    "digitize",
    "histogram",
    "histogram2d",
    "histogramdd",
]

Statistic = Literal["mean", "std", "median", "count", "sum", "min", "max"]
_STATISTICS = ("mean", "std", "median", "count", "sum", "min", "max")


class BinnedStatisticResult(NamedTuple, Generic[A]):
    """The result of `binned_statistic`.

    Attributes
    ----------
    statistic : array, shape (..., nbins)
        The statistic of the values in each bin.
    bin_edges : array, shape (nbins + 1,)
        The edges of the bins.
    binnumber : array of int, shape (n,)
        The index of each element's bin, from 1; 0 is below the bins, nbins + 1 above.
    """

    statistic: A
    bin_edges: A
    binnumber: A


# -- which bin -------------------------------------------------------------------------------------


@public
def digitize(x: A, bins: A | Numbers, right: bool = False) -> A:
    """Find the index of the bin that each element belongs to.

    Parameters
    ----------
    x : array
        Real.
    bins : array, shape (k,)
        Edges, increasing or decreasing; equal neighbours are allowed.
    right : bool, optional
        Whether bins contain their upper edge instead of their lower one.

    Returns
    -------
    array of int
        Of the shape of `x`; i for ``bins[i-1] <= x < bins[i]``, or for ``bins[i-1] > x >= bins[i]``
        if `bins` decrease; 0 and k beyond the ends.

    Raises
    ------
    DtypeError
        If an array is not real.
    ShapeError
        If `bins` has not one dimension.
    ArgumentError
        If `bins` are neither increasing nor decreasing, or NaN, where values can be read. Elsewhere
        (jit, Dask, a GPU) the first and the last edge determine the direction.

    Notes
    -----
    A binary search for each element. NaN is larger than all numbers.

    Differs from NumPy: int64 with uint64, which NumPy compares as floating numbers, is a
    DtypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import digitize
    >>> digitize(np.asarray([0.2, 6.4, 3.0]), np.asarray([0.0, 1.0, 3.0, 5.0]))
    array([1, 4, 3])
    """
    xp = array_namespace(x, bins)
    points, edges = comparable("digitize", xp, ("x", "bins"), x, bins)
    if edges.ndim != 1:
        raise ShapeError(f"digitize: bins must have one dimension, got shape {tuple(edges.shape)}")
    return _digitize(points, edges, bool(right))


def _direction(xp: Any, edges: Any) -> int | None:
    """1 for increasing, -1 for decreasing; None where values can't be read."""
    if not is_concrete(edges):
        return 1 if edges.shape[0] < 2 else None
    # A single edge is compared with itself, lest it be NaN.
    low, high = (edges, edges) if edges.shape[0] < 2 else (edges[:-1], edges[1:])
    if bool(xp.all(high >= low)):
        return 1
    if bool(xp.all(high <= low)):
        return -1
    raise ArgumentError("digitize: bins must be increasing or decreasing, and not NaN")


@native(numpy="likewise._libs.numpy._natives:digitize")
def _digitize(x: Any, edges: Any, right: bool) -> Any:
    xp = array_namespace(x, edges)
    direction = _direction(xp, edges)
    dtype, k = index_dtype(xp, device(x)), edges.shape[0]
    side = "left" if right else "right"
    flat = xp.reshape(x, (-1,))
    up = down = None
    if direction != -1:
        up = xp.astype(xp.searchsorted(edges, flat, side=side), dtype)
    if direction != 1:
        backwards = xp.flip(edges, axis=0)
        down = k - xp.astype(xp.searchsorted(backwards, flat, side=side), dtype)
    if up is None or down is None:
        found = up if down is None else down
    else:
        found = xp.where(edges[0] <= edges[-1], up, down)
    return as_given(xp.reshape(found, x.shape))


def _bin(xp: Any, x: Any, edges: Any) -> Any:
    """Numbers of bins from 0, the last one closed; -1 below, nbins above and for NaN."""
    x, edges = of_one_kind(x, edges)
    last = edges[-1:]
    found = xp.searchsorted(edges, x, side="right") - 1
    found = xp.astype(found, index_dtype(xp, device(x)))
    return xp.where(x == last, xp.full_like(found, edges.shape[0] - 2), found)


# -- edges -----------------------------------------------------------------------------------------


def _plan_bins(function: str, xp: Any, x: Any, bins: Any) -> Any:
    """A number of bins, or edges of the dtype of `x`, which is floating."""
    if isinstance(bins, str):
        raise ArgumentError(f"{function}: bins must be a number of bins, or edges, got {bins!r}")
    if is_neutral(bins) and not isinstance(bins, list | tuple):
        return _bin_count(function, bins)
    edges = numbers(function, "bins", xp, bins, device(x))
    if not xp.isdtype(edges.dtype, ("bool", "integral", "real floating")):
        raise DtypeError(f"{function}: bins must be real, got a {describe(edges)}")
    if edges.ndim == 0:
        return _bin_count(function, bins)
    if edges.ndim != 1 or edges.shape[0] < 2:
        raise ShapeError(
            f"{function}: at least two edges in one dimension were expected, got bins of "
            f"shape {tuple(edges.shape)}"
        )
    return edges if edges.dtype == x.dtype else xp.astype(edges, x.dtype)


def _edges(function: str, xp: Any, x: Any, bins: Any, limits: Any) -> Any:
    """The edges of the bins along one axis."""
    if isinstance(bins, int):
        return _uniform(function, xp, x, bins, limits)
    if is_concrete(bins) and not bool(xp.all(bins[1:] >= bins[:-1])):
        raise ArgumentError(f"{function}: bins must increase, and not be NaN")
    return bins


def distinct(function: str, edges: Any) -> Any:
    """Refuse bins without width, which histograms have."""
    if is_concrete(edges) and bool(array_namespace(edges).any(edges[1:] == edges[:-1])):
        raise ArgumentError(f"{function}: bins must differ: a difference is numerically 0")
    return edges


def _bin_count(function: str, bins: Any) -> int:
    try:
        n = operator.index(bins)
    except TypeError:
        raise ArgumentError(
            f"{function}: bins must be a number of bins, or edges, got {bins!r}"
        ) from None
    if n < 1:
        raise ArgumentError(f"{function}: there must be at least one bin, got {bins!r}")
    return n


def _too_many(function: str, n: int) -> ArgumentError:
    return ArgumentError(
        f"{function}: {n} bins are too many for the range, which has fewer numbers"
    )


def _uniform(function: str, xp: Any, x: Any, n: int, limits: Any) -> Any:
    """Equal bins between given limits, or between the smallest and the largest element."""
    where = device(x)
    if limits is not None:
        low, high = _plan_limits(function, xp, x, limits)
        if low == high:
            low, high = low - 0.5, high + 0.5
        if (high - low) / n <= xp.finfo(x.dtype).eps * max(abs(low), abs(high)) / 2:
            raise _too_many(function, n)
        # In double precision, rounded at the end: else elements at edges change bins.
        points = [i * ((high - low) / n) + low for i in builtins.range(n)]
        return xp.asarray([*points, high], dtype=x.dtype, device=where)
    if math.prod(x.shape) == 0:
        low = xp.zeros((1,), dtype=x.dtype, device=where)
        high = xp.ones((1,), dtype=x.dtype, device=where)
    else:
        low, high = xp.reshape(xp.min(x), (1,)), xp.reshape(xp.max(x), (1,))
        same = low == high
        half = xp.where(same, xp.full_like(low, 0.5), xp.zeros_like(low))
        low, high = low - half, high + half
        step = (high - low) / n
        fine = xp.isfinite(high - low) & (low + step > low) & (high - step < high)
        if is_concrete(x) and not bool(xp.all(fine)):
            if bool(xp.all(xp.isfinite(high - low))):
                raise _too_many(function, n)
            raise ArgumentError(
                f"{function}: the range of the elements is not finite; give it as range=(low, high)"
            )
    step = (high - low) / n
    inner = xp.arange(n, dtype=x.dtype, device=where) * step + low
    return xp.concat([inner, high])


def _plan_limits(function: str, xp: Any, x: Any, limits: Any) -> tuple[float, float]:
    try:
        low, high = (float(v) for v in limits)
    except (TypeError, ValueError):
        raise ArgumentError(f"{function}: range must be two numbers, got {limits!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ArgumentError(f"{function}: range must be finite and increasing, got {limits!r}")
    _plan.fits(function, "range", xp, (low, high), x.dtype)
    return low, high


# -- histograms ------------------------------------------------------------------------------------


@public
def histogram(
    a: A,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: A | Numbers | None = None,
) -> tuple[A, A]:
    """Count the elements of an array in bins.

    Parameters
    ----------
    a : array
        Real, of any shape.
    bins : int or array, optional
        The number of equal bins, or their edges in increasing order.
    range : tuple of float, optional
        Lower and upper end of equal bins. Default: the smallest and largest element. Elements
        outside, and NaN, are not counted.
    density : bool, optional
        Whether to divide by the total and the widths of the bins, so that the integral is 1.
    weights : array, optional
        The weight of each element, of the shape of `a`.

    Returns
    -------
    hist : array, shape (nbins,)
        Counts of the library's dtype for indices; with weights or density, of the common floating
        dtype of the weights and `a`.
    edges : array, shape (nbins + 1,)
        Of the floating dtype of `a`. All bins contain their left edge, the last one also its right
        edge.

    Raises
    ------
    DtypeError
        If an array is not real.
    ShapeError
        If edges don't have one dimension and at least two elements; if weights don't have the shape
        of `a`.
    ArgumentError
        If the number of bins is not positive; if the range is not finite, or too narrow for so many
        bins; if edges don't increase or are NaN. Values are checked where they can be read;
        elsewhere the result is then meaningless.

    Notes
    -----
    A binary search for each element, and counting as in `bincount`. Differentiable with respect to
    the weights.

    Differs from NumPy: no rules for the number of bins ('auto' ...); other dtypes for integer
    weights and for a density in single precision.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import histogram
    >>> histogram(np.asarray([1.0, 2.0, 1.0, 4.0]), bins=3)
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    """
    xp = array_namespace(a, weights)
    x, w = _plan_sample("histogram", xp, "a", a, weights)
    if w is not None and w.ndim != 1:
        w = xp.reshape(w, (-1,))
    edges = _plan_bins("histogram", xp, x, bins)
    limits = None if range is None else _plan_limits("histogram", xp, x, range)
    x = x if x.ndim == 1 else xp.reshape(x, (-1,))
    return _histogram(x, edges, limits, bool(density), w)


def _plan_sample(function: str, xp: Any, name: str, x: Any, weights: Any) -> tuple[Any, Any]:
    """Real elements of a floating dtype, and their weights, or None."""
    if is_neutral(x) and weights is not None and not is_neutral(weights):
        x = numbers(function, name, xp, x, device(weights))  # where the weights are
    (x,) = _plan.common_floating(function, xp, (name,), x, real=True)
    if weights is None:
        return x, None
    w = numbers(function, "weights", xp, weights, device(x))
    (w,) = _plan.common_floating(function, xp, ("weights",), w)
    if tuple(w.shape) != tuple(x.shape):
        raise ShapeError(
            f"{function}: weights must have the shape of {name}, {tuple(x.shape)}, got "
            f"{tuple(w.shape)}"
        )
    return x, w


def _as_numpy(x: Any, bins: Any, limits: Any, density: bool, weights: Any) -> bool:
    """the dtypes of NumPy's results; no weights between edges: NumPy subtracts sums there."""
    xp = array_namespace(x)
    if weights is None:
        return bool(x.dtype == xp.float64 or not density)
    return isinstance(bins, int) and bool(x.dtype == weights.dtype == xp.float64)


@native(numpy="likewise._libs.numpy._natives:histogram", when=_as_numpy)
def _histogram(x: Any, bins: Any, limits: Any, density: bool, weights: Any) -> Any:
    xp = array_namespace(x)
    edges = _edges("histogram", xp, x, bins, limits)
    size = edges.shape[0] - 1
    ids = _bin(xp, x, edges)
    hist = count(ids, size) if weights is None else segments(weights, ids, size, "add", 0)
    if density:
        dtype = x.dtype if weights is None else xp.result_type(x.dtype, weights.dtype)
        hist = _density(xp, xp.astype(hist, dtype), [edges])
    return hist, edges


def _density(xp: Any, hist: Any, edges: list[Any]) -> Any:
    """Divided by the sizes of the bins and the total."""
    total = xp.sum(hist)
    for axis, e in enumerate(edges):
        shape = [1] * hist.ndim
        shape[axis] = hist.shape[axis]
        hist = hist / xp.astype(xp.reshape(e[1:] - e[:-1], tuple(shape)), hist.dtype)
    return hist / total


@public
def histogramdd(
    sample: A,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: A | Numbers | None = None,
) -> tuple[A, tuple[A, ...]]:
    """Count points in the boxes of a grid.

    Parameters
    ----------
    sample : array, shape (n, d)
        The points. Real.
    bins : int, or sequence of int or array, optional
        The number of equal bins, or edges in increasing order; one number for all axes, or one
        entry for each.
    range : sequence of tuple of float or None, optional
        The ends of equal bins for each axis. Default: the smallest and largest coordinate.
    density : bool, optional
        Whether to divide by the total and the sizes of the boxes.
    weights : array, shape (n,), optional
        The weight of each point.

    Returns
    -------
    hist : array, shape (nbins1, ..., nbinsd)
        Of the floating dtype of the sample (with weights, of both).
    edges : tuple of array
        One array per axis, of the floating dtype of the sample.

    Raises
    ------
    DtypeError, ArgumentError
        As for `histogram`; ArgumentError also if the number of entries isn't that of the axes.
    ShapeError
        If `sample` has not two dimensions; as for `histogram`.

    Notes
    -----
    A binary search for each coordinate, and counting as in `bincount`. Differentiable with respect
    to the weights.

    Differs from NumPy: the sample is one array; single precision gives single precision.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import histogramdd
    >>> hist, edges = histogramdd(np.asarray([[0.0, 0.0], [1.0, 2.0], [1.0, 1.5]]), bins=2)
    >>> hist
    array([[1., 0.],
           [0., 2.]])
    """
    xp = array_namespace(sample, weights)
    points: Any
    (points,) = _plan.common_floating("histogramdd", xp, ("sample",), sample, real=True)
    if points.ndim != 2:
        raise ShapeError(f"histogramdd: sample must have shape (n, d), got {tuple(points.shape)}")
    where = device(points)
    every = xp.arange(points.shape[1], dtype=index_dtype(xp, where), device=where)
    # `take`, not a slice: torch warns of strides in its search.
    columns = [
        xp.reshape(xp.take(points, every[i : i + 1], axis=1), (-1,))
        for i in builtins.range(points.shape[1])
    ]
    return _boxes("histogramdd", xp, columns, bins, range, density, weights)


@public
def histogram2d(
    x: A,
    y: A | Numbers,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: A | Numbers | None = None,
) -> tuple[A, A, A]:
    """Count points of the plane in the rectangles of a grid.

    Parameters
    ----------
    x, y : array, shape (n,)
        The coordinates. Real.
    bins : int, array, or sequence of two of these, optional
        The number of equal bins, or edges in increasing order, for both axes or for each.
    range : sequence of two tuples of float, optional
        The ends of equal bins along each axis. Default: the smallest and largest coordinate.
    density : bool, optional
        Whether to divide by the total and the areas.
    weights : array, shape (n,), optional
        The weight of each point.

    Returns
    -------
    hist : array, shape (nx, ny)
        Of the floating dtype of the coordinates (with weights, of all).
    x_edges, y_edges : array
        Of the floating dtype of the coordinates.

    Raises
    ------
    DtypeError, ShapeError, ArgumentError
        As for `histogramdd`.

    Notes
    -----
    As for `histogramdd`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import histogram2d
    >>> x, y = np.asarray([0.0, 1.0, 1.0]), np.asarray([0.0, 2.0, 1.5])
    >>> hist, x_edges, y_edges = histogram2d(x, y, bins=2)
    >>> y_edges
    array([0., 1., 2.])
    """
    xp = array_namespace(x, y, weights)
    a, b = _plan.common_floating("histogram2d", xp, ("x", "y"), x, y, real=True)
    if a.ndim != 1 or a.shape != b.shape:
        raise ShapeError(
            f"histogram2d: x and y must have one shape (n,), got {tuple(a.shape)} and "
            f"{tuple(b.shape)}"
        )
    listed = isinstance(bins, list | tuple)
    if (hasattr(bins, "ndim") and bins.ndim == 1) or (listed and len(bins) != 2):
        bins = (bins, bins)  # edges for both
    hist, edges = _boxes("histogram2d", xp, [a, b], bins, range, density, weights)
    return hist, edges[0], edges[1]


def _boxes(
    function: str, xp: Any, columns: list[Any], bins: Any, limits: Any, density: bool, weights: Any
) -> tuple[Any, tuple[Any, ...]]:
    d = len(columns)
    if d == 0:
        raise ShapeError(f"{function}: sample must have at least one column")
    each = _for_each(function, "bins", bins, d)
    ends = [None] * d if limits is None else _for_each(function, "range", limits, d)
    ids: Any = 0
    edges, inside = [], True
    for column, some, pair in zip(columns, each, ends, strict=True):
        some = _plan_bins(function, xp, column, some)
        pair = None if pair is None else _plan_limits(function, xp, column, pair)
        edges.append(_edges(function, xp, column, some, pair))
        found, size = _bin(xp, column, edges[-1]), edges[-1].shape[0] - 1
        inside = inside & (found >= 0) & (found < size)
        ids = ids * size + found
    shape = tuple(e.shape[0] - 1 for e in edges)
    ids = xp.where(inside, ids, xp.full_like(ids, -1))
    total = math.prod(shape)
    if weights is None:
        hist = xp.astype(count(ids, total), column.dtype)
    else:
        _, w = _plan_sample(function, xp, "sample", column, weights)
        w = xp.astype(w, xp.result_type(w.dtype, column.dtype))
        hist = segments(w, ids, total, "add", 0)
    hist = xp.reshape(hist, shape)
    return (_density(xp, hist, edges) if density else hist), tuple(edges)


def _for_each(function: str, name: str, values: Any, d: int) -> list[Any]:
    """An entry for each axis."""
    if name == "bins" and is_neutral(values) and not isinstance(values, list | tuple):
        return [values] * d
    found = list(values) if isinstance(values, list | tuple) else []
    if len(found) != d:
        raise ArgumentError(
            f"{function}: {name} must have an entry for each of the {d} axes, got {values!r}"
        )
    return found


# -- statistics ------------------------------------------------------------------------------------


@public
def binned_statistic(
    x: A,
    values: A | Numbers | None,
    statistic: Statistic | str | Callable[[A], Any] = "mean",
    bins: Any = 10,
    range: Any = None,
) -> BinnedStatisticResult[A]:
    """Compute a statistic of the values in each bin.

    Parameters
    ----------
    x : array, shape (n,)
        The elements to bin. Real.
    values : array, shape (..., n), list of arrays, or None
        The values of the elements. Real. None only for 'count'.
    statistic : {'mean', 'std', 'median', 'count', 'sum', 'min', 'max'} or function, optional
        The statistic. 'std' divides by the count. A function gets the values of one bin, an array
        with one dimension, and returns a number. An empty bin has the function's value for no
        values, or NaN if it refuses those.
    bins : int or array, optional
        As for `histogram`, but different edges.
    range : tuple of float, optional
        As for `histogram`; also within a list.

    Returns
    -------
    BinnedStatisticResult
        ``statistic``, of shape (..., nbins) and the floating dtype of the values: in an empty bin 0
        for 'count' and 'sum', else NaN; ``bin_edges`` as from `histogram`; ``binnumber``, of shape
        (n,).

    Raises
    ------
    DtypeError, ArgumentError
        As for `histogram`; ArgumentError also if there is no such statistic.
    ShapeError
        If `x` has not one dimension, or the last size of `values` is not its size; if a function
        returns more than a number.
    NotSupported
        Of a function where values can't be read (jit, vmap, grad, Dask), as it gets as many as a
        bin has.

    Notes
    -----
    Costs as `segment_sum`; the median sorts twice; a function is called for each bin, and sizes of
    bins are read on the host. 'std' subtracts the means first and so loses no digits.
    Differentiable with respect to the values.

    Differs from SciPy: elements belong to the last bin if they
    equal its right edge exactly; a NaN among the values makes 'min', 'max' and 'median' NaN, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import binned_statistic
    >>> x, values = np.asarray([1.0, 1.0, 2.0, 5.0]), np.asarray([1.0, 3.0, 4.0, 8.0])
    >>> binned_statistic(x, values, bins=2).statistic
    array([2.66666667, 8.        ])
    """
    plan_statistic("binned_statistic", statistic)
    values = x if values is None and statistic == "count" else stacked("binned_statistic", values)
    xp = array_namespace(x, values)
    x = _plan.beside_blocks(xp, x)
    (points,) = _plan.common_floating("binned_statistic", xp, ("x",), x, real=True)
    data: Any = numbers("binned_statistic", "values", xp, values, device(points))
    (data,) = _plan.common_floating("binned_statistic", xp, ("values",), data, real=True)
    if points.ndim != 1 or data.ndim == 0 or data.shape[-1] != points.shape[0]:
        raise ShapeError(
            "binned_statistic: x of shape (n,) and values of shape (..., n) were expected, got "
            f"{tuple(points.shape)} and {tuple(data.shape)}"
        )
    if isinstance(range, list | tuple) and len(range) == 1:
        range = range[0]
    limits = None if range is None else _plan_limits("binned_statistic", xp, points, range)
    bins = _plan_bins("binned_statistic", xp, points, bins)
    edges = distinct("binned_statistic", _edges("binned_statistic", xp, points, bins, limits))
    ids, size = _bin(xp, points, edges), edges.shape[0] - 1
    batch = tuple(data.shape[:-1])
    rows = xp.reshape(data, (math.prod(batch), points.shape[0])).T
    with quiet(rows):
        found = _statistic("binned_statistic", xp, ids, rows, size, statistic)
    return BinnedStatisticResult(xp.reshape(found.T, (*batch, size)), edges, ids + 1)


def plan_statistic(function: str, statistic: Any) -> None:
    """Refuse what is neither the name of a statistic nor a function."""
    if not callable(statistic) and statistic not in _STATISTICS:
        raise ArgumentError(
            f"{function}: statistic must be one of {', '.join(map(repr, _STATISTICS))}, or a "
            f"function of the values of a bin, got {statistic!r}"
        )


def stacked(function: str, values: Any) -> Any:
    """Values in a list of arrays, as one array."""
    if not isinstance(values, list | tuple) or not any(hasattr(v, "shape") for v in values):
        return values
    xp = array_namespace(*values)
    return xp.stack(_plan.common_floating(function, xp, ("values",), *values, real=True))


def _statistic(
    function: str, xp: Any, ids: Any, rows: Any, size: int, statistic: Statistic | str | Any
) -> Any:
    """A statistic of each column, over the rows of each bin."""
    counts = count(ids, size)
    if callable(statistic):
        return _called(function, xp, ids, rows, counts, statistic)
    if statistic == "count":
        column = xp.astype(counts, rows.dtype)[:, None]
        return xp.broadcast_to(column, (size, rows.shape[1]))
    if statistic == "median":
        return _median(xp, ids, rows, counts)
    if statistic in ("min", "max"):
        op = "minimum" if statistic == "min" else "maximum"
        found = segments(rows, ids, size, op, identity(xp, rows.dtype, op))
        return xp.where(counts[:, None] > 0, found, xp.full_like(found, xp.nan))
    sums = segments(rows, ids, size, "add", 0)
    if statistic == "sum":
        return sums
    mean = means(xp, sums, counts)
    if statistic == "mean" or rows.shape[0] == 0:
        return mean
    own = xp.take(mean, xp.clip(ids, 0, size - 1), axis=0)
    deviation = rows - own
    variance = means(xp, segments(deviation * deviation, ids, size, "add", 0), counts)
    zero = variance == 0  # where the root has no derivative
    root = xp.sqrt(xp.where(zero, xp.ones_like(variance), variance))
    return xp.where(zero, xp.zeros_like(root), root)


def _called(
    function: str, xp: Any, ids: Any, rows: Any, counts: Any, statistic: Callable[[Any], Any]
) -> Any:
    """A user's function of the rows of each bin, a column at a time."""
    if is_lazy(ids) or is_lazy(rows):
        raise NotSupported(
            f"{function}: statistic is a function, which gets as many values as a bin has, and "
            f"they can't be read here. Use one of {', '.join(map(repr, _STATISTICS))}, or call it "
            "outside of jit, vmap and grad, and not with Dask's arrays."
        )
    size, where, columns = counts.shape[0], device(rows), builtins.range(rows.shape[1])

    def value(part: Any) -> Any:
        found = numbers(function, "statistic(values)", xp, statistic(part), where, dtype=rows.dtype)
        if math.prod(found.shape) != 1:
            raise ShapeError(
                f"{function}: statistic must return a number for each bin, got shape "
                f"{tuple(found.shape)}"
            )
        (found,) = _plan.common_floating(function, xp, ("statistic",), found, real=True)
        return xp.reshape(xp.astype(found, rows.dtype), ())

    def of_none(part: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return value(part)
            except Exception:  # whatever a user's function raises of no values
                return xp.full((), math.nan, dtype=rows.dtype, device=where)

    order = xp.argsort(ids, stable=True)
    rows = xp.take(rows, order, axis=0)
    found, end = [], int(xp.sum(xp.astype(ids < 0, counts.dtype)))
    for own in to_numpy(counts):
        start, end = end, end + int(own)
        parts = [rows[start:end, column] for column in columns]
        found += [(value if own else of_none)(part) for part in parts]
    if not found:
        return xp.empty((size, 0), dtype=rows.dtype, device=where)
    return xp.reshape(xp.stack(found), (size, len(columns)))


def _median(xp: Any, ids: Any, rows: Any, counts: Any) -> Any:
    """Sorted by value, then stably by bin: the middle is at a known place."""
    n, columns = rows.shape
    nothing = xp.full((counts.shape[0], columns), xp.nan, dtype=rows.dtype, device=device(rows))
    if n == 0 or columns == 0:
        return nothing
    order = xp.argsort(rows, axis=0)
    by_value = xp.reshape(xp.take(ids, xp.reshape(order, (-1,)), axis=0), (n, columns))
    order = xp.take_along_axis(order, xp.argsort(by_value, axis=0, stable=True), axis=0)
    values = xp.take_along_axis(rows, order, axis=0)
    below = xp.sum(xp.astype(ids < 0, counts.dtype))
    ends = xp.cumulative_sum(counts, dtype=counts.dtype) + below
    starts = ends - counts

    def at_place(place: Any) -> Any:
        return xp.take(values, xp.clip(place, 0, n - 1), axis=0)

    middle = (at_place(starts + (counts - 1) // 2) + at_place(starts + counts // 2)) / 2
    known = (counts[:, None] > 0) & ~xp.isnan(at_place(ends - 1))  # NaNs are the last
    return xp.where(known, middle, nothing)
