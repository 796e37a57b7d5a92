"""Distributions with their parameters fixed."""

import functools
import inspect
from typing import Any

__all__ = ["Frozen"]


class Frozen:
    """Hold a distribution and its parameters: its methods without these arguments.

    The parameters are attributes, unless a method has the name.
    """

    def __init__(self, free: Any, **parameters: Any) -> None:
        self._free, self._parameters = free, parameters

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self._free, name, None)
        if method is None:
            try:
                return self._parameters[name]
            except KeyError:
                raise AttributeError(f"{type(self._free).__name__} has no {name!r}") from None
        taken = inspect.signature(method).parameters
        own = {n: v for n, v in self._parameters.items() if n in taken}
        first = next(iter(taken), None)
        if first is None or first not in own:
            return functools.partial(method, **own)
        # What follows the parameters, size and others, may come by place.
        return functools.partial(method, *own.values())

    def __dir__(self) -> list[str]:
        names = {n for n in dir(self._free) if not n.startswith("_")}
        return sorted(names | set(self._parameters))

    def __repr__(self) -> str:
        named = ", ".join(f"{n}={v!r}" for n, v in self._parameters.items())
        return f"{type(self._free).__name__}({named})"
