"""Least-squares lines through points."""

from dataclasses import field
from typing import Any, ClassVar

from ..._namespace import array_namespace, is_concrete, quiet
from ..._typing import A
from ...errors import ArgumentError
from ...solving._result import result
from .._base._outcomes import Unpacked
from .._base._pvalues import direction
from .._base._samples import Rows, count, enough, filled, limited, nothing, total
from .._base._warnings import tell_degenerate
from ._pairs import pairs
from ._product_moment import by_beta

__all__ = ["LinregressResult", "linregress"]


@result
class LinregressResult(Unpacked):
    """Hold a line: unpacked, its slope, intercept, r, p-value and standard error.

    Attributes
    ----------
    slope, intercept : array
        Of the line.
    rvalue, pvalue : array
        Pearson's correlation, and the p-value of a slope of 0 (Wald's test with Student's t).
    stderr, intercept_stderr : array
        The standard errors of slope and intercept, under the assumption of normal residuals.
    """

    UNPACKED: ClassVar[int] = 5
    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any
    intercept_stderr: Any = field()


def linregress(
    x: A,
    y: A,
    alternative: str = "two-sided",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> LinregressResult:
    """Fit a line to points by least squares.

    Parameters
    ----------
    x, y : array
        Coordinates, real; all dimensions but those of `axis` broadcast, and are a batch.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The sign of the slope under the alternative.
    axis : int, tuple of int or None, optional
        The points' axes, the first by default; None takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out points.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    LinregressResult
        With `slope`, `intercept`, `rvalue`, `pvalue`, `stderr` and `intercept_stderr`. NaN, with a
        warning, of fewer than 2 points.

    Raises
    ------
    ArgumentError
        If an option has another value, or all `x` of the only line are equal; in a batch, that
        line is NaN, with a warning.
    ShapeError
        If the coordinates don't broadcast.

    Notes
    -----
    Draper and Smith, Applied Regression Analysis, chapter 1. Differentiable.

    Differs from SciPy: one vertical line in a batch is no error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import linregress
    >>> line = linregress(np.asarray([0.0, 1.0, 2.0, 3.0]), np.asarray([1.0, 3.0, 5.0, 8.0]))
    >>> float(line.slope.round(6)), float(line.intercept.round(6))
    (2.3, 0.8)
    """
    side = direction("linregress", alternative)
    (a, b), back = pairs("linregress", axis, nan_policy, keepdims, x=x, y=y)
    if enough("linregress", a, least=2) is False:
        nan = back(nothing(a))
        return LinregressResult(nan, nan, nan, nan, nan, nan)
    found = _fitted(a, b, side)
    return LinregressResult(*(back(v[..., 0]) for v in found))


def _fitted(a: Rows, b: Rows, side: int) -> tuple[Any, ...]:
    xp, n = array_namespace(a.x), count(a)
    z = xp.stack((a.x, b.x))
    with quiet(z):
        means = total(Rows(z, a.there)) / n
        off = filled(Rows(z - means, a.there), 0.0)
        square = xp.vecdot(off, off)[..., None] / n
        (xmean, ymean), (xx, yy) = ((v[0, ...], v[1, ...]) for v in (means, square))
        xy = xp.vecdot(off[0, ...], off[1, ...])[..., None] / n
        _upright(a, xx, xmean)
        slope = xy / xx
        intercept = ymean - slope * xmean
        r = xy / xp.sqrt(xx * yy)
        r = limited(r, -1.0, 1.0)
        df = n - 2
        few = df <= 0
        if few is True:
            df = 1
        elif few is not False:
            df = xp.where(few, xp.ones_like(df), df)
        p = by_beta(r, df + 2, side, 1e-20)
        error = xp.sqrt((1 - r) * (1 + r) * yy / (xx * df))
        if few is not False:
            sure = xp.where(xp.isnan(slope), slope, xp.zeros_like(slope))
            certain = xp.where(slope == 0, xp.ones_like(p), sure)
            p = certain if few is True else xp.where(few, certain, p)
            error = sure if few is True else xp.where(few, sure, error)
        return slope, intercept, r, p, error, error * xp.sqrt(xx + xmean * xmean)


def _upright(a: Rows, xx: Any, mean: Any) -> None:
    """Refuse a line whose points have one x, and warn of such in a batch."""
    x = a.x
    if not (is_concrete(x) and is_concrete(xx)):  # a transform may follow y alone
        return
    xp = array_namespace(x)
    if bool(xp.all(xx > xp.finfo(x.dtype).eps * mean * mean)):
        return
    low = xp.min(filled(a, xp.inf), axis=-1, keepdims=True)
    same = low == xp.max(filled(a, -xp.inf), axis=-1, keepdims=True)
    if a.there is not None:
        same = same & (count(a) > 1)
    if not bool(xp.any(same)):
        return
    if x.ndim == 1:
        raise ArgumentError(
            "linregress: Cannot calculate a linear regression if all x values are identical"
        )
    tell_degenerate("linregress: all x values of a line are identical: its slope is NaN")
