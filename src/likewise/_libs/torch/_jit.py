"""torch.compile: as a user's jit, with errors of our own, and quickly, for tests."""

import ast
import contextlib
import functools
import itertools
import re
import sys
import types
import warnings
from typing import Any

import torch

from ... import errors
from ...errors import ArgumentError


def _of_its_own(fun: Any) -> Any:
    """With code of its own: torch counts compilations by the code object, and ends after eight."""
    code = fun.__code__.replace(co_name=f"{fun.__code__.co_name}_{next(_trials)}")
    return types.FunctionType(code, fun.__globals__, None, fun.__defaults__, fun.__closure__)


def trial(fun: Any) -> Any:
    """Compiled as one graph, without code generation: quick, and as strict."""
    compiled: Any = torch.compile(_of_its_own(fun), fullgraph=True, backend="eager")

    def call(*args: Any) -> Any:
        with warnings.catch_warnings():
            # array_api_compat caches; that torch looks past the cache is no fault of the function.
            warnings.filterwarnings("ignore", "Dynamo detected a call to a `functools.lru_cache`")
            return compiled(*args)

    return call


_trials = itertools.count()


def _own_error(text: str) -> Exception | None:
    """The error of likewise that torch's compiler tells of."""
    for kind, message in re.findall(r"raised exception (\w+)\((.*)\)$", text, re.MULTILINE):
        found = getattr(errors, kind, None)
        if isinstance(found, type) and issubclass(found, errors.LikewiseError):
            with contextlib.suppress(SyntaxError, ValueError):
                return found(ast.literal_eval(message))
    return None


def jitted(fun: Any, static_argnums: Any, static_argnames: Any, tell: Any, flatten: Any) -> Any:
    """The function compiled; `tell` hears of each compilation: static values, arguments."""
    known: dict[Any, Any] = {}

    def compiled_for(static: dict[Any, Any]) -> Any:
        """A function of the other arguments; torch would make numbers symbols of one graph."""
        key = tuple((place, type(value), value) for place, value in static.items())
        try:
            found = known.get(key)
        except TypeError as error:
            raise ArgumentError(f"jit: static arguments must be hashable: {error}") from error
        if found is None:

            def bound(*args: Any, **kwargs: Any) -> Any:
                full = list(args)
                for place, value in static.items():
                    if isinstance(place, int):
                        full.insert(place, value)
                    else:
                        kwargs[place] = value
                return fun(*full, **kwargs)

            target = _of_its_own(bound) if static else fun
            found = known[key] = torch.compile(target, fullgraph=True)
        return found

    @functools.wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        if (
            torch.compiler.is_compiling()
            or torch._C._functorch.peek_interpreter_stack() is not None
        ):
            return fun(*args, **kwargs)  # torch compiles neither twice, nor within torch.func
        places = sorted({i % len(args) for i in static_argnums if -len(args) <= i < len(args)})
        static: dict[Any, Any] = {i: args[i] for i in places}
        static |= {n: kwargs[n] for n in static_argnames if n in kwargs}
        compiled = compiled_for(static)
        before = compilations()
        moving = [a for i, a in enumerate(args) if i not in static]
        named = {n: a for n, a in kwargs.items() if n not in static}
        try:
            out = compiled(*moving, **named)
        except torch._dynamo.exc.Unsupported as error:
            own = _own_error(str(error))
            if own is None:
                raise
            raise own from error
        if compilations() > before:
            told = {f"args[{i}]": f"{args[i]!r}" for i in places}
            told |= {f"kwargs[{n!r}]": f"{kwargs[n]!r}" for n in static_argnames if n in kwargs}
            tell("torch", told, args, kwargs)
        return out

    return call


def compilations() -> int:
    """How many graphs have been compiled so far."""
    if "torch._dynamo" not in sys.modules:  # whose import takes a second
        return 0
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])
