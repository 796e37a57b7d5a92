"""Few problems at once: one after the other, by the way that one problem takes.

A step of a batch costs the same for one problem as for many, up to hundreds: calls of array
functions. One problem alone takes a native routine, or a solver on Python's numbers, where there is
one. `FEW` says up to how many problems a loop of those is quicker; it holds only measured numbers.
What that way can't take, and problems that it doesn't solve, go together by the batch's own way,
which finds out what is wrong and says it. So all failures, with their statuses and warnings, are a
batch's.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from .._namespace import array_namespace, device, hooks_of, is_concrete, library_of
from ..transforms._following._interpreter import is_open
from ..transforms._implicit import recorded
from ._driver import joined, taken, watched
from ._spelled import spelled
from ._watch import keeping

__all__ = ["FEW", "Views", "by_one", "few", "rows_one_by_one"]

# By solver and library: the number of problems up to which a loop is quicker than a batch. Measured
# by `ci/bench --only one_problem` with BENCH_PROBLEMS and BENCH_WAY=together, on problems as small
# as people solve alone (60 points and 3 parameters; 2 unknowns; 30 x 10). "called" is for functions
# that must get the library's own arrays. SciPy's `nnls` is quicker for any number, up to 300 x 100.
_TRIED = 2  # problems that one problem's way may refuse, before most must be taken
_ALWAYS = 1 << 62
FEW: dict[str, dict[str, int]] = {
    "curve_fit": {"numpy": 20, "torch": 100, "torch, called": 10},
    "curve_fit in bounds": {"numpy": 4, "torch": 4, "torch, called": 4},
    "elementwise": {"numpy": 40, "torch": 150, "torch, called": 20},
    "quad": {"numpy": 20},
    "root": {"numpy": 20, "torch": 50, "torch, called": 15},
    "least_squares trf": {"numpy": 10, "torch": 20, "torch, called": 5},
    "least_squares lm": {"numpy": 100, "torch": 100, "torch, called": 5},
    "BFGS": {"numpy": 5, "torch": 10, "torch, called": 5},
    "L-BFGS-B": {"numpy": 15, "torch": 20, "torch, called": 5},
    "Nelder-Mead": {"numpy": 40, "torch": 40, "torch, called": 30},
    "SLSQP": {"numpy": 40, "torch": 60, "torch, called": 8},
    "nnls": {"numpy": _ALWAYS, "torch": _ALWAYS, "torch, called": _ALWAYS},
}


class Views:
    """Let routines see arrays like one as NumPy's, without a copy, and functions what they take.

    A function whose code refers to nothing but the standard's functions and numbers computes the
    same of NumPy's arrays, and gets those.
    """

    def __init__(self, like: Any, functions: tuple[Any, ...]) -> None:
        library = hooks_of(like)
        self.of, self.back = library.view, functools.partial(library.from_numpy, device=None)
        self.viewable = library.viewable
        self.direct = library.view(like) is like or _neutral(functions)
        self.name = library.name if self.direct else f"{library.name}, called"

    def joined(self, found: list[Any]) -> Any:
        """Return the fields of problems, each a NumPy array (1, ...), as arrays of the library."""
        return tuple(None if a is None else self.back(a) for a in joined(found))

    def whole(self, arrays: Iterable[Any]) -> bool:
        """Tell if all arrays, None among them, can be seen, and nobody asks for derivatives."""
        return all(a is None or (not recorded(a) and self.viewable(a)) for a in arrays)

    def inner(self, x: Any) -> Any:
        """Return an array of the library as functions take it."""
        return self.of(x) if self.direct else x

    def enter(self, x: Any) -> Any:
        """Return NumPy's array as functions take it."""
        return x if self.direct else self.back(x)

    def leave(self, x: Any) -> Any:
        """Return what a function has returned as NumPy's array."""
        return x if self.direct else self.of(x)

    def through(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of one array as one of NumPy's."""
        return fun if self.direct else lambda v: self.leave(fun(self.enter(v)))


def _neutral(functions: tuple[Any, ...]) -> bool:
    """Tell if functions, None among them, name no library."""
    said: Any = spelled(tuple(f for f in functions if f is not None))
    named = said is not None and any(_of_library(part) for part in said)
    return bool(functions) and said is not None and not named


def _of_library(part: Any) -> bool:
    if isinstance(part, ModuleType):
        return part.__name__.partition(".")[0] != "likewise"
    return type(part).__name__ in ("ufunc", "_ArrayFunctionDispatcher")


def few(solver: str, like: Any, count: int, *functions: Any) -> Views | None:
    """Return how to see so many problems one after the other; None if they go together.

    `functions` are the user's, and their arguments.
    """
    library = library_of(like)
    known = FEW.get(solver, {})
    if library is None or not 0 < count <= known.get(library.name, 0) or is_open():
        return None
    if not is_concrete(like) or recorded(like) or not library.viewable(like):
        return None
    views = Views(like, functions)
    return views if count <= known.get(views.name, 0) else None


def by_one(
    count: int,
    alone: Callable[[int], Any],
    together: Callable[[Sequence[int]], Any],
    status: int,
    *,
    blank: Callable[[Sequence[int]], Any] | None = None,
    packed: Callable[[list[Any]], Any] = joined,
) -> Any:
    """Return the fields of all problems, a tuple of arrays (count, ...).

    Parameters
    ----------
    count : int
        The number of problems.
    alone : callable
        ``alone(i)`` returns the fields of a problem, or NotImplemented. Where it raises an error,
        that problem and the next ones go together, and the error is raised there, if it is one.
    together : callable
        ``together(ids)`` returns the fields of the problems that remain, (len(ids), ...), by the
        batch's way.
    status : int
        Which field is the outcome.
    blank : callable, optional
        ``blank(ids)`` returns the fields of interrupted problems, where Ctrl-C ends those that
        remain, as for the driver. By default, and elsewhere, it propagates.
    packed : callable, optional
        Makes arrays (n, ...) of the fields of n problems. Default: joins arrays (1, ...).
    """
    found: list[Any] = []
    ids: list[int] = []
    stopped = False
    keeps = blank is not None and watched(None, count) is not None
    for i in range(count):
        try:
            with keeping(False):
                one = alone(i)
        except KeyboardInterrupt:
            if not keeps:
                raise
            stopped = True
            break
        except Exception:  # of the user's function, which may take a batch alone
            break
        if one is not NotImplemented:
            found.append(one)
            ids.append(i)
        elif i + 1 - len(ids) > max(_TRIED, len(ids)):  # it takes none, or hardly any
            break
    parts = [packed(found)] if found else []
    if len(ids) == count:
        return parts[0]
    done = set(ids)
    left = [i for i in range(count) if i not in done]
    parts.append(blank(left) if blank is not None and stopped else together(left))
    made, ids = joined(parts), ids + left
    if len(parts) == 1:
        return made
    back = sorted(range(count), key=ids.__getitem__)
    xp = array_namespace(made[status])
    return taken(made, xp.asarray(back, device=device(made[status])))


def rows_one_by_one(
    solver: str,
    step: Any,
    x: Any,
    batch: Any,
    given: tuple[Any, ...],
    status: int,
    functions: tuple[Any, ...],
    seen: Callable[[Views], tuple[Any, ...]],
) -> Any:
    """Return ``step(x, *given)``, an apply step's fields for problems (B, p), a few one by one.

    `batch` is None for one problem, which is no batch.
    What is given is the same for all of them, wherever the step's routine takes one;
    ``seen(views)`` returns it for problems that are NumPy's views. `functions` are those of the
    user, with their arguments.
    """
    count = int(x.shape[0])
    views = None if batch is None else few(solver, x, count, *functions)
    if views is None:
        return step(x, *given)
    xp = array_namespace(x)

    def some(ids: Sequence[int]) -> Any:
        return xp.take(x, xp.asarray(ids, device=device(x)), axis=0)

    rows, viewed = views.of(x), seen(views)

    return by_one(
        count,
        lambda i: step.quick(rows[i : i + 1, ...], *viewed),
        lambda ids: tuple(step(some(ids), *given)),
        status,
        packed=views.joined,
    )
