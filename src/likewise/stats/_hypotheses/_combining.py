"""P-values of several tests, combined or adjusted.

N. A. Heard, P. Rubin-Delanchy, "Choosing between methods of combining p-values", Biometrika 105
(2018) 239-246; Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995)
289-300; Y. Benjamini, D. Yekutieli, The Annals of Statistics 29 (2001) 1165-1188.
"""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...special import chdtr, chdtrc, log1p, ndtr, ndtri, stdtr
from .._base._pvalues import Significance
from .._base._samples import Rows, count, enough, filled, nothing, samples

__all__ = ["combine_pvalues", "false_discovery_control"]

_METHODS = ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer")


def combine_pvalues(
    pvalues: Any,
    method: str = "fisher",
    weights: Any = None,
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Combine p-values of independent tests of the same hypothesis.

    Parameters
    ----------
    pvalues : array
        The p-values.
    method : {'fisher', 'pearson', 'mudholkar_george', 'tippett', 'stouffer'}, optional
        The statistic.
    weights : array, optional
        For 'stouffer'; it broadcasts with `pvalues`.
    axis, nan_policy, keepdims : optional
        As for `likewise.stats.skew`.

    Returns
    -------
    Significance
        ``statistic`` and ``pvalue``.

    Raises
    ------
    ArgumentError, ShapeError
        If an option has another value, or shapes don't broadcast.

    Notes
    -----
    Heard and Rubin-Delanchy (2018), section 1. Differentiable.

    Examples
    --------
    >>> from likewise.stats import combine_pvalues
    >>> found = combine_pvalues([0.01, 0.05, 0.5])
    >>> round(float(found.statistic), 4), round(float(found.pvalue), 6)
    (16.5881, 0.010922)
    """
    name = "combine_pvalues"
    _plan.choice(name, "method", method, _METHODS)
    given = {"pvalues": pvalues} if weights is None else {"pvalues": pvalues, "weights": weights}
    rows, back = samples(name, axis, nan_policy, keepdims, paired=True, **given)
    good = enough(name, *rows)
    if good is False:
        return Significance(back(nothing(rows[0])), back(nothing(rows[0])))
    p = rows[0]
    xp = array_namespace(p.x)
    with quiet(p.x):
        statistic, pvalue = _combined(xp, method, p, rows[-1] if weights is not None else None)
    if good is not True:
        statistic, pvalue = (xp.where(good, a, nothing(p)) for a in (statistic, pvalue))
    return Significance(back(statistic), back(pvalue))


def _combined(xp: Any, method: str, p: Rows, weights: Rows | None) -> tuple[Any, Any]:
    """Return the statistic and its p-value, shape (...)."""
    n = count(p)
    n = (
        xp.full(p.x.shape[:-1], float(n), dtype=p.x.dtype, device=device(p.x))
        if isinstance(n, int)
        else n[..., 0]
    )

    def total(x: Any) -> Any:
        return xp.sum(x if p.there is None else xp.where(p.there, x, xp.zeros_like(x)), axis=-1)

    x = filled(p, 0.5)
    if method == "fisher":
        statistic = -2 * total(xp.log(x))
        return statistic, chdtrc(2 * n, statistic)
    if method == "pearson":
        statistic = 2 * total(log1p(-x))
        return statistic, chdtr(2 * n, -statistic)
    if method == "mudholkar_george":
        statistic = total(log1p(-x)) - total(xp.log(x))
        df = 5 * n + 4
        scale = xp.sqrt(3 / n * df / (df - 2)) / math.pi
        return statistic, stdtr(df, -statistic * scale)
    if method == "tippett":
        statistic = xp.min(filled(p, 1.0), axis=-1)
        # 1 - (1 - p)^n, without cancellation
        return statistic, -xp.expm1(n * log1p(-statistic))
    z = -ndtri(x)
    w = xp.ones_like(x) if weights is None else weights.x
    statistic = total(w * z) / xp.sqrt(total(w * w))
    return statistic, ndtr(-statistic)


def false_discovery_control(ps: Any, *, axis: int | None = 0, method: str = "bh") -> Any:
    """Adjust p-values to control the false discovery rate.

    Parameters
    ----------
    ps : array
        P-values, in [0, 1].
    axis : int or None, optional
        The axis of the tests; None: of the flattened array.
    method : {'bh', 'by'}, optional
        Benjamini and Hochberg's, for independent tests; Benjamini and Yekutieli's, for any.

    Returns
    -------
    array
        Adjusted p-values, of the shape of `ps`, or flat.

    Raises
    ------
    ArgumentError, ShapeError
        If a p-value isn't in [0, 1], where values are on the host, or an option has another value.

    Notes
    -----
    Those below a level are the discoveries at that rate. O(n log n). Differentiable.

    Examples
    --------
    >>> from likewise.stats import false_discovery_control
    >>> false_discovery_control([0.01, 0.02, 0.2, 0.04])
    array([0.04      , 0.04      , 0.2       , 0.05333333])
    """
    name = "false_discovery_control"
    xp = array_namespace(ps)
    method = str(method).lower()
    _plan.choice(name, "method", method, ("bh", "by"))
    (x,) = _plan.common_floating(name, xp, ("ps",), ps, real=True)
    if is_concrete(x) and not bool(xp.all((x >= 0) & (x <= 1))):
        raise ArgumentError(f"{name}: ps must include only numbers between 0 and 1")
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    if not hasattr(axis, "__index__"):
        raise ArgumentError(f"{name}: axis must be an integer or None, got {axis!r}")
    if x.ndim == 0:
        return as_given(x)
    (axis,) = _plan.axis_tuple(name, "axis", axis, x.ndim)
    n = x.shape[axis]
    if n <= 1:
        return x
    at_end = axis == x.ndim - 1
    x = x if at_end else xp.moveaxis(x, axis, -1)
    order = xp.argsort(x, axis=-1, stable=False)
    ranks = xp.arange(1, n + 1, dtype=x.dtype, device=device(x))
    scaled = _chosen(xp, x, order) * (n / ranks)
    if method == "by":
        scaled = scaled * xp.sum(1 / ranks)
    step = 1
    while step < n:  # least values from each on, by doubling
        rest = xp.minimum(scaled[..., :-step], scaled[..., step:])
        scaled = xp.concat([rest, scaled[..., -step:]], axis=-1)
        step *= 2
    least = xp.minimum(scaled, xp.ones_like(scaled))
    found = _chosen(xp, least, xp.argsort(order, axis=-1, stable=False))
    return found if at_end else xp.moveaxis(found, -1, axis)


def _chosen(xp: Any, x: Any, index: Any) -> Any:
    return xp.take(x, index, axis=0) if x.ndim == 1 else xp.take_along_axis(x, index, axis=-1)
