"""Correlate each pixel in time, on a cluster: ``python frames.py FOLDER FRAMES PIXELS``."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from numpy.lib.format import open_memmap

from likewise import map_chunks
from likewise.signal import multitau

CHANNELS, LEVELS = 16, 5


def taken(path: Path, frames: int, side: int) -> Any:
    """Stand in for a detector's file: photon counts whose rate forgets itself in some frames."""
    x = open_memmap(path, "w+", "u2", (frames, side, side))
    rng = np.random.default_rng(3)
    rate = rng.exponential(size=(side, side))
    for i in range(frames):
        rate = 0.9 * rate + 0.1 * rng.exponential(size=rate.shape)
        x[i] = rng.poisson(2.0 * rate)
    x.flush()
    return x


def correlated(x: Any) -> Any:
    """Return g2, (delays, rows, columns), of frames (n, rows, columns)."""
    return multitau(x.astype("f4"), channels=CHANNELS, levels=LEVELS)[1]


def main(folder: Path, frames: int, side: int) -> tuple[Any, Any]:
    """Return delays, in frames, and g2 of each pixel."""
    path = folder / "frames.npy"
    x = np.load(path, mmap_mode="r") if path.exists() else taken(path, frames, side)
    delays, _ = multitau(np.ones(len(x), dtype="f4"), channels=CHANNELS, levels=LEVELS)
    name, shape = folder / "g2.npy", (len(delays), *x.shape[1:])
    g2 = open_memmap(name, "r+" if name.exists() else "w+", "f4", shape)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="400MiB", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        map_chunks(correlated, x, axis=1, client=client, out=g2)
    return delays, g2


if __name__ == "__main__":
    lags, found = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    for lag, value in zip(lags, found.mean(axis=(1, 2)), strict=True):
        print(lag, round(float(value), 4))
