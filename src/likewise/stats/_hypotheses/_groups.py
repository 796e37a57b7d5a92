"""Tests of several samples: of equal means and of equal variances."""

from typing import Any

from ..._namespace import array_namespace, device, quiet
from ..._typing import A
from ...errors import ArgumentError, ArrayTypeError
from ...special import chdtrc
from .._base import _samples
from .._base._pvalues import Significance, by_fisher
from .._base._samples import Rows, count, enough, filled, mean, nothing
from .._base._warnings import tell_small
from ._student import _summary

__all__ = ["alexandergovern", "bartlett", "f_oneway", "levene"]

Axis = int | tuple[int, ...] | None


def f_oneway(
    *samples: A,
    axis: Axis = 0,
    equal_var: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether samples have equal means: analysis of variance with one factor.

    Parameters
    ----------
    *samples : array
        Two samples or more, real. Their shapes broadcast, but along the axes.
    axis : optional
        As for `ttest_1samp`.
    equal_var : bool, optional
        Whether equal variances are assumed; else Welch's test.
    nan_policy : optional
        As for `ttest_1samp`.
    keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic F and its p-value. F is infinite if each sample is constant, and NaN if all
        observations are the same.

    Raises
    ------
    ArrayTypeError
        If there are fewer than two samples, or `equal_var` is no bool.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    B. L. Welch, Biometrika 38, 1951, for unequal variances. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import f_oneway
    >>> a, b, c = np.asarray([1.0, 2, 3]), np.asarray([2.0, 4, 6]), np.asarray([5.0, 6, 9])
    >>> float(f_oneway(a, b, c).statistic.round(6))
    5.285714
    """
    if not isinstance(equal_var, bool):
        raise ArrayTypeError(f"f_oneway: equal_var: Expected a boolean value, got {equal_var!r}")
    if len(samples) < 2:
        raise ArrayTypeError(f"f_oneway: at least two samples are needed, got {len(samples)}")
    rows, back = _given("f_oneway", samples, axis, nan_policy, keepdims)
    ok = enough("f_oneway", *rows)
    if ok is not False and all(r.x.shape[-1] == 1 for r in rows):
        tell_small(
            "f_oneway: all samples have length 1, at least one needs more: the result is NaN"
        )
        ok = False
    if ok is False:
        return Significance(back(nothing(rows[0])), back(nothing(rows[0])))
    xp = array_namespace(rows[0].x)
    low = [xp.min(filled(r, xp.inf), axis=-1) for r in rows]
    high = [xp.max(filled(r, -xp.inf), axis=-1) for r in rows]
    constant, same = low[0] == high[0], low[0] == high[0]
    for one, other in zip(low[1:], high[1:], strict=True):
        constant, same = constant & (one == other), same & (one == other) & (one == low[0])
    with quiet(rows[0].x):
        # Near 0, so that means keep the digits in which they differ.
        offset = mean(rows[0])
        offset = xp.where(xp.isfinite(offset), offset, 0.0)
        parts = [_summary(Rows(r.x - offset, r.there), 0) for r in rows]
        f, dfn, dfd = _anova(parts) if equal_var else _welch(parts)
    f = xp.where(same, xp.nan, xp.where(constant, xp.inf, f))
    if ok is not True:  # one observation of each sample left, there is nothing to compare
        f = xp.where(dfd > 0, f, xp.nan)
    f = _of_enough(ok, f)
    return Significance(back(f), back(by_fisher(dfn, dfd, f)))


def bartlett(
    *samples: A, axis: Axis = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> Significance:
    """Test whether normal samples have equal variances: Bartlett.

    Parameters
    ----------
    *samples : array
        Two samples or more, real. Their shapes broadcast, but along the axes.
    axis, nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic and its p-value.

    Raises
    ------
    ArgumentError
        If there are fewer than two samples, or an option has another value.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    M. S. Bartlett, Proc. R. Soc. Lond. A 160, 1937. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import bartlett
    >>> a, b = np.asarray([1.0, 2.0, 3.0, 5.0]), np.asarray([2.0, 4.0, 9.0, 14.0])
    >>> float(bartlett(a, b).pvalue.round(6))
    0.092619
    """
    _several("bartlett", samples)
    rows, back = _given("bartlett", samples, axis, nan_policy, keepdims)
    ok = enough("bartlett", *rows)
    if ok is False:
        return Significance(back(nothing(rows[0])), back(nothing(rows[0])))
    xp, k = array_namespace(rows[0].x), len(rows)
    with quiet(rows[0].x):
        parts = [_summary(r, 0) for r in rows]
        total = sum(n for n, _, _ in parts) - k
        pooled = sum(s for _, _, s in parts) / total
        logs = sum((n - 1) * xp.log(s / (n - 1)) for n, _, s in parts)
        ones = xp.ones_like(pooled)
        weight = 1 + (sum(ones / (n - 1) for n, _, _ in parts) - ones / total) / (3 * (k - 1))
        t = (total * xp.log(pooled) - logs) / weight
    t = _of_enough(ok, xp.where(t < 0, 0.0, t))
    return Significance(back(t), back(chdtrc(k - 1.0, t)))


def levene(
    *samples: A,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Axis = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether samples have equal variances, normal or not: Levene, Brown and Forsythe.

    Parameters
    ----------
    *samples : array
        Two samples or more, real. Their shapes broadcast, but along the axes.
    center : {'median', 'mean', 'trimmed'}, optional
        From where distances are taken.
    proportiontocut : float, optional
        The part that a trimmed mean leaves out at each end.
    axis, nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic and its p-value.

    Raises
    ------
    ArgumentError
        If there are fewer than two samples, or an option has another value.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    M. B. Brown, A. B. Forsythe, J. Am. Stat. Assoc. 69, 1974. An analysis of variance of absolute
    deviations; one sort of each sample. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import levene
    >>> a, b = np.asarray([1.0, 2.0, 3.0, 5.0]), np.asarray([2.0, 4.0, 9.0, 14.0])
    >>> float(levene(a, b).pvalue.round(6))
    0.056794
    """
    if center not in ("median", "mean", "trimmed"):
        raise ArgumentError(f"levene: center must be 'mean', 'median' or 'trimmed', got {center!r}")
    _several("levene", samples)
    if center == "trimmed" and not 0 <= proportiontocut < 0.5:
        raise ArgumentError(
            f"levene: Proportion too big: proportiontocut must lie in [0, 0.5), got "
            f"{proportiontocut}"
        )
    rows, back = _given("levene", samples, axis, nan_policy, keepdims)
    ok = enough("levene", *rows)
    if ok is False:
        return Significance(back(nothing(rows[0])), back(nothing(rows[0])))
    xp = array_namespace(rows[0].x)
    with quiet(rows[0].x):
        parts = []
        for r in rows:
            middle = (
                _median(r)
                if center == "median"
                else _summary(r, proportiontocut if center == "trimmed" else 0)[1]
            )
            parts.append(_summary(Rows(xp.abs(r.x - middle[..., None]), r.there), 0))
        w, dfn, dfd = _anova(parts)
    w = _of_enough(ok, w)
    return Significance(back(w), back(by_fisher(dfn, dfd, w)))


def alexandergovern(
    *samples: A, nan_policy: str = "propagate", axis: Axis = 0, keepdims: bool = False
) -> Significance:
    """Test whether samples have equal means, of unequal variances: Alexander and Govern.

    Parameters
    ----------
    *samples : array
        Two samples or more, real, of 2 observations or more. Their shapes broadcast, but along the
        axes.
    nan_policy, axis, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic and its p-value; NaN if a sample is constant.

    Raises
    ------
    ArrayTypeError
        If there are fewer than two samples.
    ShapeError
        If the shapes don't broadcast.

    Notes
    -----
    R. A. Alexander, D. M. Govern, J. Educ. Stat. 19, 1994, equations 1 to 9. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import alexandergovern
    >>> a, b = np.asarray([1.0, 2.0, 3.0, 5.0]), np.asarray([2.0, 4.0, 9.0, 14.0])
    >>> float(alexandergovern(a, b).pvalue.round(6))
    0.197832
    """
    if len(samples) < 2:
        raise ArrayTypeError(f"alexandergovern: 2 or more inputs are required, got {len(samples)}")
    rows, back = _given("alexandergovern", samples, axis, nan_policy, keepdims)
    ok = enough("alexandergovern", *rows, least=2)
    if ok is False:
        return Significance(back(nothing(rows[0])), back(nothing(rows[0])))
    xp = array_namespace(rows[0].x)
    with quiet(rows[0].x):
        parts = [_summary(r, 0, "alexandergovern") for r in rows]
        errors = [xp.sqrt(s / (n - 1) / n) for n, _, s in parts]
        eps = xp.finfo(errors[0].dtype).eps
        weights = [1 / (e * e) for e in errors]
        center = sum(w * m for w, (_, m, _) in zip(weights, parts, strict=True)) / sum(weights)
        total: Any = 0.0
        for e, (n, m, _) in zip(errors, parts, strict=True):
            t = (m - center) / xp.where(e <= xp.abs(eps * m), xp.nan, e)
            total = total + _normalized(t, n - 1) ** 2
    total = _of_enough(ok, total)
    return Significance(back(total), back(chdtrc(len(rows) - 1.0, total)))


def _normalized(t: Any, v: Any) -> Any:
    """Return a nearly normal statistic of one of Student's with `v` degrees of freedom."""
    xp = array_namespace(t)
    a = v - 0.5
    b = 48 * a**2
    c2 = a * xp.log1p(t * t / v)
    c = xp.sqrt(c2)
    odd = c * (855 + c2 * (240 + c2 * (33 + 4 * c2)))
    return c + c * (c2 + 3) / b - odd / (10 * b**2 + 8 * b * c2 * c2 + 1000 * b)


def _of_enough(ok: Any, statistic: Any) -> Any:
    """Return a statistic, NaN where a sample is too small."""
    xp = array_namespace(statistic)
    return statistic if ok is True else xp.where(ok, statistic, xp.nan)


def _several(function: str, given: tuple[Any, ...]) -> None:
    if len(given) < 2:
        raise ArgumentError(
            f"{function}: Must enter at least two input sample vectors, got {len(given)}"
        )


def _given(
    function: str, given: tuple[Any, ...], axis: Axis, nan_policy: str, keepdims: bool
) -> Any:
    return _samples.samples(
        function, axis, nan_policy, keepdims, **{f"samples[{i}]": x for i, x in enumerate(given)}
    )


def _anova(parts: list[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    """Return the ratio F of variances between and within samples, and degrees of freedom."""
    total, k = sum(n for n, _, _ in parts), len(parts)
    center = sum(n * m for n, m, _ in parts) / total
    between = sum(n * (m - center) ** 2 for n, m, _ in parts) / (k - 1)
    within = sum(s for _, _, s in parts)
    dfd = total - k
    return between / (within / dfd), k - 1.0, dfd * array_namespace(within).ones_like(within)


def _welch(parts: list[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    k = len(parts)
    weights = [n * (n - 1) / s for n, _, s in parts]
    total = sum(weights)
    center = sum(w * m for w, (_, m, _) in zip(weights, parts, strict=True)) / total
    between = sum(w * (m - center) ** 2 for w, (_, m, _) in zip(weights, parts, strict=True))
    off: Any = sum(
        (1 - w / total) ** 2 / (n - 1) for w, (n, _, _) in zip(weights, parts, strict=True)
    )
    f = between / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * off)
    return f, k - 1.0, (k * k - 1) / (3 * off)


def _median(rows: Rows) -> Any:
    """Return the median of the observations, shape (...); NaN if there is one among them."""
    xp, size = array_namespace(rows.x), rows.x.shape[-1]
    x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
    if rows.there is None:
        middle = (x[..., (size - 1) // 2] + x[..., size // 2]) / 2
        return xp.where(xp.isnan(x[..., -1]), xp.nan, middle)
    n = count(rows)
    places = xp.arange(size, dtype=x.dtype, device=device(x))
    chosen = (places == xp.floor((n - 1) / 2)) | (places == xp.floor(n / 2))
    found = xp.sum(xp.where(chosen, x, 0.0), axis=-1)
    return found / xp.sum(xp.astype(chosen, x.dtype), axis=-1)
