"""Forms that many rows have: one function gives both tails, their logarithms and the quantiles."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...random import normal
from ...special import betaln, gammaln, log_ndtr, ndtr, ndtri
from ...special._function import looped
from ...transforms import stop_gradient
from ._continuous import Continuous
from ._quadrature import NODES

__all__ = [
    "ByLogCdf",
    "ByLogMoments",
    "ByLogSf",
    "ByNormal",
    "ByQuantile",
    "Symmetric",
    "log1mexp",
    "log_rising",
    "lowest_below",
    "of_log_moments",
    "over_probabilities",
]

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


def log1mexp(x: Any) -> Any:
    """Return ``log(1 - exp(x))`` of a negative `x` without cancellation."""
    xp = array_namespace(x)
    near = x > -0.69
    close = xp.log(-xp.expm1(xp.where(near, x, -1.0)))
    return xp.where(near, close, xp.log1p(-xp.exp(xp.where(near, -1.0, x))))


class ByQuantile(Continuous):
    """A row with quantiles in closed form, over which mean values are integrals: the support may
    have infinite ends for some parameters, and finite ones for others, and numbers may be of all
    sizes."""

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Callable[[Any], Any]) -> Any:
        for a in shapes:
            x = x + xp.zeros_like(a)
        return over_probabilities(
            x,
            lambda p: function(self._ppf(p + x, *shapes)) + function(self._isf(p + x, *shapes)),
        )


class ByLogMoments(Continuous):
    """A positive row whose raw moments have logarithms in closed form, infinite of those that are.

    Others follow from them where the numbers spread widely, else, as differences would cancel, from
    quadrature, which in turn misses the few numbers that count where they are of all sizes.
    """

    def _log_moment(self, xp: Any, order: int, *shapes: Any) -> Any:
        raise NotImplementedError

    def _raw_moment(self, xp: Any, order: int, *shapes: Any) -> Any:
        return xp.exp(self._log_moment(xp, order, *shapes))

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        if i == 0:
            return super()._known(xp, i, x, shapes)
        logs = [x + self._log_moment(xp, k, *shapes) for k in range(1, i + 2)]
        there = logs[-1] < xp.inf
        wide, found = of_log_moments(
            xp, *(xp.where(there, v, -1 / k) for k, v in enumerate(logs, 1))
        )
        usual = self._within(xp, *(xp.where(there & ~wide, s, xp.nan) for s in shapes))
        found = xp.where(wide, found, self._by_quadrature(xp, i, x, usual))
        return xp.where(there, found, xp.inf if i < 2 else xp.nan)


def of_log_moments(xp: Any, *logs: Any) -> tuple[Any, Any]:
    """Tell where numbers spread widely, by the logarithms of two to four of their raw moments, and
    return variance, skewness or excess kurtosis, the last one that these give."""
    one, two, *more = logs
    share = -xp.expm1(2 * one - two)  # of the variance in the second moment
    wide = share > 0.02
    share = xp.where(wide, share, 0.5)
    if not more:
        return wide, share * xp.exp(two)
    m, third = xp.exp(one - 0.5 * two), xp.exp(more[0] - 1.5 * two)
    if len(more) == 1:
        return wide, (third - m * (3 - 2 * m * m)) / (share * xp.sqrt(share))
    fourth = xp.exp(more[1] - 2 * two)
    return wide, (fourth - m * (4 * third - m * (6 - 3 * m * m))) / (share * share) - 3


def log_rising(a: Any, h: Any) -> Any:
    """log(gamma(a + h) / gamma(a)) for positive a, infinite where a + h isn't positive."""
    xp = array_namespace(a, h)
    h = h + xp.zeros_like(a)
    up, there = h > 0, a + h > 0
    size, low = xp.where(up, h, xp.where(h < 0, -h, 1.0)), xp.where(up, a, a + h)
    found = gammaln(size) - betaln(xp.where(there, low, 1.0), size)
    return xp.where(there, xp.where(h == 0, 0.0, xp.where(up, found, -found)), xp.inf)


class ByLogCdf(ByQuantile):
    """A row that knows the logarithm of its distribution function, and its inverse `_of_logcdf`."""

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x, *shapes).exp(self._logcdf(x, *shapes))

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return -array_namespace(x, *shapes).expm1(self._logcdf(x, *shapes))

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return log1mexp(self._logcdf(x, *shapes))

    def _of_logcdf(self, log: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return self._of_logcdf(array_namespace(q).log(q), *shapes)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return self._of_logcdf(array_namespace(q).log1p(-q), *shapes)


class ByLogSf(ByQuantile):
    """A row that knows the logarithm of its survival function, and its inverse `_of_logsf`."""

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return -array_namespace(x, *shapes).expm1(self._logsf(x, *shapes))

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x, *shapes).exp(self._logsf(x, *shapes))

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        return log1mexp(self._logsf(x, *shapes))

    def _of_logsf(self, log: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return self._of_logsf(array_namespace(q).log1p(-q), *shapes)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return self._of_logsf(array_namespace(q).log(q), *shapes)


class ByNormal(Continuous):
    """A rising function of a normal variable: `_place` is that function, `_score` its inverse, and
    `_log_slope` the logarithm of the derivative of `_score`."""

    def _score(self, x: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _log_slope(self, x: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _place(self, z: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        z = self._score(x, *shapes)
        return self._log_slope(x, *shapes) - 0.5 * z * z - _LOG_ROOT_TWO_PI

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return ndtr(self._score(x, *shapes))

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return ndtr(-self._score(x, *shapes))

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        return log_ndtr(self._score(x, *shapes))

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return log_ndtr(-self._score(x, *shapes))

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return self._place(ndtri(q), *shapes)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return self._place(-ndtri(q), *shapes)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        return self._place(normal(key, shape, dtype), *shapes)


class Symmetric(Continuous):
    """A row with one tail: `_tail` is the survival function from 0 on, `_of_tail` its inverse for
    probabilities up to 1/2."""

    def _tail(self, x: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _log_tail(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x, *shapes).log(self._tail(x, *shapes))

    def _of_tail(self, q: Any, *shapes: Any) -> Any:
        raise NotImplementedError

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        left = x < 0
        p = self._tail(xp.where(left, -x, x), *shapes)
        return xp.where(left, p, 1 - p)

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return self._cdf(-x, *shapes)

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        left = x < 0
        log = self._log_tail(xp.where(left, -x, x), *shapes)
        return xp.where(left, log, xp.log1p(-xp.exp(log)))

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return self._logcdf(-x, *shapes)

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return -self._isf(q, *shapes)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        xp = array_namespace(q, *shapes)
        upper = q < 0.5
        x = self._of_tail(xp.where(upper, q, 1 - q), *shapes)
        return xp.where(upper, x, -x)


def over_probabilities(x: Any, function: Callable[[Any], Any]) -> Any:
    """Return the integral of a function of probabilities from 0 to 1/2; x holds zeros."""
    xp = array_namespace(x)
    last = 4.4 if x.dtype == xp.float32 else 6.4
    t = xp.linspace(-last, last, NODES, dtype=x.dtype, device=device(x))
    t = xp.reshape(t, (NODES, *(1,) * x.ndim))
    e = xp.exp(-xp.abs(2 * xp.sinh(t)))
    p = 0.5 * xp.where(t < 0, e, 1.0) / (1 + e)
    weight = xp.cosh(t) * e / (1 + e) ** 2
    there = (p > 0) & (weight > 0)
    y = function(xp.where(there, p, 0.25))
    there = there & xp.isfinite(y)  # not where a quantile is rounded to an end
    return xp.sum(xp.where(there, y * weight, 0.0), axis=0) * (2 * last / (NODES - 1))


def lowest_below(
    x: Any,
    cost: Callable[..., Any],
    slopes: Callable[..., tuple[Any, Any]],
    *given: Any,
    inner: bool = False,
) -> Any:
    """Return how far below data (..., n) a cost is least: by a grid and golden sections of the
    logarithm, then by a step of Newton's method, which has the implicit derivative.

    `cost` and `slopes`, the first two derivatives, are functions of the data's distances to the
    least one, of the distance below it, (..., 1), and of what is given, of that shape. `inner`
    asks for a minimum between the ends of the grid, NaN if there is none.
    """
    xp = array_namespace(x)
    low = xp.min(x, axis=-1, keepdims=True)
    gaps = x - low
    held, least, *fixed = (stop_gradient(a) for a in (gaps, low, *given))
    some = held > 0
    logs = xp.log(xp.where(some, held, 1.0))
    first = xp.min(xp.where(some, logs, math.inf), axis=-1, keepdims=True) - 7.0
    last = xp.max(xp.where(some, logs, -math.inf), axis=-1, keepdims=True) + 12.0
    info = xp.finfo(x.dtype)
    room = xp.log(4.0 * float(info.eps) * xp.abs(least) + float(info.smallest_normal))
    first = xp.where(first > room, first, room)
    step = (last - first) / 48

    def value(there: Any) -> Any:
        return cost(held, xp.exp(there), *fixed)

    def further(state: Any) -> Any:
        there, best, lowest, k = state
        there = there + step
        new = value(there)
        better = new < lowest
        return there, xp.where(better, there, best), xp.where(better, new, lowest), k + 1

    def turned(state: Any) -> Any:
        there, best, lowest, k, last, falling = state
        new = value(there + step)
        better = falling & (new >= last) & (last < lowest)
        best, lowest = xp.where(better, there, best), xp.where(better, last, lowest)
        return there + step, best, lowest, k + 1, new, new < last

    ratio = 0.5 * (math.sqrt(5.0) - 1.0)

    def narrower(state: Any) -> Any:
        a, b, c, d, at_c, at_d, k = state
        left = at_c < at_d
        a, b = xp.where(left, a, c), xp.where(left, d, b)
        c, d = xp.where(left, b - ratio * (b - a), d), xp.where(left, c, a + ratio * (b - a))
        new = value(xp.where(left, c, d))
        return a, b, c, d, xp.where(left, new, at_d), xp.where(left, at_c, new), k + 1

    begin = value(first)
    if inner:
        none = xp.full_like(first, xp.inf)
        start = (first, first, none, 0, begin, begin > none)
        best, lowest = looped(lambda s: s[3] < 48, turned, start)[1:3]
    else:
        best, lowest = looped(lambda s: s[3] < 48, further, (first, first, begin, 0))[1:3]
    a, b = xp.maximum(best - step, first), best + step
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    a, b, *_ = looped(lambda s: s[6] < 36, narrower, (a, b, c, d, value(c), value(d), 0))
    found = stop_gradient(xp.exp(0.5 * (a + b)))
    slope, bend = slopes(gaps, found, *given)
    bend = stop_gradient(bend)
    move = slope / xp.where(bend > 0, bend, 1.0)
    good = (bend > 0) & (xp.abs(move) < 1e-3 * found)
    found = found - xp.where(good, move, 0.0)
    return (xp.where(xp.isinf(lowest), xp.nan, found) if inner else found)[..., 0]
