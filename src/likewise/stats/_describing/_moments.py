"""Moments and what comes of them: skewness, kurtosis, variation, standard errors, a summary."""

import math
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, hooks_of, is_concrete, quiet
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError
from ...missing._axes import as_given, index_dtype
from .._base._samples import Rows, count, enough, filled, mean, samples
from .._base._warnings import tell_of_rounding
from ._rows import (
    average,
    centred,
    has_nan,
    power,
    reduced,
    shared,
    unless,
)

__all__ = ["DescribeResult", "describe", "kurtosis", "moment", "sem", "skew", "variation"]


class DescribeResult(NamedTuple):
    """Hold what `describe` finds: size, extremes, mean, variance, skewness, kurtosis."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


@public
def moment(
    a: A,
    order: Any = 1,
    axis: Any = 0,
    nan_policy: str = "propagate",
    *,
    center: float | None = None,
    keepdims: bool = False,
) -> A:
    """Compute moments about the mean, or about another number.

    Parameters
    ----------
    a : array
        Real.
    order : int or sequence of int, optional
        The orders, from 0.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    center : float, optional
        The number about which to take moments. Default: the mean.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`; of several orders, stacked along a new first axis.

    Raises
    ------
    ArgumentError
        If an order is no integer or negative, or an option has another value.

    Notes
    -----
    A pass for the mean, one for each order. Differentiable with respect to `a`.

    Differs from SciPy: negative orders are an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import moment
    >>> float(moment(np.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), order=2))
    2.0
    """
    several, orders = _orders("moment", order, least=0)

    def body(rows: Rows) -> list[Any]:
        xp = array_namespace(rows.x)
        n, bad = count(rows), has_nan(rows)
        middle = mean(rows) if center is None else center
        d = filled(Rows(rows.x - middle, rows.there), 0.0)
        if max(orders) > 1:
            tell_of_rounding("moment", d, middle, n)
        known = 1 if center is None else 0  # orders whose moments need no data
        ones = xp.ones(bad.shape, dtype=d.dtype, device=device(d))
        return [
            unless(bad, ones * float(k == 0)) if k <= known else average(power(d, k), n)[..., 0]
            for k in orders
        ]

    out = reduced("moment", axis, nan_policy, keepdims, body, results=len(orders), a=a)
    return array_namespace(a).stack(out) if several else out[0]


def _orders(function: str, order: Any, least: int) -> tuple[bool, list[int]]:
    """Tell whether there are several orders, and return them."""
    values = order
    if hasattr(order, "shape"):
        if not is_concrete(order):
            raise ArgumentError(f"{function}: order must be integers that can be read")
        values = hooks_of(order).to_numpy(order).tolist()
    several = isinstance(values, list | tuple | range)
    found = list(values) if several else [values]
    for k in found:
        if not (isinstance(k, int | float) and k >= least and k % 1 == 0):
            raise ArgumentError(
                f"{function}: `order` must be a scalar or a non-empty 1D array of integers from "
                f"{least}, got {order!r}"
            )
    if not found:
        raise ArgumentError(
            f"{function}: `order` must be a scalar or a non-empty 1D array, got {order!r}"
        )
    return several, [int(k) for k in found]


@public
def skew(
    a: A,
    axis: Any = 0,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Compute the skewness: the third central moment over the 3/2 power of the second.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    bias : bool, optional
        If False, the estimator G1 without bias for normal samples, of at least three observations.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`; NaN if all observations are equal.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if an axis is out of range.

    Notes
    -----
    D. N. Joanes, C. A. Gill, Comparing measures of sample skewness and kurtosis, The Statistician
    47 (1998) 183-189. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import skew
    >>> round(float(skew(np.asarray([2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0]))), 12)
    0.26505541227
    """

    def body(rows: Rows) -> Any:
        d, m, n = centred("skew", rows)
        squares = d * d
        return _skewness(average(squares, n), average(squares * d, n), m, n, bias)[..., 0]

    return reduced("skew", axis, nan_policy, keepdims, body, a=a)


def _no_spread(m2: Any, m: Any) -> tuple[Any, Any]:
    """Tell where a variance is but rounding errors of the mean, and return another one there."""
    xp = array_namespace(m2)
    small = xp.finfo(m2.dtype).eps * m
    zero = m2 <= small * small
    return zero, xp.where(zero, xp.ones_like(m2), m2)


def _skewness(m2: Any, m3: Any, m: Any, n: Any, bias: bool) -> Any:
    xp = array_namespace(m2)
    zero, m2 = _no_spread(m2, m)
    g = m3 / (m2 * xp.sqrt(m2))
    if not bias:
        if isinstance(n, int):
            g = g * (math.sqrt(n * (n - 1)) / (n - 2)) if n > 2 else g
        else:
            some = xp.where(n > 2, n, xp.full_like(n, 3.0))
            g = xp.where(n > 2, g * xp.sqrt(some * (some - 1)) / (some - 2), g)
    return unless(zero, g)


@public
def kurtosis(
    a: A,
    axis: Any = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Compute the kurtosis: the fourth central moment over the square of the second.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    fisher : bool, optional
        Whether to subtract 3, the kurtosis of normal distributions.
    bias : bool, optional
        If False, the estimator G2 without bias for normal samples, of at least four observations.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`; NaN if all observations are equal.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `skew`.

    Notes
    -----
    As for `skew`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kurtosis
    >>> round(float(kurtosis(np.asarray([1.0, 2.0, 3.0, 4.0, 5.0]))), 12)
    -1.3
    """

    def body(rows: Rows) -> Any:
        d, m, n = centred("kurtosis", rows)
        squares = d * d
        g = _excess(average(squares, n), average(squares * squares, n), m, n, bias)[..., 0]
        return g if fisher else g + 3.0

    return reduced("kurtosis", axis, nan_policy, keepdims, body, a=a)


def _excess(m2: Any, m4: Any, m: Any, n: Any, bias: bool) -> Any:
    xp = array_namespace(m2)
    zero, m2 = _no_spread(m2, m)
    ratio = m4 / (m2 * m2)
    g = ratio - 3.0
    if not bias:
        many = n > 3
        some = n if isinstance(n, int) else xp.where(many, n, xp.full_like(n, 4.0))
        if not isinstance(n, int) or many:
            scale = 1.0 / ((some - 2) * (some - 3))
            better = ((some * some - 1.0) * ratio - 3 * (some - 1) * (some - 1)) * scale
            g = better if isinstance(n, int) else xp.where(many, better, g)
    return unless(zero, g)


@public
def describe(
    a: A, axis: Any = 0, ddof: float = 1, bias: bool = True, nan_policy: str = "propagate"
) -> DescribeResult:
    """Compute the size, extremes, mean, variance, skewness and kurtosis of samples.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    ddof : float, optional
        The number that is subtracted from the size where the variance divides.
    bias : bool, optional
        As for `skew` and `kurtosis`.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.

    Returns
    -------
    DescribeResult
        ``nobs``, an integer, with 'omit' one of each sample; ``minmax``, two arrays; ``mean``,
        ``variance``, ``skewness`` and ``kurtosis``.

    Raises
    ------
    ArgumentError
        If there are no observations, or an option has another value.

    Notes
    -----
    Deviations are computed once. Differentiable.

    Differs from SciPy: with 'omit' arrays, not masked arrays, and a size of each sample.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import describe
    >>> found = describe(np.arange(10.0))
    >>> int(found.nobs), float(found.mean), round(float(found.variance), 12)
    (10, 4.5, 9.166666666667)
    """
    (rows,), back = samples("describe", axis, nan_policy, a=a)
    x, there = rows
    if x.shape[-1] == 0:
        raise ArgumentError("describe: The input must not be empty.")
    xp = array_namespace(x)
    found = enough("describe", rows)
    with quiet(x):
        low = xp.min(filled(rows, xp.inf), axis=-1)
        high = xp.max(filled(rows, -xp.inf), axis=-1)
        d, m, n = centred("describe", rows)
        squares = d * d
        m2 = average(squares, n)
        skewness = _skewness(m2, average(squares * d, n), m, n, bias)
        excess = _excess(m2, average(squares * squares, n), m, n, bias)
        spread = shared(m2 * n, n, ddof)
        parts = [low, high, *(p[..., 0] for p in (m, spread, skewness, excess))]
        if found is not True:
            parts = [unless(~found, p) for p in parts]
    dtype = index_dtype(xp, x)
    if there is not None:
        size = xp.sum(xp.astype(there, dtype), axis=-1)
    else:
        shape = x.shape[:-1] if nan_policy == "omit" else ()
        size = xp.full(shape, x.shape[-1], dtype=dtype, device=device(x))
    low, high, *rest = map(back, parts)
    return DescribeResult(as_given(size), (low, high), *rest)


@public
def variation(
    a: A,
    axis: Any = 0,
    nan_policy: str = "propagate",
    ddof: float = 0,
    *,
    keepdims: bool = False,
) -> A:
    """Compute the coefficient of variation: the standard deviation over the mean.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    ddof : float, optional
        The number that is subtracted from the size where the variance divides.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`. If `ddof` equals the size: infinite with the sign of the mean,
        or NaN if all observations are equal. NaN if `ddof` is larger.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `skew`.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import variation
    >>> round(float(variation(np.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), ddof=1)), 12)
    0.527046276695
    """

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        d, m, n = centred("", rows)
        squares = xp.sum(d * d, axis=-1, keepdims=True)
        rest = xp.asarray(n - ddof, dtype=d.dtype, device=device(d))
        equal = rest == 0
        out = xp.sqrt(squares / unless(rest <= 0, rest)) / m
        ends = unless(~(squares > 0), xp.copysign(xp.full_like(m, xp.inf), m))
        return xp.where(equal, ends, out)[..., 0]

    return reduced("variation", axis, nan_policy, keepdims, body, a=a)


@public
def sem(
    a: A,
    axis: Any = 0,
    ddof: float = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Compute the standard error of the mean.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    ddof : float, optional
        The number that is subtracted from the size where the variance divides.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`; NaN of fewer observations than two, or than one with `ddof`
        below 1; infinite if `ddof` is too large.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `skew`.

    Notes
    -----
    Differentiable.

    Differs from SciPy: one observation with a `ddof` below 1 gives 0, without a batch too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import sem
    >>> round(float(sem(np.arange(5.0))), 12)
    0.707106781187
    """

    def body(rows: Rows) -> Any:
        d, _, n = centred("", rows)
        xp = array_namespace(d)
        rest = xp.asarray(n - ddof, dtype=d.dtype, device=device(d))
        squares = xp.sum(d * d, axis=-1, keepdims=True)
        return xp.sqrt(squares / xp.where(rest > 0, rest, xp.zeros_like(rest)) / n)[..., 0]

    least = 1 if ddof < 1 else 2
    return reduced("sem", axis, nan_policy, keepdims, body, least=least, a=a)
