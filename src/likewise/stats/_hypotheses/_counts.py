"""Tests of counts against expected ones.

N. Cressie, T. R. C. Read, "Multinomial goodness-of-fit tests", Journal of the Royal Statistical
Society B 46 (1984) 440-464.
"""

from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, is_concrete, quiet
from ...errors import ArgumentError
from ...special import chdtrc, xlogy
from .._base._samples import count, mean, samples

__all__ = ["Power_divergenceResult", "chisquare", "divergence", "power_divergence"]

POWERS = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2 / 3,
}


class Power_divergenceResult(NamedTuple):
    """Hold a statistic and its p-value."""

    statistic: Any
    pvalue: Any


def chisquare(
    f_obs: Any,
    f_exp: Any = None,
    ddof: Any = 0,
    axis: int | tuple[int, ...] | None = 0,
    *,
    sum_check: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Power_divergenceResult:
    """Test whether counts agree with expected ones, by Pearson's chi-squared statistic.

    Parameters
    ----------
    f_obs : array
        Observed counts.
    f_exp : array, optional
        Expected counts. Default: all categories are equally likely.
    ddof : int or array, optional
        How many degrees of freedom to take from the number of categories less 1.
    axis : int, tuple of int or None, optional
        The axes of the categories; None: all. All other dimensions broadcast.
    sum_check : bool, optional
        Whether observed and expected counts must have equal sums.
    nan_policy, keepdims : optional
        As for `likewise.stats.skew`.

    Returns
    -------
    Power_divergenceResult
        ``statistic`` and ``pvalue``.

    Raises
    ------
    ArgumentError, ShapeError
        If an option has another value, shapes don't broadcast, or sums differ, relatively, by more
        than the square root of the rounding unit. Sums are compared where values are on the host.

    Notes
    -----
    The sum of (O - E)^2 / E is compared with the chi-squared distribution. Differentiable.

    Examples
    --------
    >>> from likewise.stats import chisquare
    >>> statistic, pvalue = chisquare([16, 18, 16, 14, 12, 12])
    >>> round(float(statistic), 6), round(float(pvalue), 6)
    (2.0, 0.849145)
    """
    return _tested("chisquare", f_obs, f_exp, ddof, axis, 1.0, sum_check, nan_policy, keepdims)


def power_divergence(
    f_obs: Any,
    f_exp: Any = None,
    ddof: Any = 0,
    axis: int | tuple[int, ...] | None = 0,
    lambda_: float | str | None = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Power_divergenceResult:
    """Test whether counts agree with expected ones, by a statistic of Cressie and Read's family.

    Parameters
    ----------
    f_obs :
        As for `chisquare`.
    f_exp :
        As for `chisquare`.
    ddof :
        As for `chisquare`.
    axis :
        As for `chisquare`.
    lambda_ : float or str, optional
        The power: 'pearson' (1, the default), 'log-likelihood' (0), 'freeman-tukey' (-1/2),
        'mod-log-likelihood' (-1), 'neyman' (-2) or 'cressie-read' (2/3).
    nan_policy :
        As for `chisquare`.
    keepdims :
        As for `chisquare`.

    Returns
    -------
    Power_divergenceResult
        ``statistic`` and ``pvalue``.

    Raises
    ------
    ArgumentError, ShapeError
        As for `chisquare`.

    Notes
    -----
    The sum of 2 O ((O / E)^lambda - 1) / (lambda (lambda + 1)), Cressie and Read (1984), or its
    limit, is compared with the chi-squared distribution. Differentiable.

    Examples
    --------
    >>> from likewise.stats import power_divergence
    >>> found = power_divergence([16, 18, 16, 14, 12, 12], lambda_="log-likelihood")
    >>> round(float(found.statistic), 6), round(float(found.pvalue), 6)
    (2.006573, 0.848235)
    """
    power = lambda_power("power_divergence", lambda_)
    return _tested("power_divergence", f_obs, f_exp, ddof, axis, power, True, nan_policy, keepdims)


def lambda_power(function: str, lambda_: Any) -> float:
    """Return the power that a name means."""
    if lambda_ is None:
        return 1.0
    if isinstance(lambda_, str):
        _plan.choice(function, "lambda_", lambda_, tuple(POWERS))
        return POWERS[lambda_]
    return float(lambda_)


def divergence(observed: Any, expected: Any, power: float) -> Any:
    """Return the terms of the statistic."""
    if power == 1:
        return (observed - expected) ** 2 / expected
    if power == 0:
        return 2.0 * xlogy(observed, observed / expected)
    if power == -1:
        return 2.0 * xlogy(expected, expected / observed)
    return observed * ((observed / expected) ** power - 1) / (0.5 * power * (power + 1))


def _tested(
    function: str,
    f_obs: Any,
    f_exp: Any,
    ddof: Any,
    axis: Any,
    power: float,
    sum_check: bool,
    nan_policy: str,
    keepdims: bool,
) -> Power_divergenceResult:
    given = {"f_obs": f_obs} if f_exp is None else {"f_obs": f_obs, "f_exp": f_exp}
    rows, back = samples(function, axis, nan_policy, keepdims, paired=True, **given)
    first = rows[0]
    xp, observed = array_namespace(first.x), first.x
    expected = mean(first) if f_exp is None else rows[1].x
    if sum_check and f_exp is not None:
        _check_sums(function, rows)
    with quiet(observed):
        terms = divergence(observed, expected, power)
    if first.there is not None:
        terms = xp.where(first.there, terms, xp.zeros_like(terms))
    statistic = back(xp.sum(terms, axis=-1))
    df = count(first) - 1
    df = df if isinstance(df, int) else back(df[..., 0])
    with quiet(observed):
        if isinstance(ddof, int) and isinstance(df, int):
            df = xp.full_like(statistic, float(df - ddof)) if hasattr(statistic, "ndim") else df
            return Power_divergenceResult(statistic, chdtrc(df - 0.0, statistic))
        stat, ddof = _plan.common_floating(function, xp, ("f_obs", "ddof"), statistic, ddof)
        return Power_divergenceResult(statistic, chdtrc(df - ddof, stat))


def _check_sums(function: str, rows: list[Any]) -> None:
    xp = array_namespace(rows[0].x)
    some = [r.x if r.there is None else xp.where(r.there, r.x, xp.zeros_like(r.x)) for r in rows]
    a, b = (xp.sum(x, axis=-1) for x in some)
    with quiet(a):
        differ = xp.abs(a - b) / xp.minimum(a, b) > float(xp.finfo(a.dtype).eps) ** 0.5
    if is_concrete(differ) and bool(xp.any(differ)):
        raise ArgumentError(
            f"{function}: For each axis slice, the sum of the observed frequencies must agree with "
            f"that of the expected ones, but the sums are {a} and {b}. Scale f_exp, or pass "
            "sum_check=False"
        )
