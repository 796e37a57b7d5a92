"""Graphs: the calls of a function as data, which can run again on arrays or proxies.

`follow` records the calls of a function on the arrays and proxies of any transform. A graph can run
one transform below: with tangents, for a batch, or as the two halves of reverse mode. At the
bottom, on the library's own arrays, it becomes a program of `_program`, which is replayed.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from ..._library import Library
from .._following._counters import Counter, filled_in
from .._following._instructions import CREATION
from .._following._interpreter import recorder, recording
from .._following._kinds import exact
from .._following._proxy import Proxy, lift, run
from .._following._space import Space
from .._tree import flatten
from ._program import Program, Step
from ._recording import Recorder, Unrecorded, record

__all__ = ["Graph", "follow", "forget", "mark"]

_KINDS = 8  # recordings of one graph
_NUMBERS = (int, float, Counter)


class Graph:
    """Hold calls with slots: `inputs`, then `hidden` arrays from outside, which are kept alive.

    All other slots are constants or results of the steps.
    """

    def __init__(
        self,
        space: Space,
        inputs: Sequence[int],
        hidden: dict[int, Any],
        constants: dict[int, Any],
        steps: Sequence[Step],
        results: Sequence[int],
    ) -> None:
        self.space, self.inputs, self.hidden, self.constants = space, inputs, hidden, constants
        self.steps, self.results = steps, results
        self.derived: dict[Hashable, Any] = {}
        self.programs: dict[Any, Program | None] = {}
        self.shared = False  # by calls that give it their arrays
        self.turns: dict[
            Any, list[Any]
        ] = {}  # of a loop with this step, by the kind it begins with

    def without_arrays(self) -> "Graph":
        """Return the same graph, for callers that have its hidden arrays; nothing holds these."""
        hidden = dict.fromkeys(self.hidden)
        new = Graph(self.space, self.inputs, hidden, self.constants, self.steps, self.results)
        new.shared = True
        return new

    def run(self, values: Iterable[Any]) -> list[Any]:
        """Return the results for inputs and hidden arrays of any level.

        A `Program` has its own way, which is quicker: its values are the library's own arrays, so
        it doesn't look at each call which transform follows it.
        """
        slots = dict(zip((*self.inputs, *self.hidden), values, strict=True)) | self.constants
        by = recorder()
        before = by and by.place
        for step in self.steps:
            given = [slots[s] for s in step.operands]
            if by is not None:
                by.place = step.place
            out = self._called(step, given)
            found = [out] if step.shape == "one" else flatten(out)[0]
            slots.update(zip(step.results, found, strict=True))
        if by is not None:
            by.place = before
        return [slots[s] for s in self.results]

    def _called(self, step: Step, given: Sequence[Any]) -> Any:
        by, name = recorder(), step.name
        if not step.whole and given and all(type(a) in _NUMBERS for a in given):
            return step.call(*given)  # a number made of counters
        given, settings = filled_in(name, given, step.settings)
        if by is not None and name in CREATION and step.whole:
            return by.create(name, step.call, tuple(given), settings)
        if step.call is not self.space.call.get(name):
            if by is not None and not step.whole and not any(a.__class__ is Proxy for a in given):
                return by.note(name, step.call, given, settings)
            if not step.whole and any(a.__class__ is Proxy for a in given):
                given = [lift(self.space, a) for a in given]
            return step.call(*given, **settings)
        if by is not None and not any(a.__class__ is Proxy for a in given):
            return by.process(name, given, settings, self.space)
        return run(self.space, name, list(given), settings)

    def says(self, held: bool = True) -> Hashable:
        """Return a key that is equal for graphs that compute the same results from the same inputs.

        With `held`, their arrays from outside must be the same, too.
        """
        number, steps = self.numbered(), []
        for s in self.steps:
            said = s._replace(operands=tuple([number[k] for k in s.operands])).says()
            if said is None:
                raise Unrecorded
            steps.append((s.call, said, tuple([number[k] for k in s.results])))
        fixed = [(slot, self.constants[slot]) for slot in self.fixed(number)]
        constants = tuple([(number[slot], exact(c) or ("object", id(c))) for slot, c in fixed])
        hidden = tuple([held and _itself(x) for x in self.hidden.values()])
        ends = [tuple([number[k] for k in some]) for some in (self.inputs, self.results)]
        return tuple(steps), constants, hidden, *ends

    def numbered(self) -> dict[int, int]:
        """Return numbers of the slots in the order of their use, equal for equal graphs.

        Slots themselves count what else was traced.
        """
        number: dict[int, int] = {}
        steps = [(*step.operands, *step.results) for step in self.steps]
        for slots in ([*self.inputs], [*self.hidden], *steps, [*self.results]):
            for slot in slots:
                number.setdefault(slot, len(number))
        return number

    def fixed(self, number: dict[int, int]) -> list[int]:
        """Return the slots of constants that are used, in the order of their use."""
        return sorted(number.keys() & self.constants.keys(), key=number.__getitem__)

    def form(self) -> tuple[Any, ...]:
        """Return all but the `values`; hidden arrays aren't looked at."""
        number = self.numbered()

        def numbers(slots: Iterable[int]) -> tuple[int, ...]:
            return tuple([number[k] for k in slots])

        steps = []
        for s in self.steps:
            call = s.call if (loop := _loop(s)) is None else loop.form()
            steps.append((s.name, call, numbers(s.operands), numbers(s.results), *s[5:8]))
        slots = self.inputs, self.hidden, self.fixed(number), self.results
        return self.space, steps, [numbers(some) for some in slots]

    def values(self) -> tuple[Any, ...]:
        """Return settings and constants: in nested tuples, those of loops in it included."""
        inner = tuple([loop.values() for s in self.steps if (loop := _loop(s)) is not None])
        settings = tuple([tuple(s.settings.items()) for s in self.steps])
        fixed = tuple([self.constants[slot] for slot in self.fixed(self.numbered())])
        return settings, fixed, inner

    def with_values(self, values: tuple[Any, ...]) -> "Graph":
        """Return a graph of this form that has other `values`."""
        settings, constants, inner = values
        loops = iter(inner)
        steps = [
            s._replace(
                call=s.call if (loop := _loop(s)) is None else loop.with_values(next(loops)),
                settings=dict(own),
            )
            for s, own in zip(self.steps, settings, strict=True)
        ]
        fixed = dict(zip(self.fixed(self.numbered()), constants, strict=True))
        return Graph(self.space, self.inputs, self.hidden, fixed, steps, self.results)

    def program(self, library: Library, key: Any, values: Sequence[Any]) -> Callable[..., Any]:
        """Return a function of the library's own arrays of a kind, for many calls."""
        if key not in self.programs and len(self.programs) < _KINDS:
            found, _, why = record(library, lambda *given: self.run(given), values)
            self.programs[key] = None if why or found is None or found.outside else found.program
        program = self.programs.get(key)
        if program is None:
            return lambda *given: self.run(given)
        program.hurry()
        return program.run


def _itself(x: Any) -> Hashable:
    """Return a key of an array; transforms may make several proxies of the same one."""
    if x.__class__ is not Proxy:
        return id(x)
    return id(x.by), x.extra if type(x.extra) is int else id(x.extra), _itself(x.value)


def _loop(step: Step) -> Any:
    """Return the call of a step if it is a loop, which has a form and values."""
    return step.call if hasattr(step.call, "with_values") else None


def follow(
    space: Space, fun: Callable[..., list[Any]], pick: Callable[[], Sequence[Any]]
) -> tuple[Graph, list[Any]] | None:
    """Run a function of a recorder and arrays, and record its calls; its results are a list.

    `pick` returns the arrays. Other open recorders ignore these calls. Returns the graph and the
    results, or None if the function can't be traced: if it raises, reads values, writes to its
    arguments, or sets the library's error state.
    """
    by = Recorder(space.of, space, bottom=False)
    outer = recorder()
    begin = mark(outer)
    leaves = [by.leaf(x) for x in pick()]
    places = tuple(by.inputs)
    results: list[int] | None = None
    try:
        with recording(by):
            out = fun(by, *leaves)
            results = [by.slot(x) for x in out]
    except Unrecorded:
        pass
    except Exception:  # of the function's own, which comes again when it is called
        pass
    finally:
        by.open = False
    hidden = {slot: x for slot, x, _ in by.outside.values()}
    forget(outer, begin, hidden.values())
    # Others may hold an array that is written to; an error state that is set gets lost.
    given = zip(leaves, places, strict=True)
    written = any(x.__class__ is Proxy and x.extra != place for x, place in given)
    if results is None or by.lost or written or any(step.errors for step in by.steps):
        return None
    constants = dict(by.constants.values())
    graph = Graph(space, by.inputs, hidden, constants, by.steps, results)
    return graph, [x.value if x.__class__ is Proxy and x.by is by else x for x in out]


def mark(by: Recorder | None) -> tuple[int, int]:
    """Return the position of a recorder, for `forget`."""
    return (0, 0) if by is None else (len(by.steps), by.count)


def forget(by: Recorder | None, begin: tuple[int, int], hidden: Iterable[Any]) -> None:
    """Drop the calls of a function that a recorder noted while another recorder traced it."""
    if by is None:
        return
    if not any(x.__class__ is Proxy and x.by is by and x.extra >= begin[1] for x in hidden):
        del by.steps[begin[0] :]
