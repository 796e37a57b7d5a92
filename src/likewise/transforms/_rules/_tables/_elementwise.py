"""Derivatives of elementwise functions.

At kinks the derivative is fixed: 0 for abs, a half for each where maximum and minimum tie, and
where clip meets a bound.
"""

from typing import Any

from .._differentiation import is_complex
from .._rules import broadcasting, constant, elementwise, linear

__all__: list[str] = []

constant(
    *"""bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    ceil equal floor floor_divide greater greater_equal isfinite isinf isnan less less_equal
    logical_and logical_not logical_or logical_xor nextafter not_equal round signbit
    stop_gradient trunc""".split()
)

# -- arithmetic ------------------------------------------------------------------------------------


def _array(xp: Any, x: Any, y: Any) -> Any:
    """An operand that may be a Python number, as an array of the result's dtype."""
    if not hasattr(x, "dtype"):
        return xp.full_like(y, x)
    return x if x.dtype == y.dtype else xp.astype(x, y.dtype)


def _pow_base(xp: Any, x1: Any, x2: Any) -> Any:
    """x2 x1**(x2 - 1), and 0 for the power 0, also of 0."""
    if not hasattr(x2, "dtype"):
        if x2 == 2:
            return x2 * x1
        return x2 * x1 ** (x2 - 1) if x2 != 0 else xp.zeros_like(x1)
    return x2 * x1 ** xp.where((x2 == 0) & (x1 == 0), 1, x2 + -1)  # torch's bools have no minus


def _pow_exponent(xp: Any, x1: Any, y: Any) -> Any:
    """log(x1) y, and 0 where the base is 0."""
    x1 = _array(xp, x1, y)
    return y * xp.log(xp.where(x1 == 0, 1, x1))


elementwise("add", 1, 1)
elementwise("subtract", 1, -1)
elementwise("multiply", lambda x2: x2, lambda x1: x1)
broadcasting(  # quotients, one pass fewer than factors
    "divide",
    (lambda t, x2: t / x2, lambda t, y, x2: -t * (y / x2)),
    (lambda g, x2: g / x2, lambda g, y, x2: -g * (y / x2)),
)
elementwise("negative", -1)
elementwise("positive", 1)
elementwise("square", lambda x: 2 * x)
elementwise("reciprocal", lambda y: -y * y)
elementwise("sqrt", lambda y: 0.5 / y)
elementwise("pow", _pow_base, _pow_exponent)
elementwise("remainder", 1, lambda xp, x1, x2: -xp.floor_divide(x1, x2))

# -- exponential and trigonometric -----------------------------------------------------------------


def _share(xp: Any, x: Any, y: Any) -> Any:
    """exp(x - y), the part of an addend in logaddexp; of infinite sums, 1 for the infinite ones."""
    x = _array(xp, x, y)
    finite = xp.isfinite(y)
    part = xp.exp(xp.where(finite, x, 0) - xp.where(finite, y, 0))
    return xp.where(finite, part, xp.astype(x == y, y.dtype))


def _squares(xp: Any, x1: Any, x2: Any, y: Any) -> Any:
    """The sum of squares, in the dtype of the result: integers have no room for them."""
    x1, x2 = _array(xp, x1, y), _array(xp, x2, y)
    return x1 * x1 + x2 * x2


elementwise("exp", lambda y: y)
elementwise("expm1", lambda y: y + 1)
elementwise("log", lambda x: 1 / x)
elementwise("log1p", lambda x: 1 / (x + 1))
elementwise("log2", lambda x: 1 / (x * 0.6931471805599453))
elementwise("log10", lambda x: 1 / (x * 2.302585092994046))
elementwise(
    "logaddexp",
    lambda xp, x1, y: _share(xp, x1, y),
    lambda xp, x2, y: _share(xp, x2, y),
)
elementwise("sin", lambda xp, x: xp.cos(x))
elementwise("cos", lambda xp, x: -xp.sin(x))
elementwise("tan", lambda y: 1 + y * y)
elementwise("asin", lambda xp, x: 1 / xp.sqrt((1 - x) * (1 + x)))
elementwise("acos", lambda xp, x: -1 / xp.sqrt((1 - x) * (1 + x)))
elementwise("atan", lambda x: 1 / (1 + x * x))
elementwise(
    "atan2",
    lambda xp, x1, x2, y: x2 / _squares(xp, x1, x2, y),
    lambda xp, x1, x2, y: x1 / -_squares(xp, x1, x2, y),
)
elementwise("sinh", lambda xp, x: xp.cosh(x))
elementwise("cosh", lambda xp, x: xp.sinh(x))
elementwise("tanh", lambda y: (1 - y) * (1 + y))
elementwise("asinh", lambda xp, x: 1 / xp.sqrt(1 + x * x))
# Not the root of the product, which has other branches for complex numbers.
elementwise("acosh", lambda xp, x: 1 / (xp.sqrt(x - 1) * xp.sqrt(x + 1)))
elementwise("atanh", lambda x: 1 / ((1 - x) * (1 + x)))

# -- with kinks ------------------------------------------------------------------------------------


def _hypot(xp: Any, x: Any, y: Any) -> Any:
    """x / y, and 0 at the origin."""
    return x / xp.where(y == 0, 1, y)


def _above(xp: Any, x: Any, other: Any, dtype: Any) -> Any:
    """1 where one is greater than another, a half where they tie; either may be a number."""
    return xp.astype(x > other, dtype) + 0.5 * xp.astype(x == other, dtype)


def _raised(xp: Any, x: Any, low: Any) -> Any:
    return x if low is None else xp.maximum(x, low)


def _clip_x(xp: Any, x: Any, min: Any, max: Any, y: Any) -> Any:
    out = xp.ones_like(y) if min is None else _above(xp, x, min, y.dtype)
    return out if max is None else out * _above(xp, max, _raised(xp, x, min), y.dtype)


def _clip_min(xp: Any, x: Any, min: Any, max: Any, y: Any) -> Any:
    out = _above(xp, min, x, y.dtype)
    return out if max is None else out * _above(xp, max, xp.maximum(x, min), y.dtype)


elementwise("hypot", lambda xp, x1, y: _hypot(xp, x1, y), lambda xp, x2, y: _hypot(xp, x2, y))
elementwise("nextafter", 1, None)
elementwise("copysign", lambda xp, x1, y: xp.sign(x1) * xp.sign(y), None)
elementwise(
    "maximum",
    lambda xp, x1, x2, y: _above(xp, x1, x2, y.dtype),
    lambda xp, x1, x2, y: _above(xp, x2, x1, y.dtype),
)
elementwise(
    "minimum",
    lambda xp, x1, x2, y: _above(xp, x2, x1, y.dtype),
    lambda xp, x1, x2, y: _above(xp, x1, x2, y.dtype),
)
elementwise(
    "clip",
    _clip_x,
    _clip_min,
    lambda xp, x, min, max, y: _above(xp, _raised(xp, x, min), max, y.dtype),
)

# -- parts of complex numbers, and choices ---------------------------------------------------------


def _real_part(xp: Any, x: Any) -> Any:
    return xp.real(x) if is_complex(xp, x.dtype) else x


def _direction(xp: Any, x: Any) -> Any:
    """The conjugate of sign(x), written out where NumPy's would warn of a complex 0."""
    if not is_complex(xp, x.dtype):
        return xp.sign(x)
    size = xp.abs(x)
    return xp.conj(x) / xp.where(size == 0, 1, size)


def _sign_push(t: Any, xp: Any, x: Any, y: Any) -> Any:
    """Across the direction of x, over the modulus; 0 at 0."""
    if not is_complex(xp, x.dtype):
        return xp.zeros_like(t)
    size = xp.abs(x)
    across = t - xp.real(t * xp.conj(y)) * y
    return across * xp.astype(size != 0, size.dtype) / xp.where(size == 0, 1, size)


def _sign_pull(g: Any, xp: Any, x: Any, y: Any) -> Any:
    if not is_complex(xp, x.dtype):
        return None
    size = xp.abs(x)
    across = g - xp.real(g * y) * xp.conj(y)
    return across * xp.astype(size != 0, size.dtype) / xp.where(size == 0, 1, size)


broadcasting(
    "abs",
    (lambda t, xp, x: _real_part(xp, t * _direction(xp, x)),),
    (lambda g, xp, x: g * _direction(xp, x),),
)
broadcasting("sign", (_sign_push,), (_sign_pull,))
linear("real", lambda g: g)
linear("imag", lambda g, xp, x_dtype: xp.astype(g, x_dtype) * -1j)
linear("conj", lambda g, xp: xp.conj(g))
linear("astype", lambda g: g)  # the cotangent gets the operand's dtype anyway
linear(
    "where",
    None,
    lambda g, xp, condition: xp.where(condition, g, 0),
    lambda g, xp, condition: xp.where(condition, 0, g),
)
