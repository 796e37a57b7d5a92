"""Providers: routines of other distributions for public functions, described by TOML files.

A provider is a distribution with an entry point in the group ``likewise.native``, whose value names
a TOML file in it. The file is found in the distribution's list of files and read; nothing of the
provider is imported before one of its functions is needed. An error in a file affects that provider
alone: it is cached, shown by `info`, and raised when the provider is preferred.
"""

import difflib
import functools
import importlib
import importlib.util
import inspect
import re
import sys
import threading
import tomllib
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from ._default import BLOCKED, LIBRARIES
from .errors import ProviderError

__all__ = [
    "RESERVED",
    "Entry",
    "Metadata",
    "Provider",
    "absent",
    "forget",
    "found",
    "nameable",
    "naming",
    "offered",
    "owner",
    "signature",
    "steps",
]

GROUP, API = "likewise.native", 1
# Packages with routines in likewise itself, and the body.
RESERVED = frozenset("cupy cupyx finufft generic jax likewise numpy scipy torch".split())
_ROOMS = ("fft", "linalg", "missing", "optimize", "random", "signal", "special")
_REQUIRED, _OPTIONAL = ("library", "function"), ("should_run", "docs")
_PATH = re.compile(r"\w+(\.\w+)*:\w+(\.\w+)*")
_NAME = re.compile(r"\w+(\.\w+)*:\w+")
_KINDS = 256  # kinds of calls whose verdict is cached for each routine
_PAGE = "docs/providers.md says how a provider is written"

_lock = threading.RLock()


@dataclass(frozen=True)
class Metadata:
    """Holds the description of a call for ``should_run``.

    Attributes
    ----------
    function : str
        The public function, 'likewise.signal:fftconvolve'.
    library : str
        The library of the arrays: 'numpy', 'torch', ...
    dtypes : dict
        The name of the dtype of each array argument, such as 'float64', by the parameter's name;
        for a tuple of arrays, a tuple of names.
    shapes : dict
        The shapes of the same arguments, tuples of int; for a tuple of arrays, a tuple of shapes.
    device : object
        The device of the first array, as `likewise.device` returns it.
    options : dict
        The other arguments by name, including defaults: numbers, strings, tuples, None, dtypes.
    """

    function: str
    library: str
    dtypes: Mapping[str, Any]
    shapes: Mapping[str, Any]
    device: Any
    options: Mapping[str, Any]


class Entry:
    """A provider's routine for one public function on one library."""

    def __init__(self, provider: str, name: str, library: str, table: Any, file: str) -> None:
        self.provider, self.name, self.library, self.file = provider, name, library, file
        self.checked = _stated(file, name)
        self.path: str = table["function"]
        self.condition: str | None = table.get("should_run")
        self.docs: str = table.get("docs", "")
        self.label = f"{self.path} of {provider}"
        self.verdicts: dict[Any, bool | str] = {}  # by kind of call: True, or the reason why not

    def check(self) -> None:
        """Raise an error if the name is wrong, once the function's package is loaded."""
        if not self.checked:
            module = sys.modules.get(self.name.partition(":")[0])
            loading = getattr(getattr(module, "__spec__", None), "_initializing", False)
            if module is not None and not loading:
                naming(self.file, self.name)
                self.checked = True

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        """Return the provider's function; this imports the provider."""
        return self._imported("function", self.path)

    @functools.cached_property
    def should_run(self) -> Callable[[Metadata], Any] | None:
        return None if self.condition is None else self._imported("should_run", self.condition)

    def _imported(self, key: str, path: str) -> Callable[..., Any]:
        module, _, name = path.partition(":")
        try:
            value: Any = importlib.import_module(module)
            for part in name.split("."):
                value = getattr(value, part)
        except Exception as error:  # whatever a package raises as it is imported
            raise ProviderError(
                f"{self.file}: {key} = {path!r} of {self.name!r} can't be imported: "
                f"{type(error).__name__}: {error}. Mend the path or the package, or leave the "
                f"provider {self.provider!r} out of prefer and LIKEWISE_PREFER."
            ) from error
        if not callable(value):
            raise ProviderError(
                f"{self.file}: {key} = {path!r} of {self.name!r} is {type(value).__name__}, "
                "expected a function"
            )
        return value

    def verdict(self, kind: Any, described: Callable[[], Metadata]) -> bool | str:
        """Return True if the provider serves a kind of calls, else the reason why not."""
        if kind in self.verdicts:
            return self.verdicts[kind]
        told: Any = True
        if self.should_run is not None:
            try:
                told = self.should_run(described())
            except Exception as error:
                error.add_note(
                    f"raised by should_run = {self.condition!r} of the provider "
                    f"{self.provider!r}, asked about {self.name} ({self.file})"
                )
                raise
        if told is not True and not (isinstance(told, str) and told.strip()):
            raise ProviderError(
                f"{self.file}: should_run = {self.condition!r} of {self.name!r} returned {told!r}; "
                "expected True, or a str that says why not"
            )
        if len(self.verdicts) >= _KINDS:
            self.verdicts.clear()
        self.verdicts[kind] = told
        return told


@dataclass(frozen=True)
class Provider:
    """Holds the content of a provider's file.

    Attributes
    ----------
    name, distribution, file : str
        The provider's name, its distribution with the version, and its TOML file.
    entries : tuple of Entry
        Its routines, in the file's order.
    """

    name: str
    distribution: str
    file: str
    entries: tuple[Entry, ...] = field(repr=False)

    def __str__(self) -> str:
        served: dict[str, list[str]] = {}
        for entry in self.entries:
            served.setdefault(entry.name, []).append(entry.library)
        for name, on in served.items():
            if lacking := absent(name):
                on.append(f"{lacking} is not installed")
        text = ", ".join(f"{name} ({', '.join(on)})" for name, on in served.items())
        return f"{self.distribution}: {text}"


Found: TypeAlias = dict[str, Provider | ProviderError]
_FOUND: Found | None = None


def found() -> Found:
    """Return the installed providers by name, or the error of a broken one. Read once."""
    global _FOUND
    with _lock:
        if _FOUND is None:
            _FOUND = _search()
        return _FOUND


def offered(func: Callable[..., Any]) -> list[Entry]:
    """Return the routines of all working providers for a public function."""
    where = getattr(func, "where", None)
    all_of = [p for p in found().values() if isinstance(p, Provider)]
    return [entry for p in all_of for entry in p.entries if entry.name == where]


def forget() -> None:
    """Clear the cache of providers, as after an installation."""
    global _FOUND
    with _lock:
        _FOUND = None


def _search() -> Found:
    points: dict[str, list[metadata.EntryPoint]] = {}
    for point in metadata.entry_points(group=GROUP):
        if point.name in BLOCKED:
            continue
        points.setdefault(point.name, []).append(point)
    out: Found = {}
    for name, several in sorted(points.items()):
        try:
            if len(several) > 1:
                those = " and ".join(sorted(_distribution(p) for p in several))
                raise ProviderError(
                    f"two distributions provide {name!r}: {those}. Uninstall one of them."
                )
            out[name] = _read(several[0])
        except ProviderError as error:
            out[name] = error
    return out


def _distribution(point: metadata.EntryPoint) -> str:
    return "?" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _read(point: metadata.EntryPoint) -> Provider:
    """Return the provider of an entry point; raise an error if its file is wrong."""
    path = _located(point)
    file = str(path)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ProviderError(
            f"{file}: can't be read: {error.strerror}. Reinstall {_distribution(point)}."
        ) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise ProviderError(f"{file}: not TOML: {error}. {_PAGE}.") from error
    if type(table.get("api")) is not int or table["api"] != API:
        raise ProviderError(
            f"{file}: got api = {table.get('api')!r}, but this version of likewise reads "
            f"api = {API}. Write that, or install a likewise that reads the other."
        )
    name = table.get("name")
    if name != point.name:
        raise ProviderError(
            f"{file}: got name = {name!r}, but its entry point is called {point.name!r}. Give both "
            "the same name."
        )
    if name in RESERVED or not re.fullmatch(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?", name, re.ASCII):
        raise ProviderError(
            f"{file}: name = {name!r} is "
            + ("taken by routines of likewise itself" if name in RESERVED else "no plain word")
            + ". Choose another, of letters, digits, '-', '_' and '.'."
        )
    _no_others(file, "the file", table, ("api", "name", "functions"))
    functions = table.get("functions")
    if not isinstance(functions, dict) or not functions:
        raise ProviderError(
            f'{file}: names no function. Add a table such as [functions."likewise.signal:'
            f'fftconvolve"] with library and function; {_PAGE}.'
        )
    entries = [e for key, value in functions.items() for e in _entries(file, name, key, value)]
    return Provider(name, _distribution(point), file, tuple(entries))


def _located(point: metadata.EntryPoint) -> Path:
    """Return the file that 'package.room:file.toml' names, importing nothing of the package."""
    package, _, file = point.value.partition(":")
    if not file.endswith(".toml") or not package:
        raise ProviderError(
            f"{_distribution(point)}: its entry point {point.name!r} in the group {GROUP!r} is "
            f"{point.value!r}; expected a package and a file in it, 'package:likewise.toml'"
        )
    wanted = "/".join([*package.split("."), file])
    assert point.dist is not None
    for listed in point.dist.files or ():  # some finders list files that no longer exist
        if listed.as_posix() == wanted and (path := Path(str(listed.locate()))).is_file():
            return path
    root, *rooms = package.split(".")
    try:  # an editable install lists no such files; a root package is found without import
        spec = importlib.util.find_spec(root)
    except (ImportError, ValueError):
        spec = None
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, *rooms, file)
        if path.is_file():
            return path
    raise ProviderError(
        f"{_distribution(point)}: it has no file {wanted}, which its entry point {point.name!r} in "
        f"the group {GROUP!r} names. Add the file to the data of the package, or reinstall it."
    )


def _entries(file: str, provider: str, name: str, value: Any) -> Iterator[Entry]:
    """Yield the routines of one function, from one table, or from one per library."""
    _stated(file, name)
    taken: set[str] = set()
    for table in value if isinstance(value, list) else [value]:
        where = f'[functions."{name}"]'
        if not isinstance(table, dict):
            raise ProviderError(f"{file}: {where} must be a table, got {table!r}")
        _no_others(file, where, table, (*_REQUIRED, *_OPTIONAL))
        for key in (*_REQUIRED, *_OPTIONAL):
            _checked(file, where, table, key)
        libraries = table["library"]
        for library in [libraries] if isinstance(libraries, str) else libraries:
            if library not in LIBRARIES:
                raise ProviderError(
                    f"{file}: {where} has library = {library!r}; "
                    f"{_near(str(library), LIBRARIES)}there are {', '.join(LIBRARIES)}"
                )
            if library in taken:
                raise ProviderError(
                    f"{file}: {where} has two functions for {library!r}. Leave one of them."
                )
            taken.add(library)
            yield Entry(provider, name, library, table, file)


def _checked(file: str, where: str, table: dict[str, Any], key: str) -> None:
    if key not in table:
        if key in _REQUIRED:
            raise ProviderError(f"{file}: {where} lacks {key!r}; expected are {_expected()}")
        return
    value = table[key]
    if key == "library":
        if not isinstance(value, str) and not (isinstance(value, list) and value):
            raise ProviderError(
                f"{file}: {where} has library = {value!r}; expected a name or a list of names"
            )
    elif not isinstance(value, str) or (key != "docs" and not _PATH.fullmatch(value)):
        form = "text" if key == "docs" else "'module:function'"
        raise ProviderError(f"{file}: {where} has {key} = {value!r}; expected {form}")


def _expected() -> str:
    return f"{', '.join(_REQUIRED)} and, if wanted, {', '.join(_OPTIONAL)}"


def _no_others(file: str, where: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise ProviderError(
                f"{file}: {where} has the key {key!r}; {_near(key, known)}"
                f"known are {', '.join(known)}"
            )


def _near(word: str, known: Any) -> str:
    near = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]!r}? " if near else ""


# -- functions that can be named -------------------------------------------------------------------


def owner(name: str) -> str:
    """Return the package that has the function: 'likewise' of 'likewise.signal:convolve'."""
    return name.partition(":")[0].partition(".")[0]


def absent(name: str) -> str:
    """Return the package of 'smallimage.filters:gaussian', if it isn't installed; else ''."""
    root = owner(name)
    if root in sys.modules:
        return ""
    try:
        return "" if importlib.util.find_spec(root) else root
    except (ImportError, ValueError):
        return root


def _stated(file: str, name: str) -> bool:
    """Tell whether a name in a file is right; a name in another library is checked later.

    That library isn't imported for the check.
    """
    if _NAME.fullmatch(name) and owner(name) != "likewise":
        near = difflib.get_close_matches(name, list(_ours()), 1, 0.75)
        if not (near and absent(name)):
            return False
    naming(file, name)
    return True


def naming(file: str, name: str) -> Callable[..., Any]:
    """Return the public function that a file names; raise an error if providers can't serve it.

    A function of another library is imported.
    """
    package, _, function = name.partition(":")
    room = package.removeprefix("likewise.")
    if package == f"likewise.{room}" and room in _ROOMS and function in nameable(room):
        return nameable(room)[function]
    if _NAME.fullmatch(name) and owner(name) != "likewise" and not absent(name):
        return _embedding(file, package, function)
    if room in _ROOMS:
        if function in importlib.import_module(f"likewise.{room}").__all__:
            raise ProviderError(
                f"{file}: no provider can stand in for {name!r}: it takes a function, or has no "
                f"step behind its checks. In likewise.{room} these can be provided: "
                f"{', '.join(nameable(room)) or 'none'}."
            )
        known = [f"likewise.{room}:{n}" for n in nameable(room)]
    else:
        known = list(_ours())
    raise ProviderError(
        f"{file}: likewise has no function {name!r}; {_near(name, known)}expected is "
        "'likewise.signal:fftconvolve' or the like, the room and the public name"
    )


@functools.cache
def _ours() -> tuple[str, ...]:
    return tuple(f"likewise.{room}:{n}" for room in _ROOMS for n in nameable(room))


def _embedding(file: str, package: str, function: str) -> Callable[..., Any]:
    """Return a function that another library has made public by `likewise.public`."""
    name = f"{package}:{function}"
    try:
        module = importlib.import_module(package)
    except Exception as error:  # whatever a package raises as it is imported
        raise ProviderError(
            f"{file}: {package!r}, of which {function!r} is named, can't be imported: "
            f"{type(error).__name__}: {error}. Mend the name or the package."
        ) from error
    func = getattr(module, function, None)
    known_as = getattr(func, "where", None)
    if func is None:
        known = [n for n in _names(module) if hasattr(getattr(module, n), "where")]
        raise ProviderError(
            f"{file}: {package} has no function {function!r}; {_near(function, known)}these can be "
            f"provided: {', '.join(sorted(known)) or 'none'}"
        )
    if known_as is None:
        raise ProviderError(
            f"{file}: no provider can stand in for {name!r}: {package} doesn't make it public with "
            "likewise.public"
        )
    if known_as != name:
        raise ProviderError(f"{file}: {name!r} is known as {known_as!r}. Name it so.")
    if not steps(func) or _takes_functions(func):
        raise ProviderError(
            f"{file}: no provider can stand in for {name!r}: it takes a function, or has no step "
            "behind its checks, one that is decorated with likewise.native"
        )
    found: Callable[..., Any] = func
    return found


_BODILESS = frozenset({"milp"})  # SciPy's routine or nothing


@functools.cache
def nameable(room: str) -> dict[str, Callable[..., Any]]:
    """Return the public functions of a room that providers can serve.

    They take arrays and plain options, call apply steps after their checks, and have a body to
    compare a provider with.
    """
    package = importlib.import_module(f"likewise.{room}")
    out = {}
    for name in package.__all__:
        func = getattr(package, name)
        if name in _BODILESS:
            continue
        if hasattr(func, "memo") and steps(func) and not _takes_functions(func):
            out[name] = func
    return out


def _takes_functions(func: Callable[..., Any]) -> bool:
    return any("Callable" in str(p.annotation) for p in signature(func).parameters.values())


@functools.cache
def signature(func: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(func)


@functools.cache
def steps(func: Callable[..., Any]) -> frozenset[Any]:
    """Return the rows that a public function calls, found by the names in its code.

    The code of its helpers is searched, too. Only rows of its room count, or of its package if that
    isn't likewise, as its checks may call steps of other rooms.
    """
    parts = func.__module__.split(".")
    room = ".".join(parts[: 2 if parts[0] == "likewise" else 1])

    def within(module: str) -> bool:
        return f"{module}.".startswith(f"{room}.")

    out: set[Any] = set()
    seen: set[Any] = set()
    todo: list[Any] = [func]
    while todo:
        value = todo.pop()
        if hasattr(getattr(value, "row", None), "routines"):
            out.add(value.row)
        elif isinstance(value, types.FunctionType) and value not in seen:
            seen.add(value)
            if within(value.__module__):
                inner = getattr(value, "__wrapped__", None)
                todo += [inner] if hasattr(value, "memo") else _used(value)
    return frozenset(row for row in out if within(row.generic.__module__))


def _used(func: types.FunctionType) -> Iterator[Any]:
    """Yield the global and closed-over objects that a function's code may use.

    `solving` reads code instruction by instruction, as there a name too many would matter.
    """
    for cell in func.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue
    codes = [func.__code__]
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        used = [func.__globals__[n] for n in code.co_names if n in func.__globals__]
        yield from used
        for module in used:  # `_steps.smooth`, of a module
            if isinstance(module, types.ModuleType):
                yield from (getattr(module, n) for n in code.co_names if n in _names(module))


def _names(module: types.ModuleType) -> set[str]:
    """List the names of a module, with those that a room hasn't loaded yet."""
    return {*vars(module), *getattr(module, "__all__", ())}
