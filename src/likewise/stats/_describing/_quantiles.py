"""Quantiles with probabilities of each sample, and what comes of quantiles."""

import math
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_neutral, quiet
from ..._native import Lines, Made, batches, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ArrayTypeError, DtypeError
from ...missing._axes import as_given, flat, index_dtype, last_to
from ...missing._quantile import (
    _at_computed_places,
    _at_known_places,
    _middle,
    _middle_of_numbers,
    _neighbours,
    _selected,
)
from ...missing._search import search_rows
from ...special import betainc
from .._base._samples import POLICIES, Rows, filled
from ._rows import reduced, unless

__all__ = ["iqr", "median_abs_deviation", "quantile", "scoreatpercentile"]

_SCALES = {"normal": 1.3489795003921634}  # the range of quartiles of the standard normal
_NORMAL = 0.6744897501960817  # its upper quartile
_CONTINUOUS = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation"),
    *("interpolated_inverted_cdf", "hazen", "weibull", "linear"),
    *("median_unbiased", "normal_unbiased"),
)
_PLAIN = ("lower", "midpoint", "higher", "nearest")
_ROUNDED = ("round_outward", "round_inward", "round_nearest")


@public
def iqr(
    x: A,
    axis: Any = None,
    rng: tuple[float, float] = (25, 75),
    scale: float | str = 1.0,
    nan_policy: str = "propagate",
    interpolation: str = "linear",
    keepdims: bool = False,
) -> A:
    """Compute the range between the quartiles, or between other percentiles.

    Parameters
    ----------
    x : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    rng : pair of float, optional
        The percentages, in [0, 100].
    scale : float or 'normal', optional
        A divisor; 'normal' is the range of the standard normal distribution.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    interpolation : str, optional
        A method of `likewise.missing.quantile`.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `x`.

    Raises
    ------
    ArgumentError
        If percentages are out of range, or an option has another value.
    ArrayTypeError
        If `rng` has not two elements.
    DtypeError, ShapeError
        Of complex data; if an axis is out of range.

    Notes
    -----
    A partition on NumPy, a sort elsewhere. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import iqr
    >>> float(iqr(np.asarray([[10.0, 7.0, 4.0], [3.0, 2.0, 1.0]])))
    4.0
    """
    if isinstance(scale, str):
        _plan.choice("iqr", "scale", scale.lower(), tuple(_SCALES))
        scale = _SCALES[scale.lower()]
    if not isinstance(rng, list | tuple) or len(rng) != 2:
        raise ArrayTypeError(f"iqr: `rng` must be a two element sequence, got {rng!r}")
    low, high = sorted(float(v) / 100 for v in rng)
    if not (low >= 0 and high <= 1):
        raise ArgumentError(f"iqr: Elements of `rng` must be in the range [0, 100], got {rng!r}")
    method = interpolation.removeprefix("_") if isinstance(interpolation, str) else interpolation
    _plan.choice("iqr", "interpolation", method, (*_CONTINUOUS, *_PLAIN))

    def body(rows: Rows) -> Any:
        n = rows.x.shape[-1]
        if rows.there is None:
            found = _at_known_places(rows.x, n, (low, high), method, True, False)
        else:
            x = filled(rows, array_namespace(rows.x).nan)
            found = _at_computed_places(x, (low, high), method, True, True)
        return (found[..., 1] - found[..., 0]) / scale

    return reduced("iqr", axis, nan_policy, keepdims, body, x=x)


@public
def median_abs_deviation(
    x: A,
    axis: Any = 0,
    center: Callable[..., Any] | None = None,
    scale: float | str = 1.0,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Compute the median of the absolute deviations from the median.

    Parameters
    ----------
    x : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    center : callable, optional
        ``center(x, axis=-1) -> array``, in place of the median.
    scale : float or 'normal', optional
        A divisor; 'normal' is that with which the result estimates a normal's standard deviation.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `x`.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ArrayTypeError
        If `center` can't be called.
    DtypeError, ShapeError
        Of complex data; if an axis is out of range.

    Notes
    -----
    Two partitions on NumPy, two sorts elsewhere. Differentiable.

    Differs from SciPy: with NaNs and 'omit', `center` gets them, and must leave them out, as
    `likewise.missing.nanmean` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import median_abs_deviation
    >>> float(median_abs_deviation(np.asarray([1.0, 2.0, 4.0, 7.0, 100.0])))
    3.0
    """
    if center is not None and not callable(center):
        raise ArrayTypeError(
            f"median_abs_deviation: The argument 'center' must be callable, got {center!r}"
        )
    if isinstance(scale, str):
        _plan.choice("median_abs_deviation", "scale", scale.lower(), ("normal",))
        scale = _NORMAL

    def median(x: Any, omit: bool) -> Any:
        n = x.shape[-1]
        return _middle_of_numbers(x) if omit else _middle(x, (n - 1) // 2, n // 2, False)

    def body(rows: Rows) -> Any:
        xp, omit = array_namespace(rows.x), rows.there is not None
        x = filled(rows, xp.nan)
        middle = median(x, omit) if center is None else center(x, axis=-1)
        deviations = rows._replace(x=xp.abs(rows.x - xp.asarray(middle)[..., None]))
        return median(filled(deviations, xp.nan), omit) / scale

    return reduced("median_abs_deviation", axis, nan_policy, keepdims, body, x=x)


@public
def scoreatpercentile(
    a: A,
    per: Any,
    limit: Any = (),
    interpolation_method: str = "fraction",
    axis: int | None = None,
) -> A:
    """Compute percentiles.

    Parameters
    ----------
    a : array
        Real.
    per : float or sequence of float
        Percentages, in [0, 100].
    limit : pair of float, optional
        What is outside, is left out. With limits, `axis` must be None.
    interpolation_method : {'fraction', 'lower', 'higher'}, optional
        Between two observations: the line, the lower or the higher.
    axis : int or None, optional
        The axis to reduce; None flattens.

    Returns
    -------
    array
        Of the floating dtype of `a`: the shape of `per`, followed by that of the reduction. NaN of
        no observations.

    Raises
    ------
    ArgumentError
        If percentages are out of range, or an option has another value.
    DtypeError, ShapeError
        Of complex data; if the axis is out of range.

    Notes
    -----
    A partition on NumPy, a sort elsewhere. Differentiable. NaNs are the largest numbers.

    Differs from SciPy: `limit` with an axis is an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import scoreatpercentile
    >>> float(scoreatpercentile(np.arange(100.0), 50))
    49.5
    """
    methods = {"fraction": "linear", "lower": "lower", "higher": "higher"}
    _plan.choice("scoreatpercentile", "interpolation_method", interpolation_method, tuple(methods))
    xp = array_namespace(a)
    (x,) = _plan.common_floating("scoreatpercentile", xp, ("a",), a, real=True)
    single = isinstance(per, int | float)
    if hasattr(per, "shape"):
        per = _read("scoreatpercentile", "per", per)
        single = not isinstance(per, list)
    levels = (float(per),) if single else tuple(float(p) for p in per)
    if not all(0 <= p <= 100 for p in levels):
        raise ArgumentError(
            f"scoreatpercentile: percentile must be in the range [0, 100], got {per!r}"
        )
    if axis is None:
        x = xp.reshape(x, (-1,))
    else:
        x = flat(x, _plan.axis_tuple("scoreatpercentile", "axis", axis, x.ndim))
    n, omit = x.shape[-1], limit is not None and len(limit) > 0
    if omit and axis is not None:
        raise ArgumentError("scoreatpercentile: with limit, axis must be None")
    if n == 0 or 0 in x.shape:
        out = xp.full((*x.shape[:-1], len(levels)), xp.nan, dtype=x.dtype, device=device(x))
    elif omit:
        shares = tuple(p / 100 for p in levels)
        inside = unless((x < limit[0]) | (x > limit[1]), x)
        out = _at_computed_places(inside, shares, methods[interpolation_method], True, True)
    else:
        places = tuple(p / 100 * (n - 1) for p in levels)
        return as_given(_between(x, places, interpolation_method, single))
    return as_given(out[..., 0] if single else xp.moveaxis(out, -1, 0))


def _between_in_blocks(x: Any, places: tuple[float, ...], method: str, single: bool) -> Lines:
    made = batches({0: (x, 1)}, ((), x.dtype))
    if single:
        return made
    whole: Any = made.made
    return Lines(made.given, Made((len(places), *whole.shape), (None, *whole.labels), whole.dtype))


@native(blocks=_between_in_blocks)
def _between(x: Any, places: tuple[float, ...], method: str, single: bool) -> Any:
    """Elements of sorted rows at places that may lie between two, (k, batch...)."""
    low, high = ([math.floor(p) for p in places], [math.ceil(p) for p in places])
    x = _selected(x, tuple(sorted({*low, *high})))
    found = []
    for p, i, j in zip(places, low, high, strict=True):
        if i == j or method != "fraction":
            found.append(x[..., j if method == "higher" else i])
        else:
            found.append(x[..., i] * (j - p) + x[..., j] * (p - i))
    return found[0] if single else array_namespace(x).stack(found)


def _read(function: str, name: str, x: Any) -> Any:
    """An array as Python's numbers."""
    if not is_neutral(x) and not is_concrete(x):
        raise ArgumentError(f"{function}: {name} must be numbers that can be read")
    return x.item() if is_neutral(x) else hooks_of(x).to_numpy(x).tolist()


# -- quantiles -------------------------------------------------------------------------------------


@public
def quantile(
    x: A,
    p: A | Numbers,
    *,
    method: str = "linear",
    axis: int | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool | None = None,
    weights: A | Numbers | None = None,
) -> A:
    """Compute quantiles of samples, with own probabilities of each.

    Parameters
    ----------
    x : array
        Real.
    p : array
        Probabilities along `axis`; its other dimensions broadcast with those of `x`. Floating.
    method : str, optional
        One of those of `likewise.missing.quantile`; 'harrell-davis'; 'round_outward',
        'round_inward', 'round_nearest', for trimming and winsorizing.
    axis : int or None, optional
        The axis; None flattens both arrays.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether the axis stays. Default: unless there is one probability of each sample.
    weights : array, optional
        How often each observation counts; only for Hyndman and Fan's methods.

    Returns
    -------
    array
        Of the common floating dtype; along the axis as many as probabilities. NaN of probabilities
        outside of [0, 1] and of no observations.

    Raises
    ------
    ArgumentError
        If an option has another value, or `keepdims` is False and there are several probabilities.
    DtypeError
        If `p` isn't floating, or data aren't real.
    ShapeError
        If shapes don't broadcast, or the axis is out of range.

    Notes
    -----
    R. J. Hyndman, Y. Fan, The American Statistician 50 (1996) 361-365; F. E. Harrell, C. E. Davis,
    Biometrika 69 (1982) 635-640. A sort. Differentiable with respect to `x`, and to `p` where the
    method is continuous.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import quantile
    >>> x = np.asarray([[10.0, 8.0, 7.0, 5.0, 4.0], [0.0, 1.0, 2.0, 3.0, 5.0]])
    >>> quantile(x, np.asarray([[0.25], [0.75]]), axis=-1)
    array([5., 3.])
    """
    name = "quantile"
    xp = array_namespace(x, p, weights)
    method = method.removeprefix("_") if isinstance(method, str) else method
    _plan.choice(name, "method", method, (*_CONTINUOUS, *_PLAIN, "harrell-davis", *_ROUNDED))
    _plan.choice(name, "nan_policy", nan_policy, POLICIES)
    if keepdims not in (None, True, False):
        raise ArgumentError(f"quantile: keepdims must be True, False or None, got {keepdims!r}")
    if weights is not None and method not in _CONTINUOUS:
        raise ArgumentError(f"quantile: `method={method!r}` does not support `weights`.")
    kind = p.dtype if hasattr(p, "dtype") else None
    if kind is not None and not xp.isdtype(kind, "real floating"):
        raise DtypeError(f"quantile: `p` must have real floating dtype, got {kind}")
    if kind is None and isinstance(p, int):
        raise DtypeError(f"quantile: `p` must be floating, got {p!r}. Write {float(p)!r}.")
    given = {"x": x, "p": p} | ({} if weights is None else {"weights": weights})
    arrays = list(_plan.common_floating(name, xp, tuple(given), *given.values(), real=True))
    ndim = max(arrays[0].ndim, arrays[1].ndim)
    flattened = axis is None
    if flattened:
        arrays, axis = [xp.reshape(v, (-1,)) for v in arrays], 0
    elif not hasattr(axis, "__index__"):
        raise ArgumentError(f"quantile: `axis` must be an integer or None, got {axis!r}")
    most = max(1, *(v.ndim for v in arrays))
    (place,) = _plan.axis_tuple(name, "axis", axis, most)
    rows = [flat(xp.reshape(v, (1,) * (most - v.ndim) + tuple(v.shape)), (place,)) for v in arrays]
    batch = _plan.broadcast(name, **{k: v.shape[:-1] for k, v in zip(given, rows, strict=True)})
    rows = [xp.broadcast_to(v, (*batch, v.shape[-1])) for v in rows]
    y, level, w = rows[0], rows[1], None
    if weights is not None:
        w = xp.broadcast_to(rows[2], y.shape)
    if nan_policy == "raise" and is_concrete(y) and bool(xp.any(xp.isnan(y))):
        raise ArgumentError("quantile: The input contains nan values: nan_policy is 'raise'")
    if keepdims is False and level.shape[-1] != 1:
        raise ArgumentError(
            "quantile: `keepdims` may be False only if the length of `p` along `axis` is 1"
        )
    kept = level.shape[-1] != 1 if keepdims is None else keepdims
    if y.shape[-1] == 0:
        out = xp.full(level.shape, xp.nan, dtype=y.dtype, device=device(y))
    else:
        with quiet(y):
            out = _quantiles(y, level, w, method, nan_policy == "omit")
    if not kept:
        return as_given(out[..., 0])
    out = last_to(out, place)
    return xp.reshape(out, (1,) * (ndim - 1) + tuple(out.shape)) if flattened else out


def _in_blocks(x: Any, p: Any, w: Any, *options: Any) -> Lines:
    given = {0: (x, 1), 1: (p, 1)} | ({} if w is None else {2: (w, 1)})
    return batches(given, ((p.shape[-1],), x.dtype))


@native(blocks=_in_blocks)
def _quantiles(x: Any, p: Any, w: Any, method: str, omit: bool) -> Any:
    """Quantiles (batch..., k) of rows (batch..., n) at levels (batch..., k)."""
    xp = array_namespace(x)
    dtype, size = index_dtype(xp, x), x.shape[-1]
    bad = ~((p >= 0) & (p <= 1))
    p = xp.where(bad, xp.full_like(p, 0.5), p)
    if w is None:
        x = xp.sort(x, axis=-1, stable=False)
    else:
        # What has no weight goes to the end, before NaNs.
        order = xp.argsort(xp.where(w == 0, xp.full_like(x, xp.inf), x), axis=-1)
        x, w = xp.take_along_axis(x, order, axis=-1), xp.take_along_axis(w, order, axis=-1)
    strange = xp.isnan(x)
    counted = ~strange if w is None else ~strange & (w != 0)
    n = xp.sum(xp.astype(counted, x.dtype), axis=-1, keepdims=True)
    bad = bad | (n == 0)
    if not omit:
        strange = strange if w is None else strange & (w != 0)
        bad = bad | xp.any(strange, axis=-1, keepdims=True)
    n = xp.where(n == 0, xp.full_like(n, size), n)
    if method == "harrell-davis":
        edges = xp.arange(size + 1, dtype=x.dtype, device=device(x)) / n
        edges = xp.minimum(edges, xp.ones_like(edges))[..., None, :]
        part = betainc((p * (n + 1))[..., None], ((1 - p) * (n + 1))[..., None], edges)
        part = part[..., 1:] - part[..., :-1]
        place = xp.arange(size, dtype=x.dtype, device=device(x))
        x = xp.where(place < n, x, xp.zeros_like(x))
        out = xp.sum(xp.where(xp.isnan(part), 0.0, part) * x[..., None, :], axis=-1)
        return unless(bad, out)

    def at(places: Any) -> Any:
        places = xp.maximum(xp.minimum(places, n - 1), xp.zeros_like(places))
        return xp.take_along_axis(x, xp.astype(places, dtype), axis=-1)

    if method in _ROUNDED:
        low, high = {
            "round_outward": (xp.floor, xp.ceil),
            "round_inward": (xp.ceil, xp.floor),
            "round_nearest": (xp.round, xp.round),
        }[method]
        return unless(bad, at(xp.where(p < 0.5, low(p * n), high(n * p - 1))))
    if w is None:
        low, weight = _neighbours(xp, method, n, p)
        low, high = at(low), at(low + 1)
    else:
        low, high, weight = _weighed(xp, method, p, w, n)
        low, high = at(low), at(high)
    equal = (weight == 0) | (low == high)
    mixed = low + xp.where(equal, xp.zeros_like(low), high - low) * weight
    return unless(bad, xp.where(weight == 1, high, mixed))


def _weighed(xp: Any, method: str, p: Any, w: Any, n: Any) -> tuple[Any, Any, Any]:
    """Neighbours, and the weight of the upper, where observations count several times."""
    sums = xp.cumulative_sum(w, axis=-1)
    last = xp.astype(n - 1, index_dtype(xp, w))
    whole = xp.take_along_axis(sums, last, axis=-1)
    offset: Any = {
        "closest_observation": -0.5,
        "hazen": 0.5,
        "weibull": p,
        "linear": 1 - p,
        "median_unbiased": p / 3 + 1 / 3,
        "normal_unbiased": p / 4 + 3 / 8,
    }.get(method, 0.0)
    place = p * whole + offset
    sums = xp.broadcast_to(sums, (*place.shape[:-1], sums.shape[-1]))
    high, low = (xp.astype(search_rows(sums, v, "right"), w.dtype) for v in (place, place - 1))
    weight = place - xp.floor(place)
    if method == "inverted_cdf":
        weight = xp.astype(weight > 0, w.dtype)
    elif method == "averaged_inverted_cdf":
        weight = (1 + xp.astype(weight > 0, w.dtype)) / 2
    elif method == "closest_observation":
        weight = 1 - xp.astype((weight == 0) & (low - 2 * xp.floor(low / 2) == 1), w.dtype)
    if method in _CONTINUOUS[:3]:
        weight = xp.where(place < 0, xp.zeros_like(weight), weight)
    return low, high, xp.where(low < 0, xp.zeros_like(weight), weight)
