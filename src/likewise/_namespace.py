"""Derives the library, the dtype and the device of a call from its arrays alone.

A library's file in ``_libs`` is loaded by name when the first array of it appears, so that
using one library never imports another.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any, cast

from array_api_compat import is_lazy_array as _compat_is_lazy

from . import _default
from ._default import KNOWN, LIBRARIES
from ._library import FOREIGN, LOADING, Library
from ._standard import FFT, LINALG, STANDARD, VERSION
from .errors import ArgumentError, ArrayTypeError, LibraryNotInstalled, MixedLibrariesError

__all__ = [
    "FOLLOWING",
    "LIBRARIES",
    "Library",
    "Namespace",
    "array_namespace",
    "convertible",
    "describe",
    "device",
    "hooks_of",
    "installed",
    "is_concrete",
    "is_lazy",
    "is_neutral",
    "leaves",
    "library",
    "library_named",
    "library_of",
    "load",
    "loaded",
    "namespace",
    "quiet",
    "register_result",
    "scalar",
]


# The library of each class, by the class's root package.
_PACKAGES = {root: name for name, known in KNOWN.items() for root in known.roots}


class Namespace(ModuleType):
    """Holds the names of the array API standard on one library, and nothing else.

    It is a module, so that tools for modules work on it (torch.compile, inspect, pickle through
    `namespace`). It has no other names, so that code for one library is likely to run on the
    others.
    """

    def __init__(self, library: str, names: dict[str, Any], where: str = "") -> None:
        super().__init__(f"likewise {library}{where}", "The array API standard " + VERSION)
        self.__dict__.update(names)
        self.__dict__.update(library=library, __array_api_version__=VERSION, _where=where)
        self.__dict__["over"] = None  # the namespace below, of one that follows

    def __repr__(self) -> str:
        return f"<{self.__name__}: array API standard {VERSION}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self.library, self._where))

    def __dir__(self) -> list[str]:
        return sorted(n for n in self.__dict__ if n in STANDARD | FFT | LINALG)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        known = {"": STANDARD, ".fft": FFT, ".linalg": LINALG}[self.__dict__["_where"]]
        if name in known:
            text = f"{self.__name__!r} has no {name!r}: the library doesn't offer it"
        else:
            text = (
                f"{self.__name__!r} has no {name!r}: it isn't in the array API standard {VERSION}; "
                "look in likewise.missing"
            )
        raise AttributeError(text)


def _restore(name: str, where: str) -> Any:
    xp = namespace(name)
    return getattr(xp, where[1:]) if where else xp


def standard(library: str, source: Any, repairs: dict[str, Any] | None = None) -> Namespace:
    """Build a library's namespace from a module that nearly follows the standard, and our repairs.

    Repairs of the extensions are keyed ``"fft.rfft"``.
    """
    repairs = repairs or {}

    def pick(names: Iterable[str], module: Any, where: str) -> dict[str, Any]:
        found = {n: getattr(module, n) for n in names if hasattr(module, n)}
        prefix = where[1:] + "." if where else ""
        found.update(
            (key.removeprefix(prefix), value)
            for key, value in repairs.items()
            if key.startswith(prefix) and key.removeprefix(prefix) in names
        )
        return found

    names = pick(STANDARD - {"fft", "linalg"}, source, "")
    for extension, members in (("fft", FFT), ("linalg", LINALG)):
        if hasattr(source, extension):
            where = "." + extension
            names[extension] = Namespace(
                library, pick(members, getattr(source, extension), where), where
            )
    return Namespace(library, names)


_CACHE: dict[type, Any] = {}
_NEUTRAL: set[type] = {bool, int, float, complex, type(None), list, tuple}
_LOADED: dict[str, Library] = {}
_NAMESPACES: dict[str, Any] = {}
_RESULTS: list[type] = []
FOLLOWING: list[Any] = []  # the open transforms, in all threads


def installed(name: str) -> bool:
    """Tell if a library can be imported; imports nothing of it.

    A folder of that name in the working directory, which Python would import as an empty package,
    is not the library.
    """
    root = KNOWN[name].module.partition(".")[0]
    if root in sys.modules:
        module = sys.modules[root]
        spec = getattr(module, "__spec__", None)
        return module is not None and (spec is None or spec.origin is not None)
    spec = importlib.util.find_spec(root)
    return spec is not None and spec.origin is not None


def load(name: str) -> Library:
    """Return the `Library` of a library from its folder, importing the library if necessary."""
    try:
        return _LOADED[name]
    except (KeyError, TypeError):
        pass
    if not isinstance(name, str) or name not in LIBRARIES:
        raise ArgumentError(f"namespace: no library {name!r}; there are {', '.join(LIBRARIES)}")
    if not installed(name):
        raise LibraryNotInstalled(
            f"{name!r} needs the package {KNOWN[name].module.partition('.')[0]!r}, which isn't "
            f"installed: pip install {KNOWN[name].pip}"
        )
    with LOADING:
        if name not in _LOADED:
            found = importlib.import_module(f"likewise._libs.{name}._library")
            _take_in(name, cast(Library, found.LIBRARY))
    return _LOADED[name]


def _take_in(name: str, found: Library) -> None:
    """Enter a library in the tables; other threads see it after everything but its classes is
    set."""
    types = found.own_types()
    for result in _RESULTS:
        found.see_through(result)
    _NEUTRAL.update(found.scalar_types)
    _NAMESPACES[name] = found.namespace
    _LOADED[name] = found
    for cls in types:
        _CACHE[cls] = found.namespace


def register_result(cls: type) -> None:
    """Register a dataclass of arrays with the libraries' own transforms, as a container."""
    with LOADING:
        _RESULTS.append(cls)
        for found in _LOADED.values():
            found.see_through(cls)


def loaded() -> list[Library]:
    """The libraries that the program has imported."""
    return [load(n) for n, k in KNOWN.items() if k.module in sys.modules and installed(n)]


def _candidates(cls: type) -> list[Library]:
    """The libraries that a class or its bases come from, unless it names its namespace itself."""
    roots = []
    for base in cls.__mro__:
        roots.append(base.__module__.partition(".")[0])
        if roots[-1] not in _PACKAGES and "__array_namespace__" in vars(base):
            return []
    return [load(n) for n in dict.fromkeys(_PACKAGES[r] for r in roots if r in _PACKAGES)]


def library_of(x: object) -> Library | None:
    """The library of an object, or None if it belongs to no known one."""
    try:
        xp = _CACHE[type(x)]
    except KeyError:
        if type(x) in _NEUTRAL:
            return None
        own = getattr(x, "__likewise_library__", None)  # an array inside of a transform
        if own is not None:
            return cast(Library, own)
        name = _search(x)
    else:
        name = xp.library
    return None if name is None else _LOADED[name]


def hooks_of(x: object) -> Library:
    """The library of an object; a `Library` with all defaults if it belongs to no known one."""
    return library_of(x) or FOREIGN


def scalar(x: Any) -> Any:
    """Return an array as its library's functions do: on NumPy, a scalar for no dimensions."""
    return hooks_of(x).scalar(x)


def _search(x: object) -> str | None:
    """The name of an object's library, from the module of its class."""
    return next((found.name for found in _candidates(type(x)) if found.is_array(x)), None)


def _find(x: object) -> str | None:
    """The library of an object whose class isn't cached; '' if neutral, None if it isn't known."""
    cls = type(x)
    found = library_of(x)
    if cls in _NEUTRAL:  # NumPy's scalars, once its file is loaded
        return ""
    if found is not None and cls.__module__.partition(".")[0] in _PACKAGES:
        _CACHE[cls] = found.namespace
        return found.name
    if found is not None and found.name in _LOADED:
        return found.name
    if _is_foreign(x):
        return None
    raise _refused(x)


def library_named(module: str) -> str | None:
    """The library that a module belongs to."""
    return _PACKAGES.get(module.partition(".")[0])


def is_neutral(x: object) -> bool:
    """Tell if an object says nothing about the library: scalars, lists, tuples, None."""
    return type(x) in _NEUTRAL


def leaves(args: Iterable[Any]) -> Iterator[Any]:
    """Yield the arguments, with the elements of tuples and lists."""
    for x in args:
        if type(x) in (tuple, list):
            yield from x
        else:
            yield x


def _answering(x: object) -> Library | None:
    """Return the result of `library_of`, but NumPy for NumPy's scalars."""
    found = library_of(x)  # loads NumPy's file if necessary, which registers its scalars
    return load("numpy") if found is None and is_neutral(x) and hasattr(x, "dtype") else found


def _is_foreign(x: object) -> bool:
    """Tell if an object of no known library claims to be a standard array."""
    cls = type(x)
    return (
        hasattr(cls, "__array_namespace__")
        and cls not in _NEUTRAL
        and not isinstance(x, type)
        and _refusal(x) is None
    )


def convertible(x: object) -> bool:
    """Tell if an object of no known library has a usable ``__array__``."""
    cls = type(x)
    return (
        not isinstance(x, type)
        and hasattr(cls, "__array__")
        and not hasattr(cls, "__array_namespace__")
        and library_of(x) is None
        and _refusal(x) is None
    )


def _refusal(x: object) -> str | None:
    hints = (candidate.refusal(x) for candidate in _candidates(type(x)))
    return next((hint for hint in hints if hint is not None), None)


# torch.compile calls these at trace time and keeps the answer, which depends on the class alone;
# a name, because torch can guard a namespace only where it came from a dictionary.
_search._dynamo_marked_constant = True  # type: ignore[attr-defined]
_find._dynamo_marked_constant = True  # type: ignore[attr-defined]


def array_namespace(*arrays: object) -> Any:
    """Return the standard namespace of the arrays.

    Parameters
    ----------
    *arrays : array, scalar, list or None
        Arrays of one library. Python and NumPy scalars, lists, tuples and None are neutral;
        if nothing else is given, the default namespace is returned (see `likewise.use`).

    Returns
    -------
    Namespace
        The array API standard, revision 2025.12, on the arrays' library. For an array of another
        library, the result of its ``__array_namespace__``.

    Raises
    ------
    MixedLibrariesError
        If the arrays are of different libraries. NumPy's may stand beside Dask's, which decide.
    ArrayTypeError
        If an argument is not a standard array (masked arrays, ``np.matrix``, strings ...).

    Notes
    -----
    Costs one dictionary lookup per argument. Works with JAX tracers, under torch.func and in
    ``torch.compile(fullgraph=True)``.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> xp = likewise.array_namespace(np.ones(3), 2.0)
    >>> xp
    <likewise numpy: array API standard 2025.12>
    """
    found = None
    for array in arrays:
        try:  # torch.compile can't guard on a class that `get` misses
            xp = _CACHE[type(array)]
        except KeyError:
            if type(array) in _NEUTRAL:
                continue
            own = getattr(array, "__likewise_library__", None)  # an array inside of a transform
            if own is not None:
                xp = own.namespace
            else:
                name = _find(array)
                if name == "":
                    continue
                xp = _NAMESPACES[name] if name else cast(Any, array).__array_namespace__()
        if found is None:
            found = xp
        elif found is not xp:
            # The arrays of a transform, and those of the library under it, from a closure.
            if getattr(xp, "over", None) is found:
                found = xp
            elif getattr(found, "over", None) is not xp:
                found = _of_blocks(found, xp)
                if found is None:
                    raise _mixed(arrays)
    return namespace(_default.current().namespace) if found is None else found


def _of_blocks(*namespaces: Any) -> Any:
    """Return the namespace of arrays in blocks beside NumPy's, which go with each block."""
    named = {getattr(xp, "library", None): xp for xp in namespaces}
    others = [name for name in named if name != "numpy"]
    found = _LOADED.get(str(others[0])) if len(others) == 1 < len(named) else None
    return None if found is None or not found.in_blocks else named[found.name]


def namespace(name: str) -> Any:
    """Return a library's standard namespace by name.

    Parameters
    ----------
    name : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}
        The library; it is imported if necessary.

    Returns
    -------
    Namespace
        The array API standard, revision 2025.12.

    Raises
    ------
    LibraryNotInstalled
        If the library isn't installed; the message names the extra that installs it.

    Examples
    --------
    >>> import likewise
    >>> likewise.namespace("numpy").zeros(2)
    array([0., 0.])
    """
    return load(name).namespace


def library(x: object) -> str | None:
    """Return the name of the library that an array belongs to.

    Parameters
    ----------
    x : array
        Any standard array.

    Returns
    -------
    str or None
        As for `namespace`; None for an array of another library.

    Raises
    ------
    ArrayTypeError
        If `x` is not an array.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.library(np.ones(3))
    'numpy'
    """
    found = _answering(x)
    if found is not None:
        return found.name
    if _is_foreign(x):
        return None
    raise _refused(x)


def device(x: Any) -> Any:
    """Return the device of an array, as its library names it.

    Parameters
    ----------
    x : array
        Any standard array.

    Returns
    -------
    device
        The library's own object; creation functions of `array_namespace(x)` accept it. None for
        JAX's tracers, arrays spread over several devices, and, where JAX has several devices,
        arrays that it hasn't bound to one (``x.committed``): they go with arrays anywhere.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.device(np.ones(3))
    'cpu'
    """
    found = _answering(x)
    if found is not None:
        return found.device(x)
    if not _is_foreign(x):
        raise _refused(x)
    return x.device


def is_lazy(x: Any) -> bool:
    """Return whether an array's values can't be read (yet).

    Parameters
    ----------
    x : array
        Any standard array.

    Returns
    -------
    bool
        True for Dask arrays, JAX tracers, and torch tensors under torch.func, torch.compile or on
        the meta device.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.is_lazy(np.ones(3))
    False
    """
    found = _answering(x)
    if found is not None:
        return found.is_lazy(x)
    if not _is_foreign(x):
        raise _refused(x)
    return bool(_compat_is_lazy(x))


def is_concrete(x: Any) -> bool:
    """Tell if values can be checked at no cost: an eager array on the host, or a NumPy scalar."""
    found = _answering(x)
    return found is not None and found.is_concrete(x)


def is_readable(x: Any) -> bool:
    """Tell if an array's own values can be read at no cost: those closed over under jit, too."""
    found = _answering(x)
    return found is not None and found.is_readable(x)


def quiet(x: Any) -> AbstractContextManager[Any]:
    """Suppress floating-point warnings of untaken branches and rejected steps."""
    return (_answering(x) or FOREIGN).quiet()


def describe(x: object) -> str:
    """Describe an object for a message: library or class, dtype, shape, device."""
    cls = type(x)
    if isinstance(x, type) or not hasattr(x, "shape") or not hasattr(x, "dtype"):
        text = repr(x)
        return f"{cls.__name__} {text if len(text) < 60 else text[:57] + '...'}"
    found = library_of(x)
    name = found.name if found is not None else f"{cls.__module__}.{cls.__qualname__}"
    where = found.device(x) if found is not None else getattr(x, "device", None)
    text = f"{name} array of {x.dtype}, shape {tuple(x.shape)}"
    return text if where is None else f"{text}, on {where}"


def _call_site(arrays: tuple[object, ...]) -> tuple[str, list[str]]:
    """Name of the public function, and the names of the arrays in it."""
    depth = 2
    while sys._getframe(depth + 1).f_code.co_filename == __file__:
        depth += 1
    frame = sys._getframe(depth)  # the function of this file that was called
    names: dict[int, str] = {}
    numbers = {id(a): i for i, a in enumerate(arrays, 1)}
    own = frame.f_code.co_name == "array_namespace"
    if own:
        numbers = {id(a): i for i, a in enumerate(frame.f_locals["arrays"], 1)}
        if frame.f_back is not None and not frame.f_back.f_code.co_name.startswith("<"):
            frame, own = _public(frame.f_back), False  # the function that it was called for
    if not own:
        for name, value in frame.f_locals.items():
            names.setdefault(id(value), name)
            for i, part in enumerate(value if isinstance(value, tuple) else ()):
                names.setdefault(id(part), f"{name}[{i}]")
    labels = [
        f"argument {names[id(a)]!r}" if id(a) in names else f"argument number {numbers[id(a)]}"
        for a in arrays
    ]
    return frame.f_code.co_name, labels


def _public(frame: Any) -> Any:
    """The nearest calling frame of a public function, or of a method of a public object, such as
    a distribution; else the frame itself."""
    found = frame
    while found is not None and found.f_globals.get("__name__", "").startswith("likewise."):
        package = sys.modules.get(found.f_globals["__name__"].partition("._")[0])
        name, known = found.f_code.co_name, getattr(package, "__all__", ())
        owner = getattr(found.f_locals.get("self"), "name", None)
        named = isinstance(owner, str) and owner in known
        if name in known or (named and not name.startswith("_")):
            return found
        found = found.f_back
    return frame


def _mixed(arrays: tuple[object, ...]) -> MixedLibrariesError:
    function, labels = _call_site(arrays)
    came = "; ".join(
        f"{label} is a {describe(a)}"
        for label, a in zip(labels, arrays, strict=True)
        if type(a) not in _NEUTRAL
    )
    return MixedLibrariesError(
        f"{function}: arrays of one library were expected, but {came}. "
        "Convert with likewise.asarray(x, like=y)."
    )


def _refused(x: object) -> ArrayTypeError:
    function, (label,) = _call_site((x,))
    hint = _refusal(x) or _way(x)
    return ArrayTypeError(
        f"{function}: {label} must be a standard array "
        f"({', '.join(LIBRARIES)}, or any object with __array_namespace__), "
        f"got a {type(x).__module__}.{type(x).__qualname__}: {describe(x)}. {hint}"
    )


def _way(x: object) -> str:
    """Return how to make an array of an object, which may be a store larger than memory."""
    if type(x).__module__.partition(".")[0] in ("h5py", "zarr"):
        return "Read it, x[...], or go through it in pieces: likewise.map_chunks(fun, x)."
    return "Make it an array first, for instance by numpy.asarray."
