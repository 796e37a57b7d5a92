"""Student's, Welch's and Yuen's tests of means."""

from dataclasses import field, replace
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from ...solving._result import result
from ...special import stdtrit
from .._base._outcomes import ConfidenceInterval, Unpacked
from .._base._pvalues import Significance, by_student, direction
from .._base._samples import Rows, count, enough, filled, mean, nothing, samples
from .._base._warnings import tell_of_rounding
from .._resampling._methods import (
    MonteCarloMethod,
    PermutationMethod,
    by_resampling,
    check_method,
)

__all__ = ["TtestResult", "ttest_1samp", "ttest_ind", "ttest_ind_from_stats", "ttest_rel"]


@result
class TtestResult(Unpacked):
    """Hold the result of a t-test: unpacked, the statistic and its p-value.

    Attributes
    ----------
    statistic, pvalue : array
        The statistic, and the probability of one as extreme under the null hypothesis.
    df : array
        The degrees of freedom.
    """

    statistic: Any
    pvalue: Any
    df: Any
    _standard_error: Any = field(repr=False)
    _estimate: Any = field(repr=False)
    _side: Any = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the bounds of the tested mean, or difference of means.

        Raises ArgumentError if the level is not in [0, 1]. A one-sided test has an infinite bound.
        """
        if not 0 <= confidence_level <= 1:
            raise ArgumentError(
                f"confidence_interval: confidence_level must lie in [0, 1], got {confidence_level}"
            )
        df, side = self.df, self._side
        xp = array_namespace(df)
        df = xp.asarray(df)
        one, inf = xp.full_like(df, confidence_level), xp.full_like(df, xp.inf)
        width = stdtrit(df, xp.where(side == 0, (1 + one) / 2, one))
        with quiet(df):
            low = xp.where(side < 0, -inf, -width) * self._standard_error + self._estimate
            high = xp.where(side > 0, inf, width) * self._standard_error + self._estimate
        return ConfidenceInterval(as_given(low), as_given(high))


def ttest_1samp(
    a: A,
    popmean: A | float,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> TtestResult:
    """Test whether a sample has the given mean: Student's t-test.

    Parameters
    ----------
    a : array
        The sample, real; all dimensions but those of `axis` are a batch.
    popmean : float or array
        The mean under the null hypothesis; of size 1 along the axes.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs.
    alternative : {'two-sided', 'less', 'greater'}, optional
        How the mean differs under the alternative.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    TtestResult
        With `statistic`, `pvalue`, `df` and a method `confidence_interval`.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If `popmean` doesn't broadcast, or has several elements along the axes.

    Notes
    -----
    Student, Biometrika 6, 1908. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ttest_1samp
    >>> float(ttest_1samp(np.asarray([1.0, 2.0, 3.0, 4.0]), 2.0).pvalue.round(6))
    0.495025
    """
    side = direction("ttest_1samp", alternative)
    (rows, given), back = samples("ttest_1samp", axis, nan_policy, keepdims, a=a, popmean=popmean)
    if given.x.shape[-1] != 1:
        raise ShapeError(
            "ttest_1samp: popmean.shape[axis] must equal 1: popmean has one number for each "
            f"sample, got {given.x.shape[-1]}"
        )
    return _one("ttest_1samp", rows, given.x[..., 0], side, back)


def ttest_rel(
    a: A,
    b: A,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> TtestResult:
    """Test whether paired samples have equal means: Student's t-test of their differences.

    Parameters
    ----------
    a, b : array
        The samples, real; their shapes broadcast.
    axis, nan_policy, alternative, keepdims : optional
        As for `ttest_1samp`. A pair with a NaN is left out as a pair.

    Returns
    -------
    TtestResult
        With `statistic`, `pvalue`, `df` and a method `confidence_interval`.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    Student, Biometrika 6, 1908. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ttest_rel
    >>> before, after = np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([1.5, 2.1, 3.4, 4.8])
    >>> float(ttest_rel(before, after).pvalue.round(6))
    0.052566
    """
    side = direction("ttest_rel", alternative)
    (x, y), back = samples("ttest_rel", axis, nan_policy, keepdims, paired=True, a=a, b=b)
    return _one("ttest_rel", Rows(x.x - y.x, x.there), 0.0, side, back)


def ttest_ind(
    a: A,
    b: A,
    *,
    axis: int | tuple[int, ...] | None = 0,
    equal_var: bool = True,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    trim: float = 0,
    method: PermutationMethod | MonteCarloMethod | None = None,
    keepdims: bool = False,
) -> TtestResult:
    """Test whether independent samples have equal means: Student's, Welch's or Yuen's t-test.

    Parameters
    ----------
    a, b : array
        The samples, real. Their shapes broadcast, but along the axes.
    axis : optional
        As for `ttest_1samp`.
    equal_var : bool, optional
        Whether equal variances are assumed, as by Student; else not, as by Welch.
    nan_policy : optional
        As for `ttest_1samp`.
    alternative : optional
        As for `ttest_1samp`.
    trim : float, optional
        The part of the observations that is left out at each end (Yuen's test), in [0, 0.5).
    method : PermutationMethod or MonteCarloMethod, optional
        How the p-value is resampled: by permuted observations, or by samples of normal numbers, or
        of the method's `rvs`.
    keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    TtestResult
        With `statistic`, `pvalue`, `df` and a method `confidence_interval`, of the difference
        of the means.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    B. L. Welch, Biometrika 34, 1947; K. K. Yuen, Biometrika 61, 1974, equations 1.1 to 1.5.
    Differentiable. Trimming sorts.

    Differs from SciPy: `trim` is taken on all libraries.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ttest_ind
    >>> a, b = np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([3.0, 4.0, 4.5, 6.0])
    >>> float(ttest_ind(a, b, equal_var=False).pvalue.round(6))
    0.082006
    """
    side = direction("ttest_ind", alternative)
    if not 0 <= trim < 0.5:
        raise ArgumentError(f"ttest_ind: Trimming percentage must be 0 <= trim < .5, got {trim}")
    resampled = check_method("ttest_ind", method, PermutationMethod, MonteCarloMethod)
    (x, y), back = samples("ttest_ind", axis, nan_policy, keepdims, a=a, b=b)
    ok = enough("ttest_ind", x, y)
    if ok is False:
        return _found(nothing(x), nothing(x), nothing(x), nothing(x), side, back)
    with quiet(x.x):
        (n1, m1, s1), (n2, m2, s2) = (_summary(r, trim, "ttest_ind") for r in (x, y))
        if equal_var:
            df = n1 + n2 - 2
            error = _root((s1 + s2) / df * (1.0 / n1 + 1.0 / n2))
        else:
            df, error = _welch(s1 / (n1 - 1) / n1, n1, s2 / (n2 - 1) / n2, n2)
    found = _compared(m1 - m2, error, df, side, back)
    if not resampled:
        return found

    def statistic(x: Any, y: Any, axis: int) -> Any:
        return ttest_ind(x, y, axis=axis, equal_var=equal_var, trim=trim).statistic

    p = by_resampling("ttest_ind", method, (x, y), statistic, alternative)
    return replace(found, pvalue=back(p))


def ttest_ind_from_stats(
    mean1: A | float,
    std1: A | float,
    nobs1: A | float,
    mean2: A | float,
    std2: A | float,
    nobs2: A | float,
    equal_var: bool = True,
    alternative: str = "two-sided",
) -> Significance:
    """Test whether independent samples have equal means, by their means and deviations.

    Parameters
    ----------
    mean1, std1, nobs1, mean2, std2, nobs2 : array
        Means, corrected standard deviations and numbers of observations, real; they broadcast.
    equal_var, alternative : optional
        As for `ttest_ind`.

    Returns
    -------
    Significance
        The statistic and its p-value, of the shape to which all broadcast.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    See `ttest_ind`. Differentiable.

    Examples
    --------
    >>> from likewise.stats import ttest_ind_from_stats
    >>> float(ttest_ind_from_stats(15.0, 9.354, 13, 12.0, 6.245, 11).pvalue.round(6))
    0.375194
    """
    side = direction("ttest_ind_from_stats", alternative)
    given = {"mean1": mean1, "std1": std1, "nobs1": nobs1}
    given |= {"mean2": mean2, "std2": std2, "nobs2": nobs2}
    xp = array_namespace(*given.values())
    found = _plan.common_floating(
        "ttest_ind_from_stats", xp, tuple(given), *given.values(), real=True
    )
    _plan.broadcast(
        "ttest_ind_from_stats", **{n: x.shape for n, x in zip(given, found, strict=True)}
    )
    m1, s1, n1, m2, s2, n2 = found
    with quiet(m1):
        if equal_var:
            df = n1 + n2 - 2
            one, two = xp.where(n1 == 1, 0.0, s1 * s1), xp.where(n2 == 1, 0.0, s2 * s2)
            error = _root(((n1 - 1) * one + (n2 - 1) * two) / df * (1 / n1 + 1 / n2))
        else:
            df, error = _welch(s1 * s1 / n1, n1, s2 * s2 / n2, n2)
        t = (m1 - m2) / error
    return Significance(as_given(t), as_given(by_student(t, df, side)))


def _one(function: str, rows: Rows, mu: Any, side: int, back: Any) -> TtestResult:
    """Return the result for the mean of a sample and the given one."""
    if enough(function, rows) is False:
        return _found(nothing(rows), nothing(rows), nothing(rows), nothing(rows), side, back)
    with quiet(rows.x):
        n, found, squares = _summary(rows, 0, function)
        error = _root(squares / (n - 1) / n)
    return _compared(found, error, n - 1, side, back, mu)


def _summary(rows: Rows, trim: float, function: str = "") -> tuple[Any, Any, Any]:
    """Return the number, the mean and the sum of squared deviations, shape (...) or a number.

    With a trim: those of the trimmed sample, but the deviations of the winsorized one. If a
    function is named, its warning tells of deviations that are but rounding errors.
    """
    if trim:
        return _trimmed(rows, trim)
    xp = array_namespace(rows.x)
    n, m = count(rows), mean(rows)
    off = filled(Rows(rows.x - m, rows.there), 0.0)
    squares = xp.sum(off * off, axis=-1)
    if function and is_concrete(squares):
        least = (m[..., 0] * (10 * xp.finfo(m.dtype).eps)) ** 2 * rows.x.shape[-1]
        if bool(xp.any(squares <= least)):  # quick, and true wherever the warning is due
            tell_of_rounding(function, off, m, n)
    return n if rows.there is None else n[..., 0], m[..., 0], squares


def _trimmed(rows: Rows, trim: float) -> tuple[Any, Any, Any]:
    x, size = rows.x, rows.x.shape[-1]
    xp, where = array_namespace(x), device(x)
    x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
    place = xp.arange(size, dtype=x.dtype, device=where)
    n: Any
    cut: Any
    if rows.there is None:
        n, cut = size, int(size * trim)
    else:
        n = count(rows)
        cuts = xp.asarray([int(k * trim) for k in range(size + 1)], dtype=x.dtype, device=where)
        index = xp.astype(xp.reshape(n, (-1,)), xp.int64)
        cut = xp.reshape(xp.take(cuts, index, axis=0), n.shape)
    zero = xp.zeros_like(x)
    kept = (place >= cut) & (place < n - cut)
    m = xp.sum(xp.where(kept, x, zero), axis=-1, keepdims=True) / (n - 2 * cut)
    low = xp.sum(xp.where(place == cut, x, zero), axis=-1, keepdims=True)
    high = xp.sum(xp.where(place == n - cut - 1, x, zero), axis=-1, keepdims=True)
    wins = xp.where(kept, x, xp.where(place < cut, low, high))
    inside = place < n
    center = xp.sum(xp.where(inside, wins, zero), axis=-1, keepdims=True) / n
    off = xp.where(inside, wins - center, zero)
    if rows.there is None:  # sorted NaNs may have been cut off
        m = xp.where(xp.any(xp.isnan(x), axis=-1, keepdims=True), xp.full_like(m, xp.nan), m)
    number = n - 2 * cut
    return (
        number if rows.there is None else number[..., 0],
        m[..., 0],
        xp.sum(off * off, axis=-1),
    )


def _welch(v1: Any, n1: Any, v2: Any, n2: Any) -> tuple[Any, Any]:
    """Return the degrees of freedom and the standard error by the means' variances."""
    xp = array_namespace(v1)
    df = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    return xp.where(xp.isnan(df), xp.ones_like(df), df), _root(v1 + v2)


def _root(x: Any) -> Any:
    return array_namespace(x).sqrt(x)


def _compared(
    estimate: Any, error: Any, df: Any, side: int, back: Any, mu: Any = 0.0
) -> TtestResult:
    with quiet(error):
        return _found((estimate - mu) / error, df, error, estimate, side, back)


def _found(t: Any, df: Any, error: Any, estimate: Any, side: int, back: Any) -> TtestResult:
    """Return the result; its degrees of freedom are NaN where there are NaNs in the sample."""
    xp = array_namespace(t)
    df = xp.where(xp.isnan(estimate), xp.full_like(t, xp.nan), df)
    return TtestResult(
        back(t),
        back(by_student(t, df, side)),
        back(df),
        back(error),
        back(estimate),
        xp.asarray(side, device=device(t)),
    )
