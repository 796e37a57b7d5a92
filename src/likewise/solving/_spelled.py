"""Functions whose trace is determined by their code, for each kind of arguments.

Tracing a function takes as long as ten to fifty of its calls. If its code refers only to the
libraries' functions, numbers, and other such functions, the code and the numbers determine its
trace. Globals are looked up in each call, so changes are detected. Anything else, such as an object
with attributes, a list, an array from outside, a random number or a clock, may change undetected:
such a function is traced.
"""

import builtins
import collections
import dis
import functools
import hashlib
import sys
import types
from collections.abc import Hashable
from typing import Any

from .._namespace import is_neutral, library_named, library_of
from .._standard import FFT, LINALG, STANDARD
from ..transforms._following._kinds import exact
from ..transforms._following._numpys._table import FUNCTIONS, METHODS, UFUNCS

__all__ = ["contents", "held", "of_others", "spelled"]

# Attributes of arrays and of libraries' modules that are the same for the same array.
_ATTRIBUTES = (
    (STANDARD | FFT | LINALG)
    .union(FUNCTIONS, METHODS, UFUNCS)
    .union("T array_namespace dtype imag linalg mT missing ndim real set shape size".split())
    .difference("empty empty_like from_dlpack fill sort".split())
)
_BUILTINS = frozenset(
    getattr(builtins, name)
    for name in "abs bool complex enumerate float int len list max min range reversed sum tuple "
    "zip".split()
)
_FUNCTIONS = ("ufunc", "_ArrayFunctionDispatcher")  # NumPy's, imported by name
# Of code: what changes something outside, or looks for what isn't known here.
_REFUSED = frozenset(
    """STORE_GLOBAL DELETE_GLOBAL STORE_ATTR DELETE_ATTR IMPORT_NAME IMPORT_FROM LOAD_NAME
    LOAD_BUILD_CLASS LOAD_SUPER_ATTR LOAD_CLASSDEREF DELETE_DEREF""".split()
)
_NUMBERS = frozenset((int, float, complex, bool, str, type(None)))
_WRAPPED = frozenset(["__wrapped__"])  # attributes of a function that its code doesn't read
_MISSING = object()
_ROOMS = frozenset("fft linalg missing signal special transforms".split())
_LARGE = 1 << 16  # bytes of the arrays that a function may hold
_DEPTH = 8  # of functions that call functions


class _Unsaid(Exception):
    """Raised if the code doesn't determine the trace."""


def held(x: Any) -> tuple[Any, ...]:
    """Return what a function, besides its code and globals, or a partial holds.

    Raises ValueError if a variable of an enclosing function has no value.
    """
    if type(x) is functools.partial:
        return (x.func, *x.args, *x.keywords, *x.keywords.values())
    named = x.__kwdefaults__ or {}
    cells = [cell.cell_contents for cell in x.__closure__ or ()]
    return (*(x.__defaults__ or ()), *named, *named.values(), *cells)


def spelled(function: Any, arrays: list[Any] | None = None) -> Hashable:
    """Return a key that is equal for functions with equal traces, or None.

    With a list, functions may hold arrays in the host's memory, up to some size in all. These are
    appended to it, and the key has their values.
    """
    out: list[Any] = []
    try:
        _spell(function, _DEPTH, out, arrays)
    except (_Unsaid, ValueError):  # a cell without contents
        return None
    return tuple(out)


def _spell(x: Any, left: int, out: list[Any], arrays: list[Any] | None) -> None:
    cls = type(x)
    if cls is types.FunctionType:
        _spell_function(x, left, out, arrays)
    elif cls is tuple:
        out += cls, len(x)
        for part in x:
            _spell(part, left, out, arrays)
    elif cls in _NUMBERS:
        out.append(exact(x))
    elif cls is functools.partial:
        out += cls, len(x.args)
        _spell(held(x), left, out, arrays)
    elif _fixed(x, cls):
        out.append(x)
    elif arrays is not None and hasattr(x, "dtype") and not is_neutral(x):
        arrays.append(x)
        out += _digest(x, arrays)
    else:
        raise _Unsaid


def _digest(x: Any, arrays: list[Any]) -> tuple[Any, ...]:
    """Return a key of an array's kind and values, if these are at hand."""
    library = library_of(x)
    if library is None or not (library.recordable(x) and library.is_host(x)):
        raise _Unsaid
    if not hasattr(x, "tobytes") or sum(int(a.nbytes) for a in arrays) > _LARGE:
        raise _Unsaid
    return library.sketch(x), hashlib.blake2b(x.tobytes(), digest_size=16).digest()


def _fixed(x: Any, cls: type) -> bool:
    """Tell whether an object never changes."""
    if cls is types.ModuleType:
        named = _known(x.__name__) or x.__name__ == "math"
        return named and sys.modules.get(x.__name__) is x
    if cls is types.BuiltinFunctionType or cls is type:
        return x in _BUILTINS
    if cls.__name__ in _FUNCTIONS and library_named(cls.__module__):
        return x.__name__ in _ATTRIBUTES
    return False


def _known(module: str) -> bool:
    root = module.partition(".")[0]
    return root in ("likewise", "array_api_compat") or library_named(module) is not None


def _spell_function(
    x: types.FunctionType, left: int, out: list[Any], arrays: list[Any] | None
) -> None:
    module = x.__module__ or ""
    if (x.__name__ in _ATTRIBUTES and _known(module)) or _pure(x, module):
        out.append(x)
        return
    names = _globals(x.__code__)
    if names is None or left == 0 or not _WRAPPED.issuperset(x.__dict__):
        raise _Unsaid
    out.append(x.__code__)
    _spell(held(x), left - 1, out, arrays)
    space = x.__globals__
    for name in names:
        found = space.get(name, space)
        if found is space:
            found = getattr(builtins, name, _MISSING)
        _spell(found, left - 1, out, arrays)


def _pure(x: types.FunctionType, module: str) -> bool:
    """Tell if this is a public function of likewise that depends on its arguments alone."""
    package, _, rest = module.partition(".")
    room, _, file = rest.partition(".")
    return package == "likewise" and room in _ROOMS and file != "_callback" and x.__name__[0] != "_"


@functools.lru_cache(maxsize=1024)
def _globals(code: types.CodeType) -> tuple[str, ...] | None:
    """Return the globals that code refers to; None if it has unknown instructions."""
    names: dict[str, None] = {}
    for step in dis.get_instructions(code):
        what, value = step.opname, step.argval
        if what in _REFUSED or (what == "STORE_DEREF" and value in code.co_freevars):
            return None
        if what in ("LOAD_ATTR", "LOAD_METHOD") and value not in _ATTRIBUTES:
            return None
        if what == "LOAD_GLOBAL":
            names[value] = None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = _globals(constant)
            if inner is None:
                return None
            names |= dict.fromkeys(inner)
    return tuple(names)


_MANY = 1000  # objects of which the contents are looked at
_EMPTY = types.CellType()


def contents(x: Any) -> list[Any]:
    """Return what functions hold in lists, dicts, objects and variables, to see if they change it.

    Counts of calls, for instance. Numbers and small arrays are known by their values, others by
    their identity.
    """
    out: list[Any] = []
    seen: dict[int, Any] = {}

    def add(x: Any) -> None:
        key = exact(x) if type(x) in _NUMBERS else None
        library = None if key is not None or isinstance(x, type) else library_of(x)
        if library is not None and hasattr(x, "tobytes") and library.is_host(x):
            key = x.tobytes() if x.nbytes <= _LARGE else None
        out.append(("id", id(x)) if key is None else key)
        if key is not None or id(x) in seen or len(seen) >= _MANY:
            return
        seen[id(x)] = x
        for part in _parts(x):
            add(part)

    add(x)
    return out


def _parts(x: Any) -> list[Any]:
    """Return the objects in an object that a user's function may write to."""
    cls = type(x)
    if cls is types.FunctionType:
        if _known(x.__module__ or ""):
            return []
        cells = [cell for cell in x.__closure__ or () if cell != _EMPTY]
        names = [n for n in _names(x.__code__) if n in x.__globals__]
        return [
            *(x.__defaults__ or ()),
            *(x.__kwdefaults__ or {}).values(),
            *(cell.cell_contents for cell in cells),
            *(x.__globals__[n] for n in names),
            *x.__dict__.values(),
        ]
    if cls is types.MethodType:
        return [x.__func__, x.__self__]
    if cls is functools.partial:
        return [*held(x)]
    if cls is types.ModuleType:
        return [] if of_others(x.__name__) else [*vars(x).values()]
    inner: list[Any] = []
    if isinstance(x, dict):
        inner += [*x.keys(), *x.values()]
    elif isinstance(x, list | tuple | set | frozenset | collections.deque):
        inner += x
    if hasattr(x, "dtype") or of_others(str((x if isinstance(x, type) else cls).__module__)):
        return inner
    if not isinstance(x, type):
        inner.append(cls)
    slots = [n for c in cls.__mro__ for n in getattr(c, "__slots__", ()) if isinstance(n, str)]
    inner += [getattr(x, n) for n in slots if n[:2] != "__" and hasattr(x, n)]
    return [*inner, *getattr(x, "__dict__", {}).values()]


def of_others(module: str) -> bool:
    """Tell if a module is Python's, an array library's, or likewise's."""
    return module.partition(".")[0] in sys.stdlib_module_names or _known(module)


@functools.lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of globals and attributes that code and the functions in it refer to."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return (*code.co_names, *(n for c in inner for n in _names(c)))
