"""Keys of untraced values, which identify the calls that a recording serves."""

import enum
import struct
import types
from collections.abc import Hashable

from ..._namespace import library_named

__all__ = ["exact"]

_PLAIN = (int, bool, str, bytes, type(None), type(...))
# Equal to themselves alone.
_THEMSELVES = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, enum.Enum)


def exact(value: object, trusted: bool = False) -> Hashable:
    """Return a key that is equal only for values of the same type and bits; None if unknown.

    ``0.0`` and ``-0.0``, ``1``, ``True`` and ``1.0`` differ. With `trusted`, objects of other
    classes are compared by hash and ``==``.
    """
    cls = type(value)
    if cls in _PLAIN:
        return cls, value
    if cls is float:
        return cls, struct.pack("d", value)
    if cls is complex:
        return cls, repr(value), struct.pack("dd", value.real, value.imag)  # type: ignore[attr-defined]
    if trusted and (cls is list or cls is dict):
        return None  # who gives it may write to it
    if cls is tuple or cls is list:
        parts = tuple(exact(v, trusted) for v in value)  # type: ignore[attr-defined]
        return None if None in parts else (cls, parts)
    if cls is dict:
        pairs = value.items()  # type: ignore[attr-defined]
        return exact(tuple(p for pair in pairs for p in pair), trusted)
    if cls is slice:
        return cls, exact((value.start, value.stop, value.step), trusted)  # type: ignore[attr-defined]
    if hasattr(value, "tobytes") and getattr(value, "shape", None) == ():
        return cls, value.dtype, value.tobytes()  # type: ignore[attr-defined]
    if not (trusted or isinstance(value, _THEMSELVES) or library_named(cls.__module__)):
        return None
    try:
        hash(value)
    except TypeError:
        return None
    return cls, value
