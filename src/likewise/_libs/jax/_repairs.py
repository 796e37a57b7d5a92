"""Mends jax.numpy's elementwise functions where they differ from the standard in special values,
and the logarithm of 1 + x where it is inaccurate.

Complex functions are repaired in their parts: the argument is ``a + bj``, what JAX found
``re + im j``, and a rule returns the two parts as they should be. The rules are those of C99's
Annex G, which the standard repeats. They ask for infinities, NaNs and zeros by comparisons alone,
so that they can be traced, and cost little beside the function. As they are not smooth, derivatives
stay JAX's own.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Parts = tuple[Any, Any]
Rule = Callable[[Any, Any, Any, Any], Parts]


def _zero(x: Any) -> Any:
    """Find where a number is zero; subnormal ones are not, which XLA on a CPU takes for zero.

    Subnormal ones are a range of bits. To ask for zero bits alone would not do: LLVM makes that a
    comparison of numbers again.
    """
    bits = jax.lax.bitcast_convert_type(jnp.abs(x), f"uint{8 * x.dtype.itemsize}")
    return (x == 0) & (bits - 1 >= 2 ** np.finfo(x.dtype).nmant - 1)


def _exp(least: float) -> Rule:
    def rule(a: Any, b: Any, re: Any, im: Any) -> Parts:
        lost = jnp.isinf(a) & ~jnp.isfinite(b)  # a length without a direction
        im = jnp.where(lost & (a < 0), 0.0, jnp.where(jnp.isnan(a), math.nan, im))
        return jnp.where(lost, jnp.maximum(a, least), re), jnp.where(_zero(b), b, im)

    return rule


def _log(a: Any, b: Any, re: Any, im: Any) -> Parts:
    return jnp.where(jnp.isinf(a) | jnp.isinf(b), math.inf, re), im


def _log_of_base(base: float) -> Rule:
    """From the natural logarithm, whose division by a complex number loses infinities."""

    def rule(a: Any, b: Any, re: Any, im: Any) -> Parts:
        re, im = _log(a, b, re, im)
        return re / math.log(base), im / math.log(base)

    return rule


def _sqrt(a: Any, b: Any, re: Any, im: Any) -> Parts:
    half = jnp.isinf(a) & jnp.isnan(b)
    re = jnp.where(jnp.isinf(b) | (half & (a > 0)), math.inf, re)
    im = jnp.where(jnp.isinf(b) | (half & (a < 0)), math.inf, im)
    return re, jnp.copysign(im, b)


def _within(a: Any) -> Parts:
    """An argument that doesn't overflow yet, and the factor that is missing then."""
    step = math.floor(math.log(float(np.finfo(a.dtype).max)) / 2)
    far = jnp.abs(a) > 2 * step - 2
    return jnp.where(far, a - jnp.copysign(float(step), a), a), jnp.where(far, math.exp(step), 1.0)


def _sinh(a: Any, b: Any, re: Any, im: Any) -> Parts:
    """Made of real functions: exact in small parts, where JAX's exponentials cancel."""
    near, factor = _within(a)
    lost = ~jnp.isfinite(b) & (_zero(a) | jnp.isinf(a))
    re = jnp.where(lost, a, jnp.sinh(near) * jnp.cos(b) * factor)
    return re, jnp.where(_zero(b), b, jnp.cosh(near) * jnp.sin(b) * factor)


def _cosh(a: Any, b: Any, re: Any, im: Any) -> Parts:
    near, factor = _within(a)
    lost = ~jnp.isfinite(b) & jnp.isinf(a)
    re = jnp.where(lost, math.inf, jnp.cosh(near) * jnp.cos(b) * factor)
    zero = jnp.copysign(0.0, a) * jnp.copysign(1.0, b)
    im = jnp.sinh(near) * jnp.sin(b) * factor
    return re, jnp.where(_zero(a) | _zero(b), zero, im)


def _tanh(a: Any, b: Any, re: Any, im: Any) -> Parts:
    far = jnp.isinf(a)
    re = jnp.where(_zero(a), a, jnp.where(far, jnp.sign(a), re))
    im = jnp.where(jnp.isnan(a), math.nan, im)
    return re, jnp.where(far | _zero(b), jnp.copysign(0.0, b), im)


def _unknown(a: Any, b: Any, x: Any) -> Any:
    """NaN where `a` is and `b` is finite: JAX forgets `a` where `b` is very large."""
    return jnp.where(jnp.isnan(a) & jnp.isfinite(b), math.nan, x)


def _asinh(a: Any, b: Any, re: Any, im: Any) -> Parts:
    re = _unknown(a, b, re)
    return jnp.where(_zero(a), jnp.copysign(re, a), re), jnp.where(_zero(b), b, im)


def _asin(a: Any, b: Any, re: Any, im: Any) -> Parts:
    return jnp.where(_zero(a), a, re), jnp.copysign(_unknown(b, a, im), b)


def _acos(a: Any, b: Any, re: Any, im: Any) -> Parts:
    re = jnp.where(_zero(a) & jnp.isnan(b), math.pi / 2, re)
    return re, jnp.copysign(_unknown(b, a, im), -b)


def _acosh(a: Any, b: Any, re: Any, im: Any) -> Parts:
    im = jnp.where(_zero(a) & jnp.isnan(b), math.pi / 2, im)
    return _unknown(b, a, re), jnp.copysign(im, b)


def _atanh(a: Any, b: Any, re: Any, im: Any) -> Parts:
    unknown = jnp.isnan(b) | (jnp.isnan(a) & ~jnp.isinf(b))
    return jnp.where(_zero(a), a, re), jnp.where(unknown, math.nan, jnp.copysign(im, b))


def _sign(a: Any, b: Any, re: Any, im: Any) -> Parts:
    zero = _zero(a) & _zero(b)
    return jnp.where(zero, 0.0, re), jnp.where(zero, 0.0, im)


def _turned(rule: Rule) -> Rule:
    """From a hyperbolic function to its circular one: ``sin(z) = -1j * sinh(1j * z)``."""

    def turned(a: Any, b: Any, re: Any, im: Any) -> Parts:
        p, q = rule(-b, a, -im, re)
        return q, -p

    return turned


def _cos(a: Any, b: Any, re: Any, im: Any) -> Parts:
    return _cosh(-b, a, re, im)


RULES: dict[str, Rule] = {
    "acos": _acos,
    "acosh": _acosh,
    "asin": _asin,
    "asinh": _asinh,
    "atan": _turned(_atanh),
    "atanh": _atanh,
    "cos": _cos,
    "cosh": _cosh,
    "exp": _exp(0.0),
    "expm1": _exp(-1.0),
    "log": _log,
    "log10": _log_of_base(10.0),
    "log1p": _log,
    "log2": _log_of_base(2.0),
    "sign": _sign,
    "sin": _turned(_sinh),
    "sinh": _sinh,
    "sqrt": _sqrt,
    "tan": _turned(_tanh),
    "tanh": _tanh,
}


# Where JAX's own value may be on the other side of a cut.
_SLOPES: dict[str, Callable[[Any], Any]] = {"sqrt": lambda y: 0.5 / y}


def _compiled(native: Any, formula: Any, slope: Any = None) -> Any:
    """The formula with the native's derivative, or with one by the formula's value."""
    fun = jax.custom_jvp(formula)

    @fun.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        y = fun(*primals)
        return y, jax.jvp(native, primals, tangents)[1] if slope is None else tangents[0] * slope(y)

    return jax.jit(fun, inline=True)


_FLOAT = np.dtype(float)


@functools.partial(jax.jit, inline=True)
def _real_sign(x: Any) -> Any:
    """Return the sign of real numbers, +0 for either zero."""
    return jnp.where(x == 0, 0, jnp.sign(x))


def _log1p_near(x: Any) -> Any:
    """XLA's polynomial is off by up to 128 units between -0.4143 and -0.35 in double precision."""
    if x.dtype != jnp.float64:
        return jnp.log1p(x)
    # log(2 + 2 x) - log(2): 1 + 2 x is exact there. One logarithm, as each is a kernel to compile.
    off = (x > -0.5) & (x < -0.33)
    return jnp.log1p(jnp.where(off, 1 + 2 * x, x)) - jnp.where(off, math.log(2), 0)


_real_log1p = _compiled(jnp.log1p, _log1p_near)
_REAL = {"sign": _real_sign, "log1p": _real_log1p}


def _complex(name: str, rule: Rule) -> Callable[[Any], Any]:
    native = getattr(jnp, name)
    real = _REAL.get(name, native)
    found = jnp.log if name in ("log2", "log10") else native

    def formula(x: Any) -> Any:
        y = found(x)
        return jax.lax.complex(*rule(x.real, x.imag, y.real, y.imag))

    repaired = _compiled(native, formula, _SLOPES.get(name))

    @functools.wraps(native)
    def call(x: Any, /) -> Any:
        return repaired(x) if getattr(x, "dtype", _FLOAT).kind == "c" else real(x)

    return call


def _floor_divide(x1: Any, x2: Any) -> Any:
    """A quotient of zero has the sign of the true one, as in Python."""
    quotient = jnp.floor_divide(x1, x2)
    return jnp.where(quotient == 0, jnp.copysign(quotient, x1 / x2), quotient)


def _remainder(x1: Any, x2: Any) -> Any:
    """A remainder of zero has the sign of the divisor, as in Python."""
    rest = jnp.remainder(x1, x2)
    return jnp.where(rest == 0, jnp.copysign(rest, x2), rest)


def _floating(native: Any, formula: Any) -> Callable[[Any, Any], Any]:
    repaired = _compiled(native, formula)

    @functools.wraps(native)
    def call(x1: Any, x2: Any, /) -> Any:
        kinds = [x.dtype.kind for x in (x1, x2) if hasattr(x, "dtype")]
        return repaired(x1, x2) if "f" in kinds else native(x1, x2)

    return call


ELEMENTWISE = {name: _complex(name, rule) for name, rule in RULES.items()} | {
    "floor_divide": _floating(jnp.floor_divide, _floor_divide),
    "remainder": _floating(jnp.remainder, _remainder),
}
