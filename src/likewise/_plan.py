"""Checks that all public functions make before they touch data, with uniform messages.

A message names the function and the argument, shows the value and the expected one, and says what
to do. Nothing here does arithmetic on data or reads values of arrays.

The rule for Python numbers in calls with arrays: numbers, NumPy scalars and nested lists of them
are weak, they take the arrays' dtype. A number that the dtype can't hold is an error, never another
number: one of a higher kind (1.5 for integers) where the dtype is given, an integer out of range, a
finite number that would become infinite. Rounding to the nearest floating number is allowed.
"""

import functools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import _creation
from ._dtypes import common_dtype
from ._namespace import array_namespace, describe, device, is_neutral, library_of, load
from .errors import (
    ArgumentError,
    ArrayTypeError,
    AxisError,
    DtypeError,
    ExtensionMissing,
    LikewiseError,
    MixedDevicesError,
    ShapeError,
)

__all__ = [
    "alone",
    "axis_tuple",
    "beside_blocks",
    "blocks_of_numpy",
    "broadcast",
    "choice",
    "common_floating",
    "common_numbers",
    "compared",
    "extension",
    "fits",
    "from_lists",
    "holds",
    "is_complex",
    "is_dtype",
    "kind_of",
    "of_settings",
    "own_order",
    "weak",
]

_REAL = ("bool", "integral", "real floating")
_NUMBERS = (*_REAL, "complex floating")
_KINDS = (bool, int, float, complex)


def common_floating(
    function: str,
    xp: Any,
    names: Sequence[str],
    *arrays: Any,
    real: bool = False,
    sized: bool = True,
) -> tuple[Any, ...]:
    """Return arrays of one library, on one device, of one floating dtype.

    It is that of the floating arrays, else the library's default floating dtype; integers and
    booleans are converted to it. Scalars and lists are weak. Shapes must be known if `sized`.
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
    quick = _beside(xp, arrays)
    if quick is not None:
        return quick
    kinds = _REAL if real else _NUMBERS
    out = _converted(function, xp, names, arrays, kinds, (0.0,), sized=sized)
    dtype = out[0].dtype
    if dtype not in (xp.float64, xp.float32, xp.complex128, xp.complex64):
        raise DtypeError(
            f"{function}: floating arrays must be of float32, float64, complex64 or complex128, "
            f"but {' and '.join(names)} give {dtype}. Convert with xp.astype(x, xp.float32), say."
        )
    return out


def _beside(xp: Any, arrays: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Plain numbers as arrays, with double arrays of one library if there are any: the usual call,
    in a tenth of the time of `_converted`. None for other arguments."""
    like: Any = None
    for x in arrays:
        if isinstance(x, float) or (isinstance(x, int) and -(2**53) < x < 2**53):
            continue
        if like is None:
            like = x
            dtype, where = getattr(x, "dtype", None), getattr(x, "device", None)
            if where is None or dtype != xp.float64:
                return None
        elif type(x) is not type(like) or x.dtype != dtype or x.device != where:
            return None
    if like is None:
        if xp is not array_namespace() or any(hasattr(x, "dtype") for x in arrays):
            return None
        made = _creation.xp.asarray  # looked up once: it is made for each look-up
        out = tuple(made(float(x)) for x in arrays)
        return out if out[0].dtype == xp.float64 else None
    where = device(like)  # None for JAX's arrays that go with any
    return tuple(
        xp.asarray(float(x), dtype=dtype, device=where) if isinstance(x, float | int) else x
        for x in arrays
    )


def common_numbers(function: str, xp: Any, names: Sequence[str], *arrays: Any) -> tuple[Any, ...]:
    """Return arrays of one library, on one device, of one dtype.

    Integers or booleans if all are, else floating as from `common_floating`. Scalars and lists are
    weak; `likewise.result_type` documents the rule.
    """
    if getattr(arrays[0], "dtype", None) in (xp.float64, xp.float32, xp.complex128, xp.complex64):
        return common_floating(function, xp, names, *arrays)
    return _converted(function, xp, names, arrays, _NUMBERS, ())


def compared(
    function: str,
    xp: Any,
    names: Sequence[str],
    *arrays: Any,
    real: bool = False,
    floating: bool = False,
) -> tuple[Any, ...]:
    """Return arrays of one dtype in which their numbers compare exactly.

    As from `common_numbers`, but wider where that would round integers or can't hold a number, as
    the arrays are used only for the comparison.
    """
    kinds, least = _REAL if real else _NUMBERS, (0.0,) if floating else ()
    return _converted(function, xp, names, arrays, kinds, least, wider=True)


def _wider(
    function: str, xp: Any, names: Sequence[str], items: Sequence[Any], dtype: Any, where: Any
) -> Any:
    """The dtype, or one that rounds no integers of the arrays and holds all weak numbers."""

    def held(some: Any) -> bool:
        pairs = zip(names, items, strict=True)
        return all(holds(function, n, xp, x, some) for n, x in pairs if is_neutral(x))

    known = xp.__array_namespace_info__().dtypes(device=where)
    if xp.isdtype(dtype, ("bool", "integral")):
        if held(dtype):
            return dtype
        _, low, high = _bounds(xp, dtype)
        for wide in (known[n] for n in ("int32", "int64") if n in known):
            _, lowest, highest = _bounds(xp, wide)
            if lowest <= low and high <= highest and held(wide):
                return wide
        return known.get("float64", dtype)
    whole = [x.dtype for x in items if not is_neutral(x) and xp.isdtype(x.dtype, "integral")]
    rounds = dtype in (xp.float32, xp.complex64) and any(xp.iinfo(d).bits > 16 for d in whole)
    if not rounds and held(dtype):
        return dtype
    return known.get("complex128" if is_complex(xp, dtype) else "float64", dtype)


def _converted(
    function: str,
    xp: Any,
    names: Sequence[str],
    arrays: tuple[Any, ...],
    kinds: tuple[str, ...],
    least: tuple[Any, ...],
    wider: bool = False,
    sized: bool = True,
) -> tuple[Any, ...]:
    """The arrays in the dtype of all of them and of the weak numbers `least`."""
    if all(map(is_neutral, arrays)):
        arrays = tuple(alone(xp, x) for x in arrays)
    arrays = tuple(beside_blocks(xp, x) for x in arrays)
    items, where = _looked_at(function, names, arrays, sized)
    strong = [x.dtype for x in items if not is_neutral(x)]
    # Without an array here or in another argument, the setting of `likewise.use`.
    source = _creation.xp if not strong and xp is array_namespace() else xp
    weak_kinds = []
    for name, x in zip(names, items, strict=True):
        if is_neutral(x):
            kind = kind_of(function, name, x)
            weak_kinds += [] if kind is None else [kind]
            right = kinds is not _REAL or kind is not complex
        else:
            right = is_dtype(xp, x.dtype, kinds)
        if not right:
            what = "real numbers" if kinds is _REAL else "numbers"
            raise DtypeError(
                f"{function}: argument {name!r} must hold {what}, got a {describe(x)}. "
                "Cannot cast array data safely: convert it with likewise.asarray(x, dtype=...)."
            )
    if not strong and not weak_kinds:  # empty lists alone, which have no kind
        weak_kinds = [float]
    some = (*(kind(0) for kind in weak_kinds), *least)
    if source is _creation.xp:  # `likewise.use` may have a dtype of its own
        dtype = source.asarray(max(some, key=lambda w: _KINDS.index(type(w)))).dtype
    else:
        dtype = common_dtype(function, xp, strong, some, where)
    if wider:
        dtype = _wider(function, source, names, items, dtype, where)
    return tuple(
        weak(function, name, source, x, dtype, where)
        if is_neutral(x)
        else (x if x.dtype == dtype else xp.astype(x, dtype))
        for name, x in zip(names, items, strict=True)
    )


def _looked_at(
    function: str, names: Sequence[str], arrays: tuple[Any, ...], sized: bool
) -> tuple[list[Any], Any]:
    """Arrays, of known shapes if `sized`, numbers and lists, and the device of all."""
    items = []
    where: Any = None
    holder = ""
    for name, x in zip(names, arrays, strict=True):
        if x is None:
            raise ArrayTypeError(f"{function}: argument {name!r} must be an array, got None")
        if is_neutral(x) and hasattr(x, "item"):
            x = x.item()  # NumPy's scalars are as weak as Python's
        items.append(own_order(x))
        blocks_of_numpy(function, name, x)
        if sized and any(n != n for n in getattr(x, "shape", ())):
            raise ShapeError(
                f"{function}: argument {name!r} must have a known shape, got a "
                f"{describe(x)}. Dask finds it out with x.compute_chunk_sizes()."
            )
        if is_neutral(x):
            continue
        if isinstance(x, str | bytes):
            raise ArrayTypeError(
                f"{function}: argument {name!r} must be an array or a number, got {describe(x)}"
            )
        here = device(x)
        if holder and None not in (here, where) and here != where:
            raise MixedDevicesError(
                f"{function}: arguments {holder!r} and {name!r} must be on one device, but are on "
                f"{where} and {here}. Move one with likewise.to_device(x, device)."
            )
        # JAX's tracers, and arrays spread over devices, have none: what joins them has none either.
        where, holder = (here, name) if not holder or here is None else (where, holder)
    return items, where


def beside_blocks(xp: Any, x: Any) -> Any:
    """Return an array of NumPy's as one in blocks, in a call on such arrays; others as they are."""
    library = library_of(x)
    if library is None or library.name != "numpy" or library.namespace is xp:
        return x
    own = getattr(xp, "library", None)
    return xp.asarray(x) if own is not None and load(own).in_blocks else x


def blocks_of_numpy(function: str, name: str, x: Any) -> None:
    """Refuse arrays whose blocks are not NumPy's."""
    library = library_of(x)
    why = library.refusal(x) if library is not None and library.in_blocks else None
    if why is not None:
        raise ArrayTypeError(f"{function}: argument {name!r} {why}")


def own_order(x: Any) -> Any:
    """Return an array in the machine's byte order; NumPy alone has the other one, too."""
    dtype: Any = getattr(x, "dtype", None)
    return x if getattr(dtype, "isnative", True) else x.astype(dtype.newbyteorder("="))


def alone(xp: Any, x: Any) -> Any:
    """Return a lone scalar of NumPy's, as an array where it decides on dtypes."""
    named = getattr(xp, "library", "numpy")
    return xp.asarray(x) if hasattr(x, "dtype") and load(named).strong_scalars else x


def is_complex(xp: Any, dtype: Any) -> bool:
    """Tell whether a dtype of `common_floating` is complex."""
    return dtype in (xp.complex64, xp.complex128)


def is_dtype(xp: Any, dtype: Any, kind: Any) -> bool:
    """Tell whether a dtype is of a kind, also one that the standard doesn't know."""
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
                    f"{expected}, got a list that holds a {describe(item)}. Stack them."
                )
    try:
        made = xp.asarray(values, dtype=dtype, device=device)
    except LikewiseError:  # no GPU for CuPy's arrays
        raise
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:  # ragged lists, words
        raise ArrayTypeError(f"{expected}, got {describe(values)} ({error})") from error
    if not xp.isdtype(made.dtype, ("bool", "numeric")):
        raise ArrayTypeError(f"{expected}, got {describe(values)}")
    return made


def weak(function: str, name: str, xp: Any, values: Any, dtype: Any, device: Any = None) -> Any:
    """An array, of a dtype that arrays have, of a number or of nested lists of numbers."""
    fits(function, name, xp, values, dtype)
    if hasattr(values, "item"):
        values = values.item()
    if xp.isdtype(dtype, ("real floating", "complex floating")):
        values = _floating(values)
    return from_lists(function, name, xp, values, dtype=dtype, device=device)


def fits(function: str, name: str, xp: Any, values: Any, dtype: Any) -> None:
    """Raise an error for a number, or nested lists of numbers, that a dtype can't hold."""
    if type(values) in (bool, float) and dtype in (xp.float64, xp.complex128):
        return
    bounds = _bounds(xp, dtype)
    for number in _leaves(function, name, values):
        kind = next(k for k in _KINDS if isinstance(number, k))
        if _KINDS.index(kind) > max(_KINDS.index(bounds[0]), 1):  # 0 and 1 are booleans, too
            raise DtypeError(
                f"{function}: argument {name!r} must be of a kind that {_short(dtype)} holds, "
                f"got {_shown(number)}. {_mend(number)}"
            )
        if not _within(bounds, number):
            raise ArgumentError(
                f"{function}: argument {name!r} must lie in the range of {_short(dtype)}, "
                f"{bounds[1]!r} to {bounds[2]!r}, got {_shown(number)}. {_mend(number)}"
            )


def _shown(number: Any) -> str:
    """A number as it is written, unless it has hundreds of digits."""
    if isinstance(number, int) and number.bit_length() > 100:
        return f"an integer of {number.bit_length()} bits"
    return repr(number)


def _mend(number: Any) -> str:
    """Say which dtype holds a number that the array's doesn't."""
    if isinstance(number, int):
        fitting = [n for n in (16, 32, 64) if -(2 ** (n - 1)) <= number < 2 ** (n - 1)]
        name = f"int{fitting[0]}" if fitting else "uint64" if 0 <= number < 2**64 else "float64"
    else:
        name = "complex128" if isinstance(number, complex) else "float64"
    return f"Convert the array, by xp.astype(x, xp.{name}), if that is what you mean."


def _short(dtype: Any) -> str:
    """The standard's name of a dtype, which NumPy and JAX give as a class."""
    return str(dtype).rpartition(".")[2].strip("'>")


def _bounds(xp: Any, dtype: Any) -> tuple[type, Any, Any]:
    """The kind of a dtype, its smallest and its largest number."""
    if dtype == xp.bool:
        return bool, 0, 1
    if xp.isdtype(dtype, "integral"):
        whole = xp.iinfo(dtype)
        return int, int(whole.min), int(whole.max)
    most = float(xp.finfo(dtype).max)
    return (float if xp.isdtype(dtype, "real floating") else complex), -most, most


def holds(function: str, name: str, xp: Any, values: Any, dtype: Any) -> bool:
    """Tell whether numbers in nested lists lie in the range of a dtype."""
    bounds = _bounds(xp, dtype)
    return all(_within(bounds, number) for number in _leaves(function, name, values))


def _within(bounds: tuple[type, Any, Any], number: Any) -> bool:
    kind, low, high = bounds
    if kind in (bool, int):
        return bool(low <= number <= high)
    # Half a unit above the largest number rounds to it: 3.4028235e38 is written for float32's.
    limit = int(high) + (int(high) & -int(high)) // 2
    parts = (number.real, number.imag) if isinstance(number, complex) else (number,)
    return all(
        part != part or part in (math.inf, -math.inf) or -limit < part < limit for part in parts
    )


def _leaves(function: str, name: str, values: Any) -> Iterator[Any]:
    """Python's numbers in nested lists."""
    if isinstance(values, list | tuple):
        for item in values:
            yield from _leaves(function, name, item)
        return
    number = values.item() if hasattr(values, "item") and is_neutral(values) else values
    if not isinstance(number, _KINDS):
        advice = " within a list. Stack them." if hasattr(number, "shape") else ""
        raise ArrayTypeError(
            f"{function}: argument {name!r} must be an array or nested lists of numbers, got a "
            f"{describe(number)}{advice}"
        )
    yield number


def kind_of(function: str, name: str, values: Any) -> type | None:
    """Return bool, int, float or complex: the highest kind in a number or nested lists of numbers.

    None for empty lists.
    """
    found = [
        next(i for i, k in enumerate(_KINDS) if isinstance(number, k))
        for number in _leaves(function, name, values)
    ]
    return _KINDS[max(found)] if found else None


def _floating(values: Any) -> Any:
    """Numbers with a point: libraries refuse integers of more than 64 bits."""
    if isinstance(values, list | tuple):
        return [_floating(item) for item in values]
    return float(values) if isinstance(values, int) else values


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
            f"{function}: {name} must be an integer or a sequence of integers, got {axes!r}"
        ) from None
    if not ndim:
        raise AxisError(f"{function}: got {name} {axes!r} of an array without dimensions")
    for a in numbers:
        if not -ndim <= a < ndim:
            raise AxisError(
                f"{function}: {name} must lie in [{-ndim}, {ndim - 1}] for arrays of {ndim} "
                f"dimensions, got {axes!r}"
            )
    found = tuple(sorted(a % ndim for a in numbers))
    if len(set(found)) != len(found) or not found:
        raise ArgumentError(f"{function}: {name} must be distinct and not empty, got {axes!r}")
    return found


def broadcast(function: str, **shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape of the shapes given by name; sizes that are unknown (NaN) are alike."""
    first, *rest = shapes.values()
    if all(shape == first for shape in rest):
        return tuple(first)
    ndim = max(len(s) for s in shapes.values())
    out = [1] * ndim
    for shape in shapes.values():
        for i, n in enumerate(shape, ndim - len(shape)):
            if n != 1 and out[i] not in (1, n) and (n == n or out[i] == out[i]):
                came = " and ".join(f"{name} {tuple(s)}" for name, s in shapes.items())
                raise ShapeError(
                    f"{function}: shapes must broadcast (equal sizes, or 1), got {came}"
                )
            out[i] = n if out[i] == 1 else out[i]
    return tuple(out)


def choice(function: str, name: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise an error if an option has none of the allowed values."""
    if not (isinstance(value, str) and value in allowed):
        raise ArgumentError(
            f"{function}: {name} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
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


def of_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let torch.compile call a function of settings during compilation, and store the result.

    Results made from numbers and strings on the host, such as a window, are not traced.
    """

    def made(*args: Any) -> Any:
        return function(*args)

    made._dynamo_marked_constant = True  # type: ignore[attr-defined]

    @functools.wraps(function)
    def settled(*args: Any) -> Any:
        # An integer that may differ from call to call becomes one of this compilation.
        return made(*[operator.index(a) if a.__class__ is int else a for a in args])

    return settled
