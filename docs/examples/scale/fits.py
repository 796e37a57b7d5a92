"""Fit a decay to each row of a memory map: ``python fits.py FOLDER GIGABYTES WORKERS``."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap

from likewise import map_chunks
from likewise.optimize import curve_fit

T = np.linspace(0.0, 4.0, 32)


def decay(t: Any, height: Any, rate: Any) -> Any:
    return height * np.exp(-rate * t)


def measured(path: Path, gigabytes: float) -> Any:
    """Stand in for an instrument's file: float32, with the truth that a seed gives again."""
    count = int(gigabytes * 1e9 / (4 * T.size))
    y = open_memmap(path, "w+", "f4", (count, T.size))
    rng = np.random.default_rng(1)
    for i in range(0, count, 100_000):
        part = y[i : i + 100_000]
        height, rate = rng.uniform(1, 3, (len(part), 1)), rng.uniform(0.5, 2, (len(part), 1))
        part[:] = decay(T, height, rate) + 0.01 * rng.normal(size=part.shape)
    y.flush()
    return y


def fit(y: Any) -> tuple[Any, Any]:
    """Return parameters and their standard deviations; NaN where a fit fails."""
    popt, pcov = curve_fit(decay, T, y.astype("f8"), p0=[1.0, 1.0])
    return popt, np.sqrt(np.diagonal(pcov, axis1=1, axis2=2))


def main(folder: Path, gigabytes: float, workers: int | None = None) -> tuple[Any, Any]:
    """Fit all, or what an earlier run has left."""
    path = folder / "decays.npy"
    y = np.load(path, mmap_mode="r") if path.exists() else measured(path, gigabytes)
    names = folder / "parameters.npy", folder / "deviations.npy"
    mode = "r+" if all(name.exists() for name in names) else "w+"
    out = tuple(open_memmap(name, mode, "f8", (len(y), 2)) for name in names)
    return map_chunks(fit, y, workers=workers, out=out, progress=True)


if __name__ == "__main__":
    found = main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) or None)
    print(len(found[0]), "fits,", int(np.isnan(found[0][:, 0]).sum()), "failed")
