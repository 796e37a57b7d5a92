"""Distributions on an interval: angles, triangles and a circle."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import betainc, betaincinv
from ._continuous import Continuous
from ._forms import Symmetric
from ._parameters import Parameter

__all__ = [
    "anglit",
    "arcsine",
    "bradford",
    "cosine",
    "semicircular",
    "trapezoid",
    "triang",
]


class Arcsine(Continuous):
    """The arcsine distribution.

    Density ``1 / (pi sqrt(x (1 - x)))`` for `x` from 0 to 1.

    Examples
    --------
    >>> from likewise.stats import arcsine
    >>> round(float(arcsine.cdf(0.25)), 4)
    0.3333
    """

    name = "arcsine"
    support_ends = (0.0, 1.0)

    def _pdf(self, x: Any) -> Any:
        return 1 / (math.pi * array_namespace(x).sqrt(x * (1 - x)))

    def _logpdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return -0.5 * (xp.log(x) + xp.log1p(-x)) - math.log(math.pi)

    def _cdf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return 2 / math.pi * xp.atan2(xp.sqrt(x), xp.sqrt(1 - x))

    def _sf(self, x: Any) -> Any:
        xp = array_namespace(x)
        return 2 / math.pi * xp.atan2(xp.sqrt(1 - x), xp.sqrt(x))

    def _ppf(self, q: Any) -> Any:
        return array_namespace(q).sin(0.5 * math.pi * q) ** 2

    def _isf(self, q: Any) -> Any:
        return array_namespace(q).sin(0.5 * math.pi * (1 - q)) ** 2

    def _moments(self, xp: Any) -> Any:
        return 0.5, 0.125, 0.0, -1.5

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(math.pi / 4)


class Semicircular(Continuous):
    """Wigner's semicircle distribution.

    Density ``2 / pi sqrt(1 - x**2)`` for `x` from -1 to 1.

    Examples
    --------
    >>> from likewise.stats import semicircular
    >>> round(float(semicircular.cdf(0.5)), 4)
    0.8045
    """

    name = "semicircular"
    support_ends = (-1.0, 1.0)

    def _pdf(self, x: Any) -> Any:
        return 2 / math.pi * array_namespace(x).sqrt((1 - x) * (1 + x))

    def _cdf(self, x: Any) -> Any:
        return betainc(1.5, 1.5, 0.5 * (1 + x))

    def _sf(self, x: Any) -> Any:
        return betainc(1.5, 1.5, 0.5 * (1 - x))

    def _ppf(self, q: Any) -> Any:
        return 2 * betaincinv(1.5, 1.5, q) - 1

    def _isf(self, q: Any) -> Any:
        return 1 - 2 * betaincinv(1.5, 1.5, q)

    def _moments(self, xp: Any) -> Any:
        return 0.0, 0.25, 0.0, -1.0

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(math.pi) - 0.5


class Anglit(Continuous):
    """The anglit distribution.

    Density ``cos(2 x)`` for `x` from ``-pi / 4`` to ``pi / 4``.

    Examples
    --------
    >>> from likewise.stats import anglit
    >>> round(float(anglit.cdf(0.25)), 4)
    0.7397
    """

    name = "anglit"
    support_ends = (-math.pi / 4, math.pi / 4)

    def _pdf(self, x: Any) -> Any:
        return array_namespace(x).cos(2 * x)

    def _cdf(self, x: Any) -> Any:
        return array_namespace(x).sin(x + math.pi / 4) ** 2

    def _sf(self, x: Any) -> Any:
        return array_namespace(x).sin(math.pi / 4 - x) ** 2

    def _ppf(self, q: Any) -> Any:
        xp = array_namespace(q)
        return 0.5 * xp.atan2(2 * q - 1, 2 * xp.sqrt(q * (1 - q)))

    def _isf(self, q: Any) -> Any:
        return -self._ppf(q)

    def _moments(self, xp: Any) -> Any:
        square = math.pi**2
        return 0.0, square / 16 - 0.5, 0.0, -2 * (square**2 - 96) / (square - 8) ** 2

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 1 - math.log(2)


# y - sin(y) over y**3, and the inverse of y - sin(y) in the cube root of six times it.
_LESS_SINE = tuple((-1) ** k / math.factorial(2 * k + 3) for k in range(9))
_OF_CUBE = (1.0, 1 / 60, 1 / 1400, 1 / 25200, 43 / 17248000)


def _less_sine(y: Any) -> Any:
    """Return ``y - sin(y)``."""
    xp = array_namespace(y)
    near = y < 1.5
    small = xp.where(near, y, 0.0)
    square, series = small * small, 0.0
    for c in reversed(_LESS_SINE):
        series = c + square * series
    return xp.where(near, small * square * series, y - xp.sin(y))


class Cosine(Symmetric):
    """The cosine distribution.

    Density ``(1 + cos(x)) / (2 pi)`` for `x` from -pi to pi.

    Examples
    --------
    >>> from likewise.stats import cosine
    >>> round(float(cosine.cdf(1.0)), 4)
    0.7931
    """

    name = "cosine"
    support_ends = (-math.pi, math.pi)
    open_ends = True

    def _pdf(self, x: Any) -> Any:
        return array_namespace(x).cos(0.5 * x) ** 2 / math.pi

    def _tail(self, x: Any) -> Any:
        return _less_sine(math.pi - x) / (2 * math.pi)

    def _of_tail(self, q: Any) -> Any:
        xp = array_namespace(q)
        s = (12 * math.pi * q) ** (1 / 3)
        square, series = s * s, 0.0
        for c in reversed(_OF_CUBE):
            series = c + square * series
        y = s * series
        for _ in range(3):  # Newton's method, from an error of 1/50 at most
            y = y - (_less_sine(y) - 2 * math.pi * q) / (2 * xp.sin(0.5 * y) ** 2)
        return math.pi - y

    def _moments(self, xp: Any) -> Any:
        square = math.pi**2
        return 0.0, square / 3 - 2, 0.0, -6 * (square**2 - 90) / (5 * (square - 6) ** 2)

    def _entropy(self, xp: Any, x: Any) -> Any:
        return math.log(4 * math.pi) - 1


class Bradford(Continuous):
    """The Bradford distribution.

    Density ``c / (log(1 + c) (1 + c x))`` for `x` from 0 to 1; `c` is positive.

    Examples
    --------
    >>> from likewise.stats import bradford
    >>> round(float(bradford.cdf(0.5, 2.0)), 4)
    0.6309
    """

    name = "bradford"
    parameters = (Parameter("c", 0.0),)
    support_ends = (0.0, 1.0)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """The support ends at the data's ends, as the density falls."""
        low = xp.min(x, axis=-1)
        loc = fixed.get("loc", low)
        scale = xp.where(loc <= low, xp.max(x, axis=-1) - loc, xp.nan)
        return {"loc": loc, "scale": fixed.get("scale", scale)}

    def _pdf(self, x: Any, c: Any) -> Any:
        return c / (array_namespace(c).log1p(c) * (1 + c * x))

    def _cdf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.log1p(c * x) / xp.log1p(c)

    def _sf(self, x: Any, c: Any) -> Any:
        xp = array_namespace(x, c)
        return xp.log1p(c * (1 - x) / (1 + c * x)) / xp.log1p(c)

    def _ppf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        return xp.expm1(q * xp.log1p(c)) / c

    def _isf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        return 1 + (1 + c) / c * xp.expm1(-q * xp.log1p(c))

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        log = xp.log1p(c)
        return 0.5 * log - xp.log(c / log)


class Triang(Continuous):
    """The triangular distribution.

    Density rising from 0 at 0 to 2 at `c`, and falling to 0 at 1; `c` is from 0 to 1.

    Examples
    --------
    >>> from likewise.stats import triang
    >>> float(triang.cdf(0.25, 0.5))
    0.125
    """

    name = "triang"
    parameters = (Parameter("c", 0.0, 1.0, (True, True)),)
    support_ends = (0.0, 1.0)
    breaks = 1

    def _breaks(self, c: Any) -> tuple[Any, ...]:
        return (c,)

    def _sides(self, x: Any, c: Any) -> Any:
        """Tell where x is left of the mode, and return distance and length of that side."""
        xp = array_namespace(x, c)
        left = (x < c) | (c == 1)
        return left, xp.where(left, x, 1 - x), xp.where(left, c, 1 - c)

    def _pdf(self, x: Any, c: Any) -> Any:
        _, far, long = self._sides(x, c)
        return 2 * far / long

    def _cdf(self, x: Any, c: Any) -> Any:
        left, far, long = self._sides(x, c)
        p = far * far / long
        return array_namespace(p).where(left, p, 1 - p)

    def _sf(self, x: Any, c: Any) -> Any:
        left, far, long = self._sides(x, c)
        p = far * far / long
        return array_namespace(p).where(left, 1 - p, p)

    def _ppf(self, q: Any, c: Any) -> Any:
        xp = array_namespace(q, c)
        left = q < c
        far = xp.sqrt(xp.where(left, q * c, (1 - q) * (1 - c)))
        return xp.where(left, far, 1 - far)

    def _isf(self, q: Any, c: Any) -> Any:
        return 1 - self._ppf(q, 1 - c)

    def _moments(self, xp: Any, c: Any) -> Any:
        size = 1 - c + c * c
        skew = math.sqrt(2) / 5 * (2 * c - 1) * (c + 1) * (c - 2) / (size * xp.sqrt(size))
        return (c + 1) / 3, size / 18, skew, -0.6

    def _entropy(self, xp: Any, x: Any, c: Any) -> Any:
        return 0.5 - math.log(2)


class Trapezoid(Continuous):
    """The trapezoidal distribution.

    Density rising from 0 at 0 to its top at `c`, constant up to `d`, and falling to 0 at 1;
    ``0 <= c <= d <= 1``.

    Examples
    --------
    >>> from likewise.stats import trapezoid
    >>> float(trapezoid.cdf(0.5, 0.25, 0.75))
    0.5
    """

    name = "trapezoid"
    parameters = tuple(Parameter(n, 0.0, 1.0, (True, True)) for n in "cd")
    support_ends = (0.0, 1.0)
    usual = (0.25, 0.75)  # no triangle, which is at the end of the domain
    breaks = 2

    def _breaks(self, c: Any, d: Any) -> tuple[Any, ...]:
        return c, d

    def _valid(self, xp: Any, c: Any, d: Any) -> Any:
        return c <= d

    def _parts(self, x: Any, c: Any, d: Any) -> Any:
        """Tell which side x is on, and return distance and length of it, and twice the top's
        reciprocal."""
        xp = array_namespace(x, c, d)
        left, right = x < c, x > d
        far = xp.where(left, x, xp.where(right, 1 - x, 1.0 + 0.0 * x))
        return left, right, far, xp.where(left, c, xp.where(right, 1 - d, 1.0)), d - c + 1

    def _pdf(self, x: Any, c: Any, d: Any) -> Any:
        _, _, far, long, width = self._parts(x, c, d)
        return 2 * far / (long * width)

    def _cdf(self, x: Any, c: Any, d: Any) -> Any:
        left, right, far, long, width = self._parts(x, c, d)
        xp = array_namespace(x, c, d)
        p = far * far / (long * width)
        return xp.where(left, p, xp.where(right, 1 - p, (c + 2 * (x - c)) / width))

    def _sf(self, x: Any, c: Any, d: Any) -> Any:
        return self._cdf(1 - x, 1 - d, 1 - c)

    def _ppf(self, q: Any, c: Any, d: Any) -> Any:
        xp = array_namespace(q, c, d)
        width = d - c + 1
        left, right = q * width < c, (1 - q) * width < 1 - d
        area = xp.where(left, q * c, xp.where(right, (1 - q) * (1 - d), 1.0))
        far = xp.sqrt(area * width)
        return xp.where(left, far, xp.where(right, 1 - far, 0.5 * (q * width + c)))

    def _isf(self, q: Any, c: Any, d: Any) -> Any:
        return 1 - self._ppf(q, 1 - d, 1 - c)

    def _raw_moment(self, xp: Any, order: int, c: Any, d: Any) -> Any:
        powers = 1.0
        for _ in range(order + 1):  # (1 - d**(order + 2)) / (1 - d)
            powers = 1 + d * powers
        return 2 * (powers - c ** (order + 1)) / ((d - c + 1) * (order + 1) * (order + 2))

    def _entropy(self, xp: Any, x: Any, c: Any, d: Any) -> Any:
        width = d - c + 1
        return 0.5 * (1 - d + c) / width + xp.log(0.5 * width)


arcsine, anglit, bradford, cosine = Arcsine(), Anglit(), Bradford(), Cosine()
semicircular, trapezoid, triang = Semicircular(), Trapezoid(), Triang()
