"""Arguments of one precision, beside each other."""

import operator
from typing import Any

from ... import _plan
from ..._namespace import array_namespace
from ...errors import ArgumentError, DtypeError
from ._knots import followed, kind_of

__all__ = ["alike", "orders_of", "reals", "refuse_complex"]


def alike(function: str, names: tuple[str, ...], v: Any, *reals: Any) -> tuple[Any, ...]:
    """Return values and real arrays of one precision; the values may be complex."""
    xp = array_namespace(v, *reals)
    v, *rest = _plan.common_floating(function, xp, names, v, *reals)
    if _plan.is_complex(xp, v.dtype):
        rest = [xp.real(a) for a in rest]
    return tuple(followed(xp, (v, *rest)))


def orders_of(function: str, nu: Any, d: int) -> tuple[int, ...]:
    """Return orders of derivatives along axes."""
    orders = tuple(operator.index(n) for n in nu) if hasattr(nu, "__len__") else ()
    if len(orders) != d or min(orders, default=0) < 0:
        raise ArgumentError(
            f"{function}: nu must be {d} orders of derivatives of 0 or more, one for each axis, "
            f"got {nu!r}"
        )
    return orders


def reals(function: str, names: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
    """Return real arrays of one precision, followed."""
    xp = array_namespace(*given)
    return tuple(followed(xp, _plan.common_floating(function, xp, names, *given, real=True)))


def refuse_complex(function: str, name: str, a: Any) -> None:
    """Refuse complex points."""
    dtype = kind_of(a)
    if dtype is complex or (
        dtype is not None and _plan.is_dtype(array_namespace(a), dtype, "complex floating")
    ):
        raise DtypeError(f"{function}: `{name}` must be real, got {dtype}. Give its real part")
