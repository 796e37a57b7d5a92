"""A fingerprint of a function and of the values that it holds, equal in every process."""

import copyreg
import dis
import functools
import hashlib
import importlib.util
import os
import pickle
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from .._namespace import is_neutral, library_named, library_of
from ..interop import to_numpy
from ..solving._spelled import held
from ._sources import Source, chunk_along, file_of, folder_of, is_mapped, is_stored

__all__ = ["digest", "fingerprint", "of_source"]

_MOST = 1 << 26  # bytes of a file's contents that are read
_SPAN = 1 << 20  # bytes that are read at once
_LEAST = 16  # places that are looked at, also of very large items

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
_PLAIN = (bool, int, float, complex, str, bytes, slice, range, type(None), type(...))
# Of classes: what Python adds, and annotations, which no call reads.
_ADDED = frozenset(
    """__abstractmethods__ __annotate__ __annotate_func__ __annotations__ __annotations_cache__
    __dict__ __doc__ __firstlineno__ __module__ __slotnames__ __static_attributes__ __weakref__
    _abc_impl""".split()
)
# What objects raise that can't be pickled.
_UNPICKLED = (
    AttributeError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
    pickle.PicklingError,
)


def _is_array(x: Any) -> bool:
    return hasattr(x, "dtype") and isinstance(getattr(x, "shape", None), tuple)


class _Print:
    """Walk through a value and note all that determines it: code, and what pickle would take.

    Own code is walked through: of the function's package, and of modules that are neither Python's
    nor installed. Other code is known by its name and its package's version.
    """

    def __init__(self, root: str, within: frozenset[int] = frozenset()) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.unseen: set[str] = set()
        self._root, self._within = root, within  # the sets that this is a part of
        self._seen: dict[int, tuple[int, Any]] = {}
        self._waiting: deque[Any] = deque()
        self._modules: set[str] = set()
        self._owned: dict[str, bool] = {}

    def add(self, *texts: object) -> None:
        self.hash.update(repr(texts).encode(errors="surrogatepass"))

    def walk(self, x: Any) -> None:
        """Note a value and all that it refers to, each once."""
        self._note(x)
        while self._waiting:
            self._visit(self._waiting.popleft())

    def _note(self, x: Any) -> None:
        if type(x) in _PLAIN:
            self.add(type(x).__name__, x)
        elif type(x) in (tuple, frozenset):  # equal constants may be one object or several
            self.add(len(x))
            self._waiting.append(x)
        elif id(x) in self._seen or id(x) in self._within:
            self.add("again", self._seen.get(id(x), (-1,))[0])
        else:
            self.add("new")
            self._seen[id(x)] = len(self._seen), x
            self._waiting.append(x)

    def _all(self, parts: Iterable[Any]) -> None:
        for part in parts:
            self._note(part)

    def _visit(self, x: Any) -> None:
        self.add(type(x).__qualname__)
        if isinstance(x, types.CodeType):
            self._code(x)
        elif isinstance(x, types.FunctionType):
            self._function(x)
        elif isinstance(x, types.MethodType):
            self._all((x.__func__, x.__self__))
        elif type(x) is functools.partial:
            self._all(held(x))
        elif isinstance(x, staticmethod | classmethod):
            self._note(x.__func__)
        elif isinstance(x, property):
            self._all((x.fget, x.fset, x.fdel))
        elif isinstance(x, types.ModuleType):
            if self._own(x.__name__):
                self._module(x.__name__)
            else:
                self._named(x)
        elif isinstance(x, type):
            self._class(x)
        elif type(x) in (dict, types.MappingProxyType):
            self._all(part for pair in x.items() for part in pair)
        elif isinstance(x, set | frozenset):
            self._set(x)
        elif type(x) in (tuple, list):
            self.add(len(x))
            self._all(x)
        elif is_stored(x) and file_of(x) is not None:
            self.add(of_source(Source(x, 0), set()) if x.shape else to_numpy(x[()]).tobytes())
        elif _is_array(x) and (library_of(x) is not None or is_neutral(x)):
            self._array(x)
        else:
            self._object(x)

    def _code(self, x: types.CodeType) -> None:
        self.add(x.co_code, x.co_names, x.co_varnames, x.co_argcount, x.co_flags)
        self._all(x.co_consts)

    def _function(self, x: types.FunctionType) -> None:
        home = str(x.__globals__.get("__name__", ""))  # a wrapper has its function's __module__
        self.add(home, x.__code__.co_qualname)
        try:
            parts = held(x)
        except ValueError:  # a variable without a value yet
            parts = ()
        if not self._own(home):
            self._named(x, home)
            parts = (*parts, getattr(x, "__wrapped__", None))
            self._all(p for p in parts if self._fixed(p))
            return
        self._all((x.__code__, *parts, vars(x)))
        self._read(x.__code__, x.__globals__, str(x.__globals__.get("__package__") or ""))

    def _fixed(self, x: Any) -> bool:
        return isinstance(x, _FIXED) or _is_array(x) or self._own(type(x).__module__)

    def _read(self, code: types.CodeType, variables: dict[str, Any], package: str) -> None:
        """Note the globals that some code reads, of modules what it reads of them, and imports."""
        for name, attributes in sorted(_globals(code)):
            x, read = variables.get(name), [name]
            while isinstance(x, types.ModuleType) and self._own(x.__name__) and attributes:
                x, read = getattr(x, attributes[0], None), [*read, attributes[0]]
                attributes = attributes[1:]
            if name in variables:
                self.add(*read)
                self._note(x)
        for module in sorted(_imports(code, package)):
            if self._own(module):
                self._module(module)

    def _module(self, name: str) -> None:
        """Note the code of an own module, and of those that it imports, which need not be loaded.

        So it doesn't matter if the function was called before.
        """
        if name in self._modules or name in ("__main__", "__mp_main__"):
            return
        self._modules.add(name)
        self.add(name)
        found = _spec(name)
        if found is None or not found.origin or not os.path.isfile(found.origin):
            self.unseen.add(f"the module {name}")
            return
        with open(found.origin, "rb") as file:
            data = file.read()
        try:
            code = compile(data, name, "exec")
        except (SyntaxError, ValueError):  # a library of compiled code
            self.add(hashlib.blake2b(data).hexdigest())
            return
        self._note(code)
        for other in sorted(_imports(code, found.parent or "")):
            if self._own(other):
                self._module(other)

    def _class(self, x: type) -> None:
        self.add(x.__module__, x.__qualname__)
        if not self._own(x.__module__):
            self._named(x)
            return
        self._all((type(x), *x.__mro__[1:]))
        for name, value in vars(x).items():
            if name not in _ADDED:
                self.add(name)
                slot = isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType)
                self._note(name if slot else value)

    def _set(self, x: Any) -> None:
        """Note the members in the order of their digests, as the own order is of addresses."""
        digests = []
        for member in x:
            if type(member) in _PLAIN:
                digests.append(f"{type(member).__name__} {member!r}")
                continue
            found = _Print(self._root, self._within | {id(x)})
            found.walk(member)
            self.unseen |= found.unseen
            digests.append(found.hash.hexdigest())
        self.add(sorted(digests))

    def _array(self, x: Any) -> None:
        self.add(str(x.dtype), tuple(x.shape))
        if is_mapped(x) and x.ndim and file_of(x) is not None:
            self.add(of_source(Source(x, 0), set()))
        elif getattr(x.dtype, "hasobject", False):
            self._all(x.ravel().tolist())
        elif is_neutral(x):
            self.add(repr(x))
        else:
            self.hash.update(to_numpy(x).tobytes())
            if hasattr(x, "__array_finalize__"):
                self._note(getattr(x, "__dict__", None))  # of a subclass: a mask, a unit

    def _object(self, x: Any) -> None:
        """Note an object by its class and by what pickle would take of it."""
        wrapped = getattr(x, "__wrapped__", None)
        if wrapped is not None:  # of a compiled function, for instance
            self._note(wrapped)
            return
        home = type(getattr(x, "__self__", x)).__module__
        if "random" in home.split("."):  # its state is another one in each process and call
            self.add(home, getattr(x, "__name__", ""))
            self._hidden(x)
            return
        self._note(type(x))
        try:
            reduced = copyreg.dispatch_table.get(type(x))
            parts = reduced(x) if reduced else x.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except _UNPICKLED:
            parts = getattr(x, "__dict__", None)
            if parts is None:
                self._hidden(x)
            self._note(parts)
            return
        if isinstance(parts, str):  # a name
            module = pickle.whichmodule(x, parts)  # type: ignore[attr-defined]
            self.add(module, parts)
            if getattr(sys.modules.get(module), parts.partition(".")[0], None) is None:
                self._hidden(x)
            return
        for part in parts:
            self._note(
                list(part) if isinstance(part, Iterator) else part
            )  # items of a list, a dict

    def _hidden(self, x: Any) -> None:
        if type(x).__module__ != "_thread":  # locks hold nothing
            self.unseen.add(f"an object of {type(x).__module__}.{type(x).__qualname__}")

    def _named(self, x: Any, home: str = "") -> None:
        """Note a function, class or module of another package by its name and version."""
        module = x.__name__ if isinstance(x, types.ModuleType) else str(x.__module__ or "")
        module = home or module
        version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
        self.add(module, getattr(x, "__qualname__", getattr(x, "__name__", "")), version)

    def _own(self, module: str | None) -> bool:
        root = str(module or "").partition(".")[0]
        if root not in self._owned:
            self._owned[root] = self._is_own(root)
        return self._owned[root]

    def _is_own(self, root: str) -> bool:
        if root in ("__main__", "__mp_main__"):
            return True
        if root in ("", "likewise", "scipy") or library_named(root) is not None:
            return False
        if root in sys.stdlib_module_names:
            return False
        return root == self._root or _outside(root)


def _outside(root: str) -> bool:
    """Tell if a module or package lies where no installer puts it."""
    spec = _spec(root)
    places = [*(getattr(spec, "submodule_search_locations", None) or ())]
    path = os.path.realpath(str(getattr(spec, "origin", None) or (places[0] if places else "")))
    library = os.path.realpath(sysconfig.get_path("stdlib")) + os.sep
    installed = {"site-packages", "dist-packages"} & {*path.split(os.sep)}
    return spec is not None and os.path.exists(path) and not (installed or path.startswith(library))


def _spec(name: str) -> ModuleSpec | None:
    """Find a module; one that isn't loaded is not loaded, nor is its package."""
    found, places, at = None, None, ""
    for part in name.split("."):
        if at and places is None:
            return None
        at = f"{at}.{part}".lstrip(".")
        found = getattr(sys.modules.get(at), "__spec__", None) or PathFinder.find_spec(at, places)
        if found is None:
            return None
        places = found.submodule_search_locations
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _steps(code: types.CodeType) -> list[dis.Instruction]:
    return [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]


def _globals(code: types.CodeType) -> set[tuple[str, tuple[str, ...]]]:
    """Return the globals that code reads and doesn't set, each with the attributes read of it."""
    found, stored = set(), set()
    for part in _codes(code):
        steps = _steps(part)
        for at, step in enumerate(steps):
            if step.opname == "STORE_GLOBAL":
                stored.add(step.argval)
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
                after = at + 1
                while after < len(steps) and steps[after].opname in ("LOAD_ATTR", "LOAD_METHOD"):
                    after += 1
                found.add((step.argval, tuple(s.argval for s in steps[at + 1 : after])))
    return {pair for pair in found if pair[0] not in stored}


def _imports(code: types.CodeType, package: str) -> set[str]:
    """Return the modules that code imports, in full; of `from a import b` both a and a.b."""
    found = set()
    for part in _codes(code):
        steps = _steps(part)
        for at, step in enumerate(steps):
            if step.opname != "IMPORT_NAME":
                continue
            level, names = steps[at - 2].argval, steps[at - 1].argval
            try:
                name = importlib.util.resolve_name("." * level + step.argval, package or None)
            except ImportError:
                continue
            found.add(name)
            found |= {f"{name}.{n}" for n in names or () if _spec(f"{name}.{n}") is not None}
    return found


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
    """Return what an input is known by: its kind, its files, a digest of contents.

    Of files at most 64 MiB are read, in spans that lie evenly; of arrays in memory all. A file that
    is written to, which is in `beside`, has no fixed size and time.
    """
    x = source.array
    known: dict[str, Any] = {"shape": list(map(int, x.shape)), "dtype": str(x.dtype)}
    path = file_of(x)
    length, item = source.length, max(1, source.item)
    step = span = max(1, _SPAN // item)
    if path is not None:
        known["path"] = path
        folder = folder_of(x)
        if folder is not None:
            known |= _of_folder(folder)
        elif path not in beside:
            stat = os.stat(path)
            known |= {"bytes": stat.st_size, "modified": stat.st_mtime_ns}
        if length * item > _MOST:
            chunk = max(span, chunk_along(x, source.axis))  # it is read as a whole
            step = max(span, length // max(_LEAST, _MOST // (chunk * item)))
    found = hashlib.blake2b(digest_size=16)
    for a in range(0, length, step):
        found.update(to_numpy(source.read(a, min(length, a + span))).tobytes())
    return known | {"contents": found.hexdigest()}


def _of_folder(folder: str) -> dict[str, Any]:
    """Return the number of a folder's files, and a digest of their names, sizes and times."""
    lines = []
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            stat = os.stat(path)
            lines.append(f"{os.path.relpath(path, folder)} {stat.st_size} {stat.st_mtime_ns}")
    found = hashlib.blake2b("\n".join(sorted(lines)).encode(), digest_size=16)
    return {"files": len(lines), "modified": found.hexdigest()}
