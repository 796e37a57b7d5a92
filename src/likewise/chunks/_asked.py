"""The arguments of a call, checked before any work."""

import concurrent.futures
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from fractions import Fraction
from typing import Any, NamedTuple

from .._memory import memory_left
from .._namespace import hooks_of
from ..errors import ArgumentError, ArrayTypeError, MixedLibrariesError, ShapeError
from ..interop import to_numpy
from ._engines import Here, Pool, processes
from ._pieces import Needs
from ._sources import Source, chunk_along, file_of, is_mapped, is_stored, itemsize, offset, sourced
from ._targets import Target
from ._work import Work, results_of

__all__ = ["Asked"]

_MOST = 1 << 28  # bytes that automatic sizes take where more are free


class Asked(NamedTuple):
    """Hold what a call asks for."""

    fun: Callable[..., Any]
    sources: list[Source]
    axis: int
    size: int | None  # None for an automatic one
    workers: int | Executor | None
    client: Any
    filling: bool
    carried: bool
    overlap: tuple[int, int]

    @classmethod
    def of(
        cls,
        fun: Any,
        arrays: tuple[Any, ...],
        axis: Any,
        chunk_size: Any,
        workers: Any,
        client: Any,
        on_error: Any,
        carry: Any,
        overlap: Any,
    ) -> "Asked":
        """Return the arguments, or raise for those that are wrong or don't go together."""
        if not callable(fun):
            raise ArgumentError(f"map_chunks: fun must be callable, got {fun!r:.60}")
        axis = _integer("axis", axis)
        if not arrays:
            raise ArgumentError("map_chunks: there is no array to cut into pieces")
        names = [f"array {i}" if len(arrays) > 1 else "the array" for i in range(len(arrays))]
        sources = [sourced(n, x, axis) for n, x in zip(names, arrays, strict=True)]
        _alike(names, sources)
        size = None if chunk_size == "auto" else _integer("chunk_size", chunk_size, 1, "'auto' or ")
        if on_error not in ("raise", "nan"):
            raise ArgumentError(f"map_chunks: on_error must be 'raise' or 'nan', got {on_error!r}")
        pair = overlap if isinstance(overlap, tuple) and len(overlap) == 2 else (overlap, overlap)
        before, after = (_integer("overlap", n, 0) for n in pair)
        _engine_of(workers, client)
        carried = carry is not None
        for name, other in (
            ("on_error='nan'", on_error == "nan"),
            ("overlap=", bool(before or after)),
            ("workers=", workers is not None),
            ("client=", client is not None),
        ):
            if carried and other:
                raise ArgumentError(
                    f"map_chunks: with carry= pieces are computed one after the other, each from "
                    f"the state that the last one left; {name} doesn't go with it"
                )
        return cls(
            fun, sources, axis, size, workers, client, on_error == "nan", carried, (before, after)
        )

    def work(self, length_ratio: Any) -> Work:
        """Return the function with what each piece needs."""
        ratio = _fraction(length_ratio)
        step = ratio.denominator
        before, after = (-(-n // step) * step for n in self.overlap)
        length = self.sources[0].length
        return Work(
            self.fun, self.axis, length, before, after, ratio, self.carried, self.filling, []
        )

    def check(self, work: Work, goals: Sequence[Target], progress: Any) -> None:
        """Refuse what can be known to fail before a piece is computed."""
        if not isinstance(progress, bool) and not callable(progress):
            raise ArgumentError(
                f"map_chunks: progress must be True, False or callable, got {progress!r:.60}"
            )
        count = results_of(work.length, work.ratio)
        for goal in goals:
            shape = tuple(goal.array.shape)
            if not -len(shape) <= self.axis < len(shape) or shape[self.axis] != count:
                raise ShapeError(
                    f"map_chunks: {goal.name} has shape {shape}; along axis={self.axis} there are "
                    f"{count} results"
                )
            if any(_shared(goal.array, s.array) for s in self.sources):
                raise ArgumentError(
                    f"map_chunks: {goal.name} is an input, too, or shares its memory; write to "
                    "another array, as a call that was interrupted could not go on"
                )
        if self.size is None:
            return
        read = sum(s.item for s in self.sources if is_stored(s.array) or is_mapped(s.array))
        bytes_, most = min(self.size, work.length) * read, memory_left()
        where = "this process"
        if self.client is not None:
            read = sum(s.item for s in self.sources)
            bytes_, most = min(self.size, work.length) * read, _limit(self.client)
            where = "a worker of the client"
        if bytes_ > most:
            raise ArgumentError(
                f"map_chunks: a piece of chunk_size={self.size} items takes {bytes_ >> 20} MiB, "
                f"and {where} has {most >> 20} MiB; take chunk_size='auto', or at most "
                f"{max(1, most // (4 * max(1, read)))}"
            )

    def chunks(self, goals: Sequence[Target]) -> list[int]:
        """Return the items after which chunks end: of all stores, of inputs, of each of them."""
        inputs = [chunk_along(s.array, self.axis) for s in self.sources]
        all_ = [*inputs, *(chunk_along(g.array, self.axis) for g in goals)]
        return [math.lcm(*all_), math.lcm(*inputs), *all_]

    def needs(self, goals: Sequence[Target]) -> Needs:
        """Return what automatic sizes depend on."""
        first = self.sources[0].array
        left = memory_left(None if is_stored(first) else first)
        budget = min(_MOST, left // 4)
        item = sum(s.item for s in self.sources)
        elements = sum(s.item // itemsize(s.array) for s in self.sources)
        files = bool(goals) or any(is_stored(s.array) or is_mapped(s.array) for s in self.sources)
        count = self._count()
        if self.client is not None:
            # Each worker has its own memory: of it an eighth is for what its threads compute, and
            # for as many pieces and results again that wait there. Here all results may wait.
            threads = self.client.nthreads().values()
            budget = min(_MOST, left // (4 * len(threads)), _limit(self.client) // 8)
            count = 2 * max(threads)
        seen = is_stored(first) or hooks_of(first).is_host(first)
        return Needs(
            budget,
            max(1, item),
            max(1, elements),
            max(1, count),
            max(count, int(files)),
            seen,
        )

    def _count(self) -> int:
        """Return the number of workers; 0 for this thread."""
        if self.client is not None:
            return sum(self.client.nthreads().values())
        if isinstance(self.workers, int):
            return self.workers
        return 0 if self.workers is None else int(getattr(self.workers, "_max_workers", 4))

    def engine(self, work: Work, carry: Any, keep: bool) -> Here | Pool:
        """Return what computes the pieces."""
        width = 2 * self._count()
        if self.client is not None:
            executor = self.client.get_executor(pure=False, retries=2)
            return Pool(work, self.sources, lambda _: executor, width, client=self.client)
        if isinstance(self.workers, int):
            count = self.workers
            return Pool(
                work, self.sources, lambda function: processes(count, function), width, own=True
            )
        if self.workers is not None:
            given = self.workers
            return Pool(work, self.sources, lambda _: given, width, apart=not _is_threads(given))
        return Here(work, self.sources, carry, keep)


def _integer(name: str, x: Any, least: int | None = None, other: str = "") -> int:
    """Return an integer argument of any integer type."""
    if not isinstance(x, bool) and hasattr(x, "__index__"):
        found = int(x.__index__())
        if least is None or found >= least:
            return found
    what = "an integer" if least is None else f"an integer of at least {least}"
    raise ArgumentError(f"map_chunks: {name} must be {other}{what}, got {x!r:.60}")


def _fraction(x: Any) -> Fraction:
    """Return a ratio; of a float the simple fraction that it stands for."""
    found = None
    if isinstance(x, tuple) and len(x) == 2 and all(isinstance(n, int) and n > 0 for n in x):
        found = Fraction(*x)
    elif isinstance(x, int | float | Fraction) and not isinstance(x, bool) and math.isfinite(x):
        found = Fraction(x).limit_denominator(100_000)
    if found is None or found <= 0:
        raise ArgumentError(
            "map_chunks: length_ratio must be a positive number, Fraction, or tuple of two "
            f"positive integers, got {x!r:.60}"
        )
    return found


def _alike(names: list[str], sources: list[Source]) -> None:
    first = sources[0]
    for name, source in zip(names, sources, strict=True):
        if source.library != first.library:
            raise MixedLibrariesError(
                f"map_chunks: pieces of {names[0]} are arrays of {first.library}, pieces of {name} "
                f"of {source.library}; convert with likewise.asarray(x, like=y)"
            )
        if source.length != first.length:
            raise ShapeError(
                f"map_chunks: {names[0]} has {first.length} items along the axis, {name} has "
                f"{source.length}; what all pieces share goes into the function by "
                "functools.partial"
            )


def _engine_of(workers: Any, client: Any) -> None:
    """Refuse what is no engine."""
    if workers is not None and client is not None:
        raise ArgumentError("map_chunks: give workers= or client=, not both")
    if workers is not None and not isinstance(workers, Executor):
        if hasattr(workers, "scheduler_info"):
            raise ArgumentError("map_chunks: a client of Dask is client=, not workers=")
        _integer("workers", workers, 1, "an executor of concurrent.futures or ")
    if client is not None and not (hasattr(client, "get_executor") and hasattr(client, "nthreads")):
        raise ArrayTypeError(f"map_chunks: client must be a distributed.Client, got {client!r:.60}")
    if client is not None and not client.nthreads():
        raise ArgumentError("map_chunks: the client has no workers")


def _is_threads(executor: Executor) -> bool:
    others: Any = getattr(concurrent.futures, "InterpreterPoolExecutor", ())
    return isinstance(executor, ThreadPoolExecutor) and not isinstance(executor, others)


def _limit(client: Any) -> int:
    """Return the least memory limit of a client's workers."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [w["memory_limit"] for w in workers if w.get("memory_limit")]
    return min(limits, default=1 << 60)


def _shared(a: Any, b: Any) -> bool:
    """Tell if two arrays or stores have places in common, as far as that can be known."""
    if a is b:
        return True
    if is_stored(a) or is_stored(b):
        return is_stored(a) and is_stored(b) and _stored_at(a) == _stored_at(b)
    if is_mapped(a) and is_mapped(b) and a._mmap is not b._mmap:
        (low, high), (begin, end) = _span(a), _span(b)
        one = os.path.samefile(str(file_of(a)), str(file_of(b)))
        return one and max(low, begin) < min(high, end)
    hooks = hooks_of(a)
    if hooks is not hooks_of(b) or not (hooks.is_host(a) and hooks.is_host(b)):
        return False
    x, y = to_numpy(a), to_numpy(b)
    return hooks_of(x).shares(x, y)


def _stored_at(x: Any) -> tuple[Any, ...]:
    """Return what names a store: its file or folder, and its place in there."""
    path = file_of(x)
    if hasattr(x, "file"):
        return (os.path.realpath(path or x.file.filename), x.name)
    return (os.path.realpath(os.path.join(path, x.path)),) if path else (id(x.store), x.path)


def _span(x: Any) -> tuple[int, int]:
    """Return where in its file a memory map, or a view of one, begins and ends."""
    if 0 in x.shape:
        return 0, 0
    steps = [(n - 1) * s for n, s in zip(x.shape, x.strides, strict=True)]
    low = offset(x) + sum(min(0, s) for s in steps)
    return low, offset(x) + sum(max(0, s) for s in steps) + itemsize(x)
