"""A fingerprint of a function and of the values that it holds, equal in every process."""

import functools
import hashlib
import os
import sys
import types
from collections.abc import Iterable
from typing import Any

from .._namespace import is_neutral, library_named, library_of
from ..interop import to_numpy
from ..solving._spelled import held
from ._sources import Source, file_of

__all__ = ["digest", "fingerprint", "of_source"]

_DEPTH = 40
_SAMPLES = 16


# What a function of another package may hold that can't be a cache of it.
_FIXED = (
    types.FunctionType,
    types.MethodType,
    functools.partial,
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    tuple,
)


def _is_array(x: Any) -> bool:
    return hasattr(x, "dtype") and isinstance(getattr(x, "shape", None), tuple)


class _Print:
    """Walk through a value and note all that determines it."""

    def __init__(self, root: str) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.unseen: set[str] = set()
        self._root = root  # functions of this package are walked through
        self._seen: dict[int, tuple[int, Any]] = {}

    def add(self, *texts: object) -> None:
        self.hash.update(repr(texts).encode())

    def walk(self, x: Any, depth: int = 0) -> None:
        if x is None or isinstance(x, bool | int | float | complex | str | bytes | slice | range):
            self.add(type(x).__name__, x)
            return
        if id(x) in self._seen or depth > _DEPTH:
            self.add("again", self._seen.get(id(x), (-1,))[0])
            return
        self._seen[id(x)] = len(self._seen), x
        self.add(type(x).__qualname__)
        if isinstance(x, types.CodeType):
            self._code(x, depth)
        elif isinstance(x, types.FunctionType):
            self._function(x, depth)
        elif isinstance(x, types.MethodType):
            self._each((x.__func__, x.__self__), depth)
        elif isinstance(x, functools.partial):
            self._each(held(x), depth)
        elif isinstance(x, dict):
            self._each([part for pair in x.items() for part in pair], depth)
        elif isinstance(x, set | frozenset):
            self.add(sorted(map(repr, x)))
        elif isinstance(x, tuple | list):
            self._each(x, depth)
        elif isinstance(x, type):
            self._class(x, depth)
        elif _is_array(x):
            self._array(x)
        else:
            self._other(x, depth)

    def _each(self, parts: Iterable[Any], depth: int) -> None:
        for part in parts:
            self.walk(part, depth + 1)

    def _code(self, x: types.CodeType, depth: int) -> None:
        self.add(x.co_code, x.co_names, x.co_varnames, x.co_argcount, x.co_flags)
        self._each(x.co_consts, depth)

    def _function(self, x: types.FunctionType, depth: int) -> None:
        home = str(x.__globals__.get("__name__", ""))  # a wrapper has its function's __module__
        self.add(home, x.__code__.co_qualname)
        try:
            parts = held(x)
        except ValueError:  # a variable without a value yet
            parts = ()
        if not self._own(home):
            self._named(x, home)
            parts = (*parts, getattr(x, "__wrapped__", None))
            self._each((p for p in parts if isinstance(p, _FIXED) or _is_array(p)), depth)
            return
        self._each((x.__code__, *parts), depth)
        for name in sorted(_names(x.__code__)):
            if name in x.__globals__:
                self.add(name)
                self.walk(x.__globals__[name], depth + 1)

    def _class(self, x: type, depth: int) -> None:
        self.add(x.__module__, x.__qualname__)
        if not self._own(x.__module__):
            self._named(x)
            return
        for name, value in vars(x).items():
            if isinstance(value, types.FunctionType):
                self.add(name)
                self.walk(value, depth + 1)

    def _array(self, x: Any) -> None:
        self.add(str(x.dtype), tuple(x.shape))
        if library_of(x) is not None:
            self.hash.update(to_numpy(x).tobytes())
        elif is_neutral(x):
            self.add(repr(x))
        else:
            self.unseen.add(type(x).__qualname__)

    def _other(self, x: Any, depth: int) -> None:
        wrapped = getattr(x, "__wrapped__", None)
        if wrapped is not None:  # of a compiled function, for instance
            self.walk(wrapped, depth + 1)
        elif isinstance(x, types.ModuleType) or hasattr(x, "__name__"):
            self._named(x)
        elif self._own(type(x).__module__) or hasattr(x, "parameters"):  # torch's modules
            self.walk(type(x), depth + 1)
            self.walk(vars(x) if hasattr(x, "__dict__") else repr(x), depth + 1)
        elif " at 0x" not in repr(x):
            self.add(repr(x))
        else:
            self._named(type(x))
            self.unseen.add(f"an object of {type(x).__module__}.{type(x).__qualname__}")

    def _named(self, x: Any, home: str = "") -> None:
        """Note a function, class or module of another package by its name and version."""
        module = x.__name__ if isinstance(x, types.ModuleType) else str(x.__module__ or "")
        module = home or module
        root = module.partition(".")[0]
        version = getattr(sys.modules.get(root), "__version__", "")
        self.add(module, getattr(x, "__qualname__", getattr(x, "__name__", "")), version)
        if root and not self._known(root):
            self.unseen.add(module)

    def _own(self, module: str | None) -> bool:
        root = str(module or "").partition(".")[0]
        return root in (self._root, "__main__", "__mp_main__") and not self._known(root)

    def _known(self, root: str) -> bool:
        """Tell if a package is known by its version: Python's, an array library, or likewise."""
        known = root in ("likewise", "scipy") or library_named(root) is not None
        return known or root in sys.stdlib_module_names - {"__main__"}


def _names(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def fingerprint(fun: Any) -> tuple[str, list[str]]:
    """Return a digest of a function, and the names of what it can't see of it."""
    inner = fun
    while isinstance(inner, functools.partial | types.MethodType):
        inner = inner.func if isinstance(inner, functools.partial) else inner.__func__
    inner = getattr(inner, "__wrapped__", inner)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    found = _Print(str(module).partition(".")[0])
    found.add(sys.version_info[:2])
    found.walk(fun)
    return found.hash.hexdigest(), sorted(found.unseen)


def digest(x: Any) -> str:
    """Return a digest of nested values."""
    found = _Print("")
    found.walk(x)
    return found.hash.hexdigest()


def of_source(source: Source, beside: set[str]) -> dict[str, Any]:
    """Return what an input is known by: its kind, its file, a digest of contents.

    Of files some items are read, of arrays in memory all. A file that is written to, which is in
    `beside`, has no fixed size and time.
    """
    x = source.array
    known: dict[str, Any] = {"shape": list(map(int, x.shape)), "dtype": str(x.dtype)}
    path = file_of(x)
    length = source.length
    places: Any = range(0, length, max(1, (1 << 24) // max(1, source.item)))
    spans = [(a, min(length, a + places.step)) for a in places]
    if path is not None:
        known["path"] = path
        if path not in beside:
            stat = os.stat(path)
            known |= {"bytes": stat.st_size, "modified": stat.st_mtime_ns}
        step = max(1, length // _SAMPLES)
        spans = [(i, i + 1) for i in range(0, length, step)]
    found = hashlib.blake2b(digest_size=16)
    for a, b in spans:
        found.update(to_numpy(source.read(a, b)).tobytes())
    return known | {"contents": found.hexdigest()}
