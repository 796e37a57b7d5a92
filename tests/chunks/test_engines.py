"""Threads, processes and Dask's workers: the same results, and no piece lost when one ends."""

import json
import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likewise import errors, map_chunks
from likewise.chunks import _asked, _engines
from likewise.chunks._engines import dumped
from likewise.chunks._sources import Source
from likewise.chunks._work import Done, Piece, Work

X = np.random.default_rng(5).normal(size=(400, 8))


def square(x: Any) -> Any:
    return x * x


class Inline(Executor):
    """Compute at once, from bytes, as processes do."""

    _max_workers = 2

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def test_threads() -> None:
    seen = set()

    def fun(x: Any) -> Any:
        seen.add(threading.current_thread().name)
        return x * x

    with ThreadPoolExecutor(2, "ours") as pool:
        assert np.array_equal(map_chunks(fun, X, chunk_size=30, workers=pool), X * X)
        assert pool.submit(int).result() == 0  # it is the caller's, and stays open
    assert seen and all(name.startswith("ours") for name in seen)


@pytest.mark.needs("cloudpickle", "h5py", "zarr")
def test_other_processes_open_files_themselves(tmp_path: Path) -> None:
    """What they get is a path, and of what they can't open a piece."""
    import h5py
    import zarr

    X.tofile(tmp_path / "x.bin")
    mapped = np.memmap(tmp_path / "x.bin", dtype=float, mode="r", shape=X.shape)
    rows = np.memmap(tmp_path / "x.bin", dtype=float, mode="r", shape=X.shape)[100:300]
    stored = zarr.create_array(tmp_path / "x.zarr", shape=X.shape, dtype=float, chunks=(50, 8))
    stored[:] = X
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = X
    sent: list[int] = []

    class Sizes(Inline):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            sent.append(sum(x.nbytes for _, x in args[2] if x is not None))
            return super().submit(fn, *args, **kwargs)

    with h5py.File(tmp_path / "x.h5", "r") as file, h5py.File(tmp_path / "y.h5", "w") as other:
        other["x"] = X
        for x, whole, least in (
            (mapped, X, 0),
            (rows, X[100:300], 0),
            (np.asfortranarray(X), X, X.nbytes),
            (mapped[:, ::2], X[:, ::2], X.nbytes // 2),
            (stored, X, 0),
            (file["x"], X, 0),
            (other["x"], X, X.nbytes),  # open for writing
        ):
            sent.clear()
            found = map_chunks(lambda x: x * x, x, chunk_size=60, workers=Sizes())
            assert np.array_equal(found, whole * whole) and sum(sent) == least


@pytest.mark.needs("cloudpickle")
def test_an_error_of_another_process() -> None:
    class Odd(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    def raises(x: Any) -> Any:
        raise Odd(1, 2) if x[0, 0] == X[120, 0] else ValueError("never")

    def fun(x: Any) -> Any:
        return raises(x) if X[120, 0] in x[:, 0] else x

    with pytest.raises(errors.ChunkError, match="piece 3, items 120 to 160: .*Odd: 1 and") as told:
        map_chunks(fun, X, chunk_size=40, workers=Inline())
    assert "in raises" in "".join(told.value.__cause__.__notes__)  # type: ignore[union-attr]


def test_functions_that_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    lock = threading.Lock()
    with pytest.raises(errors.ArgumentError, match=r"can't be sent to other processes.*Threads"):
        map_chunks(lambda x: lock and x, X, workers=2)
    monkeypatch.setattr(_engines, "_pickler", lambda: pickle)
    with pytest.raises(errors.ArgumentError, match="pip install cloudpickle"):
        map_chunks(lambda x: x, X, workers=2)
    with pytest.raises(errors.ArgumentError, match="pip install cloudpickle"):
        dumped((lambda x: x,))  # type: ignore[arg-type]


class Client:
    """What is asked of a client of Dask, without one."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit

    def nthreads(self) -> dict[str, int]:
        return {"a": 1, "b": 1}

    def scheduler_info(self, n_workers: int = 5) -> Any:
        return {"workers": {"a": {"memory_limit": self.limit}}}

    def submit(self, fn: Any, *args: Any, pure: bool) -> Any:
        return fn(*args)

    def get_executor(self, **kwargs: Any) -> Executor:
        return Inline()


@pytest.mark.needs("cloudpickle")
def test_a_piece_larger_than_a_worker_is_refused() -> None:
    calls: list[int] = []

    def fun(x: Any) -> Any:
        calls.append(len(x))
        return x

    with pytest.raises(errors.ArgumentError, match="chunk_size=400 items takes.*a worker of the"):
        map_chunks(fun, X, chunk_size=400, client=Client(20_000))
    assert calls == []
    assert np.array_equal(map_chunks(square, X, client=Client(20_000)), X * X)
    assert np.array_equal(map_chunks(square, X, client=Client(None)), X * X)
    with pytest.raises(errors.ArgumentError, match="a client of Dask is client="):
        map_chunks(fun, X, workers=Client(None))


class Arguments(Inline):
    """Note what goes with each piece."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.sent.append(args[0])
        return super().submit(fn, *args, **kwargs)


@pytest.mark.needs("cloudpickle")
def test_the_function_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with each piece: it may hold a large array."""
    held, pool, client = np.ones((1000, 8)), Arguments(), Client(None)

    def fun(x: Any) -> Any:
        return x * held[0]

    def processes(count: int, function: bytes) -> Executor:
        assert len(function) > held.nbytes
        monkeypatch.setattr(_engines, "_given", [function])
        return pool

    monkeypatch.setattr(_engines, "processes", processes)
    monkeypatch.setattr(_asked, "processes", processes)
    assert np.array_equal(map_chunks(fun, X, chunk_size=40, workers=2), X)
    assert pool.sent == [None] * 10
    pool.sent.clear()
    sent: list[bytes] = []

    def submit(fn: Any, x: Any, pure: bool) -> Any:
        sent.append(fn(x))
        return sent[0]

    monkeypatch.setattr(client, "get_executor", lambda **_: pool)
    monkeypatch.setattr(client, "submit", submit)
    assert np.array_equal(map_chunks(fun, X, chunk_size=40, client=client), X)
    assert len(sent) == 1 and all(x is sent[0] for x in pool.sent)


@pytest.mark.needs("cloudpickle")
def test_warnings_of_another_process() -> None:
    """They are given here, each text once, and filters hold."""

    def fun(x: Any) -> Any:
        warnings.warn("less", UserWarning, stacklevel=1)
        warnings.warn("accurate", RuntimeWarning, stacklevel=1)
        return x

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        map_chunks(fun, X, chunk_size=40, workers=Inline())
    assert [(str(w.message), w.category) for w in told] == [
        ("less", UserWarning),
        ("accurate", RuntimeWarning),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(errors.ChunkError, match="items 0 to 40: RuntimeWarning: accurate"):
            map_chunks(fun, X, chunk_size=40, workers=Inline())


def test_what_threads_take_is_measured() -> None:
    def fun(x: Any) -> Any:
        np.ones(32 << 20, "u1")
        time.sleep(0.02)
        return x

    with ThreadPoolExecutor(1) as executor:
        work = Work(fun, 0, 400, 0, 0, Fraction(1), False, False, [])
        pool = _engines.Pool(work, [Source(X, 0)], lambda _: executor, 2, apart=False)
        pool.submit(Piece(0, 0, 10), True)
        found = pool.next()
        assert isinstance(found, Done) and 16 << 20 < found.taken < 64 << 20


@pytest.mark.parametrize("error", [RuntimeError("after shutdown"), BrokenExecutor("it ended")])
def test_an_executor_that_takes_nothing(error: Exception) -> None:
    """What it took before is written."""
    out, done = np.zeros_like(X), []

    class Ending(Inline):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            if len(done) == 3:
                raise error
            done.append(0)
            return super().submit(fn, *args, **kwargs)

    with pytest.raises(errors.ChunkError, match="piece 3, items 120 to 160.*: .*(shutd|ended)"):
        map_chunks(square, X, chunk_size=40, workers=Ending(), out=out)
    assert np.array_equal(out[:120], X[:120] ** 2) and not out[120:].any()


def test_pieces_that_a_worker_holds() -> None:
    """Those that run and those that wait, with what they take, are in an eighth of its memory."""
    large = np.broadcast_to(np.zeros(1), (10**6, 100))
    options = (0, "auto", None, Client(400 << 20), "raise", None, 0)
    needs = _asked.Asked.of(square, (large,), *options).needs([])
    assert needs.budget == 50 << 20 and (needs.at_once, needs.held) == (2, 2)


# -- processes that start, and end -----------------------------------------------------------------


def counted(folder: Path) -> tuple[int, int]:
    """Return items that are missing in the journal, and items that were computed twice."""
    lines = (folder / "y.bin.journal").read_text().splitlines()[1:]
    items = [json.loads(line)["items"] for line in lines]
    counts = np.zeros(len(X), int)
    for start, stop in items:
        counts[start:stop] += 1
    return int((counts == 0).sum()), int((counts > 1).sum())


@pytest.fixture
def out(tmp_path: Path) -> Any:
    return np.memmap(tmp_path / "y.bin", dtype=float, mode="w+", shape=X.shape)


@pytest.mark.needs("cloudpickle")
def test_processes(out: Any, tmp_path: Path) -> None:
    """One of them is killed: its pieces are tried again."""
    flag = tmp_path / "killed"

    def fun(x: Any) -> Any:
        if X[200, 0] in x[:, 0] and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), 9)
        return x * x

    map_chunks(fun, X, chunk_size=25, workers=2, out=out)
    assert flag.exists() and np.array_equal(out, X * X)
    assert counted(tmp_path) == (0, 0)


@pytest.mark.full
@pytest.mark.needs("cloudpickle")
def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    code = """
        import os, sys, time
        import numpy as np
        from likewise import map_chunks
        def fun(x):
            print(os.getpid(), flush=True)
            time.sleep(60)
            return x
        if __name__ == "__main__":
            map_chunks(fun, np.arange(9.0), chunk_size=1, workers=2)
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(code))
    command = [sys.executable, "program.py"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as run:
        assert run.stdout is not None
        run.stdout.readline(), run.stdout.readline()
        run.kill()
        run.communicate(timeout=30)  # until the last process that may write to it has ended


@pytest.mark.full
@pytest.mark.needs("cloudpickle")
def test_a_piece_that_kills_its_process_each_time(out: Any, tmp_path: Path) -> None:
    """The error names it, and what else is done stays done."""
    stays = tmp_path / "stays"
    stays.touch()

    def fun(x: Any) -> Any:
        if X[200, 0] in x[:, 0] and stays.exists():
            os.kill(os.getpid(), 9)
        return x * x

    with pytest.raises(
        errors.ChunkError, match="piece 8, items 200 to 225 .a process ended.*BrokenProcessPool"
    ):
        map_chunks(fun, X, chunk_size=25, workers=2, out=out)
    assert counted(tmp_path)[1] == 0
    stays.unlink()
    map_chunks(fun, X, chunk_size=25, workers=2, out=out)
    assert np.array_equal(out, X * X) and counted(tmp_path) == (0, 0)


@pytest.mark.full
@pytest.mark.needs("cloudpickle")
def test_a_piece_that_raises_in_a_process(out: Any, tmp_path: Path) -> None:
    """What runs beside it is written, and nothing is done twice."""
    bad = tmp_path / "bad"
    bad.touch()

    def fun(x: Any) -> Any:
        if X[200, 0] in x[:, 0] and bad.exists():
            raise ValueError("bad")
        return x * x

    with pytest.raises(errors.ChunkError, match="piece 8, items 200 to 225: ValueError: bad"):
        map_chunks(fun, X, chunk_size=25, workers=2, out=out)
    lost, twice = counted(tmp_path)
    assert 0 < lost < len(X) and twice == 0
    bad.unlink()
    map_chunks(fun, X, chunk_size=25, workers=2, out=out)
    assert np.array_equal(out, X * X) and counted(tmp_path) == (0, 0)


@pytest.mark.full
@pytest.mark.needs("cloudpickle")
def test_memory_that_ends_in_a_process(out: Any, tmp_path: Path) -> None:
    """By its limit: pieces are halved there."""

    def fun(x: Any) -> Any:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, resource.RLIM_INFINITY))
        np.empty((len(x), 200 << 20), "u1")  # 200 MiB for each row
        return x * x

    map_chunks(fun, X, chunk_size=100, workers=1, out=out)
    assert np.array_equal(out, X * X) and counted(tmp_path) == (0, 0)


# -- Dask ------------------------------------------------------------------------------------------


@pytest.fixture
def client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit="400MiB",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.full
@pytest.mark.needs("distributed", "h5py")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_workers_of_dask(client: Any, out: Any, tmp_path: Path) -> None:
    """One of them is killed, a piece raises, one is too large."""
    import h5py

    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = X
    flag, bad = tmp_path / "killed", tmp_path / "bad"
    bad.touch()

    def fun(x: Any) -> Any:
        if X[200, 0] in x[:, 0] and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), 9)
        if X[300, 0] in x[:, 0] and bad.exists():
            raise ValueError("bad")
        return x * x

    with h5py.File(tmp_path / "x.h5", "r") as file:
        with pytest.raises(errors.ChunkError, match="items 300 to 325: ValueError: bad"):
            map_chunks(fun, file["x"], chunk_size=25, client=client, out=out)
        assert flag.exists() and counted(tmp_path)[1] == 0
        bad.unlink()
        map_chunks(fun, file["x"], chunk_size=25, client=client, out=out)
        assert np.array_equal(out, X * X) and counted(tmp_path) == (0, 0)
        assert np.array_equal(map_chunks(square, file["x"], client=client), X * X)
    assert np.array_equal(map_chunks(square, X, client=client, chunk_size=100), X * X)
    large = np.broadcast_to(np.zeros(1), (1 << 26,))
    with pytest.raises(errors.ArgumentError, match="a worker of the client has 400 MiB"):
        map_chunks(square, large, client=client, chunk_size=1 << 26)
