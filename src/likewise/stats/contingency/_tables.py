"""Tables of counts: expected ones, tests of independence, association, risks."""

import functools
import math
import operator
from dataclasses import field
from typing import Any, NamedTuple

from ... import _plan
from ..._dtypes import default_floating
from ..._namespace import array_namespace, is_concrete, quiet
from ...errors import ArgumentError, DtypeError, ShapeError
from ...missing._axes import as_given, numeric
from ...solving._result import result
from ...special import chdtrc, ndtri
from .._base._outcomes import ConfidenceInterval
from .._hypotheses._counts import divergence, lambda_power
from .._hypotheses._exact_tables import checked_counts
from .._hypotheses._permuted_tables import permuted_tables
from .._resampling._methods import MonteCarloMethod, PermutationMethod, check_method

__all__ = [
    "Chi2ContingencyResult",
    "RelativeRiskResult",
    "association",
    "chi2_contingency",
    "expected_freq",
    "margins",
    "relative_risk",
]


class Chi2ContingencyResult(NamedTuple):
    """Hold a statistic, its p-value and degrees of freedom, and the expected counts."""

    statistic: Any
    pvalue: Any
    dof: float
    expected_freq: Any


def margins(a: Any) -> list[Any]:
    """Compute the sums of a table over all axes but one, for each axis.

    Parameters
    ----------
    a : array
        The table.

    Returns
    -------
    list of array
        For axis k, the sums over all others, which stay with size 1.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats.contingency import margins
    >>> margins(np.asarray([[1, 2], [3, 4]]))
    [array([[3],
           [7]]), array([[4, 6]])]
    """
    xp = array_namespace(a)
    a = numeric("margins", xp, "a", a)
    axes = range(a.ndim)
    return [
        xp.sum(a, axis=tuple(j for j in axes if j != k), keepdims=True, dtype=a.dtype) for k in axes
    ]


def expected_freq(observed: Any) -> Any:
    """Compute the counts that a table of independent variables has on average.

    Parameters
    ----------
    observed : array
        The table.

    Returns
    -------
    array
        The products of the margins over the total, of the table's shape.

    Notes
    -----
    Differentiable. Integers become the library's default floating dtype.

    Examples
    --------
    >>> from likewise.stats.contingency import expected_freq
    >>> expected_freq([[10, 10, 20], [20, 20, 20]])
    array([[12., 12., 16.],
           [18., 18., 24.]])
    """
    xp = array_namespace(observed)
    (x,) = _plan.common_floating("expected_freq", xp, ("observed",), observed, real=True)
    xp = array_namespace(x)
    if not x.ndim:
        return as_given(x)
    return functools.reduce(operator.mul, margins(x)) / xp.sum(x) ** (x.ndim - 1)


def chi2_contingency(
    observed: Any,
    correction: bool = True,
    lambda_: float | str | None = None,
    *,
    method: PermutationMethod | MonteCarloMethod | None = None,
) -> Chi2ContingencyResult:
    """Test whether the variables of a table of counts are independent.

    Parameters
    ----------
    observed : array
        The table, of any number of dimensions.
    correction : bool, optional
        Whether to take Yates's correction, where there is one degree of freedom.
    lambda_ : float or str, optional
        As for `likewise.stats.power_divergence`.
    method : PermutationMethod or MonteCarloMethod, optional
        How many tables of two dimensions are drawn that have the margins, and by which key, with
        ``correction=False`` and no `lambda_`.

    Returns
    -------
    Chi2ContingencyResult
        ``statistic pvalue dof expected_freq``; with a method, `dof` is NaN.

    Raises
    ------
    ArgumentError
        If a count is negative, the table is empty, or an expected count is 0, where values are on
        the host; if an option has another value, or doesn't go with a method.
    NotSupported
        If tables are drawn, and the counts traced.

    Notes
    -----
    The statistic of `likewise.stats.power_divergence` for `expected_freq`. Differentiable. A batch
    of tables is a case for `likewise.transforms.vmap`, as all dimensions are the table's.

    Examples
    --------
    >>> from likewise.stats import chi2_contingency
    >>> found = chi2_contingency([[10, 10, 20], [20, 20, 20]])
    >>> round(float(found.statistic), 6), round(float(found.pvalue), 6), found.dof
    (2.777778, 0.249352, 2)
    """
    name = "chi2_contingency"
    resampled = check_method(name, method, PermutationMethod, MonteCarloMethod)
    power = lambda_power(name, lambda_)
    xp = array_namespace(observed)
    (x,) = _plan.common_floating(name, xp, ("observed",), observed, real=True)
    xp = array_namespace(x)
    if 0 in x.shape:
        raise ArgumentError(f"{name}: No data; observed has size 0")
    if is_concrete(x) and not bool(xp.all(x >= 0)):
        raise ArgumentError(f"{name}: All values in `observed` must be nonnegative")
    with quiet(x):
        expected = expected_freq(x)
    if is_concrete(x) and bool(xp.any(expected == 0)):
        raise ArgumentError(
            f"{name}: The internally computed table of expected frequencies has a zero element: "
            "leave out rows and columns without counts"
        )
    if resampled:
        if x.ndim != 2 or correction or lambda_ is not None:
            raise ArgumentError(
                f"{name}: `method` must be None unless the table has 2 dimensions, correction is "
                f"False and lambda_ None, got {x.ndim}, {correction!r} and {lambda_!r}"
            )

        def squares(tables: Any) -> Any:
            return xp.sum((tables - expected) ** 2 / expected, axis=(-2, -1))

        x = checked_counts(name, "observed", x)
        pvalue = permuted_tables(name, x, method, squares, "greater")
        return Chi2ContingencyResult(as_given(squares(x)), pvalue, math.nan, expected)
    dof = math.prod(x.shape) - sum(x.shape) + x.ndim - 1
    if not dof:
        zero = xp.sum(x) * 0
        return Chi2ContingencyResult(as_given(zero), as_given(zero + 1), dof, expected)
    if dof == 1 and correction:
        gap = expected - x
        x = x + xp.sign(gap) * xp.minimum(xp.abs(gap), xp.full_like(gap, 0.5))
    with quiet(x):
        statistic = xp.sum(divergence(x, expected, power))
        pvalue = chdtrc(xp.full_like(statistic, float(dof)), statistic)
    return Chi2ContingencyResult(as_given(statistic), as_given(pvalue), dof, expected)


def association(
    observed: Any,
    method: str = "cramer",
    correction: bool = False,
    lambda_: float | str | None = None,
) -> Any:
    """Compute how far two variables of a table are associated, from 0 to 1.

    Parameters
    ----------
    observed : array of integers, shape (r, c)
        The table.
    method : {'cramer', 'tschuprow', 'pearson'}, optional
        Cramer's V, Tschuprow's T, or Pearson's contingency coefficient.
    correction, lambda_ : optional
        As for `chi2_contingency`.

    Returns
    -------
    array, shape ()
        The measure.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `chi2_contingency`; if the table has other dimensions, or holds no integers.

    Examples
    --------
    >>> from likewise.stats.contingency import association
    >>> round(float(association([[100, 150], [203, 322], [420, 700], [320, 210]])), 6)
    0.186178
    """
    _plan.choice("association", "method", method, ("cramer", "tschuprow", "pearson"))
    xp = array_namespace(observed)
    x = numeric("association", xp, "observed", observed, real=True)
    if not array_namespace(x).isdtype(x.dtype, "integral"):
        raise DtypeError(f"association: observed must hold integers, got {x.dtype}")
    if x.ndim != 2:
        raise ShapeError(f"association: observed must have 2 dimensions, got {x.ndim}")
    xp = array_namespace(x)
    statistic = chi2_contingency(x, correction, lambda_).statistic
    share = statistic / xp.astype(xp.sum(x), statistic.dtype)
    rows, columns = (n - 1 for n in x.shape)
    if method == "pearson":
        share = share / (1 + share)
    else:
        share = share / (min(rows, columns) if method == "cramer" else math.sqrt(rows * columns))
    return as_given(array_namespace(share).sqrt(share))


@result
class RelativeRiskResult:
    """Hold the result of `relative_risk`: the ratio and the counts."""

    relative_risk: Any
    exposed_cases: Any
    exposed_total: Any
    control_cases: Any
    control_total: Any
    _counts: Any = field(repr=False)

    def __repr__(self) -> str:
        names = "relative_risk exposed_cases exposed_total control_cases control_total".split()
        return f"RelativeRiskResult({', '.join(f'{n}={getattr(self, n)}' for n in names)})"

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return bounds by Katz's logarithms: Biometrics 34 (1978) 469-474.

        Raises ArgumentError if the level isn't in [0, 1].
        """
        if not 0 <= confidence_level <= 1:
            raise ArgumentError(
                "confidence_interval: confidence_level must be in the interval [0, 1], "
                f"got {confidence_level}"
            )
        xp = array_namespace(self.relative_risk)
        dtype = self.relative_risk.dtype
        a, n, c, m = (xp.asarray(x, dtype=dtype) for x in self._counts)
        z = ndtri(xp.full_like(a, (1 + confidence_level) / 2))
        with quiet(a):
            width = xp.exp(z * xp.sqrt(1 / a - 1 / n + 1 / c - 1 / m))
            low, high = a / n / (c / m) / width, a / n / (c / m) * width
        nan = xp.full_like(low, xp.nan)
        low = xp.where(a == 0, xp.zeros_like(low), low)
        low = xp.where(c == 0, nan, low)
        high = xp.where(a == 0, nan, xp.where(c == 0, xp.full_like(high, xp.inf), high))
        return ConfidenceInterval(as_given(low), as_given(high))


def _refuted(xp: Any, good: Any) -> bool:
    """Tell if something is known not to hold of a number, or of all elements of an array."""
    if type(good) is bool:
        return not good
    return is_concrete(good) and not bool(xp.all(good))


def relative_risk(
    exposed_cases: Any, exposed_total: Any, control_cases: Any, control_total: Any
) -> RelativeRiskResult:
    """Compute the ratio of the risks of two groups.

    Parameters
    ----------
    exposed_cases, exposed_total, control_cases, control_total : int or array of whole numbers
        Cases among those exposed, and among the controls. Arrays broadcast: a batch.

    Returns
    -------
    RelativeRiskResult
        ``relative_risk``, the counts, and ``confidence_interval()``.

    Raises
    ------
    ArgumentError, ShapeError
        If counts are negative or exceed their total, or totals aren't positive, where values are on
        the host.

    Notes
    -----
    Differentiable. NaN if there are no cases at all.

    Examples
    --------
    >>> from likewise.stats.contingency import relative_risk
    >>> found = relative_risk(27, 122, 44, 487)
    >>> round(float(found.relative_risk), 6)
    2.449516
    >>> low, high = found.confidence_interval(0.95)
    >>> round(float(low), 6), round(float(high), 6)
    (1.583699, 3.788679)
    """
    name = "relative_risk"
    given = {
        "exposed_cases": exposed_cases,
        "exposed_total": exposed_total,
        "control_cases": control_cases,
        "control_total": control_total,
    }
    for key, x in given.items():
        if not (hasattr(x, "__index__") or hasattr(x, "shape")):
            raise TypeError(f"{name}: {key} must be an integer, got {x!r}")
    xp = array_namespace(*given.values())
    read: Any
    if all(type(x) is int for x in given.values()):
        counts = read = tuple(given.values())
    else:
        counts = _plan.common_floating(name, xp, tuple(given), *given.values(), real=True)
        xp = array_namespace(*counts)
        shape = _plan.broadcast(name, **{k: x.shape for k, x in zip(given, counts, strict=True)})
        read = counts = tuple(xp.broadcast_to(x, shape) for x in counts)
    for key, least, x in zip(given, (0, 1, 0, 1), read, strict=True):
        whole = x if type(x) is int else xp.floor(x)
        if _refuted(xp, (x >= least) & (x == whole)):
            raise ArgumentError(f"{name}: {key} must be an integer not less than {least}")
    for key, x, most in (("exposed", *read[:2]), ("control", *read[2:])):
        if _refuted(xp, x <= most):
            raise ArgumentError(f"{name}: {key}_cases must not exceed {key}_total")
    a, n, c, m = counts
    if type(a) is int:
        value = a / n / (c / m) if c else math.inf if a else math.nan
        ratio = xp.asarray(value, dtype=default_floating(xp))
    else:
        with quiet(a):
            ratio = a / n / (c / m)
    return RelativeRiskResult(
        as_given(ratio), exposed_cases, exposed_total, control_cases, control_total, counts
    )
