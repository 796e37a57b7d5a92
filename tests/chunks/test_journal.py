"""The journal: what is done is not computed again, and nothing else is taken for it."""

import json
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
    """What changes from call to call: its fingerprint is that of its class."""

    __slots__ = ("calls", "stop")

    def __init__(self, stop: float) -> None:
        self.stop, self.calls = stop, []

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


def test_results_of_zero_tell_nothing(out: Any) -> None:
    """A new store has them, too."""
    zero = Halved(0.0, factor=0.0)
    for _ in range(2):
        map_chunks(zero, X, chunk_size=50, out=out)
    assert zero._state.calls == [(1, 50), (51, 50)] * 2


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
