"""Fisher's exact test of tables of two rows and two columns."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, is_lazy, quiet
from ...errors import ArgumentError, NotSupported, ShapeError
from ...missing._axes import as_given, numeric
from ...special import gammaln
from .._base._pvalues import Significance, direction
from .._resampling._methods import MonteCarloMethod, PermutationMethod, check_method
from ._permuted_tables import permuted_tables

__all__ = ["checked_counts", "fisher_exact", "hypergeometric", "of_number", "one_table"]

_FEW = 400  # a table with at most so many counts is a matter of a few whole numbers


def checked_counts(function: str, name: str, x: Any) -> Any:
    """Return counts as floating numbers, where values can be read."""
    xp = array_namespace(x)
    x = numeric(function, xp, name, x, real=True)
    (counts,) = _plan.common_floating(function, xp, (name,), x, real=True)
    if is_lazy(counts):
        raise NotSupported(
            f"{function}: {name} must have values, as they say how many tables there are with its "
            "margins; call it outside of jit, vmap and grad"
        )
    good = (counts >= 0) & (counts == array_namespace(counts).floor(counts))
    if not bool(array_namespace(counts).all(good)):
        raise ArgumentError(f"{function}: All values in `{name}` must be nonnegative integers")
    return counts


def hypergeometric(xp: Any, low: Any, high: Any, drawn: Any, good: Any, bad: Any) -> Any:
    """Return weights of the counts low ... high of good ones among those drawn, shape (..., S).

    All arguments have the shape (..., 1). Products of ratios, outward from the mode, so that no
    weight overflows and each has nearly all of its digits.
    """
    most = xp.max(high - low) if 0 not in low.shape else 0
    size = int(most) + 1  # likewise: ignore[LW203]: lazy tables are refused before
    x = low + xp.arange(size, dtype=low.dtype, device=device(low))
    inside = x <= high
    mode = xp.floor((drawn + 1) * (good + 1) / (good + bad + 2))
    # The ratio of the weights of x and x - 1.
    up = (good - x + 1) * (drawn - x + 1)
    down = x * (bad - drawn + x)
    one = xp.ones_like(x)
    rising = xp.where(inside & (x > mode) & (x > low), up / xp.where(down == 0, one, down), one)
    falling = xp.where((x <= mode) & (x > low), down / xp.where(up == 0, one, up), one)
    # Below the mode, the weight of x is the product of the inverse ratios of all that follow.
    falling = xp.concat([falling[..., 1:], one[..., :1]], axis=-1)
    falling = xp.flip(xp.cumulative_prod(xp.flip(falling, axis=-1), axis=-1), axis=-1)
    weights = xp.cumulative_prod(rising, axis=-1) * falling
    return xp.where(inside, weights, xp.zeros_like(weights))


def one_table(function: str, table: Any, read: bool = False) -> tuple[Any, list[int]]:
    """Return an array and the four counts of a lone table in memory; of others no counts.

    With `read`, also of a table on a device.
    """
    xp = array_namespace(table)
    x = numeric(function, xp, "table", table, real=True)
    if tuple(x.shape) != (2, 2) or (is_lazy(x) if read else not is_concrete(x)):
        return x, []
    cells = [x[i, j] for i in (0, 1) for j in (0, 1)]
    if not all(v >= 0 and v == v // 1 for v in cells):
        raise ArgumentError(f"{function}: All values in `table` must be nonnegative integers")
    return x, [int(v) for v in cells]


def of_number(like: Any, value: float) -> Any:
    """Return a number as a result for an array: of its library, floating dtype and device."""
    xp = array_namespace(like)
    dtype = like.dtype if xp.isdtype(like.dtype, "real floating") else None
    return as_given(xp.asarray(value, dtype=dtype, device=device(like)))


def _one(cells: list[int], side: int) -> tuple[float, float]:
    """Return the odds ratio and the p-value of a table, from whole numbers of ways."""
    a, b, d, e = cells
    drawn, good, bad = a + d, a + b, d + e
    if not (drawn and good and bad and b + e):
        return math.nan, 1.0
    odds = a * e / (b * d) if b * d else math.inf
    first = a if side > 0 else max(0, drawn - bad)
    last = a if side < 0 else min(drawn, good)
    ways = [math.comb(good, first) * math.comb(bad, drawn - first)]
    for x in range(first + 1, last + 1):
        ways.append(ways[-1] * ((good - x + 1) * (drawn - x + 1)) // (x * (bad - drawn + x)))
    if not side:
        own = math.comb(good, a) * math.comb(bad, d)
        ways = [w for w in ways if w <= own]
    return odds, sum(ways) / math.comb(good + bad, drawn)


def _drawn(name: str, table: Any, alternative: Any, method: Any) -> Significance:
    """The probability of a table, and that of tables with its margins that aren't more probable."""
    if alternative is not None:
        raise ArgumentError(
            f"{name}: `alternative` must be the default (None) unless `table` has shape `(2, 2)` "
            f"and `method is None`, got {alternative!r}"
        )
    c = checked_counts(name, "table", table)
    xp = array_namespace(c)
    if c.ndim != 2 or 0 in c.shape:
        raise ShapeError(
            f"{name}: `table` must have two dimensions, at least one row and one column, got "
            f"{tuple(c.shape)}"
        )
    if 1 in c.shape:  # there is no other table
        one = as_given(xp.ones_like(xp.sum(c)))
        return Significance(one, one)
    margins = [gammaln(xp.sum(c, axis=i) + 1) for i in (0, 1)]
    whole = xp.sum(margins[0]) + xp.sum(margins[1]) - gammaln(xp.sum(c) + 1)

    def probability(tables: Any) -> Any:
        return xp.exp(whole - xp.sum(gammaln(tables + 1), axis=(-2, -1)))

    own = xp.minimum(probability(c), xp.ones_like(whole))
    pvalue = permuted_tables(name, c, method, probability, "less")
    return Significance(as_given(own), as_given(pvalue))


def fisher_exact(
    table: Any,
    alternative: str | None = None,
    *,
    method: PermutationMethod | MonteCarloMethod | None = None,
) -> Significance:
    """Test whether rows and columns of a table of counts are independent, exactly.

    Parameters
    ----------
    table : array of counts, shape (..., 2, 2) or (r, c)
        The tables; one of another shape than (2, 2) has no batch.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the odds ratio differs from, is less or greater than 1; None with a method, and for
        other shapes.
    method : PermutationMethod or MonteCarloMethod, optional
        How many tables are drawn that have the margins, and by which key. Default: none for
        (2, 2), else 9999.

    Returns
    -------
    Significance
        ``statistic``, the odds ratio of the table, or with a method its probability; and
        ``pvalue``, both of shape (...).

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        If a value is negative or no whole number, an option or the shape is another, or the table
        is traced.

    Notes
    -----
    Sums of hypergeometric probabilities, made from ratios outward from the mode: with nearly all
    digits, also far out. For 'two-sided', tables count that are at most as likely, to rounding.
    So they do if tables are drawn (G. H. Freeman, J. H. Halton, Biometrika 38 (1951) 141-149).

    Differs from SciPy: takes a batch.

    Examples
    --------
    >>> from likewise.stats import fisher_exact
    >>> found = fisher_exact([[8, 2], [1, 5]])
    >>> float(found.statistic), round(float(found.pvalue), 6)
    (20.0, 0.034965)
    """
    name = "fisher_exact"
    resampled = check_method(name, method, PermutationMethod, MonteCarloMethod)
    shape = tuple(getattr(table, "shape", ())) or tuple(array_namespace(table).asarray(table).shape)
    if resampled or (len(shape) == 2 and shape != (2, 2)):
        return _drawn(name, table, alternative, method or MonteCarloMethod())
    side = direction(name, "two-sided" if alternative is None else alternative)
    like, cells = one_table(name, table)
    if cells and sum(cells) <= _FEW:
        return Significance(*(of_number(like, v) for v in _one(cells, side)))
    c = checked_counts(name, "table", table)
    if c.ndim < 2 or tuple(c.shape[-2:]) != (2, 2):
        raise ShapeError(f"{name}: table must have shape (..., 2, 2), got {tuple(c.shape)}")
    xp = array_namespace(c)
    a, b, d, e = (c[..., i, j, None] for i in (0, 1) for j in (0, 1))
    drawn, good, bad = a + d, a + b, d + e
    low = xp.maximum(xp.zeros_like(a), drawn - bad)
    high = xp.minimum(drawn, good)
    with quiet(c):
        weights = hypergeometric(xp, low, high, drawn, good, bad)
        x = low + xp.arange(weights.shape[-1], dtype=c.dtype, device=device(c))
        if side:
            extreme = x <= a if side < 0 else x >= a
        else:
            own = xp.sum(xp.where(x == a, weights, xp.zeros_like(weights)), axis=-1, keepdims=True)
            rounding = 4 * float(xp.finfo(c.dtype).eps) * weights.shape[-1]
            extreme = weights <= own * (1 + rounding)
        none = xp.zeros_like(weights)
        pvalue = xp.sum(xp.where(extreme, weights, none), axis=-1) / xp.sum(weights, axis=-1)
        odds = a * e / (b * d)
    odds = xp.where(b * d == 0, xp.full_like(odds, xp.inf), odds)
    empty = (drawn == 0) | (b + e == 0) | (good == 0) | (bad == 0)
    odds = xp.where(empty, xp.full_like(odds, xp.nan), odds)[..., 0]
    pvalue = xp.where(empty[..., 0], xp.ones_like(pvalue), pvalue)
    return Significance(as_given(odds), as_given(pvalue))
