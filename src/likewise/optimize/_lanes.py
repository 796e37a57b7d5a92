"""Many problems, some at a time: what has ended makes room for what has not begun."""

import math
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device
from ..missing import at
from ..transforms import while_loop
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
    "replaced",
    "taken",
]

# rows, state -> state after one step
Advance = Callable[[Any, State], State]


class Solution(NamedTuple):
    """Of each problem."""

    x: Any  # (B, p)
    cost: Any  # (B,), half the sum of squares at x
    normal: Any  # (B, p, p), at x
    status: Any  # (B,)
    nfev: Any  # (B,)


def _kept(state: State) -> Solution:
    return Solution(state.x, state.cost, state.normal, state.status, state.nfev)


def taken(rows: Any, index: Any) -> Any:
    """Of each array of a NamedTuple the rows of `index`, a slice or an array of integers."""
    if isinstance(index, slice):
        return type(rows)(*(None if a is None else a[index, ...] for a in rows))
    return type(rows)(
        *(None if a is None else array_namespace(a).take(a, index, axis=0) for a in rows)
    )


def _joined(one: Any, other: Any) -> Any:
    return type(one)(
        *(
            None if a is None else array_namespace(a, b).concat([a, b], axis=0)
            for a, b in zip(one, other, strict=True)
        )
    )


class Watch:
    """How far the work has come, for whoever wants to know; and whether it shall end."""

    def __init__(self, progress: Callable[..., Any] | None, total: int) -> None:
        self.done = 0
        self.total = total
        self.halted = False
        self._failed = 0
        self._progress = progress
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def tell(self, status: Any) -> None:
        """Of problems that have ended, their status."""
        if self._progress is None:
            return
        xp = array_namespace(status)
        # Those that begin anew will be told of again.
        again = int(
            xp.count_nonzero(status == CAREFUL)
        )  # likewise: ignore[LW203]: values are at hand
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
    start: Any,
    width: int,
    watch: Watch,
) -> Solution:
    """For libraries that compute at once: after each step the host looks what has ended.

    A fourth of the `width` rows ended: they are taken out, and the next follow. No problem waits
    for another, and the arrays in use stay in the processor's cache. On Ctrl-C, or if the watch
    says so, what hasn't ended stays as it is, with the status INTERRUPTED.
    """
    xp = array_namespace(start)
    count = start.shape[0]
    numbers = xp.arange(count, device=device(start))
    begun = min(width, count)
    work = _Work(numbers[:begun], taken(rows, slice(0, begun)), fresh(start[:begun, :]), (), begun)
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
                _joined(taken(work.rows, stay), taken(rows, more)),
                _joined(taken(state, stay), fresh(start[more, :])),
                (*work.ended, (xp.take(work.ids, go, axis=0), found)),
                more.stop,
            )
            watch.tell(found.status)
    except KeyboardInterrupt:
        watch.halted = True
    ended = work.ended
    if watch.halted or not ended:
        rest = fresh(start[work.begun :, :])
        ended = (*ended, (work.ids, _halted(_kept(work.state))))
        ended = (*ended, (numbers[work.begun :], _halted(_kept(rest))))
    if len(ended) == 1:
        return ended[0][1]
    order = xp.argsort(xp.concat([i for i, _ in ended], axis=0))
    return Solution(
        *(
            xp.take(xp.concat(list(field), axis=0), order, axis=0)
            for field in zip(*(s for _, s in ended), strict=True)
        )
    )


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
        new = in_rounds(advance, now, now.start, width, watch)
        nothing = array_namespace(new.normal).full_like(new.normal, math.nan)  # from a step before
        before = array_namespace(some).take(found.nfev, some, axis=0)
        return new._replace(nfev=new.nfev + before, normal=nothing)

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
    both = _joined(anew(order[:left]), taken(found, order[left:]))
    return taken(both, back)


def again_in_stream(advance: Advance, rows: Any, found: Solution, width: int) -> Solution:
    """In other steps, from the start, those that ended with CAREFUL."""
    xp = array_namespace(found.status)
    open_ = found.status == CAREFUL
    if found.status.shape[0] <= width:
        state = fresh(rows.start)
        state = state._replace(status=xp.where(open_, state.status, found.status))
        new = _kept(while_loop(_any_runs, lambda s: advance(rows, s), state))
        whole: Solution = _either(open_, new, found)
        return whole._replace(nfev=found.nfev + new.nfev)
    order = xp.argsort(xp.astype(open_, xp.int8), descending=True, stable=True)
    left = xp.count_nonzero(open_)
    now = taken(rows, order)
    new = in_stream(advance, now, now.start, width, left)
    back = xp.argsort(order)
    new = Solution(*(xp.take(a, back, axis=0) for a in new))
    nfev = found.nfev + xp.where(open_, new.nfev, xp.zeros_like(new.nfev))
    whole = _either(open_, new, found)
    return whole._replace(nfev=nfev)


def _either(which: Any, one: Any, other: Any) -> Any:
    """Row by row of two NamedTuples of arrays."""
    return type(one)(
        *(
            array_namespace(a, b).where(which[(slice(None),) + (None,) * (a.ndim - 1)], a, b)
            for a, b in zip(one, other, strict=True)
        )
    )


def in_stream(
    advance: Advance,
    rows: Any,
    start: Any,
    width: int,
    total: Any = None,
) -> Solution:
    """For libraries that compile: all in one loop, in which each ended row takes the next problem.

    What has ended is written to its place in the results, of one row more than there are problems.
    `total`, an array, is how many of the first problems there are to solve; default: all.
    """
    xp = array_namespace(start)
    count = start.shape[0]
    if count <= width:
        return _kept(while_loop(_any_runs, lambda state: advance(rows, state), fresh(start)))
    where = device(start)
    begin = fresh(start[:width, :])
    ids = xp.arange(width, device=where)
    last = xp.asarray(count, dtype=ids.dtype, device=where)
    if total is not None:
        last = xp.astype(total, ids.dtype)
        begin = begin._replace(
            status=xp.where(ids < last, begin.status, xp.full_like(begin.status, CAREFUL))
        )

    def with_a_row_more(a: Any) -> Any:
        return xp.zeros((count + 1, *a.shape[1:]), dtype=a.dtype, device=where)

    carry = (
        Solution(*map(with_a_row_more, _kept(begin))),
        begin,
        ids,
        xp.minimum(xp.asarray(width, dtype=ids.dtype, device=where), last),
    )

    def going(carry: Any) -> Any:
        _, state, _, begun = carry
        return _any_runs(state) | (begun < last)

    def body(carry: Any) -> Any:
        results, state, ids, begun = carry
        now = taken(rows, xp.where(ids < count, ids, xp.zeros_like(ids)))
        state = advance(now, state)
        done = state.status != RUNNING
        # Rows that go on write to the row too many.
        place = xp.where(done, ids, xp.full_like(ids, count))
        results = Solution(
            *(at(r)[place].set(a) for r, a in zip(results, _kept(state), strict=True))
        )
        rank = xp.cumulative_sum(xp.astype(done, ids.dtype))
        following = begun + rank - 1
        free = done & (following < last)
        ids = xp.where(done, xp.where(free, following, xp.full_like(ids, count)), ids)
        begun = xp.minimum(begun + rank[-1], last)
        coming = fresh(xp.take(start, xp.where(free, following, xp.zeros_like(ids)), axis=0))
        state = _either(free, coming, state)
        return results, state, ids, begun

    results: Solution = while_loop(going, body, carry)[0]
    return Solution(*(a[:count, ...] for a in results))


def _any_runs(state: State) -> Any:
    return array_namespace(state.status).any(state.status == RUNNING)
