"""Medians and quantiles, with weights, and with NaNs propagated or omitted."""

import math
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, device, hooks_of, is_concrete, is_neutral, quiet
from .._native import Lines, batches, native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._axes import as_given, flat, index_dtype, is_floating, last_to, numeric, restored
from ._search import search_rows

__all__ = ["median", "nanmedian", "nanquantile", "percentile", "quantile"]

# (alpha, beta) of Hyndman and Fan's continuous methods.
Method = Literal[
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]
Policy = Literal["propagate", "omit", "raise"]
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
_METHODS = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation"),
    *("interpolated_inverted_cdf", "hazen", "weibull", "linear"),
    *("median_unbiased", "normal_unbiased"),
    *("lower", "higher", "midpoint", "nearest"),
)
_FEW = 64  # the most probabilities of an array that are read, where reading is free
_POLICIES = ("propagate", "omit", "raise")


@public
def median(a: A, axis: Any = None, *, keepdims: bool = False) -> A:
    """Compute the median along axes.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The middle element, or the mean of the two; NaN where there is a NaN, or no element.

    Raises
    ------
    DtypeError
        If `a` is complex.
    ShapeError
        If an axis is out of range.

    Notes
    -----
    A partition on NumPy and a sort elsewhere. Differentiable. On Dask, the axes become one chunk.

    Differs from NumPy: integers become the library's default floating dtype; complex numbers are an
    error; no warning for empty slices; no ``out`` and ``overwrite_input``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import median
    >>> float(median(np.asarray([3.0, 1.0, 2.0, 10.0])))
    2.5
    """
    return _median("median", a, axis, keepdims, False)


@public
def nanmedian(a: A, axis: Any = None, *, keepdims: bool = False) -> A:
    """Compute the median along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The medians; NaN where there are only NaNs.

    Raises
    ------
    DtypeError, ShapeError
        As for `median`.

    Notes
    -----
    A sort and a count. Differentiable.

    Differs from NumPy: integers become the library's default floating dtype; complex numbers are an
    error; no warning for slices without a number; no ``out`` and ``overwrite_input``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanmedian
    >>> float(nanmedian(np.asarray([3.0, np.nan, 2.0])))
    2.5
    """
    return _median("nanmedian", a, axis, keepdims, True)


@public
def quantile(
    a: A,
    q: Any,
    axis: Any = None,
    *,
    method: Method | str = "linear",
    keepdims: bool = False,
    weights: Any = None,
    nan_policy: Policy | str = "propagate",
) -> A:
    """Compute quantiles along axes.

    Parameters
    ----------
    a : array
        Real.
    q : number, nested lists of numbers, or array
        Probabilities in [0, 1].
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    method : str, optional
        One of Hyndman and Fan's nine: 'inverted_cdf', 'averaged_inverted_cdf',
        'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'linear',
        'median_unbiased', 'normal_unbiased'; or 'lower', 'higher', 'midpoint', 'nearest'.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    weights : array, optional
        Not negative; of the shape of `a`, or of its shape along `axis`. Only for the method
        'inverted_cdf'.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        'propagate': NaNs make the result NaN; 'omit': they are left out; 'raise': they raise
        ArgumentError, but propagate on lazy arrays and on other devices.

    Returns
    -------
    array, shape ``q.shape`` followed by the shape of the reduction
        Of the dtype of `a`, promoted with that of `q` if this is an array. Integers become the
        library's default floating dtype, except with the methods that return elements. NaN where
        there is no element.

    Raises
    ------
    ArgumentError
        If `q` lies outside of [0, 1]; if weights are negative, infinite, NaN or all 0; if an option
        has another value. Arrays are checked if they are eager and on the host. Elsewhere `q` is
        clipped, NaN to 0, and invalid weights give NaN (for integers, an element).
    DtypeError
        If an argument is complex.
    ShapeError
        If shapes don't fit, or an axis is out of range.

    Notes
    -----
    R. J. Hyndman, Y. Fan, Sample quantiles in statistical packages, The American Statistician 50
    (1996) 361-365. A partition on NumPy and a sort elsewhere. Differentiable with respect to `a`
    and, with the methods that interpolate, to an array `q`. On Dask, the axes become one chunk.

    Differs from NumPy: `q` as a list doesn't promote the dtype; infinite elements next to a
    quantile don't make it NaN; no elements give NaN instead of an error; `nan_policy`, as in SciPy.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import quantile
    >>> quantile(np.asarray([1.0, 2.0, 3.0, 5.0]), [0.25, 0.5])
    array([1.75, 2.5 ])
    """
    xp = array_namespace(a, q, weights)
    return _quantile("quantile", xp, a, q, 1, axis, method, keepdims, weights, nan_policy)


@public
def nanquantile(
    a: A,
    q: Any,
    axis: Any = None,
    *,
    method: Method | str = "linear",
    keepdims: bool = False,
    weights: Any = None,
) -> A:
    """Compute quantiles along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real.
    q : number, nested lists of numbers, or array
        Probabilities in [0, 1].
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    method : str, optional
        As for `quantile`.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    weights : array, optional
        As for `quantile`.

    Returns
    -------
    array, shape ``q.shape`` followed by the shape of the reduction
        The result of `quantile` with ``nan_policy='omit'``.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `quantile`.

    Notes
    -----
    A sort and a count. Differentiable as `quantile` is.

    Differs from NumPy as `quantile` does, and there are no warnings.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanquantile
    >>> float(nanquantile(np.asarray([1.0, np.nan, 3.0]), 0.75))
    2.5
    """
    xp = array_namespace(a, q, weights)
    return _quantile("nanquantile", xp, a, q, 1, axis, method, keepdims, weights, "omit")


@public
def percentile(
    a: A,
    q: Any,
    axis: Any = None,
    *,
    method: Method | str = "linear",
    keepdims: bool = False,
    weights: Any = None,
    nan_policy: Policy | str = "propagate",
) -> A:
    """Compute percentiles along axes.

    Parameters
    ----------
    a : array
        Real.
    q : number, nested lists of numbers, or array
        Percentages in [0, 100].
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    method : str, optional
        As for `quantile`.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    weights : array, optional
        As for `quantile`.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        As for `quantile`.

    Returns
    -------
    array, shape ``q.shape`` followed by the shape of the reduction
        ``quantile(a, q / 100)``.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `quantile`.

    Notes
    -----
    As for `quantile`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import percentile
    >>> float(percentile(np.asarray([1.0, 2.0, 3.0, 5.0]), 50))
    2.5
    """
    xp = array_namespace(a, q, weights)
    return _quantile("percentile", xp, a, q, 100, axis, method, keepdims, weights, nan_policy)


# -- selection -------------------------------------------------------------------------------------


def _few(x: Any, kth: Any) -> bool:
    """one row, or few positions."""
    return bool(x.ndim == 1 or (isinstance(kth, tuple) and len(kth) < 16))


@native(numpy="numpy:partition", when=_few)
def _selected(x: Any, kth: Any) -> Any:
    """Partition rows, so that the elements at `kth` are those of the sorted rows."""
    return array_namespace(x).sort(x, axis=-1)


def _median(function: str, a: Any, axis: Any, keepdims: bool, omit: bool) -> Any:
    xp = array_namespace(a)
    integers = not is_floating(xp, numeric(function, xp, "a", a, real=True))
    (a,) = _plan.common_floating(function, xp, ("a",), a, real=True)
    axes = _plan.axis_tuple(function, "axis", axis, a.ndim)
    x = flat(a, axes)
    n = x.shape[-1]
    if n == 0:
        out = as_given(xp.full(x.shape[:-1], xp.nan, dtype=x.dtype, device=device(x)))
    elif omit and not integers and not _countable(x):
        out = _middle_of_numbers(x)
    else:
        omit = omit and not integers
        if omit:
            n = _numbers_in(x)
        out = _middle(x, (n - 1) // 2, n // 2, integers or omit)
    return restored(out, axes, keepdims)


def _in_blocks(x: Any, *options: Any) -> Lines:
    return batches({0: (x, 1)}, ((), x.dtype))


@native(torch="likewise._libs.torch._natives:middle", blocks=_in_blocks)
def _middle(x: Any, low: int, high: int, numbers: bool) -> Any:
    xp = array_namespace(x)
    x = _selected(x, (low, high, -1) if low < high else (low, -1))
    out = x[..., low]
    if low < high:
        with quiet(x):  # of infinities of both signs
            out = (out + x[..., high]) / 2
    if not numbers:
        last = x[..., -1]
        out = xp.where(xp.isnan(last), last, out)
    return as_given(out)


@native(blocks=_in_blocks)
def _middle_of_numbers(x: Any) -> Any:
    xp = array_namespace(x)
    dtype = index_dtype(xp, x)
    n = xp.sum(xp.astype(~xp.isnan(x), dtype), axis=-1, keepdims=True)
    low, high = xp.maximum(n - 1, xp.zeros_like(n)) // 2, n // 2
    # Of an even number of NaNs alone: a NaN.
    high = xp.minimum(high, xp.full_like(high, x.shape[-1] - 1))
    places = xp.concat([low, high], axis=-1)
    pair = xp.take_along_axis(_selected(x, places), places, axis=-1)
    with quiet(x):
        return as_given((pair[..., 0] + pair[..., 1]) / 2)


# -- quantiles -------------------------------------------------------------------------------------


class _Numbers:
    """The functions of a namespace that `_neighbours` needs, on Python's numbers."""

    floor = staticmethod(math.floor)
    ceil = staticmethod(math.ceil)
    round = staticmethod(round)

    @staticmethod
    def where(condition: bool, x1: Any, x2: Any) -> Any:
        return x1 if condition else x2


def _neighbours(ops: Any, method: str, n: Any, q: Any) -> tuple[Any, Any]:
    """Place of the lower neighbour among n sorted elements, from 0, and the weight of the upper.

    The place may be -1, or n - 1 with a weight: then both neighbours are the end that is near.
    """
    before = 0
    if method in ("linear", "midpoint", "lower", "higher", "nearest"):
        place = (n - 1) * q
    elif method in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation"):
        place, before = n * q, 1
    else:
        alpha, beta = _CONTINUOUS[method]
        place = n * q + (alpha + q * (1 - alpha - beta)) - 1
    if method == "nearest":
        place = ops.round(place)
    # Steps are decided by comparisons with the rounded product: a compiler may fuse a product and a
    # subtraction, whose difference is then no longer exactly 0.
    low = ops.floor(place)
    level = place == low
    if method == "closest_observation":
        half = low + 0.5
        level, low = place == half, ops.where(place < half, low - 1, low)
    nought, one = 0 * low, 0 * low + 1
    if method == "lower":
        weight = nought
    elif method in ("higher", "inverted_cdf"):
        weight = ops.where(level, nought, one)
    elif method == "closest_observation":  # with equal distances, the even one, counted from 1
        weight = ops.where(level & (low % 2 == 0), nought, one)
    elif method == "averaged_inverted_cdf":
        weight = ops.where(level, one / 2, one)
    elif method == "midpoint":
        weight = ops.where(level, nought, one / 2)
    else:
        weight = ops.where(level, nought, place - low)
    low = low - before
    return low, weight


def _quantile(
    function: str,
    xp: Any,
    a: Any,
    q: Any,
    unit: int,
    axis: Any,
    method: str,
    keepdims: bool,
    weights: Any,
    nan_policy: str,
) -> Any:
    _plan.choice(function, "method", method, _METHODS)
    _plan.choice(function, "nan_policy", nan_policy, _POLICIES)
    a = numeric(function, xp, "a", a, real=True)
    floating = is_floating(xp, a)
    if method not in _ELEMENTS or a.dtype == xp.bool:
        (a,) = _plan.common_floating(function, xp, ("a",), a, real=True)
    axes = _plan.axis_tuple(function, "axis", axis, a.ndim)
    x = flat(a, axes)
    q, shape, strong = _plan_q(function, xp, q, x, unit)
    if method not in _ELEMENTS and strong is not None:
        x = xp.astype(x, xp.result_type(x.dtype, strong), copy=False)
    if nan_policy == "raise" and floating and is_concrete(x) and bool(xp.any(xp.isnan(x))):
        raise ArgumentError(f"{function}: nan_policy is 'raise', and there are NaNs in a")
    if x.shape[-1] == 0:
        out = _nothing(function, xp, x, shape)
        return as_given(restored(out, axes, keepdims, len(shape)))
    omit = floating and nan_policy == "omit"
    if weights is not None:
        w = _plan_weights(function, xp, a, weights, axes, axis, method)
        out = _weighted(x, w, q, omit)
    elif isinstance(q, tuple) and (not omit or _countable(x)):
        n = x.shape[-1]
        if omit:
            n = _numbers_in(x)
        out = _at_known_places(x, n, q, method, floating and not omit, shape == ())
        if shape == ():
            return as_given(restored(out, axes, keepdims))
    else:
        out = _at_computed_places(x, q, method, floating, omit)
    out = last_to(out, 0)
    if len(shape) != 1:
        out = xp.reshape(out, (*shape, *x.shape[:-1]))
    return as_given(restored(out, axes, keepdims, len(shape)))


def _nothing(function: str, xp: Any, x: Any, shape: tuple[int, ...]) -> Any:
    if not is_floating(xp, x):
        raise ShapeError(f"{function}: a has no elements along the axes, and NaN is no integer")
    return xp.full((*shape, *x.shape[:-1]), xp.nan, dtype=x.dtype, device=device(x))


def _plan_q(function: str, xp: Any, q: Any, x: Any, unit: int) -> tuple[Any, tuple[int, ...], Any]:
    """Probabilities, their shape and, of an array, dtype.

    They are a tuple of Python's numbers, or an array of one dimension.
    """
    if is_neutral(q) or q is None:
        values, shape = _flattened(function, q.item() if hasattr(q, "item") else q)
        for v in values:
            if not 0 <= v <= unit:
                raise ArgumentError(f"{function}: q must lie in [0, {unit}], got {v!r}")
        return (values if unit == 1 else tuple(v / unit for v in values)), shape, None
    _plan.common_floating(function, xp, ("a", "q"), x[..., :0], q, real=True)  # one device
    (q,) = _plan.common_floating(function, xp, ("q",), q, real=True)
    shape, hooks = tuple(q.shape), hooks_of(q)
    # In other precisions what is read might fall on another side of an element.
    few = q.dtype == xp.float64 and math.prod(shape) <= _FEW
    if few and is_concrete(q) and not hooks.recorded(q):
        values, *_ = _plan_q(function, xp, hooks.to_numpy(q).tolist(), x, unit)
        return values, shape, q.dtype
    if unit != 1:
        q = q / unit
    if is_concrete(q):
        if not bool(xp.all((q >= 0) & (q <= 1))):
            raise ArgumentError(f"{function}: q must lie in [0, {unit}], got {q!r}")
    else:
        q = xp.where(q > 0, q, xp.zeros_like(q))
        q = xp.where(q < 1, q, xp.ones_like(q))
    return xp.reshape(q, (-1,)), shape, q.dtype


def _flattened(function: str, q: Any) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The numbers of nested lists, and their shape."""
    if isinstance(q, int | float):
        return (float(q),), ()
    if hasattr(q, "item") and hasattr(q, "dtype"):
        return _flattened(function, q.item())
    if not isinstance(q, list | tuple):
        raise ArgumentError(f"{function}: q must hold real numbers, got {q!r}")
    parts = [_flattened(function, item) for item in q]
    inner = parts[0][1] if parts else ()
    if any(shape != inner for _, shape in parts):
        raise ShapeError(f"{function}: q must be nested evenly, got {q!r}")
    return tuple(v for values, _ in parts for v in values), (len(parts), *inner)


def _countable(x: Any) -> bool:
    """Tell whether reading the number of NaNs is cheap and gives the positions for all rows."""
    return bool(x.ndim == 1 and is_concrete(x))


def _numbers_in(row: Any) -> int:
    xp = array_namespace(row)
    count = xp.count_nonzero(~xp.isnan(row))
    return max(int(count), 1) if is_concrete(row) else 1  # the callers ask `_countable` first


def _places_in_blocks(
    x: Any, n: int, q: tuple[float, ...], method: str, floating: bool, scalar: bool
) -> Lines:
    return batches({0: (x, 1)}, (() if scalar else (len(q),), x.dtype))


@native(torch="likewise._libs.torch._natives:at_places", blocks=_places_in_blocks)
def _at_known_places(
    x: Any, n: int, q: tuple[float, ...], method: str, floating: bool, scalar: bool
) -> Any:
    """Return shape (batch..., number of q), or (batch...) for one scalar."""
    xp = array_namespace(x)
    found = [_neighbours(_Numbers, method, n, v) for v in q]
    low = [min(max(int(i), 0), n - 1) for i, _ in found]
    high = [min(max(int(i) + 1, 0), n - 1) for i, _ in found]
    weight = [float(w) for _, w in found]
    x = _selected(x, tuple(sorted({*low, *high, x.shape[-1] - 1})))
    if scalar:
        out = _between_scalar(xp, x, low[0], high[0], weight[0])
        last = x[..., -1]
    else:
        i, j = (xp.asarray(k, dtype=index_dtype(xp, x), device=device(x)) for k in (low, high))
        if method in _ELEMENTS:
            k = [h if w else p for p, h, w in zip(low, high, weight, strict=True)]
            i = xp.asarray(k, dtype=index_dtype(xp, x), device=device(x))
            out = xp.take(x, i, axis=-1)
        else:
            w = xp.asarray(weight, dtype=x.dtype, device=device(x))
            out = _between(x, xp.take(x, i, axis=-1), xp.take(x, j, axis=-1), w)
        last = x[..., -1:]
    return as_given(xp.where(xp.isnan(last), last, out) if floating else out)


def _between_scalar(xp: Any, x: Any, low: int, high: int, weight: float) -> Any:
    if weight == 0 or low == high:
        return x[..., low]
    if weight == 1:
        return x[..., high]
    # As an array, so that there is one text, and not Python's rounding of the number.
    w = xp.full((), weight, dtype=x.dtype, device=device(x))
    return _between(x, x[..., low], x[..., high], w)


def _between(x: Any, low: Any, high: Any, weight: Any) -> Any:
    """Interpolate from the nearer end; infinite elements with weight 0 have no effect."""
    xp = array_namespace(low)
    with quiet(x):
        width = high - low
        finite = xp.isfinite(width)
        step = xp.where(finite, width, xp.zeros_like(width))
        near = xp.where(weight < 0.5, low + step * weight, high - step * (1 - weight))
        out = xp.where(finite, near, low * (1 - weight) + high * weight)
    out = xp.where(weight == 0, low, out)
    return xp.where(weight == 1, high, out)


def _at_computed_places(x: Any, q: Any, method: str, floating: bool, omit: bool) -> Any:
    """Return shape (batch..., number of q): `q` is an array, or each row counts its numbers."""
    xp = array_namespace(x)
    where, n = device(x), x.shape[-1]
    if isinstance(q, tuple):
        q = xp.asarray(list(q), dtype=_widest(xp, x), device=where)
    last = xp.full((), n - 1, dtype=q.dtype, device=where)
    if omit:
        count = xp.sum(xp.astype(~xp.isnan(x), q.dtype), axis=-1, keepdims=True)
        last = xp.maximum(count - 1, xp.zeros_like(count))
        low, weight = _neighbours(xp, method, last + 1, q)
    else:
        low, weight = _neighbours(xp, method, n, q)
    high = xp.minimum(xp.maximum(low + 1, xp.zeros_like(low)), last)
    low = xp.minimum(xp.maximum(low, xp.zeros_like(low)), last)
    low, high = (xp.astype(i, index_dtype(xp, x)) for i in (low, high))
    every = xp.full((*low.shape[:-1], 1), n - 1, dtype=low.dtype, device=where)
    x = _selected(x, xp.concat([low, high, every], axis=-1) if x.ndim == 1 else None)

    def at(places: Any) -> Any:
        if places.ndim == 1:
            return xp.take(x, places, axis=-1)
        return xp.take_along_axis(x, places, axis=-1)

    if method in _ELEMENTS:
        out = at(xp.where(weight > 0, high, low))
    else:
        out = _between(x, at(low), at(high), xp.astype(weight, x.dtype))
    if not floating or omit:
        return out
    return xp.where(xp.isnan(x[..., -1:]), x[..., -1:], out)


def _widest(xp: Any, x: Any) -> Any:
    """The longest floating dtype that the device has: in float32, places beyond 1e7 are rounded."""
    dtypes = xp.__array_namespace_info__().dtypes(kind="real floating", device=device(x))
    return dtypes.get("float64", xp.float32)


# -- weights ---------------------------------------------------------------------------------------


def _plan_weights(
    function: str, xp: Any, a: Any, weights: Any, axes: tuple[int, ...], axis: Any, method: str
) -> Any:
    """Weights of a's shape, flattened as it is, in the longest floating dtype."""
    if method != "inverted_cdf":
        raise ArgumentError(
            f"{function}: weights go with method 'inverted_cdf' only, got {method!r}"
        )
    w = numeric(function, xp, "weights", weights, real=True)
    along = tuple(a.shape[i] for i in axes)
    if w.shape != a.shape:
        given = axes if axis is None or isinstance(axis, int) else tuple(i % a.ndim for i in axis)
        if axis is None or tuple(w.shape) != tuple(a.shape[i] for i in given):
            raise ShapeError(
                f"{function}: weights must have the shape of a, {tuple(a.shape)}, or of a along "
                f"axis, {along}, but have {tuple(w.shape)}"
            )
        order = sorted(range(len(given)), key=given.__getitem__)
        w = xp.permute_dims(w, tuple(order))
        w = xp.reshape(w, tuple(n if i in axes else 1 for i, n in enumerate(a.shape)))
        w = xp.broadcast_to(w, a.shape)
    w = xp.astype(flat(w, axes), _widest(xp, a))
    if is_concrete(w):
        total = xp.sum(w, axis=-1)
        if not bool(xp.all(w >= 0)) or not bool(xp.all((total > 0) & xp.isfinite(total))):
            raise ArgumentError(
                f"{function}: weights must be finite, not negative, and not all 0, got {w!r}"
            )
    return w


def _weighted(x: Any, w: Any, q: Any, omit: bool) -> Any:
    """The first element at which the cumulative weight reaches the fraction q of the total."""
    xp = array_namespace(x)
    where = device(x)
    if isinstance(q, tuple):
        q = xp.asarray(list(q), dtype=w.dtype, device=where)
    floating = is_floating(xp, x)
    if omit:
        w = xp.where(xp.isnan(x), xp.zeros_like(w), w)
    positive = xp.all(w >= 0, axis=-1, keepdims=True)
    order = xp.argsort(x, axis=-1, stable=False)
    x, w = xp.take_along_axis(x, order, axis=-1), xp.take_along_axis(w, order, axis=-1)
    sums = xp.cumulative_sum(w, axis=-1)
    total = sums[..., -1:]
    good = positive & (total > 0) & xp.isfinite(total)
    part = xp.astype(sums / xp.where(good, total, xp.ones_like(total)), q.dtype)
    # Elements of weight 0 are not found, not even for q = 0.
    part = xp.where(part == 0, xp.full_like(part, -1), part)
    wanted = xp.broadcast_to(q, (*x.shape[:-1], q.shape[0]))
    if x.ndim == 1:
        places = xp.searchsorted(part, wanted)
    else:
        places = search_rows(part, wanted, "left")
    last = xp.full_like(places[..., :1], x.shape[-1])
    if omit:
        last = xp.sum(xp.astype(~xp.isnan(x), places.dtype), axis=-1, keepdims=True)
    places = xp.maximum(xp.minimum(places, last - 1), xp.zeros_like(places))
    out = xp.take_along_axis(x, places, axis=-1)
    if not floating:
        return out
    out = xp.where(good, out, xp.full_like(out, xp.nan))
    return out if omit else xp.where(xp.isnan(x[..., -1:]), x[..., -1:], out)
