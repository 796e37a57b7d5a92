"""Tests of normality by skewness and kurtosis, and Shapiro and Wilk's."""

import functools
import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, namespace, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...special import ndtr, ndtri
from .._base._exact import Tail
from .._base._pvalues import Significance, by_normal, direction
from .._base._samples import Rows, count, enough, filled, limited, mean, nothing, samples
from .._base._warnings import tell_degenerate

__all__ = ["jarque_bera", "kurtosistest", "normaltest", "shapiro", "skewtest"]

Axis = int | tuple[int, ...] | None


def skewtest(
    a: A,
    axis: Axis = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> Significance:
    """Test whether a sample has the skewness of a normal distribution, 0.

    Parameters
    ----------
    a : array
        The sample, real, of 8 observations or more; other dimensions are a batch.
    axis, nan_policy, alternative, keepdims : optional
        As for `ttest_1samp`; the alternative says how the skewness differs.

    Returns
    -------
    Significance
        The statistic and its p-value; NaN of a smaller sample, with a SmallSampleWarning.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    R. B. D'Agostino, Am. Stat. 44, 1990, equations 9 to 13. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import skewtest
    >>> float(skewtest(np.asarray([1.0, 2, 3, 4, 5, 6, 7, 8])).statistic.round(6))
    1.010805
    """
    side = direction("skewtest", alternative)
    (rows,), back = samples("skewtest", axis, nan_policy, keepdims, a=a)
    ok = enough("skewtest", rows, least=8)
    if ok is False:
        return _none(rows, back)
    with quiet(rows.x):
        n, skew, _ = _shape(rows)
        z = _skewness(skew, _many(n, ok))
    return _done(z, by_normal(z, side), back)


def kurtosistest(
    a: A,
    axis: Axis = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> Significance:
    """Test whether a sample has the kurtosis of a normal distribution.

    Parameters
    ----------
    a : array
        The sample, real, of 5 observations or more; other dimensions are a batch.
    axis, nan_policy, alternative, keepdims : optional
        As for `ttest_1samp`; the alternative says how the kurtosis differs.

    Returns
    -------
    Significance
        The statistic and its p-value; NaN of a smaller sample, with a SmallSampleWarning.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    F. J. Anscombe, W. J. Glynn, Biometrika 70, 1983, equations 1 to 5; for 20 observations or more.
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kurtosistest
    >>> float(kurtosistest(np.arange(20.0)).statistic.round(6))
    -1.70581
    """
    side = direction("kurtosistest", alternative)
    (rows,), back = samples("kurtosistest", axis, nan_policy, keepdims, a=a)
    ok = enough("kurtosistest", rows, least=5)
    if ok is False:
        return _none(rows, back)
    with quiet(rows.x):
        n, _, kurtosis = _shape(rows)
        z = _kurtosis(kurtosis, _many(n, ok))
    return _done(z, by_normal(z, side), back)


def normaltest(
    a: A, axis: Axis = 0, nan_policy: str = "propagate", *, keepdims: bool = False
) -> Significance:
    """Test whether a sample is normal, by its skewness and kurtosis: D'Agostino and Pearson.

    Parameters
    ----------
    a : array
        The sample, real, of 8 observations or more; other dimensions are a batch.
    axis, nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The sum of the squared statistics of `skewtest` and `kurtosistest`, and its p-value.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    R. B. D'Agostino, E. S. Pearson, Biometrika 60, 1973. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import normaltest
    >>> float(normaltest(np.arange(20.0)).pvalue.round(6))
    0.13587
    """
    (rows,), back = samples("normaltest", axis, nan_policy, keepdims, a=a)
    ok = enough("normaltest", rows, least=8)
    if ok is False:
        return _none(rows, back)
    with quiet(rows.x):
        n, skew, kurtosis = _shape(rows)
        n = _many(n, ok)
        statistic = _skewness(skew, n) ** 2 + _kurtosis(kurtosis, n) ** 2
    return _done(statistic, array_namespace(statistic).exp(-0.5 * statistic), back)


def jarque_bera(
    x: A, *, axis: Axis = None, nan_policy: str = "propagate", keepdims: bool = False
) -> Significance:
    """Test whether a sample is normal, by its skewness and kurtosis: Jarque and Bera.

    Parameters
    ----------
    x : array
        The sample, real; other dimensions than those of `axis` are a batch.
    axis : int, tuple of int or None, optional
        The observations' axes; all by default.
    nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic and its p-value, for thousands of observations.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    C. Jarque, A. Bera, Econ. Lett. 6, 1980. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import jarque_bera
    >>> float(jarque_bera(np.arange(20.0)).pvalue.round(6))
    0.545512
    """
    (rows,), back = samples("jarque_bera", axis, nan_policy, keepdims, x=x)
    if enough("jarque_bera", rows) is False:
        return _none(rows, back)
    xp = array_namespace(rows.x)
    with quiet(rows.x):
        n, skew, kurtosis = _shape(Rows(rows.x - mean(rows), rows.there))
        statistic = n / 6 * (skew**2 + (kurtosis - 3) ** 2 / 4)
    return _done(statistic, xp.exp(-0.5 * statistic), back)


def _none(rows: Rows, back: Any) -> Significance:
    return _done(nothing(rows), nothing(rows), back)


def _done(statistic: Any, pvalue: Any, back: Any) -> Significance:
    return Significance(back(statistic), back(pvalue))


def _many(n: Any, ok: Any) -> Any:
    """Return the numbers of observations, NaN where they are too few."""
    if ok is True:
        return n
    xp = array_namespace(n)
    return xp.where(ok, n, xp.nan)


def _shape(rows: Rows) -> tuple[Any, Any, Any]:
    """Return the number of observations, the skewness and the kurtosis, shape (...).

    NaN of observations that are all the same, up to the rounding of their mean.
    """
    xp, n, m = array_namespace(rows.x), count(rows), mean(rows)
    off = filled(Rows(rows.x - m, rows.there), 0.0)
    n = n if rows.there is None else n[..., 0]
    square = off * off
    m2 = xp.sum(square, axis=-1) / n
    m3, m4 = xp.sum(square * off, axis=-1) / n, xp.sum(square * square, axis=-1) / n
    same = m2 <= (xp.finfo(m2.dtype).eps * m[..., 0]) ** 2
    m2 = xp.where(same, xp.nan, m2)
    return n, m3 / m2**1.5, m4 / m2**2


def _skewness(skew: Any, n: Any) -> Any:
    """Return D'Agostino's statistic of a skewness of `n` observations."""
    xp = array_namespace(skew)
    y = skew * (((n + 1) * (n + 3)) / (6.0 * (n - 2))) ** 0.5
    beta = (
        3.0 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2.0) * (n + 5) * (n + 7) * (n + 9))
    )
    w2 = (2 * (beta - 1)) ** 0.5 - 1
    alpha = (2 / (w2 - 1)) ** 0.5
    delta = (0.5 * (math.log(w2) if isinstance(n, int) else xp.log(w2))) ** -0.5
    return delta * xp.asinh(xp.where(y == 0, 1.0, y) / alpha)


def _kurtosis(kurtosis: Any, n: Any) -> Any:
    """Return Anscombe and Glynn's statistic of a kurtosis of `n` observations."""
    xp = array_namespace(kurtosis)
    expected = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1.0) * (n + 1) * (n + 3) * (n + 5))
    x = (kurtosis - expected) / variance**0.5
    beta = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    beta = beta * ((6.0 * (n + 3) * (n + 5)) / (n * (n - 2.0) * (n - 3))) ** 0.5
    a = 6 + 8 / beta * (2 / beta + (1 + 4 / beta**2) ** 0.5)
    below = 1 + x * (2 / (a - 4)) ** 0.5
    undefined = below == 0
    if is_concrete(below) and bool(xp.any(undefined)):
        tell_degenerate(
            "kurtosistest: Test statistic not defined in some cases due to division by zero: the "
            "result is NaN"
        )
    below = xp.where(undefined, xp.nan, below)
    third = xp.sign(below) * ((1 - 2 / a) / xp.abs(below)) ** (1 / 3)
    return (1 - 2 / (9 * a) - third) / (2 / (9 * a)) ** 0.5


def shapiro(
    x: A, *, axis: Axis = None, nan_policy: str = "propagate", keepdims: bool = False
) -> Significance:
    """Test whether a sample is normal: Shapiro and Wilk.

    Parameters
    ----------
    x : array
        The sample, real, of 3 observations or more; other dimensions than those of `axis` are a
        batch.
    axis : int, tuple of int or None, optional
        The observations' axes; all by default.
    nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic and its p-value; NaN of a smaller sample, with a SmallSampleWarning.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    P. Royston, J. R. Stat. Soc. C 44, 1995 (algorithm AS R94). One sort. A sample of equal
    observations has the statistic 1, and a DegenerateDataWarning. For more than 5000 observations
    the p-value may be inaccurate. Differentiable.

    Differs from SciPy: normal quantiles have all digits, not nine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import shapiro
    >>> float(shapiro(np.asarray([2.1, 0.3, 1.7, 5.9, 1.2, 0.8])).pvalue.round(6))
    0.050561
    """
    (rows,), back = samples("shapiro", axis, nan_policy, keepdims, x=x)
    ok = enough("shapiro", rows, least=3)
    if ok is False:
        return _none(rows, back)
    xp = array_namespace(rows.x)
    with quiet(rows.x):
        w, p, same = _shapiro(rows.x, rows.there)
    if is_concrete(same) and bool(xp.any(same)):
        tell_degenerate(
            "shapiro: Input data has range zero. The results may not be accurate: the statistic is "
            "1, and says nothing"
        )
    if rows.x.shape[-1] > 5000:
        tell_degenerate(
            "shapiro: For N > 5000, computed p-value may not be accurate. Current N is "
            f"{rows.x.shape[-1]}"
        )
    return _done(w, p, back)


_C1 = (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
_C2 = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
_MEAN_FEW = (0.544, -0.39978, 0.025054, -6.714e-4)
_SCALE_FEW = (1.3822, -0.77857, 0.062767, -0.0020322)
_MEAN = (-1.5861, -0.31082, -0.083751, 0.0038915)
_SCALE = (-0.4803, -0.082676, 0.0030302)
_LOW = (-2.273, 0.459)


def _poly(c: tuple[float, ...], x: Any) -> Any:
    total: Any = c[-1]
    for some in c[-2::-1]:
        total = total * x + some
    return total


def _in_rows(x: Any, there: Any) -> Lines:
    """Blocks of the batch; arrays have their observations last."""
    arrays = {i: (a, 1) for i, a in enumerate((x, there)) if a is not None}
    some: tuple[tuple[int, ...], Any] = ((), x.dtype)
    return batches(arrays, some, some, ((), array_namespace(x).bool))


@native(blocks=_in_rows)
def _shapiro(x: Any, there: Any) -> tuple[Any, Any, Any]:
    """Return the statistic, its p-value, and where all observations are the same."""
    xp, where, size = array_namespace(x), device(x), x.shape[-1]
    rows = Rows(x, there)
    whole = count(rows)
    n = whole * xp.ones_like(x[..., :1]) if there is None else whole
    x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
    i = xp.arange(size, dtype=x.dtype, device=where)
    inside = i < n
    x = xp.where(inside, x - x[..., :1], 0.0)
    width = xp.max(x, axis=-1, keepdims=True)
    same = width < 1e-19
    x = x / xp.where(same, 1.0, width)

    if there is None and is_concrete(x):
        a = _kept_weights(size).array(xp, x)
    else:
        a = _weights(i, n, inside)
    # 1 - W by the residuals, without the cancellation of a W near 1.
    off = xp.where(inside, x - xp.sum(x, axis=-1, keepdims=True) / n, 0.0)
    ssa, ssx = xp.sum(a * a, axis=-1), xp.sum(off * off, axis=-1)
    sax = xp.sum(a * off, axis=-1)
    product = xp.sqrt(ssa * ssx)
    rest = (product - sax) * (product + sax) / (ssa * ssx)
    flat = same[..., 0]
    w = xp.where(flat, 1.0, 1 - rest)
    y = xp.log(xp.where(flat, 0.5, rest))
    strange = xp.isnan(ssx)
    if there is None:
        few = size <= 11
        p = _of_three(w) if size == 3 else _of_few(y, size) if few else _of_many(y, math.log(size))
    else:
        n = n[..., 0]
        p = xp.where(
            n <= 11, _of_few(y, limited(n, 4, 11)), _of_many(y, xp.log(limited(n, 4, None)))
        )
        p = xp.where(n == 3, _of_three(w), p)
        strange = strange | (n < 3)
    p = xp.where(flat, 1.0, p)
    w, p = (xp.where(strange, xp.nan, v) for v in (w, p))
    return w, p, flat & ~strange


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def _kept_weights(n: int) -> Tail:
    """Return the weights of n observations."""
    xp = namespace("numpy")
    i = xp.arange(n, dtype=float)
    return Tail(_weights(i, xp.full((1,), float(n)), i < n).tolist(), ("shapiro", n))


def _weights(i: Any, n: Any, inside: Any) -> Any:
    """Return what ordered observations of the places `i` are multiplied with; its mean is 0."""
    xp = array_namespace(i)
    m = ndtri(xp.where(inside, (i + 0.625) / (n + 0.25), 0.5))
    squares = xp.sum(m * m, axis=-1, keepdims=True)
    root, r = xp.sqrt(squares), 1 / xp.sqrt(n)
    first = m[..., :1]
    outer = -first / root + _poly(_C1, r)
    second = m[..., 1:2]
    inner = -second / root + _poly(_C2, r)
    five = n > 5
    rest = squares - 2 * first**2 - xp.where(five, 2 * second**2, 0.0)
    scale = xp.sqrt(rest / (1 - 2 * outer**2 - xp.where(five, 2 * inner**2, 0.0)))
    side = xp.sign(i - (n - 1) / 2)
    depth = xp.minimum(i, n - 1 - i)
    a = m / scale
    a = xp.where(depth == 0, outer * side, xp.where(five & (depth == 1), inner * side, a))
    a = xp.where(n == 3, side * math.sqrt(0.5), a)
    a = xp.where(inside, a, 0.0)
    return a - xp.where(inside, xp.sum(a, axis=-1, keepdims=True) / n, 0.0)


def _of_three(w: Any) -> Any:
    """Return the p-value of three observations."""
    xp = array_namespace(w)
    inner = xp.clip(w, 0.75, 1.0)
    p = 6 / math.pi * (xp.asin(xp.sqrt(inner)) - math.asin(math.sqrt(0.75)))
    return xp.clip(p, 0.0, 1.0)


def _of_few(y: Any, n: Any) -> Any:
    """Return the p-value by log(1 - W) of 4 to 11 observations."""
    xp, least = array_namespace(y), _poly(_LOW, n)
    over = y >= least
    some = xp.where(over, 1.0, least - y)
    z = (_poly(_MEAN_FEW, n) + xp.log(some)) * _exp(-_poly(_SCALE_FEW, n))
    return xp.where(over, 1e-99, ndtr(z))


def _of_many(y: Any, log: Any) -> Any:
    """Return the p-value by log(1 - W) of more observations, by the logarithm of their number."""
    return ndtr((_poly(_MEAN, log) - y) * _exp(-_poly(_SCALE, log)))


def _exp(x: Any) -> Any:
    return math.exp(x) if isinstance(x, float) else array_namespace(x).exp(x)
