"""Batches of fits against SciPy's one by one: ``ci/bench --only curve_fit``.

The workloads are exponentials of three parameters and 60 points, and Tofts' model with bounds, as
for the voxels of a perfusion image. SciPy fits a part of the problems and its time is scaled.
Each line has both sides' tolerances and evaluations. BENCH_FITS is how many problems, 300,000.

``python ci/benchmarks/bench_curve_fit.py`` prints peak memory above the inputs, each in its own
process.
"""

import functools
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_ENABLE_X64", "1")
# torch's two threads sleep while they wait: spinning beside other programs they take for ever.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import scipy.optimize

import likewise
from likewise.optimize import curve_fit

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "optimize" / "_curve_fit"))
from workloads import WORKLOADS  # type: ignore[import-not-found]

MANY = int(os.environ.get("BENCH_FITS", "300000"))
T = np.linspace(0, 4, 60)
START = [1.0, 1.0, 0.0]
BOUNDS = [0.0, 0.0, -1.0], [10.0, 10.0, 1.0]
LOOSE = {"ftol": 1.49e-8, "xtol": 1.49e-8, "gtol": 1.49e-8}
TIGHT = {"ftol": 1e-12, "xtol": 1e-12, "gtol": 1e-12}
VOXELS = {"ftol": 1e-6, "xtol": 1e-6, "gtol": 1e-6}
EXACT = "exact derivatives, ftol 2e-16, xtol 2e-12"  # the defaults, in float64
TIMES = {"numpy": 20, "torch": 15, "jax": 15}


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    """The model."""
    return a * likewise.array_namespace(t, k).exp(-k * t) + c


def slopes(t: Any, a: Any, k: Any, c: Any) -> Any:
    """Its Jacobian."""
    xp = likewise.array_namespace(t, k)
    e = xp.exp(-k * t)
    return xp.stack([e, -a * t * e, xp.ones_like(e)], axis=-1)


def plain(t: Any, a: Any, k: Any, c: Any) -> Any:
    """The model for SciPy."""
    return a * np.exp(-k * t) + c


def plain_slopes(t: Any, a: Any, k: Any, c: Any) -> Any:
    """Its Jacobian for SciPy."""
    e = np.exp(-k * t)
    return np.stack([e, -a * t * e, np.ones_like(e)], axis=-1)


@functools.lru_cache(4)
def draw(count: int, seed: int) -> Any:
    """Data (count, 60)."""
    rng = np.random.default_rng(seed)
    a, k, c = (rng.uniform(*ends, (count, 1)) for ends in ((1, 3), (0.5, 2), (0, 0.5)))
    return plain(T, a, k, c) + 0.02 * rng.normal(size=(count, T.shape[0]))


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, share of the peer and limit."""
    count = 2000 if quick else MANY
    if "torch" in libraries:
        import torch

        torch.set_num_threads(2)
    for name, (to, wait) in libraries.items():
        yield from _exponentials(name, to, wait, count, 20 if quick else 300)
        yield from _voxels(name, to, wait, 500 if quick else MANY, 10 if quick else 100)
        if name != "numpy":
            yield from _halved(name, to, wait, count)
    yield _memory(count)


def _exponentials(name: str, to: Any, wait: Any, count: int, few: int) -> Iterator[Any]:
    t = to(T)
    pairs = [(to(y), y[:few]) for y in (draw(count, seed) for seed in range(2))]
    workers = 2 if name == "numpy" else 1

    def line(
        times: float | None, said: str, ours: dict[str, Any], peer: str, theirs: dict[str, Any]
    ) -> Any:
        def fit(y: Any) -> Any:
            return curve_fit(decay, t, y, START, workers=workers, full_output=True, **ours)

        def loop(rows: Any) -> Any:
            return [
                scipy.optimize.curve_fit(plain, T, row, START, full_output=True, **theirs)
                for row in rows
            ]

        label = (
            f"curve_fit, {name}{', 2 workers' * (workers == 2)}, {count} x 60 points, 3 "
            f"parameters, float64, {said}, {_evaluations(fit(pairs[0][0][: 2 * few]))}"
        )
        calls = np.mean([found[2]["nfev"] for found in loop(pairs[0][1])])
        return (
            label,
            f"SciPy {peer}, {calls:.1f} evaluations, {few} fits, scaled",
            lambda pair: wait(fit(pair[0]).popt),
            lambda pair: loop(pair[1]),
            pairs,
            _limit(count / few, times),
        )

    yield line(TIMES.get(name), EXACT, {}, "lm, 1.5e-8, differences (its defaults)", {})
    yield line(None, EXACT, {}, "lm, 1e-12, differences", TIGHT)
    ours = {"jac": slopes, **LOOSE}
    times = 40 if name == "numpy" else None
    yield line(times, "jac=, 1.5e-8", ours, "lm, 1.5e-8, differences (its defaults)", {})
    jac = {"jac": plain_slopes}
    yield line(None, "jac=, 1.5e-8", ours, "lm, 1.5e-8, jac=", jac)
    bounds = {"bounds": BOUNDS}
    times = 100 if name == "numpy" else None
    yield line(times, f"bounds, {EXACT}", bounds, "trf, 1e-8, differences (its defaults)", bounds)
    yield line(None, f"bounds, {EXACT}", bounds, "trf, 1e-12, differences", bounds | TIGHT)


def _voxels(name: str, to: Any, wait: Any, count: int, few: int) -> Iterator[Any]:
    """Fit perfusion curves; both sides have the same model, of the gallery."""
    work = WORKLOADS["O1"]
    x, bounds = to(work.x), work.bounds
    workers = 2 if name == "numpy" else 1
    pairs = []
    for seed in (42, 43):
        y = work.draw(np.random.default_rng(seed), count)[2]
        start = work.starts(y)
        pairs.append(((to(y), to(start)), (y[:few], start[:few])))

    for said, options in (("1e-6, at most 50", VOXELS | {"max_nfev": 50}), (EXACT, {})):

        def fit(y: Any, start: Any, options: Any = options) -> Any:
            return curve_fit(
                work.model, x, y, start, bounds=bounds, workers=workers, full_output=True, **options
            )

        def loop(ys: Any, starts: Any) -> Any:
            return [
                scipy.optimize.curve_fit(
                    work.model, work.x, row, start, bounds=bounds, full_output=True, **VOXELS
                )
                for row, start in zip(ys, starts, strict=True)
            ]

        some = fit(*(a[: 2 * few] for a in pairs[0][0]))
        calls = np.mean([found[2]["nfev"] for found in loop(*pairs[0][1])])
        yield (
            f"curve_fit, {name}, Tofts, {count} voxels x 30, bounds, float64, {said}, "
            f"{_evaluations(some)}",
            f"SciPy trf, 1e-6, differences, {calls:.1f} evaluations, {few} fits, scaled",
            lambda pair, fit=fit: wait(fit(*pair[0]).popt),
            lambda pair, loop=loop: loop(*pair[1]),
            pairs,
            _limit(count / few, 40),
        )


def _halved(name: str, to: Any, wait: Any, count: int) -> Iterator[Any]:
    """float32 against float64, each at its defaults."""
    pairs = [(to(y.astype("float32")), to(y)) for y in (draw(count, seed) for seed in range(2))]
    t = to(T.astype("float32")), to(T)

    def fit(i: int, y: Any) -> Any:
        return curve_fit(decay, t[i], y, START, full_output=True)

    good = []
    for i in range(2):
        found = fit(i, pairs[0][i])
        converged = int(np.sum(likewise.to_numpy(found.success)))
        good.append(f"{converged} converged, {_evaluations(found)}")
    yield (
        f"curve_fit, {name}, {count} x 60 points, float32, {good[0]}",
        f"the same in float64, {good[1]}",
        lambda pair: wait(fit(0, pair[0]).popt),
        lambda pair: wait(fit(1, pair[1]).popt),
        pairs,
        "0.7",
    )


def _memory(count: int) -> Any:
    ours = lambda y: curve_fit(decay, T, y, START, full_output=True, workers=2)
    label = f"peak memory above the inputs, curve_fit, numpy, {count} x 60 points, float64"
    return label, "1 GiB", ours, lambda y: np.empty(1 << 30, np.uint8), [draw(count, 0)], "memory 1"


def _evaluations(found: Any) -> str:
    return f"{1 + np.mean(likewise.to_numpy(found.nit)):.1f} evaluations"


def _limit(share: float, times: float | None) -> str:
    return f"x {share:g}" + ("" if times is None else f" {1 / times:g}")


# -- memory as the system sees it ------------------------------------------------------------------


def resident(library: str, count: int) -> None:
    """Print by how much the peak of this process rises in a fit, after a small one, in MB."""
    data = likewise.asarray(draw(count, 0), namespace=library)
    t = likewise.asarray(T, namespace=library)
    fit: Callable[[Any], Any] = lambda y: curve_fit(decay, t, y, START, full_output=True)
    fit(data[:1000])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    likewise.to_numpy(fit(data).popt)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"| {library} | {count} x 60, float64 | {(after - now) / 1024:.0f} MB |", end="")
    print(f" {max(0, after - before) / 1024:.0f} MB |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        resident(sys.argv[1], MANY)
    else:
        print("| library | problems | above the resident memory before | above the peak before |")
        print("|---|---|--:|--:|", flush=True)
        for name in ("numpy", "torch", "jax"):
            subprocess.run([sys.executable, __file__, name], check=True)
