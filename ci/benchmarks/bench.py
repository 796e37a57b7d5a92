"""Benchmarks as ratios: likewise against the peer, in one process, in turns.

    ci/bench                     everything on the CPU, as a Markdown table
    ci/bench --quick             small sizes, to see that it runs
    ci/bench --device gpu        torch, JAX and CuPy on a GPU
    ci/bench --only fftconvolve  one family
    ci/bench --only convolve     method='auto' against the better of both methods
    ci/bench --only missing      every function of likewise.missing, the worst first
    ci/bench --only random       likewise.random against the libraries' own generators
    ci/bench --only transforms   grad, vmap and jit; peak memory as tracemalloc sees it
    ci/bench --only recordings   jit and loops on NumPy, replayed
    ci/bench --only scale        pieces of more data than memory, against one call
    ci/bench --only small        every function of README's table at its small case
    ci/bench --only overheads    importing, a remembered call, the way through a row
    ci/bench --only curve_fit    batches of fits; BENCH_FITS says how many
    ci/bench --only constraints  constraints, programmes, global searches, operators
    ci/bench --only one_problem  one problem of each solver, against SciPy
    ci/bench --only signal       filters that run, against SciPy
    ci/bench --only images       images, against SciPy
    ci/bench --only interpolate  interpolation and quadrature, against SciPy
    ci/bench --only special      special functions, against SciPy and JAX's own
    ci/bench --only stats        distributions, tests, fits of many, resampling, densities
    ci/bench --only spectra      cosine transforms and spectra, against SciPy and JAX's own
    ci/bench --only resampling   convolution, resampling, waveforms
    ci/bench --only frames       peaks, multitau, deconvolution
    ci/bench --only digits       training the networks of docs/examples/digits
    ci/bench --only lint         10,000 lines, beside what parsing them takes

With --cpu-time, processor time is measured, on machines that others use. With --page, the table
goes into docs/performance.md, too.

Each line: the median of the ratios of neighbouring runs, our time and the peer's. Devices are
waited for before the clock stops. Inputs differ from run to run, so that no cache can answer.
"""

import argparse
import datetime
import importlib
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("JAX_ENABLE_X64", "1")

import array_api_compat
import bench_constraints
import bench_convolution
import bench_curve_fit
import bench_digits
import bench_frames
import bench_images
import bench_interpolate
import bench_least_squares
import bench_lint
import bench_missing
import bench_one_problem
import bench_optimize_scalar
import bench_page
import bench_random
import bench_recordings
import bench_scale
import bench_signal
import bench_small
import bench_special
import bench_spectra
import bench_stats
import bench_transforms
import numpy as np

import likewise
from likewise._native import native
from likewise.fft import next_fast_len
from likewise.signal import convolve, fftconvolve

CLOCK = time.perf_counter


def processor_time() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime


Line = tuple[str, str, Callable[[Any], Any], Callable[[Any], Any], list[Any], str]


def alternate(
    ours: Callable[[Any], Any],
    theirs: Callable[[Any], Any],
    inputs: list[Any],
    seconds: float,
    least: int = 5,
    sample: float = 0.02,
) -> tuple[float, float, float]:
    """Median ratio, and both medians in seconds; what takes very long runs fewer times."""
    start = CLOCK()
    for warm in inputs[:2]:
        ours(warm), theirs(warm)
        if CLOCK() - start > 10 * seconds:
            break
    start = CLOCK()
    theirs(inputs[0])
    once = max(CLOCK() - start, 1e-7)
    calls = max(1, round(sample / once))
    a, b = [], []
    start = CLOCK()
    i = 0
    while (spent := CLOCK() - start) < seconds or len(a) < least:
        if a and spent > 10 * seconds:
            break
        for func, times in ((ours, a), (theirs, b)):
            begun = CLOCK()
            for k in range(calls):
                func(inputs[(i + k) % len(inputs)])
            times.append((CLOCK() - begun) / calls)
        i += 1
    ratio = statistics.median(x / y for x, y in zip(a, b, strict=True))
    return ratio, statistics.median(a), statistics.median(b)


def peak(func: Callable[[Any], Any], x: Any) -> int:
    """The most memory of a call at one time, in bytes, of what Python and NumPy allocate."""
    func(x)
    tracemalloc.start()
    try:
        func(x)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def libraries(device: str) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
    """Per library: to its array, and wait for it."""
    found: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {}
    gpu = device == "gpu"
    if not gpu:
        found["numpy"] = (np.asarray, lambda x: x)
    for name in ("torch", "jax", "cupy") if gpu else ("torch", "jax"):
        try:
            where = next(d.device for d in likewise.devices(name) if d.kind == device)
        except (likewise.errors.LibraryNotInstalled, StopIteration):
            print(f"not run: {name} on the {device}", file=sys.stderr)
            continue

        def to(x: Any, name: str = name, where: Any = where) -> Any:
            return likewise.asarray(x, namespace=name, device=where)

        found[name] = (to, WAIT[name])
    return found


def _wait_torch(x: Any) -> Any:
    if x.device.type == "cuda":
        import torch

        torch.cuda.synchronize()
    return x


def _wait_cupy(x: Any) -> Any:
    import cupy

    cupy.cuda.get_current_stream().synchronize()
    return x


WAIT: dict[str, Callable[[Any], Any]] = {
    "torch": _wait_torch,
    "jax": lambda x: x.block_until_ready(),
    "cupy": _wait_cupy,
}


def namespaces(device: str, quick: bool) -> Iterator[Line]:
    """array_namespace against array_api_compat's."""
    import array_api_strict

    ours, theirs = likewise.array_namespace, array_api_compat.array_namespace
    arrays = {name: to(np.ones(3)) for name, (to, _) in libraries(device).items()}
    for name, x in {**arrays, "strict": array_api_strict.ones(3)}.items():
        target = "0.05" if name == "strict" else "0.35"
        yield f"array_namespace(x), {name}", "array_api_compat", ours, theirs, [x], target
        yield (
            f"array_namespace(x, x, x), {name}",
            "array_api_compat",
            lambda x: ours(x, x, x),
            lambda x: theirs(x, x, x),
            [x],
            target,
        )


_PROGRAM = """
import numpy as np
from {0}.optimize import curve_fit
from {0}.signal import butter, find_peaks, sosfilt, welch

def decay(t, height, rate):
    return height * np.exp(-rate * t)

t = np.linspace(0.0, 4.0, 200)
y = decay(t, 2.0, 0.7) + 0.01 * np.sin(9 * t)
curve_fit(decay, t, y, p0=[1.0, 1.0])
filtered = sosfilt(butter(4, 0.3, output="sos"), y)
welch(filtered, nperseg=64)
find_peaks(np.sin(9 * t), prominence=0.1)
"""


def overheads(device: str, quick: bool) -> Iterator[Line]:
    """Measure what ours adds to importing, to a remembered routine, on the way through a row."""
    # Both are read as bytecode, as pip installs them, whatever the environment says.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    cache = tempfile.TemporaryDirectory()
    command = [sys.executable, "-X", f"pycache_prefix={cache.name}", "-c"]
    python = lambda code: subprocess.run([*command, code], env=env, check=True)
    for use in ("", "likewise.array_namespace", "likewise.xp"):
        ours = lambda use, code="import array_api_compat, likewise; ": python(code + use)
        theirs = lambda use: python("import array_api_compat")
        label = f"import likewise; {use}".removesuffix("; ")
        yield label, "import array_api_compat", ours, theirs, [use], "1 + 15 ms"
    yield (
        "a program of curve_fit, butter, sosfilt, welch and find_peaks",
        "SciPy's names",
        lambda code: python(code.format("likewise")),
        lambda code: python(code.format("scipy")),
        [_PROGRAM],
        "1.3",
    )
    x = np.asarray([3.0, 1.0, 2.0])
    label = "missing.safe_sqrt, numpy, n = 3, a call of a kind seen before"
    yield label, "numpy.sqrt", likewise.missing.safe_sqrt, np.sqrt, [x], "1 + 1 µs"

    def body(x: Any) -> None:
        return None

    row = native(numpy="scipy.signal:convolve", when=lambda x: False)(body)
    yield "a row whose routine is not taken", "the body itself", row, body, [x], "1 + 0.6 µs"


def _by_hand(fft: Any) -> Callable[[Any], Any]:
    def conv(pair: Any) -> Any:
        x, y = pair
        size = x.shape[-1] + y.shape[-1] - 1
        n = next_fast_len(size, True)
        return fft.irfft(fft.rfft(x, n) * fft.rfft(y, n), n)[..., :size]

    return conv


def convolutions(device: str, quick: bool) -> Iterator[Line]:
    """fftconvolve against SciPy's and against the few lines that one writes by hand."""
    import scipy.signal

    rng = np.random.default_rng(0)
    sizes = (1000, 10_000) if quick else (1000, 10_000, 100_000, 1_000_000)
    cases: list[tuple[str, Any, Any]] = [(f"n = {n}", (n,), (n,)) for n in sizes]
    voxels = 1000 if quick else 10_000
    cases.append((f"{voxels} curves of 100", (voxels, 100), (1, 100)))
    if not quick:
        cases.append(("300000 curves of 100", (300_000, 100), (1, 100)))
    for name, (to, wait) in libraries(device).items():
        for label, s1, s2 in cases:
            many = 4 if np.prod(s1) < 1e6 else 2
            pairs = []
            for _ in range(many):
                x, y = rng.normal(size=s1), rng.uniform(0, 0.1, size=s2)
                if len(s1) == 2:
                    y = np.exp(-0.1 * np.arange(100.0))[None, :] * rng.uniform(0.9, 1.1)
                pairs.append((to(x), to(y)))

            def ours(pair: Any, wait: Any = wait) -> Any:
                return wait(fftconvolve(*pair, axes=-1))

            def on(func: Any, wait: Any = wait) -> Callable[[Any], Any]:
                return lambda pair: wait(func(pair))

            title = f"fftconvolve, {name}, {label}, float64"
            if name == "numpy":
                peer = lambda pair: scipy.signal.fftconvolve(*pair, axes=-1)
                yield title, "scipy.signal", ours, peer, pairs, "1.15"
            elif name == "torch":
                import torch

                yield title, "torch.fft by hand", ours, on(_by_hand(torch.fft)), pairs, "1.15"
            elif name == "cupy":
                import cupy

                yield title, "cupy.fft by hand", ours, on(_by_hand(cupy.fft)), pairs, "1.15"
            else:
                import jax

                hand = _by_hand(jax.numpy.fft)
                jitted = jax.jit(lambda pair: fftconvolve(*pair, axes=-1))
                yield (
                    title + ", jitted",
                    "jnp.fft, jitted",
                    on(jitted),
                    on(jax.jit(hand)),
                    pairs,
                    "1.15",
                )
                yield title + ", eager", "jnp.fft, eager", ours, on(hand), pairs, "a figure"


def ways(device: str, quick: bool) -> Iterator[Line]:
    """signal.convolve with method='auto' against the better of both methods, found just before."""
    rng = np.random.default_rng(1)
    sizes = (100, 1000, 10_000) if quick else (100, 1000, 10_000, 100_000, 1_000_000)
    cases = [((n,), (taps,)) for n in sizes for taps in (4, 50, 500, 5000) if taps <= n]
    cases += [((n, n), (taps, taps)) for n in sizes[:2] for taps in (3, 9)]
    for name, (to, wait) in libraries(device).items():
        for s1, s2 in cases:
            pairs = [(to(rng.normal(size=s1)), to(rng.normal(size=s2))) for _ in range(2)]
            found = {m: _way(name, m, wait) for m in ("auto", "fft", "direct")}
            spent = {m: _shortest(found[m], pairs[0]) for m in ("fft", "direct")}
            better = min(spent, key=lambda m: spent[m])
            label = f"convolve, {name}, {' x '.join(map(str, s1))} by {' x '.join(map(str, s2))}"
            yield label, f"method={better!r}", found["auto"], found[better], pairs, "1.15"


def _way(library: str, method: str, wait: Callable[[Any], Any]) -> Callable[[Any], Any]:
    func = lambda pair: convolve(*pair, method=method)
    if library == "jax":
        import jax

        func = jax.jit(func)
    return lambda pair: wait(func(pair))


def _shortest(func: Callable[[Any], Any], pair: Any) -> float:
    func(pair)
    times = []
    while len(times) < 3 or (sum(times) < 0.1 and len(times) < 100):
        start = time.perf_counter()
        func(pair)
        times.append(time.perf_counter() - start)
        if times[-1] > 2:
            break
    return min(times)


def fits(device: str, quick: bool) -> Iterator[Line]:
    """Batches of curve fits against SciPy's one by one."""
    return bench_curve_fit.lines(libraries(device), quick)


def scalars(device: str, quick: bool) -> Iterator[Line]:
    """Roots of one unknown."""
    return bench_optimize_scalar.lines(libraries(device), quick)


def constrained(device: str, quick: bool) -> Iterator[Line]:
    """Constraints, programmes, global searches and operators."""
    return bench_constraints.lines(libraries(device), quick)


def ones(device: str, quick: bool) -> Iterator[Line]:
    """One problem of each solver."""
    return bench_one_problem.lines(libraries(device), quick)


def squares(device: str, quick: bool) -> Iterator[Line]:
    """Least squares and systems of equations."""
    return bench_least_squares.lines(libraries(device), quick)


# Elementwise functions; what is repaired among them is found by looking.
UNARY = """acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sign sin sinh
sqrt square tan tanh reciprocal round""".split()
BINARY = "add copysign divide floor_divide hypot logaddexp maximum nextafter pow remainder".split()
NATIVE = {
    "numpy": "array_api_compat.numpy",
    "torch": "array_api_compat.torch",
    "jax": "jax.numpy",
    "cupy": "array_api_compat.cupy",
}


def repairs(device: str, quick: bool) -> Iterator[Line]:
    """Repaired functions against the library's own, on ordinary numbers."""
    rng = np.random.default_rng(3)
    n = 100_000
    for name, (to, wait) in libraries(device).items():
        xp, native = likewise.namespace(name), importlib.import_module(NATIVE[name])
        for func in UNARY + BINARY:
            pair = getattr(xp, func), getattr(native, func)
            if pair[0] is pair[1]:
                continue
            for dtype in ("float64", "complex128"):
                many = 2 if func in BINARY else 1
                if dtype == "complex128" and many == 2:
                    continue
                draws = [
                    [rng.uniform(0.1, 0.9, n) + (func == "acosh") for _ in range(many)]
                    for _ in range(4)
                ]
                if dtype == "complex128":
                    draws = [[x + 1j * rng.uniform(-0.9, 0.9, n)] for (x,) in draws]
                inputs = [[to(x) for x in draw] for draw in draws]
                ways = {"": pair}
                if name == "jax":
                    ways = {", eager": pair, ", jitted": tuple(map(_jitted, pair))}
                for way, (f, g) in ways.items():
                    ours = lambda args, f=f, wait=wait: wait(f(*args))
                    theirs = lambda args, g=g, wait=wait: wait(g(*args))
                    label = f"{func}, {name}{way}, {dtype}, n = {n}"
                    yield label, NATIVE[name], ours, theirs, inputs, "1.1"


def _jitted(func: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled together with what stands around it, as it is used."""
    import jax

    return jax.jit(lambda *args: func(*args))


def functions(device: str, quick: bool) -> Iterator[Line]:
    """The functions of likewise.missing."""
    return bench_missing.lines(libraries(device), quick)


def randoms(device: str, quick: bool) -> Iterator[Line]:
    """likewise.random."""
    return bench_random.lines(libraries(device), quick)


def transforms(device: str, quick: bool) -> Iterator[Line]:
    """likewise.transforms."""
    return bench_transforms.lines(libraries(device), quick)


def recordings(device: str, quick: bool) -> Iterator[Line]:
    """Functions that are recorded and replayed."""
    return bench_recordings.lines(libraries(device), quick)


def scale(device: str, quick: bool) -> Iterator[Line]:
    """More data than memory, more work than a machine."""
    return bench_scale.lines(libraries(device), quick)


def small(device: str, quick: bool) -> Iterator[Line]:
    """Small calls, of every function."""
    return bench_small.lines(libraries(device), quick)


def linter(device: str, quick: bool) -> Iterator[Line]:
    """likewise.lint."""
    return bench_lint.lines({}, quick)


def filters(device: str, quick: bool) -> Iterator[Line]:
    """Filters of likewise.signal that run."""
    return bench_signal.lines(libraries(device), quick)


def specials(device: str, quick: bool) -> Iterator[Line]:
    """likewise.special."""
    return bench_special.lines(libraries(device), quick)


def interpolation(device: str, quick: bool) -> Iterator[Line]:
    """Measure likewise.interpolate and likewise.integrate."""
    return bench_interpolate.lines(libraries(device), quick)


def images(device: str, quick: bool) -> Iterator[Line]:
    """Functions of likewise.ndimage."""
    return bench_images.lines(libraries(device), quick)


def signals(device: str, quick: bool) -> Iterator[Line]:
    """Convolution, resampling and waveforms of likewise.signal."""
    return bench_convolution.lines(libraries(device), quick)


def spectra(device: str, quick: bool) -> Iterator[Line]:
    """Cosine transforms of likewise.fft, and spectra of likewise.signal."""
    return bench_spectra.lines(libraries(device), quick)


def statistics_(device: str, quick: bool) -> Iterator[Line]:
    """Measure likewise.stats."""
    return bench_stats.lines(libraries(device), quick)


def frames(device: str, quick: bool) -> Iterator[Line]:
    """Peaks, frames of photons, deconvolution."""
    return bench_frames.lines(libraries(device), quick)


def networks(device: str, quick: bool) -> Iterator[Line]:
    """Steps of training a small network."""
    return bench_digits.lines(libraries(device), quick)


FAMILIES = {
    "array_namespace": namespaces,
    "overheads": overheads,
    "fftconvolve": convolutions,
    "convolve": ways,
    "curve_fit": fits,
    "optimize_scalar": scalars,
    "least_squares": squares,
    "constraints": constrained,
    "one_problem": ones,
    "repairs": repairs,
    "digits": networks,
    "frames": frames,
    "lint": linter,
    "missing": functions,
    "random": randoms,
    "recordings": recordings,
    "signal": filters,
    "images": images,
    "interpolate": interpolation,
    "scale": scale,
    "small": small,
    "special": specials,
    "resampling": signals,
    "spectra": spectra,
    "stats": statistics_,
    "transforms": transforms,
}
WORST_FIRST = ("missing", "random", "small", "special")
SUMMARIES = {"small": bench_small.summary}


SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def duration(seconds: float) -> str:
    """Write a time with three digits, in the unit that needs no power of ten."""
    return _quantity(seconds, tuple(SECONDS.items()))


def size(count: float) -> str:
    """Write a number of bytes with three digits."""
    return _quantity(count, (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)))


def _quantity(value: float, units: tuple[tuple[str, float], ...]) -> str:
    rounded = float(f"{value:.3g}")
    unit, scale = next(((u, s) for u, s in units if abs(rounded) >= s), units[-1])
    number = rounded / scale
    digits = max(0, 2 - math.floor(math.log10(abs(number)))) if number else 0
    return f"{number:.{digits}f}\u00a0{unit}"  # a number never stands on another line than its unit


Figures = tuple[float, float, float, float]


def row(line: Line, quick: bool, many: bool) -> tuple[Figures, str]:
    """How near a line comes to its limit (above 1: beyond), ratio and times; and its text."""
    label, peer, ours, theirs, inputs, target = line
    written = duration
    if target.startswith("memory "):
        a, b = (max(peak(func, x) for x in inputs) for func in (ours, theirs))
        ratio, target, written = a / b, target[7:], size
    elif many:
        ratio, a, b = alternate(ours, theirs, inputs, 0.02 if quick else 0.15, 3, 0.0005)
    else:
        ratio, a, b = alternate(ours, theirs, inputs, 0.2 if quick else 1.5)
    if target.startswith("x "):  # the peer did a part of the work
        part, _, limit = target[2:].partition(" ")
        share = float(part)
        ratio, b, target = ratio / share, b * share, limit or "a figure"
    near, within = 0.0, ""
    if " or " in target:  # times the peer's, or so much more, whichever is longer
        times, _, plus = target.partition(" or ")
        more = float(plus.split()[0]) * SECONDS[plus.split()[1]]
        near = min(ratio / float(times), ratio * b / (b + more))
    elif target != "a figure":
        times, _, plus = target.partition(" + ")
        more = float(plus.split()[0]) * SECONDS[plus.split()[1]] if plus else 0.0
        near = ratio * b / (float(times) * b + more)
    if near:
        target = target.replace(" ms", "\u00a0ms").replace(" µs", "\u00a0µs")
        within = "yes" if near <= 1 else "no"
    times = f"{written(a)} | {written(b)}"
    figures = near, ratio, a, b
    return figures, f"| {label} | {peer} | {ratio:.3f} | {target} | {within} | {times} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--only", choices=list(FAMILIES), help="one family")
    parser.add_argument("--cpu-time", action="store_true", help="measure processor time")
    parser.add_argument("--page", action="store_true", help="also write docs/performance.md")
    options = parser.parse_args()
    load, today = os.getloadavg()[0], datetime.date.today()
    if options.cpu_time:
        global CLOCK
        CLOCK = processor_time
    if options.device == "cpu":
        print(f"CPU, {os.cpu_count()} cores; times are medians\n")
    print("| what | against | ratio | at most | within | ours | theirs |")
    print("|---|---|--:|--:|---|--:|--:|")
    for family in [options.only] if options.only else FAMILIES:
        ranked = family in WORST_FIRST
        found: list[tuple[Figures, str]] = []
        lines: list[Line] = []
        for line in FAMILIES[family](options.device, options.quick):
            try:
                found.append(row(line, options.quick, ranked))
            except Exception as error:
                print(f"not run: {line[0]}: {error!r}", file=sys.stderr)
                continue
            lines.append(line)
            print(found[-1][1], file=sys.stderr if ranked else sys.stdout, flush=True)
        summary: list[str] = []
        if family in SUMMARIES:
            pairs = zip(lines, found, strict=True)
            summary += SUMMARIES[family]([(line, *figures) for line, (figures, _) in pairs])
        if ranked:
            found.sort(reverse=True)
            print(*(text for _, text in found), sep="\n", flush=True)
        for text in summary:
            print(text)
        if options.page and found:
            given = " ".join(a for a in sys.argv[1:] if a != "--page") or "--only " + family
            words = bench_page.circumstances(given, load, today)
            page = bench_page.PAGE.read_text("utf-8")
            made = bench_page.put(page, family, words, [text for _, text in found])
            bench_page.PAGE.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
