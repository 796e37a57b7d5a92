"""Distances between points, with SciPy's names and meaning, on every library."""

from . import distance

__all__ = ["distance"]
