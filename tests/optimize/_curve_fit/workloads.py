"""Fits as applications have them: perfusion and relaxation of voxels, correlations of rings.

Each is a model of docs/gallery/models.py with predictors, a truth, noise, starts made from the
data, and bounds, in the numbers of published benchmarks where there are such. In NumPy.
"""

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

GALLERY = Path(__file__).parents[3] / "docs" / "gallery" / "models.py"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("gallery_models", GALLERY)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


models = _load()


class Workload(NamedTuple):
    """A model, where it is measured, and the ranges of its true parameters."""

    model: Callable[..., Any]
    x: Any
    truth: tuple[tuple[float, float], ...]  # each parameter is drawn between two values
    noise: float
    start: Callable[[Any, Any], Any]  # x, y (B, n) -> (B, p)
    bounds: tuple[list[float], list[float]]

    def draw(self, rng: Any, count: int) -> tuple[Any, Any, Any]:
        """True parameters (count, p), data without noise (count, n), and with it."""
        truth = np.stack([rng.uniform(a, b, count) for a, b in self.truth], axis=-1)
        clean = self.model(self.x, *(truth[:, j : j + 1] for j in range(truth.shape[1])))
        return truth, clean, clean + self.noise * rng.normal(size=clean.shape)

    def starts(self, y: Any) -> Any:
        """Guesses, within the bounds."""
        low, high = self.bounds
        return np.clip(self.start(self.x, y), low, high)


def constant(*values: float) -> Callable[[Any, Any], Any]:
    """The same start for all."""
    return lambda x, y: np.tile(np.asarray(values), (y.shape[0], 1))


def columns(*parts: Any) -> Any:
    return np.stack(np.broadcast_arrays(*parts), axis=-1).astype(float)


def _input(last: float, n: int) -> Any:
    """Times in minutes, of seconds; and the arterial input, which starts at its peak."""
    seconds = np.linspace(0.0, last, n)
    return np.stack([seconds / 60, 2 * np.exp(-seconds / 60)])


def tofts_start(x: Any, y: Any) -> Any:
    return columns(np.clip(0.1 * np.max(y, axis=1) / np.max(x[1]), 0, 5), 0.2)


def extended_start(x: Any, y: Any) -> Any:
    peak = np.argmax(x[1])
    vp = np.clip(y[:, peak] / x[1, peak], 0.001, 0.1)
    return np.concatenate([tofts_start(x, y), vp[:, None]], axis=1)


def exchange_start(x: Any, y: Any) -> Any:
    peak = np.argmax(x[1])
    return columns(20.0, 8.0, 0.2, np.clip(y[:, peak] / x[1, peak], 0.01, 0.2))


def ivim_start(b: Any, y: Any) -> Any:
    """Segmented: a line through logarithms from b = 200 on, and what is above it at 0."""
    late = b >= 200
    slope, intercept = np.polyfit(b[late], np.log(np.maximum(y[:, late], 1e-6)).T, 1)
    f = np.clip(1 - np.exp(intercept) / y[:, 0], 0.01, 0.7)
    return columns(y[:, 0], -slope, -10 * slope, f)


def spgr_start(x: Any, y: Any) -> Any:
    return columns(1000.0, 2 * np.max(y, axis=1))


def look_locker_start(t: Any, y: Any) -> Any:
    return columns(1000.0, y[:, -1], y[:, -1] - y[:, 0])


def buxton_start(delay: Any, y: Any) -> Any:
    return columns(60.0, delay[np.argmax(y, axis=1)])


def bolus_start(t: Any, y: Any) -> Any:
    """Onset at a tenth of the peak, shape 3, and what puts the peak where it is."""
    top, when = np.max(y, axis=1), t[np.argmax(y, axis=1)]
    begin = t[np.argmax(y > 0.1 * top[:, None], axis=1)] - (t[1] - t[0])
    rise = np.maximum(when - begin, t[1] - t[0])
    return columns(top * np.exp(3) / rise**3, begin, 3.0, rise / 3)


def decay_start(t: Any, y: Any) -> Any:
    return columns(y[:, 0] - y[:, -1], 3 / t[-1], y[:, -1])


INF = math.inf
ANGLES = np.radians([2.0, 5.0, 8.0, 12.0, 16.0, 20.0, 25.0, 30.0])
WORKLOADS = {
    "O1": Workload(
        models.tofts,
        _input(300, 30),
        ((0.1, 0.1), (0.2, 0.2)),
        0.01,
        tofts_start,
        ([0, 0.001], [5, 1]),
    ),
    "O2": Workload(
        models.extended_tofts,
        _input(300, 30),
        ((0.1, 0.1), (0.2, 0.2), (0.03, 0.03)),
        0.01,
        extended_start,
        ([0, 0.001, 0], [5, 1, 1]),
    ),
    "O2, all kinds": Workload(
        models.extended_tofts,
        _input(300, 30),
        ((0.02, 0.5), (0.05, 0.6), (0.0, 0.1)),
        0.005,
        extended_start,
        ([0, 0.001, 0], [5, 1, 1]),
    ),
    "O3": Workload(
        models.two_compartment_exchange,
        _input(300, 61),
        ((20, 60), (5, 15), (0.1, 0.3), (0.03, 0.1)),
        0.001,
        exchange_start,
        ([0.1, 0, 0.001, 0.001], [200, 50, 1, 0.3]),
    ),
    "O4": Workload(
        models.ivim,
        np.asarray([0.0, 50, 100, 200, 400, 600, 800, 1000]),
        ((1, 1), (1e-3, 1e-3), (1e-2, 1e-2), (0.1, 0.1)),
        0.002,
        ivim_start,
        ([0, 1e-4, 2e-3, 0], [INF, 5e-3, 0.1, 0.7]),
    ),
    "O5, SPGR": Workload(
        models.spgr,
        np.stack([ANGLES, np.full(ANGLES.shape, 5.0)]),
        ((500, 2000), (500, 2000)),
        0.1,
        spgr_start,
        ([1, 0], [1e4, 1e10]),
    ),
    "O5, Look-Locker": Workload(
        models.look_locker,
        np.linspace(20.0, 4000.0, 24),
        ((300, 1200), (500, 1000), (900, 1900)),
        5.0,
        look_locker_start,
        ([1, -1e10, 0], [1e4, 1e10, 1e10]),
    ),
    "O6": Workload(
        models.buxton,
        np.asarray([0.2, 0.5, 1.0, 1.5, 2.0, 2.5]),
        ((30, 90), (0.6, 1.9)),
        1e-4,
        buxton_start,
        ([0, 0.1], [200, 5]),
    ),
    "O7": Workload(
        models.gamma_variate,
        np.linspace(0.0, 60.0, 61),
        ((0.5, 2), (5, 12), (2, 4), (2, 4)),
        0.05,
        bolus_start,
        ([0, 0, 0.1, 0.1], [1e6, 300, 20, 50]),
    ),
    "X5": Workload(
        models.g2,
        np.logspace(-4, 2, 50),
        ((1, 1), (1, 1), (0.3, 0.3)),
        0.01,
        constant(1.0, 1.0, 0.3),
        ([1e-6, 0, 0], [1e6, 2, 1]),
    ),
    "Patlak": Workload(
        models.patlak,
        _input(300, 30),
        ((0.01, 0.1), (0.02, 0.1)),
        0.005,
        constant(0.05, 0.05),
        ([0, 0], [5, 1]),
    ),
    "one decay": Workload(
        models.monoexponential,
        np.linspace(0.0, 4.0, 40),
        ((1, 3), (0.5, 2), (0, 0.5)),
        0.02,
        decay_start,
        ([-INF, 0, -INF], [INF, INF, INF]),
    ),
    "two decays": Workload(
        models.biexponential,
        np.linspace(0.0, 5.0, 60),
        ((1, 2), (3, 6), (1, 2), (0.3, 0.8)),
        0.005,
        constant(1.0, 4.0, 1.0, 0.5),
        ([0, 0, 0, 0], [INF, INF, INF, INF]),
    ),
    "stretched decay": Workload(
        models.stretched_exponential,
        np.linspace(0.0, 5.0, 40),
        ((1, 2), (0.5, 2), (0.5, 1)),
        0.01,
        constant(1.0, 1.0, 0.8),
        ([0, 1e-3, 0.05], [INF, INF, 5]),
    ),
    "power law": Workload(
        models.power_law,
        np.linspace(1.0, 50.0, 30),
        ((1, 2), (-1.5, 1)),
        0.01,
        constant(1.0, 0.0),
        ([0, -5], [INF, 5]),
    ),
}
