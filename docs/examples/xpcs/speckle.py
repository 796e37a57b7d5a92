"""Frames of speckle from particles in Brownian motion, whose diffusion coefficient is known.

Light from many independent particles is a complex normal field at each pixel, whose memory decays
as exp(-D q^2 t): an autoregression of order one. Its intensity obeys Siegert's relation,
g2 = 1 + exp(-2 D q^2 t) / modes, where `modes` independent fields add their intensities.

This plays the part of the detector, which writes a file: so it is plain NumPy.
"""

from pathlib import Path
from typing import Any

import numpy as np


def brownian(
    rng: np.random.Generator,
    q: Any,
    frames: int,
    rate: float,
    *,
    photons: float = 4.0,
    modes: int = 2,
) -> Any:
    """Yield frames of photon counts, uint16, of the shape of q.

    `rate` is D times the time between frames; `photons` the mean count.
    """
    memory = np.exp(-rate * q**2)
    fresh = np.sqrt((1 - memory) * (1 + memory)).astype("float32")
    shape = (2 * modes, *q.shape)
    field = rng.standard_normal(shape, dtype="float32")
    for _ in range(frames):
        yield rng.poisson(np.sum(field**2, axis=0) * (photons / (2 * modes))).astype("uint16")
        field = memory.astype("float32") * field
        field += fresh * rng.standard_normal(shape, dtype="float32")


def write(path: Path, movie: Any) -> None:
    """Write frames to a file, one after another and nothing else, as fast detectors do."""
    with path.open("wb") as file:
        for frame in movie:
            file.write(frame.tobytes())
