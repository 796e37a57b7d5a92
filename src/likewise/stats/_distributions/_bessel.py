"""Distributions with Bessel functions: rice and vonmises."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace
from ..._namespace import device as device_of
from ...random import normal
from ...random._attempts import Words, accepted, nested, sample
from ...random._keys import split_in_two
from ...special import i0e, i1e
from ...special._function import elementwise
from ...transforms import stop_gradient
from ._continuous import Continuous
from ._parameters import Parameter
from ._quadrature import mean_of
from ._routines import with_routines
from ._tails import tail

__all__ = ["rice", "vonmises"]


class Rice(Continuous):
    """Rice's distribution, of the distance from 0 of a normal point in the plane whose mean is `b`
    away from it.

    Density ``x exp(-(x**2 + b**2) / 2) I0(b x)`` for x above 0; `b` is from 0 on.

    Examples
    --------
    >>> from likewise.stats import rice
    >>> round(float(rice.cdf(2.0, 1.5)), 4)
    0.5763
    """

    name = "rice"
    parameters = (Parameter("b", 0.0, closed=(True, False)),)
    support_ends = (0.0, math.inf)

    def _pdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return x * xp.exp(-0.5 * (x - b) ** 2) * i0e(x * b)

    def _logpdf(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        return xp.log(x * i0e(x * b)) - 0.5 * (x - b) ** 2

    def _lower(self, x: Any, b: Any) -> Any:
        """The integral of the density below x, over the density's factor exp(-(x - b)^2 / 2)."""
        xp = array_namespace(x, b)
        width = x / (1 + x * (1 + xp.abs(x - b)))
        return tail(lambda d: self._pdf(x - d, b), xp.where(x > 0, x, 1.0), width)

    def _upper(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        width = 1 / (1 + xp.abs(x - b))
        return tail(lambda d: self._pdf(x + d, b), xp.full_like(x, xp.inf), width)

    def _sides(self, x: Any, b: Any) -> Any:
        xp = array_namespace(x, b)
        x, b = xp.broadcast_arrays(x, b)
        below = x * x < b * b + 1.5
        typical = xp.sqrt(b * b + 1.5)
        lower = self._lower(xp.where(below, x, typical), b)
        return xp, below, lower, self._upper(xp.where(below, typical, x), b)

    def _cdf(self, x: Any, b: Any) -> Any:
        return self._either(x, (b,), True)

    def _sf(self, x: Any, b: Any) -> Any:
        return self._either(x, (b,), False)

    def _either(self, x: Any, shapes: tuple[Any, ...], lower: Any) -> Any:
        xp, below, left, right = self._sides(x, *shapes)
        p = xp.where(below, left, right)
        return xp.where(below == lower, p, 1 - p)

    def _moments(self, xp: Any, b: Any) -> Any:
        t = 0.25 * b * b
        mean = math.sqrt(math.pi / 2) * ((1 + 2 * t) * i0e(t) + 2 * t * i1e(t))
        return mean, None, None, None

    def _raw_moment(self, xp: Any, order: int, b: Any) -> Any:
        """2**(k / 2) Gamma(1 + k / 2) L(k / 2, -b * b / 2), by the recurrence of Laguerre's L."""
        t, q = 0.25 * b * b, 1.0 - 0.5 * (order % 2)
        even = order % 2 == 0
        low = xp.ones_like(t) if even else i0e(t)
        high = 1 + 2 * t if even else (1 + 2 * t) * low + 2 * t * i1e(t)
        while q < 0.5 * order:
            low, high = high, ((2 * q + 1 + 2 * t) * high - q * low) / (q + 1)
            q += 1
        return 2 ** (0.5 * order) * math.gamma(1 + 0.5 * order) * high

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        # The variance is the difference of nearly equal raw moments where b is large.
        return self._by_quadrature(xp, i, x, shapes) if i else self._moments(xp, *shapes)[0]

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, b: Any) -> Any:
        one, two = split_in_two(key)
        return xp.hypot(b + normal(one, shape, dtype), normal(two, shape, dtype))


class VonMises(Continuous):
    """Von Mises's distribution on the circle.

    Density ``exp(kappa cos(x)) / (2 pi I0(kappa))``, periodic; `kappa` is from 0 on. Random numbers
    and quantiles lie between -pi and pi, where the distribution function goes from 0 to 1; it goes
    on beyond. Moments are those of one turn, from -pi to pi, not circular.

    Random numbers are drawn by rejection (D. J. Best, N. I. Fisher, Applied Statistics 28 (1979)
    152-157), in at most 32 attempts, which all fail with a probability below 1e-14; then the number
    is 0. Acceptance depends on the libraries' own exponential: for the same seed, at most one
    number in 10^4 differs between libraries.

    Examples
    --------
    >>> from likewise.stats import vonmises
    >>> round(float(vonmises.cdf(0.5, 2.0)), 4)
    0.7382
    """

    name = "vonmises"
    parameters = (Parameter("kappa", 0.0, closed=(True, False)),)
    turn = (-math.pi, math.pi)

    def _pdf(self, x: Any, kappa: Any) -> Any:
        xp = array_namespace(x, kappa)
        s = xp.sin(0.5 * x)
        return xp.exp(-2 * kappa * s * s) / (2 * math.pi * i0e(kappa))

    def _logpdf(self, x: Any, kappa: Any) -> Any:
        xp = array_namespace(x, kappa)
        s = xp.sin(0.5 * x)
        return -2 * kappa * s * s - xp.log(2 * math.pi * i0e(kappa))

    def _tail(self, x: Any, kappa: Any) -> Any:
        """The probability between abs(x) and pi."""
        return self._beyond(x, kappa, lambda square: 1.0)

    def _slope(self, x: Any, kappa: Any) -> Any:
        """The derivative in kappa of the probability between x and pi."""
        xp = array_namespace(x, kappa)
        less = 1 - i1e(kappa) / i0e(kappa)  # the mean of 1 - cos(x)
        found = self._beyond(x, kappa, lambda square: less - 2 * square)
        return xp.where(x < 0, -found, found)

    def _beyond(self, x: Any, kappa: Any, factor: Callable[[Any], Any]) -> Any:
        """The integral between abs(x) and pi of the density times a function of sin(x / 2)**2."""
        xp = array_namespace(x, kappa)
        x, kappa = xp.broadcast_arrays(x, kappa)
        y = 0.5 * xp.where(x < 0, -x, x)  # abs has no slope at 0
        room = 0.5 * math.pi - y
        some = room > 0
        wide = xp.where(some, room, 1.0)
        width = 1 / (2 * kappa * xp.sin(2 * y) + xp.sqrt(kappa) + 1 / wide)

        def density(d: Any) -> Any:
            square = xp.sin(y + d) ** 2
            return factor(square) * xp.exp(-2 * kappa * square)

        found = tail(density, wide, width)
        found = xp.where(some, found, room * factor(1.0) * xp.exp(-2 * kappa))
        return found / (math.pi * i0e(kappa))

    def _cdf(self, x: Any, kappa: Any) -> Any:
        xp = array_namespace(x, kappa)
        turns = xp.round(x / (2 * math.pi))
        x = x - 2 * math.pi * turns
        small = self._tail(x, kappa)
        return turns + xp.where(x < 0, small, 1 - small)

    def _at_moved(self, xp: Any, z: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        x = super()._at_moved(xp, z, shapes, loc, scale)
        moved = loc is not None or scale is not None
        return (x + math.pi) % (2 * math.pi) - math.pi if moved else x

    def _sf(self, x: Any, kappa: Any) -> Any:
        xp = array_namespace(x, kappa)
        turns = xp.round(x / (2 * math.pi))
        x = x - 2 * math.pi * turns
        small = self._tail(x, kappa)
        return xp.where(x < 0, 1 - small, small) - turns

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """A turn is 2 pi: with others the likelihood has no bound."""
        return {} if "scale" in fixed else {"scale": xp.ones_like(x[..., 0])}

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        """By the mean direction, and its length."""
        scale = fixed["scale"]
        turned = x / scale[:, None]
        cosine, sine = xp.mean(xp.cos(turned), axis=-1), xp.mean(xp.sin(turned), axis=-1)
        loc = fixed.get("loc", scale * xp.atan2(sine, cosine))
        r = cosine * xp.cos(loc / scale) + sine * xp.sin(loc / scale)
        r = xp.where(r > 0.01, xp.where(r < 0.999, r, 0.999), 0.01)
        return [fixed.get("kappa", r * (2 - r * r) / (1 - r * r)), loc, scale]

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, kappa: Any) -> Any:
        given = (stop_gradient(kappa),)
        return _implicit(kappa, sample(key, shape, _by_wrapped_cauchy, given, dtype))

    def _moments(self, xp: Any, kappa: Any) -> Any:
        return 0.0, None, 0.0, None

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Callable[[Any], Any]) -> Any:
        (kappa,) = shapes
        x = x + 0.0 * kappa
        quartiles = x - 0.5 / (1 + xp.sqrt(kappa)), x, x + 0.5 / (1 + xp.sqrt(kappa))
        ends = -math.pi, math.pi  # one turn
        return mean_of(lambda z: self._pdf(z, kappa), function, ends, quartiles)

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
        """Return the expected value of a function, over one turn unless ends are given."""
        lb = loc - math.pi * scale if lb is None else lb
        ub = loc + math.pi * scale if ub is None else ub
        return super().expect(func, args, loc, scale, lb, ub, conditional)


_ROUNDS = 32  # each fails with a probability below 0.343


def _by_wrapped_cauchy(words: Words, kappa: Any, dtype: Any) -> Any:
    """Angles of the wrapped Cauchy distribution that is accepted most often.

    It has the density of ``1 / (r - cos(x))``; where c is ``kappa (r - cos(x))``, the share ``c
    exp(1 - c)`` is accepted. With the best r, ``2 kappa r = 1 + sqrt(1 + 4 kappa^2)``.
    """
    xp = words.xp
    root = xp.hypot(xp.ones_like(kappa), 2 * kappa)
    least = 0.5 * (1 + 1 / (root + 2 * kappa))  # kappa (r - 1)
    slope = xp.sqrt(least / (least + 2 * kappa))

    def attempt(number: Any) -> tuple[Any, Any]:
        turn = 0.5 * math.pi * (2 * nested(xp, *words.pair(2 * number), dtype) - 1)
        across, along = slope * xp.sin(turn), xp.cos(turn)
        square = across * across
        c = least + 2 * kappa * (square / (square + along * along))
        u = nested(xp, *words.pair(2 * number + 1), dtype)
        return 2 * xp.atan2(across, along), u <= c * xp.exp(1 - c)

    start = xp.zeros(words.counters.shape, dtype=dtype, device=device_of(words.counters))
    wrong = ~((start + kappa >= 0) & (start + kappa < math.inf))
    return xp.where(wrong, xp.nan, accepted(words, attempt, _ROUNDS, start, wrong))


def _by_kappa(y: Any, kappa: Any, x: Any) -> Any:
    """The derivative of a quantile, at x, of a fixed probability: that of the tail over the
    density."""
    return vonmises._slope(x, kappa) / vonmises._pdf(x, kappa)


@elementwise(derivatives=(_by_kappa, lambda y, kappa, x: array_namespace(x).ones_like(x)))
def _implicit(kappa: Any, x: Any) -> Any:
    """x, a random number, with the derivative that its quantile has in kappa."""
    return x + 0 * kappa


def _rice_box(b: Any) -> Any:
    """b from 0.04 to 14."""
    return (b >= 0.04) & (b <= 14)


rice = Rice()
with_routines(rice, _rice_box, cdf=1e-4, sf=1e-4, ppf=1e-4, isf=1e-4)
vonmises = VonMises()
