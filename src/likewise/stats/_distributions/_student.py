"""Student's t distribution, and those of its kin."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import betaln, digamma, stdtr, stdtrit
from ._continuous import Continuous
from ._parameters import Parameter

__all__ = ["t"]


class StudentT(Continuous):
    """Student's t distribution.

    Density ``(1 + x**2 / df)**(-(df + 1) / 2) / (sqrt(df) B(1/2, df/2))``; `df` is positive.

    Examples
    --------
    >>> from likewise.stats import t
    >>> round(float(t.ppf(0.975, 10)), 4)
    2.2281
    """

    name = "t"
    parameters = (Parameter("df", 0.0, math.inf, (False, True)),)
    whole = frozenset(("pdf", "logpdf", "cdf", "sf", "ppf", "isf"))

    def _logpdf(self, x: Any, df: Any) -> Any:
        xp = array_namespace(x, df)
        half = 0.5 * df
        return -(half + 0.5) * xp.log1p(x * x / df) - betaln(half, 0.5) - 0.5 * xp.log(df)

    def _cdf(self, x: Any, df: Any) -> Any:
        return stdtr(df, x)

    def _sf(self, x: Any, df: Any) -> Any:
        return stdtr(df, -x)

    def _ppf(self, q: Any, df: Any) -> Any:
        return stdtrit(df, q)

    def _isf(self, q: Any, df: Any) -> Any:
        return -stdtrit(df, q)

    def _moments(self, xp: Any, df: Any) -> Any:
        none = xp.full_like(df, xp.nan)
        mean = xp.where(df > 1, 0.0, xp.full_like(df, xp.inf))  # as SciPy's
        skew = xp.where(df > 3, 0.0, none)
        var = xp.where(df > 2, df / (df - 2), xp.where(df > 1, xp.inf, none))
        kurtosis = xp.where(df > 4, 6 / (df - 4), xp.where(df > 2, xp.inf, none))
        return mean, var, skew, kurtosis

    def _entropy(self, xp: Any, x: Any, df: Any) -> Any:
        half = 0.5 * df
        return (
            (half + 0.5) * (digamma(half + 0.5) - digamma(half))
            + 0.5 * xp.log(df)
            + betaln(half, 0.5)
        )


t = StudentT()
