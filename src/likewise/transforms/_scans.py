"""A scan whose step was followed, one transform after the other down to the library's arrays.

A sequence is a stacked array or, of the library's own arrays, a list with one for each step. What
a scan is under each transform stands in `_scan_rules`.
"""

import functools
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from .._library import Library
from .._namespace import device, is_neutral
from ._graphs import Graph, follow
from ._interpreter import is_open, recorder
from ._proxy import Proxy, bottom, lift
from ._recording import Recorder, Unrecorded
from ._space import Space

__all__ = [
    "LEAST",
    "RULES",
    "UNKNOWN",
    "Scan",
    "bare",
    "recorded_scan",
    "recorded_while",
    "run",
    "stacked",
]

LEAST = 128  # steps, below which following the first two costs more than it saves
_NUMBERS = (bool, int, float, complex)
UNKNOWN = -1  # how many steps there are depends on values
_SMALL = 2**20  # bytes of an array, above which a checksum tells whether it has changed


class Scan(NamedTuple):
    """A step, ``graph(*carry, *elements, counter, *hidden)``, and how often it is taken.

    On the library's own arrays the first `stacks` results are written into one array each.
    """

    graph: Graph
    length: int | None  # None: as long as the test holds
    reverse: bool
    stacks: int
    start: int | None = None  # the counter at the first element, if the step has one
    test: Graph | None = None  # of the first of the carry, and of hidden arrays from `first` on
    first: int = 0

    @property
    def number(self) -> tuple[int, ...]:
        """The counter as some step has it, to follow the step with."""
        return () if self.start is None else (self.start,)

    def says(self) -> Hashable:
        """Return a key that is equal for scans that do the same."""
        test = None if self.test is None else self.test.says(False)
        return self.graph.says(False), *self[1:5], test, self.first


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
) -> Both | None:
    """The last carry and the stacked results, or None if the body isn't recorded.

    `body` takes the flat carry, elements and, if it starts somewhere, the counter; it returns the
    next carry and the results. It is followed at the first two steps, and dropped unless it does
    the same at both. What these steps returned goes to `taken`, after which the loop may go on; not
    where an outer recording would have to forget them.
    """
    places = (length - 1, length - 2) if reverse else (0, 1)

    def rest(i: int) -> list[Any]:
        return [x[i, ...] for x in xs] + ([] if start is None else [start + i])

    one = _followed(space, body, functools.partial(_with, carry, rest, places[0]), taken)
    if one is None:
        return None
    after = one.out[: len(carry)]
    two = _followed(space, body, functools.partial(_with, after, rest, places[1]), taken)
    if two is None or one.says != two.says:
        return None
    scan = Scan(two.graph, length, reverse, len(two.out) - len(carry), start)
    return _done(scan, carry, xs, list(two.graph.hidden.values()))


def recorded_while(
    space: Space, test: Body, body: Body, carry: list[Any], taken: list[list[Any]]
) -> list[Any] | None:
    """The carry for which the test fails, or None if test or body aren't recorded.

    The test holds at `carry`. See `recorded_scan` for `taken`.
    """
    one = _followed(space, body, lambda: carry, taken)
    tested = one and _followed(space, test, lambda: one.out, [])
    if one is None or tested is None:
        return None
    condition, truth = tested.graph, tested.out[0]
    if tuple(truth.shape) != () or truth.dtype != space.raw.bool:
        return None
    if taken and not bottom(truth):
        return taken[-1]
    two = _followed(space, body, lambda: one.out, taken)
    if two is None or one.says != two.says or tested.says[1] != _contents(condition):
        return None
    graph = two.graph
    hidden = list(graph.hidden.values())
    slots = range(-1, -len(condition.hidden) - 1, -1)
    graph.hidden |= dict(zip(slots, condition.hidden.values(), strict=True))
    scan = Scan(graph, None, False, 0, None, condition, len(hidden))
    done = _done(scan, carry, [], list(graph.hidden.values()))
    return None if done is None else done[0]


class _Step(NamedTuple):
    """A body's calls, what is equal where it did the same, and what came out."""

    graph: Graph
    says: tuple[Hashable, list[Any]]
    out: list[Any]


def _followed(
    space: Space, body: Body, pick: Callable[[], list[Any]], taken: list[list[Any]]
) -> _Step | None:
    found = follow(space, lambda by, *a: body(*a), pick)
    if found is None:
        return None
    graph, out = found
    arrays = all(hasattr(x, "dtype") for x in out)
    known = arrays or all(hasattr(x, "dtype") or type(x) in _NUMBERS for x in out)
    if known and recorder() is None:
        out_of = [bare(x) for x in out]
        taken.append([x if is_neutral(x) or not is_open() else lift(space, x) for x in out_of])
    try:
        return _Step(graph, (graph.says(), _contents(graph)), out) if arrays else None
    except Unrecorded:
        return None


def _with(values: list[Any], rest: Callable[[int], list[Any]], i: int) -> list[Any]:
    return [*values, *rest(i)]


def _contents(graph: Graph) -> list[Any]:
    """Return the bytes of arrays from outside, which tell whether the step writes to them.

    Of arrays in the host's memory; others would have to be copied there.
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
    """The last carry, the results as sequences, and how many steps there were, or `UNKNOWN`."""
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
    """A sequence as one array."""
    if x.__class__ is not list:
        return x
    made = [space.raw.asarray(y) if is_neutral(y) else y for y in x]
    return space.raw.stack(made, axis=0)


# -- on the library's own arrays -------------------------------------------------------------------


class _Program:
    """A graph's program for arrays of the kind that comes; kinds are told apart until one stays."""

    def __init__(self, graph: Graph, library: Library) -> None:
        self.graph, self.library = graph, library
        self.errors = library.errors()
        self.before: Any = None
        self.run: Any = None
        self.settled = False

    def __call__(self, *given: Any) -> list[Any]:
        if not self.settled:  # until the carry has the layout that it will have
            key = self.errors, *[_kind(self.library, x) for x in given]
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


def _places(scan: Scan, carry: list[Any], hidden: list[Any]) -> Iterator[int]:
    """The places of the steps in sequences; `carry` changes meanwhile."""
    if scan.test is None:
        assert scan.length is not None
        n = scan.length
        yield from range(n - 1, -1, -1) if scan.reverse else range(n)
        return
    holds = _Program(scan.test, scan.graph.space.of)
    few = len(scan.test.inputs)
    reads = hidden[scan.first : scan.first + len(scan.test.hidden)]
    i = 0
    while holds(*carry[:few], *reads)[0]:
        yield i
        i += 1


# -- as one call of a recording --------------------------------------------------------------------


class Loop:
    """A scan as one call, of carry, elements and hidden arrays; a recording notes it."""

    def __init__(self, scan: Scan, sizes: tuple[int, int]) -> None:
        hidden = dict.fromkeys(scan.graph.hidden)  # operands: nothing holds them
        g = scan.graph
        bound = Graph(g.space, g.inputs, hidden, g.constants, g.steps, g.results)
        test = scan.test
        if test is not None:
            held = dict.fromkeys(test.hidden)
            test = Graph(g.space, test.inputs, held, test.constants, test.steps, test.results)
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

    def program(self) -> str:
        """How often which calls are made, for people."""
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
