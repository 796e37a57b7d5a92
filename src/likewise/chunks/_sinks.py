"""Put results into arrays in memory, or into stores, with a journal beside a file."""

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, hooks_of, library_of
from ..errors import ArgumentError, ChunkError
from ._journal import Journal
from ._sources import along, is_mapped, is_stored, sliced
from ._targets import Target
from ._work import Done, Part, Piece, Work, is_writable, kept, results_of

__all__ = ["Memory", "Store"]


class _Kind(NamedTuple):
    """Describe a result, except for its length."""

    library: str
    dtype: str
    shape: tuple[int, ...]


def _kind(leaf: Any, axis: int) -> _Kind:
    found = library_of(leaf)
    shape = list(map(int, leaf.shape))
    del shape[axis]
    library = type(leaf).__module__ if found is None else found.name
    return _Kind(library, str(leaf.dtype), tuple(shape))


class _Sink:
    """Take the results of pieces in any order; all must be of one kind."""

    behind = False  # whether results are still read while the next piece is computed

    def __init__(self, work: Work) -> None:
        self.work = work
        self.structure: Any = None
        self.bad: list[Part] = []
        self._kinds: list[_Kind] = []
        self._fills: list[Any] = []  # functions of a count
        self._unfilled: list[Part] = []

    def results(self, done: Done) -> int:
        """Return the bytes of a piece's results, as far as they have a size."""
        leaves = [x for part in done.parts for x in part.leaves or ()]
        return sum(math.prod(x.shape) * (getattr(x.dtype, "itemsize", None) or 8) for x in leaves)

    def known(self, done: Done) -> None:
        """Compare a piece's results with those of the first."""
        axis = self.work.axis
        for part in done.parts:
            if part.leaves is None:
                self.bad.append(part)
                continue
            kinds = [_kind(x, axis) for x in part.leaves]
            if self.structure is None:
                self.structure, self._kinds = done.structure, kinds
                self._fills = [_fill(x, axis) for x in part.leaves]
                self.begin(part.leaves)
            elif kinds != self._kinds or done.structure != self.structure:
                raise ChunkError(
                    f"map_chunks: piece {done.piece.number}, items {part.start} to {part.stop}, "
                    f"gave {_told(kinds)}; the first gave {_told(self._kinds)}",
                    *done.piece,
                )

    def begin(self, leaves: list[Any]) -> None:
        """Prepare for results such as those of the first piece."""

    def filled(self, parts: list[Part]) -> list[tuple[Part, list[Any]]]:
        """Return parts with their results, with NaN for those that failed, if the kind is known."""
        if self.structure is None and not self._fills:
            self._unfilled += parts
            return []
        ready, self._unfilled = self._unfilled + parts, []
        return [(p, p.leaves if p.leaves is not None else self._nothing(p)) for p in ready]

    def _nothing(self, part: Part) -> list[Any]:
        a, b = self.place(part)
        return [fill(b - a) for fill in self._fills]

    def end(self) -> None:
        """Wait until all is written."""

    def close(self) -> None:
        """End what writes."""

    def place(self, part: Part) -> tuple[int, int]:
        """Return where the results of some items lie."""
        return results_of(part.start, self.work.ratio), results_of(part.stop, self.work.ratio)


def _told(kinds: list[_Kind]) -> str:
    each = [f"{k.library} {k.dtype} with items of shape {k.shape}" for k in kinds]
    return ", ".join(each) or "None"


def _fill(leaf: Any, axis: int) -> Any:
    """Return a function that makes results for items that failed."""
    xp = array_namespace(leaf)
    shape, dtype, where = list(leaf.shape), leaf.dtype, device(leaf)
    value: Any = 0
    if xp.isdtype(dtype, ("real floating", "complex floating")):
        value = xp.nan
    elif xp.isdtype(dtype, "signed integer"):
        value = -1
    elif xp.isdtype(dtype, "bool"):
        value = False

    def fill(count: int) -> Any:
        whole = [*shape]
        whole[axis] = count
        return xp.full(tuple(whole), value, dtype=dtype, device=where)

    return fill


class Memory(_Sink):
    """Put results together in memory, in their own library."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self._parts: list[tuple[int, list[Any]]] = []
        self._arrays: list[Any] = []

    def begin(self, leaves: list[Any]) -> None:
        count = results_of(self.work.length, self.work.ratio)
        if leaves and leaves[0].shape[self.work.axis] == count:
            return  # the first piece is all
        for x in leaves:
            hooks = hooks_of(x)
            if not hooks.facts()["mutable"]:
                return
        for x in leaves:
            shape = list(x.shape)
            shape[self.work.axis] = count
            xp = array_namespace(x)
            self._arrays.append(xp.empty(tuple(shape), dtype=x.dtype, device=device(x)))

    def put(self, done: Done) -> None:
        self.known(done)
        for part, leaves in self.filled(done.parts):
            if not self._arrays:
                whole = part.stop - part.start == self.work.length
                # what can't be written to is the piece, or a part of it
                own = [x if whole and is_writable(x) else kept(x) for x in leaves]
                self._parts.append((part.start, own))
                continue
            for array, leaf in zip(self._arrays, leaves, strict=True):
                array[along(len(array.shape), self.work.axis, *self.place(part))] = leaf

    def finish(self) -> Any:
        """Return all results."""
        if self.structure is None:
            return None
        if not self._arrays:
            rows = [leaves for _, leaves in sorted(self._parts, key=lambda p: p[0])]
            self._arrays = [self._joined(list(parts)) for parts in zip(*rows, strict=True)]
        return self.structure.unflatten(self._arrays)

    def _joined(self, parts: list[Any]) -> Any:
        if len(parts) == 1:
            return parts[0]
        axis = self.work.axis
        return array_namespace(*parts).concat(parts, axis=axis % len(parts[0].shape))


class Store(_Sink):
    """Write results into stores; into files in one thread behind the work."""

    def __init__(self, work: Work, goals: Sequence[Target], journal: Journal | None) -> None:
        super().__init__(work)
        self._goals, self._journal = goals, journal
        if journal is not None and journal.done:  # an earlier call has seen results
            firsts = [sliced(g.array, work.axis, 0, 1) for g in goals]
            self._fills = [_fill(x, work.axis) for x in firsts]
        self.behind = any(is_mapped(g.array) or is_stored(g.array) for g in goals)
        self._writer = ThreadPoolExecutor(1, "map_chunks-write")
        self._writing: tuple[Piece, Future[None]] | None = None

    def begin(self, leaves: list[Any]) -> None:
        if len(leaves) != len(self._goals):
            raise ArgumentError(
                f"map_chunks: the function returns {len(leaves)} arrays, but out has "
                f"{len(self._goals)}"
            )
        count = results_of(self.work.length, self.work.ratio)
        for goal, leaf in zip(self._goals, leaves, strict=True):
            goal.check(leaf, self.work.axis, count)
            goal.reserve()

    def put(self, done: Done) -> None:
        self.known(done)
        ready = self.filled(done.parts)
        self.end()
        if ready:
            self._writing = done.piece, self._writer.submit(self._write, ready, done)
        if not self.behind:
            self.end()

    def _write(self, ready: list[tuple[Part, list[Any]]], done: Done) -> None:
        for part, leaves in ready:
            place = self.place(part)
            for goal, leaf in zip(self._goals, leaves, strict=True):
                goal.write(self.work.axis, *place, leaf)
        for goal in self._goals:
            goal.flush()
        if self._journal is not None:
            if self.work.carried:  # a state without a note is used, a note without a state is not
                self._journal.keep(done.piece.stop, done.carry)
            for part, leaves in ready:
                self._journal.note(part, self.place(part), leaves)

    def end(self) -> None:
        if self._writing is None:
            return
        (piece, future), self._writing = self._writing, None
        try:
            future.result()
        except Exception as error:  # of the store, whatever its library raises
            rest = "; what was written before stands, and a second call goes on from there"
            raise ChunkError(
                f"map_chunks: the results of piece {piece.number}, items {piece.start} to "
                f"{piece.stop}, could not be written: {error}{rest if self._journal else ''}",
                *piece,
            ) from error

    def close(self) -> None:
        self._writer.shutdown()
        if self._journal is not None:
            self._journal.close()
