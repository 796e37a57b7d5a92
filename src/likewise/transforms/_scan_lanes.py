"""The batching rules of scans, and of `while_loop`, whose batch elements end separately."""

from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import device, is_neutral
from ._following._interpreter import opened
from ._following._proxy import Proxy, bottom
from ._following._space import Space
from ._recordings._graphs import Graph, follow
from ._recordings._recording import Unrecorded
from ._rules._batching import Batch
from ._scan_rules import Done, belongs, below, derived, element, with_hidden
from ._scans import RULES, UNKNOWN, Scan, bare, run, stacked, while_of

__all__: list[str] = []


def _batch(scan: Scan, by: Batch, carry: list[Any], xs: list[Any], hidden: list[Any]) -> Done:
    if scan.test is not None:
        return _lane_by_lane(scan, by, carry, hidden)
    graph, space, k = scan.graph, scan.graph.space, len(carry)
    xp, few = space.xp, len(scan.number)
    mine = [True] * k + [belongs(x, by) for x in (*xs, *hidden)]
    starts = [
        below(x, by) if belongs(x, by) else bare(xp.broadcast_to(x[None, ...], (by.size, *x.shape)))
        for x in carry
    ]
    rows = [bare(xp.moveaxis(below(x, by), 1, 0)) if belongs(x, by) else x for x in xs]
    others = [below(x, by) for x in hidden]
    flags = [*mine[: k + len(xs)], *[False] * few, *mine[k + len(xs) :]]
    moves: list[bool] = []

    def joint(rec: Any, *inner: Any) -> list[Any]:
        own = Batch(by.size)
        with opened(own):
            pairs = zip(inner, flags, strict=True)
            outs = graph.run([Proxy(x, own, None, space) if f else x for x, f in pairs])
        moves[:] = [belongs(y, own) for y in outs]
        values = [below(y, own) for y in outs]
        return [
            space.namespace.broadcast_to(v[None, ...], (by.size, *v.shape))
            if j < k and not f
            else v
            for j, (v, f) in enumerate(zip(values, moves, strict=True))
        ]

    def make() -> tuple[Graph, list[bool]]:
        found = follow(space, joint, lambda: [*starts, *map(element, rows), *scan.number, *others])
        return with_hidden(found, others), list(moves)

    mapped, moved = derived(scan, ("batch", tuple(mine), by.size), len(others), make)
    extra = list(mapped.hidden.values())[len(others) :]
    last, ys, n = run(scan._replace(graph=mapped, stacks=0), starts, rows, [*others, *extra])
    out = [
        Proxy(bare(_lanes(space, y)), by, None, space) if f else stacked(space, y)
        for y, f in zip(ys, moved[k:], strict=True)
    ]
    return [Proxy(bare(y), by, None, space) for y in last], out, n


def _lanes(space: Space, y: Any) -> Any:
    """Return a sequence as one array with steps as the second axis."""
    if y.__class__ is not list:
        return space.xp.moveaxis(y, 0, 1)
    return space.raw.stack([space.raw.asarray(x) if is_neutral(x) else x for x in y], axis=1)


RULES[Batch] = _batch


# -- loops with a test -----------------------------------------------------------------------------


def _lane_by_lane(scan: Scan, by: Batch, carry: list[Any], hidden: list[Any]) -> Done:
    """Loop while all batch elements run; then loop with finished elements kept fixed.

    For a finished element, the step gets the input of its last step.
    """
    k = len(carry)
    if len(scan.graph.results) > k:
        raise Unrecorded  # how many steps are kept for reverse mode depends on values
    lanes = _Lanes(scan, by, [belongs(x, by) for x in carry], [belongs(x, by) for x in hidden])
    others = [below(x, by) for x in hidden]
    values = [lanes.spread(x) if f else x for x, f in zip(carry, lanes.moves, strict=True)]
    if not lanes.apart:
        last = _looped(scan, lanes.together, lanes.test, values, others)
        return lanes.proxies(last), [], UNKNOWN
    both = _looped(scan, lanes.remembering, lanes.all_run, [*values, *values], others)
    values, before = lanes.proxies(both[:k]), lanes.proxies(both[k:])
    lanes.moves = [True] * k
    start = lanes.run_test([*values, *hidden])
    first = [lanes.spread(x) for x in (start, *values, *before)]
    both = _looped(scan, lanes.one_by_one, lanes.any_runs, first, others)
    return lanes.proxies(both[1 : k + 1]), [], UNKNOWN


def _looped(
    scan: Scan,
    step: Callable[..., list[Any]],
    test: Callable[..., list[Any]],
    carry: list[Any],
    others: list[Any],
) -> list[Any]:
    """Return the last carry of a loop one level below."""
    followed, tested = [
        with_hidden(follow(scan.graph.space, fun, lambda: [*carry, *others]), others)
        for fun in (step, test)
    ]
    loop = while_of(followed, tested, scan.idle)
    last, _, _ = run(loop, carry, [], list(loop.graph.hidden.values()))
    return last


class _Lanes:
    """Define a batched loop's functions of carry and hidden arrays, for tracing.

    `moves` says which parts of the carry are batched, and `apart` whether the test is.
    """

    def __init__(self, scan: Scan, by: Batch, carry: list[bool], hidden: list[bool]) -> None:
        assert scan.test is not None
        self.graph, self.tested, self.by = scan.graph, scan.test, by
        self.space, self.hidden, self.k = scan.graph.space, hidden, len(carry)
        self.few, self.first = len(scan.test.inputs), scan.first
        moves: list[bool] = []
        while moves != carry:
            moves = carry
            after = _touched(self.graph, [*moves, *hidden])
            carry = [a or b for a, b in zip(moves, after, strict=True)]
        self.moves = moves
        (self.apart,) = _touched(self.tested, self.picked([*moves, *hidden]))

    def picked(self, values: Sequence[Any]) -> list[Any]:
        """Return the parts of carry and hidden arrays that the test gets."""
        start = self.k + self.first
        return [*values[: self.few], *values[start : start + len(self.tested.hidden)]]

    def run_test(self, values: Sequence[Any]) -> Any:
        return self.tested.run(self.picked(values))[0]

    def spread(self, x: Any) -> Any:
        """Make batch elements contiguous in memory, like later results."""
        xp, by = self.space.xp, self.by
        if belongs(x, by):
            return below(x, by)
        places = xp.zeros(by.size, dtype=xp.int64, device=device(bottom(x)))
        return bare(xp.take(x[None, ...], places, axis=0))

    def proxies(self, values: Sequence[Any], own: Batch | None = None) -> list[Any]:
        """Return proxies of batch elements for the values."""
        by = own or self.by
        pairs = zip(values, self.moves, strict=True)
        return [Proxy(bare(x), by, None, self.space) if f else x for x, f in pairs]

    def opened(self, values: Sequence[Any], hidden: Sequence[Any], own: Batch) -> list[Any]:
        pairs = zip(hidden, self.hidden, strict=True)
        others = [Proxy(x, own, None, self.space) if f else x for x, f in pairs]
        return [*self.proxies(values, own), *others]

    def lowered(self, values: Sequence[Any], own: Batch) -> list[Any]:
        """Return the values below, batched where the carry is."""
        pairs = zip(values, self.moves, strict=True)
        return [self.spread_over(x, own) if f else below(x, own) for x, f in pairs]

    def spread_over(self, x: Any, own: Batch) -> Any:
        if belongs(x, own):
            return below(x, own)
        return self.space.namespace.broadcast_to(x[None, ...], (own.size, *x.shape))

    def together(self, rec: Any, *inner: Any) -> list[Any]:
        own = Batch(self.by.size)
        with opened(own):
            out = self.graph.run(self.opened(inner[: self.k], inner[self.k :], own))
        return self.lowered(out, own)

    def test(self, rec: Any, *inner: Any) -> list[Any]:
        own = Batch(self.by.size)
        with opened(own):
            out = self.run_test(self.opened(inner[: self.k], inner[self.k :], own))
        return [below(out, own)]

    def remembering(self, rec: Any, *inner: Any) -> list[Any]:
        """Return the next carry, and this one."""
        k = self.k
        return [*self.together(rec, *inner[:k], *inner[2 * k :]), *inner[:k]]

    def all_run(self, rec: Any, *inner: Any) -> list[Any]:
        (found,) = self.test(rec, *inner[: self.k], *inner[2 * self.k :])
        xp = self.space.namespace
        return [xp.all(found) if self.by.size else xp.any(found)]

    def any_runs(self, rec: Any, *inner: Any) -> list[Any]:
        return [self.space.namespace.any(inner[0])]

    def one_by_one(self, rec: Any, *inner: Any) -> list[Any]:
        """Return the next test result, the next carry, and the step's input."""
        k, own, where = self.k, Batch(self.by.size), self.space.namespace.where
        with opened(own):
            now = self.opened(inner[1 : k + 1], inner[2 * k + 1 :], own)
            goes, safe = (
                Proxy(inner[0], own, None, self.space),
                self.proxies(inner[k + 1 :][:k], own),
            )
            safe = [where(goes, a, b) for a, b in zip(now, safe, strict=False)]
            new = self.graph.run([*safe, *now[k:]])
            now[:k] = [where(goes, a, b) for a, b in zip(new, now, strict=False)]
            again = self.run_test(now)
        return [self.spread_over(again, own), *self.lowered(now[:k], own), *self.lowered(safe, own)]


def _touched(graph: Graph, marks: Sequence[bool]) -> list[bool]:
    """Tell which results depend on inputs and hidden arrays that are marked."""
    slots = {s for s, f in zip((*graph.inputs, *graph.hidden), marks, strict=True) if f}
    for step in graph.steps:
        if not slots.isdisjoint(step.operands):
            slots.update(step.results)
    return [s in slots for s in graph.results]
