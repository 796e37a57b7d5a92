"""Fits of a model to data: `curve_fit`."""

from ._curve_fit import FitResult, curve_fit

__all__ = [
    "FitResult",
    "curve_fit",
]
