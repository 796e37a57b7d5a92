"""Splines through images and their values elsewhere, against SciPy's."""

from .case import Case

__all__ = ["NDIMAGE_INTERP"]

NDIMAGE_INTERP: list[Case] = []
