"""How a library runs a function: eagerly, compiled, or in threads.

For algorithms that don't check which library they run on.
"""

import functools
import math
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .._namespace import hooks_of, is_lazy, is_neutral, library_of
from ..transforms._following._escapes import raise_escape
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._tree import flatten
from ._spelled import spelled

__all__ = [
    "compiled",
    "compiled_of",
    "compiles",
    "guarded",
    "lent",
    "owned",
    "owner",
    "run_for",
    "small",
    "threads",
    "traced",
    "unrecorded",
    "watched",
]

_SMALL = 30_000  # elements of data, below which compiling takes longer than computing


def compiles(x: Any) -> bool:
    """Tell if a solver of this array is compiled as a whole."""
    return hooks_of(x).compiles


def watched(fun: Callable[[Any], Any], x: Any) -> None:
    """Call a function of an array once, and refuse conversions of traced arrays to numbers.

    Only libraries that otherwise allow such conversions silently do so.
    """
    hooks_of(x).watched(fun, x, raise_escape)


def small(*arrays: Any) -> bool:
    """Tell if work on these arrays is so small that a quick compilation is better."""
    return sum(math.prod(a.shape) for a in arrays) < _SMALL


def traced(like: Any, fun: Callable[..., Any], *args: Any, of: Any = None) -> tuple[Any, list[Any]]:
    """Return the traced function, ``made(consts, *args)``, and the arrays that it closes over.

    It is hashable, and equal to functions with an equal trace. `of` is, or holds, everything on
    which `fun` depends besides its code: if code determines the trace, the library gets the same
    function again, which it may have traced. Only for libraries that compile (`compiles`).
    """
    said = None if of is None else spelled(of)
    if said is not None:
        code = getattr(fun, "__func__", fun).__code__
        fun = _SAME.first((code, said, *in_force(hooks_of(like))), fun)
    made: tuple[Any, list[Any]] = hooks_of(like).closed(fun, *args)
    return made


_SAME = Cache(128)  # functions, by what determines their trace


def run_for(
    like: Any, fun: Callable[..., Any], key: Hashable, *args: Any, quick: bool = False
) -> Any:
    """Return ``fun(key, *args)``, compiled for each key, quickly if `quick`.

    The key holds everything on which `fun` depends besides `args`. Only for libraries that compile.
    """
    return hooks_of(like).keyed(fun, quick)(key, *args)


def compiled(like: Any, fun: Callable[..., Any], *args: Any) -> tuple[Any, list[Any]]:
    """Return ``fun(*args)``, and the arrays that it closes over.

    If the library compiles, compiled code is reused for functions with an equal trace, whatever
    arrays they close over; otherwise `fun` is called. The sizes of all arrays decide if the work is
    small.
    """
    if not compiles(like):
        return fun(*args), []
    made, consts = traced(like, fun, *args)
    arrays = [a for a in flatten((args, consts))[0] if hasattr(a, "shape")]
    return run_for(like, _run, made, consts, args, quick=small(*arrays)), consts


def _run(made: Any, consts: Any, args: Any) -> Any:
    return made(consts, *args)


def compiled_of(
    like: Any,
    solve: Callable[..., Any],
    settings: Hashable,
    functions: Sequence[tuple[Callable[..., Any], tuple[Any, ...]] | None],
    *args: Any,
) -> tuple[Any, list[Any]]:
    """Return ``solve(settings, functions, *args)``, and the arrays that the functions close over.

    Functions come with example arguments, and only they are traced in a call: compiled code is
    reused for functions with equal traces and equal settings. `solve` is a function of a module.
    Only for libraries that compile.
    """
    found = [None if f is None else traced(like, f[0], *f[1]) for f in functions]
    made = tuple(None if f is None else f[0] for f in found)
    consts = [[] if f is None else f[1] for f in found]
    held = [a for some in consts for a in some]
    arrays = [a for a in flatten((args, held))[0] if hasattr(a, "shape")]
    key = (solve, settings, made)
    return run_for(like, _run_of, key, consts, args, quick=small(*arrays)), held


def _run_of(key: Any, consts: Any, args: Any) -> Any:
    solve, settings, made = key
    pairs = zip(made, consts, strict=True)
    functions = [None if f is None else functools.partial(f, held) for f, held in pairs]
    return solve(settings, functions, *args)


def owned(x: Any) -> Any:
    """Return a writable array; return a NumPy scalar unchanged."""
    return x if is_neutral(x) else hooks_of(x).own(x)


def owner(like: Any) -> Callable[[Any], Any]:
    """Return `owned`, for arrays like one."""
    own: Callable[[Any], Any] = owned if is_neutral(like) else hooks_of(like).own
    return own


def guarded(x: Any) -> Any:
    """Return an array for a function that must not change `x`: read-only, or a copy.

    Other objects are returned unchanged.
    """
    library = None if is_neutral(x) else library_of(x)
    return x if library is None else library.guarded(x)


def lent(x: Any) -> Any:
    """Return a writable array that leaves `x` unchanged; return other objects unchanged."""
    library = None if is_neutral(x) else library_of(x)
    return x if library is None else library.own(x)


def unrecorded(x: Any) -> AbstractContextManager[Any]:
    """Return a context in which nothing is recorded for derivatives."""
    return hooks_of(x).unrecorded()


def threads(x: Any, workers: int) -> int:
    """Return how many threads may run functions of this array: one where they are traced."""
    return 1 if is_lazy(x) or hooks_of(x).one_thread else workers
