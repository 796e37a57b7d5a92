"""The loop that all solvers share: many problems take steps, each until it has ended.

To write a method:

1. A state is a NamedTuple of arrays with an entry per problem, on the first axis or on the
   method's, and a field `status` of int32: ``Outcome.RUNNING``, which is 0, or how the problem has
   ended. It may hold nested tuples and NamedTuples; None and objects that are no array don't
   change.
2. Data that differ between problems are in `problems`, a tuple or NamedTuple of such arrays; an
   array of length 1 is the same for all. Don't close over other arrays of the batch: problems are
   dropped and added, and a step gets only those in `problems` and the state.
3. ``start(problems)`` returns the first state; ``step(problems, state)`` the next one, for all
   problems, with ``where`` and without reading `status`: the driver restores finished problems. A
   step sets the status, ``outcomes(x, (mask, Outcome.CONVERGED), ...)``, and its own counters
   (``nfev + 1``, ``nit + 1``).
4. ``iterate(Method(start, step), problems, limit=maxiter)`` returns the last state, in which no
   problem runs: after `limit` steps the status is ``Outcome.LIMIT``.
5. `value` returns the parts of a state that must be finite, an array or a tuple of arrays. A
   problem with other values ends as ``Outcome.NOT_FINITE``, at the start or after a step, unless it
   has failed otherwise. If infinity is allowed, it returns a mask, ``x == x``.
6. `end` selects the useful part of a final state, if that is not all of it. `holds` promises that
   the step itself doesn't change what `end` selects of a finished problem, so the driver needn't
   restore it.
7. If a user's function maps the whole batch and can't be called on a part, use ``joint=True``. If a
   batch is too large for caches or memory, `width` sets how many problems run at once.

On eager libraries, finished problems are dropped when a fraction of them has ended, and replaced by
the next ones. Under a transform, in compiled code, or as soon as a status has no value (because the
user's function closes over a traced array), everything is one `while_loop`; with a `width` it is
two nested loops, in which finished problems are replaced.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_concrete, is_lazy, is_neutral
from ..missing import at
from ..transforms import while_loop
from ..transforms._following._interpreter import native, of_loops
from ..transforms._following._lanes import constants
from ._batches import batches
from ._outcome import Outcome
from ._stepping import Stepping, stepping
from ._watch import KEEPS, Watch

__all__ = ["Method", "again", "iterate", "joined", "replaced", "taken", "tree_where", "watched"]

_FEW = 32  # problems: fewer are not worth sorting out
_RUNNING = Outcome.RUNNING


class Method(NamedTuple):
    """Define a kind of steps; see above."""

    start: Callable[[Any], Any]  # problems -> state
    step: Callable[[Any, Any], Any]  # problems, state -> state
    end: Callable[[Any], Any] = lambda state: state  # what is kept of it; a NamedTuple with status
    axis: int = 0  # of problems, 0 or -1; but 0 for what a NamedTuple's `by_row()` names
    holds: bool = False
    value: Callable[[Any], Any] | None = None  # of a state: what has to be finite, (B, ...)
    lean: bool = False  # a step is so little that recording it for many problems gains nothing


def iterate(
    method: Method,
    problems: Any,
    limit: int | None = None,
    *,
    width: int | None = None,
    share: int = 4,
    joint: bool = False,
    watch: Watch | None = None,
) -> Any:
    """Run `method`, and return the useful part of each problem's last state.

    Parameters
    ----------
    method : Method
        The method's `start` and `step`.
    problems : tuple of arrays
        The data that differ between problems.
    limit : int, optional
        Maximum number of steps per problem; a problem that still runs ends as ``Outcome.LIMIT``.
    width : int, optional
        The number of problems that run at once. Default: all.
    share : int, optional
        Finished problems are dropped when one in `share` has ended.
    joint : bool, optional
        Whether a step needs all problems, including finished ones.
    watch : Watch, optional
        Is told of finished problems, and defines the effect of Ctrl-C. By default it propagates;
        within `keeping`, on eager libraries, it ends the running problems of a batch as
        ``Outcome.INTERRUPTED``, except in a step of another solver.
    """
    method = _finite(method)
    count = None if joint or width is None else _count(method.axis, problems)
    if count is None or width is None or width >= count:
        state = method.start(problems)
        if _by_host([state.status]):
            # On other devices than the host's it takes calls, rather than elements, to compute.
            drops = not joint and (width is not None or is_concrete(state.status))
            size = int(state.status.shape[0])
            watch = watched(watch, size)
            batch = _Batch(method, problems, size, size, limit, share, drops, watch, joint)
            found = batch.run(state)
            if found is not None:
                return found
        return method.end(_together(method, problems, state, limit))
    width = max(width, 2)
    if limit is not None:
        method = _counted(method, limit)
    if _by_host(_leaves(method.axis, problems)):
        first = method.start(taken(problems, slice(0, width), method.axis))
        watch = watched(watch, count)
        found = _Batch(method, problems, count, width, None, share, True, watch).run(first)
        if found is not None:
            return found
    return _streamed(method, problems, count, width, share, None)


def again(
    method: Method,
    problems: Any,
    found: Any,
    which: Any,
    merged: Callable[[Any, Any], Any],
    *,
    width: int | None = None,
    share: int = 4,
    watch: Watch | None = None,
) -> Any:
    """Return `found` with ``merged(new, old)`` for the problems of the mask `which`.

    `new` are the results of `method` for them, `old` the previous ones.
    """
    axis = method.axis
    if _by_host([*_leaves(axis, problems), which]):

        def anew(some: Any) -> Any:
            now = taken(problems, some, axis)
            new = iterate(method, now, width=width, share=share, watch=watch)
            return merged(new, taken(found, some, axis))

        return replaced(found, which, anew, axis)
    count = _count(axis, problems)
    if width is not None and width < count:
        new = _streamed(method, problems, count, width, share, which)
    else:
        state = _barred(method.start(problems), which)
        new = method.end(_together(method, problems, state, None))
    return tree_where(axis, which, merged(new, found), found)


# -- where the library computes at once ------------------------------------------------------------


def watched(watch: Watch | None, count: int) -> Watch | None:
    """Handle Ctrl-C: end the outermost solver, if its caller gets finished problems."""
    if watch is None and count > 1 and KEEPS.get():
        return Watch(None, count, keeps=True)
    return watch


class _Work(NamedTuple):
    """Hold the work; it is replaced in one assignment, so interruptions lose nothing."""

    ids: Any  # of the problems at work; None before any has ended
    problems: Any
    state: Any
    ended: tuple[tuple[Any, Any], ...]  # numbers, and what was found
    begun: int  # how many


class _Batch(NamedTuple):
    """Run problems for which the host reads, after each step, which have ended."""

    method: Method
    problems: Any
    total: int
    width: int
    limit: int | None
    share: int
    drops: bool
    watch: Watch | None
    joint: bool = False

    def run(self, state: Any) -> Any:
        """Return the results; None if the statuses turn out to have no values."""
        work = self._first(state)
        method, steps = self.method, 0
        step: Any = None
        outer = KEEPS.set(False)
        one = self._one(work)
        try:
            while one is not None and steps != self.limit:
                if self.watch is not None and self.watch.halted:
                    break
                going = one.take(-1 if self.limit is None else self.limit - steps)
                steps += 0 if going is None else one.steps
                if not going:
                    break
            if one is not None:
                work, one = work._replace(state=one.state), None
            while self.watch is None or not self.watch.halted:
                running = work.state.status == _RUNNING
                if is_lazy(running):
                    return None
                xp = array_namespace(running)
                size = running.shape[0]
                left = int(xp.count_nonzero(running))  # likewise: ignore[LW203]: values are at hand
                if left == 0 and work.begun == self.total:
                    break
                if steps == self.limit:
                    code = xp.where(running, Outcome.LIMIT, work.state.status)
                    work = work._replace(state=work.state._replace(status=code))
                    break
                worth = self.drops and (work.begun < self.total or size > _FEW)
                if worth and left <= size - max(1, size // self.share):
                    work = self._exchanged(work, running, left)
                    continue
                step = step or _recorded(method, running, self.joint)
                new = step(work.problems, work.state)
                if method.lean and left < size and not method.holds:
                    new = tree_where(method.axis, running, new, work.state)
                work = work._replace(state=new)
                steps += 1
        except KeyboardInterrupt as stop:
            if one is not None:
                work = work._replace(state=one.state)
            if self.watch is None:
                raise
            self.watch.halt(stop)
        finally:
            KEEPS.reset(outer)
        return self._results(work)

    def _one(self, work: _Work) -> Stepping | None:
        """Return the recorded steps of the one problem that runs; None if there are more."""
        if self.total != 1:
            return None
        alone = self.watch is None  # no callback, which may change what functions close over
        return stepping(self.method.step, work.problems, work.state, _runs, alone)

    def _first(self, state: Any) -> _Work:
        now = self.problems
        if self.width < self.total:
            now = taken(now, slice(0, self.width), self.method.axis)
        return _Work(None, now, state, (), self.width)

    def _exchanged(self, work: _Work, running: Any, left: int) -> _Work:
        """Replace finished problems by the next ones."""
        xp, method, axis = array_namespace(running), self.method, self.method.axis
        order = xp.argsort(xp.astype(~running, xp.int8), stable=True)
        stay, go = order[:left], order[left:]
        found = taken(method.end(work.state), go, axis)
        before = self._ids(work)
        ended = (*work.ended, (xp.take(before, go, axis=0), found))
        ids = xp.take(before, stay, axis=0)
        problems, state = (taken(t, stay, axis) for t in (work.problems, work.state))
        more = slice(work.begun, min(work.begun + self.width - left, self.total))
        if more.start < more.stop:
            new = taken(self.problems, more, axis)
            ids = xp.concat([ids, _numbers(running, more)], axis=0)
            problems = _mapped(_appended, axis, self.problems, problems, new)
            state = joined([state, method.start(new)], axis)
        if self.watch is not None:
            self.watch.tell(found.status)
        return _Work(ids, problems, state, ended, more.stop)

    def _ids(self, work: _Work) -> Any:
        status = work.state.status
        return _numbers(status, slice(0, self.width)) if work.ids is None else work.ids

    def _results(self, work: _Work) -> Any:
        """Return all results in the problems' order; unfinished problems are interrupted."""
        method, axis = self.method, self.method.axis
        found = method.end(work.state)
        if self.watch is not None:
            if self.watch.halted:
                found = _interrupted(found)
            else:
                self.watch.tell(found.status)
        if work.begun == self.total and not work.ended:
            return found
        ended = (*work.ended, (self._ids(work), found))
        if work.begun < self.total:
            some = slice(work.begun, self.total)
            rest = method.end(method.start(taken(self.problems, some, axis)))
            ended = (*ended, (_numbers(found.status, some), _interrupted(rest)))
        xp = array_namespace(found.status)
        order = xp.argsort(xp.concat([ids for ids, _ in ended], axis=0))
        return taken(joined([part for _, part in ended], axis), order, axis)


def _recorded(method: Method, like: Any, joint: bool) -> Callable[[Any, Any], Any]:
    """Return the method's step, in which finished problems stay as they are; not if it is lean."""

    def step(problems: Any, state: Any) -> Any:
        new = method.step(problems, state)
        if method.holds:
            return new
        return tree_where(method.axis, state.status == _RUNNING, new, state)

    def axes(problems: Any, state: Any) -> list[int]:
        found: list[int] = []
        for tree in (problems, state):
            _mapped(lambda i, a: found.append(i), method.axis, tree)
        return found

    return method.step if method.lean else batches(step, axes, like, joint)


def _runs(state: Any) -> Any:
    return array_namespace(state.status).any(state.status == _RUNNING)


def _numbers(like: Any, some: slice) -> Any:
    return array_namespace(like).arange(some.start, some.stop, device=device(like))


def _interrupted(found: Any) -> Any:
    xp = array_namespace(found.status)
    code = xp.full_like(found.status, Outcome.INTERRUPTED)
    return found._replace(status=xp.where(found.status == _RUNNING, code, found.status))


def _by_host(leaves: list[Any]) -> bool:
    """Tell if the host runs loops over these arrays, one function at a time."""
    if of_loops() is not None:
        return False
    return native(leaves).while_loop is None and not any(map(is_lazy, leaves))


# -- where a loop is compiled, or followed by a transform ------------------------------------------


def _together(method: Method, problems: Any, state: Any, limit: int | None) -> Any:
    """Return the last state if all problems begin at once."""
    xp = array_namespace(state.status)

    def stepped(state: Any) -> Any:
        new = method.step(problems, state)
        return (
            new if method.holds else tree_where(method.axis, state.status == _RUNNING, new, state)
        )

    def going(state: Any) -> Any:
        return array_namespace(state.status).any(state.status == _RUNNING)

    if limit is None:
        return while_loop(going, stepped, state)
    zero = xp.zeros((), dtype=xp.int32, device=device(state.status))
    _, state = while_loop(
        lambda carry: (carry[0] < limit) & going(carry[1]),
        lambda carry: (carry[0] + 1, stepped(carry[1])),
        (zero, state),
    )
    xp = array_namespace(state.status)
    code = xp.full_like(state.status, Outcome.LIMIT)
    return state._replace(status=xp.where(state.status == _RUNNING, code, state.status))


def _streamed(method: Method, problems: Any, count: int, width: int, share: int, which: Any) -> Any:
    """Solve all in one loop, in which finished problems are replaced by the next ones.

    A result is written to its place in the results, which have space for one more problem. With a
    mask `which`, only these problems are solved; results of the others have no meaning.
    """
    axis, some = method.axis, max(1, width // share)
    # Arrays that can meet what a transform follows, which a step may close over.
    problems = _mapped(lambda _, a: constants([a])[0], axis, problems)
    like = _leaves(axis, problems)[0]
    xp = array_namespace(like)
    lanes = xp.arange(width, device=device(like))
    order = xp.arange(count + 1, device=device(like))  # the last is nobody
    last: Any = count
    if which is not None:
        first = xp.argsort(xp.astype(which, xp.int8), descending=True, stable=True)
        order = xp.concat([xp.astype(first, order.dtype), order[count:]])
        last = xp.astype(xp.count_nonzero(which), order.dtype)

    def come(ids: Any) -> tuple[Any, Any, Any]:
        """Return the problems of these places in the order, if there are any."""
        there = ids < last
        now = taken(problems, xp.take(order, xp.where(there, ids, 0)), axis)
        return xp.where(there, ids, count), now, _barred(method.start(now), there)

    def body(carry: Any) -> Any:
        results, now, state, ids, begun = carry
        enough = xp.where(begun < last, width - some, 0)

        def full(state: Any) -> Any:
            return xp.sum(xp.astype(state.status == _RUNNING, ids.dtype)) > enough

        def stepped(state: Any) -> Any:
            new = method.step(now, state)
            return new if method.holds else tree_where(axis, state.status == _RUNNING, new, state)

        state = while_loop(full, stepped, state)
        done = (state.status != _RUNNING) & (ids < count)
        free = xp.argsort(xp.astype(done, xp.int8), descending=True, stable=True)[:some]
        ended = xp.where(xp.take(done, free), xp.take(ids, free), count)
        results = _put(axis, results, xp.take(order, ended), taken(method.end(state), free, axis))
        new_ids, new_problems, new_state = come(begun + lanes[:some])
        now, state = _put(axis, now, free, new_problems), _put(axis, state, free, new_state)
        ids = at(ids)[free].set(new_ids)
        return results, now, state, ids, xp.minimum(begun + some, last)

    ids, now, state = come(lanes)
    results = _mapped(lambda i, a: _room(i, a, count + 1), axis, method.end(state))
    carry = (results, now, state, ids, xp.minimum(lanes[-1] + 1, last))
    results = while_loop(lambda carry: xp.any(carry[3] < count), body, carry)[0]
    return taken(results, slice(0, count), axis)


def _room(axis: int, like: Any, count: int) -> Any:
    xp = array_namespace(like)
    rest = tuple(like.shape)
    shape = (count, *rest[1:]) if axis == 0 else (*rest[:-1], count)
    return xp.zeros(shape, dtype=like.dtype, device=device(like))


def _put(axis: int, fields: Any, index: Any, new: Any) -> Any:
    """Write these problems to those places."""

    def with_them(axis: int, a: Any, b: Any) -> Any:
        if _shared(a, axis):
            return a
        return at(a)[index if axis == 0 else (*(slice(None),) * (a.ndim - 1), index)].set(b)

    return _mapped(with_them, axis, fields, new)


class _Counted(NamedTuple):
    """A state, and how many steps each of its problems has taken."""

    state: Any
    steps: Any

    @property
    def status(self) -> Any:
        return self.state.status


def _counted(method: Method, limit: int) -> Method:
    """The method, for problems that don't begin together, with a limit of each one's steps."""

    def judged(state: Any, steps: Any) -> _Counted:
        xp = array_namespace(state.status)
        over = (state.status == _RUNNING) & (steps >= limit)
        code = xp.full_like(state.status, Outcome.LIMIT)
        return _Counted(state._replace(status=xp.where(over, code, state.status)), steps)

    def start(problems: Any) -> _Counted:
        state = method.start(problems)
        return judged(state, array_namespace(state.status).zeros_like(state.status))

    def step(problems: Any, before: _Counted) -> _Counted:
        return judged(method.step(problems, before.state), before.steps + 1)

    return method._replace(start=start, step=step, end=lambda both: method.end(both.state))


def _finite(method: Method) -> Method:
    """Return the method, in which a problem with a non-finite value ends."""
    value, axis = method.value, method.axis
    if value is None:
        return method

    def judged(state: Any) -> Any:
        xp, found = array_namespace(state.status), value(state)
        good: Any = True
        for a in found if isinstance(found, tuple) else (found,):
            finite = a if a.dtype == xp.bool else xp.isfinite(a)
            if a.ndim > 1:
                finite = xp.all(finite, axis=tuple(i for i in range(a.ndim) if i != axis % a.ndim))
            good = finite if good is True else good & finite
        if is_concrete(good) and bool(xp.all(good)):  # one look costs less than choices
            return state
        # Of failures the least serious is the limit.
        wrong = ~good & (state.status >= Outcome.LIMIT)
        return state._replace(status=xp.where(wrong, Outcome.NOT_FINITE, state.status))

    return method._replace(
        start=lambda problems: judged(method.start(problems)),
        step=lambda problems, state: judged(method.step(problems, state)),
        value=None,
    )


def _barred(state: Any, there: Any) -> Any:
    """Return the state, with empty places marked as ended."""
    if isinstance(state, _Counted):
        return state._replace(state=_barred(state.state, there))
    xp = array_namespace(state.status, there)
    code = xp.full_like(state.status, Outcome.AGAIN)
    return state._replace(status=xp.where(there, state.status, code))


# -- some of many problems -------------------------------------------------------------------------


def _mapped(fun: Callable[..., Any], axis: int, *trees: Any) -> Any:
    """``fun(axis, *arrays)`` of the arrays of nested tuples, with the axis of their problems."""
    first = trees[0]
    if isinstance(first, tuple):
        axes = [axis] * len(first)
        if hasattr(first, "by_row"):
            rows = first.by_row()
            axes = [0 if name in rows else axis for name in getattr(first, "_fields", ())]
        parts: Any = map(_mapped, [fun] * len(first), axes, *trees)
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if is_neutral(first) or not hasattr(first, "shape"):
        return first
    return fun(axis, *trees)


def _leaves(axis: int, tree: Any) -> list[Any]:
    found: list[Any] = []
    _mapped(lambda _, a: found.append(a), axis, tree)
    return found


def _count(axis: int, problems: Any) -> int:
    """How many problems there are."""
    sizes = [1]
    _mapped(lambda i, a: sizes.append(int(a.shape[i]) if a.ndim else 1), axis, problems)
    return max(sizes)


def _shared(a: Any, axis: int) -> bool:
    """Tell if an array is the same for all problems."""
    return a.ndim == 0 or a.shape[axis] == 1


def taken(tree: Any, index: Any, axis: int = 0) -> Any:
    """Take the problems of `index`, a slice or integers, from nested tuples of arrays."""

    def some(axis: int, a: Any) -> Any:
        if _shared(a, axis):
            return a
        if isinstance(index, slice):
            return a[index, ...] if axis == 0 else a[..., index]
        return array_namespace(a).take(a, index, axis=axis)

    return _mapped(some, axis, tree)


def joined(parts: Any, axis: int = 0) -> Any:
    """Concatenate trees of arrays along the problems."""
    if len(parts) == 1:
        return parts[0]
    return _mapped(lambda i, *a: array_namespace(*a).concat(a, axis=i), axis, *parts)


def _appended(axis: int, every: Any, a: Any, b: Any) -> Any:
    return a if _shared(every, axis) else array_namespace(a, b).concat([a, b], axis=axis)


def tree_where(axis: int, mask: Any, yes: Any, no: Any) -> Any:
    """Choose for each problem the arrays of one tree or of the other."""

    def of(axis: int, a: Any, b: Any) -> Any:
        if a is b:
            return a
        xp = array_namespace(mask, a, b)
        wide = axis == 0 and a.ndim > 1
        now = xp.reshape(mask, (-1,) + (1,) * (a.ndim - 1)) if wide else mask
        return xp.where(now, a, b)

    return _mapped(of, axis, yes, no)


def replaced(
    found: Any,
    which: Any,
    anew: Callable[[Any], Any],
    axis: int = 0,
    rounded: Callable[[int], int] = int,
) -> Any:
    """Replace the problems of a mask by a function of their indices, if the host can read the mask.

    `rounded` rounds the number of problems up, by including others.
    """
    xp = array_namespace(which)
    left = int(xp.count_nonzero(which))  # likewise: ignore[LW203]: values are at hand
    if not left:
        return found
    left = rounded(left)
    order = xp.argsort(xp.astype(which, xp.int8), descending=True, stable=True)
    back = xp.argsort(order)
    both = joined([anew(order[:left]), taken(found, order[left:], axis)], axis)
    return taken(both, back, axis)
