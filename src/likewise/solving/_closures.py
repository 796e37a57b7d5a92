"""References of a function to what is outside: variables, globals, defaults, attributes."""

import dis
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from .._namespace import library_of
from ._spelled import of_others

__all__ = ["closed_over"]

_MANY = 1000  # objects that are looked at
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def closed_over(fun: Any, wanted: Callable[[Any], bool]) -> tuple[str, Any] | None:
    """Return the name and the value of what `fun` refers to and `wanted` is true of, or None.

    Of globals and attributes only those count whose names its code has.
    """
    left: list[tuple[str, Any, frozenset[str]]] = [("", fun, frozenset())]
    seen: dict[int, Any] = {}
    while left and len(seen) < _MANY:
        name, x, read = left.pop()
        if id(x) in seen:
            continue
        seen[id(x)] = x
        if hasattr(x, "dtype") and library_of(x) is not None:
            if wanted(x):
                return name, x
            continue
        left += _parts(name, x, read)
    return None


def _parts(name: str, x: Any, read: frozenset[str]) -> Iterator[tuple[str, Any, frozenset[str]]]:
    cls = type(x)
    if cls is types.FunctionType:
        yield from _of_function(x)
    elif cls is types.MethodType:
        names = _names(x.__func__.__code__)[1] if hasattr(x.__func__, "__code__") else read
        yield name, x.__func__, read
        yield from _held(name or "self", x.__self__, names)  # which need not be called itself
    elif cls is functools.partial:
        yield name, x.func, read
        for k, part in enumerate(x.args):
            yield f"args[{k}]", part, read
        for key, part in x.keywords.items():
            yield key, part, read
    elif isinstance(x, dict):
        for key, part in x.items():
            yield f"{name}[{key!r}]", part, read
    elif isinstance(x, list | tuple | set | frozenset):
        for k, part in enumerate(x):
            yield f"{name}[{k}]", part, read
    elif cls is types.ModuleType:
        if not of_others(x.__name__):
            found = vars(x)
            for key in read.intersection(found):
                yield f"{name}.{key}", found[key], read
    elif not isinstance(x, type):
        call = vars(cls).get("__call__")
        if type(call) is types.FunctionType and not of_others(str(cls.__module__)):
            read = read | _names(call.__code__)[1]
            yield name, call, read
        yield from _held(name or "self", x, read)


def _held(name: str, x: Any, read: frozenset[str]) -> Iterator[tuple[str, Any, frozenset[str]]]:
    """Yield attributes of an object, of its class, and what its properties compute with."""
    left, done = set(read), set[str]()
    while left:
        key = left.pop()
        done.add(key)
        found = inspect.getattr_static(x, key, None)
        if isinstance(found, property) and type(found.fget) is types.FunctionType:
            left |= _names(found.fget.__code__)[1] - done
            yield f"{name}.{key}", found.fget, read
        elif isinstance(found, types.MemberDescriptorType):  # of __slots__
            yield f"{name}.{key}", getattr(x, key, None), read
        elif found is not None:
            yield f"{name}.{key}", found, read


def _of_function(x: types.FunctionType) -> Iterator[tuple[str, Any, frozenset[str]]]:
    if of_others(x.__module__ or ""):
        return
    globals_, read = _names(x.__code__)
    for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents, read
        except ValueError:  # it has no value yet
            continue
    defaults, names = x.__defaults__ or (), x.__code__.co_varnames[: x.__code__.co_argcount]
    for name, part in zip(names[len(names) - len(defaults) :], defaults, strict=True):
        yield name, part, read
    for name, part in (x.__kwdefaults__ or {}).items():
        yield name, part, read
    for name in globals_.intersection(x.__globals__):
        yield name, x.__globals__[name], read


@functools.lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the globals and the attributes that code and the functions in it read."""
    space, read = set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            space.add(step.argval)
        elif step.opname in _ATTRIBUTES:
            read.add(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            of_inner = _names(inner)
            space |= of_inner[0]
            read |= of_inner[1]
    return frozenset(space), frozenset(read)
