"""Morphology of images and distances in them, against SciPy's."""

from typing import Any

import numpy as np
import scipy.ndimage as judge

from likewise import ndimage

from .case import Case, case

__all__ = ["NDIMAGE_MORPH"]

SHAPES = np.asarray([[1, 1, 1, 0, 1], [1, 0, 1, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 1.0]])
SHAPE = [[0, 1, 0], [1, 1, 1]]
LAST = {"axes": (-2, -1)}
TRUTH = "booleans have no derivative"
LOOP = {"compile": "its loop looks at values", "scalars": 12, "per": "iteration"}


GREY = np.asarray([[0.4, -1.2, 2.0, 0.7], [-0.3, 1.1, 0.2, -0.8], [1.6, -0.4, 0.9, -1.5]])


def of_shapes(name: str, *given: Any, kwargs: Any = LAST, **options: Any) -> Case:
    """A function of one image, with all other arguments as they are; leading axes are a batch."""
    ours, theirs = getattr(ndimage, name), getattr(judge, name)
    return case(
        f"ndimage.{name}",
        options.pop("image", SHAPES),
        by=lambda x: ours(x, *given, **kwargs),
        reference=lambda x: theirs(x, *given, **kwargs),
        **({"batch": True, "empty": True, "grad": TRUTH, "complex": "images are real"} | options),
    )


def grey(name: str, *given: Any, **options: Any) -> Case:
    return of_shapes(name, *given, **({"image": GREY, "grad": True} | options))


def distances(name: str, *given: Any, **options: Any) -> Case:
    # All axes are the image's.
    options |= {"kwargs": {}, "batch": False, "complex": True}
    return of_shapes(f"distance_transform_{name}", *given, **options)


NDIMAGE_MORPH = [
    case(
        "ndimage.generate_binary_structure",
        SHAPES,
        by=lambda x: ndimage.generate_binary_structure(2, 1, like=x),
        reference=lambda x: judge.generate_binary_structure(2, 1),
        batch="of a size",
        empty=True,
        complex=True,
    ),
    case(
        "ndimage.iterate_structure",
        SHAPES,
        2,
        reference=judge.iterate_structure,
        grad=TRUTH,
        batch="all axes are the structure's",
        copies="the structure is read, so that only its elements cost time",
        complex=True,
    ),
    of_shapes("binary_erosion", SHAPE),
    of_shapes("binary_dilation", SHAPE),
    of_shapes("binary_opening", SHAPE),
    of_shapes("binary_closing", SHAPE),
    of_shapes("binary_hit_or_miss", SHAPE),
    of_shapes("binary_propagation", **LOOP),
    of_shapes("binary_fill_holes", **LOOP),
    distances("edt", (0.5, 1.5), grad=True),
    distances("cdt", "taxicab", **LOOP),
    distances("bf", grad=True),
    grey("grey_erosion", None, SHAPE),
    grey("grey_dilation", None, SHAPE, [[0.3, 0.2, 0.0], [0.1, 0.5, 0.2]], kwargs={}, batch=False),
    grey("grey_opening", (3, 2)),
    grey("grey_closing", None, SHAPE),
    grey("morphological_gradient", 3),
    grey("morphological_laplace", 3),
    grey("white_tophat", None, SHAPE),
    grey("black_tophat", 2),
]
