"""Many problems, some at a time: what has ended makes room for what has not begun."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...missing import at
from ...transforms import while_loop
from ._marquardt import (
    CAREFUL,
    INTERRUPTED,
    RUNNING,
    State,
    fresh,
)

__all__ = [
    "Solution",
    "Watch",
    "again_in_rounds",
    "again_in_stream",
    "in_rounds",
    "in_stream",
    "joined",
    "replaced",
    "taken",
    "unbegun",
]

# rows, state -> state after one step
Advance = Callable[[Any, State], State]


class Solution(NamedTuple):
    """The end of the steps, problems on the last axis."""

    x: Any  # (p, B)
    cost: Any  # (B,), half the sum of squares at x
    normal: Any  # (p, p, B), at x
    status: Any  # (B,)
    nfev: Any  # (B,)


def _kept(state: State) -> Solution:
    return Solution(state.x, state.cost, state.normal, state.status, state.nfev)


def unbegun(rows: Any) -> Solution:
    """Return the starts, before the first evaluation."""
    return _kept(fresh(rows.start))


def _axes(fields: Any) -> list[int]:
    """Return the axis of problems of each field of a NamedTuple: first, or, as a rule, last."""
    first = fields.by_row() if hasattr(fields, "by_row") else ()
    return [0 if name in first else -1 for name in fields._fields]


def taken(fields: Any, index: Any) -> Any:
    """Take the problems of `index`, a slice or integers, from each array of a NamedTuple."""

    def some(a: Any, axis: int) -> Any:
        if a is None:
            return None
        if isinstance(index, slice):
            return a[index, ...] if axis == 0 else a[..., index]
        return array_namespace(a).take(a, index, axis=axis)

    return type(fields)(*map(some, fields, _axes(fields)))


def joined(parts: Sequence[Any]) -> Any:
    """One NamedTuple of several, one after another."""

    def of_field(*arrays: Any, axis: int) -> Any:
        return None if arrays[0] is None else array_namespace(*arrays).concat(arrays, axis=axis)

    first = parts[0]
    if len(parts) == 1:
        return first
    fields = zip(*parts, strict=True)
    return type(first)(
        *(of_field(*f, axis=axis) for f, axis in zip(fields, _axes(first), strict=True))
    )


class Watch:
    """How far the work has come, for whoever wants to know; and whether it shall end."""

    def __init__(
        self, progress: Callable[..., Any] | None, total: int, alone: bool = False
    ) -> None:
        self.done = 0
        self.total = total
        self._stop = threading.Event()
        self._alone = alone
        self._failed = 0
        self._progress = progress
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def halt(self, interruption: KeyboardInterrupt) -> None:
        """End the work and keep what is done; one problem alone has nothing to keep."""
        if self._alone:
            raise interruption
        self._stop.set()

    @property
    def halted(self) -> bool:
        """True if the work shall end."""
        return self._stop.is_set()

    def aside(self) -> "Watch":
        """Return one for a part of the work that nobody is told of."""
        other = Watch(None, 0, self._alone)
        other._stop = self._stop
        return other

    def tell(self, status: Any) -> None:
        """Count problems that have ended, by their status, and tell the caller."""
        if self._progress is None:
            return
        xp = array_namespace(status)
        # Those that begin anew will be told of again.
        again = status == CAREFUL
        again = int(xp.count_nonzero(again))  # likewise: ignore[LW203]: values are at hand
        failed = int(xp.count_nonzero(status <= 0))  # likewise: ignore[LW203]: values are at hand
        with self._lock:
            self.done += int(status.shape[0]) - again
            self._failed += failed - again
            rate = self.done / max(time.monotonic() - self._begun, 1e-9)
            self._progress(
                self.done, self.total, f"fits, {rate:.0f} a second, {self._failed} failed"
            )


class _Work(NamedTuple):
    """Replaced in one assignment, so that an interruption leaves nobody out."""

    ids: Any  # of the problems at work
    rows: Any
    state: State
    ended: tuple[tuple[Any, Solution], ...]  # numbers, and what was found
    begun: int  # how many


def in_rounds(
    advance: Advance,
    rows: Any,
    width: int,
    watch: Watch,
) -> Solution:
    """For libraries that compute at once: after each step the host looks what has ended.

    A fourth of the `width` rows ended: they are taken out, and the next follow. No problem waits
    for another, and the arrays in use stay in the processor's cache. On Ctrl-C, or if the watch
    says so, what hasn't ended stays as it is, with the status INTERRUPTED.
    """
    start = rows.start
    xp = array_namespace(start)
    count = start.shape[-1]
    numbers = xp.arange(count, device=device(start))
    begun = min(width, count)
    work = _Work(numbers[:begun], taken(rows, slice(0, begun)), fresh(start[:, :begun]), (), begun)
    try:
        while work.ids.shape[0] and not watch.halted:
            state = advance(work.rows, work.state)
            running = state.status == RUNNING
            size = running.shape[0]
            left = int(xp.count_nonzero(running))  # likewise: ignore[LW203]: values are at hand
            if left > (3 * size) // 4:
                work = work._replace(state=state)
                continue
            order = xp.argsort(xp.astype(running, xp.int8), descending=True, stable=True)
            stay, go = order[:left], order[left:]
            found = taken(_kept(state), go)
            more = slice(work.begun, min(work.begun + width - left, count))
            work = _Work(
                xp.concat([xp.take(work.ids, stay, axis=0), numbers[more]], axis=0),
                joined([taken(work.rows, stay), taken(rows, more)]),
                joined([taken(state, stay), fresh(start[:, more])]),
                (*work.ended, (xp.take(work.ids, go, axis=0), found)),
                more.stop,
            )
            watch.tell(found.status)
    except KeyboardInterrupt as stop:
        watch.halt(stop)
    ended = work.ended
    if watch.halted or not ended:
        rest = fresh(start[:, work.begun :])
        ended = (*ended, (work.ids, _halted(_kept(work.state))))
        ended = (*ended, (numbers[work.begun :], _halted(_kept(rest))))
    if len(ended) == 1:
        return ended[0][1]
    order = xp.argsort(xp.concat([i for i, _ in ended], axis=0))
    return taken(joined([s for _, s in ended]), order)


def _halted(found: Solution) -> Solution:
    xp = array_namespace(found.status)
    code = xp.full_like(found.status, INTERRUPTED)
    return found._replace(status=xp.where(found.status == RUNNING, code, found.status))


def again_in_rounds(
    advance: Advance, rows: Any, found: Solution, width: int, watch: Watch
) -> Solution:
    """In other steps, from the start, those that ended with CAREFUL."""

    def anew(some: Any) -> Solution:
        now = taken(rows, some)
        new = in_rounds(advance, now, width, watch)
        before = array_namespace(some).take(found.nfev, some, axis=0)
        return new._replace(nfev=new.nfev + before)

    whole: Solution = replaced(found, found.status == CAREFUL, anew)
    return whole


def replaced(found: Any, which: Any, anew: Callable[[Any], Any]) -> Any:
    """A NamedTuple with the rows of a mask by a function of their indices, where the host looks."""
    xp = array_namespace(which)
    left = int(xp.count_nonzero(which))  # likewise: ignore[LW203]: values are at hand
    if not left:
        return found
    order = xp.argsort(xp.astype(which, xp.int8), descending=True, stable=True)
    back = xp.argsort(order)
    both = joined([anew(order[:left]), taken(found, order[left:])])
    return taken(both, back)


def again_in_stream(advance: Advance, rows: Any, found: Solution, width: int) -> Solution:
    """In other steps, from the start, those that ended with CAREFUL."""
    xp = array_namespace(found.status)
    which = found.status == CAREFUL
    new = in_stream(advance, rows, width, which)
    both = (xp.where(which, a, b) for a, b in zip(new, found, strict=True))
    return Solution(*both)._replace(nfev=found.nfev + xp.where(which, new.nfev, 0))


def in_stream(advance: Advance, rows: Any, width: int, which: Any = None) -> Solution:
    """For libraries that compile: all in one loop, in which ended problems make room for the next.

    Of `width` lanes a fourth has ended: what was found there is written to its place in the
    results, of one problem more than there are, and as many follow. Without `which`, a mask, all
    problems are solved; what comes out for the others means nothing.
    """
    xp = array_namespace(rows.start)
    count = rows.start.shape[-1]
    if count <= width:
        state = fresh(rows.start)
        if which is not None:
            state = state._replace(status=xp.where(which, state.status, CAREFUL))
        return _kept(while_loop(_any_runs, lambda s: advance(rows, s), state))
    some = max(1, width // 4)
    lanes = xp.arange(width, device=device(rows.start))
    order = xp.arange(count + 1, device=device(rows.start))  # the last is nobody
    last = count
    if which is not None:
        first = xp.argsort(xp.astype(which, xp.int8), descending=True, stable=True)
        order = xp.concat([xp.astype(first, order.dtype), order[count:]])
        last = xp.astype(xp.count_nonzero(which), order.dtype)

    def come(ids: Any) -> tuple[Any, Any, State]:
        """The problems of these places in the order, where there are any."""
        there = ids < last
        now = taken(rows, xp.take(order, xp.where(there, ids, 0)))
        state = fresh(now.start)
        state = state._replace(status=xp.where(there, state.status, CAREFUL))
        return xp.where(there, ids, count), now, state

    ids, now, state = come(lanes)
    results = Solution(
        *(
            xp.zeros((*a.shape[:-1], count + 1), dtype=a.dtype, device=device(a))
            for a in _kept(state)
        )
    )
    begun = xp.minimum(lanes[-1] + 1, last)

    def going(carry: Any) -> Any:
        return xp.any(carry[3] < count)

    def body(carry: Any) -> Any:
        results, now, state, ids, begun = carry
        enough = xp.where(begun < last, width - some, 0)

        def full(state: State) -> Any:
            running = xp.astype(state.status == RUNNING, ids.dtype)
            return xp.sum(running) > enough

        state = while_loop(full, lambda s: advance(now, s), state)
        done = (state.status != RUNNING) & (ids < count)
        free = xp.argsort(xp.astype(done, xp.int8), descending=True, stable=True)[:some]
        ended = xp.where(xp.take(done, free), xp.take(ids, free), count)
        results = _put(results, xp.take(order, ended), taken(_kept(state), free))
        new_ids, new_rows, new_state = come(begun + lanes[:some])
        now, state = _put(now, free, new_rows), _put(state, free, new_state)
        ids = at(ids)[free].set(new_ids)
        return results, now, state, ids, xp.minimum(begun + some, last)

    results = while_loop(going, body, (results, now, state, ids, begun))[0]
    return Solution(*(a[..., :count] for a in results))


def _put(fields: Any, index: Any, new: Any) -> Any:
    """A NamedTuple with these problems in those places."""

    def with_them(a: Any, b: Any, axis: int) -> Any:
        if a is None:
            return None
        return at(a)[index if axis == 0 else (*(slice(None),) * (a.ndim - 1), index)].set(b)

    return type(fields)(*map(with_them, fields, new, _axes(fields)))


def _any_runs(state: State) -> Any:
    return array_namespace(state.status).any(state.status == RUNNING)
