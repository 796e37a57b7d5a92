"""Scans with a traced step, which run one transform after the other down to the library's arrays.

A sequence is a stacked array or, for the library's own arrays, a list with one for each step.
`_scan_rules` has the scan under each transform.
"""

import contextlib
import functools
import itertools
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from types import BuiltinFunctionType
from typing import Any, NamedTuple

from .._library import Library
from .._namespace import device, is_neutral
from ._following._interpreter import is_open, recorder
from ._following._kinds import exact
from ._following._proxy import Proxy, bottom, lift
from ._following._space import Space
from ._recordings._cache import Cache, in_force
from ._recordings._graphs import Graph, follow, forget, mark
from ._recordings._recording import Elsewhere, Recorder, Unrecorded

__all__ = [
    "LEAST",
    "RULES",
    "UNKNOWN",
    "Scan",
    "bare",
    "noted_while",
    "recorded_scan",
    "recorded_while",
    "run",
    "stacked",
    "while_of",
]

LEAST = 128  # steps, below which following the first two costs more than it saves
_NUMBERS = (bool, int, float, complex)
UNKNOWN = -1  # how many steps there are depends on values
_LONG = 256  # the same where a recording was asked for
_SEARCH = 16  # steps that are followed at most, to find two in which loops take steps, too
_STARTS = 8  # kinds of carry to begin with, of which turns are kept
_TURNS = 4
_SMALL = 2**20  # bytes of an array, above which a checksum tells whether it has changed


class Scan(NamedTuple):
    """Hold a step, ``graph(*carry, *elements, counter, *hidden)``, and the number of steps.

    On the library's own arrays the first `stacks` results are each written into one array.
    """

    graph: Graph
    length: int | None  # None: as long as the test holds
    reverse: bool
    stacks: int
    start: int | None = None  # the counter at the first element, if the step has one
    test: Graph | None = None  # of the first of the carry, and of hidden arrays from `first` on
    first: int = 0
    idle: bool = False  # whether no step was taken, so that none is known

    @property
    def number(self) -> tuple[int, ...]:
        """Return the counter of one step, for tracing the step."""
        return () if self.start is None else (self.start,)

    def says(self) -> Hashable:
        """Return a key that is equal for equivalent scans."""
        test = None if self.test is None else self.test.says(False)
        return self.graph.says(False), *self[1:5], test, *self[6:]


# By the interpreter's class: how a scan is run under it. Filled by `_scan_rules`.
RULES: dict[type, Callable[..., tuple[list[Any], list[Any], int]]] = {}

Body = Callable[..., list[Any]]
Both = tuple[list[Any], list[Any]]


def recorded_scan(
    space: Space,
    body: Body,
    carry: list[Any],
    xs: list[Any],
    length: int,
    reverse: bool,
    start: int | None,
    taken: list[list[Any]],
    calls: list[int],
) -> Both | None:
    """Return the last carry and the stacked results, or None if the body isn't recorded.

    `body` takes the flat carry, elements and, if there is a start, the counter; it returns the next
    carry and the results. It is traced in the first two steps, and not recorded unless both traces
    are equal. Results of these steps are appended to `taken`, so that the loop can continue; an
    outer recording notes their calls. The number of calls per step is appended to `calls`.
    """
    places = range(length)[:: -1 if reverse else 1][:_SEARCH]

    def rest(i: int, xs: list[Any]) -> list[Any]:
        return [x[i, ...] for x in xs] + ([] if start is None else [start + i])

    steps: list[_Body] = []
    full: list[_Body] = []  # of loops in it all took steps
    for i in places:
        before = steps[-1].out[: len(carry)] if steps else carry
        step = _followed(space, body, functools.partial(_with, before, rest, i, xs), taken)
        if step is None:
            break
        steps.append(step)
        calls.append(len(step.graph.steps))
        if step.says is None or len(full := [s for s in steps if not _idles(s.graph)]) == 2:
            break
    done = None
    if len(full) == 2 and full[0].says == full[1].says is not None:
        graph, results = full[1].graph, len(full[1].out) - len(carry)
        hidden = list(graph.hidden.values())
        graph = _shared(graph, [*carry, *xs, *hidden])
        done = _done(Scan(graph, length, reverse, results, start), carry, xs, hidden)
    if done is None and recorder() is not None:
        elements = [_entered(space, x) for x in xs]
        for i, step in zip(places, steps, strict=False):
            values = taken[-1][: len(carry)] if taken else [_entered(space, x) for x in carry]
            given = _with(values, rest, i, elements)
            taken.append(step.graph.run([*given, *step.graph.hidden.values()]))
    return done


# Steps that many calls have: what was derived from them, and their programs.
_STEPS = Cache(64)


def _shared(graph: Graph, arrays: list[Any]) -> Graph:
    """Return the graph of an earlier call with the same steps and kinds of arrays, if there is one.

    It holds no arrays. Calls of the user's functions aren't shared, whose closures may hold some.
    """
    known = graph.space.call
    own = [s.call is known.get(s.name) or type(s.call) is BuiltinFunctionType for s in graph.steps]
    fixed = [exact(c) for c in graph.constants.values()]
    if recorder() is not None or not all(own) or None in fixed:
        return graph
    found: dict[int, int] = {}
    kinds = [tuple(_levels(graph.space.of, x, found)) for x in arrays]
    rank = sorted(found)
    kinds += [tuple(rank.index(level) for level in found)]
    key = graph.space, *in_force(graph.space.of), graph.says(False), *kinds
    return _STEPS.get(key) or _STEPS.first(key, graph.without_arrays())


def _levels(library: Library, x: Any, found: dict[int, int]) -> Iterator[Any]:
    """Yield the kinds of an array in all transforms that follow it, and its own.

    Transforms are numbered as they are found.
    """
    while x.__class__ is Proxy:
        if x.by is not None:
            yield type(x.by), found.setdefault(x.by.level, len(found)), x.shape, x.dtype
        x = x.value
    yield library.sketch(x) if hasattr(x, "dtype") and not is_neutral(x) else (type(x), x)


def _entered(space: Space, x: Any) -> Any:
    return lift(space, x) if hasattr(x, "dtype") and not is_neutral(x) else x


def recorded_while(
    space: Space, test: Body, body: Body, carry: list[Any], taken: list[list[Any]]
) -> list[Any] | None:
    """Return the carry for which the test fails, or None if test or body aren't recorded.

    The test must hold at `carry`. See `recorded_scan` for `taken`.
    """
    one = _followed(space, body, lambda: carry, taken)
    tested = one and _followed(space, test, lambda: one.out, [])
    if one is None or one.says is None or tested is None or not _is_truth(space, tested):
        return None
    condition = tested.graph
    if taken and not bottom(tested.out[0]):
        return taken[-1]
    two = _followed(space, body, lambda: one.out, taken)
    same = two is not None and one.says == two.says and not _idles(one.graph)
    if two is None or not same or (tested.says or ((), []))[1] != _contents(condition):
        return None
    loop = while_of(two.graph, condition)
    done = _done(loop, carry, [], list(loop.graph.hidden.values()))
    return None if done is None else done[0]


def while_of(graph: Graph, condition: Graph, idle: bool = False) -> Scan:
    """Repeat a step while a test of the first elements of the carry holds."""
    first = len(graph.hidden)
    slots = range(-1, -len(condition.hidden) - 1, -1)
    graph.hidden |= dict(zip(slots, condition.hidden.values(), strict=True))
    return Scan(graph, None, False, 0, None, condition, first, idle)


def noted_while(
    space: Space, test: Body, body: Body, carry: list[Any], told: list[Any]
) -> list[Any] | None:
    """Return the carry for which the test fails, as one call of the open recording.

    None if test or body can't be traced; a test's result that is no array is appended to `told`.
    """
    outer = recorder()
    begin = mark(outer)
    found = _searched(space, test, body, carry, told)
    if found is None:
        return None
    forget(outer, begin, [x for g in found[:2] for x in g.hidden.values()])
    loop = while_of(*found)
    done = _done(loop, carry, [], list(loop.graph.hidden.values()))
    return None if done is None else done[0]


def _searched(
    space: Space, test: Body, body: Body, carry: list[Any], told: list[Any]
) -> tuple[Graph, Graph, bool] | None:
    """Return a step, the test, and whether there was no step, which is then traced later.

    Traces the first step, and the second one as a check. If an inner loop takes no step, more steps
    are traced until it does.
    """
    value = safe = carry
    first: _Body | None = None
    steps: list[_Body] = []
    while len(steps) < _LONG:
        tested = _followed(space, test, functools.partial(list, value), [])
        if tested is None:
            return None
        if first is None and not hasattr(tested.out[0], "dtype"):
            told.append(tested.out[0])
        first = first or tested
        if not _is_truth(space, tested) or tested.says != first.says:
            return None
        some, every = _lanes(space, tested)
        full = [step for step in steps if not _idles(step.graph)]
        if not some or (full and len(steps) > 1):
            break
        pred = tested.out[0]
        safe = value if every else _where(space, pred, value, safe)
        step = _followed(space, body, functools.partial(list, safe), [])
        if step is None or step.says is None:
            return None
        steps.append(step)
        value = step.out if every else _where(space, pred, step.out, value)
    if first is None:
        return None
    alike = full or steps
    if any(step.says != alike[0].says for step in alike):
        return None
    if not alike:
        places = list(range(len(carry)))
        return Graph(space, places, {}, {}, [], places), first.graph, True
    return alike[0].graph, first.graph, False


def _idles(graph: Graph) -> bool:
    """Tell if an inner loop took no step in the trace."""
    loops = [step.call.scan for step in graph.steps if isinstance(step.call, Loop)]
    return any(scan.idle or _idles(scan.graph) for scan in loops)


def _is_truth(space: Space, tested: "_Body") -> bool:
    truth = tested.out[0]
    known = tested.says is not None
    return known and tuple(truth.shape) == () and truth.dtype == space.raw.bool


def _lanes(space: Space, tested: "_Body") -> tuple[bool, bool]:
    """Tell if a test holds for any batch element, and for all."""
    found = bottom(tested.out[0])
    return bool(space.raw.any(found)), bool(space.raw.all(found))


def _where(space: Space, pred: Any, yes: list[Any], no: list[Any]) -> list[Any]:
    where = space.xp.where
    return [where(pred, a, b) for a, b in zip(yes, no, strict=True)]


class _Body(NamedTuple):
    """Hold a body's calls, its results, and a key that is equal for equal traces.

    The key is None if the body can't be replayed.
    """

    graph: Graph
    out: list[Any]
    says: tuple[Hashable, list[Any]] | None


def _followed(
    space: Space, body: Body, pick: Callable[[], list[Any]], taken: list[list[Any]]
) -> _Body | None:
    found = follow(space, lambda by, *a: body(*a), pick)
    if found is None:
        return None
    graph, out = found
    arrays = all(hasattr(x, "dtype") for x in out)
    known = arrays or all(hasattr(x, "dtype") or type(x) in _NUMBERS for x in out)
    if known and recorder() is None:
        out_of = [bare(x) for x in out]
        taken.append([x if is_neutral(x) or not is_open() else lift(space, x) for x in out_of])
    says = None
    with contextlib.suppress(Unrecorded):
        says = (graph.says(), _contents(graph)) if arrays else None
    return _Body(graph, out, says)


def _with(values: list[Any], rest: Callable[..., list[Any]], i: int, xs: list[Any]) -> list[Any]:
    return [*values, *rest(i, xs)]


def _contents(graph: Graph) -> list[Any]:
    """Return the bytes of arrays from outside, to detect whether the step writes to them.

    Only for arrays in the host's memory; others would have to be copied.
    """
    library = graph.space.of
    held = [bottom(x) for x in graph.hidden.values()]
    own = [library.to_numpy(x) for x in held if library.is_host(x)]
    return [x.tobytes() if x.nbytes <= _SMALL else zlib.crc32(x.tobytes()) for x in own]


def _done(scan: Scan, carry: list[Any], xs: list[Any], hidden: list[Any]) -> Both | None:
    try:
        last, ys, _ = run(scan, carry, xs, hidden)
    except Unrecorded:  # in the midst of a derivative
        return None
    except Exception:  # of the step's own, which comes again in the loop that follows
        return None
    done = [*last, *ys]
    if is_open():
        done = [lift(scan.graph.space, x) for x in done]
    return done[: len(carry)], done[len(carry) :]


def run(
    scan: Scan, carry: Sequence[Any], xs: Sequence[Any], hidden: Sequence[Any]
) -> tuple[list[Any], list[Any], int]:
    """Return the last carry, the results as sequences, and the number of steps, or `UNKNOWN`."""
    carry, xs, hidden = ([bare(x) for x in some] for some in (carry, xs, hidden))
    top: Any = None
    for x in (*carry, *xs, *hidden):
        if x.__class__ is Proxy and x.by and (top is None or x.by.level > top.level):
            top = x.by
    if top is None:
        return _replayed(scan, carry, xs, hidden)
    xs = [stacked(scan.graph.space, x) for x in xs]
    if top.records:
        return _noted(scan, top, carry, xs, hidden)
    if type(top) not in RULES:
        raise Unrecorded
    return RULES[type(top)](scan, top, carry, xs, hidden)


def bare(x: Any) -> Any:
    return x.value if x.__class__ is Proxy and x.by is None else x


def stacked(space: Space, x: Any) -> Any:
    """Return a sequence as one array."""
    if x.__class__ is not list:
        return x
    made = [space.raw.asarray(y) if is_neutral(y) else y for y in x]
    return space.raw.stack(made, axis=0)


# -- on the library's own arrays -------------------------------------------------------------------


class _Program:
    """Select a graph's program by the kind of arrays, until the kind no longer changes."""

    def __init__(self, graph: Graph, library: Library) -> None:
        self.graph, self.library = graph, library
        self.state = in_force(library)
        self.before: Any = None
        self.run: Any = None
        self.settled = False

    def __call__(self, *given: Any) -> list[Any]:
        if not self.settled:  # until the carry has the layout that it will have
            key = *self.state, *[_kind(self.library, x) for x in given]
            self.settled = key == self.before
            if not self.settled:
                self.run = self.graph.program(self.library, key, given)
                self.before = key
        out: list[Any] = self.run(*given)
        return out


def _kind(library: Library, x: Any) -> Any:
    return int if type(x) is int else library.sketch(x)


def _replayed(
    scan: Scan, carry: list[Any], xs: list[Any], hidden: list[Any]
) -> tuple[list[Any], list[Any], int]:
    graph, raw, k = scan.graph, scan.graph.space.raw, len(carry)
    if scan.test is not None and len(graph.results) == k:
        last, count = _turned(scan, carry, hidden)
        return last, [], count
    library, n = scan.graph.space.of, scan.length
    rows = [x if x.__class__ is list else raw.unstack(x, axis=0) for x in xs]
    if scan.start is not None and n is not None:
        rows.append(range(scan.start, scan.start + n))
    step, count = _Program(graph, library), 0
    ys: list[Any] = [[None] * (n or 0) for _ in graph.results[k:]]
    for i in _places(scan, carry, hidden):
        call = step.run if step.settled else step
        out = call(*carry, *[row[i] for row in rows], *hidden)
        carry[:] = out[:k]
        if n is None:
            for y in ys:
                y.append(None)
        elif not count:
            for j, y in enumerate(out[k : k + scan.stacks]):
                ys[j] = raw.empty((n, *y.shape), dtype=y.dtype, device=device(y))
        count += 1
        for y, new in zip(ys, out[k:], strict=True):
            y[i if y.__class__ is list else (i, ...)] = new
    if n is None:
        ys[: scan.stacks] = [stacked(graph.space, y) for y in ys[: scan.stacks]]
    return carry, ys, count


def _places(scan: Scan, carry: list[Any], hidden: list[Any]) -> Iterable[int]:
    """Yield the indices of the steps in sequences; `carry` changes meanwhile."""
    if scan.length is None:
        return _while_it_holds(scan, carry, hidden)
    return range(scan.length)[:: -1 if scan.reverse else 1]


def _while_it_holds(scan: Scan, carry: list[Any], hidden: list[Any]) -> Iterator[int]:
    assert scan.test is not None
    holds = _Program(scan.test, scan.graph.space.of)
    reads = _read_by_test(scan, hidden)
    few = len(scan.test.inputs)
    i = 0
    while holds(*carry[:few], *reads)[0]:
        yield i
        i += 1


def _read_by_test(scan: Scan, hidden: list[Any]) -> list[Any]:
    return hidden[scan.first : scan.first + len(scan.test.hidden)] if scan.test else []


class Turn:
    """Hold the programs of a test and a step for one kind of carry; the step's if needed."""

    def __init__(self, scan: Scan, kinds: Any, carry: list[Any], reads: list[Any]) -> None:
        test, self.kinds = scan.test, kinds
        assert test is not None
        given = (*carry[: len(test.inputs)], *reads)
        self.holds: Callable[..., Any] = test.program(scan.graph.space.of, kinds, given)
        self.step: Callable[..., Any] | None = None
        self.stays = False  # whether the step leads to carry of the same kind


def _turned(scan: Scan, carry: list[Any], hidden: list[Any]) -> tuple[list[Any], int]:
    """Return the last carry of a loop with a test and without results, and the number of steps.

    The graph stores the programs for carries of this kind.
    """
    graph, library, few = (
        scan.graph,
        scan.graph.space.of,
        len(scan.test.inputs if scan.test else ()),
    )
    reads = _read_by_test(scan, hidden)
    rest = *in_force(library), *[_kind(library, x) for x in hidden]
    kinds = *rest, *[_kind(library, x) for x in carry]
    turns = graph.turns.get(kinds, [])
    if not turns and len(graph.turns) < _STARTS:
        graph.turns[kinds] = turns
    turn: Turn | None = None
    for i in itertools.count():
        if i < len(turns):
            turn = turns[i]
        elif turn is None or not turn.stays:
            now = *rest, *[_kind(library, x) for x in carry]
            if turn is not None and now == turn.kinds:
                turn.stays = True
            else:
                turn = Turn(scan, now, carry, reads)
                if i < _TURNS:
                    turns.append(turn)
        if not turn.holds(*carry[:few], *reads)[0]:
            return carry, i
        if scan.idle:
            raise Elsewhere("a while_loop takes steps at one call and none at another", anew=True)
        if turn.step is None:
            turn.step = graph.program(library, turn.kinds, (*carry, *hidden))
        carry = turn.step(*carry, *hidden)
    raise AssertionError


# -- as one call of a recording --------------------------------------------------------------------


class Loop:
    """Run a scan as one recorded call of carry, elements and hidden arrays.

    Traced for another number of lanes, it has the same `form` and other `values`, of which
    integers, most of them in shapes, depend on the number. `with_values` returns the loop that
    would have been traced for a number.
    """

    def __init__(self, scan: Scan, sizes: tuple[int, int]) -> None:
        test = None if scan.test is None else scan.test.without_arrays()
        bound = scan.graph.without_arrays()
        self.scan, self.sizes = scan._replace(graph=bound, test=test), sizes

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        k, m = self.sizes
        last, ys, _ = run(self.scan, given[:k], given[k : k + m], given[k + m :])
        return (*last, *[stacked(self.scan.graph.space, y) for y in ys])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loop) and self.said == other.said

    def __hash__(self) -> int:
        return hash(self.said)

    @property
    def said(self) -> Hashable:
        return self.sizes, self.scan.says()

    def form(self) -> tuple[Any, ...]:
        """Return all but the `values`."""
        scan = self.scan
        test = None if scan.test is None else scan.test.form()
        return self.sizes, scan.graph.form(), test, scan.reverse, scan.stacks, *scan[6:]

    def values(self) -> tuple[Any, ...]:
        """Return settings and constants in nested tuples."""
        scan = self.scan
        test = None if scan.test is None else scan.test.values()
        return scan.graph.values(), test, scan.length, scan.start

    def with_values(self, values: tuple[Any, ...]) -> "Loop":
        """Return a loop of this form that has other `values`."""
        of_graph, of_test, length, start = values
        graph, test = self.scan.graph.with_values(of_graph), self.scan.test
        test = None if test is None else test.with_values(of_test)
        scan = self.scan._replace(graph=graph, test=test, length=length, start=start)
        return Loop(scan, self.sizes)

    def program(self) -> str:
        """Describe how often which calls are made."""
        programs = [p for p in self.scan.graph.programs.values() if p is not None]
        often = "while the test holds"
        if self.scan.length is not None:
            often = f"{self.scan.length} steps" + (", backwards" if self.scan.reverse else "")
        text = str(programs[-1]) if programs else "  the step as it is"
        return f"  {often}:\n{text}"


def _noted(
    scan: Scan, by: Recorder, carry: list[Any], xs: list[Any], hidden: list[Any]
) -> tuple[list[Any], list[Any], int]:
    if scan.length is None and len(scan.graph.results) > len(carry):
        raise Unrecorded  # how many steps are kept for reverse mode depends on values
    k = len(carry)
    loop = Loop(scan._replace(stacks=len(scan.graph.results) - k), (k, len(xs)))
    name = "while_loop" if scan.length is None else "scan"
    out = by.note(name, loop, [*carry, *xs, *hidden], {}, whole=True)
    return list(out[:k]), list(out[k:]), UNKNOWN if scan.length is None else scan.length
