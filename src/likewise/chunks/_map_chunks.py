"""`map_chunks`: a function over pieces of arrays that don't fit in memory."""

import warnings
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

from ..errors import ChunkError, ChunkWarning, _level
from ..progress import Progress
from ._asked import Asked
from ._engines import Here, Pool
from ._interrupts import Interrupts
from ._journal import journal_of
from ._pieces import Cutter
from ._sinks import Memory, Store
from ._targets import targets
from ._work import Failed, Part, Wrong

__all__ = ["map_chunks"]


def map_chunks(
    fun: Callable[..., Any],
    *arrays: Any,
    axis: int = 0,
    chunk_size: int | str = "auto",
    workers: int | Executor | None = None,
    client: Any = None,
    out: Any = None,
    resume: bool = True,
    on_error: str = "raise",
    carry: Any = None,
    overlap: int | tuple[int, int] = 0,
    length_ratio: float | Fraction | tuple[int, int] = 1,
    progress: bool | Callable[..., Any] = False,
) -> Any:
    """Call a function with one piece of arrays after another, and put the results together.

    Arrays may be larger than memory: memory maps, and datasets of h5py and Zarr, are read piece by
    piece, while the piece before is computed and the one before that is written.

    Parameters
    ----------
    fun : callable
        ``fun(*pieces)`` returns an array, or nested tuples, lists, dicts, NamedTuples or
        dataclasses of arrays, each with the pieces' length along `axis`. Pieces of files are NumPy
        arrays, of arrays in memory slices; NumPy's can't be written to, and a function should not
        change others. What all pieces share, such as coefficients, is bound to the function:
        ``functools.partial(sosfilt, sos)``.
    *arrays : array, numpy.memmap, h5py.Dataset or zarr.Array
        All of one length along `axis`.
    axis : int, optional
        The axis along which arrays are cut, and along which results are joined. Negative ones count
        from the end of each array. Default: 0.
    chunk_size : int or 'auto', optional
        The largest number of items in a piece. Pieces end where chunks of the stores end, if these
        are no larger. With 'auto', the first pieces are small, and the memory that they take is
        measured; then all pieces at once, with what `fun` allocates and returns, take at most 256
        MiB or a quarter of the memory that is left, whichever is less. What the results take that
        stay in memory, and what a function loads or compiles, is not part of it. One item is the
        least, however large. With `client` they take an eighth of each worker's memory, at most.
    workers : int or concurrent.futures.Executor, optional
        So many new processes, or an executor of threads or processes. Processes open memory maps of
        files, Zarr arrays, and h5py files opened for reading themselves, other arrays are sent. By
        default this thread computes. A script that starts processes needs
        ``if __name__ == "__main__":``. BLAS and torch have threads of their own in each process:
        set ``OMP_NUM_THREADS=1`` before the script begins, where `workers` are all cores.
    client : distributed.Client, optional
        Workers of Dask in place of `workers`. They need the files under the same paths.
    out : array, numpy.memmap, h5py.Dataset or zarr.Array, optional
        Where results are written, of the shape of all results; for several results a tuple, list or
        dict. It must hold every value of the results' dtype: results of float64 go to a store of
        float32 by ``result.astype("float32")`` in `fun`. By default results are joined in memory.
    resume : bool, optional
        With `out` in a file: go on where an earlier call ended. False starts over.
    on_error : {'raise', 'nan'}, optional
        With 'nan', a piece that raises is halved until the items are found that do. Their results
        are NaN, -1 for signed integers, and 0 or False for others, and a warning names them. A
        process that is killed is no exception, and ends the call.
    carry : nested structure of arrays, optional
        A state that goes from piece to piece: ``fun(carry, *pieces)`` returns ``(carry, result)``,
        as for `scan`, and `map_chunks` does. The function gets a copy, which it may change. A
        result of None is for sums over all pieces. Pieces are computed in order, so there are no
        `workers`.
    overlap : int or (int, int), optional
        How many items before and after each piece `fun` gets with it, fewer at the ends of the
        array. Their results are cut off.
    length_ratio : int, float, Fraction or (int, int), optional
        Results per item: ``Fraction(1, 10)`` or ``(1, 10)`` for ``decimate(x, 10)``. Items a to b
        give the results ``ceil(a * ratio)`` to ``ceil(b * ratio)``, and pieces have a whole number
        of results each.
    progress : bool or callable, optional
        True draws a bar; a callable is called as ``progress(done, total, text)``, in items.

    Returns
    -------
    array or nested structure
        The results, or `out`; with `carry`, the tuple ``(carry, results)``.

    Raises
    ------
    ChunkError
        If a piece fails; it has the piece's index and items, and `fun`'s error as its cause.

    Notes
    -----
    With `out` in a file, a journal beside it, named ``FILE.DATASET.journal``, or
    ``FILE.OFFSET.journal`` for a part of a memory map, has the items that are done, and a
    fingerprint of the function, its parameters and the inputs. A second call computes what is
    missing; with another function or other inputs it is refused. So is one while another call has
    the journal open (on Windows, and where a file system has no locks, only in one process).
    `chunk_size`, `workers` and `client` may change.

    The fingerprint has the code of the function and of all that it calls in its package, in the
    script and in modules that are not installed, the globals that they read, and the values that
    the function holds, of objects what pickle takes of them. Installed packages are known by name
    and version alone. Values that can't be pickled, and random number generators, whose states go
    on, are not compared; a call that goes on warns of them. What a function reads from outside,
    such as files and environment variables, is not seen.

    Inputs in files are known by size and time of change, arrays of Zarr by those of all their
    files, and by their contents: of more than 64 MiB, places that lie evenly. An input in the file
    that is written to has no time of change: there, changes between these places are not seen.
    Inputs in memory are known by all of their contents. The journal, and the ``.carry`` file with
    the last state, may be deleted when they are no longer needed; that file is a pickle, so trust
    it as you trust the script.

    The first Ctrl-C lets pieces that run end, writes their results, and raises KeyboardInterrupt;
    the second one raises it at once.

    If memory ends in `fun`, the piece is halved, again and again if it must be. If a process of
    `workers=` is killed, its pieces are tried once more, in new processes; a pool that was given is
    broken then. Dask's workers have its own retries. Warnings of processes are given here, each
    text once; those of Dask's workers are not.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import map_chunks
    >>> x = np.arange(10.0)
    >>> map_chunks(lambda piece: piece**2, x, chunk_size=4)
    array([ 0.,  1.,  4.,  9., 16., 25., 36., 49., 64., 81.])

    A running mean, with margins; and the sum, which is carried:

    >>> def mean(piece):
    ...     return np.convolve(piece, np.ones(3) / 3, "same")
    >>> map_chunks(mean, x, chunk_size=4, overlap=1)[1:-1]
    array([1., 2., 3., 4., 5., 6., 7., 8.])
    >>> map_chunks(lambda total, piece: (total + piece.sum(), None), x, carry=0)[0].item()
    45.0
    """
    asked = Asked.of(fun, arrays, axis, chunk_size, workers, client, on_error, carry, overlap)
    work = asked.work(length_ratio)
    goals = [] if out is None else targets(out)
    asked.check(work, goals, progress)
    journal = journal_of(work, asked.sources, goals, carry, resume)
    ranges = [(0, work.length)] if work.length else []
    if journal is not None:
        ranges = journal.missing(work.length)
        carry = journal.carry if work.carried and journal.done else carry
    elif not (work.length or goals):
        ranges = [(0, 0)]  # the function says what no items give
    sink = Store(work, goals, journal) if goals else Memory(work)
    cutter = Cutter(
        ranges, asked.size, work.ratio.denominator, asked.chunks(goals), asked.needs(goals)
    )
    with ExitStack() as stack:
        told = stack.enter_context(Progress()) if progress is True else progress or None
        interrupts = stack.enter_context(Interrupts())
        stack.callback(sink.close)
        engine = asked.engine(work, carry, sink.behind)
        stack.push(lambda kind, *_: engine.close(kind is not None))
        failed = _drive(engine, cutter, sink, interrupts, told)
        sink.end()
    if failed is not None:
        raise _error(failed) from (None if isinstance(failed.error, Wrong) else failed.error)
    if interrupts.asked:
        raise KeyboardInterrupt(
            f"map_chunks: {cutter.left} of {work.length} items are left"
            + ("; a second call goes on from there" if journal is not None else "")
        )
    if sink.structure is None and sink.bad and not (journal and journal.done):
        text = f"map_chunks: all {work.length} items failed; the first raised {sink.bad[0].why}"
        raise ChunkError(text, 0, 0, work.length)
    _tell_of(sink.bad if journal is None else journal.bad, work.length)
    results = sink.finish() if isinstance(sink, Memory) else out
    return (engine.carry if work.length else carry, results) if work.carried else results


def _drive(
    engine: Here | Pool, cutter: Cutter, sink: Memory | Store, interrupts: Interrupts, told: Any
) -> Failed | None:
    """Have all pieces computed, and return the one that failed, if there is one.

    After a failure or an interruption nothing new begins; what runs is written.
    """
    failed: Failed | None = None
    while True:
        ending = failed is not None or interrupts.asked
        while not ending and not engine.full and not (cutter.learning and len(engine)):
            piece = cutter.next()
            if piece is None:
                break
            engine.submit(piece, cutter.learning)
        if ending:
            engine.withdraw()
        if not len(engine):
            return failed
        found = engine.next()
        if isinstance(found, Failed):
            failed = failed or found
            continue
        sink.put(found)
        cutter.learn(found, sink.results(found))
        if told is not None:
            told(cutter.total - cutter.left, cutter.total, "items")


def _error(failed: Failed) -> ChunkError:
    piece, error = failed.piece, failed.error
    where = f"map_chunks: piece {piece.number}, items {piece.start} to {piece.stop}"
    if failed.start != piece.start or failed.stop != piece.stop:
        where += f" (called with {failed.start} to {failed.stop})"
    if failed.trace and error.__traceback__ is None:  # of another process
        error.add_note(f"in the process that computed the piece:\n{failed.trace}")
    if isinstance(error, BrokenExecutor):
        where += " (a process ended that computed it, or another one; on_error='nan' is for errors)"
    what = str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"
    return ChunkError(f"{where}: {what}", *piece)


def _tell_of(bad: list[Part], length: int) -> None:
    """Warn of items that are NaN."""
    if not bad:
        return
    bad = sorted(bad, key=lambda part: part.start)
    items = [i for part in bad for i in range(part.start, part.stop)]
    first = ", ".join(map(str, items[:10])) + (", ..." if len(items) > 10 else "")
    text = (
        f"map_chunks: {len(items)} of {length} items failed, and their results are NaN: {first}; "
        f"the first raised {bad[0].why}"
    )
    warnings.warn(text, ChunkWarning, stacklevel=_level())
