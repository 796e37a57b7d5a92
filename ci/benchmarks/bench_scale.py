"""More data than memory: pieces against one call, and the memory that they take.

``python ci/benchmarks/bench_scale.py`` prints peaks of resident memory, each in its own process;
``python ci/benchmarks/bench_scale.py day FOLDER PART`` filters a part of a day of 64 channels.
"""

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import likewise
from likewise import map_chunks
from likewise.fft import rfft
from likewise.optimize import curve_fit, least_squares, nnls
from likewise.signal import butter, decimate, filtfilt, savgol_filter, sosfilt, welch

SOS = butter(4, [0.05, 0.2], btype="band", output="sos")
PROMISE = 1 << 28  # bytes that "auto" takes at most


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per line: label, peer, ours, theirs, inputs, limit."""
    if "numpy" not in libraries:
        return
    yield from pieces(quick)
    yield from overlap(quick)
    yield from workers(quick)
    if importlib.util.find_spec("dask") is not None:
        yield from blocks(quick)
        yield from solvers(quick)
    yield from linear(libraries, quick)
    yield from labelled(quick)


# -- map_chunks ------------------------------------------------------------------------------------


def filtered(zi: Any, x: Any) -> Any:
    y, zf = sosfilt(SOS, x, zi=zi)
    return zf, y


def stored(zi: Any, x: Any) -> Any:
    zf, y = filtered(zi, x)
    return zf, y.astype("f4")


def bell(x: Any) -> Any:
    return np.exp(-x * x) * np.sin(x)


def decay(t: Any, height: Any, rate: Any) -> Any:
    return height * likewise.array_namespace(rate).exp(-rate * t)


T = np.linspace(0.0, 4.0, 60)


def fitted(y: Any) -> Any:
    return curve_fit(decay, T, y, p0=np.ones(2))


def pieces(quick: bool) -> Iterator[Any]:
    """Measure pieces of arrays in memory against one call."""
    rng = np.random.default_rng(0)
    n = 20_000 if quick else 1_000_000
    signals = [rng.normal(size=(64, n)).astype("f4") for _ in range(2)]
    zi = np.zeros((SOS.shape[0], 64, 2), "f4")
    ours = lambda x: map_chunks(filtered, x, axis=-1, carry=zi)
    label = f"map_chunks of sosfilt, a state carried, 64 x {n}, float32"
    yield label, "one call", ours, lambda x: filtered(zi, x), signals, "1.03"
    rows = 1000 if quick else 20_000
    numbers = [rng.normal(size=(rows, 1000)) for _ in range(2)]
    label = f"map_chunks of exp(-x²) sin(x), {rows} x 1000"
    yield label, "one call", lambda x: map_chunks(bell, x), bell, numbers, "1.03"
    true = rng.uniform(0.5, 2.0, size=(rows, 2))
    clean = decay(T, true[:, :1], true[:, 1:])
    curves = [clean + 0.01 * rng.normal(size=clean.shape) for _ in range(2)]
    label = f"map_chunks of curve_fit, {rows} x 60"
    yield label, "one call", lambda y: map_chunks(fitted, y), fitted, curves, "1.03"


def overlap(quick: bool) -> Iterator[Any]:
    """Measure reading and computing together against one after the other; elapsed time.

    What computes waits, as for a device, so that other users of the processors matter less.
    """
    try:
        import h5py
    except ImportError:
        return
    folder = tempfile.TemporaryDirectory()
    n = 200_000 if quick else 4_000_000
    with h5py.File(f"{folder.name}/x.h5", "w") as file:
        x = np.random.default_rng(0).normal(size=(8, n)).astype("f4")
        file.create_dataset("x", data=x, chunks=(8, 16384), compression="gzip", compression_opts=1)
    data = h5py.File(f"{folder.name}/x.h5", "r")["x"]
    options: dict[str, Any] = {"axis": -1, "chunk_size": 1 << 17}

    def spent(fun: Callable[[Any], Any], source: Any) -> float:
        begun = time.perf_counter()
        map_chunks(lambda c, x: (c, fun(x)), source, carry=0, **options)
        return time.perf_counter() - begun

    nothing = lambda x: None
    each = spent(nothing, data) / -(-n // options["chunk_size"])
    compute = lambda x: time.sleep(each)  # both take about as long
    ours = lambda _: spent(compute, data)
    theirs = lambda _: spent(compute, x) + spent(nothing, data)
    label = f"map_chunks reads gzipped HDF5 and waits as long, 8 x {n}, float32, elapsed time"
    yield label, "one after the other", ours, theirs, [folder], "0.575"


def workers(quick: bool) -> Iterator[Any]:
    """Measure two processes against one; elapsed time, on a machine that nobody else uses."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    rng = np.random.default_rng(1)
    x = rng.normal(size=(200 if quick else 20_000, 300))
    pools = [ProcessPoolExecutor(n, get_context("spawn")) for n in (2, 1)]
    run = lambda pool: lambda x: map_chunks(sines, x, workers=pool, chunk_size=len(x) // 16)
    for pool in pools:
        run(pool)(x)
    label = f"map_chunks, two processes, {len(x)} x 300, elapsed time"
    yield label, "one process", run(pools[0]), run(pools[1]), [x], "0.6"
    for pool in pools:
        pool.shutdown()


def linear(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Measure fits in one call against as many in small calls: the ratio is what many cost."""
    many, few = (20_000, 2_000) if quick else (1_000_000, 10_000)
    rng = np.random.default_rng(0)
    true = rng.uniform(0.5, 2.0, size=(many, 2))
    t = np.linspace(0.0, 4.0, 24)
    y = decay(t, true[:, :1], true[:, 1:]) + 0.01 * rng.normal(size=(many, 24))
    for name in ("numpy", "torch"):
        if name not in libraries:
            continue
        times, data = (libraries[name][0](a) for a in (t, y))
        fit = lambda y, t=times: curve_fit(decay, t, y, p0=[1.0, 1.0])[0]
        each = lambda y, fit=fit: [fit(y[i : i + few]) for i in range(0, many, few)]
        yield f"{many} fits, {name}", f"calls of {few}", fit, each, [data], "1.1"


def labelled(quick: bool) -> Iterator[Any]:
    """Measure fits of a DataArray against xarray's own."""
    try:
        import xarray as xr
    except ImportError:
        return
    rows = 20 if quick else 500
    true = np.random.default_rng(2).uniform(0.5, 2.0, size=(rows, 2))
    values = decay(T, true[:, :1], true[:, 1:])
    data = xr.DataArray(values, dims=("row", "time"), coords={"time": T})
    core = {"input_core_dims": [["time"]], "output_core_dims": [["param"], ["param", "other"]]}
    ours = lambda x: xr.apply_ufunc(fitted, x, **core)[0]
    start = {"height": 1.0, "rate": 1.0}
    theirs = lambda x: x.curvefit("time", decay, p0=start).curvefit_coefficients
    yield f"apply_ufunc of curve_fit, {rows} x 60", "xarray.curvefit", ours, theirs, [data], "0.1"


def sines(x: Any) -> Any:
    for _ in range(40):
        x = np.sin(x)
    return x


# -- Dask ------------------------------------------------------------------------------------------


def blocks(quick: bool) -> Iterator[Any]:
    """Measure Dask with the batch in 8 chunks against NumPy; processor time, in one thread."""
    import dask.array as da

    shape = (16, 2000) if quick else (128, 100_000)
    rng = np.random.default_rng(2)
    hosts = [rng.normal(size=shape) for _ in range(2)]
    pairs = [(x, da.from_array(x, chunks=(shape[0] // 8, -1))) for x in hosts]
    functions: dict[str, Callable[[Any], Any]] = {
        "sosfilt": lambda x: sosfilt(SOS, x),
        "filtfilt": lambda x: filtfilt(*butter(3, 0.3), x),
        "savgol_filter": lambda x: savgol_filter(x, 21, 3),
        "decimate": lambda x: decimate(x, 4),
        "welch": lambda x: welch(x)[1],
        "rfft": rfft,
    }
    for name, function in functions.items():
        ours = lambda pair, f=function: f(pair[1]).compute(scheduler="synchronous")
        theirs = lambda pair, f=function: f(pair[0])
        label = f"{name} on Dask, {shape[0]} x {shape[1]}, 8 chunks"
        yield label, "NumPy", ours, theirs, pairs, "1.1"


def solvers(quick: bool) -> Iterator[Any]:
    """Measure solvers on Dask, 8 blocks in this thread, against one call on NumPy's array."""
    import dask
    import dask.array as da

    rng = np.random.default_rng(2)
    n = 1000 if quick else 20_000
    true = rng.uniform(0.5, 2.0, size=(n, 2))
    curves = decay(T, true[:, :1], true[:, 1:]) + 0.01 * rng.normal(size=(n, 60))
    a, b = rng.uniform(size=(8, 4)), rng.normal(size=(n, 8))
    start = rng.uniform(0.5, 1.5, size=(n, 2))
    rest = lambda x: decay(T, x[0], x[1]) - decay(T, 2.0, 1.3)
    calls: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "curve_fit, of 60 points": (lambda y: curve_fit(decay, T, y, p0=np.ones(2)), curves),
        "nnls, 8 x 4": (lambda b: nnls(a, b), b),
        "least_squares, of 60 points": (lambda x: least_squares(rest, x).x, start),
    }

    def lazily(solve: Callable[[Any], Any], x: Any) -> Callable[[Any], Any]:
        lazy = da.from_array(x, chunks=(n // 8, -1))
        return lambda _: dask.compute(solve(lazy), scheduler="synchronous")

    for name, (solve, x) in calls.items():
        yield f"Dask, 8 blocks, {n} problems: {name}", "NumPy", lazily(solve, x), solve, [x], "1.1"


# -- memory, in processes of their own -------------------------------------------------------------

TASKS: dict[str, Callable[[Any, Any], Any]] = {
    "one call, exp(-x²)": lambda x, out: np.exp(-x * x),
    "exp(-x²) sin(x), written": lambda x, out: map_chunks(bell, x, out=out, resume=False),
    "means of rows": lambda x, out: map_chunks(functools.partial(np.mean, axis=1), x),
    "sums of columns": lambda x, out: map_chunks(
        lambda c, x: (c + x.sum(axis=0), None), x, carry=np.zeros(60)
    ),
    "exp(-x²) sin(x), written, pieces of 10,000": lambda x, out: map_chunks(
        bell, x, out=out, chunk_size=10_000, resume=False
    ),
}


def resident(name: str) -> int:
    """Return bytes of this process, as VmRSS or VmHWM."""
    with open("/proc/self/status") as file:
        return next(int(s.split()[1]) << 10 for s in file if s.startswith(name + ":"))


def peak(task: str, folder: str) -> None:
    """Print by how much a task raises this process's memory, in MiB."""
    shape = 400_000, 60
    x = np.memmap(f"{folder}/x.bin", dtype=float, mode="r", shape=shape)
    out = np.memmap(f"{folder}/y.bin", dtype=float, mode="w+", shape=shape)
    before = resident("VmRSS")
    TASKS[task](x, out)
    print(f"{(resident('VmHWM') - before) / 2**20:.0f}")


def day(folder: str, part: float) -> None:
    """Filter a part of a day of 64 channels at 1 kHz, from HDF5 to HDF5."""
    import h5py

    n = int(86_400_000 * part)
    step = 1_000_000
    rng = np.random.default_rng(0)
    paths = [f"{folder}/day.h5", f"{folder}/filtered.h5"]
    with h5py.File(paths[0], "w") as file:
        x = file.create_dataset("x", (64, n), "f4", chunks=(64, 16384))
        block = rng.normal(size=(64, step)).astype("f4")
        for i in range(0, n, step):
            x[:, i : i + step] = block[:, : n - i]
    run = [sys.executable, __file__, "filter", *paths]
    print(subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip())
    for path in paths:
        os.remove(path)
    os.remove(paths[1] + ".y.journal")
    os.remove(paths[1] + ".y.journal.carry")


def filter_file(source: str, target: str) -> None:
    """Print seconds and peak memory of filtering a file."""
    import h5py

    with h5py.File(source, "r") as file, h5py.File(target, "w") as to:
        x = file["x"]
        y = to.create_dataset("y", x.shape, "f4", chunks=x.chunks)
        zi = np.zeros((SOS.shape[0], 64, 2), "f4")
        begun, spent, before = time.perf_counter(), time.process_time(), resident("VmRSS")
        map_chunks(stored, x, axis=-1, carry=zi, out=y)
        most = resident("VmHWM")
        print(
            f"sosfilt of {x.shape[0]} x {x.shape[1]} from HDF5 to HDF5: "
            f"{time.perf_counter() - begun:.0f} s, {time.process_time() - spent:.0f} s of "
            f"processor time, peak {most >> 20} MiB, {(most - before) >> 20} more than before"
        )


def main() -> None:
    if sys.argv[1:2] == ["peak"]:
        peak(*sys.argv[2:])
    elif sys.argv[1:2] == ["filter"]:
        filter_file(*sys.argv[2:])
    elif sys.argv[1:2] == ["day"]:
        day(sys.argv[2], float(sys.argv[3]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            np.random.default_rng(0).normal(size=(400_000, 60)).tofile(f"{folder}/x.bin")
            print(f"| a memmap of 183 MiB; 'auto' promises {PROMISE >> 20} MiB | MiB more |")
            print("|---|---|")
            for task in TASKS:
                run = [sys.executable, __file__, "peak", task, folder]
                done = subprocess.run(run, check=True, capture_output=True, text=True)
                print(f"| {task} | {done.stdout.strip()} |")


if __name__ == "__main__":
    main()
