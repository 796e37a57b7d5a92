"""A library's functions by instruction, for the interpreter's rules and for users."""

import copy
import functools
from collections.abc import Callable
from typing import Any

from ..._library import Library
from ..._memo import PLAIN
from ..._namespace import Namespace, array_namespace, device, hooks_of, is_neutral, library_of
from ..._native import counterpart
from ..._standard import DTYPES
from ...missing import at
from ._escapes import raise_escape
from ._instructions import BY_KEYWORD, COMPOSITES, CREATION, INSPECTION, INSTRUCTIONS, ITSELF, VIEWS
from ._interpreter import RECORDERS, in_batch, recorder
from ._numpys import REFLECTED, call_function, call_ufunc, member
from ._proxy import Proxy, any_proxy, apply, bottom, filled, lift, related, split

__all__ = ["OPERATORS", "Space", "space_of"]


def _set(x: Any, v: Any, *found: Any, index: Any) -> Any:
    """Return the array with other values in some places."""
    numbers = all(type(i) is int for i in found)
    fits = getattr(v, "dtype", None) == x.dtype
    fits = fits or (type(v) is float and str(x.dtype).endswith(("float64", "float32")))
    if PLAIN.get(type(x), x) is None and numbers and fits:
        x = hooks_of(x).copied(x)
        x[filled(index, found)] = v
        return x
    return at(x)[filled(index, found)].set(v)


OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negative": lambda a: -a,
    "matmul": lambda a, b: a @ b,
    "getitem": lambda x, *found, index: x[filled(index, found)],
    "setitem": _set,
    "stop_gradient": lambda x: x,
    "index_add": lambda x, v, *found, index: at(x)[filled(index, found)].add(v),
}


# Functions of NumPy's that return no arrays, or write to their arguments.
_NO_ARRAYS = frozenset(
    """allclose array_equal array_equiv copyto fill_diagonal iscomplexobj isrealobj ndim piecewise
    place put put_along_axis putmask result_type shape size""".split()
)


def _recorded(name: str | None, call: Any, args: Any, kwargs: Any) -> Any:
    """Call a function of the library so that a recording notes it, or return NotImplemented."""
    by = recorder() if RECORDERS and "out" not in kwargs else None
    if by is None:
        return NotImplemented
    own = all(a.by is by for a in args if a.__class__ is Proxy)
    return by.note(name, call, args, kwargs) if name and own else by.noted(call, args, kwargs)


class _Inexact(dict[Any, bool]):
    """Cache whether dtypes are floating."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def __missing__(self, dtype: Any) -> bool:
        kinds = ("real floating", "complex floating")
        return self.setdefault(dtype, bool(self.raw.isdtype(dtype, kinds)))


class Space(Library):
    """Hold a library's functions for the interpreter; it is the library of proxies for ``_libs``.

    Attributes
    ----------
    raw : Namespace
        The library's own standard namespace.
    call : dict
        Per instruction, the function on the library's own arrays.
    xp : Namespace
        For rules: the library's own function unless a proxy is among the operands.
    namespace : Namespace
        For users: as `xp`, but all resulting arrays are proxies.
    inexact : callable
        Whether a dtype is real or complex floating; a dict lookup, because each step calls it.
    """

    name = "interpreter"

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.call: dict[str, Callable[..., Any]] = {}
        self.direct: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {}
        self.inexact: Callable[[Any], bool] = _Inexact(raw).__getitem__
        for name, row in INSTRUCTIONS.items():
            where, _, short = name.rpartition(".")
            found = getattr(getattr(raw, where, None) if where else raw, short, None)
            found = OPERATORS.get(name, found)
            if found is not None:
                found = _of_list(found) if row.rest and not row.operands else found
                found = _by_keyword(found, *BY_KEYWORD[name]) if name in BY_KEYWORD else found
                self.call[name] = _by_position(name, found)
                if self.call[name] is not found:
                    self.direct[name] = found, _required(name)
        self.xp = self._namespace(False)
        self.namespace = self._namespace(True)
        self.namespace.__dict__["over"] = raw

    def _namespace(self, lifted: bool) -> Namespace:
        names: dict[str, Any] = {}
        extensions: dict[str, dict[str, Any]] = {"fft": {}, "linalg": {}}
        for name in (*INSTRUCTIONS, *COMPOSITES, *CREATION, *INSPECTION):
            where, _, short = name.rpartition(".")
            function: Callable[..., Any]
            if name in self.call:
                function = _instruction(self, name, lifted)
            elif name in COMPOSITES:
                function = _composite(self, name, lifted)
            elif name in CREATION and _has(self.raw, where, short):
                function = _creation(self, where, short)
            elif name in INSPECTION and hasattr(self.raw, name):
                function = _inspection(self, name)
            else:
                continue
            if lifted and name not in INSPECTION:
                function = _lifted(self, function, name)
            function.__name__ = function.__qualname__ = short
            (extensions[where] if where else names)[short] = function
        for name in dir(self.raw):
            if name not in names and name not in ("fft", "linalg"):
                found = getattr(self.raw, name)
                if not callable(found) or isinstance(found, type) or name in DTYPES:
                    names[name] = found
        library = getattr(self.raw, "library", self.raw.__name__)
        for extension, members in extensions.items():
            if hasattr(self.raw, extension):
                names[extension] = Namespace(library, members, "." + extension)
        return Namespace(library, names)

    def version(self) -> str:
        return str(getattr(self.raw, "__array_api_version__", ""))

    def is_array(self, x: object) -> bool:
        return type(x) is Proxy

    def is_lazy(self, x: Any) -> bool:
        return x.by is None or not x.by.sees

    def is_host(self, x: Any) -> bool:
        return not self.is_lazy(x) and self.of.is_host(x.value)

    def recorded(self, x: Any) -> bool:
        return True

    def own(self, x: Any) -> Any:
        return copy.copy(x)

    def to_numpy(self, x: Any) -> Any:
        x.__array__()

    def quiet(self) -> Any:
        return hooks_of(self._one).quiet()

    @property
    def convolution(self) -> Any:  # type: ignore[override]
        return self.of.convolution

    @functools.cached_property
    def of(self) -> Library:
        """Return the library below all interpreters."""
        return hooks_of(self._one)

    @functools.cached_property
    def maps_steps(self) -> str:  # type: ignore[override]
        return "likewise.transforms._blocks:step_over_blocks" if self.of.in_blocks else ""

    @functools.cached_property
    def array(self) -> type:
        """Return the class of the library's arrays."""
        return type(self._one)

    def ufunc(self, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: Any) -> Any:
        """Call one of NumPy's universal functions on proxies."""
        if self.of.own_functions:
            name = self._names.get(ufunc) if method == "__call__" and not kwargs else None
            own = ufunc if method == "__call__" else getattr(ufunc, method)
            out = _recorded(name, own, inputs, kwargs)
            if out is not NotImplemented:
                return out
            return call_ufunc(self, ufunc, method, inputs, kwargs)
        numbers = [x.item() if is_neutral(x) and hasattr(x, "item") else x for x in inputs]
        operator = REFLECTED.get(ufunc.__name__)
        if operator is None or method != "__call__" or kwargs or library_of(numbers[0]) is not None:
            return raise_escape(counterpart(ufunc)[0] or f"numpy.{ufunc.__name__}")
        return operator(*numbers)

    def function(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call another of NumPy's functions on proxies."""
        if self.of.own_functions:
            if function.__name__ not in _NO_ARRAYS:
                out = _recorded(None, function, args, kwargs)
                if out is not NotImplemented:
                    return out
            return call_function(self, function, args, kwargs)
        if function.__name__ in ("ndim", "shape"):
            return getattr(args[0], function.__name__)
        return raise_escape(f"numpy.{function.__name__}")

    def member(self, x: Any, name: str) -> Any:
        """Return an attribute of the library's arrays beyond the standard's, or NotImplemented."""
        return member(x, name) if self.of.own_functions else NotImplemented

    def number(self, x: Any) -> Any:
        """Return a NumPy scalar as an operand."""
        return self.raw.asarray(x) if self.of.strong_scalars else x.item()

    def arrays(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return complex numbers as arrays, if combined with double precision.

        Python would make a Python number of one and NumPy's float64, which is a Python float.
        """
        double = self.raw.float64, self.raw.complex128
        if not any(a.__class__ is Proxy and a.dtype in double for a in operands):
            return operands
        return tuple(self.raw.asarray(a) if a.__class__ is complex else a for a in operands)

    @property
    def _one(self) -> Any:
        return self.raw.ones(())

    @functools.cached_property
    def _names(self) -> dict[Any, str]:
        """Return the standard's names of universal functions."""
        return {function: name for name, function in self.of.writing.items()}

    @functools.cached_property
    def in_place(self) -> bool:
        """Tell if ``x += y`` writes to x."""
        return hasattr(type(self._one), "__iadd__")

    @functools.cached_property
    def lists(self) -> bool:
        """Tell if the library treats lists in an index as arrays."""
        try:
            self.raw.ones(2)[[0, 0]]
        except (TypeError, IndexError):  # the standard's indices are arrays
            return False
        return True

    def indexed(self, index: Any) -> Any:
        """Return an index with arrays in place of lists."""
        if isinstance(index, list):
            return self._array(index)
        if isinstance(index, tuple) and any(isinstance(i, list) for i in index):
            return tuple(self._array(i) if isinstance(i, list) else i for i in index)
        return index

    def _array(self, index: list[Any]) -> Any:
        if not self.lists or any_proxy(index):
            return index
        return self.raw.asarray(index) if index else self.raw.asarray([], dtype=self.raw.int64)

    @functools.cached_property
    def scalars(self) -> bool:
        """Tell if an element of an array is a scalar, not a view."""
        return is_neutral(self.raw.ones(1)[0])

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        where, found = split(index)
        return lift(self, apply("setitem", (x, value, *found), {"index": where}))


def _has(raw: Any, where: str, name: str) -> bool:
    return hasattr(getattr(raw, where, None) if where else raw, name)


def _required(name: str) -> tuple[str, ...]:
    return tuple(k for k, default in INSTRUCTIONS[name].settings.items() if default is ...)


def _by_position(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass settings without a default by position, as the standard requires for some."""
    required = _required(name)
    if not required or name in OPERATORS:
        return function

    def call(*operands: Any, **settings: Any) -> Any:
        more = [settings.pop(k) for k in required]
        return function(*operands, *more, **settings)

    return call


def _of_list(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arrays: Any, **settings: Any) -> Any:
        return function(arrays, **settings)

    return call


def _by_keyword(
    function: Callable[..., Any], first: int, names: tuple[str, ...]
) -> Callable[..., Any]:
    def call(*operands: Any, **settings: Any) -> Any:
        more = zip(names, operands[first:], strict=False)
        given = {n: a for n, a in more if a is not None}
        return function(*operands[:first], **given, **settings)

    return call


def _instruction(space: Space, name: str, lifted: bool) -> Callable[..., Any]:
    """Make a function of the standard, with its signature, that calls `apply` for proxies."""
    row = INSTRUCTIONS[name]
    raw = space.call[name]
    most = len(row.operands) if row.rest is None else 0
    own: Any = None  # what rules call on arrays, in the signature that it has
    if not (lifted or row.rest or name in OPERATORS or name in BY_KEYWORD):
        where, _, short = name.rpartition(".")
        own = getattr(getattr(space.raw, where) if where else space.raw, short)
    # Operands by name may be proxies, and settings without a default may be by position only.
    named = {*row.operands, *(k for k, default in row.settings.items() if default is ...)}

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) > most:
            if own is not None and kwargs.keys().isdisjoint(named):
                for a in args:
                    if a.__class__ is Proxy:
                        break
                else:
                    if not (RECORDERS and recorder()):
                        return own(*args, **kwargs)
            args, kwargs = row.bind(args, kwargs)
        for a in args:
            if a.__class__ is Proxy:
                return apply(name, args, kwargs)
        if RECORDERS and recorder():
            return recorder().process(name, args, kwargs, space)
        return raw(*args, **kwargs)

    return function


def _lifted(space: Space, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    if name in VIEWS:

        def viewing(*args: Any, **kwargs: Any) -> Any:
            return related(args[0], lift(space, function(*args, **kwargs)))

        return viewing
    if name in ITSELF:

        def same(x: Any, *args: Any, **kwargs: Any) -> Any:
            out = lift(space, function(x, *args, **kwargs))
            return related(x, out) if bottom(out) is bottom(x) else out

        return same

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        out = function(*args, **kwargs)
        return out if out.__class__ is Proxy else lift(space, out)

    return wrapped


def _creation(space: Space, where: str, name: str) -> Callable[..., Any]:
    raw = getattr(getattr(space.raw, where), name) if where else getattr(space.raw, name)
    full = f"{where}.{name}" if where else name

    def function(*args: Any, **kwargs: Any) -> Any:
        xp = space.xp
        if name.endswith("_like"):
            x, *rest = args
            like = _laid_out(space, x)
            if like is not None:
                by = recorder() if RECORDERS else None
                if by is not None:
                    return by.create(full, raw, (like, *rest), kwargs)
                return raw(like, *rest, **kwargs)
            dtype = kwargs.get("dtype") or x.dtype
            where = kwargs.get("device")
            where = device(x) if where is None else where
            args = (tuple(x.shape), *rest)
            if "fill_value" in kwargs:
                args = (*args, kwargs["fill_value"])
            fresh = getattr(xp, name.removesuffix("_like"))
            return fresh(*args, dtype=dtype, device=where)
        if name == "full" and (len(args) > 1 or "fill_value" in kwargs):
            shape = args[0] if args else kwargs["shape"]
            value = args[1] if len(args) > 1 else kwargs["fill_value"]
            if type(value) is Proxy:
                dtype = kwargs.get("dtype") or value.dtype
                shape = (shape,) if isinstance(shape, int) else tuple(shape)
                return xp.broadcast_to(xp.astype(value, dtype), shape)
        if name == "asarray":
            x = args[0] if args else kwargs["obj"]
            if type(x) is Proxy:
                return _as_array(xp, x, **{k: v for k, v in kwargs.items() if k != "obj"})
            if isinstance(x, list | tuple) and any_proxy(x):
                return _as_array(xp, _stacked(xp, x, kwargs.get("dtype")), **kwargs)
        if RECORDERS and recorder():
            return recorder().create(full, raw, args, kwargs)
        return raw(*args, **kwargs)

    return function


def _laid_out(space: Space, x: Any) -> Any:
    """Return the array whose layout a new array gets if its shape doesn't determine it, or None."""
    while x.__class__ is Proxy and not (x.by and (x.by.records or x.by.lead)):
        x = x.value
    below = bottom(x)
    if is_neutral(below) or space.of.row_major(below):
        return None
    noted = x.__class__ is Proxy and x.by is recorder()
    return x if noted or not (x.__class__ is Proxy or recorder()) else None


def _as_array(
    xp: Any, x: "Proxy", dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Any:
    if dtype is not None and dtype != x.dtype:
        return xp.astype(x, dtype)
    return xp.astype(x, x.dtype) if copy else x


def _stacked(xp: Any, values: Any, dtype: Any) -> Any:
    """Stack nested lists of proxies and numbers."""
    items = [_stacked(xp, v, dtype) if isinstance(v, list | tuple) else v for v in values]
    one = next(i for i in items if hasattr(i, "dtype") and not is_neutral(i))
    common = dtype or xp.result_type(*items)
    made = [
        xp.astype(i, common)
        if hasattr(i, "dtype") and not is_neutral(i)
        else xp.asarray(i, dtype=common, device=device(one))
        for i in items
    ]
    return xp.stack(made)


def _inspection(space: Space, name: str) -> Callable[..., Any]:
    raw = getattr(space.raw, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        out = raw(*(bottom(a) for a in args), **kwargs)
        return _Info(out) if name == "__array_namespace_info__" else out

    return function


class _Info:
    """Describe the capabilities of a namespace: in a batch, no shapes that depend on values."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def capabilities(self) -> dict[str, Any]:
        found = dict(self._raw.capabilities())
        if in_batch():
            found |= {"boolean indexing": False, "data-dependent shapes": False}
        return found


def _composite(space: Space, name: str, lifted: bool) -> Callable[..., Any]:
    made = {"broadcast_arrays": _broadcast_arrays, "meshgrid": _meshgrid}[name]

    def function(*args: Any, **kwargs: Any) -> Any:
        return made(space.namespace if lifted else space.xp, *args, **kwargs)

    return function


def _broadcast_arrays(xp: Any, *arrays: Any) -> tuple[Any, ...]:
    shape = xp.broadcast_shapes(*(tuple(a.shape) for a in arrays))
    return tuple(xp.broadcast_to(a, shape) for a in arrays)


def _meshgrid(xp: Any, *arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    n = len(arrays)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0
    shape: list[int] = [0] * n
    for a, place in zip(arrays, order, strict=True):
        shape[place] = a.shape[0] if a.ndim else 1
    out = []
    for a, place in zip(arrays, order, strict=True):
        wide = tuple(shape[place] if i == place else 1 for i in range(n))
        out.append(xp.broadcast_to(xp.reshape(a, wide), tuple(shape)))
    return tuple(out)


_SPACES: dict[Any, Space] = {}


def space_of(*arrays: Any) -> Space:
    """Return the space of the arrays' library."""
    for x in arrays:
        if type(x) is Proxy:
            return x.space
    raw = array_namespace(*arrays)
    # A namespace may lose its extensions for a while: array-api-strict has flags for that.
    key = (raw, hasattr(raw, "fft"), hasattr(raw, "linalg"))
    try:
        return _SPACES[key]
    except KeyError:
        return _SPACES.setdefault(key, Space(raw))
