"""Standard scores, and the geometric standard deviation."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_concrete, quiet
from ..._native import public
from ..._typing import A, Numbers
from .._base._samples import enough, nothing, samples
from .._base._warnings import tell_degenerate
from ._rows import reduced, unless, variance

__all__ = ["gstd", "gzscore", "zmap", "zscore"]


@public
def zscore(a: A, axis: Any = 0, ddof: float = 0, nan_policy: str = "propagate") -> A:
    """Compute standard scores: deviations from the mean in units of the standard deviation.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes of the observations; None means all.
    ddof : float, optional
        The number that is subtracted from the size where the variance divides.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make scores NaN, are left out of means and variances, or raise ArgumentError.

    Returns
    -------
    array
        Of the shape and floating dtype of `a`; NaN where all observations are equal.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if an axis is out of range.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import zscore
    >>> zscore(np.asarray([1.0, 2.0, 3.0, 4.0]), ddof=1).round(3)
    array([-1.162, -0.387,  0.387,  1.162])
    """
    (x,) = _plan.common_floating("zscore", array_namespace(a), ("a",), a, real=True)
    return _scores("zscore", x, None, axis, ddof, nan_policy)


@public
def gzscore(a: A, *, axis: Any = 0, ddof: float = 0, nan_policy: str = "propagate") -> A:
    """Compute geometric standard scores: those of the logarithms.

    Parameters
    ----------
    a : array
        Real, positive.
    axis : int, tuple of int or None, optional
        The axes of the observations; None means all.
    ddof : float, optional
        As for `zscore`.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        As for `zscore`.

    Returns
    -------
    array
        Of the shape and floating dtype of `a`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `zscore`.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import gzscore
    >>> gzscore(np.asarray([1.0, 10.0, 100.0])).round(3)
    array([-1.225,  0.   ,  1.225])
    """
    xp = array_namespace(a)
    (x,) = _plan.common_floating("gzscore", xp, ("a",), a, real=True)
    return _scores("gzscore", _log(x), None, axis, ddof, nan_policy)


@public
def zmap(
    scores: A,
    compare: A | Numbers,
    axis: Any = 0,
    ddof: float = 0,
    nan_policy: str = "propagate",
) -> A:
    """Compute standard scores by the mean and standard deviation of another sample.

    Parameters
    ----------
    scores : array
        The numbers to score. Real.
    compare : array
        The sample. Real; its statistics broadcast with `scores`.
    axis : int, tuple of int or None, optional
        The axes of the observations in `compare`; None means all.
    ddof : float, optional
        As for `zscore`.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        As for `zscore`.

    Returns
    -------
    array
        Of the common floating dtype.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `zscore`.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import zmap
    >>> zmap(np.asarray([0.5, 2.0, 2.5, 3.0]), np.asarray([0.0, 1.0, 2.0, 3.0, 4.0])).round(3)
    array([-1.061,  0.   ,  0.354,  0.707])
    """
    xp = array_namespace(scores, compare)
    x, y = _plan.common_floating("zmap", xp, ("scores", "compare"), scores, compare, real=True)
    # SciPy compares a sample with itself as zscore does.
    return _scores("zmap", x, None if scores is compare else y, axis, ddof, nan_policy)


def _log(x: Any) -> Any:
    """The logarithm; NaNs have no derivatives that spread."""
    xp = array_namespace(x)
    gone = xp.isnan(x)
    with quiet(x):
        return xp.where(gone, xp.nan, xp.log(xp.where(gone, 1.0, x)))


def _scores(function: str, x: Any, compare: Any, axis: Any, ddof: float, nan_policy: str) -> Any:
    """Scores by another sample, or by their own: then NaN where there is no spread."""
    own = compare is None
    (rows,), back = samples(function, axis, nan_policy, True, a=x if own else compare)
    xp = array_namespace(x)
    if 0 in rows.x.shape and own:
        return x
    found = True if own else enough(function, rows)
    if found is False:
        return x * back(nothing(rows))
    with quiet(x):
        spread, m, _ = variance(function, rows, ddof)
        spread = xp.sqrt(spread)
        if own:
            spread = unless(spread <= xp.abs(xp.finfo(x.dtype).eps * m), spread)
        if rows.x is x:
            return (x - m) / spread
        gone = xp.isnan(x) if own and rows.there is not None else None
        x = x if gone is None else xp.where(gone, 1.0, x)
        out = (x - back(m[..., 0])) / back(spread[..., 0])
        return out if gone is None else xp.where(gone, xp.nan, out)


@public
def gstd(
    a: A,
    axis: Any = 0,
    ddof: float = 1,
    *,
    keepdims: bool = False,
    nan_policy: str = "propagate",
) -> A:
    """Compute the geometric standard deviation.

    Parameters
    ----------
    a : array
        Real, positive.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    ddof : float, optional
        The number that is subtracted from the size where the variance divides.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.

    Returns
    -------
    array
        The exponential of the standard deviation of the logarithms, of the floating dtype of `a`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `zscore`.

    Notes
    -----
    Differentiable. Numbers that aren't positive make the result NaN, with a warning where they can
    be read.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import gstd
    >>> round(float(gstd(np.asarray([1.0, 10.0, 100.0]))), 12)
    10.0
    """
    xp = array_namespace(a)
    (x,) = _plan.common_floating("gstd", xp, ("a",), a, real=True)
    if is_concrete(x) and bool(xp.any(x <= 0)):
        tell_degenerate(
            "gstd: The geometric standard deviation is only defined if all elements are greater "
            "than zero; otherwise, the result is NaN."
        )
    # A logarithm that is NaN is no missing observation.
    logs = xp.where(x < 0, xp.full_like(x, -xp.inf), _log(x))

    def body(rows: Any) -> Any:
        return xp.exp(xp.sqrt(variance("gstd", rows, ddof)[0]))[..., 0]

    return reduced("gstd", axis, nan_policy, keepdims, body, a=logs)
