"""Results of all pieces are those of one call, wherever arrays lie."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import likewise
from likewise import errors, map_chunks
from likewise.optimize import curve_fit
from likewise.signal import butter, resample_poly, sosfilt

X = np.random.default_rng(31).normal(size=(6, 500))
SOS = butter(4, 0.1, output="sos")
NO_BLOCKS = pytest.mark.xp_skip({"dask": "its arrays have pieces of their own; a test says so"})
KINDS = [
    "memory",
    "memmap",
    pytest.param("h5py", marks=pytest.mark.needs("h5py")),
    pytest.param("zarr", marks=pytest.mark.needs("zarr")),
]


class Both(NamedTuple):
    """Results with a field that is None."""

    square: Any
    none: None
    positive: Any


def both(x: Any) -> Both:
    return Both(x * x, None, x > 0)


class Stores:
    """Make stores of a kind."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.files: list[Any] = []

    def __call__(self, x: Any, chunks: tuple[int, ...] | None = None) -> Any:
        path = self.folder / f"{len(self.files)}.{self.kind}"
        self.files.append(None)
        chunks = chunks or tuple(max(1, n // 4) for n in x.shape)
        if self.kind == "memory":
            return np.array(x)
        if self.kind == "memmap":
            out: Any = np.memmap(path, dtype=x.dtype, mode="w+", shape=x.shape)
        elif self.kind == "zarr":
            import zarr

            out = zarr.create_array(path, shape=x.shape, chunks=chunks, dtype=x.dtype)
        else:
            import h5py

            self.files[-1] = h5py.File(path, "w")
            out = self.files[-1].create_dataset("group/x", x.shape, x.dtype, chunks=chunks)
        out[...] = x
        return out


@pytest.fixture(params=KINDS)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(request.param, tmp_path)
    yield stores
    for file in filter(None, stores.files):
        file.close()


# -- results ---------------------------------------------------------------------------------------


@NO_BLOCKS
@pytest.mark.parametrize("size", [1, 7, 100, "auto"])
def test_results_are_those_of_one_call(xp: Any, size: Any) -> None:
    x = xp.asarray(X)
    found = map_chunks(both, x, axis=-1, chunk_size=size)
    assert type(found) is Both and found.none is None
    for a, b in zip(found, both(x), strict=True):
        assert a is None or (type(a) is type(b) and a.dtype == b.dtype)
        assert a is None or np.array_equal(likewise.to_numpy(a), likewise.to_numpy(b))


@pytest.mark.parametrize("size", [1, 33, 125, 499, 500, 1000, "auto"])
def test_stores_are_read_in_pieces(stored: Stores, size: Any) -> None:
    lengths = []

    def square(x: Any) -> Any:
        assert type(x) is np.ndarray
        lengths.append(x.shape[1])
        return x * x

    assert np.array_equal(map_chunks(square, stored(X), axis=1, chunk_size=size), X * X)
    assert sum(lengths) == 500
    assert max(lengths) <= (500 if size == "auto" else size)
    if stored.kind in ("h5py", "zarr") and size in (125, 499):
        assert lengths == [125] * 4 or lengths == [375, 125]


def test_several_arrays(stored: Stores) -> None:
    y = X[0] * 2
    found = map_chunks(lambda a, b: {"sum": a + b[:, None]}, stored(X.T.copy()), y, chunk_size=60)
    assert np.array_equal(found["sum"], X.T + y[:, None])


def test_a_state_is_carried(stored: Stores) -> None:
    """The filter and its sum are those of the whole."""

    def step(carry: Any, x: Any) -> Any:
        zi, total = carry
        y, zf = sosfilt(SOS, x, zi=zi)
        return (zf, total + x.sum(axis=1)), y

    start = np.zeros((2, 6, 2)), np.zeros(6)
    (zf, total), y = map_chunks(step, stored(X), axis=-1, carry=start, chunk_size=70)
    want, state = sosfilt(SOS, X, zi=start[0])
    np.testing.assert_allclose(y, want, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(zf, state, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(total, X.sum(axis=1), rtol=1e-12, atol=1e-13)


def test_sums_alone() -> None:
    def moments(c: Any, x: Any) -> Any:
        return (c[0] + x.sum(), c[1] + (x * x).sum()), None

    (first, second), nothing = map_chunks(moments, X[0], carry=(0.0, 0.0), chunk_size=9)
    assert nothing is None
    np.testing.assert_allclose([first, second], [X[0].sum(), (X[0] ** 2).sum()], rtol=1e-12)


def smooth(x: Any) -> Any:
    return np.stack([np.convolve(row, np.arange(1.0, 8.0), "same") for row in x])


@pytest.mark.parametrize("overlap", [3, 5, (3, 4)])
def test_margins(stored: Stores, overlap: Any) -> None:
    found = map_chunks(smooth, stored(X), axis=1, chunk_size=20, overlap=overlap)
    np.testing.assert_allclose(found, smooth(X), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("ratio", "take"),
    [
        (Fraction(1, 10), lambda x: x[:, ::10]),
        (0.1, lambda x: x[:, ::10]),
        ((1, 7), lambda x: x[:, ::7]),
        (3, lambda x: np.repeat(x, 3, axis=1)),
    ],
)
def test_results_of_other_lengths(ratio: Any, take: Any) -> None:
    found = map_chunks(take, X, axis=1, chunk_size=43, length_ratio=ratio)
    assert np.array_equal(found, take(X))


def test_resampling_with_margins() -> None:
    """The margins have a whole number of results."""
    to = functools.partial(resample_poly, up=3, down=2, axis=1, window=np.ones(7))
    found = map_chunks(to, X, axis=1, chunk_size=50, length_ratio=1.5, overlap=7)
    np.testing.assert_allclose(found, to(X), rtol=1e-12, atol=1e-13)


def test_fits() -> None:
    """A dataclass of results, with statuses and messages."""
    t = np.linspace(0.0, 1.0, 20)
    y = 2 * t + 1 + 0.1 * X.reshape(150, 20)

    def fit(y: Any) -> Any:
        return curve_fit(lambda t, a, b: a * t + b, t, y, p0=np.ones(2), full_output=True)

    found, want = map_chunks(fit, y, chunk_size=40), fit(y)
    assert type(found) is type(want) and found.message == want.message
    np.testing.assert_allclose(found.popt, want.popt, rtol=1e-12)
    assert np.array_equal(found.status, want.status)


def test_nothing() -> None:
    assert map_chunks(lambda x: x * 2, X[:, :0], axis=1).shape == (6, 0)
    carry, found = map_chunks(lambda c, x: (c + 1, x), X[:, :0], axis=1, carry=5)
    assert carry == 5 and found.shape == (6, 0)
    out = np.empty((6, 0))
    assert map_chunks(lambda x: x * 2, X[:, :0], axis=1, out=out) is out


def test_progress() -> None:
    told: list[Any] = []
    map_chunks(lambda x: x, X[0], chunk_size=200, progress=lambda *a: told.append(a))
    assert told == [(200, 500, "items"), (400, 500, "items"), (500, 500, "items")]
    assert map_chunks(lambda x: x, X[0], progress=True).shape == (500,)


# -- stores that are written -----------------------------------------------------------------------


def test_results_are_written(stored: Stores) -> None:
    x, out, other = stored(X), stored(np.zeros((6, 500), "f4")), stored(np.zeros((6, 500), "?"))

    def square(x: Any) -> Any:
        return (x * x).astype("f4"), x > 0

    found = map_chunks(square, x, axis=1, chunk_size=70, out=(out, other))
    assert found[0] is out and found[1] is other
    assert np.array_equal(out[...], (X * X).astype("f4")) and np.array_equal(other[...], X > 0)


@NO_BLOCKS
def test_results_of_any_library_are_written(xp: Any) -> None:
    out = np.zeros((6, 500))
    map_chunks(lambda x: x * 2, xp.asarray(X), axis=1, chunk_size=170, out=out)
    assert np.array_equal(out, likewise.to_numpy(xp.asarray(X) * 2))


@pytest.mark.parametrize(
    ("out", "text"),
    [
        (np.zeros((6, 499)), "out has shape (6, 499); along axis=1 there are 500 results"),
        (np.zeros((5, 500)), "out has shape (5, 500), but the results of all pieces have shape (6"),
        (np.zeros((6, 500), int), "results of float64 can't be written to out of int64 without"),
        ((np.zeros((6, 500)),) * 2, "the function returns 1 arrays, but out has 2"),
        ("here.npy", "out must be an array, a memory map, or a dataset of h5py or Zarr, got 'here"),
        (np.zeros((6, 500), "f4"), "can't be written to out of float32 without loss; give a store"),
        (X, "out is an input, too"),
        (X[:], "out is an input, too, or shares its memory"),
        (X[::-1], "out is an input, too, or shares its memory"),
        (np.broadcast_to(0.0, X.shape), "out can't be written to: it is read-only"),
        (np.zeros((6, 500), [("a", "f8")]), "it must hold numbers or booleans, got dtype [('a'"),
        (np.zeros((6, 500), "M8[s]"), "it must hold numbers or booleans, got dtype datetime64[s]"),
    ],
)
def test_what_cannot_be_written(out: Any, text: str) -> None:
    calls = []
    with pytest.raises(errors.LikewiseError, match=re.escape(text)):
        map_chunks(lambda x: calls.append(0) or x * 1.0, X, axis=1, chunk_size=50, out=out)
    assert len(calls) <= 1  # the first piece tells what results there are


class Reusing:
    """Return the same memory each time; with a state the results change later, too."""

    def __init__(self) -> None:
        self.buffer, self.total = np.empty((6, 500)), np.zeros(1)

    def __call__(self, x: Any) -> Any:
        found = self.buffer[:, : x.shape[1]]
        np.multiply(x, 2, out=found)
        return found

    def halved(self, x: Any) -> Any:
        if x.shape[1] > 40:
            raise MemoryError
        return self(x)

    def summed(self, total: Any, x: Any) -> Any:
        total += x.sum()
        if x.shape[1] > 40:
            raise MemoryError
        return total, self(x)

    def remembered(self, total: Any, x: Any) -> Any:
        self.total += x.sum()
        return self.total, self(x)


def test_memory_that_is_returned_each_time(stored: Stores) -> None:
    """A result is written while the function computes the next one."""
    x = np.random.default_rng(2).normal(size=(6, 500))
    for fun in (Reusing(), Reusing().halved):
        out = stored(np.zeros((6, 500)))
        if hasattr(out, "flush"):  # wait for the disk, so that the next piece is first
            flush = out.flush
            out.flush = lambda flush=flush: (time.sleep(0.01), flush())
        map_chunks(fun, stored(x), axis=1, chunk_size=50, out=out)
        assert np.array_equal(out[...], 2 * x)
        assert np.array_equal(map_chunks(fun, x, axis=1, chunk_size=50), 2 * x)
        assert np.array_equal(map_chunks(fun, x, axis=1, chunk_size=500), 2 * x)


def test_memory_that_a_thread_returns_each_time() -> None:
    local = threading.local()

    def fun(x: Any) -> Any:
        local.fun = getattr(local, "fun", None) or Reusing()
        return local.fun(x)

    with ThreadPoolExecutor(2) as pool:
        for out in (None, np.zeros((6, 500))):
            found = map_chunks(fun, X, axis=1, chunk_size=10, workers=pool, out=out)
            assert np.array_equal(found, 2 * X)


@pytest.mark.parametrize("method", ["summed", "remembered"])
def test_a_state_that_is_changed_in_place(tmp_path: Path, method: str) -> None:
    """The caller's stays as it is, and so does the one that a second call goes on from."""
    out = np.memmap(tmp_path / "y.bin", dtype=float, mode="w+", shape=(6, 500))
    start, fun = np.zeros(1), getattr(Reusing(), method)
    total, _ = map_chunks(fun, X, axis=1, chunk_size=50, carry=start, out=out)
    assert np.allclose(total, X.sum()) and start[0] == 0 and np.array_equal(out, 2 * X)

    def stop(done: int, total: int, text: str) -> None:
        if done >= 250:
            raise ValueError("stop")

    def adding(total: Any, x: Any) -> Any:
        total["sum"][0] += x.sum()
        return total, x + total["sum"][0]

    options: dict[str, Any] = {"axis": 1, "chunk_size": 50, "resume": True}
    carry = {"sum": [0.0]}
    out = np.memmap(tmp_path / "z.bin", dtype=float, mode="w+", shape=(6, 500))
    with pytest.raises(ValueError, match="stop"):
        map_chunks(adding, X, carry=carry, out=out, progress=stop, **options)
    total, _ = map_chunks(adding, X, carry=carry, out=out, **options)
    assert carry == {"sum": [0.0]} and np.allclose(total["sum"][0], X.sum())
    assert np.array_equal(out, map_chunks(adding, X, carry=carry, **options)[1])


def test_a_state_that_cannot_be_copied() -> None:
    with pytest.raises(errors.ChunkError, match="a state must be of what can be copied"):
        map_chunks(lambda c, x: (c, x), X, carry=threading.Lock())


@pytest.mark.parametrize(
    ("of", "to", "fits"),
    [
        ("i8", "i1", False),
        ("f8", "f2", False),
        ("i8", "f4", False),
        ("u4", "i4", False),
        ("c16", "f8", False),
        ("f8", "c8", False),
        ("?", "i1", True),
        ("u4", "i8", True),
        ("i4", "f8", True),
        ("f4", ">f8", True),
        ("f4", "c8", True),
    ],
)
def test_dtypes_that_hold_all_values(of: str, to: str, fits: bool) -> None:
    out, x = np.zeros(9, to), np.arange(9).astype(of)
    if fits:
        assert np.array_equal(map_chunks(np.copy, x, chunk_size=4, out=out), x)
        return
    with pytest.raises(errors.DtypeError, match="without loss; give a store of"):
        map_chunks(np.copy, x, chunk_size=4, out=out)


def test_parts_of_one_array_and_of_one_file(tmp_path: Path) -> None:
    """Those that have no place in common are an input and a result."""
    x = np.concatenate([X, X], axis=1)
    map_chunks(np.square, x[:, ::2], out=x[:, 1::2])
    assert np.array_equal(x[:, 1::2], x[:, ::2] ** 2)
    x.tofile(tmp_path / "x.bin")
    one, two = (np.memmap(tmp_path / "x.bin", float, "r+", shape=x.shape) for _ in range(2))
    map_chunks(np.square, one[:3], out=two[3:])
    assert np.array_equal(one[3:], x[:3] ** 2)
    for a, b in (
        (one, two),
        (one[::-1][:3], two[3:]),
        (one[:3, ::2], two[2:5, ::2]),
        (one[2::-1], two[:3]),
        (one[:3], one[2:5]),
    ):
        with pytest.raises(errors.ArgumentError, match="or shares its memory"):
            map_chunks(np.square, a, out=b)
    only = np.memmap(tmp_path / "x.bin", float, "c", shape=x.shape)
    with pytest.raises(errors.ArgumentError, match="map of mode 'c' is in no file"):
        map_chunks(np.square, x, out=only)


@pytest.mark.needs("h5py", "zarr")
def test_one_store_by_two_names(tmp_path: Path) -> None:
    import h5py
    import zarr

    group = zarr.open_group(tmp_path / "g.zarr", mode="w")
    x = group.create_array("x", shape=(20,), chunks=(5,), dtype="f8")
    y = group.create_array("y", shape=(20,), chunks=(5,), dtype="f8")
    kept = zarr.create_group(store={}).create_array("x", shape=(20,), chunks=(5,), dtype="f8")
    again = zarr.open_array(tmp_path / "g.zarr" / "x", mode="r+")
    for a, b in ((x, again), (x, group["x"]), (kept, kept)):
        with pytest.raises(errors.ArgumentError, match="or shares its memory"):
            map_chunks(np.square, a, out=b)
    map_chunks(np.cos, x, out=y)
    assert (y[:] == 1).all()
    with pytest.raises(errors.ArgumentError, match="it is read-only"):
        map_chunks(np.cos, y, out=zarr.open_array(tmp_path / "g.zarr" / "x", mode="r"))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = np.zeros(20)
        with pytest.raises(errors.ArgumentError, match="or shares its memory"):
            map_chunks(np.square, file["x"], out=file["/x"])
    with h5py.File(tmp_path / "x.h5", "r") as file:
        with pytest.raises(errors.ArgumentError, match="its file is open for reading"):
            map_chunks(np.cos, x, out=file["x"])


def test_pieces_are_read_only(stored: Stores) -> None:
    """A function can change neither the arrays nor what its halves are given."""
    x = stored(X)

    def fun(x: Any) -> Any:
        x += 100
        return x

    with pytest.raises(errors.ChunkError, match="read-only"):
        map_chunks(fun, x, axis=1, chunk_size=50)
    with pytest.raises(errors.ChunkError, match="read-only"):
        map_chunks(fun, x, axis=1, on_error="nan")
    assert np.array_equal(x[...], X)
    found = map_chunks(lambda x: x, x, axis=1)
    found += 1  # it is the caller's
    assert np.array_equal(x[...], X) and np.array_equal(found, X + 1)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "options", "kind", "text"),
    [
        ((X,), {"axis": 2}, errors.ArgumentError, "axis=2 is out of range for the array of shape"),
        ((X,), {"axis": 0.5}, errors.ArgumentError, "axis must be an integer, got 0.5"),
        ((), {}, errors.ArgumentError, "there is no array"),
        ((X, X.T), {}, errors.ShapeError, "array 0 has 6 items along the axis, array 1 has 500"),
        (([1.0],), {}, errors.ArrayTypeError, "must be an array, a memory map, or a dataset"),
        ((X,), {"chunk_size": 0}, errors.ArgumentError, "chunk_size must be 'auto' or an integer"),
        ((X,), {"chunk_size": "big"}, errors.ArgumentError, "chunk_size must be 'auto' or"),
        ((X,), {"workers": 0}, errors.ArgumentError, "workers must be an executor of"),
        ((X,), {"workers": True}, errors.ArgumentError, "workers must be an executor of"),
        ((X,), {"client": 3}, errors.ArrayTypeError, "client must be a distributed.Client"),
        ((X,), {"workers": 1, "client": 3}, errors.ArgumentError, "workers= or client=, not both"),
        ((X,), {"on_error": "skip"}, errors.ArgumentError, "on_error must be 'raise' or 'nan'"),
        ((X,), {"carry": 0, "on_error": "nan"}, errors.ArgumentError, "on_error='nan' doesn't go"),
        ((X,), {"carry": 0, "workers": 2}, errors.ArgumentError, "workers= doesn't go with it"),
        ((X,), {"carry": 0, "overlap": 2}, errors.ArgumentError, "overlap= doesn't go with it"),
        ((X,), {"overlap": -1}, errors.ArgumentError, "overlap must be an integer of at least 0"),
        ((X,), {"length_ratio": 0}, errors.ArgumentError, "length_ratio must be a positive"),
        ((X,), {"progress": "yes"}, errors.ArgumentError, "progress must be True, False"),
        ((np.array([None, 1]),), {}, TypeError, "object"),
        ((np.array(["a"]),), {}, TypeError, "a"),
    ],
)
def test_bad_input_is_refused_before_any_work(
    args: Any, options: Any, kind: Any, text: str
) -> None:
    calls: list[Any] = []
    with pytest.raises(kind, match=re.escape(text)):
        map_chunks(lambda *x: calls.append(x), *args, **options)
    assert calls == []
    with pytest.raises(errors.ArgumentError, match="fun must be callable"):
        map_chunks(3, X)


@pytest.mark.needs("dask")
def test_dask_arrays_have_pieces_of_their_own() -> None:
    import dask.array

    with pytest.raises(errors.NotSupported, match="dask.array.map_blocks"):
        map_chunks(lambda x: x, dask.array.ones(5))


@pytest.mark.needs("jax")
def test_arrays_without_values_are_refused() -> None:
    import jax

    with pytest.raises(errors.NotSupported, match="has no values here"):
        jax.jit(lambda x: map_chunks(lambda x: x, x))(np.ones(5))


@pytest.mark.needs("torch")
def test_two_libraries_are_refused() -> None:
    import torch

    with pytest.raises(errors.MixedLibrariesError, match=r"likewise.asarray\(x, like=y\)"):
        map_chunks(lambda x, y: x, X, torch.ones(6))


@pytest.mark.needs("h5py")
def test_stores_of_objects_are_refused(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "a.h5", "w") as file:
        words = file.create_dataset("words", data=["a", "b"])
        pairs = file.create_dataset("pairs", shape=3, dtype=[("a", "f8"), ("b", "i4")])
        for x in (words, pairs):
            with pytest.raises(errors.DtypeError, match="must hold numbers"):
                map_chunks(lambda x: x, x)
        with pytest.raises(errors.ArgumentError, match="axis=0 is out of range"):
            map_chunks(lambda x: x, file.create_dataset("one", data=1.0))


@pytest.mark.parametrize("of", ["h5py", "zarr"])
@pytest.mark.needs("h5py", "zarr")
def test_bare_stores_are_refused_with_the_way(tmp_path: Path, of: str) -> None:
    """Any function says what to write instead."""
    store = Stores(of, tmp_path)
    x = store(X)
    for call in (
        lambda: likewise.signal.welch(x),
        lambda: sosfilt(SOS, x),
        lambda: curve_fit(lambda t, a: a * t, np.arange(500.0), x, p0=[1.0]),
        lambda: likewise.missing.nanmean(x),
        lambda: likewise.fft.rfft(x),
    ):
        with pytest.raises(errors.ArrayTypeError, match=r"x\[\.\.\.\].*likewise\.map_chunks\(fun"):
            call()
    for file in filter(None, store.files):
        file.close()


def raising(x: Any) -> Any:
    if (x[0] > 2.5).any():
        raise ValueError("too large")
    return x * 1.0


def test_a_piece_that_raises_is_named() -> None:
    first = int(np.argmax(X[0] > 2.5)) // 50
    text = f"piece {first}, items {50 * first} to {50 * first + 50}: ValueError: too large"
    with pytest.raises(errors.ChunkError, match=text) as told:
        map_chunks(raising, X, axis=1, chunk_size=50)
    assert (told.value.index, told.value.start) == (first, 50 * first)
    assert isinstance(told.value.__cause__, ValueError)


def test_bad_items_are_nan() -> None:
    """Exactly those, and the others are computed once or in halves."""
    bad = X[0] > 2.0

    def some(x: Any) -> Any:
        return raising(x / 2.0 * 2.5), (x > 0).astype(int), x > 0

    with pytest.warns(errors.ChunkWarning, match=f"{bad.sum()} of 500 items failed.*too large"):
        found, sign, _ = map_chunks(some, X, axis=1, chunk_size=50, on_error="nan")
    assert np.array_equal(np.isnan(found).any(axis=0), bad) and np.isnan(found[:, bad]).all()
    np.testing.assert_allclose(found[:, ~bad], 1.25 * X[:, ~bad])
    assert (sign[:, bad] == -1).all() and (sign[:, ~bad] >= 0).all()


def test_bad_items_before_any_good_one() -> None:
    def odd(x: Any) -> Any:
        if (x < 7).any():
            raise ValueError("small")
        return x

    with pytest.warns(errors.ChunkWarning, match="7 of 20 items failed.*0, 1, 2, 3, 4, 5, 6;"):
        found = map_chunks(odd, np.arange(20.0), chunk_size=3, on_error="nan")
    assert np.isnan(found[:7]).all() and np.array_equal(found[7:], np.arange(7.0, 20.0))


def test_all_items_bad() -> None:
    def never(x: Any) -> Any:
        raise ValueError("never")

    with pytest.raises(errors.ChunkError, match="all 3 items failed.*ValueError: never"):
        map_chunks(never, np.ones(3), on_error="nan")


@pytest.mark.parametrize(
    ("fun", "text"),
    [
        (lambda x: x.sum(), "a piece of 100 items gave a result of shape.*length_ratio=.*carry="),
        (lambda x: x[::2], r"gave a result of shape \(50,\): 100 were expected"),
        (lambda x: 1.5, "each result must be an array, got 1.5 of type float"),
        (lambda x: None, "returned no array"),
        (lambda x: [float(n) for n in x], "a list of numbers; a list is a tree"),
        (list, "a list of numbers; a list is a tree"),
        (
            lambda x: np.array(["a"] * len(x)),
            "must hold numbers or booleans, got numpy array of <U",
        ),
        (lambda x: np.array([None] * len(x)), "must hold numbers or booleans"),
        (lambda x: np.zeros(len(x), [("a", "f8")]), "must hold numbers or booleans"),
        (lambda x: np.ma.masked_less(x, 3), "must be a standard array"),
    ],
)
def test_wrong_results(fun: Any, text: str) -> None:
    with pytest.raises(errors.ChunkError, match=text) as told:
        map_chunks(fun, np.arange(300.0), chunk_size=100, on_error="nan")
    assert told.value.index == 0
    with pytest.raises(errors.ChunkError, match="must return a tuple"):
        map_chunks(lambda c, x: x, np.arange(300.0), chunk_size=100, carry=0)


@pytest.mark.parametrize(
    "other", [lambda x: x.astype("f4"), lambda x: (x,), lambda x: np.stack([x, x], axis=1)]
)
def test_results_that_change(other: Any) -> None:
    """Before more work begins."""
    begun = []

    def fun(x: Any) -> Any:
        begun.append(x[0])
        return x if x[0] < 100 else other(x)

    with pytest.raises(errors.ChunkError, match="piece 1, items 100 to 200, gave"):
        map_chunks(fun, np.arange(500.0), chunk_size=100)
    assert begun == [0, 100]


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 13, 99])
def test_memory_that_ends_halves_the_piece(most: int) -> None:
    sizes: list[int] = []

    def greedy(x: Any) -> Any:
        sizes.append(x.size)
        if x.size > most:
            raise MemoryError
        return x * 2

    assert np.array_equal(map_chunks(greedy, X[0], chunk_size=100), X[0] * 2)
    done = [n for n in sizes if n <= most]
    assert sum(done) == 500 and len(sizes) - len(done) <= 8  # what fits is known after once


def test_memory_that_ends_for_one_item() -> None:
    def greedy(x: Any) -> Any:
        raise MemoryError("no more")

    for on_error in ("raise", "nan"):
        with pytest.raises(errors.ChunkError, match="piece 0.*MemoryError: no more"):
            map_chunks(greedy, X[0], chunk_size=100, on_error=on_error)


def test_memory_that_ends_with_a_state_and_a_ratio() -> None:
    def greedy(total: Any, x: Any) -> Any:
        if x.size > 40:
            raise MemoryError
        return total + x.sum(), np.cumsum(x)[::3] + total

    x = np.arange(200.0)
    total, found = map_chunks(greedy, x, carry=0.0, chunk_size=150, length_ratio=(1, 3))
    assert total == x.sum() and np.array_equal(found, np.cumsum(x)[::3])


# -- Ctrl-C ----------------------------------------------------------------------------------------


def interrupted(folder: Path, code: str, group: bool = False) -> tuple[str, str, int]:
    """Run a program, and interrupt it when it says so on standard output."""
    program = "import sys, time, os\nimport numpy as np\nfrom likewise import map_chunks\n"
    file = folder / "program.py"
    file.write_text(program + textwrap.dedent(code))
    run = subprocess.Popen(
        [sys.executable, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=group,
    )
    assert run.stdout is not None
    told = ""
    while line := run.stdout.readline():
        told += line
        if line == "now\n":
            (os.killpg if group else os.kill)(run.pid, signal.SIGINT)  # as a terminal does, to all
    _, error = run.communicate()
    return told, error, run.returncode


def test_interrupted_work_is_drained(tmp_path: Path) -> None:
    """The piece that runs is written; a second call computes the others, once each."""
    x = np.arange(100.0)
    x.tofile(tmp_path / "x.bin")
    np.zeros(100).tofile(tmp_path / "y.bin")
    code = """
        def fun(x):
            print(int(x[0]), flush=True)
            if x[0] == 30 and not os.path.exists("again"):
                print("now", flush=True)
                time.sleep(0.5)
            return x * 2
        x = np.memmap("x.bin", dtype=float, mode="r")
        y = np.memmap("y.bin", dtype=float, mode="r+")
        map_chunks(fun, x, chunk_size=10, out=y)
    """
    told, error, _ = interrupted(tmp_path, code)
    assert "KeyboardInterrupt: map_chunks: 60 of 100 items are left; a second call" in error
    assert told.split() == ["0", "10", "20", "30", "now"]
    found = np.fromfile(tmp_path / "y.bin")
    assert np.array_equal(found, np.where(x < 40, 2 * x, 0))
    (tmp_path / "again").touch()
    told, error, code_ = interrupted(tmp_path, code)
    assert code_ == 0, error
    assert told.split() == ["40", "50", "60", "70", "80", "90"]
    assert np.array_equal(np.fromfile(tmp_path / "y.bin"), 2 * x)
    assert interrupted(tmp_path, code)[0] == ""  # all is done


def test_a_second_interruption_ends_at_once(tmp_path: Path) -> None:
    code = """
        import signal
        def fun(x):
            for _ in range(2):
                print("now", flush=True)
                time.sleep(0.5)
            print("ended", flush=True)
            return x
        map_chunks(fun, np.arange(10.0), chunk_size=5)
    """
    told, error, _ = interrupted(tmp_path, code)
    assert told.split() == ["now", "now"] and "KeyboardInterrupt" in error


# -- what ends in the middle ------------------------------------------------------------------------


def journaled(path: Path, length: int) -> tuple[int, int]:
    """Return items that are missing in a journal, and items that are there twice."""
    counts = np.zeros(length, int)
    for line in path.read_text().splitlines()[1:]:
        start, stop = json.loads(line)["items"]
        counts[start:stop] += 1
    return int((counts == 0).sum()), int((counts > 1).sum())


@pytest.mark.full
@pytest.mark.needs("zarr")
def test_a_full_disk(tmp_path: Path) -> None:
    """The error names the piece; where there is place again, the others are written.

    A limit on files stands for the disk: chunks of random numbers are larger.
    """
    import zarr

    x = np.concatenate([np.ones(20_000), np.random.default_rng(0).normal(size=20_000)])
    x.tofile(tmp_path / "x.bin")
    out = zarr.create_array(tmp_path / "y.zarr", shape=40_000, chunks=1000, dtype="f8")
    code = """
        import zarr, resource
        def fun(x):
            return x + 1
        if not os.path.exists("place"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (7000, resource.RLIM_INFINITY))
        x = np.memmap("x.bin", dtype=float, mode="r")
        map_chunks(fun, x, chunk_size=1000, out=zarr.open_array("y.zarr", mode="r+"))
    """
    _, error, _ = interrupted(tmp_path, code)
    text = "map_chunks: the results of piece 20, items 20000 to 21000, could not be written: "
    assert text in error and "what was written before stands" in error
    assert journaled(tmp_path / "y.zarr.journal", 40_000) == (20_000, 0)
    (tmp_path / "place").touch()
    _, error, status = interrupted(tmp_path, code)
    assert status == 0, error
    assert journaled(tmp_path / "y.zarr.journal", 40_000) == (0, 0)
    assert np.array_equal(out[:], x + 1)


@pytest.mark.full
def test_memory_that_is_limited(tmp_path: Path) -> None:
    """The allocations themselves fail, and pieces are halved until they don't."""
    code = """
        import resource
        x = np.arange(4000.0)
        most = int(open("/proc/self/statm").read().split()[0]) * 4096 + (512 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
        sizes = []
        def fun(x):
            large = np.empty((len(x), 1 << 20), "u1")  # a MiB for each item
            sizes.append(len(x))
            return x * 2
        assert np.array_equal(map_chunks(fun, x, chunk_size=2000), 2 * x)
        assert sum(sizes) == 4000 and max(sizes) < 512
    """
    _, error, status = interrupted(tmp_path, code)
    assert status == 0, error


@pytest.mark.full
@pytest.mark.needs("cloudpickle")
def test_interrupted_processes_are_drained(tmp_path: Path) -> None:
    """Ctrl-C reaches them, too; they end their pieces, and nothing is lost or done twice."""
    np.arange(400.0).tofile(tmp_path / "x.bin")
    np.zeros(400).tofile(tmp_path / "y.bin")
    code = """
        def fun(x):
            time.sleep(0.1)
            if x[0] == 50 and not os.path.exists("again"):
                print("now", flush=True)
            return x * 2 + 1
        if __name__ == "__main__":
            x = np.memmap("x.bin", dtype=float, mode="r")
            y = np.memmap("y.bin", dtype=float, mode="r+")
            map_chunks(fun, x, chunk_size=10, workers=2, out=y)
    """
    _, error, _ = interrupted(tmp_path, code, group=True)
    assert "KeyboardInterrupt: map_chunks: " in error
    lost, twice = journaled(tmp_path / "y.bin.journal", 400)
    assert 0 < lost < 400 and twice == 0
    (tmp_path / "again").touch()
    _, error, status = interrupted(tmp_path, code, group=True)
    assert status == 0, error
    assert journaled(tmp_path / "y.bin.journal", 400) == (0, 0)
    assert np.array_equal(np.fromfile(tmp_path / "y.bin"), 2 * np.arange(400.0) + 1)


# -- by chance --------------------------------------------------------------------------------------


def window(x: Any, before: int, after: int, up: int, down: int, axis: int) -> Any:
    """Sum neighbours, zeros beyond the ends, and take or repeat items."""
    x = np.moveaxis(np.asarray(x, dtype=float), axis, 0)
    n = x.shape[0]
    padded = np.concatenate([np.zeros((before, *x.shape[1:])), x, np.zeros((after, *x.shape[1:]))])
    found = sum((i + 1.0) * padded[i : i + n] for i in range(before + after + 1))
    return np.moveaxis(np.repeat(found, up, axis=0)[::down], 0, axis)


def counting(fun: Any, axis: int, count: int, x: Any) -> Any:
    return count + x.shape[axis], fun(x)


@pytest.mark.full
@pytest.mark.needs("h5py", "zarr")
@pytest.mark.parametrize("seed", range(40))
def test_by_chance(tmp_path: Path, seed: int) -> None:
    """Any shape, axis, size, margins, ratio and store give what one call gives."""
    rng = np.random.default_rng([31, seed])
    for case in range(25):
        shape = tuple(int(n) for n in rng.integers(1, 40, size=rng.integers(1, 4)))
        axis = int(rng.integers(-len(shape), len(shape)))
        before, after = (int(n) for n in rng.integers(0, 6, size=2))
        up, down = ((1, 1), (1, int(rng.integers(2, 5))), (int(rng.integers(2, 4)), 1))[
            rng.integers(3)
        ]
        x = rng.integers(-9, 9, size=shape).astype(rng.choice(["f8", "f4", "i2"]))
        folder = tmp_path / str(case)
        folder.mkdir()
        kinds = ["memory", "memmap", "h5py", "zarr"]
        stores = [Stores(str(rng.choice(kinds)), folder) for _ in range(2)]
        chunks = [tuple(int(rng.integers(1, n + 1)) for n in shape) for _ in range(2)]
        fun = functools.partial(window, before=before, after=after, up=up, down=down, axis=axis)
        want = fun(x)
        out = None
        if rng.random() < 0.5:
            stores[1].files.append(None)  # another name
            out = stores[1](np.zeros(want.shape), tuple(max(1, n // 2) for n in want.shape))
        size: Any = "auto" if rng.random() < 0.2 else int(rng.integers(1, 50))
        carried = rng.random() < 0.2 and not before and not after
        options: dict[str, Any] = {"axis": axis, "chunk_size": size, "out": out}
        options["length_ratio"] = Fraction(up, down)
        source = stores[0](x, chunks[0])
        if carried:
            counted = functools.partial(counting, fun, axis)
            total, found = map_chunks(counted, source, carry=0, **options)
            assert total == shape[axis]
        else:
            found = map_chunks(fun, source, overlap=(before, after), **options)
        assert (out is None or found is out) and np.array_equal(found[...], want)
        for file in filter(None, [f for s in stores for f in s.files]):
            file.close()
