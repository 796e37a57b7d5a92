"""The journal: what is done is not computed again, and nothing else is taken for it."""

import functools
import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likewise import errors, map_chunks

X = np.arange(1.0, 101.0)


class Stop(Exception):
    """Raised to end a call in the middle."""


class Halved:
    """A function that stops at an item once, and notes where it begins."""

    def __init__(self, stop: float, factor: float = 2.0) -> None:
        self.factor, self._state = factor, State(stop)

    def __call__(self, x: Any) -> Any:
        self._state.note(x)
        return x * self.factor


class State:
    """What changes from call to call, so pickle and fingerprints leave it out."""

    __slots__ = ("calls", "stop")

    def __init__(self, stop: float) -> None:
        self.stop, self.calls = stop, []

    def __getstate__(self) -> None:
        return None

    def note(self, x: Any) -> None:
        if x[0] == self.stop:
            self.stop = 0
            raise Stop
        self.calls.append((int(x[0]), len(x)))


@pytest.fixture
def out(tmp_path: Path) -> Any:
    return np.memmap(tmp_path / "y.bin", dtype=float, mode="w+", shape=100)


def stopped(out: Any, stop: float = 41.0, **options: Any) -> Halved:
    fun = Halved(stop)
    with pytest.raises(errors.ChunkError):
        map_chunks(fun, X, chunk_size=10, out=out, **options)
    fun._state.calls.clear()
    return fun


def test_a_second_call_computes_what_is_missing(out: Any) -> None:
    """Also in pieces of another size."""
    fun = stopped(out)
    assert map_chunks(fun, X, chunk_size=25, out=out) is out
    assert fun._state.calls == [(41, 25), (66, 25), (91, 10)]
    assert np.array_equal(out, 2 * X)
    map_chunks(fun, X, out=out)
    assert len(fun._state.calls) == 3  # all is done


def test_starting_over(out: Any) -> None:
    fun = stopped(out)
    map_chunks(fun, X, chunk_size=50, out=out, resume=False)
    assert fun._state.calls == [(1, 50), (51, 50)]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"fun": Halved(0, 3.0)}, "function was"),
        ({"x": X + 1}, "array 0 contents was"),
        ({"x": X.astype("f4")}, "array 0 dtype was float64, is float32"),
        ({"overlap": 2}, r"parameters overlap was \[0, 0\], is \[2, 2\]"),
        ({"on_error": "nan"}, "parameters on_error was raise, is nan"),
    ],
)
def test_another_call_is_refused(out: Any, change: Any, text: str) -> None:
    """With what differs, before any work."""
    fun = stopped(out)
    other = change.pop("fun", fun)
    with pytest.raises(errors.ArgumentError, match=f"journal of another call: {text}.*resume=Fa"):
        map_chunks(other, change.pop("x", X), out=out, **change)
    assert other._state.calls == []
    assert np.array_equal(out[:40], 2 * X[:40])


def test_a_store_that_was_made_anew_is_not_done(out: Any, tmp_path: Path) -> None:
    fun = stopped(out)
    again = np.memmap(tmp_path / "y.bin", dtype=float, mode="w+", shape=100)
    map_chunks(fun, X, chunk_size=50, out=again)
    assert fun._state.calls == [(1, 50), (51, 50)] and np.array_equal(again, 2 * X)


def test_results_of_zero_are_done(out: Any) -> None:
    """A new store has them, too."""
    zero = Halved(0.0, factor=0.0)
    for _ in range(2):
        map_chunks(zero, X, chunk_size=50, out=out)
    assert zero._state.calls == [(1, 50), (51, 50)]


def rare(x: Any) -> Any:
    return np.where(x == 32, 1.0, 0.0)


@pytest.mark.needs("h5py")
@pytest.mark.parametrize("blank", [0.0, np.nan])
def test_a_new_store_is_told_by_the_one_result_that_it_lacks(tmp_path: Path, blank: float) -> None:
    """Where all others are what a new store has: zeros, or its fill value."""
    import h5py

    calls = []
    state = State(0.0)

    def fun(x: Any) -> Any:
        state.note(x)
        return np.where(x == 32, 1.0, blank)

    for _ in range(2):
        with h5py.File(tmp_path / "y.h5", "w") as file:
            out = file.create_dataset("y", 100, "f8", fillvalue=blank)
            for _ in range(2):
                map_chunks(fun, X, chunk_size=10, out=out)
                calls.append(len(state.calls))
            assert out[31] == 1 and np.array_equal(out[:31], [blank] * 31, equal_nan=True)
    assert calls == [10, 10, 20, 20]


def test_each_of_several_stores_is_looked_at(tmp_path: Path) -> None:
    """One of them was made anew; what the other has says nothing of it."""

    def made(name: str) -> Any:
        return np.memmap(tmp_path / name, dtype=float, mode="w+", shape=100)

    def two(x: Any) -> Any:
        return x * 1.0, rare(x)

    first = made("a.bin")
    map_chunks(two, X, chunk_size=10, out=(first, made("b.bin")))
    second = made("b.bin")
    map_chunks(two, X, chunk_size=10, out=(first, second))
    assert np.array_equal(second, rare(X))


def test_a_line_that_was_cut_off(out: Any, tmp_path: Path) -> None:
    """As where the machine went down while it was written."""
    fun = stopped(out)
    journal = tmp_path / "y.bin.journal"
    journal.write_text(journal.read_text()[:-20])
    map_chunks(fun, X, chunk_size=10, out=out)
    assert fun._state.calls[0] == (31, 10) and len(fun._state.calls) == 7
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    done = sorted(tuple(line["items"]) for line in lines[1:])
    assert done == [(i, i + 10) for i in range(0, 100, 10)]  # each once, none missing


@pytest.mark.parametrize("text", ["\0" * 30, '{"items": [30', "[]", '{"items": [1, 2]}', "\xff"])
def test_a_damaged_line_is_done_again(out: Any, tmp_path: Path, text: str) -> None:
    fun = stopped(out)
    journal = tmp_path / "y.bin.journal"
    lines = journal.read_text().splitlines()
    lines[2] = text
    journal.write_text("\n".join(lines) + "\n", encoding="latin-1")
    map_chunks(fun, X, chunk_size=10, out=out)
    assert fun._state.calls[0] == (11, 10) and len(fun._state.calls) == 7
    assert np.array_equal(out, 2 * X)


@pytest.mark.parametrize("text", ["", "{", "3", "[1]"])
def test_a_damaged_header(out: Any, tmp_path: Path, text: str) -> None:
    fun = stopped(out)
    journal = tmp_path / "y.bin.journal"
    _, *lines = journal.read_text().splitlines()
    journal.write_text("\n".join([text, *lines]) + "\n")
    with pytest.raises(errors.ArgumentError, match="first line of .* is damaged.*resume=False"):
        map_chunks(fun, X, out=out)
    map_chunks(fun, X, chunk_size=50, out=out, resume=False)
    assert fun._state.calls == [(1, 50), (51, 50)]


def test_one_call_at_a_time(out: Any, tmp_path: Path) -> None:
    """Of this process and of others; a call that failed holds nothing."""
    seen = []

    def fun(x: Any) -> Any:
        if not seen:
            with pytest.raises(errors.ArgumentError, match="another call has the journal"):
                map_chunks(fun, X, out=out)
            code = (
                "import fcntl, sys\n"
                "try: fcntl.lockf(open(sys.argv[1], 'ab'), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
                "except OSError: print('locked')"
            )
            command = [sys.executable, "-c", code, str(tmp_path / "y.bin.journal")]
            seen.append(subprocess.run(command, capture_output=True, check=True).stdout)
        return x * 2.0

    map_chunks(fun, X, out=out)
    assert seen == [b"locked\n"]
    fun = stopped(out, resume=False)
    with pytest.raises(errors.ArgumentError, match="can't be sent"):
        map_chunks(functools.partial(fun, threading.Lock()), X, out=out, resume=False, workers=1)
    map_chunks(fun, X, out=out, resume=False)
    assert np.array_equal(out, 2 * X)


def test_rows_of_one_file(tmp_path: Path) -> None:
    """Each has a journal of its own."""
    whole = np.memmap(tmp_path / "y.bin", dtype=float, mode="w+", shape=(3, 100))
    for i in range(3):
        map_chunks(lambda x, i=i: x * i, X, out=whole[i])
    assert np.array_equal(whole, [0 * X, X, 2 * X])
    second = np.memmap(tmp_path / "y.bin", dtype=float, mode="r+", shape=100, offset=800)
    with pytest.raises(errors.ArgumentError, match="journal of another call"):
        map_chunks(lambda x: x * 5, X, out=second)
    names = {p.name for p in tmp_path.iterdir() if p.suffix == ".journal"}
    assert names == {"y.bin.0.journal", "y.bin.800.journal", "y.bin.1600.journal"}


class Carried:
    """A running sum that stops once."""

    def __init__(self, stop: float) -> None:
        self._state = State(stop)

    def __call__(self, total: Any, x: Any) -> Any:
        self._state.note(x)
        found = np.cumsum(x) + total
        return found[-1], found


def test_a_state_goes_on(out: Any) -> None:
    fun = Carried(41.0)
    with pytest.raises(errors.ChunkError):
        map_chunks(fun, X, chunk_size=10, out=out, carry=1.0)
    fun._state.calls.clear()
    total, found = map_chunks(fun, X, chunk_size=30, out=out, carry=1.0)
    assert fun._state.calls == [(41, 30), (71, 30)] and found is out
    assert total == X.sum() + 1 and np.array_equal(out, np.cumsum(X) + 1)
    total, _ = map_chunks(fun, X, out=out, carry=1.0)
    assert len(fun._state.calls) == 2 and total == X.sum() + 1
    with pytest.raises(errors.ArgumentError, match="parameters carry was"):
        map_chunks(fun, X, out=out, carry=2.0)


def test_the_state_of_another_call_is_not_taken(
    out: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a call that starts over ends before it has a state, and one before the first piece."""
    map_chunks(Carried(0.0), X, out=out, carry=1.0)
    state = tmp_path / "y.bin.journal.carry"
    old = state.read_bytes()
    fun = Carried(1.0)
    with pytest.raises(errors.ChunkError):
        map_chunks(fun, X, chunk_size=10, out=out, carry=1.0, resume=False)
    assert not state.exists()
    with monkeypatch.context() as patch:
        patch.setattr(pickle, "dump", lambda *_: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(errors.ChunkError, match="full"):
            map_chunks(fun, X, chunk_size=10, out=out, carry=5.0, resume=False)
    state.write_bytes(old)  # of carry=1.0
    fun._state.calls.clear()
    total, _ = map_chunks(fun, X, chunk_size=10, out=out, carry=5.0)
    assert total == X.sum() + 5 and len(fun._state.calls) == 10
    assert np.array_equal(out, np.cumsum(X) + 5)


def test_a_state_is_kept_before_its_items_are_noted(
    out: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a process that ends between loses nothing, and no state stands for other items."""
    fun, keep = Carried(0.0), os.replace

    def kept(*paths: Any) -> None:
        if len(fun._state.calls) > 4:
            raise OSError("killed")
        keep(*paths)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", kept)
        with pytest.raises(errors.ChunkError, match="killed"):
            map_chunks(fun, X, chunk_size=10, out=out, carry=1.0)
    journal = Path(f"{out.filename}.journal")
    stop = json.loads(journal.read_text().splitlines()[-1])["items"][1]
    fun._state.calls.clear()
    total, _ = map_chunks(fun, X, chunk_size=10, out=out, carry=1.0)
    assert fun._state.calls[0] == (stop + 1, 10)
    assert total == X.sum() + 1 and np.array_equal(out, np.cumsum(X) + 1)
    Path(f"{journal}.carry").write_bytes(b"")  # damaged: from the start
    assert map_chunks(fun, X, out=out, carry=1.0)[0] == X.sum() + 1
    assert fun._state.calls[-1][1] == 100


def test_bad_items_are_told_again(out: Any) -> None:
    """By the call that ends the work, of all calls."""

    def bad(x: Any) -> Any:
        if (x == 7).any():
            raise ValueError("seven")
        return x * 1.0

    for _ in range(2):
        with pytest.warns(errors.ChunkWarning, match="1 of 100 items failed.*: 6;.*seven"):
            map_chunks(bad, X, chunk_size=10, out=out, on_error="nan")
    assert np.isnan(out[6]) and np.array_equal(np.delete(out, 6), np.delete(X, 6))


def test_all_items_that_are_left_are_bad(out: Any) -> None:
    """An earlier call has seen what results are like."""

    class Bad(Halved):
        def __call__(self, x: Any) -> Any:
            found = super().__call__(x)
            if x[-1] > 40:
                raise ValueError("large")
            return found

    fun = Bad(41.0)
    fun._state.stop = 0
    with pytest.raises(errors.ChunkError):
        map_chunks(fun, X, chunk_size=10, out=out)
    journal = Path(f"{out.filename}.journal")
    journal.write_text(journal.read_text().replace('"on_error": "raise"', '"on_error": "nan"'))
    with pytest.warns(errors.ChunkWarning, match="60 of 100 items failed"):
        map_chunks(fun, X, chunk_size=10, out=out, on_error="nan")
    assert np.array_equal(out[:40], 2 * X[:40]) and np.isnan(out[40:]).all()


def test_what_could_not_be_compared_is_told(out: Any) -> None:
    """When work goes on, not when it begins."""
    fun = stopped(out)
    held = functools.partial(lambda _, x: fun(x), np.random.default_rng(0))
    map_chunks(held, X, chunk_size=50, out=out, resume=False)
    with pytest.warns(errors.ChunkWarning, match="can't be compared: an object of numpy.random"):
        map_chunks(held, X, out=out)


@pytest.mark.needs("h5py", "zarr")
def test_inputs_that_have_changed(tmp_path: Path) -> None:
    """Chunks of Zarr, and a dataset in the file that is written to, whose size and time change."""
    import h5py
    import zarr

    x = zarr.create_array(tmp_path / "x.zarr", shape=100_000, chunks=1000, dtype="f8")
    x[:] = 1.0
    with h5py.File(tmp_path / "a.h5", "w") as file:
        y, out = (file.create_dataset(name, 100_000, "f8") for name in ("y", "out"))
        y[:] = 1.0
        for source in (x, y):
            map_chunks(lambda x: x * 2, source, out=out, resume=False)
            map_chunks(lambda x: x * 2, source, out=out)
            source[501] = 5.0
            with pytest.raises(errors.ArgumentError, match="array 0 (modified|contents)"):
                map_chunks(lambda x: x * 2, source, out=out)


@pytest.mark.needs("h5py", "zarr")
def test_where_it_lies(tmp_path: Path) -> None:
    import h5py
    import zarr

    root = zarr.create_group(tmp_path / "z.zarr")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        stores = [
            file.create_dataset("g/y", 100, "f8"),
            root.create_array("y", shape=100, dtype="f8"),
            zarr.create_array(tmp_path / "only.zarr", shape=100, dtype="f8"),
        ]
        for store in stores:
            map_chunks(lambda x: x * 3, X, out=store)
            assert np.array_equal(store[...], 3 * X)
        with h5py.File("in memory", "w", driver="core", backing_store=False) as other:
            map_chunks(lambda x: x, X, out=other.create_dataset("y", 100, "f8"))
    names = {p.name for p in tmp_path.iterdir() if p.suffix == ".journal"}
    assert names == {"a.h5.g.y.journal", "z.zarr.y.journal", "only.zarr.journal"}
