"""Odds ratios of tables of two rows and two columns, and their confidence intervals."""

import math
from dataclasses import field
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given, numeric
from ...solving._result import result
from ...special import ndtri
from ...transforms import while_loop
from .._base._outcomes import ConfidenceInterval
from .._base._pvalues import direction
from .._hypotheses._exact_tables import checked_counts

__all__ = ["OddsRatioResult", "odds_ratio"]


@result
class OddsRatioResult:
    """Hold an odds ratio."""

    statistic: Any
    _table: Any = field(repr=False)  # floating
    _kind: str = field(repr=False, metadata={"static": True})

    def confidence_interval(
        self, confidence_level: float = 0.95, alternative: str = "two-sided"
    ) -> ConfidenceInterval:
        """Compute a confidence interval: exact if conditional, else by a normal logarithm.

        Raises ArgumentError if the level isn't in [0, 1], or of another alternative.
        """
        side = direction("confidence_interval", alternative)
        if not 0 <= confidence_level <= 1:
            raise ArgumentError(
                "confidence_interval: confidence_level must be between 0 and 1, "
                f"got {confidence_level!r}"
            )
        table = self._table
        xp = array_namespace(table)
        a, b, d, e = _cells(table)
        alpha = (1 - confidence_level) / (1 if side else 2)
        zero = xp.zeros_like(a)
        if self._kind == "conditional":
            low = _solved(table, "at least", alpha) if side >= 0 else zero
            high = _solved(table, "at most", alpha) if side <= 0 else zero
            low = xp.where(a * e == 0, zero, low)
            high = xp.where(b * d == 0, xp.full_like(zero, xp.inf), high)
        else:
            with quiet(table):
                middle = xp.log(a * e / (b * d))
                width = ndtri(zero + 1 - alpha) * xp.sqrt(1 / a + 1 / b + 1 / d + 1 / e)
                low, high = xp.exp(middle - width), xp.exp(middle + width)
        empty = _empty(table)
        ever = xp.full_like(zero, xp.inf)
        low = xp.where(empty, zero, low) if side >= 0 else zero
        high = xp.where(empty, ever, high) if side <= 0 else ever
        return ConfidenceInterval(as_given(low), as_given(high))


def odds_ratio(table: Any, *, kind: str = "conditional") -> OddsRatioResult:
    """Compute the odds ratio of tables of two rows and two columns.

    Parameters
    ----------
    table : array of integers, shape (..., 2, 2)
        The tables of counts.
    kind : {'conditional', 'sample'}, optional
        'conditional': the maximum likelihood estimate given the margins; 'sample': the ratio of
        the counts' products.

    Returns
    -------
    OddsRatioResult
        ``statistic``, shape (...), NaN where a row or column is empty; and
        ``confidence_interval()``.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        If a value is negative or no integer, an option or the shape is another; or, of
        'conditional', if the table is traced.

    Notes
    -----
    A. Agresti, Statistical Science 7 (1992) 131-153: the noncentral hypergeometric distribution's
    mean, and tails for the interval, are the count's, by Newton's method on logits, which are
    nearly linear in the logarithm of the ratio. O(n) in the largest count.

    Differs from SciPy: takes a batch; small ratios have all digits.

    Examples
    --------
    >>> from likewise.stats.contingency import odds_ratio
    >>> found = odds_ratio([[7, 15], [58, 472]])
    >>> round(float(found.statistic), 6)
    3.783669
    >>> low, high = found.confidence_interval(0.95)
    >>> round(float(low), 6), round(float(high), 6)
    (1.251483, 10.363494)
    """
    name = "odds_ratio"
    _plan.choice(name, "kind", kind, ("conditional", "sample"))
    xp = array_namespace(table)
    x = numeric(name, xp, "table", table, real=True)
    if x.ndim < 2 or tuple(x.shape[-2:]) != (2, 2):
        raise ShapeError(
            f"{name}: Invalid shape {tuple(x.shape)}. The input `table` must be of shape "
            "(..., 2, 2)"
        )
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, "integral"):
        raise ArgumentError(f"{name}: `table` must be an array of integers, got {x.dtype}")
    if kind == "conditional":
        c = checked_counts(name, "table", x)
    else:
        if is_concrete(x) and not bool(xp.all(x >= 0)):
            raise ArgumentError(f"{name}: All values in `table` must be nonnegative")
        (c,) = _plan.common_floating(name, xp, ("table",), x, real=True)
    a, b, d, e = _cells(c)
    if kind == "conditional":
        ratio = xp.where(a * e == 0, xp.zeros_like(a), _solved(c, "mean", 0.0))
    else:
        with quiet(c):
            ratio = a * e / (b * d)
    ratio = xp.where(b * d == 0, xp.full_like(ratio, xp.inf), ratio)
    ratio = xp.where(_empty(c), xp.full_like(ratio, xp.nan), ratio)
    return OddsRatioResult(as_given(ratio), c, kind)


def _cells(table: Any) -> list[Any]:
    return [table[..., i, j] for i in (0, 1) for j in (0, 1)]


def _empty(table: Any) -> Any:
    """Tell which tables have an empty row or column."""
    xp = array_namespace(table)
    return xp.any(xp.sum(table, axis=-1) == 0, axis=-1) | xp.any(
        xp.sum(table, axis=-2) == 0, axis=-1
    )


def _solved(table: Any, what: str, alpha: float) -> Any:
    """Return the ratio at which the first count's mean is the observed one, or the probability of
    counts at most or at least as large is `alpha`; any number where there is none."""
    xp = array_namespace(table)
    if what != "mean" and alpha in (0.0, 1.0):
        small = (what == "at least") == (alpha == 0.0)
        return xp.full_like(table[..., 0, 0], 0.0 if small else xp.inf)
    a, b, d, e = (x[..., None] for x in _cells(table))
    low, high = -xp.minimum(a, e), xp.minimum(b, d)
    most = xp.max(high - low) if 0 not in low.shape else 0
    size = int(most) + 1  # likewise: ignore[LW203]: lazy tables are refused before
    k = low + xp.arange(size, dtype=a.dtype, device=device(a))  # from the observed count
    inside, none = k <= high, xp.zeros_like(k)
    # Logarithms of ways over those of the observed count: sums of ratios of neighbours, outward.
    real = inside & (k > low)
    up, down = (b - k + 1) * (d - k + 1), (a + k) * (e + k)
    ratio = xp.where(real, xp.log(xp.where(real, up, 1.0) / xp.where(real, down, 1.0)), none)
    before = xp.flip(xp.where(k <= 0, ratio, none), axis=-1)
    before = xp.flip(xp.cumulative_sum(before, axis=-1) - before, axis=-1)
    ways = xp.cumulative_sum(xp.where(k > 0, ratio, none), axis=-1) - before
    if what == "mean":
        share, rest, possible = k - low, high - k, (low < 0) & (high > 0)
        target = xp.log(xp.where(possible, -low, 1.0) / xp.where(possible, high, 1.0))
    else:
        share = xp.astype(k <= 0 if what == "at most" else k >= 0, k.dtype)
        rest, possible = 1 - share, high > 0 if what == "at most" else low < 0
        target = xp.zeros_like(a) + math.log(alpha / (1 - alpha))

    def step(state: Any) -> Any:
        theta, _, count = state
        z = xp.where(inside, ways + theta * k, -xp.inf)
        p = xp.exp(z - xp.max(z, axis=-1, keepdims=True))
        p = p / xp.sum(p, axis=-1, keepdims=True)

        def mean(x: Any) -> Any:
            return xp.sum(xp.where(inside, p * x, none), axis=-1, keepdims=True)

        apart = k - mean(k)
        one, two = (xp.where(possible, mean(v), 1.0) for v in (share, rest))
        slope = xp.where(possible, mean(share * apart) / one - mean(rest * apart) / two, 1.0)
        move = xp.where(possible, (target - xp.log(one / two)) / slope, xp.zeros_like(theta))
        return theta + move, xp.max(xp.abs(move)), count + 1

    first = xp.log((a + 0.5) * (e + 0.5) / ((b + 0.5) * (d + 0.5)))
    near = math.sqrt(float(xp.finfo(a.dtype).eps))
    state = (first, xp.sum(first) * 0 + 1.0, 0)
    theta = while_loop(lambda s: (s[1] > near) & (s[2] < 60), step, state)[0]
    return xp.exp(theta[..., 0])
