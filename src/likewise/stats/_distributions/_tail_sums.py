"""Tails of discrete distributions as sums of their terms, away from the mean."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...special._function import at_hand
from ...transforms import custom_jvp, jvp, while_loop
from ._discrete import Discrete

__all__ = ["Summed", "by_slopes", "series"]

_BLOCK = 32  # terms at once
_FEW = 1024  # elements, of which they stay in the cache


def by_slopes(whole: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a sum of as many terms as it takes, so that it has derivatives of both modes.

    It takes a row and arrays of one shape, elementwise, of which the first `whole` are whole
    numbers. Forward derivatives for each of the others are sums, too: a product with those has no
    loop in it that a reverse derivative would have to go back through, which JAX refuses.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        ruled = custom_jvp(function, nondiff_argnums=(0,))

        @ruled.defjvp
        def rule(row: Any, primals: Any, tangents: Any) -> tuple[Any, Any]:
            xp = array_namespace(*primals)
            fixed, free = primals[:whole], primals[whole:]
            moved: Any = 0.0
            for i, tangent in enumerate(tangents[whole:]):
                units = tuple(
                    xp.ones_like(a) if i == j else xp.zeros_like(a) for j, a in enumerate(free)
                )
                slope = jvp(lambda *some: function(row, *fixed, *some), free, units)[1]
                moved = moved + slope * tangent
            return ruled(row, *primals), moved

        return ruled

    return decorate


def series(xp: Any, j: Any, step: Any, ratio: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return ``1 + r(j) + r(j) r(j + step) + ...`` up to an end, or what rounding adds nothing to.

    `ratio` gives the next term over that at j. `step` is 1 or -1.
    """
    least = 0.25 * float(xp.finfo(j.dtype).eps)
    given = [x for x in (j, step, low, high) if hasattr(x, "shape")]
    if max(math.prod(x.shape) for x in given) <= _FEW and at_hand(*given):
        return _in_blocks(xp, j, step, ratio, low, high, least)
    one = xp.ones_like(j + low * 0.0 + high * 0.0 + ratio(j) * 0.0)

    def goes_on(state: Any) -> Any:
        j, term, total = state
        return xp.any((term > least * total) & (j > low - 1) & (j < high + 1))

    def add(state: Any) -> Any:
        j, term, total = state
        inside = (term > least * total) & xp.where(step > 0, j < high, j > low)
        next_ = xp.where(inside, term * ratio(xp.where(inside, j, low)), xp.zeros_like(term))
        return j + step, next_, total + next_

    return while_loop(goes_on, add, (j + 0 * one, one, one))[2]


def _in_blocks(
    xp: Any, j: Any, step: Any, ratio: Callable[[Any], Any], low: Any, high: Any, least: float
) -> Any:
    """`series` of few elements, which are read, many terms at once."""
    steps = xp.arange(_BLOCK, dtype=j.dtype, device=device(j))
    steps = step * xp.reshape(steps, (_BLOCK, *[1] * j.ndim))
    term: Any = 1.0
    total: Any = 1.0
    while True:
        at = j + steps
        inside = xp.where(step > 0, at < high, at > low)
        factors = xp.where(inside, ratio(xp.where(inside, at, low)), 0.0)
        terms = term * xp.cumulative_prod(factors, axis=0)
        total = total + xp.sum(terms, axis=0)
        term = terms[-1, ...]
        if not bool(xp.any(term > least * total)):  # likewise: ignore[LW203]: values are at hand
            return total
        j = j + step * _BLOCK


class Summed(Discrete):
    """A row whose tails are sums: `_ratios` gives functions of j, the terms at j - 1 and j + 1 over
    that at j."""

    def _ratios(self, xp: Any, *shapes: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _mean(self, xp: Any, *shapes: Any) -> Any:
        return self._moments(xp, *shapes)[0]

    def _tails(self, k: Any, shapes: Any, log: bool) -> tuple[Any, Any]:
        """True where the lower tail is summed, which is below the mean; and the sum or its
        logarithm."""
        xp = array_namespace(k, *shapes)
        total = _added
        if not at_hand(k, *shapes):
            k, *shapes = xp.broadcast_arrays(k, *shapes)
            total = _total
        lower = k < self._mean(xp, *shapes)
        first = xp.where(lower, k, k + 1)
        terms = total(self, first, xp.where(lower, -1.0 + 0 * first, 1.0), *shapes)
        if log:
            tail = self._logpmf(first, *shapes) + xp.log(terms)
            return lower, xp.minimum(tail, 0 * tail)
        tail = self._pmf(first, *shapes) * terms
        return lower, xp.minimum(tail, 0 * tail + 1)

    def _cdf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes, False)
        return array_namespace(tail).where(lower, tail, 1 - tail)

    def _sf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes, False)
        return array_namespace(tail).where(lower, 1 - tail, tail)

    def _logcdf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes, True)
        xp = array_namespace(tail)
        return xp.where(lower, tail, xp.log1p(-xp.exp(tail)))

    def _logsf(self, k: Any, *shapes: Any) -> Any:
        lower, tail = self._tails(k, shapes, True)
        xp = array_namespace(tail)
        return xp.where(lower, xp.log1p(-xp.exp(tail)), tail)


def _added(row: Summed, first: Any, step: Any, *shapes: Any) -> Any:
    """The sum of terms from the first on, up or down, over the first."""
    xp = array_namespace(first)
    low, high = (end + 0 * first for end in row._support(xp, *shapes))
    down, up = row._ratios(xp, *shapes)
    return series(xp, first, step, lambda j: xp.where(step < 0, down(j), up(j)), low, high)


_total = by_slopes(2)(_added)
