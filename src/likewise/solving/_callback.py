"""The caller's `callback`, called after each step if values are available."""

import inspect
from collections.abc import Callable
from typing import Any

from .._namespace import describe, is_lazy
from ..errors import ArrayTypeError, NotSupported
from ._driver import Method
from ._running import owned
from ._watch import Watch

__all__ = ["Callback"]


class _Intermediate(dict[str, Any]):
    """Holds the state after a step, read by attribute or key."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _takes_result(callback: Any) -> bool:
    """Tell if a callback is of SciPy's newer form, ``callback(intermediate_result=...)``."""
    try:
        names = set(inspect.signature(callback).parameters)
    except (TypeError, ValueError):  # of what has no signature
        return False
    return names == {"intermediate_result"}


def _takes_two(callback: Any) -> bool:
    """Tell if a callback can be called with two arguments."""
    try:
        inspect.signature(callback).bind(None, None)
    except (TypeError, ValueError):  # it takes others, or has no signature
        return False
    return True


class Callback:
    """Call ``callback(x)``, or ``callback(intermediate_result=...)`` if that is its argument.

    `beside` are the names of the fields after x; `made` makes the intermediate result from its
    fields. With `state`, a callback of two arguments gets that after x, and what is true ends the
    steps. StopIteration ends them, too. Arrays are copies, so the callback may write to them.
    """

    def __init__(
        self,
        function: str,
        callback: Any,
        *beside: str,
        made: Callable[..., Any] = _Intermediate,
        state: bool = False,
    ) -> None:
        if not callable(callback):
            raise ArrayTypeError(f"{function}: callback must be callable, got {describe(callback)}")
        self.function, self.callback, self.beside = function, callback, beside
        self.watch = Watch(None, 0)
        self.steps = 0
        self.by_name, self.made = _takes_result(callback), made
        self.state, self.by_two = state, state and _takes_two(callback)

    def told(
        self,
        method: Method,
        fields: Callable[[Any], dict[str, Any]],
        moved: Callable[[Any, Any], bool] = lambda before, after: True,
    ) -> Method:
        """Return the method, which calls the callback with fields of its state after each step.

        With `moved`, only after steps for which ``moved(before, after)`` is true.
        """

        def step(problems: Any, state: Any) -> Any:
            new = method.step(problems, state)
            if is_lazy(new.status):
                raise NotSupported(
                    f"{self.function}: callback needs values after each step, got arrays that have "
                    "none (in a transform, or compiled). Leave it out"
                )
            if moved(state, new):
                self._tell(fields(new))
            return new

        return method._replace(step=step)

    def _tell(self, fields: dict[str, Any]) -> None:
        self.steps += 1
        fields = {
            n: a if a is None or isinstance(a, str | bool) else owned(a) for n, a in fields.items()
        }
        fields.setdefault("nit", self.steps)
        try:
            if self.by_name:
                told = self.callback(intermediate_result=self.made(**fields))
            elif self.by_two:
                told = self.callback(fields["x"], self.made(**fields))
            else:
                told = self.callback(fields["x"], *(fields[name] for name in self.beside))
        except StopIteration:
            self.watch.stop()
        else:
            if self.state and told:
                self.watch.stop()
