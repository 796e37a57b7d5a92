"""Correlate each pixel in time, on a cluster: ``python frames.py FOLDER FRAMES PIXELS``."""

import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from distributed import Client, LocalCluster
from numpy.lib.format import open_memmap

from likewise import map_chunks
from likewise.signal import multitau

CHANNELS, LEVELS = 16, 5


def taken(path: Path, frames: int, side: int) -> None:
    """Stand in for a detector's file: photon counts whose rate forgets itself in some frames."""
    rng = np.random.default_rng(3)
    rate = rng.exponential(size=(side, side))
    with h5py.File(path, "w") as file:
        shape, chunks = (frames, side, side), (64, min(side, 8), side)
        x = file.create_dataset("frames", shape, "u2", chunks=chunks, maxshape=(None, side, side))
        for i in range(0, frames, 64):
            some = np.empty((min(64, frames - i), side, side), dtype="u2")
            for frame in some:
                rate = 0.9 * rate + 0.1 * rng.exponential(size=rate.shape)
                frame[:] = rng.poisson(2.0 * rate)
            x[i : i + len(some)] = some


def correlated(x: Any) -> Any:
    """Return g2, (delays, rows, columns), of frames (n, rows, columns)."""
    return multitau(x.astype("f4"), channels=CHANNELS, levels=LEVELS)[1]


def main(folder: Path, frames: int, side: int) -> tuple[Any, Any]:
    """Return delays, in frames, and g2 of each pixel."""
    path = folder / "frames.h5"
    if not path.exists():
        taken(path, frames, side)
    file = h5py.File(path, "r")
    x = file["frames"]
    delays, _ = multitau(np.ones(len(x), dtype="f4"), channels=CHANNELS, levels=LEVELS)
    name, shape = folder / "g2.npy", (len(delays), *x.shape[1:])
    g2 = open_memmap(name, "r+" if name.exists() else "w+", "f4", shape)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="400MiB", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        rows = max(1, (1 << 22) // (len(x) * x.shape[2]))  # 16 MiB of float32
        map_chunks(correlated, x, axis=1, chunk_size=rows, client=client, out=g2)
    file.close()
    return delays, g2


if __name__ == "__main__":
    lags, found = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    for lag, value in zip(lags, found.mean(axis=(1, 2)), strict=True):
        print(lag, round(float(value), 4))
