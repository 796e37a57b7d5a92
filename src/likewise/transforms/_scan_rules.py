"""The rules of scans: under each transform a scan is another scan, of a step traced below it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._namespace import device
from ._following._interpreter import opened
from ._following._proxy import Proxy, bottom
from ._following._space import Space
from ._recordings._cleanup import needed
from ._recordings._graphs import Graph, follow
from ._recordings._recording import Unrecorded
from ._rules._differentiation import Forward, Node, Reverse, Sums, pulled
from ._scans import RULES, UNKNOWN, Scan, bare, run

__all__ = ["Done", "belongs", "below", "derived", "element", "with_hidden"]

Done = tuple[list[Any], list[Any], int]


def belongs(x: Any, by: Any) -> bool:
    return x.__class__ is Proxy and x.by is by


def below(x: Any, by: Any) -> Any:
    return bare(x.value) if belongs(x, by) else x


def element(x: Any) -> Any:
    return x[0] if x.__class__ is list else x[0, ...]


def _zeros(space: Space, x: Any) -> Any:
    """Return zeros below all transforms, for tracing a step."""
    return space.raw.zeros(tuple(x.shape), dtype=x.dtype, device=device(bottom(x)))


def _noted_zeros(space: Space, x: Any) -> Any:
    """Return zeros as the open transforms create them."""
    return bare(space.xp.zeros(tuple(x.shape), dtype=x.dtype, device=device(bottom(x))))


def derived(scan: Scan, key: Any, hidden: int, make: Any) -> Any:
    """Derive from a scan's graph; cache the result, unless it used a transform's arrays.

    Where others share the graph, it must not use any but those that they give.
    """
    known, shared = scan.graph.derived, scan.graph.shared
    if key in known:
        return known[key]
    made = make()
    more = list(made[0].hidden.values())[hidden:]
    if shared and not more:
        build = getattr(made, "_make", tuple)
        made = build([x.without_arrays() if isinstance(x, Graph) else x for x in made])
    if not any(shared or x.__class__ is Proxy for x in more):
        known[key] = made
    return made


class _Sizes(NamedTuple):
    """Hold the numbers of carry, element and counter operands; there is at most one counter."""

    carry: int
    elements: int
    counters: int

    @property
    def hidden(self) -> int:
        """Return the index of the first hidden array among a step's inputs."""
        return sum(self)


def _sized(scan: Scan, carry: list[Any], xs: list[Any]) -> _Sizes:
    return _Sizes(len(carry), len(xs), len(scan.number))


# -- reverse mode ----------------------------------------------------------------------------------


class _Halves(NamedTuple):
    """Hold a step in reverse mode: the forward part with stored arrays, and the backward part.

    ``back`` takes cotangents of the carry, sums of cotangents of hidden arrays, the stored arrays,
    cotangents of the results, and the counter; it returns the first two updated, and cotangents of
    the elements.
    """

    there: Graph
    back: Graph
    outs: list[bool]  # which results, the carry first, have cotangents
    kept: list[int]  # which results after the carry are handed to `back`
    idle: list[bool]  # which sums stay as they are
    carried: list[int]  # of each result, which of the carry it is as well; -1 if none
    k: int  # how many of the carry there are

    def parts(self, results: list[Any]) -> tuple[list[Any], list[Any]]:
        """The carry, and the other results."""
        return results[: self.k], results[self.k :]


class _StepAndPullback:
    """Run a step and its pullback as one function, for tracing.

    `mine` says which inputs need cotangents, and `first` where each is first used. Cotangents are
    summed use by use, in the same order as without a recording.
    """

    def __init__(self, graph: Graph, mine: list[bool], first: Sequence[int], sizes: _Sizes) -> None:
        self.graph, self.space, self.sizes = graph, graph.space, sizes
        self.mine, self.first = mine, first
        slots = list(graph.results)
        own, k = slots[: sizes.carry], sizes.carry
        self.carried = [-1] * k + [own.index(s) if s in own else -1 for s in slots[k:]]
        self.moves: list[bool] = []  # which results have cotangents
        self.cts: list[int] = []  # their slots
        self.sums: list[int] = []  # and those of the sums of hidden arrays' cotangents

    def __call__(self, rec: Any, *inner: Any) -> list[Any]:
        space, by, k = self.space, Reverse(), self.sizes.carry
        proxies: list[Any] = []
        with opened(by):
            for j, (x, f, first) in enumerate(zip(inner, self.mine, self.first, strict=True)):
                own = proxies[first] if first < j else by.leaf(x, space) if f else x
                proxies.append(own)
            outs = self.graph.run(proxies)
        values = [below(y, by) for y in outs]
        self.moves = [space.inexact(v.dtype) for v in values]
        leaves = [
            [x for j, x in enumerate(proxies[a:b], a) if self.mine[j] and self.first[j] == j]
            for a, b in self._parts(len(inner))
        ]
        cts = [
            (y, rec.leaf(_zeros(space, v)), carry)
            for y, v, f, carry in zip(outs, values, self.moves, self.carried, strict=True)
            if f
        ]
        sums = [rec.leaf(_zeros(space, x)) for x in leaves[2]]
        self.cts, self.sums = [c.extra for _, c, _ in cts], [s.extra for s in sums]
        roots = [(x.extra, s) for x, s in zip(leaves[2], sums, strict=True)]
        # A result that is carried on, too, comes here with the next step.
        few = sum(self.moves[:k])
        ordered = [*cts[few:][::-1], *cts[:few]]
        roots += [(proxies[j].extra, c) for _, c, j in ordered if j >= 0]
        ordered = [*cts[:few], *cts[few:][::-1]]
        roots += [(y.extra, c) for y, c, j in ordered if j < 0 and belongs(y, by)]
        found = iter(pulled(space, roots, [p.extra for some in leaves for p in some], True))
        zeros = space.namespace.zeros_like
        back = [
            [zeros(p.value) if (c := next(found)) is None else c for p in some] for some in leaves
        ]
        return [*values, *back[0], *back[2], *back[1]]

    def _parts(self, n: int) -> tuple[tuple[int, int], ...]:
        """Return where carry, elements and hidden arrays begin and end."""
        k, m, _ = self.sizes
        return (0, k), (k, k + m), (self.sizes.hidden, n)


def _halves(
    scan: Scan,
    mine: list[bool],
    first: Sequence[int],
    pick: Any,
    hidden: list[Any],
    sizes: _Sizes,
) -> _Halves:
    step = _StepAndPullback(scan.graph, mine, first, sizes)
    found = follow(scan.graph.space, step, pick)
    if found is None:
        raise Unrecorded
    whole, n, k = found[0], len(step.moves), sizes.carry
    ends = whole.results[n:]
    counter = whole.inputs[k + sizes.elements : sizes.hidden]
    numbers = _numbers(whole, counter)
    there = needed(whole.steps, whole.results[:n])
    gone = {s for one in there for s in one.results} - numbers
    back = [one for one in needed(whole.steps, ends) if gone.isdisjoint(one.results)]
    read = dict.fromkeys([*(s for one in back for s in one.operands), *ends])
    outside = dict(zip(whole.inputs[sizes.hidden :], hidden, strict=False)) | whole.hidden
    known = {s for one in back for s in one.results} | numbers
    known |= {*step.cts, *step.sums, *whole.constants, *outside}
    kept = [s for s in read if s not in known]
    results = [*whole.results[:n]]
    results += [s for s in kept if s not in results[k:]]
    some = sum(step.moves[:k])
    inputs = [*step.cts[:some], *step.sums, *kept, *step.cts[some:], *counter]
    reads = {s: x for s, x in outside.items() if s in read}
    space, fixed = whole.space, whole.constants
    return _Halves(
        Graph(space, whole.inputs[: sizes.hidden], outside, fixed, there, results),
        Graph(space, inputs, reads, fixed, back, ends),
        step.moves,
        [results[k:].index(s) for s in kept],
        [s in ends for s in step.sums],
        step.carried,
        k,
    )


def _numbers(graph: Graph, counter: Sequence[int]) -> set[int]:
    """Return the slots of counters and of numbers computed from them, cheap to recompute."""
    fixed = {s for s, c in graph.constants.items() if type(c) in (int, float)}
    numbers = set(counter)
    for step in graph.steps:
        if not step.whole and step.operands and (numbers | fixed).issuperset(step.operands):
            numbers.update(step.results)
    return numbers


def _reverse(scan: Scan, by: Reverse, carry: list[Any], xs: list[Any], hidden: list[Any]) -> Done:
    space, sizes = scan.graph.space, _sized(scan, carry, xs)
    k, m, few = sizes
    every = [*carry, *xs, *hidden]
    inner = [below(x, by) for x in every]
    mine = [belongs(x, by) for x in every]
    mine[:k] = [space.inexact(x.dtype) for x in carry]
    first = _met_first(every, by, k + m)
    halves: _Halves = derived(
        scan,
        ("reverse", tuple(mine), tuple(first)),
        len(hidden),
        lambda: _halves(
            scan,
            [*mine[: k + m], *[False] * few, *mine[k + m :]],
            [*range(sizes.hidden), *[j + few for j in first[k + m :]]],
            lambda: [
                *inner[:k],
                *map(element, inner[k : k + m]),
                *scan.number,
                *inner[k + m :],
            ],
            inner[k + m :],
            sizes,
        ),
    )
    reads = [*inner[k + m :], *list(halves.there.hidden.values())[len(hidden) :]]
    results = len(halves.outs) - k
    there = scan._replace(graph=halves.there, stacks=results)
    last, ys, n = run(there, inner[:k], inner[k : k + m], reads)
    if n == UNKNOWN:  # nor how often to go back
        raise Unrecorded
    out = [*last, *ys[:results]]
    own = dict(zip(halves.there.hidden, reads, strict=True))
    moving = [j for j, f in enumerate(mine) if f and first[j] == j]
    pull = _Pull(
        Scan(halves.back, n, not scan.reverse, sum(mine[k : k + m]), scan.start),
        halves,
        out,
        [ys[j] for j in halves.kept],
        [own[s] for s in halves.back.hidden],
        [inner[j] for j in moving if j >= k + m],
    )
    if any(x.__class__ is Proxy for x in inner):
        by.nested = True
    edges = [
        (every[j].extra, pull, (place,), None if j >= k + m else False)
        for place, j in enumerate(moving)
        if belongs(every[j], by)
    ]
    # Those that go on with what is there come before others of the same array.
    edges.sort(key=lambda edge: edge[3] is not None)
    node = Sums(edges, len(out), [every[j].extra for j in moving if j >= k + m])
    made = [
        Proxy(bare(y), by, Node([(node, _slot, (j,), False)], tuple(y.shape), y.dtype), space)
        if moved
        else y
        for j, (y, moved) in enumerate(zip(out, halves.outs, strict=True))
    ]
    return made[:k], made[k:], n


def _met_first(every: list[Any], by: Reverse, start: int) -> list[int]:
    """Return each operand's index; for a repeated hidden array, its first index."""
    places: dict[int, int] = {}
    out = list(range(len(every)))
    for j in range(start, len(every)):
        if belongs(every[j], by):
            out[j] = places.setdefault(id(every[j].extra), j)
    return out


class _Pull:
    """Pull back the cotangents of a scan's results, once for all operands."""

    def __init__(
        self,
        back: Scan,
        halves: _Halves,
        out: list[Any],
        kept: list[Any],
        reads: list[Any],
        hidden: list[Any],
    ) -> None:
        self.back, self.halves, self.out = back, halves, out
        self.kept, self.reads, self.hidden = kept, reads, hidden
        self.of: Any = None
        self.found: list[Any] = []

    def __call__(self, g: Any, place: int) -> Any:
        if self.of is not g:
            self.of, self.found = g, self.pulled(*g)
        return self.found[place]

    def pulled(self, g: Sequence[Any], sums: Sequence[Any]) -> list[Any]:
        space, halves = self.back.graph.space, self.halves
        cts: list[Any] = [
            (_noted_zeros(space, y) if c is None else bare(c)) if moved else None
            for c, y, moved in zip(g, self.out, halves.outs, strict=True)
        ]
        last = (self.back.length or 0) - 1 if self.back.reverse else 0
        for j, carry in reversed(list(enumerate(halves.carried))):
            c = cts[j]
            if carry >= 0 and c is not None:
                cts[carry] = cts[carry] + c[last, ...]
                cts[j] = self._later(c)
        sums = [self._start(x, c) for x, c in zip(self.hidden, sums, strict=True)]
        of_carry, of_results = ([c for c in some if c is not None] for some in halves.parts(cts))
        first, seqs, _ = run(self.back, [*of_carry, *sums], [*self.kept, *of_results], self.reads)
        some = len(of_carry)
        found = [None if f else c for c, f in zip(first[some:], halves.idle, strict=True)]
        return [*first[:some], *seqs, *found]

    def _later(self, c: Any) -> Any:
        """Shift a sequence of cotangents by one step; the first gets none."""
        space = self.back.graph.space
        nothing = -_noted_zeros(space, c[:1, ...])
        parts = [nothing, c[:-1, ...]] if self.back.reverse else [c[1:, ...], nothing]
        return bare(space.xp.concat(parts, axis=0))

    def _start(self, x: Any, c: Any) -> Any:
        """Return an array's cotangent so far; -0.0 changes nothing that is added to it."""
        space = self.back.graph.space
        if c is None:
            return -_noted_zeros(space, x)
        c = bare(c)
        fits = tuple(c.shape) == tuple(x.shape)
        return c if fits else bare(space.xp.broadcast_to(c, tuple(x.shape)))


def _slot(g: Any, j: int) -> dict[int, Any]:
    return {j: g}


RULES[Reverse] = _reverse


# -- forward mode ----------------------------------------------------------------------------------


def _tangents(space: Space, x: Any, by: Forward) -> list[Any]:
    """Return the tangents of an operand as arrays."""
    value = below(x, by)
    out = []
    for t in x.extra if belongs(x, by) else (None,) * by.count:
        if t is None or not hasattr(t, "dtype"):
            made = _noted_zeros(space, value)
            t = made if t is None else made + t
        out.append(bare(t))
    return out


class _Pushed:
    """Run a step with the tangents of some operands after each group of operands."""

    def __init__(
        self, graph: Graph, mine: list[list[bool]], counters: int, count: int, k: int
    ) -> None:
        self.graph, self.space = graph, graph.space
        self.groups = [(f, len(f) + count * sum(f)) for f in mine]
        self.groups.insert(2, ([False] * counters, counters))
        self.count, self.k = count, k
        self.moves: list[bool] = []  # which results have tangents

    def __call__(self, rec: Any, *inner: Any) -> list[Any]:
        own, space, left = Forward(self.count), self.space, iter(inner)
        proxies: list[Any] = []
        with opened(own):
            for flags, size in self.groups:
                plain = [next(left) for _ in flags]
                moved = iter([next(left) for _ in range(size - len(flags))])
                for x, f in zip(plain, flags, strict=True):
                    extra = tuple([next(moved) for _ in range(self.count)]) if f else None
                    proxies.append(Proxy(x, own, extra, space) if f else x)
            outs = self.graph.run(proxies)
        values = [below(y, own) for y in outs]
        self.moves = [space.inexact(v.dtype) for v in values]
        along: list[list[Any]] = [
            [_spread(space, t, v) for t in (y.extra if belongs(y, own) else (None,) * self.count)]
            if f
            else []
            for y, v, f in zip(outs, values, self.moves, strict=True)
        ]
        k = self.k
        ends = [t for a in along[:k] for t in a], [t for a in along[k:] for t in a]
        return [*values[:k], *ends[0], *values[k:], *ends[1]]


def _spread(space: Space, t: Any, like: Any) -> Any:
    if t is not None and hasattr(t, "dtype"):
        return t
    xp = space.namespace
    made = xp.zeros(tuple(like.shape), dtype=like.dtype, device=device(bottom(like)))
    return made if t is None else made + t


def _forward(scan: Scan, by: Forward, carry: list[Any], xs: list[Any], hidden: list[Any]) -> Done:
    space, k = scan.graph.space, len(carry)
    mine = [[belongs(x, by) for x in some] for some in (carry, xs, hidden)]
    mine[0] = [space.inexact(x.dtype) for x in carry]
    parts = []
    for some, flags in zip((carry, xs, hidden), mine, strict=True):
        along = [t for x, f in zip(some, flags, strict=True) if f for t in _tangents(space, x, by)]
        parts.append([*(below(x, by) for x in some), *along])

    def make() -> tuple[Graph, list[bool]]:
        step = _Pushed(scan.graph, mine, len(scan.number), by.count, k)
        found = follow(
            space,
            step,
            lambda: [*parts[0], *map(element, parts[1]), *scan.number, *parts[2]],
        )
        return with_hidden(found, parts[2]), step.moves

    key = "forward", tuple(map(tuple, mine)), by.count
    pushed, moved = derived(scan, key, len(parts[2]), make)
    extra = list(pushed.hidden.values())[len(parts[2]) :]
    steps = scan._replace(graph=pushed, stacks=len(pushed.results))
    last, ys, n = run(steps, parts[0], parts[1], [*parts[2], *extra])

    def joined(values: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
        left = iter(values[len(flags) :])
        return [
            Proxy(bare(y), by, tuple([bare(next(left)) for _ in range(by.count)]), space)
            if f
            else y
            for y, f in zip(values, flags, strict=False)
        ]

    return joined(last, moved[:k]), joined(ys, moved[k:]), n


def with_hidden(found: tuple[Graph, Any] | None, hidden: Sequence[Any]) -> Graph:
    """Turn the last inputs of a graph into hidden arrays, before its other hidden arrays."""
    if found is None:
        raise Unrecorded
    graph = found[0]
    inputs = len(graph.inputs) - len(hidden)
    own = dict(zip(graph.inputs[inputs:], hidden, strict=True)) | graph.hidden
    first = graph.inputs[:inputs]
    return Graph(graph.space, first, own, graph.constants, graph.steps, graph.results)


RULES[Forward] = _forward
