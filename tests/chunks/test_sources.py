"""What is read, and how other processes open it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likewise import map_chunks
from likewise.chunks._sources import (
    Source,
    chunk_along,
    file_of,
    is_mapped,
    itemsize,
    offset,
    opened,
    sourced,
)

X = np.random.default_rng(7).normal(size=(30, 40))


@pytest.fixture
def mapped(tmp_path: Path) -> Any:
    X.tofile(tmp_path / "x.bin")
    return np.memmap(tmp_path / "x.bin", dtype=float, mode="r+", shape=X.shape)


def test_views_of_memory_maps(mapped: Any) -> None:
    """They begin elsewhere in the file."""
    for view, want in (
        (mapped, X),
        (mapped[4:20], X[4:20]),
        (mapped[4:20][3:], X[7:20]),
        (mapped.T, X.T),
        (mapped[3], X[3]),
        (mapped.reshape(40, 30), X.reshape(40, 30)),
    ):
        assert is_mapped(view)
        reference = Source(view, 0).reference()
        assert reference is not None
        found = opened(reference, 0)
        assert np.array_equal(found.array, want) and offset(view) == offset(found.array)
        assert np.array_equal(found.read(1, 5), want[1:5])
        assert type(found.read(1, 5)) is np.ndarray
    assert Source(mapped[:, ::2], 0).reference() is None
    assert not is_mapped(mapped * 1.0)  # of the class, but in memory


def test_private_changes_are_kept(tmp_path: Path, mapped: Any) -> None:
    """Those of a map that is copied on writing are in no file."""
    private = np.memmap(tmp_path / "x.bin", dtype=float, mode="c", shape=X.shape)
    private[5] = 0
    assert Source(private, 0).reference() is None
    found = map_chunks(lambda x: x * 1.0, private, chunk_size=3)
    assert np.array_equal(found, private) and (private[5] == 0).all()


def test_changes_of_a_shared_map_are_kept(tmp_path: Path, mapped: Any) -> None:
    """Pages that are given back have been written."""
    mapped[5] = 0
    found = map_chunks(lambda x: x * 1.0, mapped, chunk_size=3)
    assert (found[5] == 0).all() and (mapped[5] == 0).all()
    assert (np.fromfile(tmp_path / "x.bin").reshape(X.shape)[5] == 0).all()


def test_pages_are_given_back(tmp_path: Path) -> None:
    """A map of 64 MiB is read and written with little of it in memory."""
    n = 1 << 23
    shape = (n // 64, 64)
    x = np.memmap(tmp_path / "large.bin", dtype=float, mode="w+", shape=shape)
    x[:] = 1.0
    out = np.memmap(tmp_path / "out.bin", dtype=float, mode="w+", shape=shape)
    most: list[int] = []

    def fun(piece: Any) -> Any:
        pages = Path("/proc/self/smaps").read_text().split("\n")
        mine = [i for i, line in enumerate(pages) if line.endswith(("large.bin", "out.bin"))]
        most.append(sum(int(pages[i + 4].split()[1]) for i in mine))
        return piece + 1

    x._mmap.madvise(4)  # what this test wrote
    map_chunks(fun, x, chunk_size=4096, out=out)
    assert len(most) == 32 and max(most) < 24 << 10  # KiB, of 128 MiB
    assert (out == 2).all()


def test_sizes(tmp_path: Path) -> None:
    import array_api_strict as strict

    assert [itemsize(strict.ones(1, dtype=d)) for d in (strict.bool, strict.int16)] == [1, 2]
    assert itemsize(strict.ones(1, dtype=strict.complex64)) == 8
    assert itemsize(np.ones(1, "f2")) == 2
    assert sourced("x", X, -1).item == 240 and sourced("x", X, 0).item == 320
    assert file_of(X) is None and chunk_along(X, 0) == 1


@pytest.mark.needs("h5py", "zarr")
def test_chunks_of_stores(tmp_path: Path) -> None:
    import h5py
    import zarr

    with h5py.File(tmp_path / "a.h5", "w") as file:
        assert chunk_along(file.create_dataset("c", (30, 40), "f8", chunks=(7, 8)), -1) == 8
        assert chunk_along(file.create_dataset("w", (30, 40), "f8"), 0) == 1
    z = zarr.create_array(
        tmp_path / "z.zarr", shape=(30, 40), chunks=(3, 4), shards=(6, 8), dtype=float
    )
    assert chunk_along(z, 0) == 6  # a shard is read and written as a whole
    z[:] = X
    assert np.array_equal(map_chunks(lambda x: x, z, chunk_size=10), X)
