"""Morphology of images and distances in them, against SciPy's."""

from .case import Case

__all__ = ["NDIMAGE_MORPH"]

NDIMAGE_MORPH: list[Case] = []
