"""Spearman's correlation: Pearson's of ranks."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from .._base._pvalues import direction
from .._base._ranks import ranked
from .._base._samples import POLICIES, count, enough, filled, limited, nothing
from .._base._warnings import tell_constant, tell_small
from .._resampling._methods import (
    MonteCarloMethod,
    PermutationMethod,
    by_resampling,
    check_method,
)
from ._pairs import SignificanceResult, pairs
from ._product_moment import by_beta

__all__ = ["spearmanr", "spearmanrho"]


def spearmanrho(
    x: A,
    y: A,
    /,
    *,
    alternative: str = "two-sided",
    method: PermutationMethod | MonteCarloMethod | None = None,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Test Spearman's correlation of the ranks of two samples.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    alternative, method, axis, nan_policy, keepdims : optional
        As for `pearsonr`.

    Returns
    -------
    SignificanceResult
        With `statistic` and `pvalue`. NaN, with a warning, of constant samples and of fewer than 2
        observations.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Equal observations have their mean rank; the p-value is that of `pearsonr` (Student's t with
    n - 2 degrees of freedom), which is approximate. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import spearmanrho
    >>> x = np.asarray([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]])
    >>> spearmanrho(x, np.asarray([1.0, 3.0, 2.0, 4.0]), axis=1).statistic
    array([ 0.8, -0.8])
    """
    side = direction("spearmanrho", alternative)
    resampled = check_method("spearmanrho", method, PermutationMethod, MonteCarloMethod)
    (a, b), back = pairs("spearmanrho", axis, nan_policy, keepdims, x=x, y=y)
    if enough("spearmanrho", a, least=2) is False:
        nan = back(nothing(a))
        return SignificanceResult(nan, nan)
    omit = a.there is not None
    xp = array_namespace(a.x)
    both = xp.stack((filled(a, xp.nan), filled(b, xp.nan)), axis=-2)
    r, p = _of_two(both, omit, side, "spearmanrho")
    n = count(a)
    if not isinstance(n, int):
        p = xp.where((n == 2) & ~xp.isnan(r), xp.ones_like(p), p)
    elif n == 2:
        p = xp.where(xp.isnan(r), r, xp.ones_like(p))
    if resampled:

        def statistic(x: Any, y: Any, axis: int) -> Any:
            both = xp.stack(xp.broadcast_arrays(x, y), axis=-2)
            return _of_two(both, False, 0, "spearmanrho")[0][..., 0]

        p = by_resampling("spearmanrho", method, (a, b), statistic, alternative, "pairings")
        p = p[..., None]
    return SignificanceResult(back(r[..., 0]), back(p[..., 0]))


def spearmanr(
    a: A,
    b: A | None = None,
    axis: int | None = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
) -> SignificanceResult:
    """Test Spearman's correlations of the ranks of variables, each with each.

    Parameters
    ----------
    a : array
        One variable, or several of shape (observations, variables), real.
    b : array, optional
        Further variables, with as many observations.
    axis : {0, 1, None}, optional
        The observations' axis; 1 means shape (variables, observations), None flattens each array to
        one variable.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out pairs, separately for each pair of variables.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The sign of the correlation under the alternative.

    Returns
    -------
    SignificanceResult
        With `statistic` and `pvalue`: numbers for two variables, else matrices. NaN, with a
        warning, of constant variables and of fewer than 2 observations.

    Raises
    ------
    ArgumentError
        If an option has another value, or there is one variable.
    ShapeError
        If an array has more than 2 dimensions, or the numbers of observations differ.

    Notes
    -----
    Equal observations have their mean rank; the p-value is that of Student's t with n - 2 degrees
    of freedom, which is approximate. Not differentiable.

    Differs from SciPy: a constant variable of several makes its own correlations NaN, not all.
    `spearmanrho` takes batches of two samples.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import spearmanr
    >>> found = spearmanr(np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([1.0, 3.0, 2.0, 4.0]))
    >>> float(found.statistic.round(6)), float(found.pvalue.round(6))
    (0.8, 0.2)
    """
    side = direction("spearmanr", alternative)
    x = _variables(a, b, axis)
    _plan.choice("spearmanr", "nan_policy", nan_policy, POLICIES)
    xp = array_namespace(x)
    v, n = x.shape
    missing = xp.isnan(x) if nan_policy != "propagate" else None
    omit = missing is not None and not (is_concrete(x) and not bool(xp.any(missing)))
    if omit and nan_policy == "raise" and is_concrete(x):
        raise ArgumentError("spearmanr: The input contains nan values, and nan_policy is 'raise'")
    omit = omit and nan_policy == "omit"
    if n < 2:
        tell_small(f"spearmanr: {n} observations are too few, 2 are needed: the result is NaN")
        nan = xp.sum(x[:, :0], axis=-1) + xp.nan
        nan = as_given(nan[0] if v == 2 else nan[:, None] + nan)
        return SignificanceResult(nan, nan)
    if v > 2 and omit:
        x = xp.stack(xp.broadcast_arrays(x[:, None, :], x[None, :, :]), axis=-2)
        gone = xp.any(xp.isnan(x), axis=-2, keepdims=True)
        x = xp.where(gone, xp.full_like(x, xp.nan), x)
    elif omit:
        x = xp.where(xp.any(missing, axis=0), xp.full_like(x, xp.nan), x)
    if v == 2 or omit:
        r, p = _of_two(x, omit, side, "spearmanr")
        r, p = r[..., 0], p[..., 0]
    else:
        r, p = _each_with_each(x, side)
    if not omit and n == 2:
        p = p + xp.nan  # no degree of freedom
    elif omit:
        few = xp.sum(xp.astype(~xp.isnan(x[..., 0, :]), x.dtype), axis=-1) <= 2
        p = xp.where(few, xp.full_like(p, xp.nan), p)
    return SignificanceResult(as_given(r), as_given(p))


def _variables(a: Any, b: Any, axis: Any) -> Any:
    """The variables of both arrays, shape (variables, observations)."""
    given = {"a": a} if b is None else {"a": a, "b": b}
    xp = array_namespace(*given.values())
    if axis not in (0, 1, None, -1, -2):
        raise ArgumentError(f"spearmanr: axis must be 0, 1 or None, got {axis!r}")
    arrays = _plan.common_floating("spearmanr", xp, tuple(given), *given.values(), real=True)
    rows = []
    for name, x in zip(given, arrays, strict=True):
        if x.ndim > 2 and axis is not None:
            raise ShapeError(
                f"spearmanr: {name} must have 1 or 2 dimensions, got shape {tuple(x.shape)}. "
                "spearmanrho takes batches of two samples."
            )
        if axis is None or x.ndim < 2:
            rows.append(xp.reshape(x, (1, -1)))
        else:
            rows.append(x if axis in (1, -1) else x.T)
    sizes = [x.shape[1] for x in rows]
    if len(set(sizes)) > 1:
        raise ShapeError(
            f"spearmanr: a and b must have as many observations, got {sizes[0]} and {sizes[1]}"
        )
    found = rows[0] if b is None else xp.concat(rows)
    if found.shape[0] < 2:
        raise ArgumentError(
            f"spearmanr: at least 2 variables were expected, got {found.shape[0]} of shape "
            f"{tuple(arrays[0].shape)}"
        )
    return found


def _in_blocks(x: Any, *options: Any) -> Lines:
    return batches({0: (x, 2)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_in_blocks)
def _of_two(x: Any, omit: bool, side: int, function: str) -> tuple[Any, Any]:
    """The correlations of samples of shape (..., 2, n), and p-values: shape (..., 1)."""
    xp = array_namespace(x)
    ranks, _ = ranked(x)
    if omit:
        there = ~xp.isnan(x)
        n = xp.sum(xp.astype(there[..., 0, :], x.dtype), axis=-1, keepdims=True)
        off = xp.where(there, ranks - (n[..., None] + 1) / 2, 0.0)
    else:
        n = x.shape[-1]
        off = ranks - (n + 1) / 2
    square = xp.vecdot(off, off)
    scale = (square[..., 0] * square[..., 1])[..., None]
    with quiet(x):
        r = xp.vecdot(off[..., 0, :], off[..., 1, :])[..., None] / xp.sqrt(scale)
        r = limited(r, -1.0, 1.0)
    nan = scale == 0
    if is_concrete(x) and bool(xp.any(nan)):
        tell_constant(
            f"{function}: An input array is constant; the correlation is not defined: NaN"
        )
    if not omit:
        nan = nan | xp.any(xp.isnan(x), axis=(-2, -1))[..., None]
    r = xp.where(nan, xp.full_like(r, xp.nan), r)
    return r, by_beta(r, n, side)


def _each_with_each(x: Any, side: int) -> tuple[Any, Any]:
    """The matrices of correlations and p-values of shape (variables, observations)."""
    xp = array_namespace(x)
    v, n = x.shape
    off = ranked(x)[0] - (n + 1) / 2
    square = xp.vecdot(off, off)
    constant = square == 0
    if is_concrete(x) and bool(xp.any(constant)):
        tell_constant("spearmanr: An input array is constant; its correlations are NaN")
    square = xp.where(constant | xp.any(xp.isnan(x), axis=-1), xp.nan, square)
    r = (off @ off.T) / xp.sqrt(square[:, None] * square)
    r = limited(r, -1.0, 1.0)
    same = xp.eye(v, dtype=r.dtype, device=device(r)) > 0
    r = xp.where(same & ~xp.isnan(r), xp.ones_like(r), r)
    return r, by_beta(r, n, side)
