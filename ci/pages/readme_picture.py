"""Draw README's picture: one call of curve_fit for all pixels of an image.

python ci/pages/readme_picture.py
"""

import io
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from likewise import array_namespace
from likewise.optimize import curve_fit
from likewise.random import key, normal

PATH = Path(__file__).parents[2] / "docs" / "images" / "fits.png"
SIDE = 100
NOISE = 0.05


def decay(t: Any, height: Any, rate: Any) -> Any:
    return height * array_namespace(t, rate).exp(-rate * t)


def rates() -> Any:
    """Rates of an image: a disc, a ring and two spots before a slope."""
    y, x = np.meshgrid(*2 * [np.linspace(-1, 1, SIDE)], indexing="ij")
    radius = np.hypot(x, y)
    out = 0.5 + 0.2 * x
    out = np.where(radius < 0.85, 0.9 + 0.1 * y, out)
    out = np.where((radius > 0.55) & (radius < 0.7), 1.6, out)
    for left, top, value in ((-0.25, -0.1, 2.0), (0.25, 0.12, 0.3)):
        out = np.where(np.hypot(x - left, y - top) < 0.18, value, out)
    return out


def main() -> None:
    t = np.linspace(0.0, 4.0, 24)
    truth = rates().reshape(-1, 1)
    y = decay(t, 1.0, truth) + NOISE * normal(key(1), (SIDE**2, t.size), dtype=np.float64)
    fit = curve_fit(decay, t, y, p0=[1.0, 1.0], full_output=True)

    plt.rcParams.update({"font.size": 9, "axes.titlesize": 10, "axes.titlelocation": "left"})
    figure, (curves, data, found, error) = plt.subplots(
        1, 4, figsize=(9.2, 2.6), width_ratios=(1.35, 1, 1, 1), layout="constrained"
    )
    places = {"C0": (50, 50), "C1": (45, 37), "C3": (56, 62)}
    for colour, (row, column) in places.items():
        k = row * SIDE + column
        curves.plot(t, y[k], ".", color=colour, ms=5)
        curves.plot(t, decay(t, *fit.popt[k]), color=colour, lw=1.4)
    curves.set_title("three pixels and their fits")
    curves.set_xlabel("time")
    curves.spines[["top", "right"]].set_visible(False)
    images = {
        data: (y[:, 6], "one of 24 images", "gray", None),
        found: (fit.popt[:, 1], "fitted rate", "viridis", (0.2, 2.2)),
        error: (np.sqrt(fit.pcov[:, 1, 1]), "its standard error", "magma", None),
    }
    for axes, (values, title, colours, limits) in images.items():
        low, high = limits or (None, None)
        shown = axes.imshow(values.reshape(SIDE, SIDE), cmap=colours, vmin=low, vmax=high)
        figure.colorbar(shown, ax=axes, fraction=0.046, pad=0.03)
        axes.set_title(title)
        axes.set_xticks([]), axes.set_yticks([])
    for colour, (row, column) in places.items():
        found.plot(column, row, "o", mfc="none", mec="white", ms=7, mew=2.2)
        found.plot(column, row, "o", mfc="none", mec=colour, ms=7, mew=1.2)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110)
    Image.open(buffer).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(
        PATH, optimize=True
    )  # half
    print(f"{PATH}: {int(fit.success.sum())} of {SIDE**2} fits converged")


if __name__ == "__main__":
    main()
