"""Densities estimated from data."""

from ._gaussian_kde import gaussian_kde

__all__ = ["gaussian_kde"]
