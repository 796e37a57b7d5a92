"""A fingerprint of a function and of the values that it holds, equal in every process."""

import functools
import hashlib
import os
import sys
import types
from typing import Any

from .._namespace import is_neutral, library_of
from ..interop import to_numpy
from ..solving._spelled import held
from ._sources import Source, file_of

__all__ = ["digest", "fingerprint", "of_source"]

_DEPTH = 40
_SAMPLES = 16


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
        elif isinstance(x, types.MethodType | functools.partial):
            parts = (x.__func__, x.__self__) if isinstance(x, types.MethodType) else held(x)
            for part in parts:
                self.walk(part, depth + 1)
        elif isinstance(x, dict):
            for key, value in x.items():
                self.walk(key, depth + 1)
                self.walk(value, depth + 1)
        elif isinstance(x, set | frozenset):
            self.add(sorted(map(repr, x)))
        elif isinstance(x, tuple | list):
            for part in x:
                self.walk(part, depth + 1)
        elif isinstance(x, type):
            self._class(x, depth)
        elif hasattr(x, "dtype") and hasattr(x, "shape"):
            self._array(x)
        else:
            self._other(x, depth)

    def _code(self, x: types.CodeType, depth: int) -> None:
        self.add(x.co_code, x.co_names, x.co_varnames, x.co_argcount, x.co_flags)
        for constant in x.co_consts:
            self.walk(constant, depth + 1)

    def _function(self, x: types.FunctionType, depth: int) -> None:
        self.add(x.__qualname__)
        if not self._own(x.__module__):
            self._named(x)
            return
        self.walk(x.__code__, depth + 1)
        for part in held(x):
            self.walk(part, depth + 1)
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
        else:
            self._named(type(x))
            self.unseen.add(f"an object of {type(x).__module__}.{type(x).__qualname__}")

    def _named(self, x: Any) -> None:
        """Note a function, class or module of another package by its name and version."""
        module = x.__name__ if isinstance(x, types.ModuleType) else str(x.__module__ or "")
        root = module.partition(".")[0]
        version = getattr(sys.modules.get(root), "__version__", "")
        self.add(module, getattr(x, "__qualname__", getattr(x, "__name__", "")), version)
        if not version and root not in sys.stdlib_module_names:
            self.unseen.add(module)

    def _own(self, module: str | None) -> bool:
        return str(module or "").partition(".")[0] in (self._root, "__main__", "__mp_main__")


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
