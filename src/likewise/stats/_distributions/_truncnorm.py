"""The normal distribution between two ends."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import erf, erfcx, log_ndtr, ndtri_exp
from ._continuous import Continuous
from ._fit import fit
from ._inverse import polished
from ._parameters import Parameter
from ._tails import over_nodes

__all__ = ["truncnorm"]

_HALF = math.sqrt(0.5)
_ALL = 40.0  # exp(-t^2 / 2) is 0 from here on


def _mills(y: Any) -> Any:
    return math.sqrt(0.5 * math.pi) * erfcx(_HALF * y)


def _mass(xp: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """The integral of exp((y^2 - x^2) / 2) over x from u to v, and y: of both ends that is nearer
    to 0, or 0 between them. Nothing cancels: near ends are apart by what Gauss's rule sums."""
    across = (u <= 0) & (v >= 0)
    right = u > 0
    y = xp.where(across, 0.0, xp.where(right, u, -v))
    d = v - u
    d = xp.where(d > _ALL, _ALL, d)
    near = (d * (y + d) < 1) & ~across
    width, start = xp.where(near, d, 0.0), xp.where(near, y, 0.0)
    few = over_nodes(lambda p: xp.exp(-p * width * (start + 0.5 * p * width)), width)
    far = across | near
    start, step = xp.where(far, 0.0, y), xp.where(far, 1.0, d)
    apart = _mills(start) - xp.exp(-step * (start + 0.5 * step)) * _mills(start + step)
    both = erf(_HALF * xp.where(across, v, 1.0)) - erf(_HALF * xp.where(across, u, 0.0))
    one_side = xp.where(near, width * few, apart)
    return xp.where(across, math.sqrt(0.5 * math.pi) * both, one_side), y


def _log_share(xp: Any, part: Any, whole: Any) -> Any:
    (p, y), (q, z) = part, whole
    none = p == 0
    share = xp.log(xp.where(none, 1.0, p) / q) - 0.5 * (y - z) * (y + z)
    return xp.where(none, -xp.inf, share)


class TruncNorm(Continuous):
    """The normal distribution between `a` and `b`, a < b, which may be infinite.

    Density ``exp(-x**2 / 2) / sqrt(2 pi)`` over the normal probability between both. They are of
    the standard form: ends A and B of a normal distribution mean ``a = (A - loc) / scale``.

    Examples
    --------
    >>> from likewise.stats import truncnorm
    >>> round(float(truncnorm.mean(-1.0, 2.0)), 4)
    0.2296
    """

    name = "truncnorm"
    parameters = (
        Parameter("a", closed=(True, False)),
        Parameter("b", closed=(False, True)),
    )
    usual = (-1.0, 1.0)

    def _valid(self, xp: Any, a: Any, b: Any) -> Any:
        return a < b

    def _support(self, xp: Any, a: Any, b: Any) -> Any:
        return a, b

    def _logpdf(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        mass, y = _mass(xp, a, b)
        return -0.5 * (x - y) * (x + y) - xp.log(mass)

    def _cdf(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        return xp.exp(_log_share(xp, _mass(xp, a, x), _mass(xp, a, b)))

    def _sf(self, x: Any, a: Any, b: Any) -> Any:
        return self._cdf(-x, -b, -a)

    def _logcdf(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        whole = _mass(xp, a, b)
        this = _log_share(xp, _mass(xp, a, x), whole)
        other = _log_share(xp, _mass(xp, x, b), whole)
        near = this > -0.1
        return xp.where(near, xp.log1p(-xp.exp(xp.where(near, other, -1.0))), this)

    def _logsf(self, x: Any, a: Any, b: Any) -> Any:
        return self._logcdf(-x, -b, -a)

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return polished(self, self._start(q, a, b, upper=False), q, (a, b), upper=False)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        return polished(self, self._start(q, a, b, upper=True), q, (a, b), upper=True)

    def _start(self, q: Any, a: Any, b: Any, upper: bool) -> Any:
        """The quantile by tails of the normal distribution."""
        xp = array_namespace(q, a, b)
        mass, y = _mass(xp, a, b)
        mass = xp.log(mass) - 0.5 * y * y - 0.5 * math.log(2 * math.pi)
        one, other = xp.log(q), xp.log1p(-q)
        low, high = (other, one) if upper else (one, other)
        below = xp.logaddexp(log_ndtr(a) + 0 * q, low + mass)
        above = xp.logaddexp(log_ndtr(-b) + 0 * q, high + mass)
        left = below < above
        x = ndtri_exp(xp.where(left, below, above))
        x = xp.where(left, x, -x)
        x = xp.where(x > a, xp.where(x < b, x, b), a)
        # Near an end the density is that of the end.
        low, high = (1 - q, q) if upper else (q, 1 - q)
        low, high = low / self._pdf(a, a, b), high / self._pdf(b, a, b)
        x = xp.where(low * (xp.abs(a) + low) < 1e-4, a + low, x)
        return xp.where(high * (xp.abs(b) + high) < 1e-4, b - high, x)

    def _moments(self, xp: Any, a: Any, b: Any) -> Any:
        # (pdf(a) - pdf(b)) of the end that is nearer to 0; further ones by quadrature, as what
        # is left of squares of far ends has no digits.
        right = xp.abs(a) <= xp.abs(b)
        near, far = xp.where(right, a, -b), xp.where(right, b, -a)
        free = xp.isinf(near)
        near = xp.where(free, 0.0, near)
        step = far - near
        most = _ALL + xp.where(near < 0, -2 * near, 0.0)  # beyond, exp(-far**2 / 2) is nothing
        step = xp.where(step < most, step, most)
        mass, y = _mass(xp, a, b)
        mean = -xp.expm1(-step * (near + 0.5 * step)) * xp.exp(0.5 * (y - near) * (y + near)) / mass
        return xp.where(free, 0.0, xp.where(right, mean, -mean)), None, None, None

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Any) -> Any:
        a, b = shapes
        low, high = 2 * xp.where(b < 0, b, 0.0) - _ALL, 2 * xp.where(a > 0, a, 0.0) + _ALL
        ends = (
            xp.where((a < low) & (a > -xp.inf), low, a),
            xp.where((b > high) & (b < xp.inf), high, b),
        )
        return super()._mean_of(xp, x, ends, function)

    def fit(
        self,
        data: Any,
        *start: Any,
        method: str = "MLE",
        axis: Any = None,
        full_output: bool = False,
        **options: Any,
    ) -> Any:
        """Estimate the parameters by maximum likelihood; see `norm.fit`.

        Where neither `a` nor `b` is given, the support ends at the data's ends.
        """
        ends_given = start or {"a", "b", "f0", "f1", "fa", "fb", "fix_a", "fix_b"} & set(options)
        if ends_given or str(method).upper() != "MLE":
            return fit(self, data, start, options, method, axis, full_output)
        found = fit(_between, data, (), options, method, axis, True)
        low, high, loc, scale = found.params
        params = ((low - loc) / scale, (high - loc) / scale, loc, scale)
        return found._replace(params=params) if full_output else params


class _Between(TruncNorm):
    """The row whose `a` and `b` are ends of the support itself: the first and last of the data."""

    def _at_logpdf(self, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        ends = tuple((end - loc) / scale for end in shapes)
        return super()._at_logpdf(xp, x, ends, loc, scale)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        return {"a": xp.min(x, axis=-1), "b": xp.max(x, axis=-1)}

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        spread = xp.std(x, axis=-1)
        scale = fixed.get("scale", xp.where(spread > 0, spread, 1.0))
        return [fixed["a"], fixed["b"], fixed.get("loc", xp.mean(x, axis=-1)), scale]


truncnorm, _between = TruncNorm(), _Between()
