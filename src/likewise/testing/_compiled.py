"""Replacement of the functions under test wherever a test refers to them.

Tests need no change. While a test runs, each function of the packages under test is replaced: in
the variant ``jax-jit`` by one that runs under the library's compiler, in ``numpy-jit`` and
``strict-jit`` by one that is recorded and replayed, with Dask by one that counts computations. They
are replaced in the globals of the test's module and of modules in the same folder, in lists,
tuples, dicts and partials there, in the test's parameters, and as attributes of public modules.
Methods and callable objects are not replaced.
"""

import contextlib
import functools
import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any

from .._namespace import is_neutral, library_of
from ..transforms import compile_log, jit
from ..transforms._following._proxy import Proxy
from ..transforms._recordings._replay import AS_IT_IS
from ..transforms._tree import leaves, map_leaves
from ._host import place

__all__ = [
    "Counter",
    "can_be_replaced",
    "compiled",
    "compiled_functions",
    "counted",
    "replacing",
    "replayed",
]


class Counter:
    """Count calls that ran compiled, and say whether more may."""

    def __init__(self) -> None:
        self.count = 0
        self.open = True


@contextlib.contextmanager
def compiled_functions(
    how: Callable[..., Any],
    library: Any,
    module: ModuleType,
    arguments: dict[str, Any],
    packages: Sequence[str],
    but: Collection[Callable[..., Any]] = (),
) -> Iterator[Counter]:
    """Replace the functions of `packages` that a test in `module` can use by compiled ones.

    `how` is `compiled` or `replayed`.
    """
    counter = Counter()

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        left = any(function is f for f in but)
        return function if left else how(function, library, counter)

    with replacing(module, arguments, packages, make):
        try:
            yield counter
        finally:
            counter.open = False  # whatever may have kept one of them


_NO_FUNCTION = {str, int, float, complex, bool, type(None), type, ModuleType}  # tens of thousands


@contextlib.contextmanager
def replacing(
    module: ModuleType,
    arguments: dict[str, Any],
    packages: Sequence[str],
    make: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Iterator[None]:
    """Replace each function of `packages` that a test in `module` can use by ``make(function)``.

    If `make` returns the function itself, it is not replaced.
    """
    made: dict[int, Any] = {}

    def replaced(value: Any) -> Any:
        """Return the value with each function under test replaced; unchanged if there is none."""
        if type(value) in _NO_FUNCTION:
            return value
        if type(value) in (dict, list, tuple):
            new = map_shallow(replaced, value)
            return value if new is None else new
        if isinstance(value, functools.partial):
            function = replaced(value.func)
            if function is value.func:
                return value
            return functools.partial(function, *value.args, **value.keywords)
        if can_be_replaced(value, packages):
            if id(value) not in made:
                made[id(value)] = make(value)
            return made[id(value)]
        return value

    with contextlib.ExitStack() as stack:
        folder = os.path.join(os.path.dirname(getattr(module, "__file__", None) or "") or ".", "")
        places: list[dict[str, Any]] = [arguments]
        for name, m in list(sys.modules.items()):
            if _within(name, packages):
                there = "._" not in name
            else:
                there = (getattr(m, "__file__", None) or "/").startswith(folder)
            if there or m is module:
                places.append(vars(m))
        for scope in places:
            for name, value in list(scope.items()):
                new = value if name.startswith("__") else replaced(value)
                if new is not value:
                    stack.callback(scope.__setitem__, name, value)
                    scope[name] = new
        yield


def map_shallow(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to each item of a container; return None if nothing changed."""
    if isinstance(value, dict):
        items = {k: function(v) for k, v in value.items()}
        return items if any(items[k] is not value[k] for k in value) else None
    new = [function(v) for v in value]
    same = all(a is b for a, b in zip(new, value, strict=True))
    return None if same else type(value)(new)


def _within(name: str, packages: Sequence[str]) -> bool:
    return f"{name}.".startswith(_dotted(tuple(packages)))


@functools.cache  # thousands of modules and values are asked for each test
def _dotted(packages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{p}." for p in packages)


def can_be_replaced(value: Any, packages: Sequence[str]) -> bool:
    """Tell whether a value is a public function of the packages under test."""
    return (
        callable(value)
        and not isinstance(value, (type, ModuleType))
        and isinstance(getattr(value, "__module__", None), str)
        and _within(value.__module__, packages)
        and hasattr(value, "__name__")
        and not value.__name__.startswith("_")
        # What runs later than it is called can't be compiled by calling it.
        and not inspect.isgeneratorfunction(value)
        and not inspect.iscoroutinefunction(value)
    )


def _returns_functions(result: Any) -> bool:
    """Tell whether a function is in a result, as of `vjp`: it would hold what was followed."""
    return any(isinstance(leaf, FunctionType) for leaf in leaves(result))


def compiled(function: Callable[..., Any], library: Any, counter: Counter) -> Callable[..., Any]:
    """Return a compiled function of the arrays; other arguments and results are static."""

    def own(leaf: Any) -> bool:
        return not is_neutral(leaf) and library_of(leaf) is library

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arrays = [leaf for leaf in leaves((args, kwargs)) if own(leaf)]
        if not counter.open or not arrays or any(library.is_lazy(a) for a in arrays):
            return function(*args, **kwargs)
        result: list[Any] = []

        def traced(*new: Any) -> tuple[Any, ...]:
            values = iter(new)
            a, k = map_leaves(lambda leaf: next(values) if own(leaf) else leaf, (args, kwargs))
            result.append(function(*a, **k))
            return tuple(leaf for leaf in leaves(result[-1]) if own(leaf))

        found = library.trial(traced)(*arrays)
        if _returns_functions(result[-1]):
            return function(*args, **kwargs)
        counter.count += 1
        out = iter(found)
        return map_leaves(lambda leaf: next(out) if own(leaf) else leaf, result[-1])

    return call


def replayed(function: Callable[..., Any], library: Any, counter: Counter) -> Callable[..., Any]:
    """Return a function that `jit` records at each call, and that returns the replay's result.

    A function that reads values runs unrecorded.
    """

    def own(leaf: Any) -> bool:
        return not is_neutral(leaf) and library_of(leaf) is library

    def followed(leaf: Any) -> bool:
        return type(leaf) is Proxy or own(leaf)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = list(leaves((args, kwargs)))
        arrays = [leaf for leaf in given if own(leaf)]
        # An iterator can be read once, so a recording would leave nothing for the replay.
        if not counter.open or not arrays or any(isinstance(x, Iterator) for x in given):
            return function(*args, **kwargs)
        result: list[Any] = []

        def run(*new: Any) -> tuple[Any, ...]:
            values = iter(new)
            a, k = map_leaves(lambda leaf: next(values) if own(leaf) else leaf, (args, kwargs))
            result.append(function(*a, **k))
            return tuple(leaf for leaf in leaves(result[-1]) if followed(leaf))

        made = jit(run)
        with compile_log() as log:
            flat = made(*arrays)
        if _returns_functions(result[-1]):
            return function(*args, **kwargs)
        if log and not log[0].reason.startswith(AS_IT_IS):
            counter.count += 1
            flat = made(*arrays)
        out = iter(flat)
        return map_leaves(lambda leaf: next(out) if followed(leaf) else leaf, result[-1])

    return call


def counted(function: Callable[..., Any], library: Any, allowed: int) -> Callable[..., Any]:
    """Return a function that fails if a call computes lazy arrays more than `allowed` times."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        places: list[str] = []
        with library.computing(lambda: places.append(place())):
            result = function(*args, **kwargs)
        if len(places) > allowed:
            raise AssertionError(
                f"{function.__module__}.{function.__name__}: one call computed lazy arrays "
                f"{len(places)} times, dask={allowed} allowed; the first beyond that "
                f"{places[allowed]}"
            )
        return result

    return call
