"""The lines of a spectrum above its baseline, and what the baseline's smoothing does to them."""

from typing import Any

import numpy as np

from likewise import array_namespace
from likewise.integrate import trapezoid
from likewise.interpolate import make_smoothing_spline

# Each line has a place, a width and an area.
LINES = ((22.0, 0.9, 6.0), (41.0, 1.6, 9.0), (63.0, 0.7, 3.0), (80.0, 1.2, 5.0))


def measured(rng: np.random.Generator, n: int, noise: float) -> tuple[np.ndarray, ...]:
    """Return places, counts and the true baseline."""
    x = np.linspace(0.0, 100.0, n)
    below = 4.0 * np.exp(-x / 35.0) + 1.5 * np.exp(-(((x - 55.0) / 30.0) ** 2))
    y = below + noise * rng.normal(size=n)
    for place, width, area in LINES:
        y = y + area / (width * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((x - place) / width) ** 2)
    return x, y, below


def baseline(
    x: Any, y: Any, lam: Any, near: float = 0.15, low: float = 0.002, steps: int = 12
) -> Any:
    """Return a smooth curve below the lines: what is above it, and not near, counts little."""
    xp = array_namespace(x, y, lam)
    weights = xp.ones_like(y)
    for _ in range(steps):
        curve = make_smoothing_spline(x, y, weights, lam=lam)(x)
        weights = xp.where(curve < y - near, low * xp.ones_like(y), xp.ones_like(y))
    return curve


def areas(x: Any, y: Any, log_lam: Any) -> Any:
    """Return the areas of the lines above a baseline of such a smoothing."""
    xp = array_namespace(x, y, log_lam)
    above = y - baseline(x, y, xp.exp(log_lam))
    parts = []
    for place, width, _ in LINES:
        near = xp.abs(x - place) < 5 * width
        parts.append(trapezoid(xp.where(near, above, xp.zeros_like(above)), x=x))
    return xp.stack(parts)
