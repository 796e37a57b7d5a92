"""A body that doesn't exist, of which the truth is known, and what a scanner would see of it."""

from typing import Any, NamedTuple

import numpy as np

from likewise.random import key, normal, split
from likewise.signal import convolve_exponential
from perfusion.kinetics import parker
from perfusion.relaxation import RELAXIVITY, spgr

TR = 0.005  # s
ANGLES = np.radians([2.0, 5.0, 10.0, 15.0, 20.0, 25.0])
ANGLE = float(np.radians(20.0))  # while the agent passes
BEFORE = 8  # frames before the injection
FINE = 10  # steps of the truth to one frame

# region: Ktrans (1/min), ve, vp, T1 (s), M0; CBF (ml/100 ml/min), MTT (s)
REGIONS = {
    "muscle": (0.06, 0.15, 0.01, 1.00, 9000.0, 20.0, 5.0),
    "gland": (0.15, 0.25, 0.05, 0.80, 11000.0, 60.0, 4.0),
    "rim": (0.30, 0.40, 0.08, 1.30, 10000.0, 80.0, 6.0),
    "core": (0.10, 0.50, 0.02, 1.60, 10500.0, 12.0, 10.0),
}
NAMES = ("Ktrans", "ve", "vp", "T1", "M0", "CBF", "MTT")


class Scans(NamedTuple):
    """The measurement, and the truth."""

    mask: Any  # (X, Y, Z)
    flips: Any  # (X, Y, Z, angles), signals
    times: Any  # (frames,), s after the start
    frames: Any  # (X, Y, Z, frames), signals
    pass_times: Any  # (n,), s
    pass_aif: Any  # (n,), concentrations in a vessel
    first_pass: Any  # (X, Y, Z, n), concentrations
    truth: dict[str, Any]  # maps


def scanned(
    size: int = 32, slices: int = 3, frames: int = 100, dt: float = 3.0, noise: float = 1.0
) -> Scans:
    """Return the scans of the phantom: `frames` images, one every `dt` seconds."""
    label = _labels(size, slices)
    mask = label >= 0
    table = np.asarray(list(REGIONS.values()))
    values = np.where(mask[..., None], table[np.maximum(label, 0)], np.nan)
    # Ktrans differs between slices, so that maps show more than regions.
    values[..., 0] *= np.linspace(0.8, 1.2, slices) if slices > 1 else 1.0
    truth = {name: values[..., i] for i, name in enumerate(NAMES)}
    voxel = {name: image[mask] for name, image in truth.items()}
    keys = iter(split(key(2006), 3))

    def image(curves: Any, level: float) -> Any:
        """Put curves (voxels, n) in their places, with noise."""
        full = np.zeros((*mask.shape, curves.shape[-1]))
        full[mask] = curves
        return full + noise * level * normal(next(keys), full.shape, dtype="float64")

    t1, m0 = voxel["T1"][:, None], voxel["M0"][:, None]
    flips = image(spgr(ANGLES, TR, t1, m0), 5.0)
    fine = np.arange(frames * FINE) * (dt / FINE) / 60  # minutes
    tissue = _tissue(fine, parker(fine - BEFORE * dt / 60), voxel)[:, ::FINE]
    rate = 1 / t1 + RELAXIVITY * tissue
    dynamic = image(spgr(np.asarray(ANGLE), TR, 1 / rate, m0), 5.0)
    pass_times = np.arange(60) * 1.5
    aif = bolus(pass_times)
    first = image(_first_pass(pass_times, voxel), 5e-4)
    times = np.arange(frames) * dt
    return Scans(mask, flips, times, dynamic, pass_times, aif, first, truth)


def bolus(t: Any) -> Any:
    """Return a gamma variate, the first pass in an artery: t in s."""
    since = np.maximum(t - 9.0, 0.0)
    return 3.0 * (since / 4.5) ** 3 * np.exp(3 - since / 1.5)


def _labels(size: int, slices: int) -> Any:
    """Return the number of the region of each voxel, -1 outside of the body."""
    centres = (np.arange(size) + 0.5) / size * 2 - 1
    x, y = np.meshgrid(centres, centres, indexing="ij")
    label = np.where((x / 0.9) ** 2 + (y / 0.75) ** 2 < 1, 0, -1)
    label = np.where((x + 0.4) ** 2 + (y + 0.1) ** 2 < 0.09, 1, label)
    distance = np.hypot(x - 0.35, y - 0.1)
    label = np.where(distance < 0.38, 2, label)
    label = np.where(distance < 0.2, 3, label)
    return np.repeat(label[..., None], slices, axis=-1)


def _tissue(t: Any, aif: Any, voxel: dict[str, Any]) -> Any:
    """Return concentrations by the extended model, on a grid far finer than the frames."""
    leaked = convolve_exponential(t, aif, voxel["Ktrans"] / voxel["ve"])
    return voxel["vp"][:, None] * aif + voxel["Ktrans"][:, None] * leaked


def _first_pass(t: Any, voxel: dict[str, Any]) -> Any:
    fine = np.arange(len(t) * FINE) * (t[1] / FINE)
    curves = convolve_exponential(fine, bolus(fine), 1 / voxel["MTT"])[:, ::FINE]
    return voxel["CBF"][:, None] / 6000 * curves
