"""Intravoxel incoherent motion: blood in capillaries as a second, quick diffusion.

The b values are in s/mm**2, diffusion coefficients in mm**2/s.
"""

from typing import Any

from likewise import array_namespace
from likewise.missing import nanmax
from perfusion.images import Model

Array = Any  # of any library


def two_diffusions(b: Array, s0: Array, share: Array, quick: Array, slow: Array) -> Array:
    """Return the signal at b values: D. Le Bihan et al., Radiology 168, 497 (1988), equation 3."""
    xp = array_namespace(b, s0)
    return s0 * (share * xp.exp(-b * quick) + (1 - share) * xp.exp(-b * slow))


def motion_model(b: Array) -> Model:
    """Return the model for `fit_image`: S0, the share f of the blood, its D* and the tissue's D."""

    def f(b: Array, s0: Array, share: Array, quick: Array, slow: Array) -> Array:
        return two_diffusions(b, s0, share, quick / 1000, slow / 1000)

    def start(signals: Array) -> Array:
        xp = array_namespace(signals)
        top = nanmax(signals, axis=-1)
        return xp.stack([top, *(xp.full_like(top, v) for v in (0.1, 20.0, 1.0))], axis=-1)

    names = ("S0", "f", "D*", "D")  # the last two in 1e-3 mm**2/s, so that steps have one size
    return Model(f, b, names, start, (0.0, 0.0, 3.0, 0.0), (1e10, 1.0, 300.0, 3.0))
