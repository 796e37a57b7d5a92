"""Discrete distributions: probabilities, distribution functions of both tails, their inverses."""

import math
from typing import Any

from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, is_concrete
from ...missing._axes import as_given
from ...random import uniform
from ...special import ndtri
from ...special._function import at_hand, looped
from ...transforms import stop_gradient, while_loop
from ._distribution import Distribution, FrozenDiscrete
from ._line import infinite
from ._parameters import LOC

__all__ = ["Discrete"]

_BLOCK = 128  # terms that are summed at once
_FEW = 1024  # elements, up to which operations take their overhead


class Discrete(Distribution):
    """A distribution of integers: a row of functions of the standard form, loc = 0.

    A row has ``_logpmf(k, *shapes)`` or ``_pmf``, ``_cdf``, ``_sf``, ``_moments(xp, *shapes)``, and
    of the rest what is known: ``_logcdf``, ``_logsf``, ``_ppf``, ``_isf``, ``_entropy(xp, x,
    *shapes)``, ``_draw(xp, key, shape, dtype, *shapes)``. They get `k` integral (floating) and
    inside of the support, a probability between 0 and 1 (open).
    """

    moving = (LOC,)
    frozen = FrozenDiscrete

    def pmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the probability of `k`; 0 of numbers that are no integers."""
        return self._evaluate("pmf", k, args, kwargs)

    def logpmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the probability of `k`."""
        return self._evaluate("logpmf", k, args, kwargs)

    def cdf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the distribution function, the probability of at most `k`."""
        return self._evaluate("cdf", k, args, kwargs)

    def logcdf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the distribution function."""
        return self._evaluate("logcdf", k, args, kwargs)

    def sf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the survival function, the probability of more than `k`."""
        return self._evaluate("sf", k, args, kwargs)

    def logsf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the survival function."""
        return self._evaluate("logsf", k, args, kwargs)

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the quantile, the smallest integer with a `cdf` of at least `q`."""
        return self._evaluate("ppf", q, args, kwargs)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the upper quantile, the smallest integer with a `sf` of at most `q`."""
        return self._evaluate("isf", q, args, kwargs)

    def nnlf(self, theta: Any, x: Any) -> Any:
        """Return the negative log-likelihood of counts; theta holds all parameters."""
        return -array_namespace(x).sum(self.logpmf(x, *theta))

    def expect(
        self,
        func: Any = None,
        args: Any = (),
        loc: Any = 0.0,
        lb: Any = None,
        ub: Any = None,
        conditional: bool = False,
    ) -> Any:
        """Return the expected value of a function.

        Parameters
        ----------
        func : callable, optional
            A function of an array, elementwise. Default: the identity.
        args : tuple of array, optional
            The parameters, without loc.
        loc : array, optional
            Location.
        lb, ub : array, optional
            Ends of what is summed over, inclusive. Default: the support.
        conditional : bool, optional
            Whether to divide by the probability of that.

        Notes
        -----
        A sum over what holds all but 1e-19 of the probability, of at most 2**17 terms.
        """
        given = (*args, loc)
        first, last = self.ppf(1e-20, *given), self.isf(1e-19, *given)
        xp = array_namespace(first)
        first, last = xp.asarray(first), xp.asarray(last)
        first = first if lb is None else xp.maximum(first, xp.ceil(first * 0 + lb))
        last = last if ub is None else xp.minimum(last, xp.floor(last * 0 + ub))
        last = xp.minimum(last, first + 2.0**17)

        steps = _steps(xp, first, _BLOCK)

        def add(state: Any) -> Any:
            start, total, share = state
            k = start + steps
            p = xp.where(k <= last, xp.asarray(self.pmf(k, *given)), 0.0)
            value = (k if func is None else func(k)) * p
            return start + _BLOCK, total + xp.sum(value, axis=0), share + xp.sum(p, axis=0)

        start = (first, first * 0, first * 0)
        _, total, share = while_loop(lambda s: xp.any(s[0] <= last), add, start)
        return as_given(total / share if conditional else total)

    # -- from standard form ------------------------------------------------------------------------

    def _at_pmf(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return self._mass(xp, "pmf", _standard(k, loc), shapes, 0.0)

    def _at_logpmf(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return self._mass(xp, "logpmf", _standard(k, loc), shapes, -math.inf)

    def _at_cdf(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return self._inside(xp, "cdf", _standard(k, loc), shapes, 0.0, 1.0)

    def _at_sf(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return self._inside(xp, "sf", _standard(k, loc), shapes, 1.0, 0.0)

    def _at_logcdf(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return self._inside(xp, "logcdf", _standard(k, loc), shapes, -math.inf, 0.0)

    def _at_logsf(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return self._inside(xp, "logsf", _standard(k, loc), shapes, 0.0, -math.inf)

    def _at_ppf(self, xp: Any, q: Any, shapes: Any, loc: Any) -> Any:
        return self._at_moved(xp, self._quantile(xp, "ppf", q, shapes), shapes, loc)

    def _at_isf(self, xp: Any, q: Any, shapes: Any, loc: Any) -> Any:
        return self._at_moved(xp, self._quantile(xp, "isf", q, shapes), shapes, loc)

    def _at_moved(self, xp: Any, k: Any, shapes: Any, loc: Any) -> Any:
        return k if loc is None else k + loc

    def _at_low(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return self._at_moved(xp, x + self._support(xp, *shapes)[0], shapes, loc)

    def _at_high(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return self._at_moved(xp, x + self._support(xp, *shapes)[1], shapes, loc)

    def _at_mean(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return self._at_moved(xp, x + self._known(xp, 0, x, shapes), shapes, loc)

    def _at_var(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return x + self._known(xp, 1, x, shapes)

    def _at_skewness(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return x + self._known(xp, 2, x, shapes)

    def _at_kurtosis(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return x + self._known(xp, 3, x, shapes)

    def _at_entropy(self, xp: Any, x: Any, shapes: Any, loc: Any) -> Any:
        return x + self._entropy(xp, x, *shapes)

    # -- what a row lacks --------------------------------------------------------------------------

    def _mass(self, xp: Any, name: str, k: Any, shapes: Any, beyond: float) -> Any:
        a, b = self._support(xp, *shapes)
        inside = xp.floor(k) == k
        inside = inside & ((k > a) if infinite(a) else (k >= a))
        inside = inside & ((k < b) if infinite(b) else (k <= b))
        if _all(inside):
            return getattr(self, f"_{name}")(k, *shapes)
        y = getattr(self, f"_{name}")(xp.where(inside, k, _inner(a, b)), *shapes)
        return xp.where(inside, y, xp.where(xp.isnan(k), k, beyond))

    def _inside(self, xp: Any, name: str, k: Any, shapes: Any, below: float, above: float) -> Any:
        a, b = self._support(xp, *shapes)
        low = k == a if infinite(a) else k < a
        high = k == b if infinite(b) else k >= b
        if _all(~(low | high)):
            return getattr(self, f"_{name}")(xp.floor(k), *shapes)
        y = getattr(self, f"_{name}")(xp.where(low | high, _inner(a, b), xp.floor(k)), *shapes)
        return xp.where(high, above, xp.where(low, below, y))

    def _quantile(self, xp: Any, name: str, q: Any, shapes: Any) -> Any:
        inside = (q > 0) & (q < 1)
        if _all(inside):
            return getattr(self, f"_{name}")(q, *shapes)
        a, b = self._support(xp, *shapes)
        if name == "isf":
            first, last = b, a - 1
        else:
            first, last = a - 1, b
        k = getattr(self, f"_{name}")(xp.where(inside, q, 0.5), *shapes)
        k = xp.where(inside, k, xp.nan)
        return xp.where(q == 0, first, xp.where(q == 1, last, k))

    def _pmf(self, k: Any, *shapes: Any) -> Any:
        return array_namespace(k).exp(self._logpmf(k, *shapes))

    def _logpmf(self, k: Any, *shapes: Any) -> Any:
        return array_namespace(k).log(self._pmf(k, *shapes))

    def _cdf(self, k: Any, *shapes: Any) -> Any:
        raise NotImplementedError(f"{self.name} has no distribution function")

    def _sf(self, k: Any, *shapes: Any) -> Any:
        return 1 - self._cdf(k, *shapes)

    def _logcdf(self, k: Any, *shapes: Any) -> Any:
        xp = array_namespace(k)
        p = self._cdf(k, *shapes)
        return xp.where(p < 0.5, xp.log(p), xp.log1p(-self._sf(k, *shapes)))

    def _logsf(self, k: Any, *shapes: Any) -> Any:
        xp = array_namespace(k)
        p = self._sf(k, *shapes)
        return xp.where(p < 0.5, xp.log(p), xp.log1p(-self._cdf(k, *shapes)))

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        level = q * (1 - _slack(q))
        return self._search(level, shapes, lambda k, q, s: self._below(k, s) >= q, ndtri(q))

    def _isf(self, q: Any, *shapes: Any) -> Any:
        level = q * (1 + _slack(q))
        return self._search(level, shapes, lambda k, q, s: self._above(k, s) <= q, -ndtri(q))

    def _below(self, k: Any, shapes: Any) -> Any:
        return self._inside(array_namespace(k), "cdf", k, shapes, 0.0, 1.0)

    def _above(self, k: Any, shapes: Any) -> Any:
        return self._inside(array_namespace(k), "sf", k, shapes, 1.0, 0.0)

    def _search(self, q: Any, shapes: Any, reached: Any, z: Any) -> Any:
        """The smallest integer that has reached a level: steps of 1, 2, 4, ... from the quantile of
        a normal distribution, then bisection."""
        xp = array_namespace(q, *shapes)
        shapes = self._within(xp, *shapes)
        if math.prod(q.shape) <= _FEW and at_hand(q, *shapes):
            for width in (8, 64):
                found = self._among(xp, q, shapes, reached, z, width)
                if found is not None:
                    return found
        for s in shapes:
            q = q + 0.0 * s
        q, *shapes = (stop_gradient(v) for v in (q, *shapes))
        a, b = self._support(xp, *shapes)
        bottom = q * 0.0 + a - (0.0 if infinite(a) else 1.0)
        top = q * 0.0 + b
        start = xp.floor(q * 0.0 + self._near(xp, stop_gradient(z), shapes))
        start = xp.where(xp.isfinite(start), start, bottom + 1)
        start = xp.clip(start, bottom + 1, top)

        def next_(low: Any, high: Any, step: Any) -> tuple[Any, Any]:
            """An integer between, and where there is one: beyond 2**53 the middle may be an end."""
            none, every = low == bottom, high == top
            far = xp.where(none, high - step, low + step)
            middle = xp.floor(0.5 * low + 0.5 * high)
            k = xp.where((none | every) & (far > low) & (far < high), far, middle)
            return k, (k > low) & (k < high)

        def search(state: Any) -> Any:
            # One evaluation, as compiling many of them takes long.
            k, low, high, step, left = state
            there = reached(k, q, shapes)
            low, high = xp.where(left & ~there, k, low), xp.where(left & there, k, high)
            k, left = next_(low, high, step)
            return k, low, high, 2 * step, left

        state = (start, bottom, top, xp.ones_like(q), xp.isfinite(start))
        return looped(lambda s: xp.any(s[4]), search, state)[2]

    def _near(self, xp: Any, z: Any, shapes: Any) -> Any:
        """The quantile of a normal distribution, corrected for skewness (Cornish and Fisher,
        1938)."""
        mean, var, skew = self._moments(xp, *shapes)[:3]
        if var is None:
            return mean
        if skew is not None:
            z = xp.where(xp.abs(z) < 4, z + skew * (z * z - 1) / 6, z)
        return mean + z * xp.sqrt(var)

    def _among(self, xp: Any, q: Any, shapes: Any, reached: Any, z: Any, width: int) -> Any:
        """The quantiles, if all are among the integers around where they should be, else None."""
        first = xp.floor(self._near(xp, z, shapes)) - width // 2
        most = max((first, *shapes), key=lambda s: s.ndim)
        there = reached(first + _steps(xp, most, width), q, shapes)
        if not _all(there[-1, ...] & ~there[0, ...]):
            return None
        return first + xp.astype(xp.argmax(xp.astype(there, xp.int8), axis=0), q.dtype)

    def _entropy(self, xp: Any, x: Any, *shapes: Any) -> Any:
        def term(k: Any) -> Any:
            log = self._logpmf(k, *shapes)
            there = log > -math.inf
            return -xp.where(there, xp.exp(log) * xp.where(there, log, 0.0), 0.0)

        return self._over_support(xp, x, shapes, term)

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Any) -> Any:
        return self._over_support(xp, x, shapes, lambda k: function(k) * self._pmf(k, *shapes))

    def _over_support(self, xp: Any, x: Any, shapes: Any, term: Any) -> Any:
        """The sum of a function of k over what holds all but 1e-19 of the probability, of at most
        2**17 terms."""
        shapes = self._within(xp, *shapes)
        zero = x + sum((0.0 * s for s in shapes), 0.0)
        first = stop_gradient(self._ppf(zero + 1e-20, *shapes))
        last = stop_gradient(self._isf(zero + 1e-19, *shapes))
        last = xp.minimum(last, first + 2.0**17)

        steps = _steps(xp, first, _BLOCK)

        def add(state: Any) -> Any:
            start, total = state
            inside = start + steps <= last
            value = term(xp.where(inside, start + steps, last))
            return start + _BLOCK, total + xp.sum(xp.where(inside, value, 0.0), axis=0)

        return while_loop(lambda s: xp.any(s[0] <= last), add, (first, zero))[1]

    def _drawn(self, xp: Any, z: Any) -> Any:
        whole = default_floating(xp, device(z), kind="integral")
        z = z if is_concrete(z) else xp.where(xp.isnan(z), -1.0, z)
        most = float(xp.iinfo(whole).max + 1) * (1 - 0.5 * float(xp.finfo(z.dtype).eps))
        return xp.astype(xp.where(z > most, most, z), whole)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        u = uniform(key, shape, dtype)
        return self._ppf(xp.where(u > 0, u, 0.25 * float(xp.finfo(dtype).eps)), *shapes)


def _steps(xp: Any, like: Any, count: int) -> Any:
    """0, 1, ... along a new first axis."""
    steps = xp.arange(count, dtype=like.dtype, device=device(like))
    return xp.reshape(steps, (count, *[1] * like.ndim))


def _all(inside: Any) -> bool:
    """Tell if all elements are inside, and that can be read: nothing is to be chosen then."""
    # likewise: ignore[LW203]: values are at hand
    return at_hand(inside) and bool(array_namespace(inside).all(inside))


def _slack(q: Any) -> float:
    """Return what rounding may have taken from a distribution function."""
    return 4 * float(array_namespace(q).finfo(q.dtype).eps)


def _inner(a: Any, b: Any) -> Any:
    """An integer inside of the support."""
    if infinite(a):
        return 0.0 if infinite(b) else b
    return a


def _standard(k: Any, loc: Any) -> Any:
    return k if loc is None else k - loc
