"""Estimators of cumulants, and L-moments."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError
from .._base._samples import Rows, count, filled
from ._moments import _orders
from ._rows import average, centred, has_nan, power, reduced, unless

__all__ = ["kstat", "kstatvar", "lmoment"]


@public
def kstat(
    data: A,
    n: int = 2,
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute a k-statistic, the estimator of a cumulant without bias.

    Parameters
    ----------
    data : array
        Real.
    n : {1, 2, 3, 4}, optional
        The order.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `data`; NaN of fewer observations than the order.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if an axis is out of range.

    Notes
    -----
    M. G. Kendall, A. Stuart, The Advanced Theory of Statistics, volume 1, chapter 12, from central
    moments, which lose fewer digits than sums of powers. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kstat
    >>> float(kstat(np.asarray([1.0, 2.0, 3.0, 6.0]), 3))
    12.0
    """
    if n not in (1, 2, 3, 4):
        raise ArgumentError(f"kstat: n must be 1, 2, 3 or 4, got {n!r}")
    order = int(n)

    def body(rows: Rows) -> Any:
        return _kstat(*centred("", rows), order)[..., 0]

    return reduced("kstat", axis, nan_policy, keepdims, body, data=data)


def _kstat(d: Any, m: Any, n: Any, order: int) -> Any:
    if order == 1:
        return m
    if isinstance(n, int) and n < order:
        return unless(True, m)
    m2 = average(d * d, n)
    if order == 2:
        out, below = n * m2, n - 1
    elif order == 3:
        out, below = n * n * average(power(d, 3), n), (n - 1) * (n - 2)
    else:
        out = n * n * ((n + 1) * average(power(d, 4), n) - 3 * (n - 1) * m2 * m2)
        below = (n - 1) * (n - 2) * (n - 3)
    return out / below if isinstance(n, int) else unless(n < order, out / unless(n < order, below))


@public
def kstatvar(
    data: A,
    n: int = 2,
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Estimate the variance of a k-statistic, without bias.

    Parameters
    ----------
    data : array
        Real.
    n : {1, 2}, optional
        The order of the k-statistic.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `data`; NaN of fewer than 2 observations, or 4 for ``n=2``.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `kstat`.

    Notes
    -----
    As for `kstat`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kstatvar
    >>> float(kstatvar(np.asarray([1.0, 2.0, 3.0, 6.0]), 1)) * 6
    7.0
    """
    if n not in (1, 2):
        raise ArgumentError(f"kstatvar: Only n=1 or n=2 supported, got {n!r}")

    def body(rows: Rows) -> Any:
        d, m, size = centred("", rows)
        k2 = _kstat(d, m, size, 2)
        if n == 1:
            return (k2 / size)[..., 0]
        k4 = _kstat(d, m, size, 4)
        return ((2 * size * k2 * k2 + (size - 1) * k4) / (size * (size + 1)))[..., 0]

    return reduced("kstatvar", axis, nan_policy, keepdims, body, data=data)


@public
def lmoment(
    sample: A,
    order: Any = None,
    *,
    axis: Any = 0,
    sorted: bool = False,
    standardize: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute L-moments, of which the second is a scale and ratios describe the shape.

    Parameters
    ----------
    sample : array
        Real.
    order : int or sequence of int, optional
        The orders, from 1. Default: the first four.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    sorted : bool, optional
        Whether the sample is in ascending order.
    standardize : bool, optional
        Whether those of orders from 3 are divided by the second.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `sample`; of several orders, stacked along a new first axis. NaN of
        fewer observations than the order.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an order is not positive, or an option has another value; of complex data; if an axis is
        out of range.

    Notes
    -----
    J. R. M. Hosking, L-moments, J. R. Stat. Soc. B 52 (1990) 105-124: combinations of
    probability-weighted moments. A sort; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import lmoment
    >>> [round(float(v), 12) for v in lmoment(np.asarray([1.0, 2.0, 3.0, 6.0]), order=[1, 2, 3])]
    [3.0, 1.333333333333, 0.375]
    """
    several, orders = _orders("lmoment", [1, 2, 3, 4] if order is None else order, least=1)
    for name, value in {"sorted": sorted, "standardize": standardize}.items():
        if value not in (True, False):
            raise ArgumentError(f"lmoment: `{name}` must be True or False, got {value!r}")

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        n, x = count(rows), rows.x
        if not sorted:
            x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
        j = xp.arange(x.shape[-1], dtype=x.dtype, device=device(x))
        if rows.there is not None:
            x = xp.where(j < n, x, xp.zeros_like(x))
        b, weight = [], xp.ones_like(j)  # binom(j, r) / binom(n - 1, r)
        for r in range(max(max(orders), 2)):
            if r:
                rest = xp.asarray(n - r, dtype=x.dtype, device=device(x))
                rest = xp.where(rest > 0, rest, xp.ones_like(rest))
                weight = weight * (j - (r - 1)) / rest
            b.append(xp.sum(x * weight, axis=-1, keepdims=True) / n)
        moments = {
            k: sum(
                (-1) ** (k - 1 - i) * math.comb(k - 1, i) * math.comb(k - 1 + i, i) * b[i]
                for i in range(k)
            )
            for k in {*orders, 2}
        }
        out = []
        for k in orders:
            value: Any = moments[k] / moments[2] if standardize and k > 2 else moments[k]
            out.append(unless(has_nan(rows)[..., None] | (n < k), value)[..., 0])
        return out

    out = reduced("lmoment", axis, nan_policy, keepdims, body, results=len(orders), sample=sample)
    return array_namespace(sample).stack(out) if several else out[0]
