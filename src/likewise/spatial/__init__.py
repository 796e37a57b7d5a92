"""Distances between points, with SciPy's names and meaning, on every library."""

from . import distance as distance

__all__: list[str] = []
