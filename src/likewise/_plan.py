"""Checks that every public function makes before it touches data, in one voice.

Each names the function, the argument, what came, what was expected, and what to do. Nothing here
does arithmetic on data or looks at a value.
"""

from collections.abc import Sequence
from typing import Any

from . import _creation
from ._dtypes import common_dtype
from ._namespace import describe, device, is_neutral
from .errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    ExtensionMissing,
    MixedDevicesError,
    ShapeError,
)

__all__ = [
    "axis_tuple",
    "broadcast",
    "choice",
    "common_floating",
    "common_numbers",
    "extension",
    "from_lists",
    "is_complex",
]

_REAL = ("bool", "integral", "real floating")
_NUMBERS = (*_REAL, "complex floating")
_WEAK = {"bool": False, "integral": 0, "real floating": 0.0, "complex floating": 0j}


def common_floating(
    function: str, xp: Any, names: Sequence[str], *arrays: Any, real: bool = False
) -> tuple[Any, ...]:
    """Return arrays of one library, on one device, of one floating dtype.

    That of the floating arrays among them; integers and booleans take it. Without any it is the
    library's default floating dtype. Scalars and lists are weak.
    """
    first = arrays[0]
    cls = type(first)
    dtype = getattr(first, "dtype", None)
    where = getattr(first, "device", None)  # Dask's arrays and JAX's tracers have none
    if where is not None and dtype in (
        (xp.float64, xp.float32) if real else (xp.float64, xp.float32, xp.complex128, xp.complex64)
    ):
        for x in arrays:
            if type(x) is not cls or x.dtype != dtype or x.device != where:
                break
        else:
            return arrays
    kinds = _REAL if real else _NUMBERS
    out = _converted(function, xp, names, arrays, kinds, (0.0,))
    dtype = out[0].dtype
    if dtype not in (xp.float64, xp.float32, xp.complex128, xp.complex64):
        raise DtypeError(
            f"{function}: floating arrays must be of float32, float64, complex64 or complex128, "
            f"but {' and '.join(names)} give {dtype}. Convert with xp.astype(x, xp.float32), say."
        )
    return out


def common_numbers(function: str, xp: Any, names: Sequence[str], *arrays: Any) -> tuple[Any, ...]:
    """Return arrays of one library, on one device, of one dtype.

    Whole numbers or booleans where all are, else floating as from `common_floating`. Scalars and
    lists are weak; `likewise.result_type` has the rule.
    """
    if getattr(arrays[0], "dtype", None) in (xp.float64, xp.float32, xp.complex128, xp.complex64):
        return common_floating(function, xp, names, *arrays)
    return _converted(function, xp, names, arrays, _NUMBERS, ())


def _converted(
    function: str,
    xp: Any,
    names: Sequence[str],
    arrays: tuple[Any, ...],
    kinds: tuple[str, ...],
    least: tuple[Any, ...],
) -> tuple[Any, ...]:
    """The arrays in the dtype of all of them and of the weak numbers `least`."""
    items, where = _looked_at(function, names, arrays)
    strong = [x.dtype for x in items if not is_neutral(x)]
    # Without an array to follow, what `likewise.use` says.
    source = xp if strong else _creation.xp
    made = [
        from_lists(function, n, source, x, device=where) if is_neutral(x) else x
        for n, x in zip(names, items, strict=True)
    ]
    for name, x in zip(names, made, strict=True):
        if not _isdtype(xp, x.dtype, kinds):
            hint = "Convert it with likewise.asarray(x, dtype=...)."
            kind = "real numbers" if kinds is _REAL else "numbers"
            raise DtypeError(
                f"{function}: argument {name!r} must hold {kind}, but came as a {describe(x)}. "
                f"{hint}"
            )
    weak = [
        _kind(xp, m) for x, m in zip(items, made, strict=True) if is_neutral(x) and 0 not in m.shape
    ]
    if not strong and not weak:  # empty lists alone, which have no kind
        weak = [0.0]
    dtype = common_dtype(function, xp, strong, (*weak, *least), where)
    out = []
    for name, given, x in zip(names, items, made, strict=True):
        if x.dtype == dtype:
            out.append(x)
        elif is_neutral(given):  # not by way of a narrower dtype
            out.append(from_lists(function, name, source, given, dtype=dtype, device=where))
        else:
            out.append(xp.astype(x, dtype))
    return tuple(out)


def _looked_at(
    function: str, names: Sequence[str], arrays: tuple[Any, ...]
) -> tuple[list[Any], Any]:
    """Arrays of known shapes, numbers and lists, and the device of all."""
    items = []
    where: Any = None
    holder = ""
    for name, x in zip(names, arrays, strict=True):
        if x is None:
            raise ArrayTypeError(f"{function}: argument {name!r} must be an array, but None came")
        if is_neutral(x) and hasattr(x, "item"):
            x = x.item()  # NumPy's scalars are as weak as Python's
        items.append(x)
        if any(n != n for n in getattr(x, "shape", ())):
            raise ShapeError(
                f"{function}: argument {name!r} must have a known shape, but came as a "
                f"{describe(x)}. Dask finds it out with x.compute_chunk_sizes()."
            )
        if is_neutral(x):
            continue
        here = device(x)
        if holder and None not in (here, where) and here != where:
            raise MixedDevicesError(
                f"{function}: arguments {holder!r} and {name!r} must be on one device, but are on "
                f"{where} and {here}. Move one with likewise.to_device(x, device)."
            )
        # JAX's tracers, and arrays spread over devices, have none: what joins them has none either.
        where, holder = (here, name) if not holder or here is None else (where, holder)
    return items, where


def _kind(xp: Any, x: Any) -> Any:
    """A Python number of the kind of an array."""
    return next(number for kind, number in _WEAK.items() if xp.isdtype(x.dtype, kind))


def is_complex(xp: Any, dtype: Any) -> bool:
    """Tell whether a dtype of `common_floating` is complex."""
    return dtype in (xp.complex64, xp.complex128)


def _isdtype(xp: Any, dtype: Any, kind: Any) -> bool:
    try:
        return bool(xp.isdtype(dtype, kind))
    except TypeError:  # a dtype that the standard doesn't know: JAX's keys, NumPy's structures
        return False


def from_lists(
    function: str, name: str, xp: Any, values: Any, dtype: Any = None, device: Any = None
) -> Any:
    """An array of a scalar or of nested lists of numbers."""
    expected = f"{function}: argument {name!r} must be an array or nested lists of numbers"
    if isinstance(values, list | tuple):
        for item in values:
            if not is_neutral(item):
                raise ArrayTypeError(
                    f"{expected}, but a list came that holds a {describe(item)}. Stack them."
                )
    try:
        made = xp.asarray(values, dtype=dtype, device=device)
    except (TypeError, ValueError, RuntimeError) as error:  # ragged lists, words
        raise ArrayTypeError(f"{expected}, but {describe(values)} came ({error})") from error
    if not xp.isdtype(made.dtype, ("bool", "numeric")):
        raise ArrayTypeError(f"{expected}, but {describe(values)} came")
    return made


def axis_tuple(function: str, name: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """Axes as sorted, distinct, non-negative integers; None means all."""
    if axes is None:
        return tuple(range(ndim))
    if type(axes) is int and -ndim <= axes < ndim:
        return (axes % ndim,)
    try:
        numbers = (
            (axes.__index__(),)
            if hasattr(axes, "__index__")
            else tuple(a.__index__() for a in axes)
        )
    except (TypeError, AttributeError):
        raise ArgumentError(
            f"{function}: {name} must be an integer or a sequence of integers, but {axes!r} came"
        ) from None
    if not ndim:
        raise ShapeError(f"{function}: got {name} {axes!r} of an array without dimensions")
    for a in numbers:
        if not -ndim <= a < ndim:
            raise ShapeError(
                f"{function}: {name} must lie in [{-ndim}, {ndim - 1}] for arrays of {ndim} "
                f"dimensions, but {axes!r} came"
            )
    found = tuple(sorted(a % ndim for a in numbers))
    if len(set(found)) != len(found) or not found:
        raise ArgumentError(f"{function}: {name} must be distinct and not empty, but {axes!r} came")
    return found


def broadcast(function: str, **shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape of the shapes given by name."""
    ndim = max(len(s) for s in shapes.values())
    out = [1] * ndim
    for shape in shapes.values():
        for i, n in enumerate(shape, ndim - len(shape)):
            if n != 1 and out[i] not in (1, n):
                came = " and ".join(f"{name} {tuple(s)}" for name, s in shapes.items())
                raise ShapeError(
                    f"{function}: shapes must broadcast (equal sizes, or 1), but came as {came}"
                )
            out[i] = n if out[i] == 1 else out[i]
    return tuple(out)


def choice(function: str, name: str, value: Any, allowed: Sequence[str]) -> None:
    """Refuse an option that isn't offered."""
    if not (isinstance(value, str) and value in allowed):
        raise ArgumentError(
            f"{function}: {name} must be one of {', '.join(map(repr, allowed))}, but {value!r} came"
        )


def extension(function: str, xp: Any, name: str) -> Any:
    """The namespace's extension, or the error that names it."""
    found = getattr(xp, name, None)
    if found is None:
        raise ExtensionMissing(
            f"{function}: needs the array API extension {name!r}, which "
            f"{getattr(xp, '__name__', xp)!r} doesn't have"
        )
    return found
