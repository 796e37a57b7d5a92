"""Optimisation with SciPy's names and meaning, many problems at once, on every library."""

from ._curve_fit import FitResult, curve_fit

__all__ = ["FitResult", "curve_fit"]
