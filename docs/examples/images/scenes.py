"""Made pictures, whose truth is known: cells at any points, and beads that are out of focus.

They are made by formulas and by NumPy, not by the functions that the fits use.
"""

import numpy as np


def cells(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return how bright round and long cells are at points, in units of 100 by 100."""
    rng = np.random.default_rng(8)
    out: np.ndarray = np.zeros(np.broadcast(rows, columns).shape)
    for _ in range(45):
        r, c = rng.uniform(-10, 110, 2)
        wide, long = rng.uniform(1.8, 3.0), rng.uniform(2.5, 8.0)
        turn = rng.uniform(0, np.pi)
        u = np.cos(turn) * (rows - r) + np.sin(turn) * (columns - c)
        v = np.cos(turn) * (columns - c) - np.sin(turn) * (rows - r)
        out += rng.uniform(0.4, 1.0) * np.exp(-0.5 * ((u / long) ** 2 + (v / wide) ** 2))
    return out


def moved(side: int, angle: float, scale: float, shift: tuple[float, float]) -> np.ndarray:
    """Return cells turned, scaled and shifted about the centre of side by side elements."""
    centre, unit = (side - 1) / 2, 100 / side
    r, c = np.indices((side, side)) - centre
    r, c = r - shift[0], c - shift[1]
    rows = (np.cos(angle) * r + np.sin(angle) * c) / scale
    columns = (np.cos(angle) * c - np.sin(angle) * r) / scale
    return cells(unit * (rows + centre), unit * (columns + centre))


def beads(
    side: int, places: np.ndarray, radii: np.ndarray, blurs: np.ndarray, fine: int = 6
) -> np.ndarray:
    """Return bright discs, each blurred by a Gaussian, on grey.

    Elements are means over fine by fine points; the blur is a product of transforms.
    """
    at = (np.arange(side * fine) + 0.5) / fine - 0.5
    f = np.fft.fftfreq(side * fine, 1 / fine)
    square = f[:, None] ** 2 + f[: f.size // 2 + 1] ** 2
    total = np.zeros_like(square, dtype=complex)
    for (r, c), radius, blur in zip(places, radii, blurs, strict=True):
        disc = np.hypot(at[:, None] - r, at - c) < radius
        total += np.fft.rfft2(disc.astype(float)) * np.exp(-2 * (np.pi * blur) ** 2 * square)
    sharp = np.fft.irfft2(total, s=(side * fine, side * fine))
    means: np.ndarray = sharp.reshape(side, fine, side, fine).mean(axis=(1, 3))
    return 0.1 + means
