"""An exact test of a proportion.

C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404-413; E. B. Wilson, Journal of the American
Statistical Association 22 (1927) 209-212; R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872.
"""

import math
from collections.abc import Callable
from dataclasses import field
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...solving._result import result
from ...special import betainc, betaincc, betainccinv, betaincinv, ndtri
from .._base._outcomes import ConfidenceInterval
from .._base._pvalues import ALTERNATIVES, direction
from .._distributions._masses import log_binomial
from ._exact_tables import of_number

__all__ = ["BinomTestResult", "above", "below", "binomtest"]

_FEW = 50  # trials up to which terms are added
_SMALL = 1e4  # trials up to which sums of logarithms of factorials tell those apart
_NEAR = 1e-7  # outcomes whose probabilities differ by less, relatively, are equally likely


@result
class BinomTestResult:
    """Hold the result of `binomtest`: counts, the estimated proportion and the p-value."""

    k: Any
    n: Any
    statistic: Any
    pvalue: Any
    _side: Any = field(repr=False)

    @property
    def proportion_estimate(self) -> Any:
        """The share of successes."""
        return self.statistic

    @property
    def alternative(self) -> str:
        """The alternative hypothesis. Reads a number."""
        return ALTERNATIVES[int(self._side)]

    def __repr__(self) -> str:
        return (
            f"BinomTestResult(k={self.k}, n={self.n}, alternative={self.alternative!r}, "
            f"statistic={self.statistic}, pvalue={self.pvalue})"
        )

    def proportion_ci(
        self, confidence_level: float = 0.95, method: str = "exact"
    ) -> ConfidenceInterval:
        """Return bounds of the proportion: Clopper and Pearson's 'exact', 'wilson' or 'wilsoncc'.

        Raises ArgumentError for another method, or a level outside of [0, 1].
        """
        _plan.choice("proportion_ci", "method", method, ("exact", "wilson", "wilsoncc"))
        if not 0 <= confidence_level <= 1:
            raise ArgumentError(
                f"proportion_ci: confidence_level must be in the interval [0, 1], "
                f"got {confidence_level}"
            )
        side = ALTERNATIVES.index(self.alternative)
        alpha = (1 - confidence_level) / (1 if side else 2)
        xp = array_namespace(self.pvalue)
        k, n, _ = _plan.common_floating(
            "proportion_ci", xp, ("k", "n", "pvalue"), self.k, self.n, self.pvalue
        )
        bounds = _clopper_pearson if method == "exact" else _wilson
        with quiet(k):
            low, high = bounds(xp, k, n, alpha, method == "wilsoncc")
        none, all_of = xp.zeros_like(low), xp.ones_like(low)
        low = none if side == 1 else xp.where(k == 0, none, low)
        high = all_of if side == 2 else xp.where(k == n, all_of, high)
        return ConfidenceInterval(as_given(low), as_given(high))


def _clopper_pearson(xp: Any, k: Any, n: Any, alpha: float, _: bool) -> tuple[Any, Any]:
    level = xp.full_like(k, alpha)
    low = betaincinv(xp.where(k > 0, k, xp.ones_like(k)), n - k + 1, level)
    high = betainccinv(k + 1, xp.where(k < n, n - k, xp.ones_like(k)), level)
    return low, high


def _wilson(xp: Any, k: Any, n: Any, alpha: float, corrected: bool) -> tuple[Any, Any]:
    z = -ndtri(xp.full_like(k, alpha))
    p, q, scale = k / n, 1 - k / n, 2 * (n + z * z)
    middle = (2 * n * p + z * z) / scale
    if not corrected:
        width = z / scale * xp.sqrt(4 * n * p * q + z * z)
        return middle - width, middle + width
    lower = z * z - 2 - 1 / n + 4 * p * (n * q + 1)
    upper = z * z + 2 - 1 / n + 4 * p * (n * q - 1)
    return middle - (1 + z * xp.sqrt(lower)) / scale, middle + (1 + z * xp.sqrt(upper)) / scale


def binomtest(k: Any, n: Any, p: Any = 0.5, alternative: str = "two-sided") -> BinomTestResult:
    """Test whether the probability of success is p, exactly.

    Parameters
    ----------
    k, n : int, or array of whole numbers
        Successes among trials, 0 <= k <= n and n >= 1. Arrays broadcast: a batch.
    p : float or array, optional
        The probability under the null hypothesis, in [0, 1].
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the probability differs from, is less or greater than p.

    Returns
    -------
    BinomTestResult
        ``k n statistic pvalue alternative proportion_estimate``, and ``proportion_ci()``.

    Raises
    ------
    ArgumentError, ShapeError
        If an option has another value, or numbers lie elsewhere, where they are on the host.

    Notes
    -----
    Tails are incomplete beta functions. For 'two-sided', outcomes count that are at most as likely
    as k, to a relative 1e-7: a bisection finds the first on the other side. Differentiable in p.

    Examples
    --------
    >>> from likewise.stats import binomtest
    >>> found = binomtest(3, n=15, p=0.1, alternative="greater")
    >>> round(float(found.pvalue), 6), round(float(found.statistic), 2)
    (0.184061, 0.2)
    >>> low, high = found.proportion_ci(0.95)
    >>> round(float(low), 6), float(high)
    (0.056847, 1.0)
    """
    side = direction("binomtest", alternative)
    xp = array_namespace(k, n, p)
    given_k, given_n = k, n
    for name, x in (("k", k), ("n", n)):
        if isinstance(x, float) or not (hasattr(x, "__index__") or hasattr(x, "shape")):
            raise TypeError(f"binomtest: {name} must be an integer, got {x!r}")
    numbers = [x for x in (k, n, p) if isinstance(x, int | float)]
    if len(numbers) == 3:
        k, n, p = (xp.asarray(float(x)) for x in numbers)
    else:
        k, n, p = _plan.common_floating("binomtest", xp, ("k", "n", "p"), k, n, p, real=True)
        xp = array_namespace(k)
        shape = _plan.broadcast("binomtest", k=k.shape, n=n.shape, p=p.shape)
        k, n, p = (x if tuple(x.shape) == shape else xp.broadcast_to(x, shape) for x in (k, n, p))
    known = is_concrete(k) and is_concrete(n) and is_concrete(p)
    if known and not k.ndim and float(n) <= _SMALL:
        one = float(k), float(n), float(p)
        _check(*one, bool)
        found = of_number(k, _of_one(k, *one, side))
    else:
        if known:
            _check(k, n, p, lambda good: bool(xp.all(good)))
        with quiet(k):
            found = _of_many(xp, k, n, p, side)
    which = xp.asarray(float(ALTERNATIVES.index(alternative)), dtype=k.dtype, device=device(k))
    return BinomTestResult(
        as_given(given_k), as_given(given_n), as_given(k / n), as_given(found), which
    )


def _check(k: Any, n: Any, p: Any, every: Callable[[Any], bool]) -> None:
    """Raise if numbers, or elements of arrays, are no counts or no probability."""
    if not every((k >= 0) & (k // 1 == k) & (n >= 1) & (n // 1 == n)):
        raise ArgumentError("binomtest: k must be an integer >= 0, n one >= 1")
    if not every(k <= n):
        raise ArgumentError(f"binomtest: k ({k}) must not be greater than n ({n})")
    if not every((p >= 0) & (p <= 1)):
        raise ArgumentError(f"binomtest: p must be in range [0,1], got {p}")


def _of_one(like: Any, k: float, n: float, p: float, side: int) -> float:
    """Return the p-value of numbers; the array `like` tells the library and the precision."""
    xp = array_namespace(like)

    def tail(function: Callable[..., Any], *args: float) -> float:
        arrays = (xp.asarray(v, dtype=like.dtype, device=device(like)) for v in args)
        return float(function(*arrays))

    def at_most(j: float) -> float:
        return tail(betaincc, j + 1, n - j, p) if 0 <= j < n else float(j >= n)

    def at_least(j: float) -> float:
        if not 0 < j <= n:
            return float(j <= 0)
        if n <= _FEW and 1e-3 < p < 1:
            return _sum_from(int(j), int(n), p)
        return tail(betainc, j, n - j + 1, p)

    if side or k == n * p:
        return at_most(k) if side < 0 else at_least(k) if side else 1.0
    if p in (0.0, 1.0):
        return 0.0
    own, lower = _log_density(k, n, p) + _near(xp, like), k < n * p
    left, right = 0.0, (n - math.ceil(n * p) if lower else math.floor(n * p)) + 1.0
    while left < right:
        middle = (left + right) // 2
        if _log_density(n - middle if lower else middle, n, p) <= own:
            left = middle + 1
        else:
            right = middle
    found = at_most(k) + at_least(n - left + 1) if lower else at_least(k) + at_most(left - 1)
    return min(found, 1.0)


def _sum_from(j: int, n: int, p: float) -> float:
    """Return the sum of the probabilities of j, j + 1 ... n, of few, all of which are positive."""
    first = math.comb(n, j) * p**j * math.exp((n - j) * math.log1p(-p))
    term = total = 1.0
    for i in range(j, n):
        term *= (n - i) / (i + 1) * (p / (1 - p))
        total += term
    return min(first * total, 1.0)


def _log_density(j: float, n: float, p: float) -> float:
    """Return the logarithm of the probability of j, 0 < p < 1."""
    ways = math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
    return ways + j * math.log(p) + (n - j) * math.log1p(-p)


def _near(xp: Any, x: Any) -> float:
    return max(_NEAR, 100 * float(xp.finfo(x.dtype).eps))


def _of_many(xp: Any, k: Any, n: Any, p: Any, side: int) -> Any:
    if side:
        return below(xp, k, n, p) if side < 0 else above(xp, k, n, p)
    known = is_concrete(n) and 0 not in n.shape
    return _both(xp, k, n, p, int(xp.max(n)).bit_length() if known else 53)


def below(xp: Any, k: Any, n: Any, p: Any) -> Any:
    """Return P(K <= k) for -1 <= k <= n."""
    inside = (k >= 0) & (k < n)
    found = betaincc(xp.where(inside, k + 1, xp.ones_like(k)), xp.where(inside, n - k, n), p)
    return xp.where(inside, found, xp.astype(k >= n, k.dtype))


def above(xp: Any, k: Any, n: Any, p: Any) -> Any:
    """Return P(K >= k) for 0 <= k <= n + 1."""
    inside = (k > 0) & (k <= n)
    found = betainc(xp.where(inside, k, n), xp.where(inside, n - k + 1, xp.ones_like(k)), p)
    return xp.where(inside, found, xp.astype(k <= 0, k.dtype))


def _both(xp: Any, k: Any, n: Any, p: Any, steps: int) -> Any:
    """Return the probability of outcomes that are at most as likely as k."""
    lower = k < n * p  # so that the others lie above

    def log_density(j: Any) -> Any:
        return log_binomial(j, n, p)

    own = log_density(k) + _near(xp, k)
    # The first likely enough outcome lies in [left, right]; beyond the mode, counted from the end.
    left, right = xp.zeros_like(k), xp.where(lower, n - xp.ceil(n * p), xp.floor(n * p)) + 1
    for _ in range(steps + 1):
        middle = xp.floor((left + right) / 2)
        far = xp.where(lower, n - middle, middle)
        few = (log_density(far) <= own) & (middle < right)
        left, right = xp.where(few, middle + 1, left), xp.where(few, right, middle)
    found = xp.where(
        lower,
        below(xp, k, n, p) + above(xp, n - left + 1, n, p),
        above(xp, k, n, p) + below(xp, left - 1, n, p),
    )
    certain = (k == n * p) | (found > 1)
    return xp.where(certain, xp.ones_like(found), found)
