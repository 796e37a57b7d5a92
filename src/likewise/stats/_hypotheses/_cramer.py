"""Cramér and von Mises's tests of distributions."""

import math
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import NotSupported
from ...missing import rankdata, searchsorted
from ...missing._axes import index_dtype
from .._base._cramer import limiting_sf, second_order, two_samples
from .._base._pvalues import Significance
from .._base._samples import Rows, count, enough, filled, nothing, samples
from ._smirnov import cdf_of

__all__ = ["cramervonmises", "cramervonmises_2samp"]

_MOST = 20  # SciPy's limit of exact probabilities


def cramervonmises(
    rvs: A,
    cdf: Callable[..., Any] | str,
    args: tuple[Any, ...] = (),
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether a sample comes from a continuous distribution: Cramér and von Mises.

    Parameters
    ----------
    rvs : array
        The sample, real, of 2 observations or more; other dimensions are a batch.
    cdf : callable or str
        The distribution function, as for `ks_1samp`.
    args : tuple, optional
        Its further arguments.
    axis, nan_policy, keepdims : optional
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
    S. Csörgő, J. J. Faraway, J. R. Stat. Soc. B 58, 1996, equations 1.8 and 1.9; about ten thousand
    exponentials for each sample. Differentiable.

    Differs from SciPy: p-values have 12 digits behind the point, not 7.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import cramervonmises
    >>> float(cramervonmises(np.asarray([0.1, 0.4, 0.45, 0.9]), lambda x: x).pvalue.round(6))
    0.88327
    """
    (rows,), back = samples("cramervonmises", axis, nan_policy, keepdims, rvs=rvs)
    function = cdf_of("cramervonmises", cdf)
    ok = enough("cramervonmises", rows, least=2)
    if ok is False:
        return Significance(back(nothing(rows)), back(nothing(rows)))
    w, p = _of_one(*rows, function, args)
    if ok is not True:
        xp = array_namespace(w)
        w, p = xp.where(ok, w, xp.nan), xp.where(ok, p, xp.nan)
    return Significance(back(w), back(p))


def cramervonmises_2samp(
    x: A,
    y: A,
    method: str = "auto",
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Significance:
    """Test whether two samples come from the same continuous distribution: Anderson.

    Parameters
    ----------
    x, y : array
        The samples, real, of 2 observations or more. Their shapes broadcast, but along the axes.
    method : {'auto', 'exact', 'asymptotic'}, optional
        How p-values are computed: 'auto' is exact up to 20 observations in a sample.
    axis, nan_policy, keepdims : optional
        As for `ttest_1samp`.

    Returns
    -------
    Significance
        The statistic and its p-value; NaN of a smaller sample, with a SmallSampleWarning.

    Raises
    ------
    ArgumentError
        If an option has another value.
    NotSupported
        If exact p-values are wanted of samples whose sizes depend on NaNs that can't be read.

    Notes
    -----
    T. W. Anderson, Ann. Math. Stat. 33, 1962. Exact p-values by Xiao, Gordon and Yakovlev, J. Stat.
    Softw. 17(8), 2006, from a table of two sizes that is made once. Not differentiable, but
    asymptotic ones.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import cramervonmises_2samp
    >>> a, b = np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([3.5, 5.0, 6.0, 7.0])
    >>> float(cramervonmises_2samp(a, b).pvalue.round(6))
    0.057143
    """
    _plan.choice("cramervonmises_2samp", "method", method, ("auto", "exact", "asymptotic"))
    (a, b), back = samples("cramervonmises_2samp", axis, nan_policy, keepdims, x=x, y=y)
    ok = enough("cramervonmises_2samp", a, b, least=2)
    if ok is False:
        return Significance(back(nothing(a)), back(nothing(a)))
    t, p = _of_two(a.x, b.x, a.there, b.there, method)
    if ok is not True:
        xp = array_namespace(t)
        t, p = xp.where(ok, t, xp.nan), xp.where(ok, p, xp.nan)
    return Significance(back(t), back(p))


def _in_rows(*args: Any) -> Lines:
    """Blocks of the batch; arrays have their observations last."""
    arrays = {i: (a, 1) for i, a in enumerate(args) if hasattr(a, "ndim")}
    some: tuple[tuple[int, ...], Any] = ((), args[0].dtype)
    return batches(arrays, some, some)


@native(blocks=_in_rows)
def _of_one(x: Any, there: Any, cdf: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    xp, size = array_namespace(x), x.shape[-1]
    rows = Rows(x, there)
    n: Any = count(rows)
    x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
    place = xp.arange(size, dtype=x.dtype, device=device(x))
    if there is not None:
        x = xp.where(place < n, x, x[..., :1])
    off = (2 * place + 1) / (2 * n) - cdf(x, *args)
    if there is not None:
        off = xp.where(place < n, off, 0.0)
        n = xp.clip(n[..., 0], 1, None)
    w = xp.sum(off * off, axis=-1) + 1 / (12 * n)
    strange = xp.isnan(w)
    safe = xp.where(strange, 1.0, w)
    p = limiting_sf(safe) * (1 + 1 / (12 * n)) - (1 / 12 + second_order(safe)) / n
    p = xp.where(safe <= 1 / (12 * n), 1.0, xp.where(safe >= n / 3, 0.0, p))
    return w, xp.where(strange, xp.nan, xp.clip(p, 0.0, None))


@native(blocks=_in_rows)
def _of_two(x: Any, y: Any, in_x: Any, in_y: Any, method: str) -> tuple[Any, Any]:
    xp, sizes = array_namespace(x), (x.shape[-1], y.shape[-1])
    masked = in_x is not None or in_y is not None
    x, y = (_sorted(Rows(a, there)) for a, there in ((x, in_x), (y, in_y)))
    ranks = rankdata(
        xp.concat([x, y], axis=-1), axis=-1, nan_policy="omit" if masked else "propagate"
    )
    parts = []
    numbers: list[Any] = []
    for r in (ranks[..., : sizes[0]], ranks[..., sizes[0] :]):
        place = xp.arange(1, r.shape[-1] + 1, dtype=r.dtype, device=device(r))
        square = (r - place) ** 2
        n: Any = r.shape[-1]
        if masked:
            inside = ~xp.isnan(r)
            n = xp.sum(xp.astype(inside, r.dtype), axis=-1)
            square = xp.where(inside, square, 0.0)
        numbers.append(n)
        parts.append(n * xp.sum(square, axis=-1))
    n1, n2 = numbers
    u, k, total = parts[0] + parts[1], n1 * n2, n1 + n2
    t = u / (k * total) - (4 * k - 1) / (6 * total)
    if method == "exact" or (method == "auto" and max(sizes) <= _MOST):
        return t, _exact(u, n1, n2)
    mean = (1 + 1 / total) / 6
    variance = (total + 1) * (4 * k * total - 3 * (n1**2 + n2**2) - 2 * k)
    variance = variance / (45 * total**2 * 4 * k)
    z = 1 / 6 + (t - mean) / (45 * variance) ** 0.5
    strange = xp.isnan(z)
    p = xp.where(z < 0.003, 1.0, limiting_sf(xp.where(strange, 1.0, z)))
    return t, xp.where(strange, xp.nan, p)


def _sorted(rows: Rows) -> Any:
    """Return the observations in order, NaN where they don't count."""
    xp = array_namespace(rows.x)
    x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
    if rows.there is None:
        return x
    place = xp.arange(x.shape[-1], dtype=x.dtype, device=device(x))
    return xp.where(place < count(rows), x, xp.nan)


def _exact(u: Any, n1: Any, n2: Any) -> Any:
    """Return exact p-values of Anderson's sum of squares."""
    xp = array_namespace(u)
    if isinstance(n1, int):
        return _of_sizes(u, n1, n2)
    if not is_concrete(u):
        raise NotSupported(
            "cramervonmises_2samp: exact p-values of sizes that depend on NaNs need arrays whose "
            "values can be read. Use method='asymptotic', or leave the NaNs out before."
        )
    both = {
        (int(a), int(b))
        for a, b in zip(xp.reshape(n1 + 0 * u, (-1,)), xp.reshape(n2 + 0 * u, (-1,)), strict=True)
    }
    p = xp.full_like(u, xp.nan)
    for a, b in sorted(both):
        if a and b:
            p = xp.where((n1 == a) & (n2 == b), _of_sizes(u, a, b), p)
    return p


def _of_sizes(u: Any, n1: int, n2: int) -> Any:
    xp, where = array_namespace(u), device(u)
    whole = index_dtype(xp, u)
    values, sums = two_samples(n1, n2)
    strange = xp.isnan(u)
    four = xp.astype(xp.round(xp.where(strange, 0.0, 4 * u)), whole)
    k = n1 * n2
    reached = (n1 + n2) * (6 * four - 4 * k * (4 * k - 1)) // (24 * math.gcd(n1, n2) ** 2)
    index = searchsorted(xp.asarray(values, dtype=whole, device=where), reached)
    table = xp.asarray([*sums, 0.0], dtype=u.dtype, device=where)
    p = xp.reshape(xp.take(table, xp.reshape(index, (-1,)), axis=0), u.shape)
    return xp.where(strange, xp.nan, p)
