"""Remez's exchange, of SciPy's routine."""

from typing import Any

from scipy import signal


def remez(
    bands: Any, desired: Any, weight: Any, taps: int, kind: str, most: int, density: int
) -> Any:
    """Design a filter; what doesn't converge here is left to the body."""
    try:
        return signal.remez(
            *(taps, bands, desired),
            weight=weight,
            type=kind,
            maxiter=most,
            grid_density=density,
            fs=1.0,
        )
    except ValueError:
        return NotImplemented
