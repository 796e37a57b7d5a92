"""Tofts' model in 15,625 voxels (O1) against osipy's fitter, in turns in one process.

    OPENBLAS_NUM_THREADS=1 python ci/benchmarks/bench_perfusion.py FOLDER

FOLDER has osipy's sources (github.com/OSIPI/osipy, Python 3.12 or newer; nothing of it is installed
or copied here). Both sides have its forward model, which is the rectangle rule, its start, bounds
and tolerance. BENCH_TURNS is how often both run, 8; the shortest of each counts.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import likewise
from likewise.optimize import curve_fit

VOXELS, TURNS = 25**3, int(os.environ.get("BENCH_TURNS", "8"))
T = np.linspace(0, 300, 30)  # s
AIF = 2 * np.exp(-T / 60)
TRUTH = 0.1, 0.2
TIGHT = {"ftol": 1e-6, "xtol": 1e-6, "gtol": 1e-6, "max_nfev": 50}
RECTANGLES = np.ascontiguousarray(
    [[AIF[i - j] * T[1] / 60 if i >= j else 0.0 for i in range(30)] for j in range(30)]
)


def model(t: Any, ktrans: Any, ve: Any) -> Any:
    """Ktrans times the sum of products of the input with an exponential, as a matrix product."""
    xp = likewise.array_namespace(ktrans)
    return ktrans * xp.matmul(xp.exp(-(ktrans / ve) * t), RECTANGLES)


def data() -> Any:
    """Return curves with noise, (voxels, 30)."""
    noise = np.random.default_rng(42).normal(size=(VOXELS, 30))
    return model(T / 60, *np.asarray(TRUTH)[:, None]) + 0.01 * noise


def ours(y: Any, workers: int) -> Any:
    """Return Ktrans and ve by likewise, (voxels, 2)."""
    start = np.clip(0.1 * np.max(y, axis=1) / np.max(AIF), 0, 5)
    p0 = np.stack([start, np.full(VOXELS, 0.2)], axis=1)
    bounds = [0, 0.001], [5, 1]
    fit = curve_fit(model, T / 60, y, p0, bounds=bounds, full_output=True, workers=workers, **TIGHT)
    return fit.popt


def osipys() -> Callable[[Any], Any]:
    """Return the same by osipy's way: its model, its fitter, an image."""
    from osipy.common.fitting.least_squares import LevenbergMarquardtFitter
    from osipy.dce.models.binding import BoundDCEModel
    from osipy.dce.models.tofts import ToftsModel

    bound = BoundDCEModel(ToftsModel(), T, AIF)

    def fit(y: Any) -> Any:
        fitter = LevenbergMarquardtFitter(max_iterations=50, tolerance=1e-6)
        maps = fitter.fit_image(bound, y.reshape(25, 25, 25, 30))
        return np.stack([maps[name].values.ravel() for name in ("Ktrans", "ve")], axis=1)

    return fit


def main() -> None:
    y, theirs = data(), osipys()
    ways = {
        "osipy": theirs,
        "likewise": lambda y: ours(y, 1),
        "likewise, 2 workers": lambda y: ours(y, 2),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    found: dict[str, Any] = {}
    for _ in range(TURNS):
        for name, way in ways.items():
            begin = time.perf_counter(), time.process_time()
            found[name] = way(y)
            end = time.perf_counter(), time.process_time()
            times[name].append((end[0] - begin[0], end[1] - begin[1]))
    least = {name: np.min(many, axis=0) / VOXELS * 1e6 for name, many in times.items()}
    middle = {name: np.median(many, axis=0) for name, many in times.items()}
    for name, (wall, cpu) in least.items():
        wrong = np.mean(np.abs(found[name] - TRUTH), axis=0)
        ratios, medians = least["osipy"] / (wall, cpu), middle["osipy"] / middle[name]
        print(
            f"{name:20} {wall:6.1f} us a voxel, {cpu:6.1f} of processor time; times faster: "
            f"{ratios[0]:.1f} and {ratios[1]:.1f} (medians {medians[0]:.1f} and {medians[1]:.1f}); "
            f"mean errors of Ktrans {wrong[0]:.6f}, ve {wrong[1]:.6f}"
        )


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    main()
