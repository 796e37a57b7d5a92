"""Robust lines through points: medians of slopes."""

from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from ...missing._axes import index_dtype
from ...special import ndtri
from .._base._ranks import ranked
from .._base._samples import count, enough, filled, limited, nothing
from .._base._warnings import tell_degenerate
from ._pairs import pairs

__all__ = ["SiegelslopesResult", "TheilslopesResult", "siegelslopes", "theilslopes"]


class TheilslopesResult(NamedTuple):
    """Hold a line, and the bounds of a confidence interval of its slope."""

    slope: Any
    intercept: Any
    low_slope: Any
    high_slope: Any


class SiegelslopesResult(NamedTuple):
    """Hold a line."""

    slope: Any
    intercept: Any


def theilslopes(
    y: A,
    x: A | None = None,
    alpha: float = 0.95,
    method: str = "separate",
    *,
    axis: int | tuple[int, ...] | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TheilslopesResult:
    """Fit a line by the median of the slopes between points (Theil and Sen).

    Parameters
    ----------
    y : array
        Real; all dimensions but those of `axis` are a batch.
    x : array, optional
        Broadcasts with `y`; 0, 1, 2... by default.
    alpha : float, optional
        The confidence level, between 0 and 1; 0.05 means the same as 0.95.
    method : {'separate', 'joint'}, optional
        The intercept: ``median(y) - slope * median(x)``, or ``median(y - slope * x)``.
    axis : int, tuple of int or None, optional
        The points' axes; None, the default, takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out points.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    TheilslopesResult
        With `slope`, `intercept`, `low_slope` and `high_slope`; NaN, with a warning, if all `x` are
        equal or there are fewer than 2 points.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the coordinates don't broadcast.

    Notes
    -----
    Sen, J. Am. Stat. Assoc. 63, 1968, equation 2.6. All slopes are made and sorted, n**2 / 2 a
    line. Differentiable.

    Differs from SciPy: float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import theilslopes
    >>> float(theilslopes(np.asarray([1.0, 3.0, 5.0, 70.0, 9.0])).slope)
    2.0
    """
    _plan.choice("theilslopes", "method", method, ("separate", "joint"))
    if not 0 < alpha < 1:
        raise ArgumentError(f"theilslopes: alpha must lie between 0 and 1, got {alpha!r}")
    found = _points("theilslopes", y, x, axis, nan_policy, keepdims)
    if len(found) == 2:
        return TheilslopesResult(*(found[0],) * 4)
    b, a, omit, back = found
    level = 1 - alpha if alpha > 0.5 else alpha
    values = _of_pairs(b, a, omit, level, method == "joint")
    return TheilslopesResult(*(back(v[..., 0]) for v in values))


def siegelslopes(
    y: A,
    x: A | None = None,
    method: str = "hierarchical",
    *,
    axis: int | tuple[int, ...] | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SiegelslopesResult:
    """Fit a line by the median, over points, of the median of the slopes to others (Siegel).

    Parameters
    ----------
    y : array
        Real; all dimensions but those of `axis` are a batch.
    x : array, optional
        Broadcasts with `y`; 0, 1, 2... by default.
    method : {'hierarchical', 'separate'}, optional
        The intercept: ``median(y - slope * x)``, or a median of medians, too.
    axis, nan_policy, keepdims : optional
        As for `theilslopes`.

    Returns
    -------
    SiegelslopesResult
        With `slope` and `intercept`; NaN, with a warning, if all `x` are equal or there are fewer
        than 2 points.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the coordinates don't broadcast.

    Notes
    -----
    Siegel, Biometrika 69, 1982. All slopes are made and sorted, n**2 a line. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import siegelslopes
    >>> float(siegelslopes(np.asarray([1.0, 3.0, 5.0, 70.0, 9.0])).slope)
    2.0
    """
    _plan.choice("siegelslopes", "method", method, ("hierarchical", "separate"))
    found = _points("siegelslopes", y, x, axis, nan_policy, keepdims)
    if len(found) == 2:
        return SiegelslopesResult(*found)
    b, a, omit, back = found
    values = _repeated(b, a, omit, method == "separate")
    return SiegelslopesResult(*(back(v[..., 0]) for v in values))


def _points(
    function: str, y: Any, x: Any, axis: Any, nan_policy: str, keepdims: bool
) -> tuple[Any, ...]:
    """The points with NaNs for those left out, and whether some may be; two NaNs of too few."""
    if x is None:
        (b,), back = pairs(function, axis, nan_policy, keepdims, y=y)
        xp = array_namespace(b.x)
        if b.there is None:
            at = xp.arange(b.x.shape[-1], dtype=b.x.dtype, device=device(b.x))
        else:  # of the points that are left
            at = xp.cumulative_sum(xp.astype(b.there, b.x.dtype), axis=-1) - 1
        a = b._replace(x=xp.broadcast_to(at, b.x.shape))
    else:
        (b, a), back = pairs(function, axis, nan_policy, keepdims, y=y, x=x)
        xp = array_namespace(b.x)
    if enough(function, b, least=2) is False:
        nan = back(nothing(b))
        return nan, nan
    omit = b.there is not None
    b_x, a_x = filled(b, xp.nan), filled(a, xp.nan)
    nan = xp.isnan(b_x) | xp.isnan(a_x)
    if is_concrete(a_x):
        same = xp.all((a_x == xp.max(filled(a, -xp.inf), axis=-1, keepdims=True)) | nan, axis=-1)
        if bool(xp.any(same & (count(a) >= 2 if not omit else count(a)[..., 0] >= 2))):
            tell_degenerate(f"{function}: All `x` coordinates are identical: the slope is NaN")
    return b_x, a_x, omit, back


def _in_blocks(y: Any, x: Any, *options: Any) -> Lines:
    made = ((1,), y.dtype)
    return batches({0: (y, 1), 1: (x, 1)}, *[made] * (4 if len(options) == 3 else 2))


def _middle(values: Any) -> tuple[Any, Any, Any]:
    """The median of the numbers of rows, the rows sorted, and how many they are: (..., 1)."""
    xp = array_namespace(values)
    values = xp.sort(values, axis=-1, stable=False)
    n = xp.sum(xp.astype(~xp.isnan(values), values.dtype), axis=-1, keepdims=True)
    low = xp.floor((n - 1) / 2)
    both = _at(values, xp.concat([low, n - 1 - low], axis=-1))
    return (both[..., :1] + both[..., 1:]) / 2, values, n


def _median(values: Any) -> Any:
    return _middle(values)[0]


def _at(values: Any, k: Any) -> Any:
    """The element of each row at an index, which is whole and floating; the last beyond it."""
    xp = array_namespace(values)
    k = limited(xp.where(xp.isfinite(k), k, 0.0), 0.0, values.shape[-1] - 1.0)
    return xp.take_along_axis(values, xp.astype(k, index_dtype(xp, values)), axis=-1)


def _slopes(dy: Any, dx: Any) -> Any:
    """Slopes, NaN of points with one x."""
    xp = array_namespace(dx)
    none = (dx == 0) | xp.isnan(dx) | xp.isnan(dy)
    return xp.where(none, xp.nan, xp.where(none, 0.0, dy) / xp.where(none, 1.0, dx))


def _off(y: Any, slope: Any, x: Any, gone: Any) -> Any:
    """Subtract a line through 0; NaN of points that are gone."""
    xp = array_namespace(y)
    y, x = (xp.where(gone, 0.0, v) for v in (y, x))
    return xp.where(gone, xp.nan, y - slope * x)


@native(blocks=_in_blocks)
def _of_pairs(y: Any, x: Any, omit: bool, level: float, joint: bool) -> tuple[Any, ...]:
    xp, n = array_namespace(x), x.shape[-1]
    nan = xp.isnan(x) | xp.isnan(y)
    where, dtype = device(x), index_dtype(xp, x)
    first = [i for i in range(n) for _ in range(i + 1, n)]
    second = [j for i in range(n) for j in range(i + 1, n)]
    i, j = (xp.asarray(k, dtype=dtype, device=where) for k in (first, second))
    with quiet(x):
        dx, dy = (xp.take(z, j, axis=-1) - xp.take(z, i, axis=-1) for z in (x, y))
        slope, slopes, total = _middle(_slopes(dy, dx))
        intercept = _median(_off(y, slope, x, nan)) if joint else _median(y) - slope * _median(x)
        there = xp.astype(~nan, x.dtype)
        m = xp.sum(there, axis=-1, keepdims=True)
        variance = m * (m - 1) * (2 * m + 5)
        for z in (x, y):
            t = ranked(z)[1]
            variance = variance - xp.sum(there * (t - 1) * (2 * t + 5), axis=-1, keepdims=True)
        sigma = xp.sqrt(variance / 18)
        z = ndtri(xp.full_like(sigma, level / 2)) * sigma
        up = xp.minimum(xp.round((total - z) / 2), total - 1)
        down = xp.maximum(xp.round((total + z) / 2) - 1, xp.zeros_like(z))
        # A row that is all NaN has no bounds; SciPy takes the last slope for an index beyond it.
        low, high = _at(slopes, down), _at(slopes, up)
        bad = xp.isnan(sigma) | (total == 0)
        low, high = (xp.where(bad, xp.nan, v) for v in (low, high))
        found = slope, intercept, low, high
        if omit:
            return found
        gone = xp.any(nan, axis=-1, keepdims=True)
        return tuple(xp.where(gone, xp.nan, v) for v in found)


@native(blocks=_in_blocks)
def _repeated(y: Any, x: Any, omit: bool, separate: bool) -> tuple[Any, ...]:
    xp = array_namespace(x)
    nan = xp.isnan(x) | xp.isnan(y)
    with quiet(x):
        dx = x[..., :, None] - x[..., None, :]
        dy = y[..., :, None] - y[..., None, :]
        slope = _median(_median(_slopes(dy, dx))[..., 0])
        if separate:
            cross = x[..., :, None] * y[..., None, :] - y[..., :, None] * x[..., None, :]
            intercept = _median(_median(_slopes(cross, dx))[..., 0])
        else:
            intercept = _median(_off(y, slope, x, nan))
        found = slope, intercept
        if omit:
            return found
        gone = xp.any(nan, axis=-1, keepdims=True)
        return tuple(xp.where(gone, xp.nan, v) for v in found)
