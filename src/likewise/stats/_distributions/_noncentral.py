"""Noncentral chi-square, F and t distributions.

Chi-square and F: the inversion of the moment generating function on a contour through the saddle
point, where nothing cancels in either tail (R. Lugannani, S. Rice, Adv. Appl. Prob. 12, 1980, 475),
by the trapezoidal rule, which converges exponentially. The value doesn't depend on the contour, so
derivatives don't follow it.
t: the mean over the chi variable of normal tails, around the maximum of the integrand.
"""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...random import gamma, normal
from ...random._keys import split_in_two
from ...special import gammaln, ndtr
from ...transforms import stop_gradient
from ._continuous import Continuous
from ._parameters import Parameter
from ._routines import with_routines

__all__ = ["ncf", "nct", "ncx2"]


def _nodes(like: Any, low: float, high: float, count: int) -> Any:
    """Equidistant nodes along a new first dimension, and their distance."""
    xp = array_namespace(like)
    t = xp.linspace(low, high, count, dtype=like.dtype, device=device(like))
    return xp.reshape(t, (count, *(1,) * like.ndim)), (high - low) / (count - 1)


def _inverted(
    log: Callable[[Any, Any], Any], start: Any, width: Any, bend: float
) -> tuple[Any, Any]:
    """The integral of exp(log(s)) ds / (2 pi i) from below to above, through a real start: a factor
    and the logarithm of the other one.

    ``log(u, v)`` returns real and imaginary part of the logarithm at u + i v.
    """
    xp = array_namespace(start)
    if bend:
        t, step = _nodes(start, 0.0, 9.0, 145)
        slope: Any = 1.0
    else:  # algebraic tails: further and further
        v, step = _nodes(start, 0.0, 9.0 if start.dtype == xp.float32 else 16.0, 321)
        t, slope = v + 0.01 * v**3, 1 + 0.03 * v * v
    grow, up = bend * (xp.cosh(t) - 1), xp.sinh(t)
    real, imaginary = log(start + width * grow, width * up)
    # times the derivative of s over i
    turned = xp.cosh(t) * xp.cos(imaginary) + bend * up * xp.sin(imaginary)
    top = real[0, ...]
    y = xp.exp(real - top) * turned * slope
    return (xp.sum(y, axis=0) - 0.5 * y[0, ...]) * (step / math.pi), top + xp.log(width)


def _log_of(xp: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """Real and imaginary part of log(u + i v)."""
    return 0.5 * xp.log(u * u + v * v), xp.atan2(v, u)


class _BySaddle(Continuous):
    """A row that inverts its moment generating function, of a variable that is positive where the
    row's variable is beyond x."""

    bend = 0.0

    def _saddle(self, x: Any, *shapes: Any) -> tuple[Any, Any, Any, Any]:
        """The point where the generating function is least, the second derivative of its logarithm
        there, and the ends of the interval where it is finite."""
        raise NotImplementedError

    def _log_generating(self, xp: Any, u: Any, v: Any, x: Any, *shapes: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _log_slope(self, xp: Any, u: Any, v: Any, x: Any, *shapes: Any) -> tuple[Any, Any]:
        """The logarithm of what gives the density instead of the tail, where that has 1 / s."""
        raise NotImplementedError

    def _pdf(self, x: Any, *shapes: Any) -> Any:
        factor, log = self._density_parts(x, *shapes)
        return factor * array_namespace(factor).exp(log)

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        factor, log = self._density_parts(x, *shapes)
        return array_namespace(factor).log(factor) + log

    def _density_parts(self, x: Any, *shapes: Any) -> tuple[Any, Any]:
        xp = array_namespace(x, *shapes)
        x, *shapes = xp.broadcast_arrays(x, *shapes)
        start, curve, low, high = self._saddle(*stop_gradient((x, *shapes)))
        width = xp.minimum(1 / xp.sqrt(curve), xp.minimum(start - low, high - start))

        def log(u: Any, v: Any) -> tuple[Any, Any]:
            one, two = self._log_generating(xp, u, v, x, *shapes)
            more, turn = self._log_slope(xp, u, v, x, *shapes)
            return one + more, two + turn

        return _inverted(log, start, width, self.bend)

    def _smaller(self, x: Any, *shapes: Any) -> tuple[Any, Any]:
        """Tell where the upper tail is the smaller one, by the saddle, and return the smaller."""
        xp = array_namespace(x, *shapes)
        x, *shapes = xp.broadcast_arrays(x, *shapes)
        saddle, curve, low, high = self._saddle(*stop_gradient((x, *shapes)))
        upper = saddle > 0
        # The pole at 0 moves the saddle away from it.
        away = xp.sqrt(saddle * saddle + 4 / curve)
        start = 0.5 * xp.where(upper, saddle + away, saddle - away)
        zero = xp.zeros_like(saddle)
        most = 0.5 * (xp.maximum(saddle, zero) + high)
        least = 0.5 * (xp.minimum(saddle, zero) + low)
        start = xp.where(upper, xp.minimum(start, most), xp.maximum(start, least))
        size = xp.abs(start)
        width = xp.minimum(1 / xp.sqrt(curve + 1 / (size * size)), size)
        width = xp.minimum(width, xp.minimum(start - low, high - start))

        def log(u: Any, v: Any) -> tuple[Any, Any]:
            one, two = self._log_generating(xp, u, v, x, *shapes)
            pole, turn = _log_of(xp, u, v)
            return one - pole, two - turn

        factor, exponent = _inverted(log, start, width, self.bend)
        found = factor * xp.exp(exponent)
        return upper, xp.where(upper, found, -found)

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return self._either(x, shapes, True)

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return self._either(x, shapes, False)

    def _either(self, x: Any, shapes: tuple[Any, ...], lower: Any) -> Any:
        upper, p = self._smaller(x, *shapes)
        return array_namespace(p).where(upper == lower, 1 - p, p)


class NoncentralChi2(_BySaddle):
    """The noncentral chi-square distribution.

    ``exp(nc s / (1 - 2 s)) / (1 - 2 s)**(df / 2)`` generates its moments; `df` is positive, `nc` is
    not negative.

    Examples
    --------
    >>> from likewise.stats import ncx2
    >>> round(float(ncx2.cdf(5.0, 3.0, 1.5)), 4)
    0.6493
    """

    name = "ncx2"
    parameters = (Parameter("df", 0.0), Parameter("nc", 0.0, math.inf, (True, False)))
    support_ends = (0.0, math.inf)
    open_ends = True
    bend = 0.5

    def _pdf(self, x: Any, df: Any, nc: Any) -> Any:
        return super()._pdf(_not_beyond(x, df, nc), df, nc)

    def _density_parts(self, x: Any, df: Any, nc: Any) -> tuple[Any, Any]:
        near, below = _not_below(x, df, nc)
        factor, log = super()._density_parts(near, df, nc)
        return factor, log + (0.5 * df - 1) * below

    def _logpdf(self, x: Any, df: Any, nc: Any) -> Any:
        xp = array_namespace(x, df, nc)
        q = _over_half(xp, x, df, nc)
        far = q > float(xp.finfo(x.dtype).eps) ** -0.625  # where 1 - 1 / q has lost digits
        near = super()._logpdf(xp.where(far, 1 + df + nc, x), df, nc)
        # By the saddle point alone, whose error is next to nothing beside x.
        x, q = xp.where(far, x, 1.0), xp.where(far, q, 1.0)
        curve = math.log(4 * math.pi) + xp.log(df + 2 * nc * q)
        top = 0.5 * (1 - 1 / q) * (nc * q - x) + (0.5 * df - 1) * xp.log(q)
        return xp.where(far, top - 0.5 * curve, near)

    def _smaller(self, x: Any, df: Any, nc: Any) -> tuple[Any, Any]:
        near, below = _not_below(_not_beyond(x, df, nc), df, nc)
        upper, p = super()._smaller(near, df, nc)
        return upper, p * array_namespace(p).exp(0.5 * df * below)

    def _saddle(self, x: Any, df: Any, nc: Any) -> tuple[Any, Any, Any, Any]:
        xp = array_namespace(x)
        q = _over_half(xp, x, df, nc)
        return 0.5 * (1 - 1 / q), 2 * q * q * (df + 2 * nc * q), -xp.inf * q, 0 * q + 0.5

    def _log_generating(self, xp: Any, u: Any, v: Any, x: Any, df: Any, nc: Any) -> Any:
        a, b = 1 - 2 * u, -2 * v
        square = a * a + b * b
        log, turn = _log_of(xp, a, b)
        # s / (1 - 2 s)
        real, imaginary = (u * a + v * b) / square, v / square
        return nc * real - 0.5 * df * log - u * x, nc * imaginary - 0.5 * df * turn - v * x

    def _log_slope(self, xp: Any, u: Any, v: Any, x: Any, df: Any, nc: Any) -> Any:
        return 0.0, 0.0

    def _moments(self, xp: Any, df: Any, nc: Any) -> Any:
        two = df + 2 * nc
        skew = math.sqrt(8) * (df + 3 * nc) / (two * xp.sqrt(two))
        return df + nc, 2 * two, skew, 12 * (df + 4 * nc) / (two * two)


def _not_below(x: Any, df: Any, nc: Any) -> tuple[Any, Any]:
    """x, or a larger one below which the density is a power too, whose inverse can be squared; and
    the logarithm of x over that."""
    xp = array_namespace(x, df, nc)
    least = float(xp.finfo(x.dtype).smallest_normal) ** 0.25 * df / (1 + nc)
    below = x < least
    return xp.where(below, least, x), xp.log(xp.where(below, x / least, 1.0))


def _over_half(xp: Any, x: Any, df: Any, nc: Any) -> Any:
    """1 / (1 - 2 s) of the saddle point s."""
    return 2 * x / (df + xp.sqrt(df * df + 4 * nc * x))


def _not_beyond(x: Any, df: Any, nc: Any) -> Any:
    """x, or a smaller one that has no tail either, where its powers would be infinite."""
    most = 1e6 * (1 + df + nc)
    return array_namespace(x, df, nc).where(x > most, most, x)


class NoncentralF(_BySaddle):
    """The noncentral F distribution.

    The quotient of a noncentral chi-square variable over `dfn`, and a chi-square variable over
    `dfd`; both are positive, `nc` is not negative.

    Examples
    --------
    >>> from likewise.stats import ncf
    >>> round(float(ncf.cdf(2.0, 3.0, 10.0, 1.5)), 4)
    0.6772
    """

    name = "ncf"
    parameters = (
        Parameter("dfn", 0.0),
        Parameter("dfd", 0.0),
        Parameter("nc", 0.0, math.inf, (True, False)),
    )
    support_ends = (0.0, math.inf)
    open_ends = True

    def _pdf(self, x: Any, dfn: Any, dfd: Any, nc: Any) -> Any:
        near, low, high = _near_middle(x, dfn, dfd, nc)
        return super()._pdf(near, dfn, dfd, nc) * low ** (0.5 * dfn - 1) / high ** (0.5 * dfd + 1)

    def _logpdf(self, x: Any, dfn: Any, dfd: Any, nc: Any) -> Any:
        xp = array_namespace(x, dfn, dfd, nc)
        near, low, high = _near_middle(x, dfn, dfd, nc)
        beyond = (0.5 * dfn - 1) * xp.log(low) - (0.5 * dfd + 1) * xp.log(high)
        return super()._logpdf(near, dfn, dfd, nc) + beyond

    def _smaller(self, x: Any, dfn: Any, dfd: Any, nc: Any) -> tuple[Any, Any]:
        xp = array_namespace(x, dfn, dfd, nc)
        near, low, high = _near_middle(x, dfn, dfd, nc)
        upper, p = super()._smaller(near, dfn, dfd, nc)
        left, right = low < 1, high > 1
        p = xp.where(xp.where(upper, left, right), 1 - p, p)
        return (upper & ~left) | right, p * low ** (0.5 * dfn) / high ** (0.5 * dfd)

    def _saddle(self, x: Any, dfn: Any, dfd: Any, nc: Any) -> tuple[Any, Any, Any, Any]:
        xp = array_namespace(x)
        r = dfn * x / dfd
        a, b, c = r * (dfn + dfd), dfn * (1 + r) - nc * r, nc * (1 + r)
        root = xp.sqrt(b * b + 4 * a * c)
        falls = b < 0
        p = xp.where(falls, 2 * c / xp.where(falls, root - b, 1.0), (b + root) / (2 * a))
        other = 1 + r - r * p  # 1 + 2 r s
        curve = 2 * dfn / p**2 + 4 * nc / p**3 + 2 * dfd * (r / other) ** 2
        return 0.5 * (1 - p), curve, -0.5 / r, 0 * r + 0.5

    def _log_generating(
        self, xp: Any, u: Any, v: Any, x: Any, dfn: Any, dfd: Any, nc: Any
    ) -> tuple[Any, Any]:
        r = dfn * x / dfd
        a, b = 1 - 2 * u, -2 * v
        square = a * a + b * b
        log, turn = _log_of(xp, a, b)
        other, back = _log_of(xp, 1 + 2 * r * u, 2 * r * v)
        real, imaginary = (u * a + v * b) / square, v / square
        return (
            nc * real - 0.5 * (dfn * log + dfd * other),
            nc * imaginary - 0.5 * (dfn * turn + dfd * back),
        )

    def _log_slope(
        self, xp: Any, u: Any, v: Any, x: Any, dfn: Any, dfd: Any, nc: Any
    ) -> tuple[Any, Any]:
        r = dfn * x / dfd
        log, turn = _log_of(xp, 1 + 2 * r * u, 2 * r * v)
        return xp.log(dfn) - log, -turn

    def _raw_moment(self, xp: Any, order: int, dfn: Any, dfd: Any, nc: Any) -> Any:
        there = dfd > 2 * order
        d = xp.where(there, dfd, 2.0 * order + 1)
        # Raw moments of the noncentral chi-square variable by its cumulants.
        cumulants = [
            2.0 ** (k - 1) * math.factorial(k - 1) * (dfn + k * nc) for k in range(1, order + 1)
        ]
        raw: list[Any] = [1.0]
        for n in range(1, order + 1):
            raw.append(sum(math.comb(n - 1, k) * cumulants[k] * raw[n - 1 - k] for k in range(n)))
        found = raw[order]
        for k in range(1, order + 1):
            found = found * d / (dfn * (d - 2 * k))
        return xp.where(there, found, xp.inf if order < 3 else xp.nan)


def _near_middle(x: Any, dfn: Any, dfd: Any, nc: Any) -> tuple[Any, Any, Any]:
    """x, or an end of the interval beyond which both tails are powers; and x over that end, up to 1
    of the lower one, from 1 on of the upper one."""
    xp = array_namespace(x, dfn, dfd, nc)
    size = 1e20 * (1 + dfn) * (1 + dfd) * (1 + nc)
    low, high = dfd / dfn / size, dfd / dfn * size
    below, above = x < low, x > high
    near = xp.where(below, low, xp.where(above, high, x))
    return near, xp.where(below, x, low) / low, xp.where(above, x, high) / high


class NoncentralT(Continuous):
    """The noncentral t distribution.

    The quotient of a normal variable with mean `nc` and the root of a chi-square variable over its
    degrees of freedom `df`, which are positive; `nc` is real.

    Examples
    --------
    >>> from likewise.stats import nct
    >>> round(float(nct.cdf(2.0, 10.0, 1.0)), 4)
    0.8076
    """

    name = "nct"
    parameters = (Parameter("df", 0.0), Parameter("nc"))

    def _mean(self, x: Any, df: Any, nc: Any, density: bool) -> tuple[Any, Any]:
        """The mean of a function of r, the root of the chi-square variable over df: of the density
        at x, or of the tail that is the smaller one where the density's mean is made; and whether
        that is the upper one."""
        xp = array_namespace(x, df, nc)
        x, df, nc = xp.broadcast_arrays(x, df, nc)
        y, n, d = stop_gradient((x, df, nc))
        # Where r exp(-(x r - nc)**2 / 2) times the density of r in log(r) is greatest; r is in
        # units of 1 / x where x is large, whose square may be infinite.
        unit = xp.maximum(xp.abs(y), xp.ones_like(y))
        y = y / unit
        square, part = y * y + n / unit / unit, d * y
        root = xp.sqrt(part * part + 4 * square * (n + 1))
        falls = part < 0
        fall = 2 * (n + 1) / xp.where(falls, root - part, 1.0)
        r = xp.where(falls, fall, (part + root) / (2 * square))
        upper = y * r > d
        t, step = _nodes(r, -7.0, 4.0, 193)
        width = xp.minimum(1.6 / xp.sqrt(2 * square * r * r - part * r), xp.ones_like(r))
        log = xp.log(r) - xp.log(unit) + width * xp.sinh(t)
        r = xp.exp(log)
        z = x * r - nc
        # The density of log(r), by its ratio to the one at r = 1.
        weight = df * log - 0.5 * df * xp.expm1(2 * log)
        peak = math.log(2) + 0.5 * df * xp.log(0.5 * df) - gammaln(0.5 * df) - 0.5 * df
        if density:
            y = xp.exp(weight + log - 0.5 * z * z) / math.sqrt(2 * math.pi)
        else:
            y = ndtr(xp.where(upper, -z, z)) * xp.exp(weight)
        return xp.sum(y * xp.cosh(t), axis=0) * width * step * xp.exp(peak), upper

    def _pdf(self, x: Any, df: Any, nc: Any) -> Any:
        return self._mean(x, df, nc, True)[0]

    def _cdf(self, x: Any, df: Any, nc: Any) -> Any:
        return self._either(x, (df, nc), True)

    def _sf(self, x: Any, df: Any, nc: Any) -> Any:
        return self._either(x, (df, nc), False)

    def _either(self, x: Any, shapes: tuple[Any, ...], lower: Any) -> Any:
        df, nc = shapes
        p, upper = self._mean(x, df, nc, False)
        return array_namespace(p).where(upper == lower, 1 - p, p)

    def _raw_moment(self, xp: Any, order: int, df: Any, nc: Any) -> Any:
        there = df > order
        d = xp.where(there, df, order + 1.0)
        total = sum(
            math.comb(order, 2 * k) * math.prod(range(1, 2 * k, 2)) * nc ** (order - 2 * k)
            for k in range(order // 2 + 1)
        )
        log = 0.5 * order * xp.log(0.5 * d) + gammaln(0.5 * (d - order)) - gammaln(0.5 * d)
        return xp.where(there, xp.exp(log) * total, xp.nan)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, df: Any, nc: Any) -> Any:
        one, two = split_in_two(key)
        chi = gamma(two, 0.5 * df, shape, dtype) / (0.5 * df)
        return (normal(one, shape, dtype) + nc) / xp.sqrt(chi)


def _chi2_box(df: Any, nc: Any) -> Any:
    """df from 0.5 to 200, nc from 0.001 to 200."""
    return (df >= 0.5) & (df <= 200) & (nc >= 1e-3) & (nc <= 200)


def _f_box(dfn: Any, dfd: Any, nc: Any) -> Any:
    """dfn from 0.5 to 60, dfd from 4 to 60, nc from 0.01 to 60."""
    return (dfn >= 0.5) & (dfn <= 60) & (dfd >= 4) & (dfd <= 60) & (nc >= 0.01) & (nc <= 60)


def _t_box(df: Any, nc: Any) -> Any:
    """df from 0.5 to 30, nc from -6 to 6."""
    return (df >= 0.5) & (df <= 30) & (nc >= -6) & (nc <= 6)


ncx2, nct, ncf = NoncentralChi2(), NoncentralT(), NoncentralF()
# The probabilities from which on routines have their digits.
with_routines(ncx2, _chi2_box, cdf=1e-4, sf=1e-4, ppf=1e-4, isf=1e-4)
with_routines(ncf, _f_box, cdf=1e-4, sf=1e-4, ppf=1e-4, isf=0.05)
with_routines(nct, _t_box, cdf=5e-3, sf=1e-2, ppf=5e-3, isf=0.05)
