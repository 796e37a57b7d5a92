"""Tails of discrete distributions as sums of their terms, away from the mean."""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace
from ...transforms import while_loop
from ._discrete import Discrete

__all__ = ["Summed", "series"]


def series(xp: Any, j: Any, step: Any, ratio: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return ``1 + r(j) + r(j) r(j + step) + ...`` up to an end, or what rounding adds nothing to.

    `ratio` gives the next term over that at j. `step` is 1 or -1.
    """
    one = xp.ones_like(j + low * 0.0 + high * 0.0 + ratio(j) * 0.0)
    least = 0.25 * float(xp.finfo(one.dtype).eps)

    def goes_on(state: Any) -> Any:
        j, term, total = state
        return xp.any((term > least * total) & (j > low - 1) & (j < high + 1))

    def add(state: Any) -> Any:
        j, term, total = state
        inside = (term > least * total) & xp.where(step > 0, j < high, j > low)
        next_ = xp.where(inside, term * ratio(xp.where(inside, j, low)), xp.zeros_like(term))
        return j + step, next_, total + next_

    return while_loop(goes_on, add, (j + 0 * one, one, one))[2]


class Summed(Discrete):
    """A row whose tails are sums: `_ratios` gives functions of j, the terms at j - 1 and j + 1 over
    that at j."""

    def _ratios(self, xp: Any, *shapes: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _tails(self, k: Any, shapes: Any) -> tuple[Any, Any]:
        """Where the lower tail is summed, and the logarithm of the sum: below the mean, else the
        upper tail."""
        xp = array_namespace(k, *shapes)
        low, high = self._support(xp, *shapes)
        down, up = self._ratios(xp, *shapes)
        lower = k < self._moments(xp, *shapes)[0]
        first = xp.where(lower, k, k + 1)
        step = xp.where(lower, -xp.ones_like(first), xp.ones_like(first))
        total = series(
            xp, first, step, lambda j: xp.where(lower, down(j), up(j)), low + 0 * k, high + 0 * k
        )
        return lower, xp.minimum(self._logpmf(first, *shapes) + xp.log(total), 0 * total)

    def _cdf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes)
        xp = array_namespace(tail)
        return xp.where(lower, xp.exp(tail), -xp.expm1(tail))

    def _sf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes)
        xp = array_namespace(tail)
        return xp.where(lower, -xp.expm1(tail), xp.exp(tail))

    def _logcdf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes)
        xp = array_namespace(tail)
        return xp.where(lower, tail, xp.log1p(-xp.exp(tail)))

    def _logsf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes)
        xp = array_namespace(tail)
        return xp.where(lower, xp.log1p(-xp.exp(tail)), tail)
