"""Values of a function's options that a call passes, from the ``Literal`` in its signature."""

import builtins
import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from .._native import NOTING

__all__ = ["Heard", "choices", "given"]

_Options = dict[str, tuple[str, ...]]


def choices(func: Callable[..., Any]) -> _Options:
    """Return the values that a function's options can have, as text, by parameter.

    Reads annotations that are ``Literal[...]``, an alias of it, or a union with it; an annotation
    that is a string is evaluated in the function's module.
    """
    found = {name: _literals(annotation) for name, annotation in _annotations(func).items()}
    return {name: tuple(map(repr, values)) for name, values in found.items() if values}


def given(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, str]:
    """Return which of these values a call passes, including defaults, as text, by parameter."""
    while isinstance(func, functools.partial):
        args, kwargs, func = (*func.args, *args), {**func.keywords, **kwargs}, func.func
    known = choices(func)
    if not known:
        return {}
    try:
        bound = inspect.signature(func).bind(*args, **kwargs)
    except TypeError:  # the call itself will say so
        return {}
    bound.apply_defaults()
    values = {name: bound.arguments[name] for name in known if name in bound.arguments}
    plain = {n: repr(v) for n, v in values.items() if isinstance(v, str | int | None)}
    return {name: text for name, text in plain.items() if text in known[name]}


class _Known(dict[str, Any]):
    """Has Any for a name that is for the type checker alone."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, name: str) -> Any:
        if name in self._names or hasattr(builtins, name):
            raise KeyError(name)
        return Any


def _annotations(func: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of the parameters, those that are text evaluated."""
    while isinstance(func, functools.partial):
        func = func.func
    known = _Known(getattr(inspect.unwrap(func), "__globals__", {}))
    try:
        parameters = inspect.signature(func, eval_str=True, locals=known).parameters
    except (TypeError, ValueError, AttributeError, SyntaxError):  # a builtin; text that is no type
        return {}
    return {name: parameter.annotation for name, parameter in parameters.items()}


def _literals(annotation: Any) -> tuple[Any, ...]:
    annotation = getattr(annotation, "__value__", annotation)  # of a `type` statement
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        found = tuple(v for part in get_args(annotation) for v in _literals(part))
        return (*found, None) if found and type(None) in get_args(annotation) else found
    return ()


class Heard:
    """Record the calls of one public function of likewise, and the options that they pass."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.options: dict[str, set[str]] = {}

    def noted(self, call: Any, args: Any, kwargs: Any) -> Any:
        rooms = [part for part in call.__module__.split(".") if not part.startswith("_")]
        if ".".join([*rooms, call.__name__]) == self.name:
            for parameter, value in given(call, args, kwargs).items():
                self.options.setdefault(parameter, set()).add(value)
        return NotImplemented

    def routed(self, row: Any, args: Any) -> Any:
        return NotImplemented

    def __enter__(self) -> "Heard":
        NOTING.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        NOTING.remove(self)
