"""Functions of many problems, recorded once and replayed for any number of them.

A solver's function takes arrays with an axis of problems: lanes. It is traced for the problems at
hand and for a few of them, and the two traces make a program for any number of lanes
(`transforms._recordings._sized`). So what a solver drops and adds, its chunks, and later calls use
one program.

A program serves the numbers of lanes between those that were traced. Others, and those that are
also the size of something else, are traced once, to see if they give the same program. What can't
be traced, or is another program for another number, runs unrecorded.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .._library import Library
from .._namespace import array_namespace, device, hooks_of
from ..transforms._following._interpreter import is_open, solving
from ..transforms._jit import tell_unrecorded
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._recordings._program import Program
from ..transforms._recordings._recording import record
from ..transforms._recordings._sized import Sized, other_sizes, sized, values_of
from ._spelled import contents, spelled

__all__ = ["Known", "Laned", "OverLanes", "once_for", "some"]

_KEPT = Cache(512)  # what is known, by code that determines the trace; programs, by the trace
_DIFFERS = "it is another function for another number of problems, or in another call"
_NOTHING = object()
_KINDS = 256  # of arrays, for one program
_LEAST = 2  # calls, before a function is recorded: many solvers end before


class Known:
    """Hold a program, and the numbers of lanes for which it was found to be right."""

    def __init__(self, program: Sized, sizes: Sequence[int], found: Any = ()) -> None:
        self.program, self.found = program, found  # by the reads of values in it
        self.low, self.high = min(sizes), max(sizes)
        self.sizes = set(sizes)
        self.refused: set[int] = set()  # numbers for which it is another program
        self.kinds: set[Any] = set()  # of arrays of another layout, with which it was traced

    def serves(self, n: int) -> bool:
        within = self.low <= n <= self.high and n not in self.program.others
        return within or n in self.sizes

    def takes(self, n: int, key: Any, sketches: Sequence[Any], first: int = 0) -> bool:
        """Tell if the program serves n lanes, in arrays of these kinds."""
        return key in self.kinds or (self.serves(n) and self.program.takes(n, sketches, first))

    def refuse(self, n: int) -> bool:
        """Refuse a number that is the size of something else, too; False if it isn't that."""
        if n in self.program.others:
            self.refused.add(n)
        return n in self.program.others

    def add(self, n: int, key: Any) -> None:
        """Add a number that was traced, in arrays of these kinds."""
        if len(self.kinds) >= _KINDS:
            self.kinds.clear()
        self.kinds.add(key)
        self.sizes.add(n)
        self.high = max(self.high, n)
        if n not in self.program.others:
            self.low = min(self.low, n)


def once_for(of: Any, like: Any, look: Callable[[], Any]) -> Any:
    """Return what a look at a function finds, once for all functions with the same code.

    `of` is all on which the function depends besides arrays like one: if that determines its trace,
    it holds no arrays, and each look finds the same.
    """
    said = None if is_open() else spelled(of, [])
    if said is None:
        with solving():
            return look()
    key = look.__code__, said, type(like), like.dtype, *in_force(hooks_of(like))
    found = _KEPT.get(key, _NOTHING)
    if found is _NOTHING:
        with solving():
            found = look()
        _KEPT.set(key, found)
    return found


def some(library: Library, a: Any, axis: int | None, n: int, m: int) -> Any:
    """Return m of n lanes of an array, laid out in memory as all are; again from the first."""
    if a is None or axis is None or a.shape[axis] != n:
        return a
    if m > n:
        a = array_namespace(a).concat([a] * -(-m // n), axis=axis)
    return library.copied(a[(*(slice(None),) * (axis % a.ndim), slice(0, m), ...)])


class OverLanes:
    """A function of arrays with an axis of lanes, which replays a recording.

    Parameters
    ----------
    fun : callable
        A function of arrays, or None; its results depend only on these, on its code, and on `of`.
    axes : sequence of int or None
        The axis of the lanes of each argument. An axis of length 1 is the same for all lanes.
    of : object, optional
        All on which `fun` depends besides its code.
    joint : bool, optional
        Whether `fun` can't be called for some of the lanes.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        axes: Sequence[int | None],
        of: Any = None,
        joint: bool = False,
    ) -> None:
        self.own, self.axes, self.of, self.joint = fun, tuple(axes), of, joint
        self.runs: dict[Any, Callable[..., Any]] = {}
        self.known: dict[Any, tuple[Known, list[Any]]] = {}  # by kinds of arrays; what it reads
        self.said: Any = _NOTHING  # what determines the trace, None if nothing does
        self.closed: list[Any] = []  # the arrays in that
        self.calls = 0
        self.why = ""  # there is no recording, and will be none

    def __call__(self, *args: Any) -> Any:
        """Return ``fun(*args)``."""
        if self.why or is_open():
            return self.fun(*args)
        library = hooks_of(next(a for a in args if a is not None))
        sketch = library.sketch
        key = tuple([None if a is None else sketch(a) for a in args])
        run = self.runs.get(key)
        return self.planned(library, key, args) if run is None else run(*args)

    def fun(self, *args: Any) -> Any:
        """Call the function itself."""
        with solving():
            return self.own(*args)

    def planned(self, library: Library, key: Any, args: Sequence[Any]) -> Any:
        """Return the function's result where no program is known to serve."""
        self.calls += 1
        if not library.replays or not all(a is None or library.recordable(a) for a in args):
            self.why = "arrays of this library aren't recorded"
            return self.fun(*args)
        n = self.count(args)
        if n == 0:
            return self.fun(*args)
        run = self.bound_to(library, n, key)
        if run is not None:
            return run(*args)
        kinds = self.kinds(library, n, args)
        if kinds not in self.known and self.remembered(library, kinds):
            run = self.bound_to(library, n, key)
            if run is not None:
                return run(*args)
        known, held = self.known.get(kinds, (None, []))
        if (known is None and self.calls < _LEAST) or (known is not None and n in known.refused):
            return self.fun(*args)
        out, fits = self.traced(library, n, kinds, args)
        if fits:
            known, held = self.known[kinds]
            known.add(n, key)
            self.runs[key] = self.bound(known, held, n)
        return out

    def bound_to(self, library: Library, n: int, key: Any) -> Callable[..., Any] | None:
        """Return a replay for n lanes in arrays of these kinds, if a program is known to serve."""
        sketches = [k for k in key if k is not None]
        for known, held in self.known.values():
            if n in known.refused:
                continue
            if known.takes(n, key, [*sketches, *map(library.sketch, held)]):
                run = self.runs[key] = self.bound(known, held, n)
                return run
        return None

    def count(self, args: Sequence[Any]) -> int:
        """Return the number of lanes."""
        pairs = zip(self.axes, args, strict=True)
        return max((a.shape[i] for i, a in pairs if a is not None and i is not None), default=1)

    def bound(self, known: Known, held: list[Any], n: int) -> Callable[..., Any]:
        fun, replay = self.fun, known.program.run

        def run(*args: Any) -> Any:
            try:
                return replay(n, *[a for a in args if a is not None], *held)
            except Exception:  # a call's own, as of a singular matrix: the function says it
                return fun(*args)

        return run

    def kinds(self, library: Library, n: int, args: Sequence[Any]) -> tuple[Any, ...]:
        """Return a key of the arrays, whatever the number of lanes."""
        kinds: list[Any] = [n if self.joint else None]
        for axis, a in zip(self.axes, args, strict=True):
            if a is None:
                kinds.append(None)
                continue
            shape = list(a.shape)
            if axis is not None and shape[axis] == n:
                shape[axis] = -1
            kinds.append((type(a), a.dtype, tuple(shape), device(a), library.row_major(a)))
        return tuple(kinds)

    def remembered(self, library: Library, kinds: tuple[Any, ...]) -> bool:
        """Tell if functions with the same code, if that determines the trace, are known."""
        if self.said is _NOTHING:
            self.said = None if self.of is None else spelled(self.of, self.closed)
        if self.said is None:
            return False
        found = _KEPT.get(self.place(library, self.said, kinds))
        if found is not None:
            known, places = found
            self.known[kinds] = known, [self.closed[i] for i in places]
        return found is not None

    def remember(self, library: Library, kinds: Any, known: Known, held: list[Any]) -> None:
        """Keep what is known for functions with the same code, if that holds all arrays."""
        places = {id(a): i for i, a in enumerate(self.closed)}
        if self.said is not None and all(id(a) in places for a in held):
            found = known, [places[id(a)] for a in held]
            _KEPT.set(self.place(library, self.said, kinds), found)

    def place(self, library: Library, said: Any, kinds: tuple[Any, ...]) -> Any:
        """Return a key of `_KEPT`."""
        code = getattr(self.own, "__func__", self.own).__code__
        return code, said, *in_force(library), *kinds

    # -- recording ---------------------------------------------------------------------------------

    def traced(self, library: Library, n: int, kinds: Any, args: Sequence[Any]) -> tuple[Any, bool]:
        """Return the result, and whether a program is known to serve these arrays."""
        out, program, held = self.record(library, n, args)
        if program is None:
            return (self.fun(*args) if out is _NOTHING else out), False
        known, theirs = self.known.get(kinds, (None, held))
        if known is None:
            known = self.compared(library, n, program, held, kinds, args)
        elif not _same(library, held, theirs):
            known = None
        fits = known is not None and known.program.fits(program, n)
        if known is None or not (fits or known.refuse(n)):
            self.lose(library, self.why or _DIFFERS)
            return out, False
        self.known[kinds] = known, theirs
        return out, fits

    def compared(
        self,
        library: Library,
        n: int,
        program: Program,
        held: list[Any],
        kinds: Any,
        args: Sequence[Any],
    ) -> Known | None:
        """Compare the trace with those of some of the lanes; return what is known, or None.

        A second is needed if this number is the size of something else, too.
        """
        before = n, program
        for m in [n] if self.joint else other_sizes(n, program):
            few = [some(library, a, i, n, m) for a, i in zip(args, self.axes, strict=True)]
            _, other, theirs = self.record(library, m, few)
            if other is None or not _same(library, theirs, held):
                return None
            names = tuple([(s.name, len(s.operands)) for s in other.steps])
            place = self.place(library, names, kinds)
            found: Sized | None = _KEPT.get(place)
            if found is None or not (found.fits(before[1], before[0]) and found.fits(other, m)):
                found = sized(before[1], before[0], other, m)
            if found is not None:
                _KEPT.set(place, found)
                known = Known(found, (before[0], m))
                self.remember(library, kinds, known, held)
                return known
            before = m, other
        return None

    def record(
        self, library: Library, n: int, args: Sequence[Any]
    ) -> tuple[Any, Program | None, list[Any]]:
        """Return the result, the program if there is one, and the arrays from outside."""
        places = [i for i, a in enumerate(args) if a is not None]

        def of_arrays(*arrays: Any) -> Any:
            full: list[Any] = [None] * len(args)
            for i, x in zip(places, arrays, strict=True):
                full[i] = x
            return self.fun(*full)

        before = contents(self.of)
        found, out, why = record(library, of_arrays, [args[i] for i in places], lanes=n)
        if before != contents(self.of):  # what it has stored there must not be of the trace
            found, why = None, why or "it changes what it closes over"
        if found is None or why:
            self.lose(library, why)
            return (_NOTHING if found is None else out), None, []
        return out, found.program, [array() for array, _ in found.outside]

    def lose(self, library: Library, why: str) -> None:
        if not self.why:
            own = getattr(self.own, "__name__", "function")
            tell_unrecorded(_name(self.of) or own, library.name, why)
        self.why = why
        self.runs.clear()


def _same(library: Library, these: list[Any], those: list[Any]) -> bool:
    """Tell if a function closes over the same arrays, or made equal ones of others."""

    def equal(a: Any, b: Any) -> bool:
        if a is b or library.sketch(a) != library.sketch(b):
            return a is b
        return bool(values_of(library, a) == values_of(library, b))

    return len(these) == len(those) and all(map(equal, these, those))


def _name(of: Any) -> str:
    """Return the name of the first function in this."""
    if isinstance(of, tuple):
        return next(filter(None, map(_name, of)), "")
    return getattr(of, "__name__", "") if callable(of) else ""


class Laned:
    """Hold the `OverLanes` of the functions of one object, while a solver runs."""

    def __init__(self) -> None:
        self.found: dict[Any, OverLanes] = {}

    def __call__(
        self,
        fun: Callable[..., Any],
        axes: Sequence[int | None],
        of: Any = None,
        joint: bool = False,
    ) -> OverLanes:
        """Return the recorded function for a method, which is the same in each call."""
        key = fun.__func__.__code__ if hasattr(fun, "__func__") else fun.__code__
        found = self.found.get(key)
        if found is None:
            found = self.found[key] = OverLanes(fun, axes, of, joint)
        return found
