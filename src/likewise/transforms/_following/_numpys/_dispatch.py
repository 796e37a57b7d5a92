"""Dispatch calls of NumPy's functions with proxies to the targets of the table."""

import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from .... import linalg, missing
from ...._namespace import is_neutral, library_of
from ...._native import counterpart
from ....errors import ArrayTypeError, MixedLibrariesError, TransformError
from .._escapes import raise_escape, running, users_line
from .._instructions import ITSELF
from .._proxy import Proxy, apply, lift
from . import _elementwise, _factors, _products, _reductions, _shapes
from ._table import ATTRIBUTES, FUNCTIONS, METHODS, REDUCED, UFUNCS, Row

__all__ = ["call_function", "call_ufunc", "member", "target"]

_OWN = (_elementwise, _reductions, _shapes, _products, _factors)
_INSTEAD = (
    "write it in functions of xp = likewise.array_namespace(x), as xp.where, of likewise.missing, "
    "or of NumPy's that the documentation lists"
)
# What to write in place of a keyword that nothing else has.
_MENDS = {
    "where": "Write np.where(where, x, 0) for x in a sum (1 in a product, -np.inf in a maximum), "
    "and divide a sum by np.sum(where) for the mean",
    "initial": "Join it to the result: initial + np.sum(x), initial * np.prod(x), "
    "np.maximum(initial, np.max(x))",
}
_IN_PLACE = frozenset("fill itemset partition put resize setfield sort".split())
_HARMLESS = frozenset("casting order subok".split())
_DEFAULTS = {"where": True, "copy": True}
# Universal functions that are instructions as they are, in most calls: the quickest way.
_INSTRUCTIONS = {
    name: path[3:]
    for name, path in UFUNCS.items()
    if path.startswith("xp.") and path[3:] not in ITSELF
}
_TAKEN = {"_lambertw": 2}  # how many arguments: the third of SciPy's is a tolerance
_NUMBERS = frozenset((bool, int, float, complex))


def target(space: Any, path: str) -> Callable[..., Any]:
    """Return the target function of a row."""
    where, _, name = path.partition(".")
    if where == "xp":
        found = operator.attrgetter(name)(space.namespace)
    elif where == "numpy":
        found = next(getattr(m, name) for m in _OWN if name in m.__all__)
    else:
        found = getattr({"missing": missing, "linalg": linalg}[where], name)
    return found


def call_ufunc(
    space: Any, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a universal function, or a method of one, on proxies."""
    name = ufunc.__name__
    if not kwargs and method == "__call__" and name in _INSTRUCTIONS:
        for x in inputs:
            if x.__class__ is not Proxy and x.__class__ is not space.array:
                break
        else:
            out = apply(_INSTRUCTIONS[name], inputs, {})
            return out if out.__class__ is Proxy else lift(space, out)
    if kwargs:
        kwargs = _without_defaults(name, kwargs)
    if method == "__call__" and name in UFUNCS and kwargs.keys() <= {"axis"}:
        operands = [x if x.__class__ is space.array else _operand(space, x) for x in inputs]
        return _finished(space, target(space, UFUNCS[name])(*operands, **kwargs))
    if (name, method) in REDUCED:
        kwargs.setdefault("axis", 0)
        return _call(space, FUNCTIONS[REDUCED[name, method]], inputs, kwargs, f"{name}.{method}")
    if method == "outer" and name in UFUNCS and not kwargs:
        a, b = (_array(space, x) for x in inputs)
        a = a[(..., *(None,) * b.ndim)]
        return _finished(space, target(space, UFUNCS[name])(a, b))
    known, ours = counterpart(ufunc)
    if ours is not None and method == "__call__" and not kwargs:  # SciPy's
        inputs = inputs[: _TAKEN.get(name)]
        return _finished(space, ours(*(_operand(space, x) for x in inputs)))
    title = (known or f"numpy.{name}") + (f".{method}" if method != "__call__" else "")
    return _refuse(title, f"takes no {', '.join(kwargs)}" if kwargs else "has no counterpart")


def call_function(space: Any, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call one of NumPy's other functions on proxies."""
    module = function.__module__.removeprefix("numpy").removeprefix(".lib.stride_tricks")
    name = f"{module}.{function.__name__}".removeprefix(".")
    row = FUNCTIONS.get(name)
    if row is None:
        _refuse(f"numpy.{name}", "has no counterpart")
    return _call(space, row, args, kwargs, name)


def member(x: Proxy, name: str) -> Any:
    """Return a method or an attribute of NumPy's arrays; NotImplemented if there is none."""
    row = METHODS.get(name)
    if row is not None:

        def method(*args: Any, **kwargs: Any) -> Any:
            return _call(x.space, row, (x, *args), kwargs, f"ndarray.{name}")

        return method
    if name in ATTRIBUTES:
        return _call(x.space, FUNCTIONS[ATTRIBUTES[name]], (x,), {}, f"ndarray.{name}")
    if name in _IN_PLACE:
        return functools.partial(_in_place, name)
    return NotImplemented


def _in_place(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    raise TransformError(
        f"ndarray.{name}: works in place, which can't be followed{users_line()}. Write what "
        "returns a new array: np.sort(x) or xp.sort(x), likewise.missing.at(x)[i].set(value)."
    )


def _refuse(name: str, why: str) -> NoReturn:
    if name == "numpy.copyto":  # by which np.full fills
        raise_escape("numpy.copyto")
    text = running()
    mend = next((f". {m}; or" for k, m in _MENDS.items() if why.startswith(f"takes no {k}")), ";")
    raise TransformError(
        f"{name}: {why}, so it can't be followed{f', in {text}' if text else ''}"
        f"{users_line()}{mend} {_INSTEAD}, or "
        "give its derivative by likewise.custom_jvp around a pure_callback."
    )


def _without_defaults(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """A universal function's settings but those that make no difference."""
    if kwargs.get("out") is not None:
        raise TransformError(
            f"numpy.{name}: out=, or an operator in place on NumPy's own array, writes into an "
            f"array where it can't be followed{users_line()}; write y = np.{name}(a, b), or "
            "raw = raw + x in place of raw += x."
        )
    return {
        k: v
        for k, v in kwargs.items()
        if k not in _HARMLESS and not _is_default(k, v) and not (k == "keepdims" and not v)
    }


def _is_default(name: str, value: Any) -> bool:
    if value is None or type(value).__name__ == "_NoValueType":
        return name != "axis" or value is not None
    return type(value) is bool and value == _DEFAULTS.get(name, False)


def _call(space: Any, row: Row, args: Any, kwargs: dict[str, Any], title: str) -> Any:
    function = target(space, row.target)
    operands, settings = _bound(space, row, args, kwargs, title)
    return _finished(space, function(*operands, **settings))


def _bound(
    space: Any, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], title: str
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of NumPy's as the row's function takes them."""
    named = dict(kwargs)
    operands: list[Any] = []
    settings: dict[str, Any] = {}
    left = list(args)
    for parameter in row.parameters:
        name = parameter.lstrip("*+?@%~-")
        mark = parameter[: len(parameter) - len(name)]
        name, _, ours = name.partition(":")
        if mark in ("***", "+"):
            operands += left if mark == "+" else [_operand(space, x) for x in left]
            left = []
            continue
        if left:
            if name in named:
                raise TypeError(f"numpy.{title}: got multiple values for argument {name!r}")
            value = left.pop(0)
        elif name in named:
            value = named.pop(name)
        else:
            continue
        if mark == "*":
            operands.append(_array(space, value))
        elif mark == "**":
            operands.append([_array(space, x) for x in value])
        elif mark == "?":
            operands.append(_operand(space, value))
        elif mark == "-":
            if not _is_default(name, value) and value is not None:
                _refuse(f"numpy.{title}", f"takes no {name}=")
        elif mark == "@":
            settings[ours or name] = _operand(space, value)
        elif mark != "~" and not (mark == "%" and value is None):
            settings[ours or name] = _dtype(space, value) if name == "dtype" else value
    if left or named:
        what = f"argument {next(iter(named))!r}" if named else f"argument of {len(args)}"
        raise TransformError(
            f"numpy.{title}: takes no {what} inside of a transform{users_line()}; {_INSTEAD}."
        )
    return operands, settings


def _operand(space: Any, x: Any) -> Any:
    """An array, or what needs none: numbers, None, dtypes."""
    if x.__class__ is Proxy or x.__class__ in _NUMBERS or x is None or isinstance(x, type):
        return x
    if is_neutral(x) and hasattr(x, "item"):
        return space.number(x)
    if isinstance(x, list | tuple):
        return space.namespace.asarray(x)
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return _array(space, x)
    return x


def _array(space: Any, x: Any) -> Any:
    if x.__class__ is Proxy:
        return x
    found = library_of(x)
    if found is None or is_neutral(x):
        if not isinstance(x, list | tuple | range) and not is_neutral(x):
            raise ArrayTypeError(
                f"an array, a number or a list was expected, got {type(x).__name__}{users_line()}"
            )
        return space.namespace.asarray(x)
    if found is not space.of:
        raise MixedLibrariesError(
            f"an array of {found.name} beside NumPy's{users_line()}: convert it before, "
            "likewise.asarray(x, like=y)"
        )
    return lift(space, x)  # so that a row of the library's own, which looks at the first, has none


def _dtype(space: Any, dtype: Any) -> Any:
    """A dtype as arrays have it, of what NumPy takes for one."""
    return None if dtype is None else space.raw.empty(0, dtype=dtype).dtype


def _finished(space: Any, out: Any) -> Any:
    if out.__class__ is Proxy or not (hasattr(out, "dtype") and hasattr(out, "shape")):
        return out
    return lift(space, out)
