"""The array that stands in for an array, and the one hook that sees every step.

A `Proxy` answers ``__array_namespace__`` with a namespace in which each function of the standard
goes through `apply`. The proxies of one open transform belong to its `Interpreter`; transforms
that are open inside one another have rising levels, and `apply` hands a call to the highest among
its operands, whose rules work on what lies below: proxies of lower levels, or the library's own
arrays. A proxy of no interpreter is a constant: what creation functions return.
"""

import functools
import itertools
import sys
import sysconfig
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from .._namespace import (
    ARRAY_PACKAGES,
    Namespace,
    array_namespace,
    device,
    is_neutral,
    library_of,
)
from .._standard import DTYPES
from ..errors import LikewiseError, TransformError
from ..missing import at
from ._instructions import COMPOSITES, CREATION, HOLE, INSPECTION, INSTRUCTIONS

__all__ = [
    "Interpreter",
    "Proxy",
    "Space",
    "apply",
    "bottom",
    "interpreted",
    "is_open",
    "lift",
    "native",
    "opened",
    "raise_escape",
    "rebuilt",
    "related",
    "reopened",
    "run",
    "space_of",
    "split",
    "users_line",
]

_PACKAGE = __name__.partition(".")[0]
_STDLIB = sysconfig.get_paths()["stdlib"]
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negative": lambda a: -a,
    "matmul": lambda a, b: a @ b,
    "getitem": lambda x, *found, index: x[filled(index, found)],
    "setitem": lambda x, v, *found, index: at(x)[filled(index, found)].set(v),
    "stop_gradient": lambda x: x,
    "index_add": lambda x, v, *found, index: at(x)[filled(index, found)].add(v),
}
_LISTS = {"concat", "stack"}
# Operands after the first that are given by keyword only.
_KEYWORDS = {"diff": (1, ("prepend", "append")), "searchsorted": (2, ("sorter",))}
# What may share memory with its operand, where the library has mutable arrays.
_VIEWS = frozenset(
    """broadcast_to expand_dims flip getitem matrix_transpose moveaxis permute_dims real imag
    reshape squeeze stop_gradient unstack linalg.diagonal linalg.matrix_transpose""".split()
)


def filled(index: Any, arrays: tuple[Any, ...]) -> Any:
    """An index with the arrays back in their holes."""
    if not arrays:
        return index
    left = iter(arrays)
    if not isinstance(index, tuple):
        return next(left)
    return tuple(next(left) if i is HOLE else i for i in index)


class _Inexact(dict[Any, bool]):
    """Dtypes that were asked about."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def __missing__(self, dtype: Any) -> bool:
        known = ("float64", "float32", "complex128", "complex64")
        found = any(dtype == getattr(self.raw, n, None) for n in known)
        return self.setdefault(dtype, found)


class Space:
    """One library as the interpreter sees it; the library of its proxies, as ``_libs`` means it.

    Attributes
    ----------
    raw : Namespace
        The library's own standard namespace.
    call : dict
        Per instruction, the function on the library's own arrays.
    xp : Namespace
        For rules: the library's own function unless a proxy is among the operands.
    namespace : Namespace
        For users: as `xp`, and every array that comes out is a proxy.
    inexact : callable
        Whether a dtype is real or complex floating; asked at each step, so a look into a dict.
    """

    name = "interpreter"

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.call: dict[str, Callable[..., Any]] = {}
        self.inexact: Callable[[Any], bool] = _Inexact(raw).__getitem__
        for name in INSTRUCTIONS:
            where, _, short = name.rpartition(".")
            found = getattr(getattr(raw, where, None) if where else raw, short, None)
            found = _OPERATORS.get(name, found)
            if found is not None:
                found = _of_list(found) if name in _LISTS else found
                found = _by_keyword(found, *_KEYWORDS[name]) if name in _KEYWORDS else found
                self.call[name] = _by_position(name, found)
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

    def own_types(self) -> tuple[type, ...]:
        return ()  # a class says nothing about the library below

    def is_array(self, x: object) -> bool:
        return type(x) is Proxy

    def refusal(self, x: object) -> str | None:
        return None

    def device(self, x: Any) -> Any:
        return x.device

    def is_lazy(self, x: Any) -> bool:
        return True

    def is_host(self, x: Any) -> bool:
        return False

    def recorded(self, x: Any) -> bool:
        return True

    def to_numpy(self, x: Any) -> Any:
        raise_escape("a conversion to NumPy")

    def quiet(self) -> Any:
        return getattr(library_of(self._one), "quiet", nullcontext)()

    @property
    def _one(self) -> Any:
        return self.raw.ones(())

    @functools.cached_property
    def in_place(self) -> bool:
        """Tell if ``x += y`` writes to x."""
        return hasattr(type(self._one), "__iadd__")

    @functools.cached_property
    def lists(self) -> bool:
        """Tell if the library takes lists for arrays in an index."""
        try:
            self.raw.ones(2)[[0, 0]]
        except (TypeError, IndexError):  # the standard's indices are arrays
            return False
        return True

    def indexed(self, index: Any) -> Any:
        """An index with arrays in place of lists, whose elements may repeat as an array's may."""
        if isinstance(index, list):
            return self._array(index)
        if isinstance(index, tuple) and any(isinstance(i, list) for i in index):
            return tuple(self._array(i) if isinstance(i, list) else i for i in index)
        return index

    def _array(self, index: list[Any]) -> Any:
        if not self.lists or _any_proxy(index):
            return index
        return self.raw.asarray(index) if index else self.raw.asarray([], dtype=self.raw.int64)

    @functools.cached_property
    def scalars(self) -> bool:
        """Tell if an element of an array is a scalar and no view."""
        return is_neutral(self.raw.ones(1)[0])

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        where, found = split(index)
        return lift(self, apply("setitem", (x, value, *found), {"index": where}))


def _has(raw: Any, where: str, name: str) -> bool:
    return hasattr(getattr(raw, where, None) if where else raw, name)


def _by_position(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Settings without a default are by position in the standard, some by position only."""
    required = [k for k, default in INSTRUCTIONS[name].settings.items() if default is ...]
    if not required or name in _OPERATORS:
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
    """A function of the standard, in its signature, that `apply` sees if a proxy is among it."""
    row = INSTRUCTIONS[name]
    raw = space.call[name]
    most = len(row.operands) if row.rest is None else 0
    own: Any = None  # what rules call on arrays, in the signature that it has
    if not (lifted or row.rest or name in _OPERATORS or name in _KEYWORDS):
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
                    return own(*args, **kwargs)
            args, kwargs = row.bind(args, kwargs)
        for a in args:
            if a.__class__ is Proxy:
                return apply(name, args, kwargs)
        return raw(*args, **kwargs)

    return function


def _lifted(space: Space, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    if name in _VIEWS:

        def viewing(*args: Any, **kwargs: Any) -> Any:
            return related(args[0], lift(space, function(*args, **kwargs)))

        return viewing
    if name in ("conj", "positive"):  # which some libraries answer with the array itself

        def same(x: Any) -> Any:
            out = lift(space, function(x))
            return related(x, out) if bottom(out) is bottom(x) else out

        return same
    if name == "astype":

        def cast(x: Any, *args: Any, **kwargs: Any) -> Any:
            out = lift(space, function(x, *args, **kwargs))
            return out if kwargs.get("copy", True) else related(x, out)

        return cast

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        out = function(*args, **kwargs)
        return out if out.__class__ is Proxy else lift(space, out)

    return wrapped


def _creation(space: Space, where: str, name: str) -> Callable[..., Any]:
    raw = getattr(getattr(space.raw, where), name) if where else getattr(space.raw, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        xp = space.xp
        if name.endswith("_like"):
            x, *rest = args
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
            if isinstance(x, list | tuple) and _any_proxy(x):
                return _as_array(xp, _stacked(xp, x, kwargs.get("dtype")), **kwargs)
        return raw(*args, **kwargs)

    return function


def _as_array(
    xp: Any, x: "Proxy", dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Any:
    if dtype is not None and dtype != x.dtype:
        return xp.astype(x, dtype)
    return xp.astype(x, x.dtype) if copy else x


def _any_proxy(values: Any) -> bool:
    return any(type(v) is Proxy or (isinstance(v, list | tuple) and _any_proxy(v)) for v in values)


def _stacked(xp: Any, values: Any, dtype: Any) -> Any:
    """Nested lists in which proxies stand beside numbers."""
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
    """Tells what a namespace can do: in a batch, nothing whose shape depends on values."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def capabilities(self) -> dict[str, Any]:
        found = dict(self._raw.capabilities())
        if _OPEN.batches:
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
    """The space of the arrays' library."""
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


class Interpreter(ABC):
    """One open transform: what it makes of each step. Its proxies carry ``extra`` for it."""

    lead = 0  # how many dimensions its arrays have before those that the user sees
    name = "a transform"

    def __init__(self) -> None:
        self.level = next(_levels)
        self.open = True

    @abstractmethod
    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Space) -> Any: ...

    def truth(self, x: "Proxy") -> bool:
        return bool(x.value)


_levels = itertools.count(1)


class _Open(threading.local):
    """How many interpreters this thread has open, how many of them batches; `interpreted`."""

    count = 0
    batches = 0
    forced = False


_OPEN = _Open()


def is_open() -> bool:
    """Tell if an interpreter is open in this thread."""
    return _OPEN.count > 0


def native(name: str, arrays: Any) -> Any:
    """The library's own transform, or None where the interpreter has to do it."""
    if is_open() or _OPEN.forced:
        return None
    for x in arrays:
        if not is_neutral(x):
            library = library_of(x)
            # Quicker than getattr of what isn't there.
            return None if library is None else vars(library).get(name)
    return None


@contextmanager
def interpreted() -> Iterator[None]:
    """The interpreter in place of native transforms, in this thread."""
    outer, _OPEN.forced = _OPEN.forced, True
    try:
        yield
    finally:
        _OPEN.forced = outer


class opened:
    """Follow the user's function; what it leaves behind is of no use afterwards."""

    __slots__ = ("interpreter",)

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def __enter__(self) -> Interpreter:
        _OPEN.count += 1
        _OPEN.batches += self.interpreter.lead
        return self.interpreter

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        _OPEN.count -= 1
        _OPEN.batches -= self.interpreter.lead
        self.interpreter.open = False
        if isinstance(error, Exception):
            _explain(error)


@contextmanager
def reopened(interpreter: Interpreter) -> Iterator[None]:
    """Let a rule that runs after its transform call functions that close over its arrays."""
    was, interpreter.open = interpreter.open, True
    _OPEN.count += 1
    try:
        yield
    finally:
        _OPEN.count -= 1
        interpreter.open = was


def _explain(error: Exception) -> None:
    """Raise an error of ours in place of one that came of proxies in what doesn't know them.

    An error that may have other causes is left, with a note on where and why.
    """
    if isinstance(error, LikewiseError) or not (_of_proxies(error) or _among(error)):
        return
    if any(note.startswith("likewise: ") for note in getattr(error, "__notes__", ())):
        return
    where = users_line(error) or users_line()
    text = (
        f"a function that is being transformed{where} handed its arrays to one that is no function "
        "of their namespace, or a raw array stood left of one in an operator or an assignment. "
        "Take the namespace inside the function, xp = likewise.array_namespace(x), not from an "
        "array outside, and write xp.f(x) in place of np.f(x), xp.asarray(raw) in place of a raw "
        "array on the left and before raw[i] = x, and xp.take(xp.asarray(raw), i) in place of "
        "raw[i]."
    )
    if isinstance(error, TypeError | AttributeError):
        raise TransformError(f"{text} It got {type(error).__name__}: {error}") from error
    error.add_note(f"likewise: {text}")


def _of_proxies(error: BaseException | None) -> bool:
    seen: list[BaseException] = []
    while error is not None and error not in seen:  # `raise e from c`, c met while e was handled
        if isinstance(error, TransformError) or "Proxy" in str(error):
            return True
        # torch, of a tensor with a proxy for an index, which it takes for a tuple.
        if isinstance(error, IndexError) and "too many indices for tensor" in str(error):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _among(error: BaseException) -> bool:
    """Tell if the array library's function in which an error was raised had a proxy."""
    trace = error.__traceback__
    found = False
    while trace is not None:
        frame = trace.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if package in ARRAY_PACKAGES or module.startswith(f"{_PACKAGE}._libs."):
            found = found or _any_proxy(list(frame.f_locals.values()))
        elif package != _PACKAGE:  # a function of the user's that the library has called
            found = False
        trace = trace.tb_next
    return found


def apply(name: str, operands: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """One instruction, at least one operand being a proxy; a proxy or a raw array comes out."""
    top: Interpreter | None = None
    level = 0
    space: Any = None
    for a in operands:
        if a.__class__ is Proxy:
            space = a.space
            by = a.by
            if by is not None and by.level > level:
                top, level = by, by.level
    if top is None:
        return space.call[name](
            *[a.value if a.__class__ is Proxy else a for a in operands], **settings
        )
    if not top.open:
        raise TransformError(
            f"{name}: an array that {top.name} made is used after the transform has ended"
            f"{users_line()}. Return it from the transformed function, or use has_aux=True. An "
            "array from outside to which the function writes (x[i] = y) belongs to the transform "
            "too: make it inside and return it."
        )
    return top.process(name, operands, settings, space)


def run(space: Space, name: str, operands: list[Any], settings: dict[str, Any]) -> Any:
    """An instruction on proxies of lower levels or on the library's own arrays."""
    for a in operands:
        if a.__class__ is Proxy:
            return apply(name, tuple(operands), settings)
    return space.call[name](*operands, **settings)


def lift(space: Space, x: Any) -> Any:
    """A proxy in place of each array that isn't one."""
    if x.__class__ is Proxy:
        return x
    if isinstance(x, tuple | list) and not hasattr(x, "dtype"):
        return rebuilt(x, [lift(space, i) for i in x])
    return Proxy(x, None, None, space) if hasattr(x, "shape") and hasattr(x, "dtype") else x


def rebuilt(like: Any, items: list[Any]) -> Any:
    """A tuple of the class of another: the standard's named results."""
    if hasattr(like, "_make"):
        return like._make(items)
    return tuple(items) if type(like) in (tuple, list) else type(like)(items)


def bottom(x: Any) -> Any:
    """The library's own array below all proxies."""
    while x.__class__ is Proxy:
        x = x.value
    return x


def split(index: Any) -> tuple[Any, tuple[Any, ...]]:
    """An index with holes, and the arrays that fill them."""
    if not isinstance(index, tuple):
        return (HOLE, (index,)) if _is_array(index) else (_plain(index), ())
    found = tuple(i for i in index if _is_array(i))
    return tuple(HOLE if _is_array(i) else _plain(i) for i in index), found


def _is_array(entry: Any) -> bool:
    return hasattr(entry, "shape") and hasattr(entry, "dtype") and not is_neutral(entry)


def _plain(entry: Any) -> Any:
    """Python integers in place of what answers ``__index__``, proxies raising their error."""
    if isinstance(entry, slice):
        parts = (entry.start, entry.stop, entry.step)
        return slice(*(p if p is None else p.__index__() for p in parts))
    if is_neutral(entry) and hasattr(entry, "item"):
        return entry.item()
    return entry


def users_line(error: BaseException | None = None) -> str:
    """Return where the user's code stands, for a message."""
    frames = []
    if error is not None:
        trace = error.__traceback__
        while trace is not None:
            frames.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        frames.reverse()
    else:
        frame: Any = sys._getframe(1)
        while frame is not None:
            frames.append((frame, frame.f_lineno))
            frame = frame.f_back
    for frame, line in frames:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package != _PACKAGE and not _is_installed(frame.f_code.co_filename):
            return f" (line {line} of {frame.f_code.co_filename}, in {frame.f_code.co_name})"
    return ""


def _is_installed(file: str) -> bool:
    return "site-packages" in file or file.startswith((_STDLIB, "<frozen", "<__array"))


def raise_escape(what: str) -> Any:
    raise TransformError(
        f"{what} would take an array out of the transform that follows it{users_line()}, and its "
        "derivative or batch would be lost. Inside the function take "
        "xp = likewise.array_namespace(x), and use its functions; for a value that needs no "
        "derivative, likewise.transforms.stop_gradient, or return it with has_aux=True; for a "
        "choice by value, xp.where, cond or while_loop."
    )


class _Family(list[Any]):
    """Weak references to proxies that may share memory."""

    most = 64  # how many, before those that are gone are looked for


def related(x: Any, out: Any) -> Any:
    """Note that the results may share memory with an operand: writing to one is refused."""
    if x.__class__ is not Proxy:
        return out
    family = x.family
    if family is None:
        family = x.family = _Family([weakref.ref(x)])
    elif len(family) > family.most:
        family[:] = [r for r in family if r() is not None]
        family.most = 2 * len(family) + 64
    for one in out if isinstance(out, tuple | list) else (out,):
        if one.__class__ is Proxy and one.family is None and one is not x:
            one.family = family
            family.append(weakref.ref(one))
    return out


def _binary(name: str) -> tuple[Any, Any]:
    def forward(self: "Proxy", other: Any) -> Any:
        if other.__class__ is not Proxy:
            other = _operand(other)
            if other is NotImplemented:
                return NotImplemented
        out = apply(name, (self, other), {})
        return out if out.__class__ is Proxy else lift(self.space, out)

    def reflected(self: "Proxy", other: Any) -> Any:
        other = _operand(other)
        if other is NotImplemented:
            return NotImplemented
        out = apply(name, (other, self), {})
        return out if out.__class__ is Proxy else lift(self.space, out)

    return forward, reflected


def _augmented(name: str) -> Any:
    """``x += y`` where the library writes in place: other names of `x`, and its base, follow."""
    forward = _binary(name)[0]

    def method(self: "Proxy", other: Any) -> Any:
        new = forward(self, other)
        if new is NotImplemented or not self.space.in_place:
            return new
        if new.shape != self.shape:
            raise TransformError(
                f"{name}: in place, the shape {self.shape} can't become {new.shape}{users_line()}"
            )
        if new.dtype != self.dtype:
            if self.space.inexact(new.dtype) and not self.space.inexact(self.dtype):
                raise TransformError(
                    f"{name}: in place, {self.dtype} can't hold {new.dtype}{users_line()}"
                )
            new = self.space.namespace.astype(new, self.dtype)
        base = None if self.source is None else self.source[0]()
        self._refuse_relatives(base)
        self._become(new)
        if base is not None:
            index = self.source[1]
            base._become(lift(self.space, apply("setitem", (base, self), {"index": index})))
            self.source = (self.source[0], index, base.value)
        return self

    return method


def _operand(x: Any) -> Any:
    cls = x.__class__
    if cls is Proxy or cls is float or cls is int or cls is complex or cls is bool:
        return x
    if is_neutral(x) and hasattr(x, "item"):
        return x.item()  # NumPy's scalars are weak
    return x if hasattr(x, "__array_namespace__") or library_of(x) is not None else NotImplemented


class Proxy:
    """An array of the standard inside a transform."""

    __slots__ = ("__weakref__", "by", "extra", "family", "source", "space", "value")
    __array_ufunc__ = None  # NumPy's arrays then leave operators to the proxy's
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, by: Interpreter | None, extra: Any, space: Space) -> None:
        self.value = value
        self.by = by
        self.extra = extra
        self.space = space
        self.family: Any = None
        self.source: Any = None  # of a view: the array, the index, and what it held when written

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"arrays of the standard have no {name!r}{users_line()}; inside a transform they have "
            "no more than the standard's. Write xp.sum(x) in place of x.sum(), with "
            "xp = likewise.array_namespace(x)."
        )

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return self.space.namespace

    @property
    def __likewise_library__(self) -> Space:
        return self.space

    @property
    def dtype(self) -> Any:
        return bottom(self).dtype

    @property
    def device(self) -> Any:
        return device(bottom(self))

    def to_device(self, device: Any, /, *, stream: Any = None) -> "Proxy":
        if device == self.device:
            return self
        raise TransformError(f"to_device: not inside a transform{users_line()}; move it before")

    @property
    def shape(self) -> tuple[int, ...]:
        shape = self.value.shape
        if self.by is not None and self.by.lead:
            return tuple(shape[1:])
        return tuple(shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        n = 1
        for s in self.shape:
            n *= s
        return n

    @property
    def T(self) -> Any:
        return self.space.namespace.permute_dims(self, (1, 0))

    @property
    def mT(self) -> Any:
        return self.space.namespace.matrix_transpose(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(
                "len() of a Proxy of no dimensions, which has no elements to go through"
            )
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __repr__(self) -> str:
        by = "constant" if self.by is None else self.by.name
        return f"Proxy({bottom(self)!r}, shape={self.shape}, {by})"

    def __getitem__(self, index: Any) -> Any:
        where, found = split(self.space.indexed(index))
        out = lift(self.space, apply("getitem", (self, *found), {"index": where}))
        if found and out.by is not None and any(n != n for n in out.shape):
            raise TransformError(
                "x[mask]: how many elements there are isn't known before they are computed"
                f"{users_line()}, so their derivative has no shape. Write xp.where(mask, x, 0), "
                "with a value that counts for nothing, or pick elements outside of the transform."
            )
        # A copy: what arrays pick, and the scalars of a library that has them.
        if found or (not out.ndim and self.space.scalars):
            return out
        related(self, out)
        out.source = (weakref.ref(self), where, None)
        return out

    def __setitem__(self, index: Any, value: Any) -> None:
        """Out of place: this proxy becomes the new array; a view can't follow, so it is refused."""
        where, found = split(self.space.indexed(index))
        if value.__class__ is Proxy and value.source is not None and not found:
            base, place, held = value.source
            if base() is self and place == where and held is self.value:
                return  # the end of x[i] += v, which has written it
        self._refuse_relatives(value)
        value = value.item() if is_neutral(value) and hasattr(value, "item") else value
        new = lift(self.space, apply("setitem", (self, value, *found), {"index": where}))
        self._become(new)

    def _refuse_relatives(self, *but: Any) -> None:
        for r in self.family or ():
            other = r()
            if other is not None and other is not self and all(other is not b for b in but):
                raise TransformError(
                    "an array is written to that shares its memory with another: outside of the "
                    f"transform both would change{users_line()}. Write before making the view, "
                    "or write likewise.missing.at(x)[i].set(value)."
                )

    def _become(self, new: "Proxy") -> None:
        self.value, self.by, self.extra = new.value, new.by, new.extra

    def __bool__(self) -> bool:
        return bool(self.value) if self.by is None else self.by.truth(self)

    def __float__(self) -> float:
        return float(self.value) if self.by is None else raise_escape("float()")

    def __int__(self) -> int:
        return int(self.value) if self.by is None else raise_escape("int()")

    def __complex__(self) -> complex:
        return complex(self.value) if self.by is None else raise_escape("complex()")

    def __index__(self) -> int:
        return self.value.__index__() if self.by is None else raise_escape("index()")  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise_escape("a conversion to NumPy")

    def __array_function__(self, func: Any, *args: Any) -> Any:
        if func.__name__ in ("ndim", "shape"):
            return getattr(self, func.__name__)
        return raise_escape(f"numpy.{func.__name__}")

    def to_dask_array(self) -> Any:  # else Dask's reductions wrap the proxy: derivative 0
        raise_escape("a conversion to Dask")

    def __dlpack__(self, **kwargs: Any) -> Any:
        raise_escape("__dlpack__()")

    def __dlpack_device__(self) -> Any:
        raise_escape("__dlpack_device__()")

    def __buffer__(self, flags: int) -> Any:
        raise_escape("the buffer protocol")

    def __copy__(self) -> "Proxy":
        return Proxy(self.value, self.by, self.extra, self.space)

    def __deepcopy__(self, memo: Any) -> "Proxy":
        return self.__copy__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise_escape("pickling")

    def __round__(self, ndigits: Any = None) -> Any:
        raise_escape("round()")

    def __format__(self, spec: str) -> str:
        return raise_escape("a format") if spec else str(self)

    def __divmod__(self, other: Any) -> Any:
        raise TransformError(
            f"divmod: no function of the standard{users_line()}. Write xp.floor_divide(x, y) and "
            "xp.remainder(x, y)"
        )

    __rdivmod__ = __divmod__

    def __neg__(self) -> Any:
        return lift(self.space, apply("negative", (self,), {}))

    def __pos__(self) -> Any:
        return lift(self.space, apply("positive", (self,), {}))

    def __abs__(self) -> Any:
        return lift(self.space, apply("abs", (self,), {}))

    def __invert__(self) -> Any:
        return lift(self.space, apply("bitwise_invert", (self,), {}))

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("subtract")
    __mul__, __rmul__ = _binary("multiply")
    __truediv__, __rtruediv__ = _binary("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide")
    __mod__, __rmod__ = _binary("remainder")
    _power, __rpow__ = _binary("pow")

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if modulo is not None:
            raise TransformError(
                f"pow: arrays take no third argument{users_line()}. Write xp.pow(x, y) % z"
            )
        return self._power(other)

    __matmul__, __rmatmul__ = _binary("matmul")
    __and__, __rand__ = _binary("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor")
    __lshift__, __rlshift__ = _binary("bitwise_left_shift")
    __rshift__, __rrshift__ = _binary("bitwise_right_shift")
    __eq__, _ = _binary("equal")
    __ne__, _ = _binary("not_equal")
    __lt__, _ = _binary("less")
    __le__, _ = _binary("less_equal")
    __gt__, _ = _binary("greater")
    __ge__, _ = _binary("greater_equal")
    __iadd__ = _augmented("add")
    __isub__ = _augmented("subtract")
    __imul__ = _augmented("multiply")
    __itruediv__ = _augmented("divide")
    __ifloordiv__ = _augmented("floor_divide")
    __imod__ = _augmented("remainder")
    __ipow__ = _augmented("pow")
    __iand__ = _augmented("bitwise_and")
    __ior__ = _augmented("bitwise_or")
    __ixor__ = _augmented("bitwise_xor")
