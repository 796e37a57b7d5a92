"""A caller's `callback`, told after each step where values can be looked at."""

import inspect
from collections.abc import Callable
from typing import Any

from ..._namespace import describe, is_lazy
from ...errors import ArgumentError, NotSupported
from ._driver import Method
from ._watch import Watch

__all__ = ["Callback", "takes_result"]


class _Intermediate(dict[str, Any]):
    """What is known after a step, read by attribute or key."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def takes_result(callback: Any) -> bool:
    """Tell if a callback is of SciPy's newer form, ``callback(intermediate_result=...)``."""
    try:
        names = set(inspect.signature(callback).parameters)
    except (TypeError, ValueError):  # of what has no signature
        return False
    return names == {"intermediate_result"}


class Callback:
    """Calls ``callback(x)``, or ``callback(intermediate_result=...)`` if that is its argument.

    `batch` is the shape of many problems, None of one; `beside` are names of what follows x.
    StopIteration ends the steps.
    """

    def __init__(self, function: str, callback: Any, batch: Any, *beside: str) -> None:
        if not callable(callback):
            raise ArgumentError(f"{function}: callback must be callable, got {describe(callback)}")
        self.function, self.callback, self.beside = function, callback, beside
        self.watch = Watch(None, 0, alone=batch is None)
        self.steps = 0
        self.by_name = takes_result(callback)

    def told(self, method: Method, fields: Callable[[Any], dict[str, Any]]) -> Method:
        """Return the method, after each of whose steps the fields of its state are told."""

        def step(problems: Any, state: Any) -> Any:
            new = method.step(problems, state)
            if is_lazy(new.status):
                raise NotSupported(
                    f"{self.function}: callback needs values after each step, got arrays that have "
                    "none (in a transform, or compiled). Leave it out"
                )
            self.tell(fields(new))
            return new

        return method._replace(step=step)

    def tell(self, fields: dict[str, Any]) -> None:
        self.steps += 1
        try:
            if self.by_name:
                self.callback(intermediate_result=_Intermediate(fields, nit=self.steps))
            else:
                self.callback(fields["x"], *(fields[name] for name in self.beside))
        except StopIteration:
            self.watch.stop()
