"""Smoothing, and a threshold."""

from ._smooth import gaussian, median
from ._threshold import threshold_otsu

__all__ = ["gaussian", "median", "threshold_otsu"]
