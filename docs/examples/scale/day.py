"""Filter, resample and average spectra of many channels in HDF5: ``python day.py FOLDER HOURS``."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from likewise import map_chunks
from likewise.signal import butter, resample_poly, sosfilt, welch

RATE, CHANNELS, DOWN, SEGMENT = 1000, 64, 5, 1024
SOS = butter(4, [1.0, 80.0], btype="band", fs=RATE, output="sos")
MARGIN = 20 * DOWN  # the resampling filter reaches 10 results, and pieces begin at a result


def recorded(file: h5py.File, hours: float) -> None:
    """Stand in for a recording: noise, and 10 Hz in every channel."""
    size = int(hours * 3600 * RATE)
    x = file.create_dataset("raw", (CHANNELS, size), "f4", chunks=(CHANNELS, 8 * SEGMENT))
    rng = np.random.default_rng(2)
    for i in range(0, size, 1 << 18):
        t = np.arange(i, min(i + (1 << 18), size)) / RATE
        x[:, i : i + t.size] = np.sin(20 * np.pi * t) + rng.normal(size=(CHANNELS, t.size))


def filtered(zi: Any, x: Any) -> tuple[Any, Any]:
    """Return the filter's state, for the next piece, and this piece's samples."""
    y, zf = sosfilt(SOS, x, zi=zi)
    return zf, y.astype("f4")


def added(sums: tuple[int, Any], x: Any) -> tuple[tuple[int, Any], None]:
    """Add the spectra of a piece's whole segments."""
    count, total = sums
    segments = x.shape[-1] // SEGMENT
    if segments == 0:
        return sums, None
    spectrum = welch(x, RATE / DOWN, nperseg=SEGMENT, noverlap=0)[1]
    return (count + segments, total + segments * spectrum), None


def main(folder: Path, hours: float) -> tuple[Any, Any]:
    """Return frequencies and the mean spectrum of each channel."""
    with h5py.File(folder / "day.h5", "a") as file:
        if "raw" not in file:
            recorded(file, hours)
        x = file["raw"]
        room = partial(file.require_dataset, dtype="f4", exact=True)
        band = room("band", x.shape, chunks=x.chunks)
        rest = (CHANNELS, -(-x.shape[1] // DOWN))
        slow = room("slow", rest, chunks=(CHANNELS, 8 * SEGMENT))
        zi = np.zeros((len(SOS), CHANNELS, 2), dtype="f4")
        map_chunks(filtered, x, axis=1, carry=zi, out=band)
        down = partial(resample_poly, up=1, down=DOWN, axis=1)
        map_chunks(down, band, axis=1, overlap=MARGIN, length_ratio=(1, DOWN), out=slow)
        begin = 0, np.zeros((CHANNELS, SEGMENT // 2 + 1), dtype="f4")
        size = 64 * SEGMENT  # pieces of whole segments
        (count, total), _ = map_chunks(added, slow, axis=1, carry=begin, chunk_size=size)
    return np.fft.rfftfreq(SEGMENT, DOWN / RATE), total / count


if __name__ == "__main__":
    f, spectra = main(Path(sys.argv[1]), float(sys.argv[2]))
    print("peak at", f[np.argmax(spectra.mean(axis=0))], "Hz")
