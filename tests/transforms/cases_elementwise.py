"""Functions of numbers."""

from typing import Any

import numpy as np

from likewise.transforms import stop_gradient

from .cases import Case

_X = np.asarray([[-1.7, 0.4], [0.8, 2.3]])
_POSITIVE = np.asarray([0.3, 1.2, 2.7])
_UNIT = np.asarray([-0.7, 0.2, 0.9])
_Z = np.asarray([0.4 - 1.1j, -1.3 + 0.6j, 1.6 + 0.3j])
_W = np.asarray([[1.2 + 0.5j], [-0.6 + 0.9j]])

_DOMAINS = {
    "acos": _UNIT,
    "acosh": _POSITIVE + 1,
    "asin": _UNIT,
    "asinh": _X,
    "atan": _X,
    "atanh": _UNIT,
    "cos": _X,
    "cosh": _X,
    "exp": _X,
    "expm1": _X,
    "log": _POSITIVE,
    "log10": _POSITIVE,
    "log1p": _POSITIVE - 1,
    "log2": _POSITIVE,
    "negative": _X,
    "positive": _X,
    "reciprocal": _X,
    "sin": _X,
    "sinh": _X,
    "sqrt": _POSITIVE,
    "square": _X,
    "tan": _X,
    "tanh": _X,
}


def _of(name: str) -> Any:
    return lambda xp, *x: getattr(xp, name)(*x)


def _unary() -> list[Case]:
    found = []
    for name, x in _DOMAINS.items():
        found.append(Case(name, _of(name), (x,)))
        how = "differences" if name == "acosh" else "jax"  # JAX takes another branch of the root
        found.append(Case(name, _of(name), (_Z,), "complex", reference=how))
    return found


def _constants() -> list[Case]:
    flat = [
        Case(n, lambda xp, x, n=n: getattr(xp, n)(x) * x, (_X,), "times x")
        for n in ("ceil", "floor", "round", "sign", "trunc")
    ]
    masks = [
        Case(n, lambda xp, x, n=n: xp.astype(getattr(xp, n)(x), xp.float64) * x, (_X,), "times x")
        for n in ("isfinite", "isinf", "isnan", "signbit")
    ]
    pairs = [
        Case(
            n,
            lambda xp, x, y, n=n: xp.astype(getattr(xp, n)(x, y), xp.float64) * x,
            (_X, np.asarray([0.8, 0.4])),
            "times x",
        )
        for n in ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
    ]
    logical = [
        Case(
            n,
            lambda xp, x, y, n=n: xp.astype(getattr(xp, n)(x > 0, y > 0.5), xp.float64) * x,
            (_X, np.asarray([0.8, 0.4])),
            "times x",
        )
        for n in ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or")
    ]
    whole = [
        Case(
            n,
            lambda xp, x, a, b, n=n: xp.astype(getattr(xp, n)(a, b), xp.float64) * x,
            (_X, np.asarray([3, 5]), np.asarray([1, 2])),
            "times x",
        )
        for n in ("bitwise_left_shift", "bitwise_right_shift", "bitwise_xor")
    ]
    return [
        *flat,
        *masks,
        *pairs,
        *logical,
        *whole,
        Case("logical_not", lambda xp, x: xp.where(xp.logical_not(x > 0), x, 2 * x), (_X,)),
        Case(
            "bitwise_invert",
            lambda xp, x, n: xp.astype(xp.bitwise_invert(n), xp.float64) * x,
            (_X, np.asarray([3, 5])),
        ),
        Case("floor_divide", lambda xp, x, y: xp.floor_divide(x, y) * x, (_X, _X * 0.3)),
        Case(
            "nextafter",
            lambda xp, x, y: xp.nextafter(x, y) * x,
            (_X, _X.T + 0.1),
            reference="differences",
        ),
    ]


def _pair(name: str, x: Any, y: Any, label: str = "", **more: Any) -> Case:
    return Case(name, _of(name), (x, y), label, **more)


_TIES = np.asarray([[1.0, 2.0, 0.0], [3.0, -1.0, 0.0]])
_BOUNDS = np.asarray([1.0, -1.0, 0.0])
_MASK = np.asarray([[True], [False]])

CASES: list[Case] = [
    *_unary(),
    *_constants(),
    _pair("add", _X, _POSITIVE[:2]),
    _pair("add", _POSITIVE, _W, "complex and real, broadcast"),
    _pair("subtract", _X, _POSITIVE[:2]),
    Case("subtract", lambda xp, x: 1.5 - x, (_X,), "number"),
    _pair("multiply", _X, _POSITIVE[:2]),
    _pair("multiply", _Z, _W, "complex, broadcast"),
    _pair("multiply", _POSITIVE, _W, "complex and real, broadcast"),
    Case("multiply", lambda xp, x: x * x, (_X,), "itself"),
    Case("multiply", lambda xp, x, y: x * y, (np.asarray(1.5), _X), "0-d"),
    Case(
        "multiply", lambda xp, x, y: x * y, (np.ones((2, 0)), np.asarray([[1.5], [2.5]])), "empty"
    ),
    _pair("divide", _X, _POSITIVE[:2]),
    _pair("divide", _Z, _W, "complex, broadcast"),
    Case("divide", lambda xp, x: 1.5 / x + x / 3, (_X,), "number"),
    _pair("atan2", _X, _X.T.copy()),
    Case("atan2", lambda xp, x: xp.atan2(x, 0.5) + xp.atan2(0.5, x), (_X,), "number"),
    _pair("hypot", _X, _X.T * 1.1),
    _pair("copysign", _X, _X.T.copy()),
    Case("copysign", lambda xp, x: xp.copysign(x, -0.0), (_X,), "number"),
    _pair("logaddexp", _X, _POSITIVE[:2]),
    _pair("remainder", _X * 3, np.asarray([[1.1, -0.7]])),
    Case("remainder", lambda xp, x: x % 0.6 + 0.9 % x, (_X,), "number"),
    _pair("pow", _POSITIVE, np.asarray([1.3, -0.6, 2.0])),
    _pair("pow", _Z, np.asarray([1.3 + 0.2j, -0.6, 2.0]), "complex"),
    _pair("pow", _Z, np.asarray([2, -1, 3]).astype(float), "complex to a real"),
    _pair("pow", _X, np.asarray([3.0, 2.0]), "negative base", diff=(0,)),
    Case("pow", lambda xp, x: x**3 + x**-2 + x**0 + x**1 + x**2, (_X,), "numbers"),
    Case("pow", lambda xp, x: x**0.5 + 2.0**x + 3**x, (_POSITIVE,), "more numbers"),
    Case("pow", lambda xp, x: x**2 + x**0 + x**3.0, (np.asarray([0.0, 1.5]),), "of 0"),
    _pair("pow", np.zeros(3), np.asarray([1.0, 2.0, 2.5]), "exponent of 0", diff=(1,)),
    _pair("maximum", _TIES, _BOUNDS, "ties"),
    _pair("minimum", _TIES, _BOUNDS, "ties"),
    Case("maximum", lambda xp, x: xp.maximum(x, 0.0) * x, (_TIES,), "number"),
    Case("minimum", lambda xp, x: xp.minimum(0.0, x) * x, (_TIES,), "number"),
    Case("clip", lambda xp, x: xp.clip(x, -1.0, 2.0) * x, (_TIES,), "numbers"),
    Case("clip", lambda xp, x: xp.clip(x, None, 2.0) * x, (_TIES,), "above"),
    Case("clip", lambda xp, x: xp.clip(x, min=0.0) * x, (_TIES,), "below"),
    Case("clip", lambda xp, x: xp.clip(x), (_TIES,), "no bound"),
    Case(
        "clip",
        lambda xp, x, a, b: xp.clip(x, a, b),
        (_TIES, _BOUNDS - 0.7, _BOUNDS + 0.6),
        "arrays",
    ),
    Case(
        "clip",
        lambda xp, x, a, b: xp.clip(x, a, b),
        (_TIES, _BOUNDS, np.asarray([3.0, 1.0, 1.0])),
        "arrays, ties",
    ),
    Case("clip", lambda xp, x, b: xp.clip(x, None, b), (_TIES, _BOUNDS + 0.1), "array above"),
    Case("abs", _of("abs"), (_X,)),
    # JAX's own second derivative takes the sign of a complex number to be constant.
    Case("abs", _of("abs"), (_Z,), "complex", reference="differences"),
    Case("sign", lambda xp, x: xp.sign(x) * x, (_Z,), "complex", reference="differences"),
    Case("sign", _of("sign"), (_X,), "alone"),
    Case("real", lambda xp, x: xp.real(x) * x, (_Z,), "complex"),
    Case("real", lambda xp, x: xp.real(x) * x, (_X,), "real"),
    Case("imag", lambda xp, x: xp.imag(x) * x, (_Z,), "complex"),
    Case("conj", lambda xp, x: xp.conj(x) * x * x, (_Z,), "complex"),
    Case("conj", lambda xp, x: xp.conj(x) * x, (_X,), "real"),
    Case("square", lambda xp, x: xp.real(x) ** 2 + xp.imag(x) ** 2, (_Z,), "of parts"),
    Case("astype", lambda xp, x: xp.astype(x, xp.complex128) ** 2, (_X,), "to complex"),
    Case(
        "astype", lambda xp, x: xp.astype(xp.astype(x, xp.int64), xp.float64) * x, (_X,), "integer"
    ),
    Case("astype", lambda xp, x: xp.astype(x, xp.float64, copy=False) * x, (_X,), "same"),
    Case("stop_gradient", lambda xp, x: stop_gradient(xp.exp(x)) * x, (_X,)),
    Case("where", lambda xp, c, x, y: xp.where(c, x, y), (_MASK, _X, _POSITIVE[:2])),
    Case("where", lambda xp, c, x: xp.where(c, x * x, 0.5), (_MASK, _X), "number"),
    Case(
        "where", lambda xp, c, x, y: xp.where(c, x, y), (_MASK, _POSITIVE, _W), "complex and real"
    ),
    Case("where", lambda xp, x: xp.where(x < 9, x * x, float("nan")), (_X,), "number that is NaN"),
    Case("where", lambda xp, x: xp.where(x > 0.5, xp.exp(x), x * x), (_X,), "condition of x"),
]
