"""The uniform distribution, and that of a number whose logarithm is uniform."""

from typing import Any, ClassVar

from ..._namespace import array_namespace
from ...random import uniform as draw_uniform
from ._continuous import Continuous
from ._parameters import Parameter

__all__ = ["loguniform", "reciprocal", "uniform"]


class Uniform(Continuous):
    """The uniform distribution between `loc` and ``loc + scale``.

    Examples
    --------
    >>> from likewise.stats import uniform
    >>> round(float(uniform.cdf(2.5, loc=2.0, scale=4.0)), 4)
    0.125
    """

    name = "uniform"
    support_ends = (0.0, 1.0)
    whole = frozenset(("cdf", "sf"))

    def _pdf(self, x: Any) -> Any:
        return 0 * x + 1

    def _logpdf(self, x: Any) -> Any:
        return 0 * x

    def _cdf(self, x: Any) -> Any:
        return array_namespace(x).clip(x, 0, 1)

    def _sf(self, x: Any) -> Any:
        return 1 - array_namespace(x).clip(x, 0, 1)

    def _ppf(self, q: Any) -> Any:
        return q

    def _isf(self, q: Any) -> Any:
        return 1 - q

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        """With a fixed scale the interval that has the data in its middle."""
        low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
        if "scale" in fixed:
            scale = fixed["scale"]
            return low - 0.5 * (scale - (high - low)), xp.where(scale >= high - low, scale, xp.nan)
        loc = fixed.get("loc", low)
        return loc, xp.where(loc <= low, high - loc, xp.nan)

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        loc, scale = self._fit_closed(xp, x, fixed)
        return {"loc": loc, "scale": scale} | fixed

    def _moments(self, xp: Any) -> Any:
        return 0.5, 1 / 12, 0.0, -1.2

    def _entropy(self, xp: Any, x: Any) -> Any:
        return 0.0

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return draw_uniform(key, shape, dtype)


def _log_ratio(u: Any, v: Any) -> Any:
    """log(u / v) for u from v on."""
    xp = array_namespace(u, v)
    near = u < 2 * v
    far = 2 * xp.log(xp.sqrt(u) / xp.sqrt(v))  # the quotient itself may overflow
    return xp.where(near, xp.log1p(xp.where(near, (u - v) / v, 0.0)), far)


def _between(q: Any, u: Any, v: Any) -> Any:
    """u**(1 - q) v**q, from the nearer end, as the ratio may overflow."""
    xp = array_namespace(q, u, v)
    near, up = q < 0.5, _log_ratio(xp.maximum(u, v), xp.minimum(u, v))
    log = xp.where(v > u, up, -up)
    return xp.where(near, u, v) * xp.exp(xp.where(near, q, q - 1) * log)


class LogUniform(Continuous):
    """The distribution of a number between `a` and `b` whose logarithm is uniform.

    Density ``1 / (x log(b / a))``; 0 < a < b.

    Examples
    --------
    >>> from likewise.stats import loguniform
    >>> round(float(loguniform.median(0.1, 1000.0)), 4)
    10.0
    """

    name = "loguniform"
    parameters = (Parameter("a", 0.0), Parameter("b", 0.0))
    usual = (0.5, 1.5)
    idle: ClassVar[dict[str, float]] = {"scale": 1.0}

    def _valid(self, xp: Any, a: Any, b: Any) -> Any:
        return a < b

    def _support(self, xp: Any, a: Any, b: Any) -> Any:
        return a, b

    def _fit_known(self, xp: Any, x: Any, fixed: Any) -> dict[str, Any]:
        """a and b are the data's ends if loc and scale are fixed."""
        if "loc" not in fixed or "scale" not in fixed:
            return dict(fixed)
        scale = fixed["scale"]
        low, high = xp.min(x, axis=-1) - fixed["loc"], xp.max(x, axis=-1) - fixed["loc"]
        found = {"a": xp.where(low > 0, low, xp.nan) / scale, "b": high / scale}
        return found | fixed

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        found = self._fit_known(xp, x, fixed)
        return [found[p.name] for p in self._every] if len(found) == len(self._every) else None

    def _fit_start(self, xp: Any, x: Any, fixed: Any) -> list[Any]:
        low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
        margin = 0.05 * (high - low) + 1e-3 * xp.abs(low) + 1e-9
        scale = fixed.get("scale", xp.ones_like(low))
        loc = fixed.get("loc", low - 2 * margin)
        least = xp.maximum(low - margin - loc, 0.5 * (low - loc))
        ends = {"a": least / scale, "b": (high + margin - loc) / scale}
        return [fixed.get(n, ends[n]) for n in ends] + [loc, scale]

    def _pdf(self, x: Any, a: Any, b: Any) -> Any:
        return 1 / (x * _log_ratio(b, a))

    def _logpdf(self, x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        return -xp.log(x) - xp.log(_log_ratio(b, a))

    def _cdf(self, x: Any, a: Any, b: Any) -> Any:
        return _log_ratio(x, a) / _log_ratio(b, a)

    def _sf(self, x: Any, a: Any, b: Any) -> Any:
        return _log_ratio(b, x) / _log_ratio(b, a)

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return _between(q, a, b)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        return _between(q, b, a)

    def _moments(self, xp: Any, a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
        return (b - a) / _log_ratio(b, a), None, None, None

    def _entropy(self, xp: Any, x: Any, a: Any, b: Any) -> Any:
        return 0.5 * (xp.log(a) + xp.log(b)) + xp.log(_log_ratio(b, a))


class Reciprocal(LogUniform):
    """The same as `loguniform`.

    Examples
    --------
    >>> from likewise.stats import reciprocal
    >>> round(float(reciprocal.median(0.1, 1000.0)), 4)
    10.0
    """

    name = "reciprocal"


loguniform = LogUniform()
reciprocal = Reciprocal()
uniform = Uniform()
