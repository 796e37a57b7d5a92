"""Labels and measurements of objects in images, against SciPy's."""

from typing import Any

import numpy as np
import scipy.ndimage as judge

from likewise import array_namespace, ndimage
from likewise.transforms import stop_gradient

from .case import Case, case

__all__ = ["NDIMAGE_MEAS"]

IMAGE = np.asarray([[0.4, -1.2, 2.0, 0.7], [-0.3, 1.1, 0.2, -0.8], [1.6, -0.4, 0.9, -1.5]])
SIZES = "sizes of the result depend on values"
HOST = {
    "copies": SIZES,
    "grad": dict.fromkeys(("numpy", "strict", "torch", "dask"), SIZES),
    **dict.fromkeys(("jit", "compile", "vmap"), SIZES),
}
LABELS = [[1, 1, 0, 2], [1, 0, 2, 2], [3, 3, 0, 2]]
PLACES = {"grad": "places have no derivative"}


def measured(name: str, **options: Any) -> Case:
    """A function of an image with three labels, as arrays."""
    ours, theirs = getattr(ndimage, name), getattr(judge, name)

    def arrays(found: Any) -> Any:
        return found if not isinstance(found, list) else [c for at in found for c in at]

    return case(
        f"ndimage.{name}",
        IMAGE,
        by=lambda x: arrays(ours(x, LABELS, [1, 2, 3])),
        reference=lambda x: arrays(theirs(x, LABELS, [1, 2, 3])),
        **options,
    )


def largest(v: Any) -> Any:
    """A function of the elements of one label."""
    return array_namespace(v).max(v)


def steep(x: Any) -> Any:
    """Heights of an image."""
    xp = array_namespace(x)
    return xp.astype(stop_gradient(x) * 10 + 20, xp.uint8)


def boxed(x: Any) -> Any:
    """The part of an image with elements greater than zero."""
    return x[ndimage.find_objects(signs(x))[0]]


def placed(x: Any) -> Any:
    """The elements greater than zero."""
    xp = array_namespace(x)
    rows, columns = ndimage.value_indices(signs(x))[1]
    return xp.take(xp.reshape(x, (-1,)), rows * x.shape[1] + columns, axis=0)


def signs(x: Any) -> Any:
    """Labels by values."""
    xp = array_namespace(x)
    return xp.astype(stop_gradient(x) > 0, xp.int64)


def numbered(x: Any) -> Any:
    """SciPy's labels and their number, as an array."""
    found, number = judge.label(x > 0)
    return found, np.asarray(number)


NDIMAGE_MEAS = [
    *(measured(name) for name in ("sum_labels", "sum", "mean", "variance", "standard_deviation")),
    *(measured(name) for name in ("minimum", "maximum", "median", "center_of_mass", "extrema")),
    case(
        "ndimage.label",
        IMAGE,
        by=lambda x: ndimage.label(x > 0),
        reference=numbered,
        grad="labels have no derivative",
        compile="the loop is none of torch.compile's",
        vmap={"dask": "objects are joined in one task, which is none of one image of a batch"},
        scalars=6,
    ),
    case(
        "ndimage.labeled_comprehension",
        IMAGE,
        by=lambda x: ndimage.labeled_comprehension(x, LABELS, [1, 2], largest, x.dtype, 0),
        reference=judge.maximum(IMAGE, LABELS, [1, 2]),
        **(HOST | {"vmap": dict.fromkeys(("numpy", "strict", "dask"), SIZES)}),
    ),
    case(
        "ndimage.histogram",
        IMAGE,
        by=lambda x: ndimage.histogram(x, -1.0, 2.0, 3, LABELS, [1, 2]),
        reference=np.stack(list(judge.histogram(IMAGE, -1.0, 2.0, 3, LABELS, [1, 2]))),
        grad="counts have no derivative",
    ),
    case(
        "ndimage.watershed_ift",
        IMAGE,
        by=lambda x: ndimage.watershed_ift(steep(x), LABELS),
        reference=judge.watershed_ift((IMAGE * 10 + 20).astype(np.uint8), np.asarray(LABELS)),
        grad="labels have no derivative",
        compile="the loop is none of torch.compile's",
        scalars=12,
    ),
    case("ndimage.find_objects", IMAGE, by=boxed, reference=IMAGE, **HOST),
    case("ndimage.value_indices", IMAGE, by=placed, reference=IMAGE[IMAGE > 0], **HOST),
    *(measured(name, **PLACES) for name in ("minimum_position", "maximum_position")),
]
