"""Somers's D."""

from dataclasses import field
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_concrete, quiet
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...solving._result import result
from .._base._pvalues import by_normal, direction
from ._crosstab import crosstab

__all__ = ["SomersDResult", "somersd"]


@result
class SomersDResult:
    """Hold Somers's D, as `statistic` and `correlation`, its p-value and the table of ranks."""

    statistic: Any
    pvalue: Any
    table: Any = field(repr=False)

    @property
    def correlation(self) -> Any:
        """The statistic, by another of SciPy's names."""
        return self.statistic


def somersd(x: Any, y: Any = None, alternative: str = "two-sided") -> SomersDResult:
    """Test Somers's D: how well the order of one variable tells that of another.

    Parameters
    ----------
    x : array, shape (n,) or (..., r, c)
        The ranks of one variable; or tables of counts, whose rows are the ranks of that variable
        and whose columns are those of the other.
    y : array, shape (n,), optional
        The ranks of the other variable, if `x` is no table.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The sign of D under the alternative.

    Returns
    -------
    SomersDResult
        ``statistic``, D of y given x, and ``pvalue``, shape (...); ``table``. NaN of tables with
        one row or column.

    Raises
    ------
    ArgumentError, NotSupported, ShapeError
        If counts are negative or no whole numbers, or fewer than two aren't 0, where values can be
        read; if ranks are traced, whose table has no known size; if sizes differ.

    Notes
    -----
    R. H. Somers, American Sociological Review 27 (1962) 799-811; the variance is that of M. B.
    Brown and J. K. Benedetti, J. Am. Stat. Assoc. 72 (1977) 309-315. O(r c). Not
    differentiable.

    Differs from SciPy: a batch of tables.

    Examples
    --------
    >>> from likewise.stats import somersd
    >>> found = somersd([[27, 25, 14, 7, 0], [7, 14, 18, 35, 12], [1, 3, 2, 7, 17]])
    >>> round(float(found.statistic), 6), float(found.pvalue) < 1e-26
    (0.603277, True)
    """
    side = direction("somersd", alternative)
    xp = array_namespace(x, y)
    given = x if hasattr(x, "shape") else xp.asarray(x)
    if given.ndim == 1:
        if y is None:
            raise ArgumentError("somersd: give y, or a table as x, which has two dimensions")
        table = crosstab(x, y).count
    elif given.ndim < 2:
        raise ArgumentError(f"somersd: x must be either a 1D or 2D array, got {given.ndim}D")
    else:
        table = given
    (a,) = _plan.common_floating("somersd", xp, ("x",), table, real=True)
    xp = array_namespace(a)
    if given.ndim > 1 and is_concrete(a):
        if not bool(xp.all((a >= 0) & (a == xp.floor(a)))):
            raise ArgumentError(
                "somersd: All elements of the contingency table must be non-negative integers"
            )
        if not bool(xp.all(xp.count_nonzero(a, axis=(-2, -1)) > 1)):
            raise ArgumentError(
                "somersd: At least two elements of the contingency table must be nonzero"
            )
    statistic, pvalue = _of_tables(xp, a, side)
    return SomersDResult(as_given(statistic), as_given(pvalue), table)


def _of_tables(xp: Any, a: Any, side: int) -> tuple[Any, Any]:
    both = (-2, -1)
    total = xp.sum(a, axis=both)
    if 1 in a.shape[-2:]:
        return total * xp.nan, total * xp.nan
    # Sums of all elements before each place, by rows and columns.
    before = xp.cumulative_sum(a, axis=-2, include_initial=True)
    before = xp.cumulative_sum(before, axis=-1, include_initial=True)
    corners = before[..., 1:, :] + before[..., :-1, :]
    rows, columns = corners[..., -1:], (before[..., 1:] + before[..., :-1])[..., -1:, :]
    corners = corners[..., 1:] + corners[..., :-1]
    # What is in order with an element, less what is not.
    excess = corners - rows - columns + total[..., None, None]
    sums = xp.sum(a, axis=-1)
    with quiet(a):
        difference = xp.sum(a * excess, axis=both)
        statistic = difference / (total * total - xp.sum(sums * sums, axis=-1))
        spread = xp.sum(a * excess * excess, axis=both) - difference * difference / total
        z = difference / xp.sqrt(4 * xp.maximum(spread, xp.zeros_like(spread)))
        return statistic, by_normal(z, side)
