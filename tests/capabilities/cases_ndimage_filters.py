"""Filters of images, against SciPy's."""

from typing import Any

import numpy as np
import scipy.ndimage as judge

from likewise import ndimage

from .case import Case, case

__all__ = ["IMAGE", "NDIMAGE_FILTERS", "filtered"]

IMAGE = np.asarray([[0.4, -1.2, 2.0, 0.7], [-0.3, 1.1, 0.2, -0.8], [1.6, -0.4, 0.9, -1.5]])


def filtered(name: str, *given: Any, **options: Any) -> Case:
    """A function of one image, with all other arguments as they are; leading axes are a batch."""
    ours, theirs = getattr(ndimage, name), getattr(judge, name)
    kwargs = options.pop("kwargs", {})
    return case(
        f"ndimage.{name}",
        IMAGE,
        by=lambda x: ours(x, *given, **kwargs),
        reference=lambda x: theirs(x, *given, **kwargs),
        **({"complex": True, "empty": True, "batch": True} | options),
    )


LAST = {"kwargs": {"axes": (-2, -1)}}
NDIMAGE_FILTERS = [
    filtered("correlate1d", [0.5, 1.0, -0.2]),
    filtered("convolve1d", [0.5, 1.0, -0.2]),
    filtered("correlate", [[0.5, 1.0], [-0.2, 0.3]], **LAST),
    filtered("convolve", [[0.5, 1.0], [-0.2, 0.3]], **LAST),
    filtered("gaussian_filter1d", 0.5),
    filtered("gaussian_filter", 0.5, **LAST),
]
