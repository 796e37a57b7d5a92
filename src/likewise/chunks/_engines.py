"""Compute pieces: in this thread, or by an executor of threads, processes or machines."""

import functools
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any

from ..errors import ArgumentError
from ._peak import Peak
from ._sources import Source, is_mapped, is_stored, opened
from ._work import Done, Failed, Piece, Work

__all__ = ["Here", "Pool", "processes"]


class Here:
    """Compute in this thread; another one reads the next piece meanwhile.

    Results are copied if they are written while the next piece is computed: a function may return
    the same memory each time.
    """

    def __init__(self, work: Work, sources: Sequence[Source], carry: Any, keep: bool) -> None:
        self._work, self._sources, self.carry, self._keep = work, sources, carry, keep
        self._reader: ThreadPoolExecutor | None = None  # slices need none
        if any(is_stored(s.array) or is_mapped(s.array) for s in sources):
            self._reader = ThreadPoolExecutor(1, "map_chunks-read")
        self._waiting: deque[tuple[Piece, bool, Any]] = deque()
        self._peak = Peak()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        return len(self._waiting) > 1

    def submit(self, piece: Piece, watch: bool) -> None:
        """Take on a piece; watch the memory that it takes."""
        if watch:
            self._peak.begin()
        reading = None
        if self._reader is not None:
            reading = self._reader.submit(_read, self._work, self._sources, piece)
        self._waiting.append((piece, watch, reading))

    def next(self) -> Done | Failed:
        """Return the next piece."""
        piece, watch, reading = self._waiting.popleft()
        read = reading.result() if reading else _read(self._work, self._sources, piece)
        del reading
        if isinstance(read, Failed):
            return read
        arrays, origin = read
        del read
        found = self._work.perform(piece, arrays, origin, self.carry, self._keep)
        if watch:
            self._peak.end()
        if isinstance(found, Done):
            self.carry = found.carry
            return found._replace(taken=self._peak.taken if watch else 0)
        return found

    def withdraw(self) -> None:
        """Drop the pieces that aren't begun."""
        self._waiting.clear()

    def close(self, now: bool) -> None:
        self._peak.end()
        if self._reader is not None:
            self._reader.shutdown(wait=not now, cancel_futures=True)


def _read(work: Work, sources: Sequence[Source], piece: Piece) -> tuple[list[Any], int] | Failed:
    a, b = work.margins(piece.start, piece.stop)
    try:
        return [s.read(a, b) for s in sources], a
    except Exception as error:  # of a store, whatever its library raises
        return Failed(piece, a, b, error)


class Pool:
    """Compute in an executor, some pieces at once.

    Other processes open files themselves; what they can't open is read here and sent. If a process
    of an own pool is killed, all of its pieces are lost: they are tried again one by one, each in a
    pool that no other piece can break, so that an error names the right one. An own pool, and
    Dask's workers, get the function once, others with every piece.
    """

    carry = None

    def __init__(
        self,
        work: Work,
        sources: Sequence[Source],
        make: Callable[[bytes], Executor],
        width: int,
        *,
        own: bool = False,
        apart: bool = True,
        client: Any = None,
    ) -> None:
        self._work, self._sources, self._make, self._width = work, sources, make, width
        self._own, self._apart, self._client = own, apart, client
        self._dumped = dumped(work) if apart else b""
        self._function: Any = (
            None if own or client is not None else self._dumped
        )  # what goes with a piece
        self._peak = Peak()
        self._refused: Failed | None = None
        self._told: set[str] = set()
        self._references = [s.reference() if apart else None for s in sources]
        self._executor: Executor | None = None
        self._running: dict[Any, tuple[Piece, bool]] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._again: deque[tuple[Piece, bool]] = deque()
        self._tried: set[int] = set()

    def __len__(self) -> int:
        return len(self._running) + len(self._again) + (self._refused is not None)

    @property
    def full(self) -> bool:
        return bool(self._again or self._refused) or len(self._running) >= self._width

    def submit(self, piece: Piece, watch: bool) -> None:
        """Take on a piece; watch the memory that it takes."""
        try:
            if self._executor is None:
                self._executor = self._make(self._dumped)
            arguments = self._arguments(piece, watch)
            with _large() if self._client is not None else nullcontext():  # with a piece in it
                future = self._executor.submit(*arguments)
        except BrokenExecutor as error:
            if self._own:
                self._executor = None  # by another piece, whose future tells it, too
                self._again.append((piece, watch))
            else:
                self._refused = Failed(piece, piece.start, piece.stop, error)
            return
        except Exception as error:  # of a store, or of an executor that was shut down
            self._refused = Failed(piece, piece.start, piece.stop, error)
            return
        self._running[future] = piece, watch
        future.add_done_callback(self._ended.put)

    def _arguments(self, piece: Piece, watch: bool) -> tuple[Any, ...]:
        if not self._apart:
            if watch:  # nothing else runs meanwhile
                self._peak.begin()
            return _perform, self._work, self._sources, piece
        a, b = self._work.margins(piece.start, piece.stop)
        pairs = zip(self._sources, self._references, strict=True)
        given = [(None, s.read(a, b)) if r is None else (r, None) for s, r in pairs]
        axes = [s.axis for s in self._sources]
        if self._client is not None and self._function is None:
            with _large():  # a task, which is done again where its worker ends
                self._function = self._client.submit(bytes, self._dumped, pure=False)
        return _elsewhere, self._function, axes, given, piece, watch

    def next(self) -> Done | Failed:
        """Return a piece that has ended, the first of those that run."""
        while True:
            if self._refused is not None:
                refused, self._refused = self._refused, None
                return refused
            if not self._running:
                self.submit(*self._again.popleft())
                continue
            future = self._ended.get()
            if future not in self._running:
                continue
            piece, watch = self._running.pop(future)
            error = future.exception()
            self._peak.end()
            if error is None:
                found = future.result()
                if self._apart:
                    return self._warned(pickle.loads(found))
                known = watch and isinstance(found, Done)
                return found._replace(taken=self._peak.taken) if known else found
            broken = self._own and isinstance(error, BrokenExecutor)
            if broken and piece.number not in self._tried:
                self._tried.add(piece.number)
                self._again.append((piece, watch))
                self._executor = None
                continue
            return Failed(piece, piece.start, piece.stop, error)

    def _warned(self, found: Done | Failed) -> Done | Failed:
        """Give the warnings of another process here, each text once; a filter may make it raise."""
        for text, category, file, line in found.warned if isinstance(found, Done) else ():
            if text in self._told:
                continue
            self._told.add(text)
            try:
                warnings.warn_explicit(text, category, file, line)
            except Warning as error:
                return Failed(found.piece, found.piece.start, found.piece.stop, error)
        return found

    def withdraw(self) -> None:
        """Drop the pieces that aren't begun; Dask doesn't tell which those are."""
        self._again.clear()
        for future in [f for f in self._running if self._client is None and f.cancel()]:
            del self._running[future]

    def close(self, now: bool) -> None:
        self._peak.end()
        if not self._own or self._executor is None:
            return
        started = list((getattr(self._executor, "_processes", None) or {}).values())
        self._executor.shutdown(wait=not now, cancel_futures=True)
        for process in started if now else ():
            process.terminate()


def processes(count: int, function: bytes) -> ProcessPoolExecutor:
    """Return a pool of new processes: a forked one would have this one's threads' locks."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, context, _begun, (function,))


_given: list[bytes] = []  # the function of an own pool, in its processes


def _begun(function: bytes) -> None:
    """Keep the function, leave interruptions to the parent, and end with it."""
    _given[:] = [function]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _large() -> Iterator[None]:
    """Let Dask take what is large without a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        yield


def dumped(work: Work) -> bytes:
    """Return the work as bytes for other processes."""
    pickler = _pickler()
    try:
        return bytes(pickler.dumps(work))
    except Exception as error:  # pickle raises what an object's own method raises
        hint = (
            ""
            if pickler is not pickle
            else (
                " pip install cloudpickle, which takes lambdas and functions in functions, or "
                "define the function in a module."
            )
        )
        raise ArgumentError(
            f"map_chunks: the function can't be sent to other processes ({type(error).__name__}: "
            f"{error}).{hint} Threads take any function: workers=ThreadPoolExecutor(2)"
        ) from error


_loaded = functools.lru_cache(maxsize=4)(pickle.loads)  # what it has compiled stays


def _perform(work: Work, sources: Sequence[Source], piece: Piece) -> Done | Failed:
    read = _read(work, sources, piece)
    return read if isinstance(read, Failed) else work.perform(piece, *read, None, True)


def _elsewhere(
    function: bytes | None, axes: list[int], given: list[tuple[Any, Any]], piece: Piece, watch: bool
) -> bytes:
    """Compute a piece in another process, and return the result as bytes."""
    work: Work = _loaded(_given[0] if function is None else function)
    peak = Peak()
    if watch:
        peak.begin()
    found: Any = None
    arrays = []
    a, _ = work.margins(piece.start, piece.stop)
    for (reference, x), axis in zip(given, axes, strict=True):
        if reference is not None:
            found = _read(work, [opened(reference, axis)], piece)
            if isinstance(found, Failed):
                return _sent(found)
            ((x,), _) = found
        arrays.append(x)
    # A record of warnings is one for all threads: only where pieces have the main one.
    alone = threading.current_thread() is threading.main_thread()
    with warnings.catch_warnings(record=True) if alone else nullcontext([]) as told:
        if alone:
            warnings.simplefilter("always")
        found = work.perform(piece, arrays, a, None, False)
    peak.end()
    if isinstance(found, Done):
        each = {str(w.message): (str(w.message), w.category, w.filename, w.lineno) for w in told}
        found = found._replace(taken=peak.taken, warned=list(each.values()))
    return _sent(found)


def _sent(found: Done | Failed) -> bytes:
    """Return a result as bytes, with an exception that can be made anew from them."""
    pickler = _pickler()
    if isinstance(found, Failed):
        try:
            pickle.loads(pickler.dumps(found.error))
        except Exception:  # what an exception's class or its contents raise
            error = RuntimeError(f"{type(found.error).__name__}: {found.error}")
            found = found._replace(error=error)
    return bytes(pickler.dumps(found))


def _pickler() -> Any:
    """Return cloudpickle, which takes functions of the main module and in functions, or pickle."""
    try:
        import cloudpickle  # type: ignore[import-untyped]
    except ImportError:
        return pickle
    return cloudpickle
