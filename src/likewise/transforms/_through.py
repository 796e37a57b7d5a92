"""A library's compiler for the arrays of other libraries: ``jit(f, compiler="jax")``."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from .._default import LIBRARIES
from .._library import Library
from .._namespace import array_namespace, describe, library_of, load
from ..errors import ArgumentError, ArrayTypeError, DtypeError
from ._following._escapes import placed
from ._following._interpreter import OPEN, is_open
from ._tree import flatten, map_leaves

__all__ = ["through"]


def through(
    fun: Callable[..., Any],
    compiler: str,
    numbers: tuple[int, ...],
    names: tuple[str, ...],
    tell: Callable[..., None],
    writable: bool,
) -> Callable[..., Any]:
    """Return a function that a library compiles for arrays that NumPy can read."""
    library = load(compiler) if compiler in LIBRARIES else None
    if library is None or not library.compiles:
        raise ArgumentError(
            "jit: argument 'compiler' must be None or a library that compiles NumPy's arrays, "
            f"'jax', got {compiler!r}"
        )
    name = getattr(fun, "__name__", "the function")

    def told(error: Exception, where: str) -> None:
        found = library.unfollowed(error)
        if found is not None:
            cls, text = found
            raise cls(f"jit: compiler={compiler!r} can't {where}: {text}") from error

    @functools.wraps(fun)
    def followed(*args: Any, **kwargs: Any) -> Any:
        try:
            return fun(*args, **kwargs)
        except Exception as error:
            told(error, f"follow {placed(error)}")
            raise

    compiled = library.jitted(followed, numbers, names, tell, flatten)
    on_host = library.jitted_for_host(compiled)
    own, to_numpy = library.own_types()[0], library.to_numpy
    as_they_are: dict[Any, Library] = {}
    ways = _Ways(library, fun, compiled, on_host, as_they_are, writable, told, name)

    @functools.wraps(fun)
    def jitted(*args: Any, **kwargs: Any) -> Any:
        # The quick way: NumPy's arrays alone, of dtypes that went in as they were.
        if kwargs or OPEN.count or not args:
            return _any_call(ways, args, kwargs)
        try:
            for x in args:
                home = as_they_are[x.__class__, x.dtype]
        except (AttributeError, KeyError):
            return _any_call(ways, args, kwargs)
        try:
            out = on_host(*args)
            if out.__class__ is own and not writable:
                return to_numpy(out)
        except Exception as error:
            told(error, f"compile {name}")
            raise
        return _all_brought(library, home, out, writable)

    return jitted


class _Ways(NamedTuple):
    """Holds a function as it is called for these arrays and those."""

    library: Library  # which compiles
    fun: Callable[..., Any]
    compiled: Callable[..., Any]
    on_host: Callable[..., Any]
    as_they_are: dict[Any, Library]  # NumPy's, by class and dtype of arrays that go in so
    writable: bool
    told: Callable[[Exception, str], None]  # raises what is to be said of an error
    name: str


def _any_call(ways: _Ways, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with whatever arguments."""
    if is_open():
        return ways.fun(*args, **kwargs)
    found, structure = flatten((args, kwargs))
    homes = {home for x in found if (home := library_of(x)) is not None}
    if len(homes) > 1:
        array_namespace(*[x for x in found if library_of(x) is not None])  # its error
    if not homes:
        return ways.fun(*args, **kwargs)
    home = homes.pop()
    if home is ways.library:
        return ways.compiled(*args, **kwargs)
    seen = [_seen(home, x) if library_of(x) is home else x for x in found]
    if any(x is None for x in seen):  # a transform of torch's own follows it
        return ways.fun(*args, **kwargs)
    for x, values in zip(found, seen, strict=True):
        if x is values and library_of(x) is home:
            ways.as_they_are[type(x), x.dtype] = home
    args, kwargs = structure.unflatten(seen)
    try:
        out = ways.on_host(*args, **kwargs)
    except Exception as error:
        ways.told(error, f"compile {ways.name}")
        raise
    return _all_brought(ways.library, home, out, ways.writable)


def _seen(home: Library, x: Any) -> Any:
    """Return an array as NumPy's, without a copy; None if there are no values."""
    if not home.viewable(x):
        if home.is_lazy(x):
            return None
        mend = "likewise.grad inside of jit, or x.detach()" if home.recorded(x) else "jit(f)"
        what = " that records gradients" if home.recorded(x) else ""
        raise ArrayTypeError(
            "jit: compiler='jax' takes arrays of NumPy and tensors of torch on the CPU, got a "
            f"{describe(x)}{what}; use {mend}"
        )
    values = home.to_numpy(x)
    if values.dtype.kind not in "biufc" or values.dtype.itemsize > 8 * (
        1 + (values.dtype.kind == "c")
    ):
        raise DtypeError(f"jit: compiler='jax' has no dtype like {values.dtype}; convert it first")
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _all_brought(library: Library, home: Library, out: Any, writable: bool) -> Any:
    if out.__class__ is tuple:
        return tuple([_all_brought(library, home, x, writable) for x in out])
    if library_of(out) is library:
        return _brought(library, home, out, writable)
    return map_leaves(lambda x: _brought(library, home, x, writable), out)


def _brought(library: Library, home: Library, x: Any, writable: bool) -> Any:
    """Return a result as an array of the arguments' library; it waits for the values."""
    if library_of(x) is not library:
        return x
    values = library.to_numpy(x)
    return home.from_numpy(values.copy() if writable else values, None)
