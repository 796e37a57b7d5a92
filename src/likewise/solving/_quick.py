"""Functions of one array that are called often, on Python's numbers: of the user, and derivatives.

What calls them is a routine that takes arrays and returns arrays, such as SciPy's. Values have the
same bits as those of the function.
"""

from collections.abc import Callable, Hashable
from typing import Any

from .._namespace import hooks_of
from ..transforms._following._interpreter import is_open
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._recordings._program import Program
from ..transforms._recordings._recording import record
from ._elements import on_arrays

__all__ = ["Replayed", "quick"]

_AFTER = 60  # calls, after which writing the code has paid: sooner than the text of a program


class Replayed:
    """Run a program, and on Python's numbers once it has been run often."""

    def __init__(self, program: Program) -> None:
        self.program, self.left = program, _AFTER
        self.run: Callable[..., Any] = self.counted

    def counted(self, *given: Any) -> Any:
        self.left -= 1
        if self.left <= 0:
            self.run = on_arrays(self.program) or self.program.run
        return self.program.run(*given)


class _Known:
    """Hold a function of one kind, or how often it was called."""

    def __init__(self) -> None:
        self.left = _AFTER
        self.run: Callable[[Any], Any] | None = None

    def make(self, traced: Callable[[Any], Any], x: Any) -> None:
        found, _, why = record(hooks_of(x), traced, [x])
        if found is not None and not why and not found.outside:
            self.run = on_arrays(found.program)


_KNOWN = Cache(256)  # by the code of functions, and the kind of their array


def quick(
    fun: Callable[[Any], Any], traced: Callable[[Any], Any], x: Any, said: Hashable
) -> Callable[[Any], Any]:
    """Return `fun` for arrays like `x`, faster if it has been called often.

    `traced` is the same function for a trace; `said` is equal for functions with equal traces.
    """
    library = hooks_of(x)
    if said is None or not library.floats or is_open() or not library.recordable(x):
        return fun
    key = said, *in_force(library), library.sketch(x)
    known = _KNOWN.get(key) or _KNOWN.first(key, _Known())
    if known.run is not None or known.left <= 0:
        return known.run or fun

    def counted(v: Any) -> Any:
        known.left -= 1
        if known.left == 0:
            known.make(traced, v)
        return fun(v)

    return counted
