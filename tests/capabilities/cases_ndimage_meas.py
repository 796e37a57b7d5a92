"""Labels and measurements of objects in images, against SciPy's."""

from .case import Case

__all__ = ["NDIMAGE_MEAS"]

NDIMAGE_MEAS: list[Case] = []
