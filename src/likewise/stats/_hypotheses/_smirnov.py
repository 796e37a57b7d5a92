"""Kolmogorov's and Smirnov's tests of distributions."""

import math
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from ...missing._axes import index_dtype
from ...solving._result import result
from .. import _distributions
from .._base._kolmogorov import kolmogorov_sf, limiting_sf, smirnov_sf
from .._base._outcomes import Unpacked
from .._base._paths import of_table, outside
from .._base._pvalues import ALTERNATIVES
from .._base._samples import Rows, count, enough, filled, nothing, samples

__all__ = ["KstestResult", "cdf_of", "ks_1samp", "ks_2samp", "kstest"]

_MOST = 10_000  # SciPy's limit of exact probabilities of two samples


@result
class KstestResult(Unpacked):
    """Hold the result of a Kolmogorov-Smirnov test: unpacked, the statistic and its p-value.

    Attributes
    ----------
    statistic, pvalue : array
        The largest distance of the distribution functions, and its p-value.
    statistic_location : array
        The observation at which it is.
    statistic_sign : array of int8
        1 if the first distribution function is above there, else -1.
    """

    statistic: Any
    pvalue: Any
    statistic_location: Any
    statistic_sign: Any


def ks_1samp(
    x: A,
    cdf: Callable[..., Any] | str,
    args: tuple[Any, ...] = (),
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> KstestResult:
    """Test whether a sample comes from a continuous distribution: Kolmogorov and Smirnov.

    Parameters
    ----------
    x : array
        The sample, real; all dimensions but those of `axis` are a batch.
    cdf : callable or str
        The distribution function, ``cdf(x, *args)``, of arrays with the observations last; or the
        name of a distribution of `likewise.stats`.
    args : tuple, optional
        Its further arguments.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Where the sample's distribution function lies, beside `cdf`.
    method : {'auto', 'exact', 'approx', 'asymp'}, optional
        The two-sided p-value: 'exact', also 'auto'; twice the one-sided; or the limit of many
        observations.
    axis, nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    KstestResult
        With `statistic`, `pvalue`, `statistic_location` and `statistic_sign`.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    Exact p-values by Simard and L'Ecuyer, J. Stat. Softw. 39(11), 2011, as in SciPy: a sum over
    the observations, and some products of matrices with 4 sqrt(n) rows. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ks_1samp
    >>> found = ks_1samp(np.asarray([0.1, 0.4, 0.45, 0.9]), lambda x: x)
    >>> float(found.statistic), float(found.pvalue.round(6))
    (0.3, 0.7708)
    """
    alternative = _alternative("ks_1samp", alternative)
    _plan.choice("ks_1samp", "method", method, ("auto", "exact", "approx", "asymp"))
    function = cdf_of("ks_1samp", cdf)
    (rows,), back = samples("ks_1samp", axis, nan_policy, keepdims, x=x)
    if enough("ks_1samp", rows) is False:
        return _nowhere(rows, back)
    return KstestResult(*map(back, _of_one(*rows, function, args, alternative, method)))


def ks_2samp(
    data1: A,
    data2: A,
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> KstestResult:
    """Test whether two samples come from the same continuous distribution: Smirnov.

    Parameters
    ----------
    data1, data2 : array
        The samples, real. Their shapes broadcast, but along the axes.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Where the distribution function of the first lies, beside that of the second.
    method : {'auto', 'exact', 'asymp'}, optional
        How p-values are computed: 'auto' is exact up to 10,000 observations in a sample.
    axis, nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    KstestResult
        With `statistic`, `pvalue`, `statistic_location` and `statistic_sign`.

    Raises
    ------
    ArgumentError
        If an option has another value.

    Notes
    -----
    One sort. Exact p-values count lattice paths (J. L. Hodges, Ark. Mat. 3, 1958): in closed form
    for equal sizes, else in as many steps as there are observations, or by a table that is kept if
    it is small. Not differentiable.

    Differs from SciPy: exact p-values don't overflow, and are never replaced by others. Of several
    equal distances the first has the location, whatever their rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import ks_2samp
    >>> found = ks_2samp(np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([3.5, 5.0, 6.0, 7.0]))
    >>> float(found.statistic), float(found.pvalue.round(6))
    (0.75, 0.228571)
    """
    alternative = _alternative("ks_2samp", alternative)
    _plan.choice("ks_2samp", "method", method, ("auto", "exact", "asymp"))
    (x, y), back = samples("ks_2samp", axis, nan_policy, keepdims, data1=data1, data2=data2)
    if enough("ks_2samp", x, y) is False:
        return _nowhere(x, back)
    if method == "auto":
        method = "exact" if max(x.x.shape[-1], y.x.shape[-1]) <= _MOST else "asymp"
    found = _of_two(x.x, y.x, x.there, y.there, alternative, method)
    return KstestResult(*map(back, found))


def kstest(
    rvs: A,
    cdf: A | Callable[..., Any] | str,
    args: tuple[Any, ...] = (),
    N: int = 20,
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> KstestResult:
    """Test a sample against a distribution, or against another sample: Kolmogorov and Smirnov.

    Parameters
    ----------
    rvs : array
        The sample.
    cdf : callable, str or array
        A distribution function or its name, as for `ks_1samp`, or a sample, as for `ks_2samp`.
    args : tuple, optional
        Further arguments of the distribution function.
    N : int, optional
        SciPy's number of observations to draw; without effect here.
    alternative, method, axis, nan_policy, keepdims : optional
        As for `ks_1samp` and `ks_2samp`.

    Returns
    -------
    KstestResult
        With `statistic`, `pvalue`, `statistic_location` and `statistic_sign`.

    Raises
    ------
    ArgumentError
        If `rvs` is no array, or an option has another value.

    Notes
    -----
    See `ks_1samp` and `ks_2samp`.

    Differs from SciPy: no sample is drawn. Pass one that `likewise.random` draws by a key.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import kstest
    >>> float(kstest(np.asarray([0.1, 0.4, 0.45, 0.9]), lambda x: x).statistic)
    0.3
    """
    if callable(rvs) or isinstance(rvs, str):
        raise ArgumentError(
            f"kstest: rvs must be a sample, got {rvs!r}: draw one by a key, with likewise.random"
        )
    options: dict[str, Any] = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
    if callable(cdf) or isinstance(cdf, str):
        return ks_1samp(rvs, cdf_of("kstest", cdf), args, alternative, method, **options)
    return ks_2samp(rvs, cdf, alternative, method, **options)


def cdf_of(function: str, cdf: Any) -> Callable[..., Any]:
    """Return the distribution function of a name."""
    found = (
        getattr(getattr(_distributions, cdf, None), "cdf", None) if isinstance(cdf, str) else cdf
    )
    if not callable(found):
        raise ArgumentError(
            f"{function}: cdf must be a function of arrays, or the name of a distribution of "
            f"likewise.stats, got {cdf!r}"
        )
    return found


def _alternative(function: str, alternative: str) -> str:
    """Return the alternative of a word that begins like it, as SciPy does."""
    if alternative in ALTERNATIVES:
        return alternative
    first = alternative[:1].lower() if isinstance(alternative, str) else ""
    found = {"t": "two-sided", "g": "greater", "l": "less"}.get(first, alternative)
    _plan.choice(function, "alternative", found, ALTERNATIVES)
    return found


def _nowhere(rows: Rows, back: Any) -> KstestResult:
    nan = back(nothing(rows))
    return KstestResult(nan, nan, nan, nan)


def _in_rows(*args: Any) -> Lines:
    """Blocks of the batch; arrays have their observations last."""
    arrays = {i: (a, 1) for i, a in enumerate(args) if hasattr(a, "ndim")}
    x = args[0]
    some: tuple[tuple[int, ...], Any] = ((), x.dtype)
    return batches(arrays, some, some, some, ((), array_namespace(x).int8))


@native(blocks=_in_rows)
def _of_one(
    x: Any, there: Any, cdf: Any, args: tuple[Any, ...], alternative: str, method: str
) -> tuple[Any, Any, Any, Any]:
    xp, where, size = array_namespace(x), device(x), x.shape[-1]
    rows = Rows(x, there)
    n: Any = count(rows)
    x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
    place = xp.arange(size, dtype=x.dtype, device=where)
    if there is not None:
        x = xp.where(place < n, x, x[..., :1])
    f = cdf(x, *args)
    above, below = (place + 1) / n - f, f - place / n
    if there is not None:
        above, below = (xp.where(place < n, d, -xp.inf) for d in (above, below))
    if alternative == "greater":
        signed, sign = above, xp.ones_like(x[..., 0], dtype=xp.int8)
    elif alternative == "less":
        signed, sign = below, -xp.ones_like(x[..., 0], dtype=xp.int8)
    else:
        up = xp.max(above, axis=-1) > xp.max(below, axis=-1)
        signed = xp.where(up[..., None], above, below)
        sign = xp.astype(up, xp.int8) * 2 - 1
    at = xp.argmax(signed, axis=-1, keepdims=True)
    d = _at(signed, at)
    location = _at(x, at)
    n = n if there is None else n[..., 0]
    strange = xp.isnan(d) if there is None else xp.isnan(d) | (n == 0)
    safe = xp.where(strange, 0.0, d)
    if alternative != "two-sided":
        p = smirnov_sf(safe, n, size)
    elif method == "asymp":
        p = limiting_sf(safe * n**0.5)
    elif method == "approx":
        p = xp.clip(2 * smirnov_sf(safe, n, size), None, 1.0)
    else:
        p = kolmogorov_sf(safe, n, size)
    d, p, location = (xp.where(strange, xp.nan, a) for a in (d, p, location))
    return d, p, location, sign


@native(blocks=_in_rows)
def _of_two(
    x: Any, y: Any, in_x: Any, in_y: Any, alternative: str, method: str
) -> tuple[Any, Any, Any, Any]:
    xp = array_namespace(x)
    whole = index_dtype(xp, x)
    size1, size2 = x.shape[-1], y.shape[-1]
    n1: Any = size1
    n2: Any = size2
    masked = in_x is not None or in_y is not None
    if masked:
        n1, n2 = (
            xp.broadcast_to(
                xp.asarray(count(Rows(a, there)), dtype=whole, device=device(a)), (*a.shape[:-1], 1)
            )
            if there is None
            else xp.sum(xp.astype(there, whole), axis=-1, keepdims=True)
            for a, there in ((x, in_x), (y, in_y))
        )
    g = 1 if masked else math.gcd(n1, n2)
    # Those of the first sample come last among equals, so that the last says whether there are any.
    both = xp.concat([filled(Rows(y, in_y), xp.inf), filled(Rows(x, in_x), xp.inf)], axis=-1)
    order = xp.argsort(both, axis=-1, stable=True)
    values = xp.sort(both, axis=-1, stable=False)
    first = xp.astype(order >= size2, whole)
    steps = first * (n1 // g + n2 // g) - n1 // g
    if masked:
        there = [
            xp.ones(a.shape, dtype=xp.bool, device=device(a)) if m is None else m
            for a, m in ((y, in_y), (x, in_x))
        ]
        counted = xp.take_along_axis(xp.concat(there, axis=-1), order, axis=-1)
        first, steps = first * xp.astype(counted, whole), xp.where(counted, steps, 0)
    rise = xp.cumulative_sum(steps, axis=-1, dtype=whole)
    end = values[..., 1:] != values[..., :-1]
    end = xp.concat([end, values[..., :1] == values[..., :1]], axis=-1)  # True
    rise = xp.where(end, rise, 0)
    up = xp.max(rise, axis=-1, keepdims=True)
    down = xp.min(rise, axis=-1, keepdims=True)
    if alternative == "two-sided":
        falls = up + down < 0
    else:
        falls = (up < 0) if alternative == "greater" else (down <= 0)
    peak = xp.where(falls, down, up)
    h = xp.abs(peak)
    hit = end & (rise == peak)
    at = xp.argmax(xp.where(hit, first + 1, 0), axis=-1, keepdims=True)
    location = _at(values, at)
    sign = 1 - 2 * xp.astype(falls[..., 0], xp.int8)
    sided = alternative != "two-sided"
    n1, n2 = (n if isinstance(n, int) else n[..., 0] for n in (n1, n2))
    pairs = n1 * n2 // g
    d = xp.astype(h[..., 0], x.dtype) / (xp.astype(pairs, x.dtype) if masked else pairs)
    if method == "exact":
        p = None if masked else of_table(h, n1, n2, sided, x.dtype)
        if p is not None:
            p = p[..., 0]
        else:
            if size1 > size2:
                n1, n2, size1, size2 = n2, n1, size2, size1
            p = outside(h[..., 0] * g, n1, n2, size1, size2, sided, x.dtype)
    else:
        p = _asymptotic(d, n1, n2, size1, size2, sided)
    strange = xp.isnan(values[..., -1])
    if masked:
        strange = strange | (n1 * n2 == 0)
    elif is_concrete(strange) and not bool(xp.any(strange)):
        return d, p, location, sign
    d, p, location = (xp.where(strange, xp.nan, a) for a in (d, p, location))
    return d, p, location, sign


def _at(x: Any, index: Any) -> Any:
    """Return an element of each row; the index has one."""
    xp = array_namespace(x)
    if x.ndim == 1:
        return xp.take(x, index, axis=0)[0]
    return xp.take_along_axis(x, index, axis=-1)[..., 0]


def _asymptotic(d: Any, n1: Any, n2: Any, size1: int, size2: int, sided: bool) -> Any:
    """Return the p-value by Kolmogorov's distribution, or Hodges's equation 5.3 if `sided`."""
    xp = array_namespace(d)
    if not sided:
        most = round(size1 * size2 / (size1 + size2))
        if isinstance(n1, int):
            return kolmogorov_sf(d, most, most) if most else xp.nan * d
        most = max(most, 1)
        n = xp.round(xp.astype(n1 * n2, d.dtype) / xp.astype(n1 + n2, d.dtype))
        return xp.where(n > 0, kolmogorov_sf(d, xp.clip(n, 1, None), most), xp.nan)
    m, n = (n * xp.ones_like(d) if isinstance(n, int) else xp.astype(n, d.dtype) for n in (n1, n2))
    m, n = xp.maximum(m, n), xp.minimum(m, n)
    z = xp.sqrt(m * n / (m + n)) * d
    return xp.exp(-2 * z * z - 2 * z * (m + 2 * n) / xp.sqrt(m * n * (m + n)) / 3)
