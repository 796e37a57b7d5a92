"""NumPy's functions of single elements that the standard lacks."""

import math
from typing import Any

from ...._namespace import array_namespace

__all__ = [
    "astype",
    "cbrt",
    "clip",
    "copied",
    "copy",
    "divmod",
    "exp2",
    "fabs",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "imag",
    "iscomplex",
    "iscomplexobj",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "logaddexp2",
    "modf",
    "piecewise",
    "real",
    "where",
]


def _is_complex(x: Any) -> bool:
    return bool(array_namespace(x).isdtype(x.dtype, "complex floating"))


def _is_integer(xp: Any, x: Any) -> bool:
    return bool(xp.isdtype(x.dtype, ("bool", "integral")))


def _floating(xp: Any, x: Any) -> Any:
    return xp.astype(x, xp.float64) if _is_integer(xp, x) else x


def _both(*operands: Any) -> tuple[Any, ...]:
    """The namespace, and the operands in one dtype and shape."""
    arrays = [x for x in operands if hasattr(x, "dtype")]
    xp = array_namespace(*arrays)
    dtype = xp.result_type(*operands)
    same = [
        xp.astype(x, dtype) if hasattr(x, "dtype") else xp.asarray(x, dtype=dtype) for x in operands
    ]
    return xp, *xp.broadcast_arrays(*same)


def astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """``xp.astype``, of complex numbers to real ones by their real part."""
    xp = array_namespace(x)
    if _is_complex(x) and not xp.isdtype(dtype, "complex floating"):
        x = xp.real(x)
    return xp.astype(x, dtype, copy=copy)


def copy(x: Any, order: str = "K") -> Any:
    """``xp.astype``; to be of C's or Fortran's order ``xp.reshape`` there and back."""
    xp = array_namespace(x)
    if order not in ("C", "F") or x.ndim < 2:
        return xp.astype(x, x.dtype, copy=True)
    if order == "F":
        axes = tuple(range(x.ndim))[::-1]
        return xp.permute_dims(copied(xp.permute_dims(x, axes)), axes)
    return xp.reshape(xp.reshape(x, (-1,), copy=True), x.shape)


def copied(x: Any, order: str = "C") -> Any:
    """Copy as ``np.copy`` does, in C's order: the bits of a sum of the copy depend on it."""
    return copy(x, order)


def cbrt(x: Any) -> Any:
    """``xp.sign`` times a power of ``xp.abs``."""
    xp = array_namespace(x)
    x = _floating(xp, x)
    return xp.sign(x) * xp.abs(x) ** (1 / 3)


def clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """``xp.clip``, in the dtype of all three."""
    xp = array_namespace(x)
    low = a_min if min is None else min
    high = a_max if max is None else max
    if low is None and high is None:
        return copy(x)
    given = [b for b in (low, high) if b is not None]
    dtype = xp.result_type(x, *given)
    shape = xp.broadcast_shapes(x.shape, *(b.shape for b in given if hasattr(b, "shape")))
    x = xp.astype(x, dtype) if x.dtype != dtype else x
    x = xp.broadcast_to(x, shape) if tuple(x.shape) != shape else x
    low, high = (xp.astype(b, dtype) if hasattr(b, "dtype") else b for b in (low, high))
    return xp.clip(x, low, high)


def divmod(x: Any, y: Any) -> Any:
    """``xp.floor_divide`` and ``xp.remainder``."""
    xp = array_namespace(*(a for a in (x, y) if hasattr(a, "dtype")))
    return xp.floor_divide(x, y), xp.remainder(x, y)


def exp2(x: Any) -> Any:
    """``xp.pow`` of 2."""
    xp = array_namespace(x)
    return xp.pow(2.0, _floating(xp, x))


def fabs(x: Any) -> Any:
    """``xp.abs`` of floating numbers."""
    xp = array_namespace(x)
    return xp.abs(_floating(xp, x))


def float_power(x: Any, y: Any) -> Any:
    """``xp.pow`` in float64 or complex128."""
    xp, x, y = _both(x, y)
    dtype = xp.complex128 if _is_complex(x) else xp.float64
    return xp.pow(xp.astype(x, dtype), xp.astype(y, dtype))


def fmax(x: Any, y: Any) -> Any:
    """``xp.maximum`` where neither is NaN."""
    xp, x, y = _both(x, y)
    return xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, xp.maximum(x, y)))


def fmin(x: Any, y: Any) -> Any:
    """``xp.minimum`` where neither is NaN."""
    xp, x, y = _both(x, y)
    return xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, xp.minimum(x, y)))


def fmod(x: Any, y: Any) -> Any:
    """``xp.remainder`` of magnitudes, with the sign of `x`."""
    xp, x, y = _both(x, y)
    out = xp.remainder(xp.abs(x), xp.abs(y))
    if _is_integer(xp, x):
        return xp.where(x < 0, -out, out)
    return xp.where(xp.signbit(x), -out, out)


def heaviside(x: Any, h: Any) -> Any:
    """``xp.where`` of 0, `h` and 1; NaN of NaN."""
    xp, x, h = _both(x, h)
    x, h = _floating(xp, x), _floating(xp, h)
    step = xp.where(x < 0, xp.zeros_like(x), xp.where(x > 0, xp.ones_like(x), h))
    return xp.where(xp.isnan(x), xp.nan, step)


def imag(x: Any) -> Any:
    """``xp.imag``; zeros of real numbers."""
    xp = array_namespace(x)
    return xp.imag(x) if _is_complex(x) else xp.zeros_like(x)


def iscomplex(x: Any) -> Any:
    """``xp.imag(x) != 0``."""
    return imag(x) != 0


def iscomplexobj(x: Any) -> bool:
    """``xp.isdtype``."""
    return _is_complex(x)


def isneginf(x: Any) -> Any:
    """``xp.isinf`` and below 0."""
    return array_namespace(x).isinf(x) & (x < 0)


def isposinf(x: Any) -> Any:
    """``xp.isinf`` and above 0."""
    return array_namespace(x).isinf(x) & (x > 0)


def isreal(x: Any) -> Any:
    """``xp.imag(x) == 0``."""
    return imag(x) == 0


def isrealobj(x: Any) -> bool:
    """``xp.isdtype``."""
    return not _is_complex(x)


def logaddexp2(x: Any, y: Any) -> Any:
    """``xp.logaddexp`` times and over log 2."""
    xp, x, y = _both(x, y)
    two = math.log(2.0)
    return xp.logaddexp(_floating(xp, x) * two, _floating(xp, y) * two) / two


def modf(x: Any) -> Any:
    """``x - xp.trunc(x)`` and ``xp.trunc(x)``."""
    xp = array_namespace(x)
    x = _floating(xp, x)
    whole = xp.trunc(x)
    return xp.copysign(xp.where(xp.isinf(x), xp.zeros_like(x), x - whole), x), whole


def piecewise(x: Any, condlist: Any, funclist: Any) -> Any:
    """``xp.where``, each function of all elements: those of others are the first of its own."""
    xp = array_namespace(x)
    if isinstance(condlist, bool) or not isinstance(condlist, list | tuple):
        condlist = [condlist]
    functions = list(funclist)
    if len(functions) == len(condlist) + 1:
        anywhere = condlist[0]
        for c in condlist[1:]:
            anywhere = anywhere | c
        condlist = [*condlist, xp.logical_not(anywhere)]
    if len(functions) != len(condlist):
        raise ValueError(
            f"numpy.piecewise: with {len(condlist)} conditions, {len(condlist)} or one more "
            f"functions were expected, got {len(functions)}"
        )
    out = xp.zeros_like(x)
    for condition, function in zip(condlist, functions, strict=True):
        if not callable(function):
            value = function
        elif x.ndim:
            flat = xp.reshape(x, (-1,))
            first = xp.take(flat, xp.argmax(xp.reshape(xp.astype(condition, xp.int8), (-1,))))
            value = function(xp.where(condition, x, first))
        else:
            value = function(x)
        value = xp.astype(value, x.dtype) if hasattr(value, "dtype") else value
        out = xp.where(condition, value, out)
    return out


def real(x: Any) -> Any:
    """``xp.real``; the same of real numbers."""
    return array_namespace(x).real(x) if _is_complex(x) else x


def where(condition: Any, *values: Any) -> Any:
    """``xp.where``; with the condition alone ``missing.nonzero``."""
    xp = array_namespace(condition, *(v for v in values if hasattr(v, "dtype")))
    if not values:
        return xp.nonzero(condition)
    if not xp.isdtype(condition.dtype, "bool"):
        condition = condition != 0
    if not any(hasattr(v, "dtype") for v in values):
        dtype = xp.result_type(*(xp.asarray(v) for v in values))
        values = (xp.asarray(values[0], dtype=dtype), values[1])
    return xp.where(condition, *values)
