"""Remainders of the logarithm of 1 + t, which the logarithm itself would lose."""

from typing import Any

from .._namespace import array_namespace
from ._polynomial import polynomial

__all__ = ["less_log", "less_log1p", "less_log1p_times", "log1p_over"]

# With s = t / (2 + t), log(1 + t) = 2 (s + s^3 / 3 + s^5 / 5 + ...) and t - 2 s = t s. Where
# abs(t) < 1/2, s^2 is below 1/9, and what the series leaves out is below 2^-54 of the result.
_SERIES = tuple(1 / (2 * k + 3) for k in range(16))
# (t / (1 + t) - log(1 + t)) / t^2 = sum of (-1)^(k + 1) (k + 1) / (k + 2) t^k.


def less_log1p(t: Any, terms: int = 16) -> Any:
    """t - log(1 + t), for t between -1/2 and 1/2; by 11 terms between -1/3 and 1/2."""
    return less_log1p_times(1.0, t, t / (2 + t), terms)


def less_log1p_times(x: Any, d: Any, s: Any, terms: int = 11) -> Any:
    """x times that of d / x, where s is d / (2 x + d)."""
    square = s * s
    return s * (d - x * (2 * square * polynomial(_SERIES[:terms], square)))


def less_log(mu: Any) -> Any:
    """mu - log(1 + mu), for all mu above -1."""
    xp = array_namespace(mu)
    near = xp.abs(mu) < 0.5
    far = xp.where(near, xp.ones_like(mu), mu)
    close = less_log1p(xp.where(near, mu, xp.zeros_like(mu)))
    return xp.where(near, close, far - xp.log1p(far))


def log1p_over(t: Any) -> Any:
    """The derivative of log(1 + t) / t, (t / (1 + t) - log(1 + t)) / t^2, near 0 too."""
    xp = array_namespace(t)
    near = xp.abs(t) < 0.5
    r = xp.where(near, t, xp.zeros_like(t))
    # (t - log(1 + t) - t^2 / (1 + t)) / t^2, each over t^2; s / r = 1 / (2 + r).
    one = 1 / (2 + r)
    z = (r * one) ** 2
    series = one * (1 - 2 * one * one * r * polynomial(_SERIES, z)) - 1 / (1 + r)
    far = xp.where(near, xp.ones_like(t), t)
    return xp.where(near, series, (far / (1 + far) - xp.log1p(far)) / far / far)
