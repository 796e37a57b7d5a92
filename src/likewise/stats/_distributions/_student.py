"""Student's t distribution, and those of its kin."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import beta, betaln, digamma, stdtr, stdtrit, zeta
from ._continuous import Continuous
from ._elements import nowhere
from ._parameters import Parameter

__all__ = ["t"]


_LARGE = 100.0  # from here on, five terms of a series have sixteen digits


def _log_peak(xp: Any, df: Any) -> Any:
    """The logarithm of the density at 0, of large df by the series of gamma(h + 1/2) / gamma(h)
    (DLMF 5.11.13)."""
    large = df > _LARGE
    if nowhere(large):
        return -betaln(0.5 * df, 0.5) - 0.5 * xp.log(df)
    nu = xp.where(large, 1.0, df)
    r = 2 / xp.where(large, df, _LARGE)
    series = -r * (1 / 8 - r * r * (1 / 192 - r * r * (1 / 640 - r * r * 17 / 14336)))
    near = -betaln(0.5 * nu, 0.5) - 0.5 * xp.log(nu)
    return xp.where(large, series - 0.5 * math.log(2 * math.pi), near)


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
    light = frozenset(("pdf", "logpdf"))
    closed_terms = True

    def _logpdf(self, x: Any, df: Any) -> Any:
        xp = array_namespace(x, df)
        normal = df == xp.inf
        some = not nowhere(normal)
        n = xp.where(normal, 1.0, df) if some else df
        u = xp.abs(x) / xp.sqrt(n)
        far = u > _FAR  # where it is the root of what is taken
        if nowhere(far):
            grown = xp.log1p(u * u)
        else:
            grown = xp.log1p(xp.where(far, u - 1, u * u)) * xp.where(far, 2.0, xp.ones_like(u))
        power = -(0.5 * n + 0.5) * grown
        return (xp.where(normal, -0.5 * x * x, power) if some else power) + _log_peak(xp, df)

    def _pdf(self, x: Any, df: Any) -> Any:
        """By a power where few degrees of freedom make its logarithm large beside its condition."""
        xp = array_namespace(x, df)
        few = df < 4
        n = xp.where(few, df, 1.0)
        u = xp.abs(x) / xp.sqrt(n)
        far = u > _FAR
        base = xp.where(far, u, xp.sqrt(1 + xp.where(far, 0.0, u * u)))
        power = base ** -(n + 1) / (xp.sqrt(n) * beta(0.5 * n, 0.5))
        return xp.where(few, power, xp.exp(self._logpdf(x, df)))

    def _cdf(self, x: Any, df: Any) -> Any:
        return stdtr(df, x)

    def _sf(self, x: Any, df: Any) -> Any:
        return stdtr(df, -x)

    def _ppf(self, q: Any, df: Any) -> Any:
        return stdtrit(df, q)

    def _isf(self, q: Any, df: Any) -> Any:
        return -stdtrit(df, q)

    def _fit_terms(self, xp: Any, z: Any, df: Any) -> Any:
        n, more = z.shape[-1], 0.5 * (df + 1)
        square = z * z
        inside = df / (df + square)
        share = square / (df + square)
        slope = z * inside
        log, of_share, share_two, of_slope, slope_two, share_slope = (
            xp.sum(v, axis=-1, keepdims=True)
            for v in (
                xp.log1p(square / df),
                share,
                share * share,
                slope,
                inside * (inside - share),
                slope * share,
            )
        )
        constant, by_df, bend = _constant(xp, df)
        f = (df + 1) / df
        return (
            n * constant - more * log,
            (n * by_df + 0.5 * (f * of_share - log), -f * of_slope, -2 * more * of_share),
            (
                (
                    n * bend + 0.5 * (share_two - (2 * of_share - share_two) / df) / df,
                    (of_slope / df - f * share_slope) / df,
                    of_share / df - f * share_two,
                ),
                (-f * slope_two, -f * (of_slope - 2 * share_slope)),
                (-2 * more * (of_share - 2 * share_two),),
            ),
        )

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """By the quartiles, with df = 4."""
        n = x.shape[-1]
        x = xp.sort(x, axis=-1)
        spread = (x[:, (3 * n) // 4] - x[:, n // 4]) / 1.48
        spread = xp.where(spread > 0, spread, xp.std(x, axis=-1))
        spread = xp.where(spread > 0, spread, 1.0)
        loc = fixed.get("loc", x[:, n // 2])
        return [fixed.get("df", xp.full_like(spread, 4.0)), loc, fixed.get("scale", spread)]

    def _moments(self, xp: Any, df: Any) -> Any:
        none = xp.full_like(df, xp.nan)
        mean = xp.where(df > 1, 0.0, xp.full_like(df, xp.inf))  # as SciPy's
        skew = xp.where(df > 3, 0.0, none)
        var = xp.where(df > 2, 1 + 2 / (df - 2), xp.where(df > 1, xp.inf, none))
        kurtosis = xp.where(df > 4, 6 / (df - 4), xp.where(df > 2, xp.inf, none))
        return mean, var, skew, kurtosis

    def _entropy(self, xp: Any, x: Any, df: Any) -> Any:
        large = df > _LARGE
        half = 0.5 * xp.where(large, 1.0, df)
        small = (half + 0.5) * (digamma(half + 0.5) - digamma(half))
        r = 2 / xp.where(large, df, _LARGE)
        steps = 0.5 + r * (0.125 - r * r * (1 / 64 - r * r * (1 / 128 - r * r * 17 / 2048)))
        return xp.where(large, (1 + 0.5 * r) * steps, small) - _log_peak(xp, df)


_FAR = 1e18  # here 1 + u**2 is u**2, which may be infinite


def _constant(xp: Any, df: Any) -> tuple[Any, Any, Any]:
    """The logarithm of the density at 0 and its two derivatives; by series where they cancel."""
    large = df > _LARGE
    h, two = 0.5 * xp.where(large, _LARGE, df), xp.full_like(df, 2.0)
    slope = 0.5 * (digamma(h + 0.5) - digamma(h)) - 0.25 / h
    bend = 0.25 * (zeta(two, h + 0.5) - zeta(two, h)) + 0.125 / (h * h)
    r = 2 / xp.where(large, df, _LARGE)
    s = r * r
    far_slope = 0.5 * s * (1 / 8 + s * (-1 / 64 + s * (1 / 128 + s * (-17 / 2048))))
    far_bend = r * s * (-1 / 16 + s * (1 / 64 + s * (-3 / 256 + s * (17 / 1024))))
    return (
        _log_peak(xp, df),
        xp.where(large, far_slope, slope),
        xp.where(large, far_bend, bend),
    )


t = StudentT()
