"""A scan whose step was followed, one transform after the other down to the library's arrays.

A sequence is a stacked array or, of the library's own arrays, a list with one for each step.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._namespace import device, is_neutral
from ._batching import Batch
from ._differentiation import Forward, Node, Reverse, pulled
from ._graphs import Graph, follow, needed
from ._interpreter import is_open, opened
from ._proxy import Proxy, bottom, lift
from ._recording import Unrecorded
from ._space import Space

__all__ = ["LEAST", "recorded_scan"]

LEAST = 128  # steps, below which following the first two costs more than it saves


class Scan(NamedTuple):
    """A step, ``graph(*carry, *elements, *hidden)``, how often and in which order it is taken.

    On the library's own arrays the first `stacks` results are written into one array each.
    """

    graph: Graph
    length: int
    reverse: bool
    stacks: int

    @property
    def order(self) -> range:
        n = self.length
        return range(n - 1, -1, -1) if self.reverse else range(n)


def recorded_scan(
    space: Space,
    body: Callable[..., list[Any]],
    carry: list[Any],
    xs: list[Any],
    length: int,
    reverse: bool,
) -> tuple[list[Any], list[Any]] | None:
    """The last carry and the stacked results, or None if the body isn't recorded.

    `body` takes the flat carry and elements, and returns the next carry and the results. It is
    followed at the first two steps, and dropped unless it does the same at both.
    """
    graph, said = None, []
    values = carry
    for i in (length - 1, length - 2) if reverse else (0, 1):
        found = follow(space, lambda by, *a: body(*a), [*values, *(x[i, ...] for x in xs)])
        if found is None or not all(hasattr(x, "dtype") for x in found[1]):
            return None
        graph, out = found
        values = out[: len(carry)]
        try:
            said.append(graph.says())
        except Unrecorded:
            return None
    if graph is None or said[0] != said[1]:
        return None
    try:
        last, ys = _scan(
            Scan(graph, length, reverse, len(out)), carry, xs, list(graph.hidden.values())
        )
    except Unrecorded:  # in the midst of a derivative
        return None
    except Exception:  # of the step's own, which comes again in the loop that follows
        return None
    done = [*last, *ys]
    if is_open():
        done = [lift(space, x) for x in done]
    return done[: len(carry)], done[len(carry) :]


def _scan(scan: Scan, carry: Any, xs: Any, hidden: Any) -> tuple[list[Any], list[Any]]:
    """The last carry, and the results as sequences."""
    carry, xs, hidden = [[_bare(x) for x in some] for some in (carry, xs, hidden)]
    top: Any = None
    for x in (*carry, *xs, *hidden):
        if x.__class__ is Proxy and x.by and (top is None or x.by.level > top.level):
            top = x.by
    if top is None:
        return _replayed(scan, carry, xs, hidden)
    space = scan.graph.space
    xs = [_stacked(space, x) for x in xs]
    if isinstance(top, Reverse):
        return _reverse(scan, top, carry, xs, hidden)
    if isinstance(top, Forward):
        return _forward(scan, top, carry, xs, hidden)
    if isinstance(top, Batch):
        return _batch(scan, top, carry, xs, hidden)
    raise Unrecorded


def _bare(x: Any) -> Any:
    return x.value if x.__class__ is Proxy and x.by is None else x


def _stacked(space: Space, x: Any) -> Any:
    if x.__class__ is not list:
        return x
    made = [space.raw.asarray(y) if is_neutral(y) else y for y in x]
    return space.raw.stack(made, axis=0)


def _is(x: Any, by: Any) -> bool:
    return x.__class__ is Proxy and x.by is by


def _below(x: Any, by: Any) -> Any:
    return _bare(x.value) if _is(x, by) else x


def _element(x: Any) -> Any:
    return x[0] if x.__class__ is list else x[0, ...]


def _replayed(scan: Scan, carry: Any, xs: Any, hidden: Any) -> tuple[list[Any], list[Any]]:
    """On the library's own arrays: programs, one after the other."""
    graph, raw, k = scan.graph, scan.graph.space.raw, len(carry)
    library = scan.graph.space.of
    rows = [x if x.__class__ is list else raw.unstack(x, axis=0) for x in xs]
    ys: list[Any] = [[None] * scan.length for _ in graph.results[k:]]
    errors = library.errors()
    before: Any = None
    run: Any = None
    for count, i in enumerate(scan.order):
        given = [*carry, *[row[i] for row in rows], *hidden]
        if run is None or before is not None:  # until the carry has the layout that it will have
            key = errors, *map(library.sketch, given)
            run = graph.program(library, key, given) if key != before else run
            before = None if key == before else key
        out = run(*given)
        carry = out[:k]
        if not count:
            for j, y in enumerate(out[k : k + scan.stacks]):
                ys[j] = raw.empty((scan.length, *y.shape), dtype=y.dtype, device=device(y))
        for y, new in zip(ys, out[k:], strict=True):
            y[i if y.__class__ is list else (i, ...)] = new
    return list(carry), ys


# -- reverse mode ----------------------------------------------------------------------------------


class _Halves(NamedTuple):
    """A step in reverse mode: there, with what must be kept, and back.

    ``back`` takes cotangents of the carry, sums of cotangents of hidden arrays, what was kept and
    cotangents of the results; it gives the first two anew, and cotangents of the elements.
    """

    there: Graph
    back: Graph
    outs: list[bool]  # which results, the carry first, have cotangents
    kept: list[int]  # which results after the carry are handed to `back`


def _halves(scan: Scan, mine: list[bool], given: list[Any], k: int, m: int) -> _Halves:
    """`mine` says of which operands cotangents are wanted: `k` of the carry, `m` of elements."""
    graph, space = scan.graph, scan.graph.space
    counts: list[Any] = []

    def joint(rec: Any, *inner: Any) -> list[Any]:
        by = Reverse()
        with opened(by):
            proxies = [by.leaf(x, space) if f else x for x, f in zip(inner, mine, strict=True)]
            outs = graph.run(proxies)
        values = [_below(y, by) for y in outs]
        moves = [space.inexact(v.dtype) for v in values]

        def like(x: Any, wanted: bool) -> Any:
            return rec.leaf(_zeros(space, x)) if wanted else None

        cts = list(map(like, values, moves))
        sums = list(map(like, inner[k + m :], mine[k + m :]))
        roots = [
            (y.extra, c) for y, c in zip(outs, cts, strict=True) if _is(y, by) and c is not None
        ]
        nodes = [p.extra for p, f in zip(proxies, mine, strict=True) if f]
        found = iter(pulled(space, roots, nodes, True))
        back = [(next(found), x) if f else None for x, f in zip(inner, mine, strict=True)]
        full = [None if b is None else _or_zeros(space, *b) for b in back]
        summed = [s + c for s, c in zip(sums, full[k + m :], strict=True) if s is not None]
        counts[:] = [
            moves,
            [c.extra for c in cts if c is not None],
            [s.extra for s in sums if s is not None],
        ]
        ends = [c for c in full[:k] if c is not None], [c for c in full[k : k + m] if c is not None]
        return [*values, *ends[0], *summed, *ends[1]]

    found = follow(space, joint, given)
    if found is None:
        raise Unrecorded
    whole = found[0]
    moves, cts, sums = counts
    n = len(moves)
    there = needed(whole.steps, whole.results[:n])
    gone = {s for step in there for s in step.results}
    back = [s for s in needed(whole.steps, whole.results[n:]) if gone.isdisjoint(s.results)]
    known = {s for step in back for s in step.results} | {*cts, *sums, *whole.constants}
    read = dict.fromkeys([*(s for step in back for s in step.operands), *whole.results[n:]])
    outside = (
        dict(zip(whole.inputs[k + m : len(given)], given[k + m :], strict=True)) | whole.hidden
    )
    kept = [s for s in read if s not in known and s not in outside]
    some = sum(moves[:k])
    results = [*whole.results[:n]]
    results += [s for s in kept if s not in results[k:]]
    return _Halves(
        Graph(
            space,
            whole.inputs[: k + m],
            outside,
            whole.constants,
            there,
            results,
        ),
        Graph(
            space,
            [*cts[:some], *sums, *kept, *cts[some:]],
            {s: x for s, x in outside.items() if s in read},
            whole.constants,
            back,
            whole.results[n:],
        ),
        moves,
        [results[k:].index(s) for s in kept],
    )


def _zeros(space: Space, x: Any) -> Any:
    return space.raw.zeros(tuple(x.shape), dtype=x.dtype, device=device(bottom(x)))


def _or_zeros(space: Space, c: Any, x: Any) -> Any:
    if c is not None:
        return c
    return space.namespace.zeros(tuple(x.shape), dtype=x.dtype, device=device(bottom(x)))


def _reverse(
    scan: Scan, by: Reverse, carry: list[Any], xs: list[Any], hidden: list[Any]
) -> tuple[list[Any], list[Any]]:
    space, k, m = scan.graph.space, len(carry), len(xs)
    inner = [_below(x, by) for x in (*carry, *xs, *hidden)]
    mine = [_is(x, by) for x in (*carry, *xs, *hidden)]
    mine[:k] = [space.inexact(x.dtype) for x in carry]
    given = [*inner[:k], *(_element(x) for x in inner[k : k + m]), *inner[k + m :]]
    key = "reverse", tuple(mine)
    if key not in scan.graph.derived:
        scan.graph.derived[key] = _halves(scan, mine, given, k, m)
    halves: _Halves = scan.graph.derived[key]
    extra = list(halves.there.hidden.values())[len(hidden) :]
    results = len(halves.outs) - k
    there = Scan(halves.there, scan.length, scan.reverse, results)
    last, ys = _scan(there, inner[:k], inner[k : k + m], [*inner[k + m :], *extra])
    kept = [ys[j] for j in halves.kept]
    out = [*last, *ys[:results]]
    own = dict(zip(halves.there.hidden, (*inner[k + m :], *extra), strict=True))
    reads = [own[s] for s in halves.back.hidden]
    done: list[Any] = [None, None]

    def pull(g: Any, place: int) -> Any:
        if done[0] is not g:  # once for all operands
            cts = [
                _or_zeros_like(space, c, y)
                for c, y, moved in zip(g, out, halves.outs, strict=True)
                if moved
            ]
            some = sum(halves.outs[:k])
            sums = [
                _zeros(space, x) for x, f in zip(inner[k + m :], mine[k + m :], strict=True) if f
            ]
            back = Scan(halves.back, scan.length, not scan.reverse, m)
            first, seqs = _scan(back, [*cts[:some], *sums], [*kept, *cts[some:]], reads)
            done[:] = [g, [*first[:some], *seqs, *first[some:]]]
        return done[1][place]

    edges = []
    place = 0
    for x, f in zip((*carry, *xs, *hidden), mine, strict=True):
        if f and _is(x, by):
            edges.append((x.extra, pull, (place,), False))
        place += f
    if any(x.__class__ is Proxy for x in inner):
        by.nested = True
    node = Node(edges, len(out), None)
    made = [
        Proxy(_bare(y), by, Node([(node, _slot, (j,), False)], tuple(y.shape), y.dtype), space)
        if moved
        else y
        for j, (y, moved) in enumerate(zip(out, halves.outs, strict=True))
    ]
    return made[:k], made[k:]


def _or_zeros_like(space: Space, c: Any, y: Any) -> Any:
    return _zeros(space, y) if c is None else c


def _slot(g: Any, j: int) -> dict[int, Any]:
    return {j: g}


# -- forward mode ----------------------------------------------------------------------------------


def _tangents(space: Space, x: Any, by: Forward) -> list[Any]:
    """The tangents of an operand as arrays."""
    below = _below(x, by)
    out = []
    for t in x.extra if _is(x, by) else (None,) * by.count:
        if t is None or not hasattr(t, "dtype"):
            made = _zeros(space, below)
            t = made if t is None else made + t
        out.append(_bare(t))
    return out


def _forward(
    scan: Scan, by: Forward, carry: list[Any], xs: list[Any], hidden: list[Any]
) -> tuple[list[Any], list[Any]]:
    graph, space, k, m = scan.graph, scan.graph.space, len(carry), len(xs)
    every = [*carry, *xs, *hidden]
    mine = [_is(x, by) for x in every]
    mine[:k] = [space.inexact(x.dtype) for x in carry]
    count = by.count

    def with_tangents(some: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
        moved = [t for x, f in zip(some, flags, strict=True) if f for t in _tangents(space, x, by)]
        return [*(_below(x, by) for x in some), *moved]

    parts = [
        with_tangents(carry, mine[:k]),
        with_tangents(xs, mine[k : k + m]),
        with_tangents(hidden, mine[k + m :]),
    ]
    sizes = [len(p) for p in parts]

    def joint(rec: Any, *inner: Any) -> list[Any]:
        own = Forward(count)
        groups = (
            inner[: sizes[0]],
            inner[sizes[0] : -sizes[2] or None],
            inner[len(inner) - sizes[2] :],
        )
        proxies: list[Any] = []
        flags = iter(mine)
        with opened(own):
            for group, plain in zip(groups, (k, m, len(hidden)), strict=True):
                moved = iter(group[plain:])
                for x in group[:plain]:
                    if next(flags):
                        extra = tuple(next(moved) for _ in range(count))
                        proxies.append(Proxy(x, own, extra, space))
                    else:
                        proxies.append(x)
            outs = graph.run(proxies)
        values = [_below(y, own) for y in outs]
        moves[:] = [space.inexact(v.dtype) for v in values]
        along: list[list[Any]] = [
            [_spread(space, t, v) for t in (y.extra if _is(y, own) else (None,) * count)]
            if f
            else []
            for y, v, f in zip(outs, values, moves, strict=True)
        ]
        ends = [t for a in along[:k] for t in a], [t for a in along[k:] for t in a]
        return [*values[:k], *ends[0], *values[k:], *ends[1]]

    moves: list[bool] = []
    key = "forward", tuple(mine), count
    if key not in graph.derived:
        given = [*parts[0], *(_element(x) for x in parts[1]), *parts[2]]
        found = follow(space, joint, given)
        if found is None:
            raise Unrecorded
        graph.derived[key] = _with_hidden(found[0], sizes[0] + sizes[1], parts[2]), list(moves)
    pushed, moved = graph.derived[key]
    extra = list(pushed.hidden.values())[sizes[2] :]
    steps = scan._replace(graph=pushed, stacks=len(pushed.results))
    last, ys = _scan(steps, parts[0], parts[1], [*parts[2], *extra])

    def joined(values: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
        left = iter(values[len(flags) :])
        return [
            Proxy(_bare(y), by, tuple(_bare(next(left)) for _ in range(count)), space) if f else y
            for y, f in zip(values, flags, strict=False)
        ]

    return joined(last, moved[:k]), joined(ys, moved[k:])


def _spread(space: Space, t: Any, like: Any) -> Any:
    if t is not None and hasattr(t, "dtype"):
        return t
    xp = space.namespace
    made = xp.zeros(tuple(like.shape), dtype=like.dtype, device=device(bottom(like)))
    return made if t is None else made + t


def _with_hidden(graph: Graph, inputs: int, hidden: Sequence[Any]) -> Graph:
    """The last inputs as hidden arrays, before those that were met."""
    own = dict(zip(graph.inputs[inputs:], hidden, strict=True))
    return Graph(
        graph.space,
        graph.inputs[:inputs],
        own | graph.hidden,
        graph.constants,
        graph.steps,
        graph.results,
    )


# -- batches ---------------------------------------------------------------------------------------


def _batch(
    scan: Scan, by: Batch, carry: list[Any], xs: list[Any], hidden: list[Any]
) -> tuple[list[Any], list[Any]]:
    graph, space, k, m = scan.graph, scan.graph.space, len(carry), len(xs)
    xp = space.xp
    mine = [True] * k + [_is(x, by) for x in (*xs, *hidden)]
    starts = [
        _below(x, by) if _is(x, by) else _bare(xp.broadcast_to(x[None, ...], (by.size, *x.shape)))
        for x in carry
    ]
    rows = [_bare(xp.moveaxis(_below(x, by), 1, 0)) if _is(x, by) else x for x in xs]
    others = [_below(x, by) for x in hidden]
    moves: list[bool] = []

    def joint(rec: Any, *inner: Any) -> list[Any]:
        own = Batch(by.size)
        with opened(own):
            proxies = [
                Proxy(x, own, None, space) if f else x for x, f in zip(inner, mine, strict=True)
            ]
            outs = graph.run(proxies)
        moves[:] = [_is(y, own) for y in outs]
        values = [_below(y, own) for y in outs]
        return [
            space.namespace.broadcast_to(v[None, ...], (by.size, *v.shape))
            if j < k and not f
            else v
            for j, (v, f) in enumerate(zip(values, moves, strict=True))
        ]

    key = "batch", tuple(mine), by.size
    if key not in graph.derived:
        found = follow(space, joint, [*starts, *(_element(x) for x in rows), *others])
        if found is None:
            raise Unrecorded
        graph.derived[key] = _with_hidden(found[0], k + m, others), list(moves)
    mapped, moved = graph.derived[key]
    extra = list(mapped.hidden.values())[len(others) :]
    steps = scan._replace(graph=mapped, stacks=0)
    last, ys = _scan(steps, starts, rows, [*others, *extra])
    out = [
        Proxy(_bare(_lanes(space, y)), by, None, space) if f else _stacked(space, y)
        for y, f in zip(ys, moved[k:], strict=True)
    ]
    return [Proxy(_bare(y), by, None, space) for y in last], out


def _lanes(space: Space, y: Any) -> Any:
    """A sequence as one array whose steps come second."""
    if y.__class__ is not list:
        return space.xp.moveaxis(y, 0, 1)
    return space.raw.stack([space.raw.asarray(x) if is_neutral(x) else x for x in y], axis=1)
