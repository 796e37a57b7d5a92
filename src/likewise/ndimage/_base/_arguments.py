"""Arguments of all functions of images: the image, axes, values for each axis, modes, dtypes."""

import warnings
from collections.abc import Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_neutral
from ...errors import (
    ArgumentError,
    DtypeError,
    ImageError,
    IntegerError,
    LikewiseWarning,
    NotSupported,
    _level,
)

__all__ = [
    "MODES",
    "axes_of",
    "beside",
    "complexified",
    "dtype_of",
    "for_each",
    "holds_arrays",
    "image",
    "integer",
    "mode_of",
    "modes_of",
    "number",
    "origin_of",
    "whole",
]

MODES = (
    *("reflect", "constant", "nearest", "mirror", "wrap"),
    *("grid-mirror", "grid-constant", "grid-wrap"),
)


def image(function: str, x: Any, name: str = "input", *, real: bool = False) -> Any:
    """Return numbers or booleans as an array of its library, in its own dtype."""
    xp = array_namespace(x)
    if not is_neutral(x) and not hooks_of(x).is_dense(x):
        raise NotSupported(f"{function}: {name} must be dense. Convert it with x.to_dense()")
    (x,) = _plan.common_numbers(function, xp, (name,), x)
    if real and _plan.is_complex(xp, x.dtype):
        raise DtypeError(f"{function}: {name} must hold real numbers, got {x.dtype}")
    return x


def beside(function: str, names: Sequence[str], x: Any, other: Any) -> Any:
    """Return another array argument, floating, in the library and on the device of the image.

    Lists that hold arrays are stacked.
    """
    if holds_arrays(other):
        return _stacked(function, names, x, other)
    xp = array_namespace(x, other)
    if is_neutral(other) or device(other) != device(x):  # from lists; or the error about devices
        return _plan.common_floating(function, xp, names, x, other)[1]
    return _plan.common_floating(function, xp, names[1:], other)[0]


def _stacked(function: str, names: Sequence[str], x: Any, rows: Sequence[Any]) -> Any:
    parts = [beside(function, names, x, row) for row in rows]
    if len({tuple(part.shape) for part in parts}) > 1:
        raise ImageError(f"{function}: {names[-1]} must hold lists and arrays of one shape")
    return array_namespace(*parts).stack(parts)


def holds_arrays(value: Any) -> bool:
    """Tell whether a list, or a list within it, holds arrays of a library."""
    inside = value if isinstance(value, list | tuple) else ()
    return any(holds_arrays(v) or not is_neutral(v) for v in inside)


def number(function: str, name: str, value: Any) -> Any:
    """Return a setting that must be a number, or an array with one."""
    if not (hasattr(value, "__float__") or hasattr(value, "__complex__")):
        raise DtypeError(f"{function}: {name} must be a number, got {value!r}")
    return value


def axes_of(function: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes of the image, not negative, in the given order; all others are a batch."""
    if axes is None:
        return tuple(range(ndim))
    one = hasattr(axes, "__index__") and not getattr(axes, "ndim", 0)  # arrays have it, too
    found = (axes,) if one or not hasattr(axes, "__iter__") else tuple(axes)
    if not all(hasattr(a, "__index__") for a in found):
        raise IntegerError(f"{function}: axes must be integers, got {axes!r}")
    if found:
        _plan.axis_tuple(function, "axes", found, ndim)  # the errors
    return tuple(a.__index__() % ndim for a in found)


def for_each(function: str, name: str, value: Any, count: int) -> tuple[Any, ...]:
    """Return a value for each of `count` axes, of one value or of a sequence of them."""
    if getattr(value, "ndim", 0):
        value = [value[k] for k in range(value.shape[0])]
    if isinstance(value, str) or not isinstance(value, Sequence):
        return (value,) * count
    if len(value) != count:
        raise ImageError(
            f"{function}: {name} must be one value, or {count} of them, one for each axis; got "
            f"{len(value)}"
        )
    return tuple(value)


def mode_of(function: str, mode: Any) -> str:
    """Return the name of an extension beyond the borders."""
    if mode not in MODES:
        raise ImageError(f"{function}: mode must be one of {', '.join(MODES)}; got {mode!r}")
    return str(mode)


def modes_of(function: str, mode: Any, count: int) -> tuple[str, ...]:
    """Return the extension beyond the borders for each axis."""
    return tuple(mode_of(function, m) for m in for_each(function, "mode", mode, count))


def integer(function: str, name: str, value: Any) -> int:
    """Return a setting that must be an integer."""
    if not hasattr(value, "__index__"):
        raise IntegerError(f"{function}: {name} must be an integer, got {value!r}")
    found: int = value.__index__()
    return found


def origin_of(function: str, origin: Any, size: int) -> int:
    """Return the shift of a window of `size` elements, which must stay on the element."""
    found = integer(function, "origin", origin)
    if not -(size // 2) <= found <= (size - 1) // 2:
        raise ArgumentError(
            f"{function}: origin must lie in [{-(size // 2)}, {(size - 1) // 2}] for a window of "
            f"{size} elements, got {origin!r}"
        )
    return found


def dtype_of(function: str, x: Any, output: Any, *, real: bool = False) -> Any:
    """Return the dtype of results: of the image, or the one that `output` names."""
    if output is None:
        return x.dtype
    if not isinstance(output, type) and hasattr(output, "dtype"):
        raise NotSupported(
            f"{function}: output must be a dtype: arrays are never written into. Use the returned "
            "array."
        )
    xp = array_namespace(x)
    word = output if isinstance(output, str) else _name(output)
    word = _SHORT.get(word, word)
    for name in _NAMES:
        dtype = getattr(xp, name, None)
        if dtype is not None and (word == name or _same(output, dtype)):
            if real and name.startswith("complex"):
                raise ImageError(f"{function}: output must be a real dtype, got {output!r}")
            return dtype
    raise DtypeError(f"{function}: output must be a dtype of the input's library, got {output!r}")


_NAMES = (
    *("float64", "float32", "complex128", "complex64", "bool"),
    *("uint8", "int64", "int32", "int16", "int8", "uint16", "uint32", "uint64"),
)


def complexified(function: str, xp: Any, dtype: Any, output: Any) -> Any:
    """Return the complex dtype of a result in place of a real one, and say so if that was asked."""
    if isinstance(output, str):
        raise ImageError(f"{function}: output must be a complex dtype, got {output!r}")
    if output is not None:
        warnings.warn(
            f"{function}: promoting specified output dtype to complex, from {output}",
            LikewiseWarning,
            stacklevel=_level(),
        )
    exact = (xp.bool, xp.int8, xp.uint8, xp.int16, getattr(xp, "uint16", None), xp.float32)
    return xp.complex64 if dtype in exact else xp.complex128


# Python's types, and the letters of NumPy's dtypes.
_SHORT = {
    "float": "float64",
    "complex": "complex128",
    "int": "int64",
    "?": "bool",
    "f": "float32",
    "d": "float64",
    "F": "complex64",
    "D": "complex128",
    "b": "int8",
    "h": "int16",
    "i": "int32",
    "l": "int64",
    "q": "int64",
    "B": "uint8",
    "H": "uint16",
    "I": "uint32",
    "L": "uint64",
    "Q": "uint64",
}


def _name(dtype: Any) -> str:
    """Return the name of a dtype in any byte order, or of a type."""
    return str(getattr(dtype, "name", None) or getattr(dtype, "__name__", ""))


def _same(wanted: Any, dtype: Any) -> bool:
    """Tell whether an object is a dtype that has no name, such as PyTorch's."""
    try:
        return bool(dtype == wanted)
    except TypeError:  # NumPy's dtypes refuse other libraries' and words that name none
        return False


def whole(mode: str) -> bool:
    """Tell whether elements beyond one border are taken from the other one."""
    return mode in ("wrap", "grid-wrap")
