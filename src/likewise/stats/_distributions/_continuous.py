"""Continuous distributions: densities, distribution functions of both tails, their inverses."""

import math
from collections.abc import Callable
from typing import Any, ClassVar

from ... import _plan
from ..._namespace import array_namespace
from ...random import uniform
from ._distribution import Distribution, FrozenContinuous
from ._elements import nowhere
from ._fit import fit, nnlf
from ._inverse import inverse
from ._line import infinite
from ._parameters import LOC, SCALE
from ._quadrature import expected, mean_of

__all__ = ["Continuous", "log_tail", "within"]


class Continuous(Distribution):
    """A continuous distribution: a row of functions of the standard form, loc = 0 and scale = 1.

    A row has ``_logpdf(x, *shapes)`` or ``_pdf``, and of the rest what is known: ``_cdf``, ``_sf``,
    ``_logcdf``, ``_logsf``, ``_ppf``, ``_isf``, ``_moments(xp, *shapes)``, ``_entropy(xp,
    x, *shapes)``, ``_draw(xp, key, shape, dtype, *shapes)``. They get `x` inside of
    the support (its finite ends included), a probability between 0 and 1 (open). Names in `whole`
    say which are right at infinite ends, outside, and at probabilities 0 and 1, too, by themselves,
    which saves operations.
    """

    moving = (LOC, SCALE)
    frozen = FrozenContinuous
    open_ends: ClassVar[bool] = False
    turn: ClassVar[tuple[float, float] | None] = None  # where quantiles of a circle lie
    closed_terms: ClassVar[bool] = False  # whether fits have `_fit_terms`
    idle: ClassVar[dict[str, float]] = {}  # parameters that fits keep, as others say all
    breaks: ClassVar[int] = 0  # how many points `_breaks` returns where the density isn't smooth

    # -- public ------------------------------------------------------------------------------------

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the probability density."""
        return self._evaluate("pdf", x, args, kwargs)

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the probability density."""
        return self._evaluate("logpdf", x, args, kwargs)

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the distribution function, the probability of at most `x`."""
        return self._evaluate("cdf", x, args, kwargs)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the distribution function."""
        return self._evaluate("logcdf", x, args, kwargs)

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the survival function, the probability of more than `x`."""
        return self._evaluate("sf", x, args, kwargs)

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the survival function."""
        return self._evaluate("logsf", x, args, kwargs)

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the quantile, the inverse of `cdf`."""
        return self._evaluate("ppf", q, args, kwargs)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the quantile of the upper tail, the inverse of `sf`."""
        return self._evaluate("isf", q, args, kwargs)

    def expect(
        self,
        func: Callable[[Any], Any] | None = None,
        args: Any = (),
        loc: Any = 0.0,
        scale: Any = 1.0,
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
            The parameters, without loc and scale.
        loc, scale : array, optional
            Location and scale.
        lb, ub : array, optional
            Ends of the interval that is integrated over, within the support; in descending order,
            the integral is negative, but if it is conditional. Default: the support.
        conditional : bool, optional
            Whether to divide by the probability of that interval.

        Notes
        -----
        Double exponential quadrature of ``func(x) * pdf(x)``, 513 evaluations at once, of each side
        of where the density isn't smooth. Exact to rounding where the function is analytic.
        """
        given = (*args, loc, scale)
        ends = tuple(self.support(*given))
        share, sign = None, 1.0
        if lb is not None or ub is not None:
            ends = tuple(
                e if v is None else within(v, *ends) for e, v in zip(ends, (lb, ub), strict=True)
            )
            xp = array_namespace(*ends)
            low, high = _plan.common_floating("expect", xp, ("lb", "ub"), *ends)
            sign = 1.0 - 2.0 * xp.astype(low > high, low.dtype)
            ends = xp.minimum(low, high), xp.maximum(low, high)
            share = 1 - self.cdf(ends[0], *given) - self.sf(ends[1], *given)
        found = 0.0
        for low, high in self._pieces(ends, given):
            found = found + self._mean_over(low, high, func or (lambda x: x), given)
        return found / share if conditional and share is not None else found * sign

    def _mean_over(self, low: Any, high: Any, func: Callable[[Any], Any], given: Any) -> Any:
        """The integral of a function times the density, which is smooth there."""
        below = self.cdf(low, *given)
        inside = 1 - below - self.sf(high, *given)
        found = expected(
            f"{self.name}.expect",
            lambda x: self.pdf(x, *given),
            func,
            (low, high),
            tuple(self.ppf(below + inside * p, *given) for p in (0.25, 0.5, 0.75)),
        )
        return found + 0.0 * below  # NaN of parameters outside of their domains

    def fit(
        self,
        data: Any,
        *start: Any,
        method: str = "MLE",
        axis: Any = None,
        full_output: bool = False,
        **options: Any,
    ) -> Any:
        """Estimate the parameters by maximum likelihood, of one data set or of many at once.

        Parameters
        ----------
        data : array
            The observations, finite.
        *start : array, optional
            Start values of the shape parameters, in their order.
        method : {'MLE', 'MM'}, optional
            Maximum likelihood, or the method of moments: as many raw moments as parameters are
            free equal those of the data, as nearly as possible.
        axis : int or tuple of int, optional
            The observations' axes, all others being a batch of data sets. Default: all.
        full_output : bool, optional
            Whether to return a `FitResult`, with standard errors and successes.
        **options : array
            floc, fscale, and f0, f1 ... or f and a shape's name: fixed values. loc, scale and the
            shapes' names: start values.

        Returns
        -------
        tuple of array, shape (...)
            The shape parameters, loc and scale; or a `FitResult`.

        Raises
        ------
        ArgumentError
            If there are no data, or some aren't finite where values can be read.
        FitError
            If all parameters are fixed; or if no support has the fixed loc and scale and holds the
            data, of a single data set whose values can be read. In a batch its parameters are NaN.

        Notes
        -----
        Closed forms where a distribution has them; ends of the support are the data's ends where
        the likelihood says so, and then have no standard errors. Otherwise Newton's method on
        logarithms of positive parameters (logits of those in an interval; of loc, the logarithm of
        how far the data are above it, where the support begins there), with exact gradients of the
        log-likelihood, and a Hessian matrix that is exact, too, of gamma, beta and t and where
        arrays are traced, else of the gradients' differences. Its eigenvalues count in absolute
        value; each data set converges separately. A call for a new number of observations is
        followed once, besides gamma, beta and t, which takes a tenth of a second; 50 data sets then
        take little more than one. Differentiable with respect to the data and to fixed values,
        by the implicit function theorem.

        Differs from SciPy: batches; exact gradients, so more digits; a fit that doesn't converge
        gives a warning and, with `full_output`, its status. That is so where the likelihood has no
        bound, as of `pareto` and `powerlaw` without ``floc``, whose fits SciPy returns all the
        same. There is no ``optimizer``.
        """
        return fit(self, data, start, options, method, axis, full_output)

    def nnlf(self, theta: Any, x: Any) -> Any:
        """Return the negative log-likelihood of observations; theta holds all parameters."""
        return nnlf(self, theta, x)

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        """All parameters in closed form, of data (..., n) and fixed values by name; None where
        there is none."""
        return None

    def _fit_moments(self, xp: Any, x: Any, fixed: Any) -> Any:
        """The same by the method of moments."""
        return None

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """Parameters besides the fixed ones that the maximum has for data (..., n), as far as that
        is known without a search: the support ends at the first or last of them."""
        return {}

    def _fit_terms(self, xp: Any, z: Any, *shapes: Any) -> tuple[Any, Any, Any]:
        """Sums over standardised data (b, n), of shape (b, 1) as the shapes: of the log-density g;
        of its derivatives by the shapes, by z, and z times that; of the second ones by rows of the
        upper triangle, with a factor z for each time that the scale is meant."""
        raise NotImplementedError

    def _fit_shapes(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """Start values of the shapes, numbers or (b,)."""
        return list(self.usual or [p.middle() for p in self.parameters])

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """Start values of all parameters, of data (b, n): shapes of 1, or in the middle of their
        domain; loc and scale that give the data's mean and variance, and a support that holds
        the data."""
        one = xp.ones_like(x[:, 0])
        guess = self._fit_shapes(xp, x, fixed)
        shapes = [fixed.get(p.name, g * one) for p, g in zip(self.parameters, guess, strict=True)]
        mean, var = (one * 0 + self._known(xp, i, one * 0, tuple(shapes)) for i in range(2))
        known = xp.isfinite(mean) & xp.isfinite(var) & (var > 0)
        spread = xp.std(x, axis=-1)
        scale = xp.where(known, spread / xp.sqrt(xp.where(known, var, 1.0)), spread)
        scale = fixed.get("scale", xp.where(scale > 0, scale, 1.0))
        loc = xp.mean(x, axis=-1) - scale * xp.where(known, mean, 0.0)
        a, b = self._support(xp, *shapes)
        low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
        margin = 0.05 * (high - low) + 1e-3 * xp.abs(spread)
        if not infinite(a):
            loc = xp.where(loc + scale * a < low - margin, loc, low - margin - scale * a)
        below_loc = isinstance(b, float) and b == 0.0
        if below_loc:
            loc = xp.where(loc > high + margin, loc, high + margin)
        loc = fixed.get("loc", loc)
        if not infinite(a) and "scale" not in fixed:  # a fixed loc, and a support that begins above
            room = 0.99 * (low - loc)
            far = (room > 0) & (scale * a > room)
            scale = xp.where(far, room / xp.where(far, a * one, 1.0), scale)
            if "loc" in fixed:  # or below
                far = (a * one < 0) & (loc + scale * a >= low)
                scale = xp.where(far, (low - margin - loc) / xp.where(far, a * one, -1.0), scale)
        if not infinite(b) and not below_loc and "scale" not in fixed:
            need = (high + margin - loc) / b
            scale = xp.where(loc + scale * b > high, scale, need)
        return [*shapes, loc, scale]

    def _pieces(self, ends: tuple[Any, Any], given: Any) -> Any:
        """Intervals in which the density is smooth."""
        low, high = ends
        for i in range(self.breaks):
            at = within(self._of_parameters(f"break{i}", given, {}), low, high)
            yield low, at
            low = at
        yield low, high

    def _breaks(self, *shapes: Any) -> tuple[Any, ...]:
        return ()

    def _at_break(self, i: int, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(x + self._breaks(*shapes)[i], loc, scale)

    # -- from standard form ------------------------------------------------------------------------

    def _density(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any, log: bool) -> Any:
        x = _standard(x, loc, scale)
        beyond = -math.inf if log else 0.0
        name = "logpdf" if log else "pdf"
        y = self._inside(xp, name, x, shapes, beyond, beyond)
        if scale is None:
            return y
        return y - xp.log(scale) if log else y / scale

    def _at_pdf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._density(xp, x, shapes, loc, scale, False)

    def _at_logpdf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._density(xp, x, shapes, loc, scale, True)

    def _at_cdf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._inside(xp, "cdf", _standard(x, loc, scale), shapes, 0.0, 1.0)

    def _at_sf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._inside(xp, "sf", _standard(x, loc, scale), shapes, 1.0, 0.0)

    def _at_logcdf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._inside(xp, "logcdf", _standard(x, loc, scale), shapes, -math.inf, 0.0)

    def _at_logsf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._inside(xp, "logsf", _standard(x, loc, scale), shapes, 0.0, -math.inf)

    def _at_ppf(self, xp: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(self._quantile(xp, "ppf", q, shapes), loc, scale)

    def _at_isf(self, xp: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(self._quantile(xp, "isf", q, shapes), loc, scale)

    def _at_moved(self, xp: Any, z: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(z, loc, scale)

    def _at_low(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(x + self._support(xp, *shapes)[0], loc, scale)

    def _at_high(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(x + self._support(xp, *shapes)[1], loc, scale)

    def _at_entropy(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        found = x + self._entropy(xp, x, *shapes)
        return found if scale is None else found + xp.log(scale)

    def _at_mean(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _moved(x + self._known(xp, 0, x, shapes), loc, scale)

    def _at_var(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        found = x + self._known(xp, 1, x, shapes)
        return found if scale is None else found * scale * scale

    def _at_skewness(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return x + self._known(xp, 2, x, shapes)

    def _at_kurtosis(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return x + self._known(xp, 3, x, shapes)

    def _entropy(self, xp: Any, x: Any, *shapes: Any) -> Any:
        return self._mean_of(xp, x, shapes, lambda z: -self._logpdf(z, *shapes))

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Callable[[Any], Any]) -> Any:
        """The expected value of a function of the standard form; x holds zeros."""
        for a in shapes:
            x = x + xp.zeros_like(a)  # parameters may be infinite
        quartiles = (
            self._ppf(x + 0.25, *shapes),
            self._ppf(x + 0.5, *shapes),
            self._isf(x + 0.25, *shapes),
        )
        ends = self._support(xp, *shapes)
        return mean_of(lambda z: self._pdf(z, *shapes), function, ends, quartiles, checked=True)

    # -- what a row lacks --------------------------------------------------------------------------

    def _inside(self, xp: Any, name: str, x: Any, shapes: Any, below: float, above: float) -> Any:
        """A function of the standard form, and its values outside of the support."""
        body = getattr(self, f"_{name}")
        if name in self.whole:
            return body(x, *shapes)
        a, b = self._support(xp, *shapes)
        # Both tails are known at the ends, where a body may divide by 0; a density, if it vanishes.
        closed = below == above and not self.open_ends
        low = x < a if closed and not infinite(a) else x <= a
        high = x > b if closed and not infinite(b) else x >= b
        if closed and not isinstance(a, float):  # arrays, whose elements may be infinite
            low = low | (x == -math.inf)
        if closed and not isinstance(b, float):
            high = high | (x == math.inf)
        outside = low | high
        if nowhere(outside):
            return body(x, *shapes)
        y = body(xp.where(outside, self._inner(a, b), x), *shapes)
        if below == above:
            return xp.where(outside, below, y)
        return xp.where(high, above, xp.where(low, below, y))

    def _inner(self, a: Any, b: Any) -> Any:
        """A point inside of the support, for elements whose value isn't used."""
        if infinite(a):
            return 0.0 if infinite(b) else b - 1.0
        if infinite(b):
            return a + 1.0
        xp = array_namespace(a, b)
        if isinstance(a, float):
            low = a
        elif isinstance(b, float):
            low = xp.where(a > -math.inf, a, b - 2.0)
        else:
            low = xp.where(a > -math.inf, a, xp.where(b < math.inf, b - 2.0, -1.0))
        high = b if isinstance(b, float) else xp.where(b < math.inf, b, low + 2.0)
        return 0.5 * (low + high)

    def _quantile(self, xp: Any, name: str, q: Any, shapes: Any) -> Any:
        body = getattr(self, f"_{name}")
        if name in self.whole:
            return body(q, *shapes)
        a, b = self._support(xp, *shapes)
        if name == "isf":
            a, b = b, a
        inside = (q > 0) & (q < 1)
        y = body(xp.where(inside, q, 0.5), *shapes)
        y = xp.where(inside, y, xp.nan)
        return xp.where(q == 0, a, xp.where(q == 1, b, y))

    def _pdf(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x).exp(self._logpdf(x, *shapes))

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x).log(self._pdf(x, *shapes))

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return 1 - self._cdf(x, *shapes)

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        raise NotImplementedError(f"{self.name} has no distribution function")

    def _either(self, x: Any, shapes: tuple[Any, ...], lower: Any) -> Any:
        """The lower tail where that is said, else the upper one."""
        return array_namespace(x).where(lower, self._cdf(x, *shapes), self._sf(x, *shapes))

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        return log_tail(self._cdf(x, *shapes), lambda: self._sf(x, *shapes))

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return log_tail(self._sf(x, *shapes), lambda: self._cdf(x, *shapes))

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return inverse(self, q, shapes, upper=False)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return inverse(self, q, shapes, upper=True)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        u = uniform(key, shape, dtype)
        return self._ppf(xp.where(u > 0, u, 0.25 * float(xp.finfo(dtype).eps)), *shapes)


def _standard(x: Any, loc: Any, scale: Any) -> Any:
    if loc is not None:
        x = x - loc
    return x if scale is None else x / scale


def _moved(z: Any, loc: Any, scale: Any) -> Any:
    if scale is not None:
        z = z * scale
    return z if loc is None else z + loc


def log_tail(p: Any, other: Callable[[], Any]) -> Any:
    """The logarithm of a probability by the smaller of both tails."""
    xp = array_namespace(p)
    small = p < 0.5
    near = xp.log(xp.where(small, p, 0.5))
    return xp.where(small, near, xp.log1p(-xp.where(small, 0.5, other())))


def within(x: Any, low: Any, high: Any) -> Any:
    """Return the nearest number between two; NaN if one of those is."""
    xp = array_namespace(x, low, high)
    x, low, high = _plan.common_floating("expect", xp, ("lb", "low", "high"), x, low, high)
    return xp.where(x > low, xp.where(x < high, x, high), low)
