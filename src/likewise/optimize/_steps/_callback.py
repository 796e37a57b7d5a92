"""A caller's `callback`, told after each step where values can be looked at."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..._namespace import describe, is_lazy
from ...errors import ArgumentError, NotSupported
from ._driver import Method
from ._watch import Watch

__all__ = ["Callback"]


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
        try:
            names = [*inspect.signature(callback).parameters]
        except (TypeError, ValueError):  # of some built-in functions nothing is known
            names = []
        self.by_name = names == ["intermediate_result"]

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
                self.callback(intermediate_result=SimpleNamespace(**fields, nit=self.steps))
            else:
                self.callback(fields["x"], *(fields[name] for name in self.beside))
        except StopIteration:
            self.watch.stop()
