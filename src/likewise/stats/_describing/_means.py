"""Geometric, harmonic and power means, with weights; expectiles."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, is_concrete
from ..._native import public
from ..._typing import A, Numbers
from ...errors import ArgumentError, NotSupported
from ...missing._axes import index_dtype
from .._base._samples import Rows, filled
from .._base._warnings import tell_degenerate
from ._rows import reduced, unless

__all__ = ["expectile", "gmean", "hmean", "pmean"]


@public
def gmean(
    a: A,
    axis: Any = 0,
    dtype: Any = None,
    weights: A | Numbers | None = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the geometric mean: the exponential of the mean of the logarithms.

    Parameters
    ----------
    a : array
        Real, not negative.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    dtype : dtype, optional
        The floating dtype in which to compute. Default: that of `a`.
    weights : array, optional
        Broadcasts with `a`.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out with their weights, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        NaN where there are negative numbers.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if shapes don't fit.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import gmean
    >>> round(float(gmean(np.asarray([1.0, 4.0, 16.0]))), 12)
    4.0
    """

    def forth(xp: Any, x: Any) -> Any:
        return xp.log(x)

    def home(xp: Any, m: Any) -> Any:
        return xp.exp(m)

    return _mean("gmean", forth, home, a, axis, dtype, weights, nan_policy, keepdims)


@public
def hmean(
    a: A,
    axis: Any = 0,
    dtype: Any = None,
    *,
    weights: A | Numbers | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the harmonic mean: the reciprocal of the mean of the reciprocals.

    Parameters
    ----------
    a : array
        Real, not negative.
    axis, dtype, weights, nan_policy, keepdims : optional
        As for `gmean`.

    Returns
    -------
    array
        0 where there are zeros; NaN where there are negative numbers, with a warning if they can be
        read.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `gmean`.

    Notes
    -----
    Differentiable where no number is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import hmean
    >>> round(float(hmean(np.asarray([1.0, 4.0, 4.0]))), 12)
    2.0
    """
    return _positive("hmean", -1, a, axis, dtype, weights, nan_policy, keepdims)


@public
def pmean(
    a: A,
    p: float,
    *,
    axis: Any = 0,
    dtype: Any = None,
    weights: A | Numbers | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute a power mean: the p-th root of the mean of the p-th powers.

    Parameters
    ----------
    a : array
        Real, not negative.
    p : float
        The exponent; 0 gives the geometric mean.
    axis, dtype, weights, nan_policy, keepdims : optional
        As for `gmean`.

    Returns
    -------
    array
        NaN where there are negative numbers, with a warning if they can be read.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If `p` is no number; as for `gmean`.
    NotSupported
        If `p` is infinite.

    Notes
    -----
    Differentiable with respect to `a` where no number is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import pmean
    >>> round(float(pmean(np.asarray([1.0, 7.0]), 2)), 12)
    5.0
    """
    if not isinstance(p, int | float):
        raise ArgumentError(
            f"pmean: Power mean only defined for exponent of type int or float, got p={p!r}"
        )
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    if math.isinf(p):
        raise NotSupported(f"pmean: Power mean only implemented for finite `p`, got {p!r}")
    return _positive("pmean", p, a, axis, dtype, weights, nan_policy, keepdims)


def _positive(function: str, p: float, a: Any, axis: Any, dtype: Any, *options: Any) -> Any:
    def forth(xp: Any, x: Any) -> Any:
        negative = x < 0
        if is_concrete(x) and bool(xp.any(negative)):
            kind = "harmonic" if function == "hmean" else "power"
            tell_degenerate(
                f"{function}: The {kind} mean is only defined if all elements are non-negative; "
                "otherwise, the result is NaN."
            )
        return unless(negative, 1.0 / x if p == -1 else x ** float(p))

    def home(xp: Any, m: Any) -> Any:
        return 1.0 / m if p == -1 else m ** (1.0 / p)

    return _mean(function, forth, home, a, axis, dtype, *options)


def _mean(
    function: str,
    forth: Callable[[Any, Any], Any],
    home: Callable[[Any, Any], Any],
    a: Any,
    axis: Any,
    dtype: Any,
    weights: Any,
    nan_policy: str,
    keepdims: bool,
) -> Any:
    """The mean of transformed numbers, transformed back."""
    xp = array_namespace(a, weights)
    if dtype is not None:
        a = xp.astype(a, dtype)
        if hasattr(weights, "dtype"):
            weights = xp.astype(weights, dtype)

    def body(x: Rows, w: Rows | None = None) -> Any:
        y = filled(Rows(forth(xp, x.x), x.there), 0.0)
        if w is None:
            n: Any = (
                y.shape[-1] if x.there is None else xp.sum(xp.astype(x.there, y.dtype), axis=-1)
            )
            return home(xp, xp.sum(y, axis=-1) / n)
        weight = filled(w, 0.0)
        return home(xp, xp.sum(weight * y, axis=-1) / xp.sum(weight, axis=-1))

    given = {"a": a} if weights is None else {"a": a, "weights": weights}
    return reduced(function, axis, nan_policy, keepdims, body, paired=True, **given)


@public
def expectile(
    a: A,
    alpha: float = 0.5,
    *,
    weights: A | Numbers | None = None,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute an expectile: the number from which asymmetrically weighted deviations cancel.

    Parameters
    ----------
    a : array
        Real.
    alpha : float, optional
        The level, in [0, 1]; 0.5 gives the mean.
    weights : array, optional
        Broadcasts with `a`.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out with their weights, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`.

    Raises
    ------
    ArgumentError
        If `alpha` is outside of [0, 1].
    DtypeError, ShapeError
        As for `gmean`.

    Notes
    -----
    W. K. Newey, J. L. Powell, Asymmetric least squares estimation and testing, Econometrica 55
    (1987) 819-847. The condition is linear between neighbours of the sorted sample: a sort and sums
    give the root exactly. Differentiable.

    Differs from SciPy: no iteration; `axis`, `nan_policy`, `keepdims`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import expectile
    >>> round(float(expectile(np.asarray([1.0, 4.0, 2.0, -1.0]), 0.9)), 12)
    3.166666666667
    """
    if not 0 <= alpha <= 1:
        raise ArgumentError(
            f"expectile: The expectile level alpha must be in the range [0, 1], got {alpha!r}"
        )

    def body(x: Rows, w: Rows | None = None) -> Any:
        xp = array_namespace(x.x)
        inside = xp.ones_like(x.x, dtype=xp.bool) if x.there is None else x.there
        if w is None and x.there is None:
            weight, y = xp.ones_like(x.x), xp.sort(x.x, axis=-1, stable=False)
        else:
            order = xp.argsort(filled(x, xp.inf), axis=-1, stable=False)
            weight = xp.astype(inside, x.x.dtype) if w is None else filled(w, 0.0)
            inside, weight, y = (
                xp.take_along_axis(v, order, axis=-1) for v in (inside, weight, filled(x, 0.0))
            )
        up = xp.cumulative_sum(weight, axis=-1)
        # About the mean, so that a large one costs no digits.
        m = xp.sum(weight * y, axis=-1, keepdims=True) / up[..., -1:]
        y = y - m
        below = xp.cumulative_sum(weight * y, axis=-1)
        # The condition right of each element: slope t = level, of one sign up to the expectile.
        slope = (1 - alpha) * up + alpha * (up[..., -1:] - up)
        level = (1 - alpha) * below + alpha * (below[..., -1:] - below)
        found = xp.astype(inside & (slope * y <= level), index_dtype(xp, y))
        k = xp.sum(found, axis=-1, keepdims=True) - 1
        k = xp.maximum(k, xp.zeros_like(k))
        slope, level, y = (xp.take_along_axis(v, k, axis=-1) for v in (slope, level, y))
        flat = slope == 0  # at the ends, of the levels 0 and 1
        return (m + xp.where(flat, y, level / xp.where(flat, xp.ones_like(y), slope)))[..., 0]

    given = {"a": a} if weights is None else {"a": a, "weights": weights}
    return reduced("expectile", axis, nan_policy, keepdims, body, paired=True, **given)
