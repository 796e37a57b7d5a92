"""Mends special values as the standard has them, where values can be looked at.

Each function takes the library's namespace and returns its function repaired: what is ordinary goes
through at the cost of a look. JAX and PyTorch, which trace, have formulas of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


def expm1(xp: Any) -> Callable[[Any], Any]:
    """``exp(x) - 1`` at infinities, NaNs and zero: as C has it, unlike NumPy's product of parts."""
    native = xp.expm1

    def expm1(x: Any, /) -> Any:
        y = native(x)
        if y.dtype not in (xp.complex64, xp.complex128):
            return y
        finite = xp.isfinite(y)
        if xp.all(y) and xp.all(finite):  # a NaN is not zero
            return y
        return xp.where(xp.logical_and(finite, y != 0), y, xp.exp(x) - 1)

    return expm1


def sign(xp: Any) -> Callable[[Any], Any]:
    """Make `sign` of a zero with any signs +0 + 0j."""
    native = xp.sign

    def sign(x: Any, /) -> Any:
        y = native(x)
        if y.dtype not in (xp.complex64, xp.complex128):
            return y
        return y if xp.all(y) else xp.where(y == 0, 0.0, y)

    return sign


def tanh(xp: Any) -> Callable[[Any], Any]:
    """At infinities 1 + 0j, where C has the zero's sign from ``sin(2 * imag(x))``."""
    native = xp.tanh

    def tanh(x: Any, /) -> Any:
        y = native(x)
        if y.dtype not in (xp.complex64, xp.complex128):
            return y
        a = xp.real(x)
        far = xp.isinf(a)
        if not xp.any(far):
            return y
        one = xp.astype(native(a), y.dtype)
        return xp.where(far, xp.where(xp.signbit(xp.imag(x)), xp.conj(one), one), y)

    return tanh


@dataclass(frozen=True)
class Finfo:
    """Holds what `finfo` returns: Python's own floats, for every dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


def finfo(native: Callable[[Any], Any]) -> Callable[[Any], Finfo]:
    """`finfo` with Python's numbers, of NumPy's or one that returns the same."""

    @lru_cache
    def of(dtype: Any) -> Finfo:
        found: Any = native(dtype)
        return Finfo(
            bits=int(found.bits),
            eps=float(found.eps),
            max=float(found.max),
            min=float(found.min),
            smallest_normal=float(found.smallest_normal),
            dtype=found.dtype,
        )

    def finfo(type: Any, /) -> Finfo:
        return of(native(type).dtype)

    return finfo
