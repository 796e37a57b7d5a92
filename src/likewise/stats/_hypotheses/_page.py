"""Page's test of a trend."""

import math
from dataclasses import field
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError, DtypeError, ShapeError
from ...missing._axes import as_given
from ...solving._result import result
from .._base._exact import digits, null
from .._base._outcomes import Unpacked
from .._base._pvalues import by_normal
from .._base._ranks import ranked as ranks_of

__all__ = ["PageTrendTestResult", "page_trend_test"]


@result
class PageTrendTestResult(Unpacked):
    """Hold the result of Page's test: unpacked, the statistic and its p-value.

    Attributes
    ----------
    statistic, pvalue : array
        Page's L, and the probability of one as large under the null hypothesis.
    """

    statistic: Any
    pvalue: Any
    _exact: Any = field(repr=False)

    @property
    def method(self) -> str:
        """The method of the p-value, 'exact' or 'asymptotic'."""
        return "exact" if self._exact else "asymptotic"


def page_trend_test(
    data: A, ranked: bool = False, predicted_ranks: A | None = None, method: str = "auto"
) -> PageTrendTestResult:
    """Test whether treatments have a predicted order: Page's test.

    Parameters
    ----------
    data : array
        Observations, real, shape (..., subjects, treatments) with at least 2 subjects and 3
        treatments; or their ranks.
    ranked : bool, optional
        Whether `data` holds ranks in rows.
    predicted_ranks : array, optional
        The ranks of the treatments under the alternative; 1, 2, 3... by default.
    method : {'auto', 'exact', 'asymptotic'}, optional
        The p-value; 'auto' is exact for up to 8 treatments and 12 subjects, or 3 and 20.

    Returns
    -------
    PageTrendTestResult
        With `statistic`, `pvalue` and `method`.

    Raises
    ------
    ArgumentError
        If an option has another value, or there are NaNs or improper ranks that can be read.
    DtypeError
        If `ranked` is no bool.
    ShapeError
        If there are too few dimensions, subjects or treatments.

    Notes
    -----
    Page, J. Am. Stat. Assoc. 58, 1963. Counts of permutations are found by subsets, and multiplied
    as polynomials packed into integers. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import page_trend_test
    >>> table = np.asarray([[3.0, 4.0, 5.0], [2.0, 4.0, 3.0], [1.0, 2.0, 8.0]])
    >>> found = page_trend_test(table)
    >>> float(found.statistic), float(found.pvalue.round(6)), found.method
    (41.0, 0.032407, 'exact')
    """
    _plan.choice("page_trend_test", "method", method, ("auto", "exact", "asymptotic"))
    if not isinstance(ranked, bool):
        raise DtypeError(f"page_trend_test: `ranked` must be boolean, got {ranked!r}")
    xp = array_namespace(data)
    (x,) = _plan.common_floating("page_trend_test", xp, ("data",), data, real=True)
    if x.ndim < 2:
        raise ShapeError(f"page_trend_test: `data` must be a 2d array, got shape {tuple(x.shape)}")
    m, n = x.shape[-2:]
    if m < 2 or n < 3:
        raise ShapeError(
            "page_trend_test: Page's L is only appropriate for data with two or more rows and "
            f"three or more columns, got shape {tuple(x.shape)}"
        )
    if is_concrete(x):
        if bool(xp.any(xp.isnan(x))):
            raise ArgumentError("page_trend_test: `data` contains NaNs, which have no ranks")
        if ranked and not bool(xp.all((x >= 1) & (x <= n))):
            raise ArgumentError("page_trend_test: `data` is not properly ranked: it needs 1 to n")
    if predicted_ranks is None:
        order = list(range(1, n + 1))
    else:
        given = array_namespace(predicted_ranks).asarray(predicted_ranks)
        order = [int(v) for v in given] if given.ndim == 1 else []
        if sorted(order) != list(range(1, n + 1)) or any(int(v) != v for v in given):
            raise ArgumentError(
                f"page_trend_test: `predicted_ranks` must include each integer from 1 to {n} (the "
                "number of columns in `data`) exactly once"
            )
    auto = not (n > 8 or (m > 12 and n > 3) or m > 20)
    exact = method == "exact" or (method == "auto" and auto)
    weights = xp.asarray(order, dtype=x.dtype, device=device(x))
    statistic, p = _trend(x, weights, ranked, exact)
    return PageTrendTestResult(as_given(statistic[..., 0]), as_given(p[..., 0]), exact)


def _in_blocks(x: Any, *options: Any) -> Lines:
    return batches({0: (x, 2)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_in_blocks)
def _trend(x: Any, weights: Any, ranked: bool, exact: bool) -> tuple[Any, Any]:
    xp, (m, n) = array_namespace(x), x.shape[-2:]
    ranks = x if ranked else ranks_of(x)[0]
    statistic = xp.sum(xp.sum(ranks, axis=-2) * weights, axis=-1, keepdims=True)
    if exact:
        least = m * (n * (n + 1) * (n + 2) // 6)
        p = null(_ways, (m, n), (m, n)).at_least(xp.floor(statistic - least))
    else:
        mean = m * n * (n + 1) ** 2 / 4
        variance = m * n**2 * (n + 1) * (n**2 - 1) / 144
        p = by_normal((statistic - mean) / variance**0.5, 1)
    nan = xp.any(xp.isnan(x), axis=(-2, -1))[..., None]
    return xp.where(nan, xp.nan, statistic), xp.where(nan, xp.nan, p)


def _ways(m: int, n: int) -> tuple[int, ...]:
    """Return how many rankings of `n` treatments by `m` subjects have the least L, one more..."""
    bits = 8 * (m * math.factorial(n).bit_length() // 8 + 1)  # of each count
    rows = [1] + [0] * (2**n - 1)  # by the set of ranks that the first treatments have
    for chosen in range(2**n):
        place = chosen.bit_count() + 1
        for rank in range(n):
            if not chosen >> rank & 1:
                rows[chosen | 1 << rank] += rows[chosen] << place * (rank + 1) * bits
    return digits((rows[-1] >> n * (n + 1) * (n + 2) // 6 * bits) ** m, bits)
