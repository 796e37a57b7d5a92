"""Logarithms of densities whose terms cancel where parameters are large.

There Stirling's formulas and what is left of the powers stand for them (C. Loader, Fast and
accurate computation of binomial probabilities, 2000). Derivatives never look into a body.
"""

import math
from typing import Any

from ..._namespace import array_namespace
from ...special import betaln, digamma, gammaln, xlog1py, xlogy
from ...special._betainc_parts import exponent, of_shapes, power, scaled
from ...special._function import at_hand, by_region, elementwise
from ...special._gamma_parts import stirling
from ...special._log1p_less import less_log

__all__ = [
    "beta_density",
    "fisher_density",
    "gamma_density",
    "log_beta_density",
    "log_fisher_density",
    "log_gamma_density",
]

_FEW = 64  # elements, of which both sides take less time than to part them
_LARGE = 3.0  # from here on Stirling's formulas hold
_SOME = 6.0  # shapes below which powers keep their digits


def _gamma_small(a: Any, x: Any) -> Any:
    return xlogy(a - 1, x) - x - gammaln(a)


def _gamma_large(a: Any, x: Any) -> Any:
    xp = array_namespace(a, x)
    a = xp.where(a < _LARGE, _LARGE, a)
    end = x == 0
    x = xp.where(end, 1.0, x)
    away = x < 0.5 * a
    near = -a * less_log(xp.where(away, 0.0, (x - a) / a))
    exponent = xp.where(away, a * xp.log(xp.where(away, x, a) / a) + (a - x), near)
    found = exponent - stirling(a) + xp.log(xp.sqrt(a / (2 * math.pi)) / x)
    return xp.where(end, -xp.inf, found)


@elementwise(
    derivatives=(
        lambda y, a, x: array_namespace(x).log(x) - digamma(a),
        lambda y, a, x: (a - 1 - x) / x,
    ),
    apart=True,
)
def log_gamma_density(a: Any, x: Any) -> Any:
    """log(x^(a - 1) exp(-x) / gamma(a)), for x from 0 on."""
    return _either(a < _LARGE, _gamma_small, _gamma_large, a, x)


@elementwise(
    derivatives=(
        lambda y, a, x: y * (array_namespace(x).log(x) - digamma(a)),
        lambda y, a, x: y * ((a - 1 - x) / x),
    ),
    apart=True,
)
def gamma_density(a: Any, x: Any) -> Any:
    """x^(a - 1) exp(-x) / gamma(a), for x from 0 on."""
    return _either(a < _LARGE, _gamma_power, _gamma_product, a, x)


def _gamma_power(a: Any, x: Any) -> Any:
    xp = array_namespace(a, x)
    return xp.where(x == xp.inf, 0.0, x ** (a - 1) * xp.exp(-x - gammaln(a)))


def _gamma_product(a: Any, x: Any) -> Any:
    """Far below by a power, since its logarithm is large."""
    xp = array_namespace(a, x)
    front = xp.exp(-stirling(a)) / xp.sqrt(2 * math.pi * a)
    low = x < 0.5 * a
    size = math.prod(low.shape)
    if at_hand(low) and size <= _FEW:
        below = int(xp.count_nonzero(low))  # likewise: ignore[LW203]: values are at hand
        if 0 < below < size:
            return xp.where(low, _gamma_below(a, x, front), _gamma_above(a, x, front))
    return _either(low, _gamma_below, _gamma_above, a, x, front)


def _gamma_below(a: Any, x: Any, front: Any) -> Any:
    xp = array_namespace(a, x)
    e = xp.exp(1 - x / a)
    return (x / a * e) ** (a - 1) * e * front


def _gamma_above(a: Any, x: Any, front: Any) -> Any:
    xp = array_namespace(a, x)
    x = xp.where(x < 0.5 * a, a, x)
    return xp.exp(-a * less_log((x - a) / a)) * front / (x / a)


def _either(small: Any, below: Any, above: Any, *arrays: Any) -> Any:
    """The result of one of two functions for each element, or of one for all, if that can be read:
    then what depends on shapes without dimensions is computed once."""
    xp = array_namespace(*arrays)
    if at_hand(small):
        if not bool(xp.any(small)):  # likewise: ignore[LW203]: values are at hand
            return above(*arrays)
        if bool(xp.all(small)):  # likewise: ignore[LW203]: values are at hand
            return below(*arrays)
    small, *arrays = xp.broadcast_arrays(small, *arrays)
    return by_region(arrays, (small, below), rest=above)


def _beta_by_a(a: Any, b: Any, x: Any) -> Any:
    return array_namespace(x).log(x) - digamma(a) + digamma(a + b)


def _beta_by_b(a: Any, b: Any, x: Any) -> Any:
    return array_namespace(x).log1p(-x) - digamma(b) + digamma(a + b)


def _beta_by_x(a: Any, b: Any, x: Any) -> Any:
    return (a - 1) / x - (b - 1) / (1 - x)


@elementwise(
    apart=True,
    derivatives=(
        lambda y, a, b, x: y * _beta_by_a(a, b, x),
        lambda y, a, b, x: y * _beta_by_b(a, b, x),
        lambda y, a, b, x: y * _beta_by_x(a, b, x),
    ),
)
def beta_density(a: Any, b: Any, x: Any) -> Any:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b), for x from 0 to 1."""
    return _either((a < _SOME) & (b < _SOME), _beta_power, _beta_weight, a, b, x)


def _beta_power(a: Any, b: Any, x: Any) -> Any:
    return x ** (a - 1) * (1 - x) ** (b - 1) * array_namespace(a, b).exp(-betaln(a, b))


def _beta_weight(a: Any, b: Any, x: Any) -> Any:
    xp = array_namespace(a, b, x)
    first, last = x == 0, x == 1
    end = first | last
    x = xp.where(end, 0.5, x)
    y = 1 - x
    found = weight(a, b, x, y, x * y)
    return xp.where(first, _at_end(a, b), xp.where(last, _at_end(b, a), found))


def _at_end(a: Any, b: Any) -> Any:
    """b times 0^(a - 1)."""
    xp = array_namespace(a, b)
    return xp.where(a == 1, b + 0 * a, xp.where(a < 1, xp.inf, 0 * a))


def weight(a: Any, b: Any, x: Any, y: Any, over: Any) -> Any:
    """x^a y^b / beta(a, b) / over, where y is 1 - x."""
    return _either((a < _LARGE) | (b < _LARGE), _with_small, _with_large, a, b, x, y, over)


def _with_small(a: Any, b: Any, x: Any, y: Any, over: Any) -> Any:
    c, d = scaled(a, b)
    factor, rest = of_shapes(c, d)
    factor = array_namespace(a).where(c == a, factor, 2.0**-60 * factor)
    return _product(factor, rest + power(c, d, x, y), over)


def _with_large(a: Any, b: Any, x: Any, y: Any, over: Any) -> Any:
    xp = array_namespace(a, b)
    a, b = xp.where(a < _LARGE, _LARGE, a), xp.where(b < _LARGE, _LARGE, b)
    factor, rest = of_shapes(a, b)
    return _product(factor, rest - exponent(a, b, x, y), over)


def _product(factor: Any, log: Any, over: Any) -> Any:
    """factor exp(log) / over, where the exponential alone may underflow."""
    root = array_namespace(log).exp(0.5 * log)
    return factor * root * (root / over)


@elementwise(
    apart=True,
    derivatives=(
        lambda z, a, b, x: _beta_by_a(a, b, x),
        lambda z, a, b, x: _beta_by_b(a, b, x),
        lambda z, a, b, x: _beta_by_x(a, b, x),
    ),
)
def log_beta_density(a: Any, b: Any, x: Any) -> Any:
    """log(x^(a - 1) (1 - x)^(b - 1) / beta(a, b)), for x from 0 to 1."""
    return _either((a < _LARGE) | (b < _LARGE), _beta_small, _beta_large, a, b, x)


def _beta_large(a: Any, b: Any, x: Any) -> Any:
    xp = array_namespace(a, b, x)
    end = (x == 0) | (x == 1)
    x = xp.where(end, 0.5, x)
    found = _weight_large(a, b, x, 1 - x) - xp.log(x) - xp.log1p(-x)
    return xp.where(end, -xp.inf, found)


def _weight_large(a: Any, b: Any, x: Any, y: Any) -> Any:
    """log(x^a y^b / beta(a, b)) for shapes from 3 on."""
    xp = array_namespace(a, b)
    a, b = xp.where(a < _LARGE, _LARGE, a), xp.where(b < _LARGE, _LARGE, b)
    factor, rest = of_shapes(a, b)
    return xp.log(factor) + rest - exponent(a, b, x, y)


def _beta_small(a: Any, b: Any, x: Any) -> Any:
    return xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b)


def _fisher_by_a(a: Any, b: Any, x: Any) -> Any:
    """The derivative in a of log(u^a v^b / beta(a, b)), where u / v = a x / b."""
    ratio = a * x / b
    log_u = -array_namespace(x).log1p(1 / ratio)
    return log_u + (1 - x) / (1 + ratio) - digamma(a) + digamma(a + b)


def _fisher_by_x(z: Any, n: Any, m: Any, x: Any) -> Any:
    ratio = n * x / m
    return ((0.5 * n - 1) - (0.5 * m + 1) * ratio) / ((1 + ratio) * x)


@elementwise(
    apart=True,
    derivatives=(
        lambda y, n, m, x: 0.5 * y * _fisher_by_a(0.5 * n, 0.5 * m, x),
        lambda y, n, m, x: 0.5 * y * _fisher_by_a(0.5 * m, 0.5 * n, 1 / x),
        lambda y, n, m, x: y * _fisher_by_x(y, n, m, x),
    ),
)
def fisher_density(n: Any, m: Any, x: Any) -> Any:
    """The density of F with n and m degrees of freedom, for x from 0 on."""
    n, m = 0.5 * n, 0.5 * m
    return _either((n < _SOME) & (m < _SOME), _fisher_power, _fisher_weight, n, m, x)


def _fisher_power(a: Any, b: Any, x: Any) -> Any:
    xp = array_namespace(a, b, x)
    ratio = a * x / b
    end = (ratio == 0) | xp.isinf(ratio)
    r = xp.where(end, 1.0, ratio)
    root = (1 / (1 + 1 / r)) ** (0.5 * a) * (1 + r) ** (-0.5 * b)
    found = root * (root / xp.where(end, 1.0, x)) * xp.exp(-betaln(a, b))
    return xp.where(end, _fisher_end(a, x), found)


def _fisher_end(a: Any, x: Any) -> Any:
    xp = array_namespace(a, x)
    return xp.where(x == 0, xp.where(a == 1, 1.0, xp.where(a < 1, xp.inf, 0 * a)), 0 * a)


def _fisher_weight(a: Any, b: Any, x: Any) -> Any:
    xp = array_namespace(a, b, x)
    ratio = a * x / b
    end = (ratio == 0) | xp.isinf(ratio)
    r, over = xp.where(end, 1.0, ratio), xp.where(end, 1.0, x)
    found = weight(a, b, 1 / (1 + 1 / r), 1 / (1 + r), over)
    return xp.where(end, _fisher_end(a, x), found)


@elementwise(
    apart=True,
    derivatives=(
        lambda z, n, m, x: 0.5 * _fisher_by_a(0.5 * n, 0.5 * m, x),
        lambda z, n, m, x: 0.5 * _fisher_by_a(0.5 * m, 0.5 * n, 1 / x),
        _fisher_by_x,
    ),
)
def log_fisher_density(n: Any, m: Any, x: Any) -> Any:
    """The logarithm of the density of F with n and m degrees of freedom, for x from 0 on."""
    n, m = 0.5 * n, 0.5 * m
    return _either((n < _LARGE) | (m < _LARGE), _fisher_small, _fisher_large, n, m, x)


def _fisher_small(a: Any, b: Any, x: Any) -> Any:
    xp = array_namespace(a, b, x)
    ratio = a * x / b
    # The exponent of the larger shape is that of a quotient next to 1.
    first = (a < b) | (ratio == 0)
    left = xlogy(a - 1, x) + a * xp.log(a / b) - (a + b) * xp.log1p(xp.where(first, ratio, 0.0))
    right = -a * xp.log1p(1 / xp.where(first, 1.0, ratio)) - b * xp.log1p(ratio)
    right = right - xp.log(xp.where(first, 1.0, x))
    return xp.where(first, left, right) - betaln(a, b)


def _fisher_large(a: Any, b: Any, x: Any) -> Any:
    xp = array_namespace(a, b, x)
    ratio = a * x / b
    end = (ratio == 0) | xp.isinf(ratio)
    r = xp.where(end, 1.0, ratio)
    found = _weight_large(a, b, r / (1 + r), 1 / (1 + r)) - xp.log(xp.where(end, 1.0, x))
    return xp.where(end, -xp.inf, found)
