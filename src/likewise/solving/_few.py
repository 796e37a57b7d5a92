"""Few problems at once: one after the other, by the way that one problem takes.

A step of a batch costs the same for one problem as for many, up to hundreds: calls of array
functions. One problem alone takes a native routine, or a solver on Python's numbers, where there is
one. `FEW` says up to how many problems a loop of those is quicker; it holds only measured numbers.
What that way can't take, and problems that it doesn't solve, go together by the batch's own way,
which finds out what is wrong and says it. So all failures, with their statuses and warnings, are a
batch's.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import array_namespace, device, is_concrete, library_of
from ..transforms._following._interpreter import is_open
from ..transforms._implicit import recorded
from ._driver import joined, taken, watched
from ._outcome import Outcome

__all__ = ["FEW", "by_one", "few", "rows_one_by_one"]

# By solver and library: the number of problems up to which a loop is quicker than a batch. Measured
# by `ci/bench --only few`, whose "batch" lines compare the two, on problems as small as people
# solve alone (60 points and 3 parameters; 2 unknowns; 30 x 10): both ways take about as long at
# these numbers, so problems of other sizes lose little.
_TRIED = 2  # problems that one problem's way may refuse, before most must be taken
_ALWAYS = 1 << 62
FEW: dict[str, dict[str, int]] = {
    "curve_fit": {"numpy": 30},
    "curve_fit in bounds": {"numpy": 8},
    "elementwise": {"numpy": 50},
    "root": {"numpy": 200},
    "least_squares trf": {"numpy": 10},
    "least_squares lm": {"numpy": 30},
    "BFGS": {"numpy": 5},
    "L-BFGS-B": {"numpy": 15},
    "Nelder-Mead": {"numpy": 40},
    "nnls": {"numpy": _ALWAYS},
}


def few(solver: str, like: Any, count: int) -> bool:
    """Tell if so many problems, with arrays like one, are solved one after the other."""
    library = library_of(like)
    most = 0 if library is None else FEW.get(solver, {}).get(library.name, 0)
    if not 0 < count <= most or is_open():
        return False
    return is_concrete(like) and not recorded(like)


def by_one(
    count: int,
    alone: Callable[[int], Any],
    together: Callable[[Sequence[int]], Any],
    status: int,
    *,
    blank: Callable[[Sequence[int]], Any] | None = None,
    stops: bool | None = None,
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
        ``blank(ids)`` returns the fields of interrupted problems. Default: NaN and 0, where one has
        ended; otherwise Ctrl-C propagates.
    stops : bool, optional
        Whether Ctrl-C ends the problems that remain, rather than propagates. Default: where it does
        for the driver, of several problems outside of other solvers' steps.
    packed : callable, optional
        Makes arrays (n, ...) of the fields of n problems. Default: joins arrays (1, ...).
    """
    found: list[Any] = []
    ids: list[int] = []
    stopped = False
    for i in range(count):
        try:
            one = alone(i)
        except KeyboardInterrupt:
            stopped = True
            wanted = watched(None, True, count) is not None if stops is None else stops
            if not wanted or (blank is None and not ids):
                raise
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
    if not stopped:
        parts.append(together(left))
    else:
        parts.append(_interrupted(parts[0], len(left), status) if blank is None else blank(left))
    made, ids = joined(parts), ids + left
    if len(parts) == 1:
        return made
    back = sorted(range(count), key=ids.__getitem__)
    xp = array_namespace(made[status])
    return taken(made, xp.asarray(back, device=device(made[status])))


def _interrupted(like: Any, count: int, status: int) -> tuple[Any, ...]:
    def of(i: int, a: Any) -> Any:
        xp = array_namespace(a)
        floats = xp.isdtype(a.dtype, "real floating")
        value = Outcome.INTERRUPTED if i == status else xp.nan if floats else 0
        return xp.full((count, *a.shape[1:]), value, dtype=a.dtype, device=device(a))

    return tuple(None if a is None else of(i, a) for i, a in enumerate(like))


def rows_one_by_one(
    solver: str,
    step: Any,
    x: Any,
    given: tuple[Any, ...],
    status: int,
    blank: Callable[[Any], Any] | None = None,
) -> Any:
    """Return ``step(x, *given)``, an apply step's fields for problems (B, p), a few one by one.

    What is given is the same for all of them, wherever the step's routine takes one. ``blank(x)``
    returns the fields of those that Ctrl-C has interrupted.
    """
    count = int(x.shape[0])
    if count < 2 or not few(solver, x, count):
        return step(x, *given)
    xp = array_namespace(x)

    def some(ids: Sequence[int]) -> Any:
        return xp.take(x, xp.asarray(ids, device=device(x)), axis=0)

    return by_one(
        count,
        lambda i: step.quick(x[i : i + 1, ...], *given),
        lambda ids: tuple(step(some(ids), *given)),
        status,
        blank=None if blank is None else lambda ids: blank(some(ids)),
    )
